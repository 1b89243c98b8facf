/* SPDX-License-Identifier: MIT */
/* Clears and frees the content of a unit; grants units their share of the
 * work, and settles what they used; keeps the warnings of a unit; finds the
 * compilation directory of most units. */
#include "dwarf/unit.h"

#include "base/path_map.h"
#include "container/container.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gsym_dw_unit_clear(struct dw_unit *unit)
{
	unit->offset = 0;
	unit->work = (struct gsym_budget){ .limit = 0 };
	unit->own_work = unit->split_work = 0;
	unit->cuts = 0;
	unit->wraps = unit->drops = false;
	unit->nodes.count = 0;
	unit->calls.count = 0;
	unit->variables.count = 0;
	unit->ranges.count = 0;
	unit->lines.rows.count = 0;
	unit->lines.sequences.count = 0;
	unit->files.count = 0;
	unit->warnings.count = 0;
	gsym_arena_fini(&unit->arena);
}

void gsym_dw_unit_fini(struct dw_unit *unit)
{
	gsym_vec_fini(&unit->nodes);
	gsym_vec_fini(&unit->calls);
	gsym_vec_fini(&unit->variables);
	gsym_vec_fini(&unit->ranges);
	gsym_vec_fini(&unit->lines.rows);
	gsym_vec_fini(&unit->lines.sequences);
	gsym_vec_fini(&unit->files);
	gsym_vec_fini(&unit->warnings);
	gsym_arena_fini(&unit->arena);
	for (size_t i = 0; i < DW_HELD; i++) {
		gsym_container_free(unit->held[i].file);
		unit->held[i].file = NULL;
	}
}

uint64_t gsym_dw_debug_bytes(const struct gsym_container *container,
			     uint64_t *stored)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < container->sections.count; i++) {
		const struct gsym_container_section *s =
			&container->sections.items[i];

		if (strncmp(s->name, ".debug_", 7) != 0 &&
		    strncmp(s->name, ".zdebug_", 8) != 0)
			continue;
		bytes += s->data_size;
		*stored += s->packed_size ? s->packed_size : s->data_size;
	}
	return bytes;
}

/* ---- warnings ------------------------------------------------------------ */

/* Warnings of one unit: a byte of debug info can be a reason for one. */
enum { MOST_WARNINGS = 100000 };

void gsym_dw_unit_warn(struct dw_unit *unit, enum gsym_warning kind,
		       const char *format, ...)
{
	char text[256];
	const char *copy;
	va_list args;

	if (unit->warnings.count >= MOST_WARNINGS)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = gsym_arena_string(&unit->arena, text, strlen(text));
	if (copy)
		(void)gsym_vec_add(&unit->warnings,
				   (struct dw_warning){ kind, copy });
}

/* ---- work ---------------------------------------------------------------- */

enum { GUESS_SHIFT = 16 };

static void set_left(struct dw_work *work, uint64_t left)
{
	uint64_t guess = left >> GUESS_SHIFT;

	work->left = left;
	work->guess = guess < UINT_MAX ? (unsigned)guess : UINT_MAX;
}

void gsym_dw_work_init(struct dw_work *work, uint64_t size, uint64_t stored)
{
	work->limited = true;
	work->packing = 0;
	if (size / DW_WORK_PACKED > stored) {
		work->packing = stored ? size / DW_WORK_PACKED / stored + 1
				       : UINT64_MAX;
		size = stored * DW_WORK_PACKED;
	}
	set_left(work, size < UINT64_MAX / (2 * DW_WORK_SHARE)
			       ? size * DW_WORK_SHARE + DW_WORK_SPARE
			       : UINT64_MAX / 2);
}

static uint64_t own_share(const struct dw_work *work, uint64_t size)
{
	if (work->packing)
		size /= work->packing;
	return size < UINT64_MAX / (4 * DW_WORK_OWN) ? size * DW_WORK_OWN
						     : UINT64_MAX / 4;
}

/* The limit of a unit of SIZE bytes that may use LEFT of the pool.  It is not
 * 0, which would be no limit. */
static uint64_t limit_of(const struct dw_work *work, uint64_t size,
			 uint64_t left)
{
	return own_share(work, size) + left + 1;
}

void gsym_dw_work_grant(struct dw_work *work, struct dw_unit *unit,
			uint64_t size, size_t parts)
{
	uint64_t left;

	unit->work = (struct gsym_budget){ .limit = 0 };
	unit->own_work = unit->split_work = 0;
	if (!work->limited)
		return;
	left = parts > 1 ? ((uint64_t)work->guess << GUESS_SHIFT) / parts
			 : work->left;
	unit->own_work = own_share(work, size);
	unit->work.limit = limit_of(work, size, left);
}

