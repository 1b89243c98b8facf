/* SPDX-License-Identifier: MIT */
/*
 * xray/protobuf.h - encodes messages of protocol buffers.  Knows no schema: the
 * caller names each field by its number.
 *
 *	protobuf_number(&inner, 1, 7);
 *	protobuf_message(&outer, 2, &inner);
 *
 * All functions here die if memory runs out.
 */
#ifndef TOOLS_XRAY_PROTOBUF_H
#define TOOLS_XRAY_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/** The bytes of a message; zeroed: an empty one. */
struct protobuf {
	uint8_t *bytes;
	size_t size, capacity;
};

/** Append field FIELD with the unsigned VALUE. */
void protobuf_number(struct protobuf *to, unsigned field, uint64_t value);
/** Append field FIELD with SIZE bytes of TEXT.  Bytes that are not UTF-8 become
 *  question marks. */
void protobuf_text(struct protobuf *to, unsigned field, const char *text,
		   size_t size);
/** Append INNER as field FIELD, and empty INNER. */
void protobuf_message(struct protobuf *to, unsigned field,
		      struct protobuf *inner);
void protobuf_free(struct protobuf *message);

#endif /* TOOLS_XRAY_PROTOBUF_H */
