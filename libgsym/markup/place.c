/* SPDX-License-Identifier: MIT */
/* Writes functions and places in the source. */
#include "config.h"

#include "markup/host.h"

#include <inttypes.h>
#include <stdio.h>

#include "markup/filter.h"
#include "markup/html.h"
#include "markup/paint.h"

/* Whether the first SIZE bytes of TEXT, which end with '/', end with a folder
 * that a ".." after them would leave.  *CUT becomes the start of its name. */
static bool has_parent(const char *text, size_t size, size_t *cut)
{
	size_t start = size ? size - 1 : 0;

	while (start && text[start - 1] != '/')
		start--;
	*cut = start;
	return size > start + 1 && memcmp(text + start, "./", 2) != 0 &&
	       (size < start + 3 || memcmp(text + start, "../", 3) != 0);
}

/* Take "name/.." out of PATH. */
static void normalise(struct gsym_mk_text *path)
{
	char *text = path->items;
	size_t to = 0, cut;

	if (path->count < 4 || !memmem(text, path->count, "/../", 4))
		return;
	for (size_t at = 0; at < path->count;) {
		const char *slash = memchr(text + at, '/', path->count - at);
		size_t end = slash ? (size_t)(slash + 1 - text) : path->count;

		if (end - at == 3 && memcmp(text + at, "../", 3) == 0 &&
		    has_parent(text, to, &cut)) {
			to = cut;
		} else {
			memmove(text + to, text + at, end - at);
			to += end - at;
		}
		at = end;
	}
	path->count = to;
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
	if (f->options.html)
		normalise(&f->scratch);
	return (struct gsym_mk_slice){ f->scratch.items, f->scratch.count };
}

/* The text of KEY in the memo, whose place goes to *PLACE unless it is there
 * already; false if there is none. */
static bool kept(const struct gsym_mk_memo *memo,
		 const struct gsym_mk_memo_key *key, gsym_mk_memo_place *place,
		 struct gsym_mk_slice *ret)
{
	if (!*place)
		*place = gsym_mk_memo_find(memo, key);
	if (*place)
		ret->at = gsym_mk_memo_at(memo, *place, &ret->size);
	return *place != 0;
}

/* The SIZE bytes of foreign text at AT as they are shown, which are kept for
 * KEY at *PLACE. */
static struct gsym_mk_slice shown(struct gsym_markup *f,
				  const struct gsym_mk_memo_key *key,
				  gsym_mk_memo_place *place, const char *at,
				  size_t size)
{
	struct gsym_mk_out *o = &f->out;
	struct gsym_mk_text *to = o->to;

	f->draft.count = 0;
	o->to = &f->draft;
	gsym_mk_paint_foreign(o, at, size);
	o->to = to;
	if (!o->out_of_memory)
		*place = gsym_mk_memo_add(&f->memo, key, f->draft.items,
					  f->draft.count);
	return (struct gsym_mk_slice){ f->draft.items, f->draft.count };
}

struct gsym_mk_slice gsym_mk_function_text(struct gsym_markup *f,
					   struct gsym_mk_level *level)
{
	const char *name = level->frame.function;
	const struct gsym_mk_memo_key key = { GSYM_MK_MEMO_FUNCTION, name, 0 };
	struct gsym_mk_slice text;

	if (kept(&f->memo, &key, &level->function, &text))
		return text;
	if (f->host.demangle)
		name = f->host.demangle(f->host.context, name, true);
	if (!*name)
		name = "<invalid>";
	return shown(f, &key, &level->function, name, strlen(name));
}

struct gsym_mk_slice gsym_mk_file_text(struct gsym_markup *f,
				       struct gsym_mk_level *level)
{
	const struct gsym_markup_frame *frame = &level->frame;
	const struct gsym_mk_memo_key key = { GSYM_MK_MEMO_FILE,
					      frame->directory,
					      (uintptr_t)frame->basename };
	struct gsym_mk_slice text;

	if (kept(&f->memo, &key, &level->file, &text))
		return text;
	text = gsym_mk_path(f, frame);
	return shown(f, &key, &level->file, text.at, text.size);
}

static void value(struct gsym_mk_out *o, struct gsym_mk_slice text)
{
	gsym_mk_value_begin(o);
	gsym_mk_put(o, text.at, text.size);
	gsym_mk_value_end(o);
}

void gsym_mk_put_file(struct gsym_markup *f, struct gsym_mk_level *level)
{
	const struct gsym_markup_frame *frame = &level->frame;

	if (!*frame->basename) {
		gsym_mk_value(&f->out, "<invalid>", 9);
		return;
	}
	char line[12];
	bool link = f->options.html && f->options.source_url;

	if (link) {
		int n = snprintf(line, sizeof(line), "%" PRIu32, frame->line);
		gsym_mk_link_begin(&f->out, f->options.source_url, "fl",
				   gsym_mk_path(f, frame),
				   (struct gsym_mk_slice){ line, (size_t)n },
				   "-._~/");
	}
	value(&f->out, gsym_mk_file_text(f, level));
	if (link)
		gsym_mk_puts(&f->out, "</a>");
}

void gsym_mk_put_row(struct gsym_mk_out *o,
		     const struct gsym_markup_frame *frame)
{
	if (!frame->line)
		return;
	gsym_mk_puts(o, ":");
	gsym_mk_value_decimal(o, frame->line);
	if (frame->column) {
		gsym_mk_puts(o, ":");
		gsym_mk_value_decimal(o, frame->column);
	}
}

void gsym_mk_put_place(struct gsym_markup *f, const char *separator,
		       struct gsym_mk_level *level)
{
	struct gsym_mk_out *o = &f->out;

	if (!*level->frame.basename)
		return;
	gsym_mk_puts(o, separator);
	gsym_mk_put_file(f, level);
	gsym_mk_put_row(o, &level->frame);
}

void gsym_mk_put_function(struct gsym_markup *f, struct gsym_mk_level *level)
{
	value(&f->out, gsym_mk_function_text(f, level));
}
