/* SPDX-License-Identifier: MIT */
/* Asks a dynamic linker of ELF files that has dl_iterate_phdr. */
#include "config.h"

#include "process/process.h"

#include "base/system.h"
#include "object/elfview.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

/* Find the build ID of INFO among its notes, which are in memory. */
static void read_notes(const struct dl_phdr_info *info,
		       struct gsym_self_object *object)
{
	for (unsigned i = 0; i < info->dlpi_phnum && !object->id_size; i++) {
		const ElfW(Phdr) *s = &info->dlpi_phdr[i];
		const uint8_t *notes = (const uint8_t *)(uintptr_t)(
			info->dlpi_addr + s->p_vaddr);

		if (s->p_type == PT_NOTE)
			gsym_elfview_search_notes(notes, s->p_filesz,
						  s->p_align, false,
						  &object->id,
						  &object->id_size);
	}
}

/* Store the path of the object INFO in PATH, which has room for SIZE bytes.
 * The dynamic linker calls the program itself "". */
static void path_of(const struct dl_phdr_info *info, char *path, size_t size)
{
	if (info->dlpi_name && *info->dlpi_name) {
		snprintf(path, size, "%s", info->dlpi_name);
		return;
	}
	if (!gsym_system_program(path, size))
		*path = 0;
}

/* Append the object INFO, and a mapping for each of its loaded segments.
 * Nonzero without memory. */
static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct gsym_self *self = context;
	struct gsym_self_object *object =
		gsym_self_add(self, info->dlpi_addr);
	bool done = object;
	char path[4096];

	(void)size;
	if (object)
		read_notes(info, object);
	path_of(info, path, sizeof(path));
	for (unsigned i = 0; done && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *s = &info->dlpi_phdr[i];
		/* The vdso has a name without a folder. */
		struct gsym_mapping loaded = {
			.kind = strchr(path, '/') ? GSYM_PROCESS_FILE
						  : GSYM_PROCESS_VDSO,
			.start = info->dlpi_addr + s->p_vaddr,
			.offset = s->p_offset,
			.executable = s->p_flags & PF_X,
		};

		if (s->p_type == PT_LOAD && s->p_memsz)
			done = gsym_self_map(self, path, loaded, s->p_memsz);
	}
	return done ? 0 : -1;
}

enum gsym_status gsym_self_collect(struct gsym_self *self)
{
	return dl_iterate_phdr(add_object, self) == 0 ? GSYM_OK
						      : GSYM_ERR_MEMORY;
}
