/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: names, which NULs end, in both spellings.  Results are within
 * their bound and the same each time; a name comes back as it is exactly if the
 * call says that it is not mangled.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/parts.h"

#include <gsym/demangle.h>

#include <stdlib.h>
#include <string.h>

/* Demangle NAME with the cache D, and without a cache. */
static void demangle(struct gsym_demangler *d, unsigned flags,
		     const char *name)
{
	char *copy = NULL, *again = NULL;
	const char *cached = NULL;
	enum gsym_status status = gsym_demangle_copy(flags, name, &copy);

	fuzz_require(status == GSYM_OK || status == GSYM_NOT_FOUND);
	fuzz_require((status == GSYM_OK) == (copy != NULL));
	fuzz_require(gsym_demangle_copy(flags, name, &again) == status);
	fuzz_require(!copy || (strlen(copy) < GSYM_DEMANGLE_MAX_RESULT &&
			       !strcmp(copy, again)));
	fuzz_require(!copy || strlen(name) <= GSYM_DEMANGLE_MAX_NAME);
	for (int i = 0; i < 2; i++) {
		fuzz_require(gsym_demangle(d, name, &cached) == status);
		fuzz_require(!strcmp(cached, copy ? copy : name));
		fuzz_require((cached == name) == !copy);
	}
	free(copy);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned flags = 0; flags <= GSYM_DEMANGLE_LLVM; flags++) {
		struct gsym_demangler *d;
		char *text = malloc(size + 1);

		fuzz_require(text &&
			     gsym_demangler_new(flags, &d) == GSYM_OK);
		if (size)
			memcpy(text, data, size);
		text[size] = '\0';
		for (size_t at = 0; at < size; at += strlen(text + at) + 1)
			demangle(d, flags, text + at);
		gsym_demangler_free(d);
		free(text);
	}
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char *const names[] = {
		"_Z3addii", "_ZNK1A1fEv.cold", "_ZStltIcEbT_S0_",
		"_ZNSt6vectorIiSaIiEE9push_backEOi", "_Z1fDnPDn", "_ZGTt1fv",
		"_ZZ4mainENKUlvE_clEv.constprop.0", "__Z3addii",
		"_ZN3foo3barIJidEEEvDpT_", "_ZTV1A", "_ZGVZ1fvE1x",
		"_RNvCs1234_7mycrate3foo",
		"_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
		"_RNvMs_CskJ_5crateINtB4_1AyE1f", "_RNCNvC1a1b0",
		"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		"_D3std5stdio8writelnFZv", "_Dmain",
		"_D4test__T3fooTiVii5Z3fooFiZi", "_D8demangle4testFNaNbNiZv",
	};
	const char *name;

	if (number >= sizeof(names) / sizeof(names[0]))
		return NULL;
	name = names[number];
	*size = strlen(name);
	return (uint8_t *)strdup(name);
}
