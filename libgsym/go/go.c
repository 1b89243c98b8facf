/* SPDX-License-Identifier: MIT */
/* Finds the function table of a Go program, of any release, and the module data
 * that completes it. */
#include "go/go.h"

#include "aout/aout.h"
#include "base/error.h"

/* After so many places whose header and offsets are possible, but which are no
 * table, the search ends. */
enum { CANDIDATES = 64 };

/* Address of the segment that the linkers of 2008 made for their tables. */
static const uint64_t OLD_SEGMENT = 0x9900000000;

/* ---- module data ------------------------------------------------------- */

/*
 * The module data is a struct, laid out differently in each release since Go
 * 1.18, that says where the text and the inline trees of a function table lie.
 */

enum {
	/* Words to read.  In all releases the fields that are used have lower
	 * indexes. */
	WORDS = 56,
	/* Indexes of fields, in words. */
	MIN_PC = 20,
	TEXT = 22,
	TREES_1_18 = 38,
	TREES_1_20 = 40,
};

struct module {
	uint64_t words[WORDS];
	bool found;
};

static bool read_module(const struct gsym_go *g, uint64_t address,
			struct module *m)
{
	struct gsym_cursor c = gsym_memory_cursor(&g->memory, address);

	/* If memory ends before WORDS words, the other words are 0. */
	for (size_t i = 0; i < WORDS; i++)
		m->words[i] = gsym_cursor_uint(&c, g->memory.address_size);
	return gsym_cursor_offset(&c) >= 24u * g->memory.address_size;
}

/* Whether [TEXT[0], TEXT[1]) begins and ends in code. */
static bool is_text(const struct gsym_go *g, const uint64_t *text)
{
	return text[0] < text[1] &&
	       gsym_memory_is_code(&g->memory, text[0], text[0] + 1) &&
	       gsym_memory_is_code(&g->memory, text[1] - 1, text[1]);
}

/* Returns true if M is the module data of the table: the addresses of the
 * table's parts, the number of functions and the start of the first function
 * agree. */
static bool is_module(const struct gsym_go *g, const struct module *m)
{
	const struct gsym_pclntab *t = &g->table;
	const uint64_t *w = m->words;
	uint64_t parts = t->address;

	return w[0] == parts && w[1] == parts + t->names &&
	       w[4] == parts + t->units && w[7] == parts + t->files &&
	       w[10] == parts + t->values && w[13] == parts + t->functions &&
	       w[17] == t->count + 1 &&
	       w[MIN_PC] == w[TEXT] + gsym_pclntab_entry(t, 0) &&
	       is_text(g, &w[TEXT]);
}

/* Read the module data at ADDRESS, if they are there. */
static bool try_module(const struct gsym_go *g, uint64_t address,
		       struct module *m)
{
	m->found = address && read_module(g, address, m) && is_module(g, m);
	return m->found;
}

/* Search writable memory: any word that is the table's address may be the
 * first word of the module data. */
static bool search_module(const struct gsym_go *g, struct module *m)
{
	unsigned word = g->memory.address_size;
	uint64_t wanted = g->table.address;

	for (size_t i = 0; i < g->memory.count; i++) {
		const struct gsym_segment *s = &g->memory.pieces[i];
		uint64_t at = -s->address & (word - 1);

		if (!s->writable)
			continue;
		for (; at < s->data_size && s->data_size - at >= word;
		     at += word)
			if (gsym_load_uint(s->data + at, word,
					   g->memory.swap) == wanted &&
			    try_module(g, s->address + at, m))
				return true;
	}
	return false;
}

static void find_module(const struct gsym_go *g, const struct gsym_container *c,
			const struct go_symbols *symbols, struct module *m)
{
	const struct gsym_container_section *s =
		gsym_go_section(c, ".go.module", "__go_module");

	if (!(s && try_module(g, s->address, m)) &&
	    !try_module(g, symbols->module, m))
		search_module(g, m);
}

/*
 * The index of the word with the address of the inline trees, since Go 1.26;
 * 0: not found.  The trees follow the functions' records, and the next word is
 * the end of the table.  Searching for these two words finds the trees in the
 * struct of later releases, too.
 */
static size_t trees_after_records(const struct gsym_go *g,
				  const struct module *m)
{
	const uint64_t *w = m->words;
	uint64_t end = w[13] + w[14]; /* of the records */

	for (size_t k = 36; k + 5 < WORDS; k++)
		if (w[k] >= end && w[k] - end < 64 && w[k + 1] >= w[k] &&
		    w[k + 1] - g->table.address <= g->table.size)
			return k;
	return 0;
}

