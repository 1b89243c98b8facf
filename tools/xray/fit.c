/* SPDX-License-Identifier: MIT */
/* Checks if traces can come from the programs whose maps are given. */
#include "config.h"

#include <inttypes.h>

#include "common/report.h"
#include "xray/xray.h"

/* The number of events of a thread that are checked. */
enum { EVENTS = 10000 };

/* The reason why EVENT cannot come from a program with MAP; NULL if it can. */
static const char *misfit(const struct gsym_xray_map *map,
			  const struct gsym_xray_event *event)
{
	uint64_t address;
	unsigned kinds;
	if (gsym_xray_map_function(map, event->function & 0xffffff, &address,
				   &kinds) != GSYM_OK)
		return "the map has no such function";
	if (event->kind == GSYM_XRAY_ENTER_ARGUMENT && !(kinds & 1 << 3))
		return "no sled of the function logs an argument";
	if (event->kind == GSYM_XRAY_TAIL_EXIT && !(kinds & 1 << 2))
		return "the function has no sled at a tail call";
	if (event->kind == GSYM_XRAY_EXIT && !(kinds & 1 << 1))
		return "the function has no sled at an exit";
	return NULL;
}

/* Warn of the first event of THREAD in trace number TRACE that cannot come from
 * the program; false if there is such an event.  The first EVENTS events are
 * enough to tell programs apart. */
static bool check_thread(const struct xray *x, size_t trace, uint32_t thread)
{
	struct gsym_xray_event e;
	struct gsym_xray_iter *iter;
	const char *why = NULL;
	if (gsym_xray_events(x->logs[trace], thread, &iter, NULL) != GSYM_OK)
		die("out of memory");
	for (int n = 0; !why && n < EVENTS && gsym_xray_next(iter, &e); n++) {
		const struct gsym_xray_map *map =
			x->objects[xray_object_of(e.function)].map;
		if (map && e.kind < GSYM_XRAY_CUSTOM)
			why = misfit(map, &e);
	}
	gsym_xray_iter_free(iter);
	if (why)
		warn("the map does not match '%s': function #%" PRIu32 ": %s",
		     x->traces[trace].path, e.function, why);
	return !why;
}

void xray_check_maps(struct xray *x)
{
	struct xray_walk w = { .x = x };
	while (!x->misfit && xray_walk_thread(&w))
		x->misfit = !check_thread(x, w.trace, w.next - 1);
}
