/* SPDX-License-Identifier: MIT */
/*
 * lookup/stream.c - gsym-lookup --stream: answers lines of build ID and
 * address, for programs that run many addresses of many programs through a
 * pipe.
 *
 * Each line of input gets one line of output, whatever the line holds.  The
 * lines that are there are looked up in the order of build IDs and addresses
 * (batch.c), so that each file is opened once.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

enum {
	/* The most bytes of a line, without its line feed. */
	STREAM_LINE_MAX = 64 << 10,
	/* The most bytes of a build ID. */
	STREAM_ID_MAX = 64,
};

/* A build ID in the input. */
struct stream_id {
	uint8_t bytes[STREAM_ID_MAX];
	size_t size;
};

/* Takes ID, of a caller with a build ID of its own. */
typedef void stream_caller_fn(void *context, const struct stream_id *id);
/* ---- lines of input ------------------------------------------------------ */

/* A field of a line. */
struct field {
	const char *text;
	size_t length;
};

/* Take the first field of the text from *AT to END, which a tab or a blank
 * ends, and move *AT to the next field.  The separator is one tab, or all
 * blanks that follow one another.  *SEPARATED: there was a separator. */
static struct field take_field(const char **at, const char *end,
			       bool *separated)
{
	const char *text = *at, *stop = text;

	while (stop < end && *stop != '\t' && *stop != ' ')
		stop++;
	*separated = stop < end;
	*at = stop;
	if (stop < end && *stop == '\t')
		++*at;
	else
		while (*at < end && **at == ' ')
			++*at;
	return (struct field){ text, (size_t)(stop - text) };
}

/* Read the build ID F to ID.  Returns NULL, or what is wrong with it. */
static const char *read_id(struct field f, struct stream_id *id)
{
	if (!f.length)
		return "there is no build ID";
	if (f.length % 2)
		return "not a build ID: the number of digits is odd";
	if (f.length > 2 * sizeof(id->bytes))
		return "not a build ID: more than 128 digits";
	if (!gsym_digits_read(id->bytes, f.text, f.length / 2))
		return "not a build ID: it is not hexadecimal";
	id->size = f.length / 2;
	return NULL;
}

/* Read F to *ADDRESS.  Engines without unsigned numbers write kernel addresses
 * as negative decimal numbers.  Returns NULL, or what is wrong with F. */
static const char *read_address(struct field f, bool hex,
				uint64_t *address)
{
	uint64_t size;

	if (!f.length)
		return "there is no address";
	if (f.text[0] != '-')
		return number_problem(number_parse_address(
			f.text, f.length, hex, address));
	/* "-0x10" is not a decimal number. */
	for (size_t i = 1; i < f.length; i++)
		if (f.text[i] < '0' || f.text[i] > '9')
			return "not an address";
	if (number_parse(f.text + 1, f.length - 1, &size) != NUMBER_OK ||
	    !size || size > (uint64_t)1 << 63)
		return "not an address: not from -1 to -9223372036854775808";
	*address = 0 - size;
	return NULL;
}

/* Take the next address of a stack, ADDRESS or BUILD-ID:ADDRESS, from
 * Q->callers, and set Q->address; if there is a build ID also ID and *OTHER,
 * else *OTHER becomes false.  Returns NULL, or why the line is STREAM_BAD. */
static const char *take_caller(const struct lookup *l,
			       struct lookup_question *q, struct stream_id *id,
			       bool *other)
{
	const char *text = q->callers;
	const char *end = text + q->callers_size;
	const char *comma = memchr(text, ',', q->callers_size);
	const char *stop = comma ? comma : end;
	const char *colon = memchr(text, ':', (size_t)(stop - text));
	const char *problem = NULL;

	q->callers = comma ? comma + 1 : end;
	q->callers_size = (uint32_t)(end - q->callers);
	if (comma && !q->callers_size)
		return "there is no address after the last comma";
	*other = colon != NULL;
	if (colon) {
		problem = read_id((struct field){ text,
						  (size_t)(colon - text) }, id);
		text = colon + 1;
	}
	if (problem)
		return problem;
	return read_address((struct field){ text, (size_t)(stop - text) },
			    l->asked->hex, &q->address);
}

/* Read the first address of the stack F to Q, and check the others, of which
 * CALLER gets those in other files.  Returns NULL, or what is wrong with the
 * stack. */
