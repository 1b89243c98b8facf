/* SPDX-License-Identifier: MIT */
#include "support/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	struct piece *next;
	max_align_t bytes[];
};

/* A position in the file. */
struct at {
	struct plain *p;
	uint64_t at;
	uint64_t end;
};

static void *take(struct plain *p, size_t count, size_t size)
{
	struct piece *piece = calloc(1, sizeof(*piece) + count * size);

	if (!piece)
		abort();
	piece->next = p->pieces;
	p->pieces = piece;
	return piece->bytes;
}

static void complain(struct plain *p, uint64_t offset, const char *problem)
{
	if (p->problem)
		return;
	p->problem = problem;
	p->problem_offset = offset;
}

static uint64_t fixed(struct at *a, unsigned size)
{
	uint64_t v = 0;

	if (a->p->problem)
		return 0;
	if (a->end - a->at < size) {
		complain(a->p, a->at, "the bytes end too early");
		return 0;
	}
	for (unsigned i = 0; i < size; i++) {
		unsigned byte = a->p->big_endian ? i : size - 1 - i;

		v = v << 8 | a->p->data[a->at + byte];
	}
	a->at += size;
	return v;
}

static uint64_t uleb(struct at *a)
{
	uint64_t start = a->at, v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = (uint8_t)fixed(a, 1);

		if (a->p->problem)
			return 0;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80 && shift < 56)
			continue;
		if (shift && !byte)
			complain(a->p, start, "a longer LEB128 than needed");
		return v;
	}
}

static int64_t sleb(struct at *a)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = (uint8_t)fixed(a, 1);

		if (a->p->problem)
			return 0;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80 && shift < 56)
			continue;
		if (byte & 0x40)
			v |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)v;
	}
}

static const char *string_at(struct plain *p, uint64_t offset, uint64_t from)
{
	if (p->problem)
		return "";
	if (offset >= p->string_bytes) {
		complain(p, from, "a string after the string table");
		return "";
	}
	return (const char *)p->data + p->strings + offset;
}

static const char *strp(struct at *a)
{
	uint64_t from = a->at;

	return string_at(a->p, fixed(a, a->p->version == 1 ? 4 : 8), from);
}

static uint64_t file_index(struct at *a)
{
	uint64_t from = a->at, index = uleb(a);

	if (index >= a->p->file_count)
		complain(a->p, from, "a file after the file table");
	return index;
}

static void add_row(struct plain *p, struct plain_function *f, size_t *room,
		    struct plain_row row)
{
	if (f->row_count == *room) {
		struct plain_row *rows = take(p, *room * 2 + 8, sizeof(*rows));

		if (f->row_count)
			memcpy(rows, f->rows, f->row_count * sizeof(*rows));
		f->rows = rows;
		*room = *room * 2 + 8;
	}
	f->rows[f->row_count++] = row;
}

/* LINE advanced by DELTA, which has to stay within 32 bits: other readers
 * refuse tables in which it does not. */
static uint32_t moved(struct at *a, uint32_t line, int64_t delta)
{
	int64_t to = (int64_t)line + delta;

	if (to < 0 || to > UINT32_MAX)
		complain(a->p, a->at, "a line beyond 32 bits");
	return (uint32_t)to;
}

static void decode_lines(struct at a, struct plain_function *f)
{
	struct plain_row row = { .address = f->start, .file = 1 };
	uint64_t begin = a.at, line;
	int64_t range;
	size_t room = 0;

	f->has_lines = true;
	f->line_bytes = a.end - a.at;
	f->min_delta = sleb(&a);
	f->max_delta = sleb(&a);
	line = uleb(&a);
	if (line > UINT32_MAX)
		complain(a.p, a.at, "a line beyond 32 bits");
	row.line = (uint32_t)line;
	range = f->max_delta - f->min_delta + 1;
	if (range < 1)
		complain(a.p, begin, "an empty window of line deltas");
	while (!a.p->problem) {
		uint8_t opcode = (uint8_t)fixed(&a, 1);

		if (opcode == 0)
			break;
		if (opcode == 1) {
			row.file = file_index(&a);
			continue;
		}
		if (opcode == 3) {
			row.line = moved(&a, row.line, sleb(&a));
			continue;
		}
		if (opcode == 2) {
			row.address += uleb(&a);
		} else {
			row.line = moved(&a, row.line,
					 f->min_delta + (opcode - 4) % range);
			row.address += (uint64_t)((opcode - 4) / range);
		}
		if (row.file == 0)
			complain(a.p, a.at, "a row of file 0");
		add_row(a.p, f, &room, row);
	}
	if (a.at != a.end)
		complain(a.p, a.at, "bytes after the line table");
}

