/* SPDX-License-Identifier: MIT */
/*
 * common/sizes.c - counts the bytes of GSYM data by their use: every byte of a
 * table or record once, also where damaged or hostile data share them.
 */
#include "config.h"

#include <string.h>

#include "common/names.h"
#include "common/report.h"
#include "common/sizes.h"

/* All demangled names and all paths together may have so many times the bytes
 * of the data, and so many more. */
enum { NAMES_SHARE = 16, NAMES_SPARE = 1 << 20 };

/* The bytes of a table or a function record. */
struct extent {
	uint64_t offset, size;
	uint32_t record; /* index of the function, or NO_RECORD + section */
};
#define NO_RECORD (UINT32_MAX - GSYM_SECTION_COUNT)

/* A measurement. */
struct measure {
	struct sizes *s;
	const struct gsym_reader *reader;
	struct gsym_header header;
	/* The rest is NULL or 0 in sizes_count. */
	struct gsym_demangler *demangler;
	/* For the name of a template; has room for any readable name. */
	char *text;
	char plain[GSYM_DEMANGLE_MAX_NAME + 1];
	/* The string table; a bit for each byte of it that was counted. */
	const char *strings;
	uint64_t strings_size;
	uint8_t *counted;
	/* By file: the row of its folder; 0: not known yet. */
	uint32_t *folders;
	/* The bytes that names and paths may still have. */
	uint64_t left;
};

