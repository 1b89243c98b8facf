/* SPDX-License-Identifier: MIT */
/*
 * log_host.h - filter logs without markup, and compare the output.
 *
 * Symbols come from a host that knows some functions by name and by address,
 * in any module whose name does not begin with "unknown".
 */
#ifndef TESTS_MARKUP_LOG_HOST_H
#define TESTS_MARKUP_LOG_HOST_H

#include <gsym/markup.h>
#include <stdbool.h>
#include <stddef.h>

/* What the host is told, and output and messages of a run. */
struct run {
	/* The file that the source code is of. */
	const char *source_of;
	char *text;
	size_t size;
	char messages[8192];
	/* The host's answers are not certain; how they are of another build. */
	bool guessed;
	const char *other;
	/* Calls of log_module, log_functions, code and frame. */
	unsigned asked, searched, looked, told;
	/* The first two pages of files lie at 0x1000 and at 0x3000. */
	bool segments;
	/* The code is at hand, in which a call ends at each multiple of 8 but
	 * 0x6000. */
	bool calls;
	/* The lowest addresses of modules, and of their code, are not known. */
	bool unplaced;
	/* The kernel is known if its release is. */
	bool by_release;
	char release[80], id[80], name[80];
};

/* The host, with R as its context. */
struct gsym_markup_host host_of(struct run *r);
/* Filter SIZE bytes of LOG in pieces of STEP bytes.  R->text becomes the
 * output, for the caller to free.  COUNTS, unless it is NULL, gets the counts
 * of each kind of logs. */
void filter(struct run *r, const char *log, size_t size, size_t step,
	    const struct gsym_markup_options *options,
	    struct gsym_markup_log_count *counts);
/* The options for all kinds of logs. */
struct gsym_markup_options all(void);
/* Expect that LOG becomes WANTED whatever the size of its pieces, with MESSAGES
 * unless NULL. */
void expect_once(const char *log, const char *wanted, const char *messages,
		 const struct gsym_markup_options *options, bool guessed);
/* Expect also that WANTED stays as it is. */
void expect_with(const char *log, const char *wanted, const char *messages,
		 const struct gsym_markup_options *options, bool guessed);
/* The same with the options of all(), and without messages. */
void expect(const char *log, const char *wanted);

#endif
