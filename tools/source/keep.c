/* SPDX-License-Identifier: MIT */
/*
 * Decides which makers are asked, remembers who was asked, and has what the
 * addresses of a large program need converted first.
 */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/must.h"
#include "common/run.h"
#include "source/state.h"

/* Build IDs that are remembered; with more, all are forgotten. */
#define MOST_IDS GSYM_LIMIT(65536u, 4u)
/* With more bytes of debug info what the addresses need is converted first: to
 * convert the whole would take longer than a person notices. */
#define FIRST_BYTES GSYM_LIMIT(UINT64_C(16) << 20, 0)
/* gsym-create converts in part for so many addresses: GSYM_CONVERT_ADDRESSES of
 * gsym/convert.h, which this room does not use. */
enum { MOST_FIRST = 64 };
/* ---- what was asked ------------------------------------------------------ */

void source_forget(struct source *s)
{
	gsym_intern_fini(&s->ids);
	gsym_vec_fini(&s->memories);
}

/* What is remembered of the build ID of P. */
static struct source_memory *memory_of(struct source *s,
				       const struct source_program *p)
{
	uint32_t most = MOST_IDS;
	uint32_t number =
		must_intern_within(&s->ids, most, p->id, p->id_size);
	struct source_memory *m;
	if (number == most) {
		source_forget(s);
		number = must_intern(&s->ids, p->id, p->id_size);
	}
	if (number == s->memories.count)
		*must_push(&s->memories) = (struct source_memory){ 0 };
	m = &s->memories.items[number];
	if (s->host.again && clock_milliseconds() - m->since >=
				     (int64_t)s->host.again * 1000)
		*m = (struct source_memory){ 0 };
	return m;
}

/* ---- what a tool asks ---------------------------------------------------- */

/* Signals end makers, unless the host waits for them itself. */
static void guard(struct source *s)
{
	if (!s->host.wake && !s->guarded)
		run_end_by_signals();
	s->guarded = true;
}

/* Whether gsym-create converts P in part: its addresses are code, and it has no
 * table of the Go runtime. */
static bool is_partial(const struct source_program *p)
{
	struct gsym_module_section text, table;
	struct gsym_module *file = p->file;
	bool partial = true;
	if (!file && must_status(gsym_module_open(p->path, &file, NULL)) !=
			     GSYM_OK)
		return false;
	if (gsym_module_find_section(file, ".text", &text) != GSYM_OK ||
	    gsym_module_find_section(file, ".gopclntab", &table) == GSYM_OK)
		partial = false;
	for (size_t i = 0; i < p->address_count && partial; i++)
		partial = p->addresses[i] >= text.address &&
			  p->addresses[i] - text.address < text.size;
	if (!p->file)
		gsym_module_close(file);
	return partial;
}

enum source_answer source_first(struct source *s,
				const struct source_program *p,
				struct source_symbols *ret)
{
	struct source_program whole = *p;
	enum source_answer answer;
	unsigned asked;
	/* What others have made is better than what is made here. */
	if (!p->address_count || p->address_count > MOST_FIRST || !p->path ||
	    p->fresh || s->o.fetch || s->o.debuginfod || !s->converts ||
	    !is_partial(p) || !source_is_large(s, p, FIRST_BYTES))
		return SOURCE_ABSENT;
	whole.addresses = NULL;
	whole.address_count = 0;
	pthread_mutex_lock(&s->mutex);
	guard(s);
	answer = source_ask_all(s, p, SOURCE_BY_CONVERSION, &asked, ret);
	if (answer == SOURCE_HAVE) {
		ret->partial = true;
		ret->behind = source_put_off(s, &whole);
	}
	pthread_mutex_unlock(&s->mutex);
	return answer;
}

/* The makers of S. */
static unsigned makers_of(const struct source *s)
{
	return (s->o.fetch ? SOURCE_BY_COMMAND : 0) |
	       (s->o.debuginfod ? SOURCE_BY_SERVER : 0) |
	       (s->converts || s->converts_served ? SOURCE_BY_CONVERSION : 0);
}

enum source_answer source_keep(struct source *s, const struct source_program *p,
			       unsigned makers, struct source_symbols *ret)
{
	struct source_memory none = { 0 }, *m = &none;
	enum source_answer answer = SOURCE_ABSENT;
	unsigned asked = 0;
	bool later;
	makers &= makers_of(s);
	if (p->fresh || !p->id_size)
		makers &= SOURCE_BY_CONVERSION;
	if (!makers || p->id_size > SOURCE_ID_MAX)
		return SOURCE_ABSENT;
	pthread_mutex_lock(&s->mutex);
	if (source_has_key(p))
		m = memory_of(s, p);
	makers &= ~m->makers;
	later = m->later;
	if (!m->got && makers & SOURCE_BY_CONVERSION && s->host.limited &&
	    source_is_large(s, p, s->host.most_now)) {
		makers &= ~(unsigned)SOURCE_BY_CONVERSION;
		later = true;
		/* A person at a terminal would wonder what the processor
		 * does. */
		if (!isatty(STDIN_FILENO) && source_put_off(s, p)) {
			m->makers |= SOURCE_BY_CONVERSION;
			m->since = clock_milliseconds();
			m->later = true;
		}
	}
	if (m->got) {
		answer = SOURCE_HAVE;
	} else if (makers) {
		if (s->host.before)
			s->host.before(s->host.context);
		guard(s);
		answer = source_has_key(p)
				 ? source_ask_alone(s, p, makers, &asked, ret)
				 : source_ask_all(s, p, makers, &asked, ret);
		m->got = answer == SOURCE_HAVE;
		m->makers |= asked;
		m->since = clock_milliseconds();
	}
	pthread_mutex_unlock(&s->mutex);
	return later && answer != SOURCE_HAVE ? SOURCE_LATER : answer;
}
