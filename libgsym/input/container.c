/* SPDX-License-Identifier: MIT */
#include "input/container.h"

#include <stdarg.h>
#include <stdio.h>

void gsym_container_free(struct gsym_container *c)
{
	while (c) {
		struct gsym_container *alternate = c->alternate;

		gsym_vec_fini(&c->sections);
		gsym_vec_fini(&c->symbols);
		gsym_vec_fini(&c->text);
		gsym_vec_fini(&c->warnings);
		gsym_arena_fini(&c->arena);
		if (c->free_private)
			c->free_private(c->private_data);
		free(c);
		c = alternate;
	}
}

void gsym_container_warn(struct gsym_container *c, enum gsym_warning kind,
			 const char *format, ...)
{
	struct gsym_container_warning *w;
	char text[GSYM_ERROR_MESSAGE_SIZE];
	char *copy;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = gsym_arena_string(&c->arena, text, strlen(text));
	if (!copy)
		return;
	w = gsym_vec_push(&c->warnings);
	if (w)
		*w = (struct gsym_container_warning){ kind, copy };
}

static const struct gsym_section *find(const struct gsym_container *c,
				       const char *prefix, const char *rest)
{
	size_t length = strlen(prefix);

	for (size_t i = 0; i < c->sections.count; i++) {
		const char *name = c->sections.items[i].name;

		if (!strncmp(name, prefix, length) &&
		    !strcmp(name + length, rest))
			return &c->sections.items[i];
	}
	return NULL;
}

const struct gsym_section *
gsym_container_section(const struct gsym_container *c, const char *name)
{
	const struct gsym_section *s = find(c, "", name);

	if (!s && !strncmp(name, ".debug_", 7))
		s = find(c, ".zdebug_", name + 7);
	return s;
}

bool gsym_container_is_code(const struct gsym_container *c, uint64_t address)
{
	size_t low = 0;
	size_t high = c->text.count;

	if (!high)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (address < c->text.items[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return low < c->text.count && address >= c->text.items[low].start;
}

struct gsym_cursor gsym_container_cursor(const struct gsym_container *c,
					 const struct gsym_section *s)
{
	return gsym_cursor_init(s ? s->data : NULL,
				s && s->data ? (size_t)s->data_size : 0,
				c->big_endian != GSYM_HOST_BIG_ENDIAN);
}
