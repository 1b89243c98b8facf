/* SPDX-License-Identifier: MIT */
/*
 * gsym-xray convert --to=perfetto: Perfetto's own format, a message of protocol
 * buffers (perfetto/trace/trace.proto).  Each thread has a track; each call is
 * a begin and an end on the track of its thread, so that viewers need not guess
 * how calls nest.  Names and places are written once, and then named by number.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/keys.h"
#include "common/number.h"
#include "common/path.h"
#include "common/report.h"
#include "xray/protobuf.h"
#include "xray/xray.h"

/* Numbers of fields; of each message, by its name. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,

	DEFAULTS_CLOCK = 58,

	CLOCKS_CLOCK = 1,
	CLOCKS_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,

	TRACK_UUID = 1,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_SOURCE = 34,

	INTERNED_NAME = 2,
	INTERNED_ANNOTATION = 3,
	INTERNED_SOURCE = 4,
	NAME_ID = 1,
	NAME_TEXT = 2,
	SOURCE_ID = 1,
	SOURCE_FILE = 2,
	SOURCE_LINE = 4,

	ANNOTATION_NAME = 1,
	ANNOTATION_NUMBER = 3,
	ANNOTATION_TEXT = 6,
};

enum { BEGIN = 1, END = 2, INSTANT = 3 };
/* PACKET_FLAGS: names of before are forgotten; the packet uses names. */
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };
/* Clocks of Perfetto: the time of day, and that since the system started. */
enum { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3 };
/* Interned names of annotations, by their numbers. */
enum { NOTE_ID = 1, NOTE_CPU, NOTE_END, NOTE_DATA, NOTE_HEX, NOTE_SIZE,
       NOTE_TYPE, NOTES };
static const char *const note_names[NOTES] = {
	NULL, "id", "cpu", "end", "data", "hex", "size", "type",
};

/* The key of the name of an event; that of a function is its number. */
enum { EVENT_KEY = 1, EVENT_SHIFT = 32 };

struct perfetto {
	struct xray *x;
	struct gsym_xray_stack *stack;
	const struct xray_clock *clock;
	/* The kind of wall time that all traces have, if any. */
	enum xray_wall wall;
	uint64_t track;
	/* Messages that are being written, the outermost first. */
	struct protobuf packet, inner, leaf, interned;
	/* The keys of the names that were written.  The number of a name in the
	 * trace is that of its key plus 1; and by the number of the key,
	 * whether the name has a place, under the same number as the name. */
	struct keys names;
	bool *placed;
	uint64_t last_uuid;
};

/* ---- packets ------------------------------------------------------------- */

static uint64_t time_of(const struct perfetto *p, uint64_t tsc)
{
	return p->wall == XRAY_WALL_NONE ? xray_time(p->clock, tsc)
					 : xray_wall(p->clock, tsc);
}

/* End the packet, and write it. */
static void put_packet(struct perfetto *p)
{
	struct protobuf trace = { 0 };
	protobuf_message(&trace, TRACE_PACKET, &p->packet);
	out_bytes(&p->x->out, (const char *)trace.bytes, trace.size);
	protobuf_free(&trace);
}

static void begin_packet(struct perfetto *p, unsigned flags)
{
	/* All packets are one sequence, which shares its names. */
	protobuf_number(&p->packet, PACKET_SEQUENCE, 1);
	protobuf_number(&p->packet, PACKET_FLAGS, flags);
}

/* The first packet: the clock of all timestamps. */
static void put_clock(struct perfetto *p)
{
	const struct xray_clock *clock = &p->x->clocks[0];
	uint64_t id = p->wall == XRAY_WALL_DATE ? CLOCK_REALTIME_ID
						: CLOCK_MONOTONIC_ID;
	begin_packet(p, FLAG_CLEARED);
	if (p->wall != XRAY_WALL_NONE) {
		protobuf_number(&p->leaf, CLOCK_ID, id);
		protobuf_number(&p->leaf, CLOCK_TIMESTAMP,
				xray_wall(clock, clock->zero));
		protobuf_message(&p->inner, CLOCKS_CLOCK, &p->leaf);
		protobuf_number(&p->inner, CLOCKS_PRIMARY, id);
		protobuf_message(&p->packet, PACKET_CLOCKS, &p->inner);
		protobuf_number(&p->inner, DEFAULTS_CLOCK, id);
		protobuf_message(&p->packet, PACKET_DEFAULTS, &p->inner);
	}
	for (uint64_t i = 1; i < NOTES; i++) {
		protobuf_number(&p->leaf, NAME_ID, i);
		protobuf_text(&p->leaf, NAME_TEXT, note_names[i],
			      strlen(note_names[i]));
		protobuf_message(&p->interned, INTERNED_ANNOTATION, &p->leaf);
	}
	protobuf_message(&p->packet, PACKET_INTERNED, &p->interned);
	put_packet(p);
}

