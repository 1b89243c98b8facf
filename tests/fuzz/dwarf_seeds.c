/* SPDX-License-Identifier: MIT */
/* Cases of the DWARF readers' tests as ELF files. */
#include "config.h"

#include "fuzz/dwarf_seeds.h"

#include "container/container.h"
#include "support/elf_builder.h"

const struct dw_case *fuzz_dwarf_case(unsigned number)
{
	static const struct dw_case *const tables[] = {
		dw_file_cases, dw_tree_cases, dw_content_cases, dw_name_cases,
		dw_range_cases, dw_line_cases,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct dw_case *c = tables[i]; c->name; c++)
			if (!number--)
				return c;
	return NULL;
}

/* A section of DWARF 5 that names the supplementary file "alt", or says that
 * this file IS_SUPPLEMENTARY. */
static void add_sup(struct elfb *b, bool big_endian, bool is_supplementary)
{
	uint8_t bytes[] = { big_endian ? 0 : 5, big_endian ? 5 : 0,
			    is_supplementary, 'a', 'l', 't', 0, 2, 0xab,
			    0xcd };

	elfb_section(b, ".debug_sup", SHT_PROGBITS, 0, 0, bytes,
		     sizeof(bytes));
}

enum link { NO_LINK, ALTLINK, SUP, IS_SUP };

/* The sections of C as an ELF file. */
static struct fuzz_part save(const struct gsym_container *c, enum link link)
{
	struct elfb *b = elfb_new(c->address_size * 8u, c->big_endian, ET_EXEC,
				  c->address_size == 8 ? EM_AARCH64 : EM_ARM);
	struct fuzz_part part;
	size_t text;

	text = elfb_section(b, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
			    0x1000, NULL, 0x4000);
	for (size_t i = 0; i < c->sections.count; i++)
		elfb_section(b, c->sections.items[i].name, SHT_PROGBITS, 0, 0,
			     c->sections.items[i].data,
			     (size_t)c->sections.items[i].data_size);
	if (link == ALTLINK)
		elfb_section(b, ".gnu_debugaltlink", SHT_PROGBITS, 0, 0, "alt",
			     4);
	else if (link != NO_LINK)
		add_sup(b, c->big_endian, link == IS_SUP);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "symbol",
		.value = 0x3008, .size = 0x10, .type = STT_FUNC,
		.section = text });
	part.bytes = elfb_finish(b, &part.size);
	elfb_free(b);
	return part;
}

struct fuzz_dwarf_files fuzz_dwarf_files(const struct dw_case *c,
					 bool big_endian, bool sup)
{
	struct fuzz_dwarf_files files = { .role = FUZZ_DWO };
	struct gsym_container *program, *split = NULL;
	struct dwf f;

	dwf_init(&f, big_endian, 8, c->last, false);
	case_build(c, &f);
	case_claim(&f.main);
	program = dwf_container(&f);
	files.program = save(program, !f.has_alternate ? NO_LINK
				      : sup	       ? SUP
						       : ALTLINK);
	if (f.has_alternate) {
		files.role = FUZZ_DWZ;
		files.partner = save(program->alternate,
				     sup ? IS_SUP : NO_LINK);
	} else if (f.has_split && f.packed) {
		files.role = FUZZ_DWP;
		files.partner = save(program->package, NO_LINK);
	} else if (f.has_split) {
		program->open_split(program, NULL, "a.dwo", 1, &split);
		files.partner = save(split, NO_LINK);
	}
	gsym_container_free(split);
	gsym_container_free(program);
	dwf_fini(&f);
	return files;
}
