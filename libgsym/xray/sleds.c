/* SPDX-License-Identifier: MIT */
/* Instrumentation maps: sleds, which tell the number of each function in a
 * trace.  They are read from a section, or from text. */
#include "xray/log.h"

#include "base/cursor.h"
#include "base/error.h"
#include "base/order.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* An instrumentation map: the sleds of a program. */
struct gsym_xray_map {
	/* Sorted by the number of their function. */
	struct { GSYM_VEC(struct gsym_xray_sled); } sleds;
	/* By place in the order of functions: the index of the first sled. */
	struct { GSYM_VEC(uint32_t); } first;
	/* The texts of a map in YAML. */
	struct gsym_arena names;
};

/* ---- sections ------------------------------------------------------------ */

/* By function, then by address. */
static int by_function(const void *x, const void *y)
{
	const struct gsym_xray_sled *a = x, *b = y;

	return GSYM_ORDER(a->function, b->function) ?:
	       GSYM_ORDER(a->address, b->address) ?:
	       GSYM_ORDER(a->kind, b->kind);
}

/* Sort the sleds by function if they are not, and fill MAP->first.  False
 * without memory. */
static bool note_functions(struct gsym_xray_map *map)
{
	const struct gsym_xray_sled *sleds = map->sleds.items;
	bool sorted = true;

	for (size_t i = 1; sorted && i < map->sleds.count; i++)
		sorted = sleds[i - 1].function <= sleds[i].function;
	if (!sorted)
		qsort(map->sleds.items, map->sleds.count,
		      sizeof(*map->sleds.items), by_function);
	for (size_t i = 0; i < map->sleds.count; i++) {
		if (i && sleds[i].function == sleds[i - 1].function)
			continue;
		uint32_t *first = gsym_vec_push(&map->first);
		if (!first)
			return false;
		*first = (uint32_t)i;
	}
	return true;
}

/* End the making of MAP, which has its sleds if STATUS is GSYM_OK: *RET is set
 * to MAP, or MAP is freed. */
static enum gsym_status finish(struct gsym_xray_map *map,
				      enum gsym_status status,
				      struct gsym_xray_map **ret,
				      struct gsym_error *error)
{
	if (status == GSYM_OK && !note_functions(map))
		status = gsym_fail_memory(error);
	if (status == GSYM_OK)
		*ret = map;
	else
		gsym_xray_map_close(map);
	return status;
}

/* Read an address of a sled of VERSION: relative to its own place from version
 * 2 on, else absolute; an absolute one that is 0 may have a relocation. */
static uint64_t address_word(const struct gsym_xray_section *s,
			     struct gsym_cursor *c, unsigned version)
{
	uint64_t place = s->address + gsym_cursor_offset(c);
	uint64_t value = gsym_cursor_uint(c, s->word);

	if (version >= 2)
		value += place;
	return s->word == 4 ? (uint32_t)value : value;
}

/* Read the sled at C and append it to MAP.  The sleds of a function have the
 * same address of the function and are adjacent. */
static enum gsym_status add_sled(struct gsym_xray_map *map,
				 const struct gsym_xray_section *s,
				 struct gsym_cursor *c,
				 struct gsym_error *error)
{
	size_t at = gsym_cursor_offset(c);
	unsigned version = c->at[2 * s->word + 2];
	struct gsym_xray_sled *sled;

	if (version > 2)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, at,
				 "xray_instr_map at offset 0x%zx: sled version "
				 "%u", at, version);
	sled = gsym_vec_push(&map->sleds);
	if (!sled)
		return gsym_fail_memory(error);
	*sled = (struct gsym_xray_sled){ .version = version };
	sled->address = address_word(s, c, version);
	sled->function_address = address_word(s, c, version);
	sled->kind = gsym_cursor_u8(c);
	sled->always = gsym_cursor_u8(c) != 0;
	gsym_cursor_seek(c, at + 4 * (uint64_t)s->word);
	sled->function = 1;
	if (map->sleds.count > 1)
		sled->function = sled[-1].function +
				 (sled[-1].function_address !=
				  sled->function_address);
	return GSYM_OK;
}

