/* SPDX-License-Identifier: MIT */
/*
 * logs/facts.h - what lines without frames say about the frames near them, and
 * where the lines are that are worth a look.  Knows no symbols, and no state
 * between lines.
 */
#ifndef GSYM_LOGS_FACTS_H
#define GSYM_LOGS_FACTS_H

#include "logs/frame.h"

enum logs_fact_kind {
	/** The kernel's release is NAME, its build ID is BUILD_ID. */
	LOGS_RELEASE,
	/** systemd: the module NAME has BUILD_ID, or none. */
	LOGS_MODULE,
	/** systemd: modules of another process follow. */
	LOGS_PROCESS,
	/** A report of the kernel ends. */
	LOGS_REPORT_END,
	/** Android: a crash.  The lines after it have facts. */
	LOGS_CRASH,
	/** Android: the version is NUMBER. */
	LOGS_VERSION,
	/** Android: the architecture is NAME. */
	LOGS_ABI,
	/** JVM: the stack, which frames follow.  The next lines have facts. */
	LOGS_STACK,
	/** JVM: the first native frame follows. */
	LOGS_NATIVE,
	/** Apple: a report begins, whose images follow the frames; as text, or
	 *  in JSON. */
	LOGS_REPORT,
	LOGS_REPORT_JSON,
	/** Apple: the image NAME with BUILD_ID lies at START to LAST. */
	LOGS_IMAGE,
	/** A line of /proc/PID/maps: the bytes of the file NAME from OFFSET on
	 *  lie at START to LAST.  NAME is empty if they are of no file. */
	LOGS_MAP,
};

struct logs_fact {
	enum logs_fact_kind kind;
	struct logs_text name, build_id;
	unsigned number;
	uint64_t start, last, offset;
};

/** Find a fact for the LOGS in the line AT to END; false if there is none. */
bool gsym_logs_fact(unsigned logs, const char *at, const char *end,
		    struct logs_fact *ret);

/** Frames of Apple's reports in JSON have the number of an image and an offset.
 *  They get addresses as if image N were at N * LOGS_IMAGE_SIZE in memory. */
#define LOGS_IMAGE_SIZE (UINT64_C(1) << 40)

/** Find the next frame of an Apple report in JSON in a line from AT on. */
bool gsym_logs_ips(const char *at, const char *end, struct logs_frame *ret);
/** The start of the list of images in AT to END; NULL if there is none. */
const char *gsym_logs_ips_images(const char *at, const char *end);
/** Set RET to the image at *AT, which is the INDEX-th of the list; *AT moves
 *  on.  False after the last one. */
bool gsym_logs_ips_image(const char **at, const char *end, uint64_t index,
			 struct logs_fact *ret);
/** Whether the line AT to END may end a list. */
bool gsym_logs_ips_end(const char *at, const char *end);

/** The first place in SIZE bytes where an opener "{{{", an ESC, or a part of a
 *  frame or a fact stands; NULL if there is none. */
const char *gsym_logs_special(const char *bytes, size_t size);
/** The same, as processors without an instruction for tables search. */
const char *gsym_logs_special_compared(const char *bytes, size_t size);

/** The end of the header that the kernel or its logger put before a line: AT if
 *  there is none.  The frame begins at END.  KNOWN is zeroed for the first
 *  frame of the line. */
const char *gsym_logs_kernel_header(const char *at, const char *end,
				    struct logs_known *known);

/** The pieces of a line that may hold a frame each: the line itself; if the
 *  line is JSON the lines of its strings; or the lines of a message in which
 *  rsyslog wrote "#012" for each line feed. */
struct logs_pieces {
	const char *at, *end;
	/** The line is JSON. */
	bool json;
	/** The line has several lines. */
	bool joined;
	/** JSON: AT lies in a string. */
	bool inside;
};

void gsym_logs_pieces(struct logs_pieces *pieces, const char *at,
		      const char *end);
/** Set *AT and *END to the next piece; false after the last one. */
bool gsym_logs_next_piece(struct logs_pieces *pieces, const char **at,
			  const char **end);

#endif
