/* SPDX-License-Identifier: MIT */
/* Lines in llvm-symbolizer's way: the first contextual element decides, and
 * what follows it is dropped. */
#include "markup/filter.h"

#include <inttypes.h>

static const char *line_end(const struct gsym_markup *f)
{
	return f->line.crlf ? "\r\n" : "\n";
}

void gsym_mk_llvm_end_module(struct gsym_markup *f)
{
	struct gsym_mk_block *b = &f->process->block;

	if (!f->open_module)
		return;
	gsym_mk_put_ranges(f, &b->entries.items[0]);
	gsym_mk_puts(f, "]]]");
	gsym_mk_puts(f, line_end(f));
	gsym_mk_restore(f);
	b->entries.items[0].ranges.count = 0;
	f->open_module = NULL;
}

static void begin_module(struct gsym_markup *f, struct gsym_mk_module *m)
{
	struct gsym_mk_block *b = &f->process->block;

	if (!b->entries.count) {
		struct gsym_mk_entry *entry = gsym_vec_push(&b->entries);

		if (!entry) {
			f->out_of_memory = true;
			return;
		}
		*entry = (struct gsym_mk_entry){ 0 };
	}
	gsym_mk_highlight(f);
	gsym_mk_put_module(f, m);
	f->open_module = m;
}

/* Elements and text up to END, none of them contextual. */
static void do_nodes(struct gsym_markup *f, const char *end)
{
	const char *from = f->line.at;
	struct gsym_mk_scanner s = { .at = from, .end = f->line.at + f->line.size,
				     .llvm = true };
	struct gsym_mk_element e;

	while (s.at < end && gsym_mk_next(&s, &e) && e.whole.at < end) {
		gsym_mk_paint_text(f, from, e.whole.at);
		from = e.whole.at + e.whole.size;
		if (e.remark.fault)
			gsym_mk_say_problem(f, &e, &e.remark,
					    GSYM_MARKUP_WARNING);
		if (e.error.fault)
			gsym_mk_say_problem(f, &e, &e.error,
					    GSYM_MARKUP_ERROR);
		else if (!gsym_mk_present(f, &e))
			gsym_mk_put(f, e.whole.at, e.whole.size);
	}
	gsym_mk_paint_text(f, from, end);
}

static void do_mmap(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;
	struct gsym_mk_module *module = gsym_mk_module_find(c, e->id);
	uint64_t end = e->address + e->size;
	const struct gsym_mk_mapping *old;

	if (gsym_mk_unknown_module(f, e))
		return;
	old = gsym_mk_mapping_above(c, e->address);
	if (!old || old->start >= end) {
		old = gsym_mk_mapping_floor(c, e->address);
		if (old && (old->last < e->address ||
			    old->last + 1 == old->start))
			old = NULL;
	}
	if (old) {
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "overlapping mmap: #0x%" PRIx64 " [0x%" PRIx64
			    "-0x%" PRIx64 "]",
			    old->module->id, old->start, old->last);
		return;
	}
	/* One that ends at 2^64 or beyond is there, but holds nothing. */
	struct gsym_mk_mapping new = {
		.start = e->address,
		.last = end > e->address ? end - 1 : e->address - 1,
		.relative = e->relative,
		.module = module,
	};
	memcpy(new.mode, e->mode, sizeof(new.mode));
	if (!gsym_mk_mapping_add(c, &new)) {
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many mmaps");
		return;
	}
	if (f->open_module != module) {
		gsym_mk_llvm_end_module(f);
		do_nodes(f, e->whole.at);
		begin_module(f, module);
		gsym_mk_puts(f, "; adds");
	}
	struct gsym_mk_block *b = &f->process->block;
	struct gsym_mk_range *range =
		f->open_module ? gsym_vec_push(&b->entries.items[0].ranges)
			       : NULL;

	if (!range) {
		f->out_of_memory = true;
		return;
	}
	*range = (struct gsym_mk_range){ .start = e->address,
					 .last = end - 1 };
	memcpy(range->mode, e->mode, sizeof(range->mode));
}

static void do_module(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;

	if (gsym_mk_module_find(c, e->id)) {
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "duplicate module ID");
		return;
	}
	struct gsym_mk_module *module = gsym_mk_module_add(c, e);

	if (!module) {
		gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many modules");
		return;
	}
	gsym_mk_llvm_end_module(f);
	do_nodes(f, e->whole.at);
	begin_module(f, module);
	gsym_mk_puts(f, "; BuildID=");
	gsym_mk_put_build_id(f, module);
}

static void do_reset(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_context *c = &f->process->context;

	if (!c->modules && !c->mapping_count)
		return;
	gsym_mk_llvm_end_module(f);
	do_nodes(f, e->whole.at);
	gsym_mk_raw(f, e);
	gsym_mk_puts(f, line_end(f));
	gsym_mk_context_reset(c);
	if (f->host.reset)
		f->host.reset(f->host.context);
}

void gsym_mk_llvm_line(struct gsym_markup *f)
{
	struct gsym_mk_scanner s = { .at = f->line.at,
				     .end = f->line.at + f->line.size,
				     .llvm = true };
	struct gsym_mk_element e;

	gsym_mk_sgr_reset(f);
	while (gsym_mk_next(&s, &e)) {
		if (!gsym_mk_contextual(&e))
			continue;
		if (e.remark.fault)
			gsym_mk_say_problem(f, &e, &e.remark,
					    GSYM_MARKUP_WARNING);
		if (e.late && gsym_mk_unknown_module(f, &e))
			return;
		if (e.error.fault)
			gsym_mk_say_problem(f, &e, &e.error,
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
	gsym_mk_puts(f, "\n");
}
