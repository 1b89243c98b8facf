/* SPDX-License-Identifier: MIT */
/*
 * create/require.c - --require: what a conversion has to give, so that a build
 * that lost its debug info fails.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/report.h"
#include "common/sizes.h"
#include "create/create.h"

/* The words of --require, by the numbers of their bits, and what is missing
 * without each. */
static const struct {
	const char *word;
	const char *missing;
} wants[] = {
	{ "debug-info", "it has no debug info" },
	{ "lines", "it has no lines" },
	{ "inlines", "it has no inlined calls" },
	{ "symbols", "it has no symbols" },
	{ "build-id", "it has no build ID" },
};

enum { DEBUG, LINES, INLINES, SYMBOLS, IDENTITY, WANTS };

unsigned create_parse_require(const char *text)
{
	unsigned bits = 0;
	bool more = true;

	while (more) {
		size_t size = strcspn(text, ","), i = 0;

		while (i < WANTS && (strlen(wants[i].word) != size ||
				     memcmp(wants[i].word, text, size) != 0))
			i++;
		if (i == WANTS)
			die_usage("--require: '%.*s' is not debug-info, lines, "
				  "inlines, symbols or build-id", (int)size,
				  text);
		bits |= 1u << i;
		more = text[size] == ',';
		text += size + more;
	}
	return bits;
}

/* Whether C has what the bit WANT stands for.  Functions of a GSYM file all
 * count as those of debug info, so its lines tell. */
static bool has(const struct conversion *c, int want)
{
	const struct gsym_build_summary *s = &c->summary;

	switch (want) {
	case DEBUG:
		return s->functions && (s->rows || c->create->build.no_lines ||
					c->facts.format != GSYM_FORMAT_GSYM);
	case LINES:
		return s->rows && !c->create->build.no_lines;
	case INLINES:
		return s->inlined_calls && !c->create->build.no_inlines;
	case SYMBOLS:
		return c->facts.symbols || c->facts.records.publics ||
		       (c->facts.format == GSYM_FORMAT_GSYM && s->functions);
	default:
		return c->facts.uuid_size;
	}
}

/* Die: the input lacks what TEXT says; a file that is MISSING may be why. */
static _Noreturn void refuse(const struct conversion *c, const char *text,
			     const struct warning *missing)
{
	create_set_outcome("incomplete");
	die("cannot convert '%s': %s%s%s", c->create->input, text,
	    missing->count ? ": " : "", missing->first[0]);
}

/* Write the folder and the template that take the most bytes of C to TEXT,
 * which has ROOM for so many characters. */
static void largest(const struct conversion *c, char *text, size_t room)
{
	struct gsym_reader *reader;
	struct sizes sizes;
	const char *words[] = { "folder", "template" };
	size_t used = 0;

	if (!c->bytes ||
	    gsym_open_memory(c->bytes, c->size, &reader, NULL) != GSYM_OK)
		return;
	sizes_measure(&sizes, reader);
	const struct size_rows *tables[] = { &sizes.folders, &sizes.templates };
	for (int i = 0; i < 2; i++) {
		uint32_t row = sizes_largest(tables[i]);

		if (!row || used >= room)
			continue;
		used += (size_t)snprintf(
			text + used, room - used,
			"%s the %s '%.1000s' has %" PRIu64,
			used ? "," : ";", words[i], size_name(tables[i], row),
			tables[i]->rows.items[row].bytes);
	}
	sizes_fini(&sizes);
	gsym_close(reader);
}

void create_check_required(const struct conversion *c)
{
	const struct warning *missing = &c->warnings[GSYM_WARN_MISSING_FILE];
	unsigned bits = c->create->require;

	if (c->create->strict && c->warnings[GSYM_WARN_NO_DEBUG_INFO].count)
		bits |= 1u << DEBUG;
	for (int i = 0; i < WANTS; i++)
		if (bits & 1u << i && !has(c, i))
			refuse(c, wants[i].missing, missing);
	if (bits & (1u << DEBUG | 1u << LINES | 1u << INLINES) &&
	    missing->count)
		refuse(c, "some of its debug info is missing", missing);
	if (c->create->max_size && c->size > c->create->max_size) {
		char text[2200] = "";

		largest(c, text, sizeof(text));
		create_set_outcome("limit");
		die("cannot convert '%s': its GSYM data take %" PRIu64
		    " bytes, which are more than %" PRIu64
		    " MiB (--max-size)%s; 'gsym-dump --report' shows what "
		    "takes the bytes of a file",
		    c->create->input, c->size, c->create->max_size >> 20,
		    text);
	}
}
