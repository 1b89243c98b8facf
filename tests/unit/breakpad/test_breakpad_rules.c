/* SPDX-License-Identifier: MIT */
/* The rules of Breakpad symbol files, on small texts. */
#include "support/breakpad_input.h"

#include <gsym/reader.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
#define HEAD MODULE "FILE 1 /s/a.c\nFILE 2 /s/b.c\n"

/* R's answer for ADDRESS has to be WANT. */
static void expect(struct breakpad_result *r, uint64_t address,
		   const char *want)
{
	const char *got = breakpad_answer(r, address);

	cr_expect_str_eq(got, want, "0x%" PRIx64 ": '%s', not '%s'", address,
			 got, want);
}

static void convert(const char *text, struct breakpad_result *ret)
{
	cr_assert_eq(breakpad_input_text(text, NULL, ret), GSYM_OK, "%s: %s",
		     text, ret->error.message);
}

static void expect_one(const char *text, uint64_t address, const char *want)
{
	struct breakpad_result result;

	convert(text, &result);
	expect(&result, address, want);
	breakpad_result_fini(&result);
}

/* ---- numbers, names, lines ---------------------------------------------- */

Test(breakpad_rules, numbers)
{
	struct breakpad_result r;

	/* Leading zeros, upper and lower case, the prefix 0x, tabs and trailing
	 * blanks are accepted. */
	expect_one(HEAD "FUNC\t0x00000000000000000000001A00 0X1f 0  f \t\n"
			"1a00 01F 07 1\n", 0x1a00, "f /s/a.c:7");
	expect_one(HEAD "FUNC fffffffffffffff0 e 0 high\n",
		   0xfffffffffffffffd, "high none:0");
	expect_one(HEAD "FUNC 1000 10 0 f\n1000 10 4294967295 1\n", 0x1000,
		   "f /s/a.c:4294967295");
	/* Numbers that are too large, have too many digits, have a sign, or
	 * have no digits are refused. */
	convert(HEAD "FUNC 1000 10 0 f\n"
		     "1000 10 4294967296 1\n1000 10 1 -\n1000 10 +1 1\n"
		     "1000 1g 1 1\n1000 10 1\n0x 10 1 1\n"
		     "FUNC ffffffffffffffff 0 0 g\n"
		     "FUNC 10000000000000000 10 0 g\nFUNC -1000 10 0 g\n"
		     "FUNC 2000 10 g\nFUNC 2000 100000000 0 g\n"
		     "FUNC ffffffffffffff00 101 0 g\nPUBLIC x 0 g\n"
		     "FILE -1 x\nFILE 4294967296 x\nINLINE_ORIGIN x y\n", &r);
	cr_expect_eq(r.warnings[GSYM_WARN_BAD_RECORD], 16, "%u",
		     r.warnings[GSYM_WARN_BAD_RECORD]);
	cr_expect(!strncmp(r.first[GSYM_WARN_BAD_RECORD], "line ", 5));
	cr_expect_eq(gsym_function_count(r.reader), 1);
	breakpad_result_fini(&r);
}

Test(breakpad_rules, names_are_the_rest_of_the_line)
{
	expect_one(HEAD "FUNC m 10 8 0 m operator()(a, b)  const::{#1} \n",
		   0x10, "m operator()(a, b)  const::{#1} none:0");
	expect_one(HEAD "FUNC 10 8 0 caf\xe9 \xc3\xa9\n", 0x10,
		   "caf\xe9 \xc3\xa9 none:0");
	expect_one(HEAD "FUNC 10 8 0\n", 0x10, "<unknown> none:0");
	expect_one(HEAD "FUNC 10 8 0  \t \n", 0x10, "<unknown> none:0");
	expect_one(HEAD "PUBLIC m 10 0\nPUBLIC 20 0 x\n", 0x10,
		   "<unknown> none:0");
	expect_one(HEAD "PUBLIC 10 a name\nPUBLIC 20 0 x\n", 0x10,
		   "name none:0");
	expect_one(HEAD "PUBLIC 10 no size\nPUBLIC 20 0 x\n", 0x10,
		   "no size none:0");
}

