/* SPDX-License-Identifier: MIT */
/* The answers to frames of backtraces without markup, and the lines of the log
 * with them. */
#include "config.h"

#include "markup/logs.h"

#include <stdio.h>

#include "base/text.h"
#include "logs/scan.h"
#include "markup/filter.h"

/* ---- parts of an answer ---------------------------------------------- */

/* Bytes of lines of inlined calls and of source code for one line of the
 * log. */
#define MOST_TEXT GSYM_LIMIT(64u << 10, 16)

static void put_text(struct gsym_mk_out *o, struct logs_text text)
{
	gsym_mk_put(o, text.at, text.size);
}

void gsym_mk_log_put_name(struct gsym_markup *f,
			  const struct gsym_mk_log_writing *w,
			  struct gsym_mk_level *level)
{
	struct gsym_mk_level stripped;

	level = gsym_mk_log_level(&f->judge, level, &stripped);
	if (f->out.html) {
		gsym_mk_put_function(&f->host, &f->out, level);
	} else {
		if (!w->escaped)
			gsym_mk_highlight(&f->out);
		put_text(&f->out, gsym_mk_function_text(&f->host, level));
		if (!w->escaped)
			gsym_mk_restore(&f->out);
	}
	if (w->unsure && !gsym_mk_has_place(level))
		gsym_mk_puts(&f->out, "?");
}

void gsym_mk_log_put_place(struct gsym_markup *f,
			   const struct gsym_mk_log_writing *w,
			   struct gsym_mk_level *level)
{
	struct gsym_mk_level stripped;
	struct gsym_mk_out *o = &f->out;
	bool colour = o->colour;

	level = gsym_mk_log_level(&f->judge, level, &stripped);
	/* Places have the colour of the text around them. */
	o->colour = false;
	if (!w->escaped) {
		gsym_mk_put_place(&f->host, &f->out, "", level);
	} else if (gsym_mk_has_place(level)) {
		put_text(o, gsym_mk_file_text(&f->host, level));
		gsym_mk_put_row(o, &level->frame);
	}
	if (w->unsure && gsym_mk_has_place(level))
		gsym_mk_puts(o, "?");
	o->colour = colour;
}

static struct gsym_mk_level *outermost(const struct gsym_mk_levels *l)
{
	return &l->items[l->count - 1];
}

/* Write the place of the outermost level of L; with short inlines those of all
 * levels, "a.h:1 < b.c:2". */
static void put_places(struct gsym_markup *f,
		       const struct gsym_mk_log_writing *w,
		       const struct gsym_mk_levels *l)
{
	bool all = w->inlines == GSYM_MARKUP_LOG_INLINES_SHORT, some = false;

	for (size_t i = all ? 0 : l->count - 1; i < l->count; i++) {
		if (!gsym_mk_has_place(&l->items[i]))
			continue;
		if (some)
			gsym_mk_paint_plain(&f->out, " < ", 3);
		gsym_mk_log_put_place(f, w, &l->items[i]);
		some = true;
	}
}

/* Whether ANSWER's frame names the function of LEVEL already.  Text around the
 * frame may have any words. */
static bool is_named(struct gsym_markup *f,
		     const struct gsym_mk_log_answer *answer,
		     const struct gsym_mk_level *level)
{
	const struct logs_frame *frame = &answer->frame;
	const char *start = frame->item ? frame->item : frame->start;
	struct logs_text text = logs_between(start, frame->insert);
	struct logs_text name;

	/* The second line of a frame of eu-stack has no name. */
	if (frame->build_id.size && !frame->module.size)
		return false;
	name.at = gsym_mk_demangle(&f->host, level->frame.function);
	name.size = strlen(name.at);
	return gsym_mk_log_names(text, name);
}

/* Whether LEVEL, the outermost one of ANSWER, adds something to the line. */
static bool says(struct gsym_markup *f, const struct gsym_mk_log_answer *answer,
		 const struct gsym_mk_level *level)
{
	if (gsym_mk_has_place(level))
		return true;
	switch (answer->frame.layout) {
	case LOGS_APPEND:
	case LOGS_LIST:
		return !is_named(f, answer, level);
	case LOGS_SANITIZER:
		return !answer->frame.function.size;
	default:
		return false;
	}
}

