/* SPDX-License-Identifier: MIT */
/*
 * lookup/lines.c - takes standard input apart into lines, block by block.
 *
 * A block has the lines that are there.  Only if there is no line at all the
 * reader waits: a program that writes a line gets its answer before it writes
 * the next one.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/out.h"
#include "common/report.h"
#include "lookup/lookup.h"

enum {
	/* The bytes that are read at once, as many as a pipe of Linux holds.
	 * Fewer would cost time; of more a larger rest would be copied from
	 * block to block. */
	PIECE = 64 << 10,
	/* The milliseconds in which a program that has filled the pipe gets the
	 * processor to fill it again.  Large blocks are answered in less
	 * time. */
	PATIENCE = 4,
};

/* A block that is being read. */
struct block {
	struct lookup_lines *in;
	char *text;
	struct lookup_question *lines;
	size_t count, most;
	/* The start of the next line in TEXT, the end of the bytes that were
	 * searched for line feeds, and the end of all bytes. */
	size_t at, searched, end;
	/* The last read has brought a whole piece. */
	bool whole;
};

void lookup_lines_init(struct lookup_lines *in, size_t longest)
{
	*in = (struct lookup_lines){
		.longest = longest,
		.rest = must_have(malloc(longest + PIECE)),
	};
}

void lookup_lines_fini(struct lookup_lines *in)
{
	free(in->rest);
}

/* Add the bytes up to END as a line of B, unless they are the end of a line
 * that was too long. */
static void add_line(struct block *b, size_t end)
{
	if (!b->in->skipping)
		b->lines[b->count++] = (struct lookup_question){
			.text = b->text + b->at,
			.length = (uint32_t)(end - b->at),
		};
}

/* Add the complete lines of B, as many as there is room for. */
static void add_lines(struct block *b)
{
	while (b->count < b->most) {
		char *feed = memchr(b->text + b->searched, '\n',
				    b->end - b->searched);

		b->searched = b->end;
		if (!feed)
			return;
		add_line(b, (size_t)(feed - b->text));
		b->in->skipping = false;
		b->at = b->searched = (size_t)(feed - b->text) + 1;
	}
}

/* Add the start of a line that is too long, and skip the rest of the line. */
static void cut_line(struct block *b)
{
	if (b->count == b->most)
		return;
	if (b->end - b->at > b->in->longest) {
		add_line(b, b->end);
		b->in->skipping = true;
	}
	if (b->in->skipping)
		b->at = b->end;
	/* A line of any length may be skipped, and no line is there yet. */
	if (b->in->skipping && !b->count)
		b->at = b->searched = b->end = 0;
}

/* Read more bytes to B.  Returns false at the end of the input, and after a
 * failure. */
static bool read_more(struct block *b)
{
	/* The thread of the block before writes its answers meanwhile. */
	struct out none = { .fd = -1 };
	ssize_t n = out_read_input(&none, b->text + b->end, PIECE);

	b->whole = n == PIECE;
	if (n > 0) {
		b->end += (size_t)n;
		return true;
	}
	b->in->ended = true;
	b->in->error = n < 0 ? errno : 0;
	if (n == 0 && b->end > b->at)
		add_line(b, b->end);
	b->at = b->end;
	return false;
}

size_t lookup_lines_read(struct lookup_lines *in, char *text,
			 struct lookup_question *lines, size_t most, bool *full)
{
	struct block b = { .in = in,
			   .text = text,
			   .lines = lines,
			   .most = most,
			   .end = in->rest_size };

	*full = false;
	if (in->ended)
		return 0;
	memcpy(text, in->rest, in->rest_size);
	do {
		add_lines(&b);
		cut_line(&b);
		*full = b.count == most || LOOKUP_TEXT - b.end < PIECE;
	} while (!*full &&
		 (!b.count || out_input_wait(b.whole ? PATIENCE : 0)) &&
		 read_more(&b));
	in->rest_size = b.end - b.at;
	memcpy(in->rest, text + b.at, in->rest_size);
	return b.count;
}
