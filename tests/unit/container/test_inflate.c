/* SPDX-License-Identifier: MIT */
/* Compressed debug sections of all three kinds: whole, cut, and with a wrong
 * size in their header. */
#include "config.h"

#include "container/container.h"
#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum kind { ZLIB, ZSTD, OLD };
enum { PLAIN = 100000, ROOM = 2 * PLAIN, ZSTD_TYPE = 2 };

static uint8_t plain[PLAIN];
static uint8_t packed[ROOM];

static void fill(void)
{
	uint32_t x = 1;

	for (size_t i = 0; i < PLAIN; i++) {
		x = x * 1664525 + 1013904223;
		plain[i] = (uint8_t)(x >> 28);
	}
}

static size_t deflate_part(size_t from, size_t size, uint8_t *to)
{
	uLongf length = (uLongf)(packed + ROOM - to);

	cr_assert_eq(compress2(to, &length, plain + from, size, 6), Z_OK);
	return length;
}

static size_t pack(enum kind kind)
{
	fill();
#ifdef HAVE_ZSTD
	if (kind == ZSTD)
		return ZSTD_compress(packed, ROOM, plain, PLAIN, 3);
#endif
	(void)kind;
	return deflate_part(0, PLAIN, packed);
}

static void add(struct elfb *b, enum kind kind, uint64_t claimed, size_t size)
{
	uint8_t old[12 + ROOM] = "ZLIB";

	if (kind != OLD) {
		elfb_compressed(b, ".debug_info", 0,
				kind == ZLIB ? ELFCOMPRESS_ZLIB : ZSTD_TYPE,
				claimed, packed, size);
		return;
	}
	for (unsigned i = 0; i < 8; i++)
		old[4 + i] = (uint8_t)(claimed >> (56 - 8 * i));
	memcpy(old + 12, packed, size);
	elfb_section(b, ".zdebug_info", SHT_PROGBITS, 0, 0, old, 12 + size);
}

/* Load a file whose .debug_info has SIZE compressed bytes, and CLAIMED as its
 * size in the header.  SOUND says whether it can be inflated. */
static void check(unsigned bits, bool big, enum kind kind, uint64_t claimed,
		  size_t size, bool sound)
{
	const struct gsym_convert_options options = { .threads = 2 };
	struct elfb *b = elfb_new(bits, big, ET_DYN, EM_PPC64);
	const struct gsym_container_section *s;
	struct gsym_container *c;
	size_t file_size;
	uint8_t *bytes;

	elfb_section(b, ".debug_line", SHT_PROGBITS, 0, 0, "line", 4);
	add(b, kind, claimed, size);
	bytes = elfb_finish(b, &file_size);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, file_size,
					 GSYM_LOAD_ALL, &options, &c, NULL),
		     GSYM_OK);
	s = gsym_container_section(c, ".debug_info");
	cr_assert(s);
	if (sound) {
		cr_assert_eq(c->warnings.count, 0);
		cr_assert_eq(s->data_size, claimed);
		cr_assert_eq(s->size, claimed);
		cr_assert_eq(memcmp(s->data, plain, claimed), 0);
	} else {
		cr_assert_eq(c->warnings.count, 1, "%u %d %d", bits, big, kind);
		cr_assert_eq(c->warnings.items[0].kind, GSYM_WARN_BAD_SECTION);
		cr_assert_null(s->data);
		cr_assert_eq(s->data_size, 0);
	}
	s = gsym_container_section(c, ".debug_line");
	cr_assert_eq(s->data_size, 4);
	gsym_container_free(c);
	free(bytes);
	elfb_free(b);
}

#ifdef HAVE_ZSTD

enum { FRAME = 7000, FRAMES = (PLAIN + FRAME - 1) / FRAME };

/* Compress PLAIN in frames of FRAME bytes; the frame UNSIZED does not tell its
 * size.  ENDS[i] becomes where frame i ends.  Returns the last end. */
static size_t pack_frames(size_t unsized, size_t *ends)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t size = 0;

	fill();
	for (size_t i = 0; i < FRAMES; i++) {
		size_t at = i * FRAME;
		size_t part = PLAIN - at < FRAME ? PLAIN - at : FRAME;

		ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag,
				       i != unsized);
		size += ZSTD_compress2(context, packed + size, ROOM - size,
				       plain + at, part);
		ends[i] = size;
	}
	ZSTD_freeCCtx(context);
	return size;
}

/* Divide the SIZE packed bytes, which make OUT_SIZE, into runs of LEAST bytes,
 * fill them from the last to the first, and return their number. */
