/* SPDX-License-Identifier: MIT */
/* Converts the ticks of a trace: to seconds, to the time of day, or to the time
 * since the start of the system; writes times, names and values of YAML. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "common/report.h"
#include "xray/xray.h"

#define SECOND UINT64_C(1000000000)

/* XRay exists since 2016: ticks of an earlier date are not nanoseconds since
 * 1970. */
#define FIRST_DATE (UINT64_C(1451606400) * SECOND)

/* The TOD clock of SystemZ has 4096 ticks per microsecond, and counts from
 * 1900, 25567 days before 1970. */
#define TOD_FREQUENCY UINT64_C(4096000000)
#define TOD_1970 (UINT64_C(25567) * 86400 * TOD_FREQUENCY)

/* The greatest difference of the frequency from the frequency by wall times, as
 * a part of it, that gives no warning. */
#define FAR_OFF 0.05

/* The earliest, the second and the latest block of a trace; HAS_TSC is false if
 * there is none. */
struct ends {
	struct gsym_xray_block first, second, last;
};

/* Find the ends of LOG among the blocks that have wall time and ticks. */
static struct ends find_ends(const struct gsym_xray_log *log)
{
	struct gsym_xray_block b;
	struct ends e = { 0 };
	for (uint32_t i = 0; i < gsym_xray_block_count(log); i++) {
		gsym_xray_block_at(log, i, &b);
		if (!b.has_wall_time || !b.has_tsc)
			continue;
		if (!e.first.has_tsc || b.tsc < e.first.tsc) {
			e.second = e.first;
			e.first = b;
		} else if (!e.second.has_tsc || b.tsc < e.second.tsc) {
			e.second = b;
		}
		if (!e.last.has_tsc || b.tsc > e.last.tsc)
			e.last = b;
	}
	return e;
}

double xray_estimate(const struct gsym_xray_log *log)
{
	struct ends e = find_ends(log);
	if (!e.first.has_tsc || e.last.wall_time < e.first.wall_time ||
	    e.last.wall_time - e.first.wall_time < 100000)
		return 0;
	return (double)(e.last.tsc - e.first.tsc) * 1e6 /
	       (double)(e.last.wall_time - e.first.wall_time);
}

void xray_check_frequencies(const struct xray *x)
{
	for (size_t i = 0; i < x->trace_count; i++) {
		double f = (double)x->traces[i].clock.frequency;
		double estimated = xray_estimate(x->traces[i].log);
		if (!f || !estimated || (estimated > f * (1 - FAR_OFF) &&
					 estimated < f * (1 + FAR_OFF)))
			continue;
		report_note("'%s': the frequency is %.0f Hz, but %.0f Hz by "
			    "the wall times of the blocks; see --frequency",
			    x->traces[i].path, f, estimated);
	}
}

/* ---- wall clock ---------------------------------------------------------- */

/* Whether every thread starts on processor 0.  Runtimes that do not read the
 * counter of a processor number all processors 0. */
static bool no_processors(const struct gsym_xray_log *log)
{
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		struct gsym_xray_event event;
		struct gsym_xray_iter *iter;
		must(gsym_xray_events(log, i, &iter, NULL) == GSYM_OK);
		bool zero = !gsym_xray_next(iter, &event) || !event.cpu;
		gsym_xray_iter_free(iter);
		if (!zero)
			return false;
	}
	return true;
}

/* Set the anchor of CLOCK to the tick and the wall time of LOG's second block,
 * else of its first.  The wall time of the first block is late: the runtime
 * allocates memory after it has read the ticks. */
static void find_anchor(struct xray_clock *clock,
			const struct gsym_xray_log *log)
{
	struct ends e = find_ends(log);
	struct gsym_xray_block b = e.second.has_tsc ? e.second : e.first;
	if (!b.has_tsc || b.wall_time > UINT64_MAX / 1000)
		return;
	clock->wall = XRAY_WALL_UPTIME;
	clock->anchor = b.tsc;
	clock->anchor_ns = 1000 * b.wall_time;
}

static void open_clock(const struct xray *x, size_t index)
{
	struct xray_clock *clock = &x->traces[index].clock;
	const struct gsym_xray_log *log = x->traces[index].log;
	struct gsym_xray_header header;
	uint64_t first, last;
	gsym_xray_get_header(log, &header);
	clock->frequency = header.frequency;
	/* The runtime writes 1 GHz on all systems on which it cannot read the
	 * frequency, SystemZ included. */
	if (x->tod && header.frequency == SECOND)
		clock->frequency = TOD_FREQUENCY;
	if (x->frequency)
		clock->frequency = x->frequency;
	if (!gsym_xray_span(log, &first, &last))
		return;
	clock->zero = first;
	if (!clock->frequency)
		return;
	if (header.frequency == SECOND && x->tod && first > TOD_1970 &&
	    no_processors(log)) {
		clock->wall = XRAY_WALL_DATE;
		clock->anchor = TOD_1970;
	} else if (header.frequency == SECOND && !x->tod &&
		   first >= FIRST_DATE && no_processors(log)) {
		clock->wall = XRAY_WALL_DATE;
	} else {
		find_anchor(clock, log);
	}
}

