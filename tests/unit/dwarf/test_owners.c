/* SPDX-License-Identifier: MIT */
/* Which unit owns addresses that several units claim. */
#include "dwarf/resolve.h"
#include "container/container.h"

#include <criterion/criterion.h>

struct fixture {
	struct gsym_container container;
	struct dw_claims claims;
	struct dw_owners owners;
};

static void claim(struct fixture *f, uint64_t start, uint64_t end,
		  uint32_t unit)
{
	struct dw_claim *c = gsym_vec_push(&f->claims);

	*c = (struct dw_claim){ { start, end }, unit };
}

static void text(struct fixture *f, uint64_t start, uint64_t end)
{
	struct gsym_range *r = gsym_vec_push(&f->container.text);

	*r = (struct gsym_range){ start, end };
}

static void settle(struct fixture *f, size_t units)
{
	cr_assert(gsym_dw_owners_settle(&f->claims, units, &f->container,
					&f->owners));
}

static void fini(struct fixture *f)
{
	gsym_vec_fini(&f->claims);
	gsym_vec_fini(&f->container.text);
	gsym_dw_owners_fini(&f->owners);
}

static void expect(const struct fixture *f, uint32_t unit, size_t count,
		   const struct gsym_range *pieces)
{
	uint32_t first = f->owners.first[unit];

	cr_assert_eq(f->owners.first[unit + 1] - first, count,
		     "unit %u owns %u pieces, not %zu", unit,
		     f->owners.first[unit + 1] - first, count);
	for (size_t i = 0; i < count; i++) {
		const struct gsym_range *p = &f->owners.pieces.items[first + i];

		cr_assert_eq(p->start, pieces[i].start, "unit %u, piece %zu",
			     unit, i);
		cr_assert_eq(p->end, pieces[i].end, "unit %u, piece %zu", unit,
			     i);
	}
}

#define EXPECT(f, unit, ...)                                                  \
	expect(f, unit,                                                       \
	       sizeof((struct gsym_range[]){ __VA_ARGS__ }) /                 \
		       sizeof(struct gsym_range),                             \
	       (struct gsym_range[]){ __VA_ARGS__ })

Test(owners, disjoint_claims_stay)
{
	struct fixture f = { 0 };

	claim(&f, 0x30, 0x40, 1);
	claim(&f, 0x10, 0x20, 0);
	claim(&f, 0x20, 0x30, 0);
	settle(&f, 3);
	EXPECT(&f, 0, { 0x10, 0x20 }, { 0x20, 0x30 });
	EXPECT(&f, 1, { 0x30, 0x40 });
	expect(&f, 2, 0, NULL);
	fini(&f);
}

Test(owners, first_unit_wins_equal_claims)
{
	struct fixture f = { 0 };

	claim(&f, 0x10, 0x20, 2);
	claim(&f, 0x10, 0x20, 1);
	settle(&f, 3);
	EXPECT(&f, 1, { 0x10, 0x20 });
	expect(&f, 2, 0, NULL);
	fini(&f);
}

Test(owners, unit_of_the_piece_before_goes_on)
{
	struct fixture f = { 0 };

	/* Unit 2 owns the first piece; unit 0 follows when 2 has ended. */
	claim(&f, 0x10, 0x30, 2);
	claim(&f, 0x20, 0x40, 0);
	settle(&f, 3);
	EXPECT(&f, 2, { 0x10, 0x30 });
	EXPECT(&f, 0, { 0x30, 0x40 });
	fini(&f);
}

Test(owners, going_on_ends_with_a_gap)
{
	struct fixture f = { 0 };

	claim(&f, 0x10, 0x20, 1);
	claim(&f, 0x28, 0x40, 1);
	claim(&f, 0x28, 0x40, 0);
	settle(&f, 2);
	EXPECT(&f, 1, { 0x10, 0x20 });
	EXPECT(&f, 0, { 0x28, 0x40 });
	fini(&f);
}

