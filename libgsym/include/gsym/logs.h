/* SPDX-License-Identifier: MIT */
/*
 * gsym/logs.h - the part of gsym/markup.h for ordinary logs, which have
 * no markup.
 *
 * Ordinary logs hold backtraces in many forms, such as
 * "vfs_read+0x15d/0x370" or "#02 pc 00012f3c  libfoo.so".  A filter reads the
 * forms that FORMS of struct gsym_markup_log_options names, and writes
 * functions and places beside the frames.  The callbacks of struct
 * gsym_markup_log_host find the symbols.
 *
 * gsym/markup.h includes this header, and has the rules for threads, memory and
 * texts.
 */
#ifndef GSYM_LOGS_H
#define GSYM_LOGS_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsym_markup;
struct gsym_markup_frame;

/* ---- forms -------------------------------------------------------------- */

/** The forms of backtraces that the filter reads without markup; combined with
 *  |.  gsym-markup(1) shows each. */
enum gsym_markup_log {
	/** The Linux kernel: "vfs_read+0x15d/0x370 [module]". */
	GSYM_MARKUP_LOG_KERNEL = 1 << 0,
	/** Tombstones and logcat: "#00 pc 000012a4  /lib/libfoo.so (f+16)". */
	GSYM_MARKUP_LOG_ANDROID = 1 << 1,
	/** Sanitizers, and crash dumps of LLVM: "#0 0x1234  (prog+0x34)". */
	GSYM_MARKUP_LOG_SANITIZER = 1 << 2,
	/** backtrace_symbols of glibc: "prog(+0x1234) [0x5555]". */
	GSYM_MARKUP_LOG_GLIBC = 1 << 3,
	/** hs_err files of the JVM: "C  [libfoo.so+0x1110]  f+0x10". */
	GSYM_MARKUP_LOG_JVM = 1 << 4,
	/** systemd-coredump: "#1  0x0000555555555131 n/a (prog + 0x1131)", and
	 *  eu-stack -b: "[BUILD ID]@0x5555+0x1131". */
	GSYM_MARKUP_LOG_SYSTEMD = 1 << 5,
	/** Mozilla, Breakpad, and other frames that end with a module
	 *  and an offset. */
	GSYM_MARKUP_LOG_GENERIC = 1 << 6,
	/** Apple's crash reports: "2   App   0x1022364bc 0x102230000 + 25788",
	 *  and the list of images after the frames. */
	GSYM_MARKUP_LOG_APPLE = 1 << 7,
	/** Addresses alone, "#3 0x55d0a1b2c3d4", in programs whose memory the
	 *  log describes: in lines of /proc/PID/maps, or with elements of
	 *  markup; or gsym_markup_add. */
	GSYM_MARKUP_LOG_MAPS = 1 << 8,
	/** strace -k: " > /lib/libfoo.so(f+0x10) [0x1234]". */
	GSYM_MARKUP_LOG_STRACE = 1 << 9,
	/** PyTorch's errors: "frame #3: f + 0x10 (0x7f00 in /libc10.so)". */
	GSYM_MARKUP_LOG_PYTORCH = 1 << 10,
	/** ClickHouse: "3. DB::f() @ 0x1234 in /usr/bin/clickhouse". */
	GSYM_MARKUP_LOG_CLICKHOUSE = 1 << 11,
	/** ESP-IDF and Seastar: "Backtrace: 0x400e8c14:0x3fff0130 ...", and
	 *  "Backtrace: 0x5b2a17a /lib/libfoo.so+0x1234 ...", or after
	 *  "Backtrace:" a line for each address. */
	GSYM_MARKUP_LOG_BACKTRACE = 1 << 12,
	/** The Linux kernel about programs: "p[7]: segfault at 0 ip 5555 sp
	 *  7fff error 4 in p[1131,5000+1000]". */
	GSYM_MARKUP_LOG_FAULT = 1 << 13,
	/** perf script: "1144 f+0xb (/usr/bin/prog)". */
	GSYM_MARKUP_LOG_PERF = 1 << 14,
	/** Reports of minidump-stackwalk in JSON. */
	GSYM_MARKUP_LOG_STACKWALK = 1 << 15,
	/** Stacks of MongoDB, in JSON. */
	GSYM_MARKUP_LOG_MONGODB = 1 << 16,
	/** Dart and Flutter: "#00 abs 00000075f5e3a0b7 virt 00000000002aa0b7",
	 *  and the build ID in a line before. */
	GSYM_MARKUP_LOG_DART = 1 << 17,
	/** Kernels of FreeBSD and NetBSD: "vpanic() at netbsd:vpanic+0x140". */
	GSYM_MARKUP_LOG_BSD = 1 << 18,
	/** The hypervisor Xen: "(XEN) [<ffff82d0403a5ef8>] R f+0x28/0x39". */
	GSYM_MARKUP_LOG_XEN = 1 << 19,
	/** Valgrind about a program: "by 0x109559: ??? (in /src/shapes)". */
	GSYM_MARKUP_LOG_VALGRIND = 1 << 20,
	/** WebAssembly: "at f (https://a/prog.wasm:wasm-function[3]:0xac)". */
	GSYM_MARKUP_LOG_WASM = 1 << 21,
};
/** All of enum gsym_markup_log that this header knows, but
 *  GSYM_MARKUP_LOG_MAPS: with it lines with addresses alone, which may be
 *  anything, wait for a map. */
