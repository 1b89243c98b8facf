/* SPDX-License-Identifier: MIT */
#include "support/dwarf_asm.h"

#include <stdarg.h>
#include <stdlib.h>

/* DWARF constants.  They are not taken from the code under test, so that a
 * mistake there is noticed. */
enum {
	FORM_ADDR = 0x01,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_FLAG = 0x0c,
	FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_REF_ADDR = 0x10,
	FORM_REF1 = 0x11,
	FORM_REF2 = 0x12,
	FORM_REF4 = 0x13,
	FORM_REF8 = 0x14,
	FORM_REF_UDATA = 0x15,
	FORM_INDIRECT = 0x16,
	FORM_SEC_OFFSET = 0x17,
	FORM_EXPRLOC = 0x18,
	FORM_FLAG_PRESENT = 0x19,
	FORM_STRX = 0x1a,
	FORM_ADDRX = 0x1b,
	FORM_REF_SUP4 = 0x1c,
	FORM_STRP_SUP = 0x1d,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
	FORM_REF_SIG8 = 0x20,
	FORM_IMPLICIT_CONST = 0x21,
	FORM_LOCLISTX = 0x22,
	FORM_RNGLISTX = 0x23,
	FORM_REF_SUP8 = 0x24,
	FORM_STRX1 = 0x25,
	FORM_STRX2 = 0x26,
	FORM_STRX3 = 0x27,
	FORM_STRX4 = 0x28,
	FORM_ADDRX1 = 0x29,
	FORM_ADDRX2 = 0x2a,
	FORM_ADDRX3 = 0x2b,
	FORM_ADDRX4 = 0x2c,
	FORM_GNU_ADDR_INDEX = 0x1f01,
	FORM_GNU_STR_INDEX = 0x1f02,
	FORM_GNU_REF_ALT = 0x1f20,
	FORM_GNU_STRP_ALT = 0x1f21,
	LNCT_PATH = 1,
	LNCT_DIRECTORY_INDEX = 2,
	LNCT_MD5 = 5,
	LNCT_VENDOR = 0x2123,
	LNS_COPY = 1,
	LNS_ADVANCE_PC = 2,
	LNS_ADVANCE_LINE = 3,
	LNS_SET_FILE = 4,
	LNS_FIXED_ADVANCE_PC = 9,
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,
	UT_COMPILE = 1,
	UT_TYPE = 2,
	UT_SKELETON = 4,
	UT_SPLIT_COMPILE = 5,
	UT_SPLIT_TYPE = 6,
};

const char *const dwa_section_names[DWA_SECTIONS] = {
	".debug_info",     ".debug_abbrev", ".debug_line",
	".debug_line_str", ".debug_str",    ".debug_str_offsets",
	".debug_addr",     ".debug_ranges", ".debug_rnglists",
	".debug_aranges",  ".debug_types",
};

void dwa_init(struct dwa *a, bool big_endian, unsigned address_size,
	      unsigned version)
{
	*a = (struct dwa){
		.version = version,
		.address_size = address_size,
		.next_code = 1,
		.code_step = 1,
		.big_endian = big_endian,
	};
	for (size_t i = 0; i < DWA_SECTIONS; i++)
		a->sections[i].swap = big_endian != GSYM_HOST_BIG_ENDIAN;
	/* Offset 0 of .debug_str is an empty string. */
	gsym_emit_u8(&a->sections[DWA_STR], 0);
}

void dwa_fini(struct dwa *a)
{
	for (size_t i = 0; i < DWA_SECTIONS; i++)
		gsym_emit_fini(&a->sections[i]);
	gsym_vec_fini(&a->places);
	gsym_vec_fini(&a->references);
	gsym_vec_fini(&a->container.sections);
}

unsigned dwa_offset_size(const struct dwa *a)
{
	return a->dwarf64 ? 8 : 4;
}

static struct gsym_emit *section(struct dwa *a, enum dwa_section which)
{
	if (a->sections[which].failed)
		abort();
	return &a->sections[which];
}

