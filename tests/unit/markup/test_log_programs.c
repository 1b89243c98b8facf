/* SPDX-License-Identifier: MIT */
/* Frames of programs, and frames that wait for what lies in memory. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(logs, signal_frames)
{
	/* An address is exact after the trampoline of a signal alone. */
	expect("p(+0x1020)[0x10001020]\n",
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "p(+0x1020)[0x10001020] one (/build/k/fs/one.c:10)\n");
	expect("p(+0x6000)[0x10006000]\np(+0x1010)[0x10001010]\n"
	       "p(+0x1020)[0x10001020]\n",
	       "p(+0x6000)[0x10006000] __restore_rt\n"
	       "p(+0x1010)[0x10001010] one (/build/k/fs/one.c:10)\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "p(+0x1020)[0x10001020] one (/build/k/fs/one.c:10)\n");
	expect("p(+0x6000)[0x10006000]\np(+0x101f)[0x1000101f]\n",
	       "p(+0x6000)[0x10006000] __restore_rt\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "p(+0x101f)[0x1000101f] one (/build/k/fs/one.c:10)\n");
}

/* The log names the trampoline, or a library that may have it. */
Test(logs, signal_frames_without_symbols)
{
	/* 0x1020 is the end of one: as an exact address it is in no function,
	 * and 0x101f is inlined as an exact one alone. */
	struct gsym_markup_options options = all();

	expect_with("unknown/libc.so.6(__restore_rt+0x0)[0x7f00000050]\n"
		    "p(+0x101f)[0x1000101f]\n",
		    "unknown/libc.so.6(__restore_rt+0x0)[0x7f00000050]\n"
		    "small (/build/k/include/s.h:5) [inline]\n"
		    "p(+0x101f)[0x1000101f] one (/build/k/fs/one.c:10)\n",
		    NULL, &options, false);
}

/* MariaDB prints the place of the trampoline. */
Test(logs, signal_frames_with_places)
{
	expect("libc_sigaction.c:0(__restore_rt)[0x7f00000050]\n"
	       "p(+0x101f)[0x1000101f]\n",
	       "libc_sigaction.c:0(__restore_rt)[0x7f00000050]\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "p(+0x101f)[0x1000101f] one (/build/k/fs/one.c:10)\n");
}

/* 0x101f is inlined as an exact address alone. */
#define RETURNS " one (/build/k/fs/one.c:10)\n"

/* What the line before says, and what the frame before says: the next frame is
 * exact. */
Test(logs, frames_behind_signs)
{
	static const char *const before[] = {
		"[KCrash Handler]\n",
		"#2  <signal handler called>\n",
		"EIP:\n",
		"12:M 29 Nov 10:00:00 # EIP:\n",
		"/lib64/libc.so.6 (__sigaction+0x40) [0x7f0003c050]\n",
		"/lib64/libc.so.6(killpg+0x40)[0x7f0003c050]\n",
		"/lib/libpthread.so.0(funlockfile+0x60)[0x7f0003c050]\n",
	};
	static const char frame[] = "/p(+0x101f)[0x1000101f]";
	static const char small[] = "small (/build/k/include/s.h:5) [inline]\n";
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		sprintf(log, "%s%s\n%s\n", before[i], frame, frame);
		/* A line that is there twice is the same frame. */
		sprintf(wanted, "%s%s%s" RETURNS "%s%s" RETURNS, before[i],
			small, frame, small, frame);
		expect_with(log, wanted, NULL, &options, false);
		/* Another line lies between. */
		sprintf(log, "x\n%s\n", frame);
		sprintf(wanted, "x\n%s" RETURNS, frame);
		expect_with(log, wanted, NULL, &options, false);
	}
}

/* The answer is the same, and the functions are no neighbours. */
Test(logs, frames_behind_no_signs)
{
	static const char *const before[] = {
		"RIP: 0010:x\n",
		"my <signal handler called> twice\n",
		"/lib64/libc.so.6(killpg+0x48)[0x7f0003c058]\n",
		"/lib64/libx.so.6(killpg+0x40)[0x7f0003c050]\n",
		"/lib64/libc.so.6(abort+0x120)[0x7f0003c050]\n",
	};
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		sprintf(log, "%s/p(+0x101f)[0x1000101f]\n", before[i]);
		sprintf(wanted, "%s/p(+0x101f)[0x1000101f]" RETURNS,
			before[i]);
		expect_with(log, wanted, NULL, &options, false);
	}
}

/* Chromium prints the address, and in parentheses the offset less 1. */
Test(logs, signals_of_chromium)
{
	static const char frames[] =
		"#1 0x7f0003c050 (/lib/libc.so.6+0x3c04f)\n"
		"#2 0x1000101f (/p+0x101e)\n";
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	sprintf(log, "Received signal 11 SEGV_MAPERR 000000000008\n%s", frames);
	sprintf(wanted, "%s",
		"Received signal 11 SEGV_MAPERR 000000000008\n"
		"#1 0x7f0003c050 (/lib/libc.so.6+0x3c04f)\n"
		"#2 0x1000101f in small /build/k/include/s.h:5\n"
		"#2 0x1000101f in one /build/k/fs/one.c:10 (/p+0x101e)\n");
	expect_with(log, wanted, NULL, &options, false);
	expect_with(frames,
		    "#1 0x7f0003c050 (/lib/libc.so.6+0x3c04f)\n"
		    "#2 0x1000101f in one /build/k/fs/one.c:10 (/p+0x101e)\n",
		    NULL, &options, false);
}

