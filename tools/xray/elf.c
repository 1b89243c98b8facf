/* SPDX-License-Identifier: MIT */
/* The sections of an ELF file that have to do with sleds: header fields,
 * relocations and symbols, and nothing else. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray/xray.h"

/* The few constants of the System V ABI that are needed here. */
enum {
	ELF_OBJECT = 1,
	ELF_SYMTAB = 2,
	ELF_RELA = 4,
	ELF_NOBITS = 8,
	ELF_REL = 9,
	ELF_DYNSYM = 11,
	ELF_EXECINSTR = 4,
	ELF_LOAD = 1,
	ELF_DYNAMIC = 2,
	DYNAMIC_STRTAB = 5,
	DYNAMIC_SYMTAB = 6,
	DYNAMIC_STRSZ = 10,
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
	unsigned machine, type;
	/* Section headers, and the section with their names. */
	uint64_t table, count, entry_size;
	uint64_t names, names_size;
	/* Program headers. */
	uint64_t segments, segment_count, segment_size;
	/* Relocations of the words of sleds, by place. */
	struct fixup *fixups;
	size_t fixup_count, fixup_capacity;
	/* Objects: their sleds, relocated, and where sections lie. */
	uint8_t *copy;
	uint64_t *bases;
};

struct section {
	uint64_t name, type, flags, address, offset, size, link, info, align;
};

/* What a relocation puts into the word at PLACE. */
struct fixup {
	uint64_t place, value;
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
		.flags = field(elf, at + 8, w),
		.address = field(elf, at + 8 + w, w),
		.offset = field(elf, at + 8 + 2 * w, w),
		.size = field(elf, at + 8 + 3 * w, w),
		.link = field(elf, at + 8 + 4 * w, 4),
		.info = field(elf, at + 12 + 4 * w, 4),
		.align = field(elf, at + 16 + 4 * w, w),
	};
}

static bool inside(const struct elf *elf, const struct section *s)
{
	return s->type != ELF_NOBITS && s->offset <= elf->file->size &&
	       s->size <= elf->file->size - s->offset;
}

/* Without a sound table of sections there is none. */
static void read_sections(struct elf *elf)
{
	uint64_t size = elf->file->size;
	unsigned w = elf->word;
	uint64_t rest = 24 + 3 * w + 4;
	elf->entry_size = field(elf, rest + 6, 2);
	elf->count = field(elf, rest + 8, 2);
	uint64_t names = field(elf, rest + 10, 2);
	if (!elf->table || elf->table > size || elf->entry_size < 16 + 6 * w) {
		elf->count = 0;
		return;
	}
	if (!elf->count)
		elf->count = section_at(elf, 0).size;
	if (names == 0xffff)
		names = section_at(elf, 0).link;
	if (elf->count > (size - elf->table) / elf->entry_size)
		elf->count = (size - elf->table) / elf->entry_size;
	if (names >= elf->count)
		return;
	struct section s = section_at(elf, names);
	if (!inside(elf, &s))
		return;
	elf->names = s.offset;
	elf->names_size = s.size;
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
	elf->type = field(elf, 16, 2);
	elf->machine = field(elf, 18, 2);
	elf->segments = field(elf, 24 + w, w);
	elf->table = field(elf, 24 + 2 * w, w);
	elf->segment_size = field(elf, 24 + 3 * w + 6, 2);
	elf->segment_count = field(elf, 24 + 3 * w + 8, 2);
	if (elf->segment_size < 8 + 6 * w)
		elf->segment_count = 0;
	read_sections(elf);
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

/* ---- relocations -------------------------------------------------------- */

/* The numbers of the relocations that matter: "add the load address", "the
 * address of a symbol", and "that, relative to here"; 0 where a machine has
 * none. */
static const struct machine {
	uint16_t machine, relative, absolute, here;
} machines[] = {
	{ MACHINE_386, 8, 1, 2 },
	{ MACHINE_PPC64, 22, 38, 44 },
	{ MACHINE_S390, 12, 22, 23 },
	{ MACHINE_ARM, 23, 2, 3 },
	{ MACHINE_X86_64, 8, 1, 24 },
	{ MACHINE_AARCH64, 1027, 257, 260 },
	{ MACHINE_RISCV, 3, 2, 0 },
	{ MACHINE_LOONGARCH, 3, 2, 109 },
};

static const struct machine *machine_of(const struct elf *elf)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].machine == elf->machine)
			return &machines[i];
	return NULL;
}

struct relocation {
	uint64_t place, type, symbol, addend;
	bool has_addend;
};

