/* SPDX-License-Identifier: MIT */
/*
 * gsym-create - convert the debug info and symbols of a program to a GSYM
 * file.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
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

/* Limit this process to what the conversion needs. */
static void protect(const struct create *create)
{
	const char *root = create->install ? create->install
					   : create->output_dir;
	int folder = -1;
	struct sandbox s = {
		.mode = create->sandbox,
		.folders = &folder,
		.processes = create->recursive,
	};

	if (create->max_memory)
		sandbox_memory(create->max_memory);
	if (create->max_time)
		sandbox_time(create->max_time);
	if (create->sandbox == SANDBOX_OFF)
		return;
	if (!create->identify)
		folder = root ? outfile_folder(root)
			      : outfile_folder_of(create->output);
	s.folder_count = folder >= 0;
	sandbox_enter(&s);
	if (folder >= 0)
		close(folder);
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
	create_parse_end(&create, &options);
	return status;
}
