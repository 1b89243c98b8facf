/* SPDX-License-Identifier: MIT */
/* Buffers output, and writes it out; reads numbers, and writes their digits;
 * texts and data as parts of a page; reads the input that is answered. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"

const char *const out_colours[] = { "auto", "always", "never", NULL };

static bool colour_wanted(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	if (no_color && *no_color)
		return false;
	return term && strcmp(term, "dumb") != 0 && isatty(fd);
}

void out_init(struct out *out, int fd, const char *name,
	      enum out_colour colour)
{
	*out = (struct out){
		.fd = fd,
		.name = name,
		.colour = colour == OUT_COLOUR_AUTO
				  ? colour_wanted(fd)
				  : colour == OUT_COLOUR_ALWAYS,
		.buffer = malloc(OUT_CAPACITY),
		.capacity = OUT_CAPACITY,
	};
	if (!out->buffer)
		die("cannot write to %s: out of memory", name);
}

bool out_write_all(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;
	while (count > 0) {
		ssize_t n = write(fd, at, count);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			/* Another process made the pipe non-blocking. */
			struct pollfd wait = { .fd = fd, .events = POLLOUT };
			poll(&wait, 1, -1);
			continue;
		}
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			return false;
		at += n;
		count -= n;
	}
	return true;
}

bool out_copy(int fd, int from, uint64_t most)
{
	enum { PIECE = 32 << 10 };
	char bytes[PIECE];
	ssize_t got;

	while ((got = file_read_some(from, bytes, PIECE)) > 0) {
		/* The file may grow meanwhile. */
		if ((uint64_t)got > most ||
		    !out_write_all(fd, bytes, (size_t)got))
			return false;
		most -= (uint64_t)got;
	}
	return got == 0 && file_sync(fd);
}

void out_init_memory(struct out *out, bool colour)
{
	*out = (struct out){
		.fd = -1,
		.colour = colour,
		.buffer = must_have(malloc(OUT_CAPACITY)),
		.capacity = OUT_CAPACITY,
	};
}

void out_make_room(struct out *out)
{
	if (out->fd >= 0) {
		out_flush(out);
		return;
	}
	if (out->capacity >= OUT_MEMORY) {
		/* Drop the piece; the rest of it overwrites its beginning. */
		out->overflow = true;
		out->used = out->mark;
		return;
	}
	char *larger = must_have(realloc(out->buffer, 2 * out->capacity));
	out->buffer = larger;
	out->capacity *= 2;
}

/* The function given to out_before_pipe. */
static void (*before_pipe)(void);

void out_before_pipe(void (*function)(void))
{
	signal(SIGPIPE, SIG_IGN);
	before_pipe = function;
}

/* Write COUNT bytes to the file descriptor of OUT.  Does not return on
 * failure, unless OUT may fail. */
static void write_out(struct out *out, const char *bytes, size_t count)
{
	out->written += count;
	if (out->limit && out->written > out->limit)
		die("%s", out->limit_message);
	if (count == 0 || out_write_all(out->fd, bytes, count) ||
	    out->may_fail)
		return;
	if (errno == EPIPE) {
		/*
		 * SIGPIPE is ignored, otherwise the process would have ended
		 * already.  End by SIGPIPE nevertheless, as shells and
		 * pipelines expect.
		 */
		if (before_pipe)
			before_pipe();
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	die("cannot write to %s: %s", out->name, strerror(errno));
}

void out_flush(struct out *out)
{
	size_t used = out->used;
	out->used = 0;
	write_out(out, out->buffer, used);
}

void out_fini(struct out *out)
{
	if (out->fd >= 0)
		out_flush(out);
	free(out->buffer);
	out->buffer = NULL;
}

void out_more_bytes(struct out *out, const void *bytes, size_t count)
{
	const char *from = bytes;
	/* Large pieces are not copied to the buffer. */
	if (count >= OUT_RESERVE && out->fd >= 0) {
		out_flush(out);
		write_out(out, from, count);
		return;
	}
	while (count > 0) {
		size_t part = count < OUT_RESERVE ? count : OUT_RESERVE;
		memcpy(out_reserve(out, part), from, part);
		out_take(out, part);
		from += part;
		count -= part;
	}
}

/* The number of bytes before the first character in TEXT that a terminal must
 * not get. */
static size_t plain_length(const char *text, size_t length)
{
	size_t at = 0;
	while ((at += out_plain_run(text + at, length - at, false)) < length) {
		if (gsym_utf8_harmful(text + at, length - at))
			return at;
		size_t size = gsym_utf8_length(text + at, length - at);
		at += size ? size : 1;
	}
	return at;
}

void out_foreign_bytes(struct out *out, const char *text, size_t length)
{
	for (;;) {
		size_t plain = plain_length(text, length);
		out_bytes(out, text, plain);
		text += plain;
		length -= plain;
		if (length == 0)
			return;
		size_t n = gsym_utf8_harmful(text, length);
		for (; n; n--, length--) {
			char *to = out_reserve(out, 4);
			memcpy(to, "\\x", 2);
			to[2] = "0123456789abcdef"[(unsigned char)*text >> 4];
			to[3] = "0123456789abcdef"[*text & 15];
			out_take(out, 4);
			text++;
		}
	}
}

void out_foreign(struct out *out, const char *text)
{
	out_foreign_bytes(out, text, strlen(text));
}

void out_hex(struct out *out, uint64_t value)
{
	char *to = out_reserve(out, 2 + GSYM_NUMBER_MAX);
	to[0] = '0';
	to[1] = 'x';
	out_take(out, 2 + gsym_hex_put(to + 2, value));
}

void out_hex_bytes(struct out *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char digits[3];
		gsym_digits(digits, sizeof(digits), &bytes[i], 1);
		out_bytes(out, digits, 2);
	}
}

