/* SPDX-License-Identifier: MIT */
/* A Breakpad file that is converted with the program that it describes. */
#include "object/machoview.h"
#include "support/breakpad_input.h"
#include "support/elf_builder.h"
#include "support/macho_builder.h"

#include <gsym/reader.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Constants of Mach-O. */
enum { EXECUTE = 2, CPU_64 = 0x1000000 };

#define GUID "00112233445566778899AABBCCDDEEFF"
#define LINUX "MODULE Linux x86_64 " GUID "0 a\n"

/* The build ID of an ELF program that has GUID in the MODULE record. */
static const uint8_t build_id[20] = {
	0x33, 0x22, 0x11, 0,	0x55, 0x44, 0x77, 0x66, 0x88, 0x99,
	0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 1,	  2,	3,    4,
};

/* An ELF program at 0x400000: code from 0x401000 to 0x401100, and with a gap
 * from 0x402000 to 0x402010.  ID_SIZE 0: without a build ID. */
static char *elf_program(size_t id_size)
{
	struct elfb *b = elfb_new(64, false, ET_EXEC, EM_X86_64);
	size_t data, size;
	uint8_t *bytes;
	char *path;

	data = elfb_section(b, ".rodata", SHT_PROGBITS, SHF_ALLOC, 0x400000,
			    NULL, 16);
	elfb_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
		     0x401000, NULL, 0x100);
	elfb_section(b, ".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
		     0x402000, NULL, 0x10);
	if (id_size)
		elfb_note(b, ".note.gnu.build-id", "GNU", 3, build_id, id_size);
	elfb_segment(b, PT_LOAD, 0x400000, data);
	bytes = elfb_finish(b, &size);
	path = elfb_save(bytes, size);
	free(bytes);
	elfb_free(b);
	return path;
}

static char *macho_program(void)
{
	static const uint8_t uuid[16] = {
		0,    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
	};
	struct machob *b =
		machob_new(64, false, EXECUTE, CPU_TYPE_X86 | CPU_64, 3);
	uint8_t *bytes;
	size_t size;
	char *path;

	machob_segment(b, "__TEXT", 0x100000000, 0x1000);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = S_ATTR_PURE_INSTRUCTIONS,
		.address = 0x100001000, .size = 0x100 });
	machob_uuid(b, uuid);
	bytes = machob_finish(b, &size);
	path = elfb_save(bytes, size);
	free(bytes);
	machob_free(b);
	return path;
}

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A PE program of 32 bits at 0x400000 with 0x100 bytes of code.  Its time stamp
 * is 0x5f00000a, the size of its image 0x3000.  AGE is the age of its PDB; -1:
 * it names no PDB. */
static char *pe_program(int age)
{
	enum { HEADER = 0x40, OPTIONAL = HEADER + 24,
	       SECTION = OPTIONAL + 0xe0, TEXT = 0x200, SIZE = TEXT + 0x100,
	       DEBUG = TEXT + 0xa0, PDB = TEXT + 0xc0 };
	static const uint8_t guid[16] = {
		0x33, 0x22, 0x11, 0,	0x55, 0x44, 0x77, 0x66,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
	};
	uint8_t p[SIZE] = { 0 };

	memcpy(p, "MZ", 2);
	put(p + 0x3c, HEADER, 4);
	memcpy(p + HEADER, "PE", 2);
	put(p + HEADER + 4, 0x14c, 2);
	put(p + HEADER + 6, 1, 2);
	put(p + HEADER + 8, 0x5f00000a, 4);
	put(p + HEADER + 20, 0xe0, 2);
	put(p + OPTIONAL, 0x10b, 2);
	put(p + OPTIONAL + 28, 0x400000, 4);
	put(p + OPTIONAL + 56, 0x3000, 4);
	put(p + OPTIONAL + 92, 16, 4);
	put(p + OPTIONAL + 144, age < 0 ? 0 : 0x10a0, 4);
	put(p + OPTIONAL + 148, 28, 4);
	memcpy(p + SECTION, ".text", 5);
	put(p + SECTION + 8, 0x100, 4);
	put(p + SECTION + 12, 0x1000, 4);
	put(p + SECTION + 16, 0x100, 4);
	put(p + SECTION + 20, TEXT, 4);
	put(p + SECTION + 36, 0x60000020, 4);
	put(p + DEBUG + 12, 2, 4);
	put(p + DEBUG + 16, 24, 4);
	put(p + DEBUG + 24, PDB, 4);
	memcpy(p + PDB, "RSDS", 4);
	memcpy(p + PDB + 4, guid, 16);
	put(p + PDB + 20, (uint32_t)age, 4);
	return elfb_save(p, SIZE);
}

