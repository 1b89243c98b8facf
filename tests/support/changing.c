/* SPDX-License-Identifier: MIT */
/*
 * changing.c - a library for LD_PRELOAD with which the bytes of mapped files
 * change while they are read, as if another process wrote to the files.  For
 * glibc.  tests/cli/changing-bytes.sh builds and uses it.
 *
 * A private read-only mapping that gsym_fd_map makes (base/fd.h) becomes a copy
 * of the file.  A page without access follows the page of zeros behind it.  A
 * thread changes bytes of the copy and writes most of them back a moment
 * later.  Environment:
 *
 *	CHANGING_SEED	a number that decides about the changes
 *	CHANGING_COUNT	a file to which each process adds a line in the end:
 *			the number of changes
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COPIES = 256, PAGE = 4096, MOST_CHANGED = 4096 };

/* The copies of mapped files. */
static struct copy {
	uint8_t *bytes; /* NULL: no copy */
	size_t size;
	uint8_t *end; /* the page without access; NULL: there is none */
} copies[COPIES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint changes;
static pid_t owner; /* the process that has the thread */
static uint64_t state;
static bool active;

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("CHANGING_SEED");

	active = text != NULL;
	state = text ? strtoull(text, NULL, 10) : 0;
	pthread_atfork(take_lock, give_lock, give_lock);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("CHANGING_COUNT");
	char text[32];
	int fd, size;

	if (!active || !path)
		return;
	size = snprintf(text, sizeof(text), "%u\n", changes);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd >= 0 && write(fd, text, (size_t)size) < size)
		abort();
	close(fd);
}

static uint32_t next_number(void)
{
	uint64_t x = state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(x >> 32);
}

/* ---- the thread --------------------------------------------------------- */

/* Change the COUNT bytes at P, which lie in COPY. */
static void change(const struct copy *copy, uint8_t *p, size_t count)
{
	static const uint8_t values[] = { 0, 0xff, 0x7f, 0x80, 1, 'a', '/' };
	uint32_t kind = next_number() % 10;

	for (size_t i = 0; i < count; i++) {
		uint32_t number = next_number();

		if (kind < sizeof(values))
			p[i] = values[kind];
		else if (kind == 7)
			p[i] ^= (uint8_t)(1 << number % 8);
		else if (kind == 8)
			p[i] = (uint8_t)number;
	}
	if (kind == 9) /* what another place of the file holds */
		memmove(p, copy->bytes + next_number() %
					(copy->size - count + 1), count);
}

/* Change some bytes of COPY.  Most changes last a moment. */
static void disturb(const struct copy *copy)
{
	uint8_t saved[MOST_CHANGED], *p;
	static const uint16_t sizes[] = { 1, 8, 8, 64, MOST_CHANGED };
	size_t count = 1 + next_number() % sizes[next_number() % 5];

	if (count > copy->size)
		count = copy->size;
	p = copy->bytes + next_number() % (copy->size - count + 1);
	memcpy(saved, p, count);
	change(copy, p, count);
	changes++;
	for (uint32_t turns = next_number() % 2000; turns--;)
		atomic_signal_fence(memory_order_seq_cst);
	if (next_number() % 256)
		memcpy(p, saved, count);
}

static void *disturb_all(void *unused)
{
	(void)unused;
	for (;;) {
		uint32_t at = next_number() % COPIES;

		pthread_mutex_lock(&lock);
		/* Most processes have mapped few files. */
		while (at && !copies[at].bytes)
			at--;
		for (uint32_t i = next_number() % 64; copies[at].bytes && i--;)
			disturb(&copies[at]);
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return NULL;
}

/* ---- mappings ----------------------------------------------------------- */

static void *map(void *at, size_t size, int protection, int flags, int fd,
		 off_t offset)
{
	return (void *)syscall(SYS_mmap, at, size, protection, flags, fd,
			       offset);
}

/* Whether the SIZE bytes of FD could be put at AT, with a page without access
 * behind the page that follows them. */
static bool make_copy(struct copy *copy, uint8_t *at, size_t size, int fd)
{
	size_t pages = (size + PAGE - 1) / PAGE * PAGE;
	uint8_t *end = at + pages + PAGE;

	if (mprotect(at, pages, PROT_READ | PROT_WRITE) != 0 ||
	    pread(fd, at, size, 0) != (ssize_t)size)
		return false;
	if (map(end, PAGE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
	    end)
		end = NULL;
	*copy = (struct copy){ at, size, end };
	return true;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd,
	   off_t offset)
{
	struct copy *copy = copies;
	pthread_t thread;
	bool copied;

	if (!active || fd < 0 || !size || offset || protection != PROT_READ ||
	    flags != (MAP_PRIVATE | MAP_FIXED))
		return map(at, size, protection, flags, fd, offset);
	pthread_mutex_lock(&lock);
	while (copy < copies + COPIES && copy->bytes)
		copy++;
	copied = copy < copies + COPIES && make_copy(copy, at, size, fd);
	pthread_mutex_unlock(&lock);
	if (!copied)
		return map(at, size, protection, flags, fd, offset);
	if (owner != getpid()) {
		owner = getpid();
		changes = 0;
		if (pthread_create(&thread, NULL, disturb_all, NULL) != 0)
			abort();
		pthread_detach(thread);
		/* Small files are read within a moment. */
		while (!changes)
			sched_yield();
	}
	return at;
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd,
	     off64_t offset)
{
	return mmap(at, size, protection, flags, fd, offset);
}

int munmap(void *at, size_t size)
{
	int ret;

	pthread_mutex_lock(&lock);
	for (struct copy *copy = copies; active && copy < copies + COPIES;
	     copy++) {
		if (!at || copy->bytes != at)
			continue;
		if (copy->end)
			syscall(SYS_munmap, copy->end, PAGE);
		copy->bytes = NULL;
	}
	ret = (int)syscall(SYS_munmap, at, size);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Bytes of a mapped file that are given back come back; those of a copy
 * would not. */
int madvise(void *at, size_t size, int advice)
{
	bool copied = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; active && i < COPIES; i++)
		copied |= copies[i].bytes &&
			  (uintptr_t)at - (uintptr_t)copies[i].bytes <
				  copies[i].size;
	pthread_mutex_unlock(&lock);
	return copied ? 0 : (int)syscall(SYS_madvise, at, size, advice);
}
