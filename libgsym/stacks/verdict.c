/* SPDX-License-Identifier: MIT */
/* Verdicts about symbols, and what follows from them. */
#include "config.h"

#include "stacks/judge.h"

#include <inttypes.h>

/* ---- verdicts ---------------------------------------------------------- */

/* The verdict of evidence that agrees with the symbols. */
static const struct stacks_verdict agrees = {
	.trust = STACKS_PLAUSIBLE,
};

static struct stacks_verdict refuted(enum stacks_scope scope,
				     enum stacks_reason reason)
{
	return (struct stacks_verdict){
		.trust = STACKS_REFUTED,
		.scope = scope,
		.reason = reason,
	};
}

struct stacks_verdict
gsym_stacks_verdict_of_module(const struct stacks_module *m,
			      const struct stacks_module *kernel)
{
	const bool distrusted = kernel ? kernel->distrusted : m->distrusted;
	struct stacks_verdict v = agrees;

	if (m->found.other || (distrusted && !m->found.certain))
		return refuted(GSYM_SCOPE_MODULE, STACKS_SAID);
	if (!m->found.certain && !m->agreed)
		v.trust = STACKS_UNKNOWN;
	return v;
}

struct stacks_verdict
gsym_stacks_verdict_by_place(const struct stacks_module *m,
			     const struct logs_frame *frame, bool there)
{
	struct stacks_verdict v = gsym_stacks_verdict_of_module(m, NULL);

	if (there && v.trust != STACKS_REFUTED)
		return agrees;
	/* Other frames of the module may get answers. */
	v = frame->loose ? refuted(GSYM_SCOPE_FRAME, STACKS_BY_NAME)
			 : refuted(GSYM_SCOPE_MODULE, STACKS_BY_PLACE);
	v.function = frame->function;
	return v;
}

struct stacks_verdict
gsym_stacks_verdict_by_name(const struct logs_frame *frame, bool same)
{
	struct stacks_verdict v = refuted(GSYM_SCOPE_FRAME, STACKS_BY_NAME);

	v.function = frame->function;
	return same ? agrees : v;
}

bool gsym_stacks_refutes(const struct stacks_calls *c)
{
	enum { FEW = 8 };

	return c->uncalled == 1 ? c->agreed <= 1
				: c->uncalled && FEW * c->uncalled >= c->agreed;
}

struct stacks_verdict
gsym_stacks_verdict_by_calls(const struct stacks_calls *now,
			     const struct stacks_calls *before, bool uncalled,
			     uint64_t address)
{
	/* A single odd frame says nothing about other stacks. */
	const bool suspect =
		before->uncalled > 1 && before->uncalled > before->agreed;
	const bool all =
		gsym_stacks_refutes(now) || (now->agreed <= 1 && suspect);
	struct stacks_verdict v = refuted(
		all ? GSYM_SCOPE_STACK : GSYM_SCOPE_FRAME, STACKS_BY_CALL);

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

struct stacks_verdict
gsym_stacks_verdict_by_size(const struct logs_frame *frame, uint64_t size,
			    bool trial)
{
	struct stacks_verdict v = refuted(
		trial ? GSYM_SCOPE_KERNEL : GSYM_SCOPE_FRAME, STACKS_BY_SIZE);

	if (frame->alone || is_cut(frame, size))
		return refuted(GSYM_SCOPE_FRAME, STACKS_SAID);
	v.function = frame->function;
	v.number = size;
	v.in_log = frame->size;
	return v;
}

/* ---- what follows ------------------------------------------------------ */

static void say_size(struct judge *j, const struct stacks_module *m,
		     const struct stacks_verdict *v)
{
	const bool all = v->scope == GSYM_SCOPE_KERNEL;

	gsym_mk_say(j->host, all ? GSYM_MARKUP_ERROR : GSYM_MARKUP_NOTE, NULL,
		    "%.*s has 0x%" PRIx64 " bytes in the symbols of %.*s, "
		    "0x%" PRIx64 " in the log: another build%s",
		    (int)v->function.size, v->function.at, v->number,
		    (int)(m->name.size ? m->name.size : 7),
		    m->name.size ? m->name.at : "vmlinux", v->in_log,
		    all ? ", which gives no answers" : "?");
}

static void say_call(struct judge *j, struct logs_text module,
		     const struct stacks_verdict *v)
{
	const bool all = v->scope == GSYM_SCOPE_STACK;

	gsym_mk_say(j->host, all ? GSYM_MARKUP_ERROR : GSYM_MARKUP_NOTE, NULL,
		    "no call stands before 0x%" PRIx64 " in the program of "
		    "\"%.*s\": %s",
		    v->number, (int)module.size, module.at,
		    all ? "the symbols are of another build, and give no "
			  "answers for this stack"
			: "are the symbols of another build?");
}

static void say(struct judge *j, const struct stacks_module *m,
		const struct stacks_verdict *v)
{
	const struct logs_text module = gsym_stacks_shown_name(m);
	const struct logs_text function = v->function;

	switch (v->reason) {
	case STACKS_SAID:
		break;
	case STACKS_BY_PLACE:
		gsym_mk_say(j->host, GSYM_MARKUP_ERROR, NULL,
			    "%.*s lies elsewhere in the symbols of \"%.*s\" "
			    "than in the log: another build, which gives no "
			    "answers",
			    mk_clip(function.size), function.at,
			    (int)module.size, module.at);
		break;
	case STACKS_BY_NAME:
		gsym_mk_say(j->host, GSYM_MARKUP_NOTE, NULL,
			    "the symbols of \"%.*s\" do not have %.*s where "
			    "the log has it: another build?",
			    (int)module.size, module.at, mk_clip(function.size),
			    function.at);
		break;
	case STACKS_BY_CALL:
		say_call(j, module, v);
		break;
	case STACKS_BY_SIZE:
		say_size(j, m, v);
		break;
	}
}

/* Note that nothing tells the build of M's symbols, once. */
static void say_unknown(struct judge *j, struct stacks_module *m)
{
	const struct logs_text module = gsym_stacks_shown_name(m);

	if (m->unproven || j->options->any_build)
		return;
	m->unproven = true;
	gsym_mk_say(j->host, GSYM_MARKUP_NOTE, NULL,
		    "the log does not tell the build of \"%.*s\": its symbols "
		    "may be of another one",
		    (int)module.size, module.at);
}

bool gsym_stacks_accept(struct judge *j, struct stacks_module *m,
			struct stacks_verdict v, bool *unsure)
{
	struct stacks_module *last = NULL;
	bool is_new;

	if (v.trust != STACKS_REFUTED) {
		if (v.trust == STACKS_UNKNOWN)
			say_unknown(j, m);
		return true;
	}
	*unsure = true;
	if (v.scope == GSYM_SCOPE_MODULE)
		last = m;
	if (v.scope == GSYM_SCOPE_KERNEL)
		last = gsym_stacks_kernel(stacks_known(j));
	is_new = !m->disagreed ||
		 (v.scope == GSYM_SCOPE_KERNEL && last && !last->distrusted);
	if (last)
		last->distrusted = true;
	if (j->options->any_build)
		return true;
	if (is_new && v.reason != STACKS_SAID) {
		m->disagreed = true;
		say(j, m, &v);
	}
	return false;
}
