/* SPDX-License-Identifier: MIT */
/* Logs that are made to take much time or memory. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *repeat(const char *text, size_t times, const char *end)
{
	size_t size = strlen(text);
	char *log = malloc(size * times + strlen(end) + 1);

	cr_assert_not_null(log);
	for (size_t i = 0; i < times; i++)
		memcpy(log + i * size, text, size);
	strcpy(log + size * times, end);
	return log;
}

/* The log of TIMES TEXT and END stays as it is. */
static void expect_same(const char *text, size_t times, const char *end)
{
	struct gsym_markup_options options = all();
	char *log = repeat(text, times, end);
	struct run r = { 0 };

	filter(&r, log, strlen(log), 1 << 16, &options, NULL);
	cr_expect(r.size == strlen(log) && memcmp(r.text, log, r.size) == 0,
		  "%.20s...", text);
	free(r.text);
	free(log);
}

/* Lines of TIMES TEXT and 64 frames, 20 MB in all, stay as they are.  If each
 * frame looked at the text again, that would take minutes. */
static void many_frames(const char *text, size_t times)
{
	char *before = repeat(text, times, "");
	char *line = malloc(strlen(before) + 64 * 24 + 2), *at = line;

	cr_assert_not_null(line);
	at += sprintf(at, "%s", before);
	for (int i = 0; i < 64; i++)
		at += sprintf(at, " x+0x1/0x2 [unknown]");
	sprintf(at, "\n");
	expect_same(line, (20u << 20) / strlen(line), "");
	free(line);
	free(before);
}

Test(logs, hostile_lines)
{
	expect_same("+0x", 1000000, "\n");
	expect_same(" x+0x1/0x2", 100000, "\n");
	expect_same("(", 500000, "+0x1)\n");
	expect_same("#1 ", 300000, "(+0x1)\n");
	expect_same("#1 pc ", 150000, "\n");
	expect_same("\"[0x1] ", 140000, "}\n");
	expect_same("#0 0x1 (unknown+0x1)\n", 20000, "");
	/* Many bytes before many frames, which are searched once: for words
	 * that tell about an address, for headers, for lines of source code. */
	many_frames("a b ", 128);
	many_frames("RIP ", 128);
	many_frames("[", 4000);
	many_frames("1 | ", 50000);
	/* Longer lines are not read. */
	expect_same("x", 1 << 20, " one+0x8/0x20\n");
}

Test(logs, tokens_of_a_line_have_a_bound)
{
	struct gsym_markup_options options = all();
	char *log = repeat(" one+0x8/0x20", 5000, "\n");
	struct run r = { 0 };
	size_t answers = 0;

	filter(&r, log, strlen(log), 1 << 16, &options, NULL);
	for (const char *at = r.text; (at = strstr(at, "fs/one.c:10")); at++)
		answers++;
	cr_expect_eq(answers, 4096);
	free(r.text);
	free(log);
}

Test(logs, many_modules)
{
	struct gsym_markup_options options = all();
	struct run r = { 0 };
	char line[64], *log = malloc(10000 * sizeof(line)), *at = log;

	for (int i = 0; i < 10000; i++)
		at += sprintf(at, "#0 0x1 (m%d+0x1008)\n", i);
	filter(&r, log, (size_t)(at - log), 1 << 16, &options, NULL);
	cr_expect(strstr(r.text, "/one.c:10 (m9999+0x1008)"));
	free(r.text);
	free(log);
}

/* How often functions were looked up by name. */
static unsigned named;

static size_t no_functions(void *context, void *symbols, const char *name,
			   size_t size, struct gsym_markup_log_function *to,
			   size_t capacity)
{
	(void)context;
	(void)symbols;
	(void)name;
	(void)size;
	(void)to;
	(void)capacity;
	named++;
	return 0;
}

/* Modules of the kernel have symbols of any build, the kernel has none. */
static bool modules_alone(void *context, const struct gsym_markup_log_module *m,
			  struct gsym_markup_log_symbols *ret)
{
	ret->symbols = context;
	return m->name_size > 0;
}

