/* SPDX-License-Identifier: MIT */
/*
 * Names of the stubs in procedure linkage tables (PLT): "puts@plt".
 *
 * A stub loads the address that it jumps to from a slot of the global offset
 * table, and a relocation says of which symbol the loader writes the address
 * there.  Stubs are matched with relocations by the slot, so the layout of the
 * table, which differs from linker to linker, does not matter.
 */
#include "elf/elf.h"

#include "base/error.h"
#include "base/order.h"

#include <stdlib.h>

/* ---- instructions of stubs ----------------------------------------------- */

/* A stub that is read, instruction by instruction: from where it loads the
 * address that it jumps to. */
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

/* ---- stubs and relocations ----------------------------------------------- */

/* The names of all stubs together may have SHARE times the bytes of the dynamic
 * symbols, and SPARE bytes more: many symbols may share a long name. */
enum { SHARE = 16, SPARE = 1 << 20 };

/* What stubs are matched with. */
struct stubs {
	struct elf_file *file;
	/* Slots, and the number of the dynamic symbol of each.  With EXTRA it
	 * is the number of a symbol of the container, from 1 on; 0: none. */
	GSYM_VEC_OF(struct gsym_sort_item) slots;
	/* Addresses of functions that choose what a slot gets, and the number
	 * of the slot of each. */
	GSYM_VEC_OF(struct gsym_sort_item) choosers;
	/* Addresses that symbols have in a PLT, ascending. */
	GSYM_VEC_OF(struct gsym_sort_item) named;
	struct elfview_table symbols;
	struct gsym_budget names;
	/* Bytes of relocations and of code that may still be read: section
	 * headers of a hostile file may share bytes. */
	struct gsym_budget bytes;
};

bool gsym_elf_is_plt(const struct gsym_container_section *s)
{
	return s->loaded && s->executable &&
	       (!strncmp(s->name, ".plt", 4) || !strcmp(s->name, ".iplt"));
}

/* Whether S is a PLT with its bytes. */
static bool is_plt(const struct gsym_container_section *s)
{
	return s->data && s->size <= UINT64_MAX - s->address &&
	       gsym_elf_is_plt(s);
}

static bool has_plt(const struct gsym_container *c)
{
	for (size_t i = 0; i < c->sections.count; i++)
		if (is_plt(&c->sections.items[i]))
			return true;
	return false;
}

/* ---- relocations --------------------------------------------------------- */

/* Whether relocation TYPE writes the address of a function to a slot: the types
 * JUMP_SLOT and GLOB_DAT. */
static bool fills_slot(const struct elfview *v, uint32_t type)
{
	switch (v->machine) {
	case EM_X86_64:
	case EM_386:
		return type == 6 || type == 7;
	case EM_ARM:
		return type == 21 || type == 22;
	case EM_AARCH64:
		return type == 1025 || type == 1026;
	case EM_RISCV: /* R_RISCV_32 and _64 stand for GLOB_DAT */
		return type == 5 || type == (v->wide ? 2 : 1);
	}
	return false;
}

/* The word of V's class at AT. */
static uint64_t load_word(const struct elfview *v, const uint8_t *at)
{
	return v->wide ? gsym_load_u64(at, v->swap)
		       : gsym_load_u32(at, v->swap);
}

/* The type IRELATIVE: the loader calls the function whose address is the
 * addend, and writes to the slot what it returns.  UINT32_MAX: not known. */
static uint32_t choice(const struct elfview *v)
{
	switch (v->machine) {
	case EM_X86_64:
		return 37;
	case EM_AARCH64:
		return 1032;
	case EM_RISCV:
		return 58;
	}
	return UINT32_MAX;
}

/* Append the slot SLOT, which the function at CHOOSER fills. */
static bool add_choice(struct stubs *stubs, uint64_t slot, uint64_t chooser)
{
	const uint32_t number = (uint32_t)stubs->slots.count;

	return stubs->slots.count < UINT32_MAX - 1 &&
	       gsym_vec_add(&stubs->slots,
			    (struct gsym_sort_item){ slot, 0, 1 }) &&
	       gsym_vec_add(&stubs->choosers,
			    (struct gsym_sort_item){ chooser, number, 0 });
}

