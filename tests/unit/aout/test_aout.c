/* SPDX-License-Identifier: MIT */
/* Programs of Plan 9: addresses of their parts, and damage. */
#include "config.h"

#include "aout/aout.h"
#include "container/input.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 0x30, DATA = 0x20, BSS = 0x100, LINES = 5, STACK = 3 };

struct file {
	uint8_t bytes[1024];
	size_t size;
};

static void put(struct file *f, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		f->bytes[f->size++] = (uint8_t)(value >> 8 * (size - 1 - i));
}

static void symbol(struct file *f, unsigned width, uint64_t value, char kind,
		   const char *name)
{
	put(f, value, width);
	put(f, (uint8_t)kind | 0x80, 1);
	memcpy(f->bytes + f->size, name, strlen(name) + 1);
	f->size += strlen(name) + 1;
}

/* Make a program whose text is bytes of 1, whose data are bytes of 2, and so
 * on. */
static void make(struct file *f, uint32_t magic, uint64_t text, uint64_t data)
{
	bool wide = magic & 0x8000;
	unsigned width = wide ? 8 : 4;
	struct file table = { .size = 0 };

	symbol(&table, width, text, 'T', "main.main");
	symbol(&table, width, text + 0x10, 'l', "main.leaf");
	symbol(&table, width, text + TEXT - 1, 'T', "etext");
	symbol(&table, width, data + 8, 'D', "main.data");
	symbol(&table, width, data + DATA + 4, 'b', "main.bss");
	symbol(&table, width, 8, 'a', "argument");
	f->size = 0;
	put(f, magic, 4);
	put(f, TEXT, 4);
	put(f, DATA, 4);
	put(f, BSS, 4);
	put(f, table.size, 4);
	put(f, wide ? 0 : text + 4, 4);
	put(f, STACK, 4);
	put(f, LINES, 4);
	if (wide)
		put(f, text + 4, 8);
	memset(f->bytes + f->size, 1, TEXT);
	memset(f->bytes + f->size + TEXT, 2, DATA);
	f->size += TEXT + DATA;
	memcpy(f->bytes + f->size, table.bytes, table.size);
	f->size += table.size;
	memset(f->bytes + f->size, 3, STACK);
	memset(f->bytes + f->size + STACK, 4, LINES);
	f->size += STACK + LINES;
}

static struct gsym_container *load(const struct file *f)
{
	struct gsym_container *c = NULL;