/* Convert TEXT with the program at PATH, which is malloc'ed; both the file and
 * PATH are removed. */
static enum gsym_status convert(const char *text, char *path,
				struct breakpad_result *ret)
{
	const struct gsym_convert_options options = { .program_file = path };
	enum gsym_status status = breakpad_input_text(text, &options, ret);

	unlink(path);
	free(path);
	return status;
}

static void expect(const struct breakpad_result *r, uint64_t address,
		   const char *want)
{
	const char *got = breakpad_answer(r, address);

	cr_expect_str_eq(got, want, "0x%" PRIx64 ": '%s', not '%s'", address,
			 got, want);
}

static const char functions[] =
	LINUX "FILE 1 /a.c\nFUNC 1000 10 0 f\n1000 10 5 1\n"
	      "FUNC c 20 0 gone\nFUNC fffffffffff00000 10 0 far\n"
	      "PUBLIC 1080 0 last\nPUBLIC 2008 0 fini\nPUBLIC 3000 0 out\n";

Test(breakpad_program, base_and_code)
{
	struct breakpad_result r;
	struct gsym_header header;

	cr_assert_eq(convert(functions, elf_program(20), &r), GSYM_OK, "%s",
		     r.error.message);
	gsym_get_header(r.reader, &header);
	cr_expect_eq(header.base_address, 0x400000);
	expect(&r, 0x401000, "f /a.c:5");
	/* A PUBLIC reaches to the end of its segment, the last one too. */
	expect(&r, 0x4010ff, "last none:0");
	expect(&r, 0x401100, "none");
	expect(&r, 0x40200f, "fini none:0");
	expect(&r, 0x402010, "none");
	expect(&r, 0x40000c, "none");
	expect(&r, 0x403000, "none");
	cr_expect_eq(gsym_function_count(r.reader), 3);
	cr_expect_eq(r.warnings[GSYM_WARN_DEAD_CODE], 3);
	cr_expect_eq(r.warnings[GSYM_WARN_IDENTITY], 0);
	breakpad_result_fini(&r);
}

Test(breakpad_program, link_time_addresses_stay)
{
	struct breakpad_result r;

	cr_assert_eq(convert(LINUX "FUNC 401000 10 0 f\nPUBLIC 1 0 p\n",
			     elf_program(20), &r), GSYM_OK);
	expect(&r, 0x401000, "f none:0");
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 1);
	breakpad_result_fini(&r);
	cr_assert_eq(convert(LINUX "PUBLIC 401000 0 p\n", elf_program(20), &r),
		     GSYM_OK);
	expect(&r, 0x4010ff, "p none:0");
	cr_expect_eq(r.warnings[GSYM_WARN_CONFLICT], 1);
	breakpad_result_fini(&r);
	/* The function lies in code neither with the base added nor without. */
	cr_assert_eq(convert(LINUX "FUNC 801000 10 0 f\n", elf_program(20), &r),
		     GSYM_NOT_FOUND);
}

Test(breakpad_program, another_program_is_refused)
{
	static const char other[] =
		"MODULE Linux x86_64 00112233445566778899AABBCCDDEE000 a\n"
		"FUNC 1000 10 0 f\n";
	static const char code_id[] =
		LINUX "INFO CODE_ID 33221100554477668899AABBCCDDEEFF01020305\n"
		      "FUNC 1000 10 0 f\n";
	struct breakpad_result r;

	cr_expect_eq(convert(other, elf_program(20), &r), GSYM_ERR_ARGUMENT);
	cr_expect(strstr(r.error.message, "332211005544776688"), "%s",
		  r.error.message);
	cr_expect_eq(convert(code_id, elf_program(20), &r), GSYM_ERR_ARGUMENT);
	/* The MODULE id has only 16 bytes. */
	cr_expect_eq(convert(code_id, elf_program(16), &r), GSYM_OK);
	breakpad_result_fini(&r);
	cr_expect_eq(convert(other, strdup("/nowhere/at/all"), &r),
		     GSYM_ERR_IO);
}

