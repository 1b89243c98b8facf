/* SPDX-License-Identifier: MIT */
/* Loads a program and the files that its debug info continues in; gives users
 * of gsym/program.h its sections, symbols and pointers. */
#include "convert/convert.h"

#include "base/error.h"
#include "base/fd.h"
#include "breakpad/breakpad.h"
#include "container/input.h"
#include "dwarf/dwarf.h"
#include "macho/macho.h"

#include <gsym/program.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* All formats of programs. */
static const struct gsym_input *const inputs[] = {
#define ROW(room) &gsym_##room##_input,
	GSYM_INPUTS(ROW)
#undef ROW
};

const char *gsym_format_name(enum gsym_format format)
{
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		if (inputs[i]->format == format)
			return inputs[i]->name;
	if (format == GSYM_FORMAT_GSYM)
		return "GSYM";
	return format == GSYM_FORMAT_BREAKPAD ? "Breakpad" : NULL;
}

/* The format of a file that begins with the SIZE bytes at HEAD; NULL if it is
 * none of programs. */
static const struct gsym_input *input_of(const uint8_t *head, size_t size)
{
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		if (inputs[i]->matches(head, size))
			return inputs[i];
	return NULL;
}

bool gsym_program_matches(const uint8_t *head, size_t size)
{
	return input_of(head, size);
}

/* ---- the start of a file ------------------------------------------------ */

/* Fill in WORD of HEAD, the start of the file FD.  Negative on failure. */
static ssize_t read_word(int fd, struct gsym_head *head)
{
	uint8_t block[4096];
	uint64_t at = 0;
	size_t blanks = gsym_breakpad_blanks(head->bytes, head->size);
	ssize_t n = (ssize_t)head->size;

	while (n > 0 && blanks) {
		at += blanks;
		n = gsym_fd_read_at(fd, block, sizeof(block), at);
		blanks = n > 0 ? gsym_breakpad_blanks(block, (size_t)n) : 0;
	}
	if (n >= 0)
		n = gsym_fd_read_at(fd, head->word, GSYM_HEAD_SIZE, at);
	head->word_size = n > 0 ? (size_t)n : 0;
	return n;
}

enum gsym_status gsym_program_head(const char *path, struct gsym_head *ret,
				   struct gsym_error *error)
{
	int fd = gsym_fd_open(path, O_RDONLY | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	*ret = (struct gsym_head){ .size = 0 };
	if (fd < 0)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot open: %m");
	/* Reading from a pipe would take its first bytes from the reader of
	 * the file.  For folders read() fails with a fitting message. */
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		close(fd);
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "a device or pipe, not a file");
	}
	n = gsym_fd_read_at(fd, ret->bytes, GSYM_HEAD_SIZE, 0);
	if (n >= 0) {
		ret->size = (size_t)n;
		n = read_word(fd, ret);
	}
	if (n < 0) {
		gsym_fail(error, GSYM_ERR_IO, 0, "cannot read: %m");
		*ret = (struct gsym_head){ .size = 0 };
	}
	close(fd);
	return n < 0 ? GSYM_ERR_IO : GSYM_OK;
}

/* ---- the files of a program ---------------------------------------------- */

#define PDB                                                               \
	"a PDB, which is not read: convert the .sym file that dump_syms " \
	"makes of it"
#define XCOFF "XCOFF, a format of AIX that is not read"

/* What a file is, and what to do with it, that begins with the SIZE bytes at
 * HEAD and is packed, or of a format that is not read; NULL: it is neither. */
static const char *name_other(const uint8_t *head, size_t size)
{
	static const struct {
		uint8_t size;
		char magic[24];
		const char *text;
	} kinds[] = {
		{ 23, "Microsoft C/C++ MSF 7.0", PDB },
		{ 23, "Microsoft C/C++ program", PDB },
		{ 8, "<bigaf>\n", XCOFF },
		{ 2, "\1\337", XCOFF }, /* 32-bit */
		{ 2, "\1\367", XCOFF }, /* 64-bit */
		{ 6, "\3757zXZ",	/* and a NUL */
		  "a compressed file: unpack it first (xz -dk)" },
		{ 3, "BZh", "a compressed file: unpack it first (bunzip2 -k)" },
		{ 8, "!<arch>\n",
		  "an archive: unpack it first (ar x), and convert its "
		  "members" },
		{ 8, "!<thin>\n",
		  "a thin archive: convert the files that it lists (ar t)" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (size >= kinds[i].size &&
		    !memcmp(head, kinds[i].magic, kinds[i].size))
			return kinds[i].text;
	return NULL;
}

/* Set *RET to the format of the file PATH. */
static enum gsym_status find_input(const char *path,
				   const struct gsym_input **ret,
				   struct gsym_error *error)
{
	struct gsym_head head;
	const char *other;
	enum gsym_status status = gsym_program_head(path, &head, error);

	if (status != GSYM_OK)
		return status;
	other = name_other(head.bytes, head.size);
	if (other)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0, "%s", other);
	*ret = input_of(head.bytes, head.size);
	if (*ret)
		return GSYM_OK;
	if (gsym_breakpad_starts(head.word, head.word_size))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "a Breakpad file starts with MODULE, this one "
				 "with another record of Breakpad files");
	return gsym_fail(error, GSYM_ERR_FORMAT, 0,
			 "neither a program nor a debug file of a known "
			 "format");
}

