/* SPDX-License-Identifier: MIT */
/*
 * With libFuzzer (GSYM_LIBFUZZER, see tests/fuzz/run): writes the seeds of a
 * fuzz target to the folder that GSYM_FUZZ_SEEDS names.
 *
 * Without: the main() of a fuzz target.  With arguments it runs the
 * target on these files.  Without arguments it runs the target on the target's
 * seeds, unchanged and with mutations that are the same in every run: bytes are
 * overwritten, removed or repeated.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GSYM_LIBFUZZER
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = getenv("GSYM_FUZZ_SEEDS");
	uint8_t *seed;
	size_t size;

	(void)argc;
	(void)argv;
	for (unsigned i = 0; folder && (seed = fuzz_seed(i, &size)); i++) {
		char path[4096];
		FILE *to;

		snprintf(path, sizeof(path), "%s/seed%u", folder, i);
		to = fopen(path, "wb");
		if (!to || fwrite(seed, 1, size, to) != size) {
			perror(path);
			exit(2);
		}
		fclose(to);
		free(seed);
	}
	return 0;
}
#else

/* Mutations of all seeds together. */
#ifndef FUZZ_MUTATIONS
#define FUZZ_MUTATIONS 24000
#endif

/* The copy has exactly SIZE bytes, so a sanitizer notices reads beyond its
 * end. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(99);
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static uint32_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Change some of the SIZE bytes; returns the new size, which may be smaller. */
static size_t mutate(uint8_t *bytes, size_t size, uint64_t *state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };
	unsigned changes = 1 + next(state) % 4;

	for (unsigned i = 0; i < changes && size; i++) {
		size_t at = next(state) % size;
		size_t length = 1 + next(state) % 8;
		size_t from = next(state) % size;

		if (length > size - at)
			length = size - at;
		switch (next(state) % 8) {
		case 0:
			size = at;
			break;
		case 1:
			if (length > size - from)
				length = size - from;
			memmove(bytes + at, bytes + from, length);
			break;
		case 2:
			memset(bytes + at, values[next(state) % 6], length);
			break;
		case 3:
			bytes[at] = values[next(state) % 6];
			break;
		default:
			bytes[at] ^= (uint8_t)(1u << next(state) % 8);
		}
	}
	return size;
}

static void run_seed(const uint8_t *seed, size_t size, unsigned mutations)
{
	uint8_t *bytes = malloc(size ? size : 1);
	uint64_t state = 1;

	if (!bytes)
		exit(99);
	run(seed, size);
	for (unsigned i = 0; i < mutations; i++) {
		memcpy(bytes, seed, size);
		run(bytes, mutate(bytes, size, &state));
	}
	free(bytes);
}

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	long size = -1;
	uint8_t *bytes;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size < 0) {
		perror(path);
		return 2;
	}
	rewind(f);
	bytes = malloc((size_t)size + 1);
	if (!bytes || fread(bytes, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		return 2;
	}
	fclose(f);
	run(bytes, (size_t)size);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned seeds = 0;
	uint8_t *seed;
	size_t size;

	for (int i = 1; i < argc; i++)
		if (replay(argv[i]))
			return 2;
	if (argc > 1)
		return 0;
	for (; (seed = fuzz_seed(seeds, &size)); seeds++)
		free(seed);
	if (!seeds)
		return 1;
	for (unsigned i = 0; i < seeds; i++) {
		seed = fuzz_seed(i, &size);
		if (seed)
			run_seed(seed, size, FUZZ_MUTATIONS / seeds);
		free(seed);
	}
	return 0;
}
#endif
