/* SPDX-License-Identifier: MIT */
/*
 * profiler PID [SYMBOLS] - sample the stacks of the process PID for a second,
 * and print them folded, as flame graph programs read them: callers first,
 * joined by ';', then a blank and the number of samples.  SYMBOLS is a folder
 * with GSYM files by build ID.
 *
 *	cc profiler.c -o profiler $(pkg-config --cflags --libs gsym)
 *
 * The kernel takes the samples (perf_event_open(2)) and walks the stacks by
 * frame pointers: the program has to be compiled with -fno-omit-frame-pointer.
 */
#define _GNU_SOURCE
#include <gsym/process.h>

#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 128, MOST_DEPTH = 128, MOST_INLINED = 16 };

struct sample {
	uint32_t depth;
	uint64_t addresses[MOST_DEPTH];
};

static struct sample *samples;
static size_t sample_count, sample_capacity;

/* ---- sampling ----------------------------------------------------------- */

/* Open a counter that samples the main thread of PID a thousand times a second
 * of its CPU time. */
static int open_counter(int pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_kernel = 1,
		.exclude_callchain_kernel = 1,
		.wakeup_events = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Keep the call chain of a record: its addresses from the innermost on. */
static void keep(const uint64_t *chain, uint64_t count)
{
	struct sample *s;

	if (sample_count == sample_capacity) {
		sample_capacity = sample_capacity ? 2 * sample_capacity : 1024;
		samples = realloc(samples, sample_capacity * sizeof(*samples));
		if (!samples)
			exit(2);
	}
	s = &samples[sample_count++];
	s->depth = 0;
	for (uint64_t i = 0; i < count && s->depth < MOST_DEPTH; i++)
		/* Marks of the kernel, such as PERF_CONTEXT_USER. */
		if (chain[i] < PERF_CONTEXT_MAX)
			s->addresses[s->depth++] = chain[i];
}

/* Copy SIZE bytes at offset AT of the ring, which may wrap around. */
static void copy(void *to, const uint8_t *ring, uint64_t size, uint64_t at,
		 size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)to)[i] = ring[(at + i) % size];
}

/* Read all records that the kernel has written to the ring of PAGE. */
static void drain(struct perf_event_mmap_page *page, size_t page_size)
{
	/* A record has 65,535 bytes at most. */
	static uint64_t record[8192];
	const uint8_t *ring = (const uint8_t *)page + page_size;
	uint64_t size = RING_PAGES * page_size;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = page->data_tail;

	while (at < head) {
		struct perf_event_header header;

		copy(&header, ring, size, at, sizeof(header));
		copy(record, ring, size, at, header.size);
		/* After the header: the number of addresses. */
		if (header.type == PERF_RECORD_SAMPLE)
			keep(record + 2, record[1]);
		at += header.size;
	}
	__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- printing ----------------------------------------------------------- */

/* Print where the code at ADDRESS lies, whose function is not known. */
static void print_place(FILE *to, const struct gsym_process *process,
			uint64_t address)
{
	struct gsym_process_place place;
	struct gsym_process_module module;

	if (gsym_process_find(process, address, &place) == GSYM_OK &&
	    gsym_process_get_module(process, place.module, &module) == GSYM_OK)
		fprintf(to, "%s+0x%" PRIx64, module.path, place.address);
	else
		fprintf(to, "0x%" PRIx64, address);
}

/* The stack of S as a line, malloc'ed. */
static char *line_of(const struct gsym_process *process, const struct sample *s)
{
	static struct gsym_frame frames[MOST_DEPTH * MOST_INLINED];
	uint64_t addresses[MOST_DEPTH];
	uint32_t first[MOST_DEPTH + 1];
	size_t done = 0, size;
	char *line = NULL;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		exit(2);
	/* All addresses but the innermost are return addresses. */
	for (uint32_t k = 0; k < s->depth; k++)
		addresses[k] = s->addresses[k] - (k > 0);
	gsym_process_lookup_many(process, addresses, s->depth, 0, frames,
				 MOST_DEPTH * MOST_INLINED, first, &done);
	for (uint32_t k = s->depth; k--;) {
		uint32_t at = k < done ? first[k + 1] : 0;

		if (k >= done || first[k] == at)
			print_place(to, process, addresses[k]);
		for (; k < done && at > first[k]; at--)
			fprintf(to, "%s%s", frames[at - 1].function,
				at - 1 > first[k] ? ";" : "");
		if (k)
			putc(';', to);
	}
	fclose(to);
	return line;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_folded(const struct gsym_process *process)
{
	char **lines = calloc(sample_count + 1, sizeof(*lines));

	if (!lines)
		exit(2);
	for (size_t i = 0; i < sample_count; i++)
		lines[i] = line_of(process, &samples[i]);
	qsort(lines, sample_count, sizeof(*lines), by_text);
	for (size_t i = 0, next; i < sample_count; i = next) {
		for (next = i + 1; next < sample_count; next++)
			if (strcmp(lines[i], lines[next]) != 0)
				break;
		printf("%s %zu\n", lines[i], next - i);
	}
	for (size_t i = 0; i < sample_count; i++)
		free(lines[i]);
	free(lines);
}

int main(int argc, char **argv)
{
	struct gsym_process *process;
	struct gsym_store *store = gsym_store_new();
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = argc > 1 ? open_counter(atoi(argv[1])) : -1;
	void *ring = MAP_FAILED;
	double end;

	if (argc < 2 || !store) {
		fprintf(stderr, "usage: profiler PID [SYMBOLS]\n");
		return 2;
	}
	if (fd >= 0)
		ring = mmap(NULL, (RING_PAGES + 1) * page_size,
			    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		perror("the kernel takes no samples (perf_event_open)");
		return 1;
	}
	end = now() + 1;
	while (now() < end) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		poll(&wait, 1, 100);
		drain(ring, page_size);
	}
	if (gsym_process_open(atoi(argv[1]), &process, NULL) != GSYM_OK ||
	    (argc > 2 && gsym_store_add_gsym_directory(store, argv[2]) !=
				 GSYM_OK) ||
	    gsym_process_load(process, store, NULL) != GSYM_OK) {
		fprintf(stderr, "cannot read the process %s\n", argv[1]);
		return 2;
	}
	print_folded(process);
	gsym_process_close(process);
	gsym_store_free(store);
	free(samples);
	return 0;
}
