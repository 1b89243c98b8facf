/* SPDX-License-Identifier: MIT */
/*
 * personality/real.c - runs other programs: the program that is replaced, or
 * gsym-markup, in place of this one; and llvm-symbolizer beside this one, for
 * lines whose module --fallback=exec leaves to it.
 *
 * An answer of llvm-symbolizer must never be taken for that of another line.
 * After each line a mark is sent: a line that asks for an address which nobody
 * can guess.  What comes before the answer to the mark is the answer to the
 * line, if it is one answer and begins with the address of the line.  Whoever
 * answers late, too much or unasked is ended.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "personality/personality.h"

/* ---- in place of this program -------------------------------------------- */

/* Set while the real program was looked for: if it is this program by another
 * way, it does not look again. */
#define GUARD "GSYM_LOOKUP_REAL"

/* Whether PATH can be run and is not this program. */
static bool is_other(const char *path)
{
	struct stat own, other;

	return stat(path, &other) == 0 && S_ISREG(other.st_mode) &&
	       access(path, X_OK) == 0 &&
	       (!gsym_system_stat_program(&own) || !file_same(&own, &other));
}

/* The path of the program that is replaced, malloc'ed; NULL if there is
 * none. */
static char *program_of(const struct settings *s)
{
	static const char *const names[] = {
		[PERSONALITY_ADDR2LINE] = "addr2line",
		[PERSONALITY_LLVM_ADDR2LINE] = "llvm-addr2line",
		[PERSONALITY_LLVM_SYMBOLIZER] = "llvm-symbolizer",
	};
	bool symbolizer = s->personality == PERSONALITY_LLVM_SYMBOLIZER;
	const char *path = getenv(symbolizer ? "GSYM_REAL_SYMBOLIZER"
					     : "GSYM_REAL_ADDR2LINE");
	if (getenv(GUARD))
		return NULL;
	return path && is_other(path) ? path_print("%s", path)
				      : path_search(names[s->personality],
						    is_other);
}

/* Mark this process, so that the program that it runs does not look for another
 * program in its turn. */
static bool mark(void)
{
	report_leave_limits();
	return setenv(GUARD, "1", 1) == 0;
}

void real_run(const struct settings *s)
{
	char *path = program_of(s);
	struct arguments a = { 0 };
	int skip = 0;
	for (char **word = s->argv; *word; word++) {
		if (!skip)
			skip = extra_words(s, *word);
		if (!skip)
			extra_add(&a, *word, strlen(*word));
		else
			skip--;
	}
	if (path && mark())
		execv(path, a.items);
	if (path)
		unsetenv(GUARD);
	extra_free_words(&a);
	free(path);
}

static void add_folders(struct arguments *a, const char *option,
			const struct option_list *folders)
{
	for (size_t i = 0; i < folders->count; i++) {
		extra_add(a, option, strlen(option));
		extra_add(a, folders->items[i], strlen(folders->items[i]));
	}
}

void real_run_markup(const struct settings *s)
{
	char program[PATH_MAX];
	struct arguments a = { 0 };
	const char *path = run_find("gsym-markup", program,
					 sizeof(program));
	char *option = path_print("--color=%s", s->colour ? s->colour : "auto");
	extra_add(&a, "gsym-markup", 11);
	extra_add(&a, "--compat=llvm", 13);
	extra_add(&a, option, strlen(option));
	free(option);
	add_folders(&a, "--gsym-file-directory", &s->source.gsym_folders);
	add_folders(&a, "--debug-file-directory", &s->source.debug_folders);
	if (!s->demangle)
		extra_add(&a, "--no-demangle", 13);
	if (s->source.debuginfod)
		extra_add(&a, "--debuginfod", 12);
	if (s->no_verify)
		extra_add(&a, "--no-verify", 11);
	for (const enum fallback *b = s->fallbacks; *b; b++)
		if (*b == FALLBACK_CONVERT && source_converts(&s->source, true))
			extra_add(&a, "--convert", 9);
	execvp(path, a.items);
	extra_note("error: cannot run '%s'", path);
	extra_free_words(&a);
}

