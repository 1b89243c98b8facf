/* SPDX-License-Identifier: MIT */
/* Checks the file header, names machines, and finds the build ID. */
#include "elf/elf_file.h"

#include "base/error.h"

#include <gsym/elf.h>

#include <inttypes.h>
#include <stdio.h>

/* Check a header table of COUNT entries, STRIDE bytes apart: it lies inside
 * the file, and its entries have EXPECTED bytes. */
static enum gsym_status check_table(const struct elfview *v, const char *what,
				    uint64_t offset, uint64_t count,
				    unsigned stride, unsigned expected,
				    struct gsym_error *error)
{
	if (count && stride != expected)
		return gsym_fail(error, GSYM_ERR_CORRUPT, offset,
				 "%s: an entry has %u bytes instead of %u",
				 what, stride, expected);
	if (offset > v->size || count > (v->size - offset) / expected)
		return gsym_fail(error, GSYM_ERR_CORRUPT, offset,
				 "%s: %" PRIu64 " at 0x%" PRIx64
				 " reach beyond the end of the file",
				 what, count, offset);
	return GSYM_OK;
}

enum gsym_status gsym_elf_read_header(const uint8_t *bytes, size_t size,
				      struct elfview *v,
				      struct gsym_error *error)
{
	enum gsym_status status = gsym_elfview_header(bytes, size, v, error);

	if (status != GSYM_OK)
		return status;
	if (bytes[EI_VERSION] != EV_CURRENT)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, EI_VERSION,
				 "elf header: the version is %u",
				 bytes[EI_VERSION]);
	if (v->type != ET_EXEC && v->type != ET_DYN && v->type != ET_REL)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, EI_NIDENT,
				 "elf header: the file type is %u", v->type);
	if (v->numbers_lost)
		return gsym_fail(error, GSYM_ERR_CORRUPT, v->section_table,
				 "section headers: the first one, at 0x%" PRIx64
				 ", lies beyond the end of the file",
				 v->section_table);
	status = check_table(v, "section headers", v->section_table,
			     v->section_count, v->section_stride,
			     elfview_section_size(v), error);
	if (status == GSYM_OK)
		status = check_table(v, "program headers", v->segment_table,
				     v->segment_count, v->segment_stride,
				     elfview_segment_size(v), error);
	if (v->names >= v->section_count)
		v->names = 0;
	return status;
}

/* The name of the machine in V's header; NULL if it is not known. */
static const char *architecture_name(const struct elfview *v)
{
	bool big = v->swap != GSYM_HOST_BIG_ENDIAN;

	switch (v->machine) {
	case EM_386:
		return "i386";
	case EM_X86_64:
		return "x86_64";
	case EM_ARM:
		return big ? "armeb" : "arm";
	case EM_AARCH64:
		return big ? "aarch64_be" : "aarch64";
	case EM_S390:
		return v->wide ? "s390x" : "s390";
	case EM_PPC:
		return big ? "powerpc" : "powerpcle";
	case EM_PPC64:
		return big ? "powerpc64" : "powerpc64le";
	case EM_RISCV:
		return v->wide ? "riscv64" : "riscv32";
	case EM_MIPS:
		if (v->wide)
			return big ? "mips64" : "mips64el";
		return big ? "mips" : "mipsel";
	case EM_SPARC:
	case EM_SPARC32PLUS:
		return "sparc";
	case EM_SPARCV9:
		return "sparcv9";
	case EM_XTENSA:
		return big ? "xtensaeb" : "xtensa";
	}
	return NULL;
}

bool gsym_elf_header_for(const char *architecture, struct elfview *ret)
{
	static const struct {
		uint16_t machine;
		bool wide, big;
	} known[] = {
		{ EM_386, false, false },    { EM_X86_64, true, false },
		{ EM_ARM, false, false },    { EM_ARM, false, true },
		{ EM_AARCH64, true, false }, { EM_AARCH64, true, true },
		{ EM_S390, true, true },     { EM_S390, false, true },
		{ EM_PPC, false, true },     { EM_PPC, false, false },
		{ EM_PPC64, true, true },    { EM_PPC64, true, false },
		{ EM_RISCV, true, false },   { EM_RISCV, false, false },
		{ EM_MIPS, true, true },     { EM_MIPS, true, false },
		{ EM_MIPS, false, true },    { EM_MIPS, false, false },
		{ EM_SPARC, false, true },   { EM_SPARCV9, true, true },
		{ EM_XTENSA, false, true },  { EM_XTENSA, false, false },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*ret = (struct elfview){
			.wide = known[i].wide,
			.swap = known[i].big != GSYM_HOST_BIG_ENDIAN,
			.type = ET_DYN,
			.machine = known[i].machine,
		};
		if (!strcmp(architecture_name(ret), architecture))
			return true;
	}
	return false;
}

void gsym_elf_architecture(const struct elfview *v, char *ret, size_t size)
{
	const char *name = architecture_name(v);

	if (name)
		snprintf(ret, size, "%s", name);
	else
		snprintf(ret, size, "machine %u", v->machine);
}

/* ---- the build ID ------------------------------------------------------- */

enum gsym_status gsym_elf_build_id(const uint8_t *elf, size_t elf_size,
				   const uint8_t **ret, size_t *ret_size,
				   struct gsym_error *error)
{
	struct elfview view;
	enum gsym_status status;

	if (!elf || !ret || !ret_size)
		return gsym_fail_argument(error);
	status = gsym_elf_read_header(elf, elf_size, &view, error);
	if (status == GSYM_OK && !gsym_elfview_build_id(&view, ret, ret_size))
		status = GSYM_NOT_FOUND;
	return status;
}
