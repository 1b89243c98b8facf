/* SPDX-License-Identifier: MIT */
/* elfview/notes.c - the notes of an ELF file, and its build ID among them. */
#include "elfview/elfview.h"

#include "base/budget.h"

#include <string.h>

static const struct elfview_note build_id = { "GNU", 3 };

/* In a hostile file many headers name the same notes.  Bytes of notes that are
 * read together are at most so many times those of the file. */
enum { MOST_READS = 4 };

/* Find the first note that is WANTED in the SIZE bytes of notes at DATA, as
 * gsym_elfview_search_notes does. */
static bool search(const struct elfview_note *wanted, const uint8_t *data,
		   uint64_t size, uint64_t align, bool swap,
		   const uint8_t **ret, size_t *ret_size)
{
	struct gsym_cursor c = gsym_cursor_init(data, (size_t)size, swap);
	/* Property notes are aligned to 8 bytes.  All other alignments, also
	 * wrong ones, mean 4. */
	size_t mask = align == 8 ? 7 : 3;

	while (gsym_cursor_left(&c) >= 12) {
		uint32_t name_size = gsym_cursor_u32(&c);
		uint32_t desc_size = gsym_cursor_u32(&c);
		uint32_t type = gsym_cursor_u32(&c);
		const uint8_t *name = gsym_cursor_bytes(&c, name_size);
		const uint8_t *desc;

		gsym_cursor_skip(&c, -gsym_cursor_offset(&c) & mask);
		desc = gsym_cursor_bytes(&c, desc_size);
		if (!desc)
			return false;
		if (type == wanted->type && desc_size &&
		    name_size == strlen(wanted->owner) + 1 &&
		    !memcmp(name, wanted->owner, name_size)) {
			*ret = desc;
			*ret_size = desc_size;
			return true;
		}
		gsym_cursor_skip(&c, -gsym_cursor_offset(&c) & mask);
	}
	return false;
}

bool gsym_elfview_search_notes(const uint8_t *data, uint64_t size,
			       uint64_t align, bool swap, const uint8_t **id,
			       size_t *id_size)
{
	return search(&build_id, data, size, align, swap, id, id_size);
}

bool gsym_elfview_note(const struct elfview *view,
		       const struct elfview_note *wanted, const uint8_t **ret,
		       size_t *ret_size)
{
	struct gsym_budget budget = {
		.limit = MOST_READS * (uint64_t)view->size,
	};

	for (size_t i = 1; i < view->section_count; i++) {
		struct elfview_section s = gsym_elfview_section(view, i);

		if (s.type == ELFVIEW_NOTE && elfview_in_file(view, &s) &&
		    gsym_budget_take(&budget, s.size) &&
		    search(wanted, view->bytes + s.offset, s.size, s.align,
			   view->swap, ret, ret_size))
			return true;
	}
	for (size_t i = 0; i < view->segment_count; i++) {
		struct elfview_segment s = gsym_elfview_segment(view, i);

		if (s.type == ELFVIEW_NOTES && s.offset <= view->size &&
		    s.file_size <= view->size - s.offset &&
		    gsym_budget_take(&budget, s.file_size) &&
		    search(wanted, view->bytes + s.offset, s.file_size,
			   s.align, view->swap, ret, ret_size))
			return true;
	}
	return false;
}

bool gsym_elfview_build_id(const struct elfview *view, const uint8_t **ret,
			   size_t *ret_size)
{
	return gsym_elfview_note(view, &build_id, ret, ret_size);
}
