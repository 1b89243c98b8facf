/* SPDX-License-Identifier: MIT */
/*
 * gsym-lookup - turn addresses into functions, files, lines and inlined
 * calls.  Addresses come as arguments or, one a line, from standard input.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/frames.h"
#include "common/number.h"
#include "common/options.h"
#include "common/out.h"
#include "common/report.h"

/* Bytes that are read at once, and the longest line that can be anything. */
enum { INPUT_CAPACITY = 256 << 10, LINE_MAX_BYTES = 4096 };

/* An address has at most one frame for each level of its inline tree. */
enum { FRAME_CAPACITY = GSYM_MAX_INLINE_DEPTH + 2 };

enum {
	OPT_JSON = 1,
	OPT_DEMANGLE,
	OPT_NO_DEMANGLE,
	OPT_INLINES,
	OPT_NO_INLINES,
	OPT_BASENAMES,
	OPT_RETURN_ADDRESSES,
	OPT_ADJUST_VMA,
	OPT_MERGED_FUNCTIONS,
	OPT_CALL_SITES,
	OPT_STRICT,
	OPT_COLOR,
};

static const struct option_spec lookup_options[] = {
	{ 0, 0, NULL, NULL, "Addresses" },
	{ OPT_RETURN_ADDRESSES, 0, "return-addresses", NULL,
	  "they are return addresses: subtract 1, so that\n"
	  "the call answers and not what follows it" },
	{ OPT_ADJUST_VMA, 0, "adjust-vma", "OFFSET",
	  "subtract OFFSET (the load bias) first" },
	{ 0, 0, NULL, NULL, "Answers" },
	{ OPT_JSON, 'j', "json", NULL, "one JSON object per address" },
	{ OPT_DEMANGLE, 'C', "demangle", NULL,
	  "readable C++, Rust and D names (the default in\n"
	  "text, not in JSON)" },
	{ OPT_NO_DEMANGLE, 0, "no-demangle", NULL, "names as they are" },
	{ OPT_INLINES, 'i', "inlines", NULL,
	  "show inlined calls (the default)" },
	{ OPT_NO_INLINES, 0, "no-inlines", NULL,
	  "show the outermost function alone" },
	{ OPT_BASENAMES, 's', "basenames", NULL, "files without folders" },
	{ OPT_MERGED_FUNCTIONS, 0, "merged-functions", NULL,
	  "show all functions that share the code" },
	{ OPT_CALL_SITES, 0, "call-sites", NULL,
	  "show what the call returning to the address may\n"
	  "have called" },
	{ OPT_COLOR, 0, "color", "WHEN", "auto, always or never" },
	{ 0, 0, NULL, NULL, "Checks" },
	{ OPT_STRICT, 0, "strict", NULL,
	  "exit 1 if an address has no answer, 2 if damage\n"
	  "was met" },
	{ 0 }
};

static const char *const lookup_examples[] = {
	"gsym-lookup prog.gsym 0x1173 0x1195", "two addresses",
	"gsym-lookup --json prog.gsym <addresses", "one address per line",
	"gsym-lookup --adjust-vma=0x555555554000 prog.gsym 0x555555555173",
	"an address of a running process, loaded at 0x555555554000", NULL
};

static const struct tool lookup_tool = {
	.name = "gsym-lookup",
	.operands = "FILE [ADDRESS...]",
	.summary =
		"Turn addresses into functions, files, lines and inlined calls, "
		"by the GSYM\n"
		"data in FILE.  Without ADDRESS they are read from standard "
		"input, one per\n"
		"line.  0x starts a hexadecimal number, 0 an octal one; others "
		"are decimal.",
	.options = lookup_options,
	.examples = lookup_examples,
	.exit_status = "0 done, also for addresses without an answer; 1 see "
		       "--strict;\n2 something went wrong.",
};

struct lookup {
	const char *path;
	struct gsym_reader *reader;
	struct out out;
	struct frames_style style;
	struct gsym_frame *frames;
	unsigned flags;
	uint64_t adjust;
	bool return_addresses, merged, calls, strict;
	/* What happened so far. */
	uint64_t refused, missed, damaged;
};

