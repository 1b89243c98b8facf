/* SPDX-License-Identifier: MIT */
/* Turns paths and errors of Windows into those of POSIX, and back; makes,
 * renames, removes and lists the names of files. */
#include "base/system_windows/handle.h"

int gsym_windows_refuse(int error)
{
	errno = error;
	return -1;
}

int gsym_windows_fail(void)
{
	static const struct {
		DWORD code;
		int error;
	} known[] = {
		{ ERROR_FILE_NOT_FOUND, ENOENT },
		{ ERROR_PATH_NOT_FOUND, ENOENT },
		{ ERROR_INVALID_NAME, ENOENT },
		{ ERROR_BAD_PATHNAME, ENOENT },
		{ ERROR_BAD_NETPATH, ENOENT },
		{ ERROR_BAD_NET_NAME, ENOENT },
		{ ERROR_INVALID_DRIVE, ENOENT },
		{ ERROR_NO_MORE_FILES, ENOENT },
		{ ERROR_DIRECTORY, ENOTDIR },
		{ ERROR_ACCESS_DENIED, EACCES },
		{ ERROR_SHARING_VIOLATION, EACCES },
		{ ERROR_LOCK_VIOLATION, EACCES },
		{ ERROR_USER_MAPPED_FILE, EACCES },
		{ ERROR_WRITE_PROTECT, EROFS },
		{ ERROR_ALREADY_EXISTS, EEXIST },
		{ ERROR_FILE_EXISTS, EEXIST },
		{ ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
		{ ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
		{ ERROR_NOT_SAME_DEVICE, EXDEV },
		{ ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
		{ ERROR_OUTOFMEMORY, ENOMEM },
		{ ERROR_COMMITMENT_LIMIT, ENOMEM },
		{ ERROR_DISK_FULL, ENOSPC },
		{ ERROR_HANDLE_DISK_FULL, ENOSPC },
		{ ERROR_TOO_MANY_OPEN_FILES, EMFILE },
		{ ERROR_INVALID_HANDLE, EBADF },
		{ ERROR_BROKEN_PIPE, EPIPE },
		{ ERROR_NO_DATA, EPIPE },
		{ ERROR_NOT_SUPPORTED, ENOSYS },
		{ ERROR_INVALID_FUNCTION, ENOSYS },
		{ ERROR_CALL_NOT_IMPLEMENTED, ENOSYS },
		{ ERROR_INVALID_PARAMETER, EINVAL },
		{ ERROR_NEGATIVE_SEEK, EINVAL },
		{ ERROR_NO_UNICODE_TRANSLATION, EILSEQ },
	};
	DWORD code = GetLastError();

	errno = EIO;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].code == code)
			errno = known[i].error;
	return -1;
}

HANDLE gsym_windows_handle(int fd)
{
	HANDLE handle = fd < 0 ? INVALID_HANDLE_VALUE
			       : (HANDLE)_get_osfhandle(fd);

	/* -2: a standard stream that the process was started without. */
	if (handle != INVALID_HANDLE_VALUE && handle != (HANDLE)(intptr_t)-2)
		return handle;
	errno = EBADF;
	return INVALID_HANDLE_VALUE;
}

/* ---- paths --------------------------------------------------------------- */

enum { NAMESPACE = 4 }; /* the length of \\?\ */

wchar_t *gsym_windows_path_of(HANDLE handle)
{
	DWORD room = GetFinalPathNameByHandleW(handle, NULL, 0, 0);
	wchar_t *path = room ? malloc((room + 1) * sizeof(*path)) : NULL;
	DWORD length = path ? GetFinalPathNameByHandleW(handle, path, room, 0)
			    : 0;

	if (length && length < room)
		return path;
	if (!room || path)
		gsym_windows_fail();
	free(path);
	return NULL;
}

static bool is_slash(wchar_t c)
{
	return c == '/' || c == '\\';
}

/* Whether NAME is that of a device, also with an extension, as in "nul.gsym",
 * or with blanks. */
static bool is_device(const wchar_t *name)
{
	static const wchar_t *const devices[] = { L"CON",     L"PRN",
						  L"AUX",     L"NUL",
						  L"CONIN$",  L"CONOUT$",
						  L"COM1",    L"LPT1" };
	size_t length = wcscspn(name, L".:");

	while (length && name[length - 1] == ' ')
		length--;
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		size_t size = wcslen(devices[i]);
		bool numbered = devices[i][size - 1] == '1';

		/* Windows takes the small 1, 2 and 3 for digits, too. */
		if (size == length &&
		    _wcsnicmp(name, devices[i], size - numbered) == 0 &&
		    (!numbered || wcschr(L"123456789\xb9\xb2\xb3",
					 name[size - 1])))
			return true;
	}
	return false;
}

/* Whether PATH is that of a device, a pipe or a server, or the name of a
 * device. */
static bool is_refused(const wchar_t *path)
{
	const wchar_t *name = path;

	if (is_slash(path[0]) && (is_slash(path[1]) || path[1] == '?'))
		return true;
	for (const wchar_t *at = path; *at; at++)
		if (is_slash(*at) || (*at == ':' && at == path + 1))
			name = at + 1;
	return is_device(name);
}

