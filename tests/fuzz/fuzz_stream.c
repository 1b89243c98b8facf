/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: options, lines for gsym-lookup --stream, and the GSYM data that
 * answer some of them.  Each line gets one line; the answer depends
 * neither on other lines nor on the pieces in which lines arrive.
 */
#include "config.h"

#include "common/report.h"
#include "fuzz/fuzz.h"
#include "fuzz/tool.h"
#include "lookup/lookup.h"
#include "support/gsym_bytes.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORED "stream/.build-id/aa/010203.debug.gsym"
enum { MOST_LINES = 9 };

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static void answer(void *context, struct fuzz_part text, size_t piece)
{
	static const struct source_host host = { .note = ignore, .any = true,
						 .silent = true };
	struct lookup l = *(const struct lookup *)context;
	struct source_options options = { .conversion = SOURCE_FORBIDDEN };

	/* Nothing outside the folder is searched. */
	*must_push(&options.gsym_folders) = l.path;
	*must_push(&options.debug_folders) = l.path;
	l.source = source_new(&options, &host);
	out_init(&l.out, STDOUT_FILENO, "the output", OUT_COLOUR_NEVER);
	fuzz_tool_input(text, piece);
	lookup_stream(&l);
	out_fini(&l.out);
	source_free(l.source);
	source_options_fini(&options);
}

/* Check the SIZE bytes at TEXT, the answers to COUNT lines. */
static void check(const struct lookup *l, const char *text, size_t size,
		  size_t count)
{
	size_t lines = 0, tabs = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		lines += c == '\n';
		tabs += c == '\t';
		/* The key is echoed as it is. */
		fuzz_require(l->asked->keys || c >= ' ' || c == '\n' ||
			     c == '\t');
	}
	fuzz_require(lines == count);
	if (l->asked->keys)
		return;
	fuzz_require(tabs == (l->asked->stream == STREAM_TSV ? 4 * count : 0));
	if (l->asked->stream != STREAM_JSON)
		return;
	for (const char *at = text; *at; at = strchr(at, '\n') + 1)
		fuzz_require(*at == '{' && strchr(at, '\n')[-1] == '}');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_part parts[2], text;
	char folder[256];
	struct lookup_request asked = { .threads = 1, .max_open = 1 };
	struct lookup l = { .asked = &asked };
	size_t length, count = 0;
	char *lines, *output;

	if (size < 2)
		return 0;
#ifdef __GLIBC__
	/* Large memory comes from the system, which need not clear it. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
	asked.stream = STREAM_JSON + data[0] % 3;
	asked.style.json = asked.stream == STREAM_JSON;
	asked.keys = data[0] & 4;
	asked.hex = data[0] & 8;
	asked.return_addresses = data[0] & 16;
	asked.of_stack = data[0] & 128 && !asked.return_addresses &&
			 asked.stream != STREAM_TSV;
	asked.demangle = data[0] & 32;
	asked.style.basenames = data[0] & 64;
	l.style = asked.style;
	fuzz_divide(data + 2, size - 2, parts, 2);
	strcpy(folder, fuzz_write(STORED, parts[1]));
	*strstr(folder, "/.build-id") = '\0';
	l.path = folder;
	/* The first lines, each with a line feed. */
	lines = malloc(parts[0].size + 1);
	fuzz_require(lines);
	if (parts[0].size)
		memcpy(lines, parts[0].bytes, parts[0].size);
	lines[parts[0].size] = '\n';
	for (length = 0; length <= parts[0].size && count < MOST_LINES;)
		count += lines[length++] == '\n';
	text = (struct fuzz_part){ (const uint8_t *)lines, length };
	output = fuzz_tool_compare(answer, &l, text,
				   1 + 16 * (size_t)data[1], &size);
	check(&l, output, size, count);
	free(output);
	free(lines);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	if (size < 3 || seed % 8 == 7)
		return LLVMFuzzerMutate(data, size, most);
	return 2 + fuzz_mutate_part(data + 2, size - 2, most - 2, seed, 2,
				    NULL);
}
#endif

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char text[] =
		"aa010203 0x1000\naa010203\t4128\tkey\nAA010203 -1\n"
		"bb 5\n\nxx 0x\naa010203  1008 k e y\r\naa010203 0x1101\n"
		"aa010203 0x1000,0x1101,bb:5,aa010203:-1 key";
	struct fuzz_part parts[2] = { { (const uint8_t *)text,
					sizeof(text) - 1 } };
	uint8_t *file, *joined, *bytes;
	uint32_t source;
	struct gb b;

	if (number >= 6)
		return NULL;
	gb_init(&b, 1 + number % 2, number & 1, 4, 0x1000);
	source = gb_file(&b, "/src\t", "a\n.c");
	gb_record(&b, 0x1000, 0x40, "_Z3addii");
	gb_lines(&b, (struct gb_row[]){ { 0, source, 5 } }, 1);
	gb_record_end(&b);
	gb_plain(&b, 0x1100, 0x20, "a;b\\\t\n\r\x1b\xff\xc2\x9b");
	file = gb_finish(&b, &parts[1].size);
	parts[1].bytes = file;
	joined = fuzz_join(parts, 2, size);
	*size += 2;
	bytes = malloc(*size);
	fuzz_require(bytes);
	bytes[0] = (uint8_t)(number * 37);
	bytes[1] = (uint8_t)(number * 20);
	memcpy(bytes + 2, joined, *size - 2);
	free(joined);
	free(file);
	return bytes;
}
