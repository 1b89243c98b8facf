/* SPDX-License-Identifier: MIT */
/* Finds the function table of a Go program, of any release. */
#include "go/go.h"

#include "aout/aout.h"
#include "base/error.h"

/* After so many places that look like a table, but are none, the search
 * ends. */
enum { CANDIDATES = 64 };

/* Address of the segment that the linkers of 2008 made for their tables. */
static const uint64_t OLD_SEGMENT = 0x9900000000;

static void warn(const struct gsym_convert_options *options,
		 enum gsym_warning kind, const char *text)
{
	if (options->warn)
		options->warn(options->context, kind, text);
}

/* ---- the table of Go 1.2 and later, which has a header ---------------- */

struct search {
	struct gsym_go *go;
	const struct gsym_container *container;
	struct go_symbols symbols;
};

/* Use the table at ADDRESS, if there is one.  END is the end of the table; 0:
 * not known. */
static bool try_table(struct search *s, uint64_t address, uint64_t end)
{
	struct gsym_go *g = s->go;
	struct gsym_cursor c = gsym_memory_cursor(&g->memory, address);
	size_t size = gsym_cursor_left(&c);

	if (end > address && end - address < size)
		size = (size_t)(end - address);
	return size &&
	       gsym_pclntab_open(&g->memory, address, c.at, size, &g->table) &&
	       gsym_moduledata_apply(g, s->container, &s->symbols);
}

/* The section with the table.  RELRO is its name in programs in which the
 * loader relocates pointers of the table. */
static const struct gsym_container_section *
table_section(const struct gsym_container *c, bool relro)
{
	return relro ? gsym_go_section(c, ".data.rel.ro.gopclntab", "")
		     : gsym_go_section(c, ".gopclntab", "__gopclntab");
}

static bool try_section(struct search *s, bool relro)
{
	const struct gsym_container_section *section =
		table_section(s->container, relro);

	return section && try_table(s, section->address,
				    section->address + section->data_size);
}

/* The first word of the module data is the table's address. */
static bool try_module(struct search *s)
{
	const struct gsym_container_section *section =
		gsym_go_section(s->container, ".go.module", "__go_module");
	const struct gsym_memory *memory = &s->go->memory;
	struct gsym_cursor c;

	if (!section)
		return false;
	c = gsym_memory_cursor(memory, section->address);
	return try_table(s, gsym_cursor_uint(&c, memory->address_size), 0);
}

/* Whether the 8 bytes at P may begin a table: a magic number and two zeros. */
static inline bool is_header(const uint8_t *p, bool swap)
{
	uint32_t magic = gsym_load_u32(p, swap);

	return magic >= 0xfffffff0 &&
	       (magic == 0xfffffffb || magic == 0xfffffffa ||
		magic <= 0xfffffff1) &&
	       !p[4] && !p[5];
}

