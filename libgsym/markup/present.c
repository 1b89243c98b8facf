/* SPDX-License-Identifier: MIT */
#include "markup/filter.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- asking the host ------------------------------------------------- */

const struct gsym_mk_mapping *gsym_mk_locate(struct gsym_markup *f,
					     uint64_t *address)
{
	struct gsym_mk_context *c = &f->process->context;
	const struct gsym_mk_mapping *m = gsym_mk_mapping_find(c, *address);
	const uint64_t four = (uint64_t)1 << 32;

	if (m || f->llvm)
		return m;
	/* Addresses that their program cut to 32 bits, in a segment that
	 * goes on beyond them. */
	if (*address < four &&
	    (m = gsym_mk_mapping_find(c, *address + four)) &&
	    m->start < four) {
		*address += four;
		return m;
	}
	if (*address >> 63 && f->options.headers) {
		const char *kernel = f->options.kernel_process;
		struct gsym_mk_process *p = gsym_mk_process_known(
			f, (struct gsym_mk_slice){
				   kernel ? kernel : "",
				   kernel ? strlen(kernel) : 0 });

		if (p && p != f->process)
			return gsym_mk_mapping_find(&p->context, *address);
	}
	return NULL;
}

void *gsym_mk_symbols(struct gsym_markup *f, struct gsym_mk_module *module)
{
	struct gsym_markup_module about = {
		.id = module->id,
		.name = module->name.at,
		.name_size = module->name.size,
		.build_id = module->build_id,
		.build_id_size = module->build_id_size,
	};

	if (!module->asked) {
		module->asked = true;
		if (f->host.module)
			module->symbols =
				f->host.module(f->host.context, &about);
		if (!module->symbols && !f->llvm) {
			char id[2 * GSYM_MK_BUILD_ID + 1] = "";

			for (size_t i = 0; i < module->build_id_size; i++)
				snprintf(id + 2 * i, 3, "%02x",
					 module->build_id[i]);
			gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
				    "no symbols for module #0x%" PRIx64
				    " \"%.*s\"; BuildID=%s",
				    module->id,
				    (int)(module->name.size < 200
						  ? module->name.size
						  : 200),
				    module->name.at, id);
		}
	}
	if (!module->symbols && f->llvm)
		gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
			    "could not find build ID");
	return module->symbols;
}

size_t gsym_mk_code(struct gsym_markup *f,
		    const struct gsym_mk_mapping *mapping, uint64_t address,
		    struct gsym_markup_frame *frames)
{
	void *symbols = gsym_mk_symbols(f, mapping->module);

	if (!symbols || !f->host.code)
		return 0;
	return f->host.code(f->host.context, symbols,
			    gsym_mk_relative(mapping, address), frames,
			    GSYM_MARKUP_MAX_FRAMES);
}

const char *gsym_mk_demangle(struct gsym_markup *f, const char *name)
{
	return f->host.demangle ? f->host.demangle(f->host.context, name, true)
				: name;
}

struct gsym_mk_slice gsym_mk_path(struct gsym_markup *f,
				  const struct gsym_markup_frame *frame)
{
	const char *directory = frame->directory;
	size_t length = strlen(directory);

	f->scratch.count = 0;
	if (length && !f->options.basenames) {
		gsym_mk_append(f, &f->scratch, directory, length);
		char last = directory[length - 1];
		bool slash = memchr(directory, '/', length) ||
			     !memchr(directory, '\\', length);
		if (last != (slash ? '/' : '\\'))
			gsym_mk_append(f, &f->scratch, slash ? "/" : "\\", 1);
	}
	gsym_mk_append(f, &f->scratch, frame->basename,
		       strlen(frame->basename));
	return (struct gsym_mk_slice){ f->scratch.items, f->scratch.count };
}

/* ---- pieces ---------------------------------------------------------- */

