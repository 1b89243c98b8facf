/* SPDX-License-Identifier: MIT */
/* Breakpad symbol files: the first pass, and what counts of it. */
#include "breakpad/breakpad.h"

#include "base/error.h"
#include "breakpad/file.h"
#include "breakpad/scan.h"

#include <stdio.h>
#include <string.h>

/* Text between two reports of how far the work is, and text that is kept in
 * memory behind the place that is read. */
enum { REPORT_BYTES = 1 << 20, FORGET_BYTES = 4 << 20 };

/* So many of the first INLINE records tell how all are written. */
enum { TELLING_INLINES = 1 << 16 };

/* ---- the first pass -------------------------------------------------------- */

/* Where the pass stands. */
struct pass {
	struct bp_file *file;
	struct bp_scan scan;
	uint64_t line;             /* number of the line at hand */
	const char *line_start;
	const char *stack_start;   /* of the STACK records before it; or NULL */
	struct bp_function *open;  /* the function that bodies belong to */
	bool no_memory;
};

static void close_function(struct pass *p)
{
	/* What follows the last line as a rule is of no use to the body. */
	if (p->open)
		p->open->body.end = p->stack_start ? p->stack_start :
						     p->line_start;
	p->open = NULL;
}

static void malformed(struct pass *p, const char *text)
{
	if (!p->file->bad_line) {
		struct bp_text start = { p->line_start, p->file->text.end };

		bp_skip_blanks(&start);
		p->file->bad_line = p->line;
		p->file->bad_column = (uint64_t)(start.at - p->line_start) + 1;
	}
	gsym_bp_warn(p->file, GSYM_WARN_BAD_RECORD, p->line, text);
}

/* Step over a field that is exactly "m": several symbols share the code. */
static void skip_mark(struct bp_text *line)
{
	struct bp_text rest = *line;

	if (bp_is(bp_field(&rest), "m"))
		*line = rest;
}

static struct bp_text name_or(struct bp_text name, const char *missing)
{
	if (name.at == name.end)
		return (struct bp_text){ missing, missing + strlen(missing) };
	return name;
}

static void read_func(struct pass *p, struct bp_text line)
{
	struct bp_function *f, parsed = { .line = p->line };
	uint64_t parameters, end;

	close_function(p);
	skip_mark(&line);
	if (!gsym_bp_hex(bp_field(&line), &parsed.start) ||
	    !gsym_bp_hex(bp_field(&line), &parsed.size) ||
	    !gsym_bp_hex(bp_field(&line), &parameters) ||
	    parsed.size > UINT32_MAX ||
	    __builtin_add_overflow(parsed.start, parsed.size, &end)) {
		malformed(p, "a FUNC record that cannot be read");
		return;
	}
	parsed.name = name_or(bp_rest(&line), "<unknown>");
	f = gsym_vec_push(&p->file->functions);
	p->no_memory = p->no_memory || !f;
	if (f)
		*f = parsed;
	p->open = f;
}

static void read_public(struct pass *p, struct bp_text line)
{
	struct bp_text rest;
	uint64_t address, parameters;

	close_function(p);
	skip_mark(&line);
	if (!gsym_bp_hex(bp_field(&line), &address)) {
		malformed(p, "a PUBLIC record that cannot be read");
		return;
	}
	rest = line;
	if (gsym_bp_hex(bp_field(&rest), &parameters))
		line = rest;
	else
		malformed(p, "a PUBLIC record without a parameter size");
	if (!gsym_bp_add_public(p->file, address,
				name_or(bp_rest(&line), "<unknown>"), p->line))
		p->no_memory = true;
}

static void read_numbered(struct pass *p, struct bp_map *map,
			  struct bp_text line)
{
	struct bp_entry *entry;
	struct bp_text text;
	uint32_t id;

	if (!gsym_bp_decimal(bp_field(&line), &id)) {
		malformed(p, "a record whose number cannot be read");
		return;
	}
	text = bp_rest(&line);
	if (bp_length(text) > UINT32_MAX) {
		malformed(p, "a name of more than 4 GiB");
		return;
	}
	entry = gsym_vec_push(&map->entries);
	p->no_memory = p->no_memory || !entry;
	if (entry)
		*entry = (struct bp_entry){
			.at = text.at,
			.length = (uint32_t)bp_length(text),
			.id = id,
		};
}

static void read_module(struct pass *p, struct bp_text line)
{
	struct bp_file *file = p->file;

	close_function(p);
	if (file->has_module) {
		gsym_bp_warn(file, GSYM_WARN_CONFLICT, p->line,
			     "a second MODULE record is ignored");
		return;
	}
	file->has_module = true;
	file->os = bp_field(&line);
	file->architecture = bp_field(&line);
	file->id = bp_field(&line);
	file->clears_bit0 = bp_is(file->architecture, "arm");
}

