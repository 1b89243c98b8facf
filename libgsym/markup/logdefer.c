/* SPDX-License-Identifier: MIT */
/*
 * Frames may need what the log says later: the first line of a kernel's report
 * names a function, but the release of the kernel comes a few lines later, and
 * the function that shows that the symbols are of another build does, too;
 * Apple's reports have the images after the frames; programs print the map of
 * their memory after a backtrace; and a later frame of a stack may show that
 * the symbols of a program are of another build.  Such lines are held back, for
 * a while: the dialect's row says for what.
 */
#include "config.h"

#include "markup/filter.h"

/* A line that waits: its size, and its end. */
struct deferred_line {
	size_t size;
	const char *ending;
	bool crlf;
};

/* What lines wait for. */
enum until {
	/* Facts that the frames of the dialect wait for. */
	UNTIL_FACT,
	/* The end of the modules of a report in JSON. */
	UNTIL_REPORT,
	/* The end of a stack, whose frames tell symbols of another build. */
	UNTIL_END,
};

/* Lines that wait, and how far they are. */
struct gsym_mk_deferred {
	enum state {
		/* No line waits. */
		DEFERS_NONE,
		/* Nothing of what the lines wait for came. */
		DEFERS,
		/* A part of it came, and the next line may have more. */
		DEFERS_FOR_MORE,
		/* The lines are being released. */
		RELEASES,
	} state;
	struct gsym_mk_text text;
	struct {
		GSYM_VEC(struct deferred_line);
	} lines;
	enum until until;
	const struct logs_dialect *dialect;
	/* For how long they wait. */
	const struct logs_wait *wait;
	/* The number of the first line, and the time when the last one came;
	 * without SILENCE of WAIT, the first one. */
	uint64_t number, since;
	/* The next line to be released, and where its bytes are. */
	size_t next, at;
};

/* How long a stack is held back whose symbols may be of another build. */
static const struct logs_wait end_of_stack = {
	.lines = 256,
	.bytes = 256 << 10,
	.patience = 200,
};

static size_t most_lines(const struct logs_wait *wait)
{
	return GSYM_LIMIT(wait->lines, 1);
}

static size_t most_bytes(const struct logs_wait *wait)
{
	return GSYM_LIMIT(wait->bytes, 256);
}

/* Whether frames that are held back are compared with their symbols. */
static bool compares(const struct gsym_mk_deferred *h)
{
	return h->dialect->sized || h->until == UNTIL_END;
}

void gsym_mk_defer_time(const struct gsym_markup *f, uint64_t *since,
			uint64_t *patience)
{
	*since = f->logs->deferred->since;
	*patience = f->logs->deferred->wait->patience;
}

struct gsym_mk_deferred *gsym_mk_deferred_new(void)
{
	return calloc(1, sizeof(struct gsym_mk_deferred));
}

void gsym_mk_deferred_free(struct gsym_mk_deferred *d)
{
	if (!d)
		return;
	gsym_vec_fini(&d->text);
	gsym_vec_fini(&d->lines);
	free(d);
}

/* Keep the line at hand, after which STATE holds; false without memory. */
static bool keep(struct gsym_markup *f, enum state state)
{
	struct gsym_mk_deferred *h = f->logs->deferred;
	const struct gsym_mk_line *l = &f->line;

	if (!gsym_vec_reserve(&h->lines, 1)) {
		f->out.out_of_memory = true;
		return false;
	}
	if (!gsym_mk_append(f, &h->text, l->at, l->size))
		return false;
	h->lines.items[h->lines.count++] =
		(struct deferred_line){ l->size, l->ending, l->crlf };
	if (h->lines.count == 1 || h->wait->silence)
		h->since = f->now;
	h->state = state;
	return true;
}

/* ---- what lines wait for ---------------------------------------------- */

/* Apply the facts of the line at hand that are waited for; false if there are
 * none. */
static bool learn(struct gsym_markup *f)
{
	const struct gsym_mk_deferred *h = f->logs->deferred;
	struct logs_unwrapping u;
	struct logs_view view;
	struct logs_fact fact;
	bool any = false;

	gsym_mk_log_unwrap(f, &u);
	while (gsym_logs_next_view(&u, &view)) {
		if (!gsym_logs_fact(h->dialect->log, view.at, view.end,
				    &fact) ||
		    fact.kind != h->wait->fact)
			continue;
		gsym_mk_log_apply(f, &fact);
		any = true;
	}
	return any;
}