bool xray_one_clock(const struct xray *x)
{
	for (size_t i = 1; i < x->trace_count; i++)
		if (x->traces[i].clock.frequency != xray_frequency(x))
			return false;
	return true;
}

void xray_need_one_clock(const struct xray *x)
{
	if (!xray_one_clock(x))
		report_note("the traces have different frequencies: that of "
			    "'%s' is used for all", x->traces[0].path);
	if (!xray_frequency(x))
		report_note("the frequency is not known: times are in ticks");
}

void xray_clocks_open(struct xray *x)
{
	uint64_t zero = UINT64_MAX, first, last;
	for (size_t i = 0; i < x->trace_count; i++)
		open_clock(x, i);
	if (!xray_one_clock(x))
		return;
	for (size_t i = 0; i < x->trace_count; i++)
		if (gsym_xray_span(x->traces[i].log, &first, &last) &&
		    first < zero)
			zero = first;
	for (size_t i = 0; i < x->trace_count; i++)
		x->traces[i].clock.zero = zero;
}

void xray_allow_clocks(const struct xray *x)
{
	bool known = true;
	for (size_t i = 0; i < x->trace_count; i++)
		known = known && x->traces[i].clock.frequency;
	if (!xray_one_clock(x))
		report_note(
			"the traces have different frequencies: the times of "
			"each trace start with its first event");
	if (!known)
		report_note("the frequency is not known: times are in ticks");
}

uint64_t xray_time(const struct xray_clock *clock, uint64_t tsc)
{
	return tsc < clock->zero
		       ? 0
		       : gsym_xray_nanoseconds(tsc - clock->zero,
					       clock->frequency);
}

uint64_t xray_wall(const struct xray_clock *clock, uint64_t tsc)
{
	uint64_t ns;
	if (clock->wall == XRAY_WALL_NONE)
		return 0;
	if (tsc >= clock->anchor)
		return clock->anchor_ns +
		       gsym_xray_nanoseconds(tsc - clock->anchor,
					     clock->frequency);
	ns = gsym_xray_nanoseconds(clock->anchor - tsc, clock->frequency);
	return ns < clock->anchor_ns ? clock->anchor_ns - ns : 0;
}

