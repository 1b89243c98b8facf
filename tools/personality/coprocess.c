/* SPDX-License-Identifier: MIT */
/*
 * personality/coprocess.c - llvm-symbolizer beside this program, for lines
 * whose module --fallback=exec leaves to it.  It gets one line at a time.  Its
 * answer is handed on as it is.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/path.h"
#include "common/report.h"
#include "personality/personality.h"

enum {
	/* Milliseconds in which an answer has to go on. */
	PATIENCE = 60000,
	BLOCK = 64 << 10,
};

static struct {
	pid_t pid;
	/* Pipes to its standard input and from its standard output; -1: the
	 * process has ended, or could not be started. */
	int to, from;
	bool started;
	char *answer;
	size_t size, capacity;
} process;

/* Append TEXT, and free it. */
static void add(struct arguments *a, char *text)
{
	arguments_add(a, text, strlen(text));
	free(text);
}

/* The arguments that make the answers of the program like those of S. */
static struct arguments arguments_of(const struct settings *s)
{
	static const char *const names[] = { "none", "short", "linkage" };
	const struct {
		bool on;
		const char *option;
	} flags[] = {
		{ true, s->style == STYLE_JSON ? "--output-style=JSON"
					       : "--output-style=LLVM" },
		{ true, s->inlines ? "--inlines" : "--no-inlines" },
		{ true, s->demangle ? "--demangle" : "--no-demangle" },
		{ s->addresses, "--addresses" },
		{ s->basenames, "--basenames" },
		{ s->pretty, "--pretty-print" },
		{ s->relative, "--relative-address" },
		{ s->skip_zero, "--skip-line-zero" },
		{ s->verbose, "--verbose" },
	};
	struct arguments a = { 0 };
	arguments_add(&a, s->program, strlen(s->program));
	add(&a, path_print("--functions=%s", names[s->names]));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].on)
			arguments_add(&a, flags[i].option,
				      strlen(flags[i].option));
	if (s->adjust)
		add(&a, path_print("--adjust-vma=%" PRIu64, s->adjust));
	if (s->context_lines)
		add(&a, path_print("--print-source-context-lines=%" PRIu64,
				   s->context_lines));
	return a;
}

static _Noreturn void run_child(const char *path, const struct arguments *a,
				int from, int to)
{
	int null = open("/dev/null", O_WRONLY);
	dup2(from, STDIN_FILENO);
	dup2(to, STDOUT_FILENO);
	/* Some clients never read messages. */
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	if (real_mark())
		execv(path, a->items);
	_exit(127);
}

/* Run PATH with the arguments A. */
static void run(const char *path, const struct arguments *a)
{
	int lines[2], answers[2];
	if (pipe2(lines, O_CLOEXEC) != 0)
		return;
	if (pipe2(answers, O_CLOEXEC) != 0) {
		close(lines[0]);
		close(lines[1]);
		return;
	}
	process.pid = fork();
	if (process.pid == 0)
		run_child(path, a, lines[0], answers[1]);
	close(lines[0]);
	close(answers[1]);
	process.to = lines[1];
	process.from = answers[0];
}

static void start(const struct settings *s)
{
	char *path = real_program(s);
	struct arguments a = arguments_of(s);
	process.started = true;
	process.to = process.from = -1;
	if (path)
		run(path, &a);
	arguments_free(&a);
	free(path);
}

void coprocess_end(void)
{
	if (process.started && process.to >= 0) {
		close(process.to);
		close(process.from);
		if (process.pid > 0)
			kill(process.pid, SIGTERM);
		while (process.pid > 0 && waitpid(process.pid, NULL, 0) < 0 &&
		       errno == EINTR)
			;
	}
	free(process.answer);
	process.answer = NULL;
	process.size = process.capacity = 0;
	process.to = process.from = -1;
}

/* Send LINE.  A process that has ended is no reason for SIGPIPE. */
static bool send_line(const struct text *line)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool sent = out_write_all(process.to, line->bytes, line->length) &&
		    out_write_all(process.to, "\n", 1);
	signal(SIGPIPE, before);
	return sent;
}

/* Whether process.answer is whole: LLVM's style ends with an empty line. */
static bool is_whole(bool json)
{
	const char *end = process.answer + process.size;
	return json ? process.size && end[-1] == '\n'
		    : process.size > 1 && end[-1] == '\n' && end[-2] == '\n';
}

static bool receive(bool json)
{
	process.size = 0;
	while (!is_whole(json)) {
		struct pollfd fd = { .fd = process.from, .events = POLLIN };
		if (process.capacity - process.size < BLOCK) {
			process.capacity += process.capacity + BLOCK;
			process.answer =
				realloc(process.answer, process.capacity);
			if (!process.answer)
				die("out of memory");
		}
		int ready = poll(&fd, 1, PATIENCE);
		if (ready < 0 && errno == EINTR)
			continue;
		ssize_t n = ready > 0 ? read(process.from,
					     process.answer + process.size,
					     process.capacity - process.size)
				      : 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		process.size += (size_t)n;
	}
	return true;
}

bool coprocess_can(const struct settings *s)
{
	/* The end of an answer in GNU's style cannot be told, nor that of a
	 * JSON object on several lines. */
	char *path = s->personality == PERSONALITY_LLVM_SYMBOLIZER &&
				     s->style != STYLE_GNU &&
				     !(s->style == STYLE_JSON && s->pretty)
			     ? real_program(s)
			     : NULL;
	bool can = path != NULL;
	free(path);
	return can;
}

bool coprocess_answer(const struct settings *s, struct json *json,
		      const struct text *line)
{
	bool is_json = s->style == STYLE_JSON;
	if (!process.started)
		start(s);
	if (process.to < 0)
		return false;
	if (!send_line(line) || !receive(is_json)) {
		extra_note("note: llvm-symbolizer, which --fallback=exec runs, "
			   "has ended");
		coprocess_end();
		return false;
	}
	if (is_json)
		json_raw(json, process.answer, process.size - 1);
	else
		out_bytes(json->out, process.answer, process.size);
	return true;
}
