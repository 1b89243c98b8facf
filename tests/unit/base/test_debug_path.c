/* SPDX-License-Identifier: MIT */
/* The paths at which debug files may lie, in their order. */
#include "base/debug_path.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The paths that were tried, each with a line feed behind it. */
struct list {
	char text[1024];
	/* Paths that are tried before the search is over; 0: all. */
	unsigned most, count;
};

static bool take(void *context, char *path)
{
	struct list *list = context;

	cr_assert_not_null(path);
	strcat(strcat(list->text, path), "\n");
	free(path);
	return ++list->count == list->most;
}

static const uint8_t id[] = { 0xab, 0xcd, 0xef };
static const char *const trees[] = { "/one", "two" };

Test(debug_path, of_id)
{
	char *path = gsym_debug_path_of_id("/a", id, 3, ".debug.gsym");

	cr_expect_str_eq(path, "/a/.build-id/ab/cdef.debug.gsym");
	free(path);
	path = gsym_debug_path_of_id("", id, 1, "");
	cr_expect_str_eq(path, "/.build-id/ab/");
	free(path);
}

Test(debug_path, all_in_order)
{
	const struct gsym_debug_places places = {
		id, sizeof(id), "/no/such/prog", "x.debug", trees, 2
	};
	struct list list = { "", 0, 0 };

	cr_expect_not(gsym_debug_places_try(&places, take, &list));
	cr_expect_str_eq(list.text, "/one/.build-id/ab/cdef.debug\n"
				    "two/.build-id/ab/cdef.debug\n"
				    "/no/such/x.debug\n"
				    "/no/such/.debug/x.debug\n"
				    "/one/no/such/x.debug\n"
				    "two/no/such/x.debug\n");
}

Test(debug_path, a_short_name_has_no_folder_below_a_tree)
{
	const struct gsym_debug_places places = {
		NULL, 0, "no-such-prog", "x.debug", trees, 2
	};
	struct list list = { "", 0, 0 };

	cr_expect_not(gsym_debug_places_try(&places, take, &list));
	cr_expect_str_eq(list.text, "./x.debug\n./.debug/x.debug\n");
}

Test(debug_path, ends_with_the_right_one)
{
	struct gsym_debug_places places = {
		id, sizeof(id), "//prog", "x", trees, 2
	};
	struct list list = { "", 2, 0 };

	cr_expect(gsym_debug_places_try(&places, take, &list));
	cr_expect_eq(list.count, 2);
	places.id_size = 0;
	list = (struct list){ "", 3, 0 };
	cr_expect(gsym_debug_places_try(&places, take, &list));
	cr_expect_str_eq(list.text, "/x\n/.debug/x\n/one/x\n");
}

Test(debug_path, what_is_no_name)
{
	static const char *const links[] = { NULL, "", "../x", "a/b" };
	struct gsym_debug_places places = {
		id, 1, "/no/such/prog", NULL, trees, 2
	};
	struct list list = { "", 0, 0 };

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		places.link = links[i];
		cr_expect_not(gsym_debug_places_try(&places, take, &list));
	}
	/* Longer build IDs are no hashes. */
	places.id_size = GSYM_DEBUG_PATH_ID + 1;
	cr_expect_not(gsym_debug_places_try(&places, take, &list));
	cr_expect_str_eq(list.text, "");
}
