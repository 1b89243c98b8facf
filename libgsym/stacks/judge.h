/* SPDX-License-Identifier: MIT */
/*
 * stacks/judge.h - from frames without markup to the addresses that they stand
 * for, and to whether symbols may answer for them.  Knows the host, and what
 * the log has told about the processes; of the line at hand its number and its
 * process.
 *
 *	state.c		what a log has told about a process; its modules
 *	resolve.c	from a frame to symbols and an address
 *	candidate.c	the module of a frame, and its symbols
 *	verdict.c	whether symbols may answer
 *	address.c	from the number of a frame and the name of its function
 *			to an address of its module
 *	size.c		the same for frames with the size of their function
 *	signal.c	which frames are behind a signal
 *	trust.c		evidence of another build, by names
 *	calls.c		evidence of another build, by return addresses
 *	frame.c		what an address stands for, and which folders answers
 *			leave out; frames for the host
 */
#ifndef GSYM_STACKS_JUDGE_H
#define GSYM_STACKS_JUDGE_H

#include "logs/unwrap.h"
#include "markup/host.h"

struct judge;
struct stacks_module;

/* ---- which frames of a stack are behind a signal (signal.c) ------------ */

/* Their addresses are exact, and no return addresses. */

/** What is known of the address of a frame that is said to be a return
 *  address. */
enum stacks_exact {
	/** The address is a return address. */
	STACKS_RETURNS,
	/** The frame before may be a signal trampoline. */
	STACKS_MAY_BE_EXACT,
	/** The frame before is a signal trampoline: a signal interrupted the
	 *  program at the address. */
	STACKS_EXACT,
};

/** What the frames of a stack, all of one form, say about signals. */
struct stacks_signal {
	/** What is known of the next frame. */
	enum stacks_exact next;
	/** What was known of the last frame; a hash of that frame, and its
	 *  line. */
	enum stacks_exact last;
	uint64_t key, line;
	/** The line of the last frame, if its module is known; else 0. */
	uint64_t told;
	/** The stack is one of a signal, whose trampoline has not come. */
	bool stack;
};

struct stacks_signals {
	/** By logs_index. */
	struct stacks_signal of[LOGS_FORMS];
};

/** What is known of the address of FRAME: S has what the frames before
 *  said. */
enum stacks_exact gsym_stacks_signal_at(struct stacks_signals *s,
					const struct logs_frame *frame);
/** Note in S what FRAME says about the next one.  M is the module of FRAME,
 *  NULL if it is not known.  What symbols of M say replaces NEXT. */
void gsym_stacks_signal_after(struct stacks_signals *s,
			      const struct logs_frame *frame,
			      struct stacks_module *m);
/** Whether FRAME has a return address, and a number that counts to the byte
 *  before it: both differ by whole pages and the 1 that the log has
 *  subtracted. */
static inline bool stacks_has_both(const struct logs_frame *frame)
{
	return frame->called && !frame->returns &&
	       frame->counts_from != LOGS_FUNCTION &&
	       (frame->address - frame->number) % 4096 == 1;
}
/** Look ADDRESS up.  Returns whether a signal handler returns to ADDRESS: a
 *  function for that begins there. */
bool gsym_stacks_find_trampoline(struct mk_host *h, void *symbols,
				 uint64_t address);

/* ---- whether symbols may answer (verdict.c) ----------------------------- */

/*
 * Symbols without the build ID that the log gives may be of another build.  The
 * log says things that symbols can be compared with: evidence.  A verdict
 * follows from evidence alone, and changes nothing; gsym_stacks_accept keeps
 * what has to last, writes the message, and applies the option that believes
 * any build.
 *
 *	evidence				refutes		until
 *	the host: symbols of another build	the module	another ID
 *	a function lies elsewhere		the module	another ID
 *	the same, of a name that may be a
 *	neighbour's				the frame
 *	the function has another name		the frame
 *	no calls before return addresses, or
 *	before most of those of earlier stacks	the stack	its end
 *	no call before one of them		the frame
 *	another size of a function		the kernel and	another
 *						its modules	release
 *	the same, of a function that had its
 *	size before, or of a line that was cut	the frame
 */

