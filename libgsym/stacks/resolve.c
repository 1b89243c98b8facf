/* SPDX-License-Identifier: MIT */
/* From a frame of a backtrace to the symbols of its module, and to the address
 * that it stands for. */
#include "config.h"

#include "stacks/judge.h"

/* ---- addresses ------------------------------------------------------- */

/* The place of FRAME, whose number stands for ADDRESS: the last byte of the
 * call that returns there; ADDRESS itself if it is EXACT, or that of the
 * trampoline of a signal.  Then *TRAMPOLINE is set. */
static uint64_t adjusted(struct judge *j, void *symbols,
			 const struct logs_frame *frame, uint64_t address,
			 bool exact, bool *trampoline)
{
	const bool less = stacks_has_both(frame);

	if (!frame->returns && !less)
		return address;
	address += less;
	*trampoline = !exact &&
		      gsym_stacks_find_trampoline(j->host, symbols, address);
	return exact || *trampoline || !address ? address : address - 1;
}

/* The address of a frame of a program.  What is known of it from the frame
 * before, SIGNAL, becomes EXACT if no call stands before the address. */
static enum gsym_look locate(struct judge *j, struct stacks_module *m,
			     struct stacks_answer *answer,
			     struct stacks_signal *signal)
{
	const struct logs_frame *frame = &answer->frame;
	uint64_t address;
	enum gsym_look outcome = gsym_stacks_address(j, m, frame, &address);
	struct stacks_verdict verdict;
	struct mk_levels levels;
	bool exact, uncalled, trampoline = false;

	if (outcome != GSYM_LOOK_ANSWER)
		return outcome;
	verdict = gsym_stacks_verdict_by_place(
		m, frame, gsym_stacks_check_address(j, m, frame, address));
	if (!gsym_stacks_accept(j, m, verdict, &answer->unsure))
		return GSYM_LOOK_MISMATCH;
	/* A function and an offset say more. */
	exact = signal->last == STACKS_EXACT;
	uncalled = !exact && frame->counts_from != LOGS_FUNCTION &&
		   !frame->placed &&
		   gsym_stacks_lacks_call(j, m, frame, address);
	verdict = gsym_stacks_verdict_by_calls(
		gsym_stacks_calls(stacks_known(j), m), &m->before,
		uncalled && signal->last == STACKS_RETURNS, address);
	if (!gsym_stacks_accept(j, m, verdict, &answer->unsure))
		return GSYM_LOOK_MISMATCH;
	exact |= uncalled;
	if (exact && signal->last == STACKS_MAY_BE_EXACT)
		signal->last = STACKS_EXACT;
	if (frame->thumb && address <= UINT32_MAX)
		address &= ~(uint64_t)1;
	address = adjusted(j, answer->symbols, frame, address, exact,
			   &trampoline);
	if (trampoline)
		signal->next = STACKS_EXACT;
	levels = gsym_stacks_look_up(j->host, answer->symbols, address);
	if (!levels.count)
		return GSYM_LOOK_NO_FUNCTION;
	verdict = gsym_stacks_verdict_by_name(
		frame, gsym_stacks_check_names(j, m, frame, &levels));
	if (!gsym_stacks_accept(j, m, verdict, &answer->unsure))
		return GSYM_LOOK_MISMATCH;
	answer->addresses[0] = address;
	answer->count = 1;
	return GSYM_LOOK_ANSWER;
}

static bool begins_function(struct judge *j, void *symbols, uint64_t address)
{
	struct mk_levels l = gsym_stacks_look_up(j->host, symbols, address);

	return l.count && !l.items[l.count - 1].frame.offset;
}

/* ANSWER, which has an address, follows a frame that may be a signal
 * trampoline: its address may be exact.  If the answers for a return address
 * and for an exact one differ, both are given where there is room for both. */
static enum gsym_look give_both(struct judge *j, struct stacks_answer *answer)
{
	uint64_t exact = answer->addresses[0] + 1;
	struct mk_levels l = gsym_stacks_look_up(j->host, answer->symbols,
						 answer->addresses[0]);
	uint64_t sum = gsym_stacks_text_hash(j, &l);

