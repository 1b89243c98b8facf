/* SPDX-License-Identifier: MIT */
/* libgsym-demangle: names in both spellings, bounds, the cache and threads. */
#include "config.h"

#include "demangle/spell.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gsym_demangler *demangler_new(unsigned flags)
{
	struct gsym_demangler *d;

	cr_assert(gsym_demangler_new(flags, &d) == GSYM_OK);
	return d;
}

static const char *demangle(struct gsym_demangler *d, const char *name)
{
	const char *ret = NULL;
	enum gsym_status status = gsym_demangle(d, name, &ret);

	cr_assert(ret);
	cr_assert(status == (ret == name ? GSYM_NOT_FOUND : GSYM_OK));
	return ret;
}

Test(demangle, leaves_other_names_alone)
{
	static const char *const names[] = {
		"", "_", "main", "_start", "_ZZZZZ", "_D", "_Dmain_x",
		"_R", "_RNv", "__pfx_f", "?f@@YAXXZ", "$s4main1fyyF",
		/* libiberty's first piece of output is NULL and 0 bytes. */
		"_RNCNvC0a1b0",
	};
	struct gsym_demangler *d = demangler_new(0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (int again = 0; again < 2; again++)
			cr_expect_eq(demangle(d, names[i]), names[i], "%s",
				     names[i]);
	gsym_demangler_free(d);
	gsym_demangler_free(NULL);
}

#ifdef HAVE_LIBIBERTY

static void expect(const char *name, const char *wanted)
{
	struct gsym_demangler *d = demangler_new(0);
	for (int again = 0; again < 2; again++)
		cr_expect_str_eq(demangle(d, name), wanted);
	gsym_demangler_free(d);
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
		/* Empty packs. */
		{ "_Z1fIJEiEvv", "void f<int>()" },
		{ "_Z1fIJEJEJEiEvv", "void f<int>()" },
		{ "_Z1gIiJELi3EEvv", "void g<int, 3>()" },
		{ "_Z1gIiJEJELi3EJEEvv", "void g<int, 3>()" },
		{ "_Z1hIXadL_ZltEEiEvv", "void h<&operator<, int>()" },
		{ "_Z1hIXadL_ZcmEEJEiEvv", "void h<&operator,, int>()" },
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
		{ "_ZZ1hiENKUliE_clEi",
		  "h(int)::'lambda'(int)::operator()(int) const" },
		{ "_Z3runIZ1hiEUliE0_EiT_i",
		  "int run<h(int)::'lambda0'(int)>(h(int)::'lambda0'(int), "
		  "int)" },
		{ "_Z3runIZ1hiEUt0_EiT_i",
		  "int run<h(int)::'unnamed0'>(h(int)::'unnamed0', int)" },
		{ "_ZZ1hiENKUlPFiiEE1_clES0_",
		  "h(int)::'lambda1'(int (*)(int))::operator()(int (*)(int)) "
		  "const" },
		{ "_Z1gIXadL_Z1fiEEEvv", "void g<&f(int)>()" },
		{ "_Z1gIiXadL_Z1fPFiiEEEEvv",
		  "void g<int, &f(int (*)(int))>()" },
		{ "_Z1gIXadL_Z1fIXadL_Z1hiEEEvvEEEvv",
		  "void g<&void f<&h(int)>()>()" },
		{ "_Z1gILb1EENSt9enable_ifIXntsr3stdE9is_same_vIT_iEEE4typeEv",
		  "std::enable_if<!std::is_same_v<true, int>>::type "
		  "g<true>()" },
		{ "_ZN1AanEi", "A::operator&(int)" },
		{ "_RINvC1a1bRThhEE", "a::b::<&(u8, u8)>" },
		{ "_Z1gIiEDTcl1hcvT__EEES0_",
		  "decltype(h((int)())) g<int>(int)" },
		{ "_Z1gIiEDTcl1hfp_fp0_fp_EET_S0_",
		  "decltype(h(fp, fp0, fp)) "
		  "g<int>(int, decltype(h(fp, fp0, fp)))" },
		/* LLVM 22 takes the last parameter for auto, too. */
		{ "_ZZ1hiENKUlT_E_clIiEEDaS_",
		  "auto h(int)::'lambda'(auto)::operator()<int>(int) const" },
	};
	struct gsym_demangler *d = demangler_new(GSYM_DEMANGLE_LLVM);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int again = 0; again < 2; again++)
			cr_expect_str_eq(demangle(d, rows[i][0]), rows[i][1],
					 "%s: %s", rows[i][0],
					 demangle(d, rows[i][0]));
	gsym_demangler_free(d);
}

