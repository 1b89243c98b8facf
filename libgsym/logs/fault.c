/* SPDX-License-Identifier: MIT */
/*
 * Lines of the Linux kernel about a program that gets a signal:
 *
 *	p[7]: segfault at 0 ip 5555 sp 7fff error 4 in p[1131,5000+1000]
 *	traps: p[7] trap int3 ip:5555 sp:7fff error:0 in p[1131,5000+1000]
 *
 * The number after the bracket is an offset in the file.  Older kernels do not
 * print it, and then nothing tells which part of the file lies at the address:
 * such lines have no answer.
 *
 * On MIPS and LoongArch the registers stand in the next lines:
 *
 *	do_page_fault(): sending SIGSEGV to shapes for invalid read access
 *	epc = 00401553 in shapes[1553,401000+1000]
 *	ra  = 0040158b in shapes[158b,401000+1000]
 *	epc = 77b21553 in libx.so[77b20000+9000]	counts from the mapping
 *
 * epc is exact, and ra is a return address.  Bit 0 tells the state of the
 * processor.
 */
#include "config.h"

#include "logs/scan.h"

/* Step over "NAME" or "NAME:", as there are blanks or colons before the values,
 * and a hexadecimal number. */
static const char *value(const char *at, const char *end, const char *name,
			 uint64_t *ret)
{
	at = logs_word(at, end, name);
	if (at && at < end && (*at == ' ' || *at == ':'))
		return logs_digits(at + 1, end, ret);
	return NULL;
}

/* Step over "p[1131,55..+1000]", or "p[55..+1000]" if RET has an address.  The
 * name may have any bytes. */
static const char *mapping(const char *at, const char *end,
			   struct logs_frame *ret)
{
	const char *open = at ? logs_find(at, end, "[") : NULL, *stop;
	uint64_t number;

	if (!open || open == at)
		return NULL;
	stop = logs_digits(open + 1, end, &ret->number);
	if (logs_word(stop, end, "+")) {
		ret->number = ret->address - ret->number;
		ret->counts_from = LOGS_MAPPED;
	} else {
		stop = logs_digits(logs_word(stop, end, ","), end, &number);
	}
	stop = logs_digits(logs_word(stop, end, "+"), end, &number);
	ret->module = logs_between(at, open);
	return logs_word(stop, end, "]");
}

/* A register of MIPS or LoongArch. */
static bool mips(const char *at, const char *end, struct logs_frame *ret)
{
	static const char *const names[] = { "epc = ", "era = ", "ra  = ",
					     NULL };
	const char *stop = logs_find(at, end, " = ");
	const char *start = stop ? logs_trim(at, stop) : NULL;

	while (start && start > at && start[-1] >= 'a' && start[-1] <= 'z')
		start--;
	if (!logs_word_of(start, end, names) || !logs_begins(at, start))
		return false;
	stop = logs_digits(stop + 3, end, &ret->address);
	stop = mapping(logs_word(stop, end, " in "), end, ret);
	ret->start = start;
	ret->insert = ret->resume = stop;
	ret->returns = *start == 'r';
	ret->thumb = true;
	/* The line with ra has no word of its own. */
	ret->watch = !ret->returns;
	ret->answered = stop && stop < logs_trim(stop, end);
	return stop != NULL;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	uint64_t number;
	const char *ip = logs_find(at, end, " ip"), *stop;

	logs_frame_to(end, ret);
	ret->counts_from = LOGS_OFFSET;
	if (mips(at, end, ret))
		return true;
	stop = ip ? value(ip + 1, end, "ip", &ret->address) : NULL;
	stop = value(logs_word(stop, end, " "), end, "sp", &number);
	stop = value(logs_word(stop, end, " "), end, "error", &number);
	stop = mapping(logs_word(stop, end, " in "), end, ret);
	/* Without the offset nothing tells which part of the file it is. */
	if (!stop || ret->counts_from != LOGS_OFFSET)
		return false;
	ret->start = logs_find(at, ip, "traps: ");
	if (!ret->start)
		ret->start = gsym_logs_last(at, ip, ": segfault at ");
	if (!ret->start)
		return false;
	/* The name of the program, which ends at the colon. */
	while (*ret->start == ':' && ret->start > at)
		for (ret->start--; ret->start > at && ret->start[-1] != ' ';)
			ret->start--;
	ret->insert = ret->resume = stop;
	/* The processor may follow. */
	ret->answered = stop < logs_trim(stop, end) &&
			!logs_word(stop, end, " likely on CPU");
	return true;
}

static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	ret->watch = 2;
	return logs_after(at, end, ": sending SIGSEGV to ");
}

const struct logs_dialect gsym_logs_fault = {
	.log = GSYM_MARKUP_LOG_FAULT,
	.name = "fault",
	.words = LOGS_WORD_FAULT | LOGS_WORD_PC | LOGS_WORD_SENT,
	.frame = frame,
	.fact = fact,
};
