/* SPDX-License-Identifier: MIT */
/* Prints messages and the progress line, and ends the tool after an error. */
#include "config.h"

#include "common/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "common/run.h"

static const char *tool_name = "gsym";
/* The command whose help die_usage names, or NULL. */
static const char *command_name;
static void (*before_end)(void);
static void (*on_failure)(enum gsym_status status, const char *text);
/* The status of the failure that die reports. */
static enum gsym_status failure_status = GSYM_ERR_IO;

/* ---- signals of limits --------------------------------------------------- */

/* What may help if a file is cut short. */
static const char *cut_hint = "";
/* See report_at_limit; NULL: none. */
static void (*at_limit[4])(int number);

void report_cut_files(bool copy)
{
	cut_hint = copy ? "; --copy avoids this" : "";
}

void report_at_limit(void (*function)(int number))
{
	size_t i = 0;

	while (at_limit[i] && at_limit[i] != function)
		i++;
	at_limit[i] = function;
}

/* Write the path of the file that is mapped at ADDRESS to PATH, of PATH_MAX
 * bytes; "" if it is not known. */
static void find_mapped(const void *address, char *path)
{
	char line[PATH_MAX + 128], *end;
	FILE *maps = fopen("/proc/self/maps", "re");
	const char *name;

	*path = 0;
	while (maps && !*path && fgets(line, sizeof(line), maps)) {
		uintptr_t from = (uintptr_t)strtoull(line, &end, 16);
		uintptr_t to = (uintptr_t)strtoull(end + (*end == '-'), &end,
						   16);

		name = strchr(end, '/');
		if (from > (uintptr_t)address || (uintptr_t)address >= to ||
		    !name)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(path, PATH_MAX, "%s", name);
	}
	if (maps)
		fclose(maps);
}

/* The handler of SIGBUS.  The signal comes where this process reads a mapped
 * file, so the functions that are called here are not in use. */
static void tell_cut(int number, siginfo_t *info, void *unused)
{
	char path[PATH_MAX];

	(void)unused;
	find_mapped(info->si_addr, path);
	for (size_t i = 0; at_limit[i]; i++)
		at_limit[i](number);
	warn("%s%s%s was cut short while it was read, or its disk is full%s",
	     *path ? "'" : "a file", path, *path ? "'" : "", cut_hint);
	_exit(STATUS_ERROR);
}

/* The handler of SIGXCPU, which may come at any time. */
static void tell_late(int number)
{
	static const char text[] = ": the limit of processor time (ulimit -t) "
				   "is reached\n";
	ssize_t ignored;

	for (size_t i = 0; at_limit[i]; i++)
		at_limit[i](number);
	ignored = write(STDERR_FILENO, tool_name, strlen(tool_name));
	ignored += write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)ignored;
	_exit(STATUS_ERROR);
}

static void catch_limits(void)
{
	struct sigaction cut = { .sa_sigaction = tell_cut,
				 .sa_flags = SA_SIGINFO | SA_RESETHAND };
	struct sigaction late = { .sa_handler = tell_late };

	sigaction(SIGBUS, &cut, NULL);
	sigaction(SIGXCPU, &late, NULL);
	/* Exceeding the limit of the size of files is a write error then. */
	signal(SIGXFSZ, SIG_IGN);
}

