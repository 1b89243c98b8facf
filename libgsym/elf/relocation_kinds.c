/* SPDX-License-Identifier: MIT */
/*
 * The relocation types that assemblers and linkers write into debug sections,
 * by machine, with the numbers of the psABIs.  Relocations of thread-local
 * data change nothing: addresses of code never need them.
 */
#include "elf/elf_file.h"

struct entry {
	uint16_t type;
	uint8_t action;
	uint8_t width;
};

struct machine {
	uint16_t machine;
	uint16_t count;
	const struct entry *entries;
};

#define NONE(type) { (type), ELF_RELOC_NONE, 1 }
#define ABS(type, width) { (type), ELF_RELOC_ABSOLUTE, (width) }
#define REL(type, width) { (type), ELF_RELOC_RELATIVE, (width) }
#define ADD(type, width) { (type), ELF_RELOC_ADD, (width) }
#define SUB(type, width) { (type), ELF_RELOC_SUBTRACT, (width) }

static const struct entry x86_64_types[] = {
	NONE(R_X86_64_NONE),	 ABS(R_X86_64_64, 8),
	ABS(R_X86_64_32, 4),	 ABS(R_X86_64_32S, 4),
	ABS(R_X86_64_16, 2),	 ABS(R_X86_64_8, 1),
	REL(R_X86_64_PC64, 8),	 REL(R_X86_64_PC32, 4),
	REL(R_X86_64_PC16, 2),	 REL(R_X86_64_PC8, 1),
	NONE(R_X86_64_DTPMOD64), NONE(R_X86_64_DTPOFF64),
	NONE(R_X86_64_DTPOFF32), NONE(R_X86_64_TPOFF64),
	NONE(R_X86_64_TPOFF32),
};

static const struct entry i386_types[] = {
	NONE(R_386_NONE),	  ABS(R_386_32, 4),
	ABS(R_386_16, 2),	  ABS(R_386_8, 1),
	REL(R_386_PC32, 4),	  REL(R_386_PC16, 2),
	REL(R_386_PC8, 1),	  NONE(R_386_TLS_LDO_32),
	NONE(R_386_TLS_LE),	  NONE(R_386_TLS_LE_32),
	NONE(R_386_TLS_DTPMOD32), NONE(R_386_TLS_DTPOFF32),
	NONE(R_386_TLS_TPOFF),
};

static const struct entry aarch64_types[] = {
	NONE(R_AARCH64_NONE),	     NONE(256),
	ABS(R_AARCH64_ABS64, 8),     ABS(R_AARCH64_ABS32, 4),
	ABS(R_AARCH64_ABS16, 2),     REL(R_AARCH64_PREL64, 8),
	REL(R_AARCH64_PREL32, 4),    REL(R_AARCH64_PREL16, 2),
	NONE(R_AARCH64_TLS_DTPMOD),  NONE(R_AARCH64_TLS_DTPREL),
	ABS(R_AARCH64_P32_ABS32, 4),
};

static const struct entry arm_types[] = {
	NONE(R_ARM_NONE),	  ABS(R_ARM_ABS32, 4),
	ABS(R_ARM_ABS16, 2),	  ABS(R_ARM_ABS8, 1),
	ABS(R_ARM_TARGET1, 4),	  REL(R_ARM_REL32, 4),
	NONE(R_ARM_TLS_DTPMOD32), NONE(R_ARM_TLS_DTPOFF32),
	NONE(R_ARM_TLS_LDO32),
};

static const struct entry s390_types[] = {
	NONE(R_390_NONE),      ABS(R_390_64, 8),       ABS(R_390_32, 4),
	ABS(R_390_16, 2),      ABS(R_390_8, 1),	       REL(R_390_PC64, 8),
	REL(R_390_PC32, 4),    REL(R_390_PC16, 2),     NONE(R_390_TLS_LDO32),
	NONE(R_390_TLS_LDO64), NONE(R_390_TLS_DTPMOD), NONE(R_390_TLS_DTPOFF),
};

static const struct entry ppc_types[] = {
	NONE(R_PPC_NONE),     ABS(R_PPC_ADDR32, 4),  ABS(R_PPC_UADDR32, 4),
	ABS(R_PPC_ADDR16, 2), ABS(R_PPC_UADDR16, 2), REL(R_PPC_REL32, 4),
	NONE(R_PPC_DTPMOD32), NONE(R_PPC_DTPREL32),
};

static const struct entry ppc64_types[] = {
	NONE(R_PPC64_NONE),	 ABS(R_PPC64_ADDR64, 8),
	ABS(R_PPC64_UADDR64, 8), ABS(R_PPC64_ADDR32, 4),
	ABS(R_PPC64_UADDR32, 4), ABS(R_PPC64_ADDR16, 2),
	ABS(R_PPC64_UADDR16, 2), REL(R_PPC64_REL64, 8),
	REL(R_PPC64_REL32, 4),	 NONE(R_PPC64_DTPMOD64),
	NONE(R_PPC64_DTPREL64),
};

