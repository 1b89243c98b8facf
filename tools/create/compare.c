/* SPDX-License-Identifier: MIT */
/*
 * create/compare.c - gsym-create --verify: compares two GSYM images function by
 * function, and an image with another one that was made of the symbols and of
 * .eh_frame alone.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gsym/reader.h>

#include "base/symbol_name.h"
#include "common/report.h"
#include "create/create.h"

/* ---- symbols and the table for unwinding --------------------------------- */

/*
 * The two readers of DWARF share their rules, so they agree where a rule is
 * wrong.  Symbols and the table for unwinding are other witnesses of where
 * functions are and how they are called.  At the start of each symbol the image
 * has to have a function of that name, or of another name of that place; where
 * the table has a function without a symbol, the image may not be in the middle
 * of another function.
 */

/* Whether the symbol F, or another symbol with its range, stands for NAME. */
static bool stands_for(struct gsym_function *f, const char *name)
{
	struct gsym_function alias;

	if (gsym_symbol_stands_for(f->name, name))
		return true;
	for (uint32_t i = 0; i < f->merged_count; i++)
		if (gsym_merged_at(f, i, &alias, NULL) == GSYM_OK &&
		    gsym_symbol_stands_for(alias.name, name))
			return true;
	return false;
}

/* Whether F is of the table for unwinding alone. */
static bool is_nameless(const struct gsym_function *f)
{
	return !strcmp(f->name, "??");
}

/* Compare the function G of the image, which is around the start of F, with F,
 * a symbol. */
static bool agrees(struct gsym_function *f, const struct gsym_function *g)
{
	if (g->start == f->start && is_nameless(f))
		return true;
	/* A function that has no name may have any. */
	return is_nameless(g) || (!is_nameless(f) && stands_for(f, g->name));
}

/* Set *RET to function AT of IMAGE, the last one that begins at ADDRESS or
 * before, if ADDRESS lies in it. */
static bool find_around(const struct gsym_reader *image, uint32_t at,
			uint64_t address, struct gsym_function *ret)
{
	return gsym_function_at(image, at, ret, NULL) == GSYM_OK &&
	       ret->start <= address &&
	       address - ret->start < (ret->size ? ret->size : 1);
}

void compare_symbols(const struct gsym_reader *first,
		     const struct gsym_reader *symbols, compare_fn *report,
		     void *context, struct compare_result *result)
{
	uint32_t count = gsym_function_count(first), at = 0;

	for (uint32_t i = 0; i < gsym_function_count(symbols); i++) {
		struct gsym_function f, g;
		bool found;

		if (gsym_function_at(symbols, i, &f, NULL) != GSYM_OK ||
		    !f.size)
			continue;
		while (at + 1 < count &&
		       gsym_address_at(first, at + 1) <= f.start)
			at++;
		found = find_around(first, at, f.start, &g);
		if (found ? agrees(&f, &g) : is_nameless(&f))
			continue;
		result->differences++;
		result->kinds[COMPARE_SYMBOL]++;
		if (report)
			report(context, &(struct compare_difference){
						.kind = COMPARE_SYMBOL,
						.address = f.start,
						.function = found ? g.name : "",
						.first = found ? g.name
							       : "nothing",
						.second = f.name,
					});
	}
}

/* ---- two images ---------------------------------------------------------- */

/* The size of the texts in a report.  A longer text is cut off; this does not
 * affect the comparison. */
#define TEXT_SIZE 1024

struct compare {
	const struct gsym_reader *readers[2];
	compare_fn *report;
	void *context;
	struct compare_result *result;
	/* The function that is being compared. */
	uint64_t address;
	const char *function;
	char text[2][TEXT_SIZE];
	bool lacks_row; /* see struct compare_difference */
};

const char *compare_kind_name(enum compare_kind kind)
{
	static const char *const names[COMPARE_KINDS] = {
		[COMPARE_ONLY_FIRST] = "only-first",
		[COMPARE_ONLY_SECOND] = "only-second",
		[COMPARE_RANGE] = "range",
		[COMPARE_NAME] = "name",
		[COMPARE_ROWS] = "rows",
		[COMPARE_INLINES] = "inlines",
		[COMPARE_MERGED] = "merged",
		[COMPARE_CALLS] = "calls",
		[COMPARE_DAMAGE] = "damage",
		[COMPARE_SYMBOL] = "symbol",
	};
	return (unsigned)kind < COMPARE_KINDS ? names[kind] : "";
}

