/* SPDX-License-Identifier: MIT */
/* The record, or none, that each kind of symbol becomes. */
#include "convert/convert.h"
#include "support/guard.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT, DATA, HIGH };

static struct gsym_container_section sections[] = {
	[TEXT] = { .name = ".text", .address = 0x1000, .size = 0x100,
		   .loaded = true, .executable = true },
	[DATA] = { .name = ".data", .address = 0x2000, .size = 0x100,
		   .loaded = true },
	[HIGH] = { .name = ".high", .address = 0x100000000,
		   .size = 0x200000000, .loaded = true, .executable = true },
};

/* What the sink and the warnings got for one symbol, which is converted twice
 * (the second time without a callback for warnings). */
struct outcome {
	int strings;
	int records;
	int warnings;
	enum gsym_warning warning;
	char name[64];
	struct gsym_record record;
	enum gsym_status answer;
};

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	struct outcome *o = self;

	snprintf(o->name, sizeof(o->name), "%.*s", (int)length, bytes);
	o->strings++;
	*number = 77;
	return GSYM_OK;
}

static enum gsym_status take_record(void *self,
				    const struct gsym_record *record)
{
	struct outcome *o = self;

	o->records++;
	o->record = *record;
	return o->answer;
}

static void take_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	struct outcome *o = context;

	cr_assert(strstr(text, "symbol "));
	o->warnings++;
	o->warning = kind;
}

static enum gsym_status convert(struct gsym_symbol symbol, struct outcome *o,
				struct gsym_error *error)
{
	struct gsym_container c = { .symbol_bytes = 24 };
	struct gsym_convert_facts facts = { .input_bytes = 1 };
	struct gsym_convert_options options = { .warn = take_warning,
						.context = o };
	struct gsym_sink sink = { .self = o, .string = take_string,
				  .record = take_record };
	enum gsym_status status;

	c.sections.items = sections;
	c.sections.count = 3;
	c.symbols.items = &symbol;
	c.symbols.count = 1;
	status = gsym_symtab_convert(&c, &options, NULL, true, &sink, false,
				     &facts, error);
	cr_assert_eq(facts.input_bytes, 25);
	/* Without a callback for warnings the records are the same. */
	options.warn = NULL;
	if (status == GSYM_OK)
		cr_assert_eq(gsym_symtab_convert(&c, &options, NULL, true,
						 &sink, false, &facts, NULL),
			     GSYM_OK);
	return status;
}

static struct outcome of(struct gsym_symbol symbol)
{
	struct outcome o = { .answer = GSYM_OK };
	struct gsym_error error = { .code = GSYM_NOT_FOUND };

	cr_assert_eq(convert(symbol, &o, &error), GSYM_OK);
	cr_assert_eq(error.code, GSYM_NOT_FOUND);
	return o;
}

/* A local function of .text. */
static struct outcome function(uint64_t value, uint64_t size)
{
	return of((struct gsym_symbol){ .name = "f", .value = value,
		.size = size, .type = GSYM_SYMBOL_FUNCTION, .section = TEXT });
}

static struct outcome typed(const char *name, enum gsym_symbol_type type,
			    uint64_t value)
{
	return of((struct gsym_symbol){ .name = name, .value = value,
		.size = 4, .type = type, .section = TEXT });
}

static struct outcome in_section(size_t section, uint64_t value, uint64_t size)
{
	return of((struct gsym_symbol){ .name = "f", .value = value,
		.size = size, .type = GSYM_SYMBOL_FUNCTION,
		.section = section });
}

static enum gsym_name_kind kind_of(enum gsym_symbol_binding binding)
{
	return of((struct gsym_symbol){ .name = "f", .value = 0x1000,
		.type = GSYM_SYMBOL_FUNCTION, .section = TEXT,
		.binding = binding }).record.name_kind;
}

