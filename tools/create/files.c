/* SPDX-License-Identifier: MIT */
/*
 * create/files.c - the files that a conversion reads besides its input: folders
 * to search, a report for each file that was tried, and debug files from
 * debuginfod servers.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/debuginfod.h"
#include "common/progress.h"
#include "common/report.h"
#include "create/create.h"

void create_add_directory(struct create *create, const char *directory)
{
	const char **more = reallocarray(create->directories,
					 create->directory_count + 1,
					 sizeof(*more));
	if (!more)
		die("out of memory");
	if (*directory)
		more[create->directory_count++] = directory;
	create->directories = more;
}

void create_note_file(void *context, enum gsym_file_role role,
		      const char *path, const char *refused)
{
	static const char *const names[] = {
		[GSYM_FILE_DEBUG] = "debug file",
		[GSYM_FILE_SYMBOLS] = "symbol table file",
		[GSYM_FILE_ALTERNATE] = "supplementary file",
		[GSYM_FILE_OBJECT] = "object",
	};
	struct conversion *conversion = context;
	if (role == GSYM_FILE_DEBUG && !refused) {
		free(conversion->debug_file);
		conversion->debug_file = strdup(path);
		if (!conversion->debug_file)
			die("out of memory");
	}
	if (role == GSYM_FILE_OBJECT && !refused)
		conversion->objects++;
	if (conversion->create->verbose && !conversion->second)
		warn("%s '%s': %s", names[role], path,
		     refused ? refused : "used");
}

/* Show the progress of a transfer from a debuginfod server. */
static bool show_fetched(uint64_t done, uint64_t total)
{
	progress_update(done, total);
	return true;
}

enum gsym_status create_fetch(void *context, const uint8_t *build_id,
			      size_t size, char **path,
			      struct gsym_error *error)
{
	struct conversion *conversion = context;
	struct create *create = conversion->create;
	if (!create->client)
		create->client = debuginfod_new();
	if (!create->client)
		die("out of memory");
	debuginfod_set_progress(create->client, show_fetched);
	progress_end();
	progress_start("fetching the debug file", create->quiet);
	enum gsym_status status = debuginfod_debug_file(
		create->client, build_id, size, path, error);
	progress_end();
	progress_start(conversion->what, create->quiet);
	return status;
}


void create_files_end(struct create *create)
{
	free(create->directories);
	debuginfod_free(create->client);
}
