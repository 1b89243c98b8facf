/* SPDX-License-Identifier: MIT */
/* Records of data symbols and variables. */
#include "convert/convert.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT, RODATA, DATA, LOW, TAIL, COUNT };

static struct gsym_container_section sections[] = {
	[TEXT] = { .name = ".text", .address = 0x1000, .size = 0x100,
		   .loaded = true, .executable = true },
	[DATA] = { .name = ".data", .address = 0x3000, .size = 0x100,
		   .loaded = true },
	[RODATA] = { .name = ".rodata", .address = 0x2000, .size = 0x100,
		     .loaded = true },
	[LOW] = { .name = ".percpu", .address = 0, .size = 0x100,
		  .loaded = true },
	[TAIL] = { .name = ".comment", .address = 0x4000, .size = 0x100 },
};
static struct gsym_range text = { 0x1000, 0x1100 };

static char names[64][32];
static uint32_t name_count;
static char result[1024];

static uint32_t name(const char *text_)
{
	for (uint32_t i = 0; i < name_count; i++)
		if (!strcmp(names[i], text_))
			return i + 1;
	strcpy(names[name_count++], text_);
	return name_count;
}

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	char text_[sizeof(*names)];

	(void)self;
	cr_assert(length < sizeof(text_));
	memcpy(text_, bytes, length);
	text_[length] = 0;
	*number = name(text_);
	return GSYM_OK;
}

/* "address+size kind name:file:line" of each record. */
static enum gsym_status take_record(void *self,
				    const struct gsym_record *r)
{
	size_t at = strlen(result);

	(void)self;
	cr_assert(r->data);
	at += (size_t)snprintf(result + at, sizeof(result) - at,
			       "%s%x+%x %c%d %s", at ? "; " : "",
			       (unsigned)r->start, (unsigned)r->size,
			       r->rank == GSYM_RANK_FUNCTION ? 'v' : 's',
			       r->name_kind, names[r->name - 1]);
	if (r->row_count)
		snprintf(result + at, sizeof(result) - at, ":%u:%u",
			 r->rows[0].file, r->rows[0].line);
	return GSYM_OK;
}

struct world {
	struct gsym_container c;
	struct gsym_variables variables;
};

static void symbol(struct world *w, const char *text_, size_t section,
		   uint64_t value, uint64_t size,
		   enum gsym_symbol_binding binding)
{
	*(struct gsym_symbol *)gsym_vec_push(&w->c.symbols) =
		(struct gsym_symbol){ .name = text_, .value = value,
				      .size = size, .section = section,
				      .type = GSYM_SYMBOL_OBJECT,
				      .binding = binding };
}

static void variable(struct world *w, const char *text_, uint64_t address,
		     uint32_t line)
{
	*(struct gsym_variable *)gsym_vec_push(&w->variables) =
		(struct gsym_variable){ .address = address,
					.name = text_ ? name(text_) : 0,
					.linkage = text_ && *text_ == '_',
					.file = 3, .line = line };
}

static void expect(struct world *w, const char *want)
{
	const struct gsym_sink sink = { .string = take_string,
					.record = take_record };
	const struct gsym_convert_options options = { 0 };

	w->c.sections.items = sections;
	w->c.sections.count = COUNT;
	w->c.text.items = &text;
	w->c.text.count = 1;
	w->c.has_base = true;
	w->c.base = 0x1000;
	result[0] = 0;
	cr_assert_eq(gsym_data_convert(&w->c, &options, &w->variables, &sink,
				       NULL),
		     GSYM_OK);
	cr_assert_str_eq(result, want);
	gsym_vec_fini(&w->c.symbols);
	gsym_vec_fini(&w->variables);
}

Test(data, symbols_alone)
{
	struct world w = { 0 };

	symbol(&w, "g", DATA, 0x3000, 8, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "w", DATA, 0x3000, 8, GSYM_SYMBOL_WEAK);
	symbol(&w, "l", RODATA, 0x2010, 0x10, GSYM_SYMBOL_LOCAL);
	symbol(&w, "cut", RODATA, 0x20f8, 0x10, GSYM_SYMBOL_LOCAL);
	expect(&w, "2010+10 s2 l; 20f8+8 s2 cut; 3000+8 s4 g; 3000+8 s3 w");
}

