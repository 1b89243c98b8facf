/* SPDX-License-Identifier: MIT */
/*
 * Frames of WebAssembly modules in stacks of browsers and of Node:
 *
 *	    at middle (wasm://wasm/prog.wasm-0133c842:wasm-function[3]:0xac)
 *	    at https://a.example/prog.wasm:wasm-function[2]:0x6a
 *	middle@https://a.example/prog.wasm?v=3:wasm-function[3]:0xac	Firefox
 *
 * and of wasmtime, which knows no URL, but the module's own name:
 *
 *	    1:     0x9c - prog.wasm!middle
 *
 * The number is the offset of an instruction in the module: of a call, or of
 * the one that failed.
 */
#include "config.h"

#include "logs/scan.h"

#include "base/system.h"

static const char word[] = ":wasm-function[";

/* The start of the URL that ends at END: after a blank, a bracket, or the "@"
 * behind a name. */
static const char *url_start(const char *at, const char *end)
{
	while (end > at && !memchr(" \t(@", end[-1], 4))
		end--;
	return end;
}

/* The module that the URL AT to END names: the last part of its path.  V8 adds
 * a hash to a name of its own. */
static struct logs_text module_of(const char *at, const char *end)
{
	enum { HASH = 1 + 8 };
	const char *query = logs_byte(at, end, '?'), *slash, *hash;
	uint64_t value;

	end = query ? query : end;
	slash = memrchr(at, '/', (size_t)(end - at));
	slash = slash ? slash + 1 : at;
	hash = end - slash > HASH ? end - HASH : end;
	if (logs_word(at, end, "wasm://") && hash < end && *hash == '-' &&
	    logs_digits(hash + 1, end, &value) == end)
		end = hash;
	return logs_between(slash, end);
}

/* The start of the frame whose URL begins at URL: "at " or the name before it,
 * in a line from AT on. */
static const char *frame_start(const char *at, const char *url)
{
	const char *start = gsym_logs_last(at, url, "at ");

	if (start && logs_begins(at, start))
		return start;
	while (!logs_begins(at, url))
		url--;
	return url;
}

/* The first frame in AT to END; *AFTER becomes its end. */
static bool find(const char *at, const char *end, const char **after,
		 struct logs_frame *ret)
{
	const char *found = at, *stop, *url;

	for (; (found = logs_find(found, end, word)); found++) {
		stop = logs_decimal(found + strlen(word), end);
		stop = logs_hex(logs_word(stop, end, "]:"), end, &ret->number);
		if (!stop)
			continue;
		url = url_start(at, found);
		ret->start = frame_start(at, url);
		ret->module = module_of(url, found);
		*after = stop + (logs_word(stop, end, ")") != NULL);
		return ret->module.size > 0;
	}
	return false;
}

/* wasmtime */
static bool numbered(const char *at, const char *end, struct logs_frame *ret)
{
	static const char suffix[] = ".wasm!", dash[] = " - ";
	const char *mark = logs_find(at, end, suffix);
	const char *name = mark ? gsym_logs_last(at, mark, dash) : NULL;
	const char *digits = NULL, *colon;

	if (name)
		digits = gsym_logs_hex_before(at, name, &ret->number);
	colon = digits ? logs_before(at, logs_trim(at, digits), ":") : NULL;
	ret->start = colon ? logs_before_decimal(at, colon) : NULL;
	if (ret->start == colon || !logs_begins(at, ret->start))
		return false;
	name += strlen(dash);
	ret->module = logs_between(name, mark + strlen(suffix) - 1);
	ret->counts_from = LOGS_OFFSET;
	ret->answered = gsym_logs_answer(mark, end) != NULL;
	return true;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *after, *stop = logs_trim(at, end);

	if (!logs_find(at, stop, "wasm"))
		return false;
	logs_frame_to(end, ret);
	if (numbered(at, stop, ret))
		return true;
	if (!find(at, stop, &after, ret))
		return false;
	ret->insert = ret->resume = after;
	ret->counts_from = LOGS_OFFSET;
	/* A hash alone, which is no name. */
	ret->doubtful = !memchr(ret->module.at, '.', ret->module.size);
	ret->answered = gsym_logs_answer(after, stop) != NULL;
	return true;
}

static const char *second(const char *at, const char *end)
{
	struct logs_frame frame;
	const char *after, *found;

	if (!find(at, end, &after, &frame))
		return NULL;
	found = logs_find(after, end, word);
	return found ? frame_start(after, url_start(after, found)) : NULL;
}

const struct logs_dialect gsym_logs_wasm = {
	.log = GSYM_MARKUP_LOG_WASM,
	.name = "wasm",
	.words = LOGS_WORD_WASM,
	.frame = frame,
	.second = second,
};
