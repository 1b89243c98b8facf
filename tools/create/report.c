/* SPDX-License-Identifier: MIT */
/*
 * create/report.c - what a conversion has to give (--require, --strict and
 * --max-size), so that a build that lost its debug info fails; and the summary:
 * text on standard error, or JSON on standard output.
 */
#include "config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "common/sizes.h"
#include "create/create.h"

/* ---- --require ----------------------------------------------------------- */

/* The words of --require, by the numbers of their bits, and what is missing
 * without each. */
static const struct {
	const char *word;
	const char *missing;
} wants[] = {
	{ "debug-info", "it has no debug info" },
	{ "lines", "it has no lines" },
	{ "inlines", "it has no inlined calls" },
	{ "symbols", "it has no symbols" },
	{ "build-id", "it has no build ID" },
};

enum { DEBUG, LINES, INLINES, SYMBOLS, IDENTITY, WANTS };

unsigned create_parse_require(const char *text)
{
	unsigned bits = 0;
	bool more = true;

	while (more) {
		size_t size = strcspn(text, ","), i = 0;

		while (i < WANTS && (strlen(wants[i].word) != size ||
				     memcmp(wants[i].word, text, size) != 0))
			i++;
		if (i == WANTS)
			die_usage("--require: '%.*s' is not debug-info, lines, "
				  "inlines, symbols or build-id", (int)size,
				  text);
		bits |= 1u << i;
		more = text[size] == ',';
		text += size + more;
	}
	return bits;
}

/* Whether C has what the bit WANT stands for.  Functions of a GSYM file all
 * count as those of debug info, so its lines tell. */
static bool has(const struct conversion *c, int want)
{
	const struct gsym_build_summary *s = &c->summary;

	switch (want) {
	case DEBUG:
		return s->functions && (s->rows || c->create->build.no_lines ||
					c->facts.format != GSYM_FORMAT_GSYM);
	case LINES:
		return s->rows && !c->create->build.no_lines;
	case INLINES:
		return s->inlined_calls && !c->create->build.no_inlines;
	case SYMBOLS:
		return c->facts.symbols || c->facts.records.publics ||
		       (c->facts.format == GSYM_FORMAT_GSYM && s->functions);
	default:
		return c->facts.uuid_size;
	}
}

/* Die: the input lacks what TEXT says; a file that is MISSING may be why. */
static _Noreturn void refuse(const struct conversion *c, const char *text,
			     const struct warning *missing)
{
	create_set_outcome("incomplete");
	die("cannot convert '%s': %s%s%s", c->create->input, text,
	    missing->count ? ": " : "", missing->first[0]);
}

/* Write the folder and the template that take the most bytes of C to TEXT,
 * which has ROOM for so many characters. */
static void largest(const struct conversion *c, char *text, size_t room)
{
	struct gsym_reader *reader;
	struct sizes sizes;
	const char *words[] = { "folder", "template" };
	size_t used = 0;

	if (!c->bytes ||
	    gsym_open_memory(c->bytes, c->size, &reader, NULL) != GSYM_OK)
		return;
	sizes_measure(&sizes, reader);
	const struct size_rows *tables[] = { &sizes.folders, &sizes.templates };
	for (int i = 0; i < 2; i++) {
		uint32_t row = sizes_largest(tables[i]);

		if (!row || used >= room)
			continue;
		used += (size_t)snprintf(
			text + used, room - used,
			"%s the %s '%.1000s' has %" PRIu64,
			used ? "," : ";", words[i], size_name(tables[i], row),
			tables[i]->rows.items[row].bytes);
	}
	sizes_fini(&sizes);
	gsym_close(reader);
}

