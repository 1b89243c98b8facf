/* SPDX-License-Identifier: MIT */
/*
 * gsym-create - convert the debug info and symbols of a program into a GSYM
 * file.  Here is the order of things; libgsym-convert reads, libgsym writes.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/threads.h"
#include "create.h"

enum {
	OPT_OUT_FILE = 1,
	OPT_FORMAT,
	OPT_ENDIAN,
	OPT_NUM_THREADS,
	OPT_READER,
	OPT_VERIFY,
	OPT_SECTION_BASE,
	OPT_ARCH,
	OPT_STRICT,
	OPT_JSON,
	OPT_QUIET,
	OPT_VERBOSE,
};

static const struct option_spec create_options[] = {
	{ 0, 0, NULL, NULL, "Output" },
	{ OPT_OUT_FILE, 'o', "out-file", "OUT",
	  "write to OUT instead of INPUT.gsym; '-' is\n"
	  "standard output" },
	{ OPT_FORMAT, 0, "format", "VERSION",
	  "v1 (the default) or v2, which has no limit of\n"
	  "4 GiB and is not known to LLVM 22" },
	{ OPT_ENDIAN, 0, "endian", "ORDER",
	  "little or big; default: that of INPUT" },
	{ 0, 0, NULL, NULL, "Conversion" },
	{ OPT_NUM_THREADS, 'j', "num-threads", "N",
	  "use N threads; default: one per processor.  The\n"
	  "output does not depend on it" },
	{ OPT_READER, 0, "reader", "WHICH",
	  "who reads the DWARF: own (the default) or\n"
	  "libdwarf, which takes longer" },
	{ OPT_SECTION_BASE, 0, "section-base", "NAME=ADDRESS",
	  "INPUT is a relocatable object, and its section\n"
	  "NAME is at ADDRESS; once for each section" },
	{ OPT_ARCH, 0, "arch", "ARCH",
	  "of a universal Mach-O file, convert what is for\n"
	  "ARCH (x86_64, arm64, ..., or the number of a CPU\n"
	  "type).  May be repeated.  Default: all; several\n"
	  "are written to OUT.ARCH each" },
	{ OPT_STRICT, 0, "strict", NULL,
	  "damage in INPUT is an error, not a warning" },
	{ 0, 0, NULL, NULL, "Checks" },
	{ OPT_VERIFY, 0, "verify", NULL,
	  "read INPUT a second time, through libdwarf, and\n"
	  "report every difference; exit 1 if there is one" },
	{ 0, 0, NULL, NULL, "Reports" },
	{ OPT_JSON, 0, "json", NULL, "the summary as JSON on standard output" },
	{ OPT_QUIET, 'q', "quiet", NULL, "no summary, no progress, no warnings" },
	{ OPT_VERBOSE, 'v', "verbose", NULL,
	  "every warning and difference, and the times" },
	{ 0 }
};

static const char *const create_examples[] = {
	"gsym-create prog", "write prog.gsym",
	"gsym-create -o libc.gsym /usr/lib/debug/.build-id/8f/...debug",
	"convert a separate debug file", "gsym-create --verify --json prog",
	"check the result, and report as JSON", NULL
};

static const struct tool create_tool = {
	.name = "gsym-create",
	.operands = "INPUT",
	.summary = "Convert the debug info and symbols of INPUT (an ELF or "
		   "Mach-O program, library,\nobject or debug file, or a "
		   "dSYM folder) to a GSYM file, for gsym-lookup and\n"
		   "everything else that reads GSYM.",
	.options = create_options,
	.examples = create_examples,
	.exit_status = "0 done; 1 --verify found a difference (OUT is there); "
		       "2 something\nwent wrong (OUT is as it was).",
};

/* Take NAME=ADDRESS.  No number has a '=', but a name may have. */
static void add_section_base(struct create *create, const char *text)
{
	const char *equals = strrchr(text, '=');
	if (!equals || equals == text)
		die_usage("'%s' is not NAME=ADDRESS", text);
	struct gsym_section_base *bases =
		reallocarray(create->section_bases,
			     create->section_base_count + 1, sizeof(*bases));
	char *name = strndup(text, (size_t)(equals - text));
	if (!bases || !name)
		die("out of memory");
	create->section_bases = bases;
	struct gsym_section_base *base = &bases[create->section_base_count++];
	base->name = name;
	enum number_result result = number_parse(
		equals + 1, strlen(equals + 1), &base->address);
	if (result != NUMBER_OK)
		die_usage("'%s' is %s", equals + 1, number_problem(result));
}

