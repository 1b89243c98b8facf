/* SPDX-License-Identifier: MIT */
/* The header, the section directory, and where the tables lie. */
#include "any.h"
#include "layout.h"
#include "format/layout.c"

/* A layout of VERSION over an image of any size, whose checksum was found. */
static struct gsym_layout any_layout(uint16_t version)
{
	size_t size = any_up_to(ANY_SIZE);
	struct gsym_layout l = { .data = any_bytes(size), .size = size,
				 .version = version };

	if (size >= GSYM_CHECKSUM_SIZE && nondet_bool())
		l.sections[GSYM_SECTION_CHECKSUM].size = GSYM_CHECKSUM_SIZE;
	return l;
}

/* What a header that is taken promises of the tables. */
static void prove_tables(const struct gsym_layout *l)
{
	const struct gsym_extent *files = &l->sections[GSYM_SECTION_FILES];

	PROVE(l->address_size == 1 || l->address_size == 2 ||
	      l->address_size == 4 || l->address_size == 8);
	PROVE(l->info_end <= l->size);
	for (unsigned i = GSYM_SECTION_ADDRESSES; i <= GSYM_SECTION_STRINGS;
	     i++)
		PROVE(fits(l, i, l->sections[i].size));
	PROVE(files->size ==
	      4 + (uint64_t)l->file_count * 2 * l->string_size);
}

/*
 * The header of version 1: all tables lie in the image.
 *
 * Bound: any size
 * Code: format/layout.c
 * Model: gsym_load_u32 gsym_load_u64
 * Break: format/layout.c read_files: (available - 4) / entry =>
 *     available / entry
 */
void prove_read_v1(void)
{
	struct gsym_layout l = any_layout(1);

	if (read_v1(&l, NULL) == GSYM_OK)
		prove_tables(&l);
}

/*
 * The header and the directory of version 2: the same.
 *
 * Bound: any size
 * Code: format/layout.c
 * Model: gsym_load_u32 gsym_load_u64
 * Break: format/layout.c read_files: (available - 4) / entry =>
 *     available / entry
 */
void prove_read_v2(void)
{
	struct gsym_layout l = any_layout(2);

	if (read_v2(&l, NULL) == GSYM_OK)
		prove_tables(&l);
}

/*
 * Any image, of which the first bytes and the end of the string table are read
 * beside the header: inside the bytes, and to an end.
 *
 * Bound: any size
 * Code: format/layout.c
 * Model: gsym_load_u16 gsym_load_u32 gsym_load_u64 read_version
 * Break: format/layout.c gsym_layout_is_gsym: size >= 4 => size >= 2
 */
void prove_gsym_layout_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_layout l;

	if (gsym_layout_read(data, size, nondet_bool(), &l, NULL) == GSYM_OK)
		PROVE(fits(&l, GSYM_SECTION_STRINGS, l.strings_size));
}
