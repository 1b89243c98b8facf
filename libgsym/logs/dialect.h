/* SPDX-License-Identifier: MIT */
/*
 * logs/dialect.h - the backtraces of programs that write no markup, and what
 * other lines say about them.
 *
 * Each form of enum gsym_markup_log is a dialect: a file with its recognisers,
 * and a row, struct logs_dialect, which says all that is special about it.  A
 * new dialect touches its file, the list LOGS_DIALECTS, its value of enum
 * gsym_markup_log, the build file and gsym-markup(1).  A word that no other
 * dialect has is a line of LOGS_WORDS.
 *
 * A recogniser looks at one line, without what is wrapped around it (unwrap.h),
 * and takes time in proportion to its size.  Knows no symbols, and not
 * how an answer is written.
 */
#ifndef GSYM_LOGS_DIALECT_H
#define GSYM_LOGS_DIALECT_H

#include <gsym/logs.h>

#include <string.h>

/** SIZE bytes that belong to someone else, as those of a line. */
struct logs_text {
	const char *at;
	size_t size;
};

static inline struct logs_text logs_between(const char *at, const char *end)
{
	return (struct logs_text){ at, (size_t)(end - at) };
}

static inline struct logs_text logs_string(const char *text)
{
	return (struct logs_text){ text, strlen(text) };
}

static inline bool logs_is(struct logs_text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.at, word, text.size);
}

static inline bool logs_same(struct logs_text a, struct logs_text b)
{
	return a.size == b.size && (!a.size || !memcmp(a.at, b.at, a.size));
}

/* ---- frames --------------------------------------------------------- */

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
	/** The start of the module's file. */
	LOGS_OFFSET,
	/** The first page of the module's code in memory. */
	LOGS_CODE,
};

/** Where the answer goes. */
enum logs_layout {
	/** To INSERT, as " FUNCTION (PLACE)". */
	LOGS_APPEND,
	/** Between address and module, as a sanitizer writes it. */
	LOGS_SANITIZER,
	/** To INSERT, as " (PLACE)". */
	LOGS_KERNEL,
	/** As LOGS_APPEND, each frame of the line in a line of its own. */
	LOGS_LIST,
};

/** What is written of the answer to a frame that is an object of JSON, which
 *  begins at START. */
enum logs_value {
	/** To INSERT, further keys with their values: those of Apple's tools
	 *  (render/script.c). */
	LOGS_KEYS,
	/** In place of INSERT to RESUME, the value of a key. */
	LOGS_VALUE_FUNCTION,
	LOGS_VALUE_FILE,
	LOGS_VALUE_LINE,
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

/** What a line says about the address of the frame in the next line. */
enum logs_signal {
	LOGS_NO_SIGNAL,
	/** The stack of a signal begins: one of its frames is the trampoline
	 *  that the handler returns to. */
	LOGS_SIGNAL_STACK,
	/** The address may be exact. */
	LOGS_SIGNAL_EITHER,
	/** A signal interrupted the program there: the address is exact. */
	LOGS_SIGNAL_EXACT,
	/** What the line before says is not known yet. */
	LOGS_SIGNAL_UNREAD,
};

struct logs_dialect;

struct logs_frame {
	const struct logs_dialect *dialect;
	/** The number of its line, once ADAPT of its dialect is called. */
	uint64_t line;
	/** Where the frame begins.  Text before it is repeated in lines of
	 *  inlined calls. */
	const char *start;
	/** The bytes from INSERT to RESUME are replaced by the answer. */
	const char *insert, *resume;
	/** LOGS_SANITIZER: the end of "#0 0x1234" or "#0", which lines of
	 *  inlined calls repeat.  LOGS_LIST: the end of the word before the
	 *  frames of the line. */
	const char *number_end;
	/** LOGS_LIST, and frames of lists with a line each: where the frame
	 *  itself begins. */
	const char *item;

