/* SPDX-License-Identifier: MIT */
/* From a stripped program to its debug file: callbacks, and files of every
 * class and byte order.  tests/cli/debug-files.sh tries all places. */
#include "config.h"

#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The checksum of .gnu_debuglink, bit by bit. */
static uint32_t checksum(const uint8_t *bytes, size_t size)
{
	uint32_t crc = ~(uint32_t)0;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

struct kind {
	unsigned bits;
	bool big_endian;
};

static uint8_t *make_debug(struct kind kind, const char *id, size_t *size)
{
	struct elfb *b = elfb_new(kind.bits, kind.big_endian, ET_DYN, EM_MIPS);
	uint8_t *bytes;

	if (id)
		elfb_note(b, ".note", "GNU", 3, id, strlen(id));
	elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0, "info", 4);
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

/* A program whose .gnu_debuglink names NAME; without one if NAME is NULL. */
static uint8_t *make_program(struct kind kind, const char *id, const char *name,
			     uint32_t crc, size_t *size)
{
	struct elfb *b = elfb_new(kind.bits, kind.big_endian, ET_DYN, EM_MIPS);
	uint8_t link[64] = { 0 };
	uint8_t *bytes;

	if (id)
		elfb_note(b, ".note", "GNU", 3, id, strlen(id));
	if (name) {
		size_t at = (strlen(name) + 4) & ~(size_t)3;

		strcpy((char *)link, name);
		for (int i = 0; i < 4; i++)
			link[at + i] = (uint8_t)(crc >> 8 * (kind.big_endian
							? 3 - i : i));
		elfb_section(b, ".gnu_debuglink", SHT_PROGBITS, 0, 0, link,
			     at + 4);
	}
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

/* What the callbacks were told, and what they answer. */
struct listener {
	int used, refused, fetched;
	/* Why the first file was refused. */
	char reason[GSYM_ERROR_MESSAGE_SIZE];
	const char *fetch; /* the path that fetching gives */
	enum gsym_status fetch_status;
};

static void listen(void *context, enum gsym_file_role role, const char *path,
		   const char *refused)
{
	struct listener *l = context;

	cr_assert_eq(role, GSYM_FILE_DEBUG);
	cr_assert(path && *path);
	if (refused) {
		if (l->refused++ == 0)
			snprintf(l->reason, sizeof(l->reason), "%s", refused);
	} else {
		l->used++;
	}
}

static enum gsym_status fetch(void *context, const uint8_t *build_id,
			      size_t size, char **path,
			      struct gsym_error *error)
{
	struct listener *l = context;

	cr_assert_eq(size, 8);
	cr_assert(!memcmp(build_id, "identity", 8));
	l->fetched++;
	if (l->fetch_status == GSYM_OK) {
		*path = strdup(l->fetch);
	} else if (l->fetch_status != GSYM_NOT_FOUND) {
		error->code = l->fetch_status;
		strcpy(error->message, "the line is dead");
	}
	return l->fetch_status;
}

/* Search for the debug file of the program at PATH. */
static enum gsym_status search(const char *path,
			       struct gsym_convert_options *options,
			       struct listener *l, char *warning)
{
	struct gsym_find find = { .options = options };
	struct gsym_container *program;
	struct gsym_container *debug;
	enum gsym_status status;
	char *found;

	options->threads = 1;
	options->file = listen;
	options->context = l;
	cr_assert_eq(gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
					 &(const struct gsym_convert_options){
						 .threads = 1 },
					 &program, NULL),
		     GSYM_OK);
	status = gsym_find_debug_file(&find, path, program, &debug, &found,
				      NULL);
	cr_assert_eq(status == GSYM_OK, debug != NULL);
	cr_assert_eq(status == GSYM_OK, found != NULL);
	*warning = '\0';
	cr_assert_leq(program->warnings.count, 1);
	if (program->warnings.count)
		strcpy(warning, program->warnings.items[0].text);
	gsym_container_free(debug);
	gsym_container_free(program);
	free(found);
	return status;
}

ParameterizedTestParameters(find_debug, checksum)
{
	static struct kind kinds[] = {
		{ 32, false }, { 32, true }, { 64, false }, { 64, true },
	};

	return cr_make_param_array(struct kind, kinds, 4);
}

ParameterizedTest(struct kind *kind, find_debug, checksum)
{
	char warning[GSYM_ERROR_MESSAGE_SIZE];
	struct gsym_convert_options options = { 0 };
	struct listener l = { 0 };
	size_t size;
	uint8_t *bytes = make_debug(*kind, NULL, &size);
	char *debug = elfb_save(bytes, size);
	uint32_t crc = checksum(bytes, size);
	const char *name = strrchr(debug, '/') + 1;
	char *path;

	free(bytes);
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		bytes = make_program(*kind, NULL, name, crc ^ wrong, &size);
		path = elfb_save(bytes, size);
		l = (struct listener){ 0 };
		cr_assert_eq(search(path, &options, &l, warning),
			     wrong ? GSYM_NOT_FOUND : GSYM_OK);
		cr_assert_eq(l.used, !wrong);
		cr_assert_eq(strstr(l.reason, "its checksum is") != NULL,
			     wrong);
		cr_assert_eq(strstr(warning, name) != NULL, wrong);
		unlink(path);
		free(path);
		free(bytes);
	}
	unlink(debug);
	free(debug);
}

