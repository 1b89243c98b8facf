/* SPDX-License-Identifier: MIT */
/* Traces in memory, walks over their threads, events and calls, and the check
 * if they can come from the programs of the maps. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- files in memory ----------------------------------------------------- */

/* Copy the rest of FD, whose path is PATH, to a temporary file without a name.
 * Returns the descriptor of that file. */
static int spool(int fd, const char *path)
{
	static char buffer[65536];
	FILE *file = tmpfile();
	ssize_t n;
	if (!file)
		die("cannot make a temporary file: %s", strerror(errno));
	while ((n = file_read_some(fd, buffer, sizeof(buffer))) > 0)
		if (!out_write_all(fileno(file), buffer, n))
			die("cannot write a temporary file: %s",
			    strerror(errno));
	if (n < 0)
		die("cannot read '%s': %s", path, strerror(errno));
	int copy = dup(fileno(file));
	fclose(file);
	if (copy < 0)
		die("cannot use a temporary file: %s", strerror(errno));
	return copy;
}

void xray_map_file(const char *path, struct xray_bytes *ret)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC)
				   : dup(STDIN_FILENO);
	size_t size;
	if (fd < 0)
		die("cannot open '%s': %s", path, strerror(errno));
	ret->path = path;
	ret->data = gsym_fd_map(fd, &size);
	if (!ret->data && errno == EISDIR)
		die("cannot read '%s': it is a folder", path);
	if (!ret->data && errno == EINVAL) {
		int copy = spool(fd, path);
		close(fd);
		fd = copy;
		ret->data = gsym_fd_map(fd, &size);
	}
	if (!ret->data && errno)
		die("cannot map '%s': %s", path, strerror(errno));
	ret->size = size;
	if (!size)
		ret->data = (const uint8_t *)"";
	close(fd);
}

void xray_drop_pages(struct xray_bytes *file, uint64_t offset)
{
	const uint64_t window = 8 << 20;
	uint64_t page = offset & ~(uint64_t)65535;
	/* A new walk has started.  The last one may have left pages after
	 * OFFSET in memory: drop all pages. */
	if (page < file->dropped)
		madvise((void *)file->data, file->size, MADV_DONTNEED);
	else if (page - file->dropped >= window)
		madvise((void *)(file->data + file->dropped),
			page - file->dropped, MADV_DONTNEED);
	else
		return;
	file->dropped = page;
}

/* ---- progress ------------------------------------------------------------ */

void xray_walk_start(struct xray *x, const char *what)
{
	struct xray_walk w = { .x = x };
	x->done = x->total = 0;
	while (xray_walk_thread(&w))
		x->total += w.thread.events;
	report_work(what);
}

void xray_walk_show(struct xray *x, size_t trace, uint64_t offset)
{
	report_work_done(x->done, x->total);
	xray_drop_pages(&x->traces[trace].bytes, offset);
}

/* ---- threads and events -------------------------------------------------- */

bool xray_walk_thread(struct xray_walk *w)
{
	const struct xray *x = w->x;
	while (w->trace < x->trace_count &&
	       w->next == gsym_xray_thread_count(x->traces[w->trace].log)) {
		w->trace++;
		w->next = 0;
	}
	if (w->trace == x->trace_count)
		return false;
	gsym_xray_thread_at(x->traces[w->trace].log, w->next++, &w->thread);
	return true;
}

/* By process, then by thread. */
static int by_thread(const void *a, const void *b)
{
	const struct gsym_xray_thread *x = a, *y = b;
	return GSYM_ORDER(x->pid, y->pid) ?:
	       GSYM_ORDER((int32_t)x->tid, (int32_t)y->tid);
}

struct gsym_xray_thread *xray_threads(struct xray *x, size_t *count)
{
	struct xray_walk w = { .x = x };
	struct { GSYM_VEC(struct gsym_xray_thread); } list = { 0 };
	size_t kept = 0;
	must_reserve(&list, 1);
	while (xray_walk_thread(&w))
		*must_push(&list) = w.thread;
	qsort(list.items, list.count, sizeof(*list.items), by_thread);
	for (size_t i = 0; i < list.count; i++)
		if (!kept || by_thread(&list.items[kept - 1], &list.items[i]))
			list.items[kept++] = list.items[i];
		else
			list.items[kept - 1].events += list.items[i].events;
	*count = kept;
	return list.items;
}

size_t xray_thread_index(const struct gsym_xray_thread *thread,
			 const struct gsym_xray_thread *list, size_t count)
{
	const struct gsym_xray_thread *found =
		bsearch(thread, list, count, sizeof(*list), by_thread);
	return (size_t)(found - list);
}

