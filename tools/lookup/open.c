/* SPDX-License-Identifier: MIT */
/* lookup/open.c - opens the GSYM data: of FILE, or of a build ID. */
#include "config.h"

#include "common/number.h"
#include "common/report.h"
#include "common/sandbox.h"
#include "lookup/lookup.h"

/* The most notes about files that --stream cannot use: there may be as many as
 * lines. */
enum { STREAM_NOTES = 8 };

/* A callback of the source. */
static void note(void *context, const char *text)
{
	struct lookup *l = context;

	if (l->stream && l->notes++ >= STREAM_NOTES)
		return;
	report_note("note: %s", text);
}

static void start_source(struct lookup *l)
{
	bool file = lookup_of_file(l);
	const struct source_host host = {
		.context = l,
		.note = note,
		.converts = file && sandbox_asked() == SANDBOX_OFF,
		.silent = file,
		.files_only = file && sandbox_asked() != SANDBOX_OFF,
		.any = l->any,
		.check = l->check,
		.copy = l->copy,
	};

	/* Variables of the environment are no contradiction to --sandbox. */
	source_asked()->no_convert |= sandbox_asked() != SANDBOX_OFF;
	l->source = source_new(source_asked(), &host);
}

/* Find the GSYM data for --build-id, and open them. */
static void open_by_id(struct lookup *l)
{
	const struct gsym_store_entry *entry;
	struct gsym_error error = { 0 };
	uint8_t id[64];
	size_t size = number_parse_bytes(l->build_id, id, sizeof(id));
	enum source_answer answer;

	if (!size)
		die_usage("'%s' is not a build ID", l->build_id);
	answer = source_find(l->source, id, size, &entry, &error);
	if (answer == SOURCE_FAILED && error.code)
		die("%s", report_reason(error.code, &error));
	if (answer != SOURCE_HAVE)
		die("there is no GSYM file for the build ID %s", l->build_id);
	l->path = gsym_store_path(entry);
	l->reader = gsym_store_reader(entry);
}

/* Open FILE, which is L->path. */
static void open_file(struct lookup *l)
{
	const struct source_program program = { .path = l->path };
	struct source_symbols *s = &l->symbols;

	if (source_open(l->source, &program, s) != SOURCE_HAVE)
		source_refuse(l->source, l->path, s);
	l->reader = s->reader;
	if (s->converted)
		report_note("note: '%s' was converted%s; 'gsym-create %s' "
			    "makes '%s.gsym', which lasts", l->path,
			    s->kept ? ", and the result is in the cache"
				    : " for this run alone",
			    l->path, l->path);
	else if (s->path)
		l->path = s->path;
}

void lookup_open(struct lookup *l)
{
	if (!l->copy)
		report_cut_files(!lookup_of_process(l));
	start_source(l);
	if (lookup_of_process(l))
		lookup_open_process(l);
	else if (l->build_id)
		open_by_id(l);
	else if (!l->stream)
		open_file(l);
}

void lookup_close(struct lookup *l)
{
	lookup_close_process(l);
	source_close(&l->symbols);
	source_free(l->source);
	source_options_fini(source_asked());
}
