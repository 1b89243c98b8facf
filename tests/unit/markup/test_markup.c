/* SPDX-License-Identifier: MIT */
#include "logs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gsym_markup *start(struct capture *c,
				 const struct gsym_markup_options *options)
{
	struct gsym_markup_host host;
	struct gsym_markup *filter;

	capture_host(c, &host);
	c->column = 3;
	cr_assert_eq(gsym_markup_new(&host, options, &filter, NULL), GSYM_OK);
	return filter;
}

/* The output for SIZE bytes of LOG, fed in pieces of STEP bytes. */
static char *filtered(struct capture *c, const char *log, size_t size,
		      size_t step, const struct gsym_markup_options *options)
{
	struct gsym_markup *filter = start(c, options);

	capture_feed(filter, log, size, step);
	gsym_markup_free(filter);
	if (!c->text)
		c->text = calloc(1, 1);
	return c->text;
}

static void expect_with(const char *log, const char *wanted,
			const struct gsym_markup_options *options)
{
	/* The sizes of the pieces make no difference. */
	static const size_t steps[] = { 1, 2, 3, 7, 64, 100000 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct capture c;
		char *got = filtered(&c, log, strlen(log), steps[i], options);

		cr_expect_str_eq(got, wanted, "step %zu:\n%s\nnot\n%s",
				 steps[i], got, wanted);
		free(got);
	}
}

static void expect(const char *log, const char *wanted)
{
	expect_with(log, wanted, NULL);
}

Test(markup, scanner_rows_in_default_style)
{
	expect("{{{symbol:x}}}}\n", "x}\n");
	expect("{{{symbol:x}}}}}}\n", "x}}}\n");
	expect("{{{symbol:x}} }}}\n", "x}} \n");
	expect("{{{symbol:{{{x}}}}}}\n", "{{{x}}}\n");
	expect("{{{{symbol:x}}}}\n", "{x}\n");
	expect("{{{ {{{symbol:x}}}\n", "{{{ x\n");
	expect("{{{}}}{{{symbol:x}}}\n", "{{{}}}x\n");
	expect("{{{:}}} {{{:symbol:x}}}\n", "{{{:}}} {{{:symbol:x}}}\n");
	expect("{{{symbol:x\nsymbol:x}}}\n{{{symbol:x}}\n",
	       "{{{symbol:x\nsymbol:x}}}\n{{{symbol:x}}\n");
	expect("text}}}{{{symbol:a}}}{{{\n", "text}}}a{{{\n");
	expect("{{{unknown:1:2}}} {{{SYMBOL:x}}} {{{sym1:x}}}\n",
	       "{{{unknown:1:2}}} {{{SYMBOL:x}}} {{{sym1:x}}}\n");
	expect("tpl {{{ body }}} and {{{user.name}}} end\n",
	       "tpl {{{ body }}} and {{{user.name}}} end\n");
	expect("random {{{ text {{{symbol:x}}}\n", "random {{{ text x\n");
}

Test(markup, frames_with_and_without_inlines)
{
	expect(CONTEXT "{{{bt:0:0x1101:ra}}}\n{{{bt:1:0x1010:pc}}}\n",
	       SHOWN
	       "    #0.1  0x0000000000001100 in /src/a.c:7:3 (m+0x100)\n"
	       "    #0.2  0x0000000000001100 mid b.c:8 (m+0x100)\n"
	       "    #0    0x0000000000001100 out (m+0x100)\n"
	       "    #1    0x0000000000001010 (m+0x10)\n");
	expect(CONTEXT "{{{bt:18446744073709551615:0x1010:pc}}}\n"
		       "{{{bt:12345:0x1010:pc}}}\n{{{bt:010:0x1010:pc}}}\n",
	       SHOWN "#18446744073709551615    0x0000000000001010 (m+0x10)\n"
		     "#12345    0x0000000000001010 (m+0x10)\n"
		     "   #10    0x0000000000001010 (m+0x10)\n");
}

Test(markup, kinds_and_messages_of_frames)
{
	expect(CONTEXT "{{{bt:1:0x1010:pc:from CFI}}} x\n"
		       "{{{bt:1:0x1010:sp 0x1:y}}}\n",
	       SHOWN "    #1    0x0000000000001010 (m+0x10) from CFI x\n"
		     "    #1    0x000000000000100f (m+0xf) sp 0x1:y\n");
}

