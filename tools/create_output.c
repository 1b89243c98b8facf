/* SPDX-License-Identifier: MIT */
/* create_output.c - where the image of a conversion goes: to one file, or in
 * segments to several. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/outfile.h"
#include "common/report.h"
#include "create.h"

static enum gsym_status put_segment(void *context, uint64_t address,
				    const uint8_t *bytes, size_t size)
{
	struct conversion *c = context;
	char *name;

	if (asprintf(&name, "%s-0x%" PRIx64, c->create->output, address) < 0)
		die("out of memory");
	outfile_open(name, c->create->input);
	outfile_commit(bytes, size);
	free(name);
	c->written += size;
	c->segments++;
	return GSYM_OK;
}

/* The image once more, cut into segments: what is kept of it does not depend
 * on whether it is cut. */
static void put_segments(struct conversion *c)
{
	const struct create *create = c->create;
	const struct gsym_convert_options options = { .threads = 1 };
	const struct gsym_build_options build = {
		.version = create->version,
		.big_endian = c->big_endian,
		.threads = create->threads,
	};
	struct gsym_error error = { 0 };
	struct gsym_build_summary summary;
	struct gsym_reader *reader;
	struct gsym_builder *builder = gsym_builder_new();
	enum gsym_status status =
		builder ? gsym_open_memory(c->bytes, c->size, &reader, &error)
			: GSYM_ERR_MEMORY;

	if (status == GSYM_OK) {
		status = gsym_convert_reader(reader, &options, builder, NULL,
					     &error);
		gsym_close(reader);
	}
	if (status == GSYM_OK)
		status = gsym_builder_finish_segments(
			builder, &build, create->segment_size, put_segment, c,
			&summary, &error);
	gsym_builder_free(builder);
	if (status != GSYM_OK)
		die_status("convert", create->input, status, &error);
	c->summary.uuid_cut = summary.uuid_cut;
}

void create_prepare(const struct create *create)
{
	if (!create->segment_size)
		outfile_open(create->output, create->input);
}

void create_put(struct conversion *c)
{
	if (c->create->segment_size) {
		put_segments(c);
		return;
	}
	outfile_commit(c->bytes, c->size);
	c->written = c->size;
}
