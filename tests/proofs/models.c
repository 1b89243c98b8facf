/* SPDX-License-Identifier: MIT */
/*
 * Models: what stands for functions outside of the code that is proved.  Each
 * demands what the real one demands, does at most what that one promises, and
 * returns whatever it may return.
 */
#include "base/error.h"

/* The message is text for people: no code of the reader reads it. */
enum gsym_status gsym_fail(struct gsym_error *error, enum gsym_status code,
			   uint64_t offset, const char *format, ...)
{
	(void)format;
	if (error) {
		error->code = code;
		error->offset = offset;
	}
	return code;
}

enum gsym_status gsym_fail_argument(struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_ARGUMENT, 0, "argument");
}

/* Some byte of that value; C's is the first. */
void *memchr(const void *bytes, int value, size_t size)
{
	size_t at = nondet_u64();

	PROVE(__CPROVER_r_ok(bytes, size));
	if (at >= size)
		return NULL;
	GIVEN(((const uint8_t *)bytes)[at] == (uint8_t)value);
	return (uint8_t *)bytes + at;
}
