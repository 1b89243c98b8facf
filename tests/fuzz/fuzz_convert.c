/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a program, converted to GSYM.  For every input the
 * builder must accept each record, the GSYM file must pass gsym_verify, and
 * converting the GSYM file must give the same bytes again.  So must converting
 * the program while its .debug_info is inflated.  Seeds are the cases
 * of the DWARF readers' tests, in ELF and Mach-O files with some code and a few
 * symbols, and files of testdata.
 */
#include "dwarf/dwarf.h"
#include "elf/elf.h"
#include "fuzz/again.h"
#include "fuzz/fuzz.h"
#include "fuzz/sections.h"
#include "fuzz/verify.h"
#include "convert/convert.h"
#include "object/machoview.h"
#include "macho/macho.h"
#include "support/elf_builder.h"
#include "support/macho_builder.h"
#include "unit/dwarf/cases.h"

#include <stdio.h>
#include <zlib.h>

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "fuzz_convert: %s: %s\n", what, why);
	abort();
}

/* Convert C.  Returns the file, of *SIZE bytes; NULL: there is none. */
static uint8_t *convert(const struct gsym_container *c, unsigned threads,
			unsigned version, bool all, size_t *size)
{
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_sink sink = gsym_builder_sink(builder);
	struct gsym_convert_options options = { .threads = threads,
						.merged_functions = all,
						.call_sites = all };
	struct gsym_build_options build = { .version = version,
					    .big_endian = c->big_endian,
					    .merge = all };
	struct gsym_variables variables = { 0 };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status = GSYM_OK;
	uint8_t *bytes = NULL;

	if (!builder)
		return NULL;
	if (gsym_dwarf_present(c))
		status = gsym_dwarf_convert(c, NULL, &options, NULL, &sink,
					    true, all ? &variables : NULL,
					    &facts, &error);
	if (status == GSYM_OK)
		status = gsym_symtab_convert(c, &options, NULL, true, &sink,
					     false, &facts, &error);
	if (status == GSYM_OK && all)
		status = gsym_data_convert(c, &options, &variables, &sink,
					   &error);
	gsym_vec_fini(&variables);
	if (status == GSYM_ERR_ARGUMENT)
		stop("the builder refuses a record", error.message);
	if (status == GSYM_OK)
		status = gsym_builder_finish(builder, &build, &bytes, size,
					     NULL, &error);
	gsym_builder_free(builder);
	if (status == GSYM_ERR_ARGUMENT)
		stop("the builder refuses to finish", error.message);
	if (status != GSYM_OK)
		return NULL;
	if (!fuzz_verify(bytes, *size, error.message, sizeof(error.message)))
		stop("our own file is damaged", error.message);
	if (!fuzz_again(bytes, *size, &build, error.message,
			sizeof(error.message)))
		stop("our own file as an input", error.message);
	return bytes;
}

static bool open_any(const uint8_t *data, size_t size,
		     struct gsym_container **ret)
{
	const struct gsym_convert_options arm = { .architecture = "arm64" };

	if (gsym_container_load(&gsym_elf_input, data, size, GSYM_LOAD_ALL,
				NULL, ret, NULL) == GSYM_OK)
		return true;
	if (gsym_container_load(&gsym_macho_input, data, size, GSYM_LOAD_ALL,
				NULL, ret, NULL) == GSYM_OK)
		return true;
	return gsym_container_load(&gsym_macho_input, data, size, GSYM_LOAD_ALL,
				   &arm, ret, NULL) == GSYM_OK;
}

/* Compress .debug_info of C, to be inflated in passing.  Returns the compressed
 * bytes; NULL: that cannot be done. */
static uint8_t *compress_info(struct gsym_container *c)
{
	struct gsym_inflate_job job = { .method = GSYM_INFLATE_ZLIB };

	for (size_t i = 0; i < c->sections.count && !c->relocatable; i++) {
		struct gsym_container_section *s = &c->sections.items[i];
		uLongf packed = compressBound((uLong)s->data_size);
		uint8_t *bytes;

		if (gsym_container_section(c, ".debug_info") != s || !s->data)
			continue;
		bytes = malloc(packed);
		if (!bytes || compress2(bytes, &packed, s->data,
					(uLong)s->data_size, 1) != Z_OK)
			stop("zlib", "cannot compress");
		job.in = bytes;
		job.in_size = packed;
		job.out_size = (size_t)s->data_size;
		s->data = NULL;
		if (gsym_passing_begin(c, s, &job, false))
			return bytes;
		free(bytes);
		return NULL;
	}
	return NULL;
}

/* Convert DATA while .debug_info is inflated: if that can be done, the file has
 * to be the SIZE bytes at BYTES. */
