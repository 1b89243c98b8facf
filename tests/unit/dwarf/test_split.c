/* SPDX-License-Identifier: MIT */
/* Packages of split units, and damage of their index. */
#include "cases.h"
#include "dwarf/unit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct dw_header skeleton = {
	.split_name = "a.dwo", .id = 0x1122334455667788,
	.encoding = { .version = 5, .offset_size = 4 }, .addr_base = 8,
};

/* A program with a package that has the split unit of a case. */
static struct gsym_container *set_up(struct dwf *f, unsigned version)
{
	const struct dw_case *c = dw_file_cases;
	struct gsym_container *program;

	while (!c->packed)
		c++;
	dwf_init(f, false, 8, version, false);
	case_build(c, f);
	program = dwf_container(f);
	cr_assert(program->package);
	return program;
}

static void tear_down(struct dwf *f, struct gsym_container *program)
{
	gsym_container_free(program);
	dwf_fini(f);
}

static struct gsym_container_section *index_of(struct gsym_container *program)
{
	return (struct gsym_container_section *)(uintptr_t)
		gsym_container_section(program->package, ".debug_cu_index");
}

/* The size of the section NAME of the candidate from PROGRAM's package; -1 if
 * there is no candidate, or it has no such section. */
static int64_t size_of(const struct gsym_container *program, const char *name)
{
	const struct gsym_container_section *s;
	struct dw_split split;
	int64_t size;

	if (gsym_dw_split_open(program, &skeleton, 0, &split) != GSYM_OK)
		return -1;
	s = gsym_container_section(&split.container, name);
	size = s ? (int64_t)s->data_size : -1;
	gsym_dw_split_close(&split);
	return size;
}

static void set_u32(struct gsym_container_section *s, size_t at, uint32_t value)
{
	gsym_store_u32((uint8_t *)(uintptr_t)s->data + at, value,
		       GSYM_HOST_BIG_ENDIAN);
}

Test(split, sound)
{
	for (unsigned version = 4; version <= 5; version++) {
		struct dwf f;
		struct gsym_container *program = set_up(&f, version);

		cr_expect_eq(size_of(program, ".debug_info"),
			     (int64_t)f.split.sections[DWA_INFO].size);
		cr_expect_eq(size_of(program, ".debug_abbrev"),
			     (int64_t)f.split.sections[DWA_ABBREV].size);
		cr_expect_eq(size_of(program, ".debug_str_offsets"),
			     (int64_t)f.split.sections[DWA_STR_OFFSETS].size);
		tear_down(&f, program);
	}
}

/* Header fields: version, columns, units, slots. */
Test(split, absurd_counts)
{
	static const struct { size_t at; uint32_t value; } fields[] = {
		{ 0, 0 }, { 0, 3 }, { 0, 0xffffffff }, { 4, 0 },
		{ 4, 0xffffffff }, { 4, 17 }, { 8, 0xffffffff }, { 8, 1 },
		{ 12, 0 }, { 12, 3 }, { 12, 0x80000000 }, { 12, 0xffffffff },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		struct dwf f;
		struct gsym_container *program = set_up(&f, 5);

		set_u32(index_of(program), fields[i].at, fields[i].value);
		cr_expect_eq(size_of(program, ".debug_info"), -1,
			     "field at %zu = %u", fields[i].at,
			     fields[i].value);
		tear_down(&f, program);
	}
}

/* A hash table without a free slot and without the ID. */
Test(split, full_table)
{
	struct dwf f;
	struct gsym_container *program = set_up(&f, 5);
	struct gsym_container_section *index = index_of(program);

	for (size_t slot = 0; slot < 4; slot++) {
		set_u32(index, 16 + 8 * slot, 0x1234);
		set_u32(index, 16 + 4 * 8 + 4 * slot, 1);
	}
	cr_expect_eq(size_of(program, ".debug_info"), -1);
	tear_down(&f, program);
}

/* An index of VERSION with SLOTS slots, each with the skeleton's ID and row ROW
 * of UNITS, and COLUMNS columns: the last is .debug_info, the others are of no
 * known kind.  To be freed. */
static uint8_t *make_index(unsigned version, uint32_t columns, uint32_t units,
			   uint32_t slots, uint32_t row, size_t *size)
{
	struct gsym_emit e = { .swap = GSYM_HOST_BIG_ENDIAN };
	uint8_t *copy;

	if (version == 2)
		gsym_emit_u32(&e, 2);
	else
		gsym_emit_u16(&e, (uint16_t)version), gsym_emit_u16(&e, 0);
	gsym_emit_u32(&e, columns);
	gsym_emit_u32(&e, units);
	gsym_emit_u32(&e, slots);
	for (uint32_t i = 0; i < slots; i++)
		gsym_emit_u64(&e, skeleton.id);
	for (uint32_t i = 0; i < slots; i++)
		gsym_emit_u32(&e, row);
	for (uint32_t i = 0; i < columns; i++)
		gsym_emit_u32(&e, i + 1 < columns ? 100 + i : 1);
	/* Offset 3 and size 7 in the last column of the last row. */
	for (uint32_t i = 0; i < 2 * units * columns; i++)
		gsym_emit_u32(&e, (i + 1) % (units * columns) ? 1000 :
				  i < units * columns	      ? 3 :
								7);
	*size = e.size;
	copy = malloc(e.size);
	memcpy(copy, e.data, e.size);
	gsym_emit_fini(&e);
	return copy;
}

