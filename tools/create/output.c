/* SPDX-License-Identifier: MIT */
/*
 * create/output.c - writes the image of a conversion: to one file, in segments
 * to several, into a copy of an ELF file (--embed), or to a tree by build ID
 * (--install).
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsym/program.h>

#include "common/file.h"
#include "common/report.h"
#include "create/create.h"

/* A callback of gsym_builder_finish_segments: write the segment of SIZE BYTES
 * whose first function is at ADDRESS. */
static enum gsym_status put_segment(void *context, uint64_t address,
				    const uint8_t *bytes, size_t size)
{
	struct conversion *c = context;
	char *name = path_print("%s-0x%" PRIx64, c->create->output, address);

	outfile_open(name, c->create->input);
	outfile_hold(bytes, size);
	if (size > c->create->segment_size)
		report_note("warning: '%s' has %zu bytes, more than %" PRIu64
			    ": a function cannot be divided",
			    name, size, c->create->segment_size);
	free(name);
	c->written += size;
	c->segments++;
	return GSYM_OK;
}

struct gsym_builder *create_builder(const struct create *create)
{
	struct gsym_builder *builder = must_have(gsym_builder_new());
	struct gsym_error error = { 0 };
	const char *folder = create->temporary_directory;
	const char *path = folder && create->temporary ? create->temporary
							: folder;
	enum gsym_status status = GSYM_OK;

	if (path)
		status = gsym_builder_set_temporary_directory(builder, path,
							      &error);
	must_succeed("make a temporary file in", folder, status, &error);
	return builder;
}

/* Cut the image into segments, and write them, all or none.  The segments are
 * made from the image, not from the input, so that they hold what one file
 * would hold. */
static void put_segments(struct conversion *c)
{
	const struct create *create = c->create;
	const struct gsym_convert_options options = { .threads = 1 };
	struct gsym_build_options build = create->build;
	struct gsym_error error = { 0 };
	struct gsym_build_summary summary;
	struct gsym_reader *reader;
	struct gsym_builder *builder = create_builder(create);
	enum gsym_status status =
		gsym_open_memory(c->bytes, c->size, &reader, &error);

	build.big_endian = c->big_endian;
	build.threads = create->threads;
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
	must_succeed("convert", create->input, status, &error);
	outfile_commit(NULL, 0);
	c->summary.uuid_cut = summary.uuid_cut;
}

/* ---- --embed ------------------------------------------------------------- */

/* The contents of a file, malloc'ed; NULL: they cannot be read. */
struct contents {
	uint8_t *bytes;
	size_t size;
};

/* The contents of the file PATH.  Dies on failure. */
static struct contents read_file(const char *path)
{
	struct contents c = { 0 };

	c.bytes = file_read(path, &c.size);
	if (!c.bytes)
		die("cannot read '%s': %s", path, strerror(errno));
	return c;
}

/* Write a copy of the ELF file of --embed with the image as a section. */
static void embed(struct conversion *c)
{
	const struct create *create = c->create;
	struct gsym_error error = { 0 };
	struct contents binary = read_file(create->embed), out;
	const uint8_t *id;
	size_t id_size;
	enum gsym_status status = gsym_elf_build_id(binary.bytes, binary.size,
						    &id, &id_size, &error);

	if (status == GSYM_OK && c->facts.uuid_size &&
	    !gsym_uuid_matches(id, id_size, c->facts.uuid, c->facts.uuid_size))
		die("cannot embed into '%s': its build ID is not that of '%s'",
		    create->embed, create->input);
	if (status == GSYM_OK || status == GSYM_NOT_FOUND)
		status = gsym_elf_embed(binary.bytes, binary.size, c->bytes,
					c->size, &out.bytes, &out.size, &error);
	free(binary.bytes);
	must_succeed("embed into", create->embed, status, &error);
	outfile_commit(out.bytes, out.size);
	free(out.bytes);
	c->written = c->size;
}

/* ---- --install ----------------------------------------------------------- */

