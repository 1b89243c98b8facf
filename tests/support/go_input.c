/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "support/go_input.h"

#include "elf/elf_image.h"
#include "fuzz/verify.h"
#include "input/golang.h"
#include "macho/macho.h"
#include "pe/pe.h"

#include <gsym/builder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum gsym_status open_any(const uint8_t *bytes, size_t size,
				 struct gsym_container **ret)
{
	if (gsym_pe_bid(bytes, size))
		return gsym_pe_open_memory(bytes, size, ret, NULL);
	if (gsym_macho_bid(bytes, size))
		return gsym_macho_open_memory(bytes, size, NULL, ret, NULL);
	return gsym_elf_open_memory(bytes, size, 1, ret, NULL);
}

/* Write what BUILDER has, and check it. */
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
	struct gsym_golang *g;
	struct gsym_sink sink;
	enum gsym_status status;

	if (open_any(bytes, size, &c) != GSYM_OK)
		return 0;
	if (gsym_golang_open(c, &options, true, &g) != GSYM_OK) {
		gsym_container_free(c);
		return 0;
	}
	builder = gsym_builder_new();
	if (!builder)
		abort();
	sink = gsym_builder_sink(builder);
	status = gsym_golang_convert(g, &options, &sink, NULL, NULL, &facts,
				     NULL);
	if (status != GSYM_OK && status != GSYM_ERR_CORRUPT)
		abort();
	gsym_golang_close(g);
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
	const char *top = getenv("top_srcdir");
	char path[4096];
	uint8_t *bytes;
	FILE *f;

	if (number >= sizeof(names) / sizeof(names[0]))
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
