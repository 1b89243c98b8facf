/* SPDX-License-Identifier: MIT */
/* Finds elements in a line, and parses their fields. */
#include "markup/text.h"

#include "base/bytes16.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- finding --------------------------------------------------------- */

typedef gsym_bytes16 block;

/* STEP bytes are searched at once; up to BEYOND bytes after them are read,
 * too. */
enum { STEP = 64, BEYOND = 2 };

/* The first place from AT on that has three times the byte WANTED or, with
 * ESCAPE, an ESC; NULL if there is none. */
static inline const char *find(const char *at, const char *end, char wanted,
			       bool escape)
{
	while (end - at >= STEP + BEYOND) {
		block hit = { 0 };

		/* Not unrolled, the loop is up to 13 % slower, depending on
		 * where the linker puts it. */
#pragma GCC unroll 4
		for (int i = 0; i < STEP; i += 16) {
			const block *a = (const block *)(at + i);
			const block *b = (const block *)(at + i + 1);
			const block *c = (const block *)(at + i + 2);

			hit |= (block)((*a == (uint8_t)wanted) &
				       (*b == (uint8_t)wanted) &
				       (*c == (uint8_t)wanted));
			if (escape)
				hit |= (block)(*a == 0x1b);
		}
		if (gsym_bytes16_any(hit))
			break;
		at += STEP;
	}
	while (at < end) {
		if (!escape)
			at = memchr(at, wanted, (size_t)(end - at));
		if (!at)
			break;
		if (escape && *at == 0x1b)
			return at;
		if (*at == wanted && end - at >= 3 && at[1] == wanted &&
		    at[2] == wanted)
			return at;
		at++;
	}
	return NULL;
}

const char *gsym_mk_find_opener(const char *bytes, size_t size)
{
	return find(bytes, bytes + size, '{', false);
}

const char *gsym_mk_find_special(const char *bytes, size_t size)
{
	return find(bytes, bytes + size, '{', true);
}

const char *gsym_mk_find_closer(const char *bytes, size_t size)
{
	return find(bytes, bytes + size, '}', false);
}

/* ---- scalars --------------------------------------------------------- */

/* Read AT to END, digits of BASE, as a number; false if it is no such number,
 * or too large. */
static bool digits(const char *at, const char *end, unsigned base,
		   uint64_t *ret)
{
	uint64_t value;
	bool fits;

	if (at == end || gsym_number(at, end, base, &value, &fits) != end ||
	    !fits)
		return false;
	*ret = value;
	return true;
}

bool gsym_mk_address(struct logs_text field, bool llvm, uint64_t *ret)
{
	const char *at = field.at, *end = at + field.size;

	if (field.size > 2 && at[0] == '0' && at[1] == 'x')
		return digits(at + 2, end, 16, ret);
	if (!llvm && field.size == 5 && memcmp(at, "(nil)", 5) == 0) {
		*ret = 0;
		return true;
	}
	/* In base 1 there are only zeros. */
	return digits(at, end, 1, ret);
}

/* An integer with the prefixes of C and "0o", "0b". */
static bool integer(struct logs_text field, uint64_t *ret)
{
	const char *at = field.at, *end = at + field.size;

	if (field.size < 2 || at[0] != '0')
		return digits(at, end, 10, ret);
	switch (at[1] | 0x20) {
	case 'x':
		return digits(at + 2, end, 16, ret);
	case 'b':
		return digits(at + 2, end, 2, ret);
	case 'o':
		return digits(at + 2, end, 8, ret);
	}
	return digits(at + 1, end, 8, ret);
}

/* If the number of digits is odd, the first digit is a byte.  A build ID that
 * is too long is cut. */
