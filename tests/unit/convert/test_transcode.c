/* SPDX-License-Identifier: MIT */
/* GSYM files as input: lookups give the same answers in the output, and damage
 * costs no more than the damaged records. */
#include "support/gsym_bytes.h"

#include <gsym/convert.h>
#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static int warnings;

static void warn(void *context, enum gsym_warning kind, const char *text)
{
	(void)context;
	cr_assert_eq(kind, GSYM_WARN_BAD_RECORD);
	cr_assert(*text);
	warnings++;
}

static bool report(void *context, const struct gsym_error *problem)
{
	(void)context;
	cr_expect_fail("%s", problem->message);
	return true;
}

/* Transcode SIZE bytes; the output has to pass gsym_verify.  NULL if the input
 * is refused as a whole. */
static uint8_t *transcode(const uint8_t *bytes, size_t size, unsigned version,
			  bool big_endian, size_t *ret)
{
	const struct gsym_convert_options options = { .warn = warn };
	const struct gsym_build_options build = { .version = version,
						  .big_endian = big_endian };
	struct gsym_builder *b = gsym_builder_new();
	struct gsym_reader *reader;
	uint8_t *out = NULL;
	enum gsym_status status;

	warnings = 0;
	status = gsym_open_memory(bytes, size, &reader, NULL);
	if (status == GSYM_OK) {
		status = gsym_convert_reader(reader, &options, b, NULL, NULL);
		cr_assert(status == GSYM_OK || status == GSYM_ERR_CORRUPT,
			  "%d", status);
		gsym_close(reader);
	}
	if (status == GSYM_OK)
		status = gsym_builder_finish(b, &build, &out, ret, NULL, NULL);
	gsym_builder_free(b);
	if (status == GSYM_OK) {
		cr_assert_eq(gsym_open_memory(out, *ret, &reader, NULL),
			     GSYM_OK);
		cr_assert_eq(gsym_verify(reader, report, NULL), GSYM_OK);
		gsym_close(reader);
	}
	return out;
}

/* The innermost frame at ADDRESS, "function+offset dir/file:line". */
static void answer(const struct gsym_reader *reader, uint64_t address,
		   char *text, size_t size)
{
	struct gsym_frame frames[8];
	struct gsym_match match;
	size_t at = 0;

	text[0] = 0;
	if (gsym_lookup(reader, address, 0, frames, 8, &match, NULL) != GSYM_OK)
		return;
	for (uint32_t i = 0; i < match.frame_count && i < 8; i++) {
		/* The file of a call without a known file is "??". */
		bool known = *frames[i].basename &&
			     strcmp(frames[i].basename, "??") != 0;

		at += (size_t)snprintf(text + at, size - at, "%s+%u ",
				       frames[i].function,
				       (unsigned)frames[i].offset);
		if (known)
			at += (size_t)snprintf(text + at, size - at,
					       "%s/%s:%u", frames[i].directory,
					       frames[i].basename,
					       frames[i].line);
		at += (size_t)snprintf(text + at, size - at, "; ");
	}
}

Test(transcode, the_annotated_example)
{
	size_t size, again_size;
	uint8_t *v2 = transcode(gb_example_v1, sizeof(gb_example_v1), 2, true,
				&size), *v1;
	struct gsym_reader *reader;
	struct gsym_header header;
	char text[512];

	cr_assert(v2);
	cr_assert_eq(warnings, 0);
	cr_assert_eq(gsym_open_memory(v2, size, &reader, NULL), GSYM_OK);
	gsym_get_header(reader, &header);
	cr_assert_eq(header.version, 2);
	cr_assert(header.big_endian);
	cr_assert_eq(header.base_address, 0x400000);
	cr_assert_eq(header.uuid_size, 8);
	cr_assert_arr_eq(header.uuid, "\x00\x11\x22\x33\x44\x55\x66\x77", 8);
	answer(reader, 0x40100e, text, sizeof(text));
	cr_assert_str_eq(text, "sq+0 /src/ex.c:2; work+14 /src/ex.c:7; ");
	gsym_close(reader);
	v1 = transcode(v2, size, 1, false, &again_size);
	cr_assert(v1);
	free(v2);
	v2 = transcode(v1, again_size, 1, false, &size);
	cr_assert_eq(size, again_size);
	cr_assert_arr_eq(v1, v2, size);
	free(v1);
	free(v2);
}

