/* SPDX-License-Identifier: MIT */
/* reader/many: gsym_lookup_many answers as gsym_lookup does. */
#include "answers.h"

#include "reader/reader.h"

enum { FRAMES = 4096, MOST = 512 };

static struct gsym_frame frames[FRAMES + 1];

/* A pseudo-random number. */
static uint64_t dice(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 24;
}

static bool equal(const struct gsym_frame *a, const struct gsym_frame *b)
{
	return !strcmp(a->function, b->function) &&
	       !strcmp(a->directory, b->directory) &&
	       !strcmp(a->basename, b->basename) && a->line == b->line &&
	       a->file == b->file && a->offset == b->offset &&
	       a->function_string == b->function_string &&
	       a->inlined == b->inlined;
}

/* Check the frames of ADDRESS, FOUND of them at GOT. */
static void check_one(const struct gsym_reader *reader, uint64_t address,
		      unsigned flags, const struct gsym_frame *got,
		      uint32_t found)
{
	static struct gsym_frame wanted[GSYM_MAX_INLINE_DEPTH + 2];
	struct gsym_match match;
	uint32_t count = 0;

	if (gsym_lookup(reader, address, flags, wanted,
			GSYM_MAX_INLINE_DEPTH + 2, &match, NULL) == GSYM_OK)
		count = match.frame_count;
	cr_assert(found == count, "0x%" PRIx64 ": %" PRIu32 " frames, not %"
		  PRIu32, address, found, count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert(equal(&got[i], &wanted[i]),
			  "0x%" PRIx64 ", frame %" PRIu32, address, i);
}

/* Look COUNT addresses up with CAPACITY frames, and check all answers.  Returns
 * how many calls it took. */
static unsigned check_all(const struct gsym_reader *reader,
			  const uint64_t *addresses, size_t count,
			  unsigned flags, size_t capacity)
{
	static uint32_t first[MOST + 2];
	unsigned calls = 0;
	size_t done = 0;

	for (; count; addresses += done, count -= done, calls++) {
		enum gsym_status status;

		memset(&frames[capacity], 0xee, sizeof(*frames));
		first[count + 1] = 0xeeeeeeee;
		status = gsym_lookup_many(reader, addresses, count, flags,
					  frames, capacity, first, &done);
		cr_assert(*(uint8_t *)&frames[capacity] == 0xee &&
			  first[count + 1] == 0xeeeeeeee);
		cr_assert(done <= count && first[0] == 0 &&
			  first[done] <= capacity);
		if (status == GSYM_ERR_LIMIT) {
			struct gsym_match match;

			cr_assert(done == 0);
			cr_assert(gsym_lookup(reader, *addresses, flags, NULL,
					      0, &match, NULL) == GSYM_OK &&
				  match.frame_count > capacity);
			done = 1;
			continue;
		}
		cr_assert(status == GSYM_OK && done > 0);
		for (size_t i = 0; i < done; i++)
			check_one(reader, addresses[i], flags,
				  &frames[first[i]], first[i + 1] - first[i]);
		if (done < count) {
			struct gsym_match match;

			cr_assert(gsym_lookup(reader, addresses[done], flags,
					      NULL, 0, &match, NULL) ==
				  GSYM_OK);
			cr_assert(match.frame_count > capacity - first[done],
				  "there was room for more");
		}
	}
	return calls;
}

/* Fill ADDRESSES with starts and ends of functions, and random ones between. */
static void choose(const struct gsym_reader *reader, uint64_t *addresses,
		   uint64_t *seed)
{
	uint32_t count = gsym_function_count(reader);
	uint64_t low = gsym_address_at(reader, 0);
	uint64_t high = gsym_address_at(reader, count ? count - 1 : 0) + 64;

	for (size_t i = 0; i < MOST; i++) {
		struct gsym_function f = { 0 };

		gsym_function_at(reader, (uint32_t)(dice(seed) % (count | 1)),
				 &f, NULL);
		switch (dice(seed) % 8) {
		case 0:
			addresses[i] = f.start;
			break;
		case 1:
			addresses[i] = f.start + f.size;
			break;
		case 2:
			addresses[i] = f.start + f.size - 1;
			break;
		case 3:
			addresses[i] = low + dice(seed) % (high - low + 1);
			break;
		case 4:
			addresses[i] = i ? addresses[i - 1] : 0;
			break;
		case 5:
			addresses[i] = dice(seed) << 24 | dice(seed);
			break;
		default:
			addresses[i] = f.start + dice(seed) % (f.size | 1);
			break;
		}
	}
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Check READER with unsorted and with sorted addresses, all flags, and arrays
 * that are large, or too small. */
static void check_reader(const struct gsym_reader *reader, uint64_t seed)
{
	static const size_t capacities[] = { FRAMES, 700, 97, 33, 3, 1 };
	uint64_t addresses[MOST];

	choose(reader, addresses, &seed);
	for (unsigned flags = 0; flags < 8; flags++)
		check_all(reader, addresses, MOST, flags, FRAMES);
	for (unsigned i = 0; i < sizeof(capacities) / sizeof(*capacities); i++)
		check_all(reader, addresses, MOST, 0, capacities[i]);
	for (size_t count = 0; count < 40; count++)
		check_all(reader, addresses + count, count, 0, FRAMES);
	qsort(addresses, MOST, sizeof(*addresses), by_number);
	for (unsigned i = 0; i < sizeof(capacities) / sizeof(*capacities); i++)
		check_all(reader, addresses, MOST, 0, capacities[i]);
}

Test(many, rich_file)
{
	for (unsigned version = 1; version <= 2; version++)
		for (int big = 0; big < 2; big++) {
			size_t size;
			uint8_t *bytes = gb_rich(version, big, &size);
			struct gsym_reader *reader = open_bytes(bytes, size);

			for (uint64_t seed = 0; seed < 8; seed++)
				check_reader(reader, seed);
			gsym_close(reader);
			free(bytes);
		}
}

/* A file with the name NAME of testdata/gsym; its bytes go to TO. */
static size_t read_fixture(const char *name, uint8_t *to, size_t room)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/testdata/gsym/%s.gsym",
		 top ? top : ".", name);
	f = fopen(path, "rb");
	cr_assert(f, "cannot open %s", path);
	size = fread(to, 1, room, f);
	cr_assert(size < room);
	fclose(f);
	return size;
}

