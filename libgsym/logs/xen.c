/* SPDX-License-Identifier: MIT */
/*
 * Stacks of the hypervisor Xen:
 *
 *	(XEN) RIP:    e008:[<ffff82d0403a5ef8>] iommu_prepare+0x288/0x390
 *	(XEN)    [<ffff82d0403a5ef8>] R iommu_prepare+0x288/0x390
 *	(XEN)    [<ffff82d0403a6646>] S file.c#iov_detect+0x26/0x70
 *	(XEN)    [<0000000000263c9c>] file.c#iov_detect+0x26/0x70 (LR)	Arm
 *
 * RIP, R and PC are the program counter.  The others are return addresses: S
 * has one that was found in the stack, which may be a pointer to a function.
 * Xen is not moved, so that an address in memory is a linked one.  Functions of
 * the same names may be in Linux: symbols are those of the module xen-syms.
 */
#include "config.h"

#include "logs/scan.h"

/* Step over "file.c#iov_detect+0x26/0x70". */
static const char *function(const char *at, const char *end,
			    struct logs_frame *ret)
{
	const char *stop = at;
	uint64_t size;

	while (stop < end && (logs_is_name(*stop) || memchr("#/-", *stop, 3))) {
		if (*stop++ == '#')
			at = stop;
	}
	ret->function = logs_between(at, stop);
	ret->placed = true;
	if (stop == at)
		return NULL;
	stop = logs_hex(logs_word(stop, end, "+"), end, &ret->offset);
	return logs_hex(logs_word(stop, end, "/"), end, &size);
}

/* Whether AT to END, behind a frame, has nothing but the name of a register and
 * an answer perhaps, which sets ANSWERED of RET. */
static bool is_rest(const char *at, const char *end, struct logs_frame *ret)
{
	const char *mark = logs_before(at, end, " (PC)");

	if (mark)
		ret->returns = false;
	else
		mark = logs_before(at, end, " (LR)");
	end = mark ? mark : end;
	ret->answered = at < end;
	return at == end || (*at == ' ' && gsym_logs_answer(at, end));
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *open = logs_find(at, end, "[<"), *stop;
	bool letter, exact;

	if (!open)
		return false;
	logs_frame_to(end, ret);
	stop = gsym_logs_register(open + strlen("[<"), end, &ret->number);
	stop = logs_word(stop, end, ">] ");
	letter = stop && end - stop > 2 && memchr("RFSC", *stop, 4) &&
		 stop[1] == ' ';
	if (!stop || (!letter && !logs_find(at, open, "(XEN)")))
		return false;
	exact = letter ? *stop == 'R' : logs_before(at, open, "e008:") != NULL;
	ret->stale = letter && *stop == 'S';
	stop = function(letter ? stop + 2 : stop, end, ret);
	if (!stop)
		return false;
	ret->start = open;
	ret->insert = ret->resume = stop;
	ret->module = logs_string("xen-syms");
	ret->doubtful = true;
	ret->returns = !exact && ret->offset;
	return is_rest(stop, logs_trim(stop, end), ret);
}

const struct logs_dialect gsym_logs_xen = {
	.log = GSYM_MARKUP_LOG_XEN,
	.name = "xen",
	.words = LOGS_WORD_SIZED,
	.frame = frame,
	.placed = true,
};
