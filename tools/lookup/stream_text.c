/* SPDX-License-Identifier: MIT */
/* lookup/stream_text.c - reads a line of gsym-lookup --stream, and writes an
 * answer, which is one line. */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "lookup/lookup.h"

/* ---- lines -------------------------------------------------------------- */

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

const char *stream_take_caller(const struct lookup *l,
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
	problem = stream_take_caller(l, q, &id, &other);
	if (!problem && other)
		return "not an address: the build ID begins the line";
	rest = *q;
	while (!problem && rest.callers_size) {
		problem = stream_take_caller(l, &rest, &id, &other);
		if (!problem && other)
			caller(context, &id);
	}
	return problem;
}

void stream_parse(const struct lookup *l, struct lookup_question *q,
		  struct stream_id *id, stream_caller_fn *caller,
		  void *context)
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

/* ---- answers ------------------------------------------------------------ */

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

void stream_forget_names(struct gsym_demangler *demangler)
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

void stream_answer(struct lookup *l, const struct stream_address *a)
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

void stream_stack_begin(struct lookup *l)
{
	if (l->asked->stream == STREAM_JSON)
		out_text(&l->out, "{\"stack\":[");
}

void stream_stack_address(struct lookup *l, const struct stream_address *a,
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

void stream_stack_end(struct lookup *l, enum stream_status status)
{
	if (l->asked->stream == STREAM_JSON)
		out_printf(&l->out, "],\"status\":\"%s\"}",
			   status_names[status]);
	out_bytes(&l->out, "\n", 1);
}
