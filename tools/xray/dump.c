/* SPDX-License-Identifier: MIT */
/* gsym-xray dump: the records of traces; gsym-xray extract: the sleds of a
 * program. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/names.h"
#include "common/report.h"
#include "xray/xray.h"

/* The names of records, by enum gsym_xray_record_kind. */
static const char *const kind_names[] = {
	"new-buffer", "end-of-buffer", "new-cpu", "tsc-wrap", "wall-time",
	"custom-event", "argument", "extents", "typed-event", "pid",
	"function", "function", "argument",
};
const char *const xray_action_names[4] = { "enter", "exit", "tail-exit",
					    "enter-arg" };

/* The trace that is shown. */
struct dump {
	struct xray *x;
	size_t trace;
	const struct xray_clock *clock;
	struct gsym_xray_header header;
	void (*show)(struct dump *d, const struct gsym_xray_record *r);
};

/* Write a custom or typed event as "llvm-xray fdr-dump" does, without the
 * closing bracket, which llvm-xray forgets.  RELATIVE: the record has a
 * difference of ticks in place of ticks. */
static void llvm_event(struct out *out, const struct gsym_xray_record *r,
		       bool relative)
{
	bool typed = r->kind == GSYM_XRAY_TYPED_EVENT;
	out_text(out, typed ? "<Typed Event: " : "<Custom Event: ");
	if (relative)
		out_printf(out, "delta = +%" PRId64, r->delta);
	else
		out_printf(out, "tsc = %" PRIu64, r->tsc);
	if (typed)
		out_printf(out, ", type = %u", r->type);
	else if (!relative)
		out_printf(out, ", cpu = %u", r->cpu);
	out_printf(out, ", size = %" PRIu32 ", data = '", r->size);
	if (r->data)
		out_bytes(out, r->data, r->size);
	out_text(out, typed ? "'\n" : "'>\n");
}

/* Write R as "llvm-xray fdr-dump" does. */
static void llvm_record(struct dump *d, const struct gsym_xray_record *r)
{
	static const char *const actions[] = { "Enter", "Exit", "Tail Exit",
					       "Enter With Arg" };
	struct out *out = &d->x->out;
	switch (r->kind) {
	case GSYM_XRAY_NEW_BUFFER:
		out_printf(out, "<Thread ID: %" PRId32 ">\n", (int32_t)r->tid);
		break;
	case GSYM_XRAY_END_OF_BUFFER:
		out_text(out, "<End of Buffer>\n");
		break;
	case GSYM_XRAY_NEW_CPU:
		out_printf(out, "<CPU: id = %u, tsc = %" PRIu64 ">\n", r->cpu,
			   r->tsc);
		break;
	case GSYM_XRAY_TSC_WRAP:
		out_printf(out, "<TSC Wrap: base = %" PRIu64 ">\n", r->tsc);
		break;
	case GSYM_XRAY_WALL_TIME:
		out_printf(out, "<Wall Time: seconds = %" PRIu64 ".%06" PRIu32
			   ">\n", r->seconds, r->microseconds);
		break;
	case GSYM_XRAY_CUSTOM_EVENT:
	case GSYM_XRAY_TYPED_EVENT:
		llvm_event(out, r, d->header.version >= 5);
		break;
	case GSYM_XRAY_ARGUMENT:
	case GSYM_XRAY_BASIC_ARGUMENT:
		out_printf(out, "<Call Argument: data = %" PRIu64
			   " (hex = 0x%" PRIx64 ")>\n", r->value, r->value);
		break;
	case GSYM_XRAY_EXTENTS:
		out_printf(out, "<Buffer: size = %" PRIu64 " bytes>\n",
			   r->value);
		break;
	case GSYM_XRAY_PID:
		out_printf(out, "<PID: %" PRId32 ">\n", (int32_t)r->pid);
		break;
	case GSYM_XRAY_FUNCTION:
	case GSYM_XRAY_BASIC:
		out_printf(out, "<Function %s: #%" PRIu32 " delta = +%" PRId64
			   ">\n", actions[r->action], r->function, r->delta);
		break;
	}
}

/* Write C as in a string literal of C; octal escapes always have three
 * digits. */
static void show_character(struct out *out, uint8_t c)
{
	static const char letters[] = "abtnvfr";
	char escape[2] = "\\";
	if (c >= '\a' && c <= '\r')
		escape[1] = letters[c - '\a'];
	else if (c == '"' || c == '\\')
		escape[1] = c;
	if (escape[1])
		out_bytes(out, escape, 2);
	else if (c >= 0x20 && c < 0x7f)
		out_bytes(out, &c, 1);
	else
		out_printf(out, "\\%03o", c);
}

