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
