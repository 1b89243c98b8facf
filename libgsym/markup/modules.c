/* SPDX-License-Identifier: MIT */
/* Applies elements that describe memory, and collects their module lines. */
#include "config.h"

#include "markup/modules.h"

#include <inttypes.h>

#include "markup/diagnose.h"
#include "markup/filter.h"
#include "markup/paint.h"
#include "markup/present.h"
#include "markup/wait.h"

/* ---- collecting ------------------------------------------------------ */

/* The header of the line at hand, which module lines repeat. */
static struct gsym_mk_slice line_prefix(struct gsym_markup *f)
{
	size_t size = gsym_mk_line_header(f);

	return (struct gsym_mk_slice){ f->line.at, size };
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

/* Report that E gives the ID of a module to another build ID. */
static void say_taken_over(struct gsym_markup *f,
			   const struct gsym_mk_element *e)
{
	bool chosen = f->options.headers != GSYM_MARKUP_HEADERS_NONE;

	gsym_mk_say(f, GSYM_MARKUP_NOTE, e->fields[0].at,
		    "module ID #0x%" PRIx64
		    " is taken over by another build ID",
		    e->id);
	if (f->told_of_processes)
		return;
	f->told_of_processes = true;
	gsym_mk_say(f, GSYM_MARKUP_NOTE, NULL,
		    "two build IDs claim one module ID: if several processes "
		    "wrote the log, --by-process%s tells them apart",
		    chosen ? "=regex:ERE, with an ERE for the start of lines,"
			   : "");
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
		say_taken_over(f, e);
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
		gsym_mk_write_waiting(f);
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
		gsym_mk_write_waiting(f);
	gsym_mk_empty_block(&f->process->block);
	gsym_mk_context_reset(c);
	if (f->process->log)
		gsym_mk_log_reset(f->process->log);
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