/* ---- answers --------------------------------------------------------- */

static void span_begin(struct gsym_mk_out *o, const struct logs_dialect *d)
{
	char class[32];

	snprintf(class, sizeof(class), "frame %s", d->name);
	gsym_mk_span_begin(o, class, "", NULL);
}

/* L has the levels of ANSWER if ANSWER has one address. */
static void span_end(struct gsym_markup *f,
		     const struct gsym_mk_log_answer *answer,
		     const struct gsym_mk_levels *l)
{
	struct gsym_mk_level items[GSYM_MARKUP_MAX_FRAMES], stripped;
	struct gsym_mk_levels levels = { items, l->count };

	if (answer->count == 1) {
		for (size_t i = 0; i < l->count; i++)
			items[i] = *gsym_mk_log_level(&f->judge, &l->items[i],
						      &stripped);
		gsym_mk_tip_log(&f->host, &f->out, answer->addresses[0], answer,
				&levels);
	}
	gsym_mk_puts(&f->out, "</span>");
}

/* " FUNCTION (PLACE) or FUNCTION (PLACE)": the address may be a return address
 * or an exact one. */
static void append_all(struct gsym_markup *f,
		       const struct gsym_mk_log_writing *w,
		       const struct gsym_mk_log_answer *answer)
{
	struct gsym_mk_log_writing own = *w;

	own.inlines = GSYM_MARKUP_LOG_INLINES_NONE;
	for (size_t i = 0; i < answer->count; i++) {
		const struct gsym_mk_levels l = gsym_mk_log_look_up(
			&f->judge, answer->symbols, answer->addresses[i]);

		if (!l.count)
			continue;
		gsym_mk_puts(&f->out, i ? " or " : " ");
		gsym_mk_log_put_name(f, &own, outermost(&l));
		if (!gsym_mk_has_place(outermost(&l)))
			continue;
		gsym_mk_puts(&f->out, " (");
		put_places(f, &own, &l);
		gsym_mk_puts(&f->out, ")");
	}
}

/* " FUNCTION (PLACE)" */
static void append(struct gsym_markup *f, const struct gsym_mk_log_writing *w,
		   const struct gsym_mk_log_answer *answer,
		   const struct gsym_mk_levels *l)
{
	struct gsym_mk_level *last = outermost(l);

	if (!is_named(f, answer, last)) {
		gsym_mk_puts(&f->out, " ");
		gsym_mk_log_put_name(f, w, last);
	}
	if (!gsym_mk_has_place(last))
		return;
	gsym_mk_puts(&f->out, " (");
	put_places(f, w, l);
	gsym_mk_puts(&f->out, ")");
}

/* " in FUNCTION PLACE ", or the parts of it that the line lacks. */
static void insert_sanitizer(struct gsym_markup *f,
			     const struct gsym_mk_log_writing *w,
			     const struct gsym_mk_log_answer *answer,
			     const struct gsym_mk_levels *l)
{
	const struct logs_frame *frame = &answer->frame;
	struct gsym_mk_level *last = outermost(l);

	/* Crash handlers of LLVM do not write "in". */
	if (!frame->function.size && frame->insert == frame->number_end &&
	    frame->number_end > frame->start)
		gsym_mk_puts(&f->out, frame->address && !frame->returns
					      ? " in "
					      : " ");
	if (f->out.html)
		span_begin(&f->out, frame->dialect);
	if (!frame->function.size) {
		gsym_mk_log_put_name(f, w, last);
		gsym_mk_puts(&f->out, " ");
	}
	if (!gsym_mk_has_place(last))
		return;
	put_places(f, w, l);
	gsym_mk_puts(&f->out, " ");
}

