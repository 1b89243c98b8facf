/* SPDX-License-Identifier: MIT */
/* Breakpad symbol files: the answers of the fixtures, identities, line ends,
 * and hostile files. */
#include <gsym/convert.h>
#include <gsym/reader.h>

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct result {
	uint8_t *bytes;
	size_t size;
	struct gsym_reader *reader;
	unsigned warnings[GSYM_WARN_COUNT];
};

static void count(void *context, enum gsym_warning kind, const char *text)
{
	struct result *result = context;

	(void)text;
	result->warnings[kind]++;
}

static enum gsym_status convert(const char *path, uint64_t base,
				struct result *ret)
{
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_convert_options options = { .base = base,
						.warn = count,
						.context = ret };
	struct gsym_error error = { 0 };
	enum gsym_status status;

	memset(ret, 0, sizeof(*ret));
	status = gsym_convert_file(path, &options, builder, NULL, &error);
	if (status == GSYM_OK)
		status = gsym_builder_finish(builder, NULL, &ret->bytes,
					     &ret->size, NULL, &error);
	gsym_builder_free(builder);
	if (status == GSYM_OK) {
		cr_assert_eq(gsym_open_memory(ret->bytes, ret->size,
					      &ret->reader, &error),
			     GSYM_OK, "%s", error.message);
		cr_expect_eq(gsym_verify(ret->reader, NULL, NULL), GSYM_OK);
	}
	return status;
}

static void discard(struct result *result)
{
	gsym_close(result->reader);
	free(result->bytes);
}

/* Print TEXT; of more than 200 bytes only HEAD bytes at the start and TAIL at
 * the end. */
static void print_short(FILE *out, const char *text, size_t head, size_t tail)
{
	size_t length = strlen(text);

	if (length <= 200)
		fputs(text, out);
	else
		fprintf(out, "%.*s...%s [%zu bytes]", (int)head, text,
			text + length - tail, length);
}

static void print_path(FILE *out, const struct gsym_frame *frame)
{
	bool windows = strchr(frame->directory, '\\') &&
		       !strchr(frame->directory, '/');
	size_t size = strlen(frame->directory) + strlen(frame->basename) + 2;
	char *path = malloc(size);

	snprintf(path, size, "%s%s%s", frame->directory,
		 !*frame->directory ? "" : windows ? "\\" : "/",
		 frame->basename);
	print_short(out, *path ? path : "??", 30, 20);
	free(path);
}

static void print_answer(FILE *out, const struct gsym_reader *reader,
			 uint64_t address)
{
	struct gsym_frame frames[64];
	struct gsym_match match;

	if (gsym_lookup(reader, address, 0, frames, 64, &match, NULL) !=
	    GSYM_OK) {
		fputs("  (none)\n", out);
		return;
	}
	for (uint32_t i = 0; i < match.frame_count; i++) {
		fputs("  ", out);
		print_short(out, frames[i].function, 60, 30);
		if (i + 1 == match.frame_count)
			fprintf(out, "+0x%" PRIx64, frames[i].offset);
		fputc('\t', out);
		print_path(out, &frames[i]);
		fprintf(out, ":%u\n", frames[i].line);
	}
}

static char *read_text(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(1 << 20);

	cr_assert(file, "cannot open %s", path);
	*size = fread(text, 1, (1 << 20) - 1, file);
	text[*size] = 0;
	fclose(file);
	return text;
}

/* The answers of RESULT for what the file EXPECTED asks, in the same form. */
static char *answers(const struct result *result, const char *expected)
{
	struct gsym_header header;
	char *text = NULL, *copy = strdup(expected), *line, *save = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	gsym_get_header(result->reader, &header);
	for (line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "uuid", 4)) {
			fputs("uuid ", out);
			for (size_t i = 0; i < header.uuid_size; i++)
				fprintf(out, "%02x", header.uuid[i]);
			fputc('\n', out);
		} else if (!strncmp(line, "functions", 9)) {
			fprintf(out, "functions %u\n", header.function_count);
		} else if (!strncmp(line, "base", 4)) {
			fprintf(out, "%s\n", line);
		} else if (!strncmp(line, "0x", 2)) {
			fprintf(out, "%s\n", line);
			print_answer(out, result->reader,
				     strtoull(line, NULL, 16));
		}
	}
	fclose(out);
	free(copy);
	return text;
}

static const char *testdata(const char *name, const char *suffix)
{
	static char path[2][1024];
	static int turn;
	const char *top = getenv("top_srcdir");

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/testdata/breakpad/%s%s",
		 top ? top : ".", name, suffix);
	return path[turn];
}

