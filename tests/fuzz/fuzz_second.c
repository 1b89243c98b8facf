/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: an ELF program, converted by the second reader of DWARF, which
 * goes through libdwarf, and a file that its debug info continues in.  Old
 * versions of libdwarf have mistakes of their own: tests/fuzz/run goes on after
 * a crash, and counts those inside libdwarf apart.
 */
#include "config.h"

#include "fuzz/dwarf_seeds.h"
#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "fuzz/sections.h"
#include "fuzz/whole.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "a.dwo", "program.dwp", "alt" };
	static const char *const none[] = { "/nonexistent" };
	const struct gsym_convert_options options = {
		.merged_functions = size & 1,
		.call_sites = size & 2,
		.data_symbols = size & 2,
		.debug_directories = none,
		.debug_directory_count = 1,
	};
	struct fuzz_part parts[2];

	fuzz_divide(data, size, parts, 2);
	for (size_t i = 0; i < 3; i++)
		fuzz_write(names[i], parts[1]);
	fuzz_whole_by(gsym_second_convert, fuzz_write("program", parts[0]),
		      &options, 1);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	if (seed % 8 == 7)
		return LLVMFuzzerMutate(data, size, most);
	return fuzz_mutate_part(data, size, most, seed, 2,
				fuzz_mutate_sections);
}
#endif

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	const struct dw_case *c = fuzz_dwarf_case(number);
	struct fuzz_dwarf_files files;
	struct fuzz_part parts[2];
	uint8_t *bytes;

	if (!c)
		return NULL;
	files = fuzz_dwarf_files(c, number & 1, false);
	parts[0] = files.program;
	parts[1] = files.partner;
	bytes = fuzz_join(parts, 2, size);
	free((void *)(uintptr_t)files.program.bytes);
	free((void *)(uintptr_t)files.partner.bytes);
	return bytes;
}
