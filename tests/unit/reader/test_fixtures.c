/* SPDX-License-Identifier: MIT */
/* Files that llvm-gsymutil wrote, and the answers that it gave. */
#include "answers.h"

static FILE *open_fixture(const char *name, const char *suffix)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/testdata/gsym/%s.%s",
		 top ? top : ".", name, suffix);
	f = fopen(path, "rb");
	cr_assert(f, "cannot open %s", path);
	return f;
}

static size_t read_all(FILE *f, char *to, size_t room)
{
	size_t size = fread(to, 1, room - 1, f);

	cr_assert(size + 1 < room);
	to[size] = 0;
	fclose(f);
	return size;
}

/* The answer for ADDRESS as llvm-gsymutil prints it. */
static const char *as_llvm(const struct gsym_reader *reader, uint64_t address)
{
	static char text[8192 + 64]; /* frames_text has up to 8192 bytes */
	struct gsym_frame frames[32];
	struct gsym_match match;

	if (gsym_lookup(reader, address, 0, frames, 32, &match, NULL))
		snprintf(text, sizeof(text),
			 "0x%016" PRIx64 ": error: address 0x%" PRIx64
			 " is not in GSYM\n\n", address, address);
	else
		snprintf(text, sizeof(text), "0x%016" PRIx64 ": %s\n\n",
			 address, frames_text(frames, match.frame_count,
					      "\n                    "));
	return text;
}

static void check_fixture(const char *name)
{
	static char data[8192], expected[65536];
	size_t size = read_all(open_fixture(name, "gsym"), data, sizeof(data));
	struct gsym_reader *reader = open_bytes((uint8_t *)data, size);
	unsigned answers = 0, found = 0;
	char *at = expected;

	read_all(open_fixture(name, "expected"), expected, sizeof(expected));
	while (*at) {
		char *end = strstr(at, "\n\n");
		uint64_t address = strtoull(at, NULL, 16);
		const char *got = as_llvm(reader, address);
		size_t length = (size_t)(end + 2 - at);

		cr_assert(end != NULL);
		cr_expect(strlen(got) == length && !memcmp(got, at, length),
			  "%s: '%s' instead of '%.*s'", name, got,
			  (int)length, at);
		answers++;
		found += strstr(got, " @ ") != NULL;
		at = end + 2;
	}
	cr_expect(answers > 80 && found > 70, "only %u answers, %u of them "
		  "with a place", answers, found);
	cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
	gsym_close(reader);
}

Test(fixtures, little_endian)
{
	check_fixture("little");
}

Test(fixtures, big_endian)
{
	check_fixture("big");
}

Test(fixtures, merged_functions_and_call_sites)
{
	static char data[8192];
	struct gsym_call_site site;
	struct gsym_function f, twin;
	struct gsym_reader *reader;
	uint32_t index;
	size_t size;

	check_fixture("merged");
	size = read_all(open_fixture("merged", "gsym"), data, sizeof(data));
	reader = open_bytes((uint8_t *)data, size);
	cr_assert(gsym_find_function(reader, "same_one", 0, &index) ==
		  GSYM_OK);
	cr_assert(gsym_function_at(reader, index, &f, NULL) == GSYM_OK);
	cr_assert(f.merged_count == 1 && f.call_site_count == 1);
	cr_assert(gsym_merged_at(&f, 0, &twin, NULL) == GSYM_OK);
	cr_expect_str_eq(twin.name, "same_two");
	cr_assert(gsym_call_site_at(&twin, 0, &site, NULL) == GSYM_OK);
	cr_expect(site.return_offset == 6 && site.pattern_count == 1);
	cr_expect_str_eq(gsym_call_site_pattern(&site, 0), "work");
	gsym_close(reader);
}
