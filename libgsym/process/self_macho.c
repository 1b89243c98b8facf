/* SPDX-License-Identifier: MIT */
/* Asks dyld, the dynamic linker of Mach-O files.  A library that another thread
 * unloads meanwhile must not be asked for: dyld(3) has no lock for that. */
#include "process/self.h"

#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <string.h>

/* Add a mapping for SEGMENT of OBJECT, whose path is PATH.  False without
 * memory. */
static bool add_segment(struct self_objects *objects,
			const struct self_object *object, const char *path,
			const struct segment_command_64 *segment)
{
	struct gsym_mapping *m;

	/* __PAGEZERO is no memory. */
	if (!segment->vmsize || !segment->maxprot)
		return true;
	m = gsym_process_add(objects->process, path, strlen(path));
	if (!m)
		return false;
	m->kind = GSYM_PROCESS_FILE;
	m->start = object->bias + segment->vmaddr;
	m->end = m->start + segment->vmsize;
	m->offset = segment->fileoff;
	m->executable = segment->initprot & VM_PROT_EXECUTE;
	m->inode = objects->count;
	return true;
}

/* Append the object with the header HEADER, which lies BIAS above its linked
 * address.  False without memory. */
static bool add_object(struct self_objects *objects, const char *path,
		       const struct mach_header *header, uint64_t bias)
{
	const uint8_t *at = (const uint8_t *)header +
			    sizeof(struct mach_header_64);
	struct self_object *object = gsym_vec_push(objects);

	if (!object)
		return false;
	*object = (struct self_object){ .bias = bias,
					.module = GSYM_PROCESS_NONE };
	for (uint32_t i = 0; i < header->ncmds; i++) {
		const struct load_command *command = (const void *)at;

		if (command->cmd == LC_UUID) {
			const struct uuid_command *uuid = (const void *)at;

			object->id = uuid->uuid;
			object->id_size = sizeof(uuid->uuid);
		} else if (command->cmd == LC_SEGMENT_64 &&
			   !add_segment(objects, object, path,
					(const void *)at)) {
			return false;
		}
		at += command->cmdsize;
	}
	return true;
}

enum gsym_status gsym_self_collect(struct self_objects *objects)
{
	uint32_t count = _dyld_image_count();

	for (uint32_t i = 0; i < count; i++) {
		const struct mach_header *header = _dyld_get_image_header(i);
		const char *path = _dyld_get_image_name(i);

		/* An object that was unloaded meanwhile. */
		if (!header || !path || header->magic != MH_MAGIC_64)
			continue;
		if (!add_object(objects, path, header,
				(uint64_t)_dyld_get_image_vmaddr_slide(i)))
			return GSYM_ERR_MEMORY;
	}
	return GSYM_OK;
}