/* " (PLACE)", or " (PLACE or PLACE)" if several functions may be meant. */
static void insert_kernel(struct gsym_markup *f,
			  const struct gsym_mk_log_writing *w,
			  const struct gsym_mk_log_answer *answer)
{
	struct gsym_mk_log_writing own = *w;
	bool some = false;

	if (answer->count > 1)
		own.inlines = GSYM_MARKUP_LOG_INLINES_NONE;
	for (size_t i = 0; i < answer->count; i++) {
		const struct gsym_mk_levels l = gsym_mk_log_look_up(
			&f->judge, answer->symbols, answer->addresses[i]);

		if (!l.count || !gsym_mk_has_place(outermost(&l)))
			continue;
		if (some)
			gsym_mk_paint_plain(&f->out, " or ", 4);
		else
			gsym_mk_puts(&f->out, " (");
		put_places(f, &own, &l);
		some = true;
	}
	if (some)
		gsym_mk_puts(&f->out, ")");
}

/* Write the answer to ANSWER, in place of the bytes from its INSERT to
 * RESUME. */
static void put_plain_answer(struct gsym_markup *f,
			     const struct gsym_mk_log_writing *w,
			     const struct gsym_mk_log_answer *answer)
{
	struct gsym_mk_out *o = &f->out;
	const struct gsym_mk_levels l = gsym_mk_log_look_up(
		&f->judge, answer->symbols, answer->addresses[0]);
	bool said = l.count && says(f, answer, outermost(&l));

	if (!said && answer->count < 2) {
		gsym_mk_paint_text(o, answer->raw.insert, answer->raw.resume);
		return;
	}
	if (o->html && answer->frame.layout != LOGS_SANITIZER)
		span_begin(o, answer->frame.dialect);
	if (answer->frame.layout == LOGS_KERNEL)
		insert_kernel(f, w, answer);
	else if (answer->frame.layout == LOGS_SANITIZER && l.count)
		insert_sanitizer(f, w, answer, &l);
	else if (answer->count > 1)
		append_all(f, w, answer);
	else
		append(f, w, answer, &l);
	if (o->html)
		span_end(f, answer, &l);
}

/* The same, as the frame itself is written: with the escapes of what is around
 * it.  Pages show text for people. */
