/* SPDX-License-Identifier: MIT */
/* What a log has told about a process: modules, and other facts about its
 * backtraces. */
#include "config.h"

#include "stacks/judge.h"

#include "base/hash.h"
#include "base/text.h"

/* The author of a log cannot know the address of S. */
static uint64_t hash_of(const struct stacks_state *s,
			const struct logs_dialect *d, struct logs_text name)
{
	return gsym_hash_bytes((uintptr_t)s + d->log, name.at, name.size);
}

static size_t bucket_of(const struct stacks_state *s,
			const struct logs_dialect *d, struct logs_text name)
{
	return (size_t)hash_of(s, d, name) % STACKS_BUCKETS;
}

/* ---- trust that outlives modules and processes ------------------------ */

static uint64_t hash_with_id(const struct stacks_state *s,
			     const struct stacks_module *m)
{
	uint64_t hash = hash_of(s, m->dialect, m->name);

	return m->id_size
		       ? gsym_hash_bytes(hash, (const char *)m->id, m->id_size)
		       : hash;
}

/* The forms of frames for which the symbols of what has HASH must not be
 * trusted. */
static unsigned distrusted(const struct stacks_distrust *d, uint64_t hash)
{
	unsigned logs = d->all;

	for (size_t i = 0; i < d->count; i++)
		if (d->items[i].hash == hash)
			logs |= d->items[i].logs;
	return logs;
}

static void keep(struct stacks_distrust *d, unsigned logs, uint64_t hash)
{
	if (!(logs & ~distrusted(d, hash)))
		return;
	if (d->count < STACKS_DISTRUSTED && gsym_vec_reserve(d, 1))
		d->items[d->count++] = (struct stacks_distrusted){ logs, hash };
	else
		d->all |= logs;
}

/* M is forgotten, as there are too many modules.  Keep what would let symbols
 * of another build answer for M later. */
static void keep_distrust(struct stacks_state *s, const struct stacks_module *m)
{
	if (m->distrusted)
		keep(&s->distrust, m->dialect->log, hash_with_id(s, m));
	if (m->identified)
		keep(&s->distrust, m->dialect->log,
		     hash_of(s, m->dialect, m->name));
}

/* Forget the same of modules of the LOGS. */
static void forget_distrust(struct stacks_distrust *d, unsigned logs)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->count; i++)
		if (!(d->items[i].logs & logs))
			d->items[kept++] = d->items[i];
	d->count = kept;
	d->all &= ~logs;
}

/* The author of a log cannot know the address of J. */
static uint64_t hash_of_process(const struct judge *j,
				const struct mk_process *p)
{
	return gsym_hash_bytes((uintptr_t)j, p->name.items, p->name.count);
}

void gsym_stacks_forget_process(struct judge *j, struct mk_process *p)
{
	unsigned logs;

	if (!p->log)
		return;
	logs = p->log->distrust.all;
	for (size_t i = 0; i < p->log->distrust.count; i++)
		logs |= p->log->distrust.items[i].logs;
	for (const struct stacks_module *m = p->log->oldest; m; m = m->younger)
		logs |= m->distrusted || m->identified ? m->dialect->log : 0;
	keep(&j->distrust, logs, hash_of_process(j, p));
	gsym_stacks_state_free(p->log);
	p->log = NULL;
}

/* ---- modules --------------------------------------------------------- */

/* Forget M, which is in the list of ages no more. */
static void forget(struct stacks_state *s, struct stacks_module *m)
{
	struct stacks_module **link =
		&s->buckets[bucket_of(s, m->dialect, m->name)];

	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	m->next = s->gone;
	s->gone = m;
	s->count--;
	s->last = NULL;
}

void gsym_stacks_forget(struct stacks_state *s, unsigned logs)
{
	struct stacks_module **link = &s->oldest;

	forget_distrust(&s->distrust, logs);
	s->newest = NULL;
	while (*link) {
		struct stacks_module *m = *link;

		if (m->dialect->log & logs) {
			*link = m->younger;
			forget(s, m);
		} else {
			s->newest = m;
			link = &m->younger;
		}
	}
}

void gsym_stacks_state_free(struct stacks_state *s)
{
	if (!s)
		return;
	gsym_stacks_reset(s);
	gsym_stacks_tidy(s);
	gsym_mk_context_fini(&s->memory);
	free(s);
}

