/* SPDX-License-Identifier: MIT */
/* gsym-xray dump: every record. */
#include "config.h"

#include <inttypes.h>

#include "common/report.h"
#include "xray.h"

static const char *const kind_names[] = {
	"new-buffer", "end-of-buffer", "new-cpu", "tsc-wrap", "wall-time",
	"custom-event", "argument", "extents", "typed-event", "pid",
	"function", "function", "argument",
};
const char *const xray_action_names[4] = { "enter", "exit", "tail-exit",
					    "enter-arg" };


struct dump {
	struct xray *x;
	uint64_t first, frequency;
	bool basic;
};

/* As "llvm-xray fdr-dump" writes it, missing brackets included. */
static bool llvm_record(void *context, const struct gsym_xray_record *r)
{
	static const char *const actions[] = { "Enter", "Exit", "Tail Exit",
					       "Enter With Arg" };
	struct dump *d = context;
	struct gsym_xray_header header;
	struct out *out = &d->x->out;
	gsym_xray_header(d->x->logs[0], &header);
	bool relative = header.version >= 5;
	xray_passed(d->x, r->offset);
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
		out_text(out, r->kind == GSYM_XRAY_TYPED_EVENT
				      ? "<Typed Event: "
				      : "<Custom Event: ");
		if (relative)
			out_printf(out, "delta = +%" PRId64, r->delta);
		else
			out_printf(out, "tsc = %" PRIu64, r->tsc);
		if (r->kind == GSYM_XRAY_TYPED_EVENT)
			out_printf(out, ", type = %u", r->type);
		else if (!relative)
			out_printf(out, ", cpu = %u", r->cpu);
		out_printf(out, ", size = %" PRIu32 ", data = '", r->size);
		if (r->data)
			out_bytes(out, r->data, r->size);
		out_text(out, r->kind == GSYM_XRAY_TYPED_EVENT ? "'\n"
							       : "'>\n");
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
	return true;
}

static void show_bytes(struct out *out, const struct gsym_xray_record *r)
{
	out_printf(out, " size %" PRIu32, r->size);
	if (!r->data) {
		out_text(out, " lost");
		return;
	}
	out_text(out, " \"");
	for (uint32_t i = 0; i < r->size; i++) {
		uint8_t c = r->data[i];
		if (c == '"' || c == '\\')
			out_printf(out, "\\%c", c);
		else if (c >= 0x20 && c < 0x7f)
			out_bytes(out, &c, 1);
		else
			out_printf(out, "\\x%02x", c);
	}
	out_text(out, "\"");
}

static void dump_fields(struct dump *d, const struct gsym_xray_record *r)
{
	struct out *out = &d->x->out;
	char buffer[64];
	switch (r->kind) {
	case GSYM_XRAY_NEW_BUFFER:
		out_printf(out, " thread %" PRIu32, r->tid);
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
		out_printf(out, " type %u", r->type);
		show_bytes(out, r);
		break;
	case GSYM_XRAY_CUSTOM_EVENT:
		show_bytes(out, r);
		break;
	case GSYM_XRAY_FUNCTION:
	case GSYM_XRAY_BASIC:
		out_printf(out, " %s #%" PRIu32 " ", xray_action_names[r->action],
			   r->function);
		if (d->basic)
			out_printf(out, "thread %" PRIu32 " cpu %u ", r->tid,
				   r->cpu);
		out_foreign(out, xray_name(d->x, r->function, buffer,
					   sizeof(buffer), NULL));
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

static uint64_t since_start(const struct dump *d, uint64_t tsc)
{
	return tsc < d->first ? 0
			      : gsym_xray_nanoseconds(tsc - d->first,
						      d->frequency);
}

static bool text_record(void *context, const struct gsym_xray_record *r)
{
	struct dump *d = context;
	xray_passed(d->x, r->offset);
	out_printf(&d->x->out, "%8" PRIu64 " ", r->offset);
	if (has_time(r))
		out_printf(&d->x->out, "%20" PRIu64 " %12" PRIu64 " ", r->now,
			   since_start(d, r->now));
	else
		out_printf(&d->x->out, "%34s", "");
	out_text(&d->x->out, kind_names[r->kind]);
	dump_fields(d, r);
	out_text(&d->x->out, "\n");
	return true;
}

static bool json_record(void *context, const struct gsym_xray_record *r)
{
	struct dump *d = context;
	struct json *json = &d->x->json;
	char buffer[64];
	xray_passed(d->x, r->offset);
	json_object(json, NULL);
	json_number(json, "offset", r->offset);
	json_string(json, "record", kind_names[r->kind]);
	if (has_time(r)) {
		json_number(json, "tsc", r->now);
		json_number(json, "time", since_start(d, r->now));
		json_number(json, "cpu", r->cpu);
	}
	if (r->kind == GSYM_XRAY_FUNCTION || r->kind == GSYM_XRAY_BASIC) {
		json_string(json, "action", xray_action_names[r->action]);
		json_number(json, "id", r->function);
		json_string(json, "function",
			    xray_name(d->x, r->function, buffer,
				      sizeof(buffer), NULL));
	}
	if (r->kind == GSYM_XRAY_NEW_BUFFER || d->basic)
		json_number(json, "tid", r->tid);
	if (r->kind == GSYM_XRAY_PID || d->basic)
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
	if (r->kind == GSYM_XRAY_TYPED_EVENT)
		json_number(json, "type", r->type);
	if (r->kind == GSYM_XRAY_TYPED_EVENT ||
	    r->kind == GSYM_XRAY_CUSTOM_EVENT) {
		json_number(json, "size", r->size);
		if (r->data)
			json_bytes(json, "hex", r->data, r->size);
	}
	json_end(json);
	json_line(json);
	return true;
}

void xray_dump(struct xray *x)
{
	gsym_xray_record_fn *show = x->llvm ? llvm_record : text_record;
	if (x->format == XRAY_JSON)
		show = json_record;
	if (x->trace_count > 1)
		die_usage("dump takes one trace");
	struct gsym_xray_header header;
	struct dump d = { .x = x };
	x->reading = &x->traces[0];
	uint64_t last;
	gsym_xray_header(x->logs[0], &header);
	d.basic = !header.fdr;
	d.frequency = xray_frequency(x, x->logs[0]);
	if (!gsym_xray_span(x->logs[0], &d.first, &last))
		d.first = 0;
	if (gsym_xray_records(x->logs[0], show, &d, NULL) != GSYM_OK)
		die("out of memory");
}
