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

/* Whether TEXT is the path of a file, or of one that could be made in a
 * folder. */
static bool is_path(const wchar_t *text)
{
	const wchar_t *slash = wcsrchr(text, '\\');
	size_t length = slash ? (size_t)(slash - text) : 0;
	wchar_t folder[MAX_PATH + 1];
	DWORD kind;

	if (!length || length > MAX_PATH)
		return false;
	if (GetFileAttributesW(text) != INVALID_FILE_ATTRIBUTES)
		return true;
	memcpy(folder, text, length * sizeof(*folder));
	folder[length] = 0;
	kind = GetFileAttributesW(folder);
	return kind != INVALID_FILE_ATTRIBUTES &&
	       (kind & FILE_ATTRIBUTE_DIRECTORY);
}

/* TEXT in UTF-8, malloc'ed, with slashes in the path that it is, or that is the
 * value of the option that it is. */
static char *argument_of(wchar_t *text)
{
	wchar_t *value = wcsncmp(text, L"--", 2) == 0 ? wcschr(text, '=')
						      : NULL;
	wchar_t *path = value ? value + 1 : text;
	char *argument;
	int room;

	if (is_path(path))
		for (wchar_t *at = path; *at; at++)
			*at = *at == '\\' ? '/' : *at;
	room = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
	argument = malloc((size_t)room);
	if (argument)
		WideCharToMultiByte(CP_UTF8, 0, text, -1, argument, room, NULL,
				    NULL);
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
