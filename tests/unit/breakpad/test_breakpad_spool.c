/* SPDX-License-Identifier: MIT */
/* Opening the text of a symbol file: compressed, after blanks, and in a
 * temporary file. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "breakpad/file.h"
#include "support/breakpad_input.h"

#include <gsym/convert.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define MODULE "MODULE Linux x86_64 AA00821355A924349B6E40186C0D2D020 a\n"

static const struct gsym_convert_options plain = { 0 };

/* SIZE bytes of text: a MODULE record, then random bytes; with DULL a text that
 * compresses well. */
static char *make_text(size_t size, bool dull)
{
	char *text = malloc(size + 1);
	size_t at = strlen(MODULE);
	uint32_t state = 7;

	cr_assert(text);
	strcpy(text, MODULE);
	while (at < size) {
		state = state * 1664525 + 1013904223;
		text[at] = at % 64 == 63 ? '\n' : dull ? 'x' : (char)('0' +
							(state >> 24) % 64);
		at++;
	}
	return text;
}

/* The result of opening a compressed file. */
enum outcome { SAME, OTHER, REFUSED };

static enum outcome inflate_text(const void *packed, size_t packed_size,
				 const char *text, size_t size)
{
	struct bp_text got;
	char path[64];
	enum outcome outcome = OTHER;
	bool copied;
	int fd = breakpad_input_file(packed, packed_size, path);
	enum gsym_status status =
		gsym_bp_spool_open(path, &plain, &got, &copied, NULL);

	close(fd);
	if (status != GSYM_OK)
		return REFUSED;
	if (bp_length(got) == size && !memcmp(got.at, text, size))
		outcome = SAME;
	gsym_bp_spool_free(got);
	return outcome;
}

/* ---- gzip --------------------------------------------------------------- */

/* TEXT as gzip members of EACH bytes. */
static uint8_t *gzip(const char *text, size_t size, size_t each, size_t *ret)
{
	size_t room = 2 * size + 64 * (size / each + 2);
	uint8_t *packed = malloc(room);

	cr_assert(packed);
	*ret = 0;
	for (size_t at = 0; at < size; at += each) {
		size_t part = size - at < each ? size - at : each;
		z_stream z = { .next_in = (Bytef *)(uintptr_t)(text + at),
			       .avail_in = (uInt)part,
			       .next_out = packed + *ret,
			       .avail_out = (uInt)(room - *ret) };

		cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8,
					  Z_DEFAULT_STRATEGY), Z_OK);
		cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
		*ret = (size_t)(z.next_out - packed);
		deflateEnd(&z);
	}
	return packed;
}

/* Sizes of texts; they are copied in blocks of 128 KiB. */
static const size_t sizes[] = { 100, 131071, 131072, 131073, 700000 };

Test(breakpad_spool, gzip)
{
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i / 2], packed_size;
		char *text = make_text(size, i & 1);
		uint8_t *packed;

		for (size_t each = 65536; each <= 1 << 20; each *= 4) {
			packed = gzip(text, size, each, &packed_size);
			cr_expect_eq(inflate_text(packed, packed_size, text,
						  size), SAME,
				     "%zu bytes in members of %zu", size, each);
			cr_expect_eq(inflate_text(packed, packed_size - 1,
						  text, size), REFUSED);
			free(packed);
		}
		free(text);
	}
}

/* ---- zstd --------------------------------------------------------------- */

#ifdef HAVE_ZSTD
/* TEXT in one frame of blocks of EACH bytes, or in frames of that size. */
static uint8_t *zstd(const char *text, size_t size, size_t each, bool frames,
		     size_t *ret)
{
	size_t room = 2 * ZSTD_compressBound(size) + 64 * (size / each + 2);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_outBuffer out = { malloc(room), room, 0 };

	cr_assert(context && out.dst);
	for (size_t at = 0; at < size; at += each) {
		size_t part = size - at < each ? size - at : each;
		ZSTD_inBuffer in = { text + at, part, 0 };
		bool last = frames || part == size - at;

		cr_assert_eq(ZSTD_compressStream2(context, &out, &in,
						  last ? ZSTD_e_end
						       : ZSTD_e_flush), 0);
	}
	ZSTD_freeCCtx(context);
	*ret = out.pos;
	return out.dst;
}

