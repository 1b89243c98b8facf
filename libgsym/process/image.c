/* SPDX-License-Identifier: MIT */
/* Opens the file of a mapping, and compares its segments with the mapping. */
#include "process/image.h"

#include "base/fd.h"
#include "process/below.h"
#include "store/mapped.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* Segments are mapped from page borders on.  Larger pages are
	 * multiples of this size. */
	PAGE = 4096,
	/* Bytes that are read from memory if the file cannot be read: headers
	 * and notes are in the first pages. */
	MEMORY_BYTES = 64 << 10,
};

/* Map the open file FD, which is closed.  False if FD is -1. */
static bool map_file(struct gsym_image *image, int fd)
{
	return fd >= 0 &&
	       gsym_mapped_open_fd(fd, false, &image->bytes, &image->size,
				   NULL) == GSYM_OK &&
	       image->bytes;
}

/* Read the file through the kernel's link to it.  The link leads to deleted
 * files, too, but only privileged processes may follow it. */
static bool read_link(struct gsym_image *image, const struct gsym_process *p)
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
static bool read_path(struct gsym_image *image, const struct gsym_process *p)
{
	const struct gsym_mapping *m = image->first;
	int fd;

	if (!p->root || m->kind != GSYM_PROCESS_FILE)
		return false;
	fd = gsym_below_open(p->root, m->path);
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
static bool read_memory(struct gsym_image *image, const struct gsym_process *p)
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

/* Let IMAGE be the ELF file that begins at OFFSET of its bytes.  False if there
 * is none. */
static bool open_elf(struct gsym_image *image, uint64_t offset,
		     struct gsym_budget *budget)
{
	struct elfview view;

	if (!image->bytes || offset >= image->size ||
	    gsym_elfview_open(image->bytes + offset,
			      image->size - (size_t)offset, &view,
			      NULL) != GSYM_OK)
		return false;
	image->view = view;
	image->elf = true;
	image->file_offset = offset;
	if (!gsym_budget_take(budget, view.section_count +
					      view.segment_count) ||
	    !gsym_elfview_build_id(&view, &image->id, &image->id_size)) {
		image->id = NULL;
		image->id_size = 0;
	}
	return true;
}

bool gsym_image_open(struct gsym_image *image, const struct gsym_process *p,
		     const struct gsym_mapping *first,
		     struct gsym_budget *budget)
{
	*image = (struct gsym_image){
		.first = first,
		.kind = first->kind,
		.module = GSYM_PROCESS_NONE,
	};
	if (first->kind == GSYM_PROCESS_MEMORY)
		return true;
	if (!read_link(image, p) && !read_path(image, p) &&
	    !read_memory(image, p))
		return false;
	open_elf(image, 0, budget);
	return true;
}

void gsym_image_close(struct gsym_image *image)
{
	if (image->copied)
		free((void *)image->bytes);
	else
		gsym_mapped_close(image->bytes, image->size);
}

void gsym_image_inside(struct gsym_image *image, uint64_t offset,
		       struct gsym_budget *budget)
{
	if (!open_elf(image, offset, budget))
		return;
	image->kind = GSYM_PROCESS_INSIDE;
	image->module = GSYM_PROCESS_NONE;
}

/* How well the segment S fits MAPPING, whose bytes begin at OFFSET of the ELF
 * file; 0: not at all. */
static int fit(const struct elfview_segment *s,
	       const struct gsym_mapping *mapping, uint64_t offset)
{
	uint64_t start = s->offset & ~(uint64_t)(PAGE - 1);
	uint64_t size = mapping->end - mapping->start;
	bool executable = s->flags & ELFVIEW_SEGMENT_CODE;

	if (s->type != ELFVIEW_LOAD || !s->file_size ||
	    offset >= s->offset + s->file_size || offset + size <= start)
		return 0;
	return 1 + 2 * (start == offset) +
	       4 * (executable == mapping->executable);
}

bool gsym_image_bias(const struct gsym_image *image,
		     const struct gsym_mapping *mapping, uint64_t wanted,
		     struct gsym_budget *budget, uint64_t *bias)
{
	uint64_t offset = mapping->offset - image->file_offset;
	int best = 0;

	if (!image->elf || mapping->offset < image->file_offset ||
	    !gsym_budget_take(budget, image->view.segment_count))
		return false;
	for (uint64_t i = 0; i < image->view.segment_count; i++) {
		struct elfview_segment s =
			gsym_elfview_segment(&image->view, i);
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
