/* SPDX-License-Identifier: MIT */
/* From offsets in a program's file to the addresses that it was linked to. */
#include "elfview/elfview.h"

/* Whether the bytes of S are in the file. */
static bool has_bytes(const struct elfview *view,
		      const struct elfview_segment *s)
{
	return s->file_size && s->offset <= view->size &&
	       s->file_size <= view->size - s->offset;
}

/* Whether VIEW has a section of code without its bytes, as a debug file. */
static bool lacks_code(const struct elfview *view)
{
	for (uint64_t i = 1; i < view->section_count; i++) {
		struct elfview_section s = gsym_elfview_section(view, i);

		if (s.flags & ELFVIEW_CODE && s.flags & ELFVIEW_ALLOC &&
		    s.type == ELFVIEW_NOBITS && s.size)
			return true;
	}
	return false;
}

bool gsym_elfview_loads(const struct elfview *view, struct elfview_loads *ret)
{
	const size_t most = sizeof(ret->items) / sizeof(ret->items[0]);
	bool stub = false, code = false;

	ret->count = 0;
	for (uint64_t i = 0; i < view->segment_count; i++) {
		struct elfview_segment s = gsym_elfview_segment(view, i);

		stub |= s.type == ELFVIEW_OF_PROGRAM;
		if (s.type != ELFVIEW_LOAD || !s.file_size)
			continue;
		if (ret->count == most)
			return false;
		code |= s.flags & ELFVIEW_SEGMENT_CODE && has_bytes(view, &s);
		ret->items[ret->count++] = s;
	}
	return stub || (code && !lacks_code(view));
}

bool gsym_elfview_linked(const struct elfview_loads *loads, uint64_t offset,
			 uint64_t *address)
{
	bool found = false, code = false, same = true;

	for (size_t i = 0; i < loads->count; i++) {
		const struct elfview_segment *s = &loads->items[i];
		bool is_code = s->flags & ELFVIEW_SEGMENT_CODE;
		uint64_t at = offset - s->offset + s->address;

		if (offset < s->offset || offset - s->offset >= s->file_size ||
		    (code && !is_code))
			continue;
		same = !found || (is_code && !code) || (same && at == *address);
		found = true;
		code |= is_code;
		*address = at;
	}
	return found && same;
}
