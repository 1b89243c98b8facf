/* SPDX-License-Identifier: MIT */
/*
 * Call traces of Zephyr:
 *
 *	E:       0: ra: 80000726 [func2+0x30]			RISC-V
 *	E:       1: fp: 8000dc50   ra: 8000042a
 *	E:      1: lr: 0x100011eb [func2+0x21]			Arm
 *	E:      1: fp: 0x000000004007c050 lr: 0x0000000040004710	arm64
 *	E: backtrace  1: fp: 0x000000004007c050 lr: 0x0000000040004710
 *
 * All are return addresses but for frame 0 of Arm, and of RISC-V since 3.7.
 */
#include "config.h"

#include "logs/scan.h"

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
	stop = gsym_logs_symbol(number, end);
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
