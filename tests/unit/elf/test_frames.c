/* SPDX-License-Identifier: MIT */
/* Functions of .eh_frame. */
#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODE = SHF_ALLOC | SHF_EXECINSTR, TEXT = 0x1000, FRAMES = 0x4000 };

/* A table in the making, for a program of 32 or 64 bits. */
struct table {
	uint8_t bytes[1024];
	size_t size;
	size_t open; /* where the entry that is being made begins */
	size_t cie;  /* where the last CIE begins */
	bool big, wide;
	bool long_form; /* lengths of 64 bits */
};

static void put(struct table *t, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		t->bytes[t->size + (t->big ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
	t->size += size;
}

/* Begin an entry, whose length is filled in by end(). */
static void begin(struct table *t)
{
	t->open = t->size;
	if (t->long_form)
		put(t, UINT32_MAX, 4);
	put(t, 0, t->long_form ? 8 : 4);
}

static void end(struct table *t)
{
	unsigned size = t->long_form ? 8 : 4;
	size_t at = t->open + (t->long_form ? 4 : 0), after = t->size;

	t->size = at;
	put(t, after - at - size, size);
	t->size = after;
}

/* A CIE of VERSION with the text AUGMENTATION, whose data are the SIZE bytes at
 * DATA. */
static void cie(struct table *t, unsigned version, const char *augmentation,
		const char *data, size_t size)
{
	t->cie = t->size;
	begin(t);
	put(t, 0, 4);
	put(t, version, 1);
	memcpy(t->bytes + t->size, augmentation, strlen(augmentation) + 1);
	t->size += strlen(augmentation) + 1;
	put(t, 1, 1);	 /* code alignment */
	put(t, 0x78, 1); /* data alignment: -8 */
	put(t, 16, 1);	 /* return address */
	if (*augmentation == 'z')
		put(t, size, 1);
	memcpy(t->bytes + t->size, data, size);
	t->size += size;
	end(t);
}

/* An FDE of the last CIE, with START (from the place itself if RELATIVE) and
 * LENGTH in SIZE bytes. */
static void fde(struct table *t, bool relative, unsigned size, uint64_t start,
		uint64_t length)
{
	begin(t);
	put(t, t->size - t->cie, 4);
	put(t, relative ? start - (FRAMES + t->size) : start, size);
	put(t, length, size);
	put(t, 0, 1);
	end(t);
}

/* The functions of a program with T as .eh_frame, as text.  It has a symbol of
 * code that has SYMBOL bytes, unless SYMBOL is negative. */
static const char *functions_with(const struct table *t, bool eh_frame,
				  int symbol)
{
	static const uint8_t code[0x200];
	static char text[512];
	const struct gsym_convert_options options = { .threads = 1,
						      .eh_frame = eh_frame };
	struct elfb *b = elfb_new(t->wide ? 64 : 32, t->big, ET_DYN,
				  t->wide ? EM_X86_64 : EM_386);
	struct gsym_container *c = NULL;
	size_t size, at = 0;
	uint8_t *bytes;

	elfb_section(b, ".text", SHT_PROGBITS, CODE, TEXT, code, 0x100);
	elfb_section(b, ".plt", SHT_PROGBITS, CODE, TEXT + 0x100, code, 0x100);
	elfb_section(b, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, FRAMES, t->bytes,
		     t->size);
	if (symbol >= 0)
		elfb_symbol(b, &(struct elfb_symbol){
			.name = "f", .value = TEXT, .type = STT_FUNC,
			.size = (uint64_t)symbol, .section = 1 });
	bytes = elfb_finish(b, &size);
	elfb_free(b);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, &options, &c, NULL),
		     GSYM_OK);
	text[0] = '\0';
	for (size_t i = 0; i < c->functions.count; i++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "%x-%x ",
			(unsigned)c->functions.items[i].start,
			(unsigned)c->functions.items[i].end);
	gsym_container_free(c);
	free(bytes);
	return text;
}

static const char *functions_of(const struct table *t, bool eh_frame)
{
	return functions_with(t, eh_frame, -1);
}

static void expect(const struct table *t, const char *wanted, const char *what)
{
	cr_expect_str_eq(functions_of(t, true), wanted, "%s", what);
}

