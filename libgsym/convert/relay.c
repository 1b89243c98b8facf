/* SPDX-License-Identifier: MIT */
/* convert/relay.c - passes what a sink gets on to another sink. */
#include "convert/convert.h"

static const struct gsym_sink *inner_of(void *self)
{
	return ((struct gsym_relay *)self)->inner;
}

static enum gsym_status pass_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->string(inner->self, bytes, length, number);
}

static enum gsym_status pass_strings(void *self, const struct gsym_text *texts,
				     size_t count, uint32_t *numbers)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->strings(inner->self, texts, count, numbers);
}

static enum gsym_status pass_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->file(inner->self, directory, basename, number);
}

static enum gsym_status pass_record(void *self,
				    const struct gsym_record *record)
{
	return gsym_sink_record(inner_of(self), record);
}

static enum gsym_status pass_rows(void *self, struct gsym_range range,
				  const struct gsym_loose_row *rows,
				  size_t count)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->loose_rows(inner->self, range, rows, count);
}

struct gsym_sink gsym_relay_to(struct gsym_relay *relay,
			       const struct gsym_sink *inner)
{
	relay->inner = inner;
	return (struct gsym_sink){ relay, pass_string, pass_file, pass_record,
				   pass_rows,
				   inner->strings ? pass_strings : NULL };
}
