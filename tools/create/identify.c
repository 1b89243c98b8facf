/* SPDX-License-Identifier: MIT */
/*
 * create/identify.c - what is known of a file without a conversion: the program
 * that it belongs to (--identify), the ID that profiles of OpenTelemetry give
 * to a program's file, and which of two GSYM files of one program is the better
 * one.  Reads lists of files.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_NETTLE
#include <nettle/sha2.h>
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <gsym/program.h>
#include <gsym/reader.h>

#include "base/cursor.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "create/create.h"

/* ---- the ID of a file ---------------------------------------------------- */

/* Source: OpenTelemetry's specification of profiles, "Mappings", the algorithm
 * for process.executable.build_id.htlhash. */

#ifdef HAVE_NETTLE
/* The bytes at either end of a file that are hashed. */
enum { END_BYTES = 4096 };

bool create_file_id(const uint8_t *bytes, size_t size, uint8_t id[FILE_ID])
{
	size_t end = size < END_BYTES ? size : END_BYTES;
	uint8_t length[8];
	struct sha256_ctx hash;

	/* The hash of another file than the one that runs names nothing. */
	if (!gsym_elf_is_program(bytes, size) || gsym_elf_is_stub(bytes, size))
		return false;
	gsym_store_u64(length, size, !GSYM_HOST_BIG_ENDIAN);
	sha256_init(&hash);
	sha256_update(&hash, end, bytes);
	sha256_update(&hash, end, bytes + size - end);
	sha256_update(&hash, sizeof(length), length);
	sha256_digest(&hash, FILE_ID, id);
	return true;
}
#else
bool create_file_id(const uint8_t *bytes, size_t size, uint8_t id[FILE_ID])
{
	(void)bytes;
	(void)size;
	(void)id;
	return false;
}
#endif

void create_read_file_id(struct conversion *c)
{
	const struct create *create = c->create;
	const char *path = c->facts.format == GSYM_FORMAT_ELF
				   ? create->input
				   : create->convert.program_file;
	int fd = path ? gsym_fd_open(path, O_RDONLY | O_NONBLOCK) : -1;
	const uint8_t *map;
	size_t size;

	if (fd < 0)
		return;
	map = gsym_fd_map(fd, &size);
	c->file_id_known = map && create_file_id(map, size, c->file_id);
	gsym_fd_unmap(map, size);
	close(fd);
}

/* Link the file of the build ID of ID_SIZE bytes at ID with SUFFIX, if it is
 * there, by FILE_ID, too.  Returns whether there is a link now; a warning tells
 * about failures. */
static bool link_one(const struct create *create, const uint8_t *id,
		     size_t id_size, const uint8_t file_id[FILE_ID],
		     const char *suffix)
{
	size_t root = strlen(create->install);
	char *from = path_build_id(create->install, id, id_size, suffix);
	/* As gsym/store.h wants it: from the folder of the link. */
	char *target = path_build_id("../..", id, id_size, suffix);
	char *path = path_build_id(create->install, file_id, FILE_ID, suffix);
	int there = outfile_find_below(from, root);
	const char *why = there < 0 && errno != ENOENT ? strerror(errno) : NULL;

	if (there >= 0) {
		close(there);
		why = outfile_link_below(path, root, target);
	}
	if (why)
		report_note("warning: cannot link '%s': %s", path, why);
	free(path);
	free(target);
	free(from);
	return there >= 0 && !why;
}

bool create_link_file_id(const struct create *create, const uint8_t *id,
			 size_t id_size, const uint8_t file_id[FILE_ID])
{
	if (id_size == FILE_ID && memcmp(id, file_id, FILE_ID) == 0)
		return false;
	/* As with other files the stub comes first. */
	link_one(create, id, id_size, file_id, ".debug");
	return link_one(create, id, id_size, file_id, ".debug.gsym");
}

/* ---- the better of two GSYM files ---------------------------------------- */

/* The records of a sound file lie beside each other.  In a hostile file all
 * functions can share one long record.  A file whose records have more than so
 * many times its bytes has no rank. */
#define RECORD_SHARE GSYM_LIMIT(64, 1)

/* A file with so many times the bytes that the file system keeps for it is
 * sparse, and has no rank: it could have any size. */
#define SPARSE_SHARE 64

enum { WITH_LINES, LINES, INLINED, FUNCTIONS, COUNTS };

void create_hash(const uint8_t *bytes, size_t size, uint64_t ret[2])
{
	XXH128_hash_t hash = XXH3_128bits(bytes, size);

	ret[0] = hash.high64;
	ret[1] = hash.low64;
}