/* The relocation at AT of a section of TYPE. */
static struct relocation relocation_at(const struct elf *elf, uint64_t at,
				       uint64_t type)
{
	unsigned w = elf->word;
	uint64_t info = field(elf, at + w, w);
	return (struct relocation){
		.place = field(elf, at, w),
		.type = w == 8 ? info & UINT32_MAX : info & 0xff,
		.symbol = w == 8 ? info >> 32 : info >> 8,
		.addend = type == ELF_RELA ? field(elf, at + 2 * w, w) : 0,
		.has_addend = type == ELF_RELA,
	};
}

static unsigned relocation_size(const struct elf *elf, uint64_t type)
{
	return (type == ELF_RELA ? 3 : 2) * elf->word;
}

/* Whether S holds relocations.  Sections do not overlap: of a file that says
 * otherwise no more than LEFT bytes are read. */
static bool has_relocations(const struct elf *elf, const struct section *s,
			    uint64_t *left)
{
	if ((s->type != ELF_RELA && s->type != ELF_REL) || !inside(elf, s) ||
	    s->size > *left)
		return false;
	*left -= s->size;
	return true;
}

/* The value of symbol INDEX of the table in section LINK. */
static uint64_t symbol_value(const struct elf *elf, uint64_t link,
			     uint64_t index)
{
	unsigned w = elf->word, size = w == 8 ? 24 : 16;
	if (link >= elf->count)
		return 0;
	struct section s = section_at(elf, link);
	if (!inside(elf, &s) || index >= s.size / size)
		return 0;
	uint64_t at = s.offset + index * size;
	uint64_t home = field(elf, at + (w == 8 ? 6 : 14), 2);
	return field(elf, at + (w == 8 ? 8 : 4), w) +
	       (elf->bases && home < elf->count ? elf->bases[home] : 0);
}

static void add_fixup(struct elf *elf, uint64_t place, uint64_t value)
{
	if (elf->fixup_count == elf->fixup_capacity) {
		elf->fixup_capacity = elf->fixup_capacity
					      ? 2 * elf->fixup_capacity
					      : 1024;
		elf->fixups = realloc(elf->fixups, elf->fixup_capacity *
							   sizeof(*elf->fixups));
		if (!elf->fixups)
			die("out of memory");
	}
	elf->fixups[elf->fixup_count++] = (struct fixup){ place, value };
}

