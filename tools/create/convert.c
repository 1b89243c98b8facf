/* SPDX-License-Identifier: MIT */
/*
 * create/convert.c - the steps of a conversion, from opening the output to the
 * report.  libgsym-convert reads the input, libgsym writes the image.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/system.h"
#include "common/debuginfod.h"
#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "create/create.h"
#include "second/second.h"

/* ---- architectures of a universal file ----------------------------------- */

/* Whether --arch names ARCHITECTURE, or is not given. */
static bool is_wanted(const struct create *create,
		      const struct gsym_architecture *architecture)
{
	for (size_t i = 0; i < create->archs.count; i++)
		if (gsym_architecture_matches(architecture,
					      create->archs.items[i]))
			return true;
	return create->archs.count == 0;
}

/* Die if an --arch names none of the COUNT architectures in ARRAY. */
static void check_wanted(const struct create *create,
			 const struct gsym_architecture *array, size_t count)
{
	for (size_t i = 0; i < create->archs.count; i++) {
		size_t k = 0;
		while (k < count && !gsym_architecture_matches(
					    &array[k], create->archs.items[i]))
			k++;
		if (k == count)
			die("'%s' has nothing for the architecture '%s'",
			    create->input, create->archs.items[i]);
	}
}

/* The architectures of the input that are to be converted: those that --arch
 * names, or all.  Returns a malloc'ed array of *COUNT; NULL if the format of
 * the input has one architecture only.  Dies if the input lacks an
 * architecture that --arch names. */
static struct gsym_architecture *
choose_architectures(const struct create *create, size_t *count)
{
	struct gsym_architecture *array = NULL;
	struct gsym_error error;
	size_t all = 0;
	enum gsym_status status = gsym_convert_architectures(
		create->input, NULL, 0, &all, &error);

	if (status == GSYM_OK && all > 0) {
		array = must_have(calloc(all, sizeof(*array)));
		size_t capacity = all;
		status = gsym_convert_architectures(create->input, array,
						    capacity, &all, &error);
		/* The file may have changed since the first call. */
		all = all < capacity ? all : capacity;
	}
	must_succeed("read", create->input, status, &error);
	*count = 0;
	if (!array)
		return NULL;
	check_wanted(create, array, all);
	for (size_t i = 0; i < all; i++)
		if (is_wanted(create, &array[i]))
			array[(*count)++] = array[i];
	return array;
}

/* ---- files besides the input --------------------------------------------- */

/* The callback `file` of gsym_convert_options; CONTEXT is the conversion. */
static void note_file(void *context, enum gsym_file_role role, const char *path,
		      const char *refused)
{
	static const char *const names[] = {
		[GSYM_FILE_DEBUG] = "debug file",
		[GSYM_FILE_SYMBOLS] = "symbol table file",
		[GSYM_FILE_ALTERNATE] = "supplementary file",
		[GSYM_FILE_OBJECT] = "object",
		[GSYM_FILE_STUBS] = "file with stubs",
		[GSYM_FILE_SPLIT] = "split unit",
		[GSYM_FILE_PACKAGE] = "package",
	};
	struct conversion *conversion = context;
	if (role == GSYM_FILE_DEBUG && !refused) {
		free(conversion->debug_file);
		conversion->debug_file = must_have(strdup(path));
	}
	if (role == GSYM_FILE_OBJECT && !refused)
		conversion->objects++;
	if (!refused && !conversion->second)
		create_note_dependency(conversion->create, path);
	if (conversion->create->verbose && !conversion->second)
		warn("%s '%s': %s", names[role], path,
		     refused ? refused : "used");
}

/* Show the progress of a transfer from a debuginfod server. */
static bool show_fetched(uint64_t done, uint64_t total)
{
	report_work_done(done, total);
	return true;
}

/* The callback `fetch` of gsym_convert_options; CONTEXT is the conversion. */
static enum gsym_status fetch_debug_file(void *context, const uint8_t *build_id,
					 size_t size, char **path,
					 struct gsym_error *error)
{
	struct conversion *conversion = context;
	struct create *create = conversion->create;
	if (!create->client)
		create->client = must_have(debuginfod_new(show_fetched));
	report_work_end();
	report_work("fetching the debug file");
	enum gsym_status status = debuginfod_get(create->client, build_id, size,
						 NULL, path, error);
	report_work_end();
	report_work(conversion->what);
	return status;
}

enum {
	UUID = 16,
	/* The most bytes of mdfind's output that are read. */
	MOST_OUTPUT = 1 << 16,
	MOST_SECONDS = 30,
};

/* In the child: messages of mdfind are not shown. */
static void prepare_mdfind(const void *owner)
{
	int null = open("/dev/null", O_WRONLY);

	(void)owner;
	if (null >= 0)
		dup2(null, STDERR_FILENO);
}

