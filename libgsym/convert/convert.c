/* SPDX-License-Identifier: MIT */
/*
 * convert/convert.c - the entry of conversion: finds out what a file is, loads
 * it, and has each reader (DWARF, Go, symbols, data) push its records into the
 * builder.  Knows the bytes of no format.
 */
#include "config.h"

#include <gsym/convert.h>

#include "base/error.h"
#include "base/system.h"
#include "dwarf/dwarf.h"
#include "breakpad/breakpad.h"
#include "convert/convert.h"
#include "go/go.h"
#include "macho/macho.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns true if C has a warning that its debug file is missing. */
static bool warns_of_missing_file(const struct gsym_container *c)
{
	for (size_t i = 0; i < c->warnings.count; i++)
		if (c->warnings.items[i].kind == GSYM_WARN_MISSING_FILE)
			return true;
	return false;
}

/* ---- conversion ---------------------------------------------------------- */

/* The state of one conversion. */
struct job {
	const char *path;
	const struct dw_reader *second; /**< NULL: the production reader */
	const struct gsym_convert_options *options;
	struct gsym_builder *builder;
	struct gsym_convert_facts *facts;
	struct gsym_error *error;
	/** The program, unless the input is a symbol file or a GSYM file. */
	struct gsym_container *container;
	struct gsym_sink sink;
	/** Go's function table; NULL: the program has none. */
	struct gsym_go *golang;
	/** Variables of the debug info; filled if OPTIONS->data_symbols. */
	struct gsym_variables variables;
	/** What has to be converted; NULL: everything. */
	const struct gsym_range_set *near;
	/** Ranges of the functions in the DWARF: Go's table adds none there,
	 *  and the symbols there are converted with NEAR. */
	struct gsym_overlay dwarf;
	/** Ranges of the functions in Go's table: symbols add none there, and
	 *  with GSYM_FROM_GO the DWARF adds none either. */
	struct gsym_overlay go;
};

/* Hand facts about the program, its build ID and base address, and its warnings
 * over. */
static enum gsym_status take_facts(struct job *job)
{
	const struct gsym_container *c = job->container;
	struct gsym_convert_facts *facts = job->facts;

	facts->format = c->format;
	facts->big_endian = c->big_endian;
	facts->address_size = c->address_size;
	memcpy(facts->architecture, c->architecture, sizeof(c->architecture));
	for (size_t i = 0; i < c->warnings.count; i++)
		gsym_container_tell(job->options, c->warnings.items[i].kind,
				    "%s", c->warnings.items[i].text);
	if (c->has_base)
		gsym_builder_set_base(job->builder, c->base);
	/* No hash is that long: it is no build ID. */
	if (!c->uuid_size || c->uuid_size > sizeof(facts->uuid))
		return GSYM_OK;
	memcpy(facts->uuid, c->uuid, c->uuid_size);
	facts->uuid_size = c->uuid_size;
	return gsym_builder_set_uuid(job->builder, c->uuid, c->uuid_size) ==
			       GSYM_OK
		       ? GSYM_OK
		       : gsym_fail_memory(job->error);
}

static enum gsym_status find_go(struct job *job)
{
	bool wanted = job->options->from == GSYM_FROM_GO;
	enum gsym_go_search search =
		wanted				       ? GSYM_GO_ANYWHERE
		: gsym_dwarf_present(job->container) ? GSYM_GO_NAMED
						       : GSYM_GO_LIKELY;
	struct gsym_error why = { 0 };
	enum gsym_status status = gsym_go_open(
		job->container, job->options, search, &job->golang, &why);

	if (status == GSYM_NOT_FOUND && wanted)
		return gsym_fail(job->error, GSYM_ERR_FORMAT, why.offset,
				 "it has no table of the Go runtime%s%s",
				 *why.message ? ": " : "", why.message);
	if (status == GSYM_NOT_FOUND && *why.message)
		gsym_container_tell(job->options, GSYM_WARN_BAD_GO_TABLE, "%s",
				    why.message);
	if (status == GSYM_ERR_MEMORY)
		return gsym_fail_memory(job->error);
	return GSYM_OK;
}

/* Read the debug info of the objects that a debug map names.  Not for Go
 * programs, whose own table has more. */
