/* SPDX-License-Identifier: MIT */
/* Where the table is. */
#include "go/golang.h"

#include "aout/aout.h"
#include "base/error.h"

/* Places that look like a table and are none. */
enum { CANDIDATES = 64 };

/* Where the linkers of 2008 put their tables. */
static const uint64_t OLD_SEGMENT = 0x9900000000;

static void warn(const struct gsym_convert_options *options,
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

struct search {
	struct gsym_golang *golang;
	const struct gsym_container *container;
	struct golang_symbols symbols;
};

/* Try ADDRESS; the table ends at END, or if that is 0 anywhere. */
static bool try_table(struct search *s, uint64_t address, uint64_t end)
{
	struct gsym_golang *g = s->golang;
	struct gsym_cursor c = gsym_memory_cursor(&g->memory, address);
	size_t size = gsym_cursor_left(&c);

	if (end > address && end - address < size)
		size = (size_t)(end - address);
	return size &&
	       gsym_pclntab_open(&g->memory, address, c.at, size, &g->table) &&
	       gsym_golang_place(g, s->container, &s->symbols);
}

/* The section that linkers put the table into, RELRO where they had to leave
 * pointers in it to the loader. */
static const struct gsym_container_section *
table_section(const struct gsym_container *c, bool relro)
{
	return relro ? gsym_golang_section(c, ".data.rel.ro.gopclntab", "")
		     : gsym_golang_section(c, ".gopclntab", "__gopclntab");
}

static bool try_section(struct search *s, bool relro)
{
	const struct gsym_container_section *section =
		table_section(s->container, relro);

	return section && try_table(s, section->address,
				    section->address + section->data_size);
}

/* The first word of the module data. */
static bool try_module(struct search *s)
{
	const struct gsym_container_section *section =
		gsym_golang_section(s->container, ".go.module", "__go_module");
	const struct gsym_memory *memory = &s->golang->memory;
	struct gsym_cursor c;

	if (!section)
		return false;
	c = gsym_memory_cursor(memory, section->address);
	return try_table(s, gsym_cursor_uint(&c, memory->address_size), 0);
}

/* Whether a header may begin at P, of 8 bytes or more. */
static inline bool is_header(const uint8_t *p, bool swap)
{
	uint32_t magic = gsym_load_u32(p, swap);

	return magic >= 0xfffffff0 &&
	       (magic == 0xfffffffb || magic == 0xfffffffa ||
		magic <= 0xfffffff1) && !p[4] && !p[5];
}

static bool try_everywhere(struct search *s)
{
	const struct gsym_memory *memory = &s->golang->memory;
	unsigned step = memory->address_size;
	unsigned candidates = 0;

	for (size_t i = 0; i < memory->count; i++) {
		const struct gsym_segment *p = &memory->pieces[i];
		uint64_t at = -p->address & (step - 1);

		for (; at < p->data_size && p->data_size - at >= 8;
		     at += step) {
			if (!is_header(p->data + at, memory->swap))
				continue;
			if (try_table(s, p->address + at, 0))
				return true;
			if (++candidates == CANDIDATES)
				return false;
		}
	}
	return false;
}

static bool find_table(struct search *s, bool deep)
{
	return try_section(s, false) || try_section(s, true) ||
	       (s->symbols.table &&
		try_table(s, s->symbols.table, s->symbols.table_end)) ||
	       try_module(s) || (deep && try_everywhere(s));
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

	return c->format == GSYM_FORMAT_PLAN9 && s && l && s->data_size &&
	       l->data_size &&
	       take_old(g, c, c->address_size == 8 ? PLAN9_64 : PLAN9_32,
			s->data, s->data_size, l->data, l->data_size);
}

/* The linkers of 2008 gave them a segment of their own. */
static bool find_segment(struct gsym_golang *g, const struct gsym_container *c)
{
	struct gsym_cursor segment =
		gsym_memory_cursor(&g->memory, OLD_SEGMENT);
	uint64_t symbols = gsym_cursor_u32(&segment);
	uint64_t lines = gsym_cursor_u32(&segment);

	return !segment.failed && symbols &&
	       symbols + lines <= gsym_cursor_left(&segment) &&
	       take_old(g, c, PLAN9_2008, segment.at, symbols,
			segment.at + symbols, lines);
}

static bool find_sections(struct gsym_golang *g,
			  const struct gsym_container *c)
{
	const struct gsym_container_section *s =
		gsym_golang_section(c, ".gosymtab", "__gosymtab");
	const struct gsym_container_section *l = table_section(c, false);

	return s && l && take_old(g, c, PLAN9_ANY, s->data, s->data_size,
				  l->data, l->data_size);
}

/* In PE programs symbols are all that tells where they are. */
static bool find_by_symbols(struct gsym_golang *g,
			    const struct gsym_container *c,
			    const struct golang_symbols *symbols)
{
	struct gsym_cursor s = gsym_memory_cursor(&g->memory, symbols->symbols);
	struct gsym_cursor l = gsym_memory_cursor(&g->memory, symbols->table);

	if (!symbols->symbols || !symbols->table ||
	    symbols->symbols_end <= symbols->symbols ||
	    symbols->table_end <= symbols->table)
		return false;
	gsym_cursor_need(&s, symbols->symbols_end - symbols->symbols);
	gsym_cursor_need(&l, symbols->table_end - symbols->table);
	return !s.failed && !l.failed &&
	       take_old(g, c, PLAN9_ANY, s.at,
			symbols->symbols_end - symbols->symbols, l.at,
			symbols->table_end - symbols->table);
}

static bool find_old(struct gsym_golang *g, const struct gsym_container *c,
		     const struct golang_symbols *symbols)
{
	return find_segment(g, c) || find_plan9(g, c) || find_sections(g, c) ||
	       find_by_symbols(g, c, symbols);
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
		warn(options, GSYM_WARN_GO_TABLE,
		     "build id: it is the one that all programs with a "
		     "redacted go build id share");
}

/* What a table that was found does not say of itself. */
static void warn_of_doubts(const struct gsym_golang *g,
			   const struct gsym_convert_options *options)
{
	if (g->is_old)
		return;
	if (g->is_guess)
		warn(options, GSYM_WARN_GO_TABLE,
		     "go table: it does not say where the code begins: "
		     "taken to be the start of the section .text");
	if (g->table.era >= PCLNTAB_1_18 && !g->table.has_trees)
		warn(options, GSYM_WARN_GO_TABLE,
		     "go table: its module data was not found: "
		     "inlined calls are missing");
}

/* Say in ERROR what is in the place of a table. */
static void describe_section(const struct gsym_container *c,
			     struct gsym_error *error)
{
	const struct gsym_container_section *s = table_section(c, false);

	if (!s)
		s = table_section(c, true);
	if (s)
		gsym_fail(error, GSYM_NOT_FOUND, s->file_offset,
			  "section %s: neither a table of Go 1.2 to 1.27 nor "
			  "an older one: it is newer, scrambled or damaged",
			  s->name);
}

enum gsym_status gsym_golang_open(const struct gsym_container *c,
				  const struct gsym_convert_options *options,
				  bool deep, struct gsym_golang **ret,
				  struct gsym_error *error)
{
	struct search s = { .container = c };
	struct gsym_golang *g;

	*ret = NULL;
	if (c->relocatable)
		return GSYM_NOT_FOUND;
	g = s.golang = calloc(1, sizeof(*g));
	if (!g)
		return GSYM_ERR_MEMORY;
	if (!gsym_memory_init(&g->memory, c)) {
		gsym_golang_close(g);
		return GSYM_ERR_MEMORY;
	}
	find_symbols(c, &s.symbols);
	if (find_table(&s, deep)) {
		gsym_pclntab_find_layout(&g->table);
	} else if (!find_old(g, c, &s.symbols)) {
		describe_section(c, error);
		gsym_golang_close(g);
		return GSYM_NOT_FOUND;
	}
	warn_of_doubts(g, options);
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