/* The first line of TEXT that is the path of a file, malloc'ed; NULL: there is
 * none. */
static char *first_path(char *text)
{
	char *line;
	struct stat st;

	while ((line = strsep(&text, "\n")))
		if (*line == '/' && stat(line, &st) == 0)
			return must_have(strdup(line));
	return NULL;
}

/* The path of the program mdfind, malloc'ed; NULL: there is none.  A relative
 * folder in PATH may be that of the input, whose files are not run. */
static char *find_mdfind(void)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *found = path_print("%.*s/mdfind", (int)length, at);

		if (*at == '/' && access(found, X_OK) == 0)
			return found;
		free(found);
		at += length + (at[length] == ':');
	}
	return NULL;
}

/* The callback `fetch_dsym` of gsym_convert_options: ask Spotlight, the index
 * of files of a Mac, by its program mdfind(1), for the dSYM folder, or the
 * archive of Xcode, with the UUID.  GSYM_NOT_FOUND: there is none, or no
 * Spotlight. */
static enum gsym_status find_dsym(void *context, const uint8_t *uuid,
				  size_t size, char **path,
				  struct gsym_error *error)
{
	char query[128] = "com_apple_xcode_dsym_uuids == ";
	char *program = size == UUID ? find_mdfind() : NULL;
	const char *const args[] = { program, query, NULL };
	struct run_answer answer = { .room = MOST_OUTPUT };
	const struct run_plan plan = { .args = args, .seconds = MOST_SECONDS,
				       .wake = -1, .answer = &answer,
				       .prepare = prepare_mdfind };
	const char *why;
	int status = 0;

	(void)context;
	*path = NULL;
	if (!program)
		return GSYM_NOT_FOUND;
	for (size_t i = 0; i < size; i++)
		sprintf(query + strlen(query), "%s%02X",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			uuid[i]);
	answer.bytes = must_have(calloc(1, MOST_OUTPUT + 1));
	why = run_and_wait(&plan, &status);
	if (!why && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		*path = first_path(answer.bytes);
	free(answer.bytes);
	free(program);
	if (why) {
		error->code = GSYM_ERR_IO;
		snprintf(error->message, sizeof(error->message), "mdfind: %s",
			 why);
		return GSYM_ERR_IO;
	}
	return *path ? GSYM_OK : GSYM_NOT_FOUND;
}

/* Whether --path-prefix-map has the word "auto". */
static bool is_automatic(const struct create *create)
{
	for (size_t i = 0; i < create->path_maps.count; i++)
		if (!strchr(create->path_maps.items[i], '='))
			return true;
	return false;
}

/* Map the paths of files that are added to the builder of C as the command line
 * says.  The word "auto" also maps the compilation directory, if that is
 * known. */
static void map_paths(const struct conversion *c)
{
	const struct create *create = c->create;
	const char *const automatic[] = { create->automatic };

	for (size_t i = 0; i < create->path_maps.count; i++) {
		const char *const *map = &create->path_maps.items[i];
		bool known = create->automatic && !strchr(*map, '=');

		must(gsym_builder_map_paths(c->builder, automatic, known) ==
			     GSYM_OK &&
		     gsym_builder_map_paths(c->builder, map, 1) == GSYM_OK);
	}
}

/* The callback `compiled_in` of gsym_convert_options: paths below DIRECTORY
 * become relative ones.  A map OLD=NEW cannot have a directory with "=".  The
 * conversions of --verify know the directory from the first one. */
static void note_directory(void *context, const char *directory)
{
	const struct conversion *c = context;
	bool root = directory[strlen(directory) - 1] == '/';

	if (strchr(directory, '='))
		return;
	free(c->create->automatic);
	c->create->automatic = path_print("%s%s=", directory, root ? "" : "/");
	map_paths(c);
}

/* ---- warnings ------------------------------------------------------------ */

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
	if (is_damage(kind) && !conversion->damage[0]) {
		snprintf(conversion->damage, sizeof(conversion->damage), "%s",
			 text);
		conversion->damage_kind = kind;
	}
	/* --strict reports orphans and conflicts one by one. */
	bool each = create->strict && !report_is_quiet() &&
		    (kind == GSYM_WARN_ORPHAN || kind == GSYM_WARN_CONFLICT);
	if ((create->verbose || each) && !conversion->second)
		warn("warning: %s: %s", gsym_warning_name(kind), text);
}

/* The callback `progress` of gsym_convert_options. */
static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	report_work_done(done, total);
	return true;
}

/* The likely reasons why there are no functions, in the SIZE bytes at RET: a
 * section that would have them is damaged, the debug file is missing, or Go's
 * table of functions is damaged. */
