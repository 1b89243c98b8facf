/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the whole filter with small limits.  The first bytes of an input
 * choose limits, options and what the host knows; the rest is a log, in which
 * control bytes are events:
 *
 *	\1	time passes: as many times 100 ms as the next byte says
 *	\2	the host gets symbols for other modules, and asks for them again
 *	\3	the output is flushed
 *	\4	the bytes up to here are fed
 *
 * The output must not depend on where memory lies.  The tags of pages are
 * nested.  A log without markup is in the text as it is, and lines of JSON stay
 * JSON.
 */
#include "config.h"

#include "fuzz/fuzz.h"

#include <gsym/markup.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/tiny.h"

/* Bytes of an input before its log. */
enum { LIMITS, DIALECTS, MORE, FLAGS, KINDS, STYLE, PART, SEED, HEAD };

enum flag {
	HTML = 1,
	COLOUR = 2,
	SCRIPT = 4,
	ANY_BUILD = 8,
	STRIP = 16,
	FRAMES = 32,
	PARTS = 64,
	SOURCE = 128
};

struct run {
	uint8_t seed;
	/* Changes when symbols come and go. */
	uint8_t phase;
	char *text;
	size_t size;
	/* The bytes of pages that have ended. */
	size_t ended;
	uint64_t time;
};

/* What the host hands out for symbols.  They differ in what they know. */
static char symbols[16];

