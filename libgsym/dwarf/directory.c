/* SPDX-License-Identifier: MIT */
/* Finds the compilation directory that most units have, which a build in
 * another folder would not have. */
#include "dwarf/unit.h"

#include <gsym/convert.h>

/* Longer compilation directories are not looked at. */
enum { LONGEST_DIRECTORY = 1024 };

/* The compilation directory of unit I, or "". */
static const char *directory_of(const struct dw_reader *r, void *self,
				size_t i)
{
	const char *directory = r->unit(self, i)->comp_dir;

	return directory && *directory == '/' && directory[1] &&
			       strnlen(directory, LONGEST_DIRECTORY + 1) <=
				       LONGEST_DIRECTORY
		       ? directory
		       : "";
}

void gsym_dw_tell_directory(const struct dw_reader *r, void *self, size_t count,
			    const struct gsym_convert_options *options)
{
	const char *most = "";
	size_t lead = 0;

	/* A directory that more than half of the units have leads in the
	 * end. */
	for (size_t i = 0; i < count; i++) {
		const char *directory = directory_of(r, self, i);

		if (!lead)
			most = directory;
		if (dw_same_text(most, directory))
			lead++;
		else
			lead--;
	}
	lead = 0;
	for (size_t i = 0; i < count; i++)
		lead += dw_same_text(most, directory_of(r, self, i));
	if (*most && lead > count / 2)
		options->compiled_in(options->context, most);
}
