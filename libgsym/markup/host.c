/* SPDX-License-Identifier: MIT */
/* Asks the host for symbols, frames and data, keeps its answers and the texts
 * that were made of them, and hands messages to it. */
#include "config.h"

#include "markup/host.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/text.h"

/* ---- the memo ------------------------------------------------------- */

enum {
	FIRST_SLOTS = 1024,
	/* Entries start at multiples of a unit. */
	UNIT = 16,
	INDEX_BITS = 20,
};
/* The most bytes of all entries, of which a slot holds any index.  Pages of
 * memory that no entry has used yet cost nothing. */
#define MOST GSYM_LIMIT((unsigned)UNIT << INDEX_BITS, 4096)
/* The most bytes of an entry.  Longer entries are rare and would take room from
 * others. */
#define LONGEST_ENTRY GSYM_LIMIT(8192u, 128)
/* All entries are dropped when less room is left. */
#define LITTLE (16 * LONGEST_ENTRY)

/* An entry; its bytes follow. */
struct entry {
	_Alignas(8) const void *object;
	uint64_t number;
	uint32_t kind, size;
};

/* Keys come from the log.  Its author does not know the addresses of objects,
 * so that he cannot choose keys of one slot. */
static uint64_t hash_of(const void *object, uint64_t number, uint32_t kind)
{
	return gsym_hash_mix(gsym_hash_mix((uintptr_t)object + kind) ^ number);
}

static struct entry *entry_at(const struct mk_memo *memo, mk_memo_index index)
{
	return (void *)(memo->bytes + (size_t)index * UNIT);
}

/* A slot has INDEX_BITS low bits for the index of an entry, and bits of the
 * hash of its key above. */
static uint32_t slot_value(uint64_t hash, mk_memo_index index)
{
	return (uint32_t)(hash >> 44) << INDEX_BITS | index;
}

/* ---- finding in the memo -------------------------------------------- */

mk_memo_index gsym_mk_memo_find(const struct mk_memo *memo,
				const struct mk_memo_key *key)
{
	const uint32_t index_mask = ((uint32_t)1 << INDEX_BITS) - 1;
	const uint64_t hash = hash_of(key->object, key->number, key->kind);
	const uint32_t wanted = slot_value(hash, 0);

	if (!memo->slot_count)
		return 0;
	for (size_t i = hash & (memo->slot_count - 1); memo->slots[i];
	     i = (i + 1) & (memo->slot_count - 1)) {
		uint32_t slot = memo->slots[i];

		/* Reading the entry costs a cache miss. */
		if ((slot & ~index_mask) != wanted)
			continue;
		const struct entry *e = entry_at(memo, slot & index_mask);

		if (e->object == key->object && e->number == key->number &&
		    e->kind == key->kind)
			return slot & index_mask;
	}
	return 0;
}

void *gsym_mk_memo_at(const struct mk_memo *memo, mk_memo_index index,
		      size_t *size)
{
	struct entry *e = entry_at(memo, index);

	*size = e->size;
	return e + 1;
}

/* ---- adding to the memo --------------------------------------------- */

static void put_slot(struct mk_memo *memo, const struct entry *e)
{
	uint64_t hash = hash_of(e->object, e->number, e->kind);
	size_t i = hash & (memo->slot_count - 1);
	size_t index = (size_t)((const char *)e - memo->bytes) / UNIT;

	while (memo->slots[i])
		i = (i + 1) & (memo->slot_count - 1);
	memo->slots[i] = slot_value(hash, (mk_memo_index)index);
	memo->used++;
}

static size_t entry_size(size_t size)
{
	return (sizeof(struct entry) + size + UNIT - 1) / UNIT * UNIT;
}

/* Make sure that a quarter of the slots is free after one more is used; false
 * without memory. */
