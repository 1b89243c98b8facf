/* SPDX-License-Identifier: MIT */
/* Frames that a signal interrupted, whose addresses are exact. */
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

/* A function that calls itself is another frame than the one that the signal
 * interrupted. */
Test(logs, recursion_behind_a_signal)
{
	struct gsym_markup_options options = all();
	static const char log[] =
		"Received signal 11 SEGV_MAPERR 000000000008\n"
		"#1 0x7f0003c050 (/lib/libc.so.6+0x3c04f)\n"
		"#2 0x1000101f (/p+0x101e)\n"
		"#3 0x1000101f (/p+0x101e)\n";

	expect_with(log,
		    "Received signal 11 SEGV_MAPERR 000000000008\n"
		    "#1 0x7f0003c050 (/lib/libc.so.6+0x3c04f)\n"
		    "#2 0x1000101f in small /build/k/include/s.h:5\n"
		    "#2 0x1000101f in one /build/k/fs/one.c:10 (/p+0x101e)\n"
		    "#3 0x1000101f in one /build/k/fs/one.c:10 (/p+0x101e)\n",
		    NULL, &options, false);
}

/* The line that has the registers tells the first address of the stack. */
Test(logs, crashes_of_catchsegv)
{
	static const char frame[] = "/p(+0x101f)[0x1000101f]";
	static const char small[] = "small (/build/k/include/s.h:5) [inline]\n";
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	for (size_t i = 0; i < 2; i++) {
		const char *registers =
			i ? " RIP: 000000001000101f   EFLAGS: 00010206\n"
			  : " RIP: 0000000010001020   EFLAGS: 00010206\n";

		sprintf(log, "%s\nBacktrace:\n%s\n%s\n", registers, frame,
			frame);
		sprintf(wanted, "%s\nBacktrace:\n%s%s" RETURNS "%s" RETURNS,
			registers, i ? small : "", frame, frame);
		expect_with(log, wanted, NULL, &options, false);
	}
	sprintf(log, "*%s\n%s\n", frame, frame);
	sprintf(wanted, "%s*%s" RETURNS "%s" RETURNS, small, frame, frame);
	expect_with(log, wanted, NULL, &options, false);
}

#define MAP "10000000-10008000 r-xp 00000000 08:01 7 /p\n"

/* The address that a line of its own marks is exact in the stack, too, where it
 * stands first. */
Test(logs, marked_addresses)
{
	struct gsym_markup_options options = all();

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	expect_with(MAP "PC: @     0x1000101f  (unknown)\n"
			"    @     0x1000101f  (unknown)\n"
			"    @     0x1000101f  (unknown)\n",
		    MAP "PC: small (/build/k/include/s.h:5) [inline]\n"
			"PC: @     0x1000101f  (unknown)" RETURNS
			"    small (/build/k/include/s.h:5) [inline]\n"
			"    @     0x1000101f  (unknown)" RETURNS
			"    @     0x1000101f  (unknown)" RETURNS,
		    NULL, &options, false);
	expect_with(MAP "  * frame #0: 0x000000001000101f p`one + 15\n"
			"    frame #1: 0x000000001000101f p`one + 15\n",
		    MAP "  * frame small (/build/k/include/s.h:5) [inline]\n"
			"  * frame #0: 0x000000001000101f p`one + 15"
			" (/build/k/fs/one.c:10)\n"
			"    frame #1: 0x000000001000101f p`one + 15"
			" (/build/k/fs/one.c:10)\n",
		    NULL, &options, false);
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
	/* Without the first line, and without symbols of the C library, frame
	 * #1 may be the trampoline.  There is no room for two answers. */
	sprintf(log, "%s",
		"#1 0x7f0003c050 (/unknown/libc.so.6+0x3c04f)\n"
		"#2 0x1000a010 (/p+0xa00f)\n");
	expect_with(log, log, NULL, &options, false);
	expect_with("#1 0x7f0003c050 (/unknown/libc.so.6+0x3c04f)\n"
		    "#2 0x10001010 (/p+0x100f)\n",
		    "#1 0x7f0003c050 (/unknown/libc.so.6+0x3c04f)\n"
		    "#2 0x10001010 in one /build/k/fs/one.c:10 (/p+0x100f)\n",
		    NULL, &options, false);
}

/* Unreal Engine prints the address, and in parentheses the offset less 1, but
 * for the frame that crashed. */