Test(symtab, function)
{
	struct outcome o = function(0x1010, 4);

	cr_assert_eq(o.records, 2);
	cr_assert_eq(o.warnings, 0);
	cr_assert_str_eq(o.name, "f");
	cr_assert_eq(o.record.rank, GSYM_RANK_SYMBOL);
	cr_assert_eq(o.record.name_kind, GSYM_NAME_SYMBOL_LOCAL);
	cr_assert_eq(o.record.name, 77);
	cr_assert_eq(o.record.start, 0x1010);
	cr_assert_eq(o.record.size, 4);
}

Test(symtab, bindings)
{
	cr_assert_eq(kind_of(GSYM_SYMBOL_LOCAL), GSYM_NAME_SYMBOL_LOCAL);
	cr_assert_eq(kind_of(GSYM_SYMBOL_WEAK), GSYM_NAME_SYMBOL_WEAK);
	cr_assert_eq(kind_of(GSYM_SYMBOL_GLOBAL), GSYM_NAME_SYMBOL_GLOBAL);
}

/* Functions and untyped symbols without a size. */
Test(symtab, labels)
{
	struct outcome o = function(0x1010, 0);

	cr_assert_eq(o.records, 2);
	cr_assert_eq(o.record.rank, GSYM_RANK_LABEL);
	cr_assert_eq(o.record.size, 0);
	cr_assert_eq(o.record.limit, 0x1100);
	o = of((struct gsym_symbol){ .name = "l", .value = 0x1010,
		.type = GSYM_SYMBOL_NONE, .section = TEXT });
	cr_assert_eq(o.records, 2);
	cr_assert_eq(o.record.rank, GSYM_RANK_LABEL);
	cr_assert_eq(o.record.start, 0x1010);
	cr_assert_eq(o.record.size, 0);
}

/* Routines of assembly: the kernel's srso_alias_return_thunk. */
Test(symtab, untyped_with_a_size)
{
	struct outcome o = typed("l", GSYM_SYMBOL_NONE, 0x1010);

	cr_assert_eq(o.records, 2);
	cr_assert_eq(o.warnings, 0);
	cr_assert_eq(o.record.rank, GSYM_RANK_SYMBOL);
	cr_assert_eq(o.record.start, 0x1010);
	cr_assert_eq(o.record.size, 4);
}

Test(symtab, skipped)
{
	struct outcome skipped[] = {
		typed("", GSYM_SYMBOL_FUNCTION, 0x1000),
		typed("$x", GSYM_SYMBOL_NONE, 0x1000),
		typed("f", GSYM_SYMBOL_OBJECT, 0x1000),
		typed("f", GSYM_SYMBOL_OTHER, 0x1000),
		in_section(DATA, 0x2000, 4),
		in_section(GSYM_NO_SECTION, 0x1000, 4),
		/* The end of the section. */
		typed("end", GSYM_SYMBOL_NONE, 0x1100),
		function(0x1100, 0),
	};

	for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++) {
		cr_assert_eq(skipped[i].records, 0, "%zu", i);
		cr_assert_eq(skipped[i].warnings, 0, "%zu", i);
	}
	/* Only a function may have such a name. */
	cr_assert_eq(typed("$x", GSYM_SYMBOL_FUNCTION, 0x1000).records, 2);
}

Test(symtab, outside_the_section)
{
	struct outcome outside[] = {
		function(0xfff, 4),
		function(0xfff, 0),
		function(0x1101, 0),
		function(0x1100, 1),
		function(UINT64_MAX, UINT64_MAX),
	};

	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		cr_assert_eq(outside[i].records, 0, "%zu", i);
		cr_assert_eq(outside[i].warnings, 1, "%zu", i);
		cr_assert_eq(outside[i].warning, GSYM_WARN_BAD_SYMBOL);
	}
}

