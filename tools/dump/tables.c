/* SPDX-License-Identifier: MIT */
/*
 * dump/tables.c - shows header, sections, file table, string table and the list
 * of functions, and checks the whole file.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "common/names.h"
#include "common/report.h"
#include "common/sizes.h"
#include "dump/dump.h"

/* A view may write so many bytes for each byte of the file, and so many more.
 * A line row can have one byte, and is shown with its file; but in a hostile
 * file the names of all rows can be ends of one long string. */
#define OUTPUT_SHARE GSYM_LIMIT(256, 1)
#define OUTPUT_SPARE GSYM_LIMIT(1 << 20, 256)

void dump_begin(struct dump *dump)
{
	dump->before = out_total(&dump->out);
	dump->cut = false;
}

bool dump_may_go_on(struct dump *dump, const char *what)
{
	uint64_t bytes = out_total(&dump->out) - dump->before;
	if (dump->cut)
		return false;
	dump->cut = bytes > OUTPUT_SPARE &&
		    (bytes - OUTPUT_SPARE) / OUTPUT_SHARE >
			    dump->header.image_size;
	if (!dump->cut)
		return true;
	dump->damaged++;
	warn("'%s': the rest of the %s is left out: the output has many times "
	     "the size of the file", dump->path, what);
	return false;
}

bool dump_take(struct dump *dump, uint32_t index, uint64_t bytes,
	       const char *what)
{
	dump->walked = index ? dump->walked + bytes : bytes;
	if (dump->walked / SIZES_SHARE <= dump->header.image_size)
		return true;
	dump->damaged++;
	warn("'%s': the %s after number %" PRIu32 " are left out: they share "
	     "bytes, and have many times the size of the file",
	     dump->path, what, index);
	return false;
}

const char *dump_name(struct dump *dump, const char *name)
{
	return dump->demangler ? demangle(dump->demangler, name) : name;
}

void dump_path(struct dump *dump, uint32_t index)
{
	const char *directory, *basename;
	if (gsym_file_at(dump->reader, index, &directory, &basename) !=
	    GSYM_OK) {
		out_printf(&dump->out, "(no file %" PRIu32 ")", index);
		return;
	}
	frames_path(&dump->out, directory, basename);
}

void dump_heading(struct dump *dump, const char *text)
{
	static bool again;
	if (again)
		out_text(&dump->out, "\n");
	again = true;
	out_bold(&dump->out);
	out_text(&dump->out, text);
	out_plain(&dump->out);
	out_text(&dump->out, "\n");
}

static const struct {
	const char *text, *key;
} section_names[GSYM_SECTION_COUNT] = {
	[GSYM_SECTION_HEADER] = { "header", "header" },
	[GSYM_SECTION_DIRECTORY] = { "directory", "directory" },
	[GSYM_SECTION_UUID] = { "build ID", "uuid" },
	[GSYM_SECTION_ADDRESSES] = { "address table", "addresses" },
	[GSYM_SECTION_ADDRESS_INFO] = { "record offsets", "address_info" },
	[GSYM_SECTION_FILES] = { "file table", "files" },
	[GSYM_SECTION_STRINGS] = { "string table", "strings" },
	[GSYM_SECTION_FUNCTIONS] = { "functions", "functions" },
	[GSYM_SECTION_CHECKSUM] = { "checksum", "checksum" },
};

const char *dump_section_name(enum gsym_section section)
{
	return section_names[section].text;
}

static bool has_checksum(const struct gsym_header *h)
{
	return h->sections[GSYM_SECTION_CHECKSUM].size != 0;
}

static void json_header(struct dump *dump)
{
	const struct gsym_header *h = &dump->header;
	struct json *json = &dump->json;

	json_object(json, NULL);
	json_string(json, "path", dump->path);
	json_number(json, "version", h->version);
	json_string(json, "endian", h->big_endian ? "big" : "little");
	json_number(json, "address_size", h->address_size);
	json_number(json, "string_offset_size", h->string_offset_size);
	json_hex(json, "base_address", h->base_address);
	json_number(json, "functions", h->function_count);
	json_number(json, "files", h->file_count);
	json_bytes(json, "uuid", h->uuid, h->uuid_size);
	json_number(json, "image_offset", h->image_offset);
	json_number(json, "image_size", h->image_size);
	if (has_checksum(h))
		json_hex(json, "checksum", h->checksum);
	json_object(json, "sections");
	for (int i = 0; i < GSYM_SECTION_COUNT; i++) {
		if (h->sections[i].size == 0)
			continue;
		json_object(json, section_names[i].key);
		json_number(json, "offset", h->sections[i].offset);
		json_number(json, "size", h->sections[i].size);
		json_end(json);
	}
	json_end(json);
	json_end_line(json);
}

