/* SPDX-License-Identifier: MIT */
/*
 * Android's backtraces, as libunwindstack prints them:
 *
 *	#01 pc 00000000000043ec  /data/app/base.apk!libfoo.so (offset 0x2a4000)
 *	(deliver+16) (BuildId: 0186b798)
 *	#00 pc 0000000000002a29  /data/app/libbar.so (offset 0x1000)
 *
 * as ART prints them for a thread that hangs, and as the consoles of
 * Crashlytics, Google Play and Bugly do:
 *
 *	native: #00 pc 00000000000043ec  /data/app/libfoo.so (???)
 *	#04 pc 0x43ec libfoo.so (deliver + 16) (BuildId: 0186b798)
 *	#05 pc 0x43ec base.apk + 2768896 (BuildId: 0186b798)
 *	#00 pc 00000000000043ec /data/app/libfoo.so (deliver+16)
 *	[arm64-v8a::4a1c2f]
 */
#include "config.h"

#include "logs/scan.h"

#include "base/system.h"

/* Where the frame with the "pc " at PC begins: at "#NN" before it, or, as in
 * reports of the Play console, at "native:".  NULL: it is no frame's. */
static const char *start_of(const char *at, const char *pc)
{
	const char *native = logs_before(at, pc, "native: ");
	const char *stop = logs_trim(at, pc);
	const char *digits = logs_before_decimal(at, stop);

	if (native || stop == pc)
		return native;
	return digits < stop && digits > at && digits[-1] == '#' &&
			       logs_begins(at, digits - 1)
		       ? digits - 1
		       : NULL;
}

/* The blank behind the first " pc" of a frame in AT to END; *HASH becomes the
 * start of the frame. */
static const char *find_pc(const char *at, const char *end, const char **hash)
{
	const char *pc = at;

	while ((pc = logs_find(pc, end, "pc "))) {
		*hash = start_of(at, pc);
		pc += strlen("pc");
		if (*hash)
			return pc;
	}
	return NULL;
}

/* Step over 8 or 16 digits, the number of RET, or over "0x" and any number of
 * digits. */
static const char *pc(const char *at, const char *end, struct logs_frame *ret)
{
	const char *prefixed = logs_word(at, end, "0x");
	const char *start = prefixed ? prefixed : at;

	at = logs_digits(start, end, &ret->number);
	if (!at)
		return NULL;
	ret->thumb = at - start == 8;
	return prefixed || ret->thumb || at - start == 16 ? at : NULL;
}

/* Step back over WORD and a decimal number behind it, if they end at END;
 * *VALUE is the number.  NULL if something else does. */
static const char *before_decimal(const char *at, const char *end,
				  const char *word, uint64_t *value)
{
	enum { MOST_DIGITS = 10 };
	const char *digits = logs_before_decimal(at, end);
	const char *start = logs_before(at, digits, word);

	*value = 0;
	if (!start || digits == end || end - digits > MOST_DIGITS)
		return NULL;
	gsym_number(digits, end, 10, value, NULL);
	return start;
}

/* Step back over " (offset 0x2a4000)" or " + 2768896", if it ends at END; else
 * *VALUE is 0. */
static const char *before_offset(const char *at, const char *end,
				 uint64_t *value)
{
	const char *start = before_decimal(at, end, " + ", value);

	if (start)
		return start;
	if (end > at && end[-1] == ')')
		start = gsym_logs_hex_before(at, end - 1, value);
	start = start ? logs_before(at, start, " (offset ") : NULL;
	if (!start)
		*value = 0;
	return start ? start : end;
}

/* Step back over " [arm64-v8a::4a1c2f]", if it ends at END: what follows the
 * colons is no build ID. */
static const char *before_abi(const char *at, const char *end)
{
	const char *open = end > at && end[-1] == ']'
				   ? gsym_logs_last(at, end, " [")
				   : NULL;

	return open && logs_find(open, end, "::") ? open : end;
}

/* Step back over "+16" or " + 16", if it ends at END; RET becomes its number,
 * if that is small enough. */
static const char *before_plus(const char *at, const char *end,
			       struct logs_frame *ret)
{
	const char *stop = before_decimal(at, end, " + ", &ret->offset);

	if (!stop)
		stop = before_decimal(at, end, "+", &ret->offset);
	ret->placed = stop != NULL;
	return stop ? stop : end;
}

/* Step back over " (FUNCTION+16)", if it ends at END; RET becomes function and
 * offset.  NULL if the parentheses hold something else. */
static const char *before_function(const char *at, const char *end,
				   struct logs_frame *ret)
{
	/* What stands where a function would, but is none. */
	static const char *const unknown[] = { "???", "deleted", NULL };
	const char *open, *stop = end - 1;

