/* SPDX-License-Identifier: MIT */
/*
 * object/wasmview.h - the sections, functions and names of a WebAssembly
 * module, read from bytes in memory.  Allocates nothing.
 *
 * Code has the addresses that DWARF gives it: offsets within the code section,
 * whose first bytes are the number of functions.  A function begins after the
 * bytes that have its size.
 */
#ifndef GSYM_OBJECT_WASMVIEW_H
#define GSYM_OBJECT_WASMVIEW_H

#include "base/cursor.h"
#include "object/name.h"

#include <gsym/types.h>

enum {
	/** Numbers of sections. */
	WASM_CUSTOM = 0,
	WASM_CODE = 10,
	/** Kinds of imports and exports. */
	WASM_FUNCTION = 0,
};

struct wasmview_section {
	uint8_t number;
	/** ".debug_info"; "CODE" for a section that the standard numbers. */
	struct object_name name;
	/** The bytes, after the name. */
	const uint8_t *data;
	size_t size;
	uint64_t offset; /**< of DATA in the file */
};

struct wasmview {
	const uint8_t *bytes;
	size_t size;
	bool wide; /**< memory with addresses of 64 bits (wasm64) */
	/** Where a section breaks off, with all after it; 0: nowhere. */
	uint64_t damaged_at;
	/** The code section, from the number of functions on, and where it is
	 *  in the file. */
	struct gsym_cursor code;
	uint64_t code_offset;
	/** Functions of other modules: they have the first numbers. */
	uint32_t imported;
	/** The contents of the sections "name" and of the exports; empty if
	 *  there are none. */
	struct gsym_cursor names, exports;
};

/** A function, as bytes of the code section. */
struct wasmview_function {
	uint32_t number;
	uint64_t start, end;
};

/** A walk over the functions of a module. */
struct wasmview_walk {
	struct gsym_cursor code;
	uint32_t next;
	uint32_t end;
};

/** Whether a file that begins with the SIZE bytes at BYTES is a module. */
bool gsym_wasmview_matches(const uint8_t *bytes, size_t size);

/** Find the sections of the module in the SIZE bytes at BYTES.
 *  GSYM_ERR_UNSUPPORTED: a component, or another version. */
enum gsym_status gsym_wasmview_open(const uint8_t *bytes, size_t size,
				    struct wasmview *ret,
				    struct gsym_error *error);

/** A cursor at the first section. */
struct gsym_cursor gsym_wasmview_sections(const struct wasmview *view);
/** Read the section at C.  False at the end, or if it breaks off. */
bool gsym_wasmview_section(struct gsym_cursor *c, struct wasmview_section *ret);

/** The address of the first function: the bytes before it are their number. */
uint64_t gsym_wasmview_first(const struct wasmview *view);

struct wasmview_walk gsym_wasmview_functions(const struct wasmview *view);
/** Read the next function.  False after the last one, or where the section
 *  breaks off; the CODE of WALK has failed then. */
bool gsym_wasmview_function(struct wasmview_walk *walk,
			    struct wasmview_function *ret);

/** A cursor over the names of functions in the section "name"; empty if there
 *  are none. */
struct gsym_cursor gsym_wasmview_names(const struct wasmview *view);
/** Read the next name, of function *NUMBER.  False after the last one. */
bool gsym_wasmview_name(struct gsym_cursor *c, uint32_t *number,
			struct object_name *ret);

/** A cursor over the exports. */
struct gsym_cursor gsym_wasmview_exports(const struct wasmview *view);
/** Read the next export of function *NUMBER.  False after the last one. */
bool gsym_wasmview_export(struct gsym_cursor *c, uint32_t *number,
			  struct object_name *ret);

/** Find the custom section NAME.  False if there is none. */
bool gsym_wasmview_custom(const struct wasmview *view, const char *name,
			  struct wasmview_section *ret);

/** The bytes that C, the contents of a section, begins with, after their
 *  number: a name, a build ID.  SIZE 0 if they break off. */
struct object_name gsym_wasmview_text(struct gsym_cursor *c);

#endif
