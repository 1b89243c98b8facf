/* SPDX-License-Identifier: MIT */
/* Units that are read while .debug_info is inflated: which programs can be read
 * so, and that the records are those of the whole section. */
#include "config.h"

#include "cases.h"
#include "dwarf/dwarf.h"
#include "support/sink_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { UNITS = 3 };

/* A program of UNITS units.  Unit N claims [BASE, BASE + 0x100) in a set, where
 * BASE is 0x1000 * (N + 1), and has a function there. */
struct program {
	struct dwa a;
	size_t offsets[UNITS + 1]; /* of the units, and their end */
};

static uint64_t base_of(unsigned number)
{
	return 0x1000 * (uint64_t)(number + 1);
}

/* Begin unit NUMBER with its set and an empty line table. */
static void begin_unit(struct program *p, unsigned number, size_t pairs)
{
	const struct dwa_pair pair = { base_of(number), 0x100 };
	struct dwa *a = &p->a;

	p->offsets[number] = dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "a.c");
	dwa_aranges(a, p->offsets[number], &pair, pairs);
	gsym_emit_u32(&a->sections[DWA_LINE], 0);
}

static void end_unit(struct program *p, unsigned number)
{
	dwa_end(&p->a);
	dwa_unit_end(&p->a);
	p->offsets[number + 1] = p->a.sections[DWA_INFO].size;
}

static void add_function(struct program *p, unsigned number)
{
	char name[] = "f0";

	name[1] = (char)('0' + number);
	dwa_die(&p->a, DW_TAG_subprogram, false);
	dwa_string(&p->a, DW_AT_name, DW_FORM_string, name);
	case_range(&p->a, base_of(number), base_of(number) + 0x20);
}

static void build(struct program *p, bool big, unsigned address_size,
		  unsigned version)
{
	dwa_init(&p->a, big, address_size, version);
	for (unsigned i = 0; i < UNITS; i++) {
		begin_unit(p, i, 1);
		add_function(p, i);
		end_unit(p, i);
	}
}

/* How a program is read. */
struct way {
	uint64_t address; /* the one that is looked up; 0: any */
	bool damaged;	  /* the checksum of the stream is wrong */
	bool folded;	  /* functions hidden by others, too */
	unsigned threads;
};

/* Compress .debug_info of C, to be read in passing.  Returns the bytes. */
static uint8_t *compress_info(struct gsym_container *c, bool damaged)
{
	struct gsym_container_section *s =
		(struct gsym_container_section *)gsym_container_section(
			c, ".debug_info");
	uLongf size = compressBound((uLong)s->data_size);
	struct gsym_inflate_job job = { .method = GSYM_INFLATE_ZLIB };
	uint8_t *bytes = malloc(size);

	cr_assert_eq(compress2(bytes, &size, s->data, (uLong)s->data_size, 6),
		     Z_OK);
	bytes[size - 1] ^= damaged;
	job.in = bytes;
	job.in_size = size;
	job.out_size = (size_t)s->data_size;
	s->data = NULL;
	cr_assert(gsym_passing_begin(c, s, &job, false));
	return bytes;
}

/* Convert C, and write the records to TEXT. */
static enum gsym_status convert(const struct gsym_container *c,
				const struct way *way, struct sinktext *text)
{
	struct gsym_range around = { way->address, way->address + 1 };
	const struct gsym_range_set near = { .items = &around, .count = 1 };
	struct gsym_convert_options options = {
		.threads = way->threads,
		.merged_functions = way->folded,
		.addresses = way->address ? &way->address : NULL,
		.address_count = way->address != 0,
		.warn = sinktext_warn,
		.context = text,
	};
	struct gsym_convert_facts facts = { 0 };
	struct gsym_sink sink;

	sinktext_init(text);
	sink = sinktext_sink(text);
	return gsym_dwarf_convert(c, NULL, &options,
				  way->address ? &near : NULL, &sink, false,
				  NULL, &facts, NULL);
}

/* Read the program P, which is freed.  It can be read in passing if SOUND, with
 * the records of the whole section; else no warning is given. */
