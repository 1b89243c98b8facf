/* SPDX-License-Identifier: MIT */
/* The second reader on the cases, cut short and with single bytes changed.  It
 * may find anything, but must neither crash nor run for ever.  What the
 * production reader finds is tested by test_expected.c. */
#include "second/second.h"
#include "support/dwarf_text.h"
#include "unit/dwarf/cases.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct dw_case *const tables[] = {
	dw_tree_cases,	dw_content_cases, dw_name_cases,
	dw_range_cases, dw_line_cases,	  dw_file_cases,
};

/* Larger sections are left out: the tests would take minutes. */
enum { MAX_SIZE = 2000 };

/* Read F.  dwf_container copies the sections to their exact size, so that
 * AddressSanitizer sees reads beyond their end. */
static void read_copy(const struct dw_reader *reader, struct dwf *f)
{
	struct gsym_container *c = dwf_container(f);

	free(dwtext_read(reader, c, DWTEXT_WARNINGS));
	gsym_container_free(c);
}

static void cut(const struct dw_reader *reader, struct dwf *f,
		struct gsym_emit *section)
{
	size_t size = section->size;

	for (section->size = 0; section->size < size; section->size++)
		read_copy(reader, f);
	section->size = size;
}

static void change(const struct dw_reader *reader, struct dwf *f,
		   struct gsym_emit *section)
{
	for (size_t i = 0; i < section->size; i++) {
		static const uint8_t masks[] = { 0xff, 0x01, 0x80 };
		uint8_t byte = section->data[i];

		for (size_t k = 0; k < sizeof(masks); k++) {
			section->data[i] = byte ^ masks[k];
			read_copy(reader, f);
		}
		section->data[i] = byte;
	}
}

static void damage(const struct dw_reader *reader,
		   void (*how)(const struct dw_reader *, struct dwf *,
			       struct gsym_emit *))
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
		for (const struct dw_case *c = tables[t]; c->name; c++) {
			struct dwf f;
			struct dwa *all[] = { &f.main, &f.alternate, &f.split };

			dwf_init(&f, t & 1, t & 2 ? 4 : 8, c->last, false);
			case_build(c, &f);
			for (int k = 0; k < 3; k++)
				for (int i = 0; i < DWA_SECTIONS; i++)
					if (all[k]->sections[i].size <=
					    MAX_SIZE)
						how(reader, &f,
						    &all[k]->sections[i]);
			dwf_fini(&f);
		}
}

Test(second, cut)
{
	damage(&gsym_libdwarf_reader, cut);
}

Test(second, changed)
{
	damage(&gsym_libdwarf_reader, change);
}
