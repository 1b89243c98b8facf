/* SPDX-License-Identifier: MIT */
/* From numbers of functions to names and lines. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsym/convert.h>

#include "common/report.h"
#include "xray.h"

/* The GSYM data of a binary that has debug info, made in memory. */
static void convert(struct xray_object *object)
{
	struct gsym_convert_options options = { .threads = 2 };
	struct gsym_build_options build = { .threads = 2 };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_error error = { 0 };
	uint8_t *bytes = NULL;
	size_t size = 0;
	if (!builder)
		die("out of memory");
	enum gsym_status status = gsym_convert_file(object->path, &options,
						    builder, NULL, &error);
	if (status == GSYM_OK)
		status = gsym_builder_finish(builder, &build, &bytes, &size,
					     NULL, &error);
	gsym_builder_free(builder);
	if (status == GSYM_OK)
		status = gsym_open_memory(bytes, size, &object->reader,
					  &error);
	object->converted = bytes;
	if (status != GSYM_OK)
		warn("no names from '%s': %s", object->path,
		     report_reason(status, &error));
}

void xray_names_open(struct xray *x)
{
	for (int i = 0; i < XRAY_OBJECTS; i++) {
		struct xray_object *object = &x->objects[i];
		struct gsym_error error = { 0 };
		if (i == 0 && x->gsym_path) {
			enum gsym_status status = gsym_open(
				x->gsym_path, &object->reader, &error);
			if (status != GSYM_OK)
				die_status("open", x->gsym_path, status,
					   &error);
		}
		if (!object->path)
			continue;
		xray_map_file(object->path, &object->bytes);
		if (!xray_elf_map(object))
			die("'%s' has no instrumentation map "
			    "(section xray_instr_map)", object->path);
		if (!object->reader)
			convert(object);
	}
}

void xray_names_close(struct xray *x)
{
	for (int i = 0; i < XRAY_OBJECTS; i++) {
		gsym_xray_map_close(x->objects[i].map);
		gsym_close(x->objects[i].reader);
		free(x->objects[i].converted);
	}
}

/* The first row with a line: sleds have none, so that the first rows of a
 * function often stand for no line. */
static void find_line(struct gsym_reader *reader, uint64_t address,
		      struct xray_place *place)
{
	struct gsym_function function;
	struct gsym_line_iter iter;
	struct gsym_match match;
	struct gsym_frame frame;
	struct gsym_line row;
	if (gsym_lookup(reader, address, GSYM_LOOKUP_NO_INLINES, &frame, 1,
			&match, NULL) != GSYM_OK ||
	    gsym_function_at(reader, match.index, &function, NULL) != GSYM_OK)
		return;
	place->directory = frame.directory;
	place->basename = frame.basename;
	place->line = frame.line;
	if (frame.line || gsym_lines(&function, &iter, NULL) != GSYM_OK)
		return;
	while (gsym_line_next(&iter, &row, NULL) == GSYM_OK)
		if (row.line) {
			gsym_file_at(reader, row.file, &place->directory,
				     &place->basename);
			place->line = row.line;
			return;
		}
}

const char *xray_name(struct xray *x, uint32_t function, char *buffer,
		      size_t size, struct xray_place *place)
{
	struct xray_object *object = &x->objects[function >> 24 & 15];
	struct xray_place none;
	struct gsym_frame frame;
	unsigned kinds;
	if (!place)
		place = &none;
	*place = (struct xray_place){ .directory = "", .basename = "" };
	snprintf(buffer, size, "#%" PRIu32, function);
	if (!object->map ||
	    gsym_xray_map_function(object->map, function & 0xffffff,
				   &place->address, &kinds) != GSYM_OK)
		return buffer;
	place->found = true;
	snprintf(buffer, size, "@(%" PRIx64 ")", place->address);
	if (!object->reader ||
	    gsym_lookup(object->reader, place->address, GSYM_LOOKUP_NO_INLINES,
			&frame, 1, NULL, NULL) != GSYM_OK)
		return buffer;
	if (place != &none)
		find_line(object->reader, place->address, place);
	return x->demangler ? demangle(x->demangler, frame.function)
			    : frame.function;
}

/* Why EVENT cannot come from a binary with MAP; NULL if it can. */
static const char *misfit(const struct gsym_xray_map *map,
			  const struct gsym_xray_event *event)
{
	uint64_t address;
	unsigned kinds;
	if (gsym_xray_map_function(map, event->function & 0xffffff, &address,
				   &kinds) != GSYM_OK)
		return "there is no such function in it";
	if (event->kind == GSYM_XRAY_ENTER_ARGUMENT && !(kinds & 1 << 3))
		return "its sleds log no argument";
	if (event->kind == GSYM_XRAY_TAIL_EXIT && !(kinds & 1 << 2))
		return "it has no tail exit";
	if (event->kind == GSYM_XRAY_EXIT && !(kinds & 1 << 1))
		return "it has no exit";
	return NULL;
}

/* The first events of each thread tell soon enough. */
void xray_check_maps(struct xray *x)
{
	for (size_t i = 0; i < x->trace_count; i++)
		for (uint32_t t = 0; t < gsym_xray_thread_count(x->logs[i]);
		     t++) {
			struct gsym_xray_event event;
			struct gsym_xray_iter *iter;
			if (gsym_xray_events(x->logs[i], t, &iter, NULL) !=
			    GSYM_OK)
				return;
			for (int n = 0; n < 10000 &&
					gsym_xray_next(iter, &event); n++) {
				const struct gsym_xray_map *map =
					x->objects[event.function >> 24 & 15]
						.map;
				const char *why =
					map && event.kind < GSYM_XRAY_CUSTOM
						? misfit(map, &event)
						: NULL;
				if (!why)
					continue;
				warn("the map does not match '%s': function "
				     "#%" PRIu32 ": %s", x->traces[i].path,
				     event.function, why);
				gsym_xray_iter_free(iter);
				return;
			}
			gsym_xray_iter_free(iter);
		}
}
