/* SPDX-License-Identifier: MIT */
/* personality/every.c - --all of the crate addr2line: answers for all rows. */
#include "config.h"

#include "personality/personality.h"

/* An answer looks up the whole function, so the rows of a function cost their
 * square.  Programs of compilers stay below 100 steps for each byte. */
#define STEP_SHARE GSYM_LIMIT(1024, 0)
#define STEP_SPARE GSYM_LIMIT(1 << 30, 4)
/* Bytes of output: for each byte of the GSYM data, and in any case. */
#define OUT_SHARE GSYM_LIMIT(1024, 0)
#define OUT_SPARE GSYM_LIMIT(64 << 20, 1 << 10)

/* What is written, and the next address that may follow. */
struct every {
	const struct settings *s;
	struct answers *answers;
	struct out *out;
	const struct module *module;
	uint64_t next;
	uint64_t steps, most_out;
};

/* Answer for ADDRESS of the GSYM data. */
static void answer_address(struct every *e, uint64_t address)
{
	const struct request request = {
		.place = PLACE_ADDRESS,
		.address = address - e->module->base,
	};
	if (address < e->next || address < e->module->base ||
	    (e->s->section && request.address >= e->module->section_size))
		return;
	text_write(e->out, e->s, answer_get(e->answers, &request));
	e->next = address + 1;
}

/* Answer for the rows of FUNCTION that have a line.  False if there are too
 * many, or the answers are too long. */
static bool answer_rows(struct every *e, const struct gsym_function *function)
{
	struct gsym_line_iter rows;
	struct gsym_line row;
	uint64_t count = 0;
	if (gsym_lines(function, &rows, NULL) != GSYM_OK)
		return true;
	while (gsym_line_next(&rows, &row, NULL) == GSYM_OK) {
		if (e->steps < ++count || out_total(e->out) > e->most_out)
			return false;
		e->steps -= count;
		if (row.line)
			answer_address(e, row.address);
	}
	return true;
}

void every_answer(const struct settings *s, struct answers *answers,
		  struct out *out)
{
	const struct request none = { .place = PLACE_NOTHING };
	const struct gsym_reader *r;
	struct gsym_header header;
	struct every e = { .s = s, .answers = answers, .out = out };
	e.module = answer_get(answers, &none)->module;
	r = e.module ? e.module->reader : NULL;
	if (!r || gsym_get_header(r, &header) != GSYM_OK)
		return;
	e.steps = header.image_size * STEP_SHARE + STEP_SPARE;
	e.most_out = out_total(out) + header.image_size * OUT_SHARE +
		     OUT_SPARE;
	for (uint32_t i = 0; i < header.function_count; i++) {
		struct gsym_function function;
		if (gsym_function_at(r, i, &function, NULL) != GSYM_OK)
			continue;
		if (!answer_rows(&e, &function))
			extra_die("'%s': --all: the answers are too long, or "
				  "a function has too many rows",
				  e.module->name);
	}
}