/* Append the slots that S, relocations of dynamic symbols, fills. */
static bool read_relocations(struct stubs *stubs,
			     const struct elfview_section *s)
{
	const struct elfview *v = &stubs->file->view;
	unsigned word = elfview_word(v);
	unsigned size = (s->type == SHT_RELA ? 3 : 2) * word;
	const uint8_t *at = v->bytes + s->offset;

	for (uint64_t left = s->size / size; left; left--, at += size) {
		uint64_t info = load_word(v, at + word);
		uint64_t number = info >> (v->wide ? 32 : 8);
		uint32_t type = (uint32_t)(v->wide ? info : info & 0xff);

		if (type == choice(v) && s->type == SHT_RELA &&
		    !add_choice(stubs, load_word(v, at),
				load_word(v, at + 2 * word)))
			return false;
		if (!number || number >= stubs->symbols.count ||
		    !fills_slot(v, type))
			continue;
		if (!gsym_vec_add(&stubs->slots, (struct gsym_sort_item){
							 load_word(v, at),
							 (uint32_t)number, 0 }))
			return false;
	}
	return true;
}

/* Whether section NUMBER of the relocations has slots of stubs.  Those of .plt
 * and .plt.sec are in a section of their own, but those of .plt.got are among
 * all others, which large libraries have hundreds of thousands of. */
static bool has_slots(const struct gsym_container *c, size_t number)
{
	const char *name = c->sections.items[number].name;

	return gsym_container_section(c, ".plt.got") ||
	       !strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt");
}

/* Whether A and B are one name.  Many symbols of a hostile file may have ends
 * of one long name, so long names are never the same. */
static bool is_same(const char *a, const char *b)
{
	enum { LONGEST = 4096 };

	return a == b || (strnlen(a, LONGEST) < LONGEST && !strcmp(a, b));
}

/* Note that symbol NUMBER of the container has the address of a chooser: the
 * slots whose chooser it is get it, unless they have one of another name. */
static void name_choice(struct stubs *stubs, size_t number)
{
	const struct gsym_symbol *symbols =
		stubs->file->container->symbols.items;
	const struct gsym_sort_item *by = stubs->choosers.items;
	size_t count = stubs->choosers.count;
	size_t at = GSYM_FIRST(i, 0, count,
			       by[i].key >= symbols[number].value);
	struct gsym_sort_item *slot;

	if (at == count || by[at].key != symbols[number].value)
		return;
	slot = &stubs->slots.items[by[at].index];
	if (!slot->index)
		slot->index = (uint32_t)number + 1;
	else if (!is_same(symbols[slot->index - 1].name, symbols[number].name))
		slot->extra = 2;
}

/* Give the slots with a chooser the function of which it is the symbol.  The
 * symbols of several functions may have one chooser: then which of them a stub
 * means is not known.  Local symbols do not count. */
static bool name_choices(struct stubs *stubs)
{
	const struct gsym_container *c = stubs->file->container;
	struct gsym_sort_item *by = stubs->choosers.items;

	if (!stubs->choosers.count || c->symbols.count >= UINT32_MAX)
		return true;
	if (!gsym_sort_items(by, stubs->choosers.count))
		return false;
	for (size_t i = 0; i < c->symbols.count; i++)
		if (c->symbols.items[i].type == GSYM_SYMBOL_FUNCTION &&
		    c->symbols.items[i].binding != GSYM_SYMBOL_LOCAL)
			name_choice(stubs, i);
	/* The first of the slots with one chooser has its name. */
	for (size_t i = 1; i < stubs->choosers.count; i++)
		if (by[i].key == by[i - 1].key) {
			const struct gsym_sort_item *first =
				&stubs->slots.items[by[i - 1].index];

			stubs->slots.items[by[i].index].index = first->index;
			stubs->slots.items[by[i].index].extra = first->extra;
		}
	return true;
}