static void check_passing(const uint8_t *data, size_t data_size,
			  const uint8_t *bytes, size_t size)
{
	struct gsym_container *c;
	uint8_t *packed, *other = NULL;
	size_t other_size;

	if (!open_any(data, data_size, &c))
		return;
	packed = compress_info(c);
	if (packed)
		other = convert(c, data_size & 4 ? 3 : 1, 1 + data_size % 2,
				data_size & 2, &other_size);
	if (other && (size != other_size || memcmp(bytes, other, size) != 0))
		stop("inflated while it is read", "another file");
	free(other);
	gsym_container_free(c);
	free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_container *c;
	uint8_t *bytes;
	size_t file_size;

	if (!open_any(data, size, &c))
		return 0;
	bytes = convert(c, 1, 1 + size % 2, size & 2, &file_size);
	gsym_container_free(c);
	if (bytes)
		check_passing(data, size, bytes, file_size);
	free(bytes);
	return 0;
}

/* Case NUMBER of all readers' tests; NULL after the last one. */
static const struct dw_case *case_at(unsigned number)
{
	static const struct dw_case *const tables[] = {
		dw_tree_cases, dw_content_cases, dw_name_cases,
		dw_range_cases, dw_line_cases, dw_file_cases,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct dw_case *c = tables[i]; c->name; c++)
			if (!number--)
				return c;
	return NULL;
}

static uint8_t *elf_seed(const struct dwa *a, bool other, size_t *size)
{
	struct elfb *b = elfb_new(other ? 32 : 64, other, ET_EXEC, EM_ARM);
	uint8_t *bytes;
	size_t text;

	text = elfb_section(b, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
			    0x1000, NULL, 0x4000);
	for (int i = 0; i < DWA_SECTIONS; i++)
		if (a->sections[i].size)
			elfb_section(b, dwa_section_names[i], SHT_PROGBITS, 0,
				     0, a->sections[i].data,
				     a->sections[i].size);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "sized", .value = 0x1008,
		.size = 0x10, .type = STT_FUNC, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "label", .value = 0x2000,
		.type = STT_NOTYPE, .section = text });
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

static uint8_t *macho_seed(const struct dwa *a, size_t *size)
{
	static const uint8_t starts[] = { 0x80, 0x20, 0x10, 0 };
	struct machob *b = machob_new(32, true, MH_OBJECT, CPU_TYPE_POWERPC, 0);
	uint32_t relocation[] = { 0, 1 << 8 | 2 << 5 | 1 << 4 };
	uint8_t *bytes;

	machob_segment(b, "__TEXT", 0, 0x4000);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = S_ATTR_PURE_INSTRUCTIONS,
		.address = 0x1000, .size = 0x4000 });
	machob_section(b, &(struct machob_section){ .name = "__stubs",
		.segment = "__TEXT", .address = 0x5000, .size = 8,
		.flags = S_ATTR_PURE_INSTRUCTIONS | S_SYMBOL_STUBS,
		.reserved2 = 4 });
	machob_segment(b, "__DWARF", 0, 0x4000);
	for (int i = 0; i < DWA_SECTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "__%s", dwa_section_names[i] + 1);
		if (a->sections[i].size)
			machob_section(b, &(struct machob_section){
				.name = name, .segment = "__DWARF",
				.data = a->sections[i].data,
				.size = a->sections[i].size,
				.relocations = relocation,
				.relocation_count = i == 0 });
	}
	machob_symbol(b, "_label", N_SECT, 1, 0, 0x1008);
	machob_symbol(b, "_zero", N_SECT | N_EXT, 1, 0, 0);
	machob_indirect(b, 0);
	machob_indirect(b, 1);
	machob_starts(b, starts, sizeof(starts));
	bytes = machob_finish(b, size);
	machob_free(b);
	return bytes;
}

/* File NUMBER of testdata. */
static uint8_t *file_seed(unsigned number, size_t *size)
{
	static const char *const names[] = {
		"macho/i386.macho",
		"macho/shapes.dSYM/Contents/Resources/DWARF/shapes",
	};
	const char *top = getenv("top_srcdir");
	enum { MOST = 1 << 16 };
	char path[1024];
	uint8_t *bytes;
	FILE *f;

	if (number >= sizeof(names) / sizeof(names[0]))
		return NULL;
	snprintf(path, sizeof(path), "%s/testdata/%s", top ? top : ".",
		 names[number]);
	f = fopen(path, "rb");
	bytes = malloc(MOST);
	if (!f || !bytes)
		stop(path, "cannot be read");
	*size = fread(bytes, 1, MOST, f);
	fclose(f);
	return bytes;
}

/* Each case gives three seeds: its first version, its last version (of the
 * other class and byte order), and a Mach-O file. */
uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	const struct dw_case *c = case_at(number / 3);
	unsigned kind = number % 3;
	uint8_t *bytes;
	struct dwa a;

	if (!c) {
		unsigned cases = 0;

		while (case_at(cases))
			cases++;
		return file_seed(number - 3 * cases, size);
	}
	dwa_init(&a, kind, kind ? 4 : 8, kind == 1 ? c->last : c->first);
	c->build(&a);
	case_claim(&a);
	bytes = kind == 2 ? macho_seed(&a, size) : elf_seed(&a, kind, size);
	dwa_fini(&a);
	return bytes;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	return fuzz_mutate_sections(data, size, most, seed);
}
#endif
