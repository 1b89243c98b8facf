/* SPDX-License-Identifier: MIT */
/* Elements hexdict: collects their lines, and adds what the values mean. */
#include "config.h"

#include "render/scene.h"

/* An element of more than MOST_BYTES or MOST_LINES is text.  Pairs after the
 * first MOST_NOTES get no footnote. */
#define MOST_BYTES (gsym_mk_patience(MK_FOR_ELEMENT).bytes)
#define MOST_LINES (gsym_mk_patience(MK_FOR_ELEMENT).lines)
#define MOST_NOTES GSYM_LIMIT(1024u, 1)

enum { OPENING = sizeof("{{{hexdict:") - 1 };

/* ---- pairs ----------------------------------------------------------- */

/* "KEY: 0x1234" */
struct pair {
	struct logs_text key;
	struct logs_text value;
	uint64_t number;
};

/* A walk over the pairs of the body of an element. */
struct pairs {
	const struct mk_headers *kinds;
	const char *at, *end;
	/** The prefix that all lines but the first start with; it is
	 * skipped. */
	struct logs_text prefix;
	/** All lines start with headers, which may differ; they are skipped. */
	bool headers;
	/** The numbers of all lines but the first; NULL: there is only one
	 *  line. */
	const uint64_t *lines;
};

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* At the start of a line: step over its prefix or header. */
static void skip_start(struct pairs *p)
{
	size_t left = (size_t)(p->end - p->at);

	if (p->prefix.size && left >= p->prefix.size &&
	    memcmp(p->at, p->prefix.at, p->prefix.size) == 0) {
		p->at += p->prefix.size;
	} else if (p->headers) {
		const char *newline = memchr(p->at, '\n', left);

		p->at += gsym_mk_any_header(p->kinds, p->at,
					    newline ? (size_t)(newline - p->at)
						    : left);
	}
}

/* Go over white space, line ends and starts of lines. */
static void skip(struct pairs *p)
{
	while (p->at < p->end && is_blank(*p->at))
		if (*p->at++ == '\n')
			skip_start(p);
}

/* Read a value; false if it is no address. */
static bool value(struct pairs *p, struct pair *ret)
{
	const char *start = p->at;

	while (p->at < p->end && !is_blank(*p->at))
		p->at++;
	ret->value = logs_between(start, p->at);
	/* At most 0x and 16 digits, or any number of zeros. */
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
		ret->key = logs_between(start, colon);
		skip(p);
		struct pairs before = *p;

		if (value(p, ret))
			return true;
		/* A text that is no value may be the next key. */
		*p = before;
	}
}

/* ---- what a value means ---------------------------------------------- */

static bool key_is(struct logs_text key, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == key.size &&
		    strncasecmp(*names, key.at, key.size) == 0)
			return true;
	return false;
}

/* Registers with an exact address of code, and with a return address. */
static const char *const exact[] = { "RIP", "EIP", "PC", "ELR",
				     "EPC", "NIP", "IP", NULL };
static const char *const returns[] = { "LR", "RA", "X30", NULL };

struct meaning {
	const struct mk_mapping *mapping;
	/** The address to look up: for a return address the last byte of the
	 * call. */
	uint64_t address;
	/** CODE: the mapping is executable.  DOUBTFUL: the key is no register
	 *  that holds code addresses. */
	bool code, doubtful;
	/** LEVEL is set for code, DATUM otherwise. */
	bool named;
	/** ADDRESS is where the function of LEVEL starts. */
	bool start;
	struct mk_level *level;
	struct gsym_markup_datum datum;
};

/* Set the level of M: the innermost one; if the outermost function starts at
 * the address, that one. */
static void find_code(struct scene *s, struct meaning *m)
{
	struct mk_levels l = gsym_mk_code(s->host, m->mapping, m->address);

	m->named = l.count > 0;
	if (!l.count)
		return;
	m->start = l.items[l.count - 1].frame.offset == 0;
	m->level = &l.items[m->start ? l.count - 1 : 0];
}

/* Find the meaning of the value of PAIR; false if no mapping covers it. */
static bool find_meaning(struct scene *s, const struct pair *pair,
			 struct meaning *ret)
{
	uint64_t address = pair->number;

	s->host->out->page->trouble.message[0] = 0;
	*ret = (struct meaning){ .mapping = gsym_mk_locate(
					 s->processes, s->line->process,
					 s->host->options, &address) };
	if (!ret->mapping)
		return false;
	ret->address = address;
	ret->code = strchr(ret->mapping->mode, 'x') != NULL;
	if (ret->code) {
		const bool is_return = key_is(pair->key, returns);

		ret->doubtful = !is_return && !key_is(pair->key, exact);
		ret->address -= is_return && ret->address;
		find_code(s, ret);
	} else {
		ret->named = gsym_mk_data(s->host, ret->mapping, address,
					  &ret->datum);
	}
	return true;
}

