/* SPDX-License-Identifier: MIT */
/* dumpfile elements: a JSON file with the memory that the log described, and
 * programs to be run.  Names from the log are data, never paths or commands. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "common/json.h"
#include "common/must.h"
#include "common/outfile.h"
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

/* TIME_LIMIT: seconds that a program may take.  LOOK: milliseconds between
 * looks at the clock and for signals. */
enum { TIME_LIMIT = 30, LOOK = 250 };

extern char **environ;

static void put_dump(struct out *out, const struct gsym_markup_dump *dump)
{
	struct json json;
	json_init(&json, out);
	json_object(&json, NULL);
	json_array(&json, "modules");
	for (size_t i = 0; i < dump->module_count; i++) {
		const struct gsym_markup_module *module = &dump->modules[i];
		json_object(&json, NULL);
		json_text(&json, "name", module->name,
			   module->name_size);
		json_bytes(&json, "build", module->build_id,
			   module->build_id_size);
		json_number(&json, "id", module->id);
		json_end(&json);
	}
	json_end(&json);
	json_array(&json, "segments");
	for (size_t i = 0; i < dump->segment_count; i++) {
		const struct gsym_markup_segment *segment =
			&dump->segments[i];
		json_object(&json, NULL);
		json_number(&json, "mod", segment->module);
		json_number(&json, "vaddr", segment->start);
		/* A size of 2^64 would be 0 here; no segment has it. */
		json_number(&json, "size",
			    segment->last - segment->start + 1);
		json_string(&json, "flags", segment->mode);
		json_number(&json, "mod_rel_addr", segment->relative);
		json_end(&json);
	}
	json_end(&json);
	json_text(&json, "type", dump->type, dump->type_size);
	json_text(&json, "name", dump->name, dump->name_size);
	json_number(&json, "line", dump->line);
	if (dump->process_size)
		json_text(&json, "process", dump->process,
			   dump->process_size);
	json_end(&json);
}

/* Whether --dumpfile-output names a file that is replaced.  A FIFO must not be
 * opened twice: its reader takes the first close for the end of the file. */
static bool is_replaced(const struct markup *m)
{
	struct stat st;
	return m->dump_path && strcmp(m->dump_path, "-") != 0 &&
	       (stat(m->dump_path, &st) != 0 || S_ISREG(st.st_mode));
}

void markup_dump_start(const struct markup *m)
{
	if (!is_replaced(m))
		return;
	outfile_open(m->dump_path, NULL);
	outfile_abandon();
}

void markup_dump_write(struct markup *m)
{
	if (!m->dump_path)
		return;
	outfile_open(m->dump_path, NULL);
	struct out whole;
	out_init_memory(&whole, false);
	out_text(&whole, "[");
	if (m->dump_count)
		out_bytes(&whole, m->dump_json.buffer, m->dump_json.used);
	out_text(&whole, m->dump_count ? "\n]\n" : "]\n");
	outfile_commit(whole.buffer, whole.used);
	out_fini(&whole);
}

void markup_dump_pause(struct markup *m)
{
	int64_t now = clock_milliseconds();
	/* Only one output file can be open at a time. */
	if (!m->follow || !m->dumps_due || now < m->dumps_time ||
	    (m->pages && pages_is_open(m->pages)) || !is_replaced(m))
		return;
	markup_dump_write(m);
	/* The whole file is written anew: that takes a second for each
	 * megabyte at most. */
	m->dumps_time = clock_milliseconds() + 1000 +
			(int64_t)(m->dump_json.used >> 10);
	m->dumps_due = false;
}

/* The most bytes of the file of --dumpfile-output. */
#define MOST_DUMPS GSYM_LIMIT(32u << 20, 256)

/* Append the object of DUMP to the objects for the file of
 * --dumpfile-output. */
