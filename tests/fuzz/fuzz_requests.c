/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: options, lines as clients send them to addr2line,
 * llvm-addr2line and llvm-symbolizer, and the files of the program that they
 * ask about: GSYM data, and an ELF file or nothing.  Each line gets its own
 * answer: what that is depends neither on other lines nor on pieces.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/tool.h"
#include "personality/personality.h"
#include "support/elf_builder.h"
#include "support/gsym_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 8 };

/* Read the line by all functions, which share the line's bytes. */
static void parse(const char *line, size_t length)
{
	struct request r;

	request_addr2line(line, length, &r);
	for (unsigned i = 0; i < 4; i++) {
		const struct text *texts[] = { &r.module, &r.name };

		request_llvm(line, length, i & 1, i & 2, &r);
		fuzz_require(r.place <= PLACE_NAME);
		for (unsigned k = 0; k < 2; k++)
			fuzz_require(!texts[k]->length ||
				     (texts[k]->bytes >= line &&
				      texts[k]->bytes + texts[k]->length <=
					      line + length));
		fuzz_require(!r.problem || r.place == PLACE_NOTHING);
	}
}

static void answer(void *context, struct fuzz_part text, size_t piece)
{
	struct answers *answers = answer_start(context);

	fuzz_tool_input(text, piece);
	choose_answer(context, answers);
	answer_end(answers);
}

/* The options that the three bytes at BITS choose. */
static struct settings choose(const uint8_t *bits)
{
	static const enum personality all[] = {
		PERSONALITY_ADDR2LINE, PERSONALITY_LLVM_ADDR2LINE,
		PERSONALITY_LLVM_SYMBOLIZER,
	};
	struct settings s = {
		.personality = all[bits[0] % 3],
		.program = "fuzz",
		.names = bits[0] / 4 % 3,
		.style = bits[0] / 16 % 3,
		.addresses = bits[1] & 1,
		.inlines = bits[1] & 2,
		.pretty = bits[1] & 4,
		.basenames = bits[1] & 8,
		.demangle = bits[1] & 16,
		.verbose = bits[1] & 32,
		.skip_zero = bits[1] & 64,
		.relative = bits[1] & 128,
		.section = bits[2] & 1 ? ".text" : NULL,
		.adjust = bits[2] & 2 ? 0x10 : 0,
		.no_verify = true,
		.fallbacks = { bits[2] & 4 ? FALLBACK_SYMBOLS
					   : FALLBACK_NONE },
	};

	if (s.personality == PERSONALITY_ADDR2LINE) {
		s.style = STYLE_GNU;
		s.relative = s.verbose = s.skip_zero = false;
	} else {
		s.section = NULL;
	}
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_part parts[3], text;
	size_t length, count = 0, start = 0;
	struct settings s;
	char path[256], *lines, *output;

	if (size < 4)
		return 0;
	s = choose(data);
	fuzz_divide(data + 4, size - 4, parts, 3);
	/* Without an ELF file the GSYM data are the program. */
	strcpy(path, fuzz_write("requested", parts[parts[2].size ? 2 : 1]));
	fuzz_write("requested.gsym", parts[1]);
	s.path = path;
	lines = malloc(parts[0].size + 1);
	fuzz_require(lines);
	if (parts[0].size)
		memcpy(lines, parts[0].bytes, parts[0].size);
	lines[parts[0].size] = '\n';
	for (length = 0; length <= parts[0].size && count < MOST_LINES;)
		if (lines[length++] == '\n') {
			parse(lines + start, length - 1 - start);
			start = length;
			count++;
		}
	text = (struct fuzz_part){ (const uint8_t *)lines, length };
	output = fuzz_tool_compare(answer, &s, text,
				   1 + 16 * (size_t)data[3], &size);
	fuzz_require(size >= count);
	free(output);
	free(lines);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	if (size < 5 || seed % 8 == 7)
		return LLVMFuzzerMutate(data, size, most);
	return 4 + fuzz_mutate_part(data + 4, size - 4, most - 4, seed, 3,
				    NULL);
}
#endif

/* ---- seeds --------------------------------------------------------------- */

static struct fuzz_part elf(void)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	struct fuzz_part part;
	size_t text, data;

	text = elfb_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			    0x1000, NULL, 512);
	data = elfb_section(b, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
			    0x2000, NULL, 64);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "add", .value = 0x1000,
		.size = 0x40, .type = STT_FUNC, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "v", .value = 0x2008,
		.size = 8, .type = STT_OBJECT, .section = data });
	elfb_segment(b, PT_LOAD, 0x1000, text);
	part.bytes = elfb_finish(b, &part.size);
	elfb_free(b);
	return part;
}

static struct fuzz_part gsym(unsigned number)
{
	struct fuzz_part part;
	struct gsym_emit *e;
	struct gb b;
	uint32_t file;
	uint64_t inner, outer;
	size_t tuple;

	gb_init(&b, 1 + number % 2, number & 1, 4, 0x1000);
	file = gb_file(&b, "/src", "a.c");
	e = gb_record(&b, 0x1000, 0x40, "_Z3addii");
	inner = gb_string(&b, "inner");
	outer = gb_string(&b, "_Z3addii");
	gb_lines(&b, (struct gb_row[]){ { 0, file, 5 }, { 8, file, 0 } }, 2);
	tuple = gb_tuple(&b, 2);
	gb_node(&b, 0, 0x40, true, outer, 0, 0);
	gb_node(&b, 8, 8, false, inner, file, 12);
	gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	gb_plain(&b, 0x1100, 0x20, "other\n\x1b\xc2\x9b");
	part.bytes = gb_finish(&b, &part.size);
	return part;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char text[] =
		"1008\nother\n0x1100 trailing\nCODE 0x1000\nDATA 0x2008\n"
		"FRAME 4096\nadd+2\n\"x y\" 1\nBUILDID:ab 0x1\n\n,\nfade_x";
	struct fuzz_part parts[3] = { { (const uint8_t *)text,
					sizeof(text) - 1 } };
	uint8_t *joined, *bytes;

	if (number >= 12)
		return NULL;
	parts[1] = gsym(number);
	if (number & 1)
		parts[2] = elf();
	joined = fuzz_join(parts, 3, size);
	*size += 4;
	bytes = malloc(*size);
	fuzz_require(bytes);
	bytes[0] = (uint8_t)(number * 21);
	bytes[1] = (uint8_t)(number * 45);
	bytes[2] = (uint8_t)number;
	bytes[3] = (uint8_t)(number * 3);
	memcpy(bytes + 4, joined, *size - 4);
	free(joined);
	free((void *)(uintptr_t)parts[1].bytes);
	free((void *)(uintptr_t)parts[2].bytes);
	return bytes;
}