void create_check_required(const struct conversion *c)
{
	const struct warning *missing = &c->warnings[GSYM_WARN_MISSING_FILE];
	unsigned bits = c->create->require;

	if (c->create->strict && c->warnings[GSYM_WARN_NO_DEBUG_INFO].count)
		bits |= 1u << DEBUG;
	for (int i = 0; i < WANTS; i++)
		if (bits & 1u << i && !has(c, i))
			refuse(c, wants[i].missing, missing);
	if (bits & (1u << DEBUG | 1u << LINES | 1u << INLINES) &&
	    missing->count)
		refuse(c, "some of its debug info is missing", missing);
	if (c->create->max_size && c->size > c->create->max_size) {
		char text[2200] = "";

		largest(c, text, sizeof(text));
		create_set_outcome("limit");
		die("cannot convert '%s': its GSYM data take %" PRIu64
		    " bytes, which are more than %" PRIu64
		    " MiB (--max-size)%s; 'gsym-dump --report' shows what "
		    "takes the bytes of a file",
		    c->create->input, c->size, c->create->max_size >> 20,
		    text);
	}
}

/* ---- the summary as JSON ------------------------------------------------- */

static const char *const reader_names[] = {
	[READER_OWN] = "own",
	[READER_LIBDWARF] = "libdwarf",
};

/* The number of texts of WARNING, of KIND, that the summary shows. */
static unsigned shown_texts(enum gsym_warning kind,
			    const struct warning *warning)
{
	if (kind != GSYM_WARN_BAD_RECORD && kind != GSYM_WARN_CONFLICT)
		return 1;
	return warning->shown;
}

/* The number of records of a Breakpad file that begin with the word NAME. */
struct record_count {
	const char *name;
	uint64_t count;
};

enum { RECORD_KINDS = 8 };

/* Set RET to RECORD_KINDS counts.  Returns false if the input is no Breakpad
 * file. */
static bool count_records(const struct conversion *c, struct record_count *ret)
{
	const struct gsym_breakpad_records *r = &c->facts.records;
	const struct record_count counts[RECORD_KINDS] = {
		{ "FUNC", r->functions },	{ "line", r->lines },
		{ "INLINE", r->inlines },	{ "INLINE_ORIGIN", r->origins },
		{ "FILE", r->files },		{ "PUBLIC", r->publics },
		{ "STACK", r->stacks },		{ "other", r->others },
	};
	memcpy(ret, counts, sizeof(counts));
	return c->facts.format == GSYM_FORMAT_BREAKPAD;
}

static void json_counts(struct json *json, const struct conversion *c)
{
	const struct gsym_build_summary *s = &c->summary;
	struct record_count records[RECORD_KINDS];

	json_number(json, "units", c->facts.units);
	json_object(json, "functions");
	json_number(json, "debug_info", s->functions);
	json_number(json, "symbols", s->symbols);
	json_number(json, "labels", s->labels);
	json_number(json, "dropped", s->dropped);
	json_end(json);
	json_number(json, "data", s->data);
	json_number(json, "lines", s->rows);
	json_number(json, "inlined_calls", s->inlined_calls);
	json_number(json, "call_sites", s->call_sites);
	json_number(json, "merged", s->merged);
	json_number(json, "files", s->files);
	json_number(json, "strings", s->strings);
	json_number(json, "input_bytes", c->facts.input_bytes);
	json_number(json, "output_bytes", c->written);
	if (c->create->segment_size)
		json_number(json, "segments", c->segments);
	if (!count_records(c, records))
		return;
	json_object(json, "records");
	for (int i = 0; i < RECORD_KINDS; i++)
		json_number(json, records[i].name, records[i].count);
	json_end(json);
}

static void json_warnings(struct json *json, const struct conversion *c)
{
	json_array(json, "warnings");
	for (int kind = 0; kind < GSYM_WARN_COUNT; kind++) {
		const struct warning *w = &c->warnings[kind];
		unsigned shown = shown_texts(kind, w);

		if (w->count == 0)
			continue;
		json_object(json, NULL);
		json_string(json, "kind", gsym_warning_name(kind));
		json_number(json, "count", w->count);
		json_string(json, "first", w->first[0]);
		if (shown > 1)
			json_array(json, "next");
		for (unsigned i = 1; i < shown; i++)
			json_string(json, NULL, w->first[i]);
		if (shown > 1)
			json_end(json);
		json_end(json);
	}
	json_end(json);
}

