/* SPDX-License-Identifier: MIT */
/*
 * Frames that end with a module and an offset, of programs with handlers of
 * their own:
 *
 *	#01: ???[/usr/lib/firefox/libxul.so +0x1234567]		Mozilla
 *	#01: ??? (/usr/lib/firefox/libxul.so + 0x1234567)	fix-stacks
 *	 3  libfoo.so + 0x1234					Breakpad
 *	 3  foo.dll!f + 0x12					with a function
 *	3: main (/usr/bin/prog+0x1234)
 *	0x0000561b9df0b2fe shapes!main(+0x16d)			Unreal Engine
 *	0x0000561b9df0b559 shapes!UnknownFunction(0x1558)
 *	[  1] 0x0000561b9df0b2fe  bin/shapes+00004862 main+00000366	MATLAB
 *	   at shapes!<BaseAddress>+0x1559		NativeAOT of .NET
 *	main+0x16e (0x0000561B9DF0B2FE [shapes+0x12fe])	OpenJ9
 */
#include "config.h"

#include "logs/scan.h"

/* Step over the digits of "#3: ", or unless HASH of "3: "; NULL if they are not
 * at AT. */
static const char *over_number(const char *at, const char *end, bool hash)
{
	const char *marked = logs_word(at, end, "#");
	const char *after = NULL;

	if (marked || !hash)
		after = logs_decimal(marked ? marked : at, end);
	if (!after || after == end)
		return NULL;
	/* A colon, which is not that of a time of day; or after "#3" a
	 * blank. */
	if (*after == ':' && (after + 1 == end || !logs_is_digit(after[1])))
		return after;
	return marked && *after == ' ' ? after : NULL;
}

/* The start of "#3: " or "3: " before END, at AT or after a blank; *AFTER is
 * the place after its digits.  HASH: the "#" has to be there. */
static const char *numbered(const char *at, const char *end, bool hash,
			    const char **after)
{
	for (const char *from = at; from < end; from++)
		if (logs_begins(at, from) &&
		    (*after = over_number(from, end, hash)))
			return from;
	return NULL;
}

/* A frame that ends with "0x1234)" or "0x1234]": the text from AT to END, where
 * the number begins, and its value. */
struct bracketed {
	const char *at, *number, *end;
	uint64_t value;
};

/* Clear RET, whose answer goes to the place INSERT as before, and give it the
 * number of B. */
static void begin(const struct bracketed *b, struct logs_frame *ret)
{
	logs_frame_to(ret->insert, ret);
	ret->number = b->value;
}

/* Step back over "[MODULE +0x1234]", or over " (MODULE + 0x1234)" as fix-stacks
 * writes frames without symbols; NULL if B does not end so. */
static const char *mozilla_module(const struct bracketed *b,
				  struct logs_frame *ret)
{
	const bool fixed = b->end[-1] == ')';
	const char *at = b->at, *open;
	const char *plus = logs_before(at, b->number, fixed ? " + " : " +");

	if (!plus)
		return NULL;
	open = gsym_logs_open_module(at, b->end);
	if (!open || open + 1 >= plus)
		return NULL;
	begin(b, ret);
	ret->module = logs_between(open + 1, plus);
	return open;
}

static bool mozilla(const struct bracketed *b, struct logs_frame *ret)
{
	const char *open = mozilla_module(b, ret), *after, *stop;

	ret->start = open ? numbered(b->at, open, true, &after) : NULL;
	if (!ret->start || *after != ':')
		return false;
	after = logs_blanks(after + 1, open);
	stop = logs_trim(after, open);
	if (stop - after != 3 || memcmp(after, "???", 3) != 0)
		ret->function = logs_between(after, stop);
	ret->counts_from = LOGS_MAPPED;
	ret->returns = true;
	return true;
}

/* Take the function from the module "foo.dll!f", from whose start the number
 * counts. */
