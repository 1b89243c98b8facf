/* SPDX-License-Identifier: MIT */
/* The lines that clients send, and what they ask for. */
#include <criterion/criterion.h>
#include <string.h>

#include "personality/personality.h"

static void check_text(struct text text, const char *wanted, const char *line)
{
	cr_expect(text.length == strlen(wanted) &&
			  memcmp(text.bytes, wanted, text.length) == 0,
		  "%s: '%.*s', not '%s'", line, (int)text.length, text.bytes,
		  wanted);
}

/* ---- addr2line ----------------------------------------------------------- */

Test(request, addr2line_addresses)
{
	static const struct {
		const char *line;
		uint64_t address;
	} rows[] = {
		{ "11ec", 0x11ec },	      { "0x11ec", 0x11ec },
		{ "0X11EC", 0x11ec },	      { " \t11ec", 0x11ec },
		{ "11ec trailing", 0x11ec },  { "11ec\r", 0x11ec },
		{ "0", 0 },		      { "fade", 0xfade },
		{ "0xfade", 0xfade },	      { "11ec+4", 0x11ec },
		{ "1x", 1 },		      { "0x1g", 1 },
		{ "+0x10", 16 },	      { "+10", 10 },
		{ "+010z", 8 },
		{ "ffffffffffffffff", UINT64_MAX },
		{ "0000000000000000000000010", 0x10 },
		{ "10000000000000000", UINT64_MAX },
		{ "fffffffffffffffff0", UINT64_MAX },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request r;
		request_addr2line(rows[i].line, strlen(rows[i].line), &r);
		cr_expect(r.place == PLACE_ADDRESS &&
				  r.address == rows[i].address &&
				  r.kind == REQUEST_CODE && !r.problem,
			  "%s", rows[i].line);
	}
}

Test(request, addr2line_names)
{
	static const struct {
		const char *line, *name;
		uint64_t offset;
		bool or_address;
		uint64_t address;
	} rows[] = {
		{ "main", "main", 0, false, 0 },
		{ "main trailing", "main", 0, false, 0 },
		{ "main+4", "main", 4, false, 0 },
		{ "main+0x10", "main", 16, false, 0 },
		{ "main+010", "main", 8, false, 0 },
		{ "main+", "main", 0, false, 0 },
		{ "main+zz", "main", 0, false, 0 },
		{ "main+1+2", "main", 1, false, 0 },
		{ "main+0x1fz", "main", 31, false, 0 },
		{ "add+2", "add", 2, false, 0 },
		{ "deadbeef_x", "deadbeef_x", 0, true, 0xdeadbeef },
		{ ",", ",", 0, false, 0 },
		{ "-1", "-1", 0, false, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request r;
		request_addr2line(rows[i].line, strlen(rows[i].line), &r);
		cr_expect_eq(r.place, PLACE_NAME, "%s", rows[i].line);
		check_text(r.name, rows[i].name, rows[i].line);
		cr_expect_eq(r.offset, rows[i].offset, "%s", rows[i].line);
		cr_expect_eq(r.or_address, rows[i].or_address, "%s",
			     rows[i].line);
		if (r.or_address)
			cr_expect_eq(r.address, rows[i].address);
	}
}

Test(request, addr2line_nothing)
{
	static const char *const lines[] = { "", " ", "\t", "0x", "0xzz",
					     "+", "+main" };
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct request r;
		request_addr2line(lines[i], strlen(lines[i]), &r);
		cr_expect_eq(r.place, PLACE_NOTHING, "%s", lines[i]);
	}
}

Test(request, addr2line_bytes_of_any_value)
{
	struct request r;
	request_addr2line("\0 11ec", 6, &r);
	cr_expect_eq(r.place, PLACE_NAME);
	cr_expect_eq(r.name.length, 1);
	request_addr2line("12\0", 3, &r);
	cr_expect_eq(r.place, PLACE_ADDRESS);
	cr_expect_eq(r.address, 0x12);
}

/* ---- LLVM ---------------------------------------------------------------- */

struct llvm_row {
	const char *line, *module;
	bool by_id;
	enum request_kind kind;
	uint64_t address;
};

