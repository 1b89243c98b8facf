/* SPDX-License-Identifier: MIT */
/* A host that has made-up symbols, and what the tests of logs expect of it. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of the host.  EXTENT and SIZE as in
 * gsym_markup_log_function. */
struct function {
	const char *name, *directory, *file;
	uint64_t start, size, extent;
	uint32_t line;
	/* A function that is inlined at its last byte. */
	const char *inlined;
};

static const struct function functions[] = {
	{ "kernel_init", "/build/k/init", "main.c", 0x100, 16, 16, 1, NULL },
	{ "one", "/build/k/fs", "one.c", 0x1000, 30, 32, 10, "small" },
	{ "twice", "/build/k/a", "a.c", 0x2000, 16, 16, 20, NULL },
	{ "twice", "/build/k/b", "b.c", 0x2100, 32, 32, 21, NULL },
	{ "same", "/build/k/a", "a.c", 0x3000, 16, 16, 30, NULL },
	{ "same", "/build/k/b", "b.c", 0x3100, 16, 16, 31, NULL },
	{ "equal", "/build/k/a", "e.h", 0x3200, 16, 16, 32, NULL },
	{ "equal", "/build/k/a", "e.h", 0x3300, 16, 16, 32, NULL },
	{ "many", "/build/k/a", "a.c", 0x4000, 16, 16, 40, NULL },
	{ "many", "/build/k/a", "b.c", 0x4100, 16, 16, 40, NULL },
	{ "many", "/build/k/a", "c.c", 0x4200, 16, 16, 40, NULL },
	{ "many", "/build/k/a", "d.c", 0x4300, 16, 16, 40, NULL },
	{ "many", "/build/k/a", "e.c", 0x4400, 16, 16, 40, NULL },
	{ "copies", "/build/k/a", "c.h", 0x4800, 16, 16, 48, NULL },
	{ "copies", "/build/k/a", "c.h", 0x4900, 16, 16, 48, NULL },
	{ "copies", "/build/k/a", "c.h", 0x4a00, 16, 16, 48, NULL },
	{ "copies", "/build/k/a", "c.h", 0x4b00, 16, 16, 48, NULL },
	{ "copies", "/build/k/a", "d.h", 0x4c00, 16, 16, 49, NULL },
	{ "copies", "/build/k/a", "c.h", 0x4d00, 16, 16, 48, NULL },
	{ "bare", "", "", 0x5000, 16, 16, 0, NULL },
	{ "file_only", "/d", "f.c", 0x5100, 16, 16, 0, NULL },
	{ "__restore_rt", "", "", 0x6000, 9, 16, 0, NULL },
	{ "odd\033\"\\", "/d", "o.c", 0x7000, 16, 16, 70, NULL },
	{ "bytes\xff\xc3", "/\xe9", "\xe2\x82.c", 0x7100, 16, 16, 71, NULL },
	{ "_ZN1a1fEv", "/d", "m.cpp", 0x8000, 16, 16, 80, NULL },
	{ "last", "/build/k/l", "l.c", 0x9000, 8, 0, 90, NULL },
	{ "head", "/build/k/h", "h.c", 0xa000, 10, 16, 100, NULL },
	{ "weak", "/build/k/h", "h.c", 0xa010, 10, 16, 101, NULL },
	{ "weaker", "/build/k/h", "h.c", 0xa020, 10, 32, 102, NULL },
	{ "static", "/build/k/h", "h.c", 0xa040, 10, 16, 103, NULL },
	{ "weak", "/build/k/i", "i.c", 0xa100, 10, 16, 104, NULL },
	{ "weaker", "/build/k/i", "i.c", 0xa200, 10, 16, 105, NULL },
	{ "heads", "/build/k/h", "h.c", 0xb000, 10, 16, 110, NULL },
	{ "weak", "/build/k/h", "h.c", 0xb010, 10, 16, 111, NULL },
	{ "heads", "/build/k/i", "i.c", 0xb100, 10, 16, 112, NULL },
	{ "weak", "/build/k/i", "i.c", 0xb110, 10, 16, 113, NULL },
	{ "heads", "/build/k/j", "j.c", 0xb200, 10, 16, 114, NULL },
	{ "entry_SYSCALL_64", "/home/arch/k/arch/x86/entry", "entry_64.S",
	  0xc000, 16, 16, 120, NULL },
};
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