Test(symtab, cut_at_the_end)
{
	struct outcome o = function(0x10f0, 16);

	cr_assert_eq(o.warnings, 0);
	cr_assert_eq(o.record.size, 16);
	o = function(0x10f0, 17);
	cr_assert_eq(o.warnings, 1);
	cr_assert_eq(o.warning, GSYM_WARN_BAD_SYMBOL);
	cr_assert_eq(o.record.size, 16);
	o = function(0x10f0, UINT64_MAX);
	cr_assert_eq(o.record.size, 16);
	o = in_section(HIGH, 0x100000000, 0x100000000);
	cr_assert_eq(o.warnings, 1);
	cr_assert_eq(o.warning, GSYM_WARN_SIZE_LIMIT);
	cr_assert_eq(o.record.size, UINT32_MAX);
}

Test(symtab, a_sink_that_refuses)
{
	struct outcome o = { .answer = GSYM_ERR_MEMORY };
	struct gsym_error error = { 0 };

	cr_assert_eq(convert((struct gsym_symbol){ .name = "f",
			.value = 0x1000, .size = 1,
			.type = GSYM_SYMBOL_FUNCTION }, &o, &error),
		     GSYM_ERR_MEMORY);
	cr_assert_eq(error.code, GSYM_ERR_MEMORY);
	cr_assert(strstr(error.message, "symbol f"));
}

/* Many names that are tails of one long string.  Once they are too many, no
 * long name is read: the last one has no end. */
Test(symtab, many_long_names)
{
	enum { LENGTH = 1 << 20, COUNT = 300 };
	char *text = malloc(LENGTH + 1);
	struct gsym_symbol *symbols = calloc(COUNT, sizeof(*symbols));
	struct gsym_container c = { .symbol_bytes = LENGTH };
	struct outcome o = { 0 };
	struct gsym_convert_options options = { .warn = take_warning,
						.context = &o };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_sink sink = { .self = &o, .string = take_string,
				  .record = take_record };

	cr_assert(text && symbols);
	memset(text, 'a', LENGTH);
	text[LENGTH] = 0;
	for (unsigned i = 0; i < COUNT; i++)
		symbols[i] = (struct gsym_symbol){
			.name = text + i, .value = 0x1000 + i % 0x100,
			.size = 1, .section = TEXT,
			.type = GSYM_SYMBOL_FUNCTION,
		};
	symbols[COUNT - 1].name = (const char *)guard_end(text, 4096);
	c.sections.items = sections;
	c.sections.count = sizeof(sections) / sizeof(*sections);
	c.symbols.items = symbols;
	c.symbols.count = COUNT;
	cr_expect_eq(gsym_symtab_convert(&c, &options, NULL, true, &sink, false,
					 &facts, NULL),
		     GSYM_OK);
	cr_expect_eq(o.warnings, 1);
	cr_expect_eq(o.warning, GSYM_WARN_WORK_LIMIT);
	cr_expect_gt(o.records, 16);
	cr_expect_lt(o.records, 40);
	free(symbols);
	free(text);
}

/* ---- many symbols -------------------------------------------------------- */

/* A sink that numbers names from 2 on, and writes records down as text. */
struct list {
	char names[2048][8];
	uint32_t name_count;
	char text[1 << 16];
};

static enum gsym_status take_name(void *self, const char *bytes, size_t length,
				  uint32_t *number)
{
	struct list *l = self;

	cr_assert_lt(length, sizeof(l->names[0]));
	for (*number = 0; *number < l->name_count; ++*number)
		if (!strcmp(l->names[*number], bytes))
			break;
	if (*number == l->name_count) {
		cr_assert_lt(l->name_count, 2048);
		strcpy(l->names[l->name_count++], bytes);
	}
	*number += 2;
	return GSYM_OK;
}

static enum gsym_status take_line(void *self, const struct gsym_record *r)
{
	struct list *l = self;
	size_t used = strlen(l->text);