Test(request, llvm_addresses)
{
	static const struct llvm_row rows[] = {
		{ "CODE \"a\" 0x11ec", "a", false, REQUEST_CODE, 0x11ec },
		{ "CODE a 0x11ec", "a", false, REQUEST_CODE, 0x11ec },
		{ "a 0x11ec", "a", false, REQUEST_CODE, 0x11ec },
		{ "'a b' 0x10", "a b", false, REQUEST_CODE, 0x10 },
		{ "\"a'b\" 0x10", "a'b", false, REQUEST_CODE, 0x10 },
		{ "\"a\"0x10", "a", false, REQUEST_CODE, 0x10 },
		{ "a   0x10", "a", false, REQUEST_CODE, 0x10 },
		{ "  CODE   a   0x10", "a", false, REQUEST_CODE, 0x10 },
		{ "DATA a 16", "a", false, REQUEST_DATA, 16 },
		{ "FRAME a 020", "a", false, REQUEST_FRAME, 16 },
		{ "a 0x10 more", "a", false, REQUEST_CODE, 16 },
		{ "a 0X1F", "a", false, REQUEST_CODE, 31 },
		{ "a 0b101", "a", false, REQUEST_CODE, 5 },
		{ "a 0o17", "a", false, REQUEST_CODE, 15 },
		{ "a 0", "a", false, REQUEST_CODE, 0 },
		{ "FILE:a 0x10", "a", false, REQUEST_CODE, 16 },
		{ "CODE FILE:\"a b\" 0x10", "a b", false, REQUEST_CODE, 16 },
		{ "BUILDID:00aB 0x10", "00aB", true, REQUEST_CODE, 16 },
		{ "BUILDID:abc 0x10", "abc", true, REQUEST_CODE, 16 },
		{ "DATA BUILDID:00 1", "00", true, REQUEST_DATA, 1 },
		{ "a\tb 0x10", "a\tb", false, REQUEST_CODE, 16 },
		{ "a 18446744073709551615", "a", false, REQUEST_CODE,
		  UINT64_MAX },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request r;
		request_llvm(rows[i].line, strlen(rows[i].line), false, true,
			     &r);
		cr_expect(r.place == PLACE_ADDRESS && !r.problem &&
				  r.kind == rows[i].kind &&
				  r.by_id == rows[i].by_id &&
				  r.address == rows[i].address,
			  "%s", rows[i].line);
		check_text(r.module, rows[i].module, rows[i].line);
	}
}

Test(request, llvm_names)
{
	struct request r;
	request_llvm("CODE a main+0x4 x", 17, false, true, &r);
	cr_expect_eq(r.place, PLACE_NAME);
	check_text(r.name, "main", "main+0x4");
	cr_expect_eq(r.offset, 4);
	cr_expect_not(r.or_address);
	request_llvm("a ,", 3, false, true, &r);
	cr_expect_eq(r.place, PLACE_NAME);
	check_text(r.name, ",", ",");
}

Test(request, llvm_problems)
{
	static const struct {
		const char *line, *problem;
	} rows[] = {
		{ "a", "no module offset has been specified" },
		{ "CODE", "no module offset has been specified" },
		{ "a 11ec", "expected a number as module offset" },
		{ "a 0x", "expected a number as module offset" },
		{ "a 09", "expected a number as module offset" },
		{ "a 0x11ec+4", "expected a number as module offset" },
		{ "a 18446744073709551616",
		  "expected a number as module offset" },
		{ "", "no input filename has been specified" },
		{ "\"a 0x10", "no input filename has been specified" },
		{ "\"\" 0x10", "no input filename has been specified" },
		{ "FILE:", "must be followed by an input file" },
		{ "BUILDID:", "must be followed by a hash" },
		{ "BUILDID:zz 0x10", "wrong format of build-id" },
		{ "FILE:\"a 0x10", "unbalanced quotes in input file name" },
		{ "FILE:FILE:a 0x10",
		  "duplicate input file specification prefix" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request r;
		request_llvm(rows[i].line, strlen(rows[i].line), false, true,
			     &r);
		cr_expect_eq(r.place, PLACE_NOTHING, "%s", rows[i].line);
		cr_assert_not_null(r.problem, "%s", rows[i].line);
		cr_expect_str_eq(r.problem, rows[i].problem, "%s",
				 rows[i].line);
	}
}

/* The module is that of the command line. */
Test(request, llvm_without_module)
{
	struct request r;
	request_llvm("DATA 0x10", 9, false, false, &r);
	cr_expect(r.place == PLACE_ADDRESS && r.kind == REQUEST_DATA &&
		  r.address == 16 && !r.module.length);
	request_llvm("11ec trailing", 13, true, false, &r);
	cr_expect(r.place == PLACE_ADDRESS && r.address == 0x11ec);
	request_llvm("0X11EC", 6, true, false, &r);
	cr_expect(r.place == PLACE_ADDRESS && r.address == 0x11ec);
	request_llvm("FILE:a 0x10", 11, false, false, &r);
	cr_expect_str_eq(r.problem,
			 "input file has already been specified");
	request_llvm("10000000000000000", 17, true, false, &r);
	cr_expect_eq(r.place, PLACE_NOTHING);
}
