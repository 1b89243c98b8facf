/* SPDX-License-Identifier: MIT */
#include "support/elf_builder.h"

#include "base/emit.h"
#include "base/vec.h"

#include <stdio.h>
#include <unistd.h>

struct section {
	char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint8_t *data;
	size_t size;
	uint32_t link;
	uint32_t info;
	uint64_t align;
	uint64_t entsize;
	size_t offset;
	uint32_t name_offset;
};

struct segment {
	uint32_t type;
	uint64_t address;
	size_t section;
};

struct elfb {
	bool wide;
	bool swap;
	bool big_endian;
	bool extended;
	unsigned type;
	unsigned machine;
	struct { GSYM_VEC(struct section); } sections;
	struct { GSYM_VEC(struct elfb_symbol); } symbols;
	struct { GSYM_VEC(struct segment); } segments;
	size_t headers; /* offset of the section headers */
};

static void *checked(void *p)
{
	if (!p)
		abort();
	return p;
}

static void *copy_bytes(const void *data, size_t size)
{
	void *p = checked(calloc(1, size + 1));

	if (data && size)
		memcpy(p, data, size);
	return p;
}

struct elfb *elfb_new(unsigned bits, bool big_endian, unsigned type,
		      unsigned machine)
{
	struct elfb *b = checked(calloc(1, sizeof(*b)));
	struct section *null = checked(gsym_vec_push(&b->sections));

	b->wide = bits == 64;
	b->big_endian = big_endian;
	b->swap = big_endian != GSYM_HOST_BIG_ENDIAN;
	b->type = type;
	b->machine = machine;
	*null = (struct section){ .name = copy_bytes("", 0) };
	return b;
}

void elfb_free(struct elfb *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->sections.count; i++) {
		free(b->sections.items[i].name);
		free(b->sections.items[i].data);
	}
	for (size_t i = 0; i < b->symbols.count; i++)
		free((char *)b->symbols.items[i].name);
	gsym_vec_fini(&b->sections);
	gsym_vec_fini(&b->symbols);
	gsym_vec_fini(&b->segments);
	free(b);
}

size_t elfb_section(struct elfb *b, const char *name, unsigned type,
		    uint64_t flags, uint64_t address, const void *data,
		    size_t size)
{
	struct section *s = checked(gsym_vec_push(&b->sections));

	*s = (struct section){
		.name = copy_bytes(name, strlen(name)),
		.type = type,
		.flags = flags,
		.address = address,
		.data = type == SHT_NOBITS ? NULL : copy_bytes(data, size),
		.size = size,
		.align = 1,
	};
	return b->sections.count - 1;
}

void elfb_section_fields(struct elfb *b, size_t number, uint32_t link,
			 uint32_t info, uint64_t align, uint64_t entsize)
{
	struct section *s = &b->sections.items[number];

	s->link = link;
	s->info = info;
	s->align = align;
	s->entsize = entsize;
}

/* Append V as a word of 4 or 8 bytes, by the class of the file. */
static void emit_word(const struct elfb *b, struct gsym_emit *e, uint64_t v)
{
	gsym_emit_uint(e, v, b->wide ? 8 : 4);
}

/* Add a section with the bytes of E, and free E. */
static size_t section_from(struct elfb *b, const char *name, unsigned type,
			   uint64_t flags, struct gsym_emit *e)
{
	size_t number;

	if (e->failed)
		abort();
	number = elfb_section(b, name, type, flags, 0, e->data, e->size);
	gsym_emit_fini(e);
	return number;
}

size_t elfb_compressed(struct elfb *b, const char *name, uint64_t flags,
		       unsigned type, uint64_t claimed, const void *data,
		       size_t size)
{
	struct gsym_emit e = { .swap = b->swap };

	gsym_emit_u32(&e, type);
	if (b->wide)
		gsym_emit_u32(&e, 0);
	emit_word(b, &e, claimed);
	emit_word(b, &e, 1);
	gsym_emit_bytes(&e, data, size);
	return section_from(b, name, SHT_PROGBITS, flags | SHF_COMPRESSED, &e);
}

size_t elfb_note(struct elfb *b, const char *name, const char *owner,
		 uint32_t type, const void *desc, size_t size)
{
	struct gsym_emit e = { .swap = b->swap };
	size_t number;

	gsym_emit_u32(&e, (uint32_t)strlen(owner) + 1);
	gsym_emit_u32(&e, (uint32_t)size);
	gsym_emit_u32(&e, type);
	gsym_emit_bytes(&e, owner, strlen(owner) + 1);
	gsym_emit_align(&e, 4);
	gsym_emit_bytes(&e, desc, size);
	gsym_emit_align(&e, 4);
	number = section_from(b, name, SHT_NOTE, SHF_ALLOC, &e);
	elfb_section_fields(b, number, 0, 0, 4, 0);
	return number;
}

