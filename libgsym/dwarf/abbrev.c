/* SPDX-License-Identifier: MIT */
/*
 * Compiles abbreviations into programs that read or skip the attributes of a
 * DIE, and runs these programs.
 */
#include "dwarf/sections.h"

#include "base/order.h"

#include <string.h>

/* Instructions.  Values from 1 to OP_MAX_SKIP step over that many bytes. */
enum {
	OP_END = 0,
	OP_MAX_SKIP = 0xe0,
	OP_LEB,	     /* step over a LEB128 */
	OP_STRING,   /* step over a string */
	OP_BLOCK,    /* step over a block with a length in LEB128 */
	OP_VALUE,    /* u16 form: step over a value of any form; fail if the
		      * form is not known */
	OP_SIBLING,  /* u8 size (0: LEB128): note the sibling */
	OP_READ,     /* u8 slot, u16 form: read a value */
	OP_READ_INT, /* u8 slot, u16 form, u8 size: read an integer */
	OP_CONSTANT, /* u8 slot, s64 value: DW_FORM_implicit_const */
};

enum { KNOWN_FORMS = 0x30 }; /* forms of the standard are below it */

/* An attribute of an abbreviation. */
struct attribute {
	uint64_t at;
	int64_t implicit; /* of DW_FORM_implicit_const */
	uint16_t form;
};

struct compiler {
	struct dw_abbrevs *table;
	/* The attributes of the abbreviation that is being compiled. */
	GSYM_VEC_OF(struct attribute) attributes;
	struct dw_encoding encoding;
	int8_t sizes[KNOWN_FORMS]; /* by form: gsym_dw_form_size */
	bool failed; /* no memory */
	/* Bytes to step over for which there is no instruction yet. */
	unsigned pending;
	/* By slot: the last attribute of the DIE, if its form takes no bytes.
	 * Such attributes are read at the end of the program, at most one for
	 * each slot: an abbreviation may have any number of them, for any
	 * number of DIEs of one byte. */
	struct {
		uint16_t form;
		int64_t implicit;
	} empty[DW_SLOT_COUNT];
	uint32_t empty_slots; /* the slots, as bits, whose FORM is not 0 */
};

static void init_sizes(struct compiler *p)
{
	for (unsigned form = 0; form < KNOWN_FORMS; form++)
		p->sizes[form] = (int8_t)gsym_dw_form_size((uint16_t)form,
							   p->encoding);
}

/* As gsym_dw_form_size, by P->sizes: sizes are needed for each attribute of
 * each abbreviation. */
static inline int form_size(const struct compiler *p, uint16_t form)
{
	return form < KNOWN_FORMS ? p->sizes[form]
				  : gsym_dw_form_size(form, p->encoding);
}

static inline void append_bytes(struct compiler *p, const void *bytes,
				size_t count)
{
	if (!gsym_vec_reserve(&p->table->programs, count)) {
		p->failed = true;
		return;
	}
	memcpy(p->table->programs.items + p->table->programs.count, bytes,
	       count);
	p->table->programs.count += count;
}

static void flush(struct compiler *p)
{
	while (p->pending) {
		uint8_t n = p->pending < OP_MAX_SKIP ? (uint8_t)p->pending :
						       OP_MAX_SKIP;

		append_bytes(p, &n, 1);
		p->pending -= n;
	}
}

static void put_op(struct compiler *p, uint8_t op)
{
	flush(p);
	append_bytes(p, &op, 1);
}

static void compile_skip(struct compiler *p, uint16_t form)
{
	int size = form_size(p, form);
	uint8_t op;

	if (size >= 0) {
		p->pending += (unsigned)size;
		return;
	}
	switch (form) {
	case DW_FORM_string:
		op = OP_STRING;
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		op = OP_BLOCK;
		break;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_indirect:
		op = OP_VALUE;
		break;
	default:
		op = size == -1 ? OP_LEB : OP_VALUE;
	}
	put_op(p, op);
	if (op == OP_VALUE)
		append_bytes(p, &form, sizeof(form));
}

