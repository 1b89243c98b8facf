/* SPDX-License-Identifier: MIT */
/*
 * logs.h - small logs, and what has to come of them.
 *
 * Symbols come from a host that knows one module, with build ID aa: three
 * levels of inlining from 0x100 to 0x1ff, variables from 0x800 to 0x8ff.
 * Every log is fed in pieces of several sizes.  If GSYM_LOGS names a folder,
 * each log is left there as a file, for those who want to see what else can
 * be made of it.
 */
#ifndef TESTS_MARKUP_LOGS_H
#define TESTS_MARKUP_LOGS_H

#include <gsym/markup.h>
#include <stddef.h>

/* Output and messages of one run. */
struct capture {
	char *text;
	size_t size;
	char messages[32768];
	/* JSON-like lines of dump files. */
	char dumps[8192];
	/* How often a module was asked for, and all were forgotten. */
	unsigned asked, resets;
	/* Of the innermost frame. */
	uint32_t column;
};

/* Filter SIZE bytes of LOG in pieces of STEP bytes; capture_fini frees. */
void capture_log(struct capture *c, const char *log, size_t size,
		 size_t step, const struct gsym_markup_options *options);
void capture_fini(struct capture *c);
/* Feed LOG in such pieces, and finish. */
void capture_feed(struct gsym_markup *filter, const char *log, size_t size,
		  size_t step);
/* The host that both need, for tests that feed by themselves. */
void capture_host(struct capture *c, struct gsym_markup_host *host);

/* What LOG has to become in a style, and what is said; MESSAGES may be
 * NULL. */
void expect_log(const char *log, size_t size, const char *wanted,
		size_t wanted_size, const char *messages,
		const struct gsym_markup_options *options);
/* The same for strings, in our own style and in llvm-symbolizer's. */
void expect_ours(const char *log, const char *wanted, const char *messages);
void expect_llvm(const char *log, const char *wanted, const char *messages);

/* A module and its segments, and the lines that they become. */
#define CONTEXT                                                               \
	"{{{module:0:m:elf:aa}}}\n"                                           \
	"{{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n"                             \
	"{{{mmap:0x1800:0x100:load:0:rw:0x800}}}\n"
#define SHOWN                                                                 \
	"[[[ELF module #0x0 \"m\"; BuildID=aa [0x1000-0x14ff](rx),"           \
	"[0x1800-0x18ff](rw)]]]\n"

#endif