static const char *const fixtures[] = {
	"arm_public",  "clang_inline", "clang_older",	"deep_inline",
	"fixed_base",  "gcc_split",    "long_name",	"many_ranges",
	"mozilla_style", "odd_records", "old_inline",	"pe_program",
	"windows_crlf",
};

enum { FIXTURES = sizeof(fixtures) / sizeof(fixtures[0]) };

Test(breakpad, fixtures_give_the_expected_answers)
{
	for (size_t i = 0; i < FIXTURES; i++) {
		size_t size;
		char *expected = read_text(testdata(fixtures[i], ".expected"),
					   &size);
		const char *base = strstr(expected, "base ");
		struct result result;
		char *got;

		cr_assert_eq(convert(testdata(fixtures[i], ".sym"),
				     base ? strtoull(base + 5, NULL, 16) : 0,
				     &result),
			     GSYM_OK, "%s", fixtures[i]);
		got = answers(&result, expected);
		cr_expect_str_eq(got, expected, "%s:\n%s", fixtures[i], got);
		free(got);
		free(expected);
		discard(&result);
	}
}

/* Write SIZE bytes to a new file.  Returns its name. */
static const char *temporary(const char *bytes, size_t size)
{
	static char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "test_breakpad.%d.tmp", (int)getpid());
	file = fopen(path, "wb");
	cr_assert(file);
	fwrite(bytes, 1, size, file);
	fclose(file);
	return path;
}

static enum gsym_status convert_bytes(const char *bytes, size_t size,
				      struct result *ret)
{
	const char *path = temporary(bytes, size);
	enum gsym_status status = convert(path, 0, ret);

	remove(path);
	return status;
}

/* TEXT with each line end replaced, and START put before it. */
static char *rewrite(const char *text, const char *start, const char *end,
		     size_t *size)
{
	char *copy = malloc(2 * strlen(text) + 64), *at = copy;

	at = stpcpy(at, start);
	for (; *text; text++)
		if (*text == '\n')
			at = stpcpy(at, end);
		else
			*at++ = *text;
	*size = (size_t)(at - copy);
	return copy;
}

Test(breakpad, line_ends_and_blank_lines_do_not_matter)
{
	static const char *const ends[] = { "\r\n", "\r\r\n", "\n\n", "\r",
					    " \n", "\t\n" };
	size_t size;
	char *text = read_text(testdata("gcc_split", ".sym"), &size);
	struct result plain, other;

	cr_assert_eq(convert_bytes(text, size, &plain), GSYM_OK);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char *copy = rewrite(text, i & 1 ? "\xef\xbb\xbf" : "", ends[i],
				     &size);

		cr_assert_eq(convert_bytes(copy, size, &other), GSYM_OK);
		cr_assert_eq(other.size, plain.size, "end %zu", i);
		cr_assert(!memcmp(other.bytes, plain.bytes, plain.size));
		discard(&other);
		free(copy);
	}
	discard(&plain);
	free(text);
}

Test(breakpad, gzip_makes_no_difference)
{
	const char *path = testdata("clang_inline", ".sym");
	struct result plain, other;
	char command[2100];

	cr_assert_eq(convert(path, 0, &plain), GSYM_OK);
	snprintf(command, sizeof(command), "gzip -c '%s' >t_breakpad.%d.gz",
		 path, (int)getpid());
	cr_assert_eq(system(command), 0);
	snprintf(command, sizeof(command), "t_breakpad.%d.gz", (int)getpid());
	cr_assert_eq(convert(command, 0, &other), GSYM_OK);
	cr_assert_eq(other.size, plain.size);
	cr_assert(!memcmp(other.bytes, plain.bytes, plain.size));
	discard(&other);
	/* A file that ends early is damaged. */
	cr_assert_eq(truncate(command, 400), 0);
	cr_assert_eq(convert(command, 0, &other), GSYM_ERR_CORRUPT);
	remove(command);
	discard(&plain);
}

Test(breakpad, files_without_functions_are_refused)
{
	static const char *const utf16[] = {
		"\xff\xfeM\0O\0", "\xfe\xff\0M\0O", "M\0O\0D\0",
		"\0M\0O\0D",
	};
	struct result result;

	cr_assert_eq(convert_bytes("MODULE Linux x86_64 0 a\n", 24, &result),
		     GSYM_NOT_FOUND);
	cr_assert_eq(convert_bytes("MODULE Linux x86_64 0 a\nPUBLIC 0 0 a\n",
				   37, &result), GSYM_NOT_FOUND);
	cr_assert_eq(convert(testdata("cfi_only", ".sym"), 0, &result),
		     GSYM_ERR_FORMAT);
	for (size_t i = 0; i < sizeof(utf16) / sizeof(utf16[0]); i++)
		cr_assert_eq(convert_bytes(utf16[i], 6, &result),
			     GSYM_ERR_UNSUPPORTED, "%zu", i);
	cr_assert_eq(convert_bytes("MSCF....", 8, &result),
		     GSYM_ERR_UNSUPPORTED);
}