Test(breakpad_rules, lines_that_end_early_or_late)
{
	/* The last line has no LF; a record has more fields than it needs. */
	expect_one(HEAD "FUNC 10 8 0 f\n10 8 5 1", 0x10, "f /s/a.c:5");
	expect_one(HEAD "FUNC 10 8 0 f\n10 8 5 1 and more 2\n", 0x10,
		   "f /s/a.c:5");
	expect_one(HEAD "FUNC 10 8 0 last", 0x10, "last none:0");
	/* Names are missing. */
	expect_one(HEAD "INLINE_ORIGIN 1\nFUNC 10 8 0 f\n"
			"INLINE 0 3 1 1 10 8\n", 0x10,
		   "<name omitted> none:0 < f /s/a.c:3");
	expect_one(HEAD "INLINE_ORIGIN 1 \t\nFUNC 10 8 0 f\n"
			"INLINE 0 3 1 1 10 8", 0x10,
		   "<name omitted> none:0 < f /s/a.c:3");
}

Test(breakpad_rules, nul_bytes_become_underscores)
{
	static const char text[] =
		MODULE "FILE 1 /s/\0.c\nFUNC 10 8 0 a\0b\0c\n10 8 1 1\n"
		       "FUNC 20 8 0 \0\nFUNC 30 8 0 x\n30 8 1\0 1\n";
	struct breakpad_result r;

	cr_assert_eq(breakpad_input_bytes(text, sizeof(text) - 1, NULL, &r),
		     GSYM_OK);
	expect(&r, 0x10, "a_b_c /s/_.c:1");
	expect(&r, 0x20, "_ none:0");
	/* There is one warning for all names, and one for the number. */
	cr_expect_eq(r.warnings[GSYM_WARN_BAD_RECORD], 2);
	breakpad_result_fini(&r);
}

Test(breakpad_rules, unknown_keywords_are_reported_once)
{
	struct breakpad_result r;

	convert(HEAD "FUNC 1000 10 0 f\nFROB 1 2 3\n1000 8 1 1\n_X\nFROB\n"
		     "1008 8 2 2\nFACE 10 1 1\n", &r);
	cr_expect_eq(r.warnings[GSYM_WARN_UNKNOWN_RECORD], 2);
	cr_expect_str_eq(r.first[GSYM_WARN_UNKNOWN_RECORD],
			 "line 5: records with the unknown keyword FROB are "
			 "skipped");
	cr_expect_eq(r.warnings[GSYM_WARN_BAD_RECORD], 0);
	/* After the damaged records the function has its other lines. */
	expect(&r, 0x1008, "f /s/b.c:2");
	breakpad_result_fini(&r);
}

/* 64 unknown keywords are reported, all are counted, and of a long one 64 bytes
 * are shown. */
Test(breakpad_rules, many_unknown_keywords)
{
	enum { MANY = 70 };
	struct breakpad_result r;
	char want[128], *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs(HEAD, out);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "%c%c%s\n", 'P' + i / 10, 'P' + i % 10,
			i ? "" : "_________________________________________"
				 "_________________________________________");
	fputs("FUNC 1000 10 0 f\n", out);
	fclose(out);
	convert(text, &r);
	cr_expect_eq(r.warnings[GSYM_WARN_UNKNOWN_RECORD], 64);
	cr_expect_eq(r.facts.records.others, 1 + MANY);
	snprintf(want, sizeof(want), "line 4: records with the unknown keyword "
		 "%.64s are skipped", text + strlen(HEAD));
	cr_expect_str_eq(r.first[GSYM_WARN_UNKNOWN_RECORD], want);
	breakpad_result_fini(&r);
	free(text);
}

/* A build ID may have 64 bytes; a longer CODE_ID is not used. */
Test(breakpad_rules, long_code_ids)
{
	for (int size = 63; size <= 65; size++) {
		char text[512];
		struct breakpad_result r;

		snprintf(text, sizeof(text), MODULE "INFO CODE_ID "
			 "138200AAA95534249B6E40186C0D2D02%0*d\n"
			 "FUNC 1000 10 0 f\n", 2 * (size - 16), 0);
		convert(text, &r);
		cr_expect_eq(r.facts.uuid_size, size <= 64 ? (size_t)size : 16,
			     "%d", size);
		cr_expect_eq(r.warnings[GSYM_WARN_IDENTITY], size > 64);
		breakpad_result_fini(&r);
	}
}

