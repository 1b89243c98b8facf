/* SPDX-License-Identifier: MIT */
/* Lines that describe memory, contradictions in them, resets, and
 * processes. */
#include "logs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "{{{module:0:a:elf:ab}}}"
#define MAP(at, size) "{{{mmap:" at ":" size ":load:0:rx:0x0}}}"
#define LINE "[[[ELF module #0x0 \"a\"; BuildID=ab"
#define ADDS "[[[ELF module #0x0 \"a\"; adds"

/* ---- lines that describe memory ---------------------------------------- */

Test(markup, memory_a_module_with_text_around)
{
	static const char log[] = "before " MODULE " after\n";

	expect_llvm(log, "before " LINE "]]]\n", "");
	expect_ours(log, LINE "]]]\nbefore  after\n", "");
	expect_ours("  " MODULE "\t\n", LINE "]]]\n", "");
}

Test(markup, memory_a_range_joins_the_open_line)
{
	static const char log[] =
		MODULE "\nbefore " MAP("0x1000", "0x1000") " after\n";

	expect_llvm(log, LINE " [0x1000-0x1fff](rx)]]]\n", "");
	/* Our own style loses no text. */
	expect_ours(log, LINE " [0x1000-0x1fff](rx)]]]\nbefore  after\n", "");
}

Test(markup, memory_a_range_after_other_text)
{
	static const char log[] =
		MODULE "\nplain\nbefore " MAP("0x1000", "0x1000") " after\n";

	expect_llvm(log,
		    LINE "]]]\nplain\nbefore " ADDS " [0x1000-0x1fff](rx)]]]\n",
		    "");
	expect_ours(log,
		    LINE "]]]\nplain\n" ADDS
			 " [0x1000-0x1fff](rx)]]]\nbefore  after\n",
		    "");
	/* An empty line ends a module line, too. */
	expect_llvm(MODULE "\n\n" MAP("0x1000", "0x10") "\n",
		    LINE "]]]\n\n" ADDS " [0x1000-0x100f](rx)]]]\n", "");
	expect_ours(MODULE "\n\n" MAP("0x1000", "0x10") "\n",
		    LINE "]]]\n\n" ADDS " [0x1000-0x100f](rx)]]]\n", "");
}

Test(markup, memory_invalid)
{
	static const char log[] = "text {{{module:0:a:ELF:ab}}} more\n";

	expect_llvm(log, "", "error: unknown module type @19\n");
	expect_ours(log, log, "error: unknown module type @19\n");
}

Test(markup, memory_a_frame_in_front_of_a_range)
{
	static const char log[] = MODULE
		"\nfoo {{{symbol:_Z1fv}}} " MAP("0x5000", "0x10") " tail\n";

	expect_llvm(log, LINE " [0x5000-0x500f](rx)]]]\n", "");
	expect_ours(log, LINE " [0x5000-0x500f](rx)]]]\nfoo f()  tail\n", "");
}

Test(markup, memory_two_on_a_line)
{
	static const char log[] =
		MODULE MAP("0x1000", "0x1000") "\n{{{data:0x1000}}}\n";

	expect_llvm(log, LINE "]]]\n[[[data:0x1000]]]\n",
		    "error: no mmap covers address @8\n");
	expect_ours(log, LINE " [0x1000-0x1fff](rx)]]]\na+0x0\n",
		    "error: no symbols for module #0x0 \"a\"; BuildID=ab\n");
}

Test(markup, memory_headers)
{
	static const char log[] =
		"[00012.345][1234] INFO: " MODULE "\n"
		"[00012.346][1234] INFO: " MAP(
			"0x1000", "0x1000") "\n"
					    "[00012.347][1234] INFO: "
					    "{{{mmap:0x2000:0x1000:load:0:rx:"
					    "0x1000}}}\n"
					    "[00012.348][1234] INFO: hello\n";
	static const char wanted[] =
		"[00012.345][1234] INFO: " LINE
		" [0x1000-0x1fff](rx),[0x2000-0x2fff](rx)]]]\n"
		"[00012.348][1234] INFO: hello\n";

	expect_llvm(log, wanted, "");
	expect_ours(log, wanted, "");
	/* Text ending with ": " that two such lines start with is a header. */
	expect_ours("physboot: {{{reset}}}\nphysboot: " MODULE
		    "\nphysboot: hi\n",
		    LINE "]]]\nphysboot: hi\n", "");
	/* The same after headers, which may differ. */
	expect_ours("[1.500] physboot: {{{reset}}}\n[1.501] physboot: " MODULE
		    "\n[1.502] physboot: " MAP(
			    "0x1000", "0x10") "\n[1.503] physboot: hi\n",
		    "[1.501] " LINE " [0x1000-0x100f](rx)]]]\n"
		    "[1.503] physboot: hi\n",
		    "");
	/* Other text after the headers stays. */
	expect_ours("[1.500] a: {{{reset}}}\n[1.501] b: " MODULE
		    "\n[1.502] hi\n",
		    "[1.500] a: \n[1.501] " LINE "]]]\n[1.501] b: \n"
		    "[1.502] hi\n",
		    "");
	expect_ours("once: " MODULE "\nhi\n", "once: \n" LINE "]]]\nhi\n", "");
	/* Text without an element after it is no header.  A header may contain
	 * an opener. */
	expect_ours("{{{mO: \nsee {{{r: \n\033[1m{{{m: \n",
		    "{{{mO: \nsee {{{r: \n{{{m: \n", "");
	expect_ours("a {{{ b: " MODULE
		    "\na {{{ b: " MAP("0x1000", "0x10") "\n-\n",
		    LINE " [0x1000-0x100f](rx)]]]\n-\n", "");
}

