/* SPDX-License-Identifier: MIT */
/* The recognisers of frames: which lines they take, and what they read. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/logs/expect.h"

/* A line, in which | marks where the frame begins and ^ where the answer goes,
 * and what has to be read in it.  log is 0: the line is no frame. */
struct row {
	const char *line;
	unsigned log;
	const char *module, *function, *build_id;
	uint64_t number;
	enum logs_number meaning;
	bool returns, answered, doubtful;
	/* The opposite of RETURNS, for tests that set that. */
	bool exact;
};

static void expect_row_of(const struct row *r, unsigned logs)
{
	char line[512];
	size_t size = 0;
	const char *start = NULL, *insert = NULL;
	struct logs_frame f;

	for (const char *at = r->line; *at; at++) {
		if (*at == '|')
			start = line + size;
		else if (*at == '^')
			insert = line + size;
		else
			line[size++] = *at;
	}
	bool found = gsym_logs_frame(gsym_logs_ask(logs).all, line, line,
				     line + size, &f);

	line[size] = 0;
	cr_expect_eq(found, r->log != 0, "'%s'", line);
	if (!found || !r->log)
		return;
	cr_expect_eq((unsigned)f.dialect->log, r->log, "'%s': form %s", line,
		     f.dialect->name);
	cr_expect(!start || f.start == start, "'%s' starts at %td", line,
		  f.start - line);
	cr_expect(!insert || f.insert == insert, "'%s': answer at %td", line,
		  f.insert - line);
	expect_text(f.module, r->module, "module", line);
	expect_text(f.function, r->function, "function", line);
	expect_text(f.build_id, r->build_id, "build ID", line);
	cr_expect_eq(f.number, r->number, "'%s': 0x%lx", line,
		     (unsigned long)f.number);
	cr_expect_eq(f.counts_from, r->meaning, "'%s': meaning %d", line,
		     f.counts_from);
	cr_expect_eq(f.returns, r->returns, "'%s': returns", line);
	cr_expect_eq(f.answered, r->answered, "'%s': answered", line);
	cr_expect_eq(f.doubtful, r->doubtful, "'%s': doubtful", line);
}

static void expect_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_row_of(&rows[i], GSYM_MARKUP_LOG_ALL);
}

#define EXPECT(rows) expect_rows(rows, sizeof(rows) / sizeof(*(rows)))

/* Each dialect has a row, a name and a bit of its own. */
Test(dialects, rows)
{
	unsigned bits = 0;

	for (size_t i = 0; i < LOGS_FORMS; i++) {
		const struct logs_dialect *d = gsym_logs_dialects[i];

		cr_expect(d->name, "%zu", i);
		cr_expect(d->frame || d->frames || d->report, "%zu", i);
		cr_expect_not(bits & d->log, "%s", d->name);
		bits |= d->log;
	}
	cr_expect_eq(bits, (1u << LOGS_FORMS) - 1);
	cr_expect_eq(bits, GSYM_MARKUP_LOG_ALL | GSYM_MARKUP_LOG_MAPS);
}