void xray_walk_open(struct xray_walk *w)
{
	must(gsym_xray_events(w->x->traces[w->trace].log, w->next - 1, &w->iter,
			      NULL) == GSYM_OK);
}

/* ---- calls --------------------------------------------------------------- */

struct gsym_xray_repairs xray_replay(struct xray *x, const char *what,
				     const struct xray_replay *r)
{
	struct gsym_xray_stack *stack = must_have(
		r->tree ? gsym_xray_stack_new(gsym_xray_tree_enter,
					      gsym_xray_tree_leave, r->tree)
			: gsym_xray_stack_new(r->enter, r->leave, r->context));
	struct gsym_xray_repairs repairs;
	struct xray_walk w = { .x = x };
	xray_walk_start(x, what);
	while (xray_walk_thread(&w)) {
		if (!w.thread.events)
			continue;
		if (r->thread)
			r->thread(r->context, &w);
		while (xray_walk_event(&w)) {
			if (r->custom && w.event.kind >= GSYM_XRAY_CUSTOM)
				r->custom(r->context, &w);
			/* Custom events count, too: the last event of a thread
			 * ends its unfinished calls. */
			must(gsym_xray_stack_event(stack, &w.event) == GSYM_OK);
		}
		must(gsym_xray_stack_end(stack) == GSYM_OK);
	}
	report_work_end();
	gsym_xray_stack_repairs(stack, &repairs);
	gsym_xray_stack_free(stack);
	return repairs;
}

void xray_warn_repairs(struct xray *x, const struct gsym_xray_repairs *r)
{
	out_flush(&x->out);
	if (r->orphans | r->inferred | r->unfinished)
		report_note("exits without entry: %" PRIu64
			    ", exits inferred: %" PRIu64
			    ", calls unfinished: %" PRIu64,
			    r->orphans, r->inferred, r->unfinished);
	if (r->backwards)
		report_note("calls that end before they begin, taken as 0 "
			    "long: %" PRIu64,
			    r->backwards);
}

void xray_check_calls(struct xray *x)
{
	if (report_is_quiet())
		return;
	struct gsym_xray_repairs repairs =
		xray_replay(x, "reading calls", &(struct xray_replay){ 0 });
	xray_warn_repairs(x, &repairs);
}

/* ---- do traces and maps fit? --------------------------------------------- */

/* The number of events of a thread that are checked. */
enum { EVENTS = 10000 };

/* The reason why EVENT cannot come from a program with MAP; NULL if it can. */
static const char *misfit(const struct gsym_xray_map *map,
			  const struct gsym_xray_event *event)
{
	/* Kinds of these events are those of their sleds. */
	static const char *const lacks[] = {
		[GSYM_XRAY_EXIT] = "the function has no sled at an exit",
		[GSYM_XRAY_TAIL_EXIT] =
			"the function has no sled at a tail call",
		[GSYM_XRAY_ENTER_ARGUMENT] =
			"no sled of the function logs an argument",
	};
	uint64_t address;
	unsigned kinds;
	if (gsym_xray_map_function(map, event->function & 0xffffff, &address,
				   &kinds) != GSYM_OK)
		return "the map has no such function";
	return kinds & 1u << event->kind ? NULL : lacks[event->kind];
}

/* Warn of the first event of the thread of W that cannot come from the program;
 * false if there is such an event.  The first EVENTS events are enough to tell
 * programs apart. */
static bool check_thread(const struct xray_walk *w)
{
	const struct xray *x = w->x;
	const struct xray_trace *t = &x->traces[w->trace];
	struct gsym_xray_event e;
	struct gsym_xray_iter *iter;
	const char *why = NULL;
	must(gsym_xray_events(t->log, w->next - 1, &iter, NULL) == GSYM_OK);
	for (int n = 0; !why && n < EVENTS && gsym_xray_next(iter, &e); n++) {
		const struct gsym_xray_map *map =
			x->objects[xray_object_of(e.function)].map;
		if (map && e.kind < GSYM_XRAY_CUSTOM)
			why = misfit(map, &e);
	}
	gsym_xray_iter_free(iter);
	if (why)
		warn("the map does not match '%s': function #%" PRIu32 ": %s",
		     t->path, e.function, why);
	return !why;
}

void xray_check_maps(struct xray *x)
{
	struct xray_walk w = { .x = x };
	while (!x->misfit && xray_walk_thread(&w))
		x->misfit = !check_thread(&w);
}