Test(data, left_out)
{
	struct world w = { 0 };

	symbol(&w, "unsized", DATA, 0x3000, 0, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "", DATA, 0x3000, 4, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "in code", TEXT, 0x1010, 4, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "per cpu", LOW, 0x10, 4, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "not loaded", TAIL, 0x4000, 4, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "nowhere", GSYM_NO_SECTION, 0x3000, 4, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "after", DATA, 0x3100, 4, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "function", DATA, 0x3010, 4, GSYM_SYMBOL_GLOBAL);
	w.c.symbols.items[w.c.symbols.count - 1].type = GSYM_SYMBOL_FUNCTION;
	variable(&w, NULL, 0x3000, 1);
	variable(&w, "in code", 0x1010, 1);
	variable(&w, "per cpu", 0x10, 1);
	variable(&w, "nowhere", UINT64_MAX, 1);
	expect(&w, "");
}

Test(data, sizes_and_declarations_are_shared)
{
	struct world w = { 0 };

	symbol(&w, "g", DATA, 0x3000, 8, GSYM_SYMBOL_GLOBAL);
	variable(&w, "g", 0x3000, 5);
	variable(&w, "_Z1h", 0x3008, 6);
	symbol(&w, "_Z1h", DATA, 0x3008, 4, GSYM_SYMBOL_GLOBAL);
	/* A static variable of a function. */
	symbol(&w, "n.0", DATA, 0x3010, 4, GSYM_SYMBOL_LOCAL);
	variable(&w, "n", 0x3010, 7);
	variable(&w, "no line", 0x3020, 0);
	symbol(&w, "no line", DATA, 0x3020, 4, GSYM_SYMBOL_LOCAL);
	expect(&w, "3000+8 v0 g:3:5; 3000+8 s4 g:3:5; "
		   "3008+4 v1 _Z1h:3:6; 3008+4 s4 _Z1h:3:6; "
		   "3010+4 v0 n:3:7; 3010+4 s2 n.0:3:7; "
		   "3020+4 v0 no line; 3020+4 s2 no line");
}

Test(data, several_variables_go_by_name)
{
	struct world w = { 0 };

	symbol(&w, "whole", DATA, 0x3000, 64, GSYM_SYMBOL_GLOBAL);
	symbol(&w, "part", DATA, 0x3000, 8, GSYM_SYMBOL_GLOBAL);
	variable(&w, "part", 0x3000, 5);
	variable(&w, "other", 0x3000, 6);
	expect(&w, "3000+8 v0 part:3:5; 3000+40 v0 other:3:6; "
		   "3000+40 s4 whole:3:5; 3000+8 s4 part:3:5");
}

Test(data, variables_without_symbols_reach_to_the_next)
{
	struct world w = { 0 };

	variable(&w, "a", 0x3000, 5);
	variable(&w, "b", 0x3010, 6);
	symbol(&w, "c", DATA, 0x3030, 4, GSYM_SYMBOL_GLOBAL);
	variable(&w, "d", 0x3040, 6);
	variable(&w, "last", 0x20f0, 6);
	expect(&w, "20f0+10 v0 last:3:6; 3000+10 v0 a:3:5; 3010+20 v0 b:3:6; "
		   "3030+4 s4 c; 3040+c0 v0 d:3:6");
}

/* A variable of size 0 takes neither name nor range from the others at its
 * address or around it. */
Test(data, empty_variables_are_covered)
{
	struct world w = { 0 };

	/* At one address: two variables of size 0, and one with a size; gcc
	 * names statics like these. */
	variable(&w, "key", 0x3000, 1);
	variable(&w, "key", 0x3000, 2);
	variable(&w, "next", 0x3000, 3);
	symbol(&w, "key.1", DATA, 0x3000, 0, GSYM_SYMBOL_LOCAL);
	symbol(&w, "key.0", DATA, 0x3000, 0, GSYM_SYMBOL_LOCAL);
	symbol(&w, "next.1", DATA, 0x3000, 8, GSYM_SYMBOL_LOCAL);
	/* One variable inside of a sized symbol, and one at its end. */
	symbol(&w, "table", DATA, 0x3010, 0x10, GSYM_SYMBOL_LOCAL);
	variable(&w, "in", 0x3018, 4);
	symbol(&w, "in", DATA, 0x3018, 0, GSYM_SYMBOL_LOCAL);
	variable(&w, "after", 0x3020, 5);
	symbol(&w, "after", DATA, 0x3020, 0, GSYM_SYMBOL_LOCAL);
	/* A sized symbol without a variable. */
	variable(&w, "mark", 0x3040, 6);
	symbol(&w, "mark", DATA, 0x3040, 0, GSYM_SYMBOL_LOCAL);
	symbol(&w, "big", DATA, 0x3040, 4, GSYM_SYMBOL_LOCAL);
	expect(&w, "3000+8 v0 next:3:3; 3000+8 s2 next.1:3:3; "
		   "3010+10 s2 table; 3020+20 v0 after:3:5; "
		   "3040+4 s2 big:3:6");
}

