/* SPDX-License-Identifier: MIT */
/* The entry of the room: one pass after the other. */
#include "breakpad/breakpad.h"

#include "base/error.h"
#include "breakpad/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
	const struct bp_public *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Push a label for the first PUBLIC record of each address. */
static enum gsym_status push_publics(struct bp_file *file)
{
	if (file->publics.count)
		qsort(file->publics.items, file->publics.count,
		      sizeof(*file->publics.items), by_address);
	for (size_t i = 0; i < file->publics.count; i++) {
		const struct bp_public *public = &file->publics.items[i];
		struct gsym_record record = {
			.rank = GSYM_RANK_LABEL,
			.name_kind = GSYM_NAME_SYMBOL_GLOBAL,
			.start = public->address + file->base,
			.limit = gsym_bp_code_end(file,
						  public->address + file->base),
		};
		enum gsym_status status;

		if (i && public[-1].address == public->address)
			continue;
		status = gsym_bp_string(file, public->name, &record.name);
		if (status == GSYM_OK)
			status = gsym_sink_record(&file->sink, &record);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* Check that the first line that is not empty is a record. */
static enum gsym_status check_start(struct bp_text text,
				    struct gsym_error *error)
{
	struct bp_text line, rest, keyword;
	uint64_t number = 0;

	bp_skip_utf8_mark(&text);
	for (;;) {
		if (!bp_next_line(&text, &line, true))
			return gsym_fail(error, GSYM_ERR_FORMAT, 0,
					 "the file is empty");
		number++;
		rest = line;
		keyword = bp_field(&rest);
		if (bp_length(keyword))
			break;
	}
	if (gsym_breakpad_starts((const uint8_t *)keyword.at,
				 bp_length(keyword)))
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_FORMAT, 0,
			 "line %" PRIu64 ", column %zu: no record of a "
			 "Breakpad file",
			 number, (size_t)(keyword.at - line.at) + 1);
}

static enum gsym_status read_all(struct bp_file *file,
				 struct gsym_error *error)
{
	enum gsym_status status = check_start(file->text, error);

	if (status != GSYM_OK)
		return status;
	status = gsym_bp_first_pass(file);
	if (status != GSYM_OK)
		return gsym_fail(error, status, 0, "%s",
				 gsym_status_text(status));
	if (!file->functions.count && !file->publics.count && file->bad_line)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "line %" PRIu64 ", column %" PRIu64
				 ": no record of a Breakpad file, and it has "
				 "neither FUNC nor PUBLIC",
				 file->bad_line, file->bad_column);
	gsym_bp_identity(file);
	status = gsym_bp_set_base(file, error);
	if (status != GSYM_OK)
		return status;
	if (!gsym_bp_settle_functions(file))
		return gsym_fail_memory(error);
	status = gsym_bp_settle_names(file);
	if (status == GSYM_OK)
		status = gsym_bp_push_functions(file);
	if (status == GSYM_OK)
		status = push_publics(file);
	return status == GSYM_OK ? status :
				   gsym_fail(error, status, 0, "%s",
					     gsym_status_text(status));
}

static void file_fini(struct bp_file *file)
{
	gsym_vec_fini(&file->functions);
	gsym_vec_fini(&file->publics);
	gsym_bp_map_fini(&file->files);
	gsym_bp_map_fini(&file->origins);
	gsym_vec_fini(&file->unknown);
	gsym_vec_fini(&file->missing);
	gsym_vec_fini(&file->code);
	gsym_bp_spool_free(file->text);
}

enum gsym_status
gsym_breakpad_convert(const char *path, const struct gsym_container *program,
		      const struct gsym_convert_options *options,
		      struct gsym_builder *builder,
		      struct gsym_convert_facts *facts,
		      struct gsym_error *error)
{
	struct bp_file file = { .options = options,
				.sink = gsym_builder_sink(builder),
				.program = program,
				.base = options->base };
	enum gsym_status status = gsym_bp_spool_open(path, options, &file.text,
						     &file.copied, error);

	if (status != GSYM_OK)
		return status;
	facts->format = GSYM_FORMAT_BREAKPAD;
	facts->input_bytes = bp_length(file.text);
	status = read_all(&file, error);
	if (status == GSYM_OK) {
		gsym_bp_architecture(&file, facts);
		memcpy(facts->uuid, file.uuid, file.uuid_size);
		facts->uuid_size = file.uuid_size;
		facts->uuid_is_prefix = file.is_prefix;
		facts->records = file.records;
		facts->program_format = file.program_format;
		status = gsym_builder_set_uuid(builder, file.uuid,
					       file.uuid_size);
		gsym_builder_set_base(builder, file.base);
	}
	file_fini(&file);
	return status;
}

enum gsym_status gsym_breakpad_head(const char *path, uint8_t *head,
				    size_t *size)
{
	struct bp_text text = { (char *)head, (char *)head + *size };
	enum gsym_status status = gsym_bp_spool_head(path, &text);

	*size = bp_length(text);
	return status == GSYM_ERR_UNSUPPORTED ? GSYM_NOT_FOUND : status;
}

enum gsym_status gsym_breakpad_identity(const char *path, enum gsym_from from,
					uint8_t *uuid, size_t *size)
{
	enum { ROOM = 64 << 10 }; /* bytes of the text that are read */
	const struct gsym_convert_options options = { .from = from };
	struct bp_file file = { .options = &options };
	enum gsym_status status = GSYM_ERR_MEMORY;
	char *head;

	if (!path || !uuid || !size)
		return GSYM_ERR_ARGUMENT;
	*size = 0;
	head = malloc(ROOM);
	if (head) {
		file.text = (struct bp_text){ head, head + ROOM };
		status = gsym_bp_spool_head(path, &file.text);
	}
	if (status == GSYM_OK &&
	    (from == GSYM_FROM_BREAKPAD
		     ? check_start(file.text, NULL) != GSYM_OK
		     : !gsym_breakpad_plain_matches((const uint8_t *)head,
						    bp_length(file.text))))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		status = gsym_bp_first_pass(&file);
	if (status == GSYM_OK) {
		gsym_bp_identity(&file);
		memcpy(uuid, file.uuid, file.uuid_size);
		*size = file.uuid_size;
	}
	file.text = (struct bp_text){ NULL, NULL };
	file_fini(&file);
	free(head);
	return status;
}
