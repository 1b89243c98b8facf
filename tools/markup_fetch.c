/* SPDX-License-Identifier: MIT */
/* GSYM data that are not there yet: gsym-create makes them from a debug file
 * and puts them into the cache.  It writes a temporary file and renames it,
 * so that several filters may do so at once. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/report.h"
#include "markup.h"

enum { PATH_SIZE = 4096 };

/* "DIRECTORY/.build-id/NN/REST" and SUFFIX; false if it is too long. */
static bool build_path(char *path, const char *directory, const uint8_t *id,
		       size_t size, const char *suffix)
{
	int at = snprintf(path, PATH_SIZE, "%s/.build-id/%02x/", directory,
			  id[0]);
	for (size_t i = 1; i < size && at < PATH_SIZE; i++)
		at += snprintf(path + at, PATH_SIZE - at, "%02x", id[i]);
	if (at < PATH_SIZE)
		at += snprintf(path + at, PATH_SIZE - at, "%s", suffix);
	return at < PATH_SIZE;
}

/* The folders that lead to PATH. */
static bool make_folders(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		int failed = mkdir(path, 0755);
		*at = '/';
		if (failed && errno != EEXIST)
			return false;
	}
	return true;
}

/* gsym-create beside this program, or wherever PATH finds it. */
static const char *converter(char *path)
{
	static const char name[] = "gsym-create";
	ssize_t length = readlink("/proc/self/exe", path,
				  PATH_SIZE - sizeof(name));
	if (length <= 0)
		return name;
	path[length] = 0;
	char *slash = strrchr(path, '/');
	if (!slash)
		return name;
	memcpy(slash + 1, name, sizeof(name));
	return access(path, X_OK) == 0 ? path : name;
}

static bool run_converter(const char *input, const char *output)
{
	char program[PATH_SIZE];
	const char *args[] = { converter(program), "--quiet", "-o", output,
			       "--", input, NULL };
	int status;
	pid_t child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_RDWR);
		if (null >= 0) {
			dup2(null, STDIN_FILENO);
			dup2(null, STDOUT_FILENO);
		}
		execvp(args[0], (char *const *)args);
		_exit(127);
	}
	if (child < 0)
		return false;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool convert(struct markup *m, const char *input, const uint8_t *id,
		    size_t size)
{
	char output[PATH_SIZE];
	if (!build_path(output, m->cache, id, size, ".debug.gsym"))
		return false;
	if (!make_folders(output)) {
		warn("note: cannot make the folders of '%s': %s", output,
		     strerror(errno));
		return false;
	}
	if (run_converter(input, output))
		return true;
	warn("note: cannot convert '%s'", input);
	return false;
}

bool markup_fetch(struct markup *m, const uint8_t *id, size_t size)
{
	char path[PATH_SIZE];
	if (!m->cache)
		return false;
	for (size_t i = 0; m->convert && i < m->debug_directory_count; i++) {
		if (!build_path(path, m->debug_directories[i], id, size,
				".debug") ||
		    access(path, R_OK) != 0)
			continue;
		if (convert(m, path, id, size))
			return true;
	}
	return false;
}