static bool inside(const struct plain_inline *parent, struct plain_range range)
{
	for (size_t i = 0; i < parent->range_count; i++)
		if (range.start >= parent->ranges[i].start &&
		    range.end <= parent->ranges[i].end)
			return true;
	return false;
}

static void decode_ranges(struct at *a, struct plain_inline *node,
			  const struct plain_inline *parent, uint64_t base,
			  size_t count)
{
	if (count > a->end - a->at) {
		complain(a->p, a->at, "more ranges than bytes");
		return;
	}
	node->range_count = count;
	node->ranges = take(a->p, count, sizeof(*node->ranges));
	for (size_t i = 0; i < count; i++) {
		struct plain_range *range = &node->ranges[i];
		uint64_t from = a->at;

		range->start = base + uleb(a);
		range->end = range->start + uleb(a);
		if (range->end <= range->start)
			complain(a->p, from, "an empty range");
		if (i && range->start <= range[-1].end)
			complain(a->p, from, "ranges touch or are unsorted");
		if (parent && !inside(parent, *range))
			complain(a->p, from, "a range outside the parent's");
	}
}

/* Decode a node and its children; false at the end of the siblings. */
static bool decode_node(struct at *a, struct plain_function *f, size_t *room,
			size_t parent, unsigned depth, uint64_t base)
{
	struct plain_inline node = { .depth = depth };
	uint64_t count = uleb(a), from;
	bool children;
	size_t index;

	if (a->p->problem || !count)
		return false;
	decode_ranges(a, &node, depth ? &f->inlines[parent] : NULL, base,
		      count);
	from = a->at;
	switch (fixed(a, 1)) {
	case 0:
		children = false;
		break;
	case 1:
		children = true;
		break;
	default:
		complain(a->p, from, "neither children nor none");
		return false;
	}
	node.name = strp(a);
	from = a->at;
	node.call_file = file_index(a);
	if (depth && !node.call_file)
		complain(a->p, from, "a call from file 0");
	node.call_line = uleb(a);
	if (a->p->problem)
		return false;
	if (f->inline_count == *room) {
		struct plain_inline *nodes =
			take(a->p, *room * 2 + 8, sizeof(*nodes));

		if (f->inline_count)
			memcpy(nodes, f->inlines,
			       f->inline_count * sizeof(*nodes));
		f->inlines = nodes;
		*room = *room * 2 + 8;
	}
	index = f->inline_count++;
	f->inlines[index] = node;
	if (children) {
		size_t before = f->inline_count;

		while (decode_node(a, f, room, index, depth + 1,
				   node.ranges->start))
			;
		if (f->inline_count == before)
			complain(a->p, from, "children that are not there");
	}
	return !a->p->problem;
}

static void decode_inlines(struct at a, struct plain_function *f)
{
	size_t room = 0;
	uint64_t from = a.at;

	decode_node(&a, f, &room, 0, 0, f->start);
	if (a.p->problem)
		return;
	if (a.at != a.end)
		complain(a.p, a.at, "bytes after the inline tree");
	if (f->inline_count < 2 || f->inlines->range_count != 1 ||
	    f->inlines->ranges->start != f->start ||
	    f->inlines->ranges->end != f->start + f->size ||
	    strcmp(f->inlines->name, f->name) || f->inlines->call_file ||
	    f->inlines->call_line)
		complain(a.p, from, "a root that is not the function");
}

static void decode_calls(struct at a, struct plain_function *f)
{
	f->call_count = fixed(&a, 4);
	if (!f->call_count || f->call_count > a.end - a.at) {
		complain(a.p, a.at, "an impossible number of calls");
		return;
	}
	f->calls = take(a.p, f->call_count, sizeof(*f->calls));
	for (size_t i = 0; i < f->call_count; i++) {
		struct plain_call *call = &f->calls[i];

		call->return_offset = fixed(&a, 8);
		call->flags = (uint8_t)fixed(&a, 1);
		call->pattern_count = fixed(&a, 4);
		if (call->pattern_count > a.end - a.at) {
			complain(a.p, a.at, "an impossible number of patterns");
			return;
		}
		call->patterns = take(a.p, call->pattern_count + 1,
				      sizeof(*call->patterns));
		for (size_t k = 0; k < call->pattern_count; k++)
			call->patterns[k] = strp(&a);
	}
	if (a.at != a.end)
		complain(a.p, a.at, "bytes after the call sites");
}

static void decode_function(struct at *a, struct plain_function *f,
			    bool is_merged);