/* Fill in the slots and the symbols.  False without memory. */
static bool read_slots(struct stubs *stubs)
{
	const struct elfview *v = &stubs->file->view;
	size_t table = gsym_elfview_find(v, ELFVIEW_DYNSYM, 0);

	if (!gsym_elfview_table(v, ELFVIEW_DYNSYM, &stubs->symbols))
		return true;
	stubs->names.limit = SHARE * (stubs->symbols.count *
					      stubs->symbols.entry_size +
				      stubs->symbols.strings.limit) +
			     SPARE;
	for (size_t i = 1; i < v->section_count; i++) {
		struct elfview_section s = gsym_elfview_section(v, i);

		if ((s.type != SHT_RELA && s.type != SHT_REL) ||
		    s.link != table || !elfview_in_file(v, &s) ||
		    !has_slots(stubs->file->container, i) ||
		    !gsym_budget_take(&stubs->bytes, s.size))
			continue;
		if (!read_relocations(stubs, &s))
			return false;
	}
	return name_choices(stubs) &&
	       gsym_sort_items(stubs->slots.items, stubs->slots.count);
}

/* The name of the function whose address SLOT has; NULL if none is known, or
 * several are. */
static const char *name_of(struct stubs *stubs, uint64_t slot)
{
	const struct gsym_sort_item *items = stubs->slots.items;
	size_t count = stubs->slots.count;
	size_t at = GSYM_FIRST(i, 0, count, items[i].key >= slot);
	struct elfview_symbol symbol;
	const char *name;

	if (at == count || items[at].key != slot ||
	    (at + 1 < count && items[at + 1].key == slot &&
	     (items[at + 1].index != items[at].index ||
	      items[at + 1].extra != items[at].extra)))
		return NULL;
	if (items[at].extra)
		return items[at].extra == 1 && items[at].index
			       ? stubs->file->container->symbols
					 .items[items[at].index - 1]
					 .name
			       : NULL;
	symbol = elfview_entry(&stubs->file->view, &stubs->symbols,
			       items[at].index);
	name = elfview_string(&stubs->symbols.strings, symbol.name);
	return name && *name ? name : NULL;
}

/* ---- stubs --------------------------------------------------------------- */

/* Fill in the addresses in a PLT that symbols name already.  False without
 * memory. */
static bool find_named(struct stubs *stubs)
{
	const struct gsym_container *c = stubs->file->container;
	/* The section of a symbol is that of the one before it, as a rule. */
	size_t last = GSYM_NO_SECTION;
	bool in_plt = false;

	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (s->section != last) {
			last = s->section;
			in_plt = last < c->sections.count &&
				 is_plt(&c->sections.items[last]);
		}
		if (!in_plt || s->type == GSYM_SYMBOL_OBJECT ||
		    s->type == GSYM_SYMBOL_OTHER)
			continue;
		if (!gsym_vec_add(&stubs->named,
				  (struct gsym_sort_item){ s->value, 0, 0 }))
			return false;
	}
	return gsym_sort_items(stubs->named.items, stubs->named.count);
}

/* Whether a symbol is at an address of RANGE. */
static bool is_named(const struct stubs *stubs, struct gsym_range range)
{
	const struct gsym_sort_item *items = stubs->named.items;
	size_t at = GSYM_FIRST(i, 0, stubs->named.count,
			       items[i].key >= range.start);

	return at < stubs->named.count && items[at].key < range.end;
}

/* Append the symbol of the stub RANGE in section NUMBER, which jumps to the
 * function NAME.  False without memory. */
static bool put_stub(struct stubs *stubs, size_t number,
		     struct gsym_range range, const char *name)
{
	static const char suffix[] = "@plt";
	struct gsym_container *c = stubs->file->container;
	size_t length = strlen(name);
	char *text;

	if (!gsym_budget_take(&stubs->names, length))
		return true;
	text = gsym_arena_alloc(&c->arena, length + sizeof(suffix));
	if (!text)
		return false;
	memcpy(text, name, length);
	memcpy(text + length, suffix, sizeof(suffix));
	return gsym_vec_add(&c->symbols,
			    (struct gsym_symbol){
				    .name = text,
				    .value = range.start,
				    .size = range.end - range.start,
				    .section = gsym_symbol_home(number),
				    .stub = true,
				    .type = GSYM_SYMBOL_FUNCTION,
				    .binding = GSYM_SYMBOL_LOCAL,
			    });
}

