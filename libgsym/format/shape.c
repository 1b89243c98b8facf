/* SPDX-License-Identifier: MIT */
/* Packs records into the compact form, measures it and unpacks it. */
#include "format/encode.h"

/* Bytes of a number of COLUMN. */
static unsigned width_of(const struct gsym_shape_body *body, unsigned column)
{
	return (body->widths >> 2 * column & 3) + 1;
}

size_t gsym_shape_bytes(const struct gsym_shape_body *body)
{
	size_t bytes = GSYM_SHAPE_SLACK;

	for (unsigned i = 0; i < GSYM_COLUMNS; i++)
		bytes += (size_t)body->counts[gsym_columns[i].array] *
			 width_of(body, i);
	return bytes;
}

void gsym_shape_measure(struct gsym_shape_body *body, const uint32_t *words)
{
	unsigned column = 0;

	body->widths = 0;
	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		size_t all = gsym_shape_array_words(body, i);
		unsigned fields = gsym_arrays[i].columns;

		for (unsigned k = 0; k < fields; k++, column++) {
			uint32_t bits = 0;

			for (size_t j = k; j < all; j += fields)
				bits |= words[j];
			body->widths |= (uint64_t)((bits > 0xff) +
						   (bits > 0xffff) +
						   (bits > 0xffffff))
					<< 2 * column;
		}
		/* Without items WORDS may be NULL, and C does not define NULL
		 * + 0. */
		words = all ? words + all : words;
	}
}

void gsym_shape_pack(const struct gsym_shape_body *body, const uint32_t *words,
		     uint8_t *bytes)
{
	unsigned column = 0;

	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		size_t all = gsym_shape_array_words(body, i);
		unsigned fields = gsym_arrays[i].columns;

		for (unsigned k = 0; k < fields; k++) {
			unsigned width = width_of(body, column++);

			/* Each store writes four bytes.  The next store
			 * overwrites the bytes beyond WIDTH; those of the last
			 * store are in the slack. */
			for (size_t j = k; j < all; j += fields, bytes += width)
				gsym_store_u32(bytes, words[j],
					       GSYM_HOST_BIG_ENDIAN);
		}
		words = all ? words + all : words;
	}
}

void gsym_shape_unpack(const struct gsym_shape_body *body, uint32_t *words)
{
	struct gsym_shape_view view = gsym_shape_look(body);
	unsigned column = 0;

	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		unsigned fields = gsym_arrays[i].columns;

		for (unsigned k = 0; k < fields; k++, column++)
			for (uint32_t j = 0; j < body->counts[i]; j++)
				words[(size_t)j * fields + k] =
					gsym_shape_at(&view, column, j);
		words += (size_t)body->counts[i] * fields;
	}
}

struct gsym_shape_view gsym_shape_look(const struct gsym_shape_body *body)
{
	struct gsym_shape_view view;
	const uint8_t *bytes = body->bytes;
	unsigned column = 0;

	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		/* A column without numbers is never read. */
		if (!body->counts[i]) {
			column += gsym_arrays[i].columns;
			continue;
		}
		for (unsigned k = 0; k < gsym_arrays[i].columns;
		     k++, column++) {
			unsigned width = width_of(body, column);

			view.columns[column].bytes = bytes;
			view.columns[column].width = width;
			view.columns[column].mask =
				UINT32_MAX >> 8 * (4 - width);
			bytes += (size_t)body->counts[i] * width;
		}
	}
	return view;
}
