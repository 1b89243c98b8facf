/* SPDX-License-Identifier: MIT */
/*
 * dwarf/second_compat.h - the differences between libdwarf 20210528 and
 * libdwarf 0.x, which is later; configure tells them apart.  All other
 * functions that second*.c calls are the same in both.
 */
#ifndef GSYM_DWARF_SECOND_COMPAT_H
#define GSYM_DWARF_SECOND_COMPAT_H

#include "config.h"

#include <dwarf.h>
#include <libdwarf.h>

#include <string.h>

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A

typedef Dwarf_Obj_Access_Interface_a second_interface;
typedef Dwarf_Obj_Access_Methods_a second_methods;
typedef Dwarf_Obj_Access_Section_a second_section_info;
typedef Dwarf_Unsigned second_section_index;
typedef Dwarf_Small second_byte_order;
#define SECOND_BIG_ENDIAN DW_END_big
#define SECOND_LITTLE_ENDIAN DW_END_little

/* The fields have prefixes in 0.x. */
#define SECOND_METHODS(info, order, length, pointer, size, count, load)      \
	{                                                                    \
		.om_get_section_info = (info), .om_get_byte_order = (order), \
		.om_get_length_size = (length),                              \
		.om_get_pointer_size = (pointer),                            \
		.om_get_filesize = (size), .om_get_section_count = (count),  \
		.om_load_section = (load)                                    \
	}
#define SECOND_INTERFACE(object, methods) { (object), (methods) }

static inline void second_fill_info(second_section_info *info,
				    const char *name, uint64_t size)
{
	memset(info, 0, sizeof(*info));
	info->as_name = name;
	info->as_size = size;
}

#else

typedef Dwarf_Obj_Access_Interface second_interface;
typedef Dwarf_Obj_Access_Methods second_methods;
typedef Dwarf_Obj_Access_Section second_section_info;
typedef Dwarf_Half second_section_index;
typedef Dwarf_Endianness second_byte_order;
#define SECOND_BIG_ENDIAN DW_OBJECT_MSB
#define SECOND_LITTLE_ENDIAN DW_OBJECT_LSB

#define SECOND_METHODS(info, order, length, pointer, size, count, load)    \
	{                                                                  \
		.get_section_info = (info), .get_byte_order = (order),     \
		.get_length_size = (length), .get_pointer_size = (pointer), \
		.get_section_count = (count), .load_section = (load)       \
	}
#define SECOND_INTERFACE(object, methods) { (object), (methods) }

static inline void second_fill_info(second_section_info *info,
				    const char *name, uint64_t size)
{
	memset(info, 0, sizeof(*info));
	info->name = name;
	info->size = size;
}

#endif

static inline void second_finish(Dwarf_Debug dbg)
{
#ifdef HAVE_DWARF_OBJECT_FINISH_ALONE
	dwarf_object_finish(dbg);
#else
	Dwarf_Error error = NULL;

	dwarf_object_finish(dbg, &error);
#endif
}

/* Attributes that libdwarf's headers do not have yet. */
enum { SECOND_AT_LLVM_stmt_sequence = 0x3e0c };

#endif
