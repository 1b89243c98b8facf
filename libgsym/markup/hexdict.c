/* SPDX-License-Identifier: MIT */
/* hexdict: the text stays as it is, and what its values may mean stands in
 * footnotes behind it. */
#include "config.h"

#include "markup/filter.h"

#include <inttypes.h>
#include <stdio.h>

/* An element that has not ended after so much is none; more footnotes are
 * not shown. */
enum { MOST_BYTES = 64 << 10, MOST_LINES = 256, MOST_NOTES = 1024 };

enum { OPENING = sizeof("{{{hexdict:") - 1 };

/* ---- pairs ----------------------------------------------------------- */

struct pair {
	struct gsym_mk_slice key;
	struct gsym_mk_slice value;
	uint64_t number;
};

/* A walk over the pairs of a body. */
struct pairs {
	struct gsym_markup *f;
	const char *at, *end;
	/** What each further line starts with; no key is in it. */
	struct gsym_mk_slice prefix;
	/** Each further line has a header; all of them differ, perhaps. */
	bool headers;
	/** The numbers of the lines behind the first; NULL: there is one. */
	const uint64_t *lines;
};

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Go over what the line at P has in front of its own. */
static void skip_start(struct pairs *p)
{
	size_t left = (size_t)(p->end - p->at);

	if (p->prefix.size && left >= p->prefix.size &&
	    memcmp(p->at, p->prefix.at, p->prefix.size) == 0) {
		p->at += p->prefix.size;
	} else if (p->headers) {
		const char *newline = memchr(p->at, '\n', left);

		p->at += gsym_mk_any_header(
			p->f, p->at,
			newline ? (size_t)(newline - p->at) : left);
	}
}

/* Go over blanks, and over what is in front of further lines. */
static void skip(struct pairs *p)
{
	while (p->at < p->end && is_blank(*p->at))
		if (*p->at++ == '\n')
			skip_start(p);
}

static bool value(struct pairs *p, struct pair *ret)
{
	const char *start = p->at;

	while (p->at < p->end && !is_blank(*p->at))
		p->at++;
	ret->value =
		(struct gsym_mk_slice){ start, (size_t)(p->at - start) };
	/* 0x and 16 digits at most, or zeros. */
	return (ret->value.size <= 18 || start[1] == '0') &&
	       gsym_mk_address(ret->value, true, &ret->number);
}

static bool next_pair(struct pairs *p, struct pair *ret)
{
	for (;;) {
		const char *start, *colon = NULL;

		skip(p);
		if (p->at == p->end)
			return false;
		for (start = p->at; p->at < p->end && !is_blank(*p->at);
		     p->at++)
			if (*p->at == ':') {
				colon = p->at++;
				break;
			}
		if (!colon || colon == start)
			continue;
		ret->key = (struct gsym_mk_slice){ start,
						   (size_t)(colon - start) };
		skip(p);
		struct pairs before = *p;

		if (value(p, ret))
			return true;
		/* It may be a key itself. */
		*p = before;
	}
}

/* ---- what a value means ---------------------------------------------- */

static bool key_is(struct gsym_mk_slice key, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == key.size &&
		    strncasecmp(*names, key.at, key.size) == 0)
			return true;
	return false;
}

static bool is_exact(struct gsym_mk_slice key)
{
	static const char *const names[] = { "RIP", "EIP", "PC",  "ELR",
					     "EPC", "NIP", "IP", NULL };

	return key_is(key, names);
}

static bool is_return(struct gsym_mk_slice key)
{
	static const char *const names[] = { "LR", "RA", "X30", NULL };

	return key_is(key, names);
}

struct meaning {
	const struct gsym_mk_mapping *mapping;
	uint64_t address;
	bool code;
	/** It is not certain that the value is code. */
	bool doubtful;
	bool named;
	/** The value is where the function starts. */
	bool start;
	struct gsym_markup_frame frame;
	struct gsym_markup_datum datum;
};

static bool find_meaning(struct gsym_markup *f, const struct pair *pair,
			 struct meaning *ret)
{
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	uint64_t address = pair->number;

