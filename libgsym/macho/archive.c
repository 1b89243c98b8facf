/* SPDX-License-Identifier: MIT */
/*
 * Files that hold several programs: universal files, of which one program is
 * chosen by its architecture, and archives with objects of the debug map, which
 * stay open and keep a table of their members.
 */
#include "macho/macho.h"

#include "base/archive.h"
#include "base/error.h"
#include "base/order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- universal files ---------------------------------------------------- */

enum { FAT_HEADER_SIZE = 8 };

/* A subtype that stands for all subtypes without an entry of their own. */
enum { ANY = -1 };

/* Names of processors. */
static const struct {
	uint32_t type;
	int subtype;
	const char *name;
} names[] = {
	{ CPU_TYPE_X86, ANY, "i386" },
	{ CPU_TYPE_X86 | CPU_ARCH_ABI64, 8, "x86_64h" },
	{ CPU_TYPE_X86 | CPU_ARCH_ABI64, ANY, "x86_64" },
	{ CPU_TYPE_ARM, 5, "armv4t" },
	{ CPU_TYPE_ARM, 6, "armv6" },
	{ CPU_TYPE_ARM, 7, "armv5e" },
	{ CPU_TYPE_ARM, 8, "xscale" },
	{ CPU_TYPE_ARM, 9, "armv7" },
	{ CPU_TYPE_ARM, 11, "armv7s" },
	{ CPU_TYPE_ARM, 12, "armv7k" },
	{ CPU_TYPE_ARM, 14, "armv6m" },
	{ CPU_TYPE_ARM, 15, "armv7m" },
	{ CPU_TYPE_ARM, 16, "armv7em" },
	{ CPU_TYPE_ARM, ANY, "arm" },
	{ CPU_TYPE_ARM | CPU_ARCH_ABI64, 2, "arm64e" },
	{ CPU_TYPE_ARM | CPU_ARCH_ABI64, ANY, "arm64" },
	{ CPU_TYPE_ARM | CPU_ARCH_ABI64_32, ANY, "arm64_32" },
	{ CPU_TYPE_POWERPC, 0, "ppc" },
	{ CPU_TYPE_POWERPC, 10, "ppc7400" },
	{ CPU_TYPE_POWERPC, 11, "ppc7450" },
	{ CPU_TYPE_POWERPC, 100, "ppc970" },
	{ CPU_TYPE_POWERPC | CPU_ARCH_ABI64, ANY, "ppc64" },
};

struct gsym_architecture
gsym_macho_architecture(const struct machoview_slice *slice)
{
	uint32_t type = slice->cpu, plain = slice->subtype & ~CPU_SUBTYPE_MASK;
	struct gsym_architecture a = { .cpu_type = type,
				       .cpu_subtype = slice->subtype };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].type != type || (names[i].subtype != ANY &&
					      names[i].subtype != (int)plain))
			continue;
		snprintf(a.name, sizeof(a.name), "%s", names[i].name);
		return a;
	}
	snprintf(a.name, sizeof(a.name), "cpu%u-%u", type, plain);
	return a;
}

bool gsym_architecture_matches(const struct gsym_architecture *a,
			       const char *what)
{
	uint64_t number;
	char *end;

	if (!a || !what)
		return false;
	if (!strcmp(a->name, what))
		return true;
	if (*what < '0' || *what > '9')
		return false;
	errno = 0;
	number = strtoull(what, &end, 0);
	return !*end && !errno && number == a->cpu_type;
}

/* Whether the last of SLICES overlaps no other, and no other has its
 * architecture. */
static bool last_is_apart(const struct macho_slices *slices)
{
	const struct machoview_slice *last = &slices->items[slices->count - 1];
	const struct gsym_architecture mine = gsym_macho_architecture(last);

	for (size_t i = 0; i + 1 < slices->count; i++) {
		const struct machoview_slice *other = &slices->items[i];
		const struct gsym_architecture its =
			gsym_macho_architecture(other);

		if (!strcmp(its.name, mine.name) ||
		    (last->offset < other->offset + other->size &&
		     other->offset < last->offset + last->size))
			return false;
	}
	return true;
}

