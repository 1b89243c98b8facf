/* SPDX-License-Identifier: MIT */
/*
 * lookup/stream_stack.c - the answer to a line of gsym-lookup --stream --stack:
 * the addresses of a call stack, in the files of one or several build IDs.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "lookup/lookup.h"

/* The most files with the addresses of one stack, which are in use at once. */
#define MOST_FILES GSYM_LIMIT(256u, 2)
/* The most bytes of an answer, and those of an address and of a frame beside
 * its texts. */
#define STACK_BYTES (16 * FRAMES_BYTES)
#define FRAME_BYTES 64

/* The file of a build ID. */
struct file {
	uint8_t id[STREAM_ID_MAX];
	size_t id_size;
	/* To be released; NULL: there is none, as ABSENT and WHY say. */
	const struct gsym_store_entry *entry;
	enum stream_status absent;
	const char *why;
};

/* The addresses of a line, and their files. */
struct stack {
	struct gsym_stack_entry *entries;
	/* The file of each address, an index of FILES. */
	uint32_t *file_of;
	size_t count;
	/* The first one is that of the build ID which begins the line, and
	 * belongs to the caller.  One more stands for files beyond the
	 * limit. */
	struct file *files;
	uint32_t file_count;
	/* What is left of STACK_BYTES. */
	uint64_t left;
};

/* The most addresses of LINE: its first one, and one before, between and after
 * the commas that follow. */
static size_t most_addresses(const struct stream_line *line)
{
	size_t most = 2;

	for (size_t i = 0; i < line->callers_size; i++)
		most += line->callers[i] == ',';
	return most;
}

static void set_absent(struct file *f, enum stream_status absent)
{
	f->absent = absent;
	f->why = absent == STREAM_UNREADABLE
			 ? "the file with this build ID cannot be opened"
			 : "no GSYM file with this build ID";
}

/* The index of the file of the build ID in LINE. */
static uint32_t find_file(struct lookup *l, struct stack *s,
			  const struct stream_line *line)
{
	struct gsym_error why = { 0 };
	enum source_answer answer;
	struct file *f = s->files;

	for (uint32_t i = 0; i < s->file_count; i++, f++)
		if (f->id_size == line->id_size &&
		    memcmp(f->id, line->id, f->id_size) == 0)
			return i;
	if (s->file_count >= MOST_FILES) {
		f->absent = STREAM_UNREADABLE;
		f->why = "the stack has addresses in too many files";
		return s->file_count;
	}
	memcpy(f->id, line->id, line->id_size);
	f->id_size = line->id_size;
	answer = source_find(l->source, f->id, f->id_size, &f->entry, &why);
	set_absent(f, answer == SOURCE_FAILED && why.code ? STREAM_UNREADABLE
							  : STREAM_NO_FILE);
	return s->file_count++;
}

/* Add the address in LINE, which is in file FILE. */
static void add(struct stack *s, const struct stream_line *line, uint32_t file)
{
	s->file_of[s->count] = file;
	s->entries[s->count++] = (struct gsym_stack_entry){
		.reader = gsym_store_reader(s->files[file].entry),
		.address = line->address,
	};
}

/* Add the addresses of LINE, the first one of which has the build ID of L. */
static void add_all(struct lookup *l, struct stack *s, struct stream_line *line)
{
	struct file *first = &s->files[0];
	bool other;

	memcpy(first->id, l->id, l->id_size);
	first->id_size = l->id_size;
	first->entry = l->entry;
	set_absent(first, l->absent);
	s->file_count = 1;
	add(s, line, 0);
	while (line->callers_size) {
		stream_take_caller(l, line, &other);
		add(s, line, other ? find_file(l, s, line) : 0);
	}
}

static void spend(struct stack *s, uint64_t bytes)
{
	s->left -= bytes < s->left ? bytes : s->left;
}

/* Look up the frames of address I of S, and fill in A. */
static void look_up(struct lookup *l, struct stack *s, size_t i,
		    struct stream_address *a)
{
	const struct file *f = &s->files[s->file_of[i]];
	struct gsym_error error = { 0 };
	struct gsym_match match = { 0 };
	enum gsym_status status;

	*a = (struct stream_address){ .status = f->absent, .why = f->why,
				      .frames = l->frames,
				      .entry = &s->entries[i] };
	spend(s, FRAME_BYTES);
	if (!f->entry)
		return;
	status = gsym_stack_frames(&s->entries[i], l->flags, l->frames,
				   LOOKUP_FRAMES, &match, &error);
	a->status = status == GSYM_NOT_FOUND ? STREAM_NONE : STREAM_DAMAGED;
	a->why = status == GSYM_NOT_FOUND ? "no function covers the address"
					  : "the record is damaged";
	if (status != GSYM_OK)
		return;
	a->count = match.frame_count < LOOKUP_FRAMES ? match.frame_count
						     : LOOKUP_FRAMES;
	a->why = FRAMES_TOO_LONG;
	spend(s, a->count * FRAME_BYTES);
	if (s->left && frames_take(&s->left, l->style.demangler, l->frames,
				   a->count))
		a->status = STREAM_OK;
}

/* Write the answers to the addresses of S: in JSON from the innermost on,
 * folded from the outermost on.  Returns the status of the innermost one that
 * has no answer. */
static enum stream_status show(struct lookup *l, struct stack *s)
{
	const bool json = l->stream == STREAM_JSON;
	enum stream_status worst = STREAM_OK;
	struct stream_address a;

	stream_stack_begin(l);
	for (size_t n = 0; n < s->count; n++) {
		look_up(l, s, json ? n : s->count - 1 - n, &a);
		stream_stack_address(l, &a, n == 0);
		if (a.status != STREAM_OK && (worst == STREAM_OK || !json))
			worst = a.status;
	}
	stream_stack_end(l, worst);
	return worst;
}

enum stream_status stream_stack(struct lookup *l,
				const struct lookup_question *q)
{
	struct stack s = { .left = STACK_BYTES };
	struct stream_line line = {
		.address = q->address,
		.callers = q->callers,
		.callers_size = q->callers_size,
	};
	enum stream_status status;
	size_t most;

	most = most_addresses(&line);
	s.entries = must_have(calloc(most, sizeof(*s.entries)));
	s.file_of = must_have(calloc(most, sizeof(*s.file_of)));
	s.files = must_have(calloc(1 + (most < MOST_FILES ? most : MOST_FILES),
				   sizeof(*s.files)));
	add_all(l, &s, &line);
	if (l->forget)
		stream_forget_names(l->style.demangler);
	lookup_stack_choose(s.entries, s.count);
	status = show(l, &s);
	for (uint32_t i = 1; i < s.file_count; i++)
		gsym_store_release(s.files[i].entry);
	free(s.entries);
	free(s.file_of);
	free(s.files);
	return status;
}
