/* SPDX-License-Identifier: MIT */
/*
 * Frames in the crash reports of macOS and iOS:
 *
 *	2   App Name          	0x1022364bc 0x102230000 + 25788
 *	4   UIKitCore         	0x192fb1330 -[UIViewController view] + 84
 *
 * The images follow the frames: see facts.c.
 */
#include "config.h"

#include "logs/scan.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The last " + DECIMAL" in AT to END, which ends there; NULL if there is
 * none. */
static const char *before_offset(const char *at, const char *end)
{
	const char *digits = end;

	while (digits > at && logs_is_digit(digits[-1]))
		digits--;
	return digits < end && digits - at > 3 &&
			       memcmp(digits - 3, " + ", 3) == 0
		       ? digits - 3
		       : NULL;
}

/* The first "0xADDRESS" after a blank and before one in AT to END; *AFTER is
 * the place after the blank. */
static const char *find_address(const char *at, const char *end,
				uint64_t *address, const char **after)
{
	const char *from = at;

	while ((from = logs_find(from, end, "0x"))) {
		const char *stop = logs_hex(from, end, address);

		if (stop && stop - from >= 9 && from > at &&
		    is_blank(from[-1]) && stop < end && *stop == ' ') {
			*after = stop + 1;
			return from;
		}
		from += 2;
	}
	return NULL;
}

/* The number of the frame, whose image ends at END: at AT, or the last number
 * that fills four columns with the blanks after it.  *AFTER becomes the place
 * after the digits.  NULL if there is none. */
static const char *find_number(const char *at, const char *end,
			       const char **after)
{
	const char *found = NULL;

	for (const char *from = at; from < end; from++) {
		const char *stop = logs_decimal(from, end), *next = stop;

		while (next && next < end && *next == ' ')
			next++;
		if (stop && next > stop && next < end &&
		    (from == at || next - from == 4)) {
			found = from;
			*after = stop;
		}
		/* The next word. */
		while (from < end && !is_blank(*from))
			from++;
	}
	return found;
}

bool gsym_logs_apple(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end), *plus, *name, *open, *after;
	uint64_t load;

	*ret = (struct logs_frame){
		.log = GSYM_MARKUP_LOG_APPLE,
		.meaning = LOGS_MEMORY,
		.insert = end,
		.resume = end,
	};
	plus = before_offset(at, stop);
	open = plus ? find_address(at, plus, &ret->number, &name) : NULL;
	ret->start = open ? find_number(at, open, &after) : NULL;
	if (!ret->start)
		return false;
	ret->module = logs_between(logs_blanks(after, open), open);
	while (ret->module.size && is_blank(open[-1])) {
		open--;
		ret->module.size--;
	}
	if (logs_hex(name, plus, &load) != plus)
		ret->function = logs_between(name, plus);
	/* LLVM's crash handlers write functions in the same way. */
	ret->doubtful = ret->function.size > 0;
	/* Frame 0 has the program counter itself. */
	ret->returns = after - ret->start != 1 || *ret->start != '0';
	return ret->module.size > 0;
}
