/* SPDX-License-Identifier: MIT */
/*
 * Checks the line table, inline tree, call sites and merged functions of a
 * record.
 */
#include "reader/reader.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- problems ----------------------------------------------------------- */

void gsym_check_report(struct gsym_check *check, enum gsym_status status)
{
	if (check->stop)
		return;
	if (status == GSYM_ERR_CORRUPT)
		check->found = true;
	if (check->report)
		check->cancelled = !check->report(check->context,
						  &check->problem);
	/* Without a callback the result is certain at the first damage. */
	check->stop = check->report ? check->cancelled : check->found;
}

void gsym_check_string(struct gsym_check *check, uint64_t offset,
		       const char *what, uint64_t place)
{
	if (!gsym_layout_string(&check->reader->layout, offset))
		gsym_check_damage(check, place,
				  "%s at offset 0x%" PRIx64
				  " is beyond the string table: 0x%" PRIx64,
				  what, place, offset);
}

/* ---- records ------------------------------------------------------------ */

/* The function whose record is being checked. */
struct function {
	struct gsym_check *check;
	uint64_t start;
	uint32_t size;
	/* The record is an entry of a list of merged functions. */
	bool merged;
};

static uint64_t place_of(const struct function *f, const uint8_t *p)
{
	return gsym_reader_place(f->check->reader, p);
}

static struct gsym_cursor tuple_cursor(const struct function *f,
				       const struct gsym_tuple *tuple)
{
	return gsym_cursor_init(tuple->data, tuple->size,
				f->check->reader->layout.swap);
}

/* Report the file number FILE, read at P for WHAT, if it is not in the file
 * table. */
static void check_file(const struct function *f, uint32_t file,
		       const char *what, const uint8_t *p)
{
	if (file >= f->check->reader->layout.file_count)
		gsym_check_damage(f->check, place_of(f, p),
				  "%s at offset 0x%" PRIx64
				  " has the file %" PRIu32
				  ", which is not in the file table", what,
				  place_of(f, p), file);
}

/* Report bytes of a tuple after the end of its content, WHAT. */
static void check_all_read(const struct function *f,
			   const struct gsym_cursor *c, const char *what)
{
	if (gsym_cursor_left(c))
		gsym_check_damage(f->check, place_of(f, c->at),
				  "%s is followed by stray bytes at offset 0x%"
				  PRIx64, what, place_of(f, c->at));
}

/* The list of WHAT was read up to C: report if it is cut off, and bytes after
 * it. */
static void check_list_end(const struct function *f,
			   const struct gsym_cursor *c, const char *what)
{
	char list[64];

	snprintf(list, sizeof(list), "list of %s", what);
	if (c->failed)
		gsym_check_damage(f->check, place_of(f, c->at),
				  "%s are cut off at offset 0x%" PRIx64,
				  what, place_of(f, c->at));
	else if (!f->check->stop)
		check_all_read(f, c, list);
}

/* Report a line number outside 32 bits, which the opcodes at P lead to. */
static void report_wrap(const struct function *f, const uint8_t *p)
{
	gsym_check_damage(f->check, place_of(f, p),
			  "line number leaves 32 bits at offset 0x%" PRIx64,
			  place_of(f, p));
}

/* Check that the first line of a line table fits into 32 bits. */
static void check_first_line(const struct function *f,
			     const struct gsym_tuple *tuple)
{
	struct gsym_cursor c = tuple_cursor(f, tuple);
	const uint8_t *at;

	gsym_cursor_skip_leb(&c);
	gsym_cursor_skip_leb(&c);
	at = c.at;
	if (gsym_cursor_uleb(&c) > UINT32_MAX)
		report_wrap(f, at);
}

static void check_lines(const struct function *f,
			const struct gsym_tuple *tuple)
{
	enum gsym_line_step step = GSYM_LINE_STEP_DAMAGE;
	struct gsym_line_decoder d;
	bool known = gsym_line_begin(&d, tuple->data, tuple->size, f->start);

	check_first_line(f, tuple);
	while (known && !f->check->stop) {
		const uint8_t *at = d.c.at;
		bool wraps = false;

		step = gsym_line_step_noting(&d, &wraps);
		if (wraps)
			report_wrap(f, at);
		if (step != GSYM_LINE_STEP_ROW)
			break;
		if (f->size && d.address - f->start >= f->size)
			gsym_check_damage(f->check, place_of(f, at),
					  "line row at offset 0x%" PRIx64
					  " has the address 0x%" PRIx64
					  " beyond the end of its function",
					  place_of(f, at), d.address);
		check_file(f, d.file, "line row", at);
	}
	if (step == GSYM_LINE_STEP_DAMAGE)
		gsym_check_damage(f->check, place_of(f, d.c.at),
				  "line table is damaged at offset 0x%" PRIx64,
				  place_of(f, d.c.at));
	else if (step == GSYM_LINE_STEP_END)
		check_all_read(f, &d.c, "line table");
}

/*
 * A walk over an inline tree.  The ranges of a node are read again for each
 * child, to check that the child's ranges lie within them.
 */
