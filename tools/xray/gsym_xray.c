/* SPDX-License-Identifier: MIT */
/* gsym-xray - show traces of LLVM's XRay, with names and lines. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "xray/xray.h"

/* ---- traces -------------------------------------------------------------- */

/* Report and count a damage of the trace that is being opened. */
static void note_damage(void *context, enum gsym_xray_damage damage,
			uint64_t offset, const char *text)
{
	struct xray *x = context;
	struct xray_damages *d = &x->traces[x->reading].damages;
	uint64_t number = d->counts[damage]++;
	if (x->check) {
		out_foreign(&x->out, x->traces[x->reading].path);
		out_printf(&x->out, ": %s\n", text);
		x->status = STATUS_NO;
		return;
	}
	if (number >= XRAY_DAMAGES_TOLD)
		return;
	d->offsets[damage][number] = offset;
	d->texts[damage][number] = must_have(strdup(text));
	/* The command info lists damages itself. */
	if (x->warn_of_damage)
		report_note("'%s': %s", x->traces[x->reading].path, text);
}

static bool note_progress(void *context, uint64_t done, uint64_t total)
{
	struct xray *x = context;
	report_work_done(done, total);
	xray_drop_pages(&x->traces[x->reading].bytes, done);
	return true;
}

/* Warn of damages that note_damage has counted and not reported. */
static void sum_damages(const struct xray *x, size_t trace)
{
	const struct xray_damages *d = &x->traces[trace].damages;
	for (int i = 0; i < GSYM_XRAY_DAMAGE_COUNT; i++)
		if (d->counts[i] > XRAY_DAMAGES_TOLD && x->warn_of_damage)
			report_note("'%s': damages of kind %s: %" PRIu64,
				    x->traces[trace].path,
				    gsym_xray_damage_name(i), d->counts[i]);
}

static void open_traces(struct xray *x)
{
	struct gsym_xray_options options = {
		.strict = x->strict,
		.damage = note_damage,
		.progress = note_progress,
		.context = x,
	};
	for (size_t i = 0; i < x->trace_count; i++) {
		struct xray_trace *t = &x->traces[i];
		struct gsym_error error = { 0 };
		x->reading = i;
		report_work("indexing");
		enum gsym_status status =
			gsym_xray_open(t->bytes.data, t->bytes.size, &options,
				       &t->log, &error);
		if (status == GSYM_OK && x->check)
			status = gsym_xray_check(t->log, &options, &error);
		report_work_end();
		must_succeed("read", t->path, status, &error);
		sum_damages(x, i);
	}
}

static void close_traces(struct xray *x)
{
	for (size_t i = 0; i < x->trace_count; i++) {
		gsym_xray_close(x->traces[i].log);
		for (int k = 0; k < GSYM_XRAY_DAMAGE_COUNT; k++)
			for (int n = 0; n < XRAY_DAMAGES_TOLD; n++)
				free(x->traces[i].damages.texts[k][n]);
	}
	free(x->traces);
}

/* ---- start and end ------------------------------------------------------- */

static void open_output(struct xray *x)
{
	if (x->output && strcmp(x->output, "-") != 0) {
		outfile_open(x->output, NULL);
		out_init(&x->out, outfile_descriptor(), x->output,
			 OUT_COLOUR_NEVER);
	} else {
		x->output = NULL;
		out_init(&x->out, STDOUT_FILENO, "standard output",
			 OUT_COLOUR_NEVER);
	}
	json_init(&x->json, &x->out);
}

/* Warn that functions were shown by number because no map has them. */
static void warn_unmapped(const struct xray *x)
{
	if (x->unmapped && !x->misfit)
		report_note(
			"the map does not match the trace: it has no function "
			"#%" PRIu32,
			x->unmapped);
	/* Of the program, whose bit is 0, all users of -m know. */
	for (int i = 1; i < XRAY_OBJECTS && !x->llvm; i++)
		if (x->unnamed & 1u << i)
			report_note("functions of the shared object %d have no "
				    "names: "
				    "--object=%d=FILE names its file",
				    i, i);
}

/* Limit this process to reading files and writing the output. */
static void protect(const struct xray *x)
{
	int output = -1;
	struct sandbox s = { .mode = sandbox_asked(), .outputs = &output };

	if (sandbox_asked() == SANDBOX_OFF)
		return;
	if (x->output)
		output = outfile_place(x->output);
	s.output_count = output >= 0;
	sandbox_enter(&s);
	if (output >= 0)
		close(output);
}