static enum gsym_status convert_objects(struct job *job)
{
	if (job->golang || !gsym_objects_present(job->container))
		return GSYM_OK;
	return gsym_objects_convert(
		job->container, job->path, job->second, job->options,
		&job->sink, job->options->data_symbols ? &job->variables : NULL,
		job->facts, job->error);
}

/* Convert the DWARF, and push its records to SINK; AT_ONCE: SINK takes those of
 * several threads at once. */
static enum gsym_status dwarf_to(struct job *job, const struct gsym_sink *sink,
				 bool at_once)
{
	return gsym_dwarf_convert(job->container, job->second, job->options,
				  job->near, sink, at_once,
				  job->options->data_symbols && !job->near
					  ? &job->variables
					  : NULL,
				  job->facts, job->error);
}

/* Convert all of the DWARF of a program that is not Go's. */
static enum gsym_status convert_whole_dwarf(struct job *job)
{
	struct gsym_unnamed unnamed;
	struct gsym_sink sink;
	enum gsym_status status;

	if (gsym_unnamed_init(&unnamed, job->container, &job->sink, &sink))
		status = dwarf_to(job, &sink, true);
	else
		status = gsym_fail_memory(job->error);
	if (status == GSYM_OK) {
		status = gsym_unnamed_convert(&unnamed);
		if (status != GSYM_OK)
			gsym_fail(job->error, status, 0,
				  "cannot add records for code without "
				  "functions: %s",
				  gsym_status_text(status));
	}
	gsym_unnamed_fini(&unnamed);
	return status;
}

/* Whether a symbol with a size, which begins at START or later, has ADDRESS. */
static bool is_in_symbol(const struct gsym_container *c, uint64_t start,
			 uint64_t address)
{
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (s->type == GSYM_SYMBOL_FUNCTION && address >= s->value &&
		    address - s->value < s->size && s->value >= start)
			return true;
	}
	return false;
}

/* Whether some unit that is not near may describe the code at an address of
 * WATCH: a symbol says that there is a function, and no near unit has one that
 * begins there or later, nor lines without a function. */
static bool is_missing(const struct gsym_container *c,
		       const struct gsym_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (!watch->rows[i] && is_in_symbol(c, watch->starts[i],
						    watch->addresses[i]))
			return true;
	return false;
}

/* Convert the DWARF around the addresses, or all of it, if units that are not
 * near may matter.  The records that are handed over twice then are equal, so
 * the sink drops them. */
static enum gsym_status convert_near(struct job *job,
				     const struct gsym_sink *inner)
{
	const struct gsym_convert_facts facts = *job->facts;
	size_t count = job->options->address_count;
	struct gsym_watch watch = { .addresses = job->options->addresses,
				    .count = count };
	struct gsym_sink sink = gsym_watch_sink(&watch, inner);
	enum gsym_status status;
	bool missing;

	watch.starts = calloc(count + 1, sizeof(*watch.starts));
	watch.rows = calloc(count + 1, sizeof(*watch.rows));
	if (watch.starts && watch.rows)
		status = dwarf_to(job, &sink, false);
	else
		status = gsym_fail_memory(job->error);
	missing = status == GSYM_OK && is_missing(job->container, &watch);
	free(watch.starts);
	free(watch.rows);
	if (!missing)
		return status;
	job->near = NULL;
	*job->facts = facts;
	job->facts->partial = false;
	return convert_whole_dwarf(job);
}

/* Convert the DWARF by the way that suits the program and the options. */
static enum gsym_status convert_dwarf(struct job *job)
{
	struct gsym_sink upper = gsym_overlay_upper(&job->dwarf, &job->sink);
	struct gsym_sink lower;

	if (!gsym_dwarf_present(job->container))
		return convert_objects(job);
	if (job->golang && job->options->from == GSYM_FROM_GO) {
		lower = gsym_overlay_lower(&job->go, &job->sink);
		return dwarf_to(job, &lower, false);
	}
	if (job->near)
		return convert_near(job, &upper);
	if (job->golang)
		return dwarf_to(job, &upper, false);
	return convert_whole_dwarf(job);
}

static enum gsym_status convert_go(struct job *job)
{
	struct gsym_sink upper = gsym_overlay_upper(&job->go, &job->sink);
	struct gsym_sink lower;

