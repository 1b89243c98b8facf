/* SPDX-License-Identifier: MIT */
/* process/divide.c - which mappings are one module, and its bias: by the
 * headers of the mapped files. */
/* Addresses beyond 2 GiB are offsets of /proc/PID/mem. */
#include "config.h"

#include "process/process.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/intern.h"
#include "store/state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mapped file. */
struct image {
	/* The first mapping of the file. */
	const struct gsym_mapping *first;
	enum gsym_process_kind kind;
	/* The bytes of the file, or of the memory where it begins; NULL if
	 * they cannot be read. */
	const uint8_t *bytes;
	size_t size;
	/* BYTES are malloc'ed, not mapped. */
	bool copied;
	/* OPENED: the program's file at FILE_OFFSET of the file. */
	bool opened;
	uint64_t file_offset;
	struct object object;
	/* Its build ID, ID_SIZE bytes in BYTES or, if ID is NULL, in ROOM:
	 * images move when another one is added. */
	const uint8_t *id;
	size_t id_size;
	uint8_t room[PE_PDB_SIZE];
	/* The last module that was made of the file, and the offset of its
	 * last mapping. */
	uint32_t module;
	uint64_t last_offset;
};

/* ---- mapped files ------------------------------------------------------- */

/* Opens the file of a mapping, and compares its segments with the mapping. */

enum {
	/* Segments are mapped from page borders on.  Larger pages are
	 * multiples of this size. */
	PAGE = 4096,
	/* Bytes that are read from memory if the file cannot be read: headers
	 * and notes are in the first pages. */
	MEMORY_BYTES = 64 << 10,
};

/* Map the open file FD, which is closed.  False if FD is -1. */
static bool map_file(struct image *image, int fd)
{
	return fd >= 0 &&
	       gsym_store_map_fd(fd, false, &image->bytes, &image->size,
				   NULL) == GSYM_OK &&
	       image->bytes;
}

/* Read the file through the kernel's link to it.  The link leads to deleted
 * files, too, but only privileged processes may follow it. */
static bool read_link(struct image *image, const struct gsym_process *p)
{
	char path[128];

	if (!p->pid)
		return false;
	snprintf(path, sizeof(path),
		 "/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, p->pid,
		 image->first->start, image->first->end);
	return map_file(image, gsym_fd_open_file(path));
}

/* Whether FD, the file with the path of M, is another one than M.  FD is -1 if
 * the file was not opened; ERROR then says why. */
static bool is_other(const struct gsym_mapping *m, int fd, int error)
{
	struct stat st;

	if (fd < 0)
		return error == EINVAL || gsym_fd_is_absent(error);
	return fstat(fd, &st) < 0 || (uint64_t)st.st_ino != m->inode;
}

/* Read the file by its path below the root of P. */
static bool read_path(struct image *image, const struct gsym_process *p)
{
	const struct gsym_mapping *m = image->first;
	int fd;

	if (!p->root || m->kind != GSYM_PROCESS_FILE)
		return false;
	fd = gsym_fd_open_below(p->root, m->path);
	if (p->pid && m->inode && is_other(m, fd, errno)) {
		image->kind = GSYM_PROCESS_DELETED;
		if (fd >= 0)
			close(fd);
		return false;
	}
	return map_file(image, fd);
}

/* Read the start of the file from the memory of the process.  False without
 * memory. */
static bool read_memory(struct image *image, const struct gsym_process *p)
{
	const struct gsym_mapping *m = image->first;
	uint64_t size = m->end - m->start;
	char path[64];
	uint8_t *bytes;
	ssize_t got = -1;
	int fd;

	if (!p->pid || m->offset)
		return true;
	if (size > MEMORY_BYTES)
		size = MEMORY_BYTES;
	bytes = malloc((size_t)size);
	if (!bytes)
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/mem", p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = gsym_fd_read_at(fd, bytes, (size_t)size, m->start);
		close(fd);
	}
	if (got <= 0) {
		free(bytes);
		return true;
	}
	image->bytes = bytes;
	image->size = (size_t)got;
	image->copied = true;
	return true;
}

