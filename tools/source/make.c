/* SPDX-License-Identifier: MIT */
/* The makers: the command of --fetch, debuginfod's servers, and gsym-create. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "base/text.h"
#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "source/state.h"

/* The shadow memory of sanitizers is larger than any limit. */
enum { LIMIT_MEMORY = !RUN_SANITIZED };

enum {
	/* So many failures of the command in a row are its own, not those of
	 * build IDs.  Servers may take a minute to fail. */
	COMMAND_FAILURES = 3,
	SERVER_FAILURES = 1,
	/* Notes about the command. */
	NOTES = 8,
	/* The bytes of an option --only-for. */
	ONLY_FOR_BYTES = 32,
	/* gsym-create takes some 5 times the size of a debug file with
	 * compressed sections, and a stack for each thread. */
	MEMORY_FACTOR = 32,
};
#define MEMORY_BASE (UINT64_C(1) << 30)
#define MEMORY_THREAD (UINT64_C(16) << 20)

static struct run_plan child_of(const struct source *s,
				const char *const *args,
				uint64_t seconds)
{
	return (struct run_plan){
		.args = args,
		.seconds = seconds,
		.wake = s->host.wake ? s->host.wake() : -1,
	};
}

/* ---- the command of --fetch ---------------------------------------------- */

/* In the child, before it becomes the command: see run.h. */
static void prepare_command(const void *owner)
{
	const struct source *s = owner;
	const struct rlimit size = { s->o.fetch_bytes, s->o.fetch_bytes };
	dup2(STDERR_FILENO, STDOUT_FILENO);
	setrlimit(RLIMIT_FSIZE, &size);
}

/* What the wait STATUS of the command means.  WHY becomes the reason of a
 * failure. */
static enum source_answer judge(const struct source *s, int status, char *why,
				size_t size)
{
	const char *name = s->words[0];
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return SOURCE_HAVE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		return SOURCE_ABSENT;
	if (WIFEXITED(status) && WEXITSTATUS(status) == RUN_CANNOT)
		snprintf(why, size, "'%s' cannot be run", name);
	else if (WIFEXITED(status))
		snprintf(why, size, "'%s' ended with status %d", name,
			 WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGXFSZ)
		snprintf(why, size, "'%s' writes more than %" PRIu64 " MiB",
			 name, s->o.fetch_bytes >> 20);
	else
		snprintf(why, size, "'%s' ended by a signal: %s", name,
			 strsignal(WTERMSIG(status)));
	return SOURCE_FAILED;
}

/* Run the command for the build ID HEX, and take the file that it makes. */
static enum source_answer run_command(struct source_try *t, const char *hex,
				      char *why, size_t size)
{
	struct source *s = t->s;
	struct run_plan command = child_of(s, s->words, s->o.fetch_seconds);
	char *path = path_print("%s/%s.gsym", t->staging->path, hex);
	enum source_answer answer = SOURCE_FAILED;
	struct gsym_error error = { 0 };
	const char *reason;
	int status;
	command.prepare = prepare_command;
	command.owner = s;
	s->words[s->word_count] = hex;
	s->words[s->word_count + 1] = path;
	reason = run_and_wait(&command, &status);
	if (!reason)
		answer = judge(s, status, why, size);
	if (answer == SOURCE_HAVE)
		/* Children of the command may go on writing to PATH. */
		reason = source_copy(path, (char *)t->made, s->o.fetch_bytes);
	if (answer == SOURCE_HAVE && !reason)
		reason = source_problem(t->p, t->made, true, NULL, &error);
	if (reason) {
		snprintf(why, size, "%s", reason);
		answer = SOURCE_FAILED;
	}
	free(path);
	return answer;
}

enum source_answer source_by_command(struct source_try *t)
{
	struct source *s = t->s;
	char hex[2 * SOURCE_ID_MAX + 1], why[384] = "";
	enum source_answer answer;
	if (source_paused(&s->command, COMMAND_FAILURES))
		return SOURCE_LATER;
	gsym_digits(hex, sizeof(hex), t->p->id, t->p->id_size);
	t->asked = true;
	answer = run_command(t, hex, why, sizeof(why));
	source_note_end(&s->command, answer == SOURCE_FAILED);
	if (answer == SOURCE_FAILED && s->notes++ < NOTES)
		snprintf(t->note, sizeof(t->note),
			 "cannot fetch the GSYM file of build ID %s: %s%s", hex,
			 why, s->notes == NOTES
				      ? "; more failures are not reported"
				      : "");
	if (s->command.failures == COMMAND_FAILURES)
		source_note(s, "--fetch failed %d times in a row; no file is "
			       "fetched for a minute", COMMAND_FAILURES);
	return answer;
}

