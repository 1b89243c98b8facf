/* SPDX-License-Identifier: MIT */
/* Loads a Plan 9 program (a.out) as a container, and reads its symbol
 * tables. */
#include "aout/aout.h"

#include "base/error.h"
#include "container/input.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	HEADER_SIZE = 32,
	/* A flag in the magic number: the header has 8 more bytes. */
	EXPANDED = 0x8000,
	/* Numbers of sections. */
	TEXT = 0,
	DATA = 1,
	BSS = 2,
	SYMBOLS = 3,
};

static const struct machine {
	uint32_t magic;
	const char *name;
	uint8_t address_size;
	/* The address of the header, which is followed by the text. */
	uint32_t base;
	/* The alignment of the data. */
	uint32_t page;
} machines[] = {
	{ 0x01eb, "i386", 4, 0x1000, 0x1000 },
	{ 0x8a97, "x86_64", 8, 0x200000, 0x200000 },
	{ 0x0647, "arm", 4, 0x1000, 0x1000 },
	{ 0x8c47, "aarch64", 8, 0x10000, 0x10000 },
};

/* A file, and the fields of its header. */
struct aout_file {
	const uint8_t *bytes;
	size_t size;
	const struct machine *machine;
	uint64_t header_size;
	uint32_t text, data, bss, symbols, stack, lines;
	uint64_t entry;
	struct gsym_container *container;
};

static const struct machine *find_machine(const uint8_t *bytes, size_t size)
{
	uint32_t magic = size >= 4 ? gsym_load_u32(bytes, !GSYM_HOST_BIG_ENDIAN)
				   : 0;

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].magic == magic)
			return &machines[i];
	return NULL;
}

static bool matches(const uint8_t *bytes, size_t size)
{
	return size >= HEADER_SIZE && find_machine(bytes, size);
}

/* ---- sections --------------------------------------------------------- */

/* Append the section of SIZE bytes at OFFSET, or of as many as the file has.  A
 * section with ADDRESS 0 is not loaded.  False without memory. */
static bool put_section(struct aout_file *file, const char *name,
			uint64_t address, uint64_t offset, uint64_t size)
{
	struct gsym_container *c = file->container;
	uint64_t left = offset < file->size ? file->size - offset : 0;
	struct gsym_container_section s = {
		.name = name,
		.address = address,
		.size = size,
		.file_offset = offset,
		.data_size = size < left ? size : left,
		.loaded = address,
	};

	if (size > left)
		gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
				    "%s: 0x%" PRIx64 " bytes at 0x%" PRIx64
				    " reach beyond the end of the file",
				    name, size, offset);
	s.data = s.data_size ? file->bytes + offset : NULL;
	return gsym_vec_add(&c->sections, s);
}

/* Append the segment with the bytes of SECTION. */
static bool put_segment(struct aout_file *file, size_t section)
{
	const struct gsym_container_section *s =
		&file->container->sections.items[section];

	return gsym_container_add_segment(
		file->container,
		(struct gsym_segment){ .address = s->address,
				       .data_size = s->data_size,
				       .writable = section != TEXT,
				       .executable = section == TEXT },
		file->bytes, file->size, s->file_offset);
}

static bool read_sections(struct aout_file *file)
{
	struct gsym_container *c = file->container;
	const struct machine *m = file->machine;
	uint64_t text = m->base + file->header_size;
	uint64_t data = (text + file->text + m->page - 1) / m->page * m->page;
	const struct {
		const char *name;
		uint64_t address;
		uint32_t size, skip;
	} parts[] = {
		[TEXT] = { ".text", text, file->text, 0 },
		[DATA] = { ".data", data, file->data, 0 },
		[BSS] = { ".bss", data + file->data, 0, 0 },
		[SYMBOLS] = { GSYM_AOUT_SYMBOLS, 0, file->symbols,
			      file->stack },
		{ GSYM_AOUT_LINES, 0, file->lines, 0 },
	};
	uint64_t offset = file->header_size;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!put_section(file, parts[i].name, parts[i].address, offset,
				 parts[i].size))
			return false;
		offset += (uint64_t)parts[i].size + parts[i].skip;
	}
	c->sections.items[BSS].size = file->bss;
	c->sections.items[TEXT].executable = true;
	c->has_base = true;
	c->base = m->base;
	return put_segment(file, TEXT) && put_segment(file, DATA);
}

/* ---- symbols ---------------------------------------------------------- */

