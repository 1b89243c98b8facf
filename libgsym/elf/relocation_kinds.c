/* SPDX-License-Identifier: MIT */
/*
 * The relocation types that assemblers and linkers write into debug sections,
 * by machine, with the numbers of the psABIs.  Relocations of thread-local
 * data change nothing: addresses of code never need them.
 */
#include "elf/elf.h"

struct entry {
	uint16_t type;
	struct elf_relocation_kind kind;
};

struct machine {
	uint16_t number; /* EM_* */
	/* The types whose value is load bias + addend, and symbol + addend, in
	 * programs; 0: not known. */
	uint16_t relative, absolute;
	uint16_t count;
	const struct entry *entries;
};

#define NONE(type) { (type), { ELF_RELOC_NONE, 1 } }
#define ABS(type, width) { (type), { ELF_RELOC_ABSOLUTE, (width) } }
#define REL(type, width) { (type), { ELF_RELOC_RELATIVE, (width) } }
#define ADD(type, width) { (type), { ELF_RELOC_ADD, (width) } }
#define SUB(type, width) { (type), { ELF_RELOC_SUBTRACT, (width) } }

static const struct entry x86_64_types[] = {
	NONE(0),		/* R_X86_64_NONE */
	ABS(1, 8),		/* R_X86_64_64 */
	ABS(10, 4),		/* R_X86_64_32 */
	ABS(11, 4),		/* R_X86_64_32S */
	ABS(12, 2),		/* R_X86_64_16 */
	ABS(14, 1),		/* R_X86_64_8 */
	REL(24, 8),		/* R_X86_64_PC64 */
	REL(2, 4),		/* R_X86_64_PC32 */
	REL(13, 2),		/* R_X86_64_PC16 */
	REL(15, 1),		/* R_X86_64_PC8 */
	NONE(16),		/* R_X86_64_DTPMOD64 */
	NONE(17),		/* R_X86_64_DTPOFF64 */
	NONE(21),		/* R_X86_64_DTPOFF32 */
	NONE(18),		/* R_X86_64_TPOFF64 */
	NONE(23),		/* R_X86_64_TPOFF32 */
};

static const struct entry i386_types[] = {
	NONE(0),		/* R_386_NONE */
	ABS(1, 4),		/* R_386_32 */
	ABS(20, 2),		/* R_386_16 */
	ABS(22, 1),		/* R_386_8 */
	REL(2, 4),		/* R_386_PC32 */
	REL(21, 2),		/* R_386_PC16 */
	REL(23, 1),		/* R_386_PC8 */
	NONE(32),		/* R_386_TLS_LDO_32 */
	NONE(17),		/* R_386_TLS_LE */
	NONE(34),		/* R_386_TLS_LE_32 */
	NONE(35),		/* R_386_TLS_DTPMOD32 */
	NONE(36),		/* R_386_TLS_DTPOFF32 */
	NONE(14),		/* R_386_TLS_TPOFF */
};

static const struct entry aarch64_types[] = {
	NONE(0),		/* R_AARCH64_NONE */
	NONE(256),		/* R_AARCH64_NONE before 2013 */
	ABS(257, 8),		/* R_AARCH64_ABS64 */
	ABS(258, 4),		/* R_AARCH64_ABS32 */
	ABS(259, 2),		/* R_AARCH64_ABS16 */
	REL(260, 8),		/* R_AARCH64_PREL64 */
	REL(261, 4),		/* R_AARCH64_PREL32 */
	REL(262, 2),		/* R_AARCH64_PREL16 */
	NONE(1028),		/* R_AARCH64_TLS_DTPMOD */
	NONE(1029),		/* R_AARCH64_TLS_DTPREL */
	ABS(1, 4),		/* R_AARCH64_P32_ABS32 */
};

