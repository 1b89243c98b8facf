/* SPDX-License-Identifier: MIT */
/*
 * personality/real.c - runs another program in place of this one: the program
 * that is replaced, or gsym-markup.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/path.h"
#include "common/run.h"
#include "personality/personality.h"

/* Set while the real program was looked for: if it is this program by another
 * way, it does not look again. */
#define GUARD "GSYM_LOOKUP_REAL"

/* Whether PATH can be run and is not this program. */
static bool is_other(const char *path)
{
	struct stat own, other;
	return stat(path, &other) == 0 && S_ISREG(other.st_mode) &&
	       access(path, X_OK) == 0 &&
	       (stat("/proc/self/exe", &own) != 0 ||
		own.st_dev != other.st_dev || own.st_ino != other.st_ino);
}

/* The first program NAME in PATH that is not this one, malloc'ed; NULL if there
 * is none. */
static char *search(const char *name)
{
	const char *at = getenv("PATH");
	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *found = path_print("%.*s/%s", (int)length, at, name);
		if (length && is_other(found))
			return found;
		free(found);
		at += length + (at[length] == ':');
	}
	return NULL;
}

char *real_program(const struct settings *s)
{
	static const char *const names[] = {
		[PERSONALITY_ADDR2LINE] = "addr2line",
		[PERSONALITY_LLVM_ADDR2LINE] = "llvm-addr2line",
		[PERSONALITY_LLVM_SYMBOLIZER] = "llvm-symbolizer",
	};
	bool symbolizer = s->personality == PERSONALITY_LLVM_SYMBOLIZER;
	const char *path = getenv(symbolizer ? "GSYM_REAL_SYMBOLIZER"
					     : "GSYM_REAL_ADDR2LINE");
	if (getenv(GUARD))
		return NULL;
	return path && is_other(path) ? path_print("%s", path)
				      : search(names[s->personality]);
}

bool real_mark(void)
{
	return setenv(GUARD, "1", 1) == 0;
}

void real_run(const struct settings *s)
{
	char *path = real_program(s);
	struct arguments a = { 0 };
	int skip = 0;
	for (char **word = s->argv; *word; word++) {
		if (!skip)
			skip = extra_words(s, *word);
		if (!skip)
			arguments_add(&a, *word, strlen(*word));
		else
			skip--;
	}
	if (path && real_mark())
		execv(path, a.items);
	if (path)
		unsetenv(GUARD);
	arguments_free(&a);
	free(path);
}

static void add_folders(struct arguments *a, const char *option,
			const struct source_folders *folders)
{
	for (size_t i = 0; i < folders->count; i++) {
		arguments_add(a, option, strlen(option));
		arguments_add(a, folders->items[i], strlen(folders->items[i]));
	}
}

void real_run_markup(const struct settings *s)
{
	char program[PATH_MAX];
	struct arguments a = { 0 };
	const char *path = run_find("gsym-markup", program,
					 sizeof(program));
	char *option = path_print("--color=%s", s->colour ? s->colour : "auto");
	arguments_add(&a, "gsym-markup", 11);
	arguments_add(&a, "--compat=llvm", 13);
	arguments_add(&a, option, strlen(option));
	free(option);
	add_folders(&a, "--gsym-file-directory", &s->source.gsym_folders);
	add_folders(&a, "--debug-file-directory", &s->source.debug_folders);
	if (!s->demangle)
		arguments_add(&a, "--no-demangle", 13);
	if (s->source.debuginfod)
		arguments_add(&a, "--debuginfod", 12);
	if (s->no_verify)
		arguments_add(&a, "--no-verify", 11);
	for (const enum fallback *b = s->fallbacks; *b; b++)
		if (*b == FALLBACK_CONVERT && source_converts(&s->source, true))
			arguments_add(&a, "--convert", 9);
	execvp(path, a.items);
	extra_note("error: cannot run '%s'", path);
	arguments_free(&a);
}
