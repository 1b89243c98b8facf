/* SPDX-License-Identifier: MIT */
/*
 * A PE program as a container: sections, the symbols of its COFF table or,
 * without those, of its export table, image base; its split units and its debug
 * file.  Knows nothing of DWARF, of PDB files and of GSYM.
 *
 * Reads executables and libraries of 32 and 64 bits, which are little-endian.
 * Addresses include the image base.  The identity of the PDB, or of the
 * linker's --build-id, is the build ID.
 */
#include "base/error.h"
#include "base/order.h"
#include "container/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of .pdata, or a part of one that lies apart from the rest. */
struct pe_function {
	struct gsym_range range;
	/* Of a part: the start of the part that it continues; else 0. */
	uint64_t continues;
};

struct pe_file {
	struct peview view;
	/* The functions of .pdata, ascending; they do not overlap. */
	GSYM_VEC_OF(struct pe_function) functions;
	struct gsym_container *container;
};

/* ---- functions beside the COFF symbols ----------------------------------- */

/*
 * Those of .pdata, the table that unwinding goes by, and exported ones.
 *
 * x86-64: start, end and unwind information of a function, or of a further
 * part of one.  The unwind information of a further part names the part that
 * it continues (it is "chained").
 *
 * ARM64: start and either the RVA of a record in .xdata or packed data; both
 * have the length in words of four bytes.
 */

enum {
	X86_64_SIZE = 12,
	ARM64_SIZE = 8,
	/* The unwind information is chained. */
	CHAINED = 4,
	/* ARM64: packed data of a function, and of a part without prologue. */
	PACKED = 1,
	PACKED_PART = 2,
};

/* An entry of the table. */
struct entry {
	uint32_t start, end;
	bool is_part;
	uint32_t continues; /* if IS_PART: the start of another part */
};

struct table {
	GSYM_VEC(struct entry);
};

/* A cursor over the bytes that the file has at RVA, to the end of their
 * section; empty if it has none. */
static struct gsym_cursor memory(const struct pe_file *file, uint64_t rva)
{
	return gsym_container_at(file->container, file->view.base + rva);
}

/* ---- entries of .pdata --------------------------------------------------- */

/* If E is a further part of a function, read from the unwind information at RVA
 * which part it continues. */
static void read_chain(const struct pe_file *file, uint32_t rva,
		       struct entry *e)
{
	struct gsym_cursor c;
	uint8_t flags, codes;

	/* The lowest bit means that RVA is the address of the other part's
	 * entry. */
	if (rva & 1) {
		c = memory(file, rva & ~1u);
	} else {
		c = memory(file, rva);
		flags = gsym_cursor_u8(&c) >> 3;
		gsym_cursor_skip(&c, 1);
		codes = gsym_cursor_u8(&c);
		gsym_cursor_skip(&c, 1 + 2 * ((codes + 1u) & ~1u));
		if (!(flags & CHAINED))
			return;
	}
	e->continues = gsym_cursor_u32(&c);
	e->is_part = !c.failed;
}

static struct entry read_x86_64(const struct pe_file *file,
				struct gsym_cursor *c)
{
	struct entry e = { .start = gsym_cursor_u32(c) };

	e.end = gsym_cursor_u32(c);
	read_chain(file, gsym_cursor_u32(c), &e);
	return e;
}

static struct entry read_arm64(const struct pe_file *file,
			       struct gsym_cursor *c)
{
	struct entry e = { .start = gsym_cursor_u32(c) };
	uint32_t data = gsym_cursor_u32(c), words = 0;
	struct gsym_cursor record;

	switch (data & 3) {
	case 0:
		record = memory(file, data);
		words = gsym_cursor_u32(&record) & 0x3ffff;
		break;
	case PACKED_PART:
		/* This part continues the function of the entry before. */
		e.is_part = true;
		e.continues = e.start ? e.start - 1 : 0;
		/* fall through */
	case PACKED:
		words = data >> 2 & 0x7ff;
		break;
	}
	e.end = e.start + 4 * words;
	return e;
}

