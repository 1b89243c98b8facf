/* SPDX-License-Identifier: MIT */
/*
 * create/file_id.c - gsym-create --install: the ID that profiles of
 * OpenTelemetry give to a program's file.
 *
 * Source: OpenTelemetry's specification of profiles, "Mappings", the algorithm
 * for process.executable.build_id.htlhash.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef HAVE_NETTLE
#include <nettle/sha2.h>
#endif

#include <gsym/elf.h>

#include "base/cursor.h"
#include "common/file.h"
#include "common/report.h"
#include "create/create.h"

#ifdef HAVE_NETTLE
/* The bytes at either end of a file that are hashed. */
enum { END_BYTES = 4096 };

bool create_file_id(const uint8_t *bytes, size_t size, uint8_t id[FILE_ID])
{
	size_t end = size < END_BYTES ? size : END_BYTES;
	uint8_t length[8];
	struct sha256_ctx hash;

	/* The hash of another file than the one that runs names nothing. */
	if (!gsym_elf_is_program(bytes, size) || gsym_elf_is_stub(bytes, size))
		return false;
	gsym_store_u64(length, size, !GSYM_HOST_BIG_ENDIAN);
	sha256_init(&hash);
	sha256_update(&hash, end, bytes);
	sha256_update(&hash, end, bytes + size - end);
	sha256_update(&hash, sizeof(length), length);
	sha256_digest(&hash, FILE_ID, id);
	return true;
}
#else
bool create_file_id(const uint8_t *bytes, size_t size, uint8_t id[FILE_ID])
{
	(void)bytes;
	(void)size;
	(void)id;
	return false;
}
#endif

void create_read_file_id(struct conversion *c)
{
	const struct create *create = c->create;
	const char *path = c->facts.format == GSYM_FORMAT_ELF ? create->input
							      : create->program;
	int fd = path ? file_open(path, O_RDONLY | O_NONBLOCK) : -1;
	const uint8_t *map;
	size_t size;

	if (fd < 0)
		return;
	map = gsym_fd_map(fd, &size);
	c->file_id_known = map && create_file_id(map, size, c->file_id);
	if (map)
		munmap((void *)map, size);
	close(fd);
}

/* Link the file of the build ID of ID_SIZE bytes at ID with SUFFIX, if it is
 * there, by FILE_ID, too.  Returns whether there is a link now; a warning tells
 * about failures. */
static bool link_one(const struct create *create, const uint8_t *id,
		     size_t id_size, const uint8_t file_id[FILE_ID],
		     const char *suffix)
{
	size_t root = strlen(create->install);
	char *from = path_build_id(create->install, id, id_size, suffix);
	/* As gsym/store.h wants it: from the folder of the link. */
	char *target = path_build_id("../..", id, id_size, suffix);
	char *path = path_build_id(create->install, file_id, FILE_ID, suffix);
	int there = outfile_find_below(from, root);
	const char *why = there < 0 && errno != ENOENT ? strerror(errno) : NULL;

	if (there >= 0) {
		close(there);
		why = outfile_link_below(path, root, target);
	}
	if (why)
		report_note("warning: cannot link '%s': %s", path, why);
	free(path);
	free(target);
	free(from);
	return there >= 0 && !why;
}

bool create_link_file_id(const struct create *create, const uint8_t *id,
			 size_t id_size, const uint8_t file_id[FILE_ID])
{
	if (id_size == FILE_ID && memcmp(id, file_id, FILE_ID) == 0)
		return false;
	/* As with other files the stub comes first. */
	link_one(create, id, id_size, file_id, ".debug");
	return link_one(create, id, id_size, file_id, ".debug.gsym");
}