static void put_name(struct scene *s, struct mk_out *o, const char *name)
{
	const char *shown = gsym_mk_demangle(s->host, name);

	gsym_mk_value(o, shown, strlen(shown));
}

/* "code geo::leaf /src/demo/shape.cpp:8 (libshape.so+0x1130)" */
static void put_meaning(struct scene *s, struct mk_out *o,
			const struct meaning *m)
{
	mk_puts(o, !m->code ? "data " : m->doubtful ? "code? " : "code ");
	if (m->named && m->code) {
		put_name(s, o, m->level->frame.function);
		if (!m->start)
			gsym_render_put_place(s->host, o, " ", m->level);
		mk_puts(o, " ");
	} else if (m->named) {
		put_name(s, o, m->datum.name);
		if (m->datum.offset) {
			mk_puts(o, "+");
			gsym_mk_value_hex(o, m->datum.offset);
		}
		mk_puts(o, " ");
	}
	mk_puts(o, "(");
	gsym_render_put_offset(o, m->mapping, m->address);
	mk_puts(o, ")");
}

/* ---- writing --------------------------------------------------------- */

/* Write AT to END.  In HTML each line has an element of its own, with the
 * line's number from LINES. */
static void put_text(struct mk_out *o, const char *at, const char *end,
		     const uint64_t **lines)
{
	const char *newline;

	while (o->html && *lines &&
	       (newline = memchr(at, '\n', (size_t)(end - at)))) {
		gsym_mk_paint_plain(o, at, (size_t)(newline - at));
		gsym_mk_end_line(o, "\n");
		mk_begin_log_line(o, *(*lines)++);
		at = newline + 1;
	}
	gsym_mk_paint_plain(o, at, (size_t)(end - at));
}

/* The value of PAIR as an element of HTML, with M as its details. */
static void put_detailed(struct scene *s, struct mk_out *o,
			 const struct pair *pair, const struct meaning *m)
{
	gsym_mk_paint_begin(o, "hex", NULL);
	gsym_mk_paint_plain(o, pair->value.at, pair->value.size);
	gsym_render_tip_begin(o);
	put_meaning(s, o, m);
	o->page->tip_empty = false;
	gsym_render_tip_end(o);
	mk_puts(o, "</span>");
}

static void put_remark(struct scene *s, struct mk_out *o,
		       const struct meaning *m)
{
	mk_puts(o, " ");
	gsym_mk_paint_begin(o, "hex", NULL);
	mk_puts(o, "<");
	put_meaning(s, o, m);
	mk_puts(o, ">");
	gsym_mk_paint_end(o);
}

/* Write the body P with the meaning of each value after the value. */
static void put_inline(struct scene *s, struct mk_out *o, struct pairs p)
{
	const char *from = p.at, *end = p.end;
	struct pair pair;
	struct meaning m;

	while (next_pair(&p, &pair)) {
		if (!find_meaning(s, &pair, &m))
			continue;
		const char *after = pair.value.at + pair.value.size;

		if (o->html) {
			put_text(o, from, pair.value.at, &p.lines);
			put_detailed(s, o, &pair, &m);
		} else {
			gsym_mk_paint_plain(o, from, (size_t)(after - from));
			put_remark(s, o, &m);
		}
		from = after;
	}
	put_text(o, from, end, &p.lines);
}

/* In s->footnotes: this struct, the prefix, and the body of an element. */
struct waiting {
	size_t prefix_size, size;
	bool headers;
};

static void keep_body(struct scene *s, const struct pairs *p)
{
	size_t size = (size_t)(p->end - p->at);
	struct waiting w = { p->prefix.size, size, p->headers };

	mk_append(s->host->out, &s->footnotes, (char *)&w, sizeof(w));
	mk_append(s->host->out, &s->footnotes, p->prefix.at, p->prefix.size);
	mk_append(s->host->out, &s->footnotes, p->at, size);
}

/* Write the body P, and keep it for its footnotes. */
static void put_body(struct scene *s, struct mk_out *o, struct pairs p)
{
	mk_puts(o, "[[[hexdict:");
	if (o->html ||
	    s->host->options->hexdict == GSYM_MARKUP_HEXDICT_INLINE) {
		put_inline(s, o, p);
	} else {
		gsym_mk_paint_plain(o, p.at, (size_t)(p.end - p.at));
		keep_body(s, &p);
	}
	mk_puts(o, "]]]");
}