struct tree {
	const struct function *f;
	struct gsym_cursor c;
	/* The level of the node at C; 0 for the root. */
	uint32_t level;
	/* How many ranges may still be read again.  Sound files stay far below
	 * the budget; a hostile one must not take hours. */
	uint64_t budget;
	/* By level, up to LEVEL: the base address of the nodes, minus the
	 * start of the function. */
	uint64_t base[GSYM_MAX_INLINE_DEPTH + 1];
	/* By level, below LEVEL: the offset in the tuple of the node on the
	 * path from the root to the present node. */
	uint32_t node[GSYM_MAX_INLINE_DEPTH + 1];
};

/* Whether the range of SIZE bytes at START, relative to the function, lies
 * within one range of the parent; for the root, within the function. */
static bool inside_parent(struct tree *t, uint64_t start, uint64_t size)
{
	struct gsym_cursor c = t->c;
	uint64_t base, count;

	if (!t->level)
		return !t->f->size || (start <= t->f->size &&
				       size <= t->f->size - start);
	base = t->base[t->level - 1];
	c.end = t->c.at;
	gsym_cursor_seek(&c, t->node[t->level - 1]);
	count = gsym_cursor_uleb(&c);
	for (; count && t->budget; count--, t->budget--) {
		uint64_t parent = base + gsym_cursor_uleb(&c);
		uint64_t room = gsym_cursor_uleb(&c);

		if (start >= parent && start - parent <= room &&
		    size <= room - (start - parent))
			return true;
	}
	return false;
}

/* Check the ranges of NODE, which was read at AT: their order, and that each
 * lies within a range of the parent. */
static void check_ranges(struct tree *t, const struct gsym_inline_entry *node,
			 const uint8_t *at)
{
	const struct function *f = t->f;
	struct gsym_cursor c = t->c;
	uint64_t end = 0;

	gsym_cursor_seek(&c, (uint64_t)(node->ranges - c.start));
	for (uint64_t i = 0; i < node->range_count && !f->check->stop; i++) {
		uint64_t start = gsym_cursor_uleb(&c);
		uint64_t size = gsym_cursor_uleb(&c);

		if (start < end || size > UINT64_MAX - start) {
			gsym_check_damage(f->check, place_of(f, at),
					  "inline node at offset 0x%" PRIx64
					  " has ranges out of order",
					  place_of(f, at));
			return;
		}
		end = start + size;
		if (!inside_parent(t, t->base[t->level] + start, size)) {
			gsym_check_damage(f->check, place_of(f, at),
					  t->budget ?
					  "inline node at offset 0x%" PRIx64
					  " has a range outside its parent" :
					  "inline node at offset 0x%" PRIx64
					  " belongs to a tree with too many "
					  "ranges to check", place_of(f, at));
			return;
		}
	}
}

static void check_node(struct tree *t, const struct gsym_inline_entry *node,
		       const uint8_t *at)
{
	check_ranges(t, node, at);
	gsym_check_string(t->f->check, node->name, "name of an inline node",
			  place_of(t->f, at));
	if (node->call_line > UINT32_MAX)
		report_wrap(t->f, at);
	if (t->level)
		check_file(t->f, node->call_file, "inline node", at);
}

static void check_inlines(const struct function *f,
			  const struct gsym_tuple *tuple)
{
	unsigned width = f->check->reader->layout.string_size;
	const char *wrong = NULL;
	struct tree t;

	t.f = f;
	t.c = tuple_cursor(f, tuple);
	t.level = 0;
	t.budget = 64 * (uint64_t)tuple->size + 4096;
	t.base[0] = 0;
	while (!f->check->stop) {
		struct gsym_inline_entry node;
		const uint8_t *at = t.c.at;
		enum gsym_inline_step step =
			gsym_inline_read(&t.c, width, 0, &node);

		if (step == GSYM_INLINE_STEP_DAMAGE ||
		    (step == GSYM_INLINE_STEP_END && !t.level)) {
			wrong = "damaged";
			break;
		}
		if (step == GSYM_INLINE_STEP_NODE) {
			t.node[t.level] = (uint32_t)(at - tuple->data);
			check_node(&t, &node, at);
			if (node.has_children) {
				if (t.level == GSYM_MAX_INLINE_DEPTH) {
					wrong = "too deep";
					break;
				}
				t.base[t.level + 1] = t.base[t.level] +
						      node.first;
				t.level++;
			}
		} else {
			t.level--;
		}
		/* The root has no siblings, so its list has no end. */
		if (!t.level)
			break;
	}
	if (wrong)
		gsym_check_damage(f->check, place_of(f, t.c.at),
				  "inline tree is %s at offset 0x%" PRIx64,
				  wrong, place_of(f, t.c.at));
	else if (!f->check->stop)
		check_all_read(f, &t.c, "inline tree");
}

static void check_patterns(const struct function *f,
			   const struct gsym_call_item *item)
{
	const struct gsym_layout *l = &f->check->reader->layout;

	for (uint32_t i = 0; i < item->pattern_count && !f->check->stop; i++) {
		const uint8_t *at =
			item->patterns + (uint64_t)i * l->string_size;

		gsym_check_string(f->check,
				  gsym_load_uint(at, l->string_size, l->swap),
				  "pattern of a call site", place_of(f, at));
	}
}

