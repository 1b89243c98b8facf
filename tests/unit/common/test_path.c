/* SPDX-License-Identifier: MIT */
/* The character between a directory and a base name; texts of paths. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"

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

static char root[64];

static const char *below(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void make_file(const char *name)
{
	int fd = open(below(name), O_WRONLY | O_CREAT, 0600);

	cr_assert(fd >= 0);
	close(fd);
}

/*	a/b/deep	a file
 *	a/z		a link to a/b
 *	a.b, B, c	files
 *	p		a pipe */
static void make_tree(void)
{
	strcpy(root, "/tmp/walk-XXXXXX");
	cr_assert(mkdtemp(root));
	cr_assert(mkdir(below("a"), 0700) == 0);
	cr_assert(mkdir(below("a/b"), 0700) == 0);
	make_file("a/b/deep");
	make_file("c");
	make_file("a.b");
	make_file("B");
	cr_assert(symlink("b", below("a/z")) == 0);
	cr_assert(mkfifo(below("p"), 0600) == 0);
}

static void remove_tree(void)
{
	static const char *const names[] = { "a/b/deep", "c", "a.b", "B",
					     "a/z", "p" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(below(names[i]));
	rmdir(below("a/b"));
	rmdir(below("a"));
	rmdir(root);
}

/* What a walk of START finds, without the entries of the folder SKIP: paths
 * below the root, each after a letter for its kind and before its level. */
static const char *found(const char *start, const char *skip)
{
	static char text[512];
	struct walk *walk = path_walk_open(start);
	const struct walk_entry *entry;

	*text = 0;
	while ((entry = path_walk_next(walk))) {
		size_t at = strlen(text);

		snprintf(text + at, sizeof(text) - at, "%c%s%u ",
			 "DFLOX"[entry->kind], entry->path + strlen(root),
			 entry->level);
		if (skip && strcmp(entry->path, skip) == 0)
			path_walk_skip(walk);
	}
	cr_expect_null(path_walk_next(walk));
	path_walk_close(walk);
	return text;
}

/* Each test has a tree. */
TestSuite(walk, .init = make_tree, .fini = remove_tree);

Test(walk, entries_come_in_the_order_of_their_names)
{
	cr_expect_str_eq(found(root, NULL),
			 "D0 F/B1 D/a1 D/a/b2 F/a/b/deep3 L/a/z2 F/a.b1 "
			 "F/c1 O/p1 ");
}

Test(walk, a_slash_at_the_end_is_not_doubled)
{
	char start[128];

	snprintf(start, sizeof(start), "%s/a/", root);
	cr_expect_str_eq(found(start, NULL),
			 "D/a/0 D/a/b1 F/a/b/deep2 L/a/z1 ");
}

Test(walk, a_folder_can_be_left_out)
{
	char skip[128];

	snprintf(skip, sizeof(skip), "%s/a", root);
	cr_expect_str_eq(found(root, skip), "D0 F/B1 D/a1 F/a.b1 F/c1 O/p1 ");
}

Test(walk, the_root_may_be_a_file_or_a_link)
{
	char start[128];

	snprintf(start, sizeof(start), "%s/c", root);
	cr_expect_str_eq(found(start, NULL), "F/c0 ");
	snprintf(start, sizeof(start), "%s/a/z", root);
	cr_expect_str_eq(found(start, NULL), "D/a/z0 F/a/z/deep1 ");
	snprintf(start, sizeof(start), "%s/missing", root);
	cr_assert(symlink("nowhere", start) == 0);
	cr_expect_str_eq(found(start, NULL), "L/missing0 ");
	unlink(start);
}

Test(walk, a_failure_is_an_entry)
{
	char gone[128];
	struct walk *walk;
	const struct walk_entry *entry;

	snprintf(gone, sizeof(gone), "%s/gone", root);
	walk = path_walk_open(gone);
	entry = path_walk_next(walk);
	cr_assert(entry && entry->kind == WALK_FAILED);
	cr_expect(entry->error == ENOENT && entry->st.st_mode == 0);
	cr_expect_null(path_walk_next(walk));
	path_walk_close(walk);
}

/* Another program may remove a folder, or put a link in its place. */
Test(walk, a_folder_that_became_a_link_is_not_entered)
{
	struct walk *walk = path_walk_open(root);
	const struct walk_entry *entry;
	char folder[128], aside[128];
	unsigned failures = 0;

	snprintf(folder, sizeof(folder), "%s/a/b", root);
	snprintf(aside, sizeof(aside), "%s/aside", root);
	while ((entry = path_walk_next(walk))) {
		if (entry->kind == WALK_FAILED) {
			cr_expect_str_eq(entry->path, folder);
			cr_expect(entry->level == 2 && entry->error);
			cr_expect(S_ISDIR(entry->st.st_mode));
			failures++;
		} else if (strcmp(entry->path, folder) == 0) {
			cr_assert(rename(folder, aside) == 0);
			cr_assert(symlink("../aside", folder) == 0);
		}
		cr_expect_null(strstr(entry->path, "deep"));
	}
	cr_expect_eq(failures, 1);
	path_walk_close(walk);
	unlink(folder);
	cr_assert(rename(aside, folder) == 0);
}