void elfb_symbol(struct elfb *b, const struct elfb_symbol *symbol)
{
	struct elfb_symbol *s = checked(gsym_vec_push(&b->symbols));

	*s = *symbol;
	s->name = copy_bytes(symbol->name, strlen(symbol->name));
}

void elfb_segment(struct elfb *b, unsigned type, uint64_t address,
		  size_t number)
{
	struct segment *s = checked(gsym_vec_push(&b->segments));

	*s = (struct segment){ type, address, number };
}

void elfb_extended_numbers(struct elfb *b)
{
	b->extended = true;
}

/* The 16-bit section number that symbols and the file header have. */
static uint16_t short_number(const struct elfb *b, size_t number)
{
	if (number >= SHN_LORESERVE || (b->extended && number))
		return SHN_XINDEX;
	return (uint16_t)number;
}

static void emit_symbol(const struct elfb *b, struct gsym_emit *e,
			const struct elfb_symbol *s, uint32_t name,
			uint16_t section)
{
	uint8_t info = (uint8_t)(s->binding << 4 | s->type);

	gsym_emit_u32(e, name);
	if (!b->wide) {
		gsym_emit_u32(e, (uint32_t)s->value);
		gsym_emit_u32(e, (uint32_t)s->size);
	}
	gsym_emit_u8(e, info);
	gsym_emit_u8(e, 0);
	gsym_emit_u16(e, section);
	if (b->wide) {
		gsym_emit_u64(e, s->value);
		gsym_emit_u64(e, s->size);
	}
}

/* Add .dynsym or .symtab with its strings and, for extended numbering, with
 * .symtab_shndx. */
static void add_symbols(struct elfb *b, bool dynamic)
{
	static const struct elfb_symbol null;
	struct gsym_emit table = { .swap = b->swap };
	struct gsym_emit strings = { .swap = b->swap };
	struct gsym_emit numbers = { .swap = b->swap };
	uint64_t flags = dynamic ? SHF_ALLOC : 0;
	bool any = false;
	size_t symtab;
	size_t strtab;

	emit_symbol(b, &table, &null, 0, 0);
	gsym_emit_u32(&numbers, 0);
	gsym_emit_u8(&strings, 0);
	for (size_t i = 0; i < b->symbols.count; i++) {
		const struct elfb_symbol *s = &b->symbols.items[i];
		bool special = s->section >= SHN_LORESERVE;

		if (s->dynamic != dynamic)
			continue;
		any = true;
		emit_symbol(b, &table, s, (uint32_t)strings.size,
			    special ? (uint16_t)s->section
				    : short_number(b, s->section));
		gsym_emit_u32(&numbers, special ? 0 : (uint32_t)s->section);
		gsym_emit_bytes(&strings, s->name, strlen(s->name) + 1);
	}
	if (!any) {
		gsym_emit_fini(&table);
		gsym_emit_fini(&strings);
		gsym_emit_fini(&numbers);
		return;
	}
	symtab = section_from(b, dynamic ? ".dynsym" : ".symtab",
			      dynamic ? SHT_DYNSYM : SHT_SYMTAB, flags, &table);
	strtab = section_from(b, dynamic ? ".dynstr" : ".strtab", SHT_STRTAB,
			      flags, &strings);
	elfb_section_fields(b, symtab, (uint32_t)strtab, 1, 8,
			    b->wide ? 24 : 16);
	if (b->extended && !dynamic) {
		size_t n = section_from(b, ".symtab_shndx", SHT_SYMTAB_SHNDX, 0,
					&numbers);

		elfb_section_fields(b, n, (uint32_t)symtab, 0, 4, 4);
	}
	gsym_emit_fini(&numbers);
}

static void add_names(struct elfb *b)
{
	struct gsym_emit e = { .swap = b->swap };
	size_t number = elfb_section(b, ".shstrtab", SHT_STRTAB, 0, 0, NULL, 0);
	struct section *names = &b->sections.items[number];

	gsym_emit_u8(&e, 0);
	for (size_t i = 1; i < b->sections.count; i++) {
		struct section *s = &b->sections.items[i];

		s->name_offset = (uint32_t)e.size;
		gsym_emit_bytes(&e, s->name, strlen(s->name) + 1);
	}
	if (e.failed)
		abort();
	free(names->data);
	names->data = e.data;
	names->size = e.size;
}

