/* SPDX-License-Identifier: MIT */
/* reader/image: opening paths, file descriptors and memory. */
#include "answers.h"
#include "support/elf_builder.h"

#include <fcntl.h>
#include <unistd.h>

Test(open, a_path)
{
	char *path = elfb_save(gb_example_v1, sizeof(gb_example_v1));
	struct gsym_reader *reader;

	cr_assert(gsym_open(path, &reader, NULL) == GSYM_OK);
	unlink(path);
	free(path);
	expect_answer(reader, 0x401001, "work + 1 @ /src/ex.c:6");
	gsym_close(reader);
	gsym_close(NULL);
}

Test(open, a_descriptor_may_be_closed_at_once)
{
	char *path = elfb_save(gb_example_v1, sizeof(gb_example_v1));
	int fd = open(path, O_RDONLY);
	struct gsym_reader *reader;

	unlink(path);
	free(path);
	cr_assert(lseek(fd, 100, SEEK_SET) == 100);
	cr_assert(gsym_open_fd(fd, &reader, NULL) == GSYM_OK);
	cr_expect(lseek(fd, 0, SEEK_CUR) == 100, "the descriptor was moved");
	cr_assert(close(fd) == 0);
	expect_answer(reader, 0x401001, "work + 1 @ /src/ex.c:6");
	gsym_close(reader);
}

static void refuse(const char *path, enum gsym_status status,
		   const char *text)
{
	struct gsym_reader *reader = NULL;
	struct gsym_error error = { 0 };

	cr_expect(gsym_open(path, &reader, &error) == status &&
		  error.code == status && strstr(error.message, text),
		  "%s: %s", path, error.message);
	cr_expect(reader == NULL);
}

Test(open, what_cannot_be_opened)
{
	char *path = elfb_save("", 0);

	refuse("/nonexistent/file", GSYM_ERR_IO, "No such file");
	refuse("/", GSYM_ERR_IO, "directory");
	refuse("/dev/null", GSYM_ERR_IO, "not a regular file");
	refuse(path, GSYM_ERR_FORMAT, "neither gsym");
	unlink(path);
	free(path);
	path = elfb_save("some text\n", 10);
	refuse(path, GSYM_ERR_FORMAT, "neither gsym");
	unlink(path);
	free(path);
}

Test(open, arguments_without_sense)
{
	struct gsym_reader *reader;
	int pipes[2];

	cr_expect(gsym_open_memory(NULL, 4, &reader, NULL) ==
		  GSYM_ERR_ARGUMENT);
	cr_expect(gsym_open_memory(NULL, 0, &reader, NULL) ==
		  GSYM_ERR_FORMAT);
	cr_expect(gsym_open_fd(-1, &reader, NULL) == GSYM_ERR_IO);
	cr_assert(pipe(pipes) == 0);
	cr_expect(gsym_open_fd(pipes[0], &reader, NULL) == GSYM_ERR_IO);
}

Test(open, a_success_leaves_the_error_alone)
{
	struct gsym_error error = { .code = 77, .offset = 5 };
	struct gsym_reader *reader;

	cr_assert(gsym_open_memory(gb_example_v1, sizeof(gb_example_v1),
				   &reader, &error) == GSYM_OK);
	cr_expect(gsym_lookup(reader, 1, 0, NULL, 0, NULL, &error) ==
		  GSYM_NOT_FOUND);
	cr_expect(error.code == 77 && error.offset == 5);
	gsym_close(reader);
}