	if (!job->golang)
		return GSYM_OK;
	if (job->options->from == GSYM_FROM_GO ||
	    !gsym_dwarf_present(job->container))
		return gsym_go_convert(job->golang, job->options, &upper,
				       gsym_overlay_cover, &job->go, job->facts,
				       job->error);
	lower = gsym_overlay_lower(&job->dwarf, &upper);
	return gsym_go_convert(job->golang, job->options, &lower, NULL, NULL,
			       job->facts, job->error);
}

static enum gsym_status convert_symbols(struct job *job)
{
	struct gsym_sink lower = gsym_overlay_lower(&job->go, &job->sink);
	struct gsym_range_set wider = { 0 };
	enum gsym_status status;

	if (job->near &&
	    !gsym_symtab_near_widen(job->near, &job->dwarf, &wider))
		return gsym_fail_memory(job->error);
	status = gsym_symtab_convert(job->container, job->options,
				     job->near ? &wider : NULL,
				     job->golang || job->options->eh_frame ||
					     gsym_dwarf_present(job->container),
				     job->golang ? &lower : &job->sink,
				     !job->golang, job->facts, job->error);
	gsym_vec_fini(&wider);
	return status;
}

/* Warn that C, a program without debug info, has none. */
static void warn_of_no_info(const struct gsym_container *c,
			    const struct gsym_convert_options *options)
{
	if (c->pdb_named)
		gsym_container_tell(
			options, GSYM_WARN_MISSING_FILE,
			"its debug info is in a PDB, which is not read: "
			"convert the .sym file that dump_syms makes of it");
	else
		gsym_container_tell(options, GSYM_WARN_NO_DEBUG_INFO,
				    "no section .debug_info: symbols alone");
}

/* Convert the debug info and Go's table, which was looked for.  NEAR, which is
 * empty, is what has to be converted if not everything has. */
static enum gsym_status convert_info(struct job *job,
				     struct gsym_range_set *near)
{
	const struct gsym_convert_options *options = job->options;
	const struct gsym_container *c = job->container;
	bool go_first = options->from == GSYM_FROM_GO;
	enum gsym_status status = GSYM_OK;

	if (!job->golang && gsym_symtab_near_serves(c, options)) {
		job->near = near;
		job->facts->partial = true;
		if (!gsym_symtab_near(c, options, near))
			status = gsym_fail_memory(job->error);
	}
	if (status == GSYM_OK && !job->golang && !gsym_dwarf_present(c) &&
	    !warns_of_missing_file(c) && !gsym_objects_present(c))
		warn_of_no_info(c, options);
	if (status == GSYM_OK)
		status = go_first ? convert_go(job) : convert_dwarf(job);
	if (status == GSYM_OK)
		status = go_first ? convert_dwarf(job) : convert_go(job);
	return status;
}

/* Inflate the whole section that was left compressed, if there is one, and tell
 * its warnings. */
static enum gsym_status complete(struct job *job)
{
	struct gsym_container *c = job->container;
	size_t known = c->warnings.count;

	if (!gsym_passing_complete(c))
		return gsym_fail_memory(job->error);
	for (size_t i = known; i < c->warnings.count; i++)
		gsym_container_tell(job->options, c->warnings.items[i].kind,
				    "%s", c->warnings.items[i].text);
	return GSYM_OK;
}

/* Take back what came of the debug info while it was inflated, which has to be
 * read as a whole, and convert it again. */
static enum gsym_status convert_again(struct job *job,
				      struct gsym_range_set *near)
{
	enum gsym_status status;

	gsym_builder_take_back(job->builder);
	job->variables.count = 0;
	job->dwarf.ranges.count = 0;
	job->near = NULL;
	near->count = 0;
	status = complete(job);
	/* Without debug info Go's table is looked for in more places. */
	if (status == GSYM_OK && !gsym_dwarf_present(job->container))
		status = find_go(job);
	return status == GSYM_OK ? convert_info(job, near) : status;
}

/* Convert Go's table and the debug info, which is inflated meanwhile if it was
 * left compressed.  It is inflated first for the second reader of DWARF, which
 * reads the whole section, and for programs of Go, where few units have a set
 * of .debug_aranges. */
static enum gsym_status convert_any_info(struct job *job,
					 struct gsym_range_set *near)
{
	const struct gsym_convert_facts facts = *job->facts;
	enum gsym_status status = GSYM_OK;

