/* SPDX-License-Identifier: MIT */
/*
 * Applies elements that describe memory, collects their module lines, and
 * writes what is held, in the order of the log.
 */
#include "config.h"

#include "stacks/judge.h"
#include "render/scene.h"

#include <inttypes.h>

/* ---- collecting ----------------------------------------------------- */

static void forget_collected(struct mk_collected *b)
{
	for (size_t i = 0; i < b->entries.count; i++) {
		b->entries.items[i].module->entry = 0;
		gsym_vec_fini(&b->entries.items[i].ranges);
	}
	b->entries.count = b->text.count = 0;
	b->start.count = b->start_header = 0;
	b->range_count = 0;
}

void gsym_render_drop_collected(struct scene *s, struct mk_process *p)
{
	forget_collected(&p->collected);
	gsym_mk_process_changed(s->processes, p);
}

/* The header of the line at hand, which module lines repeat. */
static struct logs_text line_prefix(struct scene *s)
{
	size_t size = render_line_header(s);

	return (struct logs_text){ s->line->at, size };
}

/* The module line of MODULE, which is added if there is none.  FRESH: the
 * module is new.  NULL without memory. */
static struct mk_entry *entry_for(struct scene *s, struct mk_module *module,
				  bool fresh)
{
	struct mk_collected *b = &s->line->process->collected;
	struct mk_entry *entry;

	if (module->entry)
		return &b->entries.items[module->entry - 1];
	struct logs_text prefix = line_prefix(s);
	size_t at = b->text.count;

	if (!mk_append(s->host->out, &b->text, prefix.at, prefix.size))
		return NULL;
	entry = gsym_vec_push(&b->entries);
	if (!entry) {
		s->host->out->out_of_memory = true;
		return NULL;
	}
	module->entry = b->entries.count;
	*entry = (struct mk_entry){
		.module = module,
		.fresh = fresh,
		.crlf = s->line->crlf,
		.prefix = at,
		.prefix_size = prefix.size,
	};
	return entry;
}

/* E without the parts that are never shown: the rest of a long name and of a
 * long build ID.  A log may have names of any size. */
static struct mk_element trimmed(const struct mk_element *e)
{
	struct mk_element copy = *e;

	/* Keep one byte more than is shown: then "..." is written after the
	 * name. */
	if (copy.name.size > MK_MAX_NAME)
		copy.name.size = MK_MAX_NAME + 1;
	if (copy.build_id_digits.size > 2 * MK_BUILD_ID)
		copy.build_id_digits.size = 0;
	return copy;
}

bool gsym_render_unknown_module(struct scene *s, const struct mk_element *e)
{
	if (e->kind != MK_MMAP ||
	    gsym_mk_module_find(&s->line->process->context, e->id))
		return false;
	gsym_mk_say(s->host, GSYM_MARKUP_ERROR, e->fields[3].at,
		    "unknown module ID");
	return true;
}

bool gsym_render_usable(struct scene *s, const struct mk_element *e)
{
	if (e->kind <= MK_NO_TAG ||
	    (e->late && gsym_render_unknown_module(s, e)))
		return false;
	if (e->error.fault) {
		gsym_mk_say_problem(s->host, e, &e->error, GSYM_MARKUP_ERROR);
		return false;
	}
	if (e->remark.fault)
		gsym_mk_say_problem(s->host, e, &e->remark, GSYM_MARKUP_NOTE);
	return !gsym_render_unknown_module(s, e);
}

