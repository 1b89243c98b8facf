/* SPDX-License-Identifier: MIT */
/*
 * The symbols of modules.  Those that were found by the name of their module
 * may be of another build than the log.  Functions of the log tell, by their
 * names and by their places.
 */
#include "config.h"

#include "markup/logs.h"

#include "base/text.h"
#include "markup/filter.h"
#include "markup/lognames.h"

/* ---- symbols of modules ----------------------------------------------- */

struct gsym_mk_log_module *
gsym_mk_log_module_of(struct gsym_mk_log_state *s,
		      const struct logs_frame *frame)
{
	struct gsym_mk_slice name = gsym_mk_log_slice(frame->module);
	struct gsym_mk_log_module *m;

	if (frame->package ||
	    (!name.size && frame->log != GSYM_MARKUP_LOG_KERNEL))
		name = gsym_mk_log_slice(frame->build_id);
	m = gsym_mk_log_module(s, frame->log, name);
	if (m && frame->build_id.size)
		gsym_mk_log_identify(s, m, gsym_mk_log_slice(frame->build_id));
	return m;
}

struct gsym_mk_log_module *
gsym_mk_log_find_memory(struct gsym_mk_log_state *s, struct logs_frame *frame)
{
	const struct gsym_mk_mapping *at =
		gsym_mk_mapping_find(&s->memory, frame->number);

	if (!at)
		return NULL;
	frame->number = gsym_mk_relative(at, frame->number);
	frame->counts_from = LOGS_MAPPED;
	return gsym_mk_log_module(s, frame->log, at->module->name);
}

static void say_missing(struct gsym_markup *f, struct gsym_mk_log_module *m)
{
	const struct gsym_mk_log_state *s = f->process->log;
	char id[2 * GSYM_MK_BUILD_ID + 1];

	m->missed = true;
	gsym_digits(id, sizeof(id), m->id, m->id_size);
	if (m->log == GSYM_MARKUP_LOG_KERNEL)
		gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
			    "no symbols for the kernel%s%.*s%s%.*s%s%s%s%s",
			    m->name.size ? "'s module " : "",
			    (int)m->name.size, m->name.at,
			    s->release_size ? "; release=" : "",
			    (int)s->release_size, s->release,
			    m->id_size ? "; BuildID=" : "", id,
			    m->found.other ? ": " : "",
			    m->found.other ? m->found.other : "");
	else
		gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
			    "no symbols for module \"%.*s\"; BuildID=%s%s%s",
			    gsym_mk_clip(m->name.size), m->name.at, id,
			    m->found.other ? ": " : "",
			    m->found.other ? m->found.other : "");
}

/* Ask the host for the symbols of M. */
static void ask(struct gsym_markup *f, struct gsym_mk_log_module *m)
{
	const struct gsym_mk_log_state *s = f->process->log;
	const struct gsym_markup_log_module about = {
		.log = m->log,
		.name = m->name.at,
		.name_size = m->name.size,
		.build_id = m->id,
		.build_id_size = m->id_size,
		.release = s->release,
		.release_size = gsym_logs_dialect(m->log)->sized
					? s->release_size
					: 0,
	};

	if (!f->host.log_module)
		return;
	/* The host may take long to find symbols: write the output so far. */
	gsym_mk_drain(&f->out, true);
	if (!f->host.log_module(f->host.context, &about, &m->found))
		m->found = (struct gsym_markup_log_symbols){ 0 };
}

void *gsym_mk_log_symbols(struct gsym_markup *f, struct gsym_mk_log_module *m,
			  bool doubtful)
{
	if (!m->asked)
		ask(f, m);
	m->asked = true;
	f->logs->found = m->found;
	if (m->found.other && !f->options.log_any_build)
		m->found.symbols = NULL;
	if (!m->found.symbols && !m->missed && !doubtful)
		say_missing(f, m);
	return m->found.symbols;
}

void gsym_mk_log_name_module(struct gsym_mk_log_hit *hit,
			     struct gsym_mk_slice name, const uint8_t *id,
			     size_t id_size)
{
	hit->module = name;
	memcpy(hit->build_id, id, id_size);
	hit->build_id_size = id_size;
}

/* The most frames of a module without a program at hand that are compared
 * before they get answers. */
#define TRIAL GSYM_LIMIT(64u, 1)

/* ---- another build ---------------------------------------------------- */

void gsym_mk_log_say_disagreed(struct gsym_markup *f,
			       struct gsym_mk_log_module *m,
			       struct gsym_mk_slice function)
{
	if (m->disagreed)
		return;
	m->disagreed = true;
	gsym_mk_say(f, GSYM_MARKUP_NOTE, NULL,
		    "the symbols of \"%.*s\" do not have %.*s where the log "
		    "has it: another build?",
		    gsym_mk_clip(m->name.size), m->name.at,
		    gsym_mk_clip(function.size), function.at);
}

/* Symbols that were found by the name of their module may be of another build;
 * then they disagree with the function that the log has. */