/* ---- functions of .pdata ------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	return x->start != y->start ? GSYM_ORDER(x->start, y->start)
				    : GSYM_ORDER(x->end, y->end);
}

static bool read_table(const struct pe_file *file, struct table *ret)
{
	bool wide = file->view.machine == PE_MACHINE_X86_64;
	unsigned size = wide ? X86_64_SIZE : ARM64_SIZE;
	struct pe_directory d =
		gsym_peview_directory(&file->view, PE_EXCEPTION_DIRECTORY);
	struct gsym_cursor c = memory(file, d.rva);
	size_t count = gsym_cursor_left(&c) / size;

	if (!wide && file->view.machine != PE_MACHINE_ARM64)
		return true;
	if (count > d.size / size)
		count = d.size / size;
	/* For each entry all segments are searched. Programs have some ten. */
	if (count > 16 * (uint64_t)file->view.size /
			    (file->container->segments.count + 1))
		return true;
	for (size_t i = 0; i < count; i++) {
		struct entry e =
			wide ? read_x86_64(file, &c) : read_arm64(file, &c);

		if (!gsym_vec_add(ret, e))
			return false;
	}
	/* Linkers sort the table, but a damaged one may be unsorted. */
	gsym_vec_sort(ret, by_start);
	return true;
}

/* The last of FILE's functions that begins at ADDRESS or before; NULL if none
 * does. */
static const struct pe_function *find(const struct pe_file *file,
				      uint64_t address)
{
	size_t after = GSYM_FIRST(i, 0, file->functions.count,
				  file->functions.items[i].range.start >
					  address);

	return after ? &file->functions.items[after - 1] : NULL;
}

/* Append the function E, or join E, a further part that follows its function,
 * to it. */
static bool add(struct pe_file *file, const struct entry *e)
{
	uint64_t base = file->view.base;
	struct pe_function function = {
		.range = { base + e->start, base + e->end },
		.continues = e->is_part ? base + e->continues : 0,
	};
	struct pe_function *last =
		file->functions.count
			? &file->functions.items[file->functions.count - 1]
			: NULL;

	if (function.range.start >= function.range.end ||
	    (last && function.range.start < last->range.end))
		return true;
	if (last && e->is_part && function.range.start == last->range.end &&
	    function.continues >= last->range.start &&
	    function.continues < last->range.end) {
		last->range.end = function.range.end;
		return true;
	}
	return gsym_vec_add(&file->functions, function);
}

/* Read FILE's functions if the program is for x86-64 or ARM64.  A function
 * without a frame may have no entry in .pdata.  False without memory. */
static bool read_functions(struct pe_file *file)
{
	struct table table = { 0 };
	bool ok = read_table(file, &table);

	for (size_t i = 0; i < table.count && ok; i++)
		ok = add(file, &table.items[i]);
	gsym_vec_fini(&table);
	return ok;
}

/* Set the size of the code symbol SYMBOL, or the address where it ends at the
 * latest, as far as .pdata tells. */
static void bound_symbol(const struct pe_file *file, struct gsym_symbol *symbol)
{
	const struct pe_function *f = find(file, symbol->value), *next;

	next = f ? f + 1 : file->functions.items;
	if (f && symbol->value < f->range.end) {
		symbol->reach = gsym_symbol_reach(symbol->value, f->range.end);
		if (symbol->value == f->range.start)
			symbol->size = f->range.end - f->range.start;
	} else if (next !=
		   gsym_vec_from(&file->functions, file->functions.count)) {
		symbol->reach = gsym_symbol_reach(symbol->value,
						 next->range.start);
	}
}

/* ---- parts of functions ------------------------------------------------- */

enum { CHAIN = 16 /* parts that continue each other */ };

/* Where the function begins that the part at START continues, directly or by
 * way of other parts; START itself if no other part is known. */
static uint64_t first_part(const struct pe_file *file, uint64_t start)
{
	for (unsigned i = 0; i < CHAIN; i++) {
		const struct pe_function *f = find(file, start);

		if (!f || start >= f->range.end)
			return start;
		if (!f->continues)
			return f->range.start;
		start = f->continues;
	}
	return start;
}

/* Of several symbols at one address the name that sorts first comes first, on
 * every machine. */
static int by_value(const void *a, const void *b)
{
	const struct gsym_symbol *x = a, *y = b;
	int order = GSYM_ORDER(x->value, y->value);

	return order ? order : strcmp(x->name, y->name);
}

/* The first of the COUNT symbols at S, which ascend by value, at ADDRESS; NULL
 * if there is none. */
static const struct gsym_symbol *symbol_at(const struct gsym_symbol *s,
					   size_t count, uint64_t address)
{
	size_t at = GSYM_FIRST(i, 0, count, s[i].value >= address);

	return at < count && s[at].value == address ? &s[at] : NULL;
}

/* The symbols of code of C, by value, in a new array; *COUNT is their number.
 * NULL without memory. */