static unsigned hash(const char *text, size_t size, unsigned seed)
{
	unsigned h = 2166136261u ^ seed;

	for (size_t i = 0; i < size; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h ^ h >> 15;
}

/* Read all of TEXT, so that a sanitizer notices bytes that are not there. */
static void use(const char *text, size_t size)
{
	static volatile unsigned sink;

	sink = sink + hash(text, size, 0);
}

static void take(void *context, const char *bytes, size_t size)
{
	struct run *r = context;

	r->text = realloc(r->text, r->size + size + 1);
	if (!r->text)
		abort();
	memcpy(r->text + r->size, bytes, size);
	r->size += size;
	r->text[r->size] = 0;
}

static void check_symbols(const void *of)
{
	if ((const char *)of < symbols ||
	    (const char *)of >= symbols + sizeof(symbols))
		abort();
}

/* ---- the host --------------------------------------------------------- */

static void diagnose(void *context, const struct gsym_markup_diagnostic *d)
{
	struct run *r = context;

	use(d->message, strlen(d->message));
	if (d->line)
		use(d->line, d->line_size);
	/* Only llvm-symbolizer's messages have control bytes. */
	for (const char *at = d->message; (r->seed & 1) == 0 && *at; at++)
		if ((unsigned char)*at < 0x20)
			abort();
}

static void *module(void *context, const struct gsym_markup_module *m)
{
	struct run *r = context;
	unsigned h = hash(m->name, m->name_size, r->seed + r->phase);

	use((const char *)m->build_id, m->build_id_size);
	return h % 4 ? &symbols[h % sizeof(symbols)] : NULL;
}

static size_t code(void *context, void *of, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity)
{
	static const char *const names[] = { "f", "_Z1fv", "kernel_init", "a<b",
					     "__restore_rt", "\033\"\\\n", "",
					     "\xe2\x80\xaex\xc3", "\x80\xff" };
	static const char *const folders[] = { "/k/init", "", "/d/../e", "\\w",
					       "/k/\xe2\x80\xae" };
	static const char *const files[] = { "main.c", "a.c", "", "\033[1mx",
					     "\xf0\x9f\"\\" };
	size_t n = (size_t)((char *)of - symbols);
	unsigned h = hash((char *)&address, sizeof(address), (unsigned)n);
	size_t count = h % 5 == 4 ? capacity : h % 5;

	(void)context;
	check_symbols(of);
	for (size_t i = 0; i < count && i < capacity; i++, h = h * 31 + 7)
		frames[i] = (struct gsym_markup_frame){
			names[h % 9],
			folders[h / 9 % 5],
			files[h / 64 % 5],
			h / 512 % 4 ? h / 512 % 100 : h,
			h % 3,
			address % 3,
		};
	return count;
}

static bool data(void *context, void *of, uint64_t address,
		 struct gsym_markup_datum *ret)
{
	(void)context;
	check_symbols(of);
	*ret = (struct gsym_markup_datum){ "d\033", address & 15 };
	return address & 1;
}

static const char *demangle(void *context, const char *name, bool lasting)
{
	static char text[64];
	size_t size = strlen(name);

	(void)context;
	(void)lasting;
	if (strncmp(name, "_Z", 2) != 0 || size > sizeof(text) - 2)
		return name;
	/* The text of the call before is gone. */
	memset(text, '!', sizeof(text));
	memcpy(text, name + 1, size);
	text[0] = ':';
	return text;
}

static void dump(void *context, const struct gsym_markup_dump *d)
{
	(void)context;
	use(d->name, d->name_size);
	use(d->process, d->process_size);
	for (size_t i = 0; i < d->module_count; i++)
		use(d->modules[i].name, d->modules[i].name_size);
}

static bool log_module(void *context, const struct gsym_markup_log_module *m,
		       struct gsym_markup_log_symbols *ret)
{
	struct run *r = context;
	unsigned h = hash(m->name, m->name_size, r->seed + r->phase);

	h = hash(m->release, m->release_size, h);
	h = hash((const char *)m->build_id, m->build_id_size, h);
	ret->symbols = &symbols[h % sizeof(symbols)];
	ret->certain = h & 16;
	ret->lowest_known = h & 32;
	ret->lowest = h & 64 ? 0x400000 : 0;
	return h / 128 % 4;
}

static size_t log_functions(void *context, void *of, const char *name,
			    size_t size,
			    struct gsym_markup_log_function *functions,
			    size_t capacity)
{
	unsigned h = hash(name, size, (unsigned)((char *)of - symbols));
	size_t count = h % 8 == 7 ? 300 : h % 8;

	(void)context;
	check_symbols(of);
	for (size_t i = 0; i < count && i < capacity; i++)
		functions[i] = (struct gsym_markup_log_function){
			i * 0x100 + h % 16, 8 + h % 9, h & 32 ? 16 : 0
		};
	return count;
}

static void frame(void *context, const struct gsym_markup_stack_frame *told)
{
	(void)context;
	use(told->process, told->process_size);
	use(told->module, told->module_size);
	use(told->name, told->name_size);
	for (size_t i = 0; i < told->count; i++) {
		use(told->frames[i].function, strlen(told->frames[i].function));
		use(told->frames[i].directory,
		    strlen(told->frames[i].directory));
	}
}

static const char *source(void *context, const struct gsym_markup_frame *place,
			  uint32_t line, size_t *size)
{
	static char text[] = "x\t #0 0x1 (a+0x1)\033\xff";

	(void)context;
	use(place->directory, strlen(place->directory));
	text[0] = (char)line;
	*size = line % sizeof(text);
	return line % 7 ? text : NULL;
}

/* ---- pages ------------------------------------------------------------ */

/* Abort; with FUZZ_SHOW in the environment after writing AT to END. */
static void fail(const char *at, const char *end)
{
	if (getenv("FUZZ_SHOW"))
		fwrite(at, 1, (size_t)(end - at), stdout);
	fflush(stdout);
	abort();
}

/* Step over the rest of a tag, which may have attributes. */
static const char *over_tag(const char *at, const char *end)
{
	bool inside = false;

	for (; at < end && (inside || *at != '>'); at++)
		inside ^= *at == '"';
	return at;
}

/* Abort unless the tags of the page AT to END are nested. */
static void check_page(const char *at, const char *end)
{
	static const char *const voids[] = { "meta", "!DOCTYPE", "br", "wbr",
					     "input", "link" };
	char names[64][12];
	const char *from = at;
	size_t depth = 0, length;

	while ((at = memchr(at, '<', (size_t)(end - at)))) {
		bool closes = at[1] == '/', empty = false;
		char *name = names[depth < 64 ? depth : 63];

		at += 1 + closes;
		length = strcspn(at, " >\n");
		if (length >= sizeof(names[0]) || depth >= 63)
			fail(from, end);
		if (closes && (!depth-- ||
			       strncmp(names[depth], at, length) != 0 ||
			       names[depth][length]))
			fail(from, end);
		if (!closes) {
			memcpy(name, at, length);
			name[length] = 0;
		}
		for (size_t i = 0; i < 6; i++)
			empty |= !closes && strcmp(name, voids[i]) == 0;
		depth += !closes && !empty;
		at = over_tag(at, end);
		if (closes || (strcmp(name, "style") != 0 &&
			       strcmp(name, "script") != 0))
			continue;
		at = strstr(at, strcmp(name, "style") == 0 ? "</style>"
							   : "</script>");
		if (!at)
			fail(from, end);
	}
	if (depth)
		fail(from, end);
}

static void part(void *context, const struct gsym_markup_part *p)
{
	struct run *r = context;

	use(p->processes, p->processes_size);
	check_page(r->text + r->ended, r->text + r->size);
	r->ended = r->size;
}

/* ---- running ---------------------------------------------------------- */

/* Feed the log AT to END with its events. */
static void feed(struct gsym_markup *f, struct run *r, const char *at,
		 const char *end)
{
	while (at < end) {
		const char *event = at;

		while (event < end && (*event < 1 || *event > 4))
			event++;
		/* The filter keeps no pointer into what it is fed. */
		char *copy = malloc((size_t)(event - at) + 1);

		if (!copy)
			abort();
		memcpy(copy, at, (size_t)(event - at));
		gsym_markup_feed(f, copy, (size_t)(event - at));
		free(copy);
		at = event + 1;
		if (event == end)
			break;
		if (*event == 1) {
			r->time += 100 *
				   (at < end ? (unsigned char)*at++ % 32 : 1);
			gsym_markup_clock(f, r->time);
		} else if (*event == 2) {
			r->phase++;
			gsym_markup_retry(f);
		} else if (*event == 3) {
			gsym_markup_flush(f);
		}
	}
}

static struct gsym_markup_options options_of(const uint8_t *bytes)
{
	static const char *const prefixes[] = { "/k", "/d/" };
	uint8_t flags = bytes[FLAGS];
	struct gsym_markup_options o = {
		.style = bytes[STYLE] % 8 < 3 ? bytes[STYLE] % 8 : 0,
		.html = flags & HTML,
		.colour = flags & COLOUR,
		.strip_ansi = bytes[STYLE] & 8,
		.basenames = bytes[STYLE] & 16,
		.pc_inlines = bytes[STYLE] & 32,
		.indent = bytes[STYLE] & 64,
		.raw_names = bytes[STYLE] & 128,
		.module_lines = bytes[MORE] / 2 % 3,
		.hexdict = bytes[MORE] / 8 % 3,
		.unsuffixed = bytes[MORE] / 32 % 3,
		.headers = bytes[KINDS] % 7,
		.header_regex = "p([0-9]*)[ :]",
		.kernel_process = bytes[KINDS] & 64 ? "1" : NULL,
		.source_url = flags & SOURCE ? "x:%f#%l" : NULL,
		.dumpfile_url = flags & SOURCE ? "x:%t?%n" : NULL,
		.logs.forms = (bytes[DIALECTS] | bytes[MORE] << 8) &
			(GSYM_MARKUP_LOG_ALL | GSYM_MARKUP_LOG_MAPS),
		.logs.inlines = bytes[KINDS] / 7 % 3,
		.logs.script = flags & SCRIPT,
		.logs.strip_kernel = flags & STRIP,
		.logs.any_build = flags & ANY_BUILD,
		.logs.strip_prefixes = prefixes,
		.logs.strip_prefix_count = flags & STRIP ? 2 : 0,
		.logs.source_lines = flags & SOURCE ? bytes[PART] % 30 : 0,
		.part_size = flags & PARTS ? 1 + bytes[PART] * 4u : 0,
	};

	return o;
}

static void run(struct run *r, const uint8_t *bytes, size_t size,
		const struct gsym_markup_options *o)
{
	struct gsym_markup_host host = {
		.context = r,
		.write = take,
		.diagnose = diagnose,
		.module = module,
		.code = code,
		.data = data,
		.demangle = demangle,
		.dump = dump,
		.logs.module = log_module,
		.logs.functions = log_functions,
		.frame = bytes[FLAGS] & FRAMES ? frame : NULL,
		.logs.source = source,
		.part = part,
	};
	struct gsym_markup *f;

	r->seed = (uint8_t)(bytes[SEED] << 1 |
			    (o->style == GSYM_MARKUP_STYLE_LLVM ||
			     o->raw_names));
	if (gsym_markup_new(&host, o, &f, NULL) != GSYM_OK)
		abort();
	feed(f, r, (const char *)bytes + HEAD, (const char *)bytes + size);
	gsym_markup_finish(f);
	gsym_markup_free(f);
	take(r, "", 0);
}

/* ---- JSON -------------------------------------------------------------- */

static const char *json_value(const char *at, const char *end, int depth);

/* Step over the string whose quote is at AT; NULL if it is none. */
static const char *json_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"';) {
		size_t length = gsym_utf8_length(at, (size_t)(end - at));

		if ((unsigned char)*at < 0x20 || !length)
			return NULL;
		if (*at++ != '\\') {
			at += length - 1;
			continue;
		}
		if (at == end || !*at || !strchr("\"\\/bfnrtu", *at))
			return NULL;
		if (*at++ != 'u')
			continue;
		for (int i = 0; i < 4; i++, at++)
			if (at == end || gsym_digit(*at) > 15)
				return NULL;
	}
	return at < end ? at + 1 : NULL;
}