	f->trouble.message[0] = 0;
	*ret = (struct meaning){ .mapping = gsym_mk_locate(f, &address) };
	if (!ret->mapping)
		return false;
	ret->address = address;
	ret->code = strchr(ret->mapping->mode, 'x') != NULL;
	if (ret->code) {
		ret->doubtful = !is_exact(pair->key) && !is_return(pair->key);
		if (is_return(pair->key) && ret->address)
			ret->address--;
		size_t count =
			gsym_mk_code(f, ret->mapping, ret->address, frames);
		ret->named = count > 0;
		if (count) {
			ret->frame = frames[0];
			ret->start = frames[count - 1].offset == 0;
			if (ret->start)
				ret->frame = frames[count - 1];
		}
		return true;
	}
	void *symbols = gsym_mk_symbols(f, ret->mapping->module);

	ret->named = symbols && f->host.data &&
		     f->host.data(f->host.context, symbols,
				  gsym_mk_relative(ret->mapping, address),
				  &ret->datum);
	return true;
}

static void put_name(struct gsym_markup *f, const char *name)
{
	const char *shown = gsym_mk_demangle(f, name);

	gsym_mk_value(f, shown, strlen(shown));
}

/* "code geo::leaf /src/demo/shape.cpp:8 (libshape.so+0x1130)" */
static void put_meaning(struct gsym_markup *f, const struct meaning *m)
{
	gsym_mk_puts(f, !m->code ? "data " : m->doubtful ? "code? " : "code ");
	if (m->named && m->code) {
		put_name(f, m->frame.function);
		if (!m->start)
			gsym_mk_place(f, " ", &m->frame);
		gsym_mk_puts(f, " ");
	} else if (m->named) {
		put_name(f, m->datum.name);
		if (m->datum.offset) {
			gsym_mk_puts(f, "+");
			gsym_mk_value_hex(f, m->datum.offset);
		}
		gsym_mk_puts(f, " ");
	}
	gsym_mk_puts(f, "(");
	gsym_mk_put_offset(f, m->mapping, m->address);
	gsym_mk_puts(f, ")");
}

/* ---- writing --------------------------------------------------------- */

/* Text of the body; in HTML each of its lines is one of the page. */
static void put_text(struct gsym_markup *f, const char *at, const char *end,
		     const uint64_t **lines)
{
	const char *newline;

	while (f->options.html && *lines &&
	       (newline = memchr(at, '\n', (size_t)(end - at)))) {
		gsym_mk_paint_plain(f, at, (size_t)(newline - at));
		gsym_mk_end_line(f, "\n");
		gsym_mk_begin_log_line(f, *(*lines)++);
		at = newline + 1;
	}
	gsym_mk_paint_plain(f, at, (size_t)(end - at));
}

/* The body with what its values mean beside them. */
static void put_inline(struct gsym_markup *f, struct pairs p)
{
	const char *from = p.at, *end = p.end;
	struct pair pair;
	struct meaning m;

	while (next_pair(&p, &pair)) {
		if (!find_meaning(f, &pair, &m))
			continue;
		const char *behind = pair.value.at + pair.value.size;

		if (f->options.html) {
			put_text(f, from, pair.value.at, &p.lines);
			gsym_mk_paint_begin(f, "hex", NULL);
			gsym_mk_paint_plain(f, pair.value.at, pair.value.size);
			gsym_mk_tip_begin(f);
			put_meaning(f, &m);
			f->tip_empty = false;
			gsym_mk_tip_end(f);
			gsym_mk_puts(f, "</span>");
		} else {
			gsym_mk_paint_plain(f, from,
					    (size_t)(behind - from));
			gsym_mk_puts(f, " ");
			gsym_mk_paint_begin(f, "hex", NULL);
			gsym_mk_puts(f, "<");
			put_meaning(f, &m);
			gsym_mk_puts(f, ">");
			gsym_mk_paint_end(f);
		}
		from = behind;
	}
	put_text(f, from, end, &p.lines);
}

/* In front of a body that waits for its footnotes. */
struct waiting {
	size_t prefix_size, size;
	bool headers;
};

/* The body of P; footnotes are noted for later. */
static void put_body(struct gsym_markup *f, struct pairs p)
{
	size_t size = (size_t)(p.end - p.at);

	gsym_mk_puts(f, "[[[hexdict:");
	if (f->options.html ||
	    f->options.hexdict == GSYM_MARKUP_HEXDICT_INLINE) {
		put_inline(f, p);
	} else {
		struct waiting w = { p.prefix.size, size, p.headers };

		gsym_mk_paint_plain(f, p.at, size);
		gsym_mk_append(f, &f->footnotes, (char *)&w, sizeof(w));
		gsym_mk_append(f, &f->footnotes, p.prefix.at, p.prefix.size);
		gsym_mk_append(f, &f->footnotes, p.at, size);
	}
	gsym_mk_puts(f, "]]]");
}

