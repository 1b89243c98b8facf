/* SPDX-License-Identifier: MIT */
/*
 * Addresses alone, which lines of /proc/PID/maps or elements of markup give a
 * meaning:
 *
 *	#3 0x55d0a1b2c3d4 <unknown>		Chromium
 *	 3: 0x55d0a1b2c3d4 - <unknown>		Rust
 *	 3# 0x000055D0A1B2C3D4 in ./prog	Boost
 *	    @     0x5650e388b730  (unknown)	glog, Abseil
 *	    @ 00005650e388b730 (unknown)	folly
 *	   by 0x109558: ??? (in /src/shapes)	Valgrind
 *	#1  0x000055d0a1b2c3d4 in ?? () from /lib/a.so	gdb
 *	#1  0x000055d0a1b2c3d4 - /src/shapes		eu-stack
 *	 4: 0x7f75c4247469  [/src/libproducer.so]	Node
 *	4  prog     0x0000557e3ee73438 main + 16	LLVM 15 to 22
 *	#0  0x00007fb2f7a6f420 poll + 0x10	VPP
 *	#9   Object "/src/shapes", at 0x561b9df0b559, in f	backward-cpp
 *		0x561b9df0b559 - /src/shapes : (null)		Mono
 *	#1: geo::each() [0x4014ed]				Envoy
 *	frame #0: 0x0000561b9df0b559 prog`f + 4			LLDB
 *	#3  0x561b9df0b559 in ???				GNU Fortran
 *	#3  0x0000561b9df0b559 at ./prog			cpptrace
 *
 * and registers, and the call traces of Zephyr (registers.c), of which those of
 * x86 are "0: 0x0010a2b4".
 *
 * Frame 0 of gdb, LLDB, eu-stack and backward-cpp, the frame "at" of Valgrind
 * and the line "PC: @" of glog have the program counter itself, and so has the
 * frame of glog's stack with the same address.  GNU Fortran and cpptrace print
 * return addresses less 1, and behind a signal the address itself: all are
 * looked up as they are.  The others walk the stack of a call of their own: all
 * addresses are return addresses, those of Valgrind, and some of folly, less 1.
 */
#include "config.h"

#include "logs/scan.h"

/* Step over "#3", "#3:", "3:", "3#", "@", "at" or "by"; NULL if none of them is
 * at AT. */
static const char *lead(const char *at, const char *end)
{
	static const char *const words[] = { "@", "at", "by", NULL };
	const char *hash = logs_word(at, end, "#");
	const char *stop = logs_decimal(hash ? hash : at, end);

	if (!stop && !hash)
		return logs_word_of(at, end, words);
	if (stop && stop < end && (*stop == ':' || (!hash && *stop == '#')))
		return stop + 1;
	return hash ? stop : NULL;
}

/* Whether AT to END ends with a word that stands before an address by itself,
 * "#3" or "at". */
static bool ends_with_lead(const char *at, const char *end)
{
	const char *word = logs_trim(at, end);

	end = word;
	while (!logs_begins(at, word))
		word--;
	return lead(word, end) == end;
}

/* Step over "4  prog      ", which 16 digits follow, and a blank or END; NULL
 * if that is not at AT.  The name of the module may have blanks.  A header may
 * look like its start: "Jan  1 10:00:00 host prog[7]: #0  0x0000...". */
static const char *llvm(const char *at, const char *end)
{
	enum { SIZE = 2 + 16, LONGEST = 256 };
	const char *name = logs_gap(logs_decimal(at, end), end);
	const char *digits = NULL;
	uint64_t value;

	if (name)
		digits = logs_find(name,
				   end - name < LONGEST ? end : name + LONGEST,
				   " 0x0000");
	if (!digits || digits++ == name || end - digits < SIZE ||
	    logs_hex(digits, digits + SIZE, &value) != digits + SIZE)
		return NULL;
	if (digits + SIZE < end && digits[SIZE] != ' ')
		return NULL;
	return ends_with_lead(name, digits - 1) ? NULL : digits - 1;
}

/* Whether AT to END ends with " at " and a path without a line, as cpptrace
 * writes the module of a frame. */
