/* SPDX-License-Identifier: MIT */
/* Runs the command of --fetch, and keeps the files that it makes. */
#include "config.h"

#include "common/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gsym/reader.h>

#include "common/cache.h"
#include "common/child.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/folder.h"
#include "common/number.h"
#include "common/out.h"
#include "common/path.h"
#include "common/place.h"
#include "common/report.h"
#include "common/temporary.h"

enum {
	/* The defaults of the options, and their largest values. */
	SECONDS = 60,
	SECONDS_MAX = 1000000,
	MIB = 4096,
	MIB_MAX = 1 << 30,
	/* No build ID is a hash of more bytes. */
	ID_MAX = 64,
	/* Failures that are reported. */
	NOTES = 8,
	/* So many failures in a row are one of the command, not of build IDs:
	 * no command runs for PAUSE milliseconds then. */
	FAILURES = 3,
	PAUSE = 60 * 1000,
	/* Milliseconds between two looks at a lock. */
	LOOK = 50,
};

/* The result of a command. */
enum result {
	GOT = '0',
	MISSING = '1',
	FAILED = 'f',
};

/* A build ID that the command was run for. */
struct asked {
	bool got;
	size_t size;
	uint8_t id[ID_MAX];
};

struct fetch {
	/* The words of the command, places for two more, and NULL. */
	char *text;
	const char **words;
	size_t count;
	char *cache;
	uint64_t seconds, bytes;
	int wake;
	bool quiet;
	pthread_mutex_t mutex;
	/* A tree of struct asked: see tsearch. */
	void *asked;
	unsigned notes, failures;
	int64_t failed_at;
	/* Folders of processes that were killed were removed. */
	bool cleaned;
	/* The build ID of the current command. */
	const uint8_t *id;
	size_t size;
	char hex[2 * ID_MAX + 1];
};

/* ---- the command --------------------------------------------------------- */

void fetch_set_timeout(struct fetch_options *to, const struct options *options)
{
	to->seconds = options_number(options, 1, SECONDS_MAX);
}

void fetch_set_size(struct fetch_options *to, const struct options *options)
{
	to->bytes = options_number(options, 1, MIB_MAX) << 20;
}

struct fetch *fetch_new(const struct fetch_options *options)
{
	struct fetch *f;
	char *at;

	if (!options->command && (options->seconds || options->bytes))
		die_usage("--fetch-timeout and --fetch-size need --fetch");
	if (!options->command)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (!f || !(f->text = strdup(options->command)) ||
	    !(f->words = calloc(strlen(f->text) + 4, sizeof(*f->words))))
		die("out of memory");
	for (char *word = strtok_r(f->text, " \t\n", &at); word;
	     word = strtok_r(NULL, " \t\n", &at))
		f->words[f->count++] = word;
	if (!f->count)
		die_usage("--fetch needs a command");
	f->cache = cache_folder();
	if (!f->cache)
		die("--fetch needs a cache, but neither XDG_CACHE_HOME nor "
		    "HOME is set");
	f->seconds = options->seconds ? options->seconds : SECONDS;
	f->bytes = options->bytes ? options->bytes : (uint64_t)MIB << 20;
	f->quiet = options->quiet;
	f->wake = -1;
	pthread_mutex_init(&f->mutex, NULL);
	return f;
}

/* The process group of the command that runs; 0: none. */
static volatile pid_t running;

/* The signals that end the command, and what they did before. */
static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { SIGNALS = sizeof(signals) / sizeof(*signals) };
static struct sigaction before[SIGNALS];

/* End the command and its children, then do what the signal did before. */
static void end_command(int number)
{
	pid_t group = running;

	if (group > 0)
		kill(-group, SIGKILL);
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number)
			sigaction(number, &before[i], NULL);
	raise(number);
}

void fetch_end_by_signals(void)
{
	struct sigaction action = { .sa_handler = end_command };

	for (size_t i = 0; i < SIGNALS; i++)
		if (sigaction(signals[i], NULL, &before[i]) == 0 &&
		    before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

void fetch_set_wake(struct fetch *f, int wake)
{
	f->wake = wake;
}

/* Report that the command failed for WHY. */
static void tell(struct fetch *f, const char *why)
{
	if (f->quiet || f->notes++ >= NOTES)
		return;
	warn("note: cannot fetch the GSYM file of build ID %s: %s%s", f->hex,
	     why, f->notes == NOTES ? "; more failures are not reported" : "");
}

/* In the child, before it becomes the command: see child.h. */
static void prepare(const void *owner)
{
	const struct fetch *f = owner;
	const struct rlimit size = { f->bytes, f->bytes };

	dup2(STDERR_FILENO, STDOUT_FILENO);
	setrlimit(RLIMIT_FSIZE, &size);
}

static void set_running(pid_t child)
{
	running = child;
}

/* What the wait STATUS of a command means.  WHY becomes the reason of a
 * failure. */
static enum result judge(const struct fetch *f, int status, char *why,
			 size_t size)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return GOT;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		return MISSING;
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CANNOT_RUN)
		snprintf(why, size, "'%s' cannot be run", f->words[0]);
	else if (WIFEXITED(status))
		snprintf(why, size, "'%s' ended with status %d", f->words[0],
			 WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGXFSZ)
		snprintf(why, size, "'%s' writes more than %" PRIu64 " MiB",
			 f->words[0], f->bytes >> 20);
	else
		snprintf(why, size, "'%s' ended by a signal: %s", f->words[0],
			 strsignal(WTERMSIG(status)));
	return FAILED;
}

