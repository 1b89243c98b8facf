/* SPDX-License-Identifier: MIT */
/* Opens and closes GSYM files, also those in the section ".gsym" of an ELF
 * file; returns the header, and single entries of the tables; maps the paths
 * of source files. */
#include "reader/reader.h"

#include "base/fd.h"
#include "config.h"
#include "object/elfview.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Set RET to the extent of the section ".gsym" in the SIZE bytes at DATA.
 *
 * GSYM_ERR_FORMAT: no ELF file, or one without that section.
 * GSYM_ERR_CORRUPT: the section, or the one with the names of sections,
 * reaches beyond the file.  GSYM_ERR_UNSUPPORTED: the section is compressed.
 */
static enum gsym_status find_embedded(const uint8_t *data, uint64_t size,
				      struct gsym_extent *ret,
				      struct gsym_error *error)
{
	struct elfview_strings strings;
	struct elfview_section names;
	struct elfview elf;

	if (gsym_elfview_open(data, (size_t)size, &elf, NULL) != GSYM_OK ||
	    !elf.section_count)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "neither gsym data nor an elf file with "
				 "sections");
	if (!elf.names || elf.names >= elf.section_count)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "elf file has no section names");
	names = gsym_elfview_section(&elf, elf.names);
	if (!elfview_in_file(&elf, &names))
		return gsym_fail(error, GSYM_ERR_CORRUPT, elf.section_table,
				 "elf section names reach beyond the file");
	strings = gsym_elfview_strings(data + names.offset, names.size);
	for (uint64_t i = 1; i < elf.section_count; i++) {
		struct elfview_section s = gsym_elfview_section(&elf, i);
		uint64_t at = elf.section_table + i * elf.section_stride;
		const char *name = elfview_string(&strings, s.name);

		if (!elfview_has_bytes(&s) || !name ||
		    strcmp(name, ".gsym") != 0)
			continue;
		if (!elfview_in_file(&elf, &s))
			return gsym_fail(
				error, GSYM_ERR_CORRUPT, at,
				"elf section .gsym at offset 0x%" PRIx64
				" reaches beyond the file",
				s.offset);
		if (s.flags & ELFVIEW_COMPRESSED)
			return gsym_fail(error, GSYM_ERR_UNSUPPORTED, at,
					 "elf section .gsym is compressed");
		*ret = (struct gsym_extent){ .offset = s.offset,
					     .size = s.size };
		return GSYM_OK;
	}
	return gsym_fail(error, GSYM_ERR_FORMAT, 0,
			 "this ELF file has no GSYM data: there is no section "
			 ".gsym");
}

/* Find the image in the SIZE bytes at DATA, a GSYM file or an ELF file, and
 * read its layout. */
static enum gsym_status open_bytes(const uint8_t *data, size_t size,
				   struct gsym_reader *reader,
				   struct gsym_error *error)
{
	struct gsym_extent image = { 0, size };
	enum gsym_status status;

	if (!gsym_layout_is_gsym(data, size)) {
		status = find_embedded(data, size, &image, error);
		if (status != GSYM_OK)
			return status;
	}
	reader->image_offset = image.offset;
	status = gsym_layout_read(data + image.offset, image.size, false,
				  &reader->layout, error);
	if (status != GSYM_OK && error)
		error->offset += image.offset;
	return status;
}

struct gsym_layout gsym_reader_layout(const struct gsym_reader *reader)
{
	struct gsym_layout layout;

	/* Reading the layout again fails only if the mapped file has changed
	 * since it was opened. */
	return gsym_layout_read(reader->layout.data, reader->layout.size, true,
				&layout, NULL) == GSYM_OK
		       ? layout
		       : reader->layout;
}

enum gsym_status gsym_open_memory(const void *data, size_t size,
				  struct gsym_reader **ret,
				  struct gsym_error *error)
{
	struct gsym_reader *reader;
	enum gsym_status status;

	if (!ret || (!data && size))
		return gsym_fail_argument(error);
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return gsym_fail_memory(error);
	status = open_bytes(data, size, reader, error);
	if (status != GSYM_OK)
		free(reader);
	else
		*ret = reader;
	return status;
}

static enum gsym_status fail_io(struct gsym_error *error, const char *what,
				int code)
{
	/* "%m" prints the text of errno, and unlike strerror uses no buffer
	 * that threads share. */
	errno = code;
	return gsym_fail(error, GSYM_ERR_IO, 0, "%s: %m", what);
}

