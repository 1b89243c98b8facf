/* SPDX-License-Identifier: MIT */
/* Joining the containers of one program in several files. */
#include "config.h"

#include "elf/elf.h"
#include "container/container.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a program that a file has. */
struct parts {
	bool loaded_bytes;   /* of sections that are loaded */
	bool sections;       /* loaded sections */
	bool extra_section;  /* a first section, which is not loaded */
	uint64_t plt;        /* the address of .plt; 0: there is none */
	const char *symbol;  /* in .text, at 0x1008 */
	const char *id;
	bool debug;
	unsigned machine;
	unsigned type;
};

static struct gsym_container *open_parts(const struct parts *p, uint8_t **bytes)
{
	struct elfb *b = elfb_new(64, false, p->type ? p->type : ET_DYN,
				  p->machine ? p->machine : EM_X86_64);
	struct gsym_container *c;
	size_t text = 0;
	size_t size;

	if (p->extra_section)
		elfb_section(b, ".comment", SHT_PROGBITS, 0, 0, "x", 1);
	if (p->plt)
		elfb_section(b, ".plt", p->loaded_bytes ? SHT_PROGBITS
			     : SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, p->plt,
			     NULL, 32);
	if (p->sections) {
		text = elfb_section(b, ".text", p->loaded_bytes ? SHT_PROGBITS
				    : SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
				    0x1000, NULL, 64);
		elfb_segment(b, PT_LOAD, 0x1000, text);
	}
	if (p->symbol)
		elfb_symbol(b, &(struct elfb_symbol){ .name = p->symbol,
			.value = 0x1008, .size = 4, .type = STT_FUNC,
			.binding = STB_GLOBAL, .section = text });
	if (p->id)
		elfb_note(b, ".note", "GNU", 3, p->id, strlen(p->id));
	if (p->debug)
		elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0, "info", 4);
	*bytes = elfb_finish(b, &size);
	elfb_free(b);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, *bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	return c;
}

/* The name of the section that symbol NUMBER of C is in. */
static const char *symbol_section(const struct gsym_container *c, size_t number)
{
	size_t section = c->symbols.items[number].section;

	cr_assert_lt(number, c->symbols.count);
	if (section == GSYM_NO_SECTION)
		return NULL;
	cr_assert_lt(section, c->sections.count);
	return c->sections.items[section].name;
}

Test(join, program_and_debug_file)
{
	struct parts stripped = { .loaded_bytes = true, .sections = true,
				  .plt = 0x2000, .symbol = "exported",
				  .id = "identity" };
	struct parts debug = { .sections = true, .extra_section = true,
			       .symbol = "internal", .id = "identity",
			       .debug = true };
	uint8_t *bytes[2];
	struct gsym_container *program = open_parts(&stripped, &bytes[0]);
	struct gsym_container *c = open_parts(&debug, &bytes[1]);
	const struct gsym_container_section *s;

	cr_assert(gsym_container_alike(c, program));
	gsym_container_warn(program, GSYM_WARN_BAD_SECTION, "of the program");
	cr_assert(gsym_container_join_program(c, program));

	cr_assert_eq(c->symbols.count, 2);
	cr_assert_str_eq(c->symbols.items[0].name, "internal");
	cr_assert_str_eq(symbol_section(c, 0), ".text");
	cr_assert_str_eq(c->symbols.items[1].name, "exported");
	cr_assert_str_eq(symbol_section(c, 1), ".text");
	s = gsym_container_section(c, ".text");
	cr_assert(s->data && s->data_size == 64, "its bytes are the program's");
	cr_assert(gsym_container_section(c, ".debug_info")->data);
	/* The text ranges are the program's. */
	cr_assert_eq(c->text.count, 2);
	cr_assert_eq(c->text.items[1].start, 0x2000);
	cr_assert_eq(c->uuid, program->uuid);
	cr_assert_eq(c->warnings.count, 1);
	cr_assert_str_eq(c->warnings.items[0].text, "of the program");
	gsym_container_free(c);
	free(bytes[0]);
	free(bytes[1]);
}

/* A program whose section headers were stripped. */
Test(join, program_without_sections)
{
	struct parts stripped = { .id = "identity" };
	struct parts debug = { .sections = true, .symbol = "internal",
			       .debug = true };
	uint8_t *bytes[2];
	struct gsym_container *program = open_parts(&stripped, &bytes[0]);
	struct gsym_container *c = open_parts(&debug, &bytes[1]);

	cr_assert(gsym_container_join_program(c, program));
	cr_assert_eq(c->text.count, 1);
	cr_assert_eq(c->uuid_size, 8);
	cr_assert_str_eq(symbol_section(c, 0), ".text");
	gsym_container_free(c);
	free(bytes[0]);
	free(bytes[1]);
}

Test(join, debug_file_without_sections)
{
	struct parts stripped = { .sections = true, .loaded_bytes = true,
				  .symbol = "exported", .plt = 0x2000 };
	struct parts debug = { .debug = true };
	uint8_t *bytes[2];
	struct gsym_container *program = open_parts(&stripped, &bytes[0]);
	struct gsym_container *c = open_parts(&debug, &bytes[1]);

	cr_assert(gsym_container_join_program(c, program));
	cr_assert_eq(c->text.count, 2);
	cr_assert_str_eq(symbol_section(c, 0), ".text");
	cr_assert(c->has_base);
	gsym_container_free(c);
	free(bytes[0]);
	free(bytes[1]);
}