static enum gsym_status add_sleds(struct gsym_xray_map *map,
				  const struct gsym_xray_section *section,
				  struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct gsym_cursor c;

	if (!section->data && section->size)
		return gsym_fail_argument(error);
	if (section->word != 4 && section->word != 8)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "addresses of %u bytes", section->word);
	if (section->size % (4 * section->word) ||
	    section->size / (4 * section->word) >=
		    UINT32_MAX - map->sleds.count)
		return gsym_fail(error, GSYM_ERR_CORRUPT, section->size,
				 "xray_instr_map of %" PRIu64 " bytes is no "
				 "whole number of sleds",
				 section->size);
	c = gsym_cursor_init(section->data, section->size,
			     section->big_endian != GSYM_HOST_BIG_ENDIAN);
	while (status == GSYM_OK && gsym_cursor_left(&c))
		status = add_sled(map, section, &c, error);
	return status;
}

enum gsym_status gsym_xray_map_open(const struct gsym_xray_section *sections,
				    size_t count, struct gsym_xray_map **ret,
				    struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct gsym_xray_map *map;

	if ((!sections && count) || !ret)
		return gsym_fail_argument(error);
	map = calloc(1, sizeof(*map));
	if (!map)
		return gsym_fail_memory(error);
	for (size_t i = 0; i < count && status == GSYM_OK; i++)
		status = add_sleds(map, &sections[i], error);
	return finish(map, status, ret, error);
}

/* Entries of an index have two words: in today's format the address of the
 * function's first sled, relative to the entry, and their number; in the old
 * format the addresses where the function's sleds begin and end. */
enum gsym_status
gsym_xray_map_check_index(const struct gsym_xray_map *map,
			  const struct gsym_xray_section *section,
			  const struct gsym_xray_section *index,
			  struct gsym_error *error)
{
	unsigned sled, word;
	size_t count;
	/* All entries so far agree with MAP in today's format; in the old
	 * format. */
	bool today = true, old = true;
	uint32_t last = 0;
	struct gsym_cursor c;

	if (!map || !section || !index || (!index->data && index->size) ||
	    (index->word != 4 && index->word != 8))
		return gsym_fail_argument(error);
	sled = 4 * section->word;
	word = index->word;
	count = map->first.count;
	if (index->size / (2 * word) != count)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
				 "xray_fn_idx has %" PRIu64 " functions, "
				 "xray_instr_map %zu",
				 index->size / (2 * word), count);
	c = gsym_cursor_init(index->data, index->size,
			     index->big_endian != GSYM_HOST_BIG_ENDIAN);
	for (size_t i = 0; i < count && (today || old); i++) {
		size_t first = map->first.items[i];
		size_t next = i + 1 < count ? map->first.items[i + 1]
					    : map->sleds.count;
		uint64_t place = index->address + gsym_cursor_offset(&c);
		uint64_t start = gsym_cursor_uint(&c, word);
		uint64_t end = gsym_cursor_uint(&c, word);
		uint64_t begin = section->address + first * sled;

		place += start;
		today = today && end == next - first &&
			(word == 4 ? (uint32_t)place : place) == begin;
		old = old && start == begin &&
		      end == section->address + next * sled;
		last = (uint32_t)i + 1;
	}
	if (today || old)
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
			 "xray_fn_idx has other sleds for function #%" PRIu32
			 " than xray_instr_map",
			 last);
}

void gsym_xray_map_close(struct gsym_xray_map *map)
{
	if (!map)
		return;
	gsym_vec_fini(&map->sleds);
	gsym_vec_fini(&map->first);
	gsym_arena_fini(&map->names);
	free(map);
}

uint32_t gsym_xray_map_functions(const struct gsym_xray_map *map)
{
	return map ? map->first.count : 0;
}

enum gsym_status gsym_xray_map_sled_at(const struct gsym_xray_map *map,
				       uint32_t index,
				       struct gsym_xray_sled *ret)
{
	if (!map || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= map->sleds.count)
		return GSYM_NOT_FOUND;
	*ret = map->sleds.items[index];
	return GSYM_OK;
}

static uint32_t number_at(const struct gsym_xray_map *map, size_t index)
{
	return map->sleds.items[map->first.items[index]].function;
}