/* ---- order of records --------------------------------------------------- */

Test(breakpad_rules, the_first_definition_wins_wherever_it_stands)
{
	expect_one(MODULE "FUNC 1000 20 0 f\nFILE 7 /s/first.c\n"
			  "INLINE 0 3 0 9 1010 8\nINFO URL x\n1000 10 1 7\n"
			  "STACK CFI INIT 1000 10 .cfa: $rsp 8 +\n"
			  "INLINE_ORIGIN 9 in\n1010 10 2 0\nFILE 7 /s/no.c\n"
			  "INLINE_ORIGIN 9 no\nFILE 0 /s/zero.c\n",
		   0x1010, "in /s/zero.c:2 < f /s/zero.c:3");
	expect_one(MODULE "FUNC 1000 20 0 f\n1000 20 1 7\n"
			  "FILE 7 /s/first.c\nFILE 7 /s/no.c\n",
		   0x1000, "f /s/first.c:1");
}

Test(breakpad_rules, orphans_are_counted)
{
	struct breakpad_result r;

	convert(HEAD "1000 10 1 1\nINLINE 0 1 1 1 1000 8\nFUNC 1000 10 0 f\n"
		     "1000 8 1 1\nPUBLIC 3000 0 p\n1008 8 2 1\n"
		     "FUNC bad\n1008 8 3 1\nMODULE Linux x86_64 0 b\n"
		     "1008 8 4 1\n", &r);
	cr_expect_eq(r.warnings[GSYM_WARN_ORPHAN], 5);
	cr_expect_eq(r.warnings[GSYM_WARN_BAD_RECORD], 1);
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 1);
	expect(&r, 0x1000, "f /s/a.c:1");
	expect(&r, 0x1008, "f none:0");
	breakpad_result_fini(&r);
}

Test(breakpad_rules, files_that_no_record_defines)
{
	struct breakpad_result r;

	convert(HEAD "FUNC 1000 20 0 f\n1000 8 5 77\n1008 8 6 -1\n1010 8 -4 1\n"
		     "1018 4 0 77\n101c 4 0 1\n"
		     "FUNC 2000 8 0 g\n2000 8 1 77\n", &r);
	expect(&r, 0x1000, "f ??:5");
	expect(&r, 0x1008, "f ??:6");
	expect(&r, 0x1010, "f /s/a.c:0");
	expect(&r, 0x1018, "f none:0");
	expect(&r, 0x101c, "f /s/a.c:0");
	cr_expect_eq(r.warnings[GSYM_WARN_UNKNOWN_RECORD], 1);
	cr_expect_str_eq(r.first[GSYM_WARN_UNKNOWN_RECORD],
			 "FILE 77 is used and not defined");
	breakpad_result_fini(&r);
}

/* 64 undefined files are reported: of one function, and of functions that are
 * read apart. */
Test(breakpad_rules, many_files_that_no_record_defines)
{
	enum { MANY = 3000, FEW = 70 };

	for (int apart = 0; apart < 2; apart++) {
		int count = apart ? MANY : FEW;
		struct breakpad_result r;
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		fprintf(out, HEAD "FUNC 1000 %x 0 f\n", apart ? 8 : 8 * FEW);
		for (int i = 0; i < count; i++) {
			if (apart && i)
				fprintf(out, "FUNC %x 8 0 f\n", 0x1000 + 8 * i);
			fprintf(out, "%x 8 1 %d\n", 0x1000 + 8 * i, 10 + i);
		}
		fclose(out);
		convert(text, &r);
		cr_expect_eq(r.warnings[GSYM_WARN_UNKNOWN_RECORD], 64, "%d: %u",
			     apart, r.warnings[GSYM_WARN_UNKNOWN_RECORD]);
		expect(&r, 0x1000 + 8 * (count - 1), "f ??:1");
		breakpad_result_fini(&r);
		free(text);
	}
}

/* ---- functions and labels ----------------------------------------------- */