#define GSYM_MARKUP_LOG_ALL 0x3ffeffu

/** A module that a backtrace without markup names.  Its pointers are valid
 *  during the callback only.  Passed by the library. */
struct gsym_markup_log_module {
	/** The form of the backtrace. */
	enum gsym_markup_log log;
	/** The module as the log writes it, a path or a base name; NAME_SIZE is
	 *  0 for the kernel itself. */
	const char *name;
	size_t name_size;
	/** The build ID, if the log gives it. */
	const uint8_t *build_id;
	size_t build_id_size;
	/** GSYM_MARKUP_LOG_KERNEL: the release, such as "6.12.117-amd64", if
	 *  the log gives it. */
	const char *release;
	size_t release_size;
};

/* ---- symbols ------------------------------------------------------------ */

/** The code of a program, which tells whether a call stands before a return
 *  address. */
struct gsym_markup_log_code {
	/** The SIZE bytes of the section .text, which live as long as the
	 *  filter.  NULL: the program is not at hand, or is for a processor
	 *  that MACHINE has no number for. */
	const uint8_t *bytes;
	size_t size;
	/** The address that the section was linked to. */
	uint64_t address;
	/** The number of the processor in ELF: 3 (i386), 62 (x86-64) or 183
	 *  (arm64). */
	uint16_t machine;
};

/** The symbols of a module that a backtrace without markup names; the host
 *  fills it in.  All fields are 0 before.  Passed by the library. */
struct gsym_markup_log_symbols {
	/** As MODULE of struct gsym_markup_host returns them. */
	void *symbols;
	/** The symbols have the build ID that the log gave, or, of a kernel,
	 *  the release.  Otherwise the filter compares them with what the log
	 *  says about functions: their names, and of a kernel their sizes.  The
	 *  first function of a kernel that has another size takes the trust
	 *  from all its symbols that are not certain. */
	bool certain;
	/** LOWEST is known: the lowest address that the module was linked to,
	 *  at the start of a page. */
	bool lowest_known;
	uint64_t lowest;
	/** Not NULL: the symbols are of another build than the log says.  The
	 *  text tells the difference: "'vmlinux.gsym' is of release 6.1.2".
	 *  They are used with ANY_BUILD of the options alone.  Lives as long as
	 *  the filter. */
	const char *other;
	/** For EXPLAIN: the file that the symbols are from, and how
	 *  the file was found, "build ID"; NULL: not known.  Live as long as
	 *  the filter. */
	const char *file;
	const char *found_by;
	/** Used if the symbols are not CERTAIN: if no call stands in TEXT
	 *  before return addresses of the log, the symbols are of another
	 *  build. */
	struct gsym_markup_log_code text;
	/** CODE is known: the lowest address of code that the module was linked
	 *  to, at the start of a page. */
	bool code_known;
	uint64_t code;
};

/** A function that was found by its name; the host fills it in. */
struct gsym_markup_log_function {
	/** The address that it was linked to. */
	uint64_t start;
	/** Its own bytes. */
	uint64_t size;
	/** The bytes up to the start of the next function; 0 for the last
	 *  function. */
	uint64_t extent;
};

/* ---- callbacks ---------------------------------------------------------- */

/** The callbacks of a filter for backtraces without markup.  Each may be NULL:
 *  without it nothing is known, or told.  CONTEXT is that of struct
 *  gsym_markup_host. */