static bool ends_with_object(const char *at, const char *end)
{
	const char *path = gsym_logs_last(at, end, " at "), *line;

	if (!logs_byte(path, end, '/'))
		return false;
	line = logs_before_decimal(path, end);
	return line == end || line[-1] != ':';
}

/* Whether AT to END ends with a place, as this or another tool wrote it, and
 * not with a module: "in ./prog", "(in /lib/a.so)", "from /lib/a.so". */
static bool ends_with_place(const char *at, const char *end)
{
	static const char *const before_module[] = { "in ", " from ", " - ",
						     NULL };
	const char *open = end > at && end[-1] == ')' ? gsym_logs_open(at, end)
						      : NULL;
	const char *word = open ? open + 1 : end;

	end -= open != NULL;
	while (!open && word > at && word[-1] != ' ')
		word--;
	/* Node: a module in brackets. */
	if (word < end && *word == '[')
		return false;
	return !logs_word(word, end, "in ") &&
	       !logs_before_of(at, word, before_module) &&
	       !ends_with_object(at, end) &&
	       gsym_logs_is_place(logs_between(word, end));
}

/* The name of a function at AT, behind an address; empty if the module follows,
 * or the address again.  Abseil has the size of the frame before the name, LLDB
 * the module: "libc.so.6`__restore_rt". */
static struct logs_text name_at(const char *at, const char *end)
{
	static const char *const others[] = { "/",    "./", "from /", "- ", "[",
					      "(in ", "0x", "at ",    NULL };
	const char *size, *stop, *mark;

	at = logs_blanks(at + (logs_word(at, end, ":") != NULL), end);
	size = logs_gap(logs_decimal(at, end), end);
	at = size ? size : at;
	if (logs_word(at, end, "in "))
		at = logs_word(at, end, "in ");
	if (logs_word_of(at, end, others))
		return logs_between(end, end);
	stop = logs_word_end(at, end);
	mark = logs_byte(at, stop, '`');
	return logs_between(mark ? mark + 1 : at, stop);
}

/* Whether the frame of LLVM FROM to END, whose address ends at AFTER, has the
 * trampoline under the name of its neighbour: " 3  libc.so.6 0x... killpg + 64"
 */
static bool is_llvm_trampoline(const char *from, const char *after,
			       const char *end)
{
	const char *module = logs_gap(logs_decimal(from, end), end);
	const char *name = logs_gap(after, end);
	const char *plus = name ? logs_find(name, end, " + ") : NULL;
	uint64_t offset;

	if (!plus || logs_decimal(plus + 3, end) != end ||
	    !gsym_number(plus + 3, end, 10, &offset, NULL) ||
	    !gsym_logs_is_before_trampoline(logs_between(name, plus), offset))
		return false;
	return module && gsym_logs_is_libc(logs_between(module, after));
}

/* Set RET to what the text AT to END, which follows the address, names: there
 * are several texts for functions that are not known.  Of names only that of a
 * trampoline is kept. */
static void take_name(const char *at, const char *end, struct logs_frame *ret)
{
	static const char *const unknown[] = { "??", "<unknown>", "(unknown)" };
	const struct logs_text name = name_at(at, end);

	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		if (logs_find(at, end, unknown[i]))
			return;
	ret->named = name.size;
	if (logs_is(name, "__restore_rt") || logs_is(name, "_sigtramp"))
		ret->function = name;
	else if (is_llvm_trampoline(ret->start, at, end))
		ret->function = logs_string("__restore_rt");
}

/* Whether FROM, in a line from AT on, is that of the line "PC: @" of glog and
 * Abseil, which the stack follows. */
static bool is_marked(const char *at, const char *from, const char *end)
{
	return from - at >= 4 && logs_word(from - 4, end, "PC: @");
}

/* Whether FROM, in a line from AT on, has "#0 " or another word before an
 * address that is exact.  DIGITS to AFTER is the address.  Chromium, which
 * writes 12 digits and a name, prints a return address behind "#0 ". */