/* Map the files of X and X->after for COMMAND.  This may make temporary files,
 * so it comes before the sandbox. */
static void map_inputs(struct xray *x, const struct xray_command *command)
{
	for (; x; x = x->after) {
		for (size_t i = 0; command->bit & TRACES && i < x->trace_count;
		     i++)
			xray_map_file(x->traces[i].path, &x->traces[i].bytes);
		for (int i = 0; i < XRAY_OBJECTS; i++)
			if (x->objects[i].path)
				xray_map_file(x->objects[i].path,
					      &x->objects[i].bytes);
	}
}

/* Whether COMMAND shows names. */
static bool has_names(const struct xray *x, const struct xray_command *command)
{
	return command->bit & (NAMES | EXTRACT) && !x->check && !x->llvm;
}

/* A source by the options.  CONVERTS: it may convert. */
static struct source *make_source(bool converts)
{
	return source_new(source_asked(), &(struct source_host){
		.converts = converts ? SOURCE_CONVERTS : SOURCE_CONVERTS_NEVER,
		.silent = report_is_quiet(),
	});
}

/* In a sandbox no child runs: make the names of programs before. */
static void convert_before_sandbox(struct xray *x,
				   const struct xray_command *command)
{
	if (sandbox_asked() == SANDBOX_OFF || !has_names(x, command))
		return;
	struct source *source = make_source(true);
	for (; x; x = x->after) {
		x->source = source;
		xray_names_convert(x);
	}
	source_free(source);
}

/* Open the traces, maps and clocks of X for COMMAND. */
static void open_inputs(struct xray *x, const struct xray_command *command)
{
	if (command->bit & TRACES)
		open_traces(x);
	xray_names_open(x);
	if (command->bit & TRACES) {
		xray_clocks_open(x);
		if (!report_is_quiet()) {
			xray_check_maps(x);
			xray_check_frequencies(x);
		}
	}
	if (has_names(x, command))
		xray_names_load(x);
}

/* The output may have so many bytes for each byte of the inputs, and so many
 * more.  A call has 16 bytes or more in a trace, and a name of hundreds of
 * bytes in the output.  But stacks with all their frames can have bytes in
 * proportion to the square of the calls, and many functions can share one long
 * name. */
#define OUTPUT_SHARE GSYM_LIMIT(64, 1)
#define OUTPUT_SPARE GSYM_LIMIT(64 << 20, 4096)

/* The size of the file PATH, which may be NULL. */
static uint64_t size_of(const char *path)
{
	struct stat st;
	return path && stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void limit_output(struct xray *x)
{
	uint64_t bytes = 0;
	for (const struct xray *side = x; side; side = side->after) {
		for (size_t i = 0; i < side->trace_count; i++)
			bytes += side->traces[i].bytes.size;
		for (int i = 0; i < XRAY_OBJECTS; i++)
			bytes += size_of(side->objects[i].path);
		bytes += size_of(side->gsym_path);
	}
	out_limit(&x->out, bytes * OUTPUT_SHARE + OUTPUT_SPARE,
		  "the output has many times the size of the traces and "
		  "programs, so its rest is left out; --top, where the "
		  "command has it, shows the first lines");
}

int main(int argc, char **argv)
{
	/* Static, so that leak checkers find what die leaves allocated. */
	static struct xray x;
	const struct xray_command *command;

	report_start("gsym-xray");
	x.traces = must_have(calloc(argc + 1, sizeof(*x.traces)));
	command = xray_options_parse(&x, argc, argv);
	x.warn_of_damage = command->bit != INFO;
	if (!x.no_demangle)
		x.demangler = demangler_new(0);
	open_output(&x);
	map_inputs(&x, command);
	convert_before_sandbox(&x, command);
	protect(&x);
	x.source = make_source(sandbox_asked() == SANDBOX_OFF);
	for (struct xray *side = &x; side; side = side->after) {
		side->demangler = x.demangler;
		side->source = x.source;
		open_inputs(side, command);
	}
	limit_output(&x);
	command->run(&x);
	out_fini(&x.out);
	if (x.output)
		outfile_commit(NULL, 0);
	for (struct xray *side = &x; side; side = side->after) {
		warn_unmapped(side);
		close_traces(side);
		xray_names_close(side);
	}
	free(x.after);
	gsym_demangler_free(x.demangler);
	source_free(x.source);
	source_options_fini(source_asked());
	free(x.event_types);
	return x.status;
}