static struct gsym_symbol *sort_code(const struct gsym_container *c,
				     size_t *count)
{
	struct gsym_symbol *s = calloc(c->symbols.count + 1, sizeof(*s));

	*count = 0;
	for (size_t i = 0; s && i < c->symbols.count; i++)
		if (c->symbols.items[i].type == GSYM_SYMBOL_FUNCTION)
			s[(*count)++] = c->symbols.items[i];
	if (s)
		qsort(s, *count, sizeof(*s), by_value);
	return s;
}

/* Append a symbol for each part of a function that lies apart and has no
 * symbol: the name is that of the function.  False without memory. */
static bool name_parts(struct pe_file *file)
{
	struct gsym_container *c = file->container;
	size_t count, i;
	struct gsym_symbol *known = sort_code(c, &count);

	if (!known)
		return false;
	for (i = 0; i < file->functions.count; i++) {
		const struct pe_function *f = &file->functions.items[i];
		const struct gsym_symbol *whole;
		struct gsym_symbol part;

		if (!f->continues || symbol_at(known, count, f->range.start))
			continue;
		whole = symbol_at(known, count,
				  first_part(file, f->range.start));
		if (!whole)
			continue;
		part = *whole;
		part.value = f->range.start;
		part.size = f->range.end - f->range.start;
		part.reach = gsym_symbol_reach(part.value, f->range.end);
		if (!gsym_vec_add(&c->symbols, part))
			break;
	}
	free(known);
	return i == file->functions.count;
}

/* ---- exported names ----------------------------------------------------- */

/* The export table has names of functions and variables for other programs, and
 * no sizes; functions end where .pdata says, or at the next function. */

/* The tables that the export directory leads to. */
struct exports {
	struct pe_file *file;
	struct pe_directory directory;
	struct gsym_cursor addresses;
	uint32_t address_count;
	/* RVAs of names, and for each name the number of its address. */
	struct gsym_cursor names;
	struct gsym_cursor ordinals;
	uint32_t name_count;
	/* The number of the section of the last symbol, which the next symbol
	 * is probably in, too. */
	size_t section;
	/* Sections and bytes of names that may still be searched: many names
	 * can share their bytes. */
	struct gsym_budget budget;
};

/* Find the tables; false if there are none. */
static bool read_directory(struct exports *e)
{
	struct gsym_cursor c;

	e->directory =
		gsym_peview_directory(&e->file->view, PE_EXPORT_DIRECTORY);
	if (!e->directory.size)
		return false;
	c = memory(e->file, e->directory.rva);
	/* Flags, time, version, name of the library, base of ordinals. */
	gsym_cursor_skip(&c, 5 * 4);
	e->address_count = gsym_cursor_u32(&c);
	e->name_count = gsym_cursor_u32(&c);
	e->addresses = memory(e->file, gsym_cursor_u32(&c));
	e->names = memory(e->file, gsym_cursor_u32(&c));
	e->ordinals = memory(e->file, gsym_cursor_u32(&c));
	if (c.failed)
		gsym_container_warn(e->file->container, GSYM_WARN_BAD_SECTION,
				    "export table: it reaches beyond the end "
				    "of the file");
	return !c.failed;
}

/* Append the symbol NAME at RVA; false without memory. */
static bool put_export(struct exports *e, const char *name, uint32_t rva)
{
	struct gsym_container *c = e->file->container;
	size_t section = gsym_container_section_at(
		c, e->file->view.base + rva, e->section);
	struct gsym_symbol symbol = {
		.name = name,
		.value = e->file->view.base + rva,
		.section = gsym_symbol_home(section),
		.type = GSYM_SYMBOL_OBJECT,
		.binding = GSYM_SYMBOL_GLOBAL,
	};

	if (section == SIZE_MAX)
		return true;
	e->section = section;
	if (c->sections.items[section].executable) {
		symbol.type = GSYM_SYMBOL_FUNCTION;
		if (c->code_bit0)
			symbol.value &= ~(uint64_t)1;
		bound_symbol(e->file, &symbol);
	}
	c->symbol_bytes += strlen(name) + 1;
	return gsym_vec_add(&c->symbols, symbol);
}

/* Read the next name at RVA; "" if there is none.  False without budget. */
static bool read_name(struct exports *e, uint32_t rva, const char **ret)
{
	struct gsym_cursor c = memory(e->file, rva);
	size_t left = gsym_cursor_left(&c);
	uint64_t cost = 2 * e->file->container->sections.count;

	*ret = gsym_cursor_string(&c);
	cost += c.failed ? left : strlen(*ret) + 1;
	return gsym_budget_take(&e->budget, cost);
}

/* Read the next name and append its symbol.  False at the end of a table, if
 * the budget is used up, or without memory; *MEMORY is false in the last
 * case. */