/* Write what the manifest says of C besides the summary. */
static void json_outcome(struct json *json, const struct conversion *c,
			 const struct verification *verification)
{
	uint64_t hash[2];

	json_string(json, "outcome", c->kept ? "kept"
				     : verification->differences
					     ? "different" : "converted");
	if (c->bytes) {
		char text[33];

		create_hash(c->bytes, (size_t)c->size, hash);
		snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64,
			 hash[0], hash[1]);
		json_string(json, "hash", text);
	}
	json_number(json, "milliseconds", (uint64_t)c->milliseconds);
}

/* Begin to write JSON to FD, standard output or the manifest. */
static void json_start(struct json *json, struct out *out, int fd)
{
	out_init(out, fd,
		 fd == STDOUT_FILENO ? "standard output" : "the manifest",
		 OUT_COLOUR_NEVER);
	json_init(json, out);
}

/* Write the summary to FD. */
static void json_report(int fd, const struct conversion *c,
			const struct verification *verification)
{
	const struct create *create = c->create;
	bool manifest = fd != STDOUT_FILENO;
	struct out out;
	struct json json;

	json_start(&json, &out, fd);
	json_object(&json, NULL);
	json_string(&json, "input", create->input);
	if (manifest)
		json_outcome(&json, c, verification);
	else if (c->kept)
		json_string(&json, "outcome", "kept");
	json_string(&json, "output", create->output);
	json_string(&json, "input_format", gsym_format_name(c->facts.format));
	if (c->debug_file)
		json_string(&json, "debug_file", c->debug_file);
	if (c->objects)
		json_number(&json, "objects", c->objects);
	if (create->convert.symtab_file)
		json_string(&json, "symtab_file", create->convert.symtab_file);
	if (create->convert.stubs_file)
		json_string(&json, "stubs_file", create->convert.stubs_file);
	json_number(&json, "format", create->build.version);
	if (c->facts.architecture[0])
		json_string(&json, "architecture", c->facts.architecture);
	json_string(&json, "endian", c->big_endian ? "big" : "little");
	json_string(&json, "reader", reader_names[create->reader]);
	json_bytes(&json, "uuid", c->facts.uuid, c->facts.uuid_size);
	json_counts(&json, c);
	json_warnings(&json, c);
	if (verification->done) {
		json_object(&json, "verify");
		json_number(&json, "functions", verification->functions);
		json_number(&json, "differences", verification->differences);
		if (verification->unread)
			json_number(&json, "unread", verification->unread);
		json_end(&json);
	}
	json_end_line(&json);
	out_fini(&out);
}

/* ---- failures ------------------------------------------------------------ */

/* The request that fails, and the outcome that create_set_outcome named. */
static const struct create *failing;
static const char *failing_outcome;

void create_set_outcome(const char *outcome)
{
	failing_outcome = outcome;
}

/* Write an object about INPUT to FD, in one piece, so that lines of several
 * processes do not mix. */
static void json_failure(int fd, const char *input, const char *outcome,
			 const char *reason)
{
	struct out out;
	struct json json;

	json_start(&json, &out, fd);
	create_json_outcome(&json, input, outcome, reason);
	out_fini(&out);
}

void create_note_outcome(const struct create *create, const char *input,
			 const char *outcome, const char *reason)
{
	if (create->manifest >= 0)
		json_failure(create->manifest, input, outcome, reason);
}

void create_report_linked(const struct create *create)
{
	if (create->json)
		json_failure(STDOUT_FILENO, create->input, "empty", NULL);
	create_note_outcome(create, create->input, "empty", NULL);
	report_note("'%s' has no functions; the ID of its file leads to the "
		    "GSYM file that is installed", create->input);
}

/* The function of report_set_failure. */
static void tell_failure(enum gsym_status status, const char *text)
{
	const char *outcome = failing_outcome ? failing_outcome
					      : create_outcome_of(status);

	if (failing->json && !failing->recursive)
		json_failure(STDOUT_FILENO, failing->input, outcome, text);
	if (failing->in_tree || !failing->recursive)
		create_note_outcome(failing, failing->input, outcome, text);
}

