/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/out.h"
#include "common/report.h"
#include "unit/common/capture.h"

Test(out, keeps_order_across_flushes)
{
	struct out out;
	size_t size;
	capture_start(&out, OUT_COLOUR_NEVER);
	const uint64_t count = 100000;
	for (uint64_t i = 0; i < count; i++) {
		out_decimal(&out, i);
		out_text(&out, "\n");
		if (i == 1000)
			out_flush(&out);
	}
	char *got = capture_end(&out, &size), *at = got;
	for (uint64_t i = 0; i < count; i++) {
		cr_assert_eq(strtoull(at, &at, 10), i);
		cr_assert_eq(*at++, '\n');
	}
	cr_assert_eq((size_t)(at - got), size);
	free(got);
}

Test(out, writes_large_pieces)
{
	const size_t size = 2 * OUT_CAPACITY + 13;
	char *bytes = malloc(size);
	for (size_t i = 0; i < size; i++)
		bytes[i] = i * 7;
	struct out out;
	size_t got_size;
	capture_start(&out, OUT_COLOUR_NEVER);
	out_text(&out, "x");
	out_bytes(&out, bytes, size);
	char *got = capture_end(&out, &got_size);
	cr_assert_eq(got_size, size + 1);
	cr_assert(memcmp(got + 1, bytes, size) == 0);
	free(got);
	free(bytes);
}

Test(out, disarms_control_characters_beyond_ascii)
{
	/* Try each position in a word of eight bytes. */
	for (size_t before = 0; before < 20; before++) {
		struct out out;
		char text[64] = "abcdefghijklmnopqrst", want[64];
		strcpy(text + before, "\xc2\x80\xc2\x9f\xc2\xa0\xc2");
		sprintf(want, "%.*s%s", (int)before, text,
			"\\xc2\\x80\\xc2\\x9f\xc2\xa0\xc2");
		capture_start(&out, OUT_COLOUR_NEVER);
		out_foreign(&out, text);
		char *got = capture_end(&out, NULL);
		cr_expect_str_eq(got, want);
		free(got);
	}
	/* Across the ends of several reserved pieces. */
	enum { LENGTH = OUT_RESERVE };
	char *text = malloc(LENGTH);
	for (size_t i = 0; i < LENGTH; i++)
		text[i] = i % 2 ? 0xc2 : 0x85;
	struct out out;
	size_t size;
	capture_start(&out, OUT_COLOUR_NEVER);
	out_foreign_bytes(&out, text, LENGTH);
	char *got = capture_end(&out, &size);
	/* The first byte is a C1 character of eight bits; the last is not part
	 * of a character. */
	cr_expect_eq(size, 4 * (LENGTH - 1) + 1);
	cr_expect(memcmp(got, "\\x85\\xc2\\x85", 12) == 0);
	free(got);
	free(text);
}

/* Write CODE in UTF-8 to TO.  Returns the length. */
static size_t encode(char *to, unsigned code)
{
	if (code < 0x80)
		return (size_t)sprintf(to, "%c", (int)code);
	if (code < 0x800)
		return (size_t)sprintf(to, "%c%c", 0xc0 | code >> 6,
				       0x80 | (code & 63));
	return (size_t)sprintf(to, "%c%c%c", 0xe0 | code >> 12,
			       0x80 | (code >> 6 & 63), 0x80 | (code & 63));
}

/* Each character up to U+FFFF, behind any number of letters. */
Test(out, disarms_marks_that_change_the_direction_of_text)
{
	for (unsigned code = 0x80; code < 0x10000; code++) {
		bool harmful = code < 0xa0 || code == 0x61c ||
			       code == 0x200e || code == 0x200f ||
			       (code >= 0x202a && code <= 0x202e) ||
			       (code >= 0x2066 && code <= 0x2069);
		char text[64] = "abcdefghijklmnopqrs", want[64];
		size_t before = code % 19, size;
		struct out out;
		if (code >= 0xd800 && code < 0xe000)
			continue;
		size = before + encode(text + before, code);
		text[size] = 'z';
		int n = sprintf(want, "%.*s", (int)before, text);
		for (size_t i = before; i < size; i++)
			n += sprintf(want + n, harmful ? "\\x%02x" : "%c",
				     (unsigned char)text[i]);
		strcpy(want + n, "z");
		capture_start(&out, OUT_COLOUR_NEVER);
		out_foreign_bytes(&out, text, size + 1);
		char *got = capture_end(&out, NULL);
		cr_assert_str_eq(got, want, "U+%04X: %s", code, got);
		free(got);
	}
}

/* The bytes 0x80 to 0x9f, of which a terminal of eight bits makes C1. */
Test(out, disarms_c1_bytes_that_are_no_utf8)
{
	struct out out;
	capture_start(&out, OUT_COLOUR_NEVER);
	out_foreign(&out, "a\x9b" "31m\x80\x9f\xa0\xe4\xe2\x80" "b"
			  "\xe4\xbd\x9b");
	char *got = capture_end(&out, NULL);
	cr_assert_str_eq(got, "a\\x9b31m\\x80\\x9f\xa0\xe4\xe2\\x80" "b"
			      "\xe4\xbd\x9b");
	free(got);
}

