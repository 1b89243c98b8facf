/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/number.h"

static enum number_result parse(const char *text, uint64_t *value)
{
	return number_parse(text, strlen(text), value);
}

/* Expect that TEXT is the number WANTED. */
static void expect(const char *text, uint64_t wanted)
{
	uint64_t value = ~wanted;
	cr_expect(parse(text, &value) == NUMBER_OK && value == wanted,
		  "'%s' gives 0x%" PRIx64, text, value);
}

/* Expect that TEXT is refused with the result WANTED. */
static void refuse(const char *text, enum number_result wanted)
{
	uint64_t value = 42;
	cr_expect(parse(text, &value) == wanted, "'%s' gives %d", text,
		  parse(text, &value));
	cr_expect(value == 42, "'%s' changed the value", text);
	cr_expect(number_problem(wanted) != NULL);
}

Test(number, follows_the_rules_of_c)
{
	expect("0", 0);
	expect("00", 0);
	expect("7", 7);
	expect("010", 8);
	expect("10", 10);
	expect("0x10", 16);
	expect("0X1aF", 0x1af);
	expect("0xffffffff81000000", 0xffffffff81000000u);
	expect("18446744073709551615", UINT64_MAX);
	expect("01777777777777777777777", UINT64_MAX);
	expect("0x0000000000000000000000001", 1);
}

Test(number, refuses_what_is_too_large)
{
	refuse("18446744073709551616", NUMBER_RANGE);
	refuse("0x10000000000000000", NUMBER_RANGE);
	refuse("02000000000000000000000", NUMBER_RANGE);
	refuse("99999999999999999999999999999999999999", NUMBER_RANGE);
}

Test(number, says_what_may_have_been_meant)
{
	refuse("ffff8000", NUMBER_BARE);
	refuse("12ab", NUMBER_BARE);
	refuse("0ab", NUMBER_BARE);
	refuse("08", NUMBER_OCTAL);
	refuse("0000000000481136", NUMBER_OCTAL);
	/* Eleven octal digits are octal, whatever was meant. */
	expect("00000401136", 0401136);
}

Test(number, refuses_what_is_no_number)
{
	refuse("", NUMBER_EMPTY);
	refuse("0x", NUMBER_BAD);
	refuse("0xg", NUMBER_BAD);
	refuse("-1", NUMBER_BAD);
	refuse("+1", NUMBER_BAD);
	refuse(" 1", NUMBER_BAD);
	refuse("1 ", NUMBER_BAD);
	refuse("0x1.8", NUMBER_BAD);
	refuse("main", NUMBER_BAD);
}

Test(number, stops_at_the_length)
{
	uint64_t value;
	cr_assert(number_parse("12345", 3, &value) == NUMBER_OK);
	cr_assert_eq(value, 123);
	cr_assert(number_parse("1\0002", 3, &value) == NUMBER_BAD);
	cr_assert(number_parse("0x1", 2, &value) == NUMBER_BAD);
}

Test(number, writes_digits)
{
	const uint64_t values[] = { 0, 1, 9, 10, 15, 16, 99, 100, 255, 256,
				    UINT32_MAX, UINT64_MAX / 10,
				    UINT64_MAX - 1, UINT64_MAX };
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char got[NUMBER_MAX + 1], wanted[32];
		got[number_hex(got, values[i])] = 0;
		snprintf(wanted, sizeof(wanted), "%" PRIx64, values[i]);
		cr_expect_str_eq(got, wanted);
		got[number_decimal(got, values[i])] = 0;
		snprintf(wanted, sizeof(wanted), "%" PRIu64, values[i]);
		cr_expect_str_eq(got, wanted);
	}
}
