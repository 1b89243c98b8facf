/* SPDX-License-Identifier: MIT */
/*
 * create/tree.c - gsym-create --recursive: converts all programs of a folder.
 *
 * Which files are programs, and which belong to one program, the contents of a
 * file decide, never its name.
 *
 * Each file is converted in a process of its own, so that a crash or a lack of
 * memory costs that file only.  As many processes run at once as --num-threads
 * allows.  Their messages are collected, and written in the end in the order
 * of the names.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
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
#include "common/out.h"
#include "common/report.h"
#include "create/create.h"

/* ---- files and the outcome of each --------------------------------------- */

/* Sizes in bytes: the text of a failure; the longest build ID. */
enum { REASON = 512, ID = 64 };

/* The outcome of a file. */
enum outcome {
	WAITING, /* not converted yet */
	CONVERTED,
	DIFFERENT, /* converted, and --verify found a difference */
	KEPT,	   /* its output exists already */
	SAME,	   /* another file of the same program is installed */
	EMPTY,	   /* it has no functions */
	FAILED,
	OUTCOMES
};

/* A file of the folder. */
struct job {
	char *input;
	/* The path of the output; NULL with --install. */
	char *output;
	enum outcome outcome;
	/* Its conversion was started. */
	bool tried;
	/* --install: no file of its program was installed or kept before. */
	bool first;
	/* The build ID; a size of 0: it is not known. */
	uint8_t id[ID];
	size_t id_size;
	/* The ID of its file, see create_file_id, if it is KNOWN. */
	bool file_id_known;
	uint8_t file_id[FILE_ID];
	/* The kind of information about its program in the file.  Of several
	 * files of one program the one with the highest value is installed. */
	enum { BARE, SYMBOL_FILE, DEBUG_INFO } worth;
	/* A Breakpad file in a folder that is named after another program. */
	bool misplaced;
	/* The messages of its process; in the end the reason of a failure, a
	 * difference, or damage in a file that was converted all the same. */
	char reason[REASON];
	/* Bytes of REASON in use. */
	size_t said;
};

/* A process. */
struct worker {
	pid_t pid;   /* 0: none is running */
	int errors;  /* the read end of its standard error */
	struct job *job;
};

/* All files of the folder. */
struct tree {
	const struct create *create;
	GSYM_VEC(struct job);
	/* Files that are neither programs nor debug files. */
	size_t skipped;
	/* The number of jobs with each outcome. */
	uint64_t outcomes[OUTCOMES];
	/* The processes. */
	struct worker *workers;
	unsigned worker_count;
};

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

/* Mark JOB as failed because its process ended by itself, with the wait
 * STATUS. */
static void fail_ended(struct job *job, int status)
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

/* Look at the program FD. */
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

/* Look at the open file FD, which is PATH. */
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
	status = create->from != GSYM_FROM_BREAKPAD && n >= 4 &&
				 memcmp(head, "\177ELF", 4) == 0
			 ? GSYM_NOT_FOUND
			 : gsym_breakpad_identity(path, create->from, look->id,
						  &look->id_size);
	look->error = ENOMEM;
	if (status == GSYM_ERR_MEMORY) {
		look->kind = UNREADABLE;
	} else if (status != GSYM_NOT_FOUND) {
		/* The conversion will report a file that cannot be read. */
		look->kind = SYMBOLS;
	} else if (create->from != GSYM_FROM_BREAKPAD &&
		   gsym_convert_knows(head, (size_t)n)) {
		look_at_program(look, fd);
		look->kind = PROGRAM;
	} else {
		look->kind = OTHER;
	}
}

/* Memory of SIZE zero bytes that is shared with processes which are started
 * later, for munmap.  Dies. */
static void *shared_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED);
	return p;
}

/* Call LOOK with CONTEXT and each index below COUNT, in a process of its own:
 * mapped files may be cut short at any time, and a file that ends the process
 * costs no other file.  What LOOK finds out has to be in shared memory.  Call
 * ENDED with the wait status for an index whose LOOK ended the process. */
