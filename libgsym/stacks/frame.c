/* SPDX-License-Identifier: MIT */
/* What an address stands for, without the folders that are left out of answers;
 * and tells the host about frames, and how they were read. */
#include "config.h"

#include "stacks/judge.h"

#include <inttypes.h>
#include <stdio.h>

#include "logs/scan.h"

/* ---- the folder that a kernel was built in ---------------------------- */

/* It stands before the path in the sources of files that each kernel has. */

/* The folder of the file of the function NAME; *FILE becomes the base name of
 * the file, *SIZE the size of the folder, 0 if the function is not known, or if
 * there are several. */
static const char *folder_of(struct judge *j, void *symbols, const char *name,
			     const char **file, size_t *size)
{
	struct gsym_markup_log_function one;
	struct mk_levels levels;
	const struct gsym_markup_frame *last;

	*size = 0;
	if (gsym_mk_functions(j->host, symbols, logs_string(name), &one, 1) !=
	    1)
		return NULL;
	levels = gsym_mk_levels_of(j->host, symbols, one.start);
	if (!levels.count)
		return NULL;
	last = &levels.items[levels.count - 1].frame;
	*file = last->basename;
	*size = strlen(last->directory);
	return last->directory;
}

/* The bytes before "init/main.c" in the file of a function that is in it. */
static void find_compiled(struct judge *j, struct stacks_state *s,
			  void *symbols)
{
	static const char *const names[] = { "kernel_init", "start_kernel" };
	static const char wanted[] = "/init";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t size;
		const char *file,
			*folder = folder_of(j, symbols, names[i], &file, &size);

		if (size < sizeof(wanted) - 1 || strcmp(file, "main.c") != 0 ||
		    strcmp(folder + size - strlen(wanted), wanted) != 0)
			continue;
		mk_text_add(&s->folder.compiled, folder, size - strlen("init"));
		return;
	}
}

/* Compilers are told to leave the folder of the build out, assemblers are not:
 * the bytes before "arch/" in the file of a function that assemblers see. */
static void find_assembled(struct judge *j, struct stacks_state *s,
			   void *symbols)
{
	static const char *const names[] = {
		"entry_SYSCALL_64", "startup_64", "vectors",
		"primary_entry",    "memcpy",	  "__memcpy",
	};
	static const char wanted[] = "/arch/";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t size;
		const char *file,
			*folder = folder_of(j, symbols, names[i], &file, &size);
		const char *at = size ? strstr(folder, wanted) : NULL;

		if (!at || !strchr(file, '.') ||
		    strcmp(strrchr(file, '.'), ".S") != 0)
			continue;
		/* The last one: others are of the folder of the build. */
		for (const char *next; (next = strstr(at + 1, wanted));)
			at = next;
		mk_text_add(&s->folder.assembled, folder,
			    (size_t)(at - folder) + 1);
		return;
	}
}

void gsym_stacks_find_folder(struct judge *j, struct stacks_state *s)
{
	struct stacks_module *m = gsym_stacks_kernel(s);
	void *symbols = m ? gsym_stacks_symbols(j, m, true) : NULL;

	s->folder.known = true;
	s->folder.compiled.count = s->folder.assembled.count = 0;
	if (!symbols)
		return;
	find_compiled(j, s, symbols);
	find_assembled(j, s, symbols);
}

/* ---- the levels of an address ----------------------------------------- */

/* The bytes of PREFIX that the path of FRAME begins with and that are to be
 * left out; 0: the path has another start. */
static size_t prefix_length(const struct gsym_markup_frame *frame,
			    struct logs_text prefix)
{
	size_t length = strlen(frame->directory), size = prefix.size;

	if (!size)
		return 0;
	/* The prefix may end with the slash between folder and file. */
	if (size == length + 1 && prefix.at[length] == '/')
		size--;
	return size <= length && memcmp(frame->directory, prefix.at, size) == 0
		       ? size
		       : 0;
}

/* How many bytes options take from the start of FRAME's folder.  The folder
 * that a kernel was built in is known while its frames are looked up. */
