/* SPDX-License-Identifier: MIT */
/* Frames of ClickHouse, stacks of one line, and programs that get a signal. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINED "small (/build/k/include/s.h:5) [inline]\n"
#define ONE	"one (/build/k/fs/one.c:10)"

Test(log_forms, clickhouse)
{
	expect("0. one @ 0x0000000000001010 in /x/p\n1. ? @ 0x1020 in /x/p\n",
	       "0. one @ 0x0000000000001010 in /x/p (/build/k/fs/one.c:10)\n"
	       INLINED "1. ? @ 0x1020 in /x/p " ONE "\n");
	/* A place before the function; no file. */
	expect("0. /s/a.c:7: one @ 0x1010 in /x/p\n1. ? @ 0x1020 in ?\n",
	       "0. /s/a.c:7: one @ 0x1010 in /x/p\n1. ? @ 0x1020 in ?\n");
	/* The first frame of a signal is the one that was interrupted, with 1
	 * added in some versions. */
	expect("x 3. ? @ 0x101f in /x/p\nx 4. ? @ 0x1020 in /x/p\n",
	       "x 3. ? @ 0x101f in /x/p one (/build/k/fs/one.c:10?) or one "
	       "(/build/k/fs/one.c:10?)\n"
	       "x " INLINED "x 4. ? @ 0x1020 in /x/p " ONE "\n");
	expect("3. ? @ 0x1010 in /x/p\n", "3. ? @ 0x1010 in /x/p " ONE "\n");
}

/* Names of the standard library are no evidence of another build. */
Test(log_forms, names_of_clickhouse)
{
	struct gsym_markup_options options = all();

	expect_with("0. std::f(String) @ 0x1010 in /x/p\n",
		    "0. std::f(String) @ 0x1010 in /x/p " ONE "\n", NULL,
		    &options, true);
	expect_with("0. DB::f() @ 0x1010 in /x/p\n",
		    "0. DB::f() @ 0x1010 in /x/p\n", NULL, &options, true);
}

/* Several frames in one line, which a tracker of bugs has made of several. */
Test(log_forms, joined_lines)
{
	expect("#01 pc 00001010  /x/p #02 pc 00001011  /x/p\n",
	       "#01 pc 00001010  /x/p " ONE " #02 pc 00001011  /x/p " ONE "\n");
	expect("    #0 0x1010  (/x/p+0x1010)     #1 0x1011  (/x/p+0x101e)\n",
	       "    #0 0x1010 in one /build/k/fs/one.c:10 (/x/p+0x1010)     "
	       "#1 0x1011 in one /build/k/fs/one.c:10 (/x/p+0x101e)\n");
	expect("\t561b9df0b010 one+0x10 (/x/p) 561b9df0b010 one+0x10 (/x/p)\n",
	       "\t561b9df0b010 one+0x10 (/x/p) (/build/k/fs/one.c:10) "
	       "561b9df0b010 one+0x10 (/x/p) (/build/k/fs/one.c:10)\n");
	expect("C  [p+0x1010] V  [p+0x1011]\n",
	       "C  [p+0x1010] " ONE " V  [p+0x1011] " ONE "\n");
	expect("x ERROR [main] a: C  [p+0x1010]\n",
	       "x ERROR [main] a: C  [p+0x1010] " ONE "\n");
	expect("6: [/x/p(+0x1010) [0x1010]]\n",
	       "6: [/x/p(+0x1010) [0x1010] " ONE "]\n");
}

/* The words that announce a frame may have an escaped slash. */
Test(log_forms, escaped_slashes)
{
	static const char *const rows[] = {
		"1. ? @ 0x1010 in \\/x\\/p",
		"==1==    by 0x10900f: ??? (in \\/x\\/p)",
	};
	char log[200], wanted[300];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sprintf(log, "{\"log\":\"%s\"}\n", rows[i]);
		sprintf(wanted, "{\"log\":\"%s %s\"}\n", rows[i], ONE);
		expect(log, wanted);
	}
	expect("{\"log\":\"\\t561b9df0b010 one+16 (\\/x\\/p)\"}\n",
	       "{\"log\":\"\\t561b9df0b010 one+16 (\\/x\\/p) "
	       "(/build/k/fs/one.c:10)\"}\n");
	expect("{\"log\":\"0x00001010 <one+0x10> at \\/x\\/p\"}\n",
	       "{\"log\":\"0x00001010 <one+0x10> at \\/x\\/p "
	       "(/build/k/fs/one.c:10)\"}\n");
	expect("{\"log\":\"[1.0]  same+0x8\\/0x10\"}\n",
	       "{\"log\":\"[1.0]  same+0x8\\/0x10 "
	       "(a/a.c:30 or b/b.c:31)\"}\n");
}

/* A line with very many frames, and one with too many: the first ones get
 * answers, and a note says so. */
Test(log_forms, crowded_lines)
{
	enum { MOST = 4096 };
	static const char frame[] = "#01 pc 00001010  /x/p ";
	const struct gsym_markup_options options = all();
	const size_t size = strlen(frame), room = MOST * (size + strlen(ONE));
	char *log = calloc(2, room), *wanted = calloc(2, room);
	char *to = wanted;

	for (size_t i = 0; i < MOST; i++) {
		memcpy(log + i * size, frame, size);
		to = stpcpy(stpcpy(to, frame), ONE " ");
	}
	strcpy(log + MOST * size - 1, "\n");
	strcpy(to - 1, "\n");
	expect_with(log, wanted, "", &options, false);
	sprintf(log + MOST * size - 1, " %.*s\n", (int)size - 1, frame);
	sprintf(to - 1, " %.*s\n", (int)size - 1, frame);
	expect_once(log, wanted,
		    "a line has more than 4096 frames, or too many facts: the "
		    "rest of it gets no answers\n",
		    &options, false);
	free(log);
	free(wanted);
}

