/* SPDX-License-Identifier: MIT */
/* What the line before a frame says about the address of the frame. */
#include "config.h"

#include "logs/scan.h"

static const struct row {
	const char *text;
	/** The line ends with TEXT. */
	bool last;
	enum logs_sign sign;
} rows[] = {
	{ "<signal handler called>", true, LOGS_SIGN_EXACT },	/* gdb */
	{ "[KCrash Handler]", true, LOGS_SIGN_EXACT },		/* drkonqi */
	{ "EIP:", true, LOGS_SIGN_EXACT },			/* Redis */
	{ "RIP:", true, LOGS_SIGN_EXACT },
	{ "eceived signal ", false, LOGS_SIGN_STACK },		/* Chromium */
};

/* Whether AT to END is nothing, or the end of a header, "(EE) 1:", and no
 * module. */
static bool is_header(const char *at, const char *end)
{
	const char *digits;

	end = logs_trim(at, end);
	if (at == end || end[-1] == ':' || end[-1] == '|')
		return true;
	for (digits = end - 1; digits > at && logs_is_digit(digits[-1]);)
		digits--;
	return *(end - 1) == ')' && digits > at && digits[-1] == '(';
}

/* Whether AT to END ends with an address without module, "[0x7ffe1a5d3090]", as
 * glibc prints one in the vdso. */
static bool is_vdso(const char *at, const char *end)
{
	uint64_t number;
	const char *open;

	if (end == at || end[-1] != ']')
		return false;
	open = gsym_logs_hex_before(at, end - 1, &number);
	return open && open > at && *--open == '[' && number >> 16 &&
	       is_header(at, open);
}

enum logs_sign gsym_logs_sign(const char *at, const char *end)
{
	end = logs_trim(at, end);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *text = rows[i].text;

		if (rows[i].last ? logs_before(at, end, text)
				 : logs_find(at, end, text))
			return rows[i].sign;
	}
	return is_vdso(at, end) ? LOGS_SIGN_EITHER : LOGS_NO_SIGN;
}
