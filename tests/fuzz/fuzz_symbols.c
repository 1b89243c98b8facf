/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as the ELF file beside a GSYM file. */
#include "fuzz/fuzz.h"
#include "store/state.h"
#include <gsym/program.h>
#include "support/elf_builder.h"

#include <stdlib.h>
#include <string.h>

/* The range of an answer must contain the address, and its name must have a
 * NUL. */
static void look(const struct gsym_module *symbols, uint64_t address)
{
	struct gsym_store_symbol symbol;
	volatile size_t sum = 0;

	for (unsigned flags = 0; flags <= GSYM_STORE_FAR; flags++) {
		if (!gsym_module_find_symbol(symbols, address, flags, &symbol))
			continue;
		sum += strlen(symbol.name);
		if (symbol.start > address ||
		    (symbol.size && address - symbol.start >= symbol.size))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_module *symbols;

	if (gsym_module_of_memory(data, size, &symbols) != GSYM_OK)
		return 0;
	for (uint64_t address = 0xff0; address < 0x1030; address++)
		look(symbols, address);
	look(symbols, 0);
	look(symbols, UINT64_MAX);
	look(symbols, 0x2000 + (64 << 10));
	gsym_module_close(symbols);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	struct elfb *b;
	uint8_t *bytes;
	size_t data;

	if (number >= 16)
		return NULL;
	b = elfb_new(number & 1 ? 64 : 32, number & 2, ET_DYN, EM_X86_64);
	data = elfb_section(b, ".data", SHT_NOBITS, SHF_ALLOC, 0x1000, NULL,
			    0x20000);
	for (unsigned i = 0; i < 6; i++)
		elfb_symbol(b, &(struct elfb_symbol){
			.name = i % 2 ? "name" : "other",
			.value = 0x1000 + 8 * i, .size = i % 3 * 4,
			.type = i % 3, .binding = i % 2, .section = data,
			.dynamic = number & 8 });
	if (number & 4)
		elfb_extended_numbers(b);
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}
