/* SPDX-License-Identifier: MIT */
/*
 * Frames may need what the log says later: the first line of a kernel's report
 * names a function, but the release of the kernel comes a few lines later, and
 * the function that shows that the symbols are of another build does, too;
 * Apple's reports have the images after the frames; and programs print the map
 * of their memory after a backtrace.  Such lines are held back, for a while.
 */
#include "config.h"

#include "markup/logs.h"

#include "logs/facts.h"
#include "markup/filter.h"

/* How long lines are held back: for so many lines and bytes, and milliseconds
 * since the first line, or with SILENCE since the last one. */
struct gsym_mk_log_wait {
	enum gsym_markup_log log;
	enum logs_fact_kind fact;
	/* More facts of the kind follow in the next lines. */
	bool list;
	/* The facts are objects of JSON, in several lines. */
	bool json;
	size_t lines, bytes;
	uint64_t patience;
	bool silence;
};

static const struct gsym_mk_log_wait waits[] = {
	{ GSYM_MARKUP_LOG_KERNEL, LOGS_RELEASE, false, false, 32, 256 << 10,
	  200, false },
	{ GSYM_MARKUP_LOG_APPLE, LOGS_IMAGE, true, false, 1 << 20, 8 << 20,
	  1000, true },
	{ GSYM_MARKUP_LOG_APPLE, LOGS_IMAGE, true, true, 1 << 20, 8 << 20, 1000,
	  true },
	{ GSYM_MARKUP_LOG_MAPS, LOGS_MAP, true, false, 1 << 20, 8 << 20, 1000,
	  true },
};

static size_t most_lines(const struct gsym_mk_log_wait *wait)
{
	return GSYM_LIMIT(wait->lines, 1);
}

static size_t most_bytes(const struct gsym_mk_log_wait *wait)
{
	return GSYM_LIMIT(wait->bytes, 256);
}

static bool is_kernel(const struct gsym_mk_log_wait *wait)
{
	return wait->log == GSYM_MARKUP_LOG_KERNEL;
}

static const struct gsym_mk_log_wait *wait_of(enum gsym_markup_log log,
					      bool json)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (waits[i].log == log && waits[i].json == json)
			return &waits[i];
	return NULL;
}

uint64_t gsym_mk_log_patience(const struct gsym_markup *f)
{
	return f->logs->held.wait->patience;
}

/* Keep the line at hand; false without memory. */
static bool keep(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	const struct gsym_mk_line *l = &f->line;
	struct gsym_mk_log_held_line *line;

	if (!gsym_mk_append(f, &h->text, l->at, l->size))
		return false;
	line = gsym_vec_push(&h->lines);
	if (!line) {
		f->out.out_of_memory = true;
		return false;
	}
	*line = (struct gsym_mk_log_held_line){ l->size, l->ending, l->crlf };
	if (h->lines.count == 1 || h->wait->silence)
		h->since = f->now;
	return true;
}

/* Apply the facts of the line at hand that are waited for; false if there are
 * none. */
static bool learn(struct gsym_markup *f)
{
	const struct gsym_mk_log_wait *wait = f->logs->held.wait;
	const char *at = f->line.at, *end = at + f->line.size;
	struct logs_pieces pieces;
	struct logs_fact fact;
	bool any = false;

	gsym_logs_pieces(&pieces, at, end);
	while (gsym_logs_next_piece(&pieces, &at, &end)) {
		if (!gsym_logs_fact(wait->log, at, end, &fact) ||
		    fact.kind != wait->fact)
			continue;
		gsym_mk_log_apply(f, &fact);
		any = true;
	}
	return any;
}

/* Whether the kernel that the line at hand is of is unknown. */
static bool is_kernel_unknown(struct gsym_markup *f,
			      const struct logs_frame *frame)
{
	const struct gsym_mk_log_state *s = gsym_mk_log_state(f);

	return s && frame->begins && !frame->build_id.size &&
	       !s->release_size && !gsym_mk_log_has_kernel(f);
}

/* Compare the frames of the kernel in the line at hand with symbols that may be
 * of another build. */
static void try_line(struct gsym_markup *f)
{
	const char *at = f->line.at, *end = at + f->line.size;
	struct logs_pieces pieces;
	struct logs_frame frame;

	f->logs->dead_left = GSYM_MK_LOG_DEAD;
	gsym_logs_pieces(&pieces, at, end);
	while (gsym_logs_next_piece(&pieces, &at, &end)) {
		struct gsym_mk_log_heads heads = { 0 };
		const char *from = at;

		frame = (struct logs_frame){ 0 };
		for (size_t i = 0;
		     i < GSYM_MK_LOG_HITS &&
		     gsym_logs_kernel(at, from, end, &frame) &&
		     !gsym_mk_log_is_source(f, at, frame.insert, &heads);
		     i++) {
			gsym_mk_log_try(f, &frame);
			from = frame.resume;
		}
	}
}

/* Whether no map tells what lies in the memory of the process. */
static bool is_memory_unknown(struct gsym_markup *f)
{
	const struct gsym_mk_log_state *s = gsym_mk_log_state(f);

	return s && !s->memory.mapping_count &&
	       !f->process->context.mapping_count;
}

/* Hold the line at hand back, and those after it, as WAIT tells; false if that
 * is not possible, or not needed. */
