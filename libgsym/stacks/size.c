/* SPDX-License-Identifier: MIT */
/*
 * Frames that have a function, an offset and the size of the function, and no
 * address: those of the kernel.  Functions of one name are told apart by their
 * sizes.
 *
 * Symbols whose build the log does not confirm are on trial: the first function
 * that has another size takes the trust from all of them.
 */
#include "config.h"

#include "stacks/judge.h"

/* ---- functions of one size -------------------------------------------- */

/* Dead functions after another one that are looked at. */
#define DEAD GSYM_LIMIT(16u, 1)

/* Whether the function FOUND may have SIZE bytes in the log. */
static bool fits(const struct gsym_markup_log_function *found, uint64_t size,
		 uint64_t offset)
{
	if (found->extent)
		return found->extent == size;
	/* The bytes up to the end of a section are not known. */
	return offset <= size && found->size <= size;
}

static uint64_t size_of(const struct gsym_markup_log_function *found)
{
	return found->extent ? found->extent : found->size;
}

/* The bytes up to the start of the function after the one at ADDRESS, if that
 * one begins there and others have its name; 0 otherwise. */
static uint64_t dead_size(struct judge *j, void *symbols, uint64_t address)
{
	struct gsym_markup_log_function found[STACKS_ROOM_FUNCTIONS];
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	const char *name;
	size_t count;

	count = j->host->calls.code(j->host->calls.context, symbols, address,
				    frames, GSYM_MARKUP_MAX_FRAMES);
	if (!count || frames[count - 1].offset)
		return 0;
	name = frames[count - 1].function;
	count = gsym_mk_functions(j->host, symbols, logs_string(name), found,
				  STACKS_FUNCTIONS);
	for (size_t i = 0; count > 1 && i < count && i < STACKS_FUNCTIONS; i++)
		if (found[i].start == address)
			return found[i].extent;
	return 0;
}

/* Whether FOUND has SIZE bytes if the functions after it that are dead belong
 * to it.  A weak function that another one replaces stays in the kernel's code
 * and in its debug info, but the kernel's table of symbols does not have it:
 * the function before it seems to reach to its end. */
static bool fits_with_dead(struct judge *j, void *symbols,
			   const struct gsym_markup_log_function *found,
			   uint64_t size, uint64_t offset)
{
	uint64_t reached = found->extent;

	/* No call returns into a dead function. */
	if (!reached || offset > reached)
		return false;
	for (size_t i = 0; i < DEAD && reached < size; i++) {
		uint64_t more;

		if (!j->dead_left)
			return false;
		j->dead_left--;
		more = dead_size(j, symbols, found->start + reached);
		if (!more || more > size - reached)
			return false;
		reached += more;
	}
	return reached == size;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

static size_t keep_nearest(const struct logs_frame *frame,
			   struct gsym_markup_log_function *found, size_t count)
{
	uint64_t nearest = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t far = distance(size_of(&found[i]), frame->size);

		if (far < nearest)
			nearest = far;
	}
	for (size_t i = 0; i < count; i++)
		if (distance(size_of(&found[i]), frame->size) == nearest)
			found[kept++] = found[i];
	return kept;
}

/* Keep the COUNT functions at FOUND that have the size of FRAME with the dead
 * functions after them; returns their number. */
static size_t keep_with_dead(struct judge *j, void *symbols,
			     const struct logs_frame *frame,
			     struct gsym_markup_log_function *found,
			     size_t count)
{
	struct gsym_markup_log_function kept[STACKS_ROOM_CHOICES + 1];
	size_t number = 0;

	/* One more than are shown says that there are too many. */
	for (size_t i = 0; i < count && number <= STACKS_CHOICES; i++)
		if (fits_with_dead(j, symbols, &found[i], frame->size,
				   frame->number))
			kept[number++] = found[i];
	/* Those that were not looked at might fit, too. */
	if (!j->dead_left)
		number = 0;
	for (size_t i = 0; i < number; i++)
		found[i] = kept[i];
	return number;
}

/* Keep the COUNT functions at FOUND that have the size of FRAME, alone or with
 * dead functions.  Returns their number; if that is 0, FOUND stays as it is. */
