/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a log, in every style.  A log without markup has to
 * stay as it is.  The output must not depend on the sizes of the pieces in
 * which the log arrives. */
#include "config.h"

#include "fuzz/fuzz.h"

#include <gsym/markup.h>
#include <stdlib.h>
#include <string.h>

static size_t written;
static uint64_t sum;
/* The output, if it is kept. */
static char *kept;
static size_t kept_size;
static bool keeps;

static void take(void *context, const char *bytes, size_t size)
{
	(void)context;
	if (keeps) {
		kept = realloc(kept, kept_size + size + 1);
		if (!kept)
			abort();
		memcpy(kept + kept_size, bytes, size);
		kept_size += size;
	}
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
			"_Z1fv",
			address & 8 ? "/d" : "",
			address & 16 ? "\033f" : "",
			address & 7,
			0,
			0,
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

static void dump(void *context, const struct gsym_markup_dump *d)
{
	(void)context;
	(void)d;
}

static bool log_module(void *context, const struct gsym_markup_log_module *m,
		       struct gsym_markup_log_symbols *ret)
{
	ret->symbols = context;
	ret->certain = m->name_size & 1;
	ret->lowest_known = true;
	return !m->name_size || m->name[0] != 'u';
}

/* Reads all that a frame has. */
static void frame(void *context, const struct gsym_markup_stack_frame *told)
{
	volatile size_t read = told->number;

	(void)context;
	for (size_t i = 0; i < told->process_size; i++)
		read += (unsigned char)told->process[i];
	for (size_t i = 0; i < told->module_size; i++)
		read += (unsigned char)told->module[i];
	for (size_t i = 0; i < told->count; i++)
		read += strlen(told->frames[i].function);
}

static size_t log_functions(void *context, void *symbols, const char *name,
			    size_t size,
			    struct gsym_markup_log_function *functions,
			    size_t capacity)
{
	(void)context;
	(void)symbols;
	for (size_t i = 0; i < size && i < capacity; i++)
		functions[i] = (struct gsym_markup_log_function){
			i * 0x101,
			16,
			16 + (unsigned char)name[i] % 2,
		};
	return size;
}

/* A line of source code: two bytes, and a frame. */
static const char *source(void *context, const struct gsym_markup_frame *place,
			  uint32_t line, size_t *size)
{
	static char text[] = "x\t #0 0x1 (a+0x1)";

	(void)context;
	(void)place;
	text[0] = (char)line;
	*size = line % sizeof(text);
	return line % 7 ? text : NULL;
}

static void run(const uint8_t *bytes, size_t size,
		const struct gsym_markup_options *options, size_t step,
		bool clock)
{
	static int some;
	struct gsym_markup_host host = {
		.context = &some,
		.write = take,
		.module = module,
		.code = code,
		.data = data,
		.dump = dump,
		.logs.module = log_module,
		.logs.functions = log_functions,
		.frame = frame,
		.logs.source = source,
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

/* Whether the bytes of the log, but for blanks, are in the output in their
 * order. */
static bool is_within(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == ' ')
			continue;
		while (at < kept_size && kept[at] != (char)bytes[i])
			at++;
		if (at++ >= kept_size)
			return false;
	}
	return true;
}

/* Backtraces without markup.  Text is only inserted, but for "<null>". */
static void run_logs(const uint8_t *bytes, size_t size)
{
	struct gsym_markup_options options = {
		.logs.forms = GSYM_MARKUP_LOG_ALL | GSYM_MARKUP_LOG_MAPS,
		.logs.strip_kernel = true,
	};

	run_twice(bytes, size, &options, 1);
	keeps = true;
	kept_size = 0;
	run(bytes, size, &options, 1000, false);
	keeps = false;
	if (!memchr(bytes, '{', size) && !memchr(bytes, '\033', size) &&
	    !memmem(bytes, size, "null", 4) && !is_within(bytes, size))
		abort();
	free(kept);
	kept = NULL;
	options.logs.source_lines = size % 30;
	run_twice(bytes, size, &options, 5);
	options.logs.script = true;
	run_twice(bytes, size, &options, 9);
	options.logs.inlines = GSYM_MARKUP_LOG_INLINES_SHORT;
	options.html = true;
	run_twice(bytes, size, &options, 11);
	options.html = options.logs.script = false;
	options.colour = true;
	options.headers = GSYM_MARKUP_HEADERS_AUTO;
	run(bytes, size, &options, 3, true);
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
		.style = GSYM_MARKUP_STYLE_LLVM,
		.colour = true,
	};
	run_twice(bytes, size, &options, 100);
	options.style = GSYM_MARKUP_STYLE_FUCHSIA;
	options.hexdict = GSYM_MARKUP_HEXDICT_INLINE;
	run_twice(bytes, size, &options, 2);
	run_logs(bytes, size);
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
		"[  1.1] RIP: 0010:f+0x1/0x10 [m "
		"0123456789abcdef0123456789abcdef]"
		"\n Not tainted 6.1 #1\n ? (g+0x3/0x11) from h+0x1/0x2\n",
		"*** *** *** ***\nABI: 'arm'\n  #00 pc 000012a4  /a!l.so "
		"(offset "
		"0x10) (f+16) (BuildId: 0123abcd)\n",
		" #0 0x1  (/l.so+0x2) (BuildId: 0123abcd)\n#1 <null> <null> "
		"(p+0x3)\n#2 0x0000000000000001 f(int) (p+0x1)\n",
		"p(+0x6000)[0x6000]\n/q(f+0x15) [0x5515]\nC  [l.so+0x1]  "
		"f+0x0\n"
		"#1  0x0000000000000012 n/a (p + 0x2)\n[0123abcd]@0x1+0x2\n",
		"Process 1 (a) of user b\nModule p with build-id 0123abcd\n"
		"{\"log\":\"#0 0x1 (p+0x10)\\n\"}\n#1: ???[l.so +0x12]\n"
		"frame #3: f + 0x6 (0x7 in l.so)\n 3  l.so + 0x1\n3: f "
		"(p+0x1)\n",
	};

	if (number >= sizeof(seeds) / sizeof(*seeds))
		return NULL;
	*size = strlen(seeds[number]);
	uint8_t *copy = malloc(*size);
	if (copy)
		memcpy(copy, seeds[number], *size);
	return copy;
}
