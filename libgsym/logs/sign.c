/* SPDX-License-Identifier: MIT */
/* What the line before a frame says about the address of the frame. */
#include "config.h"

#include "base/system.h"
#include "logs/scan.h"

/* What a line ends with, and its last byte. */
static const struct row {
	const char *text;
	char last;
	enum logs_sign sign;
} rows[] = {
	{ "<signal handler called>", '>', LOGS_SIGN_EXACT },	/* gdb */
	{ "[KCrash Handler]", ']', LOGS_SIGN_EXACT },		/* drkonqi */
	{ "EIP:", ':', LOGS_SIGN_EXACT },			/* Redis */
	{ "RIP:", ':', LOGS_SIGN_EXACT },
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

/* Whether AT to END, which has a bracket as its last byte, ends with an address
 * without module, "[0x7ffe1a5d3090]", as glibc prints one in the vdso. */
static bool is_vdso(const char *at, const char *end)
{
	const char *open = memrchr(at, '[', (size_t)(end - at));
	uint64_t number;

	return open && is_header(at, open) &&
	       logs_hex(open + 1, end, &number) == end - 1 && number >> 16;
}

/* The sign in AT to END, behind which nothing is. */
static enum logs_sign sign_before(const char *at, const char *end)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].last == end[-1] &&
		    logs_before(at, end, rows[i].text))
			return rows[i].sign;
	if (end[-1] == ']')
		return is_vdso(at, end) ? LOGS_SIGN_EITHER : LOGS_NO_SIGN;
	/* Chromium: "Received signal 11 SEGV_MAPERR 000000000008" */
	return gsym_digit(end[-1]) < 16 && logs_find(at, end, "eceived signal ")
		       ? LOGS_SIGN_STACK
		       : LOGS_NO_SIGN;
}

enum logs_sign gsym_logs_sign(const char *at, const char *end)
{
	enum { MOST_BRACKETS = 3 };

	/* Brackets may stand around the text. */
	for (int i = 0; i <= MOST_BRACKETS; i++) {
		enum logs_sign sign;

		while (end > at && memchr(" \r,", end[-1], 3))
			end--;
		if (end == at)
			return LOGS_NO_SIGN;
		sign = sign_before(at, end);
		if (sign != LOGS_NO_SIGN || !memchr(")]}", end[-1], 3))
			return sign;
		end--;
	}
	return LOGS_NO_SIGN;
}

bool gsym_logs_has_sign(const char *at, const char *end)
{
	static const char *const texts[] = {
		"handler called", "[KCrash ", "IP:", "[0x", "eceived signal ",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (logs_find(at, end, texts[i]))
			return true;
	return false;
}