static const struct entry arm_types[] = {
	NONE(0),		/* R_ARM_NONE */
	ABS(2, 4),		/* R_ARM_ABS32 */
	ABS(5, 2),		/* R_ARM_ABS16 */
	ABS(8, 1),		/* R_ARM_ABS8 */
	ABS(38, 4),		/* R_ARM_TARGET1 */
	REL(3, 4),		/* R_ARM_REL32 */
	NONE(17),		/* R_ARM_TLS_DTPMOD32 */
	NONE(18),		/* R_ARM_TLS_DTPOFF32 */
	NONE(106),		/* R_ARM_TLS_LDO32 */
};

static const struct entry s390_types[] = {
	NONE(0),		/* R_390_NONE */
	ABS(22, 8),		/* R_390_64 */
	ABS(4, 4),		/* R_390_32 */
	ABS(3, 2),		/* R_390_16 */
	ABS(1, 1),		/* R_390_8 */
	REL(23, 8),		/* R_390_PC64 */
	REL(5, 4),		/* R_390_PC32 */
	REL(16, 2),		/* R_390_PC16 */
	NONE(52),		/* R_390_TLS_LDO32 */
	NONE(53),		/* R_390_TLS_LDO64 */
	NONE(54),		/* R_390_TLS_DTPMOD */
	NONE(55),		/* R_390_TLS_DTPOFF */
};

static const struct entry ppc_types[] = {
	NONE(0),		/* R_PPC_NONE */
	ABS(1, 4),		/* R_PPC_ADDR32 */
	ABS(24, 4),		/* R_PPC_UADDR32 */
	ABS(3, 2),		/* R_PPC_ADDR16 */
	ABS(25, 2),		/* R_PPC_UADDR16 */
	REL(26, 4),		/* R_PPC_REL32 */
	NONE(68),		/* R_PPC_DTPMOD32 */
	NONE(78),		/* R_PPC_DTPREL32 */
};

static const struct entry ppc64_types[] = {
	NONE(0),		/* R_PPC64_NONE */
	ABS(38, 8),		/* R_PPC64_ADDR64 */
	ABS(43, 8),		/* R_PPC64_UADDR64 */
	ABS(1, 4),		/* R_PPC64_ADDR32 */
	ABS(24, 4),		/* R_PPC64_UADDR32 */
	ABS(3, 2),		/* R_PPC64_ADDR16 */
	ABS(25, 2),		/* R_PPC64_UADDR16 */
	REL(44, 8),		/* R_PPC64_REL64 */
	REL(26, 4),		/* R_PPC64_REL32 */
	NONE(68),		/* R_PPC64_DTPMOD64 */
	NONE(78),		/* R_PPC64_DTPREL64 */
};

/* R_RISCV_SET_* store symbol + addend, as R_RISCV_ABSOLUTE does. */
static const struct entry riscv_types[] = {
	NONE(0),		/* R_RISCV_NONE */
	ABS(1, 4),		/* R_RISCV_32 */
	ABS(2, 8),		/* R_RISCV_64 */
	REL(57, 4),		/* R_RISCV_32_PCREL */
	NONE(8),		/* R_RISCV_TLS_DTPREL32 */
	NONE(9),		/* R_RISCV_TLS_DTPREL64 */
	NONE(51),		/* R_RISCV_RELAX */
	ADD(33, 1),		/* R_RISCV_ADD8 */
	ADD(34, 2),		/* R_RISCV_ADD16 */
	ADD(35, 4),		/* R_RISCV_ADD32 */
	ADD(36, 8),		/* R_RISCV_ADD64 */
	SUB(37, 1),		/* R_RISCV_SUB8 */
	SUB(38, 2),		/* R_RISCV_SUB16 */
	SUB(39, 4),		/* R_RISCV_SUB32 */
	SUB(40, 8),		/* R_RISCV_SUB64 */
	SUB(52, ELF_WIDTH_6_BITS),	/* R_RISCV_SUB6 */
	ABS(53, ELF_WIDTH_6_BITS),	/* R_RISCV_SET6 */
	ABS(54, 1),		/* R_RISCV_SET8 */
	ABS(55, 2),		/* R_RISCV_SET16 */
	ABS(56, 4),		/* R_RISCV_SET32 */
	ABS(60, ELF_WIDTH_ULEB),	/* R_RISCV_SET_ULEB128 */
	SUB(61, ELF_WIDTH_ULEB),	/* R_RISCV_SUB_ULEB128 */
};