static void differ(struct compare *c, enum compare_kind kind,
		   const char *first, const char *second)
{
	c->result->differences++;
	c->result->kinds[kind]++;
	if (!c->report)
		return;
	c->report(c->context, &(struct compare_difference){
				      .kind = kind,
				      .address = c->address,
				      .function = c->function,
				      .first = first,
				      .second = second,
				      .lacks_row = c->lacks_row,
			      });
}

/* Report a difference with the texts in C->text. */
static void differ_text(struct compare *c, enum compare_kind kind)
{
	differ(c, kind, c->text[0], c->text[1]);
}

/* Whether the file FIRST of the first image has the path of the file SECOND of
 * the second image. */
static bool same_file(const struct compare *c, uint32_t first,
		      uint32_t second)
{
	const char *names[2][2];
	gsym_file_at(c->readers[0], first, &names[0][0], &names[0][1]);
	gsym_file_at(c->readers[1], second, &names[1][0], &names[1][1]);
	return strcmp(names[0][0], names[1][0]) == 0 &&
	       strcmp(names[0][1], names[1][1]) == 0;
}

/* Write "DIR/FILE:LINE" to TO, which has SIZE bytes.  FILE is a file of the
 * image WHICH, 0 or 1. */
static void place_text(const struct compare *c, int which, uint32_t file,
		       uint32_t line, char *to, size_t size)
{
	const char *directory, *basename;
	gsym_file_at(c->readers[which], file, &directory, &basename);
	size_t length = gsym_join_path(directory, basename, to, size);
	if (length < size)
		snprintf(to + length, size - length, ":%" PRIu32, line);
}

/* If STATUS is not GSYM_OK: set C->text[WHICH] to the reason why something is
 * not there, NONE if there is none. */
static bool is_missing(struct compare *c, int which, enum gsym_status status,
		       const char *none)
{
	if (status != GSYM_OK)
		snprintf(c->text[which], TEXT_SIZE, "%s",
			 status == GSYM_NOT_FOUND ? none
						  : gsym_status_text(status));
	return status != GSYM_OK;
}

/* Write "[START, END)" to TO, which has SIZE bytes.  Returns the length. */
static size_t range_text(char *to, size_t size, uint64_t start, uint64_t end)
{
	return (size_t)snprintf(to, size, "[0x%" PRIx64 ", 0x%" PRIx64 ")",
				start, end);
}

/* Set C->text[WHICH] to ROW, or to the reason why there is none. */
static void row_text(struct compare *c, int which, enum gsym_status status,
		     const struct gsym_line *row)
{
	char *to = c->text[which];

	if (is_missing(c, which, status, "no row"))
		return;
	int n = snprintf(to, TEXT_SIZE, "0x%" PRIx64 " ", row->address);
	place_text(c, which, row->file, row->line, to + n, TEXT_SIZE - n);
}

/* A walk over the rows of a function that lookups can reach: of several rows
 * at one address the last one, and no row that repeats the file and line of
 * the row before it. */
struct rows {
	struct gsym_line_iter iter;
	struct gsym_line next;   /* the row after the current one */
	enum gsym_status status; /* status of reading NEXT */
	struct gsym_line last;   /* the row that rows_next returned last */
	bool any;                /* LAST is set */
};

static void rows_start(struct rows *r, const struct gsym_function *f)
{
	r->any = false;
	r->status = GSYM_NOT_FOUND;
	if (f->has_lines && gsym_lines(f, &r->iter, NULL) == GSYM_OK)
		r->status = gsym_line_next(&r->iter, &r->next, NULL);
}

static enum gsym_status rows_next(struct rows *r, struct gsym_line *row)
{
	while (r->status == GSYM_OK) {
		*row = r->next;
		r->status = gsym_line_next(&r->iter, &r->next, NULL);
		if (r->status == GSYM_OK && r->next.address == row->address)
			continue;
		if (r->any && r->last.file == row->file &&
		    r->last.line == row->line)
			continue;
		r->last = *row;
		r->any = true;
		return GSYM_OK;
	}
	return r->status;
}

