/* SPDX-License-Identifier: MIT */
/*
 * frames.h - the answer to an address, as text and as JSON.  It knows how a
 * stack of frames is shown; never where the frames come from.
 *
 * Text, one frame a line, the innermost first:
 *
 *	0x1173: sq at /src/t1.c:2 (inlined)
 *	        twice + 3 at /src/t1.c:4 (inlined)
 *	        work + 19 at /src/t1.c:10
 *
 * JSON, one object a line:
 *
 *	{"address":"0x1173","frames":[{"function":"sq","file":"/src/t1.c",
 *	"line":2,"offset":0,"inlined":true},...]}
 */
#ifndef TOOLS_COMMON_FRAMES_H
#define TOOLS_COMMON_FRAMES_H

#include <gsym/reader.h>

#include "common/demangle.h"
#include "common/out.h"

struct frames_style {
	bool json;
	/** As the traceback of a Go program:
	 *
	 *	main.level3(...)
	 *		/src/main.go:15
	 *	main.deep(...)
	 *		/src/main.go:33 +0x2d
	 *
	 *  the offset being that of the address, in the function that is
	 *  not inlined. */
	bool go;
	/** Leave the directories out. */
	bool basenames;
	/** NULL: names as they are. */
	struct demangler *demangler;
};

/** An answer goes: begin, the frames of one function, more functions and
 *  calls if there are any, end. */
void frames_begin(struct out *out, const struct frames_style *style,
		  uint64_t address);
/** COUNT frames; none: nothing covers the address.  In text INDENT is the
 *  width of the first column, as frames_width gives it. */
void frames_stack(struct out *out, const struct frames_style *style,
		  const struct gsym_frame *frames, size_t count,
		  unsigned indent);
/** The frames of ADDRESS in the style of Go: the function that is not inlined
 *  starts at START. */
void frames_go(struct out *out, const struct frames_style *style,
	       const struct gsym_frame *frames, size_t count, uint64_t address,
	       uint64_t start);
/** Columns that ADDRESS and what follows it take. */
unsigned frames_width(uint64_t address);
/** Another function folded into this one; FIRST says that it is the first
 *  one, LAST ends the list. */
void frames_merged(struct out *out, const struct frames_style *style,
		   const struct gsym_frame *frames, size_t count,
		   unsigned indent, bool first);
void frames_merged_end(struct out *out, const struct frames_style *style);
/** What SITE may call. */
void frames_call(struct out *out, const struct frames_style *style,
		 const struct gsym_call_site *site, unsigned indent);
/** The record of the address is damaged, as REASON says. */
void frames_damage(struct out *out, const struct frames_style *style,
		   const char *reason);
void frames_end(struct out *out, const struct frames_style *style);

/** The answer to LENGTH bytes of INPUT that are no address, as PROBLEM
 *  says. */
void frames_refuse(struct out *out, const struct frames_style *style,
		   const char *input, size_t length, const char *problem);

/** A file as text: directory, separator, base name. */
void frames_path(struct out *out, const char *directory, const char *basename);

#endif /* TOOLS_COMMON_FRAMES_H */
