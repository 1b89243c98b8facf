/* SPDX-License-Identifier: MIT */
/* WebAssembly modules: functions, names, identity, and damage. */
#include "config.h"

#include "object/object.h"
#include "unit/wasm/program.h"
#include "container/input.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct gsym_container *load(const struct module *m)
{
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };

	cr_assert_eq(gsym_container_load(&gsym_wasm_input, m->bytes, m->size,
					 GSYM_LOAD_ALL, NULL, &c, &error),
		     GSYM_OK, "%s", error.message);
	return c;
}

/* Names of the section "name" count before exports; imported functions have
 * the first numbers. */
Test(wasm, functions)
{
	static const struct {
		const char *name;
		uint64_t start, size;
	} wanted[] = { { "two", 2, 4 }, { "three", 7, 6 }, { "four", 14, 5 } };
	struct gsym_container *c;
	struct module m;

	wasm_make(&m, false);
	c = load(&m);
	cr_assert_eq(c->symbols.count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		cr_expect_str_eq(s->name, wanted[i].name);
		cr_expect_eq(s->value, wanted[i].start);
		cr_expect_eq(s->size, wanted[i].size);
		cr_expect_eq(s->type, GSYM_SYMBOL_FUNCTION);
	}
	cr_expect_eq(c->warnings.count, 0);
	gsym_container_free(c);
}

Test(wasm, facts)
{
	for (int wide = 0; wide < 2; wide++) {
		const struct gsym_container_section *s;
		struct gsym_container *c;
		struct module m;

		wasm_make(&m, wide);
		c = load(&m);
		cr_expect_eq(c->format, GSYM_FORMAT_WASM);
		cr_expect_str_eq(c->architecture, wide ? "wasm64" : "wasm32");
		cr_expect_eq(c->address_size, wide ? 8 : 4);
		cr_assert_eq(c->uuid_size, 7);
		cr_expect_eq(memcmp(c->uuid, "\1\2\3\4\5\6\7", 7), 0);
		s = gsym_container_section(c, ".debug_str");
		cr_assert(s && !s->loaded);
		cr_expect_eq(s->data_size, 5);
		cr_expect_str_eq((const char *)s->data, "text");
		/* Address 0 is the number of functions, and no code: linkers
		 * give it to functions that they dropped. */
		cr_assert_eq(c->text.count, 1);
		cr_expect_eq(c->text.items[0].start, 1);
		cr_expect_eq(c->text.items[0].end, 23);
		gsym_container_free(c);
	}
}

/* The view that lookups have: names of exports are left out there. */
Test(wasm, object)
{
	struct object_walk walk = { 0 };
	struct object_symbol symbol;
	struct object_loads loads;
	uint64_t address = 0;
	struct object o;
	struct module m;

	wasm_make(&m, false);
	cr_assert_eq(gsym_object_open(m.bytes, m.size, &o, NULL), GSYM_OK);
	cr_assert(gsym_object_symbol(&o, &walk, &symbol));
	cr_expect(object_name_is(&symbol.name, "two"));
	cr_expect_eq(symbol.address, 2);
	cr_assert(gsym_object_symbol(&o, &walk, &symbol));
	cr_expect(object_name_is(&symbol.name, "three"));
	cr_expect_eq(symbol.size, 6);
	cr_expect(!gsym_object_symbol(&o, &walk, &symbol));
	/* Browsers count from the start of the file. */
	cr_assert(gsym_object_loads(&o, &loads));
	cr_assert(gsym_object_linked(&loads, m.code + 7, &address));
	cr_expect_eq(address, 7);
	cr_expect(!gsym_object_linked(&loads, m.code, &address));
}

Test(wasm, versions)
{
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };
	struct module m;

	wasm_make(&m, false);
	m.bytes[4] = 0x0d;
	m.bytes[6] = 1;
	cr_expect_eq(gsym_container_load(&gsym_wasm_input, m.bytes, m.size,
					 GSYM_LOAD_ALL, NULL, &c, &error),
		     GSYM_ERR_UNSUPPORTED);
	cr_expect(strstr(error.message, "component"), "%s", error.message);
	m.bytes[0] = 1;
	cr_expect_eq(gsym_container_load(&gsym_wasm_input, m.bytes, m.size,
					 GSYM_LOAD_ALL, NULL, &c, &error),
		     GSYM_ERR_FORMAT);
	cr_expect_null(c);
}

/* What is before the place where the file ends is read. */
Test(wasm, cut)
{
	struct module m;

	wasm_make(&m, false);
	for (size_t size = 0; size < m.size; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		struct gsym_container *c = NULL;
		enum gsym_status status;

		cr_assert(copy);
		memcpy(copy, m.bytes, size);
		status = gsym_container_load(&gsym_wasm_input, copy, size,
					     GSYM_LOAD_ALL, NULL, &c, NULL);
		cr_expect_eq(status, size < 8 ? GSYM_ERR_FORMAT : GSYM_OK);
		gsym_container_free(c);
		free(copy);
	}
	m.size -= 2;
	struct gsym_container *c = load(&m);

	cr_expect_eq(c->symbols.count, 3);
	cr_expect_eq(c->warnings.count, 1);
	gsym_container_free(c);
}

/* Change each byte in turn: no read may reach beyond the file. */
Test(wasm, changed)
{
	struct module m;
	uint8_t *copy;

	wasm_make(&m, true);
	copy = malloc(m.size);
	cr_assert(copy);
	for (size_t i = 0; i < 256 * m.size; i++) {
		struct object_walk walk = { 0 };
		struct gsym_container *c = NULL;
		struct object_symbol symbol;
		struct object o;

		memcpy(copy, m.bytes, m.size);
		copy[i / 256] = (uint8_t)i;
		if (gsym_container_load(&gsym_wasm_input, copy, m.size,
					GSYM_LOAD_ALL, NULL, &c,
					NULL) == GSYM_OK)
			cr_assert(c);
		gsym_container_free(c);
		if (gsym_object_open(copy, m.size, &o, NULL) != GSYM_OK)
			continue;
		while (gsym_object_symbol(&o, &walk, &symbol))
			cr_assert(symbol.name.size <= m.size);
	}
	free(copy);
}

/* A number of functions that the section cannot have makes no memory. */
Test(wasm, many_functions)
{
	struct gsym_container *c;
	struct module m;

	wasm_make(&m, false);
	m.bytes[m.code] = 0x7f;
	c = load(&m);
	cr_expect_eq(c->symbols.count, 3);
	cr_expect_eq(c->warnings.count, 1);
	gsym_container_free(c);
}
