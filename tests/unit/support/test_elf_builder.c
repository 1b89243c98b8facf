/* SPDX-License-Identifier: MIT */
/* The assembler of ELF files for tests, read back through libelf. */
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char code[8] = "\x90\x90\x90\xc3";

static struct elfb *sample(unsigned bits, bool big, bool extended)
{
	struct elfb *b = elfb_new(bits, big, ET_EXEC, EM_PPC64);
	size_t text = elfb_section(b, ".text", SHT_PROGBITS,
				   SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, 8);
	size_t note = elfb_note(b, ".notes", "GNU", 3, "\1\2\3\4\5", 5);

	elfb_section(b, ".bss", SHT_NOBITS, SHF_ALLOC, 0x3000, NULL, 4096);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "f", .value = 0x1004,
		.size = 4, .type = STT_FUNC, .binding = STB_WEAK,
		.section = text });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "d", .value = 0x1000,
		.type = STT_FUNC, .binding = STB_GLOBAL, .section = text,
		.dynamic = true });
	elfb_segment(b, PT_LOAD, 0x1000, text);
	elfb_segment(b, PT_NOTE, 0, note);
	if (extended)
		elfb_extended_numbers(b);
	return b;
}

static void check(unsigned bits, bool big, bool extended)
{
	struct elfb *b = sample(bits, big, extended);
	size_t size;
	uint8_t *bytes = elfb_finish(b, &size);
	size_t count;
	size_t names;
	GElf_Shdr shdr;
	GElf_Phdr phdr;
	GElf_Sym sym;
	Elf_Scn *scn;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, size);
	cr_assert(elf);
	cr_assert_eq(elf_getshdrnum(elf, &count), 0);
	/* elf_getshdrstrndx cannot be used: for a file in memory of the other
	 * byte order it tries to read the file. */
	names = elfb_number(b, ".shstrtab");
	cr_assert(gelf_getshdr(elf_getscn(elf, 0), &shdr));
	cr_assert_eq(shdr.sh_link, extended ? names : 0);
	cr_assert_eq(count, names + 1);
	cr_assert_eq(elfb_header_offset(b, count), size);

	cr_assert(gelf_getshdr(elf_getscn(elf, 1), &shdr));
	cr_assert_str_eq(elf_strptr(elf, names, shdr.sh_name), ".text");
	cr_assert_eq(shdr.sh_addr, 0x1000);
	cr_assert_eq(shdr.sh_offset, elfb_offset(b, 1));
	cr_assert_arr_eq(bytes + shdr.sh_offset, code, 8);

	scn = elf_getscn(elf, elfb_number(b, ".symtab"));
	cr_assert(gelf_getshdr(scn, &shdr));
	cr_assert(gelf_getsym(elf_getdata(scn, NULL), 1, &sym));
	cr_assert_eq(sym.st_value, 0x1004);
	cr_assert_eq(sym.st_size, 4);
	cr_assert_eq(GELF_ST_BIND(sym.st_info), STB_WEAK);
	cr_assert_eq(sym.st_shndx, extended ? SHN_XINDEX : 1);
	cr_assert_str_eq(elf_strptr(elf, shdr.sh_link, sym.st_name), "f");
	cr_assert_neq(elfb_number(b, ".dynsym"), 0);

	cr_assert(gelf_getphdr(elf, 1, &phdr));
	cr_assert_eq(phdr.p_type, PT_NOTE);
	cr_assert_eq(phdr.p_filesz, 12 + 4 + 8);
	elf_end(elf);
	free(bytes);
	elfb_free(b);
}

Test(elf_builder, classes_and_orders)
{
	for (unsigned i = 0; i < 8; i++)
		check(i & 1 ? 64 : 32, i & 2, i & 4);
}