static void split_function(struct logs_frame *ret)
{
	const char *at = ret->module.at, *end = at + ret->module.size;
	const char *mark = memchr(at, '!', ret->module.size);

	if (!mark)
		return;
	ret->module = logs_between(at, mark);
	ret->function = logs_between(mark + 1, end);
	ret->counts_from = LOGS_FUNCTION;
	ret->alone = true;
}

/* The module may have blanks, but no two in a row. */
static bool breakpad(const char *at, const char *end, struct logs_frame *ret)
{
	uint64_t value;
	const char *plus = gsym_logs_hex_before(at, end, &value);
	const char *name, *number;

	plus = plus ? logs_before(at, plus, " + ") : NULL;
	name = plus ? gsym_logs_last(at, plus, "  ") : NULL;
	if (!name)
		return false;
	logs_frame_to(ret->insert, ret);
	ret->number = value;
	number = logs_before_decimal(at, name);
	ret->module = logs_between(name + 2, plus);
	ret->counts_from = LOGS_MAPPED;
	split_function(ret);
	if (number == name || !logs_begins(at, number) ||
	    !ret->module.size ||
	    (ret->counts_from == LOGS_FUNCTION && !ret->function.size))
		return false;
	ret->start = number;
	ret->doubtful = number - at > 1;
	/* Breakpad prints return addresses, rust-minidump the bytes before
	 * them: the byte before either belongs to the call. */
	ret->returns = name - number != 1 || *number != '0';
	ret->called = ret->returns;
	return true;
}

/* "3: f (/usr/bin/prog+0x1234)", "#3 [prog+0x1234]", "#3: f+0x8 (prog+0x12)" */
static bool own(const struct bracketed *b, struct logs_frame *ret)
{
	const char *at = b->at, *plus = b->number, *open, *after, *stop;
	uint64_t page;

	if (plus == at || *--plus != '+')
		return false;
	begin(b, ret);
	open = gsym_logs_open_module(at, b->end);
	if (!open || ++open == plus || *open == '[' || *open == '<')
		return false;
	/* Couchbase has an address there, and the module before. */
	if (logs_hex(open, plus, &page) == plus)
		return false;
	ret->start = numbered(at, open - 1, false, &after);
	if (!ret->start || logs_is_summary(ret->start, open))
		return false;
	/* Several frames of a sanitizer, whose numbers are less 1. */
	if (logs_word(logs_gap(after, open), open, "0x") &&
	    logs_byte(after, open, ')'))
		return false;
	/* Zephyr has a function there. */
	if (gsym_logs_zephyr(at, b->end, &(struct logs_frame){ 0 }))
		return false;
	ret->module = logs_between(open, plus);
	after += *after == ':';
	stop = logs_trim(after, open - 1);
	ret->placed = gsym_logs_function(logs_blanks(after, stop), stop,
					 &ret->function, &ret->offset);
	ret->returns = true;
	ret->doubtful = true;
	return true;
}

/* OpenJ9: AT to END is "NAME (0xADDRESS [MODULE+0x12])", where NAME may be
 * missing. */
static bool openj9(const char *at, const char *end, struct logs_frame *ret)
{
	const char *plus, *open, *stop, *name;

	logs_frame_to(ret->insert, ret);
	plus = gsym_logs_hex_before(at, end - 2, &ret->number);
	open = plus ? gsym_logs_open_module(at, end - 1) : NULL;
	stop = open ? logs_trim(at, open) : NULL;
	name = stop ? gsym_logs_hex_before(at, stop, &ret->address) : NULL;
	if (!name || stop == open || plus[-1] != '+' || open + 1 >= plus - 1 ||
	    name == at || *--name != '(' || !logs_begins(at, name))
		return false;
	ret->module = logs_between(open + 1, plus - 1);
	ret->counts_from = LOGS_MAPPED;
	ret->returns = true;
	ret->start = name;
	if (name == at)
		return true;
	stop = name - 1;
	for (name = stop; !logs_begins(at, name);)
		name--;
	ret->placed =
		gsym_logs_function(name, stop, &ret->function, &ret->offset);
	if (ret->placed)
		ret->start = name;
	return true;
}

