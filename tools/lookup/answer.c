/* SPDX-License-Identifier: MIT */
/*
 * lookup/answer.c - looks an address up, and writes the answer; answers the
 * addresses of a call stack together (--stack).  Of folded functions it chooses
 * by the call sites of their callers, or by --merged-functions-filter.
 */
#include "config.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "common/report.h"
#include "lookup/lookup.h"

/* ---- --merged-functions-filter ------------------------------------------- */

/* The most bytes of names that are tried for an address: many functions may
 * have one long name.  Each name counts as EACH bytes more. */
#define TRIED GSYM_LIMIT(16 * FRAMES_BYTES, 4096)
enum { EACH = 64 };

/* Shared by all threads. */
struct lookup_filter {
	size_t count;
	regex_t patterns[];
};

void lookup_filter_open(struct lookup *l)
{
	size_t count = l->asked->filter_texts.count;
	struct lookup_filter *f;

	if (!count)
		return;
	f = must_have(calloc(1, sizeof(*f) + count * sizeof(*f->patterns)));
	for (; f->count < count; f->count++) {
		const char *text = l->asked->filter_texts.items[f->count];

		if (regcomp(&f->patterns[f->count], text,
			    REG_EXTENDED | REG_NOSUB) != 0)
			die_usage("--merged-functions-filter: '%s' is no "
				  "extended regular expression",
				  text);
	}
	l->filter = f;
}

void lookup_filter_close(struct lookup *l)
{
	free(l->asked->filter_texts.items);
	if (!l->filter)
		return;
	while (l->filter->count)
		regfree(&l->filter->patterns[--l->filter->count]);
	free(l->filter);
	l->filter = NULL;
}

/* The functions of another address are tried from now on. */
static void filter_begin(struct lookup *l)
{
	l->filter_left = TRIED;
}

/* Whether as many names were tried as may be for an address. */
static bool filter_is_spent(const struct lookup *l)
{
	return l->filter && !l->filter_left;
}

/* Whether the function that the COUNT frames at FRAMES are in is shown: one of
 * the patterns fits a part of its name, or there are none. */
static bool filter_takes(struct lookup *l, const struct gsym_frame *frames,
			 size_t count)
{
	const struct lookup_filter *f = l->filter;
	const char *name = count ? frames[count - 1].function : "";
	size_t size = f ? strnlen(name, FRAMES_BYTES) : 0;

	/* The answer says that a longer name is not shown. */
	if (!f || size == FRAMES_BYTES)
		return true;
	l->filter_left -= size + EACH < l->filter_left ? size + EACH
						       : l->filter_left;
	for (size_t i = 0; i < f->count; i++)
		if (regexec(&f->patterns[i], name, 0, NULL, 0) == 0)
			return true;
	return false;
}

/* ---- answers ------------------------------------------------------------- */

void lookup_start(struct lookup *l)
{
	l->frames = must_have(calloc(LOOKUP_FRAMES, sizeof(*l->frames)));
	if (l->asked->demangle)
		l->demangler = l->demangler ? demangler_share(l->demangler)
					    : demangler_new(0);
	l->style.demangler = l->demangler;
}

void lookup_end(struct lookup *l)
{
	gsym_demangler_free(l->demangler);
	names_fini(&l->names);
	free(l->frames);
}

/* Find the next function, from *AT on, that is merged with the function of
 * MATCH and is to be shown.  The number of its frames, which L has then; 0:
 * there are no more. */
static size_t next_merged(struct lookup *l, struct gsym_match *match,
			  uint32_t *at)
{
	while (*at < match->merged_count) {
		struct gsym_match other;
		enum gsym_status status;

		if (filter_is_spent(l)) {
			l->counts.damaged++;
			break;
		}
		status = gsym_lookup_merged(l->reader, match, (*at)++,
					    l->asked->flags, l->frames,
					    LOOKUP_FRAMES, &other, NULL);
		if (status == GSYM_ERR_CORRUPT)
			l->counts.damaged++;
		if (status == GSYM_OK &&
		    filter_takes(l, l->frames, other.frame_count))
			return other.frame_count;
	}
	return 0;
}

/* Show the functions, from AT on, that are merged with the function of MATCH,
 * as long as their texts fit into LEFT bytes; see frames_take. */