	snprintf(l->text + used, sizeof(l->text) - used, "%s %x+%x%s\n",
		 l->names[r->name - 2], (unsigned)r->start, (unsigned)r->size,
		 r->name_kind == GSYM_NAME_SYMBOL_GLOBAL ? " global" : "");
	return GSYM_OK;
}

/* Convert COUNT symbols. */
static void list_symbols(struct gsym_symbol *symbols, size_t count,
			 struct list *ret)
{
	const struct gsym_sink sink = { .self = ret, .string = take_name,
					.record = take_line };
	const struct gsym_convert_options options = { 0 };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_container c = { .symbol_bytes = 1 };

	memset(ret, 0, sizeof(*ret));
	c.sections.items = sections;
	c.sections.count = 3;
	c.symbols.items = symbols;
	c.symbols.count = count;
	cr_assert_eq(gsym_symtab_convert(&c, &options, NULL, true, &sink, false,
					 &facts, NULL),
		     GSYM_OK);
}

/* All symbols arrive, in their order and under their names. */
Test(symtab, many_symbols)
{
	enum { COUNT = 1000 };
	static struct gsym_symbol symbols[COUNT];
	static char names[COUNT][8], wanted[1 << 16];
	static struct list list;
	size_t used = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		symbols[i] = (struct gsym_symbol){
			.name = names[i], .value = 0x1000 + i % 0x100,
			.size = 1, .section = i % 3 ? TEXT : DATA,
			.type = GSYM_SYMBOL_FUNCTION,
		};
		if (i % 3)
			used += (size_t)snprintf(wanted + used,
						 sizeof(wanted) - used,
						 "f%u %x+1\n", i,
						 0x1000 + i % 0x100);
	}
	list_symbols(symbols, COUNT, &list);
	cr_assert_str_eq(list.text, wanted);
}

/* ---- several threads ----------------------------------------------------- */

enum { SYMBOLS = 5000 };

/* What several threads hand over: the number of a name is that in "s1234". */
struct shared {
	atomic_uint records[SYMBOLS]; /* by number: how many came */
	unsigned refused;	      /* the first number of a refused record */
};

static enum gsym_status share_name(void *self, const char *bytes, size_t length,
				   uint32_t *number)
{
	(void)self;
	cr_assert_eq(bytes[length], 0);
	*number = (uint32_t)strtoul(bytes + 1, NULL, 10);
	return GSYM_OK;
}

static enum gsym_status share_record(void *self, const struct gsym_record *r)
{
	struct shared *s = self;

	cr_assert_eq(r->start, 0x100000000 + 16 * (uint64_t)r->name);
	s->records[r->name]++;
	return r->name < s->refused ? GSYM_OK : GSYM_ERR_IO;
}

/* Each symbol arrives once, and the message names the first record in the order
 * of the symbols that was refused. */
Test(symtab, several_threads)
{
	static struct gsym_symbol symbols[SYMBOLS];
	static char names[SYMBOLS][8];
	static const unsigned refused[] = { SYMBOLS, 0, 700, SYMBOLS - 1 };
	struct gsym_container c = { .symbol_bytes = 1 };

	for (unsigned i = 0; i < SYMBOLS; i++) {
		snprintf(names[i], sizeof(names[i]), "s%u", i);
		symbols[i] =
			(struct gsym_symbol){ .name = names[i],
					      .value = 0x100000000 + 16 * i,
					      .size = 16,
					      .section = HIGH,
					      .type = GSYM_SYMBOL_FUNCTION };
	}
	c.sections.items = sections;
	c.sections.count = 3;
	c.symbols.items = symbols;
	c.symbols.count = SYMBOLS;
	for (unsigned i = 0; i < 8; i++) {
		static struct shared s;
		const struct gsym_sink sink = { .self = &s,
						.string = share_name,
						.record = share_record };
		const struct gsym_convert_options options = {
			.threads = i & 1 ? 4 : 1
		};
		struct gsym_convert_facts facts = { 0 };
		struct gsym_error error = { 0 };
		enum gsym_status status;
		char text[64];

		memset(&s, 0, sizeof(s));
		s.refused = refused[i / 2];
		status = gsym_symtab_convert(&c, &options, NULL, true, &sink,
					     true, &facts, &error);
		for (unsigned k = 0; k < s.refused; k++)
			cr_assert_eq(s.records[k], 1, "%u: %u", i, k);
		if (s.refused == SYMBOLS) {
			cr_assert_eq(status, GSYM_OK);
			continue;
		}
		cr_assert_eq(status, GSYM_ERR_IO);
		snprintf(text, sizeof(text),
			 "symbol s%u at 0x%llx: ", s.refused,
			 0x100000000ULL + 16 * s.refused);
		cr_expect(!strncmp(error.message, text, strlen(text)), "%s",
			  error.message);
	}
}

