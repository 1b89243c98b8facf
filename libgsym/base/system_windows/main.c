/* SPDX-License-Identifier: MIT */
/* Begins a tool: arguments in UTF-8, and streams that change no bytes. */
#include "base/system_windows/handle.h"

#include <shellapi.h>

/* A wrong descriptor is an error of the caller, and ends no process. */
static void ignore(const wchar_t *expression, const wchar_t *function,
		   const wchar_t *file, unsigned line, uintptr_t reserved)
{
	(void)expression, (void)function, (void)file, (void)line,
		(void)reserved;
}

/* TEXT with slashes, malloc'ed, if it is the path of a file, or of one that
 * could be made in a folder; else NULL. */
static char *path_of(const wchar_t *text)
{
	char *path = wcschr(text, '\\') ? gsym_windows_narrow(text) : NULL;
	char *slash = path ? strrchr(path, '/') : NULL;
	struct stat st;
	bool found = slash && stat(path, &st) == 0;

	if (slash && !found) {
		*slash = 0;
		found = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
		*slash = '/';
	}
	if (found)
		return path;
	free(path);
	return NULL;
}

/* TEXT in UTF-8, malloc'ed, with slashes in the path that it is, or that is the
 * value of the option that it is. */
static char *argument_of(wchar_t *text)
{
	wchar_t *value = wcsncmp(text, L"--", 2) == 0 ? wcschr(text, '=')
						      : NULL;
	wchar_t *start = value ? value + 1 : text;
	char *path = path_of(start), *argument;
	size_t size = path ? strlen(path) + 1 : 0;
	int room;

	if (path)
		*start = 0;
	room = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
	argument = malloc((size_t)room + size);
	if (argument)
		WideCharToMultiByte(CP_UTF8, 0, text, -1, argument, room, NULL,
				    NULL);
	if (argument && path)
		memcpy(argument + room - 1, path, size);
	free(path);
	return argument;
}

#undef main
int main(void)
{
	int argc;
	wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &argc);
	char **argv = wide ? calloc((size_t)argc + 1, sizeof(*argv)) : NULL;

	_set_invalid_parameter_handler(ignore);
	for (int fd = 0; fd <= 2; fd++)
		_setmode(fd, O_BINARY);
	for (int i = 0; argv && i < argc; i++) {
		argv[i] = argument_of(wide[i]);
		if (!argv[i])
			return 1;
	}
	return argv ? gsym_windows_main(argc, argv) : 1;
}