/* R_RISCV_SET_* store symbol + addend, as R_RISCV_ABSOLUTE does. */
static const struct entry riscv_types[] = {
	NONE(R_RISCV_NONE),
	ABS(R_RISCV_32, 4),
	ABS(R_RISCV_64, 8),
	REL(R_RISCV_32_PCREL, 4),
	NONE(R_RISCV_TLS_DTPREL32),
	NONE(R_RISCV_TLS_DTPREL64),
	NONE(R_RISCV_RELAX),
	ADD(R_RISCV_ADD8, 1),
	ADD(R_RISCV_ADD16, 2),
	ADD(R_RISCV_ADD32, 4),
	ADD(R_RISCV_ADD64, 8),
	SUB(R_RISCV_SUB8, 1),
	SUB(R_RISCV_SUB16, 2),
	SUB(R_RISCV_SUB32, 4),
	SUB(R_RISCV_SUB64, 8),
	SUB(R_RISCV_SUB6, ELF_WIDTH_6_BITS),
	ABS(R_RISCV_SET6, ELF_WIDTH_6_BITS),
	ABS(R_RISCV_SET8, 1),
	ABS(R_RISCV_SET16, 2),
	ABS(R_RISCV_SET32, 4),
	ABS(R_RISCV_SET_ULEB128, ELF_WIDTH_ULEB),
	SUB(R_RISCV_SUB_ULEB128, ELF_WIDTH_ULEB),
};

static const struct entry loongarch_types[] = {
	NONE(R_LARCH_NONE),
	NONE(R_LARCH_RELAX),
	NONE(R_LARCH_TLS_DTPREL32),
	NONE(R_LARCH_TLS_DTPREL64),
	ABS(R_LARCH_32, 4),
	ABS(R_LARCH_64, 8),
	REL(R_LARCH_32_PCREL, 4),
	REL(R_LARCH_64_PCREL, 8),
	ADD(R_LARCH_ADD6, ELF_WIDTH_6_BITS),
	ADD(R_LARCH_ADD8, 1),
	ADD(R_LARCH_ADD16, 2),
	ADD(R_LARCH_ADD32, 4),
	ADD(R_LARCH_ADD64, 8),
	ADD(R_LARCH_ADD_ULEB128, ELF_WIDTH_ULEB),
	SUB(R_LARCH_SUB6, ELF_WIDTH_6_BITS),
	SUB(R_LARCH_SUB8, 1),
	SUB(R_LARCH_SUB16, 2),
	SUB(R_LARCH_SUB32, 4),
	SUB(R_LARCH_SUB64, 8),
	SUB(R_LARCH_SUB_ULEB128, ELF_WIDTH_ULEB),
};

static const struct entry mips_types[] = {
	NONE(R_MIPS_NONE),	   ABS(R_MIPS_32, 4),
	ABS(R_MIPS_64, 8),	   REL(R_MIPS_PC32, 4),
	NONE(R_MIPS_TLS_DTPMOD32), NONE(R_MIPS_TLS_DTPREL32),
	NONE(R_MIPS_TLS_DTPMOD64), NONE(R_MIPS_TLS_DTPREL64),
};

static const struct entry sparc_types[] = {
	NONE(R_SPARC_NONE),	    ABS(R_SPARC_8, 1),
	ABS(R_SPARC_16, 2),	    ABS(R_SPARC_32, 4),
	ABS(R_SPARC_64, 8),	    ABS(R_SPARC_UA16, 2),
	ABS(R_SPARC_UA32, 4),	    ABS(R_SPARC_UA64, 8),
	REL(R_SPARC_DISP8, 1),	    REL(R_SPARC_DISP16, 2),
	REL(R_SPARC_DISP32, 4),	    REL(R_SPARC_DISP64, 8),
	NONE(R_SPARC_TLS_DTPMOD32), NONE(R_SPARC_TLS_DTPMOD64),
	NONE(R_SPARC_TLS_DTPOFF32), NONE(R_SPARC_TLS_DTPOFF64),
};

/* The linker adds to what the place has, although its entries have addends.
 * The places of *DIFF* have their differences already. */
static const struct entry xtensa_types[] = {
	NONE(R_XTENSA_NONE),	 ADD(R_XTENSA_32, 4),
	REL(R_XTENSA_32_PCREL, 4), NONE(R_XTENSA_DIFF8),
	NONE(R_XTENSA_DIFF16),	 NONE(R_XTENSA_DIFF32),
	NONE(R_XTENSA_PDIFF8),	 NONE(R_XTENSA_PDIFF16),
	NONE(R_XTENSA_PDIFF32),	 NONE(R_XTENSA_NDIFF8),
	NONE(R_XTENSA_NDIFF16),	 NONE(R_XTENSA_NDIFF32),
	NONE(R_XTENSA_TLS_DTPOFF),
};

/* The names of the arrays end in _types: without that, names such as i386 and
 * mips would be macros of the compiler. */
#define MACHINE(number, name)                                               \
	{                                                                   \
		(number), sizeof(name##_types) / sizeof((name##_types)[0]), \
			(name##_types)                                      \
	}

static const struct machine machines[] = {
	MACHINE(EM_X86_64, x86_64),   MACHINE(EM_386, i386),
	MACHINE(EM_AARCH64, aarch64), MACHINE(EM_ARM, arm),
	MACHINE(EM_S390, s390),	      MACHINE(EM_PPC, ppc),
	MACHINE(EM_PPC64, ppc64),     MACHINE(EM_RISCV, riscv),
	MACHINE(EM_MIPS, mips),	      MACHINE(EM_LOONGARCH, loongarch),
	MACHINE(EM_SPARC, sparc),     MACHINE(EM_SPARC32PLUS, sparc),
	MACHINE(EM_SPARCV9, sparc),   MACHINE(EM_XTENSA, xtensa),
};

void gsym_elf_relocation_kinds(unsigned machine,
			       struct elf_relocation_kind *kinds)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const struct machine *m = &machines[i];

		if (m->machine != machine)
			continue;
		for (size_t k = 0; k < m->count; k++) {
			const struct entry *e = &m->entries[k];

			kinds[e->type].action = e->action;
			kinds[e->type].width = e->width;
		}
	}
}
