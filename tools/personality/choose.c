/* SPDX-License-Identifier: MIT */
/*
 * personality/choose.c - decides which program gsym-lookup is, and answers the
 * addresses among the arguments, the lines of standard input, or (--all of the
 * crate addr2line) all rows.
 *
 * All lines that a read brought are answered.  Then the answers are written,
 * unless more lines can be read at once.  So a client that waits for an answer
 * always gets it, and a batch is not written line by line.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "personality/personality.h"

/* LLVM decides by parts of the name as well: the name may have the prefix of a
 * target and the suffix of a version, as in arm-none-eabi-addr2line-2.40. */
static enum personality by_name(const char *name)
{
	if (strstr(name, "llvm-addr2line"))
		return PERSONALITY_LLVM_ADDR2LINE;
	if (strstr(name, "eu-addr2line"))
		return PERSONALITY_REFUSED;
	if (strstr(name, "addr2line"))
		return PERSONALITY_ADDR2LINE;
	if (strstr(name, "symbolizer"))
		return PERSONALITY_LLVM_SYMBOLIZER;
	return PERSONALITY_NONE;
}

static enum personality by_option(const char *word)
{
	static const struct {
		const char *word;
		enum personality personality;
	} words[] = {
		{ "gsym", PERSONALITY_NONE },
		{ "addr2line", PERSONALITY_ADDR2LINE },
		{ "llvm-addr2line", PERSONALITY_LLVM_ADDR2LINE },
		{ "llvm-symbolizer", PERSONALITY_LLVM_SYMBOLIZER },
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].personality;
	return PERSONALITY_UNKNOWN;
}

enum personality choose_personality(int argc, char *const *argv, int *skip)
{
	static const char option[] = "--personality=";
	const size_t length = sizeof(option) - 1;
	*skip = 0;
	if (argc > 1 && strncmp(argv[1], option, length) == 0) {
		*skip = 1;
		return by_option(argv[1] + length);
	}
	return argc > 0 ? by_name(path_base(argv[0])) : PERSONALITY_NONE;
}

/* ---- input --------------------------------------------------------------- */

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

/* Answer the LENGTH bytes at LINE, of which those up to a NUL count, as for the
 * programs that are replaced.  A JSON object does not end its line. */
static void answer_line(const struct settings *s, struct answers *answers,
			struct json *json, const char *line, size_t length)
{
	struct request request;
	length = strnlen(line, length);
	if (length && line[length - 1] == '\r')
		length--;
	request_read(s, line, length, &request);
	const struct answer *a = answer_get(answers, &request);
	if (s->style == STYLE_JSON)
		text_write_json(json, s, answers, a);
	else
		text_write(json->out, s, answers, a);
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
	ssize_t n = out_read_input(out, in->items + in->count,
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
	if (s->style == STYLE_JSON)
		json_end_line(json);
}

/* ---- all rows ------------------------------------------------------------ */

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
	text_write(e->out, e->s, e->answers, answer_get(e->answers, &request));
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

/* Whether ADDRESS lies in a section of M that has variables. */
static bool is_data(const struct module *m, uint64_t address)
{
	static const char *const names[] = {
		".data", ".bss", ".rodata", ".data.rel.ro", ".tdata", ".tbss",
		".sdata", ".sbss", "__data", "__bss", "__const", "__common",
	};
	struct gsym_module_section s;
	for (size_t i = 0; m->file && i < sizeof(names) / sizeof(*names); i++)
		if (gsym_module_find_section(m->file, names[i], &s) ==
			    GSYM_OK && address - s.address < s.size)
			return true;
	return false;
}

/* Answer for each address of the module of the command line that has a line, by
 * ascending address. */
static void answer_all(const struct settings *s, struct answers *answers,
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
		if (gsym_function_at(r, i, &function, NULL) != GSYM_OK ||
		    is_data(e.module, function.start))
			continue;
		if (!answer_rows(&e, &function))
			extra_die("'%s': --all: the answers are too long, or "
				  "a function has too many rows",
				  e.module->name);
	}
}

/* ---- the answers --------------------------------------------------------- */

void choose_answer(const struct settings *s, struct answers *answers)
{
	struct out out;
	struct json json;
	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	json_init(&json, &out);
	json.pretty = s->pretty;
	if (s->all)
		answer_all(s, answers, &out);
	else if (s->operand_count)
		answer_operands(s, answers, &json);
	else
		answer_input(s, answers, &json);
	out_fini(&out);
}