enum gsym_status gsym_open_fd(int fd, struct gsym_reader **ret,
			      struct gsym_error *error)
{
	enum gsym_status status;
	const uint8_t *map;
	size_t size;

	if (!ret)
		return gsym_fail_argument(error);
	map = gsym_fd_map(fd, &size);
	if (!map && errno == EINVAL)
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "cannot map the file: a device or pipe, not "
				 "a file");
	if (!map && errno)
		return fail_io(error, errno == EBADF ?
					      "cannot examine the file" :
					      "cannot map the file", errno);
	status = gsym_open_memory(map ? (const void *)map : "", size, ret,
				  error);
	if (status != GSYM_OK) {
		gsym_fd_unmap(map, size);
		return status;
	}
	(*ret)->map = (void *)map;
	(*ret)->map_size = size;
	return GSYM_OK;
}

enum gsym_status gsym_open(const char *path, struct gsym_reader **ret,
			   struct gsym_error *error)
{
	enum gsym_status status;
	int fd;

	if (!path || !ret)
		return gsym_fail_argument(error);
	/* Without O_NONBLOCK, opening a pipe would block until it has a
	 * writer, instead of being refused. */
	fd = gsym_fd_open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fail_io(error, "cannot open the file", errno);
	status = gsym_open_fd(fd, ret, error);
	close(fd);
	return status;
}

enum gsym_status gsym_open_copy(const char *path, struct gsym_reader **ret,
				struct gsym_error *error)
{
	struct gsym_fd_bytes bytes = { 0 };
	enum gsym_status status;
	int fd;

	if (!path || !ret)
		return gsym_fail_argument(error);
	/* Opening a pipe without a writer must not block, but reading one that
	 * has a writer has to wait for its bytes. */
	fd = gsym_fd_open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fail_io(error, "cannot open the file", errno);
	fcntl(fd, F_SETFL, 0);
	if (gsym_fd_read_to_end(fd, &bytes))
		status = gsym_open_memory(bytes.items, bytes.count, ret, error);
	else if (errno == ENOMEM)
		status = gsym_fail_memory(error);
	else
		status = fail_io(error, "cannot read the file", errno);
	close(fd);
	if (status == GSYM_OK)
		(*ret)->copy = bytes.items;
	else
		gsym_vec_fini(&bytes);
	return status;
}

void gsym_close(struct gsym_reader *reader)
{
	if (!reader)
		return;
	gsym_fd_unmap(reader->map, reader->map_size);
	free(reader->copy);
	gsym_path_mapped_free(reader->paths, reader->layout.file_count);
	free(reader);
}

/* ---- tables ------------------------------------------------------------- */

enum gsym_status gsym_get_header(const struct gsym_reader *reader,
				 struct gsym_header *ret)
{
	const struct gsym_extent *uuid, *sum;
	struct gsym_layout l;

	if (!reader || !ret)
		return GSYM_ERR_ARGUMENT;
	l = gsym_reader_layout(reader);
	uuid = &l.sections[GSYM_SECTION_UUID];
	sum = &l.sections[GSYM_SECTION_CHECKSUM];
	*ret = (struct gsym_header){
		.version = l.version,
		.big_endian = l.swap != GSYM_HOST_BIG_ENDIAN,
		.address_size = l.address_size,
		.string_offset_size = l.string_size,
		.base_address = l.base_address,
		.function_count = l.count,
		.file_count = l.file_count,
		.uuid = uuid->size ? l.data + uuid->offset : NULL,
		.uuid_size = (size_t)uuid->size,
		.image_offset = reader->image_offset,
		.image_size = l.size,
		.checksum = sum->size ? gsym_load_u32(l.data + sum->offset + 8,
						      l.swap)
				      : 0,
	};
	for (int i = 0; i < GSYM_SECTION_COUNT; i++) {
		ret->sections[i].offset = l.sections[i].offset;
		ret->sections[i].size = l.sections[i].size;
	}
	return GSYM_OK;
}

uint32_t gsym_function_count(const struct gsym_reader *reader)
{
	return reader ? reader->layout.count : 0;
}

uint64_t gsym_address_at(const struct gsym_reader *reader, uint32_t index)
{
	return reader && index < reader->layout.count ?
		       gsym_reader_start(reader, index) : 0;
}

