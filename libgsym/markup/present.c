/* SPDX-License-Identifier: MIT */
#include "markup/filter.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- asking the host ------------------------------------------------- */

const struct gsym_mk_mapping *gsym_mk_locate(struct gsym_markup *f,
					     uint64_t *address)
{
	struct gsym_mk_context *c = &f->process->context;
	const struct gsym_mk_mapping *m = gsym_mk_mapping_find(c, *address);
	const uint64_t four = (uint64_t)1 << 32;

	if (m || f->llvm)
		return m;
	/* Addresses that their program cut to 32 bits, in a segment that
	 * goes on beyond them. */
	if (*address < four &&
	    (m = gsym_mk_mapping_find(c, *address + four)) &&
	    m->start < four) {
		*address += four;
		return m;
	}
	if (*address >> 63 && f->options.headers) {
		const char *kernel = f->options.kernel_process;
		struct gsym_mk_process *p = gsym_mk_process_known(
			f, (struct gsym_mk_slice){
				   kernel ? kernel : "",
				   kernel ? strlen(kernel) : 0 });

		if (p && p != f->process) {
			gsym_mk_process_use(f, p);
			return gsym_mk_mapping_find(&p->context, *address);
		}
	}
	return NULL;
}

void *gsym_mk_symbols(struct gsym_markup *f, struct gsym_mk_module *module)
{
	struct gsym_markup_module about = {
		.id = module->id,
		.name = module->name.at,
		.name_size = module->name.size,
		.build_id = module->build_id,
		.build_id_size = module->build_id_size,
	};

	if (!module->asked) {
		module->asked = true;
		if (f->host.module)
			module->symbols =
				f->host.module(f->host.context, &about);
		if (!module->symbols && !f->llvm && !module->missed) {
			char id[2 * GSYM_MK_BUILD_ID + 1] = "";

			for (size_t i = 0; i < module->build_id_size; i++)
				snprintf(id + 2 * i, 3, "%02x",
					 module->build_id[i]);
			gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
				    "no symbols for module #0x%" PRIx64
				    " \"%.*s\"; BuildID=%s",
				    module->id,
				    (int)(module->name.size < 200
						  ? module->name.size
						  : 200),
				    module->name.at, id);
			module->missed = true;
		}
	}
	if (!module->symbols)
		gsym_mk_trouble_note(f, GSYM_MARKUP_ERROR,
				     "no symbols for this module");
	if (!module->symbols && f->llvm)
		gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
			    "could not find build ID");
	return module->symbols;
}

size_t gsym_mk_code(struct gsym_markup *f,
		    const struct gsym_mk_mapping *mapping, uint64_t address,
		    struct gsym_markup_frame *frames)
{
	void *symbols = gsym_mk_symbols(f, mapping->module);

	if (!symbols || !f->host.code)
		return 0;
	return f->host.code(f->host.context, symbols,
			    gsym_mk_relative(mapping, address), frames,
			    GSYM_MARKUP_MAX_FRAMES);
}

const char *gsym_mk_demangle(struct gsym_markup *f, const char *name)
{
	return f->host.demangle ? f->host.demangle(f->host.context, name, true)
				: name;
}

/* ---- pieces ---------------------------------------------------------- */

void gsym_mk_raw(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	const char *at = e->body.at, *end = at + e->body.size;
	char id[GSYM_MK_FRAME_ID] = "";

	if (f->options.html && e->kind == GSYM_MK_BT) {
		gsym_mk_frame_id(f, e, id);
		gsym_mk_span_begin(f, "raw bt", id, e);
	} else {
		gsym_mk_paint_begin(f, "raw", e);
	}
	gsym_mk_puts(f, "[[[");
	gsym_mk_value(f, e->tag.at, e->tag.size);
	for (size_t i = 0; i < e->field_count; i++) {
		const char *colon = memchr(at, ':', (size_t)(end - at));
		const char *stop = colon ? colon : end;

		gsym_mk_puts(f, ":");
		gsym_mk_value(f, at, (size_t)(stop - at));
		at = stop + 1;
	}
	gsym_mk_puts(f, "]]]");
	if (f->options.html && !gsym_mk_contextual(e))
		gsym_mk_tip_raw(f, e);
	gsym_mk_paint_end(f);
}

