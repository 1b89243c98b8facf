/* SPDX-License-Identifier: MIT */
/* The tables of Go 1.1 and older, of each dialect. */
#include "go/go.h"

#include <criterion/criterion.h>
#include <gsym/builder.h>
#include <gsym/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *load(const char *name, size_t *size)
{
	const char *top = getenv("top_srcdir");
	uint8_t *bytes = malloc(65536);
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/testdata/go/plan9/%s", top ? top : ".",
		 name);
	f = fopen(path, "rb");
	cr_assert(f && bytes, "%s", path);
	*size = fread(bytes, 1, 65536, f);
	fclose(f);
	return bytes;
}

struct image {
	uint8_t *bytes;
	struct gsym_reader *reader;
};

static struct image convert(const struct gsym_plan9 *tables)
{
	const struct gsym_convert_options options = { 0 };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_sink sink = gsym_builder_sink(builder);
	struct gsym_error error = { 0 };
	struct image image = { 0 };
	size_t size;

	cr_assert_eq(gsym_plan9_convert(tables, &options, &sink, &error),
		     GSYM_OK, "%s", error.message);
	cr_assert_eq(gsym_builder_finish(builder, NULL, &image.bytes, &size,
					 NULL, &error),
		     GSYM_OK, "%s", error.message);
	gsym_builder_free(builder);
	cr_assert_eq(gsym_open_memory(image.bytes, size, &image.reader, NULL),
		     GSYM_OK);
	return image;
}

static void release(struct image *image)
{
	gsym_close(image->reader);
	free(image->bytes);
}

/* "function file:line" for ADDRESS. */
static void ask(const struct image *image, uint64_t address, char text[512])
{
	struct gsym_frame frame;
	struct gsym_match match;

	strcpy(text, "?? ??:0");
	if (gsym_lookup(image->reader, address, 0, &frame, 1, &match, NULL) ==
	    GSYM_OK)
		snprintf(text, 512, "%s %s/%s:%u", frame.function,
			 frame.directory, frame.basename, frame.line);
}

static void check(const struct gsym_plan9 *tables, const char *expected)
{
	struct image image = convert(tables);
	unsigned checked = 0;
	size_t size;
	uint8_t *text = load(expected, &size);

	text[size] = 0;
	for (char *line = strtok((char *)text, "\n"); line;
	     line = strtok(NULL, "\n")) {
		char answer[512];
		char *wanted;
		uint64_t address = strtoull(line, &wanted, 16);

		if (*line == '#')
			continue;
		ask(&image, address, answer);
		cr_assert_str_eq(answer, wanted + 1);
		checked++;
	}
	cr_assert_gt(checked, 50);
	free(text);
	release(&image);
}

Test(plan9, of_2008)
{
	size_t size;
	uint8_t *bytes = load("seed2008.symdat", &size);
	uint32_t symbols = gsym_load_u32(bytes, GSYM_HOST_BIG_ENDIAN);
	uint32_t lines = gsym_load_u32(bytes + 4, GSYM_HOST_BIG_ENDIAN);

	cr_assert_leq(8 + symbols + lines, size);
	check(&(struct gsym_plan9){ bytes + 8, symbols, bytes + 8 + symbols,
				    lines, PLAN9_2008, 1 },
	      "seed2008.expect");
	/* The dialect is found out. */
	check(&(struct gsym_plan9){ bytes + 8, symbols, bytes + 8 + symbols,
				    lines, PLAN9_ANY, 1 },
	      "seed2008.expect");
	free(bytes);
}

Test(plan9, of_go_1)
{
	static const struct sample {
		const char *name;
		enum plan9_dialect dialect;
	} samples[] = {
		{ "go10.gosymtab", PLAN9_ANY },
		{ "go10.gosymtab", PLAN9_GO_1_0 },
		{ "go11.gosymtab", PLAN9_ANY },
		{ "plan9-64.syms", PLAN9_64 },
	};
	size_t line_size;
	uint8_t *lines = load("go1.gopclntab", &line_size);

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		size_t size;
		uint8_t *bytes = load(samples[i].name, &size);

		check(&(struct gsym_plan9){ bytes, size, lines, line_size,
					    samples[i].dialect, 1 },
		      "go1.expect");
		free(bytes);
	}
	free(lines);
}

/* A symbol of 2008 begins with its value and its kind; the name follows. */
#define SYM(a, b, c, d, kind) a, b, c, d, (kind) | 0x80

/* Lines before the start of the first function; an item of five bytes with a
 * negative difference; code in an included file; a #line. */