uint32_t gsym_xray_map_index(const struct gsym_xray_map *map,
			     uint32_t function)
{
	size_t count = map ? map->first.count : 0, i = function - (size_t)1;

	/* Only numbers from a text can have gaps. */
	if (i >= count || number_at(map, i) != function)
		i = GSYM_FIRST(k, 0, count, number_at(map, k) >= function);
	return i < count && number_at(map, i) == function ? (uint32_t)i
							  : GSYM_XRAY_NO_INDEX;
}

enum gsym_status gsym_xray_map_function(const struct gsym_xray_map *map,
					uint32_t function, uint64_t *address,
					unsigned *kinds)
{
	uint32_t i = gsym_xray_map_index(map, function);

	if (!map || !address || !kinds)
		return GSYM_ERR_ARGUMENT;
	if (i == GSYM_XRAY_NO_INDEX)
		return GSYM_NOT_FOUND;
	i = map->first.items[i];
	*address = map->sleds.items[i].function_address;
	*kinds = 0;
	for (; i < map->sleds.count &&
	       map->sleds.items[i].function == function; i++)
		*kinds |= 1u << (map->sleds.items[i].kind & 31);
	return GSYM_OK;
}

const char *gsym_xray_map_name(const struct gsym_xray_map *map,
			       uint32_t function)
{
	uint32_t i = gsym_xray_map_index(map, function);

	return i == GSYM_XRAY_NO_INDEX
		       ? NULL
		       : map->sleds.items[map->first.items[i]].name;
}

/* ---- maps in YAML -------------------------------------------------------- */

/*
 * What "llvm-xray extract" and "gsym-xray extract" print.  Of YAML only what
 * such files contain is read: a list of mappings, in braces or with one key a
 * line, and plain or quoted values.
 */

struct text {
	struct gsym_xray_map *map;
	const char *start, *at, *end;
	struct gsym_error *error;
	/* The sled that is being read; a bit for each of its keys so far; and
	 * true if it is in braces. */
	struct gsym_xray_sled sled;
	unsigned keys;
	bool braces;
	/* The value that was read last. */
	char *value;
};

enum key {
	KEY_ID,
	KEY_ADDRESS,
	KEY_FUNCTION,
	KEY_KIND,
	KEY_ALWAYS,
	KEY_NAME,
	KEY_VERSION,
	KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = {
	[KEY_ID] = "id",
	[KEY_ADDRESS] = "address",
	[KEY_FUNCTION] = "function",
	[KEY_KIND] = "kind",
	[KEY_ALWAYS] = "always-instrument",
	[KEY_NAME] = "function-name",
	[KEY_VERSION] = "version",
};

/* By kind, as in struct gsym_xray_sled. */
static const char *const kind_names[] = {
	"function-enter", "function-exit", "tail-exit",
	"log-args-enter", "custom-event",  "typed-event",
};
enum { KINDS = sizeof(kind_names) / sizeof(*kind_names) };

static enum gsym_status fail(const struct text *t, const char *what)
{
	size_t line = 1;