static bool read_export(struct exports *e, bool *memory)
{
	struct gsym_cursor address = e->addresses;
	uint32_t name_rva = gsym_cursor_u32(&e->names);
	uint16_t ordinal = gsym_cursor_u16(&e->ordinals);
	const char *name;
	uint32_t rva;

	if (e->names.failed || e->ordinals.failed ||
	    !read_name(e, name_rva, &name))
		return false;
	gsym_cursor_skip(&address, 4 * (uint64_t)ordinal);
	rva = gsym_cursor_u32(&address);
	/* An address within the export directory is no code: there is the name
	 * of a function in another library, to which the export is
	 * forwarded. */
	if (!*name || ordinal >= e->address_count || address.failed ||
	    rva - e->directory.rva < e->directory.size)
		return true;
	*memory = put_export(e, name, rva);
	return *memory;
}

/* Append the symbols of the export table, with sizes as far as .pdata has
 * them.  Damage is noted as a warning.  False without memory. */
static bool read_exports(struct pe_file *file)
{
	struct exports e = { .file = file,
			     .budget.limit = 16 * (uint64_t)file->view.size };
	bool memory = true;
	uint32_t i = 0;

	if (!read_directory(&e))
		return true;
	while (i < e.name_count && memory && read_export(&e, &memory))
		i++;
	if (memory && i < e.name_count)
		gsym_container_warn(file->container, GSYM_WARN_BAD_SYMBOL,
				    "export table: only %" PRIu32 " of %" PRIu32
				    " names can be read",
				    i, e.name_count);
	return memory;
}

/* The text of NAME; NULL without memory. */
static const char *text_of(struct gsym_container *c, struct object_name name)
{
	return name.ends ? name.bytes
			 : gsym_arena_string(&c->arena, name.bytes, name.size);
}

/* ---- sections --------------------------------------------------------- */

static bool put_section(struct pe_file *file, unsigned number)
{
	struct gsym_container *container = file->container;
	const struct peview *v = &file->view;
	struct peview_section from = gsym_peview_section(v, number);
	const char *name = text_of(container, from.name);
	struct gsym_container_section s = {
		.name = name,
		.address = v->base + from.rva,
		.size = from.size,
		.data = peview_bytes(v, &from),
		.file_offset = from.offset,
		.data_size = peview_bytes(v, &from) ? from.stored : 0,
		.executable = from.flags & (PE_EXECUTABLE | PE_HAS_CODE),
		.loaded = name && strncmp(name, ".debug_", 7) &&
			  strncmp(name, ".zdebug_", 8),
	};

	if (!name || !gsym_vec_add(&container->sections, s))
		return false;
	if (from.stored && !s.data)
		gsym_container_warn(container, GSYM_WARN_BAD_SECTION,
				    "section %.64s: 0x%x bytes at 0x%x reach "
				    "beyond the end of the file",
				    name, from.stored, from.offset);
	return !s.loaded ||
	       gsym_container_add_segment(
		       container,
		       (struct gsym_segment){ .address = s.address,
					      .data_size = s.data_size,
					      .writable =
						      from.flags & PE_WRITABLE,
					      .executable = s.executable },
		       v->bytes, v->size, from.offset);
}

static enum gsym_status read_sections(struct pe_file *file,
				      struct gsym_error *error)
{
	const struct peview *v = &file->view;
	struct gsym_cursor c = gsym_peview_cursor(v, v->section_table);

	if (!gsym_cursor_need(&c, (uint64_t)v->section_count * PE_SECTION_SIZE))
		return gsym_fail(error, GSYM_ERR_CORRUPT, v->section_table,
				 "pe section headers: %u at 0x%" PRIx64
				 " reach beyond the end of the file",
				 v->section_count, v->section_table);
	for (unsigned i = 0; i < v->section_count; i++)
		if (!put_section(file, i))
			return gsym_fail_memory(error);
	return GSYM_OK;
}

/* ---- symbols of the COFF table ------------------------------------------- */

/* Append the symbol FROM; false without memory. */
static bool put_symbol(struct pe_file *file, const struct peview_symbol *from)
{
	struct gsym_container *container = file->container;
	const struct gsym_container_section *s =
		&container->sections.items[from->section - 1];
	struct gsym_symbol symbol = {
		.name = text_of(container, from->name),
		.value = s->address + from->value,
		.section = from->section - 1u,
		.type = from->type == PE_TYPE_FUNCTION ? GSYM_SYMBOL_FUNCTION
			: s->executable		       ? GSYM_SYMBOL_NONE
						       : GSYM_SYMBOL_OBJECT,
		.binding = from->class == PE_CLASS_EXTERNAL ? GSYM_SYMBOL_GLOBAL
			   : from->class == PE_CLASS_WEAK   ? GSYM_SYMBOL_WEAK
							    : GSYM_SYMBOL_LOCAL,
	};

	if (s->executable)
		bound_symbol(file, &symbol);
	return symbol.name && gsym_vec_add(&container->symbols, symbol);
}

