/* SPDX-License-Identifier: MIT */
/*
 * release.h - the names of releases of the Linux kernel, which are names of
 * folders as well: DIR/by-release/RELEASE/vmlinux.gsym.
 */
#ifndef TOOLS_COMMON_RELEASE_H
#define TOOLS_COMMON_RELEASE_H

#include <stdbool.h>
#include <string.h>

/** Whether RELEASE may be the name of a folder: 1 to 64 letters, digits and
 *  signs that leads nowhere else. */
static inline bool release_is_valid(const char *release)
{
	static const char allowed[] =
		"0123456789abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ.+~_-";
	size_t size = strlen(release);
	return size && size <= 64 && strspn(release, allowed) == size &&
	       *release != '.' && !strstr(release, "..");
}

#endif /* TOOLS_COMMON_RELEASE_H */