static bool is_exact(const char *at, const char *from, const char *digits,
		     const char *after, const char *end)
{
	const char *text = logs_blanks(after, end);
	uint64_t number;

	if (logs_word(from, end, "at ") || is_marked(at, from, end) ||
	    (logs_word(from, end, "#0: ") && logs_before(at, from, "frame ")))
		return true;
	/* GNU Fortran, cpptrace */
	if (*from == '#' &&
	    (logs_word(text, end, "in ???") ||
	     (after - digits == 18 && ends_with_object(after, end))))
		return true;
	/* VPP prints the stack of its handler. */
	if (logs_word(text, end, "0x") || logs_word(text, end, "from /") ||
	    gsym_logs_hex_before(text, end, &number))
		return false;
	return logs_word(from, end, "#0 ") &&
	       (after - digits != 14 || after == end ||
		logs_word(after, end, " in "));
}

/* Step over the address at DIGITS, which follows FROM: "0x1234", or the 16
 * digits of folly.  NULL if it is not there. */
static const char *address(const char *from, const char *digits,
			   const char *end, struct logs_frame *ret)
{
	const char *after = logs_hex(digits, end, &ret->number);

	ret->called = false;
	if (after || !logs_word(from, end, "@ "))
		return after;
	after = logs_digits(digits, end, &ret->number);
	ret->called = after && after - digits == 16;
	return ret->called ? after : NULL;
}

/* "#9   Object "/src/shapes", at 0x561b9df0b559, in f" of backward-cpp in AT to
 * STOP.  Where there is no name, a blank follows up to END. */
static bool backward(const char *at, const char *stop, const char *end,
		     struct logs_frame *ret)
{
	const char *after, *name;

	for (at = gsym_logs_number(at, stop, &after); at;
	     at = gsym_logs_number(after, stop, &after)) {
		name = logs_word(logs_gap(after, stop), stop, "Object \"");
		name = logs_byte(name, stop, '"');
		name = logs_word(name, stop, "\", at ");
		name = logs_word(logs_hex(name, stop, &ret->number), stop,
				 ", in");
		if (!name)
			continue;
		ret->start = at;
		ret->insert = logs_trim(name, stop);
		ret->resume = end;
		ret->tight = true;
		ret->named = name < ret->insert;
		/* Frame 0 has the address that crashed, or a return address
		 * less 1.  So have the others, but the list is reversed: the
		 * trampoline of a signal comes after the frame that crashed.
		 * With BACKWARD_HAS_BACKTRACE they are return addresses, and
		 * with libunwind the address that crashed is less 1 as well.
		 * So both answers are given where a function begins. */
		ret->returns = !logs_word(at, stop, "#0 ");
		ret->called = ret->returns;
		ret->either = ret->either_start = ret->returns;
		ret->answered = ends_with_place(name, ret->insert);
		return true;
	}
	return false;
}

/* "0x561b9df0b559 - /src/shapes : NAME" of Mono, also behind the header of a
 * line.  A line with the number of a frame before the address is one of Rust or
 * eu-stack. */
static bool mono(const char *at, const char *end, struct logs_frame *ret)
{
	const char *name = gsym_logs_last(at, end, " : "), *dash = name;

	do {
		dash = dash ? gsym_logs_last(at, dash, " - ") : NULL;
		if (!dash)
			return false;
		ret->start = gsym_logs_hex_before(at, dash, &ret->number);
	} while (!ret->start);
	name += strlen(" : ");
	if (!logs_begins(at, ret->start) || ends_with_lead(at, ret->start))
		return false;
	ret->named = !logs_word(name, end, "(null)");
	ret->answered = ends_with_place(name, end);
	return true;
}

/* "#1: geo::each() [0x4014ed]" of Envoy in AT to END; without a name "#2:
 * [0x401343]".  Names lack arguments of templates, so only that of a trampoline
 * is taken. */