/** What the code of a program says about frames of the log. */
struct stacks_calls {
	/** Frames that speak for the symbols: a call stands before the address,
	 *  or the function is where the log has it. */
	unsigned agreed;
	/** Frames without a call before the address.  Equal addresses one after
	 *  the other count once. */
	unsigned uncalled;
	/** The last address without a call. */
	uint64_t last_uncalled;
};

/** What evidence says about symbols. */
enum stacks_trust {
	/** They have the build ID, or the release, that the log gives; or the
	 *  log agrees with them. */
	STACKS_PLAUSIBLE,
	/** Nothing tells their build. */
	STACKS_UNKNOWN,
	/** They are of another build, and give no answers. */
	STACKS_REFUTED,
};

/** For which frames a verdict holds. */
enum stacks_scope {
	GSYM_SCOPE_FRAME,
	GSYM_SCOPE_STACK,
	GSYM_SCOPE_MODULE,
	/** All frames of the kernel and its modules. */
	GSYM_SCOPE_KERNEL,
};

/** The evidence that a verdict follows from. */
enum stacks_reason {
	/** No new evidence: the host or other frames have told already.  Or
	 *  evidence that counts for nothing else: a line that may be odd. */
	STACKS_SAID,
	STACKS_BY_PLACE,
	STACKS_BY_NAME,
	STACKS_BY_CALL,
	STACKS_BY_SIZE,
};

struct stacks_verdict {
	enum stacks_trust trust;
	enum stacks_scope scope;
	enum stacks_reason reason;
	/** For the message: the function of the log, and its sizes in the
	 *  symbols and in the log; or the address without a call. */
	struct logs_text function;
	uint64_t number, in_log;
};

/* ---- verdicts; these change nothing ------------------------------------- */

/** About the symbols of M, which are known: what was told so far.  KERNEL is
 *  the kernel that M belongs to, NULL if M is a program's. */
struct stacks_verdict
gsym_stacks_verdict_of_module(const struct stacks_module *m,
			      const struct stacks_module *kernel);
/** THERE: the function of FRAME lies in M's symbols where the log has it. */
struct stacks_verdict
gsym_stacks_verdict_by_place(const struct stacks_module *m,
			     const struct logs_frame *frame, bool there);
/** SAME: a function at the address of FRAME has the name in the log. */
struct stacks_verdict
gsym_stacks_verdict_by_name(const struct logs_frame *frame, bool same);
/** NOW is what calls say about the stack at hand, BEFORE about earlier ones.
 *  UNCALLED: no call stands before ADDRESS, that of the frame at hand. */
struct stacks_verdict
gsym_stacks_verdict_by_calls(const struct stacks_calls *now,
			     const struct stacks_calls *before, bool uncalled,
			     uint64_t address);
/** The function of FRAME has SIZE bytes in the symbols of a kernel, and others
 *  in the log.  TRIAL: the build of the symbols is not proven, and no earlier
 *  frame has shown the size in the log. */
struct stacks_verdict
gsym_stacks_verdict_by_size(const struct logs_frame *frame, uint64_t size,
			    bool trial);
/** Whether CALLS, of one stack, refute the symbols. */
bool gsym_stacks_refutes(const struct stacks_calls *calls);

/* ---- what follows ------------------------------------------------------- */

/** Keep the verdict V about M, and report V once for M, if that is new.
 *  *UNSURE becomes true if M's symbols are refuted.  Returns whether they may
 *  answer, as they do in any case if options say so. */
bool gsym_stacks_accept(struct judge *j, struct stacks_module *m,
			struct stacks_verdict v, bool *unsure);

/* ---- what a log has told about a process ------------------------------ */

/** Modules of a process that are kept between lines. */
#define STACKS_MODULES GSYM_LIMIT(4096u, 1)
/** Of forgotten modules, and of forgotten processes, those whose symbols must
 *  not be trusted. */
#define STACKS_DISTRUSTED GSYM_LIMIT(4096u, 1)

enum {
	STACKS_BUCKETS = 256,
	/** Bytes of the kernel's release. */
	STACKS_RELEASE = 64,
	/** Functions of the kernel that have to have the size that the log says
	 *  before the symbols are trusted. */
	STACKS_PROOF = 16,
};

