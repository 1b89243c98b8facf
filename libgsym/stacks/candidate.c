/* SPDX-License-Identifier: MIT */
/* The module of a frame, and the symbols that the host has for it: candidates,
 * which may be of another build than the log. */
#include "config.h"

#include "stacks/judge.h"

#include "base/text.h"
#include "logs/scan.h"

struct stacks_module *gsym_stacks_module_of(struct stacks_state *s,
					    const struct logs_frame *frame)
{
	struct logs_text name = frame->module;
	struct stacks_module *m;

	if (frame->package || (!name.size && !frame->dialect->sized))
		name = frame->build_id;
	m = gsym_stacks_module(s, frame->dialect, name);
	if (m && frame->build_id.size)
		gsym_stacks_identify(s, m, frame->build_id);
	return m;
}

struct stacks_module *gsym_stacks_find_memory(struct stacks_state *s,
					      struct logs_frame *frame)
{
	const struct mk_mapping *at =
		gsym_mk_mapping_find(&s->memory, frame->number);

	if (!at)
		return NULL;
	frame->number = mk_relative(at, frame->number);
	frame->counts_from = at->module->base_is_code ? LOGS_CODE : LOGS_MAPPED;
	return gsym_stacks_module(s, frame->dialect, at->module->name);
}

struct logs_text gsym_stacks_shown_name(const struct stacks_module *m)
{
	const char *at = m->name.at;
	const char *end = logs_trim(at, at + m->name.size);
	const char *name = logs_before(at, end, " (deleted)");

	if (name && name > at)
		end = logs_trim(at, name);
	return (struct logs_text){
		at,
		(size_t)mk_clip((size_t)(end - at)),
	};
}

static void say_missing(struct judge *j, struct stacks_module *m)
{
	const struct stacks_state *s = stacks_known(j);
	const struct logs_text name = gsym_stacks_shown_name(m);
	char id[2 * MK_BUILD_ID + 1];

	m->missed = true;
	gsym_digits(id, sizeof(id), m->id, m->id_size);
	if (m->dialect->sized)
		gsym_mk_say(j->host, GSYM_MARKUP_ERROR, NULL,
			    "no symbols for the kernel%s%.*s%s%.*s%s%s%s%s",
			    m->name.size ? "'s module " : "", (int)m->name.size,
			    m->name.at, s->release_size ? "; release=" : "",
			    (int)s->release_size, s->release,
			    m->id_size ? "; BuildID=" : "", id,
			    m->found.other ? ": " : "",
			    m->found.other ? m->found.other : "");
	else
		gsym_mk_say(j->host, GSYM_MARKUP_ERROR, NULL,
			    "no symbols for module \"%.*s\"%s%s%s%s",
			    (int)name.size, name.at,
			    m->id_size ? "; BuildID=" : "", id,
			    m->found.other ? ": " : "",
			    m->found.other ? m->found.other : "");
}

static void ask(struct judge *j, struct stacks_module *m)
{
	const struct stacks_state *s = stacks_known(j);
	const struct gsym_markup_log_module about = {
		.log = m->dialect->log,
		.name = m->name.at,
		.name_size = m->name.size,
		.build_id = m->id,
		.build_id_size = m->id_size,
		.release = s->release,
		.release_size = m->dialect->sized ? s->release_size : 0,
	};

	if (!j->host->calls.logs.module)
		return;
	/* The host may take long to find symbols: write the output so far. */
	gsym_mk_drain(j->host->out, true);
	if (!j->host->calls.logs.module(j->host->calls.context, &about,
					&m->found))
		m->found = (struct gsym_markup_log_symbols){ 0 };
}

void *gsym_stacks_symbols(struct judge *j, struct stacks_module *m,
			  bool doubtful)
{
	if (!m->asked)
		ask(j, m);
	m->asked = true;
	j->found = m->found;
	if (m->found.other && !j->options->any_build)
		m->found.symbols = NULL;
	if (!m->found.symbols && !m->missed && !doubtful)
		say_missing(j, m);
	return m->found.symbols;
}

void gsym_stacks_name_module(struct stacks_answer *answer,
			     struct logs_text name, const uint8_t *id,
			     size_t id_size)
{
	answer->module = name;
	memcpy(answer->build_id, id, id_size);
	answer->build_id_size = id_size;
}
