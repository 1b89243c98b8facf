/* SPDX-License-Identifier: MIT */
/*
 * The symbols of modules.  Those that were found by the name of their module
 * may be of another build than the log.  Functions of the log tell, by their
 * names and by their places.
 */
#include "config.h"

#include "markup/logs.h"

#include "base/digit.h"
#include "markup/filter.h"

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
			    (int)(m->name.size < 200 ? m->name.size : 200),
			    m->name.at, id, m->found.other ? ": " : "",
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

/* ---- names of functions as logs write them ---------------------------- */

/* The size of NAME up to its parameters.  "(anonymous namespace)" at the start
 * is a part of the name. */
static size_t up_to_parameters(struct gsym_mk_slice name)
{
	static const char anonymous[] = "(anonymous namespace)";
	const size_t length = sizeof(anonymous) - 1;
	size_t from = 0;

	while (name.size - from >= length &&
	       memcmp(name.at + from, anonymous, length) == 0) {
		const char *next;

		from += length;
		next = memchr(name.at + from, '(', name.size - from);
		if (!next)
			return name.size;
		if ((size_t)(name.at + name.size - next) < length ||
		    memcmp(next, anonymous, length) != 0)
			return (size_t)(next - name.at);
		from = (size_t)(next - name.at);
	}
	const char *open = memchr(name.at + from, '(', name.size - from);

	return open ? (size_t)(open - name.at) : name.size;
}

struct gsym_mk_slice gsym_mk_log_plain(struct gsym_mk_slice name)
{
	const char *at;

	/* The log has no name: AT is NULL. */
	if (!name.size)
		return name;
	at = memchr(name.at, '@', name.size);
	if (at)
		name.size = (size_t)(at - name.at);
	name.size = up_to_parameters(name);
	while (name.size && name.at[name.size - 1] == ' ')
		name.size--;
	return name;
}

bool gsym_mk_log_cut_suffix(struct gsym_mk_slice *name)
{
	static const char *const suffixes[] = { ".isra", ".constprop", ".part",
						".cold", ".llvm" };
	size_t end = name->size;

	while (end && name->at[end - 1] >= '0' && name->at[end - 1] <= '9')
		end--;
	if (end && end < name->size && name->at[end - 1] == '.')
		end--;
	else
		end = name->size;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t size = strlen(suffixes[i]);

		if (end > size &&
		    memcmp(name->at + end - size, suffixes[i], size) == 0) {
			name->size = end - size;
			return true;
		}
	}
	return false;
}

/* NAME without the marks of names that are internal to a library. */
static struct gsym_mk_slice public_name(struct gsym_mk_slice name)
{
	static const char *const marks[] = { "__libc_", "__GI_", "_" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t size = strlen(marks[i]);

		while (name.size > size && memcmp(name.at, marks[i], size) == 0)
			name = (struct gsym_mk_slice){ name.at + size,
						       name.size - size };
	}
	return name;
}

bool gsym_mk_log_same_name(struct gsym_mk_slice a, struct gsym_mk_slice b)
{
	a = gsym_mk_log_plain(a);
	b = gsym_mk_log_plain(b);
	while (gsym_mk_log_cut_suffix(&a) || gsym_mk_log_cut_suffix(&b))
		;
	a = public_name(a);
	b = public_name(b);
	size_t size = a.size < b.size ? a.size : b.size;

	return size && memcmp(a.at, b.at, size) == 0;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

bool gsym_mk_log_names(struct gsym_mk_slice text, struct gsym_mk_slice name)
{
	const char *at = text.at, *end = at + text.size;

	name.size = up_to_parameters(name);
	if (!name.size)
		return false;
	while (at &&
	       (at = memmem(at, (size_t)(end - at), name.at, name.size))) {
		const char *after = at + name.size;

		if ((at == text.at || (!is_word(at[-1]) && at[-1] != ':')) &&
		    (after == end || !is_word(*after)))
			return true;
		at++;
	}
	return false;
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
		    (int)(m->name.size < 200 ? m->name.size : 200), m->name.at,
		    (int)(function.size < 200 ? function.size : 200),
		    function.at);
}

/* Symbols that were found by the name of their module may be of another build;
 * then they disagree with the function that the log has. */
bool gsym_mk_log_agrees(struct gsym_markup *f, struct gsym_mk_log_module *m,
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
		    (int)(frame->function.size < 200 ? frame->function.size
						     : 200),
		    frame->function.at,
		    (int)(m->name.size < 200 ? m->name.size : 200), m->name.at);
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

/* Whether FRAME, of the module M, which may be NULL, may tell that the symbols
 * of M are of another build: by the code of the program, or, of the first
 * frames, by the name. */
static bool is_on_trial(struct gsym_markup *f, struct gsym_mk_log_module *m,
			const struct logs_frame *frame)
{
	return m && !frame->answered && !m->distrusted &&
	       gsym_mk_log_symbols(f, m, true) && !m->found.certain &&
	       (m->found.site ||
		(frame->dialect->placed && m->compared < TRIAL));
}

bool gsym_mk_log_is_on_trial(struct gsym_markup *f,
			     const struct logs_frame *frame)
{
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);
	struct logs_frame copy = *frame;

	return s && is_on_trial(f, module_at(s, &copy), frame);
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
	if (!is_on_trial(f, m, frame)) {
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
		    (int)(m->name.size < 200 ? m->name.size : 200), m->name.at);
}
