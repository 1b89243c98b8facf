/* SPDX-License-Identifier: MIT */
/* Colour, bytes of any kind, hexdict and dumpfile elements, and how long output
 * waits. */
#include "logs.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- colour ------------------------------------------------------------ */

/* The SGR sequences at the start of a line (IN), what they become in both
 * styles, and then the sequences for an element, for a value, for the text
 * after the element, and at the end of the line. */
static const struct {
	const char *in, *llvm, *ours;
	const char *highlight, *value, *back, *end;
} states[] = {
	{ "", "", "", "\033[0;34m", "\033[0;32m", "\033[0m", "" },
	{ "\033[1m", "\033[1m", "\033[1m", "\033[0;1;34m", "\033[0;1;32m",
	  "\033[0m\033[1m", "\033[0m" },
	{ "\033[31m", "\033[0;31m", "\033[0;31m", "\033[0;34m", "\033[0;32m",
	  "\033[0;31m", "\033[0m" },
	{ "\033[1m\033[31m", "\033[1m\033[0;31m", "\033[1m\033[0;1;31m",
	  "\033[0;1;34m", "\033[0;1;32m", "\033[0;1;31m", "\033[0m" },
	/* In blue text elements are cyan. */
	{ "\033[34m", "\033[0;34m", "\033[0;34m", "\033[0;36m", "\033[0;32m",
	  "\033[0;34m", "\033[0m" },
	{ "\033[1m\033[34m", "\033[1m\033[0;34m", "\033[1m\033[0;1;34m",
	  "\033[0;1;36m", "\033[0;1;32m", "\033[0;1;34m", "\033[0m" },
};

/* H, V and R stand for the sequences HIGHLIGHT, VALUE and BACK of a state. */
static const struct {
	const char *element, *llvm, *ours;
} painted[] = {
	{ "{{{symbol:_Z1fv}}}", "Hf()R", "Hf()R" },
	{ "{{{data:0x1810}}}", "HvarR", "Hvar+V0x10HR" },
	{ "{{{pc:0x1100}}}", "HVinH[V/src/a.cH:V7H]R",
	  "HVinH[V/src/a.cH:V7H]R" },
	{ "{{{bt:3:0x1010:pc}}}",
	  "H    #V3H   V 0x0000000000001010 H(VmH+V0x10H)R",
	  "H    #V3H   V 0x0000000000001010 H(VmH+V0x10H)R" },
	{ "{{{bt:3:0x10:pc}}}", "H[[[VbtH:V3H:V0x10H:VpcH]]]R",
	  "H[[[VbtH:V3H:V0x10H:VpcH]]]R" },
	{ "{{{pc:0x10}}}", "H[[[VpcH:V0x10H]]]R", "H[[[VpcH:V0x10H]]]R" },
};

/* Write PATTERN with the sequences of state S to TO; returns its end. */
static char *paint(char *to, const char *pattern, size_t s)
{
	for (; *pattern; pattern++) {
		const char *what = *pattern == 'H'   ? states[s].highlight
				   : *pattern == 'V' ? states[s].value
				   : *pattern == 'R' ? states[s].back
						     : NULL;

		if (what)
			to = stpcpy(to, what);
		else
			*to++ = *pattern;
	}
	*to = 0;
	return to;
}

/* The module line of CONTEXT in colour, without the sequence after it. */
static const char *coloured_context(void)
{
	static char text[512];
	char *end = text;

	end = paint(end,
		    "H[[[ELF moduleV #0x0 H\"VmH\"; BuildID=VaaH "
		    "[V0x1000H-V0x14ffH](VrxH),[V0x1800H-V0x18ffH](VrwH)"
		    "]]]",
		    0);
	return text;
}

