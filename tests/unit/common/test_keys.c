/* SPDX-License-Identifier: MIT */
/* Keys have numbers in the order in which they came. */
#include <criterion/criterion.h>

#include "common/keys.h"

Test(keys, numbers_of_bytes)
{
	struct keys k = { 0 };

	cr_expect_eq(keys_number(&k, "a", 1), 0);
	cr_expect_eq(keys_number(&k, "a\0b", 3), 1);
	cr_expect_eq(keys_number(&k, "", 0), 2);
	cr_expect_eq(keys_number(&k, "a", 1), 0);
	/* With three keys at most no other key is added. */
	cr_expect_eq(keys_within(&k, 3, "a\0b", 3), 1);
	cr_expect_eq(keys_within(&k, 3, "", 0), 2);
	cr_expect_eq(keys_within(&k, 3, "a\0c", 3), 3);
	cr_expect_eq(k.count, 3);
	cr_expect_eq(keys_within(&k, 4, "a\0c", 3), 3);
	cr_expect_eq(k.count, 4);
	cr_expect_str_eq(k.items[0].bytes, "a");
	keys_fini(&k);
	cr_expect_eq(k.count, 0);
}

Test(keys, many)
{
	enum { COUNT = 10000 };
	struct keys k = { 0 };

	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(keys_number(&k, &i, sizeof(i)), i);
	for (uint32_t i = 0; i < 2 * COUNT; i++)
		cr_assert_eq(keys_within(&k, COUNT, &i, sizeof(i)),
			     i < COUNT ? i : COUNT);
	keys_fini(&k);
}