/* ---- tracks -------------------------------------------------------------- */

static void put_process(struct perfetto *p, uint32_t pid, uint64_t uuid)
{
	const char *path = p->x->objects[0].path;
	begin_packet(p, 0);
	protobuf_number(&p->inner, TRACK_UUID, uuid);
	protobuf_number(&p->leaf, PROCESS_PID, pid);
	if (path) {
		const char *name = path_base(path);
		protobuf_text(&p->leaf, PROCESS_NAME, name, strlen(name));
	}
	protobuf_message(&p->inner, TRACK_PROCESS, &p->leaf);
	protobuf_message(&p->packet, PACKET_TRACK, &p->inner);
	put_packet(p);
}

/* Begin the track of a thread.  Threads of a process follow each other or have
 * the same number of the process, by which viewers join them. */
static void put_thread(struct perfetto *p, const struct gsym_xray_thread *t,
		       uint32_t *last_pid)
{
	char name[32];
	if (p->last_uuid == 0 || *last_pid != t->pid) {
		put_process(p, t->pid, ++p->last_uuid);
		*last_pid = t->pid;
	}
	p->track = ++p->last_uuid;
	snprintf(name, sizeof(name), "thread %u", (unsigned)t->tid);
	begin_packet(p, 0);
	protobuf_number(&p->inner, TRACK_UUID, p->track);
	protobuf_number(&p->leaf, THREAD_PID, t->pid);
	protobuf_number(&p->leaf, THREAD_TID, t->tid);
	protobuf_text(&p->leaf, THREAD_NAME, name, strlen(name));
	protobuf_message(&p->inner, TRACK_THREAD, &p->leaf);
	protobuf_message(&p->packet, PACKET_TRACK, &p->inner);
	put_packet(p);
}

/* ---- names --------------------------------------------------------------- */

/* Write NAME as interned name ID. */
static void intern(struct perfetto *p, uint64_t id, const char *name)
{
	protobuf_number(&p->leaf, NAME_ID, id);
	protobuf_text(&p->leaf, NAME_TEXT, name, strlen(name));
	protobuf_message(&p->interned, INTERNED_NAME, &p->leaf);
}

/* Write PLACE as interned place ID. */
static void intern_place(struct perfetto *p, uint64_t id,
			 const struct xray_place *place)
{
	struct protobuf path = { 0 };
	char *text = path_join(place->directory, place->basename);
	protobuf_number(&path, SOURCE_ID, id);
	protobuf_text(&path, SOURCE_FILE, text, strlen(text));
	protobuf_number(&path, SOURCE_LINE, place->line);
	protobuf_message(&p->interned, INTERNED_SOURCE, &path);
	protobuf_free(&path);
	free(text);
}

/* The number of the key of a name.  If the name was not written yet, FRESH is
 * set, and the caller writes it. */
static uint32_t number_of(struct perfetto *p, uint64_t key, bool *fresh)
{
	uint32_t known = p->names.count;
	uint32_t number = keys_number(&p->names, &key, sizeof(key));
	*fresh = number == known;
	if (*fresh) {
		p->placed = reallocarray(p->placed, number + 1u,
					 sizeof(*p->placed));
		if (!p->placed)
			die("out of memory");
		p->placed[number] = false;
	}
	return number;
}

/* Put the name of FUNCTION, and its place, into the event that was begun. */
static void put_function(struct perfetto *p, uint32_t function)
{
	char buffer[64];
	struct xray_place place;
	bool fresh;
	uint32_t number = number_of(p, function, &fresh);
	uint64_t id = number + UINT64_C(1);
	if (fresh) {
		intern(p, id, xray_name(p->x, function, buffer, sizeof(buffer),
					&place));
		p->placed[number] = *place.basename;
		if (p->placed[number])
			intern_place(p, id, &place);
	}
	protobuf_number(&p->inner, EVENT_NAME, id);
	if (p->placed[number])
		protobuf_number(&p->inner, EVENT_SOURCE, id);
}

/* Put the name of the custom or typed event E into the event that was begun. */
static void put_event_name(struct perfetto *p, const struct gsym_xray_event *e)
{
	char buffer[32];
	bool typed = e->kind == GSYM_XRAY_TYPED, fresh;
	uint64_t key = (uint64_t)EVENT_KEY << EVENT_SHIFT |
		       (typed ? e->type + 1u : 0u);
	uint64_t id = number_of(p, key, &fresh) + UINT64_C(1);
	if (fresh)
		intern(p, id, typed ? xray_event_type(p->x, e->type, buffer,
						      sizeof(buffer))
				    : "custom");
	protobuf_number(&p->inner, EVENT_NAME, id);
}

/* ---- events -------------------------------------------------------------- */