static void free_section_bases(struct create *create)
{
	for (size_t i = 0; i < create->section_base_count; i++)
		free((char *)create->section_bases[i].name);
	free(create->section_bases);
}

static void add_wanted(struct create *create, const char *text)
{
	create->wanted = reallocarray(create->wanted, create->wanted_count + 1,
				      sizeof(*create->wanted));
	if (!create->wanted)
		die("out of memory");
	create->wanted[create->wanted_count++] = text;
}

static void parse_options(struct create *create, struct options *options)
{
	static const char *const formats[] = { "v1", "v2", NULL };
	static const char *const orders[] = { "little", "big", NULL };
	static const char *const readers[] = { "own", "libdwarf", NULL };
	int id;

	while ((id = options_next(options)) > 0) {
		switch (id) {
		case OPT_OUT_FILE:
			create->output = options->value;
			break;
		case OPT_FORMAT:
			create->version = options_choice(options, formats) + 1;
			break;
		case OPT_ENDIAN:
			create->order = options_choice(options, orders) + 1;
			break;
		case OPT_NUM_THREADS:
			create->threads = options_number(options, 1, 1024);
			break;
		case OPT_READER:
			create->reader = options_choice(options, readers);
			break;
		case OPT_VERIFY:
			create->verify = true;
			break;
		case OPT_SECTION_BASE:
			add_section_base(create, options->value);
			break;
		case OPT_ARCH:
			add_wanted(create, options->value);
			break;
		case OPT_STRICT:
			create->strict = true;
			break;
		case OPT_JSON:
			create->json = true;
			break;
		case OPT_QUIET:
			create->quiet = true;
			break;
		case OPT_VERBOSE:
			create->verbose = true;
			break;
		}
	}
	if (id == OPTION_END)
		die_usage("no INPUT is given");
	create->input = options->value;
	if (options_next(options) != OPTION_END)
		die_usage("more than one INPUT is given: '%s'",
			  options->value);
	if (create->quiet && create->verbose)
		die_usage("--quiet and --verbose contradict each other");
	if (create->json && create->output && strcmp(create->output, "-") == 0)
		die_usage("--json and the output cannot both go to standard "
			  "output");
}

/* Where the output goes if nobody says: beside the input, also if that is a
 * folder. */
static char *default_output(const char *input)
{
	int length = (int)strlen(input);
	char *name;
	while (length > 1 && input[length - 1] == '/')
		length--;
	if (asprintf(&name, "%.*s.gsym", length, input) < 0)
		die("out of memory");
	return name;
}

/* Damage that the conversion survived, as opposed to facts worth knowing. */
static bool is_damage(enum gsym_warning kind)
{
	switch (kind) {
	case GSYM_WARN_BAD_UNIT:
	case GSYM_WARN_BAD_DIE:
	case GSYM_WARN_BAD_RANGES:
	case GSYM_WARN_BAD_LINE_TABLE:
	case GSYM_WARN_BAD_FILE_INDEX:
	case GSYM_WARN_MISSING_FILE:
	case GSYM_WARN_BAD_SYMBOL:
	case GSYM_WARN_SIZE_LIMIT:
	case GSYM_WARN_BAD_RELOCATION:
		return true;
	default:
		return false;
	}
}

