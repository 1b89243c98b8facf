/* SPDX-License-Identifier: MIT */
/* converter.h - runs gsym-create within limits of time and memory. */
#ifndef TOOLS_COMMON_CONVERTER_H
#define TOOLS_COMMON_CONVERTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The limits of a conversion. */
struct converter {
	/** The most seconds. */
	uint64_t seconds;
	/** The most bytes; 0: 1 GiB and 32 times the size of the input. */
	uint64_t memory;
	/** A descriptor that can be read when the conversion shall end early;
	 *  -1: there is none. */
	int wake;
	/** The open file that INPUT names, as /proc/self/fd/N: the converter
	 *  inherits this descriptor alone.  0: INPUT is another path. */
	int input;
	/** The messages of gsym-create are dropped. */
	bool silent;
	/** Variables are kept, too: --data-symbols. */
	bool data;
	/** --debug-file; NULL: gsym-create searches. */
	const char *debug_file;
};

/** The program NAME of this package: the one in the folder of this program,
 *  whose path is written to the SIZE bytes at PATH, or else NAME itself, for
 *  execvp to search. */
const char *converter_program(const char *name, char *path, size_t size);

/** Run "gsym-create --quiet --sandbox=try OPTION OUTPUT -- INPUT" with the
 *  options that C asks for.  gsym-create is taken from the folder of this
 *  program, or else from PATH.  It ends when this process ends.  Returns NULL
 *  on success, else the reason of the failure. */
const char *converter_run(const struct converter *c, const char *option,
			  const char *output, const char *input);

#endif /* TOOLS_COMMON_CONVERTER_H */
