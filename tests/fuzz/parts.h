/* SPDX-License-Identifier: MIT */
/*
 * tests/fuzz/parts.h - what several fuzz targets need: inputs of several parts,
 * files for functions that take paths, files of testdata, and the end of the
 * process if a promise is broken.
 */
#ifndef GSYM_TESTS_FUZZ_PARTS_H
#define GSYM_TESTS_FUZZ_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Abort unless CONDITION holds. */
#define fuzz_require(condition)                                          \
	((condition) ? (void)0                                           \
		     : fuzz_stop(__FILE__, __LINE__, #condition))
/** Write FILE, LINE and WHY to standard error, and abort. */
_Noreturn void fuzz_stop(const char *file, int line, const char *why);

/** A part of an input.  In the input the size of each part, in four
 *  little-endian bytes, precedes the part; the last part is the rest. */
struct fuzz_part {
	const uint8_t *bytes;
	size_t size;
};

/** Divide the SIZE bytes at DATA into COUNT PARTS.  Those that the input does
 *  not have are empty. */
void fuzz_divide(const uint8_t *data, size_t size, struct fuzz_part *parts,
		 size_t count);
/** The input of the COUNT PARTS, malloc'ed. */
uint8_t *fuzz_join(const struct fuzz_part *parts, size_t count, size_t *size);

/** The path of a folder of the process, which is removed with its files when
 *  the process exits.  It is in the folder that GSYM_FUZZ_FILES names, or in
 *  memory, or in /tmp. */
const char *fuzz_folder(void);
/** Write PART to the file NAME of the folder; NAME may begin with folders.
 *  Returns the path, which is valid until the call after the next one. */
const char *fuzz_write(const char *name, struct fuzz_part part);
/** Remove the file NAME of the folder, if it is there. */
void fuzz_remove(const char *name);

/** The bytes of the file NAME of testdata, malloc'ed. */
uint8_t *fuzz_testdata(const char *name, size_t *size);

#ifdef GSYM_LIBFUZZER
/** A function as LLVMFuzzerCustomMutator. */
typedef size_t fuzz_mutator(uint8_t *data, size_t size, size_t most,
			    unsigned seed);
/** For LLVMFuzzerCustomMutator: change one of the COUNT parts of an input with
 *  MUTATOR (NULL: libFuzzer's). */
size_t fuzz_mutate_part(uint8_t *data, size_t size, size_t most, unsigned seed,
			size_t count, fuzz_mutator *mutator);
#endif

#endif
