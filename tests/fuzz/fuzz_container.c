/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a program of any format, by the public functions:
 * opened in memory, each program of it, and converted from a file.  Seeds are
 * PE, Plan 9's a.out, Mach-O alone and universal, WebAssembly, and ELF.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "fuzz/seeds.h"
#include "fuzz/whole.h"
#include "support/go_input.h"
#include "unit/macho/program.h"

#include <gsym/program.h>

#include <stdlib.h>
#include <string.h>

static volatile unsigned sum;

static void read_bytes(const uint8_t *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		sum += bytes[i];
}

static void read_section(const struct gsym_program *program, const char *name)
{
	struct gsym_program_section section;
	size_t at = 0;

	while (gsym_program_find_section(program, name, &at, &section) ==
	       GSYM_OK) {
		uint8_t copy[64] = { 0 };
		uint64_t left = 0;
		const uint8_t *bytes;

		fuzz_require(section.name && (section.data ||
					      !section.data_size));
		read_bytes(section.data, section.data_size);
		bytes = gsym_program_bytes(program, section.address, &left);
		read_bytes(bytes, left);
		gsym_program_fill_pointers(program, section.address, copy,
					   sizeof(copy));
	}
}

/* Read each program of the file, by all functions of gsym/program.h. */
static void open_all(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		".text", "__text", "__TEXT,__text", ".debug_info", ".bss",
		"__DATA,__data", ".rdata",
	};
	enum { MOST_PROGRAMS = 64 };
	struct gsym_program *program;
	struct gsym_error error = { 0 };

	for (size_t n = 0; n < MOST_PROGRAMS; n++) {
		struct gsym_program_facts facts;
		enum gsym_status status = gsym_program_open(data, size, n,
							    &program, &error);
		uint64_t address;

		if (status == GSYM_NOT_FOUND)
			return;
		fuzz_require(status == GSYM_OK || *error.message);
		if (status != GSYM_OK)
			continue;
		fuzz_require(gsym_program_get_facts(program, &facts) ==
			     GSYM_OK);
		fuzz_require(facts.address_size == 4 ||
			     facts.address_size == 8);
		fuzz_require(gsym_format_name(facts.format) &&
			     *facts.architecture);
		read_bytes(facts.uuid, facts.uuid_size);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			read_section(program, names[i]);
		if (gsym_program_symbol(program, "main", &address) == GSYM_OK)
			fuzz_require(address);
		gsym_program_close(program);
	}
}

static void convert_all(const uint8_t *data, size_t size)
{
	static const char *const none[] = { "/nonexistent" };
	struct gsym_convert_options options = {
		.merged_functions = size & 1,
		.call_sites = size & 1,
		.data_symbols = size & 2,
		.debug_directories = none,
		.debug_directory_count = 1,
		.object_prefix = "/nonexistent/",
		.temporary_directory = fuzz_folder(),
	};
	const char *path = fuzz_write("program",
				      (struct fuzz_part){ data, size });
	struct gsym_architecture all[4];
	size_t count = 0;

	if (gsym_convert_architectures(path, all, 4, &count, NULL) != GSYM_OK)
		count = 0;
	for (size_t i = 0; i < count && i < 4; i++) {
		fuzz_require(memchr(all[i].name, 0, sizeof(all[i].name)));
		fuzz_require(gsym_architecture_matches(&all[i], all[i].name));
		options.architecture = all[i].name;
		fuzz_whole(path, &options, 1 + i % 2);
	}
	if (!count)
		fuzz_whole(path, &options, 1 + size / 4 % 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	open_all(data, size);
	convert_all(data, size);
	return 0;
}

/* ---- seeds --------------------------------------------------------------- */

static uint8_t *put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*at++ = (uint8_t)(value >> 8 * (size - 1 - i));
	return at;
}

/* A symbol of Plan 9. */
static uint8_t *put_symbol(uint8_t *at, bool wide, uint64_t value, char kind,
			   const char *name)
{
	at = put(at, value, wide ? 8 : 4);
	*at++ = (uint8_t)kind | 0x80;
	memcpy(at, name, strlen(name) + 1);
	return at + strlen(name) + 1;
}

/* Plan 9's program for the processor NUMBER (0 to 3). */
static uint8_t *aout_seed(unsigned number, size_t *size)
{
	static const struct {
		uint32_t magic, text, data;
	} all[] = {
		{ 0x01eb, 0x1020, 0x2000 },  { 0x8a97, 0x200028, 0x400000 },
		{ 0x0647, 0x1020, 0x2000 },  { 0x8c47, 0x10028, 0x20000 },
	};
	bool wide = all[number].magic & 0x8000;
	uint8_t *bytes = calloc(1, 1024), *at, *symbols;

	fuzz_require(bytes);
	at = bytes + 32 + (wide ? 8 : 0) + 0x50;
	symbols = at;
	at = put_symbol(at, wide, all[number].text, 'T', "main.main");
	at = put_symbol(at, wide, all[number].text + 16, 'l', "main.leaf");
	at = put_symbol(at, wide, all[number].data + 8, 'D', "main.data");
	at = put_symbol(at, wide, 8, 'a', "argument");
	put(put(put(put(bytes, all[number].magic, 4), 0x30, 4), 0x20, 4), 256,
	    4);
	put(bytes + 16, (uint64_t)(at - symbols), 4);
	put(bytes + 20, wide ? 0 : all[number].text, 4);
	put(put(bytes + 24, 3, 4), 5, 4);
	if (wide)
		put(bytes + 32, all[number].text, 8);
	*size = (size_t)(at - bytes) + 8;
	return bytes;
}

/* A universal file of a program of each width and byte order. */
static uint8_t *universal_seed(unsigned bits, size_t *size)
{
	struct machob_slice slices[] = {
		{ .cpu = X86_64, .subtype = 3 },
		{ .cpu = CPU_TYPE_POWERPC },
	};
	uint8_t *first = program(64, false, &slices[0].size);
	uint8_t *second = program(32, true, &slices[1].size);
	uint8_t *bytes;

	slices[0].bytes = first;
	slices[1].bytes = second;
	bytes = machob_universal(bits, slices, 2, size);
	free(first);
	free(second);
	return bytes;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const unsigned forms[] = { 1, 2, 6, 9, 12, 7, 10, 3 };
	static const char *const files[] = {
		"breakpad/pe_program.exe", "macho/arm64.macho",
		"macho/armv7.macho", "macho/linked/prog",
		"macho/linked/libmore.a", "wasm/prog.wasm",
		"wasm/prog5.wasm", "wasm/stripped.wasm",
	};
	const unsigned file_count = sizeof(files) / sizeof(files[0]);

	if (number < 4)
		return aout_seed(number, size);
	if (number < 6)
		return universal_seed(number == 4 ? 32 : 64, size);
	if (number < 10)
		return program(number & 1 ? 32 : 64, number & 2, size);
	if (number < 14)
		return fuzz_seed_pe(number - 10, size);
	if (number < 22)
		return fuzz_seed_fixups(forms[number - 14], size);
	if (number < 24)
		return fuzz_seed_wasm(number, size);
	number -= 24;
	if (number < file_count)
		return fuzz_testdata(files[number], size);
	/* ELF, PE and Mach-O of Go. */
	return go_input_fixture(number - file_count, size);
}
