/* SPDX-License-Identifier: MIT */
/* process/perfmap.c - the functions that a JIT compiler lists in the file
 * /tmp/perf-PID.map of its process: "START SIZE NAME" a line, in hexadecimal.
 * The format is that of perf's jit-interface.txt. */
#include "config.h"

#include "process/process.h"

#include "base/fd.h"
#include "base/order.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most bytes of the file: compilers write 100 bytes for a function. */
enum { MOST_BYTES = 256 << 20 };

/* The number of the process PID in its own namespace, by which it names its
 * file; PID if it is not known. */
static int64_t own_pid(int64_t pid)
{
	struct gsym_fd_bytes text = { 0 };
	char path[64];
	const char *line;
	char *nul = NULL;
	int64_t own = pid;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/status", pid);
	if (gsym_process_read(path, &text, NULL) == GSYM_OK)
		nul = gsym_vec_push(&text);
	if (nul)
		*nul = 0;
	line = nul ? strstr(text.items, "\nNSpid:") : NULL;
	if (line) {
		/* The innermost namespace comes last. */
		const char *end = line + 1 + strcspn(line + 1, "\n");

		for (const char *at = line; at < end; at++)
			if (*at == '\t')
				own = (int64_t)strtoull(at + 1, NULL, 10);
	}
	gsym_vec_fini(&text);
	return own > 0 ? own : pid;
}

/* Whether the file FD was written by the user of the process PID, or by root:
 * every user may make a file in /tmp. */
static bool is_trusted(int fd, int64_t pid)
{
	struct stat file, process;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRId64, pid);
	return fstat(fd, &file) == 0 && stat(path, &process) == 0 &&
	       (file.st_uid == process.st_uid || !file.st_uid) &&
	       file.st_size <= MOST_BYTES;
}

/* Step over a number, perhaps with "0x", and a blank; NULL if that is not at
 * AT. */
static const char *over_number(const char *at, const char *end, uint64_t *ret)
{
	const char *stop;
	bool fits;

	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	stop = gsym_number(at, end, 16, ret, &fits);
	return stop > at && fits && stop < end && *stop == ' ' ? stop + 1
							       : NULL;
}

/* Read the line from AT up to END.  False if it is none of such a file: others
 * are left out. */
static bool read_line(char *at, char *end, struct gsym_jit_symbol *ret)
{
	const char *name = over_number(at, end, &ret->start);

	name = name ? over_number(name, end, &ret->end) : NULL;
	if (!name || name == end || !ret->end ||
	    ret->end > UINT64_MAX - ret->start)
		return false;
	ret->end += ret->start;
	ret->name = name;
	return !memchr(name, 0, (size_t)(end - name));
}

static int by_start(const void *a, const void *b)
{
	const struct gsym_jit_symbol *x = a, *y = b;

	return GSYM_ORDER(x->start, y->start);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return GSYM_ORDER(*x, *y);
}

/* Memory between neighbouring starts and ends of symbols, a part each. */
struct parts {
	uint64_t *starts; /* the last one is the end of the last part */
	size_t count;
	/* The next part that is not taken, or a step towards it. */
	uint32_t *next;
};

static size_t part_of(const struct parts *parts, uint64_t start)
{
	return GSYM_FIRST(i, 0, parts->count, parts->starts[i] >= start);
}

/* The first part from AT on that is not taken. */
static size_t free_part(const struct parts *parts, size_t at)
{
	uint32_t *next = parts->next;

	while (next[at] != at) {
		next[at] = next[next[at]];
		at = next[at];
	}
	return at;
}

/* Take the parts of S.  False if one of them was taken before. */
static bool take_parts(const struct parts *parts,
		       const struct gsym_jit_symbol *s)
{
	size_t first = part_of(parts, s->start), end = part_of(parts, s->end);
	size_t taken = 0;

	for (size_t at = first; (at = free_part(parts, at)) < end; taken++)
		parts->next[at] = (uint32_t)at + 1;
	return taken == end - first;
}

/* Keep the symbols whose memory no later line takes, and sort them.  A symbol
 * also goes if the later one was itself replaced.  False without memory. */
static bool keep_latest(struct gsym_process *p)
{
	struct gsym_jit_symbol *all = p->jit.items;
	size_t count = p->jit.count, kept = count;
	struct parts parts = { .count = 2 * count };
	bool done;

	/* NEXT has 32 bits.  A file has fewer symbols, unless it grows while it
	 * is read. */
	if (count > UINT32_MAX / 2)
		return false;
	if (!count)
		return true;
	parts.starts = malloc(parts.count * sizeof(*parts.starts));
	parts.next = malloc(parts.count * sizeof(*parts.next));
	done = parts.starts && parts.next;
	if (done) {
		for (size_t i = 0; i < count; i++) {
			parts.starts[2 * i] = all[i].start;
			parts.starts[2 * i + 1] = all[i].end;
		}
		qsort(parts.starts, parts.count, sizeof(*parts.starts),
		      by_value);
		for (size_t i = 0; i < parts.count; i++)
			parts.next[i] = (uint32_t)i;
		/* The latest one first; those that stay move to the end. */
		for (size_t i = count; i--;)
			if (take_parts(&parts, &all[i]))
				all[--kept] = all[i];
		p->jit.count = count - kept;
		memmove(all, all + kept, p->jit.count * sizeof(*all));
		qsort(all, p->jit.count, sizeof(*all), by_start);
	}
	free(parts.next);
	free(parts.starts);
	return done;
}

/* Take the functions of P->jit_text.  False without memory. */
static bool parse(struct gsym_process *p)
{
	char *at = p->jit_text.items, *end = at + p->jit_text.count;

	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		struct gsym_jit_symbol symbol, *to;

		/* The compiler may be writing the last line. */
		if (!newline)
			break;
		if (read_line(at, newline, &symbol)) {
			to = gsym_vec_push(&p->jit);
			if (!to)
				return false;
			*to = symbol;
		}
		*newline = 0;
		at = newline + 1;
	}
	return keep_latest(p);
}

bool gsym_perfmap_read(struct gsym_process *p)
{
	char path[64];
	bool done = true;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%" PRId64 ".map",
		 own_pid(p->pid));
	fd = gsym_fd_open_below(p->root, path);
	if (fd < 0)
		return true;
	if (is_trusted(fd, p->pid))
		done = gsym_fd_read_to_end(fd, &p->jit_text) || errno != ENOMEM;
	close(fd);
	return done && parse(p);
}

const struct gsym_jit_symbol *gsym_perfmap_find(const struct gsym_process *p,
						uint64_t address)
{
	const struct gsym_jit_symbol *items = p->jit.items;
	size_t after = GSYM_FIRST(i, 0, p->jit.count, items[i].start > address);

	return after && address < items[after - 1].end ? &items[after - 1]
						       : NULL;
}
