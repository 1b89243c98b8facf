/* SPDX-License-Identifier: MIT */
/*
 * A mutator for libFuzzer that knows ELF files: most mutations of a whole file
 * change headers, after which nothing of the file is read.  Three of four
 * mutations here stay inside a section with bytes.  Empty without libFuzzer.
 */
#ifdef GSYM_LIBFUZZER
#include "elfview/elfview.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed);

/* The bytes that are handed to libFuzzer at a time. */
enum { PIECE = 48 };

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Choose a section of VIEW that has bytes; false if ten tries find none. */
static bool choose(const struct elfview *view, uint32_t *state,
		   struct elfview_section *ret)
{
	for (int i = 0; i < 10 && view->section_count; i++) {
		*ret = gsym_elfview_section(
			view, next(state) % view->section_count);
		if (elfview_in_file(view, ret) && ret->size)
			return true;
	}
	return false;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	uint32_t state = seed;
	struct elfview_section section;
	struct elfview view;
	size_t piece, at;

	if (next(&state) % 4 == 0 ||
	    gsym_elfview_open(data, size, &view, NULL) != GSYM_OK ||
	    !choose(&view, &state, &section))
		return LLVMFuzzerMutate(data, size, most);
	piece = section.size < PIECE ? (size_t)section.size : PIECE;
	at = (size_t)section.offset +
	     next(&state) % ((size_t)section.size - piece + 1);
	/* The size stays, so that the sections after this one stay in place. */
	LLVMFuzzerMutate(data + at, piece, piece);
	return size;
}
#else
typedef int gsym_fuzz_without_libfuzzer;
#endif
