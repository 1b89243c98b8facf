/* SPDX-License-Identifier: MIT */
/*
 * Backtraces of sanitizers and of LLVM's crash handlers:
 *
 *	#0 0x7f00c9c75581  (/src/libgeo.so+0x2581) (BuildId: 4e5b31cb)
 *	#0 <null> <null> (shapes+0x27f5)
 *	#0 0x7f00c9c75581 in <null> <null>:0:0 (libgeo.so+0x2581)
 *	0 0x7f00c9c75581 (libgeo.so+0x2581)
 *	#0 0x00007f12986b73c6 f(int) (/usr/lib/libLLVM.so+0xeb73c6)
 *
 * The numbers of sanitizers are exact: the sanitizers have subtracted 1 from
 * return addresses.  LLVM's crash handlers print return addresses.
 */
#include "config.h"

#include "logs/scan.h"

/* Step back over "(MODULE+0x1234)", which ends at END; NULL if it is not
 * there. */
static const char *before_module(const char *at, const char *end,
				 struct logs_frame *ret)
{
	const char *open = logs_before(at, end, ")")
				   ? gsym_logs_open_module(at, end)
				   : NULL;

	return open && gsym_logs_function(open + 1, end - 1, &ret->module,
					  &ret->number)
		       ? open
		       : NULL;
}

/* Take ":x86_64h" from the end of the module: the part of a universal file. */
static void cut_architecture(struct logs_text *module)
{
	static const char *const known[] = { ":x86_64h", ":x86_64", ":i386",
					     ":arm64e",	 ":arm64",  ":armv7",
					     ":armv7s",	 ":armv7k", NULL };
	const char *at = module->at, *start;

	/* Nearly all modules end here. */
	if (!memchr(at, ':', module->size))
		return;
	start = logs_before_of(at, at + module->size, known);
	if (start && start > at)
		*module = logs_between(at, start);
}

static const char null[] = "<null>";

/* Step over the text of a function or file that is not known, and the ":0:0"
 * that some formats have behind it for line and column. */
static const char *unknown(const char *at, const char *end)
{
	const char *stop = logs_word(logs_gap(logs_word(at, end, null), end),
				     end, null);
	const char *row = logs_word(stop, end, ":0");

	if (!row)
		return stop;
	return logs_word(row, end, ":0") ? row + 2 : row;
}

/* Step over "0x1234" and the blanks before it. */
static const char *address(const char *after, const char *open,
			   struct logs_frame *ret, bool *padded)
{
	const char *at = logs_blanks(after, open), *digits = at;

	at = logs_hex(at, open, &ret->address);
	*padded = at && at - digits == 18 && !(ret->address >> 52);
	if (at && at < open && *at != ' ' && *at != '(')
		at = NULL;
	return at;
}

/* The first "#N" with an address or "<null>" after it, or else the first "#N"
 * before OPEN that a blank follows.  Of several frames of a line, which end
 * with parentheses, it is that of the last one. */
static const char *find_number(const char *at, const char *open,
			       const char **after)
{
	const char *found = NULL, *found_after = NULL, *from = at;
	bool known = false;

	while ((from = gsym_logs_number(from, open, after))) {
		const char *next = logs_gap(*after, open);
		const bool good = next && (logs_word(next, open, "0x") ||
					   logs_word(next, open, null));

		if ((good &&
		     (!known || logs_before(at, logs_trim(at, from), ")"))) ||
		    (!found && (next || *after == open))) {
			found = from;
			found_after = *after;
			known |= good;
		}
		from = *after;
	}
	*after = found_after;
	return found;
}

/* Step back over the word that ends at END, and the gap after it; NULL if no
 * word ends there. */
static const char *before_word(const char *at, const char *end)
{
	const char *word = logs_trim(at, end);

	if (word == end || word == at)
		return NULL;
	while (!logs_begins(at, word))
		word--;
	return word;
}

/* The start of a frame without "#", as stack_trace_format of the sanitizers may
 * have it: "0 0x1234", "0 in <null> <null>:0:0" or "<null> <null>:0:0" before
 * OPEN.  *AFTER becomes the place after the number, or the start of a frame
 * without number.  NULL if there is none. */
