/* SPDX-License-Identifier: MIT */
/* Loads the client library of debuginfod, and asks servers for files. */
#include "config.h"

#include "common/debuginfod.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_DLOPEN
#include <dlfcn.h>
#endif

#include "base/error.h"
#include "base/system.h"

/* Types of elfutils/debuginfod.h, which need not be installed. */
typedef struct debuginfod_client client;
typedef int progress_fn(client *c, long done, long total);

struct debuginfod {
	void *library;
	client *client;
	/* Functions of the library. */
	client *(*begin)(void);
	void (*end)(client *c);
	int (*find_debuginfo)(client *c, const unsigned char *build_id,
			      int size, char **path);
	void (*set_progressfn)(client *c, progress_fn *function);
	/* Since 0.188 of elfutils; NULL before. */
	int (*find_section)(client *c, const unsigned char *build_id,
			    int size, const char *section, char **path);
	bool (*progress)(uint64_t done, uint64_t total);
	/* The most bytes that a file may have, and whether the last transfer
	 * had more. */
	uint64_t most;
	bool too_large;
	/* Bytes that the last transfer received, and the size that the server
	 * announced; both 0 if no transfer began. */
	uint64_t done, total;
};

/* The default limit of a file.  A server may send for ever: the library's own
 * limit only checks the size that the server announces. */
#define MOST_BYTES (UINT64_C(16) << 30)

/* The client that is making a request.  The library's progress callback gets
 * no context of its caller. */
static struct debuginfod *asking;

struct debuginfod *debuginfod_new(bool (*progress)(uint64_t done,
						   uint64_t total))
{
	struct debuginfod *d = calloc(1, sizeof(*d));
	const char *most = getenv("DEBUGINFOD_MAXSIZE");

	if (!d)
		return NULL;
	d->most = most ? strtoull(most, NULL, 10) : 0;
	if (!d->most)
		d->most = MOST_BYTES;
	d->progress = progress;
	return d;
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	/* The library stays loaded: libcurl, which it uses, cannot be
	 * unloaded safely. */
	if (d->client)
		d->end(d->client);
	free(d);
}

#ifdef HAVE_DLOPEN

/* Set the function pointer at PLACE to the library's function NAME. */
static bool load_function(struct debuginfod *d, const char *name, void *place)
{
	void *function = dlsym(d->library, name);

	memcpy(place, &function, sizeof(function));
	return function != NULL;
}

static enum gsym_status load_library(struct debuginfod *d,
				     struct gsym_error *error)
{
	d->library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!d->library)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "libdebuginfod.so.1 is not installed");
	if (!load_function(d, "debuginfod_begin", &d->begin) ||
	    !load_function(d, "debuginfod_end", &d->end) ||
	    !load_function(d, "debuginfod_find_debuginfo",
			   &d->find_debuginfo) ||
	    !load_function(d, "debuginfod_set_progressfn",
			   &d->set_progressfn)) {
		dlclose(d->library);
		d->library = NULL;
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "libdebuginfod.so.1 is too old");
	}
	load_function(d, "debuginfod_find_section", &d->find_section);
	return GSYM_OK;
}

#else

static enum gsym_status load_library(struct debuginfod *d,
				     struct gsym_error *error)
{
	(void)d;
	return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
			 "this system cannot load libdebuginfod");
}

#endif

/* Load the library and open a client, unless that is done already. */
static enum gsym_status open_client(struct debuginfod *d,
				    struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;

	if (!d->library)
		status = load_library(d, error);
	if (status != GSYM_OK || d->client)
		return status;
	d->client = d->begin();
	if (!d->client)
		return gsym_fail(error, GSYM_ERR_MEMORY, 0,
				 "libdebuginfod has no memory to start");
	return GSYM_OK;
}

/* The library's progress callback.  Returns 1 to give the transfer up. */
static int show_progress(client *c, long done, long total)
{
	(void)c;
	/* While TOTAL is 0 no server sends yet, and DONE counts the library's
	 * polls. */
	if (done >= 0 && total > 0) {
		asking->done = (uint64_t)done;
		asking->total = (uint64_t)total;
	}
	if (done > 0 && (uint64_t)done > asking->most) {
		asking->too_large = true;
		return 1;
	}
	if (!asking->progress)
		return 0;
	return !asking->progress(done > 0 ? (uint64_t)done : 0,
				 total > 0 ? (uint64_t)total : 0);
}

/* Turn NUMBER, the library's -errno, into a status and ERROR. */
static enum gsym_status explain(const struct debuginfod *d, int number,
				struct gsym_error *error)
{
	if (d->too_large)
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "a debuginfod server sends more than %" PRIu64
				 " bytes", d->most);
	switch (-number) {
	case ENOENT:
		/* The library returns ENOENT for an incomplete transfer,
		 * too. */
		if (d->total)
			return gsym_fail(error, GSYM_ERR_IO, 0,
					 "a debuginfod server broke off after "
					 "%" PRIu64 " of %" PRIu64 " bytes",
					 d->done, d->total);
		return GSYM_NOT_FOUND;
	case ENOSYS:
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "DEBUGINFOD_URLS names no server to ask");
	case ETIME:
	case ETIMEDOUT:
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "no debuginfod server answered in time");
	case ECONNREFUSED:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "no debuginfod server can be reached");
	}
	return gsym_fail(error, GSYM_ERR_IO, 0, "debuginfod: %s",
			 strerror(-number));
}

enum gsym_status debuginfod_get(struct debuginfod *d, const uint8_t *build_id,
				size_t size, const char *section, char **path,
				struct gsym_error *error)
{
	enum gsym_status status;
	void (*before)(int);
	int fd;

	*path = NULL;
	/* No build ID is a hash of more than 64 bytes, and the library makes
	 * file names of them. */
	if (size == 0 || size > 64)
		return GSYM_NOT_FOUND;
	status = open_client(d, error);
	if (status != GSYM_OK)
		return status;
	if (section && !d->find_section)
		return GSYM_NOT_FOUND;
	d->set_progressfn(d->client, show_progress);
	d->too_large = false;
	d->done = d->total = 0;
	asking = d;
	/* Some builds of the library's libraries write to a closed
	 * connection. */
	before = signal(SIGPIPE, SIG_IGN);
	fd = section ? d->find_section(d->client, build_id, (int)size, section,
				       path)
		     : d->find_debuginfo(d->client, build_id, (int)size, path);
	asking = NULL;
	signal(SIGPIPE, before);
	if (fd < 0) {
		free(*path);
		*path = NULL;
		return explain(d, fd, error);
	}
	close(fd);
	if (*path)
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_IO, 0,
			 "debuginfod does not say where its file is");
}