void dwa_patch(struct dwa *a, enum dwa_section which, size_t offset,
	       uint64_t value, unsigned size)
{
	struct gsym_emit *e = section(a, which);
	struct gsym_emit bytes = { .swap = e->swap };

	gsym_emit_uint(&bytes, value, size);
	if (bytes.failed || offset > e->size || size > e->size - offset)
		abort();
	memcpy(e->data + offset, bytes.data, size);
	gsym_emit_fini(&bytes);
}

struct gsym_container *dwa_container(struct dwa *a)
{
	struct gsym_container *c = &a->container;

	c->format = GSYM_FORMAT_ELF;
	c->big_endian = a->big_endian;
	c->address_size = (uint8_t)a->address_size;
	c->sections.count = 0;
	for (unsigned i = 0; i < DWA_SECTIONS; i++) {
		struct gsym_emit *e = section(a, i);
		struct gsym_container_section *s;

		if (!e->size)
			continue;
		s = gsym_vec_push(&c->sections);
		if (!s)
			abort();
		*s =
			(struct gsym_container_section){
				.name = dwa_section_names[i],
					    .size = e->size,
					    .data = e->data,
					    .data_size = e->size };
	}
	return c;
}

/* Lengths: begin_length stores a length of 0, and end_length the number of
 * bytes from there to the end of the section. */

static size_t begin_length(struct dwa *a, enum dwa_section which)
{
	struct gsym_emit *e = section(a, which);
	size_t offset = e->size;

	if (a->dwarf64)
		gsym_emit_u32(e, UINT32_MAX);
	gsym_emit_uint(e, 0, dwa_offset_size(a));
	return offset;
}

static void end_length(struct dwa *a, enum dwa_section which, size_t offset)
{
	size_t field = offset + (a->dwarf64 ? 4 : 0);
	size_t start = field + dwa_offset_size(a);

	dwa_patch(a, which, field, section(a, which)->size - start,
		  dwa_offset_size(a));
}

/* ---- units and DIEs ---------------------------------------------------- */

static void close_abbrev(struct dwa *a)
{
	if (a->abbrev_open)
		gsym_emit_u16(section(a, DWA_ABBREV), 0);
	a->abbrev_open = false;
}

size_t dwa_unit(struct dwa *a, unsigned type)
{
	struct gsym_emit *e = section(a, DWA_INFO);
	unsigned offset_size = dwa_offset_size(a);

	a->unit_offset = begin_length(a, DWA_INFO);
	a->abbrev_offset = section(a, DWA_ABBREV)->size;
	a->next_code = 1;
	gsym_emit_u16(e, (uint16_t)a->version);
	if (a->version >= 5) {
		type = type ? type : UT_COMPILE;
		gsym_emit_u8(e, (uint8_t)type);
		gsym_emit_u8(e, (uint8_t)a->address_size);
		gsym_emit_uint(e, a->abbrev_offset, offset_size);
		if (type == UT_SKELETON || type == UT_SPLIT_COMPILE ||
		    type == UT_TYPE || type == UT_SPLIT_TYPE)
			gsym_emit_u64(e, 0x1122334455667788);
		if (type == UT_TYPE || type == UT_SPLIT_TYPE)
			gsym_emit_uint(e, 0, offset_size);
	} else {
		gsym_emit_uint(e, a->abbrev_offset, offset_size);
		gsym_emit_u8(e, (uint8_t)a->address_size);
	}
	return a->unit_offset;
}

static void store_reference(struct dwa *a, const struct dwa_reference *r)
{
	uint64_t value = a->places.items[r->place].offset;
	uint8_t *p = section(a, DWA_INFO)->data + r->at;

	if (value == SIZE_MAX)
		abort();
	value -= r->relative;
	if (r->size) {
		dwa_patch(a, DWA_INFO, r->at, value, r->size);
		return;
	}
	for (int i = 0; i < 5; i++, value >>= 7)
		p[i] = (uint8_t)((value & 0x7f) | (i < 4 ? 0x80 : 0));
}

