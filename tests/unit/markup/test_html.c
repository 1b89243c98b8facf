/* SPDX-License-Identifier: MIT */
/* Pages: escaped text, colours, elements with their details, folded module
 * lines.  tests/cli/markup-html.sh checks whole pages. */
#include "logs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Remove the roles of elements and their names from TEXT. */
static void drop_roles(char *text)
{
	static const char role[] = "role=\"group\" ";
	char *at, *end;

	while ((at = strstr(text, role)) != NULL) {
		end = strstr(at, "class=");
		cr_assert_not_null(end);
		memmove(at, end, strlen(end) + 1);
	}
}

/* Expect that the log of the page for LOG is BODY, whatever the sizes of the
 * pieces. */
static void page_with(const char *log, const char *body,
		      const struct gsym_markup_options *options)
{
	static const size_t steps[] = { 1, 3, 100000 };
	static const char start[] =
		"<div class=\"blk\"><pre class=\"log\">\n";
	char wanted[8192];

	snprintf(wanted, sizeof(wanted), "%s</pre></div>\n</body>\n</html>\n",
		 body);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct capture c;

		capture_log(&c, log, strlen(log), steps[i], options);
		char *got = strstr(c.text, start);

		cr_assert_not_null(got, "%s", c.text);
		drop_roles(got);
		got += strlen(start);
		cr_expect_null(strstr(got, start), "two heads");
		cr_expect_str_eq(got, wanted, "step %zu:\n%s\nnot\n%s",
				 steps[i], got, wanted);
		capture_fini(&c);
	}
}

static void page(const char *log, const char *body)
{
	struct gsym_markup_options options = { .html = true };

	page_with(log, body, &options);
}

#define LINE(number, text)                                                    \
	"<span class=\"ln\" id=\"L" number "\">" text "</span>\n"
#define BAD "\xef\xbf\xbd"

Test(html, text_is_escaped)
{
	page("& < > \"q\" 's' = /\ta\rb\r\n\001\n",
	     LINE("1", "&amp; &lt; &gt; &quot;q&quot; &#39;s&#39; = /\tab")
		     LINE("2", BAD));
	page("", "");
}

/* Each kind of malformed UTF-8, next to the valid text that is most like it.
 * Each wrong byte is one U+FFFD. */
Test(html, only_utf8_is_text)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "\xc2\x9f", BAD },
		{ "\xc2\xa0", "\xc2\xa0" },
		{ "\xc0\x80", BAD BAD },
		{ "\xc1\xbf", BAD BAD },
		{ "\xdf\xbf", "\xdf\xbf" },
		{ "\xdf.", BAD "." },
		{ "\xdf\xc0", BAD BAD },
		{ "\xe0\x9f\xbf", BAD BAD BAD },
		{ "\xe0\xa0\x80", "\xe0\xa0\x80" },
		{ "\xe1\x80\x80", "\xe1\x80\x80" },
		{ "\xe1\x80.", BAD BAD "." },
		{ "\xed\x9f\xbf", "\xed\x9f\xbf" },
		{ "\xed\xa0\x80", BAD BAD BAD },
		{ "\xee\x80\x80", "\xee\x80\x80" },
		{ "\xef\xbf\xbd", "\xef\xbf\xbd" },
		{ "\xef\xbf\xbe", BAD BAD BAD },
		{ "\xef\xbf\xbf", BAD BAD BAD },
		{ "\xef\xbe\xbf", "\xef\xbe\xbf" },
		{ "\xf0\x8f\xbf\xbf", BAD BAD BAD BAD },
		{ "\xf0\x90\x80\x80", "\xf0\x90\x80\x80" },
		{ "\xf0\x90\x80.", BAD BAD BAD "." },
		{ "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
		{ "\xf4\x90\x80\x80", BAD BAD BAD BAD },
		{ "\xf5\x80\x80\x80", BAD BAD BAD BAD },
		{ "\x80", BAD },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char log[64], wanted[128];

		snprintf(log, sizeof(log), "a%sb\n%s", rows[i].in, rows[i].in);
		snprintf(wanted, sizeof(wanted),
			 LINE("1", "a%sb") LINE("2", "%s"), rows[i].out,
			 rows[i].out);
		page(log, wanted);
	}
}

