/* SPDX-License-Identifier: MIT */
/* Loads and frees containers, answers questions about them, maps the files that
 * they are read from, and hands warnings to the caller. */
#include "config.h"

#include "container/input.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/memory.h"
#include "base/order.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum gsym_status load(const struct gsym_input *input,
			     struct gsym_load file, struct gsym_container **ret,
			     struct gsym_error *error)
{
	static const struct gsym_convert_options usual = { .threads = 1 };
	struct gsym_container *c = calloc(1, sizeof(*c));
	enum gsym_status status;

	if (!c)
		return gsym_fail_memory(error);
	c->format = input->format;
	c->input = input;
	if (!file.options)
		file.options = &usual;
	status = input->fill(c, &file, error);
	if (status == GSYM_OK)
		*ret = c;
	else
		gsym_container_free(c);
	return status;
}

enum gsym_status gsym_container_load(const struct gsym_input *input,
				     const uint8_t *bytes, size_t size,
				     enum gsym_extent extent,
				     const struct gsym_convert_options *options,
				     struct gsym_container **ret,
				     struct gsym_error *error)
{
	return load(input,
		    (struct gsym_load){ .bytes = bytes,
					.size = size,
					.extent = extent,
					.options = options },
		    ret, error);
}

enum gsym_status gsym_container_open(const struct gsym_input *input,
				     const char *path, enum gsym_extent extent,
				     const struct gsym_convert_options *options,
				     struct gsym_container **ret,
				     struct gsym_error *error)
{
	struct gsym_file_map map;
	int fd;
	bool own = options && options->own_files;
	enum gsym_status status =
		gsym_file_map_open(path, own, &map, &fd, error);

	if (status != GSYM_OK)
		return status;
	status = load(input,
		      (struct gsym_load){ .bytes = map.bytes,
					  .size = map.size,
					  .extent = extent,
					  .mapped = true,
					  .options = options },
		      ret, error);
	if (status == GSYM_OK) {
		(*ret)->file = map;
		(*ret)->fd = fd;
		(*ret)->own_files = own;
	} else {
		gsym_file_map_close(&map);
		close(fd);
	}
	return status;
}

static bool is_in_file(const struct gsym_container *c, const uint8_t *at)
{
	return c->file.bytes && at >= c->file.bytes &&
	       at < c->file.bytes + c->file.size;
}

void gsym_container_copy(const struct gsym_container *c, const uint8_t *at,
			 void *to, size_t size)
{
	if (!is_in_file(c, at) || c->fd < 0 ||
	    gsym_fd_read_at(c->fd, to, size,
			    (uint64_t)(at - c->file.bytes)) != (ssize_t)size)
		memcpy(to, at, size);
}