/* Check program NUMBER, the last of SLICES, of the COUNT programs of a
 * universal file of SIZE bytes. */
static enum gsym_status check_last(const struct macho_slices *slices,
				   uint32_t number, uint32_t count,
				   uint64_t size, struct gsym_error *error)
{
	const struct machoview_slice *s = &slices->items[number];

	if (s->offset < FAT_HEADER_SIZE || s->offset > size ||
	    s->size > size - s->offset)
		return gsym_fail(error, GSYM_ERR_CORRUPT, FAT_HEADER_SIZE,
				 "universal header: program %u of %u does not "
				 "lie in the file",
				 number + 1, count);
	if (!last_is_apart(slices))
		return gsym_fail(error, GSYM_ERR_CORRUPT, FAT_HEADER_SIZE,
				 "universal header: program %u is there twice "
				 "or overlaps another",
				 number + 1);
	return GSYM_OK;
}

enum gsym_status gsym_macho_slices(const uint8_t *bytes, size_t size,
				   struct macho_slices *ret,
				   struct gsym_error *error)
{
	bool universal = gsym_machoview_is_universal(bytes, size);
	uint32_t count = gsym_machoview_count(bytes, size);

	if (!count)
		return universal ? gsym_fail(error, GSYM_ERR_CORRUPT, 4,
					     "universal header: no programs")
				 : gsym_fail(error, GSYM_ERR_FORMAT, 0,
					     "not a Mach-O file");
	for (uint32_t i = 0; i < count; i++) {
		struct machoview_slice slice;
		enum gsym_status status = GSYM_OK;

		if (!gsym_machoview_slice(bytes, size, i, &slice))
			return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
					 "%s header: it breaks off",
					 universal ? "universal" : "mach-o");
		if (!gsym_vec_add(ret, slice))
			return gsym_fail_memory(error);
		if (universal)
			status = check_last(ret, i, count, size, error);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* Set *RET to the program of SLICES for the architecture NAME. */
static enum gsym_status choose(const struct macho_slices *slices,
			       const char *name, struct machoview_slice *ret,
			       struct gsym_error *error)
{
	char known[GSYM_ERROR_MESSAGE_SIZE / 2] = "";
	size_t used = 0;

	if (!name && slices->count == 1) {
		*ret = slices->items[0];
		return GSYM_OK;
	}
	for (size_t i = 0; i < slices->count; i++) {
		const struct gsym_architecture a =
			gsym_macho_architecture(&slices->items[i]);
		int n;

		if (gsym_architecture_matches(&a, name)) {
			*ret = slices->items[i];
			return GSYM_OK;
		}
		n = snprintf(known + used, sizeof(known) - used, "%s%s",
			     i ? ", " : "", a.name);
		if (n > 0 && (size_t)n < sizeof(known) - used)
			used += (size_t)n;
	}
	known[used] = '\0';
	if (!name)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "one of several architectures has to be "
				 "chosen: %s", known);
	return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
			 "no architecture '%.40s', only %s", name, known);
}

enum gsym_status gsym_macho_choose(const uint8_t *bytes, size_t size,
				   const char *name,
				   struct machoview_slice *ret,
				   struct gsym_error *error)
{
	struct macho_slices slices = { 0 };
	enum gsym_status status =
		gsym_macho_slices(bytes, size, &slices, error);

	if (status == GSYM_OK)
		status = choose(&slices, name, ret, error);
	gsym_vec_fini(&slices);
	return status;
}

enum gsym_status
gsym_macho_architectures(const char *path, struct gsym_architecture *array,
			 size_t capacity, size_t *count,
			 struct gsym_error *error)
{
	struct macho_slices slices = { 0 };
	enum gsym_status status;
	struct gsym_file_map map;

