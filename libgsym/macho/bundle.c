/* SPDX-License-Identifier: MIT */
/* Finds the debug file in a folder that dsymutil made:
 * NAME.dSYM/Contents/Resources/DWARF/NAME. */
#include "base/error.h"
#include "macho/macho.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

/* Set *RET to the path of the only file in FOLDER, whose path is INSIDE. */
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
		path = gsym_find_path("%s/%s", inside, entry->d_name);
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
	inside = gsym_find_path("%s/Contents/Resources/DWARF", path);
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
