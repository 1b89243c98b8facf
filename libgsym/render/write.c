/* SPDX-License-Identifier: MIT */
/* The answers to frames of backtraces without markup, and the lines of the log
 * with them. */
#include "config.h"

#include "render/render.h"

#include <stdio.h>

#include "logs/scan.h"

/* ---- parts of an answer ---------------------------------------------- */

/* Bytes of lines of inlined calls and of source code for one line of the
 * log. */
#define MOST_TEXT GSYM_LIMIT(64u << 10, 16)

static void put_text(struct mk_out *o, struct logs_text text)
{
	mk_put(o, text.at, text.size);
}

void gsym_render_put_name(const struct render *r,
			  const struct render_writing *w,
			  struct mk_level *level)
{
	struct mk_level stripped;

	level = gsym_stacks_level(r->options, r->state, level, &stripped);
	if (r->out->html) {
		gsym_render_put_function(r->host, r->out, level);
	} else {
		if (!w->escaped)
			gsym_mk_highlight(r->out);
		put_text(r->out, gsym_render_function_text(r->host, level));
		if (!w->escaped)
			gsym_mk_restore(r->out);
	}
	if (w->unsure && !mk_has_place(level))
		mk_puts(r->out, "?");
}

void gsym_render_put_log_place(const struct render *r,
			       const struct render_writing *w,
			       struct mk_level *level)
{
	struct mk_level stripped;
	struct mk_out *o = r->out;
	bool colour = o->colour;

	level = gsym_stacks_level(r->options, r->state, level, &stripped);
	/* Places have the colour of the text around them. */
	o->colour = false;
	if (!w->escaped) {
		gsym_render_put_place(r->host, r->out, "", level);
	} else if (mk_has_place(level)) {
		put_text(o, gsym_render_file_text(r->host, level));
		gsym_render_put_row(o, &level->frame);
	}
	if (w->unsure && mk_has_place(level))
		mk_puts(o, "?");
	o->colour = colour;
}

static struct mk_level *outermost(const struct mk_levels *l)
{
	return &l->items[l->count - 1];
}

/* Write the place of the outermost level of L; with short inlines those of all
 * levels, "a.h:1 < b.c:2". */
static void put_places(const struct render *r, const struct render_writing *w,
		       const struct mk_levels *l)
{
	bool all = w->inlines == GSYM_MARKUP_LOG_INLINES_SHORT, some = false;

	for (size_t i = all ? 0 : l->count - 1; i < l->count; i++) {
		if (!mk_has_place(&l->items[i]))
			continue;
		if (some)
			gsym_mk_paint_plain(r->out, " < ", 3);
		gsym_render_put_log_place(r, w, &l->items[i]);
		some = true;
	}
}

/* Whether ANSWER's frame names the function of LEVEL already.  Text around the
 * frame may have any words. */
static bool is_named(const struct render *r, const struct stacks_answer *answer,
		     const struct mk_level *level)
{
	const struct logs_frame *frame = &answer->frame;
	const char *start = frame->item ? frame->item : frame->start;
	struct logs_text text = logs_between(start, frame->insert);
	struct logs_text name;

	/* The second line of a frame of eu-stack has no name. */
	if (frame->build_id.size && !frame->module.size)
		return false;
	name.at = gsym_mk_demangle(r->host, level->frame.function);
	name.size = strlen(name.at);
	return gsym_stacks_has_name(text, name);
}

/* Whether LEVEL, the outermost one of ANSWER, adds something to the line. */
static bool says(const struct render *r, const struct stacks_answer *answer,
		 const struct mk_level *level)
{
	if (mk_has_place(level))
		return true;
	switch (answer->frame.layout) {
	case LOGS_APPEND:
	case LOGS_LIST:
		return !is_named(r, answer, level);
	case LOGS_SANITIZER:
		return !answer->frame.function.size;
	default:
		return false;
	}
}

/* ---- answers --------------------------------------------------------- */

static void span_begin(struct mk_out *o, const struct logs_dialect *d)
{
	char class[32];

	snprintf(class, sizeof(class), "frame %s", d->name);
	gsym_mk_span_begin(o, class, "", NULL);
}

