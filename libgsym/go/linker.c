/* SPDX-License-Identifier: MIT */
/* Recognises sections and symbols of Go's linkers. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "go/linker.h"

/* Bytes of a segment that are searched for marks: as many as "go version"
 * reads. */
enum { MARK_BYTES = 64 << 10 };

/* Names are prefetched so many symbols before they are read. */
enum { AHEAD = 16 };

const struct gsym_container_section *
gsym_go_section(const struct gsym_container *c, const char *elf,
		const char *macho)
{
	for (size_t i = 0; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];
		const char *comma = strchr(s->name, ',');

		if (s->loaded && s->data_size &&
		    (!strcmp(s->name, elf) ||
		     (comma && !strcmp(comma + 1, macho))))
			return s;
	}
	return NULL;
}

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

void gsym_go_find_symbols(const struct gsym_container *c,
			  struct go_symbols *ret)
{
	const struct wanted {
		const char *name;
		uint64_t *value;
	} wanted[] = {
		{ "runtime.pclntab", &ret->table },
		{ "pclntab", &ret->table },
		{ "runtime.epclntab", &ret->table_end },
		{ "epclntab", &ret->table_end },
		{ "symtab", &ret->symbols },
		{ "esymtab", &ret->symbols_end },
		{ "runtime.firstmoduledata", &ret->module },
		{ "runtime.text", &ret->text },
	};

	*ret = (struct go_symbols){ .any = false };
	for (size_t i = 0; i < c->symbols.count; i++) {
		const char *name = c->symbols.items[i].name;

		/* The names of neighbouring symbols may lie far apart. */
		if (i + AHEAD < c->symbols.count)
			__builtin_prefetch(c->symbols.items[i + AHEAD].name);
		/* The first two bytes of nearly all names differ from those
		 * wanted. */
		if (name[0] != 'r' && name[0] != 'p' && name[0] != 'e' &&
		    name[0] != 's' && (name[0] != '_' || name[1] != 'c'))
			continue;
		ret->any |= begins_with(name, "runtime.") ||
			    begins_with(name, "_cgo_");
		for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++)
			if (!*wanted[k].value && !strcmp(name, wanted[k].name))
				*wanted[k].value = c->symbols.items[i].value;
	}
}

bool gsym_go_has_sections(const struct gsym_container *c)
{
	static const char *const parts[] = { ".go.", "__go_", "gopclntab",
					     "gosymtab" };

	/* More than any linker puts before the part.  Section names of a
	 * hostile file can be ends of one name of megabytes. */
	enum { LONGEST = 64 };

	for (size_t i = 0; i < c->sections.count; i++) {
		const char *name = c->sections.items[i].name;
		size_t length = strnlen(name, LONGEST);

		for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
			if (memmem(name, length, parts[k], strlen(parts[k])))
				return true;
	}
	return false;
}

bool gsym_go_has_marks(const struct gsym_container *c)
{
	static const struct mark {
		bool executable;
		const char *text;
	} marks[] = {
		/* If the build ID has no section of its own, the text begins
		 * with it. */
		{ true, "\xff Go build ID: \"" },
		{ false, "\xff Go buildinf:" },
	};

	if (c->mapped)
		c = c->mapped;
	for (size_t i = 0; i < c->segments.count; i++) {
		const struct gsym_segment *s = &c->segments.items[i];
		size_t size = s->data_size < MARK_BYTES ? s->data_size
							: MARK_BYTES;

		for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++)
			if (s->executable == marks[k].executable &&
			    memmem(s->data, size, marks[k].text,
				   strlen(marks[k].text)))
				return true;
	}
	return false;
}