static bool grow(struct mk_memo *memo)
{
	size_t count = memo->slot_count ? 2 * memo->slot_count : FIRST_SLOTS;
	uint32_t *slots;

	if (memo->used < memo->slot_count / 4 * 3)
		return true;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return false;
	free(memo->slots);
	memo->slots = slots;
	memo->slot_count = count;
	memo->used = 0;
	for (size_t at = UNIT; at < memo->next;) {
		const struct entry *e = (void *)(memo->bytes + at);

		put_slot(memo, e);
		at += entry_size(e->size);
	}
	return true;
}

mk_memo_index gsym_mk_memo_add(struct mk_memo *memo,
			       const struct mk_memo_key *key, const void *bytes,
			       size_t size)
{
	size_t at;
	struct entry *e;

	if (!memo->bytes && (memo->bytes = malloc(MOST)))
		/* Index 0 is none. */
		memo->next = UNIT;
	if (!memo->bytes || size > LONGEST_ENTRY ||
	    entry_size(size) > MOST - memo->next || !grow(memo))
		return 0;
	at = memo->next;
	e = (void *)(memo->bytes + at);
	*e = (struct entry){ key->object, key->number, key->kind,
			     (uint32_t)size };
	if (size)
		memcpy(e + 1, bytes, size);
	memo->next += entry_size(size);
	put_slot(memo, e);
	return (mk_memo_index)(at / UNIT);
}

void gsym_mk_memo_tidy(struct mk_memo *memo)
{
	if (memo->next <= MOST - LITTLE)
		return;
	memset(memo->slots, 0, memo->slot_count * sizeof(*memo->slots));
	memo->used = 0;
	memo->next = UNIT;
}

/* ---- making and freeing --------------------------------------------- */

void gsym_mk_host_init(struct mk_host *h, const struct gsym_markup_host *calls,
		       const struct gsym_markup_options *options,
		       struct mk_out *out, const struct mk_line *line)
{
	if (calls)
		h->calls = *calls;
	h->options = options;
	h->line = line;
	h->out = out;
	gsym_mk_out_init(&h->draft, options, NULL, out->page);
}

void gsym_mk_host_fini(struct mk_host *h)
{
	free(h->memo.slots);
	free(h->memo.bytes);
	h->calls.diagnose = NULL;
	gsym_mk_messages_end(h);
	gsym_mk_out_fini(&h->draft);
	gsym_vec_fini(&h->scratch);
}

/* ---- asking --------------------------------------------------------- */

static void say_missing(struct mk_host *h, struct mk_module *module)
{
	char id[2 * MK_BUILD_ID + 1];

	gsym_digits(id, sizeof(id), module->build_id, module->build_id_size);
	gsym_mk_say(h, GSYM_MARKUP_ERROR, NULL,
		    "no symbols for module #0x%" PRIx64 " \"%.*s\"%s%s",
		    module->id, mk_clip(module->name.size), module->name.at,
		    module->build_id_size ? "; BuildID=" : "", id);
	module->missed = true;
}

void *gsym_mk_symbols(struct mk_host *h, struct mk_module *module)
{
	struct gsym_markup_module about = {
		.id = module->id,
		.name = module->name.at,
		.name_size = module->name.size,
		.build_id = module->build_id,
		.build_id_size = module->build_id_size,
	};

	if (!module->asked) {
		module->asked = true;
		/* The host may take long to find symbols: write the output so
		 * far. */
		gsym_mk_drain(h->out, true);
		if (h->calls.module)
			module->symbols =
				h->calls.module(h->calls.context, &about);
		if (!module->symbols && !h->out->llvm && !module->missed)
			say_missing(h, module);
	}
	if (!module->symbols)
		gsym_mk_trouble_note(h->out, GSYM_MARKUP_ERROR,
				     "no symbols for this module");
	if (!module->symbols && h->out->llvm)
		gsym_mk_say(h, GSYM_MARKUP_ERROR, NULL,
			    "could not find build ID");
	return module->symbols;
}