Test(plan9, facts)
{
	static const uint8_t symbols[] = {
		SYM(0, 0, 0x10, 0x60, 'T'), 'e', 't', 'e', 'x', 't', 0, 0,
		SYM(0, 0, 0, 1, 'f'), '/', 0, 0,
		SYM(0, 0, 0, 2, 'f'), 'a', '.', 'c', 0, 0,
		SYM(0, 0, 0, 3, 'f'), 'a', '.', 'h', 0, 0,
		SYM(0, 0, 0, 4, 'f'), 'b', '.', 'y', 0, 0,
		SYM(0, 0, 0, 1, 'z'), 0, 0, 1, 0, 2, 0, 0, 0,
		SYM(0, 0, 0, 10, 'z'), 0, 0, 1, 0, 3, 0, 0, 0,
		SYM(0, 0, 0, 30, 'z'), 0, 0, 0, 0,
		SYM(0, 0, 0, 50, 'z'), 0, 0, 1, 0, 4, 0, 0, 0,
		SYM(0, 0, 0, 7, 'Z'), 0, 0, 0, 0,
		SYM(0, 0, 0x10, 0, 'T'), 'm', 0xc2, 0xb7, 'f', 0, 0,
		SYM(0, 0, 0x10, 0x40, 't'), 'g', 0, 0,
	};
	static const uint8_t lines[] = {
		35, 129 + 14, 0, 0xff, 0xff, 0xff, 0xf1, 129 + 30,
		32, 255,
	};
	struct image image = convert(&(struct gsym_plan9){
		symbols, sizeof(symbols), lines, sizeof(lines), PLAN9_2008,
		1 });
	char text[512];

	ask(&image, 0x1000, text); /* line 35, of which 20 are lines of a.h */
	cr_assert_str_eq(text, "m.f //a.c:15");
	ask(&image, 0x100f, text);
	cr_assert_str_eq(text, "m.f //a.c:15");
	ask(&image, 0x1010, text); /* 20 */
	cr_assert_str_eq(text, "m.f //a.h:11");
	ask(&image, 0x1030, text); /* 52 */
	cr_assert_str_eq(text, "m.f //b.y:9");
	ask(&image, 0x1040, text); /* the line of the function before this
				    * one */
	cr_assert_str_eq(text, "g //b.y:9");
	ask(&image, 0x1060, text);
	cr_assert_str_eq(text, "?? ??:0");
	release(&image);
}

Test(plan9, no_dialect)
{
	static const uint8_t bytes[] = "text that is no table of symbols";
	const struct gsym_convert_options options = { 0 };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_sink sink = gsym_builder_sink(builder);
	struct gsym_error error = { 0 };

	cr_assert_eq(gsym_plan9_convert(
			     &(struct gsym_plan9){ bytes, sizeof(bytes), bytes,
						   4, PLAN9_ANY, 1 },
			     &options, &sink, &error),
		     GSYM_ERR_CORRUPT);
	cr_assert(*error.message);
	gsym_builder_free(builder);
}

/* ---- tables that would take too much time or memory --------------------- */

/* A sink that counts. */
struct counts {
	uint64_t bytes;
	uint64_t records;
	uint64_t size; /* of the last record */
};

static enum gsym_status count_string(void *self, const char *bytes,
				     size_t length, uint32_t *number)
{
	struct counts *counts = self;

	(void)bytes;
	counts->bytes += length;
	*number = 1;
	return GSYM_OK;
}

static enum gsym_status count_file(void *self, uint32_t directory,
				   uint32_t basename, uint32_t *number)
{
	(void)self;
	*number = directory + basename;
	return GSYM_OK;
}

static enum gsym_status count_record(void *self,
				     const struct gsym_record *record)
{
	struct counts *counts = self;

	counts->records++;
	counts->size = record->size;
	return GSYM_OK;
}

static struct counts count(const uint8_t *symbols, size_t symbol_size,
			   const uint8_t *lines, size_t line_size,
			   enum plan9_dialect dialect)
{
	const struct gsym_convert_options options = { 0 };
	struct counts counts = { 0 };
	const struct gsym_sink sink = { .self = &counts,
					.string = count_string,
					.file = count_file,
					.record = count_record };

	cr_assert_eq(gsym_plan9_convert(
			     &(struct gsym_plan9){ symbols, symbol_size, lines,
						   line_size, dialect, 1 },
			     &options, &sink, NULL),
		     GSYM_OK);
	return counts;
}

/* Lines are read once, however many functions are at the end of the address
 * space. */
