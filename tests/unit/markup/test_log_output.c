/* SPDX-License-Identifier: MIT */
/* How answers are written into logs, and which lines have none. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(logs, inlines)
{
	struct gsym_markup_options options = all();
	static const char log[] = "#0 0x1 (p+0x101f)\n";

	expect(log, "#0 0x1 in small /build/k/include/s.h:5\n"
		    "#0 0x1 in one /build/k/fs/one.c:10 (p+0x101f)\n");
	options.logs.inlines = GSYM_MARKUP_LOG_INLINES_NONE;
	expect_with(log, "#0 0x1 in one /build/k/fs/one.c:10 (p+0x101f)\n", "",
		    &options, false);
	options.logs.inlines = GSYM_MARKUP_LOG_INLINES_SHORT;
	expect_with(log,
		    "#0 0x1 in one /build/k/include/s.h:5 < "
		    "/build/k/fs/one.c:10 (p+0x101f)\n",
		    "", &options, false);
	expect_with(" one+0x20/0x20\n",
		    " one+0x20/0x20 (include/s.h:5 < fs/one.c:10)\n", "",
		    &options, false);
	expect_with("p(+0x1020)[0x10001020]\n",
		    "p(+0x1020)[0x10001020] one (/build/k/include/s.h:5 < "
		    "/build/k/fs/one.c:10)\n",
		    "", &options, false);
}

Test(logs, sanitizer_lines)
{
	expect("#0 <null> <null> (p+0x1008)\r\n",
	       "#0 one /build/k/fs/one.c:10 (p+0x1008)\r\n");
	expect("#0 0x1 in one (p+0x1008)", "#0 0x1 in one "
					   "/build/k/fs/one.c:10 (p+0x1008)");
	expect("#0 0x1  (p+0x5008)\n", "#0 0x1 in bare (p+0x5008)\n");
	expect("#0 0x1  (p+0x5108)\n",
	       "#0 0x1 in file_only /d/f.c (p+0x5108)\n");
	/* LLVM's crash dumps have return addresses, and no "in". */
	expect("#0 0x0000000000001020 (p+0x1020)\n",
	       "#0 0x0000000000001020 small /build/k/include/s.h:5\n"
	       "#0 0x0000000000001020 one /build/k/fs/one.c:10 (p+0x1020)\n");
}

/* Expect that LOG becomes WANTED with COUNT lines of source code of one.c, and
 * that WANTED stays. */
static void expect_source(const char *log, const char *wanted, size_t count)
{
	struct gsym_markup_options options = all();
	const char *from[] = { log, wanted };

	options.logs.source_lines = count;
	for (size_t i = 0; i < 2; i++) {
		struct run r = { .source_of = "one.c" };

		filter(&r, from[i], strlen(from[i]), 100000, &options, NULL);
		cr_expect_str_eq(r.text, wanted, "%zu:\n%s\nnot\n%s", i,
				 r.text, wanted);
		free(r.text);
	}
}

Test(logs, source_code)
{
	static const char frame[] = "[ 1.1]  one+0x8/0x20 (fs/one.c:10)\n";
	static const char *const code[] = {
		"[ 1.1]         9 | int     x;\n",
		"[ 1.1]      > 10 |         f(\" one+0x8/0x20\");\n",
		"[ 1.1]        11 | \n",
	};
	char wanted[400];

	expect_source("[ 1.1]  one+0x8/0x20\n", frame, 0);
	snprintf(wanted, sizeof(wanted), "%s%s", frame, code[1]);
	expect_source("[ 1.1]  one+0x8/0x20\n", wanted, 1);
	snprintf(wanted, sizeof(wanted), "%s%s%s%s", frame, code[0], code[1],
		 code[2]);
	expect_source("[ 1.1]  one+0x8/0x20\n", wanted, 3);
	/* Lines before the first one that the host has end the text; a line
	 * without end gets one. */
	expect_source("[ 1.1]  one+0x8/0x20\n", frame, 5);
	expect_source("[ 1.1]  one+0x8/0x20", wanted, 3);
	/* Another file; several functions; JSON. */
	expect_source(" twice+0x8/0x10\n", " twice+0x8/0x10 (a/a.c:20)\n", 3);
	expect_source("{\"a\":\" one+0x8/0x20\"}\n",
		      "{\"a\":\" one+0x8/0x20 (fs/one.c:10)\"}\n", 3);
	/* No source code: too few blanks, no number, no bar. */
	expect_source("   > 10 | one+0x8/0x20\n     10 | one+0x8/0x20\n"
		      "    > 1a | one+0x8/0x20\n    > 10 one+0x8/0x20\n",
		      "   > 10 | one+0x8/0x20 (fs/one.c:10)\n"
		      "     10 | one+0x8/0x20 (fs/one.c:10)\n"
		      "    > 1a | one+0x8/0x20 (fs/one.c:10)\n"
		      "    > 10 one+0x8/0x20 (fs/one.c:10)\n",
		      0);
}

