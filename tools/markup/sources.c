/* SPDX-License-Identifier: MIT */
/* Reads lines of source code for --source-lines: of files below the folders of
 * --source-root. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "common/file.h"
#include "common/report.h"
#include "markup/markup.h"

enum {
	/* Files that are kept, and the size of the largest one. */
	KEPT = 16,
	LARGEST = 1 << 20,
	LONGEST_PATH = 4096,
};

/* A file of source code; TEXT is NULL if it cannot be read. */
struct text_file {
	char *path;
	char *text;
	size_t size;
	/* Where lines begin, and the end of TEXT. */
	uint32_t *lines;
	size_t line_count;
};

struct markup_sources {
	struct text_file items[KEPT];
	/* The next one to be replaced. */
	size_t oldest;
};

static void drop(struct text_file *s)
{
	free(s->path);
	free(s->text);
	free(s->lines);
	*s = (struct text_file){ 0 };
}

/* Read all of FD, which is closed, to S; false if it is too large. */
static bool read_text(struct text_file *s, int fd)
{
	ssize_t got = 1;
	s->text = must_have(malloc(LARGEST + 1));
	while (got > 0 && s->size <= LARGEST) {
		got = file_read_some(fd, s->text + s->size,
				     LARGEST + 1 - s->size);
		if (got > 0)
			s->size += (size_t)got;
	}
	close(fd);
	if (got < 0 || s->size > LARGEST)
		return false;
	s->text = must_have(realloc(s->text, s->size + 1));
	return true;
}

static void find_lines(struct text_file *s)
{
	size_t count = 2;
	for (size_t i = 0; i < s->size; i++)
		count += s->text[i] == '\n';
	s->lines = must_have(malloc(count * sizeof(*s->lines)));
	s->lines[0] = 0;
	s->line_count = 0;
	for (size_t i = 0; i < s->size; i++)
		if (s->text[i] == '\n')
			s->lines[++s->line_count] = (uint32_t)i + 1;
	if (s->lines[s->line_count] < s->size)
		s->lines[++s->line_count] = (uint32_t)s->size + 1;
}

/* Set S to the file PATH below the first folder that has it. */
static void open_source(struct markup *m, struct text_file *s, const char *path)
{
	drop(s);
	s->path = must_have(strdup(path));
	for (size_t i = 0; i < m->source_roots.count; i++) {
		int fd = gsym_fd_open_below(m->source_roots.items[i], path);
		if (fd < 0)
			continue;
		if (!read_text(s, fd)) {
			report_note("note: the source file '%s' is not used: "
				    "it cannot be read, or has more than 1 MiB",
				    path);
			free(s->text);
			s->text = NULL;
			return;
		}
		find_lines(s);
		return;
	}
}

static struct text_file *find_source(struct markup *m, const char *path)
{
	struct text_file *s;
	if (!m->sources)
		m->sources = must_have(calloc(1, sizeof(*m->sources)));
	for (size_t i = 0; i < KEPT; i++) {
		s = &m->sources->items[i];
		if (s->path && strcmp(s->path, path) == 0)
			return s;
	}
	s = &m->sources->items[m->sources->oldest++ % KEPT];
	open_source(m, s, path);
	return s;
}

const char *markup_source(void *context, const struct gsym_markup_frame *frame,
			  uint32_t line, size_t *size)
{
	char path[LONGEST_PATH];
	bool slash = *frame->directory && *frame->basename != '/';
	int length = snprintf(path, sizeof(path), "%s%s%s", frame->directory,
			      slash ? "/" : "", frame->basename);
	if (length < 0 || (size_t)length >= sizeof(path))
		return NULL;
	const struct text_file *s = find_source(context, path);
	if (!s->text || !line || line > s->line_count)
		return NULL;
	*size = s->lines[line] - 1 - s->lines[line - 1];
	const char *text = s->text + s->lines[line - 1];
	*size -= *size && text[*size - 1] == '\r';
	return text;
}

void markup_sources_free(struct markup *m)
{
	for (size_t i = 0; m->sources && i < KEPT; i++)
		drop(&m->sources->items[i]);
	free(m->sources);
}