static void compare_rows(struct compare *c, const struct gsym_function f[2])
{
	struct rows rows[2];
	struct gsym_line row[2];
	enum gsym_status status[2];

	for (int i = 0; i < 2; i++)
		rows_start(&rows[i], &f[i]);
	for (;;) {
		for (int i = 0; i < 2; i++)
			status[i] = rows_next(&rows[i], &row[i]);
		bool both = status[0] == GSYM_OK && status[1] == GSYM_OK;
		if (!both && status[0] == status[1])
			return;
		if (both && row[0].address == row[1].address &&
		    row[0].line == row[1].line &&
		    same_file(c, row[0].file, row[1].file))
			continue;
		for (int i = 0; i < 2; i++)
			row_text(c, i, status[i], &row[i]);
		c->lacks_row = status[1] == GSYM_NOT_FOUND ||
			       (both && row[1].line == 0);
		differ_text(c, COMPARE_ROWS);
		c->lacks_row = false;
		return;
	}
}

static bool same_ranges(struct gsym_inline node[2])
{
	if (node[0].range_count != node[1].range_count)
		return false;
	for (uint32_t i = 0; i < node[0].range_count; i++) {
		struct gsym_range r[2] = { 0 };
		gsym_inline_range(&node[0], i, &r[0]);
		gsym_inline_range(&node[1], i, &r[1]);
		if (r[0].start != r[1].start || r[0].end != r[1].end)
			return false;
	}
	return true;
}

/* Set C->text[WHICH] to the inlined call NODE, or to the reason why there is
 * none. */
static void node_text(struct compare *c, int which, enum gsym_status status,
		      struct gsym_inline *node)
{
	char *to = c->text[which], place[TEXT_SIZE / 2];

	if (is_missing(c, which, status, "no inlined call"))
		return;
	place_text(c, which, node->call_file, node->call_line, place,
		   sizeof(place));
	size_t used = snprintf(to, TEXT_SIZE, "%" PRIu32 ": %.200s called "
			       "from %s at", node->depth, node->name, place);
	for (uint32_t i = 0; i < node->range_count && used + 48 < TEXT_SIZE;
	     i++) {
		struct gsym_range r = { 0 };
		gsym_inline_range(node, i, &r);
		to[used++] = ' ';
		used += range_text(to + used, TEXT_SIZE - used, r.start,
				   r.end);
	}
}

static void compare_inlines(struct compare *c,
			    const struct gsym_function f[2])
{
	struct gsym_inline_iter iter[2];
	struct gsym_inline node[2];
	enum gsym_status status[2];
	bool walks[2];

	for (int i = 0; i < 2; i++)
		walks[i] = f[i].has_inlines &&
			   gsym_inlines(&f[i], &iter[i], NULL) == GSYM_OK;
	for (;;) {
		for (int i = 0; i < 2; i++)
			status[i] = walks[i] ? gsym_inline_next(
						       &iter[i], &node[i], NULL)
					     : GSYM_NOT_FOUND;
		bool both = status[0] == GSYM_OK && status[1] == GSYM_OK;
		if (!both && status[0] == status[1])
			return;
		if (both && node[0].depth == node[1].depth &&
		    strcmp(node[0].name, node[1].name) == 0 &&
		    node[0].call_line == node[1].call_line &&
		    same_file(c, node[0].call_file, node[1].call_file) &&
		    same_ranges(node))
			continue;
		for (int i = 0; i < 2; i++)
			node_text(c, i, status[i], &node[i]);
		differ_text(c, COMPARE_INLINES);
		return;
	}
}

static bool same_call(const struct gsym_call_site site[2])
{
	if (site[0].return_offset != site[1].return_offset ||
	    site[0].flags != site[1].flags ||
	    site[0].pattern_count != site[1].pattern_count)
		return false;
	for (uint32_t i = 0; i < site[0].pattern_count; i++) {
		const char *a = gsym_call_site_pattern(&site[0], i);
		const char *b = gsym_call_site_pattern(&site[1], i);
		if (!a || !b || strcmp(a, b) != 0)
			return a == b;
	}
	return true;
}

static void compare_calls(struct compare *c, struct gsym_function f[2])
{
	uint32_t most = f[0].call_site_count > f[1].call_site_count
				? f[0].call_site_count
				: f[1].call_site_count;
	for (uint32_t i = 0; i < most; i++) {
		struct gsym_call_site site[2];
		enum gsym_status status[2];
		for (int k = 0; k < 2; k++)
			status[k] = gsym_call_site_at(&f[k], i, &site[k], NULL);
		if (status[0] != GSYM_OK && status[0] == status[1])
			return;
		if (status[0] == status[1] && same_call(site))
			continue;
		for (int k = 0; k < 2; k++)
			if (status[k] == GSYM_OK)
				snprintf(c->text[k], TEXT_SIZE,
					 "call %" PRIu32 " returns to +%" PRIu64
					 ", %" PRIu32 " patterns", i,
					 site[k].return_offset,
					 site[k].pattern_count);
			else
				snprintf(c->text[k], TEXT_SIZE,
					 "no call %" PRIu32, i);
		differ_text(c, COMPARE_CALLS);
		return;
	}
}

