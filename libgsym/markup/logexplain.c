/* SPDX-License-Identifier: MIT */
/* Tells the host how a frame was read, and what its answer comes from, or why
 * there is none. */
#include "config.h"

#include "markup/loglook.h"

#include <inttypes.h>
#include <stdio.h>

#include "markup/diagnose.h"
#include "markup/filter.h"

enum { LONGEST_NAME = 200, LONGEST_NUMBER = 120, PAGE = 4096 };

static int clip(size_t size)
{
	return (int)(size < LONGEST_NAME ? size : LONGEST_NAME);
}

/* Write what the number of FRAME is to TO. */
static void tell_number(const struct logs_frame *frame, char to[LONGEST_NUMBER])
{
	static const char *const words[] = {
		[LOGS_LINKED] = "linked address 0x%" PRIx64,
		[LOGS_MAPPED] = "0x%" PRIx64 " bytes after the first page",
		[LOGS_FUNCTION] = "0x%" PRIx64 " bytes after the function",
		[LOGS_MEMORY] = "address 0x%" PRIx64 " in memory",
		[LOGS_FILE] = "offset 0x%" PRIx64 " in the file",
	};

	snprintf(to, LONGEST_NUMBER, words[frame->meaning], frame->number);
}

/* Why HIT, whose search ended with OUTCOME, has no answer. */
static const char *reason(const struct gsym_markup *f, enum gsym_look outcome)
{
	const struct gsym_markup_log_symbols *found = &f->logs->found;

	switch (outcome) {
	case GSYM_LOOK_NO_MODULE:
		return found->other ? "the symbols are of another build"
				    : "no symbols";
	case GSYM_LOOK_NO_FUNCTION:
		return "the symbols have no such function or address";
	case GSYM_LOOK_MISMATCH:
		return "the symbols contradict the log";
	default:
		return "nothing tells where the code lies";
	}
}

void gsym_mk_log_explain(struct gsym_markup *f,
			 const struct gsym_mk_log_hit *hit,
			 enum gsym_look outcome)
{
	const struct logs_frame *frame = &hit->frame;
	const struct gsym_markup_log_symbols *found = &f->logs->found;
	/* Of other symbols the reason tells the file. */
	const char *other = hit->symbols ? NULL : found->other;
	bool tells = found->file && !frame->answered && !other;
	char number[LONGEST_NUMBER], base[48] = "", answer[64] = "";
	bool kernel = frame->log == GSYM_MARKUP_LOG_KERNEL;

	tell_number(frame, number);
	if (hit->count && frame->address)
		snprintf(base, sizeof(base), ", loaded at 0x%" PRIx64,
			 (frame->address - hit->addresses[0]) &
				 ~(uint64_t)(PAGE - 1));
	if (hit->count)
		snprintf(answer, sizeof(answer), "looked up 0x%" PRIx64,
			 hit->addresses[0]);
	gsym_mk_tell(f,
		     "%s frame, module \"%.*s\"%s%.*s, %s (%s)%s: %s%s%s%s%s",
		     gsym_logs_name(frame->log),
		     kernel && !hit->module.size ? 6 : clip(hit->module.size),
		     kernel && !hit->module.size ? "kernel" : hit->module.at,
		     frame->function.size ? ", function " : "",
		     clip(frame->function.size), frame->function.at, number,
		     frame->returns ? "return address" : "exact", base,
		     frame->answered ? "has an answer already"
		     : hit->count    ? answer
				     : reason(f, outcome),
		     other   ? ": "
		     : tells ? " in "
			     : "",
		     other   ? other
		     : tells ? found->file
			     : "",
		     tells ? ", found by " : "", tells ? found->found_by : "");
}
