/* SPDX-License-Identifier: MIT */
/*
 * Native frames in hs_err files of the JVM:
 *
 *	C  [libcrash.so+0x1110]  Java_Crash_run+0x0
 *	V  [libjvm.so+0x8282d2]
 */
#include "config.h"

#include "logs/scan.h"

/* The text after the bracket: nothing, or blanks and FUNCTION+0x10.  The JVM
 * writes two blanks, of which trackers of bugs leave one. */
static bool function(const char *at, const char *end, struct logs_frame *ret)
{
	const char *digits;

	if (at == end)
		return true;
	at = logs_gap(at, end);
	digits = at ? gsym_logs_hex_before(at, end, &ret->offset) : NULL;
	if (!digits || digits - at < 2 || digits[-1] != '+')
		return false;
	ret->function = logs_between(at, digits - 1);
	ret->placed = true;
	return true;
}

bool gsym_logs_jvm(const char *at, const char *end, struct logs_frame *ret)
{
	const char *open, *close, *plus, *kind, *stop = logs_trim(at, end);

	*ret = (struct logs_frame){
		.log = GSYM_MARKUP_LOG_JVM,
		.meaning = LOGS_MAPPED,
		.returns = true,
	};
	open = memmem(at, (size_t)(end - at), " [", 2);
	kind = open ? logs_trim(at, open) : at;
	if (kind == at || (kind[-1] != 'C' && kind[-1] != 'V'))
		return false;
	ret->start = kind - 1;
	if (ret->start > at && ret->start[-1] != ' ' && ret->start[-1] != '\t')
		return false;
	if (ret->start - at >= 2 && ret->start[-2] == '#') {
		ret->start -= 2;
		ret->problem = true;
		ret->returns = false;
	}
	open += 2;
	close = memchr(open, ']', (size_t)(stop - open));
	plus = close ? gsym_logs_hex_before(open, close, &ret->number) : NULL;
	if (!plus || plus - open < 2 || *--plus != '+')
		return false;
	ret->module = logs_between(open, plus);
	ret->insert = ret->resume = end;
	return function(close + 1, stop, ret);
}
