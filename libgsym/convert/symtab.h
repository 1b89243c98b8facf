/* SPDX-License-Identifier: MIT */
/*
 * convert/symtab.h - symbols of a container to records.
 *
 * Taken are functions and untyped symbols in executable sections: functions
 * with a size as GSYM_RANK_SYMBOL, cut at the end of their section, all
 * others as labels that cannot cross it.  Left out are empty names and the
 * untyped ones that begin with '$', which mark where code and data of ARM,
 * AArch64 and RISC-V begin.  Overlaps, nesting and equal starts are the
 * sink's business.  Knows nothing of ELF and of debug info.
 */
#ifndef GSYM_CONVERT_SYMTAB_H
#define GSYM_CONVERT_SYMTAB_H

#include "container/container.h"

/** Hand the symbols of CONTAINER to SINK, in their order; warnings go to
 *  OPTIONS.  The bytes of the tables are added to FACTS->input_bytes. */
enum gsym_status gsym_symtab_convert(const struct gsym_container *container,
				     const struct gsym_convert_options *options,
				     const struct gsym_sink *sink,
				     struct gsym_convert_facts *facts,
				     struct gsym_error *error);

/** What the binding of SYMBOL makes of its name. */
enum gsym_name_kind gsym_symtab_name_kind(const struct gsym_symbol *symbol);

#endif