Test(logs, signals_of_unreal)
{
	static const char *const rows[][2] = {
		{ "0x0000561b9df0a010 p!UnknownFunction(0xa010)\n",
		  " weak (/build/k/h/h.c:101)" },
		{ "0x0000561b9df0a010 p!UnknownFunction(0xa00f)\n",
		  " head (/build/k/h/h.c:100)" },
		/* A function and an offset tell which of both. */
		{ "0x0000561b9df0a040 p!static(+0x0)\n",
		  " (/build/k/h/h.c:103)" },
		{ "0x0000561b9df0a050 p!static(+0xf)\n",
		  " (/build/k/h/h.c:103)" },
		{ "0x0000561b9df0a040 p!static(+0x1)\n", "" },
		{ "0x0000561b9df0a040 p!static(+0xf)\n", "" },
		{ "0x00007fb2f7a6f050 libc.so.6!UnknownFunction(0x3c04f)\n"
		  "0x0000561b9df0a010 p!UnknownFunction(0xa00f)\n",
		  " head (/build/k/h/h.c:100)" },
		{ "0x00007fb2f7a6f050 "
		  "unknown/libc.so.6!UnknownFunction(0x3c04f)"
		  "\n0x0000561b9df0a010 p!UnknownFunction(0xa00f)\n",
		  " head (/build/k/h/h.c:100?) or weak (/build/k/h/h.c:101?)" },
	};
	struct gsym_markup_options options = all();
	char wanted[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sprintf(wanted, "%.*s%s\n", (int)strlen(rows[i][0]) - 1,
			rows[i][0], rows[i][1]);
		expect_with(rows[i][0], wanted, NULL, &options, false);
	}
}

