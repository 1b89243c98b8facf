/* SPDX-License-Identifier: MIT */
/*
 * dump/function.c - shows a decoded function record: line rows, inline tree,
 * merged functions and call sites; and a line for each function.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "common/out.h"
#include "common/report.h"
#include "dump/dump.h"

/* For dump_may_go_on. */
static const char view[] = "function";

/* Show ERROR in place of a damaged part of a record, whose reading has ended
 * with STATUS. */
static void show_damage(struct dump *dump, enum gsym_status status,
			const struct gsym_error *error)
{
	if (status == GSYM_OK || status == GSYM_NOT_FOUND)
		return;
	dump->damaged++;
	if (dump->as_json) {
		json_object(&dump->json, NULL);
		json_string(&dump->json, "error", error->message);
		json_end(&dump->json);
	} else {
		out_printf(&dump->out, "    (%s)\n", error->message);
	}
}

/* Write the path of the file INDEX as the JSON member KEY. */
static void json_file(struct dump *dump, const char *key, uint32_t index)
{
	const char *directory, *basename;
	gsym_file_at(dump->reader, index, &directory, &basename);
	json_path(&dump->json, key, directory, basename);
}

static void show_row(struct dump *dump, const struct gsym_line *row)
{
	struct out *out = &dump->out;
	if (dump->as_json) {
		json_object(&dump->json, NULL);
		json_hex(&dump->json, "address", row->address);
		json_file(dump, "file", row->file);
		json_number(&dump->json, "line", row->line);
		json_end(&dump->json);
		return;
	}
	out_text(out, "    ");
	out_hex(out, row->address);
	out_text(out, "  ");
	dump_path(dump, row->file);
	out_printf(out, ":%" PRIu32 "\n", row->line);
}

static void show_rows(struct dump *dump, struct gsym_function *f)
{
	struct gsym_line_iter iter;
	struct gsym_line row;
	struct gsym_error error = { 0 };

	enum gsym_status status = gsym_lines(f, &iter, &error);
	while (status == GSYM_OK && dump_may_go_on(dump, view) &&
	       (status = gsym_line_next(&iter, &row, &error)) == GSYM_OK)
		show_row(dump, &row);
	show_damage(dump, status, &error);
}

