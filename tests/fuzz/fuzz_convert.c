/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a program, all the way to GSYM.  Whatever the
 * input, the builder must accept what it is told, and the file must pass
 * gsym_verify.  Seeds are the cases of the DWARF readers' tests, in ELF files
 * with a bit of code and a few symbols.
 */
#include "dwarf/dwarf.h"
#include "elf/elf_image.h"
#include "fuzz/fuzz.h"
#include "fuzz/verify.h"
#include "input/symtab.h"
#include "support/elf_builder.h"
#include "unit/dwarf/cases.h"

#include <stdio.h>

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "fuzz_convert: %s: %s\n", what, why);
	abort();
}

static void convert(const struct gsym_container *c,
		    struct gsym_builder *builder, unsigned version)
{
	struct gsym_sink sink = gsym_builder_sink(builder);
	struct gsym_convert_options options = { .threads = 1 };
	struct gsym_build_options build = { .version = version,
					    .big_endian = c->big_endian };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status = GSYM_OK;
	uint8_t *bytes;
	size_t size;

	if (gsym_dwarf_present(c))
		status = gsym_dwarf_convert(c, &options, &sink, &facts, &error);
	if (status == GSYM_OK)
		status = gsym_symtab_convert(c, &options, &sink, &facts,
					     &error);
	if (status == GSYM_ERR_ARGUMENT)
		stop("the builder refuses a record", error.message);
	if (status != GSYM_OK)
		return;
	status = gsym_builder_finish(builder, &build, &bytes, &size, NULL,
				     &error);
	if (status == GSYM_ERR_ARGUMENT)
		stop("the builder refuses to finish", error.message);
	if (status != GSYM_OK)
		return;
	if (!fuzz_verify(bytes, size, error.message, sizeof(error.message)))
		stop("our own file is damaged", error.message);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_builder *builder;
	struct gsym_container *c;

	if (gsym_elf_open_memory(data, size, 1, &c, NULL) != GSYM_OK)
		return 0;
	builder = gsym_builder_new();
	if (builder)
		convert(c, builder, 1 + size % 2);
	gsym_builder_free(builder);
	gsym_container_free(c);
	return 0;
}

/* The NUMBERth case of all; NULL behind the last. */
static const struct dw_case *case_at(unsigned number)
{
	static const struct dw_case *const tables[] = {
		dw_tree_cases, dw_name_cases, dw_range_cases, dw_line_cases,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct dw_case *c = tables[i]; c->name; c++)
			if (!number--)
				return c;
	return NULL;
}

/* Each case twice: in its first version and in its last, which is of the
 * other class and byte order. */
uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	const struct dw_case *c = case_at(number / 2);
	bool other = number % 2;
	uint8_t *bytes;
	struct elfb *b;
	struct dwa a;
	size_t text;

	if (!c)
		return NULL;
	dwa_init(&a, other, other ? 4 : 8, other ? c->last : c->first);
	c->build(&a);
	b = elfb_new(other ? 32 : 64, other, ET_EXEC, EM_ARM);
	text = elfb_section(b, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
			    0x1000, NULL, 0x4000);
	for (int i = 0; i < DWA_SECTIONS; i++)
		if (a.sections[i].size)
			elfb_section(b, dwa_section_names[i], SHT_PROGBITS, 0,
				     0, a.sections[i].data, a.sections[i].size);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "sized", .value = 0x1008,
		.size = 0x10, .type = STT_FUNC, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "label", .value = 0x2000,
		.type = STT_NOTYPE, .section = text });
	bytes = elfb_finish(b, size);
	elfb_free(b);
	dwa_fini(&a);
	return bytes;
}
