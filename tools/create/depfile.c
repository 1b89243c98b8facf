/* SPDX-License-Identifier: MIT */
/*
 * create/depfile.c - the file of --depfile, by which make and Ninja know what
 * the output was made of.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "create/create.h"

char *create_depfile_letters(int *argc, char **argv)
{
	static char plain[] = "--depfile";
	char *text = NULL;
	bool ended = false;
	int to = 1;

	for (int i = 1; i < *argc; i++) {
		char *file = i + 1 < *argc ? argv[i + 1] : NULL;

		ended |= strcmp(argv[i], "--") == 0;
		if (ended) {
			argv[to++] = argv[i];
		} else if (strcmp(argv[i], "-MD") == 0) {
			argv[to++] = plain;
		} else if (strcmp(argv[i], "-MF") == 0 && file && !text) {
			text = path_print("--depfile=%s", file);
			argv[to++] = text;
			i++;
		} else {
			argv[to++] = argv[i];
		}
	}
	argv[to] = NULL;
	*argc = to;
	return text;
}

int create_begin_depfile(struct create *create)
{
	if (!create->depfile)
		return -1;
	create->depfile_path = *create->depfile
				       ? path_print("%s", create->depfile)
				       : path_print("%s.d", create->output);
	out_init_memory(&create->rules, false);
	return outfile_place(create->depfile_path);
}

void create_note_dependency(struct create *create, const char *path)
{
	size_t size = strlen(path);
	/* ARCHIVE(MEMBER) is a part of the file ARCHIVE. */
	const char *member = size && path[size - 1] == ')' &&
					     access(path, F_OK) != 0
				     ? strrchr(path, '(')
				     : NULL;

	if (!create->depfile_path || strcmp(path, "-") == 0)
		return;
	*must_push(&create->dependencies) = must_have(
		strndup(path, member ? (size_t)(member - path) : size));
}

/* Write the backslashes at the end of TEXT[0...LENGTH), the start of a path,
 * once more: before a quoted space each would stand for a quote itself. */
static void double_backslashes(struct out *out, const char *text,
			       size_t length)
{
	while (length && text[--length] == '\\')
		out_text(out, "\\");
}

/* Whether the colon at PATH[I] follows the letter of a drive, as in C:/a, which
 * make and Ninja know on Windows. */
static bool is_drive(const char *path, size_t i)
{
	return i == 1 && (path[2] == '/' || path[2] == '\\');
}

/* Write PATH as make and Ninja read it, with two exceptions.  Neither can read
 * a line feed: "?" is written, a pattern of make that the file matches.
 * Backslashes before "#" and ":" are written as Ninja reads them; make reads
 * another name there. */
static void put_path(struct out *out, const char *path)
{
	for (size_t i = 0; path[i]; i++) {
		char c[2] = { path[i] == '\n' ? '?' : path[i], 0 };

		if (*c == ' ' || *c == '\t')
			double_backslashes(out, path, i);
		if (*c == '$')
			out_text(out, "$");
		else if (*c == ' ' || *c == '#' || *c == '\t' ||
			 (*c == ':' && !is_drive(path, i)))
			out_text(out, "\\");
		out_text(out, c);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void forget_dependencies(struct create *create)
{
	while (create->dependencies.count)
		free(create->dependencies.items[--create->dependencies.count]);
}

void create_add_rule(struct create *create)
{
	const char *const options[] = {
		create->input,
		create->yaml,
		create->embed,
		create->convert.program_file,
		create->convert.symtab_file,
	};
	struct out *out = &create->rules;

	if (!create->depfile_path)
		return;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i])
			create_note_dependency(create, options[i]);
	if (create->dependencies.count)
		qsort(create->dependencies.items, create->dependencies.count,
		      sizeof(create->dependencies.items[0]), by_text);
	put_path(out, create->output);
	out_text(out, ":");
	for (size_t i = 0; i < create->dependencies.count; i++) {
		char *const *path = &create->dependencies.items[i];

		if (i && strcmp(path[0], path[-1]) == 0)
			continue;
		out_text(out, " \\\n  ");
		put_path(out, *path);
	}
	out_text(out, "\n");
	forget_dependencies(create);
}

void create_write_depfile(struct create *create)
{
	if (!create->depfile_path)
		return;
	outfile_open(create->depfile_path, create->input);
	outfile_commit(create->rules.buffer, create->rules.used);
}

void create_end_depfile(struct create *create)
{
	forget_dependencies(create);
	gsym_vec_fini(&create->dependencies);
	if (create->depfile_path)
		out_fini(&create->rules);
	free(create->depfile_path);
}
