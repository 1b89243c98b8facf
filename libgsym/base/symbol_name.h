/* SPDX-License-Identifier: MIT */
/* base/symbol_name.h - which symbol stands for which function of the debug
 * info, whose compilers spell one name in two ways.  Knows neither symbol
 * tables nor debug info. */
#ifndef GSYM_BASE_SYMBOL_NAME_H
#define GSYM_BASE_SYMBOL_NAME_H

#include <stdbool.h>

/** Whether NAME is mangled: C++, Rust, D, Swift or Visual C++. */
bool gsym_name_is_mangled(const char *name);

/**
 * Whether the symbol SYMBOL may stand for the function that the debug info
 * calls NAME, a source name or a linkage name.
 *
 *	f.cold f@@V1 _f		f
 *	_ZN1a1fEv		a::f, a::f<int>
 *	__cxa_bad_cast		__cxxabiv1::__cxa_bad_cast
 *	_ZN1aC2Ev.cold		_ZN1aC4Ev
 *	a::f(int)		_ZN1a1fEi
 *	MAIN__			any name, that of a Fortran program
 *
 * A mangled symbol also stands for names that no identifier ends: operators,
 * lambdas and destructors.  True where it cannot be told.
 */
bool gsym_symbol_stands_for(const char *symbol, const char *name);

#endif