static size_t keep_fitting(struct judge *j, void *symbols,
			   const struct logs_frame *frame,
			   struct gsym_markup_log_function *found, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct gsym_markup_log_function one = found[i];

		if (fits(&one, frame->size, frame->number))
			found[kept++] = one;
	}
	return kept ? kept : keep_with_dead(j, symbols, frame, found, count);
}

/* ---- trust ----------------------------------------------------------- */

static bool is_on_trial(const struct stacks_module *m)
{
	return m->found.symbols && !m->found.certain;
}

/* Whether the function of FRAME had its size in an earlier frame. */
static bool has_agreed(struct stacks_state *s, const struct logs_frame *frame)
{
	const struct stacks_module *kernel = gsym_stacks_kernel(s);
	uint64_t key = mk_hash(frame->function);

	for (unsigned i = 0; kernel && i < kernel->agreed; i++)
		if (s->agreed[i] == key)
			return true;
	return false;
}

/* The function of FRAME has the size that the log says. */
static void agree(struct stacks_state *s, const struct logs_frame *frame)
{
	struct stacks_module *kernel = gsym_stacks_kernel(s);

	if (kernel && !frame->alone && kernel->agreed < STACKS_PROOF &&
	    !has_agreed(s, frame))
		s->agreed[kernel->agreed++] = mk_hash(frame->function);
}

/* The function of FRAME has not the size of FOUND.  If the function had its
 * size in an earlier frame, the log contradicts itself. */
static void disagree(struct judge *j, struct stacks_module *m,
		     const struct logs_frame *frame,
		     const struct gsym_markup_log_function *found, bool *unsure)
{
	const bool trial = is_on_trial(m) &&
			   gsym_stacks_kernel(stacks_known(j)) &&
			   !has_agreed(stacks_known(j), frame);

	gsym_stacks_accept(
		j, m, gsym_stacks_verdict_by_size(frame, size_of(found), trial),
		unsure);
}

/* ---- functions ------------------------------------------------------- */

/* The functions that are called NAME, or NAME without the suffix of a clone if
 * there is none. */
static size_t find_functions(struct judge *j, void *symbols,
			     struct logs_text name,
			     struct gsym_markup_log_function *found)
{
	size_t count;

	do
		count = gsym_mk_functions(j->host, symbols, name, found,
					  STACKS_FUNCTIONS);
	while (!count && gsym_stacks_cut_suffix(&name));
	/* Those that do not fit might be the right ones. */
	return count <= STACKS_FUNCTIONS ? count : 0;
}

/* Find the functions of M that FRAME may mean: those of its name and its size.
 * *COUNT is their number.  GSYM_LOOK_MISMATCH: none has the size, and FOUND has
 * all of the name.  *UNSURE: see gsym_stacks_accept. */
static enum gsym_look find_fitting(struct judge *j, struct stacks_module *m,
				   const struct logs_frame *frame,
				   struct gsym_markup_log_function *found,
				   size_t *count, bool *unsure)
{
	void *symbols = m->found.symbols;
	size_t all = find_functions(j, symbols, frame->function, found);

	if (!all || frame->number > frame->size)
		return GSYM_LOOK_NO_FUNCTION;
	*count = keep_fitting(j, symbols, frame, found, all);
	if (*count)
		return GSYM_LOOK_ANSWER;
	*count = all;
	disagree(j, m, frame, found, unsure);
	return GSYM_LOOK_MISMATCH;
}

/* Look the COUNT functions at FOUND up, and keep addresses in ANSWER: one of
 * those that give the same text. */
