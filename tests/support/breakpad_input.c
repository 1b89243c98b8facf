/* SPDX-License-Identifier: MIT */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "support/breakpad_input.h"

#include <gsym/reader.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int breakpad_input_file(const void *bytes, size_t size, char *path)
{
	int fd = memfd_create("breakpad", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "breakpad_input: %s: %s\n", what, why);
	abort();
}

/* Verify the GSYM file of SIZE bytes at BYTES, and look each of its functions
 * up.  Returns their number. */
static uint64_t check(const uint8_t *bytes, size_t size)
{
	static struct gsym_frame frames[1 + GSYM_MAX_INLINE_DEPTH];
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	uint32_t count;

	if (gsym_open_memory(bytes, size, &reader, &error) != GSYM_OK)
		stop("it cannot be opened", error.message);
	if (gsym_verify(reader, NULL, NULL) != GSYM_OK)
		stop("it is not sound", "gsym_verify");
	count = gsym_function_count(reader);
	for (uint32_t i = 0; i < count; i++) {
		struct gsym_match match;

		if (gsym_lookup(reader, gsym_address_at(reader, i), 0, frames,
				sizeof(frames) / sizeof(frames[0]), &match,
				&error) != GSYM_OK ||
		    !match.frame_count)
			stop("a function has no answer", error.message);
	}
	gsym_close(reader);
	return count;
}

uint64_t breakpad_input_convert(const void *bytes, size_t size,
				const struct gsym_convert_options *options)
{
	struct gsym_build_options build = { .merge =
						    options->merged_functions };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_error error = { 0 };
	enum gsym_status status;
	uint8_t *out = NULL;
	uint64_t count = 0;
	char path[64];
	int fd = breakpad_input_file(bytes, size, path);

	if (!builder)
		abort();
	status = gsym_convert_file(path, options, builder, NULL, &error);
	close(fd);
	if (status == GSYM_OK)
		status = gsym_builder_finish(builder, &build, &out, &size,
					     NULL, &error);
	gsym_builder_free(builder);
	if (status == GSYM_ERR_ARGUMENT)
		stop("the builder refuses a record", error.message);
	if (status == GSYM_OK)
		count = check(out, size);
	free(out);
	return count;
}

static void note(void *context, enum gsym_warning kind, const char *text)
{
	struct breakpad_result *result = context;

	if (!result->warnings[kind]++)
		snprintf(result->first[kind], sizeof(result->first[kind]),
			 "%s", text);
}

enum gsym_status breakpad_input_text(const char *text,
				     const struct gsym_convert_options *options,
				     struct breakpad_result *ret)
{
	return breakpad_input_bytes(text, strlen(text), options, ret);
}

enum gsym_status
breakpad_input_bytes(const char *bytes, size_t size,
		     const struct gsym_convert_options *options,
		     struct breakpad_result *ret)
{
	static const struct gsym_convert_options usual;
	struct gsym_convert_options own = options ? *options : usual;
	struct gsym_build_options build = { .merge = own.merged_functions };
	struct gsym_builder *builder = gsym_builder_new();
	enum gsym_status status;
	char path[64];
	int fd = breakpad_input_file(bytes, size, path);

	memset(ret, 0, sizeof(*ret));
	own.warn = note;
	own.context = ret;
	status = gsym_convert_file(path, &own, builder, &ret->facts,
				   &ret->error);
	close(fd);
	if (status == GSYM_OK)
		status = gsym_builder_finish(builder, &build, &ret->bytes,
					     &ret->size, NULL, &ret->error);
	gsym_builder_free(builder);
	if (status != GSYM_OK)
		return status;
	check(ret->bytes, ret->size);
	return gsym_open_memory(ret->bytes, ret->size, &ret->reader,
				&ret->error);
}

void breakpad_result_fini(struct breakpad_result *result)
{
	gsym_close(result->reader);
	free(result->bytes);
}

const char *breakpad_answer(const struct breakpad_result *result,
			    uint64_t address)
{
	static struct gsym_frame frames[1 + GSYM_MAX_INLINE_DEPTH];
	static char text[1 << 16];
	struct gsym_match match;
	size_t at = 0;

	if (gsym_lookup(result->reader, address, 0, frames,
			sizeof(frames) / sizeof(frames[0]), &match,
			NULL) != GSYM_OK)
		return "none";
	for (uint32_t i = 0; i < match.frame_count; i++) {
		const struct gsym_frame *f = &frames[i];
		bool bare = !*f->directory && !*f->basename;

		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "%s%s %s%s%s:%u", i ? " < " : "",
				       f->function, f->directory,
				       *f->directory ? "/" : "",
				       bare ? "none" : f->basename, f->line);
		if (at >= sizeof(text))
			abort();
	}
	return text;
}

uint8_t *breakpad_input_fixture(unsigned number, size_t *size)
{
	static const char *const names[] = {
		"arm_public",	 "cfi_only",	"clang_inline", "clang_older",
		"deep_inline",	 "fixed_base",	"gcc_split",	"many_ranges",
		"mozilla_style", "odd_records", "old_inline",	"windows_crlf",
		"long_name",	 "pe_program",
	};
	enum { ROOM = 1 << 17 };
	const char *top = getenv("top_srcdir");
	char path[4096];
	uint8_t *bytes;
	FILE *f;

	if (number >= sizeof(names) / sizeof(names[0]))
		return NULL;
	snprintf(path, sizeof(path), "%s/testdata/breakpad/%s.sym",
		 top ? top : ".", names[number]);
	f = fopen(path, "rb");
	bytes = malloc(ROOM);
	if (!f || !bytes)
		abort();
	*size = fread(bytes, 1, ROOM, f);
	fclose(f);
	return bytes;
}