/* Of a line that is made of very many lines, so many facts are read. */
Test(logs, many_facts_in_a_line)
{
	enum { MOST = 16384 };
	static const char fact[] = "1000-2000 r-xp 0 00:01 1 /p\\n";
	struct gsym_markup_options options = all();
	size_t size = sizeof(fact) - 1;
	char *log = malloc((MOST + 1) * size + 20), *to = log;

	cr_assert_not_null(log);
	options.logs.forms = GSYM_MARKUP_LOG_MAPS;
	for (size_t more = 0; more < 2; more++) {
		to = stpcpy(log, "{\"log\":\"");
		for (size_t i = 0; i < MOST + more; i++)
			to = stpcpy(to, fact);
		strcpy(to, "\"}\n");
		expect_once(log, log,
			    more ? "a line has more than 4096 frames, or too "
				   "many facts: the rest of it gets no "
				   "answers\n"
				 : "",
			    &options, false);
	}
	free(log);
}

static const char map[] =
	"00010000-00020000 r-xp 00000000 fe:00 4065345  /src/p\n";

#define SEVEN "x\nx\nx\nx\nx\nx\nx\n"

/* Each address of a stack gets a line of its own. */
Test(log_forms, stacks_of_one_line)
{
	static const struct {
		const char *line, *wanted;
	} cases[] = {
		{ "Backtrace: 0x00011010:0x3fff0130 0x0001101f:0x3fff0160\n",
		  "Backtrace:\n  0x00011010:0x3fff0130 " ONE "\n"
		  "  " INLINED "  0x0001101f:0x3fff0160 " ONE "\n" },
		{ "h Backtrace: 0xff:0x1 0x11010:0x2 0xfe:0x3 |<-CORRUPTED\n",
		  "h Backtrace:\nh   0xff:0x1\nh   0x11010:0x2 " ONE "\n"
		  "h   0xfe:0x3 |<-CORRUPTED\n" },
		{ "a, backtrace: 0x11010 /l.so+0x101f /unknown+0x8 0x11010\n",
		  "a, backtrace:\na,   0x11010 " ONE "\n"
		  "a,   " INLINED "a,   /l.so+0x101f " ONE "\n"
		  "a,   /unknown+0x8\na,   0x11010 " ONE "\n" },
		/* Other words, and no address that is known. */
		{ "Backtrace: 0x11010 and 0x11010\n",
		  "Backtrace: 0x11010 and 0x11010\n" },
		{ "Backtrace: 0x11010:0x\n", "Backtrace: 0x11010:0x\n" },
		{ "xBacktrace: 0x11010\n", "xBacktrace: 0x11010\n" },
		{ "Reactor stalled for 65 ms on shard 25. Backtrace: 0x11010\n",
		  "Reactor stalled for 65 ms on shard 25. Backtrace: 0x11010\n"
		},
		{ "Backtrace: 0x31010 0x31010\n",
		  "Backtrace: 0x31010 0x31010\n" },
		/* A line for each, eight other lines between two at most. */
		{ "Backtrace:\nx\n  0x11010\n" SEVEN "x\nh[7]: 0x11010\n"
		  SEVEN "x\nx\n  0x11010\n  /x/p+0x1010\n",
		  "Backtrace:\nx\n  0x11010 " ONE "\n" SEVEN
		  "x\nh[7]: 0x11010 " ONE "\n" SEVEN
		  "x\nx\n  0x11010\n  /x/p+0x1010 " ONE "\n" },
		{ "Backtrace:\n 0x11010\nx 0x11010\n  0x11010 x\n",
		  "Backtrace:\n 0x11010\nx 0x11010\n  0x11010 x\n" },
		{ "Backtrace: x\n  0x11010\n", "Backtrace: x\n  0x11010\n" },
		/* JSON stays one line. */
		{ "{\"m\":\"Backtrace: 0x11010 0x11018\"}\n",
		  "{\"m\":\"Backtrace: 0x11010 " ONE " 0x11018 " ONE
		  "\"}\n" },
	};
	struct gsym_markup_options options = all();

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char log[400], wanted[800];

		snprintf(log, sizeof(log), "%s%s", map, cases[i].line);
		snprintf(wanted, sizeof(wanted), "%s%s", map, cases[i].wanted);
		expect_with(log, wanted, NULL, &options, false);
	}
	/* Nothing tells what lies in memory. */
	expect(cases[0].line, cases[0].line);
}

#define HEAD "{\"crash_info\":{\"adjusted_address\":null},\"x\":[{"
#define TAIL "\"module\":\"/x/p\",\"module_offset\":\"0x1010\"," \
	     "\"trust\":\"context\"}]}\n"

