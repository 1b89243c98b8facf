/* SPDX-License-Identifier: MIT */
/* Elements dumpfile, symbol and data; chooses the file that writes another
 * element. */
#include "config.h"

#include "render/scene.h"

#include "base/order.h"

/* ---- dumpfile ------------------------------------------------------- */

/* Each element hands all modules and segments to the host.  So that this does
 * not take time out of proportion to the log, no more of them are handed over
 * in all than MOST, and MORE for each line of the log. */
#define MOST GSYM_LIMIT(1u << 20, 1)
#define MORE GSYM_LIMIT(16u, 1)

/* Modules and segments for the host. */
struct dump_lists {
	struct {
		GSYM_VEC(struct gsym_markup_module);
	} modules;
	struct {
		GSYM_VEC(struct gsym_markup_segment);
	} segments;
};

static int by_id(const void *a, const void *b)
{
	const struct gsym_markup_module *x = a, *y = b;

	return GSYM_ORDER(x->id, y->id);
}

static bool collect_modules(const struct mk_context *c,
			    struct dump_lists *lists)
{
	for (const struct mk_module *at = c->modules; at; at = at->before) {
		/* The module's ID may belong to another module by now. */
		if (gsym_mk_module_find(c, at->id) != at)
			continue;
		struct gsym_markup_module *to = gsym_vec_push(&lists->modules);

		if (!to)
			return false;
		*to = (struct gsym_markup_module){
			.id = at->id,
			.name = at->name.at,
			.name_size = at->name.size,
			.build_id = at->build_id,
			.build_id_size = at->build_id_size,
		};
	}
	if (lists->modules.count)
		qsort(lists->modules.items, lists->modules.count,
		      sizeof(*lists->modules.items), by_id);
	return true;
}

static bool collect_segments(const struct mk_context *c,
			     struct dump_lists *lists)
{
	const struct mk_mapping *m = gsym_mk_mapping_floor(c, 0);

	if (!m)
		m = gsym_mk_mapping_above(c, 0);
	for (; m; m = gsym_mk_mapping_above(c, m->start)) {
		struct gsym_markup_segment *to =
			gsym_vec_push(&lists->segments);

		if (!to)
			return false;
		*to = (struct gsym_markup_segment){
			.start = m->start,
			.last = m->last,
			.relative = m->relative,
			.module = m->module->id,
		};
		memcpy(to->mode, m->mode, sizeof(to->mode));
	}
	return true;
}

/* Whether all modules and segments of C may be handed over once more; false
 * after a message about E. */
static bool may_tell(struct scene *s, const struct mk_element *e,
		     const struct mk_context *c)
{
	uint64_t count = (uint64_t)c->module_count + c->mapping_count;

	if (s->dumped + count > MOST + MORE * s->line->number) {
		gsym_mk_say(s->host, GSYM_MARKUP_ERROR, e->whole.at,
			    "too many dumpfile elements for so many modules: "
			    "this one has no dump file");
		return false;
	}
	s->dumped += count;
	return true;
}

/* Call the host's DUMP for E. */
static void tell(struct scene *s, const struct mk_element *e)
{
	const struct mk_context *c = &s->line->process->context;
	struct dump_lists lists = { 0 };

	if (!s->host->calls.dump || !may_tell(s, e, c))
		return;
	if (!collect_modules(c, &lists) || !collect_segments(c, &lists))
		s->host->out->out_of_memory = true;
	struct gsym_markup_dump dump = {
		.type = e->type.at,
		.type_size = e->type.size,
		.name = e->name.at,
		.name_size = e->name.size,
		.line = s->line->number,
		.process = s->line->process->name.items,
		.process_size = s->line->process->name.count,
		.modules = lists.modules.items,
		.module_count = lists.modules.count,
		.segments = lists.segments.items,
		.segment_count = lists.segments.count,
	};
	/* The host's callback may write to the same place as the filter. */
	gsym_mk_drain(s->host->out, true);
	s->host->calls.dump(s->host->calls.context, &dump);
	gsym_vec_fini(&lists.modules);
	gsym_vec_fini(&lists.segments);
}

