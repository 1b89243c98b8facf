/* SPDX-License-Identifier: MIT */
/* The sled section of an ELF file: header fields and nothing else. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "common/report.h"
#include "xray.h"

/* The few constants of the System V ABI that are needed here. */
enum {
	ELF_RELA = 4,
	ELF_NOBITS = 8,
	ELF_REL = 9,
	MACHINE_386 = 3,
	MACHINE_PPC64 = 21,
	MACHINE_S390 = 22,
	MACHINE_ARM = 40,
	MACHINE_X86_64 = 62,
	MACHINE_AARCH64 = 183,
	MACHINE_RISCV = 243,
	MACHINE_LOONGARCH = 258,
};

struct elf {
	const struct xray_bytes *file;
	bool big;
	unsigned word;
	unsigned machine;
	uint64_t table, count, entry_size;
	uint64_t names, names_size;
};

struct section {
	uint64_t name, type, address, offset, size;
};

/* SIZE bytes at AT; 0 beyond the file. */
static uint64_t field(const struct elf *elf, uint64_t at, unsigned size)
{
	uint64_t value = 0;
	if (at > elf->file->size || size > elf->file->size - at)
		return 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 |
			elf->file->data[at + (elf->big ? i : size - 1 - i)];
	return value;
}

static struct section section_at(const struct elf *elf, uint64_t index)
{
	uint64_t at = elf->table + index * elf->entry_size;
	unsigned w = elf->word;
	return (struct section){
		.name = field(elf, at, 4),
		.type = field(elf, at + 4, 4),
		.address = field(elf, at + 8 + w, w),
		.offset = field(elf, at + 8 + 2 * w, w),
		.size = field(elf, at + 8 + 3 * w, w),
	};
}

static bool inside(const struct elf *elf, const struct section *s)
{
	return s->type != ELF_NOBITS && s->offset <= elf->file->size &&
	       s->size <= elf->file->size - s->offset;
}

static bool read_header(struct elf *elf)
{
	const uint8_t *data = elf->file->data;
	uint64_t size = elf->file->size;
	if (size < 52 || memcmp(data, "\177ELF", 4) != 0 || data[4] < 1 ||
	    data[4] > 2 || data[5] < 1 || data[5] > 2)
		return false;
	unsigned w = elf->word = data[4] == 2 ? 8 : 4;
	elf->big = data[5] == 2;
	elf->machine = field(elf, 18, 2);
	elf->table = field(elf, 24 + 2 * w, w);
	uint64_t rest = 24 + 3 * w + 4;
	elf->entry_size = field(elf, rest + 6, 2);
	elf->count = field(elf, rest + 8, 2);
	uint64_t names = field(elf, rest + 10, 2);
	if (!elf->table || elf->table > size || elf->entry_size < 16 + 6 * w)
		return false;
	if (!elf->count)
		elf->count = section_at(elf, 0).size;
	if (names == 0xffff)
		names = field(elf, elf->table + 8 + 4 * w, 4);
	if (elf->count > (size - elf->table) / elf->entry_size)
		elf->count = (size - elf->table) / elf->entry_size;
	if (names >= elf->count)
		return false;
	struct section s = section_at(elf, names);
	if (!inside(elf, &s))
		return false;
	elf->names = s.offset;
	elf->names_size = s.size;
	return true;
}

static bool has_name(const struct elf *elf, const struct section *s,
		     const char *name)
{
	size_t length = strlen(name) + 1;
	return s->name < elf->names_size &&
	       elf->names_size - s->name >= length &&
	       memcmp(elf->file->data + elf->names + s->name, name, length) ==
		       0;
}

/* The number that "add the load address" has on the machine. */
static uint64_t relative_type(unsigned machine)
{
	switch (machine) {
	case MACHINE_386:
	case MACHINE_X86_64:
		return 8;
	case MACHINE_PPC64:
		return 22;
	case MACHINE_S390:
		return 12;
	case MACHINE_ARM:
		return 23;
	case MACHINE_AARCH64:
		return 1027;
	case MACHINE_RISCV:
	case MACHINE_LOONGARCH:
		return 3;
	}
	return UINT64_MAX;
}

/* The addend of the relative relocation at ADDRESS.  (REL files have it in
 * place, where the caller has read it.) */
static bool relocated(void *context, uint64_t address, uint64_t *value)
{
	const struct elf *elf = context;
	unsigned w = elf->word;
	for (uint64_t i = 0; i < elf->count; i++) {
		struct section s = section_at(elf, i);
		if (s.type != ELF_RELA || !inside(elf, &s))
			continue;
		for (uint64_t at = s.offset; s.offset + s.size - at >= 3 * w;
		     at += 3 * w) {
			uint64_t type = field(elf, at + w, w);
			type = w == 8 ? type & UINT32_MAX : type & 0xff;
			if (field(elf, at, w) != address ||
			    type != relative_type(elf->machine))
				continue;
			*value = field(elf, at + 2 * w, w);
			return true;
		}
	}
	return false;
}

bool xray_elf_map(struct xray_object *object)
{
	struct elf elf = { .file = &object->bytes };
	if (!read_header(&elf))
		return false;
	for (uint64_t i = 0; i < elf.count; i++) {
		struct section s = section_at(&elf, i);
		struct gsym_error error = { 0 };
		if (!has_name(&elf, &s, "xray_instr_map"))
			continue;
		if (!inside(&elf, &s))
			die("cannot read '%s': section xray_instr_map at "
			    "offset 0x%" PRIx64 " reaches beyond the file",
			    object->path, s.offset);
		struct gsym_xray_section section = {
			.data = object->bytes.data + s.offset,
			.size = s.size,
			.address = s.address,
			.word = elf.word,
			.big_endian = elf.big,
			.relocated = relocated,
			.context = &elf,
		};
		enum gsym_status status =
			gsym_xray_map_open(&section, &object->map, &error);
		if (status != GSYM_OK)
			die_status("read", object->path, status, &error);
		return true;
	}
	return false;
}