static size_t strip_length(const struct gsym_markup_log_options *options,
			   const struct stacks_state *s,
			   const struct gsym_markup_frame *frame)
{
	size_t size = 0;

	for (size_t i = 0; i < options->strip_prefix_count && !size; i++)
		size = prefix_length(frame,
				     logs_string(options->strip_prefixes[i]));
	if (!size)
		size = prefix_length(frame, mk_all(&s->folder.compiled));
	if (!size)
		size = prefix_length(frame, mk_all(&s->folder.assembled));
	while (size && frame->directory[size] == '/')
		size++;
	return size;
}

struct mk_level *
gsym_stacks_level(const struct gsym_markup_log_options *options,
		  const struct stacks_state *s, struct mk_level *level,
		  struct mk_level *stripped)
{
	size_t strip = strip_length(options, s, &level->frame);

	if (!strip)
		return level;
	*stripped = *level;
	stripped->frame.directory += strip;
	stripped->file = 0;
	return stripped;
}

struct mk_levels gsym_stacks_look_up(struct mk_host *h, void *symbols,
				     uint64_t address)
{
	struct mk_levels l = gsym_mk_levels_of(h, symbols, address);

	if (l.count && !*l.items[l.count - 1].frame.function)
		l.count = 0;
	return l;
}

struct mk_levels gsym_stacks_levels(struct mk_host *h,
				    const struct stacks_answer *answer,
				    size_t i)
{
	const struct mk_levels none = { NULL, 0 };

	return i < answer->count ? gsym_stacks_look_up(h, answer->symbols,
						       answer->addresses[i])
				 : none;
}

static uint64_t hash_text(const char *text)
{
	return mk_hash(logs_string(text));
}

uint64_t gsym_stacks_text_hash(struct judge *j, const struct mk_levels *levels)
{
	uint64_t sum = levels->count;
	struct mk_level stripped;

	for (size_t i = 0; i < levels->count; i++) {
		const struct gsym_markup_frame *frame =
			&gsym_stacks_level(j->options, stacks_known(j),
					   &levels->items[i], &stripped)
				 ->frame;

		sum = sum * 31 + hash_text(frame->function);
		sum = sum * 31 + hash_text(frame->directory);
		sum = sum * 31 + hash_text(frame->basename);
		sum = sum * 31 + frame->line;
	}
	return sum;
}

/* ---- frames ----------------------------------------------------------- */

/* The most lines without a frame between two frames of one stack trace of the
 * kernel: after the first frame (registers and code), after another one (a line
 * such as "<TASK>"), and before the kernel repeats the first frame (modules,
 * CR2 and "end trace"). */
enum { GAP_FIRST = 24, GAP_KERNEL = 1, GAP_REPEAT = 10 };

static uint64_t key_of(const struct logs_frame *frame)
{
	return mk_hash(frame->function) * 31 + frame->number;
}

/* The number of FRAME in its stack.  Returns false if FRAME is the first one of
 * its stack once more: the kernel repeats the instruction pointer. */
static bool count_frame(struct judge *j, const struct logs_frame *frame,
			uint64_t *number)
{
	struct stacks_state *s = stacks_known(j);
	bool kernel = frame->dialect->sized;
	uint64_t gap = 0;
	bool begins = frame->begins || (kernel && frame->marked);
	const char *end = frame->insert;
	const char *at = logs_word(logs_blanks(frame->start, end), end, "#");

	/* "#12" */
	if (at && gsym_number(at, end, 10, number, NULL) > at)
		return true;
	if (kernel)
		gap = s->reported.number ? GAP_KERNEL : GAP_FIRST;
	if (begins && s->reported.line && s->reported.first == key_of(frame) &&
	    j->host->line->number - s->reported.line <= 1 + GAP_REPEAT)
		return false;
	if (begins || !s->reported.line ||
	    j->host->line->number < s->reported.line ||
	    j->host->line->number - s->reported.line > 1 + gap) {
		s->reported.first = key_of(frame);
		*number = 0;
	} else {
		*number = s->reported.number + 1;
	}
	return true;
}