enum gsym_status gsym_file_at(const struct gsym_reader *reader,
			      uint32_t index, const char **directory,
			      const char **basename)
{
	uint64_t dir, base;

	if (!reader || !directory || !basename)
		return GSYM_ERR_ARGUMENT;
	if (!gsym_layout_file(&reader->layout, index, &dir, &base)) {
		*directory = *basename = "";
		return GSYM_NOT_FOUND;
	}
	*directory = gsym_reader_string(reader, dir);
	*basename = gsym_reader_string(reader, base);
	if (reader->paths && reader->paths[index].text) {
		*directory = reader->paths[index].directory;
		*basename = reader->paths[index].basename;
	}
	return GSYM_OK;
}

const char *gsym_string_at(const struct gsym_reader *reader, uint64_t offset)
{
	return reader ? gsym_layout_string(&reader->layout, offset) : NULL;
}

bool gsym_uuid_matches(const uint8_t *a, size_t a_size, const uint8_t *b,
		       size_t b_size)
{
	size_t shorter = a_size < b_size ? a_size : b_size;

	if (!a || !b || !shorter || (a_size != b_size && shorter < 8))
		return false;
	return !memcmp(a, b, shorter);
}

/* ---- paths of source files ----------------------------------------------- */

/* Strings of a hostile file may share bytes: the mapped paths of all files take
 * at most PATHS_SHARE times the bytes of the image, and PATHS_MORE. */
#define PATHS_SHARE 4
#define PATHS_MORE GSYM_LIMIT(1 << 20, 1)

static void free_paths(struct gsym_reader *reader)
{
	gsym_path_mapped_free(reader->paths, reader->layout.file_count);
	reader->paths = NULL;
}

/* Map the path of file INDEX, and take what it needs from *LEFT. */
static enum gsym_status map_one(struct gsym_reader *reader,
				const struct gsym_path_map *map,
				struct gsym_path_mapped *paths, uint32_t index,
				uint64_t *left, struct gsym_error *error)
{
	const char *directory, *basename;
	size_t size;

	gsym_file_at(reader, index, &directory, &basename);
	size = strnlen(directory, *left) + strnlen(basename, *left) + 1;
	if (size >= *left)
		return gsym_fail(error, GSYM_ERR_LIMIT, 0,
				 "paths of source files take many times the "
				 "size of the file");
	*left -= size;
	return gsym_path_map_apply(map, directory, basename, &paths[index])
		       ? GSYM_OK
		       : gsym_fail_memory(error);
}

size_t gsym_join_path(const char *directory, const char *basename,
		      char *buffer, size_t size)
{
	const char *parts[] = { directory ? directory : "", NULL,
				basename ? basename : "" };
	size_t length = 0;

	parts[1] = gsym_path_separator(parts[0]);
	for (size_t i = 0; i < 3; i++) {
		size_t part = strlen(parts[i]);

		if (buffer && length < size)
			memcpy(buffer + length, parts[i],
			       part < size - length ? part : size - length);
		length += part;
	}
	if (buffer && size)
		buffer[length < size ? length : size - 1] = '\0';
	return length;
}

enum gsym_status gsym_map_paths(struct gsym_reader *reader,
				const char *const *maps, size_t count,
				struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct gsym_path_map map = { 0 };
	struct gsym_path_mapped *paths;
	uint64_t left;

	if (!reader || (!maps && count))
		return gsym_fail_argument(error);
	for (size_t i = 0; i < count; i++)
		if (!maps[i] || !gsym_path_map_valid(maps[i]))
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "a map of paths is not OLD=NEW");
	free_paths(reader);
	if (!count)
		return GSYM_OK;
	left = PATHS_SHARE * reader->layout.size + PATHS_MORE;
	paths = calloc((size_t)reader->layout.file_count + 1, sizeof(*paths));
	if (!paths || !gsym_path_map_add(&map, maps, count))
		status = gsym_fail_memory(error);
	for (uint32_t i = 0; status == GSYM_OK && i < reader->layout.file_count;
	     i++)
		status = map_one(reader, &map, paths, i, &left, error);
	gsym_path_map_fini(&map);
	reader->paths = paths;
	if (status != GSYM_OK)
		free_paths(reader);
	return status;
}
