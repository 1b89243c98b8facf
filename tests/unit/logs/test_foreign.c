/* SPDX-License-Identifier: MIT */
/* Lines that programs elsewhere printed: testdata/logs/foreign/FORM.log has
 * them, FORM.frames what is read in them. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logs/unwrap.h"

static FILE *open_file(const char *form, const char *end, const char *mode)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/testdata/logs/foreign/%s.%s",
		 top ? top : ".", form, end);
	file = fopen(path, mode);
	cr_assert(file, "cannot open %s", path);
	return file;
}

static char *read_file(const char *form, const char *end)
{
	FILE *file = open_file(form, end, "rb");
	char *text = calloc(1, 1 << 20);

	cr_assert(text);
	cr_assert(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

static const struct logs_dialect *dialect_of(unsigned log)
{
	size_t i = 0;

	while (gsym_logs_dialects[i]->log != log)
		i++;
	return gsym_logs_dialects[i];
}

static void put_text(FILE *to, const char *name, struct logs_text text)
{
	if (text.size)
		fprintf(to, " %s=%.*s", name, (int)text.size, text.at);
}

static void put_frame(FILE *to, unsigned line, const struct logs_frame *f)
{
	static const char *const meanings[] = { "linked", "mapped", "function",
						"memory", "file", "offset" };

	fprintf(to, "%u: 0x%" PRIx64 " %s %s", line, f->number,
		meanings[f->counts_from], f->returns ? "return" : "exact");
	fprintf(to, "%s%s%s", f->begins ? " begins" : "",
		f->answered ? " answered" : "", f->doubtful ? " doubtful" : "");
	if (f->size)
		fprintf(to, " size=0x%" PRIx64, f->size);
	put_text(to, "function", f->function);
	put_text(to, "build_id", f->build_id);
	put_text(to, "module", f->module);
	fputc('\n', to);
}

/* Write the frames of the line AT to END. */
static void put_line(FILE *to, unsigned log, unsigned line, const char *at,
		     const char *end)
{
	static struct logs_run runs[LOGS_RUNS];
	char arena[1 << 14];
	const unsigned asked = gsym_logs_ask(log).all;
	struct logs_unwrapping u = { .asked = asked,
				     .arena = arena,
				     .runs = runs };
	struct logs_view view;
	struct logs_frame f;
	bool any = false;

	cr_assert(end - at < (ptrdiff_t)sizeof(arena));
	gsym_logs_unwrap(&u, at, end);
	while (gsym_logs_next_view(&u, &view))
		for (const char *from = view.at;
		     gsym_logs_frame(asked, view.at, from, view.end, &f);) {
			put_frame(to, line, &f);
			any = true;
			if (!f.dialect->frames && !f.dialect->second)
				break;
			cr_assert(f.resume > from);
			from = f.resume;
		}
	if (!any)
		fprintf(to, "%u: no frame\n", line);
}

/* The word for "+0", which is at AT in the text up to END. */
static unsigned offset_word(const char *at, const char *end)
{
	const char *digits = at + strlen("+0x"), *stop = digits;

	if (digits > end || at[2] != 'x')
		return LOGS_WORD_OFFSET;
	while (stop < end && isxdigit((unsigned char)*stop))
		stop++;
	if (stop == digits || stop == end)
		return LOGS_WORD_OFFSET;
	if (end - stop >= 3 && memcmp(stop, "/0x", 3) == 0)
		return LOGS_WORD_SIZED;
	return *stop == ')'   ? LOGS_WORD_ROUND
	       : *stop == ']' ? LOGS_WORD_SQUARE
			      : LOGS_WORD_OFFSET;
}

/* Whether one of the WORDS that announce frames of a dialect stands in AT to
 * END. */
static bool has_word(unsigned words, const char *at, const char *end)
{
	for (; at + 1 < end; at++) {
		unsigned found = 0;

#define COMPARE(name, first, second, ...)          \
	if (at[0] == (first) && at[1] == (second)) \
		found |= LOGS_WORD_##name;
		LOGS_WORDS(COMPARE)
		if (found & LOGS_WORD_OFFSET)
			found = offset_word(at, end);
		if (found & words)
			return true;
	}
	return false;
}

/* Dialects that no word in the line AT to END announces have no frames in it,
 * but for doubtful ones, and those behind a line that has such a word. */