void dwa_unit_end(struct dwa *a)
{
	size_t left = 0;

	close_abbrev(a);
	gsym_emit_u8(section(a, DWA_ABBREV), 0);
	end_length(a, DWA_INFO, a->unit_offset);
	/* References to places in later units are resolved later. */
	for (size_t i = 0; i < a->references.count; i++) {
		struct dwa_reference *r = &a->references.items[i];

		if (a->places.items[r->place].offset == SIZE_MAX)
			a->references.items[left++] = *r;
		else
			store_reference(a, r);
	}
	a->references.count = left;
}

size_t dwa_die(struct dwa *a, unsigned tag, bool children)
{
	struct gsym_emit *abbrev = section(a, DWA_ABBREV);
	struct gsym_emit *e = section(a, DWA_INFO);
	size_t offset = e->size;

	close_abbrev(a);
	gsym_emit_uleb(abbrev, a->next_code);
	gsym_emit_uleb(abbrev, tag);
	gsym_emit_u8(abbrev, children);
	gsym_emit_uleb(e, a->next_code);
	a->next_code += a->code_step;
	a->abbrev_open = true;
	a->code_known = false;
	return offset;
}

size_t dwa_die_again(struct dwa *a, uint64_t code)
{
	struct gsym_emit *e = section(a, DWA_INFO);
	size_t offset = e->size;

	close_abbrev(a);
	gsym_emit_uleb(e, code);
	a->code_known = true;
	return offset;
}

void dwa_end(struct dwa *a)
{
	gsym_emit_u8(section(a, DWA_INFO), 0);
}

/* ---- attributes -------------------------------------------------------- */

static void declare(struct dwa *a, unsigned attribute, unsigned form)
{
	struct gsym_emit *abbrev = section(a, DWA_ABBREV);

	if (a->code_known)
		return;
	gsym_emit_uleb(abbrev, attribute);
	gsym_emit_uleb(abbrev, form);
}

static void emit_u24(struct gsym_emit *e, uint64_t v)
{
	bool big = e->swap != GSYM_HOST_BIG_ENDIAN;

	for (int i = 0; i < 3; i++)
		gsym_emit_u8(e, (uint8_t)(v >> 8 * (big ? 2 - i : i)));
}

/* The size in bytes of a number of FORM; 0: the size depends on the value. */
static unsigned form_size(const struct dwa *a, unsigned form)
{
	switch (form) {
	case FORM_ADDR:
		return a->address_size;
	case FORM_REF_ADDR:
		return a->version == 2 ? a->address_size : dwa_offset_size(a);
	case FORM_DATA1:
	case FORM_FLAG:
	case FORM_REF1:
	case FORM_STRX1:
	case FORM_ADDRX1:
		return 1;
	case FORM_DATA2:
	case FORM_REF2:
	case FORM_STRX2:
	case FORM_ADDRX2:
		return 2;
	case FORM_STRX3:
	case FORM_ADDRX3:
		return 3;
	case FORM_DATA4:
	case FORM_REF4:
	case FORM_REF_SUP4:
	case FORM_STRX4:
	case FORM_ADDRX4:
		return 4;
	case FORM_DATA8:
	case FORM_REF8:
	case FORM_REF_SUP8:
	case FORM_REF_SIG8:
		return 8;
	case FORM_STRP:
	case FORM_LINE_STRP:
	case FORM_STRP_SUP:
	case FORM_SEC_OFFSET:
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT:
		return dwa_offset_size(a);
	}
	return 0;
}

static void emit_form(struct dwa *a, struct gsym_emit *e, unsigned form,
		      uint64_t value)
{
	unsigned size = form_size(a, form);

	if (size == 3)
		emit_u24(e, value);
	else if (size)
		gsym_emit_uint(e, value, size);
	else if (form == FORM_SDATA)
		gsym_emit_sleb(e, (int64_t)value);
	else if (form != FORM_FLAG_PRESENT)
		gsym_emit_uleb(e, value);
}

