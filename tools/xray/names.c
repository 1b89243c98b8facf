/* SPDX-License-Identifier: MIT */
/* Reads maps from numbers of functions to sleds: from a traced program, or from
 * text that "gsym-xray extract" or "llvm-xray extract" wrote.  Finds names and
 * lines for numbers of functions. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsym/program.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "xray/xray.h"

/* The known kinds of sleds. */
enum { KNOWN_KINDS = 6 };

/* ---- the tables of a program -------------------------------------------- */

/* The tables of a program that describe its sleds. */
struct tables {
	struct gsym_program *program;
	struct gsym_program_facts facts;
	/* Tables of sleds; only relocatable objects have several. */
	GSYM_VEC(struct gsym_xray_section);
	/* The table of function indexes; data NULL: the program has none. */
	struct gsym_xray_section index;
	/* Bytes of all tables. */
	uint64_t size;
};

static void free_tables(struct tables *t)
{
	for (size_t i = 0; i < t->count; i++)
		free((void *)t->items[i].data);
	gsym_vec_fini(t);
	free((void *)t->index.data);
	gsym_program_close(t->program);
	*t = (struct tables){ 0 };
}

/* Copy the SIZE bytes at DATA, which T's program has at ADDRESS, and fill the
 * pointers in the copy as the loader does. */
static struct gsym_xray_section copy_table(struct tables *t,
					   const struct xray_bytes *file,
					   uint64_t address,
					   const uint8_t *data, uint64_t size)
{
	uint8_t *copy;

	/* Sections of a sound file do not overlap. */
	if (size > file->size - t->size)
		die("cannot read '%s': sections with sleds overlap",
		    file->path);
	t->size += size;
	copy = must_have(malloc(size ? size : 1));
	if (size)
		memcpy(copy, data, size);
	gsym_program_fill_pointers(t->program, address, copy, size);
	return (struct gsym_xray_section){
		.data = copy,
		.size = size,
		.address = address,
		.word = t->facts.address_size,
		.big_endian = t->facts.big_endian,
	};
}

/* Find the next section NAME from *AT on.  Dies if the file does not have the
 * section's bytes, or if they cannot be relocated. */
static bool find_section(const struct tables *t, const struct xray_bytes *file,
			 const char *name, size_t *at,
			 struct gsym_program_section *ret)
{
	if (gsym_program_find_section(t->program, name, at, ret) != GSYM_OK)
		return false;
	if (ret->unrelocated)
		die("cannot read '%s': %s at 0x%" PRIx64 ": relocations of "
		    "types that are not known for %s",
		    file->path, name, ret->file_offset,
		    t->facts.architecture);
	if (ret->data_size < ret->size)
		die("cannot read '%s': the file does not hold the bytes of "
		    "section %s, at offset 0x%" PRIx64,
		    file->path, name, ret->file_offset);
	return true;
}

/* Find the sleds between the symbols that linkers define, in a program whose
 * sections have lost their names. */
static void find_by_symbols(struct tables *t, const struct xray_bytes *file)
{
	uint64_t start, stop, left;
	const uint8_t *data;

	if (gsym_program_symbol(t->program, "__start_xray_instr_map", &start) !=
		    GSYM_OK ||
	    gsym_program_symbol(t->program, "__stop_xray_instr_map", &stop) !=
		    GSYM_OK ||
	    stop < start)
		return;
	data = gsym_program_bytes(t->program, start, &left);
	if (data && stop - start <= left)
		*must_push(t) = copy_table(t, file, start, data, stop - start);
}

static void find_tables(struct tables *t, const struct xray_bytes *file)
{
	struct gsym_program_section s;
	size_t at = 0;

	gsym_program_get_facts(t->program, &t->facts);
	while (find_section(t, file, "xray_instr_map", &at, &s)) {
		*must_push(t) =
			copy_table(t, file, s.address, s.data, s.size);
		if (!t->facts.relocatable)
			break;
	}
	if (!t->count)
		find_by_symbols(t, file);
	at = 0;
	if (!t->facts.relocatable &&
	    find_section(t, file, "xray_fn_idx", &at, &s))
		t->index = copy_table(t, file, s.address, s.data, s.size);
}

