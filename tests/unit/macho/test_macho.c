/* SPDX-License-Identifier: MIT */
/* Sound Mach-O files, and objects: both widths and byte orders. */
#include "macho/macho.h"
#include "object/machoview.h"
#include "unit/macho/program.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

struct shape {
	unsigned bits;
	bool big_endian;
};

static struct shape shapes[] = {
	{ 64, false }, { 64, true }, { 32, false }, { 32, true },
};

static struct gsym_container *open_bytes(const uint8_t *bytes, size_t size)
{
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };

	cr_assert(gsym_machoview_matches(bytes, size));
	cr_assert_eq(gsym_container_load(&gsym_macho_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, &error),
		     GSYM_OK, "%s", error.message);
	return c;
}

static const struct gsym_symbol *find(const struct gsym_container *c,
				      const char *name)
{
	for (size_t i = 0; i < c->symbols.count; i++)
		if (!strcmp(c->symbols.items[i].name, name))
			return &c->symbols.items[i];
	cr_assert_fail("no symbol %s", name);
	return NULL;
}

ParameterizedTestParameters(macho, facts)
{
	return cr_make_param_array(struct shape, shapes, 4);
}

ParameterizedTest(struct shape *shape, macho, facts)
{
	size_t size;
	uint8_t *bytes = program(shape->bits, shape->big_endian, &size);
	struct gsym_container *c = open_bytes(bytes, size);

	cr_assert_eq(c->format, GSYM_FORMAT_MACHO);
	cr_assert_str_eq(c->architecture,
			 shape->big_endian ? shape->bits == 64 ? "ppc64" : "ppc"
			 : shape->bits == 64 ? "x86_64" : "i386");
	cr_assert_eq(c->big_endian, shape->big_endian);
	cr_assert_eq(c->address_size, shape->bits / 8);
	cr_assert(c->has_base);
	cr_assert_eq(c->base, 0x10000);
	cr_assert_eq(c->uuid_size, 16);
	cr_assert_arr_eq(c->uuid, "0123456789abcde", 16);
	/* Code and stubs are adjacent; constants are no code. */
	cr_assert_eq(c->text.count, 1);
	cr_assert_eq(c->text.items[0].start, 0x11000);
	cr_assert_eq(c->text.items[0].end, 0x1110c);
	cr_assert_eq(c->warnings.count, 0, "%s", c->warnings.items[0].text);
	gsym_container_free(c);
	free(bytes);
}

ParameterizedTestParameters(macho, sections)
{
	return cr_make_param_array(struct shape, shapes, 4);
}

ParameterizedTest(struct shape *shape, macho, sections)
{
	static const char *const names[] = {
		"__TEXT,__text", "__TEXT,__stubs", "__TEXT,__const",
		".debug_info", ".debug_line_str", ".debug_str_offsets",
		".debug_rnglists", ".debug_str", ".zdebug_line_str",
	};
	size_t size;
	uint8_t *bytes = program(shape->bits, shape->big_endian, &size);
	struct gsym_container *c = open_bytes(bytes, size);

	cr_assert_eq(c->sections.count, 9);
	for (size_t i = 0; i < 9; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];

		cr_assert_str_eq(s->name, names[i]);
		cr_assert_eq(s->loaded, i < 3);
		cr_assert_eq(s->executable, i < 2);
		cr_assert_eq(s->data_size, s->size);
		if (i < 8)
			cr_assert_eq(s->data, bytes + s->file_offset);
		if (i >= 3)
			cr_assert_arr_eq(s->data, i == 8 ? "abcd" : "__de", 4);
	}
	gsym_container_free(c);
	free(bytes);
}

ParameterizedTestParameters(macho, symbols)
{
	return cr_make_param_array(struct shape, shapes, 4);
}

