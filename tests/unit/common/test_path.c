/* SPDX-License-Identifier: MIT */
/* The character between a directory and a base name; texts of paths. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/path.h"

Test(path, separator)
{
	cr_expect_eq(path_separator(""), 0);
	cr_expect_eq(path_separator("/"), 0);
	cr_expect_eq(path_separator("/usr/src/"), 0);
	cr_expect_eq(path_separator("/usr/src"), '/');
	cr_expect_eq(path_separator("src"), '/');
	cr_expect_eq(path_separator("C:\\src"), '\\');
	cr_expect_eq(path_separator("C:\\src\\"), 0);
	cr_expect_eq(path_separator("C:\\src/x"), '/');
	cr_expect_eq(path_separator("x/src\\"), '/');
}

Test(path, print)
{
	char *path = path_print("%s/%02x.gsym", "/tmp", 7u);
	cr_expect_str_eq(path, "/tmp/07.gsym");
	free(path);
}

Test(path, base)
{
	cr_expect_str_eq(path_base("/usr/lib/libz.so"), "libz.so");
	cr_expect_str_eq(path_base("prog"), "prog");
	cr_expect_str_eq(path_base("/usr/"), "/usr/");
}

Test(path, join)
{
	char *slash = path_join("/src", "a.c");
	char *backslash = path_join("C:\\src", "a.c");
	char *alone = path_join("", "a.c");
	cr_expect_str_eq(slash, "/src/a.c");
	cr_expect_str_eq(backslash, "C:\\src\\a.c");
	cr_expect_str_eq(alone, "a.c");
	free(slash);
	free(backslash);
	free(alone);
}
