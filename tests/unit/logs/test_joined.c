/* SPDX-License-Identifier: MIT */
/* Frames in one line, which a tracker of bugs has made of several lines: each
 * is read as it is alone. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/logs/expect.h"

static const char *const joints[] = { " ", "  ", " | ", ", ", " -> ", "\t" };

/* Two frames of each form. */
static const char *const rows[][2] = {
	{ "/src/p(+0x1559) [0x561b9df0b559]",
	  "/src/a b/p(main+0x16e) [0x561b9df0b2fe]" },
	{ "[/src/p(+0x1559) [0x561b9df0b559]]",
	  "[/src/p(main+0x16e) [0x561b9df0b2fe]]" },
	{ "/src/p() [0x561b9df0a000+0x1559]",
	  "/src/p(main+0x16e) [0x561b9df0a000+0x12fe]" },
	{ "#1: geo::each(int, int) [0x4014ed]", "#2: [0x401343]" },
	{ "0x0000561b9df0b2fe p!main(+0x16d)",
	  "0x0000561b9df0b559 p!UnknownFunction(0x1558)" },
	{ "at p!<BaseAddress>+0x1559", "at p!<BaseAddress>+0x12fe" },
	{ "3  libfoo.so + 0x1234", "4  p + 0x12fe" },
	{ "3: main (/src/p+0x1234)", "4: f(int) (/src/p+0x1300)" },
	{ "#01: ???[/src/p +0x1234567]", "#02: main[/src/p +0x1234]" },
	{ "C  [p+0x1110]  f+0x0", "V  [libjvm.so+0x8282d2]" },
	{ "> /src/p(__write+0x10) [0xf8350]", "> /src/p() [0x6067]" },
	/* Text behind these belongs to the frame. */
	{ "0x201559 <main+0x16> at /src/p", "0x201600 <f+0x1> at /src/a b/p" },
	{ "at 0x109213: ??? (in /src/p)", "by 0x109559: main (in /src/p)" },
	{ "#01 pc 0000000000001558  /data/x/p (f+8)",
	  "#02 pc 0000000000001570  /data/x/p" },
	{ "#3 0x561b9df0b559 <unknown>", "#4 0x561b9df0b570 <unknown>" },
};
enum { ROWS = sizeof(rows) / sizeof(*rows), WITH_TEXT = 4 };

/* Expect that the line AT has the frame F behind BEFORE bytes as it has been
 * read of TEXT alone. */
static void expect_same(const struct logs_frame *f, const char *at,
			size_t before, const char *text)
{
	const unsigned asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL | MAPS).all;
	const char *end = text + strlen(text);
	struct logs_frame alone;
	char module[64];

	cr_assert(gsym_logs_frame(asked, text, text, end, &alone), "%s", text);
	snprintf(module, sizeof(module), "%.*s", (int)alone.module.size,
		 alone.module.at);
	expect_text(f->module, module, "module", at);
	cr_expect_eq(f->dialect, alone.dialect, "%s", at);
	cr_expect_eq(f->number, alone.number, "%s: %zx", at, (size_t)f->number);
	cr_expect_eq(f->address, alone.address, "%s", at);
	cr_expect_eq(f->start - at, (ptrdiff_t)before + (alone.start - text),
		     "%s: starts at %zd", at, f->start - at);
	cr_expect_eq(f->insert - at, (ptrdiff_t)before + (alone.insert - text),
		     "%s: ends at %zd", at, f->insert - at);
	cr_expect_not(f->answered, "%s", at);
}

static void expect_both(const char *head, const char *joint,
			const char *const row[2])
{
	const unsigned asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL | MAPS).all;
	char line[512];
	size_t before = strlen(head), second, third;
	struct logs_frame f = { 0 };
	const char *end;

	snprintf(line, sizeof(line), "%s%s%s%s%s%s", head, row[0], joint,
		 row[1], joint, row[0]);
	end = line + strlen(line);
	second = before + strlen(row[0]) + strlen(joint);
	third = second + strlen(row[1]) + strlen(joint);
	cr_assert(gsym_logs_frame(asked, line, line, end, &f), "%s", line);
	expect_same(&f, line, before, row[0]);
	if (!gsym_logs_frame(asked, line, f.resume, end, &f)) {
		cr_expect(false, "the second frame of %s", line);
		return;
	}
	expect_same(&f, line, second, row[1]);
	if (!gsym_logs_frame(asked, line, f.resume, end, &f)) {
		cr_expect(false, "the third frame of %s", line);
		return;
	}
	expect_same(&f, line, third, row[0]);
	cr_expect_not(gsym_logs_frame(asked, line, f.resume, end, &f), "%s",
		      line);
}

