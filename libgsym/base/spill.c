/* SPDX-License-Identifier: MIT */
/* Maps pieces of a file that has no name. */
#include "config.h"

#include "base/spill.h"
#include "base/system.h"

#include <sys/mman.h>
#include <unistd.h>

bool gsym_spill_open(struct gsym_spill *s, const char *folder)
{
	*s = (struct gsym_spill){ .fd = gsym_system_nameless(folder) };
	return s->fd >= 0;
}

void gsym_spill_close(struct gsym_spill *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void *gsym_spill_alloc(struct gsym_spill *s, size_t *size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole = (*size + page - 1) & ~(page - 1);
	void *block;

	/* A file with holes would end the process by SIGBUS where the folder
	 * has no room for a page. */
	if (whole < *size || s->size > INT64_MAX - whole ||
	    !gsym_system_reserve(s->fd, s->size, whole))
		return NULL;
	block = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd,
		     (off_t)s->size);
	if (block == MAP_FAILED)
		return NULL;
	s->size += whole;
	*size = whole;
	return block;
}

void gsym_spill_free(void *block, size_t size)
{
	munmap(block, size);
}