static void compare_function(struct compare *c, struct gsym_function f[2]);

static void compare_merged(struct compare *c, struct gsym_function f[2])
{
	if (f[0].merged_count != f[1].merged_count) {
		for (int i = 0; i < 2; i++)
			snprintf(c->text[i], TEXT_SIZE,
				 "%" PRIu32 " merged functions",
				 f[i].merged_count);
		differ_text(c, COMPARE_MERGED);
		return;
	}
	for (uint32_t i = 0; i < f[0].merged_count; i++) {
		struct gsym_function merged[2];
		if (gsym_merged_at(&f[0], i, &merged[0], NULL) != GSYM_OK ||
		    gsym_merged_at(&f[1], i, &merged[1], NULL) != GSYM_OK) {
			differ(c, COMPARE_DAMAGE, "merged function", "");
			return;
		}
		/* Merged functions have no merged functions.  A damaged file
		 * may claim that they have, without end. */
		merged[0].merged_count = merged[1].merged_count = 0;
		const char *function = c->function;
		c->function = merged[0].name;
		compare_function(c, merged);
		c->function = function;
	}
}

static void compare_function(struct compare *c, struct gsym_function f[2])
{
	if (f[0].size != f[1].size) {
		for (int i = 0; i < 2; i++)
			range_text(c->text[i], TEXT_SIZE, f[i].start,
				   f[i].start + f[i].size);
		differ_text(c, COMPARE_RANGE);
	}
	if (strcmp(f[0].name, f[1].name) != 0)
		differ(c, COMPARE_NAME, f[0].name, f[1].name);
	compare_rows(c, f);
	compare_inlines(c, f);
	compare_merged(c, f);
	compare_calls(c, f);
}

/* Report the function INDEX, which only the image WHICH has. */
static void only(struct compare *c, int which, uint32_t index)
{
	struct gsym_function f;
	char range[64] = "";
	c->address = gsym_address_at(c->readers[which], index);
	c->function = "";
	if (gsym_function_at(c->readers[which], index, &f, NULL) == GSYM_OK) {
		c->function = f.name;
		range_text(range, sizeof(range), f.start, f.start + f.size);
	}
	if (which == 0)
		differ(c, COMPARE_ONLY_FIRST, range, "nothing");
	else
		differ(c, COMPARE_ONLY_SECOND, "nothing", range);
}

/* Compare the function FIRST of the first image with the function SECOND of
 * the second image, which have one start address. */
static void both(struct compare *c, uint32_t first, uint32_t second)
{
	struct gsym_function f[2];
	struct gsym_error error[2] = { 0 };
	enum gsym_status status[2];

	c->result->functions++;
	status[0] = gsym_function_at(c->readers[0], first, &f[0], &error[0]);
	status[1] = gsym_function_at(c->readers[1], second, &f[1], &error[1]);
	c->address = gsym_address_at(c->readers[0], first);
	c->function = "";
	if (status[0] == GSYM_OK && status[1] == GSYM_OK) {
		c->function = f[0].name;
		compare_function(c, f);
	} else if (status[0] != status[1]) {
		differ(c, COMPARE_DAMAGE,
		       status[0] == GSYM_OK ? f[0].name : error[0].message,
		       status[1] == GSYM_OK ? f[1].name : error[1].message);
	}
}

void compare_images(const struct gsym_reader *first,
		    const struct gsym_reader *second, compare_fn *report,
		    void *context, struct compare_result *result)
{
	struct compare c = {
		.readers = { first, second },
		.report = report,
		.context = context,
		.result = result,
	};
	uint32_t counts[2] = { gsym_function_count(first),
			       gsym_function_count(second) };
	uint32_t at[2] = { 0, 0 };

	*result = (struct compare_result){ 0 };
	while (at[0] < counts[0] || at[1] < counts[1]) {
		/* Several records may have one start address: compare the
		 * first with the first, and so on. */
		uint64_t a = gsym_address_at(first, at[0]);
		uint64_t b = gsym_address_at(second, at[1]);
		if (at[1] >= counts[1] || (at[0] < counts[0] && a < b))
			only(&c, 0, at[0]++);
		else if (at[0] >= counts[0] || b < a)
			only(&c, 1, at[1]++);
		else
			both(&c, at[0]++, at[1]++);
	}
}