void report_leave_limits(void)
{
	signal(SIGBUS, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

/* ---- start --------------------------------------------------------------- */

void report_start(const char *tool)
{
	tool_name = tool;
	catch_limits();
	/* A process that ignores SIGCHLD, which exec hands down, gets no status
	 * from waitpid. */
	signal(SIGCHLD, SIG_DFL);
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/*
		 * Standard input for writing, the outputs for reading: so
		 * using a closed stream still fails.
		 */
		int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
		if (got != fd)
			_exit(STATUS_ERROR);
	}
}

const char *report_tool(void)
{
	return tool_name;
}

void report_set_command(const char *name)
{
	command_name = name;
}

void report_set_cleanup(void (*function)(void))
{
	before_end = function;
}

void report_set_failure(void (*function)(enum gsym_status status,
					 const char *text))
{
	on_failure = function;
}

/* Write SIZE bytes of TEXT to standard error. */
static void write_text(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = write(STDERR_FILENO, text, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text += n;
		size -= (size_t)n;
	}
}

/* ---- progress ------------------------------------------------------------ */

/* Milliseconds before the line is first shown, and between updates. */
enum { FIRST_MS = 500, NEXT_MS = 100 };

static struct {
	const char *what;
	bool on;
	size_t shown; /* columns of the line on the terminal; 0: no line */
	int64_t next; /* when to update the line, see clock_milliseconds */
} progress;

static void erase(void)
{
	char blank[100];
	if (progress.shown == 0)
		return;
	int n = snprintf(blank, sizeof(blank), "\r%*s\r", (int)progress.shown,
			 "");
	write_text(blank, n);
	progress.shown = 0;
}

void report_work(const char *what)
{
	progress.what = what;
	progress.on = !report_is_quiet() && isatty(STDERR_FILENO);
	progress.next = clock_milliseconds() + FIRST_MS;
	progress.shown = 0;
}

void report_work_done(uint64_t done, uint64_t total)
{
	if (!progress.on)
		return;
	int64_t now = clock_milliseconds();
	if (now < progress.next)
		return;
	progress.next = now + NEXT_MS;
	double share = total ? (double)done / (double)total : 0;
	char text[80];
	int n = snprintf(text, sizeof(text), "\r%s: %3.0f %%", progress.what,
			 100 * (share > 1 ? 1 : share));
	if (n < 0)
		return;
	if (n >= (int)sizeof(text))
		n = sizeof(text) - 1;
	write_text(text, n);
	progress.shown = n - 1;
}

void report_work_end(void)
{
	erase();
	progress.on = false;
}

/* ---- messages ------------------------------------------------------------ */

/* Write START, then what FORMAT makes of ARGS.  The message is written in one
 * write, so that lines of several processes do not mix. */
static size_t write_line(const char *start, const char *format, va_list args)
{
	char line[REPORT_BYTES];
	int head = snprintf(line, sizeof(line) - 1, "%s%s", start,
			    *start ? ": " : "");
	if (head < 0 || (size_t)head >= sizeof(line) - 1)
		head = 0;
	int body = vsnprintf(line + head, sizeof(line) - 1 - head, format,
			     args);
	size_t length = head + (body < 0 ? 0 : (size_t)body);
	if (length > sizeof(line) - 2)
		length = sizeof(line) - 2;

	/* Names come from untrusted files. */
	for (size_t i = 0, size; i < length; i += size) {
		size_t harmful = gsym_utf8_harmful(line + i, length - i);
		size = harmful ? harmful
			       : gsym_utf8_length(line + i, length - i);
		memset(line + i, '?', harmful);
		size = size ? size : 1;
	}
	line[length++] = '\n';
	erase();
	write_text(line, length);
	return length;
}

size_t report_args(const char *format, va_list args)
{
	return write_line(tool_name, format, args);
}

void report_line(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_line("", format, args);
	va_end(args);
}

void warn(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report_args(format, args);
	va_end(args);
}

static bool quiet;

void report_set_quiet(void)
{
	quiet = true;
}

bool report_is_quiet(void)
{
	return quiet;
}

void report_note(const char *format, ...)
{
	va_list args;
	if (quiet)
		return;
	va_start(args, format);
	report_args(format, args);
	va_end(args);
}

void report_terminal(const char *what)
{
	if (isatty(STDIN_FILENO))
		report_note("note: %s are read from the terminal; Ctrl-D ends "
			    "the input", what);
}

static _Noreturn void end(void)
{
	if (before_end)
		before_end();
	exit(STATUS_ERROR);
}

/* Call the function of report_set_failure.  It may fail itself. */
static void tell_failure(const char *format, va_list args)
{
	void (*function)(enum gsym_status, const char *) = on_failure;
	char text[REPORT_BYTES];

	on_failure = NULL;
	if (function && vsnprintf(text, sizeof(text), format, args) >= 0)
		function(failure_status, text);
}

void die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report_args(format, args);
	va_end(args);
	va_start(args, format);
	tell_failure(format, args);
	va_end(args);
	end();
}

void die_usage(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report_args(format, args);
	va_end(args);
	warn("try '%s%s%s --help'", tool_name, command_name ? " " : "",
	     command_name ? command_name : "");
	end();
}

const char *report_reason(enum gsym_status status,
			  const struct gsym_error *error)
{
	if (error && error->code != GSYM_OK && error->message[0])
		return error->message;
	return gsym_status_text(status);
}

void die_status(const char *verb, const char *path, enum gsym_status status,
		const struct gsym_error *error)
{
	const char *reason = report_reason(status, error);
	/* The library's "cannot open the file: why" would repeat the beginning
	 * of the message: take the part after the colon. */
	const char *why = strstr(reason, ": ");
	if (status == GSYM_ERR_IO && why && strncmp(reason, "cannot ", 7) == 0)
		reason = why + 2;
	failure_status = status;
	die("cannot %s '%s': %s", verb, path, reason);
}