static const char *read_stack(const struct lookup *l, struct field f,
			      struct lookup_question *q,
			      stream_caller_fn *caller, void *context)
{
	struct lookup_question rest;
	struct stream_id id;
	const char *problem;
	bool other;

	q->callers = f.text;
	q->callers_size = (uint32_t)f.length;
	problem = take_caller(l, q, &id, &other);
	if (!problem && other)
		return "not an address: the build ID begins the line";
	rest = *q;
	while (!problem && rest.callers_size) {
		problem = take_caller(l, &rest, &id, &other);
		if (!problem && other)
			caller(context, &id);
	}
	return problem;
}

/* Read the line Q as the options of L say: sets PROBLEM and KEY, and, if there
 * is no problem, the ADDRESS, the CALLERS and ID.  --stack: CALLER is called
 * for the callers that have a build ID of their own. */
static void parse(const struct lookup *l, struct lookup_question *q,
		  struct stream_id *id, stream_caller_fn *caller, void *context)
{
	const char *text = q->text, *end = text + q->length;
	struct field first, address;
	bool separated;

	q->key = end;
	if (q->length > STREAM_LINE_MAX) {
		q->problem = "the line is longer than 64 KiB";
		return;
	}
	if (q->length && end[-1] == '\r')
		q->key = --end;
	first = take_field(&text, end, &separated);
	address = take_field(&text, end, &separated);
	if (l->asked->keys && separated) {
		q->key = text;
		q->key_size = (uint32_t)(end - text);
	}
	q->problem = read_id(first, id);
	if (!q->problem)
		q->problem =
			l->asked->of_stack
				? read_stack(l, address, q, caller, context)
				: read_address(address, l->asked->hex,
					       &q->address);
	if (!q->problem && !l->asked->keys && text < end)
		q->problem = "text after the address, without --keys";
}

/* ---- lines of output ----------------------------------------------------- */

/* An address, and its answer. */
struct stream_address {
	/* What it is, and for other statuses than STREAM_OK why, for
	 * people. */
	enum stream_status status;
	const char *why;
	/* The frames, if STATUS is STREAM_OK. */
	const struct gsym_frame *frames;
	size_t count;
	/* --stack: which of several functions it is; NULL. */
	const struct gsym_stack_entry *entry;
};

static const char *const status_names[STREAM_STATUSES] = {
	"ok", "bad", "nofile", "none", "damaged", "unreadable",
};

/* Write TEXT, a string of a GSYM file, as ClickHouse and Hive escape fields
 * between tabs, and other characters that a terminal must not get as \xNN.
 * SEMICOLON replaces semicolons. */
static void put_field(struct out *out, const char *text, char semicolon)
{
	static const char special[] = "\\\t\n\r";
	static const char letters[] = "\\tnr";

	for (;;) {
		size_t plain = strcspn(text, "\\\t\n\r;");

		out_foreign_bytes(out, text, plain);
		text += plain;
		if (!*text)
			return;
		if (*text == ';')
			out_bytes(out, &semicolon, 1);
		else
			out_printf(out, "\\%c",
				   letters[strchr(special, *text) - special]);
		text++;
	}
}

/* The name of the function of F, demangled if L says so. */
static const char *name_of(const struct lookup *l, const struct gsym_frame *f)
{
	return l->style.demangler ? demangle(l->style.demangler, f->function)
				  : f->function;
}

/* Empty the cache of DEMANGLER, which finds names by their addresses in files
 * that the store may have closed. */
static void forget_names(struct gsym_demangler *demangler)
{
	must(!demangler || gsym_demangler_forget(demangler) == GSYM_OK);
}

/* Write the functions of COUNT FRAMES, the outermost first. */
static void folded(struct lookup *l, const struct gsym_frame *frames,
		   size_t count)
{
	while (count-- > 0) {
		const char *name = name_of(l, &frames[count]);

		put_field(&l->out, *name ? name : "??", ':');
		if (count)
			out_bytes(&l->out, ";", 1);
	}
}

/* Write the innermost of COUNT FRAMES, and how many functions were inlined. */
static void tsv(struct lookup *l, const struct gsym_frame *frames,
		size_t count)
{
	const struct gsym_frame *f = &frames[0];
	const char *directory = l->style.basenames ? "" : f->directory;
	char separator = path_separator(directory);

	out_text(&l->out, "ok\t");
	put_field(&l->out, name_of(l, f), ';');
	out_bytes(&l->out, "\t", 1);
	put_field(&l->out, directory, ';');
	if (separator)
		put_field(&l->out, (char[]){ separator, 0 }, ';');
	put_field(&l->out, f->basename, ';');
	out_bytes(&l->out, "\t", 1);
	out_decimal(&l->out, f->line);
	out_bytes(&l->out, "\t", 1);
	out_decimal(&l->out, count - 1);
}

