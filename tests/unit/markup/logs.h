/* SPDX-License-Identifier: MIT */
/*
 * logs.h - run a filter over small logs, and compare output and messages.
 *
 * Symbols come from a host that knows one module, with build ID aa.  It has
 * code with three inline levels from 0x100 to 0x1ff, and a variable from 0x800
 * to 0x8ff.  Every log is fed in pieces of several sizes.  If GSYM_LOGS names a
 * folder, each log is written there, as input for other programs.
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
	/* Dump files, as lines of text. */
	char dumps[8192];
	/* Calls of the host's module and reset. */
	unsigned asked, resets;
	/* The column that the innermost frame has. */
	uint32_t column;
};

/* Filter SIZE bytes of LOG in pieces of STEP bytes, and set C to the output;
 * capture_fini frees it. */
void capture_log(struct capture *c, const char *log, size_t size,
		 size_t step, const struct gsym_markup_options *options);
void capture_fini(struct capture *c);
/* Feed SIZE bytes of LOG in pieces of STEP bytes, and finish. */
void capture_feed(struct gsym_markup *filter, const char *log, size_t size,
		  size_t step);
/* Make C and HOST ready, for tests that make a filter of their own. */
void capture_host(struct capture *c, struct gsym_markup_host *host);

/* Expect that LOG becomes WANTED with OPTIONS, and that the messages are
 * MESSAGES; NULL: any. */
void expect_log(const char *log, size_t size, const char *wanted,
		size_t wanted_size, const char *messages,
		const struct gsym_markup_options *options);
/* As expect_log, for strings, in our own style and in llvm-symbolizer's. */
void expect_ours(const char *log, const char *wanted, const char *messages);
void expect_llvm(const char *log, const char *wanted, const char *messages);

/* Elements for the module with symbols, and the module line for them. */
#define CONTEXT                                                               \
	"{{{module:0:m:elf:aa}}}\n"                                           \
	"{{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n"                             \
	"{{{mmap:0x1800:0x100:load:0:rw:0x800}}}\n"
#define SHOWN                                                                 \
	"[[[ELF module #0x0 \"m\"; BuildID=aa [0x1000-0x14ff](rx),"           \
	"[0x1800-0x18ff](rw)]]]\n"

#endif