/* Step over the rest of an object or a list, which CLOSE ends. */
static const char *json_list(const char *at, const char *end, int depth,
			     char close)
{
	if (at < end && *at == close)
		return at + 1;
	while (at && at < end) {
		if (close == '}') {
			at = *at == '"' ? json_string(at, end) : NULL;
			at = at && at < end && *at == ':' ? at + 1 : NULL;
		}
		at = at ? json_value(at, end, depth + 1) : NULL;
		if (at && at < end && *at == close)
			return at + 1;
		at = at && at < end && *at == ',' ? at + 1 : NULL;
	}
	return NULL;
}

/* Step over a value without blanks and with simple numbers; NULL if there is
 * none. */
static const char *json_value(const char *at, const char *end, int depth)
{
	const char *digits = at;

	if (at == end || depth > 100)
		return NULL;
	if (*at == '{' || *at == '[')
		return json_list(at + 1, end, depth, *at == '{' ? '}' : ']');
	if (*at == '"')
		return json_string(at, end);
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at > digits ? at : NULL;
}

/* Whether each line of AT to END is such a value. */
static bool is_json(const char *at, const char *end)
{
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop || json_value(at, stop, 0) != stop)
			return false;
		at = stop + 1;
	}
	return true;
}

/* The log of the input without its events, malloc'ed. */
static char *without_events(const uint8_t *bytes, size_t size, size_t *ret)
{
	char *log = malloc(size);

	if (!log)
		abort();
	*ret = 0;
	for (size_t i = HEAD; i < size; i++) {
		if (bytes[i] < 1 || bytes[i] > 4)
			log[(*ret)++] = (char)bytes[i];
		i += bytes[i] == 1;
	}
	return log;
}

