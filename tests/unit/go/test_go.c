/* SPDX-License-Identifier: MIT */
/* Finding Go's function table in a program, and its text and inline trees. */
#include "config.h"

#include "go/go.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	CODE = 0x401000,
	CODE_SIZE = 0x1000,
	TABLE = 0x500008,
	TABLE_ROOM = 1024,
	MODULE = 0x600000,
	MODULE_WORDS = 60,
	FIRST = 0x20, /**< offset of the first function */
	LAST = 0x90,  /**< offset of the end of the last one */
};

/* A program with a table of Go 1.20 or later that has three functions, and a
 * call inlined into the last one. */
struct program {
	uint8_t code[CODE_SIZE];
	uint8_t table[TABLE_ROOM];
	uint8_t module[8 * MODULE_WORDS];
	struct gsym_container_section sections[8];
	struct gsym_symbol symbols[8];
	struct gsym_segment segments[3];
	struct gsym_range text;
	struct gsym_container container;
	/* Offsets in the table. */
	size_t parts[5];
	size_t records_end, trees, end;
	char said[512]; /* warnings and errors */
};

static void put(uint8_t *bytes, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static size_t put_text(uint8_t *bytes, size_t at, const char *text)
{
	memcpy(bytes + at, text, strlen(text) + 1);
	return at + strlen(text) + 1;
}

/* Make the table, with TEXT in its header and the tree GAP bytes after the
 * records. */
static void make_table(struct program *p, uint64_t text, size_t gap)
{
	enum { HEADER = 72, RECORD = 72 };
	static const char *const names[] = { "_rt0_amd64", "_rt0_amd64_linux",
					     "main.f" };
	static const uint32_t entries[] = { FIRST, 0x40, 0x60, LAST };
	uint8_t *t = p->table;
	size_t offsets[4], at = HEADER, functions;

	memset(t, 0, TABLE_ROOM);
	memcpy(t, "\xf1\xff\xff\xff\0\0\1\10", 8);
	put(t, 8, 3, 8);
	put(t, 16, 1, 8);
	put(t, 24, text, 8);
	p->parts[0] = at;
	for (size_t i = 0; i < 3; i++) {
		offsets[i] = at - HEADER;
		at = put_text(t, at, names[i]);
	}
	offsets[3] = at - HEADER;
	at = put_text(t, at, "main.g");
	p->parts[1] = at = (at + 3) & ~(size_t)3;
	p->parts[2] = at += 4;
	p->parts[3] = at = put_text(t, at, "/w/m.go");
	memcpy(t + at, "\0\2\x30\0\6\x30\0\0\x10\2\x10\1\x10\0", 14);
	p->parts[4] = functions = (at + 14 + 7) & ~(size_t)7;
	for (size_t i = 0; i < 5; i++)
		put(t, 32 + 8 * i, p->parts[i], 8);
	at = functions + 28;
	for (size_t i = 0; i < 4; i++) {
		put(t, functions + 8 * i, entries[i], 4);
		if (i == 3)
			break;
		put(t, functions + 8 * i + 4, at - functions, 4);
		put(t, at, entries[i], 4);
		put(t, at + 4, offsets[i], 4);
		put(t, at + 20, 1, 4);
		put(t, at + 24, 4, 4);
		put(t, at + 28, 3, 4);
		put(t, at + 36, 2, 4);
		t[at + 43] = 4;
		put(t, at + 52, i == 2 ? 7 : 0, 4);
		put(t, at + 68, i == 2 ? 0 : UINT32_MAX, 4);
		at += RECORD;
	}
	p->records_end = at;
	p->trees = at + gap;
	/* Only the tree itself is sound, not the bytes before and after it. */
	memset(t + at, 0xff, gap + 64);
	memset(t + p->trees, 0, 16);
	t[p->trees] = 7; /* the kind of function, which nobody reads */
	put(t, p->trees + 4, offsets[3], 4);
	put(t, p->trees + 12, 9, 4);
	p->end = p->trees + 16;
}

/* Make the module data, with the address of the trees in word TREES. */
static void make_module(struct program *p, size_t trees)
{
	uint64_t words[MODULE_WORDS] = { TABLE };

	for (size_t i = 0; i < 5; i++) {
		words[1 + 3 * i] = TABLE + p->parts[i];
		words[2 + 3 * i] = words[3 + 3 * i] =
			(i < 4 ? p->parts[i + 1] : p->records_end) -
			p->parts[i];
	}
	words[16] = TABLE + p->parts[4];
	words[17] = words[18] = 4;
	words[20] = CODE + FIRST;
	words[21] = CODE + LAST;
	words[22] = CODE;
	words[23] = CODE + CODE_SIZE;
	words[trees] = TABLE + p->trees;
	words[trees + 1] = TABLE + p->end;
	for (size_t i = 0; i < MODULE_WORDS; i++)
		put(p->module, 8 * i, words[i], 8);
}

static void make_program(struct program *p)
{
	memset(p, 0, sizeof(*p));
	make_table(p, 0, 40);
	make_module(p, 40);
	p->segments[0] = (struct gsym_segment){
		.address = CODE, .data = p->code, .data_size = CODE_SIZE,
		.executable = true };
	p->segments[1] = (struct gsym_segment){
		.address = TABLE, .data = p->table, .data_size = TABLE_ROOM };
	p->segments[2] = (struct gsym_segment){
		.address = MODULE, .data = p->module,
		.data_size = sizeof(p->module), .writable = true };
	p->text = (struct gsym_range){ CODE, CODE + CODE_SIZE };
	p->container = (struct gsym_container){
		.format = GSYM_FORMAT_ELF,
		.address_size = 8,
		.sections = { .items = p->sections },
		.symbols = { .items = p->symbols },
		.segments = { .items = p->segments, .count = 3 },
		.text = { .items = &p->text, .count = 1 },
	};
}

static void add_section(struct program *p, const char *name, uint64_t address,
			const uint8_t *data, uint64_t size)
{
	p->sections[p->container.sections.count++] =
		(struct gsym_container_section){
			.name = name, .address = address, .size = size,
			.data = data, .data_size = size, .loaded = true };
}

static void add_symbol(struct program *p, const char *name, uint64_t value)
{
	p->symbols[p->container.symbols.count++] =
		(struct gsym_symbol){ .name = name, .value = value };
}

static void say(struct program *p, const char *text)
{
	if (!*text)
		return;
	snprintf(p->said + strlen(p->said), sizeof(p->said) - strlen(p->said),
		 "%s\n", text);
}

static void note(void *context, enum gsym_warning kind, const char *text)
{
	cr_assert_eq(kind, GSYM_WARN_GO_TABLE);
	say(context, text);
}

static struct gsym_go *open_program(struct program *p, bool deep)
{
	const struct gsym_convert_options options = { .warn = note,
						      .context = p };
	struct gsym_error error = { 0 };
	struct gsym_go *g = NULL;
	enum gsym_status status;

	*p->said = '\0';
	status = gsym_go_open(&p->container, &options,
			      deep ? GSYM_GO_LIKELY : GSYM_GO_NAMED, &g,
			      &error);
	cr_assert_eq(status, g ? GSYM_OK : GSYM_NOT_FOUND);
	cr_assert(!g || !*error.message);
	if (!g)
		say(p, error.message);
	return g;
}

/* Whether the table at TABLE is found.  Its text then has to begin at CODE, and
 * its trees to be known. */
static bool is_found(struct program *p, bool deep)
{
	struct gsym_go *g = open_program(p, deep);
	bool found = g && g->table.address == TABLE;

	if (found) {
		cr_assert_eq(g->table.text, CODE, "0x%" PRIx64, g->table.text);
		cr_assert(g->table.has_trees);
		cr_assert_eq(g->table.trees, TABLE + p->trees);
	}
	gsym_go_close(g);
	return found;
}

/* ---- finding the table ------------------------------------------------- */

Test(go, sections)
{
	static const char *const names[] = { ".gopclntab",
					     ".data.rel.ro.gopclntab",
					     "__TEXT,__gopclntab",
					     "__DATA_CONST,__gopclntab" };
	struct program p;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		make_program(&p);
		add_section(&p, names[i], TABLE, p.table, TABLE_ROOM);
		cr_assert(is_found(&p, false), "%s", names[i]);
		cr_assert_str_empty(p.said);
		/* A section that is not loaded does not count. */
		p.sections[0].loaded = false;
		cr_assert_not(is_found(&p, false), "%s", names[i]);
	}
	add_section(&p, ".gopclntab2", TABLE, p.table, TABLE_ROOM);
	cr_assert_not(is_found(&p, false));
}