bool gsym_dw_work_settle(struct dw_work *work, const struct dw_unit *unit,
			 uint64_t size)
{
	const struct gsym_budget *used = &unit->work;
	uint64_t own, limit;

	if (!work->limited)
		return true;
	own = own_share(work, size) + unit->split_work;
	limit = limit_of(work, size, work->left) + unit->split_work;
	if (used->used > limit || (used->exceeded && used->limit != limit))
		return false;
	if (used->used > own)
		set_left(work, used->used - own < work->left
				       ? work->left - (used->used - own)
				       : 0);
	return true;
}

void gsym_dw_work_extend(struct dw_unit *unit, uint64_t size)
{
	uint64_t units = size < UINT64_MAX / (8 * DW_WORK_SHARE)
				 ? size * DW_WORK_SHARE
				 : UINT64_MAX / 8;

	if (!unit->work.limit)
		return;
	unit->split_work += units;
	unit->work.limit += units;
}

bool gsym_dw_unit_take_text(struct dw_unit *unit, const char *text)
{
	const struct gsym_budget *work = &unit->work;
	size_t most = SIZE_MAX / 2;

	if (unit->cuts >> DW_CUT_NAMES & 1)
		return false;
	/* A text that does not fit is not read to its end. */
	if (work->limit && (work->limit - work->used) / DW_COST_TEXT < most)
		most = (size_t)(work->limit - work->used) / DW_COST_TEXT + 1;
	return dw_unit_take(unit, DW_CUT_NAMES,
			    (uint64_t)strnlen(text, most) * DW_COST_TEXT);
}

bool gsym_dw_unit_take_lines(struct dw_unit *unit, struct gsym_cursor line,
			     uint64_t offset)
{
	uint64_t length, left;

	gsym_cursor_seek(&line, offset);
	length = gsym_cursor_u32(&line);
	if (length == UINT32_MAX)
		length = gsym_cursor_u64(&line);
	left = gsym_cursor_left(&line);
	if (length > left)
		length = left;
	return dw_unit_take(unit, DW_CUT_ROWS, length * DW_COST_LINE_BYTE);
}

bool gsym_dw_unit_cut(struct dw_unit *unit, enum dw_cut cut)
{
	static const char *const names[DW_CUT_COUNT] = {
		[DW_CUT_DIES] = "its DIEs",
		[DW_CUT_RANGES] = "range lists",
		[DW_CUT_CLAIMS] = "addresses",
		[DW_CUT_NODES] = "functions, inlined calls and variables",
		[DW_CUT_ROWS] = "lines",
		[DW_CUT_INLINES] = "inlined calls",
		[DW_CUT_CALLS] = "call sites",
		[DW_CUT_FOLDED] = "folded functions",
		[DW_CUT_NAMES] = "names",
		[DW_CUT_UNITS] = "it and the units after it",
		[DW_CUT_SPLIT] = "its split unit",
	};

	if (unit->cuts >> cut & 1)
		return false;
	unit->cuts |= 1u << cut;
	gsym_dw_unit_warn(unit, GSYM_WARN_WORK_LIMIT,
			  "the unit at .debug_info+0x%" PRIx64
			  " takes more work than debug info of this size "
			  "may; left out: %s",
			  unit->offset, names[cut]);
	return false;
}

/* ---- the compilation directory of the project ---------------------------- */

/* The one that most units of the project have, which a build in another folder
 * would not have. */

/* Longer compilation directories are not looked at. */
enum { LONGEST_DIRECTORY = 1024 };

/* The compilation directory of unit I, or "". */
static const char *directory_of(const struct dw_reader *r, void *self, size_t i)
{
	const char *directory = r->unit(self, i)->comp_dir;

	return directory && *directory == '/' && directory[1] &&
			       strnlen(directory, LONGEST_DIRECTORY + 1) <=
				       LONGEST_DIRECTORY
		       ? directory
		       : "";
}

/* What the vote of the units has come to. */
struct vote {
	const char *most;
	size_t lead;
	/* The last directory that was asked about, and the answer. */
	const char *asked;
	bool fetched;
};

/* Whether the units of DIRECTORY have no vote. */
static bool is_fetched(struct vote *v, const char *directory)
{
	if (!dw_same_text(v->asked, directory)) {
		v->asked = directory;
		v->fetched = gsym_path_is_fetched(directory);
	}
	return v->fetched;
}

void gsym_dw_tell_directory(const struct dw_reader *r, void *self, size_t count,
			    const struct gsym_convert_options *options)
{
	struct vote v = { .most = "", .asked = "" };
	size_t voters = 0, votes = 0;

	/* A directory that more than half of the units have leads in the
	 * end. */
	for (size_t i = 0; i < count; i++) {
		const char *directory = directory_of(r, self, i);

		if (is_fetched(&v, directory))
			continue;
		voters++;
		if (!v.lead)
			v.most = directory;
		if (dw_same_text(v.most, directory))
			v.lead++;
		else
			v.lead--;
	}
	for (size_t i = 0; i < count; i++)
		votes += dw_same_text(v.most, directory_of(r, self, i));
	if (*v.most && votes > voters / 2)
		options->compiled_in(options->context, v.most);
}
