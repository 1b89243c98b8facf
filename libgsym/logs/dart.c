/* SPDX-License-Identifier: MIT */
/*
 * Stacks of Dart programs that were compiled ahead of time, as Flutter prints
 * them with --split-debug-info or --obfuscate:
 *
 *	build_id: '80efb0ca1c2d3e4f5a6b7c8d9e0f1a2b'
 *	isolate_dso_base: 75f5b90000, vm_dso_base: 75f5b90000
 *	    #00 abs 00000075f5e3a0b7 virt 00000000002aa0b7 _kDart...+0x1a50b7
 *
 * "virt" is an address that the program was linked to, and "abs" the same one
 * in memory.  Both are return addresses less 1.  On iOS there is no "virt": the
 * program was linked to 0, and isolate_dso_base is its start in memory.  The
 * build ID tells the program, which has no name in the log.  Frames of a
 * deferred part of the program, "unit 2 virt", have another build ID, and no
 * answer.
 */
#include "config.h"

#include "logs/scan.h"

enum { LONGEST_ID = 64 };

/* Step over 8 or 16 digits, the number of RET. */
static const char *digits(const char *at, const char *end, uint64_t *ret)
{
	const char *stop = logs_digits(at, end, ret);

	return stop && (stop - at == 8 || stop - at == 16) ? stop : NULL;
}

/* The first "#01 abs " in AT to END; *AFTER becomes the place after it.  NULL
 * if there is none. */
static const char *find(const char *at, const char *end, const char **after)
{
	const char *from = gsym_logs_number(at, end, after);

	while (from && !logs_word(*after, end, " abs "))
		from = gsym_logs_number(*after, end, after);
	if (from)
		*after += strlen(" abs ");
	return from;
}

static void memory_address(struct logs_frame *frame)
{
	frame->counts_from = LOGS_MEMORY;
	frame->number = frame->address;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *after, *start = find(at, end, &after), *stop;

	if (!start)
		return false;
	end = logs_trim(after, end);
	logs_frame_to(end, ret);
	ret->start = start;
	stop = digits(after, end, &ret->address);
	if (logs_word(stop, end, " virt "))
		stop = digits(stop + strlen(" virt "), end, &ret->number);
	/* Other programs print return addresses in this form. */
	else if (!logs_word(stop, end, " _kDart") || ret->address % 2 == 0)
		return false;
	else
		memory_address(ret);
	if (!stop || (stop < end && *stop != ' '))
		return false;
	/* The symbol before the address is that of all code. */
	stop = stop < end ? logs_word_end(stop + 1, end) : stop;
	ret->answered = stop < end;
	ret->called = ret->doubtful = true;
	return true;
}

static const char *second(const char *at, const char *end)
{
	const char *after, *first = find(at, end, &after);

	return first ? find(after, end, &after) : NULL;
}

/* "isolate_dso_base: 108000000, vm_dso_base: 108000000" */
static bool base(const char *at, const char *end, struct logs_fact *ret)
{
	uint64_t other;

	at = logs_digits(logs_after(at, end, "isolate_dso_base: "), end,
			 &ret->number);
	at = logs_digits(logs_word(at, end, ", vm_dso_base: "), end, &other);
	return at && ret->number && ret->number == other;
}

static bool build_id(const char *at, const char *end, struct logs_fact *ret)
{
	const char *id = logs_after(at, end, "build_id: '");
	const char *stop = id ? logs_over_digits(id, end) : NULL;

	if (!logs_word(stop, end, "'") || stop - id < 8 ||
	    stop - id > LONGEST_ID)
		return false;
	ret->build_id = logs_between(id, stop);
	/* The line with the base has no word. */
	ret->watch = 2;
	return true;
}

static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	return build_id(at, end, ret) || base(at, end, ret);
}

struct memory {
	char id[LONGEST_ID];
	/* Of ID. */
	uint64_t size;
	/* The start of the program in memory; 0: it is not known. */
	uint64_t base;
	/* The last line with a frame; 0: none has come. */
	uint64_t line;
};
_Static_assert(sizeof(struct memory) <= sizeof(struct logs_memory),
	       "the build ID does not fit");

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	struct memory *m = (struct memory *)memory;

	m->base = fact->number;
	if (m->base)
		return;
	m->line = 0;
	m->size = fact->build_id.size;
	memcpy(m->id, fact->build_id.at, m->size);
}

static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	/* Lines between two frames of a stack. */
	enum { MOST_BETWEEN = 8 };
	struct memory *m = (struct memory *)memory;
	const bool linked = frame->counts_from == LOGS_LINKED;

	if (m->line && frame->line - m->line > MOST_BETWEEN + 1)
		m->size = 0;
	m->line = frame->line;
	frame->build_id = (struct logs_text){ m->id, m->size };
	frame->doubtful = !m->size || (!linked && frame->address < m->base);
	if (!frame->doubtful && (linked || m->base)) {
		frame->counts_from = LOGS_LINKED;
		if (!linked)
			frame->number = frame->address - m->base;
		return;
	}
	/* Nothing tells the program but what lies in memory. */
	memory_address(frame);
}

const struct logs_dialect gsym_logs_dart = {
	.log = GSYM_MARKUP_LOG_DART,
	.name = "dart",
	.words = LOGS_WORD_BUILD_ID | LOGS_WORD_ABS,
	.frame = frame,
	.second = second,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
};