Test(breakpad_program, short_identities)
{
	static const char padded[] =
		"MODULE Linux x86_64 00112233445566770000000000000000" "0 a\n"
		"FUNC 1000 10 0 f\n";
	static const char tells[] =
		"MODULE Linux x86_64 00112233445566770000000000000000" "0 a\n"
		"INFO CODE_ID 3322110055447766\nFUNC 1000 10 0 f\n";
	struct breakpad_result r;

	cr_expect_eq(convert(padded, elf_program(8), &r), GSYM_OK);
	cr_expect(r.facts.uuid_is_prefix);
	breakpad_result_fini(&r);
	cr_expect_eq(convert(tells, elf_program(8), &r), GSYM_OK);
	cr_expect(!r.facts.uuid_is_prefix);
	breakpad_result_fini(&r);
	cr_expect_eq(convert(padded, elf_program(9), &r), GSYM_ERR_ARGUMENT);
	/* A program without a build ID may be the right one: there is only a
	 * warning. */
	cr_expect_eq(convert(functions, elf_program(0), &r), GSYM_OK);
	cr_expect_eq(r.warnings[GSYM_WARN_IDENTITY], 1);
	breakpad_result_fini(&r);
}

Test(breakpad_program, mach_o)
{
	struct breakpad_result r;

	cr_assert_eq(convert("MODULE mac x86_64 " GUID "0 a\n"
			     "FUNC 1000 10 0 f\nPUBLIC 1080 0 last\n",
			     macho_program(), &r), GSYM_OK, "%s",
		     r.error.message);
	expect(&r, 0x100001000, "f none:0");
	expect(&r, 0x1000010ff, "last none:0");
	breakpad_result_fini(&r);
	cr_expect_eq(convert(LINUX "FUNC 1000 10 0 f\n", macho_program(), &r),
		     GSYM_ERR_ARGUMENT);
}

/* Convert a file with the records MODULE and INFO with PROGRAM.  WARNED is the
 * expected number of warnings about its identity; -1: it has to be refused. */
static void expect_pe(const char *module, const char *info, char *program,
		      int warned)
{
	char text[512];
	struct breakpad_result r;
	enum gsym_status status;

	snprintf(text, sizeof(text), "%s\n%s\nFUNC 1000 10 0 f\n"
		 "PUBLIC 1080 0 last\n", module, info);
	status = convert(text, program, &r);
	cr_assert_eq(status, warned < 0 ? GSYM_ERR_ARGUMENT : GSYM_OK,
		     "%s %s: %s", module, info, r.error.message);
	if (status != GSYM_OK)
		return;
	cr_expect_eq(r.warnings[GSYM_WARN_IDENTITY], (unsigned)warned,
		     "%s %s: %u", module, info, r.warnings[GSYM_WARN_IDENTITY]);
	expect(&r, 0x401000, "f none:0");
	expect(&r, 0x4010ff, "last none:0");
	expect(&r, 0x401100, "none");
	breakpad_result_fini(&r);
}

#define WINDOWS "MODULE windows x86 "

Test(breakpad_program, pe)
{
	expect_pe(WINDOWS GUID "1 a.pdb", "", pe_program(1), 0);
	expect_pe(WINDOWS GUID "33 a.pdb", "INFO CODE_ID 5F00000A3000 a.exe",
		  pe_program(0x33), 0);
	/* The age differs, then the PDB, then the operating system. */
	expect_pe(WINDOWS GUID "2 a.pdb", "INFO CODE_ID 5F00000A3000 a.exe",
		  pe_program(1), -1);
	expect_pe(WINDOWS "00112233445566778899AABBCCDDEE001 a.pdb", "",
		  pe_program(1), -1);
	expect_pe("MODULE Linux x86 " GUID "1 a", "", pe_program(1), -1);
	/* The age is 0, or missing. */
	expect_pe(WINDOWS GUID "0 a.pdb", "", pe_program(1), 0);
	expect_pe(WINDOWS GUID "1 a.pdb", "", pe_program(0), 0);
	/* If the PDB is right, another CODE_ID is only a warning. */
	expect_pe(WINDOWS GUID "1 a.pdb", "INFO CODE_ID 5F00000B3000 a.exe",
		  pe_program(1), 1);
	expect_pe(WINDOWS GUID "1 a.pdb", "INFO CODE_ID nonsense a.exe",
		  pe_program(1), 0);
}

