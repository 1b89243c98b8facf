/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the YAML file with call sites of gsym-create.  The file is taken
 * or refused with a message, and the GSYM data with its call sites are sound.
 *
 * gsym-create ends when it refuses a file, and leaves what it has allocated to
 * the system.  Here die frees the parsers and documents, and the bytes of the
 * file, before it leaves by longjmp.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "fuzz/verify.h"

#include "create/create.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static struct {
	struct fuzz_part text;
	jmp_buf refused;
	/** What is allocated. */
	yaml_parser_t *parser;
	yaml_document_t *document;
	uint8_t *bytes;
} file;

_Noreturn void __wrap_die(const char *format, ...);
uint8_t *__wrap_file_read(const char *path, size_t *size);
int __wrap_yaml_parser_initialize(yaml_parser_t *parser);
int __real_yaml_parser_initialize(yaml_parser_t *parser);
void __wrap_yaml_parser_delete(yaml_parser_t *parser);
void __real_yaml_parser_delete(yaml_parser_t *parser);
int __wrap_yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document);
int __real_yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document);
void __wrap_yaml_document_delete(yaml_document_t *document);
void __real_yaml_document_delete(yaml_document_t *document);

void __wrap_die(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	fuzz_require(vsnprintf(text, sizeof(text), format, args) > 0);
	va_end(args);
	fuzz_require(strstr(text, "line ") || !strncmp(text, "out of", 6));
	if (file.parser)
		__real_yaml_parser_delete(file.parser);
	if (file.document)
		__real_yaml_document_delete(file.document);
	else
		free(file.bytes);
	longjmp(file.refused, 1);
}

uint8_t *__wrap_file_read(const char *path, size_t *size)
{
	fuzz_require(*path);
	*size = file.text.size;
	file.bytes = malloc(file.text.size + 1);
	fuzz_require(file.bytes);
	if (file.text.size)
		memcpy(file.bytes, file.text.bytes, file.text.size);
	return file.bytes;
}

int __wrap_yaml_parser_initialize(yaml_parser_t *parser)
{
	file.parser = parser;
	return __real_yaml_parser_initialize(parser);
}

void __wrap_yaml_parser_delete(yaml_parser_t *parser)
{
	fuzz_require(parser == file.parser);
	file.parser = NULL;
	__real_yaml_parser_delete(parser);
}

int __wrap_yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document)
{
	int loaded = __real_yaml_parser_load(parser, document);

	if (loaded)
		file.document = document;
	return loaded;
}

void __wrap_yaml_document_delete(yaml_document_t *document)
{
	fuzz_require(document == file.document);
	file.document = NULL;
	__real_yaml_document_delete(document);
}

/* Add the functions that the seeds name. */
static void add_functions(struct gsym_builder *builder)
{
	static const char *const names[] = { "main", "f", "g" };

	for (unsigned i = 0; i < 3; i++) {
		struct gsym_record record = { .rank = GSYM_RANK_FUNCTION,
					      .start = 0x1000 + 0x100 * i,
					      .size = 0x80 };

		fuzz_require(gsym_builder_string(builder, names[i],
						 strlen(names[i]),
						 &record.name) == GSYM_OK &&
			     gsym_builder_record(builder, &record) == GSYM_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct gsym_build_options build = { .version = 1 + size % 2 };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_error error = { 0 };
	enum gsym_status status;
	uint8_t *bytes;

	fuzz_require(builder);
	add_functions(builder);
	file.text = (struct fuzz_part){ data, size };
	file.parser = NULL;
	file.document = NULL;
	if (!setjmp(file.refused)) {
		create_callsites("the file", builder);
		fuzz_require(!file.parser && !file.document);
	}
	/* What was read before the damage is in the builder. */
	status = gsym_builder_finish(builder, &build, &bytes, &size, NULL,
				     &error);
	gsym_builder_free(builder);
	/* No function has the name, or none with that offset. */
	fuzz_require(status == GSYM_OK || status == GSYM_ERR_ARGUMENT);
	if (status != GSYM_OK)
		return 0;
	if (!fuzz_verify(bytes, size, error.message, sizeof(error.message)))
		fuzz_stop(__FILE__, __LINE__, error.message);
	free(bytes);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char *const texts[] = {
		"functions:\n"
		"  - name: main\n"
		"    callsites:\n"
		"      - return_offset: 0x0d\n"
		"        match_regex: [\"^aa$\", 'bb.*']\n"
		"        flags: [InternalCall, ExternalCall]\n"
		"      - return_offset: 16\n"
		"        flags: [None]\n"
		"  - name: g\n",
		"functions: [{name: f, callsites: [{return_offset: 1}, "
		"{return_offset: 0x7f, match_regex: [a]}]}]\n",
		"functions:\n  - &a\n    name: f\n    callsites: &c\n"
		"      - return_offset: 4\n  - name: g\n    callsites: *c\n",
		"functions:\n  - name: |\n      text\n    callsites: []\n"
		"  - {? name : \"\\x41\\u00e9\", callsites: []}\n",
		"%YAML 1.1\n---\nfunctions: []\n...\n",
	};

	if (number >= sizeof(texts) / sizeof(texts[0]))
		return NULL;
	*size = strlen(texts[number]);
	return (uint8_t *)strdup(texts[number]);
}