static bool try_everywhere(struct search *s)
{
	const struct gsym_memory *memory = &s->go->memory;
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

static bool find_table(struct search *s, bool everywhere)
{
	return try_section(s, false) || try_section(s, true) ||
	       (s->symbols.table &&
		try_table(s, s->symbols.table, s->symbols.table_end)) ||
	       try_module(s) || (everywhere && try_everywhere(s));
}

/* ---- the tables of Go 1.1 and older ------------------------------------ */

/* Bytes of the smallest instruction.  Of the processors of Go 1.1 and older
 * only ARM has instructions of a fixed size. */
static unsigned old_quantum(const struct gsym_container *c)
{
	return c->code_bit0 || !strcmp(c->architecture, "arm") ? 4 : 1;
}

static bool take_old(struct gsym_go *g, const struct gsym_container *c,
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

/* Programs of Plan 9 have sections with these names whatever compiler made
 * them. */
static bool find_plan9(struct gsym_go *g, const struct gsym_container *c)
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

/* The linkers of 2008 put both tables into a segment of their own. */
static bool find_segment(struct gsym_go *g, const struct gsym_container *c)
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

static bool find_sections(struct gsym_go *g, const struct gsym_container *c)
{
	const struct gsym_container_section *s =
		gsym_go_section(c, ".gosymtab", "__gosymtab");
	const struct gsym_container_section *l = table_section(c, false);

	return s && l &&
	       take_old(g, c, PLAN9_ANY, s->data, s->data_size, l->data,
			l->data_size);
}

/* PE programs have no sections for the tables, only symbols. */
static bool find_by_symbols(struct gsym_go *g, const struct gsym_container *c,
			    const struct go_symbols *symbols)
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

static bool find_old(struct gsym_go *g, const struct gsym_container *c,
		     const struct go_symbols *symbols)
{
	return find_segment(g, c) || find_plan9(g, c) || find_sections(g, c) ||
	       find_by_symbols(g, c, symbols);
}

/* ---- both -------------------------------------------------------------- */

void gsym_go_close(struct gsym_go *g)
{
	if (g)
		gsym_memory_fini(&g->memory);
	free(g);
}

/* Go's linker hashes the Go build ID to make the build ID: a SHA-256 whose
 * first byte is replaced, in some releases by b7 and in others by 49.  So all
 * programs whose Go build ID is the text "redacted" have one build ID. */
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

/* Warn of facts that neither the table nor the module data have. */
static void warn_of_doubts(const struct gsym_go *g,
			   const struct gsym_convert_options *options)
{
	if (g->is_old)
		return;
	if (g->text_is_guess)
		warn(options, GSYM_WARN_GO_TABLE,
		     "go table: it does not say where the code begins: "
		     "taken to be the start of the section .text");
	if (g->table.era >= PCLNTAB_1_18 && !g->table.has_trees)
		warn(options, GSYM_WARN_GO_TABLE,
		     "go table: its module data was not found: "
		     "inlined calls are missing");
}

/* Fill in ERROR if a section has the name of the table's section. */
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

/* Returns true if there are symbols of code: these can be converted without a
 * table. */
static bool has_code_symbols(const struct gsym_container *c)
{
	for (size_t i = 0; i < c->symbols.count; i++) {
		size_t section = c->symbols.items[i].section;

		if (section < c->sections.count &&
		    c->sections.items[section].executable)
			return true;
	}
	return false;
}

/* Returns true if the section names or symbols of C show that it has a table of
 * any kind. */
static bool is_named(const struct gsym_container *c,
		     const struct go_symbols *symbols)
{
	uint64_t left;

	return symbols->any || gsym_go_has_sections(c) || symbols->table ||
	       c->format == GSYM_FORMAT_PLAN9 ||
	       gsym_container_bytes(c->mapped ? c->mapped : c, OLD_SEGMENT,
				    &left);
}

enum gsym_status gsym_go_open(const struct gsym_container *c,
			      const struct gsym_convert_options *options,
			      enum gsym_go_search search, struct gsym_go **ret,
			      struct gsym_error *error)
{
	struct search s = { .container = c };
	struct gsym_go *g;
	bool named, everywhere;

	*ret = NULL;
	if (c->relocatable)
		return GSYM_NOT_FOUND;
	/* Nothing above reads the program's code and data, which are not needed
	 * for most programs. */
	gsym_go_find_symbols(c, &s.symbols);
	named = is_named(c, &s.symbols);
	everywhere = search == GSYM_GO_ANYWHERE ||
		     (search == GSYM_GO_LIKELY &&
		      (named || !has_code_symbols(c) || gsym_go_has_marks(c)));
	if (!named && !everywhere)
		return GSYM_NOT_FOUND;
	g = s.go = calloc(1, sizeof(*g));
	if (!g)
		return GSYM_ERR_MEMORY;
	if (!gsym_memory_init(&g->memory, c)) {
		gsym_go_close(g);
		return GSYM_ERR_MEMORY;
	}
	if (find_table(&s, everywhere)) {
		gsym_pclntab_find_layout(&g->table);
	} else if (!find_old(g, c, &s.symbols)) {
		describe_section(c, error);
		gsym_go_close(g);
		return GSYM_NOT_FOUND;
	}
	warn_of_doubts(g, options);
	check_identity(c, options);
	*ret = g;
	return GSYM_OK;
}

enum gsym_status
gsym_go_convert(const struct gsym_go *g,
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