void gsym_render_hexdict_one(struct scene *s, struct mk_out *o,
			     const struct mk_element *e)
{
	const char *at = e->body.at, *end = at + e->body.size;

	put_body(s, o,
		 (struct pairs){ .kinds = s->headers, .at = at, .end = end });
}

/* Write the footnote of PAIRS[0], whose meaning is M, and of all other of the
 * COUNT pairs with the same value.  HEADER is the start of the line. */
static void put_note(struct scene *s, const struct pair *pairs, size_t count,
		     const struct meaning *m, struct logs_text header)
{
	struct mk_out *o = s->host->out;

	gsym_mk_fresh_line(o);
	gsym_mk_begin_line(o);
	gsym_mk_paint_text(o, header.at, header.at + header.size);
	mk_puts(o, "    ");
	gsym_mk_paint_begin(o, "hex", NULL);
	for (size_t i = 0; i < count; i++) {
		if (pairs[i].number != pairs[0].number)
			continue;
		if (i)
			mk_puts(o, ", ");
		gsym_mk_value(o, pairs[i].key.at, pairs[i].key.size);
	}
	mk_puts(o, " ");
	gsym_mk_value_hex(o, pairs[0].number);
	mk_puts(o, " ");
	put_meaning(s, o, m);
	gsym_mk_paint_end(o);
	gsym_mk_end_line(o, mk_newline(s->line));
}

static void notes_of(struct scene *s, struct pairs p, struct logs_text header)
{
	struct {
		GSYM_VEC(struct pair);
	} all = { 0 };
	struct pair pair;
	struct meaning m;

	while (all.count < MOST_NOTES && next_pair(&p, &pair)) {
		struct pair *item = gsym_vec_push(&all);

		if (!item) {
			s->host->out->out_of_memory = true;
			break;
		}
		*item = pair;
	}
	for (size_t i = 0; i < all.count; i++) {
		bool told = false;

		for (size_t j = 0; j < i && !told; j++)
			told = all.items[j].number == all.items[i].number;
		if (!told && find_meaning(s, &all.items[i], &m))
			put_note(s, &all.items[i], all.count - i, &m, header);
	}
	gsym_vec_fini(&all);
}

/* Bytes of the start of the line at hand that footnotes repeat: its header,
 * and a word like "physboot: " between the header and OPENER. */
static size_t start_size(struct scene *s, const char *opener)
{
	size_t header = render_line_header(s);
	const char *at = s->line->at + header;
	const char *blank = opener > at ? memchr(at, ' ', opener - at) : NULL;

	if (!blank || blank + 1 != opener || blank == at || blank[-1] != ':' ||
	    opener - s->line->at > MK_MAX_HEADER)
		return header;
	return (size_t)(opener - s->line->at);
}

void gsym_render_hexdict_notes(struct scene *s)
{
	struct mk_text text = s->footnotes;
	const char *opener = gsym_mk_find_opener(s->line->at, s->line->size);
	struct logs_text header = { s->line->at, 0 };

	/* A footnote never gets footnotes of its own. */
	s->footnotes = (struct mk_text){ 0 };
	header.size = start_size(s, opener ? opener : s->line->at);
	/* The line at hand is the rest of the line in which the element
	 * ended. */
	if (!s->line->first) {
		struct mk_text *prefix = &s->line->process->unended.prefix;

		header = (struct logs_text){ prefix->count ? prefix->items : "",
					     prefix->count };
	}
	for (size_t at = 0; !s->host->out->out_of_memory && at < text.count;) {
		struct pairs p = { .kinds = s->headers };
		struct waiting w;

		memcpy(&w, text.items + at, sizeof(w));
		p.prefix = (struct logs_text){ text.items + at + sizeof(w),
					       w.prefix_size };
		p.headers = w.headers;
		p.at = p.prefix.at + w.prefix_size;
		p.end = p.at + w.size;
		notes_of(s, p, header);
		at += sizeof(w) + w.prefix_size + w.size;
	}
	gsym_vec_fini(&text);
}

/* ---- over several lines ---------------------------------------------- */

/* Add the line at hand, from AT on, to O. */
static void add_line(struct scene *s, struct mk_unended *o, const char *at,
		     bool ended)
{
	struct mk_line *l = s->line;

	/* gsym_render_hexdict_start made room for MOST_LINES. */
	o->lines.items[o->lines.count++] = s->line->number;
	mk_append(s->host->out, &o->text, at, (size_t)(l->at + l->size - at));
	if (ended)
		mk_append(s->host->out, &o->text, l->ending, strlen(l->ending));
}

