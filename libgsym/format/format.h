/* SPDX-License-Identifier: MIT */
/*
 * format/format.h - the constants of GSYM v1 and v2, as gsym(5) describes
 * them and llvm/DebugInfo/GSYM (Header.h, HeaderV2.h, GlobalData.h,
 * FunctionInfo.h, LineTable.cpp) defines them.
 */
#ifndef GSYM_FORMAT_FORMAT_H
#define GSYM_FORMAT_FORMAT_H

#include <stdint.h>

#define GSYM_MAGIC 0x4753594du

enum {
	GSYM_V1_HEADER_SIZE = 48,
	GSYM_V1_MAX_UUID_SIZE = 20,
	GSYM_V2_HEADER_SIZE = 20,
	GSYM_V2_DIRECTORY_ENTRY_SIZE = 20,
	GSYM_CHECKSUM_SIZE = 16,
};

/* The last field of a checksum: "CRCG" in a little-endian file. */
#define GSYM_CHECKSUM_MAGIC 0x47435243u

/* Types of the entries of a v2 directory. */
enum {
	GSYM_V2_END_OF_LIST = 0,
	GSYM_V2_ADDRESSES = 1,
	GSYM_V2_ADDRESS_INFO = 2,
	GSYM_V2_STRINGS = 3,
	GSYM_V2_FILES = 4,
	GSYM_V2_FUNCTIONS = 5,
	GSYM_V2_UUID = 6,
};

/* Opcodes of a line table.  GSYM_LINE_FIRST_SPECIAL and all higher ones are
 * special opcodes, which advance address and line and emit a row. */
enum {
	GSYM_LINE_END = 0,
	GSYM_LINE_SET_FILE = 1,
	GSYM_LINE_ADVANCE_PC = 2,
	GSYM_LINE_ADVANCE_LINE = 3,
	GSYM_LINE_FIRST_SPECIAL = 4,
};

/** OFFSET, or the next multiple of ALIGNMENT, a power of two, after it. */
static inline uint64_t gsym_align_up(uint64_t offset, unsigned alignment)
{
	return (offset + alignment - 1) & ~(uint64_t)(alignment - 1);
}

#endif
