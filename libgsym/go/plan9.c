/* SPDX-License-Identifier: MIT */
/* Makes records of the tables of Go 1.1 and older. */
#include "go/go.h"

#include "base/error.h"
#include "base/order.h"

/* Numbers of path elements have 16 bits; a path has at most PATH_ELEMENTS. */
enum { ELEMENTS = 1 << 16, PATH_ELEMENTS = 256 };

struct text {
	const char *bytes;
	size_t length;
};

struct function {
	uint64_t start;
	struct text name;
	/** Index of its object + 1; 0: none. */
	size_t object;
};

/* A position is a line of an object's source with all included files pasted
 * in.  From position FROM on, up to the next stretch, a position is line
 * POSITION - DELTA of FILE. */
struct stretch {
	int64_t from;
	int64_t delta;
	uint32_t file;
};

struct object {
	/** Symbols of its history: COUNT from index FIRST on. */
	size_t first, count;
	/** STRETCHES is filled; that is done for the first function of the
	 * object. */
	bool ready;
	size_t first_stretch, stretch_count;
};

/* A file that is open at some place of a history: the source file, or an
 * included file. */
struct level {
	uint32_t file;
	/** Position where the file began. */
	int64_t opened;
	/** Position of the file's line 1; a #line directive changes it. */
	int64_t start;
	/** Lines of the files that this one included so far. */
	int64_t skipped;
};

struct conversion {
	const struct gsym_plan9 *tables;
	const struct gsym_sink *sink;
	struct text *elements;
	GSYM_VEC_OF(struct function) functions;
	GSYM_VEC_OF(struct object) objects;
	GSYM_VEC_OF(struct plan9_symbol) history;
	GSYM_VEC_OF(struct stretch) stretches;
	GSYM_VEC_OF(struct level) levels;
	GSYM_VEC_OF(struct gsym_row) rows;
	uint64_t end; /**< end of the text; 0: not known */
	/** Bytes that more paths may take.  In a hostile table a few long
	 *  elements can give any number of long paths. */
	uint64_t budget;
	/* The next byte of the lines, and the pc and position there. */
	const uint8_t *at;
	uint64_t pc;
	int64_t line;
};

/* ---- symbols ----------------------------------------------------------- */

static bool take_function(struct conversion *c, const struct plan9_symbol *s)
{
	if (gsym_plan9_is_end(s)) {
		c->end = s->value;
		return true;
	}
	return gsym_vec_add(
		&c->functions,
		(struct function){
			.start = s->value,
			.name = { (const char *)s->bytes, s->count },
			.object = c->objects.count,
		});
}

/* Append S to the history of its object.  A 'z' of position 1 begins a new
 * object. */
static bool take_history(struct conversion *c, const struct plan9_symbol *s)
{
	if (s->kind == 'z' && s->value == 1) {
		if (!gsym_vec_add(&c->objects,
				  (struct object){ .first = c->history.count }))
			return false;
	}
	if (!c->objects.count)
		return true;
	if (!gsym_vec_add(&c->history, *s))
		return false;
	c->objects.items[c->objects.count - 1].count++;
	return true;
}

static bool take_symbol(struct conversion *c, const struct plan9_symbol *s)
{
	switch (s->kind) {
	case 'T':
	case 't':
	case 'L':
	case 'l':
		return take_function(c, s);
	case 'f':
		if (s->value < ELEMENTS)
			c->elements[s->value] = (struct text){
				(const char *)s->bytes, s->count };
		return true;
	case 'z':
	case 'Z':
		return take_history(c, s);
	}
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = GSYM_ORDER(x->start, y->start);

	/* The names are in one table: their addresses give an order. */
	return order ? order : GSYM_ORDER(x->name.bytes, y->name.bytes);
}

static enum gsym_status read_symbols(struct conversion *c,
				     const struct gsym_convert_options *options,
				     struct gsym_error *error)
{
	struct plan9_symbol symbol;
	struct plan9_reader reader;

	if (!gsym_plan9_open(c->tables, &reader))
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
				 "go symbol table: it is of no known dialect");
	while (gsym_plan9_next(&reader, &symbol))
		if (!take_symbol(c, &symbol))
			return gsym_fail_memory(error);
	if (reader.cursor.failed || gsym_cursor_left(&reader.cursor))
		gsym_container_tell(options, GSYM_WARN_BAD_GO_TABLE,
				    "go symbol table: damaged at 0x%zx",
				    gsym_cursor_offset(&reader.cursor));
	gsym_vec_sort(&c->functions, compare_functions);
	return GSYM_OK;
}

/* ---- histories --------------------------------------------------------- */

/* Hand over the file whose path has the elements that S names.  *FILE is
 * GSYM_FILE_UNKNOWN if the path is too long, is no path of a file, or beyond
 * the budget. */