/* One line tells where the module lies; the next frame is one that crashed. */
Test(logs, crashes_in_modules_of_unreal)
{
	struct gsym_markup_options options = all();

	expect_with("0x0000561b9df0a05a p!static(+0x19)\n"
		    "0x0000561b9df0a040 p!static(+0x0)\n",
		    "0x0000561b9df0a05a p!static(+0x19)\n"
		    "0x0000561b9df0a040 p!static(+0x0)"
		    " (/build/k/h/h.c:103)\n",
		    NULL, &options, false);
	expect_with("0x0000561b9df0a04a p!static(+0x9)\n"
		    "0x0000561b9df0a040 p!static(+0x0)\n",
		    "0x0000561b9df0a04a p!static(+0x9)"
		    " (/build/k/h/h.c:103)\n"
		    "0x0000561b9df0a040 p!static(+0x0)"
		    " (/build/k/h/h.c:103)\n",
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

/* Both answers have their inlined calls, in a line that stays one line, too. */
Test(logs, inlined_calls_of_both_answers)
{
	static const char line[] = "unknown/libc.so.6(+0x3c050)[0x7f0003c050]";
	static const char frame[] = "p(+0x101f)[0x1000101f]";
	static const char some[] =
		" one (/build/k/fs/one.c:10?) or one "
		"(/build/k/include/s.h:5? < /build/k/fs/one.c:10?)";
	static const char none[] = " one (/build/k/fs/one.c:10?) or one "
				   "(/build/k/fs/one.c:10?)";
	static const char json[] = "{\"log\":\"%s\\n%s%s\"}\n";
	struct gsym_markup_options options = all();
	char log[300], wanted[300];

	snprintf(log, sizeof(log), json, line, frame, "");
	snprintf(wanted, sizeof(wanted), json, line, frame, some);
	expect_with(log, wanted, NULL, &options, false);
	/* Lines of inlined calls could be of either answer. */
	snprintf(log, sizeof(log), "%s\n%s\n", line, frame);
	snprintf(wanted, sizeof(wanted), "%s\n%s%s\n", line, frame, none);
	expect_with(log, wanted, NULL, &options, false);
	options.logs.inlines = GSYM_MARKUP_LOG_INLINES_NONE;
	expect_with(log, wanted, NULL, &options, false);
	options.logs.inlines = GSYM_MARKUP_LOG_INLINES_SHORT;
	snprintf(wanted, sizeof(wanted), "%s\n%s%s\n", line, frame, some);
	expect_with(log, wanted, NULL, &options, false);
}

/* The frame before has the name of the trampoline's neighbour in the C library,
 * and no offset in it. */
Test(logs, neighbours_without_offsets)
{
	static const char *const rows[][2] = {
		{ "#01: killpg[/unknown/libc.so.6 +0x3c050]",
		  " head (/build/k/h/h.c:100?) or weak (/build/k/h/h.c:101?)" },
		{ "#01: killpg[/unknown/libc.so.6 +0x3c058]",
		  " head (/build/k/h/h.c:100)" },
		{ "#01: abort[/unknown/libc.so.6 +0x3c050]",
		  " head (/build/k/h/h.c:100)" },
	};
	struct gsym_markup_options options = all();
	char log[256], wanted[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sprintf(log, "%s\n#02: ???[/p +0xa010]\n", rows[i][0]);
		sprintf(wanted, "%s\n#02: ???[/p +0xa010]%s\n", rows[i][0],
			rows[i][1]);
		expect_with(log, wanted, NULL, &options, false);
	}
}

#define CODE "10000000-1000c000 r-xp 00000000 08:01 7 /p\n"
#define LIBC                                       \
	"7f0000000000-7f0000100000 r-xp 00000000 " \
	"08:01 3 /unknown/libc.so.6\n"

/* All numbers are those to look up: return addresses are less 1, and that of
 * the frame behind a signal is not. */
Test(logs, reduced_addresses)
{
	static const char exact[] = " weak (/build/k/h/h.c:101)";
	static const char called[] = " head (/build/k/h/h.c:100)";
	static const char either[] = " head (/build/k/h/h.c:100?) or weak "
				     "(/build/k/h/h.c:101?)";
	static const char *const rows[][2] = {
		{ "#3  0x1000a010 in ???", exact },
		{ "#3  0x1000a010 in ??", called },
		{ "#3  0x000000001000a010 at ./p", exact },
		{ "#3  0x000000001000a010 in z at /p", exact },
		{ "#3  0x1000a010 at ./p", called },
		/* A header that looks like a frame of LLVM. */
		{ "Jan  1 10:00:00 h p[7]: #3  0x000000001000a010 at ./p",
		  exact },
		{ "Jan  1 10:00:00 h p[7]: #0  0x000000001000a010 in ?? ()",
		  exact },
		{ "Jan  1 10:00:00 h p[7]: @  0x000000001000a010", called },
		{ "#3  0x000000001000a010 at /src/p.c:3", "" },
		{ "#3  0x000000001000a010 in z() at /src/p.c:3:7", "" },
		/* Frames before the trampoline's may be those behind it. */
		{ "#3    Object \"/p\", at 0x1000a010, in", either },
		/* With libunwind the address that crashed is less 1, too. */
		{ "#3    Object \"/p\", at 0x1000a00f, in", either },
		{ "#3    Object \"/p\", at 0x1000101f, in",
		  " one (/build/k/fs/one.c:10)" },
	};
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sprintf(log, CODE "%s\n", rows[i][0]);
		sprintf(wanted, CODE "%s%s\n", rows[i][0], rows[i][1]);
		expect_with(log, wanted, NULL, &options, false);
	}
}

/* The map of memory as gdb prints it; older versions without rights.  A line
 * whose size is not that of its range is no map. */
Test(logs, maps_of_gdb)
{
	static const char frame[] = "#0  0x000000001000a010 in ?? ()";
	static const char *const rows[][2] = {
		{ "      0x10000000     0x1000c000     0xc000        0x0  r-xp"
		  "   /p",
		  " weak (/build/k/h/h.c:101)" },
		{ "0x10000000 0x1000c000 0xc000 0x0 /p",
		  " weak (/build/k/h/h.c:101)" },
		{ "0x10000000 0x1000c000 0xb000 0x0 r-xp /p", "" },
		/* It ends before it starts. */
		{ "0x1000a000 0x10000000 0xffffffffffff6000 0x0 r-xp /p", "" },
		{ "0x10000000 0x1000c000 0xc000 0x0 r-xp", "" },
		{ "0x10000000 0x1000c000 0xc000 /p", "" },
	};
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sprintf(log, "%s\n%s\n", frame, rows[i][0]);
		sprintf(wanted, "%s%s\n%s\n", frame, rows[i][1], rows[i][0]);
		expect_with(log, wanted, NULL, &options, false);
	}
}

/* A frame of libexecinfo in no module may be the trampoline.  A frame without
 * name has an answer once another one told how far the module was moved. */
Test(logs, libexecinfo)
{
	static const char either[] = " head (/build/k/h/h.c:100?) or weak "
				     "(/build/k/h/h.c:101?)";
	static const char one[] = " (/build/k/fs/one.c:10)";
	static const char unknown[] = "0x7f123400a010 <??\?> at /p";
	static const char named[] = "0x7f1234001010 <one+0x10> at /p";
	static const char trampoline[] = "0x7ffffffff003 <??\?> at ??\?";
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	sprintf(log, "%s\n%s\n%s\n%s\n%s\n", unknown, named, unknown,
		trampoline, unknown);
	sprintf(wanted, "%s\n%s%s\n%s head (/build/k/h/h.c:100)\n%s\n%s%s\n",
		unknown, named, one, unknown, trampoline, unknown, either);
	expect_with(log, wanted, NULL, &options, false);
}

