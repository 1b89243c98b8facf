/* SPDX-License-Identifier: MIT */
/* demangle/spell.h - readable names, in either spelling; the text and the
 * numbered components of a name that is rewritten.  Knows no cache. */
#ifndef GSYM_DEMANGLE_SPELL_H
#define GSYM_DEMANGLE_SPELL_H

#include <gsym/demangle.h>

#include <stdbool.h>
#include <string.h>

/** Whether NAME begins like a mangled name.  A quick test that also accepts
 *  some names that are not mangled. */
static inline bool gsym_demangle_candidate(const char *name)
{
	return name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

/** Set *RET to the demangled form of NAME, a candidate, malloc'ed, as
 *  libiberty spells it.  GSYM_NOT_FOUND: NAME is not mangled, or beyond a
 *  bound.  GSYM_ERR_MEMORY. */
enum gsym_status gsym_demangle_iberty(const char *name, char **ret);

/** Set *RET to NAME, which begins with "_Z", without declarations of template
 *  parameters, constraints of templates and tags of constructors, malloc'ed.
 *  GSYM_NOT_FOUND: NAME has none, or is too long or not understood.
 *  GSYM_ERR_MEMORY. */
enum gsym_status gsym_demangle_rewrite(const char *name, char **ret);
/** As gsym_demangle_iberty, for any NAME, as LLVM spells it. */
enum gsym_status gsym_demangle_llvm(const char *name, char **ret);

/* ---- rewrite.c: a name that is rewritten --------------------------------- */

enum {
	RW_COMPONENTS = 512,
	RW_POOL = 1 << 16,
	RW_DEPTH = 96,
	/* A byte of no name, in what must not be in the result. */
	RW_REFUSED = '?',
};

/* A part of a name that has a number.  Its text in the pool is "Z...E", if it
 * lies in a function, and the name itself, without the N and E around the name
 * if it is NESTED. */
struct component {
	size_t at;
	size_t lead_size, size;
	bool nested;
};

struct rewriter {
	/* The rest of the name; empty after a failure. */
	const char *at;
	bool failed, changed;
	unsigned depth;
	size_t size, pool_size, count;
	struct component components[RW_COMPONENTS];
	char pool[RW_POOL];
	char out[GSYM_DEMANGLE_MAX_NAME + 1];
};

/* Where a component begins in the output: LEAD to LEAD_END is its "Z...E". */
struct place {
	size_t lead, lead_end, name, end;
	bool nested;
};

/* ---- input and output ---------------------------------------------------- */

static inline void rw_fail(struct rewriter *r)
{
	r->failed = true;
	r->at = "";
}

static inline void rw_put(struct rewriter *r, const char *text, size_t size)
{
	if (size > GSYM_DEMANGLE_MAX_NAME - r->size) {
		rw_fail(r);
		return;
	}
	memcpy(r->out + r->size, text, size);
	r->size += size;
}

/* Copy SIZE bytes of the name. */
static inline void rw_copy(struct rewriter *r, size_t size)
{
	if (strnlen(r->at, size) < size) {
		rw_fail(r);
		return;
	}
	rw_put(r, r->at, size);
	if (!r->failed)
		r->at += size;
}

static inline bool rw_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether TEXT is next. */
static inline bool rw_is(const struct rewriter *r, const char *text)
{
	return strncmp(r->at, text, strlen(text)) == 0;
}

/* Copy C, which has to be next. */
static inline void rw_expect(struct rewriter *r, char c)
{
	if (*r->at == c)
		rw_copy(r, 1);
	else
		rw_fail(r);
}

/* Copy digits, and '_'. */
static inline void rw_number(struct rewriter *r)
{
	rw_copy(r, strspn(r->at, "0123456789"));
	rw_expect(r, '_');
}

/* Whether the next two bytes are one of the WORDS, which have two bytes and a
 * blank each. */
static inline bool rw_is_one_of(const struct rewriter *r, const char *words)
{
	for (; *words; words += 3)
		if (r->at[0] == words[0] && r->at[1] == words[1])
			return true;
	return false;
}

/* Whether a declaration of a template parameter is next. */
static inline bool rw_is_declaration(const struct rewriter *r)
{
	return rw_is_one_of(r, "Ty Tn Tk Tt Tp ");
}

/* ---- components ---------------------------------------------------------- */

static inline struct place rw_here(const struct rewriter *r)
{
	return (struct place){ r->size, r->size, r->size, 0, false };
}

/* The text from P on, up to END, gets the next number. */
static inline void rw_remember(struct rewriter *r, const struct place *p,
			       size_t end)
{
	size_t lead = p->lead_end - p->lead, size = end - p->name;

	if (r->failed || r->count == RW_COMPONENTS ||
	    lead + size > RW_POOL - r->pool_size) {
		rw_fail(r);
		return;
	}
	r->components[r->count++] = (struct component){
		r->pool_size, lead, size, p->nested
	};
	memcpy(r->pool + r->pool_size, r->out + p->lead, lead);
	memcpy(r->pool + r->pool_size + lead, r->out + p->name, size);
	r->pool_size += lead + size;
}

/* Read "S_" or "S0_"; NULL on failure. */
static inline const struct component *rw_reference(struct rewriter *r)
{
	size_t index = 0;
	const char *at = r->at + 1;

	for (; rw_is_digit(*at) || (*at >= 'A' && *at <= 'Z'); at++) {
		size_t digit = (size_t)(rw_is_digit(*at) ? *at - '0'
						      : *at - 'A' + 10);

		index = 36 * index + digit;
		if (index >= RW_COMPONENTS)
			break;
	}
	index += at > r->at + 1;
	if (*at != '_' || index >= r->count) {
		rw_fail(r);
		return NULL;
	}
	r->at = at + 1;
	return &r->components[index];
}

static inline void rw_source_name(struct rewriter *r)
{
	size_t length = 0;
	const char *at = r->at;

	for (; rw_is_digit(*at) && length <= GSYM_DEMANGLE_MAX_NAME; at++)
		length = 10 * length + (size_t)(*at - '0');
	if (!length || length > GSYM_DEMANGLE_MAX_NAME)
		rw_fail(r);
	else
		rw_copy(r, (size_t)(at - r->at) + length);
}

/* Copy "T_" or "T0_". */
static inline void rw_parameter(struct rewriter *r)
{
	rw_expect(r, 'T');
	rw_number(r);
}

/* A reference at the start of a nested name, whose N is at START. */
static inline void rw_begin_nested(struct rewriter *r, size_t start,
				   struct place *p)
{
	const struct component *c = rw_reference(r);
	size_t size = p->name - start;
	char qualifiers[8];

	if (!c || size > sizeof(qualifiers)) {
		rw_fail(r);
		return;
	}
	memcpy(qualifiers, r->out + start, size);
	r->size = start;
	rw_put(r, r->pool + c->at, c->lead_size);
	p->lead_end = r->size;
	rw_put(r, qualifiers, size);
	p->name = r->size;
	rw_put(r, r->pool + c->at + c->lead_size, c->size);
}

/* Parts that EACH reads, up to an E. */
static inline void rw_up_to_end(struct rewriter *r,
				void (*each)(struct rewriter *r))
{
	while (!r->failed && *r->at != 'E')
		each(r);
	rw_expect(r, 'E');
}

#endif
