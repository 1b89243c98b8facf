/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as GSYM data, bare or within an ELF file.  Calls every
 * function of the reader and checks the answers for consistency. */
#include "fuzz/fuzz.h"
#include "support/elf_builder.h"
#include "support/gsym_bytes.h"
#include "unit/reader/use_all.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_reader *reader;

	if (gsym_open_memory(data, size, &reader, NULL) != GSYM_OK)
		return 0;
	use_all(reader);
	gsym_close(reader);
	return 0;
}

/* A file that llvm-gsymutil wrote. */
static uint8_t *fixture(const char *name, size_t *size)
{
	const char *top = getenv("top_srcdir");
	uint8_t *bytes = malloc(65536);
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/testdata/gsym/%s", top ? top : ".",
		 name);
	f = fopen(path, "rb");
	if (!f || !bytes) {
		perror(path);
		exit(2);
	}
	*size = fread(bytes, 1, 65536, f);
	fclose(f);
	return bytes;
}

static uint8_t *embedded(size_t *size)
{
	struct elfb *b = elfb_new(32, true, ET_REL, EM_NONE);
	uint8_t *bytes;

	elfb_section(b, ".gsym", SHT_PROGBITS, 0, 0, gb_example_v1,
		     sizeof(gb_example_v1));
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char *const names[] = { "little.gsym", "merged.gsym",
					     "big.gsym" };

	if (number < 4)
		return gb_rich(1 + number / 2, number % 2, size);
	if (number < 7)
		return fixture(names[number - 4], size);
	if (number == 7)
		return gb_example_v2(size);
	return number == 8 ? embedded(size) : NULL;
}