void create_report_failures(const struct create *create)
{
	failing = create;
	report_set_failure(tell_failure);
}

/* ---- the summary as text ------------------------------------------------- */

static void show_identity(struct out *out, const struct conversion *c)
{
	if (c->facts.uuid_size == 0) {
		out_text(out, "no build ID");
		return;
	}
	out_text(out, "build ID ");
	out_hex_bytes(out, c->facts.uuid, c->facts.uuid_size);
	if (c->summary.uuid_cut)
		out_text(out, " (cut to 20 bytes)");
	if (c->facts.uuid_is_prefix && c->create->verbose)
		out_text(out, " (its first 16 bytes)");
}

/* Whether PATH is named as a library of glibc, or its dynamic linker. */
static bool is_glibc(const char *path)
{
	static const char *const names[] = { "libc.so.6", "libm.so.6",
					     "libpthread.so.0", "ld-linux" };
	const char *name = path_base(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

const char *create_advice(const struct conversion *c)
{
	/* Without units of DWARF the functions are from a Go table. */
	if (c->facts.format != GSYM_FORMAT_ELF || c->facts.units ||
	    c->summary.functions || !c->facts.uuid_size)
		return NULL;
	if (is_glibc(c->create->input))
		return c->create->debuginfod
			       ? "the debug package of its distribution "
				 "(libc6-dbg or glibc-debuginfo)"
			       : "--debuginfod, or the debug package of its "
				 "distribution (libc6-dbg or glibc-debuginfo)";
	if (c->create->debuginfod)
		return "the debug package of its distribution "
		       "(NAME-dbgsym or NAME-debuginfo)";
	return "--debuginfod, or the debug package of its distribution "
	       "(NAME-dbgsym or NAME-debuginfo)";
}

static void show_warnings(struct out *out, const struct conversion *c)
{
	for (int kind = 0; kind < GSYM_WARN_COUNT; kind++) {
		const struct warning *w = &c->warnings[kind];
		if (w->count == 0)
			continue;
		out_printf(out, "  warning: %s: %" PRIu64 ", the first: ",
			   gsym_warning_name(kind), w->count);
		out_foreign(out, w->first[0]);
		out_text(out, "\n");
		for (unsigned i = 1; i < shown_texts(kind, w); i++) {
			out_text(out, "    ");
			out_foreign(out, w->first[i]);
			out_text(out, "\n");
		}
	}
}

/* Write the lines about the input and the files with its debug info. */
static void show_input(struct out *out, const struct conversion *c)
{
	out_bold(out);
	out_foreign(out, c->create->input);
	out_plain(out);
	out_printf(out, ": %s, ", gsym_format_name(c->facts.format));
	if (c->facts.architecture[0])
		out_printf(out, "%s, ", c->facts.architecture);
	if (c->facts.address_size)
		out_printf(out, "%u-bit, ", 8u * c->facts.address_size);
	out_printf(out, "%s-endian, ",
		   c->facts.big_endian ? "big" : "little");
	show_identity(out, c);
	if (c->debug_file) {
		out_text(out, "\n  debug info of ");
		out_foreign(out, c->debug_file);
	}
	if (c->objects)
		out_printf(out, "\n  debug info of %" PRIu64 " object%s",
			   c->objects, c->objects == 1 ? "" : "s");
	out_text(out, "\n");
}

static void show_counts(struct out *out, const struct conversion *c)
{
	const struct gsym_build_summary *s = &c->summary;
	struct record_count records[RECORD_KINDS];

	if (c->facts.address_size)
		out_printf(out,
			   "  functions: %" PRIu64 " from debug info, %" PRIu64
			   " from symbols, %" PRIu64 " from labels\n",
			   s->functions, s->symbols, s->labels);
	else /* A GSYM file does not tell where its functions are from. */
		out_printf(out, "  functions: %" PRIu64 "\n",
			   s->functions + s->labels);
	out_printf(out,
		   "  lines: %" PRIu64 ", inlined calls: %" PRIu64
		   ", files: %" PRIu64 "\n",
		   s->rows, s->inlined_calls, s->files);
	if (count_records(c, records)) {
		out_text(out, "  records:");
		for (int i = 0; i < RECORD_KINDS; i++)
			out_printf(out, "%s %" PRIu64 " %s", i ? "," : "",
				   records[i].count, records[i].name);
		out_text(out, "\n");
	}
	if (c->create->convert.data_symbols)
		out_printf(out, "  data: %" PRIu64 "\n", s->data);
	if (s->merged || s->call_sites)
		out_printf(out,
			   "  merged functions: %" PRIu64
			   ", call sites: %" PRIu64 "\n",
			   s->merged, s->call_sites);
}

static void show_output(struct out *out, const struct conversion *c)
{
	if (c->kept)
		out_printf(out, "  bytes: %" PRIu64 " read; kept, because it "
			   "is not worse: ", c->facts.input_bytes);
	else
		out_printf(out, "  bytes: %" PRIu64 " read, %" PRIu64
			   " written to ", c->facts.input_bytes, c->written);
	if (strcmp(c->create->output, "-") == 0)
		out_text(out, "standard output");
	else
		out_foreign(out, c->create->output);
	if (c->create->segment_size)
		out_printf(out, "-0x..., %" PRIu64 " segments", c->segments);
	out_text(out, "\n");
}

static void text_report(const struct conversion *c,
			const struct verification *verification)
{
	struct out out;

	out_init(&out, STDERR_FILENO, "standard error", OUT_COLOUR_AUTO);
	/* The output is complete: a summary that cannot be written is no
	 * failure. */
	out.may_fail = true;
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	show_input(&out, c);
	show_counts(&out, c);
	show_output(&out, c);
	show_warnings(&out, c);
	if (create_advice(c))
		out_printf(&out, "  for debug info try %s\n", create_advice(c));
	if (verification->done)
		out_printf(&out,
			   "  verified: %" PRIu64 " functions, %" PRIu64
			   " differences\n",
			   verification->functions, verification->differences);
	if (verification->unread)
		out_printf(&out,
			   "  not compared: the lines of %" PRIu64
			   " functions: libdwarf cannot read their "
			   "line table\n",
			   verification->unread);
	if (c->create->verbose)
		out_printf(&out,
			   "  threads: %u\n"
			   "  seconds: %.3f converting, %.3f in all\n",
			   c->create->threads,
			   (double)c->milliseconds / 1000,
			   (double)(clock_milliseconds() - c->create->start) /
				   1000);
	out_fini(&out);
	signal(SIGPIPE, before);
}

/* With --quiet, too: say why debug info that there is was not used, and which
 * file has the rest of debug info of which there is a part. */
static void warn_unused(const struct conversion *conversion)
{
	const struct warning *all = conversion->warnings;
	const struct warning *why =
		all[GSYM_WARN_NO_DEBUG_INFO].count
			? &all[GSYM_WARN_BAD_RELOCATION]
			: &all[GSYM_WARN_MISSING_FILE];

	if (why->count && (all[GSYM_WARN_NO_DEBUG_INFO].count ||
			   conversion->facts.units))
		warn("warning: '%s': %s", conversion->create->input,
		     why->first[0]);
}

void create_report(const struct conversion *conversion,
		   const struct verification *verification)
{
	int manifest = conversion->create->manifest;

	if (manifest >= 0)
		json_report(manifest, conversion, verification);
	if (conversion->create->json)
		json_report(STDOUT_FILENO, conversion, verification);
	else if (!report_is_quiet())
		text_report(conversion, verification);
	else if (!conversion->create->in_tree)
		warn_unused(conversion);
	/* The process of --recursive reads this. */
	if (conversion->create->in_tree && conversion->damages)
		warn("%s: %s%s",
		     conversion->damage_kind == GSYM_WARN_MISSING_FILE
			     ? "a file is missing" : "it is damaged",
		     conversion->damage,
		     conversion->damages > 1 ? ", and more" : "");
}