/* The start of a character at the end of a piece waits for its rest. */
Test(html, characters_in_two_pieces)
{
	static const char *const characters[] = { "\xc3\xa4", "\xe2\x82\xac",
						  "\xf0\x9f\x92\xa9" };
	struct gsym_markup_options options = { .html = true };

	for (size_t i = 0; i < 3; i++)
		for (size_t cut = 1; cut < strlen(characters[i]); cut++)
			for (int text = 0; text < 2; text++) {
				struct gsym_markup_host host;
				struct gsym_markup *filter;
				struct capture c;
				char wanted[64];

				capture_host(&c, &host);
				gsym_markup_new(&host, &options, &filter, NULL);
				gsym_markup_feed(filter, "x", text);
				gsym_markup_feed(filter, characters[i], cut);
				gsym_markup_clock(filter, 0);
				gsym_markup_clock(filter, 1000);
				gsym_markup_feed(filter, characters[i] + cut,
						 strlen(characters[i]) - cut);
				gsym_markup_feed(filter, "\n", 1);
				gsym_markup_finish(filter);
				snprintf(wanted, sizeof(wanted),
					 LINE("1", "%s%s"), text ? "x" : "",
					 characters[i]);
				cr_expect_not_null(strstr(c.text, wanted),
						   "%zu, %zu, %d: %s", i, cut,
						   text, c.text);
				gsym_markup_free(filter);
				capture_fini(&c);
			}
}

Test(html, colours_are_spans)
{
	page("\033[30mblack\033[1mbold\033[0mplain \033[1mb\033[37mwhite\n"
	     "a\033[32mgreen\033[32m\033[0m\n",
	     LINE("1", "<span class=\"c0\">black</span>"
		       "<span class=\"b c0\">bold</span>plain "
		       "<span class=\"b\">b</span>"
		       "<span class=\"b c7\">white</span>")
		     LINE("2", "a<span class=\"c2\">green</span>"
			       "<span class=\"c2\"></span>"));
	/* Unknown sequences are never shown. */
	page("a\033[4mb\033[39m\n", LINE("1", "ab"));
}

/* ---- elements -------------------------------------------------------- */

/* Text inside of elements: values, labels of details, and the separator between
 * these. */
#define V(text) "<b>" text "</b>"
#define I(text) "<i>" text ":</i> "
#define NEXT "<u>;</u>\n"
#define TIP(text) "<span class=\"tip\"><u> (</u>" text "<u>)</u></span>"
#define SYM(class, title)                                                     \
	"<span class=\"sym " class "\" tabindex=\"0\"" title ">"

#define MODULE_TIP(rows)                                                      \
	TIP(I("module") "m #0x0" NEXT I("build ID") "aa" NEXT                 \
	    I("segments, their modes, and addresses in the module") "\n" rows)
#define SEGMENTS                                                              \
	"  [0x1000-0x14ff]                          rx  0x0" NEXT             \
	"  [0x1800-0x18ff]                          rw  0x800"
#define MODULE_TEXT                                                           \
	"[[[ELF module" V(" #0x0 ") "&quot;" V("m") "&quot;; BuildID="        \
	V("aa") " [" V("0x1000") "-" V("0x14ff") "](" V("rx") "),["           \
	V("0x1800") "-" V("0x18ff") "](" V("rw") ")]]]"
#define MODULE_SHOWN                                                          \
	"<span class=\"ln\">" SYM("module", "") MODULE_TEXT                   \
	MODULE_TIP(SEGMENTS) "</span></span>\n"
#define PLACE(offset, segment, mode)                                          \
	I("module") "m #0x0" NEXT I("build ID") "aa" NEXT I("offset") offset  \
	NEXT I("segment") "[" segment "]" NEXT I("mode") mode

Test(html, elements_without_frames)
{
	page(CONTEXT "{{{symbol:_Z1fv}}}{{{data:0x1810}}} {{{data:0x1}}}\n",
	     MODULE_SHOWN LINE(
		     "4",
		     SYM("symbol", " title=\"{{{symbol:_Z1fv}}}\"") "f()"
		     TIP(I("linkage name") "_Z1fv") "</span>"
		     SYM("data", " title=\"{{{data:0x1810}}}\"") "var+"
		     V("0x10") TIP(I("address") "0x1810" NEXT
				   PLACE("0x810", "0x1800-0x18ff", "rw"))
		     "</span> "
		     SYM("raw err", " title=\"{{{data:0x1}}}\"") "[[["
		     V("data") ":" V("0x1") "]]]"
		     TIP(I("address in the log") "0x1" NEXT
			 I("error") "no mmap covers address") "</span>"));
}