static void show_merged(struct lookup *l, const struct gsym_match *match,
			unsigned indent)
{
	bool first = true;
	for (uint32_t i = 0; i < match->merged_count; i++) {
		struct gsym_match other;
		enum gsym_status status = gsym_lookup_merged(
			l->reader, match, i, l->flags, l->frames,
			FRAME_CAPACITY, &other, NULL);
		if (status == GSYM_ERR_CORRUPT)
			l->damaged++;
		if (status != GSYM_OK)
			continue;
		frames_merged(&l->out, &l->style, l->frames, other.frame_count,
			      indent, first);
		first = false;
	}
	if (!first)
		frames_merged_end(&l->out, &l->style);
}

static void show_calls(struct lookup *l, const struct gsym_match *match,
		       uint64_t returns_to, unsigned indent)
{
	struct gsym_function function;
	struct gsym_call_site site;
	if (gsym_function_at(l->reader, match->index, &function, NULL) ==
		    GSYM_OK &&
	    gsym_call_site_find(&function, returns_to, &site, NULL) == GSYM_OK)
		frames_call(&l->out, &l->style, &site, indent);
}

static void answer(struct lookup *l, uint64_t given)
{
	uint64_t adjusted = given - l->adjust;
	uint64_t address = adjusted;
	if (l->return_addresses && address > 0)
		address--;

	struct gsym_match match = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_lookup(l->reader, address, l->flags,
					      l->frames, FRAME_CAPACITY, &match,
					      &error);
	frames_begin(&l->out, &l->style, given);
	if (status == GSYM_OK) {
		unsigned indent = l->style.json ? 0 : frames_width(given);
		uint32_t count = match.frame_count < FRAME_CAPACITY
					 ? match.frame_count
					 : FRAME_CAPACITY;
		frames_stack(&l->out, &l->style, l->frames, count, indent);
		if (l->merged)
			show_merged(l, &match, indent);
		if (l->calls)
			show_calls(l, &match, adjusted, indent);
	} else if (status == GSYM_NOT_FOUND) {
		l->missed++;
		frames_stack(&l->out, &l->style, NULL, 0, 0);
	} else {
		l->damaged++;
		frames_damage(&l->out, &l->style,
			      report_reason(status, &error));
	}
	frames_end(&l->out, &l->style);
}

static void answer_text(struct lookup *l, const char *text, size_t length)
{
	uint64_t address;
	enum number_result result = number_parse(text, length, &address);
	if (result == NUMBER_OK) {
		answer(l, address);
		return;
	}
	l->refused++;
	frames_refuse(&l->out, &l->style, text, length,
		      number_problem(result));
}

static void refuse_long_line(struct lookup *l, const char *text)
{
	l->refused++;
	frames_refuse(&l->out, &l->style, text, LINE_MAX_BYTES,
		      "not an address: the line is too long");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* A line of standard input; one without anything in it is passed over. */
static void answer_line(struct lookup *l, const char *text, size_t length)
{
	if (length > LINE_MAX_BYTES) {
		refuse_long_line(l, text);
		return;
	}
	while (length > 0 && is_blank(text[0])) {
		text++;
		length--;
	}
	while (length > 0 && is_blank(text[length - 1]))
		length--;
	if (length > 0)
		answer_text(l, text, length);
}

/* Fill the buffer up.  Whoever waits for answers gets them before we wait
 * for more addresses. */
static size_t read_more(struct lookup *l, char *to, size_t size)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	if (l->out.used > 0 && poll(&input, 1, 0) == 0)
		out_flush(&l->out);
	for (;;) {
		ssize_t n = read(STDIN_FILENO, to, size);
		if (n >= 0)
			return n;
		if (errno == EAGAIN) {
			out_flush(&l->out);
			poll(&input, 1, -1);
		} else if (errno != EINTR) {
			int why = errno;
			out_flush(&l->out);
			die("cannot read standard input: %s", strerror(why));
		}
	}
}

