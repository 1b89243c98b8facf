/* SPDX-License-Identifier: MIT */
/* Reads the header, the load commands and the sections of one program. */
#include "macho/macho.h"

#include "base/error.h"
#include "container/inflate.h"
#include "container/mapping.h"
#include "macho/macho_file.h"
#include "macho/universal.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_SIZE = 16, UUID_SIZE = 16 };

static void image_free(void *p)
{
	struct macho_image *image = p;

	gsym_macho_archives_free(image->archives);
	free(image);
}

bool gsym_macho_matches(const uint8_t *bytes, size_t size)
{
	uint32_t magic = size >= 4 ? gsym_load_u32(bytes, false) : 0;
	uint32_t other = __builtin_bswap32(magic);

	return magic == MH_MAGIC || magic == MH_MAGIC_64 ||
	       other == MH_MAGIC || other == MH_MAGIC_64 ||
	       gsym_macho_is_universal(bytes, size);
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
	char text[2 * NAME_SIZE + 8];
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
	for (size_t i = 0; strlen(section) == NAME_SIZE &&
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
	uint32_t type = flags & SECTION_TYPE;

	s->file_offset = file->offset + offset;
	if (!s->size || !file_size || type == S_ZEROFILL ||
	    type == S_GB_ZEROFILL || type == S_THREAD_LOCAL_ZEROFILL)
		return;
	if (offset > file->size || s->size > file->size - offset) {
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "%s: 0x%" PRIx64 " bytes at 0x%" PRIx64
				    " reach beyond the end of the file",
				    s->name, s->size, s->file_offset);
		return;
	}
	s->data = file->bytes + offset;
	s->data_size = s->size;
}

/* Read a name of NAME_SIZE bytes at most, and add the NUL. */
static void read_name(struct gsym_cursor *c, char name[NAME_SIZE + 1])
{
	const uint8_t *bytes = gsym_cursor_bytes(c, NAME_SIZE);

	memset(name, 0, NAME_SIZE + 1);
	if (bytes)
		memcpy(name, bytes, strnlen((const char *)bytes, NAME_SIZE));
}

static enum gsym_status read_section(struct macho_file *file,
				     struct gsym_cursor *c, uint64_t file_size,
				     struct gsym_error *error)
{
	struct macho_section more = { 0 };
	struct gsym_container_section s = { 0 };
	struct macho_section *more_place;
	char section[NAME_SIZE + 1];
	char segment[NAME_SIZE + 1];
	struct gsym_container_section *place;
	unsigned word = file->wide ? 8 : 4;
	uint32_t offset;

	read_name(c, section);
	read_name(c, segment);
	s.address = gsym_cursor_uint(c, word);
	s.size = gsym_cursor_uint(c, word);
	offset = gsym_cursor_u32(c);
	gsym_cursor_skip(c, 4);
	more.relocations = gsym_cursor_u32(c);
	more.relocation_count = gsym_cursor_u32(c);
	more.flags = gsym_cursor_u32(c);
	more.first_indirect = gsym_cursor_u32(c);
	more.stub_size = gsym_cursor_u32(c);
	gsym_cursor_skip(c, file->wide ? 4 : 0);
	s.name = section_name(file, segment, section);
	s.loaded = strcmp(segment, "__DWARF") != 0;
	s.executable = s.loaded && more.flags & (S_ATTR_PURE_INSTRUCTIONS |
						 S_ATTR_SOME_INSTRUCTIONS);
	place = gsym_vec_push(&file->container->sections);
	more_place = gsym_vec_push(&file->sections);
	if (!s.name || !place || !more_place)
		return gsym_fail_memory(error);
	find_bytes(file, more.flags, file_size, offset, &s);
	*place = s;
	*more_place = more;
	return GSYM_OK;
}

/* ---- load commands ---------------------------------------------------- */

static enum gsym_status read_segment(struct macho_file *file,
				     struct gsym_cursor *c,
				     struct gsym_error *error)
{
	struct gsym_container *container = file->container;
	unsigned word = file->wide ? 8 : 4;
	enum gsym_status status = GSYM_OK;
	char name[NAME_SIZE + 1];
	uint64_t file_size;
	uint64_t address;
	uint64_t offset;
	uint32_t protection;
	uint32_t count;
	bool ok;