Test(go, symbols)
{
	static const char *const names[][2] = {
		{ "runtime.pclntab", "runtime.epclntab" },
		{ "pclntab", "epclntab" },
	};
	struct program p;

	for (size_t i = 0; i < 2; i++) {
		make_program(&p);
		add_symbol(&p, names[i][0], TABLE);
		cr_assert(is_found(&p, false), "%s", names[i][0]);
		/* The other symbol is the end of the table. */
		add_symbol(&p, names[i][1], TABLE + p.parts[4] + 8);
		cr_assert_not(is_found(&p, false), "%s", names[i][1]);
		p.symbols[1].value = TABLE + p.end;
		cr_assert(is_found(&p, false), "%s", names[i][1]);
	}
}

Test(go, module_section)
{
	static const char *const names[] = { ".go.module",
					     "__DATA,__go_module" };
	struct program p;

	for (size_t i = 0; i < 2; i++) {
		make_program(&p);
		p.segments[2].writable = false;
		add_section(&p, names[i], MODULE, p.module, sizeof(p.module));
		cr_assert(is_found(&p, false), "%s", names[i]);
	}
}

/* A deep search covers all memory, and goes on after bytes that only look like
 * a table. */
Test(go, search)
{
	struct program p;

	make_program(&p);
	cr_assert_not(is_found(&p, false));
	cr_assert(is_found(&p, true));
	memcpy(p.code + 8, p.table, 8);
	memcpy(p.code + 80, p.table, 600);
	put(p.code + 80, p.parts[4], CODE_SIZE + 1, 4);
	cr_assert(is_found(&p, true));
	/* Headers are aligned. */
	p.segments[1].address++;
	cr_assert_null(open_program(&p, true));
}

