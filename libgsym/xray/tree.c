/* SPDX-License-Identifier: MIT */
/* The calls of a thread, rebuilt from entries and exits; call trees, in which a
 * node adds up the calls of a function from the same callers. */
#include "xray/log.h"

#include "base/intern.h"
#include "base/order.h"

/* ---- calls --------------------------------------------------------------- */

/* A function that was entered or left: its calls that have not ended, and its
 * exits without an entry. */
struct known {
	uint32_t active;
	uint64_t orphans;
};

struct gsym_xray_stack {
	gsym_xray_enter_fn *enter;
	gsym_xray_leave_fn *leave;
	void *context;
	/* The calls that have not ended. */
	struct { GSYM_VEC(struct gsym_xray_call); } calls;
	/* By the number of the function in KEYS. */
	struct { GSYM_VEC(struct known); } known;
	struct gsym_keys keys;
	/* The time of the latest event. */
	uint64_t last;
	struct gsym_xray_repairs repairs;
};

struct gsym_xray_stack *gsym_xray_stack_new(gsym_xray_enter_fn *enter,
					    gsym_xray_leave_fn *leave,
					    void *context)
{
	struct gsym_xray_stack *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct gsym_xray_stack){ .enter = enter, .leave = leave,
					       .context = context };
	return s;
}

void gsym_xray_stack_free(struct gsym_xray_stack *s)
{
	if (!s)
		return;
	gsym_vec_fini(&s->calls);
	gsym_vec_fini(&s->known);
	gsym_keys_fini(&s->keys);
	free(s);
}

/* Set *RET to what is known of FUNCTION, and *INDEX to its index.  False
 * without memory. */
static bool know(struct gsym_xray_stack *s, uint32_t function,
		 struct known **ret, uint32_t *index)
{
	if (!gsym_vec_reserve(&s->known, 1) ||
	    !gsym_keys_add(&s->keys, function, index))
		return false;
	if (*index == s->known.count)
		s->known.items[s->known.count++] = (struct known){ 0 };
	*ret = &s->known.items[*index];
	return true;
}

/* The innermost call; NULL if there is none. */
static struct gsym_xray_call *innermost(const struct gsym_xray_stack *s)
{
	return s->calls.count ? &s->calls.items[s->calls.count - 1] : NULL;
}

/* Begin the call that EVENT enters.  False without memory. */
static bool push(struct gsym_xray_stack *s,
		 const struct gsym_xray_event *event)
{
	const struct gsym_xray_call *caller;
	struct gsym_xray_call call = {
		.function = event->function,
		.cpu = event->cpu,
		.depth = (uint32_t)s->calls.count,
		.enter = event->tsc,
	};
	struct known *known;

	if (!know(s, event->function, &known, &call.index) ||
	    !gsym_vec_reserve(&s->calls, 1))
		return false;
	caller = innermost(s);
	call.caller_mark = caller ? caller->mark : 0;
	if (s->enter)
		call.mark = s->enter(s->context, event, call.caller_mark);
	known->active++;
	s->calls.items[s->calls.count++] = call;
	return true;
}

/* End the innermost call at NOW.  False if the leave function failed. */
static bool pop(struct gsym_xray_stack *s, uint64_t now,
		enum gsym_xray_end end)
{
	struct gsym_xray_call *call = &s->calls.items[--s->calls.count];
	struct gsym_xray_call *caller = innermost(s);

	call->end = end;
	call->outermost = --s->known.items[call->index].active == 0;
	call->leave = now;
	/* The clocks of two processors differ by a few ticks. */
	if (now < call->enter) {
		s->repairs.backwards++;
		call->leave = call->enter;
	}
	s->repairs.inferred += end == GSYM_XRAY_INFERRED;
	s->repairs.unfinished += end == GSYM_XRAY_UNFINISHED;
	if (caller)
		caller->children += call->leave - call->enter;
	return !s->leave || s->leave(s->context, call);
}

/* End the call that EVENT leaves, and calls within it whose exits are missing.
 * False without memory. */