static void count_record(const struct gsym_function *f, uint64_t *counts)
{
	struct gsym_line_iter rows;
	struct gsym_line row;
	struct gsym_inline_iter nodes;
	struct gsym_inline node;
	uint64_t lines = counts[LINES];

	counts[FUNCTIONS]++;
	if (f->has_lines && gsym_lines(f, &rows, NULL) == GSYM_OK)
		while (gsym_line_next(&rows, &row, NULL) == GSYM_OK)
			counts[LINES]++;
	counts[WITH_LINES] += counts[LINES] > lines;
	if (f->has_inlines && gsym_inlines(f, &nodes, NULL) == GSYM_OK)
		while (gsym_inline_next(&nodes, &node, NULL) == GSYM_OK)
			counts[INLINED]++;
}

/* Add what all records of READER, which has SIZE bytes, hold to COUNTS.  False
 * if that is too much work for the size. */
static bool count_records(const struct gsym_reader *reader, size_t size,
			  uint64_t *counts)
{
	uint64_t left = (uint64_t)size * RECORD_SHARE;

	for (uint32_t i = 0; i < gsym_function_count(reader); i++) {
		struct gsym_function f = { 0 };
		enum gsym_status status = gsym_function_at(reader, i, &f, NULL);

		/* A damaged record has a size, too. */
		if (f.record_size > left)
			return false;
		left -= f.record_size;
		if (status == GSYM_OK)
			count_record(&f, counts);
	}
	return true;
}

struct rank create_rank(const uint8_t *bytes, size_t size, const uint8_t *id,
		    size_t id_size)
{
	struct rank rank = { 0 }, counted = { 0 };
	struct gsym_reader *reader;
	struct gsym_header header;
	enum gsym_status status;

	status = gsym_open_memory(bytes, size, &reader, NULL);
	must(status != GSYM_ERR_MEMORY);
	if (status != GSYM_OK)
		return rank;
	gsym_get_header(reader, &header);
	if (gsym_uuid_matches(header.uuid, header.uuid_size, id, id_size) &&
	    count_records(reader, size, counted.counts)) {
		rank = counted;
		create_hash(bytes, size, rank.hash);
	}
	gsym_close(reader);
	return rank;
}

struct rank create_rank_file(int fd, const uint8_t *id, size_t id_size)
{
	const struct rank none = { 0 };
	struct rank rank;
	struct stat st;
	const uint8_t *bytes;
	size_t size;

	if (fstat(fd, &st) != 0 ||
	    (st.st_blocks && st.st_size / 512 / SPARSE_SHARE > st.st_blocks))
		return none;
	bytes = gsym_fd_map(fd, &size);
	must(bytes || errno != ENOMEM);
	if (!bytes)
		return none;
	rank = create_rank(bytes, size, id, id_size);
	gsym_fd_unmap(bytes, size);
	return rank;
}

bool create_is_better(const struct rank *a, const struct rank *b)
{
	for (int i = 0; i < COUNTS; i++)
		if (a->counts[i] != b->counts[i])
			return a->counts[i] > b->counts[i];
	for (int i = 0; i < 2; i++)
		if (a->hash[i] != b->hash[i])
			return a->hash[i] > b->hash[i];
	return false;
}

/* ---- --identify ---------------------------------------------------------- */

void create_each_name(const struct create *create,
		      void (*use)(void *context, const char *name),
		      void *context)
{
	const char *path = create->files_from;
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char *name = NULL;
	size_t room = 0;
	ssize_t length;
	int end = create->null_names ? 0 : '\n';

	if (!file)
		die("cannot open '%s': %s", path, strerror(errno));
	while ((length = getdelim(&name, &room, end, file)) > 0) {
		if (name[length - 1] == end)
			name[--length] = 0;
		if (length)
			use(context, name);
	}
	if (ferror(file))
		die("cannot read '%s': %s", path, strerror(errno));
	free(name);
	if (file != stdin)
		fclose(file);
}

bool create_has_debug_info(const uint8_t *bytes, size_t size)
{
	return gsym_elf_has_section(bytes, size, ".debug_info") ||
	       gsym_elf_has_section(bytes, size, ".zdebug_info");
}

const char *create_outcome_of(enum gsym_status status)
{
	switch (status) {
	case GSYM_ERR_FORMAT:
	case GSYM_ERR_UNSUPPORTED:
		return "format";
	case GSYM_ERR_CORRUPT:
		return "damaged";
	case GSYM_ERR_MEMORY:
	case GSYM_ERR_LIMIT:
		return "limit";
	default:
		return "io";
	}
}