/* When all of the input was handed over, some of the text may still have to be
 * fetched: ZSTD_decompressStream keeps back a byte of the input until then. */
Test(breakpad_spool, zstd)
{
	static const size_t pieces[] = { 1000, 100000, 131072, 1 << 20 };

	for (size_t i = 0; i < 4 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i / 4], packed_size;
		char *text = make_text(size, i & 1);

		for (size_t k = 0; k < 4; k++) {
			uint8_t *packed = zstd(text, size, pieces[k], i & 2,
					       &packed_size);

			cr_expect_eq(inflate_text(packed, packed_size, text,
						  size), SAME,
				     "%zu bytes by %zu, %zu", size, pieces[k],
				     i);
			cr_expect_eq(inflate_text(packed, packed_size - 1,
						  text, size), REFUSED);
			free(packed);
		}
		free(text);
	}
}
#endif

/* ---- where the text starts ---------------------------------------------- */

Test(breakpad_spool, any_number_of_blanks_before_the_first_word)
{
	static const size_t counts[] = { 0, 1, 56, 57, 58, 63, 64, 65, 4095,
					 4096, 4097, 70000 };
	static const char rest[] = MODULE "FUNC 1000 10 0 f\n";

	for (size_t i = 0; i < 2 * sizeof(counts) / sizeof(counts[0]); i++) {
		size_t count = counts[i / 2], size = 0, packed_size, id_size;
		char *text = malloc(count + sizeof(rest) + 3);
		struct breakpad_result r;
		uint8_t *packed, id[64];
		char path[64];
		int fd;

		cr_assert(text);
		if (i & 1)
			size = (size_t)(stpcpy(text, "\xef\xbb\xbf") - text);
		memset(text + size, " \t\n\r"[count & 3], count);
		size += count;
		memcpy(text + size, rest, sizeof(rest) - 1);
		size += sizeof(rest) - 1;
		cr_assert_eq(breakpad_input_bytes(text, size, NULL, &r),
			     GSYM_OK, "%zu blanks: %s", count, r.error.message);
		cr_expect_str_eq(breakpad_answer(&r, 0x1000), "f none:0");
		breakpad_result_fini(&r);

		packed = gzip(text, size, 1 << 20, &packed_size);
		fd = breakpad_input_file(packed, packed_size, path);
		cr_expect_eq(gsym_breakpad_identity(path, GSYM_FROM_BEST, id,
						    &id_size), GSYM_OK);
		cr_expect_eq(id_size, 16, "%zu blanks", count);
		close(fd);
		free(packed);
		free(text);
	}
}

Test(breakpad_spool, blanks_alone_and_other_words_are_no_symbol_file)
{
	static const char *const ends[] = { "", "MODULES", "MODULE",
					    "FUNC 1000 10 0 f\n" };
	static const char *const why[] = {
		"neither a program", "neither a program", "a Breakpad file",
		"a Breakpad file starts with MODULE",
	};

	for (size_t i = 0; i < 4; i++) {
		struct breakpad_result r;
		char text[300];
		int size = snprintf(text, sizeof(text), "%200s%s", "", ends[i]);

		cr_assert_eq(breakpad_input_bytes(text, (size_t)size, NULL, &r),
			     GSYM_ERR_FORMAT);
		cr_expect(!strncmp(r.error.message, why[i], strlen(why[i])),
			  "'%s': %s", ends[i], r.error.message);
	}
}

/* ---- temporary files ---------------------------------------------------- */