static void show_merged(struct lookup *l, struct gsym_match *match, uint32_t at,
			unsigned indent, uint64_t left)
{
	bool first = true;
	size_t count;

	while ((count = next_merged(l, match, &at)) > 0) {
		if (!lookup_take(l, l->frames, count, &left)) {
			l->counts.damaged++;
			break;
		}
		frames_merged(&l->out, &l->style, l->frames, count, indent,
			      first);
		first = false;
	}
	if (!first)
		frames_merged_end(&l->out, &l->style);
}

/* Whether the names in SITE fit into an answer. */
static bool callees_fit(const struct gsym_call_site *site)
{
	uint64_t left = FRAMES_BYTES;
	const char *pattern;
	for (uint32_t i = 0; (pattern = gsym_call_site_pattern(site, i)); i++)
		if (!frames_take_text(&left, pattern))
			return false;
	return true;
}

/* Show the callees of the call that returns to the address RETURNS_TO in the
 * function of MATCH. */
static void show_calls(struct lookup *l, const struct gsym_match *match,
		       uint64_t returns_to, unsigned indent)
{
	struct gsym_function function;
	struct gsym_call_site site;
	if (gsym_function_at(l->reader, match->index, &function, NULL) !=
		    GSYM_OK ||
	    gsym_call_site_find(&function, returns_to, &site, NULL) != GSYM_OK)
		return;
	if (callees_fit(&site))
		frames_call(&l->out, &l->style, &site, indent);
	else
		l->counts.damaged++;
}

/* The address that the Go runtime looks up for the return address ADDRESS of a
 * traceback: one less, which lies in the call instruction.  It is ADDRESS
 * itself if a function starts there, or if the function was interrupted, and
 * so made no call. */
static uint64_t go_address(struct lookup *l, uint64_t address)
{
	struct gsym_match match;
	if (l->interrupted)
		return address;
	if (gsym_lookup(l->reader, address, GSYM_LOOKUP_NO_INLINES, l->frames,
			LOOKUP_FRAMES, &match, NULL) == GSYM_OK &&
	    match.start == address)
		return address;
	return address > 0 ? address - 1 : 0;
}

/* Whether FUNCTION belongs to the Go runtime, and interrupts a function as if
 * that had called it. */
static bool interrupts(const char *function)
{
	static const char *const functions[] = {
		"runtime.sigpanic", "runtime.asyncPreempt",
		"runtime.debugCallV1", "runtime.debugCallV2",
	};
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(function, functions[i]) == 0)
			return true;
	return false;
}

/* Find the file of the run-time address GIVEN.  *BIAS becomes the load bias of
 * the file, and the return value tells whether a file is mapped there. */
static bool enter_file(struct lookup *l, uint64_t given, uint64_t *bias,
		       struct gsym_process_module *module)
{
	struct gsym_process_place place;
	/* A call may be the last instruction of its mapping. */
	bool back = (l->asked->return_addresses || l->style.go) && given > 0;
	bool found = lookup_enter(l, given - back, &place, module);

	*bias = found ? module->bias : 0;
	return found;
}

/* Say which of several functions the answer is. */
static void show_choice(struct lookup *l, const struct gsym_stack_entry *entry,
			unsigned indent)
{
	struct out *out = &l->out;

	if (l->style.json) {
		lookup_choice(out, entry);
		return;
	}
	if (entry->functions < 2)
		return;
	out_printf(out, "%*s", (int)indent, "");
	if (entry->fitting == 1)
		out_printf(out, "of %u functions, the one that is called\n",
			   entry->functions);
	else if (entry->fitting)
		out_printf(out, "one of %u functions; %u may be called\n",
			   entry->functions, entry->fitting);
	else
		out_printf(out, "one of %u functions\n", entry->functions);
}

void lookup_choice(struct out *out, const struct gsym_stack_entry *entry)
{
	if (entry->functions > 1)
		out_printf(out, ",\"functions\":%u,\"fitting\":%u",
			   entry->functions, entry->fitting);
}

/* Write the frames of F, an address that no function covers. */
static void show_missing(struct lookup *l, uint64_t given,
			 const struct lookup_found *f)
{
	l->interrupted = false;
	if (f->module)
		frames_module(&l->out, &l->style, f->module->path, f->address);
	else if (l->style.go)
		frames_go(&l->out, &l->style, NULL, 0, given, 0);
	else
		frames_stack(&l->out, &l->style, NULL, 0, 0);
}

/* Write the frames of F, which was found, and what goes with them, as long as
 * texts fit into LEFT bytes. */