Test(frames, android)
{
	static const struct row rows[] = {
		{ "    |#00 pc 000012a4  /a/libc.so^", ANDROID, "/a/libc.so",
		  .number = 0x12a4 },
		{ "|#1 pc 000012a4 lib.so (f+16)^", ANDROID, "lib.so", "f",
		  .number = 0x12a4 },
		{ "x  |#00  pc 0x00000000000012a4  /a b/l.so (f(int)+1)^",
		  ANDROID, "/a b/l.so", "f(int)", .number = 0x12a4 },
		{ "#3 |#00 pc 000012a4  /b.apk!l.so (offset 0x2a4000) (f+1) "
		  "(BuildId: " ID ")^",
		  ANDROID, "l.so", "f", ID, .number = 0x12a4 },
		{ "|#00 pc 000012a4  /b.apk (offset 0x1000) (BuildId: " ID ")^",
		  ANDROID, "/b.apk", NULL, ID, .number = 0x12a4 },
		{ "|#00 pc 000012a4  /l.so (f(std::a<b>)+1) ^", ANDROID,
		  "/l.so", "f(std::a<b>)", .number = 0x12a4 },
		/* Consoles shorten numbers and paths. */
		{ "|#04 pc 0x12a4 l.so (BuildId: " ID ")^", ANDROID, "l.so",
		  NULL, ID, .number = 0x12a4 },
		{ "|#04 pc 0x12a4 l.so (f(int) + 116) (BuildId: " ID ")^",
		  ANDROID, "l.so", "f(int)", ID, .number = 0x12a4 },
		{ "|#04 pc 0x12a4 b.apk + 4096 (BuildId: " ID ")^", ANDROID,
		  "b.apk", NULL, ID, .number = 0x12a4 },
		{ "|#04 pc 000012a4 /l.so (f+1) [arm64-v8a::4a1c]^", ANDROID,
		  "/l.so", "f", .number = 0x12a4 },
		/* Texts that are no functions. */
		{ "  native: |#00 pc 000012a4  /l.so (?\?\?)^", ANDROID,
		  "/l.so", .number = 0x12a4 },
		{ "|#00 pc 000012a4  /l.so (deleted)^", ANDROID, "/l.so",
		  .number = 0x12a4 },
		/* The build ID alone tells which library of a package it is. */
		{ .line = "#00 pc 000012a4  /b.apk (offset 0x1000)" },
		{ .line = "#00 pc 000012a4  <anonymous:8c200000>" },
		{ .line = "#00 pc 000012a4  [anon:x]" },
		{ .line = "#00 pc 000012a4  /memfd:jit (deleted)" },
		{ .line = "#00 pc 000012a4  /a.odex (f+1)" },
		{ .line = "#00 pc 000012a4  /a.jar!classes.dex (f+1)" },
		{ .line = "#00 pc 12a4  /l.so" },
		{ .line = "#00 pc 000012a4  /l.so sum (/src/a.c:22)" },
		{ .line = "#00 pc 000012a4  /l.so (f+1) (/src/a.c:22)" },
		{ .line = "x#00 pc 000012a4  /l.so" },
		{ .line = "pc 000012a4  /l.so" },
		{ .line = "#00 pc 000012a4" },
		{ .line = "#00 pc 000012a4  " },
	};

	EXPECT(rows);
}