/* The name becomes WANTED, or WANTED with MORE, as libiberty of 2025 has it. */
static void expect_start(const char *name, const char *wanted,
			 const char *more)
{
	struct gsym_demangler *d = demangler_new(0);
	const char *found = demangle(d, name);
	size_t size = strlen(wanted);

	cr_expect(strncmp(found, wanted, size) == 0 &&
			  (!found[size] || strcmp(found + size, more) == 0),
		  "%s", found);
	gsym_demangler_free(d);
}

/* Declarations of template parameters and constraints of templates, which clang
 * mangles since version 18.  The names are clang's; the results are those of
 * the names that it gives the same functions with -fclang-abi-compat=17. */
Test(demangle, leaves_declarations_out)
{
	expect("_ZN2ns2n1IiTnT_Li3EEEiPS1_", "int ns::n1<int, 3>(int*)");
	expect("_ZN2ns2c1ITkNS_3AnyEiEEiPT_", "int ns::c1<int>(int*)");
	expect_start("_ZN2ns2r1IiQ3AnyIT_EEEiPS1_", "int ns::r1<int>(int*)",
		     " requires Any<int>");
	expect("_ZN2ns2p1ITpTkNS_3AnyEJiiEEEiDpPT_",
	       "int ns::p1<int, int>(int*, int*)");
	expect("_ZN2ns2t2ITtTkNS_3AnyEENS_1AEiEEiPT_IT0_E",
	       "int ns::t2<ns::A, int>(ns::A<int>*)");
	expect("_ZN2ns2fpIiTnPFiT_EXadL_ZNS_2fiEiEEEEiPS1_",
	       "int ns::fp<int, &ns::fi>(int*)");
	expect("_ZN2ns4foldIJiETnNSt9enable_ifIXfraa3yesIT_EEiE4typeELi0EEEiDp"
	       "PS2_", "int ns::fold<int, 0>(int*)");
	expect("_ZNSt14_Optional_baseIiLb1ELb1EEC2IJRiETnNSt9enable_ifIX18"
	       "is_constructible_vIiDpT_EEbE4typeELb0EEESt10in_place_tDpOS4_",
	       "std::_Optional_base<int, true, true>::_Optional_base<int&, "
	       "false>(std::in_place_t, int&)");
	/* A constructor with a tag. */
	expect("_ZNSt3__14spanIiLm18446744073709551615EEC2B8ne190107ITkNS_26"
	       "__span_compatible_iteratorIT_EEPiEES4_m",
	       "std::__1::span<int, 18446744073709551615ul>::span<int*>(int*, "
	       "unsigned long)");
	expect("_ZN1pIibEC2B8ne190107IRiRbEEOT_OT0_",
	       "p<int, bool>::p<int&, bool&>(int&, bool&)");
	/* A reference into a function. */
	expect("_ZZ1gITnNSt1AIiE1BELi0EEvvENKUlvE_clEv.cold",
	       "g<0>()::{lambda()#1}::operator()() const [clone .cold]");
	expect("_ZN1E1hIZ1fvE1ATnPT_LPv0EEEvS1_NS1_1BE",
	       "void E::h<f()::A, (void*)0>(f()::A, f()::A::B)");
}