	ret->function = logs_between(end, end);
	if (end == at || *stop != ')')
		return end;
	open = gsym_logs_open(at, end);
	if (!open || open == at || open[-1] != ' ' ||
	    logs_word(open, end, "(offset 0x"))
		return end;
	if (logs_is_of(logs_between(open + 1, stop), unknown))
		return open - 1;
	stop = before_plus(open + 1, stop, ret);
	ret->function = logs_between(open + 1, stop);
	return ret->function.size && !gsym_logs_is_place(ret->function)
		       ? open - 1
		       : NULL;
}

/* Whether MAP is a file with native code.  Sets the module of RET. */
static bool native(struct logs_text map, struct logs_frame *ret)
{
	static const char *const managed[] = { ".oat", ".odex", ".vdex",
					       ".jar", ".dex",	NULL };
	const char *bang = memrchr(map.at, '!', map.size);
	const char *end = map.at + map.size;

	if (!map.size || *map.at == '<' || *map.at == '[' ||
	    logs_word(map.at, end, "/memfd:"))
		return false;
	if (bang)
		map = logs_between(bang + 1, end);
	/* Most files are libraries. */
	if (!logs_before(map.at, end, ".so") &&
	    logs_before_of(map.at, end, managed))
		return false;
	ret->module = map;
	ret->package = !bang && logs_before(map.at, end, ".apk");
	return map.size && (!ret->package || ret->build_id.size);
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *hash, *map, *stop;
	uint64_t offset;

	map = find_pc(at, end, &hash);
	if (!map)
		return false;
	logs_frame_to(end, ret);
	map = logs_gap(pc(logs_gap(map, end), end, ret), end);
	if (!map || map == end)
		return false;
	stop = before_abi(map, logs_trim(map, end));
	stop = gsym_logs_build_id(map, stop, &ret->build_id);
	stop = before_function(map, stop, ret);
	if (!stop)
		return false;
	stop = before_offset(map, stop, &offset);
	ret->start = hash;
	/* A program of 64 bits has 16 digits, and no such state.  But beyond
	 * frame 0 the number is of a byte in a call, and so is the one before
	 * it.  Frames without numbers do not tell which of them is frame 0. */
	ret->thumb |= *hash == '#' && !logs_word(hash, map, "#00 ");
	if (!native(logs_between(map, logs_trim(map, stop)), ret))
		return false;
	/* In a package the offset is that of the library.  Elsewhere it is that
	 * of the mapping from which Android up to 9 counts. */
	if (offset && ret->module.at == map && !ret->package) {
		ret->counts_from = LOGS_OFFSET;
		ret->number += offset;
		ret->offset_linked = true;
	}
	return true;
}

static const char *second(const char *at, const char *end)
{
	const char *hash, *first = find_pc(at, end, &hash);

	return first && find_pc(first, end, &hash) ? hash : NULL;
}

/* "Build fingerprint: 'a/b/c:10/QP1A.190711.020/1:user/release-keys'" */
static bool fingerprint(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = logs_after(at, end, "Build fingerprint: '");

	from = logs_byte(from, end, ':');
	if (from)
		gsym_number(from + 1, end, 10, &ret->number, NULL);
	return from && ret->number > 0;
}

static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = logs_after(at, end, "ABI: '");

	ret->nearby = true;
	if (from) {
		const char *stop = logs_byte(from, end, '\'');

		ret->name = logs_between(from, stop ? stop : end);
		return true;
	}
	if (fingerprint(at, end, ret))
		return true;
	ret->kind = LOGS_PROCESS;
	ret->nearby = false;
	ret->watch = 16;
	return logs_after(at, end, "*** *** *** ***");
}

struct memory {
	/* The version, and whether the code is for x86. */
	uint64_t version;
	bool x86;
};

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	struct memory *m = (struct memory *)memory;

	if (fact->kind == LOGS_PROCESS)
		*m = (struct memory){ 0 };
	else if (fact->number)
		m->version = fact->number;
	else
		m->x86 = fact->name.size && *fact->name.at == 'x';
}

/* Old releases print offsets in the file for some libraries. */
static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	const struct memory *m = (const struct memory *)memory;

	frame->loose = m->version && m->version <= 10;
	frame->thumb &= !m->x86 && !logs_find(frame->module.at,
					      frame->module.at +
						      frame->module.size,
					      "/x86/");
}

const struct logs_dialect gsym_logs_android = {
	.log = GSYM_MARKUP_LOG_ANDROID,
	.name = "android",
	.words = LOGS_WORD_PC | LOGS_WORD_STARS,
	.frame = frame,
	.second = second,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
	.script = LOGS_NDK_STACK,
	.placed = true,
};
