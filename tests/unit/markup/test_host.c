/* SPDX-License-Identifier: MIT */
/* The output for an address is the same whether the filter kept the frames and
 * their texts, has forgotten them, or cannot keep them. */
#include <criterion/criterion.h>
#include <gsym/markup.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct log {
	/* The output. */
	char *text;
	size_t size;
	/* Calls of the host's code and demangle. */
	unsigned calls, demangled;
	/* The names that the filter was given, malloc'ed. */
	char **names;
	unsigned name_count;
	/* NULL, or the name of every function. */
	const char *one_name;
	/* Inline levels of every address. */
	unsigned levels;
};

/* The symbols of a module are a pointer to the byte of its build ID. */
static uint8_t symbols_of[256];

static void take(void *context, const char *bytes, size_t size)
{
	struct log *l = context;

	l->text = realloc(l->text, l->size + size + 1);
	cr_assert_not_null(l->text);
	memcpy(l->text + l->size, bytes, size);
	l->size += size;
	l->text[l->size] = 0;
}

static void *module(void *context, const struct gsym_markup_module *m)
{
	(void)context;
	return &symbols_of[m->build_id[0]];
}

static size_t code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity)
{
	struct log *l = context;
	const char *name = l->one_name;

	l->calls++;
	if (!name) {
		char text[24];

		if (l->name_count % 4096 == 0)
			l->names = realloc(l->names, (l->name_count + 4096) *
							     sizeof(char *));
		snprintf(text, sizeof(text), "f%tx.%" PRIx64,
			 (uint8_t *)symbols - symbols_of, address);
		name = l->names[l->name_count++] = strdup(text);
		cr_assert_not_null(name);
	}
	for (unsigned i = 0; i < l->levels && i < capacity; i++)
		frames[i] = (struct gsym_markup_frame){ name,  "/src", "a.c",
							i + 1, 0,      0 };
	return l->levels < capacity ? l->levels : capacity;
}

static const char *count_name(void *context, const char *name, bool lasting)
{
	struct log *l = context;

	l->demangled += lasting;
	return strcmp(name, "_Z1gv") == 0 ? "g()" : name;
}

static struct gsym_markup *start(struct log *l,
				 const struct gsym_markup_options *options)
{
	static const char context[] =
		"{{{module:1:one:elf:01}}}{{{module:2:two:elf:02}}}\n"
		"{{{mmap:0x10000000:0x1000000:load:1:rx:0}}}\n"
		"{{{mmap:0x20000000:0x1000000:load:2:rx:0}}}\n";
	struct gsym_markup_host host = {
		.context = l,
		.write = take,
		.module = module,
		.code = code,
		.demangle = count_name,
	};
	struct gsym_markup *filter;

	memset(l, 0, sizeof(*l));
	l->levels = 1;
	cr_assert_eq(gsym_markup_new(&host, options, &filter, NULL), GSYM_OK);
	gsym_markup_feed(filter, context, sizeof(context) - 1);
	return filter;
}

static void feed(struct gsym_markup *filter, const char *text)
{
	gsym_markup_feed(filter, text, strlen(text));
}

static void end(struct gsym_markup *filter, struct log *l)
{
	cr_expect_eq(gsym_markup_finish(filter), GSYM_OK);
	gsym_markup_free(filter);
	free(l->text);
	for (unsigned i = 0; i < l->name_count; i++)
		free(l->names[i]);
	free(l->names);
}

/* The output since the last call. */
static const char *output(struct gsym_markup *filter, struct log *l)
{
	static size_t from;
	static const struct log *of;

	gsym_markup_flush(filter);
	if (of != l || from > l->size)
		from = 0;
	of = l;
	size_t at = from;
	from = l->size;
	return l->text + at;
}

Test(memo, an_address_is_asked_for_once)
{
	struct log l;
	struct gsym_markup *f = start(&l, NULL);

	feed(f, "x\n");
	output(f, &l);
	for (int i = 0; i < 3; i++) {
		feed(f, "{{{bt:7:0x10000123:pc}}}\n{{{pc:0x10000123}}}\n");
		cr_expect_str_eq(output(f, &l),
			"    #7    0x0000000010000123 f1.123 /src/a.c:1 "
			"(one+0x123)\nf1.123[/src/a.c:1]\n");
	}
	cr_expect_eq(l.calls, 1, "%u calls", l.calls);
	/* Another module may have the same address. */
	feed(f, "{{{pc:0x20000123}}}\n");
	cr_expect_str_eq(output(f, &l), "f2.123[/src/a.c:1]\n");
	cr_expect_eq(l.calls, 2);
	end(f, &l);
}

/* The text is kept over a reset, and if the module has another name or another
 * load address after it. */
Test(memo, it_outlives_a_reset)
{
	struct log l;
	struct gsym_markup *f = start(&l, NULL);

	feed(f, "{{{pc:0x10000010}}}\n{{{reset}}}\n"
		"{{{module:5:new:elf:01}}}\n"
		"{{{mmap:0x500000:0x1000:load:5:rx:0x0}}}\nx\n");
	output(f, &l);
	feed(f, "{{{bt:0:0x500010:pc}}}\n");
	cr_expect_str_eq(output(f, &l), "    #0    0x0000000000500010 f1.10 "
					"/src/a.c:1 (new+0x10)\n");
	cr_expect_eq(l.calls, 1);
	end(f, &l);
}

