/* SPDX-License-Identifier: MIT */
/* Lines without markup: facts are applied, and frames are resolved. */
#include "config.h"

#include "filter/filter.h"

/* ---- frames and facts ------------------------------------------------- */

/* Whether the frame of ANSWER, which has no address, gets another number as
 * inlined calls became frames. */
static bool is_renumbered(const struct filter_logs *logs,
			  const struct stacks_answer *answer)
{
	return logs->queue.judge->options->script &&
	       logs->queue.line->process->log &&
	       answer->frame.dialect->script == LOGS_ASAN_SYMBOLIZE;
}

/* Whether a wait has applied FACT.
 *  - An entry of a list of images that follows the frames of its report.
 *  - The start of a process in the first line of the wait: what was found out
 *    since then has to stay. */
static bool is_applied(const struct queue *q, const struct logs_fact *fact)
{
	const struct logs_dialect *d = fact->dialect;

	return (d->fresh && d->wait.list && fact->kind == d->wait.fact) ||
	       (fact->kind == LOGS_PROCESS && q->at_first_of_wait);
}

static void apply(struct filter_logs *logs, const struct logs_fact *fact)
{
	if (!is_applied(&logs->queue, fact))
		gsym_stacks_apply(logs->queue.judge, fact);
}

/* Whether a frame or a fact of the line at hand has to wait for a later line,
 * with the whole line, which is in the queue then.  So no frame of the line may
 * have been counted.  Facts before the first frame are noted: *NOTED becomes
 * their number. */
static bool wait_for_more(struct filter_logs *logs, size_t *noted)
{
	const struct mk_reading *reading = &logs->queue.line->reading;
	bool frames = false;

	for (size_t i = 0; i < reading->count; i++) {
		const struct mk_log_item *item = &reading->items[i];
		const struct logs_fact *fact = &item->fact;

		if (item->is_frame) {
			frames = true;
			if (gsym_filter_wait_for_frame(&logs->queue,
						       &item->frame))
				return true;
			continue;
		}
		if ((fact->kind == LOGS_REPORT ||
		     fact->kind == LOGS_REPORT_JSON) &&
		    gsym_filter_wait_for_report(&logs->queue, fact))
			return true;
		if (frames)
			continue;
		apply(logs, fact);
		*noted = i + 1;
	}
	return false;
}

/* Resolve the frame of ITEM, and keep it if it gets an answer. */
static void resolve(struct filter_logs *logs, const struct mk_log_item *item)
{
	struct stacks_answer *answer = &logs->answers[logs->answer_count];
	struct judge *j = logs->queue.judge;
	bool resolved;

	if (logs->answer_count == FILTER_ANSWERS) {
		logs->queue.line->reading.crowded = true;
		return;
	}
	logs->object = NULL;
	answer->frame = item->frame;
	answer->raw = item->raw;
	resolved = gsym_stacks_resolve(j, answer);
	if (j->host->calls.frame && (resolved || !answer->frame.doubtful))
		gsym_stacks_tell(j, answer, resolved);
	if (resolved || is_renumbered(logs, answer))
		logs->answer_count++;
}

/* ---- reports in JSON --------------------------------------------------- */

/* Find the answer to FRAME, an object of JSON, and set LEVELS to its levels. */
static void resolve_object(struct gsym_markup *f, struct logs_frame *frame,
			   const struct logs_dialect *d,
			   struct mk_levels *levels)
{
	struct stacks_answer *answer = &f->logs->answers[0];

	frame->dialect = d;
	frame->line = f->line.number;
	/* The keys of one frame share one answer. */
	if (frame->start != f->logs->object) {
		f->logs->object = frame->start;
		answer->frame = *frame;
		if (!gsym_stacks_resolve(&f->judge, answer))
			answer->count = 0;
	}
	*levels = gsym_stacks_levels(&f->host, answer, 0);
}

/* Write the line at hand, a part of the REPORT, with the answers of its frames,
 * which are objects of JSON; false if there are none. */
static bool write_report(struct gsym_markup *f, const struct logs_dialect *d,
			 struct logs_text report)
{
	const struct mk_line *l = &f->line;
	const char *from = l->at, *written = from, *end = from + l->size;
	struct logs_frame frame;

	/* Pages show text for people. */
	if (f->out.html)
		return false;
	/* A header may stand before a whole report. */
	if (from < report.at)
		from = report.at;
	for (; d->report->next(report, from, end, &frame);
	     from = frame.resume) {
		struct render_writing w = { .escaped = true };
		struct mk_levels levels;

		resolve_object(f, &frame, d, &levels);
		if (!levels.count)
			continue;
		w.unsure = f->logs->answers[0].unsure;
		if (written == l->at) {
			gsym_render_write_held(&f->scene);
			mk_begin_log_line(&f->out, l->number);
		}
		gsym_mk_paint_text(&f->out, written, frame.insert);
		written =
			gsym_render_put_frame(filter_render(f), &frame, &w,
					      &levels.items[levels.count - 1]);
	}
	if (written == l->at)
		return false;
	gsym_mk_paint_text(&f->out, written, end);
	gsym_mk_end_line(&f->out, l->ending);
	return true;
}

