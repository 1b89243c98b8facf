/* SPDX-License-Identifier: MIT */
/* Lines with elements, in our own way: nothing is lost.  What is not a valid
 * element of ours stays as it is; of a line that describes memory only those
 * elements are cut, and the line goes only if nothing is left of it. */
#include "config.h"

#include "markup/filter.h"

/* Is there nothing to see in AT to END? */
static bool blank(const char *at, const char *end)
{
	while (at < end) {
		size_t escape = gsym_mk_sgr_length(at, end);

		if (escape)
			at += escape;
		else if (*at == ' ' || (*at >= '\t' && *at <= '\r'))
			at++;
		else
			return false;
	}
	return true;
}

/* A piece of text was left over in a line with contextual elements. */
struct left_over {
	/** Bytes that the line starts with, in front of its first element,
	 *  and that may be a header. */
	size_t lead;
	bool visible;
};

/* FOLLOWED says that an element comes behind END. */
static void look_at(struct gsym_markup *f, struct left_over *l,
		    const char *at, const char *end, bool followed)
{
	size_t header = gsym_mk_line_header(f);

	if (l->visible)
		return;
	if (at < f->line.at + header)
		at = f->line.at + header < end ? f->line.at + header : end;
	if (blank(at, end))
		return;
	if (followed && !header && at == f->line.at && end - at > 2 &&
	    end - at <= GSYM_MK_MAX_HEADER &&
	    memcmp(end - 2, ": ", 2) == 0)
		l->lead = (size_t)(end - at);
	else
		l->visible = true;
}

static bool same(const struct gsym_mk_text *text, const char *at, size_t size)
{
	return text->count == size &&
	       (size == 0 || memcmp(text->items, at, size) == 0);
}

/* The line consists of elements, and of SIZE bytes in front that end with a
 * colon.  If another line starts the same, they are a header. */
static bool keep_lead(struct gsym_markup *f, size_t size)
{
	struct gsym_mk_process *p = f->process;
	struct gsym_mk_block *b = &p->block;

	if (same(&b->lead, f->line.at, size)) {
		p->prefix.count = 0;
		gsym_mk_append(f, &p->prefix, f->line.at, size);
		b->lead.count = 0;
		return true;
	}
	if (b->lead.count)
		return false;

	b->lead_crlf = f->line.crlf;
	gsym_mk_append(f, &b->lead, f->line.at, size);
	gsym_mk_count_waiting(f, p);
	return true;
}

/* ---- elements -------------------------------------------------------- */

bool gsym_mk_unknown_module(struct gsym_markup *f,
			    const struct gsym_mk_element *e)
{
	if (e->kind != GSYM_MK_MMAP ||
	    gsym_mk_module_find(&f->process->context, e->id))
		return false;
	gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[3].at,
		    "unknown module ID");
	return true;
}

static bool usable(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	if (e->kind <= GSYM_MK_NO_TAG ||
	    (e->late && gsym_mk_unknown_module(f, e)))
		return false;
	if (e->error.fault) {
		gsym_mk_say_problem(f, e, &e->error, GSYM_MARKUP_ERROR);
		return false;
	}
	if (e->remark.fault)
		gsym_mk_say_problem(f, e, &e->remark, GSYM_MARKUP_NOTE);
	return !gsym_mk_unknown_module(f, e);
}

void gsym_mk_surround(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	static const char blanks[] = "                                        "
				     "                                        ";
	struct gsym_mk_line *l = &f->line;
	const char *behind = e->whole.at + e->whole.size;
	const char *end = l->at + l->size, *from = l->before;

	if (f->options.style == GSYM_MARKUP_STYLE_FUCHSIA) {
		size_t left = (size_t)(end - behind);
		const char *next = gsym_mk_find_opener(behind, left);

		/* What stands in front of a further frame is a part of that
		 * one's line. */
		if (memmem(behind, left, "{{{bt:", 6))
			next = behind;
		l->lead = (struct gsym_mk_slice){
			from, (size_t)(e->whole.at - from) };
		l->tail = (struct gsym_mk_slice){
			behind, (size_t)((next ? next : end) - behind) };
		return;
	}
	size_t size = gsym_mk_line_header(f);
	const char *body = l->at + size;

	/* Blanks between the header and the element belong to it. */
	if (e->whole.at > body && blank(body, e->whole.at))
		size = (size_t)(e->whole.at - l->at);
	l->lead = (struct gsym_mk_slice){ l->at, size };
	if (f->options.indent)
		l->lead = (struct gsym_mk_slice){
			blanks,
			size < sizeof(blanks) ? size : sizeof(blanks) - 1,
		};
}

/* Everything up to the end of the line.  Returns where an element starts
 * that does not end here, or NULL. */
