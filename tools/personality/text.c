/* SPDX-License-Identifier: MIT */
/*
 * personality/text.c - answers as addr2line and llvm-symbolizer write them in
 * text, with lines of source code around them, and as the JSON objects of
 * llvm-symbolizer.  Clients count lines: names and paths never bring line feeds
 * of their own.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/names.h"
#include "personality/personality.h"

/* ---- lines of source code ----------------------------------------------- */

static unsigned digits_of(uint64_t number)
{
	unsigned digits = 0;
	/* LLVM's width, which is one too few for powers of ten. */
	for (uint64_t power = 1; power < number; power *= 10)
		digits++;
	return digits;
}

/* Write the LENGTH bytes at LINE, source code.  Of the control characters only
 * tabs are left. */
static void write_line(struct out *out, const char *line, size_t length)
{
	while (length) {
		const char *tab = memchr(line, '\t', length);
		size_t run = tab ? (size_t)(tab - line) : length;
		out_foreign_bytes(out, line, run);
		if (tab)
			out_bytes(out, line + run++, 1);
		line += run;
		length -= run;
	}
}

/* Write COUNT lines of source code around the line of FRAME, or the first ones
 * if that is line 0; nothing if COUNT is 0 or the file cannot be read. */
static void write_source(struct out *out, uint64_t count,
			 const struct gsym_frame *frame)
{
	uint64_t line = 1;
	uint64_t first = frame->line > count / 2 ? frame->line - count / 2 : 1;
	size_t size;
	if (!count || !*frame->basename)
		return;
	char *path = path_join(frame->directory, frame->basename);
	char *bytes = (char *)file_read(path, &size);
	free(path);
	if (!bytes)
		return;
	unsigned width = digits_of(first + count - 1);
	const char *end = bytes + size;
	for (const char *at = bytes; at < end && line < first + count; line++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed ? feed : end;
		if (line >= first) {
			bool carriage = stop > at && stop[-1] == '\r';
			out_printf(out, "%*" PRIu64 " %s: ", (int)width, line,
				   line == frame->line ? ">" : " ");
			write_line(out, at, (size_t)(stop - at) - carriage);
			out_text(out, "\n");
		}
		at = stop + 1;
	}
	free(bytes);
}

/* ---- text ---------------------------------------------------------------- */

static const struct gsym_frame unknown = { .function = "",
					   .directory = "",
					   .basename = "" };

/* What a writer of one answer needs. */
struct writer {
	struct out *out;
	const struct settings *s;
	const struct answer *a;
	/** addr2line of binutils, not of LLVM, nor that of Rust's crate with
	 *  --llvm. */
	bool binutils;
};

static void write_name(const struct writer *w, const char *name)
{
	const char *shown = answer_name(w->s, w->a, name);
	out_foreign(w->out, *shown ? shown : "??");
}

static void write_path(const struct writer *w, const struct gsym_frame *frame)
{
	if (*frame->basename)
		frames_path(w->out, w->s->basenames ? "" : frame->directory,
			    frame->basename);
	else
		out_text(w->out, "??");
}

/* ---- addresses ----------------------------------------------------------- */

/* binutils pads addresses to the width of the program's. */
static void write_address(const struct writer *w)
{
	const struct answer *a = w->a;
	bool narrow = a->module && a->module->facts.address_size == 4;
	uint64_t address = a->nowhere ? 0 : a->address;
	if (!w->s->addresses)
		return;
	if (w->binutils) {
		out_printf(w->out, "0x%0*" PRIx64, narrow ? 8 : 16,
			   narrow ? address & UINT32_MAX : address);
	} else {
		/* LLVM shows the address only if that was asked for, and the
		 * crate addr2line 0 for what is no address. */
		if (a->request->place != PLACE_ADDRESS &&
		    w->s->personality != PERSONALITY_ADDR2LINE)
			return;
		out_hex(w->out, a->request->address);
	}
	out_text(w->out, w->s->pretty ? ": " : "\n");
}

/* ---- frames -------------------------------------------------------------- */

/* --verbose.  OUTERMOST: the frame is that of the whole function. */
static void write_verbose(const struct writer *w,
			  const struct gsym_frame *frame, bool outermost)
{
	out_text(w->out, "  Filename: ");
	write_path(w, frame);
	if (outermost && w->a->count && w->s->style == STYLE_LLVM) {
		out_text(w->out, "\n  Function start address: ");
		out_hex(w->out, w->a->start);
	}
	out_printf(w->out, "\n  Line: %" PRIu32 "\n  Column: 0\n",
		   frame->line);
	if (w->a->approximate && frame == w->a->frames)
		out_text(w->out, "  Approximate: true\n");
}

static void write_place(const struct writer *w, const struct gsym_frame *frame)
{
	write_path(w, frame);
	out_text(w->out, ":");
	/* To binutils a function without a line differs from an address without
	 * a function. */
	if (w->binutils && !frame->line && w->a->count)
		out_text(w->out, "?");
	else
		out_decimal(w->out, frame->line);
	out_text(w->out, w->s->style == STYLE_LLVM ? ":0" : "");
	if (w->a->approximate && frame == w->a->frames)
		out_text(w->out, " (approximate)");
	out_text(w->out, "\n");
}