	/* The program may have subtracted 1 from the exact address, too. */
	if (answer->frame.either_start && answer->frame.called &&
	    begins_function(j, answer->symbols, exact + 1))
		exact++;
	l = gsym_stacks_look_up(j->host, answer->symbols, exact);
	if (l.count && gsym_stacks_text_hash(j, &l) == sum)
		return GSYM_LOOK_ANSWER;
	if (answer->frame.either_start &&
	    (!l.count || l.items[l.count - 1].frame.offset))
		return GSYM_LOOK_ANSWER;
	if (answer->frame.layout != LOGS_APPEND) {
		answer->count = 0;
		return GSYM_LOOK_NO_FUNCTION;
	}
	answer->unsure = true;
	if (l.count && answer->count < STACKS_CHOICES)
		answer->addresses[answer->count++] = exact;
	return GSYM_LOOK_ANSWER;
}

/* The module of a frame that has a function, but no module: the one in which
 * the function lies at the address.  Its place in memory is known from another
 * frame.  NULL if there is none, or if there are several. */
static struct stacks_module *find_by_function(struct judge *j,
					      struct stacks_state *s,
					      const struct logs_frame *frame)
{
	struct stacks_module *found = NULL;
	const struct logs_text name = gsym_stacks_plain(frame->function);
	unsigned tries = GSYM_LIMIT(64u, 1);

	for (struct stacks_module *m = s->oldest; m && tries; m = m->younger) {
		const struct gsym_markup_frame *last;
		struct mk_levels l;
		const char *plain;

		if (m->dialect != frame->dialect || !m->biased ||
		    !m->found.symbols)
			continue;
		tries--;
		l = gsym_stacks_look_up(j->host, m->found.symbols,
					frame->address - m->bias);
		if (!l.count)
			continue;
		last = &l.items[l.count - 1].frame;
		plain = gsym_mk_demangle(j->host, last->function);
		if (last->offset != frame->number ||
		    !gsym_stacks_same_name(name, logs_string(plain)))
			continue;
		if (found)
			return NULL;
		found = m;
	}
	return found;
}

/* The address of a frame in memory that elements of markup describe. */
static enum gsym_look resolve_element(struct judge *j,
				      struct stacks_answer *answer,
				      struct stacks_signal *signal)
{
	bool trampoline = false;
	uint64_t address = answer->frame.number;
	const struct mk_mapping *at =
		gsym_mk_locate(j->processes, j->host->line->process,
			       j->host->options, &address);

	answer->symbols = at ? gsym_mk_symbols(j->host, at->module) : NULL;
	if (!answer->symbols)
		return GSYM_LOOK_NO_MODULE;
	gsym_stacks_name_module(answer, at->module->name, at->module->build_id,
				at->module->build_id_size);
	address = adjusted(j, answer->symbols, &answer->frame,
			   mk_relative(at, address),
			   signal->last == STACKS_EXACT, &trampoline);
	if (trampoline)
		signal->next = STACKS_EXACT;
	if (!gsym_stacks_look_up(j->host, answer->symbols, address).count)
		return GSYM_LOOK_NO_FUNCTION;
	answer->addresses[0] = address;
	answer->count = 1;
	return answer->frame.returns && signal->last == STACKS_MAY_BE_EXACT
		       ? give_both(j, answer)
		       : GSYM_LOOK_ANSWER;
}

/* The module that FRAME's address in memory lies in; NULL if the log has none.
 * Elements of markup, and options, describe memory better than a line that has
 * no more than the place of the code. */
static struct stacks_module *
find_memory(struct judge *j, struct stacks_state *s, struct logs_frame *frame)
{
	const uint64_t number = frame->number;
	struct stacks_module *m = gsym_stacks_find_memory(s, frame);
	uint64_t address = number;

	if (!m || frame->counts_from != LOGS_CODE ||
	    !gsym_mk_locate(j->processes, j->host->line->process,
			    j->host->options, &address))
		return m;
	frame->number = number;
	frame->counts_from = LOGS_MEMORY;
	return NULL;
}

/* The module of ANSWER's frame, whose number may become one of that module;
 * NULL, and *OUTCOME, if it has none. */
static struct stacks_module *module_of(struct judge *j, struct stacks_state *s,
				       struct logs_frame *frame,
				       enum gsym_look *outcome)
{
	struct stacks_module *m;