/* Open the program in FILE that has sleds; if no program has sleds, any of
 * them.  Returns false if FILE is no program.  Dies on failure. */
static bool open_program(const struct xray_bytes *file, struct tables *ret)
{
	struct gsym_error error = { 0 };
	enum gsym_status status = GSYM_OK;

	for (size_t number = 0; status == GSYM_OK; number++) {
		struct tables t = { 0 };

		status = gsym_program_open(file->data, file->size, number,
					   &t.program, &error);
		if (status != GSYM_OK)
			break;
		find_tables(&t, file);
		if (t.count && ret->count)
			die("'%s' holds several programs with sleds: take out "
			    "the one that was traced (lipo -thin)",
			    file->path);
		if (ret->count) {
			free_tables(&t);
			continue;
		}
		free_tables(ret);
		*ret = t;
	}
	if (status == GSYM_ERR_FORMAT)
		return false;
	if (status != GSYM_NOT_FOUND)
		die_status("read", file->path, status, &error);
	return true;
}

/* ---- the map ------------------------------------------------------------ */

/* Whether FILE may be a map in YAML: a list, after comments. */
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

/* Store the architecture and build ID of the program in OBJECT. */
static void take_facts(struct xray_object *object,
		       const struct gsym_program_facts *facts)
{
	object->architecture = must_have(strdup(facts->architecture));
	if (!facts->uuid || facts->uuid_size > sizeof(object->uuid))
		return;
	memcpy(object->uuid, facts->uuid, facts->uuid_size);
	object->uuid_size = facts->uuid_size;
}

static void take_program(struct xray_object *object, const struct tables *t)
{
	struct gsym_error error = { 0 };
	if (!t->count)
		die("'%s' has no instrumentation map (section xray_instr_map)",
		    object->path);
	enum gsym_status status =
		gsym_xray_map_open(t->items, t->count, &object->map, &error);
	must_succeed("read", object->path, status, &error);
	take_facts(object, &t->facts);
	if (report_is_quiet())
		return;
	warn_unknown(object);
	if (t->index.data &&
	    gsym_xray_map_check_index(object->map, &t->items[0], &t->index,
				      &error) != GSYM_OK)
		warn("'%s': %s: names may be those of other functions",
		     object->path, error.message);
}

/* Open the map of OBJECT, whose bytes are in memory: a program or a map in
 * YAML.  Dies. */
static void open_map(struct xray_object *object)
{
	struct tables tables = { 0 };
	struct gsym_error error = { 0 };
	if (open_program(&object->bytes, &tables)) {
		take_program(object, &tables);
		free_tables(&tables);
		return;
	}
	if (!is_text(&object->bytes))
		die("'%s' is neither an ELF or Mach-O file nor a map in YAML",
		    object->path);
	object->text = true;
	enum gsym_status status =
		gsym_xray_map_parse((const char *)object->bytes.data,
				    object->bytes.size, &object->map, &error);
	must_succeed("read", object->path, status, &error);
}

/* ---- names --------------------------------------------------------------- */

/* Frames at an address.  With more, the function has no line. */
enum { MOST_FRAMES = 256 };

/* What is known of OBJECT. */
static struct source_program program_of(const struct xray_object *object)
{
	return (struct source_program){
		.path = strcmp(object->path, "-") ? object->path : NULL,
		.id = object->uuid,
		.id_size = object->uuid_size,
		.architecture = object->architecture,
	};
}

/* Convert the debug info and symbols of PROGRAM, which is OBJECT, or of its
 * debug file.  If that fails OBJECT->converted stays empty. */
static void convert(const struct xray *x, struct xray_object *object,
		    struct source_program program)
{
	object->tried = true;
	source_convert(x->source, &program, &object->converted);
}