Test(markup, memory_line_ends)
{
	static const char crlf[] = MODULE
		"\r\n" MAP("0x1000", "0x10") "\r\n"
					     "x {{{symbol:_Z1fv}}} y\r\n";

	expect_llvm(crlf, LINE " [0x1000-0x100f](rx)]]]\r\nx f() y\r\n", "");
	expect_ours(crlf, LINE " [0x1000-0x100f](rx)]]]\r\nx f() y\r\n", "");
	/* Line ends differ: llvm-symbolizer takes the last one, our own style
	 * the first. */
	static const char mixed[] = MODULE
		"\r\n" MAP("0x1000", "0x10") "\n"
					     "text\n" MAP("0x3000",
							  "0x10") "\ntext\r\n";

	expect_llvm(mixed,
		    LINE " [0x1000-0x100f](rx)]]]\ntext\n" ADDS
			 " [0x3000-0x300f](rx)]]]\r\ntext\r\n",
		    "");
	expect_ours(mixed,
		    LINE " [0x1000-0x100f](rx)]]]\r\ntext\n" ADDS
			 " [0x3000-0x300f](rx)]]]\ntext\r\n",
		    "");
}

Test(markup, memory_modules_in_any_order)
{
	static const char log[] = MODULE "\n{{{module:1:b:elf:bb}}}\n" MAP(
		"0x1000", "0x10") "\n{{{mmap:0x3000:0x10:load:1:r:0}}}\n"
				  "{{{mmap:0x2000:0x10:load:1:r:0}}}\nend\n";

	expect_llvm(log,
		    LINE "]]]\n[[[ELF module #0x1 \"b\"; BuildID=bb]]]\n" ADDS
			 " [0x1000-0x100f](rx)]]]\n[[[ELF module #0x1 \"b\"; "
			 "adds [0x2000-0x200f](r),[0x3000-0x300f](r)]]]\n"
			 "end\n",
		    "");
	expect_ours(log,
		    LINE " [0x1000-0x100f](rx)]]]\n[[[ELF module #0x1 \"b\"; "
			 "BuildID=bb [0x2000-0x200f](r),[0x3000-0x300f](r)]]]\n"
			 "end\n",
		    "");
}

/* A module line is never written into a line that is passed on in pieces. */
Test(markup, memory_in_a_long_line)
{
	const size_t part = 3 << 20;
	char *log = malloc(2 * part + 200), *wanted = malloc(2 * part + 200);
	size_t size, length;

	memset(log, 'x', part);
	size = part;
	size += (size_t)sprintf(log + size, MODULE
				"y{{{reset}}}" MODULE MAP("0x1000", "0x10"));
	memset(log + size, 'x', part);
	size += part;
	size += (size_t)sprintf(log + size, "{{{data:0x1001}}}\nend\n");
	memset(wanted, 'x', part);
	length = part;
	length += (size_t)sprintf(wanted + length, "y[[[reset]]]");
	memset(wanted + length, 'x', part);
	length += part;
	length += (size_t)sprintf(wanted + length,
				  "a+0x1\n" LINE " [0x1000-0x100f](rx)]]]\n"
				  "end\n");
	for (size_t step = 4096; step < 3 * part; step *= 7) {
		struct gsym_markup_host host;
		struct gsym_markup *filter;
		struct capture c;

		capture_host(&c, &host);
		gsym_markup_new(&host, NULL, &filter, NULL);
		for (size_t at = 0; at < size; at += step) {
			gsym_markup_feed(filter, log + at,
					 size - at < step ? size - at : step);
			gsym_markup_clock(filter, at * 10);
		}
		gsym_markup_finish(filter);
		gsym_markup_free(filter);
		cr_expect(c.size == length &&
				  memcmp(c.text, wanted, length) == 0,
			  "step %zu: %zu bytes, not %zu", step, c.size, length);
		capture_fini(&c);
	}
	free(log);
	free(wanted);
}