/* If the line at hand is of a report in JSON, which may be this line alone,
 * write the line with its answers; false if there are none. */
static bool answer_report(struct gsym_markup *f)
{
	const char *at = f->line.at, *end = at + f->line.size;
	const struct logs_dialect *whole = f->line.reading.report_by;
	struct logs_text report;
	const struct logs_dialect *d =
		gsym_filter_waited_report(&f->logs->queue, &report);

	/* Another report may lie where the one before did. */
	if (f->logs->queue.at_first_of_wait)
		f->logs->object = NULL;
	if (d && write_report(f, d, report))
		return true;
	/* gsym_filter_waited_report has pointed the line into its report. */
	f->line.at = at;
	if (!whole)
		return false;
	f->logs->object = NULL;
	report = logs_between(at + f->line.reading.report, end);
	gsym_stacks_report_modules(&f->judge, whole, report);
	return write_report(f, whole, report);
}

/* ---- whole lines -------------------------------------------------------- */

/* Whether the answers to the line at hand do not become lines of their own:
 * the line has several lines.  A tracker or a chat may have joined them. */
static bool is_joined(const struct filter_logs *logs)
{
	for (size_t i = 0; i < logs->answer_count; i++)
		if (gsym_logs_joined(&logs->answers[i].raw.layers) ||
		    (i && logs->answers[i].frame.dialect->second))
			return true;
	return false;
}

/* Write the line at hand with its answers, of which there are some. */
static void write_line(struct gsym_markup *f)
{
	const struct render r = filter_render(f);
	const bool joined = is_joined(f->logs);

	gsym_render_write_held(&f->scene);
	if (joined || !f->options.logs.script || !gsym_render_script(&r))
		gsym_render_write(&r, joined);
}

void gsym_filter_logs_read(struct gsym_markup *f)
{
	if (!gsym_filter_read(&f->logs->reader, &f->line,
			      mk_all(&f->line.process->name)))
		f->out.out_of_memory = true;
}

bool gsym_filter_logs_line(struct gsym_markup *f)
{
	struct filter_logs *logs = f->logs;
	const struct mk_reading *reading = &f->line.reading;
	size_t noted = 0;

	logs->answer_count = 0;
	f->judge.dead_left = STACKS_DEAD;
	logs->queue.build_asked = false;
	gsym_filter_logs_read(f);
	if (answer_report(f) || wait_for_more(logs, &noted))
		return true;
	for (size_t i = noted; i < reading->count; i++)
		if (reading->items[i].is_frame)
			resolve(logs, &reading->items[i]);
		else
			apply(logs, &reading->items[i].fact);
	if (reading->crowded)
		gsym_mk_say(&f->host, GSYM_MARKUP_NOTE, NULL,
			    "a line has more than %u frames, or too many "
			    "facts: the rest of it gets no answers",
			    FILTER_ANSWERS);
	if (!logs->answer_count)
		return false;
	write_line(f);
	return true;
}

struct filter_logs *gsym_filter_logs_new(struct gsym_markup *f)
{
	struct filter_logs *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	gsym_filter_reader_init(&new->reader, &f->options, &f->headers);
	new->queue = (struct queue){
		.judge = &f->judge,
		.line = &f->line,
		.unwrapped = &new->reader.unwrapped,
		.page = &f->page,
		.clock = &f->clock,
		/* 0 is no number of a line in the queue. */
		.base = 1,
	};
	return new;
}

void gsym_filter_logs_free(struct filter_logs *logs)
{
	if (!logs)
		return;
	gsym_filter_queue_fini(&logs->queue);
	gsym_filter_reader_fini(&logs->reader);
	free(logs);
}

const char *gsym_markup_log_name(size_t index)
{
	for (size_t i = 0; i < LOGS_FORMS; i++)
		if (logs_index(gsym_logs_dialects[i]) == index)
			return gsym_logs_dialects[i]->name;
	return NULL;
}

size_t gsym_markup_log_counts(const struct gsym_markup *f,
			      struct gsym_markup_log_count *counts,
			      size_t capacity)
{
	if (!f || (!counts && capacity))
		return 0;
	for (size_t i = 0; i < capacity && i < LOGS_FORMS; i++)
		counts[i] = f->logs ? f->judge.counts[i]
				    : (struct gsym_markup_log_count){ 0 };
	return LOGS_FORMS;
}
