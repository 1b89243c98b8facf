/* SPDX-License-Identifier: MIT */
/*
 * lookup/open.c - finds and opens the GSYM data: of FILE, of the GSYM file
 * beside FILE, or of a build ID.
 */
#include "config.h"

#include <stdlib.h>

#include "common/cache.h"
#include "common/path.h"
#include "common/report.h"
#include "lookup/lookup.h"

/* Open the GSYM data in the file PATH. */
static enum gsym_status open_path(const struct lookup *l, const char *path,
				  struct gsym_reader **ret,
				  struct gsym_error *error)
{
	return l->copy ? gsym_open_copy(path, ret, error)
		       : gsym_open(path, ret, error);
}

/* The most notes about files of a store that --stream cannot use: there may be
 * as many as lines. */
enum { STREAM_NOTES = 8 };

/* The callback of gsym_store_set_report. */
static void report_file(void *context, const char *path, const char *why)
{
	struct lookup *l = context;

	if (l->stream && l->notes++ >= STREAM_NOTES)
		return;
	warn("note: '%s' is not used: %s", path, why);
}

/* Complete the folders of the store, once all options are known. */
static void complete_store(struct lookup *l)
{
	char *cache = cache_folder();

	gsym_store_set_report(l->store, report_file, l);
	gsym_store_check(l->store, l->check);
	gsym_store_copy(l->store, l->copy);
	l->fetch = fetch_new(&l->fetch_options);
	if (l->fetch)
		fetch_end_by_signals();
	if ((!l->debug_directories &&
	     gsym_store_add_debug_directory(l->store, "/usr/lib/debug") !=
		     GSYM_OK) ||
	    gsym_store_set_cache(l->store, cache) != GSYM_OK)
		die("out of memory");
	free(cache);
}

/* Find the GSYM data for --build-id, and open them. */
static void open_by_id(struct lookup *l)
{
	const struct gsym_store_entry *entry;
	struct gsym_error error = { 0 };
	uint8_t id[64];
	size_t size = cache_parse_id(l->build_id, id, sizeof(id));
	enum gsym_status status;

	if (!size)
		die_usage("'%s' is not a build ID", l->build_id);
	complete_store(l);
	status = fetch_find(l->fetch, l->store, id, size, &entry, &error);
	if (status == GSYM_NOT_FOUND)
		die("there is no GSYM file for the build ID %s", l->build_id);
	if (status != GSYM_OK)
		die("%s", report_reason(status, &error));
	l->path = gsym_store_path(entry);
	l->reader = gsym_store_reader(entry);
}

/* FILE, which is L->path, is an ELF file without GSYM data for REASON: open the
 * GSYM file beside it, FILE.gsym, if that has the same build ID, or neither has
 * one. */
static void open_beside(struct lookup *l, const char *reason)
{
	struct gsym_header header;
	struct gsym_error error = { 0 };
	uint8_t id[256];
	size_t size;
	enum gsym_status status =
		gsym_store_read_id(l->path, id, sizeof(id), &size, NULL);

	if (status != GSYM_OK && status != GSYM_NOT_FOUND)
		die("cannot open '%s': %s", l->path, reason);
	l->beside = path_print("%s.gsym", l->path);
	status = open_path(l, l->beside, &l->own, &error);
	if (status == GSYM_ERR_IO)
		die("cannot open '%s': %s; 'gsym-create %s' makes '%s'",
		    l->path, reason, l->path, l->beside);
	if (status != GSYM_OK)
		die("cannot open '%s': %s, and '%s' is damaged; "
		    "'gsym-create %s' makes it anew",
		    l->path, reason, l->beside, l->path);
	gsym_get_header(l->own, &header);
	if ((size || header.uuid_size) &&
	    !gsym_uuid_matches(header.uuid, header.uuid_size, id, size))
		die("cannot open '%s': %s, and '%s' has another build ID; "
		    "'gsym-create %s' makes it anew",
		    l->path, reason, l->beside, l->path);
	l->path = l->beside;
}

/* Open FILE, which is L->path. */
static void open_file(struct lookup *l)
{
	struct gsym_error error = { 0 };
	enum gsym_status status = open_path(l, l->path, &l->own, &error);

	if (status == GSYM_ERR_FORMAT)
		open_beside(l, report_reason(status, &error));
	else if (status != GSYM_OK)
		die_status("open", l->path, status, &error);
	if (l->check && gsym_checksum(l->own, &error) == GSYM_ERR_CORRUPT)
		die_status("use", l->path, GSYM_ERR_CORRUPT, &error);
	l->reader = l->own;
}

void lookup_open(struct lookup *l)
{
	if (!l->copy)
		report_cut_files(!lookup_of_process(l));
	if (l->stream) {
		complete_store(l);
	} else if (lookup_of_process(l)) {
		complete_store(l);
		lookup_open_process(l);
	} else if (l->build_id) {
		open_by_id(l);
	} else {
		open_file(l);
	}
}

void lookup_close(struct lookup *l)
{
	lookup_close_process(l);
	gsym_close(l->own);
	gsym_store_free(l->store);
	fetch_free(l->fetch);
	free(l->beside);
}