void dwa_value(struct dwa *a, unsigned attribute, unsigned form,
	       uint64_t value)
{
	declare(a, attribute, form);
	if (form != FORM_IMPLICIT_CONST)
		emit_form(a, section(a, DWA_INFO), form, value);
	else if (!a->code_known)
		gsym_emit_sleb(section(a, DWA_ABBREV), (int64_t)value);
}

void dwa_indirect(struct dwa *a, unsigned attribute, unsigned form,
		  uint64_t value)
{
	declare(a, attribute, FORM_INDIRECT);
	gsym_emit_uleb(section(a, DWA_INFO), form);
	emit_form(a, section(a, DWA_INFO), form, value);
}

/* Write the header of a table of indexed strings before its first string.  LAST
 * is the last field of the header. */
static void begin_table(struct dwa *a, enum dwa_section which, uint16_t last)
{
	struct gsym_emit *e = section(a, which);

	if (e->size || a->version < 5)
		return;
	begin_length(a, which);
	gsym_emit_u16(e, 5);
	gsym_emit_u16(e, last);
}

uint64_t dwa_table_base(const struct dwa *a)
{
	return a->version < 5 ? 0 : a->dwarf64 ? 16 : 8;
}

uint64_t dwa_intern(struct dwa *a, enum dwa_section which, const char *text)
{
	struct gsym_emit *e = section(a, which);
	uint64_t offset = e->size;

	gsym_emit_bytes(e, text, strlen(text) + 1);
	return offset;
}

static uint64_t string_index(struct dwa *a, const char *text)
{
	begin_table(a, DWA_STR_OFFSETS, 0);
	gsym_emit_uint(section(a, DWA_STR_OFFSETS),
		       dwa_intern(a, DWA_STR, text), dwa_offset_size(a));
	if (a->version >= 5)
		end_length(a, DWA_STR_OFFSETS, 0);
	return a->str_count++;
}

uint64_t dwa_address(struct dwa *a, uint64_t address)
{
	struct gsym_emit *e = section(a, DWA_ADDR);

	if (a->version >= 5 && !e->size) {
		begin_length(a, DWA_ADDR);
		gsym_emit_u16(e, 5);
		gsym_emit_u8(e, (uint8_t)a->address_size);
		gsym_emit_u8(e, 0);
	}
	gsym_emit_uint(e, address, a->address_size);
	if (a->version >= 5)
		end_length(a, DWA_ADDR, 0);
	return a->addr_count++;
}

void dwa_string(struct dwa *a, unsigned attribute, unsigned form,
		const char *text)
{
	switch (form) {
	case FORM_STRING:
		declare(a, attribute, form);
		gsym_emit_bytes(section(a, DWA_INFO), text, strlen(text) + 1);
		break;
	case FORM_STRP:
		dwa_value(a, attribute, form, dwa_intern(a, DWA_STR, text));
		break;
	case FORM_LINE_STRP:
		dwa_value(a, attribute, form,
			  dwa_intern(a, DWA_LINE_STR, text));
		break;
	default:
		dwa_value(a, attribute, form, string_index(a, text));
		break;
	}
}

void dwa_block(struct dwa *a, unsigned attribute, unsigned form,
	       const void *bytes, size_t size)
{
	struct gsym_emit *e = section(a, DWA_INFO);

	declare(a, attribute, form);
	switch (form) {
	case FORM_BLOCK1:
		gsym_emit_u8(e, (uint8_t)size);
		break;
	case FORM_BLOCK2:
		gsym_emit_u16(e, (uint16_t)size);
		break;
	case FORM_BLOCK4:
		gsym_emit_u32(e, (uint32_t)size);
		break;
	case FORM_BLOCK:
	case FORM_EXPRLOC:
		gsym_emit_uleb(e, size);
		break;
	}
	gsym_emit_bytes(e, bytes, size);
}

unsigned dwa_place(struct dwa *a)
{
	struct dwa_place *place = gsym_vec_push(&a->places);

	if (!place)
		abort();
	place->offset = SIZE_MAX;
	return (unsigned)a->places.count - 1;
}