/* Unreal Engine prints return addresses, and numbers less 1.  The first frame
 * of a crash has the address itself in both places.  Where a function stands
 * the symbols tell which of both the frame has (stacks/address.c). */
static bool unreal(const struct bracketed *b, struct logs_frame *ret)
{
	enum { PAGE = 4096 };
	static const char unknown[] = "UnknownFunction";
	const char *at = b->at, *open = b->number;
	const bool placed = open > at && open[-1] == '+';
	const char *name, *mark, *module;

	open -= placed;
	if (b->end[-1] != ')' || open == at || *--open != '(')
		return false;
	begin(b, ret);
	for (mark = open; mark > at && mark[-1] != ' ' && *mark != '!';)
		mark--;
	for (module = mark; module > at && module[-1] != ' ';)
		module--;
	name = module - at > 18 ? module - 1 - 18 : NULL;
	if (*mark != '!' || module == mark || mark + 1 == open ||
	    logs_hex(name, module, &ret->address) != module - 1 ||
	    !logs_begins(at, name))
		return false;
	ret->start = name;
	ret->module = logs_between(module, mark);
	ret->function = logs_between(mark + 1, open);
	ret->called = placed || (ret->address - ret->number) % PAGE;
	ret->address -= placed;
	ret->counts_from = placed ? LOGS_FUNCTION : LOGS_MAPPED;
	if (!placed && !logs_is(ret->function, unknown))
		return false;
	if (!placed)
		ret->function.size = 0;
	return true;
}

/* Step over "+" and 8 to 16 decimal digits, which END or a blank follows; RET
 * becomes their value. */
static const char *decimal_sum(const char *at, const char *end, uint64_t *ret)
{
	const char *digits = logs_word(at, end, "+");
	const char *stop = logs_decimal(digits, end);

	if (!stop || stop - digits < 8 || stop - digits > 16 ||
	    (stop < end && *stop != ' '))
		return NULL;
	gsym_number(digits, stop, 10, ret, NULL);
	return stop;
}

/* The first "+" of such a sum in AT to END; *AFTER becomes the place after it.
 * NULL if there is none. */
static const char *find_sum(const char *at, const char *end, uint64_t *ret,
			    const char **after)
{
	while ((at = logs_byte(at, end, '+')) &&
	       !(*after = decimal_sum(at, end, ret)))
		at++;
	return at;
}

/* The start of "[  1] 0x0000561b9df0b2fe " in AT to END; *NAME becomes the
 * place after its blanks.  NULL if it is not there. */
static const char *matlab_head(const char *at, const char *end,
			       const char **name, struct logs_frame *ret)
{
	const char *mark = logs_find(at, end, "] 0x"), *stop;
	const char *open = mark ? logs_before_decimal(at, mark) : NULL;

	if (open == mark)
		return NULL;
	logs_frame_to(ret->insert, ret);
	/* Frame 0 of a fault is exact, that of other stacks is not. */
	ret->either = mark - open == 1 && *open == '0';
	open = logs_trim(at, open);
	stop = logs_hex(mark + 2, end, &ret->address);
	*name = stop && stop - mark == 2 + 18 ? logs_gap(stop, end) : NULL;
	return *name && open > at && open[-1] == '[' ? open - 1 : NULL;
}