Test(markup, pc_and_data)
{
	expect(CONTEXT "{{{pc:0x1100}}} {{{pc:0x1010}}} {{{data:0x1810}}} "
		       "{{{data:0x1800}}} {{{data:0x1010}}} {{{data:0x1}}}\n",
	       SHOWN "in[/src/a.c:7:3] m+0x10 var+0x10 var m+0x10 "
		     "[[[data:0x1]]]\n");
	struct gsym_markup_options options = { .pc_inlines = true };
	expect_with(CONTEXT "{{{pc:0x1100}}}\n",
		    SHOWN "in[/src/a.c:7:3] <- mid[b.c:8] <- out\n",
		    &options);
}

Test(markup, nothing_is_lost_without_a_line_end)
{
	expect("", "");
	expect("x", "x");
	expect("{{{symbol:x", "{{{symbol:x");
	expect("a\n\nb\r\n\r\nc", "a\n\nb\r\n\r\nc");
}

Test(markup, the_end_of_the_address_space)
{
	expect("{{{module:0:m:elf:bb}}}\n"
	       "{{{mmap:0xffffffffffffff00:0x100:load:0:r:0x0}}}\n"
	       "{{{pc:0xffffffffffffffff}}} {{{bt:0:0x0:ra}}}\n",
	       "[[[ELF module #0x0 \"m\"; BuildID=bb "
	       "[0xffffffffffffff00-0xffffffffffffffff](r)]]]\n"
	       "m+0xff [[[bt:0:0x0:ra]]]\n");
	/* A mapping that would reach beyond 2^64 is cut. */
	expect("{{{module:0:m:elf:bb}}}\n"
	       "{{{mmap:0xfffffffffffffff0:0x100:load:0:r:0x0}}}\n"
	       "{{{pc:0xffffffffffffffff}}} {{{pc:0x0}}}\n",
	       "[[[ELF module #0x0 \"m\"; BuildID=bb "
	       "[0xfffffffffffffff0-0xffffffffffffffff](r)]]]\n"
	       "m+0xf [[[pc:0x0]]]\n");
}

Test(markup, modules_without_symbols_are_asked_for_once)
{
	static const char log[] = "{{{module:0:m:elf:bb}}}\n"
				  "{{{mmap:0x1000:0x500:load:0:rx:0x0}}}\n"
				  "{{{pc:0x1001}}}\n{{{pc:0x1002}}}\n";
	struct capture c;
	char *got = filtered(&c, log, strlen(log), 10, NULL);

	cr_expect_eq(c.asked, 1);
	cr_expect_str_eq(c.messages, "error: no symbols for module #0x0 \"m\"; "
				     "BuildID=bb\n");
	free(got);
	struct gsym_markup *filter = start(&c, NULL);
	gsym_markup_feed(filter, log, strlen(log));
	gsym_markup_retry(filter);
	gsym_markup_feed(filter, "{{{pc:0x1001}}}\n", 16);
	cr_expect_eq(c.asked, 2);
	cr_expect_str_eq(c.messages, "error: no symbols for module #0x0 \"m\"; "
				     "BuildID=bb\n");
	/* After a reset the module is a new one. */
	cr_expect_eq(c.resets, 0);
	gsym_markup_feed(filter, "{{{reset}}}\n", 12);
	gsym_markup_feed(filter, log, strlen(log));
	cr_expect_eq(c.resets, 1);
	cr_expect_eq(c.asked, 3);
	cr_expect_str_eq(c.messages, "error: no symbols for module #0x0 \"m\"; "
				     "BuildID=bb\n"
				     "error: no symbols for module #0x0 \"m\"; "
				     "BuildID=bb\n");
	gsym_markup_free(filter);
	free(c.text);
}

Test(markup, flush_and_idle)
{
	struct capture c;
	struct gsym_markup *filter = start(&c, NULL);

	gsym_markup_feed(filter, "{{{module:0:m:elf:aa}}}\npart", 28);
	gsym_markup_flush(filter);
	cr_expect_eq(c.size, 0);
	gsym_markup_clock(filter, 200);
	cr_expect_str_eq(c.text, "[[[ELF module #0x0 \"m\"; BuildID=aa]]]\n");
	gsym_markup_clock(filter, 1000);
	cr_expect_str_eq(c.text,
			 "[[[ELF module #0x0 \"m\"; BuildID=aa]]]\npart");
	gsym_markup_feed(filter, " two\n", 5);
	gsym_markup_finish(filter);
	cr_expect_str_eq(
		c.text, "[[[ELF module #0x0 \"m\"; BuildID=aa]]]\npart two\n");
	gsym_markup_free(filter);
	free(c.text);
}

/* Many mappings that overlap in every way: a table says for each byte which of
 * them it belongs to. */
