/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "support/go_input.h"

#include "aout/aout.h"
#include "container/input.h"
#include "fuzz/verify.h"
#include "go/go.h"

#include <gsym/builder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of the fixture synthetic/go1.20-amd64.elf. */
enum { GO_1_20_AMD64 = 15 };

static enum gsym_status open_any(const uint8_t *bytes, size_t size,
				 struct gsym_container **ret)
{
	static const struct gsym_input *const inputs[] = {
#define ROW(room) &gsym_##room##_input,
		GSYM_INPUTS(ROW)
#undef ROW
	};

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		if (inputs[i]->matches(bytes, size))
			return gsym_container_load(inputs[i], bytes, size,
						   GSYM_LOAD_ALL, NULL, ret,
						   NULL);
	return GSYM_ERR_FORMAT;
}

/* Write the file of BUILDER, and verify it. */
static uint64_t finish(struct gsym_builder *builder)
{
	struct gsym_build_summary summary = { 0 };
	char message[GSYM_ERROR_MESSAGE_SIZE];
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum gsym_status status = gsym_builder_finish(builder, NULL, &bytes,
						      &size, &summary, NULL);

	gsym_builder_free(builder);
	if (status == GSYM_NOT_FOUND)
		return 0;
	if (status != GSYM_OK ||
	    !fuzz_verify(bytes, size, message, sizeof(message)))
		abort();
	free(bytes);
	return summary.functions;
}

uint64_t go_input_convert(const uint8_t *bytes, size_t size)
{
	const struct gsym_convert_options options = { 0 };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_builder *builder;
	struct gsym_container *c;
	struct gsym_go *g;
	struct gsym_sink sink;
	enum gsym_status status;

	if (open_any(bytes, size, &c) != GSYM_OK)
		return 0;
	if (gsym_go_open(c, &options, GSYM_GO_LIKELY, &g, NULL) != GSYM_OK) {
		gsym_container_free(c);
		return 0;
	}
	builder = gsym_builder_new();
	if (!builder)
		abort();
	sink = gsym_builder_sink(builder);
	status = gsym_go_convert(g, &options, &sink, NULL, NULL, &facts, NULL);
	if (status != GSYM_OK && status != GSYM_ERR_CORRUPT)
		abort();
	gsym_go_close(g);
	gsym_container_free(c);
	return finish(builder);
}

uint64_t go_input_2008(const uint8_t *bytes, size_t size)
{
	const struct gsym_convert_options options = { 0 };
	struct gsym_plan9 tables = { .dialect = PLAN9_2008, .quantum = 1 };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_sink sink;
	enum gsym_status status;
	uint32_t sizes[2];

	if (!builder)
		abort();
	if (size >= 8) {
		sizes[0] = gsym_load_u32(bytes, GSYM_HOST_BIG_ENDIAN);
		sizes[1] = gsym_load_u32(bytes + 4, GSYM_HOST_BIG_ENDIAN);
		size -= 8;
		tables.symbols = bytes + 8;
		tables.symbol_size = sizes[0] < size ? sizes[0] : size;
		size -= tables.symbol_size;
		tables.lines = tables.symbols + tables.symbol_size;
		tables.line_size = sizes[1] < size ? sizes[1] : size;
	}
	sink = gsym_builder_sink(builder);
	status = gsym_plan9_convert(&tables, &options, &sink, NULL);
	if (status != GSYM_OK && status != GSYM_ERR_CORRUPT)
		abort();
	return finish(builder);
}

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A PE program with the segments of ELF, a little-endian program of 64 bits, as
 * its sections; two of them have the same name.  ELF is freed. */
static uint8_t *make_pe(uint8_t *elf, size_t *size)
{
	enum { HEADER = 0x40, OPTIONAL = HEADER + 24, OPTIONAL_SIZE = 0xf0,
	       SECTIONS = OPTIONAL + OPTIONAL_SIZE, DATA = 0x400,
	       ROOM = 16384 };
	static const char *const names[] = { ".text", ".rdata", ".rdata",
					     ".data" };
	const uint64_t base = 0x400000;
	uint8_t *pe = calloc(1, ROOM);
	size_t at = DATA;

	if (!pe)
		abort();
	memcpy(pe, "MZ", 2);
	put(pe + 0x3c, HEADER, 4);
	memcpy(pe + HEADER, "PE", 2);
	put(pe + HEADER + 4, 0x8664, 2);
	put(pe + HEADER + 6, elf[56], 2);
	put(pe + HEADER + 20, OPTIONAL_SIZE, 2);
	put(pe + OPTIONAL, 0x20b, 2);
	put(pe + OPTIONAL + 16, 0x1000, 4);
	put(pe + OPTIONAL + 24, base, 8);
	for (unsigned i = 0; i < elf[56]; i++) {
		const uint8_t *segment = elf + 64 + 56 * i;
		uint8_t *section = pe + SECTIONS + 40 * i;
		bool swap = GSYM_HOST_BIG_ENDIAN;
		uint64_t offset = gsym_load_u64(segment + 8, swap);
		uint64_t length = gsym_load_u64(segment + 32, swap);

		memcpy(section, names[i % 4], strlen(names[i % 4]));
		put(section + 8, length, 4);
		put(section + 12, gsym_load_u64(segment + 16, swap) - base, 4);
		put(section + 16, length, 4);
		put(section + 20, at, 4);
		put(section + 36, segment[4] & 1   ? 0x60000020
				  : segment[4] & 2 ? 0xc0000040
						   : 0x40000040, 4);
		if (length > ROOM - at)
			abort();
		memcpy(pe + at, elf + offset, length);
		at += length;
	}
	free(elf);
	*size = at;
	return pe;
}

