/* SPDX-License-Identifier: MIT */
/* Applies elements that describe memory, and writes module lines. */
#include "markup/modules.h"

#include <inttypes.h>

#include "markup/diagnose.h"
#include "markup/filter.h"
#include "markup/html.h"
#include "markup/paint.h"
#include "markup/present.h"
#include "markup/tips.h"

/* ---- collecting ------------------------------------------------------ */

/* The header of the line at hand, which module lines repeat. */
static struct gsym_mk_slice line_prefix(struct gsym_markup *f)
{
	size_t size = gsym_mk_line_header(f);

	return (struct gsym_mk_slice){ f->line.at, size };
}

/* Forget the module lines of B. */
static void empty_block(struct gsym_mk_block *b)
{
	for (size_t i = 0; i < b->entries.count; i++) {
		b->entries.items[i].module->entry = 0;
		gsym_vec_fini(&b->entries.items[i].ranges);
	}
	b->entries.count = b->text.count = b->lead.count = 0;
	b->range_count = 0;
}

/* The entry of MODULE in the block, which is added if there is none.  FRESH:
 * the module is new.  NULL without memory. */
static struct gsym_mk_entry *entry_for(struct gsym_markup *f,
				       struct gsym_mk_module *module,
				       bool fresh)
{
	struct gsym_mk_block *b = &f->process->block;
	struct gsym_mk_entry *entry;

	if (module->entry)
		return &b->entries.items[module->entry - 1];
	struct gsym_mk_slice prefix = line_prefix(f);
	size_t at = b->text.count;

	if (!gsym_mk_append(f, &b->text, prefix.at, prefix.size))
		return NULL;
	entry = gsym_vec_push(&b->entries);
	if (!entry) {
		f->out.out_of_memory = true;
		return NULL;
	}
	module->entry = b->entries.count;
	*entry = (struct gsym_mk_entry){
		.module = module,
		.fresh = fresh,
		.crlf = f->line.crlf,
		.prefix = at,
		.prefix_size = prefix.size,
	};
	return entry;
}

/* E without the parts that are never shown: the rest of a long name and of a
 * long build ID.  A log may have names of any size. */
static struct gsym_mk_element trimmed(const struct gsym_mk_element *e)
{
	struct gsym_mk_element copy = *e;

	/* Keep one byte more than is shown: then "..." is written after the
	 * name. */
	if (copy.name.size > GSYM_MK_MAX_NAME)
		copy.name.size = GSYM_MK_MAX_NAME + 1;
	if (copy.build_id_digits.size > 2 * GSYM_MK_BUILD_ID)
		copy.build_id_digits.size = 0;
	return copy;
}

bool gsym_mk_unknown_module(struct gsym_markup *f,
			    const struct gsym_mk_element *e)
{
	if (e->kind != GSYM_MK_MMAP ||
	    gsym_mk_module_find(&f->process->context, e->id))
		return false;
	gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[3].at, "unknown module ID");
	return true;
}

void gsym_mk_not_added(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	const struct gsym_mk_context *c = &f->process->context;

	if (e->kind == GSYM_MK_MODULE &&
	    c->module_count >= GSYM_MK_MAX_MODULES)
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many modules");
	else if (e->kind == GSYM_MK_MMAP &&
		 c->mapping_count >= GSYM_MK_MAX_MAPPINGS)
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many mmaps");
	else
		f->out.out_of_memory = true;
}

static bool apply_module(struct gsym_markup *f,
			 const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;
	struct gsym_mk_module *old = gsym_mk_module_find(c, e->id);

	if (old && old->build_id_size == e->build_id_size &&
	    memcmp(old->build_id, e->build_id, e->build_id_size) == 0)
		return true;
	struct gsym_mk_element kept = trimmed(e);
	struct gsym_mk_module *module = gsym_mk_module_add(c, &kept);

	if (!module) {
		gsym_mk_not_added(f, e);
		return false;
	}
	if (old)
		gsym_mk_say(f, GSYM_MARKUP_NOTE, e->fields[0].at,
			    "module ID #0x%" PRIx64
			    " is taken over by another build ID",
			    e->id);
	if (e->build_id_digits.size > 2 * GSYM_MK_BUILD_ID)
		gsym_mk_say(f, GSYM_MARKUP_NOTE, e->build_id_digits.at,
			    "only the first %d bytes of a build ID count",
			    GSYM_MK_BUILD_ID);
	entry_for(f, module, true);
	return true;
}

static bool same_mapping(const struct gsym_mk_mapping *a,
			 const struct gsym_mk_mapping *b)
{
	return a->start == b->start && a->last == b->last &&
	       a->relative == b->relative && a->module == b->module &&
	       strcmp(a->mode, b->mode) == 0;
}

/* Add RANGE to the module line of MODULE. */
static void note_range(struct gsym_markup *f, struct gsym_mk_module *module,
		       const struct gsym_mk_range *range)
{
	struct gsym_mk_block *b = &f->process->block;

	/* Memory is bounded, however many ranges the log has. */
	if (b->range_count >= GSYM_MK_MAX_RANGES) {
		if (!f->line.first)
			return;
		gsym_mk_end_block(f, f->process);
	}
	struct gsym_mk_entry *entry = entry_for(f, module, false);
	struct gsym_mk_range *to =
		entry ? gsym_vec_push(&entry->ranges) : NULL;

	if (!to) {
		f->out.out_of_memory = true;
		return;
	}
	*to = *range;
	b->range_count++;
}