static const char *find_bare(const char *at, const char *open,
			     const char **after)
{
	const char *stop = logs_trim(at, open), *from, *word;
	uint64_t value;

	from = logs_find(at, stop, "<null> <null>:");
	if (from && logs_begins(at, from) && unknown(from, stop) == stop) {
		*after = stop = from;
		word = before_word(at, stop);
		if (word && logs_word(word, stop, "in "))
			*after = from = stop = word;
		word = before_word(at, stop);
		if (word && logs_hex(word, stop, &value))
			*after = from = stop = word;
	} else {
		stop = before_word(at, open);
		from = NULL;
		if (!stop || !logs_word(stop, open, "0x"))
			return NULL;
	}
	word = before_word(at, stop);
	if (!word || logs_trim(word, stop) != logs_decimal(word, stop))
		return from;
	*after = logs_decimal(word, stop);
	return word;
}

/* Set the fields about the text between number and module, which is FROM to
 * OPEN.  False if it cannot be there. */
static bool between(const char *from, const char *open, bool has_address,
		    struct logs_frame *ret)
{
	const char *at = logs_blanks(from, open), *name, *stop, *file;

	ret->number_end = from;
	ret->insert = ret->resume = open;
	if (at == open) {
		ret->insert = from;
		return true;
	}
	stop = logs_trim(at, open);
	name = logs_word(at, open, "in ");
	if (name && name < stop) {
		ret->in = true;
		at = logs_blanks(name, stop);
	} else if (name && has_address) {
		/* The function is not known. */
		ret->in = true;
		ret->insert = name;
		return true;
	}
	if (unknown(at, stop) == stop) {
		ret->insert = at;
		return !has_address || ret->in || stop[-1] == '0';
	}
	/* The function ends with a blank before the parenthesis. */
	if (stop == open)
		return false;
	/* A function that is known, in a file that is not. */
	file = gsym_logs_last(at, stop, " <null>:0:0");
	if (file && file + strlen(" <null>:0:0") == stop) {
		ret->insert = file + 1;
		stop = file;
	}
	ret->function = logs_between(at, stop);
	return ret->function.size && *at != '(';
}

/* A place after the function, which may have parentheses and blanks. */
static bool has_place(struct logs_text function)
{
	const char *end = function.at + function.size, *word = end;

	while (word > function.at && word[-1] != ' ')
		word--;
	if (word == function.at || logs_byte(word, end, ')'))
		return false;
	return gsym_logs_is_place(logs_between(word, end)) ||
	       (logs_byte(word, end, '.') && !logs_byte(word, end, ']'));
}

/* Whether the frame that begins at AT has the number 0, or none: its address
 * may be that of the program counter. */
static bool is_first(const char *at, const char *end)
{
	const char *digits = *at == '#' ? at + 1 : at;
	const char *stop = logs_decimal(digits, end);

	return !stop || *digits == '0' || (stop < end && *stop == 'x');
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end), *open, *after, *from;
	bool padded;

	if (stop == at || stop[-1] != ')')
		return false;
	logs_frame_to(end, ret);
	ret->layout = LOGS_SANITIZER;
	stop = gsym_logs_build_id(at, stop, &ret->build_id);
	open = before_module(at, stop, ret);
	if (!open)
		return false;
	cut_architecture(&ret->module);
	ret->start = find_number(at, open, &after);
	if (!ret->start) {
		ret->start = find_bare(at, open, &after);
		ret->doubtful = true;
	}
	if (!ret->start || *ret->module.at == '[' || *ret->module.at == '<' ||
	    logs_is_summary(ret->start, open))
		return false;
	from = address(after, open, ret, &padded);
	if (!between(from ? from : after, open, from != NULL, ret))
		return false;
	if (ret->function.size)
		ret->answered = has_place(ret->function);
	ret->returns = padded && !ret->in;
	ret->called = !ret->returns && !is_first(ret->start, open);
	return true;
}

const struct logs_dialect gsym_logs_sanitizer = {
	.log = GSYM_MARKUP_LOG_SANITIZER,
	.name = "sanitizer",
	.words = LOGS_WORD_ROUND,
	.frame = frame,
	.second = gsym_logs_second_number,
	.script = LOGS_ASAN_SYMBOLIZE,
};