/* ---- servers ------------------------------------------------------------- */

/* The callback for the progress of servers needs the source. */
static const struct source *asking;

static bool go_on(uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return !source_interrupted(asking, 0);
}

/* Get a file for the build ID of T from servers: the SECTION of its debug file,
 * or, if that is NULL, the debug file.  *PATH becomes its path, malloc'ed. */
static enum source_answer get(struct source_try *t, const char *section,
			      char **path)
{
	struct source *s = t->s;
	struct gsym_error error = { 0 };
	enum gsym_status status;
	if (source_paused(&s->server, SERVER_FAILURES))
		return SOURCE_LATER;
	asking = s;
	if (!s->servers)
		s->servers = must_have(debuginfod_new(go_on));
	t->asked = true;
	status = must_status(debuginfod_get(s->servers, t->p->id, t->p->id_size,
					    section, path, &error));
	source_note_end(&s->server,
			 status != GSYM_OK && status != GSYM_NOT_FOUND);
	if (status == GSYM_OK)
		return SOURCE_HAVE;
	if (status == GSYM_NOT_FOUND)
		return SOURCE_ABSENT;
	snprintf(t->note, sizeof(t->note), "%s",
		 report_reason(status, &error));
	return SOURCE_FAILED;
}

enum source_answer source_by_server(struct source_try *t)
{
	struct gsym_error error = { 0 };
	char *path = NULL;
	const char *why;
	enum source_answer answer = get(t, ".gsym", &path);
	if (answer != SOURCE_HAVE)
		return answer;
	/* Others may change the client's cache, but not the copy. */
	why = source_copy(path, (char *)t->made, t->s->o.fetch_bytes);
	if (!why)
		why = source_problem(t->p, t->made, true, NULL, &error);
	free(path);
	if (!why)
		return SOURCE_HAVE;
	snprintf(t->note, sizeof(t->note),
		 "the GSYM file of the server is not used: %s", why);
	return SOURCE_FAILED;
}

/* ---- gsym-create --------------------------------------------------------- */

/* What a conversion reads. */
struct input {
	const char *path;
	/** See struct source_program. */
	int fd;
	/** --debug-file; NULL. */
	const char *debug;
	/** Files of other users are not read: the result may be kept. */
	bool own;
	/** The bytes of the program and of its debug file. */
	uint64_t size;
};

/* What the converter gets from this process. */
struct inheritance {
	const struct source *s;
	uint64_t memory, processors;
	int fd;
};

/* Lower a limit of this process to VALUE. */
static void limit(int resource, uint64_t value)
{
	struct rlimit now;
	if (getrlimit(resource, &now) != 0 || (uint64_t)now.rlim_max <= value)
		return;
	now.rlim_cur = now.rlim_max = (rlim_t)value;
	setrlimit(resource, &now);
}

/* In the child, before it becomes the converter: see run.h. */
static void prepare_converter(const void *owner)
{
	const struct inheritance *in = owner;
	int null = open("/dev/null", O_WRONLY);
	/* Standard output is a pipe if the host is silent. */
	if (in->s->host.silent)
		dup2(STDOUT_FILENO, STDERR_FILENO);
	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	/* The caller of this tool may have left some open, and what hostile
	 * input makes of the converter must not write to them. */
	gsym_system_close_files(3, INT_MAX, true);
	if (in->fd)
		fcntl(in->fd, F_SETFD, 0);
	limit(RLIMIT_CPU, in->processors);
	if (LIMIT_MEMORY)
		limit(RLIMIT_DATA, in->memory);
}

/* The arguments of the converter, malloc'ed.  The texts that are made for them
 * lie behind them. */
