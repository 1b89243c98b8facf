/* SPDX-License-Identifier: MIT */
/* Writes the crashes of a log as JSON, and as SARIF for code hosts. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/out.h"
#include "markup/markup.h"

enum {
	SIGNATURE = 17,
	/* Sanitizers have few names for defects; a log may have any number. */
	ROOM_RULES = 256,
};
#define MOST_RULES GSYM_LIMIT(ROOM_RULES, 1u)

static void signature_text(const struct crash *c, char text[SIGNATURE])
{
	snprintf(text, SIGNATURE, "%016" PRIx64, c->signature);
}

/* The first frame that the signature depends on; with PLACE, that has a file,
 * too, or else any frame with a file.  NULL: none. */
static const struct crash_frame *main_frame(const struct crash *c, bool place)
{
	for (size_t i = 0; i < c->frame_count; i++)
		if (!c->frames[i].skipped &&
		    (!place || *c->frames[i].basename))
			return &c->frames[i];
	for (size_t i = 0; place && i < c->frame_count; i++)
		if (*c->frames[i].basename)
			return &c->frames[i];
	return NULL;
}

/* The readable name of the function of F, or the module. */
static const char *name_of(struct markup *m, const struct crash_frame *f)
{
	if (!f)
		return "?";
	if (*f->function)
		return markup_demangle(m, f->function, true);
	return *f->module ? f->module : "?";
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_frame(struct markup *m, struct json *json,
		       const struct crash_frame *f)
{
	json_object(json, NULL);
	if (*f->function)
		json_string(json, "function",
			    markup_demangle(m, f->function, true));
	if (*f->basename)
		json_path(json, "file", f->directory, f->basename);
	if (f->line)
		json_number(json, "line", f->line);
	if (*f->module)
		json_string(json, "module", f->module);
	if (f->inlined)
		json_bool(json, "inlined", true);
	if (!f->skipped)
		json_bool(json, "in_signature", true);
	json_end(json);
}

static void json_crash(struct markup *m, struct json *json,
		       const struct crash *c)
{
	char signature[SIGNATURE];
	signature_text(c, signature);
	json_object(json, NULL);
	json_string(json, "signature", signature);
	if (c->kind) {
		json_string(json, "kind", c->kind);
		json_string(json, "tool", c->tool);
	}
	json_number(json, "count", c->count);
	json_number(json, "first_line", c->first_line);
	json_number(json, "last_line", c->last_line);
	json_string(json, "function", name_of(m, main_frame(c, false)));
	json_array(json, "frames");
	for (size_t i = 0; i < c->frame_count; i++)
		json_frame(m, json, &c->frames[i]);
	json_end(json);
	json_end(json);
}

static void write_json(struct markup *m, struct json *json,
		       const struct crash *crashes, size_t count, uint64_t lost)
{
	json_object(json, NULL);
	json_array(json, "crashes");
	for (size_t i = 0; i < count; i++)
		json_crash(m, json, &crashes[i]);
	json_end(json);
	if (lost)
		json_number(json, "lost", lost);
	json_end(json);
	json_line(json);
}

/* ---- SARIF 2.1.0 --------------------------------------------------------- */

static const char *rule_of(const struct crash *c)
{
	return c->kind ? c->kind : "crash";
}

/* Write the place of F as a location of SARIF, with its function. */
static void sarif_location(struct markup *m, struct json *json,
			   const char *name, const struct crash_frame *f)
{
	json_object(json, name);
	if (*f->basename) {
		json_object(json, "physicalLocation");
		json_object(json, "artifactLocation");
		json_path(json, "uri", f->directory, f->basename);
		json_end(json);
		if (f->line) {
			json_object(json, "region");
			json_number(json, "startLine", f->line);
			json_end(json);
		}
		json_end(json);
	}
	json_array(json, "logicalLocations");
	json_object(json, NULL);
	json_string(json, "fullyQualifiedName", name_of(m, f));
	json_string(json, "kind", "function");
	json_end(json);
	json_end(json);
	json_end(json);
}

static void sarif_stack(struct markup *m, struct json *json,
			const struct crash *c)
{
	json_array(json, "stacks");
	json_object(json, NULL);
	json_array(json, "frames");
	for (size_t i = 0; i < c->frame_count; i++) {
		json_object(json, NULL);
		sarif_location(m, json, "location", &c->frames[i]);
		if (*c->frames[i].module)
			json_string(json, "module", c->frames[i].module);
		json_end(json);
	}
	json_end(json);
	json_end(json);
	json_end(json);
}

static void sarif_result(struct markup *m, struct json *json,
			 const struct crash *c)
{
	const struct crash_frame *place = main_frame(c, true);
	char signature[SIGNATURE], text[512];
	signature_text(c, signature);
	snprintf(text, sizeof(text), "%s in %s", rule_of(c),
		 name_of(m, main_frame(c, false)));
	json_object(json, NULL);
	json_string(json, "ruleId", rule_of(c));
	json_string(json, "level", "error");
	json_object(json, "message");
	json_string(json, "text", text);
	json_end(json);
	json_array(json, "locations");
	if (place)
		sarif_location(m, json, NULL, place);
	json_end(json);
	json_object(json, "partialFingerprints");
	json_string(json, "gsymCrash/v1", signature);
	json_end(json);
	json_number(json, "occurrenceCount", c->count);
	sarif_stack(m, json, c);
	json_end(json);
}

static void sarif_rules(struct json *json, const struct crash *crashes,
			size_t count)
{
	const char *rules[ROOM_RULES];
	size_t told = 0;
	json_array(json, "rules");
	for (size_t i = 0; i < count && told < MOST_RULES; i++) {
		const char *rule = rule_of(&crashes[i]);
		size_t n = 0;
		while (n < told && strcmp(rules[n], rule) != 0)
			n++;
		if (n < told)
			continue;
		rules[told++] = rule;
		json_object(json, NULL);
		json_string(json, "id", rule);
		json_end(json);
	}
	json_end(json);
}

static void write_sarif(struct markup *m, struct json *json,
			const struct crash *crashes, size_t count)
{
	json_object(json, NULL);
	json_string(json, "$schema",
		    "https://json.schemastore.org/sarif-2.1.0.json");
	json_string(json, "version", "2.1.0");
	json_array(json, "runs");
	json_object(json, NULL);
	json_object(json, "tool");
	json_object(json, "driver");
	json_string(json, "name", "gsym-markup");
	json_string(json, "version", PACKAGE_VERSION);
	sarif_rules(json, crashes, count);
	json_end(json);
	json_end(json);
	json_array(json, "results");
	for (size_t i = 0; i < count; i++)
		sarif_result(m, json, &crashes[i]);
	json_end(json);
	json_end(json);
	json_end(json);
	json_end(json);
	json_line(json);
}

void markup_write_crashes(struct markup *m)
{
	struct json json;
	uint64_t lost;
	size_t count;
	const struct crash *crashes = crashes_end(m->crashes, &count, &lost);
	json_init(&json, &m->out);
	if (m->crash_format == MARKUP_SARIF)
		write_sarif(m, &json, crashes, count);
	else
		write_json(m, &json, crashes, count, lost);
	if (lost)
		report_note("note: too many different crashes or names: "
			    "%" PRIu64 " stack traces are not counted",
			    lost);
	out_flush(&m->out);
}