static void check(struct program *p, struct way way, bool sound)
{
	static struct sinktext whole, passing;
	struct gsym_container *c = dwa_container(&p->a);
	uint8_t *bytes;

	way.threads = way.threads ? way.threads : 1;
	cr_assert_eq(convert(c, &way, &whole), GSYM_OK);
	bytes = compress_info(c, way.damaged);
	cr_assert_eq(convert(c, &way, &passing),
		     sound ? GSYM_OK : GSYM_NOT_FOUND);
	cr_assert(c->passing);
	if (sound) {
		cr_assert_str_eq(passing.text, whole.text);
		cr_assert(strchr(passing.text, 'f'));
	}
	cr_assert_not(strstr(passing.text, "warning"));
	c->free_passing(c->passing);
	free(bytes);
	dwa_fini(&p->a);
}

#ifdef HAVE_ISAL

Test(passing, sound_programs)
{
	for (unsigned version = 2; version <= 5; version++)
		for (unsigned i = 0; i < 8; i++) {
			struct way way = { .folded = i & 1,
					   .threads = i & 2 ? 3 : 1 };
			struct program p;

			build(&p, i & 4, i & 4 ? 4 : 8, version);
			check(&p, way, true);
		}
}

/* After a part was read, the rest cannot be read as if it were the whole. */
Test(passing, once)
{
	static struct sinktext text;
	const struct way way = { .threads = 1 };
	struct gsym_container *c;
	struct program p;
	uint8_t *bytes;

	build(&p, false, 8, 4);
	c = dwa_container(&p.a);
	bytes = compress_info(c, false);
	cr_assert_eq(convert(c, &way, &text), GSYM_OK);
	cr_assert_eq(convert(c, &way, &text), GSYM_NOT_FOUND);
	c->free_passing(c->passing);
	free(bytes);
	dwa_fini(&p.a);
}

Test(passing, checksum)
{
	struct program p;

	build(&p, false, 8, 4);
	check(&p, (struct way){ .damaged = true }, false);
}

/* A unit without a set, with or without a line table. */
Test(passing, sets)
{
	for (int line = 0; line < 2; line++) {
		struct program p;

		build(&p, false, 8, 4);
		dwa_unit(&p.a, 0);
		dwa_die(&p.a, DW_TAG_compile_unit, false);
		dwa_string(&p.a, DW_AT_name, DW_FORM_string, "b.c");
		dwa_unit_end(&p.a);
		if (line)
			gsym_emit_u32(&p.a.sections[DWA_LINE], 0);
		check(&p, (struct way){ 0 }, false);
	}
}

/* Sets in another order, for one unit twice, for no unit, and damaged. */
Test(passing, order_of_sets)
{
	enum { OFFSET = 6 };
	struct program p;
	size_t size;

	for (int i = 0; i < 4; i++) {
		build(&p, false, 8, 4);
		size = p.a.sections[DWA_ARANGES].size / UNITS;
		if (i == 0) {
			dwa_patch(&p.a, DWA_ARANGES, OFFSET, p.offsets[1], 4);
			dwa_patch(&p.a, DWA_ARANGES, size + OFFSET, 0, 4);
		} else if (i == 1) {
			dwa_patch(&p.a, DWA_ARANGES, size + OFFSET, 0, 4);
		} else if (i == 2) {
			dwa_patch(&p.a, DWA_ARANGES, size + OFFSET,
				  p.offsets[1] + 1, 4);
		} else {
			dwa_patch(&p.a, DWA_ARANGES, 2 * size + 4, 9, 2);
		}
		check(&p, (struct way){ 0 }, false);
	}
}

/* The header of a unit says that it ends elsewhere. */
Test(passing, lengths)
{
	for (unsigned i = 0; i < UNITS; i++)
		for (int more = -1; more < 2; more += 2) {
			struct program p;
			size_t size;

			build(&p, false, 8, 4);
			size = p.offsets[i + 1] - p.offsets[i] - 4;
			dwa_patch(&p.a, DWA_INFO, p.offsets[i],
				  size + (uint64_t)(int64_t)more, 4);
			check(&p, (struct way){ 0 }, false);
		}
}

