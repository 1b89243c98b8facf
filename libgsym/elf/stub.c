/* SPDX-License-Identifier: MIT */
/* What of an ELF file names it and its symbols: build ID and stub. */
#include "elf/edit.h"

#include "base/error.h"

#include <gsym/elf.h>

#include <stdlib.h>

enum { MAX_ID = 1024 };

struct stub {
	const uint8_t *bytes;
	size_t size;
	struct elfview header;
	struct elf_edit_table from;
	struct elf_edit_table to;
	uint16_t *map; /* numbers of sections; 0: left out */
	struct gsym_emit out;
	struct gsym_emit names;
};

/* The build ID among notes, sections before segments. */
static bool find_build_id(const struct stub *s, const uint8_t **ret,
			  size_t *ret_size)
{
	const struct elfview *h = &s->header;

	for (size_t i = 1; i < s->from.count; i++) {
		const struct elfview_section *section = &s->from.items[i];

		if (section->type == SHT_NOTE &&
		    elfview_in_file(&s->header, section) &&
		    gsym_elf_search_notes(s->bytes + section->offset,
					  section->size, section->align,
					  h->swap, ret, ret_size))
			return true;
	}
	for (size_t i = 0; i < h->segment_count; i++) {
		struct elfview_segment segment = gsym_elfview_segment(h, i);

		if (segment.type == PT_NOTE && segment.offset <= s->size &&
		    segment.file_size <= s->size - segment.offset &&
		    gsym_elf_search_notes(s->bytes + segment.offset,
					  segment.file_size, segment.align,
					  h->swap, ret, ret_size))
			return true;
	}
	return false;
}

static enum gsym_status start(struct stub *s, const uint8_t *elf, size_t size,
			      struct gsym_error *error)
{
	enum gsym_status status;

	if (!elf)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "elf file is missing");
	*s = (struct stub){ .bytes = elf, .size = size };
	status = gsym_elf_read_header(elf, size, &s->header, error);
	if (status == GSYM_OK && !gsym_elf_edit_read(&s->header, &s->from))
		status = gsym_fail_memory(error);
	s->out.swap = s->names.swap = s->header.swap;
	return status;
}

static void end(struct stub *s)
{
	gsym_vec_fini(&s->from);
	gsym_vec_fini(&s->to);
	gsym_emit_fini(&s->out);
	gsym_emit_fini(&s->names);
	free(s->map);
}

enum gsym_status gsym_elf_build_id(const uint8_t *elf, size_t elf_size,
				   const uint8_t **ret, size_t *ret_size,
				   struct gsym_error *error)
{
	struct stub s = { 0 };
	enum gsym_status status = start(&s, elf, elf_size, error);

	if (status == GSYM_OK && !find_build_id(&s, ret, ret_size))
		status = GSYM_NOT_FOUND;
	end(&s);
	return status;
}

/* ---- sections ------------------------------------------------------------ */

static const char *name_of(const struct stub *s,
			   const struct elfview_section *section)
{
	const struct elfview_section *names;
	uint64_t left;

	if (!s->header.names)
		return "";
	names = &s->from.items[s->header.names];
	if (!elfview_in_file(&s->header, names) || section->name >= names->size)
		return "";
	left = names->size - section->name;
	return memchr(s->bytes + names->offset + section->name, 0, left)
		? (const char *)s->bytes + names->offset + section->name
		: "";
}

bool gsym_elf_has_section(const uint8_t *elf, size_t elf_size, const char *name)
{
	struct stub s = { 0 };
	bool found = false;

	if (start(&s, elf, elf_size, NULL) == GSYM_OK)
		for (size_t i = 1; i < s.from.count && !found; i++)
			found = elfview_in_file(&s.header, &s.from.items[i]) &&
				!strcmp(name_of(&s, &s.from.items[i]), name);
	end(&s);
	return found;
}

/* Add SECTION, called NAME; its number, 0 without memory. */
static uint16_t add(struct stub *s, struct elfview_section section,
		    const char *name)
{
	struct elfview_section *place = gsym_vec_push(&s->to);

	if (!place)
		return 0;
	section.name = (uint32_t)s->names.size;
	gsym_emit_bytes(&s->names, name, strlen(name) + 1);
	*place = section;
	return (uint16_t)(s->to.count - 1);
}

/* Append SIZE bytes of a section, which is told where they are. */
static void put_bytes(struct stub *s, struct elfview_section *section,
		      const void *bytes, size_t size)
{
	gsym_emit_align(&s->out, section->align == 8 ? 8 : 4);
	section->offset = s->out.size;
	section->size = size;
	if (size)
		gsym_emit_bytes(&s->out, bytes, size);
}

/* The sections of the running program: those with notes as they are, of the
 * others the headers. */
