/* SPDX-License-Identifier: MIT */
/* Maps files and memory. */
#include "base/system_windows/handle.h"

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
