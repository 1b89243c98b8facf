/* SPDX-License-Identifier: MIT */
/*
 * logs/frame.h - the backtraces of programs that write no markup: which bytes
 * of a line are a frame, and what they say.
 *
 * Each form of enum gsym_markup_log has a recogniser of its own.  A recogniser
 * looks at one line, or at one piece of a JSON string that holds a line, and
 * takes time in proportion to its size.  Knows no symbols, no state between
 * lines, and not how an answer is written.
 */
#ifndef GSYM_LOGS_FRAME_H
#define GSYM_LOGS_FRAME_H

#include <gsym/markup.h>

/** SIZE bytes of the line at hand. */
struct logs_text {
	const char *at;
	size_t size;
};

/** What the number of a frame counts from. */
enum logs_number {
	/** An address that the module was linked to. */
	LOGS_LINKED,
	/** The first page of the module in memory. */
	LOGS_MAPPED,
	/** The function that the frame names. */
	LOGS_FUNCTION,
	/** Address 0: the number is an address in memory. */
	LOGS_MEMORY,
	/** The start of the module's file, or, if that is not possible,
	 *  address 0 of the module. */
	LOGS_FILE,
};

/** Where the answer goes. */
enum logs_layout {
	/** To INSERT, as " FUNCTION (PLACE)". */
	LOGS_APPEND,
	/** Between address and module, as a sanitizer writes it. */
	LOGS_SANITIZER,
	/** To INSERT, as " (PLACE)". */
	LOGS_KERNEL,
};

/** Kernel: what is known of a line up to a frame, so that the search for the
 *  next one does not go over the same bytes. */
struct logs_known {
	/** The end of the last "[  142.318302]" of the header; NULL: none was
	 *  found before BRACKETS_TO. */
	const char *bracket, *brackets_to;
	/** The first word that tells about an address and stands after a blank,
	 *  of those near the frame; NULL: none was found before MARKS_TO. */
	const char *mark, *marks_to;
};

struct logs_frame {
	enum gsym_markup_log log;
	enum logs_layout layout;
	/** Where the frame begins.  Text before it is repeated in lines of
	 *  inlined calls. */
	const char *start;
	/** The bytes from INSERT to RESUME are replaced by the answer. */
	const char *insert, *resume;
	/** LOGS_SANITIZER: the end of "#0 0x1234" or "#0", which lines of
	 *  inlined calls repeat. */
	const char *number_end;

	/** The module as the log writes it; size 0: the log names none, or the
	 *  kernel itself. */
	struct logs_text module;
	/** The hexadecimal digits of the build ID; size 0: there is none. */
	struct logs_text build_id;
	/** The function as the log writes it; size 0: the log has none. */
	struct logs_text function;
	enum logs_number meaning;
	uint64_t number;
	/** The address in memory; 0: the log has none. */
	uint64_t address;
	/** PLACED: the log says that the address is OFFSET bytes after the
	 *  start of the function. */
	bool placed;
	uint64_t offset;
	/** Kernel: the bytes of the function. */
	uint64_t size;

	/** The number is a return address. */
	bool returns;
	/** Kernel: the log marks the address as an exact one, which holds for
	 *  the same function and offset in the rest of the report. */
	bool marked;
	/** Kernel: the line begins a report. */
	bool begins;
	/** The frame may be a false match: no message if its module is
	 *  unknown. */
	bool doubtful;
	/** The line has an answer already. */
	bool answered;
	/** LOGS_SANITIZER: "in " stands before the function. */
	bool in;
	/** JVM: the frame in the head of the report. */
	bool problem;
	/** Android: the module is a package, whose build ID alone tells the
	 *  library. */
	bool package;
	struct logs_known known;
};

/* Each returns whether the bytes AT to END are a frame, and fills RET in
 * then. */
bool gsym_logs_android(const char *at, const char *end, struct logs_frame *ret);
bool gsym_logs_sanitizer(const char *at, const char *end,
			 struct logs_frame *ret);
bool gsym_logs_systemd(const char *at, const char *end, struct logs_frame *ret);
bool gsym_logs_jvm(const char *at, const char *end, struct logs_frame *ret);
bool gsym_logs_generic(const char *at, const char *end, struct logs_frame *ret);
bool gsym_logs_glibc(const char *at, const char *end, struct logs_frame *ret);
bool gsym_logs_apple(const char *at, const char *end, struct logs_frame *ret);
bool gsym_logs_maps(const char *at, const char *end, struct logs_frame *ret);
bool gsym_logs_strace(const char *at, const char *end, struct logs_frame *ret);
/** As the others, but a line may have several frames: FROM, which lies in the
 *  line AT to END, is where the search begins.  If FROM is not AT, RET has to
 *  be the frame before. */
bool gsym_logs_kernel(const char *at, const char *from, const char *end,
		      struct logs_frame *ret);

/** The number of the forms of backtraces. */
enum { LOGS_FORMS = 10 };

/** The word for LOG, one value of enum gsym_markup_log. */
const char *gsym_logs_name(enum gsym_markup_log log);

/** Find a frame of one of the LOGS, values of enum gsym_markup_log, in the line
 *  AT to END.  FROM is AT at first.  For the next frame of the line it is
 *  RESUME of the frame before, which RET has to be then. */
bool gsym_logs_frame(unsigned logs, const char *at, const char *from,
		     const char *end, struct logs_frame *ret);

/** Whether TEXT looks like a place in a source file, as answers have them:
 *  "a.c:7", "/src/a.c". */
bool gsym_logs_is_place(struct logs_text text);

#endif
