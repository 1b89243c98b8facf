/* SPDX-License-Identifier: MIT */
/* Opens debug info with libdwarf: sections, units, type units of a package. */
#include "second/libdwarf.h"

#include "base/error.h"
#include "base/order.h"

#include <stdlib.h>

static const char *const section_names[LIBDWARF_SECTIONS] = {
	".debug_info",	   ".debug_abbrev", ".debug_line",
	".debug_line_str", ".debug_str",    ".debug_str_offsets",
	".debug_addr",	   ".debug_ranges", ".debug_rnglists",
	".debug_aranges",  ".debug_types",
};

/* ---- the sections, as libdwarf asks for them ---------------------------- */

static int get_section_info(void *object, libdwarf_section_index index,
			    libdwarf_section_info *ret, int *error)
{
	const struct libdwarf *s = object;

	(void)error;
	if (index >= s->section_count)
		return DW_DLV_NO_ENTRY;
	*ret = (libdwarf_section_info){
		.LIBDWARF_SECTION(name) = index ? s->names[index] : "",
		.LIBDWARF_SECTION(size) =
			index ? s->sections[index]->data_size : 0,
	};
	return DW_DLV_OK;
}

static libdwarf_byte_order get_byte_order(void *object)
{
	const struct libdwarf *s = object;

	return s->container->big_endian ? LIBDWARF_BIG_ENDIAN
					: LIBDWARF_LITTLE_ENDIAN;
}

static Dwarf_Small get_address_size(void *object)
{
	const struct libdwarf *s = object;

	return s->container->address_size;
}

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
/* libdwarf compares section sizes with the size of the file.  There is no file:
 * return a size that all sections fit into. */
static Dwarf_Unsigned get_file_size(void *object)
{
	const struct libdwarf *s = object;
	Dwarf_Unsigned size = 1024;

	for (size_t i = 1; i < s->section_count; i++)
		size += s->sections[i]->data_size;
	return size;
}
#endif

static Dwarf_Unsigned get_section_count(void *object)
{
	const struct libdwarf *s = object;

	return s->section_count;
}

static int load_section(void *object, libdwarf_section_index index,
			Dwarf_Small **ret, int *error)
{
	const struct libdwarf *s = object;

	(void)error;
	if (!index || index >= s->section_count)
		return DW_DLV_NO_ENTRY;
	/* libdwarf does not write to sections. */
	*ret = (Dwarf_Small *)(uintptr_t)s->sections[index]->data;
	return DW_DLV_OK;
}

static const libdwarf_methods methods = {
	.LIBDWARF_METHOD(get_section_info) = get_section_info,
	.LIBDWARF_METHOD(get_byte_order) = get_byte_order,
	.LIBDWARF_METHOD(get_length_size) = get_address_size,
	.LIBDWARF_METHOD(get_pointer_size) = get_address_size,
#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
	.om_get_filesize = get_file_size,
#endif
	.LIBDWARF_METHOD(get_section_count) = get_section_count,
	.LIBDWARF_METHOD(load_section) = load_section,
};

/* ---- opening ------------------------------------------------------------ */

/* List the tables of .debug_rnglists, the section at C.  GSYM_ERR_CORRUPT if a
 * header is damaged: libdwarf must not see the section then, as 20210528 uses
 * freed memory after such a header. */
static enum gsym_status list_tables(struct libdwarf *s, struct gsym_cursor c)
{
	while (gsym_cursor_left(&c)) {
		uint64_t length = gsym_cursor_u32(&c);
		struct libdwarf_table t = { .offset_size = 4 };
		struct gsym_cursor table;
		uint16_t version;
		uint8_t size;

		if (length == UINT32_MAX) {
			t.offset_size = 8;
			length = gsym_cursor_u64(&c);
		}
		table = c;
		gsym_cursor_skip(&c, length);
		t.end = gsym_cursor_offset(&c);
		version = gsym_cursor_u16(&table);
		size = gsym_cursor_u8(&table);
		gsym_cursor_skip(&table, 1);
		t.count = gsym_cursor_u32(&table);
		t.offsets = gsym_cursor_offset(&table);
		if (c.failed || table.failed || version != 5 ||
		    (size != 2 && size != 4 && size != 8) ||
		    t.offsets > t.end ||
		    t.count > (t.end - t.offsets) / t.offset_size)
			return GSYM_ERR_CORRUPT;
		if (!gsym_vec_add(&s->tables, t))
			return GSYM_ERR_MEMORY;
	}
	return GSYM_OK;
}

