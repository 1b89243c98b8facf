/* SPDX-License-Identifier: MIT */
/* Elements pc, and the frames of an address of code. */
#include "markup/present.h"

#include "markup/filter.h"
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

/* Write file, line and column of LEVEL.  llvm-symbolizer's style has the column
 * in another place, and "<invalid>" for an unknown file. */
static void put_place(struct gsym_markup *f, struct gsym_mk_level *level)
{
	if (!f->llvm) {
		gsym_mk_put_place(f, "", level);
		return;
	}
	gsym_mk_put_file(f, level);
	gsym_mk_puts(&f->out, ":");
	gsym_mk_value_decimal(&f->out, level->frame.line);
}

void gsym_mk_code_look_up(struct gsym_markup *f, struct gsym_mk_known *code)
{
	code->levels = gsym_mk_code(f, code->mapping, code->address);
}

/* ---- writing --------------------------------------------------------- */

void gsym_mk_put_level(struct gsym_markup *f, const struct gsym_mk_known *code,
		       size_t i, const char *before, const char *after)
{
	struct gsym_mk_level *level = &code->levels.items[i];

	gsym_mk_put_function(f, level);
	if (!f->llvm && !*level->frame.basename)
		return;
	gsym_mk_puts(&f->out, before);
	put_place(f, level);
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
	if (!code.levels.count && f->llvm) {
		gsym_mk_raw(f, e);
		return;
	}
	gsym_mk_paint_begin(o, "pc", e);
	if (!code.levels.count)
		gsym_mk_put_offset(o, code.mapping, code.address);
	for (size_t i = 0; i < code.levels.count; i++) {
		if (i)
			gsym_mk_paint_plain(o, " <- ", 4);
		gsym_mk_put_level(f, &code, i, "[", "]");
		if (f->llvm || !f->options.pc_inlines)
			break;
	}
	if (o->html)
		gsym_mk_tip_code(f, e, code.address, code.mapping,
				 &code.levels);
	gsym_mk_paint_end(o);
}
