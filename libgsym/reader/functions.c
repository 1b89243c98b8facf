/* SPDX-License-Identifier: MIT */
/* reader/functions.c - decodes function records, their merged functions and
 * their call sites.  Knows nothing of lookups. */
#include "reader/functions.h"

#include "base/error.h"
#include "base/sized.h"
#include "format/callsites.h"
#include "format/format.h"
#include "format/record.h"

#include <inttypes.h>

/* The number of entries of the list in TUPLE; 0 if TUPLE is too short for so
 * many entries of SMALLEST bytes. */
static uint32_t list_count(const struct gsym_reader *reader,
			   const struct gsym_tuple *tuple, unsigned smallest)
{
	struct gsym_cursor c = gsym_cursor_init(tuple->data, tuple->size,
						reader->layout.swap);

	return gsym_list_count(&c, smallest);
}

/* Store the place of TUPLE in F.  A second tuple of one type replaces the
 * first. */
static void take_tuple(struct gsym_function *f, const struct gsym_tuple *tuple)
{
	const struct gsym_layout *l = &f->reader->layout;
	uint64_t offset = (uint64_t)(tuple->data - l->data);

	switch (tuple->type) {
	case GSYM_INFO_LINES:
		f->has_lines = true;
		f->lines_offset = offset;
		f->lines_size = tuple->size;
		break;
	case GSYM_INFO_INLINES:
		f->has_inlines = true;
		f->inlines_offset = offset;
		f->inlines_size = tuple->size;
		break;
	case GSYM_INFO_MERGED:
		f->merged_offset = offset;
		f->merged_size = tuple->size;
		f->merged_count = list_count(
			f->reader, tuple, gsym_merged_smallest(l->string_size));
		f->next_merged_offset = offset + 4;
		break;
	case GSYM_INFO_CALL_SITES:
		f->call_sites_offset = offset;
		f->call_sites_size = tuple->size;
		f->call_site_count = list_count(f->reader, tuple,
						GSYM_CALL_SMALLEST);
		f->next_call_site_offset = offset + 4;
		break;
	default:
		f->unknown_count++;
		break;
	}
}

enum gsym_status gsym_function_read(const struct gsym_reader *reader,
				    struct gsym_cursor *c, uint64_t start,
				    struct gsym_function *ret,
				    struct gsym_error *error)
{
	const uint8_t *record = c->at, *at;
	uint64_t where = gsym_reader_place(reader, record);
	struct gsym_record_head head;
	struct gsym_tuple tuple;
	enum gsym_tuple_step step;
	const char *name = NULL;

	*ret = (struct gsym_function){
		.start = start, .name = "", .reader = reader,
		.record_offset = (uint64_t)(record - reader->layout.data)
	};
	if (!gsym_record_read(c, reader->layout.string_size, &head))
		return gsym_fail(error, GSYM_ERR_CORRUPT, where,
				 "function record at offset 0x%" PRIx64
				 " is cut off", where);
	ret->size = head.size;
	if (head.name)
		name = gsym_layout_string(&reader->layout, head.name);
	if (name)
		ret->name = name;
	do {
		at = c->at;
		step = gsym_tuple_read(c, &tuple);
		if (step == GSYM_TUPLE_STEP_TUPLE)
			take_tuple(ret, &tuple);
	} while (step == GSYM_TUPLE_STEP_TUPLE);
	ret->record_size = (uint64_t)(c->at - record);
	if (!name)
		return gsym_fail(error, GSYM_ERR_CORRUPT, where + 4,
				 "function record at offset 0x%" PRIx64
				 " has no name: string offset 0x%" PRIx64,
				 where, head.name);
	if (step == GSYM_TUPLE_STEP_DAMAGE)
		return gsym_fail(error, GSYM_ERR_CORRUPT,
				 gsym_reader_place(reader, at),
				 "function record at offset 0x%" PRIx64
				 " has no end", where);
	return GSYM_OK;
}

