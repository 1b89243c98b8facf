/* SPDX-License-Identifier: MIT */
/*
 * number.h - reads addresses and other numbers as people write them, and
 * writes digits.  It knows C's rules for integers (0x: hexadecimal, a leading
 * 0: octal, else decimal), not what a number stands for.
 */
#ifndef TOOLS_COMMON_NUMBER_H
#define TOOLS_COMMON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether a text is a number, or why not. */
enum number_result {
	NUMBER_OK,
	NUMBER_EMPTY,
	NUMBER_BAD,     /**< has characters that no number has */
	NUMBER_BARE,    /**< hexadecimal digits without 0x */
	NUMBER_OCTAL,   /**< a leading 0, but digits 8 or 9 */
	NUMBER_RANGE,   /**< more than 64 bits */
};

/** Read the LENGTH bytes at TEXT as a number, with no blank or sign.  *VALUE
 *  is set only if the result is NUMBER_OK. */
enum number_result number_parse(const char *text, size_t length,
				uint64_t *value);
/** Why a text with RESULT is no address: "not an address: ..."; NULL for
 *  NUMBER_OK. */
const char *number_problem(enum number_result result);

/** The most characters that number_hex and number_decimal write. */
#define NUMBER_MAX 20
/** Write VALUE to TO in hexadecimal digits, without 0x, leading zeros or a
 *  NUL.  Returns the number of characters. */
size_t number_hex(char *to, uint64_t value);
/** Like number_hex, in decimal digits. */
size_t number_decimal(char *to, uint64_t value);

#endif /* TOOLS_COMMON_NUMBER_H */