static void note_number(struct perfetto *p, unsigned name, uint64_t value)
{
	protobuf_number(&p->leaf, ANNOTATION_NAME, name);
	protobuf_number(&p->leaf, ANNOTATION_NUMBER, value);
	protobuf_message(&p->inner, EVENT_ANNOTATION, &p->leaf);
}

static void note_text(struct perfetto *p, unsigned name, const char *text,
		      size_t size)
{
	protobuf_number(&p->leaf, ANNOTATION_NAME, name);
	protobuf_text(&p->leaf, ANNOTATION_TEXT, text, size);
	protobuf_message(&p->inner, EVENT_ANNOTATION, &p->leaf);
}

/* Begin an event on the track of the thread, of the type TYPE at TSC. */
static void begin_event(struct perfetto *p, unsigned type, uint64_t tsc)
{
	begin_packet(p, FLAG_NEEDS);
	protobuf_number(&p->packet, PACKET_TIMESTAMP, time_of(p, tsc));
	protobuf_number(&p->inner, EVENT_TYPE, type);
	protobuf_number(&p->inner, EVENT_TRACK, p->track);
}

static void end_event(struct perfetto *p)
{
	if (p->interned.size)
		protobuf_message(&p->packet, PACKET_INTERNED, &p->interned);
	protobuf_message(&p->packet, PACKET_EVENT, &p->inner);
	put_packet(p);
}

static uint64_t enter(void *context, const struct gsym_xray_event *event,
		      uint64_t caller)
{
	struct perfetto *p = context;
	(void)caller;
	begin_event(p, BEGIN, event->tsc);
	put_function(p, event->function);
	note_number(p, NOTE_ID, event->function);
	note_number(p, NOTE_CPU, event->cpu);
	end_event(p);
	return 0;
}

static bool leave(void *context, const struct gsym_xray_call *call)
{
	struct perfetto *p = context;
	begin_event(p, END, call->leave);
	if (call->end == GSYM_XRAY_INFERRED)
		note_text(p, NOTE_END, "inferred", 8);
	else if (call->end == GSYM_XRAY_UNFINISHED)
		note_text(p, NOTE_END, "unfinished", 10);
	end_event(p);
	return true;
}

static void note_hex(struct perfetto *p, const struct gsym_xray_event *e)
{
	char *text = malloc(2 * (size_t)e->size + 1);
	if (!text)
		die("out of memory");
	number_bytes(text, e->data, e->size);
	note_text(p, NOTE_HEX, text, 2 * (size_t)e->size);
	free(text);
}

/* Write a custom or typed event. */
static void instant(struct perfetto *p, const struct gsym_xray_event *e)
{
	bool text = true;
	begin_event(p, INSTANT, e->tsc);
	put_event_name(p, e);
	for (uint32_t i = 0; e->data && i < e->size; i++)
		text &= e->data[i] >= ' ' && e->data[i] < 0x7f;
	if (e->data && text)
		note_text(p, NOTE_DATA, (const char *)e->data, e->size);
	else if (e->data)
		note_hex(p, e);
	note_number(p, NOTE_SIZE, e->size);
	if (e->kind == GSYM_XRAY_TYPED)
		note_number(p, NOTE_TYPE, e->type);
	end_event(p);
}

static void show_thread(struct perfetto *p, struct xray_walk *w,
			uint32_t *last_pid)
{
	/* Wall times of different traces differ by more than their ticks. */
	p->clock = &p->x->clocks[xray_one_clock(p->x) ? 0 : w->trace];
	if (!w->thread.events)
		return;
	put_thread(p, &w->thread, last_pid);
	while (xray_walk_event(w)) {
		if (w->event.kind >= GSYM_XRAY_CUSTOM)
			instant(p, &w->event);
		/* Custom events count, too: the last event of a thread ends
		 * its unfinished calls. */
		xray_take_event(p->stack, &w->event);
	}
	xray_end_thread(p->stack);
}

/* The kind of wall time that all traces have. */
static enum xray_wall common_wall(const struct xray *x)
{
	enum xray_wall wall = x->clocks[0].wall;
	for (size_t i = 1; i < x->trace_count; i++)
		if (x->clocks[i].wall != wall)
			return XRAY_WALL_NONE;
	return wall;
}

void xray_to_perfetto(struct xray *x)
{
	struct perfetto p = { .x = x, .wall = common_wall(x) };
	struct xray_walk w = { .x = x };
	uint32_t last_pid = 0;
	p.stack = gsym_xray_stack_new(enter, leave, &p);
	if (!p.stack)
		die("out of memory");
	xray_allow_clocks(x);
	put_clock(&p);
	xray_walk_start(x, "converting");
	while (xray_walk_thread(&w))
		show_thread(&p, &w, &last_pid);
	xray_walk_end();
	protobuf_free(&p.packet);
	protobuf_free(&p.inner);
	protobuf_free(&p.leaf);
	protobuf_free(&p.interned);
	keys_fini(&p.names);
	free(p.placed);
	xray_end_calls(x, p.stack);
}
