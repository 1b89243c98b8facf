/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"

Test(demangle, leaves_other_names_alone)
{
	static const char *const names[] = {
		"", "_", "main", "_start", "_ZZZZZ", "_D", "_Dmain_x",
		"_R", "_RNv", "__pfx_f", "?f@@YAXXZ", "$s4main1fyyF",
	};
	struct demangler *d = demangler_new();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (int again = 0; again < 2; again++)
			cr_expect_eq(demangle(d, names[i]), names[i], "%s",
				     names[i]);
	demangler_free(d);
	demangler_free(NULL);
}

#ifdef HAVE_LIBIBERTY

static void expect(const char *name, const char *wanted)
{
	struct demangler *d = demangler_new();
	for (int again = 0; again < 2; again++)
		cr_expect_str_eq(demangle(d, name), wanted);
	demangler_free(d);
}

Test(demangle, reads_cplusplus)
{
	expect("_Z3addii", "add(int, int)");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back(int&&)");
	expect("_ZNK1A1fEv.cold", "A::f() const [clone .cold]");
}

/* The results are those of llvm-cxxfilt. */
Test(demangle, spells_as_llvm)
{
	static const char *const rows[][2] = {
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi",
		  "std::vector<int, std::allocator<int>>::push_back(int&&)" },
		{ "_ZNK1A1fEv.cold", "A::f() const (.cold)" },
		{ "_ZStltIcEbT_S0_", "bool std::operator<<char>(char, char)" },
		{ "_ZStlsIcEbT_S0_", "bool std::operator<<<char>(char, char)" },
		{ "_ZStgtIcEbT_S0_", "bool std::operator><char>(char, char)" },
		{ "_ZStrsIcEbT_S0_", "bool std::operator>><char>(char, char)" },
		{ "_ZStlSIcEbT_S0_",
		  "bool std::operator<<=<char>(char, char)" },
		{ "_Z1fDnPDn", "f(std::nullptr_t, std::nullptr_t*)" },
		{ "_ZGTt1fv", "_ZGTt1fv" },
		{ "_ZGTn1fv", "_ZGTn1fv" },
		{ ".main", ".main" },
		{ "._Z1fv", ".f()" },
		{ "__Z1fv", "f()" },
		{ "main", "main" },
	};
	struct demangler *d = demangler_new();
	demangler_set_llvm(d);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int again = 0; again < 2; again++)
			cr_expect_str_eq(demangle(d, rows[i][0]), rows[i][1],
					 "%s: %s", rows[i][0],
					 demangle(d, rows[i][0]));
	demangler_free(d);
}

Test(demangle, reads_rust)
{
	expect("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	expect("_RNvC6_123foo3bar", "123foo::bar");
}

Test(demangle, reads_d)
{
	expect("_D8demangle4testFaZv", "demangle.test(char)");
}

/* Names of more than 1024 bytes, libiberty's own limit. */
Test(demangle, reads_long_cplusplus)
{
	static char name[DEMANGLE_MAX_NAME + 2], wanted[DEMANGLE_MAX_RESULT];
	size_t length = (size_t)sprintf(name, "_Z1fI"), out;
	out = (size_t)sprintf(wanted, "void f<");
	for (int i = 0; length < 4000; i++) {
		length += (size_t)sprintf(name + length, "8type%04d", i);
		out += (size_t)sprintf(wanted + out, "%stype%04d",
				       i ? ", " : "", i);
	}
	strcpy(name + length, "EvT_");
	strcpy(wanted + out, ">(type0000)");
	expect(name, wanted);
	/* A deeply nested type. */
	memset(name, 'P', DEMANGLE_MAX_NAME);
	memcpy(name, "_Z1f", 4);
	strcpy(name + 900, "i");
	out = (size_t)sprintf(wanted, "f(int");
	memset(wanted + out, '*', 896);
	strcpy(wanted + out + 896, ")");
	expect(name, wanted);
}

/* Each level doubles libiberty's time: the deep name would take years. */
Test(demangle, gives_up_in_time, .timeout = 20)
{
	char name[400] = "_ZcvT_I";
	struct demangler *d = demangler_new();
	for (size_t length = 7; length < 300; length += 5)
		strcpy(name + length, "cvT_I");
	cr_expect_str_eq(demangle(d, name), name);
	demangler_free(d);
	expect("_ZN1AcvPT_I1BEEv", "A::operator B*<B>()");
}

Test(demangle, bounds_the_length_of_names)
{
	const size_t length = 1 << 20;
	char *name = malloc(length + 1);
	memset(name, 'P', length);
	memcpy(name, "_Z1f", 4);
	name[length - 1] = 'i';
	name[length] = 0;
	struct demangler *d = demangler_new();
	cr_assert_eq(demangle(d, name), name);
	demangler_free(d);
	free(name);
}

/* Each parameter refers twice to the one before it: the result would have
 * more than 2^17 pieces. */
Test(demangle, bounds_the_length_of_results)
{
	char name[512] = "_Z1fPFviiE";
	struct demangler *d = demangler_new();
	cr_assert_str_eq(demangle(d, name), "f(void (*)(int, int))");
	for (int id = 0; id < 36; id += 2) {
		const char digit = id < 10 ? '0' + id : 'A' + (id - 10);
		size_t used = strlen(name);
		snprintf(name + used, sizeof(name) - used, "PFvS%c_S%c_E",
			 digit, digit);
	}
	demangler_free(d);
	d = demangler_new();
	cr_assert_eq(demangle(d, name), name);
	/* Without the last ten levels the result is short enough. */
	name[strlen(name) - 12 * 10] = 0;
	demangler_free(d);
	d = demangler_new();
	cr_assert_neq(demangle(d, name), name);
	demangler_free(d);
}

Test(demangle, forgets_rather_than_grows)
{
	enum { COUNT = 200000, STEP = 24 };
	char *names = malloc((size_t)COUNT * STEP);
	struct demangler *d = demangler_new();
	for (int i = 0; i < COUNT; i++) {
		snprintf(names + i * STEP, STEP, "_Z7f%06dv", i);
		char wanted[STEP];
		snprintf(wanted, sizeof(wanted), "f%06d()", i);
		cr_assert_str_eq(demangle(d, names + i * STEP), wanted);
	}
	cr_assert_str_eq(demangle(d, names), "f000000()");
	demangler_free(d);
	free(names);
}

#endif