/* The lines that are added to one line of the log have a bound, however many
 * frames it has. */
Test(logs, source_code_of_many_frames)
{
	const char frame[] = " one+0x1f/0x20";
	struct gsym_markup_options options = all();
	struct run r = { .source_of = "long" };
	char log[64 * (sizeof(frame) - 1) + 2] = "";

	options.logs.source_lines = GSYM_MARKUP_MAX_SOURCE;
	for (int i = 0; i < 64; i++)
		strcat(log, frame);
	strcat(log, "\n");
	filter(&r, log, strlen(log), 100000, &options, NULL);
	cr_expect_gt(r.size, 64 << 10);
	cr_expect_lt(r.size, 90 << 10, "%zu bytes", r.size);
	free(r.text);
}

Test(logs, json)
{
	expect("{\"log\":\" #0 0x1  (p+0x101f)\\n\",\"s\":1}\n",
	       "{\"log\":\" #0 0x1 in one /build/k/include/s.h:5 < "
	       "/build/k/fs/one.c:10 (p+0x101f)\\n\",\"s\":1}\n");
	expect("{\"log\":\" one+0x8/0x20\"}\n",
	       "{\"log\":\" one+0x8/0x20 (fs/one.c:10)\"}\n");
	/* Several frames in a string; names with bytes that JSON escapes. */
	expect("{\"stack\":\"#0 0x1 (p+0x1008)\\n#1 0x1 (p+0x7008)\"}\n",
	       "{\"stack\":\"#0 0x1 in one /build/k/fs/one.c:10 (p+0x1008)\\n"
	       "#1 0x1 in odd\\\\x1b\\\"\\\\ /d/o.c:70 (p+0x7008)\"}\n");
	/* JSON is UTF-8, names need not be. */
	expect("{\"log\":\"#0 0x1 (p+0x7108)\\n\"}\n",
	       "{\"log\":\"#0 0x1 in bytes\\ufffd\\ufffd "
	       "/\\ufffd/\\ufffd\\\\x82.c:71 (p+0x7108)\\n\"}\n");
}

/* Lines that someone has numbered look as lines of source code do. */
Test(logs, numbered_lines)
{
	expect("       9 |  one+0x8/0x20\n      10 |  one+0x8/0x20\n",
	       "       9 |  one+0x8/0x20 (fs/one.c:10)\n"
	       "      10 |  one+0x8/0x20 (fs/one.c:10)\n");
}

