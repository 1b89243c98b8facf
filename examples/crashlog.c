/* SPDX-License-Identifier: MIT */
/*
 * crashlog SYMBOLS <LOG - how a crash server makes a log readable: the log in
 * memory, the answer in memory, and between them the filter, which knows no
 * files.  SYMBOLS is a folder with GSYM files by build ID.
 *
 *	cc crashlog.c -o crashlog $(pkg-config --cflags --libs gsym)
 */
#include <gsym/markup.h>
#include <gsym/store.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One log on its way.  The store serves any number of them. */
struct job {
	struct gsym_store *store;
	char *text;
	size_t size, capacity;
	unsigned errors;
};

static void add(void *context, const char *bytes, size_t size)
{
	struct job *job = context;

	if (job->capacity - job->size < size) {
		job->capacity = 2 * job->capacity + size;
		job->text = realloc(job->text, job->capacity);
		if (!job->text)
			exit(2);
	}
	memcpy(job->text + job->size, bytes, size);
	job->size += size;
}

static void complain(void *context, const struct gsym_markup_diagnostic *d)
{
	struct job *job = context;

	job->errors += d->severity == GSYM_MARKUP_ERROR;
	fprintf(stderr, "line %" PRIu64 ": %s\n", d->line_number, d->message);
}

/* The symbols of a module are whatever the other callbacks understand; a
 * server might ask its own storage here. */
static void *module(void *context, const struct gsym_markup_module *m)
{
	const struct job *job = context;
	const struct gsym_store_entry *entry;

	if (gsym_store_find(job->store, m->build_id, m->build_id_size, &entry,
			    NULL) != GSYM_OK)
		return NULL;
	return (void *)entry;
}

static size_t code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *to, size_t capacity)
{
	struct gsym_frame frames[GSYM_MARKUP_MAX_FRAMES];
	struct gsym_match match;
	size_t count;

	(void)context;
	if (gsym_lookup(gsym_store_reader(symbols), address, 0, frames,
			GSYM_MARKUP_MAX_FRAMES, &match, NULL) != GSYM_OK)
		return 0;
	count = match.frame_count < capacity ? match.frame_count : capacity;
	for (size_t i = 0; i < count; i++) {
		to[i].function = frames[i].function;
		to[i].directory = frames[i].directory;
		to[i].basename = frames[i].basename;
		to[i].line = frames[i].line;
		to[i].column = 0;
		to[i].offset = frames[i].offset;
	}
	return count;
}

static bool data(void *context, void *symbols, uint64_t address,
		 struct gsym_markup_datum *to)
{
	struct gsym_store_symbol symbol;

	(void)context;
	if (gsym_store_symbol_at(symbols, address, 0, &symbol) != GSYM_OK)
		return false;
	to->name = symbol.name;
	to->offset = address - symbol.start;
	return true;
}

/* The readable form of LOG goes to JOB. */
static enum gsym_status make_readable(struct job *job, const char *log,
				      size_t size)
{
	struct gsym_markup_host host = {
		.context = job,
		.write = add,
		.diagnose = complain,
		.module = module,
		.code = code,
		.data = data,
	};
	struct gsym_markup_options options = {
		.module_lines = GSYM_MARKUP_MODULES_NONE,
	};
	struct gsym_error error = { 0 };
	struct gsym_markup *filter;
	enum gsym_status status =
		gsym_markup_new(&host, &options, &filter, &error);

	if (status != GSYM_OK)
		return status;
	status = gsym_markup_feed(filter, log, size);
	if (status == GSYM_OK)
		status = gsym_markup_finish(filter);
	gsym_markup_free(filter);
	return status;
}

int main(int argc, char **argv)
{
	struct job log = { 0 }, answer = { 0 };
	char block[4096];
	size_t n;

	if (argc != 2) {
		fprintf(stderr, "usage: crashlog SYMBOLS <LOG\n");
		return 2;
	}
	/* What would come over the network. */
	while ((n = fread(block, 1, sizeof(block), stdin)) > 0)
		add(&log, block, n);

	answer.store = gsym_store_new();
	if (!answer.store ||
	    gsym_store_add_gsym_directory(answer.store, argv[1]) != GSYM_OK)
		return 2;
	if (make_readable(&answer, log.text, log.size) != GSYM_OK) {
		fprintf(stderr, "crashlog: out of memory\n");
		return 2;
	}
	fwrite(answer.text, 1, answer.size, stdout);
	gsym_store_free(answer.store);
	free(answer.text);
	free(log.text);
	return answer.errors ? 1 : 0;
}
