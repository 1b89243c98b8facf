/* SPDX-License-Identifier: MIT */
/* Gets missing GSYM files: gsym-create makes them of debug files, a command
 * fetches them, or a debuginfod server has them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cache.h"
#include "common/converter.h"
#include "common/debuginfod.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "markup/markup.h"

enum {
	/* Seconds until a build ID that failed is tried again. */
	AGAIN = 10,
	/* Seconds until the command of --fetch is run again. */
	FORGET = 60,
};

bool markup_convert(struct markup *m, const char *input, int fd,
		    const uint8_t *id, size_t size)
{
	struct folder staging;
	m->tried = true;
	while (markup_staging(m, &staging)) {
		enum markup_moved moved = MARKUP_FAILED;
		const struct converter limits = {
			.seconds = m->convert_time,
			.memory = m->convert_memory,
			.wake = markup_signal_pipe(),
			.input = fd,
		};
		const char *why = converter_run(&limits, "--install",
						staging.path, input);
		if (!why)
			moved = markup_publish(m, &staging, id, size);
		if (markup_interrupted())
			moved = MARKUP_ENDED;
		if (moved == MARKUP_FAILED && markup_failed(m, &staging))
			continue;
		folder_remove(&staging);
		if (moved == MARKUP_ANOTHER)
			markup_note(m,
				    "'%s' is not used: it has another "
				    "build ID",
				    input);
		else if (moved == MARKUP_FAILED)
			markup_note(m, "cannot convert '%s': %s", input,
				    why ? why : "it cannot be moved");
		return moved == MARKUP_MOVED;
	}
	return false;
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Convert the debug file for the build ID in one of the debug folders. */
static bool convert_local(struct markup *m, const uint8_t *id, size_t size)
{
	bool done = false;
	for (size_t i = 0; i < m->debug_directory_count && !done; i++) {
		char *path = cache_path(m->debug_directories[i], id, size,
					".debug");
		done = is_file(path) && markup_convert(m, path, 0, id, size);
		free(path);
	}
	return done;
}

/* ---- servers ------------------------------------------------------------- */

/* Copy FROM to TO, which must not exist; its folders are made. */
static bool copy_file(const char *from, char *to)
{
	int in = file_open(from, O_RDONLY);
	int fd = in >= 0 && cache_make_folders(to)
			 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				0666)
			 : -1;
	bool done = fd >= 0 && out_copy(fd, in, UINT64_MAX);
	if (fd >= 0 && close(fd) < 0 && errno != EINTR)
		done = false;
	if (in >= 0)
		close(in);
	return done;
}

/* Returns true if PATH, which came from a server, is a GSYM file with the build
 * ID.  If not, writes a note. */
static bool has_id(const struct markup *m, const char *path,
		   const uint8_t *id, size_t size)
{
	struct gsym_reader *reader;
	struct gsym_header header;
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_open(path, &reader, &error);
	if (status != GSYM_OK) {
		markup_note(m, "the GSYM file of the server is not used: %s",
			    report_reason(status, &error));
		return false;
	}
	gsym_get_header(reader, &header);
	bool same = gsym_uuid_matches(header.uuid, header.uuid_size, id, size);
	gsym_close(reader);
	if (!same)
		markup_note(m, "the GSYM file of the server is not used: it "
			       "has another build ID");
	return same;
}

/* Publish a copy of the GSYM file PATH.  The copy is checked, which nobody else
 * changes. */
static bool keep_section(struct markup *m, const char *path,
			 const uint8_t *id, size_t size)
{
	struct folder staging;
	while (markup_staging(m, &staging)) {
		char *to = cache_path(staging.path, id, size, ".debug.gsym");
		bool copied = copy_file(path, to);
		bool wrong = copied && !has_id(m, to, id, size);
		bool done =
			copied && !wrong &&
			markup_publish(m, &staging, id, size) == MARKUP_MOVED;
		free(to);
		if (!done && !wrong && markup_failed(m, &staging))
			continue;
		folder_remove(&staging);
		return done;
	}
	return false;
}

/* The callback for the progress of servers. Returns false if a signal came. */
static bool go_on(uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return !markup_interrupted();
}

/* A request to the servers. */
struct request {
	struct markup *m;
	const uint8_t *id;
	size_t size;
};

/* Callbacks of debuginfod_fetch. */
static bool use_section(void *context, const char *path)
{
	const struct request *r = context;
	return keep_section(r->m, path, r->id, r->size);
}

static bool use_debug_file(void *context, const char *path)
{
	const struct request *r = context;
	return markup_convert(r->m, path, 0, r->id, r->size);
}

/* Ask the servers for the section .gsym, then for the debug file to convert. */
static bool ask_servers(struct markup *m, const uint8_t *id, size_t size)
{
	static const struct debuginfod_uses uses = { use_section,
						     use_debug_file };
	struct request request = { m, id, size };
	struct gsym_error error;
	if (!m->servers) {
		m->servers = debuginfod_new();
		if (!m->servers)
			die("out of memory");
		debuginfod_set_progress(m->servers, go_on);
	}
	m->tried = true;
	bool done =
		debuginfod_fetch(m->servers, id, size, &uses, &request, &error);
	if (error.code != GSYM_OK)
		markup_note(m, "%s", report_reason(error.code, &error));
	return done;
}

/* ---- the command of --fetch ---------------------------------------------- */

static bool run_command(struct markup *m, const uint8_t *id, size_t size)
{
	time_t now = time(NULL);
	/* A log may grow for days, and a file may appear meanwhile. */
	if (now - m->fetch_began >= FORGET) {
		fetch_forget(m->fetch);
		m->fetch_began = now;
	}
	fetch_set_wake(m->fetch, markup_signal_pipe());
	m->tried = true;
	return fetch_get(m->fetch, id, size);
}

/* ---- failures ------------------------------------------------------------ */

/* The slot that remembers a failure for the build ID. */
static struct markup_failure *failure_of(struct markup *m, const uint8_t *id,
					 size_t size)
{
	uint32_t hash = 0;
	for (size_t i = 0; i < size; i++)
		hash = hash * 31 + id[i];
	return &m->failures[hash % MARKUP_FAILURES];
}

bool markup_fetch(struct markup *m, const uint8_t *id, size_t size)
{
	struct markup_failure *f = failure_of(m, id, size);
	if (size > sizeof(f->id) || markup_interrupted() ||
	    (f->size == size && memcmp(f->id, id, size) == 0 &&
	     time(NULL) < f->again))
		return false;
	m->tried = false;
	/* Conversions and servers may take long. */
	out_flush(&m->out);
	if ((m->convert && convert_local(m, id, size)) ||
	    (m->fetch && run_command(m, id, size)) ||
	    (m->debuginfod && ask_servers(m, id, size)))
		return true;
	/* No server and no converter was asked, so the next try is cheap. */
	if (!m->tried)
		return false;
	memcpy(f->id, id, size);
	f->size = size;
	f->again = time(NULL) + AGAIN;
	return false;
}

void markup_fetch_end(struct markup *m)
{
	debuginfod_free(m->servers);
	fetch_free(m->fetch);
	markup_keep_end(m);
}
