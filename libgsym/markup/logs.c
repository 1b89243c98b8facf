/* SPDX-License-Identifier: MIT */
/* Lines without markup: facts are applied, and frames are resolved. */
#include "config.h"

#include "markup/logs.h"

#include "logs/scan.h"
#include "markup/filter.h"

/* ---- lines ------------------------------------------------------------ */

/* Longer lines are not read, as filter.c may cut them into pieces. */
#define LONGEST GSYM_LIMIT(1u << 20, 512)

/* Whether the frame of ANSWER, which has no address, gets another number as
 * inlined calls became frames. */
static bool is_renumbered(const struct gsym_markup *f,
			  const struct gsym_mk_log_answer *answer)
{
	return f->options.logs.script && f->process->log &&
	       answer->frame.dialect->script == LOGS_ASAN_SYMBOLIZE;
}

/* Whether one of the first COUNT frames and facts of the line has to wait for a
 * later line, with the whole line, which is in the queue then.  So no frame of
 * the line may have been counted.  Facts before the first frame are noted:
 * *NOTED becomes their number. */
static bool wait_for_more(struct gsym_markup *f, size_t count, size_t *noted)
{
	bool frames = false;

	for (size_t i = 0; i < count; i++) {
		const struct gsym_mk_log_item *item = &f->logs->items[i];
		const struct logs_fact *fact = &item->fact;

		if (item->is_frame) {
			frames = true;
			if (gsym_mk_wait_for_frame(f, &item->frame))
				return true;
			continue;
		}
		if ((fact->kind == LOGS_REPORT ||
		     fact->kind == LOGS_REPORT_JSON) &&
		    gsym_mk_wait_for_report(f, fact))
			return true;
		if (frames)
			continue;
		gsym_mk_log_apply(f, fact);
		*noted = i + 1;
	}
	return false;
}

/* Resolve the frame of ITEM, and keep it if it gets an answer. */
static void resolve(struct gsym_markup *f, const struct gsym_mk_log_item *item)
{
	struct gsym_mk_logs *logs = f->logs;
	struct gsym_mk_log_answer *answer = &logs->answers[logs->answer_count];
	bool resolved;

	if (logs->attention < item->frame.watch)
		logs->attention = item->frame.watch;
	if (logs->answer_count == GSYM_MK_LOG_ANSWERS) {
		logs->crowded = true;
		return;
	}
	logs->object = NULL;
	answer->frame = item->frame;
	answer->raw = item->raw;
	resolved = gsym_mk_log_resolve(f, answer);
	if (f->host.frame && (resolved || !answer->frame.doubtful))
		gsym_mk_log_tell(f, answer, resolved);
	if (resolved || is_renumbered(f, answer))
		logs->answer_count++;
}

/* Whether L has an element of markup. */
static bool has_element(const struct gsym_mk_line *l)
{
	struct gsym_mk_scanner s = { .at = l->at, .end = l->at + l->size };
	struct gsym_mk_element e;

	while (gsym_mk_next(&s, &e))
		if (gsym_mk_valid(&e))
			return true;
	return false;
}

/* If the line at hand is of a report in JSON, which may be this line alone,
 * write the line with its answers; false if there are none. */
static bool answer_report(struct gsym_markup *f)
{
	const char *at = f->line.at, *end = at + f->line.size;
	struct logs_text report;
	const struct logs_dialect *d = gsym_mk_waited_report(f, &report);

	if (d && gsym_mk_log_report(f, d, report))
		return true;
	/* A report is an object, perhaps behind a header. */
	at = end > at && end[-1] == '}' ? logs_find(at, end, "{\"") : end;
	if (!at)
		return false;
	for (size_t i = 0; i < LOGS_FORMS && at < end; i++) {
		d = gsym_logs_dialects[i];
		if (!(f->options.logs.forms & d->log) || !d->report ||
		    !d->report->is_whole || !d->report->is_whole(at, end))
			continue;
		report = logs_between(at, end);
		f->logs->attention = d->report->watch;
		gsym_mk_log_report_modules(f, d, report);
		return gsym_mk_log_report(f, d, report);
	}
	return false;
}

/* Whether the answers to the line at hand do not become lines of their own:
 * the line has several lines.  A tracker or a chat may have joined them. */
static bool is_joined(const struct gsym_mk_logs *logs)
{
	for (size_t i = 0; i < logs->answer_count; i++)
		if (gsym_logs_joined(&logs->answers[i].raw.layers) ||
		    (i && logs->answers[i].frame.dialect->second))
			return true;
	return false;
}

/* Begin to read the line at hand with R: as gsym_mk_log_read. */
static size_t read_first(struct gsym_markup *f, struct gsym_mk_log_reader *r)
{
	gsym_mk_log_unwrap(f, &r->unwrapping);
	r->piece = (struct gsym_mk_log_frames){ 0 };
	r->forms = 0;
	f->logs->crowded = false;
	return gsym_mk_log_read(f, r);
}

bool gsym_mk_logs_line(struct gsym_markup *f)
{
	struct gsym_mk_logs *logs = f->logs;
	struct gsym_mk_log_reader r;
	size_t count, noted = 0;
	uint64_t unwrappings;
	bool joined;

	f->logs->unannounced = f->logs->attention > 0;
	if (f->logs->attention)
		f->logs->attention--;
	f->logs->answer_count = 0;
	f->logs->dead_left = GSYM_MK_LOG_DEAD;
	f->logs->build_asked = false;
	if (f->line.size > LONGEST || has_element(&f->line))
		return false;
	if (answer_report(f))
		return true;
	count = read_first(f, &r);
	unwrappings = logs->unwrappings;
	if (wait_for_more(f, count, &noted))
		return true;
	/* The line was compared for a wait that did not begin, and the views
	 * that R has are gone. */
	if (logs->unwrappings != unwrappings)
		count = read_first(f, &r);
	for (;; count = gsym_mk_log_read(f, &r), noted = 0) {
		for (size_t i = noted; i < count; i++)
			if (logs->items[i].is_frame)
				resolve(f, &logs->items[i]);
			else
				gsym_mk_log_apply(f, &logs->items[i].fact);
		if (count < GSYM_MK_LOG_ANSWERS)
			break;
	}
	if (logs->crowded)
		gsym_mk_say(f, GSYM_MARKUP_NOTE, NULL,
			    "a line has more than %u frames: no others of it "
			    "get answers",
			    GSYM_MK_LOG_ANSWERS);
	if (!logs->answer_count)
		return false;
	joined = is_joined(logs);
	if (!f->options.logs.script || joined || !gsym_mk_log_script(f))
		gsym_mk_log_write(f, joined);
	return true;
}

struct gsym_mk_logs *gsym_mk_logs_new(unsigned logs)
{
	struct gsym_mk_logs *new = calloc(1, sizeof(*new));

	/* 0 is no number of a line in the queue. */
	if (new)
		new->queue.base = 1;
	for (size_t i = 0; new && i < LOGS_FORMS; i++)
		new->every_line |= logs & gsym_logs_dialects[i]->log &&
				   !gsym_logs_dialects[i]->words;
	return new;
}

void gsym_mk_logs_free(struct gsym_mk_logs *logs)
{
	if (!logs)
		return;
	gsym_mk_queue_fini(&logs->queue);
	gsym_vec_fini(&logs->distrust);
	gsym_vec_fini(&logs->unwrapped);
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
		counts[i] = f->logs ? f->logs->counts[i]
				    : (struct gsym_markup_log_count){ 0 };
	return LOGS_FORMS;
}