/* Both classes and byte orders, lengths of 32 and 64 bits. */
Test(frames, forms)
{
	for (unsigned i = 0; i < 8; i++) {
		struct table t = { .wide = i & 1, .big = i & 2,
				   .long_form = i & 4 };

		cie(&t, 1, "zR", "\x1b", 1);
		fde(&t, true, 4, TEXT, 0x10);
		fde(&t, true, 4, TEXT + 0x20, 0x18);
		cie(&t, 1, "", "", 0);
		fde(&t, false, t.wide ? 8 : 4, TEXT + 0x40, 4);
		put(&t, 0, 4);
		/* After the end. */
		fde(&t, false, t.wide ? 8 : 4, TEXT + 0x50, 4);
		expect(&t, "1000-1010 1020-1038 1040-1044 ", "forms");
		/* Without need it is not read: symbols without size end. */
		cr_expect_str_eq(functions_of(&t, false), "");
		cr_expect_str_eq(functions_with(&t, false, 4), "");
		cr_expect_str_eq(functions_with(&t, false, 0),
				 "1000-1010 1020-1038 1040-1044 ");
	}
}

/* Encodings of addresses, and what stands beside them in a CIE. */
Test(frames, encodings)
{
	static const struct {
		unsigned version;
		const char *augmentation;
		size_t size;
		const char *data;
		unsigned bytes; /* of an address; 0: not known */
		bool relative;
	} rows[] = {
		{ 1, "zR", 1, "\x00", 8, false },
		{ 3, "zR", 1, "\x03", 4, false },
		{ 1, "zR", 1, "\x02", 2, false },
		{ 1, "zR", 1, "\x0a", 2, false },
		{ 1, "zR", 1, "\x04", 8, false },
		{ 1, "zR", 1, "\x1c", 8, true },
		{ 1, "zPLR", 7, "\x9b\1\2\3\4\x1b\x1b", 4, true },
		{ 1, "zRS", 1, "\x1b", 4, true },
		{ 1, "zSBR", 1, "\x1b", 4, true },
		{ 1, "z", 0, "", 8, false },
		/* From the data section, indirect, of no form. */
		{ 1, "zR", 1, "\x3b", 0, true },
		{ 1, "zR", 1, "\x9b", 0, true },
		{ 1, "zR", 1, "\x1f", 0, true },
		/* Other versions and texts. */
		{ 4, "zR", 1, "\x1b", 0, true },
		{ 1, "zXR", 1, "\x1b", 0, true },
		{ 1, "eh", 0, "", 0, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct table t = { .wide = true };
		char what[16];

		snprintf(what, sizeof(what), "row %zu", i);
		cie(&t, rows[i].version, rows[i].augmentation, rows[i].data,
		    rows[i].size);
		fde(&t, rows[i].relative, rows[i].bytes ? rows[i].bytes : 4,
		    TEXT + 8, 8);
		expect(&t, rows[i].bytes ? "1008-1010 " : "", what);
	}
}

/* The order, repeated and overlapping entries, code that ends, and PLTs. */
Test(frames, order)
{
	struct table t = { .wide = true };

	cie(&t, 1, "zR", "\x1b", 1);
	fde(&t, true, 4, TEXT + 0x40, 0x10);
	fde(&t, true, 4, TEXT, 0x20);
	fde(&t, true, 4, TEXT + 0x10, 0x10);
	fde(&t, true, 4, TEXT + 0x40, 0x8);
	fde(&t, true, 4, TEXT + 0xf0, 0x80);  /* reaches into the PLT */
	fde(&t, true, 4, TEXT + 0x100, 0x80); /* the PLT */
	fde(&t, true, 4, TEXT + 0x800, 0x10); /* no code */
	fde(&t, true, 4, TEXT + 0x60, 0);
	expect(&t, "1000-1010 1010-1020 1040-1048 10f0-1100 ", "order");
}

/* Cut off anywhere, and with each byte changed, it is read to its end. */
Test(frames, damage)
{
	struct table t = { .wide = true }, copy;

	cie(&t, 1, "zR", "\x1b", 1);
	fde(&t, true, 4, TEXT, 0x10);
	fde(&t, true, 4, TEXT + 0x20, 0x10);
	for (size_t i = 0; i < t.size; i++) {
		copy = t;
		copy.size = i;
		functions_of(&copy, true);
		for (unsigned k = 1; k < 256; k *= 2) {
			copy = t;
			copy.bytes[i] ^= (uint8_t)k;
			functions_of(&copy, true);
		}
		copy = t;
		memset(copy.bytes + i, 0xff, t.size - i);
		functions_of(&copy, true);
	}
	/* A CIE before the table, and an FDE in place of one. */
	copy = t;
	copy.cie = (size_t)-64;
	fde(&copy, true, 4, TEXT + 0x40, 0x10);
	copy.cie = t.open;
	fde(&copy, true, 4, TEXT + 0x60, 0x10);
	expect(&copy, "1000-1010 1020-1030 ", "damage");
}
