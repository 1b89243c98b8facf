/* SPDX-License-Identifier: MIT */
/*
 * Frames in the crash reports of macOS and iOS:
 *
 *	2   App Name          	0x1022364bc 0x102230000 + 25788
 *	4   UIKitCore         	0x192fb1330 -[UIViewController view] + 84
 *
 * and of Swift on Linux, which marks return addresses:
 *
 *	0      0x0000aaaab2c50bf4 <unknown> in prog
 *	1 [ra] 0x0000aaaab2c50c9c main + 16 in prog
 *
 * The images follow the frames.  Reports in JSON (.ips) have frames that are
 * objects in a long line, which name an image by its number; the images are
 * listed later:
 *
 *	"frames":[{"imageOffset":25788,"imageIndex":1},
 *	"usedImages" : [ {
 *	    "uuid" : "82d13d98-219e-3040-b62a-07a297007a7c",
 *	    "path" : "\/private\/var\/App.app\/App",
 */
#include "config.h"

#include "logs/scan.h"

#include "base/system.h"

/* The last " + DECIMAL" in AT to END, which ends there; NULL if there is
 * none. */
static const char *before_offset(const char *at, const char *end)
{
	const char *digits = logs_before_decimal(at, end);

	digits = digits < end ? logs_before(at, digits, " + ") : NULL;
	return digits && digits > at ? digits : NULL;
}

/* The first "0xADDRESS" after a blank and before one in AT to END; *AFTER is
 * the place after the blank. */
static const char *find_address(const char *at, const char *end,
				uint64_t *address, const char **after)
{
	const char *from = at;

	while ((from = logs_find(from, end, "0x"))) {
		const char *stop = logs_hex(from, end, address);

		if (stop && stop - from >= 9 && from > at &&
		    logs_begins(at, from) && stop < end && *stop == ' ') {
			*after = stop + 1;
			return from;
		}
		from += 2;
	}
	return NULL;
}

/* The number of the frame, whose image ends at END: at AT, or the last number
 * that fills four columns with the blanks after it.  *AFTER becomes the place
 * after the digits.  NULL if there is none. */
static const char *find_number(const char *at, const char *end,
			       const char **after)
{
	const char *found = NULL;

	for (const char *from = at; from < end; from++) {
		const char *stop = logs_decimal(from, end);
		const char *next = logs_blanks(stop, end);

		if (stop && next > stop && next < end &&
		    (from == at || next - from == 4)) {
			found = from;
			*after = stop;
		}
		from = logs_word_end(from, end);
	}
	return found;
}

/* ---- Swift ------------------------------------------------------------ */

/* Step back over the attributes of a frame, "[ra] [system]", and the blanks
 * before and behind them; END if there are none. */
static const char *before_attributes(const char *at, const char *end)
{
	const char *stop = logs_trim(at, end), *open;

	while (stop > at && stop[-1] == ']') {
		for (open = stop - 1;
		     open > at && open[-1] >= 'a' && open[-1] <= 'z';)
			open--;
		if (open == at || open[-1] != '[')
			return end;
		stop = logs_trim(at, open - 1);
	}
	return stop;
}

/* Find "1 [ra] 0x0000aaaab2c50c9c " in AT to END: *RET becomes the address,
 * *NAME the place behind the address, *MARKS the place behind the number of the
 * frame.  Returns where that number starts; NULL if there is none. */
static const char *swift_head(const char *at, const char *end,
			      const char **name, const char **marks,
			      uint64_t *ret)
{
	const char *from = logs_find(at, end, " 0x"), *digits;

	if (!from)
		return NULL;
	from++;
	*name = logs_hex(from, end, ret);
	*marks = before_attributes(at, from);
	digits = logs_before_decimal(at, *marks);
	if (!*name || (*name - from != 18 && *name - from != 10) ||
	    digits == *marks || *marks == from || !logs_begins(at, digits))
		return NULL;
	*name = logs_word(*name, end, " ");
	return *name ? digits : NULL;
}

/* Take the function from "main + 16" or "<unknown>", AT to END. */
static void swift_function(const char *at, const char *end,
			   struct logs_frame *ret)
{
	const char *plus = before_offset(at, end);