void dwa_place_here(struct dwa *a, unsigned place)
{
	a->places.items[place].offset = section(a, DWA_INFO)->size;
}

void dwa_reference(struct dwa *a, unsigned attribute, unsigned form,
		   unsigned place)
{
	struct gsym_emit *e = section(a, DWA_INFO);
	struct dwa_reference *r = gsym_vec_push(&a->references);

	if (!r)
		abort();
	declare(a, attribute, form);
	*r = (struct dwa_reference){
		.at = e->size,
		.size = form_size(a, form),
		.relative = form == FORM_REF_ADDR ? 0 : a->unit_offset,
		.place = place,
	};
	for (unsigned i = 0; i < (r->size ? r->size : 5); i++)
		gsym_emit_u8(e, 0);
}

/* ---- range lists ------------------------------------------------------- */

uint64_t dwa_ranges(struct dwa *a, const struct dwa_pair *pairs, size_t count)
{
	struct gsym_emit *e = section(a, DWA_RANGES);
	uint64_t offset = e->size;

	for (size_t i = 0; i <= count; i++) {
		gsym_emit_uint(e, i < count ? pairs[i].first : 0,
			       a->address_size);
		gsym_emit_uint(e, i < count ? pairs[i].second : 0,
			       a->address_size);
	}
	return offset;
}

uint64_t dwa_rnglists(struct dwa *a, size_t lists)
{
	struct gsym_emit *e = section(a, DWA_RNGLISTS);

	a->table_offset = begin_length(a, DWA_RNGLISTS);
	gsym_emit_u16(e, 5);
	gsym_emit_u8(e, (uint8_t)a->address_size);
	gsym_emit_u8(e, 0);
	gsym_emit_u32(e, (uint32_t)lists);
	a->table_body = e->size;
	a->table_lists = 0;
	a->table_list_count = lists;
	for (size_t i = 0; i < lists; i++)
		gsym_emit_uint(e, 0, dwa_offset_size(a));
	return a->table_body;
}

uint64_t dwa_rnglist(struct dwa *a)
{
	size_t offset = section(a, DWA_RNGLISTS)->size;
	unsigned size = dwa_offset_size(a);

	if (a->table_lists < a->table_list_count)
		dwa_patch(a, DWA_RNGLISTS,
			  a->table_body + a->table_lists++ * size,
			  offset - a->table_body, size);
	return offset;
}

void dwa_rle(struct dwa *a, unsigned kind, uint64_t first, uint64_t second)
{
	/* The operands of each kind: - none, u ULEB128, a address. */
	static const char operands[][3] = { "--", "u-", "uu", "uu",
					    "uu", "a-", "aa", "au" };
	struct gsym_emit *e = section(a, DWA_RNGLISTS);
	const uint64_t values[2] = { first, second };

	gsym_emit_u8(e, (uint8_t)kind);
	for (int i = 0; kind < 8 && i < 2; i++)
		if (operands[kind][i] == 'u')
			gsym_emit_uleb(e, values[i]);
		else if (operands[kind][i] == 'a')
			gsym_emit_uint(e, values[i], a->address_size);
}

void dwa_rnglists_end(struct dwa *a)
{
	end_length(a, DWA_RNGLISTS, a->table_offset);
}

void dwa_aranges(struct dwa *a, uint64_t unit_offset,
		 const struct dwa_pair *pairs, size_t count)
{
	struct gsym_emit *e = section(a, DWA_ARANGES);
	size_t offset = begin_length(a, DWA_ARANGES);

	gsym_emit_u16(e, 2);
	gsym_emit_uint(e, unit_offset, dwa_offset_size(a));
	gsym_emit_u8(e, (uint8_t)a->address_size);
	gsym_emit_u8(e, 0);
	/* Pairs are aligned to their size, from the start of the set. */
	while ((e->size - offset) % (2 * a->address_size))
		gsym_emit_u8(e, 0);
	for (size_t i = 0; i <= count; i++) {
		gsym_emit_uint(e, i < count ? pairs[i].first : 0,
			       a->address_size);
		gsym_emit_uint(e, i < count ? pairs[i].second : 0,
			       a->address_size);
	}
	end_length(a, DWA_ARANGES, offset);
}