static bool envoy(const char *at, const char *end, struct logs_frame *ret)
{
	const char *open = end > at && end[-1] == ']'
				   ? gsym_logs_hex_before(at, end - 1,
							  &ret->number)
				   : NULL;
	const char *after, *name;

	if (!open || open == at || *--open != '[')
		return false;
	/* Other frames may stand before. */
	ret->start = NULL;
	for (at = gsym_logs_number(at, open, &after); at;
	     at = gsym_logs_number(after, open, &after)) {
		name = logs_word(after, open, ": ");
		if (!name || (name < open && open[-1] != ' '))
			continue;
		ret->start = at;
		ret->named = name < open;
		ret->function = logs_word(name, open, "__restore_rt ")
					? logs_between(name, open - 1)
					: logs_between(open, open);
	}
	return ret->start;
}

/* Whether the frame at FROM, in a line from AT on, whose address ends at AFTER,
 * is a stack of a profile of the heap: more addresses follow, or counts stand
 * before, "1: 9 [1: 9] @ 0x7f". */
static bool is_profile(const char *at, const char *from, const char *after,
		       const char *end)
{
	return logs_word(from, end, "@ ") &&
	       (logs_word(logs_gap(after, end), end, "0x") ||
		logs_before(at, from, "] "));
}

/* The start of the first frame from FROM on; DIGITS to AFTER becomes its
 * address.  NULL if there is none. */
static const char *find(const char *from, const char *end,
			struct logs_frame *ret, const char **digits,
			const char **after)
{
	for (; from < end; from++) {
		const char *head = lead(from, end);

		*digits = logs_gap(head ? head : llvm(from, end), end);
		*after = address(from, *digits, end, ret);
		if (*after && *after - *digits >= 8 &&
		    (*after == end || **after == ' ' || **after == ':'))
			return from;
		from = logs_word_end(from, end);
	}
	return NULL;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end), *digits, *after;

	logs_frame_to(end, ret);
	ret->counts_from = LOGS_MEMORY;
	ret->doubtful = ret->returns = true;
	if (mono(at, stop, ret) || backward(at, stop, end, ret) ||
	    envoy(at, stop, ret) || gsym_logs_zephyr(at, stop, ret))
		return true;
	ret->start = find(at, stop, ret, &digits, &after);
	if (!ret->start || is_profile(at, ret->start, after, stop))
		return false;
	ret->marked = is_marked(at, ret->start, stop);
	ret->returns = !is_exact(at, ret->start, digits, after, stop);
	ret->called |= logs_word(ret->start, stop, "by ") != NULL;
	ret->answered = ends_with_place(after, stop);
	take_name(after, stop, ret);
	return true;
}

/* Valgrind may have words and addresses in other text, too: its frames end with
 * a parenthesis. */
static const char *second(const char *at, const char *end)
{
	struct logs_frame frame;
	const char *start = at, *digits, *after;

	at = find(at, end, &frame, &digits, &after);
	while (at && (at = find(after, end, &frame, &digits, &after)))
		if (lead(at, end) &&
		    ((*at != 'a' && *at != 'b') ||
		     logs_before(start, gsym_logs_before_joint(start, at),
				 ")")))
			return at;
	return NULL;
}

static bool frames(const char *at, const char *from, const char *end,
		   struct logs_frame *ret)
{
	return gsym_logs_registers(at, from, logs_trim(at, end), ret);
}

struct memory {
	/* The last exact address, and its line. */
	uint64_t exact, line;
	/* That of a line "PC: @"; 0: it was found in the stack, too. */
	uint64_t marked;
	/* A profile of the heap by jemalloc has begun. */
	bool profile;
};

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	/* The map of memory ends the profile. */
	((struct memory *)memory)->profile = fact->kind == LOGS_OWN;
}

/* Frame 0 of Zephyr on RISC-V is the program counter that the registers before
 * have told, or in older versions a return address. */
static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	enum { MOST_BETWEEN = 32 };
	struct memory *m = (struct memory *)memory;

	if (frame->either && !frame->either_start && m->exact &&
	    frame->line - m->line <= MOST_BETWEEN) {
		frame->either = false;
		frame->returns = frame->number != m->exact;
	} else if (!frame->returns) {
		m->exact = frame->number;
		m->line = frame->line;
		m->marked = frame->marked ? frame->number : 0;
	} else if (m->marked && frame->number == m->marked &&
		   frame->line - m->line <= MOST_BETWEEN) {
		frame->returns = false;
		m->marked = 0;
	}
	/* No code is at 0: a stack of the profile gets no answer. */
	if (m->profile && logs_word(frame->start, frame->insert, "@ "))
		frame->number = 0;
}

