/* SPDX-License-Identifier: MIT */
/* Where the table is. */
#include "input/golang.h"

#include "aout/aout.h"

enum {
	/** Places that look like a table and are none. */
	CANDIDATES = 64,
	/** Where the linkers of 2008 put their tables. */
	OLD_SEGMENT_SIZES = 8,
};

static const uint64_t OLD_SEGMENT = 0x9900000000;

void gsym_golang_warn(const struct gsym_convert_options *options,
		      enum gsym_warning kind, const char *text)
{
	if (options->warn)
		options->warn(options->context, kind, text);
}

const struct gsym_container_section *
gsym_golang_section(const struct gsym_container *c, const char *elf,
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

static void find_symbols(const struct gsym_container *c,
			 struct golang_symbols *ret)
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

	*ret = (struct golang_symbols){ 0 };
	for (size_t i = 0; i < c->symbols.count; i++)
		for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++)
			if (!*wanted[k].value &&
			    !strcmp(c->symbols.items[i].name, wanted[k].name))
				*wanted[k].value = c->symbols.items[i].value;
}

/* ---- the table with a header ------------------------------------------ */

/* Try ADDRESS; the table ends at END, or if that is 0 anywhere. */
static bool try_table(struct gsym_golang *g, uint64_t address, uint64_t end)
{
	struct gsym_cursor c = gsym_memory_cursor(&g->memory, address);
	size_t size = gsym_cursor_left(&c);

	if (end > address && end - address < size)
		size = (size_t)(end - address);
	return size && gsym_pclntab_open(&g->memory, address, c.at, size,
					 &g->table);
}

static bool try_section(struct gsym_golang *g,
			const struct gsym_container_section *s)
{
	return s && try_table(g, s->address, s->address + s->data_size);
}

/* The first word of the module data. */
static bool try_module(struct gsym_golang *g,
		       const struct gsym_container_section *s)
{
	struct gsym_cursor c;

	if (!s)
		return false;
	c = gsym_memory_cursor(&g->memory, s->address);
	return try_table(g, gsym_cursor_uint(&c, g->memory.address_size), 0);
}

/* Whether a header may begin at P, of 8 bytes or more. */
static inline bool is_header(const uint8_t *p, bool swap)
{
	uint32_t magic = gsym_load_u32(p, swap);

	return magic >= 0xfffffff0 &&
	       (magic == 0xfffffffb || magic == 0xfffffffa ||
		magic <= 0xfffffff1) && !p[4] && !p[5];
}

static bool search(struct gsym_golang *g)
{
	unsigned step = g->memory.address_size;
	unsigned candidates = 0;

	for (size_t i = 0; i < g->memory.count; i++) {
		const struct gsym_segment *s = &g->memory.pieces[i];
		uint64_t at = -s->address & (step - 1);

		for (; at < s->data_size && s->data_size - at >= 8;
		     at += step) {
			if (!is_header(s->data + at, g->memory.swap))
				continue;
			if (try_table(g, s->address + at, 0))
				return true;
			if (++candidates == CANDIDATES)
				return false;
		}
	}
	return false;
}

static bool find_table(struct gsym_golang *g, const struct gsym_container *c,
		       const struct golang_symbols *symbols, bool deep)
{
	return try_section(g, gsym_golang_section(c, ".gopclntab",
						  "__gopclntab")) ||
	       try_section(g, gsym_golang_section(
				      c, ".data.rel.ro.gopclntab", "")) ||
	       (symbols->table &&
		try_table(g, symbols->table, symbols->table_end)) ||
	       try_module(g, gsym_golang_section(c, ".go.module",
						 "__go_module")) ||
	       (deep && search(g));
}

/* ---- the tables of Go 1.1 and older ------------------------------------ */

/* Of processors that Go was on then, only ARM has instructions of one
 * size. */
static unsigned old_quantum(const struct gsym_container *c)
{
	return c->code_bit0 || !strcmp(c->architecture, "arm") ? 4 : 1;
}

static bool take_old(struct gsym_golang *g, const struct gsym_container *c,
		     enum plan9_dialect dialect, const uint8_t *symbols,
		     uint64_t symbol_size, const uint8_t *lines,
		     uint64_t line_size)
{
	g->is_old = true;
	g->old = (struct gsym_plan9){
		.symbols = symbols,
		.symbol_size = (size_t)symbol_size,
		.lines = lines,
		.line_size = (size_t)line_size,
		.dialect = dialect,
		.quantum = old_quantum(c),
	};
	return true;
}

/* Plan 9's own programs have such tables in their file, whoever made them. */
static bool find_plan9(struct gsym_golang *g, const struct gsym_container *c)
{
	const struct gsym_container_section *s =
		gsym_container_section(c, GSYM_AOUT_SYMBOLS);
	const struct gsym_container_section *l =
		gsym_container_section(c, GSYM_AOUT_LINES);

	return !strcmp(c->format, GSYM_AOUT_FORMAT) && s && l &&
	       s->data_size && l->data_size &&
	       take_old(g, c, c->address_size == 8 ? PLAN9_64 : PLAN9_32,
			s->data, s->data_size, l->data, l->data_size);
}