/* Words that cannot begin a table do not end the search, however many there
 * are: the magic number alone, and whole headers without a table behind. */
Test(go, search_behind_impossible_words)
{
	static const char *const words[] = {
		"\xf1\xff\xff\xff\0\0\0\0",
		"\xf1\xff\xff\xff\0\0\1\4",
		"\xf1\xff\xff\xff\0\0\3\10",
		"\xf1\xff\xff\xff\0\0\1\10",
		"\xfb\xff\xff\xff\0\0\1\10",
		"\xfa\xff\xff\xff\0\0\1\10",
	};
	struct program p;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		make_program(&p);
		for (size_t k = 0; k < 100; k++)
			memcpy(p.code + 8 * k, words[i], 8);
		cr_expect(is_found(&p, true), "%zu", i);
	}
}

/* Whether the table is found in a program with a symbol for code, and with
 * neither names nor marks of Go, once ADD has added to it. */
static bool is_found_with(enum gsym_go_search search,
			  void (*add)(struct program *p, const void *what),
			  const void *what)
{
	const struct gsym_convert_options options = { 0 };
	struct gsym_go *g = NULL;
	struct program p;
	bool found;

	make_program(&p);
	add_section(&p, ".text", CODE, p.code, CODE_SIZE);
	p.sections[0].executable = true;
	add_symbol(&p, "main", CODE);
	if (add)
		add(&p, what);
	gsym_go_open(&p.container, &options, search, &g, NULL);
	found = g;
	gsym_go_close(g);
	return found;
}

static void name_section(struct program *p, const void *name)
{
	add_section(p, name, MODULE, p->module, 8);
}

static void name_symbol(struct program *p, const void *name)
{
	add_symbol(p, name, 8);
}

static void mark_code(struct program *p, const void *mark)
{
	strcpy((char *)p->code + 2, mark);
}

static void mark_data(struct program *p, const void *mark)
{
	strcpy((char *)p->table + TABLE_ROOM - 24, mark);
}

