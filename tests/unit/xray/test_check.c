/* SPDX-License-Identifier: MIT */
/* gsym_xray_check: records that come in another order than runtimes write. */
#include "traces.h"

static void add_line(void *context, enum gsym_xray_damage damage,
		     uint64_t offset, const char *text)
{
	char wanted[32];

	snprintf(wanted, sizeof(wanted), " at offset %" PRIu64, offset);
	cr_expect(strlen(text) > strlen(wanted) &&
		  !strcmp(text + strlen(text) - strlen(wanted), wanted), "%s",
		  text);
	cr_expect(damage == GSYM_XRAY_OUT_OF_ORDER);
	fprintf(context, "%s\n", text);
}

/* The reports of the check of T, one a line; the caller frees the text. */
static char *check(const struct trace *t)
{
	struct gsym_xray_log *log = open_trace(t->bytes, t->size, NULL);
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct gsym_xray_options options = { .damage = add_line,
					     .context = to };

	cr_expect(gsym_xray_check(log, &options, NULL) == GSYM_OK);
	fclose(to);
	gsym_xray_close(log);
	return text;
}

static void expect_check(const struct trace *t, const char *wanted)
{
	char *text = check(t);

	cr_expect(!strcmp(text, wanted), "got:\n%swanted:\n%s", text, wanted);
	free(text);
}

/* A header and the preamble of a block; its extents are at *AT. */
static struct trace start(size_t *at)
{
	struct trace t = { 0 };

	put_header(&t, 5, 1, 1000000000, 4096);
	*at = t.size;
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 7);
	WALL_TIME(&t, 1, 0);
	PID(&t, 7);
	NEW_CPU(&t, 0, 1000);
	return t;
}

Test(check, sound_blocks)
{
	size_t at;
	struct trace t = start(&at);

	put_function(&t, 3, 1, 0);
	ARGUMENT(&t, 5);
	ARGUMENT(&t, 6);
	TSC_WRAP(&t, 2000);
	put_function(&t, 1, 1, 0);
	NEW_CPU(&t, 1, 3000);
	end_block(&t, at);
	/* A block may consist of its preamble alone and lack the process. */
	at = t.size;
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 8);
	WALL_TIME(&t, 2, 0);
	NEW_CPU(&t, 0, 9000);
	end_block(&t, at);
	expect_check(&t, "");
}

Test(check, preamble_out_of_order)
{
	struct trace t = { 0 };

	put_header(&t, 5, 1, 1000000000, 4096);
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 7);
	PID(&t, 7);
	WALL_TIME(&t, 1, 0);
	NEW_CPU(&t, 0, 1000);
	end_block(&t, 32);
	expect_check(&t, "pid after new-buffer at offset 64\n"
			 "wall-time after pid at offset 80\n");
}

Test(check, body_before_the_preamble_is_complete)
{
	struct trace t = { 0 };

	put_header(&t, 5, 1, 1000000000, 4096);
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 7);
	WALL_TIME(&t, 1, 0);
	put_function(&t, 0, 1, 5);
	end_block(&t, 32);
	expect_check(&t, "function after wall-time at offset 80\n");
}

Test(check, arguments_belong_to_functions)
{
	size_t at;
	struct trace t = start(&at);

	ARGUMENT(&t, 5);
	put_function(&t, 0, 1, 5);
	end_block(&t, at);
	expect_check(&t, "argument after a record that is no function at "
			 "offset 112\n");
}

Test(check, a_block_that_ends_in_its_preamble)
{
	size_t at;
	struct trace t = { 0 };

	put_header(&t, 5, 1, 1000000000, 4096);
	EXTENTS(&t, 0);
	at = t.size;
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 7);
	WALL_TIME(&t, 1, 0);
	end_block(&t, at);
	expect_check(&t, "block ends after extents at offset 48\n"
			 "block ends after wall-time at offset 96\n");
}

/* The extents reach over the next buffer. */
Test(check, a_buffer_within_a_block)
{
	size_t at;
	struct trace t = start(&at);

	put_function(&t, 0, 1, 5);
	NEW_BUFFER(&t, 8);
	WALL_TIME(&t, 2, 0);
	PID(&t, 7);
	NEW_CPU(&t, 0, 2000);
	end_block(&t, at);
	expect_check(&t, "new-buffer after a function at offset 120\n");
}

/* Version 1 has no extents, and a processor only where it changes. */
Test(check, version_1)
{
	struct trace t = { 0 };

	put_header(&t, 1, 1, 1000000000, 64);
	NEW_BUFFER(&t, 7);
	WALL_TIME(&t, 1, 0);
	NEW_CPU(&t, 0, 1000);
	END_OF_BUFFER(&t);
	NEW_BUFFER(&t, 7);
	WALL_TIME(&t, 1, 0);
	put_function(&t, 0, 1, 5);
	END_OF_BUFFER(&t);
	put(&t, 0xaaaaaaaaaaaaaaaa, 8);
	expect_check(&t, "");
	/* From version 2 on there has to be a processor. */
	t.size = 0;
	put_header(&t, 2, 1, 1000000000, 64);
	NEW_BUFFER(&t, 7);
	WALL_TIME(&t, 1, 0);
	put_function(&t, 0, 1, 5);
	expect_check(&t, "function after wall-time at offset 64\n");
}

static bool stop(void *context, uint64_t done, uint64_t total)
{
	cr_expect(done < total);
	++*(unsigned *)context;
	return false;
}

Test(check, stops_when_told)
{
	struct trace t = { 0 };
	unsigned count = 0;
	struct gsym_error error = { 0 };
	struct gsym_xray_options options = { .progress = stop,
					     .context = &count };

	put_header(&t, 5, 1, 1000000000, 4096);
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 7);
	PID(&t, 7);
	WALL_TIME(&t, 1, 0);
	end_block(&t, 32);
	struct gsym_xray_log *log = open_trace(t.bytes, t.size, NULL);
	cr_expect(gsym_xray_check(log, &options, NULL) == GSYM_ERR_CANCELLED);
	cr_expect(count == 1, "%u", count);
	options = (struct gsym_xray_options){ .strict = true };
	cr_expect(gsym_xray_check(log, &options, &error) == GSYM_ERR_CORRUPT);
	cr_expect(!strcmp(error.message, "pid after new-buffer at offset 64"),
		  "%s", error.message);
	gsym_xray_close(log);
}