static void record(struct markup *m, const struct gsym_markup_dump *dump)
{
	struct out *all = &m->dump_json;
	if (m->dumps_lost)
		return;
	if (!m->dump_count)
		out_init_memory(all, false);
	out_mark(all);
	out_text(all, m->dump_count++ ? ",\n" : "\n");
	put_dump(all, dump);
	m->dumps_due = true;
	if (out_keep(all) && all->used < MOST_DUMPS)
		return;
	m->dumps_lost = true;
	all->used = all->mark;
	report_note("note: '%s' has no room for dump files from line %" PRIu64
		    " on",
		    m->dump_path, dump->line);
}

/* ---- programs ------------------------------------------------------------ */

/* A program that is running for a dump file. */
struct action_run {
	pid_t child;
	/* Pipes to its standard input and from its standard output; -1 when
	 * they are closed. */
	int to, from;
	/* The rest of the input, which the program has not read yet. */
	const char *input;
	size_t input_size;
	/* The first ANSWER_ROOM bytes of its output. */
	char *answer;
	size_t answer_room, answer_size;
	/* The time when the program is ended; see clock_milliseconds. */
	int64_t deadline;
};

/* NAME, which ends with '=', and SIZE bytes at AT, malloc'ed. */
static char *variable(const char *name, const char *at, size_t size)
{
	size_t length = strlen(name);
	char *text = must_have(malloc(length + size + 1));
	memcpy(text, name, length);
	memcpy(text + length, at, size);
	text[length + size] = 0;
	return text;
}

/* In the child: run PROGRAM.  TYPE and NAME are environment variables. */
_Noreturn static void run_child(const char *program, char *type, char *name,
				int input, int output)
{
	const char *args[] = { program, strchr(type, '=') + 1,
			       strchr(name, '=') + 1, NULL };
	if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
		_exit(127);
	putenv(type);
	putenv(name);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(program, (char *const *)args);
	_exit(127);
}

static void hang_up(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Write input to the program. */
static void give(struct action_run *run)
{
	ssize_t n = write(run->to, run->input, run->input_size);
	if (n > 0) {
		run->input += n;
		run->input_size -= n;
	}
	/* A program need not read its input. */
	if (!run->input_size || (n < 0 && errno != EAGAIN && errno != EINTR))
		hang_up(&run->to);
}

/* Read output of the program. */
static void listen_to(struct action_run *run)
{
	char block[4096];
	ssize_t n = read(run->from, block, sizeof(block));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(&run->from);
		return;
	}
	size_t room = run->answer_room - run->answer_size;
	size_t part = (size_t)n < room ? (size_t)n : room;
	memcpy(run->answer + run->answer_size, block, part);
	run->answer_size += part;
}

/* Whether the program has to be ended. */
static bool time_is_up(const struct action_run *run)
{
	return markup_interrupted() || clock_milliseconds() >= run->deadline;
}

/* Write the input and read the output of the program, until it closes its
 * output and ends; STATUS becomes its status.  False if the program has to be
 * ended before. */
static bool talk(struct action_run *run, int *status)
{
	while (run->from >= 0) {
		struct pollfd both[2] = {
			{ .fd = run->to, .events = POLLOUT },
			{ .fd = run->from, .events = POLLIN },
		};
		if (time_is_up(run))
			return false;
		if (poll(both, 2, LOOK) <= 0)
			continue;
		if (both[0].revents)
			give(run);
		if (both[1].revents)
			listen_to(run);
	}
	hang_up(&run->to);
	for (;;) {
		pid_t ended = waitpid(run->child, status, WNOHANG);
		if (ended == run->child || (ended < 0 && errno != EINTR))
			return true;
		if (time_is_up(run))
			return false;
		poll(NULL, 0, 20);
	}
}

/* The reason why a program failed; NULL if it did not fail. */
static const char *verdict(bool in_time, int status)
{
	if (!in_time)
		return markup_interrupted() ? "was ended by a signal to "
					      "gsym-markup"
					    : "took more than 30 seconds";
	if (WIFSIGNALED(status))
		return "was ended by a signal";
	if (WEXITSTATUS(status) == 127)
		return "cannot be run";
	return WEXITSTATUS(status) ? "failed" : NULL;
}