	status = gsym_file_map_open(path, false, &map, NULL, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_macho_slices(map.bytes, map.size, &slices, error);
	for (size_t i = 0; i < slices.count && i < capacity; i++)
		array[i] = gsym_macho_architecture(&slices.items[i]);
	if (status == GSYM_OK)
		*count = slices.count;
	gsym_vec_fini(&slices);
	gsym_file_map_close(&map);
	return status;
}

/* ---- archives ----------------------------------------------------------- */

enum { MAX_ARCHIVES = 4096 };

struct archive {
	char *path;
	struct gsym_file_map map;
	uint64_t device, file;
	/* Sorted by name, then by place in the file. */
	GSYM_VEC_OF(struct gsym_archive_member) members;
};

struct macho_archives { GSYM_VEC(struct archive); };

static void archive_fini(struct archive *a)
{
	free(a->path);
	gsym_file_map_close(&a->map);
	gsym_vec_fini(&a->members);
}

void gsym_macho_archives_free(struct macho_archives *archives)
{
	if (!archives)
		return;
	for (size_t i = 0; i < archives->count; i++)
		archive_fini(&archives->items[i]);
	gsym_vec_fini(archives);
	free(archives);
}

/* ---- tables of contents ------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct gsym_archive_member *x = a, *y = b;
	size_t size = x->name_size < y->name_size ? x->name_size : y->name_size;
	int order = memcmp(x->name, y->name, size);

	if (!order)
		order = GSYM_ORDER(x->name_size, y->name_size);
	return order ? order : GSYM_ORDER(x->bytes, y->bytes);
}

/* Read the members of A from READER. */
static enum gsym_status read_members(struct archive *a,
				     struct gsym_archive *reader,
				     struct gsym_error *error)
{
	struct gsym_archive_member m;
	enum gsym_status status;

	while ((status = gsym_archive_next(reader, &m, error)) == GSYM_OK) {
		if (!gsym_vec_add(&a->members, m))
			return gsym_fail_memory(error);
	}
	if (status != GSYM_NOT_FOUND)
		return status;
	gsym_vec_sort(&a->members, by_name);
	return GSYM_OK;
}

/* ---- files -------------------------------------------------------------- */

static enum gsym_status open_archive(struct archive *a,
				     const struct gsym_container *c,
				     struct gsym_error *error)
{
	enum gsym_status status =
		gsym_file_map_open(a->path, c->own_files, &a->map, NULL, error);
	const uint8_t *bytes = a->map.bytes;
	size_t size = a->map.size;
	struct machoview_slice slice;
	struct gsym_archive reader;
	struct stat st;

	if (status != GSYM_OK)
		return status;
	if (stat(a->path, &st) < 0)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot read: %m");
	a->device = st.st_dev;
	a->file = st.st_ino;
	if (gsym_machoview_is_universal(bytes, size)) {
		status = gsym_macho_choose(bytes, size, c->architecture, &slice,
					   error);
		if (status != GSYM_OK)
			return status;
		bytes += slice.offset;
		size = (size_t)slice.size;
	}
	if (!gsym_archive_open(&reader, bytes, size))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0, "it is no archive");
	return read_members(a, &reader, error);
}

/* Set *RET to the archive whose path is the first LENGTH characters of PATH;
 * opens it if C has not used it before. */
static enum gsym_status find_archive(const struct gsym_container *c,
				     const char *path, size_t length,
				     const struct archive **ret,
				     struct gsym_error *error)
{
	struct macho_file *file = c->private_data;
	struct macho_archives *all = file->archives;
	struct archive *a;
	enum gsym_status status;