static void decode_merged(struct at a, struct plain_function *f)
{
	f->merged_count = fixed(&a, 4);
	if (!f->merged_count || f->merged_count > a.end - a.at) {
		complain(a.p, a.at, "an impossible number of merged functions");
		return;
	}
	f->merged = take(a.p, f->merged_count, sizeof(*f->merged));
	for (size_t i = 0; i < f->merged_count && !a.p->problem; i++) {
		uint64_t length = fixed(&a, 4);
		struct at inner = { a.p, a.at, a.at + length };

		if (length > a.end - a.at) {
			complain(a.p, a.at, "a merged function is too long");
			return;
		}
		f->merged[i].start = f->start;
		decode_function(&inner, &f->merged[i], true);
		if (inner.at != inner.end || f->merged[i].size != f->size)
			complain(a.p, a.at,
				 "a merged function of another size");
		a.at = inner.end;
	}
	if (a.at != a.end)
		complain(a.p, a.at, "bytes after the merged functions");
}

/* Decode a record; A is then after the record. */
static void decode_function(struct at *a, struct plain_function *f,
			    bool is_merged)
{
	uint64_t last = 0;

	f->record_offset = a->at;
	f->size = fixed(a, 4);
	f->name = strp(a);
	if (!*f->name)
		complain(a->p, a->at, "a function without a name");
	while (!a->p->problem) {
		uint64_t from = a->at;
		uint64_t type = fixed(a, 4), length = fixed(a, 4);
		struct at inner = { a->p, a->at, a->at + length };

		if (length > a->end - a->at) {
			complain(a->p, from, "a tuple is too long");
			return;
		}
		if (type <= last && type) {
			complain(a->p, from, "tuples out of order");
			return;
		}
		last = type;
		a->at += length;
		if (type == 0 && length == 0)
			break;
		if (type == 1)
			decode_lines(inner, f);
		else if (type == 2)
			decode_inlines(inner, f);
		else if (type == 3 && !is_merged)
			decode_merged(inner, f);
		else if (type == 4)
			decode_calls(inner, f);
		else
			complain(a->p, from,
				 "a tuple that nobody should write");
	}
	f->record_size = a->at - f->record_offset;
}

static void decode_v1_header(struct plain *p, struct at *a)
{
	p->address_size = (unsigned)fixed(a, 1);
	p->uuid_size = fixed(a, 1);
	p->base = fixed(a, 8);
	p->function_count = fixed(a, 4);
	p->strings = fixed(a, 4);
	p->string_bytes = fixed(a, 4);
	if (p->uuid_size > 20 || p->size < 48) {
		complain(p, 7, "an impossible UUID");
		return;
	}
	p->uuid = p->data + 28;
	for (size_t i = p->uuid_size; i < 20; i++)
		if (p->uuid[i])
			complain(p, 28 + i, "bytes after the UUID");
	p->addresses = 48;
	p->address_info = (48 + (uint64_t)p->function_count * p->address_size +
			   3) / 4 * 4;
	p->files_offset = p->address_info + (uint64_t)p->function_count * 4;
}

static void decode_v2_header(struct plain *p, struct at *a)
{
	static const unsigned order[] = { 6, 1, 2, 4, 3, 5 };
	unsigned next = 0;

	p->address_size = (unsigned)fixed(a, 1);
	if (fixed(a, 1))
		complain(p, 7, "another string encoding");
	p->base = fixed(a, 8);
	p->function_count = fixed(a, 4);
	for (;;) {
		uint64_t from = a->at;
		uint64_t type = fixed(a, 4), offset = fixed(a, 8),
			 size = fixed(a, 8);

		if (p->problem || !type) {
			if (offset || size || next != 6)
				complain(p, from, "the directory's end");
			return;
		}
		if (!next && type != 6)
			next++;
		if (next > 5 || type != order[next++] || !size ||
		    offset > p->size || size > p->size - offset) {
			complain(p, from, "an unexpected directory entry");
			return;
		}
		switch (type) {
		case 6:
			p->uuid = p->data + offset;
			p->uuid_size = size;
			break;
		case 1:
			p->addresses = offset;
			if (size != (uint64_t)p->function_count *
					    p->address_size)
				complain(p, from, "size of the addresses");
			break;
		case 2:
			p->address_info = offset;
			if (size != (uint64_t)p->function_count * 8)
				complain(p, from, "size of the address info");
			break;
		case 4:
			p->files_offset = offset;
			break;
		case 3:
			p->strings = offset;
			p->string_bytes = size;
			break;
		case 5:
			p->functions_offset = offset;
			size += p->has_checksum ? -size % 4 : 0;
			if (offset + size != p->size)
				complain(p, from, "bytes after the records");
			break;
		}
	}
}