static enum gsym_status
open_container(const char *path, const struct gsym_convert_options *options,
	       const struct gsym_input **input, struct gsym_container **ret,
	       struct gsym_error *error)
{
	enum gsym_status status = find_input(path, input, error);

	return status == GSYM_OK
		       ? gsym_container_open(*input, path, GSYM_LOAD_PASSING,
					     options, ret, error)
		       : status;
}

/* If *C has no debug info, find its debug file: *C becomes the container of
 * that file, joined with the program, and *FOUND its path (malloc'ed).  If
 * there is no debug file, *C does not change. */
static enum gsym_status add_debug_file(const struct gsym_input *input,
				       const struct gsym_find *find,
				       const char *path,
				       struct gsym_container **c,
				       char **found, struct gsym_error *error)
{
	struct gsym_container *program = *c;
	struct gsym_container *debug;
	enum gsym_status status = GSYM_NOT_FOUND;

	if (gsym_dwarf_present(program)) {
		if (find->options->debug_file)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "it has debug info of its own, and "
					 "takes no debug file");
		return GSYM_OK;
	}
	if (input->find_debug)
		status = input->find_debug(find, path, program, &debug, found,
					   error);
	else if (find->options->debug_file)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "files of its format take no debug file");
	if (status == GSYM_NOT_FOUND)
		return GSYM_OK;
	if (status != GSYM_OK)
		return status;
	*c = debug;
	return gsym_container_join_program(debug, program)
		? GSYM_OK : gsym_fail_memory(error);
}

/* Open the files that the debug info of C continues in.  It was loaded from
 * DEBUG_PATH, or from PATH, the program, if DEBUG_PATH is NULL. */
static enum gsym_status find_parts(const struct gsym_find *find,
				   const char *path, const char *debug_path,
				   struct gsym_container *c,
				   struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;

	if (c->input->find_alternate)
		status = c->input->find_alternate(
			find, debug_path ? debug_path : path, c, error);
	if (status == GSYM_OK && c->input->split)
		status = gsym_find_split(find, path, debug_path, c, error);
	return status;
}

/* Open PATH, which messages call WHAT and which has symbols for C. */
static enum gsym_status open_symbols(const char *path, const char *what,
				     const struct gsym_container *c,
				     const struct gsym_convert_options *o,
				     struct gsym_container **ret,
				     struct gsym_error *error)
{
	struct gsym_error why = { 0 };
	const struct gsym_input *input;
	enum gsym_status status = open_container(path, o, &input, ret, &why);

	if (status != GSYM_OK)
		return gsym_fail(error, status, why.offset, "%s: %.200s", what,
				 why.message);
	if (gsym_container_alike(c, *ret))
		return GSYM_OK;
	gsym_fail(error, GSYM_ERR_ARGUMENT, 0, "architecture mismatch: it is "
		  "for %s, and the %s for %s", c->architecture, what,
		  (*ret)->architecture);
	gsym_container_free(*ret);
	return GSYM_ERR_ARGUMENT;
}

/* Replace the symbols and the build ID of C by those in O->symtab_file. */
static enum gsym_status replace_symbols(struct gsym_container *c,
					const struct gsym_convert_options *o,
					struct gsym_error *error)
{
	struct gsym_container *from;
	enum gsym_status status = open_symbols(o->symtab_file,
					       "symbol table file", c, o,
					       &from, error);

	if (status != GSYM_OK)
		return status;
	if (o->file)
		o->file(o->context, GSYM_FILE_SYMBOLS, o->symtab_file, NULL);
	c->symbols.count = 0;
	c->symbol_bytes = 0;
	c->uuid = from->uuid;
	c->uuid_size = from->uuid_size;
	return gsym_container_join_symbols(c, from) ? GSYM_OK
						    : gsym_fail_memory(error);
}

