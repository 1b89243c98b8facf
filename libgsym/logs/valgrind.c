/* SPDX-License-Identifier: MIT */
/*
 * Frames of Valgrind's tools in a program without symbols or lines:
 *
 *	==123==    at 0x109213: ??? (in /src/shapes)
 *	==123==    by 0x109559: main (in /src/shapes)
 *	->99.4% (50,000B) 0x109559: ??? (in /src/shapes)	ms_print
 *
 * The number is an address in memory.  After "at" it is that of an instruction;
 * otherwise it is a return address less 1.  Valgrind loads the program itself.
 * On systems with pages of 4 KiB a program that can be moved lies at 0x108000.
 * Its loader lies at 0x4000000, and libraries lie behind that, where the log
 * does not tell.
 */
#include "config.h"

#include "base/path_map.h"
#include "logs/scan.h"

/* Where the program lies, and its loader. */
#define PROGRAM UINT64_C(0x108000)
#define LOADER UINT64_C(0x4000000)

/* The first "0x109213: " in AT to END, with text behind it, which *NAME
 * becomes; NULL if there is none. */
static const char *find_first(const char *at, const char *end,
			      const char **name, uint64_t *ret)
{
	while ((at = logs_find(at, end, " 0x"))) {
		*name = logs_word(logs_hex(++at, end, ret), end, ": ");
		if (*name && *name < end)
			return at;
	}
	return NULL;
}

/* The last one: other frames may stand before. */
static const char *find_last(const char *at, const char *end, const char **name,
			     uint64_t *ret)
{
	const char *found = NULL, *text;
	uint64_t number;

	while ((at = find_first(at, end, &text, &number))) {
		found = at;
		*name = text;
		*ret = number;
	}
	return found;
}

/* Each frame ends with a module, but for those that have a place.  The address
 * of the next frame stands before the next module: no byte is searched
 * twice. */
static const char *second(const char *at, const char *end)
{
	static const char after[] = " (in /";
	const char *module = logs_after(at, end, after), *name;
	uint64_t number;

	while (module) {
		const char *close = logs_byte(module, end, ')');
		const char *next = close ? logs_after(close, end, after) : NULL;

		if (close &&
		    find_first(close, next ? next : end, &name, &number))
			return logs_joint(close + 1, end);
		module = next;
	}
	return NULL;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end), *open, *name = NULL, *by;
	uint64_t number = 0;

	open = stop > at && stop[-1] == ')' ? gsym_logs_last(at, stop, " (in /")
					    : NULL;
	logs_frame_to(end, ret);
	ret->start = open ? find_last(at, open, &name, &number) : NULL;
	if (!ret->start || number < PROGRAM || number >= LOADER)
		return false;
	ret->module = logs_between(open + strlen(" (in "), stop - 1);
	/* If the last parenthesis does not close that of "(in ", an answer
	 * stands behind the module. */
	if (gsym_logs_open(at, stop) != open + 1)
		return false;
	ret->function = logs_between(name, open);
	if (logs_is(ret->function, "???") ||
	    logs_is(ret->function, "(below main)"))
		ret->function.size = 0;
	by = logs_before(at, ret->start, "at ");
	ret->called = !by;
	by = by ? by : logs_before(at, ret->start, "by ");
	if (by && logs_begins(at, by))
		ret->start = by;
	ret->counts_from = LOGS_MAPPED;
	ret->number = number - PROGRAM;
	ret->fixed = true;
	/* On other systems the program lies elsewhere. */
	ret->loose = true;
	ret->address = number + ret->called;
	return !gsym_path_is_library(ret->module.at, ret->module.size);
}

const struct logs_dialect gsym_logs_valgrind = {
	.log = GSYM_MARKUP_LOG_VALGRIND,
	.name = "valgrind",
	.words = LOGS_WORD_IN,
	.frame = frame,
	.second = second,
};