/* What is left out must not be needed. */
Test(demangle, refuses_declarations)
{
	static const char *const names[] = {
		/* No such component, no end, no such kind. */
		"_Z1fITnS0_Li0EEvv", "_Z1fITnPiLi0EEvS1_", "_Z1fITnPiLi0E",
		"_Z1fITnEvv", "_Z1fITkE", "_Z1fITxiLi0EEvv", "_Z1fITp",
		"_Z1fITtTyLi0EEvv", "_Z1fTyiEvv", "_Z1fITn9999aLi0EEvv",
		/* A constraint of a function, which the result would lack. */
		"_Z1fITnPiLi0EEvvQ3AnyIiE",
		/* A type that libiberty takes for two arguments. */
		"_Z1fITnu1dIiELi0EEvS0_",
	};
	struct gsym_demangler *d = demangler_new(0);
	char name[GSYM_DEMANGLE_MAX_NAME + 1], *at = name;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cr_expect_eq(demangle(d, names[i]), names[i], "%s", names[i]);
	/* Types in types. */
	at = stpcpy(at, "_Z1fITn");
	memset(at, 'P', 100);
	strcpy(at + 100, "iLi0EEvv");
	cr_expect_eq(demangle(d, name), name);
	/* Each component is twice as long as the one before it. */
	at = stpcpy(name, "_Z1fITniLi0EEv1aIiiE");
	for (int i = 0; i < 10; i++)
		at += sprintf(at, "1bIS%c_S%c_E", '0' + i - !i, '0' + i - !i);
	cr_expect_eq(demangle(d, name), name);
	gsym_demangler_free(d);
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
	static char name[GSYM_DEMANGLE_MAX_NAME + 2];
	static char wanted[GSYM_DEMANGLE_MAX_RESULT];
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
	memset(name, 'P', GSYM_DEMANGLE_MAX_NAME);
	memcpy(name, "_Z1f", 4);
	strcpy(name + 900, "i");
	out = (size_t)sprintf(wanted, "f(int");
	memset(wanted + out, '*', 896);
	strcpy(wanted + out + 896, ")");
	expect(name, wanted);
}

/* Each level doubles libiberty's time: the deep name would take years. */
Test(demangle, gives_up_in_time, .timeout = 600)
{
	char name[400] = "_ZcvT_I";
	struct gsym_demangler *d = demangler_new(0);
	for (size_t length = 7; length < 300; length += 5)
		strcpy(name + length, "cvT_I");
	cr_expect_str_eq(demangle(d, name), name);
	gsym_demangler_free(d);
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
	struct gsym_demangler *d = demangler_new(0);
	cr_assert_eq(demangle(d, name), name);
	gsym_demangler_free(d);
	free(name);
}

/* Each parameter refers twice to the one before it: the result would have
 * more than 2^17 pieces. */
Test(demangle, bounds_the_length_of_results)
{
	char name[512] = "_Z1fPFviiE";
	struct gsym_demangler *d = demangler_new(0);
	cr_assert_str_eq(demangle(d, name), "f(void (*)(int, int))");
	for (int id = 0; id < 36; id += 2) {
		const char digit = id < 10 ? '0' + id : 'A' + (id - 10);
		size_t used = strlen(name);
		snprintf(name + used, sizeof(name) - used, "PFvS%c_S%c_E",
			 digit, digit);
	}
	gsym_demangler_free(d);
	d = demangler_new(0);
	cr_assert_eq(demangle(d, name), name);
	/* Without the last ten levels the result is short enough. */
	name[strlen(name) - 12 * 10] = 0;
	gsym_demangler_free(d);
	d = demangler_new(0);
	cr_assert_neq(demangle(d, name), name);
	gsym_demangler_free(d);
}

/* A function of D with a struct of a long name as its parameter, COUNT more
 * times by back references. */
static const char *dlang_name(int count)
{
	static char name[GSYM_DEMANGLE_MAX_NAME];
	size_t used = (size_t)sprintf(name, "_D1aFS3000%03000d", 0);

	name[10] = 'x';
	for (int i = 0; i < count; i++) {
		/* From this Q back to the S, to the base of 26. */
		unsigned back = (unsigned)used - 5;

		used += (size_t)sprintf(name + used, "Q%c%c%c",
					'A' + back / 676,
					'A' + back / 26 % 26, 'a' + back % 26);
	}
	strcpy(name + used, "Zv");
	return name;
}

Test(demangle, bounds_the_length_of_d_results)
{
	struct gsym_demangler *d = demangler_new(0);

	cr_expect(strlen(demangle(d, dlang_name(9))) > 30000);
	gsym_demangler_free(d);
	d = demangler_new(0);
	cr_expect(demangle(d, dlang_name(10)) == dlang_name(10));
	gsym_demangler_free(d);
}

/* Names that the cache does not hold at once. */
enum { COUNT = 300000, STEP = 24 };

static char *make_names(void)
{
	char *names = malloc((size_t)COUNT * STEP);

	cr_assert(names);
	for (int i = 0; i < COUNT; i++)
		snprintf(names + (size_t)i * STEP, STEP, "_Z7f%06dv", i);
	return names;
}

