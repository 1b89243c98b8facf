/* SPDX-License-Identifier: MIT */
/* The identity of a program: its PDB, its time stamp and its size. */
#include "pe/pe_file.h"

enum {
	/* Offset of the image's size in the optional header. */
	IMAGE_SIZE = 56,
	/* An entry of the debug directory, and one of its types. */
	DEBUG_SIZE = 28,
	DEBUG_CODEVIEW = 2,
	CODEVIEW_PDB = 0x53445352, /* RSDS */
};

/* Read the identity of the PDB from the SIZE bytes of CodeView data at
 * OFFSET. */
static void read_pdb(struct pe_file *file, uint32_t offset, uint32_t size)
{
	/* The bytes of a GUID in the order of its text: its first fields are
	 * little-endian numbers. */
	static const uint8_t order[16] = { 3, 2, 1, 0,	5,  4,	7,  6,
					   8, 9, 10, 11, 12, 13, 14, 15 };
	struct gsym_container *container = file->container;
	struct gsym_cursor c = gsym_pe_cursor(file, offset);
	const uint8_t *guid;
	uint32_t age;

	if (size < 24 || gsym_cursor_u32(&c) != CODEVIEW_PDB)
		return;
	guid = gsym_cursor_bytes(&c, 16);
	age = gsym_cursor_u32(&c);
	if (c.failed)
		return;
	for (size_t i = 0; i < 16; i++)
		container->pdb[i] = guid[order[i]];
	for (size_t i = 0; i < 4; i++)
		container->pdb[16 + i] = (uint8_t)(age >> (24 - 8 * i));
	container->pdb_size = age ? 20 : 16;
}

/* Read the debug directory, whose entries name CodeView data by offsets. */
static void read_debug_directory(struct pe_file *file)
{
	struct pe_directory d = gsym_pe_directory(file, PE_DEBUG_DIRECTORY);
	struct gsym_cursor c = gsym_pe_memory(file, d.rva);
	uint32_t left = d.size;

	while (left >= DEBUG_SIZE && gsym_cursor_left(&c) >= DEBUG_SIZE &&
	       !file->container->pdb_size) {
		uint32_t type, data_size, offset;

		left -= DEBUG_SIZE;
		gsym_cursor_skip(&c, 12);
		type = gsym_cursor_u32(&c);
		data_size = gsym_cursor_u32(&c);
		gsym_cursor_skip(&c, 4); /* its address */
		offset = gsym_cursor_u32(&c);
		if (type == DEBUG_CODEVIEW)
			read_pdb(file, offset, data_size);
	}
}

void gsym_pe_read_identity(struct pe_file *file)
{
	struct gsym_container *container = file->container;
	struct gsym_cursor stamp = gsym_pe_cursor(file, file->header + 8);
	struct gsym_cursor size =
		gsym_pe_cursor(file, file->optional + IMAGE_SIZE);

	if (file->optional_size < IMAGE_SIZE + 4)
		return;
	container->time_stamp = gsym_cursor_u32(&stamp);
	container->image_size = gsym_cursor_u32(&size);
	read_debug_directory(file);
}
