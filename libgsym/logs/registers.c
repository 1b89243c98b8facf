/* SPDX-License-Identifier: MIT */
/*
 * Program counters and return addresses, as they stand among the registers of a
 * crash, and in the call traces of Zephyr:
 *
 *	E: Faulting instruction address (r15/pc): 0x0800a4b2	Zephyr
 *	E: r3/a4:  0x00000003 r12/ip:  0x0000000c r14/lr:  0x08001c5b
 *	E:      ra: 42021bac
 *	E:    mepc: 42021be0 [func2+0x1e]
 *	E: x18: 0x0000000000000000  lr:  0x0000000070022210
 *	E: EIP: 0x0010a2b4
 *	MEPC    : 0x420228c8  RA      : 0x4202292a  SP      : 0	ESP-IDF
 *	elr: 00000000feaa47bc lr : 00000000feaa895c (reloc)	U-Boot
 *	reloc pc : [<c01019c0>]	   lr : [<c01019ad>]
 *	epc1=0x40201234 epc2=0x00000000 epc3=0x00000000		ESP8266
 *	PC=0x7f2cc6e3b5c6 m=0 sigcode=1 addr=0x20		Go
 *
 *	E:       0: ra: 80000726 [func2+0x30]			RISC-V
 *	E:       1: fp: 8000dc50   ra: 8000042a
 *	E:      1: lr: 0x100011eb [func2+0x21]			Arm
 *	E:      1: fp: 0x000000004007c050 lr: 0x0000000040004710	arm64
 *	E: backtrace  1: fp: 0x000000004007c050 lr: 0x0000000040004710
 *
 * lr and ra hold the address that the last call returned to or will return to:
 * the answer is the place of that call, in the function that crashed or in its
 * caller.  Bit 0 of lr tells the state of the processor.  U-Boot prints the
 * addresses that it was linked to in the lines with "reloc".
 *
 * The addresses of call traces are return addresses but for frame 0 of Arm, and
 * of RISC-V since 3.7.
 */
#include "config.h"

#include "logs/scan.h"

static const struct row {
	const char *before;
	/* What follows the number; NULL: nothing does. */
	const char *after;
	bool returns;
	/* AFTER has another register, a return address. */
	bool next;
} rows[] = {
	{ "Faulting instruction address (r15/pc): ", NULL, false, false },
	{ "Faulting instruction address = ", NULL, false, false },
	{ "r14/lr: ", NULL, true, false },
	{ " lr:  ", NULL, true, false },
	{ "     ra: ", NULL, true, false },
	{ "mepc: ", NULL, false, false },
	{ "xepc: ", NULL, false, false },
	{ "ELR_ELn: ", NULL, false, false },
	{ "RIP: ", NULL, false, false },
	{ "EIP: ", NULL, false, false },
	{ "MEPC    : ", "RA      : ", false, true },
	{ "elr: ", "lr : ", false, true },
	{ "reloc pc : [<", "lr : [<", false, true },
	{ "epc1=", "epc2=0x", false, false },
	{ "PC=", "m=", false, false },
};

const char *gsym_logs_register(const char *at, const char *end, uint64_t *ret)
{
	const char *stop = logs_hex(at, end, ret);

	if (stop)
		return stop;
	stop = logs_digits(at, end, ret);
	return stop && (stop - at == 8 || stop - at == 16) ? stop : NULL;
}

/* The place behind " [FUNCTION+0x10]" at AT; AT if that is not there. */
static const char *over_symbol(const char *at, const char *end)
{
	const char *from = logs_word(at, end, " [");
	const char *stop = from ? logs_over_name(from, end) : NULL;
	uint64_t offset;

	if (stop == from)
		return at;
	stop = logs_hex(logs_word(stop, end, "+"), end, &offset);
	stop = logs_word(stop, end, "]");
	return stop ? stop : at;
}

const char *gsym_logs_answer(const char *at, const char *end)
{
	const char *open = end > at && end[-1] == ')' ? gsym_logs_open(at, end)
						      : NULL;

	return open && gsym_logs_is_place(logs_between(open + 1, end - 1))
		       ? open
		       : NULL;
}

/* Whether the text of ROW may begin at FROM, in a line from AT on.  A time, as
 * monitors write it, may stand right before MEPC. */
static bool may_begin(const char *at, const char *from, const struct row *row)
{
	return logs_begins(at, from) ||
	       (*row->before == 'M' && !logs_is_name(from[-1]));
}

/* The first place of a register in AT to END; ROW becomes its row.  NULL if
 * there is none. */
static const char *find(const char *at, const char *end, const struct row **row)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *from = logs_find(at, end, rows[i].before);

		*row = &rows[i];
		if (!from || !may_begin(at, from, *row))
			continue;
		/* The other line of U-Boot has addresses in memory. */
		if (logs_word(from, end, "elr: ") &&
		    !logs_before(from, end, " (reloc)"))
			return NULL;
		if (logs_word(from, end, "PC=") &&
		    !logs_find(from, end, " sigcode="))
			return NULL;
		return from;
	}
	return NULL;
}

/* Whether AT to END, behind the number of the only register of a line, has
 * nothing, or the answer, which sets ANSWERED of RET. */
