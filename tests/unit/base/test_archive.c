/* SPDX-License-Identifier: MIT */
/* The members of archives. */
#include "base/archive.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* An archive that is put together. */
struct bytes {
	char at[2048];
	size_t size;
};

static void put(struct bytes *b, const void *bytes, size_t size)
{
	memcpy(b->at + b->size, bytes, size);
	b->size += size;
}

/* Append a member with the field NAME and the text CONTENT. */
static void put_member(struct bytes *b, const char *name, const char *content)
{
	size_t size = strlen(content);
	char header[80];

	cr_assert_eq(snprintf(header, sizeof(header),
			      "%-16s%-12u%-6u%-6u%-8u%-10zu`\n", name, 17u,
			      0u, 0u, 644u, size),
		     60);
	put(b, header, 60);
	put(b, content, size);
	if (size & 1)
		put(b, "\n", 1);
}

static struct bytes start(void)
{
	struct bytes b = { .size = 0 };

	put(&b, "!<arch>\n", 8);
	return b;
}

/* Check that the next member of A is NAME with CONTENT. */
static void expect(struct gsym_archive *a, const char *name,
		   const char *content)
{
	struct gsym_archive_member m;

	cr_assert_eq(gsym_archive_next(a, &m, NULL), GSYM_OK);
	cr_assert_eq(m.name_size, strlen(name), "%.*s", (int)m.name_size,
		     m.name);
	cr_assert_arr_eq(m.name, name, m.name_size);
	cr_assert_eq(m.size, strlen(content));
	cr_assert_arr_eq(m.bytes, content, m.size);
	cr_assert_eq(m.time, 17);
}

static void expect_end(struct gsym_archive *a, enum gsym_status status)
{
	struct gsym_archive_member m;

	cr_assert_eq(gsym_archive_next(a, &m, NULL), status);
}

Test(archive, gnu)
{
	struct bytes b = start();
	struct gsym_archive a;

	put_member(&b, "/", "a table of symbols");
	put_member(&b, "/SYM64/", "another");
	put_member(&b, "//", "a_long_name_of_a.o/\nsub/folder_name.o/\n");
	put_member(&b, "a.o/", "odd");
	put_member(&b, "/20", "second");
	put_member(&b, "/0", "first");
	put_member(&b, "with blank.o/", "x");
	cr_assert(gsym_archive_open(&a, (uint8_t *)b.at, b.size));
	expect(&a, "a.o", "odd");
	expect(&a, "sub/folder_name.o", "second");
	expect(&a, "a_long_name_of_a.o", "first");
	expect(&a, "with blank.o", "x");
	expect_end(&a, GSYM_NOT_FOUND);
}

Test(archive, bsd)
{
	struct bytes b = start();
	struct gsym_archive a;

	put_member(&b, "short.o", "one");
	/* The name has NULs behind it. */
	put(&b, "#1/8            17          0     0     644     11        `\n",
	    60);
	put(&b, "long.o\0\0two\n", 12);
	put_member(&b, "last.o", "");
	cr_assert(gsym_archive_open(&a, (uint8_t *)b.at, b.size));
	expect(&a, "short.o", "one");
	expect(&a, "long.o", "two");
	expect(&a, "last.o", "");
	expect_end(&a, GSYM_NOT_FOUND);
}

/* A member whose name is not in the archive is left out, those behind it are
 * not. */
Test(archive, lost_names)
{
	struct bytes b = start();
	struct gsym_archive a;

	put_member(&b, "/4", "before the table");
	put_member(&b, "//", "x.o/\n");
	put_member(&b, "/5", "behind the table");
	put_member(&b, "/99999999999999", "far behind");
	put_member(&b, "#1/9", "short");
	put_member(&b, "y.o/", "y");
	cr_assert(gsym_archive_open(&a, (uint8_t *)b.at, b.size));
	expect(&a, "y.o", "y");
	expect_end(&a, GSYM_NOT_FOUND);
}

/* An archive that is cut anywhere has the members that end before. */
Test(archive, cut)
{
	struct bytes b = start();
	struct gsym_archive a;
	size_t first, size;

	put_member(&b, "a.o/", "aa");
	first = b.size;
	put_member(&b, "b.o/", "bb");
	for (size = 0; size < b.size; size++) {
		struct gsym_archive_member m;
		enum gsym_status status;
		int count = 0;

		if (!gsym_archive_open(&a, (uint8_t *)b.at, size)) {
			cr_assert_lt(size, 8);
			continue;
		}
		while ((status = gsym_archive_next(&a, &m, NULL)) == GSYM_OK)
			count++;
		cr_assert_eq(count, size >= first);
		/* Less than a header is what archivers fill up with. */
		cr_assert_eq(status == GSYM_ERR_CORRUPT,
			     (size >= 68 && size < first) ||
				     size >= first + 60,
			     "%zu", size);
	}
}

Test(archive, no_archive)
{
	struct bytes b = start();
	struct gsym_archive a;

	put_member(&b, "a.o/", "aa");
	b.at[8 + 58] = 'x';
	cr_assert(gsym_archive_open(&a, (uint8_t *)b.at, b.size));
	expect_end(&a, GSYM_ERR_CORRUPT);
	b.at[0] = '?';
	cr_assert_not(gsym_archive_open(&a, (uint8_t *)b.at, b.size));
	cr_assert_not(gsym_archive_open(&a, (const uint8_t *)"!<thin>\n", 8));
}
