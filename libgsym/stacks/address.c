/* SPDX-License-Identifier: MIT */
/*
 * From the number of a frame to the address that it stands for in its module.
 *
 * A number gives a hint: all bits of the address, or those within a page alone,
 * or none.  The hint tells the address, or the hint and the function that the
 * log has there: names of functions as logs and symbols write them.
 */
#include "config.h"

#include "stacks/judge.h"

#include "base/path_map.h"
#include "base/system.h"
#include "logs/scan.h"

/* ---- parts of names --------------------------------------------------- */

/* The size of NAME up to its parameters.  "(anonymous namespace)" at the start
 * is a part of the name. */
static size_t up_to_parameters(struct logs_text name)
{
	const char *at = name.at, *end = at + name.size, *after;

	while ((after = logs_word(at, end, "(anonymous namespace)")))
		at = logs_byte(after, end, '(');
	at = logs_byte(at, end, '(');
	return at ? (size_t)(at - name.at) : name.size;
}

struct logs_text gsym_stacks_plain(struct logs_text name)
{
	const char *at;

	/* The log has no name: AT is NULL. */
	if (!name.size)
		return name;
	at = memchr(name.at, '@', name.size);
	if (at)
		name.size = (size_t)(at - name.at);
	at = name.at + up_to_parameters(name);
	return logs_between(name.at, logs_trim(name.at, at));
}

bool gsym_stacks_cut_suffix(struct logs_text *name)
{
	static const char *const suffixes[] = { ".isra", ".constprop", ".part",
						".cold", ".llvm",      NULL };
	const char *at = name->at, *end = at + name->size;
	const char *digits = logs_before_decimal(at, end), *stop;

	if (digits > at && digits < end && digits[-1] == '.')
		end = digits - 1;
	stop = logs_before_of(at, end, suffixes);
	if (!stop || stop == at)
		return false;
	*name = logs_between(at, stop);
	return true;
}

/* NAME without the marks of names that are internal to a library. */
static struct logs_text public_name(struct logs_text name)
{
	static const char *const marks[] = { "__libc_", "__GI_", "_" };
	const char *at = name.at, *end = at + name.size, *next;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		while ((next = logs_word(at, end, marks[i])) && next < end)
			at = next;
	return logs_between(at, end);
}

bool gsym_stacks_same_name(struct logs_text a, struct logs_text b)
{
	a = gsym_stacks_plain(a);
	b = gsym_stacks_plain(b);
	while (gsym_stacks_cut_suffix(&a) || gsym_stacks_cut_suffix(&b))
		;
	a = public_name(a);
	b = public_name(b);
	size_t size = a.size < b.size ? a.size : b.size;

	return size && memcmp(a.at, b.at, size) == 0;
}

static bool is_word(char c)
{
	return logs_is_name(c) && c != '.' && c != '$';
}

bool gsym_stacks_has_name(struct logs_text text, struct logs_text name)
{
	const char *at = text.at, *end = at + text.size;

	name.size = up_to_parameters(name);
	if (!name.size)
		return false;
	while (at &&
	       (at = memmem(at, (size_t)(end - at), name.at, name.size))) {
		const char *after = at + name.size;

		if ((at == text.at || (!is_word(at[-1]) && at[-1] != ':')) &&
		    (after == end || !is_word(*after)))
			return true;
		at++;
	}
	return false;
}

enum { PAGE = 4096 };

static const uint64_t all_bits = ~UINT64_C(0), page_bits = PAGE - 1;

/* ---- by the number ---------------------------------------------------- */

/* Whether N can be the address in memory of code of M: glibc prints addresses
 * alone of programs that lie at the addresses that they were linked to. */
static bool may_be_loaded_at(const struct stacks_module *m, uint64_t n)
{
	enum { LOWEST = 0x10000 };

	return n >= LOWEST && n >= m->found.lowest &&
	       !gsym_path_is_library(m->name.at, m->name.size);
}

/* Whether FRAME's address in memory is one that M was linked to: M cannot be
 * moved. */
static bool is_where_linked(const struct stacks_module *m,
			    const struct logs_frame *frame)
{
	return m->found.lowest_known && frame->address &&
	       may_be_loaded_at(m, frame->address) &&
	       may_be_loaded_at(m, m->found.lowest);
}