static void write_frame(const struct writer *w, const struct gsym_frame *frame,
			bool first, bool outermost)
{
	const struct settings *s = w->s;
	/* LLVM writes these words with the name alone. */
	if (s->pretty && !first && (s->personality == PERSONALITY_ADDR2LINE ||
				    s->names != NAMES_NONE))
		out_text(w->out, " (inlined by) ");
	if (s->names != NAMES_NONE) {
		write_name(w, frame->function);
		if (!s->pretty)
			out_text(w->out, "\n");
		else
			out_text(w->out, w->binutils && !w->a->count ? " "
								     : " at ");
	}
	if (s->verbose)
		write_verbose(w, frame, outermost);
	else
		write_place(w, frame);
	write_source(w->out, w->s->context_lines, frame);
}

static void write_code(const struct writer *w)
{
	const struct answer *a = w->a;
	if (!a->count)
		write_frame(w, &unknown, true, true);
	for (size_t i = 0; i < a->count; i++)
		write_frame(w, &a->frames[i], i == 0, i + 1 == a->count);
}

static void write_data(const struct writer *w)
{
	const struct answer *a = w->a;
	write_name(w, a->datum ? a->datum : "");
	out_printf(w->out, "\n%" PRIu64 " %" PRIu64 "\n", a->start, a->size);
	if (*a->declared.basename) {
		/* LLVM does not apply --basenames here. */
		frames_path(w->out, a->declared.directory,
			    a->declared.basename);
		out_printf(w->out, ":%" PRIu32 "\n", a->declared.line);
	} else {
		out_text(w->out, "??:?\n");
	}
}

/* Whether A is answered by its line, as LLVM up to 17 does.  perf and
 * faddr2line send such lines, and do not know the newer answer, "??" and
 * "??:0". */
static bool is_echoed(const struct settings *s, const struct answer *a)
{
	return s->personality == PERSONALITY_LLVM_ADDR2LINE && a->nowhere &&
	       (s->path || s->build_id) && a->request->place != PLACE_ADDRESS;
}

void text_write(struct out *out, const struct settings *s,
		struct answers *all, const struct answer *a)
{
	const struct writer w = {
		out, s, a,
		s->personality == PERSONALITY_ADDR2LINE &&
			s->style != STYLE_LLVM
	};
	if (is_echoed(s, a)) {
		out_bytes(out, a->request->line.bytes,
			  a->request->line.length);
		out_text(out, "\n");
		return;
	}
	write_address(&w);
	/* A line that asks for no place is answered as a question for code. */
	if (a->request->kind == REQUEST_CODE ||
	    a->request->place == PLACE_NOTHING)
		do
			write_code(&w);
		while (answer_next(all));
	else if (a->request->kind == REQUEST_DATA)
		write_data(&w);
	else
		out_text(out, "??\n");
	if (s->style == STYLE_LLVM)
		out_text(out, "\n");
}

/* ---- JSON: members in alphabetical order, one object a line -------------- */

static void put_source(struct json *json, const struct settings *s,
			 const struct gsym_frame *frame)
{
	struct out source;
	if (!s->context_lines)
		return;
	out_init_memory(&source, false);
	write_source(&source, s->context_lines, frame);
	if (source.used)
		json_text(json, "Source", source.buffer, source.used);
	out_fini(&source);
}

/* One entry of "Symbol" or "Loc".  OUTERMOST: the frame is that of the whole
 * function. */
static void put_frame(struct json *json, const struct settings *s,
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
	put_source(json, s, frame);
	if (outermost && a->count)
		json_hex(json, "StartAddress", a->start);
	else
		json_string(json, "StartAddress", "");
	json_string(json, "StartFileName", "");
	json_number(json, "StartLine", 0);
	json_end(json);
}

static void put_code(struct json *json, const struct settings *s,
		     struct answers *all, const struct answer *a,
		     const char *member)
{
	json_array(json, member);
	if (!a->count && a->request->place != PLACE_NAME)
		put_frame(json, s, a, &unknown, true);
	do
		for (size_t i = 0; i < a->count; i++)
			put_frame(json, s, a, &a->frames[i],
				  i + 1 == a->count);
	while (answer_next(all));
	json_end(json);
}

/* The answer to DATA and FRAME. */
static void put_other(struct json *json, const struct settings *s,
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

static void put_error(struct json *json, const char *message)
{
	json_object(json, "Error");
	json_string(json, "Message", message);
	json_end(json);
}

static void put_module(struct json *json, const struct settings *s,
			 const struct request *r)
{
	const char *given = s->build_id ? s->build_id : s->path;
	/* LLVM forgets the build ID of a line that asks for no place. */
	bool none = !r->line.length ||
		    (!given && r->by_id && r->place == PLACE_NOTHING);
	if (none || given)
		json_string(json, "ModuleName", none ? "" : given);
	else
		json_text(json, "ModuleName", r->module.bytes,
			  r->module.length);
}

void text_write_error(struct json *json, const struct module *m)
{
	json_object(json, NULL);
	json_hex(json, "Address", 0);
	put_error(json, m->error);
	json_string(json, "ModuleName", m->name);
	json_end_line(json);
}

void text_write_json(struct json *json, const struct settings *s,
		     struct answers *all, const struct answer *a)
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
		put_error(json, a->module->error);
	else if (code && loc)
		put_code(json, s, all, a, "Loc");
	else if (!code)
		put_other(json, s, a);
	put_module(json, s, r);
	if (loc)
		json_text(json, "SymName", r->name.bytes, r->name.length);
	if (!failed && code && !loc)
		put_code(json, s, all, a, "Symbol");
	json_end(json);
}