	gsym_builder_keep(job->builder);
	if (job->second)
		status = complete(job);
	if (status == GSYM_OK)
		status = find_go(job);
	if (status == GSYM_OK && job->golang)
		status = complete(job);
	if (status == GSYM_OK)
		status = convert_info(job, near);
	if (status != GSYM_NOT_FOUND || !job->container->passing)
		return status;
	*job->facts = facts;
	return convert_again(job, near);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Report the .dwo files that were opened, in the order of their names. */
static enum gsym_status tell_split(const struct job *job)
{
	const struct gsym_split_paths *paths = job->container->split_paths;
	const struct gsym_convert_options *o = job->options;
	GSYM_VEC_OF(const char *) names = { 0 };

	for (const struct gsym_split_path *p = paths ? paths->first : NULL; p;
	     p = p->next) {
		if (!gsym_vec_add(&names, p->text)) {
			gsym_vec_fini(&names);
			return gsym_fail_memory(job->error);
		}
	}
	gsym_vec_sort(&names, by_text);
	for (size_t i = 0; i < names.count; i++)
		if (!i || strcmp(names.items[i], names.items[i - 1]))
			o->file(o->context, GSYM_FILE_SPLIT, names.items[i],
				NULL);
	gsym_vec_fini(&names);
	return GSYM_OK;
}

/* Convert the program JOB->container. */
static enum gsym_status convert_program(struct job *job)
{
	const struct gsym_convert_options *options = job->options;
	const struct gsym_container *c = job->container;
	bool symbols = options->from == GSYM_FROM_SYMBOLS;
	struct gsym_range_set near = { 0 };
	enum gsym_status status = take_facts(job);

	job->sink = gsym_builder_sink(job->builder);
	if (status == GSYM_OK && !symbols)
		status = convert_any_info(job, &near);
	if (status == GSYM_OK)
		status = tell_split(job);
	if (status == GSYM_OK)
		status = convert_symbols(job);
	if (status == GSYM_OK && options->eh_frame && !job->golang &&
	    (symbols || (!gsym_dwarf_present(c) && !gsym_objects_present(c))))
		status = gsym_nameless_convert(c, &job->sink, job->error);
	if (status == GSYM_OK && options->data_symbols && !job->near)
		status = gsym_data_convert(c, options, &job->variables,
					   &job->sink, job->error);
	gsym_vec_fini(&near);
	gsym_vec_fini(&job->variables);
	gsym_go_close(job->golang);
	gsym_vec_fini(&job->dwarf.ranges);
	gsym_vec_fini(&job->go.ranges);
	return status;
}

/* Whether to read a file that begins with HEAD as a Breakpad file.  On standard
 * input (STANDARD) it may begin with any record: filters cut the first lines
 * off. */
static bool is_breakpad(const struct gsym_head *head, bool standard)
{
	return gsym_breakpad_matches(head->bytes, head->size) ||
	       gsym_breakpad_plain_matches(head->word, head->word_size) ||
	       (standard && gsym_breakpad_starts(head->word, head->word_size));
}

/* Refuse the file, which begins with HEAD, if it is a compressed program. */
static enum gsym_status check_packed(const struct job *job,
				     const struct gsym_head *head)
{
	uint8_t inner[GSYM_HEAD_SIZE];
	size_t inner_size = sizeof(inner);

	if (!head->size || gsym_program_matches(head->bytes, head->size) ||
	    gsym_breakpad_head(job->path, inner, &inner_size) != GSYM_OK ||
	    !gsym_program_matches(inner, inner_size))
		return GSYM_OK;
	return gsym_fail(job->error, GSYM_ERR_FORMAT, 0,
			 "a compressed program: unpack it first (%s)",
			 head->bytes[0] == 0x1f ? "gunzip -k" : "zstd -d");
}

static enum gsym_status convert_breakpad(const struct job *job,
					 const struct gsym_head *head)
{
	const struct gsym_convert_options *o = job->options;
	struct gsym_container *program = NULL;
	enum gsym_status status = check_packed(job, head);

	if (status == GSYM_OK && o->program_file)
		status = gsym_program_open_facts(o, &program, job->error);
	if (status == GSYM_OK)
		status = gsym_breakpad_convert(job->path, program, o,
					       job->builder, job->facts,
					       job->error);
	gsym_container_free(program);
	return status;
}

/* Refuse options that do not fit the format of the input. */
static enum gsym_status check_options(const struct gsym_convert_options *o,
				      bool breakpad, bool gsym,
				      struct gsym_error *error)
{
	if (o->own_files && !SYSTEM_HAS_OWNERS)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "owners of files are not available on this "
				 "system");
	if (!breakpad && (o->base || o->program_file))
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "base and program need a Breakpad file");
	if ((breakpad || gsym) && o->from == GSYM_FROM_GO)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "it has no table of the Go runtime");
	return GSYM_OK;
}

