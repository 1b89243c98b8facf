/* SPDX-License-Identifier: MIT */
/*
 * Writes elements as they are in the log, and addresses that no mapping covers.
 */
#include "markup/present.h"

#include "markup/diagnose.h"
#include "markup/filter.h"
#include "markup/html.h"
#include "markup/paint.h"
#include "markup/tips.h"

void gsym_mk_raw(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_out *o = &f->out;
	const char *at = e->body.at, *end = at + e->body.size;
	char id[GSYM_MK_FRAME_ID] = "";

	if (o->html && e->kind == GSYM_MK_BT) {
		gsym_mk_frame_id(o, &f->process->trace, e, id);
		gsym_mk_span_begin(o, "raw bt", id, e);
	} else {
		gsym_mk_paint_begin(o, "raw", e);
	}
	gsym_mk_puts(o, "[[[");
	gsym_mk_value(o, e->tag.at, e->tag.size);
	for (size_t i = 0; i < e->field_count; i++) {
		const char *colon = memchr(at, ':', (size_t)(end - at));
		const char *stop = colon ? colon : end;

		gsym_mk_puts(o, ":");
		gsym_mk_value(o, at, (size_t)(stop - at));
		at = stop + 1;
	}
	gsym_mk_puts(o, "]]]");
	if (o->html && !gsym_mk_contextual(e))
		gsym_mk_tip_raw(o, e);
	gsym_mk_paint_end(o);
}

void gsym_mk_uncovered(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
		    "no mmap covers address");
	gsym_mk_raw(f, e);
}

void gsym_mk_put_module_name(struct gsym_mk_out *o,
			     const struct gsym_mk_module *module)
{
	if (module->name.size || o->llvm) {
		gsym_mk_value(o, module->name.at, module->name.size);
		return;
	}
	gsym_mk_value_begin(o);
	gsym_mk_puts(o, "#0x");
	gsym_mk_put_hex(o, module->id, 1);
	gsym_mk_value_end(o);
}

void gsym_mk_put_offset(struct gsym_mk_out *o,
			const struct gsym_mk_mapping *mapping, uint64_t address)
{
	gsym_mk_put_module_name(o, mapping->module);
	gsym_mk_puts(o, "+");
	gsym_mk_value_hex(o, gsym_mk_relative(mapping, address));
}