	for (const char *p = t->start; p < t->at; p++)
		line += *p == '\n';
	return gsym_fail(t->error, GSYM_ERR_CORRUPT,
			 (uint64_t)(t->at - t->start),
			 "line %zu of the map: %s", line, what);
}

/* Returns true if the next byte is C. */
static bool here(const struct text *t, char c)
{
	return t->at < t->end && *t->at == c;
}

/* Step over blanks, line ends and comments. */
static void skip_blanks(struct text *t)
{
	while (t->at < t->end) {
		if (*t->at == '#')
			while (t->at < t->end && *t->at != '\n')
				t->at++;
		else if (strchr(" \t\r\n", *t->at) && *t->at)
			t->at++;
		else
			break;
	}
}

/* The quote that closes the text at START, which follows an opening QUOTE; NULL
 * if there is none on the line. */
static const char *closing_quote(const struct text *t, const char *start,
				 char quote)
{
	for (const char *p = start; p < t->end && *p != '\n'; p++) {
		if (*p == quote) {
			if (quote == '"' || p + 1 == t->end || p[1] != quote)
				return p;
			p++;
		} else if (*p == '\\' && quote == '"' && p + 1 < t->end) {
			p++;
		}
	}
	return NULL;
}

/* Undo the escape behind the backslash before AT: write its bytes, of which the
 * escape has more, to TO.  Returns their number, and sets *TAKEN to the bytes
 * from AT on that belong to the escape. */
static size_t unescape(const char *at, const char *end, char to[4],
		       size_t *taken)
{
	static const char from[] = "0abtnvfre",
			  bytes[] = "\0\a\b\t\n\v\f\r\033";
	static const char kinds[] = "xuU";
	const char *kind = *at ? strchr(kinds, *at) : NULL;
	const char *plain = *at ? strchr(from, *at) : NULL;
	/* \u00e9 and \U000000e9 are a character; \xe9 is a byte, as names may
	 * have bytes that are no UTF-8. */
	const size_t digits = kind ? (size_t)2 << (kind - kinds) : 0;
	uint8_t code[4] = { 0 };
	uint32_t number = 0;

	*taken = 1;
	if (kind && (size_t)(end - at) > digits &&
	    gsym_digits_read(code, at + 1, digits / 2)) {
		for (size_t i = 0; i < digits / 2; i++)
			number = number << 8 | code[i];
		*taken += digits;
		/* No character, or a half of one. */
		if (number > 0x10ffff || number >> 11 == 0xd800 >> 11)
			number = 0xfffd;
		*to = (char)number;
		return digits == 2 ? 1 : gsym_utf8_put(number, to);
	}
	*to = plain ? bytes[plain - from] : *at;
	return 1;
}

/* Read a quoted value. */
static enum gsym_status read_quoted(struct text *t)
{
	char quote = *t->at++, *to;
	const char *end = closing_quote(t, t->at, quote);
	size_t taken;

	if (!end)
		return fail(t, "a quote is missing");
	to = t->value =
		gsym_arena_alloc(&t->map->names, (size_t)(end - t->at) + 1);
	if (!to)
		return gsym_fail_memory(t->error);
	for (; t->at < end; t->at += taken) {
		taken = 1;
		if (quote == '"' && *t->at == '\\') {
			t->at++;
			to += unescape(t->at, end, to, &taken);
			continue;
		}
		/* The first of two single quotes stands for both. */
		t->at += *t->at == quote;
		*to++ = *t->at;
	}
	*to = 0;
	t->at = end + 1;
	return GSYM_OK;
}

/* Read a plain or quoted value. */
static enum gsym_status read_value(struct text *t)
{
	const char *start;

	while (here(t, ' ') || here(t, '\t'))
		t->at++;
	if (here(t, '\'') || here(t, '"'))
		return read_quoted(t);
	start = t->at;
	while (t->at < t->end && *t->at &&
	       !strchr(t->braces ? ",}\r\n" : "\r\n", *t->at))
		t->at++;
	const char *end = t->at;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	t->value =
		gsym_arena_string(&t->map->names, start, (size_t)(end - start));
	return t->value ? GSYM_OK : gsym_fail_memory(t->error);
}

/* Set *RET to the current value as a number, hexadecimal or decimal, of at most
 * MOST. */
static enum gsym_status number(const struct text *t, uint64_t most,
			       uint64_t *ret)
{
	const char *p = t->value, *end = p + strlen(p), *after;
	unsigned base = 10;
	bool fits;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	after = gsym_number(p, end, base, ret, &fits);
	if (after == p || after < end || !fits || *ret > most)
		return fail(t, "not a number that fits");
	return GSYM_OK;
}

/* Set the field KEY of the sled to the current value. */
static enum gsym_status take_value(struct text *t, enum key key)
{
	enum gsym_status status = GSYM_OK;
	uint64_t n = 0;

