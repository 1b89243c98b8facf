/* SPDX-License-Identifier: MIT */
#include "markup/filter.h"

#include <inttypes.h>

bool gsym_mk_block_open(const struct gsym_mk_process *p)
{
	return p->block.entries.count || p->block.lead.count;
}

void gsym_mk_block_fini(struct gsym_mk_block *b)
{
	for (size_t i = 0; i < b->entries.count; i++)
		gsym_vec_fini(&b->entries.items[i].ranges);
	gsym_vec_fini(&b->entries);
	gsym_vec_fini(&b->text);
	gsym_vec_fini(&b->lead);
}

/* ---- collecting ------------------------------------------------------ */

/* The header that a module line repeats. */
static struct gsym_mk_slice line_prefix(struct gsym_markup *f)
{
	size_t size = gsym_mk_line_header(f);

	return (struct gsym_mk_slice){ f->line.at, size };
}

static void empty_block(struct gsym_mk_block *b)
{
	for (size_t i = 0; i < b->entries.count; i++) {
		b->entries.items[i].module->entry = 0;
		gsym_vec_fini(&b->entries.items[i].ranges);
	}
	b->entries.count = b->text.count = b->lead.count = 0;
	b->range_count = 0;
}

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
		f->out_of_memory = true;
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

/* E without what is never shown of it: logs may name modules of any size. */
static struct gsym_mk_element trimmed(const struct gsym_mk_element *e)
{
	struct gsym_mk_element copy = *e;

