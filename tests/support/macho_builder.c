/* SPDX-License-Identifier: MIT */
#include "support/macho_builder.h"

#include "base/emit.h"
#include "base/vec.h"

#include <stdlib.h>

struct segment {
	char name[17];
	uint64_t address;
	uint64_t file_size;
	size_t sections;
};

struct machob {
	unsigned word; /* bytes */
	bool swap;
	uint32_t type, cpu, subtype;
	struct { GSYM_VEC(struct segment); } segments;
	struct { GSYM_VEC(struct machob_section); } sections;
	/* The contents of the tables. */
	struct gsym_emit symbols, strings, indirect, starts, data;
	uint32_t symbol_count;
	uint8_t uuid[16];
	bool has_uuid;
};

static void *checked(void *p)
{
	if (!p)
		abort();
	return p;
}

struct machob *machob_new(unsigned bits, bool big_endian, uint32_t type,
			  uint32_t cpu, uint32_t subtype)
{
	struct machob *b = checked(calloc(1, sizeof(*b)));

	b->word = bits / 8;
	b->swap = big_endian != GSYM_HOST_BIG_ENDIAN;
	b->type = type;
	b->cpu = cpu;
	b->subtype = subtype;
	b->symbols.swap = b->indirect.swap = b->data.swap = b->swap;
	gsym_emit_u8(&b->strings, 0);
	return b;
}

void machob_free(struct machob *b)
{
	for (size_t i = 0; i < b->sections.count; i++) {
		free((void *)b->sections.items[i].name);
		free((void *)b->sections.items[i].data);
	}
	gsym_vec_fini(&b->segments);
	gsym_vec_fini(&b->sections);
	gsym_emit_fini(&b->symbols);
	gsym_emit_fini(&b->strings);
	gsym_emit_fini(&b->indirect);
	gsym_emit_fini(&b->starts);
	gsym_emit_fini(&b->data);
	free(b);
}

void machob_segment(struct machob *b, const char *name, uint64_t address,
		    uint64_t file_size)
{
	struct segment *s = checked(gsym_vec_push(&b->segments));

	memset(s, 0, sizeof(*s));
	strncpy(s->name, name, 16);
	s->address = address;
	s->file_size = file_size;
}

size_t machob_section(struct machob *b, const struct machob_section *section)
{
	struct machob_section *s = checked(gsym_vec_push(&b->sections));

	*s = *section;
	s->name = checked(strdup(section->name));
	if (s->data) {
		s->data = checked(malloc(s->size + 1));
		memcpy((void *)s->data, section->data, s->size);
	}
	b->segments.items[b->segments.count - 1].sections++;
	return b->sections.count;
}

void machob_symbol(struct machob *b, const char *name, uint8_t type,
		   uint8_t section, uint16_t description, uint64_t value)
{
	gsym_emit_u32(&b->symbols, (uint32_t)b->strings.size);
	gsym_emit_u8(&b->symbols, type);
	gsym_emit_u8(&b->symbols, section);
	gsym_emit_u16(&b->symbols, description);
	gsym_emit_uint(&b->symbols, value, b->word);
	gsym_emit_bytes(&b->strings, name, strlen(name) + 1);
	b->symbol_count++;
}

void machob_indirect(struct machob *b, uint32_t number)
{
	gsym_emit_u32(&b->indirect, number);
}

void machob_starts(struct machob *b, const void *bytes, size_t size)
{
	gsym_emit_bytes(&b->starts, bytes, size);
}

void machob_uuid(struct machob *b, const uint8_t uuid[16])
{
	memcpy(b->uuid, uuid, 16);
	b->has_uuid = true;
}

/* ---- writing ---------------------------------------------------------- */

static void put_name(struct gsym_emit *e, const char *name)
{
	char field[16] = "";
	size_t length = strlen(name);

	memcpy(field, name, length < 16 ? length : 16);
	gsym_emit_bytes(e, field, 16);
}

/* Append bytes to the part after the load commands, which begins at ORIGIN;
 * returns their offset in the file. */
static uint32_t put_data(struct machob *b, size_t origin, const void *bytes,
			 size_t size)
{
	uint32_t at = (uint32_t)(origin + b->data.size);

	gsym_emit_bytes(&b->data, bytes, size);
	gsym_emit_align(&b->data, 8);
	return at;
}

static void put_section(struct machob *b, struct gsym_emit *e, size_t origin,
			const struct machob_section *s)
{
	uint32_t relocations = 0;
	uint32_t at = s->data ? put_data(b, origin, s->data, s->size) : 0;

	if (s->relocation_count)
		relocations = (uint32_t)(origin + b->data.size);
	for (uint32_t i = 0; i < 2 * s->relocation_count; i++)
		gsym_emit_u32(&b->data, s->relocations[i]);
	put_name(e, s->name);
	put_name(e, s->segment);
	gsym_emit_uint(e, s->address, b->word);
	gsym_emit_uint(e, s->size, b->word);
	gsym_emit_u32(e, at);
	gsym_emit_u32(e, 0);
	gsym_emit_u32(e, relocations);
	gsym_emit_u32(e, s->relocation_count);
	gsym_emit_u32(e, s->flags);
	gsym_emit_u32(e, s->reserved1);
	gsym_emit_u32(e, s->reserved2);
	if (b->word == 8)
		gsym_emit_u32(e, 0);
}