	read_name(c, name);
	address = gsym_cursor_uint(c, word);
	gsym_cursor_skip(c, word);
	offset = gsym_cursor_uint(c, word);
	file_size = gsym_cursor_uint(c, word);
	gsym_cursor_skip(c, 4);
	protection = gsym_cursor_u32(c);
	ok = gsym_container_add_segment(
		container,
		(struct gsym_segment){
			.address = address,
			.data_size = c->failed ? 0 : file_size,
			.writable = protection & VM_PROT_WRITE,
			.executable = protection & VM_PROT_EXECUTE,
		},
		file->bytes, file->size, offset);
	if (!ok)
		return gsym_fail_memory(error);
	count = gsym_cursor_u32(c);
	gsym_cursor_skip(c, 4);
	if (!c->failed && !container->has_base && !strcmp(name, "__TEXT")) {
		container->has_base = true;
		container->base = address;
	}
	for (uint32_t i = 0; i < count && !c->failed && status == GSYM_OK;
	     i++) {
		gsym_cursor_need(c, file->wide ? 80 : 68);
		if (!c->failed)
			status = read_section(file, c, file_size, error);
	}
	return status;
}

static struct macho_piece read_piece(struct gsym_cursor *c)
{
	struct macho_piece piece = { .offset = gsym_cursor_u32(c) };

	piece.count = gsym_cursor_u32(c);
	return piece;
}

/* Read the load command COMMAND; C has passed its header. */
static enum gsym_status read_command(struct macho_file *file, uint32_t command,
				     struct gsym_cursor *c,
				     struct gsym_error *error)
{
	struct gsym_container *container = file->container;

	switch (command) {
	case LC_SEGMENT:
		return file->wide ? GSYM_OK : read_segment(file, c, error);
	case LC_SEGMENT_64:
		return file->wide ? read_segment(file, c, error) : GSYM_OK;
	case LC_SYMTAB:
		if (file->symbol_table.count)
			break;
		file->symbol_table = read_piece(c);
		file->string_table = read_piece(c);
		break;
	case LC_DYSYMTAB:
		/* Ranges of the symbol table and four other tables. */
		gsym_cursor_skip(c, 12 * 4);
		file->indirect = read_piece(c);
		break;
	case LC_FUNCTION_STARTS:
		file->starts = read_piece(c);
		break;
	case LC_DYLD_CHAINED_FIXUPS | LC_REQ_DYLD:
		file->fixups = read_piece(c);
		break;
	case LC_UUID:
		if (container->uuid_size)
			break;
		container->uuid = gsym_cursor_bytes(c, UUID_SIZE);
		container->uuid_size = container->uuid ? UUID_SIZE : 0;
		break;
	}
	return GSYM_OK;
}

static enum gsym_status read_commands(struct macho_file *file,
				      struct gsym_cursor c,
				      struct gsym_error *error)
{
	uint64_t origin = file->offset + file->size - gsym_cursor_left(&c);

	c = gsym_cursor_init(c.at, file->command_bytes, file->swap);
	for (uint32_t i = 0; i < file->command_count; i++) {
		uint64_t at = origin + gsym_cursor_offset(&c);
		uint32_t command = gsym_cursor_u32(&c);
		uint32_t size = gsym_cursor_u32(&c);
		const uint8_t *bytes =
			size < 8 ? NULL : gsym_cursor_bytes(&c, size - 8);
		enum gsym_status status;
		struct gsym_cursor inside;

		if (!bytes)
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "load command %u of %u at 0x%" PRIx64
					 ": its size is wrong",
					 i + 1, file->command_count, at);
		inside = gsym_cursor_init(bytes, size - 8, file->swap);
		status = read_command(file, command, &inside, error);
		if (status != GSYM_OK)
			return status;
		if (inside.failed)
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "load command %u of %u at 0x%" PRIx64
					 ": it breaks off",
					 i + 1, file->command_count, at);
	}
	return GSYM_OK;
}

/* ---- opening ---------------------------------------------------------- */

/* Read the header of the program, which has to be for CPU; *COMMANDS becomes a
 * cursor over the load commands and all bytes after them. */
static enum gsym_status read_header(struct macho_file *file, uint32_t cpu,
				    struct gsym_cursor *commands,
				    struct gsym_error *error)
{
	struct gsym_cursor c = gsym_cursor_init(file->bytes, file->size, false);
	uint32_t magic = gsym_cursor_u32(&c);

