/* SPDX-License-Identifier: MIT */
/*
 * llvm-symbolizer's style: the first contextual element of a line is applied,
 * and what follows the element is dropped.
 *
 * The end of a module line is written with the next line.  Until then the
 * module line is open, and its ranges are in the first entry of the block.
 */
#include "config.h"

#include "markup/filter.h"

#include <inttypes.h>

/* ---- module lines ---------------------------------------------------- */

void gsym_mk_llvm_end_module(struct gsym_markup *f)
{
	struct gsym_mk_out *o = &f->out;
	struct gsym_mk_collected *b = &f->process->collected;

	if (!f->open_module)
		return;
	gsym_mk_put_ranges(o, &b->entries.items[0], true);
	gsym_mk_puts(o, "]]]");
	gsym_mk_puts(o, gsym_mk_newline(&f->line));
	gsym_mk_restore(o);
	b->entries.items[0].ranges.count = 0;
	f->open_module = NULL;
}

static void begin_module(struct gsym_markup *f, struct gsym_mk_module *m)
{
	struct gsym_mk_collected *b = &f->process->collected;

	if (!b->entries.count) {
		struct gsym_mk_entry *entry = gsym_vec_push(&b->entries);

		if (!entry) {
			f->out.out_of_memory = true;
			return;
		}
		*entry = (struct gsym_mk_entry){ 0 };
	}
	gsym_mk_highlight(&f->out);
	gsym_mk_put_module(&f->out, m);
	f->open_module = m;
}

static struct gsym_mk_scanner scan_line(const struct gsym_mk_line *l)
{
	return (struct gsym_mk_scanner){ .at = l->at,
					 .end = l->at + l->size,
					 .llvm = true };
}

/* Write the elements and the text of the line at hand up to END: the end of the
 * line, or of the part before a contextual element. */
static void do_nodes(struct gsym_markup *f, const char *end)
{
	struct gsym_mk_out *o = &f->out;
	const char *from = f->line.at;
	struct gsym_mk_scanner s = scan_line(&f->line);
	struct gsym_mk_element e;

	while (s.at < end && gsym_mk_next(&s, &e) && e.whole.at < end) {
		gsym_mk_paint_text(o, from, e.whole.at);
		from = e.whole.at + e.whole.size;
		if (e.remark.fault)
			gsym_mk_say_problem(&f->host, &e, &e.remark,
					    GSYM_MARKUP_WARNING);
		if (e.error.fault)
			gsym_mk_say_problem(&f->host, &e, &e.error,
					    GSYM_MARKUP_ERROR);
		else if (!gsym_mk_present(&f->scene, &f->out, &e))
			gsym_mk_put(o, e.whole.at, e.whole.size);
	}
	gsym_mk_paint_text(o, from, end);
}

/* The mapping that overlaps START to END (not included) in llvm-symbolizer's
 * opinion; NULL if there is none. */
static const struct gsym_mk_mapping *
overlapping(const struct gsym_mk_context *c, uint64_t start, uint64_t end)
{
	const struct gsym_mk_mapping *m = gsym_mk_mapping_above(c, start);

	if (m && m->start < end)
		return m;
	m = gsym_mk_mapping_floor(c, start);
	return m && m->last >= start && m->last + 1 != m->start ? m : NULL;
}

/* The mapping for the element E, which overlaps none.  If another mapping
 * begins at the same address, which is then one without bytes, that one stands
 * for both, as in llvm-symbolizer.  NULL if there is no room. */
static const struct gsym_mk_mapping *
mapping_of(struct gsym_mk_context *c, const struct gsym_mk_element *e,
	   struct gsym_mk_module *module)
{
	const struct gsym_mk_mapping *m = gsym_mk_mapping_floor(c, e->address);
	uint64_t end = e->address + e->size;
	/* In llvm-symbolizer an mmap that ends at 2^64 or beyond has no
	 * bytes. */
	struct gsym_mk_mapping new = {
		.start = e->address,
		.last = end > e->address ? end - 1 : e->address - 1,
		.shown_last = end - 1,
		.relative = e->relative,
		.module = module,
	};

	if (m && m->start == e->address)
		return m;
	memcpy(new.mode, e->mode, sizeof(new.mode));
	return gsym_mk_mapping_add(c, &new)
		       ? gsym_mk_mapping_floor(c, e->address)
		       : NULL;
}

static void do_mmap(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;
	struct gsym_mk_module *module = gsym_mk_module_find(c, e->id);
	const struct gsym_mk_mapping *old, *m;

	if (gsym_mk_unknown_module(&f->scene, e))
		return;
	old = overlapping(c, e->address, e->address + e->size);
	if (old) {
		gsym_mk_say(&f->host, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "overlapping mmap: #0x%" PRIx64 " [0x%" PRIx64
			    "-0x%" PRIx64 "]",
			    old->module->id, old->start, old->shown_last);
		return;
	}
	m = mapping_of(c, e, module);
	if (!m) {
		gsym_mk_not_added(&f->scene, e);
		return;
	}
	if (f->open_module != m->module) {
		gsym_mk_llvm_end_module(f);
		do_nodes(f, e->whole.at);
		begin_module(f, m->module);
		gsym_mk_puts(&f->out, "; adds");
	}
	struct gsym_mk_collected *b = &f->process->collected;
	struct gsym_mk_mapping *range =
		f->open_module ? gsym_vec_push(&b->entries.items[0].ranges)
			       : NULL;

	if (!range) {
		f->out.out_of_memory = true;
		return;
	}
	*range = *m;
	range->last = m->shown_last;
}

static void do_module(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;

	if (gsym_mk_module_find(c, e->id)) {
		gsym_mk_say(&f->host, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "duplicate module ID");
		return;
	}
	struct gsym_mk_module *module = gsym_mk_module_add(c, e);

	if (!module) {
		gsym_mk_not_added(&f->scene, e);
		return;
	}
	gsym_mk_llvm_end_module(f);
	do_nodes(f, e->whole.at);
	begin_module(f, module);
	gsym_mk_puts(&f->out, "; BuildID=");
	gsym_mk_put_build_id(&f->out, module);
}

static void do_reset(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;

	if (!c->modules && !c->mapping_count)
		return;
	gsym_mk_llvm_end_module(f);
	do_nodes(f, e->whole.at);
	gsym_mk_raw(&f->host, &f->out, e);
	gsym_mk_puts(&f->out, gsym_mk_newline(&f->line));
	gsym_mk_context_reset(c);
	if (f->host.calls.reset)
		f->host.calls.reset(f->host.calls.context);
}

void gsym_mk_llvm_line(struct gsym_markup *f)
{
	struct gsym_mk_scanner s = scan_line(&f->line);
	struct gsym_mk_element e;

	gsym_mk_sgr_reset(&f->out);
	while (gsym_mk_next(&s, &e)) {
		if (!gsym_mk_contextual(&e))
			continue;
		if (e.remark.fault)
			gsym_mk_say_problem(&f->host, &e, &e.remark,
					    GSYM_MARKUP_WARNING);
		if (e.late && gsym_mk_unknown_module(&f->scene, &e))
			return;
		if (e.error.fault)
			gsym_mk_say_problem(&f->host, &e, &e.error,
					    GSYM_MARKUP_ERROR);
		else if (e.kind == GSYM_MK_MODULE)
			do_module(f, &e);
		else if (e.kind == GSYM_MK_MMAP)
			do_mmap(f, &e);
		else
			do_reset(f, &e);
		return;
	}
	gsym_mk_llvm_end_module(f);
	do_nodes(f, f->line.at + f->line.size);
	gsym_mk_puts(&f->out, "\n");
}
