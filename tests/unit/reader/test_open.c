/* SPDX-License-Identifier: MIT */
/* reader/image: opening paths, file descriptors and memory. */
#include "answers.h"
#include "support/elf_builder.h"
#include "support/mapped.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
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
		  error.code == status && error.offset == 0 &&
		  strstr(error.message, text), "%s: %s", path, error.message);
	cr_expect(reader == NULL);
}

Test(open, what_cannot_be_opened)
{
	char *path = elfb_save("", 0);

	refuse("/nonexistent/file", GSYM_ERR_IO, "No such file");
	refuse("/", GSYM_ERR_IO, "directory");
	refuse("/dev/null", GSYM_ERR_IO, "a device or pipe, not a file");
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
	struct gsym_error error = { .offset = 7 };
	struct gsym_reader *reader;
	int pipes[2];

	cr_expect(gsym_open_memory(NULL, 4, &reader, &error) ==
		  GSYM_ERR_ARGUMENT);
	cr_expect(error.offset == 0);
	cr_expect(gsym_open_memory("", 1, NULL, NULL) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_open(NULL, &reader, NULL) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_open("/", NULL, NULL) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_open_fd(0, NULL, NULL) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_open_memory(NULL, 0, &reader, NULL) ==
		  GSYM_ERR_FORMAT);
	cr_assert(pipe(pipes) == 0);
	cr_expect(gsym_open_fd(pipes[0], &reader, NULL) == GSYM_ERR_IO);
}

Test(open, a_copy_of_a_file_that_is_cut_short)
{
	char *path = elfb_save(gb_example_v1, sizeof(gb_example_v1));
	struct gsym_reader *reader;

	cr_assert(gsym_open_copy(path, &reader, NULL) == GSYM_OK);
	cr_assert(truncate(path, 0) == 0);
	expect_answer(reader, 0x401001, "work + 1 @ /src/ex.c:6");
	gsym_close(reader);
	unlink(path);
	free(path);
}

Test(open, a_copy_of_a_pipe, .timeout = 600)
{
	char *path = elfb_save(gb_example_v1, sizeof(gb_example_v1));
	struct gsym_reader *reader;
	int fd;

	/* A pipe without a writer is empty. */
	cr_assert(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	alarm(60);
	cr_expect(gsym_open_copy(path, &reader, NULL) == GSYM_ERR_FORMAT);
	fd = open(path, O_RDWR);
	cr_assert(fd >= 0);
	if (fork() == 0) {
		ssize_t n;

		usleep(200000);
		n = write(fd, gb_example_v1, sizeof(gb_example_v1));
		_exit(n != sizeof(gb_example_v1));
	}
	close(fd);
	cr_assert(gsym_open_copy(path, &reader, NULL) == GSYM_OK);
	expect_answer(reader, 0x401001, "work + 1 @ /src/ex.c:6");
	gsym_close(reader);
	unlink(path);
	free(path);
}

Test(open, a_copy_of_what_cannot_be_read)
{
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;

	cr_expect(gsym_open_copy("/nonexistent", &reader, &error) ==
		  GSYM_ERR_IO);
	cr_expect_str_eq(error.message,
			 "cannot open the file: No such file or directory");
	cr_expect(gsym_open_copy("/", &reader, &error) == GSYM_ERR_IO);
	cr_expect_str_eq(error.message, "cannot read the file: Is a directory");
	cr_expect(gsym_open_copy("/dev/null", &reader, NULL) ==
		  GSYM_ERR_FORMAT);
	cr_expect(gsym_open_copy(NULL, &reader, NULL) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_open_copy("/", NULL, NULL) == GSYM_ERR_ARGUMENT);
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

/* The descriptor that the next open() returns. */
static int next_descriptor(void)
{
	int fd = dup(0);

	cr_assert(fd >= 0);
	close(fd);
	return fd;
}

Test(open, descriptors_and_mappings_are_given_back)
{
	/* A mapping of several pages is removed as a whole. */
	size_t size = sizeof(gb_example_v1) + 3 * 65536;
	uint8_t *bytes = calloc(1, size);
	int next = next_descriptor();
	struct gsym_reader *reader;
	char *path;

	memcpy(bytes, gb_example_v1, sizeof(gb_example_v1));
	path = elfb_save(bytes, size);
	cr_assert(gsym_open(path, &reader, NULL) == GSYM_OK);
	cr_expect(next_descriptor() == next);
	cr_expect(count_mapped(path));
	gsym_close(reader);
	cr_expect(!count_mapped(path));
	unlink(path);
	free(path);
	bytes[6] = 9; /* no address size */
	path = elfb_save(bytes, size);
	cr_assert(gsym_open(path, &reader, NULL) == GSYM_ERR_CORRUPT);
	cr_expect(next_descriptor() == next);
	cr_expect(!count_mapped(path));
	unlink(path);
	free(path);
	free(bytes);
}

/* Descriptor 0 is as good as any other. */
Test(open, without_standard_input)
{
	char *path = elfb_save(gb_example_v1, sizeof(gb_example_v1));
	struct gsym_reader *reader;

	close(0);
	cr_assert(gsym_open(path, &reader, NULL) == GSYM_OK);
	cr_expect(fcntl(0, F_GETFD) < 0, "closed again");
	gsym_close(reader);
	unlink(path);
	free(path);
}

Test(open, memory_is_given_back)
{
	size_t before = 0;

	for (int i = 0; i < 2000; i++) {
		struct gsym_reader *reader;

		if (i == 1000)
			before = mallinfo2().uordblks;
		cr_assert(gsym_open_memory(gb_example_v1,
					   sizeof(gb_example_v1), &reader,
					   NULL) == GSYM_OK);
		gsym_close(reader);
		cr_assert(gsym_open_memory("MYSG\3", 6, &reader, NULL) ==
			  GSYM_ERR_UNSUPPORTED);
	}
	cr_expect(mallinfo2().uordblks < before + 1000);
}

Test(open, a_descriptor_that_cannot_be_read)
{
	char *path = elfb_save(gb_example_v1, sizeof(gb_example_v1));
	int fd = open(path, O_WRONLY);
	struct gsym_error error = { .offset = 7 };
	struct gsym_reader *reader = NULL;

	cr_expect(gsym_open_fd(fd, &reader, &error) == GSYM_ERR_IO);
	cr_expect(!reader && error.offset == 0);
	cr_expect_str_eq(error.message,
			 "cannot map the file: Permission denied");
	close(fd);
	unlink(path);
	free(path);
	error.offset = 7;
	cr_expect(gsym_open_fd(-1, &reader, &error) == GSYM_ERR_IO);
	cr_expect(error.offset == 0);
	cr_expect_str_eq(error.message,
			 "cannot examine the file: Bad file descriptor");
}

/* A pipe without a writer is refused at once. */
Test(open, a_pipe_is_refused, .timeout = 600)
{
	char *path = elfb_save("", 0);

	cr_assert(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	refuse(path, GSYM_ERR_IO, "a device or pipe, not a file");
	unlink(path);
	free(path);
}