/* Let IMAGE be the program's file that begins at OFFSET of its bytes.  False if
 * there is none. */
static bool open_object(struct image *image, uint64_t offset,
		     struct gsym_budget *budget)
{
	struct object object;

	if (!image->bytes || offset >= image->size ||
	    gsym_object_open(image->bytes + offset,
			     image->size - (size_t)offset, &object,
			     NULL) != GSYM_OK)
		return false;
	image->object = object;
	image->opened = true;
	image->file_offset = offset;
	image->id = gsym_budget_take(budget, object.header_count)
			    ? gsym_object_id(&image->object, image->room,
					     &image->id_size)
			    : NULL;
	if (!image->id)
		image->id_size = 0;
	if (image->id == image->room)
		image->id = NULL;
	return true;
}

/* Read the file of the mapping FIRST to IMAGE.  A file that cannot be read is
 * no failure.  BUDGET counts headers that are read.  False without memory. */
static bool open_image(struct image *image, const struct gsym_process *p,
		       const struct gsym_mapping *first,
		       struct gsym_budget *budget)
{
	*image = (struct image){
		.first = first,
		.kind = first->kind,
		.module = GSYM_PROCESS_NONE,
	};
	if (first->kind == GSYM_PROCESS_MEMORY)
		return true;
	if (!read_link(image, p) && !read_path(image, p) &&
	    !read_memory(image, p))
		return false;
	open_object(image, 0, budget);
	return true;
}

static void close_image(struct image *image)
{
	if (image->copied)
		free((void *)image->bytes);
	else
		gsym_fd_unmap(image->bytes, image->size);
}

/* Let IMAGE be the program's file that begins at OFFSET of the file; unchanged
 * if there is none. */
static void look_inside(struct image *image, uint64_t offset,
			struct gsym_budget *budget)
{
	if (!open_object(image, offset, budget))
		return;
	image->kind = GSYM_PROCESS_INSIDE;
	image->module = GSYM_PROCESS_NONE;
}

/* How well the segment S fits MAPPING, whose bytes begin at OFFSET of the
 * program's file; 0: not at all. */
static int fit(const struct object_segment *s,
	       const struct gsym_mapping *mapping, uint64_t offset)
{
	uint64_t start = s->offset & ~(uint64_t)(PAGE - 1);
	uint64_t size = mapping->end - mapping->start;

	if (!s->loaded || !s->file_size ||
	    offset >= s->offset + s->file_size || offset + size <= start)
		return 0;
	return 1 + 2 * (start == offset) +
	       4 * (s->executable == mapping->executable);
}

/* Set *BIAS to the load bias of MAPPING.  Where several segments of IMAGE may
 * be mapped there, one with the bias WANTED is preferred.  False if IMAGE has
 * no segment there, or its headers exceed BUDGET. */
static bool find_bias(const struct image *image,
		      const struct gsym_mapping *mapping, uint64_t wanted,
		      struct gsym_budget *budget, uint64_t *bias)
{
	uint64_t offset = mapping->offset - image->file_offset;
	struct object_segment s;
	int best = 0;

	if (!image->opened || mapping->offset < image->file_offset ||
	    !gsym_budget_take(budget, image->object.header_count))
		return false;
	for (uint64_t i = 0; gsym_object_segment(&image->object, i, &s); i++) {
		int how = fit(&s, mapping, offset);
		uint64_t is = mapping->start - offset + s.offset - s.address;

		if (how && is == wanted && image->module != GSYM_PROCESS_NONE)
			how += 8;
		if (how > best) {
			best = how;
			*bias = is;
		}
	}
	return best > 0;
}

/* ---- modules ------------------------------------------------------------ */

/* The mapped files, by path, inode and kind. */
struct images {
	GSYM_VEC(struct image);
	/* Numbers of paths, and of images by these keys. */
	struct gsym_intern paths, keys;
	/* Headers of files that are read. */
	struct gsym_budget budget;
};

