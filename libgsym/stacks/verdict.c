/* SPDX-License-Identifier: MIT */
/* Verdicts about symbols, and what follows from them. */
#include "config.h"

#include "stacks/judge.h"

#include <inttypes.h>

/* ---- verdicts ---------------------------------------------------------- */

/* The verdict of evidence that agrees with the symbols. */
static const struct gsym_mk_log_verdict agrees = {
	.trust = GSYM_MK_LOG_PLAUSIBLE,
};

static struct gsym_mk_log_verdict refuted(enum gsym_mk_log_scope scope,
					  enum gsym_mk_log_reason reason)
{
	return (struct gsym_mk_log_verdict){
		.trust = GSYM_MK_LOG_REFUTED,
		.scope = scope,
		.reason = reason,
	};
}

struct gsym_mk_log_verdict
gsym_mk_verdict_of_module(const struct gsym_mk_log_module *m,
			  const struct gsym_mk_log_module *kernel)
{
	struct gsym_mk_log_verdict v = agrees;
	const bool distrusted = kernel ? kernel->distrusted : m->distrusted;

	v.scope = GSYM_MK_LOG_MODULE;
	if (m->found.other || (distrusted && !m->found.certain))
		return refuted(GSYM_MK_LOG_MODULE, GSYM_MK_LOG_SAID);
	if (m->found.certain)
		v.trust = GSYM_MK_LOG_PROVEN;
	else if (!m->agreed)
		v.trust = GSYM_MK_LOG_UNKNOWN;
	return v;
}

struct gsym_mk_log_verdict
gsym_mk_verdict_by_place(const struct gsym_mk_log_module *m,
			 const struct logs_frame *frame, bool there)
{
	struct gsym_mk_log_verdict v = gsym_mk_verdict_of_module(m, NULL);

	if (there && v.trust != GSYM_MK_LOG_REFUTED)
		return agrees;
	/* Other frames of the module may get answers. */
	v = frame->loose ? refuted(GSYM_MK_LOG_FRAME, GSYM_MK_LOG_BY_NAME)
			 : refuted(GSYM_MK_LOG_MODULE, GSYM_MK_LOG_BY_PLACE);
	v.function = frame->function;
	return v;
}

struct gsym_mk_log_verdict
gsym_mk_verdict_by_name(const struct logs_frame *frame, bool same)
{
	struct gsym_mk_log_verdict v =
		refuted(GSYM_MK_LOG_FRAME, GSYM_MK_LOG_BY_NAME);

	v.function = frame->function;
	return same ? agrees : v;
}

bool gsym_mk_log_refutes(const struct gsym_mk_log_calls *c)
{
	enum { FEW = 8 };

	return c->uncalled == 1 ? c->agreed <= 1
				: c->uncalled && FEW * c->uncalled >= c->agreed;
}

/* Whether more frames of stacks speak against symbols than for them.  A single
 * odd frame says nothing about other stacks. */
static bool is_suspect(const struct gsym_mk_log_calls *c)
{
	return c->uncalled > 1 && c->uncalled > c->agreed;
}

struct gsym_mk_log_verdict
gsym_mk_verdict_by_calls(const struct gsym_mk_log_calls *now,
			 const struct gsym_mk_log_calls *before, bool uncalled,
			 uint64_t address)
{
	const bool all = gsym_mk_log_refutes(now) ||
			 (now->agreed <= 1 && is_suspect(before));
	struct gsym_mk_log_verdict v =
		refuted(all ? GSYM_MK_LOG_STACK : GSYM_MK_LOG_FRAME,
			GSYM_MK_LOG_BY_CALL);

	v.number = uncalled || !now->uncalled ? address : now->last_uncalled;
	return all || uncalled ? v : agrees;
}

/* Whether the size in the log lacks the last digits of SIZE: the line may have
 * been cut. */
static bool is_cut(const struct logs_frame *frame, uint64_t size)
{
	while (size > frame->size)
		size >>= 4;
	return frame->size && size == frame->size;
}

struct gsym_mk_log_verdict
gsym_mk_verdict_by_size(const struct logs_frame *frame, uint64_t size,
			bool trial)
{
	struct gsym_mk_log_verdict v =
		refuted(trial ? GSYM_MK_LOG_KERNEL : GSYM_MK_LOG_FRAME,
			GSYM_MK_LOG_BY_SIZE);

	if (frame->alone || is_cut(frame, size))
		return refuted(GSYM_MK_LOG_FRAME, GSYM_MK_LOG_SAID);
	v.function = frame->function;
	v.number = size;
	v.in_log = frame->size;
	return v;
}

