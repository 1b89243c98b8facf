/* SPDX-License-Identifier: MIT */
/* Makes ELF files that have the headers, notes and symbols of a program, but
 * not its contents. */
#include "elf/elf.h"

#include "base/error.h"

#include <gsym/program.h>

#include <stdlib.h>

enum { MAX_ID = 1024 };

struct stub {
	struct elfview view; /* the file with the symbols */
	/* A file with the program headers of the program; NULL: none. */
	const struct elfview *program;
	struct elfview_strings section_names;
	struct elf_edit_table from;
	struct elf_edit_table to;
	/* For each section of FROM its number in TO; 0: left out. */
	uint16_t *map;
	/* The note with the build ID, and the place of its program header in
	 * OUT. */
	struct elfview_section id_note;
	size_t id_header;
	struct gsym_emit out;
	struct gsym_emit names; /* names of the sections of TO */
};

static void end(struct stub *s)
{
	gsym_vec_fini(&s->from);
	gsym_vec_fini(&s->to);
	gsym_emit_fini(&s->out);
	gsym_emit_fini(&s->names);
	free(s->map);
}

/* ---- sections ------------------------------------------------------------ */

/* Add SECTION, called NAME.  Returns its number, or 0 without memory. */
static uint16_t add(struct stub *s, struct elfview_section section,
		    const char *name)
{
	section.name = (uint32_t)s->names.size;
	gsym_emit_bytes(&s->names, name, strlen(name));
	gsym_emit_u8(&s->names, 0);
	return gsym_vec_add(&s->to, section) ? (uint16_t)(s->to.count - 1) : 0;
}

/* Append the SIZE bytes of SECTION, and set its offset and size. */
static void put_bytes(struct stub *s, struct elfview_section *section,
		      const void *bytes, size_t size)
{
	gsym_emit_align(&s->out, section->align == 8 ? 8 : 4);
	section->offset = s->out.size;
	section->size = size;
	if (size)
		gsym_emit_bytes(&s->out, bytes, size);
}

/* If SECTION, whose notes are the last bytes, has the build ID: let its program
 * header alone say that it has notes.  Profilers find the build ID there.
 * Debuggers look at sections alone: to them a stub with a build ID is the debug
 * file, and they would not search for the one with debug info. */
static void hide_id(struct stub *s, struct elfview_section *section)
{
	const uint8_t *id;
	size_t size;

	if (s->out.failed ||
	    !gsym_elfview_search_notes(s->out.data + section->offset,
				       section->size, section->align,
				       s->view.swap, &id, &size))
		return;
	section->type = SHT_PROGBITS;
	if (!s->id_note.size)
		s->id_note = *section;
}

/* Add the loaded sections: notes with their bytes, others without. */
static bool put_loaded(struct stub *s)
{
	bool stub = gsym_elf_is_stub(s->view.bytes, s->view.size);

	for (size_t i = 1; i < s->from.count; i++) {
		struct elfview_section section = s->from.items[i];
		const char *name =
			elfview_string(&s->section_names, section.name);

		if (!(section.flags & ELFVIEW_ALLOC))
			continue;
		section.link = section.info = 0;
		/* Many headers may share their bytes: stop copying when the
		 * stub is as large as the file. */
		if ((section.type == ELFVIEW_NOTE ||
		     (stub && section.type == SHT_PROGBITS)) &&
		    elfview_in_file(&s->view, &section) &&
		    s->out.size <= s->view.size) {
			put_bytes(s, &section, s->view.bytes + section.offset,
				  (size_t)section.size);
			hide_id(s, &section);
		} else {
			section.type = ELFVIEW_NOBITS;
			section.flags &= ~(uint64_t)(ELFVIEW_COMPRESSED |
						     SHF_LINK_ORDER |
						     SHF_GROUP | SHF_INFO_LINK);
			section.offset = s->out.size;
		}
		s->map[i] = add(s, section, name ? name : "");
		if (!s->map[i])
			return false;
	}
	return true;
}

/* Add the section NAME with a note that is WHAT and holds the SIZE bytes at
 * CONTENTS. */
