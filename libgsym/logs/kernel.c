/* SPDX-License-Identifier: MIT */
/*
 * Frames of the Linux kernel, of which a line may have several:
 *
 *	[  142.318512]  ? btrfs_get_extent+0xac/0x6b0 [btrfs]
 *	RIP: 0010:dummy_xmit+0x26/0x70 [dummy b6dd2bf16bbc...]
 */
#include "config.h"

#include "logs/scan.h"

/* ---- the header of a line -------------------------------------------- */

/* Step over "[  142.318302]", "[   T33]" or "[Fri Nov 20 10:41:07 2026]". */
static const char *bracket(const char *at, const char *end, bool first)
{
	const char *from = logs_blanks(logs_word(at, end, "["), end);

	if (first && from && end - from > 25 && from[25 - 1] == ']' &&
	    from[3] == ' ' && from[13] == ':' && from[16] == ':')
		return from + 25;
	if (from && !first && from < end && (*from == 'T' || *from == 'C'))
		from++;
	from = logs_decimal(from, end);
	if (first)
		from = logs_decimal(logs_word(from, end, "."), end);
	return logs_word(from, end, "]");
}

/* Step over " HOST kernel:", as journalctl writes it after the time, and
 * perhaps another time before it; AT if it is not there. */
static const char *journal(const char *at, const char *end)
{
	const char *near = end - at < 100 ? end : at + 100;
	const char *found = logs_after(at, near, " kernel:");

	return found ? found : at;
}

/* Step over "4,1234,142318590,-;" or "4,1234,142318590,-,caller=T1;", as
 * /dev/kmsg has it. */
static const char *kmsg(const char *at, const char *end)
{
	for (int i = 0; i < 3; i++)
		at = logs_word(logs_decimal(at, end), end, ",");
	while (at && at < end && (*at == '-' || *at == 'c' || *at == '+' ||
				  *at == '='))
		at++;
	if (at && at < end && *at == ',')
		at = memchr(at, ';', end - at < 40 ? (size_t)(end - at) : 40);
	return logs_word(at, end, ";");
}

/* The end of the header that the kernel or its logger put before a line: AT if
 * there is none.  The frame begins at END.  KNOWN is zeroed for the first frame
 * of the line. */
static const char *over_header(const char *at, const char *end,
			       struct logs_known *known)
{
	const char *from = known->brackets_to ? known->brackets_to : at, *next;
	/* Headers are short. */
	const char *stop = end - at > 4096 ? at + 4096 : end, *found;

	while (from < stop && (from = logs_byte(from, stop, '['))) {
		next = bracket(from, end, true);
		if (next)
			known->bracket = next;
		from++;
	}
	known->brackets_to = stop;
	found = known->bracket;
	if (found) {
		next = bracket(found, end, false);
		return journal(next ? next : found, end);
	}
	next = logs_find(at, stop, "kernel:");
	if (next && (next == at || next[-1] == ' '))
		return next + 7;
	next = logs_word(logs_decimal(logs_word(at, end, "<"), end), end, ">");
	if (!next)
		next = kmsg(at, end);
	return next ? next : at;
}

/* ---- the frame itself ------------------------------------------------ */

/* Whether a frame may begin at NAME in the line from AT. */
static bool may_begin(const char *at, const char *name)
{
	char c;

	if (name == at)
		return true;
	c = name[-1];
	/* The header may end with the level of the line: "<4>". */
	if (c == '>') {
		struct logs_known none = { 0 };

		return name - at < 8 &&
		       over_header(at, name, &none) == name;
	}
	/* The last part of a name of Rust. */
	if (c == ':' && name - at > 1 && name[-2] == ':')
		return false;
	return c == ' ' || c == '\t' || c == '(' || c == ':' || c == ']' ||
	       c == '<' || c == ';';
}

static bool may_follow(char c)
{
	return c == ' ' || c == '\t' || c == ')' || c == ',' || c == ';' ||
	       c == '"' || c == '\\' || c == '>';
}

/* Step over " [MODULE]" or " [MODULE ID]"; AT if it is not there. */
static const char *module(const char *at, const char *end,
			  struct logs_frame *ret)
{
	const char *name = logs_word(at, end, " ["), *stop, *id;

