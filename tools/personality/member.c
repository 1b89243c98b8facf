/* SPDX-License-Identifier: MIT */
/*
 * personality/member.c - a member of an archive, lib.a(member.o), as
 * llvm-symbolizer takes it.  Programs are opened and converted by their paths,
 * so the member is copied to a temporary file.
 *
 * Two members may have one name.  If the architecture does not tell which one
 * is meant, none is taken.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/fd.h"
#include "common/file.h"
#include "common/report.h"
#include "personality/personality.h"

/* Of so many members with one name the architecture is looked at.  Each is
 * copied for that. */
enum { MOST_ALIKE = 16 };

static struct temporary folder;
static char *copy_path;

void member_end(void)
{
	temporary_remove(&folder);
	free(copy_path);
	copy_path = NULL;
}

/* Make the copy the bytes of M.  Returns why that is not possible. */
static const char *copy_member(const struct gsym_archive_member *m)
{
	static const char prefix[] = "gsym.member.";
	bool done;
	if (!copy_path) {
		temporary_sweep(temporary_base(), prefix);
		temporary_plan(&folder, temporary_base(), prefix);
		if (!temporary_make(&folder))
			return strerror(errno);
		copy_path = path_print("%s/member", folder.path);
	}
	int fd = open(copy_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0600);
	if (fd < 0)
		return strerror(errno);
	done = out_write_all(fd, m->bytes, m->size);
	int error = errno;
	if (close(fd) < 0 && done)
		return strerror(errno);
	return done ? NULL : strerror(error);
}

/* Whether the copy is of the ARCHITECTURE, as LLVM names it.  Of formats other
 * than ELF it is not known: any is right. */
static bool is_for(const char *architecture)
{
	static const struct {
		const char *name;
		uint16_t machine; /* EM_* */
		unsigned address_size;
	} names[] = {
		{ "i386", 3, 4 },     { "i486", 3, 4 },
		{ "i686", 3, 4 },     { "mips", 8, 4 },
		{ "mips64", 8, 8 },   { "ppc", 20, 4 },
		{ "powerpc", 20, 4 }, { "ppc64", 21, 8 },
		{ "ppc64le", 21, 8 }, { "s390x", 22, 8 },
		{ "arm", 40, 4 },     { "armv6", 40, 4 },
		{ "armv6m", 40, 4 },  { "armv7", 40, 4 },
		{ "armv7em", 40, 4 }, { "armv7m", 40, 4 },
		{ "x86_64", 62, 8 },  { "aarch64", 183, 8 },
		{ "arm64", 183, 8 },  { "riscv32", 243, 4 },
		{ "riscv64", 243, 8 },
	};
	struct gsym_module *file = NULL;
	struct gsym_module_facts facts = { 0 };
	if (must_status(gsym_module_open(copy_path, &file, NULL)) == GSYM_OK)
		gsym_module_get_facts(file, &facts);
	gsym_module_close(file);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, architecture) == 0 &&
		    names[i].machine == facts.machine &&
		    names[i].address_size == facts.address_size)
			return true;
	return file && !facts.machine;
}

/* Copy the member NAME of A that is for the ARCHITECTURE, if one is given.
 * Returns how many members fit: 0, 1, or 2 for more.  *WHY says why the copy
 * cannot be made. */
static int take(struct gsym_archive *a, const char *name,
		const char *architecture, const char **why)
{
	struct gsym_archive_member m, found = { 0 };
	struct gsym_error error;
	int count = 0, alike = 0;
	size_t length = strlen(name);
	while (count < 2 && alike < MOST_ALIKE &&
	       gsym_archive_next(a, &m, &error) == GSYM_OK) {
		if (m.name_size != length || memcmp(m.name, name, length) != 0)
			continue;
		alike++;
		if (architecture) {
			*why = copy_member(&m);
			if (*why)
				return 0;
			if (!is_for(architecture))
				continue;
		}
		found = m;
		count++;
	}
	if (count == 1)
		*why = copy_member(&found);
	return count;
}

const char *member_start(const char *path, const char *architecture,
			 char **why)
{
	const char *open = strrchr(path, '('), *problem = NULL;
	size_t length = strlen(path), size;
	struct gsym_archive a;
	*why = NULL;
	if (!open || path[length - 1] != ')')
		return NULL;
	char *archive = must_have(strndup(path, (size_t)(open - path)));
	char *name = must_have(
		strndup(open + 1, length - (size_t)(open - path) - 2));
	int fd = gsym_fd_open_file(archive), count = 0;
	const uint8_t *bytes = fd < 0 ? NULL : gsym_fd_map(fd, &size);
	if (bytes && gsym_archive_open(&a, bytes, size)) {
		count = take(&a, name, architecture, &problem);
		if (problem)
			*why = path_print("%s", problem);
		else if (count != 1)
			*why = path_print(
				"%s member '%s' with arch '%s' in '%s'",
				count ? "more than one" : "no matching", name,
				architecture ? architecture : "", archive);
	} else if (fd >= 0) {
		*why = path_print("'%s' is not a valid archive", archive);
	}
	gsym_fd_unmap(bytes, bytes ? size : 0);
	if (fd >= 0)
		close(fd);
	free(archive);
	free(name);
	return count == 1 && !problem ? copy_path : NULL;
}
