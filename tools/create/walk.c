/* SPDX-License-Identifier: MIT */
/*
 * create/walk.c - finds the files of a folder that gsym-create --recursive
 * converts, and the programs that they belong to.  Both are decided by the
 * contents of a file, never by its name.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gsym/program.h>

#include "base/system.h"
#include "base/text.h"
#include "common/file.h"
#include "common/report.h"
#include "create/tree.h"

/* The size of a GUID in bytes. */
enum { GUID = 16 };

static struct job *add_job(struct tree *t, const char *input)
{
	struct job *job = must_push(t);

	*job = (struct job){ .input = must_have(strdup(input)) };
	return job;
}

/* Mark JOB as failed because of ERROR, an errno. */
static void fail(struct job *job, int error)
{
	job->outcome = FAILED;
	snprintf(job->reason, sizeof(job->reason), "%s", strerror(error));
}

void create_fail_ended(struct job *job, int status)
{
	job->outcome = FAILED;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS)
		snprintf(job->reason, sizeof(job->reason),
			 "a file was cut short while it was read");
	else
		snprintf(job->reason, sizeof(job->reason),
			 "its conversion was ended by signal %d",
			 WIFSIGNALED(status)
				 ? WTERMSIG(status)
				 : WEXITSTATUS(status) - OUTFILE_SIGNAL);
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
	return gsym_digits_read(guid, at, GUID);
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

/* ---- what a file is ------------------------------------------------------ */

/* What was found out about a file. */
struct look {
	enum {
		OTHER, /* neither a program nor a debug file */
		PROGRAM,
		SYMBOLS,
		UNREADABLE,
		ENDED /* the look ended the process */
	} kind;
	int error; /* an errno; of ENDED the status of the process */
	uint8_t id[ID];
	size_t id_size;
	bool file_id_known;
	uint8_t file_id[FILE_ID];
	bool debug_info;
};

enum { BATCH = 256 };

/* The files that are looked at next. */
struct batch {
	struct tree *tree;
	char *names[BATCH];
	size_t count;
	/* Memory that is shared with the processes that look. */
	struct look *looks;
};

static void look_at_program(struct look *look, int fd)
{
	const uint8_t *id;
	size_t id_size, size;
	const uint8_t *map = gsym_fd_map(fd, &size);
	if (!map)
		return;
	if (gsym_elf_build_id(map, size, &id, &id_size, NULL) == GSYM_OK &&
	    id_size <= ID) {
		memcpy(look->id, id, id_size);
		look->id_size = id_size;
	}
	look->debug_info = create_has_debug_info(map, size);
	look->file_id_known = create_file_id(map, size, look->file_id);
	/* A program without a build ID is installed by the ID of its file. */
	if (!look->id_size && look->file_id_known) {
		memcpy(look->id, look->file_id, FILE_ID);
		look->id_size = FILE_ID;
	}
	gsym_fd_unmap(map, size);
}

static void look_at(const struct create *create, struct look *look, int fd,
		    const char *path)
{
	uint8_t head[64];
	struct stat st;
	enum gsym_status status;
	ssize_t n = fstat(fd, &st) < 0
			    ? -1
			    : gsym_fd_read_at(fd, head, sizeof(head), 0);

	if (n < 0) {
		look->error = errno;
		look->kind = UNREADABLE;
		return;
	}
	/* Another file may have taken its place. */
	if (!S_ISREG(st.st_mode)) {
		look->kind = OTHER;
		return;
	}
	/* Whether a file is a Breakpad file takes a read of 128 KiB, and each
	 * ELF file would pay for it. */
	status = create->convert.from != GSYM_FROM_BREAKPAD && n >= 4 &&
				 memcmp(head, "\177ELF", 4) == 0
			 ? GSYM_NOT_FOUND
			 : gsym_breakpad_identity(path, create->convert.from,
						  look->id, &look->id_size);
	look->error = ENOMEM;
	if (status == GSYM_ERR_MEMORY) {
		look->kind = UNREADABLE;
	} else if (status != GSYM_NOT_FOUND) {
		/* The conversion will report a file that cannot be read. */
		look->kind = SYMBOLS;
	} else if (create->convert.from != GSYM_FROM_BREAKPAD &&
		   gsym_convert_knows(head, (size_t)n)) {
		look_at_program(look, fd);
		look->kind = PROGRAM;
	} else {
		look->kind = OTHER;
	}
}

void *create_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED);
	return p;
}

void create_look(const struct create *create, size_t count,
		 void (*look)(void *context, size_t index),
		 void (*ended)(void *context, size_t index, int status),
		 void *context)
{
	size_t *at = create_shared(sizeof(*at)), next = 0;
	pid_t parent = getpid(), child;
	int status;

	while (next < count) {
		child = fork();
		if (child < 0)
			die("cannot start a process: %s", strerror(errno));
		if (child == 0) {
			gsym_system_end_with_parent(SIGTERM);
			report_leave_limits();
			sandbox_narrow(&create->sandbox, 0);
			for (; *at < count && getppid() == parent; ++*at)
				look(context, *at);
			_exit(0);
		}
		while (waitpid(child, &status, 0) < 0)
			if (errno != EINTR)
				die("cannot wait for a process: %s",
				    strerror(errno));
		/* A file may have taken the process over, which then wrote
		 * anything to *AT. */
		next = *at < next ? next : *at;
		if (next < count)
			ended(context, next++, status);
		*at = next;
	}
	munmap(at, sizeof(*at));
}