/* The first frame of a stack of NativeAOT may be exact. */
Test(logs, native_aot)
{
	static const char either[] = " head (/build/k/h/h.c:100?) or weak "
				     "(/build/k/h/h.c:101?)";
	static const char called[] = " head (/build/k/h/h.c:100)";
	static const char one[] = " one (/build/k/fs/one.c:10)";
	static const char frame[] = "   at p!<BaseAddress>+0xa010";
	static const char other[] = "   at p!<BaseAddress>+0x1010";
	struct gsym_markup_options options = all();
	char log[512], wanted[1024];

	sprintf(log, "%s\n%s\nA\n%s\n%s\nB\n{\"s\":\"%s\\n%s\"}\n%s\n", frame,
		other, other, frame, frame, other, frame);
	sprintf(wanted,
		"%s%s\n%s%s\nA\n%s%s\n%s%s\nB\n{\"s\":\"%s%s\\n%s%s\"}\n%s%s\n",
		frame, either, other, one, other, one, frame, called, frame,
		either, other, one, frame, either);
	expect_with(log, wanted, NULL, &options, false);
}

/* The same of OpenJ9, also with blanks at the end of lines. */
Test(logs, openj9)
{
	static const char first[] = "(0x0000561B9DF0B010 [p+0xa010])";
	static const char next[] = "(0x0000561B9DF0B020 [p+0xa010])";
	static const char either[] = "head (/build/k/h/h.c:100?) or weak "
				     "(/build/k/h/h.c:101?)";
	struct gsym_markup_options options = all();
	char log[256], wanted[512];

	for (int blanks = 0; blanks < 2; blanks++) {
		sprintf(log, "%s%*s\n%s%*s\nx\n", first, blanks, "", next,
			blanks, "");
		sprintf(wanted,
			"%s%*s %s\n%s%*s head (/build/k/h/h.c:100)\nx\n", first,
			blanks, "", either, next, blanks, "");
		expect_with(log, wanted, NULL, &options, false);
	}
}

/* The line before a frame is that of its process, of the last eight lines. */
Test(logs, signs_of_processes)
{
	static const char called[] = " head (/build/k/h/h.c:100)";
	static const char exact[] = " weak (/build/k/h/h.c:101)";
	static const struct {
		const char *between, *answer;
	} rows[] = {
		{ "", exact },
		{ "h q[8]: a\n", exact },
		{ "h q[8]: #1  <signal handler called>\n", exact },
		{ "h q[8]: 1\nh q[8]: 2\nh q[8]: 3\nh q[8]: 4\n"
		  "h q[8]: 5\nh q[8]: 6\nh q[8]: 7\n",
		  exact },
		{ "h q[8]: 1\nh q[8]: 2\nh q[8]: 3\nh q[8]: 4\n"
		  "h q[8]: 5\nh q[8]: 6\nh q[8]: 7\nh q[8]: 8\n",
		  called },
		/* A later line of the process. */
		{ "h q[8]: a\nh p[7]: b\nh q[8]: c\n", called },
	};
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	options.headers = GSYM_MARKUP_HEADERS_SYSLOG;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sprintf(log,
			"h p[7]: #1  <signal handler called>\n%s"
			"h p[7]: /p(+0xa010) [0x1000a010]\n",
			rows[i].between);
		sprintf(wanted, "%.*s%s\n", (int)strlen(log) - 1, log,
			rows[i].answer);
		expect_with(log, wanted, NULL, &options, false);
	}
}

/* Symbols tell the trampoline, and that another frame of the C library is
 * none, although each frame of Envoy looks like glibc's of the vdso. */
