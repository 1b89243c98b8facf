/* SPDX-License-Identifier: MIT */
/*
 * The frame behind a signal.
 *
 * A stack of a program that got a signal has the frames of the handler, the
 * trampoline that the handler returns to, and the frame that the signal
 * interrupted:
 *
 *	#0  handler
 *	#1  __restore_rt		in libc or in the vdso
 *	#2  the instruction itself, at which the program crashed
 *	#3  a return address, as in any other frame
 *
 * The address of #2 is exact.  Taken for a return address, it may be found in
 * the function before.  So each frame says whether it is a trampoline: by its
 * name, by the symbols of its module, or, if both are unknown, by its module.
 * The line before a frame may say more (logs/signal.c).
 */
#include "config.h"

#include "stacks/judge.h"

#include "base/hash.h"
#include "base/system.h"
#include "logs/scan.h"

/* ---- trampolines ------------------------------------------------------ */

static bool is_trampoline(struct logs_text name)
{
	static const char *const names[] = {
		"__restore_rt",
		"__restore",
		"__default_rt_sa_restorer",
		"__default_sa_restorer",
		"__kernel_rt_sigreturn",
		"__kernel_sigreturn",
		"__vdso_rt_sigreturn",
		"_sigtramp",
		NULL,
	};

	return name.size && *name.at == '_' && logs_is_of(name, names);
}

/* What FRAME of glibc says about the next one, if it may be the trampoline
 * under the name of its neighbour.  Where the log has no offset in the
 * function, the number in the module, which begins at a page, stands for
 * it. */
static enum stacks_exact behind_neighbour(const struct logs_frame *frame)
{
	const bool placed =
		frame->placed || frame->counts_from == LOGS_FUNCTION;
	const uint64_t offset = frame->placed ? frame->offset : frame->number;

	if (!gsym_logs_is_before_trampoline(gsym_stacks_plain(frame->function),
					    offset))
		return STACKS_RETURNS;
	return placed ? STACKS_EXACT : STACKS_MAY_BE_EXACT;
}

static bool is_libc(const struct stacks_module *m)
{
	const char *end = m->name.at + m->name.size;
	const char *slash =
		m->name.size ? memrchr(m->name.at, '/', m->name.size) : NULL;

	return gsym_logs_is_libc(
		logs_between(slash ? slash + 1 : m->name.at, end));
}

/* Whether M is the memory that a kernel gives to each process. */
static bool is_vdso(const struct stacks_module *m)
{
	return memmem(m->name.at, m->name.size, "vdso", 4) ||
	       memmem(m->name.at, m->name.size, "linux-gate", 10);
}

static enum stacks_system system_of(struct stacks_module *m)
{
	if (m->system == STACKS_UNSEEN)
		m->system = is_libc(m)	 ? STACKS_LIBC
			    : is_vdso(m) ? STACKS_VDSO
					 : STACKS_OTHER;
	return m->system;
}

bool gsym_stacks_find_trampoline(struct mk_host *h, void *symbols,
				 uint64_t address)
{
	struct mk_levels l;
	const struct gsym_markup_frame *last;

	/* Trampolines begin at multiples of 4: elsewhere the look-up is
	 * saved. */
	if (address % 4)
		return false;
	l = gsym_mk_levels_of(h, symbols, address);
	if (!l.count)
		return false;
	last = &l.items[l.count - 1].frame;
	return !last->offset && is_trampoline(logs_string(last->function));
}

/* ---- frames of a stack ------------------------------------------------ */

/* A number that two frames of neighbouring lines share only if they are the
 * same frame: a function that calls itself has another "#2" before the same
 * address. */
static uint64_t key_of(const struct stacks_signals *s,
		       const struct logs_frame *frame)
{
	enum { MOST = 64 };
	const struct logs_text m = frame->module;
	size_t size = frame->start && frame->insert > frame->start
			      ? (size_t)(frame->insert - frame->start)
			      : 0;
	uint64_t key = frame->number * 31 + frame->address;

	key = key * 31 + frame->function.size;
	key = key * 31 + m.size;
	if (m.size)
		key = key * 31 + (unsigned char)m.at[m.size - 1];
	key ^= gsym_hash_bytes((uintptr_t)s, frame->start,
			       size < MOST ? size : MOST);
	return key | 1;
}

/* Apply what the text before FRAME says. */
static void apply_text(struct stacks_signal *one,
		       const struct logs_frame *frame)
{
	enum { MOST_APART = 8 };
	const enum logs_signal signal = frame->signal;

	if (signal == LOGS_SIGNAL_STACK)
		one->stack = true;
	/* All of Envoy's frames look like a frame of the vdso in glibc's lists,
	 * so each of them would say that the next may be exact.  If the module
	 * of the frame before is known, that module has told already.  Up to
	 * MOST_APART lines of other processes may stand between. */
	else if (signal == LOGS_SIGNAL_EITHER && one->told &&
		 frame->counts_from == LOGS_MEMORY &&
		 frame->line - one->told <= MOST_APART)
		return;
	else if (signal != LOGS_NO_SIGNAL)
		one->next = signal == LOGS_SIGNAL_EXACT ? STACKS_EXACT
							: STACKS_MAY_BE_EXACT;
}

enum stacks_exact gsym_stacks_signal_at(struct stacks_signals *s,
					const struct logs_frame *frame)
{
	struct stacks_signal *one = &s->of[logs_index(frame->dialect)];
	const uint64_t key = key_of(s, frame);

	apply_text(one, frame);
	/* Shippers of logs may write each line twice. */
	if (one->key == key && one->line + 1 == frame->line)
		return one->last;
	one->line = frame->line;
	one->last = one->next;
	if (one->last == STACKS_RETURNS && frame->either)
		one->last = STACKS_MAY_BE_EXACT;
	one->key = key;
	one->next = STACKS_RETURNS;
	return one->last;
}

/* Whether an address that no map has may be one of the vdso, which Linux puts
 * beside the stack. */
static bool is_beside_stack(uint64_t address)
{
	return address >> 34 == UINT64_C(0x7ffc00000000) >> 34;
}

/* What FRAME, whose symbols do not tell more, says about the next one. */
static enum stacks_exact behind(const struct stacks_signal *one,
				const struct logs_frame *frame,
				struct stacks_module *m)
{
	const bool libc = m && system_of(m) == STACKS_LIBC;
	bool may;

	if (is_trampoline(frame->function))
		return STACKS_EXACT;
	if (frame->function.size)
		return libc ? behind_neighbour(frame) : STACKS_RETURNS;
	if (libc && one->stack && frame->address % 16 == 0 &&
	    stacks_has_both(frame))
		return STACKS_EXACT;
	may = m ? m->system != STACKS_OTHER
		: frame->counts_from == LOGS_MEMORY &&
			      is_beside_stack(frame->number);
	may &= frame->returns || stacks_has_both(frame);
	return may && !frame->named ? STACKS_MAY_BE_EXACT : STACKS_RETURNS;
}

void gsym_stacks_signal_after(struct stacks_signals *s,
			      const struct logs_frame *frame,
			      struct stacks_module *m)
{
	struct stacks_signal *one = &s->of[logs_index(frame->dialect)];

	one->told = m ? frame->line : 0;
	one->next = behind(one, frame, m);
	/* The signal of the stack is found. */
	if (one->next == STACKS_EXACT)
		one->stack = false;
}