/* ---- duplicates and overlaps ------------------------------------------- */

#define TWO MODULE "\n{{{module:1:b:elf:bb}}}\n" MAP("0x1000", "0x1000") "\n"
#define OVER(at, size) "{{{mmap:" at ":" size ":load:1:r:0x0}}}\n"

Test(markup, overlaps_duplicates)
{
	static const char log[] = MODULE
		"\n" MODULE "\n{{{module:00:c:elf:cc}}}\n"
		"{{{module:0x0:c:elf:ab}}}\n" MAP("0x1000", "0x10") "\n" MAP(
			"0x1000", "0x10") "\nend\n";

	expect_llvm(log, LINE " [0x1000-0x100f](rx)]]]\nend\n",
		    "error: duplicate module ID @10\n"
		    "error: duplicate module ID @10\n"
		    "error: duplicate module ID @10\n"
		    "error: overlapping mmap: #0x0 [0x1000-0x100f] @8\n");
	/* Repeated elements change nothing. */
	expect_ours(MODULE "\n" MODULE "\n" MAP("0x1000", "0x10") "\n" MAP(
			    "0x1000", "0x10") "\nend\n",
		    LINE " [0x1000-0x100f](rx)]]]\nend\n", "");
}

Test(markup, overlaps_an_id_that_another_takes_over)
{
	expect_ours(
		"{{{module:0:m:elf:aa}}}\n{{{mmap:0x1000:0x500:load:0:rx:0}}}\n"
		"{{{module:0:n:elf:bb}}}\n{{{mmap:0x3000:0x10:load:0:r:0}}}\n"
		"{{{pc:0x1100}}} {{{pc:0x3000}}}\n",
		"[[[ELF module #0x0 \"m\"; BuildID=aa [0x1000-0x14ff](rx)]]]\n"
		"[[[ELF module #0x0 \"n\"; BuildID=bb [0x3000-0x300f](r)]]]\n"
		"in[/src/a.c:7] n+0x0\n",
		"note: module ID #0x0 is taken over by another build ID @10\n"
		"note: two build IDs claim one module ID: if several processes "
		"wrote the log, --by-process tells them apart\n"
		"error: no symbols for module #0x0 \"n\"; BuildID=bb\n");
}

/* The hint at --by-process comes once. */
Test(markup, overlaps_ids_that_others_take_over)
{
	struct gsym_markup_options options = {
		.headers = GSYM_MARKUP_HEADERS_AUTO,
	};
	static const char log[] =
		"{{{module:0:m:elf:aa}}}\n"
		"{{{module:0:n:elf:bb}}}\n{{{module:0:o:elf:cc}}}\nx\n";
	static const char wanted[] =
		"[[[ELF module #0x0 \"m\"; BuildID=aa]]]\n"
		"[[[ELF module #0x0 \"n\"; BuildID=bb]]]\n"
		"[[[ELF module #0x0 \"o\"; BuildID=cc]]]\nx\n";

	expect_log(log, strlen(log), wanted, strlen(wanted),
		   "note: module ID #0x0 is taken over by another build ID "
		   "@10\n"
		   "note: two build IDs claim one module ID: if several "
		   "processes wrote the log, --by-process=regex:ERE, with an "
		   "ERE for the start of lines, tells them apart\n"
		   "note: module ID #0x0 is taken over by another build ID "
		   "@10\n",
		   &options);
}

/* Map OVER after a mapping of 0x1000 to 0x1fff.  llvm-symbolizer says that it
 * overlaps REFUSED.  Our own style says that it replaces a part of NOTE, and
 * shows WANTED for addresses in and around both. */
static void overlap(const char *over, const char *refused, const char *note,
		    const char *wanted)
{
	char log[1024], line[256];
	struct capture c;

	snprintf(log, sizeof(log), TWO "%s-\n", over);
	snprintf(line, sizeof(line), "error: overlapping mmap: %s @8\n",
		 refused);
	expect_llvm(log,
		    LINE "]]]\n[[[ELF module #0x1 \"b\"; BuildID=bb]]]\n" ADDS
			 " [0x1000-0x1fff](rx)]]]\n-\n",
		    line);
	snprintf(log, sizeof(log),
		 TWO "%s-\n{{{data:0x0fff}}} {{{data:0x1000}}} "
		     "{{{data:0x1700}}} {{{data:0x1fff}}} {{{data:0x2000}}}\n",
		 over);
	capture_log(&c, log, strlen(log), 50, NULL);
	cr_expect_str_eq(strstr(c.text, "-\n") + 2, wanted, "%s: %s", over,
			 c.text);
	snprintf(line, sizeof(line), "note: an mmap replaces part of %s @8\n",
		 note);
	cr_expect_not_null(strstr(c.messages, line), "%s: %s", over,
			   c.messages);
	capture_fini(&c);
}