static bool leave(struct gsym_xray_stack *s,
		  const struct gsym_xray_event *event)
{
	const struct gsym_xray_call *top = innermost(s);
	struct known *known;
	uint32_t index;

	/* Nearly always the innermost call ends. */
	if (!top || top->function != event->function) {
		if (!know(s, event->function, &known, &index))
			return false;
		if (!known->active) {
			known->orphans++;
			s->repairs.orphans++;
			return true;
		}
		while (innermost(s)->function != event->function)
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
	while (s->calls.count)
		if (!pop(s, s->last, GSYM_XRAY_UNFINISHED))
			return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

enum gsym_status gsym_xray_stack_repairs(const struct gsym_xray_stack *s,
					 struct gsym_xray_repairs *ret)
{
	if (!s || !ret)
		return GSYM_ERR_ARGUMENT;
	*ret = s->repairs;
	return GSYM_OK;
}

uint32_t gsym_xray_stack_functions(const struct gsym_xray_stack *s)
{
	return (uint32_t)s->known.count;
}

uint64_t gsym_xray_stack_orphans(const struct gsym_xray_stack *s,
				 uint32_t index, uint32_t *function)
{
	*function = (uint32_t)s->keys.keys.items[index];
	return s->known.items[index].orphans;
}

/* ---- trees --------------------------------------------------------------- */

/* Node numbers have 32 bits, and there are more slots than nodes. */
#define MOST_NODES (UINT32_C(1) << 30)

/* The mark of a call is the number of its node, with this bit if the call has
 * no node of its own and counts as part of its caller's. */
#define MERGED (UINT64_C(1) << 32)

struct node {
	struct gsym_xray_node known;
	/* The latest callee, which loops call again; 0: none. */
	uint32_t recent;
};

struct gsym_xray_tree {
	/* Node 0 is the caller of the outermost functions. */
	struct { GSYM_VEC(struct node); } nodes;
	/* The other nodes, by caller and function. */
	struct gsym_keys keys;
	uint32_t limit;
	/* The node whose callees the outermost functions are. */
	uint32_t root;
};

struct gsym_xray_tree *gsym_xray_tree_new(uint32_t limit)
{
	struct gsym_xray_tree *t = calloc(1, sizeof(*t));
	struct node *root = t ? gsym_vec_push(&t->nodes) : NULL;

	if (!root) {
		free(t);
		return NULL;
	}
	*root = (struct node){ 0 };
	t->limit = limit && limit < MOST_NODES ? limit : MOST_NODES;
	return t;
}

void gsym_xray_tree_free(struct gsym_xray_tree *t)
{
	if (!t)
		return;
	gsym_vec_fini(&t->nodes);
	gsym_keys_fini(&t->keys);
	free(t);
}

/* Set *RET to the node of FUNCTION called from CALLER, which is added if there
 * is none; 0 if the limit does not allow that.  False without memory. */
static bool callee_of(struct gsym_xray_tree *t, uint32_t caller,
		      uint32_t function, uint32_t *ret)
{
	const uint64_t key = (uint64_t)caller << 32 | function;
	uint32_t recent = t->nodes.items[caller].recent;

	*ret = recent;
	if (recent && t->nodes.items[recent].known.function == function)
		return true;
	if (!gsym_keys_find(&t->keys, key, ret)) {
		*ret = 0;
		if (t->nodes.count > t->limit)
			return true;
		if (!gsym_vec_reserve(&t->nodes, 1) ||
		    !gsym_keys_add(&t->keys, key, ret))
			return false;
		t->nodes.items[t->nodes.count++] = (struct node){
			.known = { .function = function, .caller = caller }
		};
	}
	/* Node 0 has no key. */
	t->nodes.items[caller].recent = ++*ret;
	return true;
}

bool gsym_xray_tree_root(struct gsym_xray_tree *t, uint32_t number)
{
	uint32_t node;

	if (!t || !callee_of(t, 0, number, &node))
		return false;
	t->root = node;
	return true;
}

uint64_t gsym_xray_tree_enter(void *tree, const struct gsym_xray_event *event,
			      uint64_t caller)
{
	struct gsym_xray_tree *t = tree;
	uint32_t from, node;

	if (!t || !event)
		return 0;
	from = caller ? (uint32_t)caller : t->root;
	if (caller & MERGED)
		return caller;
	if (!callee_of(t, from, event->function, &node))
		return 0;
	return node ? node : MERGED | from;
}

bool gsym_xray_tree_leave(void *tree, const struct gsym_xray_call *call)
{
	struct gsym_xray_tree *t = tree;
	struct gsym_xray_node *n;
	uint64_t ticks;

	if (!t || !call || !call->mark)
		return false;
	ticks = call->leave - call->enter;
	if (!call->depth) {
		t->nodes.items[t->root].known.total += ticks;
		t->nodes.items[t->root].known.calls++;
	}
	n = &t->nodes.items[(uint32_t)call->mark].known;
	n->self += ticks > call->children ? ticks - call->children : 0;
	if (call->mark & MERGED) {
		n->merged++;
		return true;
	}
	n->calls++;
	n->total += ticks;
	n->inferred += call->end == GSYM_XRAY_INFERRED;
	n->unfinished += call->end == GSYM_XRAY_UNFINISHED;
	return true;
}

static void add_node(struct gsym_xray_node *to,
		     const struct gsym_xray_node *from)
{
	to->calls += from->calls;
	to->total += from->total;
	to->self += from->self;
	to->inferred += from->inferred;
	to->unfinished += from->unfinished;
	to->merged += from->merged;
}

bool gsym_xray_tree_add(struct gsym_xray_tree *t,
			const struct gsym_xray_tree *from, uint32_t node)
{
	/* By node of FROM: the number of the node that it is added to, plus 1;
	 * 0: none. */
	uint32_t *places;
	uint32_t limit;
	bool done;

	if (!t || !from)
		return false;
	limit = t->limit;
	places = calloc(from->nodes.count, sizeof(*places));
	done = places != NULL;
	if (places && node < from->nodes.count) {
		const struct gsym_xray_node *n = &from->nodes.items[node].known;

		places[node] = t->root + 1;
		add_node(&t->nodes.items[t->root].known, n);
	}
	t->limit = MOST_NODES;
	/* A caller has a lower number than its callees. */
	for (size_t i = (size_t)node + 1; done && i < from->nodes.count; i++) {
		const struct gsym_xray_node *n = &from->nodes.items[i].known;
		uint32_t place;

		if (!places[n->caller])
			continue;
		done = callee_of(t, places[n->caller] - 1, n->function,
				 &place) && place;
		if (done) {
			places[i] = place + 1;
			add_node(&t->nodes.items[place].known, n);
		}
	}
	t->limit = limit;
	free(places);
	return done;
}

uint32_t gsym_xray_tree_count(const struct gsym_xray_tree *t)
{
	return t ? (uint32_t)t->nodes.count : 0;
}

enum gsym_status gsym_xray_tree_node(const struct gsym_xray_tree *t,
				     uint32_t index,
				     struct gsym_xray_node *ret)
{
	if (!t || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= t->nodes.count)
		return GSYM_NOT_FOUND;
	*ret = t->nodes.items[index].known;
	return GSYM_OK;
}

/* The sort key of a node. */
struct key {
	uint64_t total;
	uint32_t function, node;
};

/* A chain is built from its end, so the keys are sorted in reverse. */
static int backwards(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	return GSYM_ORDER(a->total, b->total) ?:
	       GSYM_ORDER(b->function, a->function) ?:
	       GSYM_ORDER(b->node, a->node);
}

enum gsym_status gsym_xray_tree_sort(struct gsym_xray_tree *t)
{
	struct key *keys;
	size_t count;

	if (!t)
		return GSYM_ERR_ARGUMENT;
	count = t->nodes.count;
	keys = malloc(count * sizeof(*keys));
	if (!keys)
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		struct gsym_xray_node *n = &t->nodes.items[i].known;

		n->callee = n->sibling = 0;
		keys[i] = (struct key){ n->total, n->function, i };
	}
	qsort(keys, count, sizeof(*keys), backwards);
	for (size_t i = 0; i < count; i++) {
		struct gsym_xray_node *n = &t->nodes.items[keys[i].node].known;
		struct gsym_xray_node *caller =
			&t->nodes.items[n->caller].known;

		if (!keys[i].node)
			continue;
		n->sibling = caller->callee;
		caller->callee = keys[i].node;
	}
	free(keys);
	return GSYM_OK;
}