/* L has the levels of ANSWER if ANSWER has one address. */
static void span_end(const struct render *r, const struct stacks_answer *answer,
		     const struct mk_levels *l)
{
	struct mk_level items[GSYM_MARKUP_MAX_FRAMES], stripped;
	struct mk_levels levels = { items, l->count };

	if (answer->count == 1) {
		for (size_t i = 0; i < l->count; i++)
			items[i] = *gsym_stacks_level(r->options, r->state,
						      &l->items[i], &stripped);
		gsym_render_tip_log(r->host, r->out, answer->addresses[0],
				    answer, &levels);
	}
	mk_puts(r->out, "</span>");
}

/* " FUNCTION (PLACE)", without a function that the line names already; or
 * " FUNCTION (PLACE) or FUNCTION (PLACE)": the address may be a return address
 * or an exact one.  Lines of inlined calls could be of either answer, so there
 * are none; short ones stand in the parentheses of their answer. */
static void append(const struct render *r, const struct render_writing *w,
		   const struct stacks_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++) {
		const struct mk_levels l =
			gsym_stacks_levels(r->host, answer, i);

		if (!l.count)
			continue;
		if (answer->count > 1 || !is_named(r, answer, outermost(&l))) {
			mk_puts(r->out, i ? " or " : " ");
			gsym_render_put_name(r, w, outermost(&l));
		}
		if (!mk_has_place(outermost(&l)))
			continue;
		mk_puts(r->out, " (");
		put_places(r, w, &l);
		mk_puts(r->out, ")");
	}
}

/* " in FUNCTION PLACE ", or the parts of it that the line lacks. */
static void insert_sanitizer(const struct render *r,
			     const struct render_writing *w,
			     const struct stacks_answer *answer,
			     const struct mk_levels *l)
{
	const struct logs_frame *frame = &answer->frame;
	struct mk_level *last = outermost(l);

	/* Crash handlers of LLVM do not write "in". */
	if (!frame->function.size && frame->insert == frame->number_end &&
	    frame->number_end > frame->start)
		mk_puts(r->out,
			frame->address && !frame->returns ? " in " : " ");
	if (r->out->html)
		span_begin(r->out, frame->dialect);
	if (!frame->function.size) {
		gsym_render_put_name(r, w, last);
		mk_puts(r->out, " ");
	}
	if (!mk_has_place(last))
		return;
	put_places(r, w, l);
	mk_puts(r->out, " ");
}

/* " (PLACE)", or " (PLACE or PLACE)" if several functions may be meant. */
static void insert_kernel(const struct render *r,
			  const struct render_writing *w,
			  const struct stacks_answer *answer)
{
	bool some = false;

	for (size_t i = 0; i < answer->count; i++) {
		const struct mk_levels l =
			gsym_stacks_levels(r->host, answer, i);

		if (!l.count || !mk_has_place(outermost(&l)))
			continue;
		if (some)
			gsym_mk_paint_plain(r->out, " or ", 4);
		else
			mk_puts(r->out, " (");
		put_places(r, w, &l);
		some = true;
	}
	if (some)
		mk_puts(r->out, ")");
}

/* Write the answer to ANSWER, in place of the bytes from its INSERT to
 * RESUME. */
static void put_plain_answer(const struct render *r,
			     const struct render_writing *w,
			     const struct stacks_answer *answer)
{
	struct mk_out *o = r->out;
	/* A frame that only gets another number has no address. */
	const struct mk_levels l = gsym_stacks_levels(r->host, answer, 0);
	bool said = l.count && says(r, answer, outermost(&l));

	if (!said && answer->count < 2) {
		gsym_mk_paint_text(o, answer->raw.insert, answer->raw.resume);
		return;
	}
	if (o->html && answer->frame.layout != LOGS_SANITIZER)
		span_begin(o, answer->frame.dialect);
	if (answer->frame.layout == LOGS_KERNEL)
		insert_kernel(r, w, answer);
	else if (answer->frame.layout == LOGS_SANITIZER && l.count)
		insert_sanitizer(r, w, answer, &l);
	else
		append(r, w, answer);
	if (o->html)
		span_end(r, answer, &l);
}