static void find_reasons(const struct conversion *conversion, char *ret,
			 size_t size)
{
	static const enum gsym_warning kinds[] = {
		GSYM_WARN_BAD_SECTION,
		GSYM_WARN_MISSING_FILE,
		GSYM_WARN_BAD_GO_TABLE,
	};
	size_t used = 0;

	*ret = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct warning *why = &conversion->warnings[kinds[i]];

		if (why->count && used < size)
			used += (size_t)snprintf(ret + used, size - used,
						 "%s%s", used ? "; " : ": ",
						 why->first[0]);
	}
}

/* End because the input has no functions.  If the ID of its file now leads to
 * the GSYM file that is installed for its build ID, that is no error.
 * Otherwise the message names the likely reasons. */
static _Noreturn void end_empty(const struct conversion *conversion)
{
	char reasons[1024];

	create_set_outcome("empty");
	if (conversion->create->in_tree) {
		create_note_outcome(conversion->create,
				    conversion->create->input, "empty", NULL);
		outfile_abandon();
		exit(CREATE_EMPTY);
	}
	if (conversion->file_id_known && !conversion->facts.partial &&
	    create_link_file_id(conversion->create, conversion->facts.uuid,
				conversion->facts.uuid_size,
				conversion->file_id)) {
		create_report_linked(conversion->create);
		outfile_abandon();
		exit(STATUS_DONE);
	}
	if (conversion->facts.partial)
		die("'%s' has no function at the addresses of --only-for",
		    conversion->create->input);
	const char *advice = create_advice(conversion);
	find_reasons(conversion, reasons, sizeof(reasons));
	die("cannot convert '%s': it has no functions%s%s%s",
	    conversion->create->input, reasons,
	    advice ? "; if it is stripped, try " : "", advice ? advice : "");
}

/* Die: CREATE->input could not be read, or converted (VERB). */
static _Noreturn void refuse(const struct create *create, const char *verb,
			     enum gsym_status status,
			     const struct gsym_error *error)
{
	if (status == GSYM_ERR_MEMORY && create->temporary_directory)
		die("cannot %s '%s': out of memory, or the folder '%s' is full",
		    verb, create->input, create->temporary_directory);
	die_status(verb, create->input, status, error);
}

/* Read the input into a new builder by CONVERT.  WHAT is the text of the
 * progress line.  Dies on failure. */
static struct gsym_builder *read_input(struct conversion *conversion,
				       gsym_second_fn *convert,
				       const char *what)
{
	const struct create *create = conversion->create;
	struct gsym_error error = { 0 };
	const char *folder = getenv("TMPDIR");
	struct gsym_convert_options options = create->convert;
	struct gsym_builder *builder = create_builder(create);
	conversion->builder = builder;
	conversion->what = what;
	options.threads = create->threads;
	if (conversion->symbols) {
		options.from = GSYM_FROM_SYMBOLS;
		options.eh_frame = true;
	}
	options.architecture = options.program_file && create->archs.count
				       ? create->archs.items[0]
				       : create->architecture;
	options.warn = note_warning;
	options.progress = show_progress;
	options.context = conversion;
	options.section_bases = create->section_bases.items;
	options.section_base_count = create->section_bases.count;
	options.addresses = create->addresses.items;
	options.address_count = create->addresses.count;
	options.debug_directories = create->directories.items;
	options.debug_directory_count = create->directories.count;
	options.file = note_file;
	if (create->debuginfod)
		options.fetch = fetch_debug_file;
	if (is_automatic(create) && !conversion->second)
		options.compiled_in = note_directory;
	if (!sandbox_asked())
		options.fetch_dsym = find_dsym;
	options.temporary_directory = create->temporary ? create->temporary
				      : create->temporary_directory
					      ? create->temporary_directory
				      : folder && *folder ? folder
							  : NULL;
	map_paths(conversion);
	report_work(what);
	enum gsym_status status = convert(create->input, &options, builder,
					  &conversion->facts, &error);
	report_work_end();
	if (status != GSYM_OK)
		refuse(create, "read", status, &error);
	if (create->strict && conversion->damage[0]) {
		bool missing =
			conversion->damage_kind == GSYM_WARN_MISSING_FILE;
		create_set_outcome(missing ? "incomplete" : "damaged");
		die("cannot convert '%s': %s: %s", create->input,
		    missing ? "a file is missing" : "it is damaged",
		    conversion->damage);
	}

	if (create->yaml && !conversion->symbols)
		create_callsites(create->yaml, builder);
	return builder;
}

