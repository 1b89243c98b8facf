/* SPDX-License-Identifier: MIT */
/* process/divide.c - which mappings are one module, and its bias. */
#include "process/process.h"

#include "base/error.h"
#include "base/hash.h"
#include "process/image.h"

#include <string.h>

/* The mapped files, by path and inode. */
struct images {
	GSYM_VEC(struct gsym_image);
	/* A hash table with open addressing of MASK + 1 slots: the number of
	 * an image plus 1, or 0. */
	uint32_t *slots;
	size_t mask;
	/* Headers of files that are read. */
	struct gsym_budget budget;
};

/* A file of a program has about ten segments and forty sections.  A hostile one
 * may have a million and be mapped a million times: no more than SHARE headers
 * for each mapping are read, and SPARE more. */
enum { SHARE = 64, SPARE = 1 << 20 };

/* The image of the file of M; NULL without memory. */
static struct gsym_image *image_of(struct images *images,
				   const struct gsym_process *p,
				   const struct gsym_mapping *m)
{
	uint64_t hash = gsym_hash_bytes((uintptr_t)images ^ m->inode,
					m->path, m->length);
	struct gsym_image *image;
	uint32_t *slot;

	for (;; hash++) {
		slot = &images->slots[hash & images->mask];
		if (!*slot)
			break;
		image = &images->items[*slot - 1];
		if (image->first->inode == m->inode &&
		    image->first->kind == m->kind &&
		    !strcmp(image->first->path, m->path))
			return image;
	}
	image = gsym_vec_push(images);
	if (!image)
		return NULL;
	*slot = (uint32_t)images->count;
	if (!gsym_image_open(image, p, m, &images->budget)) {
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
static bool goes_on(const struct gsym_image *image,
		    const struct gsym_mapping *m)
{
	return image->module != GSYM_PROCESS_NONE &&
	       m->offset >= image->last_offset;
}

/* Make a module of IMAGE that begins with M. */
static bool begin_module(struct gsym_process *p, struct gsym_image *image,
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
	return !image->id || gsym_process_set_id(p, &loaded->shown, image->id,
						 image->id_size);
}

/* Make a module of IMAGE, which cannot be read, that begins with M.  Guess its
 * bias: 0 if M is where programs are usually linked to, else the start of M.  A
 * module that begins at another offset than 0 is inside the file. */
static bool begin_guess(struct gsym_process *p, struct gsym_image *image,
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
static bool place(struct gsym_process *p, struct gsym_image *image,
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
	if (!image->elf || (image->kind == GSYM_PROCESS_INSIDE &&
			    m->offset != image->file_offset))
		gsym_image_inside(image, m->offset, budget);
	if (image->module != GSYM_PROCESS_NONE)
		wanted = p->modules.items[image->module].shown.bias;
	known = gsym_image_bias(image, m, wanted, budget, &bias);
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

static bool divide(struct gsym_process *p, struct images *images)
{
	size_t slots = 16;

	while (slots < 2 * p->mappings.count)
		slots *= 2;
	images->budget.limit = SHARE * (uint64_t)p->mappings.count + SPARE;
	images->mask = slots - 1;
	images->slots = calloc(slots, sizeof(*images->slots));
	if (!images->slots)
		return false;
	for (size_t i = 0; i < p->mappings.count; i++) {
		struct gsym_mapping *m = &p->mappings.items[i];
		struct gsym_image *image = image_of(images, p, m);

		if (!image || !place(p, image, m, &images->budget))
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
		gsym_image_close(&images.items[i]);
	gsym_vec_fini(&images);
	free(images.slots);
	return done ? GSYM_OK : gsym_fail_memory(error);
}
