/* SPDX-License-Identifier: MIT */
/* gsym_verify, but for the contents of records, and gsym_checksum. */
#include "reader/reader.h"

#include "base/hash.h"

#include <inttypes.h>

/* ---- checksum ----------------------------------------------------------- */

enum gsym_status gsym_checksum(const struct gsym_reader *reader,
			       struct gsym_error *error)
{
	const struct gsym_extent *e;
	struct gsym_layout l;
	struct gsym_crc32c crc;
	uint64_t place, covered;
	uint32_t sum;

	if (!reader)
		return gsym_fail_argument(error);
	l = gsym_reader_layout(reader);
	e = &l.sections[GSYM_SECTION_CHECKSUM];
	place = reader->image_offset + e->offset;
	if (!e->size)
		return GSYM_NOT_FOUND;
	covered = gsym_load_u64(l.data + e->offset, l.swap);
	if (covered != e->offset)
		return gsym_fail(error, GSYM_ERR_CORRUPT, place,
				 "checksum at offset 0x%" PRIx64
				 " is that of %" PRIu64 " bytes, but %" PRIu64
				 " bytes are before it", place, covered,
				 e->offset);
	gsym_crc32c_init(&crc);
	sum = ~gsym_crc32c_add(&crc, UINT32_MAX, l.data, (size_t)covered);
	if (sum != gsym_load_u32(l.data + e->offset + 8, l.swap))
		return gsym_fail(error, GSYM_ERR_CORRUPT, place,
				 "checksum at offset 0x%" PRIx64
				 " is %08" PRIx32 ", but that of the data is "
				 "%08" PRIx32,
				 place,
				 gsym_load_u32(l.data + e->offset + 8, l.swap),
				 sum);
	return GSYM_OK;
}

/* ---- the whole file ----------------------------------------------------- */

/* The offset of SECTION from the start of the opened file. */
static uint64_t section_place(const struct gsym_check *check,
			      enum gsym_section section)
{
	return check->reader->image_offset +
	       check->reader->layout.sections[section].offset;
}

/* Whether section S is present and must not overlap others.  In version 1 the
 * UUID is inside the header, and the extent of the functions is a guess. */
static bool stands_alone(const struct gsym_layout *l, enum gsym_section s)
{
	return l->sections[s].size &&
	       (l->version > 1 || (s != GSYM_SECTION_UUID &&
				   s != GSYM_SECTION_FUNCTIONS));
}

static void check_sections(struct gsym_check *check)
{
	const struct gsym_layout *l = &check->reader->layout;

	for (int i = 0; i < GSYM_SECTION_COUNT; i++) {
		const struct gsym_extent *a = &l->sections[i];

		if (!stands_alone(l, i))
			continue;
		for (int j = i + 1; j < GSYM_SECTION_COUNT; j++) {
			const struct gsym_extent *b = &l->sections[j];

			if (stands_alone(l, j) &&
			    a->offset < b->offset + b->size &&
			    b->offset < a->offset + a->size)
				gsym_check_damage(
					check, section_place(check, j),
					"%s at offset 0x%" PRIx64
					" overlaps the %s",
					gsym_layout_section_name(j),
					section_place(check, j),
					gsym_layout_section_name(i));
		}
	}
}

static void check_strings(struct gsym_check *check)
{
	const struct gsym_layout *l = &check->reader->layout;
	const struct gsym_extent *s = &l->sections[GSYM_SECTION_STRINGS];
	uint64_t place = section_place(check, GSYM_SECTION_STRINGS);

	if (!s->size || l->data[s->offset])
		gsym_check_damage(check, place,
				  "string table at offset 0x%" PRIx64
				  " does not start with the empty string",
				  place);
	if (l->strings_size != s->size)
		gsym_check_damage(check, place + s->size - 1,
				  "string table at offset 0x%" PRIx64
				  " does not end with a nul", place);
}

static void check_files(struct gsym_check *check)
{
	const struct gsym_layout *l = &check->reader->layout;
	uint64_t place = section_place(check, GSYM_SECTION_FILES) + 4;
	uint64_t directory, basename;

	for (uint32_t i = 0; i < l->file_count && !check->stop; i++) {
		gsym_layout_file(l, i, &directory, &basename);
		if (i == 0 && (directory || basename))
			gsym_check_damage(check, place,
					  "file 0 at offset 0x%" PRIx64
					  " is not empty", place);
		gsym_check_string(check, directory, "directory of a file",
				  place);
		gsym_check_string(check, basename, "base name of a file",
				  place + l->string_size);
		place += 2u * l->string_size;
	}
}