	if (!all)
		all = file->archives = calloc(1, sizeof(*all));
	if (!all)
		return gsym_fail_memory(error);
	for (size_t i = all->count; i-- > 0;)
		if (!strncmp(all->items[i].path, path, length) &&
		    !all->items[i].path[length]) {
			*ret = &all->items[i];
			return GSYM_OK;
		}
	if (all->count == MAX_ARCHIVES)
		return gsym_fail(error, GSYM_ERR_LIMIT, 0, "too many archives");
	a = gsym_vec_push(all);
	if (!a)
		return gsym_fail_memory(error);
	*a = (struct archive){ .path = strndup(path, length) };
	status = a->path ? open_archive(a, c, error)
			 : gsym_fail_memory(error);
	if (status != GSYM_OK) {
		archive_fini(a);
		all->count--;
	}
	*ret = a;
	return status;
}

/* ---- objects ------------------------------------------------------------ */

/* Refuse an object that was modified after linking: its addresses may be
 * others. */
static enum gsym_status fail_time(uint64_t now, uint64_t then,
				  struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
			 "it was modified at %" PRIu64
			 ", but the program was linked with a version of "
			 "%" PRIu64 " (seconds since 1970)",
			 now, then);
}

/* Set *RET to the member of A that has the LENGTH characters at NAME as its
 * name, and the modification time TIME (0: any). */
static enum gsym_status find_member(const struct archive *a, const char *name,
				    size_t length, uint64_t time,
				    const struct gsym_archive_member **ret,
				    struct gsym_error *error)
{
	const struct gsym_archive_member wanted = {
		.name = name,
		.name_size = length,
	};
	const struct gsym_archive_member *other = NULL;
	size_t at = GSYM_FIRST(i, 0, a->members.count,
			       by_name(&a->members.items[i], &wanted) >= 0);

	for (; at < a->members.count; at++) {
		const struct gsym_archive_member *m = &a->members.items[at];

		if (m->name_size != length || memcmp(m->name, name, length))
			break;
		if (!time || m->time == time) {
			*ret = m;
			return GSYM_OK;
		}
		other = m;
	}
	if (other)
		return fail_time(other->time, time, error);
	return gsym_fail(error, GSYM_ERR_IO, 0, "not in the archive");
}

static enum gsym_status
open_member(const struct gsym_container *c, const struct gsym_object *object,
	    const char *path, const char *open,
	    const struct gsym_convert_options *options, uint64_t identity[3],
	    struct gsym_container **ret, struct gsym_error *error)
{
	const struct archive *a = NULL;
	const struct gsym_archive_member *m = NULL;
	enum gsym_status status =
		find_archive(c, path, (size_t)(open - path), &a, error);

	if (status == GSYM_OK)
		status = find_member(a, open + 1, strlen(open) - 2,
				     object->time, &m, error);
	if (status != GSYM_OK)
		return status;
	identity[0] = a->device;
	identity[1] = a->file;
	identity[2] = (uint64_t)(m->bytes - a->map.bytes);
	return gsym_container_load(c->input, m->bytes, m->size, GSYM_LOAD_ALL,
				   options, ret, error);
}

enum gsym_status gsym_macho_open_object(const struct gsym_container *c,
					const struct gsym_object *object,
					const char *path, uint64_t identity[3],
					struct gsym_container **ret,
					struct gsym_error *error)
{
	const struct gsym_convert_options options = {
		.architecture = c->architecture,
		.own_files = c->own_files,
	};
	size_t length = strlen(path);
	const char *open = strrchr(path, '(');
	struct stat st;

	if (length && path[length - 1] == ')' && open)
		return open_member(c, object, path, open, &options, identity,
				   ret, error);
	if (stat(path, &st) < 0)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot open: %m");
	if (object->time && (uint64_t)st.st_mtime != object->time)
		return fail_time((uint64_t)st.st_mtime, object->time, error);
	identity[0] = st.st_dev;
	identity[1] = st.st_ino;
	identity[2] = 0;
	return gsym_container_open(c->input, path, GSYM_LOAD_ALL, &options, ret,
				   error);
}
