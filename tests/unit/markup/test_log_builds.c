/* SPDX-License-Identifier: MIT */
/* Stacks whose addresses show that they are of another build. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function and an offset that lie elsewhere take the trust from the symbols
 * of a library. */
Test(logs, libraries_of_another_build)
{
	struct gsym_markup_options options = all();
	static const char *const logs[] = {
		"C  [l.so+0x1008]  one+0x18\nC  [l.so+0x1008]\n",
		"#00 pc 00001008  l.so (twice+8)\n#01 pc 00001008  l.so\n",
		"#1: one+0x9 (l.so+0x1008)\n#2: x (l.so+0x1008)\n",
		"/l.so(+0x0) [0x1000]\n/l.so(one+0x9) [0x2018]\n"
		"/l.so(+0x1008) [0x2008]\n",
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		struct run r = { .guessed = true };

		filter(&r, logs[i], strlen(logs[i]), 1000, &options, NULL);
		cr_expect_str_eq(r.text, logs[i], "%s", r.text);
		cr_expect(strstr(r.messages, "lies elsewhere"), "%s: %s",
			  logs[i], r.messages);
		cr_expect_eq(strchr(r.messages, '\n')[1], 0, "%s", r.messages);
		free(r.text);
	}
	options.logs.any_build = true;
	expect_with("C  [l.so+0x1008]  one+0x18\nC  [l.so+0x1008]\n",
		    "C  [l.so+0x1008]  one+0x18 (/build/k/fs/one.c:10?)\n"
		    "C  [l.so+0x1008] one (/build/k/fs/one.c:10?)\n",
		    "", &options, true);
}

/* Where the lowest address of a module is not known, the place within a page
 * alone can show that the symbols are of another build. */
Test(logs, modules_without_lowest_address)
{
	struct gsym_markup_options options = all();
	static const char right[] = "C  [l.so+0x5008]  one+0x8\n";
	static const char wrong[] = "C  [l.so+0x5008]  one+0x9\n";
	struct run r = { .guessed = true, .unplaced = true };

	filter(&r, right, sizeof(right) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.text, right);
	cr_expect_str_eq(r.messages, "");
	free(r.text);
	r = (struct run){ .guessed = true, .unplaced = true };
	filter(&r, wrong, sizeof(wrong) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.text, wrong);
	cr_expect(strstr(r.messages, "lies elsewhere"), "%s", r.messages);
	free(r.text);
}

/* Filter LOG with code at hand; see log_host.h.  The output is OUTPUT, or LOG
 * if that is NULL, and the messages have SAID. */
static void expect_calls(const char *log, const char *output, const char *said,
			 const struct gsym_markup_options *options)
{
	for (size_t step = 1; step < 1000; step += 500) {
		struct run r = { .guessed = true, .calls = true };

		filter(&r, log, strlen(log), step, options, NULL);
		cr_expect_str_eq(r.text, output ? output : log, "%s", r.text);
		cr_expect(strstr(r.messages, said), "%s: %s", log, r.messages);
		free(r.text);
	}
}

/* Return addresses with no call before them. */
Test(logs, addresses_without_calls)
{
	struct gsym_markup_options options = all();
	static const char refuted[] =
		"the symbols are of another build, and give no answers for "
		"this stack";
	static const char unproven[] = "does not tell the build";

	/* Calls end at multiples of 8. */
	expect_calls("p(+0x1008) [0x11008]\nx\n",
		     "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\nx\n",
		     unproven, &options);
	expect_calls("p(+0x1009) [0x11009]\nx\n", NULL, refuted, &options);
	/* The frames before are of the same stack. */
	expect_calls("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\nx\n", NULL,
		     refuted, &options);
	/* One of several is no proof, and has no answer. */
	expect_calls("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010]\n",
		     "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n",
		     "are the symbols of another build?", &options);
	/* Two are, unless they are the same. */
	expect_calls("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010]\np(+0x1011) [0x11011]\n"
		     "p(+0x1018) [0x11018]\n",
		     NULL, refuted, &options);
	expect_calls("p(+0x1009) [0x11009]\np(+0x1010) [0x11010]\n"
		     "p(+0x1009) [0x11009]\np(+0x1010) [0x11010]\n",
		     "p(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n",
		     "are the symbols of another build?", &options);
	/* Behind a signal, or what may be one, the address is exact. */
	expect_calls("unknown/libc.so.6(+0x50) [0x7f00000050]\n"
		     "p(+0x1009) [0x11009]\n",
		     "unknown/libc.so.6(+0x50) [0x7f00000050]\n"
		     "p(+0x1009) [0x11009] one (/build/k/fs/one.c:10)\n",
		     unproven, &options);
	expect_calls("p(+0x6000) [0x16000]\np(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010]\np(+0x1018) [0x11018]\n",
		     "p(+0x6000) [0x16000] __restore_rt\n"
		     "p(+0x1009) [0x11009] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1018) [0x11018] one (/build/k/fs/one.c:10)\n",
		     unproven, &options);
	/* Sanitizers print return addresses less 1, but for the first frame. */
	expect_calls("#0 0x11003 (p+0x1003)\n#1 0x11007 (p+0x1007)\nx\n",
		     "#0 0x11003 in one /build/k/fs/one.c:10 (p+0x1003)\n"
		     "#1 0x11007 in one /build/k/fs/one.c:10 (p+0x1007)\nx\n",
		     unproven, &options);
	expect_calls("#0 0x11007 (p+0x1007)\n#1 0x11008 (p+0x1008)\nx\n", NULL,
		     refuted, &options);
	/* A name that is right says more than the code. */
	expect_calls("p(one+0x9) [0x11009]\n",
		     "p(one+0x9) [0x11009] (/build/k/fs/one.c:10)\n", "",
		     &options);
	options.logs.any_build = true;
	expect_calls("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\nx\n",
		     "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10?)\n"
		     "p(+0x1009) [0x11009] one (/build/k/fs/one.c:10?)\nx\n",
		     "", &options);
}

