/* SPDX-License-Identifier: MIT */
/* Reads the instructions of stubs in a PLT: from where each loads the address
 * that it jumps to. */
#include "elf/elf.h"

/* A stub that is read, instruction by instruction. */
struct reading {
	const struct elf_plt *plt;
	uint64_t start; /* offset of the stub in the PLT */
	uint64_t at;	/* offset of the next instruction */
};

static uint64_t left(const struct reading *r)
{
	return r->plt->size - r->at;
}

/* The word of 32 bits at the next instruction, which instructions of all these
 * machines store in little-endian order; 0 after the end. */
static uint32_t word(const struct reading *r)
{
	const uint8_t *at = r->plt->bytes + r->at;

	return left(r) < 4 ? 0
			   : (uint32_t)at[0] | (uint32_t)at[1] << 8 |
				     (uint32_t)at[2] << 16 |
				     (uint32_t)at[3] << 24;
}

/* Step over the SIZE bytes at CODE, if they are next. */
static bool skip(struct reading *r, const char *code, size_t size)
{
	bool same = left(r) >= size &&
		    !memcmp(r->plt->bytes + r->at, code, size);

	r->at += same ? size : 0;
	return same;
}

/* Step over the next word, if its bits of MASK are VALUE; *RET is the word. */
static bool take(struct reading *r, uint32_t mask, uint32_t value,
		 uint32_t *ret)
{
	*ret = word(r);
	if (left(r) < 4 || (*ret & mask) != value)
		return false;
	r->at += 4;
	return true;
}

static uint64_t address(const struct reading *r)
{
	return r->plt->address + r->at;
}

