/* SPDX-License-Identifier: MIT */
/*
 * create/output.c - writes the image of a conversion: to one file, in segments
 * to several, into a copy of an ELF file (--embed), or to a tree by build ID
 * (--install).
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gsym/elf.h>

#include "common/cache.h"
#include "common/file.h"
#include "common/outfile.h"
#include "common/path.h"
#include "common/report.h"
#include "create/create.h"
#include "create/rank.h"

/* A callback of gsym_builder_finish_segments: write the segment of SIZE BYTES
 * whose first function is at ADDRESS. */
static enum gsym_status put_segment(void *context, uint64_t address,
				    const uint8_t *bytes, size_t size)
{
	struct conversion *c = context;
	char *name = path_print("%s-0x%" PRIx64, c->create->output, address);

	outfile_open(name, c->create->input);
	outfile_hold(bytes, size);
	if (size > c->create->segment_size && !c->create->quiet)
		warn("warning: '%s' has %zu bytes, more than %" PRIu64
		     ": a function cannot be divided",
		     name, size, c->create->segment_size);
	free(name);
	c->written += size;
	c->segments++;
	return GSYM_OK;
}

/* Cut the image into segments, and write them, all or none.  The segments are
 * made from the image, not from the input, so that they hold what one file
 * would hold. */
static void put_segments(struct conversion *c)
{
	const struct create *create = c->create;
	const struct gsym_convert_options options = { .threads = 1 };
	const struct gsym_build_options build = {
		.version = create->version,
		.big_endian = c->big_endian,
		.threads = create->threads,
		.checksum = create->checksum,
	};
	struct gsym_error error = { 0 };
	struct gsym_build_summary summary;
	struct gsym_reader *reader;
	struct gsym_builder *builder = gsym_builder_new();
	enum gsym_status status =
		builder ? gsym_open_memory(c->bytes, c->size, &reader, &error)
			: GSYM_ERR_MEMORY;

	if (status == GSYM_OK) {
		status = gsym_convert_reader(reader, &options, builder, NULL,
					     &error);
		gsym_close(reader);
	}
	if (status == GSYM_OK)
		status = gsym_builder_finish_segments(
			builder, &build, create->segment_size, put_segment, c,
			&summary, &error);
	gsym_builder_free(builder);
	if (status != GSYM_OK)
		die_status("convert", create->input, status, &error);
	outfile_commit(NULL, 0);
	c->summary.uuid_cut = summary.uuid_cut;
}

/* ---- --embed ------------------------------------------------------------- */

/* The contents of the file PATH, malloc'ed; *SIZE becomes their size.  Dies on
 * failure. */
static uint8_t *read_file(const char *path, size_t *size)
{
	uint8_t *bytes = file_read(path, size);

	if (!bytes)
		die("cannot read '%s': %s", path, strerror(errno));
	return bytes;
}

/* Write a copy of the ELF file of --embed with the image as a section. */
static void embed(struct conversion *c)
{
	const struct create *create = c->create;
	struct gsym_error error = { 0 };
	size_t size, id_size, out_size;
	uint8_t *binary = read_file(create->embed, &size), *out;
	const uint8_t *id;
	enum gsym_status status =
		gsym_elf_build_id(binary, size, &id, &id_size, &error);

	if (status == GSYM_OK && c->facts.uuid_size &&
	    !gsym_uuid_matches(id, id_size, c->facts.uuid, c->facts.uuid_size))
		die("cannot embed into '%s': its build ID is not that of '%s'",
		    create->embed, create->input);
	if (status == GSYM_OK || status == GSYM_NOT_FOUND)
		status = gsym_elf_embed(binary, size, c->bytes, c->size, &out,
					&out_size, &error);
	free(binary);
	if (status != GSYM_OK)
		die_status("embed into", create->embed, status, &error);
	outfile_mode_of(create->embed);
	outfile_commit(out, out_size);
	free(out);
	c->written = c->size;
}