void out_decimal(struct out *out, uint64_t value)
{
	out_take(out,
		 gsym_decimal_put(out_reserve(out, GSYM_NUMBER_MAX), value));
}

void out_printf(struct out *out, const char *format, ...)
{
	char *to = out_reserve(out, OUT_RESERVE);
	va_list args;
	va_start(args, format);
	int n = vsnprintf(to, OUT_RESERVE, format, args);
	va_end(args);
	if (n > 0)
		out_take(out, (size_t)n < OUT_RESERVE ? (size_t)n
						      : OUT_RESERVE - 1);
}

/* ---- standard input of a tool that answers it ---------------------------- */

bool out_input_wait(int milliseconds)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	return poll(&input, 1, milliseconds) > 0;
}

ssize_t out_read_input(struct out *out, char *to, size_t size)
{
	if (!out_input_ready())
		out_flush(out);
	for (;;) {
		ssize_t n = read(STDIN_FILENO, to, size);
		if (n >= 0)
			return n;
		if (errno == EAGAIN) {
			/* The other program made the pipe non-blocking. */
			out_flush(out);
			out_input_wait(-1);
		} else if (errno != EINTR) {
			return -1;
		}
	}
}

/* ---- text of HTML and XML ------------------------------------------------ */

void out_lines(struct out *out, const char *const *lines)
{
	for (; *lines; lines++)
		out_text(out, *lines);
}

void out_html(struct out *out, const char *text, size_t limit)
{
	for (size_t n = 0; *text && (!limit || n < limit); n++) {
		size_t length = gsym_utf8_page(text, 4);
		if (*text == '&')
			out_text(out, "&amp;");
		else if (*text == '<')
			out_text(out, "&lt;");
		else if (*text == '>')
			out_text(out, "&gt;");
		else if (*text == '"')
			out_text(out, "&quot;");
		else if (length)
			out_bytes(out, text, length);
		else
			out_text(out, "\xef\xbf\xbd");
		text += length ? length : 1;
	}
}

void out_script_data(struct out *out, const char *text, size_t size)
{
	const char *end = text + size, *next;
	while ((next = memchr(text, '<', (size_t)(end - text)))) {
		out_bytes(out, text, (size_t)(next - text));
		out_text(out, "\\u003c");
		text = next + 1;
	}
	out_bytes(out, text, (size_t)(end - text));
	out_text(out, "\n");
}

/* ---- numbers ------------------------------------------------------------- */

static bool has_prefix(const char *text, size_t length)
{
	return length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
}

static enum number_result parse(const char *text, size_t length, unsigned base,
				uint64_t *value)
{
	uint64_t number;
	const char *end;
	bool fits;

	if (length == 0)
		return NUMBER_EMPTY;
	/* With a constant base each digit takes half of the instructions. */
	end = base == 16 ? gsym_number(text, text + length, 16, &number, &fits)
			 : gsym_number(text, text + length, 10, &number, &fits);
	if (end != text + length)
		return NUMBER_BAD;
	if (!fits)
		return NUMBER_RANGE;
	*value = number;
	return NUMBER_OK;
}

enum number_result number_parse(const char *text, size_t length,
				uint64_t *value)
{
	enum number_result result;
	uint64_t ignored;

	if (has_prefix(text, length))
		return parse(text + 2, length - 2, 16, value);
	result = parse(text, length, 10, value);
	if (result == NUMBER_BAD &&
	    parse(text, length, 16, &ignored) != NUMBER_BAD)
		return NUMBER_BARE;
	return result;
}

unsigned number_address_base(const char *text, size_t length)
{
	if (has_prefix(text, length) ||
	    ((length == 8 || length == 16) && text[0] == '0'))
		return 16;
	for (size_t i = 0; i < length; i++)
		if (text[i] < '0' || text[i] > '9')
			return 16;
	return 10;
}

enum number_result number_parse_address(const char *text, size_t length,
					bool hex, uint64_t *value)
{
	if (has_prefix(text, length))
		return parse(text + 2, length - 2, 16, value);
	if (hex || number_address_base(text, length) == 16)
		return parse(text, length, 16, value);
	return parse(text, length, 10, value);
}

const char *number_problem(enum number_result result)
{
	static const char *const problems[] = {
		[NUMBER_OK] = NULL,
		[NUMBER_EMPTY] = "not an address: nothing is there",
		[NUMBER_BAD] = "not an address",
		[NUMBER_BARE] = "not an address: hexadecimal needs 0x in front",
		[NUMBER_RANGE] = "not an address: larger than 64 bits",
	};

	return problems[result];
}

size_t number_parse_bytes(const char *text, uint8_t *to, size_t capacity)
{
	size_t size = strlen(text) / 2;

	if (strlen(text) % 2 || size > capacity ||
	    !gsym_digits_read(to, text, size))
		return 0;
	return size;
}

size_t number_grouped(char *to, uint64_t value)
{
	char digits[GSYM_NUMBER_MAX];
	size_t count = gsym_decimal_put(digits, value), used = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			to[used++] = ',';
		to[used++] = digits[i];
	}
	return used;
}
