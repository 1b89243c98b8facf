/* SPDX-License-Identifier: MIT */
/*
 * markup.h - what the files of gsym-markup share: one struct that holds what
 * was asked for, and whoever does a part of it.
 */
#ifndef TOOLS_MARKUP_MARKUP_H
#define TOOLS_MARKUP_MARKUP_H

#include <gsym/markup.h>
#include <gsym/store.h>

#include <time.h>

#include "common/demangle.h"
#include "common/out.h"

/** A program to be run for a kind of dump file. */
struct markup_action {
	const char *type;
	const char *program;
};

/** A build ID that nothing was found for. */
struct markup_failure {
	uint8_t id[64];
	size_t size;
	time_t again;
};
enum { MARKUP_FAILURES = 256 };

struct markup {
	struct gsym_markup *filter;
	struct gsym_markup_options options;
	struct gsym_store *store;
	struct demangler *demangler;
	struct out out;

	/** Folders with debug files, for --convert. */
	const char **debug_directories;
	size_t debug_directory_count;
	char *cache;
	bool convert, debuginfod, follow, strict, quiet, use_demangler;
	/** Standard output and standard error are the same. */
	bool one_place;
	bool message_colour;
	uint64_t errors;

	const char *dump_path;
	struct markup_action *actions;
	size_t action_count;
	struct out dump_json;
	size_t dump_count;
	/** They were too many for the file. */
	bool dumps_lost;
	char dump_answer[512];

	/** Modules that options, not the log, named. */
	struct markup_preset *presets;
	size_t preset_count;
	char *plain;
	struct markup_symbols *known;

	/** When the filter was last told to ask again; milliseconds. */
	long asked;

	/** What is made or fetched: by whom, when again, where it goes. */
	struct debuginfod *servers;
	time_t servers_again;
	struct markup_failure failures[MARKUP_FAILURES];
	char *keep;
	bool keep_temporary, keep_failed;
	/** Somebody was asked, or something was converted, just now. */
	bool tried;
};

/* markup/symbols.c */
void markup_symbols_start(struct markup *m);
void markup_symbols_end(struct markup *m);
void markup_reset(void *context);
void *markup_module(void *context, const struct gsym_markup_module *module);
size_t markup_code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity);
bool markup_data(void *context, void *symbols, uint64_t address,
		 struct gsym_markup_datum *ret);
const char *markup_demangle(void *context, const char *name, bool lasting);
/** Note "PATH@ADDRESS"; dies. */
void markup_preset(struct markup *m, const char *value);
/** Give the filter the modules that were noted. */
void markup_add_presets(struct markup *m);

/* markup/fetch.c */
/** Make or fetch GSYM data for the build ID and put them where the store
 *  looks; false if that is not possible. */
bool markup_fetch(struct markup *m, const uint8_t *id, size_t size);
void markup_fetch_end(struct markup *m);

/* markup/keep.c */
/** A note, unless they are not wanted. */
void markup_note(const struct markup *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** A new folder to make files in, malloc'ed; NULL, after a note. */
char *markup_staging(struct markup *m);
enum markup_moved {
	MARKUP_MOVED,
	/** What was made is not for that build ID. */
	MARKUP_ANOTHER,
	MARKUP_FAILED,
};
/** Move the files for the build ID from STAGING to where the store looks. */
enum markup_moved markup_publish(struct markup *m, const char *staging,
				 const uint8_t *id, size_t size);
/** Making them failed: if the folder is to blame, use another one from here
 *  on, and say true.  Frees STAGING and all in it. */
bool markup_failed(struct markup *m, char *staging);
/** Free STAGING, and remove all in it. */
void markup_discard(char *staging);
void markup_keep_end(struct markup *m);

/* markup/dump.c */
const char *markup_dump(void *context, const struct gsym_markup_dump *dump);
/** Find out whether the file with all dumps can be written.  Dies. */
void markup_dump_start(const struct markup *m);
/** Write that file, if one is wanted. */
void markup_dump_write(struct markup *m);

/* markup/input.c */
/** Filter PATHS, or standard input; returns the exit status. */
int markup_run(struct markup *m, const char *const *paths, size_t count);
/** Did a signal ask for the end? */
bool markup_interrupted(void);

/* gsym_markup.c */
void markup_write(void *context, const char *bytes, size_t size);

#endif /* TOOLS_MARKUP_MARKUP_H */
