/* SPDX-License-Identifier: MIT */
/* Debug maps, and their objects: files and members of archives. */
#include "macho/macho.h"
#include "unit/macho/program.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- maps --------------------------------------------------------------- */

struct shape {
	unsigned bits;
	bool big_endian;
};

static struct shape shapes[] = {
	{ 64, false }, { 64, true }, { 32, false }, { 32, true },
};

static void put_text(struct machob *b)
{
	static const uint8_t zeros[0x100];

	machob_segment(b, "__TEXT", 0x10000, 0x1000);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = CODE, .address = 0x11000,
		.data = zeros, .size = 0x100 });
}

static struct gsym_container *open_map(struct machob *b, uint8_t **bytes)
{
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };
	size_t size;

	*bytes = machob_finish(b, &size);
	machob_free(b);
	cr_assert_eq(gsym_container_load(&gsym_macho_input, *bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, &error),
		     GSYM_OK, "%s", error.message);
	return c;
}

static void expect(const struct gsym_container *c, size_t i, const char *name,
		   uint64_t address, uint64_t size, bool function)
{
	const struct gsym_linked *l = &c->linked.items[i];

	cr_assert_str_eq(l->name, name);
	cr_assert_eq(l->address, address, "%s", name);
	cr_assert_eq(l->size, size, "%s", name);
	cr_assert_eq(l->function, function, "%s", name);
}

ParameterizedTestParameters(debug_map, all)
{
	return cr_make_param_array(struct shape, shapes, 4);
}

ParameterizedTest(struct shape *shape, debug_map, all)
{
	struct machob *b = machob_new(shape->bits, shape->big_endian, 2,
				      shape->bits == 64 ? X86_64
							: CPU_TYPE_X86, 3);
	struct gsym_container *c;
	uint8_t *bytes;

	put_text(b);
	/* An entry before the first object is ignored. */
	machob_symbol(b, "_stray", N_FUN, 1, 0, 0x11000);
	machob_symbol(b, "", N_FUN, 0, 0, 4);
	machob_symbol(b, "/src/", N_SO, 0, 0, 0);
	machob_symbol(b, "a.c", N_SO, 0, 0, 0);
	machob_symbol(b, "/obj/a.o", N_OSO, 3, 1, 0x5f000000);
	machob_symbol(b, "_f", N_FUN, 1, 0, 0x11000);
	machob_symbol(b, "", N_FUN, 0, 0, 0x20);
	machob_symbol(b, "", N_FUN, 0, 0, 0x30); /* of no function */
	machob_symbol(b, "_global", N_GSYM, 0, 0, 0);
	machob_symbol(b, "_file", N_STSYM, 2, 0, 0x12000);
	machob_symbol(b, "_zero", N_LCSYM, 2, 0, 0x12008);
	machob_symbol(b, "g", N_FUN, 1, 0, 0x11020);
	machob_symbol(b, "", N_SO, 1, 0, 0);
	machob_symbol(b, "", N_FUN, 0, 0, 0x40);
	machob_symbol(b, "_late", N_STSYM, 2, 0, 0x12000);
	machob_symbol(b, "", N_OSO, 0, 0, 0);
	machob_symbol(b, "lib.a(b.o)", N_OSO, 3, 1, 0);
	machob_symbol(b, "_h", N_FUN, 1, 0, 0x11040);
	machob_symbol(b, "_main", GLOBAL, 1, 0, 0x11000);
	c = open_map(b, &bytes);
	cr_assert_eq(c->objects.count, 2);
	cr_assert_str_eq(c->objects.items[0].path, "/obj/a.o");
	cr_assert_eq(c->objects.items[0].time, 0x5f000000);
	cr_assert_eq(c->objects.items[0].first, 0);
	cr_assert_eq(c->objects.items[0].count, 5);
	cr_assert_str_eq(c->objects.items[1].path, "lib.a(b.o)");
	cr_assert_eq(c->objects.items[1].time, 0);
	cr_assert_eq(c->objects.items[1].first, 5);
	cr_assert_eq(c->objects.items[1].count, 1);
	cr_assert_eq(c->linked.count, 6);
	expect(c, 0, "f", 0x11000, 0x20, true);
	expect(c, 1, "global", 0, 0, false);
	expect(c, 2, "file", 0x12000, 0, false);
	expect(c, 3, "zero", 0x12008, 0, false);
	expect(c, 4, "g", 0x11020, 0, true);
	expect(c, 5, "h", 0x11040, 0, true);
	cr_assert(c->open_object);
	/* Entries for debuggers are no symbols. */
	cr_assert_eq(c->symbols.count, 1);
	gsym_container_free(c);
	free(bytes);
}

