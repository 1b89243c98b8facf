/* SPDX-License-Identifier: MIT */
/* gsym-xray extract: the sleds of a program. */
#include "config.h"

#include <inttypes.h>

#include "common/path.h"
#include "xray/xray.h"

/* Write S as a line of YAML, with the place of its function as a comment. */
static void extract_sled(struct xray *x, const struct gsym_xray_sled *s,
			 const char *name, const struct xray_place *place)
{
	static const char *const sleds[] = { "function-enter", "function-exit",
					     "tail-exit", "log-args-enter",
					     "custom-event", "typed-event" };
	/* Sleds of unknown kinds have no name, and map.c has warned. */
	if (s->kind >= sizeof(sleds) / sizeof(*sleds))
		return;
	out_printf(&x->out, "- { id: %" PRIu32 ", address: 0x%" PRIX64
		   ", function: 0x%" PRIX64 ", kind: %s, always-instrument: %s"
		   ", function-name: ", s->function, s->address,
		   s->function_address, sleds[s->kind],
		   s->always ? "true" : "false");
	xray_yaml_text(&x->out, name);
	if (s->version)
		out_printf(&x->out, ", version: %u", s->version);
	out_text(&x->out, " }");
	if (*place->basename && !x->llvm) {
		const char separator[2] = { path_separator(place->directory),
					    0 };
		out_text(&x->out, " # ");
		out_foreign(&x->out, place->directory);
		out_text(&x->out, separator);
		out_foreign(&x->out, place->basename);
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
		char buffer[64];
		struct xray_place place;
		const char *name = xray_name(x, sled.function & 0xffffff,
					     buffer, sizeof(buffer), &place);
		extract_sled(x, &sled, *name == '@' ? "" : name, &place);
	}
	out_text(&x->out, "...\n");
}
