/* SPDX-License-Identifier: MIT */
/*
 * dwdiff FILE [LIMIT] - compare both DWARF readers on a real file.  Prints up
 * to LIMIT (20) differences of each kind, and their number.  Exits with 1 if
 * there are any.  It is run by hand.
 */
#include "dwarf/resolve.h"
#include "elf/elf.h"
#include "second/second.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	NODES,
	RANGES,
	NAMES,
	CALLS,
	FILES,
	SEQUENCES,
	ROWS,
	CLAIMS,
	KINDS
};

static const char *const kind_names[KINDS] = {
	"nodes", "ranges", "names", "calls",
	"files", "sequences", "rows", "claims",
};

static uint64_t differences[KINDS], compared[KINDS], limit = 20;

/* Count a difference; returns true if it is to be printed. */
static bool differs(enum kind kind, const struct dw_unit *unit)
{
	if (differences[kind]++ >= limit)
		return false;
	printf("%s: unit 0x%" PRIx64 ": ", kind_names[kind],
	       unit ? unit->offset : 0);
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const char *text_of(const char *text)
{
	return text ? text : "(none)";
}

static void print_ranges(const struct dw_unit *u, const struct dw_node *n)
{
	for (uint32_t i = 0; i < n->range_count; i++)
		printf(" [%" PRIx64 ",%" PRIx64 ")",
		       u->ranges.items[n->first_range + i].start,
		       u->ranges.items[n->first_range + i].end);
}

static void compare_ranges(const struct dw_unit *a, const struct dw_unit *b,
			   const struct dw_node *x, const struct dw_node *y)
{
	compared[RANGES] += x->range_count;
	if (x->range_count == y->range_count &&
	    (!x->range_count ||
	     !memcmp(a->ranges.items + x->first_range,
		     b->ranges.items + y->first_range,
		     x->range_count * sizeof(*a->ranges.items))))
		return;
	if (!differs(RANGES, a))
		return;
	printf("0x%" PRIx64 ": scan", x->die);
	print_ranges(a, x);
	printf(" second");
	print_ranges(b, y);
	printf("\n");
}

static const struct dw_file *file_of(const struct dw_unit *u, uint32_t file)
{
	static const struct dw_file none;

	return file < u->files.count ? &u->files.items[file] : &none;
}

/* A reader fills only files that a row or a call refers to. */
static void compare_file(const struct dw_unit *a, const struct dw_unit *b,
			 uint32_t file)
{
	const struct dw_file *x = file_of(a, file), *y = file_of(b, file);

	compared[FILES]++;
	if (same_text(x->directory ? x->directory : "",
		      y->directory ? y->directory : "") &&
	    same_text(x->basename, y->basename))
		return;
	if (differs(FILES, a))
		printf("%" PRIu32 ": scan %s|%s second %s|%s\n", file,
		       text_of(x->directory), text_of(x->basename),
		       text_of(y->directory), text_of(y->basename));
}

static void compare_call(const struct dw_unit *a, const struct dw_unit *b,
			 const struct dw_node *x, const struct dw_node *y)
{
	compared[CALLS]++;
	if (x->call_file != y->call_file || x->call_line != y->call_line) {
		if (differs(CALLS, a))
			printf("0x%" PRIx64 ": scan %" PRIu32 ":%" PRIu32
			       " second %" PRIu32 ":%" PRIu32 "\n",
			       x->die, x->call_file, x->call_line,
			       y->call_file, y->call_line);
	} else {
		compare_file(a, b, x->call_file);
	}
}

static void compare_nodes(const struct dw_unit *a, const struct dw_unit *b)
{
	size_t i = 0, j = 0;

	while (i < a->nodes.count || j < b->nodes.count) {
		const struct dw_node *x = a->nodes.items + i;
		const struct dw_node *y = b->nodes.items + j;
		bool in_a = j == b->nodes.count ||
			    (i < a->nodes.count && x->die < y->die);
		bool in_b = i == a->nodes.count ||
			    (j < b->nodes.count && y->die < x->die);

		compared[NODES]++;
		if (in_a || in_b) {
			if (differs(NODES, a))
				printf("0x%" PRIx64 ": only %s\n",
				       in_a ? x->die : y->die,
				       in_a ? "scan" : "second");
			i += in_a;
			j += in_b;
			continue;
		}
		if (x->inlined != y->inlined ||
		    (x->parent == DW_NO_NODE) != (y->parent == DW_NO_NODE) ||
		    (x->parent != DW_NO_NODE &&
		     a->nodes.items[x->parent].die !=
			     b->nodes.items[y->parent].die))
			if (differs(NODES, a))
				printf("0x%" PRIx64 ": parents\n", x->die);
		compared[NAMES]++;
		if (!same_text(x->name.text, y->name.text) ||
		    x->name.linkage != y->name.linkage)
			if (differs(NAMES, a))
				printf("0x%" PRIx64 ": scan %s second %s\n",
				       x->die, text_of(x->name.text),
				       text_of(y->name.text));
		compare_ranges(a, b, x, y);
		compare_call(a, b, x, y);
		i++;
		j++;
	}
}

static void compare_rows(const struct dw_unit *a, const struct dw_unit *b,
			 const struct dw_sequence *x,
			 const struct dw_sequence *y)
{
	uint32_t last = DW_NO_FILE;

	compared[ROWS] += x->row_count;
	for (uint32_t i = 0; i < x->row_count && i < y->row_count; i++) {
		const struct dw_row *r = &a->lines.rows.items[x->first_row + i];
		const struct dw_row *t = &b->lines.rows.items[y->first_row + i];

		if (r->address == t->address && r->file == t->file &&
		    r->line == t->line) {
			if (r->file != last)
				compare_file(a, b, r->file);
			last = r->file;
			continue;
		}
		if (differs(ROWS, a))
			printf("scan %" PRIx64 ":%" PRIu32 ":%" PRIu32
			       " second %" PRIx64 ":%" PRIu32 ":%" PRIu32 "\n",
			       r->address, r->file, r->line, t->address,
			       t->file, t->line);
		return;
	}
	if (x->row_count != y->row_count && differs(ROWS, a))
		printf("sequence [%" PRIx64 ",%" PRIx64 "): scan %" PRIu32
		       " rows, second %" PRIu32 "\n",
		       x->start, x->end, x->row_count, y->row_count);
}

static void compare_sequences(const struct dw_unit *a, const struct dw_unit *b)
{
	size_t count = a->lines.sequences.count;

	compared[SEQUENCES] += count;
	if (count != b->lines.sequences.count) {
		if (differs(SEQUENCES, a))
			printf("scan %zu, second %zu\n", count,
			       b->lines.sequences.count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct dw_sequence *x = &a->lines.sequences.items[i];
		const struct dw_sequence *y = &b->lines.sequences.items[i];

		if (x->start == y->start && x->end == y->end)
			compare_rows(a, b, x, y);
		else if (differs(SEQUENCES, a))
			printf("scan [%" PRIx64 ",%" PRIx64
			       ") second [%" PRIx64 ",%" PRIx64 ")\n",
			       x->start, x->end, y->start, y->end);
	}
}

static int by_unit(const void *a, const void *b)
{
	const struct dw_claim *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	return (x->range.end > y->range.end) - (x->range.end < y->range.end);
}

static void compare_claims(struct dw_claims *a, struct dw_claims *b)
{
	size_t i = 0, j = 0;

	if (a->count)
		qsort(a->items, a->count, sizeof(*a->items), by_unit);
	if (b->count)
		qsort(b->items, b->count, sizeof(*b->items), by_unit);
	while (i < a->count || j < b->count) {
		int order = i == a->count   ? 1
			    : j == b->count ? -1
					    : by_unit(&a->items[i],
						      &b->items[j]);
		const struct dw_claim *c =
			order <= 0 ? &a->items[i] : &b->items[j];

		compared[CLAIMS]++;
		if (order && differs(CLAIMS, NULL))
			printf("number %" PRIu32 " [%" PRIx64 ",%" PRIx64
			       ") only %s\n",
			       c->unit, c->range.start, c->range.end,
			       order < 0 ? "scan" : "second");
		i += order <= 0;
		j += order >= 0;
	}
}

static void fail(const char *what, const struct gsym_error *error)
{
	fprintf(stderr, "dwdiff: %s: %s\n", what, error ? error->message : "");
	exit(2);
}

/* Print the warnings of one reader, in order. */
static void print_warnings(const char *reader, const struct dw_unit *unit)
{
	static uint64_t printed[2];
	uint64_t *count = &printed[*reader == 's' && reader[1] == 'e'];

	for (size_t i = 0; i < unit->warnings.count; i++)
		if ((*count)++ < limit)
			printf("%s warns: %s\n", reader,
			       unit->warnings.items[i].text);
}

struct side {
	const struct dw_reader *reader;
	const char *name;
	void *self;
	size_t count;
	struct dw_unit unit;
	struct dw_claims claims;
};

static void open_side(struct side *s, const struct gsym_container *container)
{
	struct gsym_error error;

	if (s->reader->open(container, false, 1, &s->unit, &s->self, &error))
		fail(s->name, &error);
	s->count = s->reader->unit_count(s->self);
}

static void close_side(struct side *s)
{
	s->reader->close(s->self);
	gsym_dw_unit_fini(&s->unit);
	gsym_vec_fini(&s->claims);
}

static void compare(struct side *a, struct side *b)
{
	struct side *sides[] = { a, b };

	if (a->count != b->count) {
		printf("units: scan %zu, second %zu\n", a->count, b->count);
		differences[NODES]++;
	}
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		for (int k = 0; k < 2; k++) {
			struct side *s = sides[k];

			gsym_dw_unit_clear(&s->unit);
			if (s->reader->read_unit(s->self, i, &s->unit))
				fail(s->name, NULL);
			print_warnings(s->name, &s->unit);
		}
		if (a->unit.offset != b->unit.offset &&
		    differs(NODES, &a->unit))
			printf("second has 0x%" PRIx64 "\n", b->unit.offset);
		compare_nodes(&a->unit, &b->unit);
		compare_sequences(&a->unit, &b->unit);
	}
	for (int k = 0; k < 2; k++) {
		struct dw_work work = { .limited = false };
		struct side *s = sides[k];

		gsym_dw_unit_clear(&s->unit);
		if (gsym_dw_claims_read(s->reader, s->self, &work, &s->claims,
					&s->unit))
			fail(s->name, NULL);
		print_warnings(s->name, &s->unit);
	}
	compare_claims(&a->claims, &b->claims);
}

int main(int argc, char **argv)
{
	struct side a = { .reader = &gsym_dwarf_scan, .name = "scan" };
	struct side b = { .reader = &gsym_libdwarf_reader, .name = "second" };
	struct gsym_container *container;
	struct gsym_error error;
	uint64_t total = 0;

	if (argc < 2 || argc > 3)
		fail("usage: dwdiff FILE [LIMIT]", NULL);
	if (argc > 2)
		limit = strtoull(argv[2], NULL, 0);
	if (gsym_container_open(
		    &gsym_elf_input, argv[1], GSYM_LOAD_ALL,
		    &(const struct gsym_convert_options){ .threads = 1 },
		    &container, &error))
		fail(argv[1], &error);
	open_side(&a, container);
	open_side(&b, container);
	compare(&a, &b);
	printf("%zu units", a.count);
	for (int i = 0; i < KINDS; i++) {
		printf(", %s %" PRIu64 "/%" PRIu64, kind_names[i],
		       differences[i], compared[i]);
		total += differences[i];
	}
	printf("\n");
	close_side(&a);
	close_side(&b);
	gsym_container_free(container);
	return total ? 1 : 0;
}
