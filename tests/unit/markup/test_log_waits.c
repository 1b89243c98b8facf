/* SPDX-License-Identifier: MIT */
/* Frames that wait for what lies in memory. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
/* Swift on Linux: frame 0 and resume points are exact.  Each report has images
 * of its own, behind its frames. */
Test(logs, swift_reports)
{
	static const char head[] =
		"*** Program crashed: Bad pointer dereference ***\n\n"
		"Thread 0 \"p\" crashed:\n\n";
	static const char images[] = "\xe2\x80\x93";
	struct gsym_markup_options options = all();
	char log[2048] = "", wanted[2048] = "";
	const char *places[] = { " weak (/build/k/h/h.c:101)",
				 " head (/build/k/h/h.c:100)",
				 " weak (/build/k/h/h.c:101)",
				 " (/build/k/fs/one.c:10)", "" };
	const char *marks[] = { "     ", "[ra] [system]", "[async]", "[ra]",
				"[inlined]" };

	for (unsigned base = 0x10000000; base < 0x30000000;
	     base += 0x10000000) {
		size_t a = strlen(log), b = strlen(wanted);

		a += (size_t)sprintf(log + a, "%s", head);
		b += (size_t)sprintf(wanted + b, "%s", head);
		for (unsigned i = 0; i < 5; i++) {
			char line[128];

			sprintf(line, "  %u %s 0x%016x %s in p", i, marks[i],
				base + (i == 3 ? 0x1010 : 0xa010),
				i == 3 ? "one + 16" : "<unknown>");
			a += (size_t)sprintf(log + a, "%s\n", line);
			b += (size_t)sprintf(wanted + b, "%s%s\n", line,
					     places[i]);
		}
		for (int i = 0; i < 40; i++) {
			a += (size_t)sprintf(log + a, "\n");
			b += (size_t)sprintf(wanted + b, "\n");
		}
		sprintf(log + a,
			"Images:\n\n0x%016x%s0x%016x <no build ID> "
			"p /src/p\n",
			base, images, base + 0xc000);
		sprintf(wanted + b,
			"Images:\n\n0x%016x%s0x%016x <no build ID>"
			" p /src/p\n",
			base, images, base + 0xc000);
	}
	expect_with(log, wanted, NULL, &options, false);
}

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

	options.logs.any_build = true;
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

	options.logs.forms = GSYM_MARKUP_LOG_MAPS;
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

	options.logs.forms = GSYM_MARKUP_LOG_MAPS;
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

	options.logs.forms = GSYM_MARKUP_LOG_MAPS;
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

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	options.headers = GSYM_MARKUP_HEADERS_SYSLOG;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_with(cases[i][0], cases[i][1], NULL, &options, false);
}

/* A report of the kernel waits for its release, which does not come; a frame
 * behind the report needs the map of memory. */
Test(logs, wait_within_a_wait)
{
	struct gsym_markup_options options = all();

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	expect_with("RIP: 0010:one+0x8/0x20\nx\n#1 0x7001009 <unknown>\n" MAP
		    "y\n",
		    "RIP: 0010:one+0x8/0x20 (fs/one.c:10)\nx\n"
		    "#1 0x7001009 <unknown> one (fs/one.c:10)\n" MAP "y\n",
		    NULL, &options, true);
}

/* Each second line leaves the wait of the stack before it, as it needs images,
 * and has them.  The lines behind it were compared with their symbols, and are
 * not compared again. */
Test(logs, waits_that_are_left)
{
	enum { PAIRS = 100, LOOKS = 4 };
	static const char pair[] =
		"{\"a\":\"./p(crowd+0x8) [0x401008]\"}\n"
		"{\"a\":\"./p(crowd+0x8) [0x401008]\",\"b\":\"2   App   "
		"0x00000001022364bc 0x102230000 + 25788\",\"c\":\"0x102230000 "
		"- 0x102237fff App arm64  <82d13d98219e3040b62a07a297007a7c> "
		"/path/App\"}\n";
	struct gsym_markup_options options = all();
	struct run r = { .guessed = true, .calls = true };
	size_t size = sizeof(pair) - 1;
	char *log = malloc(PAIRS * size);

	cr_assert(log);
	for (size_t i = 0; i < PAIRS; i++)
		memcpy(log + i * size, pair, size);
	filter(&r, log, PAIRS * size, PAIRS * size, &options, NULL);
	cr_expect_lt(r.searched, 2 * PAIRS * LOOKS, "%u searches", r.searched);
	free(r.text);
	free(log);
}
