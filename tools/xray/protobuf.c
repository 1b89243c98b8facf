/* SPDX-License-Identifier: MIT */
/* Encodes messages of protocol buffers. */
#include "config.h"

#include "xray/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "common/utf8.h"

/* The kinds of values. */
enum { VARINT = 0, BYTES = 2 };

static void append(struct protobuf *to, const void *bytes, size_t size)
{
	if (to->capacity - to->size < size) {
		size_t wanted = 2 * (to->size + size) + 64;
		to->bytes = realloc(to->bytes, wanted);
		if (!to->bytes)
			die("out of memory");
		to->capacity = wanted;
	}
	if (size)
		memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
}

/* Seven bits a byte, the lowest first; the highest bit says that more bytes
 * follow. */
static void append_varint(struct protobuf *to, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;
	while (value >= 0x80) {
		bytes[size++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	bytes[size++] = (uint8_t)value;
	append(to, bytes, size);
}

static void append_key(struct protobuf *to, unsigned field, unsigned kind)
{
	append_varint(to, (uint64_t)field << 3 | kind);
}

void protobuf_number(struct protobuf *to, unsigned field, uint64_t value)
{
	append_key(to, field, VARINT);
	append_varint(to, value);
}

void protobuf_text(struct protobuf *to, unsigned field, const char *text,
		   size_t size)
{
	append_key(to, field, BYTES);
	append_varint(to, size);
	size_t start = to->size;
	append(to, text, size);
	for (size_t i = 0; i < size;) {
		uint8_t *at = to->bytes + start + i;
		size_t length = utf8_length(at, size - i);
		if (!length)
			*at = '?';
		i += length ? length : 1;
	}
}

void protobuf_message(struct protobuf *to, unsigned field,
		      struct protobuf *inner)
{
	append_key(to, field, BYTES);
	append_varint(to, inner->size);
	append(to, inner->bytes, inner->size);
	inner->size = 0;
}

void protobuf_free(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){ 0 };
}
