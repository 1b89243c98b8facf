/* SPDX-License-Identifier: MIT */
/* gsym-xray extract: the sleds of a program. */
#include "config.h"

#include <inttypes.h>

#include "xray.h"

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