Test(breakpad_rules, functions_without_a_size)
{
	struct breakpad_result r;

	convert(HEAD "FUNC 1000 0 0 f\nff0 8 9 1\n1000 8 1 1\n1010 8 2 1\n"
		     "FUNC 2000 0 0 cut\n2000 100 1 1\nFUNC 2010 8 0 next\n"
		     "FUNC 3000 0 0 label\nFUNC 3000 0 0 later\n"
		     "PUBLIC 3008 0 end\nFUNC 0 0 0 nothing\n", &r);
	expect(&r, 0x1017, "f /s/a.c:2");
	expect(&r, 0x1018, "none");
	expect(&r, 0x200f, "cut /s/a.c:1");
	expect(&r, 0x2010, "next none:0");
	expect(&r, 0x3007, "label none:0");
	expect(&r, 0x0, "none");
	breakpad_result_fini(&r);
}

Test(breakpad_rules, the_first_label_of_an_address_wins)
{
	expect_one(HEAD "FUNC 3000 0 0 func\nPUBLIC 3000 0 public\n"
			"PUBLIC 3008 0 end\n", 0x3000, "func none:0");
	expect_one(HEAD "PUBLIC 3000 0 public\nFUNC 3000 0 0 func\n"
			"PUBLIC 3008 0 end\n", 0x3000, "public none:0");
}

Test(breakpad_rules, thumb_bits_of_labels_alone)
{
	static const char arm[] = "MODULE Linux arm 0 a\nPUBLIC 1001 0 p\n"
				  "FUNC 2000 10 0 f\nPUBLIC 2001 0 twin\n"
				  "PUBLIC 1 0 zero\nPUBLIC 3000 0 end\n";
	static const char arm64[] = "MODULE Linux arm64 0 a\nPUBLIC 1001 0 p\n"
				    "PUBLIC 3000 0 end\n";

	expect_one(arm, 0x1000, "p none:0");
	expect_one(arm, 0x2001, "f none:0");
	expect_one(arm, 0, "none");
	expect_one(arm64, 0x1000, "none");
	expect_one(arm64, 0x1001, "p none:0");
}

Test(breakpad_rules, duplicates_are_kept_on_request)
{
	static const char text[] =
		HEAD "FUNC 1000 10 0 first\n1000 10 1 1\n"
		     "FUNC 1000 10 0 second\n1000 10 2 2\n"
		     "FUNC 1000 18 0 longer\n1000 18 3 1\n"
		     "FUNC 1008 8 0 inner\n1008 8 4 1\n";
	const struct gsym_convert_options merge = { .merged_functions = true };
	struct breakpad_result r;
	struct gsym_match match;
	struct gsym_frame frame;

	convert(text, &r);
	cr_expect_eq(gsym_function_count(r.reader), 1);
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 3);
	expect(&r, 0x1008, "first /s/a.c:1");
	cr_assert_eq(gsym_lookup(r.reader, 0x1000, 0, &frame, 1, &match,
				 NULL), GSYM_OK);
	cr_expect_eq(match.merged_count, 0);
	breakpad_result_fini(&r);

	cr_assert_eq(breakpad_input_text(text, &merge, &r), GSYM_OK);
	cr_expect_eq(gsym_function_count(r.reader), 1);
	expect(&r, 0x1008, "first /s/a.c:1");
	cr_assert_eq(gsym_lookup(r.reader, 0x1000, 0, &frame, 1, &match,
				 NULL), GSYM_OK);
	cr_expect_eq(match.merged_count, 1);
	breakpad_result_fini(&r);
}

/* ---- lines -------------------------------------------------------------- */

Test(breakpad_rules, lines_over_each_other_and_gaps)
{
	struct breakpad_result r;

	convert(HEAD "FUNC 1000 40 0 f\n1008 8 1 1\n1008 10 2 1\n100c 2 3 1\n"
		     "1020 0 4 1\nff8 10 5 1\n1030 100 6 2\n1040 8 7 1\n"
		     "FUNC 2000 10 0 empty\nINLINE 0 5 1 1 2000 8\n"
		     "INLINE_ORIGIN 1 in\n", &r);
	expect(&r, 0x1000, "f none:0");
	expect(&r, 0x1008, "f /s/a.c:1");
	expect(&r, 0x100c, "f /s/a.c:1");
	expect(&r, 0x1010, "f /s/a.c:2");
	expect(&r, 0x1018, "f none:0");
	expect(&r, 0x1030, "f /s/b.c:6");
	expect(&r, 0x103f, "f /s/b.c:6");
	expect(&r, 0x1040, "none");
	expect(&r, 0x2000, "in none:0 < empty /s/a.c:5");
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 2);
	breakpad_result_fini(&r);
}

