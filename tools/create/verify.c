/* SPDX-License-Identifier: MIT */
/*
 * create/verify.c - gsym-create --verify: checks the image of the first
 * conversion as a whole, and compares it, function by function, with the image
 * of the second conversion.
 */
#include "config.h"

#include <inttypes.h>

#include "common/compare.h"
#include "common/report.h"
#include "create/create.h"

/* The number of differences that are shown without --verbose. */
enum { SHOWN = 20 };

struct verify {
	const struct conversion *first;
	bool gsym;         /* the input is a GSYM file */
	uint64_t shown;    /* differences and problems that could be shown */
	uint64_t problems; /* found by gsym_verify */
};

/* Whether another difference is shown. */
static bool may_show(struct verify *v)
{
	const struct create *create = v->first->create;
	if (create->quiet)
		return false;
	return create->verbose || v->shown++ < SHOWN;
}

/* The callback of compare_images. */
static void show_difference(void *context,
			    const struct compare_difference *d)
{
	struct verify *v = context;
	if (may_show(v))
		warn("difference at 0x%" PRIx64 " in '%s': %s: '%s', and %s "
		     "'%s'", d->address, d->function,
		     compare_kind_name(d->kind), d->first,
		     v->gsym ? "in the input" : "by libdwarf", d->second);
}

/* The callback of gsym_verify. */
static bool show_problem(void *context, const struct gsym_error *problem)
{
	struct verify *v = context;
	v->problems++;
	if (may_show(v))
		warn("problem in the output: %s", problem->message);
	return true;
}

/* Open the input, a GSYM file, which is compared with the output itself: there
 * is no second way to read it. */
static struct gsym_reader *open_input(const struct conversion *c)
{
	struct gsym_reader *reader;
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_open(c->create->input, &reader, &error);
	if (status != GSYM_OK)
		die_status("open", c->create->input, status, &error);
	return reader;
}

static struct gsym_reader *open_image(const struct conversion *c)
{
	struct gsym_reader *reader;
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_open_memory(c->bytes, c->size, &reader,
						   &error);
	if (status != GSYM_OK)
		die_status("read back", c->create->output, status, &error);
	return reader;
}

void create_verify(const struct conversion *first,
		   const struct conversion *second,
		   struct verification *verification)
{
	struct verify v = { .first = first, .gsym = !second };
	struct compare_result result;
	struct gsym_reader *readers[2] = { open_image(first),
					   second ? open_image(second)
						  : open_input(first) };

	enum gsym_status status = gsym_verify(readers[0], show_problem, &v);
	if (status != GSYM_OK && v.problems == 0)
		die("cannot check '%s': %s", first->create->output,
		    gsym_status_text(status));
	compare_images(readers[0], readers[1], show_difference, &v, &result);
	gsym_close(readers[0]);
	gsym_close(readers[1]);

	verification->done = true;
	verification->functions = result.functions;
	verification->differences = result.differences + v.problems;
	if (v.shown > SHOWN && !first->create->verbose)
		warn("%" PRIu64 " more differences; --verbose shows them all",
		     v.shown - SHOWN);
}
