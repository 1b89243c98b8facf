/* SPDX-License-Identifier: MIT */
/*
 * names.h - functions of a GSYM file by their names, readable names, and the
 * answer to an address as text or as JSON.
 *
 * The first few names are searched one record after the other, because making
 * an index takes as long as a few such searches; for more names an index is
 * made.  Readable names have an index of their own.  They are made by a
 * demangler, which ends the tool if memory runs out.
 */
#ifndef TOOLS_COMMON_NAMES_H
#define TOOLS_COMMON_NAMES_H

#include <gsym/demangle.h>
#include <gsym/names.h>
#include <gsym/reader.h>

#include "base/order.h"
#include "common/out.h"
#include "common/report.h"

/** The names of one file; for one thread.  All members are 0 at first. */
struct names {
	/** NULL: there is none yet. */
	struct gsym_name_index *index;
	/** The number of names that were searched without it. */
	unsigned searched;
	/** Set by the caller: many names will follow, so the index is made for
	 *  the first one. */
	bool many;
	/** Hashes of the readable names, with and without parameters, of
	 *  functions whose name is mangled; by hash, then by index.  READ is
	 *  true if they were made. */
	struct {
		GSYM_VEC(struct gsym_sort_item);
	} readable;
	bool read;
};

/** Set *INDEX to the index of the first function of READER, from FROM on, that
 *  has the SIZE bytes at NAME as its name.  Returns false if there is none.
 *  READER has to be the same in all calls with NAMES.  Dies if memory runs
 *  out. */
bool names_find(struct names *names, const struct gsym_reader *reader,
		const char *name, size_t size, uint32_t from, uint32_t *index);
/** As names_find, for the readable form of a mangled name: shop::buy(int), or
 *  shop::buy.  The first call demangles all names of READER, once.  NAMES and
 *  TEXT have to stay where they are. */
bool names_find_readable(struct names *names, const struct gsym_reader *reader,
			 const char *text, size_t size, uint32_t from,
			 uint32_t *index);
/** Whether fewer than *CHANGES characters, inserted, deleted, replaced, or
 *  swapped with their neighbours, make NAME of the LENGTH bytes at TEXT.  If
 *  so, *CHANGES becomes their number. */
bool names_nearer(const char *text, size_t length, const char *name,
		  size_t *changes);
/** The most names that names_near finds, and bytes of its text. */
enum { NAMES_NEAR = 3, NAMES_NEAR_SIZE = 512 };
/** Write up to NAMES_NEAR readable names of functions that differ from the SIZE
 *  bytes at NAME in few characters, scopes and parameters left out, to TEXT:
 *  "shop::buy(int), shop::bye()".  Returns false if there are none. */
bool names_near(const struct gsym_reader *reader, const char *name, size_t size,
		char text[NAMES_NEAR_SIZE]);
/** Write the base name of the readable name TEXT, as debug info has it, to TO,
 *  which has room for all of TEXT: without scopes, the type that it returns,
 *  parameters, ABI tags and suffixes of compilers, but with the arguments of
 *  templates: "t<int>" of "int n::S::t<int>(int) (.isra.0)". */
void names_base(const char *text, char *to);
/** Write the template that the readable name TEXT is an instance of to TO,
 *  which has room for all of TEXT: the name with its scopes, without the type
 *  that it returns, parameters, and the arguments of templates: "n::S<>::t<>"
 *  of "int n::S<char>::t<int>(int)".  Returns whether TEXT has such
 *  arguments. */
bool names_template(const char *text, char *to);
/** The length of NAME without what compilers append to the names of copies of a
 *  function, which differ from build to build: " [clone .isra.0]",
 *  ".constprop.0", ".llvm.1234". */
size_t names_stem(const char *name);
/** Free what NAMES has allocated. */
void names_fini(struct names *names);

/* ---- readable names ------------------------------------------------------ */

/** A new demangler with FLAGS of gsym/demangle.h. */
static inline struct gsym_demangler *demangler_new(unsigned flags)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_new(flags, &ret) == GSYM_OK);
	return ret;
}

/** A demangler for another thread, with the cache of OTHER. */
static inline struct gsym_demangler *
demangler_share(struct gsym_demangler *other)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_share(other, &ret) == GSYM_OK);
	return ret;
}

/** The demangled form of NAME, or NAME if it is not mangled, as gsym_demangle
 *  has it. */
static inline const char *demangle(struct gsym_demangler *demangler,
				   const char *name)
{
	const char *ret = name;
	must(gsym_demangle(demangler, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}

/** The demangled form of NAME, spelled by FLAGS, malloc'ed; NULL if NAME is not
 *  mangled. */
static inline char *demangle_copy(unsigned flags, const char *name)
{
	char *ret = NULL;
	must(gsym_demangle_copy(flags, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}

/* ---- answers (frames.c) -------------------------------------------------- */

/*
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

/** The most bytes of the texts of one answer.  Names of compilers have some
 *  hundreds; but in a small hostile file thousands of them can be ends of one
 *  long string. */
#define FRAMES_BYTES GSYM_LIMIT(UINT64_C(256) << 10, 4096)

/** Take the length of TEXT from *LEFT; false if that is not enough. */
bool frames_take_text(uint64_t *left, const char *text);
/** Take the lengths of the texts of COUNT FRAMES, as they are shown with
 *  DEMANGLER (NULL: as they are), from *LEFT, which is FRAMES_BYTES before an
 *  answer.  False if that is not enough: then the answer is not to be shown. */
bool frames_take(uint64_t *left, struct gsym_demangler *demangler,
		 const struct gsym_frame *frames, size_t count);
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

#endif /* TOOLS_COMMON_NAMES_H */
