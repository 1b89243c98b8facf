/* SPDX-License-Identifier: MIT */
/* Records of the functions of a table of Go 1.18, compared as text. */
#include "config.h"

#include "go/go.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CODE = 0x401000, CODE_SIZE = 0x1000, TABLE = 0x500000, ROOM = 2048,
       FUNCTIONS = 9, RECORD = 44 };

/* Pc-value tables: file 0 for 16 bytes; line 9 for 8 bytes, then line 10 for 8;
 * file 0 for 8 bytes, then none for 8; line 9 for 4 bytes; line -8 for 4 bytes,
 * then line 9 for 4. */
#define LISTS ".\2\20\0" "\24\10\2\10\0" "\2\10\1\10\0" "\24\4\0" \
	"\15\4\42\4"
enum { FILES = 1, LINES = 4, HALF_FILES = 9, FEW_LINES = 14, NEGATIVE = 17 };

static const struct sample {
	uint32_t start;
	const char *name;
	uint32_t files, lines, unit;
} samples[FUNCTIONS] = {
	{ 0x00, "main.a", FILES, LINES, 0 },
	{ 0x20, "main.empty", FILES, LINES, 0 },
	{ 0x20, "main.b", HALF_FILES, LINES, 0 },
	{ 0x40, "go:buildid", FILES, LINES, 0 },
	{ 0x50, "main.c", 0, 0, UINT32_MAX },
	{ 0x60, "main.d", FILES, FEW_LINES, 0 },
	{ 0x70, "main.a", FILES, LINES, 0 },
	{ 0x78, "main.e", FILES, LINES, 1 },
	{ 0x88, "main.f", FILES, LINES, UINT32_MAX },
};

struct program {
	uint8_t code[CODE_SIZE];
	uint8_t table[ROOM];
	size_t functions, units, record[FUNCTIONS];
	struct gsym_memory memory;
	struct gsym_pclntab opened;
	/* What the sink got, and all that was reported, as text. */
	char strings[32][64];
	unsigned string_count, file_count;
	char said[2048];
};

static void put(struct program *p, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p->table[at + i] = (uint8_t)(value >> 8 * i);
}

static size_t put_text(struct program *p, size_t at, const char *text)
{
	memcpy(p->table + at, text, strlen(text) + 1);
	return at + strlen(text) + 1;
}

static void make_program(struct program *p)
{
	enum { HEADER = 72 };
	size_t parts[5] = { HEADER }, names[FUNCTIONS], at = HEADER;

	memset(p, 0, sizeof(*p));
	memcpy(p->table, "\xf0\xff\xff\xff\0\0\1\10", 8);
	put(p, 8, FUNCTIONS, 8);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		names[i] = i == 6 ? names[0] : at - HEADER;
		if (i != 6)
			at = put_text(p, at, samples[i].name);
	}
	parts[1] = p->units = at = (at + 3) & ~(size_t)3;
	put(p, at + 4, UINT32_MAX, 4);
	parts[2] = at + 8;
	parts[3] = put_text(p, parts[2], "/w/m.go");
	memcpy(p->table + parts[3], LISTS, sizeof(LISTS));
	at = parts[4] = p->functions =
		(parts[3] + sizeof(LISTS) + 7) & ~(size_t)7;
	for (size_t i = 0; i < 5; i++)
		put(p, 32 + 8 * i, parts[i], 8);
	at += 8 * FUNCTIONS + 4;
	put(p, at - 4, 0x98, 4);
	for (size_t i = 0; i < FUNCTIONS; i++, at += RECORD) {
		p->record[i] = at;
		put(p, p->functions + 8 * i, samples[i].start, 4);
		put(p, p->functions + 8 * i + 4, at - p->functions, 4);
		put(p, at, samples[i].start, 4);
		put(p, at + 4, names[i], 4);
		put(p, at + 20, samples[i].files, 4);
		put(p, at + 24, samples[i].lines, 4);
		put(p, at + 32, samples[i].unit, 4);
	}
	p->memory = (struct gsym_memory){
		.swap = GSYM_HOST_BIG_ENDIAN,
		.address_size = 8,
		.pieces = { { .address = CODE, .data = p->code,
			      .data_size = CODE_SIZE, .executable = true },
			    { .address = TABLE, .data = p->table,
			      .data_size = ROOM } },
		.count = 2,
	};
}

static void say(struct program *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct program *p, const char *format, ...)
{
	size_t used = strlen(p->said);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(p->said + used, sizeof(p->said) - used, format, arguments);
	va_end(arguments);
}

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	struct program *p = self;

	cr_assert_lt(++p->string_count, 32);
	cr_assert_lt(length, 64);
	memcpy(p->strings[p->string_count], bytes, length);
	*number = p->string_count;
	return GSYM_OK;
}

static enum gsym_status take_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	struct program *p = self;

	cr_assert_str_eq(p->strings[directory], "/w");
	cr_assert_str_eq(p->strings[basename], "m.go");
	p->file_count++;
	*number = 100;
	return GSYM_OK;
}

static enum gsym_status take_record(void *self,
				    const struct gsym_record *record)
{
	struct program *p = self;

	say(p, "%x+%x %s", (unsigned)(record->start - CODE),
	    (unsigned)record->size, p->strings[record->name]);
	for (size_t i = 0; i < record->row_count; i++)
		say(p, record->rows[i].file == 100 ? " %x:%u" : " %x:%u?",
		    (unsigned)record->rows[i].offset,
		    (unsigned)record->rows[i].line);
	say(p, "\n");
	return GSYM_OK;
}

