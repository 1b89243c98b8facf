/* SPDX-License-Identifier: MIT */
/* Links to installed GSYM files by the release of a kernel (--release), for
 * logs that have no build IDs. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "common/path.h"
#include "create/create.h"

/* The name of the link for the file INPUT, malloc'ed: "vmlinux", "MODULE.ko",
 * or the base name. */
static char *link_name(const char *input)
{
	char *name = path_print("%s", path_base(input));
	char *module = strstr(name, ".ko");
	if (strncmp(name, "vmlinux", 7) == 0)
		name[7] = 0;
	else if (module && (!module[3] || module[3] == '.'))
		module[3] = 0;
	return name;
}

void create_link_release(const struct create *create, const char *input,
			 const char *installed)
{
	char *path, *target, *name;
	if (!create->release)
		return;
	name = link_name(input);
	installed += strlen(create->install);
	installed += strspn(installed, "/");
	path = path_print("%s/by-release/%s/%s.gsym", create->install,
			  create->release, name);
	target = path_print("../../%s", installed);
	outfile_link_below(path, strlen(create->install), target);
	free(target);
	free(path);
	free(name);
}