#define FRAMES                                                                \
	"in /src/a.c:7" NEXT "  inlined into mid b.c:8" NEXT                  \
	"  inlined into out" NEXT
#define CODE(logged, address, kind, offset)                                   \
	I("address in the log") logged NEXT I("looked up") address NEXT       \
	I("kind") kind NEXT PLACE(offset, "0x1000-0x14ff", "rx")

Test(html, frames)
{
	struct gsym_markup_options options = {
		.html = true,
		.source_url = "https://x/?%f&l=%l%",
	};
	static const char tip[] =
		TIP(FRAMES CODE("0x1101", "0x1100", "return address", "0x100"));
	static const char title[] = " title=\"{{{bt:3:0x1101:ra}}}\"";
	char wanted[8192];

	snprintf(wanted, sizeof(wanted),
		 MODULE_SHOWN
		 "<span class=\"ln\" id=\"L4\">a "
		 SYM("bt", " id=\"f1-3\"%s") "    #" V("3") "." V("1 ")
		 V(" 0x0000000000001100 ") V("in")
		 " <a href=\"https://x/?/src/a.c&amp;l=7%%\">" V("/src/a.c")
		 "</a>:" V("7") " (" V("m") "+" V("0x100") ")%s</span></span>\n"
		 "<span class=\"ln\">" SYM("bt", "%s") "    #" V("3") "."
		 V("2 ") V(" 0x0000000000001100 ") V("mid")
		 " <a href=\"https://x/?b.c&amp;l=8%%\">" V("b.c") "</a>:"
		 V("8") " (" V("m") "+" V("0x100") ")%s</span></span>\n"
		 "<span class=\"ln\">" SYM("bt", "%s") "    #" V("3") "   "
		 V(" 0x0000000000001100 ") V("out") " (" V("m") "+" V("0x100")
		 ")%s</span> b</span>\n",
		 title, tip, title, tip, title, tip);
	page_with(CONTEXT "a {{{bt:3:0x1101:ra}}} b\n", wanted, &options);
	/* Only letters, digits and some marks are not encoded in a URL. */
	options.source_url = "%l%%f";
	page_with("x\n", LINE("1", "x"), &options);
}

Test(html, code_without_frames)
{
	page(CONTEXT "{{{pc:0x1010}}} {{{pc:0x1200:pc}}}\n",
	     MODULE_SHOWN LINE(
		     "4", SYM("pc", " title=\"{{{pc:0x1010}}}\"") V("m") "+"
		     V("0x10") TIP(CODE("0x1010", "0x1010", "not given",
					"0x10")) "</span> "
		     SYM("pc", " title=\"{{{pc:0x1200:pc}}}\"") V("m") "+"
		     V("0x200") TIP(CODE("0x1200", "0x1200", "exact", "0x200"))
		     "</span>"));
}

#define RAW_FRAME(id, number, address)                                        \
	SYM("raw bt err", " id=\"" id "\" title=\"{{{bt:" number ":"          \
	    address "}}}\"") "[[[" V("bt") ":" V(number) ":" V(address)       \
	"]]]" TIP(I("address in the log") address NEXT I("kind")              \
		  "not given" NEXT I("error") "no mmap covers address")       \
	"</span>"

/* A trace goes on as long as the frame numbers of a process grow. */
Test(html, traces_have_numbers)
{
	struct gsym_markup_options options = {
		.html = true, .headers = GSYM_MARKUP_HEADERS_SANITIZER,
	};

	page("{{{bt:0:0x1}}}{{{bt:1:0x2}}}{{{bt:1:0x3}}}\n{{{bt:7:0x4}}}\n",
	     LINE("1", RAW_FRAME("f1-0", "0", "0x1")
		  RAW_FRAME("f1-1", "1", "0x2") RAW_FRAME("f2-1", "1", "0x3"))
	     LINE("2", RAW_FRAME("f2-7", "7", "0x4")));
	page_with("==1=={{{bt:0:0x1}}}\n==2=={{{bt:1:0x2}}}\n"
		  "==1=={{{bt:1:0x3}}}\n",
		  LINE("1", "==1==" RAW_FRAME("f1-0", "0", "0x1"))
		  LINE("2", "==2==" RAW_FRAME("f2-1", "1", "0x2"))
		  LINE("3", "==1==" RAW_FRAME("f1-1", "1", "0x3")),
		  &options);
}

