/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"

enum { LARGE = 300000 };

/* Expect that file_read reads SIZE bytes, where byte I is I * 7, from PATH. */
static void expect(const char *path, size_t wanted)
{
	size_t size = 0;
	uint8_t *bytes = file_read(path, &size);

	cr_assert(bytes);
	cr_assert_eq(size, wanted);
	for (size_t i = 0; i < size; i++)
		cr_assert_eq(bytes[i], (uint8_t)(i * 7));
	free(bytes);
}

static void put(int fd, size_t size)
{
	FILE *file = fdopen(fd, "w");

	cr_assert(file);
	for (size_t i = 0; i < size; i++)
		putc((int)(uint8_t)(i * 7), file);
	fclose(file);
}

Test(file, reads_regular_files)
{
	static const size_t sizes[] = { 0, 1, 4096, LARGE };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char path[] = "/tmp/test_file.XXXXXX";
		put(mkstemp(path), sizes[i]);
		expect(path, sizes[i]);
		unlink(path);
	}
}

Test(file, reads_pipes)
{
	static const size_t sizes[] = { 0, 1, 65536, LARGE };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char path[32];
		int ends[2];
		cr_assert_eq(pipe(ends), 0);
		snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
		if (fork() == 0) {
			close(ends[0]);
			put(ends[1], sizes[i]);
			_exit(0);
		}
		close(ends[1]);
		expect(path, sizes[i]);
		close(ends[0]);
		wait(NULL);
	}
}

Test(file, says_why_it_cannot_read)
{
	size_t size;

	cr_expect_eq(file_read("/nowhere/at/all", &size), NULL);
	cr_expect_eq(errno, ENOENT);
	cr_expect_eq(file_read("/tmp", &size), NULL);
	cr_expect_eq(errno, EISDIR);
}
