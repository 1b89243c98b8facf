/* SPDX-License-Identifier: MIT */
/* What lines without frames say, kept for frames of the same process. */
#include "config.h"

#include "markup/logs.h"

#include "logs/facts.h"
#include "markup/filter.h"

/* Lines after a crash of Android, and after the JVM's line with the stack, that
 * may hold facts. */
enum { CRASH_LINES = 16, STACK_LINES = 4 };

struct gsym_mk_log_state *gsym_mk_log_state(struct gsym_markup *f)
{
	struct gsym_mk_process *p = f->process;

	if (!p->log)
		p->log = gsym_mk_log_state_new();
	f->out.out_of_memory |= !p->log;
	return p->log;
}

static void apply_module(struct gsym_mk_log_state *s,
			 const struct logs_fact *fact)
{
	struct gsym_mk_log_module *m = gsym_mk_log_module(
		s, GSYM_MARKUP_LOG_SYSTEMD, gsym_mk_log_slice(fact->name));

	if (m)
		gsym_mk_log_identify(m, gsym_mk_log_slice(fact->build_id));
}

static void apply_release(struct gsym_mk_log_state *s,
			  const struct logs_fact *fact)
{
	struct gsym_mk_log_module *m;

	gsym_mk_log_set_release(s, gsym_mk_log_slice(fact->name));
	if (!fact->build_id.size)
		return;
	m = gsym_mk_log_kernel(s);
	if (m)
		gsym_mk_log_identify(m, gsym_mk_log_slice(fact->build_id));
}

/* Images have a UUID, which older reports write with dashes. */
static void apply_image(struct gsym_mk_log_state *s,
			const struct logs_fact *fact)
{
	struct gsym_mk_log_module *m = gsym_mk_log_module(
		s, GSYM_MARKUP_LOG_APPLE, gsym_mk_log_slice(fact->name));
	char digits[64];
	size_t count = 0;

	for (size_t i = 0; i < fact->build_id.size; i++)
		if (fact->build_id.at[i] != '-' && count < sizeof(digits))
			digits[count++] = fact->build_id.at[i];
	if (m)
		gsym_mk_log_identify(m, (struct gsym_mk_slice){ digits,
								count });
	gsym_mk_log_map(s, gsym_mk_log_slice(fact->name), fact->start,
			fact->last, 0);
}

/* The lines of a process ascend: a lower one is of another process. */
static void apply_map(struct gsym_mk_log_state *s,
		      const struct logs_fact *fact)
{
	if (gsym_mk_mapping_above(&s->memory, fact->last))
		gsym_mk_log_unmap(s);
	if (fact->name.size)
		gsym_mk_log_map(s, gsym_mk_log_slice(fact->name), fact->start,
				fact->last, fact->offset);
}

void gsym_mk_log_apply(struct gsym_markup *f, const struct logs_fact *fact)
{
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);

	if (!s)
		return;
	/* Outside of their reports lines with these facts are looked at only
	 * if they come in pieces, and the pieces must make no difference. */
	if (!f->logs->watched &&
	    (fact->kind == LOGS_VERSION || fact->kind == LOGS_ABI ||
	     fact->kind == LOGS_NATIVE))
		return;
	switch (fact->kind) {
	case LOGS_RELEASE:
		apply_release(s, fact);
		break;
	case LOGS_MODULE:
		apply_module(s, fact);
		break;
	case LOGS_PROCESS:
		gsym_mk_log_forget(s, GSYM_MARKUP_LOG_SYSTEMD);
		break;
	case LOGS_REPORT_END:
		s->mark_count = 0;
		break;
	case LOGS_CRASH:
		gsym_mk_log_forget(s, GSYM_MARKUP_LOG_ANDROID);
		s->version = 0;
		s->x86 = false;
		f->logs->attention = CRASH_LINES;
		break;
	case LOGS_VERSION:
		s->version = fact->number;
		break;
	case LOGS_ABI:
		s->x86 = fact->name.size && *fact->name.at == 'x';
		break;
	case LOGS_STACK:
		f->logs->attention = STACK_LINES;
		break;
	case LOGS_NATIVE:
		s->native = true;
		break;
	case LOGS_REPORT:
	case LOGS_REPORT_JSON:
		break;
	case LOGS_IMAGE:
		apply_image(s, fact);
		break;
	case LOGS_MAP:
		apply_map(s, fact);
		break;
	}
}
