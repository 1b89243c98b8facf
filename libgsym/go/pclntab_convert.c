/* SPDX-License-Identifier: MIT */
/* Makes records of the functions of a table, with their inlined calls; hands
 * names and files to the sink, each once. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "go/go.h"

#include "base/error.h"
#include "base/system.h"

#include <inttypes.h>

/* ---- strings ------------------------------------------------------------- */

/* Names and paths are shorter than this. */
enum { STRING_MAX = 1 << 18 };

void gsym_pclntab_strings_fini(struct pclntab_strings *s)
{
	gsym_keys_fini(&s->names.keys);
	gsym_vec_fini(&s->names);
	gsym_keys_fini(&s->files.keys);
	gsym_vec_fini(&s->files);
}

/* Count TEXT, which may be NULL, against the budget.  False if TEXT is NULL,
 * too long or beyond the budget. */
static bool spend(struct pclntab_strings *s, const char *text)
{
	size_t length = text && s->budget ? strnlen(text, STRING_MAX) : 0;

	if (!text || length == STRING_MAX || length >= s->budget) {
		if (length < STRING_MAX && text)
			s->budget = 0;
		s->bad++;
		return false;
	}
	s->budget -= length + 1;
	return true;
}

/* The offset in the table of the name of file VALUE of UNIT; UINT32_MAX: there
 * is none. */
static uint32_t file_offset(const struct gsym_pclntab *t, uint32_t unit,
			    int32_t value)
{
	struct gsym_cursor c = gsym_cursor_init(t->bytes, t->size, t->swap);
	uint64_t at;
	uint32_t offset;

	if (value < 0)
		return UINT32_MAX;
	if (t->era == PCLNTAB_1_2) {
		gsym_cursor_seek(&c, t->files);
		if (!value || (uint32_t)value > gsym_cursor_u32(&c))
			return UINT32_MAX;
		gsym_cursor_seek(&c, t->files + 4ull * (uint32_t)value);
		offset = gsym_cursor_u32(&c);
		return c.failed ? UINT32_MAX : offset;
	}
	at = t->units + 4 * ((uint64_t)unit + (uint32_t)value);
	if (unit == UINT32_MAX || at > t->files || t->files - at < 4)
		return UINT32_MAX;
	gsym_cursor_seek(&c, at);
	offset = gsym_cursor_u32(&c);
	if (offset == UINT32_MAX || t->files + offset > UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)t->files + offset;
}

enum gsym_status gsym_go_put_file(const struct gsym_sink *sink,
				  const char *path, size_t length,
				  uint32_t *number)
{
	const char *slash = memrchr(path, '/', length);
	const char *base = slash ? slash + 1 : path;
	uint32_t directory = 0, basename = 0;
	enum gsym_status status = GSYM_OK;

	if (slash)
		status =
			sink->string(sink->self, path,
				     slash == path ? 1 : (size_t)(slash - path),
				     &directory);
	if (status == GSYM_OK)
		status =
			sink->string(sink->self, base,
				     length - (size_t)(base - path), &basename);
	if (status == GSYM_OK)
		status = sink->file(sink->self, directory, basename, number);
	return status;
}

/* Set *NUMBER to the sink's number for TEXT, the path of a file if N is for
 * files, and a name otherwise.  N has the numbers by KEY; UINT32_MAX stands for
 * no text.  TEXT is handed over on the first use of KEY. */
static enum gsym_status number_for(struct pclntab_strings *s,
				   struct pclntab_numbers *n, uint32_t key,
				   const char *text, uint32_t *number)
{
	enum gsym_status status = GSYM_OK;
	uint32_t at;

	*number = 0;
	if (key == UINT32_MAX)
		return GSYM_OK;
	if (!gsym_keys_add(&n->keys, key, &at))
		return GSYM_ERR_MEMORY;
	if (at < n->count) {
		*number = n->items[at];
		return GSYM_OK;
	}
	if (!gsym_vec_reserve(n, 1))
		return GSYM_ERR_MEMORY;
	if (spend(s, text))
		status = n == &s->files ? gsym_go_put_file(s->sink, text,
							   strlen(text), number)
					: s->sink->string(s->sink->self, text,
							  strlen(text), number);
	n->items[n->count++] = *number;
	return status;
}