/* The path TEXT in UTF-16, malloc'ed, with BEFORE units of room before it; NULL
 * with errno set. */
static wchar_t *widen(const char *text, size_t before)
{
	int room = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1,
				       NULL, 0);
	wchar_t *wide;

	if (room <= 0) {
		gsym_windows_fail();
		return NULL;
	}
	wide = malloc((before + (size_t)room) * sizeof(*wide));
	if (!wide)
		return NULL;
	MultiByteToWideChar(CP_UTF8, 0, text, -1, wide + before, room);
	if (!is_refused(wide + before))
		return wide;
	free(wide);
	errno = ENODEV;
	return NULL;
}

/* NAME in the form that may be long, malloc'ed, or NULL with errno set; NAME is
 * freed. */
static wchar_t *lengthen(wchar_t *name)
{
	/* As long as the longest prefix. */
	enum { BEFORE = 8 };
	DWORD room = GetFullPathNameW(name, 0, NULL, NULL);
	wchar_t *whole = malloc((room + BEFORE) * sizeof(*whole));
	const wchar_t *prefix = L"\\\\?\\", *rest = whole + BEFORE;

	if (!whole || !room ||
	    GetFullPathNameW(name, room, whole + BEFORE, NULL) >= room) {
		gsym_windows_fail();
		free(whole);
		whole = NULL;
	} else {
		/* \\server\share becomes \\?\UNC\server\share. */
		if (is_slash(rest[0]) && is_slash(rest[1])) {
			prefix = L"\\\\?\\UNC";
			rest++;
		}
		memmove(whole + wcslen(prefix), rest,
			(wcslen(rest) + 1) * sizeof(*whole));
		memcpy(whole, prefix, wcslen(prefix) * sizeof(*whole));
	}
	free(name);
	return whole;
}

/* NAME below the folder of FD, as gsym_windows_wide does it. */
static wchar_t *below(int fd, const char *name)
{
	HANDLE handle = gsym_windows_handle(fd);
	wchar_t *folder, *path;
	size_t length;

	if (handle == INVALID_HANDLE_VALUE)
		return NULL;
	/* No file has such a name; paths with a prefix take no slashes. */
	if (name[strcspn(name, "\\:")] || *name == '/') {
		errno = ENOENT;
		return NULL;
	}
	folder = gsym_windows_path_of(handle);
	if (!folder || strcmp(name, ".") == 0)
		return folder;
	length = wcslen(folder);
	path = widen(name, length + 1);
	if (path) {
		memcpy(path, folder, length * sizeof(*path));
		path[length] = '\\';
		for (wchar_t *at = path + length; *at; at++)
			*at = *at == '/' ? '\\' : *at;
	}
	free(folder);
	return path;
}

wchar_t *gsym_windows_wide(int folder, const char *path)
{
	wchar_t *wide;

	if (!*path) {
		errno = ENOENT;
		return NULL;
	}
	if (folder != AT_FDCWD)
		return below(folder, path);
	if (strcmp(path, "/dev/null") == 0)
		return wcsdup(L"NUL");
	wide = widen(path, 0);
	/* Folders leave 12 units for the names in them. */
	return wide && wcslen(wide) + 12 >= MAX_PATH ? lengthen(wide) : wide;
}

char *gsym_windows_narrow(const wchar_t *text)
{
	bool server = wcsncmp(text, L"\\\\?\\UNC\\", 8) == 0;
	char *narrow;
	int room;

	if (server)
		text += 7;
	else if (wcsncmp(text, L"\\\\?\\", 4) == 0)
		text += 4;
	room = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
	narrow = malloc((size_t)server + (size_t)room);
	if (!narrow)
		return NULL;
	WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow + server, room, NULL,
			    NULL);
	if (server)
		narrow[0] = '/';
	for (char *at = narrow; *at; at++)
		*at = *at == '\\' ? '/' : *at;
	return narrow;
}

char *realpath(const char *path, char *resolved)
{
	int fd = open(path, O_RDONLY);
	wchar_t *whole = NULL;
	char *real = NULL;

	(void)resolved;
	if (fd < 0)
		return NULL;
	whole = gsym_windows_path_of(gsym_windows_handle(fd));
	close(fd);
	/* A path of a server would be refused. */
	if (whole)
		real = wcsncmp(whole, L"\\\\?\\UNC\\", 8) == 0
			       ? strdup(path)
			       : gsym_windows_narrow(whole);
	free(whole);
	return real;
}

size_t gsym_windows_program(char *path, size_t size)
{
	enum { UNITS = 32768 };
	wchar_t *wide = malloc(UNITS * sizeof(*wide));
	DWORD length = wide ? GetModuleFileNameW(NULL, wide, UNITS) : 0;
	char *narrow = length && length < UNITS ? gsym_windows_narrow(wide)
						: NULL;
	size_t bytes = narrow ? strlen(narrow) : 0;

	if (bytes >= size)
		bytes = 0;
	if (bytes)
		memcpy(path, narrow, bytes + 1);
	free(narrow);
	free(wide);
	return bytes;
}

/* ---- names --------------------------------------------------------------- */

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
	/* Of fdopendir; -1: there is no descriptor. */
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

int dirfd(DIR *dir)
{
	return dir->fd;
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
