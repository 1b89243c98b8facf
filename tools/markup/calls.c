/* SPDX-License-Identifier: MIT */
/*
 * What the code of a program has before an address: return addresses of a log
 * that do not stand behind a call are of another build.
 *
 * Instructions of x86 have no fixed size, so bytes before an address may look
 * like a call by chance.  Each true return address is recognised.
 */
#include "config.h"

#include "base/bytes.h"
#include "markup/markup.h"

/* ---- instructions -------------------------------------------------------- */

/* Instructions of both processors are in little endian. */
static uint32_t u32(const uint8_t *at)
{
	return gsym_load_u32(at, GSYM_HOST_BIG_ENDIAN);
}

/* The bytes of "call *OPERAND", whose byte behind the opcode 0xff is MODE and
 * whose next one is SIB; 0 if that is no such call. */
static size_t indirect_call(uint8_t mode, uint8_t sib)
{
	size_t size = 2;
	if ((mode >> 3 & 7) != 2)
		return 0;
	if (mode >> 6 == 3)
		return size;
	if ((mode & 7) == 4)
		size++;
	if (mode >> 6 == 1)
		return size + 1;
	if (mode >> 6 == 2 || (mode & 7) == 5 ||
	    ((mode & 7) == 4 && (sib & 7) == 5))
		return size + 4;
	return size;
}

/* Whether a call may end after the SIZE bytes of code that end at END, of which
 * CODE bytes are in the section.  A direct call leads to a place within 16 MiB
 * of the section, as others lie near; *TARGET becomes its distance from END. */
static bool is_x86_call(const uint8_t *end, size_t size, size_t code,
			int64_t *target)
{
	enum { NEAR = 16 << 20, LONGEST = 7 };
	if (size >= 5 && end[-5] == 0xe8) {
		int64_t to = (int64_t)size + (int32_t)u32(end - 4);
		*target = (int32_t)u32(end - 4);
		if (to > -NEAR && to < (int64_t)code + NEAR)
			return true;
		*target = 0;
	}
	for (size_t n = 2; n <= LONGEST && n <= size; n++)
		if (end[-(ptrdiff_t)n] == 0xff &&
		    indirect_call(end[1 - (ptrdiff_t)n],
				  n > 2 ? end[2 - (ptrdiff_t)n] : 0) == n)
			return true;
	/* System calls: syscall, sysenter, int 0x80. */
	return size >= 2 && ((end[-2] == 0x0f && (end[-1] == 0x05 ||
						  end[-1] == 0x34)) ||
			     (end[-2] == 0xcd && end[-1] == 0x80));
}

/* Whether the instruction before END is a call, or a system call.  *TARGET as
 * above. */
static bool is_arm64_call(const uint8_t *end, int64_t *target)
{
	uint32_t code = u32(end - 4);
	if ((code & 0xfc000000) == 0x94000000)
		*target = (int32_t)(code << 6) / 16 - 4;
	/* bl; blr, also with a check of the pointer; svc. */
	return (code & 0xfc000000) == 0x94000000 ||
	       (code & 0xfefff000) == 0xd63f0000 ||
	       (code & 0xffe0001f) == 0xd4000001;
}

enum gsym_markup_site markup_site(void *symbols, uint64_t address,
				  uint64_t *target)
{
	const struct markup_symbols *s = symbols;
	const uint8_t *code = s->code.data;
	uint64_t offset = address - s->code.address;
	int64_t distance = 0;
	bool call;
	*target = 0;
	if (!code || address < s->code.address || offset > s->code.data_size)
		return GSYM_MARKUP_SITE_UNKNOWN;
	if (s->processor == MARKUP_X86) {
		call = is_x86_call(code + offset, offset, s->code.data_size,
				   &distance);
	} else {
		/* A return address less 1 lies in the call. */
		offset = (offset + 3) / 4 * 4;
		call = offset >= 4 && offset <= s->code.data_size &&
		       is_arm64_call(code + offset, &distance);
	}
	if (call && distance)
		*target = s->code.address + offset + (uint64_t)distance;
	return call ? GSYM_MARKUP_SITE_CALL : GSYM_MARKUP_SITE_OTHER;
}

/* ---- programs ------------------------------------------------------------ */

static enum markup_processor processor_of(const struct gsym_module *program)
{
	enum { I386 = 3, X86_64 = 62, AARCH64 = 183 };
	struct gsym_module_facts facts;
	gsym_module_get_facts(program, &facts);
	switch (facts.machine) {
	case I386:
	case X86_64:
		return MARKUP_X86;
	case AARCH64:
		return MARKUP_ARM64;
	default:
		return MARKUP_OTHER_PROCESSOR;
	}
}

/* Take the code of the program PATH: debug files have none. */
static bool take_code(struct markup_symbols *s, const char *path)
{
	struct gsym_module *program;
	if (gsym_module_open(path, &program, NULL) != GSYM_OK)
		return false;
	s->processor = processor_of(program);
	if (s->processor != MARKUP_OTHER_PROCESSOR &&
	    gsym_module_find_section(program, ".text", &s->code) == GSYM_OK &&
	    s->code.data && s->code.data_size >= s->code.size) {
		s->program = program;
		return true;
	}
	gsym_module_close(program);
	s->code = (struct gsym_module_section){ 0 };
	return false;
}

bool markup_has_code(struct markup *m, struct markup_symbols *s)
{
	/* With --copy no file is mapped. */
	if (!s->code_known && !m->copy)
		markup_search_program(m, s, take_code);
	s->code_known = true;
	return s->program;
}
