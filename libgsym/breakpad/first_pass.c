/* SPDX-License-Identifier: MIT */
/*
 * The first pass: reads all records but those in the bodies of functions, and
 * notes where each body lies.  Then decides which of several functions that
 * overlap counts.
 */
#include "breakpad/file.h"

#include "base/order.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes of text between two reports of the progress. */
enum { REPORT_BYTES = 1 << 20 };

/* INLINE records whose fields are counted.  Records of the old form have one
 * field less, and a producer writes one form only.  So the first records tell
 * the form of all, and the time to count the fields of the others is saved. */
enum { COUNTED_INLINES = 1 << 16 };

/* Unknown keywords that are reported.  Each new keyword is compared with all
 * before it, and a damaged file may have any number of them. */
enum { MAX_UNKNOWN = 64 };

struct pass {
	struct bp_file *file;
	struct bp_scan scan;
	const char *line_start;	  /* the current line */
	uint64_t line;		  /* its number */
	const char *stack_start;  /* STACK records before this line; or NULL */
	struct bp_function *open; /* the function whose body the line is in */
	bool no_memory;
};

static void close_function(struct pass *p)
{
	/* STACK records, which follow the last function, do not belong to its
	 * body: the second pass would read all of them in vain. */
	if (p->open)
		p->open->body.end =
			p->stack_start ? p->stack_start : p->line_start;
	p->open = NULL;
}

/* Warn of the current line.  The place of the first such line is kept for the
 * error message of a file without any function. */
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

/* Step over the field "m", which means that several symbols have the same
 * code. */
static void skip_mark(struct bp_text *line)
{
	struct bp_text rest = *line;

	if (bp_is(bp_field(&rest), "m"))
		*line = rest;
}

