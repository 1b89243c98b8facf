/* SPDX-License-Identifier: MIT */
/* lookup/stream_answer.c - writes an answer of gsym-lookup --stream, which is
 * one line. */
#include "config.h"

#include <string.h>

#include "common/json.h"
#include "common/path.h"
#include "lookup/stream.h"

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

/* Write the functions of COUNT frames, the outermost first. */
static void folded(struct lookup *l, size_t count)
{
	while (count-- > 0) {
		const char *name = name_of(l, &l->frames[count]);

		put_field(&l->out, *name ? name : "??", ':');
		if (count)
			out_bytes(&l->out, ";", 1);
	}
}

/* Write the innermost of COUNT frames, and how many functions were inlined. */
static void tsv(struct lookup *l, size_t count)
{
	const struct gsym_frame *f = &l->frames[0];
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

void stream_answer(struct lookup *l, size_t count)
{
	if (l->stream == STREAM_JSON) {
		out_text(&l->out, "{\"status\":\"ok\",\"frames\":[");
		frames_stack(&l->out, &l->style, l->frames, count, 0);
		out_bytes(&l->out, "}", 1);
	} else if (l->stream == STREAM_FOLDED) {
		folded(l, count);
	} else {
		tsv(l, count);
	}
	out_bytes(&l->out, "\n", 1);
}

void stream_answer_empty(struct lookup *l, enum stream_status status,
			 const char *why)
{
	if (l->stream == STREAM_JSON) {
		out_printf(&l->out, "{\"status\":\"%s\",\"frames\":[],"
			   "\"error\":\"", status_names[status]);
		json_escape(&l->out, why, strlen(why));
		out_text(&l->out, "\"}");
	} else if (l->stream == STREAM_TSV) {
		out_printf(&l->out, "%s\t\t\t\t", status_names[status]);
	}
	out_bytes(&l->out, "\n", 1);
}
