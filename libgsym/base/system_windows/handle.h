/* SPDX-License-Identifier: MIT */
/* base/system_windows/handle.h - paths, descriptors and errors of Windows. */
#ifndef GSYM_BASE_SYSTEM_WINDOWS_HANDLE_H
#define GSYM_BASE_SYSTEM_WINDOWS_HANDLE_H

#include "base/system_windows/posix.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/** Set errno to what the last call of Windows says.  Returns -1. */
int gsym_windows_fail(void);
/** Set errno to ERROR.  Returns -1. */
int gsym_windows_refuse(int error);

/** PATH, in UTF-16, malloc'ed; below FOLDER unless that is AT_FDCWD.  Paths
 *  that are long get the form that may be.  NULL with errno set: ENODEV for
 *  paths of devices, pipes and servers, and for names of devices, as
 *  "nul.gsym", but not for /dev/null; ENOENT for a PATH that leads out of
 *  FOLDER by a drive or by backslashes. */
wchar_t *gsym_windows_wide(int folder, const char *path);
/** TEXT in UTF-8, malloc'ed, with slashes instead of backslashes; the prefix of
 *  long paths is left out.  NULL with errno set. */
char *gsym_windows_narrow(const wchar_t *text);
/** The path of the open file HANDLE, malloc'ed; NULL with errno set. */
wchar_t *gsym_windows_path_of(HANDLE handle);

/** The handle of FD; INVALID_HANDLE_VALUE with errno set. */
HANDLE gsym_windows_handle(int fd);

#endif