	switch (key) {
	case KEY_ID:
		status = number(t, 0x0fffffff, &n);
		if (status == GSYM_OK && !n)
			return fail(t, "functions are numbered from 1 on");
		t->sled.function = (uint32_t)n;
		break;
	case KEY_ADDRESS:
		return number(t, UINT64_MAX, &t->sled.address);
	case KEY_FUNCTION:
		return number(t, UINT64_MAX, &t->sled.function_address);
	case KEY_KIND:
		while (n < KINDS && strcmp(t->value, kind_names[n]))
			n++;
		if (n == KINDS)
			return fail(t, "a kind of sled that is not known");
		t->sled.kind = (uint8_t)n;
		break;
	case KEY_ALWAYS:
		t->sled.always = !strcmp(t->value, "true");
		break;
	case KEY_NAME:
		t->sled.name = *t->value ? t->value : NULL;
		break;
	case KEY_VERSION:
		status = number(t, UINT8_MAX, &n);
		t->sled.version = (uint8_t)n;
		break;
	default:
		break;
	}
	return status;
}

/* Read "key: value".  Unknown keys are ignored. */
static enum gsym_status read_pair(struct text *t)
{
	const char *start = t->at;
	enum gsym_status status;
	size_t length;

	while (t->at < t->end &&
	       (*t->at == '-' || (*t->at >= 'a' && *t->at <= 'z')))
		t->at++;
	length = (size_t)(t->at - start);
	if (!length || !here(t, ':'))
		return fail(t, "neither a key nor the end of a sled");
	t->at++;
	status = read_value(t);
	for (unsigned i = 0; status == GSYM_OK && i < KEY_COUNT; i++)
		if (strlen(key_names[i]) == length &&
		    !memcmp(key_names[i], start, length)) {
			t->keys |= 1u << i;
			return take_value(t, (enum key)i);
		}
	return status;
}

static enum gsym_status take_sled(struct text *t)
{
	const unsigned needed =
		1u << KEY_ID | 1u << KEY_FUNCTION | 1u << KEY_KIND;
	struct gsym_xray_sled *sled;

	if ((t->keys & needed) != needed)
		return fail(t, "a sled without id, function or kind");
	if (t->map->sleds.count >= UINT32_MAX - 1)
		return fail(t, "too many sleds");
	sled = gsym_vec_push(&t->map->sleds);
	if (!sled)
		return gsym_fail_memory(t->error);
	*sled = t->sled;
	return GSYM_OK;
}

/* Read a sled, after its '-': pairs in braces, or pairs up to the next '-' or
 * the end. */
static enum gsym_status read_sled(struct text *t)
{
	enum gsym_status status = GSYM_OK;

	t->sled = (struct gsym_xray_sled){ 0 };
	t->keys = 0;
	skip_blanks(t);
	t->braces = here(t, '{');
	if (t->braces)
		t->at++;
	for (;;) {
		skip_blanks(t);
		if (t->braces && here(t, '}')) {
			t->at++;
			return take_sled(t);
		}
		if (!t->braces &&
		    (t->at == t->end || here(t, '-') || here(t, '.')))
			return take_sled(t);
		status = read_pair(t);
		if (status != GSYM_OK)
			return status;
		skip_blanks(t);
		if (t->braces && here(t, ','))
			t->at++;
		else if (t->braces && !here(t, '}'))
			return fail(t, "a comma or a brace is missing");
	}
}

static enum gsym_status read_text(struct text *t)
{
	enum gsym_status status = GSYM_OK;

	for (;;) {
		skip_blanks(t);
		bool marks = t->end - t->at >= 3;
		if (t->at == t->end || (marks && !memcmp(t->at, "...", 3)))
			return GSYM_OK;
		if (marks && !memcmp(t->at, "---", 3)) {
			t->at += 3;
			continue;
		}
		if (!here(t, '-'))
			return fail(t, "not a list of sleds");
		t->at++;
		status = read_sled(t);
		if (status != GSYM_OK)
			return status;
	}
}

enum gsym_status gsym_xray_map_parse(const char *text, size_t size,
				     struct gsym_xray_map **ret,
				     struct gsym_error *error)
{
	struct text t = { .start = text, .at = text, .error = error };

	if ((!text && size) || !ret)
		return gsym_fail_argument(error);
	t.end = text ? text + size : text;
	t.map = calloc(1, sizeof(*t.map));
	if (!t.map)
		return gsym_fail_memory(error);
	return finish(t.map, read_text(&t), ret, error);
}