Test(markup, colour_states_and_elements)
{
	struct gsym_markup_options options = { .colour = true };

	for (size_t s = 0; s < sizeof(states) / sizeof(*states); s++)
		for (size_t i = 0; i < sizeof(painted) / sizeof(*painted);
		     i++) {
			char log[512], wanted[1024], *end;

			snprintf(log, sizeof(log), CONTEXT "%s<%s>\nx\n",
				 states[s].in, painted[i].element);
			/* llvm-symbolizer resets colours after the line end,
			 * our own style before it. */
			end = wanted + sprintf(wanted, "%s\n\033[0m%s<",
					       coloured_context(),
					       states[s].llvm);
			end = paint(end, painted[i].llvm, s);
			sprintf(end, ">\n%sx\n", states[s].end);
			options.style = GSYM_MARKUP_STYLE_LLVM;
			expect_log(log, strlen(log), wanted, strlen(wanted),
				   NULL, &options);

			end = wanted + sprintf(wanted, "%s\033[0m\n%s<",
					       coloured_context(),
					       states[s].ours);
			end = paint(end, painted[i].ours, s);
			sprintf(end, ">%s\nx\n", states[s].end);
			options.style = GSYM_MARKUP_STYLE_DEFAULT;
			expect_log(log, strlen(log), wanted, strlen(wanted),
				   NULL, &options);
		}
}

static void colours(const char *log, const char *llvm, const char *ours,
		    bool colour, bool strip)
{
	struct gsym_markup_options options = {
		.style = GSYM_MARKUP_STYLE_LLVM,
		.colour = colour,
		.strip_ansi = strip,
	};

	if (llvm)
		expect_log(log, strlen(log), llvm, strlen(llvm), NULL,
			   &options);
	options.style = GSYM_MARKUP_STYLE_DEFAULT;
	expect_log(log, strlen(log), ours, strlen(ours), NULL, &options);
}

Test(markup, colour_blue)
{
	colours("\033[34mblue {{{symbol:_Z1fv}}} still\033[0m\n",
		"\033[0;34mblue \033[0;36mf()\033[0;34m still\033[0m\n",
		"\033[0;34mblue \033[0;36mf()\033[0;34m still\033[0m\n", true,
		false);
}

Test(markup, colour_dangling_and_needless)
{
	colours("\033[31mred\nplain\n\033[0mnothing\n",
		"\033[0;31mred\n\033[0mplain\nnothing\n",
		"\033[0;31mred\033[0m\nplain\nnothing\n", true, false);
	colours("\033[31mred", "\033[0;31mred\n\033[0m", "\033[0;31mred\033[0m",
		true, false);
	/* The same without a line end.  Bold after a reset has no colour. */
	colours("\033[31mred\033[0;1mbold", NULL,
		"\033[0;31mred\033[0m\033[1mbold\033[0m", true, false);
}

Test(markup, colour_sequences_of_other_kinds)
{
	static const char log[] = "a\033[mb\033[01mc\033[1;31md\033[39me"
				  "\033[90mf\033[4mg\033[0;32mh\033[38;5;1mi\n";

	/* In llvm-symbolizer's style all of them are text. */
	colours(log, log,
		"ab\033[1mc\033[0;1;31md\033[39me\033[90mf\033[4mg"
		"\033[0;32mh\033[38;5;1mi\033[0m\n",
		true, false);
	colours(log, log, "abcd\033[39me\033[90mf\033[4mgh\033[38;5;1mi\n",
		false, false);
	colours(log, NULL, "abcdefghi\n", false, true);
	/* Text that is no SGR sequence. */
	colours("\033\033[x\033[3\n\033[31\n\033]0;t\007\n",
		"\033\033[x\033[3\n\033[31\n\033]0;t\007\n",
		"\033\033[x\033[3\n\033[31\n\033]0;t\007\n", false, true);
}

Test(markup, colour_without_colour)
{
	colours("\033[1ma\033[31mb {{{symbol:_Z1fv}}}\033[0m c\n", "ab f() c\n",
		"ab f() c\n", false, false);
}

/* ---- bytes ------------------------------------------------------------- */

static void bytes(const char *log, size_t size, const char *llvm,
		  size_t llvm_size)
{
	struct gsym_markup_options options = {
		.style = GSYM_MARKUP_STYLE_LLVM,
	};

	expect_log(log, size, log, size, "", NULL);
	expect_log(log, size, llvm, llvm_size, "", &options);
}

#define BYTES(text) text, sizeof(text) - 1

