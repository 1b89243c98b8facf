/* SPDX-License-Identifier: MIT */
/* The parts of Go's function table: header, pc-value tables, inline trees and
 * file names. */
#include "config.h"

#include "go/go.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CODE = 0x1000, CODE_SIZE = 0x100, DATA = 0x8000, ROOM = 1024 };

/* ---- a table of Go 1.12 with one function and one inlined call ----------- */

struct bytes {
	uint8_t at[ROOM];
	size_t count;
	bool big;
};

static void put_at(struct bytes *b, size_t at, uint64_t value, unsigned size)
{
	cr_assert_leq(at + size, ROOM);
	for (unsigned i = 0; i < size; i++)
		b->at[at + i] = (uint8_t)(value >> 8 * (b->big ? size - 1 - i
							       : i));
}

static void put(struct bytes *b, uint64_t value, unsigned size)
{
	put_at(b, b->count, value, size);
	b->count += size;
}

static uint32_t put_text(struct bytes *b, const char *text)
{
	uint32_t at = (uint32_t)b->count;

	memcpy(b->at + at, text, strlen(text) + 1);
	b->count += strlen(text) + 1;
	return at;
}

/* Offsets in the table. */
struct places {
	size_t functions, record, inlined, tree;
};

/* A program's memory: the code, and the table with the tree after it. */
struct program {
	struct bytes b;
	struct places at;
	uint8_t code[CODE_SIZE];
	struct gsym_memory memory;
	struct gsym_pclntab table;
};

static void make_program(struct program *p, bool big)
{
	enum { HEADER = 16, RECORD = 64 };
	struct bytes *b = &p->b;
	uint32_t name, file, lists;

	memset(p, 0, sizeof(*p));
	b->big = big;
	put(b, 0xfffffffb, 4);
	put(b, 0, 2);
	put(b, 2, 1);
	put(b, 8, 1);
	put(b, 1, 8);
	p->at.functions = b->count;
	put(b, CODE, 8);
	put(b, RECORD, 8);
	put(b, CODE + 0x40, 8);
	b->count = RECORD;
	p->at.record = RECORD;
	put(b, CODE, 8);
	b->count = RECORD + 64; /* pcdata 0 and 1, funcdata 0 to 2 */
	/* In big endian the last byte of the record, which is that of the
	 * pointer to the tree, is not 0 like the end of a string. */
	b->count += 8;
	p->at.inlined = put_text(b, "main.inlined");
	name = put_text(b, "main.outer");
	file = put_text(b, "/w/main.go");
	lists = (uint32_t)b->count;
	memcpy(b->at + lists, "\4\x20\0" "\24\x20\0" "\0\10\2\10\1\20\0", 13);
	b->count = (lists + 13 + 3) & ~3u;
	put_at(b, p->at.functions + 24, b->count, 4);
	put(b, 2, 4);
	put(b, file, 4);
	b->count = (b->count + 31) & ~31u;
	p->at.tree = b->count += 0x20 - (DATA + b->count) % 0x100 % 0x20;
	put(b, 0xffff, 2); /* no parent */
	put(b, 0, 2);
	put(b, 1, 4);
	put(b, 7, 4);
	put(b, p->at.inlined, 4);
	put(b, 0x10, 4);
	put_at(b, RECORD + 8, name, 4);
	put_at(b, RECORD + 24, lists, 4);
	put_at(b, RECORD + 28, lists + 3, 4);
	put_at(b, RECORD + 32, 2, 4); /* pcdata */
	b->at[RECORD + 36] = 7;	      /* the kind of function */
	b->at[RECORD + 39] = 3;	      /* funcdata */
	put_at(b, RECORD + 44, lists + 6, 4);
	put_at(b, RECORD + 64, DATA + p->at.tree, 8);
	p->memory = (struct gsym_memory){
		.swap = big != GSYM_HOST_BIG_ENDIAN,
		.address_size = 8,
		.pieces = { { .address = CODE, .data = p->code,
			      .data_size = CODE_SIZE, .executable = true },
			    { .address = DATA, .data = b->at,
			      .data_size = ROOM } },
		.count = 2,
	};
}

static bool open_program(struct program *p)
{
	return gsym_pclntab_open(&p->memory, DATA, p->b.at, p->b.count,
				 &p->table);
}