ParameterizedTest(struct shape *shape, macho, symbols)
{
	size_t size;
	uint8_t *bytes = program(shape->bits, shape->big_endian, &size);
	struct gsym_container *c = open_bytes(bytes, size);
	const struct gsym_symbol *s;

	/* Left out: the symbol of the header, symbols for debuggers, and
	 * undefined symbols. */
	cr_assert_eq(c->symbols.count, 6);
	s = find(c, "main");
	cr_assert_eq(s->value, 0x11000);
	cr_assert_eq(s->size, 0);
	cr_assert_eq(s->section, 0);
	cr_assert_eq(s->type, GSYM_SYMBOL_FUNCTION);
	cr_assert_eq(s->binding, GSYM_SYMBOL_GLOBAL);
	cr_assert_eq(s->value + s->reach, 0x11020);
	cr_assert_eq(find(c, "_Z4weakv")->binding, GSYM_SYMBOL_WEAK);
	cr_assert_eq(find(c, "$s4main3fooyyF")->binding, GSYM_SYMBOL_LOCAL);
	cr_assert_eq(find(c, "$s4main3fooyyF")->reach, 0);
	cr_assert_eq(find(c, "-[Foo bar]")->value, 0x11041);
	cr_assert_eq(find(c, "table")->type, GSYM_SYMBOL_OBJECT);
	s = find(c, "symbol stub for: puts");
	cr_assert_eq(s->value, 0x11100);
	cr_assert_eq(s->size, 6);
	cr_assert_eq(s->section, 1);
	gsym_container_free(c);
	free(bytes);
}

/* Names that are private to the assembler and the linker occur in objects only,
 * and are not used.  Bit 0 of a Thumb address is cleared. */
Test(macho, objects)
{
	struct machob *b = machob_new(32, false, MH_OBJECT, CPU_TYPE_ARM, 9);
	struct gsym_container *c;
	uint8_t *bytes;
	size_t size;

	machob_segment(b, "", 0, 0x100);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = CODE, .data = "code",
		.size = 4 });
	machob_symbol(b, "ltmp0", LOCAL, 1, 0, 0);
	machob_symbol(b, "Ltmp", LOCAL, 1, 0, 0);
	machob_symbol(b, "_long", LOCAL, 1, 8, 3);
	bytes = machob_finish(b, &size);
	machob_free(b);
	c = open_bytes(bytes, size);
	cr_assert(!c->has_base);
	cr_assert(c->code_bit0);
	cr_assert_str_eq(c->architecture, "armv7");
	cr_assert_eq(c->symbols.count, 3);
	cr_assert_eq(c->symbols.items[0].type, GSYM_SYMBOL_OTHER);
	cr_assert_eq(c->symbols.items[1].type, GSYM_SYMBOL_OTHER);
	cr_assert_str_eq(c->symbols.items[2].name, "long");
	cr_assert_eq(c->symbols.items[2].type, GSYM_SYMBOL_FUNCTION);
	cr_assert_eq(c->symbols.items[2].value, 2);
	gsym_container_free(c);
	free(bytes);
}

/* An entry of type 0: SYMBOL's value to OFFSET, which has 1 << LENGTH
 * bytes. */
static void make_relocation(bool big_endian, uint32_t offset, uint32_t symbol,
			    unsigned length, bool external, uint32_t *pair)
{
	pair[0] = offset;
	pair[1] = big_endian ? symbol << 8 | length << 5 |
				       (uint32_t)external << 4
			     : symbol | length << 25 |
				       (uint32_t)external << 27;
}

ParameterizedTestParameters(macho, relocations)
{
	return cr_make_param_array(struct shape, shapes, 4);
}

