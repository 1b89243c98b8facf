/* SPDX-License-Identifier: MIT */
/* Keys have numbers in the order in which they came.  Without memory a tool
 * ends. */
#include <criterion/criterion.h>

#include "common/report.h"

Test(must, numbers_of_bytes)
{
	struct gsym_intern k = { 0 };

	cr_expect_eq(must_intern_within(&k, 0, "a", 1), 0);
	cr_expect_eq(k.count, 0);
	cr_expect_eq(must_intern(&k, "a", 1), 0);
	cr_expect_eq(must_intern(&k, "a\0b", 3), 1);
	cr_expect_eq(must_intern(&k, "", 0), 2);
	cr_expect_eq(must_intern(&k, "a", 1), 0);
	/* With three keys at most no other key is added. */
	cr_expect_eq(must_intern_within(&k, 3, "a\0b", 3), 1);
	cr_expect_eq(must_intern_within(&k, 3, "", 0), 2);
	cr_expect_eq(must_intern_within(&k, 3, "a\0c", 3), 3);
	cr_expect_eq(k.count, 3);
	cr_expect_eq(must_intern_within(&k, 4, "a\0c", 3), 3);
	cr_expect_eq(k.count, 4);
	cr_expect_str_eq(gsym_intern_entry(&k, 0)->bytes, "a");
	gsym_intern_fini(&k);
	cr_expect_eq(k.count, 0);
}

Test(must, many)
{
	enum { COUNT = 10000 };
	struct gsym_intern k = { 0 };

	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(must_intern(&k, &i, sizeof(i)), i);
	for (uint32_t i = 0; i < 2 * COUNT; i++)
		cr_assert_eq(must_intern_within(&k, COUNT, &i, sizeof(i)),
			     i < COUNT ? i : COUNT);
	gsym_intern_fini(&k);
}

Test(must, without_memory, .exit_code = STATUS_ERROR)
{
	struct {
		GSYM_VEC(char);
	} v = { 0 };

	must(true);
	cr_assert_eq(must_have(&v), &v);
	*must_push(&v) = 'x';
	cr_assert_eq(v.count, 1);
	must_reserve(&v, SIZE_MAX / 2);
}