static int by_place(const void *a, const void *b)
{
	const struct fixup *x = a, *y = b;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Collect what the loader would put into the words of SECTION.  (REL files
 * have addends in place, where words that are not 0 stay as they are.) */
static void collect_fixups(struct elf *elf, const struct section *section)
{
	const struct machine *m = machine_of(elf);
	uint64_t left = elf->file->size;
	for (uint64_t i = 0; m && i < elf->count; i++) {
		struct section s = section_at(elf, i);
		if (!has_relocations(elf, &s, &left))
			continue;
		unsigned step = relocation_size(elf, s.type);
		for (uint64_t n = 0; n < s.size / step; n++) {
			struct relocation r = relocation_at(
				elf, s.offset + n * step, s.type);
			if (r.place - section->address >= section->size)
				continue;
			if (r.type == m->relative)
				add_fixup(elf, r.place, r.addend);
			else if (r.type == m->absolute)
				add_fixup(elf, r.place,
					  r.addend + symbol_value(elf, s.link,
								  r.symbol));
		}
	}
	if (elf->fixup_count)
		qsort(elf->fixups, elf->fixup_count, sizeof(*elf->fixups),
		      by_place);
}

static bool relocated(void *context, uint64_t address, uint64_t *value)
{
	const struct elf *elf = context;
	struct fixup key = { address, 0 };
	const struct fixup *found =
		elf->fixup_count ? bsearch(&key, elf->fixups,
					   elf->fixup_count, sizeof(key),
					   by_place)
				 : NULL;
	if (found)
		*value = found->value;
	return found;
}

/* ---- objects that are not linked ---------------------------------------- */

/* Where a conversion puts the code: each section behind the other. */
static void place_code(struct elf *elf)
{
	uint64_t end = 0;
	elf->bases = calloc(elf->count + 1, sizeof(*elf->bases));
	if (!elf->bases)
		die("out of memory");
	for (uint64_t i = 0; i < elf->count; i++) {
		struct section s = section_at(elf, i);
		if (!(s.flags & ELF_EXECINSTR))
			continue;
		uint64_t align = s.align ? s.align : 1;
		end += (align - end % align) % align;
		elf->bases[i] = end;
		end += s.size;
	}
}

/* Apply the relocation R of section LINK's symbols to the sleds that lie at
 * START of the copy and are SIZE bytes. */
static void apply(struct elf *elf, const struct relocation *r, uint64_t link,
		  uint64_t start, uint64_t size)
{
	const struct machine *m = machine_of(elf);
	unsigned w = elf->word;
	if (!m || r->place > size || w > size - r->place ||
	    (r->type != m->absolute && r->type != m->here))
		return;
	uint8_t *at = elf->copy + start + r->place;
	uint64_t value = symbol_value(elf, link, r->symbol) + r->addend;
	if (r->type == m->here)
		value -= start + r->place;
	for (unsigned i = 0; !r->has_addend && i < w; i++)
		value += (uint64_t)at[i] << 8 * (elf->big ? w - 1 - i : i);
	for (unsigned i = 0; i < w; i++)
		at[i] = value >> 8 * (elf->big ? w - 1 - i : i);
}

/* Apply all relocations to the sleds of the sections that lie at STARTS of the
 * copy. */
static void relocate_sleds(struct elf *elf, const uint64_t *starts)
{
	uint64_t left = elf->file->size;
	for (uint64_t i = 0; i < elf->count; i++) {
		struct section s = section_at(elf, i);
		if (!has_relocations(elf, &s, &left) || s.info >= elf->count ||
		    starts[s.info] == UINT64_MAX)
			continue;
		uint64_t size = section_at(elf, s.info).size;
		unsigned step = relocation_size(elf, s.type);
		for (uint64_t n = 0; n < s.size / step; n++) {
			struct relocation r = relocation_at(
				elf, s.offset + n * step, s.type);
			apply(elf, &r, s.link, starts[s.info], size);
		}
	}
}

/* All sleds of an object, each function's in a section of its own. */
static bool object_sleds(struct elf *elf, struct gsym_xray_section *ret)
{
	uint64_t *starts = calloc(elf->count + 1, sizeof(*starts)), size = 0;
	elf->copy = malloc(elf->file->size);
	if (!elf->copy || !starts)
		die("out of memory");
	place_code(elf);
	for (uint64_t i = 0; i < elf->count; i++) {
		struct section s = section_at(elf, i);
		starts[i] = UINT64_MAX;
		if (!has_name(elf, &s, "xray_instr_map") || !inside(elf, &s) ||
		    s.size > elf->file->size - size)
			continue;
		memcpy(elf->copy + size, elf->file->data + s.offset, s.size);
		starts[i] = size;
		size += s.size;
	}
	relocate_sleds(elf, starts);
	free(starts);
	ret->data = elf->copy;
	ret->size = size;
	return size > 0;
}

/* ---- programs without names of sections ---------------------------------- */

/* Where ADDRESS is in the file; UINT64_MAX if nowhere. */
static uint64_t offset_of(const struct elf *elf, uint64_t address)
{
	unsigned w = elf->word;
	for (uint64_t i = 0; i < elf->segment_count; i++) {
		uint64_t at = elf->segments + i * elf->segment_size;
		uint64_t start = field(elf, at + 2 * w, w);
		if (field(elf, at, 4) != ELF_LOAD ||
		    address - start >= field(elf, at + (w == 8 ? 32 : 16), w))
			continue;
		return field(elf, at + (w == 8 ? 8 : 4), w) + address - start;
	}
	return UINT64_MAX;
}

/* The bounds of the sleds by the symbols that linkers define for them. */
struct bounds {
	uint64_t start, stop;
	bool has_start, has_stop;
};

static void find_bounds(const struct elf *elf, uint64_t symbols,
			uint64_t count, uint64_t names, uint64_t names_size,
			struct bounds *ret)
{
	static const char start[] = "__start_xray_instr_map",
			  stop[] = "__stop_xray_instr_map";
	unsigned w = elf->word, size = w == 8 ? 24 : 16;
	const uint8_t *text = elf->file->data + names;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = symbols + i * size, name = field(elf, at, 4);
		uint64_t left = name < names_size ? names_size - name : 0;
		if (left >= sizeof(start) &&
		    !memcmp(text + name, start, sizeof(start))) {
			ret->start = field(elf, at + (w == 8 ? 8 : 4), w);
			ret->has_start = true;
		}
		if (left >= sizeof(stop) &&
		    !memcmp(text + name, stop, sizeof(stop))) {
			ret->stop = field(elf, at + (w == 8 ? 8 : 4), w);
			ret->has_stop = true;
		}
	}
}

/* The same in the symbols that the loader reads.  Their number is in no
 * header; linkers put their names right behind them. */
