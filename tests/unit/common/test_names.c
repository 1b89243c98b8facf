/* SPDX-License-Identifier: MIT */
/* tools/common/names: the same answers without and with an index. */
#include "common/names.h"

#include <criterion/criterion.h>
#include <gsym/builder.h>
#include <stdlib.h>
#include <string.h>

/* A file with COUNT functions, named NAMES.  *BYTES is to be freed after the
 * reader. */
static struct gsym_reader *open_names(const char *const *names, int count,
				      uint8_t **bytes)
{
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_reader *reader = NULL;
	struct gsym_record record = { .rank = GSYM_RANK_SYMBOL };
	size_t size;

	cr_assert(builder);
	for (int i = 0; i < count; i++) {
		cr_assert(gsym_builder_string(builder, names[i],
					      strlen(names[i]),
					      &record.name) == GSYM_OK);
		record.start = (uint64_t)i * 16;
		record.size = 16;
		cr_assert(gsym_builder_record(builder, &record) == GSYM_OK);
	}
	cr_assert(gsym_builder_finish(builder, NULL, bytes, &size, NULL,
				      NULL) == GSYM_OK);
	gsym_builder_free(builder);
	cr_assert(gsym_open_memory(*bytes, size, &reader, NULL) == GSYM_OK);
	return reader;
}

/* A file with the functions first, twin, other, twin and last. */
static struct gsym_reader *open_file(uint8_t **bytes)
{
	static const char *const names[] = { "first", "twin", "other", "twin",
					     "last" };

	return open_names(names, 5, bytes);
}

/* The index of NAME from FROM on; -1 if there is none. */
static int found(struct names *names, const struct gsym_reader *reader,
		 const char *name, uint32_t from)
{
	uint32_t index;

	return names_find(names, reader, name, strlen(name), from, &index) ?
		       (int)index : -1;
}

Test(names, many_names_have_an_index_at_once)
{
	struct names names = { .many = true };
	uint8_t *bytes;
	struct gsym_reader *reader = open_file(&bytes);

	cr_expect(found(&names, reader, "other", 0) == 2);
	cr_expect(names.index);
	names_fini(&names);
	gsym_close(reader);
	free(bytes);
}

Test(names, same_answers_with_an_index)
{
	struct names names = { 0 };
	uint8_t *bytes;
	struct gsym_reader *reader = open_file(&bytes);

	for (int round = 0; round < 4; round++) {
		/* Two names a round: the fifth one makes an index. */
		cr_expect(!names.index == (round < 3));
		cr_expect(found(&names, reader, "twin", 0) == 1);
		cr_expect(found(&names, reader, "twin", 2) == 3);
		cr_expect(found(&names, reader, "twin", 4) == -1);
		cr_expect(found(&names, reader, "twi", 0) == -1);
	}
	names_fini(&names);
	cr_expect(!names.index && !names.searched);
	gsym_close(reader);
	free(bytes);
}

Test(names, part_of_a_text)
{
	struct names names = { 0 };
	uint8_t *bytes;
	struct gsym_reader *reader = open_file(&bytes);
	uint32_t index;

	for (int round = 0; round < 8; round++) {
		cr_expect(names_find(&names, reader, "last+0x10", 4, 0,
				     &index) && index == 4);
		cr_expect(!names_find(&names, reader, "last\0x", 6, 0, &index));
		cr_expect(!names_find(&names, NULL, "last", 4, 0, &index));
	}
	names_fini(&names);
	gsym_close(reader);
	free(bytes);
}

/* ---- readable names ------------------------------------------------------ */

static const char *const mangled[] = {
	"main",
	"_ZN4shop3buyEv",	 /* shop::buy() */
	"_ZN4shop3buyEi",	 /* shop::buy(int) */
	"_ZNK4BookcvbEv",	 /* Book::operator bool() const */
	"_ZN12_GLOBAL__N_13runEv", /* (anonymous namespace)::run() */
	"_Z4moreIiEvT_",	 /* void more<int>(int) */
};

/* The index of the readable name TEXT from FROM on; -1 if there is none. */
static int readable(struct names *names, const struct gsym_reader *reader,
		    const char *text, uint32_t from)
{
	uint32_t index;

	return names_find_readable(names, reader, text, strlen(text), from,
				   &index) ?
		       (int)index : -1;
}