/* ---- inlined calls ------------------------------------------------------ */

Test(breakpad_rules, ranges_that_cannot_be_placed_are_counted)
{
	struct breakpad_result r;

	convert(HEAD "INLINE_ORIGIN 1 in\nFUNC 1000 40 0 f\n"
		     "INLINE 0 1 1 1 1000 10\nINLINE 0 2 1 1 1008 4\n"
		     "INLINE 0 3 1 1 1008 10\nINLINE 1 4 1 1 1020 8\n"
		     "INLINE 1 5 1 1 2000 8\nINLINE 0 6 1 1\n"
		     "INLINE 0 7 1 1 1030\nINLINE 0 8 -1 5 1030 8\n", &r);
	expect(&r, 0x1008, "in none:0 < f /s/a.c:1");
	expect(&r, 0x1010, "in none:0 < f /s/a.c:3");
	expect(&r, 0x1020, "f none:0");
	expect(&r, 0x1030, "<name omitted> none:0 < f ??:8");
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 2);
	cr_expect_eq(r.warnings[GSYM_WARN_ORPHAN], 1);
	cr_expect_eq(r.warnings[GSYM_WARN_BAD_RECORD], 2);
	breakpad_result_fini(&r);
}

Test(breakpad_rules, levels_of_all_32_bits, .timeout = 600)
{
	static const uint32_t levels[] = { 1u << 30, 1u << 31, UINT32_MAX };
	char text[512];
	struct breakpad_result r;

	for (size_t i = 0; i < 3; i++) {
		snprintf(text, sizeof(text),
			 HEAD "INLINE_ORIGIN 1 in\nFUNC 1000 40 0 f\n"
			      "INLINE %lu 3 1 1 1000 8\n"
			      "INLINE 0 4 1 1 1008 8\n",
			 (unsigned long)levels[i]);
		convert(text, &r);
		expect(&r, 0x1000, "f none:0");
		expect(&r, 0x1008, "in none:0 < f /s/a.c:4");
		cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 1);
		breakpad_result_fini(&r);
	}
}

Test(breakpad_rules, most_inlines_decide_the_form)
{
	static const char two_new[] =
		HEAD "INLINE_ORIGIN 1 2 names\nFUNC 1000 40 0 f\n"
		     "INLINE 0 1 2 1 1000 8\nINLINE 0 2 1 1 1008 8\n"
		     "INLINE 0 3 1 1010 8\n";
	static const char two_old[] =
		HEAD "INLINE_ORIGIN 1 2 old\nINLINE_ORIGIN 2 x\n"
		     "FUNC 1000 40 0 f\n"
		     "1000 8 1 1\n1018 8 4 2\nINLINE 0 1 1 1000 8\n"
		     "INLINE 1 7 2 1004 4\nINLINE 0 3 2 1 1010 8\n";

	/* The form is the one that most of the records have, not that of the
	 * first record. */
	static const char late_new[] =
		HEAD "INLINE_ORIGIN 1 2 names\nFUNC 1000 40 0 f\n"
		     "INLINE 0 3 1 1010 8\nINLINE 0 1 2 1 1000 8\n"
		     "INLINE 0 2 1 1 1008 8\n";
	/* With as many records of each form the new form is used. */
	static const char tie[] =
		HEAD "INLINE_ORIGIN 1 2 names\nFUNC 1000 40 0 f\n"
		     "INLINE 0 1 2 1 1000 8\nINLINE 0 3 1 1010 8\n";

	expect_one(two_new, 0x1008, "2 names none:0 < f /s/a.c:2");
	expect_one(two_new, 0x1010, "f none:0");
	expect_one(late_new, 0x1000, "2 names none:0 < f /s/b.c:1");
	expect_one(late_new, 0x1010, "f none:0");
	expect_one(tie, 0x1000, "2 names none:0 < f /s/b.c:1");
	expect_one(two_old, 0x1000, "old /s/a.c:1 < f /s/b.c:1");
	expect_one(two_old, 0x1004, "x /s/a.c:1 < old /s/b.c:7 < f /s/b.c:1");
	expect_one(two_old, 0x1010, "f none:0");
	/* The file of a call whose caller has no INLINE_ORIGIN record. */
	expect_one(HEAD "FUNC 1000 40 0 f\nINLINE 0 1 7 1000 8\n"
			"INLINE 1 7 2 1004 4\n", 0x1004,
		   "<name omitted> none:0 < <name omitted> ??:7 < f ??:1");
}

