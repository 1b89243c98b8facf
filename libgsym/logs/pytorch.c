/* SPDX-License-Identifier: MIT */
/*
 * Backtraces in PyTorch's errors, as c10::get_backtrace prints them:
 *
 *	frame #3: f() + 0x56 (0x7f1234567890 in /lib/libc10.so)
 *	frame #4: <unknown function> + 0x84a5 (0x55e27751c4a5 in ./example-app)
 *
 * The number counts from the function; or, where the function is not known,
 * from address 0 of the module.
 */
#include "config.h"

#include "logs/scan.h"

static const char word[] = "frame #";

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *in, *open, *digits, *plus, *name,
		*stop = logs_trim(at, end);

	if (stop == at || stop[-1] != ')')
		return false;
	logs_frame_to(end, ret);
	ret->returns = true;
	in = gsym_logs_last(at, stop, " in ");
	open = in ? gsym_logs_hex_before(at, in, &ret->address) : NULL;
	if (!open || open - at < 2 || open[-1] != '(' || open[-2] != ' ')
		return false;
	digits = gsym_logs_hex_before(at, open - 2, &ret->number);
	plus = digits ? logs_before(at, digits, " + ") : NULL;
	if (!plus)
		return false;
	ret->start = logs_find(at, digits, word);
	name = logs_decimal(logs_word(ret->start, digits, word), digits);
	name = logs_word(name, plus, ": ");
	if (!name || in + 4 >= stop - 1)
		return false;
	ret->module = logs_between(in + 4, stop - 1);
	/* An answer follows the frame already. */
	if (logs_find(in, stop, ") "))
		return false;
	if (!logs_word(name, digits, "<unknown function> + ")) {
		ret->function = logs_between(name, plus);
		ret->counts_from = LOGS_FUNCTION;
	}
	return true;
}

static const char *second(const char *at, const char *end)
{
	return logs_find(logs_after(at, end, word), end, word);
}

const struct logs_dialect gsym_logs_pytorch = {
	.log = GSYM_MARKUP_LOG_PYTORCH,
	.name = "pytorch",
	.words = LOGS_WORD_SUM,
	.frame = frame,
	.second = second,
	.placed = true,
};
