/* SPDX-License-Identifier: MIT */
/* Sections that are inflated while they are read: in parts of any size, ahead,
 * damaged, and after all as a whole. */
#include "config.h"

#include "container/container.h"

#include <criterion/criterion.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { PLAIN = 3 << 20, ROOM = 2 * PLAIN };

static uint8_t plain[PLAIN], packed[ROOM], got[PLAIN];

/* Compress PLAIN bytes by METHOD; returns their number.  0: this build cannot
 * inflate such a stream in steps. */
static size_t pack(int method)
{
	uint32_t x = 1;
	size_t size = 0;

	for (size_t i = 0; i < PLAIN; i++) {
		x = x * 1664525 + 1013904223;
		plain[i] = (uint8_t)(x >> 28) & (i >> 18 & 1 ? 0xff : 0x3);
	}
#ifdef HAVE_ISAL
	if (method == GSYM_INFLATE_ZLIB) {
		uLongf length = ROOM;

		cr_assert_eq(compress2(packed, &length, plain, PLAIN, 6), Z_OK);
		size = length;
	}
#endif
#ifdef HAVE_ZSTD
	if (method == GSYM_INFLATE_ZSTD)
		size = ZSTD_compress(packed, ROOM, plain, PLAIN, 3);
#endif
	(void)method;
	return size;
}

/* A program with one section. */
struct program {
	struct gsym_container container;
	struct gsym_container_section section;
};

static bool begin(struct program *p, int method, size_t in_size,
		  size_t out_size)
{
	const struct gsym_inflate_job job = { .method = method,
					      .in = packed,
					      .in_size = in_size,
					      .out_size = out_size };

	memset(p, 0, sizeof(*p));
	p->section.name = ".debug_info";
	p->container.sections.items = &p->section;
	p->container.sections.count = 1;
	return gsym_passing_begin(&p->container, &p->section, &job, false);
}

static void end(struct program *p)
{
	if (p->container.passing)
		p->container.free_passing(p->container.passing);
	for (size_t i = 0; i < p->container.made.count; i++)
		free(p->container.made.items[i]);
	gsym_vec_fini(&p->container.made);
	gsym_vec_fini(&p->container.warnings);
	gsym_arena_fini(&p->container.arena);
}

/* Read all SIZE bytes in parts of PART; every SKIPPED-th is skipped (0: none).
 * Returns whether all parts could be read. */
static bool read_parts(struct gsym_passing *passing, size_t size, size_t part,
		       size_t skipped)
{
	for (size_t at = 0, n = 1; at < size; at += part, n++) {
		bool skip = skipped && n % skipped == 0;
		size_t now = size - at < part ? size - at : part;

		memset(got, 0xaa, now);
		if (!gsym_passing_read(passing, skip ? NULL : got, now))
			return false;
		if (!skip)
			cr_assert_eq(memcmp(got, plain + at, now), 0,
				     "%zu bytes at %zu", now, at);
	}
	return true;
}

static const int methods[] = { GSYM_INFLATE_ZLIB, GSYM_INFLATE_ZSTD };

#define EACH_METHOD(method, size)                        \
	for (size_t m = 0; m < 2; m++)                   \
		for (size_t method = (size_t)methods[m], \
			    size = pack(methods[m]);     \
		     size; size = 0)

Test(passing, parts)
{
	static const size_t parts[] = { 100,	 4096,		(1 << 18) - 1,
					1 << 18, (1 << 18) + 1, PLAIN - 1,
					PLAIN };
	struct program p;

	EACH_METHOD(method, size)
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t skipped = 0; skipped < 3; skipped++) {
			cr_assert(begin(&p, (int)method, size, PLAIN));
			cr_assert_eq(p.section.data_size, PLAIN);
			cr_assert_null(p.section.data);
			cr_assert(gsym_passing_is_unread(p.container.passing));
			cr_assert(read_parts(p.container.passing, PLAIN,
					     parts[i], skipped));
			cr_assert_not(
				gsym_passing_is_unread(p.container.passing));
			/* Nothing is left. */
			cr_assert_not(
				gsym_passing_read(p.container.passing, got, 1));
			end(&p);
		}
}

/* What was inflated ahead is read from memory: the packed bytes are not needed.
 * If the others are done already, nothing is inflated ahead. */
Test(passing, ahead)
{
	static uint8_t copy[ROOM];
	struct program p;

	EACH_METHOD(method, size)
	for (size_t part = 1000; part <= PLAIN; part *= 10)
		for (int more = 0; more < 2; more++) {
			atomic_size_t left = (size_t)more;

			memcpy(copy, packed, size);
			cr_assert(begin(&p, (int)method, size, PLAIN));
			gsym_passing_ahead(p.container.passing, &left);
			memset(packed, 0, size);
			cr_assert_eq(read_parts(p.container.passing, PLAIN,
						part, 0),
				     more);
			memcpy(packed, copy, size);
			end(&p);
		}
}

