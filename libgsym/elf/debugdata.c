/* SPDX-License-Identifier: MIT */
/* Mini debug info: .gnu_debugdata is an ELF file, compressed with xz, with a
 * symbol table of the functions that are not in .dynsym. */
#include "config.h"

#include "elf/elf_file.h"

#ifdef HAVE_LZMA
#include <lzma.h>

enum {
	FIRST_SIZE = 1 << 16,
	/* More than the largest dictionary of xz's presets. */
	MAX_MEMORY = 80 << 20,
	/* What the input may become: a multiple of its size, or as many bytes,
	 * whichever is more.  Symbol tables become 4 to 8 times as large. */
	MAX_RATIO = 16,
	MAX_FLOOR = 16 << 20,
};

/* Enlarge *OUT, to which Z writes, to at most MOST bytes.  False if memory is
 * short or *OUT has MOST bytes; *PROBLEM then says which. */
static bool grow(lzma_stream *z, size_t most, uint8_t **out, size_t *size,
		 const char **problem)
{
	size_t more = *size ? 2 * *size : FIRST_SIZE;
	uint8_t *bytes;

	if (*size == most) {
		*problem = "it becomes more than 16 times as large";
		return false;
	}
	if (more > most)
		more = most;
	bytes = realloc(*out, more);
	if (!bytes) {
		*problem = "there is no memory to decompress it";
		return false;
	}
	z->next_out = bytes + *size;
	z->avail_out = more - *size;
	*out = bytes;
	*size = more;
	return true;
}

/* Decompress SIZE bytes of xz to RET, malloc'ed.  Returns NULL, or a text that
 * says what is wrong. */
static const char *unxz(const uint8_t *bytes, size_t size, uint8_t **ret,
			size_t *ret_size)
{
	size_t most = size > MAX_FLOOR / MAX_RATIO ? size * MAX_RATIO
						   : MAX_FLOOR;
	lzma_stream z = LZMA_STREAM_INIT;
	const char *problem = NULL;
	lzma_ret status = LZMA_OK;
	uint8_t *out = NULL;
	size_t out_size = 0;

	if (lzma_stream_decoder(&z, MAX_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		return "there is no memory to decompress it";
	z.next_in = bytes;
	z.avail_in = size;
	while (status == LZMA_OK &&
	       (z.avail_out || grow(&z, most, &out, &out_size, &problem)))
		status = lzma_code(&z, LZMA_FINISH);
	if (status == LZMA_MEMLIMIT_ERROR)
		problem = "it takes more than 80 MiB to decompress";
	else if (status != LZMA_STREAM_END && !problem)
		problem = "its compressed bytes are damaged";
	*ret_size = out_size - z.avail_out;
	lzma_end(&z);
	if (!problem)
		*ret = out;
	else
		free(out);
	return problem;
}

#else

static const char *unxz(const uint8_t *bytes, size_t size, uint8_t **ret,
			size_t *ret_size)
{
	(void)bytes;
	(void)size;
	(void)ret;
	(void)ret_size;
	return "it is compressed with xz, which was left out of this build";
}

#endif

void gsym_elf_unpack_debugdata(struct elf_file *file, uint8_t **ret,
			       size_t *ret_size)
{
	struct gsym_container *c = file->container;
	const struct gsym_container_section *s =
		gsym_container_section(c, ".gnu_debugdata");
	struct elfview_table symtab;
	const char *problem;

	*ret = NULL;
	if (!s || !s->data ||
	    gsym_elfview_table(&file->view, ELFVIEW_SYMTAB, &symtab))
		return;
	problem = unxz(s->data, (size_t)s->data_size, ret, ret_size);
	if (problem)
		gsym_container_warn_section(c, s, problem);
}