/* The layout is found in both byte orders, also if the byte before the inlined
 * call's name is not 0. */
Test(pclntab, layout)
{
	for (int big = 0; big < 2; big++) {
		struct pclntab_function f;
		struct pclntab_call call;
		struct program p;

		make_program(&p, big);
		cr_assert_eq(p.b.at[p.at.inlined - 1] != 0, big);
		cr_assert(open_program(&p));
		gsym_pclntab_find_layout(&p.table);
		cr_assert_eq(p.table.tree, PCLNTAB_TREE_B, "%d", big);
		cr_assert_eq(p.table.tree_pcdata, 1);
		cr_assert_eq(p.table.tree_funcdata, 2);
		cr_assert_not(p.table.wide_count);
		cr_assert(gsym_pclntab_function(&p.table, 0, &f));
		cr_assert_eq(f.start, CODE);
		cr_assert_eq(f.limit, CODE + 0x40);
		cr_assert_str_eq(gsym_pclntab_name(&p.table, f.name),
				 "main.outer");
		cr_assert(gsym_pclntab_call(&p.table,
					    gsym_pclntab_tree(&p.table, &f), 0,
					    0x40, &call));
		cr_assert_str_eq(gsym_pclntab_name(&p.table, call.name),
				 "main.inlined");
		cr_assert_eq(call.parent, -1);
		cr_assert_eq(call.line, 7);
	}
}

/* The name of a call has to be a whole string. */
Test(pclntab, name_inside_of_another)
{
	struct pclntab_function f;
	struct pclntab_call call;
	struct program p;

	make_program(&p, true);
	cr_assert(open_program(&p));
	gsym_pclntab_find_layout(&p.table);
	cr_assert(gsym_pclntab_function(&p.table, 0, &f));
	for (unsigned more = 1; more < 8; more++) {
		put_at(&p.b, p.at.tree + 12, p.at.inlined + more, 4);
		cr_assert_not(gsym_pclntab_call(
			&p.table, gsym_pclntab_tree(&p.table, &f), 0, 0x40,
			&call), "%u", more);
	}
}

/* If the trees are unsound in every layout, there are none. */
Test(pclntab, no_layout)
{
	struct program p;

	make_program(&p, true);
	put_at(&p.b, p.at.tree, 0, 2); /* a call inside of itself */
	cr_assert(open_program(&p));
	gsym_pclntab_find_layout(&p.table);
	cr_assert_eq(p.table.tree, PCLNTAB_TREE_NONE);
}

/* ---- header ----------------------------------------------------------- */

static bool opens_with(size_t at, uint8_t value)
{
	struct program p;

	make_program(&p, true);
	p.b.at[at] = value;
	return open_program(&p);
}

Test(pclntab, header)
{
	cr_assert(opens_with(3, 0xfb));
	cr_assert_not(opens_with(3, 0xf2), "another magic");
	cr_assert_not(opens_with(4, 1), "has to be 0");
	cr_assert_not(opens_with(5, 1), "has to be 0");
	cr_assert(opens_with(6, 1));
	cr_assert(opens_with(6, 4));
	cr_assert_not(opens_with(6, 0), "instructions of 0 bytes");
	cr_assert_not(opens_with(6, 3), "instructions of 3 bytes");
	cr_assert_not(opens_with(7, 4), "pointers of another size");
	cr_assert_not(opens_with(15, 0), "no functions");
	cr_assert_not(opens_with(8, 1), "more functions than bytes");
	cr_assert_not(opens_with(15, 60), "more functions than bytes");
	cr_assert_not(opens_with(22, 0xff), "no function at the record");
	cr_assert_not(opens_with(38, 0), "the code ends before it begins");
	cr_assert_not(opens_with(30, 0xff), "a record outside of the table");
	cr_assert_not(opens_with(64 + 8, 0xff), "a name outside of the table");
}

