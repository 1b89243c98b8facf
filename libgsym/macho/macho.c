/* SPDX-License-Identifier: MIT */
/* Reads the header, the load commands and the sections of one program. */
#include "macho/macho.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

static void file_free(void *p)
{
	struct macho_file *file = p;

	gsym_macho_archives_free(file->archives);
	gsym_vec_fini(&file->sections);
	free(file);
}

/* ---- sections --------------------------------------------------------- */

/*
 * The container's name of SECTION in SEGMENT; NULL without memory.  A name in
 * a Mach-O file has 16 bytes at most: longer names of debug sections are cut
 * there, and completed here.
 */
static char *section_name(struct macho_file *file, const char *segment,
			  const char *section)
{
	static const char *const cut[] = { "str_offsets", "line_str",
					   "rnglists", "aranges" };
	char text[2 * MACHO_NAME + 8];
	const char *name = section;
	const char *dot = ".debug_";

	if (!strncmp(name, "__debug_", 8)) {
		name += 8;
	} else if (!strncmp(name, "__zdebug_", 9)) {
		name += 9;
		dot = ".zdebug_";
	} else {
		snprintf(text, sizeof(text), "%s,%s", segment, section);
		return gsym_arena_string(&file->container->arena, text,
					 strlen(text));
	}
	for (size_t i = 0; strlen(section) == MACHO_NAME &&
			   i < sizeof(cut) / sizeof(cut[0]); i++)
		if (!strncmp(cut[i], name, strlen(name))) {
			name = cut[i];
			break;
		}
	snprintf(text, sizeof(text), "%s%s", dot, name);
	return gsym_arena_string(&file->container->arena, text, strlen(text));
}

/* Find the bytes of S at OFFSET.  FILE_SIZE is the size of S's segment in the
 * file: debug files have headers for all segments of the program, but only the
 * bytes of __DWARF. */
static void find_bytes(struct macho_file *file, uint32_t flags,
		       uint64_t file_size, uint64_t offset,
		       struct gsym_container_section *s)
{
	s->file_offset = file->offset + offset;
	if (!s->size || !file_size || !machoview_has_bytes(flags))
		return;
	if (offset > file->view.size || s->size > file->view.size - offset) {
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "%s: 0x%" PRIx64 " bytes at 0x%" PRIx64
				    " reach beyond the end of the file",
				    s->name, s->size, s->file_offset);
		return;
	}
	s->data = file->view.bytes + offset;
	s->data_size = s->size;
}

static bool put_section(struct macho_file *file,
			const struct machoview_section *from,
			uint64_t file_size)
{
	struct gsym_container_section s = {
		.name = section_name(file, from->segment, from->name),
		.address = from->address,
		.size = from->size,
		.loaded = strcmp(from->segment, "__DWARF") != 0,
	};
	struct machoview_section *place = gsym_vec_push(&file->sections);

	if (!s.name || !place)
		return false;
	*place = *from;
	s.executable = s.loaded && machoview_is_code(from->flags);
	find_bytes(file, from->flags, file_size, from->offset, &s);
	return gsym_container_add_section(file->container, &s);
}

/* ---- load commands ---------------------------------------------------- */

static enum gsym_status read_segment(struct macho_file *file,
				     struct gsym_cursor *c,
				     struct gsym_error *error)
{
	struct gsym_container *container = file->container;
	struct machoview_segment s;

	gsym_machoview_segment(&file->view, c, &s);
	if (!gsym_container_add_segment(
		    container,
		    (struct gsym_segment){
			    .address = s.address,
			    .data_size = c->failed ? 0 : s.file_size,
			    .writable = s.protection & VM_PROT_WRITE,
			    .executable = s.protection & VM_PROT_EXECUTE,
		    },
		    file->view.bytes, file->view.size, s.offset))
		return gsym_fail_memory(error);
	if (!c->failed && !container->has_base && !strcmp(s.name, "__TEXT")) {
		container->has_base = true;
		container->base = s.address;
	}
	for (uint32_t i = 0; i < s.count && !c->failed; i++) {
		struct machoview_section section;

		if (gsym_machoview_section(&file->view, c, &section) &&
		    !put_section(file, &section, s.file_size))
			return gsym_fail_memory(error);
	}
	return GSYM_OK;
}

