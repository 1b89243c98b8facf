/* SPDX-License-Identifier: MIT */
/* Frames of programs, and what tells of which build they are. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		.logs.forms = GSYM_MARKUP_LOG_ANDROID,
	};

	expect_with("h p: *** *** *** ***#012pid: 1#012"
		    "#00 pc 00001008  l.so (one+8)#012"
		    "#01 pc 00002008  l.so\n",
		    "h p: *** *** *** ***#012pid: 1#012"
		    "#00 pc 00001008  l.so (one+8) (/build/k/fs/one.c:10)#012"
		    "#01 pc 00002008  l.so twice (/build/k/a/a.c:20)\n",
		    "", &options, false);
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
	options.logs.forms = GSYM_MARKUP_LOG_GLIBC;
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

	options.logs.strip_kernel = false;
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
