/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a Mach-O program with a debug map, and the files that the map
 * names: an object, or an archive of objects.
 */
#include "config.h"

#include "dwarf/dwarf.h"
#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "fuzz/whole.h"
#include "unit/dwarf/cases.h"
#include "unit/macho/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const none[] = { "/nonexistent" };
	struct gsym_convert_options options = {
		.merged_functions = size & 1,
		.call_sites = size & 1,
		.data_symbols = size & 2,
		.debug_directories = none,
		.debug_directory_count = 1,
	};
	struct fuzz_part parts[3];
	char prefix[128];

	fuzz_divide(data, size, parts, 3);
	snprintf(prefix, sizeof(prefix), "%s/", fuzz_folder());
	options.object_prefix = prefix;
	fuzz_write("main.object", parts[1]);
	fuzz_write("libmore.a", parts[2]);
	fuzz_whole(fuzz_write("program", parts[0]), &options, 1 + size / 4 % 2);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	if (seed % 8 == 7)
		return LLVMFuzzerMutate(data, size, most);
	return fuzz_mutate_part(data, size, most, seed, 3, NULL);
}
#endif

/* ---- seeds --------------------------------------------------------------- */

/* An object with the debug info of A. */
static uint8_t *object(const struct dwa *a, size_t *size)
{
	struct machob *b = machob_new(64, a->big_endian, MH_OBJECT,
				      a->big_endian ? CPU_TYPE_POWERPC |
							      CPU_ARCH_ABI64
						    : X86_64, 3);
	uint8_t *bytes;

	machob_segment(b, "", 0, 0x4000);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = CODE, .address = 0x1000,
		.size = 0x4000 });
	for (int i = 0; i < DWA_SECTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "__%.14s",
			 dwa_section_names[i] + 1);
		if (a->sections[i].size)
			machob_section(b, &(struct machob_section){
				.name = name, .segment = "__DWARF",
				.data = a->sections[i].data,
				.size = a->sections[i].size });
	}
	machob_symbol(b, "_f", GLOBAL, 1, 0, 0x1000);
	machob_symbol(b, "_g", GLOBAL, 1, 0, 0x1010);
	machob_symbol(b, "_v", GLOBAL, 1, 0, 0x2000);
	bytes = machob_finish(b, size);
	machob_free(b);
	return bytes;
}

/* A program whose debug map names PATH. */
static uint8_t *map(const char *path, bool big_endian, size_t *size)
{
	struct machob *b = machob_new(64, big_endian, EXECUTE,
				      big_endian ? CPU_TYPE_POWERPC |
							   CPU_ARCH_ABI64
						 : X86_64, 3);
	uint8_t *bytes;

	machob_segment(b, "__TEXT", 0x10000, 0x1000);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = CODE, .address = 0x11000,
		.size = 0x100 });
	for (int i = 0; i < 2; i++) {
		machob_symbol(b, "/src/", N_SO, 0, 0, 0);
		machob_symbol(b, "a.c", N_SO, 0, 0, 0);
		machob_symbol(b, path, N_OSO, 3, 1, 0);
		machob_symbol(b, "_f", N_FUN, 1, 0, 0x11000);
		machob_symbol(b, "", N_FUN, 0, 0, 0x10);
		machob_symbol(b, "_g", N_FUN, 1, 0, 0x11020);
		machob_symbol(b, "", N_FUN, 0, 0, 0x20);
		machob_symbol(b, "_v", N_STSYM, 2, 0, 0x12000);
		machob_symbol(b, "_w", N_GSYM, 0, 0, 0);
		machob_symbol(b, "", N_SO, 1, 0, 0);
	}
	machob_symbol(b, "_main", GLOBAL, 1, 0, 0x11000);
	bytes = machob_finish(b, size);
	machob_free(b);
	return bytes;
}

/* An archive with the object of SIZE bytes at BYTES, which is freed, under a
 * name of BSD's kind or another. */
static uint8_t *archive(uint8_t *bytes, size_t *size, bool bsd)
{
	size_t extra = bsd ? 8 : 0, at;
	char *to = calloc(1, *size + 128);

	fuzz_require(to);
	at = (size_t)sprintf(to, "!<arch>\n%-16s%-12s%-6s%-6s%-8s%-10zu`\n",
			     bsd ? "#1/8" : "b.o/", "0", "0", "0", "644",
			     *size + extra);
	if (bsd)
		memcpy(to + at, "b.o", 4);
	memcpy(to + at + extra, bytes, *size);
	*size += at + extra;
	free(bytes);
	return (uint8_t *)to;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const struct dw_case *const tables[] = {
		dw_tree_cases, dw_content_cases, dw_range_cases, dw_line_cases,
	};
	unsigned kind = number % 3, n = number / 3;
	struct fuzz_part parts[3] = { { 0 } };
	uint8_t *program, *partner, *more = NULL, *bytes;
	struct dwa a;

	/* The first four cases of each table, then a program of lld. */
	if (n > 4 * sizeof(tables) / sizeof(tables[0]))
		return NULL;
	if (n == 4 * sizeof(tables) / sizeof(tables[0])) {
		program = fuzz_testdata("macho/linked/prog", &parts[0].size);
		partner = fuzz_testdata("macho/linked/main.object",
					&parts[1].size);
		more = fuzz_testdata("macho/linked/libmore.a", &parts[2].size);
	} else {
		dwa_init(&a, kind == 1, 8, tables[n / 4][n % 4].last);
		tables[n / 4][n % 4].build(&a);
		case_claim(&a);
		partner = object(&a, &parts[1].size);
		dwa_fini(&a);
		if (kind) {
			more = archive(partner, &parts[1].size, kind == 1);
			partner = NULL;
			parts[2].size = parts[1].size;
			parts[1].size = 0;
		}
		program = map(kind ? "libmore.a(b.o)" : "main.object",
			      kind == 1, &parts[0].size);
	}
	parts[0].bytes = program;
	parts[1].bytes = partner;
	parts[2].bytes = more;
	bytes = fuzz_join(parts, 3, size);
	free(program);
	free(partner);
	free(more);
	return bytes;
}