static void emit_header(const struct elfb *b, struct gsym_emit *e,
			uint64_t sections_at)
{
	uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F' };
	size_t segments = b->segments.count;
	size_t count = b->sections.count;
	unsigned header = b->wide ? 64 : 52;
	bool extended = b->extended || count >= SHN_LORESERVE;

	ident[EI_CLASS] = b->wide ? ELFCLASS64 : ELFCLASS32;
	ident[EI_DATA] = b->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	ident[EI_VERSION] = EV_CURRENT;
	gsym_emit_bytes(e, ident, sizeof(ident));
	gsym_emit_u16(e, (uint16_t)b->type);
	gsym_emit_u16(e, (uint16_t)b->machine);
	gsym_emit_u32(e, EV_CURRENT);
	emit_word(b, e, 0);
	emit_word(b, e, segments ? header : 0);
	emit_word(b, e, sections_at);
	gsym_emit_u32(e, 0);
	gsym_emit_u16(e, (uint16_t)header);
	gsym_emit_u16(e, b->wide ? 56 : 32);
	gsym_emit_u16(e, (uint16_t)segments);
	gsym_emit_u16(e, b->wide ? 64 : 40);
	gsym_emit_u16(e, extended ? 0 : (uint16_t)count);
	gsym_emit_u16(e, short_number(b, count - 1));
}

static void emit_segment(const struct elfb *b, struct gsym_emit *e,
			 const struct segment *s)
{
	const struct section *section = &b->sections.items[s->section];
	bool none = section->type == SHT_NOBITS;
	uint32_t flags = PF_R | (section->flags & SHF_EXECINSTR ? PF_X : 0);

	gsym_emit_u32(e, s->type);
	if (b->wide)
		gsym_emit_u32(e, flags);
	emit_word(b, e, section->offset);
	emit_word(b, e, s->address);
	emit_word(b, e, s->address);
	emit_word(b, e, none ? 0 : section->size);
	emit_word(b, e, section->size);
	if (!b->wide)
		gsym_emit_u32(e, flags);
	emit_word(b, e, section->align);
}

static void emit_section(const struct elfb *b, struct gsym_emit *e,
			 const struct section *s)
{
	gsym_emit_u32(e, s->name_offset);
	gsym_emit_u32(e, s->type);
	emit_word(b, e, s->flags);
	emit_word(b, e, s->address);
	emit_word(b, e, s->offset);
	emit_word(b, e, s->size);
	gsym_emit_u32(e, s->link);
	gsym_emit_u32(e, s->info);
	emit_word(b, e, s->align);
	emit_word(b, e, s->entsize);
}

/* Set the offset of each section; returns that of the section headers. */
static size_t lay_out(struct elfb *b)
{
	size_t at = (b->wide ? 64 : 52) +
		    b->segments.count * (b->wide ? 56 : 32);

	for (size_t i = 1; i < b->sections.count; i++) {
		struct section *s = &b->sections.items[i];

		if (s->align > 1)
			at += (s->align - at % s->align) % s->align;
		s->offset = at;
		if (s->data)
			at += s->size;
	}
	return at + (8 - at % 8) % 8;
}

uint8_t *elfb_finish(struct elfb *b, size_t *size)
{
	struct gsym_emit e = { .swap = b->swap };

	add_symbols(b, false);
	add_symbols(b, true);
	add_names(b);
	b->headers = lay_out(b);
	if (b->extended || b->sections.count >= SHN_LORESERVE) {
		b->sections.items[0].size = b->sections.count;
		b->sections.items[0].link = (uint32_t)b->sections.count - 1;
	}
	emit_header(b, &e, b->headers);
	for (size_t i = 0; i < b->segments.count; i++)
		emit_segment(b, &e, &b->segments.items[i]);
	for (size_t i = 1; i < b->sections.count; i++) {
		const struct section *s = &b->sections.items[i];

		while (e.size < s->offset)
			gsym_emit_u8(&e, 0);
		if (s->data)
			gsym_emit_bytes(&e, s->data, s->size);
	}
	gsym_emit_align(&e, 8);
	for (size_t i = 0; i < b->sections.count; i++)
		emit_section(b, &e, &b->sections.items[i]);
	if (e.failed)
		abort();
	*size = e.size;
	return e.data;
}

size_t elfb_offset(const struct elfb *b, size_t number)
{
	return b->sections.items[number].offset;
}

size_t elfb_header_offset(const struct elfb *b, size_t number)
{
	return b->headers + number * (b->wide ? 64 : 40);
}

size_t elfb_number(const struct elfb *b, const char *name)
{
	for (size_t i = 1; i < b->sections.count; i++)
		if (!strcmp(b->sections.items[i].name, name))
			return i;
	return 0;
}

char *elfb_save(const void *bytes, size_t size)
{
	const char *folder = getenv("TMPDIR");
	char *path = checked(malloc(4096));
	int fd;
	FILE *f;

	snprintf(path, 4096, "%s/gsym-test-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
		abort();
	return path;
}