/* ---- --install ----------------------------------------------------------- */


/* The contents, malloc'ed, of the ELF file whose symbols are installed beside
 * the GSYM file: the debug file, or else the input; if the input is a Breakpad
 * file, the file of --program.  *FROM becomes its path.  NULL if there is no
 * such ELF file. */
static uint8_t *read_program(const struct conversion *c, const char **from,
			     size_t *size)
{
	const struct create *create = c->create;
	const uint8_t *id;
	size_t id_size;
	uint8_t *bytes;

	*from = c->debug_file ? c->debug_file : create->input;
	if (c->facts.format == GSYM_FORMAT_ELF)
		return read_file(*from, size);
	*from = create->program;
	if (!create->program)
		return NULL;
	bytes = read_file(*from, size);
	if (gsym_elf_build_id(bytes, *size, &id, &id_size, NULL) == GSYM_OK)
		return bytes;
	free(bytes);
	return NULL;
}

/* An ELF file with the build ID and nothing else, malloc'ed: the stub without
 * a program.  NULL if the GSYM file is not of an ELF program, or its processor
 * is unknown. */
static uint8_t *make_bare(const struct conversion *c, size_t *size)
{
	const struct gsym_convert_facts *facts = &c->facts;
	enum gsym_format format =
		facts->program_format ? facts->program_format : facts->format;
	uint8_t *bytes = NULL;

	if (format == GSYM_FORMAT_ELF)
		gsym_elf_bare_stub(facts->architecture, facts->uuid,
				   facts->uuid_size, &bytes, size, NULL);
	return bytes;
}

/* Whether the contents of the file NAME are the SIZE bytes at BYTES, 4 KiB at
 * most.  False if BYTES is NULL. */
static bool holds(const char *name, const uint8_t *bytes, size_t size)
{
	uint8_t buffer[4096];
	FILE *file = bytes ? fopen(name, "re") : NULL;
	if (!file)
		return false;
	size_t got = fread(buffer, 1, sizeof(buffer), file);
	fclose(file);
	return got == size && memcmp(buffer, bytes, size) == 0;
}

/* Whether the SIZE bytes at BYTES are a better stub than the file NAME.  Files
 * with code or debug info, and files that are not of this program, are no
 * stubs, and are kept.  Of two stubs the longer one, which has more symbols, is
 * the better one. */
static bool is_better_stub(const struct conversion *c, const char *name,
			   const uint8_t *bytes, size_t size)
{
	static const char *const kept[] = { ".text", ".debug_info",
					    ".zdebug_info", ".gsym" };
	const uint8_t *id;
	size_t there_size, id_size;
	struct stat st;
	bool better = false;
	/* A symbolic link stays, wherever it leads. */
	bool regular = lstat(name, &st) == 0 && S_ISREG(st.st_mode);
	uint8_t *there = regular ? file_read(name, &there_size) : NULL;

	if (!there)
		return false;
	if (gsym_elf_build_id(there, there_size, &id, &id_size, NULL) ==
		    GSYM_OK &&
	    gsym_uuid_matches(c->facts.uuid, c->facts.uuid_size, id, id_size))
		better = size != there_size ? size > there_size
					    : memcmp(bytes, there, size) > 0;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (gsym_elf_has_section(there, there_size, kept[i]))
			better = false;
	free(there);
	return better;
}

/* Install the ELF file with the symbols, the stub, which llvm-symbolizer needs
 * beside the GSYM file.  With REPLACE_BETTER the better stub stays.  Otherwise
 * an existing file is only replaced if it has nothing but the build ID, and now
 * there are symbols. */