/** A module, as one form of backtraces writes it. */
struct stacks_module {
	const struct logs_dialect *dialect;
	struct logs_text name;
	uint8_t id[MK_BUILD_ID];
	size_t id_size;
	/** ID stands in another line than the frames. */
	bool identified;
	/** The host's answer.  ASKED: the host was asked. */
	struct gsym_markup_log_symbols found;
	bool asked;
	/** These messages were written: that there are no symbols, that they
	 *  are of another build, and that nothing tells the build. */
	bool missed, disagreed, unproven;
	/** The functions that are where the log has them; of the kernel, how
	 *  many of AGREED of the state are in use. */
	unsigned agreed;
	/** The frames that were compared before they got answers. */
	unsigned trials;
	/** What the code says about the frames of the stack with the number
	 *  STACK, and about those of the stacks before: see calls.c. */
	uint64_t stack;
	struct stacks_calls evidence, before;
	/** A function lies elsewhere, or has another size, than in the log: the
	 *  symbols are of another build.  Also if that may have been
	 *  forgotten. */
	bool distrusted;
	/** Whether handlers of signals may return to the module. */
	enum stacks_system {
		STACKS_UNSEEN, /**< not looked at yet */
		STACKS_OTHER,
		STACKS_LIBC,
		STACKS_VDSO,
	} system;
	/** glibc: BIAS is the address in memory less the linked one. */
	bool biased;
	uint64_t bias;
	/** The next in the bucket, or in the list GONE; the next younger. */
	struct stacks_module *next, *younger;
};

/** What is forgotten, but not that its symbols must not be trusted.  A module,
 *  for which HASH is of its name and its build ID; or a process, for which HASH
 *  is of its name, and LOGS are the forms of its modules, values of enum
 *  gsym_markup_log. */
struct stacks_distrusted {
	unsigned logs;
	uint64_t hash;
};

struct stacks_distrust {
	GSYM_VEC(struct stacks_distrusted);
	/** The forms of those for which there was no room. */
	unsigned all;
};

/** A stack whose frames are compared with symbols before they get answers.  The
 *  frames come again: what they tell about later ones is kept here, apart from
 *  what the frames with answers have told. */
struct stacks_compared {
	/** Stacks are counted. */
	uint64_t number;
	struct stacks_signals signals;
	/** What the dialect REMEMBERED_BY, NULL if it is none yet, remembers of
	 *  the frames. */
	const struct logs_dialect *remembered_by;
	struct logs_memory memory;
};

/** The folder that a kernel was built in. */
struct stacks_build_folder {
	/** As compilers were told it, and assemblers. */
	struct mk_text compiled, assembled;
	/** They were searched. */
	bool known;
};

/** The frame that the host was told last. */
struct stacks_reported {
	/** Its number and its line; 0: none was told. */
	uint64_t number, line;
	/** A hash of the first frame of its stack. */
	uint64_t first;
};

struct stacks_state {
	struct stacks_module *buckets[STACKS_BUCKETS];
	/** LAST: the module that was found last; NULL: none, or a module was
	 *  forgotten since then. */
	struct stacks_module *oldest, *newest, *last;
	size_t count;
	/** Modules that are forgotten, until gsym_stacks_tidy. */
	struct stacks_module *gone;
	/** Modules that are forgotten, whose symbols are of another build, or
	 *  whose build ID other lines told. */
	struct stacks_distrust distrust;

	char release[STACKS_RELEASE];
	size_t release_size;
	/** Kernel: hashes of functions that had the size that the log says. */
	uint64_t agreed[STACKS_PROOF];
	struct stacks_build_folder folder;

	/** What frames have said about the next one. */
	struct stacks_signals signals;
	struct stacks_compared compared;
	struct stacks_reported reported;
	/** Inlined calls of the stack that were written as frames. */
	uint64_t inlined;

	/** strace: what the numbers of frames are; 0: not known. */
	enum { STACKS_OFFSETS = 1, STACKS_ADDRESSES } numbers;
	/** What lies where in memory, each module at its first
	 *  page; and the module that was added last. */
	struct mk_context memory;
	struct mk_module *mapped;
	/** What each dialect keeps, by logs_index. */
	struct logs_memory memories[LOGS_FORMS];
};

void gsym_stacks_state_free(struct stacks_state *s);
/** P is forgotten, as there are too many processes.  Free the member LOG of P,
 *  but keep what would let symbols of another build answer for P later. */