/* ---- routines of assembly ----------------------------------------------- */

/* An untyped symbol of .text. */
static struct gsym_symbol untyped(const char *name, uint64_t value,
				  uint64_t size)
{
	return (struct gsym_symbol){ .name = name, .value = value,
		.size = size, .type = GSYM_SYMBOL_NONE, .section = TEXT };
}

static void routines_are(struct gsym_symbol *symbols, size_t count,
			 const char *wanted)
{
	static struct list list;

	list_symbols(symbols, count, &list);
	cr_assert_str_eq(list.text, wanted);
}

/* Labels in a routine divide it, and end with it; one at its start does not
 * replace it, and one behind it has no size. */
Test(symtab, labels_of_a_routine)
{
	struct gsym_symbol symbols[] = {
		untyped("marker", 0x1000, 0), untyped("entry", 0x1000, 0x20),
		untyped("safe", 0x1008, 0),   untyped("same", 0x1008, 0),
		untyped("last", 0x1018, 0),   untyped("behind", 0x1020, 0),
	};

	routines_are(symbols, 6, "marker 1000+0\nentry 1000+8\n"
		     "safe 1008+10\nsame 1008+10\nlast 1018+8\n"
		     "behind 1020+0\n");
}

/* After a symbol with a size nothing answers, as in llvm-symbolizer. */
Test(symtab, routines_in_a_routine)
{
	struct gsym_symbol symbols[] = {
		untyped("range", 0x1000, 0x80), untyped("swap", 0x1010, 8),
		untyped("in", 0x1014, 0),       untyped("next", 0x1020, 0),
		untyped("small", 0x1000, 4),    untyped("over", 0x1070, 0x20),
		untyped("far", 0x1078, 0),
	};

	routines_are(symbols, 7, "range 1000+10\nswap 1010+4\nin 1014+4\n"
		     "next 1020+50\nsmall 1000+4\nover 1070+8\n"
		     "far 1078+8\n");
}

/* Functions in a routine keep their size and have no labels. */
Test(symtab, functions_in_a_routine)
{
	struct gsym_symbol symbols[] = {
		untyped("array", 0x1000, 0x40), untyped("thunk", 0x1010, 0x10),
		untyped("label", 0x1014, 0),    untyped("tail", 0x1030, 0),
	};

	symbols[1].type = GSYM_SYMBOL_FUNCTION;
	routines_are(symbols, 4, "array 1000+10\nthunk 1010+10\n"
		     "label 1014+0\ntail 1030+10\n");
}

/* Routines at the end of the addresses. */
Test(symtab, routines_that_overflow)
{
	struct gsym_symbol symbols[] = {
		untyped("huge", 0x1000, UINT64_MAX), untyped("in", 0x1010, 0),
		untyped("last", 0x10ff, 1),
	};

	routines_are(symbols, 3, "huge 1000+100\nin 1010+0\nlast 10ff+1\n");
}

/* What decides the answer for an address lies between symbols that become
 * records: symbols outside their section do not. */