/* Names go to the sink in batches; one of these has a name with a NUL, which
 * the sink refuses. */
Test(breakpad_rules, each_of_many_origins_has_its_name)
{
	enum { MANY = 1100, ODD = 700 };
	struct breakpad_result r;
	char *text, want[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs(HEAD, out);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "INLINE_ORIGIN %d in%c%d\n", i,
			i == ODD ? 0 : '_', i);
	fprintf(out, "FUNC 1000 %x 0 f\n", 4 * MANY);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "INLINE 0 3 1 %d %x 4\n", i, 0x1000 + 4 * i);
	fclose(out);
	cr_assert_eq(breakpad_input_bytes(text, size, NULL, &r), GSYM_OK);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(want, sizeof(want), "in_%u none:0 < f /s/a.c:3", i);
		expect(&r, 0x1000 + 4 * i, want);
	}
	cr_expect_eq(r.warnings[GSYM_WARN_BAD_RECORD], 1);
	breakpad_result_fini(&r);
	free(text);
}

/* The first 65,536 records decide the form, and all are counted. */
Test(breakpad_rules, the_first_inlines_decide_the_form)
{
	enum { COUNTED = 1 << 16 };
	struct breakpad_result r;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	fputs(HEAD "INLINE_ORIGIN 1 2 names\nFUNC 1000 40 0 f\n", out);
	for (int i = 0; i < COUNTED; i++)
		fputs("INLINE 0 1 2 1 1000 8\n", out);
	for (int i = 0; i < COUNTED + 1; i++)
		fputs("INLINE 0 3 1 1010 8\n", out);
	fclose(out);
	convert(text, &r);
	expect(&r, 0x1000, "2 names none:0 < f /s/b.c:1");
	expect(&r, 0x1010, "f none:0");
	cr_expect_eq(r.facts.records.inlines, 2 * COUNTED + 1);
	breakpad_result_fini(&r);
	free(text);
}

/* 200,000 calls of the old form come before the lines of the function's own
 * code.  With a search for these lines at each call the test would take
 * minutes. */
Test(breakpad_rules, an_old_call_site_takes_one_pass)
{
	enum { MANY = 200000 };
	struct breakpad_result r;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, HEAD "INLINE_ORIGIN 1 1 in\nFUNC 0 %x 0 f\n",
		4 * MANY + 4);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "INLINE 0 5 1 %x 4\n%x 4 %d 1\n", 4 * i, 4 * i, i);
	fprintf(out, "%x 4 9 2\n", 4 * MANY);
	fclose(out);
	convert(text, &r);
	expect(&r, 4, "in /s/a.c:1 < f /s/b.c:5");
	breakpad_result_fini(&r);
	free(text);
}

/* One range over 150,000 callers: more pieces than a function may have for
 * itself, but not more than for its ranges. */
Test(breakpad_rules, a_call_that_many_callers_share)
{
	enum { MANY = 150000 };
	struct breakpad_result r;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, HEAD "INLINE_ORIGIN 1 outer\nINLINE_ORIGIN 2 inner\n"
			  "FUNC 0 %x 0 f\nINLINE 1 7 2 2 0 %x\n",
		4 * MANY, 4 * MANY);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "INLINE 0 %d 1 1 %x 4\n", i, 4 * i);
	fclose(out);
	convert(text, &r);
	expect(&r, 4 * MANY - 1,
	       "inner none:0 < outer /s/b.c:7 < f /s/a.c:149999");
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 0);
	breakpad_result_fini(&r);
	free(text);
}

/* The number of nodes for calls in line LINE, in the tree of the first
 * function. */
static unsigned count_nodes(const struct breakpad_result *r, uint32_t line)
{
	struct gsym_function f;
	struct gsym_inline_iter iter;
	struct gsym_inline node;
	unsigned count = 0;

	cr_assert_eq(gsym_function_at(r->reader, 0, &f, NULL), GSYM_OK);
	cr_assert_eq(gsym_inlines(&f, &iter, NULL), GSYM_OK);
	while (gsym_inline_next(&iter, &node, NULL) == GSYM_OK)
		count += node.depth && node.call_line == line;
	return count;
}