	for (stop = name; stop && stop < end && logs_is_name(*stop) &&
			  *stop != '.' && *stop != '$';)
		stop++;
	if (!stop || stop == name || stop == end)
		return at;
	id = logs_word(stop, end, " ");
	if (id) {
		const char *from = id;

		id = logs_over_digits(id, end);
		if (id - from != 32 && id - from != 40)
			return at;
		ret->build_id = logs_between(from, id);
	} else {
		id = stop;
	}
	if (id == end || *id != ']') {
		ret->build_id.size = 0;
		return at;
	}
	ret->module = logs_between(name, stop);
	return id + 1;
}

/* The frame whose "+0x" is at PLUS. */
static bool frame_at(const char *at, const char *plus, const char *end,
		     struct logs_frame *ret)
{
	const char *name = plus, *stop;

	while (name > at && logs_is_name(name[-1]))
		name--;
	if (name == plus || logs_is_digit(*name) || !may_begin(at, name))
		return false;
	stop = logs_hex(plus + 1, end, &ret->number);
	stop = logs_hex(logs_word(stop, end, "/"), end, &ret->size);
	if (!stop)
		return false;
	ret->function = logs_between(name, plus);
	ret->insert = module(stop, end, ret);
	/* Warnings of kernels before 4.3: "at a.c:7 f+0x1/0x2()". */
	stop = logs_word(ret->insert, end, "()");
	if (stop)
		ret->insert = stop;
	return ret->insert == end || may_follow(*ret->insert);
}

/* ---- what the line says about the address ---------------------------- */

/* clang-format off */
/* The words before a frame, and whether the address is exact. */
#define MARKS(mark) \
	/* x86 */ \
	mark("RIP:", true) \
	mark("EIP:", true) \
	mark("IP: ", true) \
	mark("RIP ", true) \
	mark("rIP: ", true) \
	mark("EIP is at ", true) \
	/* arm64, arm */ \
	mark("pc : ", true) \
	mark("lr : ", false) \
	mark("PC is at ", true) \
	mark("LR is at ", false) \
	/* powerpc, s390 */ \
	mark("NIP ", true) \
	mark("LR ", false) \
	mark("interrupt: ", true) \
	mark("psw : ", true) \
	mark("Krnl PSW : ", true) \
	/* riscv, mips, loongarch */ \
	mark("epc ", true) \
	mark("epc:", true) \
	mark("ra ", false) \
	mark("ra:", false) \
	mark("era : ", true) \
	mark("ERA: ", true) \
	/* sparc, parisc, m68k, arc, alpha, sh */ \
	mark("TPC: ", true) \
	mark("RPC: ", false) \
	mark("IAOQ[0]: ", true) \
	mark("RP(r2): ", false) \
	mark("PC: ", true) \
	mark("[ERET  ]: ", true) \
	mark("[BLINK ]: ", false) \
	mark("pc is at ", true) \
	mark("ra is at ", false) \
	mark("PR is at ", false) \
	/* all */ \
	mark("WARNING: ", true) \
	/* KASAN has the return address of the check, unless the processor \
	 * compares tags; KMSAN and KCSAN have return addresses. */ \
	mark("BUG: KASAN: invalid-access ", true) \
	mark("BUG: KASAN: ", false) \
	mark("BUG: KMSAN: ", false) \
	mark("BUG: KCSAN: ", false) \
	mark("BUG: ", true) \
	mark("last function: ", true) \
	mark("idling at ", true) \
	mark("Workqueue: ", false)
/* clang-format on */

static const struct {
	const char *word;
	bool marked;
} marks[] = {
#define ROW(word, marked) { word, marked },
	MARKS(ROW)
};

/* A bit for the first byte of each word, by its lowest 6 bits. */
#define BIT(word, marked) | UINT64_C(1) << (word[0] & 63)
static const uint64_t firsts = 0 MARKS(BIT);

/* The number of the word above that AT is in the text up to END; -1: none. */
static int mark_at(const char *at, const char *end)
{
	if (!(firsts >> (*at & 63) & 1))
		return -1;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (*at == *marks[i].word && logs_word(at, end, marks[i].word))
			return (int)i;
	return -1;
}

/* The first of the words above in AT to END, at AT or after a blank; *WHICH
 * becomes its number.  NULL if there is none.  From frame to frame of a line AT
 * and END ascend.  So nothing has to be searched again before the word of
 * KNOWN, and all searches together take time in proportion to the line. */
static const char *find_mark(const char *at, const char *end,
			     struct logs_known *known, int *which)
{
	const char *from;

