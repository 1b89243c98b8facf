/* SPDX-License-Identifier: MIT */
/*
 * frames.h - prints the answer to an address as text or as JSON.  It knows
 * how a stack of frames looks, not where the frames come from.
 *
 * Text has one frame a line, the innermost first:
 *
 *	0x1173: sq at /src/t1.c:2 (inlined)
 *	        twice + 3 at /src/t1.c:4 (inlined)
 *	        work + 19 at /src/t1.c:10
 *
 * JSON has one object a line:
 *
 *	{"address":"0x1173","frames":[{"function":"sq","file":"/src/t1.c",
 *	"line":2,"offset":0,"inlined":true},...]}
 */
#ifndef TOOLS_COMMON_FRAMES_H
#define TOOLS_COMMON_FRAMES_H

#include <string.h>

#include <gsym/reader.h>

#include "common/names.h"
#include "common/out.h"

/** The most bytes of the texts of one answer.  Names of compilers have some
 *  hundreds; but in a small hostile file thousands of them can be ends of one
 *  long string. */
#define FRAMES_BYTES GSYM_LIMIT(UINT64_C(256) << 10, 4096)

/** Take the length of TEXT from *LEFT; false if that is not enough. */
static inline bool frames_take_text(uint64_t *left, const char *text)
{
	size_t length = strnlen(text, *left + 1);
	bool fits = length <= *left;
	*left = fits ? *left - length : 0;
	return fits;
}

/** Take the lengths of the texts of COUNT FRAMES, as they are shown with
 *  DEMANGLER (NULL: as they are), from *LEFT, which is FRAMES_BYTES before an
 *  answer.  False if that is not enough: then the answer is not to be shown. */
static inline bool frames_take(uint64_t *left, struct gsym_demangler *demangler,
			       const struct gsym_frame *frames, size_t count)
{
	/* A few demangled names always fit. */
	if (count < FRAMES_BYTES / 2 / GSYM_DEMANGLE_MAX_RESULT)
		demangler = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct gsym_frame *f = &frames[i];
		if (!frames_take_text(left, f->function) ||
		    !frames_take_text(left, f->directory) ||
		    !frames_take_text(left, f->basename) ||
		    (demangler &&
		     !frames_take_text(left, demangle(demangler,
						      f->function))))
			return false;
	}
	return true;
}

/** What is said of an answer that frames_take refuses. */
#define FRAMES_TOO_LONG "the names of the answer are too long"

/** How answers look. */
struct frames_style {
	bool json;
	/** Like the traceback of a Go program:
	 *
	 *	main.level3(...)
	 *		/src/main.go:15
	 *	main.deep(...)
	 *		/src/main.go:33 +0x2d
	 *
	 *  The offset is that of the address in the function that is not
	 *  inlined; an offset of 0 is not shown. */
	bool go;
	/** Unless it is NULL, as faddr2line of the kernel's scripts: this
	 *  input, TITLE_LENGTH bytes, in front of the frames.
	 *
	 *	vfs_read+0x10/0x3e0:
	 *	access_ok at fs/read_write.c:547
	 *	 (inlined by) vfs_read at fs/read_write.c:550
	 */
	const char *title;
	size_t title_length;
	/** Print files without their directories. */
	bool basenames;
	/** NULL: names are printed as they are in the file. */
	struct gsym_demangler *demangler;
};

/** Begin the answer to ADDRESS.  After it come frames_stack, frames_go,
 *  frames_module or frames_damage, then frames_merged and frames_call as often
 *  as needed, then frames_end. */
void frames_begin(struct out *out, const struct frames_style *style,
		  uint64_t address);
/** Print COUNT frames; 0 means that no function covers the address.  INDENT
 *  is the width of the first column of text, see frames_width. */
void frames_stack(struct out *out, const struct frames_style *style,
		  const struct gsym_frame *frames, size_t count,
		  unsigned indent);
/** Instead of frames: ADDRESS of the file PATH, without symbols. */
void frames_module(struct out *out, const struct frames_style *style,
		   const char *path, uint64_t address);
/** Print the COUNT frames of ADDRESS in the style of Go.  START is where the
 *  function that is not inlined starts. */
void frames_go(struct out *out, const struct frames_style *style,
	       const struct gsym_frame *frames, size_t count, uint64_t address,
	       uint64_t start);
/** The width, in columns, of ADDRESS and the colon and blank after it. */
unsigned frames_width(uint64_t address);
/** Print the COUNT frames of a function that was merged with the one that was
 *  printed.  FIRST: it is the first of them. */
void frames_merged(struct out *out, const struct frames_style *style,
		   const struct gsym_frame *frames, size_t count,
		   unsigned indent, bool first);
/** End the list of merged functions. */
void frames_merged_end(struct out *out, const struct frames_style *style);
/** Print the functions that the call site SITE may call. */
void frames_call(struct out *out, const struct frames_style *style,
		 const struct gsym_call_site *site, unsigned indent);
/** Instead of frames: the record of the address is damaged, see REASON. */
void frames_damage(struct out *out, const struct frames_style *style,
		   const char *reason);
/** End the answer to an address. */
void frames_end(struct out *out, const struct frames_style *style);

/** Print the whole answer to an input that is no address: the LENGTH bytes
 *  at INPUT, and PROBLEM. */
void frames_refuse(struct out *out, const struct frames_style *style,
		   const char *input, size_t length, const char *problem);

/** Print DIRECTORY and BASENAME as one path, in text. */
void frames_path(struct out *out, const char *directory, const char *basename);

#endif /* TOOLS_COMMON_FRAMES_H */
