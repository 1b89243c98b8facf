/* SPDX-License-Identifier: MIT */
/* Writes lines that were held back, in the order of the log. */
#include "markup/wait.h"

#include "markup/filter.h"
#include "markup/paint.h"

/* Write the lines of O as they were in the log. */
static void put_as_text(struct gsym_mk_out *out, const struct gsym_mk_open *o)
{
	const char *at = o->text.items, *end = at + o->text.count;
	size_t line = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		gsym_mk_paint_text(out, at, newline ? newline : end);
		gsym_mk_end_line(out, newline ? "\n" : "");
		at = newline ? newline + 1 : end;
		if (at < end)
			gsym_mk_begin_log_line(out, o->lines.items[++line]);
	}
}

/* Write the lines so far of P's open element as they are. */
static void pass(struct gsym_markup *f, struct gsym_mk_process *p)
{
	struct gsym_mk_open *o = &p->open;
	struct gsym_mk_out *out = &f->out;
	struct gsym_mk_text *to = out->to;
	struct gsym_mk_sgr sgr = out->sgr;

	if (!o->active || o->passed)
		return;
	out->to = &out->main;
	out->sgr = gsym_mk_no_sgr;
	out->page.process = p;
	gsym_mk_fresh_line(out);
	gsym_mk_put(out, o->head.items, o->head.count);
	put_as_text(out, o);
	out->to = to;
	out->sgr = sgr;
	out->page.within = false;
	out->page.process = f->process;
	o->passed = true;
	gsym_mk_count_waiting(&f->processes, p);
	gsym_mk_complete(out);
	gsym_mk_drain(out, false);
}

void gsym_mk_write_before(struct gsym_markup *f,
			  const struct gsym_mk_process *p)
{
	struct gsym_mk_process *first;

	while ((first = f->processes.held) && first != p) {
		pass(f, first);
		gsym_mk_end_block(f, first);
	}
}

void gsym_mk_write_waiting(struct gsym_markup *f)
{
	gsym_mk_write_before(f, NULL);
}

void gsym_mk_write_block(struct gsym_markup *f, struct gsym_mk_process *p)
{
	if (!gsym_mk_block_open(p))
		return;
	gsym_mk_write_before(f, p);
	gsym_mk_end_block(f, p);
}

void gsym_mk_give_up(struct gsym_markup *f, struct gsym_mk_process *p)
{
	struct gsym_mk_open *o = &p->open;

	if (!o->active)
		return;
	if (!o->passed) {
		gsym_mk_write_before(f, p);
		pass(f, p);
	}
	o->active = o->passed = false;
	gsym_mk_count_waiting(&f->processes, p);
	gsym_vec_fini(&o->text);
	gsym_vec_fini(&o->head);
	gsym_vec_fini(&o->lines);
}