/* In newer tables the offsets of the parts ascend, and are in the table. */
Test(pclntab, parts)
{
	static const uint64_t sound[] = { 1, 1, 0x40, 0x50, 0x60, 0x70, 0x80 };
	struct gsym_pclntab table;
	struct program p;

	/* For I = 5 to 13 offset I / 2 is damaged: below the one before it if I
	 * is odd, else beyond the end of the table. */
	for (size_t i = 4; i <= 14; i++) {
		bool sound_one = i == 4 || i == 14;

		make_program(&p, false);
		memset(&p.b, 0, sizeof(p.b));
		put(&p.b, 0xfffffffa, 4);
		put(&p.b, 0, 2);
		put(&p.b, 1, 1);
		put(&p.b, 8, 1);
		for (size_t k = 0; k < 7; k++)
			put(&p.b, sound[k], 8);
		memcpy(p.b.at + 0x40, "\0main.f", 8);
		put_at(&p.b, 0x80, CODE, 8);
		put_at(&p.b, 0x88, 0x20, 8);
		put_at(&p.b, 0x90, CODE + 1, 8);
		put_at(&p.b, 0xa0, CODE, 8);
		if (!sound_one)
			put_at(&p.b, 8 + 8 * (i / 2), i % 2 ? 0x3f : ROOM, 8);
		cr_assert_eq(gsym_pclntab_open(&p.memory, DATA, p.b.at, ROOM,
					       &table), sound_one, "%zu", i);
	}
}

/* ---- pc-value tables -------------------------------------------------- */

static enum pclntab_result decode(const char *bytes, size_t count,
				  uint8_t quantum, uint32_t size,
				  struct pclntab_values *list)
{
	struct gsym_pclntab table = {
		.bytes = (const uint8_t *)bytes, .size = count,
		.era = PCLNTAB_1_20, .functions = count, .quantum = quantum,
	};

	return gsym_pclntab_values(&table, 1, size, list);
}

/* Decode BYTES, without the NUL that C adds; the dot is the byte at offset 0,
 * where no pc-value table can be. */
#define DECODE(bytes, quantum, size, list) \
	decode("." bytes, sizeof(bytes), quantum, size, list)

Test(pclntab, values)
{
	struct pclntab_values list = { 0 };

	/* A difference of 0 ends the table, but not in the first pair. */
	cr_assert_eq(DECODE("\0\2\2\3\0", 4, 100, &list), PCLNTAB_OK);
	cr_assert_eq(list.count, 2);
	cr_assert_eq(list.items[0].value, -1);
	cr_assert_eq(list.items[0].end, 8);
	cr_assert_eq(list.items[1].value, 0);
	cr_assert_eq(list.items[1].end, 20);
	cr_assert_eq(gsym_pclntab_value(&list, 7), -1);
	cr_assert_eq(gsym_pclntab_value(&list, 8), 0);
	cr_assert_eq(gsym_pclntab_value(&list, 19), 0);
	cr_assert_eq(gsym_pclntab_value(&list, 20), -1);
	/* Negative differences, and values that wrap around at 32 bits. */
	cr_assert_eq(DECODE("\x3e\1\x23\1\xff\xff\xff\xff\x0f\1\0", 1, 100,
			    &list), PCLNTAB_OK);
	cr_assert_eq(list.count, 3);
	cr_assert_eq(list.items[0].value, 30);
	cr_assert_eq(list.items[1].value, 12);
	cr_assert_eq(list.items[2].value, (int32_t)(12u + 0x80000000u));
	/* The last span is cut at the end of the function, and the bytes after
	 * it are not read. */
	cr_assert_eq(DECODE("\2\x20\x80", 1, 16, &list), PCLNTAB_OK);
	cr_assert_eq(list.count, 1);
	cr_assert_eq(list.items[0].end, 16);
	/* A pair with a length of 0 makes no span. */
	cr_assert_eq(DECODE("\2\0\2\4\0", 1, 16, &list), PCLNTAB_OK);
	cr_assert_eq(list.count, 1);
	cr_assert_eq(list.items[0].value, 1);
	gsym_vec_fini(&list);
}