static void decode_tables(struct plain *p)
{
	unsigned strp_size = p->version == 1 ? 4 : 8;
	struct at a = { p, p->files_offset, p->size };
	uint64_t count = fixed(&a, 4);

	if (p->strings > p->size || p->string_bytes > p->size - p->strings ||
	    !p->string_bytes || p->data[p->strings] ||
	    p->data[p->strings + p->string_bytes - 1]) {
		complain(p, p->strings, "an impossible string table");
		return;
	}
	if (count > p->size / 8 || p->strings != a.at + count * 2 * strp_size) {
		complain(p, p->files_offset, "an impossible file table");
		return;
	}
	p->files = take(p, count, sizeof(*p->files));
	p->file_count = count;
	for (size_t i = 0; i < count; i++) {
		p->files[i].directory = strp(&a);
		p->files[i].basename = strp(&a);
	}
	if (!count || *p->files->directory || *p->files->basename)
		complain(p, p->files_offset, "file 0 is not empty");
	if (p->version == 1)
		p->functions_offset =
			(p->strings + p->string_bytes + 3) / 4 * 4;
}

static void decode_records(struct plain *p)
{
	struct at addresses = { p, p->addresses, p->size };
	struct at info = { p, p->address_info, p->size };
	uint64_t expected = p->functions_offset;

	if (p->function_count > p->size / 4) {
		complain(p, 16, "more functions than bytes");
		return;
	}
	p->functions = take(p, p->function_count, sizeof(*p->functions));
	for (size_t i = 0; i < p->function_count && !p->problem; i++) {
		struct plain_function *f = &p->functions[i];
		struct at a = { p, 0, p->size };

		f->start = p->base + fixed(&addresses, p->address_size);
		a.at = p->version == 1 ? fixed(&info, 4)
				       : p->functions_offset + fixed(&info, 8);
		if (a.at != expected || a.at > p->size) {
			complain(p, info.at, "a record at an unexpected place");
			return;
		}
		decode_function(&a, f, false);
		if (i && f[-1].start >= f->start)
			complain(p, addresses.at, "addresses do not ascend");
		if (i && f[-1].start + f[-1].size > f->start)
			complain(p, addresses.at, "functions overlap");
		expected = (a.at + 3) / 4 * 4;
		/* A checksum is aligned, as a record would be. */
		if (i + 1 == p->function_count &&
		    (p->has_checksum ? expected : a.at) != p->size)
			complain(p, a.at, "bytes after the last record");
	}
}

/* Take the checksum off the end of the file, and compare it, bit by bit. */
static void take_checksum(struct plain *p)
{
	uint64_t covered = p->size - 16;
	struct at a = { p, covered, p->size };
	uint32_t crc = UINT32_MAX;
	bool fits = fixed(&a, 8) == covered;
	uint32_t stored = (uint32_t)fixed(&a, 4);

	if (fixed(&a, 4) != 0x47435243)
		return;
	for (uint64_t i = 0; i < covered; i++) {
		crc ^= p->data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	if (!fits || stored != ~crc)
		complain(p, covered, "a wrong checksum");
	p->has_checksum = true;
	p->size = covered;
}

void plain_decode(struct plain *p, const uint8_t *data, size_t size)
{
	struct at a = { p, 0, size };

	*p = (struct plain){ .data = data, .size = size };
	if (size < 20) {
		complain(p, 0, "no header");
		return;
	}
	p->big_endian = data[0] == 0x47;
	if (fixed(&a, 4) != 0x4753594d) {
		complain(p, 0, "no magic");
		return;
	}
	p->version = (unsigned)fixed(&a, 2);
	take_checksum(p);
	if (p->version == 1)
		decode_v1_header(p, &a);
	else if (p->version == 2)
		decode_v2_header(p, &a);
	else
		complain(p, 4, "an unknown version");
	if (p->address_size != 1 && p->address_size != 2 &&
	    p->address_size != 4 && p->address_size != 8)
		complain(p, 6, "an impossible address size");
	if (!p->problem)
		decode_tables(p);
	if (!p->problem)
		decode_records(p);
}

void plain_free(struct plain *p)
{
	struct piece *piece = p->pieces, *next;

	for (; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
	p->pieces = NULL;
}

const struct plain_function *plain_at(const struct plain *p, uint64_t address)
{
	for (size_t i = 0; i < p->function_count; i++)
		if (p->functions[i].start == address)
			return &p->functions[i];
	return NULL;
}

const struct plain_row *plain_row(const struct plain_function *function,
				  uint64_t address)
{
	const struct plain_row *found = NULL;

	for (size_t i = 0; i < function->row_count; i++)
		if (function->rows[i].address <= address)
			found = &function->rows[i];
	return found;
}

const char *plain_place(const struct plain *p, const struct plain_row *row)
{
	static char text[256];

	if (!row)
		return "none";
	snprintf(text, sizeof(text), "%s/%s:%u", p->files[row->file].directory,
		 p->files[row->file].basename, row->line);
	return text;
}
