/* SPDX-License-Identifier: MIT */
/* Makes, renames, removes and lists the names of files. */
#include "base/system_windows/handle.h"

/* 0 if DONE, else -1 with errno set; A and B are freed. */
static int end(BOOL done, wchar_t *a, wchar_t *b)
{
	int result = done ? 0 : gsym_windows_fail();

	free(a);
	free(b);
	return result;
}

int renameat(int from, const char *path, int to, const char *target)
{
	wchar_t *a = gsym_windows_wide(from, path);
	wchar_t *b = a ? gsym_windows_wide(to, target) : NULL;

	if (!b) {
		free(a);
		return -1;
	}
	return end(MoveFileExW(a, b, MOVEFILE_REPLACE_EXISTING), a, b);
}

int rename(const char *path, const char *target)
{
	return renameat(AT_FDCWD, path, AT_FDCWD, target);
}

int linkat(int from, const char *path, int to, const char *target, int flags)
{
	wchar_t *a = gsym_windows_wide(from, path);
	wchar_t *b = a ? gsym_windows_wide(to, target) : NULL;

	(void)flags;
	if (!b) {
		free(a);
		return -1;
	}
	return end(CreateHardLinkW(b, a, NULL), a, b);
}

int symlinkat(const char *target, int folder, const char *path)
{
	(void)target, (void)folder, (void)path;
	return gsym_windows_refuse(ENOSYS);
}

ssize_t readlink(const char *path, char *target, size_t size)
{
	struct stat st;

	(void)target, (void)size;
	return lstat(path, &st) != 0 ? -1 : gsym_windows_refuse(EINVAL);
}

int unlinkat(int folder, const char *path, int flags)
{
	wchar_t *wide = gsym_windows_wide(folder, path);

	if (!wide)
		return -1;
	return end(flags & AT_REMOVEDIR ? RemoveDirectoryW(wide)
					: DeleteFileW(wide),
		   wide, NULL);
}

int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
	return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int folder, const char *path, unsigned mode)
{
	wchar_t *wide = gsym_windows_wide(folder, path);

	(void)mode;
	return wide ? end(CreateDirectoryW(wide, NULL), wide, NULL) : -1;
}

int mkdir(const char *path, unsigned mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

/* ---- folders ------------------------------------------------------------- */

struct gsym_windows_dir {
	HANDLE search;
	/* Of fdopendir; -1. */
	int fd;
	/* What "next" has was not returned yet. */
	bool pending;
	WIN32_FIND_DATAW next;
	struct dirent entry;
};

/* The names in the folder PATH, which is freed. */
static DIR *list(wchar_t *path, int fd)
{
	size_t size = path ? wcslen(path) : 0;
	wchar_t *pattern = path ? malloc((size + 3) * sizeof(*path)) : NULL;
	DIR *dir = pattern ? calloc(1, sizeof(*dir)) : NULL;

	if (dir) {
		memcpy(pattern, path, size * sizeof(*path));
		wcscpy(pattern + size, L"\\*");
		dir->fd = fd;
		dir->search = FindFirstFileW(pattern, &dir->next);
		dir->pending = true;
		if (dir->search == INVALID_HANDLE_VALUE) {
			gsym_windows_fail();
			free(dir);
			dir = NULL;
		}
	}
	free(pattern);
	free(path);
	return dir;
}

DIR *opendir(const char *path)
{
	return list(gsym_windows_wide(AT_FDCWD, path), -1);
}

DIR *fdopendir(int fd)
{
	return list(gsym_windows_wide(fd, "."), fd);
}

struct dirent *readdir(DIR *dir)
{
	char *name;

	if (!dir->pending && !FindNextFileW(dir->search, &dir->next)) {
		if (GetLastError() != ERROR_NO_MORE_FILES)
			gsym_windows_fail();
		return NULL;
	}
	dir->pending = false;
	name = gsym_windows_narrow(dir->next.cFileName);
	if (!name)
		return NULL;
	strcpy(dir->entry.d_name, name);
	free(name);
	return &dir->entry;
}

int closedir(DIR *dir)
{
	FindClose(dir->search);
	if (dir->fd >= 0)
		close(dir->fd);
	free(dir);
	return 0;
}