void gsym_mk_hexdict_one(struct gsym_markup *f,
			 const struct gsym_mk_element *e)
{
	const char *at = e->body.at, *end = at + e->body.size;

	put_body(f, (struct pairs){ .f = f, .at = at, .end = end });
}

/* One footnote: PAIRS[0], and all others that have the same value. */
static void put_note(struct gsym_markup *f, const struct pair *pairs,
		     size_t count, const struct meaning *m,
		     struct gsym_mk_slice header)
{
	gsym_mk_fresh_line(f);
	gsym_mk_begin_line(f);
	gsym_mk_paint_text(f, header.at, header.at + header.size);
	gsym_mk_puts(f, "    ");
	gsym_mk_paint_begin(f, "hex", NULL);
	for (size_t i = 0; i < count; i++) {
		if (pairs[i].number != pairs[0].number)
			continue;
		if (i)
			gsym_mk_puts(f, ", ");
		gsym_mk_value(f, pairs[i].key.at, pairs[i].key.size);
	}
	gsym_mk_puts(f, " ");
	gsym_mk_value_hex(f, pairs[0].number);
	gsym_mk_puts(f, " ");
	put_meaning(f, m);
	gsym_mk_paint_end(f);
	gsym_mk_end_line(f, f->line.crlf ? "\r\n" : "\n");
}

static void notes_of(struct gsym_markup *f, struct pairs p,
		     struct gsym_mk_slice header)
{
	struct {
		GSYM_VEC(struct pair);
	} all = { 0 };
	struct pair pair;
	struct meaning m;

	while (all.count < MOST_NOTES && next_pair(&p, &pair)) {
		struct pair *item = gsym_vec_push(&all);

		if (!item)
			break;
		*item = pair;
	}
	for (size_t i = 0; i < all.count; i++) {
		bool told = false;

		for (size_t j = 0; j < i && !told; j++)
			told = all.items[j].number == all.items[i].number;
		if (!told && find_meaning(f, &all.items[i], &m))
			put_note(f, &all.items[i], all.count - i, &m, header);
	}
	gsym_vec_fini(&all);
}

void gsym_mk_hexdict_notes(struct gsym_markup *f)
{
	struct gsym_mk_text text = f->footnotes;
	struct gsym_mk_text missing = { 0 };
	struct gsym_mk_slice header = { f->line.at, 0 };

	f->footnotes = missing;
	header.size = gsym_mk_line_header(f);
	/* A line that was cut off has no header of its own. */
	if (!f->line.first) {
		struct gsym_mk_text *prefix = &f->process->open.prefix;

		header = (struct gsym_mk_slice){
			prefix->count ? prefix->items : "", prefix->count };
	}
	for (size_t at = 0; !f->out_of_memory && at < text.count;) {
		struct pairs p = { .f = f };
		struct waiting w;

		memcpy(&w, text.items + at, sizeof(w));
		p.prefix = (struct gsym_mk_slice){
			text.items + at + sizeof(w), w.prefix_size };
		p.headers = w.headers;
		p.at = p.prefix.at + w.prefix_size;
		p.end = p.at + w.size;
		notes_of(f, p, header);
		at += sizeof(w) + w.prefix_size + w.size;
	}
	gsym_vec_fini(&text);
}

/* ---- over several lines ---------------------------------------------- */

/* Add the line at hand, from AT on, to O. */
static void add_line(struct gsym_markup *f, struct gsym_mk_open *o,
		     const char *at, bool ended)
{
	struct gsym_mk_line *l = &f->line;

	/* There is room for all that may come. */
	o->lines.items[o->lines.count++] = f->line_number;
	gsym_mk_append(f, &o->text, at, (size_t)(l->at + l->size - at));
	if (ended)
		gsym_mk_append(f, &o->text, l->ending, strlen(l->ending));
}

