/* SPDX-License-Identifier: MIT */
/*
 * bench/embed/pages.c - the pages of a file that a program touches which opens
 * it, looks one address up and reads the texts of all frames.
 *
 *	pages FILE.gsym ADDRESSES
 *
 * ADDRESSES is a file of 64-bit numbers in the byte order of this machine, of
 * which the first thousand count.  Writes the median and the largest number of
 * pages of 4 KiB, and of frames.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <gsym/reader.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST = 1000, FRAMES = 1024 };

static struct {
	char *bytes; /* no access, but for pages that were touched */
	size_t size;
	size_t touched;
} map;

/* A page is touched for the first time: allow it to be read. */
static void note(int signal, siginfo_t *info, void *context)
{
	char *at = info->si_addr;

	(void)signal;
	(void)context;
	if (at < map.bytes || at >= map.bytes + map.size)
		abort();
	at = map.bytes + (size_t)(at - map.bytes) / PAGE * PAGE;
	if (mprotect(at, PAGE, PROT_READ))
		abort();
	map.touched++;
}

static uint32_t look_up(uint64_t address)
{
	static struct gsym_frame frames[FRAMES];
	struct gsym_reader *reader;
	struct gsym_match match;
	volatile size_t length = 0;

	if (gsym_open_memory(map.bytes, map.size, &reader, NULL) != GSYM_OK)
		exit(1);
	if (gsym_lookup(reader, address, 0, frames, FRAMES, &match, NULL) !=
	    GSYM_OK)
		match.frame_count = 0;
	for (uint32_t i = 0; i < match.frame_count && i < FRAMES; i++)
		length += strlen(frames[i].function) +
			  strlen(frames[i].directory) +
			  strlen(frames[i].basename);
	gsym_close(reader);
	return match.frame_count;
}

static void read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) <= 0)
		exit(1);
	rewind(f);
	map.size = (size_t)size;
	map.bytes = mmap(NULL, map.size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map.bytes == MAP_FAILED ||
	    fread(map.bytes, 1, map.size, f) != map.size)
		exit(1);
	fclose(f);
}

static int by_value(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = note,
				    .sa_flags = SA_SIGINFO };
	static size_t pages[MOST], frames[MOST];
	static uint64_t addresses[MOST];
	size_t count, found = 0;
	FILE *f;

	if (argc != 3 || !(f = fopen(argv[2], "rb"))) {
		fprintf(stderr, "usage: pages FILE.gsym ADDRESSES\n");
		return 2;
	}
	count = fread(addresses, sizeof(*addresses), MOST, f);
	fclose(f);
	read_file(argv[1]);
	sigaction(SIGSEGV, &action, NULL);
	for (size_t i = 0; i < count; i++) {
		map.touched = 0;
		if (mprotect(map.bytes, map.size, PROT_NONE))
			return 1;
		frames[found] = look_up(addresses[i]);
		pages[found] = map.touched;
		found += frames[found] > 0;
	}
	if (!found)
		return 1;
	qsort(pages, found, sizeof(*pages), by_value);
	qsort(frames, found, sizeof(*frames), by_value);
	printf("%zu to %zu, frames %zu to %zu\n", pages[found / 2],
	       pages[found - 1], frames[found / 2], frames[found - 1]);
	return 0;
}