void gsym_stacks_forget_process(struct judge *j, struct mk_process *p);
/** Forget everything, as the log begins anew. */
void gsym_stacks_reset(struct stacks_state *s);
/** Free what is forgotten; and forget the oldest modules, if there are more
 *  than STACKS_MODULES.  Called between lines: see gsym_filter_tidy. */
void gsym_stacks_tidy(struct stacks_state *s);

/** The module of dialect D that is written NAME, which is added if S has none.
 *  NULL without memory.  Valid until gsym_stacks_tidy, even if it is
 *  forgotten. */
struct stacks_module *gsym_stacks_module(struct stacks_state *s,
					 const struct logs_dialect *d,
					 struct logs_text name);
/** The module of the kernel itself, which is added if S has none.  NULL without
 *  memory. */
struct stacks_module *gsym_stacks_kernel(struct stacks_state *s);
/** Give M the build ID with these DIGITS, if they are one.  If M had another
 *  one, the host is asked again. */
void gsym_stacks_identify(struct stacks_state *s, struct stacks_module *m,
			  struct logs_text digits);
/** Forget what lies in memory. */
void gsym_stacks_unmap(struct stacks_state *s);
/** Forget the modules of the LOGS, values of enum gsym_markup_log. */
void gsym_stacks_forget(struct stacks_state *s, unsigned logs);
/** Let the host be asked again for modules that have no symbols. */
void gsym_stacks_retry(struct stacks_state *s);

/* ---- the judge ---------------------------------------------------------- */

struct judge {
	struct mk_host *host;
	const struct gsym_markup_log_options *options;
	struct mk_processes *processes;
	/** Processes that are forgotten. */
	struct stacks_distrust distrust;
	/** What the host said about the module of the frame at hand. */
	struct gsym_markup_log_symbols found;
	/** How many of STACKS_DEAD are left for the line at hand. */
	unsigned dead_left;
	struct gsym_markup_log_count counts[LOGS_FORMS];
};

/** Functions of one name whose places are shown, if nothing tells them
 *  apart. */
#define STACKS_CHOICES GSYM_LIMIT(4u, 1)
/** Functions of one name that are looked at. */
#define STACKS_FUNCTIONS GSYM_LIMIT(256u, 1)
/** Dead functions that are looked at for one line, which may have many
 *  frames. */
#define STACKS_DEAD GSYM_LIMIT(1024u, 1)

/** The sizes of arrays of STACKS_CHOICES and STACKS_FUNCTIONS items, which do
 *  not change where tests set the limits to 1. */
enum { STACKS_ROOM_CHOICES = 4, STACKS_ROOM_FUNCTIONS = 256 };

/** A frame, and the addresses to look up for it: one, or several that cannot be
 *  told apart. */
struct stacks_answer {
	struct logs_frame frame;
	struct logs_raw raw;
	void *symbols;
	/** The name of the module, and its build ID.  The ID is a copy: another
	 *  frame of the line may give the module another one. */
	struct logs_text module;
	uint8_t build_id[MK_BUILD_ID];
	size_t build_id_size;
	uint64_t addresses[STACKS_ROOM_CHOICES];
	size_t count;
	/** The symbols may be of another build than the log. */
	bool unsure;
};

/* ---- from frames to addresses ------------------------------------------ */

/** What became of a frame. */
enum gsym_look {
	GSYM_LOOK_ANSWER,
	GSYM_LOOK_NOTHING,
	GSYM_LOOK_NO_MODULE,
	GSYM_LOOK_NO_FUNCTION,
	GSYM_LOOK_MISMATCH,
};

/** Find symbols and address for ANSWER's frame; false if there are none.
 *  Counts the frame. */
bool gsym_stacks_resolve(struct judge *j, struct stacks_answer *answer);
/** The same for ANSWER's frame, which has the size of its function. */
enum gsym_look gsym_stacks_resolve_size(struct judge *j,
					struct stacks_answer *answer);
/** Tell the host about ANSWER, whose search ended with OUTCOME. */
void gsym_stacks_explain(struct judge *j, const struct stacks_answer *answer,
			 enum gsym_look outcome);
/** Find FRAME's address in the memory that the log described, and make it one
 *  in the module that lies there; NULL if none lies there. */
struct stacks_module *gsym_stacks_find_memory(struct stacks_state *s,
					      struct logs_frame *frame);
