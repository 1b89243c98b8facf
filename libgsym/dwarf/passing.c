/* SPDX-License-Identifier: MIT */
/*
 * The reader of units that are inflated while they are read.
 *
 * .debug_info of a C++ program is most of its debug info, and one stream, which
 * no two threads can inflate.  But a unit can be converted as soon as its own
 * bytes are there, if the claims of all units are known, and if it refers to no
 * other unit.  In programs by GCC .debug_aranges tells the claims, and where
 * the units are.  So a thread inflates the next unit, and reads the unit while
 * its bytes are in the cache.  Meanwhile another thread inflates the unit after
 * it.  The memory of units that were handed over is used again.
 *
 * What .debug_aranges tells of a unit is compared with its header.  Whatever
 * does not fit ends the conversion with GSYM_NOT_FOUND.  In a conversion of few
 * units those after the last one that is needed are not inflated, nor compared.
 */
#include "base/error.h"
#include "dwarf/scan.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Memory for the bytes of a unit. */
struct buffer {
	uint8_t *bytes; /* NULL: none */
	size_t size;
};

struct passing_unit {
	/* OFFSET and END, as .debug_aranges tells them, and nothing else. */
	struct dw_header place;
	struct dw_set set;
	struct buffer buffer;
	/* A section of these bytes alone: offsets count from its header.
	 * NULL: not yet, or not any more. */
	struct dw_info *info;
};

struct passing {
	const struct gsym_container *container;
	struct dw_sections sections; /* without .debug_info */
	GSYM_VEC_OF(struct passing_unit) units;
	const bool *needed; /* by unit; NULL: all are */
	/* In a conversion of FEW units, by unit: its abbreviations.  They tell
	 * which units have code, until NEEDED is known.  NULL: any may have. */
	bool few;
	struct table {
		uint64_t offset;
		bool has_code;
	} * tables;
	/* Bytes of abbreviations that were compiled, for all units. */
	atomic_size_t compiled;
	/* Of NEXT, STATUS and IDLE. */
	pthread_mutex_t lock;
	/* The unit that is inflated next.  STATUS is GSYM_OK if all units
	 * before it could be inflated. */
	size_t next;
	enum gsym_status status;
	/* The first unit whose memory was not given back; no thread but that of
	 * passing_unit_done uses it. */
	size_t done;
	GSYM_VEC_OF(struct buffer) idle;
};

static void close_unit(struct passing_unit *u)
{
	if (!u->info)
		return;
	gsym_dw_info_close(u->info);
	free(u->info);
	u->info = NULL;
}

static void passing_close(void *self)
{
	struct passing *s = self;

	for (size_t i = 0; i < s->units.count; i++) {
		close_unit(&s->units.items[i]);
		free(s->units.items[i].buffer.bytes);
	}
	for (size_t i = 0; i < s->idle.count; i++)
		free(s->idle.items[i].bytes);
	gsym_vec_fini(&s->idle);
	gsym_vec_fini(&s->units);
	free(s->tables);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- what .debug_aranges tells ------------------------------------------- */

/* The number of line tables of CONTAINER.  Units by GCC have a table each, also
 * units without a set: so there are more tables than sets if a unit has none,
 * as a rule. */
static size_t count_line_tables(const struct gsym_container *container)
{
	struct gsym_cursor c = gsym_container_named(container, ".debug_line");
	size_t count = 0;

	while (c.at < c.end) {
		uint8_t offset_size;

		gsym_cursor_skip(&c, dw_length_read(&c, &offset_size));
		count += !c.failed;
	}
	return count;
}

/* List the units: one for each set, in order.  Each ends where the next one
 * begins, and the last one at the end of the section. */
static enum gsym_status list_units(struct passing *s, struct dw_unit *outside)
{
	uint64_t end =
		gsym_container_section(s->container, ".debug_info")->data_size;
	struct gsym_cursor c =
		gsym_container_named(s->container, ".debug_aranges");
	struct passing_unit *last = NULL;

	while (c.at < c.end) {
		struct passing_unit u = { .place = { .end = end } };

		if (!gsym_dw_set_read(&c, &u.set))
			return GSYM_NOT_FOUND;
		u.place.offset = u.set.unit;
		if ((last ? u.set.unit <= last->place.offset : u.set.unit) ||
		    u.set.unit >= end ||
		    !dw_unit_take(outside, DW_CUT_UNITS, DW_COST_UNIT))
			return GSYM_NOT_FOUND;
		if (last)
			last->place.end = u.set.unit;
		if (!gsym_vec_add(&s->units, u))
			return GSYM_ERR_MEMORY;
		last = &s->units.items[s->units.count - 1];
	}
	return c.failed || !last ||
			       count_line_tables(s->container) != s->units.count
		       ? GSYM_NOT_FOUND
		       : GSYM_OK;
}

/* Fill S->tables.  Linkers put abbreviation tables into the order of units, and
 * each unit by GCC has one.  If there are not as many tables as units, any unit
 * may have code.  False without memory. */
static bool read_tables(struct passing *s)
{
	const struct dw_encoding usual = { 4, s->container->address_size, 4 };
	uint64_t at = 0, size = gsym_cursor_left(&s->sections.abbrev);
	bool sound = true;

	s->tables = calloc(s->units.count + 1, sizeof(*s->tables));
	if (!s->tables)
		return false;
	for (size_t i = 0; i < s->units.count && sound; i++) {
		struct dw_abbrevs table;
		bool ok = gsym_dw_abbrevs_read(&table, &s->sections, at,
					       UINT64_MAX, usual);

		s->tables[i] = (struct table){ at, table.has_code };
		sound = !table.damaged && at < size;
		at = table.end;
		gsym_dw_abbrevs_fini(&table);
		if (!ok)
			return false;
	}
	if (!sound || at != size) {
		free(s->tables);
		s->tables = NULL;
	}
	return true;
}

static enum gsym_status passing_open(const struct gsym_container *container,
				     bool few, unsigned threads,
				     struct dw_unit *outside, void **self,
				     struct gsym_error *error)
{
	struct passing *s;
	enum gsym_status status;

	(void)threads;
	if (!gsym_passing_is_unread(container->passing) ||
	    container->alternate || container->package ||
	    gsym_container_has(container, ".debug_types"))
		return GSYM_NOT_FOUND;
	s = calloc(1, sizeof(*s));
	if (!s)
		return gsym_fail_memory(error);
	s->container = container;
	s->few = few;
	gsym_dw_sections_init(&s->sections, container);
	pthread_mutex_init(&s->lock, NULL);
	status = list_units(s, outside);
	if (status == GSYM_OK && few && !read_tables(s))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_OK) {
		*self = s;
		return GSYM_OK;
	}
	passing_close(s);
	return status == GSYM_ERR_MEMORY ? gsym_fail_memory(error) : status;
}

