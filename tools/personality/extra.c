/* SPDX-License-Identifier: MIT */
/*
 * personality/extra.c - settings that all personalities share: the options that
 * say where GSYM data come from, and messages; lists of arguments, from text
 * and from files.
 */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "personality/personality.h"

enum {
	/* A pipe that is not read holds 64 KiB.  A client may need a part of
	 * these for other programs. */
	NOTE_BYTES = 4096,
	/* gsym-create reads as much debug info in about a second. */
	CONVERT_LIMIT_MIB = 512,
	/* The most seconds of a conversion. */
	CONVERT_SECONDS = 60,
};

/* ---- messages ------------------------------------------------------------ */

void extra_die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report_args(format, args);
	va_end(args);
	exit(1);
}

void extra_note(const char *format, ...)
{
	static size_t written;
	va_list args;
	if (written + REPORT_BYTES > NOTE_BYTES)
		return;
	va_start(args, format);
	written += report_args(format, args);
	va_end(args);
}

/* ---- options ------------------------------------------------------------- */

/* The options of all personalities beside those of the source. */
static const struct option_spec own[] = {
	{ .name = "convert-limit", .value = "MiB",
	  OPTION_NUMBER(struct settings, convert_limit, 0, 1u << 30),
	  .shift = 20 },
	{ .name = "disable-gsym", OPTION_FLAG(struct settings, disable_gsym) },
	{ .name = "fallback", .value = "LIST", OPTION_BY_ID },
	{ .name = "no-debuginfod",
	  OPTION_SET(struct settings, source.debuginfod, false) },
	{ .name = "no-verify", OPTION_FLAG(struct settings, no_verify) },
	{ 0 }
};

void extra_start(struct settings *s)
{
	s->convert_limit = (uint64_t)CONVERT_LIMIT_MIB << 20;
	s->fallbacks[0] = FALLBACK_CONVERT;
	s->fallbacks[1] = FALLBACK_SYMBOLS;
}

static void set_fallbacks(struct settings *s, const char *list)
{
	static const char *const words[] = { "none", "convert", "symbols" };
	const size_t most = sizeof(words) / sizeof(words[0]);
	size_t count = 0;
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ","), i = 0;
		while (i < most && (strlen(words[i]) != length ||
				    strncmp(at, words[i], length) != 0))
			i++;
		if (i == most || count == MOST_FALLBACKS)
			extra_die("--fallback: '%s' is not a list of convert, "
				  "symbols and none",
				  list);
		s->fallbacks[count++] = (enum fallback)i;
		at += length;
		if (!*at)
			break;
	}
	s->fallbacks[count] = FALLBACK_NONE;
}

/* The option of SPECS whose name is the LENGTH bytes at NAME; NULL: none. */
static const struct option_spec *find(const struct option_spec *specs,
				      const char *name, size_t length)
{
	while (specs->name && (strlen(specs->name) != length ||
			       strncmp(specs->name, name, length) != 0))
		specs++;
	return specs->name ? specs : NULL;
}

static void set(const struct option_spec *spec, void *kept, const char *value)
{
	uint64_t number = spec->least;
	if (spec->keep == OPTION_COUNTED &&
	    (number_parse(value, strlen(value), &number) != NUMBER_OK ||
	     number < spec->least || number > spec->most))
		extra_die("--%s: '%s' is not a number of %s", spec->name, value,
			  spec->value);
	options_put(spec, kept, value, number << spec->shift);
}

bool extra_option(struct settings *s, const char *name, const char *value)
{
	const struct option_spec *spec = find(own, name, strlen(name));
	void *kept = s;
	if (!spec) {
		spec = find(source_group.options, name, strlen(name));
		kept = &s->source;
	}
	if (!spec || !spec->value != !value)
		return false;
	if (spec->keep == OPTION_RETURNED)
		set_fallbacks(s, value);
	else
		set(spec, kept, value);
	return true;
}

void extra_environment(struct settings *s)
{
	extra_add_words(&s->extra_words, getenv("GSYM_LOOKUP_OPTS"));
	for (size_t i = 0; i < s->extra_words.count; i++) {
		char *name = s->extra_words.items[i];
		char *equals = strchr(name, '=');
		bool dashes = name[0] == '-' && name[1] == '-';
		if (equals)
			*equals = 0;
		if (!dashes ||
		    !extra_option(s, name + 2, equals ? equals + 1 : NULL))
			extra_die("GSYM_LOOKUP_OPTS: unknown option '%s'",
				  name);
	}
}

void extra_finish(struct settings *s)
{
	/* Clients wait for the answer. */
	if (!s->source.convert_seconds)
		s->source.convert_seconds = CONVERT_SECONDS;
	if (!s->source.fetch && (s->source.fetch_seconds ||
				 s->source.fetch_bytes))
		extra_die("--fetch-timeout and --fetch-size need --fetch");
}

void extra_free(struct settings *s)
{
	source_options_fini(&s->source);
	extra_free_words(&s->words);
	extra_free_words(&s->extra_words);
}

/* ---- arguments ----------------------------------------------------------- */

void extra_add(struct arguments *a, const char *text, size_t length)
{
	must_reserve(a, 2);
	a->items[a->count++] = must_have(strndup(text, length));
	a->items[a->count] = NULL;
}

void extra_add_words(struct arguments *a, const char *text)
{
	static const char blanks[] = " \t\n\v\f\r";
	while (text && *(text += strspn(text, blanks))) {
		size_t length = strcspn(text, blanks);
		extra_add(a, text, length);
		text += length;
	}
}

/* Read the word at *AT into WORD, without its quotes and backslashes, and move
 * *AT to the end of the word.  Returns the length. */
static size_t read_word(const char **at, const char *end, char *word)
{
	size_t length = 0;
	char quote = 0;
	for (; *at < end; ++*at) {
		char c = **at;
		if (c == '\\' && *at + 1 < end) {
			word[length++] = *++*at;
		} else if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
		} else if (!quote && strchr(" \t\n\v\f\r", c) && c) {
			break;
		} else {
			word[length++] = c;
		}
	}
	return length;
}

void extra_add_expanded(struct arguments *a, const char *argument)
{
	size_t size = 0;
	char *bytes = NULL;
	if (argument[0] == '@')
		bytes = (char *)file_read(argument + 1, &size);
	if (!bytes) {
		extra_add(a, argument, strlen(argument));
		return;
	}
	char *word = must_have(malloc(size + 1));
	const char *at = bytes, *end = bytes + size;
	for (;;) {
		while (at < end && *at && strchr(" \t\n\v\f\r", *at))
			at++;
		if (at == end)
			break;
		extra_add(a, word, read_word(&at, end, word));
	}
	free(word);
	free(bytes);
}

void extra_free_words(struct arguments *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->items[i]);
	gsym_vec_fini(a);
}
