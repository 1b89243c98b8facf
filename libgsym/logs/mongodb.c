/* SPDX-License-Identifier: MIT */
/*
 * Stacks of MongoDB, in JSON of one line:
 *
 *	{"backtrace":[{"b":"561B9DF0A000","o":"12FE","s":"main",
 *	"s+":"16E"},...],"processInfo":{...,"somap":[{"b":"561B9DF0A000",
 *	"path":"/usr/bin/mongod","elfType":3,"buildId":"C36A..."},...]}}
 *
 * "b" is the first page of a module, and "o" the bytes after it.  From 4.4 on
 * all that is a part of a line of the log, and each frame stands in a line of
 * its own as well, behind this one.  "s" is the dynamic symbol before the
 * address, and "s+" the bytes after that symbol.  The addresses are return
 * addresses, but for the frame behind a signal.
 */
#include "config.h"

#include "logs/scan.h"

/* A module lies at its first page, shifted to the left, so that the modules
 * lie far from each other: their sizes are not known. */
enum { PAGE_BITS = 12, SHIFTED = 17 };
#define SPAN (UINT64_C(1) << (PAGE_BITS + SHIFTED))

/* The hexadecimal number of KEY in the object AT to END; false if there is
 * none. */
static bool number_of(const char *at, const char *end, const char *key,
		      uint64_t *ret)
{
	const struct logs_text digits = json_string_of(at, end, key);
	const char *stop = digits.at + digits.size;

	return digits.size && logs_digits(digits.at, stop, ret) == stop;
}

/* The place of the module with the first page BASE; false if there is none. */
static bool place_of(const char *open, const char *close, uint64_t *ret)
{
	if (!number_of(open, close, "\"b\"", ret) || *ret >> 47 ||
	    *ret & ((1 << PAGE_BITS) - 1))
		return false;
	*ret <<= SHIFTED;
	return true;
}

static bool next(struct logs_text report, const char *at, const char *end,
		 struct logs_frame *ret)
{
	static const char key[] = "\"o\":\"";

	for (; (at = logs_find(at, end, key)); at += sizeof(key) - 1) {
		const char *open, *close;
		uint64_t place, offset;

		if (!gsym_logs_object_at(report, at, &open, &close) ||
		    !place_of(open, close, &place) ||
		    !number_of(open, close, "\"o\"", &offset) ||
		    offset >= SPAN)
			continue;
		*ret = (struct logs_frame){
			.start = open,
			.insert = close,
			.resume = close,
			.counts_from = LOGS_MEMORY,
			.number = place + offset,
			.function = json_string_of(open, close, "\"s\""),
			.returns = true,
			.answered = logs_find(open, close, "\"symbol\""),
		};
		ret->placed = ret->function.size &&
			      number_of(open, close, "\"s+\"", &ret->offset);
		return true;
	}
	return false;
}

/* The program itself may have no path. */
static bool module(struct logs_text report, const char **at, uint64_t index,
		   struct logs_fact *ret)
{
	static const char key[] = "\"buildId\"";
	const char *stop = report.at + report.size;

	(void)index;
	if (!*at)
		*at = logs_find(report.at, stop, "\"somap\"");
	while ((*at = logs_find(*at, stop, key))) {
		const char *open, *close;

		*ret = (struct logs_fact){ .kind = LOGS_IMAGE };
		if (!gsym_logs_object_at(report, (*at)++, &open, &close) ||
		    !place_of(open, close, &ret->start))
			continue;
		ret->last = ret->start + SPAN - 1;
		ret->build_id = json_string_of(open, close, key);
		ret->name = json_string_of(open, close, "\"path\"");
		if (!ret->name.size)
			ret->name = ret->build_id;
		return true;
	}
	return false;
}

/* The line of a stack, or of one frame behind it. */
static bool is_whole(const char *at, const char *end)
{
	return logs_trim(at, end)[-1] == '}' &&
	       (logs_find(at, end, "\"backtrace\":[{") ||
		logs_find(at, end, "\"frame\":{"));
}

static const struct logs_report report = {
	.is_whole = is_whole,
	.module = module,
	.next = next,
	.names = true,
	.watch = 64,
};

const struct logs_dialect gsym_logs_mongodb = {
	.log = GSYM_MARKUP_LOG_MONGODB,
	.name = "mongodb",
	.words = LOGS_WORD_BACKTRACE,
	.report = &report,
	.placed = true,
};