static enum gsym_status make_file(struct conversion *c,
				  const struct plan9_symbol *s, uint32_t *file)
{
	char path[4096];
	size_t length = 0;

	*file = GSYM_FILE_UNKNOWN;
	for (size_t i = 0; i < s->count && i < PATH_ELEMENTS; i++) {
		struct text e = c->elements[s->bytes[2 * i] << 8 |
					    s->bytes[2 * i + 1]];

		if (e.length + 1 > sizeof(path) - length)
			return GSYM_OK;
		if (length && path[length - 1] != '/')
			path[length++] = '/';
		if (e.length)
			memcpy(path + length, e.bytes, e.length);
		length += e.length;
	}
	if (!length || path[length - 1] == '/' || length > c->budget)
		return GSYM_OK;
	c->budget -= length;
	return gsym_go_put_file(c->sink, path, length, file);
}

/* Process symbol S of a history: a file begins, or, if S has no elements, the
 * open file ends.  AMENDED, the 'Z' after S, makes S a #line directive, which
 * changes name and line number of the open file.  AMENDED is NULL if there is
 * no 'Z'. */
static enum gsym_status step(struct conversion *c, const struct plan9_symbol *s,
			     const struct plan9_symbol *amended)
{
	size_t depth = c->levels.count;
	int64_t value = (int32_t)s->value;
	struct level level = { .opened = value, .start = value };
	enum gsym_status status;

	if (!s->count) {
		if (!depth)
			return GSYM_OK;
		level = c->levels.items[depth - 1];
		c->levels.count--;
		if (depth > 1)
			c->levels.items[depth - 2].skipped +=
				value - level.opened;
		return GSYM_OK;
	}
	status = make_file(c, s, &level.file);
	if (status != GSYM_OK)
		return status;
	if (amended) {
		level.start = value - (int32_t)amended->value + 1;
		if (depth) {
			level.opened = c->levels.items[depth - 1].opened;
			c->levels.items[depth - 1] = level;
			return GSYM_OK;
		}
	}
	if (!gsym_vec_add(&c->levels, level))
		return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

static enum gsym_status make_stretches(struct conversion *c,
				       struct object *object)
{
	int64_t from = INT64_MIN;

	object->ready = true;
	object->first_stretch = c->stretches.count;
	c->levels.count = 0;
	for (size_t i = 0; i < object->count; i++) {
		const struct plan9_symbol *s =
			&c->history.items[object->first + i];
		const struct plan9_symbol *amended =
			i + 1 < object->count && s[1].kind == 'Z' ? s + 1
								  : NULL;
		struct stretch *stretch;
		enum gsym_status status;

		if (s->kind == 'Z')
			continue;
		status = step(c, s, amended);
		stretch = gsym_vec_push(&c->stretches);
		if (status != GSYM_OK || !stretch)
			return status != GSYM_OK ? status : GSYM_ERR_MEMORY;
		if ((int32_t)s->value > from)
			from = (int32_t)s->value;
		*stretch = (struct stretch){ from, 0, GSYM_FILE_NOSRC };
		if (c->levels.count) {
			const struct level *top =
				&c->levels.items[c->levels.count - 1];

			stretch->file = top->file;
			stretch->delta = top->start + top->skipped - 1;
		}
	}
	object->stretch_count = c->stretches.count - object->first_stretch;
	return GSYM_OK;
}

/* The file and line of POSITION in OBJECT's source, as a row at offset 0. */
static struct gsym_row row_of(const struct conversion *c,
			      const struct object *object, int64_t position)
{
	struct gsym_row row = { 0, GSYM_FILE_NOSRC, 0 };
	size_t first = object->first_stretch;
	size_t next = GSYM_FIRST(i, first, first + object->stretch_count,
				 c->stretches.items[i].from > position);
	const struct stretch *s;

	if (next == first)
		return row;
	s = &c->stretches.items[next - 1];
	if (!s->file || position - s->delta < 0 ||
	    position - s->delta > UINT32_MAX)
		return row;
	row.file = s->file;
	row.line = (uint32_t)(position - s->delta);
	return row;
}

/* ---- lines ------------------------------------------------------------- */

/* Read the next item of the lines: a byte, and four more for a change of the
 * line that does not fit.  *PC is the pc before it.  True: a line begins there;
 * false: only the pc changed. */
static bool read_line(struct conversion *c, uint64_t *pc)
{
	const uint8_t *end = c->tables->lines + c->tables->line_size;
	uint8_t byte = *c->at++;
	bool is_row = byte <= 128;
	uint64_t steps = byte > 128 ? byte - 128u : 1;

	*pc = c->pc;
	if (byte > 128) {
		/* only the pc changes */
	} else if (byte > 64) {
		c->line -= byte - 64;
	} else if (byte) {
		c->line += byte;
	} else if (end - c->at < 4) {
		c->at = end;
		return false;
	} else {
		c->line += (int32_t)gsym_load_u32(c->at, !GSYM_HOST_BIG_ENDIAN);
		c->at += 4;
	}
	/* the pc must not wrap around */
	if (__builtin_add_overflow(c->pc, steps * c->tables->quantum, &c->pc))
		c->pc = UINT64_MAX;
	return is_row;
}

static bool put_row(struct conversion *c, const struct object *object,
		    uint64_t offset)
{
	struct gsym_row *row = gsym_vec_push(&c->rows);

	if (!row)
		return false;
	*row = object ? row_of(c, object, c->line)
		      : (struct gsym_row){ 0, GSYM_FILE_NOSRC, 0 };
	row->offset = (uint32_t)offset;
	return true;
}

/* Make the rows of F, which ends at END. */
static bool make_rows(struct conversion *c, const struct function *f,
		      const struct object *object, uint64_t end)
{
	const uint8_t *stop = c->tables->lines + c->tables->line_size;

	c->rows.count = 0;
	/* Skip the lines before F; the last of them is in force at the start of
	 * F. */
	while (c->at < stop && c->pc < f->start) {
		uint64_t pc;

		read_line(c, &pc);
	}
	if (!put_row(c, object, 0))
		return false;
	while (c->at < stop && c->pc < end) {
		uint64_t pc;

		if (read_line(c, &pc) && !put_row(c, object, pc - f->start))
			return false;
	}
	return true;
}

/* Hand over NAME. Go 1.1 wrote middle dots (\302\267), which become dots. */
static enum gsym_status take_name(struct conversion *c, struct text name,
				  uint32_t *number)
{
	char *copy = malloc(name.length + 1);
	enum gsym_status status;
	size_t length = 0;

	if (!copy)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < name.length; i++) {
		bool dot = i + 1 < name.length && name.bytes[i] == '\302' &&
			   name.bytes[i + 1] == '\267';

		copy[length++] = dot ? '.' : name.bytes[i];
		i += dot;
	}
	status = c->sink->string(c->sink->self, copy, length, number);
	free(copy);
	return status;
}