Test(names, readable_with_and_without_parameters)
{
	struct names names = { 0 };
	uint8_t *bytes;
	struct gsym_reader *reader = open_names(mangled, 6, &bytes);

	cr_expect(readable(&names, reader, "shop::buy()", 0) == 1);
	cr_expect(readable(&names, reader, "shop::buy(int)", 0) == 2);
	cr_expect(readable(&names, reader, "shop::buy", 0) == 1);
	cr_expect(readable(&names, reader, "shop::buy", 2) == 2);
	cr_expect(readable(&names, reader, "shop::buy", 3) == -1);
	cr_expect(readable(&names, reader, "Book::operator bool", 0) == 3);
	cr_expect(readable(&names, reader, "(anonymous namespace)::run", 0) ==
		  4);
	cr_expect(readable(&names, reader, "void more<int>(int)", 0) == 5);
	cr_expect(readable(&names, reader, "more<int>", 0) == 5);
	cr_expect(readable(&names, reader, "shop::bu", 0) == -1);
	/* Names that are not mangled are found by names_find. */
	cr_expect(readable(&names, reader, "main", 0) == -1);
	cr_expect(readable(&names, reader, "", 0) == -1);
	names_fini(&names);
	gsym_close(reader);
	free(bytes);
}

Test(names, near_names)
{
	char text[NAMES_NEAR_SIZE];
	uint8_t *bytes;
	struct gsym_reader *reader = open_names(mangled, 6, &bytes);

	cr_assert(names_near(reader, "buy", 3, text));
	cr_expect_str_eq(text, "shop::buy(), shop::buy(int)");
	cr_assert(names_near(reader, "x::rum(int)", 11, text));
	cr_expect_str_eq(text, "(anonymous namespace)::run()");
	cr_assert(names_near(reader, "mian", 4, text));
	cr_expect_str_eq(text, "main");
	cr_expect(!names_near(reader, "sell", 4, text));
	cr_expect(!names_near(reader, "", 0, text));
	gsym_close(reader);
	free(bytes);
}

/* Names that share the bytes of one long name are read in proportion to the
 * file. */
Test(names, shared_bytes_are_bounded)
{
	enum { COUNT = 64 };
	const char *many[COUNT];
	char name[1024] = "_ZN";
	struct names names = { 0 };
	uint8_t *bytes;
	struct gsym_reader *reader;

	for (int i = 0; i < 100; i++)
		strcat(name, "4long");
	strcat(name, "3endEv");
	for (int i = 0; i < COUNT; i++)
		many[i] = name;
	reader = open_names(many, COUNT, &bytes);
	readable(&names, reader, "end", 0);
	cr_expect(names.readable.count > 0 && names.readable.count < 2 * COUNT);
	names_fini(&names);
	gsym_close(reader);
	free(bytes);
}

/* The template of the readable name TEXT; NULL if it is none. */
static const char *template_of(const char *text)
{
	static char to[256];

	return names_template(text, to) ? to : NULL;
}

