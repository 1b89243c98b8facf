/* SPDX-License-Identifier: MIT */
/* Values of attributes, at the limits of the sections and units that they lead
 * into. */
#include "dwarf/sections.h"

#include <criterion/criterion.h>
#include <string.h>

/* Two units of 16 bytes, after each other, whose DIEs begin at offset 11 of the
 * unit; a type unit at 64. */
struct units {
	struct dw_sections s, alternate;
	struct dw_header headers[2], type;
	struct dw_headers list;
	struct dw_signature signature;
	struct dw_signatures signatures;
};

static void init_units(struct units *u)
{
	*u = (struct units){ 0 };
	for (unsigned i = 0; i < 2; i++)
		u->headers[i] = (struct dw_header){
			.sections = &u->s,
			.offset = 16 * i,
			.die = 16 * i + 11,
			.end = 16 * i + 16,
			.usable = true,
			.encoding = { 5, 8, 4 },
		};
	u->type = u->headers[0];
	u->type.offset = 64;
	u->type.die = 75;
	u->type.end = 80;
	u->type.type = 77;
	u->signature = (struct dw_signature){ 5, &u->type };
	u->signatures.items = &u->signature;
	u->signatures.count = 1;
	u->list.items = u->headers;
	u->list.count = 2;
	u->s.headers = &u->list;
	u->s.global = &u->s;
	u->s.signatures = &u->signatures;
}

static struct dw_value value(uint16_t form, uint64_t number)
{
	return (struct dw_value){ .form = form, .u = number };
}

Test(sections, the_unit_around_an_offset)
{
	struct units u;

	init_units(&u);
	for (uint64_t offset = 0; offset < 40; offset++) {
		const struct dw_header *expected =
			offset >= 11 && offset < 16 ? &u.headers[0] :
			offset >= 27 && offset < 32 ? &u.headers[1] :
						      NULL;

		cr_expect_eq(gsym_dw_headers_find(&u.list, offset), expected,
			     "offset %d", (int)offset);
	}
	u.headers[1].usable = false;
	cr_expect_null(gsym_dw_headers_find(&u.list, 28));
}

static const struct dw_header *found_by; /* the signature it was asked for */
static struct dw_header other_type;

static const struct dw_header *find_other(void *context, uint64_t signature)
{
	(void)context;
	found_by = signature == 6 ? &other_type : NULL;
	return found_by;
}

Test(sections, type_units_by_signature)
{
	struct units u;

	init_units(&u);
	cr_expect_eq(gsym_dw_signatures_find(&u.signatures, 5), &u.type);
	cr_expect_null(gsym_dw_signatures_find(&u.signatures, 4));
	cr_expect_null(gsym_dw_signatures_find(&u.signatures, 6));
	u.signatures.find = find_other;
	cr_expect_eq(gsym_dw_signatures_find(&u.signatures, 6), &other_type);
	cr_expect_null(gsym_dw_signatures_find(&u.signatures, 4));
}

/* Whether NUMBER of FORM in UNIT leads to the DIE at EXPECTED of TO. */
static bool leads(const struct dw_header *unit, uint16_t form, uint64_t number,
		  const struct dw_header *to, uint64_t expected)
{
	struct dw_place place = { NULL, 0 };

	return gsym_dw_value_reference(unit, value(form, number), &place) &&
	       place.header == to && place.die == expected;
}

Test(sections, references)
{
	static const uint16_t inner[] = { DW_FORM_ref1, DW_FORM_ref2,
					  DW_FORM_ref4, DW_FORM_ref8,
					  DW_FORM_ref_udata };
	static const uint16_t outer[] = { DW_FORM_ref_sup4, DW_FORM_ref_sup8,
					  DW_FORM_GNU_ref_alt };
	struct units u, away;

	init_units(&u);
	init_units(&away);
	for (unsigned i = 0; i < 5; i++)
		for (uint64_t at = 0; at < 20; at++)
			cr_expect_eq(leads(&u.headers[1], inner[i], at,
					   &u.headers[1], 16 + at),
				     at >= 11 && at < 16);
	for (uint64_t at = 0; at < 40; at++) {
		bool first = at >= 11 && at < 16, second = at >= 27 && at < 32;

		cr_expect_eq(leads(&u.headers[0], DW_FORM_ref_addr, at,
				   &u.headers[second], at),
			     first || second);
		for (unsigned i = 0; i < 3; i++) {
			u.s.alternate = NULL;
			cr_expect(!leads(&u.headers[0], outer[i], at, NULL,
					 at));
			u.s.alternate = &away.s;
			cr_expect_eq(leads(&u.headers[0], outer[i], at,
					   &away.headers[second], at),
				     first || second);
		}
	}
	cr_expect(!leads(&u.headers[0], DW_FORM_data4, 12, &u.headers[0], 12));
	/* A type lies after the unit's header and before its end. */
	for (uint64_t type = 70; type < 90; type++) {
		u.type.type = type;
		cr_expect_eq(leads(&u.headers[0], DW_FORM_ref_sig8, 5, &u.type,
				   type),
			     type >= 75 && type < 80);
	}
	u.type.type = 77;
	cr_expect(!leads(&u.headers[0], DW_FORM_ref_sig8, 6, NULL, 0));
	u.type.usable = false;
	cr_expect(!leads(&u.headers[0], DW_FORM_ref_sig8, 5, &u.type, 77));
}

