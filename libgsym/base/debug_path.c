/* SPDX-License-Identifier: MIT */
/* Lists the paths at which files of a build ID and debug files may lie.  Opens
 * none of them. */
#include "config.h"

#include "base/debug_path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "base/text.h"

/* A search, while it goes on. */
struct search {
	const struct gsym_debug_places *places;
	gsym_debug_path_fn *try;
	void *context;
	/* The folder of the program's path, and that of the file that the path
	 * leads to; NULL if they are the same.  "" is the root. */
	char *folders[2];
};

char *gsym_path_print(const char *format, ...)
{
	va_list args;
	char *path;
	int length;

	va_start(args, format);
	length = vasprintf(&path, format, args);
	va_end(args);
	return length < 0 ? NULL : path;
}

char *gsym_debug_path_of_id(const char *directory, const uint8_t *id,
			    size_t size, const char *suffix)
{
	static const char inside[] = "/.build-id/";
	size_t start = strlen(directory), end = strlen(suffix);
	/* A slash follows the first byte. */
	char *path = malloc(start + sizeof(inside) + 2 * size + 1 + end);
	char *at = path;

	if (!path)
		return NULL;
	memcpy(at, directory, start);
	memcpy(at + start, inside, sizeof(inside));
	at += start + sizeof(inside) - 1;
	gsym_digits(at, 3, id, size);
	at[2] = '/';
	gsym_digits(at + 3, 2 * size - 1, id + 1, size - 1);
	memcpy(at + 1 + 2 * size, suffix, end + 1);
	return path;
}

static bool try_id(struct search *s)
{
	const struct gsym_debug_places *p = s->places;

	/* The first byte names a folder, the other bytes name the file. */
	if (p->id_size < 2 || p->id_size > GSYM_DEBUG_PATH_ID)
		return false;
	for (size_t i = 0; i < p->tree_count; i++)
		if (s->try(s->context,
			   gsym_debug_path_of_id(p->trees[i], p->id,
						 p->id_size, ".debug")))
			return true;
	return false;
}

/* Try INSIDE of the program's folders. */
static bool try_inside(struct search *s, const char *inside)
{
	for (int i = 0; i < 2 && s->folders[i]; i++)
		if (s->try(s->context,
			   gsym_path_print("%s%s/%s", s->folders[i], inside,
					   s->places->link)))
			return true;
	return false;
}

/* Try the program's folders below TREE. */
static bool try_below(struct search *s, const char *tree)
{
	for (int i = 0; i < 2 && s->folders[i]; i++)
		if (strchr("/", s->folders[i][0]) &&
		    s->try(s->context,
			   gsym_path_print("%s%s/%s", tree, s->folders[i],
					   s->places->link)))
			return true;
	return false;
}

static bool try_link(struct search *s)
{
	const struct gsym_debug_places *p = s->places;

	if (try_inside(s, "") || try_inside(s, "/.debug"))
		return true;
	for (size_t i = 0; i < p->tree_count; i++)
		if (try_below(s, p->trees[i]))
			return true;
	return false;
}

/* The folder of PATH, malloc'ed. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	while (slash > path && slash[-1] == '/')
		slash--;
	return slash == path ? strdup("") : strndup(path, slash - path);
}

static bool find_folders(struct search *s)
{
	char *real;

	s->folders[0] = folder_of(s->places->path);
	if (!s->folders[0])
		return false;
	real = realpath(s->places->path, NULL);
	/* Without memory the file might be missed. */
	if (!real)
		return errno != ENOMEM;
	s->folders[1] = folder_of(real);
	free(real);
	if (!s->folders[1])
		return false;
	if (!strcmp(s->folders[0], s->folders[1])) {
		free(s->folders[1]);
		s->folders[1] = NULL;
	}
	return true;
}

bool gsym_debug_places_try(const struct gsym_debug_places *places,
			   gsym_debug_path_fn *try, void *context)
{
	struct search s = { places, try, context, { NULL, NULL } };
	bool over;

	if (try_id(&s))
		return true;
	if (!places->link || !gsym_system_is_name(places->link))
		return false;
	over = find_folders(&s) ? try_link(&s) : try(context, NULL);
	free(s.folders[0]);
	free(s.folders[1]);
	return over;
}