/* Start PROGRAM for DUMP and set the child and the pipes of RUN; false, with
 * errno set, if that is not possible. */
static bool start(struct action_run *run, const char *program,
		  const struct gsym_markup_dump *dump)
{
	int in[2], answer[2];
	if (!gsym_system_pipe(in, 0))
		return false;
	if (!gsym_system_pipe(answer, 0)) {
		close(in[0]);
		close(in[1]);
		return false;
	}
	char *type = variable("GSYM_DUMP_TYPE=", dump->type, dump->type_size);
	char *name = variable("GSYM_DUMP_NAME=", dump->name, dump->name_size);
	run->child = fork();
	if (run->child == 0)
		run_child(program, type, name, in[0], answer[1]);
	free(type);
	free(name);
	close(in[0]);
	close(answer[1]);
	run->to = in[1];
	run->from = answer[0];
	fcntl(run->to, F_SETFL, O_NONBLOCK);
	return run->child > 0;
}

/* Add the first line of the program's output to the text that is shown. */
static void add_answer(struct markup *m, const struct action_run *run)
{
	const char *text = run->answer;
	size_t size = 0, used = strlen(m->dump_answer);
	while (size < run->answer_size && text[size] && text[size] != '\n' &&
	       text[size] != '\r')
		size++;
	if (size && used)
		used += snprintf(m->dump_answer + used,
				 sizeof(m->dump_answer) - used, " -> ");
	if (size && used < sizeof(m->dump_answer))
		snprintf(m->dump_answer + used,
			 sizeof(m->dump_answer) - used, "%.*s", (int)size,
			 text);
}

static void run_program(struct markup *m, const char *program,
			const struct gsym_markup_dump *dump)
{
	char answer[512], reason[256];
	struct out json;
	const char *why = NULL;
	int status = 0;
	/* Neither arguments nor environment variables can hold NUL. */
	if (memchr(dump->type, 0, dump->type_size) ||
	    memchr(dump->name, 0, dump->name_size)) {
		report_note("note: '%s' is not run for a dump file whose type "
			    "or name holds NUL",
			    program);
		return;
	}
	out_init_memory(&json, false);
	out_mark(&json);
	put_dump(&json, dump);
	out_text(&json, "\n");
	out_keep(&json);
	struct action_run run = {
		.to = -1,
		.from = -1,
		.input = json.buffer,
		.input_size = json.used,
		.answer = answer,
		.answer_room = sizeof(answer),
		.deadline = clock_milliseconds() + TIME_LIMIT * 1000,
	};
	void (*pipe_signal)(int) = signal(SIGPIPE, SIG_IGN);
	if (!start(&run, program, dump)) {
		snprintf(reason, sizeof(reason), "cannot be started: %s",
			 strerror(errno));
		why = reason;
	} else {
		bool in_time = talk(&run, &status);
		if (!in_time) {
			kill(run.child, SIGKILL);
			waitpid(run.child, &status, 0);
		}
		why = verdict(in_time, status);
	}
	hang_up(&run.to);
	hang_up(&run.from);
	signal(SIGPIPE, pipe_signal);
	out_fini(&json);
	if (why)
		report_note("note: '%s', run for a dump file, %s", program,
			    why);
	add_answer(m, &run);
}

const char *markup_dump(void *context, const struct gsym_markup_dump *dump)
{
	struct markup *m = context;
	m->dump_answer[0] = 0;
	if (m->dump_path)
		record(m, dump);
	for (size_t i = 0; i < m->actions.count && !markup_interrupted(); i++) {
		const struct markup_action *action = &m->actions.items[i];
		if (strlen(action->type) != dump->type_size ||
		    memcmp(action->type, dump->type, dump->type_size) != 0)
			continue;
		out_flush(&m->out);
		run_program(m, action->program, dump);
	}
	return m->dump_answer[0] ? m->dump_answer : NULL;
}