static void compile_sibling(struct compiler *p, uint16_t form)
{
	int size = form_size(p, form);

	switch (form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		put_op(p, OP_SIBLING);
		append_bytes(p, &(uint8_t){ size > 0 ? (uint8_t)size : 0 }, 1);
		break;
	default:
		compile_skip(p, form);
	}
}

/* Add an instruction of SLOT and FORM. */
static void put_read(struct compiler *p, uint8_t op, uint8_t slot,
		     uint16_t form)
{
	put_op(p, op);
	append_bytes(p, &slot, 1);
	append_bytes(p, &form, sizeof(form));
}

static void compile_read(struct compiler *p, uint8_t slot, uint16_t form,
			 int64_t implicit)
{
	int size = form_size(p, form);

	/* The last attribute of a slot counts. */
	p->empty_slots &= ~(UINT32_C(1) << slot);
	if (!size) {
		p->empty_slots |= UINT32_C(1) << slot;
		p->empty[slot].form = form;
		p->empty[slot].implicit = implicit;
	} else if (size > 0 && size <= 8) {
		put_read(p, OP_READ_INT, slot, form);
		append_bytes(p, &(uint8_t){ (uint8_t)size }, 1);
	} else {
		put_read(p, OP_READ, slot, form);
	}
}

/* Add the instructions of the attributes that take no bytes. */
static void compile_empty(struct compiler *p)
{
	for (uint8_t slot = 0; p->empty_slots; slot++) {
		uint16_t form = p->empty[slot].form;
		int64_t implicit = p->empty[slot].implicit;

		if (!(p->empty_slots >> slot & 1))
			continue;
		p->empty_slots &= ~(UINT32_C(1) << slot);
		if (form == DW_FORM_implicit_const) {
			put_op(p, OP_CONSTANT);
			append_bytes(p, &slot, 1);
			append_bytes(p, &implicit, sizeof(implicit));
		} else {
			put_read(p, OP_READ, slot, form);
		}
	}
}

/* Whether a reference of FORM may lead into another unit of the file. */
static bool leads_out(uint16_t form)
{
	return form == DW_FORM_ref_addr || form == DW_FORM_ref_sig8 ||
	       form == DW_FORM_indirect;
}

/* Read the attribute list at C, of ABBREV.  It ends at damage, too. */
static void read_attributes(struct compiler *p, struct gsym_cursor *c,
			    struct dw_abbrev *abbrev)
{
	uint64_t size = 0;

	abbrev->sibling = UINT16_MAX;
	p->attributes.count = 0;
	for (;;) {
		uint64_t at = gsym_cursor_uleb(c);
		uint64_t form64 = gsym_cursor_uleb(c);
		uint16_t form = form64 <= UINT16_MAX ? (uint16_t)form64 : 0;
		int64_t implicit = 0;
		int bytes;

		if (form == DW_FORM_implicit_const)
			implicit = gsym_cursor_sleb(c);
		if (c->failed || (!at && !form))
			break;
		if (!gsym_vec_add(&p->attributes,
				  (struct attribute){ at, implicit, form })) {
			p->failed = true;
			break;
		}
		bytes = form_size(p, form);
		if (at == DW_AT_sibling &&
		    (form != DW_FORM_ref4 || abbrev->sibling < UINT16_MAX))
			bytes = -1;
		else if (at == DW_AT_sibling && size < UINT16_MAX)
			abbrev->sibling = (uint16_t)size;
		size += bytes >= 0 ? (unsigned)bytes : UINT16_MAX;
		if (at == DW_AT_low_pc || at == DW_AT_ranges) {
			abbrev->has_code = true;
			if (abbrev->kinds & DW_KIND_CODE)
				p->table->has_code = true;
		}
	}
	abbrev->size = size < UINT16_MAX ? (uint16_t)size : UINT16_MAX;
}

/* Compile the attributes of ABBREV: the read program if READ, else the skip
 * program.  Returns where the program begins. */
