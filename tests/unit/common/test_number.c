/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/out.h"

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

Test(number, reads_hexadecimal_and_decimal)
{
	expect("0", 0);
	expect("00", 0);
	expect("7", 7);
	expect("010", 10);
	expect("08", 8);
	expect("10", 10);
	expect("0x10", 16);
	expect("0X1aF", 0x1af);
	expect("0xffffffff81000000", 0xffffffff81000000u);
	expect("18446744073709551615", UINT64_MAX);
	expect("0018446744073709551615", UINT64_MAX);
	expect("0x0000000000000000000000001", 1);
	/* Only addresses are padded. */
	expect("0000000000016530", 16530);
}

/* Expect that TEXT is the address WANTED, and with HEX WANTED_HEX. */
static void expect_address(const char *text, uint64_t wanted,
			   uint64_t wanted_hex)
{
	uint64_t value = ~wanted;
	size_t length = strlen(text);
	cr_expect(number_parse_address(text, length, false, &value) ==
			  NUMBER_OK && value == wanted,
		  "'%s' gives 0x%" PRIx64, text, value);
	value = ~wanted_hex;
	cr_expect(number_parse_address(text, length, true, &value) ==
			  NUMBER_OK && value == wanted_hex,
		  "'%s' gives 0x%" PRIx64 " with --hex", text, value);
}

Test(number, reads_addresses)
{
	expect_address("16530", 16530, 0x16530);
	expect_address("0x16530", 0x16530, 0x16530);
	expect_address("1653a", 0x1653a, 0x1653a);
	expect_address("FFFFFFFF81000000", 0xffffffff81000000u,
		       0xffffffff81000000u);
	expect_address("c0100000", 0xc0100000, 0xc0100000);
	/* Numbers padded to 8 or 16 digits are hexadecimal. */
	expect_address("0000000000016530", 0x16530, 0x16530);
	expect_address("00016530", 0x16530, 0x16530);
	expect_address("08048000", 0x8048000, 0x8048000);
	/* Numbers without padding, or padded to other lengths, are decimal. */
	expect_address("80480001", 80480001, 0x80480001);
	expect_address("1000000000000000", 1000000000000000,
		       0x1000000000000000);
	expect_address("0016530", 16530, 0x16530);
	expect_address("016530", 16530, 0x16530);
	expect_address("000000000016530", 16530, 0x16530);
	expect_address("0", 0, 0);
}

Test(number, refuses_what_is_no_address)
{
	static const struct {
		const char *text;
		enum number_result wanted;
	} rows[] = {
		{ "", NUMBER_EMPTY },
		{ "0x", NUMBER_BAD },
		{ "12g", NUMBER_BAD },
		{ "0x12 ", NUMBER_BAD },
		{ "0x10000000000000000", NUMBER_RANGE },
		{ "18446744073709551616", NUMBER_RANGE },
		{ "ffffffffffffffff0", NUMBER_RANGE },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 42;
		cr_expect(number_parse_address(rows[i].text,
					       strlen(rows[i].text), false,
					       &value) == rows[i].wanted,
			  "'%s'", rows[i].text);
		cr_expect_eq(value, 42);
	}
}

Test(number, refuses_what_is_too_large)
{
	refuse("18446744073709551616", NUMBER_RANGE);
	refuse("0x10000000000000000", NUMBER_RANGE);

	refuse("99999999999999999999999999999999999999", NUMBER_RANGE);
}

Test(number, says_what_may_have_been_meant)
{
	refuse("ffff8000", NUMBER_BARE);
	refuse("12ab", NUMBER_BARE);
	refuse("0ab", NUMBER_BARE);
	refuse("ffffffffffffffffff", NUMBER_BARE);
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
		char got[GSYM_NUMBER_MAX + 1], wanted[32];
		got[gsym_hex_put(got, values[i])] = 0;
		snprintf(wanted, sizeof(wanted), "%" PRIx64, values[i]);
		cr_expect_str_eq(got, wanted);
		got[gsym_decimal_put(got, values[i])] = 0;
		snprintf(wanted, sizeof(wanted), "%" PRIu64, values[i]);
		cr_expect_str_eq(got, wanted);
	}
}

Test(number, reads_bytes)
{
	static const uint8_t wanted[] = { 0x0a, 0xf9, 0x00 };
	uint8_t got[sizeof(wanted) + 1] = { 0 };
	cr_expect_eq(number_parse_bytes("0aF900", got, sizeof(wanted)), 3);
	cr_expect_arr_eq(got, wanted, sizeof(wanted));
	cr_expect_eq(number_parse_bytes("", got, sizeof(got)), 0);
	cr_expect_eq(number_parse_bytes("0af", got, sizeof(got)), 0);
	cr_expect_eq(number_parse_bytes("0ag0", got, sizeof(got)), 0);
	cr_expect_eq(number_parse_bytes("00112233", got, 3), 0);
	cr_expect_eq(got[3], 0);
}

Test(number, writes_groups_of_digits)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { 999, "999" }, { 1000, "1,000" },
		{ 123456, "123,456" }, { 1234567, "1,234,567" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char got[NUMBER_GROUPED + 1];
		got[number_grouped(got, cases[i].value)] = 0;
		cr_expect_str_eq(got, cases[i].text);
	}
}

Test(number, writes_each_count_of_digits)
{
	char got[GSYM_NUMBER_MAX + 1], wanted[32];
	uint64_t power = 1;
	for (int i = 0; i < 20; i++, power *= 10)
		for (int less = 0; less < 3; less++) {
			uint64_t value = power * (less == 2 ? 7 : 1) -
					 (less == 1);
			memset(got, '?', sizeof(got));
			got[gsym_decimal_put(got, value)] = 0;
			snprintf(wanted, sizeof(wanted), "%" PRIu64, value);
			cr_expect_str_eq(got, wanted);
		}
}