/* ---- llvm-symbolizer beside this program --------------------------------- */

/* Milliseconds in which an answer has to be whole. */
#define PATIENCE GSYM_LIMIT(60000, 1000)
/* The most bytes of an answer. */
#define MOST_BYTES GSYM_LIMIT((size_t)16 << 20, 512)
enum {
	BLOCK = 64 << 10,
	/* Milliseconds that the process has for its end. */
	GRACE = 1000,
	/* llvm-symbolizer (14 and 22 were tried) takes the parts of a longer
	 * line for lines, and answers each. */
	MOST_LINE = 1022,
	/* 0x, the digits of an address, and what is around them. */
	ADDRESS_BYTES = 2 + 16 + 16,
};

/* llvm-symbolizer. */
static struct {
	pid_t pid;
	/* Pipes to its standard input and from its standard output; -1: the
	 * process has ended, or could not be started. */
	int to, from;
	bool started;
	/* The address of the last mark. */
	uint64_t mark;
	struct {
		GSYM_VEC(char);
	} answer;
} process;

/* Append TEXT, and free it. */
static void add(struct arguments *a, char *text)
{
	extra_add(a, text, strlen(text));
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
		/* So that answers show what they belong to. */
		{ true, "--addresses" },
		{ s->basenames, "--basenames" },
		{ s->pretty, "--pretty-print" },
		{ s->relative, "--relative-address" },
		{ s->skip_zero, "--skip-line-zero" },
		{ s->verbose, "--verbose" },
	};
	struct arguments a = { 0 };
	extra_add(&a, s->program, strlen(s->program));
	add(&a, path_print("--functions=%s", names[s->names]));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].on)
			extra_add(&a, flags[i].option,
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
	if (mark())
		execv(path, a->items);
	_exit(127);
}