static void present_dumpfile(struct scene *s, struct mk_out *o,
			     const struct mk_element *e)
{
	bool link = o->html && s->host->options->dumpfile_url;

	tell(s, e);
	gsym_mk_paint_begin(o, "dump", e);
	mk_puts(o, "[[[dumpfile:");
	if (link)
		gsym_mk_link_begin(o, s->host->options->dumpfile_url, "tn",
				   e->type, e->name, "-._~");
	gsym_mk_value(o, e->type.at, e->type.size);
	mk_puts(o, ":");
	gsym_mk_value(o, e->name.at, e->name.size);
	if (link)
		mk_puts(o, "</a>");
	mk_puts(o, "]]]");
	if (o->html)
		gsym_render_tip_dump(o, &s->line->process->context);
	gsym_mk_paint_end(o);
}

/* ---- symbol, data; all others --------------------------------------- */

static void put_name(struct mk_out *o, const char *name)
{
	gsym_mk_paint_foreign(o, name, strlen(name));
}

static bool present_symbol(struct scene *s, struct mk_out *o,
			   const struct mk_element *e)
{
	/* The host's callback needs a name that ends with NUL. */
	s->host->scratch.count = 0;
	if (!mk_append(s->host->out, &s->host->scratch, e->name.at,
		       e->name.size) ||
	    !mk_append(s->host->out, &s->host->scratch, "", 1))
		return false;
	gsym_mk_paint_begin(o, "symbol", e);
	if (s->host->calls.demangle && !memchr(e->name.at, 0, e->name.size))
		put_name(o, s->host->calls.demangle(s->host->calls.context,
						    s->host->scratch.items,
						    false));
	else
		gsym_mk_paint_foreign(o, e->name.at, e->name.size);
	if (o->html)
		gsym_render_tip_symbol(o, e->name);
	gsym_mk_paint_end(o);
	return true;
}

static void present_data(struct scene *s, struct mk_out *o,
			 const struct mk_element *e)
{
	uint64_t address = e->address;
	const struct mk_mapping *m = gsym_mk_locate(
		s->processes, s->line->process, s->host->options, &address);
	struct gsym_markup_datum datum;

	if (!m) {
		gsym_render_uncovered(s->host, o, e);
		return;
	}
	bool known = gsym_mk_data(s->host, m, address, &datum);

	if (s->host->out->llvm && !m->module->symbols) {
		gsym_render_raw(s->host, o, e);
		return;
	}
	gsym_mk_paint_begin(o, "data", e);
	if (known) {
		put_name(o, gsym_mk_demangle(s->host, datum.name));
		if (datum.offset && !s->host->out->llvm) {
			mk_puts(o, "+");
			gsym_mk_value_hex(o, datum.offset);
		}
	} else if (s->host->out->llvm) {
		mk_puts(o, "<invalid>");
	} else {
		gsym_render_put_offset(o, m, address);
	}
	if (o->html)
		gsym_render_tip_address(s->host, o, e, address, m, NULL);
	gsym_mk_paint_end(o);
}

bool gsym_render_present(struct scene *s, struct mk_out *o,
			 const struct mk_element *e)
{
	switch (e->kind) {
	case MK_SYMBOL:
		return present_symbol(s, o, e);
	case MK_DATA:
		present_data(s, o, e);
		return true;
	case MK_PC:
		gsym_render_present_pc(s, o, e);
		return true;
	case MK_BT:
		gsym_render_present_bt(s, o, e);
		return true;
	case MK_HEXDICT:
		if (s->host->out->llvm ||
		    s->host->options->hexdict == GSYM_MARKUP_HEXDICT_OFF)
			return false;
		gsym_render_hexdict_one(s, o, e);
		return true;
	case MK_DUMPFILE:
		if (s->host->out->llvm)
			return false;
		present_dumpfile(s, o, e);
		return true;
	default:
		return false;
	}
}
