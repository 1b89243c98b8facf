/* SPDX-License-Identifier: MIT */
/* The options that say where symbols come from: the same ones in all tools that
 * look symbols up. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/out.h"
#include "common/report.h"
#include "source/source.h"

/* How an option is kept in the MEMBER of struct source_options. */
#define LIST(member) OPTION_LIST(struct source_options, member)
#define SET(member, number) OPTION_SET(struct source_options, member, number)
#define NUMBER(member, most) \
	OPTION_NUMBER(struct source_options, member, 1, most)

static const struct option_spec specs[] = {
	{ 0, 0, "gsym-file-directory", "DIR",
	  "search DIR for GSYM files by build ID,\n"
	  ".build-id/NN/REST.debug.gsym or REST.debug.gsym,\n"
	  "and by NAME.gsym; repeatable", LIST(gsym_folders) },
	{ 0, 0, "debug-file-directory", "DIR",
	  "search DIR for GSYM files by build ID, and for debug\n"
	  "files; repeatable; default: /usr/lib/debug", LIST(debug_folders) },
	{ 0, 0, "convert", NULL,
	  "where there is a program or debug file but no GSYM\n"
	  "file, make it and keep it in the cache folder",
	  SET(conversion, SOURCE_ASKED) },
	{ 0, 0, "no-convert", NULL,
	  "convert nothing, as with GSYM_CONVERT=no in the\n"
	  "environment", SET(conversion, SOURCE_FORBIDDEN) },
	{ 0, 0, "convert-time", "SECONDS",
	  "the most time for a conversion; default: 600",
	  NUMBER(convert_seconds, 1000000) },
	{ 0, 0, "convert-memory", "MIB",
	  "the most memory for a conversion; default: 1024\n"
	  "and 32 times the size of the file",
	  NUMBER(convert_bytes, 1u << 30), .shift = 20 },
	{ 0, 0, "debuginfod", NULL,
	  "ask the servers of DEBUGINFOD_URLS for GSYM data,\n"
	  "then for debug files, which are converted", SET(debuginfod, true) },
	{ 0, 0, "fetch", "COMMAND",
	  "where there is no GSYM file, have COMMAND ID PATH\n"
	  "make it, and keep it in the cache folder",
	  OPTION_TEXT(struct source_options, fetch) },
	{ 0, 0, "fetch-timeout", "SECONDS",
	  "the most time for COMMAND; default: 60",
	  NUMBER(fetch_seconds, 1000000) },
	{ 0, 0, "fetch-size", "MIB",
	  "the most MiB that COMMAND may write; default: 4096",
	  NUMBER(fetch_bytes, 1u << 30), .shift = 20 },
	{ 0 }
};

static struct source_options asked;

struct source_options *source_asked(void)
{
	return &asked;
}

const struct option_group source_group = { .options = specs, .kept = &asked };

bool source_converts(const struct source_options *o, bool usually)
{
	const char *variable = getenv("GSYM_CONVERT");
	if (o->conversion)
		return o->conversion == SOURCE_ASKED;
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
	if (o->fetch || o->debuginfod || o->conversion == SOURCE_ASKED)
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
