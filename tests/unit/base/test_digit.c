/* SPDX-License-Identifier: MIT */
/* The digits of bytes fill the room that they are given, and no more. */
#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

/* Expect TEXT of two bytes in ROOM bytes, and the byte after them untouched. */
static void expect(size_t room, const char *text)
{
	static const uint8_t bytes[] = { 0x0a, 0xf9 };
	char to[] = "??????";

	gsym_digits(to, room, bytes, sizeof(bytes));
	cr_expect_str_eq(to, text, "%zu", room);
	cr_expect_eq(to[room], '?', "%zu", room);
}

Test(digit, room)
{
	expect(1, "");
	expect(2, "");
	expect(3, "0a");
	expect(4, "0a");
	expect(5, "0af9");
}

Test(digit, no_bytes)
{
	char to[] = "?";

	gsym_digits(to, sizeof(to), NULL, 0);
	cr_expect_str_eq(to, "");
}

Test(digit, reads)
{
	static const uint8_t wanted[] = { 0x0a, 0xf9 };
	uint8_t got[2] = { 0 };

	cr_expect(gsym_digits_read(got, "0aF9", 2));
	cr_expect_arr_eq(got, wanted, 2);
	cr_expect(gsym_digits_read(got, "", 0));
	cr_expect_not(gsym_digits_read(got, "0ag9", 2));
	cr_expect_not(gsym_digits_read(got, "0a9/", 2));
}

/* Expect that the digits of BASE at TEXT are VALUE, and that REST follows. */
static void expect_number(const char *text, unsigned base, uint64_t value,
			  bool fits, const char *rest)
{
	uint64_t got = 1;
	bool got_fits = !fits;
	const char *after = gsym_number(text, text + strlen(text), base, &got,
					&got_fits);

	cr_expect_str_eq(after, rest, "%s", text);
	cr_expect_eq(got, value, "%s", text);
	cr_expect_eq(got_fits, fits, "%s", text);
}

Test(digit, numbers)
{
	expect_number("", 10, 0, true, "");
	expect_number("x1", 16, 0, true, "x1");
	expect_number("12a", 10, 12, true, "a");
	expect_number("12aG", 16, 0x12a, true, "G");
	expect_number("18446744073709551615", 10, UINT64_MAX, true, "");
	expect_number("18446744073709551616,", 10, UINT64_MAX, false, ",");
	expect_number("184467440737095516150", 10, UINT64_MAX, false, "");
	expect_number("0000FFFFffffFFFFffff", 16, UINT64_MAX, true, "");
	expect_number("10000000000000000 ", 16, UINT64_MAX, false, " ");
	expect_number("000", 1, 0, true, "");
}