Test(markup, bytes_ends_and_bytes)
{
	bytes(BYTES(""), BYTES(""));
	bytes(BYTES("x"), BYTES("x\n"));
	bytes(BYTES("\n"), BYTES("\n"));
	bytes(BYTES("a\n\nb\r\n\r\rc\r"), BYTES("a\n\nb\r\n\r\rc\r\n"));
	bytes(BYTES("a\0b\0\0\n\0"), BYTES("a\0b\0\0\n\0\n"));
	bytes(BYTES("\xff\xfe\x80\xc3\n\xf0\x9f\x92\n"),
	      BYTES("\xff\xfe\x80\xc3\n\xf0\x9f\x92\n"));
	expect_ours("{{{symbol:_Z1fv}}}", "f()", "");
	expect_llvm("{{{symbol:_Z1fv}}}", "f()\n", "");
}

/* Every byte in text and in an element. */
Test(markup, bytes_every_byte)
{
	char log[600], wanted[800];
	size_t size = 0, length = 0;

	for (int c = 0; c < 256; c++)
		log[size++] = wanted[length++] = (char)c;
	log[size++] = wanted[length++] = '\n';
	size += (size_t)sprintf(log + size, "{{{symbol:");
	for (int c = 1; c < 256; c++) {
		if (c == '\n' || c == ':')
			continue;
		log[size++] = (char)c;
		/* Control characters in names are shown as \xNN. */
		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			length += (size_t)sprintf(wanted + length, "\\x%02x",
						  (unsigned)c);
		else
			wanted[length++] = (char)c;
	}
	size += (size_t)sprintf(log + size, "}}}\n");
	wanted[length++] = '\n';
	expect_log(log, size, wanted, length, "", NULL);
}