/* Add the stubs of O->stubs_file to the symbols of C. */
static enum gsym_status add_stubs(struct gsym_container *c,
				  const struct gsym_convert_options *o,
				  struct gsym_error *error)
{
	struct gsym_container *from;
	enum gsym_status status;

	if (c->format != GSYM_FORMAT_MACHO)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "files of its format have no file with stubs");
	status = open_symbols(o->stubs_file, "file with stubs", c, o, &from,
			      error);
	if (status != GSYM_OK)
		return status;
	if (!gsym_container_same_id(c, from)) {
		gsym_container_free(from);
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "the file with stubs has another UUID");
	}
	if (o->file)
		o->file(o->context, GSYM_FILE_STUBS, o->stubs_file, NULL);
	gsym_macho_keep_stubs(from);
	return gsym_container_join_symbols(c, from) ? GSYM_OK
						    : gsym_fail_memory(error);
}

enum gsym_status gsym_program_load(const char *path,
				   const struct gsym_convert_options *o,
				   struct gsym_container **ret,
				   struct gsym_error *error)
{
	static const char *const usual[] = { "/usr/lib/debug" };
	struct gsym_find find = { .directories = usual, .directory_count = 1,
				  .options = o };
	struct gsym_container *c = NULL;
	char *debug_path = NULL;
	const struct gsym_input *input;
	enum gsym_status status = open_container(path, o, &input, &c, error);

	if (o->debug_directories) {
		find.directories = o->debug_directories;
		find.directory_count = o->debug_directory_count;
	}
	if (status == GSYM_OK && o->section_base_count && !c->relocatable)
		status = gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				   "it is no relocatable object: its sections "
				   "cannot be placed");
	if (status == GSYM_OK)
		status = add_debug_file(input, &find, path, &c, &debug_path,
					error);
	if (status == GSYM_OK && gsym_dwarf_present(c))
		status = find_parts(&find, path, debug_path, c, error);
	if (status == GSYM_OK && o->symtab_file)
		status = replace_symbols(c, o, error);
	if (status == GSYM_OK && o->stubs_file)
		status = add_stubs(c, o, error);
	free(debug_path);
	if (status == GSYM_OK)
		*ret = c;
	else
		gsym_container_free(c);
	return status;
}

enum gsym_status gsym_program_open_facts(const struct gsym_convert_options *o,
					 struct gsym_container **ret,
					 struct gsym_error *error)
{
	struct gsym_error why = { 0 };
	const struct gsym_input *input;
	enum gsym_status status = find_input(o->program_file, &input, &why);

	if (status == GSYM_OK)
		status = gsym_container_open(input, o->program_file,
					     GSYM_LOAD_FACTS, o, ret, &why);
	if (status == GSYM_OK)
		return GSYM_OK;
	return gsym_fail(error, status, why.offset, "program '%.100s': %.140s",
			 o->program_file, why.message);
}

bool gsym_program_options_ok(const struct gsym_convert_options *options)
{
	return options &&
	       (options->section_bases || !options->section_base_count) &&
	       (options->debug_directories || !options->debug_directory_count);
}

/* ---- gsym/program.h: sections, symbols and pointers of a program --------- */

struct gsym_program {
	struct gsym_container *container;
};

/* Store the architecture of program NUMBER in NAME; "" if the file's format
 * holds one program alone. */
static enum gsym_status choose(const uint8_t *bytes, size_t size, size_t number,
			       char name[GSYM_ARCHITECTURE_NAME_SIZE],
			       struct gsym_error *error)
{
	struct macho_slices slices = { 0 };
	enum gsym_status status = GSYM_OK;

	*name = '\0';
	if (!gsym_machoview_is_universal(bytes, size))
		return number ? GSYM_NOT_FOUND : GSYM_OK;
	status = gsym_macho_slices(bytes, size, &slices, error);
	if (status == GSYM_OK && number >= slices.count)
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		memcpy(name,
		       gsym_macho_architecture(&slices.items[number]).name,
		       GSYM_ARCHITECTURE_NAME_SIZE);
	gsym_vec_fini(&slices);
	return status;
}

enum gsym_status gsym_program_open(const uint8_t *bytes, size_t size,
				   size_t number, struct gsym_program **ret,
				   struct gsym_error *error)
{
	char architecture[GSYM_ARCHITECTURE_NAME_SIZE];
	struct gsym_convert_options options = { .threads = 1 };
	const struct gsym_input *input;
	struct gsym_program *program;
	enum gsym_status status;