/* A file of a program has about ten segments and forty sections.  A hostile one
 * may have a million and be mapped a million times: no more than SHARE headers
 * for each mapping are read, and SPARE more. */
enum { SHARE = 64, SPARE = 1 << 20 };

/* The image of the file of M; NULL without memory. */
static struct image *image_of(struct images *images,
			      const struct gsym_process *p,
			      const struct gsym_mapping *m)
{
	uint64_t key[3] = { m->inode, (uint64_t)m->kind };
	struct image *image;
	uint32_t path, number;

	if (!gsym_intern_add(&images->paths, m->path, m->length, &path))
		return NULL;
	key[2] = path;
	if (!gsym_intern_add(&images->keys, (const char *)key, sizeof(key),
			     &number))
		return NULL;
	if (number < images->count)
		return &images->items[number];
	image = gsym_vec_push(images);
	if (image && !open_image(image, p, m, &images->budget)) {
		images->count--;
		return NULL;
	}
	return image;
}

/* Whether a program is linked to START unless the linker is told otherwise:
 * x86-64 and arm64, i386, arm, 32-bit and 64-bit PowerPC. */
static bool is_default_start(uint64_t start)
{
	return start == 0x400000 || start == 0x8048000 || start == 0x10000 ||
	       start == 0x10000000;
}

/* Whether M, whose file cannot be read, belongs to the last module of IMAGE.
 * The segments of a file are mapped in the order of their offsets. */
static bool goes_on(const struct image *image,
		    const struct gsym_mapping *m)
{
	return image->module != GSYM_PROCESS_NONE &&
	       m->offset >= image->last_offset;
}

static bool begin_module(struct gsym_process *p, struct image *image,
			 struct gsym_mapping *m, uint64_t bias, bool guessed)
{
	struct gsym_loaded *loaded = gsym_process_add_module(p, m);

	if (!loaded)
		return false;
	loaded->shown.kind = image->kind;
	loaded->shown.bias = bias;
	loaded->shown.bias_guessed = guessed;
	loaded->shown.file_offset = image->file_offset;
	image->module = m->module;
	return !image->id_size ||
	       gsym_process_set_id(p, &loaded->shown,
				   image->id ? image->id : image->room,
				   image->id_size);
}

/* Make a module of IMAGE, which cannot be read, that begins with M.  Guess its
 * bias: 0 if M is where programs are usually linked to, else the start of M.  A
 * module that begins at another offset than 0 is inside the file. */
static bool begin_guess(struct gsym_process *p, struct image *image,
			struct gsym_mapping *m)
{
	if (m->offset && !image->bytes) {
		image->kind = GSYM_PROCESS_INSIDE;
		image->file_offset = m->offset;
	}
	return begin_module(p, image, m,
			    is_default_start(m->start) ? 0 : m->start, true);
}

/* Let M belong to the module of IMAGE that it continues, or to a new one. */
static bool place_mapping(struct gsym_process *p, struct image *image,
			  struct gsym_mapping *m, struct gsym_budget *budget)
{
	uint64_t bias, wanted = 0;
	bool known, same;

	if (image->kind == GSYM_PROCESS_MEMORY) {
		same = image->module != GSYM_PROCESS_NONE;
		if (same)
			gsym_process_join(p, m, image->module);
		return same || begin_module(p, image, m, 0, false);
	}
	/* A library inside an archive begins with a mapping of its header. */
	if (!image->opened || (image->kind == GSYM_PROCESS_INSIDE &&
			    m->offset != image->file_offset))
		look_inside(image, m->offset, budget);
	if (image->module != GSYM_PROCESS_NONE)
		wanted = p->modules.items[image->module].shown.bias;
	known = find_bias(image, m, wanted, budget, &bias);
	same = known ? image->module != GSYM_PROCESS_NONE && bias == wanted
		     : goes_on(image, m);
	image->last_offset = m->offset;
	if (same)
		gsym_process_join(p, m, image->module);
	if (same)
		return true;
	return known ? begin_module(p, image, m, bias, false)
		     : begin_guess(p, image, m);
}