static bool put_loaded(struct stub *s)
{
	for (size_t i = 1; i < s->from.count; i++) {
		struct elfview_section section = s->from.items[i];
		const char *name = name_of(s, &section);

		if (!(section.flags & SHF_ALLOC))
			continue;
		section.link = section.info = 0;
		/* Headers that share their bytes must not multiply them. */
		if (section.type == SHT_NOTE &&
		    elfview_in_file(&s->header, &section) &&
		    s->out.size <= s->size) {
			put_bytes(s, &section, s->bytes + section.offset,
				  (size_t)section.size);
		} else {
			section.type = SHT_NOBITS;
			section.flags &= ~(uint64_t)(SHF_COMPRESSED |
						     SHF_LINK_ORDER |
						     SHF_GROUP | SHF_INFO_LINK);
			section.offset = s->out.size;
		}
		s->map[i] = add(s, section, name);
		if (!s->map[i])
			return false;
	}
	return true;
}

/* A section with a note that is a build ID. */
static bool put_id(struct stub *s, const uint8_t *id, size_t size)
{
	struct elfview_section section = {
		.type = SHT_NOTE, .flags = SHF_ALLOC, .align = 4,
	};
	struct gsym_emit note = { .swap = s->header.swap };
	bool fine;

	gsym_emit_u32(&note, 4);
	gsym_emit_u32(&note, (uint32_t)size);
	gsym_emit_u32(&note, NT_GNU_BUILD_ID);
	gsym_emit_bytes(&note, "GNU", 4);
	gsym_emit_bytes(&note, id, size);
	gsym_emit_align(&note, 4);
	put_bytes(s, &section, note.data, note.size);
	fine = !note.failed && add(s, section, ".note.gnu.build-id");
	gsym_emit_fini(&note);
	return fine;
}

/* A note of its own for a build ID that no section has. */
static bool put_build_id(struct stub *s)
{
	const uint8_t *id;
	size_t size;

	for (size_t i = 1; i < s->to.count; i++) {
		const struct elfview_section *n = &s->to.items[i];

		if (n->type == SHT_NOTE &&
		    gsym_elf_search_notes(s->out.data + n->offset, n->size,
					  n->align, s->header.swap, &id, &size))
			return true;
	}
	if (!find_build_id(s, &id, &size) || size > MAX_ID)
		return true;
	return put_id(s, id, size);
}

/* ---- symbols ------------------------------------------------------------- */

/* The symbol table to take; NULL if there is none with its strings. */
static const struct elfview_section *find_symbols(const struct stub *s)
{
	const struct elfview_section *found = NULL;

	for (size_t i = 1; i < s->from.count; i++) {
		const struct elfview_section *section = &s->from.items[i];

		if ((section->type != SHT_SYMTAB &&
		     (section->type != SHT_DYNSYM || found)) ||
		    !elfview_in_file(&s->header, section) ||
		    section->entry_size != (s->header.wide ? 24 : 16) ||
		    !section->link || section->link >= s->from.count ||
		    !elfview_in_file(&s->header, &s->from.items[section->link]))
			continue;
		found = section;
		if (section->type == SHT_SYMTAB)
			break;
	}
	return found;
}

/* Append to OUT those of the symbols of TABLE that lie in a section that is
 * kept, or in none at all; *LOCALS becomes the number of the first one that
 * is not local. */
static void copy_symbols(struct stub *s, const struct elfview_section *table,
			 struct gsym_emit *out, uint32_t *locals)
{
	const uint8_t *from = s->bytes + table->offset;
	size_t size = s->header.wide ? 24 : 16;
	size_t at = s->header.wide ? 6 : 14; /* of the section's number */
	size_t info = s->header.wide ? 4 : 12;
	static const uint8_t none[24];
	uint32_t count = 1;

	gsym_emit_bytes(out, none, size);
	*locals = 1;
	for (uint64_t i = 1; i < table->size / size; i++) {
		const uint8_t *symbol = from + i * size;
		uint16_t section = gsym_load_u16(symbol + at, s->header.swap);
		uint8_t *copy;

		if (section == SHN_UNDEF || section == SHN_XINDEX ||
		    section == SHN_COMMON ||
		    (section < SHN_LORESERVE && (section >= s->from.count ||
						 !s->map[section])))
			continue;
		copy = gsym_emit_reserve(out, size);
		if (!copy)
			return;
		memcpy(copy, symbol, size);
		if (section < SHN_LORESERVE)
			gsym_store_u16(copy + at, s->map[section],
				       s->header.swap);
		count++;
		if (symbol[info] >> 4 == STB_LOCAL)
			*locals = count;
	}
}

static bool put_symbols(struct stub *s)
{
	const struct elfview_section *table = find_symbols(s), *strings;
	struct elfview_section section = { .type = SHT_SYMTAB };
	struct gsym_emit symbols = { .swap = s->header.swap };
	bool fine;

	if (!table)
		return true;
	strings = &s->from.items[table->link];
	copy_symbols(s, table, &symbols, &section.info);
	section.align = s->header.wide ? 8 : 4;
	section.entry_size = table->entry_size;
	section.link = (uint32_t)s->to.count + 1;
	fine = !symbols.failed;
	if (fine)
		put_bytes(s, &section, symbols.data, symbols.size);
	gsym_emit_fini(&symbols);
	if (!fine || !add(s, section, ".symtab"))
		return false;
	section = (struct elfview_section){ .type = SHT_STRTAB, .align = 1 };
	put_bytes(s, &section, s->bytes + strings->offset,
		  (size_t)strings->size);
	return add(s, section, ".strtab");
}