/* Whether the number of FRAME, whose dialect prints linked addresses, counts
 * from the first page of M, as MongoDB prints numbers.  Only the address in
 * memory of a program that cannot be moved tells. */
static bool counts_from_page(const struct stacks_module *m,
			     const struct logs_frame *frame)
{
	return frame->counts_from == LOGS_LINKED && is_where_linked(m, frame) &&
	       frame->address - frame->number == m->found.lowest;
}

struct stacks_hint gsym_stacks_hint(const struct judge *j,
				    const struct stacks_module *m,
				    const struct logs_frame *frame)
{
	struct stacks_hint hint = { frame->number, page_bits, false };
	bool fixed;

	switch (frame->counts_from) {
	case LOGS_LINKED:
		hint.known =
			!frame->fixed || may_be_loaded_at(m, frame->number);
		if (counts_from_page(m, frame))
			hint.address = frame->address;
		/* Another frame told how far the module was moved. */
		if (frame->fixed && m->biased && !is_where_linked(m, frame)) {
			hint.address -= m->bias;
			hint.known = true;
		}
		hint.bits = all_bits;
		break;
	case LOGS_MAPPED:
		hint.known = m->found.lowest_known;
		hint.address += m->found.lowest;
		if (frame->fixed && is_where_linked(m, frame))
			hint.address = frame->address - frame->called;
		hint.bits = hint.known ? all_bits : page_bits;
		break;
	case LOGS_CODE:
		hint.known = m->found.code_known;
		hint.address += m->found.code;
		hint.bits = hint.known ? all_bits : page_bits;
		break;
	case LOGS_FUNCTION:
		hint.address = frame->address;
		hint.bits = frame->address ? page_bits : 0;
		break;
	case LOGS_FILE:
	case LOGS_OFFSET:
		hint.known = j->host->calls.logs.offset &&
			     j->host->calls.logs.offset(j->host->calls.context,
							m->found.symbols,
							frame->number,
							&hint.address);
		if (hint.known)
			break;
		/* The program headers are not known.  A program that cannot be
		 * moved lies at its linked address. */
		fixed = is_where_linked(m, frame);
		hint.address = fixed ? frame->address : frame->number;
		hint.known = fixed || frame->offset_linked;
		break;
	case LOGS_MEMORY:
		break;
	}
	return hint;
}

/* ---- by the function of the log --------------------------------------- */

/* Whether ADDRESS, that of the function and the offset of FRAME, fits HINT.
 * Where the offset is that of the last byte of a call, the first frame of a
 * crash may have the address that crashed. */
static bool fits(const struct logs_frame *frame, const struct stacks_hint *hint,
		 uint64_t address)
{
	const bool exact = frame->called && frame->counts_from == LOGS_FUNCTION;

	return !((address ^ hint->address) & hint->bits) ||
	       (exact && !((address ^ (hint->address + 1)) & hint->bits));
}

/* The bytes after the function of FRAME; false if the log has no such
 * number. */
static bool offset_of(const struct logs_frame *frame, uint64_t *ret)
{
	const bool counted = frame->counts_from == LOGS_FUNCTION;

	*ret = counted ? frame->number : frame->offset;
	return frame->function.size && (frame->placed || counted);
}

enum gsym_look gsym_stacks_by_name(struct judge *j,
				   const struct stacks_module *m,
				   const struct logs_frame *frame,
				   const struct stacks_hint *hint,
				   uint64_t *ret)
{
	struct gsym_markup_log_function found[STACKS_ROOM_FUNCTIONS];
	size_t count = 0, left = 0;
	uint64_t offset;

	if (offset_of(frame, &offset))
		count = gsym_mk_functions(j->host, m->found.symbols,
					  frame->function, found,
					  STACKS_FUNCTIONS);
	for (size_t i = 0; i < count && i < STACKS_FUNCTIONS; i++) {
		uint64_t address = found[i].start + offset;

		if (!fits(frame, hint, address))
			continue;
		*ret = address;
		left++;
	}
	if (!count)
		return GSYM_LOOK_NO_FUNCTION;
	/* One that did not fit might be right, too. */
	if (count > STACKS_FUNCTIONS)
		return GSYM_LOOK_NOTHING;
	return left == 1 ? GSYM_LOOK_ANSWER
	       : left	 ? GSYM_LOOK_NOTHING
			 : GSYM_LOOK_MISMATCH;
}