static void take(void *context, const char *bytes, size_t size)
{
	struct run *r = context;

	r->text = realloc(r->text, r->size + size + 1);
	cr_assert_not_null(r->text);
	memcpy(r->text + r->size, bytes, size);
	r->size += size;
	r->text[r->size] = 0;
}

static void message(void *context, const struct gsym_markup_diagnostic *d)
{
	struct run *r = context;
	size_t used = strlen(r->messages);

	snprintf(r->messages + used, sizeof(r->messages) - used, "%s\n",
		 d->message);
}

static size_t code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity)
{
	struct run *r = context;
	size_t count = 0;

	cr_assert_eq(symbols, r);
	r->looked++;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct function *f = &functions[i];
		uint64_t end = f->start + (f->extent ? f->extent : f->size);

		if (address < f->start || address >= end || capacity < 2)
			continue;
		if (f->inlined && address == end - 1)
			frames[count++] = (struct gsym_markup_frame){
				f->inlined, "/build/k/include", "s.h", 5, 0, 0
			};
		frames[count++] = (struct gsym_markup_frame){
			f->name, f->directory,	    f->file, f->line,
			0,	 address - f->start
		};
		break;
	}
	return count;
}

static void *module(void *context, const struct gsym_markup_module *m)
{
	(void)m;
	return context;
}

/* Code from 0x1000 on.  A call, "call *%rax", ends at each multiple of 8 but
 * 0x6000. */
static struct gsym_markup_log_code code_with_calls(void)
{
	enum { SIZE = 0x6000, LONE = 0x5000, X86_64 = 62 };
	static uint8_t bytes[SIZE];

	memset(bytes, 0x90, SIZE);
	for (size_t end = 8; end <= SIZE; end += 8)
		if (end != LONE)
			memcpy(bytes + end - 2, "\xff\xd0", 2);
	return (struct gsym_markup_log_code){ bytes, SIZE, 0x1000, X86_64 };
}

static bool log_module(void *context, const struct gsym_markup_log_module *m,
		       struct gsym_markup_log_symbols *ret)
{
	struct run *r = context;

	r->asked++;
	snprintf(r->release, sizeof(r->release), "%.*s", (int)m->release_size,
		 m->release);
	snprintf(r->name, sizeof(r->name), "%.*s", (int)m->name_size, m->name);
	for (size_t i = 0; i < m->build_id_size && i < 20; i++)
		snprintf(r->id + 2 * i, 3, "%02x", m->build_id[i]);
	if (r->by_release && !m->release_size)
		return false;
	if ((m->name_size >= 7 && memcmp(m->name, "unknown", 7) == 0) ||
	    (m->name_size >= 8 && memcmp(m->name, "/unknown", 8) == 0))
		return false;
	ret->symbols = r;
	ret->certain = !r->guessed;
	ret->other = r->other;
	ret->lowest_known = !r->unplaced;
	ret->lowest = 0;
	ret->code_known = !r->unplaced;
	ret->code = 0x1000;
	if (r->calls)
		ret->text = code_with_calls();
	return true;
}

static size_t log_functions(void *context, void *symbols, const char *name,
			    size_t size, struct gsym_markup_log_function *to,
			    size_t capacity)
{
	struct run *r = context;
	size_t count = 0;

	cr_assert_eq(symbols, context);
	r->searched++;
	/* One more than there is room for; the first one begins as twice. */
	if (size == 5 && memcmp(name, "crowd", size) == 0) {
		for (; count < capacity; count++)
			to[count] = (struct gsym_markup_log_function){
				0x2000 + 32 * (count > 0), 16, 16
			};
		return capacity + 1;
	}
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct function *f = &functions[i];

		if (strlen(f->name) != size || memcmp(f->name, name, size) != 0)
			continue;
		if (count < capacity)
			to[count] = (struct gsym_markup_log_function){
				f->start, f->size, f->extent
			};
		count++;
	}
	return count;
}

