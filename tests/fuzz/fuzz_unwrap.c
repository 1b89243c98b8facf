/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a text that is wrapped becomes a view of the same text.  The
 * first byte of the input chooses one wrapping or two.  And the whole input as
 * a line: views lie in the line or in the arena, and their places in the line
 * ascend.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "logs/unwrap.h"

#include <stdlib.h>
#include <string.h>

#define require(condition)                                                    \
	do {                                                                  \
		if (!(condition))                                             \
			abort();                                              \
	} while (0)

enum { MOST = 400, ROOM = 1 << 16 };

static struct logs_run runs[LOGS_RUNS];

/* What stands around a text, and what is undone in it. */
static const struct {
	const char *before, *after;
	enum { NOTHING, STRING, HTML } escape;
} wrappings[] = {
	{ "{\"k\":\"", "\"}", STRING },
	{ "a=1 k=\"", "\" b=2", STRING },
	{ "\033[1;31m", "\033[0m\033[K", NOTHING },
	{ "", "", HTML },
	{ "x#012", "#012y", NOTHING },
	{ "x `", "` y", NOTHING },
};
enum { WRAPPINGS = sizeof(wrappings) / sizeof(*wrappings) };

static char *escape(char *to, char c, unsigned kind)
{
	const char *entity = c == '<' ? "&lt;" : c == '>' ? "&gt;"
			     : c == '&' ? "&amp;" : c == '"' ? "&quot;" : NULL;

	if (kind == HTML && entity)
		return stpcpy(to, entity);
	if (kind == STRING && (c == '"' || c == '\\'))
		*to++ = '\\';
	if (kind == STRING && c == '\033')
		return stpcpy(to, "\\u001b");
	*to++ = c;
	return to;
}

/* Wrap the text in LINE, which has SIZE bytes, once more. */
static size_t wrap(char *line, size_t size, unsigned which)
{
	char *wrapped = malloc(ROOM), *at;

	require(wrapped);
	at = stpcpy(wrapped, wrappings[which].before);
	for (size_t i = 0; i < size; i++)
		at = escape(at, line[i], wrappings[which].escape);
	at = stpcpy(at, wrappings[which].after);
	size = (size_t)(at - wrapped);
	memcpy(line, wrapped, size);
	free(wrapped);
	return size;
}

/* Whether one of the views of LINE is TEXT. */
static bool has_view(const char *line, size_t size, const char *text,
		     size_t text_size)
{
	char *arena = malloc(size + 1);
	struct logs_unwrapping u = {
		.asked = gsym_logs_ask(GSYM_MARKUP_LOG_ALL).all,
		.arena = arena,
		.runs = runs
	};
	struct logs_view v;
	bool found = false;

	require(arena);
	gsym_logs_unwrap(&u, line, line + size);
	while (gsym_logs_next_view(&u, &v)) {
		const char *low = line;

		found |= (size_t)(v.end - v.at) == text_size &&
			 !memcmp(v.at, text, text_size);
		require(v.count ? v.at >= arena && v.end <= arena + size
				     : v.at >= line && v.end <= line + size);
		for (const char *at = v.at; at <= v.end; at++) {
			const struct logs_frame frame = {
				.start = at, .insert = at, .resume = at
			};
			struct logs_raw raw;

			gsym_logs_map(&u, &v, &frame, &raw);
			/* What is appended goes behind the blanks. */
			require(raw.insert <= raw.start ||
				(at == v.end && raw.insert == v.tail));
			require(at == v.at || raw.insert >= low);
			require(raw.start <= line + size);
			low = raw.insert;
		}
	}
	free(arena);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(ROOM), text[MOST];
	size_t text_size = 0, line_size;
	unsigned choice = size ? data[0] : 0;

	require(line);
	has_view((const char *)data, size, "", 0);
	/* Bars and back-quotes divide a text, and rsyslog escapes no "#" and
	 * may have a blank before a line. */
	for (size_t i = 1; i < size && text_size < MOST; i++)
		if (data[i] >= ' ' + !text_size &&
		    !memchr("|`#", data[i], 3))
			text[text_size++] = (char)data[i];
	line_size = text_size;
	memcpy(line, text, text_size);
	/* A text that is wrapped by itself has other views; and JSON, or a
	 * field of CSV with doubled quotes, may begin anywhere. */
	if (text_size && !memmem(text, text_size, "{\"", 2) &&
	    !memmem(text, text_size, "[\"", 2) &&
	    !memmem(text, text_size, "\"\"", 2) &&
	    has_view(line, line_size, text, text_size)) {
		for (unsigned n = 0; n < 1 + choice % 2; n++)
			line_size = wrap(line, line_size,
					 choice / (n ? 16 : 2) % WRAPPINGS);
		require(has_view(line, line_size, text, text_size));
	}
	free(line);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char *const lines[] = {
		"\1a b c", "\2a<b>", "\3\xf0\xf1z z", "\7\xf0y x",
		"{\"a\":\"{\\\"b\\\":\\\"x\\\\ny\\\\\\\"z\\\"}\\nw\"}",
		"{\"k\":\"\\u001b[1ma\\ud83d\\ude00\\u001b[0m\"} x",
		"a=\"b\\n/x(+0x1) [0x2]\" c=\"d\"",
		"x\\n/x(+0x1) [0x2]\\ny", "a#012b#033[1mc#012",
		"| a | `b` | &lt;c&gt; |", "\033[1ma\033[0m\r\r",
		">> {\"a\":\"b\"} (c, ",
		/* An escaped backslash before "n", in a string in HTML. */
		"\377]x\\n\257c[0x2] [0x2]l]",
	};

	if (number >= sizeof(lines) / sizeof(*lines))
		return NULL;
	*size = strlen(lines[number]);
	return (uint8_t *)strdup(lines[number]);
}