Test(logs, signals_of_envoy)
{
	static const char map[] = CODE "7f0000000000-7f0000100000 r-xp "
				       "00000000 08:01 3 /lib/libc.so.6\n";
	struct gsym_markup_options options = all();
	char log[512], wanted[1024], twice[512], twice_wanted[1024];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	sprintf(log,
		"%s#1: [0x7f0000006000]\n#2: [0x1000a010]\n"
		"#3: [0x7f0000001010]\n#4: [0x1000a020]\n",
		map);
	sprintf(twice,
		"%s#1: [0x7f0000006000]\n#1: [0x7f0000006000]\n"
		"#2: [0x1000a010]\n#2: [0x1000a010]\n",
		map);
	sprintf(twice_wanted,
		"%s#1: [0x7f0000006000] __restore_rt\n"
		"#1: [0x7f0000006000] __restore_rt\n"
		"#2: [0x1000a010] weak (/build/k/h/h.c:101)\n"
		"#2: [0x1000a010] weak (/build/k/h/h.c:101)\n",
		map);
	expect_with(twice, twice_wanted, NULL, &options, false);
	sprintf(wanted,
		"%s#1: [0x7f0000006000] __restore_rt\n"
		"#2: [0x1000a010] weak (/build/k/h/h.c:101)\n"
		"#3: [0x7f0000001010] one (/build/k/fs/one.c:10)\n"
		"#4: [0x1000a020] weak (/build/k/h/h.c:101)\n",
		map);
	expect_with(log, wanted, NULL, &options, false);
}

/* Addresses alone: the frame before may name the trampoline, or have the path
 * of the C library where a name would stand. */
Test(logs, addresses_behind_libc)
{
	static const char may[] = " head (/build/k/h/h.c:100?) or weak "
				  "(/build/k/h/h.c:101?)";
	static const char exact[] = " weak (/build/k/h/h.c:101)";
	static const char *const rows[][3] = {
		{ " 2# 0x00007F000003C050 in /unknown/libc.so.6",
		  " 3# 0x000000001000A010 in ./p", may },
		{ " 2: 0x7f000003c050  [/unknown/libc.so.6]",
		  " 3: 0x1000a010  [./p]", may },
		{ "#2  0x00007f000003c050 - /unknown/libc.so.6",
		  "#3  0x000000001000a010 - /p", may },
		{ "#1  0x00007f000003c050 0x7f000003c050",
		  "#2  0x000000001000a010 0x1000a010", may },
		{ "#1  0x00007f000003c050 __restore_rt + 0x0",
		  "#2  0x000000001000a010 0x1000a010", exact },
		{ "    frame #2: 0x00007f000003c050 libc.so.6`__restore_rt",
		  "    frame #3: 0x000000001000a010 p`___lldb_unnamed_symbol3",
		  exact },
		{ "    @     0x7f000003c050        944  __restore_rt",
		  "    @         0x1000a010         64  (unknown)", exact },
		{ "#1    Object \"/p\", at 0x10001010, in one",
		  "#0    Object \"/p\", at 0x1000a010, in", exact },
		{ " 3  libc.so.6 0x00007f000003c050 killpg + 64",
		  " 4  p         0x000000001000a010 x + 16", exact },
		{ " 3  libc.so.6 0x00007f000003c058 killpg + 72",
		  " 4  p         0x000000001000a010 x + 16",
		  " head (/build/k/h/h.c:100)" },
		{ " 3  libc-2.31.so 0x00007f000003c050 killpg + 64",
		  " 4  p         0x000000001000a010 x + 16", exact },
		{ " 3  libx.so.6 0x00007f000003c050 killpg + 64",
		  " 4  p         0x000000001000a010 x + 16",
		  " head (/build/k/h/h.c:100)" },
		{ " 3  libc.so.6 0x00007f000003c050 kill + 64",
		  " 4  p         0x000000001000a010 x + 16",
		  " head (/build/k/h/h.c:100)" },
		{ "#1  <signal handler called>",
		  "#2  0x000000001000a010 in ?? ()", exact },
		{ "x",
		  "#1  <signal handler called> | #2  0x000000001000a010 in ?? "
		  "()",
		  exact },
		{ "#1: [0x7f000003c050]", "#2: [0x1000a010]", may },
		{ "#1: __restore_rt [0x7f000003c050]", "#2: [0x1000a010]",
		  exact },
		{ "#1: [0x7ffdf003c050]", "#2: [0x1000a010]", may },
		{ " 3  libsystem_platform.dylib 0x00007f000003c05d "
		  "_sigtramp + 29",
		  " 4  p         0x000000001000a010 x + 16", exact },
	};
	struct gsym_markup_options options = all();
	char log[512], wanted[512];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *place = i == 7 ? " (/build/k/fs/one.c:10)" : "";

		sprintf(log, CODE LIBC "%s\n%s\n", rows[i][0], rows[i][1]);
		sprintf(wanted, CODE LIBC "%s%s\n%s%s\n", rows[i][0], place,
			rows[i][1], rows[i][2]);
		expect_with(log, wanted, NULL, &options, false);
	}
}
