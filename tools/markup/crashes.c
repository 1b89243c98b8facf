/* SPDX-License-Identifier: MIT */
/*
 * Collects the crashes of a log.  A crash is a stack trace; of the traces in a
 * report of a sanitizer only the first one counts, and each leak.  Crashes with
 * the same signature are the same crash.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/report.h"
#include "markup/markup.h"

enum {
	/* Functions of a crash, inlined ones included. */
	MOST_FRAMES = 256,
	/* Functions that the signature depends on, from the innermost on. */
	SIGNIFICANT = 8,
	/* Bytes of a line in which the report of a sanitizer begins. */
	MOST_HEAD = 512,
	MOST_KIND = 64,
	/* Room for the next two limits. */
	ROOM_PROCESSES = 4096,
	ROOM_MARKS = 4096,
};
#define MOST_PROCESSES GSYM_LIMIT(ROOM_PROCESSES, 1u)
/* Lines about reports that are ahead of the frames of the filter. */
#define MOST_MARKS GSYM_LIMIT(ROOM_MARKS, 1u)
/* Different crashes that are kept, and the functions of all of them. */
#define MOST_CRASHES GSYM_LIMIT(1u << 16, 1)
#define MOST_KEPT GSYM_LIMIT(1u << 21, 4)
/* Names that are kept, and bytes of each. */
#define MOST_TEXTS GSYM_LIMIT(1u << 16, 2)
#define LONGEST_TEXT GSYM_LIMIT(4096u, 16)

/* What a line of the log says about the report of a sanitizer. */
enum mark_kind { REPORT, LEAK, END };

struct mark {
	uint64_t line;
	enum mark_kind kind;
	char what[MOST_KIND], tool[MOST_KIND];
};

/* The stack trace of a process that has not ended yet. */
struct trace {
	bool open;
	/* A name is missing, for which there was no room: the signature would
	 * be that of another crash. */
	bool nameless;
	uint64_t first_line, last_number;
	char kind[MOST_KIND], tool[MOST_KIND];
	struct crash_frame frames[MOST_FRAMES];
	size_t count;
};

struct crashes {
	/* The log may have reports of the kernel. */
	bool kernel;
	/* The start of the line that crashes_scan reads, and its number. */
	char head[MOST_HEAD];
	size_t head_size;
	uint64_t line;
	/* Marks of lines whose frames may come yet: a ring of MARK_COUNT
	 * elements from index MARK_FIRST on. */
	struct mark marks[ROOM_MARKS];
	size_t mark_first, mark_count;
	/* The line of the last mark that had to make room before the frames of
	 * its line came. */
	uint64_t hurried;
	/* The report at hand: its name, and whether it has its trace. */
	bool in_report, reported;
	char what[MOST_KIND], tool[MOST_KIND];
	/* The traces, by the numbers of the names of their processes. */
	struct gsym_intern processes;
	struct trace *traces[ROOM_PROCESSES];
	/* Names of modules, and of functions that only the log names. */
	struct gsym_intern texts;
	/* The crashes, by the numbers of their signatures, and the sum of their
	 * frames. */
	struct gsym_intern signatures;
	GSYM_VEC(struct crash);
	size_t kept;
	/* Stack traces for which there was no room. */
	uint64_t lost;
};

struct crashes *crashes_new(bool kernel)
{
	struct crashes *c = must_have(calloc(1, sizeof(*c)));
	c->line = 1;
	c->kernel = kernel;
	return c;
}

void crashes_free(struct crashes *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->processes.count; i++)
		free(c->traces[i]);
	gsym_intern_fini(&c->processes);
	gsym_intern_fini(&c->texts);
	for (uint32_t i = 0; i < c->signatures.count; i++) {
		free(c->items[i].kind);
		free(c->items[i].tool);
		free(c->items[i].frames);
	}
	gsym_intern_fini(&c->signatures);
	free(c->items);
	free(c);
}