Test(debug_map, none)
{
	struct machob *b = machob_new(64, false, 2, X86_64, 3);
	struct gsym_container *c;
	uint8_t *bytes;

	put_text(b);
	machob_symbol(b, "_main", GLOBAL, 1, 0, 0x11000);
	c = open_map(b, &bytes);
	cr_assert_eq(c->objects.count, 0);
	cr_assert_null(c->open_object);
	gsym_container_free(c);
	free(bytes);
}

/* ---- objects ------------------------------------------------------------ */

/* The folder of a test, and a program to open objects with. */
static struct gsym_container *opener;
static uint8_t *opener_bytes;
static char folder[64];

static void begin(void)
{
	struct machob *b = machob_new(64, false, 2, X86_64, 3);

	put_text(b);
	machob_symbol(b, "a.o", N_OSO, 3, 1, 0);
	opener = open_map(b, &opener_bytes);
	strcpy(folder, "/tmp/gsym-test-XXXXXX");
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void end(void)
{
	gsym_container_free(opener);
	free(opener_bytes);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(folder), 0);
}

TestSuite(objects, .init = begin, .fini = end);

/* An object with one symbol. */
static uint8_t *object(const char *name, uint32_t cpu, size_t *size)
{
	static const uint8_t zeros[16];
	struct machob *b = machob_new(64, false, MH_OBJECT, cpu, 3);
	uint8_t *bytes;

	machob_segment(b, "", 0, 16);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = CODE, .data = zeros,
		.size = 16 });
	machob_symbol(b, name, GLOBAL, 1, 0, 0);
	bytes = machob_finish(b, size);
	machob_free(b);
	return bytes;
}

static void save(const char *name, const void *bytes, size_t size)
{
	FILE *f = fopen(name, "wb");

	cr_assert(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
}

/* Append a member of an archive to TO at *AT; TIME are its digits. */
static void member(char *to, size_t *at, bool bsd, const char *name,
		   const char *time, const char *symbol, uint32_t cpu)
{
	size_t size, extra = bsd ? (strlen(name) + 8) & ~(size_t)7 : 0;
	uint8_t *bytes = object(symbol, cpu, &size);
	char field[32];

	if (bsd)
		snprintf(field, sizeof(field), "#1/%zu", extra);
	else
		snprintf(field, sizeof(field), "%s/", name);
	*at += (size_t)sprintf(to + *at, "%-16s%-12s%-6s%-6s%-8s%-10zu`\n",
			       field, time, "0", "0", "644", size + extra);
	if (bsd) {
		memset(to + *at, 0, extra);
		memcpy(to + *at, name, strlen(name));
		*at += extra;
	}
	memcpy(to + *at, bytes, size);
	*at += size;
	if (*at & 1)
		to[(*at)++] = '\n';
	free(bytes);
}

static size_t archive(char *to, uint32_t cpu)
{
	size_t at = (size_t)sprintf(to, "!<arch>\n");

	member(to, &at, true, "__.SYMDEF", "7", "_table", cpu);
	member(to, &at, true, "a long name of a file.o", "100", "_long", cpu);
	member(to, &at, true, "twin.o", "200", "_first", cpu);
	member(to, &at, false, "short.o", "300", "_short", cpu);
	member(to, &at, true, "twin.o", "201", "_second", cpu);
	return at;
}

/* Open PATH as an object of TIME and see whether it has the symbol EXPECTED,
 * or, if that is NULL, how it fails.  Returns what it is known by. */
static uint64_t try_open(const char *path, uint64_t time, const char *expected,
			 const char *problem)
{
	const struct gsym_object o = { .path = path, .time = time };
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };
	uint64_t identity[3] = { 0 };
	enum gsym_status status =
		opener->open_object(opener, &o, path, identity, &c, &error);

	if (!expected) {
		cr_assert_neq(status, GSYM_OK, "%s", path);
		cr_assert(strstr(error.message, problem), "%s: %s", path,
			  error.message);
		return 0;
	}
	cr_assert_eq(status, GSYM_OK, "%s: %s", path, error.message);
	cr_assert_eq(c->symbols.count, 1);
	cr_assert_str_eq(c->symbols.items[0].name, expected);
	cr_assert(identity[1]);
	gsym_container_free(c);
	return identity[2];
}

