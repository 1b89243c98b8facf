/* SPDX-License-Identifier: MIT */
/* Finds and reads the module data of the Go runtime. */
#include "go/go.h"

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

static bool try_module(const struct gsym_go *g, uint64_t address,
		       struct module *m)
{
	m->found = address && read_module(g, address, m) && is_module(g, m);
	return m->found;
}

/* Search writable memory: any word that is the table's address may be the
 * first word of the module data. */
static bool search(const struct gsym_go *g, struct module *m)
{
	unsigned word = g->memory.address_size;
	uint64_t wanted = g->table.address;

	for (size_t i = 0; i < g->memory.count; i++) {
		const struct gsym_segment *s = &g->memory.pieces[i];
		uint64_t at = -s->address & (word - 1);

		if (!s->writable)
			continue;
		for (; at < s->data_size && s->data_size - at >= word;
		     at += word) {
			const uint8_t *p = s->data + at;
			bool swap = g->memory.swap;

			if ((word == 8 ? gsym_load_u64(p, swap)
				       : gsym_load_u32(p, swap)) == wanted &&
			    try_module(g, s->address + at, m))
				return true;
		}
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
		search(g, m);
}

/* ---- inline trees ----------------------------------------------------- */

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
	size_t texts = 0;
	size_t k = 0;

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

/* ---- text ------------------------------------------------------------- */

/* Returns true if NAME is the name of the function at which programs start,
 * such as "_rt0_amd64_linux". "_rt0_amd64", "_rt0_amd64_linux_lib" and
 * "_rt0_arm_linux1" are no such names. */
static bool is_start(const char *name)
{
	const char *system;

	if (strncmp(name, "_rt0_", 5))
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

bool gsym_moduledata_apply(struct gsym_go *g, const struct gsym_container *c,
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