static void expect_announced(const char *form, const char *at, const char *end)
{
	const struct logs_asked asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL);
	struct logs_frame f, g;
	unsigned announced;

	announced = gsym_logs_announced(&asked, at, (size_t)(end - at));
	if (!gsym_logs_frame(asked.all, at, at, end, &f) || f.doubtful)
		return;
	cr_expect(gsym_logs_frame(announced, at, at, end, &g) &&
			  f.dialect == g.dialect && f.insert == g.insert,
		  "%s: not announced: %.*s", form, (int)(end - at), at);
}

struct foreign {
	char form[16];
	unsigned log;
};

ParameterizedTestParameters(foreign, lines)
{
	static struct foreign forms[] = {
		{ "kernel", GSYM_MARKUP_LOG_KERNEL },
		{ "android", GSYM_MARKUP_LOG_ANDROID },
		{ "sanitizer", GSYM_MARKUP_LOG_SANITIZER },
		{ "glibc", GSYM_MARKUP_LOG_GLIBC },
		{ "jvm", GSYM_MARKUP_LOG_JVM },
		{ "systemd", GSYM_MARKUP_LOG_SYSTEMD },
		{ "generic", GSYM_MARKUP_LOG_GENERIC },
		{ "apple", GSYM_MARKUP_LOG_APPLE },
		{ "pytorch", GSYM_MARKUP_LOG_PYTORCH },
		{ "clickhouse", GSYM_MARKUP_LOG_CLICKHOUSE },
		{ "backtrace", GSYM_MARKUP_LOG_BACKTRACE },
		{ "fault", GSYM_MARKUP_LOG_FAULT },
		{ "perf", GSYM_MARKUP_LOG_PERF },
		{ "dart", GSYM_MARKUP_LOG_DART },
		{ "bsd", GSYM_MARKUP_LOG_BSD },
		{ "xen", GSYM_MARKUP_LOG_XEN },
		{ "valgrind", GSYM_MARKUP_LOG_VALGRIND },
		{ "wasm", GSYM_MARKUP_LOG_WASM },
	};

	return cr_make_param_array(struct foreign, forms,
				   sizeof(forms) / sizeof(*forms));
}

ParameterizedTest(struct foreign *form, foreign, lines)
{
	char *log = read_file(form->form, "log"), *got = NULL;
	char *wanted = read_file(form->form, "frames");
	const char *at = log, *end, *a, *b;
	size_t size;
	FILE *to = open_memstream(&got, &size);
	const struct logs_asked asked = gsym_logs_ask(form->log);
	struct logs_frame f;
	unsigned line = 0;

	for (; *at; at = end + 1) {
		bool found, has;

		end = strchr(at, '\n');
		put_line(to, form->log, ++line, at, end);
		/* The search for lines that are worth a look finds those with
		 * frames; and other forms leave them alone. */
		found = gsym_logs_frame(asked.all, at, at, end, &f) &&
			!f.doubtful;
		has = has_word(dialect_of(form->log)->words, at, end);
		cr_expect(!found ||
				  gsym_logs_special(at, (size_t)(end + 1 - at)),
			  "%s.log:%u is not looked at", form->form, line);
		cr_expect(!found || has, "%s.log:%u has no word of the dialect",
			  form->form, line);
		cr_expect_eq(gsym_logs_announced(&asked, at,
						 (size_t)(end - at)),
			     has ? asked.all : 0, "%s.log:%u: the words",
			     form->form, line);
		cr_expect(
			!gsym_logs_frame(gsym_logs_ask(GSYM_MARKUP_LOG_ALL).all,
					 at, at, end, &f) ||
				f.dialect->log == form->log || f.doubtful,
			"%s.log:%u is taken for form %u", form->form, line,
			(unsigned)f.dialect->log);
		expect_announced(form->form, at, end);
	}
	fclose(to);
	/* After lines were added (testdata/logs/README.md). */
	if (getenv("WRITE_FOREIGN")) {
		to = open_file(form->form, "frames", "wb");
		fwrite(got, size, 1, to);
		fclose(to);
	}
	for (a = got, b = wanted; *a && *a == *b; a++)
		b++;
	while (a > got && a[-1] != '\n') {
		a--;
		b--;
	}
	cr_expect_str_eq(got, wanted, "%s:\n%.*s\nnot\n%.*s", form->form,
			 (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
	free(got);
	free(log);
	free(wanted);
}
