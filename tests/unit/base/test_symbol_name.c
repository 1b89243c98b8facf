/* SPDX-License-Identifier: MIT */
/* Which symbol stands for which function (base/symbol_name.c). */
#include "base/symbol_name.h"

#include <criterion/criterion.h>

Test(symbol_name, stands_for)
{
	static const struct {
		const char *symbol, *name;
		bool yes;
	} rows[] = {
		{ "f", "f", true },
		{ "f.cold", "f", true },
		{ "f@@GLIBC_2.2.5", "f", true },
		{ "_f", "f", true },
		{ "ff", "f", false },
		{ "reset", "set", false },
		{ "f", "ff", false },
		{ "f", "f.cold", true },
		{ "_ZN1a1fEv", "a::f", true },
		{ "_ZN1a1fIiEEvv.part.0", "a::f<a::g>", true },
		{ "_ZN1a1gEv", "a::f", false },
		{ "_ZN1aclEv", "a::operator()", true },
		{ "_ZN1aD2Ev", "a::~a", true },
		{ "_ZZ1fvENKUlvE_clEv", "f()::{lambda}", true },
		{ "_ZN1aC2Ev.cold", "_ZN1aC4Ev", true },
		{ "_ZN1aC2Ei", "_ZN1aC4Ev", false },
		{ "_ZN1aC4Ev", "_ZN1aD4Ev", false },
		{ "__cxa_bad_cast", "__cxxabiv1::__cxa_bad_cast", true },
		{ "__cxa_bad_typeid", "__cxxabiv1::__cxa_bad_cast", false },
		{ "P$TEST_$$_FOO", "FOO", true },
		{ "a::f(int)", "_ZN1a1fEi", true },
		{ "f(a::g)", "_Z1fN1a1gE", true },
		{ "a::g(int)", "_ZN1a1fEi", false },
		{ "a::operator()(int)", "_ZN1aclEi", true },
		{ "MAIN__", "program", true },
		{ "puts", "_ZN1a1fEv", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(gsym_symbol_stands_for(rows[i].symbol,
						    rows[i].name),
			     rows[i].yes, "%s for %s", rows[i].symbol,
			     rows[i].name);
}