static enum gsym_look choose(struct judge *j, struct stacks_answer *answer,
			     const struct gsym_markup_log_function *found,
			     size_t count)
{
	uint64_t sums[STACKS_ROOM_CHOICES];

	for (size_t i = 0; i < count; i++) {
		uint64_t address = found[i].start + answer->frame.number -
				   answer->frame.returns;
		const struct mk_levels levels =
			gsym_stacks_look_up(j->host, answer->symbols, address);
		uint64_t sum;
		size_t known = 0;

		if (!levels.count)
			continue;
		sum = gsym_stacks_text_hash(j, &levels);
		while (known < answer->count && sums[known] != sum)
			known++;
		if (known < answer->count)
			continue;
		if (answer->count == STACKS_CHOICES)
			return GSYM_LOOK_NO_FUNCTION;
		sums[answer->count] = sum;
		answer->addresses[answer->count++] = address;
	}
	return answer->count ? GSYM_LOOK_ANSWER : GSYM_LOOK_NO_FUNCTION;
}

const struct stacks_module *gsym_stacks_ask_kernel(struct judge *j)
{
	struct stacks_module *m = gsym_stacks_kernel(stacks_known(j));

	return m && gsym_stacks_symbols(j, m, true) ? m : NULL;
}

/* Whether the sizes of functions say enough about the build of KERNEL. */
static bool is_judged(const struct stacks_module *kernel)
{
	return kernel->distrusted ||
	       kernel->agreed >= GSYM_LIMIT(STACKS_PROOF, 1);
}

bool gsym_stacks_is_judged(struct judge *j)
{
	struct stacks_state *s = stacks_known(j);
	const struct stacks_module *kernel = s ? gsym_stacks_kernel(s) : NULL;

	return kernel && is_judged(kernel);
}

struct stacks_module *gsym_stacks_ask_unproven(struct judge *j,
					       const struct logs_frame *frame)
{
	struct stacks_state *s = stacks_state(j);
	struct stacks_module *m = s ? gsym_stacks_module_of(s, frame) : NULL;
	const struct stacks_module *kernel = s ? gsym_stacks_kernel(s) : NULL;

	return m && kernel && !frame->answered &&
			       gsym_stacks_symbols(j, m, true) &&
			       is_on_trial(m) && !is_judged(kernel)
		       ? m
		       : NULL;
}

void gsym_stacks_compare_size(struct judge *j, const struct logs_frame *frame)
{
	struct stacks_module *m = gsym_stacks_ask_unproven(j, frame);
	struct gsym_markup_log_function found[STACKS_ROOM_FUNCTIONS];
	size_t count;
	bool unsure;

	if (m && find_fitting(j, m, frame, found, &count, &unsure) ==
			 GSYM_LOOK_ANSWER)
		agree(stacks_known(j), frame);
}

/* ---- frames ---------------------------------------------------------- */

enum gsym_look gsym_stacks_resolve_size(struct judge *j,
					struct stacks_answer *answer)
{
	const struct logs_frame *frame = &answer->frame;
	struct stacks_state *s = stacks_state(j);
	struct gsym_markup_log_function found[STACKS_ROOM_FUNCTIONS];
	struct stacks_module *m = s ? gsym_stacks_module_of(s, frame) : NULL;
	struct stacks_verdict verdict;
	enum gsym_look outcome;
	size_t count;

	if (!m)
		return GSYM_LOOK_NOTHING;
	if (frame->answered)
		return GSYM_LOOK_ANSWER;
	if (j->options->strip_kernel && !s->folder.known)
		gsym_stacks_find_folder(j, s);
	gsym_stacks_name_module(answer, m->name, m->id, m->id_size);
	answer->symbols = gsym_stacks_symbols(j, m, false);
	if (!answer->symbols)
		return GSYM_LOOK_NO_MODULE;
	verdict = gsym_stacks_verdict_of_module(m, gsym_stacks_kernel(s));
	/* What nothing tells yet, sizes will. */
	if (verdict.trust == STACKS_REFUTED &&
	    !gsym_stacks_accept(j, m, verdict, &answer->unsure))
		return GSYM_LOOK_MISMATCH;
	outcome = find_fitting(j, m, frame, found, &count, &answer->unsure);
	if (outcome == GSYM_LOOK_MISMATCH && j->options->any_build) {
		count = keep_nearest(frame, found, count);
		outcome = GSYM_LOOK_ANSWER;
	}
	return outcome != GSYM_LOOK_ANSWER ? outcome
					   : choose(j, answer, found, count);
}