	/* One more says that there was more. */
	if (copy.name.size > GSYM_MK_MAX_NAME)
		copy.name.size = GSYM_MK_MAX_NAME + 1;
	if (copy.build_id_digits.size > 2 * GSYM_MK_BUILD_ID)
		copy.build_id_digits.size = 0;
	return copy;
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
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many modules");
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

/* List RANGE in the line of its module. */
static void note_range(struct gsym_markup *f, struct gsym_mk_module *module,
		       const struct gsym_mk_range *range)
{
	struct gsym_mk_block *b = &f->process->block;

	/* However much the log says, only so much of it waits. */
	if (b->range_count >= GSYM_MK_MAX_RANGES) {
		if (!f->line.first)
			return;
		gsym_mk_end_block(f, f->process);
	}
	struct gsym_mk_entry *entry = entry_for(f, module, false);
	struct gsym_mk_range *to =
		entry ? gsym_vec_push(&entry->ranges) : NULL;

	if (!to) {
		f->out_of_memory = true;
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
	/* One that is in the middle of another leaves two parts of that. */
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
		f->out_of_memory = true;
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

/* The end of a trace ends nothing else: what is said of memory stays true
 * until the next trace begins. */
static bool is_trace_end(const struct gsym_mk_element *e)
{
	return e->field_count == 1 && e->fields[0].size == 3 &&
	       memcmp(e->fields[0].at, "end", 3) == 0;
}

static void apply_reset(struct gsym_markup *f,
			const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;
	bool shown = f->options.module_lines == GSYM_MARKUP_MODULES_FULL &&
		     f->options.style != GSYM_MARKUP_STYLE_FUCHSIA &&
		     (c->modules || c->mapping_count);
	struct gsym_mk_text *out = f->out;

	if (is_trace_end(e))
		return;
	/* Further pieces of a line leave module lines alone, but these are
	 * about modules that go. */
	if (f->line.first)
		gsym_mk_end_block(f, f->process);
	else
		empty_block(&f->process->block);
	gsym_mk_context_reset(c);
	if (f->host.reset)
		f->host.reset(f->host.context);
	if (!shown)
		return;
	/* Within a line that goes out in pieces it has no line of its own. */
	if (!f->line.first) {
		gsym_mk_raw(f, e);
		return;
	}
	struct gsym_mk_slice prefix = line_prefix(f);
	struct gsym_mk_sgr sgr = f->sgr;

	f->out = &f->main;
	f->sgr = gsym_mk_no_sgr;
	gsym_mk_begin_line(f);
	gsym_mk_paint_text(f, prefix.at, prefix.at + prefix.size);
	gsym_mk_raw(f, e);
	gsym_mk_end_line(f, f->line.crlf ? "\r\n" : "\n");
	f->out = out;
	f->sgr = sgr;
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
	gsym_mk_count_waiting(f, f->process);
	return done;
}

/* ---- writing --------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct gsym_mk_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void gsym_mk_put_ranges(struct gsym_markup *f,
			struct gsym_mk_entry *entry)
{
	if (entry->ranges.count > 1)
		qsort(entry->ranges.items, entry->ranges.count,
		      sizeof(*entry->ranges.items), by_start);
	for (size_t i = 0; i < entry->ranges.count; i++) {
		const struct gsym_mk_range *r = &entry->ranges.items[i];

		gsym_mk_puts(f, i ? "," : " ");
		gsym_mk_puts(f, "[");
		gsym_mk_value_hex(f, r->start);
		gsym_mk_puts(f, "-");
		gsym_mk_value_hex(f, r->last);
		gsym_mk_puts(f, "](");
		gsym_mk_value(f, r->mode, strlen(r->mode));
		gsym_mk_puts(f, ")");
	}
}

void gsym_mk_put_module(struct gsym_markup *f,
			const struct gsym_mk_module *module)
{
	gsym_mk_puts(f, "[[[ELF module");
	gsym_mk_value_begin(f);
	gsym_mk_puts(f, " #0x");
	gsym_mk_put_hex(f, module->id, 1);
	gsym_mk_puts(f, " ");
	gsym_mk_value_end(f);
	gsym_mk_paint_plain(f, "\"", 1);
	gsym_mk_value(f, module->name.at, module->name.size);
	gsym_mk_paint_plain(f, "\"", 1);
}

static void put_digits(struct gsym_markup *f, const char *at, const char *end)
{
	for (; at < end; at++) {
		char digit = *at >= 'A' && *at <= 'F' ? *at | 0x20 : *at;

		gsym_mk_put(f, &digit, 1);
	}
}

void gsym_mk_put_build_id(struct gsym_markup *f,
			  const struct gsym_mk_module *module)
{
	struct gsym_mk_slice digits = module->build_id_digits;

	gsym_mk_value_begin(f);
	for (size_t i = 0; i < module->build_id_size; i++)
		gsym_mk_put_hex(f, module->build_id[i], 2);
	/* llvm-symbolizer knows no limit. */
	if (f->llvm && digits.size > 2 * GSYM_MK_BUILD_ID)
		put_digits(f, digits.at + 2 * GSYM_MK_BUILD_ID -
				      (digits.size & 1),
			   digits.at + digits.size);
	gsym_mk_value_end(f);
}

/* In short form a module is shown once, when its base is known. */
static void put_entry(struct gsym_markup *f, struct gsym_mk_entry *entry)
{
	bool brief = f->options.module_lines == GSYM_MARKUP_MODULES_SHORT;
	const char *prefix =
		gsym_vec_from(&f->process->block.text, entry->prefix);

	if (brief && (!entry->ranges.count || entry->module->announced))
		return;
	entry->module->announced = true;
	gsym_mk_begin_line(f);
	if (entry->prefix_size)
		gsym_mk_paint_text(f, prefix, prefix + entry->prefix_size);
	gsym_mk_paint_begin(f, "module", NULL);
	gsym_mk_put_module(f, entry->module);
	if (brief)
		gsym_mk_puts(f, " BuildID=");
	else
		gsym_mk_puts(f, entry->fresh ? "; BuildID=" : "; adds");
	if (entry->fresh || brief)
		gsym_mk_put_build_id(f, entry->module);
	if (brief) {
		gsym_mk_puts(f, " ");
		gsym_mk_value_hex(f, entry->module->base);
	} else {
		gsym_mk_put_ranges(f, entry);
	}
	gsym_mk_puts(f, "]]]");
	if (f->options.html)
		gsym_mk_tip_module(f, entry);
	gsym_mk_paint_end(f);
	gsym_mk_end_line(f, entry->crlf ? "\r\n" : "\n");
}

void gsym_mk_end_block(struct gsym_markup *f, struct gsym_mk_process *p)
{
	struct gsym_mk_block *b = &p->block;

	if (!gsym_mk_block_open(p))
		return;
	struct gsym_mk_process *process = f->process;
	struct gsym_mk_text *out = f->out;
	struct gsym_mk_sgr sgr = f->sgr;

	f->process = p;
	f->out = &f->main;
	f->sgr = gsym_mk_no_sgr;
	gsym_mk_fresh_line(f);
	if (b->lead.count) {
		gsym_mk_begin_line(f);
		gsym_mk_paint_text(f, b->lead.items,
				   b->lead.items + b->lead.count);
		gsym_mk_end_line(f, b->lead_crlf ? "\r\n" : "\n");
	}
	bool shown = f->options.module_lines != GSYM_MARKUP_MODULES_NONE;
	bool folded = shown && f->options.html && b->entries.count > 1;

	if (folded)
		gsym_mk_details_begin(f, b->entries.count);
	for (size_t i = 0; shown && i < b->entries.count; i++)
		put_entry(f, &b->entries.items[i]);
	if (folded)
		gsym_mk_details_end(f);
	empty_block(b);
	f->process = process;
	f->out = out;
	f->sgr = sgr;
	gsym_mk_count_waiting(f, p);
	f->line_mark = f->main.count;
	gsym_mk_drain(f, false);
}