/* Write the data of an event. */
static void show_bytes(struct dump *d, const struct gsym_xray_record *r)
{
	struct out *out = &d->x->out;
	out_printf(out, " size %" PRIu32, r->size);
	if (!r->data) {
		out_text(out, " lost");
		return;
	}
	out_text(out, d->x->hex ? " " : " \"");
	if (d->x->hex)
		out_hex_bytes(out, r->data, r->size);
	for (uint32_t i = 0; !d->x->hex && i < r->size; i++)
		show_character(out, r->data[i]);
	out_text(out, d->x->hex ? "" : "\"");
}

/* Write the fields of R except its time. */
static void dump_fields(struct dump *d, const struct gsym_xray_record *r)
{
	struct out *out = &d->x->out;
	switch (r->kind) {
	case GSYM_XRAY_NEW_BUFFER:
		out_printf(out, " thread %" PRId32, (int32_t)r->tid);
		break;
	case GSYM_XRAY_NEW_CPU:
		out_printf(out, " cpu %u tsc %" PRIu64, r->cpu, r->tsc);
		break;
	case GSYM_XRAY_TSC_WRAP:
		out_printf(out, " tsc %" PRIu64, r->tsc);
		break;
	case GSYM_XRAY_WALL_TIME:
		out_printf(out, " %" PRIu64 ".%06" PRIu32 " s", r->seconds,
			   r->microseconds);
		break;
	case GSYM_XRAY_ARGUMENT:
	case GSYM_XRAY_BASIC_ARGUMENT:
		out_printf(out, " 0x%" PRIx64, r->value);
		break;
	case GSYM_XRAY_EXTENTS:
		out_printf(out, " %" PRIu64 " bytes", r->value);
		break;
	case GSYM_XRAY_PID:
		out_printf(out, " %" PRIu32, r->pid);
		break;
	case GSYM_XRAY_TYPED_EVENT:
		out_text(out, " ");
		out_foreign(out, xray_event_type(d->x, r->type));
		show_bytes(d, r);
		break;
	case GSYM_XRAY_CUSTOM_EVENT:
		show_bytes(d, r);
		break;
	case GSYM_XRAY_FUNCTION:
	case GSYM_XRAY_BASIC:
		out_printf(out, " %s #%" PRIu32 " ",
			   xray_action_names[r->action], r->function);
		if (!d->header.fdr)
			out_printf(out, "thread %" PRId32 " cpu %u ",
				   (int32_t)r->tid, r->cpu);
		out_foreign(out, xray_name(d->x, r->function, NULL));
		break;
	default:
		break;
	}
}

static bool has_time(const struct gsym_xray_record *r)
{
	return r->kind == GSYM_XRAY_FUNCTION || r->kind == GSYM_XRAY_BASIC ||
	       r->kind == GSYM_XRAY_CUSTOM_EVENT ||
	       r->kind == GSYM_XRAY_TYPED_EVENT;
}

static void text_record(struct dump *d, const struct gsym_xray_record *r)
{
	char time[XRAY_WALL_SIZE] = "";
	if (has_time(r) && d->x->wall_clock)
		xray_wall_text(d->clock, r->now, time);
	else if (has_time(r))
		snprintf(time, sizeof(time), "%" PRIu64,
			 xray_time(d->clock, r->now));
	out_printf(&d->x->out, "%8" PRIu64 " ", r->offset);
	if (has_time(r))
		out_printf(&d->x->out, "%20" PRIu64 " ", r->now);
	else
		out_printf(&d->x->out, "%21s", "");
	out_printf(&d->x->out, "%*s ", d->x->wall_clock ? 30 : 12, time);
	out_text(&d->x->out, kind_names[r->kind]);
	dump_fields(d, r);
	out_text(&d->x->out, "\n");
}

void xray_payload_json(struct xray *x, bool typed, uint16_t type,
		       const uint8_t *data, uint32_t size)
{
	if (typed) {
		json_number(&x->json, "type", type);
		json_string(&x->json, "name", xray_event_type(x, type));
	}
	json_number(&x->json, "size", size);
	if (data) {
		json_data(&x->json, "data", data, size);
		json_bytes(&x->json, "hex", data, size);
	}
}