/* Lines are counted however many of them are passed at once. */
Test(markup, bytes_line_numbers)
{
	static const size_t sizes[] = { 1, 15, 16, 17, 4079, 4080, 4081, 9000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (int every = 1; every <= 16; every *= 4) {
			size_t size = sizes[i];
			char *log = malloc(size + 32), wanted[64];
			struct capture c;
			int lines = 1;

			for (size_t at = 0; at < size; at++) {
				log[at] = at % every ? '.' : '\n';
				lines += log[at] == '\n';
			}
			log[size - 1] = '\n';
			lines += (size - 1) % every != 0;
			strcpy(log + size, "{{{dumpfile:t:n}}}\n");
			capture_log(&c, log, strlen(log), 100000, NULL);
			snprintf(wanted, sizeof(wanted),
				 "t n line %d process ''\n", lines);
			cr_expect_str_eq(c.dumps, wanted, "%zu, %d: %s", size,
					 every, c.dumps);
			capture_fini(&c);
			free(log);
		}
}

struct counted {
	uint64_t size;
	uint64_t sum;
	uint64_t position;
};

/* Add BYTES to the number of bytes and to a sum that depends on their order.
 * The test compares these two instead of the text. */
static void add(struct counted *c, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		c->sum = c->sum * 31 + (unsigned char)bytes[i];
	c->size += size;
}

static void count(void *context, const char *bytes, size_t size)
{
	add(context, bytes, size);
}

/* PART, repeated, and END stay as they are in our own style; if BOTH, also in
 * llvm-symbolizer's style, which adds a line end.  The time has to be linear,
 * or the test would not end. */
static void flood(const char *part, size_t repeats, const char *end, bool both)
{
	size_t size = strlen(part), many = (1 << 16) / size;
	char *block = malloc(many * size);

	for (size_t i = 0; i < many; i++)
		memcpy(block + i * size, part, size);
	for (int style = 0; style < (both ? 2 : 1); style++) {
		struct gsym_markup_options options = {
			.style = style ? GSYM_MARKUP_STYLE_LLVM
				       : GSYM_MARKUP_STYLE_DEFAULT,
		};
		struct counted in = { 0 }, out = { 0 };
		struct gsym_markup_host host = { .context = &out,
						 .write = count };
		struct gsym_markup *filter;

		gsym_markup_new(&host, &options, &filter, NULL);
		for (size_t left = repeats; left;) {
			size_t now = left < many ? left : many;

			add(&in, block, now * size);
			gsym_markup_feed(filter, block, now * size);
			left -= now;
		}
		add(&in, end, strlen(end));
		if (style)
			add(&in, "\n", 1);
		gsym_markup_feed(filter, end, strlen(end));
		gsym_markup_finish(filter);
		gsym_markup_free(filter);
		cr_expect_eq(in.size, out.size,
			     "%s: %" PRIu64 " bytes, not %" PRIu64, part,
			     out.size, in.size);
		cr_expect_eq(in.sum, out.sum, "%s: other bytes", part);
	}
	free(block);
}

Test(markup, bytes_a_line_of_100_megabytes)
{
	flood("0123456789abcde ", 6250000, "end", false);
}

Test(markup, bytes_floods)
{
	flood("{", 3000000, "", true);
	flood("{{{", 1000000, "", true);
	flood("{{{bt:", 1000000, "", true);
	flood("}}}", 1000000, "", true);
	flood("{{{hexdict:\n", 500000, "x", true);
	flood("{{{unknown:a}}}", 500000, "", true);
	flood("{{ {{{", 500000, "\n}}} ", false);
	flood(":", 3000000, "}}}", true);
	flood("\033[", 1000000, "", true);
	flood("\033[3", 1000000, "", true);
}

/* ---- hexdict ----------------------------------------------------------- */

Test(markup, hexdict_a_dump_of_registers)
{
	expect_ours(
		CONTEXT
		"{{{hexdict:\n"
		"  RIP:       0x1101  RSP: 0x7fff0000e000 RAX:           0\n"
		"  RDI:       0x1810  RSI:         0x1100 R8:       0x1812\n"
		"  R9:             0  R12:         0x1100 LR:       0x1102\n"
		"  EFLAGS: 0x246\n"
		"}}}\n",
		SHOWN
		"[[[hexdict:\n"
		"  RIP:       0x1101  RSP: 0x7fff0000e000 RAX:           0\n"
		"  RDI:       0x1810  RSI:         0x1100 R8:       0x1812\n"
		"  R9:             0  R12:         0x1100 LR:       0x1102\n"
		"  EFLAGS: 0x246\n"
		"]]]\n"
		"    RIP 0x1101 code in /src/a.c:7 (m+0x101)\n"
		"    RDI 0x1810 data var+0x10 (m+0x810)\n"
		"    RSI, R12 0x1100 code? out (m+0x100)\n"
		"    R8 0x1812 data var+0x12 (m+0x812)\n"
		"    LR 0x1102 code in /src/a.c:7 (m+0x101)\n",
		"");
}

Test(markup, hexdict_on_one_line)
{
	expect_ours(CONTEXT "a {{{hexdict:PC: 0x1101}}} b {{{hexdict:x:0x1800 "
			    "ip:0x1101}}} c\n{{{hexdict:}}}{{{hexdict: }}}\n",
		    SHOWN "a [[[hexdict:PC: 0x1101]]] b [[[hexdict:x:0x1800 "
			  "ip:0x1101]]] c\n"
			  "    PC 0x1101 code in /src/a.c:7 (m+0x101)\n"
			  "    x 0x1800 data var (m+0x800)\n"
			  "    ip 0x1101 code in /src/a.c:7 (m+0x101)\n"
			  "[[[hexdict:]]][[[hexdict: ]]]\n",
		    "");
	/* Footnotes begin on a new line even if the line before has no end. */
	expect_ours(CONTEXT "{{{hexdict:PC:0x1101}}}",
		    SHOWN "[[[hexdict:PC:0x1101]]]\n"
			  "    PC 0x1101 code in /src/a.c:7 (m+0x101)\n",
		    "");
}

Test(markup, hexdict_lines_with_a_prefix)
{
	expect_ours(CONTEXT "physboot: {{{hexdict:\nphysboot:  RIP: 0x1101\n"
			    "physboot:  V#: 14 A: 0x1800\nphysboot: }}} end\n",
		    SHOWN "physboot: [[[hexdict:\nphysboot:  RIP: 0x1101\n"
			  "physboot:  V#: 14 A: 0x1800\nphysboot: ]]] end\n"
			  "physboot:     RIP 0x1101 code in /src/a.c:7 "
			  "(m+0x101)\n"
			  "physboot:     A 0x1800 data var (m+0x800)\n",
		    "");
	/* A word after the header, or without one, of a single line. */
	expect_ours(CONTEXT "physboot: {{{hexdict:PC: 0x1101}}} end\n"
			    "a: b {{{hexdict:PC: 0x1101}}}\n",
		    SHOWN "physboot: [[[hexdict:PC: 0x1101]]] end\n"
			  "physboot:     PC 0x1101 code in /src/a.c:7 "
			  "(m+0x101)\n"
			  "a: b [[[hexdict:PC: 0x1101]]]\n"
			  "    PC 0x1101 code in /src/a.c:7 (m+0x101)\n",
		    "");
	expect_ours(CONTEXT "[1.500] physboot: {{{hexdict:\n"
			    "[1.501] physboot: PC: 0x1101\n"
			    "[1.502] physboot: }}} end\n",
		    SHOWN "[1.500] physboot: [[[hexdict:\n"
			  "[1.501] physboot: PC: 0x1101\n"
			  "[1.502] physboot: ]]] end\n"
			  "[1.500] physboot:     PC 0x1101 code in "
			  "/src/a.c:7 (m+0x101)\n",
		    "");
	/* Lines may have different headers. */
	expect_ours(CONTEXT "[1.500][7][8] INFO: {{{hexdict:\n"
			    "[1.501][7][8] INFO: RIP:\n"
			    "[1.502][7][8] INFO: 0x1101 }}} end\n",
		    SHOWN "[1.500][7][8] INFO: [[[hexdict:\n"
			  "[1.501][7][8] INFO: RIP:\n"
			  "[1.502][7][8] INFO: 0x1101 ]]] end\n"
			  "[1.500][7][8] INFO:     RIP 0x1101 code in "
			  "/src/a.c:7 (m+0x101)\n",
		    "");
}

Test(markup, hexdict_what_is_no_pair)
{
	expect_ours(CONTEXT
		    "{{{hexdict:A: 14 B: 0x18000000000000000 C:: 0x1800 "
		    ": 0x1800 D 0x1800 E: 0x1800, F: {{{ G: 0X1800 "
		    "H: 00001800 I: \033[1m0x1800 J:0x0000000000001801}}}\n",
		    SHOWN
		    "[[[hexdict:A: 14 B: 0x18000000000000000 C:: 0x1800 "
		    ": 0x1800 D 0x1800 E: 0x1800, F: {{{ G: 0X1800 "
		    "H: 00001800 I: \033[1m0x1800 J:0x0000000000001801]]]\n"
		    "    J 0x1801 data var+0x1 (m+0x801)\n",
		    "");
}

Test(markup, hexdict_without_end)
{
	expect_ours("a {{{hexdict:\nA: 0x1\nlast",
		    "a {{{hexdict:\nA: 0x1\nlast", "");
	/* The first closer ends the element, even if an opener is before it. */
	expect_ours(CONTEXT "{{{hexdict:\nA: 0x1800 {{{symbol:_Z1fv}}} x }}}\n",
		    SHOWN "[[[hexdict:\nA: 0x1800 {{{symbol:_Z1fv]]] x }}}\n"
			  "    A 0x1800 data var (m+0x800)\n",
		    "");
}

Test(markup, hexdict_limits)
{
	char *log = calloc(1, 200000), *at = log;

	/* An element whose end is not found in 256 lines after the first is
	 * text. */
	at = stpcpy(at, "{{{hexdict:\n");
	for (int i = 0; i < 256; i++)
		at = stpcpy(at, "A: 0x1\n");
	strcpy(at, "}}}\n{{{symbol:_Z1fv}}}\n");
	char *wanted = strdup(log);
	strcpy(strstr(wanted, "{{{symbol"), "f()\n");
	expect_log(log, strlen(log), wanted, strlen(wanted), "", NULL);
	free(wanted);
	/* An element whose end is 255 lines after the first. */
	strcpy(at - 7, "}}}\n");
	wanted = strdup(log);
	memcpy(wanted, "[[[", 3);
	memcpy(strstr(wanted, "}}}"), "]]]", 3);
	expect_log(log, strlen(log), wanted, strlen(wanted), "", NULL);
	free(wanted);
	/* An element of 64 KiB. */
	at = stpcpy(log, "{{{hexdict:\n");
	memset(at, 'x', 66000);
	strcpy(at + 66000, "\n}}}\n");
	expect_log(log, strlen(log), log, strlen(log), "", NULL);
	free(log);
}

Test(markup, hexdict_other_ways)
{
	struct gsym_markup_options options = {
		.hexdict = GSYM_MARKUP_HEXDICT_INLINE,
	};
	static const char log[] =
		CONTEXT "{{{hexdict:PC: 0x1101 A: 0x1800\nB: 0x9}}} x\n";
	static const char beside[] =
		SHOWN "[[[hexdict:PC: 0x1101 <code in /src/a.c:7 (m+0x101)> "
		      "A: 0x1800 <data var (m+0x800)>\nB: 0x9]]] x\n";
	static const char off[] =
		SHOWN "{{{hexdict:PC: 0x1101 A: 0x1800\nB: 0x9}}} x\n";

	expect_log(log, strlen(log), beside, strlen(beside), "", &options);
	options.hexdict = GSYM_MARKUP_HEXDICT_OFF;
	expect_log(log, strlen(log), off, strlen(off), "", &options);
}

/* ---- dumpfile ---------------------------------------------------------- */

Test(markup, dumpfile_two_dumps)
{
	static const char log[] =
		"{{{module:5:late:elf:bb}}}\n" CONTEXT
		"see {{{dumpfile:sancov:a\"b\001'../c}}} there\n"
		"{{{mmap:0x500:0x10:load:5:r:0x7}}}\n"
		"{{{dumpfile:t:n:more}}}{{{dumpfile:t}}}\n";
	struct capture c;

	expect_ours(log,
		    "[[[ELF module #0x5 \"late\"; BuildID=bb]]]\n" SHOWN
		    "see [[[dumpfile:sancov:a\"b\\x01'../c]]] there\n"
		    "[[[ELF module #0x5 \"late\"; adds [0x500-0x50f](r)]]]\n"
		    "[[[dumpfile:t:n]]]{{{dumpfile:t}}}\n",
		    "note: expected 2 field(s); found 3 @11\n"
		    "error: expected 2 field(s); found 1 @34\n");
	capture_log(&c, log, strlen(log), 1000, NULL);
	cr_expect_str_eq(c.dumps, "sancov a\"b\001'../c line 5 process ''\n"
				  "  0 m aa\n  5 late bb\n"
				  "  1000-14ff rx 0+0\n  1800-18ff rw 0+800\n"
				  "t n line 7 process ''\n"
				  "  0 m aa\n  5 late bb\n"
				  "  500-50f r 5+7\n"
				  "  1000-14ff rx 0+0\n  1800-18ff rw 0+800\n");
	capture_fini(&c);
	expect_llvm("{{{dumpfile:t:n}}}\n", "{{{dumpfile:t:n}}}\n", "");
}

/* ---- what waits, and how long ------------------------------------------ */

static struct gsym_markup *follow(struct capture *c,
				  const struct gsym_markup_options *options)
{
	struct gsym_markup_host host;
	struct gsym_markup *filter;

	capture_host(c, &host);
	cr_assert_eq(gsym_markup_new(&host, options, &filter, NULL), GSYM_OK);
	return filter;
}

/* At TIME feed TEXT.  Expect that the output since the last call is WANTED, and
 * that the filter wants to be told the time again in AFTER milliseconds. */
static void at(struct gsym_markup *filter, struct capture *c, uint64_t time,
	       const char *text, const char *wanted, int after)
{
	gsym_markup_clock(filter, time);
	gsym_markup_feed(filter, text, strlen(text));
	cr_expect_eq(gsym_markup_clock(filter, time), after, "at %d: %d",
		     (int)time, gsym_markup_clock(filter, time));
	cr_expect_str_eq(c->text ? c->text : "", wanted, "at %d:\n%s",
			 (int)time, c->text);
	c->size = 0;
	if (c->text)
		*c->text = 0;
}

Test(markup, follow_a_module_line_waits_for_silence)
{
	struct capture c;
	struct gsym_markup *filter = follow(&c, NULL);

	at(filter, &c, 1000, "{{{module:0:a:elf:ab}}}\n", "", 200);
	at(filter, &c, 1150, "{{{mmap:0x1000:0x10:load:0:r:0}}}\n", "", 200);
	at(filter, &c, 1349, "", "", 1);
	at(filter, &c, 1350, "",
	   "[[[ELF module #0x0 \"a\"; BuildID=ab [0x1000-0x100f](r)]]]\n", -1);
	at(filter, &c, 1360, "{{{mmap:0x2000:0x10:load:0:r:0}}}\n", "", 200);
	at(filter, &c, 1560, "",
	   "[[[ELF module #0x0 \"a\"; adds [0x2000-0x200f](r)]]]\n", -1);
	gsym_markup_free(filter);
	capture_fini(&c);
}

Test(markup, follow_lines_do_not_wait)
{
	struct capture c;
	struct gsym_markup *filter = follow(&c, NULL);

	at(filter, &c, 5, "one\ntwo {{{symbol:_Z1fv}}}\n", "one\ntwo f()\n",
	   -1);
	at(filter, &c, 10, "no end", "", 1000);
	at(filter, &c, 900, " yet", "", 110);
	at(filter, &c, 1010, "", "no end yet", -1);
	at(filter, &c, 1020, " and on\nx\n", " and on\nx\n", -1);
	/* A line waits for the end of an element. */
	at(filter, &c, 2000, "in {{{symbol:_Z1", "", -1);
	at(filter, &c, 9000, "fv}}}\n", "in f()\n", -1);
	at(filter, &c, 9500, "two {{", "", 1000);
	at(filter, &c, 10500, "", "two ", 1000);
	at(filter, &c, 10600, "{symbol:_Z1fv}}}{", "", -1);
	at(filter, &c, 11600, "{x\n", "f(){{x\n", -1);
	/* Of an incomplete SGR sequence only its own bytes are held back. */
	at(filter, &c, 20000, "prompt \033[1m> \033[", "", 1000);
	at(filter, &c, 21000, "", "prompt > ", 1000);
	gsym_markup_free(filter);
	capture_fini(&c);
}

Test(markup, follow_an_element_without_end_is_given_up)
{
	struct gsym_markup_options options = {
		.headers = GSYM_MARKUP_HEADERS_SANITIZER,
	};
	struct capture c;
	struct gsym_markup *filter = follow(&c, &options);

	at(filter, &c, 100, "==1== {{{hexdict:\n", "", 2000);
	at(filter, &c, 1900, "==1== A: 0x1\n", "", 200);
	at(filter, &c, 2100, "", "==1== {{{hexdict:\n==1== A: 0x1\n", -1);
	at(filter, &c, 2200, "==1== }}}\n", "==1== }}}\n", -1);
	/* A line of another process comes after the lines before it. */
	at(filter, &c, 3000, "==1== {{{hexdict:\n", "", 2000);
	at(filter, &c, 4900, "==2== x\n==1== A: 0x1\n",
	   "==1== {{{hexdict:\n==2== x\n==1== A: 0x1\n", 100);
	at(filter, &c, 5000, "", "", -1);
	at(filter, &c, 5100, "==1== }}}\n", "==1== }}}\n", -1);
	gsym_markup_free(filter);
	capture_fini(&c);
}

/* No module line is written into the middle of a line. */
Test(markup, follow_half_a_line)
{
	struct capture c;
	struct gsym_markup *filter = follow(&c, NULL);

	at(filter, &c, 0, "half", "", 1000);
	at(filter, &c, 1000, "", "half", -1);
	at(filter, &c, 1100, " {{{module:0:a:elf:ab}}} a line\n", "  a line\n",
	   200);
	at(filter, &c, 1300, "", "[[[ELF module #0x0 \"a\"; BuildID=ab]]]\n",
	   -1);
	gsym_markup_free(filter);
	capture_fini(&c);
}
