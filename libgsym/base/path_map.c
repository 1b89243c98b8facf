/* SPDX-License-Identifier: MIT */
/* Replaces prefixes of the paths of source files, as the option
 * -ffile-prefix-map of compilers does. */
#include "base/path_map.h"

#include "base/debug_path.h"
#include "base/text.h"

#include <stdlib.h>

static const char automatic[] = "auto";

bool gsym_path_map_valid(const char *text)
{
	return (*text != '=' && strchr(text, '=')) || !strcmp(text, automatic);
}

bool gsym_path_map_add(struct gsym_path_map *map, const char *const *texts,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *copy = strdup(texts[i]);
		char **place = copy ? gsym_vec_push(map) : NULL;

		if (!place) {
			free(copy);
			return false;
		}
		*place = copy;
	}
	return true;
}

void gsym_path_map_fini(struct gsym_path_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		free(map->items[i]);
	gsym_vec_fini(map);
}

void gsym_path_mapped_free(struct gsym_path_mapped *paths, size_t count)
{
	for (size_t i = 0; paths && i < count; i++)
		free(paths[i].text);
	free(paths);
}

/* ---- prefixes that builds leave ------------------------------------------ */

/* The length of /rustc/HASH/ at the start of PATH, or 0: the sources of Rust's
 * library, in a folder named after a commit of the compiler. */
static size_t rustc_length(const char *path)
{
	static const char start[] = "/rustc/";
	size_t length = sizeof(start) - 1, from = length;

	if (strncmp(path, start, length) != 0)
		return 0;
	while (gsym_digit(path[length]) < 16)
		length++;
	return length - from == 40 && path[length] == '/' ? length + 1 : 0;
}

/* The length of the component NAME-HASH/ at the start of TEXT, where HASH has
 * 16 hexadecimal digits, or of any component if ANY is set; 0: there is
 * none. */
static size_t hashed_length(const char *text, bool any)
{
	size_t length = strcspn(text, "/"), from = length, digits = 16;

	while (from && length - from < digits &&
	       gsym_digit(text[from - 1]) < 16)
		from--;
	any |= length - from == digits && from && text[from - 1] == '-';
	return any && text[length] ? length + 1 : 0;
}

/* The length of the part of PATH up to the sources of a crate that Cargo has
 * fetched: .../registry/src/INDEX/ before its name and version, and
 * .../git/checkouts/ before its name and commit; 0: PATH is elsewhere.  Outside
 * of the folder .cargo the hash in the next component tells. */
static size_t cargo_length(const char *path)
{
	static const struct {
		const char *inside;
		/* The next component goes, too. */
		bool drops;
	} folders[] = { { "/registry/src/", true },
			{ "/git/checkouts/", false } };
	static const char home[] = "/.cargo";
	const size_t room = sizeof(home) - 1;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *at = strstr(path, folders[i].inside), *end;
		size_t length;

		if (!at)
			continue;
		end = at + strlen(folders[i].inside);
		length = hashed_length(end, (size_t)(at - path) >= room &&
						    memcmp(at - room, home,
							   room) == 0);
		if (length)
			return (size_t)(end - path) +
			       (folders[i].drops ? length : 0);
	}
	return 0;
}

/* The length of the part of PATH up to the sources of Rust's library in a
 * toolchain that has them; 0: PATH is elsewhere. */
static size_t toolchain_length(const char *path)
{
	static const char inside[] = "/lib/rustlib/src/rust/";
	const char *at = strstr(path, inside);

	return at ? (size_t)(at - path) + sizeof(inside) - 1 : 0;
}

/* The length of the prefix of PATH that differs between two builds of the same
 * sources, and *NEW, which replaces the prefix; 0: there is none. */
static size_t automatic_length(const char *path, const char **new)
{
	/* Bazel tells compilers that they run there. */
	static const char bazel[] = "/proc/self/cwd/";
	size_t length = rustc_length(path);

	if (!length)
		length = toolchain_length(path);
	*new = length ? "/rustc/" : "";
	if (length)
		return length;
	if (strncmp(path, bazel, sizeof(bazel) - 1) == 0)
		return sizeof(bazel) - 1;
	return cargo_length(path);
}

bool gsym_path_is_fetched(const char *directory)
{
	/* Crates that Rust's library was built with. */
	static const char own[] = "/rust/deps/";
	char *path = gsym_path_print("%s/", directory);
	bool fetched = path && (rustc_length(path) || toolchain_length(path) ||
				cargo_length(path) ||
				strncmp(path, own, sizeof(own) - 1) == 0);

	free(path);
	return fetched;
}

/* ---- mapping ------------------------------------------------------------- */

/* The length of the prefix of PATH that MAP replaces by *NEW; 0: none fits. */
static size_t find_prefix(const struct gsym_path_map *map, const char *path,
			  const char **new)
{
	for (size_t i = map->count; i-- > 0;) {
		const char *text = map->items[i], *equals = strchr(text, '=');
		size_t length = equals ? (size_t)(equals - text) : 0;

		if (!equals)
			length = automatic_length(path, new);
		else if (strncmp(path, text, length) == 0)
			*new = equals + 1;
		else
			length = 0;
		if (length)
			return length;
	}
	return 0;
}

/* Divide the path TEXT into directory and base name: in place, so the separator
 * is lost, but for that of a root, after which a second one is made. */
static void divide(struct gsym_path_mapped *ret, bool windows)
{
	char *text = ret->text, *slash = strrchr(text, '/');

	if (!slash && windows)
		slash = strrchr(text, '\\');
	ret->directory = slash ? text : "";
	ret->basename = slash ? slash + 1 : text;
	if (slash == text) {
		memmove(text + 2, text + 1, strlen(text + 1) + 1);
		ret->basename = text + 2;
		text[1] = '\0';
	} else if (slash) {
		*slash = '\0';
	}
}

bool gsym_path_map_apply(const struct gsym_path_map *map,
			 const char *directory, const char *basename,
			 struct gsym_path_mapped *ret)
{
	const char *separator = gsym_path_separator(directory), *new;
	char *path;
	size_t length;

	*ret = (struct gsym_path_mapped){ .text = NULL };
	if (!map->count || (!*directory && !*basename))
		return true;
	path = gsym_path_print("%s%s%s", directory, separator, basename);
	length = path ? find_prefix(map, path, &new) : 0;
	if (length) {
		/* A byte is kept for divide. */
		ret->text = gsym_path_print("%s%s%c", new, path + length, 0);
		if (ret->text)
			divide(ret, *separator == '\\');
	}
	free(path);
	return path && (!length || ret->text);
}