Test(names, templates_have_no_arguments)
{
	static const char *const rows[][2] = {
		{ "main", NULL },
		{ "n::S::m(std::vector<int>) const", NULL },
		{ "int n::S<char>::t<int>(int)", "n::S<>::t<>" },
		{ "std::A<int (*)(B<C>)>::f() const", "std::A<>::f" },
		{ "std::A<int> f()", NULL },
		{ "std::o& std::operator<< <char>(std::o&)",
		  "std::operator<<<>" },
		{ "bool A<int>::operator<(A<int>) const", "A<>::operator<" },
		{ "A<int>::operator->()", "A<>::operator->" },
		{ "(anonymous namespace)::f<1>()",
		  "(anonymous namespace)::f<>" },
		{ "f<int>(int)::{lambda(A<int>)#1}::operator()(A<int>) const",
		  "f<>::{lambda#1}::operator()" },
		{ "decltype(auto) f<g(a->b)>()", "f<>" },
		{ "core::ptr::drop::<alloc::String>", "core::ptr::drop" },
		{ "<alloc::Vec<u8> as core::Drop>::drop",
		  "<alloc::Vec<> as core::Drop>::drop" },
		{ "<u8 as core::Drop>::drop", NULL },
		{ "f<", "f<>" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *is = template_of(rows[i][0]);

		cr_expect(is == rows[i][1] ||
				  (is && rows[i][1] && !strcmp(is, rows[i][1])),
			  "%s: %s", rows[i][0], is ? is : "none");
	}
}

/* The base name of the readable name TEXT. */
static const char *base(const char *text)
{
	static char to[256];

	names_base(text, to);
	return to;
}

Test(names, base_names_are_those_of_debug_info)
{
	cr_expect_str_eq(base("main"), "main");
	cr_expect_str_eq(base("n::api"), "api");
	cr_expect_str_eq(base("n::S::m(int) const"), "m");
	cr_expect_str_eq(base("int n::S::t<int>(int)"), "t<int>");
	cr_expect_str_eq(base("clone(int, int) (.constprop.0)"), "clone");
	cr_expect_str_eq(base("n::S::~S()"), "~S");
	cr_expect_str_eq(base("n::Q<int, long>::In::f(int, long)"), "f");
	cr_expect_str_eq(base("(anonymous namespace)::f(int)"), "f");
	cr_expect_str_eq(base("f[abi:cxx11](int)"), "f");
	cr_expect_str_eq(base("n::call(int)::'lambda'(int)::operator()(int) "
			      "const"), "operator()");
	cr_expect_str_eq(base("n::S::operator bool() const"), "operator bool");
	cr_expect_str_eq(base("n::S::operator+(n::S const&)"), "operator+");
	cr_expect_str_eq(base("n::operator\"\" _k(unsigned long)"),
			 "operator\"\"_k");
	cr_expect_str_eq(base("bool std::operator==<std::A<int>>(std::A<int> "
			      "const&)"), "operator==<std::A<int>>");
	cr_expect_str_eq(base("std::o& std::operator<< <char>(std::o&)"),
			 "operator<< <char>");
	cr_expect_str_eq(base("bool n::operator<<int, n::A>(n::A const&)"),
			 "operator<<int, n::A>");
	cr_expect_str_eq(base("bool n::operator<<(anonymous namespace)::A>"
			      "((anonymous namespace)::A)"),
			 "operator<<(anonymous namespace)::A>");
	cr_expect_str_eq(base("n::o& n::operator<<<n::A>(n::o&)"),
			 "operator<<<n::A>");
	cr_expect_str_eq(base("n::o& n::operator<<(n::o&)"), "operator<<");
	cr_expect_str_eq(base("n::S::operator n::B<int>() const"),
			 "operator n::B<int>");
	cr_expect_str_eq(base("n::S::operator void (n::S::*)()() const"),
			 "operator void (n::S::*)()");
	cr_expect_str_eq(base("n::S::operator n::B()::'lambda'()::f(int)"),
			 "f");
	cr_expect_str_eq(base("n::with::<n::f::{closure#1}>"), "with");
	cr_expect_str_eq(base("n::with::<n::f>::{closure#0}::<T>"),
			 "{closure#0}");
	cr_expect_str_eq(base("<n::S as n::T>::get"), "get");
	cr_expect_str_eq(base("n::operators(int)"), "operators");
	/* The result is a pointer or reference to a function or an array, or a
	 * pointer to a member. */
	cr_expect_str_eq(base("void (*n::f(int))(char)"), "f");
	cr_expect_str_eq(base("int (&n::f<int>(int (&) [3])) [3]"), "f<int>");
	cr_expect_str_eq(base("int (n::S::*n::f(int))(char) const"), "f");
	cr_expect_str_eq(base("int n::S::*n::f(int)"), "f");
	cr_expect_str_eq(base("void (*(*n::f())(int))(char)"), "f");
	cr_expect_str_eq(base("n::S::operator*()"), "operator*");
	cr_expect_str_eq(base(""), "");
	cr_expect_str_eq(base("((((("), "(((((");
	cr_expect_str_eq(base("a::"), "");
}

Test(names, stems_have_no_suffix_of_a_copy)
{
	cr_expect_eq(names_stem("f.constprop.0.isra.0"), 1);
	cr_expect_eq(names_stem("f.cold"), 1);
	cr_expect_eq(names_stem("f(int) [clone .part.0]"), 6);
	cr_expect_eq(names_stem("main.main"), 9);
	cr_expect_eq(names_stem(".cold"), 5);
}
