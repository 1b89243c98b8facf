/* SPDX-License-Identifier: MIT */
/*
 * Stacks of the kernels of FreeBSD and NetBSD:
 *
 *	#1 0xffffffff809495e6 at vpanic+0x126
 *	vpanic() at vpanic+0x182/frame 0xfffffe034def4720
 *	vpanic() at netbsd:vpanic+0x140
 *
 * The numbers are return addresses, but for the frame behind a line "--- trap".
 * These kernels are not moved, so that an address in memory is a linked one.
 * Before the colon stands a module of the kernel, or the kernel; FreeBSD tells
 * no modules: all frames are looked up in the kernel, by the name.
 */
#include "config.h"

#include "logs/scan.h"

static bool is_kernel_address(uint64_t address)
{
	return address >> 32 ? address >> 47 == 0x1ffff : address >> 31;
}

/* Step over "0xffffffff809495e6 at " before the function. */
static const char *numbered(const char *at, const char *end,
			    struct logs_frame *ret)
{
	const char *digits = logs_gap(at, end);
	const char *stop = logs_hex(digits, end, &ret->number);

	return stop && is_kernel_address(ret->number)
		       ? logs_word(stop, end, " at ")
		       : NULL;
}

/* The start of "vpanic(0) at ", which ends at AFTER; NULL if AT to AFTER does
 * not end with that. */
static const char *called(const char *at, const char *after)
{
	const char *close = logs_before(at, after, " at ");
	const char *open = close && close > at && close[-1] == ')'
				   ? gsym_logs_open(at, close)
				   : NULL;
	const char *start = open;

	while (start && start > at && logs_is_name(start[-1]))
		start--;
	return start && start < open && logs_begins(at, start) ? start : NULL;
}

/* Step over "netbsd:vpanic+0x140", of which the module may be missing. */
static const char *function(const char *at, const char *end,
			    struct logs_frame *ret)
{
	const char *stop = logs_over_name(at, end);

	ret->module = logs_string("kernel");
	if (stop < end && *stop == ':' && stop > at) {
		ret->module = logs_between(at, stop);
		at = stop + 1;
		stop = logs_over_name(at, end);
	}
	ret->function = logs_between(at, stop);
	ret->placed = true;
	return stop > at ? logs_hex(logs_word(stop, end, "+"), end,
				    &ret->offset)
			 : NULL;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *after, *name, *stop;
	uint64_t number;

	if (!logs_find(at, end, " at "))
		return false;
	logs_frame_to(end, ret);
	ret->insert = ret->resume = end = logs_trim(at, end);
	ret->start = gsym_logs_number(at, end, &after);
	name = ret->start ? numbered(after, end, ret) : NULL;
	if (!name) {
		name = logs_after(at, end, ") at ");
		ret->start = name ? called(at, name) : NULL;
		ret->counts_from = LOGS_FUNCTION;
		/* The kernel may not be the one that has the function. */
		ret->alone = true;
	}
	stop = ret->start ? function(name, end, ret) : NULL;
	if (logs_word(stop, end, "/frame "))
		stop = logs_hex(stop + strlen("/frame "), end, &number);
	if (!stop || (stop < end && *stop != ' '))
		return false;
	if (ret->counts_from == LOGS_FUNCTION)
		ret->number = ret->offset;
	ret->returns = true;
	ret->answered = stop < end;
	return true;
}

/* "--- trap 0xc, rip = 0xffffffff80950750, rsp = ..." of the kernel, "--- trap
 * (number 6) ---", and the same with "interrupt". */
static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = logs_after(at, end, "--- "), *pc;
	uint64_t number;

	if (!logs_word(from, end, "trap ") &&
	    !logs_word(from, end, "interrupt"))
		return false;
	pc = logs_after(from, end, "ip = ");
	(void)ret;
	return !pc || (logs_hex(pc, end, &number) && is_kernel_address(number));
}

struct memory {
	/* A trap interrupted the next frame. */
	bool trap;
};

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	(void)fact;
	((struct memory *)memory)->trap = true;
}

static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	/* A stack begins with these, so that it is another one. */
	static const char *const firsts[] = { "kdb_backtrace", "vpanic",
					      "db_trace_self",
					      "db_trace_self_wrapper", NULL };
	struct memory *m = (struct memory *)memory;

	if (m->trap && frame->counts_from == LOGS_FUNCTION &&
	    !logs_is_of(frame->function, firsts))
		frame->returns = false;
	m->trap = false;
}

const struct logs_dialect gsym_logs_bsd = {
	.log = GSYM_MARKUP_LOG_BSD,
	.name = "bsd",
	.words = LOGS_WORDS_UNSIZED | LOGS_WORD_TRAP | LOGS_WORD_INTERRUPT,
	.frame = frame,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
	.placed = true,
};
