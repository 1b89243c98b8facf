/* SPDX-License-Identifier: MIT */
/*
 * create/tree.c - gsym-create --recursive: converts all programs of a folder.
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
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "create/tree.h"

/* A process. */
struct worker {
	pid_t pid;   /* 0: none is running */
	int errors;  /* the read end of its standard error */
	struct job *job;
};

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
	o.there = create_shared(size);
	for (size_t i = 0; i < t->count; i++)
		o.names[i] = plan_output(create, &t->items[i]);
	create_look(create, t->count, look_for_output, forget_output, &o);
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
		create_fail_ended(job, status);
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

	create_walk(&t);
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
