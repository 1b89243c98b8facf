/* SPDX-License-Identifier: MIT */
#include "logs.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(void *context, const char *bytes, size_t size)
{
	struct capture *c = context;

	c->text = realloc(c->text, c->size + size + 1);
	cr_assert_not_null(c->text);
	memcpy(c->text + c->size, bytes, size);
	c->size += size;
	c->text[c->size] = 0;
}

static void message(void *context, const struct gsym_markup_diagnostic *d)
{
	static const char *const words[] = { "note", "warning", "error" };
	struct capture *c = context;
	size_t used = strlen(c->messages);

	snprintf(c->messages + used, sizeof(c->messages) - used,
		 "%s: %s\n", words[d->severity], d->message);
	used = strlen(c->messages);
	/* The byte of the line that the message is about. */
	if (d->line)
		snprintf(c->messages + used - 1,
			 sizeof(c->messages) - used, " @%zu\n", d->at);
}

static void reset(void *context)
{
	struct capture *c = context;

	c->resets++;
}

static void *module(void *context, const struct gsym_markup_module *m)
{
	struct capture *c = context;

	c->asked++;
	return m->build_id_size == 1 && m->build_id[0] == 0xaa ? context
							       : NULL;
}

static size_t code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity)
{
	const struct capture *c = context;

	(void)symbols;
	cr_assert_geq(capacity, 3);
	if (address < 0x100 || address >= 0x200)
		return 0;
	frames[0] = (struct gsym_markup_frame){ "in", "/src", "a.c", 7,
						c->column, 1 };
	frames[1] = (struct gsym_markup_frame){ "mid", "", "b.c", 8, 0, 2 };
	frames[2] = (struct gsym_markup_frame){ "out", "", "", 0, 0,
						address - 0x100 };
	return 3;
}

static bool data(void *context, void *symbols, uint64_t address,
		 struct gsym_markup_datum *ret)
{
	(void)context;
	(void)symbols;
	*ret = (struct gsym_markup_datum){ "var", address - 0x800 };
	return address >= 0x800 && address < 0x900;
}

static const char *demangle(void *context, const char *name, bool lasting)
{
	(void)context;
	(void)lasting;
	return strcmp(name, "_Z1fv") == 0 ? "f()" : name;
}

static void dump(void *context, const struct gsym_markup_dump *d)
{
	struct capture *c = context;
	size_t used = strlen(c->dumps), room = sizeof(c->dumps);

	used += snprintf(c->dumps + used, room - used,
			 "%.*s %.*s line %" PRIu64 " process '%.*s'\n",
			 (int)d->type_size, d->type, (int)d->name_size, d->name,
			 d->line, (int)d->process_size, d->process);
	for (size_t i = 0; i < d->module_count; i++)
		used += snprintf(c->dumps + used, room - used,
				 "  %" PRIu64 " %.*s %02x\n", d->modules[i].id,
				 (int)d->modules[i].name_size,
				 d->modules[i].name, d->modules[i].build_id[0]);
	for (size_t i = 0; i < d->segment_count; i++)
		used += snprintf(c->dumps + used, room - used,
				 "  %" PRIx64 "-%" PRIx64 " %s %" PRIu64
				 "+%" PRIx64 "\n",
				 d->segments[i].start, d->segments[i].last,
				 d->segments[i].mode, d->segments[i].module,
				 d->segments[i].relative);
}

void capture_host(struct capture *c, struct gsym_markup_host *host)
{
	memset(c, 0, sizeof(*c));
	*host = (struct gsym_markup_host){
		.context = c,
		.write = take,
		.diagnose = message,
		.reset = reset,
		.module = module,
		.code = code,
		.data = data,
		.demangle = demangle,
		.dump = dump,
	};
}

static uint32_t hash(const char *log, size_t size)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < size; i++)
		h = (h ^ (unsigned char)log[i]) * 16777619u;
	return h;
}

static void leave(const char *log, size_t size)
{
	const char *folder = getenv("GSYM_LOGS");
	char path[4096];

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%08x", folder, hash(log, size));
	FILE *file = fopen(path, "wb");
	cr_assert_not_null(file);
	cr_assert_eq(fwrite(log, 1, size, file), size);
	fclose(file);
}

void capture_feed(struct gsym_markup *filter, const char *log, size_t size,
		  size_t step)
{
	for (size_t at = 0; at < size; at += step) {
		size_t part = size - at < step ? size - at : step;
		char *copy = malloc(part);

		/* A copy, so that sanitizers see reads beyond the part. */
		memcpy(copy, log + at, part);
		cr_assert_eq(gsym_markup_feed(filter, copy, part), GSYM_OK);
		free(copy);
	}
	cr_assert_eq(gsym_markup_finish(filter), GSYM_OK);
}

void capture_log(struct capture *c, const char *log, size_t size,
		 size_t step, const struct gsym_markup_options *options)
{
	struct gsym_markup_host host;
	struct gsym_markup *filter;

	leave(log, size);
	capture_host(c, &host);
	cr_assert_eq(gsym_markup_new(&host, options, &filter, NULL), GSYM_OK);
	capture_feed(filter, log, size, step);
	gsym_markup_free(filter);
	if (!c->text)
		take(c, "", 0);
}

void capture_fini(struct capture *c)
{
	free(c->text);
	c->text = NULL;
}

void expect_log(const char *log, size_t size, const char *wanted,
		size_t wanted_size, const char *messages,
		const struct gsym_markup_options *options)
{
	static const size_t steps[] = { 1, 2, 3, 7, 64, 100000 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct capture c;

		capture_log(&c, log, size, steps[i], options);
		cr_expect(c.size == wanted_size &&
				  memcmp(c.text, wanted, c.size) == 0,
			  "step %zu of\n%s\ngot\n%s\nnot\n%s", steps[i], log,
			  c.text, wanted);
		if (messages)
			cr_expect_str_eq(c.messages, messages,
					 "step %zu of\n%s\nsaid\n%s\nnot\n%s",
					 steps[i], log, c.messages, messages);
		capture_fini(&c);
	}
}

void expect_ours(const char *log, const char *wanted, const char *messages)
{
	expect_log(log, strlen(log), wanted, strlen(wanted), messages, NULL);
}

void expect_llvm(const char *log, const char *wanted, const char *messages)
{
	struct gsym_markup_options options = {
		.style = GSYM_MARKUP_STYLE_LLVM,
	};

	expect_log(log, strlen(log), wanted, strlen(wanted), messages,
		   &options);
}