/* The sink's number for the name at OFFSET, handed over on first use; 0 if
 * there is none. */
static enum gsym_status take_name(struct pclntab_strings *s, uint32_t offset,
				  uint32_t *number)
{
	return number_for(s, &s->names, offset,
			  gsym_pclntab_name(s->table, offset), number);
}

enum gsym_status gsym_pclntab_take_file(struct pclntab_strings *s,
					uint32_t unit, int32_t value,
					uint32_t *number)
{
	const struct gsym_pclntab *t = s->table;
	uint32_t offset = file_offset(t, unit, value);

	return number_for(
		s, &s->files, offset,
		offset < t->files_end ? (const char *)t->bytes + offset : NULL,
		number);
}

/* ---- inlined calls ------------------------------------------------------- */

/*
 * A pc-value table has the innermost inlined call of each range of code, and
 * the tree has the parent of each call.  A node gets all ranges of its own code
 * and of the calls inside of it.
 */

/* Levels of inlined calls; Go's compiler makes far fewer. */
enum { DEPTH_MAX = 256 };

/* The state of making the nodes of one function. */
struct unwinding {
	struct pclntab_inlines *in;
	struct pclntab_strings *strings;
	const struct pclntab_function *function;
	struct gsym_cursor tree;
	uint32_t size;
	/** Steps that are left: bounds the time for a hostile tree. */
	uint64_t steps;
	int32_t own_file; /**< file value of the function's own code */
	/** The first and last outermost call: indexes + 1. */
	uint32_t root, last_root;
};

void gsym_pclntab_inlines_fini(struct pclntab_inlines *in)
{
	gsym_vec_fini(&in->lines);
	gsym_vec_fini(&in->files);
	gsym_vec_fini(&in->indexes);
	gsym_vec_fini(&in->nodes);
	gsym_vec_fini(&in->ranges);
	gsym_vec_fini(&in->calls);
	gsym_vec_fini(&in->pieces);
	gsym_vec_fini(&in->by_index);
}

/* The element of BY_INDEX for tree index INDEX; NULL without memory. */
static uint32_t *slot_of(struct pclntab_inlines *in, uint32_t index)
{
	size_t more = index + (size_t)1;

	if (index >= in->by_index.count) {
		more -= in->by_index.count;
		if (!gsym_vec_reserve(&in->by_index, more))
			return NULL;
		memset(in->by_index.items + in->by_index.count, 0,
		       more * sizeof(*in->by_index.items));
		in->by_index.count += more;
	}
	return &in->by_index.items[index];
}

/* The file value of code that is not inlined. */
static int32_t own_file(const struct pclntab_inlines *in)
{
	uint32_t at = 0;

	for (size_t i = 0; i < in->indexes.count; i++) {
		if (in->indexes.items[i].value < 0)
			return gsym_pclntab_value(&in->files, at);
		at = in->indexes.items[i].end;
	}
	/* If all spans are inlined, take the file of the first instruction. */
	return gsym_pclntab_value(&in->files, 0);
}

/* Give CALL, entry INDEX of a tree of the layout C, its parent, file and
 * line. */
static void place_call(const struct unwinding *u, uint32_t index,
		       struct pclntab_call *call)
{
	const struct pclntab_inlines *in = u->in;
	int32_t line = gsym_pclntab_value(&in->lines, call->pc);

	call->parent = gsym_pclntab_value(&in->indexes, call->pc);
	call->file = (uint32_t)gsym_pclntab_value(&in->files, call->pc);
	call->line = line < 0 ? 0 : (uint32_t)line;
	/* The compiler removed the instruction at CALL->pc: treat the call as
	 * one in the function's own code, at its start line. */
	if (call->parent >= 0 && (uint32_t)call->parent >= index) {
		call->parent = -1;
		call->file = (uint32_t)u->own_file;
		call->line = u->function->start_line;
	}
}