/* VALUE, a number of BITS bits with a sign. */
static uint64_t extend(uint32_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* The end of the stub that has SIZE bytes, or reaches to the end of the PLT. */
static uint64_t end_of(const struct reading *r, uint64_t size)
{
	uint64_t most = r->plt->size - r->start;

	return r->start + (size < most ? size : most);
}

/* x86: jmp *SLOT(%rip), or jmp *SLOT, or jmp *SLOT(%ebx), with endbr before it,
 * and in mold's stubs also mov $NUMBER, %r11d or %ecx.  A stub with push after
 * the jump, with endbr, or with other bytes has 16 bytes; one that ends with a
 * nop of two bytes, or one after a prefix bnd, has 8. */
static bool read_x86(struct reading *r, struct elf_plt_stub *ret)
{
	bool wide = r->plt->machine == EM_X86_64, bnd, based;
	bool endbr = skip(r, wide ? "\xf3\x0f\x1e\xfa" : "\xf3\x0f\x1e\xfb", 4);
	uint64_t size = 16;

	if (endbr && left(r) >= 6 &&
	    skip(r, wide ? "\x41\xbb" : "\xb9", 1 + wide))
		r->at += 4;
	bnd = wide && skip(r, "\xf2", 1);
	based = !wide && r->plt->got && skip(r, "\xff\xa3", 2);
	if ((!based && !skip(r, "\xff\x25", 2)) || left(r) < 4)
		return false;
	ret->slot = word(r);
	r->at += 4;
	if (wide)
		ret->slot = extend((uint32_t)ret->slot, 32) + address(r);
	else if (based)
		ret->slot = (ret->slot + r->plt->got) & UINT32_MAX;
	if (!endbr && (bnd || skip(r, "\x66\x90", 2)))
		size = 8;
	ret->end = end_of(r, size);
	return true;
}

/* AArch64: adrp x16, PAGE; ldr x17, [x16, LOW]; add x16, x16, LOW; br x17, with
 * bti before it, autia1716 before the br, and nops to its end. */
static bool read_arm64(struct reading *r, struct elf_plt_stub *ret)
{
	enum { NOP = 0xd503201f, LONGEST = 24 };
	uint64_t page = (address(r) + 4 * (word(r) == 0xd503245f)) &
			~UINT64_C(0xfff);
	uint32_t adrp, ldr, rest;

	take(r, UINT32_MAX, 0xd503245f, &rest);
	if (!take(r, 0x9f00001f, 0x90000010, &adrp) ||
	    !take(r, 0xffc003ff, 0xf9400211, &ldr))
		return false;
	page += extend((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3), 21)
		<< 12;
	ret->slot = page + 8 * (ldr >> 10 & 0xfff);
	take(r, 0xffc003ff, 0x91000210, &rest);
	take(r, UINT32_MAX, 0xd503219f, &rest);
	if (!take(r, UINT32_MAX, 0xd61f0220, &rest))
		return false;
	while (r->at - r->start < LONGEST && take(r, UINT32_MAX, NOP, &rest))
		;
	ret->end = r->at;
	return true;
}

/* RISC-V: auipc t3, HIGH; ld t3, LOW(t3) (lw with 32 bits); jalr t1, t3;
 * nop. */
static bool read_riscv(struct reading *r, struct elf_plt_stub *ret)
{
	uint32_t load = r->plt->wide ? 0xe3e03 : 0xe2e03, auipc, ld, rest;
	uint64_t start = address(r);

	if (!take(r, 0xfff, 0xe17, &auipc) || !take(r, 0xfffff, load, &ld) ||
	    !take(r, UINT32_MAX, 0xe0367, &rest))
		return false;
	ret->slot = start + extend(auipc & 0xfffff000, 32) +
		    extend(ld >> 20, 12);
	if (!r->plt->wide)
		ret->slot &= UINT32_MAX;
	take(r, UINT32_MAX, 0x13, &rest);
	ret->end = r->at;
	return true;
}

/* The operand of an ARM instruction: eight bits, rotated. */
static uint32_t rotated(uint32_t instruction)
{
	unsigned by = instruction >> 7 & 30;
	uint32_t value = instruction & 0xff;

	return by ? value >> by | value << (32 - by) : value;
}

/* ARM: add ip, pc, HIGH; add ip, ip, MIDDLE, once or twice; ldr pc, [ip, LOW]!,
 * with bx pc; nop of Thumb before it.  lld makes stubs of 16 bytes.  mold: ldr
 * ip, [pc, 4]; add ip, ip, pc; ldr pc, [ip], and the distance of the slot. */
static bool read_arm(struct reading *r, struct elf_plt_stub *ret)
{
	uint32_t add, ldr, sum;

	skip(r, "\x78\x47\xc0\x46", 4);
	sum = (uint32_t)address(r) + 8;
	if (left(r) >= 16 &&
	    skip(r, "\x04\xc0\x9f\xe5\x0f\xc0\x8c\xe0\x00\xf0\x9c\xe5", 12)) {
		ret->slot = (uint32_t)(sum + 4 + word(r));
		ret->end = r->at + 4;
		return true;
	}
	if (!take(r, 0xfffff000, 0xe28fc000, &add))
		return false;
	sum += rotated(add);
	for (int i = 0; i < 2 && take(r, 0xfffff000, 0xe28cc000, &add); i++)
		sum += rotated(add);
	if (!take(r, 0xfffff000, 0xe5bcf000, &ldr))
		return false;
	ret->slot = sum + (ldr & 0xfff);
	skip(r, "\xd4\xd4\xd4\xd4", 4);
	ret->end = r->at;
	return true;
}

bool gsym_elf_plt_stub(const struct elf_plt *plt, uint64_t *at,
		       struct elf_plt_stub *ret)
{
	bool (*read)(struct reading *r, struct elf_plt_stub *ret);
	/* x86 aligns stubs to 8 bytes at least, all others to 4. */
	uint64_t step = 4;

	switch (plt->machine) {
	case EM_X86_64:
	case EM_386:
		read = read_x86;
		step = 8;
		break;
	case EM_AARCH64:
		read = read_arm64;
		break;
	case EM_RISCV:
		read = read_riscv;
		break;
	case EM_ARM:
		read = read_arm;
		break;
	default:
		return false;
	}
	for (; *at < plt->size; *at += step) {
		struct reading r = { .plt = plt, .start = *at, .at = *at };

		if (!read(&r, ret))
			continue;
		ret->start = *at;
		*at = ret->end;
		return true;
	}
	return false;
}
