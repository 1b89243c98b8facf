/* SPDX-License-Identifier: MIT */
/* Recognises the headers that loggers put before each line. */
#include "markup/text.h"

#include <errno.h>
#include <regex.h>

#include "base/error.h"
#include "logs/scan.h"

/* ---- parts of headers ------------------------------------------------ */

/* The functions below step over their part of the line and return true, or do
 * not move and return false. */

struct scan {
	const char *at, *end;
};

static bool one(struct scan *s, char wanted)
{
	if (s->at == s->end || *s->at != wanted)
		return false;
	s->at++;
	return true;
}

static bool number(struct scan *s, struct logs_text *ret)
{
	const char *stop = logs_decimal(s->at, s->end);

	if (ret)
		*ret = logs_between(s->at, stop ? stop : s->at);
	if (stop)
		s->at = stop;
	return stop;
}

static size_t blanks(struct scan *s)
{
	const char *start = s->at;

	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
	return (size_t)(s->at - start);
}

/* A word up to a blank, without braces. */
static bool word(struct scan *s)
{
	const char *start = s->at;

	while (s->at < s->end && *s->at != ' ' && *s->at != '{' &&
	       *s->at != '\033')
		s->at++;
	return s->at > start;
}

/* "[...]" without brackets and braces inside. */
static bool group(struct scan *s, struct logs_text *inside)
{
	struct scan try = *s;
	const char *start = s->at + 1;

	if (!one(&try, '['))
		return false;
	while (try.at < try.end && !strchr("[]{}", *try.at))
		try.at++;
	*inside = logs_between(start, try.at);
	if (!one(&try, ']') || !inside->size)
		return false;
	*s = try;
	return true;
}

static bool all_digits(struct logs_text text)
{
	const char *end = text.at + text.size;

	return text.size && logs_decimal(text.at, end) == end;
}

/* Go over " LEVEL: ", or over blanks alone. */
static void level(struct scan *s)
{
	struct scan try = *s;
	const char *start;

	blanks(&try);
	start = try.at;
	while (try.at < try.end && (*try.at >= 'A' && *try.at <= 'Z'))
		try.at++;
	if (try.at > start && one(&try, ':'))
		*s = try;
	blanks(s);
}

/* ---- kinds of headers ------------------------------------------------ */

/* The functions below return the size of the header with the blanks after it,
 * or 0.  NAME becomes the process. */

/* "[SEC.FRAC] PID.TID> " or "[SEC.FRAC][PID][TID][TAGS] LEVEL: " */
static size_t fuchsia(struct scan s, struct logs_text *name)
{
	struct logs_text groups[4];
	const char *start = s.at;
	size_t count = 0;

	while (count < 4 && s.at < s.end && *s.at == '[' &&
	       group(&s, &groups[count]))
		count++;
	if (count == 0 || !logs_is_digit(groups[0].at[0]))
		return 0;
	if (count == 1) {
		if (blanks(&s) && number(&s, name) &&
		    (one(&s, '.') || one(&s, ':')) && number(&s, NULL) &&
		    one(&s, '>')) {
			blanks(&s);
			return (size_t)(s.at - start);
		}
		return 0;
	}
	if (!all_digits(groups[1]))
		return 0;
	*name = groups[1];
	level(&s);
	return (size_t)(s.at - start);
}

/* "03-17 16:13:38.811 "; a year in front is optional. */
static bool date_of_logcat(struct scan *s)
{
	int parts = 1;

	if (!number(s, NULL))
		return false;
	while (one(s, '-') && number(s, NULL))
		parts++;
	return (parts == 2 || parts == 3) && blanks(s) == 1 &&
	       number(s, NULL) && one(s, ':') && number(s, NULL) &&
	       one(s, ':') && number(s, NULL) && one(s, '.') &&
	       number(s, NULL) && blanks(s);
}

/* One of the letters with which logcat says how serious a line is. */
static bool is_priority(const struct scan *s)
{
	return s->at < s->end && memchr("VDIWEFAS", *s->at, 8);
}

/* "I/DEBUG   (  200): " */
static size_t logcat_brief(struct scan s, struct logs_text *name)
{
	const char *start = s.at;

	if (!is_priority(&s))
		return 0;
	s.at++;
	if (!one(&s, '/'))
		return 0;
	for (; s.at < s.end && *s.at != '{'; s.at++) {
		struct scan try = s;

		if (!one(&try, '('))
			continue;
		blanks(&try);
		if (number(&try, name) && one(&try, ')') && one(&try, ':')) {
			blanks(&try);
			return (size_t)(try.at - start);
		}
	}
	return 0;
}

/* "03-17 16:13:38.811  1702  2395 D WindowManager: ", or the brief form, with
 * or without a date in front. */