/* Append CALL, entry INDEX of the tree, to CALLS, as the last child of PARENT
 * (an index + 1). */
static enum gsym_status add_call(struct unwinding *u, uint32_t index,
				 uint32_t parent,
				 const struct pclntab_call *call)
{
	struct pclntab_inlines *in = u->in;
	struct pclntab_node *node = gsym_vec_push(&in->calls);
	enum gsym_status status;
	uint32_t *child, *last;

	if (!node)
		return GSYM_ERR_MEMORY;
	*node = (struct pclntab_node){
		.index = index, .line = call->line, .parent = parent,
		.depth = 1
	};
	in->by_index.items[index] = (uint32_t)in->calls.count;
	child = parent ? &in->calls.items[parent - 1].child : &u->root;
	last = parent ? &in->calls.items[parent - 1].last_child : &u->last_root;
	if (parent)
		node->depth = in->calls.items[parent - 1].depth + 1;
	if (*last)
		in->calls.items[*last - 1].sibling = (uint32_t)in->calls.count;
	else
		*child = (uint32_t)in->calls.count;
	*last = (uint32_t)in->calls.count;
	status = take_name(u->strings, call->name, &node->name);
	if (status == GSYM_OK)
		status = gsym_pclntab_take_file(u->strings, u->function->unit,
						(int32_t)call->file,
						&node->file);
	return status;
}

/* Add entry INDEX and its parents to CALLS, unless they are there already.
 * *NUMBER becomes the call's index + 1; 0: the tree is damaged. */
static enum gsym_status find_call(struct unwinding *u, uint32_t index,
				  uint32_t *number)
{
	const struct gsym_pclntab *t = u->strings->table;
	struct link {
		struct pclntab_call call;
		uint32_t index;
	} chain[DEPTH_MAX];
	uint32_t parent = 0;
	size_t count = 0;

	*number = 0;
	for (int32_t at = (int32_t)index; at >= 0; count++) {
		struct link *link = &chain[count];
		uint32_t *slot;

		if (count == DEPTH_MAX || !u->steps--)
			return GSYM_OK;
		/* Check that it exists before allocating memory for it. */
		link->index = (uint32_t)at;
		if (!gsym_pclntab_call(t, u->tree, link->index, u->size,
				       &link->call))
			return GSYM_OK;
		slot = slot_of(u->in, link->index);
		if (!slot)
			return GSYM_ERR_MEMORY;
		parent = *slot;
		if (parent)
			break;
		if (t->tree == PCLNTAB_TREE_C)
			place_call(u, link->index, &link->call);
		at = link->call.parent;
	}
	while (count) {
		struct link *link = &chain[--count];
		enum gsym_status status;

		if (parent && u->in->calls.items[parent - 1].depth >= DEPTH_MAX)
			return GSYM_OK;
		status = add_call(u, link->index, parent, &link->call);
		if (status != GSYM_OK)
			return status;
		parent = (uint32_t)u->in->calls.count;
	}
	*number = parent;
	return GSYM_OK;
}

/* Append [START, END) to the ranges of the call with index NUMBER - 1. */
static bool add_range(struct pclntab_inlines *in, uint32_t number,
		      uint32_t start, uint32_t end)
{
	struct pclntab_node *node = &in->calls.items[number - 1];
	struct pclntab_piece *piece;

	if (node->last_piece) {
		piece = &in->pieces.items[node->last_piece - 1];
		if (piece->end == start) {
			piece->end = end;
			return true;
		}
	}
	if (!gsym_vec_add(&in->pieces, (struct pclntab_piece){ start, end, 0 }))
		return false;
	if (node->last_piece)
		in->pieces.items[node->last_piece - 1].next =
			(uint32_t)in->pieces.count;
	else
		node->piece = (uint32_t)in->pieces.count;
	node->last_piece = (uint32_t)in->pieces.count;
	return true;
}