/* ---- the target -------------------------------------------------------- */

/* Whether the bytes of the log AT to END, but for blanks, are in R's text in
 * their order. */
static bool is_within(const char *at, const char *end, const struct run *r)
{
	size_t to = 0;

	for (; at < end; at++) {
		if (*at == ' ')
			continue;
		while (to < r->size && r->text[to] != *at)
			to++;
		if (to++ >= r->size)
			return false;
	}
	return true;
}

/* Check the text of R. */
static void check_text(const struct gsym_markup_options *o,
		       const struct run *r, const uint8_t *bytes, size_t size)
{
	size_t length;
	char *log = without_events(bytes, size, &length);
	const char *end = log + length;

	if (!memchr(log, '{', length) && !memchr(log, '\033', length) &&
	    !memmem(log, length, "null", 4) && !memchr(log, 0, length) &&
	    !is_within(log, end, r))
		fail(r->text, r->text + r->size);
	if (!o->raw_names && !o->colour && !memmem(log, length, "{{{", 3) &&
	    is_json(log, end) && !is_json(r->text, r->text + r->size))
		fail(r->text, r->text + r->size);
	free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct run first = { 0 }, second = { 0 };
	struct gsym_markup_options o;

	if (size < HEAD)
		return 0;
	gsym_tiny_limits = bytes[LIMITS] % 4;
	o = options_of(bytes);
	run(&first, bytes, size, &o);
	/* Memory lies elsewhere. */
	char *between = malloc(1 + size % 4096);

	run(&second, bytes, size, &o);
	free(between);
	if (first.size != second.size ||
	    memcmp(first.text, second.text, first.size) != 0)
		abort();
	if (o.html && o.style != GSYM_MARKUP_STYLE_LLVM)
		check_page(first.text + first.ended, first.text + first.size);
	else if (!o.logs.script && o.style != GSYM_MARKUP_STYLE_LLVM)
		check_text(&o, &first, bytes, size);
	free(first.text);
	free(second.text);
	return 0;
}

