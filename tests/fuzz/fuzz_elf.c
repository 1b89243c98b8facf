/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as an ELF file, and its symbols as records. */
#include "config.h"

#include "elf/elf.h"
#include "fuzz/fuzz.h"
#include "fuzz/sections.h"
#include "container/container.h"
#include "convert/convert.h"
#include "support/elf_builder.h"

#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	*(size_t *)self += strlen(bytes) == length;
	*number = 1;
	return GSYM_OK;
}

/* Every record has to keep the rules of gsym/record.h, even for damaged
 * files. */
static enum gsym_status take_record(void *self,
				    const struct gsym_record *record)
{
	*(size_t *)self += 1;
	if (record->size > UINT32_MAX ||
	    record->start > UINT64_MAX - record->size ||
	    (record->rank == GSYM_RANK_LABEL ? record->limit <= record->start
					     : !record->size))
		abort();
	return GSYM_OK;
}

/* Read every byte of the sections and symbols of CONTAINER. */
static void read_all(const struct gsym_container *c)
{
	volatile unsigned sum = 0;

	for (size_t i = 0; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];

		for (uint64_t k = 0; k < s->data_size; k++)
			sum += s->data[k];
		gsym_container_section(c, s->name);
	}
	for (size_t i = 0; i < c->uuid_size; i++)
		sum += c->uuid[i];
	for (size_t i = 1; i < c->text.count; i++)
		if (c->text.items[i].start <= c->text.items[i - 1].end)
			abort();
}

/* Join the file with itself as its debug file: all sections occur twice. */
static void join(struct gsym_container *c, const uint8_t *data, size_t size)
{
	struct gsym_container *program;

	if (gsym_container_load(&gsym_elf_input, data, size, GSYM_LOAD_ALL,
				NULL, &program, NULL) != GSYM_OK)
		return;
	if (!gsym_container_alike(c, program))
		abort();
	if (!gsym_container_join_program(c, program))
		return;
	for (size_t i = 0; i < c->symbols.count; i++)
		if (c->symbols.items[i].section != GSYM_NO_SECTION &&
		    c->symbols.items[i].section >= c->sections.count)
			abort();
	read_all(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_convert_options options = { 0 };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_container *c;
	size_t calls = 0;
	struct gsym_sink sink = { .self = &calls, .string = take_string,
				  .record = take_record };

	if (gsym_container_load(&gsym_elf_input, data, size, GSYM_LOAD_ALL,
				NULL, &c, NULL) != GSYM_OK)
		return 0;
	read_all(c);
	gsym_symtab_convert(c, &options, NULL, true, &sink, false, &facts,
			    NULL);
	join(c, data, size);
	gsym_symtab_convert(c, &options, NULL, true, &sink, false, &facts,
			    NULL);
	gsym_container_free(c);
	return 0;
}

static void add_compressed(struct elfb *b)
{
	static const char text[] = "one two three one two three one two three";
	uint8_t packed[256];
	uLongf length = sizeof(packed);

	if (compress(packed, &length, (const Bytef *)text,
		     sizeof(text)) == Z_OK)
		elfb_compressed(b, ".debug_info", 0, ELFCOMPRESS_ZLIB,
				sizeof(text), packed, length);
#ifdef HAVE_ZSTD
	elfb_compressed(b, ".debug_line", 0, 2, sizeof(text), packed,
			ZSTD_compress(packed, sizeof(packed), text,
				      sizeof(text), 1));
#endif
}

/* An object file with relocations of the type that its class uses. */
static uint8_t *object_seed(unsigned number, size_t *size)
{
	static const uint8_t entries[72] = {
		[1] = 1, [8] = 2, [15] = 1, [24] = 4, [28] = 1, [32] = 35,
	};
	bool wide = number & 1;
	struct elfb *b = elfb_new(wide ? 64 : 32, number & 2, ET_REL,
				  wide ? EM_RISCV : EM_MIPS);
	uint8_t *bytes;
	size_t text = 0;
	size_t n;

	for (int i = 0; i < 2; i++) {
		text = elfb_section(b, ".text", SHT_PROGBITS,
				    SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 5);
		elfb_section_fields(b, text, 0, 0, 16, 0);
		elfb_section(b, ".debug_info", SHT_PROGBITS, SHF_GROUP, 0,
			     "abcdefgh", 8);
	}
	elfb_section(b, ".bss", SHT_NOBITS, SHF_ALLOC, 0, NULL, 64);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "f", .value = 1,
		.size = 2, .type = STT_FUNC, .section = text });
	n = elfb_section(b, ".rel", wide ? SHT_RELA : SHT_REL, 0, 0, entries,
			 sizeof(entries));
	elfb_section_fields(b, n, (uint32_t)n + 1, 4, 8, wide ? 24 : 8);
	if (number & 4)
		elfb_extended_numbers(b);
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

#ifdef HAVE_LZMA
/* Mini debug info: a compressed file with fewer sections and symbols. */
static void add_mini(struct elfb *b, unsigned number)
{
	struct elfb *mini = elfb_new(number & 1 ? 64 : 32, number & 2, ET_DYN,
				     EM_ARM);
	uint8_t packed[4096];
	size_t packed_size = 0;
	uint8_t *bytes;
	size_t size;
	size_t text;

	text = elfb_section(mini, ".text", SHT_NOBITS,
			    SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 16);
	elfb_symbol(mini, &(struct elfb_symbol){ .name = "mini",
		.value = 0x1004, .size = 2, .type = STT_FUNC,
		.section = text });
	bytes = elfb_finish(mini, &size);
	if (lzma_easy_buffer_encode(0, LZMA_CHECK_NONE, NULL, bytes, size,
				    packed, &packed_size,
				    sizeof(packed)) == LZMA_OK)
		elfb_section(b, ".gnu_debugdata", SHT_PROGBITS, 0, 0, packed,
			     packed_size);
	free(bytes);
	elfb_free(mini);
}
#else
static void add_mini(struct elfb *b, unsigned number)
{
	(void)b;
	(void)number;
}
#endif

/* Seeds from number 16 on have mini debug info in place of .symtab. */
uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	struct elfb *b;
	uint8_t *bytes;
	size_t text;
	size_t note;

	if (number >= 20)
		return NULL;
	if (number >= 8 && number < 16)
		return object_seed(number, size);
	b = elfb_new(number & 1 ? 64 : 32, number & 2, ET_DYN, EM_ARM);
	text = elfb_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			    0x1000, NULL, 16);
	note = elfb_note(b, ".notes", "GNU", 3, "12345678", 8);
	add_compressed(b);
	if (number & 16)
		add_mini(b, number);
	elfb_section(b, ".bss", SHT_NOBITS, SHF_ALLOC, 0x2000, NULL, 64);
	for (unsigned i = 0; i < 6; i++)
		elfb_symbol(b, &(struct elfb_symbol){
			.name = i % 2 ? "name@VERSION" : "other",
			.value = 0x1000 + 2 * i, .size = i % 3 * 2,
			.type = i % 4 ? STT_FUNC : STT_NOTYPE,
			.binding = i % 3, .section = text,
			.dynamic = i > 3 || number & 16 });
	elfb_segment(b, PT_LOAD, 0x1000, text);
	elfb_segment(b, PT_NOTE, 0, note);
	if (number & 4)
		elfb_extended_numbers(b);
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	return fuzz_mutate_sections(data, size, most, seed);
}
#endif