/* Write the object of A.  LIST is the name of its list if that is empty. */
static void json(struct lookup *l, const struct stream_address *a,
		 const char *list)
{
	struct out *out = &l->out;

	if (a->status == STREAM_OK) {
		out_text(out, "{\"status\":\"ok\",\"frames\":[");
		frames_stack(out, &l->style, a->frames, a->count, 0);
		if (a->entry)
			lookup_choice(out, a->entry);
		out_bytes(out, "}", 1);
		return;
	}
	out_printf(out, "{\"status\":\"%s\",\"%s\":[],\"error\":\"",
		   status_names[a->status], list);
	json_escape(out, a->why, strlen(a->why));
	out_text(out, "\"}");
}

/* Write A, the answer to a line. */
static void write_answer(struct lookup *l, const struct stream_address *a)
{
	bool ok = a->status == STREAM_OK;

	if (l->asked->stream == STREAM_JSON)
		json(l, a, l->asked->of_stack ? "stack" : "frames");
	else if (l->asked->stream == STREAM_FOLDED && ok)
		folded(l, a->frames, a->count);
	else if (l->asked->stream == STREAM_TSV && ok)
		tsv(l, a->frames, a->count);
	else if (l->asked->stream == STREAM_TSV)
		out_printf(&l->out, "%s\t\t\t\t", status_names[a->status]);
	out_bytes(&l->out, "\n", 1);
}

/* Begin the answer to a stack. */
static void stack_begin(struct lookup *l)
{
	if (l->asked->stream == STREAM_JSON)
		out_text(&l->out, "{\"stack\":[");
}

/* Write A.  FIRST: it is the first address that is written. */
static void stack_address(struct lookup *l, const struct stream_address *a,
			  bool first)
{
	const bool is_json = l->asked->stream == STREAM_JSON;

	if (!first)
		out_bytes(&l->out, is_json ? "," : ";", 1);
	if (is_json)
		json(l, a, "frames");
	else if (a->status == STREAM_OK)
		folded(l, a->frames, a->count);
	else
		out_text(&l->out, "??");
}

/* End the answer to a stack, which has STATUS. */
static void stack_end(struct lookup *l, enum stream_status status)
{
	if (l->asked->stream == STREAM_JSON)
		out_printf(&l->out, "],\"status\":\"%s\"}",
			   status_names[status]);
	out_bytes(&l->out, "\n", 1);
}

/* ---- the state of all threads -------------------------------------------- */

/* The most build IDs of callers that a block tells apart. */
enum { CALLERS = LOOKUP_BATCH / 2 };

/* What all threads share. */
struct stream {
	/* Held to change the other members. */
	pthread_mutex_t mutex;
	/*
	 * Build IDs that were looked up since the demanglers were empty, a
	 * build ID once for each block.  As long as they are not more than the
	 * limit, their files are all open.  When they are more, names are
	 * forgotten whenever a file is used.
	 */
	atomic_uint_fast64_t files;
	/* Those of the blocks that are being answered. */
	uint64_t at_work;
	/* When missing files were last forgotten, in milliseconds. */
	int64_t retried;
};

/* The block of a thread, and what the thread has counted. */
struct stream_block {
	struct stream *s;
	/* The build IDs of the block. */
	struct gsym_intern ids;
	/* How often a caller has a build ID of its own. */
	size_t callers;
	/* What the block adds to the files of S. */
	uint64_t files;
	uint64_t lines, counts[STREAM_STATUSES];
};

/* ---- the block ----------------------------------------------------------- */

/* A stream_caller_fn: count the build ID of a caller among those of the
 * block. */
static void note_caller(void *context, const struct stream_id *id)
{
	struct stream_block *b = context;

	if (b->callers == CALLERS)
		return;
	b->callers++;
	must_intern(&b->ids, id->bytes, id->size);
}

/* See struct lookup_kind. */
static bool read_question(void *context, struct lookup *l,
			  struct lookup_question *q)
{
	struct stream_block *b = context;
	struct stream_id id;

	parse(l, q, &id, note_caller, b);
	if (q->problem)
		return false;
	q->file = must_intern(&b->ids, id.bytes, id.size);
	return true;
}