static size_t divide(size_t size, size_t out_size, size_t least)
{
	struct gsym_inflate_parts parts = { 0 };
	struct gsym_inflate_job job = { .method = GSYM_INFLATE_ZSTD,
					.in = packed,
					.in_size = size,
					.out_size = out_size };
	bool sound = true;
	size_t count;

	cr_assert(gsym_inflate_allocate(&job));
	cr_assert(gsym_inflate_divide(&job, least, &parts));
	count = parts.count;
	for (size_t i = count; i-- > 0;) {
		cr_assert(gsym_inflate_fill(&parts.items[i]));
		sound = sound && !parts.items[i].problem;
	}
	cr_assert_eq(sound, out_size == PLAIN);
	if (sound)
		cr_assert_eq(memcmp(job.out, plain, PLAIN), 0);
	gsym_vec_fini(&parts);
	free(job.out);
	return count;
}

Test(inflate, zstd_frames)
{
	size_t ends[FRAMES];
	size_t size = pack_frames(SIZE_MAX, ends);

	cr_assert_eq(divide(size, PLAIN, 1), FRAMES);
	cr_assert_eq(divide(size, PLAIN, FRAME), FRAMES);
	cr_assert_eq(divide(size, PLAIN, FRAME + 1), (FRAMES + 1) / 2);
	cr_assert_eq(divide(size, PLAIN, SIZE_MAX), 1);
	/* The frames make more or fewer bytes than the header says. */
	cr_assert_eq(divide(size, PLAIN - 1, 1), 1);
	cr_assert_eq(divide(size, PLAIN + 1, 1), 1);
	check(64, false, ZSTD, PLAIN, size, true);
	check(64, false, ZSTD, PLAIN, ends[3], false);
	check(64, false, ZSTD, PLAIN, size - 1, false);
	packed[ends[2] + 10] ^= 0x55;
	check(64, false, ZSTD, PLAIN, size, false);
	for (size_t i = 0; i < FRAMES; i += 5) {
		size = pack_frames(i, ends);
		cr_assert_eq(divide(size, PLAIN, 1), 1);
	}
}

#endif

static void check_kind(enum kind kind)
{
	size_t size = pack(kind);

	cr_assert_lt(size, PLAIN);
	for (unsigned i = 0; i < 4; i++) {
		unsigned bits = i & 1 ? 64 : 32;
		bool big = i & 2;

		check(bits, big, kind, PLAIN, size, true);
		check(bits, big, kind, PLAIN - 1, size, false);
		check(bits, big, kind, PLAIN + 1, size, false);
		/* The header gives a size that SIZE bytes cannot decompress to:
		 * first far too large, then a little. */
		check(bits, big, kind, UINT32_MAX, size, false);
		check(bits, big, kind, PLAIN * 1000, size, false);
		for (size_t cut = 0; cut < size; cut += 997)
			check(bits, big, kind, PLAIN, cut, false);
		check(bits, big, kind, PLAIN, size - 1, false);
	}
	check(64, false, kind, UINT64_MAX, size, false);
	check(64, false, kind, 1ull << 63, size, false);
	for (size_t at = 0; at < size; at += 499) {
		packed[at] ^= 0x55;
		check(64, false, kind, PLAIN, size, false);
		packed[at] ^= 0x55;
	}
}

Test(inflate, zlib)
{
	check_kind(ZLIB);
}

Test(inflate, old)
{
	check_kind(OLD);
}

#ifdef HAVE_ZSTD
/* Zstandard frames have no checksum unless asked for one: a flipped byte
 * may give other bytes.  So none are flipped. */
Test(inflate, zstd)
{
	size_t size = pack(ZSTD);

	for (unsigned i = 0; i < 4; i++) {
		unsigned bits = i & 1 ? 64 : 32;
		bool big = i & 2;

		check(bits, big, ZSTD, PLAIN, size, true);
		check(bits, big, ZSTD, PLAIN - 1, size, false);
		check(bits, big, ZSTD, PLAIN + 1, size, false);
		check(bits, big, ZSTD, UINT32_MAX, size, false);
		for (size_t cut = 0; cut < size; cut += 997)
			check(bits, big, ZSTD, PLAIN, cut, false);
	}
}
#endif

Test(inflate, several_streams)
{
	size_t first;

	fill();
	first = deflate_part(0, 3000, packed);
	check(64, false, ZLIB, PLAIN,
	      first + deflate_part(3000, PLAIN - 3000, packed + first), true);
}

