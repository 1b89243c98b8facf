/* SPDX-License-Identifier: MIT */
/* Debug info of object files, moved to the addresses of the program by its
 * debug map. */
#include "convert/convert.h"
#include "support/dwarf_files.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the sink ----------------------------------------------------------- */

static char names[64][32];
static uint32_t name_count;
static char result[4096];
static char problems[2048];

__attribute__((format(printf, 1, 2)))
static void note(const char *format, ...)
{
	size_t used = strlen(result);
	va_list args;

	va_start(args, format);
	vsnprintf(result + used, sizeof(result) - used, format, args);
	va_end(args);
}

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	(void)self;
	for (*number = 1; *number <= name_count; ++*number)
		if (!strcmp(names[*number], bytes))
			return GSYM_OK;
	cr_assert(length < sizeof(names[0]) && *number < 64);
	strcpy(names[++name_count], bytes);
	return GSYM_OK;
}

static enum gsym_status take_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	(void)self;
	(void)directory;
	*number = basename;
	return GSYM_OK;
}

static enum gsym_status take_record(void *self,
				    const struct gsym_record *r)
{
	(void)self;
	note("%s%s %" PRIx64 "+%" PRIx64, r->folded ? "folded " : "",
	     names[r->name], r->start, r->size);
	for (size_t i = 0; i < r->row_count; i++)
		note(" %x:%u", r->rows[i].offset, r->rows[i].line);
	for (size_t i = 0; i < r->inline_count; i++) {
		const struct gsym_inline_node *n = &r->inlines[i];

		note(" %s", names[n->name]);
		for (uint32_t k = 0; k < n->range_count; k++) {
			const struct gsym_range *range =
				&r->inline_ranges[n->first_range + k];

			note("[%" PRIx64 ",%" PRIx64 ")", range->start,
			     range->end);
		}
	}
	for (size_t i = 0; i < r->call_count; i++)
		note(" returns+%" PRIx64, r->calls[i].return_offset);
	note("\n");
	return GSYM_OK;
}

static enum gsym_status take_loose(void *self, struct gsym_range range,
				   const struct gsym_loose_row *rows,
				   size_t count)
{
	(void)self;
	note("loose [%" PRIx64 ",%" PRIx64 ")", range.start, range.end);
	for (size_t i = 0; i < count; i++)
		note(" %" PRIx64 ":%u", rows[i].address, rows[i].line);
	note("\n");
	return GSYM_OK;
}

static void take_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	size_t used = strlen(problems);

	(void)context;
	snprintf(problems + used, sizeof(problems) - used, "%s: %s\n",
		 kind == GSYM_WARN_MISSING_FILE ? "missing-file" : "other",
		 text);
}

/* ---- the object --------------------------------------------------------- */

static void function(struct dwa *a, const char *name, uint64_t start,
		     bool children)
{
	dwa_die(a, DW_TAG_subprogram, children);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, start);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data4, 0x10);
}

static void variable(struct dwa *a, const char *name, uint8_t low)
{
	uint8_t bytes[9] = { DW_OP_addr, low, 2 };

	dwa_die(a, DW_TAG_variable, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	dwa_value(a, DW_AT_decl_line, DW_FORM_data1, 3);
	dwa_block(a, DW_AT_location, DW_FORM_exprloc, bytes, 9);
}

/* f [10,20) with an inlined call [14,18), g [20,30), h [30,40), then assembly
 * [40,60); data at 200 and 208. */
static void build(struct dwa *a)
{
	static const struct dwa_file files[] = { { "a.c", 0 } };
	const struct dwa_lines lines = { .version = 4, .files = files,
					 .file_count = 1 };
	uint64_t table = dwa_lines(a, &lines);
	unsigned inner = dwa_place(a);

	dwa_sequence(a, 0x10);
	for (unsigned at = 0x10; at < 0x60; at += 8)
		dwa_row(a, at, 1, at);
	dwa_sequence_end(a, 0x60);
	dwa_lines_end(a);
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x10);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data4, 0x50);
	dwa_value(a, DW_AT_stmt_list, DW_FORM_sec_offset, table);
	dwa_place_here(a, inner);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "inner");
	function(a, "f", 0x10, true);
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, inner);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x14);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data4, 4);
	dwa_die(a, DW_TAG_call_site, false);
	dwa_value(a, DW_AT_call_return_pc, DW_FORM_addr, 0x1c);
	dwa_end(a);
	function(a, "g", 0x20, false);
	function(a, "h", 0x30, false);
	variable(a, "here", 0);
	variable(a, "gone", 8);
	dwa_end(a);
	dwa_unit_end(a);
}

static const struct gsym_container_section text_section = {
	.name = "text", .address = 0x10, .size = 0x60, .loaded = true,
	.executable = true,
};

static const struct gsym_container_section data_section = {
	.name = "data", .address = 0x200, .size = 0x10, .loaded = true,
};

