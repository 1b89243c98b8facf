/* SPDX-License-Identifier: MIT */
/*
 * personality/llvm_json.c - answers as the JSON objects of llvm-symbolizer:
 * members in alphabetical order, one object a line.
 */
#include "config.h"

#include "common/json.h"
#include "personality/personality.h"

static void write_source(struct json *json, const struct settings *s,
			 const struct gsym_frame *frame)
{
	struct out source;
	if (!s->context_lines)
		return;
	out_init_memory(&source, false);
	source_write(&source, s->context_lines, frame);
	if (source.used)
		json_text(json, "Source", source.buffer, source.used);
	out_fini(&source);
}

/* One entry of "Symbol" or "Loc".  OUTERMOST: the frame is that of the whole
 * function. */
static void write_frame(struct json *json, const struct settings *s,
			const struct answer *a, const struct gsym_frame *frame,
			bool outermost)
{
	json_object(json, NULL);
	if (a->approximate && frame == a->frames)
		json_bool(json, "Approximate", true);
	json_number(json, "Column", 0);
	json_number(json, "Discriminator", 0);
	json_path(json, "FileName", s->basenames ? "" : frame->directory,
		  frame->basename);
	json_string(json, "FunctionName",
		    s->names == NAMES_NONE
			    ? ""
			    : answer_name(s, a, frame->function));
	json_number(json, "Line", frame->line);
	write_source(json, s, frame);
	if (outermost && a->count)
		json_hex(json, "StartAddress", a->start);
	else
		json_string(json, "StartAddress", "");
	json_string(json, "StartFileName", "");
	json_number(json, "StartLine", 0);
	json_end(json);
}

static void write_code(struct json *json, const struct settings *s,
		       const struct answer *a, const char *member)
{
	static const struct gsym_frame unknown = { .function = "",
						   .directory = "",
						   .basename = "" };
	json_array(json, member);
	if (!a->count && a->request->place != PLACE_NAME)
		write_frame(json, s, a, &unknown, true);
	for (size_t i = 0; i < a->count; i++)
		write_frame(json, s, a, &a->frames[i], i + 1 == a->count);
	json_end(json);
}

/* The answer to DATA and FRAME. */
static void write_other(struct json *json, const struct settings *s,
			const struct answer *a)
{
	if (a->request->kind == REQUEST_FRAME) {
		json_array(json, "Frame");
		json_end(json);
		return;
	}
	json_object(json, "Data");
	json_string(json, "Name", a->datum ? answer_name(s, a, a->datum) : "");
	json_hex(json, "Size", a->size);
	json_hex(json, "Start", a->start);
	json_end(json);
}

static void write_error(struct json *json, const char *message)
{
	json_object(json, "Error");
	json_string(json, "Message", message);
	json_end(json);
}

static void write_module(struct json *json, const struct settings *s,
			 const struct request *r)
{
	/* LLVM forgets the build ID of a line that asks for no place. */
	bool none = !r->line.length || (r->by_id && r->place == PLACE_NOTHING);
	const char *given = s->build_id ? s->build_id : s->path;
	if (none || given)
		json_string(json, "ModuleName", none ? "" : given);
	else
		json_text(json, "ModuleName", r->module.bytes,
			  r->module.length);
}

void llvm_json_write(struct json *json, const struct settings *s,
		     const struct answer *a)
{
	const struct request *r = a->request;
	bool failed = a->module && a->module->error &&
		      r->place != PLACE_NOTHING;
	bool code = r->kind == REQUEST_CODE || r->place == PLACE_NOTHING;
	bool loc = r->place == PLACE_NAME;
	json_object(json, NULL);
	if (r->place == PLACE_ADDRESS)
		json_hex(json, "Address", r->address);
	if (failed)
		write_error(json, a->module->error);
	else if (code && loc)
		write_code(json, s, a, "Loc");
	else if (!code)
		write_other(json, s, a);
	write_module(json, s, r);
	if (loc)
		json_text(json, "SymName", r->name.bytes, r->name.length);
	if (!failed && code && !loc)
		write_code(json, s, a, "Symbol");
	json_end(json);
}