/* Run the command, which is to make the file PATH. */
static enum result run(struct fetch *f, const char *path, char *why,
		       size_t size)
{
	const struct child command = {
		.args = f->words,
		.seconds = f->seconds,
		.wake = f->wake,
		.prepare = prepare,
		.owner = f,
		.running = set_running,
	};
	int status;

	f->words[f->count] = f->hex;
	f->words[f->count + 1] = path;
	const char *reason = child_run(&command, &status);
	if (!reason)
		return judge(f, status, why, size);
	snprintf(why, size, "%s", reason);
	return FAILED;
}

/* ---- the file ------------------------------------------------------------ */

/* NULL if PATH is a GSYM file with the build ID and without damage, else why it
 * is not used.  A part of a file would be found out by lookups alone. */
static const char *check(const struct fetch *f, const char *path,
			 struct gsym_error *error)
{
	struct gsym_reader *reader;
	struct gsym_header header;
	struct stat st;
	enum gsym_status status;
	const char *why = NULL;

	/* Opening another kind of file might wait for ever. */
	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return "the command made no file";
	status = gsym_open(path, &reader, error);
	if (status != GSYM_OK)
		return report_reason(status, error);
	gsym_get_header(reader, &header);
	if (!gsym_uuid_matches(header.uuid, header.uuid_size, f->id, f->size))
		why = "the file has another build ID";
	else if (gsym_verify(reader, NULL, NULL) != GSYM_OK)
		why = "the file is damaged";
	gsym_close(reader);
	return why;
}

/* Copy the file FROM, which the command made, to the new file TO.  A child that
 * the command left behind may still write to FROM, but knows nothing of TO. */
static const char *copy_file(const struct fetch *f, const char *from,
			     const char *to)
{
	const char *why;
	int in = place_find(AT_FDCWD, from), out;

	if (in < 0)
		return "the command made no file";
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* Children of the command may go on writing. */
	why = out < 0			    ? strerror(errno)
	      : out_copy(out, in, f->bytes) ? NULL
					    : "the file cannot be copied";
	if (!why && fchmod(out, 0644) < 0)
		why = strerror(errno);
	if (out >= 0 && close(out) < 0 && errno != EINTR && !why)
		why = strerror(errno);
	close(in);
	return why;
}

/* Copy the file MADE of the command into the folder STAGING, check the copy,
 * and move the copy to TO, where it appears whole.  Returns NULL, or why
 * not. */
static const char *keep(const struct fetch *f, const char *made,
			const struct folder *staging, const char *to,
			struct gsym_error *error)
{
	char mark[TEMPORARY_MARK], *copy;
	const char *why;

	temporary_mark(mark);
	copy = path_print("%s/%s", staging->path, mark);
	why = copy_file(f, made, copy);
	if (!why)
		why = check(f, copy, error);
	if (!why && rename(copy, to) != 0)
		why = "the file cannot be moved into the cache";
	free(copy);
	return why;
}

/* Have the command make a file, and keep it as TO. */
static enum result make_file(struct fetch *f, const char *to)
{
	struct gsym_error error = { 0 };
	struct folder staging;
	char why[256 + 64];
	const char *problem = NULL;
	enum result result;
	char *path;

	if (!f->cleaned)
		folder_clean(f->cache, CACHE_STAGING);
	f->cleaned = true;
	if (!folder_make(&staging, f->cache, CACHE_STAGING)) {
		tell(f, "the cache cannot be written");
		return FAILED;
	}
	path = path_print("%s/%s.gsym", staging.path, f->hex);
	result = run(f, path, why, sizeof(why));
	if (result == FAILED)
		problem = why;
	else if (result == GOT)
		problem = keep(f, path, &staging, to, &error);
	if (problem) {
		tell(f, problem);
		result = FAILED;
	}
	free(path);
	folder_remove(&staging);
	return result;
}

/* ---- processes that want the same file ----------------------------------- */

