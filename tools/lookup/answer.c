/* SPDX-License-Identifier: MIT */
/*
 * lookup/answer.c - finds the address that an input means (a number, the name
 * of a function, or NAME+OFFSET), looks the address up, and writes the answer.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "common/must.h"
#include "common/number.h"
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

/* ---- the answer ---------------------------------------------------------- */

void lookup_start(struct lookup *l)
{
	l->frames = must_have(calloc(LOOKUP_FRAMES, sizeof(*l->frames)));
	if (l->demangle)
		l->style.demangler =
			l->style.demangler ?
				demangler_share(l->style.demangler) :
				demangler_new(0);
}

void lookup_end(struct lookup *l)
{
	gsym_demangler_free(l->style.demangler);
	names_fini(&l->names);
	free(l->frames);
}

/* Show the functions that are merged with the function of MATCH, as long as
 * their texts fit into LEFT bytes; see frames_take. */
static void show_merged(struct lookup *l, struct gsym_match *match,
			unsigned indent, uint64_t left)
{
	bool first = true;
	for (uint32_t i = 0; i < match->merged_count; i++) {
		struct gsym_match other;
		enum gsym_status status = gsym_lookup_merged(
			l->reader, match, i, l->flags, l->frames,
			LOOKUP_FRAMES, &other, NULL);
		if (status == GSYM_ERR_CORRUPT)
			l->counts.damaged++;
		if (status != GSYM_OK)
			continue;
		if (!frames_take(&left, l->style.demangler, l->frames,
				 other.frame_count)) {
			l->counts.damaged++;
			break;
		}
		frames_merged(&l->out, &l->style, l->frames, other.frame_count,
			      indent, first);
		first = false;
	}
	if (!first)
		frames_merged_end(&l->out, &l->style);
}

/* Whether the names in SITE fit into an answer. */
static bool callees_fit(const struct gsym_call_site *site)
{
	uint64_t left = FRAMES_BYTES;
	const char *pattern;
	for (uint32_t i = 0; (pattern = gsym_call_site_pattern(site, i)); i++)
		if (!frames_take_text(&left, pattern))
			return false;
	return true;
}

/* Show the callees of the call that returns to the address RETURNS_TO in the
 * function of MATCH. */
static void show_calls(struct lookup *l, const struct gsym_match *match,
		       uint64_t returns_to, unsigned indent)
{
	struct gsym_function function;
	struct gsym_call_site site;
	if (gsym_function_at(l->reader, match->index, &function, NULL) !=
		    GSYM_OK ||
	    gsym_call_site_find(&function, returns_to, &site, NULL) != GSYM_OK)
		return;
	if (callees_fit(&site))
		frames_call(&l->out, &l->style, &site, indent);
	else
		l->counts.damaged++;
}

/* The address that the Go runtime looks up for the return address ADDRESS of a
 * traceback: one less, which lies in the call instruction.  It is ADDRESS
 * itself if a function starts there, or if the function was interrupted, and
 * so made no call. */
static uint64_t go_address(struct lookup *l, uint64_t address)
{
	struct gsym_match match;
	if (l->interrupted)
		return address;
	if (gsym_lookup(l->reader, address, GSYM_LOOKUP_NO_INLINES, l->frames,
			LOOKUP_FRAMES, &match, NULL) == GSYM_OK &&
	    match.start == address)
		return address;
	return address > 0 ? address - 1 : 0;
}

/* Whether FUNCTION belongs to the Go runtime, and interrupts a function as if
 * that had called it. */
static bool interrupts(const char *function)
{
	static const char *const functions[] = {
		"runtime.sigpanic", "runtime.asyncPreempt",
		"runtime.debugCallV1", "runtime.debugCallV2",
	};
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(function, functions[i]) == 0)
			return true;
	return false;
}

/* Find the file of the run-time address GIVEN.  *BIAS becomes the load bias of
 * the file, and the return value tells whether a file is mapped there. */
static bool enter_file(struct lookup *l, uint64_t given, uint64_t *bias,
		       struct gsym_process_module *module)
{
	struct gsym_process_place place;
	/* A call may be the last instruction of its mapping. */
	bool back = (l->return_addresses || l->style.go) && given > 0;
	bool found = lookup_enter(l, given - back, &place, module);

	*bias = found ? module->bias : 0;
	return found;
}

/* Write the frames of an address that no function covers.  ADJUSTED is the
 * address in the file. */
static void answer_missing(struct lookup *l, uint64_t given, uint64_t adjusted,
			   const struct gsym_process_module *module)
{
	l->counts.missed++;
	l->interrupted = false;
	if (module)
		frames_module(&l->out, &l->style, module->path, adjusted);
	else if (l->style.go)
		frames_go(&l->out, &l->style, NULL, 0, given, 0);
	else
		frames_stack(&l->out, &l->style, NULL, 0, 0);
}

