/* SPDX-License-Identifier: MIT */
/*
 * format/encode_record.h - shapes to bytes: the function record (gsym(5)),
 * its line table, inline tree, call sites and merged functions.  Knows
 * where strings and files ended up, but not why.
 */
#ifndef GSYM_FORMAT_ENCODE_RECORD_H
#define GSYM_FORMAT_ENCODE_RECORD_H

#include "base/emit.h"
#include "format/shape.h"

/** How numbers of a shape are written. */
struct gsym_encode_tables {
	/** String number to offset in the string table. */
	const uint64_t *strings;
	/** File number to index in the file table. */
	const uint32_t *files;
	/** Bytes of a string offset: 4 in version 1, 8 in version 2. */
	unsigned string_size;
};

/** Append the record of SHAPE, which is not aligned here.  False if a part
 *  of it needs more than 4 GiB.  A lack of memory shows in OUT. */
bool gsym_encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			const struct gsym_encode_tables *tables);

/** Append the line table of COUNT (not 0) rows of VIEW. */
void gsym_encode_lines(struct gsym_emit *out,
		       const struct gsym_shape_view *view, uint32_t count,
		       const uint32_t *files);

/** Append the inline tree of SHAPE, whose body VIEW shows. */
void gsym_encode_inlines(struct gsym_emit *out, const struct gsym_shape *shape,
			 const struct gsym_shape_view *view,
			 const struct gsym_encode_tables *tables);

#endif