void gsym_stacks_reset(struct stacks_state *s)
{
	gsym_stacks_forget(s, ~0u);
	gsym_stacks_unmap(s);
	gsym_vec_fini(&s->distrust);
	gsym_vec_fini(&s->folder.compiled);
	gsym_vec_fini(&s->folder.assembled);
	*s = (struct stacks_state){ .gone = s->gone, .memory = s->memory };
}

void gsym_stacks_tidy(struct stacks_state *s)
{
	while (s->count > STACKS_MODULES) {
		struct stacks_module **link = &s->oldest, *m;

		/* The kernel itself has the trust in its modules. */
		m = *link;
		if (!m->name.size && m->dialect->sized && m->younger)
			link = &m->younger;
		m = *link;
		*link = m->younger;
		if (s->newest == m)
			s->newest = s->oldest;
		keep_distrust(s, m);
		forget(s, m);
	}
	while (s->gone) {
		struct stacks_module *next = s->gone->next;

		free(s->gone);
		s->gone = next;
	}
	gsym_mk_context_tidy(&s->memory);
}

void gsym_stacks_unmap(struct stacks_state *s)
{
	gsym_mk_context_reset(&s->memory);
	s->mapped = NULL;
}

/* Note that the bytes of the file NAME from OFFSET on lie at START to LAST in
 * memory.  Nothing is noted without memory, and beyond STACKS_MODULES
 * files. */
static void map_file(struct stacks_state *s, struct logs_text name,
		     uint64_t start, uint64_t last, uint64_t offset)
{
	struct mk_context *c = &s->memory;
	struct mk_mapping what = { .start = start, .last = last };
	struct mk_element e = { .id = c->module_count, .name = name };

	/* The parts of a file are listed one after the other.  The first one
	 * begins with the first page of the module. */
	if (offset == 0)
		s->mapped = c->module_count < STACKS_MODULES
				    ? gsym_mk_module_add(c, &e)
				    : NULL;
	what.module = s->mapped;
	if (!what.module || !logs_same(what.module->name, name))
		return;
	if (offset == 0)
		what.module->base = start;
	what.relative = start - what.module->base;
	if (gsym_mk_mapping_cut(c, start, last))
		gsym_mk_mapping_add(c, &what);
}

static struct stacks_module *
add(struct stacks_state *s, const struct logs_dialect *d, struct logs_text name)
{
	struct stacks_module *m = calloc(1, sizeof(*m) + name.size);
	struct stacks_module **bucket;

	if (!m)
		return NULL;
	if (name.size)
		memcpy(m + 1, name.at, name.size);
	m->dialect = d;
	m->name = (struct logs_text){ (const char *)(m + 1), name.size };
	/* The message about that was written. */
	m->distrusted = m->disagreed =
		distrusted(&s->distrust, hash_with_id(s, m)) & d->log;
	bucket = &s->buckets[bucket_of(s, d, name)];
	m->next = *bucket;
	*bucket = m;
	*(s->oldest ? &s->newest->younger : &s->oldest) = m;
	s->newest = m;
	s->count++;
	return m;
}

struct stacks_module *gsym_stacks_module(struct stacks_state *s,
					 const struct logs_dialect *d,
					 struct logs_text name)
{
	struct stacks_module *m = s->last;

	/* A frame is asked for its module more than once. */
	if (m && m->dialect == d && logs_same(m->name, name))
		return m;
	m = s->buckets[bucket_of(s, d, name)];
	while (m && (m->dialect != d || !logs_same(m->name, name)))
		m = m->next;
	s->last = m ? m : add(s, d, name);
	return s->last;
}

struct stacks_module *gsym_stacks_kernel(struct stacks_state *s)
{
	size_t i = 0;

	while (!gsym_logs_dialects[i]->sized)
		i++;
	return gsym_stacks_module(s, gsym_logs_dialects[i], logs_string(""));
}

void gsym_stacks_identify(struct stacks_state *s, struct stacks_module *m,
			  struct logs_text digits)
{
	uint8_t id[MK_BUILD_ID];
	size_t size = digits.size / 2;

	if (digits.size % 2 || size > sizeof(id) || size == 0)
		return;
	for (size_t i = 0; i < size; i++)
		id[i] = (uint8_t)(gsym_digit(digits.at[2 * i]) << 4 |
				  gsym_digit(digits.at[2 * i + 1]));
	if (m->id_size == size && memcmp(m->id, id, size) == 0)
		return;
	memcpy(m->id, id, size);
	m->id_size = size;
	m->asked = m->missed = m->biased = false;
	m->distrusted = m->disagreed =
		distrusted(&s->distrust, hash_with_id(s, m)) & m->dialect->log;
	m->agreed = m->trials = 0;
	m->evidence = m->before = (struct stacks_calls){ 0 };
	m->unproven = false;
	m->found = (struct gsym_markup_log_symbols){ 0 };
}

