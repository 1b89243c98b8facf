/* SPDX-License-Identifier: MIT */
/* Names of programs, and command lines. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "personality/personality.h"

Test(settings, personalities_by_name)
{
	static const struct {
		const char *name;
		enum personality personality;
	} rows[] = {
		{ "gsym-lookup", PERSONALITY_NONE },
		{ "addr2line", PERSONALITY_ADDR2LINE },
		{ "/usr/bin/gsym-addr2line", PERSONALITY_ADDR2LINE },
		{ "x86_64-linux-gnu-addr2line-2.40", PERSONALITY_ADDR2LINE },
		{ "notaddr2linetool", PERSONALITY_ADDR2LINE },
		{ "llvm-addr2line-22", PERSONALITY_LLVM_ADDR2LINE },
		{ "eu-addr2line", PERSONALITY_REFUSED },
		{ "llvm-symbolizer", PERSONALITY_LLVM_SYMBOLIZER },
		{ "gsym-symbolizer", PERSONALITY_LLVM_SYMBOLIZER },
		{ "/usr/lib/addr2line/gsym-lookup", PERSONALITY_NONE },
	};
	int skip;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *argv[] = { (char *)rows[i].name, NULL };
		cr_expect_eq(choose_personality(1, argv, &skip),
			     rows[i].personality, "%s", rows[i].name);
		cr_expect_eq(skip, 0);
	}
}

Test(settings, personalities_by_option)
{
	static const struct {
		const char *option;
		enum personality personality;
	} rows[] = {
		{ "--personality=gsym", PERSONALITY_NONE },
		{ "--personality=addr2line", PERSONALITY_ADDR2LINE },
		{ "--personality=llvm-addr2line", PERSONALITY_LLVM_ADDR2LINE },
		{ "--personality=llvm-symbolizer",
		  PERSONALITY_LLVM_SYMBOLIZER },
		{ "--personality=nm", PERSONALITY_UNKNOWN },
		{ "--personality=", PERSONALITY_UNKNOWN },
	};
	int skip;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *argv[] = { (char *)"addr2line",
				 (char *)rows[i].option, NULL };
		cr_expect_eq(choose_personality(2, argv, &skip),
			     rows[i].personality, "%s", rows[i].option);
		cr_expect_eq(skip, 1);
	}
}

/* Read the words of LINE as a command line. */
static struct settings read_line(enum personality personality,
				 const char *line)
{
	struct settings s = { .personality = personality, .program = "test" };
	struct arguments words = { 0 };
	extra_add_words(&words, line);
	extra_start(&s);
	if (personality == PERSONALITY_ADDR2LINE)
		settings_addr2line(&s, words.count, words.items);
	else
		settings_llvm(&s, words.count, words.items);
	return s;
}

Test(settings, addr2line_defaults)
{
	struct settings s = read_line(PERSONALITY_ADDR2LINE, "addr2line");
	cr_expect_str_eq(s.path, "a.out");
	cr_expect_eq(s.names, NAMES_NONE);
	cr_expect(!s.inlines && !s.demangle && !s.pretty && !s.addresses);
	cr_expect_eq(s.operand_count, 0);
	cr_expect_eq(s.style, STYLE_GNU);
}

Test(settings, addr2line_letters)
{
	struct settings s = read_line(PERSONALITY_ADDR2LINE,
				      "addr2line 12 -afipCse prog 34");
	cr_expect_str_eq(s.path, "prog");
	cr_expect_eq(s.names, NAMES_LINKAGE);
	cr_expect(s.inlines && s.demangle && s.pretty && s.addresses &&
		  s.basenames);
	cr_expect_eq(s.operand_count, 2);
	cr_expect_str_eq(s.operands[0], "12");
	cr_expect_str_eq(s.operands[1], "34");
}

Test(settings, addr2line_long)
{
	struct settings s = read_line(
		PERSONALITY_ADDR2LINE,
		"addr2line --func --pretty-print --inl --addresses --exe=a "
		"--exe b --demangle=auto --no-recurse-limit -b elf "
		"--section=.text --gsym-file-directory=d --no-verify -- -1");
	cr_expect_str_eq(s.path, "b");
	cr_expect_str_eq(s.section, ".text");
	cr_expect_str_eq(s.source.gsym_folders.items[0], "d");
	cr_expect(s.demangle && s.inlines && s.addresses && s.no_verify);
	cr_expect_eq(s.operand_count, 1);
	cr_expect_str_eq(s.operands[0], "-1");
}

Test(settings, addr2line_no_demangling)
{
	struct settings s = read_line(PERSONALITY_ADDR2LINE,
				      "addr2line -C --demangle=none");
	cr_expect_not(s.demangle);
}