static enum gsym_status read_commands(struct macho_file *file,
				      struct gsym_error *error)
{
	struct machoview *v = &file->view;
	struct gsym_cursor c = v->commands;
	uint64_t origin = file->offset + (uint64_t)(c.start - v->bytes);

	for (uint32_t i = 0; i < v->command_count; i++) {
		uint64_t at = origin + gsym_cursor_offset(&c);
		struct machoview_command command;
		enum gsym_status status = GSYM_OK;

		if (!gsym_machoview_command(&c, &command))
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "load command %u of %u at 0x%" PRIx64
					 ": its size is wrong",
					 i + 1, v->command_count, at);
		gsym_machoview_note(v, &command);
		if (command.kind == (v->wide ? LC_SEGMENT_64 : LC_SEGMENT))
			status = read_segment(file, &command.body, error);
		if (status != GSYM_OK)
			return status;
		if (command.body.failed)
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "load command %u of %u at 0x%" PRIx64
					 ": it breaks off",
					 i + 1, v->command_count, at);
	}
	return GSYM_OK;
}

/* ---- opening ---------------------------------------------------------- */

/* Read the header of the program at SLICE of the file at BYTES. */
static enum gsym_status read_header(struct macho_file *file,
				    const uint8_t *bytes,
				    const struct machoview_slice *slice,
				    struct gsym_error *error)
{
	struct machoview *v = &file->view;
	enum gsym_status status =
		gsym_machoview_open(bytes + slice->offset, (size_t)slice->size,
				    v, error);

	file->offset = slice->offset;
	if (status == GSYM_ERR_FORMAT)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, file->offset,
				 "universal file: there is no mach-o program "
				 "at 0x%" PRIx64,
				 file->offset);
	if (v->cpu != slice->cpu)
		return gsym_fail(error, GSYM_ERR_CORRUPT, file->offset,
				 "universal header: the program at 0x%" PRIx64
				 " is for another processor",
				 file->offset);
	if (status != GSYM_OK)
		return status;
	switch (v->type) {
	case MH_CORE:
	case MH_DYLIB_STUB:
	case MH_FILESET:
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, file->offset,
				 "mach-o header: files of type %u (core "
				 "files, stubs, sets of files) cannot be read",
				 v->type);
	}
	return GSYM_OK;
}

static void find_pointers(struct macho_file *file)
{
	if (!file->view.fixups.count)
		return;
	file->fixups =
		gsym_macho_piece(file, file->view.fixups, 1, "chained fixups");
	file->container->pointers = gsym_macho_each_pointer;
}

static enum gsym_status load_program(struct macho_file *file,
				     const uint8_t *bytes,
				     const struct machoview_slice *slice,
				     struct gsym_error *error)
{
	struct gsym_container *c = file->container;
	enum gsym_status status = read_header(file, bytes, slice, error);

	if (status != GSYM_OK)
		return status;
	memcpy(c->architecture, gsym_macho_architecture(slice).name,
	       sizeof(c->architecture));
	c->big_endian = file->view.swap != GSYM_HOST_BIG_ENDIAN;
	c->address_size = file->view.wide ? 8 : 4;
	c->code_bit0 = file->view.cpu == CPU_TYPE_ARM;
	status = read_commands(file, error);
	if (status != GSYM_OK)
		return status;
	c->uuid = file->view.uuid;
	c->uuid_size = file->view.uuid ? MACHO_UUID : 0;
	if (!gsym_container_collect_text(c) || !gsym_macho_read_symbols(file) ||
	    !gsym_macho_read_debug_map(file) ||
	    !gsym_inflate_zdebug(c, file->view.size) ||
	    !gsym_macho_relocate(file))
		return gsym_fail_memory(error);
	find_pointers(file);
	return GSYM_OK;
}

enum gsym_status gsym_macho_fill(struct gsym_container *c,
				 const struct gsym_load *from,
				 struct gsym_error *error)
{
	struct macho_file *file = calloc(1, sizeof(*file));
	struct machoview_slice slice;
	enum gsym_status status;

	if (!file)
		return gsym_fail_memory(error);
	c->private_data = file;
	c->free_private = file_free;
	file->container = c;
	status = gsym_macho_choose(from->bytes, from->size,
				   from->options->architecture, &slice, error);
	if (status == GSYM_OK)
		status = load_program(file, from->bytes, &slice, error);
	gsym_vec_fini(&file->sections);
	return status;
}
