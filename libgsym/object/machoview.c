/* SPDX-License-Identifier: MIT */
/* Reads headers, load commands and symbol entries of Mach-O files. */
#include "config.h"

#include "object/object.h"

#include "base/error.h"

#include <string.h>

enum {
	/* Java's class files begin with the same word.  After it they have a
	 * version, which is at least 45, instead of a number of programs. */
	MAX_SLICES = 42,
};

/* ---- programs of a file ------------------------------------------------- */

/* A cursor after the first word of a file; *MAGIC is the word in the byte order
 * of the file, which the cursor has from then on. */
static struct gsym_cursor begin(const uint8_t *bytes, size_t size,
				uint32_t *magic)
{
	struct gsym_cursor c =
		gsym_cursor_init(bytes, size, GSYM_HOST_BIG_ENDIAN);

	*magic = gsym_cursor_u32(&c);
	if (*magic == __builtin_bswap32(MH_MAGIC) ||
	    *magic == __builtin_bswap32(MH_MAGIC_64) ||
	    *magic == __builtin_bswap32(FAT_MAGIC) ||
	    *magic == __builtin_bswap32(FAT_MAGIC_64)) {
		*magic = __builtin_bswap32(*magic);
		c.swap = !c.swap;
	}
	return c;
}

bool gsym_machoview_is_universal(const uint8_t *bytes, size_t size)
{
	struct gsym_cursor c =
		gsym_cursor_init(bytes, size, !GSYM_HOST_BIG_ENDIAN);
	uint32_t magic = gsym_cursor_u32(&c);
	uint32_t count = gsym_cursor_u32(&c);

	return !c.failed && (magic == FAT_MAGIC || magic == FAT_MAGIC_64) &&
	       count <= MAX_SLICES;
}

bool gsym_machoview_matches(const uint8_t *bytes, size_t size)
{
	return gsym_machoview_is_universal(bytes, size) ||
	       gsym_machoview_count(bytes, size);
}

uint32_t gsym_machoview_count(const uint8_t *bytes, size_t size)
{
	uint32_t magic;
	struct gsym_cursor c = begin(bytes, size, &magic);

	if (gsym_machoview_is_universal(bytes, size))
		return gsym_cursor_u32(&c);
	return magic == MH_MAGIC || magic == MH_MAGIC_64;
}

bool gsym_machoview_slice(const uint8_t *bytes, size_t size, uint32_t number,
			  struct machoview_slice *ret)
{
	bool universal = gsym_machoview_is_universal(bytes, size);
	uint32_t magic;
	struct gsym_cursor c = begin(bytes, size, &magic);
	unsigned word = magic == FAT_MAGIC_64 ? 8 : 4;

	if (universal)
		gsym_cursor_skip(&c, 4 + number * (8 + 3 * (uint64_t)word));
	ret->cpu = gsym_cursor_u32(&c);
	ret->subtype = gsym_cursor_u32(&c);
	ret->offset = universal ? gsym_cursor_uint(&c, word) : 0;
	ret->size = universal ? gsym_cursor_uint(&c, word) : size;
	gsym_cursor_skip(&c, universal ? word : 0); /* alignment */
	return !c.failed;
}

/* ---- headers ------------------------------------------------------------ */

enum gsym_status gsym_machoview_open(const uint8_t *bytes, size_t size,
				     struct machoview *ret,
				     struct gsym_error *error)
{
	uint32_t magic, command_bytes;
	struct gsym_cursor c = begin(bytes, size, &magic);