static bool read_symbols(struct pe_file *file)
{
	struct gsym_container *container = file->container;
	const struct peview *v = &file->view;
	struct peview_walk walk = gsym_peview_walk(v);
	uint64_t size = walk.left * (uint64_t)PE_SYMBOL_SIZE;
	struct peview_symbol symbol;

	if (size && !gsym_cursor_need(&walk.at, size)) {
		gsym_container_warn(container, GSYM_WARN_BAD_SECTION,
				    "symbol table: it reaches beyond the end "
				    "of the file");
		return true;
	}
	container->symbol_bytes = size + gsym_cursor_left(&v->strings);
	while (gsym_peview_symbol(v, &walk, &symbol))
		if (!put_symbol(file, &symbol))
			return false;
	return true;
}

/* ---- opening ---------------------------------------------------------- */

static void set_architecture(struct gsym_container *c, unsigned machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} known[] = {
		{ PE_MACHINE_I386, "i386" },
		{ PE_MACHINE_X86_64, "x86_64" },
		{ PE_MACHINE_ARM, "arm" },
		{ PE_MACHINE_ARMNT, "arm" },
		{ PE_MACHINE_ARM64, "aarch64" },
	};
	char *name = c->architecture;

	snprintf(name, sizeof(c->architecture), "machine %u", machine);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].machine == machine)
			snprintf(name, sizeof(c->architecture), "%s",
				 known[i].name);
}

/* Read symbols, text ranges and compressed sections; false without memory. */
static bool read_contents(struct pe_file *file)
{
	struct gsym_container *c = file->container;

	/* The COFF symbols have all exported names, and more. */
	return gsym_container_collect_text(c) && read_functions(file) &&
	       read_symbols(file) && (c->symbols.count || read_exports(file)) &&
	       name_parts(file) && gsym_inflate_zdebug(c, file->view.size);
}

static void read_header(struct gsym_container *c, const struct peview *v)
{
	c->address_size = v->wide ? 8 : 4;
	c->code_bit0 = v->machine == PE_MACHINE_ARM ||
		       v->machine == PE_MACHINE_ARMNT;
	c->has_base = true;
	c->base = v->base;
	c->entry = v->entry ? v->base + v->entry : 0;
	set_architecture(c, v->machine);
	c->uuid = c->pdb;
	c->uuid_size = gsym_peview_pdb(v, c->pdb, &c->pdb_named);
	gsym_peview_stamps(v, &c->time_stamp, &c->image_size);
}

/* A damaged section or table is left out, and noted among the warnings.
 * GSYM_ERR_UNSUPPORTED: neither PE32 nor PE32+; GSYM_ERR_CORRUPT: a header is
 * damaged. */
static enum gsym_status fill(struct gsym_container *c,
			     const struct gsym_load *from,
			     struct gsym_error *error)
{
	struct pe_file file = { .container = c };
	enum gsym_status status =
		gsym_peview_open(from->bytes, from->size, &file.view, error);

	if (status != GSYM_OK)
		return status;
	read_header(c, &file.view);
	status = read_sections(&file, error);
	if (status == GSYM_OK && !read_contents(&file))
		status = gsym_fail_memory(error);
	gsym_vec_fini(&file.functions);
	return status;
}

/* ---- split units -------------------------------------------------------- */

static enum gsym_status fill_object(struct gsym_container *c,
				    const struct gsym_load *from,
				    struct gsym_error *error)
{
	struct pe_file file = { .container = c };
	enum gsym_status status = gsym_peview_open_object(
		from->bytes, from->size, &file.view, error);

	return status == GSYM_OK ? read_sections(&file, error) : status;
}

/* A .dwo file, which is an object file. */
static const struct gsym_input object = {
	.format = GSYM_FORMAT_PE,
	.fill = fill_object,
};

/* ---- debug files -------------------------------------------------------- */

static bool has_symbols(const struct gsym_container *debug)
{
	return debug->symbols.count > 0;
}

const struct gsym_input gsym_pe_input = {
	.format = GSYM_FORMAT_PE,
	.name = "PE",
	.matches = gsym_peview_matches,
	.fill = fill,
	.has_symbols = has_symbols,
	.find_debug = gsym_find_debug_file,
	.split = &object,
};