static bool put_note(struct stub *s, const char *name, struct elfview_note what,
		     const uint8_t *contents, size_t size)
{
	struct elfview_section section = {
		.type = ELFVIEW_NOTE,
		.flags = ELFVIEW_ALLOC,
		.align = 4,
	};
	struct gsym_emit note = { .swap = s->view.swap };
	bool fine;

	gsym_emit_u32(&note, (uint32_t)strlen(what.owner) + 1);
	gsym_emit_u32(&note, (uint32_t)size);
	gsym_emit_u32(&note, what.type);
	gsym_emit_bytes(&note, what.owner, strlen(what.owner) + 1);
	gsym_emit_align(&note, 4);
	gsym_emit_bytes(&note, contents, size);
	gsym_emit_align(&note, 4);
	put_bytes(s, &section, note.data, note.size);
	hide_id(s, &section);
	fine = !note.failed && add(s, section, name);
	gsym_emit_fini(&note);
	return fine;
}

/* Add a section with a note that holds the build ID. */
static bool put_id(struct stub *s, const uint8_t *id, size_t size)
{
	return put_note(s, ".note.gnu.build-id",
			(struct elfview_note){ "GNU", NT_GNU_BUILD_ID }, id,
			size);
}

/* Add the release of a kernel, which stands in bytes that a stub lacks. */
static bool put_release(struct stub *s)
{
	const uint8_t *release;
	size_t size;

	return !gsym_elfview_banner(&s->view, &release, &size) ||
	       put_note(s, ".note.gsym.release", ELFVIEW_RELEASE, release,
			size);
}

/* Add the build ID if none of the notes that were copied has it. */
static bool put_build_id(struct stub *s)
{
	const uint8_t *id;
	size_t size;

	if (s->id_note.size || !gsym_elfview_build_id(&s->view, &id, &size) ||
	    size > MAX_ID)
		return true;
	return put_id(s, id, size);
}

/* ---- symbols ------------------------------------------------------------- */

/* Append to OUT the symbols of T that are absolute or lie in a section of the
 * stub.  *LOCALS becomes the number of the first symbol after all local ones
 * (sh_info). */
static void copy_symbols(struct stub *s, const struct elfview_table *t,
			 struct gsym_emit *out, uint32_t *locals)
{
	const struct elfview *v = &s->view;
	size_t size = elfview_symbol_size(v);
	size_t at = v->wide ? 6 : 14; /* of st_shndx */
	static const uint8_t none[24];
	uint32_t count = 1;

	gsym_emit_bytes(out, none, size);
	*locals = 1;
	for (size_t i = 1; i < t->count; i++) {
		struct elfview_symbol symbol = elfview_entry(v, t, i);
		bool special = symbol.section >= ELFVIEW_RESERVED;
		uint8_t *copy;

		if (symbol.section == SHN_UNDEF ||
		    symbol.section == ELFVIEW_EXTENDED ||
		    symbol.section == SHN_COMMON ||
		    (!special && (symbol.section >= s->from.count ||
				  !s->map[symbol.section])))
			continue;
		copy = gsym_emit_reserve(out, size);
		if (!copy)
			return;
		memcpy(copy, t->bytes + i * t->entry_size, size);
		if (!special)
			gsym_store_u16(copy + at, s->map[symbol.section],
				       v->swap);
		count++;
		if (symbol.info >> 4 == STB_LOCAL)
			*locals = count;
	}
}

/* Copy the symbol table and its strings: .symtab, else .dynsym. */
static bool put_symbols(struct stub *s)
{
	struct elfview_section section = { .type = ELFVIEW_SYMTAB };
	struct gsym_emit symbols = { .swap = s->view.swap };
	struct elfview_table t;
	bool fine;

	if (!gsym_elfview_table(&s->view, ELFVIEW_SYMTAB, &t) &&
	    !gsym_elfview_table(&s->view, ELFVIEW_DYNSYM, &t))
		return true;
	copy_symbols(s, &t, &symbols, &section.info);
	section.align = elfview_word(&s->view);
	section.entry_size = elfview_symbol_size(&s->view);
	section.link = (uint32_t)s->to.count + 1;
	fine = !symbols.failed;
	if (fine)
		put_bytes(s, &section, symbols.data, symbols.size);
	gsym_emit_fini(&symbols);
	if (!fine || !add(s, section, ".symtab"))
		return false;
	section = (struct elfview_section){ .type = SHT_STRTAB, .align = 1 };
	put_bytes(s, &section, t.strings.bytes, (size_t)t.strings.limit);
	return add(s, section, ".strtab");
}

/* ---- the whole ----------------------------------------------------------- */

/* Whether V has the program headers of its program, and no more of them than
 * the file header has room for. */