static uint32_t compile(struct compiler *p, const struct dw_abbrev *abbrev,
			bool read)
{
	uint32_t start = (uint32_t)p->table->programs.count;

	for (size_t i = 0; i < p->attributes.count; i++) {
		const struct attribute *a = &p->attributes.items[i];
		enum dw_slot slot =
			read ? gsym_dw_slot_of(abbrev->kinds, a->at)
			     : DW_SLOT_COUNT;

		if (slot != DW_SLOT_COUNT && leads_out(a->form))
			p->table->refers_out = true;
		if (slot != DW_SLOT_COUNT)
			compile_read(p, (uint8_t)slot, a->form, a->implicit);
		else if (a->at == DW_AT_sibling && !read &&
			 abbrev->has_children)
			compile_sibling(p, a->form);
		else
			compile_skip(p, a->form);
	}
	compile_empty(p);
	put_op(p, OP_END);
	return start;
}

/* Note CODE, of the last abbreviation of TABLE.  False without memory. */
static bool note_code(struct dw_abbrevs *table, uint64_t code)
{
	if (code != table->list.count)
		table->sequential = false;
	return gsym_vec_add(&table->codes,
			    (struct dw_abbrev_code){ code,
						     table->list.count - 1 });
}

/* Compile one abbreviation; false at the end of the table. */
static bool read_abbrev(struct compiler *p, struct gsym_cursor *c)
{
	struct dw_abbrevs *table = p->table;
	uint64_t code = gsym_cursor_uleb(c);
	struct dw_abbrev *abbrev;
	uint64_t tag;

	if (!code || c->failed)
		return false;
	tag = gsym_cursor_uleb(c);
	abbrev = gsym_vec_push(&table->list);
	if (!abbrev || table->programs.count > UINT32_MAX / 2) {
		p->failed = true;
		return false;
	}
	*abbrev = (struct dw_abbrev){
		.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0,
		.has_children = gsym_cursor_u8(c) != 0,
	};
	abbrev->kinds = gsym_dw_kinds_of(abbrev->tag);
	read_attributes(p, c, abbrev);
	abbrev->read = compile(p, abbrev, abbrev->kinds & DW_KIND_READ);
	abbrev->skip = abbrev->read;
	if (abbrev->kinds & DW_KIND_READ && abbrev->size == UINT16_MAX)
		abbrev->skip = compile(p, abbrev, false);
	if (c->failed) /* the abbreviation breaks off */
		table->list.count--;
	p->failed |= !c->failed && !note_code(table, code);
	return !c->failed && !p->failed;
}

static int by_code(const void *a, const void *b)
{
	const struct dw_abbrev_code *x = a, *y = b;
	int order = GSYM_ORDER(x->code, y->code);

	return order ? order : GSYM_ORDER(x->place, y->place);
}

bool gsym_dw_abbrevs_read(struct dw_abbrevs *table, const struct dw_sections *s,
			  uint64_t offset, uint64_t end,
			  struct dw_encoding encoding)
{
	struct gsym_cursor c = s->abbrev;
	struct compiler p = { .table = table, .encoding = encoding };

	*table = (struct dw_abbrevs){ .sequential = true };
	init_sizes(&p);
	if (end < gsym_cursor_left(&c))
		c.end = c.start + end;
	gsym_cursor_seek(&c, offset);
	while (read_abbrev(&p, &c))
		;
	table->damaged = c.failed;
	table->end = gsym_cursor_offset(&c);
	if (table->sequential)
		gsym_vec_fini(&table->codes);
	else if (table->codes.count)
		gsym_vec_sort(&table->codes, by_code);
	gsym_vec_fini(&p.attributes);
	return !p.failed;
}

void gsym_dw_abbrevs_fini(struct dw_abbrevs *table)
{
	gsym_vec_fini(&table->list);
	gsym_vec_fini(&table->codes);
	gsym_vec_fini(&table->programs);
}

const struct dw_abbrev *gsym_dw_abbrev_search(const struct dw_abbrevs *table,
					      uint64_t code)
{
	size_t at = GSYM_FIRST(i, 0, table->codes.count,
			       table->codes.items[i].code >= code);

	return at < table->codes.count && table->codes.items[at].code == code
		       ? &table->list.items[table->codes.items[at].place]
		       : NULL;
}

