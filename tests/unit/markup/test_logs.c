/* SPDX-License-Identifier: MIT */
/* Backtraces without markup, with a host that has made-up symbols. */
#include <criterion/criterion.h>
#include <gsym/markup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the host -------------------------------------------------------- */

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
};
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

struct run {
	/* The file that the source code is of. */
	const char *source_of;
	char *text;
	size_t size;
	char messages[8192];
	/* The host's answers are not certain. */
	bool guessed;
	/* Calls of log_module and code. */
	unsigned asked, looked;
	/* The kernel is known if its release is. */
	bool by_release;
	char release[80], id[80], name[80];
};

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

	(void)symbols;
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
	if (m->name_size >= 7 && memcmp(m->name, "unknown", 7) == 0)
		return false;
	ret->symbols = r;
	ret->certain = !r->guessed;
	ret->lowest_known = true;
	ret->lowest = 0;
	return true;
}

static size_t log_functions(void *context, void *symbols, const char *name,
			    size_t size, struct gsym_markup_log_function *to,
			    size_t capacity)
{
	size_t count = 0;

	(void)context;
	(void)symbols;
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

static void filter(struct run *r, const char *log, size_t size, size_t step,
		   const struct gsym_markup_options *options,
		   struct gsym_markup_log_count *counts)
{
	struct gsym_markup_host host = {
		.context = r,
		.write = take,
		.diagnose = message,
		.code = code,
		.demangle = demangle,
		.module = module,
		.log_module = log_module,
		.log_functions = log_functions,
		.source = source,
	};
	struct gsym_markup *f;

	cr_assert_eq(gsym_markup_new(&host, options, &f, NULL), GSYM_OK);
	for (size_t at = 0; at < size; at += step)
		gsym_markup_feed(f, log + at,
				 size - at < step ? size - at : step);
	cr_expect_eq(gsym_markup_finish(f), GSYM_OK);
	if (counts)
		cr_expect_eq(gsym_markup_log_counts(f, counts, 9), 9);
	gsym_markup_free(f);
	if (!r->text)
		take(r, "", 0);
}

static struct gsym_markup_options all(void)
{
	return (struct gsym_markup_options){
		.logs = GSYM_MARKUP_LOG_ALL,
		.strip_kernel = true,
	};
}

/* Expect that LOG becomes WANTED, and with pieces of any size, and that WANTED
 * stays. */
static void expect_with(const char *log, const char *wanted,
			const char *messages,
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
	if (options->html || options->log_script)
		return;
	r = (struct run){ .guessed = guessed };
	filter(&r, wanted, strlen(wanted), 100000, options, NULL);
	cr_expect_str_eq(r.text, wanted, "again\n%s\nnot\n%s", r.text, wanted);
	free(r.text);
}

static void expect(const char *log, const char *wanted)
{
	struct gsym_markup_options options = all();

	expect_with(log, wanted, "", &options, false);
}

/* ---- the kernel ------------------------------------------------------ */

Test(logs, kernel_names_and_sizes)
{
	struct gsym_markup_options options = all();

	/* One function; several, told apart by size; several that are not. */
	expect("[ 1.1]  one+0x8/0x20\n",
	       "[ 1.1]  one+0x8/0x20 (fs/one.c:10)\n");
	expect(" twice+0x8/0x20\n", " twice+0x8/0x20 (b/b.c:21)\n");
	expect(" twice+0x8/0x10 [m]\n", " twice+0x8/0x10 [m] (a/a.c:20)\n");
	expect(" same+0x8/0x10\n", " same+0x8/0x10 (a/a.c:30 or b/b.c:31)\n");
	expect(" equal+0x8/0x10\n", " equal+0x8/0x10 (a/e.h:32)\n");
	expect(" many+0x8/0x10\n", " many+0x8/0x10\n");
	expect(" copies+0x8/0x10\n",
	       " copies+0x8/0x10 (a/c.h:48 or a/d.h:49)\n");
	/* A clone has the name with a suffix. */
	expect(" one.isra.0+0x8/0x20\n",
	       " one.isra.0+0x8/0x20 (fs/one.c:10)\n");
	expect(" one.cold+0x8/0x20\n", " one.cold+0x8/0x20 (fs/one.c:10)\n");
	expect(" one.cold.x+0x8/0x20\n", " one.cold.x+0x8/0x20\n");
	/* Another size: one message for a module. */
	expect_with(" one+0x8/0x21\n one+0x9/0x21\n",
		    " one+0x8/0x21\n one+0x9/0x21\n",
		    "one has 0x20 bytes in the symbols of vmlinux, 0x21 in the "
		    "log: another build?\n",
		    &options, false);
	options.log_any_build = true;
	expect_with(" twice+0x8/0x1f\n", " twice+0x8/0x1f (b/b.c:21)\n", "",
		    &options, false);
}

/* The kernel's symbols lack weak functions that others replace: functions
 * before them seem to be longer. */
Test(logs, kernel_dead_functions)
{
	struct gsym_markup_options options = all();
	static const char message[] =
		"head has 0x10 bytes in the symbols of vmlinux, 0x%s in the "
		"log: another build?\n";
	char said[200];

	expect(" head+0x8/0x20\n head+0x10/0x40\n",
	       " head+0x8/0x20 (h/h.c:100)\n head+0x10/0x40 (h/h.c:100)\n");
	/* Its own code, no dead code; whole functions; no other's name. */
	snprintf(said, sizeof(said), message, "20");
	expect_with(" head+0x11/0x20\n", " head+0x11/0x20\n", said, &options,
		    false);
	snprintf(said, sizeof(said), message, "30");
	expect_with(" head+0x8/0x30\n", " head+0x8/0x30\n", said, &options,
		    false);
	snprintf(said, sizeof(said), message, "50");
	expect_with(" head+0x8/0x50\n", " head+0x8/0x50\n", said, &options,
		    false);
}

/* Several functions of a name may have dead ones after them. */
Test(logs, kernel_dead_functions_of_one_name)
{
	expect(" heads+0x8/0x20\n",
	       " heads+0x8/0x20 (h/h.c:110 or i/i.c:112)\n");
}

/* A line with frames of another build costs a bounded number of look-ups. */
Test(logs, kernel_dead_functions_are_few)
{
	struct gsym_markup_options options = all();
	static const char frame[] = "\"head+0x8/0x50\",";
	enum { FRAMES = 5000, SIZE = sizeof(frame) - 1 };
	char *log = malloc((size_t)FRAMES * SIZE + 40);
	struct run r = { 0 };
	size_t size = 1;

	cr_assert_not_null(log);
	log[0] = '[';
	for (size_t i = 0; i < FRAMES; i++, size += SIZE)
		memcpy(log + size, frame, SIZE);
	strcpy(log + size, "\"\"]\n head+0x8/0x20\n");
	filter(&r, log, strlen(log), 1 << 20, &options, NULL);
	cr_expect(strstr(r.text, " head+0x8/0x20 (h/h.c:100)\n"));
	cr_expect_lt(r.looked, 1100, "%u look-ups", r.looked);
	free(r.text);
	free(log);
}

Test(logs, kernel_offsets)
{
	struct gsym_markup_options options = all();

	/* A call that is the last instruction returns to the end. */
	expect(" one+0x20/0x20\n", " small (include/s.h:5) [inline]\n"
				   " one+0x20/0x20 (fs/one.c:10)\n");
	expect(" one+0x0/0x20\n", " one+0x0/0x20 (fs/one.c:10)\n");
	expect(" one+0x21/0x20\n", " one+0x21/0x20\n");
	/* The bytes up to the end of a section are not known. */
	expect(" last+0x8/0x10\n", " last+0x8/0x10 (l/l.c:90)\n");
	expect_with(" last+0x4/0x7\n", " last+0x4/0x7\n",
		    "last has 0x8 bytes in the symbols of vmlinux, 0x7 in the "
		    "log: another build?\n",
		    &options, false);
}

Test(logs, kernel_exact_addresses)
{
	/* 0x1f has an inlined call.  A return address of 0x20 does, too. */
	expect("RIP: 0010:one+0x1f/0x20\n ? one+0x1f/0x20\n",
	       "small (include/s.h:5) [inline]\n"
	       "RIP: 0010:one+0x1f/0x20 (fs/one.c:10)\n"
	       " small (include/s.h:5) [inline]\n"
	       " ? one+0x1f/0x20 (fs/one.c:10)\n");
	expect("RIP: 0010:one+0x1f/0x20\n---[ end trace 0 ]---\n"
	       " one+0x1f/0x20\n",
	       "small (include/s.h:5) [inline]\n"
	       "RIP: 0010:one+0x1f/0x20 (fs/one.c:10)\n"
	       "---[ end trace 0 ]---\n one+0x1f/0x20 (fs/one.c:10)\n");
	expect("RIP: 0010:one+0x1f/0x20\n"
	       "WARNING: CPU: 0 PID: 1 at a.c:1 twice+0x8/0x10\n"
	       " one+0x1f/0x20\n",
	       "small (include/s.h:5) [inline]\n"
	       "RIP: 0010:one+0x1f/0x20 (fs/one.c:10)\n"
	       "WARNING: CPU: 0 PID: 1 at a.c:1 twice+0x8/0x10 (a/a.c:20)\n"
	       " one+0x1f/0x20 (fs/one.c:10)\n");
}

Test(logs, kernel_release_and_build_id)
{
	static const char log[] = " one+0x8/0x20\n"
				  "CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1 "
				  "0123456789abcdef0123456789abcdef01234567\n"
				  " one+0x8/0x20\n one+0x8/0x20\n";
	struct gsym_markup_options options = all();
	struct run r = { 0 };

	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect_eq(r.asked, 2, "asked %u times", r.asked);
	cr_expect_str_eq(r.release, "6.1.0");
	cr_expect_str_eq(r.id, "0123456789abcdef0123456789abcdef01234567");
	free(r.text);
}

/* The first line of a report waits for the release. */
static const char warning[] = "WARNING: CPU: 0 PID: 1 at a.c:1 one+0x8/0x20\n"
			      "Modules linked in: x\n"
			      "CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1\n"
			      " one+0x8/0x20\n";
static const char answered[] =
	"WARNING: CPU: 0 PID: 1 at a.c:1 one+0x8/0x20 (fs/one.c:10)\n"
	"Modules linked in: x\n"
	"CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1\n"
	" one+0x8/0x20 (fs/one.c:10)\n";

Test(logs, kernel_first_line)
{
	struct gsym_markup_options options = all();

	for (size_t step = 1; step < 300; step += 97) {
		struct run r = { .by_release = true };

		filter(&r, warning, sizeof(warning) - 1, step, &options, NULL);
		cr_expect_str_eq(r.text, answered, "%s", r.text);
		cr_expect_str_eq(r.messages, "", "%s", r.messages);
		free(r.text);
	}
	/* A log that ends before the release. */
	static const char *const ends[] = { "\n", "", "\nx", "\r\nx\r\n" };
	for (size_t i = 0; i < 4; i++) {
		struct run r = { .by_release = true };
		char log[128];

		snprintf(log, sizeof(log), "BUG: KASAN: x in one+0x8/0x20%s",
			 ends[i]);
		filter(&r, log, strlen(log), 1000, &options, NULL);
		cr_expect_str_eq(r.text, log);
		cr_expect_str_eq(r.messages, "no symbols for the kernel\n");
		free(r.text);
	}
}

Test(logs, kernel_first_line_is_not_held_for_long)
{
	struct gsym_markup_options options = all();
	struct gsym_markup_host host = {
		.write = take,
		.code = code,
		.log_module = log_module,
		.log_functions = log_functions,
	};
	struct run r = { .by_release = true };
	struct gsym_markup *f;

	/* 32 lines at most. */
	host.context = &r;
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_feed(f, warning, 66);
	for (int i = 0; i < 40; i++)
		gsym_markup_feed(f, "x\n", 2);
	gsym_markup_flush(f);
	cr_assert_not_null(r.text);
	cr_expect(r.size == 66 + 80, "%zu", r.size);
	gsym_markup_free(f);
	free(r.text);

	/* 200 milliseconds at most. */
	r = (struct run){ .by_release = true };
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_clock(f, 1000);
	gsym_markup_feed(f, warning, 66);
	cr_expect_eq(gsym_markup_clock(f, 1100), 100);
	cr_expect_eq(r.size, 0);
	gsym_markup_clock(f, 1200);
	cr_expect_eq(r.size, 66);
	gsym_markup_free(f);
	free(r.text);
}

/* ---- programs -------------------------------------------------------- */

Test(logs, signal_frames)
{
	/* 0x1020 is exact behind the trampoline: no inlined call. */
	expect("p(+0x1020)[0x10001020]\n",
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "p(+0x1020)[0x10001020] one (/build/k/fs/one.c:10)\n");
	expect("p(+0x6000)[0x10006000]\np(+0x1010)[0x10001010]\n"
	       "p(+0x1020)[0x10001020]\n",
	       "p(+0x6000)[0x10006000] __restore_rt\n"
	       "p(+0x1010)[0x10001010] one (/build/k/fs/one.c:10)\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "p(+0x1020)[0x10001020] one (/build/k/fs/one.c:10)\n");
	expect("p(+0x6000)[0x10006000]\np(+0x101f)[0x1000101f]\n",
	       "p(+0x6000)[0x10006000] __restore_rt\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "p(+0x101f)[0x1000101f] one (/build/k/fs/one.c:10)\n");
}

Test(logs, load_bias)
{
	/* The names in parentheses are in no symbols, but the bias is known
	 * from the first line. */
	expect("/p(+0x5108)[0x10005108]\n/p(x+0x5)[0x10001005]\n",
	       "/p(+0x5108)[0x10005108] file_only (/d/f.c)\n"
	       "/p(x+0x5)[0x10001005] one (/build/k/fs/one.c:10)\n");
	/* Without it the function and the place in the page tell. */
	expect("/p(twice+0x5)[0x10002105]\n",
	       "/p(twice+0x5)[0x10002105] (/build/k/b/b.c:21)\n");
	expect("/p(twice+0x5)[0x10002205]\n", "/p(twice+0x5)[0x10002205]\n");
	/* A bias that is not at a page is none. */
	expect("/p(+0x5108)[0x10005109]\n/p(x+0x5)[0x10001005]\n",
	       "/p(+0x5108)[0x10005109] file_only (/d/f.c)\n"
	       "/p(x+0x5)[0x10001005]\n");
}

Test(logs, bias_of_each_process)
{
	struct gsym_markup_options options = all();

	options.headers = GSYM_MARKUP_HEADERS_SYSLOG;
	expect_with("h a[1]: /p(+0x5108)[0x10005108]\n"
		    "h a[2]: /p(x+0x5)[0x10001005]\n"
		    "h a[2]: /p(+0x5108)[0x20005108]\n"
		    "h a[1]: /p(x+0x5)[0x10001005]\n"
		    "h a[2]: /p(x+0x5)[0x20001005]\n",
		    "h a[1]: /p(+0x5108)[0x10005108] file_only (/d/f.c)\n"
		    "h a[2]: /p(x+0x5)[0x10001005]\n"
		    "h a[2]: /p(+0x5108)[0x20005108] file_only (/d/f.c)\n"
		    "h a[1]: /p(x+0x5)[0x10001005] one "
		    "(/build/k/fs/one.c:10)\n"
		    "h a[2]: /p(x+0x5)[0x20001005] one "
		    "(/build/k/fs/one.c:10)\n",
		    NULL, &options, false);
}

Test(logs, names_of_the_log_are_compared)
{
	struct gsym_markup_options options = all();
	static const char agrees[] = "#00 pc 00001008  l.so (one+8)\n";
	static const char mangled[] = "#00 pc 00008008  l.so (a::f()+8)\n";
	static const char version[] = "C  [l.so+0x1008]  one@@V_1+0x8\n";
	static const char other[] = "#00 pc 00001008  l.so (x+8)\n";
	/* A function of the symbols, although elsewhere. */
	static const char moved[] = "#00 pc 00001008  l.so (twice+8)\n";
	static const char old[] =
		"*** *** *** ***\nBuild fingerprint: 'a/b/c:10/x/1'\n"
		"#00 pc 00001008  l.so (twice+8)\n";

	expect_with(agrees,
		    "#00 pc 00001008  l.so (one+8) (/build/k/fs/one.c:10)\n",
		    "", &options, true);
	expect_with(mangled, "#00 pc 00008008  l.so (a::f()+8) (/d/m.cpp:80)\n",
		    "", &options, true);
	expect_with(version,
		    "C  [l.so+0x1008]  one@@V_1+0x8 (/build/k/fs/one.c:10)\n",
		    "", &options, true);
	expect_with(other, other,
		    "the symbols of \"l.so\" do not have x where the log has "
		    "it: another build?\n",
		    &options, true);
	expect_with(moved,
		    "#00 pc 00001008  l.so (twice+8) one "
		    "(/build/k/fs/one.c:10)\n",
		    NULL, &options, true);
	expect_with(old, old, NULL, &options, true);
	/* A build ID needs no such check. */
	expect_with(other,
		    "#00 pc 00001008  l.so (x+8) one "
		    "(/build/k/fs/one.c:10)\n",
		    "", &options, false);
}

Test(logs, systemd_modules)
{
	static const char log[] =
		"Process 7 (p) of user 1000 dumped core.\n"
		"Module p with build-id 00112233445566778899\n"
		"#0  0x0000000000001020 n/a (p + 0x101f)\n"
		"#1  0x0000000000001020 n/a (p + 0x1020)\n";
	struct gsym_markup_options options = all();
	struct run r = { 0 };

	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.id, "00112233445566778899");
	cr_expect(
		strstr(r.text, "#0  0x0000000000001020 n/a (p + 0x101f) one"));
	cr_expect(strstr(r.text, "small (/build/k/include/s.h:5) [inline]\n"
				 "#1  0x0000000000001020"));
	free(r.text);

	/* The modules of another process are forgotten. */
	static const char two[] =
		"Process 7 (p) of user 1000 dumped core.\n"
		"Module p with build-id 00112233445566778899\n"
		"Process 8 (p) of user 1000 dumped core.\n"
		"#0  0x0000000000001020 n/a (p + 0x1020)\n";
	r = (struct run){ 0 };
	filter(&r, two, sizeof(two) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.id, "");
	free(r.text);
}

Test(logs, jvm_frames)
{
	/* The first native frame, and the frame in the head, are exact. */
	expect("Stack: [0x1,0x2]\nNative frames: (x)\n"
	       "C  [l.so+0x1020]\nC  [l.so+0x1020]\n",
	       "Stack: [0x1,0x2]\nNative frames: (x)\n"
	       "C  [l.so+0x1020]\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "C  [l.so+0x1020] one (/build/k/fs/one.c:10)\n");
	expect("# C  [l.so+0x1008]\nC  [l.so+0x1008]  one+0x8\n",
	       "# C  [l.so+0x1008] one (/build/k/fs/one.c:10)\n"
	       "C  [l.so+0x1008]  one+0x8 (/build/k/fs/one.c:10)\n");
}

/* ---- frames that wait for what lies in memory ------------------------ */

#define IMAGE "0x7000000 - 0x700ffff A arm64 <%s> /x/A\n"

Test(logs, apple_images_after_frames)
{
	struct gsym_markup_options options = all();
	static const char *const ids[] = {
		"00112233445566778899aabbccddeeff",
		"00112233-4455-6677-8899-AABBCCDDEEFF",
	};
	char log[600], wanted[600];

	for (size_t i = 0; i < 2; i++) {
		struct run r = { 0 };
		size_t end = (size_t)snprintf(
			log, sizeof(log),
			"0   A     0x7001008 0x7000000 + 4104\n"
			"1   A     0x7001009 one + 9\n"
			"2   B     0x9001009 0x9000000 + 4105\n"
			"Binary Images:\n" IMAGE "\n", ids[i]);
		snprintf(wanted, sizeof(wanted),
			 "0   A     0x7001008 0x7000000 + 4104 one "
			 "(/build/k/fs/one.c:10)\n"
			 "1   A     0x7001009 one + 9 "
			 "(/build/k/fs/one.c:10)\n"
			 "2   B     0x9001009 0x9000000 + 4105\n"
			 "Binary Images:\n" IMAGE "\n", ids[i]);
		filter(&r, log, end, 7, &options, NULL);
		cr_expect_str_eq(r.text, wanted, "%s", r.text);
		cr_expect_str_eq(r.id, "00112233445566778899aabbccddeeff");
		cr_expect_str_eq(r.name, "/x/A");
		free(r.text);
	}
}

/* A report begins with the process, and has images of its own. */
Test(logs, apple_reports)
{
	static const char line[] = "0   A     0x7001008 one + 8\n";
	char log[600], wanted[600];

	/* Frames with a function alone do not wait. */
	expect(line, line);
	snprintf(log, sizeof(log), "Process:   A [7]\n%s" IMAGE "\n%s", line,
		 "00112233445566778899aabbccddeeff", line);
	snprintf(wanted, sizeof(wanted),
		 "Process:   A [7]\n0   A     0x7001008 one + 8 "
		 "(/build/k/fs/one.c:10)\n" IMAGE "\n%s",
		 "00112233445566778899aabbccddeeff", line);
	expect(log, wanted);
}

#define MAP                                                                   \
	"7000000-7001000 r--p 00000000 08:01 1 /x/p\n"                        \
	"7001000-7002000 r-xp 00001000 08:01 1 /x/p\n"
#define ANSWER " one (/build/k/fs/one.c:10)\n"

Test(logs, maps)
{
	struct gsym_markup_options options = all();
	static const char *const logs[][2] = {
		/* Before the frame, and after it. */
		{ MAP "#1 0x7001009\n", MAP "#1 0x7001009" ANSWER },
		{ "#1 0x7001009\n" MAP "x\n", "#1 0x7001009" ANSWER MAP
						"x\n" },
		/* A map that came after frames is of those alone. */
		{ "#1 0x7001009\n" MAP "#1 0x7001009\n",
		  "#1 0x7001009" ANSWER MAP "#1 0x7001009\n" },
		/* The map of another process; the first page is unknown. */
		{ MAP "5000000-5001000 r-xp 00000000 08:01 1 /x/q\n"
		      "#1 0x7001009\n",
		  MAP "5000000-5001000 r-xp 00000000 08:01 1 /x/q\n"
		      "#1 0x7001009\n" },
		{ "7001000-7002000 r-xp 00001000 08:01 1 /x/p\n"
		  "#1 0x7001009\n",
		  "7001000-7002000 r-xp 00001000 08:01 1 /x/p\n"
		  "#1 0x7001009\n" },
		/* Elements of markup. */
		{ "{{{module:0:p:elf:aa}}}\n"
		  "{{{mmap:0x7000000:0x5000:load:0:rx:0x0}}}\n"
		  "#1 0x7001009\n",
		  "[[[ELF module #0x0 \"p\"; BuildID=aa "
		  "[0x7000000-0x7004fff](rx)]]]\n#1 0x7001009" ANSWER },
		/* No map. */
		{ "#1 0x7001009\nx\n", "#1 0x7001009\nx\n" },
	};

	options.logs = GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		expect_with(logs[i][0], logs[i][1], NULL, &options, false);
}

/* ---- output ---------------------------------------------------------- */

Test(logs, inlines)
{
	struct gsym_markup_options options = all();
	static const char log[] = "#0 0x1 (p+0x101f)\n";

	expect(log, "#0 0x1 in small /build/k/include/s.h:5\n"
		    "#0 0x1 in one /build/k/fs/one.c:10 (p+0x101f)\n");
	options.log_inlines = GSYM_MARKUP_LOG_INLINES_NONE;
	expect_with(log, "#0 0x1 in one /build/k/fs/one.c:10 (p+0x101f)\n", "",
		    &options, false);
	options.log_inlines = GSYM_MARKUP_LOG_INLINES_SHORT;
	expect_with(log,
		    "#0 0x1 in one /build/k/include/s.h:5 < "
		    "/build/k/fs/one.c:10 (p+0x101f)\n",
		    "", &options, false);
	expect_with(" one+0x20/0x20\n",
		    " one+0x20/0x20 (include/s.h:5 < fs/one.c:10)\n", "",
		    &options, false);
	expect_with("p(+0x1020)[0x10001020]\n",
		    "p(+0x1020)[0x10001020] one (/build/k/include/s.h:5 < "
		    "/build/k/fs/one.c:10)\n",
		    "", &options, false);
}

Test(logs, sanitizer_lines)
{
	expect("#0 <null> <null> (p+0x1008)\r\n",
	       "#0 one /build/k/fs/one.c:10 (p+0x1008)\r\n");
	expect("#0 0x1 in one (p+0x1008)", "#0 0x1 in one "
					   "/build/k/fs/one.c:10 (p+0x1008)");
	expect("#0 0x1  (p+0x5008)\n", "#0 0x1 in bare (p+0x5008)\n");
	expect("#0 0x1  (p+0x5108)\n",
	       "#0 0x1 in file_only /d/f.c (p+0x5108)\n");
	/* LLVM's crash dumps have return addresses, and no "in". */
	expect("#0 0x0000000000001020 (p+0x1020)\n",
	       "#0 0x0000000000001020 small /build/k/include/s.h:5\n"
	       "#0 0x0000000000001020 one /build/k/fs/one.c:10 (p+0x1020)\n");
}

/* Expect that LOG becomes WANTED with COUNT lines of source code of one.c, and
 * that WANTED stays. */
static void expect_source(const char *log, const char *wanted, size_t count)
{
	struct gsym_markup_options options = all();
	const char *from[] = { log, wanted };

	options.log_source_lines = count;
	for (size_t i = 0; i < 2; i++) {
		struct run r = { .source_of = "one.c" };

		filter(&r, from[i], strlen(from[i]), 100000, &options, NULL);
		cr_expect_str_eq(r.text, wanted, "%zu:\n%s\nnot\n%s", i,
				 r.text, wanted);
		free(r.text);
	}
}

Test(logs, source_code)
{
	static const char frame[] = "[ 1.1]  one+0x8/0x20 (fs/one.c:10)\n";
	static const char *const code[] = {
		"[ 1.1]         9 | int     x;\n",
		"[ 1.1]      > 10 |         f(\" one+0x8/0x20\");\n",
		"[ 1.1]        11 | \n",
	};
	char wanted[400];

	expect_source("[ 1.1]  one+0x8/0x20\n", frame, 0);
	snprintf(wanted, sizeof(wanted), "%s%s", frame, code[1]);
	expect_source("[ 1.1]  one+0x8/0x20\n", wanted, 1);
	snprintf(wanted, sizeof(wanted), "%s%s%s%s", frame, code[0], code[1],
		 code[2]);
	expect_source("[ 1.1]  one+0x8/0x20\n", wanted, 3);
	/* Lines before the first one that the host has end the text; a line
	 * without end gets one. */
	expect_source("[ 1.1]  one+0x8/0x20\n", frame, 5);
	expect_source("[ 1.1]  one+0x8/0x20", wanted, 3);
	/* Another file; several functions; JSON. */
	expect_source(" twice+0x8/0x10\n", " twice+0x8/0x10 (a/a.c:20)\n", 3);
	expect_source("{\"a\":\" one+0x8/0x20\"}\n",
		      "{\"a\":\" one+0x8/0x20 (fs/one.c:10)\"}\n", 3);
	/* No source code: too few blanks, no number, no bar. */
	expect_source("   > 10 | one+0x8/0x20\n     10 | one+0x8/0x20\n"
		      "    > 1a | one+0x8/0x20\n    > 10 one+0x8/0x20\n",
		      "   > 10 | one+0x8/0x20 (fs/one.c:10)\n"
		      "     10 | one+0x8/0x20 (fs/one.c:10)\n"
		      "    > 1a | one+0x8/0x20 (fs/one.c:10)\n"
		      "    > 10 one+0x8/0x20 (fs/one.c:10)\n",
		      0);
}

/* The lines that are added to one line of the log have a bound, however many
 * frames it has. */
Test(logs, source_code_of_many_frames)
{
	const char frame[] = " one+0x1f/0x20";
	struct gsym_markup_options options = all();
	struct run r = { .source_of = "long" };
	char log[64 * (sizeof(frame) - 1) + 2] = "";

	options.log_source_lines = GSYM_MARKUP_MAX_SOURCE;
	for (int i = 0; i < 64; i++)
		strcat(log, frame);
	strcat(log, "\n");
	filter(&r, log, strlen(log), 100000, &options, NULL);
	cr_expect_gt(r.size, 64 << 10);
	cr_expect_lt(r.size, 90 << 10, "%zu bytes", r.size);
	free(r.text);
}

Test(logs, json)
{
	expect("{\"log\":\" #0 0x1  (p+0x101f)\\n\",\"s\":1}\n",
	       "{\"log\":\" #0 0x1 in one /build/k/include/s.h:5 < "
	       "/build/k/fs/one.c:10 (p+0x101f)\\n\",\"s\":1}\n");
	expect("{\"log\":\" one+0x8/0x20\"}\n",
	       "{\"log\":\" one+0x8/0x20 (fs/one.c:10)\"}\n");
	/* Several frames in a string; names with bytes that JSON escapes. */
	expect("{\"stack\":\"#0 0x1 (p+0x1008)\\n#1 0x1 (p+0x7008)\"}\n",
	       "{\"stack\":\"#0 0x1 in one /build/k/fs/one.c:10 (p+0x1008)\\n"
	       "#1 0x1 in odd\\\\x1b\\\"\\\\ /d/o.c:70 (p+0x7008)\"}\n");
}

/* Lines that someone has numbered look as lines of source code do. */
Test(logs, numbered_lines)
{
	expect("       9 |  one+0x8/0x20\n      10 |  one+0x8/0x20\n",
	       "       9 |  one+0x8/0x20 (fs/one.c:10)\n"
	       "      10 |  one+0x8/0x20 (fs/one.c:10)\n");
}

/* Whether a log comes in pieces makes no difference to such lines. */
Test(logs, facts_outside_their_reports)
{
	expect("Native frames:\nC  [p+0x1020]\n",
	       "Native frames:\n"
	       "small (/build/k/include/s.h:5) [inline]\n"
	       "C  [p+0x1020] one (/build/k/fs/one.c:10)\n");
}

/* The name of a thread may be that of a function. */
Test(logs, words_around_a_frame)
{
	expect("[one] p(+0x1008)[0x10001008]\n",
	       "[one] p(+0x1008)[0x10001008] one (/build/k/fs/one.c:10)\n");
	expect("{\"a\":\"p(+0x1008)[0x10001008]\",\"thread\":\"one\"}\n",
	       "{\"a\":\"p(+0x1008)[0x10001008] one (/build/k/fs/one.c:10)\","
	       "\"thread\":\"one\"}\n");
}

Test(logs, prefixes)
{
	static const char *const prefixes[] = { "/x", "/build/", "/d" };
	struct gsym_markup_options options = all();

	options.strip_prefixes = prefixes;
	options.strip_prefix_count = 3;
	expect_with("p(+0x1008)[0x10001008]\np(+0x5108)[0x10005108]\n",
		    "p(+0x1008)[0x10001008] one (k/fs/one.c:10)\n"
		    "p(+0x5108)[0x10005108] file_only (f.c)\n",
		    "", &options, false);
	options.strip_prefix_count = 0;
	options.strip_kernel = false;
	expect_with(" one+0x8/0x20\n", " one+0x8/0x20 (/build/k/fs/one.c:10)\n",
		    "", &options, false);
}

Test(logs, colour)
{
	struct gsym_markup_options options = all();

	options.colour = true;
	expect_with("\033[1mp\033[0m #0 0x1 (p+0x1008)\n",
		    "\033[1mp\033[0m #0 0x1 in \033[0;34mone\033[0m "
		    "/build/k/fs/one.c:10 (p+0x1008)\n",
		    "", &options, false);
}

Test(logs, html)
{
	struct gsym_markup_options options = all();
	struct run r = { 0 };
	static const char log[] = "<b> #0 0x1 (p+0x101f)\n";

	options.html = true;
	options.source_url = "u/%f#%l";
	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect(strstr(r.text, "&lt;b&gt; #0 0x1"), "%s", r.text);
	cr_expect(strstr(r.text, "class=\"sym frame sanitizer\""));
	cr_expect(strstr(r.text, "<a href=\"u//build/k/fs/one.c#10\">"));
	cr_expect(strstr(r.text, "  inlined into one /build/k/fs/one.c:10"));
	cr_expect(strstr(r.text, "<i>looked up:</i> 0x101f"));
	cr_expect(strstr(r.text, "<i>module:</i> p"));
	free(r.text);
}

Test(logs, script)
{
	struct gsym_markup_options options = all();

	options.log_script = true;
	expect_with("[ 1.1]  ? one+0x20/0x20 [m]\n",
		    "[ 1.1]  ? one (include/s.h:5 fs/one.c:10) m\n", "",
		    &options, false);
	expect_with("  #0 0x1  (p+0x101f) (BuildId: 0123abcd)\n"
		    "  #1 0x2  (unknown+0x1)\n  #2 0x3 in x (p+0x1008)\n"
		    "  #0 0x3  (p+0x1008)\n",
		    "  #0 0x1 in small /build/k/include/s.h:5\n"
		    "  #1 0x1 in one /build/k/fs/one.c:10\n"
		    "  #2 0x2  (unknown+0x1)\n"
		    "  #3 0x3 in one /build/k/fs/one.c:10\n"
		    "  #0 0x3 in one /build/k/fs/one.c:10\n",
		    NULL, &options, false);
	expect_with("x #00 pc 00001008  /l.so (one+8)\n",
		    "#00 0x00001008 /l.so (one+8)\n"
		    "                      one\n"
		    "                      /build/k/fs/one.c:10\n",
		    "", &options, false);
}

Test(logs, lines_that_stay)
{
	struct gsym_markup_options options = all();
	struct run r = { 0 };
	static const char both[] = "{{{symbol:x}}} one+0x8/0x20\n";

	/* A line with an element is markup. */
	filter(&r, both, sizeof(both) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.text, "x one+0x8/0x20\n");
	free(r.text);
	expect(" one+0x8/0x20 (a.c:7)\n", " one+0x8/0x20 (a.c:7)\n");
	expect("unknown[0x10]\n", "unknown[0x10]\n");
	expect("#0 0x1 (p+0xffff)\n", "#0 0x1 (p+0xffff)\n");
}

Test(logs, counts)
{
	static const char log[] =
		" one+0x8/0x20\n one+0x8/0x21\n none+0x8/0x20\n"
		"#0 0x1 (unknown+0x1)\n#0 0x1 (unknown+0x2)\n"
		"#0 0x1 in f /a.c:7 (p+0x1008)\n";
	struct gsym_markup_log_count c[7];
	struct gsym_markup_options options = all();
	struct run r = { 0 };

	filter(&r, log, sizeof(log) - 1, 1000, &options, c);
	cr_expect(c[0].frames == 3 && c[0].answered == 1 &&
		  c[0].mismatch == 1 && c[0].no_function == 1);
	cr_expect(c[2].frames == 3 && c[2].no_module == 2 &&
		  c[2].answered == 1);
	cr_expect_eq(r.asked, 2);
	cr_expect_eq(gsym_markup_log_counts(NULL, c, 7), 0);
	free(r.text);
}

Test(logs, options_are_checked)
{
	struct gsym_markup_options options = { .logs = 1u << 20 };
	struct gsym_markup *f;

	cr_expect_eq(gsym_markup_new(NULL, &options, &f, NULL),
		     GSYM_ERR_ARGUMENT);
	/* A caller of the first release has no such options. */
	cr_expect_eq(
		gsym_markup_new_sized(
			NULL, offsetof(struct gsym_markup_host, log_module),
			&options, offsetof(struct gsym_markup_options, logs),
			&f, NULL),
		GSYM_OK);
	gsym_markup_free(f);
}

/* ---- hostile logs ---------------------------------------------------- */

static char *repeat(const char *text, size_t times, const char *end)
{
	size_t size = strlen(text);
	char *log = malloc(size * times + strlen(end) + 1);

	cr_assert_not_null(log);
	for (size_t i = 0; i < times; i++)
		memcpy(log + i * size, text, size);
	strcpy(log + size * times, end);
	return log;
}

/* The log of TIMES TEXT and END stays as it is. */
static void expect_same(const char *text, size_t times, const char *end)
{
	struct gsym_markup_options options = all();
	char *log = repeat(text, times, end);
	struct run r = { 0 };

	filter(&r, log, strlen(log), 1 << 16, &options, NULL);
	cr_expect(r.size == strlen(log) && memcmp(r.text, log, r.size) == 0,
		  "%.20s...", text);
	free(r.text);
	free(log);
}

Test(logs, hostile_lines)
{
	expect_same("+0x", 1000000, "\n");
	expect_same(" x+0x1/0x2", 100000, "\n");
	expect_same("(", 500000, "+0x1)\n");
	expect_same("#1 ", 300000, "(+0x1)\n");
	expect_same("#1 pc ", 150000, "\n");
	expect_same("\"[0x1] ", 140000, "}\n");
	expect_same("#0 0x1 (unknown+0x1)\n", 20000, "");
	/* Longer lines are not read. */
	expect_same("x", 1 << 20, " one+0x8/0x20\n");
}

Test(logs, tokens_of_a_line_have_a_bound)
{
	struct gsym_markup_options options = all();
	char *log = repeat(" one+0x8/0x20", 1000, "\n");
	struct run r = { 0 };
	size_t answers = 0;

	filter(&r, log, strlen(log), 1 << 16, &options, NULL);
	for (const char *at = r.text; (at = strstr(at, "fs/one.c:10")); at++)
		answers++;
	cr_expect_eq(answers, 64);
	free(r.text);
	free(log);
}

Test(logs, many_modules)
{
	struct gsym_markup_options options = all();
	struct run r = { 0 };
	char line[64], *log = malloc(10000 * sizeof(line)), *at = log;

	for (int i = 0; i < 10000; i++)
		at += sprintf(at, "#0 0x1 (m%d+0x1008)\n", i);
	filter(&r, log, (size_t)(at - log), 1 << 16, &options, NULL);
	cr_expect(strstr(r.text, "/one.c:10 (m9999+0x1008)"));
	free(r.text);
	free(log);
}