bool gsym_mk_log_check_names(struct gsym_markup *f,
			     struct gsym_mk_log_module *m,
			     const struct logs_frame *frame,
			     const struct gsym_mk_levels *levels)
{
	struct gsym_mk_slice name =
		gsym_mk_log_plain(gsym_mk_log_slice(frame->function));
	struct gsym_markup_log_function one;

	if (m->found.certain || !name.size)
		return true;
	for (size_t i = 0; i < levels->count; i++) {
		const char *function = levels->items[i].frame.function;
		struct gsym_mk_slice linkage = { function, strlen(function) };
		const char *plain = gsym_mk_demangle(f, function);

		struct gsym_mk_slice shown = { plain, strlen(plain) };

		if (gsym_mk_log_same_name(name, linkage) ||
		    gsym_mk_log_same_name(name, shown)) {
			m->agreed++;
			return true;
		}
	}
	if (frame->loose)
		return false;
	return f->host.log_functions &&
	       f->host.log_functions(f->host.context, m->found.symbols, name.at,
				     name.size, &one, 1) > 0;
}

void gsym_mk_log_distrust(struct gsym_markup *f, struct gsym_mk_log_module *m,
			  const struct logs_frame *frame)
{
	/* Other frames of M may get answers. */
	if (frame->loose && !f->options.log_any_build)
		gsym_mk_log_say_disagreed(f, m,
					  gsym_mk_log_slice(frame->function));
	m->distrusted |= !frame->loose;
	if (m->disagreed || f->options.log_any_build)
		return;
	m->disagreed = true;
	gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
		    "%.*s lies elsewhere in the symbols of \"%.*s\" than in "
		    "the log: another build, which gives no answers",
		    gsym_mk_clip(frame->function.size), frame->function.at,
		    gsym_mk_clip(m->name.size), m->name.at);
}

/* The module of FRAME, whose number becomes one of that module; NULL if it is
 * not known. */
static struct gsym_mk_log_module *module_at(struct gsym_mk_log_state *s,
					    struct logs_frame *frame)
{
	if (frame->counts_from == LOGS_MEMORY)
		return gsym_mk_log_find_memory(s, frame);
	return frame->module.size ? gsym_mk_log_module_of(s, frame) : NULL;
}

/* Ask the host for the symbols of M, the module of FRAME, which may be NULL.
 * Returns whether FRAME may tell that they are of another build: by the code of
 * the program, or, of the first frames, by the name. */
static bool ask_trial(struct gsym_markup *f, struct gsym_mk_log_module *m,
		      const struct logs_frame *frame)
{
	return m && !frame->answered && !m->distrusted &&
	       gsym_mk_log_symbols(f, m, true) && !m->found.certain &&
	       (m->found.site ||
		(frame->dialect->placed && m->compared < TRIAL));
}

bool gsym_mk_log_ask_trial(struct gsym_markup *f,
			   const struct logs_frame *frame)
{
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);
	struct logs_frame copy = *frame;

	return s && ask_trial(f, module_at(s, &copy), frame);
}

void gsym_mk_log_compare(struct gsym_markup *f, struct logs_frame *frame)
{
	const struct logs_dialect *d = frame->dialect;
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);
	struct gsym_mk_log_module *m = s ? module_at(s, frame) : NULL;
	struct gsym_mk_log_place place;
	uint64_t address;
	enum gsym_look named;
	bool after = s && gsym_mk_log_compare_signal(s, frame, m);

	/* The frame comes again: what it tells about later ones is kept for the
	 * comparisons of this stack alone. */
	if (s && d->settle) {
		if (s->settled_by != d)
			s->settled = s->memories[logs_index(d->log)];
		s->settled_by = d;
		d->settle(&s->settled, frame, f->line_number);
		after |= frame->either;
	}
	if (!ask_trial(f, m, frame)) {
		if (s)
			s->compared_module = NULL;
		return;
	}
	m->compared++;
	place = gsym_mk_log_place(f, m, frame);
	named = gsym_mk_log_by_name(f, m, frame, &place, &address);
	if (named == GSYM_LOOK_ANSWER)
		gsym_mk_log_count_name(s, m);
	if (named == GSYM_LOOK_MISMATCH)
		gsym_mk_log_distrust(f, m, frame);
	else if (named != GSYM_LOOK_ANSWER && !after)
		gsym_mk_log_count_call(f, m, frame);
	else
		s->compared_module = NULL;
}

void gsym_mk_log_say_unproven(struct gsym_markup *f,
			      struct gsym_mk_log_module *m)
{
	if (m->found.certain || m->agreed || m->unproven ||
	    f->options.log_any_build)
		return;
	m->unproven = true;
	gsym_mk_say(f, GSYM_MARKUP_NOTE, NULL,
		    "the log does not tell the build of \"%.*s\": its symbols "
		    "may be of another one",
		    gsym_mk_clip(m->name.size), m->name.at);
}