static void json_node(struct dump *dump, struct gsym_inline *node)
{
	struct json *json = &dump->json;
	json_object(json, NULL);
	json_number(json, "depth", node->depth);
	json_string(json, "name", dump_name(dump, node->name));
	json_file(dump, "call_file", node->call_file);
	json_number(json, "call_line", node->call_line);
	json_array(json, "ranges");
	for (uint32_t i = 0; i < node->range_count; i++) {
		struct gsym_range range;
		if (gsym_inline_range(node, i, &range) != GSYM_OK)
			break;
		json_object(json, NULL);
		json_hex(json, "start", range.start);
		json_hex(json, "end", range.end);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static void show_node(struct dump *dump, struct gsym_inline *node)
{
	struct out *out = &dump->out;
	/* Limited: deep levels would not fit on a screen. */
	int indent = node->depth < 40 ? 4 + 2 * (int)node->depth : 84;
	out_printf(out, "%*s", indent, "");
	for (uint32_t i = 0; i < node->range_count; i++) {
		struct gsym_range range;
		if (gsym_inline_range(node, i, &range) != GSYM_OK)
			break;
		out_printf(out, "[0x%" PRIx64 ", 0x%" PRIx64 ") ",
			   range.start, range.end);
	}
	out_foreign(out, *node->name ? dump_name(dump, node->name) : "??");
	if (node->depth > 0) {
		out_text(out, " called at ");
		dump_path(dump, node->call_file);
		out_printf(out, ":%" PRIu32, node->call_line);
	}
	out_text(out, "\n");
}

static void show_inlines(struct dump *dump, struct gsym_function *f)
{
	struct gsym_inline_iter iter;
	struct gsym_inline node;
	struct gsym_error error = { 0 };

	enum gsym_status status = gsym_inlines(f, &iter, &error);
	while (status == GSYM_OK && dump_may_go_on(dump, view) &&
	       (status = gsym_inline_next(&iter, &node, &error)) == GSYM_OK) {
		if (dump->as_json)
			json_node(dump, &node);
		else
			show_node(dump, &node);
	}
	show_damage(dump, status, &error);
}

static void show_site(struct dump *dump, const struct gsym_call_site *site)
{
	struct json *json = &dump->json;
	struct out *out = &dump->out;
	bool internal = site->flags & GSYM_CALL_INTERNAL;
	bool external = site->flags & GSYM_CALL_EXTERNAL;
	const char *pattern;

	if (dump->as_json) {
		json_object(json, NULL);
		json_number(json, "return_offset", site->return_offset);
		json_bool(json, "internal", internal);
		json_bool(json, "external", external);
		json_array(json, "callees");
	} else {
		out_printf(out, "    +%" PRIu64 "%s%s:", site->return_offset,
			   internal ? " internal" : "",
			   external ? " external" : "");
	}
	for (uint32_t i = 0; dump_may_go_on(dump, view) &&
			     (pattern = gsym_call_site_pattern(site, i));
	     i++) {
		pattern = dump_name(dump, pattern);
		if (dump->as_json) {
			json_string(json, NULL, pattern);
		} else {
			out_text(out, i ? ", " : " ");
			out_foreign(out, pattern);
		}
	}
	if (dump->as_json) {
		json_end(json);
		json_end(json);
	} else {
		out_text(out, "\n");
	}
}

static void show_sites(struct dump *dump, struct gsym_function *f)
{
	for (uint32_t i = 0;
	     i < f->call_site_count && dump_may_go_on(dump, view); i++) {
		struct gsym_call_site site;
		struct gsym_error error = { 0 };
		enum gsym_status status = gsym_call_site_at(f, i, &site,
							    &error);
		if (status != GSYM_OK) {
			show_damage(dump, status, &error);
			break;
		}
		show_site(dump, &site);
	}
}

/* Show all parts of the function F.  MERGED: F is a merged function. */
static void show_members(struct dump *dump, struct gsym_function *f,
			 bool merged);

static void show_merged(struct dump *dump, struct gsym_function *f)
{
	for (uint32_t i = 0; i < f->merged_count && dump_may_go_on(dump, view);
	     i++) {
		struct gsym_function other;
		struct gsym_error error = { 0 };
		enum gsym_status status = gsym_merged_at(f, i, &other, &error);
		if (status != GSYM_OK) {
			show_damage(dump, status, &error);
			break;
		}
		if (dump->as_json) {
			json_object(&dump->json, NULL);
			show_members(dump, &other, true);
			json_end(&dump->json);
		} else {
			out_printf(&dump->out, "  Merged function %" PRIu32
				   ": ", i + 1);
			show_members(dump, &other, true);
		}
	}
}

const struct dump_info dump_infos[GSYM_INFO_COUNT] = {
	[GSYM_INFO_LINES] = {
		'l', "lines", "lines", "  Lines\n", "line tables",
		"line_table", false, show_rows },
	[GSYM_INFO_INLINES] = {
		'i', "inlined calls", "inlines", "  Inlined calls\n",
		"inline trees", "inline_info", false, show_inlines },
	[GSYM_INFO_MERGED] = {
		'm', "merged", "merged", "", "merged functions",
		"merged_functions", true, show_merged },
	[GSYM_INFO_CALL_SITES] = {
		'c', "call sites", "call_sites",
		"  Call sites, by return address\n", "call sites",
		"call_sites", true, show_sites },
};

/* Show the information TYPE of F, if there is any. */
static void show_info(struct dump *dump, struct gsym_function *f,
		      enum gsym_info type)
{
	const struct dump_info *info = &dump_infos[type];

	if (!dump_has(f, type))
		return;
	if (dump->as_json)
		json_array(&dump->json, info->key);
	else
		out_text(&dump->out, info->heading);
	info->show(dump, f);
	if (dump->as_json)
		json_end(&dump->json);
}

static void show_members(struct dump *dump, struct gsym_function *f,
			 bool merged)
{
	struct out *out = &dump->out;
	if (dump->as_json) {
		json_hex(&dump->json, "start", f->start);
		json_number(&dump->json, "size", f->size);
		json_string(&dump->json, "name", dump_name(dump, f->name));
		json_number(&dump->json, "record_offset", f->record_offset);
		json_number(&dump->json, "record_size", f->record_size);
	} else {
		out_printf(out, "[0x%" PRIx64 ", 0x%" PRIx64 ") ", f->start,
			   f->start + f->size);
		out_bold(out);
		out_foreign(out, dump_name(dump, f->name));
		out_plain(out);
		out_printf(out, "\n  record of %" PRIu64 " bytes at 0x%" PRIx64
			   "\n", f->record_size, f->record_offset);
		if (f->unknown_count)
			out_printf(out,
				   "  parts of unknown kind: %" PRIu32 "\n",
				   f->unknown_count);
	}
	for (enum gsym_info i = GSYM_INFO_LINES; i < GSYM_INFO_COUNT; i++)
		if (i != GSYM_INFO_MERGED)
			show_info(dump, f, i);
	/* Merged functions do not nest. */
	if (!merged)
		show_info(dump, f, GSYM_INFO_MERGED);
}

static void show_function(struct dump *dump, uint32_t index)
{
	struct gsym_function f;
	struct gsym_error error = { 0 };
	if (!dump->as_json)
		dump_heading(dump, "Function");
	enum gsym_status status =
		gsym_function_at(dump->reader, index, &f, &error);
	if (status != GSYM_OK) {
		show_damage(dump, status, &error);
		if (dump->as_json)
			json_line(&dump->json);
		return;
	}
	if (dump->as_json)
		json_object(&dump->json, NULL);
	show_members(dump, &f, false);
	if (dump->as_json)
		json_end_line(&dump->json);
}

/* Show the functions that FIND, names_find or names_find_readable, finds for
 * NAME.  Returns false if there is none. */
static bool show_named(struct dump *dump, const char *name,
		       typeof(names_find) *find)
{
	uint32_t index, from = 0;
	bool found = false;
	while (find(&dump->names, dump->reader, name, strlen(name), from,
		    &index) &&
	       (!found || dump_may_go_on(dump, view))) {
		show_function(dump, index);
		found = true;
		from = index + 1;
	}
	return found;
}

bool dump_function(struct dump *dump, const char *text)
{
	struct gsym_match match;
	struct gsym_frame frame;
	struct gsym_error error = { 0 };
	uint64_t address;
	bool number = number_parse_address(text, strlen(text), false,
					   &address) == NUMBER_OK;

	dump_begin(dump);
	/* A word such as "add" is a name, unless no function has it. */
	if ((!number || text[0] < '0' || text[0] > '9') &&
	    (show_named(dump, text, names_find) ||
	     show_named(dump, text, names_find_readable)))
		return true;
	if (!number)
		return false;
	enum gsym_status status =
		gsym_lookup(dump->reader, address, GSYM_LOOKUP_NO_INLINES,
			    &frame, 1, &match, &error);
	if (status == GSYM_OK)
		show_function(dump, match.index);
	else if (status != GSYM_NOT_FOUND)
		die("cannot read the function at '%s' in '%s': %s", text,
		    dump->path, report_reason(status, &error));
	return status == GSYM_OK;
}

/* ---- all functions ------------------------------------------------------- */

static void json_function_line(struct dump *dump, uint32_t index,
			       const struct gsym_function *f)
{
	struct json *json = &dump->json;
	json_object(json, NULL);
	json_number(json, "index", index);
	json_hex(json, "start", f->start);
	json_number(json, "size", f->size);
	json_string(json, "name", dump_name(dump, f->name));
	for (enum gsym_info i = GSYM_INFO_LINES; i < GSYM_INFO_COUNT; i++) {
		if (dump_infos[i].list)
			json_number(json, dump_infos[i].key, dump_has(f, i));
		else
			json_bool(json, dump_infos[i].key, dump_has(f, i));
	}
	json_number(json, "record_offset", f->record_offset);
	json_number(json, "record_size", f->record_size);
	json_end_line(json);
}

static void json_damage(struct dump *dump, uint32_t index,
			const struct gsym_error *error)
{
	struct json *json = &dump->json;
	json_object(json, NULL);
	json_number(json, "index", index);
	json_hex(json, "start", gsym_address_at(dump->reader, index));
	json_string(json, "error", error->message);
	json_end_line(json);
}

void dump_functions(struct dump *dump)
{
	struct out *out = &dump->out;
	dump_begin(dump);
	if (!dump->as_json) {
		dump_heading(dump, "Functions");
		for (enum gsym_info i = GSYM_INFO_LINES; i < GSYM_INFO_COUNT;
		     i++)
			out_printf(out, "%s%c: %s",
				   i == GSYM_INFO_LINES ? "  (" : ", ",
				   dump_infos[i].letter, dump_infos[i].meaning);
		out_text(out, ")\n");
	}
	for (uint32_t i = 0; i < dump->header.function_count; i++) {
		struct gsym_function f;
		struct gsym_error error = { 0 };
		enum gsym_status status =
			gsym_function_at(dump->reader, i, &f, &error);
		if (!dump_take(dump, i, f.record_size + strlen(f.name),
			       "functions") ||
		    !dump_may_go_on(dump, "functions"))
			break;
		if (status != GSYM_OK) {
			dump->damaged++;
			if (dump->as_json)
				json_damage(dump, i, &error);
			else
				out_printf(out, "  0x%" PRIx64 " %s\n",
					   gsym_address_at(dump->reader, i),
					   error.message);
			continue;
		}
		if (dump->as_json) {
			json_function_line(dump, i, &f);
			continue;
		}
		out_text(out, "  ");
		out_hex(out, f.start);
		out_printf(out, " %8" PRIu64 " ", f.size);
		for (enum gsym_info k = GSYM_INFO_LINES; k < GSYM_INFO_COUNT;
		     k++)
			out_bytes(out, dump_has(&f, k) ? &dump_infos[k].letter
						       : "-", 1);
		out_text(out, " ");
		out_foreign(out, dump_name(dump, f.name));
		out_text(out, "\n");
	}
}