/* A variable of size 0 that is alone reaches to the next item. */
Test(data, empty_variables_alone)
{
	struct world w = { 0 };

	variable(&w, "a", 0x3000, 1);
	symbol(&w, "a", DATA, 0x3000, 0, GSYM_SYMBOL_LOCAL);
	symbol(&w, "unsized", DATA, 0x3004, 0, GSYM_SYMBOL_LOCAL);
	variable(&w, "b", 0x3008, 2);
	symbol(&w, "b.12", DATA, 0x3008, 0, GSYM_SYMBOL_LOCAL);
	variable(&w, "last", 0x20f0, 3);
	symbol(&w, "last", RODATA, 0x20f0, 0, GSYM_SYMBOL_LOCAL);
	expect(&w, "20f0+10 v0 last:3:3; 3000+8 v0 a:3:1; 3008+f8 v0 b:3:2");
}

/* Names that end like those of statics in functions. */
Test(data, plain_names)
{
	struct world w = { 0 };

	variable(&w, "x", 0x3000, 1);
	variable(&w, ".1", 0x3000, 2);
	variable(&w, "y", 0x3000, 3);
	variable(&w, "z", 0x3000, 4);
	symbol(&w, "x.10", DATA, 0x3000, 1, GSYM_SYMBOL_LOCAL);
	symbol(&w, ".1", DATA, 0x3000, 2, GSYM_SYMBOL_LOCAL);
	symbol(&w, "y.", DATA, 0x3000, 4, GSYM_SYMBOL_LOCAL);
	symbol(&w, "z1", DATA, 0x3000, 8, GSYM_SYMBOL_LOCAL);
	expect(&w, "3000+1 v0 x:3:1; 3000+2 v0 .1:3:2; 3000+8 v0 y:3:3; "
		   "3000+8 v0 z:3:4; 3000+1 s2 x.10:3:1; 3000+2 s2 .1:3:2; "
		   "3000+4 s2 y.:3:1; 3000+8 s2 z1:3:1");
}

static enum gsym_status count_string(void *self, const char *bytes,
				     size_t length, uint32_t *number)
{
	(void)bytes;
	(void)length;
	++*(unsigned *)self;
	*number = 1;
	return GSYM_OK;
}

static enum gsym_status ignore_record(void *self, const struct gsym_record *r)
{
	(void)self;
	(void)r;
	return GSYM_OK;
}

static void count_warning(void *context, enum gsym_warning kind,
			  const char *text_)
{
	(void)text_;
	*(unsigned *)context += kind == GSYM_WARN_WORK_LIMIT;
}

/* Many names that are tails of one long string. */
Test(data, many_long_names)
{
	enum { LENGTH = 1 << 20, SYMBOLS = 100 };
	char *tail = calloc(1, LENGTH + 1);
	struct world w = { .c.symbol_bytes = 1 };
	unsigned strings = 0, warnings = 0;
	const struct gsym_sink sink = { .self = &strings,
					.string = count_string,
					.record = ignore_record };
	const struct gsym_convert_options options = { .warn = count_warning,
						      .context = &warnings };

	cr_assert(tail);
	memset(tail, 'a', LENGTH);
	for (unsigned i = 0; i < SYMBOLS; i++)
		symbol(&w, tail + i, DATA, 0x3000, 8, GSYM_SYMBOL_LOCAL);
	w.c.sections.items = sections;
	w.c.sections.count = COUNT;
	cr_expect_eq(gsym_data_convert(&w.c, &options, &w.variables, &sink,
				       NULL),
		     GSYM_OK);
	cr_expect_eq(warnings, 1);
	/* Two for each symbol: the name, and the name without a number. */
	cr_expect_gt(strings, 2 * 8);
	cr_expect_lt(strings, 2 * 40);
	gsym_vec_fini(&w.c.symbols);
	free(tail);
}