/* ---- reports of sanitizers ----------------------------------------------- */

static void add_mark(struct crashes *c, enum mark_kind kind, const char *what,
		     size_t size, const char *tool, size_t tool_size)
{
	struct mark *m = &c->marks[(c->mark_first + c->mark_count++) %
				   ROOM_MARKS];
	*m = (struct mark){ .line = c->line, .kind = kind };
	memcpy(m->what, what, size < MOST_KIND ? size : MOST_KIND - 1);
	memcpy(m->tool, tool,
	       tool_size < MOST_KIND ? tool_size : MOST_KIND - 1);
}

/* Bytes of the name of a defect at AT: "heap-use-after-free on address ...",
 * "data race (pid=1)", "signed integer overflow: 1 + ...". */
static size_t kind_size(const char *at, const char *end)
{
	const char *stop = at;
	while (stop < end && *stop != '(' && *stop != ':' &&
	       !(end - stop >= 4 && memcmp(stop, " on ", 4) == 0))
		stop++;
	while (stop > at && stop[-1] == ' ')
		stop--;
	return (size_t)(stop - at);
}

/* "==1==ERROR: AddressSanitizer: heap-use-after-free on address" */
static void mark_report(struct crashes *c, const char *at, const char *end,
			const char *colon)
{
	const char *what = colon + 2, *tool = colon;
	size_t length = (size_t)(end - at);
	if (memmem(at, length, "SUMMARY:", 8)) {
		add_mark(c, END, "", 0, "", 0);
		return;
	}
	if (!memmem(at, length, "ERROR:", 6) &&
	    !memmem(at, length, "WARNING:", 8))
		return;
	while (tool > at && tool[-1] != ' ')
		tool--;
	add_mark(c, REPORT, what, kind_size(what, end), tool,
		 (size_t)(colon - tool));
}

/* Note the report of the kernel whose kind is at AT: "kernel NULL pointer
 * dereference, address: 0000000000000008", "KASAN: use-after-free in f+0x1". */
static void mark_oops(struct crashes *c, const char *at, const char *end)
{
	static const char *const stops[] = { " in ", " for ", " at ", " - ",
					     ", ",   ": ",    NULL };
	const char *stop = end, *tool = "kernel", *colon;
	size_t tool_size = 6;
	colon = end - at > 8 && *at == 'K' ? memchr(at, ':', 8) : NULL;
	if (colon && colon[1] == ' ') {
		tool = at;
		tool_size = (size_t)(colon - at);
		at = colon + 2;
	}
	for (size_t i = 0; stops[i]; i++) {
		const char *found = memmem(at, (size_t)(end - at), stops[i],
					   strlen(stops[i]));
		if (found && found < stop)
			stop = found;
	}
	add_mark(c, REPORT, at, (size_t)(stop - at), tool, tool_size);
}

/* Note what a line of the kernel says about a report. */
static void mark_kernel(struct crashes *c, const char *at, const char *end)
{
	static const struct {
		const char *text;
		/* Bytes of TEXT that are no part of the kind. */
		size_t skip;
	} starts[] = {
		{ "BUG: ", 5 },
		{ "kernel BUG at ", 0 },
		{ "WARNING: CPU: ", 0 },
		{ "general protection fault", 0 },
		{ "Unable to handle kernel ", 0 },
	};
	size_t size = (size_t)(end - at);
	if (memmem(at, size, "---[ end trace ", 15)) {
		add_mark(c, END, "", 0, "", 0);
		return;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const char *found = memmem(at, size, starts[i].text,
					   strlen(starts[i].text));
		if (!found)
			continue;
		mark_oops(c, found + starts[i].skip, end);
		return;
	}
	if (memmem(at, size, "INFO: task ", 11))
		add_mark(c, REPORT, "hung task", 9, "kernel", 6);
}

