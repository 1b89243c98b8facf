/* SPDX-License-Identifier: MIT */
/*
 * gsym/process.h - from a run-time address of a process to the program or
 * library that is mapped there, its build ID and the address that it was linked
 * to; and, with a store of GSYM files, to functions, files and lines.  The
 * kernel counts as a process (gsym_process_open_kernel).
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
 * A struct gsym_process describes the moment when it was opened.  It does not
 * learn of libraries that are loaded later.
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
 * nor read files.  A program that looks addresses up in its own crash handler
 * calls gsym_process_open_self and gsym_process_load when it starts.
 *
 * Hostile input: whatever the text of a maps file and the bytes of the mapped
 * files are, no function reads outside them.  Time is about linear in the size
 * of the text and, for each mapped file, in its notes.
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
 * Read the memory map of the running process PID from /proc/PID/maps, and the
 * headers and the build ID of each mapped file.  The file is read from
 * /proc/PID/map_files, else below /proc/PID/root if the file there still has
 * the inode of the mapping, else from the memory of the process.  If none of
 * these can be read, the module has no build ID, and its bias is a guess.
 * Anonymous memory without a name that may be executed belongs to a module if
 * it lies between mappings of the module, where a segment with code of its file
 * has the addresses: programs copy their code to large pages.  Functions of a
 * JIT compiler are those of the file /tmp/perf-PID.map, as the process sees it,
 * if its user or root has written it; gsym_process_lookup gives them as the
 * only frame, without file and line.
 * The caller closes *RET with gsym_process_close.
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
 * is the root of this machine; with NULL no file is read.  A file below ROOT
 * may be another one than was mapped: compare build IDs.  MAPS and ROOT are
 * not needed after the call.
 *
 * GSYM_ERR_FORMAT: a line is no line of a maps file; the error has the offset
 * of the line in MAPS.  GSYM_ERR_ARGUMENT: MAPS or RET is NULL.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_open_maps(const char *maps, size_t size,
						 const char *root,
						 struct gsym_process **ret,
						 struct gsym_error *error);

/**
 * Take the programs and libraries of the calling process from the dynamic
 * linker (dl_iterate_phdr), without reading any file.  Other mappings, such as
 * the heap, are left out.  Statically linked programs can call this, too.
 *
 * GSYM_ERR_ARGUMENT: RET is NULL.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_open_self(struct gsym_process **ret,
						 struct gsym_error *error);

/**
 * Take the functions of the running kernel and of its modules from the files
 * ROOT/proc/kallsyms, ROOT/sys/kernel/notes and
 * ROOT/sys/module/NAME/notes/.note.gnu.build-id.  ROOT is "" for this machine,
 * or a folder with copies of the files of another one.  Without the notes of a
 * module its build ID is not known.  Reading kallsyms takes about 60 ms.
 *
 * The modules are "[kernel]" and, as "[btrfs]", those that are loaded.  Their
 * biases are not known at first: gsym_process_load finds them by the names of
 * functions.  It makes several modules of one whose sections were moved by
 * different distances, and one without build ID of functions that kallsyms
 * alone has; so numbers of modules change.  Addresses that no GSYM data cover
 * get the symbol of kallsyms as their only frame, without file and line.
 *
 * GSYM_ERR_IO: kallsyms cannot be read, or the kernel hides its addresses from
 * this user (kernel.kptr_restrict).  GSYM_ERR_FORMAT: a line is no line of
 * kallsyms; the error has its offset.  GSYM_ERR_ARGUMENT: ROOT or RET is NULL.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_open_kernel(const char *root,
						   struct gsym_process **ret,
						   struct gsym_error *error);

/** Close PROCESS, which may be NULL, and the GSYM files that
 *  gsym_process_load opened for it.  All pointers in modules, frames and
 *  matches of PROCESS become invalid.  Entries of a store are released; the
 *  store must still exist. */
GSYM_API void gsym_process_close(struct gsym_process *process);

/* ---- modules ------------------------------------------------------------ */

/** What is mapped. */
enum gsym_process_kind {
	/** A program or library, the file PATH. */
	GSYM_PROCESS_FILE,
	/** A file that was deleted or replaced since it was mapped.  If there
	 *  is a file PATH now, it is another one. */
	GSYM_PROCESS_DELETED,
	/** An ELF file inside the file PATH, as a library inside an APK. */
	GSYM_PROCESS_INSIDE,
	/** A file in memory (memfd_create); PATH is "/memfd:NAME". */
	GSYM_PROCESS_MEMFD,
	/** The code that the kernel maps into each process; PATH is as in the
	 *  maps file, "[vdso]". */
	GSYM_PROCESS_VDSO,
	/** Memory without a file: heap, stack, code made at run time.  PATH is
	 *  as in the maps file, "[heap]", or "" for memory without a name. */
	GSYM_PROCESS_MEMORY,
	/** The kernel or one of its modules; PATH is as in kallsyms, "[btrfs]",
	 *  or "[kernel]". */
	GSYM_PROCESS_KERNEL,
};

/** A program or library in the memory of a process, or memory without a file.
 *  A file that is loaded twice is two modules. */