/* Read the text sections of a program that has several.  FIELD is a slice of
 * structs in memory: address, count and capacity. */
static void find_texts(struct gsym_go *g, const uint64_t *field)
{
	struct gsym_pclntab *t = &g->table;
	struct gsym_cursor c = gsym_memory_cursor(&g->memory, field[0]);
	size_t count = (size_t)field[1];

	if (field[1] < 2 || field[1] != field[2] ||
	    field[1] > sizeof(g->texts) / sizeof(g->texts[0]))
		return;
	for (size_t i = 0; i < count; i++) {
		g->texts[i].vaddr = gsym_cursor_uint(&c, t->pointer_size);
		g->texts[i].end = gsym_cursor_uint(&c, t->pointer_size);
		g->texts[i].base = gsym_cursor_uint(&c, t->pointer_size);
	}
	t->texts = g->texts;
	t->text_count = c.failed ? 0 : count;
}

/* Find the inline trees and the text sections. */
static void find_trees(struct gsym_go *g, const struct module *m)
{
	struct gsym_pclntab *t = &g->table;
	size_t texts = 0, k = 0;

	if (m->found && (t->era == PCLNTAB_1_18 || t->header_text)) {
		k = t->era == PCLNTAB_1_18 ? TREES_1_18 : TREES_1_20;
		texts = k + 1;
	} else if (m->found) {
		k = trees_after_records(g, m);
		texts = k + 2; /* after the end of the table */
	}
	if (!k)
		return;
	t->has_trees = true;
	t->trees = m->words[k];
	find_texts(g, &m->words[texts]);
}

/* Returns true if NAME is the name of the function at which programs start,
 * such as "_rt0_amd64_linux". "_rt0_amd64", "_rt0_amd64_linux_lib" and
 * "_rt0_arm_linux1" are no such names. */
static bool is_start(const char *name)
{
	enum { TOO_LONG = 32 }; /* many functions may share a name of 1 MiB */
	const char *system;

	if (strncmp(name, "_rt0_", 5) || strnlen(name, TOO_LONG) == TOO_LONG)
		return false;
	system = strchr(name + 5, '_');
	if (!system || !*++system)
		return false;
	return !strcmp(system, "plan9") ||
	       !system[strspn(system, "abcdefghijklmnopqrstuvwxyz")];
}

/* Compute *TEXT from the function that the program starts at.  False if there
 * is none in the table: programs that are linked with C start in C. */
static bool text_by_entry(const struct gsym_go *g,
			  const struct gsym_container *c, uint64_t *text)
{
	const struct gsym_pclntab *t = &g->table;

	if (c->mapped)
		c = c->mapped;
	for (uint64_t i = 0; i < t->count && c->entry; i++) {
		struct pclntab_function f;
		const char *name;

		if (!gsym_pclntab_function(t, i, &f))
			continue;
		name = gsym_pclntab_name(t, f.name);
		if (!name || !is_start(name) ||
		    gsym_pclntab_entry(t, i) > c->entry)
			continue;
		*text = c->entry - gsym_pclntab_entry(t, i);
		return gsym_memory_is_code(&g->memory, *text, *text + 1);
	}
	return false;
}

static void find_text(struct gsym_go *g, const struct gsym_container *c,
		      const struct go_symbols *symbols, const struct module *m)
{
	struct gsym_pclntab *t = &g->table;
	const struct gsym_container_section *s;

	if (m->found) {
		t->text = m->words[TEXT];
		return;
	}
	t->text = t->header_text ? t->header_text : symbols->text;
	if (t->text || text_by_entry(g, c, &t->text))
		return;
	s = gsym_go_section(c, ".text", "__text");
	t->text = s ? s->address : c->text.count ? c->text.items[0].start : 0;
	g->text_is_guess = true;
}

/* Complete the table of G, whose header was read, from the module data, symbols
 * and code of C: the address of the text and of the inline trees.  False if the
 * table's functions do not lie in code: it is no function table. */