static size_t logcat(struct scan s, struct logs_text *name)
{
	const char *start = s.at;
	size_t brief = logcat_brief(s, name);

	if (brief || !date_of_logcat(&s))
		return brief;
	brief = logcat_brief(s, name);
	if (brief)
		return (size_t)(s.at - start) + brief;
	if (!number(&s, name) || !blanks(&s) || !number(&s, NULL) ||
	    !blanks(&s) || !is_priority(&s))
		return 0;
	s.at++;
	if (blanks(&s) != 1)
		return 0;
	while (s.end - s.at >= 2 && memcmp(s.at, ": ", 2) != 0 &&
	       *s.at != '{')
		s.at++;
	if (s.end - s.at < 2 || !one(&s, ':'))
		return s.end - s.at == 1 && *s.at == ':'
			       ? (size_t)(s.end - start)
			       : 0;
	blanks(&s);
	return (size_t)(s.at - start);
}

/* The structured data of RFC 5424: "-", or groups like [id key="value"]. */
static bool structured_data(struct scan *s)
{
	if (one(s, '-'))
		return true;
	if (s->at == s->end || *s->at != '[')
		return false;
	while (one(s, '[')) {
		bool quoted = false;

		while (s->at < s->end && (quoted || *s->at != ']')) {
			if (*s->at == '\\' && quoted && s->end - s->at > 1)
				s->at++;
			else if (*s->at == '"')
				quoted = !quoted;
			s->at++;
		}
		if (!one(s, ']'))
			return false;
	}
	return true;
}

/* "<14>1 2026-11-20T10:00:00.5Z host name 123 - - ", the form of RFC 5424.  If
 * the process has no number, NAME is the name of the program. */
static size_t syslog_5424(struct scan s, struct logs_text *name)
{
	const char *start = s.at;

	if (!one(&s, '<') || !number(&s, NULL) || !one(&s, '>') ||
	    !number(&s, NULL))
		return 0;
	/* Date, host, program, process and kind of message. */
	for (int field = 0; field < 5; field++) {
		if (!one(&s, ' '))
			return 0;
		const char *at = s.at;
		if (!word(&s))
			return 0;
		struct logs_text text = logs_between(at, s.at);
		if (field == 2 || (field == 3 && *at != '-'))
			*name = text;
	}
	if (!one(&s, ' ') || !structured_data(&s))
		return 0;
	blanks(&s);
	/* A byte order mark says that the message is UTF-8. */
	if (s.end - s.at >= 3 && memcmp(s.at, "\xef\xbb\xbf", 3) == 0)
		s.at += 3;
	return (size_t)(s.at - start);
}

/* "Nov 20 10:00:00 host name[123]: ", or at most five other words before
 * "name[123]: "; or the form of RFC 5424. */
static size_t syslog(struct scan s, struct logs_text *name)
{
	const char *start = s.at;
	size_t length = syslog_5424(s, name);

	if (length)
		return length;

	for (int words = 0; words < 6; words++) {
		const char *begin = s.at;

		if (!word(&s))
			return 0;
		const char *bracket =
			memchr(begin, '[', (size_t)(s.at - begin));
		if (bracket && bracket > begin && s.at[-1] == ':' &&
		    s.at[-2] == ']') {
			*name = (struct logs_text){
				bracket + 1,
				(size_t)(s.at - 2 - bracket - 1),
			};
			if (all_digits(*name)) {
				blanks(&s);
				return (size_t)(s.at - start);
			}
		}
		if (!blanks(&s))
			return 0;
	}
	return 0;
}

/* "==123==" */
static size_t sanitizer(struct scan s, struct logs_text *name)
{
	const char *start = s.at;

	if (one(&s, '=') && one(&s, '=') && number(&s, name) &&
	    one(&s, '=') && one(&s, '=')) {
		blanks(&s);
		return (size_t)(s.at - start);
	}
	return 0;
}

/* "[00012.345][1234] INFO: " and the like, which names no process. */
static size_t brackets(struct scan s)
{
	struct logs_text inside;
	const char *start = s.at;
	int count = 0;

	while (s.at < s.end && *s.at == '[' && group(&s, &inside)) {
		if (count++ == 0 && !logs_is_digit(inside.at[0]) &&
		    inside.at[0] != ' ')
			return 0;
		if (s.end - s.at >= 2 && s.at[0] == ' ' && s.at[1] == '[')
			s.at++;
	}
	if (!count)
		return 0;
	level(&s);
	return (size_t)(s.at - start);
}

/* "2024-01-01T00:00:00.000000000Z stderr F " of containers of Kubernetes, which
 * names no process. */
static size_t container(struct scan s)
{
	static const char *const streams[] = { " stdout ", " stderr " };
	const char *start = s.at, *time = s.at, *at = NULL;

	if (!word(&s) || s.at - time < 20 || !memchr(time, 'T', 12))
		return 0;
	for (size_t i = 0; i < 2 && !at; i++)
		at = logs_word(s.at, s.end, streams[i]);
	if (!at || s.end - at < 2 || (*at != 'F' && *at != 'P') || at[1] != ' ')
		return 0;
	return (size_t)(at + 2 - start);
}

