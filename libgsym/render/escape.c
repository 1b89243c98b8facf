/* SPDX-License-Identifier: MIT */
/* Answers escaped as the text is in which they are written. */
#include "config.h"

#include "render/render.h"

/* The number of bytes at AT, at most SIZE, that no wrapping escapes. */
static size_t plain_length(const char *at, size_t size)
{
	size_t i = 0;

	while (i < size && ((at[i] >= '(' && at[i] <= ';') || at[i] == ' ' ||
			    (at[i] >= '?' && at[i] <= '[') ||
			    (at[i] >= ']' && at[i] <= '~')))
		i++;
	return i;
}

/* Escape the bytes of the output from BEFORE on for ROW. */
static void escape_for(struct gsym_mk_host *h, struct gsym_mk_out *o,
		       uint8_t row, size_t before)
{
	struct gsym_mk_text *text = &o->text, *copy = &h->scratch;
	size_t size = text->count - before, taken;

	copy->count = 0;
	/* Without memory there is no answer. */
	if (!gsym_mk_append(o, copy, text->items + before, size))
		size = 0;
	text->count = before;
	for (size_t i = 0; i < size; i += taken) {
		char to[LOGS_ESCAPED];

		taken = plain_length(copy->items + i, size - i);
		if (taken) {
			gsym_mk_put(o, copy->items + i, taken);
			continue;
		}
		gsym_mk_put(o, to,
			    gsym_logs_escape(row, copy->items + i, size - i, to,
					     &taken));
	}
}

void gsym_render_escape(struct gsym_mk_host *h, struct gsym_mk_out *o,
			const struct logs_layers *layers, size_t before)
{
	for (size_t i = layers->count; i-- && o->text.count > before;)
		escape_for(h, o, layers->rows[i], before);
}
