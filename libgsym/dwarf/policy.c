/* SPDX-License-Identifier: MIT */
#include "dwarf/policy.h"

#include "dwarf/constants.h"

#include <string.h>

bool gsym_dw_is_tombstone(uint64_t start, unsigned address_size)
{
	uint64_t ones = address_size < 8 ? UINT32_MAX : UINT64_MAX;

	return start >= ones - 1;
}

bool gsym_dw_range_is_real(uint64_t start, uint64_t end, unsigned address_size)
{
	return start < end && !gsym_dw_is_tombstone(start, address_size);
}

/* DW_LANG_* of C++, C++03, C++11, C++14, C++17, C++20, C++23 and
 * Objective-C++. */
bool gsym_dw_language_is_cplusplus(unsigned language)
{
	switch (language) {
	case 0x0004:
	case 0x0011:
	case 0x0019:
	case 0x001a:
	case 0x0021:
	case 0x002b:
	case 0x002e:
	case 0x003a:
		return true;
	}
	return false;
}

/* All but DW_LANG_C89, C, C99, C11, C17 and C23. */
bool gsym_dw_language_nests_code(unsigned language)
{
	switch (language) {
	case 0x0001:
	case 0x0002:
	case 0x000c:
	case 0x001d:
	case 0x002c:
	case 0x003e:
		return false;
	}
	return true;
}

bool gsym_dw_is_context(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
		return true;
	}
	return false;
}

const char *gsym_dw_qualify(struct gsym_arena *arena, const char *context,
			    const char *name)
{
	size_t outer = strlen(context), inner = strlen(name);
	char *joined = gsym_arena_alloc(arena, outer + inner + 3);

	if (!joined)
		return NULL;
	memcpy(joined, context, outer);
	if (outer > 1 && joined[0] == '<' && joined[outer - 1] == '>') {
		joined[0] = '{';
		joined[outer - 1] = '}';
	}
	memcpy(joined + outer, "::", 2);
	memcpy(joined + outer + 2, name, inner + 1);
	return joined;
}

/* Absolute on the systems that debug info comes from: /x, \x, C:\x, C:/x. */
static bool is_absolute(const char *path)
{
	bool drive = ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z') &&
		     path[1] == ':' && (path[2] == '\\' || path[2] == '/');

	return path[0] == '/' || path[0] == '\\' || drive;
}

struct part {
	const char *text;
	size_t length;
};

/* The parts one after another, a '/' between them; in ARENA. */
static const char *join(struct gsym_arena *arena, const struct part *parts,
			size_t count)
{
	size_t length = 0;
	char *path, *at;

	for (size_t i = 0; i < count; i++)
		length += parts[i].length + 1;
	path = at = gsym_arena_alloc(arena, length + 1);
	if (!path)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!parts[i].length)
			continue;
		if (at > path && at[-1] != '/')
			*at++ = '/';
		memcpy(at, parts[i].text, parts[i].length);
		at += parts[i].length;
	}
	*at = 0;
	return path;
}

bool gsym_dw_make_file(struct gsym_arena *arena, const char *comp_dir,
		       const char *directory, const char *name,
		       struct dw_file *ret)
{
	const char *slash = strrchr(name, '/');
	struct part parts[3];
	size_t count = 0;

	if (!is_absolute(name)) {
		bool rooted = directory && is_absolute(directory);

		if (comp_dir && *comp_dir && !rooted)
			parts[count++] =
				(struct part){ comp_dir, strlen(comp_dir) };
		if (directory && *directory)
			parts[count++] =
				(struct part){ directory, strlen(directory) };
	}
	if (slash)
		/* The root directory keeps its slash. */
		parts[count++] = (struct part){
			name, slash > name ? (size_t)(slash - name) : 1
		};
	ret->basename = slash ? slash + 1 : name;
	if (!count)
		ret->directory = NULL;
	else if (count == 1 && !slash)
		ret->directory = parts[0].text;
	else
		ret->directory = join(arena, parts, count);
	return !count || ret->directory;
}
