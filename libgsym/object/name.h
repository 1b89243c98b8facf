/* SPDX-License-Identifier: MIT */
/* object/name.h - a name in the bytes of a file. */
#ifndef GSYM_OBJECT_NAME_H
#define GSYM_OBJECT_NAME_H

#include <stdbool.h>
#include <string.h>

/** If ENDS, the bytes up to a NUL; SIZE says nothing then, because many symbols
 *  may share one long name that nobody measures.  Else SIZE bytes. */
struct object_name {
	const char *bytes;
	size_t size;
	bool ends;
};

/** The name TEXT, or the empty one for NULL. */
static inline struct object_name object_name_of(const char *text)
{
	return (struct object_name){ text ? text : "", 0, true };
}

/** The number of bytes of NAME. */
static inline size_t object_name_size(const struct object_name *name)
{
	return name->ends ? strlen(name->bytes) : name->size;
}

/** Whether NAME is TEXT. */
static inline bool object_name_is(const struct object_name *name,
				  const char *text)
{
	if (name->ends)
		return !strcmp(name->bytes, text);
	return strlen(text) == name->size &&
	       !memcmp(name->bytes, text, name->size);
}

#endif