/* Reports of minidump-stackwalk in JSON. */
Test(log_forms, stackwalk)
{
	static const char *const same[] = {
		/* With a function; not a whole report; no module; an object
		 * in the object; keys of other kinds. */
		HEAD "\"file\":null,\"function\":\"f\",\"line\":null," TAIL,
		"{\"x\":[{\"function\":null," TAIL,
		HEAD "\"function\":null,\"module\":null}]}\n",
		HEAD "\"function\":null,\"i\":{}," TAIL,
		HEAD "\"functions\":null,\"f\":[null],\"xline\":null," TAIL,
		"{\"crash_info\":\"line\":null,\"line\":null}\n",
	};
	enum { NULLS = 30000 };
	char *many = malloc(100 + 12 * NULLS), *at = many;

	expect(HEAD "\"file\":null,\"function\":null,\"line\":null," TAIL,
	       HEAD "\"file\":\"/build/k/fs/one.c\",\"function\":\"one\","
	       "\"line\":10," TAIL);
	expect("{\n  \"crash_info\": {\n    \"adjusted_address\": null\n  }\n"
	       "  {\n    \"line\": null,\n    \"module\": \"/x/p\",\n"
	       "    \"module_offset\": \"0x1010\",\n    \"trust\": \"x\"\n"
	       "}\n",
	       "{\n  \"crash_info\": {\n    \"adjusted_address\": null\n  }\n"
	       "  {\n    \"line\": 10,\n    \"module\": \"/x/p\",\n"
	       "    \"module_offset\": \"0x1010\",\n    \"trust\": \"x\"\n"
	       "}\n");
	/* A line with a frame of another form stands between the values of a
	 * frame that has no answer. */
	expect("    \"adjusted_address\": null\n  {\n    \"line\": null,\n"
	       "    \"x\": \"[<ffff>] one+0x10/0x20\",\n"
	       "    \"line\": null,\n    \"module\": \"/x/p\",\n"
	       "    \"module_offset\": \"0x9010\"\n}\n",
	       "    \"adjusted_address\": null\n  {\n    \"line\": null,\n"
	       "    \"x\": \"[<ffff>] one+0x10/0x20 (fs/one.c:10)\",\n"
	       "    \"line\": null,\n    \"module\": \"/x/p\",\n"
	       "    \"module_offset\": \"0x9010\"\n}\n");
	/* A line that is in no report ends it. */
	expect("    \"adjusted_address\": null\n    \"line\": null,\nno\n",
	       "    \"adjusted_address\": null\n    \"line\": null,\nno\n");
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		expect(same[i], same[i]);
	/* Each value is looked at in a bounded part of the line. */
	cr_assert_not_null(many);
	at += sprintf(at, "{\"crash_info\":");
	for (int i = 0; i < NULLS; i++)
		at += sprintf(at, "\"line\":null,");
	sprintf(at, "}\n");
	expect(many, many);
	free(many);
}

/* Text before a stack is repeated as long as that is not too much. */
Test(log_forms, long_text_before_a_stack)
{
	enum { LEAD = 4000, ITEMS = 60 };
	struct gsym_markup_options options = all();
	char *log = malloc(LEAD + 100 + ITEMS * 20), *at = log;
	struct run r = { .guessed = false };

	cr_assert_not_null(log);
	memset(log, 'x', LEAD);
	at += LEAD + sprintf(log + LEAD, " Backtrace:");
	at = log + strlen(log);
	for (int i = 0; i < ITEMS; i++)
		at += sprintf(at, " /l.so+0x1010");
	filter(&r, log, strlen(log), 1 << 16, &options, NULL);
	cr_expect(!strchr(r.text, '\n'));
	cr_expect(strstr(r.text, "/l.so+0x1010 " ONE " /l.so+0x1010 " ONE));
	cr_expect_lt(r.size, LEAD + 100 + ITEMS * 60);
	free(r.text);
	free(log);
}

/* The first frame of a stack is exact, the others are return addresses. */
Test(log_forms, stacks_of_perf)
{
#define PLACE	"(/build/k/fs/one.c:10)"
#define FRAME	"\t  101f one+0x1f (/x/p)"
#define KERNEL	"\tffffffff8101101f one+0x1f ([kernel.kallsyms])\n"
#define EXACT	"\t  " INLINED FRAME " " PLACE "\n"
#define ROW "\t7f00101f one+0x1f (/x/p) 7f001010 one+0x10 (/x/p)\n"
#define EXACT_ROW                                               \
	"\t7f00101f one+0x1f (/x/p) (/build/k/include/s.h:5 < " \
	"/build/k/fs/one.c:10) 7f001010 one+0x10 (/x/p) " PLACE "\n"
	/* A stack of one line each, an event before it. */
	expect("p 1 2.0: 1 cycles:\n" FRAME "\n" FRAME "\n\np 1 2.1: 1 x:\n"
	       FRAME "\n",
	       "p 1 2.0: 1 cycles:\n" EXACT FRAME " " PLACE
	       "\n\np 1 2.1: 1 x:\n" EXACT);
	/* Behind the kernel's frames the first one of the program is exact;
	 * frames without an answer belong to the stack. */
	expect(KERNEL FRAME "\n\t7f12 f+0x1 (inlined)\n" FRAME "\n"
	       "\t7f12345 [unknown] (/x/q)\n" FRAME "\n"
	       "\t7ffd123 f+0x1 ([vdso])\n" FRAME "\n",
	       KERNEL EXACT "\t7f12 f+0x1 (inlined)\n" FRAME " " PLACE "\n"
	       "\t7f12345 [unknown] (/x/q)\n" FRAME " " PLACE "\n"
	       "\t7ffd123 f+0x1 ([vdso])\n" FRAME " " PLACE "\n");
	/* A line between two frames may be one of the source. */
	expect(FRAME "\n  one.c:7\n" FRAME "\n",
	       EXACT "  one.c:7\n" FRAME " one (/build/k/fs/one.c:10?) or "
		     "one (/build/k/fs/one.c:10?)\n");
	/* Behind an event each frame is one of its own. */
	expect("p 1 2: cycles:  7f000101f one+0x1f (/x/p)\n"
	       "p 1 3: cycles:  7f000101f one+0x1f (/x/p)\n",
	       "p 1 2: cycles:  " INLINED
	       "p 1 2: cycles:  7f000101f one+0x1f (/x/p) " PLACE "\n"
	       "p 1 3: cycles:  " INLINED
	       "p 1 3: cycles:  7f000101f one+0x1f (/x/p) " PLACE "\n");
	/* A line with a whole stack ends that stack. */
	expect(ROW ROW, EXACT_ROW EXACT_ROW);
	/* Another place in the page; no number; another kind of text. */
	expect("\t 1022 one+0x1f (/x/p)\n", "\t 1022 one+0x1f (/x/p)\n");
	expect("\tone+0x1f (/x/p)\n", "\tone+0x1f (/x/p)\n");
	expect(" C  [l.so+0x1110]  one+0x0 (/a.c:7)\n",
	       " C  [l.so+0x1110]  one+0x0 (/a.c:7)\n");
}