static int by_offset(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

/* The bytes of kind and length, with which each part of a record begins. */
enum { TUPLE_HEAD = 8 };

/* ---- folders and templates ----------------------------------------------- */

static void rows_init(struct size_rows *rows)
{
	for (int i = 0; i < SIZE_NAMED; i++)
		*must_push(&rows->rows) = (struct size_row){ 0 };
}

static uint32_t row_of(struct size_rows *rows, const char *name, size_t length)
{
	uint32_t number = must_intern(&rows->names, name, length) + SIZE_NAMED;

	if (number == rows->rows.count)
		*must_push(&rows->rows) = (struct size_row){ 0 };
	return number;
}

static void add(struct size_rows *rows, uint32_t row, uint64_t bytes)
{
	rows->rows.items[row].bytes += bytes;
}

/* Whether BYTES more may be spent on names and paths. */
static bool take(struct measure *m, uint64_t bytes)
{
	if (bytes > m->left) {
		m->s->names_left_out = true;
		return false;
	}
	m->left -= bytes;
	return true;
}

/* The row of the folder of file INDEX. */
static uint32_t folder_of(struct measure *m, uint32_t index)
{
	const char *directory, *basename;
	uint32_t row = SIZE_OTHERS;
	size_t length;

	if (!index || index >= m->header.file_count)
		return row;
	if (m->folders[index])
		return m->folders[index];
	gsym_file_at(m->reader, index, &directory, &basename);
	length = strlen(directory);
	if (take(m, length) && *basename)
		row = length ? row_of(&m->s->folders, directory, length)
			     : row_of(&m->s->folders, ".", 1);
	m->folders[index] = row;
	return row;
}

/* The row of the template that NAME is an instance of. */
static uint32_t template_of(struct measure *m, const char *name)
{
	size_t length = strnlen(name, GSYM_DEMANGLE_MAX_NAME);
	const char *readable;

	if (!take(m, length))
		return SIZE_OTHERS;
	readable = demangle(m->demangler, name);
	if (readable == name) {
		/* Not mangled; a name of a Breakpad file is readable. */
		memcpy(m->plain, name, length);
		m->plain[length] = '\0';
		readable = m->plain;
	}
	if (!strchr(readable, '<') || !take(m, strlen(readable)) ||
	    !names_template(readable, m->text))
		return SIZE_OTHERS;
	return row_of(&m->s->templates, m->text, strlen(m->text));
}

/* The bytes of the string STRING of the string table that no string before it
 * had; now they are counted.  Strings share their ends, so the first byte that
 * was counted ends the search. */
static uint64_t count_string(struct measure *m, const char *string)
{
	uint64_t at = (uint64_t)(string - m->strings), from = at;

	if (!m->strings || string < m->strings || at >= m->strings_size)
		return 0;
	for (; at < m->strings_size; at++) {
		uint8_t bit = (uint8_t)(1u << at % 8);

		if (m->counted[at / 8] & bit)
			break;
		m->counted[at / 8] |= bit;
		if (!m->strings[at]) {
			at++;
			break;
		}
	}
	return at - from;
}

/* Count the string NAME, of a function or call, for FOLDER and its template. */
static void count_name(struct measure *m, const char *name, uint32_t folder)
{
	uint64_t bytes = count_string(m, name);

	if (!bytes)
		return;
	add(&m->s->folders, folder, bytes);
	add(&m->s->templates, template_of(m, name), bytes);
}

/* The file in which F is: that of its first instruction or, if that was
 * inlined, of the outermost call. */
static uint32_t file_of(const struct gsym_function *f)
{
	struct gsym_inline_iter iter;
	struct gsym_inline node;
	struct gsym_line_iter lines;
	struct gsym_line row = { 0 };
	struct gsym_range range;

	gsym_inlines(f, &iter, NULL);
	while (gsym_inline_next(&iter, &node, NULL) == GSYM_OK)
		for (uint32_t i = 0; node.depth == 1 && i < node.range_count;
		     i++)
			if (gsym_inline_range(&node, i, &range) == GSYM_OK &&
			    range.start <= f->start && f->start < range.end)
				return node.call_file;
	gsym_lines(f, &lines, NULL);
	gsym_line_next(&lines, &row, NULL);
	return row.file;
}

/* Count the strings of F and of what is inlined into it, for FOLDER. */
static void count_strings(struct measure *m, struct gsym_function *f,
			  uint32_t folder)
{
	struct gsym_inline_iter iter;
	struct gsym_inline node;

	count_name(m, f->name, folder);
	gsym_inlines(f, &iter, NULL);
	while (gsym_inline_next(&iter, &node, NULL) == GSYM_OK)
		count_name(m, node.name, folder);
	for (uint32_t i = 0; i < f->call_site_count; i++) {
		struct gsym_call_site site;
		const char *name;

		if (gsym_call_site_at(f, i, &site, NULL) != GSYM_OK)
			break;
		for (uint32_t k = 0;
		     (name = gsym_call_site_pattern(&site, k)); k++)
			count_name(m, name, folder);
	}
}

/* Count BYTES, and the strings, of F for its folder and template.  Those of
 * functions that were merged into it count for itself. */
static void count_function(struct measure *m, struct gsym_function *f,
			   uint64_t bytes)
{
	uint32_t folder = folder_of(m, file_of(f));
	uint32_t template = template_of(m, f->name);

	add(&m->s->folders, folder, bytes);
	add(&m->s->templates, template, bytes);
	m->s->folders.rows.items[folder].functions++;
	m->s->templates.rows.items[template].functions++;
	count_strings(m, f, folder);
}

static void count_files(struct measure *m)
{
	uint64_t entry = 2 * (uint64_t)m->header.string_offset_size;

	for (uint32_t i = 1; i < m->header.file_count; i++) {
		const char *directory, *basename;
		uint64_t bytes = entry;

		gsym_file_at(m->reader, i, &directory, &basename);
		bytes += count_string(m, directory);
		bytes += count_string(m, basename);
		add(&m->s->folders, folder_of(m, i), bytes);
	}
}

/* What no function and no file has is shared. */
static void count_shared(struct measure *m)
{
	struct size_rows *const tables[] = { &m->s->folders,
					     &m->s->templates };

	for (int i = 0; i < 2; i++) {
		struct size_row *rows = tables[i]->rows.items;
		uint64_t sum = 0;

		for (size_t k = 0; k < tables[i]->rows.count; k++)
			sum += rows[k].bytes;
		/* Entries of damaged tables may lie in each other. */
		if (sum < m->header.image_size)
			rows[SIZE_SHARED].bytes = m->header.image_size - sum;
	}
}

/* ---- kinds --------------------------------------------------------------- */

/* Add the bytes of the record of F to KINDS. */
static void count_parts(const struct measure *m, const struct gsym_function *f,
			uint64_t kinds[SIZE_KINDS])
{
	uint64_t parts[SIZE_KINDS] = {
		[SIZE_NAMES] = 4 + m->header.string_offset_size,
		[SIZE_ENDS] = TUPLE_HEAD,
	};
	uint64_t sum = 0;
	for (int i = GSYM_INFO_LINES; i < GSYM_INFO_COUNT; i++)
		if (f->info[i].offset)
			parts[i] = TUPLE_HEAD + f->info[i].size;
	for (int i = 0; i < SIZE_KINDS; i++)
		sum += parts[i];
	/* The other parts are of kinds that the library does not know. */
	parts[SIZE_UNKNOWN] = f->record_size > sum ? f->record_size - sum : 0;
	for (int i = 0; i < SIZE_KINDS; i++)
		kinds[i] += parts[i];
}

static void count_merged(struct measure *m, struct gsym_function *f)
{
	uint64_t list = TUPLE_HEAD + f->info[GSYM_INFO_MERGED].size;
	struct gsym_function other;
	struct sizes *s = m->s;

	if (!f->info[GSYM_INFO_MERGED].offset)
		return;
	for (uint32_t i = 0; i < f->merged_count; i++) {
		if (gsym_merged_at(f, i, &other, NULL) != GSYM_OK ||
		    other.record_size > list)
			break;
		count_parts(m, &other, s->merged);
		if (m->counted)
			count_strings(m, &other, folder_of(m, file_of(f)));
		s->merged_records++;
		list -= other.record_size;
	}
	s->merged[SIZE_LISTS] += list;
}

static void count_record(struct measure *m, uint32_t index)
{
	const struct gsym_header *h = &m->header;
	uint64_t entries = h->sections[GSYM_SECTION_ADDRESSES].size +
			   h->sections[GSYM_SECTION_ADDRESS_INFO].size;
	struct gsym_function f;

	if (gsym_function_at(m->reader, index, &f, NULL) != GSYM_OK)
		return;
	count_parts(m, &f, m->s->kinds);
	if (m->counted)
		count_function(m, &f, f.record_size +
					      entries / h->function_count);
	count_merged(m, &f);
	m->s->records++;
}

/* The *COUNT tables and records by offset, malloc'ed. */
static struct extent *collect(struct measure *m, size_t *count)
{
	const struct gsym_header *h = &m->header;
	struct extent *extents = must_have(
		calloc(GSYM_SECTION_COUNT + (size_t)h->function_count,
		       sizeof(*extents)));
	uint64_t walked = 0;
	size_t n = 0;
	for (int i = 0; i < GSYM_SECTION_COUNT; i++) {
		/* In version 1 the build ID is part of the header.  Function
		 * records are added one by one below. */
		if (h->sections[i].size == 0 || i == GSYM_SECTION_FUNCTIONS ||
		    (i == GSYM_SECTION_UUID && h->version == 1))
			continue;
		extents[n++] = (struct extent){ h->sections[i].offset,
						h->sections[i].size,
						NO_RECORD + i };
	}
	for (uint32_t i = 0; i < h->function_count; i++) {
		struct gsym_function f;
		enum gsym_status status =
			gsym_function_at(m->reader, i, &f, NULL);
		walked += f.record_size;
		if (walked / SIZES_SHARE > h->image_size) {
			m->s->left_out = i;
			break;
		}
		if (status != GSYM_OK) {
			m->s->damaged++;
			continue;
		}
		extents[n++] = (struct extent){
			f.record_offset, f.record_size, i
		};
	}
	qsort(extents, n, sizeof(*extents), by_offset);
	*count = n;
	return extents;
}

/* Count SIZE bytes that are in no table or record. */
static void count_gap(struct sizes *s, uint64_t size)
{
	s->kinds[size < 8 ? SIZE_PADDING : SIZE_UNUSED] += size;
}

static void count_all(struct measure *m)
{
	struct sizes *s = m->s;
	size_t count;
	struct extent *extents = collect(m, &count);
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++) {
		const struct extent *e = &extents[i];
		/* Several functions may share a record. */
		if (e->offset + e->size <= end)
			continue;
		if (e->offset < end) {
			/* Damage: only the bytes after END are new. */
			s->kinds[SIZE_UNUSED] += e->offset + e->size - end;
		} else {
			count_gap(s, e->offset - end);
			if (e->record >= NO_RECORD)
				s->sections[e->record - NO_RECORD] += e->size;
			else
				count_record(m, e->record);
		}
		end = e->offset + e->size;
	}
	if (end < m->header.image_size)
		count_gap(s, m->header.image_size - end);
	free(extents);
}