/* Marks that change the direction of text are escaped in names but not in the
 * log. */
Test(html, directions)
{
	page("{{{symbol:a\xe2\x80\xae" "b\tc\rd}}}\xe2\x80\xae\n",
	     LINE("1", SYM("symbol", " title=\"{{{symbol:a\xe2\x80\xae"
			   "b\tcd}}}\"") "a" BAD "b\tcd"
		  TIP(I("linkage name") "a" BAD "b\tcd")
		  "</span>\xe2\x80\xae"));
}

Test(html, invalid_elements)
{
	page("{{{pc:<}}} {{{bt:\033[1mx:0}}} {{{no:x}}} {{{data:0:1}}}\n",
	     LINE("1",
		  SYM("bad err", " title=\"{{{pc:&lt;}}}\"") "{{{pc:&lt;}}}"
		  TIP(I("error") "expected address; found &#39;&lt;&#39;")
		  "</span> {{{bt:<span class=\"b\">x:0}}} {{{no:x}}} "
		  SYM("raw err", " title=\"{{{data:0:1}}}\"") "[[[" V("data")
		  ":" V("0") ":" V("1") "]]]" TIP(I("address in the log")
		  "0x0" NEXT I("error") "no mmap covers address")
		  "</span></span>"));
	/* At most 256 bytes of a title are used. */
	char log[400], wanted[1024], name[300];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	snprintf(log, sizeof(log), "{{{symbol:%s}}}\n", name);
	snprintf(wanted, sizeof(wanted),
		 LINE("1", SYM("symbol", " title=\"{{{symbol:%.246s...\"")
		      "%s" TIP(I("linkage name") "%s") "</span>"),
		 name, name, name);
	page(log, wanted);
	snprintf(log, sizeof(log), "{{{symbol:%.243s}}}\n", name);
	snprintf(wanted, sizeof(wanted),
		 LINE("1", SYM("symbol", " title=\"{{{symbol:%.243s}}}\"")
		      "%.243s" TIP(I("linkage name") "%.243s") "</span>"),
		 name, name, name);
	page(log, wanted);
}

Test(html, dump_files)
{
	struct gsym_markup_options options = {
		.html = true, .dumpfile_url = "<?%t&%n%x",
	};
	static const char log[] =
		CONTEXT "{{{reset}}}\n" CONTEXT
			"{{{dumpfile:t/A-Z._~:09 \"@[`{}}}\n";
	static const char lines[] =
		MODULE_SHOWN
		"<span class=\"ln\">" SYM("raw", " title=\"{{{reset}}}\"")
		"[[[" V("reset") "]]]</span></span>\n" MODULE_SHOWN
		"<span class=\"ln\" id=\"L8\">"
		SYM("dump", " title=\"{{{dumpfile:t/A-Z._~:09 &quot;@[`{}}}\"")
		"[[[dumpfile:";
	static const char tip[] = TIP(I("modules") "1" NEXT I("segments") "2");
	char wanted[8192];

	snprintf(wanted, sizeof(wanted),
		 "%s<a href=\"&lt;?t%%2fA-Z._~&amp;09%%20%%22%%40%%5b%%60"
		 "%%7b%%x\">" V("t/A-Z._~") ":" V("09 &quot;@[`{") "</a>]]]%s"
		 "</span></span>\n", lines, tip);
	page_with(log, wanted, &options);
	options.dumpfile_url = NULL;
	snprintf(wanted, sizeof(wanted),
		 "%s" V("t/A-Z._~") ":" V("09 &quot;@[`{")
		 "]]]%s</span></span>\n",
		 lines, tip);
	page_with(log, wanted, &options);
}

#define SECOND                                                                \
	"<span class=\"ln\">" SYM("module", "") "[[[ELF module" V(" #0x1 ")   \
	"&quot;" V("n") "&quot;; BuildID=" V("bb") "]]]"                      \
	TIP(I("module") "n #0x1" NEXT I("build ID") "bb") "</span></span>\n"