	ret->function = logs_between(at, plus ? plus : end);
	if (logs_is(ret->function, "<unknown>"))
		ret->function.size = 0;
}

/* Swift.  A frame of an inlined call repeats the address of the frame of its
 * caller, so it gets no answer. */
static bool swift(const char *at, const char *end, struct logs_frame *ret)
{
	/* The images follow behind registers, and other threads. */
	enum { LINES_TO_IMAGES = 64 };
	const char *name, *marks, *in, *stop;

	ret->start = swift_head(at, end, &name, &marks, &ret->number);
	/* "closure #1 in f() + 16 in prog" */
	in = ret->start ? gsym_logs_last(name, end, " in ") : NULL;
	if (!in || logs_find(marks, name, "[inlined]"))
		return false;
	stop = logs_find(in, end, " at ");
	ret->module = logs_between(in + strlen(" in "), stop ? stop : end);
	swift_function(name, in, ret);
	ret->returns = logs_find(marks, name, "[ra]");
	/* Swift's own place, or an answer. */
	ret->answered = stop || memchr(ret->module.at, ' ', ret->module.size);
	ret->watch = LINES_TO_IMAGES;
	ret->counts_from = LOGS_MEMORY;
	return ret->module.size > 0;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end), *plus, *name, *open, *after;
	uint64_t load;

	logs_frame_to(end, ret);
	if (swift(at, stop, ret))
		return true;
	plus = before_offset(at, stop);
	if (!plus)
		return false;
	logs_frame_to(end, ret);
	ret->counts_from = LOGS_MEMORY;
	open = find_address(at, plus, &ret->number, &name);
	ret->start = open ? find_number(at, open, &after) : NULL;
	if (!ret->start)
		return false;
	ret->module = logs_between(logs_blanks(after, open), open);
	while (ret->module.size && logs_begins(at, open)) {
		open--;
		ret->module.size--;
	}
	if (logs_hex(name, plus, &load) != plus)
		ret->function = logs_between(name, plus);
	/* LLVM's crash handlers write functions in the same way. */
	ret->doubtful = ret->function.size > 0;
	/* Frame 0 has the program counter itself. */
	ret->returns = after - ret->start != 1 || *ret->start != '0';
	return ret->module.size > 0;
}

/* ---- facts ----------------------------------------------------------- */

/* Step back over the UUID "<82d13d98219e3040b62a07a297007a7c>", which ends at
 * END.  RET becomes its digits, with the dashes that some reports have. */
static const char *before_uuid(const char *at, const char *end,
			       struct logs_text *ret)
{
	const char *open = end - 1;

	if (end == at || *open != '>')
		return NULL;
	while (open > at && (gsym_digit(open[-1]) < 16 || open[-1] == '-'))
		open--;
	*ret = logs_between(open, end - 1);
	return open > at && open[-1] == '<' && ret->size >= 32 ? open - 1
							       : NULL;
}

/* "0x102230000 - 0x102237fff App Name arm64  <82d13d98...> /path/App Name", or
 * of Swift "0x0000aaaab2c50000–0x0000aaaab2c60000 6fdbb104c032 prog
 * /src/prog", where the second number is the first one behind the image. */
static bool image(const char *at, const char *end, struct logs_fact *ret)
{
	const char *stop = logs_hex(logs_find(at, end, "0x"), end, &ret->start);
	const char *dash = logs_word(stop, end, "\xe2\x80\x93"), *path;

	stop = dash ? dash
		    : logs_gap(logs_word(logs_gap(stop, end), end, "-"), end);
	stop = logs_gap(logs_hex(stop, end, &ret->last), end);
	path = dash ? logs_find(stop, end, " /") : logs_find(at, end, "> /");
	if (!stop || !path)
		return false;
	ret->name =
		logs_between(logs_find(path, end, "/"), logs_trim(path, end));
	if (!dash)
		return before_uuid(stop, path + 1, &ret->build_id) &&
		       ret->last >= ret->start;
	/* "<no build ID>" */
	if (*stop != '<')
		ret->build_id = logs_between(stop, logs_word_end(stop, end));
	return ret->last-- > ret->start;
}