/* ---- the interface ------------------------------------------------------- */

static void measure_init(struct measure *m, struct sizes *s,
			 const struct gsym_reader *reader)
{
	*s = (struct sizes){ .left_out = UINT32_MAX };
	*m = (struct measure){ .s = s, .reader = reader };
	gsym_get_header(reader, &m->header);
}

void sizes_count(struct sizes *s, const struct gsym_reader *reader)
{
	struct measure m;

	measure_init(&m, s, reader);
	count_all(&m);
}

void sizes_measure(struct sizes *s, const struct gsym_reader *reader)
{
	struct measure m;

	measure_init(&m, s, reader);
	m.strings = gsym_string_at(reader, 0);
	m.strings_size = m.header.sections[GSYM_SECTION_STRINGS].size;
	m.counted = must_have(calloc(1, m.strings_size / 8 + 1));
	m.folders = must_have(calloc((size_t)m.header.file_count + 1,
				     sizeof(*m.folders)));
	m.text = must_have(malloc(GSYM_DEMANGLE_MAX_RESULT));
	m.left = NAMES_SPARE + NAMES_SHARE * m.header.image_size;
	m.demangler = demangler_new(0);
	rows_init(&s->folders);
	rows_init(&s->templates);
	count_all(&m);
	count_files(&m);
	count_shared(&m);
	gsym_demangler_free(m.demangler);
	free(m.text);
	free(m.folders);
	free(m.counted);
}

void sizes_fini(struct sizes *s)
{
	struct size_rows *const tables[] = { &s->folders, &s->templates };

	for (int i = 0; i < 2; i++) {
		gsym_intern_fini(&tables[i]->names);
		gsym_vec_fini(&tables[i]->rows);
	}
}

uint32_t sizes_largest(const struct size_rows *rows)
{
	uint32_t best = 0;

	for (uint32_t i = SIZE_NAMED; i < rows->rows.count; i++)
		if (!best ||
		    rows->rows.items[i].bytes > rows->rows.items[best].bytes)
			best = i;
	return best;
}