static void show_frames(struct lookup *l, uint64_t given,
			const struct lookup_found *f, uint64_t left)
{
	unsigned indent = l->style.json ? 0 : frames_width(given);

	if (l->style.go) {
		l->interrupted = f->count > 0 &&
				 interrupts(f->frames[f->count - 1].function);
		frames_go(&l->out, &l->style, f->frames, f->count, f->address,
			  f->match->start);
	} else {
		frames_stack(&l->out, &l->style, f->frames, f->count, indent);
	}
	if (l->asked->merged)
		show_merged(l, f->match, f->merged, indent, left);
	/* They are those of the function of the record. */
	if (l->asked->calls && !f->merged)
		show_calls(l, f->match, f->address, indent);
	if (f->entry)
		show_choice(l, f->entry, indent);
}

/* Whether ADDRESS lies between the starts of two functions of the file. */
static bool is_between(const struct lookup *l, uint64_t address)
{
	uint32_t count = gsym_function_count(l->reader);

	return count && address >= gsym_address_at(l->reader, 0) &&
	       address < gsym_address_at(l->reader, count - 1);
}

void lookup_show(struct lookup *l, uint64_t given, const struct lookup_found *f)
{
	uint64_t left = FRAMES_BYTES;
	const char *damage = lookup_damage(l, f, &left);

	l->counts.found += f->status != GSYM_NOT_FOUND;
	l->counts.missed += f->status == GSYM_NOT_FOUND;
	l->counts.gaps += f->status == GSYM_NOT_FOUND &&
			  is_between(l, f->address);
	l->counts.damaged += damage != NULL;
	frames_begin(&l->out, &l->style, given);
	if (damage)
		frames_damage(&l->out, &l->style, damage);
	else if (f->status == GSYM_OK)
		show_frames(l, given, f, left);
	else
		show_missing(l, given, f);
	frames_end(&l->out, &l->style);
}

/* Let F, which was found, be the first of the functions that share the code
 * and are to be shown.  Writes that there is none, and returns false. */
static bool filter(struct lookup *l, uint64_t given, struct lookup_found *f)
{
	if (f->status != GSYM_OK || filter_takes(l, f->frames, f->count))
		return true;
	f->count = l->asked->merged ? next_merged(l, f->match, &f->merged) : 0;
	if (f->count)
		return true;
	l->counts.missed++;
	frames_begin(&l->out, &l->style, given);
	show_missing(l, given, f);
	frames_end(&l->out, &l->style);
	return false;
}

void lookup_address(struct lookup *l, uint64_t given)
{
	uint64_t bias = l->asked->adjust;
	struct gsym_process_module module;
	bool mapped = l->process && enter_file(l, given, &bias, &module);
	uint64_t address = given - bias;
	struct gsym_match match = { 0 };
	struct gsym_error error = { 0 };
	struct lookup_found found = {
		.status = GSYM_NOT_FOUND,
		.error = &error,
		.frames = l->frames,
		.match = &match,
		.address = address,
		.module = mapped ? &module : NULL,
	};

	if (l->style.go)
		address = go_address(l, address);
	else if (l->asked->return_addresses && address > 0)
		address--;
	if (l->reader)
		found.status =
			gsym_lookup(l->reader, address, l->asked->flags,
				    l->frames, LOOKUP_FRAMES, &match, &error);
	if (found.status == GSYM_NOT_FOUND &&
	    lookup_symbol(l, address + bias, l->frames)) {
		match = (struct gsym_match){ .frame_count = 1,
					     .index = UINT32_MAX };
		found.status = GSYM_OK;
	}
	found.count = lookup_frame_count(&match);
	filter_begin(l);
	if (filter(l, given, &found))
		lookup_show(l, given, &found);
}

/* ---- stacks -------------------------------------------------------------- */

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
static void set_entry(struct lookup *l, size_t index,
		      struct gsym_stack_entry *entry)
{
	uint64_t given = l->stack->given.items[index], bias = l->asked->adjust;
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
		.status = gsym_stack_frames(entry, l->asked->flags, l->frames,
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
		set_entry(l, i, &entries[i]);
	lookup_stack_choose(entries, s->given.count);
	for (size_t i = 0; i < s->given.count; i++)
		show(l, &entries[i], s->given.items[i]);
	free(entries);
	gsym_vec_fini(&s->given);
	free(s);
	l->stack = NULL;
}
