/* SPDX-License-Identifier: MIT */
/*
 * The symbol table, and the debug map in it.  Symbols of Mach-O have no size:
 * each reaches to the next symbol, or to the end of its section.  If the linker
 * left a list of all functions (LC_FUNCTION_STARTS), a symbol also ends at the
 * next of them, so that it does not cover functions whose symbols were
 * stripped.
 */
#include "macho/macho.h"

#include "base/order.h"

#include <inttypes.h>

enum { STUB_NAME_LIMIT = 8 };

struct starts { GSYM_VEC(uint64_t); };

struct gsym_cursor gsym_macho_piece(const struct macho_file *file,
				    struct macho_piece piece, size_t size,
				    const char *name)
{
	struct gsym_cursor c = gsym_machoview_piece(&file->view, piece, size);

	if (piece.count && !gsym_cursor_left(&c))
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "%s: 0x%" PRIx64
				    " bytes at 0x%x reach beyond the end of "
				    "the file",
				    name, (uint64_t)piece.count * size,
				    piece.offset);
	return c;
}

static struct macho_symbols find_table(const struct macho_file *file)
{
	return gsym_machoview_symbols(
		&file->view,
		gsym_macho_piece(file, file->view.symbols,
				 file->view.wide ? 16 : 12, "symbol table"),
		gsym_macho_piece(file, file->view.strings, 1,
				 "strings of the symbol table"));
}

/* Read the addresses of all functions, ascending; false without memory. */
static bool read_starts(const struct macho_file *file, struct starts *ret)
{
	struct gsym_cursor c =
		gsym_macho_piece(file, file->view.starts, 1, "function starts");
	uint64_t bits = file->container->code_bit0 ? 1 : 0;
	uint64_t address = file->container->base;

	while (gsym_cursor_left(&c)) {
		uint64_t step = gsym_cursor_uleb(&c);

		if (c.failed || !step || step > UINT64_MAX - address)
			break;
		address += step;
		if (!gsym_vec_add(ret, address & ~bits))
			return false;
	}
	return true;
}

/* The first of STARTS that is above ADDRESS; 0 if there is none. */
static uint64_t start_above(const struct starts *starts, uint64_t address)
{
	size_t at = GSYM_FIRST(i, 0, starts->count, starts->items[i] > address);

	return at < starts->count ? starts->items[at] : 0;
}

static enum gsym_symbol_binding binding(const struct macho_symbol *s)
{
	if (!(s->type & N_EXT))
		return GSYM_SYMBOL_LOCAL;
	return s->description & N_WEAK_DEF ? GSYM_SYMBOL_WEAK
					   : GSYM_SYMBOL_GLOBAL;
}

/*
 * Whether S names a function or variable.  In objects, names that begin with
 * 'l' or 'L' are private to the assembler and the linker, which drops them
 * (names of C begin with '_').  Such a symbol still ends the one before it.
 */
static bool is_name(const struct macho_file *file, const struct macho_symbol *s)
{
	return file->view.type != MH_OBJECT ||
	       (s->name[0] != 'l' && s->name[0] != 'L');
}

static void put_symbol(struct macho_file *file, const struct macho_symbol *s,
		       const struct starts *starts)
{
	struct gsym_container *c = file->container;
	const struct gsym_container_section *section =
		&c->sections.items[s->section - 1];
	struct gsym_symbol symbol = {
		.name = s->name + (s->name[0] == '_'),
		.value = s->value,
		.section = s->section - 1u,
		.type = !is_name(file, s)	? GSYM_SYMBOL_OTHER
			: section->executable	? GSYM_SYMBOL_FUNCTION
						: GSYM_SYMBOL_OBJECT,
		.binding = binding(s),
	};

	/* Symbols of the Mach-O header name the first section, but lie before
	 * it. */
	if (s->value < section->address)
		return;
	if (section->executable && c->code_bit0)
		symbol.value &= ~(uint64_t)1;
	symbol.reach = gsym_symbol_reach(symbol.value,
					 start_above(starts, symbol.value));
	(void)gsym_vec_add(&c->symbols, symbol);
}

