/* SPDX-License-Identifier: MIT */
/* create/protect.c - limits the process to what the conversion needs: memory,
 * time, and the folders that it writes to. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/outfile.h"
#include "common/path.h"
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

void create_protect(struct create *create)
{
	const char *root = create->install ? create->install
					   : create->output_dir;
	int outputs[2];
	unsigned count = 0;
	struct sandbox *s = &create->sandbox;

	if (create->max_memory)
		sandbox_memory(create->max_memory);
	if (create->max_time)
		sandbox_time(create->max_time);
	s->mode = sandbox_asked();
	if (s->mode == SANDBOX_OFF)
		return;
	outputs[0] = create->identify ? -1
		     : root	      ? outfile_folder(root)
				      : outfile_place(create->output);
	count += outputs[0] >= 0;
	if (create->temporary_directory)
		outputs[count++] = outfile_folder(create->temporary_directory);
	create->temporary = create->temporary_directory
		? path_print("%s", create->temporary_directory)
		: temporary_folder(root, create->output);
	s->needs = (create->recursive ? SANDBOX_PROCESSES : 0) |
		   (*create->temporary ? 0 : SANDBOX_MEMORY);
	s->tell = create->verbose;
	s->outputs = outputs;
	s->output_count = count;
	sandbox_enter(s);
	s->outputs = NULL;
	while (count)
		close(outputs[--count]);
}
