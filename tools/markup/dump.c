/* SPDX-License-Identifier: MIT */
/* dumpfile elements: a JSON file with the memory that the log described.  Names
 * from the log are data, never paths. */
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

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