/* NAME, or MISSING if it is empty. */
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
	if (!bp_hex(&line, &parsed.start) || !bp_hex(&line, &parsed.size) ||
	    !bp_hex(&line, &parameters) ||
	    parsed.size > UINT32_MAX || /* sizes in GSYM have 32 bits */
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

/* Add a PUBLIC record; false without memory. */
static bool add_public(struct bp_file *file, uint64_t address,
		       struct bp_text name, uint64_t line)
{
	if (file->clears_bit0)
		address &= ~(uint64_t)1;
	/* PUBLIC records at 0, which some system libraries have, mean
	 * nothing. */
	if (!address)
		return true;
	return gsym_vec_add(&file->publics,
			    (struct bp_public){ address, name, line });
}

static void read_public(struct pass *p, struct bp_text line)
{
	struct bp_text rest;
	uint64_t address, parameters;

	close_function(p);
	skip_mark(&line);
	if (!bp_hex(&line, &address)) {
		malformed(p, "a PUBLIC record that cannot be read");
		return;
	}
	rest = line;
	if (bp_hex(&rest, &parameters))
		line = rest;
	else
		malformed(p, "a PUBLIC record without a parameter size");
	if (!add_public(p->file, address,
			name_or(bp_rest(&line), "<unknown>"), p->line))
		p->no_memory = true;
}

/* Read a FILE or INLINE_ORIGIN record into MAP. */
static void read_numbered(struct pass *p, struct bp_map *map,
			  struct bp_text line)
{
	struct bp_text text;
	uint32_t id;

	if (!bp_decimal(&line, &id)) {
		malformed(p, "a record whose number cannot be read");
		return;
	}
	text = bp_rest(&line);
	if (bp_length(text) > UINT32_MAX) {
		malformed(p, "a name of more than 4 GiB");
		return;
	}
	if (!gsym_vec_add(&map->entries,
			  (struct bp_entry){
				  .at = text.at,
				  .length = (uint32_t)bp_length(text),
				  .id = id,
			  }))
		p->no_memory = true;
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

/* Count the fields of an INLINE record of the open function. */
static void count_inline_fields(struct pass *p, struct bp_text line)
{
	unsigned fields = 0;

	while (bp_length(bp_field(&line)))
		fields++;
	p->file->records.inlines++;
	/* The keyword is no field of the record. */
	p->file->inline_parity[(fields - 1) & 1]++;
}

/* Returns true if KEYWORD looks like a keyword of a later version of the
 * format: capital letters and underscores that are no number.  The first
 * MAX_UNKNOWN such keywords are reported, once each. */
static bool is_unknown_keyword(struct pass *p, struct bp_text keyword)
{
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
	if (p->file->unknown.count >= MAX_UNKNOWN)
		return true;
	if (!gsym_vec_add(&p->file->unknown, keyword))
		p->no_memory = true;
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

	if (is_unknown_keyword(p, keyword)) {
		p->file->records.others++;
		return;
	}
	if (!gsym_bp_hex(keyword, &number))
		malformed(p, "a record that cannot be read");
	else if (!p->open)
		gsym_bp_warn(p->file, GSYM_WARN_ORPHAN, p->line,
			     "a line record without a function");
	/* Any other line is a line record, which the second pass reads. */
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
			count_inline_fields(p, line);
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

static bool is_stack(const char *at, const char *end)
{
	return end - at > 6 && !memcmp(at, "STACK", 5) &&
	       (at[5] == ' ' || at[5] == '\t');
}

/* INLINE records are many.  They are recognised before read_line, which numbers
 * the line and compares its keyword with all others. */
static bool is_inline(const char *at, const char *end)
{
	return end - at > 7 && !memcmp(at, "INLINE ", 7);
}

/* Read the line at P->line_start. */
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
	/* The body of a function begins after its FUNC line. */
	if (p->open && !p->open->body.at)
		p->open->body.at = line.end;
}

/* Read all lines up to the scan's pause. */
static enum gsym_status read_lines(struct pass *p)
{
	const char *at;

	/* After a STACK record no line may be skipped: the next line shows
	 * where the STACK records end. */
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
		else if (p->file->records.inlines < COUNTED_INLINES)
			count_inline_fields(p, gsym_bp_scan_line(&p->scan, at));
		else
			p->file->records.inlines++;
		p->stack_start = NULL;
		if (p->no_memory)
			return GSYM_ERR_MEMORY;
	}
	return GSYM_OK;
}

enum gsym_status gsym_bp_first_pass(struct bp_file *file)
{
	struct pass p = { .file = file };
	struct bp_text text = file->text;

	file->forgotten = text.at;
	bp_skip_utf8_mark(&text);
	gsym_bp_scan_init(&p.scan, text);
	for (p.scan.pause = text.at; p.scan.pause < text.end;) {
		size_t left = (size_t)(text.end - p.scan.pause);
		enum gsym_status status;

		p.scan.pause += left < REPORT_BYTES ? left : REPORT_BYTES;
		status = read_lines(&p);
		if (status != GSYM_OK)
			return status;
		if (!gsym_bp_progress(file, p.scan.pause, 0))
			return GSYM_ERR_CANCELLED;
	}
	p.line_start = text.end;
	close_function(&p);
	file->has_carriages = p.scan.has_carriages;
	return GSYM_OK;
}

/* ---- functions that overlap -------------------------------------------- */

/* Of functions that overlap the first in the file counts, as in Breakpad's own
 * processor. */

/* A function, to be sorted by start. */
struct order {
	uint64_t start;
	uint32_t index;
};

static int by_start(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int order = GSYM_ORDER(x->start, y->start);

	return order ? order : GSYM_ORDER(x->index, y->index);
}

static bool sort_functions(const struct bp_file *file, struct order **ret)
{
	size_t count = file->functions.count;
	struct order *order = calloc(count + 1, sizeof(*order));

	*ret = order;
	if (!order)
		return false;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct order){ file->functions.items[i].start,
					   (uint32_t)i };
	for (size_t i = 1; i < count; i++)
		if (order[i - 1].start > order[i].start) {
			qsort(order, count, sizeof(*order), by_start);
			break;
		}
	return true;
}

/* Give F, which has no size, the size of its line records.  They end at NEXT,
 * the start of the next function, at the latest.  A function without line
 * records becomes a PUBLIC.  False without memory. */