static void take_hidden(void *context, struct gsym_range range)
{
	say(context, "hidden %x-%x\n", (unsigned)(range.start - CODE),
	    (unsigned)(range.end - CODE));
}

static void take_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	cr_assert_eq(kind, GSYM_WARN_BAD_GO_TABLE);
	say(context, "%s\n", text);
}

/* The text of the records, hidden ranges and warnings of the open table. */
static const char *run(struct program *p)
{
	const struct gsym_convert_options options = { .warn = take_warning,
						      .context = p };
	const struct gsym_sink sink = { .self = p, .string = take_string,
					.file = take_file,
					.record = take_record };

	*p->said = '\0';
	p->string_count = p->file_count = 0;
	cr_assert_eq(gsym_pclntab_convert(&p->opened, &options, &sink,
					  take_hidden, p, NULL), GSYM_OK);
	return p->said;
}

static void open_program(struct program *p)
{
	cr_assert(gsym_pclntab_open(&p->memory, TABLE, p->table, ROOM,
				    &p->opened));
	p->opened.text = CODE;
}

static const char *convert(struct program *p)
{
	open_program(p);
	return run(p);
}

#define A "0+10 main.a 0:9 8:10\n"
#define B "20+10 main.b 0:9 8:0?\n"
#define HIDDEN "hidden 40-50\n"
#define C "50+10 main.c\n"
#define D "60+10 main.d 0:9 4:0?\n"
#define A2 "70+8 main.a 0:9\n"
#define E "78+10 main.e 0:0? 8:0?\n"
#define F "88+10 main.f 0:0? 8:0?\n"

/* A function ends with its pc-value tables, or where the next function begins.
 * Code without a file or line has no source ("?").  Functions of size 0 are
 * left out, and go:buildid is hidden. */
Test(pclntab_convert, functions)
{
	struct program p;

	make_program(&p);
	cr_assert_str_eq(convert(&p), A B HIDDEN C D A2 E F);
	/* Each name and file is handed over once. */
	cr_assert_eq(p.string_count, 8);
	cr_assert_eq(p.file_count, 1);
}

/* Code whose line is negative, as Go's linker gives trampolines, has no
 * source. */
Test(pclntab_convert, negative_lines)
{
	struct program p;

	make_program(&p);
	put(&p, p.record[6] + 24, NEGATIVE, 4);
	cr_assert_str_eq(convert(&p), A B HIDDEN C D
			 "70+8 main.a 0:0? 4:9\n" E F);
}

/* A damaged function does not harm the others. */
Test(pclntab_convert, damage)
{
	struct program p;

	make_program(&p);
	put(&p, p.record[7] + 24, ROOM, 4); /* its lines */
	cr_assert_str_eq(convert(&p), A B HIDDEN C D A2
			 "78+10 main.e 0:0?\n" F "go table: functions with "
			 "damaged lines: 1, the first one at 0x401078\n");
	make_program(&p);
	put(&p, p.units, ROOM, 4); /* the file */
	cr_assert_str_eq(convert(&p), "0+10 main.a 0:0? 8:0?\n"
			 "20+10 main.b 0:0? 8:0?\n" HIDDEN C
			 "60+10 main.d 0:0? 4:0?\n" "70+8 main.a 0:0?\n" E F
			 "go table: names and files that are not in the "
			 "table: 1, the first one at 0x500000\n");
	/* Files outside of the table, or in another part of it. */
	make_program(&p);
	put(&p, p.units, 0xfffffff0, 4);
	put(&p, p.record[7] + 32, 2, 4);
	put(&p, p.record[8] + 32, 100, 4);
	cr_assert_str_eq(convert(&p), "0+10 main.a 0:0? 8:0?\n"
			 "20+10 main.b 0:0? 8:0?\n" HIDDEN C
			 "60+10 main.d 0:0? 4:0?\n" "70+8 main.a 0:0?\n" E F);
	/* gsym_pclntab_open checks the first functions, so these are damaged
	 * after it. */
	make_program(&p);
	open_program(&p);
	put(&p, p.record[7], 1, 4);
	put(&p, p.functions + 8 * 5, 0x30, 4);
	put(&p, p.record[5], 0x30, 4);
	cr_assert_str_eq(run(&p), A B HIDDEN
			 "70+8 main.a 0:9\n" F
			 "go table: functions whose records are not in the "
			 "table: 1, the first one at 0x401078\n"
			 "go table: functions that are not in code: 2, the "
			 "first one at 0x401050\n");
}

/* The conversion ends with a failure of the sink. */
static enum gsym_status fail(void *self, const struct gsym_record *record)
{
	(void)record;
	++*(unsigned *)self;
	return GSYM_ERR_MEMORY;
}

static enum gsym_status ignore(void *self, const char *bytes, size_t length,
			       uint32_t *number)
{
	(void)self, (void)bytes, (void)length;
	*number = 1;
	return GSYM_OK;
}

static enum gsym_status ignore_file(void *self, uint32_t directory,
				    uint32_t basename, uint32_t *number)
{
	(void)self, (void)directory, (void)basename;
	*number = 1;
	return GSYM_OK;
}

Test(pclntab_convert, failure)
{
	const struct gsym_convert_options options = { 0 };
	unsigned calls = 0;
	const struct gsym_sink sink = { .self = &calls, .string = ignore,
					.file = ignore_file, .record = fail };
	struct gsym_error error = { 0 };
	struct program p;

	make_program(&p);
	convert(&p);
	cr_assert_eq(gsym_pclntab_convert(&p.opened, &options, &sink, NULL,
					  NULL, &error), GSYM_ERR_MEMORY);
	cr_assert_eq(calls, 1);
	cr_assert(strstr(error.message, "go table at 0x500000"));
}
