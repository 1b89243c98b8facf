/* SPDX-License-Identifier: MIT */
/*
 * Return addresses, as evidence of the build: in the code of the program that
 * wrote the log each has a call before it.  In the code of another build most
 * have none.
 *
 * A few addresses of a true stack have no call before them: that of a signal,
 * and those that a program puts on its stacks itself, as for coroutines, always
 * the same.  And another build may have code in common with that of the log.
 * So one such address takes the answers from the frames of its stack in the
 * module if no more are behind calls, and several different ones do in any
 * case, unless very many frames are behind calls.  A call of another function
 * than that of the frame before proves nothing: the other function may have
 * jumped there.
 *
 * Each stack is judged by its own frames, as any line of a log may be odd, or
 * made up, and as a log may go on after the program was replaced.  A stack that
 * has no more than one frame behind a call may have that one by chance: there
 * the stacks before count as well.
 */
#include "config.h"

#include "markup/logs.h"

#include <inttypes.h>

#include "base/system.h"
#include "markup/filter.h"
#include "markup/lognames.h"

/* ---- signals --------------------------------------------------------- */

bool gsym_mk_log_is_libc(const struct gsym_mk_log_module *m)
{
	static const char *const names[] = { "libc.so", "libc-", "libpthread",
					     "ld-musl", "libc.musl" };
	const char *slash = m->name.size ? memrchr(m->name.at, '/',
						   m->name.size)
					 : NULL;
	const char *base = slash ? slash + 1 : m->name.at;
	size_t size = m->name.size - (size_t)(base - m->name.at);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (size >= strlen(names[i]) &&
		    memcmp(base, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool gsym_mk_log_find_trampoline(struct gsym_markup *f, void *symbols,
				 uint64_t address)
{
	struct gsym_mk_levels l = gsym_mk_levels_of(f, symbols, address);
	const struct gsym_markup_frame *last;

	if (!l.count)
		return false;
	last = &l.items[l.count - 1].frame;
	return !last->offset &&
	       gsym_mk_log_names_trampoline((struct gsym_mk_slice){
		       last->function, strlen(last->function) });
}

/* Whether signal handlers may return to a frame that has FRAME's address. */
static bool may_be_trampoline(const struct logs_frame *frame,
			      const struct gsym_mk_log_module *m)
{
	if (frame->function.size)
		return gsym_mk_log_names_trampoline(
			gsym_mk_log_slice(frame->function));
	if (frame->named)
		return false;
	return !m || gsym_mk_log_is_libc(m) ||
	       memmem(m->name.at, m->name.size, "vdso", 4) ||
	       memmem(m->name.at, m->name.size, "linux-gate", 10);
}

void gsym_mk_log_compare_begin(struct gsym_mk_log_state *s)
{
	s->stack++;
	s->compared_next = s->next;
	s->compared_module = NULL;
	s->settled_by = NULL;
}

bool gsym_mk_log_compare_signal(struct gsym_mk_log_state *s,
				const struct logs_frame *frame,
				const struct gsym_mk_log_module *m)
{
	enum gsym_mk_log_exact *next =
		&s->compared_next.of[logs_index(frame->log)];
	bool after = *next != GSYM_MK_LOG_RETURNS;

	*next = may_be_trampoline(frame, m) ? GSYM_MK_LOG_MAY_BE_EXACT
					    : GSYM_MK_LOG_RETURNS;
	return after;
}

/* ---- calls ----------------------------------------------------------- */

/* What the code of M has before the address of FRAME, which is ADDRESS or, if
 * the log has return addresses less 1, the next one.  *TARGET as SITE sets
 * it. */
static enum gsym_markup_site site(const struct gsym_mk_log_module *m,
				  const struct logs_frame *frame,
				  uint64_t address, uint64_t *target)
{
	enum gsym_markup_site found = GSYM_MARKUP_SITE_UNKNOWN;
	void *symbols = m->found.symbols;

	if (!m->found.site || m->found.certain)
		return found;
	if (frame->returns)
		found = m->found.site(symbols, address, target);
	if (frame->called && found != GSYM_MARKUP_SITE_CALL)
		found = m->found.site(symbols, address + 1, target);
	return found;
}

bool gsym_mk_log_lacks_call(struct gsym_markup *f,
			    const struct gsym_mk_log_module *m,
			    const struct logs_frame *frame, uint64_t address)
{
	uint64_t target;

	return site(m, frame, address, &target) == GSYM_MARKUP_SITE_OTHER &&
	       !gsym_mk_log_find_trampoline(f, m->found.symbols, address);
}

/* The start of the function that ADDRESS is in; 0 if it is not known. */
static uint64_t function_at(struct gsym_markup *f, void *symbols,
			    uint64_t address)
{
	struct gsym_mk_levels l = gsym_mk_levels_of(f, symbols, address);

	return l.count ? address - l.items[l.count - 1].frame.offset : 0;
}

/* Whether a call of TARGET, 0: not known, may have led to the frame that was
 * compared last, which is in M as well, if it is. */
static bool may_lead_there(struct gsym_markup *f,
			   const struct gsym_mk_log_state *s,
			   const struct gsym_mk_log_module *m, uint64_t target)
{
	uint64_t callee;

	if (!target || s->compared_module != m)
		return true;
	callee = function_at(f, m->found.symbols, s->compared_address);
	return !callee || callee == target;
}

/* ---- verdicts -------------------------------------------------------- */

/* Whether the frames of E, of one stack, refute the symbols. */
static bool is_refuted(const struct gsym_mk_log_evidence *e)
{
	enum { FEW = 8 };

	return e->uncalled == 1 ? e->agreed <= 1
				: e->uncalled && FEW * e->uncalled >= e->agreed;
}

bool gsym_mk_log_is_suspect(const struct gsym_mk_log_module *m)
{
	/* A single odd frame says nothing about other stacks. */
	return m->before.uncalled > 1 && m->before.uncalled > m->before.agreed;
}

/* The evidence about M in the stack at hand.  That in the stack before goes to
 * the sums: of a refuted stack the frames without a call, of another one the
 * rest. */
static struct gsym_mk_log_evidence *
evidence(const struct gsym_mk_log_state *s, struct gsym_mk_log_module *m)
{
	struct gsym_mk_log_evidence *e = &m->evidence, *sum = &m->before;

	if (m->stack == s->stack)
		return e;
	if (!is_refuted(e)) {
		sum->agreed += e->agreed;
	} else if (e->uncalled > 1 || e->last_uncalled != sum->last_uncalled) {
		sum->uncalled += e->uncalled;
		sum->last_uncalled = e->last_uncalled;
	}
	*e = (struct gsym_mk_log_evidence){ 0 };
	m->stack = s->stack;
	return e;
}

void gsym_mk_log_count_call(struct gsym_markup *f, struct gsym_mk_log_module *m,
			    const struct logs_frame *frame)
{
	struct gsym_mk_log_state *s = f->process->log;
	struct gsym_mk_log_evidence *e = evidence(s, m);
	const struct gsym_mk_log_place place = gsym_mk_log_place(f, m, frame);
	uint64_t address = place.address, target = 0;
	bool called;

	if (!place.known) {
		s->compared_module = NULL;
		return;
	}
	/* strace: some versions print addresses there. */
	if (frame->counts_from == LOGS_FILE && address != frame->number &&
	    site(m, frame, frame->number, &target) == GSYM_MARKUP_SITE_CALL)
		address = frame->number;
	called = site(m, frame, address, &target) == GSYM_MARKUP_SITE_CALL;
	if (called && may_lead_there(f, s, m, target)) {
		e->agreed++;
	} else if (gsym_mk_log_lacks_call(f, m, frame, address)) {
		e->uncalled += address != e->last_uncalled;
		e->last_uncalled = address;
	}
	s->compared_module = m;
	s->compared_address = frame->returns && address ? address - 1 : address;
}

void gsym_mk_log_count_name(struct gsym_mk_log_state *s,
			    struct gsym_mk_log_module *m)
{
	m->agreed++;
	evidence(s, m)->agreed++;
}

bool gsym_mk_log_refute(struct gsym_markup *f, struct gsym_mk_log_module *m,
			bool uncalled, uint64_t address)
{
	const struct gsym_mk_log_evidence *e = evidence(f->process->log, m);
	bool all = is_refuted(e) ||
		   (e->agreed <= 1 && gsym_mk_log_is_suspect(m));

	if (!all && !uncalled)
		return false;
	if (m->disagreed || f->options.log_any_build)
		return true;
	m->disagreed = true;
	gsym_mk_say(f, all ? GSYM_MARKUP_ERROR : GSYM_MARKUP_NOTE, NULL,
		    "no call stands before 0x%" PRIx64 " in the program of "
		    "\"%.*s\": %s",
		    uncalled || !e->uncalled ? address : e->last_uncalled,
		    gsym_mk_clip(m->name.size), m->name.at,
		    all ? "the symbols are of another build, and give no "
			  "answers for this stack"
			: "are the symbols of another build?");
	return true;
}
