/* SPDX-License-Identifier: MIT */
/*
 * support/macho_builder.h - builds Mach-O files in memory, of either width and
 * byte order.  Numbers are written as given, sound or not.
 */
#ifndef TESTS_SUPPORT_MACHO_BUILDER_H
#define TESTS_SUPPORT_MACHO_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machob;

/** BITS is 32 or 64; TYPE is MH_*. */
struct machob *machob_new(unsigned bits, bool big_endian, uint32_t type,
			  uint32_t cpu, uint32_t subtype);
void machob_free(struct machob *b);

/** Begin a segment; sections that are added later belong to it.  FILE_SIZE goes
 *  into its load command and has no other effect. */
void machob_segment(struct machob *b, const char *name, uint64_t address,
		    uint64_t file_size);

struct machob_section {
	const char *name;    /**< copied */
	const char *segment; /**< of the section's header; not copied */
	uint32_t flags;
	uint64_t address;
	const void *data; /**< copied; NULL: none in the file */
	size_t size;
	uint32_t reserved1, reserved2;
	/** Relocation entries as pairs of words; not copied. */
	const uint32_t *relocations;
	uint32_t relocation_count;
};

/** Add a section; returns its number, from 1 on. */
size_t machob_section(struct machob *b, const struct machob_section *section);
void machob_symbol(struct machob *b, const char *name, uint8_t type,
		   uint8_t section, uint16_t description, uint64_t value);
void machob_indirect(struct machob *b, uint32_t number);
void machob_starts(struct machob *b, const void *bytes, size_t size);
void machob_uuid(struct machob *b, const uint8_t uuid[16]);

/** The file, malloc'ed. */
uint8_t *machob_finish(struct machob *b, size_t *size);

/** The offset of the first load command of TYPE in a file that machob_finish
 *  made; 0 if there is none. */
size_t machob_command(const uint8_t *bytes, size_t size, uint32_t type);
/** Overwrite the word at OFFSET in the byte order of the file. */
void machob_patch(uint8_t *bytes, size_t offset, uint32_t word);

/** A program for machob_universal. */
struct machob_slice {
	uint32_t cpu, subtype;
	const uint8_t *bytes;
	size_t size;
};

/** A universal file of COUNT programs, with 32- or 64-bit offsets. */
uint8_t *machob_universal(unsigned bits, const struct machob_slice *slices,
			  size_t count, size_t *size);

#endif
