/* SPDX-License-Identifier: MIT */
/*
 * Evidence about symbols that were found by the name of their module, and may
 * be of another build than the log: the functions of the log tell, by their
 * names and by their places.  calls.c has what return addresses tell.
 */
#include "config.h"

#include "stacks/judge.h"

/* ---- stacks ---------------------------------------------------------- */

void gsym_stacks_compare_again(struct stacks_state *s)
{
	for (struct stacks_module *m = s->oldest; m; m = m->younger)
		if (m->stack == s->compared.number)
			m->evidence = (struct stacks_calls){ 0 };
	s->compared.number--;
	gsym_stacks_compare_begin(s);
}

void gsym_stacks_compare_begin(struct stacks_state *s)
{
	s->compared.number++;
	s->compared.signals = s->signals;
	s->compared.remembered_by = NULL;
}

/* ---- another build ---------------------------------------------------- */

/* The most frames of a module without a program at hand that are compared
 * before they get answers. */
#define TRIAL GSYM_LIMIT(64u, 1)

/* Symbols that were found by the name of their module may be of another build;
 * then they disagree with the function that the log has. */
bool gsym_stacks_check_names(struct judge *j, struct stacks_module *m,
			     const struct logs_frame *frame,
			     const struct mk_levels *levels)
{
	struct logs_text name = gsym_stacks_plain(frame->function);
	struct gsym_markup_log_function one;

	if (m->found.certain || !name.size)
		return true;
	for (size_t i = 0; i < levels->count; i++) {
		const char *function = levels->items[i].frame.function;
		const char *plain = gsym_mk_demangle(j->host, function);

		if (gsym_stacks_same_name(name, logs_string(function)) ||
		    gsym_stacks_same_name(name, logs_string(plain))) {
			m->agreed++;
			return true;
		}
	}
	if (frame->loose)
		return false;
	return gsym_mk_functions(j->host, m->found.symbols, name, &one, 1) > 0;
}

/* The module of FRAME, whose number becomes one of that module; NULL if it is
 * not known. */
static struct stacks_module *module_at(struct stacks_state *s,
				       struct logs_frame *frame)
{
	if (frame->counts_from == LOGS_MEMORY)
		return gsym_stacks_find_memory(s, frame);
	return frame->module.size ? gsym_stacks_module_of(s, frame) : NULL;
}

/* Ask the host for the symbols of M, the module of FRAME, which may be NULL.
 * Returns whether FRAME may tell that they are of another build: by the code of
 * the program, or, of the first frames, by the name. */
static bool ask_trial(struct judge *j, struct stacks_module *m,
		      const struct logs_frame *frame)
{
	/* Most modules of a log have no symbols: gsym_stacks_symbols would copy
	 * all that the host said for each frame. */
	if (!m || (m->asked && !m->found.symbols))
		return false;
	return !frame->answered && !m->distrusted &&
	       gsym_stacks_symbols(j, m, true) && !m->found.certain &&
	       (m->found.text.bytes ||
		(frame->dialect->placed && m->trials < TRIAL));
}

bool gsym_stacks_ask_trial(struct judge *j, const struct logs_frame *frame)
{
	struct stacks_state *s = stacks_state(j);
	struct logs_frame copy = *frame;

	return s && ask_trial(j, module_at(s, &copy), frame);
}

/* FRAME, the next one of the stack that is compared, becomes as the lines
 * before it tell.  The frame comes again: what it tells about later ones is
 * kept for the comparisons of this stack alone. */
static void adapt(struct stacks_state *s, struct logs_frame *frame)
{
	const struct logs_dialect *d = frame->dialect;

	if (!d->adapt)
		return;
	if (s->compared.remembered_by != d)
		s->compared.memory = s->memories[logs_index(d)];
	s->compared.remembered_by = d;
	d->adapt(&s->compared.memory, frame);
}

/* The module of FRAME, which is adapted; NULL if it is not known.  *AFTER: the
 * frame may be behind a signal, so that no call has to stand before it. */
static struct stacks_module *next_module(struct stacks_state *s,
					 struct logs_frame *frame, bool *after)
{
	struct stacks_signals *signals = &s->compared.signals;
	struct stacks_module *m;

	*after = gsym_stacks_signal_at(signals, frame) != STACKS_RETURNS;
	m = module_at(s, frame);
	gsym_stacks_signal_after(signals, frame, m);
	/* Unknown code may be the vdso. */
	if (!m && !frame->function.size && !frame->named)
		signals->of[logs_index(frame->dialect)].next =
			STACKS_MAY_BE_EXACT;
	return m;
}

void gsym_stacks_compare(struct judge *j, struct logs_frame *frame)
{
	struct stacks_state *s = stacks_state(j);
	struct stacks_module *m;
	struct stacks_hint hint;
	uint64_t address;
	enum gsym_look named;
	bool after, unsure;

	if (!s)
		return;
	adapt(s, frame);
	m = next_module(s, frame, &after);
	if (!ask_trial(j, m, frame))
		return;
	m->trials++;
	hint = gsym_stacks_hint(j, m, frame);
	named = gsym_stacks_by_name(j, m, frame, &hint, &address);
	if (named == GSYM_LOOK_ANSWER) {
		m->agreed++;
		gsym_stacks_calls(s, m)->agreed++;
	} else if (named == GSYM_LOOK_MISMATCH) {
		gsym_stacks_accept(
			j, m, gsym_stacks_verdict_by_place(m, frame, false),
			&unsure);
	} else if (!after) {
		gsym_stacks_count_call(j, m, frame, &hint);
	}
}