/* Frames that have a module and a function, and no address. */
Test(log_forms, functions_of_modules)
{
	expect(" 0  p.dll!one + 0x1f\n 1  p.dll!one + 0x1f\n"
	       " 2  p.dll!no + 0x1\n 3  p.dll! + 0x1\n 4  !one + 0x1\n",
	       " " INLINED " 0  p.dll!one + 0x1f " PLACE "\n"
	       " 1  p.dll!one + 0x1f " PLACE "\n"
	       " 2  p.dll!no + 0x1\n 3  p.dll! + 0x1\n 4  !one + 0x1\n");
}

/* MongoDB: a stack, and its frames in lines of their own. */
Test(log_forms, mongodb)
{
#define KEYS ",\"symbol\":\"one\",\"sourceFile\":\"/build/k/fs/one.c\"," \
	     "\"sourceLine\":10}"
#define SOMAP "],\"processInfo\":{\"somap\":[{\"b\":\"7F0000001000\"," \
	      "\"path\":\"/x/p\",\"elfType\":3,\"buildId\":\"0011\"}," \
	      "{\"b\":\"7F0000009000\",\"elfType\":3,\"buildId\":\"22\"}]}}"
#define MONGO "{\"b\":\"7F0000001000\",\"o\":\"1010\",\"s\":\"one\"," \
	      "\"s+\":\"10\""
	expect("{\"backtrace\":[" MONGO "}" SOMAP "\nx\n"
	       "{\"msg\":\"f\",\"attr\":{\"frame\":" MONGO "}}}\n",
	       "{\"backtrace\":[" MONGO KEYS SOMAP "\nx\n"
	       "{\"msg\":\"f\",\"attr\":{\"frame\":" MONGO KEYS "}}\n");
	/* The module is told by its build ID alone; no module; no page; an
	 * offset that is too large; no report. */
	expect("{\"backtrace\":[{\"b\":\"7F0000009000\",\"o\":\"1010\"}" SOMAP
	       "\n",
	       "{\"backtrace\":[{\"b\":\"7F0000009000\",\"o\":\"1010\"" KEYS
	       SOMAP "\n");
	for (size_t i = 0; i < 4; i++) {
		static const char *const frames[] = {
			"{\"b\":\"7F0000005000\",\"o\":\"1010\"}",
			"{\"b\":\"7F0000001008\",\"o\":\"1010\"}",
			"{\"b\":\"7F0000001000\",\"o\":\"7F0000001010\"}",
			"{\"b\":\"7F0000001000\",\"o\":\"101\",\"x\":{}}",
		};
		char log[400];

		sprintf(log, "{\"backtrace\":[%s" SOMAP "\n", frames[i]);
		expect(log, log);
	}
}

#define DART_ID	"build_id: '00112233'\n"
#define DART_BASE "isolate_dso_base: 108000000, vm_dso_base: 108000000\n"
#define ABS	"#01 abs 0000007de0001018 virt "
#define SUM	"0000000000001018 _kDartIsolateSnapshotInstructions+0x18"

/* Dart: the build ID stands before the stack. */
Test(log_forms, dart)
{
	static const char *const same[] = {
		/* No build ID; texts that are none. */
		"    " ABS SUM "\n",
		"build_id: '0011223z'\n" ABS SUM "\n",
		"build_id: '00'\n" ABS SUM "\n",
		"build_id: 00112233\n" ABS SUM "\n",
		/* Part of another file; other addresses. */
		DART_ID "#01 abs 0000007de0001018 unit 2 virt " SUM "\n",
		DART_ID "#01 abs 0000007de0001018 _kDart+0x18\n",
		DART_ID "#01 abs 7de0001018 virt " SUM "\n",
		DART_ID "01 abs 0000007de0001018 virt " SUM "\n",
		DART_ID ABS "1018 _kDart+0x18\n",
		DART_ID ABS "0000000000001018_kDart\n",
		/* On iOS: nothing tells the base; even numbers. */
		DART_ID "#01 abs 000000010800101f _kDart+0x18\n",
		DART_ID DART_BASE "#01 abs 0000000108001018 _kDart+0x18\n",
		DART_ID DART_BASE "#01 abs 000000010700101f _kDart+0x18\n",
		DART_BASE "#01 abs 000000010800101f _kDart+0x18\n",
	};
	char zeros[200];

	expect("*** *** *** ***\n" DART_ID "x\nx\n    " ABS SUM "\n"
	       "<asynchronous suspension>\n    " ABS SUM "\n" ABS
	       "000000000000101f\n",
	       "*** *** *** ***\n" DART_ID "x\nx\n    " ABS SUM " " ONE
	       "\n<asynchronous suspension>\n    " ABS SUM " " ONE "\n"
	       INLINED ABS "000000000000101f " ONE "\n");
	expect(DART_ID ABS SUM "\nx\n" SEVEN ABS SUM "\nx\nx\n" SEVEN ABS SUM
	       "\n",
	       DART_ID ABS SUM " " ONE "\nx\n" SEVEN ABS SUM " " ONE
	       "\nx\nx\n" SEVEN ABS SUM "\n");
	expect(DART_ID ABS SUM " " ABS SUM "\n",
	       DART_ID ABS SUM " " ONE " " ABS SUM " " ONE "\n");
	expect(DART_ID DART_BASE "#01 abs 000000010800101d _kDart+0x18\n",
	       DART_ID DART_BASE "#01 abs 000000010800101d _kDart+0x18 " ONE
	       "\n");
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		expect(same[i], same[i]);
	/* An ID that is too long. */
	snprintf(zeros, sizeof(zeros), "build_id: '%065d'\n" ABS SUM "\n", 0);
	expect(zeros, zeros);
}

/* Messages name a module as a person would, and no build ID but one that is
 * known. */