/* The code of section NUMBER, whose stubs count from GOT on i386. */
static struct elf_plt plt_of(const struct stubs *stubs, size_t number,
			     uint64_t got)
{
	const struct gsym_container_section *s =
		&stubs->file->container->sections.items[number];

	return (struct elf_plt){
		.machine = stubs->file->view.machine,
		.wide = stubs->file->view.wide,
		.bytes = s->data,
		.size = s->data_size,
		.address = s->address,
		.got = got,
	};
}

/* Append the symbols of the stubs in section NUMBER.  GOT is as for plt_of.
 * False without memory. */
static bool read_plt(struct stubs *stubs, size_t number, uint64_t got)
{
	const struct gsym_container_section *s =
		&stubs->file->container->sections.items[number];
	const struct elf_plt plt = plt_of(stubs, number, got);
	struct elf_plt_stub stub;
	uint64_t at = 0;

	while (!stubs->names.exceeded && gsym_elf_plt_stub(&plt, &at, &stub)) {
		struct gsym_range range = { s->address + stub.start,
					    s->address + stub.end };
		const char *name = name_of(stubs, stub.slot);

		if (name && !is_named(stubs, range) &&
		    !put_stub(stubs, number, range, name))
			return false;
	}
	return true;
}

/* The number of stubs in all PLTs whose function is known if they count from
 * GOT. */
static size_t count_known(struct stubs *stubs, uint64_t got)
{
	const struct gsym_container *c = stubs->file->container;
	size_t count = 0;

	for (size_t i = 0; i < c->sections.count; i++) {
		struct elf_plt plt = plt_of(stubs, i, got);
		struct elf_plt_stub stub;
		uint64_t at = 0;

		if (!is_plt(&c->sections.items[i]) ||
		    !gsym_budget_take(&stubs->bytes, plt.size))
			continue;
		while (gsym_elf_plt_stub(&plt, &at, &stub))
			count += name_of(stubs, stub.slot) != NULL;
	}
	return count;
}

/* What stubs of i386 in programs for any load address count from: most linkers
 * take the start of .got.plt, mold that of .got.  The one with which more stubs
 * have a known function is right.  0: neither is. */
static uint64_t find_got(struct stubs *stubs)
{
	static const char *const names[] = { ".got.plt", ".got" };
	const struct gsym_container *c = stubs->file->container;
	size_t most = 0;
	uint64_t got = 0;

	for (size_t i = 0; i < 2 && stubs->file->view.machine == EM_386; i++) {
		const struct gsym_container_section *s =
			gsym_container_section(c, names[i]);
		size_t count = s ? count_known(stubs, s->address) : 0;

		if (count > most) {
			most = count;
			got = s->address;
		} else if (count == most) {
			got = 0;
		}
	}
	return got;
}

/* gsym_elf_read_stubs, but for the parts of STUBS that are freed. */
static bool read_all(struct stubs *stubs)
{
	struct gsym_container *c = stubs->file->container;
	uint64_t got;

	if (!read_slots(stubs))
		return false;
	if (!stubs->slots.count)
		return true;
	if (!find_named(stubs))
		return false;
	got = find_got(stubs);
	for (size_t i = 0; i < c->sections.count; i++)
		if (is_plt(&c->sections.items[i]) &&
		    gsym_budget_take(&stubs->bytes,
				     c->sections.items[i].data_size) &&
		    !read_plt(stubs, i, got))
			return false;
	if (stubs->names.exceeded)
		gsym_container_warn(c, GSYM_WARN_WORK_LIMIT,
				    "names of stubs take many times the size "
				    "of the dynamic symbols: the stubs that "
				    "follow are left out");
	return true;
}

bool gsym_elf_read_stubs(struct elf_file *file)
{
	/* The code of i386 is read three times. */
	struct stubs stubs = { .file = file,
			       .bytes.limit = 3 * (uint64_t)file->view.size };
	bool ok;

	/* Code of big-endian ARM may be in either byte order. */
	if (file->container->relocatable || !has_plt(file->container) ||
	    (file->view.machine == EM_ARM && file->container->big_endian))
		return true;
	ok = read_all(&stubs);
	gsym_vec_fini(&stubs.slots);
	gsym_vec_fini(&stubs.choosers);
	gsym_vec_fini(&stubs.named);
	return ok;
}