/* Note that the kernel has this RELEASE.  If S had another one, the kernel's
 * modules are forgotten. */
static void set_release(struct stacks_state *s, enum gsym_markup_log log,
			struct logs_text release)
{
	const struct logs_text old = { s->release, s->release_size };

	if (release.size > sizeof(s->release) || logs_same(release, old))
		return;
	memcpy(s->release, release.at, release.size);
	s->release_size = release.size;
	s->folder.known = false;
	gsym_stacks_forget(s, log);
}

void gsym_stacks_retry(struct stacks_state *s)
{
	for (struct stacks_module *m = s->oldest; m; m = m->younger)
		if (!m->found.symbols)
			m->asked = false;
	s->folder.known = false;
}

/* ---- facts ------------------------------------------------------------ */

struct stacks_state *gsym_stacks_add_state(struct judge *j)
{
	struct mk_process *p = j->host->line->process;

	p->log = calloc(1, sizeof(*p->log));
	if (p->log)
		p->log->distrust.all =
			distrusted(&j->distrust, hash_of_process(j, p));
	j->host->out->out_of_memory |= !p->log;
	return p->log;
}

/* Another line than a frame has said that M has the build ID with DIGITS. */
static void identify(struct stacks_state *s, struct stacks_module *m,
		     struct logs_text digits)
{
	if (!m)
		return;
	gsym_stacks_identify(s, m, digits);
	m->identified = m->id_size > 0;
}

/* Images have a UUID, which older reports write with dashes. */
static void apply_image(struct stacks_state *s, const struct logs_fact *fact)
{
	struct stacks_module *m =
		gsym_stacks_module(s, fact->dialect, fact->name);
	char digits[64];
	size_t count = 0;

	for (size_t i = 0; i < fact->build_id.size; i++)
		if (fact->build_id.at[i] != '-' && count < sizeof(digits))
			digits[count++] = fact->build_id.at[i];
	identify(s, m, (struct logs_text){ digits, count });
	map_file(s, fact->name, fact->start, fact->last, 0);
}

/* The lines of a process ascend: a lower one is of another process. */
static void apply_map(struct stacks_state *s, const struct logs_fact *fact)
{
	if (gsym_mk_mapping_above(&s->memory, fact->last))
		gsym_stacks_unmap(s);
	if (fact->name.size)
		map_file(s, fact->name, fact->start, fact->last, fact->offset);
}

/* The program of a process, whose code lies at FACT's place; its other parts
 * are not known. */
static void apply_map_code(struct stacks_state *s, const struct logs_fact *fact)
{
	gsym_stacks_unmap(s);
	map_file(s, fact->name, fact->start, fact->last, 0);
	if (s->mapped)
		s->mapped->base_is_code = true;
}

void gsym_stacks_apply(struct judge *j, const struct logs_fact *fact)
{
	const struct logs_dialect *d = fact->dialect;
	struct stacks_state *s = stacks_state(j);

	if (!s)
		return;
	if (d->learn)
		d->learn(&s->memories[logs_index(d)], fact);
	switch (fact->kind) {
	case LOGS_RELEASE:
		set_release(s, d->log, fact->name);
		if (fact->build_id.size)
			identify(s, gsym_stacks_kernel(s), fact->build_id);
		break;
	case LOGS_MODULE:
		identify(s, gsym_stacks_module(s, d, fact->name),
			 fact->build_id);
		break;
	case LOGS_PROCESS:
		gsym_stacks_forget(s, d->log);
		break;
	case LOGS_IMAGE:
		apply_image(s, fact);
		break;
	case LOGS_MAP:
		apply_map(s, fact);
		break;
	case LOGS_MAP_CODE:
		apply_map_code(s, fact);
		break;
	default:
		break;
	}
}

void gsym_stacks_report_modules(struct judge *j, const struct logs_dialect *d,
				struct logs_text report)
{
	const char *at = NULL;
	struct logs_fact fact;

	/* Of further modules none could be mapped. */
	for (uint64_t i = 0;
	     i < STACKS_MODULES && d->report->module(report, &at, i, &fact);
	     i++) {
		fact.dialect = d;
		if (fact.name.size)
			gsym_stacks_apply(j, &fact);
	}
}