Test(settings, llvm_defaults)
{
	struct settings s =
		read_line(PERSONALITY_LLVM_SYMBOLIZER, "llvm-symbolizer");
	cr_expect_null(s.path);
	cr_expect_eq(s.names, NAMES_LINKAGE);
	cr_expect(s.inlines && s.demangle);
	cr_expect_eq(s.style, STYLE_LLVM);
	s = read_line(PERSONALITY_LLVM_ADDR2LINE, "llvm-addr2line");
	cr_expect_null(s.path);
	cr_expect_eq(s.names, NAMES_NONE);
	cr_expect(!s.inlines && !s.demangle);
	cr_expect_eq(s.style, STYLE_GNU);
}

/* As pprof calls it. */
Test(settings, llvm_one_dash)
{
	struct settings s = read_line(
		PERSONALITY_LLVM_SYMBOLIZER,
		"x -inlining -demangle=false -output-style=JSON -obj=f 0x1");
	cr_expect_str_eq(s.path, "f");
	cr_expect(s.inlines && !s.demangle);
	cr_expect_eq(s.style, STYLE_JSON);
	cr_expect_eq(s.operand_count, 1);
}

Test(settings, llvm_values)
{
	struct settings s = read_line(
		PERSONALITY_LLVM_SYMBOLIZER,
		"x --functions=short --inlining=false --adjust-vma=0x10 "
		"--obj a --exe=b --default-arch=x86_64 "
		"--debug-file-directory d --print-source-context-lines 3 "
		"--relative-address --verbose --color=never");
	cr_expect_eq(s.names, NAMES_SHORT);
	cr_expect(!s.inlines && s.relative && s.verbose);
	cr_expect_eq(s.adjust, 16);
	cr_expect_str_eq(s.path, "b");
	cr_expect_str_eq(s.source.debug_folders.items[0], "d");
	cr_expect_eq(s.context_lines, 3);
	cr_expect_str_eq(s.colour, "never");
	cr_expect_eq(s.operand_count, 0);
}

Test(settings, llvm_build_id)
{
	struct settings s = read_line(PERSONALITY_LLVM_SYMBOLIZER,
				      "x --build-id 00fF 0x10");
	cr_expect_str_eq(s.build_id, "00fF");
	cr_expect_null(s.path);
	cr_expect_eq(s.operand_count, 1);
}

Test(settings, llvm_letters)
{
	struct settings s = read_line(PERSONALITY_LLVM_ADDR2LINE,
				      "x -afipCse prog 11ec");
	cr_expect_str_eq(s.path, "prog");
	cr_expect_eq(s.names, NAMES_LINKAGE);
	cr_expect(s.inlines && s.demangle && s.pretty && s.addresses &&
		  s.basenames);
	cr_expect_eq(s.operand_count, 1);
	s = read_line(PERSONALITY_LLVM_ADDR2LINE, "x -eprog -f=none");
	cr_expect_str_eq(s.path, "prog");
	cr_expect_eq(s.names, NAMES_NONE);
	s = read_line(PERSONALITY_LLVM_ADDR2LINE, "x -e=prog -- -1");
	cr_expect_str_eq(s.path, "prog");
	cr_expect_eq(s.operand_count, 1);
}

Test(settings, environment)
{
	struct settings s = { .personality = PERSONALITY_ADDR2LINE };
	extra_start(&s);
	cr_expect_eq(s.fallbacks[0], FALLBACK_CONVERT);
	cr_expect_eq(s.fallbacks[1], FALLBACK_SYMBOLS);
	cr_expect_eq(s.fallbacks[2], FALLBACK_NONE);
	setenv("GSYM_LOOKUP_OPTS",
	       " --fallback=symbols,convert  --convert-limit=3\t--no-verify "
	       "--gsym-file-directory=/d ",
	       1);
	extra_environment(&s);
	cr_expect_eq(s.fallbacks[0], FALLBACK_SYMBOLS);
	cr_expect_eq(s.fallbacks[1], FALLBACK_CONVERT);
	cr_expect_eq(s.fallbacks[2], FALLBACK_NONE);
	cr_expect_eq(s.convert_limit, 3 << 20);
	cr_expect(s.no_verify);
	cr_expect_str_eq(s.source.gsym_folders.items[0], "/d");
}

Test(settings, words_in_files)
{
	struct arguments a = { 0 };
	char path[] = "/tmp/gsym-words-XXXXXX", at[64];
	static const char words[] = " -e 'a b'\n\"c'd\"  e\\ f ''\tg";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	fputs(words, file);
	fclose(file);
	snprintf(at, sizeof(at), "@%s", path);
	extra_add_expanded(&a, at);
	extra_add_expanded(&a, "@/nonexistent");
	remove(path);
	static const char *const wanted[] = { "-e",  "a b", "c'd", "e f",
					      "",    "g",   "@/nonexistent" };
	cr_assert_eq(a.count, 7);
	for (int i = 0; i < 7; i++)
		cr_expect_str_eq(a.items[i], wanted[i]);
	cr_expect_null(a.items[7]);
	extra_free_words(&a);
}