/* The program has a symbol, but not one for code. */
static void no_code(struct program *p, const void *unused)
{
	(void)unused;
	p->symbols[0].section = GSYM_NO_SECTION;
}

/* The only symbol of the program is one for data. */
static void no_code_but_data(struct program *p, const void *unused)
{
	(void)unused;
	add_section(p, ".rodata", MODULE, p->module, 8);
	p->symbols[0].section = 1;
}

/* All memory is searched only if something tells that the program may be
 * Go's, or if it has no other functions. */
Test(go, likely_programs)
{
	static const char *const sections[] = {
		".go.buildinfo", ".note.go.buildid", "__DATA,__go_buildinfo",
		".gosymtab",
	};
	static const char *const symbols[] = { "runtime.main",
					       "_cgo_topofstack" };
	static const char *const others[] = { "runtime", "main.main", "_cgo",
					      "c_cgo_f" };

	cr_expect_not(is_found_with(GSYM_GO_LIKELY, NULL, NULL));
	cr_expect(is_found_with(GSYM_GO_ANYWHERE, NULL, NULL));
	cr_expect(is_found_with(GSYM_GO_LIKELY, no_code, NULL));
	cr_expect(is_found_with(GSYM_GO_LIKELY, no_code_but_data, NULL));
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		cr_expect(is_found_with(GSYM_GO_LIKELY, name_section,
					sections[i]), "%s", sections[i]);
	cr_expect_not(is_found_with(GSYM_GO_LIKELY, name_section, ".gold"));
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		cr_expect(is_found_with(GSYM_GO_LIKELY, name_symbol,
					symbols[i]), "%s", symbols[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_expect_not(is_found_with(GSYM_GO_LIKELY, name_symbol,
					    others[i]), "%s", others[i]);
	/* Each mark is searched in its own kind of memory. */
	cr_expect(is_found_with(GSYM_GO_LIKELY, mark_code,
				"\xff Go build ID: \"a\""));
	cr_expect_not(is_found_with(GSYM_GO_LIKELY, mark_data,
				    "\xff Go build ID: \"a\""));
	cr_expect(is_found_with(GSYM_GO_LIKELY, mark_data,
				"\xff Go buildinf:"));
	cr_expect_not(is_found_with(GSYM_GO_LIKELY, mark_code,
				    "\xff Go buildinf:"));
	/* Names and marks do not matter if only named places are wanted. */
	cr_expect_not(is_found_with(GSYM_GO_NAMED, no_code, NULL));
	cr_expect_not(is_found_with(GSYM_GO_NAMED, name_symbol,
				    "runtime.main"));
	cr_expect_not(is_found_with(GSYM_GO_NAMED, mark_data,
				    "\xff Go buildinf:"));
}

static void mark_large_data(struct program *p, const void *at)
{
	static uint8_t bytes[80 << 10];

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes + *(const size_t *)at, "\xff Go buildinf:", 14);
	p->segments[2].data = bytes;
	p->segments[2].data_size = sizeof(bytes);
}

/* Marks are searched in the first 64 KiB of a segment. */
Test(go, marks_in_large_segments)
{
	for (size_t at = (64 << 10) - 15; at <= (64 << 10) - 13; at++)
		cr_expect_eq(is_found_with(GSYM_GO_LIKELY, mark_large_data,
					   &at), at + 14 <= 64 << 10, "%zu",
			     at);
}

/* The first and the last function have to be in code. */
Test(go, not_in_code)
{
	struct gsym_go *g;
	struct program p;

	for (unsigned i = 0; i < 3; i++) {
		make_program(&p);
		add_section(&p, ".gopclntab", TABLE, p.table, TABLE_ROOM);
		make_table(&p, i == 0 ? CODE : i == 1 ? CODE - FIRST - 1
						      : CODE + CODE_SIZE -
							LAST + 1, 40);
		p.container.segments.count = 2;
		g = open_program(&p, true);
		cr_assert_eq(!g, i > 0, "%u", i);
		gsym_go_close(g);
	}
}

static void check_scrambled(const char *name, bool is_told)
{
	char text[100];
	struct program p;

	make_program(&p);
	add_section(&p, name, TABLE, p.table, TABLE_ROOM);
	p.table[0] = 0xf5;
	cr_assert_not(is_found(&p, true));
	snprintf(text, sizeof(text), "section %s: neither", name);
	cr_assert_eq(!strncmp(p.said, text, strlen(text)), is_told, "%s: %s",
		     name, p.said);
}

/* The error names a section that should have a table and has none. */
Test(go, scrambled)
{
	check_scrambled(".gopclntab", true);
	check_scrambled(".data.rel.ro.gopclntab", true);
	check_scrambled("__TEXT,__gopclntab", true);
	check_scrambled(".rodata", false);
}

Test(go, relocatable)
{
	struct program p;

	make_program(&p);
	add_section(&p, ".gopclntab", TABLE, p.table, TABLE_ROOM);
	p.container.relocatable = true;
	cr_assert_not(is_found(&p, true));
	cr_assert_str_empty(p.said);
}

/* ---- module data ------------------------------------------------------- */

/* Module data are found by a symbol in any memory, or by their first word in
 * writable memory. */
Test(go, module_places)
{
	struct program p;

	make_program(&p);
	p.segments[2].writable = false;
	gsym_go_close(open_program(&p, true));
	cr_assert(strstr(p.said, "its module data was not found"));
	add_symbol(&p, "runtime.firstmoduledata", MODULE);
	cr_assert(is_found(&p, true));
	cr_assert_str_empty(p.said);
}

/* Each word that agrees with the table is checked. */
Test(go, module_words)
{
	static const unsigned words[] = { 0, 1, 4, 7, 10, 13, 17, 20 };
	struct program p;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		make_program(&p);
		p.module[8 * words[i]]++;
		gsym_go_close(open_program(&p, true));
		cr_assert(strstr(p.said, "module data was not found"), "%u",
			  words[i]);
	}
	/* Text that begins or ends outside of code. */
	for (unsigned i = 0; i < 4; i++) {
		make_program(&p);
		put(p.module, i < 2 ? 8 * 22 : 8 * 23,
		    i == 0   ? CODE - 1
		    : i == 1 ? CODE + CODE_SIZE
		    : i == 2 ? CODE
			     : CODE + CODE_SIZE + 1, 8);
		if (i == 0)
			put(p.module, 8 * 20, CODE - 1 + FIRST, 8);
		if (i == 1)
			put(p.module, 8 * 20, CODE + CODE_SIZE + FIRST, 8);
		gsym_go_close(open_program(&p, true));
		cr_assert(strstr(p.said, "module data was not found"), "%u",
			  i);
	}
}

