/* SPDX-License-Identifier: MIT */
/*
 * personality/extra.c - settings that all personalities share: the options that
 * say where GSYM data come from, and messages.
 */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/cache.h"
#include "common/number.h"
#include "common/report.h"
#include "personality/personality.h"

enum {
	/* A pipe that is not read holds 64 KiB.  A client may need a part of
	 * these for other programs. */
	NOTE_BYTES = 4096,
	/* gsym-create reads as much debug info in about a second. */
	CONVERT_LIMIT_MIB = 512,
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

enum gsym_status extra_checked(enum gsym_status status)
{
	if (status == GSYM_ERR_MEMORY)
		die("out of memory");
	return status;
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

void extra_start(struct settings *s)
{
	s->convert_limit = (uint64_t)CONVERT_LIMIT_MIB << 20;
	s->fallbacks[0] = FALLBACK_CONVERT;
	s->fallbacks[1] = FALLBACK_SYMBOLS;
}

static void add_folder(const char ***folders, size_t *count, const char *path)
{
	*folders = reallocarray(*folders, *count + 1, sizeof(**folders));
	if (!*folders)
		die("out of memory");
	(*folders)[(*count)++] = path;
}

static void set_fallbacks(struct settings *s, const char *list)
{
	static const char *const words[] = { "none", "convert", "symbols",
					     "exec" };
	size_t count = 0;
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ","), i = 0;
		while (i < 4 && (strlen(words[i]) != length ||
				 strncmp(at, words[i], length) != 0))
			i++;
		if (i == 4 || count == MOST_FALLBACKS)
			extra_die("--fallback: '%s' is not a list of convert, "
				  "symbols, exec and none",
				  list);
		s->fallbacks[count++] = (enum fallback)i;
		at += length;
		if (!*at)
			break;
	}
	s->fallbacks[count] = FALLBACK_NONE;
}

static void set_limit(struct settings *s, const char *value)
{
	uint64_t mib;
	if (number_parse(value, strlen(value), &mib) != NUMBER_OK ||
	    mib > 1u << 30)
		extra_die("--convert-limit: '%s' is not a number of MiB",
			  value);
	s->convert_limit = mib << 20;
}

/* Whether NAME is an option that all personalities have and that needs a
 * value. */
static bool has_value(const char *name)
{
	static const char *const names[] = { "gsym-file-directory",
					     "debug-file-directory",
					     "fallback", "convert-limit" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

int extra_words(const struct settings *s, const char *word)
{
	/* LLVM's programs have the others. */
	static const char *const own[] = { "fallback", "convert-limit",
					   "no-verify" };
	static const char *const all[] = { "gsym-file-directory",
					   "debug-file-directory", "debuginfod",
					   "no-debuginfod", "disable-gsym" };
	const char *name = word + 2;
	size_t length = strcspn(word, "=");
	bool known = false;
	if (word[0] != '-' || word[1] != '-')
		return 0;
	length -= 2;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		known |= strlen(own[i]) == length &&
			 strncmp(own[i], name, length) == 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) &&
			   s->personality == PERSONALITY_ADDR2LINE;
	     i++)
		known |= strlen(all[i]) == length &&
			 strncmp(all[i], name, length) == 0;
	return known ? 1 + has_value(name) : 0;
}

bool extra_option(struct settings *s, const char *name, const char *value)
{
	const struct {
		const char *name;
		bool *flag, on;
	} flags[] = {
		{ "no-verify", &s->no_verify, true },
		{ "debuginfod", &s->debuginfod, true },
		{ "no-debuginfod", &s->debuginfod, false },
		{ "disable-gsym", &s->disable_gsym, true },
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!value && strcmp(name, flags[i].name) == 0) {
			*flags[i].flag = flags[i].on;
			return true;
		}
	if (!value || !has_value(name))
		return false;
	if (strcmp(name, "gsym-file-directory") == 0)
		add_folder(&s->gsym_folders, &s->gsym_folder_count, value);
	else if (strcmp(name, "debug-file-directory") == 0)
		add_folder(&s->debug_folders, &s->debug_folder_count, value);
	else if (strcmp(name, "fallback") == 0)
		set_fallbacks(s, value);
	else
		set_limit(s, value);
	return true;
}

void extra_environment(struct settings *s)
{
	arguments_add_words(&s->extra_words, getenv("GSYM_LOOKUP_OPTS"));
	for (int i = 0; i < s->extra_words.count; i++) {
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
	if (!s->debug_folder_count)
		add_folder(&s->debug_folders, &s->debug_folder_count,
			   "/usr/lib/debug");
	s->cache = cache_folder();
}

void extra_free(struct settings *s)
{
	free(s->gsym_folders);
	free(s->debug_folders);
	free(s->cache);
	arguments_free(&s->words);
	arguments_free(&s->extra_words);
}