static bool put_symbol(struct gsym_container *c,
		       const struct plan9_symbol *from)
{
	bool is_static = from->kind >= 'a';
	struct gsym_symbol symbol = {
		.value = from->value,
		.binding = is_static ? GSYM_SYMBOL_LOCAL : GSYM_SYMBOL_GLOBAL,
	};
	size_t section;

	switch (from->kind) {
	case 'T':
	case 't':
	case 'L':
	case 'l':
		if (gsym_plan9_is_end(from))
			return true;
		symbol.type = GSYM_SYMBOL_FUNCTION;
		break;
	case 'D':
	case 'd':
	case 'B':
	case 'b':
		symbol.type = GSYM_SYMBOL_OBJECT;
		break;
	default:
		return true;
	}
	section = gsym_container_section_at(c, from->value, TEXT);
	if (section == SIZE_MAX)
		return true;
	symbol.section = gsym_symbol_home(section);
	/* The name ends: the symbol table is followed by a NUL. */
	symbol.name = (const char *)from->bytes;
	return gsym_vec_add(&c->symbols, symbol);
}

static bool read_symbols(struct aout_file *file)
{
	const struct gsym_container_section *s =
		&file->container->sections.items[SYMBOLS];
	struct gsym_plan9 tables = {
		.symbols = s->data,
		.symbol_size = (size_t)s->data_size,
		.dialect = file->machine->magic & EXPANDED ? PLAN9_64
							   : PLAN9_32,
	};
	struct plan9_symbol symbol;
	struct plan9_reader reader;

	file->container->symbol_bytes = s->data_size;
	if (!s->data_size || !gsym_plan9_open(&tables, &reader))
		return true;
	while (gsym_plan9_next(&reader, &symbol))
		if (!put_symbol(file->container, &symbol))
			return false;
	if (reader.cursor.failed)
		gsym_container_warn(file->container, GSYM_WARN_BAD_SYMBOL,
				    "symbols: damaged at 0x%" PRIx64,
				    s->file_offset +
					    gsym_cursor_offset(&reader.cursor));
	return true;
}

/* ---- opening ---------------------------------------------------------- */

static enum gsym_status read_header(struct aout_file *file,
				    struct gsym_error *error)
{
	struct gsym_cursor c = gsym_cursor_init(file->bytes, file->size,
						!GSYM_HOST_BIG_ENDIAN);

	file->machine = find_machine(file->bytes, file->size);
	if (!file->machine)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "no program of plan 9");
	gsym_cursor_skip(&c, 4);
	file->text = gsym_cursor_u32(&c);
	file->data = gsym_cursor_u32(&c);
	file->bss = gsym_cursor_u32(&c);
	file->symbols = gsym_cursor_u32(&c);
	file->entry = gsym_cursor_u32(&c);
	file->stack = gsym_cursor_u32(&c);
	file->lines = gsym_cursor_u32(&c);
	if (file->machine->magic & EXPANDED)
		file->entry = gsym_cursor_u64(&c);
	file->header_size = gsym_cursor_offset(&c);
	if (c.failed || file->text > gsym_cursor_left(&c))
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
				 "plan 9 header: 0x%x bytes of text at "
				 "0x%" PRIx64
				 " reach beyond the end of the file",
				 file->text, file->header_size);
	return GSYM_OK;
}

/* A table that is cut off or damaged is noted among the warnings, and read up
 * to there.  GSYM_ERR_CORRUPT: the text reaches beyond the end of the file. */
static enum gsym_status fill(struct gsym_container *c,
			     const struct gsym_load *from,
			     struct gsym_error *error)
{
	struct aout_file file = { .bytes = from->bytes,
				  .size = from->size,
				  .container = c };
	enum gsym_status status = read_header(&file, error);

	if (status != GSYM_OK)
		return status;
	snprintf(c->architecture, sizeof(c->architecture), "%s",
		 file.machine->name);
	c->address_size = file.machine->address_size;
	c->entry = file.entry;
	return read_sections(&file) && read_symbols(&file) &&
			       gsym_container_collect_text(c)
		       ? GSYM_OK
		       : gsym_fail_memory(error);
}

const struct gsym_input gsym_aout_input = {
	.format = GSYM_FORMAT_PLAN9,
	.name = "Plan 9",
	.matches = matches,
	.fill = fill,
};

/* ---- symbol tables ------------------------------------------------------ */

/* In all dialects of Go. */

/* The first bytes of symbol tables of Go 1.0 and 1.1. */
static const uint8_t go_1_0_little[] = { 0xfe, 0xff, 0xff, 0xff, 0, 0 };
static const uint8_t go_1_1_little[] = { 0xfd, 0xff, 0xff, 0xff, 0, 0, 0 };
static const uint8_t go_1_1_big[] = { 0xff, 0xff, 0xff, 0xfd, 0, 0, 0 };

/* Read a path: pairs of bytes up to one of zeros. */
static void read_path(struct gsym_cursor *c, struct plan9_symbol *s)
{
	gsym_cursor_skip(c, 1);
	s->bytes = c->at;
	for (s->count = 0;; s->count++) {
		const uint8_t *pair = gsym_cursor_bytes(c, 2);

		if (!pair || (!pair[0] && !pair[1]))
			return;
	}
}