static const char **arguments_of(const struct source_try *t,
				 const struct input *in, const char *program)
{
	const struct option_list *folders = &t->s->o.debug_folders;
	bool key = source_has_key(t->p);
	size_t places = folders->count * 2 + t->p->address_count + 16;
	const char **args = must_have(
		calloc(1, places * sizeof(*args) +
				  t->p->address_count * ONLY_FOR_BYTES));
	char *text = (char *)(args + places);
	size_t n = 0;
	args[n++] = program;
	args[n++] = "--quiet";
	args[n++] = "--sandbox=try";
	args[n++] = key ? "--install" : "--out-file";
	args[n++] = key ? t->staging->path : t->made;
	args[n++] = "--data-symbols";
	for (size_t i = 0; i < t->p->address_count; i++) {
		snprintf(text, ONLY_FOR_BYTES, "--only-for=0x%" PRIx64,
			 t->p->addresses[i]);
		args[n++] = text;
		text += ONLY_FOR_BYTES;
	}
	if (t->p->architecture) {
		args[n++] = "--arch";
		args[n++] = t->p->architecture;
	}
	if (in->own)
		args[n++] = "--own-files";
	if (in->debug) {
		args[n++] = "--debug-file";
		args[n++] = in->debug;
	}
	for (size_t i = 0; i < folders->count; i++) {
		args[n++] = "--debug-file-directory";
		args[n++] = folders->items[i];
	}
	args[n++] = "--";
	args[n++] = in->path;
	return args;
}

/* Let the first warning in TEXT, which the converter wrote, be the note of
 * T.  With --quiet it warns of what makes answers poorer alone. */
static void note_warning(struct source_try *t, const char *text)
{
	static const char mark[] = "warning: ";
	const char *from = strstr(text, mark);

	if (from)
		snprintf(t->note, sizeof(t->note), "%.*s",
			 (int)strcspn(from, "\n") - (int)strlen(mark),
			 from + strlen(mark));
}

/* Run the converter.  Returns NULL, or why it failed; *PLAINLY becomes true if
 * it has told so itself. */
static const char *run_converter(struct source_try *t, const struct input *in,
				 bool *plainly)
{
	const struct source *s = t->s;
	char program[PATH_MAX];
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t threads = online > 0 ? (uint64_t)online : 1;
	const struct inheritance inheritance = {
		.s = s,
		.memory = s->o.convert_bytes
				  ? s->o.convert_bytes
				  : MEMORY_BASE + MEMORY_FACTOR * in->size +
					    MEMORY_THREAD * threads,
		/* Of all threads.  Usually this process ends the converter
		 * before; the limit is for a process that is stopped. */
		.processors = s->o.convert_seconds * threads,
		.fd = in->fd,
	};
	const char **args = arguments_of(
		t, in,
		run_find("gsym-create", program, sizeof(program)));
	struct run_plan child = child_of(s, args, s->o.convert_seconds);
	char text[sizeof(t->note)] = "";
	struct run_answer answer = { .bytes = text, .room = sizeof(text) - 1 };
	const char *why;
	int status;
	child.prepare = prepare_converter;
	child.owner = &inheritance;
	child.answer = s->host.silent ? &answer : NULL;
	why = run_and_wait(&child, &status);
	free(args);
	*plainly = !why && WIFEXITED(status) &&
		   WEXITSTATUS(status) != RUN_CANNOT;
	if (why)
		return why;
	if (WIFSIGNALED(status))
		return strsignal(WTERMSIG(status));
	if (WEXITSTATUS(status) == RUN_CANNOT)
		return "gsym-create cannot be run";
	if (WEXITSTATUS(status))
		return "gsym-create failed";
	note_warning(t, text);
	return NULL;
}

/* Whether this process has no rights of other users. */
static bool has_own_rights(void)
{
	return getuid() == geteuid() && getgid() == getegid();
}

/* Note in IN that the file PATH is read, unless PATH is NULL.  A file of
 * another user could pretend to be any program, by its build ID. */
static void count_file(struct input *in, const char *path)
{
	struct stat st;
	if (!path)
		return;
	if (stat(path, &st) != 0) {
		in->own = false;
		return;
	}
	in->own &= st.st_uid == geteuid() || st.st_uid == 0;
	in->size += (uint64_t)st.st_size;
}

/* Note in IN what gsym-create will read for T. */
static void count_files(const struct source_try *t, struct input *in)
{
	char *debug = source_debug_file(t->s, t->p);
	in->own = has_own_rights();
	in->size = 0;
	count_file(in, in->path);
	count_file(in, in->debug ? in->debug : debug);
	free(debug);
}

