/* SPDX-License-Identifier: MIT */
/* Both readers of DWARF on the same bytes: both find what each case expects. */
#include "config.h"

#include "cases.h"
#include "second/second.h"
#include "support/dwarf_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
#define OLD_LIBDWARF false
#else
#define OLD_LIBDWARF true
#endif

/* A way to build a case. */
struct shape {
	unsigned version;
	unsigned address_size;
	bool big_endian;
	bool dwarf64;
};

/* The expected TEXT of a case, with each "%" replaced for SHAPE. */
static char *expand(const char *text, const struct shape *shape)
{
	char *expanded;
	size_t size;
	FILE *out = open_memstream(&expanded, &size);

	for (; *text; text++)
		if (*text != '%')
			fputc(*text, out);
		else if (!strncmp(text, "%file\n", 6))
			text += 5, fputs(shape->version < 5 ?
						 "file 1 /src|x.c\n" :
						 "", out);
		else if (shape->address_size == 8)
			fputs("ffffffff", out);
	fclose(out);
	return expanded;
}

static void check(const struct dw_reader *reader, const char *reader_name,
		  const struct dw_case *c, const struct shape *shape)
{
	struct dwf files;
	struct gsym_container *container;
	char *got, *expected = expand(c->expected, shape);
	bool same;

	dwf_init(&files, shape->big_endian, shape->address_size,
		 shape->version, shape->dwarf64);
	case_build(c, &files);
	container = dwf_container(&files);
	container->code_bit0 = c->code_bit0;
	got = dwtext_read(reader, container, c->all ? DWTEXT_ALL : 0);
	same = !strcmp(got, expected);
	if (!same) {
		free(got);
		got = dwtext_read(reader, container, DWTEXT_WARNINGS);
	}
	cr_expect(same,
		  "%s: %s, DWARF %u of %d bits, %s endian, addresses of %u "
		  "bytes\nexpected:\n%sgot:\n%s",
		  reader_name, c->name, shape->version,
		  shape->dwarf64 ? 64 : 32,
		  shape->big_endian ? "big" : "little", shape->address_size,
		  expected, got);
	free(got);
	free(expected);
	gsym_container_free(container);
	dwf_fini(&files);
}

/* Whether READER reads C rightly. */
static bool can_read(const struct dw_reader *reader, const struct dw_case *c)
{
	if (reader == &gsym_dwarf_scan)
		return true;
	return !c->second_wrong && !(c->old_wrong && OLD_LIBDWARF);
}

static void check_all(const struct dw_reader *reader, const char *name,
		      const struct dw_case *cases)
{
	for (; cases->name; cases++)
		for (unsigned version = cases->first; version <= cases->last;
		     version++)
			for (unsigned bits = 0; bits < 8; bits++) {
				struct shape shape = { version,
						       bits & 1 ? 4 : 8,
						       bits & 2, bits & 4 };

				/* The 64-bit format came with DWARF 3. */
				if (can_read(reader, cases) &&
				    (version > 2 || !shape.dwarf64))
					check(reader, name, cases, &shape);
			}
}

#define BOTH_READERS(test, cases)                                  \
	Test(second, test)                                         \
	{                                                          \
		check_all(&gsym_libdwarf_reader, "second", cases); \
	}                                                          \
	Test(scan, test)                                           \
	{                                                          \
		check_all(&gsym_dwarf_scan, "scan", cases);        \
	}

BOTH_READERS(tree, dw_tree_cases)
BOTH_READERS(names, dw_name_cases)
BOTH_READERS(content, dw_content_cases)
BOTH_READERS(ranges, dw_range_cases)
BOTH_READERS(lines, dw_line_cases)
BOTH_READERS(files, dw_file_cases)