void gsym_mk_raw(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	const char *at = e->body.at, *end = at + e->body.size;

	gsym_mk_paint_begin(f, "raw");
	gsym_mk_puts(f, "[[[");
	gsym_mk_value(f, e->tag.at, e->tag.size);
	for (size_t i = 0; i < e->field_count; i++) {
		const char *colon = memchr(at, ':', (size_t)(end - at));
		const char *stop = colon ? colon : end;

		gsym_mk_puts(f, ":");
		gsym_mk_value(f, at, (size_t)(stop - at));
		at = stop + 1;
	}
	gsym_mk_puts(f, "]]]");
	gsym_mk_paint_end(f);
}

static void value_text(struct gsym_markup *f, const char *text)
{
	gsym_mk_value(f, text, strlen(text));
}

/* The file of FRAME as a value; with a link to it in HTML. */
static void put_file(struct gsym_markup *f,
		     const struct gsym_markup_frame *frame)
{
	if (!*frame->basename) {
		value_text(f, "<invalid>");
		return;
	}
	struct gsym_mk_slice path = gsym_mk_path(f, frame);
	char line[12];
	bool link = f->options.html && f->options.source_url;

	if (link) {
		int n = snprintf(line, sizeof(line), "%" PRIu32, frame->line);
		gsym_mk_link_begin(f, f->options.source_url, "fl", path,
				   (struct gsym_mk_slice){ line, (size_t)n });
	}
	gsym_mk_value(f, path.at, path.size);
	if (link)
		gsym_mk_puts(f, "</a>");
}

static void put_function(struct gsym_markup *f,
			 const struct gsym_markup_frame *frame)
{
	const char *name = gsym_mk_demangle(f, frame->function);

	value_text(f, *name ? name : "<invalid>");
}

/* "file:line:column" as far as it is known, behind SEPARATOR; whether
 * anything was. */
bool gsym_mk_place(struct gsym_markup *f, const char *separator,
		   const struct gsym_markup_frame *frame)
{
	if (!*frame->basename)
		return false;
	gsym_mk_puts(f, separator);
	put_file(f, frame);
	if (frame->line) {
		gsym_mk_puts(f, ":");
		gsym_mk_value_decimal(f, frame->line);
		if (frame->column) {
			gsym_mk_puts(f, ":");
			gsym_mk_value_decimal(f, frame->column);
		}
	}
	return true;
}

void gsym_mk_put_offset(struct gsym_markup *f,
			const struct gsym_mk_mapping *mapping,
			uint64_t address)
{
	gsym_mk_value(f, mapping->module->name.at,
		      mapping->module->name.size);
	gsym_mk_puts(f, "+");
	gsym_mk_value_hex(f, gsym_mk_relative(mapping, address));
}

/* ---- symbol, data, pc ------------------------------------------------ */

static bool present_symbol(struct gsym_markup *f,
			   const struct gsym_mk_element *e)
{
	const char *shown;

	f->scratch.count = 0;
	if (!gsym_mk_append(f, &f->scratch, e->name.at, e->name.size) ||
	    !gsym_mk_append(f, &f->scratch, "", 1))
		return false;
	gsym_mk_paint_begin(f, "symbol");
	if (f->host.demangle && !memchr(e->name.at, 0, e->name.size)) {
		shown = f->host.demangle(f->host.context, f->scratch.items,
					 false);
		gsym_mk_paint_foreign(f, shown, strlen(shown));
	} else {
		gsym_mk_paint_foreign(f, e->name.at, e->name.size);
	}
	if (f->options.html)
		gsym_mk_tip_text(f, "linkage name", e->name.at, e->name.size);
	gsym_mk_paint_end(f);
	return true;
}

static uint64_t adjust(const struct gsym_markup *f,
		       const struct gsym_mk_element *e)
{
	enum gsym_mk_code code = e->code;
	uint64_t address = e->address;

	if (code == GSYM_MK_UNSUFFIXED) {
		bool back = e->kind == GSYM_MK_BT;

		if (f->options.unsuffixed)
			back = f->options.unsuffixed ==
			       GSYM_MARKUP_UNSUFFIXED_RETURN;
		code = back ? GSYM_MK_RETURN : GSYM_MK_EXACT;
	}
	if (code == GSYM_MK_RETURN && (address || f->llvm))
		address--;
	return address;
}