/* Demangle names I to COUNT - 1 with D, every other one twice.  Returns the
 * number of wrong results. */
static int wrong_results(struct gsym_demangler *d, const char *names, int i)
{
	int wrong = 0;

	for (; i < COUNT; i++) {
		const char *name = names + (size_t)i * STEP, *got;
		char wanted[STEP];

		snprintf(wanted, sizeof(wanted), "f%06d()", i);
		for (int k = 0; k <= i % 2; k++)
			wrong += gsym_demangle(d, name, &got) != GSYM_OK ||
				 strcmp(got, wanted) != 0;
	}
	return wrong;
}

Test(demangle, forgets_rather_than_grows)
{
	struct gsym_demangler *d = demangler_new(0);
	char *names = make_names();

	cr_expect(wrong_results(d, names, 0) == 0);
	cr_expect_str_eq(demangle(d, names), "f000000()");
	gsym_demangler_free(d);
	free(names);
}

/* The first cache is small; a larger one that follows loses no result. */
Test(demangle, keeps_the_first_results)
{
	enum { NAMES = 20000 };
	struct gsym_demangler *d = demangler_new(0);
	char *names = make_names();
	const char *first = demangle(d, names);

	for (int i = 1; i < NAMES; i++)
		demangle(d, names + (size_t)i * STEP);
	cr_expect(demangle(d, names) == first);
	/* Nothing is kept of it when the cache is forgotten. */
	memcpy(names, "_Z7gother0v", sizeof("_Z7gother0v"));
	cr_assert(gsym_demangler_forget(d) == GSYM_OK);
	cr_expect_str_eq(demangle(d, names), "gother0()");
	gsym_demangler_free(d);
	free(names);
}

/* Results of 18 kB each fill the cache long before its slots. */
Test(demangle, bounds_the_bytes_of_results)
{
	enum { LONG = 900, NAMES = 5000 };
	size_t size = 5 + LONG + 4;
	struct gsym_demangler *d = demangler_new(0);
	char *names = malloc(NAMES * size);

	cr_assert(names);
	for (int i = 0; i < NAMES; i++) {
		char *name = names + i * size;

		memset(name, 'y', size);
		memcpy(name, "_Z1fI", 5);
		strcpy(name + 5 + LONG, "Evv");
		cr_assert(strlen(demangle(d, name)) > 19 * LONG);
	}
	gsym_demangler_free(d);
	free(names);
}

Test(demangle, forgets)
{
	struct gsym_demangler *d = demangler_new(0), *other;
	char name[] = "_Z3addii";
	const char *before;

	cr_assert(gsym_demangler_share(d, &other) == GSYM_OK);
	before = demangle(d, name);
	cr_expect_str_eq(before, "add(int, int)");
	/* The same text from the same memory: the cache is one. */
	cr_expect(demangle(other, name) == before);
	memcpy(name, "_Z3subi", sizeof("_Z3subi"));
	cr_expect(demangle(d, name) == before);
	cr_assert(gsym_demangler_forget(d) == GSYM_OK);
	cr_expect_str_eq(demangle(other, name), "sub(int)");
	cr_expect_str_eq(demangle(d, name), "sub(int)");
	cr_expect(demangle(d, name) == demangle(other, name));
	gsym_demangler_free(d);
	cr_expect_str_eq(demangle(other, name), "sub(int)");
	gsym_demangler_free(other);
}

Test(demangle, spellings_do_not_mix)
{
	static const char name[] = "_ZNSt6vectorIiSaIiEE1fEv";
	struct gsym_demangler *llvm = demangler_new(GSYM_DEMANGLE_LLVM), *other;
	char *copy = NULL;

	cr_assert(gsym_demangler_share(llvm, &other) == GSYM_OK);
	cr_expect_str_eq(demangle(other, name),
			 "std::vector<int, std::allocator<int>>::f()");
	gsym_demangler_free(llvm);
	gsym_demangler_free(other);
	cr_assert(gsym_demangle_copy(0, name, &copy) == GSYM_OK);
	cr_expect_str_eq(copy, "std::vector<int, std::allocator<int> >::f()");
	free(copy);
	copy = NULL;
	cr_expect(gsym_demangle_copy(0, "main", &copy) == GSYM_NOT_FOUND &&
		  !copy);
	cr_expect(gsym_demangle_copy(2, name, &copy) == GSYM_ERR_ARGUMENT);
	cr_expect(gsym_demangler_new(2, &other) == GSYM_ERR_ARGUMENT);
}

