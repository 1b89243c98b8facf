/* SPDX-License-Identifier: MIT */
/* What a line needs stays valid until the line ends, whatever the line makes
 * the filter forget. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __real_free(void *memory);
void __wrap_free(void *memory);

/* Memory that is freed gets other bytes, so that its use is noticed. */
void __wrap_free(void *memory)
{
	if (memory)
		memset(memory, 0xa5, malloc_usable_size(memory));
	__real_free(memory);
}

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* The call of realloc that fails; 0: none.  And the calls so far. */
static unsigned failing, calls;

void *__wrap_realloc(void *memory, size_t size)
{
	if (++calls == failing)
		return NULL;
	return __real_realloc(memory, size);
}

TestSuite(log_lifetimes, .timeout = 600);

/* Expect WANTED in the output for LOG. */
static void expect_in(const char *log, const char *wanted,
		      const struct gsym_markup_options *options)
{
	struct run r = { 0 };

	filter(&r, log, strlen(log), 1 << 16, options, NULL);
	cr_expect(strstr(r.text, wanted), "%s\nis not in the output", wanted);
	free(r.text);
}

/* The oldest module is looked up when one more is added: that of the kernel, in
 * which the folder of the build is searched. */
Test(log_lifetimes, oldest_module)
{
	enum { MODULES = 4096 };
	struct gsym_markup_options options = all();
	char *log = malloc((MODULES + 2) * 48), *at = log;

	cr_assert_not_null(log);
	at += sprintf(at, " one+0x8/0x20 [aaa] (fs/one.c:10)\n");
	for (int i = 1; i < MODULES; i++)
		at += sprintf(at, " one+0x8/0x20 [m%d] (fs/one.c:10)\n", i);
	sprintf(at, " one+0x8/0x20 [aaa]\n");
	expect_in(log,
		  "[m4095] (fs/one.c:10)\n one+0x8/0x20 [aaa] (fs/one.c:10)\n",
		  &options);
	free(log);
}

/* A module that is forgotten comes back: symbols of another build get no trust
 * anew, and none without the build ID that another line has told. */
Test(log_lifetimes, distrust)
{
	enum { MODULES = 4100 };
	static const struct {
		const char *first, *other, *last;
	} cases[] = {
		{ " one+0x8/0x21\n", " one+0x8/0x20 [m%d] (fs/one.c:10)\n",
		  " one+0x8/0x20\n" },
		{ "/l.so(+0x0) [0x1000]\n/l.so(one+0x9) [0x2018]\n",
		  "/l%d.so(+0x0) [0x1000]\n", "/l.so(+0x1008) [0x2008]\n" },
		{ "Process 7 (p) of user 1000 dumped core.\n"
		  "Module p with build-id 00112233445566778899\n",
		  "#0  0x0000000000001020 n/a (p%d + 0x101f)\n",
		  "#0  0x0000000000001020 n/a (p + 0x101f)\n" },
	};
	struct gsym_markup_options options = all();
	char *log = malloc((MODULES + 4) * 48);

	cr_assert_not_null(log);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r = { .guessed = true };
		char *at = log;

		at += sprintf(at, "%s", cases[i].first);
		for (int n = 0; n < MODULES; n++)
			at += sprintf(at, cases[i].other, n);
		strcpy(at, cases[i].last);
		filter(&r, log, strlen(log), 1 << 16, &options, NULL);
		cr_expect(strstr(r.text, cases[i].last), "%zu: %s", i,
			  r.text + (r.size > 80 ? r.size - 80 : 0));
		free(r.text);
	}
	free(log);
}

/* The same for a process that is forgotten, which comes back. */
Test(log_lifetimes, distrust_of_a_process)
{
	enum { PROCESSES = 4100 };
	static const char first[] = "h a[1]: C  [l.so+0x1008]  one+0x18\n";
	static const char last[] = "h a[1]: C  [l.so+0x1008]\n";
	struct gsym_markup_options options = all();
	struct run r = { .guessed = true };
	char *log = malloc((PROCESSES + 4) * 48), *at = log;

	cr_assert_not_null(log);
	options.headers = GSYM_MARKUP_HEADERS_SYSLOG;
	at += sprintf(at, "%s", first);
	for (int n = 2; n < PROCESSES; n++)
		at += sprintf(at, "h a[%d]: C  [l.so+0x1008]\n", n);
	strcpy(at, last);
	filter(&r, log, strlen(log), 1 << 16, &options, NULL);
	cr_expect(strstr(r.text, "h a[9]: C  [l.so+0x1008] one"));
	cr_expect(strstr(r.text, last), "%s",
		  r.text + (r.size > 80 ? r.size - 80 : 0));
	free(r.text);
	free(log);
}

/* The output of a filter, without realloc. */
static char written[4096];