Test(out, disarms_a_control_character_at_any_place_of_texts_of_any_length)
{
	for (size_t length = 1; length <= 70; length++)
		for (size_t at = 0; at < length; at++) {
			struct out out;
			/* Bytes after the text do not count. */
			char text[80], want[80];
			memset(text, '\033', sizeof(text));
			memset(text, 'a', length);
			text[at] = '\033';
			int n = sprintf(want, "%.*s\\x1b%.*s", (int)at, text,
					(int)(length - at - 1), text + at + 1);
			capture_start(&out, OUT_COLOUR_NEVER);
			out_foreign_bytes(&out, text, length);
			size_t size;
			char *got = capture_end(&out, &size);
			cr_assert_eq(size, (size_t)n, "%zu of %zu", at, length);
			cr_assert(memcmp(got, want, size) == 0, "%zu of %zu",
				  at, length);
			free(got);
		}
}

Test(out, does_not_look_beyond_a_text)
{
	for (size_t length = 0; length <= 70; length++) {
		struct out out;
		char text[80];
		memset(text, '\033', sizeof(text));
		memset(text + 3, 'a', length);
		capture_start(&out, OUT_COLOUR_NEVER);
		out_foreign_bytes(&out, text + 3, length);
		size_t size;
		char *got = capture_end(&out, &size);
		cr_assert_eq(size, length);
		cr_assert(memcmp(got, text + 3, length) == 0);
		free(got);
	}
}

Test(out, disarms_control_characters)
{
	struct out out;
	capture_start(&out, OUT_COLOUR_NEVER);
	out_foreign(&out, "a\033[31mb\nc\x7f\xff\xc3\xa4");
	char *got = capture_end(&out, NULL);
	cr_assert_str_eq(got, "a\\x1b[31mb\\x0ac\\x7f\xff\xc3\xa4");
	free(got);
}

Test(out, colours_only_where_wanted)
{
	struct out out;
	capture_start(&out, OUT_COLOUR_AUTO); /* the output is no terminal */
	out_bold(&out);
	out_dim(&out);
	out_plain(&out);
	char *got = capture_end(&out, NULL);
	cr_assert_str_eq(got, "");
	free(got);
	capture_start(&out, OUT_COLOUR_ALWAYS);
	out_bold(&out);
	out_plain(&out);
	got = capture_end(&out, NULL);
	cr_assert_str_eq(got, "\033[1m\033[0m");
	free(got);
}

Test(out, takes_back_what_memory_cannot_keep)
{
	static char piece[OUT_RESERVE];
	struct out part;
	out_init_memory(&part, false);
	out_text(&part, "head ");
	out_mark(&part);
	for (size_t sum = 0; sum <= 2 * OUT_MEMORY; sum += sizeof(piece))
		out_bytes(&part, piece, sizeof(piece));
	cr_assert_not(out_keep(&part));
	out_mark(&part);
	for (size_t sum = 0; sum < OUT_MEMORY / 2; sum += sizeof(piece))
		out_bytes(&part, piece, sizeof(piece));
	cr_assert(out_keep(&part));
	part.used = 5;
	out_text(&part, "tail");
	cr_assert(part.used == 9 && memcmp(part.buffer, "head tail", 9) == 0);
	out_fini(&part);
}

/* The wait status of a child that writes to FD. */
static int end_of_writer(int fd, bool ignore_sigpipe)
{
	pid_t child = fork();
	if (child == 0) {
		struct out out;
		signal(SIGPIPE, ignore_sigpipe ? SIG_IGN : SIG_DFL);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		report_start("test");
		out_init(&out, fd, "the output", OUT_COLOUR_NEVER);
		out_text(&out, "text");
		out_fini(&out);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	return status;
}

Test(out, ends_with_a_closed_pipe_as_sigpipe_does)
{
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	for (int ignore = 0; ignore < 2; ignore++) {
		int status = end_of_writer(ends[1], ignore);
		cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	}
}

Test(out, reports_a_full_disk)
{
	int fd = open("/dev/full", O_WRONLY);
	cr_assert_geq(fd, 0);
	int status = end_of_writer(fd, false);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
}

Test(out, copies_a_file_within_a_limit)
{
	enum { SIZE = 100000 };
	static char bytes[SIZE], copy[SIZE + 1];
	FILE *from = tmpfile(), *to = tmpfile();

	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 7);
	cr_assert_eq(fwrite(bytes, 1, SIZE, from), SIZE);
	fflush(from);
	lseek(fileno(from), 0, SEEK_SET);
	cr_expect(out_copy(fileno(to), fileno(from), SIZE));
	cr_expect_eq(pread(fileno(to), copy, sizeof(copy), 0), SIZE);
	cr_expect_eq(memcmp(bytes, copy, SIZE), 0);
	/* No byte is left. */
	cr_expect(out_copy(fileno(to), fileno(from), 0));
	lseek(fileno(from), 0, SEEK_SET);
	cr_expect_not(out_copy(fileno(to), fileno(from), SIZE - 1));
	cr_expect_not(out_copy(fileno(to), -1, SIZE));
	fclose(from);
	fclose(to);
}