void xray_names_convert(struct xray *x)
{
	for (int i = 0; i < XRAY_OBJECTS; i++) {
		struct xray_object *object = &x->objects[i];
		if (object->path && strcmp(object->path, "-") != 0 &&
		    !is_text(&object->bytes))
			convert(x, object, (struct source_program){
				.path = object->path, .fresh = true });
	}
}

/* Warn if the GSYM file PATH and OBJECT have different build IDs. */
static void check_build(const char *path, const struct xray_object *object)
{
	struct gsym_header header;
	gsym_get_header(object->reader, &header);
	if (!header.uuid_size || !object->uuid_size ||
	    gsym_uuid_matches(header.uuid, header.uuid_size, object->uuid,
			      object->uuid_size))
		return;
	report_note(
		"'%s' and '%s' have different build IDs: names may be wrong",
		path, object->path);
}

/* Open the GSYM file that the user named for OBJECT. */
static void open_named(struct xray *x, struct xray_object *object)
{
	struct gsym_error error = { 0 };
	enum gsym_status status =
		gsym_open(x->gsym_path, &object->opened, &error);
	must_succeed("open", x->gsym_path, status, &error);
	object->reader = object->opened;
	check_build(x->gsym_path, object);
}

/* Find the GSYM data of OBJECT, or have them made. */
static void open_reader(struct xray *x, struct xray_object *object)
{
	struct source_program program = program_of(object);
	if (object->text)
		return;
	program.unconverted = true;
	if (source_open(x->source, &program, &object->found) == SOURCE_HAVE) {
		object->reader = object->found.reader;
		return;
	}
	if (!object->tried)
		convert(x, object, program_of(object));
	object->reader = object->converted.reader;
}

void xray_names_open(struct xray *x)
{
	for (int i = 0; i < XRAY_OBJECTS; i++) {
		struct xray_object *object = &x->objects[i];
		if (!object->path)
			continue;
		open_map(object);
		object->tried |= object->text;
		x->tod |= object->architecture &&
			  !strncmp(object->architecture, "s390", 4);
		if (i == 0 && x->gsym_path)
			open_named(x, object);
		object->known = must_have(
			calloc(gsym_xray_map_functions(object->map) + (size_t)1,
			       sizeof(*object->known)));
	}
}

void xray_names_load(struct xray *x)
{
	report_work("reading debug info");
	for (int i = 0; i < XRAY_OBJECTS; i++)
		if (x->objects[i].path && !x->objects[i].reader)
			open_reader(x, &x->objects[i]);
	report_work_end();
}

void xray_names_close(struct xray *x)
{
	for (int i = 0; i < XRAY_OBJECTS; i++) {
		struct xray_object *object = &x->objects[i];
		uint32_t count = object->known
					 ? gsym_xray_map_functions(object->map)
					 : 0;
		for (uint32_t n = 0; n < count; n++)
			free(object->known[n].name);
		free(object->known);
		gsym_xray_map_close(object->map);
		gsym_close(object->opened);
		source_close(&object->found);
		source_close(&object->converted);
		free(object->architecture);
	}
}

/* Set PLACE to the line of ADDRESS in the function itself.  If an inlined call
 * covers ADDRESS, that is the line of the call.  Returns false if the line is
 * not known; PLACE may have the file then. */
static bool own_line(const struct gsym_reader *reader, uint64_t address,
		     struct xray_place *place)
{
	struct gsym_frame frames[MOST_FRAMES];
	struct gsym_match match;
	const struct gsym_frame *own;
	if (gsym_lookup(reader, address, 0, frames, MOST_FRAMES, &match,
			NULL) != GSYM_OK ||
	    match.frame_count > MOST_FRAMES)
		return false;
	own = &frames[match.frame_count - 1];
	place->directory = own->directory;
	place->basename = own->basename;
	place->line = own->line;
	return own->line != 0;
}

