/* SPDX-License-Identifier: MIT */
/* Elements symbol and data; chooses the file that writes another element. */
#include "markup/present.h"

#include "markup/filter.h"
#include "markup/hexdict.h"
#include "markup/host.h"
#include "markup/paint.h"
#include "markup/tips.h"

static void put_name(struct gsym_mk_out *o, const char *name)
{
	gsym_mk_paint_foreign(o, name, strlen(name));
}

static bool present_symbol(struct gsym_markup *f,
			   const struct gsym_mk_element *e)
{
	struct gsym_mk_out *o = &f->out;

	/* The host's callback needs a name that ends with NUL. */
	f->scratch.count = 0;
	if (!gsym_mk_append(f, &f->scratch, e->name.at, e->name.size) ||
	    !gsym_mk_append(f, &f->scratch, "", 1))
		return false;
	gsym_mk_paint_begin(o, "symbol", e);
	if (f->host.demangle && !memchr(e->name.at, 0, e->name.size))
		put_name(o, f->host.demangle(f->host.context, f->scratch.items,
					     false));
	else
		gsym_mk_paint_foreign(o, e->name.at, e->name.size);
	if (o->html)
		gsym_mk_tip_symbol(o, e->name);
	gsym_mk_paint_end(o);
	return true;
}

static void present_data(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_out *o = &f->out;
	uint64_t address = e->address;
	const struct gsym_mk_mapping *m = gsym_mk_locate(f, &address);
	struct gsym_markup_datum datum;

	if (!m) {
		gsym_mk_uncovered(f, e);
		return;
	}
	bool known = gsym_mk_data(f, m, address, &datum);

	if (f->llvm && !m->module->symbols) {
		gsym_mk_raw(f, e);
		return;
	}
	gsym_mk_paint_begin(o, "data", e);
	if (known) {
		put_name(o, gsym_mk_demangle(f, datum.name));
		if (datum.offset && !f->llvm) {
			gsym_mk_puts(o, "+");
			gsym_mk_value_hex(o, datum.offset);
		}
	} else if (f->llvm) {
		gsym_mk_puts(o, "<invalid>");
	} else {
		gsym_mk_put_offset(o, m, address);
	}
	if (o->html)
		gsym_mk_tip_data(o, e, address, m);
	gsym_mk_paint_end(o);
}

bool gsym_mk_present(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	switch (e->kind) {
	case GSYM_MK_SYMBOL:
		return present_symbol(f, e);
	case GSYM_MK_DATA:
		present_data(f, e);
		return true;
	case GSYM_MK_PC:
		gsym_mk_present_pc(f, e);
		return true;
	case GSYM_MK_BT:
		gsym_mk_present_bt(f, e);
		return true;
	case GSYM_MK_HEXDICT:
		if (f->llvm || f->options.hexdict == GSYM_MARKUP_HEXDICT_OFF)
			return false;
		gsym_mk_hexdict_one(f, e);
		return true;
	case GSYM_MK_DUMPFILE:
		if (f->llvm)
			return false;
		gsym_mk_present_dumpfile(f, e);
		return true;
	default:
		return false;
	}
}
