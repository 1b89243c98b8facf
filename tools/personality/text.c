/* SPDX-License-Identifier: MIT */
/*
 * personality/text.c - answers as addr2line and llvm-symbolizer write them in
 * text.  Clients count lines: names and paths never bring line feeds of their
 * own.
 */
#include "config.h"

#include <inttypes.h>

#include "common/frames.h"
#include "personality/personality.h"

/* What a writer of one answer needs. */
struct writer {
	struct out *out;
	const struct settings *s;
	const struct answer *a;
	/** addr2line of binutils, not of LLVM. */
	bool binutils;
};

static void write_name(const struct writer *w, const char *name)
{
	const char *shown = answer_name(w->s, w->a, name);
	out_foreign(w->out, *shown ? shown : "??");
}

static void write_path(const struct writer *w, const struct gsym_frame *frame)
{
	frames_path(w->out, w->s->basenames ? "" : frame->directory,
		    frame->basename);
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
		/* LLVM shows the address only if that was asked for. */
		if (a->request->place != PLACE_ADDRESS)
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
	if (*frame->basename)
		write_path(w, frame);
	else
		out_text(w->out, "??");
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
	if (*frame->basename)
		write_path(w, frame);
	else
		out_text(w->out, "??");
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
	if (s->pretty && !first)
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
	source_write(w->out, w->s->context_lines, frame);
}

static void write_code(const struct writer *w)
{
	static const struct gsym_frame unknown = { .function = "",
						   .directory = "",
						   .basename = "" };
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

void text_write(struct out *out, const struct settings *s,
		const struct answer *a)
{
	const struct writer w = {
		out, s, a, s->personality == PERSONALITY_ADDR2LINE
	};
	/* As LLVM up to 17.  The newer answer, "??" and "??:0", is one that
	 * perf and faddr2line do not know. */
	if (s->personality == PERSONALITY_LLVM_ADDR2LINE && a->nowhere) {
		out_bytes(out, a->request->line.bytes,
			  a->request->line.length);
		out_text(out, "\n");
		return;
	}
	write_address(&w);
	/* A line that asks for no place is answered as a question for code. */
	if (a->request->kind == REQUEST_CODE ||
	    a->request->place == PLACE_NOTHING)
		write_code(&w);
	else if (a->request->kind == REQUEST_DATA)
		write_data(&w);
	else
		out_text(out, "??\n");
	if (s->style == STYLE_LLVM)
		out_text(out, "\n");
}