Test(join, symbols_of_another_file)
{
	struct parts own = { .sections = true, .debug = true, .plt = 0x2000 };
	struct parts symbols = { .sections = true, .extra_section = true,
				 .symbol = "there" };
	uint8_t *bytes[2];
	struct gsym_container *c = open_parts(&own, &bytes[0]);
	struct gsym_container *from = open_parts(&symbols, &bytes[1]);

	cr_assert(gsym_container_join_symbols(c, from));
	cr_assert_eq(c->symbols.count, 1);
	cr_assert_str_eq(symbol_section(c, 0), ".text");
	cr_assert_eq(c->text.count, 2, "its own");
	cr_assert_gt(c->symbol_bytes, 0);
	gsym_container_free(c);
	free(bytes[0]);
	free(bytes[1]);
}

/* Sections of one name at different addresses are different sections. */
Test(join, symbols_of_a_section_that_is_not_there)
{
	struct parts own = { .debug = true, .plt = 0x2000 };
	struct parts symbols = { .sections = true, .symbol = "there" };
	uint8_t *bytes[2];
	struct gsym_container *c = open_parts(&own, &bytes[0]);
	struct gsym_container *from = open_parts(&symbols, &bytes[1]);

	cr_assert(gsym_container_join_symbols(c, from));
	cr_assert_eq(c->symbols.count, 1);
	cr_assert_null(symbol_section(c, 0));
	cr_assert_eq(c->text.count, 1);
	gsym_container_free(c);
	free(bytes[0]);
	free(bytes[1]);
}

/* The sections of the two files of a kernel module were laid out separately:
 * the debug file keeps its own. */
Test(join, relocatable)
{
	struct parts stripped = { .sections = true, .loaded_bytes = true,
				  .symbol = "twice", .type = ET_REL,
				  .id = "identity" };
	struct parts debug = stripped;
	uint8_t *bytes[2];
	struct gsym_container *program = open_parts(&stripped, &bytes[0]);
	struct gsym_container *c;

	debug.extra_section = debug.debug = true;
	c = open_parts(&debug, &bytes[1]);
	cr_assert(gsym_container_join_program(c, program));
	cr_assert_eq(c->symbols.count, 1);
	cr_assert_str_eq(symbol_section(c, 0), ".text");
	cr_assert_eq(c->text.count, 1);
	cr_assert_eq(c->uuid, program->uuid);
	gsym_container_free(c);
	free(bytes[0]);
	free(bytes[1]);
}

Test(join, alike)
{
	struct parts parts[] = {
		{ .machine = EM_X86_64 },
		{ .machine = EM_AARCH64 },
		{ .machine = 0x7fff },
		{ .machine = 0x7ffe },
	};
	struct gsym_container *c[4];
	uint8_t *bytes[4];

	for (int i = 0; i < 4; i++)
		c[i] = open_parts(&parts[i], &bytes[i]);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			cr_assert_eq(gsym_container_alike(c[i], c[k]), i == k);
	cr_assert_str_eq(c[0]->architecture, "x86_64");
	cr_assert_str_eq(c[1]->architecture, "aarch64");
	cr_assert_str_eq(c[2]->architecture, "machine 32767");
	for (int i = 0; i < 4; i++) {
		gsym_container_free(c[i]);
		free(bytes[i]);
	}
}

/* mold's debug files have sections at other addresses. */
Test(join, sections_lie_where_the_program_has_them)
{
	struct parts program = { .loaded_bytes = true, .sections = true,
				 .plt = 0x900, .id = "id" };
	struct parts debug = { .sections = true, .plt = 0x890, .id = "id",
			       .symbol = "f", .debug = true };
	struct gsym_container *a, *b;
	uint8_t *bytes[2];

	b = open_parts(&program, &bytes[0]);
	a = open_parts(&debug, &bytes[1]);
	cr_assert(gsym_container_join_program(a, b));
	cr_expect_eq(gsym_container_section(a, ".plt")->address, 0x900);
	cr_expect(gsym_container_section(a, ".plt")->data);
	cr_expect_eq(gsym_container_section(a, ".text")->address, 0x1000);
	gsym_container_free(a);
	free(bytes[0]);
	free(bytes[1]);
}

/* The debug file gets the functions of the program, unless it has some. */
Test(join, functions)
{
	struct parts stripped = { .loaded_bytes = true, .sections = true };
	struct parts debug = { .sections = true, .debug = true };

	for (int own = 0; own < 2; own++) {
		uint8_t *bytes[2];
		struct gsym_container *program =
			open_parts(&stripped, &bytes[0]);
		struct gsym_container *c = open_parts(&debug, &bytes[1]);

		*gsym_vec_push(&program->functions) =
			(struct gsym_range){ 0x1000, 0x1010 };
		if (own)
			*gsym_vec_push(&c->functions) =
				(struct gsym_range){ 0x1008, 0x1010 };
		cr_assert(gsym_container_join_program(c, program));
		cr_assert_eq(c->functions.count, 1);
		cr_expect_eq(c->functions.items[0].start,
			     own ? 0x1008 : 0x1000);
		gsym_container_free(c);
		free(bytes[0]);
		free(bytes[1]);
	}
}
