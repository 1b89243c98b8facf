/* SPDX-License-Identifier: MIT */
/*
 * create/convert.c - the steps of a conversion, from opening the output to the
 * report.  libgsym-convert reads the input, libgsym writes the image.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "common/path.h"
#include "common/progress.h"
#include "common/report.h"
#include "create/create.h"

/* Whether warnings of KIND are about damage: --strict makes them an error. */
static bool is_damage(enum gsym_warning kind)
{
	switch (kind) {
	case GSYM_WARN_BAD_UNIT:
	case GSYM_WARN_BAD_DIE:
	case GSYM_WARN_BAD_RANGES:
	case GSYM_WARN_BAD_LINE_TABLE:
	case GSYM_WARN_BAD_FILE_INDEX:
	case GSYM_WARN_MISSING_FILE:
	case GSYM_WARN_BAD_SECTION:
	case GSYM_WARN_BAD_SYMBOL:
	case GSYM_WARN_SIZE_LIMIT:
	case GSYM_WARN_BAD_RELOCATION:
	case GSYM_WARN_BAD_RECORD:
	case GSYM_WARN_BAD_GO_TABLE:
	case GSYM_WARN_WORK_LIMIT:
		return true;
	default:
		return false;
	}
}

/* The callback `warn` of gsym_convert_options. */
static void note_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	struct conversion *conversion = context;
	const struct create *create = conversion->create;
	if ((unsigned)kind >= GSYM_WARN_COUNT)
		return;
	struct warning *warning = &conversion->warnings[kind];
	unsigned shown = warning->shown;
	if (shown < CREATE_SHOWN &&
	    (!shown || strcmp(warning->first[shown - 1], text) != 0)) {
		snprintf(warning->first[shown], sizeof(warning->first[0]),
			 "%s", text);
		warning->shown++;
	}
	warning->count++;
	conversion->damages += is_damage(kind);
	if (is_damage(kind) && !conversion->damage[0])
		snprintf(conversion->damage, sizeof(conversion->damage), "%s",
			 text);
	/* --strict reports orphans and conflicts one by one. */
	bool each = create->strict && !create->quiet &&
		    (kind == GSYM_WARN_ORPHAN || kind == GSYM_WARN_CONFLICT);
	if ((create->verbose || each) && !conversion->second)
		warn("warning: %s: %s", gsym_warning_name(kind), text);
}

/* The callback `progress` of gsym_convert_options. */
static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	progress_update(done, total);
	return true;
}

/* End because the input has no functions.  The message names the likely
 * reason: the debug file is missing, or Go's table of functions is damaged. */
static _Noreturn void die_empty(const struct conversion *conversion)
{
	const struct warning *why =
		&conversion->warnings[GSYM_WARN_MISSING_FILE];

	create_set_outcome("empty");
	if (conversion->create->in_tree) {
		create_note_outcome(conversion->create,
				    conversion->create->input, "empty", NULL);
		outfile_abandon();
		exit(CREATE_EMPTY);
	}
	if (!why->count)
		why = &conversion->warnings[GSYM_WARN_BAD_GO_TABLE];
	const char *advice = create_advice(conversion);
	die("cannot convert '%s': it has no functions%s%s%s%s",
	    conversion->create->input, why->count ? ": " : "", why->first[0],
	    advice ? "; if it is stripped, try " : "", advice ? advice : "");
}

/* Read the input into a new builder.  READER reads its DWARF; WHAT is the text
 * of the progress line.  Dies on failure. */
static struct gsym_builder *read_input(struct conversion *conversion,
				       enum gsym_dwarf_reader reader,
				       const char *what)
{
	const struct create *create = conversion->create;
	struct gsym_error error = { 0 };
	const char *folder = getenv("TMPDIR");
	const struct gsym_convert_options options = {
		.threads = create->threads,
		.reader = reader,
		.from = create->from,
		.merged_functions = create->merged,
		.call_sites = create->call_sites,
		.data_symbols = create->data,
		.architecture = create->program && create->arch_count
					? create->archs[0]
					: create->architecture,
		.base = create->base,
		.program_file = create->program,
		.warn = note_warning,
		.progress = show_progress,
		.context = conversion,
		.section_bases = create->section_bases,
		.section_base_count = create->section_base_count,
		.debug_file = create->debug_file,
		.symtab_file = create->symtab_file,
		.package = create->package,
		.object_prefix = create->object_prefix,
		.debug_directories = create->directories,
		.debug_directory_count = create->directory_count,
		.file = create_note_file,
		.fetch = create->debuginfod ? create_fetch : NULL,
		.temporary_directory = create->temporary   ? create->temporary
				       : folder && *folder ? folder
							   : NULL,
	};
	struct gsym_builder *builder = gsym_builder_new();
	if (!builder)
		die("out of memory");
	conversion->what = what;
	progress_start(what, create->quiet);
	enum gsym_status status = gsym_convert_file(create->input, &options,
						    builder, &conversion->facts,
						    &error);
	progress_end();
	if (status != GSYM_OK)
		die_status("read", create->input, status, &error);
	if (create->strict && conversion->damage[0]) {
		create_set_outcome("damaged");
		die("cannot convert '%s': it is damaged: %s", create->input,
		    conversion->damage);
	}

	if (create->yaml)
		create_callsites(create->yaml, builder);
	return builder;
}