/* Two module lines or more can be folded away. */
Test(html, module_lines_are_folded)
{
	struct gsym_markup_options options = { .html = true };

	page(CONTEXT "{{{module:1:n:elf:bb}}}\nx\n",
	     "</pre><details class=\"log\"><summary>2 module lines</summary>"
	     "<pre>" MODULE_SHOWN SECOND
	     "</pre></details><pre class=\"log\">" LINE("5", "x"));
	options.module_lines = GSYM_MARKUP_MODULES_NONE;
	page_with(CONTEXT "{{{module:1:n:elf:bb}}}\nx\n", LINE("5", "x"),
		  &options);
}

/* The folder that the next lookup names. */
static const char *folder;

static size_t code_in_folder(void *context, void *symbols, uint64_t address,
			     struct gsym_markup_frame *frames, size_t capacity)
{
	(void)context;
	(void)symbols;
	(void)address;
	cr_assert_gt(capacity, 0);
	frames[0] = (struct gsym_markup_frame){ "f", folder, "a.h", 7, 0, 1 };
	return 1;
}

/* Expect that a page has the file WANTED for a file in FROM; text, which may be
 * read by programs, keeps the folder. */
static void folder_as(const char *from, const char *wanted)
{
	static const char log[] = CONTEXT "{{{pc:0x1110}}}\n";

	for (int html = 0; html < 2; html++) {
		struct gsym_markup_options options = { .html = html };
		struct gsym_markup_host host;
		struct gsym_markup *filter;
		struct capture c;
		char text[128];

		folder = from;
		capture_host(&c, &host);
		host.code = code_in_folder;
		cr_assert_eq(gsym_markup_new(&host, &options, &filter, NULL),
			     GSYM_OK);
		capture_feed(filter, log, strlen(log), 1000);
		snprintf(text, sizeof(text), html ? "<b>%s</b>" : "[%s/a.h:7]",
			 html ? wanted : from);
		cr_expect_not_null(strstr(c.text, text), "%s not in %s", text,
				   c.text);
		gsym_markup_free(filter);
		capture_fini(&c);
	}
}

Test(html, folders_without_detours)
{
	folder_as("/usr/lib/gcc/x86/12/../../../../include/c++",
		  "/usr/include/c++/a.h");
	folder_as("/src", "/src/a.h");
	folder_as("../../b/../c", "../../c/a.h");
	folder_as("/../b", "/../b/a.h");
	folder_as("./../b", "./../b/a.h");
	folder_as("b/..", "a.h");
	/* An empty name is not taken for a folder. */
	folder_as("a//../b", "a//../b/a.h");
}

/* A single module line with many ranges is folded, too; one with few is not. */
Test(html, a_long_module_line_is_folded)
{
	struct gsym_markup_options options = { .html = true };
	static const char log[] = "{{{module:0:m:elf:aa}}}\n"
		"{{{mmap:0x1000:0x10:load:0:r:0x0}}}\n"
		"{{{mmap:0x2000:0x10:load:0:r:0x0}}}\n"
		"{{{mmap:0x3000:0x10:load:0:r:0x0}}}\n"
		"{{{mmap:0x4000:0x10:load:0:r:0x0}}}\nx\n";
	struct capture c;

	capture_log(&c, log, strlen(log), 1, &options);
	cr_expect_not_null(strstr(c.text, "<details class=\"log\"><summary>"
					  "1 module line</summary>"));
	capture_fini(&c);
}

#define VALUE(text, meaning) SYM("hex", "") text TIP(meaning) "</span>"

/* Values of a hexdict element have details instead of footnotes.  Its lines
 * keep their numbers. */
Test(html, hexdict)
{
	page(CONTEXT "{{{hexdict:\nA: 0x1810 B: 9\nLR:0x1102 C:0x1100}}} x\n"
		     "{{{hexdict:\nnot ended\n",
	     MODULE_SHOWN LINE("4", "[[[hexdict:")
	     LINE("5", "A: " VALUE("0x1810", "data " V("var") "+" V("0x10")
		       " (" V("m") "+" V("0x810") ")") " B: 9")
	     LINE("6", "LR:" VALUE("0x1102", "code " V("in") " " V("/src/a.c")
		       ":" V("7") " (" V("m") "+" V("0x101") ")") " C:"
		  VALUE("0x1100", "code? " V("out") " (" V("m") "+"
			V("0x100") ")") "]]] x")
	     LINE("7", "{{{hexdict:") LINE("8", "not ended"));
}

