/* SPDX-License-Identifier: MIT */
/* Asks Spotlight, the index of files of a Mac, for the dSYM folder with a UUID.
 * Its program mdfind(1) exists on Macs alone. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/system.h"
#include "common/must.h"
#include "common/run.h"
#include "create/create.h"

enum {
	UUID = 16,
	/* The most bytes of mdfind's output that are read. */
	MOST_OUTPUT = 1 << 16,
	MOST_SECONDS = 30,
};

/* In the child: write to the descriptor at OWNER, and nothing else. */
static void prepare(const void *owner)
{
	const int *output = owner;
	int null = open("/dev/null", O_WRONLY);

	dup2(*output, STDOUT_FILENO);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
}

/* The first line of the file OUTPUT that is the path of a file, malloc'ed;
 * NULL: there is none. */
static char *first_path(int output)
{
	char *text = must_have(malloc(MOST_OUTPUT + 1)), *line, *rest = text;
	ssize_t size = gsym_fd_read_at(output, text, MOST_OUTPUT, 0);
	char *found = NULL;
	struct stat st;

	text[size > 0 ? size : 0] = 0;
	while (!found && (line = strsep(&rest, "\n")))
		if (*line == '/' && stat(line, &st) == 0)
			found = must_have(strdup(line));
	free(text);
	return found;
}

/* Set PATH, which has SIZE bytes, to mdfind in a folder of the variable PATH;
 * false if there is none.  A folder without a path from the root may be that of
 * the input, whose files are not run. */
static bool find_mdfind(char *path, size_t size)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t length = strcspn(at, ":");

		if (*at == '/' && length + sizeof("/mdfind") <= size) {
			snprintf(path, size, "%.*s/mdfind", (int)length, at);
			if (access(path, X_OK) == 0)
				return true;
		}
		at += length + (at[length] == ':');
	}
	return false;
}

enum gsym_status create_find_dsym(void *context, const uint8_t *uuid,
				  size_t size, char **path,
				  struct gsym_error *error)
{
	char query[128] = "com_apple_xcode_dsym_uuids == ";
	char program[4096];
	const char *const args[] = { program, query, NULL };
	int output = -1, status = 0;
	struct run_plan plan = { .args = args, .seconds = MOST_SECONDS,
				 .wake = -1, .prepare = prepare,
				 .owner = &output };
	const char *why;

	(void)context;
	*path = NULL;
	if (size != UUID || !find_mdfind(program, sizeof(program)))
		return GSYM_NOT_FOUND;
	for (size_t i = 0; i < size; i++)
		sprintf(query + strlen(query), "%s%02X",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			uuid[i]);
	output = gsym_system_memory_file("mdfind");
	if (output < 0)
		return GSYM_NOT_FOUND;
	why = run_and_wait(&plan, &status);
	if (!why && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		*path = first_path(output);
	close(output);
	if (why) {
		error->code = GSYM_ERR_IO;
		snprintf(error->message, sizeof(error->message), "mdfind: %s",
			 why);
		return GSYM_ERR_IO;
	}
	return *path ? GSYM_OK : GSYM_NOT_FOUND;
}