Test(owners, several_claims_of_one_unit_are_counted)
{
	struct fixture f = { 0 };

	/* The inner claim's end does not end the outer one. */
	claim(&f, 0x10, 0x40, 1);
	claim(&f, 0x18, 0x20, 1);
	claim(&f, 0x18, 0x38, 0);
	settle(&f, 2);
	EXPECT(&f, 1, { 0x10, 0x40 });
	expect(&f, 0, 0, NULL);
	fini(&f);
}

Test(owners, only_code_is_owned)
{
	struct fixture f = { 0 };

	text(&f, 0x18, 0x20);
	text(&f, 0x28, 0x30);
	claim(&f, 0x00, 0x08, 0); /* dropped by the linker */
	claim(&f, 0x10, 0x2c, 0);
	claim(&f, 0x2c, 0x2e, 1);
	claim(&f, 0x30, 0x40, 1);
	settle(&f, 2);
	EXPECT(&f, 0, { 0x18, 0x20 }, { 0x28, 0x2c });
	EXPECT(&f, 1, { 0x2c, 0x2e });
	fini(&f);
}

Test(owners, nothing_claimed)
{
	struct fixture f = { 0 };

	settle(&f, 2);
	expect(&f, 0, 0, NULL);
	expect(&f, 1, 0, NULL);
	fini(&f);
}

static bool contains(const struct gsym_range *range, uint64_t at)
{
	return range->start <= at && at < range->end;
}

/* Random claims are settled as by a decision at each address. */
Test(owners, agrees_with_painting_each_address)
{
	uint32_t random = 12345;

	for (int round = 0; round < 300; round++) {
		struct fixture f = { 0 };
		struct gsym_range ranges[12];
		uint32_t units[12];
		int previous = -1;

		for (int i = 0; i < 12; i++) {
			random = random * 1664525 + 1013904223;
			ranges[i].start = random >> 16 & 63;
			random = random * 1664525 + 1013904223;
			ranges[i].end = ranges[i].start + 1 +
					(random >> 16 & 15);
			units[i] = random >> 28 & 3;
			claim(&f, ranges[i].start, ranges[i].end, units[i]);
		}
		settle(&f, 4);
		for (uint64_t at = 0; at < 96; at++) {
			int want = -1, got = -1;

			for (int i = 0; i < 12; i++)
				if (contains(&ranges[i], at) &&
				    (want < 0 || (int)units[i] < want))
					want = (int)units[i];
			for (int i = 0; i < 12 && want >= 0; i++)
				if (contains(&ranges[i], at) &&
				    (int)units[i] == previous)
					want = previous;
			for (int unit = 0; unit < 4; unit++)
				for (uint32_t i = f.owners.first[unit];
				     i < f.owners.first[unit + 1]; i++)
					if (contains(&f.owners.pieces.items[i],
						     at))
						got = unit;
			cr_assert_eq(got, want, "round %d, address %d", round,
				     (int)at);
			previous = want;
		}
		fini(&f);
	}
}

/* Code that touches a claim has none of its addresses. */
Test(owners, code_that_touches_a_claim)
{
	struct fixture f = { 0 };

	text(&f, 0x1000, 0x2000);
	text(&f, 0x3000, 0x4000);
	text(&f, 0x4000, 0x5000);
	claim(&f, 0x2000, 0x3000, 0);
	claim(&f, 0x4000, 0x5000, 1);
	claim(&f, 0x5000, 0x6000, 2);
	settle(&f, 3);
	cr_expect_eq(f.owners.pieces.count, 1);
	EXPECT(&f, 1, { 0x4000, 0x5000 });
	fini(&f);
}

/* The unit of the piece before goes on over claims that touch. */
Test(owners, claims_that_touch)
{
	struct fixture f = { 0 };

	claim(&f, 0x1000, 0x2000, 1);
	claim(&f, 0x2000, 0x3000, 0);
	claim(&f, 0x2000, 0x3000, 1);
	claim(&f, 0x3000, 0x4000, 1);
	settle(&f, 2);
	EXPECT(&f, 1, { 0x1000, 0x4000 });
	expect(&f, 0, 0, NULL);
	fini(&f);
}