static void read_name(struct gsym_cursor *c, struct plan9_symbol *s)
{
	if (s->kind == 'z' || s->kind == 'Z') {
		read_path(c, s);
		return;
	}
	s->bytes = (const uint8_t *)gsym_cursor_string(c);
	s->count = c->failed ? 0 : (size_t)(c->at - s->bytes) - 1;
}

/* Read a symbol of Go 1.1, whose first byte has its kind and tells which fields
 * follow. */
static bool read_go_1_1(struct plan9_reader *r, struct plan9_symbol *s)
{
	enum { FIXED = 0x40, TYPED = 0x80, KIND = 0x3f };
	struct gsym_cursor *c = &r->cursor;
	uint8_t first = gsym_cursor_u8(c);
	unsigned kind = first & KIND;

	if (kind >= 52)
		return false;
	s->kind = (char)(kind < 26 ? 'A' + kind : 'a' + (kind - 26));
	s->value = first & FIXED ? gsym_cursor_uint(c, r->pointer_size)
				 : gsym_cursor_uleb(c);
	if (first & TYPED)
		gsym_cursor_skip(c, r->pointer_size);
	read_name(c, s);
	return !c->failed;
}

static bool is_name(const struct plan9_symbol *s, const char *name)
{
	return s->count == strlen(name) && !memcmp(s->bytes, name, s->count);
}

bool gsym_plan9_is_end(const struct plan9_symbol *s)
{
	return is_name(s, "etext") || is_name(s, "runtime.etext") ||
	       is_name(s, "runtime\302\267etext");
}

static bool is_kind(char kind)
{
	return kind && strchr("TtLlDdBbRrUMGgfzZmpa", kind);
}

bool gsym_plan9_next(struct plan9_reader *r, struct plan9_symbol *s)
{
	struct gsym_cursor *c = &r->cursor;
	uint8_t kind;

	if (c->failed || !gsym_cursor_left(c))
		return false;
	if (r->dialect == PLAN9_GO_1_1)
		return read_go_1_1(r, s);
	s->value = r->dialect == PLAN9_64 ? gsym_cursor_u64(c)
					  : gsym_cursor_u32(c);
	kind = gsym_cursor_u8(c);
	s->kind = (char)(kind & 0x7f);
	if (!(kind & 0x80) || !is_kind(s->kind)) {
		gsym_cursor_fail(c);
		return false;
	}
	read_name(c, s);
	if (r->dialect == PLAN9_2008)
		gsym_cursor_string(c);
	else if (r->dialect == PLAN9_GO_1_0 ||
		 r->dialect == PLAN9_GO_1_0_LITTLE)
		gsym_cursor_skip(c, 4);
	return !c->failed;
}

static void begin_symbols(const struct gsym_plan9 *p,
			  enum plan9_dialect dialect, struct plan9_reader *r)
{
	bool big = dialect != PLAN9_GO_1_0_LITTLE;

	*r = (struct plan9_reader){
		.cursor = gsym_cursor_init(p->symbols, p->symbol_size,
					   big != GSYM_HOST_BIG_ENDIAN),
		.dialect = dialect,
	};
	if (dialect == PLAN9_GO_1_0_LITTLE)
		gsym_cursor_skip(&r->cursor, sizeof(go_1_0_little));
}

static bool begins_with(const struct gsym_plan9 *p, const uint8_t *bytes,
			size_t size)
{
	return p->symbol_size > size && !memcmp(p->symbols, bytes, size);
}

bool gsym_plan9_open(const struct gsym_plan9 *p, struct plan9_reader *r)
{
	static const enum plan9_dialect all[] = { PLAN9_2008, PLAN9_GO_1_0,
						  PLAN9_32, PLAN9_64 };
	bool big = begins_with(p, go_1_1_big, sizeof(go_1_1_big));

	if (p->dialect != PLAN9_ANY) {
		begin_symbols(p, p->dialect, r);
		return true;
	}
	if (begins_with(p, go_1_0_little, sizeof(go_1_0_little))) {
		begin_symbols(p, PLAN9_GO_1_0_LITTLE, r);
		return true;
	}
	if (big || begins_with(p, go_1_1_little, sizeof(go_1_1_little))) {
		begin_symbols(p, PLAN9_GO_1_1, r);
		r->cursor.swap = big != GSYM_HOST_BIG_ENDIAN;
		gsym_cursor_skip(&r->cursor, 7);
		r->pointer_size = gsym_cursor_u8(&r->cursor);
		return r->pointer_size == 4 || r->pointer_size == 8;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct plan9_symbol symbol;

		begin_symbols(p, all[i], r);
		while (gsym_plan9_next(r, &symbol))
			;
		if (!r->cursor.failed && !gsym_cursor_left(&r->cursor)) {
			begin_symbols(p, all[i], r);
			return true;
		}
	}
	return false;
}