static bool is_program(const struct elfview *v)
{
	return v->segment_count < PN_XNUM - 3 && gsym_elfview_is_program(v);
}

/* Append a program header of TYPE, all other fields of which are 0. */
static void put_mark(struct stub *s, uint32_t type)
{
	size_t size = elfview_segment_size(&s->view);
	uint8_t *mark = gsym_emit_reserve(&s->out, size);

	if (!mark)
		return;
	memset(mark, 0, size);
	gsym_store_u32(mark, type, s->view.swap);
}

/* Append the program headers of the program, without those of notes, which lie
 * elsewhere in the stub; one that says whose they are; one that says that this
 * is a stub; and that of the build ID.  Returns their number. */
static uint16_t put_segments(struct stub *s)
{
	const struct elfview *v = s->program;
	size_t size = elfview_segment_size(&s->view);
	uint16_t count = 0;

	for (uint64_t i = 0; v && i < v->segment_count; i++) {
		const uint8_t *from =
			v->bytes + v->segment_table + i * v->segment_stride;
		uint32_t type = gsym_load_u32(from, v->swap);

		if (type == ELFVIEW_OF_PROGRAM || type == ELFVIEW_OF_STUB ||
		    type == ELFVIEW_NOTES)
			continue;
		gsym_emit_bytes(&s->out, from, size);
		count++;
	}
	if (count) {
		put_mark(s, ELFVIEW_OF_PROGRAM);
		count++;
	}
	put_mark(s, ELFVIEW_OF_STUB);
	s->id_header = s->out.size;
	put_mark(s, ELFVIEW_NOTES);
	return (uint16_t)(count + 2);
}

/* Append the program headers, and say in the file header where they are.  They
 * have the file offsets of the program: profilers compute addresses from
 * them. */
static void put_program_headers(struct stub *s)
{
	const struct elfview *v = &s->view;
	size_t size = s->out.size;
	uint16_t count = put_segments(s);
	uint8_t *header = s->out.data;

	if (s->out.failed)
		return;
	if (v->wide)
		gsym_store_u64(header + 32, size, v->swap);
	else
		gsym_store_u32(header + 28, (uint32_t)size, v->swap);
	gsym_store_u16(header + (v->wide ? 54 : 42),
		       (uint16_t)elfview_segment_size(v), v->swap);
	gsym_store_u16(header + (v->wide ? 56 : 44), count, v->swap);
}

/* Fill in the program header of the build ID. */
static void point_to_id(struct stub *s)
{
	const struct elfview_section *n = &s->id_note;
	bool wide = s->view.wide;
	uint8_t *header = s->out.data + s->id_header;
	uint64_t fields[] = { n->offset, n->address, n->address,
			      n->size,	 n->size,    n->align };
	size_t word = elfview_word(&s->view), at = wide ? 8 : 4;

	for (size_t i = 0; i < 6; i++, at += word) {
		if (wide) {
			gsym_store_u64(header + at, fields[i], s->view.swap);
			continue;
		}
		if (i == 5)
			at += word; /* p_flags */
		gsym_store_u32(header + at, (uint32_t)fields[i], s->view.swap);
	}
}

/* The file header, and the program headers. */
static void put_header(struct stub *s)
{
	gsym_emit_bytes(&s->out, s->view.bytes, s->view.wide ? 64 : 52);
	put_program_headers(s);
}

/* An empty section .debug_line.  perf asks addr2line about no file without
 * one. */
static bool put_line_section(struct stub *s)
{
	struct elfview_section section = { .type = SHT_PROGBITS, .align = 1 };

	section.offset = s->out.size;
	return add(s, section, ".debug_line");
}

/* Section header 0, and the empty name. */
static bool put_first(struct stub *s)
{
	gsym_emit_u8(&s->names, 0);
	return gsym_vec_add(&s->to, (struct elfview_section){ 0 });
}

/* The last section, which has the sections' names. */
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
	if (!gsym_elf_edit_read(&s->view, &s->from))
		return false;
	s->section_names = elfview_names(&s->view);
	s->map = calloc(s->from.count + 1, sizeof(*s->map));
	if (!s->map || !put_first(s))
		return false;
	put_header(s);
	return put_loaded(s) && put_build_id(s) && put_release(s) &&
	       put_symbols(s) && put_line_section(s) && put_names(s);
}