/* Note what the line in HEAD, which has ended, says about a report. */
static void mark_line(struct crashes *c)
{
	static const char name[] = "Sanitizer: ", error[] = ": runtime error: ";
	const char *at = c->head, *end = at + c->head_size, *found;
	size_t size = c->head_size;
	found = memmem(at, size, name, sizeof(name) - 1);
	if (found) {
		mark_report(c, at, end, found + sizeof(name) - 3);
		return;
	}
	found = memmem(at, size, error, sizeof(error) - 1);
	if (found) {
		found += sizeof(error) - 1;
		add_mark(c, REPORT, found, kind_size(found, end),
			 "UndefinedBehaviorSanitizer", 26);
	} else if (memmem(at, size, "irect leak of ", 14)) {
		add_mark(c, LEAK, "memory leak", 11, "LeakSanitizer", 13);
	} else if (c->kernel) {
		mark_kernel(c, at, end);
	}
}

/* Let the oldest mark take effect. */
static void pass_mark(struct crashes *c)
{
	const struct mark *m = &c->marks[c->mark_first];
	c->mark_first = (c->mark_first + 1) % ROOM_MARKS;
	c->mark_count--;
	c->in_report = m->kind != END;
	c->reported = false;
	memcpy(c->what, m->what, sizeof(c->what));
	memcpy(c->tool, m->tool, sizeof(c->tool));
}

/* Let the marks of lines up to LINE take effect. */
static void pass_marks(struct crashes *c, uint64_t line)
{
	while (c->mark_count && c->marks[c->mark_first].line <= line)
		pass_mark(c);
}

size_t crashes_scan(struct crashes *c, const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size;
	/* The filter has had the lines of all marks. */
	if (c->mark_count == MOST_MARKS) {
		c->hurried = c->marks[c->mark_first].line;
		pass_mark(c);
	}
	while (at < end && c->mark_count < MOST_MARKS) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);
		size_t room = sizeof(c->head) - c->head_size;
		if (length > room)
			length = room;
		memcpy(c->head + c->head_size, at, length);
		c->head_size += length;
		if (!newline)
			return size;
		mark_line(c);
		c->head_size = 0;
		c->line++;
		at = newline + 1;
	}
	return (size_t)(at - bytes);
}

/* ---- signatures ---------------------------------------------------------- */

static uint64_t hash_more(uint64_t hash, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return (hash ^ '\n') * 0x100000001b3u;
}

/* Whether the function with the linkage NAME says nothing about a crash: it
 * allocates memory, reports the crash, or starts a thread. */