/* A file of another class or byte order is refused, even with the right build
 * ID. */
Test(find_debug, another_architecture)
{
	char warning[GSYM_ERROR_MESSAGE_SIZE];
	struct kind kinds[] = {
		{ 64, true }, { 64, false }, { 32, true }, { 32, false },
	};
	size_t size;
	uint8_t *bytes = make_program(kinds[0], "identity", NULL, 0, &size);
	char *path = elfb_save(bytes, size);

	free(bytes);
	for (int i = 0; i < 4; i++) {
		struct gsym_convert_options options = { 0 };
		struct listener l = { 0 };
		char *debug;

		bytes = make_debug(kinds[i], "identity", &size);
		options.debug_file = debug = elfb_save(bytes, size);
		cr_assert_eq(search(path, &options, &l, warning),
			     i ? GSYM_ERR_ARGUMENT : GSYM_OK);
		cr_assert_eq(l.refused, i != 0);
		cr_assert_eq(strstr(l.reason, "it is for mips") != NULL,
			     i != 0);
		unlink(debug);
		free(debug);
		free(bytes);
	}
	unlink(path);
	free(path);
}

Test(find_debug, fetched)
{
	char warning[GSYM_ERROR_MESSAGE_SIZE];
	struct kind kind = { 64, false };
	struct gsym_convert_options options = { .fetch = fetch };
	struct listener l = { 0 };
	size_t size;
	uint8_t *bytes = make_program(kind, "identity", NULL, 0, &size);
	char *path = elfb_save(bytes, size);
	char *right;
	char *wrong;

	free(bytes);
	bytes = make_debug(kind, "identity", &size);
	right = elfb_save(bytes, size);
	free(bytes);
	bytes = make_debug(kind, "another", &size);
	wrong = elfb_save(bytes, size);
	free(bytes);

	l.fetch = right;
	cr_assert_eq(search(path, &options, &l, warning), GSYM_OK);
	cr_assert_eq(l.fetched, 1);
	cr_assert_str_empty(warning);
	l.fetch = wrong;
	cr_assert_eq(search(path, &options, &l, warning), GSYM_NOT_FOUND);
	cr_assert(strstr(warning, "the fetched file is wrong: its build ID"));
	l.fetch_status = GSYM_NOT_FOUND;
	cr_assert_eq(search(path, &options, &l, warning), GSYM_NOT_FOUND);
	cr_assert(strstr(warning, "cannot be fetched either"), "%s", warning);
	l.fetch_status = GSYM_ERR_IO;
	cr_assert_eq(search(path, &options, &l, warning), GSYM_NOT_FOUND);
	cr_assert(strstr(warning, "the line is dead"), "%s", warning);
	/* Without a way to fetch files there is no warning. */
	options.fetch = NULL;
	cr_assert_eq(search(path, &options, &l, warning), GSYM_NOT_FOUND);
	cr_assert_str_empty(warning);
	cr_assert_eq(l.fetched, 4);
	unlink(path);
	unlink(right);
	unlink(wrong);
	free(path);
	free(right);
	free(wrong);
}

/* A file that the options name is used, or refused with an error. */
Test(find_debug, named)
{
	char warning[GSYM_ERROR_MESSAGE_SIZE];
	struct kind kind = { 32, true };
	struct gsym_convert_options options = { .debug_file = "/nowhere",
						.fetch = fetch };
	struct listener l = { 0 };
	size_t size;
	uint8_t *bytes = make_program(kind, "identity", "x", 0, &size);
	char *path = elfb_save(bytes, size);

	free(bytes);
	cr_assert_eq(search(path, &options, &l, warning), GSYM_ERR_IO);
	cr_assert_eq(l.refused, 1);
	cr_assert_eq(l.fetched, 0);
	options.debug_file = path;
	l.refused = 0;
	cr_assert_eq(search(path, &options, &l, warning), GSYM_ERR_ARGUMENT);
	cr_assert_str_eq(l.reason, "it is the program itself");
	unlink(path);
	free(path);
}
