/* SPDX-License-Identifier: MIT */
/* dumpfile elements: a JSON file with the memory that the log described, and
 * programs to be run.  Names from the log are data, never paths or commands. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

/* Seconds that a program may take. */
enum { TIME_LIMIT = 30 };

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

/* What the child process hands over to the program that it becomes. */
struct action_gift {
	/* Its standard input. */
	int input;
	/* Environment variables. */
	char *type, *name;
};

/* The callback `prepare` of struct run_plan: hand the gift OWNER over. */
static void give(const void *owner)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGXFSZ };
	const struct action_gift *gift = owner;
	dup2(gift->input, STDIN_FILENO);
	putenv(gift->type);
	putenv(gift->name);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
}

/* Open a file with the JSON object of DUMP; -1 with errno set. */
static int open_input(const struct gsym_markup_dump *dump)
{
	int fd = gsym_system_memory_file("dumpfile");
	struct out json;
	out_init_memory(&json, false);
	out_mark(&json);
	put_dump(&json, dump);
	out_text(&json, "\n");
	out_keep(&json);
	if (fd >= 0 &&
	    (write(fd, json.buffer, json.used) != (ssize_t)json.used ||
	     lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		fd = -1;
	}
	out_fini(&json);
	return fd;
}

/* The reason why a program with STATUS failed; NULL if it did not fail. */
static const char *verdict(int status)
{
	if (WIFSIGNALED(status))
		return "was ended by a signal";
	if (WEXITSTATUS(status) == RUN_CANNOT)
		return "cannot be run";
	return WEXITSTATUS(status) ? "failed" : NULL;
}

/* Run the program of PLAN, which gets GIFT.  Returns NULL, or why it failed;
 * REASON is memory for that. */
static const char *run(const struct run_plan *plan,
		       const struct action_gift *gift, char reason[256])
{
	int64_t deadline = clock_milliseconds() + TIME_LIMIT * 1000;
	int status = 0;
	const char *why = gift->input < 0 ? "there is no room for its input"
					  : run_and_wait(plan, &status);
	if (!why)
		return verdict(status);
	if (markup_interrupted())
		return "was ended by a signal to gsym-markup";
	if (clock_milliseconds() >= deadline)
		return "took more than 30 seconds";
	snprintf(reason, 256, "cannot be started: %s", why);
	return reason;
}

/* Add the first line of ANSWER to the text that is shown. */
static void add_answer(struct markup *m, const struct run_answer *answer)
{
	const char *text = answer->bytes;
	size_t size = 0, used = strlen(m->dump_answer);
	while (size < answer->size && text[size] && text[size] != '\n' &&
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
	char bytes[512], reason[256];
	struct run_answer answer = { .bytes = bytes, .room = sizeof(bytes) };
	/* Neither arguments nor environment variables can hold NUL. */
	if (memchr(dump->type, 0, dump->type_size) ||
	    memchr(dump->name, 0, dump->name_size)) {
		report_note("note: '%s' is not run for a dump file whose type "
			    "or name holds NUL",
			    program);
		return;
	}
	struct action_gift gift = {
		.input = open_input(dump),
		.type = path_print("GSYM_DUMP_TYPE=%.*s", (int)dump->type_size,
				   dump->type),
		.name = path_print("GSYM_DUMP_NAME=%.*s", (int)dump->name_size,
				   dump->name),
	};
	const char *args[] = { program, strchr(gift.type, '=') + 1,
			       strchr(gift.name, '=') + 1, NULL };
	const char *why = run(&(struct run_plan){
		.args = args,
		.seconds = TIME_LIMIT,
		.wake = markup_signal_pipe(),
		.answer = &answer,
		.prepare = give,
		.owner = &gift,
	}, &gift, reason);
	if (gift.input >= 0)
		close(gift.input);
	free(gift.type);
	free(gift.name);
	if (why)
		report_note("note: '%s', run for a dump file, %s", program,
			    why);
	add_answer(m, &answer);
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
