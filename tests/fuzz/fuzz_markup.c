/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a log, in every style.  A log without markup has to
 * stay as it is.  The output must not depend on the sizes of the pieces in
 * which the log arrives. */
#include "fuzz/fuzz.h"

#include <gsym/markup.h>
#include <stdlib.h>
#include <string.h>

static size_t written;
static uint64_t sum;

static void take(void *context, const char *bytes, size_t size)
{
	(void)context;
	written += size;
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3u;
}

static void *module(void *context, const struct gsym_markup_module *m)
{
	return m->build_id_size && m->build_id[0] & 1 ? context : NULL;
}

static size_t code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity)
{
	size_t count = address % 4;

	(void)context;
	(void)symbols;
	for (size_t i = 0; i < count && i < capacity; i++)
		frames[i] = (struct gsym_markup_frame){
			"_Z1fv", address & 8 ? "/d" : "",
			address & 16 ? "\033f" : "", address & 7, 0, 0,
		};
	return count;
}

static bool data(void *context, void *symbols, uint64_t address,
		 struct gsym_markup_datum *ret)
{
	(void)context;
	(void)symbols;
	*ret = (struct gsym_markup_datum){ "d", address & 15 };
	return address & 1;
}

static const char *dump(void *context, const struct gsym_markup_dump *d)
{
	(void)context;
	return d->segment_count & 1 ? "seen" : NULL;
}

static void run(const uint8_t *bytes, size_t size,
		const struct gsym_markup_options *options, size_t step,
		bool clock)
{
	static int some;
	struct gsym_markup_host host = {
		&some, take, NULL, module, code, data, NULL, dump, NULL,
	};
	struct gsym_markup *filter;

	if (gsym_markup_new(&host, options, &filter, NULL) != GSYM_OK)
		return;
	for (size_t at = 0; at < size; at += step) {
		gsym_markup_feed(filter, (const char *)bytes + at,
				 size - at < step ? size - at : step);
		if (clock)
			gsym_markup_clock(filter, at * 100);
	}
	gsym_markup_finish(filter);
	gsym_markup_free(filter);
}

/* Feed the log at once and in pieces of STEP bytes; the outputs must be
 * equal. */
static void run_twice(const uint8_t *bytes, size_t size,
		      const struct gsym_markup_options *options, size_t step)
{
	size_t size_before;
	uint64_t before;

	written = sum = 0;
	run(bytes, size, options, 1000000, false);
	size_before = written;
	before = sum;
	written = sum = 0;
	run(bytes, size, options, step, false);
	if (written != size_before || sum != before)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct gsym_markup_options options = { 0 };

	run_twice(bytes, size, &options, 1);
	if (!memchr(bytes, '{', size) && !memchr(bytes, '\033', size) &&
	    written != size)
		abort();
	options.headers = GSYM_MARKUP_HEADERS_AUTO;
	options.colour = true;
	run(bytes, size, &options, 7, true);
	run_twice(bytes, size, &options, 5);
	options.html = true;
	options.source_url = "x%f%l";
	run(bytes, size, &options, 13, true);
	run_twice(bytes, size, &options, 3);
	options = (struct gsym_markup_options){
		.style = GSYM_MARKUP_STYLE_LLVM, .colour = true,
	};
	run_twice(bytes, size, &options, 100);
	options.style = GSYM_MARKUP_STYLE_FUCHSIA;
	options.hexdict = GSYM_MARKUP_HEXDICT_INLINE;
	run_twice(bytes, size, &options, 2);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char *const seeds[] = {
		"{{{reset}}}\n{{{module:0:a:elf:ab}}}\n"
		"{{{mmap:0x1000:0x1000:load:0:rwx:0x0}}}\n"
		"{{{bt:0:0x1003:ra}}} {{{pc:0x1002}}} {{{data:0x1001}}}\n",
		"==7== {{{module:1:b:elf:cd}}}\n==8== {{{hexdict:\n"
		"==8== RIP: 0x1001\n==8== }}}\n==7== "
		"{{{mmap:0x1800:0x900:load:1:rx:0x0}}}\n"
		"==7== {{{bt:1:0x1801}}}\n",
		("\033[1m\033[31mx {{{symbol:_Z1fv}}}\033[0m\r\n"
		 "{{{dumpfile:a:b}}} {{{{{{symbol:x}}}}}\n"),
	};

	if (number >= sizeof(seeds) / sizeof(*seeds))
		return NULL;
	*size = strlen(seeds[number]);
	uint8_t *copy = malloc(*size);
	if (copy)
		memcpy(copy, seeds[number], *size);
	return copy;
}
