/* SPDX-License-Identifier: MIT */
/*
 * What index.mjs calls: the reader and the demangler, over memory.  Structs are
 * read by JavaScript, which needs their layout; _Static_assert keeps the two
 * alike.
 */
#include <gsym/demangle.h>
#include <gsym/reader.h>

#include <stddef.h>
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* The exception that longjmp throws, which libiberty is left by; the C library
 * declares it only. */
__asm__(".globl __c_longjmp\n"
	".tagtype __c_longjmp i32\n"
	"__c_longjmp:\n");

/* The offsets in FRAME of index.mjs. */
_Static_assert(sizeof(struct gsym_frame) == 48, "FRAME.size");
_Static_assert(offsetof(struct gsym_frame, function) == 0, "FRAME.function");
_Static_assert(offsetof(struct gsym_frame, directory) == 4, "FRAME.directory");
_Static_assert(offsetof(struct gsym_frame, basename) == 8, "FRAME.basename");
_Static_assert(offsetof(struct gsym_frame, line) == 12, "FRAME.line");
_Static_assert(offsetof(struct gsym_frame, offset) == 24, "FRAME.offset");
_Static_assert(offsetof(struct gsym_frame, inlined) == 40, "FRAME.inlined");

static struct gsym_error error;

void *EXPORT(module_alloc)(size_t size)
{
	return malloc(size);
}

void EXPORT(module_free)(void *p)
{
	free(p);
}

/* The text of the last failure. */
const char *EXPORT(module_error)(void)
{
	return error.message;
}

/* A reader of the SIZE bytes at DATA, which stay; NULL on failure. */
struct gsym_reader *EXPORT(module_open)(const void *data, size_t size)
{
	struct gsym_reader *reader = NULL;

	return gsym_open_memory(data, size, &reader, &error) == GSYM_OK ? reader
									 : NULL;
}

void EXPORT(module_close)(struct gsym_reader *reader)
{
	gsym_close(reader);
}

unsigned EXPORT(module_functions)(const struct gsym_reader *reader)
{
	return gsym_function_count(reader);
}

/* As gsym_lookup_many.  Returns how many addresses were looked up; 0 if CAPACITY
 * is too small for the first one. */
size_t EXPORT(module_lookup)(const struct gsym_reader *reader,
			     const uint64_t *addresses, size_t count,
			     struct gsym_frame *frames, size_t capacity,
			     uint32_t *first)
{
	size_t done = 0;

	return gsym_lookup_many(reader, addresses, count, 0, frames, capacity,
				first, &done) == GSYM_OK
		       ? done
		       : 0;
}

/* The readable form of NAME, which the caller frees; NULL if NAME is not
 * mangled. */
char *EXPORT(module_demangle)(const char *name)
{
	char *text = NULL;

	return gsym_demangle_copy(0, name, &text) == GSYM_OK ? text : NULL;
}
