/* SPDX-License-Identifier: MIT */
/*
 * Lines of glibc's backtrace_symbols and backtrace_symbols_fd, which differ in
 * the blank before the bracket:
 *
 *	/src/shapes(+0x1520)[0x561b9df0b520]
 *	/src/libgeo.so(_ZNK3geo5Shape4areaEm+0x3) [0x7fe247f82103]
 *	/src/shapes[0x401560]
 *	 2: (LogMonitor::tick()+0x25) [0x561b9df0b559]		Ceph
 *	libc_sigaction.c:0(__restore_rt)[0x7faee325a050]	MariaDB
 *	Binary file "/bin/python3", at f+0x25 [0x5b27f7d85cbd]	Python 3.14
 *	/src/shapes (0x561b9df0a000+0x1559) [0x561b9df0b559]	X.Org
 *	/src/shapes (?+0x0) [0x561b9df0b559]			X.Org
 *	/src/shapes(0x1559) [0x561b9df0b559]			Ruby
 *	[1] /src/shapes(+0x1559) [0x561b9df0b559] (??:0)	Godot
 *	#1   /src/shapes(+0x1559) [0x561b9df0b559] ??	??:0	RocksDB
 *	/src/shapes(+0x1559) [0x561b9df0b559] ray::f<>()	Ray
 *	redis-server *:6379(+0x1559)[0x561b9df0b559]		Redis
 *	#3  /src/shapes() [0x561b9df0a000+0x1559]		Couchbase
 *	0x201559 <main+0x16> at /src/shapes			libexecinfo
 *
 * They are return addresses, but for two.  catchsegv begins the stack with the
 * instruction that crashed, which its line "RIP: 0000561b9df0b559   EFLAGS: "
 * has, too.  Pharo marks it with a star before the path.
 */
#include "config.h"

#include "logs/scan.h"

#include "base/system.h"

static bool is_bracket(char c)
{
	return c == '[' || c == ']' || c == '(' || c == ')';
}

static bool is_path(const char *at, const char *end)
{
	return logs_word(at, end, "/") || logs_word(at, end, "./") ||
	       logs_word(at, end, "../");
}

/* The start of the path that ends at END: after the last blank that "/", "./"
 * or "../" follows, because programs may put blanks into their names; else
 * after the last blank. */
static const char *path_start(const char *at, const char *end)
{
	const char *word = NULL, *from = end;

	while (from > at && !is_bracket(from[-1])) {
		from--;
		if (!logs_begins(at, from) && !is_bracket(from[-1]))
			continue;
		if (is_path(from, end))
			return from;
		if (!word)
			word = from;
	}
	return word ? word : from;
}

/* A program may write over its name, which glibc prints.  PostgreSQL shows
 * there what it does: "postgres: alice db [local] SELECT(+0x10)[0x20]".
 * Returns the start of such a name in AT to END; NULL if there is none. */
static const char *postgres(const char *at, const char *end)
{
	const char *found = logs_find(at, end, "postgres: ");

	return found && logs_begins(at, found) ? found : NULL;
}

/* X.Org has the first page of the module, or "?", where it knows no function.
 * False if RET has another text. */
static bool xorg(struct logs_frame *ret)
{
	const char *at = ret->function.at, *end = at + ret->function.size;
	uint64_t base;

	if (logs_is(ret->function, "?")) {
		ret->function.size = 0;
		ret->counts_from = LOGS_FUNCTION;
		return true;
	}
	if (logs_hex(at, end, &base) != end ||
	    base + ret->number != ret->address)
		return false;
	/* A program that cannot be moved counts from 0. */
	if (base >> 32 == 0)
		ret->number = ret->address;
	ret->function.size = 0;
	ret->counts_from = LOGS_LINKED;
	return true;
}

/* Redis writes over its name: "redis-server 127.0.0.1:6379 [cluster]".  The end
 * of its name in AT to END, which may be END. */
static const char *redis_name(const char *at, const char *end)
{
	const char *stop = end, *digits;

	if (stop > at && stop[-1] == ']') {
		stop = gsym_logs_last(at, stop, " [");
		if (!stop)
			return end;
	}
	digits = logs_before_decimal(at, stop);
	if (digits == stop || digits == at || digits[-1] != ':')
		return end;
	while (digits > at && digits[-1] != ' ')
		digits--;
	return digits > at + 1 ? digits - 1 : end;
}

/* The text in the parentheses: nothing, "0x10", "+0x10", "f+0x10" or
 * "f-0x10". */