bool gsym_stacks_check_address(struct judge *j, const struct stacks_module *m,
			       const struct logs_frame *frame, uint64_t address)
{
	const struct stacks_hint hint = { address, all_bits, true };

	return m->found.certain ||
	       gsym_stacks_by_name(j, m, frame, &hint, &address) !=
		       GSYM_LOOK_MISMATCH;
}

/* ---- by both ---------------------------------------------------------- */

void gsym_stacks_learn_bias(struct stacks_module *m,
			    const struct logs_frame *frame)
{
	uint64_t bias = frame->address - frame->number;

	if (frame->counts_from != LOGS_LINKED || !frame->address ||
	    bias % PAGE || (frame->fixed && !is_where_linked(m, frame)))
		return;
	if (counts_from_page(m, frame))
		bias = 0;
	m->biased = true;
	m->bias = bias;
}

/* The address of a function and an offset, of which the log has also the
 * address in memory.  The bias tells the address; before it is known, the
 * function does, if the place within the page is right. */
static enum gsym_look by_function(struct judge *j, struct stacks_module *m,
				  const struct logs_frame *frame,
				  const struct stacks_hint *hint, uint64_t *ret)
{
	enum gsym_look named;
	uint64_t address = frame->address - m->bias;

	if (m->biased && !frame->alone) {
		const struct stacks_hint all = { address, all_bits, true };

		*ret = address;
		if (frame->called &&
		    gsym_stacks_by_name(j, m, frame, &all, &address) ==
			    GSYM_LOOK_ANSWER)
			*ret = address;
		return GSYM_LOOK_ANSWER;
	}
	named = gsym_stacks_by_name(j, m, frame, hint, ret);
	if (named == GSYM_LOOK_NOTHING)
		return GSYM_LOOK_MISMATCH;
	if (named == GSYM_LOOK_ANSWER && !frame->alone) {
		m->biased = true;
		m->bias = frame->address - *ret;
		/* FRAME has the address that crashed, which is one more: see
		 * fits. */
		m->bias += frame->called && m->bias % PAGE == PAGE - 1;
	}
	return named;
}

/* The address of FRAME, whose number is an offset in the file of M, or an
 * address, as strace was built.  A frame whose function is known tells its
 * address, and, where the program headers of the file are known, which of both
 * the numbers of this log are.  Without program headers it tells how far its
 * segment was moved. */
static enum gsym_look by_offset(struct judge *j, struct stacks_module *m,
				const struct logs_frame *frame,
				const struct stacks_hint *hint, uint64_t *ret)
{
	struct stacks_state *s = stacks_known(j);
	const uint64_t number = frame->number, linked = hint->address;
	enum gsym_look named = gsym_stacks_by_name(j, m, frame, hint, ret);
	const bool known = hint->known;

	if (named == GSYM_LOOK_ANSWER) {
		m->biased = true;
		m->bias = number - *ret;
		if (known && linked != number && *ret == linked)
			s->numbers = STACKS_OFFSETS;
		else if (known && linked != number && *ret == number)
			s->numbers = STACKS_ADDRESSES;
	}
	if (named != GSYM_LOOK_NO_FUNCTION)
		return named == GSYM_LOOK_NOTHING ? GSYM_LOOK_MISMATCH : named;
	if (s->numbers == STACKS_ADDRESSES)
		*ret = number;
	else if (known)
		*ret = linked;
	else if (m->biased)
		*ret = number - m->bias;
	else
		return GSYM_LOOK_NOTHING;
	/* The number itself may be an address with an answer, too. */
	if (!s->numbers && known && linked != number &&
	    gsym_stacks_look_up(j->host, m->found.symbols, number - 1).count)
		return GSYM_LOOK_NOTHING;
	return GSYM_LOOK_ANSWER;
}

enum gsym_look gsym_stacks_address(struct judge *j, struct stacks_module *m,
				   const struct logs_frame *frame,
				   uint64_t *ret)
{
	const struct stacks_hint hint = gsym_stacks_hint(j, m, frame);

	if (frame->counts_from == LOGS_FUNCTION)
		return by_function(j, m, frame, &hint, ret);
	if (frame->counts_from == LOGS_FILE)
		return by_offset(j, m, frame, &hint, ret);
	*ret = hint.address;
	return hint.known ? GSYM_LOOK_ANSWER : GSYM_LOOK_NOTHING;
}