static void begin(void *context, struct lookup *l)
{
	struct stream_block *b = context;
	struct stream *s = b->s;
	int64_t now = clock_milliseconds();

	pthread_mutex_lock(&s->mutex);
	if (l->asked->retry &&
	    now - s->retried >= (int64_t)l->asked->retry * 1000) {
		source_retry(l->source);
		s->retried = now;
	}
	b->files = b->ids.count;
	/* There may be more callers than were counted. */
	if (b->callers == CALLERS)
		b->files += l->asked->max_open;
	s->at_work += b->files;
	s->files += b->files;
	if (s->files > l->asked->max_open) {
		forget_names(l->demangler);
		s->files = s->at_work;
	}
	pthread_mutex_unlock(&s->mutex);
}

static void end(void *context, const struct lookup_question *q, size_t count)
{
	struct stream_block *b = context;

	for (size_t i = 0; i < count; i++)
		b->counts[q[i].status]++;
	b->lines += count;
	b->callers = 0;
	gsym_intern_fini(&b->ids);
	pthread_mutex_lock(&b->s->mutex);
	b->s->at_work -= b->files;
	pthread_mutex_unlock(&b->s->mutex);
}

/* Called when L uses other files: the bytes of their names may be where those
 * of a file were that was closed. */
static void use_files(const struct lookup *l)
{
	if (l->shared->files > l->asked->max_open)
		forget_names(l->demangler);
}

/* ---- lookups ------------------------------------------------------------- */

/* Find the GSYM data of an ID.  If *ENTRY becomes NULL, returns what its lines
 * are; WHY is set for STREAM_UNREADABLE. */
static enum stream_status find_entry(struct source *source, const uint8_t *id,
				     size_t id_size,
				     const struct gsym_store_entry **entry,
				     struct gsym_error *why)
{
	enum source_answer answer =
		source_find(source, id, id_size, entry, why);

	return answer == SOURCE_FAILED && why->code ? STREAM_UNREADABLE
						    : STREAM_NO_FILE;
}

/* Why a line is ABSENT; UNREADABLE if that is STREAM_UNREADABLE. */
static const char *why_absent(enum stream_status absent, const char *unreadable)
{
	return absent == STREAM_UNREADABLE ? unreadable
					   : "no GSYM file with this build ID";
}

/* The answer of FOUND, whose texts are taken from *LEFT. */
static struct stream_address
read_found(struct lookup *l, const struct lookup_found *found, uint64_t *left)
{
	struct stream_address a = { .status = STREAM_OK,
				    .why = lookup_damage(l, found, left),
				    .frames = found->frames,
				    .count = found->count,
				    .entry = found->entry };

	if (a.why) {
		a.status = STREAM_DAMAGED;
	} else if (found->status == GSYM_NOT_FOUND) {
		a.status = STREAM_NONE;
		a.why = "no function covers the address";
	}
	return a;
}

/* ---- stacks -------------------------------------------------------------- */

/* The most files with the addresses of one stack, which are in use at once. */
#define MOST_FILES GSYM_LIMIT(256u, 2)
/* The most bytes of an answer, and those of an address and of a frame beside
 * its texts. */
#define STACK_BYTES (16 * FRAMES_BYTES)
#define FRAME_BYTES 64