Test(joined, each_form)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < sizeof(joints) / sizeof(*joints); k++) {
			expect_both("", joints[k], rows[i]);
			expect_both("Jan 1 host x: ", joints[k], rows[i]);
		}
}

/* The tracker has put text behind the last frame. */
Test(joined, text_behind_the_last)
{
	const unsigned asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL | MAPS).all;

	for (size_t i = 0; i < ROWS - WITH_TEXT; i++) {
		char line[512];
		const size_t second = strlen(rows[i][0]) + 1;
		struct logs_frame f = { 0 };
		const char *end;

		snprintf(line, sizeof(line), "%s %s Aborted (core dumped)",
			 rows[i][0], rows[i][1]);
		end = line + strlen(line);
		if (!gsym_logs_frame(asked, line, line, end, &f)) {
			cr_expect(false, "the first frame of %s", line);
			continue;
		}
		expect_same(&f, line, 0, rows[i][0]);
		if (!gsym_logs_frame(asked, line, f.resume, end, &f)) {
			cr_expect(false, "the second frame of %s", line);
			continue;
		}
		expect_same(&f, line, second, rows[i][1]);
	}
}

/* A place takes the number of no frame beside it. */
Test(joined, other_frames_between)
{
	static const char line[] =
		"at 0x109213: f (a.c:3) by 0x109559: main (in /src/p)";
	struct logs_frame f;

	cr_assert(gsym_logs_frame(gsym_logs_ask(GSYM_MARKUP_LOG_VALGRIND).all,
				  line, line, line + strlen(line), &f));
	cr_expect_eq(f.number, 0x1559);
	cr_expect_eq(f.start - line, 23, "%zd", f.start - line);
}

/* Frames with the answers of an earlier run stay as they are, and so do those
 * that this run left out. */
Test(joined, answered)
{
	static const char *const lines[] = {
		"/src/p(+0x1) [0x55590] f(int) (/a.c:7) /q(+0x2) [0x55600] "
		"done",
		"/src/p(+0x1) [0x55590] f() (/a.c:7); /q(+0x2) [0x55600] done",
		"/src/p(+0x1) [0x55590] f() (/a.c:7) x: /q(+0x2) [0x55600] "
		"done",
		"/src/p(+0x1) [0x55590] f() (/a.c:7) /q(+0x2) [0x55600]', 'y'",
		"x: 2. f @ 0x1520 in /src/p -> x: 3. g @ 0x1530 in /q (/a.c:7)",
	};
	const unsigned asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL).all;
	struct logs_frame f;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		cr_expect_not(gsym_logs_frame(asked, lines[i], lines[i],
					      lines[i] + strlen(lines[i]), &f),
			      "%s: %.*s", lines[i], (int)(f.insert - f.start),
			      f.start);
}

/* Names of functions without lines are answers, too. */
Test(joined, named)
{
	static const char *const names[] = {
		"f",
		"f(int, int)",
		"<T as U>::f",
		"Vec<u8, A>::push",
		"vec::Vec<u8, A>::push",
		"-[A b: c]",
		"_start",
	};
	const unsigned asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL).all;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		static const char first[] = "/src/p(+0x1) [0x55590] ";
		struct logs_frame f;
		char line[256];
		const char *end = line + snprintf(line, sizeof(line),
						  "%s/q(+0x2) [0x55600] %s",
						  first, names[i]);

		cr_assert(gsym_logs_frame(asked, line, line, end, &f));
		cr_expect_eq(f.start, line);
		cr_expect_not(gsym_logs_frame(asked, line, f.resume, end, &f),
			      "%s", line);
	}
}
