/* SPDX-License-Identifier: MIT */
/*
 * create/identify.c - gsym-create --identify: says which program each of many
 * files belongs to, without converting it; and reads lists of files.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gsym/elf.h>
#include <gsym/program.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "create/create.h"

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
		json_end(json);
		json_line(json);
		gsym_program_close(program);
	}
}

/* Write that INPUT cannot be identified.  OUTCOME is a name of the failures of
 * --json. */
static void show_failure(struct json *json, const char *input,
			 const char *outcome, const char *error)
{
	json_object(json, NULL);
	json_string(json, "input", input);
	json_string(json, "outcome", outcome);
	json_string(json, "error", error);
	json_end(json);
	json_line(json);
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
	json_end(json);
	json_line(json);
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
	size_t size;
	const uint8_t *map = there ? gsym_fd_map(fd, &size) : NULL;
	enum gsym_status status = GSYM_ERR_FORMAT;

	if (map && !show_symbols(json, input, size))
		status = show_programs(json, input, map, size, &error);
	else if (map)
		status = GSYM_OK;
	if (fd < 0)
		show_failure(json, input, "io", strerror(errno));
	else if (!there)
		show_failure(json, input, "io",
			     "it is a folder, device or pipe, not a file");
	else if (status != GSYM_OK)
		show_failure(json, input, create_outcome_of(status),
			     report_reason(status, &error));
	if (map)
		munmap((void *)map, size);
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
