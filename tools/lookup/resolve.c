/* SPDX-License-Identifier: MIT */
/*
 * lookup/resolve.c - finds the address that an input means: a number, the name
 * of a function, or NAME+OFFSET.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/number.h"
#include "common/report.h"
#include "lookup/lookup.h"

/* The number of unknown names for which near names are looked for. */
enum { NEAR_NOTES = 3 };

/* Whether TEXT, of LENGTH bytes, which is a number, could be a name as well,
 * such as add: it begins with a letter, and is shorter than a padded number. */
static bool may_be_name(const struct lookup *l, const char *text,
			size_t length)
{
	return !l->hex && length < 8 && (text[0] < '0' || text[0] > '9');
}

bool lookup_is_address(const struct lookup *l, const char *text, size_t length,
		       uint64_t *address)
{
	return number_parse_address(text, length, l->hex, address) ==
		       NUMBER_OK &&
	       !may_be_name(l, text, length);
}

void lookup_note_base(struct lookup *l, const char *text, size_t length)
{
	if (!l->hex && number_address_base(text, length) == 10)
		l->decimal = true;
}

static bool is_covered(const struct lookup *l, uint64_t address)
{
	struct gsym_match match;
	struct gsym_frame frame;

	return gsym_lookup(l->reader, address, GSYM_LOOKUP_NO_INLINES, &frame,
			   1, &match, NULL) == GSYM_OK;
}

/* Set *ADDRESS to the start of the function with the LENGTH bytes at TEXT as
 * its name, or as the readable form of its name.  Of several functions the
 * first is taken, and L->several is set.  Returns false if there is none. */
static bool find_name(struct lookup *l, const char *text, size_t length,
		      uint64_t *address)
{
	uint32_t index, other;
	/* The names of a process are those of many files. */
	bool none = length == 0 || lookup_of_process(l);

	if (!none && names_find(&l->names, l->reader, text, length, 0, &index))
		l->several = names_find(&l->names, l->reader, text, length,
					index + 1, &other);
	else if (!none && names_find_readable(&l->names, l->reader, text,
					      length, 0, &index))
		l->several = names_find_readable(&l->names, l->reader, text,
						 length, index + 1, &other);
	else
		return false;
	*address = gsym_address_at(l->reader, index) + l->adjust;
	return true;
}

/* Set *ADDRESS to the address of TEXT, of LENGTH bytes, if that is NAME or
 * NAME+OFFSET. */
static bool find_place(struct lookup *l, const char *text, size_t length,
		       uint64_t *address)
{
	const char *plus = memrchr(text, '+', length);
	uint64_t offset;

	if (find_name(l, text, length, address))
		return true;
	if (!plus ||
	    number_parse_address(plus + 1, (size_t)(text + length - plus - 1),
				 l->hex, &offset) != NUMBER_OK ||
	    !find_name(l, text, (size_t)(plus - text), address))
		return false;
	*address += offset;
	return true;
}

/* The number of bytes at the start of TEXT that can be in a number. */
static size_t number_length(const char *text, size_t length)
{
	static const char characters[] = "0123456789abcdefABCDEFxX";
	size_t end = 0;

	while (end < length && text[end] && strchr(characters, text[end]))
		end++;
	return end;
}

/* The length of the part at the start of TEXT that is an address, NAME or
 * NAME+OFFSET, if other text follows it; 0 if there is no such part. */
static size_t understood(struct lookup *l, const char *text, size_t length)
{
	static const char ends[] = ",;:.)]>/+-";
	const char *plus = memrchr(text, '+', length);
	size_t end = 0;
	uint64_t address;

	/* "0x1234 main", "main (prog)" */
	while (end < length && text[end] != ' ' && text[end] != '\t')
		end++;
	if (end < length && (lookup_is_address(l, text, end, &address) ||
			     find_place(l, text, end, &address)))
		return end;
	/* "0x1234,", but not "3dfx_init" */
	end = number_length(text, length);
	if (end < length && memchr(ends, text[end], sizeof(ends) - 1) &&
	    lookup_is_address(l, text, end, &address))
		return end;
	/* "main+0x10/0x20" */
	if (!plus)
		return 0;
	end = (size_t)(plus + 1 - text);
	end += number_length(plus + 1, length - end);
	return end < length && find_place(l, text, end, &address) ? end : 0;
}

/* Count an answer for a name that several functions have; the first time write
 * a note. */
static void note_several(struct lookup *l, const char *text, size_t length)
{
	if (l->several && !l->ambiguous++)
		report_note(
			"note: several functions have the name in '%.*s'; the "
			"first one answers",
			(int)length, text);
}

bool lookup_resolve(struct lookup *l, const char *text, size_t length,
		    uint64_t *address, char problem[LOOKUP_PROBLEM])
{
	enum number_result result =
		number_parse_address(text, length, l->hex, address);
	uint64_t place;
	size_t known;

	l->several = false;
	if (result == NUMBER_OK && may_be_name(l, text, length) &&
	    !is_covered(l, *address - l->adjust) &&
	    find_name(l, text, length, &place))
		*address = place;
	if (result == NUMBER_OK ||
	    (result == NUMBER_BAD && find_place(l, text, length, address))) {
		note_several(l, text, length);
		return true;
	}
	known = result == NUMBER_BAD ? understood(l, text, length) : 0;
	if (known)
		snprintf(problem, LOOKUP_PROBLEM,
			 "not an address: text after '%.*s'", (int)known, text);
	else if (result == NUMBER_BAD)
		snprintf(problem, LOOKUP_PROBLEM,
			 "not an address, and no function has this name");
	else
		snprintf(problem, LOOKUP_PROBLEM, "%s", number_problem(result));
	return false;
}

void lookup_note_near(struct lookup *l, const char *text, size_t length)
{
	char near[NAMES_NEAR_SIZE];

	if (!lookup_of_process(l) && l->unknown++ < NEAR_NOTES &&
	    names_near(l->reader, text, length, near))
		report_note("note: no function has the name '%.*s'; near: %s",
			    (int)length, text, near);
}