Test(breakpad_spool, the_folder_for_temporary_files)
{
	const struct gsym_convert_options nowhere = {
		.temporary_directory = "/nowhere/at/all"
	};
	static const char text[] = MODULE "FUNC 1000 10 0 f\n";
	struct breakpad_result r;
	size_t size;
	uint8_t *packed = gzip(text, sizeof(text) - 1, 1 << 20, &size);

	cr_expect_eq(breakpad_input_bytes((char *)packed, size, &nowhere, &r),
		     GSYM_ERR_IO);
	cr_expect_str_eq(r.error.message,
			 "a temporary file in '/nowhere/at/all' cannot be "
			 "written: No such file or directory");
	cr_assert_eq(breakpad_input_bytes((char *)packed, size, NULL, &r),
		     GSYM_OK);
	breakpad_result_fini(&r);
	cr_assert_eq(breakpad_input_bytes(text, sizeof(text) - 1, &nowhere, &r),
		     GSYM_OK);
	breakpad_result_fini(&r);
	free(packed);
}

/* ---- progress ----------------------------------------------------------- */

struct reports {
	uint64_t last;   /* DONE of the last report */
	uint64_t widest; /* the largest step between two reports */
	uint64_t stop;   /* stop the conversion when this many bytes are done;
			  * 0: never */
	unsigned count;
};

static bool report(void *context, uint64_t done, uint64_t total)
{
	struct reports *r = context;

	(void)total;
	cr_expect(done >= r->last, "%" PRIu64 " after %" PRIu64, done, r->last);
	if (done - r->last > r->widest)
		r->widest = done - r->last;
	r->last = done;
	r->count++;
	return !r->stop || done < r->stop;
}

/* A small function, one of LINES line records, and another small one.  Every
 * other record begins with a space, as no producer writes it. */
static char *one_large_function(unsigned lines, size_t *size)
{
	char *text;
	FILE *out = open_memstream(&text, size);

	fprintf(out, MODULE "FILE 1 /s/a.c\nFUNC 100 8 0 a\n100 8 1 1\n"
			    "FUNC 1000 %x 0 f\n", 4 * lines);
	for (unsigned i = 0; i < lines; i++)
		fprintf(out, "%s%x 4 %u 1\n", i & 1 ? " " : "",
			0x1000 + 4 * i, i);
	fprintf(out, "FUNC 90000000 8 0 z\n90000000 8 2 1\n");
	fclose(out);
	return text;
}

Test(breakpad_spool, progress_within_a_large_function)
{
	enum { LINES = 500000, MIB = 1 << 20 };
	size_t size;
	char *text = one_large_function(LINES, &size), path[64];
	int fd = breakpad_input_file(text, size, path);
	struct breakpad_result r;

	cr_assert_gt(size, 8 * MIB);
	for (unsigned i = 0; i < 4; i++) {
		struct reports reports = {
			.stop = i & 1 ? size + size / 2 : 0
		};
		const struct gsym_convert_options options = {
			.threads = i & 2 ? 4 : 1,
			.progress = report, .context = &reports,
		};
		struct gsym_builder *builder = gsym_builder_new();

		cr_expect_eq(gsym_convert_file(path, &options, builder, NULL,
					       NULL),
			     i & 1 ? GSYM_ERR_CANCELLED : GSYM_OK);
		cr_expect_leq(reports.widest, MIB + MIB / 2, "%u: %" PRIu64, i,
			      reports.widest);
		if (reports.stop)
			cr_expect_lt(reports.last, reports.stop + 2 * MIB);
		gsym_builder_free(builder);
	}
	close(fd);
	cr_assert_eq(breakpad_input_bytes(text, size, NULL, &r), GSYM_OK);
	cr_expect_str_eq(breakpad_answer(&r, 0x100), "a /s/a.c:1");
	cr_expect_str_eq(breakpad_answer(&r, 0x1000 + 4 * (LINES - 1)),
			 "f /s/a.c:499999");
	cr_expect_str_eq(breakpad_answer(&r, 0x90000000), "z /s/a.c:2");
	cr_expect_eq(r.warnings[GSYM_WARN_BAD_RECORD], 0);
	cr_expect_eq(r.facts.records.lines, LINES + 2);
	breakpad_result_fini(&r);
	free(text);
}