/** The module of FRAME; NULL without memory.  Frames that name no file have the
 *  build ID as the name of their module. */
struct stacks_module *gsym_stacks_module_of(struct stacks_state *s,
					    const struct logs_frame *frame);
/** Ask the host for the symbols of M, unless it was asked; NULL if there are
 *  none, or if they are of another build.  DOUBTFUL: without a message. */
void *gsym_stacks_symbols(struct judge *j, struct stacks_module *m,
			  bool doubtful);
/** The name of M as messages have it: without blanks at the end, and without
 *  " (deleted)", which the kernel writes behind a file that is gone; at most so
 *  many bytes as messages show. */
struct logs_text gsym_stacks_shown_name(const struct stacks_module *m);
/** Set the module of ANSWER. */
void gsym_stacks_name_module(struct stacks_answer *answer,
			     struct logs_text name, const uint8_t *id,
			     size_t id_size);

/** The levels of ADDRESS, as gsym_mk_levels_of returns them; none if its
 *  function has no name. */
struct mk_levels gsym_stacks_look_up(struct mk_host *h, void *symbols,
				     uint64_t address);
/** The same for the address I of ANSWER; none if it has no such address. */
struct mk_levels gsym_stacks_levels(struct mk_host *h,
				    const struct stacks_answer *answer,
				    size_t i);
/** LEVEL, its file without the folders that OPTIONS, and the kernel of S, take
 *  from it: LEVEL itself, or *STRIPPED. */
struct mk_level *
gsym_stacks_level(const struct gsym_markup_log_options *options,
		  const struct stacks_state *s, struct mk_level *level,
		  struct mk_level *stripped);
/** A hash of the functions and places of LEVELS. */
uint64_t gsym_stacks_text_hash(struct judge *j, const struct mk_levels *levels);
/** What the log has told about the process of the line at hand; NULL: nothing
 *  yet. */
static inline struct stacks_state *stacks_known(const struct judge *j)
{
	return j->host->line->process->log;
}
/** Make the state of the process of the line at hand, which has none; NULL
 *  without memory. */
struct stacks_state *gsym_stacks_add_state(struct judge *j);
/** The state of the process of the line at hand, which is made if there is
 *  none; NULL without memory. */
static inline struct stacks_state *stacks_state(struct judge *j)
{
	struct stacks_state *known = stacks_known(j);

	return known ? known : gsym_stacks_add_state(j);
}

/* ---- from numbers to addresses (address.c) --------------------------- */

/* ---- names of functions, as logs and symbols write them */

/** NAME without version ("@@GLIBC_2.34") and parameters. */
struct logs_text gsym_stacks_plain(struct logs_text name);
/** Take a suffix of the compiler, such as ".cold" or ".isra.0", from the end of
 *  NAME; false if there is none. */
bool gsym_stacks_cut_suffix(struct logs_text *name);
/** Whether two names may be of one function: without parameters, suffixes and
 *  the marks of internal names, one is the start of the other. */
bool gsym_stacks_same_name(struct logs_text a, struct logs_text b);
/** Whether NAME up to its parameters stands in TEXT, and is no part of a longer
 *  name there. */
bool gsym_stacks_has_name(struct logs_text text, struct logs_text name);

/* ---- addresses */

/** What the number of a frame tells about its address in the module.  BITS:
 *  those in which ADDRESS is the true address.  KNOWN: ADDRESS is the true
 *  address. */
struct stacks_hint {
	uint64_t address, bits;
	bool known;
};

/** That of FRAME in M.  Of a frame whose numbers may be of two kinds
 *  (LOGS_FILE), KNOWN holds for the first one, and BITS are those in which both
 *  are equal. */
struct stacks_hint gsym_stacks_hint(const struct judge *j,
				    const struct stacks_module *m,
				    const struct logs_frame *frame);
/** Find FRAME by its function in M, as HINT allows.  *RET becomes the address.
 *  GSYM_LOOK_NO_FUNCTION: M or the log lacks the function.  GSYM_LOOK_MISMATCH:
 *  the function lies elsewhere.  GSYM_LOOK_NOTHING: the symbols do not tell, or
 *  several functions fit. */
enum gsym_look gsym_stacks_by_name(struct judge *j,
				   const struct stacks_module *m,
				   const struct logs_frame *frame,
				   const struct stacks_hint *hint,
				   uint64_t *ret);
