/* SPDX-License-Identifier: MIT */
/* HTML around frames: entities, and tags, which are taken off. */
#include "config.h"

#include "logs/unwrap.h"

#include "base/system.h"
#include "logs/scan.h"

static const struct {
	char name[8], byte;
} entities[] = {
	{ "&lt;", '<' },   { "&gt;", '>' },    { "&amp;", '&' },
	{ "&quot;", '"' }, { "&#39;", '\'' },  { "&#34;", '"' },
	{ "&nbsp;", ' ' }, { "&#x27;", '\'' },
};

static size_t entity_decode(const char *at, const char *end, char to[4],
			    size_t *size)
{
	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++) {
		if (!logs_word(at, end, entities[i].name))
			continue;
		*to = entities[i].byte;
		*size = 1;
		return strlen(entities[i].name);
	}
	return 0;
}

/* The tags that are known; those with FEED begin or end a line. */
static const struct tag {
	char name[8];
	bool feed;
} tags[] = {
	{ "br", true },	   { "p", true },   { "pre", true }, { "div", true },
	{ "li", true },	   { "td", true },  { "tr", true },  { "code", false },
	{ "span", false }, { "b", false },
};

/* Step over the rest of a tag, which may have attributes; NULL if the tag has
 * no end within 256 bytes. */
static const char *over_rest(const char *at, const char *end)
{
	enum { LONGEST = 256 };
	const char *close = at;

	if (at < end && *at != '>' && *at != ' ' && *at != '/')
		return NULL;
	while (close < end && close - at < LONGEST && *close != '>' &&
	       *close != '<')
		close++;
	return logs_word(close, end, ">");
}

/* The size of the tag at AT, whose row *TAG becomes; 0 if no known tag is
 * there. */
static size_t tag_size(const char *at, const char *end, const struct tag **tag)
{
	const char *name = at + 1;

	if (*at != '<' || name == end)
		return 0;
	name += *name == '/';
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		const char *stop = logs_word(name, end, tags[i].name);

		stop = stop ? over_rest(stop, end) : NULL;
		if (!stop)
			continue;
		*tag = &tags[i];
		return logs_left(at, stop);
	}
	return 0;
}

size_t gsym_logs_html_decode(const char *at, const char *end, char to[4],
			     size_t *size)
{
	const struct tag *tag;

	*size = 0;
	return *at == '<' ? tag_size(at, end, &tag)
			  : entity_decode(at, end, to, size);
}

/* Whether the tag at AT, in a text whose first byte that is no blank is at
 * FIRST, tells that the text is HTML: "<p>" may be a part of a name of C++. */
static bool is_clear(const char *first, const char *at, const char *end)
{
	return first == at || at[1] == '/' || logs_word(at, end, "<br>") ||
	       logs_word(at, end, "<br/>") || logs_word(at, end, "<br />");
}

bool gsym_logs_html_opens(struct logs_layer *l)
{
	const struct tag *tag;
	const char *first = logs_blanks(l->at, l->end);
	char to[4];
	size_t size;

	for (const char *at = l->at; (at = logs_byte(at, l->end, '&')); at++)
		if (entity_decode(at, l->end, to, &size))
			return true;
	for (const char *at = l->at; (at = logs_byte(at, l->end, '<')); at++)
		if (tag_size(at, l->end, &tag) && is_clear(first, at, l->end))
			return true;
	return false;
}

bool gsym_logs_html_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *at = l->at;
	const struct tag *tag;
	size_t size;

	*p = (struct logs_piece){ l->at, l->end, true };
	while ((at = logs_byte(at, l->end, '<'))) {
		size = tag_size(at, l->end, &tag);
		if (size && tag->feed) {
			p->end = at;
			l->at = at + size;
			return true;
		}
		at++;
	}
	l->at = l->end;
	return p->at < p->end;
}

size_t gsym_logs_html_escape(const char *at, size_t size, char to[LOGS_ESCAPED],
			     size_t *taken)
{
	*taken = 1;
	*to = *at;
	(void)size;
	/* The first five rows are the bytes that have to be escaped. */
	for (size_t i = 0; i < 5; i++)
		if (*at == entities[i].byte) {
			memcpy(to, entities[i].name, sizeof(entities[i].name));
			return strlen(entities[i].name);
		}
	return 1;
}