void gsym_mk_put_offset(struct gsym_markup *f,
			const struct gsym_mk_mapping *mapping,
			uint64_t address)
{
	gsym_mk_value(f, mapping->module->name.at,
		      mapping->module->name.size);
	gsym_mk_puts(f, "+");
	gsym_mk_value_hex(f, gsym_mk_relative(mapping, address));
}

/* ---- symbol, data ---------------------------------------------------- */

static bool present_symbol(struct gsym_markup *f,
			   const struct gsym_mk_element *e)
{
	const char *shown;

	f->scratch.count = 0;
	if (!gsym_mk_append(f, &f->scratch, e->name.at, e->name.size) ||
	    !gsym_mk_append(f, &f->scratch, "", 1))
		return false;
	gsym_mk_paint_begin(f, "symbol", e);
	if (f->host.demangle && !memchr(e->name.at, 0, e->name.size)) {
		shown = f->host.demangle(f->host.context, f->scratch.items,
					 false);
		gsym_mk_paint_foreign(f, shown, strlen(shown));
	} else {
		gsym_mk_paint_foreign(f, e->name.at, e->name.size);
	}
	if (f->options.html)
		gsym_mk_tip_text(f, "linkage name", e->name.at, e->name.size);
	gsym_mk_paint_end(f);
	return true;
}

bool gsym_mk_uncovered(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
		    "no mmap covers address");
	gsym_mk_raw(f, e);
	return true;
}

static bool present_data(struct gsym_markup *f,
			 const struct gsym_mk_element *e)
{
	uint64_t address = e->address;
	const struct gsym_mk_mapping *m = gsym_mk_locate(f, &address);
	struct gsym_markup_datum datum;

	if (!m)
		return gsym_mk_uncovered(f, e);
	void *symbols = gsym_mk_symbols(f, m->module);
	bool known = symbols && f->host.data &&
		     f->host.data(f->host.context, symbols,
				  gsym_mk_relative(m, address), &datum);

	if (!symbols && f->llvm) {
		gsym_mk_raw(f, e);
		return true;
	}
	gsym_mk_paint_begin(f, "data", e);
	if (known) {
		const char *name = gsym_mk_demangle(f, datum.name);

		gsym_mk_paint_foreign(f, name, strlen(name));
		if (datum.offset && !f->llvm) {
			gsym_mk_puts(f, "+");
			gsym_mk_value_hex(f, datum.offset);
		}
	} else if (f->llvm) {
		gsym_mk_puts(f, "<invalid>");
	} else {
		gsym_mk_put_offset(f, m, address);
	}
	if (f->options.html)
		gsym_mk_tip_data(f, e, address, m);
	gsym_mk_paint_end(f);
	return true;
}

bool gsym_mk_present(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	switch (e->kind) {
	case GSYM_MK_SYMBOL:
		return present_symbol(f, e);
	case GSYM_MK_DATA:
		return present_data(f, e);
	case GSYM_MK_PC:
		return gsym_mk_present_pc(f, e);
	case GSYM_MK_BT:
		return gsym_mk_present_bt(f, e);
	case GSYM_MK_HEXDICT:
		if (f->llvm || f->options.hexdict == GSYM_MARKUP_HEXDICT_OFF)
			return false;
		gsym_mk_hexdict_one(f, e);
		return true;
	case GSYM_MK_DUMPFILE:
		if (f->llvm)
			return false;
		gsym_mk_dumpfile(f, e);
		return true;
	default:
		return false;
	}
}
