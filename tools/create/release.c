/* SPDX-License-Identifier: MIT */
/* Links to installed GSYM files by the release of a kernel (--release), for
 * logs that have no build IDs. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cache.h"
#include "common/path.h"
#include "common/report.h"
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

/* Make PATH, whose folder exists, a link to TARGET, in place of the link that
 * may be there. */
static void make_link(const char *target, const char *path)
{
	char *new = path_print("%s.%ld", path, (long)getpid());
	if (symlink(target, new) < 0 || rename(new, path) < 0) {
		int error = errno;
		unlink(new);
		die("cannot link '%s': %s", path, strerror(error));
	}
	free(new);
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
	if (!cache_make_folders(path))
		die("cannot make the folder of '%s': %s", path,
		    strerror(errno));
	make_link(target, path);
	free(target);
	free(path);
	free(name);
}
