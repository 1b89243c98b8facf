/* SPDX-License-Identifier: MIT */
/* lookup/input.c - what an input means: an address, NAME, NAME+OFFSET, or
 * NAME+OFFSET/SIZE as a kernel writes it.  Inputs come as arguments or, one a
 * line, from standard input. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/system.h"
#include "common/out.h"
#include "common/report.h"
#include "lookup/lookup.h"

/* ---- the address of an input --------------------------------------------- */

/* The number of unknown names for which near names are looked for. */
enum { NEAR_NOTES = 3 };

/* Whether TEXT, of LENGTH bytes, which is a number, could be a name as well,
 * such as add: it begins with a letter, and is shorter than a padded number. */
static bool may_be_name(const struct lookup *l, const char *text,
			size_t length)
{
	return !l->asked->hex && length < 8 && (text[0] < '0' || text[0] > '9');
}

/* Whether the LENGTH bytes at TEXT are certainly a number, *ADDRESS, and not a
 * name. */
static bool is_address(const struct lookup *l, const char *text, size_t length,
		       uint64_t *address)
{
	return number_parse_address(text, length, l->asked->hex, address) ==
		       NUMBER_OK &&
	       !may_be_name(l, text, length);
}

/* Set L->decimal if the input TEXT was read as a decimal number. */
static void note_base(struct lookup *l, const char *text, size_t length)
{
	if (!l->asked->hex && number_address_base(text, length) == 10)
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
	bool none = length == 0 || lookup_of_process(l->asked);

	if (!none && names_find(&l->names, l->reader, text, length, 0, &index))
		l->several = names_find(&l->names, l->reader, text, length,
					index + 1, &other);
	else if (!none && names_find_readable(&l->names, l->reader, text,
					      length, 0, &index))
		l->several = names_find_readable(&l->names, l->reader, text,
						 length, index + 1, &other);
	else
		return false;
	*address = gsym_address_at(l->reader, index) + l->asked->adjust;
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
				 l->asked->hex, &offset) != NUMBER_OK ||
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
	if (end < length && (is_address(l, text, end, &address) ||
			     find_place(l, text, end, &address)))
		return end;
	/* "0x1234,", but not "3dfx_init" */
	end = number_length(text, length);
	if (end < length && memchr(ends, text[end], sizeof(ends) - 1) &&
	    is_address(l, text, end, &address))
		return end;
	/* "main+0x10/main" */
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

/* Set *ADDRESS to the address that the LENGTH bytes at TEXT mean: a number,
 * the name of a function, or NAME+OFFSET.  L->adjust is added to the address
 * of a name, because it is subtracted before the lookup.  If TEXT is none of
 * these, returns false, with a message in PROBLEM. */