static void answer_input(struct lookup *l)
{
	char *buffer = malloc(INPUT_CAPACITY);
	if (!buffer)
		die("out of memory");
	size_t held = 0;
	bool skipping = false; /* the rest of a line that is too long */
	for (size_t n; (n = read_more(l, buffer + held,
				      INPUT_CAPACITY - held)) > 0;) {
		char *at = buffer, *end = buffer + held + n, *feed;
		char *scan = buffer + held;
		while ((feed = memchr(scan, '\n', end - scan))) {
			if (!skipping)
				answer_line(l, at, feed - at);
			skipping = false;
			at = scan = feed + 1;
		}
		held = end - at;
		if (held > LINE_MAX_BYTES) {
			if (!skipping)
				refuse_long_line(l, at);
			skipping = true;
			held = 0;
		}
		memmove(buffer, at, held);
	}
	if (!skipping)
		answer_line(l, buffer, held);
	free(buffer);
}

/* Leaves the walk in front of the first address. */
static void parse_options(struct lookup *l, struct options *options)
{
	static const char *const when[] = { "auto", "always", "never", NULL };
	int colour = OUT_COLOUR_AUTO, demangle_names = -1, id;
	while ((id = options_next(options)) > 0) {
		switch (id) {
		case OPT_JSON:
			l->style.json = true;
			break;
		case OPT_DEMANGLE:
		case OPT_NO_DEMANGLE:
			demangle_names = id == OPT_DEMANGLE;
			break;
		case OPT_INLINES:
			l->flags &= ~(unsigned)GSYM_LOOKUP_NO_INLINES;
			break;
		case OPT_NO_INLINES:
			l->flags |= GSYM_LOOKUP_NO_INLINES;
			break;
		case OPT_BASENAMES:
			l->style.basenames = true;
			break;
		case OPT_RETURN_ADDRESSES:
			l->return_addresses = true;
			break;
		case OPT_ADJUST_VMA:
			l->adjust = options_number(options, 0, UINT64_MAX);
			break;
		case OPT_MERGED_FUNCTIONS:
			l->merged = true;
			break;
		case OPT_CALL_SITES:
			l->calls = true;
			break;
		case OPT_STRICT:
			l->strict = true;
			break;
		case OPT_COLOR:
			colour = options_choice(options, when);
			break;
		}
	}
	if (id == OPTION_END)
		die_usage("no FILE is given");
	l->path = options->value;
	if (demangle_names < 0)
		demangle_names = !l->style.json;
	if (demangle_names)
		l->style.demangler = demangler_new();
	out_init(&l->out, STDOUT_FILENO, "standard output", colour);
}

static int verdict(const struct lookup *l)
{
	if (l->damaged)
		warn("'%s' is damaged; answers that suffered: %llu", l->path,
		     (unsigned long long)l->damaged);
	if (l->refused)
		warn("inputs that are no addresses: %llu",
		     (unsigned long long)l->refused);
	if (l->refused || (l->strict && l->damaged))
		return STATUS_ERROR;
	return l->strict && l->missed ? STATUS_NO : STATUS_DONE;
}

int main(int argc, char **argv)
{
	struct lookup l = { 0 };
	struct gsym_error error = { 0 };
	struct options options;

	report_start("gsym-lookup");
	options_init(&options, &lookup_tool, argc, argv);
	parse_options(&l, &options);
	enum gsym_status status = gsym_open(l.path, &l.reader, &error);
	if (status != GSYM_OK)
		die_status("open", l.path, status, &error);
	l.frames = calloc(FRAME_CAPACITY, sizeof(*l.frames));
	if (!l.frames)
		die("out of memory");

	if (options_next(&options) == OPTION_OPERAND)
		do
			answer_text(&l, options.value, strlen(options.value));
		while (options_next(&options) == OPTION_OPERAND);
	else
		answer_input(&l);

	out_fini(&l.out);
	int result = verdict(&l);
	demangler_free(l.style.demangler);
	gsym_close(l.reader);
	free(l.frames);
	options_fini(&options);
	return result;
}