/* Look at file INDEX of the struct batch CONTEXT. */
static void look_at_file(void *context, size_t index)
{
	struct batch *b = context;
	struct look *look = &b->looks[index];
	int fd = gsym_fd_open(b->names[index],
			      O_RDONLY | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0) {
		look_at(b->tree->create, look, fd, b->names[index]);
		close(fd);
	} else {
		look->error = errno;
		look->kind = UNREADABLE;
	}
}

static void note_ended(void *context, size_t index, int status)
{
	struct batch *b = context;

	b->looks[index].kind = ENDED;
	b->looks[index].error = status;
}

/* Add a job for the file NAME, at which LOOK was. */
static void take_look(struct tree *t, const char *name, const struct look *look)
{
	struct job *job;

	if (look->kind == OTHER) {
		t->skipped++;
		return;
	}
	job = add_job(t, name);
	if (look->kind == ENDED) {
		create_fail_ended(job, look->error);
		return;
	}
	if (look->kind == UNREADABLE) {
		fail(job, look->error);
		return;
	}
	/* The process that looked may have been taken over by a file. */
	job->id_size = look->id_size <= ID ? look->id_size : 0;
	memcpy(job->id, look->id, job->id_size);
	job->file_id_known = look->file_id_known;
	memcpy(job->file_id, look->file_id, FILE_ID);
	if (look->kind == SYMBOLS) {
		job->worth = SYMBOL_FILE;
		job->misplaced = is_misplaced(job);
	} else if (look->debug_info) {
		job->worth = DEBUG_INFO;
	}
}

static void take_batch(struct batch *b)
{
	memset(b->looks, 0, sizeof(*b->looks) * BATCH);
	create_look(b->tree->create, b->count, look_at_file, note_ended, b);
	for (size_t i = 0; i < b->count; i++) {
		take_look(b->tree, b->names[i], &b->looks[i]);
		free(b->names[i]);
	}
	b->count = 0;
}

/* Add a job for the file PATH if it can be converted. */
static void take(struct batch *b, const char *path)
{
	b->names[b->count] = must_have(strdup(path));
	b->count++;
	if (b->count == BATCH)
		take_batch(b);
}

/* Add a job for the file PATH, which cannot be looked at because of ERROR. */
static void take_failure(struct batch *b, const char *path, int error)
{
	take_batch(b);
	fail(add_job(b->tree, path), error);
}

/* ---- the folder ---------------------------------------------------------- */

/* Add a job for the file that the symbolic link PATH leads to, unless that file
 * lies in the folder ROOT, whose files get jobs anyway.  Links to folders are
 * ignored, so that there are no loops. */
static void take_link(struct batch *b, const char *path, const char *root)
{
	struct stat st;
	size_t length = strlen(root);
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	char *real = realpath(path, NULL);
	if (real && (strncmp(real, root, length) != 0 ||
		     (real[length] != '/' && root[length - 1] != '/')))
		take(b, path);
	free(real);
}

/* Add a job for the file NAME of --files-from to the struct batch CONTEXT. */
static void take_name(void *context, const char *name)
{
	struct batch *b = context;
	struct stat st;

	if (stat(name, &st) < 0)
		take_failure(b, name, errno);
	else if (S_ISREG(st.st_mode))
		take(b, name);
	else
		b->tree->skipped++;
}

/* create_walk for the folder CREATE->input. */
static void walk_folder(struct batch *b)
{
	const struct create *create = b->tree->create;
	const char *output = create->install ? create->install
					     : create->output_dir;
	struct stat out;
	bool there = stat(output, &out) == 0;
	const struct walk_entry *entry;
	struct walk *walk;
	char *root = realpath(create->input, NULL);

	if (!root)
		die("cannot open '%s': %s", create->input, strerror(errno));
	walk = path_walk_open(create->input);
	while ((entry = path_walk_next(walk))) {
		switch (entry->kind) {
		case WALK_FOLDER:
			if (there && entry->level > 0 &&
			    file_same(&entry->st, &out))
				path_walk_skip(walk);
			break;
		case WALK_FILE:
			take(b, entry->path);
			break;
		case WALK_LINK:
			take_link(b, entry->path, root);
			break;
		case WALK_FAILED:
			if (entry->level == 0)
				die("cannot open '%s': %s", create->input,
				    strerror(entry->error));
			take_failure(b, entry->path, entry->error);
			break;
		case WALK_OTHER:
			break;
		}
	}
	path_walk_close(walk);
	free(root);
}

void create_walk(struct tree *t)
{
	struct batch b = { .tree = t };
	size_t size = sizeof(*b.looks) * BATCH;

	b.looks = create_shared(size);
	if (t->create->files_from)
		create_each_name(t->create, take_name, &b);
	else
		walk_folder(&b);
	take_batch(&b);
	munmap(b.looks, size);
}
