/* SPDX-License-Identifier: MIT */
/* Facts, and the lines that are looked at. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/logs/expect.h"

static bool fact(const char *line, struct logs_fact *ret)
{
	return gsym_logs_fact(gsym_logs_ask(GSYM_MARKUP_LOG_ALL).all, line,
			      line + strlen(line), ret);
}

Test(facts, release)
{
	static const char *const lines[] = {
		"CPU: 0 PID: 1 Comm: x Not tainted 6.1.0-a+b #1",
		"CPU: 0 PID: 1 Comm: a #2 b Tainted: G   OE   6.1.0-a+b #1 "
		"Debian",
		"[ 0.0] Linux version 6.1.0-a+b (me@host) (gcc) #1 SMP",
	};
	struct logs_fact f;

	for (size_t i = 0; i < 3; i++) {
		cr_expect(fact(lines[i], &f), "%s", lines[i]);
		cr_expect_eq(f.kind, LOGS_RELEASE, "%s", lines[i]);
		expect_text(f.name, "6.1.0-a+b", "release", lines[i]);
		expect_text(f.build_id, NULL, "build ID", lines[i]);
	}
	cr_assert(fact("Not tainted 6.1 #1 " ID " ", &f));
	expect_text(f.build_id, ID, "build ID", "with ID");
	cr_expect_not(fact("Not tainted ../x #1", &f));
	cr_expect_not(fact("Not tainted x6.1 #1", &f));
	cr_expect_not(fact("Not tainted 6..1 #1", &f));
	cr_expect_not(fact("Linux version 6.1", &f));
}

Test(facts, modules)
{
	struct logs_fact f;

	cr_assert(fact("  Module a b with build-id 0123abcd", &f));
	cr_expect_eq(f.kind, LOGS_MODULE);
	expect_text(f.name, "a b", "name", "with");
	expect_text(f.build_id, "0123abcd", "build ID", "with");
	cr_assert(fact("Found module a with build-id: 0123abcd", &f));
	expect_text(f.build_id, "0123abcd", "build ID", "found");
	cr_assert(fact("Found module a without build-id.", &f));
	expect_text(f.build_id, NULL, "build ID", "without");
	cr_expect_not(fact("Module a from deb b", &f));
	cr_assert(fact("x Process 12 (a b) of user 1 dumped core.", &f));
	cr_expect_eq(f.kind, LOGS_PROCESS);
}

Test(facts, others)
{
	struct logs_fact f;

	cr_assert(fact("Build fingerprint: 'a/b/c:8.1.0/x/1:user'", &f));
	cr_expect(f.kind == LOGS_OWN && f.number == 8);
	cr_assert(fact("x ABI: 'x86_64'", &f));
	expect_text(f.name, "x86_64", "ABI", "ABI");
	cr_assert(fact("*** *** *** *** ***", &f));
	cr_expect_eq(f.kind, LOGS_PROCESS);
	cr_assert(fact("Stack: [0x1,0x2],  sp=0x1", &f));
	cr_expect(f.kind == LOGS_OWN && f.watch);
	cr_assert(fact("Native frames: (J=compiled)", &f));
	cr_expect(f.kind == LOGS_OWN && f.nearby);
	cr_assert(fact("---[ end trace 0 ]---", &f));
	cr_expect_eq(f.kind, LOGS_OWN);
}

/* ---- where to look --------------------------------------------------- */

Test(facts, special)
{
	static const char *const special[] = {
		"\033",
		"{{{",
		"+0x1/",
		"+0x1)",
		"+0x1]",
		"+ 0x1)",
		"[0x1]\n",
		"+0x1 \n",
		"+0x1\r\n",
		"+0x1\"",
		"+0x1\\n",
		"+ 0x1 (0x2",
		"Stack: [0x1,0x2]",
		"0  pc 1",
		"1 pc 1",
		"---[ x",
		"build-id",
		"*** ***",
		"Process 1 x",
		"tainted 6 #1",
		"Linux version 6 (a) #1",
		" 0x12345678 0x1 + 1",
		"\t0x12345678 0x1 + 1",
		"Process:  a",
		"Proc\"",
	};
	static const char *const plain[] = {
		" 0x1",	  "{{",	     "epc 1", " pcx",	     "x #1",
		"--",	  "re-id",   "** *",  "Process x y", "0x",
		"+0x1 x", "[0x1] x", "[0x1,", "=0x1)",
		"=0x12345678 0x1 + 1",
	};
	char text[256];

	for (size_t at = 0; at < 150; at++) {
		for (size_t i = 0; i < sizeof(special) / sizeof(*special);
		     i++) {
			memset(text, '.', sizeof(text));
			memcpy(text + at, special[i], strlen(special[i]));
			const char *found = gsym_logs_special(text, 200);

			cr_expect(gsym_logs_special_compared(text, 200) ==
				  found);
			cr_expect(found >= text + at &&
					  found < text + at +
							  strlen(special[i]),
				  "'%s' at %zu", special[i], at);
		}
		for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
			memset(text, '.', sizeof(text));
			memcpy(text + at, plain[i], strlen(plain[i]));
			cr_expect_null(gsym_logs_special(text, 200),
				       "'%s' at %zu", plain[i], at);
		}
	}
}

Test(facts, searches_agree)
{
	static const char *const parts[] = {
		".",  "\033",  "{{", "+",  "0x", "[",	  " ",	"1",  "]",
		"pc", " #1", "--", "ui", "**", "Pr", "\377", "\n", "ainted",
	};
	enum { COUNT = sizeof(parts) / sizeof(*parts) };
	char text[400];

	srand(1);
	for (int i = 0; i < 20000; i++) {
		size_t size = 0, wanted = (size_t)rand() % 300;

		while (size < wanted) {
			/* Mostly dots, so that words stand anywhere. */
			size_t part = rand() % 4 ? 0 : (size_t)rand() % COUNT;
			size_t more = strlen(parts[part]);

			memcpy(text + size, parts[part], more);
			size += more;
		}
		cr_assert(gsym_logs_special(text, size) ==
				  gsym_logs_special_compared(text, size),
			  "%.*s", (int)size, text);
	}
}