static void check_addresses(struct gsym_check *check)
{
	const struct gsym_layout *l = &check->reader->layout;
	uint64_t place = section_place(check, GSYM_SECTION_ADDRESSES);
	uint64_t before = 0;

	for (uint32_t i = 0; i < l->count && !check->stop; i++) {
		uint64_t start = gsym_layout_start(l, i);

		if (start < before)
			gsym_check_damage(check, place,
					  "address table entry %" PRIu32
					  " at offset 0x%" PRIx64
					  " is lower than the entry before",
					  i, place);
		if (start > UINT64_MAX - l->base_address)
			gsym_check_damage(check, place,
					  "address table entry %" PRIu32
					  " at offset 0x%" PRIx64
					  " is beyond the last address", i,
					  place);
		before = start;
		place += l->address_size;
	}
}

/* Version 1 has no extent for its records: check that a record of SIZE bytes
 * at offset AT of the image does not overlap a table. */
static void check_apart(struct gsym_check *check, uint64_t at, uint64_t size)
{
	const struct gsym_layout *l = &check->reader->layout;

	for (int i = 0; i < GSYM_SECTION_COUNT && l->version == 1; i++) {
		const struct gsym_extent *e = &l->sections[i];

		if (stands_alone(l, i) && at < e->offset + e->size &&
		    e->offset < at + size)
			gsym_check_damage(check,
					  check->reader->image_offset + at,
					  "function record at offset 0x%" PRIx64
					  " overlaps the %s",
					  check->reader->image_offset + at,
					  gsym_layout_section_name(i));
	}
}

static void check_records(struct gsym_check *check)
{
	const struct gsym_reader *reader = check->reader;
	const struct gsym_layout *l = &reader->layout;
	uint64_t entry = section_place(check, GSYM_SECTION_ADDRESS_INFO);
	uint64_t before = 0, before_end = 0, total = 0;

	for (uint32_t i = 0; i < l->count && !check->stop;
	     i++, entry += l->info_size) {
		uint64_t at = gsym_layout_record(l, i), size;
		struct gsym_cursor c;

		if (!gsym_reader_record(reader, i, &c)) {
			gsym_check_report(check, gsym_search_fail(
				reader, i, &check->problem));
			continue;
		}
		if ((at - l->info_base) % 4)
			gsym_check_damage(check, entry,
					  "function record at offset 0x%" PRIx64
					  " is not aligned",
					  reader->image_offset + at);
		if (at > before && at < before_end)
			gsym_check_damage(check, entry,
					  "function record at offset 0x%" PRIx64
					  " starts within the record before",
					  reader->image_offset + at);
		size = gsym_verify_record(check, &c,
					  gsym_reader_start(reader, i));
		check_apart(check, at, size);
		total += size;
		if (total > l->size) {
			/* Records that overlap each other could take the
			 * square of the file's size to check. */
			gsym_check_damage(check, entry,
					  "function records overlap: up to "
					  "entry %" PRIu32 " they have more "
					  "bytes than the file", i);
			return;
		}
		before = at;
		before_end = at + size;
	}
}

/* Check that the entry that ends a version 2 directory has offset and size
 * 0. */
static void check_directory(struct gsym_check *check)
{
	const struct gsym_layout *l = &check->reader->layout;
	const struct gsym_extent *e = &l->sections[GSYM_SECTION_DIRECTORY];
	uint64_t at = e->offset + e->size - GSYM_V2_DIRECTORY_ENTRY_SIZE;

	if (e->size && (gsym_load_u64(l->data + at + 4, l->swap) ||
			gsym_load_u64(l->data + at + 12, l->swap)))
		gsym_check_damage(check, check->reader->image_offset + at,
				  "section directory ends with an entry that "
				  "is not empty at offset 0x%" PRIx64,
				  check->reader->image_offset + at);
}

static void check_checksum(struct gsym_check *check)
{
	enum gsym_status status = gsym_checksum(check->reader, &check->problem);

	if (status != GSYM_OK && status != GSYM_NOT_FOUND)
		gsym_check_report(check, status);
}

enum gsym_status gsym_verify(const struct gsym_reader *reader,
			     gsym_verify_fn *report, void *context)
{
	struct gsym_check check = { .report = report, .context = context };
	struct gsym_reader whole;

	if (!reader)
		return GSYM_ERR_ARGUMENT;
	whole = *reader;
	whole.layout = gsym_reader_layout(reader);
	check.reader = &whole;
	check_checksum(&check);
	check_directory(&check);
	check_sections(&check);
	check_strings(&check);
	check_files(&check);
	check_addresses(&check);
	check_records(&check);
	if (check.cancelled)
		return GSYM_ERR_CANCELLED;
	return check.found ? GSYM_ERR_CORRUPT : GSYM_OK;
}