static void check_calls(const struct function *f,
			const struct gsym_tuple *tuple)
{
	unsigned width = f->check->reader->layout.string_size;
	struct gsym_cursor c = tuple_cursor(f, tuple);
	uint32_t count = gsym_list_count(&c, GSYM_INFO_CALL_SITES, width);
	struct gsym_call_item item;

	for (; count && !f->check->stop; count--) {
		const uint8_t *at = c.at;

		if (!gsym_call_read(&c, width, &item))
			break;
		if (f->size && item.return_offset > f->size)
			gsym_check_damage(f->check, place_of(f, at),
					  "call site at offset 0x%" PRIx64
					  " returns beyond the end of its "
					  "function",
					  place_of(f, at));
		check_patterns(f, &item);
	}
	check_list_end(f, &c, "call sites");
}

static uint64_t check_one(struct function *f, struct gsym_cursor *c);

static void check_merged(const struct function *f,
			 const struct gsym_tuple *tuple)
{
	const struct gsym_layout *l = &f->check->reader->layout;
	struct gsym_cursor c = tuple_cursor(f, tuple);
	uint32_t count =
		gsym_list_count(&c, GSYM_INFO_MERGED, l->string_size);

	for (; count && !f->check->stop; count--) {
		uint64_t place = place_of(f, c.at);
		struct function inner = { f->check, f->start, 0, true };
		struct gsym_cursor record;

		if (!gsym_merged_read(&c, &record))
			break;
		check_one(&inner, &record);
		if (inner.size != f->size)
			gsym_check_damage(f->check, place,
					  "merged function at offset 0x%" PRIx64
					  " has another size than the outer "
					  "function", place);
		if (!record.failed)
			check_all_read(f, &record, "merged function");
	}
	check_list_end(f, &c, "merged functions");
}

/* Check the data of TUPLE, which begins at PLACE. */
static void check_tuple(const struct function *f,
			const struct gsym_tuple *tuple, uint64_t place)
{
	switch (tuple->type) {
	case GSYM_INFO_LINES:
		check_lines(f, tuple);
		break;
	case GSYM_INFO_INLINES:
		check_inlines(f, tuple);
		break;
	case GSYM_INFO_MERGED:
		if (f->merged)
			gsym_check_damage(f->check, place,
					  "merged function holds merged "
					  "functions at offset 0x%" PRIx64,
					  place);
		else
			check_merged(f, tuple);
		break;
	case GSYM_INFO_CALL_SITES:
		check_calls(f, tuple);
		break;
	default:
		gsym_check_report(
			f->check,
			gsym_fail(&f->check->problem, GSYM_ERR_UNSUPPORTED,
				  place, "function record holds information of "
				  "the unknown kind %" PRIu32
				  " at offset 0x%" PRIx64, tuple->type, place));
		break;
	}
}

/* Check the record at C and set F->size.  Returns the bytes of the record, as
 * far as it could be read. */
static uint64_t check_one(struct function *f, struct gsym_cursor *c)
{
	const struct gsym_reader *reader = f->check->reader;
	const uint8_t *record = c->at;
	uint64_t place = place_of(f, record);
	struct gsym_record_head head = { 0 };
	enum gsym_tuple_step step = GSYM_TUPLE_STEP_DAMAGE;
	struct gsym_tuple tuple;
	uint32_t seen = 0;

	if (gsym_record_read(c, reader->layout.string_size, &head)) {
		if (!head.name)
			gsym_check_damage(f->check, place + 4,
					  "function record at offset 0x%" PRIx64
					  " has no name", place);
		gsym_check_string(f->check, head.name, "name of a function",
				  place + 4);
	}
	f->size = head.size;
	while (!f->check->stop) {
		uint64_t at = place_of(f, c->at);

		step = gsym_tuple_read(c, &tuple);
		if (step != GSYM_TUPLE_STEP_TUPLE)
			break;
		uint32_t bit = tuple.type < 32 ? 1u << tuple.type : 0;

		if (seen & bit)
			gsym_check_damage(f->check, at,
					  "function record holds information "
					  "of kind %" PRIu32
					  " twice at offset 0x%" PRIx64,
					  tuple.type, at);
		seen |= bit;
		check_tuple(f, &tuple, at);
	}
	if (step == GSYM_TUPLE_STEP_END && tuple.size)
		gsym_check_damage(f->check, place_of(f, c->at - 4),
				  "end of the function record at offset 0x%"
				  PRIx64 " has a length", place);
	if (step == GSYM_TUPLE_STEP_DAMAGE && !f->check->stop)
		gsym_check_damage(f->check, place_of(f, c->at),
				  "function record at offset 0x%" PRIx64
				  " has no end", place);
	return (uint64_t)(c->at - record);
}

uint64_t gsym_verify_record(struct gsym_check *check, struct gsym_cursor *c,
			    uint64_t start)
{
	struct function f = { check, start, 0, false };

	return check_one(&f, c);
}
