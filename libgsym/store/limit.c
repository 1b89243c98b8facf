/* SPDX-License-Identifier: MIT */
/* store/limit.c - closes files of a store that are not in use, so that no more
 * are open than the limit. */
#include "store/entry.h"

void gsym_store_idle_add(struct gsym_store_entry *entry)
{
	struct gsym_store_entry *ring = &entry->store->idle;

	entry->before = ring->before;
	entry->after = ring;
	ring->before->after = entry;
	ring->before = entry;
}

void gsym_store_idle_remove(struct gsym_store_entry *entry)
{
	if (!entry->after)
		return;
	entry->before->after = entry->after;
	entry->after->before = entry->before;
	entry->before = entry->after = NULL;
}

/* Close the files of the entry that was not in use for the longest time.
 * Returns false if all entries with open files are in use. */
static bool close_oldest(struct gsym_store *store)
{
	struct gsym_store_entry *oldest = store->idle.after;

	if (oldest == &store->idle)
		return false;
	gsym_store_idle_remove(oldest);
	store->open -= (size_t)(oldest->reader != NULL) +
		       (size_t)(oldest->symbols != NULL);
	gsym_close(oldest->reader);
	gsym_symbols_close(oldest->symbols);
	oldest->reader = NULL;
	oldest->symbols = NULL;
	oldest->symbols_tried = false;
	return true;
}

void gsym_store_keep_limit(struct gsym_store *store, size_t more)
{
	while (store->limit && store->open + more > store->limit &&
	       close_oldest(store))
		;
}