static bool resolve(struct lookup *l, const char *text, size_t length,
		    uint64_t *address, char problem[LOOKUP_PROBLEM])
{
	enum number_result result =
		number_parse_address(text, length, l->asked->hex, address);
	uint64_t place;
	size_t known;

	l->several = false;
	if (result == NUMBER_OK && may_be_name(l, text, length) &&
	    !is_covered(l, *address - l->asked->adjust) &&
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

	if (!lookup_of_process(l->asked) && l->unknown++ < NEAR_NOTES &&
	    names_near(l->reader, text, length, near))
		report_note("note: no function has the name '%.*s'; near: %s",
			    (int)length, text, near);
}

/* ---- NAME+OFFSET/SIZE ---------------------------------------------------- */

/* Functions of one name, or of one address, that are looked at. */
enum { SAME_NAMES = 256 };

/* NAME+OFFSET/SIZE. */
struct sized {
	const char *name;
	size_t length;
	uint64_t offset, size;
};

static bool read_sized(const struct lookup *l, const char *text, size_t length,
		       struct sized *ret)
{
	const char *slash = memrchr(text, '/', length);
	const char *plus =
		slash ? memrchr(text, '+', (size_t)(slash - text)) : NULL;
	if (!plus || plus == text)
		return false;
	ret->name = text;
	ret->length = (size_t)(plus - text);
	return number_parse_address(slash + 1,
				    (size_t)(text + length - slash - 1),
				    l->asked->hex, &ret->size) == NUMBER_OK &&
	       number_parse_address(plus + 1, (size_t)(slash - plus - 1),
				    l->asked->hex, &ret->offset) == NUMBER_OK;
}

/* Set SIZES to the size of the function at INDEX and to the distance to the
 * next function, which is what a kernel takes for the size; 0: not known. */
static void find_sizes(const struct lookup *l, uint32_t index,
		       uint64_t sizes[2])
{
	uint64_t start = gsym_address_at(l->reader, index), next = start;
	uint32_t count = gsym_function_count(l->reader);
	struct gsym_function function;
	sizes[0] = sizes[1] = 0;
	for (int same = 0; next == start && same < SAME_NAMES; same++) {
		if (index + 1 >= count)
			break;
		next = gsym_address_at(l->reader, ++index);
	}
	if (next != start)
		sizes[1] = next - start;
	if (gsym_function_at(l->reader, next != start ? index - 1 : index,
			     &function, NULL) == GSYM_OK)
		sizes[0] = function.size;
}

/* Whether an input is NAME+OFFSET/SIZE of a function that the GSYM data
 * have. */
enum sized_result {
	SIZED_NOT,
	SIZED_FOUND,
	/* No function of the name has this size, or the offset is not below
	 * the size. */
	SIZED_REFUSED,
};

/* Set *ADDRESS to that of TEXT, of LENGTH bytes, in the first function of the
 * name and the size from the index *FROM on, and *FROM behind that function.
 * If TEXT is refused, PROBLEM says why. */
static enum sized_result find_sized(struct lookup *l, const char *text,
				    size_t length, uint32_t *from,
				    uint64_t *address,
				    char problem[LOOKUP_PROBLEM])
{
	enum sized_result result = SIZED_NOT;
	bool has_size = false;
	struct sized s;
	uint64_t last = 0;
	uint32_t index;
	if (lookup_of_process(l->asked) || l->asked->of_stack ||
	    !read_sized(l, text, length, &s))
		return result;
	for (int tries = 0; tries < SAME_NAMES; tries++) {
		uint64_t sizes[2];
		if (!names_find(&l->names, l->reader, s.name, s.length, *from,
				&index))
			break;
		*from = index + 1;
		find_sizes(l, index, sizes);
		result = SIZED_REFUSED;
		if (s.size != sizes[0] && s.size != sizes[1]) {
			last = sizes[0];
			continue;
		}
		has_size = true;
		if (s.offset < s.size) {
			*address = gsym_address_at(l->reader, index) +
				   l->asked->adjust + s.offset;
			return SIZED_FOUND;
		}
	}
	if (has_size)
		snprintf(problem, LOOKUP_PROBLEM,
			 "the offset is not below the size 0x%" PRIx64, s.size);
	else
		snprintf(problem, LOOKUP_PROBLEM,
			 "no function of this name has 0x%" PRIx64
			 " bytes; one has 0x%" PRIx64, s.size, last);
	return result;
}

/* The most functions that answer for one NAME+OFFSET/SIZE. */
#define MOST_SIZED GSYM_LIMIT(64u, 2)

/* Answer TEXT, of LENGTH bytes, if it is NAME+OFFSET/SIZE: for each function of
 * the name and the size, with the input in front, as faddr2line does. */
static enum sized_result answer_sized(struct lookup *l, const char *text,
				      size_t length,
				      char problem[LOOKUP_PROBLEM])
{
	enum sized_result result, first = SIZED_NOT;
	uint64_t address;
	uint32_t from = 0;
	unsigned answers = 0;
	while ((result = find_sized(l, text, length, &from, &address,
				      problem)) == SIZED_FOUND) {
		first = result;
		if (answers++ == MOST_SIZED) {
			report_note("note: more than %u functions have the "
				    "name and the size in '%.*s'", MOST_SIZED,
				    (int)length, text);
			break;
		}
		/* A blank line separates answers to arguments. */
		if (l->asked->more && !l->style.json && out_total(&l->out))
			out_text(&l->out, "\n");
		l->style.title = text;
		l->style.title_length = length;
		lookup_address(l, address);
		l->style.title = NULL;
	}
	return first == SIZED_FOUND ? first : result;
}

void lookup_text(struct lookup *l, const char *text, size_t length)
{
	uint64_t address;
	char problem[LOOKUP_PROBLEM];
	enum sized_result sized = answer_sized(l, text, length, problem);
	if (sized == SIZED_FOUND)
		return;
	if (sized == SIZED_NOT &&
	    resolve(l, text, length, &address, problem)) {
		note_base(l, text, length);
		if (l->asked->of_stack)
			lookup_stack_add(l, address);
		else
			lookup_address(l, address);
		return;
	}
	l->counts.refused++;
	frames_refuse(&l->out, &l->style, text, length, problem);
}

static void refuse_long_line(struct lookup *l, const char *text)
{
	l->counts.refused++;
	frames_refuse(&l->out, &l->style, text, LOOKUP_LINE_MAX,
		      "not an address: the line is too long");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Like lookup_text, for a line, which may have blanks around the address.
 * There is no answer to an empty line. */
static void answer_line(struct lookup *l, const char *text, size_t length)
{
	if (length > LOOKUP_LINE_MAX) {
		refuse_long_line(l, text);
		return;
	}
	while (length > 0 && is_blank(text[0])) {
		text++;
		length--;
	}
	while (length > 0 && is_blank(text[length - 1]))
		length--;
	if (length > 0)
		lookup_text(l, text, length);
	else if (l->asked->of_stack)
		lookup_stack_end(l);
}

/* ---- standard input ------------------------------------------------------ */

/* The fewest lines that are worth sorting. */
#define LEAST GSYM_LIMIT(256, 1)

/* The kinds of lines, in the order in which they are looked up. */
enum { ADDRESSES, OTHERS };

/* With --style=go an answer depends on the answer before it, and a stack on the
 * lines after it. */
static bool in_turn(const struct lookup *l)
{
	return l->style.go || l->asked->of_stack;
}

/* See struct lookup_kind. */
static bool read_question(void *context, struct lookup *l,
			  struct lookup_question *q)
{
	(void)context;
	if (in_turn(l))
		return false;
	if (q->length <= LOOKUP_LINE_MAX &&
	    is_address(l, q->text, q->length, &q->address)) {
		note_base(l, q->text, q->length);
		return true;
	}
	q->file = OTHERS;
	return true;
}

static bool enter(void *context, struct lookup *l, uint32_t file)
{
	(void)context;
	return file == ADDRESSES && !l->process && !l->asked->merged &&
	       !l->asked->calls;
}

static void answer(struct lookup *l, struct lookup_question *q,
		   const struct gsym_frame *frames, size_t count)
{
	if (count)
		lookup_show(l, q->address, &(struct lookup_found){
			.frames = frames, .count = count });
	else if (q->file == ADDRESSES && !in_turn(l))
		lookup_address(l, q->address);
	else
		answer_line(l, q->text, q->length);
}

void lookup_input(struct lookup *l)
{
	/* LEAST is no constant in the tests. */
	const struct lookup_kind kind = {
		.longest = LOOKUP_LINE_MAX,
		.least = LEAST,
		.read = read_question,
		.enter = enter,
		.answer = answer,
	};

	report_terminal("addresses");
	lookup_batches(l, &kind, NULL, in_turn(l) ? 1 : l->asked->threads);
}