	*outcome = GSYM_LOOK_NO_MODULE;
	if (frame->counts_from == LOGS_MEMORY)
		return find_memory(j, s, frame);
	if (frame->counts_from == LOGS_FUNCTION && !frame->module.size)
		return find_by_function(j, s, frame);
	m = gsym_stacks_module_of(s, frame);
	if (!m) {
		*outcome = GSYM_LOOK_NOTHING;
		j->host->out->out_of_memory = true;
	}
	return m;
}

static enum gsym_look resolve_in(struct judge *j, struct stacks_module *m,
				 struct stacks_answer *answer,
				 struct stacks_signal *signal)
{
	enum gsym_look outcome;

	gsym_stacks_name_module(answer, m->name, m->id, m->id_size);
	answer->symbols = gsym_stacks_symbols(j, m, answer->frame.doubtful);
	if (!answer->symbols)
		return GSYM_LOOK_NO_MODULE;
	/* The symbols tell trampolines. */
	if (signal->next == STACKS_MAY_BE_EXACT)
		signal->next = STACKS_RETURNS;
	outcome = locate(j, m, answer, signal);
	if (outcome != GSYM_LOOK_ANSWER)
		return outcome;
	gsym_stacks_accept(j, m, gsym_stacks_verdict_of_module(m, NULL),
			   &answer->unsure);
	return (answer->frame.returns || stacks_has_both(&answer->frame)) &&
			       signal->last == STACKS_MAY_BE_EXACT
		       ? give_both(j, answer)
		       : outcome;
}

static enum gsym_look resolve_program(struct judge *j,
				      struct stacks_answer *answer)
{
	const struct logs_frame *frame = &answer->frame;
	struct stacks_state *s = stacks_state(j);
	struct stacks_signal *signal;
	struct stacks_module *m;
	enum gsym_look outcome;

	if (!s)
		return GSYM_LOOK_NOTHING;
	gsym_stacks_signal_at(&s->signals, frame);
	signal = &s->signals.of[logs_index(frame->dialect)];
	m = module_of(j, s, &answer->frame, &outcome);
	gsym_stacks_signal_after(&s->signals, frame, m);
	if (!m)
		return frame->counts_from == LOGS_MEMORY
			       ? resolve_element(j, answer, signal)
			       : outcome;
	gsym_stacks_learn_bias(m, frame);
	return frame->answered ? GSYM_LOOK_ANSWER
			       : resolve_in(j, m, answer, signal);
}

/* ---- all ------------------------------------------------------------- */

/* Change FRAME as the lines before it tell. */
static void adapt(struct judge *j, struct logs_frame *frame)
{
	struct stacks_state *s = stacks_state(j);

	if (s && frame->dialect->adapt)
		frame->dialect->adapt(&s->memories[logs_index(frame->dialect)],
				      frame);
}

bool gsym_stacks_resolve(struct judge *j, struct stacks_answer *answer)
{
	struct gsym_markup_log_count *c = j->counts;
	enum gsym_look outcome = GSYM_LOOK_NO_MODULE;

	answer->symbols = NULL;
	answer->module = answer->frame.module;
	j->found = (struct gsym_markup_log_symbols){ 0 };
	answer->count = 0;
	answer->unsure = false;
	adapt(j, &answer->frame);
	if (j->host->calls.code)
		outcome = answer->frame.dialect->sized
				  ? gsym_stacks_resolve_size(j, answer)
				  : resolve_program(j, answer);
	if (j->host->calls.logs.explain &&
	    (!answer->frame.doubtful || outcome != GSYM_LOOK_NO_MODULE))
		gsym_stacks_explain(j, answer, outcome);
	c += logs_index(answer->frame.dialect);
	/* A text that may be no frame counts if its module is known. */
	if (answer->frame.doubtful && outcome == GSYM_LOOK_NO_MODULE)
		return false;
	c->frames++;
	c->answered += outcome == GSYM_LOOK_ANSWER;
	c->no_module += outcome == GSYM_LOOK_NO_MODULE;
	c->no_function += outcome == GSYM_LOOK_NO_FUNCTION ||
			  outcome == GSYM_LOOK_NOTHING;
	c->mismatch += outcome == GSYM_LOOK_MISMATCH;
	return outcome == GSYM_LOOK_ANSWER && !answer->frame.answered;
}