/* Ask the host for the kernel of the line at hand, whose report begins with
 * FRAME.  Returns whether nothing tells which kernel it is. */
static bool ask_unknown_kernel(struct gsym_markup *f,
			      const struct logs_frame *frame)
{
	const struct gsym_mk_log_state *s = gsym_mk_log_state(f);

	return s && frame->begins && !frame->build_id.size &&
	       !s->release_size && !gsym_mk_log_ask_kernel(f);
}

/* Whether no map tells what lies in the memory of the process. */
static bool is_memory_unknown(struct gsym_markup *f)
{
	const struct gsym_mk_log_state *s = gsym_mk_log_state(f);

	return s && !s->memory.mapping_count &&
	       !f->process->context.mapping_count;
}

/* Compare the frames of the line at hand with symbols that may be of another
 * build; false if there are no such frames. */
static bool try_line(struct gsym_markup *f)
{
	const struct logs_dialect *d = f->logs->deferred->dialect;
	const unsigned logs = d->sized ? d->log : f->options.logs;
	struct logs_unwrapping u;
	struct logs_view view;
	struct logs_frame frame;
	bool any = false;

	f->logs->dead_left = GSYM_MK_LOG_DEAD;
	gsym_mk_log_unwrap(f, &u);
	while (gsym_logs_next_view(&u, &view)) {
		struct gsym_mk_log_frames frames = {
			.forms = logs, .at = view.at, .end = view.end
		};

		while (gsym_mk_log_next_frame(f, &frames, &frame)) {
			any |= !frame.dialect->sized;
			if (frame.dialect->sized)
				gsym_mk_log_try(f, &frame);
			else
				gsym_mk_log_compare(f, &frame);
		}
	}
	return any;
}

/* Whether no later line can tell more about the build of KERNEL, which
 * gsym_mk_log_ask_kernel returned: it has no symbols, or those that the log
 * says. */
static bool is_settled(const struct gsym_mk_log_module *kernel)
{
	return !kernel || kernel->found.certain;
}

/* ---- lines that begin to wait ----------------------------------------- */

/* Let the line at hand wait, and those after it, UNTIL something that D
 * needs; false if that is not possible, or not needed. */
static bool begin(struct gsym_markup *f, const struct logs_dialect *d,
		  enum until until)
{
	struct gsym_mk_deferred *h = f->logs->deferred;
	const struct logs_wait *wait =
		until == UNTIL_END ? &end_of_stack : &d->wait;
	struct gsym_mk_log_state *s;
	bool met;

	if (h->state == RELEASES || f->line.size > most_bytes(wait))
		return false;
	h->dialect = d;
	h->wait = wait;
	h->until = until;
	s = gsym_mk_log_state(f);
	/* A text that may be no frame begins no report. */
	if (s && d->fresh && until != UNTIL_END) {
		gsym_mk_log_unmap(s);
		gsym_mk_log_forget(s, d->log);
	}
	if (s)
		gsym_mk_log_compare_begin(s);
	h->number = f->line_number;
	/* A line with several lines of a message may have the fact itself. */
	met = until == UNTIL_FACT && learn(f);
	if (compares(h)) {
		met = met && is_settled(gsym_mk_log_ask_kernel(f));
		f->logs->weighed = true;
		try_line(f);
	}
	if (met && (compares(h) || !wait->list))
		return false;
	return keep(f, met ? DEFERS_FOR_MORE : DEFERS);
}

bool gsym_mk_defer_frame(struct gsym_markup *f, const struct logs_frame *frame)
{
	const struct logs_dialect *d = frame->dialect;
	enum until until = UNTIL_FACT;
	bool needed = false;

	if (f->logs->deferred->state == RELEASES)
		return false;
	/* The whole line is searched, which may have many frames. */
	if (d->sized) {
		needed = !f->logs->weighed &&
			 (ask_unknown_kernel(f, frame) ||
			  gsym_mk_log_ask_unproven(f, frame));
	} else if (d->wait.lines) {
		/* Each report has its own images, and a text that may be no
		 * frame begins none. */
		needed = d->fresh ? !frame->doubtful : is_memory_unknown(f);
	}
	if (!d->sized && !needed) {
		needed = !f->logs->weighed && gsym_mk_log_ask_trial(f, frame);
		until = UNTIL_END;
	}
	return needed && begin(f, d, until);
}

bool gsym_mk_defer_report(struct gsym_markup *f, const struct logs_fact *fact)
{
	return begin(f, fact->dialect,
		     fact->kind == LOGS_REPORT_JSON ? UNTIL_REPORT
						    : UNTIL_FACT);
}