Test(frames, sanitizer)
{
	static const struct row rows[] = {
		{ "    |#0 0x7f81^  (/a/l.so+0x2581) (BuildId: " ID ")",
		  SANITIZER, "/a/l.so", NULL, ID, .number = 0x2581 },
		{ "    |#0 0x7f81 in f(int) ^(/a/l.so+0x2581)", SANITIZER,
		  "/a/l.so", "f(int)", .number = 0x2581 },
		{ "|#12 0x1^ (a b+c:arm64+0x2)  ", SANITIZER, "a b+c",
		  .number = 2 },
		{ "|#0 ^<null> <null> (p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5 },
		{ "issue #3 |#0 0x1^ (p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5 },
		/* Formats of the option stack_trace_format. */
		{ "|#0 0x7f81 in ^<null> <null>:0:0 (p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5 },
		{ "|#0 ^<null> <null>:0:0 (p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5 },
		{ "|#0 0x7f81 in f(int) ^<null>:0:0 (p+0x27f5)", SANITIZER, "p",
		  "f(int)", .number = 0x27f5 },
		{ "|#1 0x7f81 in ^ (p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5 },
		{ "|#1 0x7f81 in ^(p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5 },
		{ "x |0 in ^<null> <null>:0:0 (p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5, .doubtful = true },
		{ "x |^<null> <null>:0:0 (p+0x27f5)", SANITIZER, "p",
		  .number = 0x27f5, .doubtful = true },
		{ "x |0 0x7f81^ (p+0x27f5)", SANITIZER, "p", .number = 0x27f5,
		  .doubtful = true },
		{ .line = "x 0x7f81 (p+0x27f5)" },
		{ .line = "x0 0x7f81 (p+0x27f5)" },
		{ .line = "0 0x7f81 in f /a.c:7 (p+0x27f5)" },
		{ .line = "<null> <null> (p+0x27f5)" },
		{ .line = "<null> <null>:7:0 (p+0x27f5)" },
		/* Crash dumps of LLVM. */
		{ " |#0 0x00007f12986b73c6 a::f(int) ^(/l.so+0xe3c6)",
		  SANITIZER, "/l.so", "a::f(int)", .number = 0xe3c6,
		  .returns = true },
		{ "|#10 0x00007f12986b73c6^ (/l.so+0xe3c6)", SANITIZER, "/l.so",
		  .number = 0xe3c6, .returns = true },
		{ "|#1 0x00007f12986b73c6 in f ^(/l.so+0xe3c6)", SANITIZER,
		  "/l.so", "f", .number = 0xe3c6 },
		/* Those that have an answer. */
		{ "|#0 0x1 in f(int) /a.c:7 ^(p+0x2)", SANITIZER, "p",
		  "f(int) /a.c:7", .number = 2, .answered = true },
		{ "|#0 0x1 in f /a.c ^(p+0x2)", SANITIZER, "p", "f /a.c",
		  .number = 2, .answered = true },
		{ "|#0 0x1 in A::operator/(A) ^(p+0x2)", SANITIZER, "p",
		  "A::operator/(A)", .number = 2 },
		{ "|#0 0x1 in f(int) [clone .cold] ^(p+0x2)", SANITIZER, "p",
		  "f(int) [clone .cold]", .number = 2 },
		{ .line = "#0 0x1 in f /a.c:1:2" },
		{ .line = "#0 0x1 ([stack]+0x10)" },
		{ .line = "#0 0x1 (<unknown module>)" },
		{ .line = "#0 0x1 (+0x10)" },
		{ .line = "#0 0x1 (p+0x10) x" },
		{ .line = "#0 0x1 (p+0x11111111111111111)" },
		{ .line = "SUMMARY: AddressSanitizer: SEGV (/l.so+0x2565)" },
	};

	EXPECT(rows);
}

/* The last line of a report, after the number of a step of a build. */
Test(frames, summaries_stay)
{
	static const struct row rows[] = {
		{ .line = "#15 12.3 SUMMARY: AddressSanitizer: X (/a/p+0x1)" },
		{ .line = "12: SUMMARY: AddressSanitizer: SEGV (/a/p+0x1)" },
	};

	EXPECT(rows);
}

Test(frames, systemd)
{
	static const struct row rows[] = {
		{ " |#0  0x00007f0455c29dd0 pause (libc.so.6 + 0xd3dd0)^",
		  SYSTEMD, "libc.so.6", "pause", .number = 0xd3dd0,
		  .meaning = LOGS_MAPPED },
		{ " |#10 0x00007f0455c29dd0 n/a (/a b/p + 0xd0)^", SYSTEMD,
		  "/a b/p", .number = 0xd0, .meaning = LOGS_MAPPED,
		  .returns = true },
		{ "#15 12.3 |#0  0x00007f0455c29dd0 n/a (p + 0xd0)^", SYSTEMD,
		  "p", .number = 0xd0, .meaning = LOGS_MAPPED },
		{ "    |[" ID "]@0x55+0x11b1^", SYSTEMD, NULL, NULL, ID,
		  .number = 0x11b1 },
		{ .line = "#1  0x00007f0455c29dd0 n/a (n/a + 0x0)" },
		{ .line = "#1  0x7f04 n/a (p + 0x1)" },
		{ .line = "#1  0x00007f0455c29dd0 n/a (p + 1)" },
		{ .line = "[abc]@0x55+0x1" },
		{ .line = "[" ID "]@0x55" },
	};

	EXPECT(rows);
}

Test(frames, jvm)
{
	static const struct row rows[] = {
		{ "|C  [l.so+0x1110]  f+0x0^", JVM, "l.so", "f",
		  .number = 0x1110, .meaning = LOGS_MAPPED, .returns = true },
		{ "|# C  [l.so+0x1110]  f+0x0^", JVM, "l.so", "f",
		  .number = 0x1110, .meaning = LOGS_MAPPED },
		{ "x |V  [l.so+0x1110]^", JVM, "l.so", .number = 0x1110,
		  .meaning = LOGS_MAPPED, .returns = true },
		/* Trackers of bugs leave one blank of several. */
		{ "|# C [l.so+0x1110] f+0x0^", JVM, "l.so", "f",
		  .number = 0x1110, .meaning = LOGS_MAPPED },
		{ .line = "C  [l.so+0x1110]  f+0x0 (/a.c:7)" },
		{ .line = "C  [l.so+0x1110] f (/a.c:7)" },
		{ .line = "J  [l.so+0x1110]" },
		{ .line = "xC  [l.so+0x1110]" },
		{ .line = "C  [l.so]" },
	};

	EXPECT(rows);
}

Test(frames, generic)
{
	static const struct row rows[] = {
		{ "|#01: ???[/l.so +0x12]^", GENERIC, "/l.so", .number = 0x12,
		  .meaning = LOGS_MAPPED, .returns = true },
		{ "x |#01: f(int)[/l.so +0x12]^", GENERIC, "/l.so", "f(int)",
		  .number = 0x12, .meaning = LOGS_MAPPED, .returns = true },
		{ "|frame #3: f() + 0x56 (0x7f12 in /l.so)^", PYTORCH, "/l.so",
		  "f()", .number = 0x56, .meaning = LOGS_FUNCTION,
		  .returns = true },
		{ "|frame #3: <unknown function> + 0x56 (0x7f12 in /l.so)^",
		  PYTORCH, "/l.so", .number = 0x56, .returns = true },
		{ "|#01: ??? (/l.so + 0x12)^", GENERIC, "/l.so", .number = 0x12,
		  .meaning = LOGS_MAPPED, .returns = true },
		{ " |3  l.so + 0x1234^", GENERIC, "l.so", .number = 0x1234,
		  .meaning = LOGS_MAPPED, .returns = true },
		{ " |0  l.so + 0x1234^", GENERIC, "l.so", .number = 0x1234,
		  .meaning = LOGS_MAPPED },
		{ "|10  A b + 0x1234^", GENERIC, "A b", .number = 0x1234,
		  .meaning = LOGS_MAPPED, .returns = true },
		{ "x  |3  l.so + 0x1234^", GENERIC, "l.so", .number = 0x1234,
		  .meaning = LOGS_MAPPED, .returns = true, .doubtful = true },
		{ .line = "x3  a + 0x1234" },
		{ .line = "#01: ??? ( + 0x12)" },
		{ "|3: f (/a/p+0x1234)^", GENERIC, "/a/p", .number = 0x1234,
		  .returns = true, .doubtful = true },
		{ "x |#3 [p+0x1234]^", GENERIC, "p", .number = 0x1234,
		  .returns = true, .doubtful = true },
		{ "|#1: f+0x8 (p+0x1206)^", GENERIC, "p", "f", .number = 0x1206,
		  .returns = true, .doubtful = true },
		/* A time of day is no number of a frame. */
		{ "10:00:00 worker |3: patched at [l.so+0x11b0]^", GENERIC,
		  "l.so", .number = 0x11b0, .returns = true, .doubtful = true },
		{ .line = "10:00:00 patched at [l.so+0x11b0]" },
		{ .line = "10:00 patched at [l.so+0x11b0]" },
		{ " |3  l.so!f + 0x1234^", GENERIC, "l.so", "f",
		  .number = 0x1234, .meaning = LOGS_FUNCTION, .returns = true },
		{ .line = " 3  l.so! + 0x1234" },
		{ .line = " 3  !f + 0x1234" },
		{ .line = "#1: ???[l.so+0x12] x" },
		{ .line = "f (/a/p+0x1234)" },
		{ .line = "frame #3: f() (0x7f12 in /l.so)" },
	};

	EXPECT(rows);
}

Test(frames, glibc)
{
	static const struct row rows[] = {
		{ "|/a/p(+0x15)[0x5515]^", GLIBC, "/a/p", .number = 0x15,
		  .returns = true },
		{ "x |/a/p(_Z1fi+0x15) [0x5515]^", GLIBC, "/a/p", "_Z1fi",
		  .number = 0x15, .meaning = LOGS_FUNCTION, .returns = true },
		{ "|p(f(int)+0x15) [0x5515]^", GLIBC, "p", "f(int)",
		  .number = 0x15, .meaning = LOGS_FUNCTION, .returns = true },
		{ "|p(f-0x1) [0x5515]^", GLIBC, "p", "f", .number = UINT64_MAX,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "|/a/p() [0x401560]^", GLIBC, "/a/p", .number = 0x401560,
		  .returns = true },
		{ "|/a/p[0x401560]^", GLIBC, "/a/p", .number = 0x401560,
		  .returns = true },
		{ "|p[0x401560]^", GLIBC, "p", .number = 0x401560,
		  .returns = true, .doubtful = true },
		{ "|a::f() [0x401560]^", GLIBC, "a::f", .number = 0x401560,
		  .returns = true, .doubtful = true },
		{ "a |/usr/bin/redis *:6379(+0x1)[0x2]^", GLIBC,
		  "/usr/bin/redis *:6379", .number = 1, .returns = true },
		/* Names that PostgreSQL wrote over its own. */
		{ "12:00 |postgres: a b [local] SELECT(+0x1)[0x2]^", GLIBC,
		  "postgres", .number = 1, .returns = true },
		{ "|postgres: a b 10.0.0.1(5266) idle(f+0x1)[0x2]^", GLIBC,
		  "postgres", "f", .number = 1, .meaning = LOGS_FUNCTION,
		  .returns = true },
		{ "|postgres: 15/main: checkpointer (+0x1) [0x2]^", GLIBC,
		  "postgres", .number = 1, .returns = true },
		{ "postgres: |/lib/libc.so.6(+0x1)[0x2]^", GLIBC,
		  "/lib/libc.so.6", .number = 1, .returns = true },
		{ "x-postgres: |S(+0x1)[0x2]^", GLIBC, "S", .number = 1,
		  .returns = true },
		{ "1: |./p(+0x1) [0x2]^", GLIBC, "./p", .number = 1,
		  .returns = true },
		{ " |2: (A::tick()+0x25) [0x5515]^", GLIBC, NULL, "A::tick()",
		  .number = 0x25, .meaning = LOGS_FUNCTION, .returns = true,
		  .doubtful = true },
		/* Python 3.14. */
		{ "  |Binary file \"/opt/my py\", at +0x32dc [0x5b27f7d8]^",
		  GLIBC, "/opt/my py", .number = 0x32dc, .returns = true },
		{ "|Binary file \"/p\", at _Py_Dump+0x42 [0x5b27f7d7147e]^",
		  GLIBC, "/p", "_Py_Dump", .number = 0x42,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ .line = "Binary file \"/p\" [0x5b27f7d7147e]" },
		{ .line = "Binary file '<unknown>' [0x5b27f7d7147e]" },
		{ .line = "Binary file \"/p\", at  [0x5b27f7d7147e]" },
		{ .line = "Binary file \"/p\", at a b+0x1 [0x5b27f7d7147e]" },
		{ .line = "Binary file \"\", at f+0x1 [0x5b27f7d7147e]" },
		{ .line = "[0x401560]" },
		{ .line = "a [0x401560]" },
		{ .line = "p(x) [0x401560]" },
		{ .line = "p(+0x15)[0x5515] f (/a.c:7)" },
		{ .line = "p(+0x15)" },
	};

	EXPECT(rows);
}

Test(frames, strace)
{
	static const struct row rows[] = {
		{ " |> /lib/l.so(f+0x10) [0xf8350]^", STRACE, "/lib/l.so", "f",
		  .number = 0xf8350, .meaning = LOGS_FILE, .returns = true },
		{ " |> /bin/a b() [0x6067] ^", STRACE, "/bin/a b",
		  .number = 0x6067, .meaning = LOGS_FILE, .returns = true },
		{ "[pid 7] |> /p(a::f(b<c>)+0x10) [0x6067]^", STRACE, "/p",
		  "a::f(b<c>)", .number = 0x6067, .meaning = LOGS_FILE,
		  .returns = true },
		{ "|> p() [0x6067]^", STRACE, "p", .number = 0x6067,
		  .meaning = LOGS_FILE, .returns = true },
		/* glibc's lines, in the answer to a message. */
		{ "> |/bin/p(f+0x1) [0x7f0000001234]^", GLIBC, "/bin/p", "f",
		  .number = 1, .meaning = LOGS_FUNCTION, .returns = true },
		{ "> |/bin/p(+0x1) [0x1234]^", GLIBC, "/bin/p", .number = 1,
		  .returns = true },
		{ .line = " > unexpected_backtracing_error [0x1234]" },
		{ .line = " > /lib/l.so(f) [0x1234]" },
	};
	struct row other = { .line = " > /bin/p() [0x6067]" };

	EXPECT(rows);
	/* No other form takes the line. */
	expect_row_of(&other, GLIBC);
}

Test(frames, apple)
{
	static const struct row rows[] = {
		{ "|0   libA.dylib  \t 0x1022364bc 0x102230000 + 25788^", APPLE,
		  "libA.dylib", .number = 0x1022364bc,
		  .meaning = LOGS_MEMORY },
		{ "|12  A 2 B   0x1022364bc 0x102230000 + 25788^", APPLE,
		  "A 2 B", .number = 0x1022364bc, .meaning = LOGS_MEMORY,
		  .returns = true },
		{ "web 1 |3   A   0x1022364bc -[A f:] + 84^", APPLE, "A",
		  "-[A f:]", .number = 0x1022364bc, .meaning = LOGS_MEMORY,
		  .returns = true, .doubtful = true },
		{ .line = "3   A   0x1022364bc main (main.m:16)" },
		{ .line = "3   A   0x1022364bc 0x102230000 + " },
		{ .line = "A   0x1022364bc 0x102230000 + 25788" },
		{ .line = "3   0x1022364bc 0x102230000 + 25788" },
		{ .line = "3   A   0x12 0x10 + 2" },
	};

	EXPECT(rows);
}

Test(frames, maps)
{
	static const struct row rows[] = {
		{ "|#3 0x55d0a1b2c3d4 <unknown>^", MAPS,
		  .number = 0x55d0a1b2c3d4 },
		{ " |3: 0x55d0a1b2c3d4 - <unknown>^", MAPS,
		  .number = 0x55d0a1b2c3d4 },
		{ " |3# 0x000055D0A1B2C3D4 in ./p^", MAPS,
		  .number = 0x55d0a1b2c3d4 },
		{ "  |@     0x55d0a1b2c3d4  (unknown)^", MAPS,
		  .number = 0x55d0a1b2c3d4 },
		{ "  |by 0x109558: ??? (in /lib/p)^", MAPS,
		  .number = 0x109558 },
		/* Valgrind has the program counter itself there, and glog. */
		{ "  |at 0x109558: f (a.c:7)^", MAPS, .number = 0x109558,
		  .answered = true, .exact = true },
		{ "PC: |@     0x55d0a1b2c3d4  (unknown)^", MAPS,
		  .number = 0x55d0a1b2c3d4, .exact = true },
		/* LLVM, 15 to 22. */
		{ "|4  prog     0x0000557e3ee73438^", MAPS,
		  .number = 0x557e3ee73438 },
		{ "|10 my prog  0x0000557e3ee73438 f(int, char) + 54^", MAPS,
		  .number = 0x557e3ee73438 },
		{ .line = "4  prog     0x0000557e3ee7343" },
		{ .line = "4  prog     0x0000557e3ee73438x" },
		{ .line = "prog        0x0000557e3ee73438" },
		{ "|#1 0x109558 in f () at a.c:7^", MAPS, .number = 0x109558,
		  .answered = true },
		{ "|#1  0x000055d0a1b2c3d4 in ?? () from /lib/a.so^", MAPS,
		  .number = 0x55d0a1b2c3d4 },
		{ "|#1  0x000055d0a1b2c3d4 f - /src/shapes^", MAPS,
		  .number = 0x55d0a1b2c3d4 },
		{ "|4: 0x7f75c4247469  [/src/l.so]^", MAPS,
		  .number = 0x7f75c4247469 },
		{ .line = "3 0x109558" },
		{ .line = "x# 0x109558" },
		{ .line = "#3 0x10955" },
		{ .line = "#3 0x109558x" },
		{ .line = "#3 109558" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct row row = rows[i];

		row.meaning = row.log ? LOGS_MEMORY : LOGS_LINKED;
		row.doubtful = row.log != 0;
		row.returns = row.doubtful && !row.exact;
		expect_row_of(&row, MAPS);
	}
}

/* Frame 0 of debuggers has the program counter. */
Test(frames, maps_first_frame)
{
	static const struct {
		const char *line;
		bool returns;
	} rows[] = {
		{ "|#0  0x000055d0a1b2c3d4 in ?? ()^", false },
		{ "|#0 0x55d0a1b2c3d4 in ?? ()^", false },
		{ "|#0  0x000055d0a1b2c3d4 pause^", false },
		{ "|#0  0x000055d0a1b2c3d4^", false },
		{ "|#0 0x55d0a1b2c3d4^", false },
		{ "|#0 0xb6fc1234 f^", false },
		/* Chromium, Boost, Rust. */
		{ "|#0 0x55d0a1b2c3d4 <unknown>^", true },
		{ "|#0 0x55d0a1b2c3d4 f()^", true },
		{ " |0# 0x000055D0A1B2C3D4 in ./p^", true },
		{ " |0: 0x55d0a1b2c3d4 - <unknown>^", true },
		{ "|#10 0x000055d0a1b2c3d4 in ?? ()^", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *hex = strstr(rows[i].line, "0x") + 2;
		struct row row = {
			.line = rows[i].line,
			.log = MAPS,
			.number = strtoull(hex, NULL, 16),
			.meaning = LOGS_MEMORY,
			.returns = rows[i].returns,
			.doubtful = true,
		};

		expect_row_of(&row, MAPS);
	}
}

Test(frames, kernel)
{
	static const struct row rows[] = {
		{ "[  1.5]  |f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "[  1.5][ T33]  |? f.isra.0+0x1/0x2 [mod]^", KERNEL, "mod",
		  "f.isra.0", .number = 1, .meaning = LOGS_FUNCTION,
		  .returns = true },
		{ "x |RIP: 0010:f+0x1/0x2 [mod " ID "]^", KERNEL, "mod", "f",
		  ID, .number = 1, .meaning = LOGS_FUNCTION },
		{ "<4>|pc : f+0x1/0x2^ [mod", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "web |? f+0x1/0x2^ (P)", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "[Fri Nov 20 10:41:07 2026]  |f+0x1/0x2^)", KERNEL, NULL, "f",
		  .number = 1, .meaning = LOGS_FUNCTION, .returns = true },
		{ "|g from f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "|([<000a>] f+0x1/0x2^)", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "Workqueue: events f+0x0/0x2", KERNEL, NULL, "f",
		  .meaning = LOGS_FUNCTION },
		{ "f+0x1/0x2 (a.c:7)", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true, .answered = true },
		{ "f+0x1/0x2 [mod] (fs/a.c)", KERNEL, "mod", "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true, .answered = true },
		{ "f+0x1/0x2 fs/a.c:7", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true, .answered = true },
		{ "(f+0x1/0x2 fs/a.c:7)", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true, .answered = true },
		{ "f+0x1/0x2 (unreliable)", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		/* The kinds of addresses of several machines. */
		{ "|IP: [<ffff0a>] f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "|RIP  [<ffff0a>] f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "|EIP is at f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "--- |interrupt: 700 at f+0x1/0x2^", KERNEL, NULL, "f",
		  .number = 1, .meaning = LOGS_FUNCTION },
		{ "|epc   : 8010 f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "|ra    : 8010 f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "  |ERA: 90a0 f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "   |ra: 90a0 f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "|TPC: <f+0x1/0x2^>", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "|I7: <f+0x1/0x2^>", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ " |IAOQ[0]: f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "|PC: [<0a>] f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		{ "|[ERET  ]: f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION },
		/* Warnings of old kernels. */
		{ "|WARNING: at a.c:7 f+0x1/0x2 [m]()^", KERNEL, "m", "f",
		  .number = 1, .meaning = LOGS_FUNCTION },
		{ "WRMSR to 0x1 at |rIP: 0xffff0a (f+0x1/0x2^)", KERNEL, NULL,
		  "f", .number = 1, .meaning = LOGS_FUNCTION },
		/* Checks that are called have return addresses. */
		{ "|BUG: KASAN: x in f+0x1/0x2^", KERNEL, NULL, "f",
		  .number = 1, .meaning = LOGS_FUNCTION, .returns = true },
		{ "|BUG: KASAN: invalid-access in f+0x1/0x2^", KERNEL, NULL,
		  "f", .number = 1, .meaning = LOGS_FUNCTION },
		{ "|BUG: KFENCE: x in f+0x1/0x2^", KERNEL, NULL, "f",
		  .number = 1, .meaning = LOGS_FUNCTION },
		{ "NMI backtrace for cpu 1 skipped: |idling at f+0x1/0x2^",
		  KERNEL, NULL, "f", .number = 1, .meaning = LOGS_FUNCTION },
		/* /dev/kmsg, and journalctl -o short-monotonic. */
		{ "<4>|f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ .line = "<b>f+0x1/0x2" },
		{ "4,12,34,-;|f+0x1/0x2^", KERNEL, NULL, "f", .number = 1,
		  .meaning = LOGS_FUNCTION, .returns = true },
		{ "4,12,34,-,caller=T1;|f+0x1/0x2^", KERNEL, NULL, "f",
		  .number = 1, .meaning = LOGS_FUNCTION, .returns = true },
		{ "[  1.5] host kernel:  |f+0x1/0x2^", KERNEL, NULL, "f",
		  .number = 1, .meaning = LOGS_FUNCTION, .returns = true },
		{ "[  1.5] Nov 20 10:41:07 host kernel:  |f+0x1/0x2^", KERNEL,
		  NULL, "f", .number = 1, .meaning = LOGS_FUNCTION,
		  .returns = true },
		{ "[  1.5] host kernel: |RIP: 0010:f+0x1/0x2^", KERNEL, NULL,
		  "f", .number = 1, .meaning = LOGS_FUNCTION },
		{ .line = "3+0x4/0x5" },
		{ .line = "<m::T as k::M>::init+0x1/0x2" },
		{ .line = "f+0x1" },
		{ .line = "f+0x1/2" },
		{ .line = "x=f+0x1/0x2" },
		{ .line = "f+0x1/0x2x" },
		{ .line = "http://x/+0x1/0x2" },
	};

	EXPECT(rows);
}

/* A header that ends beyond the bytes that are searched for headers. */
Test(frames, header_far_from_the_start)
{
	const unsigned kernel = gsym_logs_ask(KERNEL).all;

	for (size_t before = 4080; before < 4100; before++) {
		char line[4200];
		struct logs_frame f;
		size_t size;

		memset(line, 'x', before);
		size = before + (size_t)sprintf(line + before,
						"[1.0] f+0x1/0x2");
		cr_assert(gsym_logs_frame(kernel, line, line, line + size, &f));
		expect_text(f.function, "f", "function", line);
	}
}

Test(frames, several_in_a_line)
{
	static const char line[] = " (f+0x1/0x2) from (g+0x3/0x4 [m])";
	const char *end = line + sizeof(line) - 1;
	const unsigned kernel = gsym_logs_ask(KERNEL).all;
	struct logs_frame f;

	cr_assert(gsym_logs_frame(kernel, line, line, end, &f));
	expect_text(f.function, "f", "function", line);
	cr_assert(gsym_logs_frame(kernel, line, f.resume, end, &f));
	expect_text(f.function, "g", "function", line);
	expect_text(f.module, "m", "module", line);
	cr_assert_not(gsym_logs_frame(kernel, line, f.resume, end, &f));
}
