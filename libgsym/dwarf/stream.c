/* SPDX-License-Identifier: MIT */
/*
 * The reader of units that are inflated while they are read.
 *
 * .debug_info of a C++ program is most of its debug info, and one stream, which
 * no two threads can inflate.  But a unit can be converted as soon as its own
 * bytes are there, if the claims of all units are known, and if it refers to no
 * other unit.  In programs by GCC .debug_aranges tells the claims, and where
 * the units are.  So a thread inflates the next unit.  It reads the unit while
 * that is in the cache, and while another thread inflates the unit after it.
 * The memory of units that were handed over is used again.
 *
 * What .debug_aranges tells of a unit is compared with its header.  Whatever
 * does not fit ends the conversion with GSYM_NOT_FOUND.
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

/* A unit whose bytes are a section of its own: offsets in it count from its
 * header. */
struct opened {
	struct gsym_container view;
	struct dw_info info;
};

struct stream_unit {
	/* OFFSET and END, as .debug_aranges tells them, and nothing else. */
	struct dw_header place;
	struct dw_set set;
	struct buffer buffer;
	struct opened *opened; /* NULL: not yet, or not any more */
};

struct stream {
	const struct gsym_container *container;
	GSYM_VEC_OF(struct stream_unit) units;
	const bool *needed; /* by unit; NULL: all are */
	/* Until NEEDED is known in a conversion of FEW units: whether a unit
	 * has code, by unit, as its abbreviations say; NULL: any may have. */
	bool few;
	bool *coded;
	/* Bytes of abbreviations that were compiled, for all units. */
	atomic_size_t compiled;
	/* Of the rest. */
	pthread_mutex_t lock;
	/* The unit that is inflated next; GSYM_OK: the units before it were. */
	size_t next;
	enum gsym_status status;
	size_t done; /* the memory of units before this one was given back */
	GSYM_VEC_OF(struct buffer) idle;
};

static void close_unit(struct stream_unit *u)
{
	if (!u->opened)
		return;
	gsym_dw_info_close(&u->opened->info);
	gsym_vec_fini(&u->opened->view.sections);
	free(u->opened);
	u->opened = NULL;
}