Test(logs, frames_behind_libc)
{
	struct gsym_markup_options options = all();
	static const char libc[] =
		"unknown/libc.so.6(+0x3c050)[0x7f0003c050]\n";
	static const char said[] =
		"no symbols for module \"unknown/libc.so.6\"\n";
	static const char *const rows[][2] = {
		/* Both addresses have the same answer. */
		{ "p(+0x1010)[0x10001010]",
		  "p(+0x1010)[0x10001010] one (/build/k/fs/one.c:10)" },
		/* The first byte of a function, and the end of another. */
		{ "p(+0xa010)[0x1000a010]",
		  "p(+0xa010)[0x1000a010] head (/build/k/h/h.c:100?) or weak "
		  "(/build/k/h/h.c:101?)" },
		{ "p(+0x101f)[0x1000101f]",
		  "p(+0x101f)[0x1000101f] one (/build/k/fs/one.c:10?) or one "
		  "(/build/k/fs/one.c:10?)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char log[300], wanted[300];

		snprintf(log, sizeof(log), "%s%s\n", libc, rows[i][0]);
		snprintf(wanted, sizeof(wanted), "%s%s\n", libc, rows[i][1]);
		expect_with(log, wanted, said, &options, false);
		/* The frame after that one is a return address. */
		snprintf(log, sizeof(log), "%sp(+0x1010)[0x10001010]\n%s\n",
			 libc, "p(+0x1020)[0x10001020]");
		snprintf(wanted, sizeof(wanted),
			 "%sp(+0x1010)[0x10001010] one (/build/k/fs/one.c:10)\n"
			 "small (/build/k/include/s.h:5) [inline]\n"
			 "p(+0x1020)[0x10001020] one (/build/k/fs/one.c:10)\n",
			 libc);
		expect_with(log, wanted, said, &options, false);
	}
}

/* Ceph leaves the module out; a frame before tells the base. */
Test(logs, functions_without_module)
{
	expect(" 1: p(+0x5108) [0x10005108]\n 2: (one+0x8) [0x10001008]\n"
	       " 3: (a::f()+0x8) [0x10008008]\n",
	       " 1: p(+0x5108) [0x10005108] file_only (/d/f.c)\n"
	       " 2: (one+0x8) [0x10001008] (/build/k/fs/one.c:10)\n"
	       " 3: (a::f()+0x8) [0x10008008] (/d/m.cpp:80)\n");
	/* No base, another offset, another function. */
	expect(" 2: (one+0x8) [0x10001008]\n", " 2: (one+0x8) [0x10001008]\n");
	expect(" 1: p(+0x5108) [0x10005108]\n 2: (one+0x9) [0x10001008]\n"
	       " 3: (two+0x8) [0x10001008]\n",
	       " 1: p(+0x5108) [0x10005108] file_only (/d/f.c)\n"
	       " 2: (one+0x9) [0x10001008]\n 3: (two+0x8) [0x10001008]\n");
}

Test(logs, load_bias)
{
	/* The names in parentheses are in no symbols, but the bias is known
	 * from the first line. */
	expect("/p(+0x5108)[0x10005108]\n/p(x+0x5)[0x10001005]\n",
	       "/p(+0x5108)[0x10005108] file_only (/d/f.c)\n"
	       "/p(x+0x5)[0x10001005] one (/build/k/fs/one.c:10)\n");
	/* Without it the function and the place in the page tell. */
	expect("/p(twice+0x5)[0x10002105]\n",
	       "/p(twice+0x5)[0x10002105] (/build/k/b/b.c:21)\n");
	expect("/p(twice+0x5)[0x10002205]\n", "/p(twice+0x5)[0x10002205]\n");
	/* More functions of one name than are compared. */
	expect("/p(crowd+0x5)[0x10002005]\n", "/p(crowd+0x5)[0x10002005]\n");
	/* A difference that is no multiple of a page is no bias. */
	expect("/p(+0x5108)[0x10005109]\n/p(x+0x5)[0x10001005]\n",
	       "/p(+0x5108)[0x10005109] file_only (/d/f.c)\n"
	       "/p(x+0x5)[0x10001005]\n");
}

Test(logs, bias_of_each_process)
{
	struct gsym_markup_options options = all();

	options.headers = GSYM_MARKUP_HEADERS_SYSLOG;
	expect_with("h a[1]: /p(+0x5108)[0x10005108]\n"
		    "h a[2]: /p(x+0x5)[0x10001005]\n"
		    "h a[2]: /p(+0x5108)[0x20005108]\n"
		    "h a[1]: /p(x+0x5)[0x10001005]\n"
		    "h a[2]: /p(x+0x5)[0x20001005]\n",
		    "h a[1]: /p(+0x5108)[0x10005108] file_only (/d/f.c)\n"
		    "h a[2]: /p(x+0x5)[0x10001005]\n"
		    "h a[2]: /p(+0x5108)[0x20005108] file_only (/d/f.c)\n"
		    "h a[1]: /p(x+0x5)[0x10001005] one "
		    "(/build/k/fs/one.c:10)\n"
		    "h a[2]: /p(x+0x5)[0x20001005] one "
		    "(/build/k/fs/one.c:10)\n",
		    NULL, &options, false);
}

Test(logs, names_of_the_log_are_compared)
{
	struct gsym_markup_options options = all();
	static const char agrees[] = "#00 pc 00001008  l.so (one+8)\n";
	static const char mangled[] = "#00 pc 00008008  l.so (a::f()+8)\n";
	static const char version[] = "C  [l.so+0x1008]  one@@V_1+0x8\n";
	static const char other[] = "#00 pc 00001008  l.so (x+8)\n";
	/* The symbols have the function elsewhere. */
	static const char moved[] = "#00 pc 00001008  l.so (twice+8)\n";
	static const char old[] =
		"*** *** *** ***\nBuild fingerprint: 'a/b/c:10/x/1'\n"
		"#00 pc 00001008  l.so (twice+8)\n";

	expect_with(agrees,
		    "#00 pc 00001008  l.so (one+8) (/build/k/fs/one.c:10)\n",
		    "", &options, true);
	expect_with(mangled, "#00 pc 00008008  l.so (a::f()+8) (/d/m.cpp:80)\n",
		    "", &options, true);
	expect_with(version,
		    "C  [l.so+0x1008]  one@@V_1+0x8 (/build/k/fs/one.c:10)\n",
		    "", &options, true);
	expect_with(other, other,
		    "the symbols of \"l.so\" do not have x where the log has "
		    "it: another build?\n",
		    &options, true);
	expect_with(moved, moved,
		    "twice lies elsewhere in the symbols of \"l.so\" than in "
		    "the log: another build, which gives no answers\n",
		    &options, true);
	expect_with(old, old,
		    "the symbols of \"l.so\" do not have twice where the log "
		    "has it: another build?\n",
		    &options, true);
	/* A build ID needs no such check. */
	expect_with(other,
		    "#00 pc 00001008  l.so (x+8) one "
		    "(/build/k/fs/one.c:10)\n",
		    "", &options, false);
}

/* A crash in one line, as rsyslog joins its lines, without other kinds of
 * logs. */
Test(logs, joined_lines_of_one_kind)
{
	const struct gsym_markup_options options = {
		.logs = GSYM_MARKUP_LOG_ANDROID,
	};

	expect_with("h p: *** *** *** ***#012pid: 1#012"
		    "#00 pc 00001008  l.so (one+8)#012"
		    "#01 pc 00002008  l.so\n",
		    "h p: *** *** *** ***#012pid: 1#012"
		    "#00 pc 00001008  l.so (one+8) (/build/k/fs/one.c:10)#012"
		    "#01 pc 00002008  l.so twice (/build/k/a/a.c:20)\n",
		    "", &options, false);
}

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
	options.log_any_build = true;
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
static void expect_sites(const char *log, const char *output, const char *said,
			 const struct gsym_markup_options *options)
{
	for (size_t step = 1; step < 1000; step += 500) {
		struct run r = { .guessed = true, .sites = true };

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
	expect_sites("p(+0x1008) [0x11008]\nx\n",
		     "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\nx\n",
		     unproven, &options);
	expect_sites("p(+0x1009) [0x11009]\nx\n", NULL, refuted, &options);
	/* The frames before are of the same stack. */
	expect_sites("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\nx\n", NULL,
		     refuted, &options);
	/* One of several is no proof, and has no answer. */
	expect_sites("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010]\n",
		     "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n",
		     "are the symbols of another build?", &options);
	/* Two are, unless they are the same. */
	expect_sites("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010]\np(+0x1011) [0x11011]\n"
		     "p(+0x1018) [0x11018]\n", NULL, refuted, &options);
	expect_sites("p(+0x1009) [0x11009]\np(+0x1010) [0x11010]\n"
		     "p(+0x1009) [0x11009]\np(+0x1010) [0x11010]\n",
		     "p(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n",
		     "are the symbols of another build?", &options);
	/* Behind a signal, or what may be one, the address is exact. */
	expect_sites("unknown/libc.so.6(+0x50) [0x7f00000050]\n"
		     "p(+0x1009) [0x11009]\n",
		     "unknown/libc.so.6(+0x50) [0x7f00000050]\n"
		     "p(+0x1009) [0x11009] one (/build/k/fs/one.c:10)\n",
		     unproven, &options);
	expect_sites("p(+0x6000) [0x16000]\np(+0x1009) [0x11009]\n"
		     "p(+0x1010) [0x11010]\np(+0x1018) [0x11018]\n",
		     "p(+0x6000) [0x16000] __restore_rt\n"
		     "p(+0x1009) [0x11009] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1010) [0x11010] one (/build/k/fs/one.c:10)\n"
		     "p(+0x1018) [0x11018] one (/build/k/fs/one.c:10)\n",
		     unproven, &options);
	/* A call at 0x2000 and later leads to 0x1000, so it proves nothing
	 * behind a frame in another function. */
	expect_sites("p(+0x1008) [0x11008]\np(+0x2008) [0x12008]\n"
		     "p(+0x1009) [0x11009]\n",
		     "p(+0x1008) [0x11008] one (/build/k/fs/one.c:10)\n"
		     "p(+0x2008) [0x12008] twice (/build/k/a/a.c:20)\n"
		     "p(+0x1009) [0x11009]\n",
		     "are the symbols of another build?", &options);
	expect_sites("p(+0x5108) [0x15108]\np(+0x2008) [0x12008]\n"
		     "p(+0x1009) [0x11009]\n", NULL, refuted, &options);
	/* Sanitizers print return addresses less 1, but for the first frame. */
	expect_sites("#0 0x11003 (p+0x1003)\n#1 0x11007 (p+0x1007)\nx\n",
		     "#0 0x11003 in one /build/k/fs/one.c:10 (p+0x1003)\n"
		     "#1 0x11007 in one /build/k/fs/one.c:10 (p+0x1007)\nx\n",
		     unproven, &options);
	expect_sites("#0 0x11007 (p+0x1007)\n#1 0x11008 (p+0x1008)\nx\n",
		     NULL, refuted, &options);
	/* A name that is right says more than the code. */
	expect_sites("p(one+0x9) [0x11009]\n",
		     "p(one+0x9) [0x11009] (/build/k/fs/one.c:10)\n", "",
		     &options);
	options.log_any_build = true;
	expect_sites("p(+0x1008) [0x11008]\np(+0x1009) [0x11009]\nx\n",
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
	expect_sites(log, output, "give no answers for this stack", &options);
}

/* The numbers of ClickHouse's frames begin with 0, unless a signal came. */
Test(logs, stacks_of_clickhouse_of_another_build)
{
	struct gsym_markup_options options = all();

	expect_sites("0. ? @ 0x1008 in /p\n1. ? @ 0x1009 in /p\n"
		     "2. ? @ 0x1010 in /p\n3. ? @ 0x1011 in /p\nx\n", NULL,
		     "give no answers for this stack", &options);
	expect_sites("4. ? @ 0x1009 in /p\n5. ? @ 0x1011 in /p\n"
		     "6. ? @ 0x1010 in /p\n7. ? @ 0x1013 in /p\nx\n", NULL,
		     "give no answers for this stack", &options);
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
	expect_sites("p(+0x1009) [0x11009]\nx\np(+0x1008) [0x11008]\nx\n"
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
	expect_sites(log, wanted, refuted, &options);
	/* So does a function that is where the log has it. */
	strcpy(at, "p(one+0x9) [0x11009]\np(one+0x8) [0x11008]\nx\n");
	strcpy(to, "p(one+0x9) [0x11009] (/build/k/fs/one.c:10)\n"
		   "p(one+0x8) [0x11008] (/build/k/fs/one.c:10)\nx\n");
	expect_sites(log, wanted, refuted, &options);
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

	options.logs |= GSYM_MARKUP_LOG_MAPS;
	snprintf(both[0], sizeof(both[0]), "%s%s", map, log);
	snprintf(both[1], sizeof(both[1]), "%s%s", map, wanted);
	expect_sites(both[0], both[1], "", &options);
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

	options.logs |= GSYM_MARKUP_LOG_MAPS;
	snprintf(log, sizeof(log), "%s%s", map, frames);
	expect_sites(log, NULL, "of another build, and", &options);
	snprintf(log, sizeof(log), "%s%s", frames, map);
	expect_sites(log, NULL, "of another build, and", &options);
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

/* A build that nothing in the log confirms. */
Test(logs, unproven_modules)
{
	struct gsym_markup_options options = all();
	static const char note[] =
		"the log does not tell the build of \"/l.so\": its symbols may "
		"be of another one\n";
	static const char log[] = "/l.so(+0x1008) [0x2008]\n";
	static const char answer[] =
		"/l.so(+0x1008) [0x2008] one (/build/k/fs/one.c:10)\n";
	static const char proof[] = "/l.so(+0x1008) [0x2008]\n"
				    "/l.so(one+0x9) [0x2009]\n";

	expect_with(log, answer, note, &options, true);
	expect_with(log, answer, "", &options, false);
	expect_with(proof,
		    "/l.so(+0x1008) [0x2008] one (/build/k/fs/one.c:10)\n"
		    "/l.so(one+0x9) [0x2009] (/build/k/fs/one.c:10)\n",
		    "", &options, true);
}

Test(logs, systemd_modules)
{
	static const char log[] =
		"Process 7 (p) of user 1000 dumped core.\n"
		"Module p with build-id 00112233445566778899\n"
		"#0  0x0000000000001020 n/a (p + 0x101f)\n"
		"#1  0x0000000000001020 n/a (p + 0x1020)\n";
	struct gsym_markup_options options = all();
	struct run r = { 0 };

	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.id, "00112233445566778899");
	cr_expect(
		strstr(r.text, "#0  0x0000000000001020 n/a (p + 0x101f) one"));
	cr_expect(strstr(r.text, "small (/build/k/include/s.h:5) [inline]\n"
				 "#1  0x0000000000001020"));
	free(r.text);

	/* The modules of another process are forgotten. */
	static const char two[] =
		"Process 7 (p) of user 1000 dumped core.\n"
		"Module p with build-id 00112233445566778899\n"
		"Process 8 (p) of user 1000 dumped core.\n"
		"#0  0x0000000000001020 n/a (p + 0x1020)\n";
	r = (struct run){ 0 };
	filter(&r, two, sizeof(two) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.id, "");
	free(r.text);
}

Test(logs, jvm_frames)
{
	/* The first native frame, and the frame in the head, are exact. */
	expect("Stack: [0x1,0x2]\nNative frames: (x)\n"
	       "C  [l.so+0x1020]\nC  [l.so+0x1020]\n",
	       "Stack: [0x1,0x2]\nNative frames: (x)\n"
	       "C  [l.so+0x1020]\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "C  [l.so+0x1020] one (/build/k/fs/one.c:10)\n");
	expect("# C  [l.so+0x1008]\nC  [l.so+0x1008]  one+0x8\n",
	       "# C  [l.so+0x1008] one (/build/k/fs/one.c:10)\n"
	       "C  [l.so+0x1008]  one+0x8 (/build/k/fs/one.c:10)\n");
}

/* ---- frames that wait for what lies in memory ------------------------ */

#define IMAGE "0x7000000 - 0x700ffff A arm64 <%s> /x/A\n"

Test(logs, apple_images_after_frames)
{
	struct gsym_markup_options options = all();
	static const char *const ids[] = {
		"00112233445566778899aabbccddeeff",
		"00112233-4455-6677-8899-AABBCCDDEEFF",
	};
	char log[600], wanted[600];

	for (size_t i = 0; i < 2; i++) {
		struct run r = { 0 };
		size_t end = (size_t)snprintf(
			log, sizeof(log),
			"0   A     0x7001008 0x7000000 + 4104\n"
			"1   A     0x7001009 one + 9\n"
			"2   B     0x9001009 0x9000000 + 4105\n"
			"Binary Images:\n" IMAGE "\n", ids[i]);
		snprintf(wanted, sizeof(wanted),
			 "0   A     0x7001008 0x7000000 + 4104 one "
			 "(/build/k/fs/one.c:10)\n"
			 "1   A     0x7001009 one + 9 "
			 "(/build/k/fs/one.c:10)\n"
			 "2   B     0x9001009 0x9000000 + 4105\n"
			 "Binary Images:\n" IMAGE "\n", ids[i]);
		filter(&r, log, end, 7, &options, NULL);
		cr_expect_str_eq(r.text, wanted, "%s", r.text);
		cr_expect_str_eq(r.id, "00112233445566778899aabbccddeeff");
		cr_expect_str_eq(r.name, "/x/A");
		free(r.text);
	}
}

/* A report begins with the process, and has images of its own. */
Test(logs, apple_reports)
{
	static const char line[] = "0   A     0x7001008 one + 8\n";
	char log[600], wanted[600];

	/* Frames with a function alone do not wait. */
	expect(line, line);
	snprintf(log, sizeof(log), "Process:   A [7]\n%s" IMAGE "\n%s", line,
		 "00112233445566778899aabbccddeeff", line);
	snprintf(wanted, sizeof(wanted),
		 "Process:   A [7]\n0   A     0x7001008 one + 8 "
		 "(/build/k/fs/one.c:10)\n" IMAGE "\n%s",
		 "00112233445566778899aabbccddeeff", line);
	expect(log, wanted);
}

/* In reports in JSON the mark of an answer of another build is in the value
 * that the answer adds: the file, or the function if there is no file. */
Test(logs, apple_json_any_build)
{
	static const char log[] =
		"{\n \"parentProc\" : \"launchd\",\n"
		" \"frames\":[{\"imageOffset\":20481,\"imageIndex\":0},"
		"{\"imageOffset\":4098,\"symbol\":\"x\","
		"\"imageIndex\":0}],\n"
		" \"usedImages\" : [{\"uuid\" : \"0123\", \"name\" : \"A\"}]\n"
		"}\n";
	struct gsym_markup_options options = all();
	struct run r = { .other = "another build" };

	options.log_any_build = true;
	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect(strstr(r.text, "\"imageOffset\":20481,\"imageIndex\":0,"
				 "\"symbol\":\"bare?\"},"), "%s", r.text);
	cr_expect(strstr(r.text, "\"imageIndex\":0,\"sourceFile\":"
				 "\"/build/k/fs/one.c?\",\"sourceLine\":10}"),
		  "%s", r.text);
	free(r.text);
}

#define MAP                                                                   \
	"7000000-7001000 r--p 00000000 08:01 1 /x/p\n"                        \
	"7001000-7002000 r-xp 00001000 08:01 1 /x/p\n"
#define ANSWER " one (/build/k/fs/one.c:10)\n"

Test(logs, maps)
{
	struct gsym_markup_options options = all();
	static const char *const logs[][2] = {
		/* Before the frame, and after it. */
		{ MAP "#1 0x7001009\n", MAP "#1 0x7001009" ANSWER },
		{ "#1 0x7001009\n" MAP "x\n", "#1 0x7001009" ANSWER MAP
						"x\n" },
		/* A map that came after frames is of those alone. */
		{ "#1 0x7001009\n" MAP "#1 0x7001009\n",
		  "#1 0x7001009" ANSWER MAP "#1 0x7001009\n" },
		/* The map of another process; the first page is unknown. */
		{ MAP "5000000-5001000 r-xp 00000000 08:01 1 /x/q\n"
		      "#1 0x7001009\n",
		  MAP "5000000-5001000 r-xp 00000000 08:01 1 /x/q\n"
		      "#1 0x7001009\n" },
		{ "7001000-7002000 r-xp 00001000 08:01 1 /x/p\n"
		  "#1 0x7001009\n",
		  "7001000-7002000 r-xp 00001000 08:01 1 /x/p\n"
		  "#1 0x7001009\n" },
		/* Elements of markup. */
		{ "{{{module:0:p:elf:aa}}}\n"
		  "{{{mmap:0x7000000:0x5000:load:0:rx:0x0}}}\n"
		  "#1 0x7001009\n",
		  "[[[ELF module #0x0 \"p\"; BuildID=aa "
		  "[0x7000000-0x7004fff](rx)]]]\n#1 0x7001009" ANSWER },
		/* No map. */
		{ "#1 0x7001009\nx\n", "#1 0x7001009\nx\n" },
	};

	options.logs = GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		expect_with(logs[i][0], logs[i][1], NULL, &options, false);
}

/* Frame 0 of gdb and eu-stack is exact: 0x1020 has no inlined call. */
Test(logs, maps_first_frame)
{
	struct gsym_markup_options options = all();
	static const char *const frames[][2] = {
		{ "#0  0x0000000007001008 in ?? () from /x/p",
		  "#0  0x0000000007001008 in ?? () from /x/p" ANSWER },
		{ "#0  0x000000000700101f f - /x/p",
		  "small (/build/k/include/s.h:5) [inline]\n"
		  "#0  0x000000000700101f f - /x/p" ANSWER },
		{ "#1  0x0000000007001020 in ?? () from /x/p",
		  "small (/build/k/include/s.h:5) [inline]\n"
		  "#1  0x0000000007001020 in ?? () from /x/p" ANSWER },
		/* The first byte of a function is no return address. */
		{ "#0  0x0000000007001000 in ?? ()",
		  "#0  0x0000000007001000 in ?? ()" ANSWER },
	};
	char log[600], wanted[600];

	options.logs = GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		snprintf(log, sizeof(log), MAP "%s\n", frames[i][0]);
		snprintf(wanted, sizeof(wanted), MAP "%s", frames[i][1]);
		if (!strchr(frames[i][1] + strlen(frames[i][1]) - 1, '\n'))
			strcat(wanted, "\n");
		expect_with(log, wanted, "", &options, false);
		snprintf(log, sizeof(log),
			 "{{{module:0:p:elf:aa}}}\n"
			 "{{{mmap:0x7000000:0x5000:load:0:rx:0x0}}}\n%s\n",
			 frames[i][0]);
		snprintf(wanted, sizeof(wanted),
			 "[[[ELF module #0x0 \"p\"; BuildID=aa "
			 "[0x7000000-0x7004fff](rx)]]]\n%s",
			 frames[i][1]);
		expect_with(log, wanted, "", &options, false);
	}
}

/* ---- strace ---------------------------------------------------------- */

Test(logs, strace_offsets)
{
	struct gsym_markup_options options = all();

	/* A frame with a function tells where the segment lies. */
	expect(" > /x/p(one+0x8) [0x1008]\n > /x/p() [0x2105]\n",
	       " > /x/p(one+0x8) [0x1008] (/build/k/fs/one.c:10)\n"
	       " > /x/p() [0x2105] twice (/build/k/b/b.c:21)\n");
	expect(" > /x/p(one+0x20) [0x10020]\n > /x/p() [0x11105]\n",
	       " small (/build/k/include/s.h:5) [inline]\n"
	       " > /x/p(one+0x20) [0x10020] (/build/k/fs/one.c:10)\n"
	       " > /x/p() [0x11105] twice (/build/k/b/b.c:21)\n");
	/* Nothing tells it: an offset is no address. */
	expect(" > /x/p() [0x1008]\n", " > /x/p() [0x1008]\n");
	expect(" > /x/p(twice+0x5) [0x1105]\n",
	       " > /x/p(twice+0x5) [0x1105] (/build/k/b/b.c:21)\n");
	/* Another build: the place in the page differs. */
	expect(" > /x/p(one+0x8) [0x1018]\n", " > /x/p(one+0x8) [0x1018]\n");
	expect(" > /x/p(none+0x8) [0x1008]\n", " > /x/p(none+0x8) [0x1008]\n");
	/* Not as a line of glibc either. */
	options.logs = GSYM_MARKUP_LOG_GLIBC;
	expect_with(" > /x/p() [0x11008]\n", " > /x/p() [0x11008]\n", "",
		    &options, false);
}

/* The program headers of a file tell where its bytes lie, better than a
 * function of another segment, and how strace was built. */
Test(logs, strace_program_headers)
{
	static const struct {
		const char *log, *wanted;
	} cases[] = {
		/* With libunwind: offsets in the file. */
		{ " > /x/p(one+0x8) [0x8]\n > /x/p() [0x1008]\n",
		  "[0x1008] same (/build/k/a/a.c:30)\n" },
		{ " > /x/p(same+0x8) [0x1008]\n > /x/q() [0x8]\n",
		  "/x/q() [0x8] one (/build/k/fs/one.c:10)\n" },
		/* With libdw: addresses. */
		{ " > /x/p(one+0x8) [0x1008]\n > /x/q() [0x101f]\n",
		  "/x/q() [0x101f] one (/build/k/fs/one.c:10)\n" },
		/* Nothing tells which of both. */
		{ " > /x/p() [0x1008]\n", " > /x/p() [0x1008]\n" },
	};
	struct gsym_markup_options options = all();

	options.strip_kernel = false;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r = { .segments = true };

		filter(&r, cases[i].log, strlen(cases[i].log), 1000, &options,
		       NULL);
		cr_expect(strstr(r.text, cases[i].wanted), "%zu: %s", i,
			  r.text);
		free(r.text);
	}
}

/* glibc's addresses alone are of programs at the addresses that they were
 * linked to. */
Test(logs, glibc_addresses_alone)
{
	expect("/x/p() [0x1008]\n/x/l.so() [0x2105]\n/x/l.so.1[0x2105]\n",
	       "/x/p() [0x1008]\n/x/l.so() [0x2105]\n/x/l.so.1[0x2105]\n");
}

/* ---- sanitizers ------------------------------------------------------ */

Test(logs, sanitizer_formats)
{
	expect("#0 0x5501008 in <null> <null>:0:0 (p+0x1008)\n",
	       "#0 0x5501008 in one /build/k/fs/one.c:10 (p+0x1008)\n");
	expect("0 in <null> <null>:0:0 (p+0x101f)\n",
	       "0 in small /build/k/include/s.h:5\n"
	       "0 in one /build/k/fs/one.c:10 (p+0x101f)\n");
	expect("<null> <null>:0:0 (p+0x101f)\n",
	       "small /build/k/include/s.h:5\n"
	       "one /build/k/fs/one.c:10 (p+0x101f)\n");
	expect("t <null> <null>:0:0 (p+0x1008)\n",
	       "t one /build/k/fs/one.c:10 (p+0x1008)\n");
	expect("#0 0x55 in one <null>:0:0 (p+0x1008)\n",
	       "#0 0x55 in one /build/k/fs/one.c:10 (p+0x1008)\n");
	expect(" 0 0x5501008 (p+0x1008)\n",
	       " 0 0x5501008 in one /build/k/fs/one.c:10 (p+0x1008)\n");
	/* No place, and no function. */
	expect("0 in <null> <null>:0:0 (p+0x5008)\n",
	       "0 in bare (p+0x5008)\n");
	expect("0 in <null> <null>:0:0 (p+0x5508)\n",
	       "0 in <null> <null>:0:0 (p+0x5508)\n");
	expect("0 in <null> <null>:0:0 (unknown+0x1008)\n",
	       "0 in <null> <null>:0:0 (unknown+0x1008)\n");
}

/* ---- PyTorch --------------------------------------------------------- */

Test(logs, pytorch_frames)
{
	/* A function tells where the module lies, for itself and for frames
	 * without a function. */
	expect("frame #0: one + 0x8 (0x7f0000001008 in /x/libc10.so)\n"
	       "frame #1: <unknown function> + 0x2105 (0x7f0000002105 in "
	       "/x/libc10.so)\n",
	       "frame #0: one + 0x8 (0x7f0000001008 in /x/libc10.so) "
	       "(/build/k/fs/one.c:10)\n"
	       "frame #1: <unknown function> + 0x2105 (0x7f0000002105 in "
	       "/x/libc10.so) twice (/build/k/b/b.c:21)\n");
	/* A text before the frame is repeated, and the address is one to which
	 * a call returns. */
	expect("x frame #4: <unknown function> + 0x1020 (0x55e27751c020 in "
	       "./app)\n",
	       "x small (/build/k/include/s.h:5) [inline]\n"
	       "x frame #4: <unknown function> + 0x1020 (0x55e27751c020 in "
	       "./app) one (/build/k/fs/one.c:10)\n");
}

/* ---- handlers of programs' own --------------------------------------- */

Test(logs, numbers_before_frames)
{
	struct gsym_markup_options options = all();
	static const char other[] = "#1: x+0x8 (p+0x1020)\n";

	/* The text before the number is repeated, and has no number itself. */
	expect("10:00:00 w 3: at [l.so+0x1020]\n",
	       "10:00:00 w small (/build/k/include/s.h:5) [inline]\n"
	       "10:00:00 w 3: at [l.so+0x1020] one (/build/k/fs/one.c:10)\n");
	expect("10:00:00 at [l.so+0x1020]\n", "10:00:00 at [l.so+0x1020]\n");
	/* The function is read, and compared. */
	expect("#1: one+0x20 (p+0x1020)\n",
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "#1: one+0x20 (p+0x1020) (/build/k/fs/one.c:10)\n");
	expect_with(other, other,
		    "the symbols of \"p\" do not have x where the log has it: "
		    "another build?\n",
		    &options, true);
}

/* The frame behind frame 0 of a debugger, or behind one with a name, is a
 * return address. */
Test(logs, frames_behind_libc_of_debuggers)
{
	static const char map[] =
		"5000000-5001000 r-xp 00000000 08:01 1 unknown/libc.so.6\n";
	static const char *const first[] = {
		"#0  0x0000000005000010 in ?? ()",
		"#3  0x0000000005000010 pause",
	};
	struct gsym_markup_options options = all();

	options.logs = GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < 2; i++) {
		struct run r = { 0 };
		char log[600];

		snprintf(log, sizeof(log), "%s%s%s\n#4  0x000000000700a010\n",
			 map, MAP, first[i]);
		filter(&r, log, strlen(log), 1000, &options, NULL);
		cr_expect(!strstr(r.text, " or "), "%s", r.text);
		free(r.text);
	}
}

/* ---- lines of several processes that wait ------------------------------ */

/* The map of a program that begins at 0x7000000 in the memory of WHO. */
#define MAP_OF(who)                                         \
	who "7000000-7001000 r--p 00000000 08:01 1 /x/p\n" \
	who "7001000-7002000 r-xp 00001000 08:01 1 /x/p\n"
#define FRAME_OF(who) who "#1 0x7001009 <unknown>\n"
#define ANSWER_OF(who) \
	who "#1 0x7001009 <unknown> one (/build/k/fs/one.c:10)\n"

/* Each process waits for its own map, and loses that alone. */
Test(logs, processes_that_wait)
{
	static const char *const cases[][2] = {
		/* A map of another process is none for the frame. */
		{ FRAME_OF("h a[1]: ") MAP_OF("h a[2]: ") "h a[2]: x\n" MAP_OF(
			  "h a[1]: ") "h a[1]: x\n",
		  ANSWER_OF("h a[1]: ") MAP_OF("h a[2]: ") "h a[2]: x\n" MAP_OF(
			  "h a[1]: ") "h a[1]: x\n" },
		/* The map that came while others waited stays. */
		{ FRAME_OF("h a[1]: ") MAP_OF("h a[1]: ") MAP_OF("h a[2]: ")
			  "h a[2]: x\nh a[1]: x\n" FRAME_OF("h a[2]: "),
		  ANSWER_OF("h a[1]: ") MAP_OF("h a[1]: ") MAP_OF("h a[2]: ")
			  "h a[2]: x\nh a[1]: x\n" ANSWER_OF("h a[2]: ") },
		/* The map of the process that waited goes. */
		{ FRAME_OF("h a[1]: ") MAP_OF("h a[1]: ") MAP_OF("h a[2]: ")
			  "h a[1]: x\n" FRAME_OF("h a[1]: "),
		  ANSWER_OF("h a[1]: ") MAP_OF("h a[1]: ") MAP_OF("h a[2]: ")
			  "h a[1]: x\n" FRAME_OF("h a[1]: ") },
		/* Both wait at the same time. */
		{ FRAME_OF("h a[1]: ") FRAME_OF("h a[2]: ") MAP_OF("h a[2]: ")
			  MAP_OF("h a[1]: "),
		  ANSWER_OF("h a[1]: ") ANSWER_OF("h a[2]: ") MAP_OF(
			  "h a[2]: ") MAP_OF("h a[1]: ") },
	};
	struct gsym_markup_options options = all();

	options.logs |= GSYM_MARKUP_LOG_MAPS;
	options.headers = GSYM_MARKUP_HEADERS_SYSLOG;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_with(cases[i][0], cases[i][1], NULL, &options, false);
}