/* Make the image of the records in BUILDER, and free BUILDER.  The image is
 * written to the output if STREAM, else it is left in memory.  Dies on
 * failure. */
static void make_image(struct conversion *conversion,
		       struct gsym_builder *builder, bool stream)
{
	const struct create *create = conversion->create;
	struct gsym_error error = { 0 };
	const struct gsym_build_options build = {
		/* An image to be cut into segments may exceed version 1's
		 * limit of 4 GiB. */
		.version = create->segment_size ? 2 : create->version,
		.big_endian = create->order ? create->order == 2
					    : conversion->facts.big_endian,
		.threads = create->threads,
		.merge = create->merged,
		.checksum = create->checksum,
		.no_lines = create->no_lines,
		.no_inlines = create->no_inlines,
	};
	enum gsym_status status;
	size_t size = 0;

	conversion->big_endian = build.big_endian;
	if (stream) {
		status = gsym_builder_write(builder, &build, create_put_piece,
					    NULL, &conversion->size,
					    &conversion->summary, &error);
	} else {
		status = gsym_builder_finish(builder, &build,
					     &conversion->bytes, &size,
					     &conversion->summary, &error);
		conversion->size = size;
	}
	gsym_builder_free(builder);
	if (status == GSYM_OK)
		return;
	if (status == GSYM_ERR_IO)
		outfile_commit(NULL, 0); /* dies with the reason */
	if (status == GSYM_ERR_ARGUMENT && create->yaml)
		die_status("use", create->yaml, status, &error);
	if (status == GSYM_NOT_FOUND)
		die_empty(conversion);
	if (status == GSYM_ERR_LIMIT)
		die("cannot convert '%s': %s; --format=v2 has room for it",
		    create->input, report_reason(status, &error));
	die_status("convert", create->input, status, &error);
}

/* Convert CREATE->architecture of the input, from opening the output to the
 * report.  Returns the number of differences that --verify found. */
static uint64_t convert_one(struct create *create)
{
	struct conversion first = { .create = create };
	struct conversion second = { .create = create, .second = true };
	struct verification verification = { 0 };
	struct gsym_builder *builder;
	bool stream;
	double start = create_seconds();

	create_open_output(create);
	builder = read_input(&first, create->reader, "reading");
	stream = create_may_stream(&first);
	if (stream)
		create_open_installed(&first);
	make_image(&first, builder, stream && outfile_is_file());
	first.seconds = create_seconds() - start;
	if (create->verify && first.facts.format == GSYM_FORMAT_GSYM) {
		create_verify(&first, NULL, &verification);
	} else if (create->verify) {
		make_image(&second,
			   read_input(&second, GSYM_READER_LIBDWARF,
				      "reading again through libdwarf"), false);
		create_verify(&first, &second, &verification);
		free(second.bytes);
	}
	if (!stream)
		create_open_installed(&first);
	create_finish_output(&first);
	if (create->installed)
		create_link_release(create, create->input, create->installed);
	create_report(&first, &verification);
	free(first.debug_file);
	free(second.debug_file);
	free(first.bytes);
	return verification.differences;
}

uint64_t create_all(struct create *create)
{
	/* Each of several architectures has an output file of its own. */
	size_t count;
	struct gsym_architecture *architectures =
		create_architectures(create, &count);
	const char *output = create->output;
	uint64_t differences = 0;

	if (count > 1 && strcmp(output, "-") == 0)
		die("cannot write %zu architectures to standard output: "
		    "--arch chooses one", count);
	for (size_t i = 0; i < count || i == 0; i++) {
		char *name = NULL;
		if (count > 1)
			name = path_print("%s.%s", output,
					  architectures[i].name);
		create->output = name ? name : output;
		create->architecture = count ? architectures[i].name : NULL;
		differences += convert_one(create);
		free(name);
	}
	free(architectures);
	return differences;
}