/* Outside of a report "Native frames:" does not make the next frame exact. */
Test(logs, facts_outside_their_reports)
{
	expect("Native frames:\nC  [p+0x1020]\n",
	       "Native frames:\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "C  [p+0x1020] one (/build/k/fs/one.c:10)\n");
	expect("Native frames:\nC  [p+0xa010]\nC  [p+0xa020]\n",
	       "Native frames:\n"
	       "C  [p+0xa010] head (/build/k/h/h.c:100?) or weak "
	       "(/build/k/h/h.c:101?)\n"
	       "C  [p+0xa020] weak (/build/k/h/h.c:101)\n");
}

/* The name of a thread may be that of a function. */
Test(logs, words_around_a_frame)
{
	expect("[one] p(+0x1008)[0x10001008]\n",
	       "[one] p(+0x1008)[0x10001008] one (/build/k/fs/one.c:10)\n");
	expect("{\"a\":\"p(+0x1008)[0x10001008]\",\"thread\":\"one\"}\n",
	       "{\"a\":\"p(+0x1008)[0x10001008] one (/build/k/fs/one.c:10)\","
	       "\"thread\":\"one\"}\n");
}

Test(logs, prefixes)
{
	static const char *const prefixes[] = { "/x", "/build/", "/d" };
	struct gsym_markup_options options = all();

	options.logs.strip_prefixes = prefixes;
	options.logs.strip_prefix_count = 3;
	expect_with("p(+0x1008)[0x10001008]\np(+0x5108)[0x10005108]\n",
		    "p(+0x1008)[0x10001008] one (k/fs/one.c:10)\n"
		    "p(+0x5108)[0x10005108] file_only (f.c)\n",
		    "", &options, false);
	options.logs.strip_prefix_count = 0;
	options.logs.strip_kernel = false;
	expect_with(" one+0x8/0x20\n", " one+0x8/0x20 (/build/k/fs/one.c:10)\n",
		    "", &options, false);
}

Test(logs, colour)
{
	struct gsym_markup_options options = all();

	options.colour = true;
	expect_with("\033[1mp\033[0m #0 0x1 (p+0x1008)\n",
		    "\033[1mp\033[0m #0 0x1 in \033[0;34mone\033[0m "
		    "/build/k/fs/one.c:10 (p+0x1008)\n",
		    "", &options, false);
}

Test(logs, html)
{
	struct gsym_markup_options options = all();
	struct run r = { 0 };
	static const char log[] = "<b> #0 0x1 (p+0x101f)\n";

	options.html = true;
	options.source_url = "u/%f#%l";
	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect(strstr(r.text, "&lt;b&gt; #0 0x1"), "%s", r.text);
	cr_expect(strstr(r.text, "class=\"sym frame sanitizer\""));
	cr_expect(strstr(r.text, "<a href=\"u//build/k/fs/one.c#10\">"));
	cr_expect(strstr(r.text, "  inlined into one /build/k/fs/one.c:10"));
	cr_expect(strstr(r.text, "<i>looked up:</i> 0x101f"));
	cr_expect(strstr(r.text, "<i>module:</i> p"));
	free(r.text);
}

/* An answer of another build has its mark on pages, too, whether it has a place
 * or not. */
Test(logs, html_any_build)
{
	static const char log[] = "#0 0x1 (p+0x5001)\n#1 0x2 (p+0x1002)\n";
	struct gsym_markup_options options = all();
	struct run r = { .other = "another build" };

	options.html = options.logs.any_build = true;
	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect(strstr(r.text, "<b>bare</b>? "), "%s", r.text);
	cr_expect(strstr(r.text, "<b>10</b>? "), "%s", r.text);
	free(r.text);
}

Test(logs, script)
{
	struct gsym_markup_options options = all();

	options.logs.script = true;
	expect_with("[ 1.1]  ? one+0x20/0x20 [m]\n",
		    "[ 1.1]  ? one (include/s.h:5 fs/one.c:10) m\n", "",
		    &options, false);
	expect_with("  #0 0x1  (p+0x101f) (BuildId: 0123abcd)\n"
		    "  #1 0x2  (unknown+0x1)\n  #2 0x3 in x (p+0x1008)\n"
		    "  #0 0x3  (p+0x1008)\n",
		    "  #0 0x1 in small /build/k/include/s.h:5\n"
		    "  #1 0x1 in one /build/k/fs/one.c:10\n"
		    "  #2 0x2  (unknown+0x1)\n"
		    "  #3 0x3 in one /build/k/fs/one.c:10\n"
		    "  #0 0x3 in one /build/k/fs/one.c:10\n",
		    NULL, &options, false);
	/* Frames of other formats, with a bare number or none. */
	expect_with("  0 0x1 (p+0x101f)\n 17 0x2 (p+0x1008)\n",
		    "  0 0x1 in small /build/k/include/s.h:5\n"
		    "  1 0x1 in one /build/k/fs/one.c:10\n"
		    " 18 0x2 in one /build/k/fs/one.c:10\n",
		    "", &options, false);
	expect_with("  0x1 <null> <null>:0:0 (p+0x1008)\n",
		    "  0x1 in one /build/k/fs/one.c:10\n", "", &options, false);
	/* A line of several lines stays one line, and a frame without an
	 * answer does not get the one of a line before. */
	expect_with("{\"a\":\"#0 0x1 (p+0x1008)\\n#1 0x2 (p+0x2008)\"}\n"
		    "{\"a\":\"#0 0x1 (p+0x1008)\\n#1 0x2 (p+0xffff)\"}\n",
		    "{\"a\":\"#0 0x1 in one /build/k/fs/one.c:10 (p+0x1008)\\n"
		    "#1 0x2 in twice /build/k/a/a.c:20 (p+0x2008)\"}\n"
		    "{\"a\":\"#0 0x1 in one /build/k/fs/one.c:10 (p+0x1008)\\n"
		    "#1 0x2 (p+0xffff)\"}\n",
		    NULL, &options, false);
	expect_with("x #00 pc 00001008  /l.so (one+8)\n",
		    "#00 0x00001008 /l.so (one+8)\n"
		    "                      one\n"
		    "                      /build/k/fs/one.c:10\n",
		    "", &options, false);
}

Test(logs, lines_that_stay)
{
	struct gsym_markup_options options = all();
	struct run r = { 0 };
	static const char both[] = "{{{symbol:x}}} one+0x8/0x20\n";

	/* A line with an element is markup. */
	filter(&r, both, sizeof(both) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.text, "x one+0x8/0x20\n");
	free(r.text);
	expect(" one+0x8/0x20 (a.c:7)\n", " one+0x8/0x20 (a.c:7)\n");
	expect("unknown[0x10]\n", "unknown[0x10]\n");
	expect("#0 0x1 (p+0xffff)\n", "#0 0x1 (p+0xffff)\n");
}

/* Frames before the one for which a line waits are counted and told once. */
Test(logs, counts_of_lines_that_wait)
{
	struct gsym_markup_options options = all();
	static const char *const lines[] = {
		" one+0x8/0x20#012BUG: same+0x8/0x10#012x\n",
		"{\"a\":\" one+0x8/0x20\",\"b\":\"parentProc\"}\n",
	};
	struct gsym_markup_log_count c[22];

	for (size_t i = 0; i < 2; i++) {
		struct run r = { .by_release = true };

		filter(&r, lines[i], strlen(lines[i]), 1000, &options, c);
		cr_expect_eq(c[0].frames, 2 - i, "%zu: %d", i,
			     (int)c[0].frames);
		cr_expect_eq(r.told, 2 - i, "%zu: %u", i, r.told);
		free(r.text);
	}
}

Test(logs, counts)
{
	static const char log[] =
		" one+0x8/0x20\n one+0x8/0x21\n none+0x8/0x20\n"
		"#0 0x1 (unknown+0x1)\n#0 0x1 (unknown+0x2)\n"
		"#0 0x1 in f /a.c:7 (p+0x1008)\n";
	struct gsym_markup_log_count c[22];
	struct gsym_markup_options options = all();
	struct run r = { 0 };

	filter(&r, log, sizeof(log) - 1, 1000, &options, c);
	cr_expect(c[0].frames == 3 && c[0].answered == 1 &&
		  c[0].mismatch == 1 && c[0].no_function == 1);
	cr_expect(c[2].frames == 3 && c[2].no_module == 2 &&
		  c[2].answered == 1);
	cr_expect_eq(r.asked, 2);
	cr_expect_eq(gsym_markup_log_counts(NULL, c, 7), 0);
	free(r.text);
}

/* Each form has a word, in the order of the bits; there is none beyond. */
Test(logs, words_of_forms)
{
	unsigned forms = GSYM_MARKUP_LOG_ALL | GSYM_MARKUP_LOG_MAPS;

	cr_expect_str_eq(gsym_markup_log_name(0), "kernel");
	cr_expect_str_eq(gsym_markup_log_name(2), "sanitizer");
	cr_expect_str_eq(gsym_markup_log_name(13), "fault");
	for (size_t i = 0; i < 40; i++)
		cr_expect_eq(gsym_markup_log_name(i) != NULL,
			     i < 32 && forms >> i & 1, "%zu", i);
	cr_expect_null(gsym_markup_log_name(SIZE_MAX));
}

Test(logs, options_are_checked)
{
	struct gsym_markup_options options = { .logs.forms = 1u << 22 };
	struct gsym_markup *f;

	cr_expect_eq(gsym_markup_new(NULL, &options, &f, NULL),
		     GSYM_ERR_ARGUMENT);
}