Test(symtab, near_of_symbols_in_their_section)
{
	const uint64_t address = 0x1050;
	const struct gsym_convert_options options = {
		.addresses = &address,
		.address_count = 1,
	};
	struct gsym_symbol symbols[] = {
		{ .name = "a", .value = 0x1010, .section = TEXT },
		{ .name = "b", .value = 0x1040, .section = HIGH },
		{ .name = "c", .value = 0x1060, .section = HIGH },
		{ .name = "d", .value = 0x1080, .section = TEXT },
	};
	struct gsym_container c = { .sections = { .items = sections,
						  .count = 3 },
				    .symbols = { .items = symbols,
						 .count = 4 } };
	struct gsym_range_set near = { 0 };

	cr_assert(gsym_symtab_near(&c, &options, &near));
	cr_assert_eq(near.count, 1);
	cr_expect_eq(near.items[0].start, 0x1010);
	cr_expect_eq(near.items[0].end, 0x1080);
	gsym_vec_fini(&near);
}

/* Where the whole conversion would leave symbols without room for their names
 * out, no part of it is converted alone. */
Test(symtab, near_needs_room_for_all_names)
{
	enum { COUNT = 300, LENGTH = 60000 };
	const uint64_t address = 0x1050;
	const struct gsym_convert_options options = {
		.addresses = &address,
		.address_count = 1,
	};
	struct gsym_container_section all[] = {
		sections[TEXT],
		{ .name = ".debug_info", .data = (const uint8_t *)"",
		  .data_size = 1, .size = 1 },
		{ .name = ".debug_abbrev" },
	};
	struct gsym_range code = { 0x1000, 0x1100 };
	struct gsym_symbol symbols[COUNT];
	struct gsym_container c = {
		.sections = { .items = all, .count = 3 },
		.symbols = { .items = symbols, .count = 1 },
		.text = { .items = &code, .count = 1 },
	};
	char *name = malloc(LENGTH + 1);

	cr_assert_not_null(name);
	memset(name, 'x', LENGTH);
	name[LENGTH] = 0;
	for (size_t i = 0; i < COUNT; i++)
		symbols[i] = (struct gsym_symbol){ .name = name,
						   .value = 0x1000 + i % 0x100,
						   .section = 0 };
	cr_expect(gsym_symtab_near_serves(&c, &options));
	c.symbols.count = COUNT;
	cr_expect_not(gsym_symtab_near_serves(&c, &options));
	free(name);
}

/* Stubs become records where there are other functions, in the symbols or
 * elsewhere. */
Test(symtab, stubs)
{
	struct gsym_symbol symbols[] = {
		{ .name = "puts@plt", .value = 0x1000, .size = 16,
		  .type = GSYM_SYMBOL_FUNCTION, .section = TEXT, .stub = true },
		{ .name = "data", .value = 0x2000, .size = 4,
		  .type = GSYM_SYMBOL_OBJECT, .section = DATA },
		{ .name = "main", .value = 0x1010, .size = 4,
		  .type = GSYM_SYMBOL_FUNCTION, .section = TEXT },
	};

	static const int records[] = { 0, 2, 1, 2 };

	for (unsigned i = 0; i < 4; i++) {
		struct outcome o = { .answer = GSYM_OK };
		struct gsym_convert_facts facts = { 0 };
		const struct gsym_convert_options options = { 0 };
		struct gsym_sink sink = { .self = &o, .string = take_string,
					  .record = take_record };
		struct gsym_container c = { .symbol_bytes = 24 };

		c.sections.items = sections;
		c.sections.count = 3;
		c.symbols.items = symbols;
		c.symbols.count = i & 1 ? 3 : 2;
		cr_assert_eq(gsym_symtab_convert(&c, &options, NULL, i & 2,
						 &sink, false, &facts, NULL),
			     GSYM_OK);
		cr_expect_eq(o.records, records[i], "%u", i);
	}
}