/* ---- seeds ------------------------------------------------------------ */

static const char *const logs[] = {
	/* Rows of the past: modules that were forgotten while they were in use,
	 * and details of a frame in elements. */
	" f+0x1/0x2 [aaa] (a.c:7)\n f+0x1/0x2 [b] (a.c:7)\n f+0x1/0x2 [c]\n"
	" f+0x1/0x2 [aaa]\n",
	"[ 1.0] h kernel: Call Trace: f+0x5/0x14#012CPU: 0 PID: 1 Comm: x Not "
	"tainted 6.9.9 #1\n",
	"{{{module:0:a:elf:ab}}}\n{{{mmap:0x10000000:0x1000:load:0:rwx:0x0}}}\n"
	"0   p   0x0000000010000003 f + 0\n#3 0x10000003 <unknown>\n",
	/* The start of a line is written before the element that begins in it
	 * ends; the block of the page must not end there. */
	"{{{symbol:f}}} a\1\26 {{{hexdict:\nRIP: 0x1\nLR: 0x2\nx\n}}}\n",
	/* Processes, and lines that wait. */
	"==7== {{{module:1:b:elf:cd}}}\n==8== {{{hexdict:\n==9== RIP\n"
	"==8== RIP: 0x1001\n\1\2==8== }}}\n==7== "
	"{{{mmap:0x1800:0x900:load:1:rx:0x0}}}\n==7== {{{reset}}}\n"
	"==6== {{{module:1:c:elf:ab}}}{{{mmap:0x1800:0x900:load:1:rx:0x0}}}\n"
	"==6== {{{bt:1:0x1801}}}\2{{{dumpfile:a:b}}}\n==7== {{{pc:0x1801}}}\n",
	"==3== #3 0x20001008 <unknown>\n==3== \4 4: 0x20001008 - <unknown>\n"
	"==3== 20000000-20010000 r-xp 00000000 08:01 1 /p\n"
	"==2== #3 0x20001008 <unknown>\n\1\31",
	/* The kernel: a release that comes late, marks, sizes. */
	"[ 1.0] BUG: x at f+0x1/0x10\n[ 1.1] CPU: 0 Not tainted 6.1-x #1\n"
	"[ 1.2] RIP: 0010:f+0x1/0x10 [m 0123456789abcdef0123456789abcdef]\n"
	"[ 1.3]  ? (g+0x3/0x11) from h+0x1/0x2 f+0x1/0x10\n\2"
	"[ 1.4] WARNING: at a.c:7 f+0x1/0x2()\n[ 1.5] ---[ end trace ]---\n"
	"Linux version 6.2 (a) #1\n[ 1.6]  f+0x1/0x10\n",
	/* Android, systemd, sanitizers, glibc, the JVM, generic forms. */
	"*** *** ***\nBuild fingerprint: 'a/b:9/c'\nABI: 'arm'\n  #00 pc "
	"000012a4  /a!l.so (offset 0x10) (f+16) (BuildId: 0123abcd)\n",
	"Process 1 (a) of user b\nModule p with build-id 0123abcd\nModule q "
	"with build-id 0124abcd\n#1  0x0000000000000012 n/a (p + 0x2)\n"
	"#1  0x0000000000000012 n/a (q + 0x2)\n\2#2  0x12 f (p + 0x2)\n",
	" #0 0x1  (/l.so+0x2) (BuildId: 0123abcd)\n#1 <null> <null> (p+0x3)\n"
	"    #1 0x1 in f (p+0x1)\n    #2 0x1 in g a.c:7\nSUMMARY: x #1 0x1\n",
	"p(+0x6000)[0x6000]\n/q(f+0x15) [0x5515]\nStack: [0x1,0x2], sp=0x1\n"
	"C  [l.so+0x1]  f+0x0\n[0123abcd]@0x1+0x2\n#1: ???[l.so +0x12]\n"
	"frame #3: f + 0x6 (0x7 in l.so)\n 3  l.so + 0x1\n3: f (p+0x1)\n",
	/* Apple. */
	"Process:   App [4]\n0   App   0x102230008 0x102230000 + 8\n"
	"1   App   0x102230018 f + 8\n\1\3Binary Images:\n"
	"0x102230000 - 0x102237fff App arm64  "
	"<82d13d98219e3040b62a07a297007a7c> /p/App\n0x102238000 - 0x102239fff "
	"B arm64  <82d13d98219e3040b62a07a297007a7d> /p/B\n\n",
	"\"parentProc\" : \"x\",\n\"frames\":[{\"imageOffset\":8,"
	"\"imageIndex\":1},{\"imageOffset\":25,\"imageIndex\":0}]\n"
	"\"usedImages\" : [ {\n \"uuid\" : \"82d13d98219e3040b62a07a297007a7c"
	"\",\n \"name\" : \"A\"\n}, {\"name\" : \"B\"} ],\n]\n",
	/* JSON, and lines in lines. */
	"{\"log\":\" f+0x1/0x2 [m]\\n\",\"x\":[1,\"a\"]}\n"
	"\"#0 0x1 (p+0x10)\"\n",
	"[\"p(+0x1008)[0x10001008]\"]\n{\"a\":\"#1  0x12 f (p + 0x2)\"}\n",
	"{\"log\":\"#0 0x1 (p+0x10)\\n f+0x1/0x2 [m]\\n\",\"x\":\"\\\"\"}\n"
	"a #012 f+0x1/0x2#012 f+0x1/0x2#012#1 0x1 (p+0x2)#012\n",
	"\033[1m\033[31mx {{{symbol:_Z1fv}}}\033[0m\r\n{{{data:0x1}}} "
	"{{{hexdict: a: 0x1 b: 0x1801}}}\n{{{{{{symbol:x}}}}}{{{hexdict:\n",
};
enum { LOGS = sizeof(logs) / sizeof(*logs), VARIANTS = 12 };

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	const char *log = logs[number % LOGS];
	size_t length = strlen(log);
	unsigned variant = number / LOGS;
	uint8_t *copy = malloc(HEAD + length);

	if (variant >= VARIANTS || !copy) {
		free(copy);
		return NULL;
	}
	for (unsigned i = 0; i < HEAD; i++)
		copy[i] = (uint8_t)hash(log, i, variant);
	copy[LIMITS] = (uint8_t)variant;
	/* All dialects, and in half of the variants pages. */
	copy[DIALECTS] = 0xff;
	copy[MORE] |= 1;
	copy[FLAGS] = (uint8_t)((copy[FLAGS] & ~(unsigned)HTML) | variant % 2);
	copy[KINDS] = (uint8_t)(variant % 3 ? 1 : 0);
	memcpy(copy + HEAD, log, length);
	*size = HEAD + length;
	return copy;
}
