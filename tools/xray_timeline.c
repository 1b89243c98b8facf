/* SPDX-License-Identifier: MIT */
/* gsym-xray convert --to=yaml and --to=json: events by time. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/report.h"
#include "xray.h"

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

void xray_to_timeline(struct xray *x)
{
	struct gsym_xray_event event;
	struct gsym_xray_iter *iter;
	uint64_t first = 0, last;
	if (x->trace_count > 1)
		die_usage("this format takes one trace");
	if (x->to == XRAY_TO_YAML)
		yaml_header(x);
	x->reading = &x->traces[0];
	gsym_xray_span(x->logs[0], &first, &last);
	if (gsym_xray_timeline(x->logs[0], &iter, NULL) != GSYM_OK)
		die("out of memory");
	while (gsym_xray_next(iter, &event)) {
		if (x->to == XRAY_TO_YAML)
			yaml_event(x, &event);
		else
			json_event(x, &event, first,
				   xray_frequency(x, x->logs[0]));
		xray_passed(x, event.offset);
	}
	gsym_xray_iter_free(iter);
	if (x->to == XRAY_TO_YAML)
		out_text(&x->out, "...\n");
}