Test(pclntab, damaged_values)
{
	struct pclntab_values list = { 0 };
	char many[1 + 2 * 200];

	cr_assert_eq(DECODE("\2\4", 1, 16, &list), PCLNTAB_DAMAGED, "no end");
	cr_assert_eq(list.count, 1, "the span before the damage");
	cr_assert_eq(DECODE("\2", 1, 16, &list), PCLNTAB_DAMAGED);
	cr_assert_eq(DECODE("\x80\x80\x80\x80\x80\1\1\0", 1, 16, &list),
		     PCLNTAB_DAMAGED, "a number of 6 bytes");
	/* Nothing but pairs with a length of 0. */
	memset(many, 2, sizeof(many));
	for (size_t i = 2; i < sizeof(many); i += 2)
		many[i] = 0;
	cr_assert_eq(decode(many, sizeof(many), 1, 16, &list),
		     PCLNTAB_DAMAGED);
	/* Offset 0 stands for an empty table; other offsets have to lie in the
	 * function table's bytes. */
	struct gsym_pclntab table = { .bytes = (const uint8_t *)many,
				      .size = 10, .era = PCLNTAB_1_20,
				      .functions = 10, .quantum = 1 };
	cr_assert_eq(gsym_pclntab_values(&table, 0, 16, &list), PCLNTAB_OK);
	cr_assert_eq(list.count, 0);
	cr_assert_eq(gsym_pclntab_values(&table, 10, 16, &list),
		     PCLNTAB_DAMAGED);
	gsym_vec_fini(&list);
}

/* ---- text in several sections ----------------------------------------- */

Test(pclntab, several_texts)
{
	static const struct pclntab_text texts[] = {
		{ 0, 0x100, 0x1000 },
		{ 0x100, 0x180, 0x2100 },
		{ 0x200, 0x300, 0x5000 },
	};
	uint32_t entries[] = { 0, 0, 0xff, 0, 0x100, 0, 0x17f, 0,
			       0x200, 0, 0x300 };
	struct gsym_pclntab table = {
		.bytes = (const uint8_t *)entries, .size = sizeof(entries),
		.entry_size = 4, .era = PCLNTAB_1_20, .count = 5,
		.text = 0x1000, .texts = texts, .text_count = 3,
	};

	cr_assert_eq(gsym_pclntab_address(&table, 0), 0x1000);
	cr_assert_eq(gsym_pclntab_address(&table, 1), 0x10ff);
	cr_assert_eq(gsym_pclntab_address(&table, 2), 0x2100);
	cr_assert_eq(gsym_pclntab_address(&table, 3), 0x217f);
	cr_assert_eq(gsym_pclntab_address(&table, 4), 0x5000);
	cr_assert_eq(gsym_pclntab_address(&table, 5), 0x5100,
		     "the end of the last section belongs to it");
	table.text_count = 0;
	cr_assert_eq(gsym_pclntab_address(&table, 4), 0x1200);
}

/* ---- tables that would take too long ---------------------------------- */

/* While the layout is found out, of functions that overlap only one has its
 * pc-value tables read: with all of them the time would be the product of the
 * number of functions and the size of the code. */
Test(pclntab, overlapping_functions, .timeout = 600)
{
	enum { FUNCTIONS = 200000, LENGTH = 1 << 20, HEADER = 16,
	       NAME = HEADER + 16 * FUNCTIONS + 16, RECORDS = NAME + 16,
	       LIST = RECORDS + 2 * 64, SIZE = LIST + 2 * LENGTH + 8 };
	uint8_t *bytes = calloc(1, SIZE), *code = calloc(1, LENGTH + 1);
	struct gsym_memory memory = {
		.swap = GSYM_HOST_BIG_ENDIAN,
		.address_size = 8,
		.pieces = { { .address = CODE, .data = code,
			      .data_size = LENGTH + 1, .executable = true } },
		.count = 1,
	};
	struct gsym_pclntab table;

	cr_assert(bytes && code);
	memcpy(bytes, "\xfb\xff\xff\xff\0\0\1\10", 8);
	gsym_store_u64(bytes + 8, FUNCTIONS, memory.swap);
	for (size_t i = 0; i <= FUNCTIONS; i++) {
		/* gsym_pclntab_open checks that the first ones ascend. */
		size_t high = i > 100 && i % 2 == 0;
		uint8_t *entry = bytes + HEADER + 16 * i;

		gsym_store_u64(entry, CODE + high * LENGTH, memory.swap);
		gsym_store_u64(entry + 8, RECORDS + 64 * high, memory.swap);
	}
	gsym_store_u64(bytes + HEADER + 16 * FUNCTIONS + 8, NAME, memory.swap);
	memcpy(bytes + NAME + 4, "name", 5);
	for (size_t high = 0; high < 2; high++) {
		uint8_t *record = bytes + RECORDS + 64 * high;

		gsym_store_u64(record, CODE + high * LENGTH, memory.swap);
		gsym_store_u32(record + 8, NAME + 4, memory.swap);
		gsym_store_u32(record + 32, 3, memory.swap);
		record[39] = 5;
		gsym_store_u32(record + 44, LIST, memory.swap);
		gsym_store_u32(record + 48, LIST, memory.swap);
	}
	/* No value of the pc-value table is the index of a call. */
	for (size_t i = 0; i < LENGTH; i++) {
		bytes[LIST + 2 * i] = i ? 1 + i % 2 : 0;
		bytes[LIST + 2 * i + 1] = 1;
	}
	cr_assert(gsym_pclntab_open(&memory, DATA, bytes, SIZE, &table));
	gsym_pclntab_find_layout(&table);
	cr_assert_eq(table.tree, PCLNTAB_TREE_NONE);
	free(bytes);
	free(code);
}

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	(void)self, (void)bytes, (void)length;
	*number = 1;
	return GSYM_OK;
}

