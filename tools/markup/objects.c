/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON, for programs: a log, one object a line, for each line of the
 * log, each frame of a stack trace, and with --explain for each reason; and the
 * memory that the log described, for each dumpfile element, to a file.  Names
 * from the log are data, never paths.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

/* Bytes of a function of the log that is made readable. */
enum { LONGEST_NAME = 4096 };

void objects_start(struct markup *m)
{
	const char *const *words = markup_log_words();
	struct json *json = &m->json;

	json_init(json, &m->out);
	json_object(json, NULL);
	json_string(json, "program", "gsym-markup");
	json_string(json, "version", PACKAGE_VERSION);
	json_array(json, "logs");
	/* The word of each bit, and "auto", which has none. */
	for (size_t i = 0; words[i]; i++)
		if (m->options.logs.forms >> i & 1)
			json_string(json, NULL, words[i]);
	json_end(json);
	json_end_line(json);
}

/* ---- lines --------------------------------------------------------------- */

static void put_line(struct markup *m)
{
	json_object(&m->json, NULL);
	json_number(&m->json, "line", ++m->lines);
	json_text(&m->json, "text", m->head, m->head_size);
	json_end_line(&m->json);
	m->head_size = 0;
}

size_t objects_scan(struct markup *m, const char *bytes, size_t size)
{
	const char *newline = memchr(bytes, '\n', size);
	size_t length = newline ? (size_t)(newline - bytes) : size;
	size_t room = sizeof(m->head) - m->head_size;

	room = length < room ? length : room;
	memcpy(m->head + m->head_size, bytes, room);
	m->head_size += room;
	if (!newline)
		return size;
	put_line(m);
	return length + 1;
}

void objects_end(struct markup *m)
{
	if (m->head_size)
		put_line(m);
}

/* ---- frames -------------------------------------------------------------- */

/* Write a function whose linkage name is NAME, and its readable form unless
 * that has more than MOST bytes.  The object stays open. */
static void begin_function(struct markup *m, const char *name, size_t most)
{
	/* LASTING only heeds --no-demangle here: NAME may be a copy, so no
	 * cache may keep its address. */
	const char *readable = markup_demangle(m, name, true);

	if (strnlen(readable, most + 1) > most)
		readable = name;

	json_object(&m->json, NULL);
	json_string(&m->json, "function", readable);
	if (strcmp(readable, name) != 0)
		json_string(&m->json, "linkage_name", name);
}

static void put_function(struct markup *m, const struct gsym_markup_frame *f,
			 bool inlined)
{
	begin_function(m, f->function, SIZE_MAX - 1);
	if (*f->basename)
		json_path(&m->json, "file", f->directory, f->basename);
	if (f->line)
		json_number(&m->json, "line", f->line);
	json_number(&m->json, "offset", f->offset);
	if (inlined)
		json_bool(&m->json, "inlined", true);
	json_end(&m->json);
}

/* Write the function that the log names.  A short name may be made to have a
 * very long readable form. */
static void put_named(struct markup *m, const char *name, size_t size)
{
	char copy[LONGEST_NAME + 1];

	if (size > LONGEST_NAME || memchr(name, '\0', size)) {
		json_object(&m->json, NULL);
		json_text(&m->json, "function", name, size);
	} else {
		memcpy(copy, name, size);
		copy[size] = '\0';
		begin_function(m, copy, 64 + 4 * size);
	}
	json_end(&m->json);
}

void objects_frame(void *context, const struct gsym_markup_stack_frame *frame)
{
	struct markup *m = context;
	struct json *json = &m->json;

	json_object(json, NULL);
	json_number(json, "line", frame->line);
	json_number(json, "frame", frame->number);
	if (frame->process_size)
		json_text(json, "process", frame->process, frame->process_size);
	if (frame->module_size)
		json_text(json, "module", frame->module, frame->module_size);
	if (frame->count)
		json_hex(json, "address", frame->address);
	json_bool(json, "found", frame->count > 0);
	json_array(json, "functions");
	for (size_t i = 0; i < frame->count; i++)
		put_function(m, &frame->frames[i], i + 1 < frame->count);
	if (!frame->count && frame->name_size)
		put_named(m, frame->name, frame->name_size);
	json_end(json);
	json_end_line(json);
}

void objects_explain(void *context, uint64_t line, const char *text)
{
	struct markup *m = context;

	json_object(&m->json, NULL);
	json_number(&m->json, "line", line);
	json_string(&m->json, "explain", text);
	json_end_line(&m->json);
}

/* ---- dumpfile elements --------------------------------------------------- */

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

/* A callback of the filter: append the object of DUMP to the objects for the
 * file of --dumpfile-output. */
void markup_dump(void *context, const struct gsym_markup_dump *dump)
{
	struct markup *m = context;
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