static const struct entry loongarch_types[] = {
	NONE(0),		/* R_LARCH_NONE */
	NONE(100),		/* R_LARCH_RELAX */
	NONE(8),		/* R_LARCH_TLS_DTPREL32 */
	NONE(9),		/* R_LARCH_TLS_DTPREL64 */
	ABS(1, 4),		/* R_LARCH_32 */
	ABS(2, 8),		/* R_LARCH_64 */
	REL(99, 4),		/* R_LARCH_32_PCREL */
	REL(109, 8),		/* R_LARCH_64_PCREL */
	ADD(105, ELF_WIDTH_6_BITS),	/* R_LARCH_ADD6 */
	ADD(47, 1),		/* R_LARCH_ADD8 */
	ADD(48, 2),		/* R_LARCH_ADD16 */
	ADD(50, 4),		/* R_LARCH_ADD32 */
	ADD(51, 8),		/* R_LARCH_ADD64 */
	ADD(107, ELF_WIDTH_ULEB),	/* R_LARCH_ADD_ULEB128 */
	SUB(106, ELF_WIDTH_6_BITS),	/* R_LARCH_SUB6 */
	SUB(52, 1),		/* R_LARCH_SUB8 */
	SUB(53, 2),		/* R_LARCH_SUB16 */
	SUB(55, 4),		/* R_LARCH_SUB32 */
	SUB(56, 8),		/* R_LARCH_SUB64 */
	SUB(108, ELF_WIDTH_ULEB),	/* R_LARCH_SUB_ULEB128 */
};

static const struct entry mips_types[] = {
	NONE(0),		/* R_MIPS_NONE */
	ABS(2, 4),		/* R_MIPS_32 */
	ABS(18, 8),		/* R_MIPS_64 */
	REL(248, 4),		/* R_MIPS_PC32 */
	NONE(38),		/* R_MIPS_TLS_DTPMOD32 */
	NONE(39),		/* R_MIPS_TLS_DTPREL32 */
	NONE(40),		/* R_MIPS_TLS_DTPMOD64 */
	NONE(41),		/* R_MIPS_TLS_DTPREL64 */
};

static const struct entry sparc_types[] = {
	NONE(0),		/* R_SPARC_NONE */
	ABS(1, 1),		/* R_SPARC_8 */
	ABS(2, 2),		/* R_SPARC_16 */
	ABS(3, 4),		/* R_SPARC_32 */
	ABS(32, 8),		/* R_SPARC_64 */
	ABS(55, 2),		/* R_SPARC_UA16 */
	ABS(23, 4),		/* R_SPARC_UA32 */
	ABS(54, 8),		/* R_SPARC_UA64 */
	REL(4, 1),		/* R_SPARC_DISP8 */
	REL(5, 2),		/* R_SPARC_DISP16 */
	REL(6, 4),		/* R_SPARC_DISP32 */
	REL(46, 8),		/* R_SPARC_DISP64 */
	NONE(74),		/* R_SPARC_TLS_DTPMOD32 */
	NONE(75),		/* R_SPARC_TLS_DTPMOD64 */
	NONE(76),		/* R_SPARC_TLS_DTPOFF32 */
	NONE(77),		/* R_SPARC_TLS_DTPOFF64 */
};

/* The linker adds to what the place has, although its entries have addends.
 * The places of *DIFF* have their differences already. */
