/* SPDX-License-Identifier: MIT */
/*
 * lookup/stack.c - gsym-lookup --stack: answers the addresses of a call stack
 * together, and chooses among folded functions by the call sites of their
 * callers.  stream.c does so for the lines of --stream.
 */
#include "config.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "common/report.h"
#include "lookup/lookup.h"

enum {
	/* The most addresses of a stack. */
	MOST_ADDRESSES = 1 << 16,
	/* Longer patterns are names, and so many are compiled at once. */
	LONGEST_PATTERN = 256,
	PATTERNS = 16,
	/* The most operators of a pattern that is compiled. */
	MOST_OPERATORS = 8,
};
/* The most steps of matching for a stack: a byte of a name by a byte of a
 * pattern. */
#define MOST_STEPS (UINT64_C(1) << 24)

/* A pattern of a call site. */
struct pattern {
	/* In the GSYM data; NULL: the slot is free. */
	const char *text;
	/* It is a regular expression, compiled to RE. */
	bool usable;
	regex_t re;
};

/* The patterns that a stack has needed. */
struct matching {
	struct pattern patterns[PATTERNS];
	size_t next;
	/* The steps that are left. */
	uint64_t left;
};

struct lookup_stack {
	/* The addresses as they were given, the innermost first. */
	struct { GSYM_VEC(uint64_t); } given;
};

static void forget(struct pattern *p)
{
	if (p->usable)
		regfree(&p->re);
	*p = (struct pattern){ 0 };
}

/* Whether TEXT may be compiled.  The time and memory of counted and of repeated
 * repetitions, of references to a group, and of many operators grow too fast
 * for files that nobody checked. */
static bool may_compile(const char *text)
{
	unsigned operators = 0;
	bool repeats = false;

	for (const char *at = text; *at; at++) {
		bool repeated = repeats;

		repeats = strchr("*+?", *at) != NULL;
		if (*at == '{' || (repeated && repeats))
			return false;
		operators += strchr("*+?|([.", *at) != NULL;
		if (*at != '\\')
			continue;
		if (!at[1] || isdigit((unsigned char)at[1]))
			return false;
		at++;
	}
	return operators <= MOST_OPERATORS && strlen(text) <= LONGEST_PATTERN;
}

/* A gsym_pattern_fn: PATTERN is an extended regular expression, as for
 * llvm-gsymutil, which has to match a part of NAME. */
static bool matches(void *context, const char *pattern, const char *name)
{
	struct matching *m = context;
	struct pattern *p = NULL;
	uint64_t steps = (uint64_t)(strlen(name) + 1) * (strlen(pattern) + 1);

	if (steps > m->left)
		return false;
	m->left -= steps;
	for (size_t i = 0; i < PATTERNS && !p; i++)
		if (m->patterns[i].text == pattern)
			p = &m->patterns[i];
	if (!p) {
		p = &m->patterns[m->next++ % PATTERNS];
		forget(p);
		p->text = pattern;
		p->usable = may_compile(pattern) &&
			    regcomp(&p->re, pattern,
				    REG_EXTENDED | REG_NOSUB) == 0;
	}
	return p->usable && regexec(&p->re, name, 0, NULL, 0) == 0;
}

void lookup_stack_choose(struct gsym_stack_entry *entries, size_t count)
{
	struct matching m = { .left = MOST_STEPS };

	must(gsym_lookup_stack(entries, count, matches, &m) == GSYM_OK);
	for (size_t i = 0; i < PATTERNS; i++)
		forget(&m.patterns[i]);
}

/* Set ENTRY to address INDEX of the stack of L. */
static void place(struct lookup *l, size_t index,
		  struct gsym_stack_entry *entry)
{
	uint64_t given = l->stack->given.items[index], bias = l->adjust;
	struct gsym_process_module module;
	struct gsym_process_place where;
	/* A call may be the last instruction of its mapping. */
	bool back = index && given;

	if (l->process)
		bias = lookup_enter(l, given - back, &where, &module)
			       ? module.bias : 0;
	*entry = (struct gsym_stack_entry){
		.reader = l->reader, .address = given - bias
	};
}

/* Write the answer to ENTRY, which was GIVEN. */
static void show(struct lookup *l, struct gsym_stack_entry *entry,
		 uint64_t given)
{
	struct gsym_error error = { 0 };
	struct gsym_match match = { 0 };
	struct lookup_found found = {
		.status = gsym_stack_frames(entry, l->flags, l->frames,
					    LOOKUP_FRAMES, &match, &error),
		.error = &error,
		.frames = l->frames,
		.entry = entry,
	};

	found.count = lookup_frame_count(&match);
	lookup_show(l, given, &found);
}

void lookup_stack_add(struct lookup *l, uint64_t address)
{
	if (!l->stack)
		l->stack = must_have(calloc(1, sizeof(*l->stack)));
	if (l->stack->given.count == MOST_ADDRESSES)
		die("a stack has more than %d addresses", MOST_ADDRESSES);
	*(uint64_t *)must_push(&l->stack->given) = address;
}

void lookup_stack_end(struct lookup *l)
{
	struct lookup_stack *s = l->stack;
	struct gsym_stack_entry *entries;

	if (!s)
		return;
	entries = must_have(calloc(s->given.count, sizeof(*entries)));
	for (size_t i = 0; i < s->given.count; i++)
		place(l, i, &entries[i]);
	lookup_stack_choose(entries, s->given.count);
	for (size_t i = 0; i < s->given.count; i++)
		show(l, &entries[i], s->given.items[i]);
	free(entries);
	gsym_vec_fini(&s->given);
	free(s);
	l->stack = NULL;
}
