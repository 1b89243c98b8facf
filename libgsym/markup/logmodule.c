/* SPDX-License-Identifier: MIT */
/* The modules of frames, and what the host has for them. */
#include "config.h"

#include "base/digit.h"
#include "markup/diagnose.h"
#include "markup/filter.h"
#include "markup/loglook.h"

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
		gsym_mk_log_identify(m, gsym_mk_log_slice(frame->build_id));
	return m;
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

void *gsym_mk_log_symbols(struct gsym_markup *f, struct gsym_mk_log_module *m,
			  bool doubtful)
{
	const struct gsym_mk_log_state *s = f->process->log;
	const struct gsym_markup_log_module about = {
		.log = m->log,
		.name = m->name.at,
		.name_size = m->name.size,
		.build_id = m->id,
		.build_id_size = m->id_size,
		.release = s->release,
		.release_size =
			m->log == GSYM_MARKUP_LOG_KERNEL ? s->release_size : 0,
	};

	if (!m->asked && f->host.log_module) {
		/* The host may take long to find symbols: write the output so
		 * far. */
		gsym_mk_drain(&f->out, true);
		if (!f->host.log_module(f->host.context, &about, &m->found))
			m->found = (struct gsym_markup_log_symbols){ 0 };
	}
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