static bool build_id(struct logs_text field, struct mk_element *e)
{
	size_t odd = field.size & 1;

	if (field.size == 0)
		return false;
	e->build_id_size = 0;
	e->build_id_digits = field;
	for (size_t i = 0; i < field.size + odd; i += 2) {
		unsigned high = i || !odd ? gsym_digit(field.at[i - odd]) : 0;
		unsigned low = gsym_digit(field.at[i - odd + 1]);

		if (high > 15 || low > 15)
			return false;
		if (e->build_id_size < MK_BUILD_ID)
			e->build_id[e->build_id_size++] =
				(uint8_t)(high << 4 | low);
	}
	return true;
}

/* Read some of "rwx", in this order and in either case. */
static bool mode(struct logs_text field, char *ret)
{
	static const char letters[] = "rwx";
	size_t at = 0, count = 0;

	for (int i = 0; i < 3; i++)
		if (at < field.size && (field.at[at] | 0x20) == letters[i]) {
			ret[count++] = letters[i];
			at++;
		}
	ret[count] = 0;
	return count && at == field.size;
}

/* ---- fields ---------------------------------------------------------- */

/* The functions below return false if the element is invalid, and set
 * e->error. */

static bool fail(struct mk_element *e, enum mk_fault fault, unsigned number,
		 const char *noun, const char *at)
{
	e->error = (struct mk_problem){
		.fault = fault,
		.number = number,
		.noun = noun,
		.at = at,
	};
	return false;
}

static bool bad_field(struct mk_element *e, unsigned which, enum mk_fault fault,
		      const char *noun)
{
	fail(e, fault, 0, noun, e->fields[which].at);
	e->error.found = e->fields[which];
	return false;
}

static bool at_least(struct mk_element *e, unsigned number)
{
	if (e->field_count >= number)
		return true;
	return fail(e, MK_AT_LEAST, number, NULL, e->tag.at + e->tag.size);
}

static bool at_most(struct mk_element *e, unsigned number)
{
	if (e->field_count > number)
		e->remark = (struct mk_problem){
			.fault = MK_AT_MOST,
			.number = number,
			.at = e->tag.at + e->tag.size,
		};
	return true;
}

static bool exactly(struct mk_element *e, unsigned number)
{
	if (e->field_count < number)
		return fail(e, MK_COUNT, number, NULL, e->tag.at + e->tag.size);
	at_most(e, number);
	if (e->remark.fault)
		e->remark.fault = MK_COUNT;
	return true;
}

static bool address(struct mk_element *e, unsigned which, bool llvm,
		    uint64_t *ret)
{
	return gsym_mk_address(e->fields[which], llvm, ret) ||
	       bad_field(e, which, MK_SCALAR, "address");
}

static bool code_kind(struct logs_text field, enum mk_code *ret)
{
	if (logs_is(field, "ra"))
		*ret = MK_RETURN;
	else if (logs_is(field, "pc"))
		*ret = MK_EXACT;
	else
		return false;
	return true;
}

/* The text from field WHICH to the end of the element, colons included. */
static struct logs_text rest_from(const struct mk_element *e, unsigned which)
{
	const char *at = e->fields[which].at;

	return logs_between(at, e->body.at + e->body.size);
}

/* Read field WHICH, if it exists: "ra" or "pc".  In our own style a bt element
 * may have a message after this field, or in its place. */
static bool code(struct mk_element *e, unsigned which, bool llvm)
{
	bool bt = e->kind == MK_BT;

	if (e->field_count <= which)
		return true;
	if (llvm) {
		/* llvm-symbolizer ignores it if another field follows. */
		return e->field_count != which + 1 ||
		       code_kind(e->fields[which], &e->code) ||
		       bad_field(e, which, MK_SCALAR, "PC type");
	}
	if (code_kind(e->fields[which], &e->code)) {
		if (e->field_count > which + 1 && bt) {
			e->message = rest_from(e, which + 1);
			e->remark.fault = MK_SOUND;
		}
		return true;
	}
	if (!bt)
		return bad_field(e, which, MK_SCALAR, "PC type");
	e->message = rest_from(e, which);
	e->remark.fault = MK_SOUND;
	return true;
}