static void stream_close(void *self)
{
	struct stream *s = self;

	for (size_t i = 0; i < s->units.count; i++) {
		close_unit(&s->units.items[i]);
		free(s->units.items[i].buffer.bytes);
	}
	for (size_t i = 0; i < s->idle.count; i++)
		free(s->idle.items[i].bytes);
	gsym_vec_fini(&s->idle);
	gsym_vec_fini(&s->units);
	free(s->coded);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- what .debug_aranges tells ------------------------------------------- */

/* The number of line tables of CONTAINER.  If a unit has no set, there are more
 * line tables than sets as a rule. */
static size_t count_line_tables(const struct gsym_container *container)
{
	struct gsym_cursor c = gsym_container_named(container, ".debug_line");
	size_t count = 0;

	while (c.at < c.end) {
		uint64_t length = gsym_cursor_u32(&c);

		if (length == UINT32_MAX)
			length = gsym_cursor_u64(&c);
		gsym_cursor_skip(&c, length);
		count += !c.failed;
	}
	return count;
}

/* List the units: one for each set, in order.  Each ends where the next one
 * begins, and the last one at the end of the section. */
static enum gsym_status list_units(struct stream *s, struct dw_unit *outside)
{
	uint64_t end =
		gsym_container_section(s->container, ".debug_info")->data_size;
	struct gsym_cursor c =
		gsym_container_named(s->container, ".debug_aranges");
	struct stream_unit *last = NULL;

	while (c.at < c.end) {
		struct stream_unit u = { .place = { .end = end } };

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

/* Fill S->coded.  Linkers put abbreviation tables into the order of units, and
 * each unit by GCC has one.  If there are not as many tables as units, any unit
 * may have code.  False without memory. */
static bool read_tables(struct stream *s)
{
	const struct dw_encoding usual = { 4, s->container->address_size, 4 };
	struct dw_sections sections;
	uint64_t at = 0, size;
	bool sound = true;

	gsym_dw_sections_init(&sections, s->container);
	size = gsym_cursor_left(&sections.abbrev);
	s->coded = calloc(s->units.count + 1, sizeof(*s->coded));
	if (!s->coded)
		return false;
	for (size_t i = 0; i < s->units.count && sound; i++) {
		struct dw_abbrevs table;

		if (!gsym_dw_abbrevs_read(&table, &sections, at, UINT64_MAX,
					  usual)) {
			gsym_dw_abbrevs_fini(&table);
			return false;
		}
		s->coded[i] = table.has_code;
		sound = !table.damaged && at < size;
		at = table.end;
		gsym_dw_abbrevs_fini(&table);
	}
	if (sound && at == size)
		return true;
	free(s->coded);
	s->coded = NULL;
	return true;
}

static enum gsym_status stream_open(const struct gsym_container *container,
				    bool few, unsigned threads,
				    struct dw_unit *outside, void **self,
				    struct gsym_error *error)
{
	struct stream *s;
	enum gsym_status status;

	(void)threads;
	if (!gsym_later_is_whole(container->later) || container->alternate ||
	    container->package || gsym_container_has(container, ".debug_types"))
		return GSYM_NOT_FOUND;
	s = calloc(1, sizeof(*s));
	if (!s)
		return gsym_fail_memory(error);
	s->container = container;
	s->few = few;
	pthread_mutex_init(&s->lock, NULL);
	status = list_units(s, outside);
	if (status == GSYM_OK && few && !read_tables(s))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_OK) {
		*self = s;
		return GSYM_OK;
	}
	stream_close(s);
	return status == GSYM_ERR_MEMORY ? gsym_fail_memory(error) : status;
}

static size_t stream_unit_count(void *self)
{
	return ((struct stream *)self)->units.count;
}

static const struct dw_header *stream_unit(void *self, size_t index)
{
	return &((struct stream *)self)->units.items[index].place;
}

static enum gsym_status stream_aranges(void *self, struct dw_claims *claims,
				       bool *has_set, struct dw_unit *outside)
{
	struct stream *s = self;
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

static enum gsym_status stream_need(void *self, const bool *needed,
				    struct dw_unit *outside)
{
	(void)outside;
	((struct stream *)self)->needed = needed;
	return GSYM_OK;
}

/* ---- the bytes of units -------------------------------------------------- */

/* Memory for SIZE bytes: the smallest idle buffer that is large enough, or else
 * new memory in place of the largest.  NULL without memory. */
static struct buffer take_buffer(struct stream *s, size_t size)
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

/* Inflate the bytes of the unit that is next. */
static enum gsym_status inflate_next(struct stream *s)
{
	struct stream_unit *u = &s->units.items[s->next];
	size_t size = (size_t)dw_unit_bytes(&u->place);

	if (!s->needed || s->needed[s->next]) {
		u->buffer = take_buffer(s, size);
		if (!u->buffer.bytes)
			return GSYM_ERR_MEMORY;
	}
	s->next++;
	return gsym_later_read(s->container->later, u->buffer.bytes, size)
		       ? GSYM_OK
		       : GSYM_NOT_FOUND;
}

/* Let unit INDEX have its bytes. */
static enum gsym_status fetch(struct stream *s, size_t index)
{
	enum gsym_status status;

	pthread_mutex_lock(&s->lock);
	while (s->next <= index && s->status == GSYM_OK)
		s->status = inflate_next(s);
	status = index < s->next ? GSYM_OK : s->status;
	if (s->status != GSYM_OK)
		status = s->status;
	pthread_mutex_unlock(&s->lock);
	return status;
}

/* Give VIEW the sections of the program, and the bytes of U as .debug_info.
 * False without memory. */
static bool make_view(const struct stream *s, const struct stream_unit *u,
		      struct gsym_container *view)
{
	const struct gsym_container *c = s->container;
	const struct gsym_container_section *info =
		gsym_container_section(c, ".debug_info");

	view->format = c->format;
	view->big_endian = c->big_endian;
	view->address_size = c->address_size;
	view->code_bit0 = c->code_bit0;
	if (!gsym_vec_reserve(&view->sections, c->sections.count))
		return false;
	for (size_t i = 0; i < c->sections.count; i++) {
		struct gsym_container_section section = c->sections.items[i];

		if (&c->sections.items[i] == info) {
			section.data = u->buffer.bytes;
			section.size = section.data_size =
				dw_unit_bytes(&u->place);
		}
		*gsym_vec_push(&view->sections) = section;
	}
	return true;
}

/* Whether U, which was opened, can be read without any other unit, and is what
 * .debug_aranges says.  Abbreviation tables do not overlap, unless the file is
 * hostile: so all tables together have at most the bytes of the section. */
static bool is_alone(struct stream *s, const struct stream_unit *u,
		     const struct dw_unit *outside)
{
	const struct dw_info *info = &u->opened->info;
	const struct dw_header *h = info->info.headers.items;
	uint64_t bytes = gsym_cursor_left(&info->info.sections.abbrev);
	size_t size;

	if (outside->warnings.count || info->info.headers.count != 1 ||
	    h->end != dw_unit_bytes(&u->place) ||
	    h->unit_type != DW_UT_compile || !h->usable || h->split_name ||
	    h->abbrevs->refers_out)
		return false;
	size = (size_t)(h->abbrevs->end - h->abbrev_offset);
	return size <= bytes &&
	       atomic_fetch_add(&s->compiled, size) + size <= bytes;
}

/* Open unit INDEX, unless it is open: its bytes, abbreviations and unit DIE. */
static enum gsym_status open_unit(struct stream *s, size_t index)
{
	struct stream_unit *u = &s->units.items[index];
	enum gsym_status status;
	struct dw_unit outside = { 0 };

	if (u->opened)
		return GSYM_OK;
	status = fetch(s, index);
	if (status != GSYM_OK)
		return status;
	u->opened = calloc(1, sizeof(*u->opened));
	if (!u->opened)
		return GSYM_ERR_MEMORY;
	if (!make_view(s, u, &u->opened->view) ||
	    !gsym_dw_info_open(&u->opened->info, &u->opened->view, NULL, 1,
			       &outside))
		status = GSYM_ERR_MEMORY;
	else if (!is_alone(s, u, &outside))
		status = GSYM_NOT_FOUND;
	gsym_dw_unit_fini(&outside);
	if (status != GSYM_OK)
		close_unit(u);
	return status;
}

/* ---- units --------------------------------------------------------------- */

static const struct dw_header *header_of(const struct stream *s, size_t index)
{
	return s->units.items[index].opened->info.info.headers.items;
}

/* If the unit cannot be opened, reading it tells. */
static bool stream_has_code(void *self, size_t index)
{
	const struct stream *s = self;

	if (s->few && !s->needed)
		return !s->coded || s->coded[index];
	return open_unit(self, index) != GSYM_OK ||
	       header_of(self, index)->abbrevs->has_code;
}

static enum gsym_status stream_read_unit(void *self, size_t index,
					 struct dw_unit *unit)
{
	struct stream *s = self;
	enum gsym_status status = open_unit(s, index);

	unit->offset = s->units.items[index].place.offset;
	if (status != GSYM_OK)
		return status;
	return gsym_dw_nodes_read(header_of(s, index), unit) &&
			       gsym_dw_lines_read(header_of(s, index), unit)
		       ? GSYM_OK
		       : GSYM_ERR_MEMORY;
}

/* Without memory for the list of idle buffers the buffer is freed. */
static void stream_unit_done(void *self, size_t index)
{
	struct stream *s = self;

	for (; s->done <= index; s->done++) {
		struct stream_unit *u = &s->units.items[s->done];

		close_unit(u);
		pthread_mutex_lock(&s->lock);
		if (u->buffer.bytes && !gsym_vec_add(&s->idle, u->buffer))
			free(u->buffer.bytes);
		pthread_mutex_unlock(&s->lock);
		u->buffer.bytes = NULL;
	}
}

const struct dw_reader gsym_dwarf_stream = {
	.in_passing = true,
	.open = stream_open,
	.close = stream_close,
	.unit_count = stream_unit_count,
	.unit = stream_unit,
	.aranges = stream_aranges,
	.read_unit = stream_read_unit,
	.has_code = stream_has_code,
	.need = stream_need,
	.unit_done = stream_unit_done,
};