Test(markup, overlaps_overlaps)
{
	static const char old[] = "#0x0 [0x1000-0x1fff]";

	/* The new mapping covers the head, the tail, the middle, more than all,
	 * and exactly all of the old one. */
	overlap(OVER("0x800", "0xa00"), old, old,
		"b+0x7ff b+0x800 a+0x700 a+0xfff [[[data:0x2000]]]\n");
	overlap(OVER("0x1800", "0x1000"), old, old,
		"[[[data:0x0fff]]] a+0x0 a+0x700 b+0x7ff b+0x800\n");
	overlap(OVER("0x1600", "0x200"), old, old,
		"[[[data:0x0fff]]] a+0x0 b+0x100 a+0xfff [[[data:0x2000]]]\n");
	overlap(OVER("0x0", "0x10000"), old, old,
		"b+0xfff b+0x1000 b+0x1700 b+0x1fff b+0x2000\n");
	overlap(OVER("0x1000", "0x1000"), old, old,
		"[[[data:0x0fff]]] b+0x0 b+0x700 b+0xfff [[[data:0x2000]]]\n");
	/* The mappings share one byte, the first or the last of the old one. */
	overlap(OVER("0xff0", "0x11"), old, old,
		"b+0xf b+0x10 a+0x700 a+0xfff [[[data:0x2000]]]\n");
	overlap(OVER("0x1fff", "0x10"), old, old,
		"[[[data:0x0fff]]] a+0x0 a+0x700 b+0x0 b+0x1\n");
}

Test(markup, overlaps_neighbours_and_size_0)
{
	expect_llvm(TWO OVER("0x2000", "0x10") OVER("0xff0", "0x10") "-\n",
		    LINE "]]]\n[[[ELF module #0x1 \"b\"; BuildID=bb]]]\n" ADDS
			 " [0x1000-0x1fff](rx)]]]\n[[[ELF module #0x1 \"b\"; "
			 "adds [0xff0-0xfff](r),[0x2000-0x200f](r)]]]\n-\n",
		    "");
	expect_ours(TWO OVER("0x2000", "0x10") OVER("0xff0", "0x10") "-\n",
		    LINE " [0x1000-0x1fff](rx)]]]\n[[[ELF module #0x1 \"b\"; "
			 "BuildID=bb [0xff0-0xfff](r),[0x2000-0x200f](r)]]]\n"
			 "-\n",
		    "");
	/* A mapping of size 0 before and after another one: in
	 * llvm-symbolizer's style it occupies its start address, in our own
	 * style it is ignored. */
	static const char first[] = MODULE
		"\n" MAP("0x1000", "0") "\n" MAP("0x800", "0x1000") "\n-\n";
	static const char last[] = MODULE
		"\n" MAP("0x800", "0x1000") "\n" MAP("0x1000", "0") "\n-\n";

	expect_llvm(first, LINE " [0x1000-0xfff](rx)]]]\n-\n",
		    "error: overlapping mmap: #0x0 [0x1000-0xfff] @8\n");
	expect_ours(first, LINE " [0x800-0x17ff](rx)]]]\n-\n",
		    "note: an mmap of size 0 is ignored @15\n");
	expect_ours(last, LINE " [0x800-0x17ff](rx)]]]\n-\n",
		    "note: an mmap of size 0 is ignored @15\n");
	expect_llvm("{{{mmap:0x1000:0x10:load:9:r:0}}}\n", "",
		    "error: unknown module ID @25\n");
	expect_ours("{{{mmap:0x1000:0x10:load:9:r:0}}}\n",
		    "{{{mmap:0x1000:0x10:load:9:r:0}}}\n",
		    "error: unknown module ID @25\n");
}

/* ---- reset ------------------------------------------------------------- */

Test(markup, reset_without_anything_known)
{
	expect_llvm("before {{{reset}}} after\nx\n{{{reset}}}\n", "x\n", "");
	expect_ours("before {{{reset}}} after\nx\n{{{reset}}}\n",
		    "before  after\nx\n", "");
}