/* The file of a build ID. */
struct file {
	struct stream_id id;
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

/* Why a file of STREAM_UNREADABLE has no answers. */
#define CANNOT_OPEN "the file with this build ID cannot be opened"

/* The most addresses of Q: its first one, and one before, between and after the
 * commas that follow. */
static size_t most_addresses(const struct lookup_question *q)
{
	size_t most = 2;

	for (size_t i = 0; i < q->callers_size; i++)
		most += q->callers[i] == ',';
	return most;
}

/* The index of the file of the build ID ID. */
static uint32_t find_file(struct lookup *l, struct stack *s,
			  const struct stream_id *id)
{
	struct gsym_error why = { 0 };
	struct file *f = s->files;

	for (uint32_t i = 0; i < s->file_count; i++, f++)
		if (f->id.size == id->size &&
		    memcmp(f->id.bytes, id->bytes, id->size) == 0)
			return i;
	if (s->file_count >= MOST_FILES) {
		f->absent = STREAM_UNREADABLE;
		f->why = "the stack has addresses in too many files";
		return s->file_count;
	}
	f->id = *id;
	f->absent = find_entry(l->source, id->bytes, id->size, &f->entry, &why);
	f->why = why_absent(f->absent, CANNOT_OPEN);
	return s->file_count++;
}

/* Add ADDRESS, which is in file FILE. */
static void add(struct stack *s, uint64_t address, uint32_t file)
{
	s->file_of[s->count] = file;
	s->entries[s->count++] = (struct gsym_stack_entry){
		.reader = gsym_store_reader(s->files[file].entry),
		.address = address,
	};
}

/* Add the addresses of Q, the first one of which has the build ID of L. */
static void add_all(struct lookup *l, struct stack *s,
		    const struct lookup_question *q)
{
	struct lookup_question rest = *q;
	struct file *first = &s->files[0];
	struct stream_id id;
	bool other;

	memcpy(first->id.bytes, l->id, l->id_size);
	first->id.size = l->id_size;
	first->entry = l->entry;
	first->absent = l->absent;
	first->why = why_absent(l->absent, CANNOT_OPEN);
	s->file_count = 1;
	add(s, rest.address, 0);
	while (rest.callers_size) {
		take_caller(l, &rest, &id, &other);
		add(s, rest.address, other ? find_file(l, s, &id) : 0);
	}
}

static void spend(struct stack *s, uint64_t bytes)
{
	s->left -= bytes < s->left ? bytes : s->left;
}

/* Look up the frames of address I of S.  Beyond the bytes of the answer nothing
 * is looked up; frames without names take some of these bytes, too. */
static struct stream_address look_up_entry(struct lookup *l, struct stack *s,
					   size_t i)
{
	const struct stream_address too_long = { .status = STREAM_DAMAGED,
						 .why = FRAMES_TOO_LONG };
	const struct file *f = &s->files[s->file_of[i]];
	struct gsym_error error = { 0 };
	struct gsym_match match = { 0 };
	struct lookup_found found = { .error = &error, .frames = l->frames,
				      .entry = &s->entries[i] };
	struct stream_address a = { .status = f->absent, .why = f->why };

	spend(s, FRAME_BYTES);
	if (!f->entry)
		return a;
	if (!s->left)
		return too_long;
	found.status =
		gsym_stack_frames(&s->entries[i], l->asked->flags, l->frames,
				  LOOKUP_FRAMES, &match, &error);
	found.count = lookup_frame_count(&match);
	if (found.status == GSYM_OK)
		spend(s, found.count * FRAME_BYTES);
	if (!s->left)
		return too_long;
	a = read_found(l, &found, &s->left);
	if (a.status == STREAM_DAMAGED && found.status != GSYM_OK)
		a.why = "the record is damaged";
	return a;
}

/* Write the answers to the addresses of S: in JSON from the innermost on,
 * folded from the outermost on.  Returns the status of the innermost one that
 * has no answer. */
static enum stream_status show(struct lookup *l, struct stack *s)
{
	const bool json = l->asked->stream == STREAM_JSON;
	enum stream_status worst = STREAM_OK;

	stack_begin(l);
	for (size_t n = 0; n < s->count; n++) {
		struct stream_address a =
			look_up_entry(l, s, json ? n : s->count - 1 - n);

		stack_address(l, &a, n == 0);
		if (a.status != STREAM_OK && (worst == STREAM_OK || !json))
			worst = a.status;
	}
	stack_end(l, worst);
	return worst;
}

/* Write the answer to the line Q of --stack, whose first address belongs to the
 * build ID of L.  Returns its status. */
static enum stream_status answer_stack(struct lookup *l,
				       const struct lookup_question *q)
{
	struct stack s = { .left = STACK_BYTES };
	enum stream_status status;
	size_t most = most_addresses(q);

	s.entries = must_have(calloc(most, sizeof(*s.entries)));
	s.file_of = must_have(calloc(most, sizeof(*s.file_of)));
	s.files = must_have(calloc(1 + (most < MOST_FILES ? most : MOST_FILES),
				   sizeof(*s.files)));
	add_all(l, &s, q);
	use_files(l);
	lookup_stack_choose(s.entries, s.count);
	status = show(l, &s);
	for (uint32_t i = 1; i < s.file_count; i++)
		gsym_store_release(s.files[i].entry);
	free(s.entries);
	free(s.file_of);
	free(s.files);
	return status;
}

/* ---- lines of an address ------------------------------------------------- */

static bool enter(void *context, struct lookup *l, uint32_t file)
{
	const struct stream_block *b = context;
	const struct gsym_intern_entry *id = gsym_intern_entry(&b->ids, file);

	l->id = (const uint8_t *)id->bytes;
	l->id_size = id->length;
	l->absent = find_entry(l->source, l->id, l->id_size, &l->entry,
			       &l->why);
	l->reader = gsym_store_reader(l->entry);
	use_files(l);
	/* A stack may have addresses of other files. */
	return l->entry && !l->asked->of_stack;
}

static void leave(struct lookup *l)
{
	gsym_store_release(l->entry);
	l->entry = NULL;
}

/* Look ADDRESS up.  ERROR gets the text of the answer. */
static struct stream_address look_up(struct lookup *l, uint64_t address,
				     struct gsym_error *error)
{
	struct gsym_match match = { 0 };
	struct lookup_found found = { .error = error, .frames = l->frames };
	uint64_t left = FRAMES_BYTES;