/* Since Go 1.26 the trees are found anywhere in the struct, by the word after
 * their address; before Go 1.26 at a fixed word. */
Test(go, trees_in_module)
{
	static const size_t words[] = { 40, 43, 47 };
	struct gsym_go *g;
	struct program p;

	for (size_t i = 0; i < 3; i++) {
		make_program(&p);
		make_module(&p, words[i]);
		cr_assert(is_found(&p, true), "%zu", words[i]);
	}
	make_program(&p);
	make_table(&p, CODE, 40);
	make_module(&p, 40);
	put(p.module, 8 * 40, 0x1234567, 8);
	g = open_program(&p, true);
	cr_assert_eq(g->table.trees, 0x1234567);
	gsym_go_close(g);
}

/* Text in several sections, before and since Go 1.26. */
Test(go, texts)
{
	for (unsigned since = 0; since < 2; since++) {
		struct gsym_go *g;
		struct program p;
		size_t at = since ? 42 : 41;

		make_program(&p);
		make_table(&p, since ? 0 : CODE, 40);
		make_module(&p, 40);
		put(p.module, 8 * at, MODULE + 8 * 50, 8);
		put(p.module, 8 * (at + 1), 2, 8);
		put(p.module, 8 * (at + 2), 2, 8);
		put(p.module, 8 * 51, 0x50, 8);
		put(p.module, 8 * 52, CODE, 8);
		put(p.module, 8 * 53, 0x50, 8);
		put(p.module, 8 * 54, LAST, 8);
		put(p.module, 8 * 55, CODE + 0x200, 8);
		g = open_program(&p, true);
		cr_assert(g);
		cr_assert_eq(g->table.text_count, 2, "%u", since);
		cr_assert_eq(gsym_pclntab_address(&g->table, 0), CODE + FIRST);
		cr_assert_eq(gsym_pclntab_address(&g->table, 2),
			     CODE + 0x210);
		gsym_go_close(g);
		/* A slice of one element, or with more capacity, does not
		 * count. */
		put(p.module, 8 * (at + 1), 1, 8);
		g = open_program(&p, true);
		cr_assert_eq(g->table.text_count, 0);
		gsym_go_close(g);
	}
}