/* The last read tells that the stream ends too late, too early, or with a wrong
 * checksum; of a stream that was inflated ahead, too. */
Test(passing, damaged_end)
{
	struct program p;
	atomic_size_t left = 1;

	EACH_METHOD(method, size)
	for (int ahead = 0; ahead < 2; ahead++) {
		for (size_t cut = 1; cut < 5; cut++) {
			if (!begin(&p, (int)method, size - cut, PLAIN))
				continue;
			if (ahead)
				gsym_passing_ahead(p.container.passing, &left);
			cr_assert_not(read_parts(p.container.passing, PLAIN,
						 7000, 0));
			end(&p);
		}
		cr_assert(begin(&p, (int)method, size, PLAIN - 1));
		cr_assert_not(
			read_parts(p.container.passing, PLAIN - 1, 7000, 0));
		end(&p);
		if (method != GSYM_INFLATE_ZLIB)
			continue;
		packed[size - 1] ^= 1;
		cr_assert(begin(&p, (int)method, size, PLAIN));
		if (ahead)
			gsym_passing_ahead(p.container.passing, &left);
		cr_assert_not(read_parts(p.container.passing, PLAIN, PLAIN, 0));
		end(&p);
		packed[size - 1] ^= 1;
	}
}

/* Every damaged stream of zlib that is read to its end gives the right bytes:
 * bits of a stream may have no meaning.  Frames of zstd need not have a
 * checksum. */
Test(passing, damaged)
{
	struct program p;

	EACH_METHOD(method, size)
	for (size_t at = 0; at < size; at += size / 97) {
		bool all = true;

		packed[at] ^= 0x55;
		cr_assert(begin(&p, (int)method, size, PLAIN));
		for (size_t i = 0; i < PLAIN && all; i += PLAIN / 16)
			all = gsym_passing_read(p.container.passing, got + i,
						PLAIN / 16);
		if (all && method == GSYM_INFLATE_ZLIB)
			cr_assert_eq(memcmp(got, plain, PLAIN), 0);
		end(&p);
		packed[at] ^= 0x55;
	}
}

static void check_whole(struct program *p)
{
	cr_assert(gsym_passing_complete(&p->container));
	cr_assert_null(p->container.passing);
	cr_assert_eq(p->section.data_size, PLAIN);
	cr_assert_eq(memcmp(p->section.data, plain, PLAIN), 0);
	cr_assert_eq(p->container.warnings.count, 0);
}

/* After any part was read, the section can still be inflated as a whole. */
Test(passing, complete)
{
	struct program p;

	EACH_METHOD(method, size)
	{
		for (size_t part = 1; part <= PLAIN; part *= 50) {
			cr_assert(begin(&p, (int)method, size, PLAIN));
			cr_assert(gsym_passing_read(p.container.passing, got,
						    part));
			check_whole(&p);
			end(&p);
		}
		cr_assert(begin(&p, (int)method, size, PLAIN));
		check_whole(&p);
		cr_assert(gsym_passing_complete(&p.container));
		end(&p);
	}
}

/* Damage is told when the section is inflated as a whole. */
Test(passing, complete_damaged)
{
	struct program p;

	EACH_METHOD(method, size)
	{
		cr_assert(begin(&p, (int)method, size - 9, PLAIN));
		cr_assert(gsym_passing_complete(&p.container));
		cr_assert_eq(p.section.data_size, 0);
		cr_assert_null(p.section.data);
		cr_assert_eq(p.container.warnings.count, 1);
		cr_assert_eq(p.container.warnings.items[0].kind,
			     GSYM_WARN_BAD_SECTION);
		end(&p);
	}
}

#ifdef HAVE_ISAL
/* Linkers may write several streams.  They are left to the whole section. */
Test(passing, several_streams)
{
	struct program p;
	uLongf first = ROOM / 2, second = ROOM / 2;

	pack(GSYM_INFLATE_ZLIB);
	cr_assert_eq(compress2(packed, &first, plain, PLAIN / 2, 6), Z_OK);
	cr_assert_eq(compress2(packed + first, &second, plain + PLAIN / 2,
			       PLAIN / 2, 6),
		     Z_OK);
	cr_assert(begin(&p, GSYM_INFLATE_ZLIB, first + second, PLAIN));
	cr_assert_not(read_parts(p.container.passing, PLAIN, 1 << 20, 0));
	check_whole(&p);
	end(&p);
}
#endif

Test(passing, not_compressed)
{
	struct program p;

	cr_assert_not(begin(&p, GSYM_INFLATE_STORED, 100, 100));
	cr_assert_null(p.container.passing);
	cr_assert_eq(p.section.data_size, 0);
}
