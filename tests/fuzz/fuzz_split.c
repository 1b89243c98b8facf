/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a program and a file that its debug info continues in: a .dwo
 * file, a package of them, dwz's supplementary file, or a debug file.  The
 * first byte of the input chooses which, and the options.
 */
#include "config.h"

#include "fuzz/dwarf_seeds.h"
#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "fuzz/sections.h"
#include "fuzz/whole.h"
#include "support/elf_builder.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[FUZZ_ROLES] = {
		[FUZZ_DWO] = "a.dwo", [FUZZ_DWP] = "program.dwp",
		[FUZZ_DWZ] = "alt", [FUZZ_DEBUG] = "debug",
	};
	static const char *const none[] = { "/nonexistent" };
	struct gsym_convert_options options = {
		.debug_directories = none,
		.debug_directory_count = 1,
	};
	struct fuzz_part parts[2];
	const char *partner;
	unsigned choice;

	if (!size)
		return 0;
	choice = data[0];
	fuzz_divide(data + 1, size - 1, parts, 2);
	options.merged_functions = choice & 8;
	options.call_sites = choice & 16;
	options.data_symbols = choice & 16;
	for (unsigned i = 0; i < FUZZ_ROLES; i++)
		fuzz_remove(names[i]);
	partner = fuzz_write(names[choice % FUZZ_ROLES], parts[1]);
	if (choice % FUZZ_ROLES == FUZZ_DEBUG)
		options.debug_file = partner;
	fuzz_whole(fuzz_write("program", parts[0]), &options,
		   choice & 32 ? 2 : 1);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	if (seed % 8 == 7 || size < 2)
		return LLVMFuzzerMutate(data, size, most);
	return 1 + fuzz_mutate_part(data + 1, size - 1, most - 1, seed, 2,
				    fuzz_mutate_sections);
}
#endif

/* The program of a debug file. */
static struct fuzz_part stripped(bool big_endian)
{
	struct elfb *b = elfb_new(64, big_endian, ET_EXEC, EM_AARCH64);
	struct fuzz_part part;

	elfb_section(b, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
		     NULL, 0x4000);
	part.bytes = elfb_finish(b, &part.size);
	elfb_free(b);
	return part;
}

/* All cases that have a second file, then others with a debug file, which holds
 * everything. */
uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	const struct dw_case *c = fuzz_dwarf_case(number / 2);
	struct fuzz_dwarf_files files, other = { 0 };
	struct fuzz_part parts[2];
	uint8_t *joined, *bytes;

	if (!c || number / 2 > 60)
		return NULL;
	files = fuzz_dwarf_files(c, number & 1, c->last >= 5 && number & 1);
	parts[0] = files.program;
	parts[1] = files.partner;
	if (!files.partner.size) {
		files.role = FUZZ_DEBUG;
		other.program = stripped(number & 1);
		parts[0] = other.program;
		parts[1] = files.program;
	}
	joined = fuzz_join(parts, 2, size);
	bytes = malloc(++*size);
	fuzz_require(bytes);
	bytes[0] = (uint8_t)(files.role | (number & 7) << 3);
	memcpy(bytes + 1, joined, *size - 1);
	free(joined);
	free((void *)(uintptr_t)files.program.bytes);
	free((void *)(uintptr_t)files.partner.bytes);
	free((void *)(uintptr_t)other.program.bytes);
	return bytes;
}
