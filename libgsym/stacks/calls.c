/* SPDX-License-Identifier: MIT */
/*
 * Return addresses as evidence of the build.  In the code of the program that
 * wrote the log a call stands before each return address.  In the code of
 * another build no call stands before most of these addresses.
 *
 * A few addresses of a true stack have no call before them: the address that a
 * signal interrupted, and those that a program puts on its stacks itself, as
 * for coroutines.  The latter are always the same.  And another build may have
 * code in common with the program of the log.  So the frames of a stack in a
 * module get no answers if one of them has no call and at most one has a call,
 * or if several different ones have no call, unless very many have one
 * (gsym_stacks_refutes).
 *
 * Each stack is judged by its own frames: any line of a log may be odd, or made
 * up, and a log may go on after the program was replaced.  If a stack has only
 * one frame with a call, that call may stand there by chance: then the stacks
 * before count as well.
 *
 * Instructions of x86 have no fixed size, so bytes before an address may look
 * like a call by chance.  Direct calls of functions more than 16 MiB away from
 * the section are missed (is_x86_call).
 */
#include "config.h"

#include "base/cursor.h"
#include "stacks/judge.h"

/* ---- instructions ------------------------------------------------------ */

/* Instructions of both processors are in little endian. */
static uint32_t u32(const uint8_t *at)
{
	return gsym_load_u32(at, GSYM_HOST_BIG_ENDIAN);
}

/* The bytes of "call *OPERAND", whose byte behind the opcode 0xff is MODE and
 * whose next one is SIB; 0 if these are no such call. */
static size_t indirect_call(uint8_t mode, uint8_t sib)
{
	const bool has_sib = mode >> 6 != 3 && (mode & 7) == 4;
	const uint8_t base = has_sib ? sib & 7 : mode & 7;

	if ((mode >> 3 & 7) != 2)
		return 0;
	if (mode >> 6 == 3)
		return 2;
	if (mode >> 6 == 1)
		return 3u + has_sib;
	return 2u + has_sib + (mode >> 6 == 2 || base == 5 ? 4 : 0);
}

/* Whether a call, or a system call, may end at END, which SIZE bytes of the
 * section stand before.  The section has CODE bytes.  A direct call leads to a
 * function within 16 MiB of the section, as other sections lie near. */
static bool is_x86_call(const uint8_t *end, size_t size, size_t code)
{
	enum { NEAR = 16 << 20, LONGEST = 7 };

	if (size >= 5 && end[-5] == 0xe8) {
		int64_t to = (int64_t)size + (int32_t)u32(end - 4);

		if (to > -NEAR && to < (int64_t)code + NEAR)
			return true;
	}
	for (size_t n = 2; n <= LONGEST && n <= size; n++) {
		const uint8_t *at = end - n;

		if (at[0] == 0xff &&
		    indirect_call(at[1], n > 2 ? at[2] : 0) == n)
			return true;
	}
	/* syscall, sysenter, int 0x80. */
	return size >= 2 &&
	       ((end[-2] == 0x0f && (end[-1] == 0x05 || end[-1] == 0x34)) ||
		(end[-2] == 0xcd && end[-1] == 0x80));
}

/* Whether CODE is bl, blr, which may check the pointer (blraa), or svc. */
static bool is_arm64_call(uint32_t code)
{
	return (code & 0xfc000000) == 0x94000000 ||
	       (code & 0xfefff000) == 0xd63f0000 ||
	       (code & 0xffe0001f) == 0xd4000001;
}

/* What the code of a program has before an address. */
enum site {
	UNKNOWN,
	CALL, /* or a system call */
	OTHER,
};

/* What C has before ADDRESS. */
static enum site look(const struct gsym_markup_log_code *c, uint64_t address)
{
	enum { AARCH64 = 183 };
	uint64_t at = address - c->address;

	if (!c->bytes || address < c->address || at > c->size)
		return UNKNOWN;
	if (c->machine != AARCH64)
		return is_x86_call(c->bytes + at, at, c->size) ? CALL : OTHER;
	/* A return address less 1 lies in the call. */
	at = (at + 3) / 4 * 4;
	return at >= 4 && at <= c->size && is_arm64_call(u32(c->bytes + at - 4))
		       ? CALL
		       : OTHER;
}

/* What the code of M has before the return address of FRAME: ADDRESS or, if the
 * log has return addresses less 1, the next address.  UNKNOWN if the symbols
 * are certain. */
static enum site site(const struct stacks_module *m,
		      const struct logs_frame *frame, uint64_t address)
{
	enum site found = UNKNOWN;

	if (m->found.certain)
		return found;
	if (frame->returns)
		found = look(&m->found.text, address);
	if (frame->called && found != CALL)
		found = look(&m->found.text, address + 1);
	return found;
}

bool gsym_stacks_lacks_call(struct judge *j, const struct stacks_module *m,
			    const struct logs_frame *frame, uint64_t address)
{
	return site(m, frame, address) == OTHER &&
	       !gsym_stacks_find_trampoline(j->host, m->found.symbols, address);
}

/* ---- what was counted --------------------------------------------------- */

struct stacks_calls *gsym_stacks_calls(const struct stacks_state *s,
				       struct stacks_module *m)
{
	struct stacks_calls *e = &m->evidence, *sum = &m->before;

	if (m->stack == s->compared.number)
		return e;
	if (!gsym_stacks_refutes(e)) {
		sum->agreed += e->agreed;
	} else if (e->uncalled > 1 || e->last_uncalled != sum->last_uncalled) {
		sum->uncalled += e->uncalled;
		sum->last_uncalled = e->last_uncalled;
	}
	*e = (struct stacks_calls){ 0 };
	m->stack = s->compared.number;
	return e;
}

void gsym_stacks_count_call(struct judge *j, struct stacks_module *m,
			    const struct logs_frame *frame,
			    const struct stacks_hint *hint)
{
	struct stacks_calls *e = gsym_stacks_calls(stacks_known(j), m);
	uint64_t address = hint->address;

	if (!hint->known)
		return;
	/* Some versions of strace print linked addresses in place of offsets in
	 * the file. */
	if (frame->counts_from == LOGS_FILE &&
	    site(m, frame, frame->number) == CALL)
		address = frame->number;
	if (site(m, frame, address) == CALL) {
		e->agreed++;
	} else if (gsym_stacks_lacks_call(j, m, frame, address)) {
		e->uncalled += address != e->last_uncalled;
		e->last_uncalled = address;
	}
}