/* ---- line tables ------------------------------------------------------- */

static void line_name(struct dwa *a, const struct dwa_lines *lines,
		      const char *name)
{
	struct gsym_emit *e = section(a, DWA_LINE);

	switch (lines->name_form) {
	case FORM_LINE_STRP:
		gsym_emit_uint(e, dwa_intern(a, DWA_LINE_STR, name),
			       dwa_offset_size(a));
		break;
	case FORM_STRP:
		gsym_emit_uint(e, dwa_intern(a, DWA_STR, name),
			       dwa_offset_size(a));
		break;
	default:
		gsym_emit_bytes(e, name, strlen(name) + 1);
		break;
	}
}

/* The directories and files of DWARF 2 to 4. */
static void old_tables(struct dwa *a, const struct dwa_lines *lines)
{
	struct gsym_emit *e = section(a, DWA_LINE);

	for (size_t i = 0; i < lines->directory_count; i++)
		line_name(a, lines, lines->directories[i]);
	gsym_emit_u8(e, 0);
	for (size_t i = 0; i < lines->file_count; i++) {
		line_name(a, lines, lines->files[i].name);
		gsym_emit_uleb(e, lines->files[i].directory);
		gsym_emit_uleb(e, 0);
		gsym_emit_uleb(e, 0);
	}
	gsym_emit_u8(e, 0);
}

static void new_tables(struct dwa *a, const struct dwa_lines *lines)
{
	unsigned form = lines->name_form ? lines->name_form : FORM_STRING;
	struct gsym_emit *e = section(a, DWA_LINE);
	static const uint8_t md5[16] = { 0xd5 };

	gsym_emit_u8(e, 1);
	gsym_emit_uleb(e, LNCT_PATH);
	gsym_emit_uleb(e, form);
	gsym_emit_uleb(e, lines->directory_count);
	for (size_t i = 0; i < lines->directory_count; i++)
		line_name(a, lines, lines->directories[i]);
	gsym_emit_u8(e, (uint8_t)(2 + lines->md5 + lines->vendor_field));
	if (lines->vendor_field) {
		gsym_emit_uleb(e, LNCT_VENDOR);
		gsym_emit_uleb(e, FORM_UDATA);
	}
	gsym_emit_uleb(e, LNCT_PATH);
	gsym_emit_uleb(e, form);
	gsym_emit_uleb(e, LNCT_DIRECTORY_INDEX);
	gsym_emit_uleb(e, FORM_UDATA);
	if (lines->md5) {
		gsym_emit_uleb(e, LNCT_MD5);
		gsym_emit_uleb(e, FORM_DATA16);
	}
	gsym_emit_uleb(e, lines->file_count);
	for (size_t i = 0; i < lines->file_count; i++) {
		if (lines->vendor_field)
			gsym_emit_uleb(e, 300);
		line_name(a, lines, lines->files[i].name);
		gsym_emit_uleb(e, lines->files[i].directory);
		if (lines->md5)
			gsym_emit_bytes(e, md5, sizeof(md5));
	}
}