static bool apply_mmap(struct gsym_markup *f,
		       const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;
	struct gsym_mk_mapping new = {
		.start = e->address,
		.last = e->address + e->size - 1,
		.relative = e->relative,
		.module = gsym_mk_module_find(c, e->id),
	};
	const struct gsym_mk_mapping *old;

	memcpy(new.mode, e->mode, sizeof(new.mode));
	if (e->size == 0) {
		gsym_mk_say(f, GSYM_MARKUP_NOTE, e->fields[1].at,
			    "an mmap of size 0 is ignored");
		return true;
	}
	if (new.last < new.start)
		new.last = UINT64_MAX;
	old = gsym_mk_mapping_overlap(c, new.start, new.last);
	if (old && same_mapping(old, &new))
		return true;
	/* A mapping in the middle of another leaves two parts of it. */
	if (c->mapping_count + 2 > GSYM_MK_MAX_MAPPINGS) {
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many mmaps");
		return false;
	}
	if (old)
		gsym_mk_say(f, GSYM_MARKUP_NOTE, e->fields[0].at,
			    "an mmap replaces part of #0x%" PRIx64
			    " [0x%" PRIx64 "-0x%" PRIx64 "]",
			    old->module->id, old->start, old->last);
	if (!gsym_mk_mapping_cut(c, new.start, new.last) ||
	    !gsym_mk_mapping_add(c, &new)) {
		f->out.out_of_memory = true;
		return false;
	}
	if (!new.module->based) {
		new.module->based = true;
		new.module->base = new.start >= new.relative
					   ? new.start - new.relative
					   : new.start;
	}
	struct gsym_mk_range range = { new.start, new.last, new.relative,
				       "" };
	memcpy(range.mode, new.mode, sizeof(range.mode));
	note_range(f, new.module, &range);
	return true;
}

/* "{{{reset:end}}}" ends a stack trace, and resets nothing: memory stays as it
 * is until the next trace begins. */
static bool is_trace_end(const struct gsym_mk_element *e)
{
	return e->field_count == 1 && e->fields[0].size == 3 &&
	       memcmp(e->fields[0].at, "end", 3) == 0;
}

/* Write E, a reset element, as a line of its own before the line at hand. */
static void put_reset_line(struct gsym_markup *f,
			   const struct gsym_mk_element *e)
{
	struct gsym_mk_out *o = &f->out;
	struct gsym_mk_slice prefix = line_prefix(f);
	struct gsym_mk_text *to = o->to;
	struct gsym_mk_sgr sgr = o->sgr;

	o->to = &o->main;
	o->sgr = gsym_mk_no_sgr;
	gsym_mk_begin_line(o);
	gsym_mk_paint_text(o, prefix.at, prefix.at + prefix.size);
	gsym_mk_raw(f, e);
	gsym_mk_end_line(o, gsym_mk_newline(&f->line));
	o->to = to;
	o->sgr = sgr;
}

static void apply_reset(struct gsym_markup *f,
			const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;
	bool shown = f->options.module_lines == GSYM_MARKUP_MODULES_FULL &&
		     f->options.style != GSYM_MARKUP_STYLE_FUCHSIA &&
		     (c->modules || c->mapping_count);

	if (is_trace_end(e))
		return;
	/* In the middle of a line module lines cannot be written; later the
	 * modules are gone.  So they are dropped. */
	if (f->line.first)
		gsym_mk_end_block(f, f->process);
	else
		empty_block(&f->process->block);
	gsym_mk_context_reset(c);
	if (f->host.reset)
		f->host.reset(f->host.context);
	if (shown && f->line.first)
		put_reset_line(f, e);
	else if (shown)
		gsym_mk_raw(f, e);
}

bool gsym_mk_apply(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	bool done = true;

	if (e->kind == GSYM_MK_MODULE)
		done = apply_module(f, e);
	else if (e->kind == GSYM_MK_MMAP)
		done = apply_mmap(f, e);
	else
		apply_reset(f, e);
	gsym_mk_count_waiting(&f->processes, f->process);
	return done;
}

/* ---- writing --------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct gsym_mk_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void gsym_mk_put_ranges(struct gsym_mk_out *o, struct gsym_mk_entry *entry)
{
	if (entry->ranges.count > 1)
		qsort(entry->ranges.items, entry->ranges.count,
		      sizeof(*entry->ranges.items), by_start);
	for (size_t i = 0; i < entry->ranges.count; i++) {
		const struct gsym_mk_range *r = &entry->ranges.items[i];

		gsym_mk_puts(o, i ? "," : " ");
		gsym_mk_puts(o, "[");
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
		gsym_mk_put_ranges(o, entry);
	}
	gsym_mk_puts(o, "]]]");
	if (o->html) {
		o->page.trouble.message[0] = 0;
		gsym_mk_tip_module(o, entry);
	}
	gsym_mk_paint_end(o);
	gsym_mk_end_line(o, entry->crlf ? "\r\n" : "\n");
}

static void put_block(struct gsym_markup *f, struct gsym_mk_block *b)
{
	struct gsym_mk_out *o = &f->out;
	bool shown = f->options.module_lines != GSYM_MARKUP_MODULES_NONE;
	bool folded = shown && o->html && b->entries.count > 1;

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
	empty_block(&p->block);
	f->process = process;
	o->to = to;
	o->sgr = sgr;
	gsym_mk_count_waiting(&f->processes, p);
	gsym_mk_complete(o);
	gsym_mk_drain(o, false);
}
