/* SPDX-License-Identifier: MIT */
/* Reads the headers of members, and their names, short and long. */
#include "base/archive.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

static const char magic[] = "!<arch>\n";

/* The header of a member, and where its fields begin. */
enum { HEADER = 60, NAME_BYTES = 16, TIME = 16, SIZE = 48, END = 58 };

/* A decimal number in the SIZE bytes at TEXT, which blanks fill up. */
static uint64_t read_number(const uint8_t *text, size_t size)
{
	const char *digits = (const char *)text;
	uint64_t number;

	gsym_number(digits, digits + size, 10, &number, NULL);
	return number;
}

/* Set the name of M to the one at OFFSET of A's table of long names.  In the
 * table a name ends with "/\n", or with '\n' or a NUL.  False if the table has
 * no such name, or if the name is longer than the name of a file can be: each
 * member might have all of the table as its name. */
static bool read_long_name(const struct gsym_archive *a, uint64_t offset,
			   struct gsym_archive_member *m)
{
	enum { LONGEST = 4096 };
	size_t size = 0, room;

	if (!a->names || offset >= a->names_size)
		return false;
	m->name = a->names + offset;
	room = a->names_size - (size_t)offset;
	while (size < room && size <= LONGEST && m->name[size] != '\n' &&
	       m->name[size])
		size++;
	if (size > LONGEST)
		return false;
	if (size && m->name[size - 1] == '/')
		size--;
	m->name_size = size;
	return true;
}

/* Set the name of M, whose header is HEADER.  BSD's archivers pad a short name
 * with blanks.  They store a long name before the content and add its length to
 * the content's size.  Other archivers end names with '/', and have long names
 * in a table.  False if M is a table, or its name is not there. */
static bool read_name(struct gsym_archive *a, const uint8_t *header,
		      struct gsym_archive_member *m)
{
	size_t size = 0;

	if (!memcmp(header, "#1/", 3)) {
		size = (size_t)read_number(header + 3, NAME_BYTES - 3);
		if (size > m->size)
			return false;
		m->name = (const char *)m->bytes;
		m->name_size = strnlen(m->name, size);
		m->bytes += size;
		m->size -= size;
		return true;
	}
	if (header[0] == '/' && header[1] >= '0' && header[1] <= '9')
		return read_long_name(
			a, read_number(header + 1, NAME_BYTES - 1), m);
	if (!memcmp(header, "// ", 3)) {
		a->names = (const char *)m->bytes;
		a->names_size = m->size;
	}
	while (size < NAME_BYTES && header[size] != '/' && header[size])
		size++;
	while (size && header[size - 1] == ' ')
		size--;
	m->name = (const char *)header;
	m->name_size = size;
	return size;
}

bool gsym_archive_open(struct gsym_archive *a, const uint8_t *bytes,
		       size_t size)
{
	*a = (struct gsym_archive){
		.bytes = bytes,
		.size = size,
		.at = sizeof(magic) - 1,
	};
	return size >= a->at && !memcmp(bytes, magic, a->at);
}

enum gsym_status gsym_archive_next(struct gsym_archive *a,
				   struct gsym_archive_member *ret,
				   struct gsym_error *error)
{
	while (a->size - a->at >= HEADER) {
		const uint8_t *header = a->bytes + a->at;
		uint64_t size = read_number(header + SIZE, 10);
		size_t left = a->size - a->at - HEADER;
		struct gsym_archive_member m = {
			.bytes = header + HEADER,
			.size = (size_t)size,
			.time = read_number(header + TIME, 12),
		};

		if (memcmp(header + END, "`\n", 2) || size > left)
			return gsym_fail(error, GSYM_ERR_CORRUPT,
					 a->at + HEADER,
					 "the archive breaks off at 0x%zx",
					 a->at);
		/* Members begin at even offsets. */
		a->at += HEADER + m.size + (m.size & 1 && m.size < left);
		if (!read_name(a, header, &m))
			continue;
		*ret = m;
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}