static void install_stub(struct conversion *c)
{
	const struct create *create = c->create;
	char *name = cache_path(create->install, c->facts.uuid,
				c->facts.uuid_size, ".debug");
	struct gsym_error error = { 0 };
	const char *from = NULL;
	uint8_t *program = NULL, *out = NULL;
	size_t size, out_size, bare_size = 0;
	uint8_t *bare = make_bare(c, &bare_size);
	struct stat st;
	/* A symbolic link counts, wherever it leads. */
	bool there = lstat(name, &st) == 0;
	enum gsym_status status = GSYM_OK;

	if (!there || create->replace == REPLACE_BETTER ||
	    holds(name, bare, bare_size))
		program = read_program(c, &from, &size);
	if (program)
		status = gsym_elf_stub(program, size, &out, &out_size, &error);
	free(program);
	if (status != GSYM_OK)
		die_status("take the symbols of", from, status, &error);
	if (out && there && create->replace == REPLACE_BETTER &&
	    !is_better_stub(c, name, out, out_size)) {
		free(out);
		out = NULL;
	}
	if (out || (bare && !there)) {
		outfile_open_below(name, strlen(create->install),
				   create->input);
		outfile_commit(out ? out : bare, out ? out_size : bare_size);
	}
	/* A new stub is removed again if its GSYM file is not completed. */
	if (there || c->kept || !(out || bare))
		free(name);
	else
		outfile_companion(name);
	free(out);
	free(bare);
}

/* ---- all kinds of output ------------------------------------------------- */

void create_open_output(const struct create *create)
{
	if (create->in_tree && !create->install)
		outfile_open_below(create->output, strlen(create->output_dir),
				   create->input);
	else if (!create->segment_size && !create->install)
		outfile_open(create->output,
			     create->embed ? create->embed : create->input);
}

/* Lock the folder of the output, and compare the image with the file that is
 * there.  Returns whether that file is kept. */
static bool is_kept(struct conversion *c)
{
	const struct create *create = c->create;
	const struct rank none = { 0 };
	struct rank mine, there;

	c->lock = outfile_lock_below(create->output, strlen(create->install));
	there = rank_of_file(create->output, c->facts.uuid, c->facts.uuid_size);
	if (create->replace == REPLACE_NEVER)
		return rank_better(&there, &none);
	mine = rank_of(c->bytes, (size_t)c->size, c->facts.uuid,
		       c->facts.uuid_size);
	return rank_better(&there, &none) && !rank_better(&mine, &there);
}

void create_open_installed(struct conversion *c)
{
	struct create *create = c->create;

	if (!create->install)
		return;
	if (c->facts.uuid_size < 2) {
		create_set_outcome("no-build-id");
		die("cannot install '%s': it has no build ID", create->input);
	}
	free(create->installed);
	create->output = create->installed =
		cache_path(create->install, c->facts.uuid,
			   c->facts.uuid_size, ".debug.gsym");
	if (create->replace != REPLACE_ALWAYS)
		c->kept = is_kept(c);
	/* The stub comes before the GSYM file, so a reader that finds the GSYM
	 * file finds the stub, too. */
	install_stub(c);
	if (!c->kept)
		outfile_open_below(create->output, strlen(create->install),
				   create->input);
}

bool create_may_stream(const struct conversion *c)
{
	const struct create *create = c->create;

	/* --install without a build ID fails, but only after the conversion: if
	 * the input has no functions, that is reported first. */
	return !create->segment_size && !create->embed && !create->verify &&
	       create->manifest < 0 &&
	       (!create->install || (create->replace == REPLACE_ALWAYS &&
				     c->facts.uuid_size >= 2));
}

enum gsym_status create_put_piece(void *context, uint64_t offset,
				  const uint8_t *bytes, size_t size)
{
	(void)context;
	return outfile_put(offset, bytes, size) ? GSYM_OK : GSYM_ERR_IO;
}

void create_finish_output(struct conversion *c)
{
	if (c->create->segment_size) {
		put_segments(c);
	} else if (c->kept) {
		outfile_abandon();
	} else if (c->create->embed) {
		embed(c);
	} else {
		outfile_commit(c->bytes, c->bytes ? (size_t)c->size : 0);
		c->written = c->size;
	}
	if (c->lock >= 0)
		close(c->lock);
	c->create->kept = c->kept;
}