Test(plan9, many_functions_at_the_end, .timeout = 600)
{
	enum { FUNCTIONS = 30000, BYTES = 11, LINES = 8 << 20 };
	static uint8_t symbols[FUNCTIONS * BYTES], lines[LINES];

	for (size_t i = 0; i < FUNCTIONS; i++) {
		memset(symbols + BYTES * i, 0xff, 8);
		memcpy(symbols + BYTES * i + 8, "\xd4" "f", 3);
	}
	memset(lines, 1, sizeof(lines));
	cr_assert_eq(count(symbols, sizeof(symbols), lines, sizeof(lines),
			   PLAN9_64).records, 0);
}

/* Many long paths of few long elements: the sum of their bytes is limited. */
Test(plan9, many_long_paths)
{
	enum { ELEMENTS = 256, LENGTH = 1000, PATH = 14, FUNCTION = 8,
	       PATHS = ELEMENTS * ELEMENTS,
	       SIZE = ELEMENTS * (LENGTH + 6) + PATHS * PATH + FUNCTION };
	uint8_t *symbols = calloc(1, SIZE), *at = symbols;
	struct counts counts;

	cr_assert(symbols);
	for (size_t i = 1; i <= ELEMENTS; i++) {
		uint8_t number[] = { 0, 0, (uint8_t)(i >> 8), (uint8_t)i,
				     'f' | 0x80 };

		memcpy(at, number, 5);
		memset(at + 5, 'x', LENGTH);
		at += LENGTH + 6;
	}
	for (size_t i = 0; i < PATHS; i++, at += PATH) {
		size_t first = 1 + i / ELEMENTS, second = 1 + i % ELEMENTS;
		uint8_t path[PATH] = { 0, 0, 0, 1, 'z' | 0x80, 0,
				       (uint8_t)(first >> 8), (uint8_t)first,
				       (uint8_t)(second >> 8), (uint8_t)second,
				       0, 1 };

		/* All paths belong to the object that the first begins. */
		path[3] = i ? 2 : 1;
		memcpy(at, path, PATH);
	}
	memcpy(at, "\0\0\x10\0\xd4" "f", 7);
	counts = count(symbols, SIZE - 1, (const uint8_t *)"\1\1", 2,
		       PLAN9_32);
	cr_assert_eq(counts.records, 1);
	cr_assert_lt(counts.bytes, 32 * (uint64_t)SIZE);
	free(symbols);
}

/* Lines after the end of the address space are ignored. */
Test(plan9, end_of_memory)
{
	static const uint8_t symbols[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 'T' | 0x80,
		'e', 't', 'e', 'x', 't', 0,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80, 'T' | 0x80,
		'f', 0,
	};
	static const uint8_t lines[] = { 5, 255, 5, 5 };
	struct image image = convert(&(struct gsym_plan9){
		symbols, sizeof(symbols), lines, sizeof(lines), PLAN9_64, 1 });
	char text[512];

	ask(&image, UINT64_MAX - 1, text);
	cr_assert_str_eq(text, "f /:0");
	release(&image);
}

/* A function is cut at 4 GiB.  An item of five bytes may be the last one of the
 * lines. */
Test(plan9, large_function)
{
	static const uint8_t symbols[] = {
		0, 0, 0, 0, 0, 0, 0, 1, 'f' | 0x80, 'a', '.', 'c', 0,
		0, 0, 0, 0, 0, 0, 0, 1, 'z' | 0x80, 0, 0, 1, 0, 0,
		0, 0, 0, 4, 0, 0, 0, 0, 'T' | 0x80, 'e', 't', 'e', 'x', 't', 0,
		0, 0, 0, 0, 0, 0, 0x10, 0, 'T' | 0x80, 'f', 0,
	};
	static const uint8_t lines[] = { 0, 0, 0, 0, 7 };
	static uint8_t cut[4];
	struct image image;
	struct counts counts;
	char text[512];

	counts = count(symbols, sizeof(symbols), lines, sizeof(lines),
		       PLAN9_64);
	cr_assert_eq(counts.records, 1);
	cr_assert_eq(counts.size, UINT32_MAX);
	image = convert(&(struct gsym_plan9){ symbols, sizeof(symbols), lines,
					      sizeof(lines), PLAN9_64, 1 });
	ask(&image, 0x1000, text);
	cr_assert_str_eq(text, "f /a.c:7");
	release(&image);
	/* Without its last byte the item is ignored. */
	memcpy(cut, lines, sizeof(cut));
	image = convert(&(struct gsym_plan9){ symbols, sizeof(symbols), cut,
					      sizeof(cut), PLAN9_64, 1 });
	ask(&image, 0x1000, text);
	cr_assert_str_neq(text, "f /a.c:7");
	release(&image);
}

