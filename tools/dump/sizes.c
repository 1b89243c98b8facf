/* SPDX-License-Identifier: MIT */
/*
 * dump/sizes.c - shows what takes the bytes of a GSYM file: by use, by folder
 * of the source code and by template, and what has grown since an older file.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/report.h"
#include "common/sizes.h"
#include "dump/dump.h"

static const struct {
	const char *text, *key;
} kind_names[SIZE_KINDS] = {
	[SIZE_NAMES] = { "sizes and names", "size_and_name" },
	[SIZE_UNKNOWN] = { "unknown kinds", "unknown" },
	[SIZE_ENDS] = { "ends of lists", "end_of_list" },
	[SIZE_PADDING] = { "padding", "padding" },
	[SIZE_UNUSED] = { "in no table or record", "unused" },
	[SIZE_LISTS] = { "counts and sizes", "count_and_size" },
};

/* A report: how numbers are shown. */
struct report {
	struct dump *dump;
	/* There is an older file, and changes are shown. */
	bool changes;
};

/* Show the count NOW, called TEXT, or KEY in JSON, which was BEFORE in the
 * older file. */
static void show_count(const struct report *r, const char *text,
		       const char *key, uint64_t now, uint64_t before)
{
	struct dump *dump = r->dump;
	int64_t change = (int64_t)(now - before);

	if (now == 0 && change == 0)
		return;
	if (!dump->as_json) {
		double whole = dump->header.image_size;

		out_printf(&dump->out, "  %12" PRIu64 " %6.2f %%  ", now,
			   100 * (double)now / whole);
		if (r->changes)
			out_printf(&dump->out, "%+12" PRId64 "  ", change);
		out_foreign(&dump->out, text);
		out_text(&dump->out, "\n");
	} else if (r->changes) {
		json_object(&dump->json, key);
		json_number(&dump->json, "bytes", now);
		json_signed(&dump->json, "change", change);
		json_end(&dump->json);
	} else {
		json_number(&dump->json, key, now);
	}
}

static void show_kinds(const struct report *r, const uint64_t now[SIZE_KINDS],
		       const uint64_t before[SIZE_KINDS])
{
	for (int i = 0; i < SIZE_KINDS; i++) {
		bool info = i >= GSYM_INFO_LINES && i < GSYM_INFO_COUNT;

		show_count(r, info ? dump_infos[i].bytes : kind_names[i].text,
			   info ? dump_infos[i].bytes_key : kind_names[i].key,
			   now[i], before[i]);
	}
}

static void show_sections(const struct report *r, const struct sizes *now,
			  const struct sizes *before)
{
	static const char *const keys[GSYM_SECTION_COUNT] = {
		[GSYM_SECTION_HEADER] = "header",
		[GSYM_SECTION_DIRECTORY] = "global_data_directory",
		[GSYM_SECTION_UUID] = "uuid_section",
		[GSYM_SECTION_ADDRESSES] = "address_table",
		[GSYM_SECTION_ADDRESS_INFO] = "addr_info_offsets",
		[GSYM_SECTION_FILES] = "file_table",
		[GSYM_SECTION_STRINGS] = "string_table",
		[GSYM_SECTION_CHECKSUM] = "checksum",
	};

	for (int i = 0; i < GSYM_SECTION_COUNT; i++)
		if (keys[i])
			show_count(r, dump_section_name(i), keys[i],
				   now->sections[i], before->sections[i]);
}

/* Show which bytes the lists of merged functions have, if there are lists. */
static void show_merged(const struct report *r, const struct sizes *now,
			const struct sizes *before)
{
	struct dump *dump = r->dump;
	uint64_t all = now->kinds[GSYM_INFO_MERGED];

	if (all == 0)
		return;
	if (dump->as_json) {
		json_number(&dump->json, "merged_records",
			    now->merged_records);
		json_object(&dump->json, "merged_bytes");
	} else {
		dump_heading(dump, "Bytes of merged functions");
	}
	show_kinds(r, now->merged, before->merged);
	show_count(r, "in all", "all", all, before->kinds[GSYM_INFO_MERGED]);
	if (dump->as_json)
		json_end(&dump->json);
}

/* Show the number of bytes for each use. */
static void show_uses(const struct report *r, const struct sizes *now,
		      const struct sizes *before, uint64_t old_size)
{
	struct dump *dump = r->dump;

	if (dump->as_json) {
		json_object(&dump->json, NULL);
		json_string(&dump->json, "path", dump->path);
		json_number(&dump->json, "functions",
			    dump->header.function_count);
		json_number(&dump->json, "records", now->records);
		json_object(&dump->json, "bytes");
	} else {
		dump_heading(dump, "Bytes");
	}
	show_sections(r, now, before);
	show_kinds(r, now->kinds, before->kinds);
	show_count(r, "in all", "all", dump->header.image_size, old_size);
	if (dump->as_json)
		json_end(&dump->json);
	show_merged(r, now, before);
	if (dump->as_json)
		json_end_line(&dump->json);
}

static void note_damage(struct dump *dump, const struct sizes *s)
{
	dump->damaged += s->damaged;
	if (s->left_out != UINT32_MAX) {
		dump->damaged++;
		warn("'%s': the functions after number %" PRIu32 " are left "
		     "out: they share bytes, and have many times the size of "
		     "the file", dump->path, s->left_out);
	}
	if (s->names_left_out) {
		dump->damaged++;
		warn("'%s': some names and paths are left out: they share "
		     "bytes, and have many times the size of the file",
		     dump->path);
	}
}

