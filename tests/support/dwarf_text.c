/* SPDX-License-Identifier: MIT */
#include "support/dwarf_text.h"

#include "container/container.h"
#include "dwarf/resolve.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

static void print_range(FILE *out, uint64_t start, uint64_t end)
{
	fprintf(out, " [%" PRIx64 ",%" PRIx64 ")", start, end);
}

static void print_declaration(FILE *out, struct dw_declaration at)
{
	if (at.file != DW_NO_FILE)
		fprintf(out, " decl %" PRIu32 ":%" PRIu32, at.file, at.line);
	else if (at.line)
		fprintf(out, " decl -:%" PRIu32, at.line);
}

static void print_variables(FILE *out, const struct dw_unit *unit)
{
	for (size_t i = 0; i < unit->variables.count; i++) {
		const struct dw_variable *v = &unit->variables.items[i];

		fprintf(out, "data %" PRIx64 " %s%s", v->address,
			v->name.text ? v->name.text : "-",
			v->name.linkage ? "!" : "");
		print_declaration(out, v->declared);
		fprintf(out, "\n");
	}
}

static void print_node(FILE *out, const struct dw_unit *unit, size_t index,
		       unsigned flags)
{
	const struct dw_node *n = &unit->nodes.items[index];

	fprintf(out, "%zu", index);
	if (flags & DWTEXT_DIES)
		fprintf(out, " <%" PRIx64 ">", n->die);
	fprintf(out, n->inlined ? " in" : " fn");
	if (n->inlined && n->parent != DW_NO_NODE)
		fprintf(out, " %" PRIu32, n->parent);
	else if (n->inlined)
		fprintf(out, " -");
	else if (n->parent != DW_NO_NODE)
		fprintf(out, " parent %" PRIu32, n->parent);
	fprintf(out, " %s%s", n->name.text ? n->name.text : "-",
		n->name.linkage ? "!" : "");
	if (n->inlined && n->call_file != DW_NO_FILE)
		fprintf(out, " call %" PRIu32 ":%" PRIu32, n->call_file,
			n->call_line);
	else if (n->inlined)
		fprintf(out, " call -:%" PRIu32, n->call_line);
	for (uint32_t i = 0; i < n->range_count; i++)
		print_range(out, unit->ranges.items[n->first_range + i].start,
			    unit->ranges.items[n->first_range + i].end);
	print_declaration(out, n->declared);
	if (n->has_sequence)
		fprintf(out, " seq %" PRIx64, n->sequence);
	fprintf(out, "\n");
}

static void print_calls(FILE *out, const struct dw_unit *unit)
{
	for (size_t i = 0; i < unit->calls.count; i++) {
		const struct dw_call *call = &unit->calls.items[i];
		struct dw_name callee = call->callee;

		fprintf(out, "returns %" PRIx64 " in %" PRIu32 " %s%s\n",
			call->address, call->function,
			callee.text ? callee.text : "-",
			callee.linkage ? "!" : "");
	}
}

static void print_sequence(FILE *out, const struct dw_unit *unit,
			   const struct dw_sequence *s)
{
	fprintf(out, "seq");
	print_range(out, s->start, s->end);
	for (uint32_t i = 0; i < s->row_count; i++) {
		const struct dw_row *row =
			&unit->lines.rows.items[s->first_row + i];

		fprintf(out, " %" PRIx64 ":%" PRIu32 ":%" PRIu32, row->address,
			row->file, row->line);
	}
	fprintf(out, "\n");
}

/* Returns true if a row or an inlined call refers to FILE.  A reader may leave
 * other files empty. */
static bool is_used(const struct dw_unit *unit, size_t file)
{
	for (size_t i = 0; i < unit->lines.rows.count; i++)
		if (unit->lines.rows.items[i].file == file)
			return true;
	for (size_t i = 0; i < unit->nodes.count; i++)
		if (unit->nodes.items[i].call_file == file)
			return true;
	return false;
}

void dwtext_unit(FILE *out, const struct dw_unit *unit, unsigned flags)
{
	for (size_t i = 0; i < unit->nodes.count; i++)
		print_node(out, unit, i, flags);
	print_calls(out, unit);
	print_variables(out, unit);
	for (size_t i = 0; i < unit->files.count; i++) {
		const struct dw_file *f = &unit->files.items[i];

		if (f->basename && is_used(unit, i))
			fprintf(out, "file %zu %s|%s\n", i,
				f->directory ? f->directory : "", f->basename);
	}
	for (size_t i = 0; i < unit->lines.sequences.count; i++)
		print_sequence(out, unit, &unit->lines.sequences.items[i]);
	for (size_t i = 0; flags & DWTEXT_WARNINGS && i < unit->warnings.count;
	     i++)
		fprintf(out, "warning: %s\n", unit->warnings.items[i].text);
}

static int compare_claims(const void *a, const void *b)
{
	const struct dw_claim *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	return x->range.end < y->range.end ? -1 : x->range.end > y->range.end;
}

void dwtext_claims(FILE *out, struct dw_claims *claims)
{
	if (claims->count)
		qsort(claims->items, claims->count, sizeof(*claims->items),
		      compare_claims);
	for (size_t i = 0; i < claims->count; i++) {
		const struct dw_claim *c = &claims->items[i];

		fprintf(out, "claim %" PRIu32, c->unit);
		print_range(out, c->range.start, c->range.end);
		fprintf(out, "\n");
	}
}

char *dwtext_read(const struct dw_reader *reader,
		  const struct gsym_container *container, unsigned flags)
{
	struct dw_claims claims = { 0 };
	struct dw_work work = { .limited = false };
	struct dw_unit unit = { 0 }, notes = { 0 };
	struct gsym_error error;
	void *self = NULL;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	if (reader->open(container, false, 1, &notes, &self, &error)) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	for (size_t i = 0; i < reader->unit_count(self); i++) {
		gsym_dw_unit_clear(&unit);
		unit.wants = flags & DWTEXT_ALL ? UINT_MAX : 0;
		fprintf(out, "unit %zu\n", i);
		if (reader->read_unit(self, i, &unit))
			abort();
		dwtext_unit(out, &unit, flags);
	}
	if (gsym_dw_claims_read(reader, self, &work, &claims, &notes))
		abort();
	dwtext_unit(out, &notes, flags);
	dwtext_claims(out, &claims);
	reader->close(self);
	gsym_dw_unit_fini(&unit);
	gsym_dw_unit_fini(&notes);
	gsym_vec_fini(&claims);
	if (fclose(out))
		abort();
	return text;
}
