/* SPDX-License-Identifier: MIT */
/* What a process does besides files; most of it fails. */
#include "base/system_windows/handle.h"

/* ---- other processes ----------------------------------------------------- */

pid_t fork(void)
{
	return gsym_windows_refuse(ENOSYS);
}

int execv(const char *path, char *const *args)
{
	(void)path, (void)args;
	return gsym_windows_refuse(ENOSYS);
}

int execvp(const char *path, char *const *args)
{
	return execv(path, args);
}

pid_t waitpid(pid_t process, int *status, int flags)
{
	(void)process, (void)status, (void)flags;
	return gsym_windows_refuse(ECHILD);
}

int kill(pid_t process, int number)
{
	HANDLE handle;

	if (number)
		return gsym_windows_refuse(ENOSYS);
	handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE,
			     (DWORD)process);
	if (!handle)
		return gsym_windows_refuse(
			GetLastError() == ERROR_ACCESS_DENIED ? EPERM : ESRCH);
	CloseHandle(handle);
	return 0;
}

int setpgid(pid_t process, pid_t group)
{
	(void)process, (void)group;
	return gsym_windows_refuse(ENOSYS);
}

pid_t setsid(void)
{
	return gsym_windows_refuse(ENOSYS);
}

int setpriority(int which, int who, int nice)
{
	(void)which, (void)who, (void)nice;
	return gsym_windows_refuse(ENOSYS);
}

int getrlimit(int resource, struct rlimit *limit)
{
	(void)resource, (void)limit;
	return gsym_windows_refuse(ENOSYS);
}

int setrlimit(int resource, const struct rlimit *limit)
{
	(void)resource, (void)limit;
	return gsym_windows_refuse(ENOSYS);
}

/* ---- signals ------------------------------------------------------------- */

/* Whether the C library has the signal. */
static bool is_known(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGABRT;
}

#undef signal
#undef raise
void (*gsym_windows_signal(int number, void (*handler)(int)))(int)
{
	return is_known(number) ? signal(number, handler) : SIG_DFL;
}

int gsym_windows_raise(int number)
{
	if (is_known(number))
		return raise(number);
	_exit(128 + number);
}

int sigaction(int number, const struct sigaction *action,
	      struct sigaction *before)
{
	void (*old)(int) = SIG_DFL;

	if (number == SIGALRM)
		return gsym_windows_refuse(ENOSYS);
	if (action) {
		old = gsym_windows_signal(number, action->sa_handler);
	} else if (is_known(number)) {
		old = signal(number, SIG_IGN);
		signal(number, old);
	}
	if (before)
		*before = (struct sigaction){ .sa_handler = old };
	return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	(void)how, (void)set;
	if (before)
		*before = 0;
	return 0;
}

unsigned alarm(unsigned seconds)
{
	(void)seconds;
	return 0;
}

const char *strsignal(int number)
{
	(void)number;
	return "a signal";
}

/* ---- waiting ------------------------------------------------------------- */

/* Whether a read of FD would not wait. */
static bool is_ready(int fd)
{
	HANDLE handle = gsym_windows_handle(fd);
	DWORD left;

	if (handle == INVALID_HANDLE_VALUE)
		return true;
	switch (GetFileType(handle)) {
	case FILE_TYPE_PIPE:
		return !PeekNamedPipe(handle, NULL, 0, NULL, &left, NULL) ||
		       left;
	case FILE_TYPE_CHAR:
		return WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
	default:
		return true;
	}
}

int poll(struct pollfd *fds, unsigned count, int milliseconds)
{
	ULONGLONG end = GetTickCount64() +
			(milliseconds > 0 ? (unsigned)milliseconds : 0);

	for (;;) {
		int ready = 0;

		for (unsigned i = 0; i < count; i++) {
			bool good = fds[i].fd >= 0 &&
				    (!(fds[i].events & POLLIN) ||
				     is_ready(fds[i].fd));

			fds[i].revents = good ? fds[i].events : 0;
			ready += good;
		}
		if (ready || (milliseconds >= 0 && GetTickCount64() >= end))
			return ready;
		Sleep(1);
	}
}

/* ---- environment --------------------------------------------------------- */

int getentropy(void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		unsigned value;
		size_t part = size - done < sizeof(value) ? size - done
							  : sizeof(value);

		if (rand_s(&value) != 0)
			return gsym_windows_refuse(EIO);
		memcpy((char *)bytes + done, &value, part);
		done += part;
	}
	return 0;
}

int setenv(const char *name, const char *value, int replace)
{
	if (!replace && getenv(name))
		return 0;
	return _putenv_s(name, value) ? -1 : 0;
}

int unsetenv(const char *name)
{
	return _putenv_s(name, "") ? -1 : 0;
}