/* The same, as the frame itself is written: with the escapes of what is around
 * it.  Pages show text for people. */
static void put_answer(const struct render *r, struct render_writing *w,
		       const struct stacks_answer *answer)
{
	size_t before = r->out->text.count;

	w->unsure = answer->unsure;
	w->escaped = !r->out->html && gsym_logs_escapes(&answer->raw.layers);
	put_plain_answer(r, w, answer);
	if (w->escaped)
		gsym_render_escape(r->host, r->out, &answer->raw.layers,
				   before);
}

/* ---- escapes, as the text has them in which answers are written ------- */

/* The number of bytes at AT, at most SIZE, that no wrapping escapes. */
static size_t plain_length(const char *at, size_t size)
{
	size_t i = 0;

	while (i < size && ((at[i] >= '(' && at[i] <= ';') || at[i] == ' ' ||
			    (at[i] >= '?' && at[i] <= '[') ||
			    (at[i] >= ']' && at[i] <= '~')))
		i++;
	return i;
}

static void escape_for(struct mk_host *h, struct mk_out *o, uint8_t row,
		       size_t before)
{
	struct mk_text *text = &o->text, *copy = &h->scratch;
	size_t size = text->count - before, taken;

	copy->count = 0;
	/* Without memory there is no answer. */
	if (!mk_append(o, copy, text->items + before, size))
		size = 0;
	text->count = before;
	for (size_t i = 0; i < size; i += taken) {
		char to[LOGS_ESCAPED];

		taken = plain_length(copy->items + i, size - i);
		if (taken) {
			mk_put(o, copy->items + i, taken);
			continue;
		}
		mk_put(o, to,
		       gsym_logs_escape(row, copy->items + i, size - i, to,
					&taken));
	}
}

void gsym_render_escape(struct mk_host *h, struct mk_out *o,
			const struct logs_layers *layers, size_t before)
{
	for (size_t i = layers->count; i-- && o->text.count > before;)
		escape_for(h, o, layers->rows[i], before);
}

/* ---- lines of source code -------------------------------------------- */

/* Tabs in source code reach to the next multiple of this column. */
enum { TAB = 8 };