Test(log_forms, names_of_modules)
{
	static const struct {
		const char *log, *said;
	} cases[] = {
		{ "#0 0x1 (unknown/no+0x1)\n",
		  "no symbols for module \"unknown/no\"\n" },
		{ "#1  0x0000561b9df0b010 n/a (unknown (deleted) + 0x10)\n",
		  "no symbols for module \"unknown\"\n" },
		{ "#01: ???[unknown  (deleted)  +0x10]\n",
		  "no symbols for module \"unknown\"\n" },
		{ "#00 pc 00001010  unknown (BuildId: 0011)\n",
		  "no symbols for module \"unknown\"; BuildID=0011\n" },
	};
	struct gsym_markup_options options = all();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_with(cases[i].log, cases[i].log, cases[i].said, &options,
			    false);
}

/* Variants of a form, as other programs write them.  NULL: the line has no
 * answer. */
Test(log_forms, variants)
{
	static const struct {
		const char *line, *answer;
	} cases[] = {
		/* X.Org, Ruby, DPDK */
		{ "/x/p (0x561b9df0a000+0x1010) [0x561b9df0b010]", ONE },
		{ "/x/p (0x400000+0x1010) [0x401010]", NULL },
		{ "/x/p (0x561b9df0a000+0x1010) [0x561b9df0b011]", NULL },
		{ "/x/p(0x1010) [0x561b9df0b010]", ONE },
		/* RocksDB, Ray */
		{ "#0   /x/p(+0x1010) [0x561b9df0b010] ?\?\t?\?:0", ONE },
		{ "/x/p(+0x1010) [0x561b9df0b010] ray::f<>()", ONE },
		{ "/x/p(+0x1010) [0x561b9df0b010] one()",
		  "(/build/k/fs/one.c:10)" },
		{ "/x/p(+0x1010) [0x561b9df0b010] one", NULL },
		{ "/x/p(+0x1010) [0x561b9df0b010] a::(anonymous "
		  "namespace)::f()",
		  ONE },
		{ "/x/p(+0x1010) [0x561b9df0b010] vm_dump.c:820", NULL },
		{ "/x/p(+0x1010) [0x561b9df0b010] and more", NULL },
		{ "p(+0x1010) [0x561b9df0b010] f()", NULL },
		/* Godot, Redis */
		{ "[1] /x/p(+0x1010) [0x561b9df0b010] (??:0)", ONE },
		{ "p *:6379(+0x1010)[0x561b9df0b010]", ONE },
		{ "p 127.0.0.1:6379 [cluster](+0x1010)[0x561b9df0b010]", ONE },
		{ "p [cluster](+0x1010)[0x561b9df0b010]", NULL },
		/* systemd */
		{ "#1  0x0000561b9df0b010 n/a (/x/p (deleted) + 0x1010)", ONE },
		{ "#1  0x0000561b9df0b010 n/a (/x/p + 0x1010)", ONE },
		/* JVM */
		{ "12:00 ERROR [main] x: C  [p+0x1010]", ONE },
		{ "ERROR [C [x] [p+0x1010]", NULL },
		/* Android: an offset of a mapping, and one of a package */
		{ "#00 pc 0000000000000010  /x/libp.so (offset 0x1000)", ONE },
		{ "#00 pc 0000000000001010  /x/a.apk!p.so (offset 0x1000)",
		  ONE },
		{ "  native: pc 0000000000001010  /x/libp.so", ONE },
		{ "  native: pcx 0000000000001010  /x/libp.so", NULL },
		/* MIPS */
		{ "epc = 77b21010 in p[1010,77b20000+9000]", NULL },
		{ "epc = 77b21010 in p[77b20000+9000]", ONE },
		{ "xepc = 77b21010 in p[77b20000+9000]", NULL },
		{ "epc = 77b21010 in p[77b20000+9000", NULL },
		/* Unreal Engine */
		{ "0x0000561b9df0b010 p!UnknownFunction(0x100f)", ONE },
		{ "0x0000561b9df0b010 p!one(+0xf)", "(/build/k/fs/one.c:10)" },
		{ "0x0000561b9df0b010 p!one(0xf)", NULL },
		{ "0x561b9df0b010 p!UnknownFunction(0x100f)", NULL },
		/* MATLAB */
		{ "[ 12] 0x0000561b9df0b010  /bin/p+00004112", ONE },
		{ "[1] 0x0000561b9df0b010 /b n/lib++.p+00004112 one+00000016",
		  "(/build/k/fs/one.c:10)" },
		{ "[ 12] 0x0000561b9df0b010  /bin/p+00004112 one (b.c:10)",
		  NULL },
		{ "[ 12] 0x0000561b9df0b010  <unknown-module>+00004112", NULL },
		{ "[ 12] 0x0000561b9df0b010  /bin/p+4112", NULL },
		{ "[ 12] 0x561b9df0b010  /bin/p+00004112", NULL },
		{ "[ x12] 0x0000561b9df0b010  /bin/p+00004112", NULL },
		{ " 12] 0x0000561b9df0b010  /bin/p+00004112", NULL },
		{ "[ ] 0x0000561b9df0b010  /bin/p+00004112", NULL },
		{ "[   1.234567] 0x0000561b9df0b010  /bin/p+00004112", NULL },
		/* bpftrace, bcc */
		{ "\t561b9df0b010 one+16 (/x/p)", "(/build/k/fs/one.c:10)" },
		{ "\t561b9df0b010 one+ (/x/p)", NULL },
		{ "        one+0x10 [p]", "(/build/k/fs/one.c:10)" },
		{ "   one+0x10 [p]", NULL },
		{ "        one+0x10 [kernel]", NULL },
		/* libexecinfo */
		{ "0x561b9df0b010 <one+0x10> at /x/p",
		  "(/build/k/fs/one.c:10)" },
		{ "0x1010 <??\?> at /x/p", NULL },
		{ "0x561b9df0b010 <one+0x10> at x/p", NULL },
		{ "561b9df0b010 <one+0x10> at /x/p", NULL },
		{ "0x561b9df0b010 <> at /x/p", NULL },
		/* Couchbase */
		{ "#3  /x/p() [0x561b9df0a000+0x1010]", ONE },
		{ "#3  /x/p(one+0x10) [0x561b9df0a000+0x1010]",
		  "(/build/k/fs/one.c:10)" },
		{ "#3  /x/p(one+0) [0x561b9df0a000+0x1000]", NULL },
		{ "#3  /x/p() [0x561b9df0a000+0]", NULL },
		{ "#3  /x/p() [+0x1010]", NULL },
		/* Valgrind */
		{ "==7==    by 0x10900F: ??? (in /x/p)", ONE },
		{ "==7==    by 0x10900F: one (in /x/p)",
		  "(/build/k/fs/one.c:10)" },
		{ "->9.00% (9B) 0x10900F: ??? (in /x/p)", ONE },
		{ "==7==    by 0x410900F: ??? (in /x/p)", NULL },
		{ "==7==    by 0x10900F: ??? (in /x/libp.so)", NULL },
		/* OpenJ9 */
		{ "4XENATIVESTACK   (0x0000561B9DF0B010 [p+0x1010])", ONE },
		{ "(0x0000561B9DF0B010 [p+0x1010])", ONE },
		{ "4XENATIVESTACK   one+0x10 (0x0000561B9DF0B010 [p+0x1010])",
		  "(/build/k/fs/one.c:10)" },
		{ "4XENATIVESTACK  x(0x0000561B9DF0B010 [p+0x1010])", NULL },
		{ "f(x) (0x0000561B9DF0B010[p+0x1010])", NULL },
		/* Parentheses and brackets in paths */
		{ "==7==    by 0x10900F: ??? (in /x (y)/p)", ONE },
		{ "1. ? @ 0x1010 in /x (y)/p", ONE },
		{ "1. ? @ 0x1010 in /x/p (y)", ONE },
		{ "#1: ??? (/x (y)/p + 0x1010)", ONE },
		{ "#1: ???[/x [y]/p +0x1010]", ONE },
		{ "3: f (/x (y)/p+0x1010)", ONE },
		{ "3: f (unknown (y)/p+0x1010)", NULL },
	};
	char log[200], wanted[300];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *answer = cases[i].answer;

		snprintf(log, sizeof(log), "%s\n", cases[i].line);
		snprintf(wanted, sizeof(wanted), "%s%s%s\n", cases[i].line,
			 answer ? " " : "", answer ? answer : "");
		expect(log, wanted);
	}
	/* Ruby with musl, and old versions of glibc: the address alone.
	 * Another frame tells how far the module was moved. */
	expect("/x/p(0x561b9df0b010) [0x561b9df0b010]\n"
	       "/x/p(one+0x10) [0x561b9df0b010]\n"
	       "/x/p(0x561b9df0b010) [0x561b9df0b010]\n"
	       "/x/p() [0x561b9df0b010]\n",
	       "/x/p(0x561b9df0b010) [0x561b9df0b010]\n"
	       "/x/p(one+0x10) [0x561b9df0b010] (/build/k/fs/one.c:10)\n"
	       "/x/p(0x561b9df0b010) [0x561b9df0b010] " ONE "\n"
	       "/x/p() [0x561b9df0b010] " ONE "\n");
	/* ClickHouse, in one line with its version. */
	expect("f 0. ? @ 0x1010 in /x/p 1. ? @ 0x1010 in /x/p (version 20.1)\n",
	       "f 0. ? @ 0x1010 in /x/p " ONE " 1. ? @ 0x1010 in /x/p " ONE
	       " (version 20.1)\n");
	expect("    #1 0x5590 in one (/x (y)/p+0x1010)\n",
	       "    #1 0x5590 in one /build/k/fs/one.c:10 (/x (y)/p+0x1010)\n");
	expect("6: [/x/p(+0x1010) [0x561b9df0b010]]\n",
	       "6: [/x/p(+0x1010) [0x561b9df0b010] " ONE "]\n");
	/* Frames of Android: 16 digits beyond frame 0 may be an instruction of
	 * Thumb; without a number the frame may be frame 0. */
	expect("#01 pc 000000000000101f  /x/libp.so\n",
	       "#01 pc 000000000000101f  /x/libp.so " ONE "\n");
	expect("  native: pc 000000000000101f  /x/libp.so\n",
	       "  " INLINED "  native: pc 000000000000101f  /x/libp.so " ONE
	       "\n");
	/* Several frames in a line, also of both forms. */
	expect("#00 pc 0000000000001010  /x/libp.so\\n"
	       "#01 pc 0000000000001010  /x/libp.so\n",
	       "#00 pc 0000000000001010  /x/libp.so " ONE "\\n"
	       "#01 pc 0000000000001010  /x/libp.so " ONE "\n");
	expect("  native: pc 0000000000001010  /x/libp.so\\n"
	       "  native: pc 0000000000001010  /x/libp.so\n",
	       "  native: pc 0000000000001010  /x/libp.so " ONE "\\n"
	       "  native: pc 0000000000001010  /x/libp.so " ONE "\n");
	expect("#00 pc 0000000000001010  /x/libp.so "
	       "  native: pc 0000000000001010  /x/libp.so\n",
	       "#00 pc 0000000000001010  /x/libp.so " ONE " "
	       "  native: pc 0000000000001010  /x/libp.so " ONE "\n");
	/* MATLAB: the frame of a fault, and a return address. */
	expect("[  0] 0x0000561b9df0b01f  /bin/p+00004127\n"
	       "[  1] 0x0000561b9df0b01f  /bin/p+00004128\n",
	       "[  0] 0x0000561b9df0b01f  /bin/p+00004127 one "
	       "(/build/k/fs/one.c:10?) or one (/build/k/fs/one.c:10?)\n"
	       INLINED "[  1] 0x0000561b9df0b01f  /bin/p+00004128 " ONE "\n");
	/* These lines have no words. */
	expect("x(): sending SIGSEGV to p\nera = 77b21010 in p[77b20000+9]\n"
	       "ra  = 77b21010 in p[77b20000+9]\n",
	       "x(): sending SIGSEGV to p\nera = 77b21010 in p[77b20000+9] "
	       ONE "\nra  = 77b21010 in p[77b20000+9] " ONE "\n");
	expect("epc = 77b21010 in p[77b20000+9000]\n"
	       "ra  = 77b21010 in p[77b20000+9000]\n",
	       "epc = 77b21010 in p[77b20000+9000] " ONE "\n"
	       "ra  = 77b21010 in p[77b20000+9000] " ONE "\n");
}