	/** The module as the log writes it; size 0: the log names none, or the
	 *  kernel itself. */
	struct logs_text module;
	/** The hexadecimal digits of the build ID; size 0: there is none. */
	struct logs_text build_id;
	/** The function as the log writes it; size 0: the log has none. */
	struct logs_text function;
	uint64_t number;
	/** The address in memory; 0: the log has none. */
	uint64_t address;
	/** PLACED: the log says that the address is OFFSET bytes after the
	 *  start of the function. */
	uint64_t offset;
	/** Kernel: the bytes of the function. */
	uint64_t size;
	struct logs_known known;
	/** Where the next frame of the line begins; NULL: that is not known,
	 *  or there is none.  JOINTS: joints alone tell (frames.c), not SECOND
	 *  of the dialect. */
	const char *rest;
	bool joints : 1;

	/* These are bits, because lines that wait keep their frames. */

	/** What the text before says about the address. */
	enum logs_signal signal : 3;
	enum logs_layout layout : 2;
	/** Reports in JSON: what is written. */
	enum logs_value value : 2;
	/** What NUMBER counts from. */
	enum logs_number counts_from : 3;
	bool placed : 1; /**< see OFFSET */
	/** The number is a return address. */
	bool returns : 1;
	/** The number is a return address less 1, the last byte of a call.
	 *  With RETURNS: some versions of the program print such numbers. */
	bool called : 1;
	/** The number is a return address or an exact one: the log does not
	 *  tell. */
	bool either : 1;
	/** With EITHER: both count only where a function begins. */
	bool either_start : 1;
	/** The log marks the address as an exact one.  Kernel: this holds for
	 *  the same function and offset in the rest of the report. */
	bool marked : 1;
	/** Kernel: the line begins a report. */
	bool begins : 1;
	/** The frame may be a false match: no message if its module is
	 *  unknown. */
	bool doubtful : 1;
	/** The line has an answer already. */
	bool answered : 1;
	/** LOGS_SANITIZER: "in " stands before the function. */
	bool in : 1;
	/** JVM: the frame in the head of the report. */
	bool problem : 1;
	/** The log itself doubts that the frame belongs to its stack. */
	bool stale : 1;
	/** The module is a package, whose build ID alone tells the library. */
	bool package : 1;
	/** The number may be a linked address or one in memory.  LOGS_LINKED:
	 *  NUMBER is an address in memory, which is the linked one, too, if the
	 *  module cannot be moved.  Else a bias that another frame told is
	 *  subtracted.  LOGS_MAPPED: NUMBER counts from the first page, and
	 *  ADDRESS is the linked address if the module cannot be moved. */
	bool fixed : 1;
	/** Debuggers: the line may have the name of the function, though
	 *  FUNCTION is empty. */
	bool named : 1;
	/** A contradiction refutes this frame alone, not the symbols of the
	 *  module: the program that wrote the log gives other numbers for some
	 *  modules.  The function of the frame has to be that of the answer. */
	bool loose : 1;
	/** LOGS_FUNCTION: the frame tells nothing about other frames of the
	 *  module, which may be of another process. */
	bool alone : 1;
	/** The answer takes the place of blanks at the end of the line. */
	bool tight : 1;
	/** LOGS_OFFSET: if the program headers are not known, addresses are
	 *  offsets in the file. */
	bool offset_linked : 1;
	/** The lowest bit of an address below 4 GiB tells the state of the
	 *  processor. */
	bool thumb : 1;
	/** So many of the next lines are looked at, whatever words are in
	 *  them. */
	uint8_t watch;
};

/* ---- facts ---------------------------------------------------------- */

enum logs_fact_kind {
	/** The dialect alone needs the fact. */
	LOGS_OWN,
	/** The kernel's release is NAME, its build ID is BUILD_ID. */
	LOGS_RELEASE,
	/** systemd, minidump-stackwalk: the module NAME has BUILD_ID, or none.
	 */
	LOGS_MODULE,
	/** Modules of another process follow. */
	LOGS_PROCESS,
	/** Apple: a report as text begins, whose images follow the frames. */
	LOGS_REPORT,
	/** Apple, minidump-stackwalk: the same in JSON, of many lines. */
	LOGS_REPORT_JSON,
	/** Apple: the image NAME with BUILD_ID lies at START to LAST. */
	LOGS_IMAGE,
	/** A line of /proc/PID/maps: the bytes of the file NAME from OFFSET on
	 *  lie at START to LAST.  NAME is empty if they are of no file. */
	LOGS_MAP,
	/** The first of those lines that has code, without its offset. */
	LOGS_MAP_CODE,
};

struct logs_fact {
	const struct logs_dialect *dialect;
	enum logs_fact_kind kind;
	struct logs_text name, build_id;
	uint64_t number;
	/** So many of the next lines are looked at, whatever words are in them:
	 *  they may have frames of Seastar's lists, or facts that lines have
	 *  nowhere else.  NEARBY: this is such a fact. */
	unsigned watch;
	bool nearby;
	uint64_t start, last, offset;
};

/* ---- dialects -------------------------------------------------------- */

/** The words that announce frames and facts, beside ESC.  For each: its name;
 *  two bytes, and the least byte that may follow them; its text, and how many
 *  bytes of that stand before the two; and the function of search.c that looks
 *  at what is around the text.  The searches there are made from this list, of
 *  at most 29 words.  One instruction looks up 16 of them:
 *  two of the first 16 words, or of the others, with the same SLOT there do not
 *  compile, and other bytes of a word help.
 */
#define LOGS_WORDS(word)                                                      \
	word(ELEMENT, '{', '{', '{', "{{{", 0, any)                         \
	word(OFFSET, '+', '0', 'x', "+0x", 0, is_offset)                     \
	word(BRACKET, '[', '0', 'x', "[0x", 0, is_bracket)                   \
	word(SUM, '+', ' ', '0', "+ ", 0, is_sum)                            \
	word(PC, 'p', 'c', ' ', "pc ", 0, is_pc)                             \
	word(RELEASE, ' ', '#', '0', " #", 0, is_release)                    \
	word(REPORT_END, '-', '[', ' ', "---[ ", 2, any)                    \
	word(BUILD_ID, 'u', 'i', 'l', "build", 1, is_build_id)              \
	word(STARS, '*', '*', '*', "*** ***", 0, any)                       \
	word(PROCESS, 'P', 'r', 'o', "Pro", 0, is_process)                   \
	word(AT, ' ', '@', ' ', " @ ", 0, is_at)                             \
	word(BACKTRACE, 'k', 't', 'r', "ktrace", 0, is_backtrace)            \
	word(FAULT, 'r', 'o', 'r', "ror", 0, is_fault)                       \
	word(UNKNOWN, '[', 'u', 'n', "[unknown] (", 0, any)                 \
	word(MEPC, 'M', 'E', 'P', "MEPC", 0, is_mepc)                        \
	word(ADJUSTED, 'u', 's', 't', "usted_address\":", 0, any)             \
	word(UNKNOWN_FUNCTION, 'n', '(', '0', "nction(0x", 5, any)           \
	word(PATH, '(', '/', 'A', "(/", 0, is_path)                         \
	word(IMAGE, ' ', '<', '0', " <", 0, is_image)                        \
	word(CRASHED, 'E', 'F', 'L', "EFLAGS: ", 0, any)                     \
	word(SENT, 'G', 'V', ' ', "SIGSEGV to ", 5, any)                  \
	word(ABS, 'a', 'b', 's', " abs 0", 1, any)                           \
	word(MATLAB, ']', ' ', '0', "] 0x0000", 0, any)                      \
	word(TRAP, 'p', ' ', '(', "--- trap ", 7, any)                       \
	word(INTERRUPT, 'u', 'p', 't', "--- interrupt", 10, any)            \
	word(IN, '(', 'i', 'n', "(in ", 0, is_in)                            \
	word(WASM, 's', 'm', '!', "wasm", 2, is_wasm)                        \
	word(ESCAPED_PATH, '(', '\\', '/', "(\\/", 0, is_path)

#define LOGS_WORD_NUMBER(name, ...) LOGS_WORD_NUMBER_##name,
enum { LOGS_WORDS(LOGS_WORD_NUMBER) LOGS_WORD_COUNT };
#define LOGS_WORD_BIT(name, ...)                                              \
	LOGS_WORD_##name = 1u << LOGS_WORD_NUMBER_##name,
enum logs_word {
	LOGS_WORDS(LOGS_WORD_BIT)
	/** In place of OFFSET where such a text is behind the digits:
	 *  "+0x1/0x2", "+0x1)", "+0x1]". */
	LOGS_WORD_SIZED = 1u << 29,
	LOGS_WORD_ROUND = 1u << 30,
	LOGS_WORD_SQUARE = 1u << 31,
	/** All of "+0x1" without a size.  Brackets may stand around a frame
	 *  that ends with its offset. */
	LOGS_WORDS_UNSIZED =
		LOGS_WORD_OFFSET | LOGS_WORD_ROUND | LOGS_WORD_SQUARE,
};
_Static_assert(LOGS_WORD_COUNT <= 29, "an unsigned number has a bit for each");

/** What the frames of a dialect wait for in later lines: a fact; for nothing,
 *  if that is LOGS_OWN, which is 0. */
struct logs_wait {
	enum logs_fact_kind fact;
	/** More facts of the kind follow in the next lines. */
	bool list;
};

/** What a line of a report in JSON says about the end of the report's modules:
 *  it begins their list; may end a list; and is no line of the report. */
enum logs_part { LOGS_LIST_BEGINS = 1, LOGS_LIST_ENDS = 2, LOGS_NO_PART = 4 };

/** A report in JSON of many lines, whose frames are objects. */
struct logs_report {
	/** Values of enum logs_part, for the line AT to END. */
	unsigned (*part)(const char *at, const char *end);
	/** Whether the line AT to END is a whole report; NULL: no line is. */
	bool (*is_whole)(const char *at, const char *end);
	/** Set RET to a module of REPORT, the INDEX-th one: the next from *AT
	 *  on, which is NULL at first.  *AT moves on.  False after the last
	 *  one.  No name: the module is not known. */
	bool (*module)(struct logs_text report, const char **at, uint64_t index,
		       struct logs_fact *ret);
	/** The answer has the function also if the frame has one. */
	bool names;
	/** So many lines behind a whole report are looked at, whatever words
	 *  are in them. */
	unsigned watch;
	/** Find the next frame, or the next value of one, in the line AT to
	 *  END, a part of REPORT. */
	bool (*next)(struct logs_text report, const char *at, const char *end,
		     struct logs_frame *ret);
};

/** What a dialect keeps of a process from line to line: its own struct lies
 *  there, zeroed at first. */
struct logs_memory {
	uint64_t words[12];
};

/** The script whose form of answers --log-style=script takes. */
enum logs_script {
	LOGS_NO_SCRIPT,
	LOGS_DECODE_STACKTRACE,
	LOGS_ASAN_SYMBOLIZE,
	LOGS_NDK_STACK,
};

struct logs_dialect {
	enum gsym_markup_log log;
	/** The word for option --logs of gsym-markup. */
	const char *name;
	/** Values of enum logs_word: a line without any of them is not looked
	 *  at, unless 0: then all lines are. */
	unsigned words;
	/** Whether the bytes AT to END are a frame; RET is filled in then.
	 *  NULL, as all of the rest may be: REPORT alone finds frames. */
	bool (*frame)(const char *at, const char *end, struct logs_frame *ret);
	/** The same for lines that may have several, asked before FRAME: FROM,
	 *  which lies in the line, is where the search begins.  If FROM is not
	 *  AT, RET has to be the frame before. */
	bool (*frames)(const char *at, const char *from, const char *end,
		       struct logs_frame *ret);
	/** With FRAME: where the second frame of AT to END begins, in a line
	 *  that was made of several; NULL if there is none.  Needed only where
	 *  frames.c cannot split the line at joints. */
	const char *(*second)(const char *at, const char *end);
	bool (*fact)(const char *at, const char *end, struct logs_fact *ret);
	/** Keep what FACT, one of the dialect, says. */
	void (*learn)(struct logs_memory *memory, const struct logs_fact *fact);
	/** Change FRAME, one of the dialect, as the lines before it tell. */
	void (*adapt)(struct logs_memory *memory, struct logs_frame *frame);
	struct logs_wait wait;
	const struct logs_report *report;
	enum logs_script script;
	/** Frames have a function and its size, and no address.  They are of a
	 *  kernel, which is a module without a name, and has a release. */
	bool sized;
	/** Frames may have functions and offsets, by which symbols of another
	 *  build are known. */
	bool placed;
	/** Each report has modules of its own. */
	bool fresh;
};

/** The dialects, in the order in which a line is tried: each has a file, and a
 *  row there.  Lines of strace look like lines of glibc. */
#define LOGS_DIALECTS(dialect) \
	dialect(android)       \
	dialect(sanitizer)     \
	dialect(systemd)       \
	dialect(jvm)           \
	dialect(apple)         \
	dialect(pytorch)       \
	dialect(clickhouse)    \
	dialect(backtrace)     \
	dialect(fault)         \
	dialect(perf)          \
	dialect(stackwalk)     \
	dialect(mongodb)       \
	dialect(dart)          \
	dialect(bsd)           \
	dialect(xen)           \
	dialect(wasm)          \
	dialect(generic)       \
	dialect(strace)        \
	dialect(glibc)         \
	dialect(maps)          \
	dialect(valgrind)      \
	dialect(kernel)

#define LOGS_DECLARE(name) extern const struct logs_dialect gsym_logs_##name;
LOGS_DIALECTS(LOGS_DECLARE)
#define LOGS_COUNT(name) +1
enum { LOGS_FORMS = 0 LOGS_DIALECTS(LOGS_COUNT) };
extern const struct logs_dialect *const gsym_logs_dialects[LOGS_FORMS];
/** The place of D among the bits of enum gsym_markup_log. */
static inline unsigned logs_index(const struct logs_dialect *d)
{
	return (unsigned)__builtin_ctz(d->log);
}

/** The dialects that a line is tried for: a bit for each, in the order of
 *  gsym_logs_dialects. */
struct logs_asked {
	unsigned all;
	/** Those of ALL that have no words: addresses alone, and lines of maps,
	 *  may look like anything. */
	unsigned wordless;
	/** Those of ALL that have a word, by the number of its bit. */
	unsigned by_word[32];
};

/** The dialects of LOGS, values of enum gsym_markup_log. */
struct logs_asked gsym_logs_ask(unsigned logs);
/** Find a frame of one of the dialects ASKED, bits as in struct logs_asked, in
 *  the line AT to END.  FROM is AT at first.  For the next frame of the line it
 *  is RESUME of the frame before, which RET has to be then. */
bool gsym_logs_frame(unsigned asked, const char *at, const char *from,
		     const char *end, struct logs_frame *ret);
/** Find a fact for the dialects ASKED in the line AT to END; false if there is
 *  none. */
bool gsym_logs_fact(unsigned asked, const char *at, const char *end,
		    struct logs_fact *ret);
/** Those of ASKED whose words stand in the SIZE bytes of a line, or that have
 *  no words: the line has no frames of the others. */
unsigned gsym_logs_announced(const struct logs_asked *asked, const char *bytes,
			     size_t size);
/** Whether TEXT looks like a place in a source file, as answers have them:
 *  "a.c:7", "/src/a.c". */
bool gsym_logs_is_place(struct logs_text text);

/** What the line AT to END says about a signal.  Such lines have no words of
 *  their own: the line before one with a frame is asked. */
enum logs_signal gsym_logs_signal(const char *at, const char *end);
/** Whether a file with the NAME, without folders, is a C library, to whose
 *  trampoline handlers of signals return. */
bool gsym_logs_is_libc(struct logs_text name);
/** Whether the trampoline of a signal may be OFFSET bytes after the start of
 *  the function NAME of a C library, its neighbour. */
bool gsym_logs_is_before_trampoline(struct logs_text name, uint64_t offset);
/** Whether AT to END may say something about a signal anywhere, as in a line
 *  that others have wrapped. */
bool gsym_logs_has_signal(const char *at, const char *end);

/* ---- lines ------------------------------------------------------------ */

/** The first place in SIZE bytes where an opener "{{{", an ESC, or a part of a
 *  frame or a fact stands; NULL if there is none. */
const char *gsym_logs_special(const char *bytes, size_t size);
/** The same, as processors without an instruction for tables search. */
const char *gsym_logs_special_compared(const char *bytes, size_t size);
/** The words of LOGS_WORDS that stand in SIZE bytes; perhaps others as well. */
unsigned gsym_logs_words(const char *bytes, size_t size);

#endif