/* Calls whose place is not known get the file of the function's own code, which
 * is looked up once for all of them. */
Test(pclntab, many_calls_without_a_place, .timeout = 600)
{
	enum { CALLS = 1 << 20, TREE = 0x100000 };
	uint8_t *tree = calloc(CALLS, 16), bytes[128] = { 0 };
	struct gsym_memory memory = {
		.swap = GSYM_HOST_BIG_ENDIAN,
		.address_size = 8,
		.pieces = { { .address = TREE, .data = tree,
			      .data_size = (size_t)CALLS * 16 } },
		.count = 1,
	};
	struct gsym_pclntab table = {
		.bytes = bytes, .size = sizeof(bytes), .memory = &memory,
		.era = PCLNTAB_1_20, .tree = PCLNTAB_TREE_C, .entry_size = 4,
		.swap = memory.swap, .pointer_size = 8, .names_end = 1,
		.has_trees = true, .trees = TREE, .tree_funcdata = 3,
	};
	const struct gsym_sink sink = { .string = take_string };
	struct pclntab_strings strings = { .table = &table, .sink = &sink,
					   .budget = 100 };
	struct pclntab_function f = { .start = CODE, .unit = UINT32_MAX,
				      .funcdata_count = 4 };
	struct pclntab_inlines in = { 0 };
	bool damaged = true;

	cr_assert(tree);
	for (uint32_t i = 0; i < CALLS; i++) {
		struct pclntab_span *span = gsym_vec_push(&in.indexes);

		/* All calls name the first instruction as their place, and the
		 * code there belongs to the last call.  A tree lists parents
		 * first, so that the place of every call is unknown. */
		cr_assert(span);
		*span = (struct pclntab_span){ i + 1, (int32_t)(i ? i - 1 :
								CALLS - 1) };
	}
	cr_assert_eq(gsym_pclntab_make_inlines(&in, &strings, &f, CALLS,
					       &damaged), GSYM_OK);
	cr_assert_not(damaged);
	cr_assert_eq(in.nodes.count, CALLS);
	gsym_pclntab_strings_fini(&strings);
	gsym_pclntab_inlines_fini(&in);
	free(tree);
}

/* Unwind a tree whose every entry is inside the entry before.  The code has
 * entry FIRST, then entry SECOND.  Returns the number of nodes; 0 if the tree
 * counts as damaged. */
