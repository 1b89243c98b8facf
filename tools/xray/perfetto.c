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

#include "base/emit.h"
#include "base/text.h"
#include "common/file.h"
#include "common/report.h"
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

/* ---- messages of protocol buffers ---------------------------------------- */

/* The kinds of values. */
enum { VARINT = 0, BYTES = 2 };

/* Append field FIELD with the unsigned VALUE. */
static void proto_number(struct gsym_emit *to, unsigned field, uint64_t value)
{
	gsym_emit_uleb(to, (uint64_t)field << 3 | VARINT);
	gsym_emit_uleb(to, value);
}

/* Append field FIELD with SIZE BYTES. */
static void proto_bytes(struct gsym_emit *to, unsigned field, const void *bytes,
			size_t size)
{
	gsym_emit_uleb(to, (uint64_t)field << 3 | BYTES);
	gsym_emit_uleb(to, size);
	gsym_emit_bytes(to, bytes, size);
	must(!to->failed);
}

/* Append field FIELD with SIZE bytes of TEXT.  Bytes that are not UTF-8 become
 * question marks. */
static void proto_text(struct gsym_emit *to, unsigned field, const char *text,
		       size_t size)
{
	proto_bytes(to, field, text, size);
	for (size_t left = size, length; left; left -= length) {
		uint8_t *at = to->data + to->size - left;

		length = gsym_utf8_length(at, left);
		if (!length) {
			*at = '?';
			length = 1;
		}
	}
}

/* Append INNER as field FIELD, and empty INNER. */
static void proto_message(struct gsym_emit *to, unsigned field,
			  struct gsym_emit *inner)
{
	must(!inner->failed);
	proto_bytes(to, field, inner->data, inner->size);
	inner->size = 0;
}

/* ---- the trace ----------------------------------------------------------- */

struct perfetto {
	struct xray *x;
	const struct xray_clock *clock;
	/* The kind of wall time that all traces have, if any. */
	enum xray_wall wall;
	uint64_t track;
	/* Messages that are being written, the outermost first. */
	struct gsym_emit packet, inner, leaf, interned;
	/* The keys of the names that were written.  The number of a name in the
	 * trace is that of its key plus 1; and by the number of the key,
	 * whether the name has a place, under the same number as the name. */
	struct gsym_intern names;
	struct {
		GSYM_VEC(bool);
	} placed;
	uint64_t last_uuid;
	/* The process of the last thread. */
	uint32_t last_pid;
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
	struct gsym_emit trace = { 0 };
	proto_message(&trace, TRACE_PACKET, &p->packet);
	out_bytes(&p->x->out, (const char *)trace.data, trace.size);
	gsym_emit_fini(&trace);
}

static void begin_packet(struct perfetto *p, unsigned flags)
{
	/* All packets are one sequence, which shares its names. */
	proto_number(&p->packet, PACKET_SEQUENCE, 1);
	proto_number(&p->packet, PACKET_FLAGS, flags);
}

/* The first packet: the clock of all timestamps. */
static void put_clock(struct perfetto *p)
{
	const struct xray_clock *clock = &p->x->clocks[0];
	uint64_t id = p->wall == XRAY_WALL_DATE ? CLOCK_REALTIME_ID
						: CLOCK_MONOTONIC_ID;
	begin_packet(p, FLAG_CLEARED);
	if (p->wall != XRAY_WALL_NONE) {
		proto_number(&p->leaf, CLOCK_ID, id);
		proto_number(&p->leaf, CLOCK_TIMESTAMP,
			     xray_wall(clock, clock->zero));
		proto_message(&p->inner, CLOCKS_CLOCK, &p->leaf);
		proto_number(&p->inner, CLOCKS_PRIMARY, id);
		proto_message(&p->packet, PACKET_CLOCKS, &p->inner);
		proto_number(&p->inner, DEFAULTS_CLOCK, id);
		proto_message(&p->packet, PACKET_DEFAULTS, &p->inner);
	}
	for (uint64_t i = 1; i < NOTES; i++) {
		proto_number(&p->leaf, NAME_ID, i);
		proto_text(&p->leaf, NAME_TEXT, note_names[i],
			   strlen(note_names[i]));
		proto_message(&p->interned, INTERNED_ANNOTATION, &p->leaf);
	}
	proto_message(&p->packet, PACKET_INTERNED, &p->interned);
	put_packet(p);
}

/* ---- tracks -------------------------------------------------------------- */

static void put_process(struct perfetto *p, uint32_t pid, uint64_t uuid)
{
	const char *path = p->x->objects[0].path;
	begin_packet(p, 0);
	proto_number(&p->inner, TRACK_UUID, uuid);
	proto_number(&p->leaf, PROCESS_PID, pid);
	if (path) {
		const char *name = path_base(path);
		proto_text(&p->leaf, PROCESS_NAME, name, strlen(name));
	}
	proto_message(&p->inner, TRACK_PROCESS, &p->leaf);
	proto_message(&p->packet, PACKET_TRACK, &p->inner);
	put_packet(p);
}

/* Begin the track of a thread.  Threads of a process follow each other or have
 * the same number of the process, by which viewers join them. */
