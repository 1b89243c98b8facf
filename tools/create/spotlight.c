/* SPDX-License-Identifier: MIT */
/*
 * create/spotlight.c - asks Spotlight, the index of files of a Mac, where the
 * debug info of a program is.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "create/create.h"

enum {
	UUID = 16,
	/* The most bytes of mdfind's output that are read. */
	MOST_OUTPUT = 1 << 16,
	MOST_SECONDS = 30,
};

/* In the child: messages of mdfind are not shown. */
static void prepare_mdfind(const void *owner)
{
	int null = open("/dev/null", O_WRONLY);

	(void)owner;
	if (null >= 0)
		dup2(null, STDERR_FILENO);
}

/* The first line of TEXT that is the path of a file, malloc'ed; NULL: there is
 * none. */
static char *first_path(char *text)
{
	char *line;
	struct stat st;

	while ((line = strsep(&text, "\n")))
		if (*line == '/' && stat(line, &st) == 0)
			return must_have(strdup(line));
	return NULL;
}

/* Whether the program PATH may be run.  A relative path in PATH may lead into
 * the folder of the input, whose files are not run. */
static bool may_run(const char *path)
{
	return *path == '/' && access(path, X_OK) == 0;
}

enum gsym_status create_find_dsym(void *context, const uint8_t *uuid,
				  size_t size, char **path,
				  struct gsym_error *error)
{
	char query[128] = "com_apple_xcode_dsym_uuids == ";
	char *program = size == UUID ? path_search("mdfind", may_run) : NULL;
	const char *const args[] = { program, query, NULL };
	struct run_answer answer = { .room = MOST_OUTPUT };
	const struct run_plan plan = { .args = args, .seconds = MOST_SECONDS,
				       .wake = -1, .answer = &answer,
				       .prepare = prepare_mdfind };
	const char *why;
	int status = 0;

	(void)context;
	*path = NULL;
	if (!program)
		return GSYM_NOT_FOUND;
	for (size_t i = 0; i < size; i++)
		sprintf(query + strlen(query), "%s%02X",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			uuid[i]);
	answer.bytes = must_have(calloc(1, MOST_OUTPUT + 1));
	why = run_and_wait(&plan, &status);
	if (!why && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		*path = first_path(answer.bytes);
	free(answer.bytes);
	free(program);
	if (why) {
		error->code = GSYM_ERR_IO;
		snprintf(error->message, sizeof(error->message), "mdfind: %s",
			 why);
		return GSYM_ERR_IO;
	}
	return *path ? GSYM_OK : GSYM_NOT_FOUND;
}