/* ---- reports in JSON -------------------------------------------------- */

/* Whether the line at hand ends the modules of a report in JSON.  *OTHER: the
 * line is not in the report. */
static bool ends_modules(struct gsym_markup *f, bool *other)
{
	struct gsym_mk_deferred *h = f->logs->deferred;
	unsigned part =
		h->dialect->report->part(f->line.at, f->line.at + f->line.size);

	*other = part & LOGS_NO_PART;
	if (part & LOGS_LIST_BEGINS)
		h->state = DEFERS_FOR_MORE;
	return h->state == DEFERS_FOR_MORE && part & LOGS_LIST_ENDS;
}

const struct logs_dialect *gsym_mk_releases_report(const struct gsym_markup *f,
						   struct logs_text *report)
{
	const struct gsym_mk_deferred *h = f->logs->deferred;

	*report = (struct logs_text){ h->text.items, h->text.count };
	return h->state == RELEASES && h->until == UNTIL_REPORT
		       ? h->dialect
		       : NULL;
}

/* ---- lines that wait, too --------------------------------------------- */

bool gsym_mk_defers(const struct gsym_markup *f)
{
	return f->logs && (f->logs->deferred->state == DEFERS ||
			   f->logs->deferred->state == DEFERS_FOR_MORE);
}

/* Whether the line at hand has what is waited for, or a part of it.  *OTHER:
 * the line is none of those that wait. */
static bool meets(struct gsym_markup *f, bool *other)
{
	struct gsym_mk_deferred *h = f->logs->deferred;
	bool met;

	*other = false;
	switch (h->until) {
	case UNTIL_REPORT:
		return ends_modules(f, other);
	case UNTIL_END:
		*other = !gsym_mk_log_state(f) || !try_line(f);
		return false;
	default:
		met = learn(f);
		if (h->dialect->sized)
			met = met && is_settled(gsym_mk_log_ask_kernel(f));
		/* The line after a list. */
		*other = h->state == DEFERS_FOR_MORE && !met;
		return met;
	}
}

bool gsym_mk_defer_line(struct gsym_markup *f, bool *enough)
{
	struct gsym_mk_deferred *h = f->logs->deferred;
	const struct gsym_mk_line *l = &f->line;
	bool met, other;

	*enough = false;
	if (!l->first || !l->final || h->lines.count == most_lines(h->wait) ||
	    h->text.count + l->size > most_bytes(h->wait))
		return false;
	met = meets(f, &other);
	if (other || !keep(f, met ? DEFERS_FOR_MORE : h->state))
		return false;
	if (h->dialect->sized) {
		try_line(f);
		met |= gsym_mk_log_is_judged(f);
	}
	*enough = met && (!h->wait->list || h->until == UNTIL_REPORT);
	return true;
}

/* ---- release ---------------------------------------------------------- */

bool gsym_mk_release_next(struct gsym_markup *f)
{
	struct gsym_mk_deferred *h = f->logs->deferred;
	const struct deferred_line *l;

	if (h->next == h->lines.count) {
		h->next = h->at = 0;
		return false;
	}
	l = &h->lines.items[h->next];
	f->line_number = h->number + h->next++;
	f->logs->releases_first = h->next == 1;
	f->line = (struct gsym_mk_line){
		.at = h->text.items + h->at,
		.size = l->size,
		.ending = l->ending,
		.crlf = l->crlf,
		.first = true,
		.final = true,
		.header = SIZE_MAX,
	};
	h->at += l->size;
	return true;
}

bool gsym_mk_release_begin(struct gsym_markup *f)
{
	struct gsym_mk_deferred *h = f->logs->deferred;

	struct logs_text report;

	h->state = RELEASES;
	if (gsym_mk_releases_report(f, &report))
		gsym_mk_log_report_modules(f, h->dialect, report);
	return h->dialect->sized ||
	       (h->until == UNTIL_FACT && h->wait->list);
}

void gsym_mk_release_compare(struct gsym_markup *f)
{
	if (!gsym_mk_log_state(f))
		return;
	try_line(f);
	gsym_mk_log_tidy(f->process->log);
}

void gsym_mk_release_end(struct gsym_markup *f)
{
	struct gsym_mk_deferred *h = f->logs->deferred;

	/* What comes next may be of another process. */
	if (h->wait->list && f->process->log)
		gsym_mk_log_unmap(f->process->log);
	h->state = DEFERS_NONE;
	f->logs->releases_first = false;
	h->lines.count = h->text.count = 0;
}