/* Nothing covers the address: say so, and show the element raw. */
static bool uncovered(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	gsym_mk_say(f, GSYM_MARKUP_ERROR, e->fields[0].at,
		    "no mmap covers address");
	if (f->options.html) {
		gsym_mk_puts(f, "<span class=\"sym err\" tabindex=\"0\">");
		gsym_mk_raw(f, e);
		gsym_mk_tip_error(f, "no mmap covers the address");
		gsym_mk_puts(f, "</span>");
		return true;
	}
	gsym_mk_raw(f, e);
	return true;
}

static bool present_data(struct gsym_markup *f,
			 const struct gsym_mk_element *e)
{
	uint64_t address = e->address;
	const struct gsym_mk_mapping *m = gsym_mk_locate(f, &address);
	struct gsym_markup_datum datum;

	if (!m)
		return uncovered(f, e);
	void *symbols = gsym_mk_symbols(f, m->module);
	bool known = symbols && f->host.data &&
		     f->host.data(f->host.context, symbols,
				  gsym_mk_relative(m, address), &datum);

	if (!symbols && f->llvm) {
		gsym_mk_raw(f, e);
		return true;
	}
	gsym_mk_paint_begin(f, "data");
	if (known) {
		const char *name = gsym_mk_demangle(f, datum.name);

		gsym_mk_paint_foreign(f, name, strlen(name));
		if (datum.offset && !f->llvm) {
			gsym_mk_puts(f, "+");
			gsym_mk_value_hex(f, datum.offset);
		}
	} else if (f->llvm) {
		gsym_mk_puts(f, "<invalid>");
	} else {
		gsym_mk_put_offset(f, m, address);
	}
	if (f->options.html)
		gsym_mk_tip_data(f, e, m);
	gsym_mk_paint_end(f);
	return true;
}

static void pc_llvm(struct gsym_markup *f, const struct gsym_mk_element *e,
		    const struct gsym_markup_frame *frame)
{
	if (!frame) {
		gsym_mk_raw(f, e);
		return;
	}
	gsym_mk_paint_begin(f, "pc");
	put_function(f, frame);
	gsym_mk_puts(f, "[");
	put_file(f, frame);
	gsym_mk_puts(f, ":");
	gsym_mk_value_decimal(f, frame->line);
	gsym_mk_puts(f, "]");
	gsym_mk_paint_end(f);
}

static bool present_pc(struct gsym_markup *f,
		       const struct gsym_mk_element *e)
{
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	uint64_t address = adjust(f, e);
	const struct gsym_mk_mapping *m = gsym_mk_locate(f, &address);

	if (!m)
		return uncovered(f, e);
	size_t count = gsym_mk_code(f, m, address, frames);

	if (f->llvm) {
		pc_llvm(f, e, count ? frames : NULL);
		return true;
	}
	gsym_mk_paint_begin(f, "pc");
	if (!count)
		gsym_mk_put_offset(f, m, address);
	for (size_t i = 0; i < count; i++) {
		if (i)
			gsym_mk_paint_plain(f, " <- ", 4);
		put_function(f, &frames[i]);
		if (gsym_mk_place(f, "[", &frames[i]))
			gsym_mk_puts(f, "]");
		if (!f->options.pc_inlines)
			break;
	}
	if (f->options.html)
		gsym_mk_tip_code(f, e, address, m, frames, count);
	gsym_mk_paint_end(f);
	return true;
}

/* ---- bt -------------------------------------------------------------- */

/* The digits of VALUE, at most 20; returns their number. */
static size_t decimal(char *to, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	memcpy(to, digits + at, sizeof(digits) - at);
	return sizeof(digits) - at;
}