/* Give each range of inlined code to its innermost call and all parents of that
 * call.  *DAMAGED: the tree cannot be read. */
static enum gsym_status add_all_ranges(struct unwinding *u, bool *damaged)
{
	struct pclntab_inlines *in = u->in;
	uint32_t start = 0;

	for (size_t i = 0; i < in->indexes.count; i++) {
		struct pclntab_span span = in->indexes.items[i];
		enum gsym_status status;
		uint32_t number;

		if (span.end > u->size)
			span.end = u->size;
		if (span.value >= 0 && start < span.end) {
			status = find_call(u, (uint32_t)span.value, &number);
			if (status != GSYM_OK)
				return status;
			*damaged = !number;
			for (; number && !*damaged;
			     number = in->calls.items[number - 1].parent) {
				if (!u->steps--)
					*damaged = true;
				else if (!add_range(in, number, start,
						    span.end))
					return GSYM_ERR_MEMORY;
			}
			if (*damaged)
				return GSYM_OK;
		}
		start = span.end;
	}
	return GSYM_OK;
}

/* Append a node for the call with index NUMBER - 1. */
static bool put_node(struct unwinding *u, uint32_t number)
{
	struct pclntab_inlines *in = u->in;
	const struct pclntab_node *call = &in->calls.items[number - 1];
	struct gsym_inline_node *node = gsym_vec_push(&in->nodes);
	uint32_t first = (uint32_t)in->ranges.count;
	uint64_t start = u->function->start;

	if (!node)
		return false;
	for (uint32_t k = call->piece; k; k = in->pieces.items[k - 1].next) {
		const struct pclntab_piece *p = &in->pieces.items[k - 1];

		if (!gsym_vec_add(&in->ranges,
				  (struct gsym_range){ start + p->start,
						       start + p->end }))
			return false;
	}
	*node = (struct gsym_inline_node){
		.depth = call->depth,
		.name = call->name,
		.call_file = call->file,
		.call_line = call->line,
		.first_range = first,
		.range_count = (uint32_t)in->ranges.count - first,
	};
	return true;
}

/* Append nodes for all calls: parents before children, siblings in the order of
 * their code. */
static bool put_nodes(struct unwinding *u)
{
	const struct pclntab_inlines *in = u->in;

	for (uint32_t at = u->root; at;) {
		const struct pclntab_node *node = &in->calls.items[at - 1];

		if (!put_node(u, at))
			return false;
		if (node->child) {
			at = node->child;
			continue;
		}
		while (at && !in->calls.items[at - 1].sibling)
			at = in->calls.items[at - 1].parent;
		if (at)
			at = in->calls.items[at - 1].sibling;
	}
	return true;
}

enum gsym_status gsym_pclntab_make_inlines(
	struct pclntab_inlines *in, struct pclntab_strings *strings,
	const struct pclntab_function *function, uint32_t size, bool *damaged)
{
	struct unwinding u = {
		.in = in,
		.strings = strings,
		.function = function,
		.tree = gsym_pclntab_tree(strings->table, function),
		.size = size,
		.own_file = own_file(in),
		.steps = 64 * (uint64_t)in->indexes.count + 4096,
	};
	enum gsym_status status;

	in->nodes.count = in->ranges.count = 0;
	in->calls.count = in->pieces.count = 0;
	*damaged = false;
	status = add_all_ranges(&u, damaged);
	if (status == GSYM_OK && !*damaged && !put_nodes(&u))
		status = GSYM_ERR_MEMORY;
	for (size_t i = 0; i < in->calls.count; i++)
		in->by_index.items[in->calls.items[i].index] = 0;
	return status;
}

/* ---- damage -------------------------------------------------------------- */

/* Damaged functions.  Each kind of damage is reported once, with the number of
 * functions and the address of the first. */
struct problems {
	struct problem {
		uint64_t count;
		uint64_t first;
	} records, places, values, trees;
};