/* ---- facts ----------------------------------------------------------- */

/* Step over the rights "r-xp" of memory, and the gap behind them. */
static const char *rights(const char *at, const char *end)
{
	if (!at || end - at < 5 || !memchr("r-", at[0], 2) ||
	    !memchr("w-", at[1], 2) || !memchr("x-", at[2], 2) ||
	    !memchr("ps", at[3], 2))
		return NULL;
	return logs_gap(at + 4, end);
}

/* Step over "7f2db7d39000-7f2db7d40000 ", which has one byte at least. */
static const char *range(const char *at, const char *end, struct logs_fact *ret)
{
	at = logs_digits(at, end, &ret->start);
	at = logs_digits(logs_word(at, end, "-"), end, &ret->last);
	return at && ret->last-- > ret->start ? logs_word(at, end, " ") : NULL;
}

/* Take the file from AT on, if it has a name. */
static void take_file(const char *at, const char *end, struct logs_fact *ret)
{
	if (logs_word(at, end, "/"))
		ret->name = logs_between(at, logs_trim(at, end));
}

/* "7f2db7d39000-7f2db7d40000 r-xp 00000000 fe:00 4065345   /usr/lib/librt.so"
 * from AT on. */
static bool map_at(const char *at, const char *end, struct logs_fact *ret)
{
	const char *stop = rights(range(at, end, ret), end);
	uint64_t number;

	stop = logs_digits(stop, end, &ret->offset);
	stop = logs_word(logs_digits(logs_gap(stop, end), end, &number), end,
			 ":");
	stop = logs_digits(stop, end, &number);
	stop = logs_decimal(logs_gap(stop, end), end);
	take_file(logs_gap(stop, end), end, ret);
	return stop;
}

/* A line of gdb's "info proc mappings" from AT on: start, end, size, offset,
 * and rights, which older versions do not print:
 * "0x7ffff7df6000  0x7ffff7f4c000  0x156000  0x26000  r-xp  /lib/libc.so.6". */
static bool gdb_map_at(const char *at, const char *end, struct logs_fact *ret)
{
	const char *stop = logs_gap(logs_hex(at, end, &ret->start), end);
	const char *path;
	uint64_t size;

	stop = logs_gap(logs_hex(stop, end, &ret->last), end);
	stop = logs_gap(logs_hex(stop, end, &size), end);
	stop = logs_hex(stop, end, &ret->offset);
	if (!stop || ret->last <= ret->start || ret->last - ret->start != size)
		return false;
	ret->last--;
	path = logs_gap(stop, end);
	stop = rights(path, end);
	take_file(stop ? stop : path, end, ret);
	return true;
}

/* "Address mapping: 5c0807cb4000-5c080a96d000 /usr/local/bin/envoy": Envoy
 * writes the first line of its map that has code, without the offset. */
static bool envoy_map(const char *at, const char *end, struct logs_fact *ret)
{
	const char *stop = logs_after(at, end, "Address mapping: ");

	stop = range(stop, end, ret);
	if (!logs_word(stop, end, "/"))
		return false;
	ret->kind = LOGS_MAP_CODE;
	end = logs_trim(stop, end);
	ret->name = logs_between(stop, end);
	/* Text behind the name, perhaps of another line. */
	return logs_word_end(stop, end) == end && !logs_byte(stop, end, '\\');
}

static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	if (logs_word(at, end, "heap_v2/") || envoy_map(at, end, ret))
		return true;
	ret->kind = LOGS_MAP;
	for (const char *from = at; from < end; from++) {
		if (map_at(from, end, ret) || gdb_map_at(from, end, ret))
			return true;
		from = logs_word_end(from, end);
	}
	return false;
}

const struct logs_dialect gsym_logs_maps = {
	.log = GSYM_MARKUP_LOG_MAPS,
	.name = "maps",
	.frame = frame,
	.frames = frames,
	.second = second,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
	.wait = { LOGS_MAP, true },
};
