/* SPDX-License-Identifier: MIT */
/*
 * process/process.h - what the files of the room share: mappings, the files
 * that are mapped, and modules:
 *
 *	maps.c     the arrays of mappings and modules; the text of a maps file
 *	self_*.c   the segments that the dynamic linker of this process knows
 *	divide.c   mapped files: which mappings are a module, and its bias
 *	kernel.c   the symbols of a running kernel
 *	perfmap.c  the functions of a JIT compiler
 *	process.c  opens processes and kernels, lists modules, looks up
 */
#ifndef GSYM_PROCESS_PROCESS_H
#define GSYM_PROCESS_PROCESS_H

#include <gsym/process.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/vec.h"
#include "object/object.h"

/** No module. */
#define GSYM_PROCESS_NONE UINT32_MAX

/** A mapping: a line of a maps file, or a loaded segment. */
struct gsym_mapping {
	uint64_t start, end;
	uint64_t offset; /**< in the mapped file */
	uint64_t inode;	 /**< 0: not known */
	/** The path, of LENGTH bytes, in the arena; "" for memory without a
	 *  name. */
	const char *path;
	size_t length;
	enum gsym_process_kind kind;
	bool executable;
	uint32_t module;
};

/** A module, as the caller sees it, and what belongs to PROCESS. */
struct gsym_loaded {
	struct gsym_process_module shown;
	/** Of its first mapping; 0: not known. */
	uint64_t inode;
	bool executable;
	/** The store's entry that the reader belongs to, which is in use;
	 *  NULL if gsym_process_load opened the reader itself. */
	const struct gsym_store_entry *entry;
	/** The reader is that of another module. */
	bool borrowed;
};

/** A function that kallsyms lists. */
struct gsym_kernel_symbol {
	uint64_t address;
	const char *name; /**< in TEXT of the process */
	uint32_t module;
};

/** A function that a JIT compiler has listed. */
struct gsym_jit_symbol {
	uint64_t start, end;
	const char *name; /**< in JIT_TEXT of the process */
};

struct gsym_process {
	/** Paths and build IDs. */
	struct gsym_arena arena;
	struct {
		GSYM_VEC(struct gsym_mapping);
	} mappings;
	struct {
		GSYM_VEC(struct gsym_loaded);
	} modules;
	/** The folder that paths of modules are below; NULL: no file may be
	 *  read. */
	const char *root;
	/** Of a kernel: the text of kallsyms, its functions by address, and the
	 *  number of modules that it names, which come first. */
	struct gsym_fd_bytes text;
	struct {
		GSYM_VEC(struct gsym_kernel_symbol);
	} symbols;
	uint32_t base_modules;
	/** The functions of a JIT compiler, by address; none overlap. */
	struct {
		GSYM_VEC(struct gsym_jit_symbol);
	} jit;
	struct gsym_fd_bytes jit_text;
	/** The process whose memory may be read; 0: none. */
	int64_t pid;
};

/** A new process without mappings; NULL without memory. */
struct gsym_process *gsym_process_new(int64_t pid, const char *root);
/** Append the file PATH to TEXT.  GSYM_ERR_IO, GSYM_ERR_MEMORY. */
enum gsym_status gsym_process_read(const char *path,
				   struct gsym_fd_bytes *text,
				   struct gsym_error *error);
/** Add a module that begins with MAPPING; MAPPING->module becomes its index.
 *  NULL without memory. */
struct gsym_loaded *gsym_process_add_module(struct gsym_process *p,
					    struct gsym_mapping *mapping);
/** Let MAPPING belong to the module INDEX. */
void gsym_process_join(struct gsym_process *p, struct gsym_mapping *mapping,
		       uint32_t index);
/** Sort mappings by address. */
void gsym_process_sort(struct gsym_process *p);
/** Set the build ID of M to a copy of the SIZE bytes at ID; false without
 *  memory. */
bool gsym_process_set_id(struct gsym_process *p, struct gsym_process_module *m,
			 const uint8_t *id, size_t size);

/** Add the mappings of the SIZE bytes at TEXT, a maps file. */
enum gsym_status gsym_process_parse(struct gsym_process *p, const char *text,
				    size_t size, struct gsym_error *error);
/** Divide the mappings into modules, and read the mapped files for it. */
enum gsym_status gsym_process_divide(struct gsym_process *p,
				     struct gsym_error *error);

/* ---- self_*.c: what the dynamic linker of the calling process knows ----- */

/** A program or library that the dynamic linker knows. */
struct gsym_self_object {
	uint64_t bias;
	const uint8_t *id; /**< in the object itself */
	size_t id_size;
	uint32_t module;
};

struct gsym_self {
	struct gsym_process *process;
	GSYM_VEC(struct gsym_self_object);
};

/** Append an object at BIAS; NULL without memory. */
struct gsym_self_object *gsym_self_add(struct gsym_self *self, uint64_t bias);
/** Add a mapping of the last object, whose path is PATH, with the other members
 *  of LOADED, of SIZE bytes.  False without memory. */
bool gsym_self_map(struct gsym_self *self, const char *path,
		   struct gsym_mapping loaded, uint64_t size);

/** Append all objects to SELF, and a mapping for each loaded segment.  The
 *  build takes one of the files self_*.c.  GSYM_ERR_MEMORY;
 *  GSYM_ERR_UNSUPPORTED: the dynamic linker of this system is unknown. */
enum gsym_status gsym_self_collect(struct gsym_self *self);

/* ---- perfmap.c: the functions of a JIT compiler ------------------------- */

/** Read the functions that P, a running process, lists in /tmp/perf-PID.map, as
 *  it sees /tmp; a file that another user wrote is left out.  False without
 *  memory. */
bool gsym_perfmap_read(struct gsym_process *p);

/** The function that covers ADDRESS; NULL if there is none. */
const struct gsym_jit_symbol *gsym_perfmap_find(const struct gsym_process *p,
						uint64_t address);

/* ---- kernel.c: the symbols of a running kernel -------------------------- */

/** Take the symbols of functions from P->text, a copy of kallsyms, sorted by
 *  address; P gets a module for the kernel and for each module of the kernel.
 *  GSYM_ERR_FORMAT: a line is no line of kallsyms.  GSYM_ERR_IO: all addresses
 *  are 0, because the kernel hides them.  GSYM_ERR_MEMORY. */
enum gsym_status gsym_kernel_parse(struct gsym_process *p,
				   struct gsym_error *error);

/** The symbol that covers ADDRESS, of several with one start the first; NULL if
 *  there is none. */
const struct gsym_kernel_symbol *
gsym_kernel_find(const struct gsym_process *p, uint64_t address);

/** Make the mappings of P anew.  Where the functions of each module with GSYM
 *  data are is found out by their names, and the module is divided into one for
 *  each bias, and one without GSYM data for the symbols that the data lack.
 *  False without memory. */
bool gsym_kernel_place(struct gsym_process *p);

#endif