static bool complete_table(struct gsym_go *g, const struct gsym_container *c,
			   const struct go_symbols *symbols)
{
	const struct gsym_pclntab *t = &g->table;
	struct module m = { .found = false };
	uint64_t text[2];

	g->text_is_guess = false;
	/* Tables of older releases have addresses, not offsets in the text. */
	if (t->era >= PCLNTAB_1_18) {
		find_module(g, c, symbols, &m);
		find_text(g, c, symbols, &m);
		find_trees(g, &m);
	}
	text[0] = gsym_pclntab_address(t, 0);
	text[1] = gsym_pclntab_address(t, t->count);
	return is_text(g, text);
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
	       complete_table(g, s->container, &s->symbols);
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
static bool try_module_section(struct search *s)
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
			if (!pclntab_is_header(p->data + at, memory->swap) ||
			    !gsym_pclntab_possible(memory, p->data + at,
						   p->data_size - at))
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
	       try_module_section(s) || (everywhere && try_everywhere(s));
}

/* ---- the tables of Go 1.1 and older ------------------------------------ */

static bool take_old(struct gsym_go *g, const struct gsym_container *c,
		     enum plan9_dialect dialect, struct gsym_cursor symbols,
		     struct gsym_cursor lines)
{
	g->is_old = true;
	g->old = (struct gsym_plan9){
		.symbols = symbols.at,
		.symbol_size = gsym_cursor_left(&symbols),
		.lines = lines.at,
		.line_size = gsym_cursor_left(&lines),
		.dialect = dialect,
		/* Of the processors of Go 1.1 and older only ARM has
		 * instructions of a fixed size. */
		.quantum = c->code_bit0 || !strcmp(c->architecture, "arm") ? 4
									   : 1,
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
			gsym_container_cursor(c, s),
			gsym_container_cursor(c, l));
}

/* Let C end SIZE bytes after its place.  False if it has fewer. */
static bool cut_cursor(struct gsym_cursor *c, uint64_t size)
{
	if (!gsym_cursor_need(c, size))
		return false;
	c->end = c->at + size;
	return true;
}

/* The linkers of 2008 put both tables into a segment of their own. */
static bool find_segment(struct gsym_go *g, const struct gsym_container *c)
{
	struct gsym_cursor symbols =
		gsym_memory_cursor(&g->memory, OLD_SEGMENT);
	uint64_t symbol_size = gsym_cursor_u32(&symbols);
	uint64_t line_size = gsym_cursor_u32(&symbols);
	struct gsym_cursor lines = symbols;

	gsym_cursor_skip(&lines, symbol_size);
	return symbol_size && cut_cursor(&lines, line_size) &&
	       cut_cursor(&symbols, symbol_size) &&
	       take_old(g, c, PLAN9_2008, symbols, lines);
}

static bool find_sections(struct gsym_go *g, const struct gsym_container *c)
{
	const struct gsym_container_section *s =
		gsym_go_section(c, ".gosymtab", "__gosymtab");
	const struct gsym_container_section *l = table_section(c, false);

	return s && l &&
	       take_old(g, c, PLAN9_ANY, gsym_container_cursor(c, s),
			gsym_container_cursor(c, l));
}

/* PE programs have no sections for the tables, only symbols. */
static bool find_by_symbols(struct gsym_go *g, const struct gsym_container *c,
			    const struct go_symbols *symbols)
{
	struct gsym_cursor s = gsym_memory_cursor(&g->memory, symbols->symbols);
	struct gsym_cursor l = gsym_memory_cursor(&g->memory, symbols->table);

	return symbols->symbols && symbols->table &&
	       symbols->symbols_end > symbols->symbols &&
	       symbols->table_end > symbols->table &&
	       cut_cursor(&s, symbols->symbols_end - symbols->symbols) &&
	       cut_cursor(&l, symbols->table_end - symbols->table) &&
	       take_old(g, c, PLAN9_ANY, s, l);
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
		gsym_container_tell(options, GSYM_WARN_GO_TABLE,
				    "build id: it is the one that all programs "
				    "with a redacted go build id share");
}

/* Warn of facts that neither the table nor the module data have. */
static void warn_of_doubts(const struct gsym_go *g,
			   const struct gsym_convert_options *options)
{
	if (g->is_old)
		return;
	if (g->text_is_guess)
		gsym_container_tell(
			options, GSYM_WARN_GO_TABLE,
			"go table: it does not say where the code begins: "
			"taken to be the start of the section .text");
	if (g->table.era >= PCLNTAB_1_18 && !g->table.has_trees)
		gsym_container_tell(options, GSYM_WARN_GO_TABLE,
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
	if (!g || !gsym_memory_init(&g->memory, c)) {
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