	*which = at < end ? mark_at(at, end) : -1;
	if (*which >= 0)
		return at;
	if (known->mark > at) {
		*which = mark_at(known->mark, end);
		return known->mark;
	}
	from = at + 1;
	if (!known->mark && known->marks_to > from)
		from = known->marks_to;
	known->mark = NULL;
	for (; from < end; from++) {
		if (!logs_begins(at, from))
			continue;
		*which = mark_at(from, end);
		if (*which >= 0)
			return known->mark = from;
	}
	known->marks_to = end;
	return NULL;
}

/* Step back from END over "? ", "(", and addresses in brackets. */
static const char *before_signs(const char *at, const char *end)
{
	for (;;) {
		const char *open, *stop = logs_trim(at, end);

		if (stop > at && (stop[-1] == '?' || stop[-1] == '(')) {
			end = stop - 1;
			continue;
		}
		if (stop == at || stop[-1] != ']')
			return end;
		for (open = stop - 1;
		     open > at && open[-1] != '[' && stop - open < 24;)
			open--;
		if (open == at || open[-1] != '[' ||
		    !memchr("<0123456789abcdef", *open, 17) || !*open)
			return end;
		/* The time is no address: it has a point. */
		if (logs_byte(open, stop, '.'))
			return end;
		end = open - 1;
	}
}

/* Set where the frame begins and what kind of address it has.  AT to NAME is
 * the text before it. */
static void look_around(const char *at, const char *name,
			struct logs_frame *ret)
{
	const char *body = over_header(at, name, &ret->known);
	/* Such words stand near the frame. */
	const char *near = name - body > 512 ? name - 512 : body;
	int which;
	const char *mark = find_mark(near, name, &ret->known, &which);

	ret->stale = name - at >= 2 && name[-1] == ' ' && name[-2] == '?';
	ret->marked = mark && marks[which].marked;
	ret->begins = mark && (*mark == 'W' || *mark == 'B');
	ret->returns = !ret->marked && ret->number != 0;
	if (body > at) {
		ret->start = logs_blanks(body, name);
	} else if (mark) {
		ret->start = mark;
	} else {
		ret->start = before_signs(at, name);
		/* "f from g+0x6f/0xf0", and text without a blank. */
		if (logs_before(at, ret->start, " from ") ||
		    !logs_begins(at, ret->start))
			ret->start = logs_blanks(at, name);
	}
}

/* Whether " (PLACE" or " PATH:7" follows. */
static bool is_answered(const char *at, const char *end)
{
	const char *open = logs_word(at, end, " ("), *stop;

	if (open) {
		/* A list of places has blanks. */
		for (stop = open; stop < end && *stop != ')' && *stop != ' ';)
			stop++;
		return gsym_logs_is_place(logs_between(open, stop)) ||
		       (stop < end && *stop == ')' &&
			logs_byte(open, stop, '.'));
	}
	at = logs_word(at, end, " ");
	for (stop = at; stop && stop < end && *stop != ' ' && *stop != ')';)
		stop++;
	return at && at < stop && logs_is_name(*at) &&
	       logs_byte(at, stop, ':') &&
	       gsym_logs_is_place(logs_between(at, stop));
}

/* ---- frames of others ------------------------------------------------- */

/* Step back over pairs of digits with blanks between, four at least, and "<" or
 * "[" before them; NULL if they do not end at END. */
static const char *before_bytes(const char *at, const char *end)
{
	enum { PAIR = 3, PAIRS = 4 };
	const char *stop = end;

	while (stop - at >= PAIR && gsym_digit(stop[-1]) < 16 &&
	       gsym_digit(stop[-2]) < 16 && memchr(" <[", stop[-3], 3))
		stop -= PAIR;
	return end - stop >= PAIR * PAIRS && *stop != ' ' ? stop : NULL;
}

/* Whether the frame whose function begins at NAME is none of Linux: Xen's
 * "(XEN)    [<ffff82d04023aaaa>] R f+0x26/0x99", or HAProxy's "| 0x5292d5
 * <44 00 00 e8 9b c7 01 00]: f+0x13c5/0x386a > g". */
static bool is_foreign(const char *at, const char *name)
{
	const char *bytes = logs_before(at, name, "]: ");
	const char *letter = logs_before(at, name, " ");

	return (letter && letter > at && memchr("RFS", letter[-1], 3) &&
		logs_before(at, letter - 1, ">] ")) ||
	       (bytes && before_bytes(at, bytes)) ||
	       logs_find(at, name - at < 128 ? name : at + 128, "(XEN)");
}

