/* SPDX-License-Identifier: MIT */
/* process/self.c - the memory map of the calling process, as its dynamic linker
 * knows it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "process/process.h"

#include "base/error.h"
#include "object/elfview.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A program or library that the dynamic linker knows. */
struct linked {
	uint64_t bias;
	const uint8_t *id; /* in the object itself */
	size_t id_size;
	uint32_t module;
};

struct objects {
	struct gsym_process *process;
	GSYM_VEC(struct linked);
};

/* Find the build ID of INFO among its notes, which are in memory. */
static void read_notes(const struct dl_phdr_info *info, struct linked *object)
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
	ssize_t length;

	if (info->dlpi_name && *info->dlpi_name) {
		snprintf(path, size, "%s", info->dlpi_name);
		return;
	}
	length = readlink("/proc/self/exe", path, size - 1);
	path[length > 0 ? length : 0] = 0;
}

/* Add a mapping for each loaded segment of INFO.  Its inode is the number of
 * the object plus 1 until modules are made.  Nonzero without memory. */
static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct objects *objects = context;
	struct linked *object = gsym_vec_push(objects);
	char path[4096];

	(void)size;
	if (!object)
		return -1;
	*object = (struct linked){ .bias = info->dlpi_addr,
				   .module = GSYM_PROCESS_NONE };
	read_notes(info, object);
	path_of(info, path, sizeof(path));
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *s = &info->dlpi_phdr[i];
		struct gsym_mapping *m;

		if (s->p_type != PT_LOAD || !s->p_memsz)
			continue;
		m = gsym_process_add(objects->process, path, strlen(path));
		if (!m)
			return -1;
		/* The vdso has a name without a folder. */
		m->kind = strchr(path, '/') ? GSYM_PROCESS_FILE
					    : GSYM_PROCESS_VDSO;
		m->start = info->dlpi_addr + s->p_vaddr;
		m->end = m->start + s->p_memsz;
		m->offset = s->p_offset;
		m->executable = s->p_flags & PF_X;
		m->inode = objects->count;
	}
	return 0;
}

/* Let M belong to the module of OBJECT.  False without memory. */
static bool place(struct gsym_process *p, struct gsym_mapping *m,
		  struct linked *object)
{
	struct gsym_loaded *loaded;

	m->inode = 0;
	if (object->module != GSYM_PROCESS_NONE) {
		gsym_process_join(p, m, object->module);
		return true;
	}
	loaded = gsym_process_add_module(p, m);
	if (!loaded)
		return false;
	object->module = m->module;
	loaded->shown.bias = object->bias;
	return !object->id_size ||
	       gsym_process_set_id(p, &loaded->shown, object->id,
				   object->id_size);
}

enum gsym_status gsym_process_open_self(struct gsym_process **ret,
					struct gsym_error *error)
{
	struct objects objects = { 0 };
	struct gsym_process *p;
	bool done;

	if (!ret)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "result is missing");
	p = objects.process = gsym_process_new(0, "");
	done = p && dl_iterate_phdr(add_object, &objects) == 0;
	if (done)
		gsym_process_sort(p);
	for (size_t i = 0; done && i < p->mappings.count; i++) {
		struct gsym_mapping *m = &p->mappings.items[i];

		done = place(p, m, &objects.items[m->inode - 1]);
	}
	gsym_vec_fini(&objects);
	if (!done) {
		gsym_process_close(p);
		return gsym_fail_memory(error);
	}
	*ret = p;
	return GSYM_OK;
}