static void add_symbol(struct gsym_container *c, const char *name,
		       uint64_t value, size_t section)
{
	struct gsym_symbol *s = gsym_vec_push(&c->symbols);

	*s = (struct gsym_symbol){ .name = name, .value = value,
				   .section = section };
}

/* MORE: further symbols of code, up to one without a name. */
static struct gsym_container *make_object(struct dwf *f,
					  const struct gsym_symbol *more)
{
	struct gsym_container *c = dwf_container(f);
	size_t text = c->sections.count;

	*gsym_vec_push(&c->sections) = text_section;
	*gsym_vec_push(&c->sections) = data_section;
	cr_assert(gsym_container_collect_text(c));
	add_symbol(c, "h", 0x30, text);
	add_symbol(c, "g", 0x20, text);
	add_symbol(c, "f", 0x10, text);
	add_symbol(c, "alias", 0x10, text);
	add_symbol(c, "asm", 0x44, text);
	add_symbol(c, "here", 0x200, text + 1);
	add_symbol(c, "gone", 0x208, text + 1);
	for (const struct gsym_symbol *s = more; s->name; s++)
		add_symbol(c, s->name, s->value, text);
	return c;
}

/* ---- the program -------------------------------------------------------- */

struct world {
	struct gsym_container program;
	struct dwf files;
	/* Names of the files that exist, one letter each; all those in
	 * capitals have the same content. */
	const char *there;
	unsigned opened;
	struct gsym_symbol more[9];
	struct gsym_convert_options options;
	struct gsym_variables variables;
};

static struct world *world;

static enum gsym_status open_object(const struct gsym_container *c,
				    const struct gsym_object *object,
				    const char *path, uint64_t identity[3],
				    struct gsym_container **ret,
				    struct gsym_error *error)
{
	size_t length = strlen(path);

	cr_assert_eq(c, &world->program);
	cr_assert(length && object->count);
	snprintf(error->message, sizeof(error->message), "not there");
	error->code = GSYM_ERR_IO;
	if (!strchr(world->there, path[length - 1]) || strchr(path, '/'))
		return GSYM_ERR_IO;
	identity[0] = path[0] < 'a' ? 'A' : (uint64_t)path[0];
	world->opened++;
	*ret = make_object(&world->files, world->more);
	return GSYM_OK;
}

static void linked(const char *name, uint64_t address, uint64_t size,
		   bool is_function)
{
	struct gsym_container *p = &world->program;

	*(struct gsym_linked *)gsym_vec_push(&p->linked) =
		(struct gsym_linked){ name, address, size, is_function };
	p->objects.items[p->objects.count - 1].count++;
}

static void object(const char *path)
{
	struct gsym_container *p = &world->program;

	*(struct gsym_object *)gsym_vec_push(&p->objects) =
		(struct gsym_object){ path, 0, p->linked.count, 0 };
}

static void begin(void)
{
	static const struct gsym_container_section text = {
		.name = "text", .address = 0x8000, .size = 0x2000,
		.loaded = true, .executable = true,
	};

	world = calloc(1, sizeof(*world));
	world->program.open_object = open_object;
	world->there = "abAB";
	world->options.warn = take_warning;
	world->options.threads = 2;
	*(struct gsym_container_section *)gsym_vec_push(
		&world->program.sections) = text;
	cr_assert(gsym_container_collect_text(&world->program));
	dwf_init(&world->files, false, 8, 4, false);
	build(&world->files.main);
}

static void end(void)
{
	gsym_vec_fini(&world->program.sections);
	gsym_vec_fini(&world->program.text);
	gsym_vec_fini(&world->program.symbols);
	gsym_vec_fini(&world->program.objects);
	gsym_vec_fini(&world->program.linked);
	gsym_vec_fini(&world->variables);
	dwf_fini(&world->files);
	free(world);
}

TestSuite(objects_of_program, .init = begin, .fini = end);

static void convert(const char *expected)
{
	const struct gsym_sink sink = { NULL, take_string, take_file,
					take_record, take_loose, NULL };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };

	result[0] = problems[0] = '\0';
	name_count = 0;
	cr_assert(gsym_objects_present(&world->program));
	cr_assert_eq(gsym_objects_convert(&world->program, "dir/prog", NULL,
					  &world->options, &sink,
					  &world->variables, &facts, &error),
		     GSYM_OK, "%s", error.message);
	cr_assert_str_eq(result, expected, "%s", result);
}

/* ---- the tests ---------------------------------------------------------- */

/* Functions, rows and inlined calls are moved; what the program does not have
 * is left out. */
Test(objects_of_program, moved)
{
	object("a");
	linked("f", 0x9000, 0x10, true);
	linked("h", 0x8000, 0x10, true);
	linked("asm", 0x8800, 0x10, true);
	world->options.call_sites = true;
	convert("f 9000+10 0:16 8:24 inner[9004,9008) returns+c\n"
		"h 8000+10 0:48 8:56\n"
		"loose [8800,8810) 8800:64 8804:72 880c:80\n");
	cr_assert_str_eq(problems, "");
}