/* The ELF file whose symbols are installed beside the GSYM file: the debug
 * file, or else the input; if the input is a Breakpad file, the file of
 * --program.  *FROM becomes its path.  Nothing if there is no such file. */
static struct contents read_program(const struct conversion *c,
				    const char **from)
{
	struct contents program = { 0 };
	const uint8_t *id;
	size_t id_size;

	*from = c->debug_file ? c->debug_file : c->create->input;
	if (c->facts.format == GSYM_FORMAT_ELF)
		return read_file(*from);
	*from = c->create->convert.program_file;
	if (!*from)
		return program;
	program = read_file(*from);
	if (gsym_elf_build_id(program.bytes, program.size, &id, &id_size,
			      NULL) == GSYM_OK)
		return program;
	free(program.bytes);
	return (struct contents){ 0 };
}

/* An ELF file with the build ID and nothing else: the stub without a program.
 * Nothing if the GSYM file is not of an ELF program, or its processor is
 * unknown. */
static struct contents make_bare(const struct conversion *c)
{
	const struct gsym_convert_facts *facts = &c->facts;
	enum gsym_format format =
		facts->program_format ? facts->program_format : facts->format;
	struct contents bare = { 0 };

	if (format == GSYM_FORMAT_ELF)
		gsym_elf_bare_stub(facts->architecture, facts->uuid,
				   facts->uuid_size, &bare.bytes, &bare.size,
				   NULL);
	return bare;
}

/* The contents of the open file FD; none if it is -1. */
static struct contents contents_of(int fd)
{
	struct contents c = { 0 };

	if (fd >= 0)
		c.bytes = file_read_whole(fd, &c.size);
	return c;
}

/* Whether A is the longer file, or has the greater bytes. */
static bool is_longer(const struct contents *a, const struct contents *b)
{
	return a->size != b->size ? a->size > b->size
				  : memcmp(a->bytes, b->bytes, a->size) > 0;
}

/* Whether STUB has nothing but the build ID. */
static bool is_bare(const struct conversion *c, const struct contents *stub)
{
	struct contents bare = make_bare(c);
	bool same = bare.bytes && stub->size == bare.size &&
		    memcmp(stub->bytes, bare.bytes, bare.size) == 0;

	free(bare.bytes);
	return same;
}

/* Whether the file THERE may be replaced by a stub: it has the build ID, but
 * neither code nor debug info. */
static bool is_stub(const struct conversion *c, const struct contents *there)
{
	static const char *const kept[] = { ".text", ".debug_info",
					    ".zdebug_info", ".gsym" };
	const uint8_t *id;
	size_t id_size;

	if (gsym_elf_build_id(there->bytes, there->size, &id, &id_size, NULL) !=
		    GSYM_OK ||
	    !gsym_uuid_matches(c->facts.uuid, c->facts.uuid_size, id, id_size))
		return false;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (gsym_elf_has_section(there->bytes, there->size, kept[i]))
			return false;
	return true;
}

/* Whether the stub MINE is to replace the file THERE.  With REPLACE_BETTER the
 * longer stub, which has more symbols, is the better one.  Otherwise a file
 * that has nothing but the build ID is replaced by one with symbols. */
static bool is_better_stub(const struct conversion *c,
			   const struct contents *mine,
			   const struct contents *there)
{
	if (!mine->bytes || !there->bytes)
		return false;
	if (c->create->replace != REPLACE_BETTER)
		return is_bare(c, there) && !is_bare(c, mine);
	if (!is_stub(c, there))
		return false;
	return is_longer(mine, there);
}

/* The file_better_fn of stubs; CONTEXT is the conversion.  A symbolic link
 * stays, wherever it leads. */
static bool prefer_stub(void *context, int mine, int there)
{
	struct contents a = contents_of(mine), b = contents_of(there);
	bool better = is_better_stub(context, &a, &b);

	free(a.bytes);
	free(b.bytes);
	return better;
}

/* The file whose program headers a stub of C gets: the input, which is a debug
 * file perhaps, or the file of --program.  PROGRAM is the file FROM, which is
 * not read twice; another file is read to OWN.  NULL if the file is no
 * program. */