static void expect_uuid(const char *head, const char *want)
{
	char text[512], got[160] = "";
	struct gsym_header header;
	struct result result;
	int size = snprintf(text, sizeof(text), "%sFUNC 1000 10 0 f\n", head);

	cr_assert_eq(convert_bytes(text, (size_t)size, &result), GSYM_OK);
	gsym_get_header(result.reader, &header);
	for (size_t i = 0; i < header.uuid_size; i++)
		sprintf(got + 2 * i, "%02x", header.uuid[i]);
	cr_expect_str_eq(got, want, "%s: %s", head, got);
	discard(&result);
}

Test(breakpad, identities)
{
	expect_uuid("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n",
		    "138200aaa95534249b6e40186c0d2d02");
	expect_uuid("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
		    "INFO CODE_ID 138200AAA95534249B6E40186C0D2D02F1DFF7C8\n",
		    "138200aaa95534249b6e40186c0d2d02f1dff7c8");
	/* MODULE pads an ID of fewer than 16 bytes with zeros; only CODE_ID
	 * shows its length. */
	expect_uuid("MODULE Linux x86_64 AA00821355A9243400000000000000000 a\n"
		    "INFO CODE_ID 138200AAA9553424\n", "138200aaa9553424");
	/* A build ID that is longer than version 1 can hold. */
	expect_uuid("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
		    "INFO CODE_ID 138200AAA95534249B6E40186C0D2D02F1DFF7C8"
		    "000102030405060708090A0B\n",
		    "138200aaa95534249b6e40186c0d2d02f1dff7c8");
	expect_uuid("MODULE mac x86_64 00112233445566778899AABBCCDDEEFF0 a\n",
		    "00112233445566778899aabbccddeeff");
	expect_uuid("MODULE windows x86 00112233445566778899AABBCCDDEEFF0 a\n",
		    "00112233445566778899aabbccddeeff");
	expect_uuid("MODULE windows x86 00112233445566778899AABBCCDDEEFF33 "
		    "a\n", "00112233445566778899aabbccddeeff00000033");
	expect_uuid("MODULE windows x86 00112233445566778899aabbccddeeff1 a\n"
		    "INFO CODE_ID 5F000000A1000 a.exe\n",
		    "00112233445566778899aabbccddeeff00000001");
	/* A MODULE record without an age, with hyphens, and of an unknown
	 * system; the case of the system's name does not matter. */
	expect_uuid("MODULE Android arm AA00821355A924349B6E40186C0D2D02 a\n",
		    "138200aaa95534249b6e40186c0d2d02");
	expect_uuid("MODULE Linux x86 aa008213-55a9-2434-9b6e-40186c0d2d02-0\n",
		    "138200aaa95534249b6e40186c0d2d02");
	expect_uuid("MODULE MAC x86 AA00821355A924349B6E40186C0D2D020 a\n",
		    "aa00821355a924349b6e40186c0d2d02");
	expect_uuid("MODULE iOS x86 AA00821355A924349B6E40186C0D2D020 a\n",
		    "aa00821355a924349b6e40186c0d2d02");
	/* 16 bytes, which producers take from the code if a program has no
	 * build ID. */
	expect_uuid("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
		    "INFO CODE_ID 138200AAA95534249B6E40186C0D2D02\n",
		    "138200aaa95534249b6e40186c0d2d02");
	/* Of several CODE_ID records the first that is a build ID is used. */
	expect_uuid("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
		    "INFO CODE_ID 138200AAA95534249B6E40186C0D2D0299\n"
		    "INFO CODE_ID 138200AAA95534249B6E40186C0D2D0277\n",
		    "138200aaa95534249b6e40186c0d2d0299");
	expect_uuid("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
		    "INFO CODE_ID 123\n", "138200aaa95534249b6e40186c0d2d02");
	expect_uuid("MODULE Linux x86_64 nonsense a\n", "");
	expect_uuid("MODULE Linux x86_64\n", "");
	/* The age has at most 8 digits. */
	expect_uuid("MODULE windows x86 00112233445566778899AABBCCDDEEFF"
		    "FFFFFFFF a\n", "00112233445566778899aabbccddeeffffffffff");
	expect_uuid("MODULE windows x86 00112233445566778899AABBCCDDEEFF"
		    "100000000 a\n", "");
	expect_uuid("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D0 a\n",
		    "");
}

