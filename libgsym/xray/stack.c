/* SPDX-License-Identifier: MIT */
/* The call stack of a thread, rebuilt from entries and exits. */
#include "xray/log.h"

#include "base/sized.h"

/* A call that has not ended; the members are those of struct
 * gsym_xray_call. */
struct frame {
	uint32_t function;
	uint32_t index;
	uint16_t cpu;
	uint64_t enter;
	uint64_t children;
	uint64_t mark;
};

/* A function that was entered or left: its calls that have not ended, and its
 * exits without an entry. */
struct known {
	uint32_t function;
	uint32_t active;
	uint64_t orphans;
};

struct gsym_xray_stack {
	gsym_xray_enter_fn *enter;
	gsym_xray_leave_fn *leave;
	void *context;
	struct { GSYM_VEC(struct frame); } frames;
	struct { GSYM_VEC(struct known); } known;
	/* A hash table with open addressing: index of a known function + 1, or
	 * 0. */
	struct { GSYM_VEC(uint32_t); } slots;
	/* The time of the latest event. */
	uint64_t last;
	struct gsym_xray_repairs repairs;
};

struct gsym_xray_stack *gsym_xray_stack_new(gsym_xray_enter_fn *enter,
					    gsym_xray_leave_fn *leave,
					    void *context)
{
	struct gsym_xray_stack *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->enter = enter;
	s->leave = leave;
	s->context = context;
	return s;
}

void gsym_xray_stack_free(struct gsym_xray_stack *s)
{
	if (!s)
		return;
	gsym_vec_fini(&s->frames);
	gsym_vec_fini(&s->known);
	gsym_vec_fini(&s->slots);
	free(s);
}

/* The slot of FUNCTION, or the free slot where FUNCTION belongs. */
static size_t slot_of(const struct gsym_xray_stack *s, uint32_t function)
{
	size_t mask = s->slots.count - 1;
	size_t slot = xray_slot(s, function, mask);

	while (s->slots.items[slot] &&
	       s->known.items[s->slots.items[slot] - 1].function != function)
		slot = (slot + 1) & mask;
	return slot;
}

/* Keep at least half of the slots free.  False without memory. */
static bool make_slots(struct gsym_xray_stack *s)
{
	size_t count = s->slots.count ? 2 * s->slots.count : 256;

	if (2 * (s->known.count + 1) <= s->slots.count)
		return true;
	if (!gsym_vec_reserve(&s->slots, count - s->slots.count))
		return false;
	s->slots.count = count;
	memset(s->slots.items, 0, count * sizeof(*s->slots.items));
	for (size_t i = 0; i < s->known.count; i++)
		s->slots.items[slot_of(s, s->known.items[i].function)] = i + 1;
	return true;
}

/* The index of FUNCTION, plus 1.  FUNCTION becomes a known function if it is
 * new. 0 without memory. */
static uint32_t know(struct gsym_xray_stack *s, uint32_t function)
{
	struct known *k;
	size_t slot;

	if (!make_slots(s))
		return 0;
	slot = slot_of(s, function);
	if (s->slots.items[slot])
		return s->slots.items[slot];
	k = gsym_vec_push(&s->known);
	if (!k)
		return 0;
	*k = (struct known){ .function = function };
	s->slots.items[slot] = s->known.count;
	return s->known.count;
}

/* Begin the call that EVENT enters.  False without memory. */
static bool push(struct gsym_xray_stack *s,
		 const struct gsym_xray_event *event)
{
	uint32_t number = know(s, event->function);
	struct frame *f;
	uint64_t caller;

	if (!number)
		return false;
	caller = s->frames.count ? s->frames.items[s->frames.count - 1].mark
				 : 0;
	f = gsym_vec_push(&s->frames);
	if (!f)
		return false;
	*f = (struct frame){
		.function = event->function,
		.index = number - 1,
		.cpu = event->cpu,
		.enter = event->tsc,
		.mark = s->enter ? s->enter(s->context, event, caller) : 0,
	};
	s->known.items[f->index].active++;
	return true;
}