static void write_output(void *context, const char *bytes, size_t size)
{
	size_t used = strlen(written);

	(void)context;
	cr_assert_lt(used + size, sizeof(written));
	memcpy(written + used, bytes, size);
}

/* A line that cannot be held back without memory is not written once more in
 * place of one that is held back later. */
Test(log_lifetimes, held_lines_without_memory)
{
	static const char *const lines[] = {
		"#00 pc 00001008  l.so (one+8)\n", "first\n",
		"#00 pc 00002008  m.so (twice+8)\n", "second\n",
	};
	static const char wanted[] =
		"#00 pc 00001008  l.so (one+8) (/build/k/fs/one.c:10)\nfirst\n"
		"#00 pc 00002008  m.so (twice+8) (/build/k/a/a.c:20)\nsecond\n";
	const struct gsym_markup_options options = all();
	struct run r = { .guessed = true };
	struct gsym_markup_host host = host_of(&r);
	bool failed = true;

	host.write = write_output;
	for (unsigned n = 1; failed; n++) {
		struct gsym_markup *f;

		memset(written, 0, sizeof(written));
		cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL),
			     GSYM_OK);
		calls = 0;
		failing = n;
		for (size_t i = 0; i < 4; i++)
			gsym_markup_feed(f, lines[i], strlen(lines[i]));
		gsym_markup_finish(f);
		failed = calls >= n;
		failing = 0;
		gsym_markup_free(f);
		cr_expect(strstr(written, "#00 pc 00002008  m.so (twice+8)"),
			  "%u: %s", n, written);
		cr_expect(strstr(written, "second\n"), "%u: %s", n, written);
		cr_expect(failed || strcmp(written, wanted) == 0, "%u: %s", n,
			  written);
	}
}

/* A line that gives the kernel another release after a frame. */
Test(log_lifetimes, release_after_a_frame)
{
	struct gsym_markup_options options = all();

	options.html = true;
	expect_in("[ 1.0] kernel: Call Trace: one+0x8/0x20#012CPU: 0 PID: 1 "
		  "Comm: x Not tainted 6.9.9 #1\n",
		  "<i>looked up:</i> 0x1007<u>;</u>\n<i>module:</i> <u>)</u>",
		  &options);
}

static const char elements[] =
	"{{{module:0:prog:elf:abcd}}}\n"
	"{{{mmap:0x10000000:0x10000:load:0:rx:0x0}}}\n";

/* Frames in memory that elements describe have a module, too. */
Test(log_lifetimes, module_of_elements)
{
	static const char *const frames[] = {
		"0   p   0x0000000010001008 one + 8\n",
		"#3 0x0000000010001008 <unknown>\n",
	};
	struct gsym_markup_options options = all();
	char log[256];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	options.html = true;
	for (size_t i = 0; i < 2; i++) {
		snprintf(log, sizeof(log), "%s%s", elements, frames[i]);
		expect_in(log,
			  "<i>module:</i> prog<u>;</u>\n"
			  "<i>build ID:</i> abcd<u>)</u>",
			  &options);
	}
}

/* Lines that are held back are of another process than the line that ends
 * them. */
Test(log_lifetimes, process_of_held_lines)
{
	struct gsym_markup_options options = {
		.logs.forms = GSYM_MARKUP_LOG_MAPS,
		.headers = GSYM_MARKUP_HEADERS_AUTO,
	};

	expect_in("==2== {{{module:0:prog:elf:abcd}}}\n"
		  "==2== {{{mmap:0x10000000:0x10000:load:0:rx:0x0}}}\n"
		  "==3== #3 0x0000000020001008 <unknown>\n"
		  "==3== 20000000-20010000 r-xp 00000000 08:01 1 /p\n"
		  "==2== {{{pc:0x10001008}}}\n",
		  "==2== one[/build/k/fs/one.c:10]\n", &options);
}

/* A reset element after lines that are held back, which name modules. */
Test(log_lifetimes, reset_after_held_lines)
{
	struct gsym_markup_options options = all();
	char log[512];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	snprintf(log, sizeof(log),
		 "#3 0x0000000020001008 <unknown>\n"
		 "20000000-20010000 r-xp 00000000 08:01 1 /p\n"
		 "{{{reset}}}\n%s#3 0x0000000010001008 <unknown>\n",
		 elements);
	expect_in(log, "#3 0x0000000010001008 <unknown> one (", &options);
}

/* A line that gives a module another build ID after a frame. */
Test(log_lifetimes, build_id_after_a_frame)
{
	struct gsym_markup_options options = all();

	options.html = true;
	expect_in(" one+0x8/0x20 [aaa 11111111111111111111111111111111] "
		  "one+0x8/0x20 [aaa 22222222222222222222222222222222]\n",
		  "<i>build ID:</i> 11111111111111111111111111111111<u>)</u>",
		  &options);
}