static void put_segments(struct machob *b, struct gsym_emit *e, size_t origin)
{
	size_t next = 0;

	for (size_t i = 0; i < b->segments.count; i++) {
		const struct segment *s = &b->segments.items[i];
		bool wide = b->word == 8;

		gsym_emit_u32(e, wide ? 0x19 : 1);
		gsym_emit_u32(e, (wide ? 72 : 56) +
				 (uint32_t)s->sections * (wide ? 80 : 68));
		put_name(e, s->name);
		gsym_emit_uint(e, s->address, b->word);
		gsym_emit_uint(e, 0x10000, b->word);
		gsym_emit_uint(e, 0, b->word);
		gsym_emit_uint(e, s->file_size, b->word);
		gsym_emit_u32(e, 7);
		gsym_emit_u32(e, 5);
		gsym_emit_u32(e, (uint32_t)s->sections);
		gsym_emit_u32(e, 0);
		for (size_t k = 0; k < s->sections; k++)
			put_section(b, e, origin, &b->sections.items[next++]);
	}
}

static void put_tables(struct machob *b, struct gsym_emit *e, size_t origin)
{
	gsym_emit_u32(e, 2);
	gsym_emit_u32(e, 24);
	gsym_emit_u32(e, put_data(b, origin, b->symbols.data, b->symbols.size));
	gsym_emit_u32(e, b->symbol_count);
	gsym_emit_u32(e, put_data(b, origin, b->strings.data, b->strings.size));
	gsym_emit_u32(e, (uint32_t)b->strings.size);
	gsym_emit_u32(e, 0xb);
	gsym_emit_u32(e, 80);
	for (int i = 0; i < 12; i++)
		gsym_emit_u32(e, 0);
	gsym_emit_u32(e, put_data(b, origin, b->indirect.data,
				  b->indirect.size));
	gsym_emit_u32(e, (uint32_t)b->indirect.size / 4);
	for (int i = 0; i < 4; i++)
		gsym_emit_u32(e, 0);
	gsym_emit_u32(e, 0x26);
	gsym_emit_u32(e, 16);
	gsym_emit_u32(e, put_data(b, origin, b->starts.data, b->starts.size));
	gsym_emit_u32(e, (uint32_t)b->starts.size);
}

uint8_t *machob_finish(struct machob *b, size_t *size)
{
	bool wide = b->word == 8;
	size_t commands = (b->has_uuid ? 24 : 0) + 24 + 80 + 16;
	size_t origin = wide ? 32 : 28;
	struct gsym_emit e = { .swap = b->swap };

	commands += b->segments.count * (wide ? 72 : 56) +
		    b->sections.count * (wide ? 80 : 68);
	origin += commands;
	gsym_emit_u32(&e, wide ? 0xfeedfacf : 0xfeedface);
	gsym_emit_u32(&e, b->cpu);
	gsym_emit_u32(&e, b->subtype);
	gsym_emit_u32(&e, b->type);
	gsym_emit_u32(&e, (uint32_t)b->segments.count + 3 + b->has_uuid);
	gsym_emit_u32(&e, (uint32_t)commands);
	gsym_emit_u32(&e, 0);
	if (wide)
		gsym_emit_u32(&e, 0);
	put_segments(b, &e, origin);
	put_tables(b, &e, origin);
	if (b->has_uuid) {
		gsym_emit_u32(&e, 0x1b);
		gsym_emit_u32(&e, 24);
		gsym_emit_bytes(&e, b->uuid, 16);
	}
	if (e.size != origin)
		abort();
	gsym_emit_bytes(&e, b->data.data, b->data.size);
	if (e.failed || b->data.failed)
		abort();
	*size = e.size;
	return e.data;
}

/* Returns true if the file at BYTES has the other byte order than this
 * machine. */
static bool is_swapped(const uint8_t *bytes)
{
	return gsym_load_u32(bytes, false) >> 8 != 0xfeedfa;
}

size_t machob_command(const uint8_t *bytes, size_t size, uint32_t type)
{
	bool swap = is_swapped(bytes);
	bool wide = gsym_load_u32(bytes, swap) == 0xfeedfacf;
	uint32_t count = gsym_load_u32(bytes + 16, swap);
	size_t at = wide ? 32 : 28;

	for (uint32_t i = 0; i < count && at + 8 <= size; i++) {
		if (gsym_load_u32(bytes + at, swap) == type)
			return at;
		at += gsym_load_u32(bytes + at + 4, swap);
	}
	return 0;
}

void machob_patch(uint8_t *bytes, size_t offset, uint32_t word)
{
	gsym_store_u32(bytes + offset, word, is_swapped(bytes));
}

uint8_t *machob_universal(unsigned bits, const struct machob_slice *slices,
			  size_t count, size_t *size)
{
	struct gsym_emit e = { .swap = !GSYM_HOST_BIG_ENDIAN };
	unsigned word = bits / 8;
	uint64_t at = 8 + count * (word == 8 ? 32 : 20);

	gsym_emit_u32(&e, word == 8 ? 0xcafebabf : 0xcafebabe);
	gsym_emit_u32(&e, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		gsym_emit_u32(&e, slices[i].cpu);
		gsym_emit_u32(&e, slices[i].subtype);
		gsym_emit_uint(&e, at, word);
		gsym_emit_uint(&e, slices[i].size, word);
		gsym_emit_uint(&e, 0, word);
		at += slices[i].size;
	}
	for (size_t i = 0; i < count; i++)
		gsym_emit_bytes(&e, slices[i].bytes, slices[i].size);
	if (e.failed)
		abort();
	*size = e.size;
	return e.data;
}