/* End the innermost call at NOW.  False if the leave function failed. */
static bool pop(struct gsym_xray_stack *s, uint64_t now,
		enum gsym_xray_end end)
{
	struct frame *f = &s->frames.items[--s->frames.count];
	struct frame *caller = s->frames.count ? f - 1 : NULL;
	struct gsym_xray_call call = {
		.function = f->function,
		.index = f->index,
		.end = end,
		.cpu = f->cpu,
		.depth = (uint32_t)s->frames.count,
		.outermost = --s->known.items[f->index].active == 0,
		.enter = f->enter,
		.leave = now,
		.children = f->children,
		.mark = f->mark,
		.caller_mark = caller ? caller->mark : 0,
	};

	/* The clocks of two processors differ by a few ticks. */
	if (now < f->enter) {
		s->repairs.backwards++;
		call.leave = f->enter;
	}
	s->repairs.inferred += end == GSYM_XRAY_INFERRED;
	s->repairs.unfinished += end == GSYM_XRAY_UNFINISHED;
	if (caller)
		caller->children += call.leave - call.enter;
	return !s->leave || s->leave(s->context, &call);
}

/* Returns true if a call of FUNCTION has not ended. */
static bool is_active(const struct gsym_xray_stack *s, uint32_t function)
{
	uint32_t number = s->slots.count ? s->slots.items[slot_of(s, function)]
					 : 0;

	return number && s->known.items[number - 1].active;
}

static bool note_orphan(struct gsym_xray_stack *s, uint32_t function)
{
	uint32_t number = know(s, function);

	if (!number)
		return false;
	s->known.items[number - 1].orphans++;
	s->repairs.orphans++;
	return true;
}

/* End the call that EVENT leaves, and calls within it whose exits are missing.
 * False without memory. */
static bool leave(struct gsym_xray_stack *s,
		  const struct gsym_xray_event *event)
{
	const struct frame *top =
		s->frames.count ? &s->frames.items[s->frames.count - 1] : NULL;

	/* Nearly always the innermost call ends. */
	if (!top || top->function != event->function) {
		if (!is_active(s, event->function))
			return note_orphan(s, event->function);
		while (s->frames.items[s->frames.count - 1].function !=
		       event->function)
			if (!pop(s, event->tsc, GSYM_XRAY_INFERRED))
				return false;
	}
	return pop(s, event->tsc, event->kind == GSYM_XRAY_TAIL_EXIT
					  ? GSYM_XRAY_TAIL_CALLED
					  : GSYM_XRAY_RETURNED);
}

enum gsym_status gsym_xray_stack_event(struct gsym_xray_stack *s,
				       const struct gsym_xray_event *event)
{
	bool done = true;

	if (!s || !event)
		return GSYM_ERR_ARGUMENT;
	s->last = event->tsc;
	switch (event->kind) {
	case GSYM_XRAY_ENTER:
	case GSYM_XRAY_ENTER_ARGUMENT:
		done = push(s, event);
		break;
	case GSYM_XRAY_EXIT:
	case GSYM_XRAY_TAIL_EXIT:
		done = leave(s, event);
		break;
	default:
		break;
	}
	return done ? GSYM_OK : GSYM_ERR_MEMORY;
}

enum gsym_status gsym_xray_stack_end(struct gsym_xray_stack *s)
{
	if (!s)
		return GSYM_ERR_ARGUMENT;
	while (s->frames.count)
		if (!pop(s, s->last, GSYM_XRAY_UNFINISHED))
			return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

enum gsym_status gsym_xray_stack_repairs_sized(const struct gsym_xray_stack *s,
					       struct gsym_xray_repairs *ret,
					       size_t ret_size)
{
	if (!s || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_xray_repairs, backwards))
		return GSYM_ERR_ARGUMENT;
	gsym_sized_copy(ret, ret_size, &s->repairs, sizeof(s->repairs));
	return GSYM_OK;
}

uint32_t gsym_xray_stack_functions(const struct gsym_xray_stack *s)
{
	return (uint32_t)s->known.count;
}

uint64_t gsym_xray_stack_orphans(const struct gsym_xray_stack *s,
				 uint32_t index, uint32_t *function)
{
	*function = s->known.items[index].function;
	return s->known.items[index].orphans;
}
