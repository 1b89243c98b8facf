/* SPDX-License-Identifier: MIT */
/*
 * Decisions about names, ranges, declarations, paths and sequences that both
 * readers share.
 */
#include "dwarf/policy.h"

#include "base/order.h"
#include "dwarf/sections.h"

#include <inttypes.h>
#include <string.h>

/* Whether linkers write ADDRESS in place of the address of dropped code. */
static bool is_tombstone(uint64_t address, unsigned address_size)
{
	uint64_t ones = address_size < 8 ? UINT32_MAX : UINT64_MAX;

	return address >= ones - 1;
}

/* Whether [START, END) is a range of code: not empty, and START no tombstone
 * for addresses of ADDRESS_SIZE bytes. */
static bool is_real(uint64_t start, uint64_t end, unsigned address_size)
{
	return start < end && !is_tombstone(start, address_size);
}

bool gsym_dw_range_add(struct dw_range_list *list, uint64_t start, uint64_t end)
{
	start = dw_code_address(&list->code, start);
	end = dw_code_address(&list->code, end);
	if (!is_real(start, end, list->code.address_size))
		return true;
	return gsym_vec_add(list->ranges, (struct gsym_range){ start, end });
}

/* A tombstone stands for an absolute address even in a relative entry, and
 * nothing is relative to a tombstone. */
bool gsym_dw_range_add_relative(struct dw_range_list *list, uint64_t start,
				uint64_t end)
{
	unsigned size = list->code.address_size;

	return is_tombstone(start, size) || is_tombstone(list->base, size) ||
	       gsym_dw_range_add(list, list->base + start, list->base + end);
}

bool gsym_dw_range_add_length(struct dw_range_list *list, uint64_t start,
			      uint64_t length)
{
	uint64_t end = start + length;
	uint64_t wrapped = dw_wrap(&list->code, end);

	if (list->inlined && length &&
	    wrapped < dw_wrap(&list->code, start)) {
		list->unit->wraps = true;
		end = UINT64_MAX;
	}
	return gsym_dw_range_add(list, start, end);
}

/* The end of the range of a node that NODE was inlined into, that has START.
 * 0: there is none. */
static uint64_t end_around(struct dw_unit *unit, const struct dw_node *node,
			   uint64_t start)
{
	const struct dw_node *outer = node;

	while (outer->parent != DW_NO_NODE) {
		outer = &unit->nodes.items[outer->parent];
		if (!dw_unit_take(unit, DW_CUT_INLINES,
				  (outer->range_count + 1) *
					  (uint64_t)DW_COST_LOOK))
			return 0;
		for (uint32_t i = 0; i < outer->range_count; i++) {
			const struct gsym_range *range =
				&unit->ranges.items[outer->first_range + i];

			if (range->start <= start && start < range->end)
				return range->end;
		}
	}
	return 0;
}

void gsym_dw_unit_unwrap(struct dw_unit *unit)
{
	/* With bit 0 cleared, and cut to either address size. */
	const uint64_t last[] = { UINT64_MAX, UINT64_MAX - 1, UINT32_MAX,
				  UINT32_MAX - 1 };
	bool warned = false;

	for (uint32_t n = 0; unit->wraps && n < unit->nodes.count; n++) {
		struct dw_node *node = &unit->nodes.items[n];
		struct gsym_range *range =
			gsym_vec_from(&unit->ranges, node->first_range);

		/* A length is that of a DIE's only range. */
		if (!node->inlined || node->range_count != 1 ||
		    (range->end != last[0] && range->end != last[1] &&
		     range->end != last[2] && range->end != last[3]))
			continue;
		/* Parents come before the calls that were inlined into them. */
		range->end = end_around(unit, node, range->start);
		node->range_count = range->end > range->start;
		if (!warned)
			gsym_dw_unit_warn(unit, GSYM_WARN_BAD_RANGES,
					  "the inlined call at .debug_info+0x%"
					  PRIx64 " reaches around the address "
					  "space and was cut",
					  node->die);
		warned = true;
	}
}

bool gsym_dw_claim_add(struct dw_claims *claims, uint32_t unit,
		       struct dw_code code, uint64_t start, uint64_t end)
{
	start = dw_code_address(&code, start);
	end = dw_code_address(&code, end);
	if (!is_real(start, end, code.address_size))
		return true;
	return gsym_vec_add(claims, (struct dw_claim){ { start, end }, unit });
}

bool gsym_dw_location_read(struct gsym_cursor c, unsigned address_size,
			   struct dw_location *ret)
{
	uint8_t op = gsym_cursor_u8(&c);