Test(markup, reset_with_something_known)
{
	static const char log[] = MODULE "\n" MAP(
		"0x1000",
		"0x10") "\n"
			"x {{{reset}}} y\n{{{data:0x1000}}}\n" MAP(
				"0x1000",
				"0x10") "\n" MODULE
					"\n{{{reset}}}\n{{{reset}}}\nend\n";

	expect_llvm(log,
		    LINE " [0x1000-0x100f](rx)]]]\nx [[[reset]]]\n"
			 "[[[data:0x1000]]]\n" LINE "]]]\n[[[reset]]]\nend\n",
		    "error: no mmap covers address @8\n"
		    "error: unknown module ID @25\n");
	expect_ours(log,
		    LINE " [0x1000-0x100f](rx)]]]\n[[[reset]]]\nx  y\n"
			 "[[[data:0x1000]]]\n" MAP(
				 "0x1000", "0x10") "\n" LINE
						   "]]]\n[[[reset]]]\nend\n",
		    "error: no mmap covers address @8\n"
		    "error: unknown module ID @25\n");
}

Test(markup, reset_begin_and_end)
{
	static const char log[] = "{{{reset:begin}}}" MODULE "\n" MAP(
		"0x1000", "0x10") "\nx\n{{{reset:end}}}\n{{{data:0x1000}}}\n"
				  "{{{reset:begin}}}\n{{{data:0x1000}}}\n";

	/* After the end of a trace its modules are still known. */
	expect_ours(log,
		    LINE " [0x1000-0x100f](rx)]]]\nx\na+0x0\n"
			 "[[[reset:begin]]]\n[[[data:0x1000]]]\n",
		    NULL);
	expect_llvm(MODULE "\n{{{reset:begin}}}\n" MODULE "\n{{{reset:end}}}\n",
		    LINE "]]]\n[[[reset:begin]]]\n" LINE
			 "]]]\n[[[reset:end]]]\n",
		    "warning: expected 0 field(s); found 1 @8\n"
		    "warning: expected 0 field(s); found 1 @8\n");
}

/* A field other than "end" does not end a trace. */
Test(markup, reset_other_fields)
{
	static const char *const fields[] = { "enx", "en", "ends", "end:x" };
	char log[256], wanted[256];

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		snprintf(log, sizeof(log), MODULE "\n{{{reset:%s}}}\n",
			 fields[i]);
		snprintf(wanted, sizeof(wanted), LINE "]]]\n[[[reset:%s]]]\n",
			 fields[i]);
		expect_ours(log, wanted, NULL);
	}
}

Test(markup, reset_on_the_line_of_a_module)
{
	static const char log[] =
		MODULE "\n{{{reset}}}{{{module:1:b:elf:bb}}}\n"
		       "plain\n" MAP("0x1000", "0x10") "\n";

	expect_llvm(log, LINE "]]]\n[[[reset]]]\nplain\n",
		    "error: unknown module ID @25\n");
	expect_ours(log,
		    LINE "]]]\n[[[reset]]]\n[[[ELF module #0x1 \"b\"; "
			 "BuildID=bb]]]\nplain\n" MAP("0x1000", "0x10") "\n",
		    "error: unknown module ID @25\n");
}

/* ---- processes --------------------------------------------------------- */

static void by_process(const char *log, const char *wanted,
		       enum gsym_markup_headers kind, const char *regex)
{
	struct gsym_markup_options options = {
		.headers = kind,
		.header_regex = regex,
	};

	expect_log(log, strlen(log), wanted, strlen(wanted), NULL, &options);
}

Test(markup, processes_three_processes)
{
	by_process("==1== {{{module:0:m:elf:aa}}}\n"
		   "==2== {{{module:0:b:elf:bb}}}\n"
		   "==1== {{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n"
		   "==3== {{{module:0:c:elf:cc}}}\n"
		   "==2== {{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n"
		   "==3== {{{hexdict:\n"
		   "==2== in {{{pc:0x1100}}}\n"
		   "==3== A: 0x1100\n"
		   "==1== in {{{pc:0x1100}}}\n"
		   "==3== }}} x\n"
		   "==3== {{{mmap:0x1000:0x500:load:0:rx:0x100}}}\n"
		   "==3== in {{{pc:0x1100}}}\nin {{{pc:0x1100}}}\n",
		   "==1== [[[ELF module #0x0 \"m\"; BuildID=aa "
		   "[0x1000-0x14ff](rx)]]]\n"
		   "==2== [[[ELF module #0x0 \"b\"; BuildID=bb "
		   "[0x1000-0x14ff](rx)]]]\n"
		   "==3== [[[ELF module #0x0 \"c\"; BuildID=cc]]]\n"
		   "==3== {{{hexdict:\n"
		   "==2== in b+0x100\n"
		   "==3== A: 0x1100\n"
		   "==1== in in[/src/a.c:7]\n"
		   "==3== }}} x\n"
		   "==3== [[[ELF module #0x0 \"c\"; adds "
		   "[0x1000-0x14ff](rx)]]]\n"
		   "==3== in c+0x200\nin [[[pc:0x1100]]]\n",
		   GSYM_MARKUP_HEADERS_SANITIZER, NULL);
}