void dump_statistics(struct dump *dump)
{
	static const struct sizes none;
	const struct report r = { .dump = dump };
	struct sizes s;

	sizes_count(&s, dump->reader);
	show_uses(&r, &s, &none, 0);
	note_damage(dump, &s);
}

/* ---- folders and templates ----------------------------------------------- */

/* So many rows of a table are shown as text. */
enum { SHOWN = 20 };

/* A row: what there is now, and what there was before. */
struct row {
	const char *name;
	struct size_row now, before;
};

struct table {
	GSYM_VEC(struct row);
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The largest rows, or changes if there are any, come first. */
static int by_bytes(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t p = distance(x->now.bytes, x->before.bytes);
	uint64_t q = distance(y->now.bytes, y->before.bytes);

	if (p != q)
		return p < q ? 1 : -1;
	if (x->now.bytes != y->now.bytes)
		return x->now.bytes < y->now.bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Write the rows of NOW and, if there are BEFORE any, of BEFORE to TABLE.  The
 * first ones are called NAMES. */
static void make_table(struct table *table, const struct size_rows *now,
		       struct size_rows *before,
		       const char *const names[SIZE_NAMED])
{
	size_t count = now->rows.count;
	bool *known = must_have(calloc(before->rows.count + 1, 1));

	for (uint32_t i = 0; i < count; i++) {
		struct row row = { .now = now->rows.items[i] };
		const struct gsym_intern_entry *entry =
			i < SIZE_NAMED ? NULL
				       : gsym_intern_entry(&now->names,
							   i - SIZE_NAMED);
		uint32_t old = i;
		bool found = !entry;

		row.name = entry ? entry->bytes : names[i];
		if (entry && gsym_intern_find(&before->names, entry->bytes,
					      entry->length, &old)) {
			old += SIZE_NAMED;
			found = true;
		}
		if (found && old < before->rows.count) {
			known[old] = true;
			row.before = before->rows.items[old];
		}
		*must_push(table) = row;
	}
	for (uint32_t i = SIZE_NAMED; i < before->rows.count; i++)
		if (!known[i])
			*must_push(table) = (struct row){
				size_name(before, i), { 0 },
				before->rows.items[i] };
	free(known);
	qsort(table->items, table->count, sizeof(*table->items), by_bytes);
}

static void json_row(const struct report *r, const char *key,
		     const struct row *row)
{
	struct json *json = &r->dump->json;

	json_object(json, NULL);
	json_string(json, key, row->name);
	json_number(json, "bytes", row->now.bytes);
	json_number(json, "functions", row->now.functions);
	if (r->changes) {
		json_signed(json, "bytes_change",
			    (int64_t)(row->now.bytes - row->before.bytes));
		json_signed(json, "functions_change",
			    (int64_t)(row->now.functions -
				      row->before.functions));
	}
	json_end_line(json);
}

/* Show TABLE of what KEY says, under HEADING. */
static void show_table(const struct report *r, const struct table *table,
		       const char *key, const char *heading)
{
	struct row rest = { 0 };
	size_t others = 0;
	char text[64];

	dump_begin(r->dump);
	if (!r->dump->as_json)
		dump_heading(r->dump, heading);
	for (size_t i = 0; i < table->count; i++) {
		const struct row *row = &table->items[i];

		if (!dump_may_go_on(r->dump, "report"))
			break;
		if (!row->now.bytes && !row->before.bytes)
			continue;
		if (r->changes && row->now.bytes == row->before.bytes &&
		    row->now.functions == row->before.functions)
			continue;
		if (r->dump->as_json) {
			json_row(r, key, row);
		} else if (i < SHOWN) {
			show_count(r, row->name, key, row->now.bytes,
				   row->before.bytes);
		} else {
			others++;
			rest.now.bytes += row->now.bytes;
			rest.before.bytes += row->before.bytes;
		}
	}
	if (!others)
		return;
	snprintf(text, sizeof(text), "(%zu more)", others);
	show_count(r, text, key, rest.now.bytes, rest.before.bytes);
}

void dump_report(struct dump *dump, struct dump *old)
{
	static const char *const no_folder[SIZE_NAMED] = {
		"(shared tables)", "(no source file)" };
	static const char *const no_template[SIZE_NAMED] = {
		"(shared tables)", "(no template)" };
	const struct report r = { .dump = dump, .changes = old };
	struct table folders = { 0 }, templates = { 0 };
	struct sizes now, before = { 0 };

	sizes_measure(&now, dump->reader);
	if (old) {
		sizes_measure(&before, old->reader);
		note_damage(old, &before);
	}
	show_uses(&r, &now, &before, old ? old->header.image_size : 0);
	make_table(&folders, &now.folders, &before.folders, no_folder);
	show_table(&r, &folders, "folder", "Bytes by folder");
	make_table(&templates, &now.templates, &before.templates, no_template);
	show_table(&r, &templates, "template", "Bytes by template");
	note_damage(dump, &now);
	gsym_vec_fini(&folders);
	gsym_vec_fini(&templates);
	sizes_fini(&now);
	sizes_fini(&before);
}
