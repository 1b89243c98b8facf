/* SPDX-License-Identifier: MIT */
/* Hands messages to the host, and counts those that are held back. */
#include "config.h"

#include "markup/diagnose.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "markup/filter.h"
#include "markup/html.h"

/* SLOTS for different messages; LONGEST bytes of a message, with its NUL. */
enum { SLOTS = 512, LONGEST = GSYM_MK_MAX_MESSAGE };
/* Different messages that are counted; the first SHOWN occurrences of each are
 * reported. */
#define COUNTED GSYM_LIMIT(SLOTS * 3u / 4, 1)
#define SHOWN GSYM_LIMIT(20u, 1)

struct message {
	char *text;
	uint64_t count;
};

struct gsym_mk_messages {
	struct message slots[SLOTS];
	size_t used;
};

/* Count TEXT; false if it was reported SHOWN times already. */
static bool count(struct gsym_markup *f, const char *text)
{
	struct gsym_mk_messages *m = f->messages;
	struct gsym_mk_slice key = { text, strlen(text) };
	size_t at = (size_t)gsym_mk_hash(key) % SLOTS;

	if (!m)
		m = f->messages = calloc(1, sizeof(*m));
	if (!m)
		return true;
	for (; m->slots[at].text; at = (at + 1) % SLOTS)
		if (strcmp(m->slots[at].text, text) == 0)
			return ++m->slots[at].count <= SHOWN;
	if (m->used < COUNTED && (m->slots[at].text = strdup(text))) {
		m->slots[at].count = 1;
		m->used++;
	}
	return true;
}

static void hand_over(struct gsym_markup *f,
		      const struct gsym_markup_diagnostic *diagnostic)
{
	if (!f->host.diagnose)
		return;
	/* The output before the message comes first. */
	gsym_mk_drain(&f->out, true);
	f->host.diagnose(f->host.context, diagnostic);
}

/* Replace bytes of MESSAGE that a terminal must not get by \\xNN; MESSAGE may
 * quote the log.  What does not fit is cut off. */
static void escape(char *message)
{
	const char *end = message + strlen(message);
	char copy[LONGEST];
	size_t to = 0;

	for (const char *at = message; at < end && to + 13 < sizeof(copy);) {
		size_t harmful = gsym_utf8_harmful(at, (size_t)(end - at));
		size_t left = (size_t)(end - at);
		size_t size = harmful ? harmful : gsym_utf8_length(at, left);

		for (size_t i = 0; harmful && i < size; i++)
			to += (size_t)snprintf(copy + to, 5, "\\x%02x",
					       (unsigned char)at[i]);
		if (!size)
			size = 1;
		if (!harmful) {
			memcpy(copy + to, at, size);
			to += size;
		}
		at += size;
	}
	copy[to] = 0;
	memcpy(message, copy, to + 1);
}

void gsym_mk_say(struct gsym_markup *f, enum gsym_markup_severity severity,
		 const char *at, const char *format, ...)
{
	char message[LONGEST];
	va_list args;

	if (!f->host.diagnose && !f->options.html)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	if (!f->llvm && !f->options.raw_names)
		escape(message);
	gsym_mk_trouble_note(&f->out, severity, message);
	if (!f->host.diagnose || (!f->llvm && !count(f, message)))
		return;
	struct gsym_markup_diagnostic d = {
		.severity = severity,
		.message = message,
		.line_number = f->line_number,
	};
	if (at && f->line.at && at >= f->line.at &&
	    at <= f->line.at + f->line.size) {
		d.line = f->line.at;
		d.line_size = f->line.size;
		d.at = (size_t)(at - f->line.at);
	}
	hand_over(f, &d);
}

void gsym_mk_tell(struct gsym_markup *f, const char *format, ...)
{
	char message[LONGEST];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	escape(message);
	gsym_mk_drain(&f->out, true);
	f->host.explain(f->host.context, f->line_number, message);
}

void gsym_mk_say_problem(struct gsym_markup *f,
			 const struct gsym_mk_element *e,
			 const struct gsym_mk_problem *problem,
			 enum gsym_markup_severity severity)
{
	char message[LONGEST];

	if (!f->host.diagnose && !f->options.html)
		return;
	gsym_mk_explain(e, problem, message, sizeof(message));
	gsym_mk_say(f, severity, problem->at, "%s", message);
}

void gsym_mk_messages_end(struct gsym_markup *f)
{
	struct gsym_mk_messages *m = f->messages;

	if (!m)
		return;
	for (size_t i = 0; i < SLOTS; i++) {
		struct message *s = &m->slots[i];
		char text[LONGEST + 64];

		if (s->text && s->count > SHOWN) {
			struct gsym_markup_diagnostic d = {
				.severity = GSYM_MARKUP_NOTE,
				.message = text,
			};
			snprintf(text, sizeof(text),
				 "%" PRIu64 " more times: %s",
				 s->count - SHOWN, s->text);
			hand_over(f, &d);
		}
		free(s->text);
	}
	free(m);
	f->messages = NULL;
}