static const char *const fixtures[] = { "little", "big", "merged" };

Test(many, files_of_llvm)
{
	static uint8_t bytes[8192];

	for (unsigned i = 0; i < 3; i++) {
		size_t size = read_fixture(fixtures[i], bytes, sizeof(bytes));
		struct gsym_reader *reader = open_bytes(bytes, size);

		for (uint64_t seed = 0; seed < 8; seed++)
			check_reader(reader, seed);
		gsym_close(reader);
	}
}

/* Damage SIZE bytes in some places, and check what can still be opened. */
static void check_damaged(const uint8_t *sound, size_t size, uint64_t seed)
{
	uint8_t *bytes = malloc(size);
	struct gsym_reader *reader;
	uint64_t addresses[MOST];

	for (unsigned round = 0; round < 400; round++) {
		memcpy(bytes, sound, size);
		for (unsigned i = 0; i <= round % 4; i++)
			bytes[dice(&seed) % size] =
				round % 3 ? (uint8_t)dice(&seed) : 0xff;
		if (gsym_open_memory(bytes, size, &reader, NULL) != GSYM_OK)
			continue;
		choose(reader, addresses, &seed);
		check_all(reader, addresses, MOST, 0, FRAMES);
		check_all(reader, addresses, MOST, 0, 300);
		qsort(addresses, MOST, sizeof(*addresses), by_number);
		check_all(reader, addresses, MOST, 0, FRAMES);
		gsym_close(reader);
	}
	free(bytes);
}