/* Ask the host for the levels of ADDRESS, and keep them for KEY. */
static struct mk_levels ask(struct mk_host *h, const struct mk_memo_key *key,
			    void *symbols, uint64_t address)
{
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	struct mk_levels ret = { h->levels, 0 };
	mk_memo_index index;
	size_t size;

	ret.count = h->calls.code(h->calls.context, symbols, address, frames,
				  GSYM_MARKUP_MAX_FRAMES);
	for (size_t i = 0; i < ret.count; i++)
		ret.items[i] = (struct mk_level){ .frame = frames[i] };
	index = gsym_mk_memo_add(&h->memo, key, ret.items,
				 ret.count * sizeof(*ret.items));
	if (index)
		ret.items = gsym_mk_memo_at(&h->memo, index, &size);
	return ret;
}

struct mk_levels gsym_mk_levels_of(struct mk_host *h, void *symbols,
				   uint64_t address)
{
	const struct mk_memo_key key = { MK_MEMO_LEVELS, symbols, address };
	struct mk_level *items;
	mk_memo_index index;
	size_t size;

	if (!symbols || !h->calls.code)
		return (struct mk_levels){ NULL, 0 };
	index = gsym_mk_memo_find(&h->memo, &key);
	if (!index)
		return ask(h, &key, symbols, address);
	items = gsym_mk_memo_at(&h->memo, index, &size);
	return (struct mk_levels){ items, size / sizeof(*items) };
}

struct mk_levels gsym_mk_code(struct mk_host *h,
			      const struct mk_mapping *mapping,
			      uint64_t address)
{
	return gsym_mk_levels_of(h, gsym_mk_symbols(h, mapping->module),
				 mk_relative(mapping, address));
}

bool gsym_mk_data(struct mk_host *h, const struct mk_mapping *mapping,
		  uint64_t address, struct gsym_markup_datum *ret)
{
	void *symbols = gsym_mk_symbols(h, mapping->module);

	*ret = (struct gsym_markup_datum){ 0 };
	return symbols && h->calls.data &&
	       h->calls.data(h->calls.context, symbols,
			     mk_relative(mapping, address), ret);
}

size_t gsym_mk_functions(struct mk_host *h, void *symbols,
			 struct logs_text name,
			 struct gsym_markup_log_function *functions,
			 size_t capacity)
{
	if (!h->calls.logs.functions)
		return 0;
	return h->calls.logs.functions(h->calls.context, symbols, name.at,
				       name.size, functions, capacity);
}

const char *gsym_mk_demangle(struct mk_host *h, const char *name)
{
	const struct mk_memo_key key = { MK_MEMO_READABLE, name, 0 };
	mk_memo_index index;
	const char *plain;
	size_t size;

	if (!h->calls.demangle)
		return name;
	index = gsym_mk_memo_find(&h->memo, &key);
	if (index)
		return gsym_mk_memo_at(&h->memo, index, &size);
	plain = h->calls.demangle(h->calls.context, name, true);
	if (plain != name)
		gsym_mk_memo_add(&h->memo, &key, plain, strlen(plain) + 1);
	return plain;
}

/* ---- messages ------------------------------------------------------- */

/* SLOTS for different messages; LONGEST bytes of a message, with its NUL. */
enum { SLOTS = 512, LONGEST = MK_MAX_MESSAGE };
/* Different messages that are counted; the first SHOWN occurrences of each are
 * reported. */
#define COUNTED GSYM_LIMIT(SLOTS * 3u / 4, 1)
#define SHOWN GSYM_LIMIT(20u, 1)

struct message {
	char *text;
	uint64_t count;
};

struct mk_messages {
	struct message slots[SLOTS];
	size_t used;
};

