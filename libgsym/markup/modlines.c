/* SPDX-License-Identifier: MIT */
/* Writes module lines. */
#include "markup/modules.h"

#include "markup/filter.h"
#include "markup/html.h"
#include "markup/paint.h"
#include "markup/tips.h"

static int by_start(const void *a, const void *b)
{
	const struct gsym_mk_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void gsym_mk_put_ranges(struct gsym_mk_out *o, struct gsym_mk_entry *entry,
			bool llvm)
{
	if (entry->ranges.count > 1)
		qsort(entry->ranges.items, entry->ranges.count,
		      sizeof(*entry->ranges.items), by_start);
	for (size_t i = 0; i < entry->ranges.count; i++) {
		const struct gsym_mk_range *r = &entry->ranges.items[i];

		bool first = i == 0 ||
			     (llvm && r->start == entry->ranges.items->start);

		gsym_mk_puts(o, first ? " [" : ",[");
		gsym_mk_value_hex(o, r->start);
		gsym_mk_puts(o, "-");
		gsym_mk_value_hex(o, r->last);
		gsym_mk_puts(o, "](");
		gsym_mk_value(o, r->mode, strlen(r->mode));
		gsym_mk_puts(o, ")");
	}
}

void gsym_mk_put_module(struct gsym_mk_out *o,
			const struct gsym_mk_module *module)
{
	gsym_mk_puts(o, "[[[ELF module");
	gsym_mk_value_begin(o);
	gsym_mk_puts(o, " #0x");
	gsym_mk_put_hex(o, module->id, 1);
	gsym_mk_puts(o, " ");
	gsym_mk_value_end(o);
	gsym_mk_paint_plain(o, "\"", 1);
	gsym_mk_value(o, module->name.at, module->name.size);
	gsym_mk_paint_plain(o, "\"", 1);
}

/* The hexadecimal digits AT to END in lower case. */
static void put_digits(struct gsym_mk_out *o, const char *at, const char *end)
{
	for (; at < end; at++) {
		char digit = *at >= 'A' && *at <= 'F' ? *at | 0x20 : *at;

		gsym_mk_put(o, &digit, 1);
	}
}

void gsym_mk_put_build_id(struct gsym_mk_out *o,
			  const struct gsym_mk_module *module)
{
	struct gsym_mk_slice digits = module->build_id_digits;

	gsym_mk_value_begin(o);
	for (size_t i = 0; i < module->build_id_size; i++)
		gsym_mk_put_hex(o, module->build_id[i], 2);
	/* llvm-symbolizer shows build IDs of any size. */
	if (o->llvm && digits.size > 2 * GSYM_MK_BUILD_ID)
		put_digits(o,
			   digits.at + 2 * GSYM_MK_BUILD_ID - (digits.size & 1),
			   digits.at + digits.size);
	gsym_mk_value_end(o);
}

/* Write the module line of ENTRY.  In short form a module has one line, once
 * its base address is known. */
static void put_entry(struct gsym_markup *f, struct gsym_mk_entry *entry)
{
	struct gsym_mk_out *o = &f->out;
	bool brief = f->options.module_lines == GSYM_MARKUP_MODULES_SHORT;
	const char *prefix =
		gsym_vec_from(&f->process->block.text, entry->prefix);

	if (brief && (!entry->ranges.count || entry->module->announced))
		return;
	entry->module->announced = true;
	gsym_mk_begin_line(o);
	if (entry->prefix_size)
		gsym_mk_paint_text(o, prefix, prefix + entry->prefix_size);
	gsym_mk_paint_begin(o, "module", NULL);
	gsym_mk_put_module(o, entry->module);
	if (brief)
		gsym_mk_puts(o, " BuildID=");
	else
		gsym_mk_puts(o, entry->fresh ? "; BuildID=" : "; adds");
	if (entry->fresh || brief)
		gsym_mk_put_build_id(o, entry->module);
	if (brief) {
		gsym_mk_puts(o, " ");
		gsym_mk_value_hex(o, entry->module->base);
	} else {
		gsym_mk_put_ranges(o, entry, false);
	}
	gsym_mk_puts(o, "]]]");
	if (o->html) {
		o->page.trouble.message[0] = 0;
		gsym_mk_tip_module(o, entry);
	}
	gsym_mk_paint_end(o);
	gsym_mk_end_line(o, entry->crlf ? "\r\n" : "\n");
}

void gsym_mk_empty_block(struct gsym_mk_block *b)
{
	for (size_t i = 0; i < b->entries.count; i++) {
		b->entries.items[i].module->entry = 0;
		gsym_vec_fini(&b->entries.items[i].ranges);
	}
	b->entries.count = b->text.count = 0;
	b->lead.count = b->lead_header = 0;
	b->range_count = 0;
}

/* Whether the module lines of B are folded away in a page: there are several,
 * or one with many ranges. */
static bool is_folded(const struct gsym_mk_block *b)
{
	return b->entries.count > 1 ||
	       (b->entries.count && b->entries.items[0].ranges.count > 3);
}

static void put_block(struct gsym_markup *f, struct gsym_mk_block *b)
{
	struct gsym_mk_out *o = &f->out;
	bool shown = f->options.module_lines != GSYM_MARKUP_MODULES_NONE;
	bool folded = shown && o->html && is_folded(b);

	gsym_mk_fresh_line(o);
	if (b->lead.count) {
		gsym_mk_begin_line(o);
		gsym_mk_paint_text(o, b->lead.items,
				   b->lead.items + b->lead.count);
		gsym_mk_end_line(o, b->lead_crlf ? "\r\n" : "\n");
	}
	if (folded)
		gsym_mk_details_begin(o, b->entries.count);
	for (size_t i = 0; shown && i < b->entries.count; i++)
		put_entry(f, &b->entries.items[i]);
	if (folded)
		gsym_mk_details_end(o);
}

void gsym_mk_end_block(struct gsym_markup *f, struct gsym_mk_process *p)
{
	struct gsym_mk_out *o = &f->out;
	struct gsym_mk_process *process = f->process;
	struct gsym_mk_text *to = o->to;
	struct gsym_mk_sgr sgr = o->sgr;

	if (!gsym_mk_block_open(p))
		return;
	f->process = p;
	o->to = &o->main;
	o->sgr = gsym_mk_no_sgr;
	put_block(f, &p->block);
	gsym_mk_empty_block(&p->block);
	f->process = process;
	o->to = to;
	o->sgr = sgr;
	gsym_mk_count_waiting(&f->processes, p);
	gsym_mk_complete(o);
	gsym_mk_drain(o, false);
}
