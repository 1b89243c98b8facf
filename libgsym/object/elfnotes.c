/* SPDX-License-Identifier: MIT */
/* object/elfnotes.c - the notes of an ELF file: its build ID, and the release
 * of a Linux kernel, which may stand in its data as well. */
#include "object/elfview.h"

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

/* ---- the release of a kernel --------------------------------------------- */

enum { LONGEST = 64 };

/* The build salt (CONFIG_BUILD_SALT), which makes build IDs differ. */
static const struct elfview_note salt = { "Linux", 0x100 };

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* The number of bytes of the release at the start of the SIZE bytes at AT: two
 * numbers with a dot between, and all up to a blank or NUL.  0: no release. */
static size_t release_size(const uint8_t *at, size_t size)
{
	size_t count = 0, digits = 0;

	while (count < size && at[count] > ' ' && at[count] < 0x7f)
		count++;
	while (digits < count && is_digit(at[digits]))
		digits++;
	return digits && count <= LONGEST && digits + 1 < count &&
			       at[digits] == '.' && is_digit(at[digits + 1])
		       ? count
		       : 0;
}

static bool note_release(const struct elfview *view,
			 const struct elfview_note *note, const uint8_t **ret,
			 size_t *ret_size)
{
	size_t size;

	if (!gsym_elfview_note(view, note, ret, &size))
		return false;
	*ret_size = release_size(*ret, size);
	return *ret_size > 0;
}

/* Find the symbol NAME, which is in a section, in the symbol table of VIEW. */
static bool find_symbol(const struct elfview *view, const char *name,
			struct elfview_symbol *ret, size_t *section)
{
	struct elfview_table t;

	if (!gsym_elfview_table(view, ELFVIEW_SYMTAB, &t))
		return false;
	for (size_t i = 0; i < t.count; i++) {
		const char *found;

		*ret = elfview_entry(view, &t, i);
		found = elfview_string(&t.strings, ret->name);
		if (!found || strcmp(found, name) != 0)
			continue;
		*section = elfview_home(view, &t, ret, i);
		return *section != 0;
	}
	return false;
}

bool gsym_elfview_banner(const struct elfview *view, const uint8_t **ret,
			 size_t *ret_size)
{
	static const char start[] = "Linux version ";
	struct elfview_symbol symbol;
	struct elfview_section s;
	struct gsym_cursor c;
	const uint8_t *text;
	size_t number;

	if (!find_symbol(view, "linux_banner", &symbol, &number))
		return false;
	s = gsym_elfview_section(view, number);
	if (!elfview_in_file(view, &s) || s.flags & ELFVIEW_COMPRESSED)
		return false;
	c = gsym_cursor_init(view->bytes + s.offset, (size_t)s.size, false);
	gsym_cursor_seek(&c, symbol.value - s.address);
	text = gsym_cursor_bytes(&c, sizeof(start) - 1);
	if (!text || memcmp(text, start, sizeof(start) - 1) != 0)
		return false;
	*ret = c.at;
	*ret_size = release_size(c.at, gsym_cursor_left(&c));
	return *ret_size > 0;
}

bool gsym_elfview_release(const struct elfview *view, const uint8_t **ret,
			  size_t *ret_size)
{
	return gsym_elfview_banner(view, ret, ret_size) ||
	       note_release(view, &ELFVIEW_RELEASE, ret, ret_size) ||
	       note_release(view, &salt, ret, ret_size);
}