Test(many, damaged_files)
{
	static uint8_t bytes[8192];

	for (unsigned version = 1; version <= 2; version++)
		for (int big = 0; big < 2; big++) {
			size_t size;
			uint8_t *rich = gb_rich(version, big, &size);

			check_damaged(rich, size, version * 2 + big);
			free(rich);
		}
	for (unsigned i = 0; i < 3; i++)
		check_damaged(bytes, read_fixture(fixtures[i], bytes,
						  sizeof(bytes)), i);
}

/* The numbers of siblings, of their ranges, and of levels of a tree. */
struct shape {
	unsigned siblings, ranges, levels;
	/* Siblings begin at descending addresses. */
	bool descend;
	/* The list of the children of the last sibling is cut off. */
	bool cut;
};

/* Add the siblings of LEVEL, all of SIZE bytes. */
static void add_siblings(struct gb *b, const struct shape *s, unsigned level,
			 uint64_t size, uint64_t name)
{
	struct gsym_emit *e = &b->records;

	for (unsigned i = 0; i < s->siblings; i++) {
		uint64_t step = size / s->siblings;
		uint64_t start = (s->descend ? s->siblings - 1 - i : i) * step;
		bool deeper = level < s->levels && i % 2 == 0;

		gsym_emit_uleb(e, s->ranges);
		for (unsigned k = 0; k < s->ranges; k++) {
			gsym_emit_uleb(e, start + k * step / s->ranges);
			gsym_emit_uleb(e, step / s->ranges / 2);
		}
		gsym_emit_u8(e, deeper);
		gb_strp(b, e, name);
		gsym_emit_uleb(e, 1);
		gsym_emit_uleb(e, 100 * level + i);
		if (deeper)
			add_siblings(b, s, level + 1, step, name);
	}
	if (!s->cut || level < s->levels)
		gsym_emit_u8(e, 0);
}

static void check_shape(const struct shape *s)
{
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size, tuple;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "", "a.c");
	gb_record(&b, 0x1000, 0x10000, "f");
	tuple = gb_tuple(&b, 2);
	gb_node(&b, 0, 0x10000, true, 0, 0, 0);
	add_siblings(&b, s, 1, 0x10000, gb_string(&b, "g"));
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	gb_record(&b, 0x9000, 0x40, "inside");
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	for (uint64_t seed = 0; seed < 4; seed++)
		check_reader(reader, seed);
	gsym_close(reader);
	free(bytes);
}

Test(many, inline_trees)
{
	for (unsigned siblings = 1; siblings < 7; siblings += 2)
		for (unsigned ranges = 1; ranges < 4; ranges++)
			for (unsigned kind = 0; kind < 4; kind++)
				check_shape(&(struct shape){
					siblings, ranges, 4, kind & 1,
					kind & 2 });
}

/* A function with DEPTH nested calls. */
Test(many, deep_tree)
{
	static const unsigned depths[] = { 1, GSYM_MAX_INLINE_DEPTH - 1,
		GSYM_MAX_INLINE_DEPTH, GSYM_MAX_INLINE_DEPTH + 1 };

	for (unsigned i = 0; i < 4; i++)
		check_shape(&(struct shape){ 1, 1, depths[i], false, false });
}

Test(many, calls_for_an_array_of_enough_frames)
{
	uint64_t addresses[MOST];
	struct gsym_reader *reader;
	uint64_t seed = 5;
	uint8_t *bytes;
	size_t size;

	bytes = gb_rich(1, false, &size);
	reader = open_bytes(bytes, size);
	choose(reader, addresses, &seed);
	cr_expect(check_all(reader, addresses, MOST, 0, FRAMES) == 1);
	cr_expect(check_all(reader, addresses, MOST, 0, 40) > 10);
	gsym_close(reader);
	free(bytes);
}

/* Two files: FILES[0] at the addresses below 0x10000000, and FILES[1] at those
 * from 0x20000000 on. */
static const struct gsym_reader *file_of(const void *files, uint64_t address,
					 uint64_t *inside)
{
	const struct gsym_reader *const *readers = files;

	if (address < 0x10000000) {
		*inside = address;
		return readers[0];
	}
	*inside = address - 0x20000000;
	return address < 0x20000000 ? NULL : readers[1];
}