/* Lines that wait are written before a line of another process. */
Test(markup, processes_the_order_of_lines_stays)
{
	/* A module line before a hexdict. */
	by_process("==2== {{{module:0:m:elf:aa}}}\n"
		   "==2== {{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n2\n"
		   "==1== {{{module:0:b:elf:bb}}}\n"
		   "==2== {{{hexdict:\n==2== PC: 0x1100\n==2== }}}\n"
		   "==1== {{{mmap:0x1000:0x10:load:0:rx:0x0}}}\n"
		   "==1== x\n",
		   "==2== [[[ELF module #0x0 \"m\"; BuildID=aa "
		   "[0x1000-0x14ff](rx)]]]\n2\n"
		   "==1== [[[ELF module #0x0 \"b\"; BuildID=bb]]]\n"
		   "==2== [[[hexdict:\n==2== PC: 0x1100\n==2== ]]]\n"
		   "==2==     PC 0x1100 code out (m+0x100)\n"
		   "==1== [[[ELF module #0x0 \"b\"; adds "
		   "[0x1000-0x100f](rx)]]]\n==1== x\n",
		   GSYM_MARKUP_HEADERS_SANITIZER, NULL);
	/* A hexdict in which another process writes keeps its footnotes. */
	by_process("==2== {{{module:0:m:elf:aa}}}\n"
		   "==2== {{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n"
		   "==2== R {{{hexdict:\n==1== a\n==1== b\n"
		   "==2== PC: 0x1100\n==1== c\n==2== }}} {{{pc:0x1100}}}\n"
		   "==1== d\n",
		   "==2== [[[ELF module #0x0 \"m\"; BuildID=aa "
		   "[0x1000-0x14ff](rx)]]]\n"
		   "==2== R {{{hexdict:\n==1== a\n==1== b\n"
		   "==2== PC: 0x1100\n==1== c\n==2== }}} in[/src/a.c:7]\n"
		   "==2==     PC 0x1100 code out (m+0x100)\n"
		   "==1== d\n",
		   GSYM_MARKUP_HEADERS_SANITIZER, NULL);
	/* An element without end, and the first line of a log. */
	by_process("==2== {{{hexdict:\n==1== a\n==2== b\n",
		   "==2== {{{hexdict:\n==1== a\n==2== b\n",
		   GSYM_MARKUP_HEADERS_SANITIZER, NULL);
}

Test(markup, processes_a_number_that_is_used_again)
{
	by_process(
		"==1== " MODULE "\n==1== " MAP(
			"0x1000",
			"0x10") "\n"
				"==1== {{{data:0x1000}}}\n==1== {{{reset}}}\n"
				"==1== {{{data:0x1000}}}\n"
				"==1== {{{module:0:b:elf:bb}}}\n==1== " MAP(
					"0x1000",
					"0x10") "\n==1== {{{data:0x1000}}}\n",
		"==1== " LINE " [0x1000-0x100f](rx)]]]\n==1== a+0x0\n"
		"==1== [[[reset]]]\n==1== [[[data:0x1000]]]\n"
		"==1== [[[ELF module #0x0 \"b\"; BuildID=bb "
		"[0x1000-0x100f](rx)]]]\n==1== b+0x0\n",
		GSYM_MARKUP_HEADERS_AUTO, NULL);
}

#define KERNEL                      \
	"{{{module:0:k:elf:cc}}}\n" \
	"{{{mmap:0xffffffff80000000:0x1000:load:0:rx:0x0}}}\n"
#define KERNEL_LINE                             \
	"[[[ELF module #0x0 \"k\"; BuildID=cc " \
	"[0xffffffff80000000-0xffffffff80000fff](rx)]]]\n"

Test(markup, processes_kernel_addresses)
{
	struct gsym_markup_options options = {
		.headers = GSYM_MARKUP_HEADERS_AUTO,
	};
	static const char none[] = KERNEL
		"-\n==1== {{{data:0xffffffff80000010}}} {{{data:0x10}}}\n";
	static const char shown[] =
		KERNEL_LINE "-\n==1== k+0x10 [[[data:0x10]]]\n";

	expect_log(none, strlen(none), shown, strlen(shown), NULL, &options);
	/* An option names the kernel's process.  Addresses below 2^63 are not
	 * looked up in it. */
	static const char seven[] =
		"==7==" MODULE "\n==7=={{{mmap:0xffffffff80000000:0x1000:load:"
		"0:rx:0}}}\n==7=={{{mmap:0x7000:0x10:load:0:rx:0}}}\n"
		"==1== {{{data:0xffffffff80000010}}} {{{data:0x7000}}}\n";
	static const char wanted[] =
		"==7==" LINE " [0x7000-0x700f](rx),"
		"[0xffffffff80000000-0xffffffff80000fff](rx)]]]\n"
		"==1== a+0x10 [[[data:0x7000]]]\n";

	options.kernel_process = "7";
	expect_log(seven, strlen(seven), wanted, strlen(wanted), NULL,
		   &options);
}