struct conversion {
	const struct gsym_pclntab *table;
	const struct gsym_sink *sink;
	void (*hide)(void *context, struct gsym_range range); /* or NULL */
	void *hide_context;
	struct pclntab_strings strings;
	struct pclntab_inlines inlines;
	GSYM_VEC_OF(struct gsym_row) rows;
	struct problems problems;
};

static void note(struct problem *problem, uint64_t address)
{
	if (!problem->count++)
		problem->first = address;
}

static void warn(const struct gsym_convert_options *options,
		 const struct problem *problem, const char *what)
{
	if (problem->count)
		gsym_container_tell(options, GSYM_WARN_BAD_GO_TABLE,
				    "go table: %s: %" PRIu64
				    ", the first one at 0x%" PRIx64,
				    what, problem->count, problem->first);
}

static void warn_all(const struct conversion *c,
		     const struct gsym_convert_options *options)
{
	const struct problem strings = { c->strings.bad, c->table->address };

	warn(options, &c->problems.records,
	     "functions whose records are not in the table");
	warn(options, &c->problems.places, "functions that are not in code");
	warn(options, &c->problems.values, "functions with damaged lines");
	warn(options, &c->problems.trees,
	     "functions with damaged inlined calls");
	warn(options, &strings, "names and files that are not in the table");
}

/* Returns true if NAME belongs to entries of the table that are no
 * functions. */
static bool is_marker(const char *name)
{
	static const char *const names[] = {
		"go.buildid", "go:buildid", "go:textfipsstart",
		"go:textfipsend",
	};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* ---- one function ----------------------------------------------------- */

static uint32_t end_of(const struct pclntab_values *values)
{
	return values->count ? values->items[values->count - 1].end : 0;
}

/* Decode the pc-value tables of F.  *SIZE is the distance to the next function;
 * it becomes the size of the code, without padding. */
static enum gsym_status read_values(struct conversion *c,
				    const struct pclntab_function *f,
				    uint32_t *size)
{
	const struct gsym_pclntab *t = c->table;
	struct pclntab_inlines *in = &c->inlines;
	enum pclntab_result lines, files, indexes;
	uint32_t end;

	files = gsym_pclntab_values(t, f->file_values, *size, &in->files);
	lines = gsym_pclntab_values(t, f->line_values, *size, &in->lines);
	indexes = gsym_pclntab_values(t, gsym_pclntab_tree_values(t, f), *size,
				      &in->indexes);
	if (files == PCLNTAB_NO_MEMORY || lines == PCLNTAB_NO_MEMORY ||
	    indexes == PCLNTAB_NO_MEMORY)
		return GSYM_ERR_MEMORY;
	if (files != PCLNTAB_OK || lines != PCLNTAB_OK ||
	    indexes != PCLNTAB_OK)
		note(&c->problems.values, f->start);
	end = end_of(&in->lines);
	if (end_of(&in->files) > end)
		end = end_of(&in->files);
	if (end)
		*size = end;
	return GSYM_OK;
}

/* Make the rows of F: one wherever a file or line value begins. */
static enum gsym_status make_rows(struct conversion *c,
				  const struct pclntab_function *f,
				  uint32_t size)
{
	const struct pclntab_values *files = &c->inlines.files;
	const struct pclntab_values *lines = &c->inlines.lines;
	size_t file = 0;
	size_t line = 0;

	c->rows.count = 0;
	if (!files->count && !lines->count)
		return GSYM_OK;
	for (uint32_t at = 0; at < size;) {
		struct gsym_row row = { at, GSYM_FILE_NOSRC, 0 };
		uint32_t next = size;
		int32_t number = -1;
		int32_t value = -1;

		if (file < files->count) {
			number = files->items[file].value;
			next = files->items[file].end;
		}
		if (line < lines->count) {
			value = lines->items[line].value;
			if (lines->items[line].end < next)
				next = lines->items[line].end;
		}
		if (value >= 0) {
			enum gsym_status status = gsym_pclntab_take_file(
				&c->strings, f->unit, number, &row.file);

			if (status != GSYM_OK)
				return status;
			row.line = row.file ? (uint32_t)value : 0;
		}
		if (!gsym_vec_add(&c->rows, row))
			return GSYM_ERR_MEMORY;
		at = next;
		if (file < files->count && files->items[file].end == at)
			file++;
		if (line < lines->count && lines->items[line].end == at)
			line++;
	}
	return GSYM_OK;
}

static enum gsym_status put_function(struct conversion *c,
				     const struct pclntab_function *f)
{
	uint32_t size = f->limit - f->start > UINT32_MAX
				? UINT32_MAX
				: (uint32_t)(f->limit - f->start);
	struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION,
		.name_kind = GSYM_NAME_LINKAGE,
		.start = f->start,
	};
	bool damaged = false;
	enum gsym_status status = read_values(c, f, &size);

	if (status == GSYM_OK)
		status = make_rows(c, f, size);
	if (status == GSYM_OK)
		status = gsym_pclntab_make_inlines(&c->inlines, &c->strings, f,
						   size, &damaged);
	if (status == GSYM_OK)
		status = take_name(&c->strings, f->name, &record.name);
	if (status != GSYM_OK)
		return status;
	if (damaged)
		note(&c->problems.trees, f->start);
	record.size = size;
	record.rows = c->rows.items;
	record.row_count = c->rows.count;
	if (!damaged) {
		record.inlines = c->inlines.nodes.items;
		record.inline_count = c->inlines.nodes.count;
		record.inline_ranges = c->inlines.ranges.items;
	}
	return gsym_sink_record(c->sink, &record);
}