static void find_dynamic(const struct elf *elf, struct bounds *ret)
{
	unsigned w = elf->word;
	uint64_t symbols, names, names_size;
	uint64_t i = 0, at = elf->segments, values[DYNAMIC_STRSZ + 1] = { 0 };
	/* There is one such segment, and one of each entry. */
	while (i < elf->segment_count && field(elf, at, 4) != ELF_DYNAMIC)
		at = elf->segments + ++i * elf->segment_size;
	if (i == elf->segment_count)
		return;
	uint64_t entry = field(elf, at + (w == 8 ? 8 : 4), w);
	uint64_t n = field(elf, at + (w == 8 ? 32 : 16), w) / (2 * w);
	for (; n && field(elf, entry, w); n--, entry += 2 * w)
		if (field(elf, entry, w) <= DYNAMIC_STRSZ)
			values[field(elf, entry, w)] =
				field(elf, entry + w, w);
	symbols = offset_of(elf, values[DYNAMIC_SYMTAB]);
	names = offset_of(elf, values[DYNAMIC_STRTAB]);
	names_size = values[DYNAMIC_STRSZ];
	if (names <= elf->file->size && symbols < names &&
	    names_size <= elf->file->size - names)
		find_bounds(elf, symbols, (names - symbols) / (w == 8 ? 24 : 16),
			    names, names_size, ret);
}

static bool sleds_by_symbol(const struct elf *elf,
			    struct gsym_xray_section *ret)
{
	struct bounds b = { 0 };
	uint64_t left = elf->file->size;
	for (uint64_t i = 0; i < elf->count; i++) {
		struct section s = section_at(elf, i);
		if ((s.type != ELF_SYMTAB && s.type != ELF_DYNSYM) ||
		    !inside(elf, &s) || s.link >= elf->count || s.size > left)
			continue;
		left -= s.size;
		struct section names = section_at(elf, s.link);
		if (inside(elf, &names))
			find_bounds(elf, s.offset,
				    s.size / (elf->word == 8 ? 24 : 16),
				    names.offset, names.size, &b);
	}
	if (!b.has_start || !b.has_stop)
		find_dynamic(elf, &b);
	uint64_t offset = offset_of(elf, b.start);
	if (!b.has_start || !b.has_stop || b.stop < b.start ||
	    offset > elf->file->size || b.stop - b.start >
						elf->file->size - offset)
		return false;
	ret->data = elf->file->data + offset;
	ret->size = b.stop - b.start;
	ret->address = b.start;
	return true;
}

/* ---- what others see ----------------------------------------------------- */

/* The section NAME. */
static bool find_section(const struct elf *elf, const char *name,
			 struct gsym_xray_section *ret)
{
	for (uint64_t i = 0; i < elf->count; i++) {
		struct section s = section_at(elf, i);
		if (!has_name(elf, &s, name))
			continue;
		if (!inside(elf, &s))
			die("cannot read '%s': section %s at offset 0x%" PRIx64
			    " reaches beyond the file", elf->file->path, name,
			    s.offset);
		ret->data = elf->file->data + s.offset;
		ret->size = s.size;
		ret->address = s.address;
		return true;
	}
	return false;
}

bool xray_elf_sections(const struct xray_bytes *file,
		       struct xray_sections *ret)
{
	struct elf header = { .file = file }, *elf;
	if (!read_header(&header))
		return false;
	elf = ret->format = malloc(sizeof(*elf));
	if (!elf)
		die("out of memory");
	*elf = header;
	ret->sleds.word = elf->word;
	ret->sleds.big_endian = elf->big;
	ret->index = ret->sleds;
	if (elf->type == ELF_OBJECT) {
		ret->has_sleds = object_sleds(elf, &ret->sleds);
		return true;
	}
	ret->has_sleds = find_section(elf, "xray_instr_map", &ret->sleds) ||
			 sleds_by_symbol(elf, &ret->sleds);
	ret->has_index = find_section(elf, "xray_fn_idx", &ret->index);
	const struct gsym_xray_section *const both[] = { &ret->sleds,
							 &ret->index };
	for (int i = 0; i < 2; i++)
		if (both[i]->size) {
			struct section s = { .address = both[i]->address,
					     .size = both[i]->size };
			collect_fixups(elf, &s);
		}
	ret->sleds.relocated = ret->index.relocated = relocated;
	ret->sleds.context = ret->index.context = elf;
	return true;
}

void xray_elf_done(struct xray_sections *sections)
{
	struct elf *elf = sections->format;
	if (!elf)
		return;
	free(elf->fixups);
	free(elf->copy);
	free(elf->bases);
	free(elf);
	sections->format = NULL;
}