/* Append the section headers and store the file in *RET.  MADE is false if
 * memory ran out before. */
static enum gsym_status finish(struct stub *s, bool made, uint8_t **ret,
			       size_t *ret_size, struct gsym_error *error)
{
	enum gsym_status status;

	if (!made)
		return gsym_fail_memory(error);
	point_to_id(s);
	status = gsym_elf_edit_write(&s->out, &s->view, &s->to, s->to.count - 1,
				     error);
	if (status == GSYM_OK) {
		*ret = s->out.data;
		*ret_size = s->out.size;
		s->out = (struct gsym_emit){ 0 };
	}
	return status;
}

/* Use the program headers of PROGRAM, the SIZE bytes at ELF, for S if they are
 * those of a program. */
static void use_program(struct stub *s, struct elfview *program,
			const uint8_t *elf, size_t size)
{
	if (elf && gsym_elfview_open(elf, size, program, NULL) == GSYM_OK &&
	    program->wide == s->view.wide && program->swap == s->view.swap &&
	    program->machine == s->view.machine && is_program(program))
		s->program = program;
}

enum gsym_status gsym_elf_stub(const uint8_t *elf, size_t elf_size,
			       const uint8_t *program, size_t program_size,
			       uint8_t **ret, size_t *ret_size,
			       struct gsym_error *error)
{
	struct stub s = { .map = NULL };
	struct elfview headers;
	enum gsym_status status;

	if (!elf || !ret || !ret_size || (!program && program_size))
		return gsym_fail_argument(error);
	status = gsym_elf_read_header(elf, elf_size, &s.view, error);
	if (status != GSYM_OK)
		return status;
	/* Up to six sections are added, so a few numbers are kept free. */
	if (s.view.section_count >= ELFVIEW_RESERVED - 8)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "elf file of more than 65,271 sections");
	use_program(&s, &headers, program, program_size);
	s.out.swap = s.names.swap = s.view.swap;
	status = finish(&s, put_all(&s), ret, ret_size, error);
	end(&s);
	return status;
}

bool gsym_elf_is_program(const uint8_t *elf, size_t elf_size)
{
	struct elfview view;

	return elf &&
	       gsym_elfview_open(elf, elf_size, &view, NULL) == GSYM_OK &&
	       is_program(&view);
}

/* ---- without a program --------------------------------------------------- */

static void put_new_header(struct stub *s)
{
	const struct elfview *v = &s->view;
	bool big = v->swap != GSYM_HOST_BIG_ENDIAN;
	const uint8_t ident[EI_NIDENT] = {
		0x7f, 'E', 'L', 'F',
		v->wide ? ELFCLASS64 : ELFCLASS32,
		big ? ELFDATA2MSB : ELFDATA2LSB,
		EV_CURRENT,
	};

	gsym_emit_bytes(&s->out, ident, sizeof(ident));
	gsym_emit_u16(&s->out, v->type);
	gsym_emit_u16(&s->out, v->machine);
	gsym_emit_u32(&s->out, EV_CURRENT);
	for (int i = 0; i < 3; i++) /* entry, program and section headers */
		gsym_emit_uint(&s->out, 0, elfview_word(v));
	gsym_emit_u32(&s->out, 0); /* flags */
	gsym_emit_u16(&s->out, v->wide ? 64 : 52);
	gsym_emit_u32(&s->out, 0); /* size and number of program headers */
	gsym_emit_u16(&s->out, (uint16_t)elfview_section_size(v));
	gsym_emit_u32(&s->out, 0); /* finish() fills in the sections */
	put_program_headers(s);
}

enum gsym_status gsym_elf_bare_stub(const char *architecture, const uint8_t *id,
				    size_t id_size, uint8_t **ret,
				    size_t *ret_size, struct gsym_error *error)
{
	struct stub s = { .map = NULL };
	enum gsym_status status;

	if (!ret || !ret_size)
		return gsym_fail_argument(error);
	if (!architecture || !id || !id_size || id_size > MAX_ID)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "architecture or build id is missing");
	if (!gsym_elf_header_for(architecture, &s.view))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "no elf files are known for '%.40s'",
				 architecture);
	s.out.swap = s.names.swap = s.view.swap;
	put_new_header(&s);
	status = finish(&s,
			put_first(&s) && put_id(&s, id, id_size) &&
				put_line_section(&s) && put_names(&s),
			ret, ret_size, error);
	end(&s);
	return status;
}