static void json_record(struct dump *d, const struct gsym_xray_record *r)
{
	struct json *json = &d->x->json;
	json_object(json, NULL);
	if (d->x->trace_count > 1)
		json_string(json, "file", d->x->traces[d->trace].path);
	json_number(json, "offset", r->offset);
	json_string(json, "record", kind_names[r->kind]);
	if (has_time(r)) {
		json_number(json, "tsc", r->now);
		json_number(json, "time", xray_time(d->clock, r->now));
		xray_wall_json(d->clock, r->now, json);
		json_number(json, "cpu", r->cpu);
	}
	if (r->kind == GSYM_XRAY_FUNCTION || r->kind == GSYM_XRAY_BASIC) {
		json_string(json, "action", xray_action_names[r->action]);
		json_number(json, "id", r->function);
		json_string(json, "function",
			    xray_name(d->x, r->function, NULL));
	}
	if (r->kind == GSYM_XRAY_NEW_BUFFER || !d->header.fdr)
		json_signed(json, "tid", (int32_t)r->tid);
	if (r->kind == GSYM_XRAY_PID || !d->header.fdr)
		json_number(json, "pid", r->pid);
	if (r->kind == GSYM_XRAY_NEW_CPU)
		json_number(json, "cpu", r->cpu);
	if (r->kind == GSYM_XRAY_NEW_CPU || r->kind == GSYM_XRAY_TSC_WRAP)
		json_number(json, "tsc", r->tsc);
	if (r->kind == GSYM_XRAY_WALL_TIME) {
		json_number(json, "seconds", r->seconds);
		json_number(json, "microseconds", r->microseconds);
	}
	if (r->kind == GSYM_XRAY_ARGUMENT || r->kind == GSYM_XRAY_EXTENTS ||
	    r->kind == GSYM_XRAY_BASIC_ARGUMENT)
		json_number(json, "value", r->value);
	if (r->kind == GSYM_XRAY_TYPED_EVENT ||
	    r->kind == GSYM_XRAY_CUSTOM_EVENT)
		xray_payload_json(d->x, r->kind == GSYM_XRAY_TYPED_EVENT,
				  r->type, r->data, r->size);
	json_end_line(json);
}

static bool show_record(void *context, const struct gsym_xray_record *r)
{
	struct dump *d = context;
	d->show(d, r);
	xray_walk_step(d->x, d->trace, r->offset);
	return true;
}

static void dump_trace(struct dump *d)
{
	struct xray *x = d->x;
	const struct gsym_xray_log *log = x->traces[d->trace].log;
	d->clock = &x->traces[d->trace].clock;
	gsym_xray_get_header(log, &d->header);
	if (x->trace_count > 1 && d->show == text_record) {
		out_text(&x->out, d->trace ? "\n" : "");
		out_foreign(&x->out, x->traces[d->trace].path);
		out_text(&x->out, ":\n");
	}
	if (x->wall_clock && d->clock->wall == XRAY_WALL_NONE)
		report_note("'%s' does not tell the time of day",
			    x->traces[d->trace].path);
	must(gsym_xray_records(log, show_record, d, NULL) == GSYM_OK);
}

void xray_dump(struct xray *x)
{
	struct dump d = { .x = x,
			  .show = x->llvm		    ? llvm_record
				  : x->format == XRAY_JSON ? json_record
							    : text_record };
	/* All damage was reported when the traces were opened. */
	if (x->check)
		return;
	if (!x->llvm) {
		xray_check_calls(x);
		xray_allow_clocks(x);
	}
	xray_walk_start(x, "reading");
	for (; d.trace < x->trace_count; d.trace++)
		dump_trace(&d);
	report_work_end();
}

/* ---- gsym-xray extract --------------------------------------------------- */

/* Write S as a line of YAML, with the place of its function as a comment. */
static void extract_sled(struct xray *x, const struct gsym_xray_sled *s,
			 const char *name, const struct xray_place *place)
{
	static const char *const sleds[] = { "function-enter", "function-exit",
					     "tail-exit", "log-args-enter",
					     "custom-event", "typed-event" };
	/* Sleds of unknown kinds have no name, and reading the map warned. */
	if (s->kind >= sizeof(sleds) / sizeof(*sleds))
		return;
	out_printf(&x->out, "- { id: %" PRIu32 ", address: 0x%" PRIX64
		   ", function: 0x%" PRIX64 ", kind: %s, always-instrument: %s"
		   ", function-name: ", s->function, s->address,
		   s->function_address, sleds[s->kind],
		   s->always ? "true" : "false");
	xray_yaml(&x->out, name, strlen(name), true);
	if (s->version)
		out_printf(&x->out, ", version: %u", s->version);
	out_text(&x->out, " }");
	if (*place->basename && !x->llvm) {
		out_text(&x->out, " # ");
		frames_path(&x->out, place->directory, place->basename);
		out_printf(&x->out, ":%" PRIu32, place->line);
	}
	out_text(&x->out, "\n");
}

void xray_extract(struct xray *x)
{
	struct gsym_xray_sled sled;
	out_text(&x->out, "---\n");
	for (uint32_t i = 0; gsym_xray_map_sled_at(x->objects[0].map, i,
						   &sled) == GSYM_OK; i++) {
		struct xray_place place;
		const char *name =
			xray_name(x, sled.function & 0xffffff, &place);
		extract_sled(x, &sled, *name == '@' ? "" : name, &place);
	}
	out_text(&x->out, "...\n");
}
