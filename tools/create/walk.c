/* SPDX-License-Identifier: MIT */
/*
 * create/walk.c - finds the files of a folder that gsym-create --recursive
 * converts, and the programs that they belong to.  Both are decided by the
 * contents of a file, never by its name.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gsym/elf.h>

#include "common/file.h"
#include "common/report.h"
#include "create/tree.h"

/* The size of a GUID in bytes. */
enum { GUID = 16 };

static struct job *add_job(struct tree *t, const char *input)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->jobs = reallocarray(t->jobs, t->room, sizeof(*t->jobs));
		if (!t->jobs)
			die("out of memory");
	}
	struct job *job = &t->jobs[t->count++];
	*job = (struct job){ .input = strdup(input) };
	if (!job->input)
		die("out of memory");
	return job;
}

/* Mark JOB as failed because of ERROR, an errno. */
static void fail(struct job *job, int error)
{
	job->outcome = FAILED;
	snprintf(job->reason, sizeof(job->reason), "%s", strerror(error));
}

/* Set build ID and worth of JOB from the headers of its file FD, of SIZE
 * bytes, if that is an ELF file. */
static void identify(struct job *job, int fd, size_t size)
{
	const uint8_t *id;
	size_t id_size;
	void *map = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0)
			 : MAP_FAILED;
	if (map == MAP_FAILED)
		return;
	if (gsym_elf_build_id(map, size, &id, &id_size, NULL) == GSYM_OK &&
	    id_size <= ID) {
		memcpy(job->id, id, id_size);
		job->id_size = id_size;
	}
	if (create_has_debug_info(map, size))
		job->worth = DEBUG_INFO;
	munmap(map, size);
}

/* Set GUID from the name of the folder of PATH.  Stores of symbol files have
 * the form NAME/ID/NAME.sym, where ID is a GUID and an age in hexadecimal.
 * Returns false if the folder has no such name. */
static bool folder_guid(const char *path, uint8_t *guid)
{
	const char *end = strrchr(path, '/'), *at = end;
	while (at && at > path && at[-1] != '/')
		at--;
	size_t length = (size_t)(end - at);
	if (!at || length <= 2 * GUID || length > 2 * GUID + 8 ||
	    strspn(at, "0123456789abcdefABCDEF") != length)
		return false;
	for (int i = 0; i < GUID; i++) {
		char digits[3] = { at[2 * i], at[2 * i + 1], 0 };
		guid[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return true;
}

/* Whether JOB, a symbol file, lies in a folder that is named after another
 * program.  A build ID of an ELF file is compared in both byte orders that the
 * first fields of a GUID may have. */
static bool is_misplaced(const struct job *job)
{
	static const uint8_t swapped[GUID] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10,
					       11, 12, 13, 14, 15 };
	uint8_t guid[GUID], own[GUID] = { 0 };
	bool same = true, other = true;
	if (!job->id_size || !folder_guid(job->input, guid))
		return false;
	memcpy(own, job->id, job->id_size < GUID ? job->id_size : GUID);
	for (int i = 0; i < GUID; i++) {
		same = same && own[i] == guid[i];
		other = other && own[swapped[i]] == guid[i];
	}
	return !same && !other;
}

/* Add a job for the file PATH if it is a Breakpad file; returns true if it
 * is. */
static bool take_symbols(struct tree *t, const char *path)
{
	uint8_t id[ID];
	size_t size;
	enum gsym_status status = gsym_breakpad_identity(
		path, t->create->from, id, &size);
	if (status == GSYM_NOT_FOUND)
		return false;
	if (status == GSYM_ERR_MEMORY)
		die("out of memory");
	/* The conversion will report a file that cannot be read. */
	struct job *job = add_job(t, path);
	memcpy(job->id, id, size);
	job->id_size = size;
	job->worth = SYMBOL_FILE;
	job->misplaced = is_misplaced(job);
	return true;
}

/* Add a job for the file PATH, of SIZE bytes, if it can be converted. */
static void take(struct tree *t, const char *path, size_t size)
{
	uint8_t head[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		fail(add_job(t, path), errno);
		return;
	}
	ssize_t n = file_read_start(fd, head, sizeof(head));
	if (n < 0)
		fail(add_job(t, path), errno);
	else if (take_symbols(t, path))
		;
	else if (t->create->from != GSYM_FROM_BREAKPAD &&
		 gsym_convert_knows(head, (size_t)n))
		identify(add_job(t, path), fd, size);
	else
		t->skipped++;
	close(fd);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Add a job for the file that the symbolic link PATH leads to, unless that file
 * lies in the folder ROOT, whose files get jobs anyway.  Links to folders are
 * ignored, so that there are no loops. */
static void take_link(struct tree *t, const char *path, const char *root)
{
	struct stat st;
	size_t length = strlen(root);
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	char *real = realpath(path, NULL);
	if (real && (strncmp(real, root, length) != 0 ||
		     (real[length] != '/' && root[length - 1] != '/')))
		take(t, path, (size_t)st.st_size);
	free(real);
}

/* Add a job for the file NAME of --files-from to the struct tree CONTEXT. */
static void take_name(void *context, const char *name)
{
	struct tree *t = context;
	struct stat st;

	if (stat(name, &st) < 0)
		fail(add_job(t, name), errno);
	else if (S_ISREG(st.st_mode))
		take(t, name, (size_t)st.st_size);
	else
		t->skipped++;
}

/* create_walk for the folder CREATE->input. */
static void walk_folder(struct tree *t)
{
	const struct create *create = t->create;
	char *const roots[] = { (char *)create->input, NULL };
	const char *output = create->install ? create->install
					     : create->output_dir;
	struct stat out;
	bool there = stat(output, &out) == 0;
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
			    by_name);
	FTSENT *entry;

	char *root = realpath(create->input, NULL);
	if (!fts || !root)
		die("cannot open '%s': %s", create->input, strerror(errno));
	for (errno = 0; (entry = fts_read(fts)); errno = 0) {
		switch (entry->fts_info) {
		case FTS_D:
			if (there && entry->fts_level > 0 &&
			    entry->fts_dev == out.st_dev &&
			    entry->fts_ino == out.st_ino)
				fts_set(fts, entry, FTS_SKIP);
			break;
		case FTS_F:
			if (S_ISREG(entry->fts_statp->st_mode))
				take(t, entry->fts_path,
				     (size_t)entry->fts_statp->st_size);
			break;
		case FTS_SL:
			take_link(t, entry->fts_path, root);
			break;
		case FTS_DNR:
		case FTS_ERR:
		case FTS_NS:
			if (entry->fts_level == 0)
				die("cannot open '%s': %s", create->input,
				    strerror(entry->fts_errno));
			fail(add_job(t, entry->fts_path), entry->fts_errno);
			break;
		}
	}
	if (errno)
		die("cannot read '%s': %s", create->input, strerror(errno));
	fts_close(fts);
	free(root);
}

void create_walk(struct tree *t)
{
	if (t->create->files_from)
		create_each_name(t->create, take_name, t);
	else
		walk_folder(t);
}