/* Append the symbols in sections. */
static bool read_table(struct macho_file *file)
{
	const struct macho_symbols *symbols = &file->symbols;
	struct gsym_container *c = file->container;
	struct starts starts = { 0 };
	size_t homeless = 0;
	size_t nameless = 0;
	bool ok = read_starts(file, &starts) &&
		  gsym_vec_reserve(&c->symbols, symbols->count);

	for (size_t i = 0; ok && i < symbols->count; i++) {
		struct macho_symbol s = gsym_machoview_symbol(symbols, i);

		if (!macho_is_place(&s))
			continue;
		if (!s.section || s.section > c->sections.count)
			homeless++;
		else if (!s.name)
			nameless++;
		else
			put_symbol(file, &s, &starts);
	}
	gsym_vec_fini(&starts);
	if (homeless)
		gsym_container_warn(c, GSYM_WARN_BAD_SYMBOL, "symbol table: "
				    "%zu symbols are in sections that do not "
				    "exist", homeless);
	if (nameless)
		gsym_container_warn(c, GSYM_WARN_BAD_SYMBOL, "symbol table: "
				    "%zu symbols have no name in the string "
				    "table", nameless);
	return ok;
}

/* ---- stubs ------------------------------------------------------------ */

/* How many entries of the indirect symbol table, and how many bytes of names,
 * may still be used.  Sections of a small file that share entries cannot make
 * many symbols in this way. */
struct stub_budget {
	uint64_t entries;
	uint64_t name_bytes;
};

/* What the names of stubs, and of no other symbols, begin with. */
static const char stub_prefix[] = "symbol stub for: ";

static char *stub_name(struct gsym_container *c, const char *name)
{
	size_t length = strlen(name);
	char *text = gsym_arena_alloc(&c->arena, sizeof(stub_prefix) + length);

	if (text) {
		memcpy(text, stub_prefix, sizeof(stub_prefix) - 1);
		memcpy(text + sizeof(stub_prefix) - 1, name, length);
		text[sizeof(stub_prefix) - 1 + length] = 0;
	}
	return text;
}

void gsym_macho_keep_stubs(struct gsym_container *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->symbols.count; i++)
		if (!strncmp(c->symbols.items[i].name, stub_prefix,
			     sizeof(stub_prefix) - 1))
			c->symbols.items[kept++] = c->symbols.items[i];
	c->symbols.count = kept;
}

/* Append a symbol for stub NUMBER of section AT.  The stub jumps to the symbol
 * S and has SIZE bytes. */
static bool put_stub(struct gsym_container *c, size_t at, uint64_t size,
		     uint64_t number, const struct macho_symbol *s)
{
	const struct gsym_symbol symbol = {
		.name = stub_name(c, s->name + (s->name[0] == '_')),
		.value = c->sections.items[at].address + number * size,
		.size = size,
		.section = gsym_symbol_home(at),
		.type = GSYM_SYMBOL_FUNCTION,
		.binding = GSYM_SYMBOL_LOCAL,
	};

	return symbol.name && gsym_vec_add(&c->symbols, symbol);
}

static bool read_stubs(struct macho_file *file, size_t at,
		       struct gsym_cursor indirect, struct stub_budget *budget)
{
	const struct macho_symbols *symbols = &file->symbols;
	const struct machoview_section *section = &file->sections.items[at];
	struct gsym_container *c = file->container;
	uint64_t count = c->sections.items[at].size / section->stub_size;

	gsym_cursor_seek(&indirect, 4 * (uint64_t)section->first_indirect);
	if (indirect.failed || count > gsym_cursor_left(&indirect) / 4 ||
	    count > budget->entries) {
		gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
				    "%s: it has more stubs than there are "
				    "indirect symbols",
				    c->sections.items[at].name);
		return true;
	}
	budget->entries -= count;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t number = gsym_cursor_u32(&indirect);
		struct macho_symbol s;
		size_t length;

		if (number & (INDIRECT_SYMBOL_LOCAL | INDIRECT_SYMBOL_ABS) ||
		    number >= symbols->count)
			continue;
		s = gsym_machoview_symbol(symbols, number);
		length = s.name ? strnlen(s.name, budget->name_bytes + 1) : 0;
		if (!length)
			continue;
		/* No further name is measured. */
		if (length > budget->name_bytes) {
			budget->name_bytes = 0;
			continue;
		}
		budget->name_bytes -= length;
		if (!put_stub(c, at, section->stub_size, i, &s))
			return false;
	}
	return true;
}