/* MATLAB.  Its names have the offset from the dynamic symbol before. */
static bool matlab(const char *at, const char *end, struct logs_frame *ret)
{
	const char *name, *plus, *after, *rest, *stop;

	ret->start = matlab_head(at, end, &name, ret);
	plus = ret->start ? find_sum(name, end, &ret->number, &after) : NULL;
	if (!plus || plus == name || *name == '<')
		return false;
	ret->module = logs_between(name, plus);
	ret->counts_from = LOGS_MAPPED;
	ret->returns = true;
	rest = logs_blanks(after, end);
	plus = find_sum(rest, end, &ret->offset, &stop);
	ret->placed = plus && plus > rest;
	if (ret->placed)
		ret->function = logs_between(rest, plus);
	ret->answered = (ret->placed ? stop : rest) < end;
	return true;
}

static const char native_aot_base[] = "!<BaseAddress>+";

/* NativeAOT.  AT to END ends with the number. */
static bool native_aot(const char *at, const char *end, struct logs_frame *ret)
{
	static const char sign[] = "at ";
	uint64_t number;
	const char *plus = gsym_logs_hex_before(at, end, &number);
	const char *mark = plus ? logs_before(at, plus, native_aot_base) : NULL;
	const char *start = mark ? gsym_logs_last(at, mark, sign) : NULL;

	if (!start || !logs_begins(at, start))
		return false;
	logs_frame_to(ret->insert, ret);
	ret->number = number;
	ret->start = start;
	ret->module = logs_between(start + strlen(sign), mark);
	ret->counts_from = LOGS_MAPPED;
	ret->returns = true;
	return ret->module.size > 0;
}

struct memory {
	/* The number of the last line with a frame of NativeAOT or OpenJ9; 0 if
	 * there was none. */
	uint64_t line;
	/* That line has more than one frame: a whole stack. */
	bool joined;
};

/* The first frame of NativeAOT has the program counter itself if a null pointer
 * was followed there, and a return address if an exception was thrown.  The
 * first frame of OpenJ9 has the program counter in the stack of a crash, and a
 * return address in a javacore.
 *
 * A frame of NativeAOT or OpenJ9 is the first of its stack if no other one
 * stands in the same line or in the line before; a line with a whole stack ends
 * that stack.  NativeAOT is recognised by the text behind the module, and
 * OpenJ9 by the brackets at the end of the frame. */
static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	struct memory *m = (struct memory *)memory;
	const struct logs_text name = frame->module;

	if (!name.size ||
	    !(logs_word(name.at + name.size, frame->insert, native_aot_base) ||
	      logs_before(frame->start, frame->insert, "])")))
		return;
	frame->either = m->line != frame->line &&
			(!m->line || m->joined || m->line + 1 != frame->line);
	m->joined = m->line == frame->line;
	m->line = frame->line;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	struct bracketed b = { .at = at, .end = logs_trim(at, end) };

	if (b.end == at)
		return false;
	/* Each of these clears RET once the line looks like its frame. */
	ret->insert = end;
	if (matlab(at, b.end, ret) || native_aot(at, b.end, ret))
		return true;
	if (logs_before(at, b.end, "])"))
		return openj9(at, b.end, ret);
	if (b.end[-1] != ')' && b.end[-1] != ']')
		return breakpad(at, b.end, ret);
	b.number = gsym_logs_hex_before(at, b.end - 1, &b.value);
	return b.number &&
	       (unreal(&b, ret) || mozilla(&b, ret) || own(&b, ret));
}

static const char *second(const char *at, const char *end)
{
	for (const char *from = at; from < end; from++) {
		const char *next = *from == ')' || *from == ']'
					   ? logs_joint(from + 1, end)
					   : NULL;

		if (next && over_number(next, end, false))
			return next;
	}
	return NULL;
}

const struct logs_dialect gsym_logs_generic = {
	.log = GSYM_MARKUP_LOG_GENERIC,
	.name = "generic",
	.words = LOGS_WORDS_UNSIZED | LOGS_WORD_SUM |
		 LOGS_WORD_UNKNOWN_FUNCTION | LOGS_WORD_MATLAB,
	.frame = frame,
	.second = second,
	.adapt = adapt,
	.placed = true,
};
