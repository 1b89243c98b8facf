/* SPDX-License-Identifier: MIT */
/*
 * reader/stack.c - looks the addresses of a call stack up.  Where a linker
 * folded several functions into one, the call site of the caller tells which of
 * them was called.
 *
 * A stack is walked from the outermost address on: the call sites that count
 * are those of the function that was chosen for the caller.
 */
#include "reader/reader.h"

enum {
	/* Longer names and patterns fit nothing. */
	LONGEST_NAME = 4096,
	/* The most steps for a stack: a function, or the comparison of 64 bytes
	 * of its name with a pattern.  In a hostile file there may be millions
	 * of both, which share their bytes. */
	MOST_STEPS = 1 << 20,
	STEP_BYTES = 64,
};

/* The patterns that the name of the called function has to fit. */
struct called {
	struct gsym_call_site site;
	/* NULL: a pattern is a name. */
	gsym_pattern_fn *matches;
	void *context;
	/* The steps that are left of the stack. */
	uint32_t *left;
};

/* Take STEPS.  False if so many are not left. */
static bool take_steps(struct called *c, size_t steps)
{
	if (steps > *c->left) {
		*c->left = 0;
		return false;
	}
	*c->left -= (uint32_t)steps;
	return true;
}

/* Set *SITE to the call site at which CALLER returns.  False if there is
 * none. */
static bool find_site(const struct gsym_stack_entry *caller,
		      struct gsym_call_site *site)
{
	struct gsym_function record, merged;

	if (caller->status != GSYM_OK ||
	    gsym_function_at(caller->reader, caller->match.index, &record,
			     NULL) != GSYM_OK)
		return false;
	if (!caller->chosen)
		return gsym_call_site_find(&record, caller->address, site,
					   NULL) == GSYM_OK;
	return gsym_merged_at(&record, caller->chosen - 1, &merged, NULL) ==
		       GSYM_OK &&
	       gsym_call_site_find(&merged, caller->address, site, NULL) ==
		       GSYM_OK;
}

/* Whether NAME fits one of the patterns of C. */
static bool fits(struct called *c, const char *name)
{
	size_t length = strnlen(name, LONGEST_NAME + 1);

	if (!take_steps(c, 1 + length / STEP_BYTES))
		return false;
	for (uint32_t i = 0; length && length <= LONGEST_NAME &&
			     i < c->site.pattern_count &&
			     take_steps(c, 1 + length / STEP_BYTES);
	     i++) {
		const char *pattern = gsym_call_site_pattern(&c->site, i);

		if (strnlen(pattern, LONGEST_NAME + 1) > LONGEST_NAME)
			continue;
		if (c->matches ? c->matches(c->context, pattern, name)
			       : !strcmp(pattern, name))
			return true;
	}
	return false;
}

/* Choose the first function of ENTRY that fits C, and count those that do.
 * Nothing is chosen if the steps are used up. */
static void choose(struct gsym_stack_entry *entry, struct called *c)
{
	struct gsym_function record;

	if (!c->site.pattern_count ||
	    gsym_function_at(entry->reader, entry->match.index, &record,
			     NULL) != GSYM_OK)
		return;
	for (uint32_t i = 0; i < entry->functions && *c->left; i++) {
		struct gsym_function merged = { .name = record.name };

		if ((i && gsym_merged_at(&record, i - 1, &merged, NULL) !=
				  GSYM_OK) ||
		    !fits(c, merged.name))
			continue;
		if (!entry->fitting++)
			entry->chosen = i;
	}
	if (!*c->left)
		entry->fitting = entry->chosen = 0;
}

enum gsym_status gsym_lookup_stack(struct gsym_stack_entry *entries,
				   size_t count, gsym_pattern_fn *matches,
				   void *context)
{
	uint32_t left = MOST_STEPS;

	if (!entries && count)
		return GSYM_ERR_ARGUMENT;
	for (size_t i = count; i-- > 0;) {
		struct gsym_stack_entry *e = &entries[i];
		uint64_t address = e->address - (i && e->address);
		struct called c = { .context = context, .left = &left };

		e->functions = e->fitting = e->chosen = 0;
		e->status = GSYM_NOT_FOUND;
		/* For gsym_stack_frames, if the record is damaged. */
		e->match = (struct gsym_match){ .address = address };
		if (e->reader)
			e->status = gsym_lookup(
				e->reader, address,
				GSYM_LOOKUP_NO_INLINES | GSYM_LOOKUP_NO_LINES,
				NULL, 0, &e->match, NULL);
		if (e->status != GSYM_OK)
			continue;
		e->functions = e->match.merged_count < UINT32_MAX
				       ? e->match.merged_count + 1
				       : UINT32_MAX;
		if (e->functions == 1 || i + 1 == count ||
		    !find_site(&entries[i + 1], &c.site))
			continue;
		choose(e, &c);
		c.matches = matches;
		if (!e->fitting && matches)
			choose(e, &c);
	}
	return GSYM_OK;
}

enum gsym_status gsym_stack_frames(struct gsym_stack_entry *entry,
				   unsigned flags, struct gsym_frame *frames,
				   size_t capacity, struct gsym_match *match,
				   struct gsym_error *error)
{
	if (!entry)
		return gsym_fail_argument(error);
	if (!entry->reader || entry->status == GSYM_NOT_FOUND)
		return GSYM_NOT_FOUND;
	return entry->chosen
		       ? gsym_lookup_merged(entry->reader, &entry->match,
					    entry->chosen - 1, flags, frames,
					    capacity, match, error)
		       : gsym_lookup(entry->reader, entry->match.address, flags,
				     frames, capacity, match, error);
}