void gsym_mk_hexdict_start(struct gsym_markup *f, const char *opener)
{
	struct gsym_mk_process *p = f->process;
	struct gsym_mk_open *o = &p->open;
	struct gsym_mk_line *l = &f->line;
	size_t header = gsym_mk_line_header(f);

	o->lines.count = 0;
	if (!gsym_vec_reserve(&o->lines, MOST_LINES + 1)) {
		f->out_of_memory = true;
		return;
	}
	/* What is written of this line already waits with it. */
	gsym_mk_sgr_reset(f);
	o->head.count = o->text.count = o->prefix.count = 0;
	gsym_mk_append(f, &o->head, gsym_vec_from(&f->main, f->line_mark),
		       f->main.count - f->line_mark);
	f->main.count = f->line_mark;
	gsym_mk_append(f, &o->prefix, l->at,
		       header ? header : (size_t)(opener - l->at));
	add_line(f, o, opener, true);
	o->headers = header > 0;
	o->headed = header > 0;
	o->since = f->now;
	o->active = true;
	gsym_mk_count_waiting(f, p);
}

/* The bytes of text as lines of their own, which they were. */
static void put_as_text(struct gsym_markup *f, const struct gsym_mk_open *o)
{
	const char *at = o->text.items, *end = at + o->text.count;
	size_t line = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		gsym_mk_paint_text(f, at, newline ? newline : end);
		gsym_mk_end_line(f, newline ? "\n" : "");
		at = newline ? newline + 1 : end;
		if (at < end)
			gsym_mk_begin_log_line(f, o->lines.items[++line]);
	}
}

void gsym_mk_hexdict_give_up(struct gsym_markup *f,
			     struct gsym_mk_process *p)
{
	struct gsym_mk_open *o = &p->open;
	struct gsym_mk_text *out = f->out;

	if (!o->active)
		return;
	gsym_mk_end_block(f, p);
	f->out = &f->main;
	gsym_mk_fresh_line(f);
	gsym_mk_put(f, o->head.items, o->head.count);
	put_as_text(f, o);
	f->out = out;
	o->active = false;
	gsym_mk_count_waiting(f, p);
	gsym_vec_fini(&o->text);
	gsym_vec_fini(&o->head);
	gsym_vec_fini(&o->lines);
	f->line_mark = f->main.count;
}

/* Whether every line of TEXT behind the first starts with PREFIX. */
static bool repeats(const struct gsym_mk_text *text,
		    const struct gsym_mk_text *prefix, const char *last,
		    size_t last_size)
{
	const char *at = text->items, *end = at + text->count;

	if (!prefix->count || last_size < prefix->count ||
	    memcmp(last, prefix->items, prefix->count) != 0)
		return false;
	while ((at = memchr(at, '\n', (size_t)(end - at))) && ++at < end)
		if ((size_t)(end - at) < prefix->count ||
		    memcmp(at, prefix->items, prefix->count) != 0)
			return false;
	return true;
}

/* The element ends with SIZE bytes of the line at hand. */
static void end_element(struct gsym_markup *f, size_t size)
{
	struct gsym_mk_open *o = &f->process->open;
	struct gsym_mk_line *l = &f->line;
	bool repeated = repeats(&o->text, &o->prefix, l->at, l->size);
	bool headers = o->headers && gsym_mk_line_header(f);

	gsym_mk_end_block(f, f->process);
	size_t whole = l->size;

	l->size = size;
	add_line(f, o, l->at, false);
	l->size = whole;
	o->active = false;
	gsym_mk_count_waiting(f, f->process);
	gsym_mk_put(f, o->head.items, o->head.count);

	struct pairs p = {
		.f = f,
		.at = o->text.items + OPENING,
		.end = o->text.items + o->text.count - 3,
		.headers = headers,
		.lines = o->lines.items + 1,
	};
	if (repeated)
		p.prefix = (struct gsym_mk_slice){ o->prefix.items,
						   o->prefix.count };
	/* Footnotes repeat what is a header, not any text. */
	if (!repeated && !o->headed)
		o->prefix.count = 0;
	put_body(f, p);
	l->at += size;
	l->size -= size;
	l->first = false;
}

bool gsym_mk_hexdict_line(struct gsym_markup *f)
{
	struct gsym_mk_process *p = f->process;
	struct gsym_mk_open *o = &p->open;
	struct gsym_mk_line *l = &f->line;
	const char *closer = gsym_mk_find_closer(l->at, l->size);

	if (closer && o->text.count + (size_t)(closer + 3 - l->at) <=
			      MOST_BYTES) {
		end_element(f, (size_t)(closer + 3 - l->at));
		return false;
	}
	if (closer || !l->final || o->lines.count >= MOST_LINES ||
	    o->text.count + l->size > MOST_BYTES) {
		gsym_mk_hexdict_give_up(f, p);
		return false;
	}
	o->headers = o->headers && gsym_mk_line_header(f);
	add_line(f, o, l->at, true);
	return true;
}