	*ret = (struct machoview){ .bytes = bytes, .size = size };
	if (c.failed || (magic != MH_MAGIC && magic != MH_MAGIC_64))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "not a Mach-O file");
	ret->wide = magic == MH_MAGIC_64;
	ret->swap = c.swap;
	ret->cpu = gsym_cursor_u32(&c);
	gsym_cursor_skip(&c, 4);
	ret->type = gsym_cursor_u32(&c);
	ret->command_count = gsym_cursor_u32(&c);
	command_bytes = gsym_cursor_u32(&c);
	gsym_cursor_skip(&c, ret->wide ? 8 : 4);
	if (c.failed || command_bytes > gsym_cursor_left(&c))
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
				 "mach-o header: the load commands reach "
				 "beyond the end of the file");
	ret->commands = gsym_cursor_init(c.at, command_bytes, c.swap);
	return GSYM_OK;
}

bool gsym_machoview_command(struct gsym_cursor *c,
			    struct machoview_command *ret)
{
	uint32_t kind = gsym_cursor_u32(c);
	uint32_t size = gsym_cursor_u32(c);
	const uint8_t *bytes = size < 8 ? NULL : gsym_cursor_bytes(c, size - 8);

	*ret = (struct machoview_command){
		.kind = kind,
		.body = gsym_cursor_init(bytes, bytes ? size - 8 : 0, c->swap),
	};
	return bytes != NULL;
}

static struct macho_piece read_piece(struct gsym_cursor *c)
{
	struct macho_piece piece = { .offset = gsym_cursor_u32(c) };

	piece.count = gsym_cursor_u32(c);
	return piece;
}

void gsym_machoview_note(struct machoview *v, struct machoview_command *command)
{
	struct gsym_cursor *c = &command->body;

	switch (command->kind) {
	case LC_SYMTAB:
		if (v->symbols.count)
			break;
		v->symbols = read_piece(c);
		v->strings = read_piece(c);
		break;
	case LC_DYSYMTAB:
		/* Ranges of the symbol table and four other tables. */
		gsym_cursor_skip(c, 12 * 4);
		v->indirect = read_piece(c);
		break;
	case LC_FUNCTION_STARTS:
		v->starts = read_piece(c);
		break;
	case LC_DYLD_CHAINED_FIXUPS | LC_REQ_DYLD:
		v->fixups = read_piece(c);
		break;
	case LC_UUID:
		if (!v->uuid)
			v->uuid = gsym_cursor_bytes(c, MACHO_UUID);
		break;
	}
}

struct gsym_cursor gsym_machoview_piece(const struct machoview *v,
					struct macho_piece piece, size_t size)
{
	uint64_t bytes = (uint64_t)piece.count * size;
	bool found = piece.offset <= v->size &&
		     bytes <= v->size - piece.offset;

	return gsym_cursor_init(found ? v->bytes + piece.offset : NULL,
				found ? (size_t)bytes : 0, v->swap);
}

/* Read a name of MACHO_NAME bytes at most, and add the NUL. */
static void read_name(struct gsym_cursor *c, char name[MACHO_NAME + 1])
{
	const uint8_t *bytes = gsym_cursor_bytes(c, MACHO_NAME);

	memset(name, 0, MACHO_NAME + 1);
	if (bytes)
		memcpy(name, bytes, strnlen((const char *)bytes, MACHO_NAME));
}

void gsym_machoview_segment(const struct machoview *v, struct gsym_cursor *c,
			    struct machoview_segment *ret)
{
	unsigned word = v->wide ? 8 : 4;

	read_name(c, ret->name);
	ret->address = gsym_cursor_uint(c, word);
	ret->memory_size = gsym_cursor_uint(c, word);
	ret->offset = gsym_cursor_uint(c, word);
	ret->file_size = gsym_cursor_uint(c, word);
	gsym_cursor_skip(c, 4); /* the most that protection may become */
	ret->protection = gsym_cursor_u32(c);
	ret->count = gsym_cursor_u32(c);
	gsym_cursor_skip(c, 4); /* flags */
}

bool gsym_machoview_section(const struct machoview *v, struct gsym_cursor *c,
			    struct machoview_section *ret)
{
	unsigned word = v->wide ? 8 : 4;

