/* SPDX-License-Identifier: MIT */
/* Logs are hostile: everything that they make grow has a limit, and elements
 * beyond a limit stay text. */
#include "logs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gsym_markup *start(struct capture *c,
				 const struct gsym_markup_options *options)
{
	struct gsym_markup_host host;
	struct gsym_markup *filter;

	capture_host(c, &host);
	cr_assert_eq(gsym_markup_new(&host, options, &filter, NULL), GSYM_OK);
	return filter;
}

static void feed(struct gsym_markup *filter, const char *text)
{
	cr_assert_eq(gsym_markup_feed(filter, text, strlen(text)), GSYM_OK);
}

/* Feed COUNT elements, FORMAT with their numbers, and one more, about which
 * there has to be COMPLAINT. */
static void too_many(unsigned count, const char *before, const char *format,
		     const char *complaint, enum gsym_markup_style style)
{
	struct gsym_markup_options options = { .style = style };
	bool llvm = style == GSYM_MARKUP_STYLE_LLVM;
	struct capture c;
	struct gsym_markup *filter = start(&c, &options);
	char line[128];

	feed(filter, before);
	for (unsigned i = 0; i < count; i++) {
		snprintf(line, sizeof(line), format, i, i);
		feed(filter, line);
		gsym_markup_flush(filter);
		if (i % 1024 == 0)
			c.size = 0;
	}
	cr_expect_str_eq(c.messages, "", "%s: %s", format, c.messages);
	snprintf(line, sizeof(line), format, count, count);
	feed(filter, line);
	gsym_markup_finish(filter);
	cr_expect_not_null(strstr(c.messages, complaint), "%s: %s", format,
			   c.messages);
	cr_expect_eq(c.text && strstr(c.text, line) != NULL, !llvm, "%s",
		     format);
	gsym_markup_free(filter);
	capture_fini(&c);
}

Test(limits, modules)
{
	static const char format[] = "{{{module:%u:m%u:elf:aa}}}\n-\n";

	too_many(65536, "", format, "error: too many modules",
		 GSYM_MARKUP_STYLE_DEFAULT);
	too_many(65536, "", format, "error: too many modules",
		 GSYM_MARKUP_STYLE_LLVM);
}

/* The limits are for the modules and mmaps since the last reset. */
Test(limits, a_reset_makes_room)
{
	struct capture c;
	struct gsym_markup *filter = start(&c, NULL);
	char line[128];

	for (unsigned i = 0; i < 65537; i++) {
		snprintf(line, sizeof(line), "{{{module:%u:m:elf:aa}}}\n%s", i,
			 i == 65535 ? "{{{reset}}}\n" : "");
		feed(filter, line);
	}
	feed(filter, "{{{module:1:m:elf:bb}}}\n{{{module:2:m:elf:cc}}}\n");
	cr_expect_str_eq(c.messages, "");
	gsym_markup_free(filter);
	capture_fini(&c);
}

Test(limits, mappings)
{
	static const char module[] = "{{{module:0:m:elf:aa}}}\n";
	static const char format[] = "{{{mmap:0x%x0:0x8:load:0:r:0x%x}}}\n";

	/* An mmap may cut another one into two, so one place is left free. */
	too_many((1 << 18) - 1, module, format, "error: too many mmaps",
		 GSYM_MARKUP_STYLE_DEFAULT);
	too_many(1 << 18, module, format, "error: too many mmaps",
		 GSYM_MARKUP_STYLE_LLVM);
}

/* Ranges that replace each other at one place are one mapping.  The module line
 * is written when it has 65,536 of them. */
Test(limits, ranges_that_wait)
{
	struct capture c;
	struct gsym_markup *filter = start(&c, NULL);
	char line[128];

	feed(filter, "{{{module:0:m:elf:aa}}}\n");
	for (unsigned i = 0; i < 70000; i++) {
		snprintf(line, sizeof(line),
			 "{{{mmap:0x1000:0x8:load:0:r:0x%x}}}\n", i);
		feed(filter, line);
	}
	gsym_markup_flush(filter);
	cr_expect_gt(c.size, 1 << 20);
	cr_expect_not_null(strstr(c.text, "](r)]]]\n"));
	gsym_markup_finish(filter);
	cr_expect_not_null(strstr(c.text, "; adds [0x1000-0x1007](r)"));
	gsym_markup_free(filter);
	capture_fini(&c);
}