static bool is_skipped(const char *name)
{
	static const char *const starts[] = { "__interceptor_",
					      "___interceptor_",
					      "__asan_",
					      "__hwasan_",
					      "__msan_",
					      "__tsan_",
					      "__ubsan_",
					      "__lsan_",
					      "__sanitizer_",
					      "_ZN6__asan",
					      "_ZN8__hwasan",
					      "_ZN6__msan",
					      "_ZN6__tsan",
					      "_ZN7__ubsan",
					      "_ZN6__lsan",
					      "_ZN11__sanitizer",
					      "_ZN4llvm3sys15PrintStackTrace",
					      "llvm::sys::PrintStackTrace",
					      "_ZN4llvm3sys17RunSignalHandlers",
					      "llvm::sys::RunSignalHandlers",
					      "__scudo_",
					      "_ZN5scudo",
					      "_ZN8__scudo",
					      "je_",
					      "tc_",
					      "mi_",
					      "_Znw",
					      "_Zna",
					      "_Zdl",
					      "_Zda",
					      "__libc_start_",
					      "__GI_",
					      "__pthread_kill",
					      NULL };
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "reallocarray", "free", "cfree",
		"memalign", "aligned_alloc", "posix_memalign", "valloc",
		"abort", "raise", "gsignal", "pthread_kill", "__assert_fail",
		"__assert_fail_base", "_ZSt9terminatev", "__cxa_throw",
		"_ZN9__gnu_cxx27__verbose_terminate_handlerEv",
		"_ZN10__cxxabiv111__terminateEPFvvE", "__stack_chk_fail",
		"__fortify_fail", "__chk_fail", "_start", "clone", "clone3",
		"__clone", "__clone3", "start_thread", NULL
	};
	for (size_t i = 0; starts[i]; i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	for (size_t i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Bytes of the linkage NAME without the suffixes that compilers give to copies
 * and parts of a function: ".cold", ".isra.0", ".llvm.123". */
static size_t stable_size(const char *name)
{
	const char *dot = strchr(name + (*name == '.'), '.');
	return dot ? (size_t)(dot - name) : strlen(name);
}

/* The signature of T, whose frames are marked as skipped or not. */
static uint64_t sign(struct trace *t)
{
	uint64_t hash = 0xcbf29ce484222325u;
	const char *last = NULL;
	size_t significant = 0;
	hash = hash_more(hash, t->kind, strlen(t->kind));
	for (size_t i = 0; i < t->count; i++) {
		struct crash_frame *f = &t->frames[i];
		const char *name = *f->function ? f->function : f->module;
		/* A recursion may be of any depth. */
		f->skipped |= last && strcmp(name, last) == 0;
		if (significant == SIGNIFICANT)
			f->skipped = true;
		if (f->skipped)
			continue;
		hash = hash_more(hash, name, stable_size(name));
		last = name;
		significant++;
	}
	return hash;
}

static void mark_skipped(struct trace *t)
{
	size_t left = 0;
	for (size_t i = 0; i < t->count; i++) {
		struct crash_frame *f = &t->frames[i];
		f->skipped = f->inlined || is_skipped(f->function);
		left += !f->skipped;
	}
	for (size_t i = 0; i < t->count && !left; i++)
		t->frames[i].skipped = t->frames[i].inlined;
}

/* ---- crashes ------------------------------------------------------------- */

static char *copy(const char *text)
{
	return *text ? must_have(strdup(text)) : NULL;
}

static void add_crash(struct crashes *c, const struct trace *t,
		      uint64_t signature)
{
	size_t size = t->count * sizeof(*t->frames);
	struct crash *crash = must_push(c);
	*crash = (struct crash){
		.signature = signature,
		.kind = copy(t->kind),
		.tool = copy(t->tool),
		.first_line = t->first_line,
		.frames = must_have(malloc(size)),
		.frame_count = t->count,
	};
	memcpy(crash->frames, t->frames, size);
	c->kept += t->count;
}

/* The crash with the signature of T, which is made if there is room; NULL. */
static struct crash *crash_of(struct crashes *c, const struct trace *t,
			      uint64_t signature)
{
	uint32_t count = c->signatures.count, most = MOST_CRASHES;
	if (t->nameless)
		return NULL;
	/* The first one has room in any case. */
	if (count && c->kept + t->count > MOST_KEPT && count < most)
		most = count;
	uint32_t number = must_intern_within(&c->signatures, most, &signature,
					     sizeof(signature));
	if (number == most)
		return NULL;
	if (number == count)
		add_crash(c, t, signature);
	return &c->items[number];
}

/* The stack trace T has ended: count it. */
static void end_trace(struct crashes *c, struct trace *t)
{
	struct crash *crash;
	if (!t->open)
		return;
	t->open = false;
	mark_skipped(t);
	crash = crash_of(c, t, sign(t));
	if (!crash) {
		c->lost++;
		return;
	}
	crash->count++;
	/* Traces of several processes end in another order than they begin. */
	if (t->first_line < crash->first_line)
		crash->first_line = t->first_line;
	if (t->first_line > crash->last_line)
		crash->last_line = t->first_line;
}

/* ---- frames -------------------------------------------------------------- */

/* The trace of the process of FRAME; NULL if there are too many processes. */
static struct trace *trace_of(struct crashes *c,
			      const struct gsym_markup_stack_frame *frame)
{
	const char *name = frame->process_size ? frame->process : "";
	uint32_t number = must_intern_within(&c->processes, MOST_PROCESSES,
					     name, frame->process_size);
	if (number == MOST_PROCESSES)
		return NULL;
	if (!c->traces[number])
		c->traces[number] = must_have(calloc(1, sizeof(struct trace)));
	return c->traces[number];
}

/* A copy of the SIZE bytes at TEXT that lives as long as C; "" if there is no
 * room, which is noted in T. */
static const char *keep_text(struct crashes *c, struct trace *t,
			     const char *text, size_t size)
{
	uint32_t most = MOST_TEXTS;
	uint32_t number =
		size > LONGEST_TEXT
			? most
			: must_intern_within(&c->texts, most, text, size);
	if (number < most)
		return c->texts.entries[number].bytes;
	t->nameless = true;
	return "";
}

/* The base name of the module of FRAME. */
static const char *module_of(struct crashes *c, struct trace *t,
			     const struct gsym_markup_stack_frame *frame)
{
	size_t size = frame->module_size;
	const char *name =
		path_base_of(frame->module ? frame->module : "", &size);
	return size ? keep_text(c, t, name, size) : "";
}

static void add_frames(struct crashes *c, struct trace *t,
		       const struct gsym_markup_stack_frame *frame)
{
	const char *module = module_of(c, t, frame);
	size_t count = frame->count ? frame->count : 1;
	for (size_t i = 0; i < count && t->count < MOST_FRAMES; i++) {
		struct crash_frame *to = &t->frames[t->count++];
		*to = (struct crash_frame){ "", "", "", 0, module,
					    i + 1 < count, false };
		if (!frame->count && frame->name_size)
			to->function = keep_text(c, t, frame->name,
						 frame->name_size);
		if (!frame->count)
			break;
		to->function = frame->frames[i].function;
		to->directory = frame->frames[i].directory;
		to->basename = frame->frames[i].basename;
		to->line = frame->frames[i].line;
	}
}

static void begin_trace(struct crashes *c, struct trace *t, uint64_t line)
{
	t->first_line = line;
	/* The filter held the line back, and too many marks came meanwhile:
	 * its report is not known any more. */
	if (line < c->hurried) {
		t->open = false;
		c->lost++;
		return;
	}
	t->open = !(c->in_report && c->reported);
	t->nameless = false;
	t->count = 0;
	memset(t->kind, 0, sizeof(t->kind));
	memset(t->tool, 0, sizeof(t->tool));
	if (!c->in_report)
		return;
	c->reported = true;
	memcpy(t->kind, c->what, sizeof(t->kind));
	memcpy(t->tool, c->tool, sizeof(t->tool));
}

void crashes_frame(void *context, const struct gsym_markup_stack_frame *frame)
{
	struct crashes *c = ((struct markup *)context)->crashes;
	struct trace *t = trace_of(c, frame);
	pass_marks(c, frame->line);
	if (!t) {
		c->lost += frame->number == 0;
		return;
	}
	if (!t->first_line || frame->number <= t->last_number) {
		end_trace(c, t);
		begin_trace(c, t, frame->line);
	}
	t->last_number = frame->number;
	if (t->open)
		add_frames(c, t, frame);
}

/* The most frequent first; then in the order of the log. */
static int by_count(const void *a, const void *b)
{
	const struct crash *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->first_line != y->first_line)
		return x->first_line < y->first_line ? -1 : 1;
	return (x->signature > y->signature) - (x->signature < y->signature);
}

const struct crash *crashes_end(struct crashes *c, size_t *count,
				uint64_t *lost)
{
	for (uint32_t i = 0; i < c->processes.count; i++)
		end_trace(c, c->traces[i]);
	*count = c->signatures.count;
	if (*count)
		qsort(c->items, *count, sizeof(*c->items), by_count);
	*lost = c->lost;
	return c->items;
}
