/* SPDX-License-Identifier: MIT */
/*
 * go/moduledata.h - reads the module data of the Go runtime: a struct, laid
 * out differently in each release since Go 1.18, that says where the text and
 * the inline trees of a function table lie.
 */
#ifndef GSYM_GO_MODULEDATA_H
#define GSYM_GO_MODULEDATA_H

#include "go/go.h"
#include "go/linker.h"

/** Complete GO->table, whose header was read, from the module data, symbols
 *  and code of CONTAINER: the address of the text and of the inline trees.
 *  False if the table's functions do not lie in code: it is no function
 *  table. */
bool gsym_moduledata_apply(struct gsym_go *go,
			   const struct gsym_container *container,
			   const struct go_symbols *symbols);

#endif