static bool log_offset(void *context, void *symbols, uint64_t offset,
		       uint64_t *address)
{
	const struct run *r = context;

	cr_assert_eq(symbols, context);
	*address = offset + (offset < 0x1000 ? 0x1000 : 0x2000);
	return r->segments && offset < 0x2000;
}

static void frame(void *context, const struct gsym_markup_stack_frame *told)
{
	struct run *r = context;

	(void)told;
	r->told++;
}

static const char *demangle(void *context, const char *name, bool lasting)
{
	(void)context;
	(void)lasting;
	return strcmp(name, "_ZN1a1fEv") == 0 ? "a::f()" : name;
}

/* Three lines; the second one has a frame of the kernel. */
static const char *source(void *context, const struct gsym_markup_frame *frame,
			  uint32_t line, size_t *size)
{
	static const char *const lines[] = {
		"int\tx;",
		"\tf(\" one+0x8/0x20\");",
		"",
	};
	static char long_line[8192];
	const struct run *r = context;

	if (r->source_of && strcmp(r->source_of, "long") == 0) {
		memset(long_line, 'x', sizeof(long_line));
		*size = sizeof(long_line);
		return long_line;
	}
	if (!r->source_of || strcmp(frame->basename, r->source_of) != 0 ||
	    line < 9 || line > 11)
		return NULL;
	*size = strlen(lines[line - 9]);
	return lines[line - 9];
}

struct gsym_markup_host host_of(struct run *r)
{
	return (struct gsym_markup_host){
		.context = r,
		.write = take,
		.diagnose = message,
		.code = code,
		.demangle = demangle,
		.module = module,
		.logs.module = log_module,
		.logs.functions = log_functions,
		.logs.source = source,
		.frame = frame,
		.logs.offset = log_offset,
	};
}

void filter(struct run *r, const char *log, size_t size, size_t step,
	    const struct gsym_markup_options *options,
	    struct gsym_markup_log_count *counts)
{
	struct gsym_markup_host host = host_of(r);
	struct gsym_markup *f;

	cr_assert_eq(gsym_markup_new(&host, options, &f, NULL), GSYM_OK);
	/* Bytes that were fed may be gone. */
	for (size_t at = 0; at < size; at += step) {
		size_t part = size - at < step ? size - at : step;
		char *bytes = malloc(part);

		cr_assert(bytes);
		memcpy(bytes, log + at, part);
		gsym_markup_feed(f, bytes, part);
		memset(bytes, 'z', part);
		free(bytes);
	}
	cr_expect_eq(gsym_markup_finish(f), GSYM_OK);
	if (counts)
		cr_expect_eq(gsym_markup_log_counts(f, counts, 22), 22);
	gsym_markup_free(f);
	if (!r->text)
		take(r, "", 0);
}

struct gsym_markup_options all(void)
{
	return (struct gsym_markup_options){
		.logs.forms = GSYM_MARKUP_LOG_ALL,
		.logs.strip_kernel = true,
	};
}

void expect_once(const char *log, const char *wanted, const char *messages,
		 const struct gsym_markup_options *options, bool guessed)
{
	static const size_t steps[] = { 100000, 1, 7 };
	struct run r;

	for (size_t i = 0; i < 3; i++) {
		r = (struct run){ .guessed = guessed };
		filter(&r, log, strlen(log), steps[i], options, NULL);
		cr_expect_str_eq(r.text, wanted, "step %zu\n%s\nnot\n%s",
				 steps[i], r.text, wanted);
		if (messages)
			cr_expect_str_eq(r.messages, messages, "%s: %s", log,
					 r.messages);
		free(r.text);
	}
}

void expect_with(const char *log, const char *wanted, const char *messages,
		 const struct gsym_markup_options *options, bool guessed)
{
	struct run r;

	expect_once(log, wanted, messages, options, guessed);
	if (options->html || options->logs.script)
		return;
	r = (struct run){ .guessed = guessed };
	filter(&r, wanted, strlen(wanted), 100000, options, NULL);
	cr_expect_str_eq(r.text, wanted, "again\n%s\nnot\n%s", r.text, wanted);
	free(r.text);
}

void expect(const char *log, const char *wanted)
{
	struct gsym_markup_options options = all();

	expect_with(log, wanted, "", &options, false);
}
