/* SPDX-License-Identifier: MIT */
/* Elements pc, and the frames of an address of code. */
#include "markup/present.h"

#include "markup/filter.h"
#include "markup/host.h"
#include "markup/paint.h"
#include "markup/tips.h"

/* ---- looking up ------------------------------------------------------ */

/* The address to look up for E.  For a return address this is the last byte of
 * the call. */
static uint64_t adjusted(const struct gsym_markup *f,
			 const struct gsym_mk_element *e)
{
	enum gsym_mk_code kind = e->code;

	if (kind == GSYM_MK_UNSUFFIXED) {
		bool is_return = e->kind == GSYM_MK_BT;

		if (f->options.unsuffixed)
			is_return = f->options.unsuffixed ==
				    GSYM_MARKUP_UNSUFFIXED_RETURN;
		kind = is_return ? GSYM_MK_RETURN : GSYM_MK_EXACT;
	}
	/* llvm-symbolizer subtracts 1 even from 0, which gives 2^64 - 1. */
	return kind == GSYM_MK_RETURN && (e->address || f->llvm)
		       ? e->address - 1
		       : e->address;
}

bool gsym_mk_code_locate(struct gsym_markup *f, const struct gsym_mk_element *e,
			 struct gsym_mk_known *code)
{
	uint64_t wanted = adjusted(f, e);

	code->address = wanted;
	code->mapping = gsym_mk_locate(f, &code->address);
	code->logged = e->address + (code->address - wanted);
	return code->mapping != NULL;
}

/* Write file, line and column of FRAME.  llvm-symbolizer's style has the column
 * in another place, and "<invalid>" for an unknown file. */
static void put_place(struct gsym_markup *f,
		      const struct gsym_markup_frame *frame)
{
	if (!f->llvm) {
		gsym_mk_put_place(f, "", frame);
		return;
	}
	gsym_mk_put_file(f, frame);
	gsym_mk_puts(&f->out, ":");
	gsym_mk_value_decimal(&f->out, frame->line);
}

/* Put the texts of CODE's frames into the memo, and let CODE use them.  False
 * if they cannot be kept. */
static bool keep_levels(struct gsym_markup *f, void *symbols, uint64_t address,
			struct gsym_mk_known *code)
{
	struct gsym_mk_out *o = &f->out;
	struct gsym_mk_text *to = o->to;

	/* In HTML and in colour the text depends on the text around it. */
	if (o->html || o->colour)
		return false;
	/* An entry has no room for the column of llvm-symbolizer's style. */
	for (size_t i = 0; f->llvm && i < code->count; i++)
		if (code->frames[i].column)
			return false;
	o->to = gsym_mk_memo_begin(&f->memo, symbols, address, code->count);
	if (!o->to) {
		o->to = to;
		return false;
	}
	for (size_t i = 0; i < code->count; i++) {
		gsym_mk_put_function(f, &code->frames[i]);
		gsym_mk_memo_name(f->memo);
		put_place(f, &code->frames[i]);
		gsym_mk_memo_place(f->memo);
	}
	o->to = to;
	return gsym_mk_memo_end(f->memo, !o->out_of_memory, &code->levels);
}

void gsym_mk_code_look_up(struct gsym_markup *f, struct gsym_mk_known *code)
{
	uint64_t at = gsym_mk_relative(code->mapping, code->address);
	void *symbols = gsym_mk_symbols(f, code->mapping->module);

	code->count = 0;
	code->kept = false;
	if (!symbols || !f->host.code)
		return;
	code->kept = gsym_mk_memo_find(f->memo, symbols, at, &code->levels);
	if (code->kept) {
		code->count = code->levels.count;
		return;
	}
	code->count = f->host.code(f->host.context, symbols, at, code->frames,
				   GSYM_MARKUP_MAX_FRAMES);
	code->kept = keep_levels(f, symbols, at, code);
}

/* ---- writing --------------------------------------------------------- */

static void put_kept(struct gsym_mk_out *o, const struct gsym_mk_known *code,
		     size_t level, const char *before, const char *after)
{
	const struct gsym_mk_slice *name = &code->levels.items[level].name;
	const struct gsym_mk_slice *place = &code->levels.items[level].place;

	gsym_mk_put(o, name->at, name->size);
	if (!place->size)
		return;
	gsym_mk_puts(o, before);
	gsym_mk_put(o, place->at, place->size);
	gsym_mk_puts(o, after);
}

void gsym_mk_put_level(struct gsym_markup *f, const struct gsym_mk_known *code,
		       size_t level, const char *before, const char *after)
{
	const struct gsym_markup_frame *frame = &code->frames[level];

	if (code->kept) {
		put_kept(&f->out, code, level, before, after);
		return;
	}
	gsym_mk_put_function(f, frame);
	if (!f->llvm && !*frame->basename)
		return;
	gsym_mk_puts(&f->out, before);
	put_place(f, frame);
	gsym_mk_puts(&f->out, after);
}

void gsym_mk_present_pc(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_out *o = &f->out;
	struct gsym_mk_known code;

	if (!gsym_mk_code_locate(f, e, &code)) {
		gsym_mk_uncovered(f, e);
		return;
	}
	gsym_mk_code_look_up(f, &code);
	if (!code.count && f->llvm) {
		gsym_mk_raw(f, e);
		return;
	}
	gsym_mk_paint_begin(o, "pc", e);
	if (!code.count)
		gsym_mk_put_offset(o, code.mapping, code.address);
	for (size_t i = 0; i < code.count; i++) {
		if (i)
			gsym_mk_paint_plain(o, " <- ", 4);
		gsym_mk_put_level(f, &code, i, "[", "]");
		if (f->llvm || !f->options.pc_inlines)
			break;
	}
	if (o->html)
		gsym_mk_tip_code(f, e, code.address, code.mapping, code.frames,
				 code.count);
	gsym_mk_paint_end(o);
}
