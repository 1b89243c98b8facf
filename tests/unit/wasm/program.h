/* SPDX-License-Identifier: MIT */
/* A WebAssembly module with one of everything that is read. */
#ifndef TESTS_UNIT_WASM_PROGRAM_H
#define TESTS_UNIT_WASM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct module {
	uint8_t bytes[1024];
	size_t size;
	/** Where the section CODE has its contents. */
	size_t code;
};

static inline void wasm_put(struct module *m, const void *bytes, size_t size)
{
	memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

static inline void wasm_byte(struct module *m, unsigned value)
{
	m->bytes[m->size++] = (uint8_t)value;
}

/** Bytes with their number before them, which is below 128. */
static inline void wasm_text(struct module *m, const char *text)
{
	wasm_byte(m, (unsigned)strlen(text));
	wasm_put(m, text, strlen(text));
}

/** Begin section NUMBER; the result goes to wasm_end. */
static inline size_t wasm_begin(struct module *m, unsigned number)
{
	wasm_byte(m, number);
	wasm_byte(m, 0);
	return m->size;
}

static inline void wasm_end(struct module *m, size_t start)
{
	m->bytes[start - 1] = (uint8_t)(m->size - start);
}

/**
 * Two imported functions among other imports; functions 2 to 5 of 4, 6, 5 and 3
 * bytes, which begin at offsets 2, 7, 14 and 20 of the code.  Function 2 is
 * "two" and is exported as "out"; 3 is called "three"; 4 is exported as "four";
 * 5 has no name.
 */
static inline void wasm_make(struct module *m, bool wide)
{
	static const uint8_t sizes[] = { 4, 6, 5, 3 };
	size_t at, part;

	m->size = 0;
	wasm_put(m, "\0asm\1\0\0\0", 8);
	at = wasm_begin(m, 2); /* imports */
	wasm_byte(m, 6);
	for (unsigned i = 0; i < 6; i++) {
		/* A table of references to functions, a memory, a global of a
		 * reference type, a tag. */
		static const char kinds[6][6] = {
			"\0\3", "\1\x70\1\1\2", "\2\1\1\2", "\3\x64\x70\1",
			"\4\0\0", "\0\1",
		};
		static const uint8_t lengths[6] = { 2, 5, 4, 4, 3, 2 };

		wasm_text(m, "env");
		wasm_text(m, "thing");
		wasm_put(m, kinds[i], lengths[i]);
	}
	wasm_end(m, at);
	at = wasm_begin(m, 5); /* memories */
	wasm_put(m, wide ? "\1\4\1" : "\1\0\1", 3);
	wasm_end(m, at);
	at = wasm_begin(m, 7); /* exports */
	wasm_byte(m, 3);
	wasm_text(m, "out");
	wasm_put(m, "\0\2", 2);
	wasm_text(m, "memory");
	wasm_put(m, "\2\0", 2);
	wasm_text(m, "four");
	wasm_put(m, "\0\4", 2);
	wasm_end(m, at);
	at = m->code = wasm_begin(m, 10);
	wasm_byte(m, 4);
	for (size_t i = 0; i < sizeof(sizes); i++) {
		wasm_byte(m, sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			wasm_byte(m, k + 1 < sizes[i] ? 1 : 0x0b);
	}
	wasm_end(m, at);
	at = wasm_begin(m, 0);
	wasm_text(m, "name");
	wasm_put(m, "\0\2\1m", 4); /* the name of the module */
	wasm_byte(m, 1);
	part = m->size++;
	wasm_put(m, "\3\0", 2); /* three names; that of an import */
	wasm_text(m, "imported");
	wasm_byte(m, 2);
	wasm_text(m, "two");
	wasm_byte(m, 3);
	wasm_text(m, "three");
	m->bytes[part] = (uint8_t)(m->size - part - 1);
	wasm_end(m, at);
	at = wasm_begin(m, 0);
	wasm_text(m, "build_id");
	wasm_text(m, "\1\2\3\4\5\6\7");
	wasm_end(m, at);
	at = wasm_begin(m, 0);
	wasm_text(m, ".debug_str");
	wasm_put(m, "text", 5);
	wasm_end(m, at);
}

#endif
