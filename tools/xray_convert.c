/* SPDX-License-Identifier: MIT */
/* gsym-xray convert and extract: for other tools. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "common/report.h"
#include "xray.h"

enum { TO_CHROME, TO_FOLDED, TO_YAML, TO_JSON };

/* ---- chrome ------------------------------------------------------------ */

struct chrome {
	struct xray *x;
	const struct gsym_xray_log *log;
	uint32_t pid, tid;
	uint64_t first, frequency;
	bool comma;
};

/* Microseconds with three decimals, as a number. */
static void microseconds(struct out *out, uint64_t ns)
{
	out_printf(out, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

static uint64_t since(const struct chrome *c, uint64_t tsc)
{
	return tsc < c->first ? 0
			      : gsym_xray_nanoseconds(tsc - c->first,
						      c->frequency);
}

static void begin_object(struct chrome *c, const char *phase)
{
	out_printf(&c->x->out, "%s{\"ph\":\"%s\",\"name\":\"",
		   c->comma ? ",\n" : "\n", phase);
	c->comma = true;
}

static bool chrome_call(void *context, const struct gsym_xray_call *call)
{
	struct chrome *c = context;
	struct out *out = &c->x->out;
	char buffer[64];
	struct xray_place place;
	const char *name = xray_name(c->x, call->function, buffer,
				     sizeof(buffer), &place);
	begin_object(c, "X");
	json_escape(out, name, strlen(name));
	out_printf(out, "\",\"cat\":\"function\",\"pid\":%" PRIu32
		   ",\"tid\":%" PRIu32 ",\"ts\":", c->pid, c->tid);
	uint64_t start = since(c, call->enter), end = since(c, call->leave);
	microseconds(out, start);
	out_text(out, ",\"dur\":");
	microseconds(out, end > start ? end - start : 0);
	out_printf(out, ",\"args\":{\"id\":%" PRIu32 ",\"cpu\":%u",
		   call->function, call->cpu);
	if (*place.basename) {
		out_text(out, ",\"file\":\"");
		if (*place.directory) {
			char separator = path_separator(place.directory);
			json_escape(out, place.directory,
				    strlen(place.directory));
			if (separator)
				json_escape(out, &separator, 1);
		}
		json_escape(out, place.basename, strlen(place.basename));
		out_printf(out, "\",\"line\":%" PRIu32, place.line);
	}
	if (call->end == GSYM_XRAY_INFERRED)
		out_text(out, ",\"end\":\"inferred\"");
	if (call->end == GSYM_XRAY_UNFINISHED)
		out_text(out, ",\"end\":\"unfinished\"");
	out_text(out, "}}");
	return true;
}

static void chrome_event(struct chrome *c, const struct gsym_xray_event *e)
{
	struct out *out = &c->x->out;
	begin_object(c, "i");
	if (e->kind == GSYM_XRAY_TYPED)
		out_printf(out, "type %u", e->type);
	else
		out_text(out, "custom");
	out_printf(out, "\",\"s\":\"t\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		   ",\"ts\":", e->pid, e->tid);
	microseconds(out, since(c, e->tsc));
	out_text(out, ",\"args\":{\"data\":\"");
	if (e->data)
		json_escape(out, (const char *)e->data, e->size);
	out_printf(out, "\",\"size\":%" PRIu32 "}}", e->size);
}

static void chrome_thread(struct chrome *c, uint32_t number,
			  struct gsym_xray_stack *stack)
{
	struct gsym_xray_thread t;
	struct gsym_xray_event e;
	struct gsym_xray_iter *iter;
	char name[48];
	gsym_xray_thread_at(c->log, number, &t);
	c->pid = t.pid;
	c->tid = t.tid;
	begin_object(c, "M");
	snprintf(name, sizeof(name), "thread %" PRIu32, t.tid);
	out_printf(&c->x->out, "thread_name\",\"pid\":%" PRIu32 ",\"tid\":%"
		   PRIu32 ",\"args\":{\"name\":\"%s\"}}", t.pid, t.tid, name);
	if (gsym_xray_events(c->log, number, &iter, NULL) != GSYM_OK)
		die("out of memory");
	while (gsym_xray_next(iter, &e)) {
		if (e.kind >= GSYM_XRAY_CUSTOM)
			chrome_event(c, &e);
		else if (gsym_xray_stack_event(stack, &e) != GSYM_OK)
			die("out of memory");
	}
	gsym_xray_iter_free(iter);
	if (gsym_xray_stack_end(stack) != GSYM_OK)
		die("out of memory");
}

/* Say what each process is called: the name of the program. */
static void chrome_processes(struct chrome *c)
{
	const char *path = c->x->objects[0].path, *slash;
	if (!path)
		return;
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	for (uint32_t i = 0; i < gsym_xray_thread_count(c->log); i++) {
		struct gsym_xray_thread t, before;
		gsym_xray_thread_at(c->log, i, &t);
		/* To say it twice does no harm. */
		if (i && gsym_xray_thread_at(c->log, i - 1, &before) ==
				 GSYM_OK && before.pid == t.pid)
			continue;
		begin_object(c, "M");
		out_printf(&c->x->out, "process_name\",\"pid\":%" PRIu32
			   ",\"args\":{\"name\":\"", t.pid);
		json_escape(&c->x->out, path, strlen(path));
		out_text(&c->x->out, "\"}}");
	}
}

static void to_chrome(struct xray *x)
{
	struct chrome c = { .x = x };
	struct gsym_xray_stack *stack = gsym_xray_stack_new(NULL, chrome_call,
							    &c);
	struct gsym_xray_repairs repairs;
	if (!stack)
		die("out of memory");
	out_text(&x->out, "{\"traceEvents\":[");
	for (size_t i = 0; i < x->trace_count; i++) {
		uint64_t last;
		c.log = x->logs[i];
		c.frequency = xray_frequency(x, c.log);
		if (!gsym_xray_span(c.log, &c.first, &last))
			continue;
		chrome_processes(&c);
		for (uint32_t t = 0; t < gsym_xray_thread_count(c.log); t++)
			chrome_thread(&c, t, stack);
	}
	out_text(&x->out, "\n],\"displayTimeUnit\":\"ns\"}\n");
	out_flush(&x->out);
	gsym_xray_stack_repairs(stack, &repairs);
	xray_repairs(x, &repairs);
	gsym_xray_stack_free(stack);
}

/* ---- folded stacks ------------------------------------------------------ */

/* A node of the tree of all stacks; number 0 is the root. */
struct node {
	uint32_t function;
	uint32_t parent;
	uint32_t next;  /* of the same hash; 0 ends */
	uint64_t self;
	uint64_t calls;
};

struct folded {
	struct xray *x;
	struct node *nodes;
	uint32_t *slots;
	uint32_t count, capacity, slot_count;
	/* The root of the thread at hand. */
	uint32_t root;
	bool by_thread;
};

static uint32_t slot_of(const struct folded *f, uint32_t parent,
			uint32_t function)
{
	uint64_t key = ((uint64_t)parent << 32 | function) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return key >> 32 & (f->slot_count - 1);
}

static void grow_nodes(struct folded *f)
{
	uint32_t capacity = f->capacity ? 2 * f->capacity : 1024;
	f->nodes = realloc(f->nodes, capacity * sizeof(*f->nodes));
	free(f->slots);
	f->slots = calloc(2 * (size_t)capacity, sizeof(*f->slots));
	if (!f->nodes || !f->slots || capacity > UINT32_MAX / 4)
		die("out of memory");
	f->capacity = capacity;
	f->slot_count = 2 * capacity;
	for (uint32_t i = 1; i < f->count; i++) {
		uint32_t slot = slot_of(f, f->nodes[i].parent,
					f->nodes[i].function);
		f->nodes[i].next = f->slots[slot];
		f->slots[slot] = i;
	}
}

/* The child of PARENT for FUNCTION, a new one if need be. */
static uint32_t child_of(struct folded *f, uint32_t parent, uint32_t function)
{
	if (f->count >= f->capacity)
		grow_nodes(f);
	if (!f->count)
		f->nodes[f->count++] = (struct node){ 0 };
	uint32_t slot = slot_of(f, parent, function);
	for (uint32_t i = f->slots[slot]; i; i = f->nodes[i].next)
		if (f->nodes[i].parent == parent &&
		    f->nodes[i].function == function)
			return i;
	f->nodes[f->count] = (struct node){ function, parent, f->slots[slot],
					    0, 0 };
	f->slots[slot] = f->count;
	return f->count++;
}

static uint64_t folded_enter(void *context,
			     const struct gsym_xray_event *event,
			     uint64_t caller)
{
	struct folded *f = context;
	uint32_t parent = caller ? (uint32_t)caller : f->root;
	return child_of(f, parent, event->function);
}

static bool folded_leave(void *context, const struct gsym_xray_call *call)
{
	struct folded *f = context;
	struct node *n = &f->nodes[call->mark];
	uint64_t ticks = call->leave - call->enter;
	n->calls++;
	n->self += ticks > call->children ? ticks - call->children : 0;
	return true;
}

static void folded_thread(void *context, struct gsym_xray_log *log,
			  const struct gsym_xray_thread *thread)
{
	struct folded *f = context;
	(void)log;
	/* A thread is a child of the root, by a number that no function
	 * has: those have 28 bits in FDR traces; the parent tells. */
	if (f->by_thread)
		f->root = child_of(f, 0, thread->tid);
}

/* A frame: ';' separates frames, and a line is a line. */
static void print_frame(FILE *to, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';'                      ? ':'
		      : (uint8_t)*name < 0x20 || *name == 0x7f ? '?'
							       : *name,
		      to);
}

static char *folded_line(struct folded *f, uint32_t index, uint64_t value)
{
	uint32_t depth = 0;
	char *text = NULL, buffer[64];
	size_t size;
	for (uint32_t i = index; i; i = f->nodes[i].parent)
		depth++;
	uint32_t *path = calloc(depth + 1, sizeof(*path));
	FILE *to = open_memstream(&text, &size);
	if (!path || !to)
		die("out of memory");
	for (uint32_t i = index, k = depth; i; i = f->nodes[i].parent)
		path[--k] = i;
	for (uint32_t k = 0; k < depth; k++) {
		const struct node *n = &f->nodes[path[k]];
		if (k)
			fputc(';', to);
		if (k == 0 && f->by_thread)
			fprintf(to, "thread %" PRIu32, n->function);
		else
			print_frame(to, xray_name(f->x, n->function, buffer,
						  sizeof(buffer), NULL));
	}
	fprintf(to, " %" PRIu64, value);
	free(path);
	if (fclose(to) != 0)
		die("out of memory");
	return text;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Ticks in nanoseconds, rounded half up. */
static uint64_t rounded(uint64_t ticks, uint64_t frequency)
{
	uint64_t whole = gsym_xray_nanoseconds(ticks, frequency);
	if (!frequency || frequency >= UINT64_C(1) << 34)
		return whole;
	uint64_t rest = ticks % frequency * 1000000000 % frequency;
	return whole + (2 * rest >= frequency);
}

static void to_folded(struct xray *x)
{
	struct folded f = { .x = x, .by_thread = x->threads };
	struct gsym_xray_stack *stack =
		gsym_xray_stack_new(folded_enter, folded_leave, &f);
	struct gsym_xray_repairs repairs;
	uint64_t frequency = xray_frequency(x, x->logs[0]);
	if (!stack)
		die("out of memory");
	xray_replay(x, stack, folded_thread, &f);
	char **lines = calloc(f.count + 1, sizeof(*lines));
	size_t count = 0;
	if (!lines)
		die("out of memory");
	for (uint32_t i = 1; i < f.count; i++) {
		uint64_t value = x->calls ? f.nodes[i].calls
					  : rounded(f.nodes[i].self, frequency);
		if (value)
			lines[count++] = folded_line(&f, i, value);
	}
	qsort(lines, count, sizeof(*lines), by_bytes);
	for (size_t i = 0; i < count; i++) {
		out_text(&x->out, lines[i]);
		out_text(&x->out, "\n");
		free(lines[i]);
	}
	out_flush(&x->out);
	gsym_xray_stack_repairs(stack, &repairs);
	xray_repairs(x, &repairs);
	gsym_xray_stack_free(stack);
	free(lines);
	free(f.nodes);
	free(f.slots);
}

/* ---- time lines --------------------------------------------------------- */

static const char *const kinds[] = { "function-enter", "function-exit",
				     "function-tail-exit", "function-enter-arg",
				     "custom-event", "typed-event" };

static void yaml_event(struct xray *x, const struct gsym_xray_event *e)
{
	struct out *out = &x->out;
	out_printf(out, "  - { type: %u, func-id: %" PRIu32 ", function: '",
		   e->type, e->function);
	char buffer[64], plain[16];
	const char *name = xray_name(x, e->function, buffer, sizeof(buffer),
				     NULL);
	snprintf(plain, sizeof(plain), "%" PRIu32, e->function);
	if (*name == '#')
		name = plain;
	for (; *name; name++) {
		out_bytes(out, name, 1);
		if (*name == '\'')
			out_text(out, "'");
	}
	out_text(out, "'");
	if (e->argument_count) {
		out_text(out, ", args: [ ");
		for (uint32_t i = 0; i < e->argument_count; i++)
			out_printf(out, "%s%" PRIu64, i ? ", " : "",
				   e->arguments[i]);
		out_text(out, " ]");
	}
	out_printf(out, ", cpu: %u", e->cpu);
	if (e->tid)
		out_printf(out, ", thread: %" PRIu32, e->tid);
	if (e->pid)
		out_printf(out, ", process: %" PRIu32, e->pid);
	out_printf(out, ", kind: %s, tsc: %" PRIu64 ", data: ",
		   kinds[e->kind], e->tsc);
	/* Double quotes take every byte, escaped. */
	out_text(out, e->size && e->data ? "\"" : "''");
	for (uint32_t i = 0; e->data && i < e->size; i++)
		if (e->data[i] < 0x20 || e->data[i] > 0x7e ||
		    e->data[i] == '"' || e->data[i] == '\\')
			out_printf(out, "\\x%02X", e->data[i]);
		else
			out_bytes(out, &e->data[i], 1);
	out_text(out, e->size && e->data ? "\" }\n" : " }\n");
}

static void json_event(struct xray *x, const struct gsym_xray_event *e,
		       uint64_t first, uint64_t frequency)
{
	struct json *json = &x->json;
	char buffer[64];
	json_object(json, NULL);
	json_number(json, "time", gsym_xray_nanoseconds(e->tsc - first,
							frequency));
	json_number(json, "pid", e->pid);
	json_number(json, "tid", e->tid);
	json_number(json, "cpu", e->cpu);
	json_string(json, "kind", kinds[e->kind]);
	if (e->kind < GSYM_XRAY_CUSTOM) {
		json_number(json, "id", e->function);
		json_string(json, "name", xray_name(x, e->function, buffer,
						    sizeof(buffer), NULL));
	}
	if (e->argument_count) {
		json_array(json, "args");
		for (uint32_t i = 0; i < e->argument_count; i++)
			json_hex(json, NULL, e->arguments[i]);
		json_end(json);
	}
	if (e->kind == GSYM_XRAY_TYPED)
		json_number(json, "type", e->type);
	if (e->kind >= GSYM_XRAY_CUSTOM) {
		json_number(json, "size", e->size);
		if (e->data)
			json_bytes(json, "hex", e->data, e->size);
	}
	json_end(json);
	json_line(json);
}

static void yaml_header(struct xray *x)
{
	struct gsym_xray_header h;
	gsym_xray_header(x->logs[0], &h);
	out_printf(&x->out, "---\nheader:\n  version:         %u\n"
		   "  type:            %d\n  constant-tsc:    %s\n"
		   "  nonstop-tsc:     %s\n  cycle-frequency: %" PRIu64
		   "\nrecords:\n", h.version, h.fdr,
		   h.constant_tsc ? "true" : "false",
		   h.nonstop_tsc ? "true" : "false",
		   xray_frequency(x, x->logs[0]));
}

static void to_timeline(struct xray *x)
{
	struct gsym_xray_event event;
	struct gsym_xray_iter *iter;
	uint64_t first = 0, last;
	if (x->trace_count > 1)
		die_usage("this format takes one trace");
	if (x->to == TO_YAML)
		yaml_header(x);
	gsym_xray_span(x->logs[0], &first, &last);
	if (gsym_xray_timeline(x->logs[0], &iter, NULL) != GSYM_OK)
		die("out of memory");
	while (gsym_xray_next(iter, &event))
		if (x->to == TO_YAML)
			yaml_event(x, &event);
		else
			json_event(x, &event, first,
				   xray_frequency(x, x->logs[0]));
	gsym_xray_iter_free(iter);
	if (x->to == TO_YAML)
		out_text(&x->out, "...\n");
}

void xray_convert(struct xray *x)
{
	if (x->to == TO_CHROME)
		to_chrome(x);
	else if (x->to == TO_FOLDED)
		to_folded(x);
	else
		to_timeline(x);
}

/* ---- extract ------------------------------------------------------------ */

static void extract_sled(struct xray *x, const struct gsym_xray_sled *s,
			 const char *name)
{
	static const char *const sleds[] = { "function-enter", "function-exit",
					     "tail-exit", "log-args-enter",
					     "custom-event", "typed-event" };
	out_printf(&x->out, "- { id: %" PRIu32 ", address: 0x%" PRIX64
		   ", function: 0x%" PRIX64 ", kind: ", s->function,
		   s->address, s->function_address);
	if (s->kind < 6)
		out_text(&x->out, sleds[s->kind]);
	else
		out_decimal(&x->out, s->kind);
	out_printf(&x->out, ", always-instrument: %s, function-name: '",
		   s->always ? "true" : "false");
	for (; *name; name++) {
		out_foreign_bytes(&x->out, name, 1);
		if (*name == '\'')
			out_text(&x->out, "'");
	}
	out_text(&x->out, "'");
	if (s->version)
		out_printf(&x->out, ", version: %u", s->version);
	out_text(&x->out, " }\n");
}

void xray_extract(struct xray *x)
{
	struct gsym_xray_sled sled;
	if (x->trace_count > 1)
		die_usage("extract takes one program");
	x->objects[0].path = x->traces[0].path;
	xray_names_open(x);
	out_text(&x->out, "---\n");
	for (uint32_t i = 0; gsym_xray_map_sled_at(x->objects[0].map, i,
						   &sled) == GSYM_OK; i++) {
		char buffer[64];
		const char *name = xray_name(x, sled.function & 0xffffff,
					     buffer, sizeof(buffer), NULL);
		extract_sled(x, &sled, *name == '@' ? "" : name);
	}
	out_text(&x->out, "...\n");
}