Test(sections, constants_and_offsets)
{
	static const struct {
		uint16_t form;
		bool constant, offset;
	} forms[] = {
		{ DW_FORM_data1, true, false },	 { DW_FORM_data2, true, false },
		{ DW_FORM_data4, true, true },	 { DW_FORM_data8, true, true },
		{ DW_FORM_udata, true, false },	 { DW_FORM_sdata, true, false },
		{ DW_FORM_implicit_const, true, false },
		{ DW_FORM_sec_offset, false, true },
		{ DW_FORM_flag_present, false, false },
		{ DW_FORM_strp, false, false },	 { 0, false, false },
	};
	uint64_t found;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		uint16_t form = forms[i].form;

		cr_expect_eq(gsym_dw_value_constant(value(form, 7), &found),
			     forms[i].constant);
		cr_expect(!forms[i].constant || found == 7);
		cr_expect_eq(gsym_dw_value_constant(value(form, 0), &found),
			     forms[i].constant);
		cr_expect_eq(gsym_dw_value_offset(value(form, 9), &found),
			     forms[i].offset);
		cr_expect_eq(found, 9);
	}
	cr_expect(!gsym_dw_value_constant(value(DW_FORM_sdata, UINT64_MAX),
					  &found));
	cr_expect(gsym_dw_value_constant(value(DW_FORM_udata, UINT64_MAX),
					 &found));
}

/* Strings and addresses by their index, from a base. */
Test(sections, tables_of_indexes)
{
	static const uint8_t strings[] = { 'a', 0, 'b', 'c', 0 };
	static const uint8_t offsets[] = { 9, 9, 9, 9, 2, 0, 0, 0, 5, 0, 0, 0,
					   4, 0, 0, 0, 0 };
	static const uint8_t addresses[] = { 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
					     0, 0, 0, 0, 3 };
	static const uint16_t forms[] = { DW_FORM_strx, DW_FORM_strx1,
					  DW_FORM_strx2, DW_FORM_strx3,
					  DW_FORM_strx4,
					  DW_FORM_GNU_str_index };
	static const uint16_t indexed[] = { DW_FORM_addrx, DW_FORM_addrx1,
					    DW_FORM_addrx2, DW_FORM_addrx3,
					    DW_FORM_addrx4,
					    DW_FORM_GNU_addr_index };
	struct dw_sections s = { 0 };
	struct dw_header unit = { .sections = &s, .encoding = { 5, 8, 4 },
				  .str_offsets_base = 4 };
	uint64_t address;

	s.str = gsym_cursor_init(strings, sizeof(strings),
				 GSYM_HOST_BIG_ENDIAN);
	s.line_str = gsym_cursor_init(strings + 2, 3, GSYM_HOST_BIG_ENDIAN);
	s.str_offsets = gsym_cursor_init(offsets, sizeof(offsets),
					 GSYM_HOST_BIG_ENDIAN);
	s.addr = gsym_cursor_init(addresses, sizeof(addresses),
				  GSYM_HOST_BIG_ENDIAN);
	for (unsigned i = 0; i < 6; i++) {
		cr_expect_str_eq(gsym_dw_value_string(&unit,
						      value(forms[i], 0)),
				 "bc");
		/* The second string is outside the section, the third empty,
		 * and the fourth has no whole offset. */
		cr_expect_null(gsym_dw_value_string(&unit, value(forms[i], 1)));
		cr_expect_str_eq(gsym_dw_value_string(&unit,
						      value(forms[i], 2)), "");
		cr_expect_null(gsym_dw_value_string(&unit, value(forms[i], 3)));
		for (uint64_t k = 0; k < 4; k++) {
			cr_expect_eq(gsym_dw_value_address(&unit,
							   value(indexed[i], k),
							   &address), k < 2);
			cr_expect(k > 1 || address == k + 1);
		}
	}
	cr_expect_str_eq(gsym_dw_value_string(&unit,
					      value(DW_FORM_strp, 3)), "c");
	cr_expect_null(gsym_dw_value_string(&unit, value(DW_FORM_strp, 5)));
	cr_expect_str_eq(gsym_dw_value_string(&unit,
					      value(DW_FORM_line_strp, 1)),
			 "c");
	cr_expect_null(gsym_dw_value_string(&unit,
					    value(DW_FORM_line_strp, 3)));
	cr_expect_null(gsym_dw_value_string(&unit, value(DW_FORM_strp_sup, 0)));
	cr_expect_null(gsym_dw_value_string(&unit, value(DW_FORM_udata, 0)));
	/* Bases with which the offset of an entry exceeds 64 bits. */
	unit.str_offsets_base = unit.addr_base = UINT64_MAX - 3;
	for (uint64_t k = 0; k < 4; k++) {
		cr_expect_null(gsym_dw_value_string(&unit,
						    value(DW_FORM_strx, k)));
		cr_expect(!gsym_dw_address_at(&unit, k, &address));
	}
	unit.addr_base = 0;
	cr_expect(!gsym_dw_address_at(&unit, UINT64_C(1) << 61, &address));
}

