/* SPDX-License-Identifier: MIT */
/* Tells the host about frames of backtraces without markup. */
#include "config.h"

#include "logs/scan.h"
#include "markup/filter.h"
#include "markup/logs.h"

/* The most lines without a frame between two frames of one stack trace of the
 * kernel: after the first frame (registers and code), after another one (a line
 * such as "<TASK>"), and before the kernel repeats the first frame (modules,
 * CR2 and "end trace"). */
enum { GAP_FIRST = 24, GAP_KERNEL = 1, GAP_REPEAT = 10 };

/* The number "#12" at the start of FRAME; false if there is none. */
static bool number_of(const struct logs_frame *frame, uint64_t *number)
{
	const char *at = frame->start, *end = frame->insert;

	while (at < end && *at == ' ')
		at++;
	if (at == end || *at++ != '#' || at == end || *at < '0' || *at > '9')
		return false;
	for (*number = 0; at < end && *at >= '0' && *at <= '9'; at++)
		if (*number < 1000000)
			*number = *number * 10 + (uint64_t)(*at - '0');
	return true;
}

/* Whether the kernel marks FRAME as doubtful: "? f+0x1/0x2". */
static bool is_doubtful(const struct gsym_markup *f,
			const struct logs_frame *frame)
{
	const char *name = frame->function.at;

	return frame->log == GSYM_MARKUP_LOG_KERNEL && frame->function.size &&
	       name - f->line.at >= 2 && name[-1] == ' ' && name[-2] == '?';
}

static uint64_t key_of(const struct logs_frame *frame)
{
	return gsym_mk_hash(gsym_mk_log_slice(frame->function)) * 31 +
	       frame->number;
}

/* The number of FRAME in its stack.  Returns false if FRAME is the first one of
 * its stack once more: the kernel repeats the instruction pointer. */
static bool count_frame(struct gsym_markup *f, const struct logs_frame *frame,
			uint64_t *number)
{
	struct gsym_mk_log_state *s = f->process->log;
	bool kernel = frame->log == GSYM_MARKUP_LOG_KERNEL;
	uint64_t gap = !kernel		     ? 0
		       : s->told_number == 0 ? GAP_FIRST
					     : GAP_KERNEL;
	bool begins = frame->begins || (kernel && frame->marked);

	if (number_of(frame, number))
		return true;
	if (begins && s->told_line && s->told_first == key_of(frame) &&
	    f->line_number - s->told_line <= 1 + GAP_REPEAT)
		return false;
	if (begins || !s->told_line || f->line_number < s->told_line ||
	    f->line_number - s->told_line > 1 + gap) {
		s->told_first = key_of(frame);
		*number = 0;
	} else {
		*number = s->told_number + 1;
	}
	return true;
}

void gsym_mk_log_tell(struct gsym_markup *f, const struct gsym_mk_log_hit *hit,
		      bool resolved)
{
	const struct logs_frame *frame = &hit->frame;
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	struct gsym_mk_log_state *s = f->process->log;
	struct gsym_markup_stack_frame told = {
		.line = f->line_number,
		.process = f->process->name.items,
		.process_size = f->process->name.count,
		.module = frame->module.at,
		.module_size = frame->module.size,
		.frames = frames,
		.name = frame->function.at,
		.name_size = frame->function.size,
	};

	if (!s)
		return;
	if (is_doubtful(f, frame)) {
		if (s->told_line)
			s->told_line = f->line_number;
		return;
	}
	if (!count_frame(f, frame, &told.number))
		return;
	s->told_number = told.number;
	s->told_line = f->line_number;
	/* Of several functions of one name, none is told for sure. */
	if (resolved && hit->count == 1 &&
	    gsym_mk_log_look_up(f, hit->symbols, hit->addresses[0])) {
		told.address = hit->addresses[0];
		told.count = f->logs->answer.levels.count;
		for (size_t i = 0; i < told.count; i++)
			frames[i] = gsym_mk_log_level(f, i)->frame;
	}
	f->host.frame(f->host.context, &told);
}