static const struct entry xtensa_types[] = {
	NONE(0),		/* R_XTENSA_NONE */
	ADD(1, 4),		/* R_XTENSA_32 */
	REL(14, 4),		/* R_XTENSA_32_PCREL */
	NONE(17),		/* R_XTENSA_DIFF8 */
	NONE(18),		/* R_XTENSA_DIFF16 */
	NONE(19),		/* R_XTENSA_DIFF32 */
	NONE(57),		/* R_XTENSA_PDIFF8 */
	NONE(58),		/* R_XTENSA_PDIFF16 */
	NONE(59),		/* R_XTENSA_PDIFF32 */
	NONE(60),		/* R_XTENSA_NDIFF8 */
	NONE(61),		/* R_XTENSA_NDIFF16 */
	NONE(62),		/* R_XTENSA_NDIFF32 */
	NONE(52),		/* R_XTENSA_TLS_DTPOFF */
};

/* The types 1 and 10 are those of instructions.  LLVM before release 13 wrote
 * them to debug sections, too. */
static const struct entry bpf_types[] = {
	NONE(0),		/* R_BPF_NONE */
	ABS(2, 8),		/* R_BPF_64_ABS64 */
	ABS(3, 4),		/* R_BPF_64_ABS32 */
	ABS(1, 8),		/* R_BPF_64_64 */
	ABS(10, 4),		/* R_BPF_64_32 */
};

static const struct entry hexagon_types[] = {
	NONE(0),		/* R_HEX_NONE */
	ABS(6, 4),		/* R_HEX_32 */
	ABS(7, 2),		/* R_HEX_16 */
	ABS(8, 1),		/* R_HEX_8 */
	REL(31, 4),		/* R_HEX_32_PCREL */
	NONE(47),		/* R_HEX_DTPREL_32 */
};

/* The names of the arrays end in _types: without that, names such as i386 and
 * mips would be macros of the compiler. */
#define MACHINE(number, relative, absolute, name)                   \
	{                                                           \
		(number), (relative), (absolute),                   \
			sizeof(name##_types) / sizeof(struct entry), \
			(name##_types)                              \
	}

static const struct machine machines[] = {
	MACHINE(EM_X86_64, 8, 1, x86_64),
	MACHINE(EM_386, 0, 0, i386),
	MACHINE(EM_AARCH64, 1027, 257, aarch64),
	MACHINE(EM_ARM, 23, 2, arm),
	MACHINE(EM_S390, 12, 22, s390),
	MACHINE(EM_PPC, 0, 0, ppc),
	MACHINE(EM_PPC64, 22, 38, ppc64),
	MACHINE(EM_RISCV, 3, 2, riscv),
	MACHINE(EM_MIPS, 0, 0, mips),
	MACHINE(EM_LOONGARCH, 3, 2, loongarch),
	MACHINE(EM_SPARC, 0, 0, sparc),
	MACHINE(EM_SPARC32PLUS, 0, 0, sparc),
	MACHINE(EM_SPARCV9, 22, 32, sparc),
	MACHINE(EM_XTENSA, 0, 0, xtensa),
	MACHINE(EM_BPF, 0, 0, bpf),
	MACHINE(EM_QDSP6, 0, 0, hexagon),
};

/* The machine NUMBER; NULL if it is not known. */
static const struct machine *find(unsigned number)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].number == number)
			return &machines[i];
	return NULL;
}

void gsym_elf_relocation_kinds(unsigned machine,
			       struct elf_relocation_kind *kinds)
{
	const struct machine *m = find(machine);

	for (size_t i = 0; m && i < m->count; i++)
		kinds[m->entries[i].type] = m->entries[i].kind;
}

void gsym_elf_pointer_types(unsigned machine, uint32_t *relative,
			    uint32_t *absolute)
{
	const struct machine *m = find(machine);

	*relative = m ? m->relative : 0;
	*absolute = m ? m->absolute : 0;
}
