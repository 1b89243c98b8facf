/* SPDX-License-Identifier: MIT */
/*
 * format/encode_record.h - writes a function record (gsym(5)): its line table,
 * inline tree, call sites and merged functions.  Knows the final offsets of
 * strings and numbers of files, but not how they were chosen.
 */
#ifndef GSYM_FORMAT_ENCODE_RECORD_H
#define GSYM_FORMAT_ENCODE_RECORD_H

#include "base/emit.h"
#include "format/shape.h"

/** By number in a shape: the offset of the string in the file, or the index of
 * the file. */
struct gsym_encode_tables {
	/** Offset in the string table, by string number. */
	const uint64_t *strings;
	/** Index in the file table, by file number. */
	const uint32_t *files;
	/** Bytes of a string offset: 4 in version 1, 8 in version 2. */
	unsigned string_size;
};

/** Append the record of SHAPE to OUT; the caller aligns OUT.  Returns false if
 *  the record has 4 GiB or more.  If memory runs out, OUT is marked as
 *  failed. */
bool gsym_encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			const struct gsym_encode_tables *tables);

/** Append the line table of the COUNT (not 0) rows of VIEW.  FILES is the
 *  index in the file table, by file number. */
void gsym_encode_lines(struct gsym_emit *out,
		       const struct gsym_shape_view *view, uint32_t count,
		       const uint32_t *files);

/** Append the inline tree of SHAPE.  VIEW is the view of its body. */
void gsym_encode_inlines(struct gsym_emit *out, const struct gsym_shape *shape,
			 const struct gsym_shape_view *view,
			 const struct gsym_encode_tables *tables);

#endif
