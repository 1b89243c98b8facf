/* SPDX-License-Identifier: MIT */
/*
 * bench/embed/lookups.c - the time that lookups take inside a process.
 *
 *	lookups FILE.gsym ADDRESSES WAY ROUNDS
 *
 * ADDRESSES is a file of 64-bit numbers in the byte order of this machine.  WAY
 * is single (gsym_lookup) or many (gsym_lookup_many).  Writes a line for each
 * round: the nanoseconds of CPU time that a lookup took, and the number of
 * frames.
 */
#include <gsym/reader.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	/* The addresses of one call of gsym_lookup_many. */
	BATCH = 256 << 10,
	FRAMES = 4 * BATCH,
};

static struct gsym_frame frames[FRAMES];
static uint32_t first[BATCH + 1];

/* What the caller does with a frame: it reads all numbers. */
static uint64_t use(const struct gsym_frame *f, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += f[i].line + f[i].offset + f[i].function_string +
		       f[i].file;
	return sum;
}

static uint64_t look_up_one(const struct gsym_reader *reader, uint64_t address,
			    uint64_t *sum)
{
	struct gsym_match match;

	if (gsym_lookup(reader, address, 0, frames, FRAMES, &match, NULL) !=
	    GSYM_OK)
		return 0;
	*sum += use(frames, match.frame_count);
	return match.frame_count;
}

static uint64_t single(const struct gsym_reader *reader,
		       const uint64_t *addresses, size_t count, uint64_t *sum)
{
	uint64_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += look_up_one(reader, addresses[i], sum);
	return found;
}

static uint64_t many(const struct gsym_reader *reader,
		     const uint64_t *addresses, size_t count, uint64_t *sum)
{
	uint64_t found = 0;
	size_t done;

	for (; count; addresses += done, count -= done) {
		if (gsym_lookup_many(reader, addresses,
				     count < BATCH ? count : BATCH, 0, frames,
				     FRAMES, first, &done) != GSYM_OK)
			exit(1);
		for (size_t i = 0; i < done; i++)
			*sum += use(frames + first[i], first[i + 1] - first[i]);
		found += first[done];
	}
	return found;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t *read_addresses(const char *path, size_t *count)
{
	FILE *f = fopen(path, "rb");
	uint64_t *addresses;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0)
		exit(1);
	rewind(f);
	*count = (size_t)size / sizeof(*addresses);
	addresses = malloc((size_t)size + 1);
	if (!addresses ||
	    fread(addresses, sizeof(*addresses), *count, f) != *count)
		exit(1);
	fclose(f);
	return addresses;
}

int main(int argc, char **argv)
{
	struct gsym_reader *reader;
	struct gsym_error error;
	uint64_t *addresses;
	size_t count;

	if (argc != 5) {
		fprintf(stderr, "usage: lookups FILE.gsym ADDRESSES "
				"single|many ROUNDS\n");
		return 2;
	}
	if (gsym_open(argv[1], &reader, &error) != GSYM_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
		return 1;
	}
	addresses = read_addresses(argv[2], &count);
	for (int round = atoi(argv[4]); round > 0; round--) {
		uint64_t found, sum = 0;
		double begin = seconds();

		if (!strcmp(argv[3], "many"))
			found = many(reader, addresses, count, &sum);
		else
			found = single(reader, addresses, count, &sum);
		printf("%.1f %" PRIu64 " %" PRIx64 "\n",
		       (seconds() - begin) * 1e9 / (double)count, found, sum);
	}
	free(addresses);
	gsym_close(reader);
	return 0;
}