struct gsym_process_module {
	/** The path as the process sees it, below the root of the process.
	 *  Never NULL. */
	const char *path;
	enum gsym_process_kind kind;
	/** The build ID, BUILD_ID_SIZE bytes; NULL and 0 if there is none, or
	 *  the file cannot be read. */
	const uint8_t *build_id;
	size_t build_id_size;
	/** Run-time address minus address in the file, modulo 2^64; 0 for
	 *  GSYM_PROCESS_MEMORY. */
	uint64_t bias;
	/** The program headers of the file could not be read: BIAS was guessed
	 *  from the address of its first mapping.  In a kernel: BIAS, which is
	 *  0, is not known. */
	bool bias_guessed;
	/** The first address of its mappings, and the address after the last
	 *  of them.  Other modules may lie between. */
	uint64_t start;
	uint64_t end;
	/** Offset of the ELF file in the file PATH, in bytes; 0 unless KIND is
	 *  GSYM_PROCESS_INSIDE. */
	uint64_t file_offset;
	/** The GSYM data, once gsym_process_load has found some; else NULL.
	 *  Belongs to the process or its store: do not close it. */
	const struct gsym_reader *reader;
};

/** The number of modules of PROCESS; 0 if PROCESS is NULL. */
GSYM_API uint32_t gsym_process_module_count(const struct gsym_process *process);

/** Fill RET with module INDEX.  Modules count from 0, in the order of their
 *  first addresses; those of a kernel in no particular order.  The pointers in
 *  RET live until gsym_process_close.
 *  GSYM_NOT_FOUND: INDEX is too large.  GSYM_ERR_ARGUMENT: PROCESS or RET is
 *  NULL. */
GSYM_API enum gsym_status
gsym_process_get_module(const struct gsym_process *process, uint32_t index,
			struct gsym_process_module *ret);

/** Where an address of a process lies. */
struct gsym_process_place {
	/** The module, for gsym_process_get_module. */
	uint32_t module;
	/** The address in the file of the module, as GSYM files have it.  For
	 *  GSYM_PROCESS_MEMORY: the run-time address. */
	uint64_t address;
	/** The mapping may be executed. */
	bool executable;
	/** 0. */
	uint8_t reserved[7];
};

/** Fill RET with the module that is mapped at ADDRESS, and the address in its
 *  file.  The cost is a binary search.  GSYM_NOT_FOUND: nothing is mapped
 *  there.  GSYM_ERR_ARGUMENT: PROCESS or RET is NULL. */
GSYM_API enum gsym_status gsym_process_find(const struct gsym_process *process,
					    uint64_t address,
					    struct gsym_process_place *ret);

/* ---- functions and lines ------------------------------------------------ */

/**
 * Find and open the GSYM data of all modules that have code: in STORE, which
 * may be NULL, else in the section ".gsym" of the mapped file, else in the file
 * PATH.gsym beside it.  Data with another build ID than the module are not
 * used.  Those of a module without a build ID have none either, and are used if
 * the file PATH still has the inode of the mapping and PATH.gsym is not older.
 * STORE has to outlive PROCESS.  The function may be called again after new
 * files were put into STORE; modules that have data keep them.
 *
 * A module without GSYM data is no failure.  GSYM_ERR_ARGUMENT: PROCESS is
 * NULL.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_process_load(struct gsym_process *process,
					    struct gsym_store *store,
					    struct gsym_error *error);

/**
 * gsym_lookup for the run-time address ADDRESS of PROCESS.  FLAGS, FRAMES,
 * CAPACITY and MATCH are as for gsym_lookup; the addresses in MATCH are
 * addresses in the file.  For a return address pass ADDRESS - 1, so that the
 * call is found.
 *
 * GSYM_NOT_FOUND: nothing is mapped at ADDRESS, the module has no GSYM data, or
 * the data do not cover ADDRESS.  In a kernel such an address gets the symbol
 * of kallsyms that covers it, with UINT32_MAX as MATCH->index; GSYM_NOT_FOUND
 * means that there is no such symbol either.  GSYM_ERR_ARGUMENT: PROCESS is
 * NULL.  Other failures are those of gsym_lookup.
 */
GSYM_API enum gsym_status
gsym_process_lookup(const struct gsym_process *process, uint64_t address,
		    unsigned flags, struct gsym_frame *frames, size_t capacity,
		    struct gsym_match *match, struct gsym_error *error);

/**
 * gsym_lookup_many for the COUNT run-time addresses at ADDRESSES, each of
 * which is looked up as gsym_process_lookup does.  The frames of address I are
 * FRAMES[FIRST[I]] up to, not including, FRAMES[FIRST[I + 1]], the innermost
 * first.  An address without an answer, or with damaged GSYM data, has no
 * frames.  FIRST has room for COUNT + 1 numbers, FRAMES for CAPACITY frames.
 * As with gsym_lookup_many, the call works in the free part of FRAMES, and
 * takes up to 4 KiB of stack.
 *
 * *DONE, which may be NULL, becomes the number of addresses that were looked
 * up.  It is less than COUNT if FRAMES is full: then FIRST has *DONE + 1
 * numbers, and the caller goes on with the other addresses.
 *
 * GSYM_ERR_LIMIT: CAPACITY is too small for the frames of the first address.
 * GSYM_ERR_ARGUMENT: PROCESS or FIRST is NULL, ADDRESSES or FRAMES is NULL
 * although COUNT or CAPACITY is not 0, CAPACITY exceeds UINT32_MAX, or FLAGS
 * are not those of gsym_lookup.
 */
GSYM_API enum gsym_status
gsym_process_lookup_many(const struct gsym_process *process,
			 const uint64_t *addresses, size_t count,
			 unsigned flags, struct gsym_frame *frames,
			 size_t capacity, uint32_t *first, size_t *done);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_PROCESS_H */