static size_t passing_unit_count(void *self)
{
	return ((struct passing *)self)->units.count;
}

static const struct dw_header *passing_unit(void *self, size_t index)
{
	return &((struct passing *)self)->units.items[index].place;
}

static enum gsym_status passing_aranges(void *self, struct dw_claims *claims,
					bool *has_set, struct dw_unit *outside)
{
	struct passing *s = self;
	bool cut = false;

	for (size_t i = 0; i < s->units.count; i++) {
		has_set[i] = true;
		if (!gsym_dw_set_claim(&s->units.items[i].set, (uint32_t)i,
				       s->container->code_bit0, claims, outside,
				       &cut))
			return GSYM_ERR_MEMORY;
		if (cut)
			return GSYM_NOT_FOUND;
	}
	return GSYM_OK;
}

static enum gsym_status passing_need(void *self, const bool *needed,
				     struct dw_unit *outside)
{
	(void)outside;
	((struct passing *)self)->needed = needed;
	return GSYM_OK;
}

/* ---- the bytes of units -------------------------------------------------- */

/* Memory for SIZE bytes: the smallest idle buffer that is large enough, or else
 * new memory in place of the largest.  NULL without memory. */
static struct buffer take_buffer(struct passing *s, size_t size)
{
	struct buffer best = { NULL, 0 };
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < s->idle.count; i++) {
		struct buffer b = s->idle.items[i];

		if (at == SIZE_MAX ||
		    (best.size < size ? b.size > best.size
				      : b.size >= size && b.size < best.size)) {
			best = b;
			at = i;
		}
	}
	if (at < SIZE_MAX)
		s->idle.items[at] = s->idle.items[--s->idle.count];
	if (best.size >= size)
		return best;
	free(best.bytes);
	return (struct buffer){ malloc(size), size };
}

/* Whether the header H of unit INDEX is what .debug_aranges and .debug_abbrev
 * say. */
static bool fits(const struct passing *s, size_t index,
		 const struct dw_header *h)
{
	return h->end == dw_unit_bytes(&s->units.items[index].place) &&
	       h->unit_type == DW_UT_compile &&
	       (!s->tables || h->abbrev_offset == s->tables[index].offset);
}

/* Inflate unit INDEX, and keep nothing of it. */
static bool skip_unit(struct passing *s, size_t index)
{
	struct gsym_passing *section = s->container->passing;
	size_t size = (size_t)dw_unit_bytes(&s->units.items[index].place);
	uint8_t bytes[DW_LONGEST_HEADER];
	size_t part = size < sizeof(bytes) ? size : sizeof(bytes);
	struct gsym_cursor c =
		gsym_cursor_init(bytes, part, s->sections.abbrev.swap);
	struct dw_header h;

	return gsym_passing_read(section, bytes, part) &&
	       gsym_dw_header_read(&c, 0, size, false, &h) &&
	       fits(s, index, &h) &&
	       (part == size || gsym_passing_read(section, NULL, size - part));
}