/** Look for the function of FRAME in M.  Returns whether ADDRESS is where FRAME
 *  says that it is: so many bytes after the start of the function.  True if M
 *  lacks the function. */
bool gsym_stacks_check_address(struct judge *j, const struct stacks_module *m,
			       const struct logs_frame *frame,
			       uint64_t address);
/** Learn the load bias of M from FRAME, if that has both addresses. */
void gsym_stacks_learn_bias(struct stacks_module *m,
			    const struct logs_frame *frame);
/** Set *RET to the address of FRAME in M, whose symbols are known: by the
 *  number, and where that does not suffice by the function, or by what other
 *  frames have told. */
enum gsym_look gsym_stacks_address(struct judge *j, struct stacks_module *m,
				   const struct logs_frame *frame,
				   uint64_t *ret);

/* ---- symbols of another build ------------------------------------------ */

/** Find the folder that the kernel of S was built in, and set FOLDER of S. */
void gsym_stacks_find_folder(struct judge *j, struct stacks_state *s);
/** Ask the host for the symbols of the process's kernel; NULL: none. */
const struct stacks_module *gsym_stacks_ask_kernel(struct judge *j);
/** Ask the host for the symbols of the module of FRAME, which is one of the
 *  kernel.  Returns the module if its symbols may be of another build, and too
 *  few frames were compared with them; NULL otherwise. */
struct stacks_module *gsym_stacks_ask_unproven(struct judge *j,
					       const struct logs_frame *frame);
/** Whether enough frames were compared with the symbols of the kernel. */
bool gsym_stacks_is_judged(struct judge *j);
/** If the symbols for FRAME are unproven, compare them with FRAME. */
void gsym_stacks_compare_size(struct judge *j, const struct logs_frame *frame);

/** Ask the host for the symbols of the module of FRAME, which is none of the
 *  kernel.  Returns whether they may be of another build, and too few frames
 *  were compared with them. */
bool gsym_stacks_ask_trial(struct judge *j, const struct logs_frame *frame);
/** Compare such a FRAME with the symbols of its module.  FRAME becomes as the
 *  lines before it tell. */
void gsym_stacks_compare(struct judge *j, struct logs_frame *frame);

/** Compare the functions of FRAME and of LEVELS, and count for M if they are
 *  the same.  Returns whether LEVELS may be the answer to FRAME. */
bool gsym_stacks_check_names(struct judge *j, struct stacks_module *m,
			     const struct logs_frame *frame,
			     const struct mk_levels *levels);

/** The frames of another stack are compared from now on, behind those that got
 *  answers. */
void gsym_stacks_compare_begin(struct stacks_state *s);
/** The frames of the stack at hand are compared once more, from the first on:
 *  what calls have shown so far is forgotten. */
void gsym_stacks_compare_again(struct stacks_state *s);

/* ---- return addresses --------------------------------------------------- */

/** Whether the log has FRAME as a return address, and no call stands before
 *  ADDRESS, that of FRAME in M. */
bool gsym_stacks_lacks_call(struct judge *j, const struct stacks_module *m,
			    const struct logs_frame *frame, uint64_t address);
/** What was counted for M in the stack that is compared.  The first call for a
 *  stack adds the counts of M's last stack to those of earlier stacks: if that
 *  stack was refuted, its frames without a call; if not, its other frames. */
struct stacks_calls *gsym_stacks_calls(const struct stacks_state *s,
				       struct stacks_module *m);
/** Count for M whether a call stands before the return address of FRAME, which
 *  HINT tells. */
void gsym_stacks_count_call(struct judge *j, struct stacks_module *m,
			    const struct logs_frame *frame,
			    const struct stacks_hint *hint);

/** Change the state of the process as FACT tells. */
void gsym_stacks_apply(struct judge *j, const struct logs_fact *fact);

/** Apply what the REPORT in JSON of dialect D says about modules. */
void gsym_stacks_report_modules(struct judge *j, const struct logs_dialect *d,
				struct logs_text report);
/** Tell the host about ANSWER.  RESOLVED: it has symbols and an address. */
void gsym_stacks_tell(struct judge *j, const struct stacks_answer *answer,
		      bool resolved);

#endif