/* Count TEXT; false if it was reported SHOWN times already. */
static bool count(struct mk_host *h, const char *text)
{
	struct mk_messages *m = h->messages;
	struct logs_text key = logs_string(text);
	size_t at = (size_t)mk_hash(key) % SLOTS;

	if (!m)
		m = h->messages = calloc(1, sizeof(*m));
	if (!m)
		return true;
	for (; m->slots[at].text; at = (at + 1) % SLOTS)
		if (strcmp(m->slots[at].text, text) == 0)
			return ++m->slots[at].count <= SHOWN;
	if (m->used < COUNTED && (m->slots[at].text = strdup(text))) {
		m->slots[at].count = 1;
		m->used++;
	}
	return true;
}

static void hand_over(struct mk_host *h,
		      const struct gsym_markup_diagnostic *diagnostic)
{
	if (!h->calls.diagnose)
		return;
	/* The output before the message comes first. */
	gsym_mk_drain(h->out, true);
	h->calls.diagnose(h->calls.context, diagnostic);
}

/* Replace bytes of MESSAGE that a terminal must not get by \\xNN; MESSAGE may
 * quote the log.  What does not fit is cut off. */
static void escape(char *message)
{
	const char *end = message + strlen(message);
	char copy[LONGEST];
	size_t to = 0;

	for (const char *at = message; at < end && to + 13 < sizeof(copy);) {
		size_t harmful = gsym_utf8_harmful(at, (size_t)(end - at));
		size_t left = (size_t)(end - at);
		size_t size = harmful ? harmful : gsym_utf8_length(at, left);

		for (size_t i = 0; harmful && i < size; i++)
			to += (size_t)snprintf(copy + to, 5, "\\x%02x",
					       (unsigned char)at[i]);
		if (!size)
			size = 1;
		if (!harmful) {
			memcpy(copy + to, at, size);
			to += size;
		}
		at += size;
	}
	copy[to] = 0;
	memcpy(message, copy, to + 1);
}

void gsym_mk_say(struct mk_host *h, enum gsym_markup_severity severity,
		 const char *at, const char *format, ...)
{
	char message[LONGEST];
	va_list args;

	if (!h->calls.diagnose && !h->options->html)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	if (!h->out->llvm && !h->options->raw_names)
		escape(message);
	gsym_mk_trouble_note(h->out, severity, message);
	if (!h->calls.diagnose || (!h->out->llvm && !count(h, message)))
		return;
	struct gsym_markup_diagnostic d = {
		.severity = severity,
		.message = message,
		.line_number = h->line->number,
	};
	if (at && h->line->at && at >= h->line->at &&
	    at <= h->line->at + h->line->size) {
		d.line = h->line->at;
		d.line_size = h->line->size;
		d.at = (size_t)(at - h->line->at);
	}
	hand_over(h, &d);
}

void gsym_mk_tell(struct mk_host *h, const char *format, ...)
{
	char message[LONGEST];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	escape(message);
	gsym_mk_drain(h->out, true);
	h->calls.logs.explain(h->calls.context, h->line->number, message);
}

void gsym_mk_say_problem(struct mk_host *h, const struct mk_element *e,
			 const struct mk_problem *problem,
			 enum gsym_markup_severity severity)
{
	char message[LONGEST];

	if (!h->calls.diagnose && !h->options->html)
		return;
	gsym_mk_explain(e, problem, message, sizeof(message));
	gsym_mk_say(h, severity, problem->at, "%s", message);
}

void gsym_mk_messages_end(struct mk_host *h)
{
	struct mk_messages *m = h->messages;

	if (!m)
		return;
	for (size_t i = 0; i < SLOTS; i++) {
		struct message *s = &m->slots[i];
		char text[LONGEST + 64];

		if (s->text && s->count > SHOWN) {
			struct gsym_markup_diagnostic d = {
				.severity = GSYM_MARKUP_NOTE,
				.message = text,
			};
			snprintf(text, sizeof(text),
				 "%" PRIu64 " more times: %s",
				 s->count - SHOWN, s->text);
			hand_over(h, &d);
		}
		free(s->text);
	}
	free(m);
	h->messages = NULL;
}