/* Names repeat more than addresses do. */
Test(memo, a_name_is_demangled_once)
{
	static const struct gsym_markup_options options[] = {
		{ .style = GSYM_MARKUP_STYLE_DEFAULT },
		{ .style = GSYM_MARKUP_STYLE_LLVM },
		{ .style = GSYM_MARKUP_STYLE_FUCHSIA },
		{ .colour = true },
		{ .html = true },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		struct log l;
		struct gsym_markup *f = start(&l, &options[i]);

		l.one_name = "_Z1gv";
		feed(f, "{{{bt:0:0x10000123:pc}}}\n{{{bt:1:0x10000456:pc}}}\n"
			"{{{pc:0x10000456}}}\n{{{pc:0x10000789}}}\n");
		cr_expect_eq(l.demangled, 1, "%zu: %u names", i, l.demangled);
		cr_expect_eq(l.calls, 3, "%zu: %u calls", i, l.calls);
		gsym_markup_flush(f);
		cr_expect_not_null(strstr(l.text, "g()"));
		end(f, &l);
	}
}

/* The filter finds what it keeps again when much came after it. */
Test(memo, many_addresses)
{
	enum { ADDRESSES = 30000 };
	struct log l;
	struct gsym_markup *f = start(&l, NULL);
	char line[80];

	for (int round = 0; round < 2; round++)
		for (unsigned i = 1; i <= ADDRESSES; i++) {
			snprintf(line, sizeof(line), "{{{pc:0x%x}}}\n",
				 0x10000000 + 16 * i);
			feed(f, line);
		}
	cr_expect_eq(l.calls, ADDRESSES, "%u calls", l.calls);
	end(f, &l);
}

/* Without room for all addresses some are asked for again. */
Test(memo, more_than_is_kept)
{
	enum { ADDRESSES = 200000 };
	static struct log l;
	struct gsym_markup *f = start(&l, NULL);
	char line[80], wanted[80];

	l.levels = 1;
	for (int round = 0; round < 2; round++)
		for (unsigned i = 1; i < ADDRESSES; i++) {
			snprintf(line, sizeof(line), "{{{pc:0x%x}}}\n",
				 0x10000000 + 16 * i);
			snprintf(wanted, sizeof(wanted),
				 "f1.%x[/src/a.c:1]\n", 16 * i);
			feed(f, line);
			if (i % 500 == 1)
				cr_assert_str_eq(
					strstr(output(f, &l), wanted), wanted);
		}
	cr_expect_gt(l.calls, ADDRESSES, "there is a limit");
	end(f, &l);
}

Test(memo, many_levels)
{
	struct log l;
	struct gsym_markup *f = start(&l, NULL);

	l.levels = GSYM_MARKUP_MAX_FRAMES;
	for (int i = 0; i < 2; i++) {
		feed(f, "{{{bt:1:0x10000123:pc}}}\n");
		cr_expect_not_null(strstr(
			output(f, &l),
			"    #1.63 0x0000000010000123 f1.123 /src/a.c:63 "));
		cr_expect_not_null(strstr(l.text, "f1.123 /src/a.c:64 "));
	}
	cr_expect_eq(l.calls, 1);
	end(f, &l);
}

/* Each byte of the name takes four in the output. */
Test(memo, a_name_that_is_too_long_to_be_kept)
{
	static char name[4001];
	struct log l;
	struct gsym_markup *f = start(&l, NULL);

	memset(name, 1, sizeof(name) - 1);
	l.one_name = name;
	for (int i = 0; i < 2; i++) {
		feed(f, "{{{pc:0x10000123}}}\n");
		cr_expect_not_null(
			strstr(output(f, &l), "\\x01\\x01[/src/a.c:1]\n"));
	}
	cr_expect_eq(l.calls, 1);
	cr_expect_eq(l.demangled, 2);
	end(f, &l);
}

/* The colours around a text depend on the line. */
Test(memo, texts_in_colour)
{
	struct gsym_markup_options colour = { .colour = true };
	struct log l;
	struct gsym_markup *f = start(&l, &colour);

	feed(f, "{{{pc:0x10000123}}}\n");
	cr_expect_not_null(
		strstr(output(f, &l), "\033[0;32mf1.123\033[0;34m["));
	feed(f, "\033[1m{{{pc:0x10000123}}}\n");
	cr_expect_not_null(
		strstr(output(f, &l), "\033[0;1;32mf1.123\033[0;1;34m["));
	cr_expect_eq(l.calls, 1);
	end(f, &l);
}

/* The filter also keeps the fact that nothing is known about an address. */
Test(memo, empty_answers)
{
	struct log l;
	struct gsym_markup *f = start(&l, NULL);

	l.levels = 0;
	feed(f, "x\n");
	output(f, &l);
	for (int i = 0; i < 2; i++) {
		feed(f, "{{{pc:0x10000123}}}\n{{{bt:0:0x10000123:pc}}}\n");
		cr_expect_str_eq(output(f, &l),
				 "one+0x123\n    #0    0x0000000010000123 "
				 "(one+0x123)\n");
	}
	cr_expect_eq(l.calls, 1);
	end(f, &l);
}
