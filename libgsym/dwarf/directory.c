/* SPDX-License-Identifier: MIT */
/* Finds the compilation directory that most units of the project have, which a
 * build in another folder would not have. */
#include "dwarf/unit.h"

#include "base/path_map.h"

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

/* What the vote of the units has come to. */
struct vote {
	const char *most;
	size_t lead;
	/* The last directory that was asked about, and the answer. */
	const char *asked;
	bool fetched;
};

/* Whether the units of DIRECTORY have no vote. */
static bool is_fetched(struct vote *v, const char *directory)
{
	if (!dw_same_text(v->asked, directory)) {
		v->asked = directory;
		v->fetched = gsym_path_is_fetched(directory);
	}
	return v->fetched;
}

void gsym_dw_tell_directory(const struct dw_reader *r, void *self, size_t count,
			    const struct gsym_convert_options *options)
{
	struct vote v = { .most = "", .asked = "" };
	size_t voters = 0, votes = 0;

	/* A directory that more than half of the units have leads in the
	 * end. */
	for (size_t i = 0; i < count; i++) {
		const char *directory = directory_of(r, self, i);

		if (is_fetched(&v, directory))
			continue;
		voters++;
		if (!v.lead)
			v.most = directory;
		if (dw_same_text(v.most, directory))
			v.lead++;
		else
			v.lead--;
	}
	for (size_t i = 0; i < count; i++)
		votes += dw_same_text(v.most, directory_of(r, self, i));
	if (*v.most && votes > voters / 2)
		options->compiled_in(options->context, v.most);
}
