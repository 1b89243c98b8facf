/* SPDX-License-Identifier: MIT */
/* Where supplementary files, split units and packages are searched. */
#include "config.h"

#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t id[] = { 0xab, 0xcd, 0xef, 0x01 };
static const uint8_t other_id[] = { 0xab, 0xcd, 0xef, 0x02 };

/* A temporary folder of the test, and paths in it. */
struct place {
	char root[32];
	char tree[64]; /* a tree of debug files */
	const char *directories[1];
	struct gsym_find find;
};

static char *path_in(const struct place *p, const char *name)
{
	char *path;

	cr_assert(asprintf(&path, "%s/%s", p->root, name) > 0);
	return path;
}

static void make_folder(const struct place *p, const char *name)
{
	char *path = path_in(p, name);

	cr_assert_eq(mkdir(path, 0700), 0, "%s", path);
	free(path);
}

static const struct gsym_convert_options options = { .threads = 1 };

static struct place *set_up(void)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->root, "/tmp/gsym-find-XXXXXX");
	cr_assert(mkdtemp(p->root));
	make_folder(p, "bin");
	make_folder(p, "bin/.dwz");
	make_folder(p, "tree");
	make_folder(p, "tree/.build-id");
	make_folder(p, "tree/.build-id/ab");
	make_folder(p, "tree/.dwz");
	make_folder(p, "tree/.dwz/machine");
	snprintf(p->tree, sizeof(p->tree), "%s/tree", p->root);
	p->directories[0] = p->tree;
	p->find = (struct gsym_find){ p->directories, 1, &options };
	return p;
}

static void tear_down(struct place *p)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->root);
	cr_assert_eq(system(command), 0);
	free(p);
}

static void save(const struct place *p, const char *name, struct elfb *b)
{
	char *path = path_in(p, name);
	FILE *f = fopen(path, "wb");
	uint8_t *bytes;
	size_t size;

	bytes = elfb_finish(b, &size);
	cr_assert(f);
	cr_assert_eq(fwrite(bytes, 1, size, f), size);
	fclose(f);
	free(bytes);
	free(path);
	elfb_free(b);
}