/* Addresses alone, which the map gives a meaning. */
Test(log_forms, addresses_alone)
{
	static const struct {
		const char *line, *answer;
	} cases[] = {
		{ "#9   Object \"/src/p\", at 0x11010, in one",
		  " (/build/k/fs/one.c:10)" },
		{ "#9   Object \"/src/p\", at 0x11010, in", " " ONE },
		{ "#9   Object \"/src/p\", at 0x11010", NULL },
		{ "\t0x11010 - /src/p : (null)", " " ONE },
		{ "\t0x11010 - /src/p : one", " (/build/k/fs/one.c:10)" },
		{ "Nov 20 10:41:07 host mono[12]: \t0x11010 - /src/p : (null)",
		  " " ONE },
		{ "x0x11010 - /src/p : (null)", NULL },
		{ "0. ? @ 0x0000000000011010", " " ONE },
		{ "0. one @ 0x0000000000011010", " (/build/k/fs/one.c:10)" },
		{ "1. /s/a.c:7: one @ 0x0000000000011010", NULL },
		{ "#1: [0x11010]", " " ONE },
		{ "x #1: one [0x11010]", " (/build/k/fs/one.c:10)" },
		{ "1: one [0x11010]", NULL },
		/* Registers */
		{ "E: Faulting instruction address (r15/pc): 0x00011010",
		  " " ONE },
		{ "x <err> os: r12/ip:  0x00000001 r14/lr:  0x00011011",
		  " " ONE },
		{ "E:      mepc: 00011010", " " ONE },
		{ "E: ELR_ELn: 0x0000000000011010", " " ONE },
		{ "Faulting instruction address = 0x11010", " " ONE },
		{ "E:      ra: 00011011", " " ONE },
		{ "E:      ra: 0000000000011011", " " ONE },
		{ "E:    mepc: 00011010 [one+0x10]",
		  " (/build/k/fs/one.c:10)" },
		{ "E:    xepc: 00011010", " " ONE },
		{ "E: x18: 0x0000000000000000  lr:  0x0000000000011014",
		  " " ONE },
		{ "E: EIP: 0x00011010", " " ONE },
		{ "E: RIP: 0x0000000000011010", " " ONE },
		{ "ra: 00011011", NULL },
		{ "E:      ra: 00011011 and more", NULL },
		{ "E:    mepc: 00011010 [one+0x10", NULL },
		{ "EIP: 0010:0x00011010", NULL },
		{ "E: lr:  0x0000000000011014", NULL },
		{ "E: Faulting instruction address (r15/pc): 0x00021010",
		  NULL },
		{ "E: r14/lr:  0xfffffff9", NULL },
		{ "E:      mepc: 11010", NULL },
		{ "E:      mepc: 0x11010x", NULL },
		{ "xmepc: 00011010", NULL },
		{ "elr: 0000000000011010 lr : 0000000000011018", NULL },
		{ "elr: 0000000000011010 (reloc)", NULL },
		{ "pc : [<00011010>]\t   lr : [<00011018>]", NULL },
		{ "reloc pc : [<00011010]\t   lr : [<00011018>]", NULL },
		{ "PC=0x11010 m=0", NULL },
		{ "PC=0x11010 sigcode=0", NULL },
		{ "epc1=0x00011010 epc3=0x00000000", NULL },
		/* The ESP8266's stack (esp8266/Arduino#7349, and as
		 * print_stack of its core_esp8266_postmortem.cpp marks what
		 * may be frames): any word may be an address. */
		{ ">>>stack>>>\n3ffffc30:  3ffeaf48 04a726ed 00011010 3ffef288",
		  NULL },
		{ "3ffffc40:  00011010 00011018 3ffffc50 00011010 <", NULL },
		/* Profiles of the heap */
		{ "  1: 9 [1: 9] @ 0x00011010 0x00011018", NULL },
		{ "  1: 9 [1: 9] @ 0x00011010", NULL },
		{ "heap_v2/524288\n@ 0x00011010", NULL },
		{ "heap_v3/524288\n@ 0x00011010", " " ONE },
		{ "heap_v2/524288\nMAPPED_LIBRARIES:\n"
		  "7f2db7d39000-7f2db7d40000 r-xp 00000000 fe:00 4 /usr/l.so\n"
		  "@ 0x00011010",
		  " " ONE },
		{ "@ 0x00011010", " " ONE },
	};
	struct gsym_markup_options options = all();
	char log[400], wanted[800];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *answer = cases[i].answer;

		snprintf(log, sizeof(log), "%s%s\n", map, cases[i].line);
		snprintf(wanted, sizeof(wanted), "%s%s%s\n", map,
			 cases[i].line, answer ? answer : "");
		expect_with(log, wanted, NULL, &options, false);
	}
	/* Other registers follow. */
	snprintf(log, sizeof(log),
		 "%selr: 0000000000011010 lr : 0000000000011018 (reloc)\n"
		 "reloc pc : [<00011010>]\t   lr : [<00011018>]\n"
		 "epc1=0x00011010 epc2=0x00000000 epc3=0x00000000\n"
		 "PC=0x11010 m=0 sigcode=1 addr=0x20\n", map);
	snprintf(wanted, sizeof(wanted),
		 "%selr: 0000000000011010 " ONE " lr : 0000000000011018 " ONE
		 " (reloc)\nreloc pc : [<00011010>] " ONE
		 "\t   lr : [<00011018>] " ONE "\nepc1=0x00011010 " ONE
		 " epc2=0x00000000 epc3=0x00000000\nPC=0x11010 " ONE
		 " m=0 sigcode=1 addr=0x20\n",
		 map);
	expect_with(log, wanted, NULL, &options, false);
	/* A frame that waits for the map behind one of another form. */
	snprintf(log, sizeof(log),
		 "/x/p(+0x1010)[0x7f001010]\n#1 0x00011010\n%s", map);
	snprintf(wanted, sizeof(wanted),
		 "/x/p(+0x1010)[0x7f001010] " ONE "\n#1 0x00011010 " ONE "\n%s",
		 map);
	expect_with(log, wanted, "the log does not tell the build of \"/x/p\": "
		    "its symbols may be of another one\nthe log does not tell "
		    "the build of \"/src/p\": its symbols may be of another "
		    "one\n", &options, true);
}

