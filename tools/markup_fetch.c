/* SPDX-License-Identifier: MIT */
/* GSYM data that are not there yet: gsym-create makes them from a debug file,
 * or a debuginfod server has them.  They go to the cache, whole: a temporary
 * file is renamed, so that several filters may do so at once. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cache.h"
#include "common/debuginfod.h"
#include "common/outfile.h"
#include "common/report.h"
#include "markup.h"

/* gsym-create beside this program, or wherever PATH finds it. */
static const char *converter(char *path, size_t size)
{
	static const char name[] = "gsym-create";
	ssize_t length =
		readlink("/proc/self/exe", path, size - sizeof(name));
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
	char program[4096];
	const char *args[] = { converter(program, sizeof(program)), "--quiet",
			       "-o", output, "--", input, NULL };
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

/* Where in the cache the data belong, with its folders made; NULL. */
static char *cache_place(const struct markup *m, const uint8_t *id,
			 size_t size)
{
	char *path = cache_path(m->cache, id, size, ".debug.gsym");
	if (cache_make_folders(path))
		return path;
	warn("note: cannot make the folders of '%s': %s", path,
	     strerror(errno));
	free(path);
	return NULL;
}

static bool convert(const struct markup *m, const char *input,
		    const uint8_t *id, size_t size)
{
	char *output = cache_place(m, id, size);
	bool done = output && run_converter(input, output);
	if (output && !done)
		warn("note: cannot convert '%s'", input);
	free(output);
	return done;
}

static bool convert_local(const struct markup *m, const uint8_t *id,
			  size_t size)
{
	for (size_t i = 0; i < m->debug_directory_count; i++) {
		char *path = cache_path(m->debug_directories[i], id, size,
					".debug");
		bool done = access(path, R_OK) == 0 &&
			    convert(m, path, id, size);
		free(path);
		if (done)
			return true;
	}
	return false;
}

/* ---- servers ------------------------------------------------------------- */

/* Copy the GSYM file PATH, if it has the build ID, into the cache. */
static bool keep_section(const struct markup *m, const char *path,
			 const uint8_t *id, size_t size)
{
	struct gsym_reader *reader;
	struct gsym_header header;
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_open(path, &reader, &error);
	if (status != GSYM_OK) {
		warn("note: what the server has is not used: %s",
		     report_reason(status, &error));
		return false;
	}
	gsym_header(reader, &header);
	bool same = gsym_uuid_matches(header.uuid, header.uuid_size, id, size);
	gsym_close(reader);
	if (!same) {
		warn("note: what the server has is not used: it has another "
		     "build id");
		return false;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct out bytes;
	out_init_memory(&bytes, false);
	for (ssize_t n = 1; fd >= 0 && n > 0;) {
		char *to = out_reserve(&bytes, OUT_RESERVE);
		n = read(fd, to, OUT_RESERVE);
		if (n > 0)
			out_take(&bytes, n);
		same = n >= 0 && !bytes.overflow;
	}
	char *output = same && fd >= 0 ? cache_place(m, id, size) : NULL;
	if (output) {
		outfile_open(output, NULL);
		outfile_commit(bytes.buffer, bytes.used);
	}
	out_fini(&bytes);
	if (fd >= 0)
		close(fd);
	same = output != NULL;
	free(output);
	return same;
}

static bool ask_servers(struct markup *m, const uint8_t *id, size_t size)
{
	struct gsym_error error = { 0 };
	char *path;
	if (!m->servers)
		m->servers = debuginfod_new();
	if (!m->servers)
		die("out of memory");
	/* Some builds of what it loads write to a closed connection. */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool done = false;
	enum gsym_status status = debuginfod_section(m->servers, id, size,
						     ".gsym", &path, &error);
	if (status == GSYM_OK) {
		done = keep_section(m, path, id, size);
		free(path);
	}
	if (!done && (status == GSYM_OK || status == GSYM_NOT_FOUND)) {
		status = debuginfod_debug_file(m->servers, id, size, &path,
					       &error);
		if (status == GSYM_OK) {
			done = convert(m, path, id, size);
			free(path);
		}
	}
	if (status != GSYM_OK && status != GSYM_NOT_FOUND)
		warn("note: %s", report_reason(status, &error));
	signal(SIGPIPE, before);
	return done;
}

bool markup_fetch(struct markup *m, const uint8_t *id, size_t size)
{
	if (!m->cache)
		return false;
	return (m->convert && convert_local(m, id, size)) ||
	       (m->debuginfod && ask_servers(m, id, size));
}

void markup_fetch_end(struct markup *m)
{
	debuginfod_free(m->servers);
}