/* The name of a module may hold colons: it ends before the last ":elf:". */
static void join_name(struct mk_element *e)
{
	const char *start = e->fields[1].at;
	const char *end = e->body.at + e->body.size;

	if (e->field_count > 2 && logs_is(e->fields[2], "elf") &&
	    e->field_count <= 4)
		return;
	for (const char *at = end; at - start >= 5; at--) {
		if (memcmp(at - 5, ":elf:", 5) != 0)
			continue;
		const char *id = at, *id_end = memchr(at, ':', end - at);

		e->fields[1].size = (size_t)(at - 5 - start);
		e->fields[2] = (struct logs_text){ at - 4, 3 };
		if (!id_end)
			id_end = end;
		e->fields[3] = logs_between(id, id_end);
		e->field_count = 4;
		for (at = id_end; at < end; at++)
			e->field_count += *at == ':';
		return;
	}
}

static bool parse_module(struct mk_element *e, bool llvm)
{
	if (!at_least(e, 3))
		return false;
	if (!llvm)
		join_name(e);
	if (!integer(e->fields[0], &e->id))
		return bad_field(e, 0, MK_SCALAR, "module ID");
	e->name = e->fields[1];
	if (!logs_is(e->fields[2], "elf"))
		return bad_field(e, 2, MK_MODULE_TYPE, NULL);
	return exactly(e, 4) && (build_id(e->fields[3], e) ||
				 bad_field(e, 3, MK_SCALAR, "build ID"));
}

static bool parse_mmap(struct mk_element *e, bool llvm)
{
	if (!at_least(e, 3) || !address(e, 0, llvm, &e->address))
		return false;
	if (!integer(e->fields[1], &e->size))
		return bad_field(e, 1, MK_SCALAR, "size");
	if (!logs_is(e->fields[2], "load"))
		return bad_field(e, 2, MK_MMAP_TYPE, NULL);
	if (!exactly(e, 6))
		return false;
	if (!integer(e->fields[3], &e->id))
		return bad_field(e, 3, MK_SCALAR, "module ID");
	if (!mode(e->fields[4], e->mode))
		return bad_field(e, 4, MK_SCALAR, "mode");
	e->late = !address(e, 5, llvm, &e->relative);
	return !e->late;
}

static bool parse_fields(struct mk_element *e, bool llvm)
{
	switch (e->kind) {
	case MK_NO_TAG:
		return fail(e, MK_LOWERCASE, 0, NULL, e->tag.at);
	case MK_SYMBOL:
		e->name = e->fields[0];
		return exactly(e, 1);
	case MK_DATA:
		return exactly(e, 1) && address(e, 0, llvm, &e->address);
	case MK_PC:
		return at_least(e, 1) && at_most(e, 2) &&
		       address(e, 0, llvm, &e->address) && code(e, 1, llvm);
	case MK_BT:
		if (!at_least(e, 2) || !at_most(e, 3))
			return false;
		if (!digits(e->fields[0].at,
			    e->fields[0].at + e->fields[0].size, 10,
			    &e->frame))
			return bad_field(e, 0, MK_SCALAR, "frame number");
		return address(e, 1, llvm, &e->address) && code(e, 2, llvm);
	case MK_DUMPFILE:
		if (llvm || !exactly(e, 2))
			return llvm;
		e->type = e->fields[0];
		e->name = e->fields[1];
		return true;
	case MK_RESET:
		return exactly(e, 0);
	case MK_MODULE:
		return parse_module(e, llvm);
	case MK_MMAP:
		return parse_mmap(e, llvm);
	default:
		return true;
	}
}

/* ---- elements -------------------------------------------------------- */

static enum mk_tag tag_kind(struct logs_text tag)
{
	static const struct {
		const char *name;
		enum mk_tag kind;
	} tags[] = {
		{ "bt", MK_BT },
		{ "pc", MK_PC },
		{ "symbol", MK_SYMBOL },
		{ "data", MK_DATA },
		{ "mmap", MK_MMAP },
		{ "module", MK_MODULE },
		{ "reset", MK_RESET },
		{ "hexdict", MK_HEXDICT },
		{ "dumpfile", MK_DUMPFILE },
	};

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (logs_is(tag, tags[i].name))
			return tags[i].kind;
	for (size_t i = 0; i < tag.size; i++)
		if (tag.at[i] < 'a' || tag.at[i] > 'z')
			return MK_NO_TAG;
	return MK_UNKNOWN;
}

