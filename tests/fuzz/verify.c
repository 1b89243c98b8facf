/* SPDX-License-Identifier: MIT */
#include "fuzz/verify.h"

#include <gsym/reader.h>

#include <stdio.h>

struct first {
	char *message;
	size_t size;
};

static bool note(void *context, const struct gsym_error *problem)
{
	const struct first *first = context;

	if (problem->code != GSYM_ERR_CORRUPT)
		return true;
	snprintf(first->message, first->size, "%s", problem->message);
	return false;
}

bool fuzz_verify(const uint8_t *bytes, size_t size, char *message,
		 size_t message_size)
{
	struct first first = { message, message_size };
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	enum gsym_status status;

	status = gsym_open_memory(bytes, size, &reader, &error);
	if (status != GSYM_OK) {
		snprintf(message, message_size, "%s", error.message);
		return false;
	}
	status = gsym_verify(reader, note, &first);
	gsym_close(reader);
	return status == GSYM_OK;
}