void xray_wall_text(const struct xray_clock *clock, uint64_t tsc,
		    char text[XRAY_WALL_SIZE])
{
	uint64_t ns = xray_wall(clock, tsc);
	time_t seconds = (time_t)(ns / SECOND);
	char date[32];
	struct tm tm;
	*text = 0;
	if (clock->wall == XRAY_WALL_UPTIME)
		snprintf(text, XRAY_WALL_SIZE, "%" PRIu64 ".%09" PRIu64,
			 ns / SECOND, ns % SECOND);
	if (clock->wall == XRAY_WALL_DATE && gmtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(text, XRAY_WALL_SIZE, "%s.%09" PRIu64 "Z", date,
			 ns % SECOND);
}

void xray_wall_json(const struct xray_clock *clock, uint64_t tsc,
		    struct json *json)
{
	char text[XRAY_WALL_SIZE];
	if (clock->wall == XRAY_WALL_UPTIME)
		json_number(json, "uptime", xray_wall(clock, tsc));
	if (clock->wall != XRAY_WALL_DATE)
		return;
	xray_wall_text(clock, tsc, text);
	json_string(json, "wall", text);
}

/* ---- times and names ----------------------------------------------------- */

int xray_time_text(double value, bool ticks, const char *micro, char *to,
		   size_t size)
{
	const struct {
		const char *name;
		double size; /* nanoseconds */
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { micro, 1e3 } };
	for (size_t i = 0; !ticks && i < sizeof(units) / sizeof(units[0]);
	     i++) {
		double n = value / units[i].size;
		/* 999.95 us would be written as 1000.0 us. */
		if (n < 0.99995)
			continue;
		return snprintf(to, size, "%.*f %s",
				n < 9.9995	? 3
				: n < 99.995 ? 2
				: n < 999.95 ? 1
					     : 0,
				n, units[i].name);
	}
	return snprintf(to, size, "%.0f%s", value, ticks ? "" : " ns");
}

/* Bytes of "(anonymous namespace)" at AT; 0 if AT begins with something
 * else. */
static size_t anonymous(const char *at)
{
	static const char name[] = "(anonymous namespace)";
	return strncmp(at, name, sizeof(name) - 1) == 0 ? sizeof(name) - 1 : 0;
}

/* The start of the function's own name in TEXT, which may begin with the type
 * that a template function returns. */
static const char *without_type(const char *text)
{
	const char *parenthesis = strchr(text, '('), *at = text;
	if (!parenthesis || anonymous(parenthesis))
		return text;
	for (const char *p = text; p < parenthesis; p++)
		if (*p == ' ')
			at = p + 1;
	return at;
}

char *xray_short_name(const char *name)
{
	/* "..." may replace a single character. */
	char *text = must_have(malloc(3 * strlen(name) + 1)), *to = text,
	     *result;
	unsigned depth = 0;
	/* Angle brackets of operators are not those of templates. */
	if (strstr(name, "operator") || strstr(name, "lambda"))
		return strcpy(text, name);
	while (*name) {
		size_t kept = depth ? 0 : anonymous(name);
		if (kept) {
			memcpy(to, name, kept);
			to += kept;
			name += kept;
			continue;
		}
		if (*name == '<' || *name == '(') {
			if (!depth++)
				*to++ = *name;
		} else if (depth && (*name == '>' || *name == ')')) {
			if (!--depth) {
				if (name[-1] != to[-1])
					to = stpcpy(to, "...");
				*to++ = *name;
			}
		} else if (!depth) {
			*to++ = *name;
		}
		name++;
	}
	*to = 0;
	result = must_have(strdup(without_type(text)));
	free(text);
	return result;
}

void xray_put_name(struct xray *x, const char *name, const char *place)
{
	char *brief = x->short_names ? xray_short_name(name) : NULL;
	out_foreign(&x->out, brief ? brief : name);
	free(brief);
	if (*place) {
		out_text(&x->out, " at ");
		out_foreign(&x->out, place);
	}
}

/* ---- YAML, with quotes where llvm-xray's writer uses them ---------------- */

/* Returns true if a reader of YAML takes the SIZE bytes at TEXT, none of them
 * NUL, for a truth value or for null. */
static bool is_word(const char *text, size_t size)
{
	static const char *const words[] = {
		"null", "Null", "NULL", "~", "true", "True", "TRUE", "false",
		"False", "FALSE", "yes", "Yes", "YES", "no", "No", "NO", "on",
		"On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N",
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(words[i], text, size) && !words[i][size])
			return true;
	return false;
}

/* Returns true if the SIZE bytes at TEXT need no quotes.  Text that starts like
 * a number always gets quotes. */
static bool is_plain(const char *text, size_t size)
{
	if (!size || strchr("-+.0123456789", *text) || text[size - 1] == ' ')
		return false;
	for (const char *c = text; c < text + size; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
		    !(*c >= '0' && *c <= '9') &&
		    (!*c || !strchr(c == text ? "_^" : "_-^., ", *c)))
			return false;
	return !is_word(text, size);
}

/* Write the character at BYTES, of SIZE bytes, which a terminal must not
 * get. */
static void put_code(struct out *out, const uint8_t *bytes, size_t size)
{
	if (size == 1)
		out_printf(out, "\\x%02X", bytes[0]);
	else if (size == 2)
		out_printf(out, "\\u%04X",
			   (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3f));
	else
		out_printf(out, "\\u%04X",
			   (bytes[0] & 0xfu) << 12 | (bytes[1] & 0x3fu) << 6 |
				   (bytes[2] & 0x3f));
}

/* Write SIZE BYTES in double quotes.  Letters of UTF-8 in a NAME stay as they
 * are; of data all bytes that are not ASCII become escapes. */
static void quoted(struct out *out, const uint8_t *bytes, size_t size,
		   bool name)
{
	out_text(out, "\"");
	for (size_t i = 0, step = 1; i < size; i += step) {
		size_t length =
			name ? gsym_utf8_length(bytes + i, size - i) : 1;
		size_t harmful =
			gsym_utf8_harmful(bytes + i, length ? length : 1);
		step = length ? length : 1;
		if (bytes[i] == '"' || bytes[i] == '\\')
			out_printf(out, name ? "\\%c" : "\\x%02X", bytes[i]);
		else if (harmful || (bytes[i] >= 0x80 && !name))
			put_code(out, bytes + i, step);
		else
			out_bytes(out, &bytes[i], step);
	}
	out_text(out, "\"");
}

static bool is_printable(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((uint8_t)text[i] < 0x20 || (uint8_t)text[i] >= 0x7f)
			return false;
	return true;
}

void xray_yaml(struct out *out, const void *bytes, size_t size, bool name)
{
	const char *text = bytes;
	if (is_plain(text, size)) {
		out_bytes(out, text, size);
		return;
	}
	if (!is_printable(text, size)) {
		quoted(out, bytes, size, name);
		return;
	}
	out_text(out, "'");
	for (size_t i = 0; i < size; i++) {
		out_bytes(out, &text[i], 1);
		if (text[i] == '\'')
			out_text(out, "'");
	}
	out_text(out, "'");
}
