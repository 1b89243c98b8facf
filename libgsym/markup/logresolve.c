/* SPDX-License-Identifier: MIT */
/* From a frame of a backtrace to the symbols of its module, and to the address
 * that it stands for. */
#include "config.h"

#include "markup/logs.h"

#include "base/hash.h"
#include "markup/filter.h"

/* ---- addresses ------------------------------------------------------- */

/* The last byte of the call that returns to ADDRESS; ADDRESS itself if a signal
 * interrupted the program there, as AFTER, or the trampoline of the signal,
 * tells. */
static uint64_t adjusted(struct gsym_markup *f, void *symbols,
			 const struct logs_dialect *d, uint64_t address,
			 bool after)
{
	/* Trampolines begin at multiples of 4: elsewhere the look-up is
	 * saved. */
	if (!after && address % 4 == 0 &&
	    gsym_mk_log_find_trampoline(f, symbols, address)) {
		f->process->log->next.of[logs_index(d)] = GSYM_MK_LOG_EXACT;
		return address;
	}
	return after || !address ? address : address - 1;
}

/* The address of a frame of a program.  *EXACT, which the frame before tells,
 * becomes EXACT if no call stands before the address. */
static enum gsym_look locate(struct gsym_markup *f,
			     struct gsym_mk_log_module *m,
			     struct gsym_mk_log_hit *hit,
			     enum gsym_mk_log_exact *exact)
{
	const struct logs_frame *frame = &hit->frame;
	uint64_t address;
	enum gsym_look outcome =
		gsym_mk_log_address(f, m, frame, &address);
	struct gsym_mk_levels levels;
	bool uncalled;

	if (outcome != GSYM_LOOK_ANSWER)
		return outcome;
	hit->unsure = m->found.other ||
		      (m->distrusted && !m->found.certain) ||
		      !gsym_mk_log_check_place(f, m, frame, address);
	if (hit->unsure && !f->options.log_any_build) {
		gsym_mk_log_distrust(f, m, frame);
		return GSYM_LOOK_MISMATCH;
	}
	/* A function and an offset say more. */
	uncalled = *exact != GSYM_MK_LOG_EXACT &&
		   frame->counts_from != LOGS_FUNCTION && !frame->placed &&
		   gsym_mk_log_lacks_call(f, m, frame, address);
	hit->unsure |= gsym_mk_log_refute(
		f, m, uncalled && *exact == GSYM_MK_LOG_RETURNS, address);
	if (hit->unsure && !f->options.log_any_build)
		return GSYM_LOOK_MISMATCH;
	if (uncalled)
		*exact = GSYM_MK_LOG_EXACT;
	if (frame->thumb && address <= UINT32_MAX)
		address &= ~(uint64_t)1;
	if (frame->returns)
		address = adjusted(f, hit->symbols, frame->dialect, address,
				   *exact == GSYM_MK_LOG_EXACT);
	levels = gsym_mk_log_look_up(f, hit->symbols, address);
	if (!levels.count)
		return GSYM_LOOK_NO_FUNCTION;
	hit->unsure |= !gsym_mk_log_check_names(f, m, frame, &levels);
	if (hit->unsure && !f->options.log_any_build) {
		gsym_mk_log_say_disagreed(f, m, frame->function);
		return GSYM_LOOK_MISMATCH;
	}
	hit->addresses[0] = address;
	hit->count = 1;
	return GSYM_LOOK_ANSWER;
}

/* HIT, which has an answer, follows a frame that may be a signal trampoline:
 * its address may be exact.  If the answers for a return address and for an
 * exact one differ, both are given where there is room for both. */
static enum gsym_look give_both(struct gsym_markup *f,
				struct gsym_mk_log_hit *hit)
{
	uint64_t exact = hit->addresses[0] + 1;
	struct gsym_mk_levels l =
		gsym_mk_log_look_up(f, hit->symbols, hit->addresses[0]);
	uint64_t sum = gsym_mk_log_text_hash(f, &l);

	l = gsym_mk_log_look_up(f, hit->symbols, exact);
	if (l.count && gsym_mk_log_text_hash(f, &l) == sum)
		return GSYM_LOOK_ANSWER;
	if (hit->frame.layout != LOGS_APPEND) {
		hit->count = 0;
		return GSYM_LOOK_NO_FUNCTION;
	}
	hit->unsure = true;
	if (l.count && hit->count < GSYM_MK_LOG_CHOICES)
		hit->addresses[hit->count++] = exact;
	return GSYM_LOOK_ANSWER;
}

/* Note what FRAME, which is in M, says about the next one.  A trampoline is
 * never the first frame of a stack. */
static void note_signal(struct gsym_mk_log_state *s,
			const struct logs_frame *frame,
			const struct gsym_mk_log_module *m)
{
	enum gsym_mk_log_exact *next = &s->next.of[logs_index(frame->dialect)];

	if (gsym_mk_log_names_trampoline(frame->function))
		*next = GSYM_MK_LOG_EXACT;
	else if (frame->returns && !frame->function.size &&
		 !m->found.symbols && gsym_mk_log_is_libc(m) && !frame->named)
		*next = GSYM_MK_LOG_MAY_BE_EXACT;
}

/* The module of a frame that has a function, but no module: the one in which
 * the function lies at the address.  Its place in memory is known from another
 * frame.  NULL if there is none, or if there are several. */