/* A header has at most 1024 bytes, and so has the name of a process. */
Test(limits, names_of_processes)
{
	struct gsym_markup_options options = {
		.headers = GSYM_MARKUP_HEADERS_AUTO };
	char log[4400], wanted[4400];
	char digits[2001];

	memset(digits, '1', sizeof(digits) - 1);
	digits[sizeof(digits) - 1] = 0;
	/* Neither header names a process, so both lines have the same
	 * modules. */
	sprintf(log, "[1][%s] {{{module:0:m:elf:aa}}}\n"
		     "[1][%s2] {{{mmap:0x0:0x10:load:0:r:0}}}.\n",
		digits, digits);
	sprintf(wanted, "[1][[[ELF module #0x0 \"m\"; BuildID=aa]]]\n"
			"[1][%s] \n"
			"[1][[[ELF module #0x0 \"m\"; adds [0x0-0xf](r)]]]\n"
			"[1][%s2] .\n",
		digits, digits);
	expect_log(log, strlen(log), wanted, strlen(wanted), "", &options);
}

/* A line that is passed on in pieces is not cut in the element after an opener
 * without closer. */
Test(limits, elements_of_long_lines)
{
	static const char element[] = "{{{symbol:in two}}}";
	size_t size = (1 << 20) + 200, at = (1 << 20) - 7;
	char *log = malloc(size);
	struct gsym_markup_options options = { 0 };
	struct capture c;

	memset(log, '.', size);
	memcpy(log, "{{{", 3);
	memcpy(log + at, element, sizeof(element) - 1);
	capture_log(&c, log, size, (1 << 20) + 1, &options);
	cr_expect_eq(c.size, size - sizeof(element) + 1 + 6);
	cr_assert_gt(c.size, at + 7);
	cr_expect_eq(memcmp(c.text + at, "in two.", 7), 0, "%.30s",
		     c.text + at);
	capture_fini(&c);
	free(log);
}

Test(limits, names_that_are_shown)
{
	struct gsym_markup_options options = { 0 };
	char *log = malloc(20000), *wanted = malloc(20000);
	char name[5000];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	sprintf(log, "{{{symbol:%s}}}\n{{{module:0:%s:elf:aa}}}\n", name,
		name);
	sprintf(wanted, "%.4096s...\n[[[ELF module #0x0 \"%.4096s...\"; "
			"BuildID=aa]]]\n",
		name, name);
	expect_log(log, strlen(log), wanted, strlen(wanted), "", &options);
	options.raw_names = true;
	expect_log(log, strlen(log), wanted, strlen(wanted), "", &options);
	/* UTF-8 characters are not cut in two. */
	memcpy(name + 4094, "\xf0\x9f\x92\xa9", 4);
	sprintf(log, "{{{symbol:%s}}}\n", name);
	sprintf(wanted, "%.4094s...\n", name);
	expect_log(log, strlen(log), wanted, strlen(wanted), "", &options);
	options = (struct gsym_markup_options){
		.style = GSYM_MARKUP_STYLE_LLVM };
	sprintf(wanted, "%s\n", name);
	expect_log(log, strlen(log), wanted, strlen(wanted), "", &options);
	free(log);
	free(wanted);
}

