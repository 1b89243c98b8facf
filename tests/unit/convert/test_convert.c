/* SPDX-License-Identifier: MIT */
/* gsym_convert_file, with a struct gsym_builder of this test's own: it counts
 * the calls of the sink. */
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <gsym/convert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gsym_builder {
	int strings;
	int records;
	bool has_base;
	uint64_t base;
	size_t uuid_size;
	int warnings[GSYM_WARN_COUNT];
};

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	cr_assert_eq(strlen(bytes), length);
	*number = (uint32_t)++((struct gsym_builder *)self)->strings;
	return GSYM_OK;
}

static enum gsym_status take_record(void *self,
				    const struct gsym_record *r)
{
	cr_assert_neq(r->name, 0);
	((struct gsym_builder *)self)->records++;
	return GSYM_OK;
}

struct gsym_sink gsym_builder_sink(struct gsym_builder *builder)
{
	return (struct gsym_sink){ .self = builder, .string = take_string,
				   .record = take_record };
}

enum gsym_status gsym_builder_set_uuid(struct gsym_builder *builder,
				       const uint8_t *uuid, size_t size)
{
	cr_assert(uuid);
	builder->uuid_size = size;
	return GSYM_OK;
}

/* None of these programs has compressed debug info. */
void gsym_builder_keep(struct gsym_builder *builder)
{
	(void)builder;
}

void gsym_builder_take_back(struct gsym_builder *builder)
{
	(void)builder;
	cr_assert_fail("records are taken back");
}

void gsym_builder_set_base(struct gsym_builder *builder, uint64_t base)
{
	builder->has_base = true;
	builder->base = base;
}

static void take_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	cr_assert(text && *text);
	((struct gsym_builder *)context)->warnings[kind]++;
}

static enum gsym_status convert_bytes(const void *bytes, size_t size,
				      struct gsym_builder *builder,
				      struct gsym_convert_facts *facts,
				      struct gsym_error *error)
{
	struct gsym_convert_options options = { .warn = take_warning,
						.context = builder };
	char *path = elfb_save(bytes, size);
	enum gsym_status status =
		gsym_convert_file(path, &options, builder, facts, error);

	unlink(path);
	free(path);
	return status;
}

/* A stripped program: a function and a label. */
static uint8_t *program(size_t id_size, size_t *size)
{
	struct elfb *b = elfb_new(32, true, ET_EXEC, EM_PPC);
	size_t text = elfb_section(b, ".text", SHT_PROGBITS,
				   SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 32);
	uint8_t id[100];
	uint8_t *bytes;

	memset(id, 7, sizeof(id));
	elfb_note(b, ".id", "GNU", 3, id, id_size);
	elfb_section(b, ".zdebug_info", SHT_PROGBITS, 0, 0, "BAD", 3);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "f", .value = 0x1000,
		.size = 4, .type = STT_FUNC, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "l", .value = 0x1010,
		.type = STT_NOTYPE, .section = text, .dynamic = true });
	elfb_segment(b, PT_LOAD, 0x800, text);
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

Test(convert, symbols_alone)
{
	struct gsym_builder builder = { 0 };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };
	size_t size;
	uint8_t *bytes = program(20, &size);

	cr_assert_eq(convert_bytes(bytes, size, &builder, &facts, &error),
		     GSYM_OK, "%s", error.message);
	cr_assert_eq(builder.records, 2);
	cr_assert_eq(builder.uuid_size, 20);
	cr_assert(builder.has_base);
	cr_assert_eq(builder.base, 0x800);
	cr_assert_eq(builder.warnings[GSYM_WARN_BAD_SECTION], 1);
	cr_assert_eq(builder.warnings[GSYM_WARN_NO_DEBUG_INFO], 1);
	cr_assert_eq(facts.format, GSYM_FORMAT_ELF);
	cr_assert(facts.big_endian);
	cr_assert_eq(facts.address_size, 4);
	cr_assert_eq(facts.uuid_size, 20);
	cr_assert_eq(facts.uuid[19], 7);
	cr_assert_eq(facts.units, 0);
	/* Two tables of two entries, and their strings. */
	cr_assert_eq(facts.input_bytes, 4 * 16 + 2 * 3);
	free(bytes);
}

/* 64 bytes are the longest build ID. */
Test(convert, long_build_id)
{
	struct gsym_builder builder = { 0 };
	struct gsym_convert_facts facts = { 0 };
	size_t size;
	uint8_t *bytes = program(64, &size);

	cr_assert_eq(convert_bytes(bytes, size, &builder, &facts, NULL),
		     GSYM_OK);
	cr_assert_eq(facts.uuid_size, 64);
	free(bytes);
	bytes = program(65, &size);
	cr_assert_eq(convert_bytes(bytes, size, &builder, &facts, NULL),
		     GSYM_OK);
	cr_assert_eq(facts.uuid_size, 0);
	cr_assert_eq(builder.uuid_size, 64);
	free(bytes);
}

Test(convert, refused)
{
	struct gsym_builder builder = { 0 };
	struct gsym_convert_facts facts = { .units = 99 };
	struct gsym_convert_options options = { 0 };
	struct gsym_error error = { 0 };
	size_t size;
	uint8_t *bytes = program(4, &size);

	cr_assert_eq(convert_bytes("MZ, or so", 9, &builder, &facts, &error),
		     GSYM_ERR_FORMAT);
	cr_assert_eq(convert_bytes("", 0, &builder, &facts, &error),
		     GSYM_ERR_FORMAT);
	cr_assert_eq(convert_bytes(bytes, 60, &builder, &facts, &error),
		     GSYM_ERR_CORRUPT);
	cr_assert_eq(gsym_convert_file("/nowhere", &options, &builder, &facts,
				       &error), GSYM_ERR_IO);
	cr_assert_eq(gsym_convert_file("/", &options, &builder, &facts, &error),
		     GSYM_ERR_IO);
	cr_assert_eq(gsym_convert_file(NULL, &options, &builder, NULL, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(facts.units, 99);
	cr_assert_eq(builder.records, 0);
	free(bytes);
}

Test(convert, format_names)
{
	static const char *const names[] = {
		"ELF", "Mach-O", "PE", "Plan 9", "GSYM", "Breakpad",
		"WebAssembly",
	};

	cr_assert_eq(GSYM_FORMAT_COUNT, 1 + sizeof(names) / sizeof(*names));
	for (int i = 1; i < GSYM_FORMAT_COUNT; i++)
		cr_assert_str_eq(gsym_format_name((enum gsym_format)i),
				 names[i - 1]);
	cr_assert_null(gsym_format_name(GSYM_FORMAT_NONE));
	cr_assert_null(gsym_format_name(GSYM_FORMAT_COUNT));
	cr_assert_null(gsym_format_name((enum gsym_format) - 1));
}

Test(convert, warning_names)
{
	for (int i = 0; i < GSYM_WARN_COUNT; i++) {
		const char *name = gsym_warning_name((enum gsym_warning)i);

		cr_assert(name && *name, "%d", i);
		for (int k = 0; k < i; k++)
			cr_assert_str_neq(name,
				gsym_warning_name((enum gsym_warning)k));
	}
	cr_assert_null(gsym_warning_name(GSYM_WARN_COUNT));
	cr_assert_null(gsym_warning_name((enum gsym_warning)-1));
}