/* Whether AT to END has the header of a program, "haproxy[1078]: ". */
static bool has_program(const char *at, const char *end)
{
	const char *stop = logs_find(at, end - at < 128 ? end : at + 128,
				     "]: ");
	const char *open = stop ? logs_before_decimal(at, stop) : NULL;

	return open && open < stop && open - at > 1 && open[-1] == '[' &&
	       logs_is_name(open[-2]);
}

static bool frames(const char *at, const char *from, const char *end,
		   struct logs_frame *ret)
{
	struct logs_known known = { 0 };

	if (from > at)
		known = ret->known;
	for (; from < end; from++) {
		const char *plus = logs_find(from, end, "+0x");

		if (!plus)
			return false;
		*ret = (struct logs_frame){
			.layout = LOGS_KERNEL,
			.counts_from = LOGS_FUNCTION,
			.known = known,
		};
		if (frame_at(at > from ? at : from, plus, end, ret) &&
		    !is_foreign(at, ret->function.at)) {
			look_around(at, ret->function.at, ret);
			ret->alone = !ret->known.bracket &&
				     has_program(at, ret->function.at);
			ret->answered = is_answered(ret->insert, end);
			ret->resume = ret->insert;
			return true;
		}
		from = plus;
	}
	return false;
}

/* ---- facts ----------------------------------------------------------- */

static bool is_release(struct logs_text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!logs_is_name(text.at[i]) && !strchr("+-~", text.at[i]))
			return false;
	return text.size && text.size <= 64 && logs_is_digit(*text.at) &&
	       !memmem(text.at, text.size, "..", 2);
}

/* The word that ends at END. */
static struct logs_text word_before(const char *at, const char *end)
{
	const char *from = end;

	while (from > at && from[-1] != ' ')
		from--;
	return logs_between(from, end);
}

/* "Not tainted 6.12.117 #1 7f76f39f", "Tainted: G  OE  6.12.117 #1" */
static bool tainted(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = logs_after(at, end, "ainted"), *stop = from, *number;
	struct logs_text id;

	do {
		stop = stop ? logs_after(stop, end, " #") : NULL;
		number = logs_decimal(stop, end);
	} while (stop && !number);
	if (!number)
		return false;
	ret->name = word_before(from, logs_trim(from, stop - 2));
	if (!is_release(ret->name))
		return false;
	id = word_before(number, logs_trim(number, end));
	if ((id.size == 32 || id.size == 40) &&
	    logs_over_digits(id.at, id.at + id.size) == id.at + id.size)
		ret->build_id = id;
	return true;
}

/* "Linux version 6.12.117 (debian-kernel@...) #1 SMP" */
static bool version(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = logs_after(at, end, "Linux version ");
	const char *stop = logs_byte(from, end, ' ');

	if (!from || !logs_word(stop, end, " ("))
		return false;
	ret->name = logs_between(from, stop);
	return is_release(ret->name);
}

static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	if (logs_after(at, end, "---[ end trace"))
		return true;
	ret->kind = LOGS_RELEASE;
	return tainted(at, end, ret) || version(at, end, ret);
}

enum {
	/* Lines without a frame after which a report is over. */
	REPORT = 200,
	MARKS = 8,
};

struct memory {
	/* Hashes of the exact addresses of the report, and the number of its
	 * last line with a frame. */
	uint64_t marks[MARKS];
	uint64_t line;
	unsigned count;
};

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	struct memory *m = (struct memory *)memory;

	if (fact->kind == LOGS_OWN)
		m->count = 0;
}

/* An exact address is one in the rest of its report, too. */
static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	struct memory *m = (struct memory *)memory;
	const unsigned most = GSYM_LIMIT(MARKS, 1);
	uint64_t key = logs_hash(memory, frame->function, frame->number);

	if (frame->begins || frame->line > m->line + REPORT)
		m->count = 0;
	m->line = frame->line;
	if (frame->marked)
		m->marks[m->count++ % most] = key;
	for (unsigned i = 0; i < most && i < m->count; i++)
		if (m->marks[i] == key)
			frame->returns = false;
}

const struct logs_dialect gsym_logs_kernel = {
	.log = GSYM_MARKUP_LOG_KERNEL,
	.name = "kernel",
	.words = LOGS_WORD_SIZED | LOGS_WORD_RELEASE | LOGS_WORD_REPORT_END,
	.frames = frames,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
	.wait = { LOGS_RELEASE, false },
	.script = LOGS_DECODE_STACKTRACE,
	.sized = true,
};