	if (magic != MH_MAGIC && magic != MH_MAGIC_64) {
		magic = __builtin_bswap32(magic);
		c.swap = true;
	}
	if (c.failed || (magic != MH_MAGIC && magic != MH_MAGIC_64))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, file->offset,
				 "universal file: there is no mach-o program "
				 "at 0x%" PRIx64,
				 file->offset);
	file->wide = magic == MH_MAGIC_64;
	file->swap = c.swap;
	file->cpu = gsym_cursor_u32(&c);
	if (file->cpu != cpu)
		return gsym_fail(error, GSYM_ERR_CORRUPT, file->offset,
				 "universal header: the program at 0x%" PRIx64
				 " is for another processor",
				 file->offset);
	gsym_cursor_skip(&c, 4);
	file->type = gsym_cursor_u32(&c);
	file->command_count = gsym_cursor_u32(&c);
	file->command_bytes = gsym_cursor_u32(&c);
	gsym_cursor_skip(&c, file->wide ? 8 : 4);
	if (c.failed || file->command_bytes > gsym_cursor_left(&c))
		return gsym_fail(error, GSYM_ERR_CORRUPT, file->offset,
				 "mach-o header: the load commands reach "
				 "beyond the end of the file");
	switch (file->type) {
	case MH_CORE:
	case MH_DYLIB_STUB:
	case MH_FILESET:
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, file->offset,
				 "mach-o header: files of type %u (core "
				 "files, stubs, sets of files) cannot be read",
				 file->type);
	}
	*commands = c;
	return GSYM_OK;
}

static bool new_container(struct macho_file *file,
			  const struct gsym_architecture *architecture)
{
	struct gsym_container *c = calloc(1, sizeof(*c));
	struct macho_image *image = calloc(1, sizeof(*image));

	if (!c || !image) {
		free(c);
		free(image);
		return false;
	}
	c->format = GSYM_FORMAT_MACHO;
	memcpy(c->architecture, architecture->name, sizeof(c->architecture));
	c->big_endian = file->swap != GSYM_HOST_BIG_ENDIAN;
	c->address_size = file->wide ? 8 : 4;
	c->code_bit0 = architecture->cpu_type == CPU_TYPE_ARM;
	image->load = gsym_macho_load;
	c->private_data = image;
	c->free_private = image_free;
	file->container = c;
	return true;
}

static void find_pointers(struct macho_file *file)
{
	struct macho_image *image = file->container->private_data;

	if (!file->fixups.count)
		return;
	image->size = file->size;
	image->fixups = gsym_macho_piece(file, file->fixups, 1,
					 "chained fixups");
	file->container->pointers = gsym_macho_each_pointer;
}

static enum gsym_status
load_program(struct macho_file *file,
	     const struct gsym_architecture *architecture,
	     struct gsym_error *error)
{
	struct gsym_cursor commands;
	enum gsym_status status = read_header(file, architecture->cpu_type,
					      &commands, error);

	if (status != GSYM_OK)
		return status;
	if (!new_container(file, architecture))
		return gsym_fail_memory(error);
	status = read_commands(file, commands, error);
	if (status != GSYM_OK)
		return status;
	if (!gsym_container_collect_text(file->container) ||
	    !gsym_macho_read_symbols(file) ||
	    !gsym_macho_read_debug_map(file) ||
	    !gsym_inflate_zdebug(file->container, file->size) ||
	    !gsym_macho_relocate(file))
		return gsym_fail_memory(error);
	find_pointers(file);
	return GSYM_OK;
}

enum gsym_status gsym_macho_load(const uint8_t *bytes, size_t size,
				 const struct gsym_convert_options *options,
				 struct gsym_container **ret,
				 struct gsym_error *error)
{
	const char *architecture = options ? options->architecture : NULL;
	const struct macho_slice *slice = NULL;
	struct macho_slices slices = { 0 };
	struct macho_file file = { 0 };
	enum gsym_status status =
		gsym_macho_slices(bytes, size, &slices, error);

	if (status == GSYM_OK)
		status = gsym_macho_choose(&slices, architecture, &slice,
					   error);
	if (status == GSYM_OK) {
		file.bytes = bytes + slice->offset;
		file.size = (size_t)slice->size;
		file.offset = slice->offset;
		status = load_program(&file, &slice->architecture, error);
	}
	gsym_vec_fini(&file.sections);
	gsym_vec_fini(&slices);
	if (status == GSYM_OK)
		*ret = file.container;
	else
		gsym_container_free(file.container);
	return status;
}

enum gsym_status
gsym_macho_architectures(const char *path, struct gsym_architecture *array,
			 size_t capacity, size_t *count,
			 struct gsym_error *error)
{
	struct macho_slices slices = { 0 };
	enum gsym_status status;
	struct gsym_mapping map;

	status = gsym_mapping_open(path, &map, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_macho_slices(map.bytes, map.size, &slices, error);
	for (size_t i = 0; i < slices.count && i < capacity; i++)
		array[i] = slices.items[i].architecture;
	if (status == GSYM_OK)
		*count = slices.count;
	gsym_vec_fini(&slices);
	gsym_mapping_close(&map);
	return status;
}