/* A call that two callers share, and that goes on in the first of them after
 * the second.  The node in the first caller is found again if at most 63 other
 * calls follow it there; else there are two. */
Test(breakpad_rules, a_shared_call_that_goes_on)
{
	for (unsigned between = 63; between <= 64; between++) {
		struct breakpad_result r;
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		fputs(HEAD "INLINE_ORIGIN 1 in\nFUNC 10000 3000 0 f\n"
			   "INLINE 0 1 1 1 10000 1000 12000 1000\n"
			   "INLINE 0 2 1 1 11000 1000\n"
			   "INLINE 1 7 1 1 10000 4 11000 4 12000 4\n", out);
		for (unsigned i = 0; i < between; i++)
			fprintf(out, "INLINE 1 8 1 1 %x 4\n", 0x10010 + 4 * i);
		fclose(out);
		convert(text, &r);
		cr_expect_eq(count_nodes(&r, 8), between);
		cr_expect_eq(count_nodes(&r, 7), between < 64 ? 2 : 3);
		breakpad_result_fini(&r);
		free(text);
	}
}

/* Ten nested ranges over 20,000 callers: more pieces than a function may have.
 * The rest is left out and counted. */
Test(breakpad_rules, more_pieces_than_a_function_may_have)
{
	enum { MANY = 20000 };
	struct breakpad_result r;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, HEAD "INLINE_ORIGIN 1 in\nFUNC 0 %x 0 f\n", 4 * MANY);
	for (int i = 1; i <= 10; i++)
		fprintf(out, "INLINE %d %d 2 1 0 %x\n", i, i, 4 * MANY);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "INLINE 0 %d 1 1 %x 4\n", i, 4 * i);
	fclose(out);
	convert(text, &r);
	expect(&r, 0, "in none:0 < in /s/b.c:10 < in /s/b.c:9 < in /s/b.c:8 < "
		      "in /s/b.c:7 < in /s/b.c:6 < in /s/b.c:5 < in /s/b.c:4 < "
		      "in /s/b.c:3 < in /s/b.c:2 < in /s/b.c:1 < f /s/a.c:0");
	expect(&r, 4 * MANY - 1, "in none:0 < f /s/a.c:19999");
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 10, "%u",
		     r.warnings[GSYM_WARN_CONFLICT]);
	breakpad_result_fini(&r);
	free(text);
}

/* ---- paths -------------------------------------------------------------- */

Test(breakpad_rules, paths_come_back_as_they_were)
{
	static const char *const paths[] = {
		"/a.c", "a.c", "a/b", "a/", "/", "\\", "\\a", "c:\\x\\y.c",
		"c:\\x/y.c", "c:/x\\y.c", "/x\\y.c", "a//b.c", "a\\\\b.c",
		"./a/../b.c", "\\\\server\\share\\f.cpp", "s3:b:0a/f/x.c:",
		"git:github.com/r/r:lib/x.rs:53cb", "hg:h.org/m:js/x.cpp:e4",
		"cargo:x:y-1:src/z.rs", "caf\xe9/\xc3\xa9.c", "a b/c d.c",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char text[256], got[256];
		struct breakpad_result r;
		struct gsym_frame f;
		bool windows;

		snprintf(text, sizeof(text), MODULE "FILE 1 %s\n"
			 "FUNC 10 8 0 f\n10 8 1 1\n", paths[i]);
		convert(text, &r);
		cr_assert_eq(gsym_lookup(r.reader, 0x10, 0, &f, 1, NULL, NULL),
			     GSYM_OK);
		windows = strchr(f.directory, '\\') &&
			  !strchr(f.directory, '/');
		snprintf(got, sizeof(got), "%s%s%s", f.directory,
			 !*f.directory ? "" : windows ? "\\" : "/",
			 f.basename);
		cr_expect_str_eq(got, paths[i]);
		/* LLVM prints "??" for a file without a basename. */
		cr_expect(*f.basename, "%s", paths[i]);
		breakpad_result_fini(&r);
	}
}