void gsym_stacks_tell(struct judge *j, const struct stacks_answer *answer,
		      bool resolved)
{
	const struct logs_frame *frame = &answer->frame;
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	struct stacks_state *s = stacks_known(j);
	struct gsym_markup_stack_frame told = {
		.line = j->host->line->number,
		.process = j->host->line->process->name.items,
		.process_size = j->host->line->process->name.count,
		.module = frame->module.at,
		.module_size = frame->module.size,
		.frames = frames,
		.name = frame->function.at,
		.name_size = frame->function.size,
	};
	struct mk_level stripped;
	struct mk_levels levels;

	if (!s)
		return;
	if (frame->stale) {
		if (s->reported.line)
			s->reported.line = j->host->line->number;
		return;
	}
	if (!count_frame(j, frame, &told.number))
		return;
	s->reported.number = told.number;
	s->reported.line = j->host->line->number;
	/* Of several functions of one name, none is told for sure. */
	if (resolved && answer->count == 1) {
		levels = gsym_stacks_look_up(j->host, answer->symbols,
					     answer->addresses[0]);
		told.count = levels.count;
		told.address = levels.count ? answer->addresses[0] : 0;
		for (size_t i = 0; i < told.count; i++)
			frames[i] =
				gsym_stacks_level(j->options, stacks_known(j),
						  &levels.items[i], &stripped)
					->frame;
	}
	j->host->calls.frame(j->host->calls.context, &told);
}

/* ---- how a frame was read --------------------------------------------- */

enum { LONGEST_NUMBER = 120, PAGE = 4096 };

/* Write what the number of FRAME is to TO. */
static void tell_number(const struct logs_frame *frame, char to[LONGEST_NUMBER])
{
	static const char *const words[] = {
		[LOGS_LINKED] = "linked address 0x%" PRIx64,
		[LOGS_MAPPED] = "0x%" PRIx64 " bytes after the first page",
		[LOGS_FUNCTION] = "0x%" PRIx64 " bytes after the function",
		[LOGS_MEMORY] = "address 0x%" PRIx64 " in memory",
		[LOGS_FILE] = "offset 0x%" PRIx64 " in the file",
		[LOGS_OFFSET] = "offset 0x%" PRIx64 " in the file",
		[LOGS_CODE] =
			"0x%" PRIx64 " bytes after the first page of code",
	};

	snprintf(to, LONGEST_NUMBER, words[frame->counts_from], frame->number);
}

/* Why ANSWER, whose search ended with OUTCOME, has no address. */
static const char *reason(const struct judge *j, enum gsym_look outcome)
{
	const struct gsym_markup_log_symbols *found = &j->found;

	switch (outcome) {
	case GSYM_LOOK_NO_MODULE:
		return found->other ? "the symbols are of another build"
				    : "no symbols";
	case GSYM_LOOK_NO_FUNCTION:
		return "the symbols have no such function or address";
	case GSYM_LOOK_MISMATCH:
		return "the symbols contradict the log";
	default:
		return "nothing tells where the code lies";
	}
}

void gsym_stacks_explain(struct judge *j, const struct stacks_answer *answer,
			 enum gsym_look outcome)
{
	const struct logs_frame *frame = &answer->frame;
	const struct gsym_markup_log_symbols *found = &j->found;
	/* Of other symbols the reason tells the file. */
	const char *other = answer->symbols ? NULL : found->other;
	bool tells = found->file && !frame->answered && !other;
	char number[LONGEST_NUMBER], base[48] = "", found_at[64] = "";
	struct logs_text module = answer->module;

	if (frame->dialect->sized && !module.size)
		module = (struct logs_text){ "kernel", 6 };
	tell_number(frame, number);
	/* The address of the log and the one that was looked up may differ
	 * by 1. */
	if (answer->count && frame->address)
		snprintf(base, sizeof(base), ", loaded at 0x%" PRIx64,
			 (frame->address - answer->addresses[0] + 1) &
				 ~(uint64_t)(PAGE - 1));
	if (answer->count)
		snprintf(found_at, sizeof(found_at), "looked up 0x%" PRIx64,
			 answer->addresses[0]);
	gsym_mk_tell(j->host,
		     "%s frame, module \"%.*s\"%s%.*s, %s (%s)%s: %s%s%s%s%s",
		     frame->dialect->name, mk_clip(module.size), module.at,
		     frame->function.size ? ", function " : "",
		     mk_clip(frame->function.size), frame->function.at, number,
		     frame->returns ? "return address" : "exact", base,
		     frame->answered ? "has an answer already"
		     : answer->count ? found_at
				     : reason(j, outcome),
		     other   ? ": "
		     : tells ? " in "
			     : "",
		     other   ? other
		     : tells ? found->file
			     : "",
		     tells ? ", found by " : "", tells ? found->found_by : "");
}