static void note_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	struct conversion *conversion = context;
	const struct create *create = conversion->create;
	if ((unsigned)kind >= GSYM_WARN_COUNT)
		return;
	struct warning *warning = &conversion->warnings[kind];
	if (warning->count++ == 0)
		snprintf(warning->first, sizeof(warning->first), "%s", text);
	if (is_damage(kind) && !conversion->damage[0])
		snprintf(conversion->damage, sizeof(conversion->damage), "%s",
			 text);
	if (create->verbose && !conversion->second)
		warn("warning: %s: %s", gsym_warning_name(kind), text);
}

static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	progress_update(done, total);
	return true;
}

/* Convert the input, through READER, to an image in memory. */
static void convert(struct conversion *conversion,
		    enum gsym_dwarf_reader reader, const char *what)
{
	const struct create *create = conversion->create;
	struct gsym_error error = { 0 };
	const struct gsym_convert_options options = {
		.threads = create->threads,
		.reader = reader,
		.architecture = create->architecture,
		.warn = note_warning,
		.progress = show_progress,
		.context = conversion,
		.section_bases = create->section_bases,
		.section_base_count = create->section_base_count,
	};
	struct gsym_builder *builder = gsym_builder_new();
	if (!builder)
		die("out of memory");
	progress_start(what, create->quiet);
	enum gsym_status status = gsym_convert_file(create->input, &options,
						    builder, &conversion->facts,
						    &error);
	progress_end();
	if (status != GSYM_OK)
		die_status("read", create->input, status, &error);
	if (create->strict && conversion->damage[0])
		die("cannot convert '%s': it is damaged: %s", create->input,
		    conversion->damage);

	const struct gsym_build_options build = {
		.version = create->version,
		.big_endian = create->order ? create->order == 2
					    : conversion->facts.big_endian,
		.threads = create->threads,
	};
	conversion->big_endian = build.big_endian;
	status = gsym_builder_finish(builder, &build, &conversion->bytes,
				     &conversion->size, &conversion->summary,
				     &error);
	gsym_builder_free(builder);
	if (status == GSYM_NOT_FOUND)
		die("cannot convert '%s': it has no functions", create->input);
	if (status == GSYM_ERR_LIMIT)
		die("cannot convert '%s': %s; --format=v2 has room for it",
		    create->input, report_reason(status, &error));
	if (status != GSYM_OK)
		die_status("convert", create->input, status, &error);
}

/* Convert one program of the input, from reading it to the report.  Returns
 * the number of differences that --verify found. */
static uint64_t create_one(const struct create *create)
{
	struct conversion first = { .create = create };
	struct conversion second = { .create = create, .second = true };
	struct verification verification = { 0 };
	double start = create_seconds();

	outfile_open(create->output, create->input);
	convert(&first, create->reader, "reading");
	first.seconds = create_seconds() - start;
	if (create->verify) {
		convert(&second, GSYM_READER_LIBDWARF,
			"reading again through libdwarf");
		create_verify(&first, &second, &verification);
		free(second.bytes);
	}
	outfile_commit(first.bytes, first.size);
	create_report(&first, &verification);
	free(first.bytes);
	return verification.differences;
}

/* Convert all programs that were asked for, several to a file each. */
static uint64_t create_all(struct create *create)
{
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
		if (count > 1 && asprintf(&name, "%s.%s", output,
					  architectures[i].name) < 0)
			die("out of memory");
		create->output = name ? name : output;
		create->architecture = count ? architectures[i].name : NULL;
		differences += create_one(create);
		free(name);
	}
	free(architectures);
	return differences;
}

int main(int argc, char **argv)
{
	struct create create = {
		.version = 1,
		.threads = threads_usable(),
		.reader = GSYM_READER_OWN,
	};
	struct options options;
	char *made = NULL;

	report_start("gsym-create");
	create.start = create_seconds();
	options_init(&options, &create_tool, argc, argv);
	parse_options(&create, &options);
	if (!create.output)
		create.output = made = default_output(create.input);
	uint64_t differences = create_all(&create);

	free(made);
	free_section_bases(&create);
	free(create.wanted);
	options_fini(&options);
	return differences ? STATUS_NO : STATUS_DONE;
}