Test(objects, files)
{
	size_t size;
	uint8_t *bytes = object("_f", X86_64, &size);
	struct stat st;

	save("f.o", bytes, size);
	free(bytes);
	cr_assert_eq(stat("f.o", &st), 0);
	try_open("f.o", 0, "f", NULL);
	try_open("f.o", (uint64_t)st.st_mtime, "f", NULL);
	try_open("f.o", (uint64_t)st.st_mtime - 1, NULL, "it was modified");
	try_open("g.o", 0, NULL, "No such file");
	try_open(")", 0, NULL, "No such file");
	bytes = object("_f", ARM64, &size);
	save("f.o", bytes, size);
	free(bytes);
	try_open("f.o", 0, NULL, "no architecture 'x86_64', only arm64");
	unlink("f.o");
}

Test(objects, members)
{
	static char bytes[1 << 14];
	size_t size = archive(bytes, X86_64);
	uint64_t first, second;

	save("lib.a", bytes, size);
	try_open("lib.a(a long name of a file.o)", 0, "long", NULL);
	try_open("lib.a(short.o)", 300, "short", NULL);
	/* Of several members of one name the one with the right time is taken,
	 * or, if any time will do, the first. */
	first = try_open("lib.a(twin.o)", 200, "first", NULL);
	second = try_open("lib.a(twin.o)", 201, "second", NULL);
	cr_assert_neq(first, second);
	cr_assert_eq(try_open("lib.a(twin.o)", 0, "first", NULL), first);
	try_open("lib.a(twin.o)", 202, NULL, "it was modified");
	try_open("lib.a(short)", 0, NULL, "not in the archive");
	try_open("lib.a(short.o.o)", 0, NULL, "not in the archive");
	try_open("lib.a()", 0, NULL, "not in the archive");
	try_open("other.a(short.o)", 0, NULL, "No such file");
	unlink("lib.a");
}

Test(objects, universal_archive)
{
	static char intel[1 << 14], arm[1 << 14];
	struct machob_slice slices[] = {
		{ ARM64, 0, (uint8_t *)arm, 0 },
		{ X86_64, 3, (uint8_t *)intel, 0 },
	};
	uint8_t *bytes;
	size_t size;

	slices[0].size = archive(arm, ARM64);
	slices[1].size = archive(intel, X86_64);
	bytes = machob_universal(32, slices, 2, &size);
	save("lib.a", bytes, size);
	try_open("lib.a(short.o)", 0, "short", NULL);
	free(bytes);
	bytes = machob_universal(32, slices, 1, &size);
	save("arm.a", bytes, size);
	try_open("arm.a(short.o)", 0, NULL, "no architecture 'x86_64'");
	free(bytes);
	unlink("lib.a");
	unlink("arm.a");
}

/* Archives cut anywhere, and each byte of their headers changed: an object or
 * an error. */
Test(objects, damaged_archives)
{
	static char bytes[1 << 14];
	size_t size = archive(bytes, X86_64);
	char name[32];

	for (size_t cut = 1; cut < size; cut += cut < 200 ? 1 : 97) {
		struct gsym_object o = { .path = "x" };
		struct gsym_container *c = NULL;
		struct gsym_error error = { 0 };
		uint64_t identity[3];

		snprintf(name, sizeof(name), "%zu.a", cut);
		save(name, bytes, cut);
		strcat(name, "(twin.o)");
		if (opener->open_object(opener, &o, name, identity, &c,
					&error) == GSYM_OK)
			gsym_container_free(c);
		else
			cr_assert(*error.message);
		*strchr(name, '(') = '\0';
		unlink(name);
	}
	for (size_t at = 0; at < 68; at++) {
		char before = bytes[at];

		bytes[at] = at >= 56 && at < 66 ? '9' : ' ';
		snprintf(name, sizeof(name), "changed%zu.a", at);
		save(name, bytes, size);
		strcat(name, "(short.o)");
		if (at < 8)
			try_open(name, 0, NULL, "no archive");
		else if (at >= 66)
			try_open(name, 0, NULL, "breaks off at 0x8");
		*strchr(name, '(') = '\0';
		unlink(name);
		bytes[at] = before;
	}
}