bool gsym_convert_knows(const uint8_t *head, size_t size)
{
	/* gsym_breakpad_matches would accept every compressed file. */
	if (!head)
		return false;
	return gsym_program_matches(head, size) ||
	       gsym_breakpad_plain_matches(head, size);
}

/* Convert the file JOB->path.  STANDARD: it is standard input. */
static enum gsym_status convert_file(struct job *job, bool standard)
{
	const struct gsym_convert_options *options = job->options;
	struct gsym_container *container = NULL;
	enum gsym_status status;
	struct gsym_head head;
	bool gsym, breakpad;
	char *inside = NULL;

	status = gsym_macho_bundle(job->path, &inside, job->error);
	if (inside)
		job->path = inside;
	gsym_program_head(job->path, &head, NULL);
	breakpad = options->from == GSYM_FROM_BREAKPAD ||
		   is_breakpad(&head, standard);
	gsym = !breakpad && gsym_transcode_matches(head.bytes, head.size);
	if (status == GSYM_OK)
		status = check_options(options, breakpad, gsym, job->error);
	if (status == GSYM_OK && gsym)
		status = gsym_transcode_file(job->path, options, job->builder,
					     job->facts, job->error);
	else if (status == GSYM_OK && breakpad)
		status = convert_breakpad(job, &head);
	else if (status == GSYM_OK)
		status = gsym_program_load(job->path, options, &container,
					   job->error);
	job->container = container;
	if (status == GSYM_OK && container)
		status = convert_program(job);
	gsym_container_free(container);
	free(inside);
	return status;
}

static enum gsym_status convert_standard_input(struct job *job)
{
	char path[sizeof("/dev/fd/") + 3 * sizeof(int)];
	enum gsym_status status;
	int fd;

	status = gsym_breakpad_standard_input(job->options, &fd, job->error);
	if (status != GSYM_OK)
		return status;
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	job->path = path;
	status = convert_file(job, true);
	close(fd);
	return status;
}

enum gsym_status gsym_convert_by(const struct dw_reader *second,
				 const char *path,
				 const struct gsym_convert_options *options,
				 struct gsym_builder *builder,
				 struct gsym_convert_facts *ret,
				 struct gsym_error *error)
{
	struct gsym_convert_facts facts = { 0 };
	struct job job = { .path = path,
			   .second = second,
			   .options = options,
			   .builder = builder,
			   .facts = &facts,
			   .error = error };
	enum gsym_status status;

	if (!path || !builder || !gsym_program_options_ok(options))
		return gsym_fail_argument(error);
	status = strcmp(path, "-") ? convert_file(&job, false)
				   : convert_standard_input(&job);
	if (ret && status == GSYM_OK)
		*ret = facts;
	return status;
}

enum gsym_status gsym_convert_file(const char *path,
				   const struct gsym_convert_options *options,
				   struct gsym_builder *builder,
				   struct gsym_convert_facts *facts,
				   struct gsym_error *error)
{
	return gsym_convert_by(NULL, path, options, builder, facts, error);
}

enum gsym_status
gsym_convert_architectures(const char *path, struct gsym_architecture *array,
			   size_t capacity, size_t *count,
			   struct gsym_error *error)
{
	struct gsym_head head;
	enum gsym_status status;
	char *inside = NULL;

	if (!path || !count || (capacity && !array))
		return gsym_fail_argument(error);
	*count = 0;
	if (!strcmp(path, "-")) /* standard input cannot be read twice */
		return GSYM_OK;
	status = gsym_macho_bundle(path, &inside, error);
	if (inside)
		path = inside;
	if (status == GSYM_OK)
		status = gsym_program_head(path, &head, error);
	if (status == GSYM_OK &&
	    gsym_machoview_matches(head.bytes, head.size))
		status = gsym_macho_architectures(path, array, capacity, count,
						  error);
	free(inside);
	return status;
}