void create_json_outcome(struct json *json, const char *input,
			 const char *outcome, const char *reason)
{
	json_object(json, NULL);
	json_string(json, "input", input);
	json_string(json, "outcome", outcome);
	if (reason)
		json_string(json, "error", reason);
	json_end_line(json);
}

/* Write what is known of PROGRAM, which is in the SIZE bytes at BYTES. */
static void show_program(struct json *json, const struct gsym_program *program,
			 const uint8_t *bytes, size_t size)
{
	struct gsym_program_facts facts;
	struct gsym_program_section section;
	uint8_t file_id[FILE_ID];
	size_t at = 0;
	bool elf, debug;

	gsym_program_get_facts(program, &facts);
	elf = facts.format == GSYM_FORMAT_ELF;
	json_string(json, "input_format", gsym_format_name(facts.format));
	json_string(json, "architecture", facts.architecture);
	/* --install takes the ID of the file in its place. */
	if (!facts.uuid_size && create_file_id(bytes, size, file_id))
		json_bytes(json, "uuid", file_id, FILE_ID);
	else
		json_bytes(json, "uuid", facts.uuid, facts.uuid_size);
	if (elf)
		debug = create_has_debug_info(bytes, size);
	else
		debug = gsym_program_find_section(
				program,
				facts.format == GSYM_FORMAT_MACHO
					? "__DWARF,__debug_info"
					: ".debug_info",
				&at, &section) == GSYM_OK;
	json_bool(json, "debug_info", debug);
	if (elf)
		json_bool(json, "symbols",
			  gsym_elf_has_section(bytes, size, ".symtab") ||
				  gsym_elf_has_section(bytes, size, ".dynsym"));
	at = 0;
	if (gsym_program_find_section(program, ".gnu_debuglink", &at,
				      &section) == GSYM_OK && section.data)
		json_text(json, "debug_link", (const char *)section.data,
			  strnlen((const char *)section.data,
				  section.data_size));
}

/* Write an object for each program in the SIZE bytes at BYTES of the file
 * INPUT.  Returns GSYM_OK, or the status of the first program. */
static enum gsym_status show_programs(struct json *json, const char *input,
				      const uint8_t *bytes, size_t size,
				      struct gsym_error *error)
{
	struct gsym_program *program;
	enum gsym_status status;

	for (size_t number = 0;; number++) {
		status = gsym_program_open(bytes, size, number, &program,
					   error);
		if (status != GSYM_OK)
			return number ? GSYM_OK : status;
		json_object(json, NULL);
		json_string(json, "input", input);
		json_number(json, "size", size);
		show_program(json, program, bytes, size);
		json_end_line(json);
		gsym_program_close(program);
	}
}

/* Write an object for INPUT if it is a Breakpad file.  Returns whether it
 * is. */
static bool show_symbols(struct json *json, const char *input, size_t size)
{
	uint8_t id[64];
	size_t id_size = 0;

	if (gsym_breakpad_identity(input, GSYM_FROM_BEST, id, &id_size) !=
	    GSYM_OK)
		return false;
	json_object(json, NULL);
	json_string(json, "input", input);
	json_number(json, "size", size);
	json_string(json, "input_format",
		    gsym_format_name(GSYM_FORMAT_BREAKPAD));
	json_bytes(json, "uuid", id, id_size);
	json_bool(json, "debug_info", true);
	json_end_line(json);
	return true;
}

/* Write what INPUT is to the struct json CONTEXT. */
static void identify(void *context, const char *input)
{
	struct json *json = context;
	struct gsym_error error = { 0 };
	struct stat st;
	int fd = open(input, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool there = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	size_t size = 0;
	const uint8_t *map = there ? gsym_fd_map(fd, &size) : NULL;
	enum gsym_status status = GSYM_ERR_FORMAT;

	if (map && !show_symbols(json, input, size))
		status = show_programs(json, input, map, size, &error);
	else if (map)
		status = GSYM_OK;
	if (fd < 0)
		create_json_outcome(json, input, "io", strerror(errno));
	else if (!there)
		create_json_outcome(json, input, "io",
			     "it is a folder, device or pipe, not a file");
	else if (status != GSYM_OK)
		create_json_outcome(json, input, create_outcome_of(status),
			     report_reason(status, &error));
	gsym_fd_unmap(map, size);
	if (fd >= 0)
		close(fd);
}

void create_identify(const struct create *create)
{
	struct out out;
	struct json json;

	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	json_init(&json, &out);
	for (size_t i = 0; i < create->input_count; i++)
		identify(&json, create->inputs[i]);
	if (create->files_from)
		create_each_name(create, identify, &json);
	out_fini(&out);
}
