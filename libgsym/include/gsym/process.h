/* SPDX-License-Identifier: MIT */
/*
 * gsym/process.h - from a run-time address of a process to the program or
 * library that is mapped there, its build ID and the address that it was linked
 * to; and, with a store of GSYM files, to functions, files and lines.
 *
 *	struct gsym_process *process;
 *	struct gsym_frame frames[16];
 *	struct gsym_match match;
 *
 *	if (gsym_process_open(pid, &process, NULL) != GSYM_OK)
 *		return;
 *	gsym_process_load(process, store, NULL);
 *	if (gsym_process_lookup(process, pc, 0, frames, 16, &match, NULL) ==
 *	    GSYM_OK)
 *		puts(frames[0].function);
 *	gsym_process_close(process);
 *
 * A struct gsym_process is a picture of the moment when it was opened: it does
 * not follow libraries that are loaded later.
 *
 * Sources: proc(5) for /proc/PID/maps, dl_iterate_phdr(3), and the System V ABI
 * for program headers and notes.
 *
 * Threads: gsym_process_load and gsym_process_close change a process; no other
 * thread may use it during these calls.  All other functions only read it and
 * may be called from any threads at once.
 *
 * Signal handlers: gsym_process_find, gsym_process_get_module,
 * gsym_process_module_count, gsym_process_lookup and gsym_process_lookup_many
 * may be called there, with NULL for the error.  They neither allocate nor lock
 * nor read files: so a crash handler opens and loads its own process at the
 * start of the program, and looks addresses up in the handler.
 *
 * Hostile input: whatever the text of a maps file and the bytes of the mapped
 * files are, no function reads outside them, and time is about linear in the
 * size of the text.
 */
#ifndef GSYM_PROCESS_H
#define GSYM_PROCESS_H

#include <gsym/reader.h>
#include <gsym/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The memory map of a process.  Closed with gsym_process_close. */
struct gsym_process;

/* ---- opening ------------------------------------------------------------ */

/**
 * Read the memory map of the running process PID from /proc/PID/maps.  Of each
 * mapped file the headers and the build ID are read: from
 * /proc/PID/map_files, else below /proc/PID/root if the file there still has
 * the inode of the mapping, else from the memory of the process.  A file that
 * cannot be read any of these ways has no build ID, and its bias is a guess.
 *
 * GSYM_ERR_IO: there is no such process, or its map cannot be read (it belongs
 * to another user).  GSYM_ERR_FORMAT: as gsym_process_open_maps.
 * GSYM_ERR_ARGUMENT: PID is not positive, or RET is NULL.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_open(int64_t pid,
					    struct gsym_process **ret,
					    struct gsym_error *error);

/**
 * As gsym_process_open, from the SIZE bytes at MAPS, the text of a maps file,
 * perhaps of another machine.  Mapped files are read below the folder ROOT: ""
 * stands for this machine, NULL for nowhere.  Nothing says that a file below
 * ROOT is the one that was mapped: compare build IDs.  MAPS and ROOT are not
 * needed after the call.
 *
 * GSYM_ERR_FORMAT: a line is no line of a maps file; the error's offset is that
 * of the line in MAPS.  GSYM_ERR_ARGUMENT: MAPS or RET is NULL.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_open_maps(const char *maps, size_t size,
						 const char *root,
						 struct gsym_process **ret,
						 struct gsym_error *error);

/**
 * The memory map of the calling process, from the dynamic linker
 * (dl_iterate_phdr), without reading any file: programs and libraries alone.
 * For statically linked programs, too.
 *
 * GSYM_ERR_ARGUMENT: RET is NULL.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_open_self(struct gsym_process **ret,
						 struct gsym_error *error);

/** Close PROCESS, which may be NULL, and the GSYM files that
 *  gsym_process_load opened for it.  All pointers that its functions handed out
 *  become invalid. */
GSYM_API void gsym_process_close(struct gsym_process *process);

/* ---- modules ------------------------------------------------------------ */

/** What is mapped. */
enum gsym_process_kind {
	/** A program or library, the file PATH. */
	GSYM_PROCESS_FILE,
	/** A file that was deleted or replaced since it was mapped.  A file of
	 *  the name PATH is another one. */
	GSYM_PROCESS_DELETED,
	/** An ELF file inside the file PATH, as a library inside an APK. */
	GSYM_PROCESS_INSIDE,
	/** A file in memory (memfd_create); PATH is "/memfd:NAME". */
	GSYM_PROCESS_MEMFD,
	/** The code that the kernel maps into each process; PATH is as in the
	 *  maps file, "[vdso]". */
	GSYM_PROCESS_VDSO,
	/** No file: heap, stack, code made at run time.  PATH is as in the
	 *  maps file, "[heap]", or "" for memory without a name. */
	GSYM_PROCESS_MEMORY,
};

/** A program or library in the memory of a process, or memory without one.  A
 *  file that is loaded twice is two modules.  Grows. */
struct gsym_process_module {
	/** The path as the process sees it, below the root of the process.
	 *  Never NULL. */
	const char *path;
	enum gsym_process_kind kind;
	/** The build ID, BUILD_ID_SIZE bytes; NULL and 0 if there is none, or
	 *  the file cannot be read. */
	const uint8_t *build_id;
	size_t build_id_size;
	/** What is added to addresses of the file to get those of the process,
	 *  modulo 2^64; 0 for GSYM_PROCESS_MEMORY. */
	uint64_t bias;
	/** BIAS does not come from the program headers of the file, which could
	 *  not be read, but from the place of its first mapping alone. */
	bool bias_guessed;
	/** The first address of its mappings, and the address after the last
	 *  of them.  Other modules may lie between. */
	uint64_t start;
	uint64_t end;
	/** Offset of the ELF file in the file PATH, in bytes; 0 but for
	 *  GSYM_PROCESS_INSIDE. */
	uint64_t file_offset;
	/** The GSYM data, once gsym_process_load has found some; else NULL.
	 *  Belongs to the process or its store: do not close it. */
	const struct gsym_reader *reader;
};