/* Run PATH with the arguments A. */
static void run(const char *path, const struct arguments *a)
{
	int lines[2], answers[2];
	if (!gsym_system_pipe(lines, 0))
		return;
	if (!gsym_system_pipe(answers, 0)) {
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
	/* The process may wait until its answer is read while a long line is
	 * written. */
	fcntl(process.to, F_SETFL, O_NONBLOCK);
	fcntl(process.from, F_SETFL, O_NONBLOCK);
}

/* Wait for the end of the process; kill it if that takes long. */
static void wait_for_end(void)
{
	int64_t deadline = clock_milliseconds() + GRACE;
	pid_t ended;
	while ((ended = waitpid(process.pid, NULL, WNOHANG)) == 0 ||
	       (ended < 0 && errno == EINTR)) {
		if (clock_milliseconds() >= deadline)
			kill(process.pid, SIGKILL);
		poll(NULL, 0, 1);
	}
}

void real_end(void)
{
	if (process.started && process.to >= 0) {
		close(process.to);
		close(process.from);
		if (process.pid > 0) {
			kill(process.pid, SIGTERM);
			wait_for_end();
		}
	}
	gsym_vec_fini(&process.answer);
	process.to = process.from = -1;
}

/* ---- asking -------------------------------------------------------------- */

/* Write ADDRESS to TEXT as llvm-symbolizer does, with AFTER behind it, or with
 * JSON as a member.  Returns its length. */
static size_t print_address(char text[ADDRESS_BYTES], uint64_t address,
			    bool json, const char *after)
{
	return (size_t)snprintf(text, ADDRESS_BYTES,
				json ? "\"Address\":\"0x%" PRIx64 "\"%s"
				     : "0x%" PRIx64 "%s", address, after);
}

/* Write what of the bytes from *AT to END the process takes now.  False if it
 * takes none any more. */
static bool send_more(const char **at, const char *end)
{
	/* A process that has ended is no reason for SIGPIPE. */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	ssize_t n = write(process.to, *at, (size_t)(end - *at));
	bool works = n >= 0 || errno == EAGAIN || errno == EINTR;
	signal(SIGPIPE, before);
	*at += n > 0 ? n : 0;
	return works;
}

/* Read what the process has written.  False at its end. */
static bool receive_more(void)
{
	must_reserve(&process.answer, BLOCK);
	ssize_t n = read(process.from,
			 process.answer.items + process.answer.count,
			 process.answer.capacity - process.answer.count);
	process.answer.count += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Where the answer to the mark begins that is in process.answer, and where it
 * ends; SIZE_MAX: it has not come. */
struct span {
	size_t start, end;
};

static struct span find_mark(bool json)
{
	struct span none = { SIZE_MAX, SIZE_MAX }, span = none;
	char text[ADDRESS_BYTES];
	size_t length = print_address(text, process.mark, json, "");
	/* LLVM's style ends with an empty line. */
	const char *stop = json ? "\n" : "\n\n";
	const char *start = process.answer.items;
	const char *end = start + process.answer.count;
	const char *at = memmem(start, process.answer.count, text, length);
	if (!at)
		return none;
	const char *line = memrchr(start, '\n', (size_t)(at - start));
	at += length;
	span.start = line ? (size_t)(line + 1 - start) : 0;
	at = memmem(at, (size_t)(end - at), stop, strlen(stop));
	if (!at)
		return none;
	span.end = (size_t)(at - start) + strlen(stop);
	return span;
}

/* Send LINE, unless that is NULL, and a mark, and receive the answers.  *SIZE
 * becomes the bytes of process.answer before the answer to the mark.  Returns
 * NULL, or what the process has done instead. */
static const char *exchange(const struct settings *s, const struct text *line,
			    size_t *size)
{
	size_t before = line ? line->length + 1 : 0;
	char mark[64];
	int64_t deadline = clock_milliseconds() + PATIENCE;
	/* Nothing is below a file that is no folder. */
	int length = snprintf(mark, sizeof(mark), "CODE /dev/null/none 0x%"
			      PRIx64 "\n", ++process.mark);
	char *bytes = must_have(malloc(before + (size_t)length));
	const char *at = bytes, *end, *why = NULL;
	struct span span = { SIZE_MAX, SIZE_MAX };
	if (line) {
		memcpy(bytes, line->bytes, line->length);
		bytes[line->length] = '\n';
	}
	memcpy(bytes + before, mark, (size_t)length);
	end = bytes + before + length;
	process.answer.count = 0;
	if (poll(&(struct pollfd){ process.from, POLLIN, 0 }, 1, 0) > 0)
		why = "writes what nobody asks, or has ended";
	while (!why && span.end == SIZE_MAX) {
		struct pollfd fds[] = {
			{ .fd = process.from, .events = POLLIN },
			{ .fd = at < end ? process.to : -1, .events = POLLOUT },
		};
		int64_t left = deadline - clock_milliseconds();
		int ready = poll(fds, 2, left > 0 ? (int)left : 0);
		if (fds[0].revents && !receive_more())
			why = "has ended";
		else if (ready > 0 && fds[1].revents && !send_more(&at, end))
			why = "has ended";
		else if (process.answer.count > MOST_BYTES)
			why = "answers too much";
		else if (left <= 0)
			why = "takes too long for an answer";
		if (fds[0].revents)
			span = find_mark(s->style == STYLE_JSON);
	}
	if (!why && (span.end != process.answer.count || at < end))
		why = "writes more than answers";
	free(bytes);
	*size = span.start;
	return why;
}

static void give_up(const char *why)
{
	extra_note("note: llvm-symbolizer, which --fallback=exec runs, %s",
		   why);
	real_end();
}

static void start_real(const struct settings *s)
{
	char *path = program_of(s);
	struct arguments a = arguments_of(s);
	process.started = true;
	process.to = process.from = -1;
	if (path && gsym_system_random(&process.mark, sizeof(process.mark),
				       true))
		run(path, &a);
	extra_free_words(&a);
	free(path);
	/* What it writes before the first question is no answer. */
	size_t size;
	const char *why = process.to < 0 ? NULL : exchange(s, NULL, &size);
	if (why || (process.to >= 0 && size))
		give_up(why ? why : "writes what nobody asks");
}

/* ---- answers ------------------------------------------------------------- */

/* Whether the SIZE bytes of process.answer are one answer, and one to R.
 * *SKIP becomes the number of bytes before what S asks for. */
static bool is_answer_to(const struct settings *s, const struct request *r,
			 size_t size, size_t *skip)
{
	const char *answer = process.answer.items;
	char text[ADDRESS_BYTES];
	bool json = s->style == STYLE_JSON;
	size_t n = print_address(text, r->address, json,
				 json ? "" : s->pretty ? ": " : "\n");
	*skip = 0;
	if (json)
		return size > 2 && answer[0] == '{' &&
		       answer[size - 2] == '}' &&
		       memchr(answer, '\n', size) == answer + size - 1 &&
		       (r->place == PLACE_NAME ||
			memmem(answer, size, text, n));
	if (size < 3 || answer[0] == '\n' ||
	    memmem(answer, size, "\n\n", 2) != answer + size - 2)
		return false;
	if (r->place == PLACE_NAME)
		return true;
	if (size <= n || memcmp(answer, text, n) != 0)
		return false;
	*skip = s->addresses ? 0 : n;
	return true;
}

/* Whether the SIZE bytes of process.answer are LINE itself: so older versions
 * answer what they do not know. */
static bool is_echo(const struct text *line, size_t size)
{
	return size == line->length + 1 &&
	       memcmp(process.answer.items, line->bytes, line->length) == 0;
}

/* Write the SIZE bytes at TEXT, lines with names out of files. */
static void write_lines(struct out *out, const char *text, size_t size)
{
	const char *end = text + size;
	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		const char *stop = feed ? feed : end;
		out_foreign_bytes(out, text, (size_t)(stop - text));
		if (feed)
			out_bytes(out, "\n", 1);
		text = stop + 1;
	}
}

bool real_can(const struct settings *s)
{
	/* The end of an answer in GNU's style cannot be told, nor that of a
	 * JSON object on several lines. */
	char *path = s->personality == PERSONALITY_LLVM_SYMBOLIZER &&
				     s->style != STYLE_GNU &&
				     !(s->style == STYLE_JSON && s->pretty)
			     ? program_of(s)
			     : NULL;
	bool can = path != NULL;
	free(path);
	return can;
}

/* Whether the process can be asked R: a question, on one line. */
static bool can_ask(const struct request *r)
{
	const struct text *line = &r->line;
	if (line->length > MOST_LINE)
		extra_note("note: a line of %zu bytes is too long for "
			   "llvm-symbolizer, which --fallback=exec runs",
			   line->length);
	return r->place != PLACE_NOTHING && line->length <= MOST_LINE &&
	       !memchr(line->bytes, 0, line->length) &&
	       !memchr(line->bytes, '\n', line->length);
}

bool real_answer(const struct settings *s, struct json *json,
		      const struct request *r)
{
	size_t size, skip;
	if (!process.started)
		start_real(s);
	if (process.to < 0 || !can_ask(r))
		return false;
	const char *why = exchange(s, &r->line, &size);
	if (why) {
		give_up(why);
		return false;
	}
	if (!is_answer_to(s, r, size, &skip)) {
		if (!is_echo(&r->line, size))
			extra_note("note: llvm-symbolizer, which "
				   "--fallback=exec runs, gives another answer "
				   "than that to a line");
		return false;
	}
	if (s->style == STYLE_JSON)
		json_raw(json, process.answer.items, size - 1);
	else
		write_lines(json->out, process.answer.items + skip,
			    size - skip);
	return true;
}