static bool is_last(const char *at, const char *end, struct logs_frame *ret)
{
	ret->answered = at < end;
	return at == end || (*at == ' ' && gsym_logs_answer(at, end));
}

/* Whether AT to END has the text NEXT, perhaps behind an answer, which sets
 * ANSWERED of RET. */
static bool follows(const char *at, const char *end, const char *next,
		    struct logs_frame *ret)
{
	const char *from = at;

	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	ret->answered = !logs_word(from, end, next);
	return from > at && logs_find(from, end, next);
}

/* Make RET the frame of the number at AT, of a register whose text begins at
 * FROM; the place after the number and what belongs to it.  NULL if no number
 * is there. */
static const char *take(const char *from, const char *at, const char *end,
			bool returns, struct logs_frame *ret)
{
	const char *number, *stop;
	const bool in = at[-1] == '<';

	logs_frame_to(end, ret);
	ret->counts_from = LOGS_MEMORY;
	ret->doubtful = true;
	number = gsym_logs_register(logs_blanks(at, end), end, &ret->number);
	if (in)
		number = logs_word(number, end, ">]");
	if (!number)
		return NULL;
	stop = over_symbol(number, end);
	ret->named = stop > number;
	if (returns)
		ret->number &= ~(uint64_t)1;
	ret->returns = returns;
	ret->start = logs_blanks(from, end);
	ret->insert = ret->resume = stop;
	return stop;
}

/* The register behind the one of ROW in a line up to END; the text between may
 * have the answer for that. */
static bool next(const struct row *row, const char *from, const char *end,
		 struct logs_frame *ret)
{
	enum { MOST_CLOSERS = 6 };
	const char *start = logs_find(from, end, row->after), *stop, *tail;

	stop = start ? take(start, start + strlen(row->after), end, true, ret)
		     : NULL;
	if (!stop)
		return false;
	if (logs_word(row->after, row->after + strlen(row->after), "RA"))
		return follows(stop, end, "SP      : ", ret);
	tail = logs_before(stop, end, " (reloc)");
	end = tail ? tail : end;
	/* Brackets around the line are cut off only behind its first frame. */
	for (int i = 0; i < MOST_CLOSERS && !is_last(stop, end, ret);
	     i++, end--)
		if (end == stop || !memchr(" ])}", end[-1], 4))
			return false;
	return is_last(stop, end, ret);
}

bool gsym_logs_registers(const char *at, const char *from, const char *end,
			 struct logs_frame *ret)
{
	const struct row *row;
	const char *start = find(at, end, &row), *stop;

	if (!start)
		return false;
	if (from > at)
		return row->next && !ret->returns && next(row, from, end, ret);
	stop = take(start, start + strlen(row->before), end, row->returns, ret);
	if (!stop)
		return false;
	return row->after ? follows(stop, end, row->after, ret)
			  : is_last(stop, end, ret);
}

/* ---- call traces of Zephyr --------------------------------------------- */

/* Step over "0: ", which a blank, "ra: " or "lr: " follows. */
static const char *index_at(const char *at, const char *end)
{
	enum { MOST_DIGITS = 3 };
	const char *digits = logs_decimal(at, end);

	return digits && digits - at <= MOST_DIGITS
		       ? logs_word(digits, end, ": ")
		       : NULL;
}

/* Step over "fp: 8000dc50   ", where it is. */
static const char *over_stack(const char *at, const char *end)
{
	const char *value = logs_word(at, end, "fp: ");
	uint64_t number;

	value = value ? value : logs_word(at, end, "sp: ");
	return value ? logs_gap(gsym_logs_register(value, end, &number), end)
		     : at;
}

/* Set RET to the frame at FROM; false if none is there.  ANSWER is that of the
 * line, or NULL. */
static bool frame_at(const char *from, const char *end, const char *answer,
		     struct logs_frame *ret)
{
	const char *index = index_at(from, end), *at, *number, *stop;

	at = index ? over_stack(index, end) : NULL;
	if (!logs_word(at, end, "ra: ") && !logs_word(at, end, "lr: "))
		return false;
	number = gsym_logs_register(at + strlen("ra: "), end, &ret->number);
	if (!number)
		return false;
	stop = over_symbol(number, end);
	ret->answered = stop < end;
	if (stop < end && (*stop != ' ' || !answer || answer < stop))
		return false;
	ret->start = from;
	ret->insert = ret->resume = stop;
	ret->named = stop > number;
	if (*from == '0' && *at == 'r')
		ret->either = true;
	else if (*from == '0' && at == index)
		ret->returns = false;
	/* Bit 0 of Arm's tells the state of the processor. */
	if (*at == 'l')
		ret->number &= ~(uint64_t)1;
	return true;
}

bool gsym_logs_zephyr(const char *at, const char *end, struct logs_frame *ret)
{
	const char *answer;

	if (!logs_find(at, end, "ra: ") && !logs_find(at, end, "lr: "))
		return false;
	answer = gsym_logs_answer(at, end);
	for (const char *from = at; from < end; from++) {
		if (frame_at(from, end, answer, ret))
			return true;
		from = logs_word_end(from, end);
	}
	return false;
}