Test(breakpad_program, pe_that_names_no_pdb)
{
	struct breakpad_result r;

	expect_pe(WINDOWS GUID "1 a.pdb", "INFO CODE_ID 5f00000a3000",
		  pe_program(-1), 0);
	expect_pe(WINDOWS "nonsense a.pdb", "INFO CODE_ID 5F00000A03000 a.exe",
		  pe_program(1), 1);
	expect_pe(WINDOWS GUID "1 a.pdb", "INFO CODE_ID 5F00000A4000 a.exe",
		  pe_program(-1), -1);
	expect_pe(WINDOWS GUID "1 a.pdb", "INFO CODE_ID 5F00000B3000 a.exe",
		  pe_program(-1), -1);
	/* The file and the program have nothing in common that could be
	 * compared. */
	expect_pe(WINDOWS GUID "1 a.pdb", "", pe_program(-1), 1);
	expect_pe(WINDOWS GUID "1 a.pdb", "INFO CODE_ID 5F00000A a.exe",
		  pe_program(-1), 1);
	expect_pe(WINDOWS GUID "1 a.pdb", "INFO CODE_ID 5F00000A300000000 x",
		  pe_program(-1), 1);
	cr_expect_eq(convert(WINDOWS GUID "1 a.pdb\n"
			     "INFO CODE_ID 5F00000A4000 a.exe\n"
			     "FUNC 1000 10 0 f\n", pe_program(-1), &r),
		     GSYM_ERR_ARGUMENT);
	cr_expect_str_eq(r.error.message,
			 "the program is another one: its code ID is "
			 "5F00000A3000, and the file is for 5F00000A4000; if "
			 "they belong together all the same, give the base, "
			 "0x400000, instead");
	cr_expect_eq(convert(WINDOWS GUID "2 a.pdb\nFUNC 1000 10 0 f\n",
			     pe_program(1), &r), GSYM_ERR_ARGUMENT);
	cr_expect_str_eq(r.error.message,
			 "the program is another one: its PDB is "
			 "00112233445566778899aabbccddeeff00000001, and the "
			 "file is for "
			 "00112233445566778899aabbccddeeff00000002; if they "
			 "belong together all the same, give the base, "
			 "0x400000, instead");
}

Test(breakpad_program, options_and_formats)
{
	const struct gsym_convert_options base = { .base = 1 };
	const struct gsym_convert_options go = { .from = GSYM_FROM_GO };
	const struct gsym_convert_options forced = {
		.from = GSYM_FROM_BREAKPAD
	};
	static const char *const starts[] = {
		"INFO X\n", "FILE 1 a\n", "INLINE_ORIGIN 1 a\n",
		"INLINE 0 1 1 1 1 1\n", "STACK CFI x\n", "PUBLIC 8 0 p\n",
		"\r\n \t\nFUNC 10 1 0 f\n", "MODULE x\n",
	};
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_error error;
	struct breakpad_result r;
	char *path = elf_program(20);

	cr_expect_eq(gsym_convert_file(path, &base, builder, NULL, &error),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_convert_file(path, &forced, builder, NULL, &error),
		     GSYM_ERR_FORMAT);
	cr_expect_str_eq(error.message,
			 "line 1, column 1: no record of a Breakpad file");
	unlink(path);
	free(path);
	gsym_builder_free(builder);

	cr_expect_eq(breakpad_input_text(functions, &go, &r), GSYM_ERR_FORMAT);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "%sFUNC 1000 10 0 f\n", starts[i]);
		cr_expect_eq(breakpad_input_text(text, &forced, &r), GSYM_OK,
			     "%s", starts[i]);
		breakpad_result_fini(&r);
		cr_expect_eq(breakpad_input_text(text, NULL, &r),
			     i == 7 ? GSYM_OK : GSYM_ERR_FORMAT);
		if (i == 7)
			breakpad_result_fini(&r);
	}
	cr_expect_eq(breakpad_input_text("\n\n  other text\n", &forced, &r),
		     GSYM_ERR_FORMAT);
	cr_expect_str_eq(r.error.message,
			 "line 3, column 3: no record of a Breakpad file");
}