	*ret = (struct dw_location){ .indexed = op != DW_OP_addr };
	if (op == DW_OP_addr)
		ret->address = gsym_cursor_uint(&c, address_size);
	else if (op == DW_OP_addrx || op == DW_OP_GNU_addr_index)
		ret->address = gsym_cursor_uleb(&c);
	else
		return false;
	/* Other operations make another location, or a value. */
	if (gsym_cursor_left(&c)) {
		if (gsym_cursor_u8(&c) != DW_OP_plus_uconst)
			return false;
		ret->addend = gsym_cursor_uleb(&c);
	}
	return !c.failed && !gsym_cursor_left(&c);
}

bool gsym_dw_data_address(uint64_t address, uint64_t addend,
			  unsigned address_size, uint64_t *ret)
{
	struct dw_code code = { .address_size = (uint8_t)address_size };

	*ret = dw_wrap(&code, address + addend);
	return !is_tombstone(address, address_size);
}

uint32_t gsym_dw_constant_u32(const struct dw_constant *constant,
			      uint32_t missing)
{
	return constant->valid && constant->value <= UINT32_MAX
		       ? (uint32_t)constant->value
		       : missing;
}

/* The name of a function whose DW_AT_name is SOURCE.  In strict DWARF 2, which
 * has no DW_AT_ranges, gcc describes the cold part of the function f by a
 * function __second_sect_of_f. */
static const char *function_name(const char *source)
{
	static const char second[] = "__second_sect_of_";
	size_t length = sizeof(second) - 1;

	return strncmp(source, second, length) == 0 && source[length]
		       ? source + length
		       : source;
}

bool gsym_dw_name_choose(struct dw_name *name, const char *linkage,
			 const char *source)
{
	if (linkage && *linkage) {
		*name = (struct dw_name){ linkage, true };
		return true;
	}
	if (!name->text && source && *source)
		name->text = function_name(source);
	return false;
}

bool gsym_dw_declaration_choose(struct dw_declaration_choice *choice,
				const struct dw_constant *file,
				const struct dw_constant *line, bool is_own)
{
	if (!choice->has_line && line->present) {
		choice->has_line = true;
		choice->found.line = gsym_dw_constant_u32(line, 0);
	}
	/* A file number has no meaning in another unit. */
	if (!choice->has_file && file->present) {
		choice->has_file = true;
		if (is_own)
			choice->found.file =
				gsym_dw_constant_u32(file, DW_NO_FILE);
	}
	return choice->has_file && choice->has_line;
}

/* DW_LANG_* of C++, C++03, C++11, C++14, C++17, C++20, C++23 and
 * Objective-C++. */
bool gsym_dw_language_is_cplusplus(unsigned language)
{
	switch (language) {
	case 0x0004:
	case 0x0011:
	case 0x0019:
	case 0x001a:
	case 0x0021:
	case 0x002a:
	case 0x002b:
	case 0x003a:
		return true;
	}
	return false;
}

/* DW_LANG_C89, C, C99, C11, C17 and C23. */
static bool is_c(unsigned language)
{
	switch (language) {
	case 0x0001:
	case 0x0002:
	case 0x000c:
	case 0x001d:
	case 0x002c:
	case 0x003e:
		return true;
	}
	return false;
}

enum dw_class_code gsym_dw_class_code(unsigned language, const char *producer)
{
	if (is_c(language))
		return DW_CLASS_CODE_NONE;
	if (gsym_dw_language_is_cplusplus(language) && producer &&
	    !strncmp(producer, "GNU ", 4))
		return DW_CLASS_CODE_LOCAL;
	return DW_CLASS_CODE_ALL;
}

bool gsym_dw_is_context(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
		return true;
	}
	return false;
}

const char *gsym_dw_qualify(struct dw_unit *unit, const char *context,
			    const char *name)
{
	size_t outer, inner;
	char *joined;

	if (!gsym_dw_unit_take_text(unit, context) ||
	    !gsym_dw_unit_take_text(unit, name))
		return name;
	outer = strlen(context);
	inner = strlen(name);
	joined = gsym_arena_alloc(&unit->arena, outer + inner + 3);
	if (!joined)
		return NULL;
	memcpy(joined, context, outer);
	if (outer > 1 && joined[0] == '<' && joined[outer - 1] == '>') {
		joined[0] = '{';
		joined[outer - 1] = '}';
	}
	memcpy(joined + outer, "::", 2);
	memcpy(joined + outer + 2, name, inner);
	joined[outer + 2 + inner] = 0;
	return joined;
}

/* Absolute paths of Unix and Windows: /x, \x, C:\x, C:/x. */
static bool is_absolute(const char *path)
{
	bool drive = ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z') &&
		     path[1] == ':' && (path[2] == '\\' || path[2] == '/');

	return path[0] == '/' || path[0] == '\\' || drive;
}