static bool inside(const char *at, const char *end, struct logs_frame *ret)
{
	const char *digits = gsym_logs_hex_before(at, end, &ret->number);

	if (at == end) {
		ret->number = ret->address;
		ret->fixed = true;
		/* Chromium writes functions in this form, "f() [0x10]". */
		ret->doubtful = true;
		return true;
	}
	/* MariaDB has found the place itself.  The frame says what the next
	 * address is. */
	if (!digits && logs_word(at, end, "__restore_rt") == end) {
		ret->number = ret->address;
		ret->function = logs_between(at, end);
		ret->answered = true;
		return true;
	}
	/* Ruby with musl writes the address in memory in place of the number if
	 * it does not know where the module lies. */
	if (digits == at) {
		ret->fixed = ret->number == ret->address;
		return true;
	}
	/* printf's "%#tx" writes 0 so. */
	if (!digits && logs_before(at, end, "+0")) {
		digits = end - 1;
		ret->number = 0;
	}
	if (!digits || (digits[-1] != '+' && digits[-1] != '-'))
		return false;
	if (digits[-1] == '-')
		ret->number = 0 - ret->number;
	ret->function = logs_between(at, digits - 1);
	if (ret->function.size && !xorg(ret))
		ret->counts_from = LOGS_FUNCTION;
	return true;
}

/* Ceph leaves the module out where there is a function: " 2: (f()+0x25) [0x1]".
 * OPEN is the parenthesis. */
static bool ceph(const char *at, const char *open, struct logs_frame *ret)
{
	const char *colon = logs_before(at, open, ": "), *digits;

	if (!colon || colon == at)
		return false;
	digits = logs_before_decimal(at, colon);
	ret->start = digits;
	ret->module = logs_between(open, open);
	ret->doubtful = true;
	return digits < colon && logs_begins(at, digits);
}

/* What Python has before " [0x561b9df0b559]", which is AT to END: its numbers
 * are those of glibc. */
static bool python(const char *at, const char *end, struct logs_frame *ret)
{
	static const char word[] = "Binary file \"", sign[] = "\", at ";
	const char *start = logs_find(at, end, word);
	const char *path = logs_word(start, end, word);
	const char *quote = logs_find(path, end, sign);
	const char *name = logs_word(quote, end, sign);

	if (!name || quote == path || name == end || !inside(name, end, ret))
		return false;
	ret->start = start;
	ret->module = logs_between(path, quote);
	return !logs_byte(name, end, ' ');
}

/* Step back over "[0x561b9df0b559]", or Couchbase's
 * "[0x561b9df0a000+0x1559]", which has the first page of the module and the
 * distance to it.  *DISTANCE is 0 if there is none.  NULL if it does not end at
 * END. */
static const char *address(const char *at, const char *end, uint64_t *distance,
			   struct logs_frame *ret)
{
	const char *open = gsym_logs_hex_before(at, end - 1, &ret->address);

	*distance = 0;
	if (open && open > at && open[-1] == '+') {
		*distance = ret->address;
		open = gsym_logs_hex_before(at, open - 1, &ret->address);
		ret->address += *distance;
	}
	return open && open - at >= 2 && open[-1] == '[' ? open - 1 : NULL;
}

/* Make RET a frame of Couchbase, DISTANCE bytes from the first page. */
static void count_from_page(uint64_t distance, struct logs_frame *ret)
{
	ret->placed = ret->counts_from == LOGS_FUNCTION;
	ret->offset = ret->number;
	ret->number = distance;
	ret->counts_from = LOGS_MAPPED;
	ret->fixed = ret->doubtful = false;
}

/* Whether "#1: " stands before FROM. */
static bool is_envoy(const char *at, const char *from)
{
	const char *colon = logs_before(at, from, ": ");

	return colon && logs_before(at, logs_before_decimal(at, colon), "#");
}

/* libexecinfo, the library of BSD systems. */
static bool execinfo(const char *at, const char *end, struct logs_frame *ret)
{
	static const char sign[] = "> at ";
	const char *close = gsym_logs_last(at, end, sign), *open, *digits;

	open = close ? memrchr(at, '<', (size_t)(close - at)) : NULL;
	if (!open || open == at || close + strlen(sign) == end ||
	    !is_path(close + strlen(sign), end))
		return false;
	ret->start = gsym_logs_hex_before(at, open - 1, &ret->address);
	if (!ret->start || open[-1] != ' ' || !logs_begins(at, ret->start))
		return false;
	ret->module = logs_between(close + strlen(sign), end);
	ret->answered = gsym_logs_answer(close, end) != NULL;
	ret->function = logs_between(++open, close);
	ret->returns = true;
	if (logs_is(ret->function, "???")) {
		ret->function.size = 0;
		/* The address tells no distance from a linked one. */
		ret->number = ret->address;
		ret->address = 0;
		ret->fixed = true;
		return true;
	}
	digits = gsym_logs_hex_before(open, close, &ret->number);
	if (digits && digits > open && digits[-1] == '+')
		ret->function = logs_between(open, digits - 1);
	else
		ret->number = 0;
	ret->counts_from = LOGS_FUNCTION;
	return ret->function.size > 0;
}

static bool has_path(const struct logs_frame *frame)
{
	return memchr(frame->module.at, '/', frame->module.size);
}

