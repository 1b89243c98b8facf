/* SPDX-License-Identifier: MIT */
/* A Go program as its linker left it: the memory, with pointers relocated, and
 * the sections and symbols by which it is recognised. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "go/go.h"

#include "base/order.h"

/* ---- memory -------------------------------------------------------------- */

static int compare_segments(const void *a, const void *b)
{
	const struct gsym_segment *x = a, *y = b;
	int order = GSYM_ORDER(x->address, y->address);

	return order ? order : GSYM_ORDER(y->data_size, x->data_size);
}

static uint64_t end_of(const struct gsym_segment *s)
{
	return s->address + s->data_size;
}

/* The index of the piece that holds ADDRESS; SIZE_MAX if none does. */
static size_t find(const struct gsym_memory *m, uint64_t address)
{
	size_t found =
		GSYM_FIRST(i, 0, m->count, address < end_of(&m->pieces[i]));

	return found < m->count && address >= m->pieces[found].address
		       ? found
		       : SIZE_MAX;
}

static const struct gsym_segment *piece_at(const struct gsym_memory *m,
					   uint64_t address)
{
	size_t found = find(m, address);

	return found == SIZE_MAX ? NULL : &m->pieces[found];
}

struct relocating {
	struct gsym_memory *memory;
	bool failed;
};

/* Store VALUE, the result of a relocation, at PLACE.  The piece is copied at
 * the first value that differs: most linkers store the values in the file as
 * well, and then nothing has to be copied. */
static bool put_pointer(void *context, uint64_t place, uint64_t value)
{
	struct relocating *relocating = context;
	struct gsym_memory *m = relocating->memory;
	size_t found = find(m, place);
	struct gsym_segment *piece;
	uint64_t offset;
	uint8_t word[8];

	if (found == SIZE_MAX)
		return true;
	piece = &m->pieces[found];
	offset = place - piece->address;
	if (piece->data_size - offset < m->address_size)
		return true;
	if (m->address_size == 8)
		gsym_store_u64(word, value, m->swap);
	else
		gsym_store_u32(word, (uint32_t)value, m->swap);
	if (!memcmp(piece->data + offset, word, m->address_size))
		return true;
	if (!m->copies[found]) {
		m->copies[found] = malloc((size_t)piece->data_size);
		if (!m->copies[found]) {
			relocating->failed = true;
			return false;
		}
		memcpy(m->copies[found], piece->data,
		       (size_t)piece->data_size);
		piece->data = m->copies[found];
	}
	memcpy(m->copies[found] + offset, word, m->address_size);
	return true;
}

bool gsym_memory_init(struct gsym_memory *m, const struct gsym_container *c)
{
	struct relocating relocating = { .memory = m };
	size_t count = 0;

	if (c->mapped)
		c = c->mapped;
	*m = (struct gsym_memory){
		.swap = c->big_endian != GSYM_HOST_BIG_ENDIAN,
		.address_size = c->address_size,
	};
	while (count < c->segments.count && count < GSYM_MEMORY_PIECES) {
		m->pieces[count] = c->segments.items[count];
		count++;
	}
	qsort(m->pieces, count, sizeof(m->pieces[0]), compare_segments);
	for (size_t i = 0; i < count; i++)
		if (!m->count || m->pieces[i].address >=
					 end_of(&m->pieces[m->count - 1]))
			m->pieces[m->count++] = m->pieces[i];
	if (c->pointers)
		c->pointers(c, put_pointer, &relocating);
	return !relocating.failed;
}

void gsym_memory_fini(struct gsym_memory *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->copies[i]);
	m->count = 0;
}

struct gsym_cursor gsym_memory_cursor(const struct gsym_memory *m,
				      uint64_t address)
{
	const struct gsym_segment *piece = piece_at(m, address);

	if (!piece)
		return gsym_cursor_init(NULL, 0, m->swap);
	return gsym_cursor_init(piece->data + (address - piece->address),
				(size_t)(end_of(piece) - address), m->swap);
}

bool gsym_memory_is_code(const struct gsym_memory *m, uint64_t start,
			 uint64_t end)
{
	const struct gsym_segment *piece = piece_at(m, start);

	return piece && piece->executable && end <= end_of(piece);
}

/* ---- what Go's linkers leave --------------------------------------------- */

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

/* Whether NAME begins with the two bytes of a symbol that is wanted below.
 * Those of nearly all names differ. */
static bool may_be_wanted(const char *name)
{
	switch (name[0]) {
	case 'r':
		return name[1] == 'u';
	case 'p':
	case '_':
		return name[1] == 'c';
	case 'e':
		return name[1] == 'p' || name[1] == 's';
	case 's':
		return name[1] == 'y';
	}
	return false;
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
		if (!may_be_wanted(name))
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