/* ---- gsym-markup in place of this program -------------------------------- */

static void add_folders(struct arguments *a, const char *option,
			const struct option_list *folders)
{
	for (size_t i = 0; i < folders->count; i++) {
		extra_add(a, option, strlen(option));
		extra_add(a, folders->items[i], strlen(folders->items[i]));
	}
}

/* Run gsym-markup in place of this program.  Returns on failure alone. */
static void run_markup(const struct settings *s)
{
	char program[PATH_MAX];
	struct arguments a = { 0 };
	const char *path = run_find("gsym-markup", program, sizeof(program));
	char *option = path_print("--color=%s", s->colour ? s->colour : "auto");
	extra_add(&a, "gsym-markup", 11);
	extra_add(&a, "--compat=llvm", 13);
	extra_add(&a, option, strlen(option));
	free(option);
	add_folders(&a, "--gsym-file-directory", &s->source.gsym_folders);
	add_folders(&a, "--debug-file-directory", &s->source.debug_folders);
	if (!s->demangle)
		extra_add(&a, "--no-demangle", 13);
	if (s->source.debuginfod)
		extra_add(&a, "--debuginfod", 12);
	if (s->no_verify)
		extra_add(&a, "--no-verify", 11);
	for (const enum fallback *b = s->fallbacks; *b; b++)
		if (*b == FALLBACK_CONVERT && source_converts(&s->source, true))
			extra_add(&a, "--convert", 9);
	execvp(path, a.items);
	extra_note("error: cannot run '%s'", path);
	extra_free_words(&a);
}

/* ---- the whole ----------------------------------------------------------- */

/* Whether the module of the command line cannot be used.  The programs that are
 * replaced look at it before they read a line. */
static bool is_bad_module(const struct settings *s, const struct module *m)
{
	/* The name is empty. */
	if (!m) {
		extra_note(s->personality == PERSONALITY_ADDR2LINE
				   ? "'': No such file"
				   : "error: '': No such file or directory");
		return true;
	}
	if (s->personality != PERSONALITY_ADDR2LINE) {
		/* The output has the error of JSON. */
		if (m->error && s->style != STYLE_JSON)
			extra_note("error: '%s': %s", m->name, m->error);
		return m->error && !s->build_id;
	}
	if (m->missing && m->error)
		extra_note("'%s': No such file", m->name);
	else if (m->error)
		extra_note("%s: file format not recognized", m->name);
	else if (m->placeless)
		extra_note("%s: cannot find section %s", m->name, s->section);
	return m->error || m->placeless;
}

/* Write that M cannot be opened, as JSON. */
static void write_error(const struct module *m)
{
	struct out out;
	struct json json;
	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	json_init(&json, &out);
	text_write_error(&json, m);
	out_fini(&out);
}

static int run(const struct settings *s)
{
	struct answers *answers = answer_start(s);
	int status = 0;
	if (s->path || s->build_id) {
		const struct request none = { .place = PLACE_NOTHING };
		const struct answer *a = answer_get(answers, &none);
		status = is_bad_module(s, a->module);
		if (status && a->module && s->style == STYLE_JSON)
			write_error(a->module);
	}
	if (!status)
		choose_answer(s, answers);
	answer_end(answers);
	return status;
}

bool choose_run(int *argc, char ***argv, int *status)
{
	struct settings s = { 0 };
	int skip;
	s.personality = choose_personality(*argc, *argv, &skip);
	if (skip)
		(*argv)[1] = (*argv)[0];
	*argv += skip;
	*argc -= skip;
	if (s.personality == PERSONALITY_NONE)
		return false;
	s.program = path_base((*argv)[0]);
	report_start(s.program);
	if (s.personality == PERSONALITY_UNKNOWN)
		die("--personality is gsym, addr2line, llvm-addr2line or "
		    "llvm-symbolizer");
	if (s.personality == PERSONALITY_REFUSED)
		die("the output of eu-addr2line differs from addr2line's and "
		    "is not imitated");
	extra_start(&s);
	extra_environment(&s);
	if (s.personality == PERSONALITY_ADDR2LINE)
		settings_addr2line(&s, *argc, *argv);
	else
		settings_llvm(&s, *argc, *argv);
	extra_finish(&s);
	if (s.filter_markup)
		run_markup(&s);
	*status = s.filter_markup ? 1 : run(&s);
	extra_free(&s);
	return true;
}