static bool begin(struct gsym_markup *f, const struct gsym_mk_log_wait *wait)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	enum gsym_markup_log log = wait->log;
	struct gsym_mk_log_state *s;

	if (h->writing || f->line.size > most_bytes(wait))
		return false;
	h->wait = wait;
	s = gsym_mk_log_state(f);
	/* Each report has images of its own. */
	if (s && log == GSYM_MARKUP_LOG_APPLE) {
		gsym_mk_log_unmap(s);
		gsym_mk_log_forget(s, log);
	}
	h->number = f->line_number;
	/* A line with several lines of a message may have the fact itself. */
	h->met = !wait->json && learn(f);
	if (!is_kernel(wait))
		return (!h->met || wait->list) && keep(f);
	h->met = h->met && gsym_mk_log_is_settled(f);
	f->logs->weighed = true;
	try_line(f);
	return !h->met && keep(f);
}

bool gsym_mk_log_hold(struct gsym_markup *f, const struct logs_frame *frame)
{
	const struct gsym_mk_log_wait *wait = wait_of(frame->log, false);

	/* The whole line is searched, which may have many frames. */
	if (!wait || f->logs->held.writing ||
	    (is_kernel(wait) &&
	     (f->logs->weighed || (!is_kernel_unknown(f, frame) &&
				   !gsym_mk_log_is_unproven(f, frame)))) ||
	    (frame->log == GSYM_MARKUP_LOG_APPLE && frame->doubtful) ||
	    (frame->log == GSYM_MARKUP_LOG_MAPS && !is_memory_unknown(f)))
		return false;
	return begin(f, wait);
}

bool gsym_mk_log_hold_report(struct gsym_markup *f, enum logs_fact_kind kind)
{
	return begin(f, wait_of(GSYM_MARKUP_LOG_APPLE,
				kind == LOGS_REPORT_JSON));
}

/* Whether the line at hand ends the images of a report in JSON. */
static bool ends_images(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	const char *at = f->line.at, *end = at + f->line.size;

	h->met |= gsym_logs_ips_images(at, end) != NULL;
	return h->met && gsym_logs_ips_end(at, end);
}

/* Apply the images in the lines that are held back, of a report in JSON. */
static void apply_images(struct gsym_markup *f)
{
	const struct gsym_mk_text *text = &f->logs->held.text;
	const char *end = text->items + text->count;
	const char *at = gsym_logs_ips_images(text->items, end);
	struct logs_fact fact;

	for (uint64_t i = 0; at && gsym_logs_ips_image(&at, end, i, &fact); i++)
		if (fact.name.size)
			gsym_mk_log_apply(f, &fact);
}

bool gsym_mk_log_is_ips(const struct gsym_markup *f)
{
	return f->logs->held.writing && f->logs->held.wait->json;
}

bool gsym_mk_log_holds(const struct gsym_markup *f)
{
	return f->logs->held.lines.count && !f->logs->held.writing;
}

bool gsym_mk_log_held(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	const struct gsym_mk_line *l = &f->line;
	bool met;

	if (h->wait->json)
		met = ends_images(f);
	else
		met = l->first && l->final && learn(f);
	if (is_kernel(h->wait))
		met = met && gsym_mk_log_is_settled(f);
	if ((h->met && !met && !h->wait->json) || !l->first || !l->final ||
	    h->lines.count == most_lines(h->wait) ||
	    h->text.count + l->size > most_bytes(h->wait) || !keep(f))
		return false;
	h->met |= met;
	if (is_kernel(h->wait)) {
		try_line(f);
		met |= gsym_mk_log_is_judged(f);
	}
	if (met && (!h->wait->list || h->wait->json))
		gsym_mk_log_release(f);
	return true;
}

/* Make the line with index I, whose bytes are at AT, the line at hand. */
static void take_line(struct gsym_markup *f, size_t i, const char *at)
{
	const struct gsym_mk_log_held *h = &f->logs->held;
	const struct gsym_mk_log_held_line *l = &h->lines.items[i];

	f->line_number = h->number + i;
	f->line = (struct gsym_mk_line){
		.at = at,
		.size = l->size,
		.ending = l->ending,
		.crlf = l->crlf,
		.first = true,
		.final = true,
		.header = SIZE_MAX,
	};
}

/* Compare all lines that are held back with symbols that may be of another
 * build, before any of them gets an answer. */
static void try_lines(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	const char *at = h->text.items;

	for (size_t i = 0; i < h->lines.count; i++) {
		take_line(f, i, at);
		if (gsym_mk_choose_process(f) && gsym_mk_log_state(f)) {
			try_line(f);
			gsym_mk_log_tidy(f->process->log);
		}
		at += f->line.size;
	}
}

void gsym_mk_log_release(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	struct gsym_mk_line line = f->line;
	uint64_t number = f->line_number;
	const char *at = h->text.items;

	if (!gsym_mk_log_holds(f))
		return;
	h->writing = true;
	if (h->wait->json)
		apply_images(f);
	if (is_kernel(h->wait))
		try_lines(f);
	for (size_t i = 0; i < h->lines.count; i++) {
		take_line(f, i, at);
		gsym_mk_do_line(f);
		at += h->lines.items[i].size;
		gsym_mk_complete(&f->out);
		gsym_mk_drain(&f->out, false);
		gsym_mk_tidy(f);
	}
	/* What comes next may be of another process. */
	if (h->wait->list && f->process->log)
		gsym_mk_log_unmap(f->process->log);
	h->writing = false;
	h->lines.count = h->text.count = 0;
	f->line = line;
	f->line_number = number;
}