/* ---- code that was moved ------------------------------------------------ */

/* Programs copy their code into anonymous memory of large pages that takes the
 * place of the mapping: PHP, HHVM, Node, and the runtime of BOLT. */

static bool is_nameless(const struct gsym_mapping *m)
{
	return m->kind == GSYM_PROCESS_MEMORY && !m->length && m->executable;
}

/* The place after the mappings from FIRST on that are nameless and follow each
 * other without a gap. */
static size_t end_of_nameless(const struct gsym_process *p, size_t first)
{
	const struct gsym_mapping *m = p->mappings.items;
	size_t i = first;

	while (i < p->mappings.count && is_nameless(&m[i]) &&
	       (i == first || m[i].start == m[i - 1].end))
		i++;
	return i;
}

/* Whether a segment with code of IMAGE has the addresses from START up to END
 * in its file. */
static bool has_code(const struct image *image, uint64_t start, uint64_t end,
		     struct gsym_budget *budget)
{
	struct object_segment s;

	if (!gsym_budget_take(budget, image->object.header_count))
		return false;
	for (uint64_t i = 0; gsym_object_segment(&image->object, i, &s); i++) {
		uint64_t page = s.address & (PAGE - 1);
		uint64_t from = s.address - page, size = s.file_size + page;

		size += -size & (PAGE - 1);
		if (s.loaded && s.executable && s.file_size <= size &&
		    start - from <= size && end - from <= size && start < end)
			return true;
	}
	return false;
}

/* Whether the mappings from FIRST up to END are code of the module that the
 * mapping before them belongs to: the mapping after them belongs to it, too,
 * and a segment with code has their addresses. */
static bool is_moved(const struct gsym_process *p, struct images *images,
		     size_t first, size_t end)
{
	const struct gsym_mapping *m = p->mappings.items;
	const struct gsym_mapping *before, *after;
	const struct image *image;
	uint64_t bias, wanted;

	if (!first || end == p->mappings.count)
		return false;
	before = &m[first - 1];
	after = &m[end];
	if (before->kind == GSYM_PROCESS_MEMORY ||
	    before->kind != after->kind || before->inode != after->inode ||
	    strcmp(before->path, after->path) != 0)
		return false;
	image = image_of(images, p, before);
	if (!image || !image->opened || image->module != before->module)
		return false;
	wanted = p->modules.items[image->module].shown.bias;
	return find_bias(image, after, wanted, &images->budget, &bias) &&
	       bias == wanted &&
	       has_code(image, m[first].start - bias, m[end - 1].end - bias,
			&images->budget);
}

static bool divide(struct gsym_process *p, struct images *images)
{
	size_t known = 0;

	images->budget.limit = SHARE * (uint64_t)p->mappings.count + SPARE;
	for (size_t i = 0; i < p->mappings.count; i++) {
		struct gsym_mapping *m = &p->mappings.items[i];
		struct image *image;

		if (i >= known && is_nameless(m)) {
			known = end_of_nameless(p, i);
			if (is_moved(p, images, i, known)) {
				uint32_t module = m[-1].module;

				for (; i < known; i++)
					gsym_process_join(
						p, &p->mappings.items[i],
						module);
				i--;
				continue;
			}
		}
		image = image_of(images, p, m);
		if (!image || !place_mapping(p, image, m, &images->budget))
			return false;
	}
	return true;
}

enum gsym_status gsym_process_divide(struct gsym_process *p,
				     struct gsym_error *error)
{
	struct images images = { 0 };
	bool done;

	gsym_process_sort(p);
	done = divide(p, &images);
	for (size_t i = 0; i < images.count; i++)
		close_image(&images.items[i]);
	gsym_vec_fini(&images);
	gsym_intern_fini(&images.paths);
	gsym_intern_fini(&images.keys);
	return done ? GSYM_OK : gsym_fail_memory(error);
}