static void put_answer(struct gsym_markup *f, struct gsym_mk_log_writing *w,
		       const struct gsym_mk_log_answer *answer)
{
	size_t before = f->out.text.count;

	w->unsure = answer->unsure;
	w->escaped = !f->out.html && gsym_logs_escapes(&answer->raw.layers);
	put_plain_answer(f, w, answer);
	if (w->escaped)
		gsym_mk_log_escape(f, &answer->raw.layers, before);
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
static void put_code(struct gsym_mk_out *o, const char *at, size_t size)
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
static void put_code_head(struct gsym_markup *f,
			  const struct gsym_mk_log_answer *answer,
			  uint32_t line, bool marked, unsigned width)
{
	struct gsym_mk_out *o = &f->out;

	gsym_mk_begin_line(o);
	gsym_mk_paint_text(o, f->line.at, answer->raw.start);
	gsym_mk_paint_plain(o, marked ? "    > " : "      ", 6);
	for (unsigned digits = digits_of(line); digits < width; digits++)
		gsym_mk_paint_plain(o, " ", 1);
	gsym_mk_put_decimal(o, line);
	gsym_mk_paint_plain(o, " | ", 3);
}

/* Write the lines of source code around the place of LEVEL, an answer to
 * ANSWER.  The last line begins within ROOM bytes.  Returns the number of
 * bytes. */
static size_t put_code_lines(struct gsym_markup *f,
			     const struct gsym_mk_log_answer *answer,
			     struct gsym_mk_level *level, size_t room)
{
	uint32_t count = (uint32_t)f->options.logs.source_lines, first;
	size_t before = f->out.text.count;
	struct gsym_mk_level stripped;
	const struct gsym_markup_frame *place =
		&gsym_mk_log_level(&f->judge, level, &stripped)->frame;

	if (!place->line || !*place->basename)
		return 0;
	if (count > GSYM_MARKUP_MAX_SOURCE)
		count = GSYM_MARKUP_MAX_SOURCE;
	first = place->line > count / 2 ? place->line - count / 2 : 1;
	if (first > UINT32_MAX - count)
		return 0;
	for (uint32_t line = first; line < first + count; line++) {
		size_t size;
		const char *text = f->host.calls.logs.source(
			f->host.calls.context, place, line, &size);

		if (!text || f->out.text.count - before > room)
			break;
		gsym_mk_fresh_line(&f->out);
		put_code_head(f, answer, line, line == place->line,
			      digits_of(first + count - 1));
		put_code(&f->out, text, size);
		gsym_mk_end_line(&f->out, gsym_mk_newline(&f->line));
	}
	return f->out.text.count - before;
}

/* ---- lines ----------------------------------------------------------- */

/* Write the start of a line of an inlined call of ANSWER. */
static void begin_inline(struct gsym_markup *f,
			 const struct gsym_mk_log_answer *answer)
{
	const struct logs_frame *frame = &answer->frame;
	struct gsym_mk_out *o = &f->out;

	gsym_mk_begin_line(o);
	if (frame->layout != LOGS_SANITIZER) {
		gsym_mk_paint_text(o, f->line.at, answer->raw.start);
		if (frame->layout == LOGS_LIST)
			gsym_mk_paint_plain(o, "  ", 2);
		return;
	}
	gsym_mk_paint_text(o, f->line.at, answer->raw.number_end);
	/* A frame without number begins with its function. */
	if (frame->number_end > frame->start)
		gsym_mk_puts(o, " ");
	if (frame->in || (frame->address && !frame->returns &&
			  !frame->function.size))
		gsym_mk_puts(o, "in ");
}

/* Take BYTES from *ROOM, or all that is left. */
static void spend(size_t *room, size_t bytes)
{
	*room -= bytes < *room ? bytes : *room;
}

/* Write the lines of source code for LEVEL of ANSWER.  Their bytes are taken
 * from *ROOM, and the last line may be longer than what is left. */
static void put_source(struct gsym_markup *f,
		       const struct gsym_mk_log_answer *answer,
		       struct gsym_mk_level *level, size_t *room)
{
	if (f->options.logs.source_lines && f->host.calls.logs.source && *room)
		spend(room, put_code_lines(f, answer, level, *room));
}

/* Write the lines of source code for ANSWER, which was written with W: those of
 * the places in its line.  ROOM is as in put_source. */
static void put_sources(struct gsym_markup *f,
			const struct gsym_mk_log_writing *w,
			const struct gsym_mk_log_answer *answer, size_t *room)
{
	bool all = w->inlines == GSYM_MARKUP_LOG_INLINES_SHORT;
	struct gsym_mk_levels l;

	/* Each line of source code repeats the text before the frame. */
	if (answer->count != 1 ||
	    answer->raw.start - f->line.at > GSYM_MK_LOG_LEAD)
		return;
	l = gsym_mk_log_look_up(&f->judge, answer->symbols,
				answer->addresses[0]);
	for (size_t i = all || !l.count ? 0 : l.count - 1; i < l.count; i++)
		put_source(f, answer, &l.items[i], room);
}

/* Write the lines of the inlined calls of ANSWER.  ROOM is as in put_source. */
static void put_inlines(struct gsym_markup *f,
			const struct gsym_mk_log_writing *w,
			const struct gsym_mk_log_answer *answer, size_t *room)
{
	struct gsym_mk_out *o = &f->out;
	bool sanitizer = answer->frame.layout == LOGS_SANITIZER;
	struct gsym_mk_levels l;

	if (answer->count != 1 || w->inlines != GSYM_MARKUP_LOG_INLINES_LINES)
		return;
	l = gsym_mk_log_look_up(&f->judge, answer->symbols,
				answer->addresses[0]);
	if (!l.count || !says(f, answer, outermost(&l)))
		return;
	for (size_t i = 0; i + 1 < l.count && *room; i++) {
		struct gsym_mk_level *level = &l.items[i];
		size_t before = o->text.count;

		begin_inline(f, answer);
		if (o->html)
			span_begin(o, answer->frame.dialect);
		gsym_mk_log_put_name(f, w, level);
		if (gsym_mk_has_place(level)) {
			gsym_mk_puts(o, sanitizer ? " " : " (");
			gsym_mk_log_put_place(f, w, level);
			gsym_mk_puts(o, sanitizer ? "" : ")");
		}
		if (o->html)
			gsym_mk_puts(o, "</span>");
		gsym_mk_puts(o, sanitizer ? "" : " [inline]");
		gsym_mk_end_line(o, gsym_mk_newline(&f->line));
		spend(room, o->text.count - before);
		put_source(f, answer, level, room);
	}
}

/* Begin a line of a list, with the text before the stack of ANSWER, and write
 * AT to END without the blanks around it.  False, and nothing is written, if
 * that is empty. */
static bool put_item(struct gsym_markup *f,
		     const struct gsym_mk_log_answer *answer, const char *at,
		     const char *end)
{
	at = logs_blanks(at, end);
	end = logs_trim(at, end);
	if (at == end)
		return false;
	gsym_mk_begin_line(&f->out);
	gsym_mk_paint_text(&f->out, f->line.at, answer->raw.start);
	gsym_mk_paint_plain(&f->out, "  ", 2);
	gsym_mk_paint_text(&f->out, at, end);
	return true;
}

/* Write the line at hand, a stack, with each answer in a line of its own. */
static void write_list(struct gsym_markup *f, struct gsym_mk_log_writing *w)
{
	struct gsym_mk_logs *logs = f->logs;
	struct gsym_mk_line *l = &f->line;
	const char *newline = gsym_mk_newline(l), *end = l->at + l->size;
	const struct gsym_mk_log_answer *answer = logs->answers;
	const char *from = answer->raw.number_end;
	size_t room = MOST_TEXT;

	end = logs_trim(from, end);
	gsym_mk_begin_log_line(&f->out, f->line.number);
	gsym_mk_paint_text(&f->out, l->at, from);
	gsym_mk_end_line(&f->out, newline);
	for (size_t i = 0; i < logs->answer_count; i++) {
		answer = &logs->answers[i];
		if (put_item(f, answer, from, answer->raw.item))
			gsym_mk_end_line(&f->out, newline);
		w->unsure = answer->unsure;
		put_inlines(f, w, answer, &room);
		put_item(f, answer, answer->raw.item, answer->raw.insert);
		put_answer(f, w, answer);
		from = answer->raw.resume;
		gsym_mk_end_line(&f->out, from == end ? l->ending : newline);
		if (f->options.logs.source_lines)
			put_sources(f, w, answer, &room);
	}
	if (put_item(f, answer, from, end))
		gsym_mk_end_line(&f->out, l->ending);
}

/* Whether the lines of write_list do not become too many bytes. */
static bool is_list(const struct gsym_markup *f)
{
	const struct gsym_mk_log_answer *first = &f->logs->answers[0];
	size_t lead = (size_t)(first->raw.start - f->line.at);

	return first->frame.layout == LOGS_LIST && lead <= GSYM_MK_LOG_LEAD &&
	       lead * f->logs->answer_count <= MOST_TEXT;
}

void gsym_mk_log_write(struct gsym_markup *f, bool joined)
{
	struct gsym_mk_logs *logs = f->logs;
	struct gsym_mk_line *l = &f->line;
	struct gsym_mk_log_writing w = { .inlines = f->options.logs.inlines };
	const char *from = l->at;
	size_t room = MOST_TEXT;

	/* A line of several lines stays one line. */
	if ((joined || logs->answers[0].raw.start - l->at > GSYM_MK_LOG_LEAD) &&
	    w.inlines == GSYM_MARKUP_LOG_INLINES_LINES)
		w.inlines = GSYM_MARKUP_LOG_INLINES_SHORT;
	gsym_mk_write_held(f);
	if (!joined && is_list(f)) {
		write_list(f, &w);
		return;
	}
	for (size_t i = 0; i < logs->answer_count; i++) {
		w.unsure = logs->answers[i].unsure;
		put_inlines(f, &w, &logs->answers[i], &room);
	}
	gsym_mk_begin_log_line(&f->out, f->line.number);
	for (size_t i = 0; i < logs->answer_count; i++) {
		gsym_mk_paint_text(&f->out, from, logs->answers[i].raw.insert);
		put_answer(f, &w, &logs->answers[i]);
		from = logs->answers[i].raw.resume;
	}
	gsym_mk_paint_text(&f->out, from, l->at + l->size);
	gsym_mk_end_line(&f->out, l->ending);
	for (size_t i = 0;
	     f->options.logs.source_lines && !joined && i < logs->answer_count;
	     i++)
		put_sources(f, &w, &logs->answers[i], &room);
}