/* Whether RET and RET_SIZE can be those of a struct gsym_function. */
static bool can_take_function(const struct gsym_function *ret, size_t ret_size)
{
	return ret &&
	       ret_size >= GSYM_SIZE_THROUGH(struct gsym_function, spare);
}

enum gsym_status gsym_function_at_sized(const struct gsym_reader *reader,
					uint32_t index,
					struct gsym_function *ret,
					size_t ret_size,
					struct gsym_error *error)
{
	const struct gsym_layout *l;
	struct gsym_function function;
	enum gsym_status status;
	struct gsym_cursor c;

	if (!reader || !can_take_function(ret, ret_size))
		return gsym_fail_argument(error);
	l = &reader->layout;
	if (index >= l->count)
		return GSYM_NOT_FOUND;
	if (gsym_reader_record(reader, index, &c)) {
		status = gsym_function_read(reader, &c,
					    gsym_reader_start(reader, index),
					    &function, error);
		gsym_sized_copy(ret, ret_size, &function, sizeof(function));
		return status;
	}
	function = (struct gsym_function){
		.start = gsym_reader_start(reader, index),
		.name = "", .reader = reader,
	};
	gsym_sized_copy(ret, ret_size, &function, sizeof(function));
	return gsym_fail(error, GSYM_ERR_CORRUPT, reader->image_offset +
			 l->sections[GSYM_SECTION_ADDRESS_INFO].offset +
			 (uint64_t)index * l->info_size,
			 "address info entry %" PRIu32
			 " points beyond the function records, to offset 0x%"
			 PRIx64, index, gsym_layout_record(l, index));
}

enum gsym_status gsym_find_function(const struct gsym_reader *reader,
				    const char *name, uint32_t from,
				    uint32_t *index)
{
	const struct gsym_layout *l;

	if (!reader || !name || !index)
		return GSYM_ERR_ARGUMENT;
	l = &reader->layout;
	for (uint32_t i = from; i < l->count; i++) {
		struct gsym_record_head head;
		struct gsym_cursor c;
		const char *s;

		if (!gsym_reader_record(reader, i, &c) ||
		    !gsym_record_read(&c, l->string_size, &head) || !head.name)
			continue;
		s = gsym_layout_string(l, head.name);
		if (s && !strcmp(s, name)) {
			*index = i;
			return GSYM_OK;
		}
	}
	return GSYM_NOT_FOUND;
}

/* A cursor over the list of SIZE bytes at OFFSET.  It starts at entry *NEXT, at
 * *NEXT_OFFSET, which is the entry after the one that the last call read.  If
 * entry WHICH comes before entry *NEXT, *NEXT and *NEXT_OFFSET are set back to
 * entry 0. */
static struct gsym_cursor resume(const struct gsym_reader *reader,
				 uint64_t offset, uint64_t size,
				 uint32_t which, uint32_t *next,
				 uint64_t *next_offset)
{
	if (which < *next) {
		*next = 0;
		*next_offset = offset + 4;
	}
	return gsym_reader_cursor(reader, *next_offset,
				  offset + size - *next_offset);
}

enum gsym_status gsym_merged_at_sized(struct gsym_function *f, uint32_t which,
				      struct gsym_function *ret,
				      size_t ret_size,
				      struct gsym_error *error)
{
	struct gsym_cursor list, record = { 0 };
	struct gsym_function function;
	enum gsym_status status;

	if (!f || !can_take_function(ret, ret_size))
		return gsym_fail_argument(error);
	if (which >= f->merged_count)
		return GSYM_NOT_FOUND;
	list = resume(f->reader, f->merged_offset, f->merged_size, which,
		      &f->next_merged, &f->next_merged_offset);
	for (; f->next_merged <= which; f->next_merged++) {
		if (!gsym_merged_read(&list, &record))
			return gsym_fail(error, GSYM_ERR_CORRUPT,
					 gsym_reader_place(f->reader, list.at),
					 "merged functions of the record at "
					 "offset 0x%" PRIx64 " are cut off",
					 f->reader->image_offset +
						 f->record_offset);
		f->next_merged_offset =
			(uint64_t)(list.at - f->reader->layout.data);
	}
	status = gsym_function_read(f->reader, &record, f->start, &function,
				    error);
	gsym_sized_copy(ret, ret_size, &function, sizeof(function));
	return status;
}