	cr_assert(gsym_aout_input.matches(f->bytes, f->size));
	cr_assert_eq(gsym_container_load(&gsym_aout_input, f->bytes, f->size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	return c;
}

static void check_section(const struct gsym_container *c, const char *name,
			  uint64_t address, uint64_t size, uint8_t first)
{
	const struct gsym_container_section *s =
		gsym_container_section(c, name);

	cr_assert(s, "%s", name);
	cr_assert_eq(s->address, address, "%s", name);
	cr_assert_eq(s->size, size, "%s", name);
	cr_assert_eq(s->loaded, address != 0, "%s", name);
	if (!first)
		cr_assert_eq(s->data_size, 0, "%s", name);
	else
		cr_assert_eq(s->data[0], first, "%s", name);
	if (first)
		cr_assert_eq(s->data[s->data_size - 1], first, "%s", name);
}

Test(aout, machines)
{
	static const struct {
		uint32_t magic;
		const char *name;
		uint64_t text, data;
	} all[] = {
		{ 0x01eb, "i386", 0x1020, 0x2000 },
		{ 0x8a97, "x86_64", 0x200028, 0x400000 },
		{ 0x0647, "arm", 0x1020, 0x2000 },
		{ 0x8c47, "aarch64", 0x10028, 0x20000 },
	};

	for (size_t i = 0; i < 4; i++) {
		struct gsym_container *c;
		struct file f;

		make(&f, all[i].magic, all[i].text, all[i].data);
		c = load(&f);
		cr_assert_str_eq(c->architecture, all[i].name);
		cr_assert_eq(c->address_size, i % 2 ? 8 : 4);
		cr_assert_not(c->big_endian);
		cr_assert_eq(c->entry, all[i].text + 4);
		cr_assert_eq(c->warnings.count, 0);
		check_section(c, ".text", all[i].text, TEXT, 1);
		check_section(c, ".data", all[i].data, DATA, 2);
		check_section(c, ".bss", all[i].data + DATA, BSS, 0);
		check_section(c, GSYM_AOUT_LINES, 0, LINES, 4);
		cr_assert_eq(c->segments.count, 2);
		cr_assert(c->segments.items[0].executable);
		cr_assert_not(c->segments.items[1].executable);
		cr_assert(c->segments.items[1].writable);
		cr_assert_eq(c->text.count, 1);
		cr_assert_eq(c->text.items[0].end, all[i].text + TEXT);
		gsym_container_free(c);
	}
}

/* Symbols without an address and the symbol for the end of the text are left
 * out. */
Test(aout, symbols)
{
	static const char *const names[] = { "main.main", "main.leaf",
					     "main.data", "main.bss" };
	struct gsym_container *c;
	struct file f;

	make(&f, 0x8a97, 0x200028, 0x400000);
	c = load(&f);
	cr_assert_eq(c->symbols.count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		cr_assert_str_eq(s->name, names[i]);
		cr_assert_eq(s->type, i < 2 ? GSYM_SYMBOL_FUNCTION
					    : GSYM_SYMBOL_OBJECT);
		cr_assert_eq(s->binding, i % 2 ? GSYM_SYMBOL_LOCAL
					       : GSYM_SYMBOL_GLOBAL);
		cr_assert_eq(s->section, i < 2 ? 0 : i - 1);
	}
	cr_assert_eq(c->symbols.items[1].value, 0x200038);
	gsym_container_free(c);
}

/* A file that ends within its header or text is an error; one that ends later
 * gives a warning. */
Test(aout, cut)
{
	struct file f;

	make(&f, 0x01eb, 0x1020, 0x2000);
	for (size_t size = 0; size < f.size; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		struct gsym_container *c = NULL;
		enum gsym_status status;

		cr_assert(copy);
		memcpy(copy, f.bytes, size);
		cr_assert_eq(gsym_aout_input.matches(copy, size), size >= 32);
		status = gsym_container_load(&gsym_aout_input, copy, size,
					     GSYM_LOAD_ALL, NULL, &c, NULL);
		if (size < 4)
			cr_assert_eq(status, GSYM_ERR_FORMAT);
		else if (size < 32 + TEXT)
			cr_assert_eq(status, GSYM_ERR_CORRUPT);
		else
			cr_assert_gt(c->warnings.count, 0, "%zu", size);
		gsym_container_free(c);
		free(copy);
	}
}

/* Change each byte in turn: no read may reach beyond the file. */
Test(aout, changed)
{
	struct file f;

	make(&f, 0x8a97, 0x200028, 0x400000);
	for (size_t i = 0; i < 8 * f.size; i++) {
		struct gsym_container *c = NULL;

		f.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
		if (gsym_container_load(&gsym_aout_input, f.bytes, f.size,
					GSYM_LOAD_ALL, NULL, &c,
					NULL) == GSYM_OK)
			cr_assert(c);
		gsym_container_free(c);
		f.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
	}
}

Test(aout, damaged_symbols)
{
	struct gsym_container *c;
	struct file f;

	make(&f, 0x01eb, 0x1020, 0x2000);
	f.bytes[32 + TEXT + DATA + 4] = 'T'; /* without its highest bit */
	c = load(&f);
	cr_assert_eq(c->symbols.count, 0);
	cr_assert_eq(c->warnings.count, 1);
	cr_assert_eq(c->warnings.items[0].kind, GSYM_WARN_BAD_SYMBOL);
	gsym_container_free(c);
}
