/* SPDX-License-Identifier: MIT */
/* Opens, reads, writes and maps files, tells their status, and has memory. */
#include "base/system_windows/handle.h"

/* ---- open ---------------------------------------------------------------- */

/* As CreateFile; without the flag FILE_FLAG_BACKUP_SEMANTICS in HOW folders
 * cannot be opened.  Other processes learn nothing of this user. */
static HANDLE create(const wchar_t *path, DWORD access, DWORD disposition,
		     DWORD how)
{
	return CreateFileW(
		path, access,
		FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
		disposition, how | SECURITY_SQOS_PRESENT | SECURITY_ANONYMOUS,
		NULL);
}

/* A handle of the file PATH for FLAGS; DISPOSITION is that of CreateFile. */
static HANDLE open_handle(const wchar_t *path, int flags, DWORD disposition)
{
	DWORD access = GENERIC_READ;
	DWORD how = FILE_FLAG_BACKUP_SEMANTICS;

	if ((flags & O_ACCMODE) == O_WRONLY)
		access = GENERIC_WRITE | FILE_READ_ATTRIBUTES;
	else if ((flags & O_ACCMODE) == O_RDWR)
		access = GENERIC_READ | GENERIC_WRITE;
	if (flags & O_NOFOLLOW)
		how |= FILE_FLAG_OPEN_REPARSE_POINT;
	if (flags & O_TMPFILE) {
		access |= DELETE;
		how = FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE;
	}
	return create(path, access, disposition, how);
}

