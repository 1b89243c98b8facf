/* SPDX-License-Identifier: MIT */
/*
 * number.h - addresses and other numbers as people write them, and the
 * digits that go back.  It knows C's rules for integers (0x: hexadecimal, a
 * leading 0: octal, else decimal) and never what a number stands for.
 */
#ifndef TOOLS_COMMON_NUMBER_H
#define TOOLS_COMMON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What became of a text. */
enum number_result {
	NUMBER_OK,
	NUMBER_EMPTY,
	NUMBER_BAD,     /**< no number at all */
	NUMBER_BARE,    /**< hexadecimal digits without 0x */
	NUMBER_OCTAL,   /**< a leading 0, but digits 8 or 9 */
	NUMBER_RANGE,   /**< more than 64 bits */
};

/** The number that the LENGTH bytes at TEXT write.  No blanks, no sign. */
enum number_result number_parse(const char *text, size_t length,
				uint64_t *value);
/** Why RESULT is no number: "not an address: ..."; NULL for NUMBER_OK. */
const char *number_problem(enum number_result result);

/** Characters that the longest number takes (20 digits). */
#define NUMBER_MAX 20
/** Write VALUE's digits to TO, without 0x, NUL or leading zeros; returns
 *  their number. */
size_t number_hex(char *to, uint64_t value);
size_t number_decimal(char *to, uint64_t value);

#endif /* TOOLS_COMMON_NUMBER_H */