	if (!gsym_cursor_need(c, v->wide ? 80 : 68))
		return false;
	read_name(c, ret->name);
	read_name(c, ret->segment);
	ret->address = gsym_cursor_uint(c, word);
	ret->size = gsym_cursor_uint(c, word);
	ret->offset = gsym_cursor_u32(c);
	gsym_cursor_skip(c, 4); /* alignment */
	ret->relocations = gsym_cursor_u32(c);
	ret->relocation_count = gsym_cursor_u32(c);
	ret->flags = gsym_cursor_u32(c);
	ret->first_indirect = gsym_cursor_u32(c);
	ret->stub_size = gsym_cursor_u32(c);
	gsym_cursor_skip(c, v->wide ? 4 : 0);
	return true;
}

/* ---- symbols ------------------------------------------------------------ */

struct macho_symbols gsym_machoview_symbols(const struct machoview *v,
					    struct gsym_cursor table,
					    struct gsym_cursor strings)
{
	struct macho_symbols s = { .table = table, .strings = strings,
				   .wide = v->wide };

	s.count = gsym_cursor_left(&table) / (v->wide ? 16 : 12);
	s.limit = gsym_cursor_left(&strings);
	while (s.limit && strings.start[s.limit - 1])
		s.limit--;
	return s;
}

struct macho_symbol gsym_machoview_symbol(const struct macho_symbols *symbols,
					  size_t number)
{
	struct gsym_cursor c = symbols->table;
	struct macho_symbol s = { 0 };
	uint32_t name;

	gsym_cursor_seek(&c, (uint64_t)number * (symbols->wide ? 16 : 12));
	name = gsym_cursor_u32(&c);
	s.type = gsym_cursor_u8(&c);
	s.section = gsym_cursor_u8(&c);
	s.description = gsym_cursor_u16(&c);
	s.value = gsym_cursor_uint(&c, symbols->wide ? 8 : 4);
	if (!c.failed && name < symbols->limit)
		s.name = (const char *)symbols->strings.start + name;
	return s;
}

/* ---- as an object ------------------------------------------------------- */

/* The most load commands of an object: its sections and segments are found by
 * walks over all commands.  Programs have some dozens. */
enum { COMMANDS = GSYM_LIMIT(4096, 64) };

/* Note what V's load commands name.  Returns their number, which the header may
 * state wrong; no more than COMMANDS + 1 are counted. */
static uint64_t read_commands(struct machoview *v)
{
	struct gsym_cursor c = v->commands;
	struct machoview_command command;
	uint64_t count = 0;

	for (; count <= COMMANDS && gsym_machoview_command(&c, &command);
	     count++)
		gsym_machoview_note(v, &command);
	return count;
}

static enum gsym_status macho_open(const uint8_t *bytes, size_t size,
				   struct object *ret, struct gsym_error *error)
{
	struct machoview_slice slice;
	enum gsym_status status;

	if (gsym_machoview_count(bytes, size) != 1)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "the file holds several programs");
	if (!gsym_machoview_slice(bytes, size, 0, &slice) ||
	    slice.offset > size || slice.size > size - slice.offset)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
				 "universal header: the program does not lie "
				 "in the file");
	status = gsym_machoview_open(bytes + slice.offset, (size_t)slice.size,
				     &ret->macho, error);
	if (status != GSYM_OK)
		return status;
	ret->address_size = ret->macho.wide ? 8 : 4;
	ret->header_count = read_commands(&ret->macho);
	return ret->header_count <= COMMANDS
		       ? GSYM_OK
		       : gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				   "mach-o header: more than %d load commands",
				   COMMANDS);
}

/* Set RET to the next load command with a segment. */
static bool next_segment(struct gsym_cursor *c, struct machoview_command *ret)
{
	while (gsym_machoview_command(c, ret))
		if (ret->kind == LC_SEGMENT || ret->kind == LC_SEGMENT_64)
			return true;
	return false;
}

