/* SPDX-License-Identifier: MIT */
/* dumpfile: shown, and handed to the host with all that is known of
 * memory. */
#include "markup/filter.h"

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

	return (x->id > y->id) - (x->id < y->id);
}

static void collect(struct gsym_markup *f, struct dump_lists *lists)
{
	const struct gsym_mk_context *c = &f->process->context;
	const struct gsym_mk_mapping *m;

	for (const struct gsym_mk_module *at = c->modules; at;
	     at = at->before) {
		if (gsym_mk_module_find(c, at->id) != at)
			continue;
		struct gsym_markup_module *to =
			gsym_vec_push(&lists->modules);

		if (!to) {
			f->out_of_memory = true;
			return;
		}
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
	m = gsym_mk_mapping_floor(c, 0);
	if (!m)
		m = gsym_mk_mapping_above(c, 0);
	for (; m; m = gsym_mk_mapping_above(c, m->start)) {
		struct gsym_markup_segment *to =
			gsym_vec_push(&lists->segments);

		if (!to) {
			f->out_of_memory = true;
			return;
		}
		*to = (struct gsym_markup_segment){
			.start = m->start,
			.last = m->last,
			.relative = m->relative,
			.module = m->module->id,
		};
		memcpy(to->mode, m->mode, sizeof(to->mode));
	}
}

static const char *tell(struct gsym_markup *f,
			const struct gsym_mk_element *e)
{
	struct dump_lists lists = { 0 };

	if (!f->host.dump)
		return NULL;
	collect(f, &lists);
	struct gsym_markup_dump dump = {
		.type = e->type.at,
		.type_size = e->type.size,
		.name = e->name.at,
		.name_size = e->name.size,
		.line = f->line_number,
		.process = f->process->name.items,
		.process_size = f->process->name.count,
		.modules = lists.modules.items,
		.module_count = lists.modules.count,
		.segments = lists.segments.items,
		.segment_count = lists.segments.count,
	};
	/* What is written so far comes before what the host writes. */
	gsym_mk_drain(f, true);
	const char *more = f->host.dump(f->host.context, &dump);

	gsym_vec_fini(&lists.modules);
	gsym_vec_fini(&lists.segments);
	return more;
}

void gsym_mk_dumpfile(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	const char *more = tell(f, e);
	bool link = f->options.html && f->options.dumpfile_url;

	gsym_mk_paint_begin(f, "dump", e);
	gsym_mk_puts(f, "[[[dumpfile:");
	if (link)
		gsym_mk_link_begin(f, f->options.dumpfile_url, "tn", e->type,
				   e->name, "-._~");
	gsym_mk_value(f, e->type.at, e->type.size);
	gsym_mk_puts(f, ":");
	gsym_mk_value(f, e->name.at, e->name.size);
	if (link)
		gsym_mk_puts(f, "</a>");
	gsym_mk_puts(f, "]]]");
	if (more && *more) {
		gsym_mk_paint_plain(f, " -> ", 4);
		gsym_mk_paint_foreign(f, more, strlen(more));
	}
	if (f->options.html)
		gsym_mk_tip_dump(f);
	gsym_mk_paint_end(f);
}