	*error = (struct gsym_error){ 0 };
	if (!l->entry)
		return (struct stream_address){
			.status = l->absent,
			.why = why_absent(l->absent, l->why.message),
		};
	found.status = gsym_lookup(l->reader, address, l->asked->flags,
				   l->frames, LOOKUP_FRAMES, &match, error);
	found.count = lookup_frame_count(&match);
	return read_found(l, &found, &left);
}

static void answer(struct lookup *l, struct lookup_question *q,
		   const struct gsym_frame *frames, size_t count)
{
	struct stream_address a = { .status = STREAM_BAD, .why = q->problem };
	struct gsym_error error;
	uint64_t left = FRAMES_BYTES;

	if (!q->problem && l->asked->of_stack) {
		q->status = answer_stack(l, q);
		return;
	}
	if (!q->problem && count)
		a = read_found(l, &(struct lookup_found){ .frames = frames,
							  .count = count },
			       &left);
	else if (!q->problem)
		a = look_up(l, lookup_target(l, q->address), &error);
	write_answer(l, &a);
	q->status = a.status;
}

/* ---- the stream ---------------------------------------------------------- */

/* Report what had no answer: ALL is the sum of all blocks.  Returns the exit
 * status. */
static int verdict(const struct stream_block *all, const struct lookup *l)
{
	const uint64_t *counts = all->counts;

	if (counts[STREAM_UNREADABLE])
		warn("lines of files that cannot be opened: %" PRIu64,
		     counts[STREAM_UNREADABLE]);
	if (counts[STREAM_OK] != all->lines)
		warn("lines: %" PRIu64 "; not BUILD-ID %s: %" PRIu64
		     ", without a GSYM file: %" PRIu64 ", not covered: %" PRIu64
		     ", damaged: %" PRIu64,
		     all->lines, l->asked->of_stack ? "STACK" : "ADDRESS",
		     counts[STREAM_BAD], counts[STREAM_NO_FILE],
		     counts[STREAM_NONE], counts[STREAM_DAMAGED]);
	if (!l->asked->strict)
		return STATUS_DONE;
	if (counts[STREAM_BAD] || counts[STREAM_DAMAGED] ||
	    counts[STREAM_UNREADABLE])
		return STATUS_ERROR;
	return counts[STREAM_OK] == all->lines ? STATUS_DONE : STATUS_NO;
}

/* Add the lines that the thread of B has answered to ALL. */
static void add_counts(struct stream_block *all, const struct stream_block *b)
{
	all->lines += b->lines;
	for (size_t i = 0; i < STREAM_STATUSES; i++)
		all->counts[i] += b->counts[i];
}

int lookup_stream(struct lookup *l)
{
	static const struct lookup_kind kind = {
		.longest = STREAM_LINE_MAX,
		.least = 1,
		.context_size = sizeof(struct stream_block),
		.read = read_question,
		.begin = begin,
		.enter = enter,
		.answer = answer,
		.leave = leave,
		.end = end,
	};
	struct stream s = { .mutex = PTHREAD_MUTEX_INITIALIZER,
			    .retried = clock_milliseconds() };
	struct stream_block *blocks =
		must_have(calloc(l->asked->threads, sizeof(*blocks)));
	int status;

	l->shared = &s;
	lookup_start(l);
	gsym_store_set_limit(source_store(l->source), l->asked->max_open);
	report_terminal(l->asked->of_stack ? "lines of build ID and stack"
					   : "lines of build ID and address");
	for (unsigned i = 0; i < l->asked->threads; i++)
		blocks[i].s = &s;
	lookup_batches(l, &kind, blocks, l->asked->threads);
	out_flush(&l->out);
	for (unsigned i = 1; i < l->asked->threads; i++)
		add_counts(&blocks[0], &blocks[i]);
	status = verdict(&blocks[0], l);
	lookup_end(l);
	free(blocks);
	return status;
}