static void fill_site(const struct gsym_reader *reader,
		      const struct gsym_call_entry *entry,
		      struct gsym_call_site *ret, size_t ret_size)
{
	struct gsym_call_site site = {
		.return_offset = entry->return_offset,
		.flags = entry->flags,
		.pattern_count = entry->pattern_count,
		.reader = reader,
		.patterns_offset =
			(uint64_t)(entry->patterns - reader->layout.data),
	};

	gsym_sized_copy(ret, ret_size, &site, sizeof(site));
}

/* Whether RET and RET_SIZE can be those of a struct gsym_call_site. */
static bool can_take_site(const struct gsym_call_site *ret, size_t ret_size)
{
	return ret &&
	       ret_size >= GSYM_SIZE_THROUGH(struct gsym_call_site, spare);
}

static enum gsym_status fail_sites(const struct gsym_function *f,
				   const struct gsym_cursor *c,
				   struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_CORRUPT,
			 gsym_reader_place(f->reader, c->at),
			 "call sites of the record at offset 0x%" PRIx64
			 " are cut off",
			 f->reader->image_offset + f->record_offset);
}

enum gsym_status gsym_call_site_at_sized(struct gsym_function *f,
					 uint32_t which,
					 struct gsym_call_site *ret,
					 size_t ret_size,
					 struct gsym_error *error)
{
	struct gsym_call_entry entry = { 0 };
	struct gsym_cursor c;
	unsigned width;

	if (!f || !can_take_site(ret, ret_size))
		return gsym_fail_argument(error);
	if (which >= f->call_site_count)
		return GSYM_NOT_FOUND;
	width = f->reader->layout.string_size;
	c = resume(f->reader, f->call_sites_offset, f->call_sites_size, which,
		   &f->next_call_site, &f->next_call_site_offset);
	for (; f->next_call_site <= which; f->next_call_site++) {
		if (!gsym_call_read(&c, width, &entry))
			return fail_sites(f, &c, error);
		f->next_call_site_offset =
			(uint64_t)(c.at - f->reader->layout.data);
	}
	fill_site(f->reader, &entry, ret, ret_size);
	return GSYM_OK;
}

enum gsym_status gsym_call_site_find_sized(const struct gsym_function *f,
					   uint64_t address,
					   struct gsym_call_site *ret,
					   size_t ret_size,
					   struct gsym_error *error)
{
	struct gsym_call_entry entry;
	struct gsym_cursor c;
	unsigned width;

	if (!f || !can_take_site(ret, ret_size))
		return gsym_fail_argument(error);
	if (!f->call_site_count)
		return GSYM_NOT_FOUND;
	width = f->reader->layout.string_size;
	c = gsym_reader_cursor(f->reader, f->call_sites_offset + 4,
			       f->call_sites_size - 4);
	for (uint32_t i = 0; i < f->call_site_count; i++) {
		if (!gsym_call_read(&c, width, &entry))
			return fail_sites(f, &c, error);
		if (entry.return_offset == address - f->start) {
			fill_site(f->reader, &entry, ret, ret_size);
			return GSYM_OK;
		}
	}
	return GSYM_NOT_FOUND;
}

const char *gsym_call_site_pattern(const struct gsym_call_site *site,
				   uint32_t which)
{
	const struct gsym_layout *l;
	const uint8_t *p;

	if (!site || which >= site->pattern_count)
		return NULL;
	l = &site->reader->layout;
	p = l->data + site->patterns_offset +
	    (uint64_t)which * l->string_size;
	return gsym_reader_string(site->reader,
				  gsym_load_uint(p, l->string_size, l->swap));
}