/* "    #9.1  0x000000000001113b " */
static void put_frame_number(struct gsym_markup *f, uint64_t frame,
			     size_t level, uint64_t address)
{
	char number[24];
	size_t width = decimal(number, frame);

	gsym_mk_put(f, "     ", width < 5 ? 5 - width : 0);
	gsym_mk_puts(f, "#");
	gsym_mk_value_begin(f);
	gsym_mk_put(f, number, width);
	gsym_mk_value_end(f);
	if (level) {
		width = decimal(number, level);
		if (width < 2)
			number[width++] = ' ';
		gsym_mk_puts(f, ".");
		gsym_mk_value_begin(f);
		gsym_mk_put(f, number, width);
		gsym_mk_value_end(f);
	} else {
		gsym_mk_puts(f, "   ");
	}
	gsym_mk_value_begin(f);
	gsym_mk_puts(f, " 0x");
	gsym_mk_put_hex(f, address, 16);
	gsym_mk_puts(f, " ");
	gsym_mk_value_end(f);
}

static void put_module_part(struct gsym_markup *f,
			    const struct gsym_mk_mapping *m, uint64_t address)
{
	gsym_mk_puts(f, "(");
	gsym_mk_put_offset(f, m, address);
	gsym_mk_puts(f, ")");
}

static void bt_llvm(struct gsym_markup *f, const struct gsym_mk_element *e,
		    uint64_t address, const struct gsym_mk_mapping *m,
		    const struct gsym_markup_frame *frames, size_t count)
{
	gsym_mk_highlight(f);
	for (size_t i = 0; i < count || i == 0; i++) {
		put_frame_number(f, e->frame, i + 1 < count ? i + 1 : 0,
				 address);
		if (count) {
			put_function(f, &frames[i]);
			gsym_mk_puts(f, " ");
			put_file(f, &frames[i]);
			gsym_mk_puts(f, ":");
			gsym_mk_value_decimal(f, frames[i].line);
			gsym_mk_puts(f, ":");
			gsym_mk_value_decimal(f, frames[i].column);
			gsym_mk_puts(f, " ");
		}
		put_module_part(f, m, address);
		if (i + 1 < count)
			gsym_mk_puts(f, f->line.crlf ? "\r\n" : "\n");
	}
	gsym_mk_restore(f);
}

/* "   #8.1  0xffffffff0010347b in f file:665 <kernel>+0x8010347b" */
static void put_frame_fuchsia(struct gsym_markup *f,
			      const struct gsym_mk_element *e, size_t level,
			      const struct gsym_mk_mapping *m,
			      const struct gsym_markup_frame *frame)
{
	char text[64];
	int n = level ? snprintf(text, sizeof(text), "   #%" PRIu64 ".%zu",
				 e->frame, level)
		      : snprintf(text, sizeof(text), "   #%" PRIu64,
				 e->frame);

	gsym_mk_put(f, text, (size_t)n);
	gsym_mk_put(f, "         ", n < 9 ? (size_t)(9 - n) : 1);
	gsym_mk_puts(f, "0x");
	gsym_mk_put_hex(f, e->address, 16);
	if (!m) {
		gsym_mk_puts(f, " is not covered by any module");
		return;
	}
	gsym_mk_puts(f, " in");
	if (frame) {
		gsym_mk_puts(f, " ");
		put_function(f, frame);
		gsym_mk_place(f, " ", frame);
	}
	gsym_mk_paint_plain(f, " <", 2);
	gsym_mk_value(f, m->module->name.at, m->module->name.size);
	gsym_mk_paint_plain(f, ">", 1);
	gsym_mk_puts(f, "+");
	gsym_mk_value_hex(f, gsym_mk_relative(m, e->address));
}

static void put_frame(struct gsym_markup *f, const struct gsym_mk_element *e,
		      size_t level, uint64_t address,
		      const struct gsym_mk_mapping *m,
		      const struct gsym_markup_frame *frame)
{
	put_frame_number(f, e->frame, level, address);
	if (frame) {
		put_function(f, frame);
		gsym_mk_place(f, " ", frame);
		gsym_mk_puts(f, " ");
	}
	put_module_part(f, m, address);
}

