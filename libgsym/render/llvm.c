/* SPDX-License-Identifier: MIT */
/*
 * llvm-symbolizer's style: the first contextual element of a line is applied,
 * and what follows the element is dropped.
 *
 * The end of a module line is written with the next line.  Until then the
 * module line is open, and its ranges are in the first entry of the block.
 */
#include "config.h"

#include "render/scene.h"

#include <inttypes.h>

/* ---- module lines ---------------------------------------------------- */

void gsym_render_llvm_end_module(struct scene *s)
{
	struct mk_out *o = s->host->out;
	struct mk_collected *b = &s->line->process->collected;

	if (!s->open_module)
		return;
	gsym_render_put_ranges(o, &b->entries.items[0], true);
	mk_puts(o, "]]]");
	mk_puts(o, mk_newline(s->line));
	gsym_mk_restore(o);
	b->entries.items[0].ranges.count = 0;
	s->open_module = NULL;
}

static void begin_module(struct scene *s, struct mk_module *m)
{
	struct mk_collected *b = &s->line->process->collected;

	if (!b->entries.count) {
		struct mk_entry *entry = gsym_vec_push(&b->entries);

		if (!entry) {
			s->host->out->out_of_memory = true;
			return;
		}
		*entry = (struct mk_entry){ 0 };
	}
	gsym_mk_highlight(s->host->out);
	gsym_render_put_module(s->host->out, m);
	s->open_module = m;
}

static struct mk_scanner scan_line(const struct mk_line *l)
{
	return (struct mk_scanner){ .at = l->at,
				    .end = l->at + l->size,
				    .llvm = true };
}

/* Write the elements and the text of the line at hand up to END: the end of the
 * line, or of the part before a contextual element. */
static void do_nodes(struct scene *s, const char *end)
{
	struct mk_out *o = s->host->out;
	const char *from = s->line->at;
	struct mk_scanner scan = scan_line(s->line);
	struct mk_element e;

	while (scan.at < end && gsym_mk_next(&scan, &e) && e.whole.at < end) {
		gsym_mk_paint_text(o, from, e.whole.at);
		from = e.whole.at + e.whole.size;
		if (e.remark.fault)
			gsym_mk_say_problem(s->host, &e, &e.remark,
					    GSYM_MARKUP_WARNING);
		if (e.error.fault)
			gsym_mk_say_problem(s->host, &e, &e.error,
					    GSYM_MARKUP_ERROR);
		else if (!gsym_render_present(s, s->host->out, &e))
			mk_put(o, e.whole.at, e.whole.size);
	}
	gsym_mk_paint_text(o, from, end);
}

/* The mapping that overlaps START to END (not included) in llvm-symbolizer's
 * opinion; NULL if there is none. */
static const struct mk_mapping *overlapping(const struct mk_context *c,
					    uint64_t start, uint64_t end)
{
	const struct mk_mapping *m = gsym_mk_mapping_above(c, start);

	if (m && m->start < end)
		return m;
	m = gsym_mk_mapping_floor(c, start);
	return m && m->last >= start && m->last + 1 != m->start ? m : NULL;
}

/* The mapping for the element E, which overlaps none.  If another mapping
 * begins at the same address, which is then one without bytes, that one stands
 * for both, as in llvm-symbolizer.  NULL if there is no room. */
static const struct mk_mapping *mapping_of(struct mk_context *c,
					   const struct mk_element *e,
					   struct mk_module *module)
{
	const struct mk_mapping *m = gsym_mk_mapping_floor(c, e->address);
	uint64_t end = e->address + e->size;
	/* In llvm-symbolizer an mmap that ends at 2^64 or beyond has no
	 * bytes. */
	struct mk_mapping new = {
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

static void do_mmap(struct scene *s, const struct mk_element *e)
{
	struct mk_context *c = &s->line->process->context;
	struct mk_module *module = gsym_mk_module_find(c, e->id);
	const struct mk_mapping *old, *m;

	if (gsym_render_unknown_module(s, e))
		return;
	old = overlapping(c, e->address, e->address + e->size);
	if (old) {
		gsym_mk_say(s->host, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "overlapping mmap: #0x%" PRIx64 " [0x%" PRIx64
			    "-0x%" PRIx64 "]",
			    old->module->id, old->start, old->shown_last);
		return;
	}
	m = mapping_of(c, e, module);
	if (!m) {
		gsym_render_not_added(s, e);
		return;
	}
	if (s->open_module != m->module) {
		gsym_render_llvm_end_module(s);
		do_nodes(s, e->whole.at);
		begin_module(s, m->module);
		mk_puts(s->host->out, "; adds");
	}
	struct mk_collected *b = &s->line->process->collected;
	struct mk_mapping *range =
		s->open_module ? gsym_vec_push(&b->entries.items[0].ranges)
			       : NULL;

	if (!range) {
		s->host->out->out_of_memory = true;
		return;
	}
	*range = *m;
	range->last = m->shown_last;
}

static void do_module(struct scene *s, const struct mk_element *e)
{
	struct mk_context *c = &s->line->process->context;

	if (gsym_mk_module_find(c, e->id)) {
		gsym_mk_say(s->host, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "duplicate module ID");
		return;
	}
	struct mk_module *module = gsym_mk_module_add(c, e);

	if (!module) {
		gsym_render_not_added(s, e);
		return;
	}
	gsym_render_llvm_end_module(s);
	do_nodes(s, e->whole.at);
	begin_module(s, module);
	mk_puts(s->host->out, "; BuildID=");
	gsym_render_put_build_id(s->host->out, module);
}

static void do_reset(struct scene *s, const struct mk_element *e)
{
	struct mk_context *c = &s->line->process->context;

	if (!c->modules && !c->mapping_count)
		return;
	gsym_render_llvm_end_module(s);
	do_nodes(s, e->whole.at);
	gsym_render_raw(s->host, s->host->out, e);
	mk_puts(s->host->out, mk_newline(s->line));
	gsym_mk_context_reset(c);
	if (s->host->calls.reset)
		s->host->calls.reset(s->host->calls.context);
}

void gsym_render_llvm_line(struct scene *s)
{
	struct mk_scanner scan = scan_line(s->line);
	struct mk_element e;

	gsym_mk_sgr_reset(s->host->out);
	while (gsym_mk_next(&scan, &e)) {
		if (!mk_contextual(&e))
			continue;
		if (e.remark.fault)
			gsym_mk_say_problem(s->host, &e, &e.remark,
					    GSYM_MARKUP_WARNING);
		if (e.late && gsym_render_unknown_module(s, &e))
			return;
		if (e.error.fault)
			gsym_mk_say_problem(s->host, &e, &e.error,
					    GSYM_MARKUP_ERROR);
		else if (e.kind == MK_MODULE)
			do_module(s, &e);
		else if (e.kind == MK_MMAP)
			do_mmap(s, &e);
		else
			do_reset(s, &e);
		return;
	}
	gsym_render_llvm_end_module(s);
	do_nodes(s, s->line->at + s->line->size);
	mk_puts(s->host->out, "\n");
}
