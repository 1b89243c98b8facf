/* SPDX-License-Identifier: MIT */
/* macho/constants.h - the numbers of Mach-O that are needed here, as Apple's
 * <mach-o/loader.h>, <mach-o/fat.h>, <mach-o/nlist.h> and <mach/machine.h>
 * name them. */
#ifndef GSYM_MACHO_CONSTANTS_H
#define GSYM_MACHO_CONSTANTS_H

/* The first word of a file. */
#define MH_MAGIC 0xfeedfaceu
#define MH_MAGIC_64 0xfeedfacfu
#define FAT_MAGIC 0xcafebabeu
#define FAT_MAGIC_64 0xcafebabfu

/* Protection of a segment. */
enum { VM_PROT_WRITE = 2, VM_PROT_EXECUTE = 4 };

enum macho_file_type {
	MH_OBJECT = 1,
	MH_CORE = 4,
	MH_DYLIB_STUB = 9,
	MH_DSYM = 10,
	MH_FILESET = 12,
};

enum macho_command {
	LC_SEGMENT = 0x1,
	LC_SYMTAB = 0x2,
	LC_DYSYMTAB = 0xb,
	LC_SEGMENT_64 = 0x19,
	LC_UUID = 0x1b,
	LC_FUNCTION_STARTS = 0x26,
	LC_DYLD_CHAINED_FIXUPS = 0x34,
};

/* A flag of a command: a loader that does not know the command does not start
 * the program. */
#define LC_REQ_DYLD 0x80000000u

/* Flags of a section. */
#define SECTION_TYPE 0xffu
#define S_ZEROFILL 0x1u
#define S_SYMBOL_STUBS 0x8u
#define S_GB_ZEROFILL 0xcu
#define S_THREAD_LOCAL_ZEROFILL 0x12u
#define S_ATTR_SOME_INSTRUCTIONS 0x400u
#define S_ATTR_PURE_INSTRUCTIONS 0x80000000u

/* n_type and n_desc of a symbol. */
#define N_STAB 0xe0u
#define N_TYPE 0x0eu
#define N_EXT 0x01u
#define N_SECT 0x0eu
#define N_WEAK_DEF 0x80u

/* n_type of symbols for debuggers, as <mach-o/stab.h> has them. */
enum macho_stab {
	N_GSYM = 0x20,
	N_FUN = 0x24,
	N_STSYM = 0x26,
	N_LCSYM = 0x28,
	N_SO = 0x64,
	N_OSO = 0x66,
};

/* Entries of the indirect symbol table that are no symbol numbers. */
#define INDIRECT_SYMBOL_LOCAL 0x80000000u
#define INDIRECT_SYMBOL_ABS 0x40000000u

#define R_SCATTERED 0x80000000u

#define CPU_ARCH_ABI64 0x01000000u
#define CPU_ARCH_ABI64_32 0x02000000u
#define CPU_SUBTYPE_MASK 0xff000000u

enum macho_cpu {
	CPU_TYPE_X86 = 7,
	CPU_TYPE_ARM = 12,
	CPU_TYPE_POWERPC = 18,
};

#endif