/* Set start and module of RET, whose number stands behind the module, which
 * ends at OPEN in a line from AT on.  Some programs write a name of their own
 * in place of the module's. */
static void find_module(const char *at, const char *open,
			struct logs_frame *ret)
{
	ret->start = path_start(at, open);
	/* X.Org has a blank there. */
	ret->module = logs_between(ret->start, logs_trim(ret->start, open));
	if (!has_path(ret) && postgres(at, open)) {
		ret->start = postgres(at, open);
		ret->module = logs_between(ret->start,
					   ret->start + strlen("postgres"));
	}
	if (!has_path(ret) && redis_name(at, open) < open) {
		open = redis_name(at, open);
		ret->start = path_start(at, open);
		ret->module = logs_between(ret->start, open);
	}
	/* Pharo marks the instruction that crashed. */
	if (logs_word(ret->start, open, "*/")) {
		ret->module = logs_between(ret->module.at + 1,
					   ret->module.at + ret->module.size);
		ret->returns = false;
	}
	if (has_path(ret))
		ret->doubtful = false;
}

/* Whether AT to END is a text that a program writes behind each frame and that
 * is no answer.  Godot and RocksDB write the output of an addr2line that found
 * nothing.  Ray writes the name of a function,
 * "a::(anonymous namespace)::f()". */
static bool is_tail(const char *at, const char *end)
{
	static const char anonymous[] = "(anonymous namespace)";
	static const char *const unknown[] = { "(??:0)",   "??\t??:0",
					       "??\t??:?", "?? ??:0",
					       "?? ??:?",  NULL };

	if (logs_is_of(logs_between(at, end), unknown))
		return true;
	/* Without "()" it may be the answer of an earlier run. */
	if (!logs_before(at, end, "()"))
		return false;
	for (; at < end; at++) {
		if (logs_word(at, end, anonymous))
			at += strlen(anonymous) - 1;
		else if (memchr(" /\t", *at, 3))
			return false;
	}
	return true;
}

/* A frame that is AT to STOP; its answer goes to END. */
static bool frame_to(const char *at, const char *stop, const char *end,
		     struct logs_frame *ret)
{
	const char *open;
	struct logs_frame other;
	uint64_t distance;

	if (stop == at)
		return false;
	logs_frame_to(end, ret);
	if (stop[-1] != ']')
		return execinfo(at, stop, ret);
	ret->returns = true;
	open = address(at, stop, &distance, ret);
	if (!open)
		return false;
	stop = open[-1] == ' ' ? open - 1 : open;
	if (stop > at && stop[-1] == ')') {
		open = gsym_logs_open(at, stop);
		if (!open || !inside(open + 1, stop - 1, ret))
			return false;
	} else if (stop == open) {
		ret->number = ret->address;
		ret->fixed = true;
		/* Such a text may be anything, as in "array[0x10]". */
		ret->doubtful = true;
	} else {
		return python(at, stop, ret);
	}
	if (distance)
		count_from_page(distance, ret);
	if (ret->counts_from == LOGS_FUNCTION && ceph(at, open, ret))
		return true;
	find_module(at, open, ret);
	/* strace has numbers of another kind; Envoy has functions there. */
	return ret->module.size && *ret->module.at != ' ' &&
	       !is_envoy(at, ret->start) &&
	       !gsym_logs_strace.frame(at, end, &other);
}

/* DPDK has brackets around a frame. */
static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end);
	const char *tail = gsym_logs_last(at, stop, "] ");

	if (tail && is_tail(tail + 2, stop))
		return frame_to(at, tail + 1, end, ret) && has_path(ret);
	if (!logs_before(at, stop, "]]"))
		return frame_to(at, stop, end, ret);
	stop--;
	return frame_to(at, stop, stop, ret) && ret->start > at &&
	       ret->start[-1] == '[';
}

/* " RIP: 0000561b9df0b559   EFLAGS: 00010206" of catchsegv; "EIP: " with 8
 * digits in 32 bits. */
static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	const char *digits = logs_after(at, end, "IP: ");
	const char *stop = logs_digits(digits, end, &ret->number);

	return stop && logs_word(stop, end, "   EFLAGS: ") && ret->number;
}

struct memory {
	/* The address of the instruction that crashed, which the next stack
	 * begins with; 0: the log has not told it. */
	uint64_t crashed;
};

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	((struct memory *)memory)->crashed = fact->number;
}

static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	struct memory *m = (struct memory *)memory;

	if (m->crashed && frame->address == m->crashed)
		frame->returns = false;
	m->crashed = 0;
}

const struct logs_dialect gsym_logs_glibc = {
	.log = GSYM_MARKUP_LOG_GLIBC,
	.name = "glibc",
	.words = LOGS_WORD_BRACKET | LOGS_WORD_CRASHED | LOGS_WORD_IMAGE,
	.frame = frame,
	.second = gsym_logs_second_bracket,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
	.placed = true,
};