Test(limits, control_characters_in_names)
{
	struct gsym_markup_options options = { .raw_names = true };
	static const char log[] = "{{{module:0:\033[2J\t:elf:aa}}}\n"
				  "{{{bt:\033]0;x\007:0}}}\n";

	expect_ours(log,
		    "[[[ELF module #0x0 \"\\x1b[2J\\x09\"; BuildID=aa]]]\n"
		    "{{{bt:\033]0;x\007:0}}}\n",
		    "error: expected frame number; found '\\x1b]0;x\\x07' "
		    "@6\n");
	static const char raw[] =
		"[[[ELF module #0x0 \"\033[2J\t\"; BuildID=aa]]]\n"
		"{{{bt:\033]0;x\007:0}}}\n";

	expect_log(log, strlen(log), raw, strlen(raw), NULL, &options);
}

/* C1 control characters, also as single bytes, and marks that change the
 * direction of text; next to them characters that a terminal may get. */
Test(limits, characters_that_control_terminals)
{
	static const struct {
		const char *in, *shown;
	} rows[] = {
		{ "\xc2\x9b", "\\xc2\\x9b" },
		{ "\xc2\x80", "\\xc2\\x80" },
		{ "\xc2\xa0", "\xc2\xa0" },
		{ "\x9b", "\\x9b" },
		{ "\x80", "\\x80" },
		{ "\xa0", "\xa0" },
		{ "\xe4", "\xe4" },
		{ "\xe4\x9b", "\xe4\\x9b" },
		{ "\xc3\x9b", "\xc3\x9b" },
		{ "\xe2\x80", "\xe2\\x80" },
		{ "\xd8\x9c", "\\xd8\\x9c" },
		{ "\xd8\x9b", "\xd8\x9b" },
		{ "\xd9\x9c", "\xd9\x9c" },
		{ "\xe2\x80\x8d", "\xe2\x80\x8d" },
		{ "\xe2\x80\x8e", "\\xe2\\x80\\x8e" },
		{ "\xe2\x80\x8f", "\\xe2\\x80\\x8f" },
		{ "\xe2\x80\x90", "\xe2\x80\x90" },
		{ "\xe2\x80\xa9", "\xe2\x80\xa9" },
		{ "\xe2\x80\xaa", "\\xe2\\x80\\xaa" },
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" },
		{ "\xe2\x80\xaf", "\xe2\x80\xaf" },
		{ "\xe2\x81\xa5", "\xe2\x81\xa5" },
		{ "\xe2\x81\xa6", "\\xe2\\x81\\xa6" },
		{ "\xe2\x81\xa9", "\\xe2\\x81\\xa9" },
		{ "\xe2\x81\xaa", "\xe2\x81\xaa" },
		{ "\xe2\x82\xaa", "\xe2\x82\xaa" },
		{ "\xe1\x80\x8e", "\xe1\x80\x8e" },
	};
	struct gsym_markup_options raw = { .raw_names = true };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *in = rows[i].in, *shown = rows[i].shown;
		char log[256], wanted[256], said[128];

		/* In names, at each position in a word of eight bytes. */
		for (int before = 0; before < 9; before++) {
			snprintf(log, sizeof(log),
				 "{{{symbol:%.*s%sabcdefghi}}}\n", before,
				 "01234567", in);
			snprintf(wanted, sizeof(wanted), "%.*s%sabcdefghi\n",
				 before, "01234567", shown);
			expect_ours(log, wanted, "");
			snprintf(wanted, sizeof(wanted), "%.*s%sabcdefghi\n",
				 before, "01234567", in);
			expect_llvm(log, wanted, "");
			expect_log(log, strlen(log), wanted, strlen(wanted), "",
				   &raw);
		}
		/* In messages; the log itself does not change. */
		snprintf(log, sizeof(log), "%s{{{pc:%s}}}\n", in, in);
		snprintf(said, sizeof(said),
			 "error: expected address; found '%s' @%zu\n", shown,
			 strlen(in) + 6);
		expect_ours(log, log, said);
	}
}

