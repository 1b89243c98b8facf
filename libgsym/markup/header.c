/* SPDX-License-Identifier: MIT */
/* Recognises the headers that loggers put before each line. */
#include "markup/text.h"

#include <errno.h>
#include <regex.h>

#include "base/error.h"
#include "logs/scan.h"

/* ---- parts of headers ------------------------------------------------ */

/* Steps over parts of a line, as those of logs/scan.h: each returns the place
 * after its part, or NULL if the part is not there; NULL may be handed on. */

/* Step over decimal digits; RET becomes the text of them. */
static const char *number(const char *at, const char *end,
			  struct logs_text *ret)
{
	const char *stop = logs_decimal(at, end);

	if (at)
		*ret = logs_between(at, stop ? stop : at);
	return stop;
}

/* Step over any number of blanks and tabs, also none. */
static const char *blanks(const char *at, const char *end)
{
	while (at && at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Step over one blank or tab, or more. */
static const char *gap(const char *at, const char *end)
{
	const char *stop = blanks(at, end);

	return stop == at ? NULL : stop;
}

/* Step over one blank or tab that no other one follows. */
static const char *one_blank(const char *at, const char *end)
{
	const char *stop = gap(at, end);

	return stop && stop - at == 1 ? stop : NULL;
}

/* Step over a word: up to a blank, an opening brace or ESC. */
static const char *word(const char *at, const char *end)
{
	const char *stop = at;

	while (stop && stop < end && *stop != ' ' && *stop != '{' &&
	       *stop != '\033')
		stop++;
	return stop == at ? NULL : stop;
}

/* "[...]" without brackets and braces inside. */
static const char *group(const char *at, const char *end,
			 struct logs_text *inside)
{
	const char *start = logs_word(at, end, "["), *stop = start;

	while (stop && stop < end && !strchr("[]{}", *stop))
		stop++;
	if (stop == start)
		return NULL;
	*inside = logs_between(start, stop);
	return logs_word(stop, end, "]");
}

static bool all_digits(struct logs_text text)
{
	const char *end = text.at + text.size;

	return text.size && logs_decimal(text.at, end) == end;
}

/* " LEVEL: ", or blanks alone, also none. */
static const char *level(const char *at, const char *end)
{
	const char *start = blanks(at, end), *stop = start;

	while (stop < end && *stop >= 'A' && *stop <= 'Z')
		stop++;
	if (stop > start && logs_word(stop, end, ":"))
		at = stop + 1;
	return blanks(at, end);
}

/* ---- kinds of headers ------------------------------------------------ */

/* Steps over a header and the blanks after it.  NAME becomes the process. */

/* "[SEC.FRAC] PID.TID> " or "[SEC.FRAC][PID][TID][TAGS] LEVEL: " */
static const char *fuchsia(const char *at, const char *end,
			   struct logs_text *name)
{
	struct logs_text groups[4];
	const char *next;
	size_t count = 0;

	while (count < 4 && (next = group(at, end, &groups[count]))) {
		at = next;
		count++;
	}
	if (count == 0 || !logs_is_digit(groups[0].at[0]))
		return NULL;
	if (count == 1) {
		at = number(gap(at, end), end, name);
		next = logs_word(at, end, ".");
		if (!next)
			next = logs_word(at, end, ":");
		next = logs_word(logs_decimal(next, end), end, ">");
		return blanks(next, end);
	}
	if (!all_digits(groups[1]))
		return NULL;
	*name = groups[1];
	return level(at, end);
}

/* "03-17 16:13:38.811 "; a year in front is optional. */
static const char *date_of_logcat(const char *at, const char *end)
{
	const char *next = logs_decimal(at, end);
	int parts = 0;

	/* A dash may stand behind the last part. */
	for (; next; next = logs_decimal(at, end), parts++) {
		at = next;
		next = logs_word(at, end, "-");
		at = next ? next : at;
	}
	at = parts == 2 || parts == 3 ? one_blank(at, end) : NULL;
	at = logs_word(logs_decimal(at, end), end, ":");
	at = logs_word(logs_decimal(at, end), end, ":");
	at = logs_word(logs_decimal(at, end), end, ".");
	return gap(logs_decimal(at, end), end);
}

/* One of the letters with which logcat says how serious a line is. */
static const char *priority(const char *at, const char *end)
{
	return at && at < end && memchr("VDIWEFAS", *at, 8) ? at + 1 : NULL;
}

/* "I/DEBUG   (  200): " */
static const char *logcat_brief(const char *at, const char *end,
				struct logs_text *name)
{
	at = logs_word(priority(at, end), end, "/");
	for (; at && at < end && *at != '{'; at++) {
		const char *stop = blanks(logs_word(at, end, "("), end);

		stop = logs_word(number(stop, end, name), end, "):");
		if (stop)
			return blanks(stop, end);
	}
	return NULL;
}

/* "03-17 16:13:38.811  1702  2395 D WindowManager: ", or the brief form, with
 * or without a date in front. */
static const char *logcat(const char *at, const char *end,
			  struct logs_text *name)
{
	const char *brief = logcat_brief(at, end, name);

	if (brief)
		return brief;
	at = date_of_logcat(at, end);
	brief = logcat_brief(at, end, name);
	if (brief)
		return brief;
	at = gap(number(at, end, name), end);
	at = priority(gap(logs_decimal(at, end), end), end);
	at = one_blank(at, end);
	while (at && end - at >= 2 && !logs_word(at, end, ": ") && *at != '{')
		at++;
	return blanks(logs_word(at, end, ":"), end);
}

/* The structured data of RFC 5424: "-", or groups like [id key="value"]. */
static const char *structured_data(const char *at, const char *end)
{
	if (!logs_word(at, end, "["))
		return logs_word(at, end, "-");
	while (logs_word(at, end, "[")) {
		bool quoted = false;

		for (at++; at < end && (quoted || *at != ']'); at++) {
			if (*at == '\\' && quoted && end - at > 1)
				at++;
			else if (*at == '"')
				quoted = !quoted;
		}
		at = logs_word(at, end, "]");
	}
	return at;
}

/* "<14>1 2026-11-20T10:00:00.5Z host name 123 - - ", the form of RFC 5424.  If
 * the process has no number, NAME is the name of the program. */
static const char *syslog_5424(const char *at, const char *end,
			       struct logs_text *name)
{
	const char *mark;

	at = logs_decimal(logs_word(at, end, "<"), end);
	at = logs_decimal(logs_word(at, end, ">"), end);
	/* Date, host, program, process and kind of message. */
	for (int field = 0; field < 5 && at; field++) {
		const char *start = logs_word(at, end, " ");

		at = word(start, end);
		if (at && (field == 2 || (field == 3 && *start != '-')))
			*name = logs_between(start, at);
	}
	at = structured_data(logs_word(at, end, " "), end);
	at = blanks(at, end);
	/* A byte order mark says that the message is UTF-8. */
	mark = logs_word(at, end, "\xef\xbb\xbf");
	return mark ? mark : at;
}

/* "Nov 20 10:00:00 host name[123]: ", or at most five other words before
 * "name[123]: "; or the form of RFC 5424. */
static const char *syslog(const char *at, const char *end,
			  struct logs_text *name)
{
	const char *stop = syslog_5424(at, end, name), *bracket;

	if (stop)
		return stop;
	for (int words = 0; words < 6 && at; words++) {
		stop = word(at, end);
		bracket = stop ? logs_byte(at, stop, '[') : NULL;
		if (bracket && bracket > at &&
		    logs_before(bracket, stop, "]:")) {
			*name = logs_between(bracket + 1, stop - 2);
			if (all_digits(*name))
				return blanks(stop, end);
		}
		at = gap(stop, end);
	}
	return NULL;
}

/* "==123==" */
static const char *sanitizer(const char *at, const char *end,
			     struct logs_text *name)
{
	at = number(logs_word(at, end, "=="), end, name);
	return blanks(logs_word(at, end, "=="), end);
}

/* "[00012.345][1234] INFO: " and the like, which names no process; AT if that
 * is not there. */
static const char *brackets(const char *at, const char *end)
{
	struct logs_text inside;
	const char *start = at, *next;

	while ((next = group(at, end, &inside))) {
		if (at == start && !logs_is_digit(inside.at[0]) &&
		    inside.at[0] != ' ')
			return start;
		at = next + (logs_word(next, end, " [") != NULL);
	}
	return at > start ? level(at, end) : start;
}

/* "2024-01-01T00:00:00.000000000Z stderr F " of containers of Kubernetes, which
 * names no process; AT if that is not there. */
static const char *container(const char *at, const char *end)
{
	static const char *const streams[] = { " stdout F ", " stdout P ",
					       " stderr F ", " stderr P ",
					       NULL };
	const char *stop = word(at, end);

	if (!stop || stop - at < 20 || !memchr(at, 'T', 12))
		return at;
	stop = logs_word_of(stop, end, streams);
	return stop ? stop : at;
}

/* ---- regular expressions --------------------------------------------- */

struct mk_regex {
	regex_t compiled;
	/** regexec ran out of memory: a header may have been missed. */
	bool out_of_memory;
	/** regexec needs a text that ends with NUL. */
	char line[MK_MAX_HEADER + 1];
};

static enum gsym_status compile(struct mk_headers *h, const char *expression,
				struct gsym_error *error)
{
	struct mk_regex *r = calloc(1, sizeof(*r));
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

enum gsym_status gsym_mk_headers_init(struct mk_headers *h,
				      const struct gsym_markup_options *options,
				      struct gsym_error *error)
{
	h->kind = options->headers;
	return h->kind == GSYM_MARKUP_HEADERS_REGEX
		       ? compile(h, options->header_regex, error)
		       : GSYM_OK;
}

void gsym_mk_headers_fini(struct mk_headers *h)
{
	if (!h->regex)
		return;
	regfree(&h->regex->compiled);
	free(h->regex);
	h->regex = NULL;
}

bool gsym_mk_headers_out_of_memory(struct mk_headers *h)
{
	bool failed = h->regex && h->regex->out_of_memory;

	if (failed)
		h->regex->out_of_memory = false;
	return failed;
}

static const char *by_regex(struct mk_regex *r, const char *at, const char *end,
			    struct logs_text *name)
{
	const size_t size = (size_t)(end - at);
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
		return NULL;
	*name = logs_between(at + match[1].rm_so, at + match[1].rm_eo);
	return match[0].rm_eo ? at + match[0].rm_eo : NULL;
}

/* ---- all kinds ------------------------------------------------------- */

/* The end of the first bytes of a line, in which its header is searched. */
static const char *end_of(const char *at, size_t size)
{
	return at + (size < MK_MAX_HEADER ? size : MK_MAX_HEADER);
}

static const char *header_of_kind(const struct mk_headers *h,
				  enum gsym_markup_headers kind, const char *at,
				  const char *end, struct logs_text *name)
{
	const char *stop;

	switch (kind) {
	case GSYM_MARKUP_HEADERS_NONE:
		break;
	case GSYM_MARKUP_HEADERS_AUTO:
		if ((stop = fuchsia(at, end, name)) ||
		    (stop = sanitizer(at, end, name)) ||
		    (stop = logcat(at, end, name)))
			return stop;
		return syslog(at, end, name);
	case GSYM_MARKUP_HEADERS_FUCHSIA:
		return fuchsia(at, end, name);
	case GSYM_MARKUP_HEADERS_LOGCAT:
		return logcat(at, end, name);
	case GSYM_MARKUP_HEADERS_SYSLOG:
		return syslog(at, end, name);
	case GSYM_MARKUP_HEADERS_SANITIZER:
		return sanitizer(at, end, name);
	case GSYM_MARKUP_HEADERS_REGEX:
		return by_regex(h->regex, at, end, name);
	}
	return NULL;
}

size_t gsym_mk_header(const struct mk_headers *h, const char *at, size_t size,
		      struct logs_text *name)
{
	const char *stop =
		header_of_kind(h, h->kind, at, end_of(at, size), name);

	return stop ? (size_t)(stop - at) : 0;
}

size_t gsym_mk_any_header(const struct mk_headers *h, const char *at,
			  size_t size)
{
	enum gsym_markup_headers kind =
		h->kind ? h->kind : GSYM_MARKUP_HEADERS_AUTO;
	const char *end = end_of(at, size), *stop;
	struct logs_text name;

	/* No header reaches into an element. */
	stop = gsym_mk_find_opener(at, (size_t)(end - at));
	end = stop ? stop : end;
	stop = header_of_kind(h, kind, at, end, &name);
	if (!stop)
		stop = brackets(container(at, end), end);
	return (size_t)(stop - at);
}