/* The size of .debug_info of a candidate by an index of such numbers; -1 if
 * there is no candidate. */
static int64_t size_by_index(unsigned version, uint32_t columns, uint32_t units,
			     uint32_t slots, uint32_t row)
{
	static const uint8_t info[10];
	struct gsym_container package = { .address_size = 8 };
	struct gsym_container program = { .address_size = 8,
					  .package = &package };
	size_t size;
	uint8_t *index = make_index(version, columns, units, slots, row, &size);
	int64_t found;

	*gsym_vec_push(&package.sections) = (struct gsym_container_section){
		.name = ".debug_cu_index", .data = index, .data_size = size,
	};
	*gsym_vec_push(&package.sections) = (struct gsym_container_section){
		.name = ".debug_info.dwo", .data = info, .data_size = 10,
	};
	found = size_of(&program, ".debug_info");
	gsym_vec_fini(&package.sections);
	free(index);
	return found;
}

/* Slots are a power of two, columns at most 16. */
Test(split, counts_of_an_index)
{
	for (unsigned version = 1; version <= 6; version++)
		cr_expect_eq(size_by_index(version, 1, 1, 2, 1),
			     version == 2 || version == 5 ? 7 : -1);
	for (uint32_t slots = 1; slots <= 17; slots++)
		cr_expect_eq(size_by_index(5, 1, 1, slots, 1),
			     slots & (slots - 1) ? -1 : 7, "%u slots", slots);
	for (uint32_t columns = 1; columns <= 18; columns++)
		cr_expect_eq(size_by_index(2, columns, 1, 1, 1),
			     columns <= 16 ? 7 : -1, "%u columns", columns);
	for (uint32_t row = 0; row <= 4; row++)
		cr_expect_eq(size_by_index(5, 2, 3, 2, row),
			     row == 3 ? 7 : -1, "row %u", row);
}

/* A full index is searched for some steps only. */
Test(split, full_index)
{
	enum { SLOTS = 512 };
	static const uint8_t info[10];

	for (uint32_t steps = 100; steps <= 400; steps += 100) {
		struct gsym_container package = { .address_size = 8 };
		struct gsym_container program = { .address_size = 8,
						  .package = &package };
		size_t size;
		uint8_t *index = make_index(5, 1, 1, SLOTS, 1, &size);
		uint32_t slot = (uint32_t)skeleton.id, step = 1;

		step |= (uint32_t)(skeleton.id >> 32);
		for (uint32_t i = 0; i < SLOTS; i++)
			if (i != ((slot + steps * step) & (SLOTS - 1)))
				gsym_store_u64(index + 16 + 8 * i, 1,
					       GSYM_HOST_BIG_ENDIAN);
		*gsym_vec_push(&package.sections) =
			(struct gsym_container_section){
				.name = ".debug_cu_index",
				.data = index,
				.data_size = size,
			};
		*gsym_vec_push(&package.sections) =
			(struct gsym_container_section){
				.name = ".debug_info.dwo",
				.data = info,
				.data_size = 10,
			};
		cr_expect_eq(size_of(&program, ".debug_info"),
			     steps < 256 ? 7 : -1, "%u steps", steps);
		gsym_vec_fini(&package.sections);
		free(index);
	}
}

/* The number of a section depends on the version of the index. */
Test(split, kinds_of_sections)
{
	static const struct {
		const char *name;
		unsigned old, new; /* 0: no column */
	} kinds[] = {
		{ ".debug_info", 1, 1 },	{ ".debug_types", 2, 2 },
		{ ".debug_abbrev", 3, 3 },	{ ".debug_str_offsets", 6, 6 },
		{ ".debug_rnglists", 0, 8 },
	};
	static const uint8_t bytes[10];

	for (unsigned i = 0; i < 2 * sizeof(kinds) / sizeof(*kinds); i++) {
		unsigned version = i & 1 ? 5 : 2, k = i / 2;
		struct gsym_container package = { .address_size = 8 };
		struct gsym_container program = { .address_size = 8,
						  .package = &package };
		char name[32];
		size_t size;
		uint8_t *index = make_index(version, 1, 1, 1, 1, &size);

		snprintf(name, sizeof(name), "%s.dwo", kinds[k].name);
		*gsym_vec_push(&package.sections) =
			(struct gsym_container_section){
				.name = ".debug_cu_index",
				.data = index,
				.data_size = size,
			};
		*gsym_vec_push(&package.sections) =
			(struct gsym_container_section){
				.name = name, .data = bytes, .data_size = 10,
			};
		for (uint32_t kind = 0; kind < 12; kind++) {
			uint32_t number = version == 2 ? kinds[k].old
						       : kinds[k].new;

			gsym_store_u32(index + 16 + 8 + 4, kind,
				       GSYM_HOST_BIG_ENDIAN);
			cr_expect_eq(size_of(&program, kinds[k].name),
				     kind && kind == number ? 7 : -1,
				     "%s, version %u, kind %u", kinds[k].name,
				     version, kind);
		}
		gsym_vec_fini(&package.sections);
		free(index);
	}
}

