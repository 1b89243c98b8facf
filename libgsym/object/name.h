/* SPDX-License-Identifier: MIT */
/* object/name.h - a name in the bytes of a file. */
#ifndef GSYM_OBJECT_NAME_H
#define GSYM_OBJECT_NAME_H

#include <stdbool.h>
#include <string.h>

/** A name of SIZE bytes, which a NUL follows if ENDS. */
struct object_name {
	const char *bytes;
	size_t size;
	bool ends;
};

/** The name TEXT, or the empty one for NULL. */
static inline struct object_name object_name_of(const char *text)
{
	return (struct object_name){ text ? text : "", text ? strlen(text) : 0,
				     true };
}

/** Whether NAME is TEXT. */
static inline bool object_name_is(const struct object_name *name,
				  const char *text)
{
	return strlen(text) == name->size &&
	       !memcmp(name->bytes, text, name->size);
}

#endif