Test(breakpad, identities_that_disagree)
{
	static const char text[] =
		"MODULE Linux x86_64 BB00821355A924349B6E40186C0D2D020 a\n"
		"INFO CODE_ID 138200AAA95534249B6E40186C0D2D02F1DFF7C8\n"
		"FUNC 1000 10 0 f\n";
	struct result result;

	cr_assert_eq(convert_bytes(text, sizeof(text) - 1, &result), GSYM_OK);
	cr_expect_eq(result.warnings[GSYM_WARN_IDENTITY], 1);
	discard(&result);
}

Test(breakpad, a_base_that_wraps_around_is_refused)
{
	static const char text[] =
		"MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
		"FUNC 1000 10 0 f\nFUNC fffffffffffff000 10 0 g\n"
		"PUBLIC fffffffffffff100 0 h\n";
	const char *path = temporary(text, sizeof(text) - 1);
	struct result result;

	cr_assert_eq(convert(path, 0x10000, &result), GSYM_ERR_LIMIT);
	cr_assert_eq(convert(path, 0xf00, &result), GSYM_OK);
	remove(path);
	/* A PUBLIC record whose address exceeds 64 bits is left out; all other
	 * records are kept. */
	cr_expect_eq(gsym_function_count(result.reader), 2);
	cr_expect_eq(result.warnings[GSYM_WARN_BAD_RECORD], 1);
	cr_expect_eq(gsym_address_at(result.reader, 0), 0x1f00);
	cr_expect_eq(gsym_address_at(result.reader, 1), 0xffffffffffffff00);
	discard(&result);
}

/* Begin a text in memory. */
static FILE *start(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	fputs("MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"
	      "FILE 4294967294 /src/a.c\nINLINE_ORIGIN 1 inner()\n", out);
	return out;
}

Test(breakpad, ten_thousand_ranges_and_two_thousand_levels)
{
	struct result result;
	char *text;
	size_t size;
	FILE *out = start(&text, &size);

	fputs("FUNC 100000 100000 0 wide\nINLINE 0 5 4294967294 1", out);
	for (int i = 0; i < 10000; i++)
		fprintf(out, " %x 8", 0x100000 + 16 * i);
	fputs("\n100000 100000 7 4294967294\n"
	      "FUNC 400000 10000 0 deep\n", out);
	for (int i = 0; i < 2000; i++)
		fprintf(out, "INLINE %d 5 4294967294 1 %x %x\n", i,
			0x400000 + i, 0x10000 - 2 * i);
	fclose(out);
	cr_assert_eq(convert_bytes(text, size, &result), GSYM_OK);
	cr_expect_eq(gsym_function_count(result.reader), 2);
	cr_expect_gt(result.warnings[GSYM_WARN_CONFLICT], 0);
	discard(&result);
	free(text);
}

Test(breakpad, many_overlapping_calls)
{
	struct result result;
	char *text;
	size_t size;
	FILE *out = start(&text, &size);

	fputs("FUNC 100000 f00000 0 f\n", out);
	for (int i = 0; i < 100000; i++)
		fprintf(out, "INLINE %d 5 1 1 %x 40000\n", i % 3,
			0x100000 + 7 * i);
	fclose(out);
	cr_assert_eq(convert_bytes(text, size, &result), GSYM_OK);
	discard(&result);
	free(text);
}

/* Of functions that overlap in all possible ways the first in the file
 * answers. */
Test(breakpad, the_first_function_wins)
{
	uint32_t random = 7;

	for (int round = 0; round < 200; round++) {
		uint32_t starts[12], ends[12];
		bool accepted[12];
		struct result result;
		char *text;
		size_t size;
		FILE *out = start(&text, &size);

		for (int i = 0; i < 12; i++) {
			random = random * 1664525 + 1013904223;
			starts[i] = 0x100 + (random >> 20 & 63);
			ends[i] = starts[i] + 1 + (random >> 12 & 15);
			accepted[i] = true;
			for (int k = 0; k < i; k++)
				if (accepted[k] && starts[k] < ends[i] &&
				    starts[i] < ends[k])
					accepted[i] = false;
			fprintf(out, "FUNC %x %x 0 f%d\n", starts[i],
				ends[i] - starts[i], i);
		}
		fclose(out);
		cr_assert_eq(convert_bytes(text, size, &result), GSYM_OK);
		for (uint32_t at = 0x100; at < 0x160; at++) {
			char want[16] = "", got[16] = "";
			struct gsym_frame frame;

			for (int i = 0; i < 12; i++)
				if (accepted[i] && starts[i] <= at &&
				    at < ends[i])
					sprintf(want, "f%d", i);
			if (gsym_lookup(result.reader, at, 0, &frame, 1, NULL,
					NULL) == GSYM_OK)
				strcpy(got, frame.function);
			cr_assert_str_eq(got, want, "round %d, 0x%x", round,
					 at);
		}
		discard(&result);
		free(text);
	}
}