static void note_contradictions(struct conversion *conversion,
				const struct gsym_builder *builder)
{
	struct warning *warning =
		&conversion->warnings[GSYM_WARN_CONTRADICTION];
	struct gsym_contradiction first;
	char text[sizeof(warning->first[0])];

	if (!gsym_builder_contradiction(builder, &first))
		return;
	snprintf(text, sizeof(text),
		 "at 0x%" PRIx64 " the symbol is %.60s and the function of the "
		 "debug info %.60s",
		 first.address, first.symbol,
		 *first.function ? first.function : "??");
	note_warning(conversion, GSYM_WARN_CONTRADICTION, text);
	warning->count = conversion->summary.contradictions;
}

/* Make the image of the records in BUILDER, and free BUILDER.  The image is
 * written to the output if STREAM, else it is left in memory.  Dies on
 * failure. */
static void make_image(struct conversion *conversion,
		       struct gsym_builder *builder, bool stream)
{
	const struct create *create = conversion->create;
	struct gsym_error error = { 0 };
	struct gsym_build_options build = create->build;
	enum gsym_status status;
	size_t size = 0;

	/* An image to be cut into segments may exceed version 1's limit of
	 * 4 GiB. */
	if (create->segment_size)
		build.version = 2;
	build.big_endian = create->order ? create->order == 2
					 : conversion->facts.big_endian;
	build.threads = create->threads;
	build.merge = create->convert.merged_functions || conversion->symbols;
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
	if (status == GSYM_OK)
		note_contradictions(conversion, builder);
	gsym_builder_free(builder);
	if (status == GSYM_OK ||
	    (status == GSYM_NOT_FOUND && conversion->symbols))
		return;
	if (status == GSYM_ERR_IO)
		outfile_commit(NULL, 0); /* dies with the reason */
	if (status == GSYM_ERR_ARGUMENT && create->yaml)
		die_status("use", create->yaml, status, &error);
	if (status == GSYM_NOT_FOUND)
		end_empty(conversion);
	if (status == GSYM_ERR_LIMIT)
		die("cannot convert '%s': %s; --format=v2 has room for it",
		    create->input, report_reason(status, &error));
	refuse(create, "convert", status, &error);
}

/* With --install: find the ID of the program's file, and let a program without
 * a build ID have that as its own. */
static void identify_file(struct conversion *c, struct gsym_builder *builder)
{
	if (c->create->install)
		create_read_file_id(c);
	if (!c->file_id_known || c->facts.uuid_size)
		return;
	memcpy(c->facts.uuid, c->file_id, FILE_ID);
	c->facts.uuid_size = FILE_ID;
	must(gsym_builder_set_uuid(builder, c->file_id, FILE_ID) == GSYM_OK);
}

/* Make the image of the symbols of CONVERSION's input, a file of FORMAT.  The
 * image stays NULL if there are no symbols with sizes: only ELF files and
 * WebAssembly modules have them. */
static void make_witness(struct conversion *conversion, enum gsym_format format)
{
	if ((format != GSYM_FORMAT_ELF && format != GSYM_FORMAT_WASM) ||
	    conversion->create->addresses.count)
		return;
	make_image(conversion,
		   read_input(conversion, gsym_convert_file,
			      "reading the symbols"),
		   false);
}

/* Convert CREATE->architecture of the input, from opening the output to the
 * report.  Returns the number of differences that --verify found. */
static uint64_t convert_one(struct create *create)
{
	struct conversion first = { .create = create };
	struct conversion second = { .create = create, .second = true };
	struct conversion third = { .create = create, .second = true,
				    .symbols = true };
	struct verification verification = { 0 };
	struct gsym_builder *builder;
	bool stream;
	int64_t start = clock_milliseconds();

	free(create->automatic);
	create->automatic = NULL;
	create_open_output(create);
	builder = read_input(&first,
			     create->reader == READER_LIBDWARF
				     ? gsym_second_convert
				     : gsym_convert_file,
			     "reading");
	identify_file(&first, builder);
	stream = create_may_stream(&first);
	if (stream)
		create_open_installed(&first);
	make_image(&first, builder, stream && outfile_is_file());
	first.milliseconds = clock_milliseconds() - start;
	create_check_required(&first);
	if (create->verify && first.facts.format == GSYM_FORMAT_GSYM) {
		create_verify(&first, NULL, NULL, &verification);
	} else if (create->verify) {
		make_image(&second,
			   read_input(&second, gsym_second_convert,
				      "reading again through libdwarf"),
			   false);
		make_witness(&third, first.facts.format);
		create_verify(&first, &second, third.bytes ? &third : NULL,
			      &verification);
		free(second.bytes);
		free(third.bytes);
	}
	if (!stream)
		create_open_installed(&first);
	create_finish_output(&first);
	if (create->installed)
		create_link_release(create, create->input, create->installed);
	if (first.file_id_known)
		create_link_file_id(create, first.facts.uuid,
				    first.facts.uuid_size, first.file_id);
	create_add_rule(create);
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
		choose_architectures(create, &count);
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
	create_write_depfile(create);
	return differences;
}
