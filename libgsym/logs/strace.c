/* SPDX-License-Identifier: MIT */
/*
 * Stacks of strace -k, in lines after a system call:
 *
 *	 > /usr/lib/libc.so.6(__write+0x10) [0xf8350]
 *	 > /usr/bin/prog() [0x6067]
 *
 * The number in brackets is an offset in the file where strace was built with
 * libunwind, and the address that the file was linked to where strace was built
 * with libdw.  All addresses are return addresses, also that of the system
 * call; with libdw they are less 1.  glibc's lines look the same, but for the
 * sign before them, and have addresses in memory.
 */
#include "config.h"

#include "logs/scan.h"

/* Offsets in files are smaller than addresses in memory. */
#define MOST_OFFSET UINT64_C(0xffffffff)

/* The path after the first "> " in AT to END, at AT or after a blank; NULL if
 * there is none. */
static const char *find_path(const char *at, const char *end)
{
	const char *from = at;

	while ((from = logs_byte(from, end, '>'))) {
		const char *path = logs_word(from, end, "> ");

		if (logs_begins(at, from++) &&
		    (!path || (path < end && *path != ' ')))
			return path;
	}
	return NULL;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end), *open, *path;

	if (stop == at || stop[-1] != ']' || !find_path(at, stop))
		return false;
	logs_frame_to(end, ret);
	ret->counts_from = LOGS_FILE;
	ret->returns = ret->called = true;
	open = gsym_logs_hex_before(at, stop - 1, &ret->number);
	stop = open ? logs_before(at, open, " [") : NULL;
	if (!stop || ret->number > MOST_OFFSET || !logs_before(at, stop, ")"))
		return false;
	open = gsym_logs_open(at, stop);
	path = open ? find_path(at, open) : NULL;
	if (!path || path == open)
		return false;
	ret->start = path - 2;
	ret->module = logs_between(path, open);
	/* In the parentheses is "f+0x10", or nothing. */
	ret->placed = gsym_logs_function(++open, --stop, &ret->function,
					 &ret->offset);
	return ret->placed || open == stop;
}

const struct logs_dialect gsym_logs_strace = {
	.log = GSYM_MARKUP_LOG_STRACE,
	.name = "strace",
	.words = LOGS_WORD_BRACKET,
	.frame = frame,
	.second = gsym_logs_second_bracket,
	.placed = true,
};