/* A Mach-O program with the segments of ELF, and without sections and symbols.
 * ELF is freed. */
static uint8_t *make_macho(uint8_t *elf, size_t *size)
{
	enum { HEADER = 32, COMMAND = 72, DATA = 0x400, ROOM = 16384 };
	uint8_t *macho = calloc(1, ROOM);
	bool swap = GSYM_HOST_BIG_ENDIAN;
	unsigned count = elf[56];
	size_t at = DATA;

	if (!macho)
		abort();
	put(macho, 0xfeedfacf, 4);
	put(macho + 4, 0x01000007, 4);
	put(macho + 12, 2, 4);
	put(macho + 16, count, 4);
	put(macho + 20, (uint64_t)count * COMMAND, 4);
	for (unsigned i = 0; i < count; i++) {
		const uint8_t *segment = elf + 64 + 56 * i;
		uint8_t *command = macho + HEADER + (size_t)COMMAND * i;
		uint64_t length = gsym_load_u64(segment + 32, swap);
		uint8_t flags = segment[4];

		put(command, 0x19, 4);
		put(command + 4, COMMAND, 4);
		memcpy(command + 8, i ? "__DATA" : "__TEXT", 6);
		put(command + 24, gsym_load_u64(segment + 16, swap), 8);
		put(command + 32, length, 8);
		put(command + 40, at, 8);
		put(command + 48, length, 8);
		put(command + 60, (flags & 1) << 2 | (flags & 2) | flags >> 2,
		    4);
		if (length > ROOM - at)
			abort();
		memcpy(macho + at, elf + gsym_load_u64(segment + 8, swap),
		       length);
		at += length;
	}
	free(elf);
	*size = at;
	return macho;
}

uint8_t *go_input_fixture(unsigned number, size_t *size)
{
	static const char *const names[] = {
		"plan9/go10.elf",
		"plan9/go11.elf",
		"synthetic/go1.2-386.elf",
		"synthetic/go1.2-amd64.elf",
		"synthetic/go1.5-ppc64.elf",
		"synthetic/go1.9-amd64.elf",
		"synthetic/go1.11-s390x.elf",
		"synthetic/go1.12-386.elf",
		"synthetic/go1.12-amd64.elf",
		"synthetic/go1.13-amd64.elf",
		"synthetic/go1.15-mips.elf",
		"synthetic/go1.16-amd64.elf",
		"synthetic/go1.16-mips.elf",
		"synthetic/go1.18-386.elf",
		"synthetic/go1.18-s390x.elf",
		"synthetic/go1.20-amd64.elf",
		"synthetic/go1.20-mips.elf",
		"synthetic/go1.26-amd64.elf",
		"synthetic/go1.26-mips.elf",
		"synthetic/go1.27-amd64.elf",
	};
	const unsigned count = sizeof(names) / sizeof(names[0]);
	const char *top = getenv("top_srcdir");
	char path[4096];
	uint8_t *bytes;
	FILE *f;

	/* After the fixtures come two more seeds: one of them as PE and as
	 * Mach-O. */
	if (number == count)
		return make_pe(go_input_fixture(GO_1_20_AMD64, size), size);
	if (number == count + 1)
		return make_macho(go_input_fixture(GO_1_20_AMD64, size), size);
	if (number > count + 1)
		return NULL;
	snprintf(path, sizeof(path), "%s/testdata/go/%s", top ? top : ".",
		 names[number]);
	f = fopen(path, "rb");
	bytes = malloc(65536);
	if (!f || !bytes)
		abort();
	*size = fread(bytes, 1, 65536, f);
	fclose(f);
	return bytes;
}
