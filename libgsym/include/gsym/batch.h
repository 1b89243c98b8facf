/* SPDX-License-Identifier: MIT */
/*
 * gsym/batch.h - look up many addresses of many programs, and hand the answers
 * over as columns of Apache Arrow.
 *
 *	struct gsym_batch *batch = gsym_batch_new(store, GSYM_BATCH_FRAMES);
 *	struct ArrowSchema schema;
 *	struct ArrowArray array;
 *
 *	gsym_batch_add(batch, id, 20, addresses, count);
 *	if (gsym_batch_finish(batch, &array, &schema, NULL) == GSYM_OK)
 *		use(&array, &schema);	// releases both
 *	gsym_batch_free(batch);
 *
 * The answers are one struct array, which consumers read as a record batch.  It
 * has one row for each address, in the order of the calls of gsym_batch_add.
 * Its columns, of which the flags of gsym_batch_new choose all but the first:
 *
 *	status	int8, not null: 0 found, 1 no function covers the address,
 *		2 no GSYM file has the build ID, 3 the record of the address
 *		is damaged, 4 the build ID has no byte or more than 256, 5 the
 *		file with the build ID cannot be opened: look up again
 *	frames	list of structs, not null, the innermost frame first; empty if
 *		the status is not 0
 *	folded	utf8: the functions of all frames, the outermost first, with
 *		';' between them; null if the status is not 0
 *	leaf	utf8: the function of the innermost frame, as in folded; null
 *		if the status is not 0
 *
 * The members of the structs in frames, which are never null:
 *
 *	function	utf8: the name in the file, not demangled
 *	file		utf8: directory and base name; "" if not known
 *	line		int32; 0 if not known
 *	offset		int64: the address minus the start of the function
 *	inlined		bool
 *
 * Each byte of a text that is not UTF-8 becomes U+FFFD.  In folded and leaf, a
 * name has ':' for ';', "\\" for a backslash, "\t", "\n", "\r" or "\x1b" for
 * control characters, "\xe2\x80\xae" for marks that change the direction of
 * text, and "??" if it is empty, as in gsym-lookup --stream=folded.
 *
 * Threads: a batch belongs to one thread at a time.  Batches of several threads
 * may share a store.  All functions may allocate, so none may be called in
 * signal handlers.
 */
#ifndef GSYM_BATCH_H
#define GSYM_BATCH_H

#include <gsym/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The Arrow C data interface: the structs and names that its specification
 * tells each producer and consumer to declare, with this guard.  They never
 * change. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;

	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;

	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

/** Addresses that wait for gsym_batch_finish.  Made by gsym_batch_new, freed
 *  by gsym_batch_free. */
struct gsym_batch;

/** The columns of a batch besides status, combined with |. */
enum {
	GSYM_BATCH_FRAMES = 1 << 0,
	GSYM_BATCH_FOLDED = 1 << 1,
	GSYM_BATCH_LEAF = 1 << 2,
};

/** A new batch without addresses, whose build IDs are found in STORE.  STORE
 *  has to stay until gsym_batch_free.  FLAGS names the columns; 0 gives status
 *  alone.  Without FRAMES the lookups read no line tables.  NULL without
 *  memory, and if STORE is NULL or a flag is not known. */
GSYM_API struct gsym_batch *gsym_batch_new(struct gsym_store *store,
					   unsigned flags);

/** Free BATCH, which may be NULL.  What gsym_batch_finish handed out stays
 *  valid. */
GSYM_API void gsym_batch_free(struct gsym_batch *batch);

/**
 * Add the COUNT addresses at ADDRESSES, which the program with the build ID of
 * the ID_SIZE bytes at ID was linked to.  Both are copied.  One batch may have
 * any number of build IDs, in any order.  ID_SIZE 0 and ID_SIZE over 256 give
 * rows with status 4, so that a column with unusable build IDs keeps its rows.
 *
 * GSYM_ERR_LIMIT: the batch would have more than 2^31-1 addresses.
 * GSYM_ERR_ARGUMENT: BATCH is NULL, or ID or ADDRESSES is NULL although it has
 * elements.  GSYM_ERR_MEMORY.  With any of these nothing was added.
 */
GSYM_API enum gsym_status gsym_batch_add(struct gsym_batch *batch,
					 const uint8_t *id, size_t id_size,
					 const uint64_t *addresses,
					 size_t count);

/**
 * Look all addresses of BATCH up, and set ARRAY and SCHEMA to the answers.  The
 * caller calls ARRAY->release(ARRAY) and SCHEMA->release(SCHEMA), or hands both
 * to a consumer that does so.  Both own their memory: they stay valid after
 * gsym_batch_free and gsym_store_free, and may be released by any thread.
 * BATCH has no addresses then, and may be used again.
 *
 * Files are found once for each build ID, and are in use (gsym_store_release)
 * until the call returns.  Memory: besides the answers, 12 bytes for each
 * address and a struct gsym_frame for each frame, and up to 32 MiB.
 *
 * GSYM_ERR_LIMIT: the texts of a column have more than 2^31-1 bytes, or there
 * are more than 2^31-1 frames.  GSYM_ERR_ARGUMENT: BATCH, ARRAY or SCHEMA is
 * NULL.  GSYM_ERR_MEMORY.  With any of these ARRAY and SCHEMA are as they were,
 * and BATCH keeps its addresses.
 */
GSYM_API enum gsym_status gsym_batch_finish(struct gsym_batch *batch,
					    struct ArrowArray *array,
					    struct ArrowSchema *schema,
					    struct gsym_error *error);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_BATCH_H */