/* No block of lines ends within a line whose start was written, because its end
 * did not come, and whose rest waits for the end of an element, or of two. */
Test(html, blocks_end_between_lines)
{
	static const char between[] = "</pre></div><div class=\"blk\">";
	enum { BLOCK_LINES = 512 };
	struct gsym_markup_options options = { .html = true };
	struct gsym_markup_host host;
	struct gsym_markup *filter;
	struct capture c;
	const char *found, *at;

	capture_host(&c, &host);
	cr_assert_eq(gsym_markup_new(&host, &options, &filter, NULL), GSYM_OK);
	for (int i = 1; i < BLOCK_LINES - 1; i++)
		gsym_markup_feed(filter, "x\n", 2);
	gsym_markup_clock(filter, 0);
	gsym_markup_feed(filter, "start", 5);
	gsym_markup_clock(filter, 1000);
	at = " {{{hexdict:\nA: 0x1}}} b {{{hexdict:\nB: 0x2}}} c\ny\ny\n";
	gsym_markup_feed(filter, at, strlen(at));
	gsym_markup_finish(filter);
	for (found = c.text; (found = strstr(found, between)); found++)
		cr_expect_eq(found[-1], '\n', "%.100s", found - 50);
	cr_expect_not_null(strstr(c.text, between));
	gsym_markup_free(filter);
	capture_fini(&c);
}

Test(html, heads)
{
	struct gsym_markup_options options = { .html = true };
	struct capture c;

	capture_log(&c, "", 0, 1, &options);
	cr_expect_eq(strncmp(c.text, "<!DOCTYPE html>\n", 16), 0);
	cr_expect_not_null(strstr(c.text, "<title>log</title>"));
	capture_fini(&c);
	options.title = "a<b";
	capture_log(&c, "", 0, 1, &options);
	cr_expect_not_null(strstr(c.text, "<title>a&lt;b</title>"));
	capture_fini(&c);
	/* llvm-symbolizer has no pages. */
	options.style = GSYM_MARKUP_STYLE_LLVM;
	capture_log(&c, "&\n", 2, 1, &options);
	cr_expect_str_eq(c.text, "&\n");
	capture_fini(&c);
}

/* ---- a series of pages ----------------------------------------------- */

struct series {
	char text[1 << 16];
	size_t size, ends[8];
	struct gsym_markup_part parts[8];
	char processes[8][64];
	size_t count;
};

static void take(void *context, const char *bytes, size_t size)
{
	struct series *s = context;

	cr_assert_leq(size, sizeof(s->text) - s->size);
	memcpy(s->text + s->size, bytes, size);
	s->size += size;
}

static void end_part(void *context, const struct gsym_markup_part *part)
{
	struct series *s = context;

	cr_assert_lt(s->count, 8);
	s->ends[s->count] = s->size;
	s->parts[s->count] = *part;
	if (part->processes_size)
		memcpy(s->processes[s->count], part->processes,
		       part->processes_size);
	s->count++;
}

/* Each page is whole, and the callback comes after all of its bytes.  A page
 * does not end inside an element of several lines. */
