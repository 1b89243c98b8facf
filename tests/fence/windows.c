/* SPDX-License-Identifier: MIT */
/* What the files of libgsym/base/system_windows refuse, and what not: cross.sh
 * runs this program.
 *
 * usage: windows FOLDER PATH OPTION=PATH
 *
 * FOLDER, with slashes, has the empty folder "root"; PATH is that of a file,
 * with backslashes, and longer than MAX_PATH. */
#include "base/debug_path.h"
#include "base/fd.h"
#include "base/system.h"
#include "base/system_windows/handle.h"

static int bad;

#define CHECK(good, what) check(good, #good, what)

static void check(bool good, const char *text, const char *what)
{
	if (good)
		return;
	printf("windows.c: %s: %s: errno %d\n", what, text, errno);
	bad = 1;
}

static bool can_open(const char *path)
{
	int fd = gsym_fd_open(path, O_RDONLY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Nobody connects to a pipe, by none of its paths. */
static void check_pipe(void)
{
	static const char *const paths[] = {
		"//./pipe/gsym",  "\\\\.\\pipe\\gsym", "//?/pipe/gsym",
		"/\\./pipe/gsym", "\\??\\pipe\\gsym",  "//localhost/pipe/gsym",
		"//server/share", "//?/UNC/server/x",
	};
	HANDLE pipe = CreateNamedPipeW(L"\\\\.\\pipe\\gsym", PIPE_ACCESS_DUPLEX,
				       PIPE_NOWAIT, 1, 64, 64, 0, NULL);
	struct stat st;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		CHECK(!can_open(paths[i]) && errno == ENODEV, paths[i]);
		CHECK(stat(paths[i], &st) && errno == ENODEV, paths[i]);
		CHECK(gsym_fd_open_file(paths[i]) < 0, paths[i]);
		CHECK(!opendir(paths[i]), paths[i]);
	}
	CHECK(!ConnectNamedPipe(pipe, NULL) &&
		      GetLastError() == ERROR_PIPE_LISTENING,
	      "nobody connected");
	/* The server would see somebody who does. */
	CreateFileW(L"\\\\.\\pipe\\gsym", GENERIC_READ, 0, NULL, OPEN_EXISTING,
		    0, NULL);
	CHECK(!ConnectNamedPipe(pipe, NULL) &&
		      GetLastError() == ERROR_PIPE_CONNECTED,
	      "somebody connected");
}

/* Names of devices are refused, also below a folder. */
static void check_devices(const char *folder)
{
	static const char *const devices[] = {
		"nul", "NUL.gsym", "con",       "Aux.tar.gz", "prn ",
		"COM1", "lpt9.x",  "com\u00b2", "conin$",     "nul:x",
	};
	static const char *const files[] = {
		"null", "com0", "com10", "console", "xnul", "a.nul",
	};
	int fd = open(folder, SYSTEM_FOLDER);
	char *path;

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		path = gsym_path_print("%s/%s", folder, devices[i]);
		CHECK(!make(path) && errno == ENODEV, devices[i]);
		CHECK(!make(devices[i]) && errno == ENODEV, devices[i]);
		CHECK(openat(fd, devices[i], O_WRONLY | O_CREAT, 0600) < 0,
		      devices[i]);
		free(path);
	}
	CHECK(!make("Z:nul") && errno == ENODEV, "Z:nul");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		path = gsym_path_print("%s/%s", folder, files[i]);
		CHECK(make(path) && unlink(path) == 0, files[i]);
		free(path);
	}
	CHECK(can_open("/dev/null"), "/dev/null");
	close(fd);
}

/* Whether PATH is found below ROOT. */
static bool is_below(const char *root, const char *path)
{
	int fd = gsym_fd_open_below(root, path);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* No path leads out of a root. */
static void check_below(const char *folder)
{
	char *root = gsym_path_print("%s/root", folder);
	char *inside = gsym_path_print("%s/root/file", folder);
	char *outside = gsym_path_print("%s/file", folder);
	char *paths[] = {
		gsym_path_print("/%s", outside),
		gsym_path_print("/%s", outside + 2),
		gsym_path_print("/%s", outside),
		gsym_path_print("/..\\file"),
		gsym_path_print("..\\file"),
		gsym_path_print("/.\\..\\file"),
	};

	CHECK(make(inside) && make(outside), "files");
	for (char *at = paths[0]; *at; at++)
		*at = at > paths[0] && *at == '/' ? '\\' : *at;
	for (char *at = paths[1] + 1; *at; at++)
		*at = *at == '/' ? '\\' : *at;
	CHECK(is_below(root, "/file") && is_below(root, "./file"), "/file");
	CHECK(!is_below(root, "/missing"), "/missing");
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		CHECK(!is_below(root, paths[i]), paths[i]);
		free(paths[i]);
	}
	free(root);
	free(inside);
	free(outside);
}

static bool count(void *context, char *path)
{
	++*(int *)context;
	free(path);
	return false;
}

/* The name of a debug file leads to no other folder. */
static void check_links(const char *folder)
{
	static const char *const links[] = { "..\\x", "\\x", "Z:x", "a/b" };
	struct gsym_debug_places places = { .path = folder };
	int tried = 0;

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		places.link = links[i];
		gsym_debug_places_try(&places, count, &tried);
		CHECK(!tried, links[i]);
	}
	places.link = "x.debug";
	gsym_debug_places_try(&places, count, &tried);
	CHECK(tried, "x.debug");
}

/* pread and pwrite leave a pipe alone. */
static void check_transfers(void)
{
	char byte = 'x';
	int ends[2];

	CHECK(_pipe(ends, 64, O_BINARY) == 0 && write(ends[1], &byte, 1) == 1,
	      "pipe");
	CHECK(pread(ends[0], &byte, 1, 0) < 0 && errno == ESPIPE, "pread");
	CHECK(pwrite(ends[1], &byte, 1, 0) < 0 && errno == ESPIPE, "pwrite");
	close(ends[1]);
	CHECK(read(ends[0], &byte, 1) == 1, "read");
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	CHECK(strlen(argv[2]) > MAX_PATH && can_open(argv[2]), argv[2]);
	CHECK(!strchr(argv[2], '\\'), argv[2]);
	CHECK(!strchr(argv[3], '\\'), argv[3]);
	check_pipe();
	check_devices(argv[1]);
	check_below(argv[1]);
	check_links(argv[1]);
	check_transfers();
	return bad;
}