struct part {
	const char *text;
	size_t length;
};

/* Join COUNT parts with '/' between them, allocated in ARENA; NULL without
 * memory. */
static const char *join(struct gsym_arena *arena, const struct part *parts,
			size_t count)
{
	size_t length = 0;
	char *path, *at;

	for (size_t i = 0; i < count; i++)
		length += parts[i].length + 1;
	path = at = gsym_arena_alloc(arena, length + 1);
	if (!path)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!parts[i].length)
			continue;
		if (at > path && at[-1] != '/')
			*at++ = '/';
		memcpy(at, parts[i].text, parts[i].length);
		at += parts[i].length;
	}
	*at = 0;
	return path;
}

/* Use the work of handing over the texts of FILE, each of them whether or not
 * it becomes a part of the path.  False beyond the budget of UNIT. */
static bool take_file(struct dw_unit *unit, const struct dw_file_parts *file)
{
	return gsym_dw_unit_take_text(unit, file->name) &&
	       (!file->directory ||
		gsym_dw_unit_take_text(unit, file->directory)) &&
	       (!file->comp_dir ||
		gsym_dw_unit_take_text(unit, file->comp_dir));
}

bool gsym_dw_make_file(struct dw_unit *unit,
		       const struct dw_file_parts *file, struct dw_file *ret)
{
	const char *name = file->name, *directory = file->directory;
	const char *slash;
	struct part parts[3];
	size_t count = 0;

	*ret = (struct dw_file){ NULL, NULL };
	if (!take_file(unit, file))
		return true;
	slash = strrchr(name, '/');
	if (!is_absolute(name)) {
		/* From version 5 on directory 0 is the compilation directory
		 * itself. */
		bool rooted =
			directory && (is_absolute(directory) ||
				      (file->version >= 5 && !file->index));

		if (file->comp_dir && *file->comp_dir && !rooted)
			parts[count++] =
				(struct part){ file->comp_dir,
					       strlen(file->comp_dir) };
		if (directory && *directory)
			parts[count++] =
				(struct part){ directory, strlen(directory) };
	}
	if (slash)
		/* The root directory keeps its slash. */
		parts[count++] = (struct part){
			name, slash > name ? (size_t)(slash - name) : 1
		};
	ret->basename = slash ? slash + 1 : name;
	/* A copy: the file may be used for longer than .debug_info, which may
	 * have the compilation directory, is in memory. */
	if (count)
		ret->directory = join(&unit->arena, parts, count);
	return !count || ret->directory;
}

/* ---- sequences ----------------------------------------------------------- */

/* Leave out rows that no look-up can reach: of rows at one address all but the
 * last, and rows with the file and line of the row before.  All rows of the
 * sequence have to be there and sorted: a row that the program adds late may
 * belong between two with the same file and line.  Returns the new count. */
static size_t thin_rows(struct dw_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && rows[i + 1].address == rows[i].address)
			continue;
		if (kept && rows[kept - 1].file == rows[i].file &&
		    rows[kept - 1].line == rows[i].line)
			continue;
		rows[kept++] = rows[i];
	}
	return kept;
}

bool gsym_dw_sequence_end(struct dw_unit *unit, struct dw_open_sequence *open,
			  uint64_t end, unsigned address_size)
{
	size_t first = open->first_row, count = unit->lines.rows.count - first;
	struct dw_row *rows = gsym_vec_from(&unit->lines.rows, first);
	struct dw_sequence *sequence;

	if (open->unsorted &&
	    !gsym_sort_structs(rows, count, sizeof(*rows),
			       offsetof(struct dw_row, address)))
		return false;
	/* Addresses after a tombstone wrap, so that the tombstone may not be
	 * the lowest row. */
	if (!count || is_tombstone(open->first_address, address_size) ||
	    rows[0].address >= end || unit->lines.rows.count > UINT32_MAX) {
		unit->lines.rows.count = first;
	} else {
		sequence = gsym_vec_push(&unit->lines.sequences);
		if (!sequence)
			return false;
		count = thin_rows(rows, count);
		unit->lines.rows.count = first + count;
		*sequence = (struct dw_sequence){
			rows[0].address, end, (uint32_t)first, (uint32_t)count,
			open->first_address, open->offset
		};
	}
	*open = (struct dw_open_sequence){
		.first_row = unit->lines.rows.count
	};
	return true;
}

bool gsym_dw_sequences_sort(struct dw_unit *unit)
{
	/* Sequences with the same end keep the order of their rows. */
	return gsym_vec_sort_by(&unit->lines.sequences, end);
}
