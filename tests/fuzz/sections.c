/* SPDX-License-Identifier: MIT */
/*
 * A mutator for libFuzzer that knows ELF files: most mutations of a whole file
 * change headers, after which nothing of the file is read.  Three of four
 * mutations here stay inside a section with bytes.  A compressed section is
 * inflated first and stored as it is from then on: a mutation of compressed
 * bytes only damages the stream.
 */
#include "fuzz/sections.h"
#ifdef GSYM_LIBFUZZER
#include "fuzz/fuzz.h"
#endif

#include "base/emit.h"
#include "container/container.h"
#include "object/elfview.h"

#include <stdlib.h>
#include <string.h>

/* Change a field of a section header, which is at AT of the 32-bit header and
 * at WIDE_AT of the 64-bit header. */
static void set_field(const struct elfview *view, uint8_t *header, size_t at,
		      size_t wide_at, uint64_t value)
{
	if (view->wide)
		gsym_store_u64(header + wide_at, value, view->swap);
	else
		gsym_store_u32(header + at, (uint32_t)value, view->swap);
}

/* Fill JOB from the compressed section S of VIEW; false if it is none. */
static bool read_header(const struct elfview *view,
			const struct elfview_section *s,
			struct gsym_inflate_job *job)
{
	struct gsym_cursor c = gsym_cursor_init(view->bytes + s->offset,
						(size_t)s->size, view->swap);
	uint32_t type = gsym_cursor_u32(&c);

	if (view->wide)
		gsym_cursor_skip(&c, 4);
	job->method = type == 2 ? GSYM_INFLATE_ZSTD : GSYM_INFLATE_ZLIB;
	job->out_size = (size_t)gsym_cursor_uint(&c, view->wide ? 8 : 4);
	gsym_cursor_skip(&c, view->wide ? 8 : 4);
	job->in = c.at;
	job->in_size = gsym_cursor_left(&c);
	return !c.failed && (type == 1 || type == 2);
}

size_t fuzz_unpack_section(uint8_t *data, size_t size, size_t most,
			   uint64_t number)
{
	struct gsym_inflate_job job = { .out_size = 0 };
	struct elfview_section s;
	struct elfview view;
	uint8_t *header;
	size_t end;

	if (gsym_elfview_open(data, size, &view, NULL) != GSYM_OK ||
	    number >= view.section_count)
		return size;
	s = gsym_elfview_section(&view, number);
	if (!(s.flags & ELFVIEW_COMPRESSED) || !elfview_in_file(&view, &s) ||
	    !read_header(&view, &s, &job) || job.out_size > most ||
	    size > most - job.out_size || !gsym_inflate(&job) || !job.out) {
		free(job.out);
		return size;
	}
	/* At the end of the file, where nothing has to be moved. */
	end = size + job.out_size;
	memcpy(data + size, job.out, job.out_size);
	free(job.out);
	header = data + view.section_table +
		 number * (uint64_t)view.section_stride;
	set_field(&view, header, 8, 8, s.flags & ~(uint64_t)ELFVIEW_COMPRESSED);
	set_field(&view, header, 16, 24, size);
	set_field(&view, header, 20, 32, job.out_size);
	return end;
}

#ifdef GSYM_LIBFUZZER

/* The bytes that are handed to libFuzzer at a time. */
enum { PIECE = 48 };

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Choose a section of VIEW that has bytes, by its number; false if ten tries
 * find none. */
static bool choose(const struct elfview *view, uint32_t *state,
		   uint64_t *ret)
{
	for (int i = 0; i < 10 && view->section_count; i++) {
		struct elfview_section section;

		*ret = next(state) % view->section_count;
		section = gsym_elfview_section(view, *ret);
		if (elfview_in_file(view, &section) && section.size)
			return true;
	}
	return false;
}

size_t fuzz_mutate_sections(uint8_t *data, size_t size, size_t most,
			    unsigned seed)
{
	uint32_t state = seed;
	struct elfview_section section;
	struct elfview view;
	size_t piece, at;
	uint64_t number;

	if (next(&state) % 4 == 0 ||
	    gsym_elfview_open(data, size, &view, NULL) != GSYM_OK ||
	    !choose(&view, &state, &number))
		return LLVMFuzzerMutate(data, size, most);
	size = fuzz_unpack_section(data, size, most, number);
	gsym_elfview_open(data, size, &view, NULL);
	section = gsym_elfview_section(&view, number);
	piece = section.size < PIECE ? (size_t)section.size : PIECE;
	at = (size_t)section.offset +
	     next(&state) % ((size_t)section.size - piece + 1);
	/* The size stays, so that the sections after this one stay in place. */
	LLVMFuzzerMutate(data + at, piece, piece);
	return size;
}
#endif
