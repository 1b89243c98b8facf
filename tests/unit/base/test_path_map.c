/* SPDX-License-Identifier: MIT */
/* base/path_map.c: prefixes of paths of source files. */
#include "base/path_map.h"

#include <criterion/criterion.h>

#include <stdlib.h>

/* DIRECTORY and BASENAME, with the maps MAP and OTHER, become the directory
 * WANT and the base name NAME; WANT NULL: no map fits. */
static void check(const char *map, const char *other, const char *directory,
		  const char *basename, const char *want, const char *name)
{
	struct gsym_path_map maps = { 0 };
	struct gsym_path_mapped ret;

	cr_assert(gsym_path_map_add(&maps, (const char *const[]){ map, other },
				    other ? 2 : 1));
	cr_assert(gsym_path_map_apply(&maps, directory, basename, &ret));
	if (want) {
		cr_assert(ret.text, "%s does not fit %s", map, directory);
		cr_expect_str_eq(ret.directory, want);
		cr_expect_str_eq(ret.basename, name);
	} else {
		cr_expect_null(ret.text);
	}
	free(ret.text);
	gsym_path_map_fini(&maps);
}

Test(path_map, prefixes)
{
	check("/a/b=/x", NULL, "/a/b/c", "m.c", "/x/c", "m.c");
	check("/a/b=", NULL, "/a/b", "m.c", "/", "m.c");
	check("/a/b/=", NULL, "/a/b", "m.c", "", "m.c");
	check("/a/b/m.c=/y/n.c", NULL, "/a/b", "m.c", "/y", "n.c");
	check("/a/b=c", NULL, "/a/bee", "m.c", "cee", "m.c");
	check("/a=b=c", NULL, "/a", "m.c", "b=c", "m.c");
	check("/a/b=/x", NULL, "/a", "m.c", NULL, NULL);
	check("/a=/x", "/a/b=/y", "/a/b", "m.c", "/y", "m.c");
	check("/a/b=/y", "/a=/x", "/a/b", "m.c", "/x/b", "m.c");
	check("/a=/x", "/b=/y", "/a", "m.c", "/x", "m.c");
	check("C:\\src\\=", NULL, "C:\\src\\lib", "m.c", "lib", "m.c");
	check("C:\\src=/src", NULL, "C:\\src", "m.c", "/", "src\\m.c");
	check("/a=/x", NULL, "", "", NULL, NULL);
	check("m=n", NULL, "", "m.c", "", "n.c");
}

Test(path_map, automatic)
{
#define HASH "0123456789abcdef0123456789abcdef01234567"
	check("auto", NULL, "/proc/self/cwd/lib", "m.c", "lib", "m.c");
	check("auto", NULL, "/proc/self/cwd", "m.c", "", "m.c");
	check("auto", NULL, "/rustc/" HASH "/library/core", "m.rs",
	      "/rustc/library/core", "m.rs");
	check("auto", NULL, "/rustc/" HASH "0/library", "m.rs", NULL, NULL);
	check("auto", NULL, "/rustc/library", "m.rs", NULL, NULL);
	check("auto", NULL, "/home/me/.cargo/registry/src/index-1/log-0.4/src",
	      "lib.rs", "log-0.4/src", "lib.rs");
	check("auto", NULL, "/c/registry/src/a.io-6f17d22bba15001f/log-0.4/src",
	      "lib.rs", "log-0.4/src", "lib.rs");
	check("auto", NULL, "/c/git/checkouts/log-6f17d22bba15001f/0a1b2c3/src",
	      "lib.rs", "log-6f17d22bba15001f/0a1b2c3/src", "lib.rs");
	check("auto", NULL, "/rust/lib/rustlib/src/rust/library/core", "m.rs",
	      "/rustc/library/core", "m.rs");
	/* Folders of a project whose names are like those of Cargo. */
	check("auto", NULL, "/home/me/registry/src/server", "m.c", NULL, NULL);
	check("auto", NULL, "/home/me/git/checkouts/log/src", "m.c", NULL,
	      NULL);
	check("auto", NULL, "/c/registry/src/a.io-6f17d22bba15001/log", "m.rs",
	      NULL, NULL);
	check("auto", NULL, "/c/registry/src", "a.io-6f17d22bba15001f", NULL,
	      NULL);
	check("auto", NULL, "/usr/include", "stdio.h", NULL, NULL);
	check("auto", "/proc/self/cwd=.", "/proc/self/cwd", "m.c", ".", "m.c");
}

Test(path_map, fetched)
{
	cr_expect(gsym_path_is_fetched("/rustc/" HASH));
	cr_expect(gsym_path_is_fetched("/rust/deps/memchr-2.7.6"));
	cr_expect(gsym_path_is_fetched(
		"/home/me/.cargo/registry/src/index-1/log-0.4"));
	cr_expect(gsym_path_is_fetched(
		"/c/git/checkouts/log-6f17d22bba15001f/0a1b2c3"));
	cr_expect(!gsym_path_is_fetched("/home/me/registry/src/server"));
	cr_expect(!gsym_path_is_fetched("/proc/self/cwd"));
	cr_expect(!gsym_path_is_fetched(""));
}

Test(path_map, texts)
{
	cr_expect(gsym_path_map_valid("auto"));
	cr_expect(gsym_path_map_valid("a="));
	cr_expect(!gsym_path_map_valid("=a"));
	cr_expect(!gsym_path_map_valid(""));
	cr_expect(!gsym_path_map_valid("automatic"));
}

Test(path_map, libraries)
{
	static const struct {
		const char *path;
		bool library;
	} cases[] = {
		{ "/lib/libc.so.6", true },
		{ "/usr/lib/libc-2.31.so", true },
		{ "libx.so", true },
		{ "/tmp/tmp.so/libx.so1 (deleted)", true },
		{ "/tmp/tmp.sorted/program", false },
		{ "/opt/lib.so/program", false },
		{ "/opt/a.source", false },
		{ "a.s", false },
		{ "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(gsym_path_is_library(cases[i].path,
						  strlen(cases[i].path)),
			     cases[i].library, "%s", cases[i].path);
}