static bool find_old(struct gsym_golang *g, const struct gsym_container *c,
		     const struct golang_symbols *symbols)
{
	const struct gsym_container_section *s =
		gsym_golang_section(c, ".gosymtab", "__gosymtab");
	const struct gsym_container_section *l =
		gsym_golang_section(c, ".gopclntab", "__gopclntab");
	struct gsym_cursor segment =
		gsym_memory_cursor(&g->memory, OLD_SEGMENT);
	struct gsym_cursor a, b;

	if (gsym_cursor_left(&segment) > OLD_SEGMENT_SIZES) {
		uint64_t sizes[2];

		sizes[0] = gsym_cursor_u32(&segment);
		sizes[1] = gsym_cursor_u32(&segment);
		if (sizes[0] && sizes[0] + sizes[1] <=
					gsym_cursor_left(&segment))
			return take_old(g, c, PLAN9_2008, segment.at, sizes[0],
					segment.at + sizes[0], sizes[1]);
	}
	if (find_plan9(g, c))
		return true;
	if (s && l)
		return take_old(g, c, PLAN9_ANY, s->data, s->data_size,
				l->data, l->data_size);
	if (!symbols->symbols || !symbols->table ||
	    symbols->symbols_end <= symbols->symbols ||
	    symbols->table_end <= symbols->table)
		return false;
	a = gsym_memory_cursor(&g->memory, symbols->symbols);
	b = gsym_memory_cursor(&g->memory, symbols->table);
	gsym_cursor_need(&a, symbols->symbols_end - symbols->symbols);
	gsym_cursor_need(&b, symbols->table_end - symbols->table);
	if (a.failed || b.failed)
		return false;
	return take_old(g, c, PLAN9_ANY, a.at,
			symbols->symbols_end - symbols->symbols, b.at,
			symbols->table_end - symbols->table);
}

/* ---- both -------------------------------------------------------------- */

void gsym_golang_close(struct gsym_golang *g)
{
	if (g)
		gsym_memory_fini(&g->memory);
	free(g);
}

/* Programs whose Go build ID is "redacted" have all the same build ID, which
 * Go's linker makes of it: a SHA-256 whose first byte is changed, in some
 * releases to b7 and in others to 49. */
static void check_identity(const struct gsym_container *c,
			   const struct gsym_convert_options *options)
{
	static const uint8_t redacted[] = {
		0x89, 0x19, 0xaf, 0xf0, 0x01, 0xd8, 0x36, 0x62, 0x49, 0x40,
		0x3a, 0x25, 0x44, 0xfb, 0xa2, 0xd8, 0x33, 0x08, 0x4f,
	};

	if (c->uuid_size == 1 + sizeof(redacted) &&
	    !memcmp(c->uuid + 1, redacted, sizeof(redacted)))
		gsym_golang_warn(options, GSYM_WARN_GO_TABLE,
				 "build id: it is the one that all programs "
				 "with a redacted go build id share");
}

enum gsym_status gsym_golang_open(const struct gsym_container *c,
				  const struct gsym_convert_options *options,
				  bool deep, struct gsym_golang **ret)
{
	struct golang_symbols symbols;
	struct gsym_golang *g;

	*ret = NULL;
	if (c->relocatable)
		return GSYM_NOT_FOUND;
	g = calloc(1, sizeof(*g));
	if (!g)
		return GSYM_ERR_MEMORY;
	if (!gsym_memory_init(&g->memory, c)) {
		gsym_golang_close(g);
		return GSYM_ERR_MEMORY;
	}
	find_symbols(c, &symbols);
	if (find_table(g, c, &symbols, deep)) {
		gsym_golang_find_module(g, c, &symbols, options);
		gsym_pclntab_find_layout(&g->table);
	} else if (!find_old(g, c, &symbols)) {
		if (gsym_golang_section(c, ".gopclntab", "__gopclntab"))
			gsym_golang_warn(options, GSYM_WARN_BAD_GO_TABLE,
					 "section .gopclntab: neither a table "
					 "of Go 1.2 to 1.27 nor an older one: "
					 "it is newer, scrambled or damaged");
		gsym_golang_close(g);
		return GSYM_NOT_FOUND;
	}
	check_identity(c, options);
	*ret = g;
	return GSYM_OK;
}

enum gsym_status
gsym_golang_convert(const struct gsym_golang *g,
		    const struct gsym_convert_options *options,
		    const struct gsym_sink *sink,
		    void (*hide)(void *context, struct gsym_range range),
		    void *hide_context, struct gsym_convert_facts *facts,
		    struct gsym_error *error)
{
	if (g->is_old) {
		facts->input_bytes += g->old.symbol_size + g->old.line_size;
		return gsym_plan9_convert(&g->old, options, sink, error);
	}
	facts->input_bytes += g->table.size;
	return gsym_pclntab_convert(&g->table, options, sink, hide,
				    hide_context, error);
}
