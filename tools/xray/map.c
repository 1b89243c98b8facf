/* SPDX-License-Identifier: MIT */
/* Reads maps from numbers of functions to sleds: from a traced program, or from
 * text that "gsym-xray extract" or "llvm-xray extract" wrote. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gsym/program.h>

#include "common/must.h"
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

static void add_sleds(struct tables *t, const struct xray_bytes *file,
		      uint64_t address, const uint8_t *data, uint64_t size)
{
	*must_push(t) = copy_table(t, file, address, data, size);
}

/* Find the next section NAME from *AT on.  Dies if the file does not have the
 * section's bytes. */
static bool find_section(const struct tables *t, const struct xray_bytes *file,
			 const char *name, size_t *at,
			 struct gsym_program_section *ret)
{
	if (gsym_program_find_section(t->program, name, at, ret) != GSYM_OK)
		return false;
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
		add_sleds(t, file, start, data, stop - start);
}

static void find_tables(struct tables *t, const struct xray_bytes *file)
{
	struct gsym_program_section s;
	size_t at = 0;

	gsym_program_get_facts(t->program, &t->facts);
	while (find_section(t, file, "xray_instr_map", &at, &s)) {
		add_sleds(t, file, s.address, s.data, s.size);
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
bool xray_map_is_text(const struct xray_bytes *file)
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
	if (status != GSYM_OK)
		die_status("read", object->path, status, &error);
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

void xray_map_open(struct xray_object *object)
{
	struct tables tables = { 0 };
	struct gsym_error error = { 0 };
	if (open_program(&object->bytes, &tables)) {
		take_program(object, &tables);
		free_tables(&tables);
		return;
	}
	if (!xray_map_is_text(&object->bytes))
		die("'%s' is neither an ELF or Mach-O file nor a map in YAML",
		    object->path);
	object->text = true;
	enum gsym_status status =
		gsym_xray_map_parse((const char *)object->bytes.data,
				    object->bytes.size, &object->map, &error);
	if (status != GSYM_OK)
		die_status("read", object->path, status, &error);
}