/* Why the file HANDLE is not what FLAGS want: an errno, or 0. */
static int misfit(HANDLE handle, int flags)
{
	BY_HANDLE_FILE_INFORMATION info;
	bool folder;

	if (GetFileType(handle) != FILE_TYPE_DISK ||
	    !GetFileInformationByHandle(handle, &info))
		return flags & O_DIRECTORY ? ENOTDIR : 0;
	folder = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
	if ((flags & O_NOFOLLOW) &&
	    (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
		return ELOOP;
	if ((flags & O_DIRECTORY) && !folder)
		return ENOTDIR;
	return folder && (flags & O_ACCMODE) != O_RDONLY ? EISDIR : 0;
}

/* Open PATH, which is freed. */
static int open_wide(wchar_t *path, int flags)
{
	DWORD disposition = OPEN_EXISTING;
	HANDLE handle;
	int error, fd;

	if (!path)
		return -1;
	if (flags & O_CREAT)
		disposition = flags & O_EXCL ? CREATE_NEW : OPEN_ALWAYS;
	handle = open_handle(path, flags, disposition);
	free(path);
	if (handle == INVALID_HANDLE_VALUE)
		return gsym_windows_fail();
	error = misfit(handle, flags);
	fd = error ? -1
		   : _open_osfhandle((intptr_t)handle,
				     (flags & (O_ACCMODE | O_APPEND)) |
					     O_BINARY | O_NOINHERIT);
	if (fd < 0) {
		CloseHandle(handle);
		if (error)
			errno = error;
		return -1;
	}
	if ((flags & O_TRUNC) && ftruncate(fd, 0) != 0) {
		error = errno;
		close(fd);
		return gsym_windows_refuse(error);
	}
	return fd;
}

/* Open a new file with a name that begins with PATH; COUNT X are replaced. */
static int open_new(char *path, char *mark, size_t count, int flags)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	unsigned char random[16];
	int fd = -1;

	for (int tries = 0; fd < 0 && tries < 100; tries++) {
		if (getentropy(random, sizeof(random)) != 0)
			return -1;
		for (size_t i = 0; i < count; i++)
			mark[i] = letters[random[i] % 32];
		fd = open(path, flags | O_RDWR | O_CREAT | O_EXCL);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

int mkostemp(char *path, int flags)
{
	enum { MARKS = 6 };

	return open_new(path, path + strlen(path) - MARKS, MARKS, flags);
}

/* A file in FOLDER that goes away when it is closed.  "/tmp" is the folder for
 * temporary files. */
static int open_nameless(const char *folder)
{
	enum { MARKS = 12 };
	wchar_t temporary[MAX_PATH + 1];
	char *own = NULL, *path;
	int fd = -1, length;

	if (strcmp(folder, "/tmp") == 0 &&
	    GetTempPathW(MAX_PATH + 1, temporary)) {
		folder = own = gsym_windows_narrow(temporary);
		if (!own)
			return -1;
	}
	length = asprintf(&path, "%s/gsym.%*s", folder, MARKS, "");
	free(own);
	if (length < 0)
		return gsym_windows_refuse(ENOMEM);
	fd = open_new(path, path + length - MARKS, MARKS, O_TMPFILE);
	free(path);
	return fd;
}

int openat(int folder, const char *path, int flags, ...)
{
	if ((flags & O_TMPFILE) && !(flags & O_CREAT))
		return open_nameless(path);
	return open_wide(gsym_windows_wide(folder, path), flags);
}

int open(const char *path, int flags, ...)
{
	return openat(AT_FDCWD, path, flags);
}

FILE *fopen(const char *path, const char *mode)
{
	int flags = O_RDONLY, fd;
	FILE *file;

	if (*mode != 'r')
		flags = O_WRONLY | O_CREAT |
			(*mode == 'w' ? O_TRUNC : O_APPEND);
	fd = open(path, flags);
	file = fd >= 0 ? fdopen(fd, mode) : NULL;
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

FILE *fdopen(int fd, const char *mode)
{
	return _fdopen(fd, *mode == 'r' ? "rb" : *mode == 'w' ? "wb" : "ab");
}

int fcntl(int fd, int command, ...)
{
	if (command == F_DUPFD_CLOEXEC)
		return _dup(fd);
	return gsym_windows_handle(fd) == INVALID_HANDLE_VALUE ? -1 : 0;
}

int isatty(int fd)
{
	HANDLE handle = gsym_windows_handle(fd);
	DWORD mode;

	return handle != INVALID_HANDLE_VALUE && GetConsoleMode(handle, &mode);
}

int flock(int fd, int operation)
{
	(void)fd, (void)operation;
	return gsym_windows_refuse(ENOSYS);
}

/* ---- status -------------------------------------------------------------- */

static struct timespec time_of(FILETIME time)
{
	/* Units of 100 ns since 1601. */
	const int64_t unit = 10000000, start = INT64_C(11644473600);
	int64_t value = (int64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;

	return (struct timespec){ value / unit - start,
				  (long)(value % unit) * 100 };
}

static int stat_handle(HANDLE handle, struct stat *ret)
{
	BY_HANDLE_FILE_INFORMATION i;
	DWORD attributes;

	*ret = (struct stat){ .st_nlink = 1 };
	switch (GetFileType(handle)) {
	case FILE_TYPE_DISK: break;
	case FILE_TYPE_CHAR: ret->st_mode = 0020600; return 0;
	case FILE_TYPE_PIPE: ret->st_mode = 0010600; return 0;
	default: return gsym_windows_refuse(EBADF);
	}
	if (!GetFileInformationByHandle(handle, &i))
		return gsym_windows_fail();
	attributes = i.dwFileAttributes;
	ret->st_mode = attributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666;
	if (attributes & FILE_ATTRIBUTE_REPARSE_POINT)
		ret->st_mode |= 0120000;
	else if (attributes & FILE_ATTRIBUTE_DIRECTORY)
		ret->st_mode |= 0040111;
	else
		ret->st_mode |= 0100000;
	ret->st_dev = i.dwVolumeSerialNumber;
	ret->st_ino = (uint64_t)i.nFileIndexHigh << 32 | i.nFileIndexLow;
	ret->st_nlink = i.nNumberOfLinks;
	ret->st_size = (int64_t)i.nFileSizeHigh << 32 | i.nFileSizeLow;
	ret->st_blocks = (ret->st_size + 511) / 512;
	ret->st_atim = time_of(i.ftLastAccessTime);
	ret->st_mtim = time_of(i.ftLastWriteTime);
	ret->st_ctim = ret->st_mtim;
	return 0;
}

int fstat(int fd, struct stat *ret)
{
	HANDLE handle = gsym_windows_handle(fd);

	return handle == INVALID_HANDLE_VALUE ? -1 : stat_handle(handle, ret);
}

int fstatat(int folder, const char *path, struct stat *ret, int flags)
{
	wchar_t *wide = gsym_windows_wide(folder, path);
	DWORD how = FILE_FLAG_BACKUP_SEMANTICS;
	HANDLE handle;
	int result;

	if (!wide)
		return -1;
	if (flags & AT_SYMLINK_NOFOLLOW)
		how |= FILE_FLAG_OPEN_REPARSE_POINT;
	handle = create(wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING, how);
	free(wide);
	if (handle == INVALID_HANDLE_VALUE)
		return gsym_windows_fail();
	result = stat_handle(handle, ret);
	CloseHandle(handle);
	return result;
}

int stat(const char *path, struct stat *ret)
{
	return fstatat(AT_FDCWD, path, ret, 0);
}

int lstat(const char *path, struct stat *ret)
{
	return fstatat(AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW);
}

int faccessat(int folder, const char *path, int mode, int flags)
{
	struct stat st;

	if (fstatat(folder, path, &st, flags) != 0)
		return -1;
	return !(mode & W_OK) || (st.st_mode & 0200)
		       ? 0
		       : gsym_windows_refuse(EACCES);
}

int access(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, 0);
}

int fchmod(int fd, unsigned mode)
{
	(void)mode;
	return gsym_windows_handle(fd) == INVALID_HANDLE_VALUE ? -1 : 0;
}

/* ---- contents ------------------------------------------------------------ */

/* Set *PLACE to where HANDLE is read or written next, for which pread and
 * pwrite have to care.  Returns whether there is such a place: a pipe or a
 * console has none. */
static bool find_place(HANDLE handle, LARGE_INTEGER *place)
{
	if (handle == INVALID_HANDLE_VALUE)
		return false;
	if (GetFileType(handle) == FILE_TYPE_DISK &&
	    SetFilePointerEx(handle, (LARGE_INTEGER){ .QuadPart = 0 }, place,
			     FILE_CURRENT))
		return true;
	errno = ESPIPE;
	return false;
}

/* Read SIZE bytes of FD at OFFSET to BYTES, or WRITE those there. */
static ssize_t transfer(int fd, void *bytes, size_t size, int64_t offset,
			bool write)
{
	HANDLE handle = gsym_windows_handle(fd);
	OVERLAPPED at = { .Offset = (DWORD)offset,
			  .OffsetHigh = (DWORD)(offset >> 32) };
	DWORD done = 0, part = size < (1u << 30) ? (DWORD)size : 1u << 30;
	LARGE_INTEGER place;
	bool good;

	if (!find_place(handle, &place))
		return -1;
	good = write ? WriteFile(handle, bytes, part, &done, &at)
		     : ReadFile(handle, bytes, part, &done, &at) ||
			       GetLastError() == ERROR_HANDLE_EOF;
	if (!good)
		gsym_windows_fail();
	SetFilePointerEx(handle, place, NULL, FILE_BEGIN);
	return good ? (ssize_t)done : -1;
}

ssize_t pread(int fd, void *bytes, size_t size, int64_t offset)
{
	return transfer(fd, bytes, size, offset, false);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, int64_t offset)
{
	return transfer(fd, (void *)(uintptr_t)bytes, size, offset, true);
}

int fsync(int fd)
{
	return _commit(fd);
}

int ftruncate(int fd, int64_t size)
{
	FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = size };
	HANDLE handle = gsym_windows_handle(fd);

	if (handle == INVALID_HANDLE_VALUE)
		return -1;
	return SetFileInformationByHandle(handle, FileEndOfFileInfo, &end,
					  sizeof(end))
		       ? 0
		       : gsym_windows_fail();
}

int posix_fallocate(int fd, int64_t offset, int64_t size)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || (st.st_size < offset + size &&
				    ftruncate(fd, offset + size) != 0))
		return errno;
	return 0;
}

/* ---- mappings and memory ------------------------------------------------- */

/* Map SIZE bytes of FD at OFFSET. */
static void *map_file(int fd, size_t size, int protection, int flags,
		      int64_t offset)
{
	DWORD page = PAGE_READONLY, access = FILE_MAP_READ;
	HANDLE handle = gsym_windows_handle(fd), mapping;
	void *at;

	if (handle == INVALID_HANDLE_VALUE)
		return MAP_FAILED;
	if (protection & PROT_WRITE) {
		page = flags & MAP_SHARED ? PAGE_READWRITE : PAGE_WRITECOPY;
		access = flags & MAP_SHARED ? FILE_MAP_WRITE : FILE_MAP_COPY;
	}
	mapping = CreateFileMappingW(handle, NULL, page, 0, 0, NULL);
	if (!mapping) {
		gsym_windows_fail();
		return MAP_FAILED;
	}
	at = MapViewOfFile(mapping, access, (DWORD)((uint64_t)offset >> 32),
			   (DWORD)offset, size);
	if (!at)
		gsym_windows_fail();
	/* The view keeps the mapping. */
	CloseHandle(mapping);
	return at ? at : MAP_FAILED;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd,
	   int64_t offset)
{
	if (at || !size) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (!(flags & MAP_ANONYMOUS))
		return map_file(fd, size, protection, flags, offset);
	at = VirtualAlloc(NULL, size, MEM_COMMIT | MEM_RESERVE,
			  protection & PROT_WRITE ? PAGE_READWRITE
						  : PAGE_READONLY);
	if (!at)
		gsym_windows_fail();
	return at ? at : MAP_FAILED;
}

int munmap(void *at, size_t size)
{
	MEMORY_BASIC_INFORMATION info;
	bool done;

	(void)size;
	if (!VirtualQuery(at, &info, sizeof(info)))
		return gsym_windows_fail();
	done = info.Type == MEM_PRIVATE ? VirtualFree(at, 0, MEM_RELEASE)
					: UnmapViewOfFile(at);
	return done ? 0 : gsym_windows_fail();
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	(void)alignment;
	*ret = malloc(size);
	return *ret ? 0 : ENOMEM;
}

/* The pages of a mapping begin at multiples of this number. */
long sysconf(int name)
{
	SYSTEM_INFO info;

	GetSystemInfo(&info);
	return name == _SC_PAGESIZE ? (long)info.dwAllocationGranularity
				    : (long)info.dwNumberOfProcessors;
}
