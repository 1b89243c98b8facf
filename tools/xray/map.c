/* SPDX-License-Identifier: MIT */
/* Maps: the sleds of a traced binary, or what was extracted from one. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <gsym/elf.h>

#include "common/report.h"
#include "xray/xray.h"

/* The kinds of sleds that have a meaning. */
enum { KNOWN_KINDS = 6 };

/* Text that was extracted is a list. */
static bool is_text(const struct xray_bytes *file)
{
	const uint8_t *data = file->data;
	uint64_t at = 0;
	while (at < file->size && strchr(" \t\r\n#", data[at]) && data[at]) {
		if (data[at] == '#')
			while (at < file->size && data[at] != '\n')
				at++;
		else
			at++;
	}
	return at < file->size && data[at] == '-';
}

static void warn_unknown(const struct xray_object *object)
{
	struct gsym_xray_sled sled;
	uint32_t unknown = 0;
	for (uint32_t i = 0; gsym_xray_map_sled_at(object->map, i, &sled) ==
			     GSYM_OK; i++)
		unknown += sled.kind >= KNOWN_KINDS;
	if (unknown)
		warn("'%s': sleds of kinds that are not known: %" PRIu32,
		     object->path, unknown);
}

/* What tells one build of the binary from another. */
static void note_uuid(struct xray_object *object,
		      const struct xray_sections *sections)
{
	const uint8_t *uuid = sections->uuid;
	size_t size = sections->uuid_size;
	if (!uuid && gsym_elf_build_id(object->bytes.data, object->bytes.size,
				       &uuid, &size, NULL) != GSYM_OK)
		return;
	if (size > sizeof(object->uuid))
		return;
	memcpy(object->uuid, uuid, size);
	object->uuid_size = size;
}

static void open_binary(const struct xray *x, struct xray_object *object,
			const struct xray_sections *sections)
{
	struct gsym_error error = { 0 };
	if (!sections->has_sleds)
		die("'%s' has no instrumentation map (section xray_instr_map)",
		    object->path);
	enum gsym_status status = gsym_xray_map_open(&sections->sleds,
						     &object->map, &error);
	if (status != GSYM_OK)
		die_status("read", object->path, status, &error);
	object->cpu_type = sections->cpu_type;
	note_uuid(object, sections);
	if (x->quiet)
		return;
	warn_unknown(object);
	if (sections->has_index &&
	    gsym_xray_map_check_index(object->map, &sections->sleds,
				      &sections->index, &error) != GSYM_OK)
		warn("'%s': %s: names may be those of other functions",
		     object->path, error.message);
}

void xray_map_open(const struct xray *x, struct xray_object *object)
{
	struct xray_sections sections = { 0 };
	struct gsym_error error = { 0 };
	if (xray_elf_sections(&object->bytes, &sections) ||
	    xray_macho_sections(&object->bytes, &sections)) {
		open_binary(x, object, &sections);
	} else if (is_text(&object->bytes)) {
		object->text = true;
		enum gsym_status status = gsym_xray_map_parse(
			(const char *)object->bytes.data, object->bytes.size,
			&object->map, &error);
		if (status != GSYM_OK)
			die_status("read", object->path, status, &error);
	} else {
		die("'%s' is neither an ELF or Mach-O file nor a map in YAML",
		    object->path);
	}
	xray_elf_done(&sections);
}