/* Save a file with the build ID BUILD_ID. */
static void save_other(const struct place *p, const char *name,
		       const uint8_t *build_id)
{
	struct elfb *b = elfb_new(64, false, ET_EXEC, EM_X86_64);

	elfb_note(b, ".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID, build_id, 4);
	save(p, name, b);
}

/* Save a file with the section NAME of SIZE bytes. */
static void save_section(const struct place *p, const char *file,
			 const char *name, const void *bytes, size_t size)
{
	struct elfb *b = elfb_new(64, false, ET_EXEC, EM_X86_64);

	elfb_section(b, name, SHT_PROGBITS, 0, 0, bytes, size);
	save(p, file, b);
}

/* Save bin/prog, whose .gnu_debugaltlink names NAME. */
static void save_program(const struct place *p, const char *name)
{
	uint8_t bytes[128];
	size_t length = strlen(name) + 1;

	memcpy(bytes, name, length);
	memcpy(bytes + length, id, sizeof(id));
	save_section(p, "bin/prog", ".gnu_debugaltlink", bytes,
		     length + sizeof(id));
}

/* Whether the supplementary file of FILE is found; a warning has to contain
 * EXPECTED. */
static bool finds(const struct place *p, const char *file,
		  const char *expected)
{
	char *path = path_in(p, file);
	struct gsym_container *c = NULL;
	bool found;

	cr_assert_eq(gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
					 NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(gsym_elf_find_alternate(&p->find, path, c, NULL), GSYM_OK);
	found = c->alternate;
	cr_expect_eq(c->warnings.count, expected ? 1 : 0);
	if (expected && c->warnings.count) {
		cr_expect_eq(c->warnings.items[0].kind,
			     GSYM_WARN_MISSING_FILE);
		cr_expect(strstr(c->warnings.items[0].text, expected), "%s",
			  c->warnings.items[0].text);
	}
	gsym_container_free(c);
	free(path);
	return found;
}

Test(find, no_section)
{
	struct place *p = set_up();

	save_other(p, "bin/prog", id);
	cr_expect(!finds(p, "bin/prog", NULL));
	tear_down(p);
}

Test(find, relative_name)
{
	struct place *p = set_up();

	save_program(p, "../other");
	save_other(p, "other", id);
	cr_expect(finds(p, "bin/prog", NULL));
	tear_down(p);
}

/* The name is relative to the folder of the file, or to the folder of a
 * symbolic link to the file. */
Test(find, relative_name_through_a_link)
{
	struct place *p = set_up();
	char *target = path_in(p, "bin/prog"), *link = path_in(p, "link");

	save_program(p, "other");
	cr_assert_eq(symlink(target, link), 0);
	save_other(p, "bin/other", id);
	cr_expect(finds(p, "link", NULL));
	save_other(p, "bin/other", other_id);
	save_other(p, "other", id);
	cr_expect(finds(p, "link", NULL));
	free(target);
	free(link);
	tear_down(p);
}

Test(find, other_build_id)
{
	struct place *p = set_up();

	save_program(p, "../other");
	save_other(p, "other", other_id);
	cr_expect(!finds(p, "bin/prog", "has another build ID"));
	tear_down(p);
}

Test(find, no_elf_file)
{
	struct place *p = set_up();
	char *path = path_in(p, "other");
	FILE *f = fopen(path, "w");

	save_program(p, "../other");
	fputs("no ELF file at all", f);
	fclose(f);
	cr_expect(!finds(p, "bin/prog", "cannot be read"));
	free(path);
	tear_down(p);
}

Test(find, missing)
{
	struct place *p = set_up();

	save_program(p, "../other");
	cr_expect(!finds(p, "bin/prog", "was not found"));
	tear_down(p);
}

Test(find, build_id_tree)
{
	struct place *p = set_up();

	save_program(p, "/nowhere/other");
	save_other(p, "tree/.build-id/ab/cdef01.debug", id);
	cr_expect(finds(p, "bin/prog", NULL));
	tear_down(p);
}

Test(find, dwz_tree)
{
	struct place *p = set_up();

	save_program(p, "/nowhere/.dwz/machine/other");
	save_other(p, "tree/.dwz/machine/other", id);
	cr_expect(finds(p, "bin/prog", NULL));
	save_other(p, "tree/.dwz/machine/other", other_id);
	save_other(p, "tree/.dwz/other", id);
	cr_expect(finds(p, "bin/prog", NULL));
	tear_down(p);
}

Test(find, dwz_beside)
{
	struct place *p = set_up();

	save_program(p, "/nowhere/.dwz/machine/other");
	save_other(p, "bin/.dwz/other", id);
	cr_expect(finds(p, "bin/prog", NULL));
	tear_down(p);
}

/* The name is absolute, and the package was unpacked into some folder. */
Test(find, below_a_folder_above)
{
	struct place *p = set_up();

	save_program(p, "/tree/other");
	save_other(p, "tree/other", id);
	cr_expect(finds(p, "bin/prog", NULL));
	tear_down(p);
}

/* Without a build ID in the link, any file is the right one. */
Test(find, no_build_id_asked_for)
{
	struct place *p = set_up();

	save_section(p, "bin/prog", ".gnu_debugaltlink", "other", 6);
	save_other(p, "bin/other", other_id);
	cr_expect(finds(p, "bin/prog", NULL));
	tear_down(p);
}

Test(find, damaged_sections)
{
	struct place *p = set_up();

	save_section(p, "bin/prog", ".gnu_debugaltlink", "other", 5);
	cr_expect(!finds(p, "bin/prog", NULL));
	save_section(p, "bin/prog", ".gnu_debugaltlink", "\0\1\2\3", 4);
	cr_expect(!finds(p, "bin/prog", NULL));
	save_section(p, "bin/prog", ".debug_sup", "\5\0\0other\0\5a", 11);
	cr_expect(!finds(p, "bin/prog", NULL));
	save_section(p, "bin/prog", ".debug_sup",
		     "\5\0\0other\0\377\377\377\377"
		     "\377\377\377\377\377\377\377\1a", 22);
	cr_expect(!finds(p, "bin/prog", NULL));
	tear_down(p);
}

Test(find, dwarf5_supplementary)
{
	struct place *p = set_up();

	save_section(p, "bin/prog", ".debug_sup", "\5\0\0other\0\2ab", 12);
	save_section(p, "bin/other", ".debug_sup", "\5\0\1\0\2ab", 7);
	cr_expect(finds(p, "bin/prog", NULL));
	save_section(p, "bin/other", ".debug_sup", "\5\0\1\0\2ac", 7);
	cr_expect(!finds(p, "bin/prog", "another build ID"));
	save_section(p, "bin/other", ".debug_sup", "\5\0\0\0\2ab", 7);
	cr_expect(!finds(p, "bin/prog", "another build ID"));
	/* .debug_sup of a supplementary file does not refer to another file. */
	save_section(p, "bin/prog", ".debug_sup", "\5\0\1other\0\2ab", 12);
	cr_expect(!finds(p, "bin/prog", NULL));
	tear_down(p);
}

/* ---- split units --------------------------------------------------------- */

/* Open candidate N for the file NAME, compiled in DIRECTORY. */
static enum gsym_status open_split(const struct place *p,
				   const char *directory, const char *name,
				   unsigned n)
{
	char *path = path_in(p, "bin/prog");
	struct gsym_container *c = NULL, *split = NULL;
	enum gsym_status status;

	cr_assert_eq(gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
					 NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(gsym_find_split(&p->find, path, NULL, c, NULL), GSYM_OK);
	status = c->open_split(c, directory, name, n, &split);
	cr_expect_eq(status == GSYM_OK, split != NULL);
	gsym_container_free(split);
	gsym_container_free(c);
	free(path);
	return status;
}

Test(find, split_files)
{
	struct place *p = set_up();
	char *absolute = path_in(p, "tree/a.dwo");

	save_other(p, "bin/prog", id);
	save_other(p, "tree/a.dwo", id);
	save_other(p, "bin/b.dwo", id);
	save_other(p, "bin/.dwz/c.dwo", id);
	cr_expect_eq(open_split(p, "/nowhere", absolute, 0), GSYM_OK);
	cr_expect_eq(open_split(p, NULL, absolute, 0), GSYM_OK);
	cr_expect_eq(open_split(p, p->tree, "a.dwo", 0), GSYM_OK);
	cr_expect_eq(open_split(p, NULL, "b.dwo", 0), GSYM_ERR_IO);
	cr_expect_eq(open_split(p, NULL, "b.dwo", 1), GSYM_OK);
	cr_expect_eq(open_split(p, "/nowhere", ".dwz/c.dwo", 1), GSYM_OK);
	cr_expect_eq(open_split(p, "/nowhere", "x/b.dwo", 2), GSYM_OK);
	cr_expect_eq(open_split(p, "/nowhere", "/x/b.dwo", 2), GSYM_OK);
	cr_expect_eq(open_split(p, "/nowhere", "b.dwo", 3), GSYM_NOT_FOUND);
	free(absolute);
	tear_down(p);
}

/* Open the package of bin/prog, or WANTED if it is not NULL.  *HAS becomes
 * whether there is a package. */
static enum gsym_status open_package(const struct place *p, const char *wanted,
				     bool *has, size_t *warnings)
{
	const struct gsym_convert_options named = { .threads = 1,
						    .package = wanted };
	struct gsym_find find = p->find;
	char *path = path_in(p, "bin/prog");
	struct gsym_container *c = NULL;
	enum gsym_status status;

	cr_assert_eq(gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
					 NULL, &c, NULL),
		     GSYM_OK);
	find.options = &named;
	status = gsym_find_split(&find, path, NULL, c, NULL);
	*has = c->package;
	*warnings = c->warnings.count;
	gsym_container_free(c);
	free(path);
	return status;
}

Test(find, packages)
{
	struct place *p = set_up();
	char *elsewhere = path_in(p, "tree/elsewhere");
	char *beside = path_in(p, "bin/prog.dwp");
	size_t warnings;
	FILE *f;
	bool has;

	save_other(p, "bin/prog", id);
	cr_expect_eq(open_package(p, NULL, &has, &warnings), GSYM_OK);
	cr_expect(!has && !warnings);
	cr_expect_eq(open_package(p, elsewhere, &has, &warnings), GSYM_ERR_IO);
	cr_expect(!has);
	save_other(p, "tree/elsewhere", id);
	cr_expect_eq(open_package(p, elsewhere, &has, &warnings), GSYM_OK);
	cr_expect(has && !warnings);
	save_other(p, "bin/prog.dwp", id);
	cr_expect_eq(open_package(p, NULL, &has, &warnings), GSYM_OK);
	cr_expect(has && !warnings);
	f = fopen(beside, "w");
	fputs("no ELF file at all", f);
	fclose(f);
	cr_expect_eq(open_package(p, NULL, &has, &warnings), GSYM_OK);
	cr_expect(!has && warnings == 1);
	free(elsewhere);
	free(beside);
	tear_down(p);
}
