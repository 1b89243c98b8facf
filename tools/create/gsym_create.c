/* SPDX-License-Identifier: MIT */
/*
 * gsym-create - convert the debug info and symbols of a program to a GSYM
 * file.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/options.h"
#include "common/outfile.h"
#include "common/path.h"
#include "common/report.h"
#include "common/threads.h"
#include "create/create.h"

/* The path of the output without --out-file: INPUT.gsym, malloc'ed.  Slashes
 * at the end of INPUT, a folder, are dropped. */
static char *default_output(const char *input)
{
	int length = (int)strlen(input);
	while (length > 1 && input[length - 1] == '/')
		length--;
	return path_print("%.*s.gsym", length, input);
}

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

/* Limit this process to what the conversion needs. */
static void protect(struct create *create)
{
	const char *root = create->install ? create->install
					   : create->output_dir;
	int output = -1;
	struct sandbox *s = &create->sandbox;

	if (create->max_memory)
		sandbox_memory(create->max_memory);
	if (create->max_time)
		sandbox_time(create->max_time);
	if (s->mode == SANDBOX_OFF)
		return;
	if (!create->identify)
		output = root ? outfile_folder(root)
			      : outfile_place(create->output);
	create->temporary = temporary_folder(root, create->output);
	s->needs = (create->recursive ? SANDBOX_PROCESSES : 0) |
		   (*create->temporary ? 0 : SANDBOX_MEMORY);
	s->tell = create->verbose;
	s->outputs = &output;
	s->output_count = output >= 0;
	sandbox_enter(s);
	s->outputs = NULL;
	if (output >= 0)
		close(output);
}

int main(int argc, char **argv)
{
	struct create create = {
		.version = 1,
		.threads = threads_default(),
		.reader = GSYM_READER_OWN,
		.manifest = -1,
	};
	struct options options;
	char *made = NULL;

	report_start("gsym-create");
	create.start = create_seconds();
	create_parse(&create, &options, argc, argv);
	if (!create.recursive && !create.identify && !create.output)
		create.output = made = default_output(create.input);
	protect(&create);
	int status = STATUS_DONE;
	if (create.identify)
		create_identify(&create);
	else if (create.recursive)
		status = create_tree(&create);
	else
		status = create_all(&create) ? STATUS_NO : STATUS_DONE;

	free(made);
	free(create.temporary);
	create_parse_end(&create, &options);
	return status;
}