static bool read_all_stubs(struct macho_file *file)
{
	struct gsym_cursor indirect = gsym_macho_piece(
		file, file->view.indirect, 4, "indirect symbol table");
	struct stub_budget budget = {
		.entries = gsym_cursor_left(&indirect) / 4,
		/* A symbol may have a stub in each of several sections. */
		.name_bytes = STUB_NAME_LIMIT * (uint64_t)file->symbols.limit,
	};
	bool ok = true;

	/* Debug files have the headers of stub sections, but no table. */
	for (size_t i = 0; ok && gsym_cursor_left(&indirect) &&
			   i < file->sections.count; i++) {
		const struct machoview_section *s = &file->sections.items[i];

		if ((s->flags & SECTION_TYPE) == S_SYMBOL_STUBS && s->stub_size)
			ok = read_stubs(file, i, indirect, &budget);
	}
	return ok;
}

bool gsym_macho_read_symbols(struct macho_file *file)
{
	file->symbols = find_table(file);
	file->container->symbol_bytes =
		gsym_cursor_left(&file->symbols.table) +
		gsym_cursor_left(&file->symbols.strings);
	return read_table(file) && read_all_stubs(file);
}

/* ---- the debug map ------------------------------------------------------- */

/*
 * Apple's linkers leave the debug info in the objects.  In the
 * symbol table they note the objects, and the addresses that the objects'
 * functions and variables got:
 *
 *	N_SO    a source file
 *	N_OSO   the object's path and modification time
 *	N_FUN   a function's name and address; then, without name, its size
 *	N_STSYM a static variable (N_LCSYM: one in zero-filled memory)
 *	N_GSYM  a global variable; the address may be 0, and in its symbol
 *	N_SO    without a name: the end of the object's entries
 */
struct reading {
	struct gsym_container *container;
	bool in_object;
	/** The last entry was a function, whose size comes next. */
	bool is_open;
};

static bool begin_object(struct reading *r, const struct macho_symbol *s)
{
	struct gsym_object *object = gsym_vec_push(&r->container->objects);

	if (!object)
		return false;
	*object = (struct gsym_object){
		.path = s->name,
		.time = s->value,
		.first = r->container->linked.count,
	};
	r->in_object = true;
	return true;
}

static bool add_linked(struct reading *r, const struct macho_symbol *s,
		       bool function)
{
	struct gsym_container *c = r->container;
	struct gsym_linked *linked = gsym_vec_push(&c->linked);

	if (!linked)
		return false;
	*linked = (struct gsym_linked){
		.name = s->name + (s->name[0] == '_'),
		.address = s->value,
		.function = function,
	};
	if (function && c->code_bit0)
		linked->address &= ~(uint64_t)1;
	c->objects.items[c->objects.count - 1].count++;
	return true;
}

static bool read_function(struct reading *r, const struct macho_symbol *s)
{
	struct gsym_container *c = r->container;

	if (!*s->name) {
		if (r->is_open)
			c->linked.items[c->linked.count - 1].size = s->value;
		r->is_open = false;
		return true;
	}
	r->is_open = true;
	return add_linked(r, s, true);
}

static bool read_entry(struct reading *r, const struct macho_symbol *s)
{
	switch (s->type) {
	case N_SO:
		r->in_object = r->is_open = false;
		return true;
	case N_OSO:
		r->is_open = false;
		return !*s->name || begin_object(r, s);
	}
	if (!r->in_object)
		return true;
	switch (s->type) {
	case N_FUN:
		return read_function(r, s);
	case N_STSYM:
	case N_LCSYM:
	case N_GSYM:
		return !*s->name || add_linked(r, s, false);
	}
	return true;
}

bool gsym_macho_read_debug_map(struct macho_file *file)
{
	const struct macho_symbols *symbols = &file->symbols;
	struct reading r = { .container = file->container };
	bool ok = true;

	for (size_t i = 0; ok && i < symbols->count; i++) {
		struct macho_symbol s = gsym_machoview_symbol(symbols, i);

		if (s.type & N_STAB && s.name)
			ok = read_entry(&r, &s);
	}
	if (file->container->objects.count)
		file->container->open_object = gsym_macho_open_object;
	return ok;
}