/* ---- without module data ----------------------------------------------- */

static uint64_t text_of(struct program *p)
{
	struct gsym_go *g = open_program(p, true);
	uint64_t text = g ? g->table.text : 0;

	gsym_go_close(g);
	return text;
}

/* The start of the text is taken from the header, a symbol, the function that
 * the program starts at, or the section .text, in this order. */
Test(go, text_without_module)
{
	struct program p;

	make_program(&p);
	p.container.segments.count = 2;
	p.text.start = CODE + 0x300;
	cr_assert_eq(text_of(&p), CODE + 0x300);
	cr_assert(strstr(p.said, "does not say where the code begins"));
	add_section(&p, ".text", CODE + 0x400, p.code, CODE_SIZE - 0x400);
	cr_assert_eq(text_of(&p), CODE + 0x400);
	cr_assert(strstr(p.said, "does not say where the code begins"));
	p.container.entry = CODE + 0x140; /* _rt0_amd64_linux */
	cr_assert_eq(text_of(&p), CODE + 0x100);
	cr_assert_not(strstr(p.said, "does not say where the code begins"));
	add_symbol(&p, "runtime.text", CODE + 0x80);
	cr_assert_eq(text_of(&p), CODE + 0x80);
	make_table(&p, CODE + 8, 40);
	cr_assert_eq(text_of(&p), CODE + 8);
}

/* Not every function whose name begins with _rt0_ is the start. */
Test(go, start)
{
	static const struct sample {
		const char *name;
		bool is_start;
	} samples[] = {
		{ "_rt0_amd64_linux", true }, { "_rt0_arm64_plan9", true },
		{ "_rt0_arm_linux_lib", false }, { "_rt0_arm_linux1", false },
		{ "x_rt0_arm_linux", false }, { "_rt0_arm_", false },
		{ "_rt0_amd64", false },
		{ "_rt0_anamethatistoolongfor_linux", false },
	};
	struct program p;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		make_program(&p);
		p.container.segments.count = 2;
		p.container.entry = CODE + 0x140;
		/* Write the name of the function at 0x40, over its old name and
		 * those after that. */
		put_text(p.table, p.parts[0] + 11, samples[i].name);
		cr_assert_eq(text_of(&p),
			     samples[i].is_start ? CODE + 0x100 : CODE,
			     "%s", samples[i].name);
	}
}

/* The trees follow the records, with some alignment; damaged trees there are
 * not used. */
Test(go, trees_without_module)
{
	struct gsym_go *g;
	struct program p;
	size_t end;

	make_program(&p);
	p.container.segments.count = 2;
	end = TABLE + p.records_end;
	for (unsigned align = 4; align <= 32; align *= 2) {
		make_table(&p, 0, -end % align);
		cr_assert(is_found(&p, true), "%u", align);
		p.table[p.trees + 4]++; /* no string begins there */
		g = open_program(&p, true);
		cr_assert_not(g->table.has_trees);
		cr_assert(strstr(p.said, "inlined calls are missing"));
		gsym_go_close(g);
	}
	/* Tables with a text address in the header are older than 1.26. */
	make_table(&p, CODE, -end % 8);
	g = open_program(&p, true);
	cr_assert_not(g->table.has_trees);
	gsym_go_close(g);
}

/* ---- tables of Go 1.1 and older ---------------------------------------- */

