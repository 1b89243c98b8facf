/* SPDX-License-Identifier: MIT */
/* Asks dyld, the dynamic linker of Mach-O files.  A library that another thread
 * unloads meanwhile must not be asked for: dyld(3) has no lock for that. */
#include "process/process.h"

#include <mach-o/dyld.h>
#include <mach-o/loader.h>

/* Add a mapping for SEGMENT of the last object of SELF, which lies BIAS above
 * its linked address and has the path PATH.  False without memory. */
static bool add_segment(struct gsym_self *self, const char *path, uint64_t bias,
			const struct segment_command_64 *segment)
{
	const struct gsym_mapping loaded = {
		.kind = GSYM_PROCESS_FILE,
		.start = bias + segment->vmaddr,
		.offset = segment->fileoff,
		.executable = segment->initprot & VM_PROT_EXECUTE,
	};

	/* __PAGEZERO is no memory. */
	return !segment->vmsize || !segment->maxprot ||
	       gsym_self_map(self, path, loaded, segment->vmsize);
}

/* Append the object with the header HEADER, which lies BIAS above its linked
 * address.  False without memory. */
static bool add_object(struct gsym_self *self, const char *path,
		       const struct mach_header *header, uint64_t bias)
{
	const uint8_t *at = (const uint8_t *)header +
			    sizeof(struct mach_header_64);
	struct gsym_self_object *object = gsym_self_add(self, bias);

	if (!object)
		return false;
	for (uint32_t i = 0; i < header->ncmds; i++) {
		const struct load_command *command = (const void *)at;

		if (command->cmd == LC_UUID) {
			const struct uuid_command *uuid = (const void *)at;

			object->id = uuid->uuid;
			object->id_size = sizeof(uuid->uuid);
		} else if (command->cmd == LC_SEGMENT_64 &&
			   !add_segment(self, path, bias, (const void *)at)) {
			return false;
		}
		at += command->cmdsize;
	}
	return true;
}

enum gsym_status gsym_self_collect(struct gsym_self *self)
{
	uint32_t count = _dyld_image_count();

	for (uint32_t i = 0; i < count; i++) {
		const struct mach_header *header = _dyld_get_image_header(i);
		const char *path = _dyld_get_image_name(i);

		/* An object that was unloaded meanwhile. */
		if (!header || !path || header->magic != MH_MAGIC_64)
			continue;
		if (!add_object(self, path, header,
				(uint64_t)_dyld_get_image_vmaddr_slide(i)))
			return GSYM_ERR_MEMORY;
	}
	return GSYM_OK;
}