static unsigned digits_of(uint64_t number)
{
	unsigned digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

/* Write the SIZE bytes of source code at AT, with blanks in place of tabs. */
static void put_code(struct mk_out *o, const char *at, size_t size)
{
	size_t column = 0;

	while (size) {
		const char *tab = memchr(at, '\t', size);
		size_t run = tab ? (size_t)(tab - at) : size;

		gsym_mk_paint_foreign(o, at, run);
		column += run;
		at += run;
		size -= run;
		if (!tab)
			break;
		gsym_mk_paint_plain(o, "        ", TAB - column % TAB);
		column += TAB - column % TAB;
		at++;
		size--;
	}
}

/* Write "    > LINE | " after the text before ANSWER. */
static void put_code_head(const struct render *r,
			  const struct stacks_answer *answer, uint32_t line,
			  bool marked, unsigned width)
{
	struct mk_out *o = r->out;

	gsym_mk_begin_line(o);
	gsym_mk_paint_text(o, r->line->at, answer->raw.start);
	gsym_mk_paint_plain(o, marked ? "    > " : "      ", 6);
	for (unsigned digits = digits_of(line); digits < width; digits++)
		gsym_mk_paint_plain(o, " ", 1);
	gsym_mk_put_decimal(o, line);
	gsym_mk_paint_plain(o, " | ", 3);
}

/* Write the lines of source code around the place of LEVEL, an answer to
 * ANSWER.  The last line begins within ROOM bytes.  Returns the number of
 * bytes. */
static size_t put_code_lines(const struct render *r,
			     const struct stacks_answer *answer,
			     struct mk_level *level, size_t room)
{
	uint32_t count = (uint32_t)r->options->source_lines, first;
	size_t before = r->out->text.count;
	struct mk_level stripped;
	const struct gsym_markup_frame *place =
		&gsym_stacks_level(r->options, r->state, level, &stripped)
			 ->frame;

	if (!place->line || !*place->basename)
		return 0;
	if (count > GSYM_MARKUP_MAX_SOURCE)
		count = GSYM_MARKUP_MAX_SOURCE;
	first = place->line > count / 2 ? place->line - count / 2 : 1;
	if (first > UINT32_MAX - count)
		return 0;
	for (uint32_t line = first; line < first + count; line++) {
		size_t size;
		const char *text = r->host->calls.logs.source(
			r->host->calls.context, place, line, &size);

		if (!text || r->out->text.count - before > room)
			break;
		gsym_mk_fresh_line(r->out);
		put_code_head(r, answer, line, line == place->line,
			      digits_of(first + count - 1));
		put_code(r->out, text, size);
		gsym_mk_end_line(r->out, mk_newline(r->line));
	}
	return r->out->text.count - before;
}

/* ---- lines ----------------------------------------------------------- */

static void begin_inline(const struct render *r,
			 const struct stacks_answer *answer)
{
	const struct logs_frame *frame = &answer->frame;
	struct mk_out *o = r->out;

	gsym_mk_begin_line(o);
	if (frame->layout != LOGS_SANITIZER) {
		gsym_mk_paint_text(o, r->line->at, answer->raw.start);
		if (frame->layout == LOGS_LIST)
			gsym_mk_paint_plain(o, "  ", 2);
		return;
	}
	gsym_mk_paint_text(o, r->line->at, answer->raw.number_end);
	/* A frame without number begins with its function. */
	if (frame->number_end > frame->start)
		mk_puts(o, " ");
	if (frame->in ||
	    (frame->address && !frame->returns && !frame->function.size))
		mk_puts(o, "in ");
}

/* Take BYTES from *ROOM, or all that is left. */
static void spend(size_t *room, size_t bytes)
{
	*room -= bytes < *room ? bytes : *room;
}

/* Write the lines of source code for LEVEL of ANSWER.  Their bytes are taken
 * from *ROOM, and the last line may be longer than what is left. */
static void put_source(const struct render *r,
		       const struct stacks_answer *answer,
		       struct mk_level *level, size_t *room)
{
	if (r->options->source_lines && r->host->calls.logs.source && *room)
		spend(room, put_code_lines(r, answer, level, *room));
}

/* Write the lines of source code for ANSWER, which was written with W: those of
 * the places in its line.  ROOM is as in put_source. */
static void put_sources(const struct render *r, const struct render_writing *w,
			const struct stacks_answer *answer, size_t *room)
{
	bool all = w->inlines == GSYM_MARKUP_LOG_INLINES_SHORT;
	struct mk_levels l;

	/* Each line of source code repeats the text before the frame. */
	if (answer->count != 1 || answer->raw.start - r->line->at > RENDER_LEAD)
		return;
	l = gsym_stacks_levels(r->host, answer, 0);
	for (size_t i = all || !l.count ? 0 : l.count - 1; i < l.count; i++)
		put_source(r, answer, &l.items[i], room);
}

/* Write the lines of the inlined calls of ANSWER.  ROOM is as in put_source. */
static void put_inlines(const struct render *r, const struct render_writing *w,
			const struct stacks_answer *answer, size_t *room)
{
	struct mk_out *o = r->out;
	bool sanitizer = answer->frame.layout == LOGS_SANITIZER;
	struct mk_levels l;

	if (answer->count != 1 || w->inlines != GSYM_MARKUP_LOG_INLINES_LINES)
		return;
	l = gsym_stacks_levels(r->host, answer, 0);
	if (!l.count || !says(r, answer, outermost(&l)))
		return;
	for (size_t i = 0; i + 1 < l.count && *room; i++) {
		struct mk_level *level = &l.items[i];
		size_t before = o->text.count;

		begin_inline(r, answer);
		if (o->html)
			span_begin(o, answer->frame.dialect);
		gsym_render_put_name(r, w, level);
		if (mk_has_place(level)) {
			mk_puts(o, sanitizer ? " " : " (");
			gsym_render_put_log_place(r, w, level);
			mk_puts(o, sanitizer ? "" : ")");
		}
		if (o->html)
			mk_puts(o, "</span>");
		mk_puts(o, sanitizer ? "" : " [inline]");
		gsym_mk_end_line(o, mk_newline(r->line));
		spend(room, o->text.count - before);
		put_source(r, answer, level, room);
	}
}

/* Begin a line of a list, with the text before the stack of ANSWER, and write
 * AT to END without the blanks around it.  False, and nothing is written, if
 * that is empty. */
static bool put_item(const struct render *r, const struct stacks_answer *answer,
		     const char *at, const char *end)
{
	at = logs_blanks(at, end);
	end = logs_trim(at, end);
	if (at == end)
		return false;
	gsym_mk_begin_line(r->out);
	gsym_mk_paint_text(r->out, r->line->at, answer->raw.start);
	gsym_mk_paint_plain(r->out, "  ", 2);
	gsym_mk_paint_text(r->out, at, end);
	return true;
}

/* Write the line at hand, a stack, with each answer in a line of its own. */
static void write_list(const struct render *r, struct render_writing *w)
{
	const struct mk_line *l = r->line;
	const char *newline = mk_newline(l), *end = l->at + l->size;
	const struct stacks_answer *answer = r->answers;
	const char *from = answer->raw.number_end;
	size_t room = MOST_TEXT;

	end = logs_trim(from, end);
	mk_begin_log_line(r->out, r->line->number);
	gsym_mk_paint_text(r->out, l->at, from);
	gsym_mk_end_line(r->out, newline);
	for (size_t i = 0; i < r->count; i++) {
		answer = &r->answers[i];
		if (put_item(r, answer, from, answer->raw.item))
			gsym_mk_end_line(r->out, newline);
		w->unsure = answer->unsure;
		put_inlines(r, w, answer, &room);
		put_item(r, answer, answer->raw.item, answer->raw.insert);
		put_answer(r, w, answer);
		from = answer->raw.resume;
		gsym_mk_end_line(r->out, from == end ? l->ending : newline);
		if (r->options->source_lines)
			put_sources(r, w, answer, &room);
	}
	if (put_item(r, answer, from, end))
		gsym_mk_end_line(r->out, l->ending);
}

/* Whether the lines of write_list do not become too many bytes. */
static bool is_list(const struct render *r)
{
	const struct stacks_answer *first = &r->answers[0];
	size_t lead = (size_t)(first->raw.start - r->line->at);

	return first->frame.layout == LOGS_LIST && lead <= RENDER_LEAD &&
	       lead * r->count <= MOST_TEXT;
}

void gsym_render_write(const struct render *r, bool joined)
{
	const struct mk_line *l = r->line;
	struct render_writing w = { .inlines = r->options->inlines };
	const char *from = l->at;
	size_t room = MOST_TEXT;

	/* A line of several lines stays one line. */
	if ((joined || r->answers[0].raw.start - l->at > RENDER_LEAD) &&
	    w.inlines == GSYM_MARKUP_LOG_INLINES_LINES)
		w.inlines = GSYM_MARKUP_LOG_INLINES_SHORT;
	if (!joined && is_list(r)) {
		write_list(r, &w);
		return;
	}
	for (size_t i = 0; i < r->count; i++) {
		w.unsure = r->answers[i].unsure;
		put_inlines(r, &w, &r->answers[i], &room);
	}
	mk_begin_log_line(r->out, r->line->number);
	for (size_t i = 0; i < r->count; i++) {
		gsym_mk_paint_text(r->out, from, r->answers[i].raw.insert);
		put_answer(r, &w, &r->answers[i]);
		from = r->answers[i].raw.resume;
	}
	gsym_mk_paint_text(r->out, from, l->at + l->size);
	gsym_mk_end_line(r->out, l->ending);
	for (size_t i = 0; r->options->source_lines && !joined && i < r->count;
	     i++)
		put_sources(r, &w, &r->answers[i], &room);
}