/* ---- the whole ----------------------------------------------------------- */

/* The file header, without program headers. */
static void put_header(struct stub *s)
{
	size_t size = s->header.wide ? 64 : 52;
	uint8_t *header = gsym_emit_reserve(&s->out, size);

	if (!header)
		return;
	memcpy(header, s->bytes, size);
	/* Their place, entry size and number. */
	if (s->header.wide)
		memset(header + 32, 0, 8);
	else
		memset(header + 28, 0, 4);
	memset(header + (s->header.wide ? 54 : 42), 0, 4);
}

/* The section that is none, and the last one, of the names. */
static bool put_first(struct stub *s)
{
	if (!gsym_vec_reserve(&s->to, 1))
		return false;
	s->to.items[s->to.count++] = (struct elfview_section){ 0 };
	gsym_emit_u8(&s->names, 0);
	return true;
}

static bool put_names(struct stub *s)
{
	struct elfview_section names = { .type = SHT_STRTAB, .align = 1 };

	if (!add(s, names, ".shstrtab") || s->names.failed)
		return false;
	put_bytes(s, &s->to.items[s->to.count - 1], s->names.data,
		  s->names.size);
	return !s->out.failed;
}

static bool put_all(struct stub *s)
{
	s->map = calloc(s->from.count + 1, sizeof(*s->map));
	if (!s->map || !put_first(s))
		return false;
	put_header(s);
	return put_loaded(s) && put_build_id(s) && put_symbols(s) &&
	       put_names(s);
}

/* Hand the file over, if all of it could be made. */
static enum gsym_status finish(struct stub *s, bool made, uint8_t **ret,
			       size_t *ret_size, struct gsym_error *error)
{
	enum gsym_status status;

	if (!made)
		return gsym_fail_memory(error);
	status = gsym_elf_edit_write(&s->out, &s->header, &s->to,
				     s->to.count - 1, error);
	if (status == GSYM_OK) {
		*ret = s->out.data;
		*ret_size = s->out.size;
		s->out = (struct gsym_emit){ 0 };
	}
	return status;
}

enum gsym_status gsym_elf_stub(const uint8_t *elf, size_t elf_size,
			       uint8_t **ret, size_t *ret_size,
			       struct gsym_error *error)
{
	struct stub s = { 0 };
	enum gsym_status status = start(&s, elf, elf_size, error);

	if (status == GSYM_OK && s.from.count >= SHN_LORESERVE - 8)
		status = gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				   "elf file of more than 65,271 sections");
	if (status == GSYM_OK)
		status = finish(&s, put_all(&s), ret, ret_size, error);
	end(&s);
	return status;
}

/* ---- without a program ---------------------------------------------------- */

static void put_new_header(struct stub *s)
{
	const struct elfview *h = &s->header;
	unsigned word = h->wide ? 8 : 4;
	bool big = h->swap != GSYM_HOST_BIG_ENDIAN;
	const uint8_t ident[EI_NIDENT] = {
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
		h->wide ? ELFCLASS64 : ELFCLASS32,
		big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT,
	};

	gsym_emit_bytes(&s->out, ident, sizeof(ident));
	gsym_emit_u16(&s->out, h->type);
	gsym_emit_u16(&s->out, h->machine);
	gsym_emit_u32(&s->out, EV_CURRENT);
	for (int i = 0; i < 3; i++) /* entry and the tables */
		gsym_emit_uint(&s->out, 0, word);
	gsym_emit_u32(&s->out, 0); /* flags */
	gsym_emit_u16(&s->out, h->wide ? 64 : 52);
	gsym_emit_u32(&s->out, 0); /* no program headers */
	gsym_emit_u16(&s->out, h->wide ? 64 : 40);
	gsym_emit_u32(&s->out, 0); /* sections are not there yet */
}

enum gsym_status gsym_elf_bare_stub(const char *architecture, const uint8_t *id,
				    size_t id_size, uint8_t **ret,
				    size_t *ret_size, struct gsym_error *error)
{
	struct stub s = { 0 };
	enum gsym_status status;

	if (!architecture || !id || !id_size || id_size > MAX_ID)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "architecture or build id is missing");
	if (!gsym_elf_header_for(architecture, &s.header))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "no elf files are known for '%.40s'",
				 architecture);
	s.out.swap = s.names.swap = s.header.swap;
	put_new_header(&s);
	status = finish(&s, put_first(&s) && put_id(&s, id, id_size) &&
				    put_names(&s), ret, ret_size, error);
	end(&s);
	return status;
}