static void split(struct mk_element *e, const char *at, const char *end)
{
	e->body = (struct logs_text){ end, 0 };
	e->field_count = 0;
	if (at == end)
		return;
	at++; /* the colon */
	e->body = logs_between(at, end);
	for (;;) {
		const char *colon = memchr(at, ':', (size_t)(end - at));
		const char *stop = colon ? colon : end;

		if (e->field_count < MK_FIELDS)
			e->fields[e->field_count] = logs_between(at, stop);
		e->field_count++;
		if (!colon)
			break;
		at = colon + 1;
	}
}

/* Set E to the element from OPENER to CLOSER; false if its tag is empty. */
static bool read_element(struct mk_element *e, const char *opener,
			 const char *closer, bool llvm)
{
	const char *start = opener + 3;
	const char *colon = memchr(start, ':', (size_t)(closer - start));

	if (!colon)
		colon = closer;
	e->whole = logs_between(opener, closer + 3);
	e->tag = logs_between(start, colon);
	if (e->tag.size == 0)
		return false;
	e->kind = tag_kind(e->tag);
	e->error.fault = e->remark.fault = MK_SOUND;
	e->late = false;
	e->code = MK_UNSUFFIXED;
	e->message.size = 0;
	if (e->kind > MK_NO_TAG)
		split(e, colon, closer);
	parse_fields(e, llvm);
	return true;
}

/* The last opener that ends at or before CLOSER. */
static const char *innermost(const char *opener, const char *closer)
{
	const char *found = opener;

	for (const char *at = closer - 1; at - opener >= 3; at--)
		if (at[0] == '{' && at[-1] == '{' && at[-2] == '{') {
			found = at - 2;
			break;
		}
	return found;
}

bool gsym_mk_next(struct mk_scanner *s, struct mk_element *e)
{
	while (!s->no_closer) {
		const char *opener =
			gsym_mk_find_opener(s->at, (size_t)(s->end - s->at));

		if (!opener)
			break;
		const char *closer = gsym_mk_find_closer(
			opener + 3, (size_t)(s->end - opener - 3));

		if (!closer) {
			s->no_closer = true;
			break;
		}
		s->at = closer + 3;
		bool named = read_element(e, opener, closer, s->llvm);

		if (!s->llvm && !(named && mk_valid(e))) {
			const char *inner = innermost(opener, closer);

			if (inner != opener)
				named = read_element(e, inner, closer, s->llvm);
		}
		if (named)
			return true;
	}
	return false;
}

void gsym_mk_explain(const struct mk_element *e, const struct mk_problem *p,
		     char *message, size_t size)
{
	switch (p->fault) {
	case MK_LOWERCASE:
		snprintf(message, size,
			 "tags must be all lowercase characters");
		break;
	case MK_COUNT:
	case MK_AT_LEAST:
	case MK_AT_MOST:
		snprintf(message, size, "expected %s%u field(s); found %zu",
			 p->fault == MK_AT_LEAST  ? "at least "
			 : p->fault == MK_AT_MOST ? "at most "
						  : "",
			 p->number, e->field_count);
		break;
	case MK_SCALAR:
		snprintf(message, size, "expected %s; found '%.*s'", p->noun,
			 p->found.size < 256 ? (int)p->found.size : 256,
			 p->found.at);
		break;
	case MK_MODULE_TYPE:
		snprintf(message, size, "unknown module type");
		break;
	case MK_MMAP_TYPE:
		snprintf(message, size, "unknown mmap type");
		break;
	case MK_SOUND:
		*message = 0;
		break;
	}
}