/* ---- what follows ------------------------------------------------------ */

static void say_size(struct gsym_mk_judge *j,
		     const struct gsym_mk_log_module *m,
		     const struct gsym_mk_log_verdict *v)
{
	const bool all = v->scope == GSYM_MK_LOG_KERNEL;

	gsym_mk_say(j->host, all ? GSYM_MARKUP_ERROR : GSYM_MARKUP_NOTE, NULL,
		    "%.*s has 0x%" PRIx64 " bytes in the symbols of %.*s, "
		    "0x%" PRIx64 " in the log: another build%s",
		    (int)v->function.size, v->function.at, v->number,
		    (int)(m->name.size ? m->name.size : 7),
		    m->name.size ? m->name.at : "vmlinux", v->in_log,
		    all ? ", which gives no answers" : "?");
}

static void say_call(struct gsym_mk_judge *j, struct logs_text module,
		     const struct gsym_mk_log_verdict *v)
{
	const bool all = v->scope == GSYM_MK_LOG_STACK;

	gsym_mk_say(j->host, all ? GSYM_MARKUP_ERROR : GSYM_MARKUP_NOTE, NULL,
		    "no call stands before 0x%" PRIx64 " in the program of "
		    "\"%.*s\": %s",
		    v->number, (int)module.size, module.at,
		    all ? "the symbols are of another build, and give no "
			  "answers for this stack"
			: "are the symbols of another build?");
}

/* Report that V refutes the symbols of M. */
static void say(struct gsym_mk_judge *j, const struct gsym_mk_log_module *m,
		const struct gsym_mk_log_verdict *v)
{
	const struct logs_text module = gsym_mk_log_shown_name(m);
	const struct logs_text function = v->function;

	switch (v->reason) {
	case GSYM_MK_LOG_SAID:
		break;
	case GSYM_MK_LOG_BY_PLACE:
		gsym_mk_say(j->host, GSYM_MARKUP_ERROR, NULL,
			    "%.*s lies elsewhere in the symbols of \"%.*s\" "
			    "than in the log: another build, which gives no "
			    "answers",
			    gsym_mk_clip(function.size), function.at,
			    (int)module.size, module.at);
		break;
	case GSYM_MK_LOG_BY_NAME:
		gsym_mk_say(j->host, GSYM_MARKUP_NOTE, NULL,
			    "the symbols of \"%.*s\" do not have %.*s where "
			    "the log has it: another build?",
			    (int)module.size, module.at,
			    gsym_mk_clip(function.size), function.at);
		break;
	case GSYM_MK_LOG_BY_CALL:
		say_call(j, module, v);
		break;
	case GSYM_MK_LOG_BY_SIZE:
		say_size(j, m, v);
		break;
	}
}

/* Note that nothing tells the build of M's symbols, once. */
static void say_unknown(struct gsym_mk_judge *j, struct gsym_mk_log_module *m)
{
	const struct logs_text module = gsym_mk_log_shown_name(m);

	if (m->unproven || j->options->any_build)
		return;
	m->unproven = true;
	gsym_mk_say(j->host, GSYM_MARKUP_NOTE, NULL,
		    "the log does not tell the build of \"%.*s\": its symbols "
		    "may be of another one",
		    (int)module.size, module.at);
}

bool gsym_mk_log_accept(struct gsym_mk_judge *j, struct gsym_mk_log_module *m,
			const struct gsym_mk_log_verdict *v, bool *unsure)
{
	struct gsym_mk_log_module *last = NULL;
	bool is_new;

	if (v->trust != GSYM_MK_LOG_REFUTED) {
		if (v->trust == GSYM_MK_LOG_UNKNOWN)
			say_unknown(j, m);
		return true;
	}
	*unsure = true;
	if (v->scope == GSYM_MK_LOG_MODULE)
		last = m;
	if (v->scope == GSYM_MK_LOG_KERNEL)
		last = gsym_mk_log_kernel(gsym_mk_log_known(j));
	is_new = !m->disagreed ||
		 (v->scope == GSYM_MK_LOG_KERNEL && last && !last->distrusted);
	if (last)
		last->distrusted = true;
	if (j->options->any_build)
		return true;
	if (is_new && v->reason != GSYM_MK_LOG_SAID) {
		m->disagreed = true;
		say(j, m, v);
	}
	return false;
}
