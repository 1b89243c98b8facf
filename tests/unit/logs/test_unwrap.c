/* SPDX-License-Identifier: MIT */
/* Views of wrapped lines, and the way back to the bytes of the line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logs/unwrap.h"

static struct logs_run runs[LOGS_RUNS];

static struct logs_unwrapping begin(const char *line, char *arena)
{
	struct logs_unwrapping u = {
		.asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL).all,
		.arena = arena,
		.runs = runs,
	};

	gsym_logs_unwrap(&u, line, line + strlen(line));
	return u;
}

/* Expect that LINE has the texts WANTED, each with a ";" behind it. */
static void expect_views(const char *line, const char *wanted)
{
	char *arena = malloc(strlen(line) + 1), got[512] = "";
	struct logs_unwrapping u = begin(line, arena);
	struct logs_view v;

	while (gsym_logs_next_view(&u, &v)) {
		strncat(got, v.at, (size_t)(v.end - v.at));
		strcat(got, ";");
	}
	cr_expect_str_eq(got, wanted, "%s: %s, not %s", line, got, wanted);
	free(arena);
}

#define ESC "\033"

Test(unwrap, json)
{
	expect_views("a b", "a b;");
	expect_views("a \"b\" c", "a \"b\" c;");
	expect_views("{\"k\":\"a\\nb\\\"c\\r\\n\"}", "k;a;b\"c;");
	expect_views("x F {\"k\":\"\\ta\"} ", "x F;k;\ta;");
	expect_views("  \"a\",", "a;");
	expect_views("[\"a\",\"b", "[\"a\",\"b;");
	expect_views("{\"k\":\"a\"", "k;a;");
	expect_views("{\"k\\", "{\"k\\;");
	expect_views("{\"k\":\"a\\u000ab\\u003cc\\/\\ud83d\\ude00\\ud83d\"}",
		     "k;a;b<c/\xf0\x9f\x98\x80\xef\xbf\xbd;");
	expect_views("{\"a\":\"{\\\"b\\\":\\\"x\\\\ny\\\\\\\"z\\\"}\\nw\"}",
		     "a;b;x;y\"z;w;");
	expect_views("{\"a\":\"b\"} x y", "a;b;x y;");
}

Test(unwrap, others)
{
	expect_views("a\r\r", "a;");
	expect_views("a, ", "a;");
	expect_views(">> a", "a;");
	expect_views("> /a", "> /a;");
	expect_views(ESC "[1;31ma" ESC "[0m b" ESC "[K", "a b;");
	expect_views(ESC "[1", ESC "[1;");
	expect_views("{\"k\":\"\\u001b[1ma\\u001b[0m\"}", "k;a;");
	expect_views("a=b c=\"d\\ne\\\"f\" g=\"\" h",
		     "a=b c=\";d;e\"f; g=\"; h;");
	expect_views("a=\"b", "a=\"b;");
	expect_views("a#012b#011c#012", "a;b\tc;");
	expect_views("a#011b", "a#011b;");
	expect_views("a `b` c", "a;b; c;");
	expect_views("a `b c", "a `b c;");
	expect_views("a &lt;b&gt;&amp;&quot;&#39; &x", "a <b>&\"' &x;");
	expect_views("| a | b||c |", " a; b||c;");
	expect_views("C:\\new\\x", "C:\\new\\x;");
	expect_views("a\\nb\\n/x(+0x1) [0x2]\\n", "a\\nb;/x(+0x1) [0x2];");
	expect_views("/x(+0x1) [0x2]\\r\\n\\tb\\nc", "/x(+0x1) [0x2];b\\nc;");
	expect_views("\xef\xbb\xbf" "a", "a;");
	expect_views("a.\t", "a;");
	expect_views("a;", "a;");
}

Test(unwrap, semicolons)
{
	expect_views("a;b", "a;b;");
	expect_views("x;/x(+0x1) [0x2];y;z", "x;/x(+0x1) [0x2];y;z;");
	expect_views("/x(+0x1) [0x2]; /y(+0x1) [0x2];",
		     "/x(+0x1) [0x2];/y(+0x1) [0x2];");
	expect_views("#0 0x5590aaaaaaaa &lt;unknown&gt;",
		     "#0 0x5590aaaaaaaa <unknown>;");
	expect_views("#00 pc 1234  /x&quot;", "#00 pc 1234  /x\";");
}

Test(unwrap, html)
{
	expect_views("<p>a</p>", "a;");
	expect_views("x<br>a<br/> b<br />", "x;a; b;");
	expect_views("<pre class=\"x\"><code>a &lt;b&gt;</code></pre>",
		     "a <b>;");
	expect_views("f<p>()", "f<p>();");
	expect_views("<prefix>a", "<prefix>a;");
	expect_views("a <b", "a <b;");
}