void gsym_render_not_added(struct scene *s, const struct mk_element *e)
{
	const struct mk_context *c = &s->line->process->context;

	if (e->kind == MK_MODULE && c->module_count >= MK_MAX_MODULES)
		gsym_mk_say(s->host, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many modules");
	else if (e->kind == MK_MMAP && c->mapping_count >= MK_MAX_MAPPINGS)
		gsym_mk_say(s->host, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many mmaps");
	else
		s->host->out->out_of_memory = true;
}

/* Report that E gives the ID of a module to another build ID. */
static void say_taken_over(struct scene *s, const struct mk_element *e)
{
	bool chosen = s->host->options->headers != GSYM_MARKUP_HEADERS_NONE;

	gsym_mk_say(s->host, GSYM_MARKUP_NOTE, e->fields[0].at,
		    "module ID #0x%" PRIx64
		    " is taken over by another build ID",
		    e->id);
	if (s->told_of_processes)
		return;
	s->told_of_processes = true;
	gsym_mk_say(s->host, GSYM_MARKUP_NOTE, NULL,
		    "two build IDs claim one module ID: if several processes "
		    "wrote the log, --by-process%s tells them apart",
		    chosen ? "=regex:ERE, with an ERE for the start of lines,"
			   : "");
}

static bool apply_module(struct scene *s, const struct mk_element *e)
{
	struct mk_context *c = &s->line->process->context;
	struct mk_module *old = gsym_mk_module_find(c, e->id);

	if (old && old->build_id_size == e->build_id_size &&
	    memcmp(old->build_id, e->build_id, e->build_id_size) == 0)
		return true;
	struct mk_element kept = trimmed(e);
	struct mk_module *module = gsym_mk_module_add(c, &kept);

	if (!module) {
		gsym_render_not_added(s, e);
		return false;
	}
	if (old)
		say_taken_over(s, e);
	if (e->build_id_digits.size > 2 * MK_BUILD_ID)
		gsym_mk_say(s->host, GSYM_MARKUP_NOTE, e->build_id_digits.at,
			    "only the first %d bytes of a build ID count",
			    MK_BUILD_ID);
	entry_for(s, module, true);
	return true;
}

static bool same_mapping(const struct mk_mapping *a, const struct mk_mapping *b)
{
	return a->start == b->start && a->last == b->last &&
	       a->relative == b->relative && a->module == b->module &&
	       strcmp(a->mode, b->mode) == 0;
}

static void note_range(struct scene *s, const struct mk_mapping *range)
{
	struct mk_collected *b = &s->line->process->collected;

	/* Memory is bounded, however many ranges the log has. */
	if (b->range_count >= MK_MAX_RANGES) {
		if (!s->line->first)
			return;
		gsym_render_write_held(s);
	}
	struct mk_entry *entry = entry_for(s, range->module, false);
	struct mk_mapping *to = entry ? gsym_vec_push(&entry->ranges) : NULL;

	if (!to) {
		s->host->out->out_of_memory = true;
		return;
	}
	*to = *range;
	b->range_count++;
}

static bool apply_mmap(struct scene *s, const struct mk_element *e)
{
	struct mk_context *c = &s->line->process->context;
	struct mk_mapping new = {
		.start = e->address,
		.last = e->address + e->size - 1,
		.relative = e->relative,
		.module = gsym_mk_module_find(c, e->id),
	};
	const struct mk_mapping *old;

	memcpy(new.mode, e->mode, sizeof(new.mode));
	if (e->size == 0) {
		gsym_mk_say(s->host, GSYM_MARKUP_NOTE, e->fields[1].at,
			    "an mmap of size 0 is ignored");
		return true;
	}
	if (new.last < new.start)
		new.last = UINT64_MAX;
	old = gsym_mk_mapping_overlap(c, new.start, new.last);
	if (old && same_mapping(old, &new))
		return true;
	/* A mapping in the middle of another leaves two parts of it. */
	if (c->mapping_count + 2 > MK_MAX_MAPPINGS) {
		gsym_mk_say(s->host, GSYM_MARKUP_ERROR, e->fields[0].at,
			    "too many mmaps");
		return false;
	}
	if (old)
		gsym_mk_say(s->host, GSYM_MARKUP_NOTE, e->fields[0].at,
			    "an mmap replaces part of #0x%" PRIx64
			    " [0x%" PRIx64 "-0x%" PRIx64 "]",
			    old->module->id, old->start, old->last);
	if ((old && !gsym_mk_mapping_cut(c, new.start, new.last)) ||
	    !gsym_mk_mapping_add(c, &new)) {
		s->host->out->out_of_memory = true;
		return false;
	}
	if (!new.module->based) {
		new.module->based = true;
		new.module->base = new.start >= new.relative
					   ? new.start - new.relative
					   : new.start;
	}
	note_range(s, &new);
	return true;
}

/* Write E, a reset element, as a line of its own before the line at hand. */
static void put_reset_line(struct scene *s, const struct mk_element *e)
{
	struct mk_out *o = s->host->out;
	struct logs_text prefix = line_prefix(s);

	gsym_mk_begin_line(o);
	gsym_mk_paint_text(o, prefix.at, prefix.at + prefix.size);
	gsym_render_raw(s->host, o, e);
	gsym_mk_end_line(o, mk_newline(s->line));
}

static void apply_reset(struct scene *s, struct mk_out *o,
			const struct mk_element *e)
{
	struct mk_context *c = &s->line->process->context;
	bool shown =
		s->host->options->module_lines == GSYM_MARKUP_MODULES_FULL &&
		s->host->options->style != GSYM_MARKUP_STYLE_FUCHSIA &&
		(c->modules || c->mapping_count);

	/* "{{{reset:end}}}" ends a stack trace: memory stays as it is until the
	 * next trace begins. */
	if (e->field_count == 1 && logs_is(e->fields[0], "end"))
		return;
	/* In the middle of a line module lines cannot be written; later the
	 * modules are gone.  So they are dropped. */
	if (s->line->first)
		gsym_render_write_held(s);
	forget_collected(&s->line->process->collected);
	gsym_mk_context_reset(c);
	if (s->line->process->log)
		gsym_stacks_reset(s->line->process->log);
	if (s->host->calls.reset)
		s->host->calls.reset(s->host->calls.context);
	if (shown && s->line->first)
		put_reset_line(s, e);
	else if (shown)
		gsym_render_raw(s->host, o, e);
}

bool gsym_render_apply(struct scene *s, struct mk_out *o,
		       const struct mk_element *e)
{
	bool done = true;

	if (e->kind == MK_MODULE)
		done = apply_module(s, e);
	else if (e->kind == MK_MMAP)
		done = apply_mmap(s, e);
	else
		apply_reset(s, o, e);
	gsym_mk_process_changed(s->processes, s->line->process);
	return done;
}

/* ---- module lines --------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct mk_mapping *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void gsym_render_put_ranges(struct mk_out *o, struct mk_entry *entry, bool llvm)
{
	if (entry->ranges.count > 1)
		qsort(entry->ranges.items, entry->ranges.count,
		      sizeof(*entry->ranges.items), by_start);
	for (size_t i = 0; i < entry->ranges.count; i++) {
		const struct mk_mapping *r = &entry->ranges.items[i];

		bool first = i == 0 ||
			     (llvm && r->start == entry->ranges.items->start);

		mk_puts(o, first ? " [" : ",[");
		gsym_mk_value_hex(o, r->start);
		mk_puts(o, "-");
		gsym_mk_value_hex(o, r->last);
		mk_puts(o, "](");
		gsym_mk_value(o, r->mode, strlen(r->mode));
		mk_puts(o, ")");
	}
}

void gsym_render_put_module(struct mk_out *o, const struct mk_module *module)
{
	mk_puts(o, "[[[ELF module");
	gsym_mk_value_begin(o);
	mk_puts(o, " #0x");
	gsym_mk_put_hex(o, module->id, 1);
	mk_puts(o, " ");
	gsym_mk_value_end(o);
	gsym_mk_paint_plain(o, "\"", 1);
	gsym_mk_value(o, module->name.at, module->name.size);
	gsym_mk_paint_plain(o, "\"", 1);
}

/* The hexadecimal digits AT to END in lower case. */
static void put_digits(struct mk_out *o, const char *at, const char *end)
{
	for (; at < end; at++) {
		char digit = *at >= 'A' && *at <= 'F' ? *at | 0x20 : *at;

		mk_put(o, &digit, 1);
	}
}

void gsym_render_put_build_id(struct mk_out *o, const struct mk_module *module)
{
	struct logs_text digits = module->build_id_digits;

	gsym_mk_value_begin(o);
	for (size_t i = 0; i < module->build_id_size; i++)
		gsym_mk_put_hex(o, module->build_id[i], 2);
	/* llvm-symbolizer shows build IDs of any size. */
	if (o->llvm && digits.size > 2 * MK_BUILD_ID)
		put_digits(o, digits.at + 2 * MK_BUILD_ID - (digits.size & 1),
			   digits.at + digits.size);
	gsym_mk_value_end(o);
}

/* Write the module line of ENTRY of B.  BRIEF: in short form, in which a module
 * has one line, once its base address is known. */
static void put_entry(struct mk_out *o, const struct mk_collected *b,
		      struct mk_entry *entry, bool brief)
{
	const char *prefix = gsym_vec_from(&b->text, entry->prefix);

	if (brief && (!entry->ranges.count || entry->module->announced))
		return;
	entry->module->announced = true;
	gsym_mk_begin_line(o);
	if (entry->prefix_size)
		gsym_mk_paint_text(o, prefix, prefix + entry->prefix_size);
	gsym_mk_paint_begin(o, "module", NULL);
	gsym_render_put_module(o, entry->module);
	if (brief)
		mk_puts(o, " BuildID=");
	else
		mk_puts(o, entry->fresh ? "; BuildID=" : "; adds");
	if (entry->fresh || brief)
		gsym_render_put_build_id(o, entry->module);
	if (brief) {
		mk_puts(o, " ");
		gsym_mk_value_hex(o, entry->module->base);
	} else {
		gsym_render_put_ranges(o, entry, false);
	}
	mk_puts(o, "]]]");
	if (o->html) {
		o->page->trouble.message[0] = 0;
		gsym_render_tip_module(o, entry);
	}
	gsym_mk_paint_end(o);
	gsym_mk_end_line(o, entry->crlf ? "\r\n" : "\n");
}

static void put_lines(struct mk_out *o,
		      const struct gsym_markup_options *options,
		      struct mk_collected *b)
{
	bool shown = options->module_lines != GSYM_MARKUP_MODULES_NONE;
	bool brief = options->module_lines == GSYM_MARKUP_MODULES_SHORT;
	/* Several lines, or one with many ranges, can be folded away. */
	bool folded =
		shown && o->html && b->entries.count &&
		(b->entries.count > 1 || b->entries.items[0].ranges.count > 3);

	gsym_mk_fresh_line(o);
	if (b->start.count) {
		gsym_mk_begin_line(o);
		gsym_mk_paint_text(o, b->start.items,
				   b->start.items + b->start.count);
		gsym_mk_end_line(o, b->start_crlf ? "\r\n" : "\n");
	}
	if (folded)
		gsym_mk_details_begin(o, b->entries.count);
	for (size_t i = 0; shown && i < b->entries.count; i++)
		put_entry(o, b, &b->entries.items[i], brief);
	if (folded)
		gsym_mk_details_end(o);
}

/* Write the module lines that P has collected, and flush.  What waits for
 * longer has to be written before. */
static void put_collected(struct scene *s, struct mk_process *p)
{
	struct mk_out *o = s->host->out;

	if (!mk_has_collected(p))
		return;
	put_lines(o, s->host->options, &p->collected);
	forget_collected(&p->collected);
	gsym_mk_process_changed(s->processes, p);
	mk_complete(o);
	gsym_mk_drain(o, false);
}

/* ---- what is held --------------------------------------------------- */

static void put_as_text(struct mk_out *out, const struct mk_unended *o)
{
	const char *at = o->text.items, *end = at + o->text.count;
	size_t line = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		gsym_mk_paint_text(out, at, newline ? newline : end);
		gsym_mk_end_line(out, newline ? "\n" : "");
		at = newline ? newline + 1 : end;
		if (at < end)
			mk_begin_log_line(out, o->lines.items[++line]);
	}
}

/* Write the lines so far of P's open element as they are. */
static void pass(struct scene *s, struct mk_process *p)
{
	struct mk_unended *o = &p->unended;
	struct mk_out *out = s->host->out;

	if (o->state != MK_UNENDED)
		return;
	out->page->process = p;
	gsym_mk_fresh_line(out);
	mk_put(out, o->head.items, o->head.count);
	put_as_text(out, o);
	out->page->within = false;
	out->page->process = s->line->process;
	o->state = MK_PASSED;
	gsym_mk_process_changed(s->processes, p);
	mk_complete(out);
	gsym_mk_drain(out, false);
}

void gsym_render_write_before(struct scene *s, const struct mk_process *p)
{
	struct mk_process *first;

	while ((first = s->processes->holding) && first != p) {
		pass(s, first);
		put_collected(s, first);
	}
}

void gsym_render_write_held(struct scene *s)
{
	gsym_render_write_before(s, NULL);
}

void gsym_render_write_collected(struct scene *s, struct mk_process *p)
{
	if (!mk_has_collected(p))
		return;
	gsym_render_write_before(s, p);
	put_collected(s, p);
}

void gsym_render_give_up(struct scene *s, struct mk_process *p)
{
	struct mk_unended *o = &p->unended;

	if (!o->state)
		return;
	if (o->state == MK_UNENDED) {
		gsym_render_write_before(s, p);
		pass(s, p);
	}
	o->state = MK_NO_ELEMENT;
	gsym_mk_process_changed(s->processes, p);
	gsym_vec_fini(&o->text);
	gsym_vec_fini(&o->head);
	gsym_vec_fini(&o->lines);
}
