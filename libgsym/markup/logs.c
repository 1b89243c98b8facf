/* SPDX-License-Identifier: MIT */
/* Lines without markup: frames are collected and resolved, facts are noted. */
#include "config.h"

#include "markup/logs.h"

#include "logs/facts.h"
#include "markup/filter.h"

/* Longer lines are not read, as feed.c may cut them into pieces. */
#define LONGEST GSYM_LIMIT(1u << 20, 512)

/* Whether the frame of HIT, which has no answer, gets another number because
 * inlined calls became frames. */
static bool is_renumbered(const struct gsym_markup *f,
			  const struct gsym_mk_log_hit *hit)
{
	return f->options.log_script && f->process->log &&
	       hit->frame.log == GSYM_MARKUP_LOG_SANITIZER;
}

/* Collect the frames of the piece AT to END that have an answer.  Returns true
 * if there is a frame.  *HELD: the line was held back. */
static bool collect(struct gsym_markup *f, const char *at, const char *end,
		    bool *held)
{
	struct gsym_mk_logs *logs = f->logs;
	struct gsym_mk_log_heads heads = { 0 };
	struct logs_frame last;
	const char *from = at;
	size_t frames = 0;

	while (frames < GSYM_MK_LOG_HITS &&
	       logs->hit_count < GSYM_MK_LOG_HITS) {
		struct gsym_mk_log_hit *hit = &logs->hits[logs->hit_count];

		if (frames)
			hit->frame = last;
		if (!gsym_logs_frame(f->options.logs, at, from, end,
				     &hit->frame))
			break;
		frames++;
		last = hit->frame;
		if (gsym_mk_log_is_source(f, at, hit->frame.insert, &heads))
			break;
		if (gsym_mk_log_hold(f, &hit->frame)) {
			logs->hit_count = 0;
			*held = true;
			break;
		}
		bool resolved = gsym_mk_log_resolve(f, hit);
		if (f->host.frame && (resolved || !hit->frame.doubtful))
			gsym_mk_log_tell(f, hit, resolved);
		if (resolved || is_renumbered(f, hit))
			logs->hit_count++;
		if (hit->frame.log != GSYM_MARKUP_LOG_KERNEL)
			break;
		from = hit->frame.resume;
	}
	return frames > 0;
}

/* Note FACT; true if it begins a report that is held back. */
static bool note(struct gsym_markup *f, const struct logs_fact *fact)
{
	if ((fact->kind == LOGS_REPORT || fact->kind == LOGS_REPORT_JSON) &&
	    gsym_mk_log_hold_report(f, fact->kind))
		return true;
	gsym_mk_log_apply(f, fact);
	return false;
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

bool gsym_mk_logs_line(struct gsym_markup *f)
{
	const char *at = f->line.at, *end = at + f->line.size;
	struct logs_pieces pieces;
	struct logs_fact fact;
	bool any = false, held = false;

	f->logs->watched = f->logs->attention > 0;
	if (f->logs->attention)
		f->logs->attention--;
	f->logs->hit_count = 0;
	f->logs->dead_left = GSYM_MK_LOG_DEAD;
	f->logs->weighed = false;
	if (f->line.size > LONGEST || has_element(&f->line))
		return false;
	if (gsym_mk_log_is_ips(f) && gsym_mk_log_ips(f))
		return true;
	gsym_logs_pieces(&pieces, at, end);
	bool json = pieces.json, joined = pieces.joined;
	while (!held && gsym_logs_next_piece(&pieces, &at, &end)) {
		if (collect(f, at, end, &held))
			any = true;
		else if (gsym_logs_fact(f->options.logs, at, end, &fact))
			held = note(f, &fact);
	}
	if (held)
		return true;
	if (!any || !f->logs->hit_count)
		return false;
	if (!f->options.log_script || joined || !gsym_mk_log_script(f))
		gsym_mk_log_write(f, json, joined);
	return true;
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
