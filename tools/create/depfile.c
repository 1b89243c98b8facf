/* SPDX-License-Identifier: MIT */
/*
 * create/depfile.c - the file of --depfile, by which make and Ninja know what
 * the output was made of.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
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

void create_open_depfile(struct create *create)
{
	char *made = NULL;
	const char *path = create->depfile;

	if (!path)
		return;
	if (!*path)
		path = made = path_print("%s.d", create->output);
	create->depfile_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (create->depfile_fd < 0)
		die("cannot write '%s': %s", path, strerror(errno));
	free(made);
}

void create_note_dependency(struct create *create, const char *path)
{
	size_t size = strlen(path);
	/* ARCHIVE(MEMBER) is a part of the file ARCHIVE. */
	const char *member = size && path[size - 1] == ')' &&
					     access(path, F_OK) != 0
				     ? strrchr(path, '(')
				     : NULL;

	if (create->depfile_fd < 0 || strcmp(path, "-") == 0)
		return;
	*must_push(&create->dependencies) = must_have(
		strndup(path, member ? (size_t)(member - path) : size));
}

/* Write PATH as make and Ninja read it.  Neither can read a line feed. */
static void put_path(struct out *out, const char *path)
{
	for (; *path; path++) {
		char c[2] = { *path == '\n' ? '?' : *path, 0 };

		if (*path == '$')
			out_text(out, "$");
		else if (*path == ' ' || *path == '#' || *path == '\t')
			out_text(out, "\\");
		out_text(out, c);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void create_write_depfile(struct create *create)
{
	const char *const options[] = {
		create->input, create->yaml, create->embed, create->program,
		create->symtab_file,
	};
	struct out out;

	if (create->depfile_fd < 0)
		return;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i])
			create_note_dependency(create, options[i]);
	if (create->dependencies.count)
		qsort(create->dependencies.items, create->dependencies.count,
		      sizeof(create->dependencies.items[0]), by_text);
	if (ftruncate(create->depfile_fd, 0) != 0 && errno != EINVAL)
		die("cannot write the depfile: %s", strerror(errno));
	out_init(&out, create->depfile_fd, "the depfile", OUT_COLOUR_NEVER);
	put_path(&out, create->output);
	out_text(&out, ":");
	for (size_t i = 0; i < create->dependencies.count; i++) {
		char *const *path = &create->dependencies.items[i];

		if (i && strcmp(path[0], path[-1]) == 0)
			continue;
		out_text(&out, " \\\n  ");
		put_path(&out, *path);
	}
	out_text(&out, "\n");
	out_fini(&out);
}

void create_end_depfile(struct create *create)
{
	for (size_t i = 0; i < create->dependencies.count; i++)
		free(create->dependencies.items[i]);
	gsym_vec_fini(&create->dependencies);
	if (create->depfile_fd >= 0)
		close(create->depfile_fd);
}
