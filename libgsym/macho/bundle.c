/* SPDX-License-Identifier: MIT */
/* The folders that dsymutil makes: NAME.dSYM/Contents/Resources/DWARF/NAME. */
#include "base/error.h"
#include "macho/macho.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static char *join(const char *directory, const char *name)
{
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s/%s", directory, name);
	return path;
}

/* The only file of the open folder INSIDE. */
static enum gsym_status only_file(DIR *folder, const char *inside, char **ret,
				  struct gsym_error *error)
{
	const struct dirent *entry;
	char *found = NULL;

	while ((entry = readdir(folder))) {
		struct stat st;
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		path = join(inside, entry->d_name);
		if (!path) {
			free(found);
			return gsym_fail_memory(error);
		}
		if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
			free(path);
			continue;
		}
		if (found) {
			free(found);
			free(path);
			return gsym_fail(error, GSYM_ERR_FORMAT, 0,
					 "several files in "
					 "Contents/Resources/DWARF: name one");
		}
		found = path;
	}
	if (!found)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "no file in Contents/Resources/DWARF");
	*ret = found;
	return GSYM_OK;
}

enum gsym_status gsym_macho_bundle(const char *path, char **ret,
				   struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct stat st;
	char *inside;
	DIR *folder;

	*ret = NULL;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return GSYM_OK;
	inside = join(path, "Contents/Resources/DWARF");
	if (!inside)
		return gsym_fail_memory(error);
	folder = opendir(inside);
	if (folder) {
		status = only_file(folder, inside, ret, error);
		closedir(folder);
	} else if (errno != ENOENT && errno != ENOTDIR) {
		status = gsym_fail(error, GSYM_ERR_IO, 0, "cannot read: %m");
	}
	free(inside);
	return status;
}