void lookup_address(struct lookup *l, uint64_t given)
{
	uint64_t bias = l->adjust;
	struct gsym_process_module module;
	bool mapped = l->process && enter_file(l, given, &bias, &module);
	uint64_t adjusted = given - bias;
	uint64_t address = adjusted;
	if (l->style.go)
		address = go_address(l, adjusted);
	else if (l->return_addresses && address > 0)
		address--;

	struct gsym_match match = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status = GSYM_NOT_FOUND;
	if (l->reader)
		status = gsym_lookup(l->reader, address, l->flags, l->frames,
				     LOOKUP_FRAMES, &match, &error);
	if (status == GSYM_NOT_FOUND &&
	    lookup_kernel_symbol(l, address + bias, l->frames)) {
		match = (struct gsym_match){ .frame_count = 1,
					     .index = UINT32_MAX };
		status = GSYM_OK;
	}
	frames_begin(&l->out, &l->style, given);
	l->counts.found += status != GSYM_NOT_FOUND;
	uint64_t left = FRAMES_BYTES;
	uint32_t count = match.frame_count < LOOKUP_FRAMES ? match.frame_count
							   : LOOKUP_FRAMES;
	if (status == GSYM_OK && !frames_take(&left, l->style.demangler,
					      l->frames, count)) {
		status = error.code = GSYM_ERR_CORRUPT;
		strcpy(error.message, FRAMES_TOO_LONG);
	}
	if (status == GSYM_OK) {
		unsigned indent = l->style.json ? 0 : frames_width(given);
		l->interrupted = l->style.go && count > 0 &&
				 interrupts(l->frames[count - 1].function);
		if (l->style.go)
			frames_go(&l->out, &l->style, l->frames, count,
				  adjusted, match.start);
		else
			frames_stack(&l->out, &l->style, l->frames, count,
				     indent);
		if (l->merged)
			show_merged(l, &match, indent, left);
		if (l->calls)
			show_calls(l, &match, adjusted, indent);
	} else if (status == GSYM_NOT_FOUND) {
		answer_missing(l, given, adjusted, mapped ? &module : NULL);
	} else {
		l->counts.damaged++;
		frames_damage(&l->out, &l->style,
			      report_reason(status, &error));
	}
	frames_end(&l->out, &l->style);
}

void lookup_show(struct lookup *l, uint64_t given,
		 const struct gsym_frame *frames, size_t count)
{
	uint64_t left = FRAMES_BYTES;
	l->counts.found++;
	frames_begin(&l->out, &l->style, given);
	if (frames_take(&left, l->style.demangler, frames, count)) {
		frames_stack(&l->out, &l->style, frames, count,
			     l->style.json ? 0 : frames_width(given));
	} else {
		l->counts.damaged++;
		frames_damage(&l->out, &l->style, FRAMES_TOO_LONG);
	}
	frames_end(&l->out, &l->style);
}

/* The most functions that answer for one NAME+OFFSET/SIZE. */
#define MOST_SIZED GSYM_LIMIT(64u, 2)

/* Answer TEXT, of LENGTH bytes, if it is NAME+OFFSET/SIZE: for each function of
 * the name and the size, with the input in front, as faddr2line does. */
static enum lookup_sized answer_sized(struct lookup *l, const char *text,
				      size_t length,
				      char problem[LOOKUP_PROBLEM])
{
	enum lookup_sized result, first = LOOKUP_SIZED_NOT;
	uint64_t address;
	uint32_t from = 0;
	unsigned answers = 0;
	while ((result = lookup_sized(l, text, length, &from, &address,
				      problem)) == LOOKUP_SIZED_FOUND) {
		first = result;
		if (answers++ == MOST_SIZED) {
			report_note("note: more than %u functions have the "
				    "name and the size in '%.*s'", MOST_SIZED,
				    (int)length, text);
			break;
		}
		/* A blank line separates answers to arguments. */
		if (l->more && !l->style.json && out_total(&l->out))
			out_text(&l->out, "\n");
		l->style.title = text;
		l->style.title_length = length;
		lookup_address(l, address);
		l->style.title = NULL;
	}
	return first == LOOKUP_SIZED_FOUND ? first : result;
}

void lookup_text(struct lookup *l, const char *text, size_t length)
{
	uint64_t address;
	char problem[LOOKUP_PROBLEM];
	enum lookup_sized sized = answer_sized(l, text, length, problem);
	if (sized == LOOKUP_SIZED_FOUND)
		return;
	if (sized == LOOKUP_SIZED_NOT &&
	    resolve(l, text, length, &address, problem)) {
		lookup_note_base(l, text, length);
		if (l->of_stack)
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

void lookup_line(struct lookup *l, const char *text, size_t length)
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
	else if (l->of_stack)
		lookup_stack_end(l);
}