/* Envoy: the line of its map that has code (envoyproxy/envoy#38978), and frame
 * 1 behind a frame that may be a trampoline (envoyproxy/envoy#6744). */
Test(log_forms, envoy)
{
#define MAPPING "h] Address mapping: 5c0807cb4000-5c080a96d000 /x/p\n"
	static const struct {
		const char *log, *wanted;
	} cases[] = {
		{ MAPPING "#2: [0x5c0807cb4010]\n",
		  MAPPING "#2: [0x5c0807cb4010] " ONE "\n" },
		{ MAPPING "#2: one [0x5c0807cb4010]\n#3: [0x7411ae678520]\n",
		  MAPPING "#2: one [0x5c0807cb4010] " PLACE
			  "\n#3: [0x7411ae678520]\n" },
		/* A program has its place, so that frame 2 is no vdso. */
		{ MAPPING "#2: [0x5c0807cb4010]\n#3: [0x5c0807cb401f]\n",
		  MAPPING "#2: [0x5c0807cb4010] " ONE "\n"
			  "#3: [0x5c0807cb401f] " ONE "\n" },
		/* Another run. */
		{ MAPPING "Address mapping: 5c0907cb4000-5c090a96d000 /x/p\n"
			  "#2: [0x5c0807cb4010]\n#2: [0x5c0907cb4010]\n",
		  MAPPING "Address mapping: 5c0907cb4000-5c090a96d000 /x/p\n"
			  "#2: [0x5c0807cb4010]\n#2: [0x5c0907cb4010] " ONE
			  "\n" },
		{ MAPPING "#0: [0x7411ae678520]\n#1: [0x5c0807cb401f]\n"
			  "#2: [0x5c0807cb4018]\n",
		  MAPPING "#0: [0x7411ae678520]\n#1: [0x5c0807cb401f] one "
			  "(/build/k/fs/one.c:10?) or one "
			  "(/build/k/fs/one.c:10?)\n"
			  "#2: [0x5c0807cb4018] " ONE "\n" },
		{ MAPPING "#0: __restore_rt [0x7411ae678520]\n"
			  "#1: [0x5c0807cb401f]\n",
		  MAPPING "#0: __restore_rt [0x7411ae678520]\n" INLINED
			  "#1: [0x5c0807cb401f] " ONE "\n" },
		/* No such lines. */
		{ "Address mapping: 5c0807cb4000-5c080a96d000 p\n"
		  "#2: [0x5c0807cb4010]\n",
		  NULL },
		{ "Address mapping: 5c080a96d000-5c0807cb4000 /x/p\n"
		  "#2: [0x5c0807cb4010]\n",
		  NULL },
		{ "Address mapping: 5c0807cb4000-5c080a96d000 /y/q\\n"
		  "loading /x/p\n#2: [0x5c0807cb4010]\n",
		  NULL },
		{ "Address mapping: 5c0807cb4000-5c080a96d000 /y/q is "
		  "now /x/p\n#2: [0x5c0807cb4010]\n",
		  NULL },
		{ "Address map: 5c0807cb4000-5c080a96d000 /x/p\n"
		  "#2: [0x5c0807cb4010]\n",
		  NULL },
	};
	struct gsym_markup_options options = all();
	struct run r = { .unplaced = true };

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_with(cases[i].log,
			    cases[i].wanted ? cases[i].wanted : cases[i].log,
			    NULL, &options, false);
	/* Where the code was linked to is not known. */
	filter(&r, cases[0].log, strlen(cases[0].log), 1000, &options, NULL);
	cr_expect_str_eq(r.text, cases[0].log);
	free(r.text);
}

/* Lines of another process lie in a report of many lines. */
Test(log_forms, report_with_lines_between)
{
#define BEGIN "{\n  \"crash_info\": {\n    \"adjusted_address\": null\n  },\n" \
	      "  \"x\": [{\n"
#define REST "    \"module\": \"/x/p\",\n    \"module_offset\": \"0x1010\",\n" \
	     "    \"trust\": \"context\"\n  }]\n}\n"
#define OTHER "h p[7]: x\n"
	struct gsym_markup_options options = all();

	options.headers = GSYM_MARKUP_HEADERS_SYSLOG;
	expect_with(BEGIN "    \"file\": null,\n" OTHER
		    "    \"function\": null,\n" OTHER "    \"line\": null,\n"
		    OTHER REST,
		    BEGIN "    \"file\": \"/build/k/fs/one.c\",\n" OTHER
		    "    \"function\": \"one\",\n" OTHER "    \"line\": 10,\n"
		    OTHER REST,
		    NULL, &options, false);
}
