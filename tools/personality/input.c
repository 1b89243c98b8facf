/* SPDX-License-Identifier: MIT */
/*
 * personality/input.c - answers the addresses among the arguments, or the lines
 * of standard input.
 *
 * All lines that a read brought are answered.  Then the answers are written,
 * unless more lines can be read at once.  So a client that waits for an answer
 * always gets it, and a batch is not written line by line.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/input.h"
#include "common/must.h"
#include "common/report.h"
#include "personality/personality.h"

enum {
	READ_BYTES = 64 << 10,
	/* The bytes of a line that count: paths have up to 4096.  The rest of a
	 * longer line is skipped. */
	LINE_BYTES = 1 << 20,
};

/* Standard input. */
struct input {
	GSYM_VEC(char);
	/* The beginning of the line was answered; the rest is skipped. */
	bool skipping;
};

/* Answer the LENGTH bytes at LINE.  A JSON object does not end its line. */
static void answer_line(const struct settings *s, struct answers *answers,
			struct json *json, const char *line, size_t length)
{
	struct request request;
	if (length && line[length - 1] == '\r')
		length--;
	if (s->personality == PERSONALITY_ADDR2LINE)
		request_addr2line(line, length, &request);
	else
		request_llvm(line, length,
			     s->personality == PERSONALITY_LLVM_ADDR2LINE,
			     !s->path && !s->build_id, &request);
	const struct answer *a = answer_get(answers, &request);
	if (a->module && a->module->by_program &&
	    coprocess_answer(s, json, &request))
		return;
	if (s->style == STYLE_JSON)
		llvm_json_write(json, s, a);
	else
		text_write(json->out, s, a);
}

/* Answer all whole lines of IN, and with LAST the rest of the input, too. */
static void answer_lines(const struct settings *s, struct answers *answers,
			 struct json *json, struct input *in, bool last)
{
	const char *at = in->items, *end = in->items + in->count;
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		if (!feed && !last && end - at < LINE_BYTES)
			break;
		if (!in->skipping) {
			answer_line(s, answers, json, at,
				    (size_t)((feed ? feed : end) - at));
			if (s->style == STYLE_JSON)
				json_line(json);
		}
		in->skipping = !feed;
		at = feed ? feed + 1 : end;
	}
	in->count = (size_t)(end - at);
	memmove(in->items, at, in->count);
}

/* Read more bytes.  False at the end of the input. */
static bool read_more(struct out *out, struct input *in)
{
	must_reserve(in, READ_BYTES);
	ssize_t n = input_read(out, in->items + in->count,
			       in->capacity - in->count);
	in->count += n > 0 ? (size_t)n : 0;
	return n > 0;
}

static void answer_input(const struct settings *s, struct answers *answers,
			 struct json *json)
{
	struct input in = { 0 };
	bool more = true;
	while (more) {
		more = read_more(json->out, &in);
		answer_lines(s, answers, json, &in, !more);
	}
	gsym_vec_fini(&in);
}

/* LLVM writes the answers to its arguments as one array. */
static void answer_operands(const struct settings *s, struct answers *answers,
			    struct json *json)
{
	if (s->style == STYLE_JSON)
		json_array(json, NULL);
	for (size_t i = 0; i < s->operand_count; i++)
		answer_line(s, answers, json, s->operands[i],
			    strlen(s->operands[i]));
	if (s->style == STYLE_JSON) {
		json_end(json);
		json_line(json);
	}
}

void input_answer(const struct settings *s, struct answers *answers)
{
	struct out out;
	struct json json;
	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	json_init(&json, &out);
	json.pretty = s->pretty;
	if (s->operand_count)
		answer_operands(s, answers, &json);
	else
		answer_input(s, answers, &json);
	out_fini(&out);
	coprocess_end();
}