/* A location is an address, and perhaps an addend; nothing follows. */
Test(sections, locations)
{
	static const uint8_t addresses[] = { 0, 1, 2, 3 };
	static const struct {
		uint8_t bytes[10];
		uint64_t size, expected; /* 0: no address */
	} cases[] = {
		{ { DW_OP_addr, 1, 2, 3, 4 }, 5, 0x04030201 },
		{ { DW_OP_addr, 1, 2, 3 }, 4, 0 },
		{ { DW_OP_addr, 1, 2, 3, 4, 0 }, 6, 0 },
		{ { DW_OP_addr, 1, 2, 3, 4, DW_OP_plus_uconst, 5 }, 7,
		  0x04030206 },
		{ { DW_OP_addr, 1, 2, 3, 4, DW_OP_plus_uconst }, 6, 0 },
		{ { DW_OP_addr, 1, 2, 3, 4, DW_OP_plus_uconst, 5, 0 },
		  8, 0 },
		{ { DW_OP_addr, 1, 2, 3, 4, 0x9f }, 6, 0 },
		{ { DW_OP_addrx, 0 }, 2, 0x03020100 },
		{ { DW_OP_GNU_addr_index, 0 }, 2, 0x03020100 },
		{ { DW_OP_addrx, 1 }, 2, 0 },
		{ { DW_OP_addrx }, 1, 0 },
		{ { 0x91, 0 }, 2, 0 },
		{ { DW_OP_addr, 0xff, 0xff, 0xff, 0xff }, 5, 0 },
		{ { 0 }, 0, 0 },
	};
	static const uint16_t forms[] = { DW_FORM_exprloc, DW_FORM_block,
					  DW_FORM_block1, DW_FORM_block2,
					  DW_FORM_block4 };
	struct dw_sections s = { 0 };
	struct dw_header unit = { .sections = &s, .encoding = { 4, 4, 4 } };

	s.addr = gsym_cursor_init(addresses, sizeof(addresses),
				  GSYM_HOST_BIG_ENDIAN);
	s.info.swap = GSYM_HOST_BIG_ENDIAN;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t k = 0; k < 5; k++) {
			struct dw_value v = { .form = forms[k] };
			uint64_t at = 0;

			v.block.bytes = cases[i].bytes;
			v.block.size = cases[i].size;
			cr_expect_eq(gsym_dw_value_location(&unit, v, &at),
				     cases[i].expected != 0, "case %zu", i);
			cr_expect(!cases[i].expected ||
				  at == cases[i].expected);
			v.form = DW_FORM_sec_offset;
			cr_expect(!gsym_dw_value_location(&unit, v, &at));
		}
}

/* Sections of strings end at their last NUL. */
Test(sections, strings_without_an_end)
{
	struct gsym_container c = { .address_size = 8 };
	struct gsym_container_section *section = gsym_vec_push(&c.sections);
	/* Not on the stack: AddressSanitizer knows where the bytes begin. */
	uint8_t *bytes = malloc(4);
	struct dw_sections s;

	memcpy(bytes, "a\0bc", 4);
	*section = (struct gsym_container_section){ .name = ".debug_str",
						    .data = bytes,
						    .data_size = 4 };
	gsym_dw_sections_init(&s, &c);
	cr_expect_eq(gsym_cursor_left(&s.str), 2);
	memset(bytes, 'x', 4);
	gsym_dw_sections_init(&s, &c);
	cr_expect_eq(gsym_cursor_left(&s.str), 0);
	section->data_size = 0;
	gsym_dw_sections_init(&s, &c);
	cr_expect_eq(gsym_cursor_left(&s.str), 0);
	gsym_vec_fini(&c.sections);
	free(bytes);
}