bool source_may_keep(struct source *s, const struct source_program *p)
{
	struct source_try t = { .s = s, .p = p };
	struct input in = { .path = p->path, .fd = p->fd };
	count_files(&t, &in);
	return in.own;
}

static enum source_answer convert(struct source_try *t, struct input *in)
{
	struct gsym_error error = { 0 };
	bool lines = false, plainly, converted;
	const char *why;
	t->asked = true;
	count_files(t, in);
	why = run_converter(t, in, &plainly);
	converted = !why;
	/* A file for another build ID has another path, and so has each of
	 * those for the programs of a universal file. */
	if (converted && access(t->made, F_OK) == 0)
		why = source_problem(t->p, t->made, false, &lines, &error);
	else if (converted)
		why = t->p->id_size ? "it has another build ID"
				    : "it holds several programs, and none is "
				      "named";
	/* Without debug info the file would hide debug info that is installed
	 * later. */
	t->keep = lines && in->own;
	if (!why)
		return SOURCE_HAVE;
	if (converted)
		snprintf(t->note, sizeof(t->note), "'%.400s' is not used: %s",
			 in->path, why);
	else if (!plainly || !t->s->host.silent)
		snprintf(t->note, sizeof(t->note), "cannot convert '%.400s': "
			 "%s", in->path, why);
	return SOURCE_FAILED;
}

/* Try to convert the file in a debug folder at the place for the build ID,
 * which source_debug_file has not taken for the debug file.  gsym-create says
 * what is wrong with a file that is cut short, or is no program. */
static enum source_answer convert_unusable(struct source_try *t)
{
	const struct option_list *folders = &t->s->debug_folders;
	enum source_answer answer = SOURCE_ABSENT;

	for (size_t i = 0; i < folders->count && answer != SOURCE_HAVE; i++) {
		char *path = path_build_id(folders->items[i], t->p->id,
					   t->p->id_size, ".debug");
		struct input in = { .path = path };
		struct stat st;

		if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
			answer = convert(t, &in);
		free(path);
	}
	return answer;
}

/* Whether the server's file PATH has the build ID of P.  That of a file which
 * is no program is not known; such a file does not go with the file of P. */
static bool is_debug_file(const struct source_program *p, const char *path)
{
	uint8_t id[256];
	size_t size;
	enum gsym_status status = must_status(
		gsym_store_read_id(path, id, sizeof(id), &size, NULL));
	if (status == GSYM_OK)
		return size == p->id_size && memcmp(id, p->id, size) == 0;
	return status != GSYM_NOT_FOUND && !p->file;
}

/* Convert the debug file of servers, with the program if there is one. */
static enum source_answer convert_served(struct source_try *t)
{
	const struct source_program *p = t->p;
	char *path = NULL;
	enum source_answer answer = get(t, NULL, &path);
	struct input in = { .path = path };
	if (answer != SOURCE_HAVE)
		return answer;
	if (!is_debug_file(p, path)) {
		snprintf(t->note, sizeof(t->note),
			 "'%.400s' is not used: it has another build ID", path);
		answer = SOURCE_FAILED;
	} else {
		if (p->file && p->path)
			in = (struct input){ .path = p->path, .fd = p->fd,
					     .debug = path };
		answer = convert(t, &in);
	}
	free(path);
	return answer;
}

enum source_answer source_by_conversion(struct source_try *t)
{
	const struct source *s = t->s;
	const struct source_program *p = t->p;
	struct input in = { .path = p->path, .fd = p->fd };
	enum source_answer answer = SOURCE_ABSENT;
	struct stat st;
	bool there = p->path && stat(p->path, &st) == 0 && S_ISREG(st.st_mode);
	char *debug = source_debug_file(s, p);
	bool complete = debug || source_debug_bytes(p->file) ||
			(there && !p->file);
	if (s->o.debuginfod && !complete && p->id_size && !s->later) {
		struct source_program with = *p;
		if (!there)
			with.file = NULL;
		t->p = &with;
		answer = convert_served(t);
		t->p = p;
	}
	if (answer != SOURCE_HAVE && s->converts) {
		enum source_answer local = SOURCE_ABSENT;
		if (there)
			local = convert(t, &in);
		else if (debug)
			local = convert(t, &(struct input){ .path = debug });
		else if (p->id_size)
			local = convert_unusable(t);
		if (local != SOURCE_ABSENT)
			answer = local;
	}
	free(debug);
	return answer;
}
