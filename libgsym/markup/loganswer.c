/* SPDX-License-Identifier: MIT */
/* The levels of an address in backtraces without markup. */
#include "config.h"

#include "markup/logs.h"

#include "markup/filter.h"
#include "markup/host.h"

/* The bytes of PREFIX that the path of FRAME begins with and that are to be
 * left out; 0: the path has another start. */
static size_t prefix_length(const struct gsym_markup_frame *frame,
			    const char *prefix, size_t size)
{
	size_t length = strlen(frame->directory);

	if (!size)
		return 0;
	/* The prefix may end with the slash between folder and file. */
	if (size == length + 1 && prefix[length] == '/')
		size--;
	return size <= length && memcmp(frame->directory, prefix, size) == 0
		       ? size
		       : 0;
}

/* How many bytes options take from the start of FRAME's folder.  The folder
 * that a kernel was built in is known while its frames are looked up. */
static size_t strip_length(struct gsym_markup *f,
			   const struct gsym_markup_frame *frame)
{
	const struct gsym_mk_log_state *s = f->process->log;
	size_t size = 0;

	for (size_t i = 0; i < f->options.strip_prefix_count && !size; i++)
		size = prefix_length(frame, f->options.strip_prefixes[i],
				     strlen(f->options.strip_prefixes[i]));
	if (!size && s->strip.count)
		size = prefix_length(frame, s->strip.items, s->strip.count);
	if (!size && s->strip_code.count)
		size = prefix_length(frame, s->strip_code.items,
				     s->strip_code.count);
	while (size && frame->directory[size] == '/')
		size++;
	return size;
}

struct gsym_mk_level *gsym_mk_log_level(struct gsym_markup *f, size_t i)
{
	struct gsym_mk_log_answer *a = &f->logs->answer;
	struct gsym_mk_level *level = &a->levels.items[i];
	size_t strip = strip_length(f, &level->frame);

	if (!strip)
		return level;
	a->stripped = *level;
	a->stripped.frame.directory += strip;
	a->stripped.file = 0;
	return &a->stripped;
}

bool gsym_mk_log_look_up(struct gsym_markup *f, void *symbols, uint64_t address)
{
	struct gsym_mk_log_answer *a = &f->logs->answer;
	size_t count;

	a->levels = gsym_mk_levels_of(f, symbols, address);
	count = a->levels.count;
	if (count && !*a->levels.items[count - 1].frame.function)
		a->levels.count = 0;
	return a->levels.count > 0;
}

static uint64_t hash_text(const char *text)
{
	return gsym_mk_hash((struct gsym_mk_slice){ text, strlen(text) });
}

uint64_t gsym_mk_log_text_hash(struct gsym_markup *f)
{
	size_t count = f->logs->answer.levels.count;
	uint64_t sum = count;

	for (size_t i = 0; i < count; i++) {
		const struct gsym_markup_frame *frame =
			&gsym_mk_log_level(f, i)->frame;

		sum = sum * 31 + hash_text(frame->function);
		sum = sum * 31 + hash_text(frame->directory);
		sum = sum * 31 + hash_text(frame->basename);
		sum = sum * 31 + frame->line;
	}
	return sum;
}
