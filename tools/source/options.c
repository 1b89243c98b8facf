/* SPDX-License-Identifier: MIT */
/* The options that say where symbols come from: the same ones in all tools. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "common/number.h"
#include "source/source.h"

enum {
	GSYM_DIRECTORY = 1,
	DEBUG_DIRECTORY,
	CONVERT,
	NO_CONVERT,
	CONVERT_TIME,
	CONVERT_MEMORY,
	DEBUGINFOD,
	FETCH,
	FETCH_TIMEOUT,
	FETCH_SIZE,
};

static const struct option_spec specs[] = {
	{ GSYM_DIRECTORY, 0, "gsym-file-directory", "DIR",
	  "search DIR for GSYM files by build ID,\n"
	  ".build-id/NN/REST.debug.gsym or REST.debug.gsym,\n"
	  "and by NAME.gsym; repeatable" },
	{ DEBUG_DIRECTORY, 0, "debug-file-directory", "DIR",
	  "search DIR for GSYM files by build ID, and for debug\n"
	  "files; repeatable; default: /usr/lib/debug" },
	{ CONVERT, 0, "convert", NULL,
	  "where there is a program or debug file but no GSYM\n"
	  "file, make it and keep it in the cache folder" },
	{ NO_CONVERT, 0, "no-convert", NULL,
	  "convert nothing, as with GSYM_CONVERT=no in the\n"
	  "environment" },
	{ CONVERT_TIME, 0, "convert-time", "SECONDS",
	  "the most time for a conversion; default: 600" },
	{ CONVERT_MEMORY, 0, "convert-memory", "MIB",
	  "the most memory for a conversion; default: 1024\n"
	  "and 32 times the size of the file" },
	{ DEBUGINFOD, 0, "debuginfod", NULL,
	  "ask the servers of DEBUGINFOD_URLS for GSYM data,\n"
	  "then for debug files, which are converted" },
	{ FETCH, 0, "fetch", "COMMAND",
	  "where there is no GSYM file, have COMMAND ID PATH\n"
	  "make it, and keep it in the cache folder" },
	{ FETCH_TIMEOUT, 0, "fetch-timeout", "SECONDS",
	  "the most time for COMMAND; default: 60" },
	{ FETCH_SIZE, 0, "fetch-size", "MIB",
	  "the most MiB that COMMAND may write; default: 4096" },
	{ 0 }
};

static struct source_options asked;

struct source_options *source_asked(void)
{
	return &asked;
}

/* A number, and what it is kept as. */
struct limit {
	uint64_t *value;
	uint64_t most;
	unsigned shift;
};

/* The limit that the option ID sets; its value is NULL if there is none. */
static struct limit limit_of(struct source_options *o, int id)
{
	switch (id) {
	case CONVERT_TIME:
		return (struct limit){ &o->convert_seconds, 1000000, 0 };
	case CONVERT_MEMORY:
		return (struct limit){ &o->convert_bytes, 1u << 30, 20 };
	case FETCH_TIMEOUT:
		return (struct limit){ &o->fetch_seconds, 1000000, 0 };
	case FETCH_SIZE:
		return (struct limit){ &o->fetch_bytes, 1u << 30, 20 };
	}
	return (struct limit){ 0 };
}

/* Keep the option ID, which is no limit. */
static void keep(struct source_options *o, int id, const char *value)
{
	switch (id) {
	case GSYM_DIRECTORY:
		*must_push(&o->gsym_folders) = value;
		break;
	case DEBUG_DIRECTORY:
		*must_push(&o->debug_folders) = value;
		break;
	case CONVERT:
	case NO_CONVERT:
		o->convert = id == CONVERT;
		o->no_convert = !o->convert;
		break;
	case DEBUGINFOD:
		o->debuginfod = true;
		break;
	case FETCH:
		o->fetch = value;
		break;
	}
}

/* The callback of options_next. */
static void keep_asked(const struct options *options, int id)
{
	struct limit limit = limit_of(&asked, id);
	if (limit.value)
		*limit.value = options_number(options, 1, limit.most)
			       << limit.shift;
	else
		keep(&asked, id, options->value);
}

const struct option_group source_group = { specs, keep_asked };

const struct option_spec *source_spec(const char *name, size_t length)
{
	for (size_t i = 0; specs[i].name; i++)
		if (strlen(specs[i].name) == length &&
		    strncmp(specs[i].name, name, length) == 0)
			return &specs[i];
	return NULL;
}

bool source_set(struct source_options *o, const struct option_spec *spec,
		const char *value)
{
	struct limit limit = limit_of(o, spec->id);
	uint64_t number;
	if (!limit.value) {
		keep(o, spec->id, value);
		return true;
	}
	if (number_parse(value, strlen(value), &number) != NUMBER_OK ||
	    !number || number > limit.most)
		return false;
	*limit.value = number << limit.shift;
	return true;
}

bool source_converts(const struct source_options *o, bool usually)
{
	const char *variable = getenv("GSYM_CONVERT");
	if (o->convert || o->no_convert)
		return o->convert;
	if (variable && strcmp(variable, "no") == 0)
		return false;
	return usually || (variable && strcmp(variable, "yes") == 0);
}

void source_check_options(const struct source_options *o)
{
	const char *word = o->fetch;
	if (!word && (o->fetch_seconds || o->fetch_bytes))
		die_usage("--fetch-timeout and --fetch-size need --fetch");
	if (word && !word[strspn(word, " \t\n")])
		die_usage("--fetch needs a command");
}

void source_check_sandbox(const struct source_options *o)
{
	if (o->fetch || o->debuginfod || o->convert)
		die_usage("--sandbox runs no command and has no network: it "
			  "does not go with --convert, --debuginfod and "
			  "--fetch");
}

bool source_makes(const struct source_options *o)
{
	return o->fetch || o->debuginfod || source_converts(o, false);
}

void source_options_fini(struct source_options *o)
{
	gsym_vec_fini(&o->gsym_folders);
	gsym_vec_fini(&o->debug_folders);
}