Test(passing, references_to_other_units)
{
	struct program p;

	build(&p, false, 8, 4);
	dwa_fini(&p.a);
	dwa_init(&p.a, false, 8, 4);
	begin_unit(&p, 0, 1);
	add_function(&p, 0);
	end_unit(&p, 0);
	begin_unit(&p, 1, 1);
	dwa_die(&p.a, DW_TAG_subprogram, false);
	dwa_value(&p.a, DW_AT_abstract_origin, DW_FORM_ref_addr, 30);
	case_range(&p.a, base_of(1), base_of(1) + 0x20);
	end_unit(&p, 1);
	check(&p, (struct way){ 0 }, false);
}

/* Damage becomes a warning of the reader of the whole section. */
Test(passing, warnings)
{
	struct program p;

	build(&p, false, 8, 4);
	/* The last DIE has an abbreviation that does not exist. */
	dwa_patch(&p.a, DWA_INFO, p.offsets[UNITS] - 1, 99, 1);
	check(&p, (struct way){ 0 }, false);
}

/* Units that share a table, or have tables in another order. */
Test(passing, tables)
{
	enum { OFFSET = 6 };

	for (int exchanged = 0; exchanged < 2; exchanged++)
		for (int few = 0; few < 2; few++) {
			struct way way = { .address = few ? base_of(2) : 0 };
			struct program p;
			uint32_t second;

			build(&p, false, 8, 4);
			memcpy(&second,
			       p.a.sections[DWA_INFO].data + p.offsets[1] +
				       OFFSET,
			       4);
			dwa_patch(&p.a, DWA_INFO, p.offsets[1] + OFFSET, 0, 4);
			if (exchanged)
				dwa_patch(&p.a, DWA_INFO, OFFSET, second, 4);
			/* The tables are alike, so they matter alone where
			 * units are chosen by them. */
			check(&p, way, !few);
		}
}

/* ---- few units ----------------------------------------------------------- */

/* Add a DIE with so many bytes that the units before are inflated without the
 * end of the section. */
static void add_block(struct program *p)
{
	static uint8_t bytes[1 << 20];
	uint32_t x = 1;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(x >> 24);
	}
	dwa_die(&p->a, DW_TAG_lexical_block, false);
	dwa_block(&p->a, DW_AT_location, DW_FORM_block4, bytes, sizeof(bytes));
}

/* Damage behind the last unit that is needed is not found. */
Test(passing, few_units)
{
	for (unsigned i = 0; i < 2 * UNITS; i++) {
		struct way way = { .address = base_of(i / 2) + 4,
				   .damaged = i % 2 };
		struct program p;

		dwa_init(&p.a, false, 8, 4);
		for (unsigned k = 0; k < UNITS; k++) {
			begin_unit(&p, k, 1);
			add_function(&p, k);
			if (k == UNITS - 1)
				add_block(&p);
			end_unit(&p, k);
		}
		check(&p, way, !way.damaged || i / 2 < UNITS - 1);
	}
}

/* Any unit may describe an address that none claims. */
Test(passing, address_without_a_claim)
{
	struct program p;

	build(&p, false, 8, 4);
	check(&p, (struct way){ .address = 0x1200 }, false);
}

/* A unit before the one that is needed is not what its set says. */
Test(passing, skipped_units)
{
	struct program p;

	build(&p, false, 8, 4);
	dwa_patch(&p.a, DWA_INFO, p.offsets[0], p.offsets[1] - p.offsets[0] - 5,
		  4);
	check(&p, (struct way){ .address = base_of(1) }, false);
}

/* A unit that claims nothing is needed if its abbreviations are of code. */
Test(passing, units_without_claims)
{
	for (int code = 0; code < 2; code++) {
		struct way way = { .address = base_of(0), .damaged = true };
		struct program p;

		dwa_init(&p.a, false, 8, 4);
		begin_unit(&p, 0, 1);
		add_function(&p, 0);
		end_unit(&p, 0);
		begin_unit(&p, 1, 0);
		if (code)
			add_function(&p, 1);
		add_block(&p);
		end_unit(&p, 1);
		check(&p, way, !code);
	}
}

#else

Test(passing, nothing)
{
	cr_skip_test("built without ISA-L");
}

#endif