/* A program may be replaced while its log goes on. */
Test(logs, another_build_after_many_frames)
{
	enum { STACKS = 100 };
	static const char good[] = "p(+0x1008) [0x11008]\n"
				   "p(+0x1010) [0x11010]\nx\n";
	static const char answered[] =
		"p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\n"
		"p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\nx\n";
	static const char bad[] = "p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\n"
				  "p(+0x1011) [0x11011]\nx\n";
	char log[STACKS * sizeof(good) + sizeof(bad)];
	char output[STACKS * sizeof(answered) + sizeof(bad)];
	struct gsym_markup_options options = all();
	char *at = log, *to = output;

	for (int i = 0; i < STACKS; i++) {
		at = stpcpy(at, good);
		to = stpcpy(to, answered);
	}
	stpcpy(at, bad);
	stpcpy(to, bad);
	expect_calls(log, output, "give no answers for this stack", &options);
}

/* The numbers of ClickHouse's frames begin with 0, unless a signal came. */
Test(logs, stacks_of_clickhouse_of_another_build)
{
	struct gsym_markup_options options = all();

	expect_calls("0. ? @ 0x1008 in /p\n1. ? @ 0x1009 in /p\n"
		     "2. ? @ 0x1010 in /p\n3. ? @ 0x1011 in /p\nx\n",
		     NULL, "give no answers for this stack", &options);
	expect_calls("4. ? @ 0x1009 in /p\n5. ? @ 0x1011 in /p\n"
		     "6. ? @ 0x1010 in /p\n7. ? @ 0x1013 in /p\nx\n",
		     NULL, "give no answers for this stack", &options);
}

/* Each stack is judged by its own frames. */
Test(logs, odd_addresses_and_other_stacks)
{
	struct gsym_markup_options options = all();
	static const char refuted[] =
		"the symbols are of another build, and give no answers for "
		"this stack";
	char log[12000], wanted[sizeof(log) + 4000], *at = log, *to = wanted;

	/* A single odd line, before and between stacks of one frame. */
	expect_calls("p(+0x1009) [0x11009]\nx\np(+0x1008) [0x11008]\nx\n"
		     "p(+0x1009) [0x11009]\nx\np(+0x1010) [0x11010]\nx\n",
		     "p(+0x1009) [0x11009]\nx\n"
		     "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\nx\n"
		     "p(+0x1009) [0x11009]\nx\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\nx\n",
		     refuted, &options);
	/* Behind more odd lines than frames are compared, a stack with two
	 * frames tells for itself, one with a single frame does not. */
	for (int i = 0; i < 80; i++)
		at += sprintf(at, "p(+0x%x) [0x1%x]\nx\n", 0x1001 + i % 7,
			      0x1001 + i % 7);
	to += sprintf(to, "%s", log);
	strcpy(at, "p(+0x1008) [0x11008]\nx\n"
		   "p(+0x1008) [0x11008]\np(+0x1010) [0x11010]\nx\n");
	strcpy(to, "p(+0x1008) [0x11008]\nx\n"
		   "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\n"
		   "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\nx\n");
	expect_calls(log, wanted, refuted, &options);
	/* So does a function that is where the log has it. */
	strcpy(at, "p(one+0x9) [0x11009]\np(one+0x8) [0x11008]\nx\n");
	strcpy(to, "p(one+0x9) [0x11009] (/build/k/fs/one.c:10)\n"
		   "p(one+0x8) [0x11008] (/build/k/fs/one.c:10)\nx\n");
	expect_calls(log, wanted, refuted, &options);
}