/* Execute the instruction at OP, which steps over a value.  Returns the last
 * byte of the instruction. */
static const uint8_t *step_over(struct gsym_cursor *c, const uint8_t *op,
				struct dw_encoding encoding)
{
	uint16_t form;

	switch (*op) {
	case OP_LEB:
		gsym_cursor_skip_leb(c);
		return op;
	case OP_STRING:
		gsym_cursor_string(c);
		return op;
	case OP_BLOCK:
		gsym_cursor_skip(c, gsym_cursor_uleb(c));
		return op;
	case OP_VALUE:
		memcpy(&form, op + 1, sizeof(form));
		gsym_dw_value_read(c, form, encoding);
		return op + sizeof(form);
	}
	gsym_cursor_fail(c); /* fewer bytes than are to be stepped over */
	return op;
}

void gsym_dw_abbrev_skip(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding, uint64_t *sibling)
{
	const uint8_t *op = table->programs.items + abbrev->skip;
	/* A copy of the cursor stays in registers, but for step_over. */
	const uint8_t *at = c->at;

	if (abbrev->size < UINT16_MAX) {
		at = dw_abbrev_step(abbrev, at, (size_t)(c->end - at), c->swap,
				    sibling);
		if (at)
			c->at = at;
		else
			gsym_cursor_fail(c);
		return;
	}
	for (; *op != OP_END; op++) {
		size_t left = (size_t)(c->end - at);

		if (*op <= OP_MAX_SKIP && *op <= left) {
			at += *op;
		} else if (*op == OP_BLOCK && left && *at < 0x80 &&
			   *at < left) {
			at += 1 + *at;
		} else if (*op == OP_LEB && left && *at < 0x80) {
			at++;
		} else if (*op == OP_SIBLING) {
			c->at = at;
			op++;
			*sibling = *op ? gsym_cursor_uint(c, *op) :
					 gsym_cursor_uleb(c);
			at = c->at;
		} else {
			c->at = at;
			op = step_over(c, op, encoding);
			at = c->at;
		}
	}
	c->at = at;
}

/* The integer of SIZE bytes at AT, where 8 bytes can be read. */
static inline uint64_t load_uint(const uint8_t *at, unsigned size, bool swap)
{
	uint64_t word = gsym_load_u64(at, swap);
	unsigned other = 64 - 8 * size; /* bits that follow the integer */
	bool big_endian = swap != GSYM_HOST_BIG_ENDIAN;

	return big_endian ? word >> other : word << other >> other;
}

void gsym_dw_abbrev_read(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding, struct dw_attributes *ret)
{
	const uint8_t *op = table->programs.items + abbrev->read;
	/* As in gsym_dw_abbrev_skip. */
	const uint8_t *at = c->at;
	struct dw_value *slot;
	uint16_t form;

	/* A memset of the slots would take as long as reading most DIEs. */
	for (unsigned i = 0; i < DW_SLOT_DIE_COUNT; i++)
		ret->slots[i].form = 0;
	for (; *op != OP_END; op++) {
		size_t left = (size_t)(c->end - at);

		if (*op <= OP_MAX_SKIP && *op <= left) {
			at += *op;
		} else if (*op == OP_READ_INT && left >= 8) {
			slot = &ret->slots[op[1]];
			memcpy(&slot->form, op + 2, sizeof(slot->form));
			slot->u = load_uint(at, op[4], c->swap);
			at += op[4];
			op += 4;
		} else if (*op == OP_CONSTANT) {
			slot = &ret->slots[op[1]];
			slot->form = DW_FORM_implicit_const;
			memcpy(&slot->s, op + 2, sizeof(slot->s));
			op += 9;
		} else {
			c->at = at;
			if (*op == OP_READ || *op == OP_READ_INT) {
				memcpy(&form, op + 2, sizeof(form));
				ret->slots[op[1]] =
					gsym_dw_value_read(c, form, encoding);
				op += *op == OP_READ ? 3 : 4;
			} else {
				op = step_over(c, op, encoding);
			}
			at = c->at;
		}
	}
	c->at = at;
}
