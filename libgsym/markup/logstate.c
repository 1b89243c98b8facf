/* SPDX-License-Identifier: MIT */
/* The modules of a process, and other facts about its backtraces. */
#include "config.h"

#include "markup/logstate.h"

#include "base/digit.h"
#include "base/hash.h"

/* The author of a log cannot know the address of S. */
static size_t bucket_of(const struct gsym_mk_log_state *s,
			enum gsym_markup_log log, struct gsym_mk_slice name)
{
	return (size_t)gsym_hash_bytes((uintptr_t)s + log, name.at,
				       name.size) %
	       GSYM_MK_LOG_BUCKETS;
}

/* Forget M, which is in the list of ages no more. */
static void forget(struct gsym_mk_log_state *s, struct gsym_mk_log_module *m)
{
	struct gsym_mk_log_module **link =
		&s->buckets[bucket_of(s, m->log, m->name)];

	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	m->next = s->gone;
	s->gone = m;
	s->count--;
}

void gsym_mk_log_forget(struct gsym_mk_log_state *s, unsigned logs)
{
	struct gsym_mk_log_module **link = &s->oldest;

	s->newest = NULL;
	while (*link) {
		struct gsym_mk_log_module *m = *link;

		if (m->log & logs) {
			*link = m->younger;
			forget(s, m);
		} else {
			s->newest = m;
			link = &m->younger;
		}
	}
}

struct gsym_mk_log_state *gsym_mk_log_state_new(void)
{
	struct gsym_mk_log_state *s = calloc(1, sizeof(*s));

	if (s)
		gsym_mk_context_init(&s->memory, (uintptr_t)s);
	return s;
}

void gsym_mk_log_state_free(struct gsym_mk_log_state *s)
{
	if (!s)
		return;
	gsym_mk_log_reset(s);
	gsym_mk_log_tidy(s);
	gsym_mk_context_fini(&s->memory);
	free(s);
}

void gsym_mk_log_reset(struct gsym_mk_log_state *s)
{
	gsym_mk_log_forget(s, ~0u);
	gsym_mk_log_unmap(s);
	gsym_vec_fini(&s->strip);
	gsym_vec_fini(&s->strip_code);
	*s = (struct gsym_mk_log_state){ .gone = s->gone, .memory = s->memory };
}

void gsym_mk_log_tidy(struct gsym_mk_log_state *s)
{
	while (s->count > GSYM_MK_LOG_MODULES) {
		struct gsym_mk_log_module *m = s->oldest;

		s->oldest = m->younger;
		forget(s, m);
	}
	while (s->gone) {
		struct gsym_mk_log_module *next = s->gone->next;

		free(s->gone);
		s->gone = next;
	}
	gsym_mk_context_tidy(&s->memory);
}

void gsym_mk_log_unmap(struct gsym_mk_log_state *s)
{
	gsym_mk_context_reset(&s->memory);
	s->mapped = NULL;
}

void gsym_mk_log_map(struct gsym_mk_log_state *s, struct gsym_mk_slice name,
		     uint64_t start, uint64_t last, uint64_t offset)
{
	struct gsym_mk_context *c = &s->memory;
	struct gsym_mk_mapping what = { .start = start, .last = last };
	struct gsym_mk_element e = { .id = c->module_count, .name = name };

	/* The parts of a file are listed one after the other.  The first one
	 * begins with the first page of the module. */
	if (offset == 0)
		s->mapped = c->module_count < GSYM_MK_LOG_MODULES
				    ? gsym_mk_module_add(c, &e)
				    : NULL;
	what.module = s->mapped;
	if (!what.module || what.module->name.size != name.size ||
	    memcmp(what.module->name.at, name.at, name.size) != 0)
		return;
	if (offset == 0)
		what.module->base = start;
	what.relative = start - what.module->base;
	if (gsym_mk_mapping_cut(c, start, last))
		gsym_mk_mapping_add(c, &what);
}

static struct gsym_mk_log_module *add(struct gsym_mk_log_state *s,
				      enum gsym_markup_log log,
				      struct gsym_mk_slice name)
{
	struct gsym_mk_log_module *m = calloc(1, sizeof(*m) + name.size);
	struct gsym_mk_log_module **bucket;

	if (!m)
		return NULL;
	if (name.size)
		memcpy(m + 1, name.at, name.size);
	m->log = log;
	m->name = (struct gsym_mk_slice){ (const char *)(m + 1), name.size };
	bucket = &s->buckets[bucket_of(s, log, name)];
	m->next = *bucket;
	*bucket = m;
	*(s->oldest ? &s->newest->younger : &s->oldest) = m;
	s->newest = m;
	s->count++;
	return m;
}

struct gsym_mk_log_module *gsym_mk_log_module(struct gsym_mk_log_state *s,
					      enum gsym_markup_log log,
					      struct gsym_mk_slice name)
{
	struct gsym_mk_log_module *m = s->buckets[bucket_of(s, log, name)];

	for (; m; m = m->next)
		if (m->log == log && m->name.size == name.size &&
		    (name.size == 0 ||
		     memcmp(m->name.at, name.at, name.size) == 0))
			return m;
	return add(s, log, name);
}

struct gsym_mk_log_module *gsym_mk_log_kernel(struct gsym_mk_log_state *s)
{
	return gsym_mk_log_module(s, GSYM_MARKUP_LOG_KERNEL,
				  (struct gsym_mk_slice){ "", 0 });
}

void gsym_mk_log_identify(struct gsym_mk_log_module *m,
			  struct gsym_mk_slice digits)
{
	uint8_t id[GSYM_MK_BUILD_ID];
	size_t size = digits.size / 2;

	if (digits.size % 2 || size > sizeof(id) || size == 0 ||
	    (m->id_size == size &&
	     memcmp(m->digits, digits.at, digits.size) == 0))
		return;
	for (size_t i = 0; i < size; i++)
		id[i] = (uint8_t)(gsym_digit(digits.at[2 * i]) << 4 |
				  gsym_digit(digits.at[2 * i + 1]));
	if (m->id_size == size && memcmp(m->id, id, size) == 0)
		return;
	memcpy(m->id, id, size);
	memcpy(m->digits, digits.at, digits.size);
	m->id_size = size;
	m->asked = m->missed = m->disagreed = m->biased = false;
	m->distrusted = false;
	m->agreed = 0;
	m->found = (struct gsym_markup_log_symbols){ 0 };
}

void gsym_mk_log_set_release(struct gsym_mk_log_state *s,
			     struct gsym_mk_slice release)
{
	if (release.size > sizeof(s->release) ||
	    (release.size == s->release_size &&
	     memcmp(release.at, s->release, release.size) == 0))
		return;
	memcpy(s->release, release.at, release.size);
	s->release_size = release.size;
	s->strip_known = false;
	gsym_mk_log_forget(s, GSYM_MARKUP_LOG_KERNEL);
}

void gsym_mk_log_retry(struct gsym_mk_log_state *s)
{
	for (struct gsym_mk_log_module *m = s->oldest; m; m = m->younger)
		if (!m->found.symbols)
			m->asked = false;
	s->strip_known = false;
}

void gsym_mk_log_mark(struct gsym_mk_log_state *s, uint64_t key)
{
	s->marks[s->mark_count++ % GSYM_MK_LOG_MARKS] = key;
}

bool gsym_mk_log_is_marked(const struct gsym_mk_log_state *s, uint64_t key)
{
	for (unsigned i = 0; i < GSYM_MK_LOG_MARKS && i < s->mark_count; i++)
		if (s->marks[i] == key)
			return true;
	return false;
}