static void read_info(struct pass *p, struct bp_text line)
{
	if (bp_is(bp_field(&line), "CODE_ID") && !bp_length(p->file->code_id))
		p->file->code_id = bp_field(&line);
}

/* An INLINE record of the open function. */
static void note_inline(struct pass *p, struct bp_text line)
{
	p->file->records.inlines++;
	/* The keyword is not among the fields that count. */
	p->file->inline_parity[(gsym_bp_count_fields(p->file->text, line) - 1) &
			       1]++;
}

/* A first field of capital letters that is no number: a keyword of a later
 * version.  Each is told once. */
static bool note_unknown(struct pass *p, struct bp_text keyword)
{
	struct bp_text *added;
	char message[128];
	uint64_t number;

	if (gsym_bp_hex(keyword, &number))
		return false;
	for (const char *at = keyword.at; at < keyword.end; at++)
		if ((*at < 'A' || *at > 'Z') && *at != '_')
			return false;
	for (size_t i = 0; i < p->file->unknown.count; i++)
		if (bp_length(p->file->unknown.items[i]) ==
			    bp_length(keyword) &&
		    !memcmp(p->file->unknown.items[i].at, keyword.at,
			    bp_length(keyword)))
			return true;
	if (p->file->unknown.count >= 64)
		return true;
	added = gsym_vec_push(&p->file->unknown);
	p->no_memory = p->no_memory || !added;
	if (added)
		*added = keyword;
	snprintf(message, sizeof(message),
		 "records with the unknown keyword %.*s are skipped",
		 bp_length(keyword) < 64 ? (int)bp_length(keyword) : 64,
		 keyword.at);
	gsym_bp_warn(p->file, GSYM_WARN_UNKNOWN_RECORD, p->line, message);
	return true;
}

static void read_other(struct pass *p, struct bp_text keyword)
{
	uint64_t number;

	if (note_unknown(p, keyword)) {
		p->file->records.others++;
		return;
	}
	if (!gsym_bp_hex(keyword, &number))
		malformed(p, "a record that cannot be read");
	else if (!p->open)
		gsym_bp_warn(p->file, GSYM_WARN_ORPHAN, p->line,
			     "a line record without a function");
	/* Else it belongs to the body, which is read later. */
}

static void read_record(struct pass *p, struct bp_text line)
{
	struct bp_text rest = line, keyword = bp_field(&rest);
	struct gsym_breakpad_records *records = &p->file->records;

	if (bp_is(keyword, "FUNC")) {
		records->functions++;
		read_func(p, rest);
	} else if (bp_is(keyword, "PUBLIC")) {
		records->publics++;
		read_public(p, rest);
	} else if (bp_is(keyword, "FILE")) {
		records->files++;
		read_numbered(p, &p->file->files, rest);
	} else if (bp_is(keyword, "INLINE_ORIGIN")) {
		records->origins++;
		read_numbered(p, &p->file->origins, rest);
	} else if (bp_is(keyword, "INLINE")) {
		records->inlines += !p->open;
		if (p->open)
			note_inline(p, line);
		else
			gsym_bp_warn(p->file, GSYM_WARN_ORPHAN, p->line,
				     "an INLINE record without a function");
	} else if (bp_is(keyword, "MODULE")) {
		records->others++;
		read_module(p, rest);
	} else if (bp_is(keyword, "INFO")) {
		records->others++;
		read_info(p, rest);
	} else if (bp_is(keyword, "STACK")) {
		records->stacks++;
	} else {
		read_other(p, keyword);
	}
}

void gsym_bp_passed(struct bp_file *file, const char *at)
{
	bool back = at < file->forgotten;

	if (!back && (size_t)(at - file->forgotten) < FORGET_BYTES)
		return;
	/* Who goes back will come to the end again. */
	gsym_bp_text_forget(file->text, back ? file->text.end : at);
	file->forgotten = at;
}

bool gsym_bp_go_on(struct bp_file *file, const char *at, unsigned pass)
{
	uint64_t size = bp_length(file->text);

	gsym_bp_passed(file, at);
	return !file->options->progress ||
	       file->options->progress(file->options->context,
				       (uint64_t)(at - file->text.at) +
					       (pass + file->copied) * size,
				       (2 + file->copied) * size);
}

static bool is_stack(const char *at, const char *end)
{
	return end - at > 6 && !memcmp(at, "STACK", 5) &&
	       (at[5] == ' ' || at[5] == '\t');
}

/* Besides line records and STACK there are many of these. */
static bool is_inline(const char *at, const char *end)
{
	return end - at > 7 && !memcmp(at, "INLINE ", 7);
}

