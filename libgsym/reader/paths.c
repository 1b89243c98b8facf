/* SPDX-License-Identifier: MIT */
/* Maps the paths of the source files of an open file. */
#include "config.h"

#include "reader/reader.h"

#include <stdlib.h>

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