static const uint8_t *macho_id(const struct object *o,
			       uint8_t room[PE_PDB_SIZE], size_t *size)
{
	(void)room;
	*size = o->macho.uuid ? MACHO_UUID : 0;
	return o->macho.uuid;
}

/* Whether sections with HEADER in a segment of FILE_SIZE bytes have bytes in
 * the file.  Debug files have headers for all segments of the program, but only
 * the bytes of __DWARF. */
static bool macho_in_file(const struct machoview *v,
			  const struct machoview_section *header,
			  uint64_t file_size)
{
	return header->size && file_size &&
	       machoview_has_bytes(header->flags) &&
	       header->offset <= v->size &&
	       header->size <= v->size - header->offset;
}

static bool macho_section(const struct object *o, uint64_t number,
			  struct object_section *ret)
{
	const struct machoview *v = &o->macho;
	struct gsym_cursor c = v->commands;
	struct machoview_command command;

	while (next_segment(&c, &command)) {
		struct gsym_cursor *body = &command.body;
		struct machoview_section s;
		struct machoview_segment segment;
		bool has_bytes;

		gsym_machoview_segment(v, body, &segment);
		if (number >= segment.count) {
			number -= segment.count;
			continue;
		}
		gsym_cursor_skip(body, number * (v->wide ? 80 : 68));
		if (!gsym_machoview_section(v, body, &s))
			return false;
		has_bytes = macho_in_file(v, &s, segment.file_size);
		*ret = (struct object_section){
			/* The name is in the file as well, where it lasts. */
			.name = { (const char *)body->at - (v->wide ? 80 : 68),
				  strlen(s.name),
				  strlen(s.name) < MACHO_NAME },
			.address = s.address,
			.size = s.size,
			.data = has_bytes ? v->bytes + s.offset : NULL,
			.data_size = has_bytes ? s.size : 0,
		};
		return true;
	}
	return false;
}

static bool macho_segment(const struct object *o, uint64_t number,
			  struct object_segment *ret)
{
	struct gsym_cursor c = o->macho.commands;
	struct machoview_command command;
	struct machoview_segment s;

	do {
		if (!next_segment(&c, &command))
			return false;
	} while (number--);
	gsym_machoview_segment(&o->macho, &command.body, &s);
	*ret = (struct object_segment){
		.address = s.address,
		.offset = s.offset,
		.file_size = s.file_size,
		/* __PAGEZERO, which nobody may read, is no part of the
		 * program. */
		.loaded = s.protection && !command.body.failed,
		.executable = s.protection & VM_PROT_EXECUTE,
	};
	return true;
}

static bool macho_begin(const struct object *o, struct object_walk *walk)
{
	const struct machoview *v = &o->macho;

	walk->macho = gsym_machoview_symbols(
		v, gsym_machoview_piece(v, v->symbols, v->wide ? 16 : 12),
		gsym_machoview_piece(v, v->strings, 1));
	return !walk->table && v->symbols.count;
}

static bool macho_symbol(const struct object *o, struct object_walk *walk,
			 struct object_symbol *ret)
{
	(void)o;
	while (walk->next < walk->macho.count) {
		struct macho_symbol s = gsym_machoview_symbol(
			&walk->macho, (size_t)walk->next++);

		if (!macho_is_place(&s) || !s.section || !s.name || !*s.name)
			continue;
		*ret = (struct object_symbol){
			.name = object_name_of(s.name + (*s.name == '_')),
			.address = s.value,
			.section = s.section - 1u,
		};
		return true;
	}
	return false;
}

static bool macho_is_program(const struct object *o)
{
	return o->macho.type != MH_DSYM && o->macho.type != MH_OBJECT;
}

const struct object_kind gsym_object_macho = {
	.matches = gsym_machoview_matches,
	.open = macho_open,
	.id = macho_id,
	.section = macho_section,
	.segment = macho_segment,
	.begin = macho_begin,
	.symbol = macho_symbol,
	.is_program = macho_is_program,
};