/* Functions may come in any order. */
Test(plan9, order)
{
	static const uint8_t symbols[] = {
		SYM(0, 0, 0x10, 0x60, 'T'), 'e', 't', 'e', 'x', 't', 0, 0,
		SYM(0, 0, 0x10, 0x40, 'T'), 'l', 'a', 's', 't', 0, 0,
		SYM(0, 0, 0x10, 0, 'T'), 'f', 'i', 'r', 's', 't', 0, 0,
		SYM(0, 0, 0x10, 0x20, 'T'), 'm', 'i', 'd', 0, 0,
	};
	struct image image = convert(&(struct gsym_plan9){
		symbols, sizeof(symbols), symbols, 0, PLAN9_2008, 1 });
	static const char *const names[] = { "first ", "mid ", "last " };
	char text[512];

	for (unsigned i = 0; i < 3; i++) {
		ask(&image, 0x1000 + 0x20 * i + 0x1f, text);
		cr_assert(!strncmp(text, names[i], strlen(names[i])), "%s",
			  text);
	}
	release(&image);
}

static void take_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	cr_assert_eq(kind, GSYM_WARN_BAD_GO_TABLE);
	snprintf(context, 512, "%s", text);
}

/* The symbols after one of an unknown kind are lost, with a warning. */
Test(plan9, unknown_kind)
{
	static const uint8_t samples[][24] = {
		{ 0xfd, 0xff, 0xff, 0xff, 0, 0, 0, 8, 19, 0x10, 'f', 0, 52, 1,
		  'x', 0, 19, 0x20, 'g', 0 },
		{ 0xfd, 0xff, 0xff, 0xff, 0, 0, 0, 8, 19, 0x10, 'f', 0, 63, 1,
		  'x', 0, 19, 0x20, 'g', 0 },
		{ 0xfd, 0xff, 0xff, 0xff, 0, 0, 0, 8, 19, 0x10, 'f', 0, 50, 1,
		  'x', 0, 19, 0x20, 'g', 0 },
	};

	for (size_t i = 0; i < 3; i++) {
		char said[512] = "";
		const struct gsym_convert_options options = {
			.warn = take_warning, .context = said };
		struct counts counts = { 0 };
		const struct gsym_sink sink = { .self = &counts,
						.string = count_string,
						.file = count_file,
						.record = count_record };

		cr_assert_eq(gsym_plan9_convert(
				     &(struct gsym_plan9){ samples[i], 20,
							   samples[i] + 7, 1,
							   PLAN9_ANY, 1 },
				     &options, &sink, NULL),
			     GSYM_OK);
		cr_assert_str_eq(said, i < 2 ? "go symbol table: damaged at "
					       "0xd" : "");
	}
}

/* A #line in an included file ends with that file, and all lines of the
 * included file are skipped in the file around it. */
Test(plan9, line_in_include)
{
	static const uint8_t symbols[] = {
		SYM(0, 0, 0x10, 0x60, 'T'), 'e', 't', 'e', 'x', 't', 0, 0,
		SYM(0, 0, 0, 1, 'f'), 'a', '.', 'c', 0, 0,
		SYM(0, 0, 0, 2, 'f'), 'a', '.', 'h', 0, 0,
		SYM(0, 0, 0, 3, 'f'), 'b', '.', 'y', 0, 0,
		SYM(0, 0, 0, 1, 'z'), 0, 0, 1, 0, 0, 0,
		SYM(0, 0, 0, 10, 'z'), 0, 0, 2, 0, 0, 0,
		SYM(0, 0, 0, 15, 'z'), 0, 0, 3, 0, 0, 0,
		SYM(0, 0, 0, 7, 'Z'), 0, 0, 0, 0,
		SYM(0, 0, 0, 30, 'z'), 0, 0, 0, 0,
		SYM(0, 0, 0x10, 0, 'T'), 'f', 0, 0,
	};
	static const uint8_t lines[] = { 12, 5, 18 };
	struct image image = convert(&(struct gsym_plan9){
		symbols, sizeof(symbols), lines, sizeof(lines), PLAN9_2008,
		1 });
	char text[512];

	ask(&image, 0x1000, text); /* 12 */
	cr_assert_str_eq(text, "f /a.h:3");
	ask(&image, 0x1001, text); /* 17 */
	cr_assert_str_eq(text, "f /b.y:9");
	ask(&image, 0x1002, text); /* 35 */
	cr_assert_str_eq(text, "f /a.c:15");
	release(&image);
}