void dump_header(struct dump *dump)
{
	const struct gsym_header *h = &dump->header;
	struct out *out = &dump->out;

	if (dump->as_json) {
		json_header(dump);
		return;
	}
	dump_heading(dump, "Header");
	out_printf(out, "  version            %u, %s-endian\n", h->version,
		   h->big_endian ? "big" : "little");
	out_text(out, "  build ID           ");
	out_hex_bytes(out, h->uuid, h->uuid_size);
	out_printf(out, "%s\n", h->uuid_size ? "" : "none");
	out_printf(out, "  base address       0x%" PRIx64 "\n",
		   h->base_address);
	out_printf(out, "  bytes per address  %u\n", h->address_size);
	out_printf(out, "  functions          %" PRIu32 "\n",
		   h->function_count);
	out_printf(out, "  files              %" PRIu32 "\n", h->file_count);
	out_printf(out, "  bytes              %" PRIu64, h->image_size);
	if (h->image_offset)
		out_printf(out, ", at offset 0x%" PRIx64 " of the file",
			   h->image_offset);
	out_text(out, "\n");
	if (has_checksum(h))
		out_printf(out, "  checksum           %08" PRIx32 "\n",
			   h->checksum);
	dump_heading(dump, "Sections");
	out_text(out, "      offset        size\n");
	for (int i = 0; i < GSYM_SECTION_COUNT; i++)
		if (h->sections[i].size)
			out_printf(out,
				   "  0x%08" PRIx64 "  %10" PRIu64 "  %s\n",
				   h->sections[i].offset, h->sections[i].size,
				   section_names[i].text);
}

void dump_files(struct dump *dump)
{
	struct json *json = &dump->json;
	dump_begin(dump);
	if (!dump->as_json)
		dump_heading(dump, "Files");
	for (uint32_t i = 0; i < dump->header.file_count; i++) {
		const char *directory, *basename;
		gsym_file_at(dump->reader, i, &directory, &basename);
		if (!dump_take(dump, i, strlen(directory) + strlen(basename),
			       "files") ||
		    !dump_may_go_on(dump, "files"))
			break;
		if (!dump->as_json) {
			out_printf(&dump->out, "  %7" PRIu32 "  ", i);
			frames_path(&dump->out, directory, basename);
			out_text(&dump->out, "\n");
			continue;
		}
		json_object(json, NULL);
		json_number(json, "file", i);
		json_string(json, "directory", directory);
		json_string(json, "basename", basename);
		json_end_line(json);
	}
}

void dump_strings(struct dump *dump)
{
	struct json *json = &dump->json;
	uint64_t size = dump->header.sections[GSYM_SECTION_STRINGS].size;
	dump_begin(dump);
	if (!dump->as_json)
		dump_heading(dump, "Strings");
	for (uint64_t at = 0; at < size;) {
		const char *string = gsym_string_at(dump->reader, at);
		if (!string || !dump_may_go_on(dump, "strings"))
			break;
		if (dump->as_json) {
			json_object(json, NULL);
			json_number(json, "offset", at);
			json_string(json, "string", string);
			json_end_line(json);
		} else {
			out_printf(&dump->out, "  0x%08" PRIx64 "  ", at);
			out_foreign(&dump->out, string);
			out_text(&dump->out, "\n");
		}
		at += strlen(string) + 1;
	}
}

struct verify {
	struct dump *dump;
	uint64_t problems;
};

static bool show_problem(void *context, const struct gsym_error *problem)
{
	struct verify *v = context;
	struct dump *dump = v->dump;
	v->problems++;
	if (dump->as_json) {
		json_object(&dump->json, NULL);
		json_number(&dump->json, "offset", problem->offset);
		json_string(&dump->json, "problem", problem->message);
		json_end_line(&dump->json);
	} else {
		out_printf(&dump->out, "  0x%08" PRIx64 "  ",
			   problem->offset);
		out_foreign(&dump->out, problem->message);
		out_text(&dump->out, "\n");
	}
	return dump_may_go_on(dump, "problems");
}

uint64_t dump_verify(struct dump *dump)
{
	struct verify v = { .dump = dump };
	dump_begin(dump);
	if (!dump->as_json)
		dump_heading(dump, "Problems");
	enum gsym_status status = gsym_verify(dump->reader, show_problem, &v);
	if (status != GSYM_OK && v.problems == 0)
		die("cannot check '%s': %s", dump->path,
		    gsym_status_text(status));
	if (!dump->as_json && v.problems == 0)
		out_text(&dump->out, "  none\n");
	return v.problems;
}
