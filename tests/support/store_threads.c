/* SPDX-License-Identifier: MIT */
/*
 * Many threads use one store at once: tests/cli/store-threads.sh builds this
 * program with ThreadSanitizer.
 *
 *	store_threads FOLDER COUNT
 *
 * FOLDER is a debug folder.  For each N from 0 up to COUNT it has the file of
 * the build ID of 8 bytes N: .build-id/NN/0000000000NN.debug.gsym, a GSYM file
 * with the function "fN" at 0x1000, if N is even, and an ELF file beside it.
 */
#include <gsym/store.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 400 };

static struct gsym_store *store;
static unsigned count, limit;
static _Atomic unsigned failures;

static void fail(const char *what, unsigned which)
{
	fprintf(stderr, "%s: build id %u\n", what, which);
	failures++;
}

/* Find build ID WHICH and use all that the store has for it. */
static void use(unsigned which)
{
	uint8_t id[8];
	const struct gsym_store_entry *entry;
	struct gsym_store_symbol symbol;
	struct gsym_frame frame;
	enum gsym_status status;
	char name[16];

	memset(id, (int)which, sizeof(id));
	snprintf(name, sizeof(name), "f%u", which);
	status = gsym_store_find(store, id, sizeof(id), &entry, NULL);
	if ((status == GSYM_OK) != (which < count && which % 2 == 0))
		fail("another result", which);
	if (status == GSYM_OK) {
		if (gsym_lookup(gsym_store_reader(entry), 0x1000, 0, &frame, 1,
				NULL, NULL) != GSYM_OK ||
		    strcmp(frame.function, name) != 0)
			fail("another function", which);
		gsym_store_symbol_at(entry, 0x1000, 0, &symbol);
		if (!strstr(gsym_store_path(entry), ".debug.gsym"))
			fail("another path", which);
		gsym_store_release(entry);
	}
	status = gsym_store_find_symbols(store, id, sizeof(id), &entry, NULL);
	if ((status == GSYM_OK) != (which < count))
		fail("another result for symbols", which);
	if (status != GSYM_OK)
		return;
	if (gsym_store_symbol_at(entry, 0x2000, GSYM_STORE_FAR, &symbol) !=
		    GSYM_OK || strcmp(symbol.name, "known") != 0)
		fail("another symbol", which);
	gsym_store_release(entry);
}

static void *work(void *context)
{
	unsigned seed = *(const unsigned *)context;

	for (unsigned i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245 + 12345;
		use((seed >> 16) % (count + 2));
		if (i % 100 == 50)
			gsym_store_retry(store);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	unsigned seeds[THREADS];

	if (argc != 3)
		return 2;
	count = (unsigned)atoi(argv[2]);
	for (limit = 0; limit <= 3; limit += 3) {
		store = gsym_store_new();
		if (!store ||
		    gsym_store_add_debug_directory(store, argv[1]) != GSYM_OK)
			return 2;
		gsym_store_set_limit(store, limit);
		for (unsigned i = 0; i < THREADS; i++) {
			seeds[i] = i;
			if (pthread_create(&threads[i], NULL, work, &seeds[i]))
				return 2;
		}
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		gsym_store_free(store);
	}
	printf("%u failures\n", failures);
	return failures ? 1 : 0;
}