static const struct contents *find_headers(const struct conversion *c,
					   const char *from,
					   const struct contents *program,
					   struct contents *own)
{
	const char *path = c->facts.format == GSYM_FORMAT_ELF
				   ? c->create->input
				   : c->create->convert.program_file;
	const struct contents *found = program;

	if (strcmp(path, from) != 0) {
		*own = read_file(path);
		found = own;
	}
	return gsym_elf_is_program(found->bytes, found->size) ? found : NULL;
}

/* Let STUB be the stub THERE with the program headers of HEADERS, if it is the
 * better one then. */
static void keep_better(struct contents *stub, const struct contents *there,
			const struct contents *headers)
{
	struct contents rival = { 0 }, worse = { 0 };

	if (gsym_elf_stub(there->bytes, there->size, headers->bytes,
			  headers->size, &rival.bytes, &rival.size,
			  NULL) != GSYM_OK)
		return;
	worse = rival;
	if (is_longer(&rival, stub)) {
		worse = *stub;
		*stub = rival;
	}
	free(worse.bytes);
}

/* The stub with the symbols of PROGRAM, which is the file FROM, or those of
 * THERE, the stub that is there, if they are more.  The program headers are
 * those of the program, if it is at hand, else those of THERE: so the stub does
 * not depend on the order in which a program and its debug file are
 * installed. */
static struct contents merge_stubs(const struct conversion *c, const char *from,
				   const struct contents *program,
				   const struct contents *there)
{
	struct contents own = { 0 }, stub = { 0 };
	const struct contents *headers = find_headers(c, from, program, &own);
	struct gsym_error error = { 0 };
	enum gsym_status status;

	if (!headers)
		headers = there;
	status = gsym_elf_stub(program->bytes, program->size, headers->bytes,
			       headers->size, &stub.bytes, &stub.size, &error);
	must_succeed("take the symbols of", from, status, &error);
	if (there->bytes)
		keep_better(&stub, there, headers);
	free(own.bytes);
	return stub;
}

/* The stub of C, merged with THERE, the stub that is there, if any: the symbols
 * of its program or, if there is no program and BARE is set, the build ID
 * alone. */
static struct contents make_stub(const struct conversion *c, bool bare,
				 const struct contents *there)
{
	const struct contents none = { 0 };
	struct contents stub = { 0 };
	const char *from;
	struct contents program = read_program(c, &from);

	if (program.bytes)
		stub = merge_stubs(c, from, &program,
				   there->bytes && is_stub(c, there) ? there
								     : &none);
	else if (bare)
		stub = make_bare(c);
	free(program.bytes);
	return stub;
}

/* Write the ELF file with the symbols, the stub, which llvm-symbolizer needs
 * beside the GSYM file, and whose program headers profiles are read with.  Hold
 * it until the GSYM file is complete. */
static void hold_stub(struct conversion *c)
{
	const struct create *create = c->create;
	size_t root = strlen(create->install);
	char *name = path_build_id(create->install, c->facts.uuid,
				c->facts.uuid_size, ".debug");
	int fd = outfile_find_below(name, root);
	/* A symbolic link counts, wherever it leads. */
	bool none = fd < 0 && errno == ENOENT;
	struct contents there = contents_of(fd), stub = { 0 };

	if (none || create->replace == REPLACE_BETTER || is_bare(c, &there))
		stub = make_stub(c, none, &there);
	if (stub.bytes && (none || is_better_stub(c, &stub, &there))) {
		outfile_open_below(name, root, create->input);
		outfile_prefer(prefer_stub, c);
		outfile_hold(stub.bytes, stub.size);
	}
	if (fd >= 0)
		close(fd);
	free(there.bytes);
	free(stub.bytes);
	free(name);
}

/* ---- all kinds of output ------------------------------------------------- */

/* Open the copy of the file of --embed, which replaces that file if no other
 * output is named. */