Test(inflate, unknown_method)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	struct gsym_container *c;
	size_t size;
	uint8_t *bytes;

	elfb_compressed(b, ".debug_info", 0, 3, 4, "junk", 4);
	elfb_section(b, ".zdebug_line", SHT_PROGBITS, 0, 0, "BLIZ", 4);
	elfb_section(b, ".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0, "x", 1);
	/* A damaged section that is not read: no warning. */
	elfb_compressed(b, ".debug_loc", 0, 3, 4, "junk", 4);
	elfb_compressed(b, ".debug", 0, 3, 4, "junk", 4);
	bytes = elfb_finish(b, &size);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(c->warnings.count, 3);
	for (size_t i = 1; i <= 5; i++)
		cr_assert_null(c->sections.items[i].data);
	cr_assert(gsym_container_section(c, ".debug_line"));
	gsym_container_free(c);
	free(bytes);
	elfb_free(b);
}

/* Many headers share the same bytes: the size of the file bounds what all of
 * them may become. */
Test(inflate, total_is_bounded)
{
	enum { EACH = 900000, SECTIONS = 50 };
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	uint8_t *zeros = calloc(1, EACH);
	struct gsym_container *c;
	uLongf length = ROOM;
	uint64_t total = 0;
	size_t size;
	uint8_t *bytes;

	cr_assert_eq(compress2(packed, &length, zeros, EACH, 9), Z_OK);
	elfb_compressed(b, ".debug_info", 0, ELFCOMPRESS_ZLIB, EACH, packed,
			length);
	for (size_t i = 2; i <= SECTIONS; i++)
		elfb_section(b, ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0,
			     NULL, 0);
	bytes = elfb_finish(b, &size);
	/* Each header gets the offset and size of the first section. */
	for (size_t i = 2; i <= SECTIONS; i++)
		memcpy(bytes + elfb_header_offset(b, i) + 24,
		       bytes + elfb_header_offset(b, 1) + 24, 16);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	for (size_t i = 1; i <= SECTIONS; i++)
		total += c->sections.items[i].data_size;
	cr_assert_geq(total, EACH);
	cr_assert_leq(total, 1032 * size + (1 << 20));
	gsym_container_free(c);
	free(bytes);
	free(zeros);
	elfb_free(b);
}

/* All sections of a file together become 64 MiB, or 32 times its size. */
Test(inflate, total_follows_the_size_of_the_file)
{
	enum { MIB = 1 << 20 };
	static const struct {
		uint64_t file_size, most;
	} cases[] = { { MIB / 10, 64 * MIB },
		      { 2 * MIB, 64 * MIB },
		      { 10 * MIB, 320 * MIB } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gsym_inflate_job job = { .in_size = MIB,
						.out_size = 16 * MIB };
		uint64_t size = cases[i].file_size, total = 0;

		while (gsym_inflate_admit(&job, size, &total))
			cr_expect(!job.problem);
		cr_expect_eq(total, cases[i].most);
		cr_assert(job.problem);
		cr_expect_str_eq(job.problem,
				 "the compressed sections of the file would "
				 "become more than 32 times its size");
		/* There is still room for nothing. */
		job.out_size = 0;
		cr_expect(gsym_inflate_admit(&job, size, &total));
		cr_expect(!job.problem);
	}
}

/* The warning tells a section that may not be inflated from a damaged one. */
Test(inflate, too_much_is_a_warning)
{
	enum { EACH = 40 << 20 };
	static const char *const names[] = { ".debug_info", ".debug_str" };
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	uint8_t *zeros = calloc(1, EACH);
	struct gsym_container *c;
	uLongf length = ROOM;
	size_t size;
	uint8_t *bytes;

	cr_assert_eq(compress2(packed, &length, zeros, EACH, 9), Z_OK);
	for (size_t i = 0; i < 2; i++)
		elfb_compressed(b, names[i], 0, ELFCOMPRESS_ZLIB, EACH, packed,
				length);
	bytes = elfb_finish(b, &size);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert(gsym_container_section(c, names[0]));
	cr_expect_eq(gsym_container_section(c, names[0])->data_size, EACH);
	cr_expect_eq(gsym_container_section(c, names[0])->packed_size,
		     length + sizeof(Elf64_Chdr));
	cr_expect(!gsym_container_section(c, names[1]) ||
		  !gsym_container_section(c, names[1])->data);
	cr_assert_eq(c->warnings.count, 1);
	cr_expect(strstr(c->warnings.items[0].text, "more than 32 times"));
	gsym_container_free(c);
	free(bytes);
	free(zeros);
	elfb_free(b);
}
