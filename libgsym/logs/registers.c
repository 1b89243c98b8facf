/* SPDX-License-Identifier: MIT */
/*
 * Program counters among the registers of a crash:
 *
 *	E: Faulting instruction address (r15/pc): 0x0800a4b2	Zephyr
 *	E: r3/a4:  0x00000003 r12/ip:  0x0000000c r14/lr:  0x08001c5b
 *	E:      mepc: 42021be0
 *	elr: 00000000feaa47bc lr : 00000000feaa895c (reloc)	U-Boot
 *	reloc pc : [<c01019c0>]	   lr : [<c01019ad>]
 *	epc1=0x40201234 epc2=0x00000000 epc3=0x00000000		ESP8266
 *	PC=0x7f2cc6e3b5c6 m=0 sigcode=1 addr=0x20		Go
 *
 * All are exact but lr, a return address of which bit 0 tells the state of the
 * processor.  U-Boot prints the addresses that it was linked to in the lines
 * with "reloc".
 */
#include "config.h"

#include "logs/scan.h"

static const struct row {
	const char *before;
	/** What follows the number; NULL: nothing does. */
	const char *after;
	bool returns;
} rows[] = {
	{ "Faulting instruction address (r15/pc): ", NULL, false },
	{ "Faulting instruction address = ", NULL, false },
	{ "r14/lr: ", NULL, true },
	{ "mepc: ", NULL, false },
	{ "ELR_ELn: ", NULL, false },
	{ "elr: ", "lr : ", false },
	{ "reloc pc : [<", "lr : [<", false },
	{ "epc1=", "epc2=0x", false },
	{ "PC=", "m=", false },
};

/* Step over "0x1234", or 8 or 16 digits alone. */
static const char *number(const char *at, const char *end, uint64_t *ret)
{
	const char *stop = logs_hex(at, end, ret);

	if (stop)
		return stop;
	stop = logs_digits(at, end, ret);
	return stop && (stop - at == 8 || stop - at == 16) ? stop : NULL;
}

/* Whether AT to END ends with an answer. */
static bool has_answer(const char *at, const char *end)
{
	const char *open = end > at && end[-1] == ')' ? gsym_logs_open(at, end)
						      : NULL;

	return open && gsym_logs_is_place(logs_between(open + 1, end - 1));
}

/* Whether AT to END has what follows the number of ROW, or an answer before
 * that, which sets ANSWERED of RET. */
static bool follows(const char *at, const char *end, const struct row *row,
		    struct logs_frame *ret)
{
	const char *from = at;

	if (at < end && *at != ' ' && *at != '\t')
		return false;
	if (!row->after) {
		ret->answered = has_answer(at, end);
		return ret->answered || at == end;
	}
	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	ret->answered = !logs_word(from, end, row->after);
	return from > at && logs_find(from, end, row->after);
}

/* The number behind FROM, where ROW begins. */
static bool row_at(const char *from, const char *end, const struct row *row,
		   struct logs_frame *ret)
{
	const char *at = logs_blanks(from + strlen(row->before), end), *stop;

	stop = number(at, end, &ret->number);
	if (stop && from[strlen(row->before) - 1] == '<')
		stop = logs_word(stop, end, ">]");
	if (!stop || !follows(stop, end, row, ret))
		return false;
	if (row->returns)
		ret->number &= ~(uint64_t)1;
	ret->returns = row->returns;
	ret->start = from;
	ret->insert = ret->resume = stop;
	return true;
}

bool gsym_logs_registers(const char *at, const char *end,
			 struct logs_frame *ret)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		const char *from = logs_find(at, end, row->before);

		if (!from || !logs_begins(at, from))
			continue;
		/* The other line of U-Boot has addresses in memory. */
		if (logs_word(from, end, "elr: ") &&
		    !logs_before(from, end, " (reloc)"))
			return false;
		if (logs_word(from, end, "PC=") &&
		    !logs_find(from, end, " sigcode="))
			return false;
		return row_at(from, end, row, ret);
	}
	return false;
}