/* Choose the sections that libdwarf sees.  False without memory. */
static bool choose_sections(struct libdwarf *s, struct dw_unit *outside)
{
	s->section_count = 1;
	for (size_t i = 0; i < LIBDWARF_SECTIONS; i++) {
		const struct gsym_container_section *section =
			gsym_container_section(s->container, section_names[i]);
		enum gsym_status status = GSYM_OK;

		if (!section || !section->data_size || !section->data)
			continue;
		if (!strcmp(section_names[i], ".debug_rnglists"))
			status = list_tables(s, gsym_container_cursor(
							s->container, section));
		if (status == GSYM_ERR_MEMORY)
			return false;
		if (status != GSYM_OK) {
			s->tables.count = 0;
			if (outside)
				gsym_dw_unit_warn(
					outside, GSYM_WARN_BAD_RANGES,
					".debug_rnglists: a table's header "
					"is damaged");
			continue;
		}
		s->names[s->section_count] = section_names[i];
		s->sections[s->section_count++] = section;
	}
	return true;
}

static bool is_read(const struct libdwarf *s, unsigned type)
{
	return type == DW_UT_compile || type == DW_UT_partial ||
	       type == (s->split ? DW_UT_split_compile : DW_UT_skeleton);
}

/* Note the attributes of the unit DIE that tie skeleton and split unit, and
 * where the unit's parts of other sections begin. */
static void note_bases(struct libdwarf *s, Dwarf_Die die,
		       struct libdwarf_unit *u)
{
	struct dw_constant id;

	if (!gsym_libdwarf_section_offset(s, die, DW_AT_addr_base,
					  &u->h.addr_base) &&
	    !gsym_libdwarf_section_offset(s, die, DW_AT_GNU_addr_base,
					  &u->h.addr_base))
		u->h.addr_base = u->h.encoding.version < 5
					 ? 0
					 : u->h.encoding.offset_size * 2u;
	if (!gsym_libdwarf_section_offset(s, die, DW_AT_GNU_ranges_base,
					  &u->h.ranges_base))
		u->h.ranges_base = 0;
	id = gsym_libdwarf_constant(s, die, DW_AT_GNU_dwo_id);
	if (id.valid) {
		u->h.has_id = true;
		u->h.id = id.value;
	}
	/* libdwarf takes the first table if there is no attribute. */
	if (s->split && !u->has_lists) {
		u->has_lists = true;
		u->h.rnglists_base = u->h.encoding.offset_size == 8 ? 20 : 12;
	}
}

/* List the unit whose HEADER libdwarf has just read.  False without memory. */
static bool add_unit(struct libdwarf *s, const struct libdwarf_unit *header,
		     struct dw_unit *outside)
{
	struct libdwarf_unit u = *header;
	struct dw_constant language;
	Dwarf_Die die;

	if (!libdwarf_read(s, outside, GSYM_WARN_BAD_UNIT, "no unit DIE",
			   u.h.offset, dwarf_siblingof_b, s->dbg, NULL,
			   !header->is_types, &die))
		return true;
	u.h.die = gsym_libdwarf_offset(s, die);
	if (!gsym_libdwarf_address(s, die, DW_AT_low_pc, &u.h.low_pc) &&
	    !gsym_libdwarf_address(s, die, DW_AT_entry_pc, &u.h.low_pc))
		u.h.low_pc = 0;
	u.has_lists = gsym_libdwarf_section_offset(s, die, DW_AT_rnglists_base,
						   &u.h.rnglists_base);
	note_bases(s, die, &u);
	language = gsym_libdwarf_constant(s, die, DW_AT_language);
	if (language.valid && language.value <= UINT16_MAX)
		u.h.language = (uint16_t)language.value;
	dwarf_dealloc_die(die);
	return u.is_type ? gsym_vec_add(&s->types, u)
			 : gsym_vec_add(&s->units, u);
}

/* List the units of .debug_info, or (IS_TYPES) of .debug_types. */
static bool list_units(struct libdwarf *s, bool is_types,
		       struct dw_unit *outside)
{
	for (uint64_t offset = 0;;) {
		Dwarf_Unsigned length, type_offset = 0, next;
		Dwarf_Half version, address_size, length_size, extension;
		Dwarf_Half type = 0;
		Dwarf_Sig8 signature;
		Dwarf_Off abbrev;

		if (!libdwarf_read(s, outside, GSYM_WARN_BAD_UNIT, "unit",
				   offset, dwarf_next_cu_header_d, s->dbg,
				   !is_types, &length, &version, &abbrev,
				   &address_size, &length_size, &extension,
				   &signature, &type_offset, &next, &type))
			return true;

		struct libdwarf_unit u = {
			.is_types = is_types,
			.h = {
				.offset = offset,
				.end = next,
				.encoding = { version, (uint8_t)address_size,
					      (uint8_t)length_size },
			},
		};

		offset = next;
		u.is_type = is_types || type == DW_UT_type ||
			    type == DW_UT_split_type;
		u.h.type = u.h.offset + type_offset;
		if (!u.is_type && version >= 5 && !is_read(s, type))
			continue;
		u.h.has_id =
			type == DW_UT_skeleton || type == DW_UT_split_compile;
		u.h.id = u.h.has_id || u.is_type
				 ? gsym_libdwarf_number(s, &signature)
				 : 0;
		if (!add_unit(s, &u, outside))
			return false;
	}
}