/* "Process:             App Name [455]" */
static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	const char *process = logs_gap(logs_after(at, end, "Process:"), end);
	const char *stop = logs_trim(at, end);

	ret->kind = LOGS_REPORT_JSON;
	/* The key as a string of JSON; or in a line of JSON, which other text
	 * may begin. */
	if ((end - at == 10 && memcmp(at, "parentProc", 10) == 0) ||
	    logs_after(at, end, "\"parentProc\""))
		return true;
	ret->kind = LOGS_REPORT;
	if (logs_after(at, end, "*** Program crashed: "))
		return true;
	if (process && stop > process && stop[-1] == ']' &&
	    logs_is_digit(stop[-2]))
		return true;
	ret->kind = LOGS_IMAGE;
	return image(at, end, ret);
}

/* ---- reports in JSON -------------------------------------------------- */

/* Frames have the number of an image and an offset.  They get addresses as if
 * image N were at N * IMAGE_SIZE in memory. */
#define IMAGE_SIZE (UINT64_C(1) << 40)

static bool next(struct logs_text report, const char *at, const char *end,
		 struct logs_frame *ret)
{
	static const char key[] = "\"imageOffset\"";
	const char *from = at, *found, *open, *close, *before;
	uint64_t offset, index;

	(void)report;
	for (; (found = logs_find(from, end, key)); from = close) {
		open = memrchr(from, '{', (size_t)(found - from));
		close = json_find_brace(found, end);
		if (!open || close == end || *close != '}' ||
		    !json_number_of(open, close, key, IMAGE_SIZE, &offset) ||
		    !json_number_of(open, close, "\"imageIndex\"", 1 << 16,
				    &index))
			continue;
		before = logs_trim(at, open);
		*ret = (struct logs_frame){
			.start = open,
			.insert = close,
			.resume = close,
			.counts_from = LOGS_MEMORY,
			.number = index * IMAGE_SIZE + offset,
			.function = json_string_of(open, close, "\"symbol\""),
			/* The first frame of a thread is exact. */
			.returns = before == at || before[-1] != '[',
			.answered = logs_find(open, close, "\"sourceFile\""),
		};
		return true;
	}
	return false;
}

/* The start of the list of images in AT to END; NULL if there is none. */
static const char *images(const char *at, const char *end)
{
	return logs_word(json_value_of(at, end, "\"usedImages\""), end, "[");
}

static bool module(struct logs_text report, const char **at, uint64_t index,
		   struct logs_fact *ret)
{
	const char *end = report.at + report.size, *open, *close;

	if (!*at)
		*at = images(report.at, end);
	open = logs_byte(*at, end, '{');
	close = open ? json_find_brace(open + 1, end) : end;
	if (close == end || *close != '}' || index >= 1 << 16)
		return false;
	*at = close + 1;
	*ret = (struct logs_fact){
		.kind = LOGS_IMAGE,
		.build_id = json_string_of(open, close, "\"uuid\""),
		.name = json_string_of(open, close, "\"name\""),
		.start = index * IMAGE_SIZE,
		.last = (index + 1) * IMAGE_SIZE - 1,
	};
	return true;
}

static unsigned part(const char *at, const char *end)
{
	const char *list = images(at, end);

	at = logs_blanks(at, end);
	return (list ? LOGS_LIST_BEGINS : 0) |
	       (logs_word(at, end, "]") || logs_byte(list, end, ']')
			? LOGS_LIST_ENDS
			: 0);
}

static const struct logs_report report = {
	.part = part,
	.module = module,
	.next = next,
};

const struct logs_dialect gsym_logs_apple = {
	.log = GSYM_MARKUP_LOG_APPLE,
	.name = "apple",
	.words = LOGS_WORD_SUM | LOGS_WORD_PROCESS | LOGS_WORD_IMAGE,
	.frame = frame,
	.fact = fact,
	.wait = { LOGS_IMAGE, true },
	.report = &report,
	.fresh = true,
};