struct gsym_markup_log_host {
	/**
	 * Fills RET with the symbols of MODULE, which a backtrace without
	 * markup names.  Returns false if there are none.  Asked once for a
	 * module of a process, again after the log has given the module
	 * another build ID, and after gsym_markup_retry.
	 */
	bool (*module)(void *context,
		       const struct gsym_markup_log_module *module,
		       struct gsym_markup_log_symbols *ret);
	/**
	 * Fills FUNCTIONS, which has room for CAPACITY, with the functions of
	 * SYMBOLS whose linkage name is the SIZE bytes at NAME, in the order of
	 * their addresses.  Returns how many there are, which may be more than
	 * CAPACITY.
	 */
	size_t (*functions)(void *context, void *symbols, const char *name,
			    size_t size,
			    struct gsym_markup_log_function *functions,
			    size_t capacity);
	/**
	 * Returns line LINE, from 1 on, of the file of FRAME, and sets *SIZE to
	 * its bytes without line end; NULL if the file has no such line or is
	 * not known.  The bytes may be any; harmful ones are written as text.
	 * Valid until the next call.  The file is that which CODE told, without
	 * the prefix that options take from it.
	 */
	const char *(*source)(void *context,
			      const struct gsym_markup_frame *frame,
			      uint32_t line, size_t *size);
	/** Takes for each frame of a backtrace without markup a line of text,
	 *  NUL-terminated and without line end, that says how the frame in
	 *  line LINE of the log was read and what its answer comes from, or why
	 *  there is none. */
	void (*explain)(void *context, uint64_t line, const char *text);
	/** Sets *ADDRESS to the address that the byte at OFFSET of the file of
	 *  SYMBOLS was linked to.  Returns false if that is not known. */
	bool (*offset)(void *context, void *symbols, uint64_t offset,
		       uint64_t *address);
};

/* ---- options ------------------------------------------------------------ */

/** The most lines of source code for a place. */
#define GSYM_MARKUP_MAX_SOURCE 20

/** Where the callers of an inlined function are shown, in backtraces without
 *  markup. */
enum gsym_markup_log_inlines {
	/** In lines of their own before the line of the frame. */
	GSYM_MARKUP_LOG_INLINES_LINES,
	/** Nowhere. */
	GSYM_MARKUP_LOG_INLINES_NONE,
	/** In the line of the frame: "(a.h:1 < b.c:2)". */
	GSYM_MARKUP_LOG_INLINES_SHORT,
};

/** The options for backtraces without markup.  A zeroed struct holds the
 *  defaults: none are read.  All strings have to stay valid as long as the
 *  filter. */
struct gsym_markup_log_options {
	/** Values of enum gsym_markup_log: the forms to read; 0: none. */
	unsigned forms;
	enum gsym_markup_log_inlines inlines;
	/** Write frames of the kernel, of sanitizers and of Android as
	 *  decode_stacktrace.sh, asan_symbolize and ndk-stack do, which leave
	 *  out parts of the line. */
	bool script;
	/** Of the kernel: show files without the folder that the kernel was
	 *  built in. */
	bool strip_kernel;
	/** Believe symbols that are of another build than the log says, or
	 *  whose functions have other sizes or names.  A "?" follows the places
	 *  of such answers, or the functions that have no place; in JSON of
	 *  Apple, the value of "sourceFile". */
	bool any_build;
	/** Files are shown without the first of these STRIP_PREFIX_COUNT
	 *  prefixes that they begin with. */
	const char *const *strip_prefixes;
	size_t strip_prefix_count;
	/** The lines of source code to show around each place, at most
	 *  GSYM_MARKUP_MAX_SOURCE; 0: none.  SOURCE has the lines. */
	size_t source_lines;
};

/* ---- what was read ------------------------------------------------------ */

/** The word for the form with bit INDEX of enum gsym_markup_log, from 0 on, as
 *  gsym-markup --logs takes it; NULL if there is no such form. */
GSYM_API const char *gsym_markup_log_name(size_t index);

/** Counts of frames of one form. */
struct gsym_markup_log_count {
	/** Frames that were recognised. */
	uint64_t frames;
	/** Those that got an answer, or had one already. */
	uint64_t answered;
	/** Those whose module has no symbols. */
	uint64_t no_module;
	/** Those whose function is not in the symbols. */
	uint64_t no_function;
	/** Those that symbols contradict, or whose symbols other frames have
	 *  shown to be of another build. */
	uint64_t mismatch;
};

/** Fill COUNTS, which has room for CAPACITY, with what was counted so far: for
 *  each bit of enum gsym_markup_log, from the lowest on, one count.  Returns
 *  the number of forms, which may be more than CAPACITY. */
GSYM_API size_t gsym_markup_log_counts(const struct gsym_markup *filter,
				       struct gsym_markup_log_count *counts,
				       size_t capacity);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_LOGS_H */