/* ---- all functions ---------------------------------------------------- */

/* Convert function NUMBER. *END is the highest end of the functions so far.  A
 * function that begins before *END is refused, so the time is bounded by the
 * size of the code. */
static enum gsym_status convert_function(struct conversion *c, uint64_t number,
					 uint64_t *end)
{
	const struct gsym_pclntab *t = c->table;
	struct pclntab_function f;

	if (!gsym_pclntab_function(t, number, &f)) {
		note(&c->problems.records, gsym_pclntab_address(t, number));
		return GSYM_OK;
	}
	if (f.start == f.limit)
		return GSYM_OK;
	if (f.limit < f.start || f.start < *end ||
	    !gsym_memory_is_code(t->memory, f.start, f.limit)) {
		note(&c->problems.places, f.start);
		return GSYM_OK;
	}
	*end = f.limit;
	if (is_marker(gsym_pclntab_name(t, f.name))) {
		if (c->hide)
			c->hide(c->hide_context,
				(struct gsym_range){ f.start, f.limit });
		return GSYM_OK;
	}
	return put_function(c, &f);
}

enum gsym_status
gsym_pclntab_convert(const struct gsym_pclntab *t,
		     const struct gsym_convert_options *options,
		     const struct gsym_sink *sink,
		     void (*hide)(void *context, struct gsym_range range),
		     void *hide_context, struct gsym_error *error)
{
	struct conversion c = {
		.table = t,
		.sink = sink,
		.hide = hide,
		.hide_context = hide_context,
		.strings = { .table = t, .sink = sink,
			     .budget = 4 * (uint64_t)t->size + (1 << 20) },
	};
	enum gsym_status status = GSYM_OK;
	uint64_t end = 0;

	for (uint64_t i = 0; i < t->count && status == GSYM_OK; i++)
		status = convert_function(&c, i, &end);
	if (status == GSYM_OK)
		warn_all(&c, options);
	else
		gsym_fail(error, status, t->address,
			  "go table at 0x%" PRIx64 ": %s", t->address,
			  gsym_status_text(status));
	gsym_pclntab_strings_fini(&c.strings);
	gsym_pclntab_inlines_fini(&c.inlines);
	gsym_vec_fini(&c.rows);
	return status;
}