static void put_thread(void *context, const struct xray_walk *w)
{
	struct perfetto *p = context;
	const struct gsym_xray_thread *t = &w->thread;
	char name[32];
	/* Wall times of different traces differ by more than their ticks. */
	p->clock = &p->x->clocks[xray_one_clock(p->x) ? 0 : w->trace];
	if (p->last_uuid == 0 || p->last_pid != t->pid) {
		put_process(p, t->pid, ++p->last_uuid);
		p->last_pid = t->pid;
	}
	p->track = ++p->last_uuid;
	snprintf(name, sizeof(name), "thread %d", (int)(int32_t)t->tid);
	begin_packet(p, 0);
	proto_number(&p->inner, TRACK_UUID, p->track);
	proto_number(&p->leaf, THREAD_PID, t->pid);
	/* A negative int32 has the 64 bits of an int64. */
	proto_number(&p->leaf, THREAD_TID,
		     (uint64_t)(int64_t)(int32_t)t->tid);
	proto_text(&p->leaf, THREAD_NAME, name, strlen(name));
	proto_message(&p->inner, TRACK_THREAD, &p->leaf);
	proto_message(&p->packet, PACKET_TRACK, &p->inner);
	put_packet(p);
}

/* ---- names --------------------------------------------------------------- */

/* Write NAME as interned name ID. */
static void intern(struct perfetto *p, uint64_t id, const char *name)
{
	proto_number(&p->leaf, NAME_ID, id);
	proto_text(&p->leaf, NAME_TEXT, name, strlen(name));
	proto_message(&p->interned, INTERNED_NAME, &p->leaf);
}

/* Write PLACE as interned place ID. */
static void intern_place(struct perfetto *p, uint64_t id,
			 const struct xray_place *place)
{
	struct gsym_emit path = { 0 };
	char *text = path_join(place->directory, place->basename);
	proto_number(&path, SOURCE_ID, id);
	proto_text(&path, SOURCE_FILE, text, strlen(text));
	proto_number(&path, SOURCE_LINE, place->line);
	proto_message(&p->interned, INTERNED_SOURCE, &path);
	gsym_emit_fini(&path);
	free(text);
}

/* The number of the key of a name.  If the name was not written yet, FRESH is
 * set, and the caller writes it. */
static uint32_t number_of(struct perfetto *p, uint64_t key, bool *fresh)
{
	uint32_t known = p->names.count;
	uint32_t number = must_intern(&p->names, &key, sizeof(key));
	*fresh = number == known;
	if (*fresh) {
		*must_push(&p->placed) = false;
	}
	return number;
}

/* Put the name of FUNCTION, and its place, into the event that was begun. */
static void put_function(struct perfetto *p, uint32_t function)
{
	struct xray_place place;
	bool fresh;
	uint32_t number = number_of(p, function, &fresh);
	uint64_t id = number + UINT64_C(1);
	if (fresh) {
		intern(p, id, xray_name(p->x, function, &place));
		p->placed.items[number] = *place.basename;
		if (p->placed.items[number])
			intern_place(p, id, &place);
	}
	proto_number(&p->inner, EVENT_NAME, id);
	if (p->placed.items[number])
		proto_number(&p->inner, EVENT_SOURCE, id);
}

/* Put the name of the custom or typed event E into the event that was begun. */
static void put_event_name(struct perfetto *p, const struct gsym_xray_event *e)
{
	bool typed = e->kind == GSYM_XRAY_TYPED, fresh;
	uint64_t key = (uint64_t)EVENT_KEY << EVENT_SHIFT |
		       (typed ? e->type + 1u : 0u);
	uint64_t id = number_of(p, key, &fresh) + UINT64_C(1);
	if (fresh)
		intern(p, id, typed ? xray_event_type(p->x, e->type)
				    : "custom");
	proto_number(&p->inner, EVENT_NAME, id);
}

/* ---- events -------------------------------------------------------------- */

static void note_number(struct perfetto *p, unsigned name, uint64_t value)
{
	proto_number(&p->leaf, ANNOTATION_NAME, name);
	proto_number(&p->leaf, ANNOTATION_NUMBER, value);
	proto_message(&p->inner, EVENT_ANNOTATION, &p->leaf);
}

static void note_text(struct perfetto *p, unsigned name, const char *text,
		      size_t size)
{
	proto_number(&p->leaf, ANNOTATION_NAME, name);
	proto_text(&p->leaf, ANNOTATION_TEXT, text, size);
	proto_message(&p->inner, EVENT_ANNOTATION, &p->leaf);
}

/* Begin an event on the track of the thread, of the type TYPE at TSC. */
static void begin_event(struct perfetto *p, unsigned type, uint64_t tsc)
{
	begin_packet(p, FLAG_NEEDS);
	proto_number(&p->packet, PACKET_TIMESTAMP, time_of(p, tsc));
	proto_number(&p->inner, EVENT_TYPE, type);
	proto_number(&p->inner, EVENT_TRACK, p->track);
}

static void end_event(struct perfetto *p)
{
	if (p->interned.size)
		proto_message(&p->packet, PACKET_INTERNED, &p->interned);
	proto_message(&p->packet, PACKET_EVENT, &p->inner);
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
	size_t room = 2 * (size_t)e->size + 1;
	char *text = must_have(malloc(room));
	gsym_digits(text, room, e->data, e->size);
	note_text(p, NOTE_HEX, text, 2 * (size_t)e->size);
	free(text);
}

/* Write a custom or typed event. */
static void instant(void *context, const struct xray_walk *w)
{
	struct perfetto *p = context;
	const struct gsym_xray_event *e = &w->event;
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
	const struct xray_replay r = {
		.stack = must_have(gsym_xray_stack_new(enter, leave, &p)),
		.thread = put_thread,
		.custom = instant,
		.context = &p,
	};
	xray_allow_clocks(x);
	put_clock(&p);
	xray_replay(x, "converting", &r);
	gsym_emit_fini(&p.packet);
	gsym_emit_fini(&p.inner);
	gsym_emit_fini(&p.leaf);
	gsym_emit_fini(&p.interned);
	gsym_intern_fini(&p.names);
	gsym_vec_fini(&p.placed);
	xray_end_calls(x, r.stack);
}