/* The addresses of two files and of no file, mixed. */
Test(many, several_files)
{
	const struct gsym_frames_out out = { frames, FRAMES, 0 };
	static uint8_t bytes[8192];
	static uint32_t first[MOST + 1];
	uint64_t addresses[MOST], seed = 3;
	const struct gsym_reader *files[2];
	const struct gsym_many_source source = { .file = file_of,
						 .context = files };
	struct gsym_reader *rich, *little;
	uint8_t *rich_bytes;
	unsigned found = 0;
	size_t size, done;

	rich_bytes = gb_rich(1, true, &size);
	files[0] = rich = open_bytes(rich_bytes, size);
	size = read_fixture("little", bytes, sizeof(bytes));
	files[1] = little = open_bytes(bytes, size);
	choose(rich, addresses, &seed);
	for (size_t i = 0; i < MOST; i++) {
		uint32_t count = gsym_function_count(little);

		if (i % 3 == 1)
			addresses[i] = 0x20000000 + i % 17 + gsym_address_at(
				little, (uint32_t)(dice(&seed) % count));
		else if (i % 16 == 2)
			addresses[i] = 0x10000000 + i;
	}
	for (unsigned sorted = 0; sorted < 2; sorted++) {
		cr_assert(gsym_many_look_up(&source, addresses, MOST, &out,
					    first, &done) == GSYM_OK);
		cr_assert(done == MOST);
		for (size_t i = 0; i < MOST; i++) {
			uint64_t inside;
			const struct gsym_reader *reader =
				file_of(files, addresses[i], &inside);
			uint32_t count = first[i + 1] - first[i];

			found += count > 0;
			if (reader)
				check_one(reader, inside, 0, &frames[first[i]],
					  count);
			else
				cr_assert(count == 0);
		}
		qsort(addresses, MOST, sizeof(*addresses), by_number);
	}
	cr_expect(found > MOST / 2, "%u", found);
	gsym_close(rich);
	gsym_close(little);
	free(rich_bytes);
}

Test(many, arguments)
{
	uint64_t address = 0x1016;
	struct gsym_reader *reader;
	uint32_t first[2];
	uint8_t *bytes;
	size_t size, done = 9;

	bytes = gb_rich(1, false, &size);
	reader = open_bytes(bytes, size);
	cr_expect(gsym_lookup_many(NULL, &address, 1, 0, frames, 9, first,
				   &done) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_lookup_many(reader, NULL, 1, 0, frames, 9, first,
				   &done) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_lookup_many(reader, &address, 1, 0, NULL, 9, first,
				   &done) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_lookup_many(reader, &address, 1, 0, frames, 9, NULL,
				   &done) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_lookup_many(reader, &address, 1, 8, frames, 9, first,
				   &done) == GSYM_ERR_ARGUMENT);
#if SIZE_MAX > UINT32_MAX
	cr_expect(gsym_lookup_many(reader, &address, 1, 0, frames,
				   (size_t)UINT32_MAX + 1, first, &done) ==
		  GSYM_ERR_ARGUMENT);
#endif
	cr_expect(done == 9);
	cr_expect(gsym_lookup_many(reader, NULL, 0, 0, NULL, 0, first,
				   &done) == GSYM_OK);
	cr_expect(done == 0 && first[0] == 0);
	cr_expect(gsym_lookup_many(reader, &address, 1, 0, NULL, 0, first,
				   &done) == GSYM_ERR_LIMIT);
	cr_expect(gsym_lookup_many(reader, &address, 1, 0, frames, 2, first,
				   NULL) == GSYM_ERR_LIMIT);
	cr_expect(gsym_lookup_many(reader, &address, 1, 0, frames, 3, first,
				   NULL) == GSYM_OK);
	cr_expect(first[1] == 3);
	address = 1;
	cr_expect(gsym_lookup_many(reader, &address, 1, 0, NULL, 0, first,
				   &done) == GSYM_OK);
	cr_expect(done == 1 && first[1] == 0);
	gsym_close(reader);
	free(bytes);
}