struct job {
	struct gsym_demangler *demangler;
	const char *names;
	int from, wrong;
};

static void *run_job(void *argument)
{
	struct job *job = argument;

	job->wrong = wrong_results(job->demangler, job->names, job->from);
	return NULL;
}

/* Threads fill one cache, replace it when it is full, and free their demanglers
 * while others go on. */
Test(demangle, threads_share_a_cache)
{
	enum { THREADS = 4 };
	struct gsym_demangler *first = demangler_new(0);
	pthread_t threads[THREADS];
	struct job jobs[THREADS];
	char *names = make_names();

	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ .names = names, .from = i * 1000 };
		cr_assert(gsym_demangler_share(first, &jobs[i].demangler) ==
			  GSYM_OK);
	}
	gsym_demangler_free(first);
	for (int i = 0; i < THREADS; i++)
		cr_assert(!pthread_create(&threads[i], NULL, run_job,
					  &jobs[i]));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		cr_expect(jobs[i].wrong == 0);
		gsym_demangler_free(jobs[i].demangler);
	}
	free(names);
}

#endif

/* Names may have any bytes: a sign is no part of the number of a parameter. */
Test(demangle, spells_numbers_of_parameters)
{
	struct gsym_demangler *d = demangler_new(GSYM_DEMANGLE_LLVM);

	cr_expect_str_eq(demangle(d, "_Z9{parm#-1}v"), "{parm#-1}()");
	cr_expect_str_eq(demangle(d, "_Z10{parm#+12}v"), "{parm#+12}()");
	cr_expect_str_eq(demangle(d, "_Z8{parm#1}v"), "fp()");
	cr_expect_str_eq(demangle(d, "_Z8{parm#3}v"), "fp1()");
	gsym_demangler_free(d);
}

/* More parentheses than the spelling keeps in mind. */
Test(demangle, spells_deep_parentheses)
{
	enum { DEPTH = 200 };
	char name[DEPTH * 8 + 64];
	size_t length = (size_t)sprintf(name, "_Z1g");
	struct gsym_demangler *d = demangler_new(GSYM_DEMANGLE_LLVM);
	const char *result;
	size_t open = 0, close = 0;

	for (int i = 0; i < DEPTH; i++)
		length += (size_t)sprintf(name + length, "PFv");
	length += (size_t)sprintf(name + length, "i");
	for (int i = 0; i < DEPTH; i++)
		length += (size_t)sprintf(name + length, "E");
	result = demangle(d, name);
	cr_expect_neq(result, (const char *)name);
	for (const char *at = result; *at; at++) {
		open += *at == '(';
		close += *at == ')';
	}
	cr_expect_eq(open, 2 * DEPTH + 1);
	cr_expect_eq(close, open);
	gsym_demangler_free(d);
}

/* A name that another thread makes longer and shorter all the time. */
static volatile char changing[4096];
static atomic_bool changed_enough;

static void *change(void *unused)
{
	char *text = (char *)changing;
	volatile char *end = changing + strlen(text);

	(void)unused;
	memset(text + strlen(text) + 1, 'x',
	       sizeof(changing) - strlen(text) - 2);
	while (!changed_enough) {
		*end = 'x';
		*end = 0;
		changing[0] = 0;
		changing[0] = '_';
	}
	return NULL;
}

/* A name may lie in a file that another process changes. */
Test(demangle, reads_a_name_once)
{
	static const unsigned flags[] = { 0, GSYM_DEMANGLE_LLVM };
	pthread_t thread;
	char *text;

	strcpy((char *)changing, "_ZN3foo3barEiPKc.llvm.123");
	cr_assert_eq(pthread_create(&thread, NULL, change, NULL), 0);
	for (int i = 0; i < 200000; i++)
		if (gsym_demangle_copy(flags[i % 2], (const char *)changing,
				       &text) == GSYM_OK) {
			cr_assert(!strncmp(text, "foo::bar(int, char const*)",
					   26));
			free(text);
		}
	changed_enough = true;
	pthread_join(thread, NULL);
}