static enum gsym_status put_function(struct conversion *c,
				     const struct function *f, uint64_t end)
{
	struct object *object =
		f->object ? &c->objects.items[f->object - 1] : NULL;
	struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION,
		.name_kind = GSYM_NAME_LINKAGE,
		.start = f->start,
	};
	enum gsym_status status = GSYM_OK;

	if (end <= f->start)
		return GSYM_OK;
	if (end - f->start > UINT32_MAX)
		end = f->start + UINT32_MAX;
	if (object && !object->ready)
		status = make_stretches(c, object);
	if (status == GSYM_OK && !make_rows(c, f, object, end))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_OK)
		status = take_name(c, f->name, &record.name);
	if (status != GSYM_OK)
		return status;
	record.size = end - f->start;
	record.rows = c->rows.items;
	record.row_count = c->rows.count;
	return gsym_sink_record(c->sink, &record);
}

static enum gsym_status put_functions(struct conversion *c)
{
	const struct function *f = c->functions.items;
	size_t count = c->functions.count;
	enum gsym_status status = GSYM_OK;

	c->at = c->tables->lines;
	c->pc = count ? f->start : 0;
	for (size_t i = 0; i < count && status == GSYM_OK; i++) {
		uint64_t end = i + 1 < count ? f[i + 1].start : c->end;

		/* Without a symbol for the end of the text the last function
		 * ends where the lines do. */
		if (i + 1 == count && !end) {
			struct conversion ahead = *c;
			uint64_t pc;

			while (ahead.at < c->tables->lines +
						  c->tables->line_size)
				read_line(&ahead, &pc);
			end = ahead.pc;
		}
		status = put_function(c, &f[i], end);
	}
	return status;
}

enum gsym_status gsym_plan9_convert(const struct gsym_plan9 *tables,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink,
				    struct gsym_error *error)
{
	struct conversion c = {
		.tables = tables,
		.sink = sink,
		.budget = 16 * (uint64_t)tables->symbol_size + (1 << 20),
	};
	enum gsym_status status;

	c.elements = calloc(ELEMENTS, sizeof(*c.elements));
	if (!c.elements)
		return gsym_fail_memory(error);
	status = read_symbols(&c, options, error);
	if (status == GSYM_OK) {
		status = put_functions(&c);
		if (status != GSYM_OK)
			gsym_fail(error, status, 0, "go symbol table: %s",
				  gsym_status_text(status));
	}
	free(c.elements);
	gsym_vec_fini(&c.functions);
	gsym_vec_fini(&c.objects);
	gsym_vec_fini(&c.history);
	gsym_vec_fini(&c.stretches);
	gsym_vec_fini(&c.levels);
	gsym_vec_fini(&c.rows);
	return status;
}
