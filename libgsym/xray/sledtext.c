/* SPDX-License-Identifier: MIT */
/*
 * Instrumentation maps as text: the YAML that "llvm-xray extract" and
 * "gsym-xray extract" print.  Of YAML only what such files contain is read: a
 * list of mappings, in braces or with one key a line, and plain or quoted
 * values.
 */
#include "xray/log.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

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
	KEY_ID, KEY_ADDRESS, KEY_FUNCTION, KEY_KIND, KEY_ALWAYS, KEY_NAME,
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
	"function-enter", "function-exit", "tail-exit", "log-args-enter",
	"custom-event", "typed-event",
};

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
		} else if (*p == '\\' && quote == '"' &&
			   p + 1 < t->end) {
			p++;
		}
	}
	return NULL;
}

/* The byte of the two hexadecimal digits at P, or -1. */
static int hex_byte(const char *p, const char *end)
{
	unsigned value = 0;

	for (int i = 0; i < 2; i++, p++) {
		unsigned digit = p < end ? gsym_digit(*p) : 16;

		if (digit > 15)
			return -1;
		value = 16 * value + digit;
	}
	return (int)value;
}

/* Read a quoted value. */
static enum gsym_status read_quoted(struct text *t)
{
	char quote = *t->at++, *to;
	const char *end = closing_quote(t, t->at, quote);

	if (!end)
		return fail(t, "a quote is missing");
	to = t->value = gsym_arena_alloc(&t->map->names,
					 (size_t)(end - t->at) + 1);
	if (!to)
		return gsym_fail_memory(t->error);
	for (; t->at < end; t->at++) {
		/* The first of two quotes, or a backslash, escapes the next
		 * byte. */
		bool escaped = quote == '"' && *t->at == '\\';
		if (escaped || *t->at == quote)
			t->at++;
		int byte = escaped && *t->at == 'x' ? hex_byte(t->at + 1, end)
						    : -1;
		*to++ = byte < 0 ? *t->at : (char)byte;
		if (byte >= 0)
			t->at += 2;
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
	t->value = gsym_arena_string(&t->map->names, start,
				     (size_t)(end - start));
	return t->value ? GSYM_OK : gsym_fail_memory(t->error);
}

/* Set *RET to the current value as a number, hexadecimal or decimal, of at most
 * MOST. */
static enum gsym_status number(const struct text *t, uint64_t most,
			       uint64_t *ret)
{
	const char *p = t->value;
	unsigned base = 10;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	*ret = 0;
	do {
		unsigned digit = gsym_digit(*p);

		if (digit >= base || *ret > (most - digit) / base)
			return fail(t, "not a number that fits");
		*ret = *ret * base + digit;
	} while (*++p);
	return GSYM_OK;
}

static enum gsym_status take_kind(struct text *t)
{
	for (unsigned i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++)
		if (!strcmp(t->value, kind_names[i])) {
			t->sled.kind = i;
			return GSYM_OK;
		}
	return fail(t, "a kind of sled that is not known");
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
		return take_kind(t);
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

static enum gsym_status add_sled(struct text *t)
{
	const unsigned needed = 1u << KEY_ID | 1u << KEY_FUNCTION |
				1u << KEY_KIND;
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
			return add_sled(t);
		}
		if (!t->braces &&
		    (t->at == t->end || here(t, '-') || here(t, '.')))
			return add_sled(t);
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
		if (t->end - t->at >= 3 && !memcmp(t->at, "---", 3)) {
			t->at += 3;
			continue;
		}
		if (t->end - t->at >= 3 && !memcmp(t->at, "...", 3))
			return GSYM_OK;
		if (t->at == t->end)
			return GSYM_OK;
		if (!here(t, '-'))
			return fail(t, "not a list of sleds");
		t->at++;
		status = read_sled(t);
		if (status != GSYM_OK)
			return status;
	}
}

/* By function, then by address. */
static int by_function(const void *x, const void *y)
{
	const struct gsym_xray_sled *a = x, *b = y;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
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

enum gsym_status gsym_xray_map_parse(const char *text, size_t size,
				     struct gsym_xray_map **ret,
				     struct gsym_error *error)
{
	struct text t = { .start = text, .at = text, .error = error };
	enum gsym_status status;

	if ((!text && size) || !ret)
		return gsym_fail_argument(error);
	t.end = text ? text + size : text;
	t.map = calloc(1, sizeof(*t.map));
	if (!t.map)
		return gsym_fail_memory(error);
	status = read_text(&t);
	if (status == GSYM_OK && !note_functions(t.map))
		status = gsym_fail_memory(error);
	if (status != GSYM_OK) {
		gsym_xray_map_close(t.map);
		return status;
	}
	*ret = t.map;
	return GSYM_OK;
}