static size_t unwind_chain(int32_t first, int32_t second)
{
	enum { CALLS = 400, TREE = 0x100000 };
	uint8_t tree[CALLS * 16] = { 0 }, bytes[128] = { 0 };
	struct gsym_memory memory = {
		.swap = GSYM_HOST_BIG_ENDIAN,
		.address_size = 8,
		.pieces = { { .address = TREE, .data = tree,
			      .data_size = sizeof(tree) } },
		.count = 1,
	};
	struct gsym_pclntab table = {
		.bytes = bytes, .size = sizeof(bytes), .memory = &memory,
		.era = PCLNTAB_1_20, .tree = PCLNTAB_TREE_A, .entry_size = 4,
		.swap = memory.swap, .pointer_size = 8, .names_end = 1,
		.has_trees = true, .trees = TREE, .tree_funcdata = 3,
	};
	const struct gsym_sink sink = { .string = take_string };
	struct pclntab_strings strings = { .table = &table, .sink = &sink,
					   .budget = 100 };
	struct pclntab_function f = { .start = CODE, .unit = UINT32_MAX,
				      .funcdata_count = 4 };
	struct pclntab_span spans[] = { { 1, first }, { 2, second } };
	struct pclntab_inlines in = {
		.indexes = { .items = spans, .count = 2 },
	};
	bool damaged = false;
	size_t nodes;

	for (uint32_t i = 0; i < CALLS; i++)
		gsym_store_u32(tree + (size_t)16 * i, i - 1, memory.swap);
	cr_assert_eq(gsym_pclntab_make_inlines(&in, &strings, &f, 2, &damaged),
		     GSYM_OK);
	nodes = in.nodes.count;
	cr_assert(damaged ? !nodes
			  : in.nodes.items[nodes - 1].depth == nodes);
	in.indexes.items = NULL;
	gsym_pclntab_strings_fini(&strings);
	gsym_pclntab_inlines_fini(&in);
	return nodes;
}

/* At most 256 calls are inside of each other, whether the code comes to the
 * innermost one at once or step by step. */
Test(pclntab, depth)
{
	cr_assert_eq(unwind_chain(255, 0), 256);
	cr_assert_eq(unwind_chain(256, 0), 0);
	cr_assert_eq(unwind_chain(199, 255), 256);
	cr_assert_eq(unwind_chain(199, 256), 0);
	cr_assert_eq(unwind_chain(199, 399), 0);
}

/* There is no tree if the address of the trees is not known, or if the offset
 * of the tree is UINT32_MAX. */
Test(pclntab, no_tree)
{
	uint8_t bytes[128] = { 0 };
	struct gsym_memory memory = {
		.swap = GSYM_HOST_BIG_ENDIAN,
		.address_size = 8,
		.pieces = { { .data = bytes, .data_size = sizeof(bytes) },
			    { .address = UINT32_MAX, .data = bytes,
			      .data_size = sizeof(bytes) } },
		.count = 2,
	};
	struct gsym_pclntab table = {
		.bytes = bytes, .size = sizeof(bytes), .memory = &memory,
		.era = PCLNTAB_1_20, .tree = PCLNTAB_TREE_C, .entry_size = 4,
		.swap = memory.swap, .pointer_size = 8, .tree_funcdata = 3,
		.has_trees = true,
	};
	const struct pclntab_function f = { .funcdata_count = 4 };
	struct gsym_cursor tree = gsym_pclntab_tree(&table, &f);

	cr_assert_gt(gsym_cursor_left(&tree), 0);
	table.has_trees = false;
	tree = gsym_pclntab_tree(&table, &f);
	cr_assert_eq(gsym_cursor_left(&tree), 0);
	table.has_trees = true;
	memset(bytes + 44, 0xff, sizeof(bytes) - 44);
	tree = gsym_pclntab_tree(&table, &f);
	cr_assert_eq(gsym_cursor_left(&tree), 0);
}

static enum gsym_status take_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	(void)directory, (void)basename;
	++*(unsigned *)self;
	*number = 77;
	return GSYM_OK;
}

/* Until Go 1.15 file values count from 1 up to the number in front of the file
 * table. */
Test(pclntab, numbered_files)
{
	static const int32_t none[] = { -1, 0, 3, 4, INT32_MAX };
	unsigned calls = 0;
	const struct gsym_sink sink = { .self = &calls, .string = take_string,
					.file = take_file };
	struct program p;
	struct pclntab_strings strings = { .table = &p.table, .sink = &sink,
					   .budget = 100 };
	uint32_t number;

	make_program(&p, false);
	cr_assert(open_program(&p));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		number = 5;
		cr_assert_eq(gsym_pclntab_take_file(&strings, 0, none[i],
						    &number), GSYM_OK);
		cr_assert_eq(number, GSYM_FILE_NOSRC, "%d", none[i]);
		cr_assert_eq(calls, 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_eq(gsym_pclntab_take_file(&strings, 0, 1, &number),
			     GSYM_OK);
		cr_assert_eq(number, 77);
		cr_assert_eq(calls, 1, "the file is handed over once");
	}
	gsym_pclntab_strings_fini(&strings);
}