static struct gsym_mk_log_module *
find_by_function(struct gsym_markup *f, struct gsym_mk_log_state *s,
		 const struct logs_frame *frame)
{
	struct gsym_mk_log_module *found = NULL;
	const struct logs_text name = gsym_mk_log_plain(frame->function);
	unsigned tries = GSYM_LIMIT(64u, 1);

	for (struct gsym_mk_log_module *m = s->oldest; m && tries;
	     m = m->younger) {
		const struct gsym_markup_frame *last;
		struct gsym_mk_levels l;
		const char *plain;

		if (m->dialect != frame->dialect || !m->biased ||
		    !m->found.symbols)
			continue;
		tries--;
		l = gsym_mk_log_look_up(f, m->found.symbols,
					frame->address - m->bias);
		if (!l.count)
			continue;
		last = &l.items[l.count - 1].frame;
		plain = gsym_mk_demangle(f, last->function);
		if (last->offset != frame->number ||
		    !gsym_mk_log_same_name(name, logs_string(plain)))
			continue;
		if (found)
			return NULL;
		found = m;
	}
	return found;
}

/* The address of a frame in memory that elements of markup describe. */
static enum gsym_look resolve_element(struct gsym_markup *f,
				      struct gsym_mk_log_hit *hit)
{
	uint64_t address = hit->frame.number;
	const struct gsym_mk_mapping *at = gsym_mk_locate(f, &address);

	hit->symbols = at ? gsym_mk_symbols(f, at->module) : NULL;
	if (!hit->symbols)
		return GSYM_LOOK_NO_MODULE;
	gsym_mk_log_name_module(hit, at->module->name, at->module->build_id,
		    at->module->build_id_size);
	address = gsym_mk_relative(at, address);
	if (hit->frame.returns)
		address = adjusted(f, hit->symbols, hit->frame.dialect, address,
				   false);
	if (!gsym_mk_log_look_up(f, hit->symbols, address).count)
		return GSYM_LOOK_NO_FUNCTION;
	hit->addresses[0] = address;
	hit->count = 1;
	return GSYM_LOOK_ANSWER;
}

static enum gsym_look resolve_program(struct gsym_markup *f,
				      struct gsym_mk_log_hit *hit)
{
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);
	struct gsym_mk_log_module *m = NULL;
	enum gsym_mk_log_exact exact, *next;
	enum gsym_look outcome;

	if (s && hit->frame.counts_from == LOGS_MEMORY) {
		m = gsym_mk_log_find_memory(s, &hit->frame);
		if (!m)
			return resolve_element(f, hit);
	} else if (s && hit->frame.counts_from == LOGS_FUNCTION &&
		   !hit->frame.module.size) {
		m = find_by_function(f, s, &hit->frame);
		if (!m)
			return GSYM_LOOK_NO_MODULE;
	} else if (s) {
		m = gsym_mk_log_module_of(s, &hit->frame);
	}
	if (!m) {
		f->out.out_of_memory = true;
		return GSYM_LOOK_NOTHING;
	}
	next = &s->next.of[logs_index(hit->frame.dialect)];
	exact = *next;
	if (exact == GSYM_MK_LOG_RETURNS && hit->frame.either)
		exact = GSYM_MK_LOG_MAY_BE_EXACT;
	*next = GSYM_MK_LOG_RETURNS;
	gsym_mk_log_learn_bias(m, &hit->frame);
	if (hit->frame.answered) {
		note_signal(s, &hit->frame, m);
		return GSYM_LOOK_ANSWER;
	}
	gsym_mk_log_name_module(hit, m->name, m->id, m->id_size);
	hit->symbols = gsym_mk_log_symbols(f, m, hit->frame.doubtful);
	outcome = hit->symbols ? locate(f, m, hit, &exact)
			       : GSYM_LOOK_NO_MODULE;
	if (outcome == GSYM_LOOK_ANSWER)
		gsym_mk_log_say_unproven(f, m);
	note_signal(s, &hit->frame, m);
	if (outcome == GSYM_LOOK_ANSWER && hit->frame.returns &&
	    exact == GSYM_MK_LOG_MAY_BE_EXACT)
		outcome = give_both(f, hit);
	return outcome;
}

/* ---- all ------------------------------------------------------------- */

/* Change FRAME as the lines before it tell. */
static void settle(struct gsym_markup *f, struct logs_frame *frame)
{
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);

	frame->line = f->line_number;
	if (s && frame->dialect->settle)
		frame->dialect->settle(&s->memories[logs_index(frame->dialect)],
				       frame);
}

bool gsym_mk_log_resolve(struct gsym_markup *f, struct gsym_mk_log_hit *hit)
{
	struct gsym_markup_log_count *c = f->logs->counts;
	enum gsym_look outcome = GSYM_LOOK_NO_MODULE;

	hit->symbols = NULL;
	hit->module = hit->frame.module;
	f->logs->found = (struct gsym_markup_log_symbols){ 0 };
	hit->count = 0;
	hit->unsure = false;
	settle(f, &hit->frame);
	if (f->host.code)
		outcome = hit->frame.dialect->sized
				  ? gsym_mk_log_resolve_size(f, hit)
				  : resolve_program(f, hit);
	if (f->host.explain && (!hit->frame.doubtful ||
				outcome != GSYM_LOOK_NO_MODULE))
		gsym_mk_log_explain(f, hit, outcome);
	c += logs_index(hit->frame.dialect);
	/* A text that may be no frame counts if its module is known. */
	if (hit->frame.doubtful && outcome == GSYM_LOOK_NO_MODULE)
		return false;
	c->frames++;
	c->answered += outcome == GSYM_LOOK_ANSWER;
	c->no_module += outcome == GSYM_LOOK_NO_MODULE;
	c->no_function += outcome == GSYM_LOOK_NO_FUNCTION ||
			  outcome == GSYM_LOOK_NOTHING;
	c->mismatch += outcome == GSYM_LOOK_MISMATCH;
	return outcome == GSYM_LOOK_ANSWER && !hit->frame.answered;
}
