/* SPDX-License-Identifier: MIT */
/*
 * The folder that a kernel was built in, which is left out of the answers: what
 * stands before the path in the sources of files that each kernel has.
 */
#include "config.h"

#include "stacks/judge.h"

/* The folder of the file of the function NAME; *FILE becomes the base name of
 * the file, *SIZE the size of the folder, 0 if the function is not known, or if
 * there are several. */
static const char *folder_of(struct gsym_stacks_judge *j, void *symbols,
			     const char *name, const char **file, size_t *size)
{
	struct gsym_markup_log_function one;
	struct gsym_mk_levels levels;
	const struct gsym_markup_frame *last;

	*size = 0;
	if (gsym_mk_functions(j->host, symbols, logs_string(name), &one, 1) !=
	    1)
		return NULL;
	levels = gsym_mk_levels_of(j->host, symbols, one.start);
	if (!levels.count)
		return NULL;
	last = &levels.items[levels.count - 1].frame;
	*file = last->basename;
	*size = strlen(last->directory);
	return last->directory;
}

/* Set TO to the SIZE bytes at FOLDER; false without memory. */
static bool keep_folder(struct gsym_mk_text *to, const char *folder,
			size_t size)
{
	if (!gsym_vec_reserve(to, size))
		return false;
	memcpy(to->items, folder, size);
	to->count = size;
	return true;
}

/* The bytes before "init/main.c" in the file of a function that is in it. */
static void find_compiled(struct gsym_stacks_judge *j,
			  struct gsym_stacks_state *s, void *symbols)
{
	static const char *const names[] = { "kernel_init", "start_kernel" };
	static const char wanted[] = "/init";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t size;
		const char *file,
			*folder = folder_of(j, symbols, names[i], &file, &size);

		if (size < sizeof(wanted) - 1 || strcmp(file, "main.c") != 0 ||
		    strcmp(folder + size - strlen(wanted), wanted) != 0)
			continue;
		keep_folder(&s->folder.compiled, folder, size - strlen("init"));
		return;
	}
}

/* Compilers are told to leave the folder of the build out, assemblers are not:
 * the bytes before "arch/" in the file of a function that assemblers see. */
static void find_assembled(struct gsym_stacks_judge *j,
			   struct gsym_stacks_state *s, void *symbols)
{
	static const char *const names[] = {
		"entry_SYSCALL_64", "startup_64", "vectors",
		"primary_entry",    "memcpy",	  "__memcpy",
	};
	static const char wanted[] = "/arch/";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t size;
		const char *file,
			*folder = folder_of(j, symbols, names[i], &file, &size);
		const char *at = size ? strstr(folder, wanted) : NULL;

		if (!at || !strchr(file, '.') ||
		    strcmp(strrchr(file, '.'), ".S") != 0)
			continue;
		/* The last one: others are of the folder of the build. */
		for (const char *next; (next = strstr(at + 1, wanted));)
			at = next;
		keep_folder(&s->folder.assembled, folder,
			    (size_t)(at - folder) + 1);
		return;
	}
}

void gsym_stacks_find_folder(struct gsym_stacks_judge *j,
			     struct gsym_stacks_state *s)
{
	struct gsym_stacks_module *m = gsym_stacks_kernel(s);
	void *symbols = m ? gsym_stacks_symbols(j, m, true) : NULL;

	s->folder.known = true;
	s->folder.compiled.count = s->folder.assembled.count = 0;
	if (!symbols)
		return;
	find_compiled(j, s, symbols);
	find_assembled(j, s, symbols);
}