static bool size_function(struct bp_file *file, struct bp_function *f,
			  uint64_t next)
{
	uint64_t end = gsym_bp_lines_end(file, f);

	if (end > next)
		end = next;
	if (end > f->start && end - f->start <= UINT32_MAX &&
	    end <= UINT64_MAX - file->base) {
		f->size = end - f->start;
		return true;
	}
	f->dropped = true;
	return add_public(file, f->start, f->name, f->line);
}

static bool size_functions(struct bp_file *file, const struct order *order)
{
	size_t count = file->functions.count;
	uint64_t next = UINT64_MAX;

	for (size_t i = count; i-- > 0;) {
		struct bp_function *f = &file->functions.items[order[i].index];

		if (i + 1 < count && order[i + 1].start > order[i].start)
			next = order[i + 1].start;
		if (!f->dropped && !f->size && !size_function(file, f, next))
			return false;
	}
	return true;
}

/* The highest end of the accepted functions among the first COUNT places of the
 * order.  ENDS is a Fenwick tree of maxima over these ends.  Accepted functions
 * do not overlap, so it is the end of the last one there. */
static uint64_t highest_end(const uint64_t *ends, size_t count)
{
	uint64_t highest = 0;

	for (; count; count &= count - 1)
		if (ends[count] > highest)
			highest = ends[count];
	return highest;
}

/* Set the end of the function at place AT of the order. */
static void accept(uint64_t *ends, size_t total, size_t at, uint64_t end)
{
	for (at++; at <= total; at += at & -at)
		if (ends[at] < end)
			ends[at] = end;
}

/* How many functions in the order start below ADDRESS. */
static size_t below(const struct order *order, size_t count, uint64_t address)
{
	return GSYM_FIRST(i, 0, count, order[i].start >= address);
}

/* Drop F, which overlaps an accepted function.  SAME: both have the same
 * range. */
static void lose(struct bp_file *file, struct bp_function *f, bool same)
{
	f->folded = same && file->options->merged_functions;
	f->dropped = !f->folded;
	gsym_bp_warn(file, GSYM_WARN_CONFLICT, f->line,
		     same ? "a function with the range of an earlier one"
			  : "a function that overlaps an earlier one");
}

/* Go over the functions as the file has them, and drop those that overlap an
 * accepted one.  ENDS is for highest_end.  OWN has, for the first place of each
 * start in the order, the end of the accepted function of that start. */
static void drop_overlaps(struct bp_file *file, const struct order *order,
			  uint64_t *ends, uint64_t *own)
{
	size_t count = file->functions.count;

	for (size_t i = 0; i < count; i++) {
		struct bp_function *f = &file->functions.items[i];
		uint64_t end = f->start + f->size;
		size_t at;

		if (f->dropped)
			continue;
		at = below(order, count, f->start);
		if (highest_end(ends, below(order, count, end)) > f->start) {
			lose(file, f, own[at] == end);
			continue;
		}
		accept(ends, count, at, end);
		own[at] = end;
	}
}

/* Returns true if all functions have a size, ascend and do not overlap.  That
 * is true of most files; nothing has to be decided then. */
static bool are_settled(const struct bp_file *file)
{
	uint64_t end = 0;

	for (size_t i = 0; i < file->functions.count; i++) {
		const struct bp_function *f = &file->functions.items[i];

		if (f->dropped || !f->size || f->start < end)
			return false;
		end = f->start + f->size;
	}
	return true;
}

bool gsym_bp_settle_functions(struct bp_file *file)
{
	size_t count = file->functions.count;
	struct order *order = NULL;
	uint64_t *ends;
	bool ok;

	if (are_settled(file))
		return true;
	ends = calloc(2 * count + 2, sizeof(*ends));
	ok = ends && sort_functions(file, &order) &&
	     size_functions(file, order);
	if (ok)
		drop_overlaps(file, order, ends, ends + count + 1);
	free(order);
	free(ends);
	return ok;
}