/* The line at P->line_start. */
static void read_line(struct pass *p)
{
	struct bp_text line;

	p->line = gsym_bp_scan_number(&p->scan, p->line_start);
	line = gsym_bp_scan_line(&p->scan, p->line_start);
	bp_skip_blanks(&line);
	if (line.at == line.end)
		return;
	/* A line record of the open function. */
	if (p->open && ((*line.at >= '0' && *line.at <= '9') ||
			(*line.at >= 'a' && *line.at <= 'f')))
		return;
	read_record(p, line);
	/* The function that was opened begins behind the name. */
	if (p->open && !p->open->body.at)
		p->open->body.at = line.end;
}

/* All lines up to the scan's pause. */
static enum gsym_status read_lines(struct pass *p)
{
	const char *at;

	/* STACK records are told from what follows them line by line. */
	while ((at = gsym_bp_scan_next(&p->scan, p->open && !p->stack_start))) {
		p->line_start = at;
		if (is_stack(at, p->scan.end)) {
			p->file->records.stacks++;
			if (!p->stack_start)
				p->stack_start = at;
			continue;
		}
		if (!p->open || !is_inline(at, p->scan.end))
			read_line(p);
		else if (p->file->records.inlines < TELLING_INLINES)
			note_inline(p, gsym_bp_scan_line(&p->scan, at));
		else
			p->file->records.inlines++;
		p->stack_start = NULL;
		if (p->no_memory)
			return GSYM_ERR_MEMORY;
	}
	return GSYM_OK;
}

/* Step over the mark that says that text is UTF-8. */
static void skip_mark_of_order(struct bp_text *text)
{
	if (bp_length(*text) >= 3 && !memcmp(text->at, "\xef\xbb\xbf", 3))
		text->at += 3;
}

static enum gsym_status first_pass(struct bp_file *file)
{
	struct pass p = { .file = file };
	struct bp_text text = file->text;

	file->forgotten = text.at;
	skip_mark_of_order(&text);
	gsym_bp_scan_init(&p.scan, text);
	for (p.scan.pause = text.at; p.scan.pause < text.end;) {
		size_t left = (size_t)(text.end - p.scan.pause);
		enum gsym_status status;

		p.scan.pause += left < REPORT_BYTES ? left : REPORT_BYTES;
		status = read_lines(&p);
		if (status != GSYM_OK)
			return status;
		if (!gsym_bp_go_on(file, p.scan.pause, 0))
			return GSYM_ERR_CANCELLED;
	}
	p.line_start = text.end;
	close_function(&p);
	file->has_carriages = p.scan.has_carriages;
	return GSYM_OK;
}

/* ---- what counts ----------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct bp_public *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Labels for the PUBLIC records, the first of each address. */
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
			status = file->sink.record(file->sink.self, &record);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* The first line that is not empty has to be a record. */
static enum gsym_status check_start(struct bp_text text,
				    struct gsym_error *error)
{
	struct bp_text line, rest, keyword;
	unsigned long long number = 0;

	skip_mark_of_order(&text);
	for (;;) {
		if (!bp_next_line(&text, &line, true))
			return gsym_fail(error, GSYM_ERR_FORMAT, 0,
					 "an empty file");
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
			 "line %llu, column %zu: no record of a Breakpad file",
			 number, (size_t)(keyword.at - line.at) + 1);
}

static enum gsym_status read_all(struct bp_file *file,
				 struct gsym_error *error)
{
	enum gsym_status status = check_start(file->text, error);

	if (status != GSYM_OK)
		return status;
	status = first_pass(file);
	if (status != GSYM_OK)
		return gsym_fail(error, status, 0, "%s",
				 gsym_status_text(status));
	if (!file->functions.count && !file->publics.count && file->bad_line)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "line %llu, column %llu: no record of a "
				 "Breakpad file, and it has neither FUNC nor "
				 "PUBLIC", (unsigned long long)file->bad_line,
				 (unsigned long long)file->bad_column);
	gsym_bp_identity(file);
	status = gsym_bp_place(file, error);
	if (status != GSYM_OK)
		return status;
	if (!gsym_bp_settle_functions(file))
		return gsym_fail_memory(error);
	status = gsym_bp_settle_maps(file);
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
	gsym_bp_text_free(file->text);
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
	enum gsym_status status = gsym_bp_text_open(path, options, &file.text,
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

enum gsym_status gsym_breakpad_identity(const char *path, enum gsym_from from,
					uint8_t *uuid, size_t *size)
{
	enum { ROOM = 64 << 10 };
	const struct gsym_convert_options options = { .from = from };
	struct bp_file file = { .options = &options };
	char *head = malloc(ROOM);
	enum gsym_status status = GSYM_ERR_MEMORY;

	*size = 0;
	if (head) {
		file.text = (struct bp_text){ head, head + ROOM };
		status = gsym_bp_text_head(path, &file.text);
	}
	if (status == GSYM_OK &&
	    (from == GSYM_FROM_BREAKPAD
		     ? check_start(file.text, NULL) != GSYM_OK
		     : !gsym_breakpad_plain_matches((const uint8_t *)head,
						    bp_length(file.text))))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		status = first_pass(&file);
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