static const char *walk(struct gsym_markup *f, struct left_over *left)
{
	struct gsym_mk_line *l = &f->line;
	const char *from = l->at, *end = l->at + l->size;
	struct gsym_mk_scanner s = { .at = from, .end = end };
	struct gsym_mk_element e;

	while (gsym_mk_next(&s, &e)) {
		const char *behind = e.whole.at + e.whole.size;

		f->trouble.message[0] = 0;
		bool good = usable(f, &e);

		if (left)
			look_at(f, left, from, e.whole.at, true);
		/* Fuchsia's way: each frame ends a line. */
		if (good && e.kind == GSYM_MK_BT &&
		    f->options.style == GSYM_MARKUP_STYLE_FUCHSIA) {
			if (l->framed)
				gsym_mk_break_line(f);
			l->framed = true;
		}
		gsym_mk_paint_text(f, from, e.whole.at);
		l->before = from;
		from = behind;
		if (good && gsym_mk_contextual(&e) && gsym_mk_apply(f, &e))
			continue;
		if (left)
			left->visible = true;
		if (!good || !gsym_mk_present(f, &e))
			gsym_mk_span_text(f, &e);
	}
	const char *open = NULL;
	if (s.no_closer && l->final &&
	    f->options.hexdict != GSYM_MARKUP_HEXDICT_OFF)
		open = memmem(s.at, (size_t)(end - s.at), "{{{hexdict:", 11);
	if (open)
		end = open;
	if (left)
		look_at(f, left, from, end, false);
	gsym_mk_paint_text(f, from, end);
	return open;
}

/* ---- lines ----------------------------------------------------------- */

static void finish_line(struct gsym_markup *f)
{
	if (!f->line.final)
		return;
	gsym_mk_end_line(f, f->line.ending);
	if (f->footnotes.count)
		gsym_mk_hexdict_notes(f);
}

static void ordinary_line(struct gsym_markup *f, bool begun)
{
	const char *open;

	if (f->waiting && (f->line.first || begun))
		gsym_mk_end_block(f, f->process);
	if (f->line.first && !begun)
		gsym_mk_begin_log_line(f, f->line_number);
	open = walk(f, NULL);
	if (open)
		gsym_mk_hexdict_start(f, open);
	else
		finish_line(f);
}

/* A line that may have contextual elements waits aside: what they say comes
 * first. */
static void mixed_line(struct gsym_markup *f)
{
	struct left_over left = { 0, false };
	const char *open;

	f->aside.count = 0;
	f->out = &f->aside;
	gsym_mk_begin_log_line(f, f->line_number);
	open = walk(f, &left);
	f->out = &f->main;

	if (left.lead && !left.visible && !open)
		left.visible = !keep_lead(f, left.lead);
	if (!left.visible && !open && f->line.final) {
		f->sgr = gsym_mk_no_sgr;
		return;
	}
	gsym_mk_end_block(f, f->process);
	gsym_mk_put(f, f->aside.items, f->aside.count);
	if (open)
		gsym_mk_hexdict_start(f, open);
	else
		finish_line(f);
}

static bool may_be_contextual(const struct gsym_mk_line *l)
{
	const char *at = l->at, *end = at + l->size;

	while ((at = gsym_mk_find_opener(at, (size_t)(end - at)))) {
		at += 3;
		if (at < end && (*at == 'm' || *at == 'r'))
			return true;
		/* Of more than three braces the last ones may count. */
		at -= 2;
	}
	return false;
}

/* The process that the line comes from. */
static bool choose_process(struct gsym_markup *f)
{
	struct gsym_mk_line *l = &f->line;
	struct gsym_mk_slice name = { "", 0 };
	size_t header = 0;

	if (f->options.headers == GSYM_MARKUP_HEADERS_NONE || !l->first)
		return f->process != NULL;
	header = gsym_mk_header(f, f->options.headers, l->at, l->size, &name);
	if (!header)
		name.size = 0;
	f->process = gsym_mk_process(f, name);
	if (!f->process)
		return false;
	gsym_mk_process_use(f, f->process);
	return true;
}

void gsym_mk_do_line(struct gsym_markup *f)
{
	bool begun = false;

	f->line.header = SIZE_MAX;
	if (!choose_process(f)) {
		gsym_mk_paint_text(f, f->line.at, f->line.at + f->line.size);
		finish_line(f);
		return;
	}
	f->process->heard = f->now;
	if (f->process->open.active && f->line.first) {
		if (gsym_mk_hexdict_line(f))
			return;
		begun = !f->line.first;
		f->line.header = begun ? 0 : SIZE_MAX;
	}
	if (f->line.first && may_be_contextual(&f->line))
		mixed_line(f);
	else
		ordinary_line(f, begun);
}