/* A line of many messages that names the release: whether it is held back is
 * found out once, not for each frame. */
Test(logs, frames_that_prove_nothing)
{
	enum { FRAMES = 2000 };
	struct gsym_markup_options options = {
		.logs.forms = GSYM_MARKUP_LOG_ALL,
	};
	struct run r = { 0 };
	struct gsym_markup_host host = host_of(&r);
	struct gsym_markup *f;
	char *frames = repeat("#012 x+0x1/0x2 [aaa]", FRAMES, "\n");
	const char *start = "CPU: 0 PID: 1 Comm: x Not tainted 6.9.9 #1";

	host.logs.module = modules_alone;
	host.logs.functions = no_functions;
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_feed(f, start, strlen(start));
	gsym_markup_feed(f, frames, strlen(frames));
	gsym_markup_finish(f);
	gsym_markup_free(f);
	cr_expect_leq(named, 8 * FRAMES, "%u", named);
	free(r.text);
	free(frames);
}

/* How many modules dumpfile elements handed over. */
static size_t dumped;

static void count_dump(void *context, const struct gsym_markup_dump *dump)
{
	(void)context;
	dumped += dump->module_count + dump->segment_count;
}

/* Many dumpfile elements after many modules. */
Test(logs, many_dumpfile_elements)
{
	enum { MODULES = 8192, DUMPS = 4096 };
	struct gsym_markup_options options = { 0 };
	struct run r = { 0 };
	struct gsym_markup_host host = host_of(&r);
	struct gsym_markup *f;
	char *dumps = repeat("{{{dumpfile:t:n}}}", DUMPS, "\n"), line[48];

	host.dump = count_dump;
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	for (int i = 0; i < MODULES; i++) {
		sprintf(line, "{{{module:%d:m:elf:%04x}}}\n", i, i);
		gsym_markup_feed(f, line, strlen(line));
	}
	gsym_markup_feed(f, dumps, strlen(dumps));
	gsym_markup_finish(f);
	gsym_markup_free(f);
	cr_expect_leq(dumped, (1 << 20) + 16 * (MODULES + 1), "%zu", dumped);
	cr_expect_geq(dumped, 1 << 20);
	cr_expect(strstr(r.messages, "this one has no dump file"));
	free(r.text);
	free(dumps);
}

/* Names of modules are kept: one that is longer than a path is none. */
Test(logs, names_of_modules)
{
	struct gsym_markup_options options = all();
	char *name = repeat("x", 4096 - 3, ""), *log = malloc(5000);

	for (int more = 0; more < 2; more++) {
		struct run r = { 0 };

		sprintf(log, "#00 pc 0000101f  /%s%s (f+1)\n", name,
			more ? "xxx" : "xx");
		filter(&r, log, strlen(log), 1 << 16, &options, NULL);
		cr_expect_eq(strstr(r.text, "one.c:10") != NULL, !more, "%d",
			     more);
		free(r.text);
	}
	free(log);
	free(name);
}

/* With the scripts' forms of answers, too, the text before a frame is not
 * repeated for each inlined call if there is much of it. */
Test(logs, text_before_frames_of_scripts)
{
	struct gsym_markup_options options = all();
	const char *const starts[] = { "#0 0x1008 (prog+0x101f)\n",
				       "#00 pc 0000101f  /" };

	options.logs.script = true;
	for (size_t i = 0; i < 2; i++) {
		char *text = repeat("x ", 100000, i ? "" : starts[0]);
		char *path = repeat("x", 200000, " (f+1)\n");
		struct run r = { 0 };

		if (i) {
			free(text);
			text = malloc(strlen(path) + 64);
			cr_assert_not_null(text);
			sprintf(text, "%s%s", starts[1], path);
		}
		filter(&r, text, strlen(text), 1 << 16, &options, NULL);
		/* No path is so long as the second one. */
		cr_expect_eq(strstr(r.text, "one.c:10") != NULL, i == 0);
		cr_expect_leq(r.size, strlen(text) + 32768, "%zu", r.size);
		free(r.text);
		free(path);
		free(text);
	}
}