static int by_signature(const void *a, const void *b)
{
	const struct libdwarf_unit *x = a, *y = b;
	int order = GSYM_ORDER(x->h.id, y->h.id);

	if (!order)
		order = GSYM_ORDER(x->h.encoding.version,
				   y->h.encoding.version);
	return order ? order : GSYM_ORDER(x->h.offset, y->h.offset);
}

static bool list_all(struct libdwarf *s, struct dw_unit *outside)
{
	if (!list_units(s, false, outside) || !list_units(s, true, outside))
		return false;
	gsym_vec_sort(&s->types, by_signature);
	return true;
}

struct libdwarf_unit *gsym_libdwarf_type(struct libdwarf *s, uint64_t signature)
{
	size_t at = GSYM_FIRST(i, 0, s->types.count,
			       s->types.items[i].h.id >= signature);

	return at < s->types.count && s->types.items[at].h.id == signature
		       ? &s->types.items[at]
		       : NULL;
}

struct libdwarf_unit *gsym_libdwarf_unit_at(struct libdwarf *s, uint64_t offset)
{
	size_t at = GSYM_FIRST(i, 0, s->units.count,
			       s->units.items[i].h.end > offset);

	if (at == s->units.count || s->units.items[at].h.offset > offset)
		return NULL;
	return &s->units.items[at];
}

void gsym_libdwarf_stop(struct libdwarf *s)
{
	if (!s)
		return;
	gsym_libdwarf_stop(s->alternate);
	if (s->dbg)
		libdwarf_finish(s->dbg);
	for (size_t i = 0; i < s->units.count; i++)
		gsym_vec_fini(&s->units.items[i].contexts);
	for (size_t i = 0; i < s->types.count; i++)
		gsym_vec_fini(&s->types.items[i].contexts);
	gsym_vec_fini(&s->units);
	gsym_vec_fini(&s->types);
	gsym_vec_fini(&s->tables);
	gsym_vec_fini(&s->map);
	free(s);
}

/* Open the sections with libdwarf.  If they have no DWARF, DBG stays NULL and
 * there are no units. */
static enum gsym_status open_sections(struct libdwarf *s,
				      struct gsym_error *error)
{
	Dwarf_Error dwarf_error = NULL;

	s->interface = (libdwarf_interface){ s, &methods };
	switch (dwarf_object_init_b(&s->interface, NULL, NULL,
				    DW_GROUPNUMBER_ANY, &s->dbg,
				    &dwarf_error)) {
	case DW_DLV_OK:
		return GSYM_OK;
	case DW_DLV_NO_ENTRY:
		s->dbg = NULL;
		return GSYM_OK;
	}
	s->dbg = NULL;
	gsym_fail(error, GSYM_ERR_CORRUPT, 0, "libdwarf cannot start: %s",
		  dwarf_error ? dwarf_errmsg(dwarf_error) : "no reason given");
	if (dwarf_error)
		dwarf_dealloc_error(NULL, dwarf_error);
	return GSYM_ERR_CORRUPT;
}

enum gsym_status gsym_libdwarf_start(const struct gsym_container *container,
				     bool split, struct dw_unit *outside,
				     struct libdwarf **ret,
				     struct gsym_error *error)
{
	struct libdwarf *s = calloc(1, sizeof(*s));
	enum gsym_status status;

	if (!s)
		return gsym_fail_memory(error);
	s->container = container;
	s->split = split;
	status = choose_sections(s, outside) ? open_sections(s, error)
					     : gsym_fail_memory(error);
	if (!status && s->dbg && !list_all(s, outside))
		status = gsym_fail_memory(error);
	if (!status && container->alternate)
		status = gsym_libdwarf_start(container->alternate, false, NULL,
					     &s->alternate, error);
	if (status)
		gsym_libdwarf_stop(s);
	else
		*ret = s;
	return status;
}

/* ---- type units of a package --------------------------------------------- */

struct libdwarf_unit *gsym_libdwarf_package_type(struct dw_package *package,
						 uint64_t signature,
						 struct libdwarf **s)
{
	bool added;
	struct dw_package_type *type =
		gsym_dw_package_type(package, signature, &added);
	enum gsym_status status;

	*s = NULL;
	if (added) {
		status = gsym_libdwarf_start(&type->split.container, true, NULL,
					     s, NULL);
		package->no_memory |= status == GSYM_ERR_MEMORY;
		if (status == GSYM_OK)
			(*s)->package = package;
		type->unit = *s;
	}
	*s = type ? type->unit : NULL;
	return *s ? gsym_libdwarf_type(*s, signature) : NULL;
}