/* A frame that looks like one of Apple begins no report: what the log says
 * about memory stays. */
Test(logs, doubtful_frames_of_apple)
{
	struct gsym_markup_options options = all();
	static const char map[] =
		"00010000-00020000 r-xp 00000000 fe:00 4065345  /src/p\n";
	static const char log[] =
		"0  p        0x0000000000011008 one + 8\nx\n"
		"1  p        0x0000000000011008 one + 8\nx\n"
		"#2 0x00011010 in ?? ()\nx\n";
	static const char wanted[] =
		"0  p        0x0000000000011008 one + 8"
		" (/build/k/fs/one.c:10)\nx\n"
		"1  p        0x0000000000011008 one + 8"
		" (/build/k/fs/one.c:10)\nx\n"
		"#2 0x00011010 in ?? () one (/build/k/fs/one.c:10)\nx\n";
	char both[2][600];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	snprintf(both[0], sizeof(both[0]), "%s%s", map, log);
	snprintf(both[1], sizeof(both[1]), "%s%s", map, wanted);
	expect_calls(both[0], both[1], "", &options);
}

/* The same for addresses alone, in memory that the log describes before or
 * after them. */
Test(logs, addresses_in_memory_without_calls)
{
	struct gsym_markup_options options = all();
	static const char map[] =
		"00010000-00020000 r-xp 00000000 fe:00 4065345  /src/p\n";
	static const char frames[] = "#1 0x00011008 in ?? ()\n"
				     "#2 0x00011009 in ?? ()\nx\n";
	char log[300];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	snprintf(log, sizeof(log), "%s%s", map, frames);
	expect_calls(log, NULL, "of another build, and", &options);
	snprintf(log, sizeof(log), "%s%s", frames, map);
	expect_calls(log, NULL, "of another build, and", &options);
}

/* Frames before the one that shows it get no answer either: a stack is held
 * back up to its end. */
Test(logs, stacks_of_another_build)
{
	struct gsym_markup_options options = all();
	static const char *const logs[] = {
		"/l.so(+0x1008) [0x2008]\n/l.so(one+0x9) [0x2018]\nx\n"
		"/l.so(+0x1008) [0x2008]\n",
		" > /l.so() [0x1008]\n > /l.so(one+0x9) [0x1019]\n",
		"#01 pc 00001008  l.so\n#02 pc 00001008  l.so (twice+8)\n",
		"C  [l.so+0x1008]\nC  [l.so+0x1008]  one+0x18\n",
		"#1: x (l.so+0x1008)\n#2: one+0x9 (l.so+0x1008)\n",
		"/l.so(+0x1008) [0x2008]#012/l.so(one+0x9) [0x2018]\n",
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		for (size_t step = 1; step < 1000; step += 500) {
			struct run r = { .guessed = true };

			filter(&r, logs[i], strlen(logs[i]), step, &options,
			       NULL);
			cr_expect_str_eq(r.text, logs[i], "%s", r.text);
			cr_expect(strstr(r.messages, "lies elsewhere"),
				  "%s: %s", logs[i], r.messages);
			free(r.text);
		}
}

Test(logs, stacks_are_not_held_for_long)
{
	static const char log[] = "/l.so(+0x1008) [0x2008]\n";
	static const char answer[] =
		"/l.so(+0x1008) [0x2008] one (/build/k/fs/one.c:10)\n";
	struct gsym_markup_options options = all();
	struct run r = { .guessed = true };
	struct gsym_markup_host host = host_of(&r);
	struct gsym_markup *f;

	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_clock(f, 1000);
	gsym_markup_feed(f, log, sizeof(log) - 1);
	cr_expect_eq(r.size, 0);
	cr_expect_eq(gsym_markup_clock(f, 1100), 100);
	gsym_markup_clock(f, 1200);
	cr_expect_str_eq(r.text, answer);
	/* A module is compared a bounded number of times. */
	for (int i = 0; i < 100; i++)
		gsym_markup_feed(f, log, sizeof(log) - 1);
	gsym_markup_feed(f, "x\n", 2);
	gsym_markup_feed(f, log, sizeof(log) - 1);
	gsym_markup_flush(f);
	cr_expect_eq(r.size, 102 * (sizeof(answer) - 1) + 2, "%zu", r.size);
	gsym_markup_free(f);
	free(r.text);
}