/* Damage of the row that the ID leads to, and of its cells. */
Test(split, rows)
{
	struct dwf f;
	struct gsym_container *program = set_up(&f, 5);
	struct gsym_container_section *index = index_of(program);
	size_t rows = 16 + 4 * 8, kinds = rows + 4 * 4;
	size_t offsets = kinds + 4 * 4, sizes = offsets + 2 * 4 * 4;

	set_u32(index, rows + 4, 3);
	cr_expect_eq(size_of(program, ".debug_info"), -1);
	set_u32(index, rows + 4, 0xffffffff);
	cr_expect_eq(size_of(program, ".debug_info"), -1);
	set_u32(index, rows + 4, 2);
	cr_expect_gt(size_of(program, ".debug_info"), 0);
	/* The first column of the second row is .debug_info. */
	set_u32(index, offsets + 4 * 4, 0xfffffff0);
	cr_expect_eq(size_of(program, ".debug_info"), -1);
	cr_expect_gt(size_of(program, ".debug_abbrev"), 0);
	set_u32(index, offsets + 4 * 4, 0);
	set_u32(index, sizes + 4 * 4, 0xffffffff);
	cr_expect_eq(size_of(program, ".debug_info"), -1);
	set_u32(index, sizes + 4 * 4, 1);
	cr_expect_eq(size_of(program, ".debug_info"), 1);
	set_u32(index, kinds, 99);
	cr_expect_eq(size_of(program, ".debug_info"), -1);
	tear_down(&f, program);
}

Test(split, cut)
{
	struct dwf f;
	struct gsym_container *program = set_up(&f, 5);
	struct gsym_container_section *index = index_of(program);

	while (index->data_size) {
		index->data_size--;
		cr_expect_eq(size_of(program, ".debug_info"), -1);
	}
	tear_down(&f, program);
}

/* Bases of the skeleton that are outside the sections. */
Test(split, bases)
{
	struct dw_header lost = skeleton;
	struct dwf f;
	struct gsym_container *program = set_up(&f, 5);
	struct dw_split split;
	uint64_t bases[] = { 0, 7, 1000, UINT64_MAX };

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		lost.addr_base = bases[i];
		cr_assert_eq(gsym_dw_split_open(program, &lost, 0, &split),
			     GSYM_OK);
		cr_expect_null(gsym_container_section(&split.container,
						      ".debug_addr"));
		gsym_dw_split_close(&split);
	}
	tear_down(&f, program);
}

/* A package of another byte order does not count. */
Test(split, byte_order)
{
	struct dwf f;
	struct gsym_container *program = set_up(&f, 5);

	program->package->big_endian = true;
	cr_expect_eq(size_of(program, ".debug_info"), -1);
	tear_down(&f, program);
}

/* A program with neither a package nor a way to open .dwo files. */
Test(split, nothing)
{
	struct gsym_container program = { .format = GSYM_FORMAT_ELF };
	struct dw_split split;

	cr_expect_neq(gsym_dw_split_open(&program, &skeleton, 0, &split),
		      GSYM_OK);
	cr_expect_eq(gsym_dw_split_open(&program, &skeleton, 1, &split),
		     GSYM_NOT_FOUND);
}

static bool read_none(void *context, const struct dw_header *of,
		      struct dw_split *split, struct dw_unit *unit, bool *found)
{
	(void)context;
	(void)of;
	(void)split;
	(void)unit;
	*found = false;
	return true;
}

/* The warning names the .dwo file, and whether it is missing or holds another
 * unit. */
Test(split, warnings)
{
	struct gsym_container alone = { .address_size = 8 };
	struct dw_unit unit = { 0 };
	struct dwf f;
	struct gsym_container *program = set_up(&f, 5);
	bool found = true;

	cr_assert(gsym_dw_split_read(&alone, &skeleton, read_none, NULL, &unit,
				     &found));
	cr_expect(!found);
	cr_assert(gsym_dw_split_read(program, &skeleton, read_none, NULL, &unit,
				     &found));
	cr_expect(!found);
	cr_assert_eq(unit.warnings.count, 2);
	cr_expect_eq(unit.warnings.items[0].kind, GSYM_WARN_MISSING_FILE);
	cr_expect(strstr(unit.warnings.items[0].text, "a.dwo"));
	cr_expect(strstr(unit.warnings.items[0].text, "was not found"));
	cr_expect(strstr(unit.warnings.items[1].text, "holds another unit"));
	gsym_dw_unit_fini(&unit);
	tear_down(&f, program);
}