/* A table of symbols with one function; its lines are the bytes 1, 2, 3. */
static const uint8_t symbols[] = { 0, 0x40, 0x10, 0, 0xd4, 'f', 0, 0 };

static bool is_old(struct program *p, enum plan9_dialect dialect)
{
	struct gsym_go *g = open_program(p, true);
	bool old = g && g->is_old;

	if (old) {
		cr_assert_eq(g->old.dialect, dialect);
		cr_assert_eq(g->old.symbol_size, sizeof(symbols));
		cr_assert_eq(memcmp(g->old.symbols, symbols, sizeof(symbols)),
			     0);
		cr_assert_eq(g->old.line_size, 3);
		cr_assert_eq(memcmp(g->old.lines, "\1\2\3", 3), 0);
	}
	gsym_go_close(g);
	return old;
}

static void make_old(struct program *p)
{
	make_program(p);
	memset(p->table, 0, TABLE_ROOM);
	memcpy(p->table + 16, symbols, sizeof(symbols));
	memcpy(p->table + 16 + sizeof(symbols), "\1\2\3", 3);
}

Test(go, segment_of_2008)
{
	struct program p;

	make_old(&p);
	put(p.table, 8, sizeof(symbols), 4);
	put(p.table, 12, 3, 4);
	p.segments[1].data += 8;
	p.segments[1].data_size = 8 + sizeof(symbols) + 3;
	p.segments[1].address = 0x9900000000;
	cr_assert(is_old(&p, PLAN9_2008));
	p.segments[1].data_size--;
	cr_assert_not(is_old(&p, PLAN9_2008), "more than there is");
	p.segments[1].data_size++;
	p.segments[1].address++;
	cr_assert_not(is_old(&p, PLAN9_2008), "elsewhere");
}

Test(go, sections_of_go_1)
{
	struct program p;

	make_old(&p);
	add_section(&p, ".gosymtab", TABLE + 16, p.table + 16,
		    sizeof(symbols));
	add_section(&p, ".gopclntab", TABLE + 16 + sizeof(symbols),
		    p.table + 16 + sizeof(symbols), 3);
	cr_assert(is_old(&p, PLAN9_ANY));
	cr_assert_str_empty(p.said);
	p.sections[0].name = "__TEXT,__gosymtab";
	p.sections[1].name = "__TEXT,__gopclntab";
	cr_assert(is_old(&p, PLAN9_ANY));
	/* Since Go 1.3 the table of symbols is empty. */
	p.sections[0].data_size = 0;
	cr_assert_not(is_old(&p, PLAN9_ANY));
	cr_assert(strstr(p.said, "newer, scrambled or damaged"));
}

Test(go, symbols_of_go_1)
{
	static const char *const names[] = { "symtab", "esymtab", "pclntab",
					     "epclntab" };
	struct program p;

	for (size_t missing = 0; missing <= 4; missing++) {
		make_old(&p);
		for (size_t i = 0; i < 4; i++)
			if (i != missing)
				add_symbol(&p, names[i],
					   TABLE + 16 +
					   (i ? sizeof(symbols) : 0) +
					   (i == 3 ? 3 : 0));
		cr_assert_eq(is_old(&p, PLAN9_ANY), missing == 4, "%zu",
			     missing);
	}
	/* The symbols end after the segment. */
	p.segments[1].data_size = 16 + sizeof(symbols) + 2;
	cr_assert_not(is_old(&p, PLAN9_ANY));
}

/* ---- identity ---------------------------------------------------------- */

Test(go, redacted)
{
	static const uint8_t uuid[] = {
		0xb7, 0x89, 0x19, 0xaf, 0xf0, 0x01, 0xd8, 0x36, 0x62, 0x49,
		0x40, 0x3a, 0x25, 0x44, 0xfb, 0xa2, 0xd8, 0x33, 0x08, 0x4f,
	};
	struct program p;

	make_program(&p);
	p.container.uuid = uuid;
	p.container.uuid_size = sizeof(uuid);
	cr_assert(is_found(&p, true));
	cr_assert(strstr(p.said, "redacted"));
	p.container.uuid_size--;
	cr_assert(is_found(&p, true));
	cr_assert_str_empty(p.said);
}