Test(transcode, answers_stay_as_they_are)
{
	for (unsigned i = 0; i < 4; i++) {
		size_t size, out_size;
		uint8_t *bytes = gb_rich(1 + i / 2, i % 2, &size);
		uint8_t *out = transcode(bytes, size, 2 - i / 2, !(i % 2),
					 &out_size);
		struct gsym_reader *from, *to;
		char wanted[512], got[512];
		uint64_t end;

		cr_assert(out);
		/* It holds information of an unknown kind. */
		cr_assert_geq(warnings, 1);
		cr_assert_eq(gsym_open_memory(bytes, size, &from, NULL),
			     GSYM_OK);
		cr_assert_eq(gsym_open_memory(out, out_size, &to, NULL),
			     GSYM_OK);
		end = gsym_address_at(from, gsym_function_count(from) - 1);
		for (uint64_t at = gsym_address_at(from, 0); at < end; at++) {
			answer(from, at, wanted, sizeof(wanted));
			answer(to, at, got, sizeof(got));
			/* A function that contains another one becomes several
			 * records; the offsets of each record count from its
			 * own start. */
			if (strcmp(wanted, got) != 0) {
				char *plus = strrchr(wanted, '+');
				char *mine = strrchr(got, '+');

				cr_assert(plus && mine &&
					  plus - wanted == mine - got &&
					  !memcmp(wanted, got, plus - wanted) &&
					  !strcmp(strchr(plus, ' '),
						  strchr(mine, ' ')),
					  "0x%" PRIx64 ": %s, not %s", at, got,
					  wanted);
			}
		}
		gsym_close(from);
		gsym_close(to);
		free(bytes);
		free(out);
	}
}

Test(transcode, damage_in_every_byte)
{
	static const uint8_t masks[] = { 0xff, 0x80, 0x01 };

	for (unsigned i = 0; i < 2; i++) {
		size_t size, out_size;
		uint8_t *bytes = gb_rich(1 + i, i, &size);

		for (size_t at = 0; at < size; at++)
			for (int k = 0; k < 3; k++) {
				bytes[at] ^= masks[k];
				free(transcode(bytes, size, 2, false,
					       &out_size));
				bytes[at] ^= masks[k];
			}
		for (size_t cut = 0; cut < size; cut++)
			free(transcode(bytes, cut, 2, false, &out_size));
		free(bytes);
	}
}

/* 400 addresses share one large record: without a limit a small file would
 * become a large one. */
Test(transcode, shared_bytes)
{
	static const struct gb_row row = { 1, 0, 1 };
	struct gb_row rows[400];
	struct gb b;
	uint8_t *bytes;
	size_t size;

	for (int i = 0; i < 400; i++) {
		rows[i] = row;
		rows[i].line = (uint32_t)i * 100000;
	}
	gb_init(&b, 1, false, 4, 0);
	for (int i = 0; i < 400; i++)
		gb_plain(&b, 0x1000 * (uint64_t)i, 0x1000, "f");
	gb_record(&b, 0x1000000, 0x1000, "g");
	gb_lines(&b, rows, 400);
	gb_record_end(&b);
	for (int i = 0; i < 400; i++)
		b.offsets[i] = b.offsets[400];
	bytes = gb_finish(&b, &size);
	cr_assert_null(transcode(bytes, size, 1, false, &size));
	free(bytes);
}

Test(transcode, arguments_that_are_missing)
{
	cr_assert_eq(gsym_convert_reader(NULL, NULL, NULL, NULL, NULL),
		     GSYM_ERR_ARGUMENT);
}