/* ---- --verify ------------------------------------------------------------ */

/* The number of differences that are shown without --verbose. */
enum { SHOWN = 20 };

struct verify {
	const struct conversion *first;
	bool gsym;	   /* the input is a GSYM file */
	bool symbols;	   /* the comparison is with the symbols */
	uint64_t shown;	   /* differences and problems that could be shown */
	uint64_t problems; /* found by gsym_verify */
	/* libdwarf refuses line tables that the production reader reads, such
	 * as those of Zig, which pads them with opcodes of its own; the
	 * functions that have no lines therefore. */
	bool may_lack;
	uint64_t unread;
};

static bool may_show(struct verify *v)
{
	const struct create *create = v->first->create;
	if (report_is_quiet())
		return false;
	return create->verbose || v->shown++ < SHOWN;
}

/* The callback of compare_images. */
static void show_difference(void *context, const struct compare_difference *d)
{
	struct verify *v = context;
	if (v->may_lack && d->kind == COMPARE_ROWS && d->lacks_row) {
		v->unread++;
		return;
	}
	if (may_show(v))
		warn("difference at 0x%" PRIx64 " in '%s': %s: '%s', and %s "
		     "'%s'",
		     d->address, d->function, compare_kind_name(d->kind),
		     d->first,
		     d->kind == COMPARE_SYMBOL && !strcmp(d->second, "??")
			     ? "by .eh_frame"
		     : v->symbols ? "by the symbols"
		     : v->gsym	? "in the input"
				: "by libdwarf",
		     d->second);
}

/* The callback of gsym_verify. */
static bool show_problem(void *context, const struct gsym_error *problem)
{
	struct verify *v = context;
	v->problems++;
	if (may_show(v))
		warn("problem in the output: %s", problem->message);
	return true;
}

/* Open the input, a GSYM file, which is compared with the output itself: there
 * is no second way to read it. */
static struct gsym_reader *open_input(const struct conversion *c)
{
	struct gsym_reader *reader;
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_open(c->create->input, &reader, &error);
	if (status == GSYM_OK)
		status = gsym_map_paths(reader, c->create->path_maps.items,
					c->create->path_maps.count, &error);
	must_succeed("open", c->create->input, status, &error);
	return reader;
}

static struct gsym_reader *open_image(const struct conversion *c)
{
	struct gsym_reader *reader;
	struct gsym_error error = { 0 };
	enum gsym_status status =
		gsym_open_memory(c->bytes, c->size, &reader, &error);
	must_succeed("read back", c->create->output, status, &error);
	return reader;
}

void create_verify(const struct conversion *first,
		   const struct conversion *second,
		   const struct conversion *symbols,
		   struct verification *verification)
{
	struct verify v = {
		.first = first,
		.gsym = !second,
		.may_lack =
			second &&
			second->warnings[GSYM_WARN_BAD_LINE_TABLE].count >
				first->warnings[GSYM_WARN_BAD_LINE_TABLE].count,
	};
	struct compare_result result;
	struct gsym_reader *readers[2] = { open_image(first),
					   second ? open_image(second)
						  : open_input(first) };

	enum gsym_status status = gsym_verify(readers[0], show_problem, &v);
	if (status != GSYM_OK && v.problems == 0)
		die("cannot check '%s': %s", first->create->output,
		    gsym_status_text(status));
	compare_images(readers[0], readers[1], show_difference, &v, &result);
	if (symbols) {
		struct gsym_reader *witness = open_image(symbols);

		v.symbols = true;
		compare_symbols(readers[0], witness, show_difference, &v,
				&result);
		gsym_close(witness);
	}
	gsym_close(readers[0]);
	gsym_close(readers[1]);

	verification->symbols = result.kinds[COMPARE_SYMBOL];
	verification->done = true;
	verification->functions = result.functions;
	verification->differences =
		result.differences - v.unread + v.problems;
	verification->unread = v.unread;
	if (v.shown > SHOWN && !first->create->verbose)
		warn("%" PRIu64 " more differences; --verbose shows them all",
		     v.shown - SHOWN);
}
