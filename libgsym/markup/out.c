/* SPDX-License-Identifier: MIT */
/* Collects output, and hands it to the host. */
#include "config.h"

#include "markup/out.h"

/* From this many collected bytes on the output goes to the host. */
#define ENOUGH GSYM_LIMIT(64u << 10, 16)

void gsym_mk_out_init(struct gsym_mk_out *o,
		      const struct gsym_markup_host *host,
		      const struct gsym_markup_options *options)
{
	o->write = host->write;
	o->part = host->part;
	o->context = host->context;
	o->page.part_size = options->part_size;
	o->html = options->html;
	o->colour = options->colour;
	o->strip_ansi = options->strip_ansi;
	o->raw_names = options->raw_names;
	o->llvm = options->style == GSYM_MARKUP_STYLE_LLVM;
	o->to = &o->main;
	o->sgr = gsym_mk_no_sgr;
}

void gsym_mk_out_fini(struct gsym_mk_out *o)
{
	gsym_vec_fini(&o->main);
	gsym_vec_fini(&o->aside);
	gsym_vec_fini(&o->page.processes);
}

void gsym_mk_put_slow(struct gsym_mk_out *o, const char *bytes, size_t size)
{
	if (!gsym_mk_text_add(o->to, bytes, size))
		o->out_of_memory = true;
}

void gsym_mk_put_hex(struct gsym_mk_out *o, uint64_t value, unsigned width)
{
	char digits[16];
	unsigned at = 16;

	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value || 16 - at < width);
	gsym_mk_put(o, digits + at, 16 - at);
}

void gsym_mk_put_decimal(struct gsym_mk_out *o, uint64_t value)
{
	char digits[20];
	unsigned at = 20;

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	gsym_mk_put(o, digits + at, 20 - at);
}

void gsym_mk_drain(struct gsym_mk_out *o, bool all)
{
	size_t ready = o->complete;

	if (ready == 0 || (!all && ready < ENOUGH))
		return;
	if (o->write)
		o->write(o->context, o->main.items, ready);
	o->main.count -= ready;
	o->complete = 0;
	if (o->main.count)
		memmove(o->main.items, o->main.items + ready, o->main.count);
}