static void look_apart(const struct create *create, size_t count,
		       void (*look)(void *context, size_t index),
		       void (*ended)(void *context, size_t index, int status),
		       void *context)
{
	size_t *at = shared_memory(sizeof(*at)), next = 0;
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
		fail_ended(job, look->error);
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

/* Add jobs for the files of B. */
static void take_batch(struct batch *b)
{
	memset(b->looks, 0, sizeof(*b->looks) * BATCH);
	look_apart(b->tree->create, b->count, look_at_file, note_ended, b);
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

/* find_jobs for the folder CREATE->input. */
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

/* Add a job for each file of the folder that can be converted, in the order of
 * the names, or for each file of --files-from.  The output folder is skipped.
 * Dies if the folder or the list cannot be read. */
static void find_jobs(struct tree *t)
{
	struct batch b = { .tree = t };
	size_t size = sizeof(*b.looks) * BATCH;

	b.looks = shared_memory(size);
	if (t->create->files_from)
		create_each_name(t->create, take_name, &b);
	else
		walk_folder(&b);
	take_batch(&b);
	munmap(b.looks, size);
}

/* ---- which files to convert ---------------------------------------------- */

/* Order jobs by build ID, then the most valuable file of a program first, then
 * by name. */
static int by_program(const void *a, const void *b)
{
	const struct job *x = *(struct job *const *)a;
	const struct job *y = *(struct job *const *)b;
	size_t least = x->id_size < y->id_size ? x->id_size : y->id_size;
	int order = memcmp(x->id, y->id, least);
	if (!order)
		order = (x->id_size > y->id_size) - (x->id_size < y->id_size);
	if (!order)
		order = (y->worth > x->worth) - (y->worth < x->worth);
	return order ? order : (x > y) - (x < y);
}

/* Files of one program have one place to be installed.  For each program leave
 * one file WAITING, the most valuable one of those that were not converted yet,
 * and mark the others SAME.  With --replace=better all files of a program are
 * converted, one after the other, because only the result tells which is the
 * best; otherwise the first that does not fail settles the program.  Returns
 * whether any job is WAITING. */
static bool choose(struct tree *t)
{
	struct job **jobs = must_have(calloc(t->count + 1, sizeof(*jobs)));
	bool settled = false, any = false, installed = false;
	bool all = t->create->replace == REPLACE_BETTER;
	for (size_t i = 0; i < t->count; i++)
		jobs[i] = &t->items[i];
	qsort(jobs, t->count, sizeof(*jobs), by_program);
	for (size_t i = 0; i < t->count; i++) {
		struct job *job = jobs[i];
		if (!i || !job->id_size ||
		    job->id_size != jobs[i - 1]->id_size ||
		    memcmp(job->id, jobs[i - 1]->id, job->id_size) != 0)
			settled = installed = false;
		if (job->outcome == FAILED || job->outcome == EMPTY)
			continue;
		if (!job->tried &&
		    (job->outcome == WAITING || job->outcome == SAME)) {
			job->outcome = settled ? SAME : WAITING;
			job->first = !installed;
			any = any || !settled;
			settled = true;
		}
		installed = true;
		settled = settled || !all;
	}
	free(jobs);
	return any;
}

/* The outputs of the jobs of a tree. */
struct outputs {
	struct tree *tree;
	/* By job: the path; NULL: no matter whether it is there. */
	char **names;
	/* Whether a GSYM file with the job's build ID is there; shared. */
	uint8_t *there;
};

static void look_for_output(void *context, size_t index)
{
	struct outputs *o = context;
	const struct job *job = &o->tree->items[index];
	const char *name = o->names[index];
	struct gsym_reader *reader;
	struct gsym_header header;

	if (!name || !job->id_size || gsym_open(name, &reader, NULL) != GSYM_OK)
		return;
	gsym_get_header(reader, &header);
	o->there[index] = gsym_uuid_matches(header.uuid, header.uuid_size,
					    job->id, job->id_size);
	gsym_close(reader);
}

/* A file that was cut short while it was looked at is not there. */
static void forget_output(void *context, size_t index, int status)
{
	struct outputs *o = context;

	(void)status;
	o->there[index] = false;
}

/* The path of the output of JOB, malloc'ed, if it is converted only where there
 * is no output yet; else NULL.  Without --install it is JOB->output, too. */
static char *plan_output(const struct create *create, struct job *job)
{
	const char *rest = job->input + strlen(create->input);

	if (job->outcome != WAITING)
		return NULL;
	if (create->install)
		return job->id_size > 1 && create->replace == REPLACE_NEVER
			       ? path_build_id(create->install, job->id,
					    job->id_size, ".debug.gsym")
			       : NULL;
	rest += strspn(rest, "/");
	/* INPUT itself is a file. */
	if (!*rest)
		rest = path_base(job->input);
	job->output = path_print("%s/%s.gsym", create->output_dir, rest);
	return must_have(strdup(job->output));
}

/* Find out where each job's output goes, and whether it is there already. */
static void plan(struct tree *t)
{
	const struct create *create = t->create;
	struct outputs o = { .tree = t };
	size_t size = (t->count + 1) * sizeof(*o.there);

	if (create->install)
		choose(t);
	o.names = must_have(calloc(t->count + 1, sizeof(*o.names)));
	o.there = shared_memory(size);
	for (size_t i = 0; i < t->count; i++)
		o.names[i] = plan_output(create, &t->items[i]);
	look_apart(create, t->count, look_for_output, forget_output, &o);
	for (size_t i = 0; i < t->count; i++) {
		if (o.there[i]) {
			t->items[i].outcome = KEPT;
			create_link_release(create, t->items[i].input,
					    o.names[i]);
		}
		free(o.names[i]);
	}
	free(o.names);
	munmap(o.there, size);
}

/* ---- the processes ------------------------------------------------------- */

/* In the new process: convert JOB on THREADS threads, with messages to
 * ERRORS, and exit.  PARENT is the process that reads them. */
static _Noreturn void work(const struct tree *t, const struct job *job,
			   int errors, unsigned threads, pid_t parent)
{
	struct create create = *t->create;
	int nothing = open("/dev/null", O_RDONLY);

	/* End when PARENT ends, in any way. */
	gsym_system_end_with_parent(SIGTERM);
	if (getppid() != parent)
		_exit(STATUS_ERROR);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(errors, STDERR_FILENO) < 0)
		_exit(STATUS_ERROR);
	sandbox_narrow(&create.sandbox, SANDBOX_WRITE);
	create.input = job->input;
	create.output = job->output;
	create.in_tree = true;
	report_set_quiet();
	create.json = create.verbose = false;
	create.threads = threads;
	create_report_failures(&create);
	if (create_all(&create))
		exit(STATUS_NO);
	exit(create.kept ? CREATE_KEPT : STATUS_DONE);
}

/* Start a process W for JOB, which uses THREADS threads. */
static void start_worker(struct tree *t, struct worker *w, struct job *job,
			 unsigned threads)
{
	pid_t parent = getpid();
	int ends[2];
	if (!gsym_system_pipe(ends, 0))
		die("cannot make a pipe: %s", strerror(errno));
	w->pid = fork();
	if (w->pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (w->pid == 0)
		work(t, job, ends[1], threads, parent);
	close(ends[1]);
	w->errors = ends[0];
	w->job = job;
	job->tried = true;
}

/* Reduce the messages of JOB's process to the first line, without the name of
 * the tool. */
static void tidy_reason(struct job *job)
{
	const char *tool = report_tool();
	size_t head = strlen(tool);
	job->reason[job->said] = 0;
	job->reason[strcspn(job->reason, "\n")] = 0;
	if (strncmp(job->reason, tool, head) == 0 &&
	    strncmp(job->reason + head, ": ", 2) == 0)
		memmove(job->reason, job->reason + head + 2,
			strlen(job->reason + head + 2) + 1);
}

/* Wait for the end of the process W, and set the outcome of its job. */
static void finish(const struct tree *t, struct worker *w)
{
	struct job *job = w->job;
	int status;

	close(w->errors);
	while (waitpid(w->pid, &status, 0) < 0)
		if (errno != EINTR)
			die("cannot wait for a process: %s", strerror(errno));
	w->pid = 0;
	tidy_reason(job);
	if (WIFSIGNALED(status) || WEXITSTATUS(status) > OUTFILE_SIGNAL) {
		fail_ended(job, status);
		create_note_outcome(t->create, job->input, "failed",
				    job->reason);
		return;
	}
	switch (WEXITSTATUS(status)) {
	case STATUS_DONE:
		job->outcome = CONVERTED;
		break;
	case STATUS_NO:
		job->outcome = DIFFERENT;
		break;
	case CREATE_EMPTY:
		job->outcome = EMPTY;
		break;
	case CREATE_KEPT:
		job->outcome = job->first ? KEPT : SAME;
		break;
	default:
		job->outcome = FAILED;
		if (!job->reason[0])
			strcpy(job->reason, "no reason was given");
	}
}

/* Read messages of the process W; those that exceed REASON are dropped.
 * Returns false if W has closed its standard error, as it does in the end. */
static bool read_messages(struct worker *w)
{
	struct job *job = w->job;
	char rest[256];
	size_t room = sizeof(job->reason) - 1 - job->said;
	ssize_t n = room ? read(w->errors, job->reason + job->said, room)
			 : read(w->errors, rest, sizeof(rest));
	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	if (room)
		job->said += (size_t)n;
	return true;
}

/* Wait until a process has written a message or ended.  FDS has room for an
 * entry for each worker; *DONE counts the processes that have ended. */
static void wait_for_any(struct tree *t, struct pollfd *fds, uint64_t *done)
{
	for (unsigned i = 0; i < t->worker_count; i++)
		fds[i] = (struct pollfd){
			.fd = t->workers[i].pid ? t->workers[i].errors : -1,
			.events = POLLIN,
		};
	if (poll(fds, t->worker_count, -1) < 0 && errno != EINTR)
		die("cannot wait for processes: %s", strerror(errno));
	for (unsigned i = 0; i < t->worker_count; i++)
		if (t->workers[i].pid && fds[i].revents &&
		    !read_messages(&t->workers[i])) {
			finish(t, &t->workers[i]);
			++*done;
		}
}

/* Convert all jobs that are WAITING. */
static void convert_all(struct tree *t)
{
	uint64_t total = 0, done = 0;
	size_t next = 0;
	unsigned running, threads = 1;
	struct pollfd *fds;

	for (size_t i = 0; i < t->count; i++)
		total += t->items[i].outcome == WAITING;
	t->worker_count = t->create->threads;
	if (total && total < t->worker_count) {
		threads = (unsigned)(t->worker_count / total);
		t->worker_count = (unsigned)total;
	}
	t->workers = must_have(calloc(t->worker_count, sizeof(*t->workers)));
	fds = must_have(calloc(t->worker_count, sizeof(*fds)));
	report_work("converting");
	do {
		running = 0;
		for (unsigned i = 0; i < t->worker_count; i++) {
			while (!t->workers[i].pid && next < t->count) {
				struct job *job = &t->items[next++];
				if (job->outcome == WAITING)
					start_worker(t, &t->workers[i], job,
						     threads);
			}
			running += t->workers[i].pid != 0;
		}
		if (running)
			wait_for_any(t, fds, &done);
		report_work_done(done, total);
	} while (running);
	report_work_end();
	free(t->workers);
	free(fds);
}

/* ---- the report ---------------------------------------------------------- */

static const char *const outcome_names[OUTCOMES] = {
	[CONVERTED] = "converted",
	[DIFFERENT] = "different",
	[KEPT] = "kept",
	[SAME] = "same",
	[EMPTY] = "empty",
	[FAILED] = "failed",
};

/* Whether JOB was converted, but its file is damaged. */
static bool is_damaged(const struct job *job)
{
	return job->tried && job->reason[0] &&
	       (job->outcome == CONVERTED || job->outcome == KEPT ||
		job->outcome == SAME);
}

static void json_report(const struct tree *t)
{
	const struct create *create = t->create;
	struct out out;
	struct json json;

	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	json_init(&json, &out);
	json_object(&json, NULL);
	json_string(&json, "input", create->input);
	json_string(&json, "output", create->install ? create->install
						     : create->output_dir);
	for (int i = CONVERTED; i < OUTCOMES; i++)
		json_number(&json, outcome_names[i], t->outcomes[i]);
	json_number(&json, "skipped", t->skipped);
	json_array(&json, "files");
	for (size_t i = 0; i < t->count; i++) {
		const struct job *job = &t->items[i];
		json_object(&json, NULL);
		json_string(&json, "input", job->input);
		json_string(&json, "outcome", outcome_names[job->outcome]);
		if (job->outcome == FAILED || job->outcome == DIFFERENT)
			json_string(&json, "reason", job->reason);
		if (is_damaged(job))
			json_string(&json, "warning", job->reason);
		if (job->misplaced)
			json_bool(&json, "misplaced", true);
		json_end(&json);
	}
	json_end(&json);
	json_end_line(&json);
	out_fini(&out);
}

static void text_report(const struct tree *t)
{
	const uint64_t *n = t->outcomes;
	uint64_t damaged = 0;
	struct out out;

	for (size_t i = 0; i < t->count; i++)
		damaged += is_damaged(&t->items[i]);
	out_init(&out, STDERR_FILENO, "standard error", OUT_COLOUR_AUTO);
	out_bold(&out);
	out_foreign(&out, t->create->input);
	out_plain(&out);
	out_printf(&out, ": %" PRIu64 " converted, %" PRIu64 " kept",
		   n[CONVERTED] + n[DIFFERENT], n[KEPT]);
	if (n[SAME])
		out_printf(&out, ", %" PRIu64 " the same as others", n[SAME]);
	if (n[EMPTY])
		out_printf(&out, ", %" PRIu64 " without functions", n[EMPTY]);
	if (t->create->verify)
		out_printf(&out, ", %" PRIu64 " with differences",
			   n[DIFFERENT]);
	if (damaged)
		out_printf(&out, ", %" PRIu64 " damaged", damaged);
	out_printf(&out, ", %" PRIu64 " failed\n", n[FAILED]);
	out_fini(&out);
}

/* Link what is installed for the program of JOB by the ID of the file, which no
 * conversion has done. */
static void link_file_id(const struct tree *t, const struct job *job)
{
	bool converted = job->tried && job->outcome != EMPTY;

	if (t->create->install && job->file_id_known && job->id_size > 1 &&
	    !converted && job->outcome != FAILED)
		create_link_file_id(t->create, job->id, job->id_size,
				    job->file_id);
}

int create_tree(const struct create *create)
{
	struct tree t = { .create = create };

	find_jobs(&t);
	plan(&t);
	do
		convert_all(&t);
	while (create->install && choose(&t));
	for (size_t i = 0; i < t.count; i++)
		t.outcomes[t.items[i].outcome]++;
	if (create->json)
		json_report(&t);
	else if (!report_is_quiet())
		text_report(&t);
	for (size_t i = 0; i < t.count; i++) {
		const struct job *job = &t.items[i];
		link_file_id(&t, job);
		if (!job->tried)
			create_note_outcome(create, job->input,
					    outcome_names[job->outcome],
					    job->reason[0] ? job->reason
							   : NULL);
		if (job->outcome == FAILED || job->outcome == DIFFERENT)
			warn("'%s': %s", job->input, job->reason);
		if (is_damaged(job))
			report_note("warning: '%s': %s", job->input,
				    job->reason);
		if (job->misplaced)
			report_note(
				"warning: '%s': it belongs to another program "
				"than the name of its folder says",
				job->input);
		free(job->input);
		free(job->output);
	}
	gsym_vec_fini(&t);
	return t.outcomes[FAILED]      ? STATUS_ERROR
	       : t.outcomes[DIFFERENT] ? STATUS_NO
				       : STATUS_DONE;
}