/* ---- regular expressions --------------------------------------------- */

struct gsym_mk_regex {
	regex_t compiled;
	/** regexec ran out of memory: a header may have been missed. */
	bool out_of_memory;
	/** regexec needs a text that ends with NUL. */
	char line[GSYM_MK_MAX_HEADER + 1];
};

static enum gsym_status compile(struct gsym_mk_headers *h,
				const char *expression,
				struct gsym_error *error)
{
	struct gsym_mk_regex *r = calloc(1, sizeof(*r));
	char why[160];
	int code;

	if (!r)
		return gsym_fail_memory(error);
	code = regcomp(&r->compiled, expression, REG_EXTENDED);
	if (code) {
		regerror(code, &r->compiled, why, sizeof(why));
		free(r);
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "not a regular expression: %s", why);
	}
	h->regex = r;
	if (r->compiled.re_nsub)
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
			 "the regular expression has no group for the process");
}

enum gsym_status gsym_mk_headers_init(struct gsym_mk_headers *h,
				      const struct gsym_markup_options *options,
				      struct gsym_error *error)
{
	h->kind = options->headers;
	return h->kind == GSYM_MARKUP_HEADERS_REGEX
		       ? compile(h, options->header_regex, error)
		       : GSYM_OK;
}

void gsym_mk_headers_fini(struct gsym_mk_headers *h)
{
	if (!h->regex)
		return;
	regfree(&h->regex->compiled);
	free(h->regex);
	h->regex = NULL;
}

bool gsym_mk_headers_out_of_memory(struct gsym_mk_headers *h)
{
	bool failed = h->regex && h->regex->out_of_memory;

	if (failed)
		h->regex->out_of_memory = false;
	return failed;
}

static size_t by_regex(struct gsym_mk_regex *r, const char *at, size_t size,
		       struct logs_text *name)
{
	regmatch_t match[2];
	int code;

	memcpy(r->line, at, size);
	r->line[size] = 0;
	errno = 0;
	code = regexec(&r->compiled, r->line, 2, match, 0);
	/* glibc returns REG_NOMATCH without memory, too; malloc has set
	 * errno then. */
	r->out_of_memory |= code == REG_ESPACE || (code && errno == ENOMEM);
	if (code != 0 || match[0].rm_so != 0 || match[1].rm_so < 0)
		return 0;
	*name = (struct logs_text){
		at + match[1].rm_so,
		(size_t)(match[1].rm_eo - match[1].rm_so),
	};
	return (size_t)match[0].rm_eo;
}

/* ---- all kinds ------------------------------------------------------- */

/* The first bytes of a line, in which its header is searched. */
static struct scan start_of(const char *at, size_t size)
{
	return (struct scan){
		at, at + (size < GSYM_MK_MAX_HEADER ? size : GSYM_MK_MAX_HEADER)
	};
}

static size_t header_of_kind(const struct gsym_mk_headers *h,
			     enum gsym_markup_headers kind, struct scan s,
			     struct logs_text *name)
{
	size_t length;

	switch (kind) {
	case GSYM_MARKUP_HEADERS_NONE:
		return 0;
	case GSYM_MARKUP_HEADERS_AUTO:
		if ((length = fuchsia(s, name)) ||
		    (length = sanitizer(s, name)) ||
		    (length = logcat(s, name)))
			return length;
		return syslog(s, name);
	case GSYM_MARKUP_HEADERS_FUCHSIA:
		return fuchsia(s, name);
	case GSYM_MARKUP_HEADERS_LOGCAT:
		return logcat(s, name);
	case GSYM_MARKUP_HEADERS_SYSLOG:
		return syslog(s, name);
	case GSYM_MARKUP_HEADERS_SANITIZER:
		return sanitizer(s, name);
	case GSYM_MARKUP_HEADERS_REGEX:
		return by_regex(h->regex, s.at, (size_t)(s.end - s.at), name);
	}
	return 0;
}

size_t gsym_mk_header(const struct gsym_mk_headers *h, const char *at,
		      size_t size, struct logs_text *name)
{
	return header_of_kind(h, h->kind, start_of(at, size), name);
}

size_t gsym_mk_any_header(const struct gsym_mk_headers *h, const char *at,
			  size_t size)
{
	enum gsym_markup_headers kind = h->kind;
	struct scan s = start_of(at, size);
	struct logs_text name;
	size_t length;
	/* No header reaches into an element. */
	const char *stop = gsym_mk_find_opener(at, (size_t)(s.end - at));

	if (stop)
		s.end = stop;
	if (kind == GSYM_MARKUP_HEADERS_NONE)
		kind = GSYM_MARKUP_HEADERS_AUTO;
	length = header_of_kind(h, kind, s, &name);
	if (length)
		return length;
	length = container(s);
	s.at += length;
	return length + brackets(s);
}