/* Each kind of header is known as its own kind and as auto. */
Test(markup, processes_every_kind_of_header)
{
	static const struct {
		const char *header;
		enum gsym_markup_headers kind;
	} rows[] = {
		{ "[1.500] 7.8> ", GSYM_MARKUP_HEADERS_FUCHSIA },
		{ "[1.500] 7:8> ", GSYM_MARKUP_HEADERS_FUCHSIA },
		{ "[00001.500][7][8][tag, more] INFO: ",
		  GSYM_MARKUP_HEADERS_FUCHSIA },
		{ "[00001.500][7][8] ", GSYM_MARKUP_HEADERS_FUCHSIA },
		{ "[2026-11-20 10:00:00][7][8][tag] ERROR: ",
		  GSYM_MARKUP_HEADERS_FUCHSIA },
		{ "11-20 10:00:00.123     7     8 I tag: ",
		  GSYM_MARKUP_HEADERS_LOGCAT },
		{ "2026-11-20 10:00:00.123  7  8 F a tag: ",
		  GSYM_MARKUP_HEADERS_LOGCAT },
		{ "I/DEBUG   (  7): ", GSYM_MARKUP_HEADERS_LOGCAT },
		{ "F/(a) b(7): ", GSYM_MARKUP_HEADERS_LOGCAT },
		{ "11-20 10:00:00.123 W/a   (   7): ",
		  GSYM_MARKUP_HEADERS_LOGCAT },
		{ "<14>1 2026-11-20T10:00:00.5Z host prog 7 - - ",
		  GSYM_MARKUP_HEADERS_SYSLOG },
		{ "<14>1 2026-11-20T10:00:00.5Z host prog - ID "
		  "[a@1 k=\"v\\\"]\" l=\"\"][b] \xef\xbb\xbf",
		  GSYM_MARKUP_HEADERS_SYSLOG },
		{ "<14>1 - - 7 - - - ", GSYM_MARKUP_HEADERS_SYSLOG },
		{ "Nov 20 10:00:00 host daemon[7]: ",
		  GSYM_MARKUP_HEADERS_SYSLOG },
		{ "<13>Nov 20 10:00:00 host a/b-c[7]: ",
		  GSYM_MARKUP_HEADERS_SYSLOG },
		{ "2026-11-20T10:00:00.123456+00:00 host daemon[7]: ",
		  GSYM_MARKUP_HEADERS_SYSLOG },
		{ "daemon[7]: ", GSYM_MARKUP_HEADERS_SYSLOG },
		{ "==7==", GSYM_MARKUP_HEADERS_SANITIZER },
		{ "==7== ", GSYM_MARKUP_HEADERS_SANITIZER },
		{ "p7 | ", GSYM_MARKUP_HEADERS_REGEX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *h = rows[i].header;
		char log[1024], wanted[1024];

		snprintf(log, sizeof(log),
			 "%s" MODULE
			 "\n%s" MAP("0x1000", "0x500") "\n%sat "
						       "{{{data:0x1004}}}\n{{{"
						       "data:0x1004}}}\n",
			 h, h, h);
		snprintf(wanted, sizeof(wanted),
			 "%s" LINE " [0x1000-0x14ff](rx)]]]\n%sat a+0x4\n"
			 "[[[data:0x1004]]]\n",
			 h, h);
		by_process(log, wanted, rows[i].kind, "p([0-9]+) \\| ");
		if (rows[i].kind != GSYM_MARKUP_HEADERS_REGEX)
			by_process(log, wanted, GSYM_MARKUP_HEADERS_AUTO, NULL);
	}
}

/* Modules without a name are told apart by their IDs. */
Test(markup, memory_modules_without_names)
{
	expect_ours("{{{module:0::elf:aa}}}{{{module:1::elf:bb}}}\n"
		    "{{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n"
		    "{{{mmap:0x2000:0x10:load:1:rx:0x0}}}\n"
		    "{{{bt:0:0x1490}}}\n{{{bt:1:0x2008:pc}}} {{{pc:0x2004}}}\n"
		    "{{{hexdict:PC: 0x2008}}}\n",
		    "[[[ELF module #0x0 \"\"; BuildID=aa "
		    "[0x1000-0x14ff](rx)]]]\n"
		    "[[[ELF module #0x1 \"\"; BuildID=bb "
		    "[0x2000-0x200f](rx)]]]\n"
		    "    #0    0x000000000000148f (#0x0+0x48f)\n"
		    "    #1    0x0000000000002008 (#0x1+0x8) #0x1+0x4\n"
		    "[[[hexdict:PC: 0x2008]]]\n"
		    "    PC 0x2008 code (#0x1+0x8)\n",
		    NULL);
}

/* Two processes in the same form. */
Test(markup, processes_processes_of_every_form)
{
	static const char *const forms[] = {
		"I/DEBUG   (  20%d): ",
		"<14>1 2026-11-20T10:00:00Z host prog 20%d - - ",
		"<14>1 2026-11-20T10:00:00Z host prog%d - - - ",
		"11-20 10:00:00.123 W/a   (  %d): ",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char log[1024], wanted[1024], a[128], b[128];

		snprintf(a, sizeof(a), forms[i], 1);
		snprintf(b, sizeof(b), forms[i], 2);
		snprintf(
			log, sizeof(log),
			"%s" MODULE "\n%s" MAP(
				"0x1000",
				"0x10") "\n"
					"%s{{{module:0:b:elf:bb}}}\n%s" MAP(
						"0x1000",
						"0x10") "\n%s{{{data:0x1004}}}"
							"\n"
							"%s{{{data:0x1004}}}\n",
			a, a, b, b, a, b);
		snprintf(wanted, sizeof(wanted),
			 "%s" LINE " [0x1000-0x100f](rx)]]]\n"
			 "%s[[[ELF module #0x0 \"b\"; BuildID=bb "
			 "[0x1000-0x100f](rx)]]]\n%sa+0x4\n%sb+0x4\n",
			 a, b, a, b);
		by_process(log, wanted, GSYM_MARKUP_HEADERS_AUTO, NULL);
	}
}

/* The group alone is the name of the process. */
Test(markup, processes_the_group_of_an_expression)
{
	by_process("p7a | " MODULE "\np7b | " MAP(
			   "0x1000", "0x500") "\np7 | {{{data:0x1004}}}\n p7a "
					      "| {{{data:0x1004}}}\n"
					      "p78 | {{{data:0x1004}}}\n",
		   "p7a | " LINE " [0x1000-0x14ff](rx)]]]\np7 | a+0x4\n"
		   " p7a | [[[data:0x1004]]]\np78 | [[[data:0x1004]]]\n",
		   GSYM_MARKUP_HEADERS_REGEX, "p([0-9]+)[a-z]? \\| ");
}

/* With more processes than are kept, the one that was silent longest is
 * forgotten. */
Test(markup, processes_more_processes_than_are_kept)
{
	struct gsym_markup_options options = {
		.headers = GSYM_MARKUP_HEADERS_SANITIZER,
	};
	struct gsym_markup_host host;
	struct gsym_markup *filter;
	struct capture c;
	char line[256];

	capture_host(&c, &host);
	cr_assert_eq(gsym_markup_new(&host, &options, &filter, NULL), GSYM_OK);
	/* With the process of lines without header there are 4096. */
	for (int i = 1; i <= 4095; i++) {
		int n = snprintf(
			line, sizeof(line),
			"==%d== {{{module:0:m%d:elf:bb}}}{{{mmap:0x1000"
			":0x10:load:0:r:0}}}\n==%d== x\n",
			i, i, i);
		gsym_markup_feed(filter, line, (size_t)n);
	}
	/* Process 1 has the latest line, so process 2 is forgotten.  When
	 * process 2 is back, process 4 is forgotten. */
	static const char more[] =
		"==1== {{{data:0x1000}}}\n==4096== {{{symbol:new}}}\n"
		"==1== {{{data:0x1001}}}\n==3== {{{data:0x1000}}}\n"
		"==2== {{{data:0x1000}}}\n==5== {{{data:0x1000}}}\n";

	c.size = 0;
	gsym_markup_flush(filter);
	c.size = 0;
	gsym_markup_feed(filter, more, strlen(more));
	gsym_markup_flush(filter);
	cr_expect_str_eq(c.text, "==1== m1+0x0\n==4096== new\n"
				 "==1== m1+0x1\n==3== m3+0x0\n"
				 "==2== [[[data:0x1000]]]\n==5== m5+0x0\n");
	cr_expect_not_null(
		strstr(c.messages, "note: more than 4096 processes"));
	gsym_markup_finish(filter);
	gsym_markup_free(filter);
	capture_fini(&c);
}