/* Lock the file PATH, which is made, before DEADLINE.  Who may not write to the
 * cache cannot hold the lock.  On a file system without locks nobody waits, and
 * several commands may run at once.  Returns a descriptor; -1 on failure. */
static int lock(const struct fetch *f, const char *path, int64_t deadline)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
	       (errno == EWOULDBLOCK || errno == EINTR)) {
		struct pollfd wake = { .fd = f->wake, .events = POLLIN };

		if (clock_milliseconds() < deadline &&
		    poll(&wake, 1, LOOK) == 0)
			continue;
		close(fd);
		return -1;
	}
	return fd;
}

/* Get the file of the current build ID, alone among all processes.  The process
 * that has the lock writes its result into the lock file and removes the file:
 * the processes that waited read the result there. */
static enum result get_alone(struct fetch *f, const char *to, const char *path)
{
	int64_t deadline =
		clock_milliseconds() + (int64_t)(f->seconds + 10) * 1000;
	struct gsym_error error = { 0 };
	enum result result = FAILED;
	struct stat st;
	char byte;
	int fd = lock(f, path, deadline);

	if (fd < 0) {
		tell(f, "the lock of the build ID in the cache cannot be had");
		return FAILED;
	}
	if (fstat(fd, &st) == 0 && st.st_nlink == 0) {
		if (file_read_start(fd, &byte, 1) == 1)
			result = (enum result)(unsigned char)byte;
	} else {
		result = check(f, to, &error) ? make_file(f, to) : GOT;
		byte = (char)result;
		/* Without the byte those who wait take it for a failure. */
		if (pwrite(fd, &byte, 1, 0) != 1)
			result = result == GOT ? GOT : FAILED;
		unlink(path);
	}
	close(fd);
	return result;
}

static enum result get(struct fetch *f)
{
	char *to = cache_path(f->cache, f->id, f->size, ".debug.gsym");
	char *path = cache_path(f->cache, f->id, f->size, ".lock");
	enum result result = FAILED;

	if (cache_make_folders(to))
		result = get_alone(f, to, path);
	else
		tell(f, "the cache cannot be written");
	free(to);
	free(path);
	return result;
}

/* ---- what was asked ------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return memcmp(x->id, y->id, x->size);
}

/* Run the command for the build ID of ASKED, unless it paused. */
static void ask(struct fetch *f, struct asked *asked)
{
	enum result result;

	f->id = asked->id;
	f->size = asked->size;
	number_bytes(f->hex, f->id, f->size);
	result = get(f);
	asked->got = result == GOT;
	f->failures = result == FAILED ? f->failures + 1 : 0;
	f->failed_at = clock_milliseconds();
	if (f->failures == FAILURES && !f->quiet)
		warn("note: --fetch failed %d times in a row; no file is "
		     "fetched for %d seconds",
		     FAILURES, PAUSE / 1000);
}

/* Whether the command may run now. */
static bool may_run(struct fetch *f)
{
	if (f->failures < FAILURES)
		return true;
	if (clock_milliseconds() - f->failed_at < PAUSE)
		return false;
	f->failures = 0;
	return true;
}

bool fetch_get(struct fetch *f, const uint8_t *id, size_t size)
{
	struct asked *asked;
	struct asked **place;
	bool got = false;

	if (!f || !size || size > ID_MAX)
		return false;
	asked = calloc(1, sizeof(*asked));
	if (!asked)
		die("out of memory");
	asked->size = size;
	memcpy(asked->id, id, size);
	pthread_mutex_lock(&f->mutex);
	place = tfind(asked, &f->asked, compare);
	if (place) {
		got = (*place)->got;
	} else if (may_run(f)) {
		if (!tsearch(asked, &f->asked, compare))
			die("out of memory");
		ask(f, asked);
		got = asked->got;
		asked = NULL;
	}
	pthread_mutex_unlock(&f->mutex);
	free(asked);
	return got;
}

enum gsym_status fetch_find(struct fetch *f, struct gsym_store *store,
			    const uint8_t *id, size_t size,
			    const struct gsym_store_entry **ret,
			    struct gsym_error *error)
{
	enum gsym_status status = gsym_store_find(store, id, size, ret, error);

	if (status != GSYM_NOT_FOUND || !fetch_get(f, id, size))
		return status;
	gsym_store_retry(store);
	return gsym_store_find(store, id, size, ret, error);
}

void fetch_forget(struct fetch *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->mutex);
	while (f->asked) {
		struct asked *first = *(struct asked **)f->asked;

		tdelete(first, &f->asked, compare);
		free(first);
	}
	pthread_mutex_unlock(&f->mutex);
}

void fetch_free(struct fetch *f)
{
	if (!f)
		return;
	fetch_forget(f);
	pthread_mutex_destroy(&f->mutex);
	free(f->cache);
	free(f->words);
	free(f->text);
	free(f);
}
