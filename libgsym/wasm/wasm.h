/* SPDX-License-Identifier: MIT */
/*
 * wasm/wasm.h - a WebAssembly module as a container: its code, DWARF in custom
 * sections, names of functions, build ID; and the debug file that it names.
 *
 * Addresses are those of the DWARF: offsets within the code section.
 */
#ifndef GSYM_WASM_WASM_H
#define GSYM_WASM_WASM_H

#include "container/container.h"

/**
 * Load a module; see gsym_container_load_fn.  What is after a damaged section
 * is left out, and noted among the container's warnings.
 *
 * GSYM_ERR_FORMAT: no module; GSYM_ERR_UNSUPPORTED: a component, or another
 * version; GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_wasm_load;

/**
 * Open the debug file of PROGRAM, which was loaded from PATH.  *FOUND becomes
 * its path, malloc'ed.  If the options name a debug file, that is the only
 * candidate.  Else the candidates are .build-id/hh/rest.debug in each tree, the
 * file that the section external_debug_info names, relative to the folder of
 * PATH, and its last component in that folder.  No server is asked.
 *
 * The right file has the build ID of PROGRAM, or, if one of the two has none,
 * the same code.  If a file is named and not found, that is noted among
 * PROGRAM's warnings.
 *
 * GSYM_NOT_FOUND: there is no debug file.  If the options name the file:
 * GSYM_ERR_ARGUMENT: it belongs to another program; all errors of loading it.
 * GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_wasm_find_debug(const struct gsym_find *find,
				      const char *path,
				      struct gsym_container *program,
				      struct gsym_container **ret,
				      char **found, struct gsym_error *error);

#endif