Test(limits, build_ids)
{
	char id[200], log[300], wanted[400];

	for (int i = 0; i < 65; i++)
		sprintf(id + 2 * i, "%02X", i | 0xa0);
	char shown[200];
	for (int i = 0; id[i] || (shown[i] = 0); i++)
		shown[i] = (char)(id[i] >= 'A' ? id[i] | 0x20 : id[i]);
	sprintf(log, "{{{module:0:m:elf:%.128s}}}\n", id);
	sprintf(wanted, "[[[ELF module #0x0 \"m\"; BuildID=%.128s]]]\n",
		shown);
	expect_ours(log, wanted, "");
	expect_llvm(log, wanted, "");
	sprintf(log, "{{{module:0:m:elf:%s}}}\n", id);
	expect_ours(log, wanted,
		    "note: only the first 64 bytes of a build ID count @18\n");
	sprintf(wanted, "[[[ELF module #0x0 \"m\"; BuildID=%s]]]\n", shown);
	expect_llvm(log, wanted, "");
	/* The same ID with one more digit in front: an odd number of digits. */
	sprintf(log, "{{{module:0:m:elf:7%s}}}\n", id);
	sprintf(wanted, "[[[ELF module #0x0 \"m\"; BuildID=07%s]]]\n", shown);
	expect_llvm(log, wanted, "");
}

/* A message that repeats is shown 20 times; the others are counted.  In
 * llvm-symbolizer's style no message is left out. */
Test(limits, messages_that_repeat)
{
	struct gsym_markup_options options = { 0 };

	for (int style = 0; style < 2; style++) {
		options.style = style ? GSYM_MARKUP_STYLE_LLVM
				      : GSYM_MARKUP_STYLE_DEFAULT;
		struct capture c;
		struct gsym_markup *filter = start(&c, &options);
		unsigned count = 0;

		for (int i = 0; i < 50; i++)
			feed(filter, "{{{pc:0x1}}}\n");
		gsym_markup_finish(filter);
		for (const char *at = c.messages; (at = strstr(at, "error:"));
		     at++)
			count++;
		cr_expect_eq(count, style ? 50 : 20);
		cr_expect_eq(strstr(c.messages, "note: 30 more times: no mmap "
						"covers address\n") != NULL,
			     !style);
		gsym_markup_free(filter);
		capture_fini(&c);
	}
}

/* There is one message for each module until a reset. */
Test(limits, missing_symbols_are_spoken_of_once)
{
	static const char log[] =
		"{{{module:2:libc.so:elf:ab}}}\n"
		"{{{mmap:0x1000:0x10:load:2:rx:0}}}\n"
		"{{{pc:0x1001}}} {{{bt:0:0x1002}}} {{{data:0x1003}}}\n";
	static const char said[] =
		"error: no symbols for module #0x2 \"libc.so\"; BuildID=ab\n";
	struct capture c;
	struct gsym_markup *filter = start(&c, NULL);

	feed(filter, log);
	cr_expect_str_eq(c.messages, said);
	feed(filter, "{{{reset}}}\n");
	feed(filter, log);
	cr_expect_eq(strlen(c.messages), 2 * strlen(said));
	gsym_markup_free(filter);
	capture_fini(&c);
}

/* Text in front of elements that repeats is a header if it has at most 1024
 * bytes. */
Test(limits, long_starts_of_lines)
{
	char start[1100], log[4000], wanted[4000];

	memset(start, 'x', sizeof(start));
	strcpy(start + 1022, ": ");
	sprintf(log, "%s{{{module:0:m:elf:aa}}}\n%s{{{mmap:0x10:0x1:load:0:r:"
		     "0}}}\n-\n",
		start, start);
	expect_ours(log, "[[[ELF module #0x0 \"m\"; BuildID=aa [0x10-0x10](r)"
			 "]]]\n-\n",
		    "");
	strcpy(start + 1023, ": ");
	sprintf(log, "%s{{{module:0:m:elf:aa}}}\n%s{{{mmap:0x10:0x1:load:0:r:"
		     "0}}}\n-\n",
		start, start);
	sprintf(wanted, "[[[ELF module #0x0 \"m\"; BuildID=aa]]]\n%s\n"
			"[[[ELF module #0x0 \"m\"; adds [0x10-0x10](r)]]]\n"
			"%s\n-\n",
		start, start);
	expect_ours(log, wanted, "");
}
