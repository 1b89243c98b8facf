/* SPDX-License-Identifier: MIT */
/* Reads the symbols of Plan 9's symbol tables, in all dialects of Go. */
#include "aout/plan9_symbols.h"

/* The first bytes of symbol tables of Go 1.0 and 1.1. */
static const uint8_t go_1_0_little[] = { 0xfe, 0xff, 0xff, 0xff, 0, 0 };
static const uint8_t go_1_1_little[] = { 0xfd, 0xff, 0xff, 0xff, 0, 0, 0 };
static const uint8_t go_1_1_big[] = { 0xff, 0xff, 0xff, 0xfd, 0, 0, 0 };

/* Read a path: pairs of bytes up to one of zeros. */
static void read_path(struct gsym_cursor *c, struct plan9_symbol *s)
{
	gsym_cursor_skip(c, 1);
	s->bytes = c->at;
	for (s->count = 0;; s->count++) {
		const uint8_t *pair = gsym_cursor_bytes(c, 2);

		if (!pair || (!pair[0] && !pair[1]))
			return;
	}
}

static void read_name(struct gsym_cursor *c, struct plan9_symbol *s)
{
	if (s->kind == 'z' || s->kind == 'Z') {
		read_path(c, s);
		return;
	}
	s->bytes = (const uint8_t *)gsym_cursor_string(c);
	s->count = c->failed ? 0 : (size_t)(c->at - s->bytes) - 1;
}

/* Read a symbol of Go 1.1, whose first byte has its kind and tells which fields
 * follow. */
static bool read_go_1_1(struct plan9_reader *r, struct plan9_symbol *s)
{
	enum { FIXED = 0x40, TYPED = 0x80, KIND = 0x3f };
	struct gsym_cursor *c = &r->cursor;
	uint8_t first = gsym_cursor_u8(c);
	unsigned kind = first & KIND;

	if (kind >= 52)
		return false;
	s->kind = (char)(kind < 26 ? 'A' + kind : 'a' + (kind - 26));
	s->value = first & FIXED ? gsym_cursor_uint(c, r->pointer_size)
				 : gsym_cursor_uleb(c);
	if (first & TYPED)
		gsym_cursor_skip(c, r->pointer_size);
	read_name(c, s);
	return !c->failed;
}

static bool is_name(const struct plan9_symbol *s, const char *name)
{
	return s->count == strlen(name) && !memcmp(s->bytes, name, s->count);
}

bool gsym_plan9_is_end(const struct plan9_symbol *s)
{
	return is_name(s, "etext") || is_name(s, "runtime.etext") ||
	       is_name(s, "runtime\302\267etext");
}

static bool is_kind(char kind)
{
	return kind && strchr("TtLlDdBbRrUMGgfzZmpa", kind);
}

bool gsym_plan9_next(struct plan9_reader *r, struct plan9_symbol *s)
{
	struct gsym_cursor *c = &r->cursor;
	uint8_t kind;

	if (c->failed || !gsym_cursor_left(c))
		return false;
	if (r->dialect == PLAN9_GO_1_1)
		return read_go_1_1(r, s);
	s->value = r->dialect == PLAN9_64 ? gsym_cursor_u64(c)
					  : gsym_cursor_u32(c);
	kind = gsym_cursor_u8(c);
	s->kind = (char)(kind & 0x7f);
	if (!(kind & 0x80) || !is_kind(s->kind)) {
		gsym_cursor_fail(c);
		return false;
	}
	read_name(c, s);
	if (r->dialect == PLAN9_2008)
		gsym_cursor_string(c);
	else if (r->dialect == PLAN9_GO_1_0 ||
		 r->dialect == PLAN9_GO_1_0_LITTLE)
		gsym_cursor_skip(c, 4);
	return !c->failed;
}

static void start(const struct gsym_plan9 *p, enum plan9_dialect dialect,
		  struct plan9_reader *r)
{
	bool big = dialect != PLAN9_GO_1_0_LITTLE;

	*r = (struct plan9_reader){
		.cursor = gsym_cursor_init(p->symbols, p->symbol_size,
					   big != GSYM_HOST_BIG_ENDIAN),
		.dialect = dialect,
	};
	if (dialect == PLAN9_GO_1_0_LITTLE)
		gsym_cursor_skip(&r->cursor, sizeof(go_1_0_little));
}

static bool begins_with(const struct gsym_plan9 *p, const uint8_t *bytes,
			size_t size)
{
	return p->symbol_size > size && !memcmp(p->symbols, bytes, size);
}

bool gsym_plan9_open(const struct gsym_plan9 *p, struct plan9_reader *r)
{
	static const enum plan9_dialect all[] = { PLAN9_2008, PLAN9_GO_1_0,
						  PLAN9_32, PLAN9_64 };
	bool big = begins_with(p, go_1_1_big, sizeof(go_1_1_big));

	if (p->dialect != PLAN9_ANY) {
		start(p, p->dialect, r);
		return true;
	}
	if (begins_with(p, go_1_0_little, sizeof(go_1_0_little))) {
		start(p, PLAN9_GO_1_0_LITTLE, r);
		return true;
	}
	if (big || begins_with(p, go_1_1_little, sizeof(go_1_1_little))) {
		start(p, PLAN9_GO_1_1, r);
		r->cursor.swap = big != GSYM_HOST_BIG_ENDIAN;
		gsym_cursor_skip(&r->cursor, 7);
		r->pointer_size = gsym_cursor_u8(&r->cursor);
		return r->pointer_size == 4 || r->pointer_size == 8;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct plan9_symbol symbol;

		start(p, all[i], r);
		while (gsym_plan9_next(r, &symbol))
			;
		if (!r->cursor.failed && !gsym_cursor_left(&r->cursor)) {
			start(p, all[i], r);
			return true;
		}
	}
	return false;
}