Test(unwrap, quotes)
{
	expect_views("x 'a' b", "x 'a' b;");
	expect_views("can't '/x(+0x1) [0x2]' b", "can't;/x(+0x1) [0x2]; b;");
	expect_views("['/x(+0x1) [0x2]\\n', '/y(+0x1) [0x2]']",
		     "[;/x(+0x1) [0x2];/y(+0x1) [0x2];];");
	expect_views("/x(f::'lambda'()+0x1) [0x2]",
		     "/x(f::'lambda'()+0x1) [0x2];");
	expect_views("1,\"/x(+0x1) [0x2]\",b", "1;/x(+0x1) [0x2];,b;");
	expect_views("a;\"/x(+0x1) [0x2]\";'/y(+0x1) [0x2]'",
		     "a;/x(+0x1) [0x2];/y(+0x1) [0x2];");
	/* A bar behind the number of a line, and behind the name of a
	 * container. */
	expect_views("x  12 | f(\"/x(+0x1) [0x2]\")",
		     "x  12 | f(\"/x(+0x1) [0x2]\");");
	expect_views("web-1 | f('/x(+0x1) [0x2]')",
		     "web-1 | f(;/x(+0x1) [0x2];);");
	/* A quote that nothing closes hides none of the other kind. */
	expect_views("x ='y \"/x(+0x1) [0x2]\" z", "x ='y;/x(+0x1) [0x2]; z;");
}

Test(unwrap, csv)
{
	expect_views("1,\"a \"\"b\"\" c\",d", "1;a \"b\" c;,d;");
	expect_views("\"a\",\"\"\"b\"\"\"", "a;b;");
	expect_views("1;\"a\"\"\";\"b\"", "1;a\";b;");
	expect_views("\"a\",\"\"", "a;");
	expect_views("\"k\": \"a\"\"b\",", "k;a;b;");
	expect_views("1,\"{\"\"k\"\":\"\"a\\nb\"\"}\"", "1;k;a;b;");
}

/* A piece with more wrappings than LOGS_LAYERS is not read, nor is one with
 * more escapes than LOGS_RUNS allow. */
Test(unwrap, limits)
{
	char line[3 * LOGS_RUNS] = "{\"k\":\"", *end = line + strlen(line);
	char deep[1024] = "x";

	for (int i = 0; i < LOGS_RUNS / 2 - 1; i++)
		end = stpcpy(end, "a\\\"");
	strcpy(end, "\"}");
	cr_assert(strlen(line) < sizeof(line));
	struct logs_view v;
	char *arena = malloc(strlen(line));
	struct logs_unwrapping u = begin(line, arena);

	cr_assert(gsym_logs_next_view(&u, &v));
	cr_assert(gsym_logs_next_view(&u, &v));
	cr_expect_eq(v.end - v.at, LOGS_RUNS - 2);
	strcpy(end, "a\\\"a\\\"a\\\"\"}");
	u = begin(line, arena);
	cr_assert(gsym_logs_next_view(&u, &v));
	cr_expect_not(gsym_logs_next_view(&u, &v));
	free(arena);
	for (int layer = 1; layer <= LOGS_LAYERS + 1; layer++) {
		char outer[1024] = "{\"\":\"", *to = outer + strlen(outer);

		for (const char *at = deep; *at; at++) {
			if (*at == '"' || *at == '\\')
				*to++ = '\\';
			*to++ = *at;
		}
		strcpy(to, "\"}");
		strcpy(deep, outer);
		expect_views(deep, layer <= LOGS_LAYERS ? "x;" : "");
	}
}

/* Expect that the answer to a frame that begins at "1" and ends before "2" in
 * the text of LINE goes where "^" is in WANTED. */
static void expect_place(const char *line, const char *wanted)
{
	char *arena = malloc(strlen(line) + 1), got[512] = "";
	struct logs_unwrapping u = begin(line, arena);
	struct logs_view v;

	while (gsym_logs_next_view(&u, &v)) {
		const char *end = memchr(v.at, '2', (size_t)(v.end - v.at));
		struct logs_frame frame = {
			.start = memchr(v.at, '1', (size_t)(v.end - v.at)),
			.insert = end ? end : v.end,
			.resume = end ? end : v.end,
		};
		struct logs_raw raw;

		if (!frame.start)
			continue;
		gsym_logs_map(&u, &v, &frame, &raw);
		snprintf(got, sizeof(got), "%.*s|%.*s^%s",
			 (int)(raw.start - line), line,
			 (int)(raw.insert - raw.start), raw.start, raw.resume);
	}
	cr_expect_str_eq(got, wanted, "%s: %s", line, got);
	free(arena);
}

Test(unwrap, places)
{
	expect_place("a12", "a|1^2");
	expect_place(ESC "[1ma" ESC "[2m1\r\r", ESC "[1ma" ESC "[2m|1^\r\r");
	expect_place(ESC "[1ma1" ESC "[0m2", ESC "[1ma|1^" ESC "[0m2");
	expect_place("{\"\":\"a1\\\"2\\\"\"}", "{\"\":\"a|1\\\"^2\\\"\"}");
	expect_place("{\"\":\"a1\\u00e42\"}", "{\"\":\"a|1\\u00e4^2\"}");
	expect_place("{\"\":\"a1\\u001b[0m\\\"\"}",
		     "{\"\":\"a|1\\u001b[0m\\\"^\"}");
	expect_place("{\"\":\"a1\\u001b[0m\"}", "{\"\":\"a|1^\\u001b[0m\"}");
	expect_place("{\"\":\"{\\\"\\\":\\\"1\\\\\\\\\\\"}\"}",
		     "{\"\":\"{\\\"\\\":\\\"|1\\\\\\\\^\\\"}\"}");
}