uint64_t dwa_lines(struct dwa *a, const struct dwa_lines *lines)
{
	static const uint8_t lengths[12] = { 0, 1, 1, 1, 1, 0,
					     0, 0, 1, 0, 0, 1 };
	const uint8_t *counts =
		lines->opcode_lengths ? lines->opcode_lengths : lengths;
	unsigned base = lines->opcode_base ? lines->opcode_base : 13;
	unsigned offset_size = dwa_offset_size(a);
	struct gsym_emit *e = section(a, DWA_LINE);
	size_t header;

	a->table_offset = begin_length(a, DWA_LINE);
	a->line_version = lines->version;
	gsym_emit_u16(e, (uint16_t)lines->version);
	if (lines->version >= 5) {
		gsym_emit_u8(e, (uint8_t)a->address_size);
		gsym_emit_u8(e, 0);
	}
	header = e->size;
	gsym_emit_uint(e, 0, offset_size);
	gsym_emit_u8(e, (uint8_t)(lines->min_inst_length ?
					  lines->min_inst_length : 1));
	if (lines->version >= 4)
		gsym_emit_u8(e, (uint8_t)(lines->max_ops ? lines->max_ops
							 : 1));
	gsym_emit_u8(e, 1);
	gsym_emit_u8(e, (uint8_t)(lines->line_range ? lines->line_base : -5));
	gsym_emit_u8(e, (uint8_t)(lines->line_range ? lines->line_range
						    : 14));
	gsym_emit_u8(e, (uint8_t)base);
	gsym_emit_bytes(e, counts, base - 1);
	if (lines->version >= 5)
		new_tables(a, lines);
	else
		old_tables(a, lines);
	dwa_patch(a, DWA_LINE, header, e->size - header - offset_size,
		  offset_size);
	return a->table_offset;
}

void dwa_lines_end(struct dwa *a)
{
	end_length(a, DWA_LINE, a->table_offset);
}

void dwa_lns(struct dwa *a, unsigned opcode, unsigned count, ...)
{
	struct gsym_emit *e = section(a, DWA_LINE);
	va_list args;

	gsym_emit_u8(e, (uint8_t)opcode);
	va_start(args, count);
	while (count--)
		gsym_emit_uleb(e, va_arg(args, unsigned));
	va_end(args);
}

void dwa_special(struct dwa *a, unsigned opcode)
{
	gsym_emit_u8(section(a, DWA_LINE), (uint8_t)opcode);
}

void dwa_advance_line(struct dwa *a, int64_t delta)
{
	gsym_emit_u8(section(a, DWA_LINE), LNS_ADVANCE_LINE);
	gsym_emit_sleb(section(a, DWA_LINE), delta);
}

void dwa_fixed_advance(struct dwa *a, uint16_t delta)
{
	gsym_emit_u8(section(a, DWA_LINE), LNS_FIXED_ADVANCE_PC);
	gsym_emit_u16(section(a, DWA_LINE), delta);
}

void dwa_lne(struct dwa *a, unsigned opcode, const void *bytes, size_t size)
{
	struct gsym_emit *e = section(a, DWA_LINE);

	gsym_emit_u8(e, 0);
	gsym_emit_uleb(e, size + 1);
	gsym_emit_u8(e, (uint8_t)opcode);
	gsym_emit_bytes(e, bytes, size);
}

void dwa_set_address(struct dwa *a, uint64_t address)
{
	struct gsym_emit *e = section(a, DWA_LINE);

	gsym_emit_u8(e, 0);
	gsym_emit_uleb(e, a->address_size + 1);
	gsym_emit_u8(e, LNE_SET_ADDRESS);
	gsym_emit_uint(e, address, a->address_size);
}

void dwa_sequence(struct dwa *a, uint64_t address)
{
	dwa_set_address(a, address);
	a->row_address = address;
	a->row_file = 1;
	a->row_line = 1;
}

static void advance_pc(struct dwa *a, uint64_t address)
{
	struct gsym_emit *e = section(a, DWA_LINE);

	if (address == a->row_address)
		return;
	gsym_emit_u8(e, LNS_ADVANCE_PC);
	gsym_emit_uleb(e, address - a->row_address);
	a->row_address = address;
}

void dwa_row(struct dwa *a, uint64_t address, uint64_t file, int64_t line)
{
	struct gsym_emit *e = section(a, DWA_LINE);

	advance_pc(a, address);
	if (file != a->row_file) {
		gsym_emit_u8(e, LNS_SET_FILE);
		gsym_emit_uleb(e, file);
	}
	if (line != a->row_line)
		dwa_advance_line(a, line - a->row_line);
	gsym_emit_u8(e, LNS_COPY);
	a->row_file = file;
	a->row_line = line;
}

void dwa_sequence_end(struct dwa *a, uint64_t address)
{
	advance_pc(a, address);
	dwa_lne(a, LNE_END_SEQUENCE, NULL, 0);
}