ParameterizedTest(struct shape *shape, macho, relocations)
{
	struct machob *b = machob_new(shape->bits, shape->big_endian, MH_OBJECT,
				      CPU_TYPE_POWERPC, 0);
	bool big = shape->big_endian;
	bool swap = big != GSYM_HOST_BIG_ENDIAN;
	unsigned length = shape->bits == 64 ? 3 : 2;
	uint8_t data[40] = { 0 };
	uint32_t pairs[14] = { 0 };
	struct gsym_container *c;
	const uint8_t *got;
	uint8_t *bytes;
	size_t size;

	gsym_store_u32(data + 8, 5, swap);
	make_relocation(big, 0, 0, length, true, pairs);
	make_relocation(big, 8, 0, 2, true, pairs + 2);
	/* Relocations that are not applied: against a section, whose bytes are
	 * right already; scattered; of a symbol in another file; outside of the
	 * section and of the symbols. */
	make_relocation(big, 16, 1, 2, false, pairs + 4);
	make_relocation(big, 20 | R_SCATTERED, 0, 2, true, pairs + 6);
	make_relocation(big, 24, 1, 2, true, pairs + 8);
	make_relocation(big, 38, 0, 2, true, pairs + 10);
	make_relocation(big, 28, 99, 2, true, pairs + 12);
	machob_segment(b, "", 0, 0x100);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = CODE, .data = "code",
		.size = 4 });
	machob_section(b, &(struct machob_section){ .name = "__debug_info",
		.segment = "__DWARF", .data = data, .size = sizeof(data),
		.relocations = pairs, .relocation_count = 7 });
	machob_symbol(b, "_f", GLOBAL, 1, 0, 0x1234);
	machob_symbol(b, "_g", N_EXT, 0, 0, 0x5678);
	bytes = machob_finish(b, &size);
	machob_free(b);
	c = open_bytes(bytes, size);
	got = c->sections.items[1].data;
	cr_assert_eq(length == 3 ? gsym_load_u64(got, swap)
				 : gsym_load_u32(got, swap), 0x1234);
	cr_assert_eq(gsym_load_u32(got + 8, swap), 0x1239);
	for (size_t i = 12; i < sizeof(data); i++)
		cr_assert_eq(got[i], 0, "%zu", i);
	cr_assert_eq(c->warnings.count, 1);
	cr_assert_eq(c->warnings.items[0].kind, GSYM_WARN_BAD_RELOCATION);
	cr_assert(strstr(c->warnings.items[0].text, ": 2 relocations"));
	gsym_container_free(c);
	free(bytes);
}

/* Differences of two symbols are written into a section of data, but not into
 * one of code. */
Test(macho, differences)
{
	static const struct {
		uint32_t cpu, type;
	} kinds[] = {
		{ CPU_TYPE_X86 | CPU_ARCH_ABI64, 5 },
		{ CPU_TYPE_ARM | CPU_ARCH_ABI64, 1 },
		/* Machines where type 1 has another meaning. */
		{ CPU_TYPE_X86 | CPU_ARCH_ABI64, 1 },
		{ CPU_TYPE_ARM, 1 },
	};

	for (unsigned i = 0; i < 4; i++) {
		struct machob *b =
			machob_new(64, false, MH_OBJECT, kinds[i].cpu, 0);
		uint32_t pairs[4] = { 0 };
		uint8_t data[8] = { 7 };
		struct gsym_container *c;
		uint8_t *bytes;
		size_t size;

		make_relocation(false, 0, 0, 3, true, pairs);
		pairs[1] |= kinds[i].type << 28;
		make_relocation(false, 0, 1, 3, true, pairs + 2);
		machob_segment(b, "", 0, 0x100);
		machob_section(
			b, &(struct machob_section){ .name = "__text",
						     .segment = "__TEXT",
						     .flags = CODE,
						     .data = data,
						     .size = 8,
						     .relocations = pairs + 2,
						     .relocation_count = 1 });
		machob_section(
			b, &(struct machob_section){ .name = "map",
						     .segment = "__DATA",
						     .data = data,
						     .size = 8,
						     .relocations = pairs,
						     .relocation_count = 2 });
		machob_symbol(b, "_start", GLOBAL, 2, 0, 0x1200);
		machob_symbol(b, "_f", GLOBAL, 1, 0, 0x1000);
		bytes = machob_finish(b, &size);
		machob_free(b);
		c = open_bytes(bytes, size);
		cr_assert_eq(gsym_load_u64(c->sections.items[0].data,
					   GSYM_HOST_BIG_ENDIAN), 7);
		cr_assert_eq(gsym_load_u64(c->sections.items[1].data,
					   GSYM_HOST_BIG_ENDIAN),
			     7 + UINT64_C(0x1000) - (i < 2 ? 0x1200 : 0), "%u",
			     i);
		gsym_container_free(c);
		free(bytes);
	}
}