/* A variable without an address in the map takes that of its symbol; one
 * without a size ends at the next symbol. */
Test(objects_of_program, variables)
{
	object("a");
	linked("here", 0, 0, false);
	linked("gone", 0, 0, false);
	linked("nowhere", 0x9900, 0, false);
	add_symbol(&world->program, "there", 0xa100, 0);
	add_symbol(&world->program, "here", 0xa000, 0);
	convert("");
	cr_assert_eq(world->variables.count, 1);
	cr_assert_eq(world->variables.items[0].address, 0xa000);
	cr_assert_eq(world->variables.items[0].line, 3);
	cr_assert_str_eq(names[world->variables.items[0].name], "here");
}

/* If functions of several objects were folded into one, the function of the
 * first object answers; of several in one object, the last one.  With
 * MERGED_FUNCTIONS the others are handed over, too. */
Test(objects_of_program, folded)
{
	object("a");
	linked("h", 0x9000, 0x10, true);
	linked("f", 0x9000, 0x10, true);
	object("b");
	linked("f", 0x8000, 0x10, true);
	linked("g", 0x9000, 0x10, true);
	convert("h 9000+10 0:48 8:56\n"
		"f 8000+10 0:16 8:24 inner[8004,8008)\n");
	world->options.merged_functions = true;
	convert("folded f 9000+10 0:16 8:24 inner[9004,9008)\n"
		"h 9000+10 0:48 8:56\n"
		"f 8000+10 0:16 8:24 inner[8004,8008)\n"
		"folded g 9000+10 0:32 8:40\n");
}

/* Two names of one function, and a size that reaches over the next one. */
Test(objects_of_program, names_and_sizes)
{
	object("a");
	linked("alias", 0x8000, 0x40, true);
	linked("f", 0x8000, 0, true);
	linked("g", 0x9000, 0, true);
	convert("f 8000+10 0:16 8:24 inner[8004,8008)\n"
		"g 9000+10 0:32 8:40\n");
}

/* ThinLTO gives local symbols of the object a suffix that the map lacks.  The
 * plain name comes first, and two names with one stem are none. */
Test(objects_of_program, thinlto)
{
	static const struct gsym_symbol more[] = {
		{ .name = "p.llvm.120", .value = 0x10 },
		{ .name = "g.llvm.7", .value = 0x10 },
		{ .name = "p.llvm.12.cold", .value = 0x20 },
		{ .name = "q.llvm.", .value = 0x20 },
		{ .name = "r.llvm.1", .value = 0x20 },
		{ .name = "r.llvm.2", .value = 0x30 },
		{ .name = "pp.llvm.3", .value = 0x30 },
		{ .name = ".llvm.3", .value = 0x30 },
	};

	memcpy(world->more, more, sizeof(more));
	object("a");
	linked("p", 0x8000, 0x10, true);
	linked("g", 0x8100, 0x10, true);
	linked("q", 0x8200, 0x10, true);
	linked("r", 0x8300, 0x10, true);
	linked("", 0x8400, 0x10, true);
	convert("f 8000+10 0:16 8:24 inner[8004,8008)\n"
		"g 8100+10 0:32 8:40\n");
}

/* Functions outside the program's code, and sizes that run over the end of the
 * address space. */
Test(objects_of_program, hostile)
{
	object("a");
	linked("f", 0x100, 0x10, true);
	linked("g", UINT64_MAX - 4, UINT64_MAX, true);
	linked("h", 0x9fff, UINT64_MAX, true);
	convert("h 9fff+10 0:48 8:56\n"
		"loose [a00f,a013) a00f:64\n");
}

/* No object is read twice, none without pieces is read at all, and a missing
 * one is reported. */
Test(objects_of_program, files)
{
	object("A");
	linked("f", 0x8000, 0x10, true);
	object("b");
	object("B");
	linked("g", 0x9000, 0x10, true);
	object("missing.x");
	linked("g", 0x9000, 0x10, true);
	convert("f 8000+10 0:16 8:24 inner[8004,8008)\n");
	cr_assert_eq(world->opened, 2);
	cr_assert_str_eq(problems, "missing-file: 'missing.x', an object with "
			 "debug info: not there\n");
}

static bool stop(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	cr_assert_eq(total, 2);
	return done < 1;
}

Test(objects_of_program, cancelled)
{
	const struct gsym_sink sink = { NULL, take_string, take_file,
					take_record, take_loose, NULL };
	struct gsym_convert_facts facts = { 0 };

	object("a");
	linked("f", 0x8000, 0x10, true);
	object("b");
	linked("g", 0x9000, 0x10, true);
	world->options.progress = stop;
	cr_assert_eq(gsym_objects_convert(&world->program, "p", NULL,
					  &world->options, &sink, NULL, &facts,
					  NULL),
		     GSYM_ERR_CANCELLED);
	cr_assert_eq(world->opened, 1);
}
