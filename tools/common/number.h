/* SPDX-License-Identifier: MIT */
/*
 * number.h - reads addresses and other numbers as people write them, and
 * writes digits.  It does not know what a number stands for.
 *
 * Numbers that begin with 0x are hexadecimal, others are bare.  A bare number
 * is decimal, but if it is an address, it is hexadecimal
 *  - if it has a digit from a to f, or
 *  - if zeros pad it to 8 or 16 digits, as in the output of nm.
 * There are no octal numbers.
 */
#ifndef TOOLS_COMMON_NUMBER_H
#define TOOLS_COMMON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A number, or the reason why a text is no number. */
enum number_result {
	NUMBER_OK,
	NUMBER_EMPTY,
	NUMBER_BAD,     /**< has characters that no number has */
	NUMBER_BARE,    /**< hexadecimal digits without 0x */
	NUMBER_RANGE,   /**< more than 64 bits */
};

/** Read the LENGTH bytes at TEXT as a number, with no blank or sign.  *VALUE
 *  is set only if the result is NUMBER_OK. */
enum number_result number_parse(const char *text, size_t length,
				uint64_t *value);
/** Like number_parse, for an address.  HEX: every bare number is
 *  hexadecimal.  The result is never NUMBER_BARE. */
enum number_result number_parse_address(const char *text, size_t length,
					bool hex, uint64_t *value);
/** The base of the address in the LENGTH bytes at TEXT, by the first rules
 *  above: 10 or 16. */
unsigned number_address_base(const char *text, size_t length);
/** The reason why a text with RESULT is no address: "not an address: ..."; NULL
 *  for NUMBER_OK. */
const char *number_problem(enum number_result result);

/** Read bytes, such as a build ID, from hexadecimal digits: TEXT becomes bytes
 *  at TO, which has room for CAPACITY.  Returns the number of bytes; 0 if TEXT
 *  is empty, has other characters, an odd length, or more than CAPACITY
 *  bytes. */
size_t number_parse_bytes(const char *text, uint8_t *to, size_t capacity);

/** The most characters that number_hex and number_decimal write. */
#define NUMBER_MAX 20
/** Write VALUE to TO in hexadecimal digits, without 0x, leading zeros or a
 *  NUL.  Returns the number of characters. */
size_t number_hex(char *to, uint64_t value);
/** Like number_hex, in decimal digits. */
size_t number_decimal(char *to, uint64_t value);
/** The most bytes that number_grouped writes. */
enum { NUMBER_GROUPED = NUMBER_MAX + NUMBER_MAX / 3 };
/** Like number_decimal, with commas: 1,234. */
size_t number_grouped(char *to, uint64_t value);

#endif /* TOOLS_COMMON_NUMBER_H */