Test(markup, overlapping_mappings_against_a_table)
{
	static unsigned char table[4096];
	struct capture c;
	struct gsym_markup *filter = start(&c, NULL);
	uint32_t random = 1;
	char line[128];

	memset(table, 0, sizeof(table));
	for (int i = 1; i < 250; i++) {
		random = random * 1664525 + 1013904223;
		unsigned at = (random >> 8) % 4000;
		unsigned size = 1 + (random >> 20) % 96;

		snprintf(line, sizeof(line),
			 "{{{module:%d:%d:elf:bb%02x}}}{{{mmap:0x%x:%u:load:%d:"
			 "r:0x%x}}}\n",
			 i, i, i, 0x10000 + at, size, i, at);
		gsym_markup_feed(filter, line, strlen(line));
		memset(table + at, i, size);
	}
	gsym_markup_feed(filter, "-\n", 2);
	gsym_markup_flush(filter);
	for (unsigned at = 0; at < sizeof(table); at++) {
		char wanted[64];

		c.size = 0;
		snprintf(line, sizeof(line), "{{{data:0x%x}}}\n",
			 0x10000 + at);
		gsym_markup_feed(filter, line, strlen(line));
		gsym_markup_flush(filter);
		if (table[at])
			snprintf(wanted, sizeof(wanted), "%u+0x%x\n",
				 table[at], at);
		else
			snprintf(wanted, sizeof(wanted), "[[[data:0x%x]]]\n",
				 0x10000 + at);
		cr_expect_str_eq(c.text, wanted, "%s not %s", c.text, wanted);
	}
	gsym_markup_free(filter);
	free(c.text);
}

/* A module and a segment that the host adds. */
Test(markup, modules_of_the_host)
{
	static const uint8_t id[70] = { 0xaa };
	struct gsym_markup_module module = { .id = 7,
					     .name = "mine",
					     .name_size = 3,
					     .build_id = id,
					     .build_id_size = 1 };
	struct gsym_markup_segment segment = { .start = 0x5000,
					       .last = 0x53ff,
					       .relative = 0x80,
					       .module = 7,
					       .mode = "rx" };
	static const char log[] = "{{{pc:0x5080}}} {{{pc:0x5400}}}\n"
				  "{{{hexdict:PC:0x5080}}}\n"
				  "{{{mmap:0x1000:0x500:load:7:rx:0x0}}}\n";
	struct capture c;
	struct gsym_markup *filter = start(&c, NULL);

	cr_expect_eq(gsym_markup_add(filter, &module, &segment), GSYM_OK);
	gsym_markup_feed(filter, log, strlen(log));
	/* The segment of another module takes a part of it. */
	module.id = 8;
	module.name = "other";
	module.build_id_size = 70;
	segment.start = segment.last = 0x5081;
	cr_expect_eq(gsym_markup_add(filter, &module, &segment), GSYM_OK);
	gsym_markup_feed(filter, "{{{data:0x5081}}}{{{data:0x5082}}}\n", 35);
	segment.last--;
	cr_expect_eq(gsym_markup_add(filter, &module, &segment),
		     GSYM_ERR_ARGUMENT);
	gsym_markup_finish(filter);
	cr_expect_str_eq(c.text, "in[/src/a.c:7:3] [[[pc:0x5400]]]\n"
				 "[[[hexdict:PC:0x5080]]]\n"
				 "    PC 0x5080 code out (min+0x100)\n"
				 "[[[ELF module #0x7 \"min\"; adds "
				 "[0x1000-0x14ff](rx)]]]\n"
				 "oth+0x80min+0x102\n");
	gsym_markup_free(filter);
	capture_fini(&c);
}

Test(markup, a_bad_expression_is_refused)
{
	struct gsym_markup_options options = {
		.headers = GSYM_MARKUP_HEADERS_REGEX, .header_regex = "(",
	};
	struct gsym_error error = { 0 };
	struct gsym_markup *filter;

	cr_expect_eq(gsym_markup_new(NULL, &options, &filter, &error),
		     GSYM_ERR_ARGUMENT);
	cr_expect_neq(error.message[0], 0);
}

Test(markup, a_host_may_have_nothing)
{
	struct gsym_markup *filter;

	cr_assert_eq(gsym_markup_new(NULL, NULL, &filter, NULL), GSYM_OK);
	gsym_markup_feed(filter, CONTEXT "{{{pc:0x1001}}}{{{data:0x1800}}}\n",
			 strlen(CONTEXT) + 33);
	cr_expect_eq(gsym_markup_finish(filter), GSYM_OK);
	gsym_markup_free(filter);
}
