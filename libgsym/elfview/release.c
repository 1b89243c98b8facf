/* SPDX-License-Identifier: MIT */
/* elfview/release.c - the release of the Linux kernel in an ELF file. */
#include "elfview/elfview.h"

#include <string.h>

enum { SYMBOL_TABLE = 2, LONGEST = 64 };

/* The build salt (CONFIG_BUILD_SALT), which makes build IDs differ. */
static const struct elfview_note salt = { "Linux", 0x100 };

/* ---- texts --------------------------------------------------------------- */

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

/* ---- the banner ---------------------------------------------------------- */

/* Find the symbol NAME in the symbol table TABLE. */
static bool find_symbol(const struct elfview *view,
			const struct elfview_section *table, const char *name,
			struct elfview_symbol *ret)
{
	struct elfview_section s = gsym_elfview_section(view, table->link);
	size_t size = elfview_symbol_size(view);
	struct elfview_strings strings;

	if (!elfview_in_file(view, table) || !elfview_in_file(view, &s))
		return false;
	strings = gsym_elfview_strings(view->bytes + s.offset, s.size);
	for (uint64_t i = 0; i < table->size / size; i++) {
		const char *found;

		*ret = elfview_symbol(view, view->bytes + table->offset +
						    i * size);
		found = elfview_string(&strings, ret->name);
		if (found && strcmp(found, name) == 0)
			return true;
	}
	return false;
}

/* The bytes of the file from SYMBOL's address to the end of its section; *SIZE
 * is their number.  NULL if the file does not have them. */
static const uint8_t *bytes_of(const struct elfview *view,
			       const struct elfview_symbol *symbol,
			       size_t *size)
{
	struct elfview_section s = gsym_elfview_section(view, symbol->section);
	uint64_t at = symbol->value - s.address;

	if (symbol->section >= ELFVIEW_RESERVED || !elfview_in_file(view, &s) ||
	    (s.flags & ELFVIEW_COMPRESSED) || at >= s.size)
		return NULL;
	*size = (size_t)(s.size - at);
	return view->bytes + s.offset + at;
}

bool gsym_elfview_banner(const struct elfview *view, const uint8_t **ret,
			 size_t *ret_size)
{
	static const char start[] = "Linux version ";
	size_t skip = sizeof(start) - 1, size;
	struct elfview_symbol symbol;
	const uint8_t *at;

	for (size_t i = 1; i < view->section_count; i++) {
		struct elfview_section s = gsym_elfview_section(view, i);

		/* A file has one symbol table. */
		if (s.type != SYMBOL_TABLE)
			continue;
		if (!find_symbol(view, &s, "linux_banner", &symbol))
			return false;
		at = bytes_of(view, &symbol, &size);
		if (!at || size < skip || memcmp(at, start, skip) != 0)
			return false;
		*ret = at + skip;
		*ret_size = release_size(*ret, size - skip);
		return *ret_size > 0;
	}
	return false;
}

bool gsym_elfview_release(const struct elfview *view, const uint8_t **ret,
			  size_t *ret_size)
{
	return gsym_elfview_banner(view, ret, ret_size) ||
	       note_release(view, &ELFVIEW_RELEASE, ret, ret_size) ||
	       note_release(view, &salt, ret, ret_size);
}