void gsym_render_hexdict_start(struct scene *s, const char *opener)
{
	struct mk_process *p = s->line->process;
	struct mk_unended *o = &p->unended;
	struct mk_line *l = s->line;
	struct mk_out *out = s->host->out;
	size_t header = render_line_header(s);

	o->lines.count = 0;
	if (!gsym_vec_reserve(&o->lines, MOST_LINES + 1)) {
		s->host->out->out_of_memory = true;
		return;
	}
	/* The output for the start of the line is kept with the element. */
	gsym_mk_sgr_reset(out);
	o->head.count = o->text.count = o->prefix.count = 0;
	mk_append(s->host->out, &o->head,
		  gsym_vec_from(&out->text, out->complete),
		  out->text.count - out->complete);
	out->text.count = out->complete;
	mk_append(s->host->out, &o->prefix, l->at,
		  header ? start_size(s, opener) : (size_t)(opener - l->at));
	add_line(s, o, opener, true);
	o->headers = header > 0;
	o->headed = header > 0;
	o->since = s->line->came;
	out->page->within |= s->line->continued || l->within;
	o->state = MK_UNENDED;
	gsym_mk_process_changed(s->processes, p);
}

/* Whether LAST and all lines of TEXT but the first start with PREFIX. */
static bool repeats(const struct mk_text *text, const struct mk_text *prefix,
		    const char *last, size_t last_size)
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

/* End the element, which ends after SIZE bytes of the line at hand.  The rest
 * of the line becomes the line at hand. */
static void end_element(struct scene *s, size_t size)
{
	struct mk_unended *o = &s->line->process->unended;
	struct mk_line *l = s->line;
	bool repeated = repeats(&o->text, &o->prefix, l->at, l->size);
	bool headers = o->headers && render_line_header(s);
	size_t whole = l->size;
	bool passed = o->state == MK_PASSED;

	if (passed)
		gsym_render_write_held(s);
	else
		gsym_render_write_before(s, s->line->process);
	l->size = size;
	add_line(s, o, l->at, false);
	l->size = whole;
	/* The text of the element is incomplete. */
	if (s->host->out->out_of_memory) {
		gsym_render_give_up(s, s->line->process);
		return;
	}
	o->state = MK_NO_ELEMENT;
	/* Its output is not written before that of the rest of the line, in
	 * which another element may begin. */
	l->within = s->host->out->page->within;
	s->host->out->page->within = false;
	gsym_mk_process_changed(s->processes, s->line->process);

	struct pairs p = {
		.kinds = s->headers,
		.at = o->text.items + OPENING,
		.end = o->text.items + o->text.count - 3,
		.headers = headers,
		.lines = o->lines.items + 1,
	};
	if (repeated)
		p.prefix = mk_all(&o->prefix);
	/* Footnotes repeat the prefix if it is a header, not other text. */
	if (!repeated && !o->headed)
		o->prefix.count = 0;
	if (passed) {
		mk_begin_log_line(s->host->out, s->line->number);
		gsym_mk_paint_text(s->host->out, l->at, l->at + size);
		keep_body(s, &p);
	} else {
		mk_put(s->host->out, o->head.items, o->head.count);
		put_body(s, s->host->out, p);
	}
	l->at += size;
	l->size -= size;
	l->first = false;
}

bool gsym_render_hexdict_line(struct scene *s)
{
	struct mk_process *p = s->line->process;
	struct mk_unended *o = &p->unended;
	struct mk_line *l = s->line;
	const char *closer = gsym_mk_find_closer(l->at, l->size);

	if (closer &&
	    o->text.count + (size_t)(closer + 3 - l->at) <= MOST_BYTES) {
		end_element(s, (size_t)(closer + 3 - l->at));
		return false;
	}
	if (closer || !l->final || o->lines.count >= MOST_LINES ||
	    o->text.count + l->size > MOST_BYTES) {
		gsym_render_give_up(s, p);
		return false;
	}
	o->headers = o->headers && render_line_header(s);
	add_line(s, o, l->at, true);
	if (o->state == MK_PASSED) {
		gsym_render_write_held(s);
		mk_begin_log_line(s->host->out, s->line->number);
		gsym_mk_paint_text(s->host->out, l->at, l->at + l->size);
		gsym_mk_end_line(s->host->out, l->ending);
	}
	return true;
}