Test(html, a_series_of_pages)
{
	static const char log[] = "==1== {{{bt:0:0x1}}}\n==2== second\n"
				  "==2== third\n==1== {{{hexdict: a: 0x1\n"
				  "==1== b: 0x2}}} ==\n==3== {{{bt:0:0x2}}}\n";
	struct gsym_markup_options options = {
		.html = true,
		.headers = GSYM_MARKUP_HEADERS_SANITIZER,
		.part_size = 30,
		.title = "T",
	};
	static const struct {
		uint64_t first, lines;
		bool more;
		const char *processes;
		size_t size;
	} wanted[] = {
		{ 1, 2, true, "1\0" "2", 4 },
		{ 3, 3, true, "2\0" "1", 4 },
		{ 6, 1, false, "3", 2 },
	};

	for (size_t step = 1; step < 100; step += 49) {
		static struct series s;
		struct gsym_markup_host host = { .context = &s, .write = take,
						 .part = end_part };
		struct gsym_markup *f;

		s = (struct series){ 0 };
		cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL),
			     GSYM_OK);
		for (size_t at = 0; at < sizeof(log) - 1; at += step) {
			size_t left = sizeof(log) - 1 - at;

			gsym_markup_feed(f, log + at,
					 left < step ? left : step);
		}
		cr_assert_eq(gsym_markup_finish(f), GSYM_OK);
		gsym_markup_free(f);
		cr_assert_eq(s.count, 3, "%zu pages", s.count);
		cr_expect_eq(s.ends[2], s.size, "output after the last page");
		for (size_t i = 0; i < 3; i++) {
			const struct gsym_markup_part *p = &s.parts[i];
			size_t from = i ? s.ends[i - 1] : 0;
			const char *at = s.text + from;

			cr_expect_eq(p->number, i + 1);
			cr_expect_eq(p->first_line, wanted[i].first);
			cr_expect_eq(p->lines, wanted[i].lines, "%zu: %d", i,
				     (int)p->lines);
			cr_expect_eq(p->more, wanted[i].more);
			cr_expect_eq(p->processes_size, wanted[i].size);
			cr_expect_arr_eq(s.processes[i], wanted[i].processes,
					 wanted[i].size);
			cr_expect_arr_eq(at, "<!DOCTYPE", 9);
			cr_expect_arr_eq(s.text + s.ends[i] - 8, "</html>\n",
					 8);
		}
	}
}

/* A process that never ends an element does not keep pages from ending.  Each
 * process is named once for a page. */
Test(html, pages_and_an_element_without_end)
{
	static const char lines[] = "==2== second\n==1== more\n==2== third\n";
	static struct series s;
	struct gsym_markup_options options = {
		.html = true,
		.headers = GSYM_MARKUP_HEADERS_SANITIZER,
		.part_size = 30,
	};
	struct gsym_markup_host host = { .context = &s, .write = take,
					 .part = end_part };
	struct gsym_markup *f;

	s = (struct series){ 0 };
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_feed(f, "==1== {{{hexdict: a: 0x1\n", 25);
	for (int i = 0; i < 3; i++)
		gsym_markup_feed(f, lines, sizeof(lines) - 1);
	cr_expect_eq(s.count, 3, "%zu pages", s.count);
	for (size_t i = 0; i < s.count; i++)
		cr_expect_eq(s.parts[i].processes_size, 4);
	cr_expect_eq(gsym_markup_finish(f), GSYM_OK);
	gsym_markup_free(f);
}

/* Each element that can have the focus has a role with a name; frames have
 * their number. */
Test(html, elements_have_names)
{
	static const char log[] =
		"{{{module:0:m:elf:aa}}}\n{{{mmap:0x10:0x10:load:0:rx:0}}}\n"
		"{{{bt:12:0x11}}} {{{pc:0x11}}} {{{data:0x11}}} {{{symbol:f}}} "
		"{{{bt:3:0x99}}} {{{dumpfile:a:b}}} {{{bt:x}}}\n";
	static const char *const wanted[] = {
		"aria-label=\"module\" class=\"sym module\"",
		"aria-roledescription=\"stack frame\" aria-label=\"frame 12\" "
		"class=\"sym bt\"",
		"aria-label=\"code address\" class=\"sym pc\"",
		"aria-label=\"variable\" class=\"sym data\"",
		"aria-label=\"name\" class=\"sym symbol\"",
		"aria-label=\"frame 3\" class=\"sym raw bt err\"",
		"aria-label=\"dump file\" class=\"sym dump\"",
		"role=\"group\" aria-label=\"element of the log\" "
		"class=\"sym bad err\"",
	};
	struct gsym_markup_options options = { .html = true };
	struct capture c;
	size_t focus = 0, roles = 0;

	capture_log(&c, log, strlen(log), 1000, &options);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		cr_expect_not_null(strstr(c.text, wanted[i]), "%s in\n%s",
				   wanted[i], strstr(c.text, "<body>"));
	for (const char *at = c.text; (at = strstr(at, " tabindex=")); at++)
		focus++;
	for (const char *at = c.text; (at = strstr(at, " role=\"gr")); at++)
		roles++;
	cr_expect_eq(focus, roles);
	capture_fini(&c);
}