/** The number of modules of PROCESS. */
GSYM_API uint32_t gsym_process_module_count(const struct gsym_process *process);

GSYM_API enum gsym_status
gsym_process_get_module_sized(const struct gsym_process *process,
			      uint32_t index, struct gsym_process_module *ret,
			      size_t ret_size);
/** Fill RET with module INDEX, from 0 on in the order of first addresses.  Its
 *  pointers live until gsym_process_close.  GSYM_NOT_FOUND: INDEX is too
 *  large. */
static inline enum gsym_status
gsym_process_get_module(const struct gsym_process *process, uint32_t index,
			struct gsym_process_module *ret)
{
	return gsym_process_get_module_sized(process, index, ret,
					     sizeof(*ret));
}

/** Where an address of a process lies.  Grows. */
struct gsym_process_place {
	/** The module, for gsym_process_get_module. */
	uint32_t module;
	/** The address in the file of the module, which is what a GSYM file
	 *  has; the address itself for GSYM_PROCESS_MEMORY. */
	uint64_t address;
	/** The mapping may be executed. */
	bool executable;
	/** 0. */
	uint8_t reserved[7];
};

GSYM_API enum gsym_status
gsym_process_find_sized(const struct gsym_process *process, uint64_t address,
			struct gsym_process_place *ret, size_t ret_size);
/** Find the module that is mapped at ADDRESS.  The cost is a binary search.
 *  GSYM_NOT_FOUND: nothing is mapped there. */
static inline enum gsym_status
gsym_process_find(const struct gsym_process *process, uint64_t address,
		  struct gsym_process_place *ret)
{
	return gsym_process_find_sized(process, address, ret, sizeof(*ret));
}

/* ---- functions and lines ------------------------------------------------ */

/**
 * Find and open the GSYM data of all modules that have code: by build ID in
 * STORE, which may be NULL, else in the section ".gsym" of the mapped file,
 * else in the file PATH.gsym beside it.  Data with another build ID than the
 * module are not used.  STORE has to outlive PROCESS.  May be called again,
 * after new files were put into the store: modules that have data keep them.
 *
 * A module without GSYM data is no failure.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_load(struct gsym_process *process,
					    struct gsym_store *store,
					    struct gsym_error *error);

GSYM_API enum gsym_status
gsym_process_lookup_sized(const struct gsym_process *process, uint64_t address,
			  unsigned flags, struct gsym_frame *frames,
			  size_t frame_size, size_t capacity,
			  struct gsym_match *match, size_t match_size,
			  struct gsym_error *error);
/**
 * gsym_lookup for the run-time address ADDRESS of PROCESS.  FLAGS, FRAMES,
 * CAPACITY and MATCH are those of gsym_lookup; the addresses of MATCH are
 * those of the file.  From a return address the caller subtracts 1.
 *
 * GSYM_NOT_FOUND: nothing is mapped at ADDRESS, the module has no GSYM data, or
 * they do not cover ADDRESS.  Others as gsym_lookup.
 */
static inline enum gsym_status
gsym_process_lookup(const struct gsym_process *process, uint64_t address,
		    unsigned flags, struct gsym_frame *frames, size_t capacity,
		    struct gsym_match *match, struct gsym_error *error)
{
	return gsym_process_lookup_sized(process, address, flags, frames,
					 sizeof(*frames), capacity, match,
					 sizeof(*match), error);
}

GSYM_API enum gsym_status
gsym_process_lookup_many_sized(const struct gsym_process *process,
			       const uint64_t *addresses, size_t count,
			       unsigned flags, struct gsym_frame *frames,
			       size_t frame_size, size_t capacity,
			       uint32_t *first, size_t *done);

/**
 * Look the COUNT run-time addresses at ADDRESSES up, as gsym_process_lookup
 * does for each.  The frames of address I are FRAMES[FIRST[I]] up to, not
 * including, FRAMES[FIRST[I + 1]], the innermost first; an address without an
 * answer has none.  FIRST has room for COUNT + 1 numbers, FRAMES for CAPACITY
 * frames.  *DONE, which may be NULL, becomes the number of addresses that were
 * looked up: fewer than COUNT if FRAMES is full, and then FIRST has *DONE + 1
 * numbers and the caller goes on with the rest.
 *
 * GSYM_ERR_LIMIT: CAPACITY is too small for the frames of the first address.
 * GSYM_ERR_ARGUMENT: FIRST is NULL, or ADDRESSES or FRAMES is NULL where there
 * is something to read or write.
 */
static inline enum gsym_status
gsym_process_lookup_many(const struct gsym_process *process,
			 const uint64_t *addresses, size_t count,
			 unsigned flags, struct gsym_frame *frames,
			 size_t capacity, uint32_t *first, size_t *done)
{
	return gsym_process_lookup_many_sized(process, addresses, count, flags,
					      frames, sizeof(*frames),
					      capacity, first, done);
}

#ifdef __cplusplus
}
#endif
#endif /* GSYM_PROCESS_H */