/* Set PLACE to the first line of the function at ADDRESS.  Code of sleds has
 * no line, so the first rows of a function often have line 0. */
static void find_line(const struct gsym_reader *reader, uint64_t address,
		      struct xray_place *place)
{
	struct gsym_function function;
	struct gsym_line_iter iter;
	struct gsym_match match;
	struct gsym_frame frame;
	struct gsym_line row;
	if (own_line(reader, address, place) ||
	    gsym_lookup(reader, address, GSYM_LOOKUP_NO_INLINES, &frame, 1,
			&match, NULL) != GSYM_OK ||
	    gsym_function_at(reader, match.index, &function, NULL) != GSYM_OK)
		return;
	if (gsym_lines(&function, &iter, NULL) != GSYM_OK)
		return;
	while (gsym_line_next(&iter, &row, NULL) == GSYM_OK)
		if (row.line && own_line(reader, row.address, place))
			return;
}

static const struct xray_place no_place = { .directory = "", .basename = "" };

/* Fill KNOWN for FUNCTION of OBJECT, which is at ADDRESS. */
static void look_up(struct xray *x, struct xray_object *object,
		    uint32_t function, uint64_t address,
		    struct xray_known *known)
{
	const struct gsym_reader *reader;
	struct gsym_frame frame;
	char plain[32];
	const char *name = gsym_xray_map_name(object->map, function);
	known->place = no_place;
	reader = object->reader;
	snprintf(plain, sizeof(plain), "@(%" PRIx64 ")", address);
	if (!name)
		name = plain;
	else if (x->demangler)
		name = demangle(x->demangler, name);
	for (int attempt = 0; attempt < 2; attempt++) {
		if (reader &&
		    gsym_lookup(reader, address, GSYM_LOOKUP_NO_INLINES,
				&frame, 1, NULL, NULL) == GSYM_OK) {
			find_line(reader, address, &known->place);
			name = x->demangler
				       ? demangle(x->demangler, frame.function)
				       : frame.function;
			break;
		}
		/* The program's symbols may have a name for it. */
		if (!object->tried)
			convert(x, object, program_of(object));
		reader = object->converted.reader;
	}
	/* The name may lie in a mapped file, which others may change. */
	known->name = must_have(strndup(name, PTRDIFF_MAX));
}

/* The next of the texts of X that are made for things without a name. */
static char *made_text(struct xray *x)
{
	return x->made[++x->last_made % XRAY_MADE];
}

const char *xray_name(struct xray *x, uint32_t function,
		      struct xray_place *place)
{
	struct xray_object *object = &x->objects[xray_object_of(function)];
	uint32_t number = function & 0xffffff;
	uint64_t address;
	unsigned kinds;
	char *text;
	if (!object->map ||
	    gsym_xray_map_function(object->map, number, &address, &kinds) !=
		    GSYM_OK) {
		if (!object->map)
			x->unnamed |= 1u << xray_object_of(function);
		else if (!x->unmapped)
			x->unmapped = function;
		if (place)
			*place = no_place;
		text = made_text(x);
		text[0] = '#';
		text[1 + gsym_decimal_put(text + 1, function)] = '\0';
		return text;
	}
	struct xray_known *known =
		&object->known[gsym_xray_map_index(object->map, number)];
	if (!known->name)
		look_up(x, object, number, address, known);
	if (place)
		*place = known->place;
	return known->name;
}

char *xray_place_text(const struct xray_place *place)
{
	char *path, *text;
	if (!*place->basename)
		return path_print("%s", "");
	path = path_join(place->directory, place->basename);
	text = path_print("%s:%" PRIu32, path, place->line);
	free(path);
	return text;
}

const char *xray_event_type(struct xray *x, uint16_t type)
{
	char *text;
	if (x->event_types && x->event_types[type])
		return x->event_types[type];
	text = made_text(x);
	snprintf(text, XRAY_MADE_SIZE, "type %u", type);
	return text;
}