/* Inflate the bytes of the unit that is next. */
static enum gsym_status inflate_next(struct passing *s)
{
	size_t index = s->next++;
	struct passing_unit *u = &s->units.items[index];
	size_t size = (size_t)dw_unit_bytes(&u->place);

	if (s->needed && !s->needed[index])
		return skip_unit(s, index) ? GSYM_OK : GSYM_NOT_FOUND;
	u->buffer = take_buffer(s, size);
	if (!u->buffer.bytes)
		return GSYM_ERR_MEMORY;
	return gsym_passing_read(s->container->passing, u->buffer.bytes, size)
		       ? GSYM_OK
		       : GSYM_NOT_FOUND;
}

/* Inflate the units up to INDEX that were not inflated. */
static enum gsym_status fetch(struct passing *s, size_t index)
{
	enum gsym_status status;

	pthread_mutex_lock(&s->lock);
	while (s->next <= index && s->status == GSYM_OK)
		s->status = inflate_next(s);
	status = s->status;
	pthread_mutex_unlock(&s->lock);
	return status;
}

/* Whether unit INDEX, which was opened, can be read without any other unit, and
 * is what .debug_aranges says.  OUTSIDE has the warnings about it.  The
 * abbreviation tables of all units together may have the bytes of the section:
 * a hostile file could have each unit compile the same large table. */
static bool is_alone(struct passing *s, size_t index,
		     const struct dw_unit *outside)
{
	const struct dw_info *info = s->units.items[index].info;
	const struct dw_header *h = info->info.headers.items;
	uint64_t bytes = gsym_cursor_left(&s->sections.abbrev);
	size_t size;

	if (outside->warnings.count || info->info.headers.count != 1 ||
	    !fits(s, index, h) || !h->usable || h->split_name ||
	    h->abbrevs->refers_out)
		return false;
	size = (size_t)(h->abbrevs->end - h->abbrev_offset);
	return size <= bytes &&
	       atomic_fetch_add(&s->compiled, size) + size <= bytes;
}

/* Open unit INDEX, unless it is open: its bytes, abbreviations and unit DIE. */
static enum gsym_status open_unit(struct passing *s, size_t index)
{
	struct passing_unit *u = &s->units.items[index];
	enum gsym_status status;
	struct dw_unit outside = { 0 };

	if (u->info)
		return GSYM_OK;
	status = fetch(s, index);
	if (status != GSYM_OK)
		return status;
	u->info = calloc(1, sizeof(*u->info));
	if (!u->info)
		return GSYM_ERR_MEMORY;
	if (!gsym_dw_info_open_unit(
		    u->info, &s->sections,
		    gsym_cursor_init(u->buffer.bytes,
				     (size_t)dw_unit_bytes(&u->place),
				     s->sections.abbrev.swap),
		    &outside))
		status = GSYM_ERR_MEMORY;
	else if (!is_alone(s, index, &outside))
		status = GSYM_NOT_FOUND;
	gsym_dw_unit_fini(&outside);
	if (status != GSYM_OK)
		close_unit(u);
	return status;
}

/* ---- units --------------------------------------------------------------- */

static const struct dw_header *header_of(const struct passing *s, size_t index)
{
	return s->units.items[index].info->info.headers.items;
}

/* A unit that cannot be opened may have code: reading it returns why. */
static bool passing_has_code(void *self, size_t index)
{
	const struct passing *s = self;

	if (s->few && !s->needed)
		return !s->tables || s->tables[index].has_code;
	return open_unit(self, index) != GSYM_OK ||
	       header_of(self, index)->abbrevs->has_code;
}

static enum gsym_status passing_read_unit(void *self, size_t index,
					  struct dw_unit *unit)
{
	struct passing *s = self;
	enum gsym_status status = open_unit(s, index);

	unit->offset = s->units.items[index].place.offset;
	if (status != GSYM_OK)
		return status;
	return gsym_dw_nodes_read(header_of(s, index), unit) &&
			       gsym_dw_lines_read(header_of(s, index), unit)
		       ? GSYM_OK
		       : GSYM_ERR_MEMORY;
}

/* If there is no memory for the list of idle buffers, the buffer is freed. */
static void passing_unit_done(void *self, size_t index)
{
	struct passing *s = self;

	for (; s->done <= index; s->done++) {
		struct passing_unit *u = &s->units.items[s->done];

		close_unit(u);
		pthread_mutex_lock(&s->lock);
		if (u->buffer.bytes && !gsym_vec_add(&s->idle, u->buffer))
			free(u->buffer.bytes);
		pthread_mutex_unlock(&s->lock);
		u->buffer.bytes = NULL;
	}
}

const struct dw_reader gsym_dwarf_passing = {
	.in_passing = true,
	.open = passing_open,
	.close = passing_close,
	.unit_count = passing_unit_count,
	.unit = passing_unit,
	.aranges = passing_aranges,
	.read_unit = passing_read_unit,
	.has_code = passing_has_code,
	.need = passing_need,
	.unit_done = passing_unit_done,
};
