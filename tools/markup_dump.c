/* SPDX-License-Identifier: MIT */
/* dumpfile elements: a JSON file with what was known of memory, and programs
 * to be run.  Names from the log are data, never paths or commands. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/json.h"
#include "common/outfile.h"
#include "common/report.h"
#include "markup.h"

/* Seconds that a program may take. */
enum { TIME_LIMIT = 30 };

extern char **environ;

static void put_string(struct json *json, struct out *out, const char *name,
		       const char *at, size_t size)
{
	/* The empty string makes the place; then its characters. */
	json_string(json, name, "");
	out->used--;
	json_escape(out, at, size);
	out_text(out, "\"");
}

static void put_dump(struct out *out, const struct gsym_markup_dump *dump)
{
	struct json json;
	json_init(&json, out);
	json_object(&json, NULL);
	json_array(&json, "modules");
	for (size_t i = 0; i < dump->module_count; i++) {
		const struct gsym_markup_module *module = &dump->modules[i];
		json_object(&json, NULL);
		put_string(&json, out, "name", module->name,
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
		/* 2^64 itself has no place in the struct; nor does it occur. */
		json_number(&json, "size",
			    segment->last - segment->start + 1);
		json_string(&json, "flags", segment->mode);
		json_number(&json, "mod_rel_addr", segment->relative);
		json_end(&json);
	}
	json_end(&json);
	put_string(&json, out, "type", dump->type, dump->type_size);
	put_string(&json, out, "name", dump->name, dump->name_size);
	json_number(&json, "line", dump->line);
	if (dump->process_size)
		put_string(&json, out, "process", dump->process,
			   dump->process_size);
	json_end(&json);
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

/* ---- programs ------------------------------------------------------------ */

static char *variable(const char *name, const char *at, size_t size)
{
	size_t length = strlen(name);
	char *text = malloc(length + size + 1);
	if (!text)
		die("out of memory");
	memcpy(text, name, length);
	memcpy(text + length, at, size);
	text[length + size] = 0;
	return text;
}

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
	execvp(program, (char *const *)args);
	_exit(127);
}

/* Talk to the child until it closes its output or time is up: write BYTES,
 * keep the first line of what it says. */
static bool talk(struct markup *m, int to, int from, const char *bytes,
		 size_t size)
{
	time_t end = time(NULL) + TIME_LIMIT;
	size_t got = 0;
	char rest[4096];
	for (;;) {
		struct pollfd both[2] = {
			{ .fd = to, .events = POLLOUT },
			{ .fd = from, .events = POLLIN },
		};
		time_t left = end - time(NULL);
		if (left <= 0)
			break;
		if (poll(both, 2, (int)left * 1000) < 0 && errno != EINTR)
			break;
		if (to >= 0 && both[0].revents) {
			ssize_t n = write(to, bytes, size);
			if (n > 0) {
				bytes += n;
				size -= n;
			}
			if ((n < 0 && errno != EAGAIN && errno != EINTR) ||
			    !size) {
				close(to);
				to = -1;
			}
		}
		if (!both[1].revents)
			continue;
		ssize_t n = read(from, rest, sizeof(rest));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0) {
			if (to >= 0)
				close(to);
			m->dump_answer[got] = 0;
			m->dump_answer[strcspn(m->dump_answer, "\r\n")] = 0;
			return n == 0;
		}
		size_t room = sizeof(m->dump_answer) - 1 - got;
		size_t part = (size_t)n < room ? (size_t)n : room;
		memcpy(m->dump_answer + got, rest, part);
		got += part;
	}
	if (to >= 0)
		close(to);
	m->dump_answer[0] = 0;
	return false;
}

static void run_program(struct markup *m, const char *program,
			const struct gsym_markup_dump *dump)
{
	int in[2], answer[2], status = 0;
	struct out json;
	if (memchr(dump->type, 0, dump->type_size) ||
	    memchr(dump->name, 0, dump->name_size)) {
		warn("note: '%s' is not run for a name that holds NUL",
		     program);
		return;
	}
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0) {
		warn("note: cannot run '%s': %s", program, strerror(errno));
		return;
	}
	char *type = variable("GSYM_DUMP_TYPE=", dump->type, dump->type_size);
	char *name = variable("GSYM_DUMP_NAME=", dump->name, dump->name_size);
	out_init_memory(&json, false);
	put_dump(&json, dump);
	out_text(&json, "\n");
	void (*pipe_signal)(int) = signal(SIGPIPE, SIG_IGN);
	pid_t child = fork();
	if (child == 0)
		run_child(program, type, name, in[0], answer[1]);
	close(in[0]);
	close(answer[1]);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	if (child > 0) {
		bool done = talk(m, in[1], answer[0], json.buffer, json.used);
		if (!done)
			kill(child, SIGKILL);
		/* It closed its output; what it does then is waited for as
		 * long as for its words. */
		for (int i = 0; done && i < TIME_LIMIT * 20; i++) {
			if (waitpid(child, &status, WNOHANG) == child) {
				child = 0;
				break;
			}
			poll(NULL, 0, 50);
		}
		if (child) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
		}
		if (status)
			warn("note: '%s' failed for a dump file", program);
	} else {
		close(in[1]);
	}
	close(answer[0]);
	signal(SIGPIPE, pipe_signal);
	out_fini(&json);
	free(type);
	free(name);
}

const char *markup_dump(void *context, const struct gsym_markup_dump *dump)
{
	struct markup *m = context;
	m->dump_answer[0] = 0;
	if (m->dump_path) {
		if (!m->dump_count++)
			out_init_memory(&m->dump_json, false);
		else
			out_text(&m->dump_json, ",");
		out_text(&m->dump_json, "\n");
		put_dump(&m->dump_json, dump);
		if (m->follow)
			markup_dump_write(m);
	}
	for (size_t i = 0; i < m->action_count; i++) {
		const struct markup_action *action = &m->actions[i];
		if (strlen(action->type) != dump->type_size ||
		    memcmp(action->type, dump->type, dump->type_size) != 0)
			continue;
		out_flush(&m->out);
		run_program(m, action->program, dump);
	}
	return m->dump_answer[0] ? m->dump_answer : NULL;
}