static void open_embedded(const struct create *create)
{
	bool in_place = create->output == create->embed;

	outfile_mode_of(create->embed);
	outfile_open(create->output, in_place ? NULL : create->embed);
}

void create_open_output(const struct create *create)
{
	if (create->in_tree && !create->install)
		outfile_open_below(create->output, strlen(create->output_dir),
				   create->input);
	else if (create->embed)
		open_embedded(create);
	else if (!create->segment_size && !create->install)
		outfile_open(create->output, create->input);
}

/* The file_better_fn of installed files; CONTEXT is the conversion.  A MINE of
 * -1 is its image.  What is no file, or no GSYM file of the program, is
 * replaced. */
static bool prefer_image(void *context, int mine, int there)
{
	const struct conversion *c = context;
	const uint8_t *id = c->facts.uuid;
	const struct rank none = { 0 };
	struct rank new, old = none;

	if (there >= 0)
		old = create_rank_file(there, id, c->facts.uuid_size);
	if (!create_is_better(&old, &none))
		return true;
	if (c->create->replace == REPLACE_NEVER)
		return false;
	new = mine < 0 ? create_rank(c->bytes, (size_t)c->size, id,
				 c->facts.uuid_size)
		       : create_rank_file(mine, id, c->facts.uuid_size);
	return create_is_better(&new, &old);
}

static bool is_kept(struct conversion *c)
{
	const struct create *create = c->create;
	int there = outfile_find_below(create->output, strlen(create->install));
	bool kept = there >= 0 && !prefer_image(c, -1, there);

	if (there >= 0)
		close(there);
	return kept;
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
		path_build_id(create->install, c->facts.uuid,
			   c->facts.uuid_size, ".debug.gsym");
	if (create->replace != REPLACE_ALWAYS)
		c->kept = is_kept(c);
	/* The stub comes before the GSYM file, so a reader that finds the GSYM
	 * file finds the stub, too. */
	if (!create->no_stub)
		hold_stub(c);
	if (c->kept)
		return;
	outfile_open_below(create->output, strlen(create->install),
			   create->input);
	if (create->replace != REPLACE_ALWAYS)
		outfile_prefer(prefer_image, c);
}

bool create_may_stream(const struct conversion *c)
{
	const struct create *create = c->create;

	/* --install without a build ID fails, but only after the conversion: if
	 * the input has no functions, that is reported first.  The message of
	 * --max-size says what the bytes of the image are. */
	return !create->max_size && !create->segment_size && !create->embed &&
	       !create->verify && create->manifest < 0 &&
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
	const struct create *create = c->create;

	if (create->segment_size) {
		put_segments(c);
	} else if (create->embed) {
		embed(c);
	} else if (c->kept) {
		/* The stub alone, if there is one. */
		outfile_commit(NULL, 0);
	} else {
		c->kept = !outfile_commit(c->bytes,
					  c->bytes ? (size_t)c->size : 0);
		c->written = c->kept ? 0 : c->size;
	}
	c->create->kept = c->kept;
}

/* ---- --release ----------------------------------------------------------- */

/* The name of the link for the file INPUT, malloc'ed: "vmlinux", "MODULE.ko",
 * or the base name. */
static char *link_name(const char *input)
{
	char *name = path_print("%s", path_base(input));
	char *module = strstr(name, ".ko");
	if (strncmp(name, "vmlinux", 7) == 0)
		name[7] = 0;
	else if (module && (!module[3] || module[3] == '.'))
		module[3] = 0;
	return name;
}

void create_link_release(const struct create *create, const char *input,
			 const char *installed)
{
	char *path, *target, *name;
	const char *why;

	if (!create->release)
		return;
	name = link_name(input);
	installed += strlen(create->install);
	installed += strspn(installed, "/");
	path = path_print("%s/by-release/%s/%s.gsym", create->install,
			  create->release, name);
	target = path_print("../../%s", installed);
	why = outfile_link_below(path, strlen(create->install), target);
	if (why)
		die("cannot link '%s': %s", path, why);
	free(target);
	free(path);
	free(name);
}
