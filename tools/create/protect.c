/* SPDX-License-Identifier: MIT */
/*
 * Limit the process to what a conversion needs: memory (--max-memory), time
 * (--max-time), and the folders that it writes to (--sandbox).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/run.h"
#include "create/create.h"

/* The folder for temporary files of a process that can write in the folder
 * ROOT, or the folder of OUTPUT, alone; "" if OUTPUT is no file.  Malloc'ed. */
static char *temporary_folder(const char *root, const char *output)
{
	struct stat st;
	char *target, *slash;

	if (root)
		return path_print("%s", root);
	if (!output || strcmp(output, "-") == 0 ||
	    (stat(output, &st) == 0 && !S_ISREG(st.st_mode)))
		return path_print("%s", "");
	target = realpath(output, NULL);
	if (!target)
		target = path_print("%s", output);
	slash = strrchr(target, '/');
	if (slash)
		slash[slash == target] = 0;
	else
		*target = 0;
	if (*target)
		return target;
	free(target);
	return path_print("%s", ".");
}

/* Make a folder in --temporary-directory, so that this process need not change
 * other files there.  Returns its path, malloc'ed.  Dies on failure. */
static char *make_own_folder(struct create *create)
{
	static const char prefix[] = "gsym-create.";

	temporary_sweep(create->temporary_directory, prefix);
	temporary_plan(&create->own_folder, create->temporary_directory,
		       prefix);
	if (!temporary_make(&create->own_folder))
		die("cannot make a temporary folder in '%s': %s",
		    create->temporary_directory, strerror(errno));
	return path_print("%s", create->own_folder.path);
}

/* Let this process change the folders alone that the conversion writes to, and
 * DEPFILE, the place of the depfile or -1, which is closed. */
static void confine(struct create *create, int depfile)
{
	const char *root = create->install ? create->install
					   : create->output_dir;
	int outputs[3], parent = -1;
	unsigned count = 0;
	struct sandbox *s = &create->sandbox;

	outputs[0] = create->identify ? -1
		     : root	      ? outfile_folder(root)
				      : outfile_place(create->output);
	count += outputs[0] >= 0;
	if (depfile >= 0)
		outputs[count++] = depfile;
	create->temporary = create->temporary_directory
		? make_own_folder(create)
		: temporary_folder(root, create->output);
	if (create->temporary_directory) {
		outputs[count++] = outfile_folder(create->temporary);
		parent = outfile_folder(create->temporary_directory);
		s->parents = &parent;
		s->parent_count = 1;
	}
	s->needs = (create->recursive ? SANDBOX_PROCESSES : 0) |
		   (*create->temporary ? 0 : SANDBOX_MEMORY);
	s->tell = create->verbose;
	s->outputs = outputs;
	s->output_count = count;
	sandbox_enter(s);
	s->outputs = s->parents = NULL;
	while (count)
		close(outputs[--count]);
	if (parent >= 0)
		close(parent);
}

void create_protect(struct create *create)
{
	int depfile = create_begin_depfile(create);

	if (create->max_memory)
		sandbox_memory(create->max_memory);
	if (create->max_time)
		sandbox_time(create->max_time);
	/* The sandbox has no semaphores. */
	if (!create->identify)
		create_take_turn(create);
	create->sandbox.mode = sandbox_asked();
	if (create->sandbox.mode != SANDBOX_OFF)
		confine(create, depfile);
	else if (depfile >= 0)
		close(depfile);
}