void gsym_container_close_file(struct gsym_container *c)
{
	if (c->file.bytes && c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

void gsym_container_release(const struct gsym_container *c,
			    const struct gsym_container_section *section,
			    uint64_t start, uint64_t end)
{
	gsym_container_unload(c, section, start, end);
	for (size_t i = 0; i < c->made.count; i++)
		if (c->made.items[i] == section->data && start < end &&
		    end <= section->data_size)
			gsym_pages_release(section->data + start,
					   (size_t)(end - start));
}

void gsym_container_unload(const struct gsym_container *c,
			   const struct gsym_container_section *section,
			   uint64_t start, uint64_t end)
{
	if (is_in_file(c, section->data) && start < end &&
	    end <= section->data_size)
		gsym_pages_release(section->data + start,
				   (size_t)(end - start));
}

static void free_split_paths(struct gsym_container *c)
{
	while (c->split_paths && c->split_paths->first) {
		struct gsym_split_path *path = c->split_paths->first;

		c->split_paths->first = path->next;
		free(path);
	}
}

void gsym_container_free(struct gsym_container *c)
{
	while (c) {
		struct gsym_container *alternate = c->alternate;

		free_split_paths(c);
		gsym_container_free(c->package);
		gsym_vec_fini(&c->sections);
		gsym_vec_fini(&c->symbols);
		gsym_vec_fini(&c->segments);
		gsym_vec_fini(&c->text);
		gsym_vec_fini(&c->functions);
		gsym_vec_fini(&c->objects);
		gsym_vec_fini(&c->linked);
		gsym_vec_fini(&c->warnings);
		gsym_arena_fini(&c->arena);
		gsym_container_free(c->part);
		if (c->passing)
			c->free_passing(c->passing);
		if (c->free_private)
			c->free_private(c->private_data);
		for (size_t i = 0; i < c->made.count; i++)
			free(c->made.items[i]);
		gsym_vec_fini(&c->made);
		gsym_container_close_file(c);
		gsym_file_map_close(&c->file);
		free(c);
		c = alternate;
	}
}

void gsym_container_warn(struct gsym_container *c, enum gsym_warning kind,
			 const char *format, ...)
{
	struct gsym_container_warning *w;
	char text[GSYM_ERROR_MESSAGE_SIZE];
	char *copy;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = gsym_arena_string(&c->arena, text, strlen(text));
	if (!copy)
		return;
	w = gsym_vec_push(&c->warnings);
	if (w)
		*w = (struct gsym_container_warning){ kind, copy };
}

void gsym_container_warn_section(struct gsym_container *c,
				 const struct gsym_container_section *s,
				 const char *problem)
{
	gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
			    "%s at 0x%" PRIx64 ": %.150s", s->name,
			    s->file_offset, problem);
}

bool gsym_container_add_segment(struct gsym_container *c, struct gsym_segment s,
				const uint8_t *file, size_t file_size,
				uint64_t offset)
{
	if (offset >= file_size)
		return true;
	s.data = file + offset;
	if (s.data_size > file_size - offset)
		s.data_size = file_size - offset;
	if (!s.data_size || s.data_size > UINT64_MAX - s.address)
		return true;
	return gsym_vec_add(&c->segments, s);
}

/* The section whose name is PREFIX and REST. */
static const struct gsym_container_section *
find(const struct gsym_container *c, const char *prefix, const char *rest)
{
	size_t length = strlen(prefix);

	for (size_t i = 0; i < c->sections.count; i++) {
		const char *name = c->sections.items[i].name;

		if (!strncmp(name, prefix, length) &&
		    !strcmp(name + length, rest))
			return &c->sections.items[i];
	}
	return NULL;
}

const struct gsym_container_section *
gsym_container_section(const struct gsym_container *c, const char *name)
{
	const struct gsym_container_section *s = find(c, "", name);

	if (!s && !strncmp(name, ".debug_", 7))
		s = find(c, ".zdebug_", name + 7);
	return s;
}

size_t gsym_container_section_at(const struct gsym_container *c,
				 uint64_t address, size_t hint)
{
	for (size_t i = 0; i < c->sections.count; i++) {
		size_t number = (hint + i) % c->sections.count;
		const struct gsym_container_section *s =
			&c->sections.items[number];

		if (s->loaded && address >= s->address &&
		    address - s->address < s->size)
			return number;
	}
	return SIZE_MAX;
}

bool gsym_container_collect_text(struct gsym_container *c)
{
	if (!gsym_vec_reserve(&c->text, c->sections.count))
		return false;
	for (size_t i = 0; i < c->sections.count; i++)
		c->text.count += gsym_container_range(
			&c->sections.items[i], true,
			&c->text.items[c->text.count]);
	gsym_range_set_join(&c->text);
	return true;
}

bool gsym_container_is_code(const struct gsym_container *c, uint64_t address)
{
	return !c->text.count ||
	       gsym_ranges_at(c->text.items, c->text.count, address);
}

const uint8_t *gsym_container_bytes(const struct gsym_container *c,
				    uint64_t address, uint64_t *left)
{
	for (size_t i = 0; i < c->segments.count; i++) {
		const struct gsym_segment *s = &c->segments.items[i];

		if (address >= s->address &&
		    address - s->address < s->data_size) {
			*left = s->data_size - (address - s->address);
			return s->data + (address - s->address);
		}
	}
	return NULL;
}

struct gsym_cursor gsym_container_at(const struct gsym_container *c,
				     uint64_t address)
{
	uint64_t left = 0;
	const uint8_t *bytes = gsym_container_bytes(c, address, &left);

	return gsym_cursor_init(bytes, (size_t)left,
				c->big_endian != GSYM_HOST_BIG_ENDIAN);
}

struct gsym_cursor gsym_container_cursor(const struct gsym_container *c,
					 const struct gsym_container_section *s)
{
	return gsym_cursor_init(s ? s->data : NULL,
				s && s->data ? (size_t)s->data_size : 0,
				c->big_endian != GSYM_HOST_BIG_ENDIAN);
}

struct gsym_cursor gsym_container_named(const struct gsym_container *c,
					const char *name)
{
	return gsym_container_cursor(c, gsym_container_section(c, name));
}

bool gsym_container_has(const struct gsym_container *c, const char *name)
{
	const struct gsym_container_section *s =
		gsym_container_section(c, name);

	return s && s->data_size;
}

/* ---- mapped files ------------------------------------------------------- */

static enum gsym_status map_descriptor(int fd, struct gsym_file_map *ret,
				       struct gsym_error *error)
{
	ret->bytes = gsym_fd_map(fd, &ret->size);
	if (ret->bytes)
		return GSYM_OK;
	if (!errno)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "the file is empty");
	return errno == EISDIR || errno == EINVAL
		       ? gsym_fail(error, GSYM_ERR_IO, 0,
				   "a folder, device or pipe, not a file")
		       : gsym_fail(error, GSYM_ERR_IO, 0, "cannot map: %m");
}