	if ((!bytes && size) || !ret)
		return gsym_fail_argument(error);
	status = choose(bytes, size, number, architecture, error);
	if (status != GSYM_OK)
		return status;
	if (*architecture)
		options.architecture = architecture;
	program = calloc(1, sizeof(*program));
	if (!program)
		return gsym_fail_memory(error);
	input = input_of(bytes, size < GSYM_HEAD_SIZE ? size : GSYM_HEAD_SIZE);
	if (input)
		status = gsym_container_load(input, bytes, size, GSYM_LOAD_DATA,
					     &options, &program->container,
					     error);
	else
		status = gsym_fail(error, GSYM_ERR_FORMAT, 0,
				   "no program of a known format");
	if (status == GSYM_OK)
		*ret = program;
	else
		free(program);
	return status;
}

void gsym_program_close(struct gsym_program *program)
{
	if (!program)
		return;
	gsym_container_free(program->container);
	free(program);
}

enum gsym_status gsym_program_get_facts(const struct gsym_program *program,
					struct gsym_program_facts *facts)
{
	const struct gsym_container *c;

	if (!program || !facts)
		return GSYM_ERR_ARGUMENT;
	c = program->container;
	*facts = (struct gsym_program_facts){
		.format = c->format,
		.architecture = c->architecture,
		.uuid = c->uuid_size ? c->uuid : NULL,
		.uuid_size = c->uuid_size,
		.address_size = c->address_size,
		.big_endian = c->big_endian,
		.relocatable = c->relocatable,
	};
	return GSYM_OK;
}

/* ---- sections and symbols ----------------------------------------------- */

static bool has_name(const struct gsym_container *c,
		     const struct gsym_container_section *s, const char *name)
{
	const char *comma =
		c->format == GSYM_FORMAT_MACHO ? strchr(s->name, ',') : NULL;

	return !strcmp(s->name, name) || (comma && !strcmp(comma + 1, name));
}

enum gsym_status gsym_program_find_section(const struct gsym_program *program,
					   const char *name, size_t *at,
					   struct gsym_program_section *ret)
{
	const struct gsym_container *c;

	if (!program || !name || !at || !ret)
		return GSYM_ERR_ARGUMENT;
	c = program->container;
	while (*at < c->sections.count) {
		const struct gsym_container_section *s =
			&c->sections.items[(*at)++];

		if (!has_name(c, s, name))
			continue;
		*ret = (struct gsym_program_section){
			.name = s->name,
			.address = s->address,
			.size = s->size,
			.data = s->data,
			.data_size = s->data_size,
			.file_offset = s->file_offset,
			.loaded = s->loaded,
			.executable = s->executable,
			.unrelocated = s->unrelocated,
		};
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

enum gsym_status gsym_program_symbol(const struct gsym_program *program,
				     const char *name, uint64_t *address)
{
	const struct gsym_container *c;

	if (!program || !name || !address)
		return GSYM_ERR_ARGUMENT;
	c = program->container;
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		/* The value of an undefined symbol is 0. */
		if (!s->value || strcmp(s->name, name) != 0)
			continue;
		*address = s->value;
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

/* ---- memory ------------------------------------------------------------- */

const uint8_t *gsym_program_bytes(const struct gsym_program *program,
				  uint64_t address, uint64_t *left)
{
	if (!program || !left)
		return NULL;
	return gsym_container_bytes(program->container, address, left);
}

/* The caller's copy of a piece of the program's memory. */
struct piece {
	const struct gsym_container *container;
	uint64_t address;
	uint8_t *copy;
	size_t size;
};

/* Write the pointer VALUE into the piece if it has all bytes of PLACE. */
static bool fill(void *context, uint64_t place, uint64_t value)
{
	const struct piece *piece = context;
	const struct gsym_container *c = piece->container;
	bool swap = c->big_endian != GSYM_HOST_BIG_ENDIAN;
	uint64_t offset = place - piece->address;

	if (offset > piece->size || piece->size - offset < c->address_size)
		return true;
	if (c->address_size == 8)
		gsym_store_u64(piece->copy + offset, value, swap);
	else
		gsym_store_u32(piece->copy + offset, (uint32_t)value, swap);
	return true;
}

void gsym_program_fill_pointers(const struct gsym_program *program,
				uint64_t address, uint8_t *copy, size_t size)
{
	const struct gsym_container *c = program ? program->container : NULL;
	struct piece piece = { c, address, copy, size };

	if (c && copy && c->pointers)
		c->pointers(c, fill, &piece);
}