static void put_message(struct gsym_markup *f,
			const struct gsym_mk_element *e)
{
	if (!e->message.size)
		return;
	gsym_mk_puts(f, " ");
	gsym_mk_paint_foreign(f, e->message.at, e->message.size);
}

/* The frame of a trace begins: HTML numbers them. */
static void begin_frame(struct gsym_markup *f,
			const struct gsym_mk_element *e, bool named)
{
	char class[64];

	if (!f->options.html || !named) {
		gsym_mk_paint_begin(f, "bt");
		return;
	}
	if (!f->trace || e->frame <= f->last_frame)
		f->trace++;
	f->last_frame = e->frame;
	snprintf(class, sizeof(class),
		 "bt\" id=\"f%" PRIu64 "-%" PRIu64, f->trace, e->frame);
	gsym_mk_paint_begin(f, class);
}

static void bt_lines(struct gsym_markup *f, const struct gsym_mk_element *e,
		     uint64_t address, const struct gsym_mk_mapping *m,
		     const struct gsym_markup_frame *frames, size_t count)
{
	bool fuchsia = f->options.style == GSYM_MARKUP_STYLE_FUCHSIA;
	const struct gsym_mk_line *l = &f->line;

	if (count > 1)
		gsym_mk_surround(f, e);
	for (size_t i = 0; i < count || i == 0; i++) {
		bool last = i + 1 >= count;
		const struct gsym_markup_frame *frame =
			count ? &frames[i] : NULL;

		begin_frame(f, e, i == 0);
		if (fuchsia) {
			put_frame_fuchsia(f, e, count ? count - 1 - i : 0, m,
					  frame);
			put_message(f, e);
		} else {
			put_frame(f, e, last ? 0 : i + 1, address, m, frame);
			if (last)
				put_message(f, e);
		}
		if (f->options.html)
			gsym_mk_tip_code(f, e, address, m, frames, count);
		gsym_mk_paint_end(f);
		if (last)
			break;
		if (fuchsia)
			gsym_mk_paint_text(f, l->tail.at,
					   l->tail.at + l->tail.size);
		gsym_mk_break_line(f);
		gsym_mk_paint_text(f, l->lead.at, l->lead.at + l->lead.size);
	}
}

static bool present_bt(struct gsym_markup *f,
		       const struct gsym_mk_element *e)
{
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	uint64_t address = adjust(f, e);
	const struct gsym_mk_mapping *m = gsym_mk_locate(f, &address);
	size_t count;

	if (!m) {
		if (f->options.style != GSYM_MARKUP_STYLE_FUCHSIA)
			return uncovered(f, e);
		gsym_mk_paint_begin(f, "bt");
		put_frame_fuchsia(f, e, 0, NULL, NULL);
		put_message(f, e);
		gsym_mk_paint_end(f);
		return true;
	}
	count = gsym_mk_code(f, m, address, frames);
	if (f->llvm && !m->module->symbols)
		gsym_mk_raw(f, e);
	else if (f->llvm)
		bt_llvm(f, e, address, m, frames, count);
	else
		bt_lines(f, e, address, m, frames, count);
	return true;
}

bool gsym_mk_present(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	switch (e->kind) {
	case GSYM_MK_SYMBOL:
		return present_symbol(f, e);
	case GSYM_MK_DATA:
		return present_data(f, e);
	case GSYM_MK_PC:
		return present_pc(f, e);
	case GSYM_MK_BT:
		return present_bt(f, e);
	case GSYM_MK_HEXDICT:
		if (f->llvm || f->options.hexdict == GSYM_MARKUP_HEXDICT_OFF)
			return false;
		gsym_mk_hexdict_one(f, e);
		return true;
	case GSYM_MK_DUMPFILE:
		if (f->llvm)
			return false;
		gsym_mk_dumpfile(f, e);
		return true;
	default:
		return false;
	}
}