/* Whether the open file FD is of this user or of root. */
static bool is_own(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (!st.st_uid || st.st_uid == geteuid());
}

enum gsym_status gsym_file_map_open(const char *path, bool own,
				    struct gsym_file_map *ret, int *keep,
				    struct gsym_error *error)
{
	/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
	int fd = gsym_fd_open(path, O_RDONLY | O_NONBLOCK);
	enum gsym_status status;

	if (fd < 0)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot open: %m");
	if (own && !is_own(fd))
		status = gsym_fail(error, GSYM_ERR_IO, 0,
				   "it is a file of another user");
	else
		status = map_descriptor(fd, ret, error);
	if (status == GSYM_OK && keep)
		*keep = fd;
	else
		close(fd);
	return status;
}

void gsym_file_map_close(struct gsym_file_map *map)
{
	gsym_fd_unmap(map->bytes, map->size);
	*map = (struct gsym_file_map){ NULL, 0 };
}

/* ---- warnings ------------------------------------------------------------ */

void gsym_container_tell(const struct gsym_convert_options *options,
			 enum gsym_warning kind, const char *format, ...)
{
	char text[GSYM_ERROR_MESSAGE_SIZE];
	va_list args;

	if (!options->warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	options->warn(options->context, kind, text);
}

const char *gsym_warning_name(enum gsym_warning kind)
{
	static const char *const names[GSYM_WARN_COUNT] = {
		[GSYM_WARN_NO_DEBUG_INFO] = "no-debug-info",
		[GSYM_WARN_BAD_UNIT] = "bad-unit",
		[GSYM_WARN_BAD_DIE] = "bad-die",
		[GSYM_WARN_BAD_RANGES] = "bad-ranges",
		[GSYM_WARN_BAD_LINE_TABLE] = "bad-line-table",
		[GSYM_WARN_BAD_FILE_INDEX] = "bad-file-index",
		[GSYM_WARN_NO_NAME] = "no-name",
		[GSYM_WARN_DUPLICATE_RANGE] = "duplicate-range",
		[GSYM_WARN_UNCONTAINED_INLINE] = "uncontained-inline",
		[GSYM_WARN_DEAD_CODE] = "dead-code",
		[GSYM_WARN_MISSING_FILE] = "missing-file",
		[GSYM_WARN_BAD_SECTION] = "bad-section",
		[GSYM_WARN_BAD_SYMBOL] = "bad-symbol",
		[GSYM_WARN_SIZE_LIMIT] = "size-limit",
		[GSYM_WARN_BAD_RELOCATION] = "bad-relocation",
		[GSYM_WARN_BAD_RECORD] = "bad-record",
		[GSYM_WARN_ORPHAN] = "orphan",
		[GSYM_WARN_CONFLICT] = "conflict",
		[GSYM_WARN_UNKNOWN_RECORD] = "unknown-record",
		[GSYM_WARN_GO_TABLE] = "go-table",
		[GSYM_WARN_BAD_GO_TABLE] = "bad-go-table",
		[GSYM_WARN_IDENTITY] = "identity",
		[GSYM_WARN_WORK_LIMIT] = "work-limit",
		[GSYM_WARN_OVERLAP] = "overlap",
		[GSYM_WARN_CONTRADICTION] = "contradiction",
	};

	return (unsigned)kind < GSYM_WARN_COUNT ? names[kind] : NULL;
}
