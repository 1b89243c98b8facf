/* SPDX-License-Identifier: MIT */
/* xray.h - the parts of gsym-xray. */
#ifndef TOOLS_XRAY_H
#define TOOLS_XRAY_H

#include <gsym/reader.h>
#include <gsym/xray.h>

#include "common/demangle.h"
#include "common/json.h"
#include "common/out.h"

/** Objects that the number of a function can tell apart. */
enum { XRAY_OBJECTS = 16 };

/** A file in memory. */
struct xray_bytes {
	const char *path;
	const uint8_t *data;
	uint64_t size;
};
/** Map PATH; what cannot be mapped, such as a pipe, is copied to a temporary
 *  file first.  Dies. */
void xray_map_file(const char *path, struct xray_bytes *ret);
/** Give back the pages of FILE before OFFSET. */
void xray_drop_pages(const struct xray_bytes *file, uint64_t offset);

/** One traced binary. */
struct xray_object {
	const char *path;
	struct xray_bytes bytes;
	struct gsym_xray_map *map;
	struct gsym_reader *reader;
	void *converted;
};

enum xray_target { XRAY_TO_CHROME, XRAY_TO_FOLDED, XRAY_TO_YAML, XRAY_TO_JSON };
enum xray_format { XRAY_TEXT, XRAY_JSON, XRAY_CSV };

struct xray {
	struct out out;
	struct json json;
	struct demangler *demangler;
	struct xray_object objects[XRAY_OBJECTS];
	const char *gsym_path;
	struct xray_bytes *traces;
	struct gsym_xray_log **logs;
	size_t trace_count;
	/* Options. */
	enum xray_format format;
	bool strict, quiet, llvm, all_levels, threads, calls;
	uint64_t frequency;
	int sort;
	uint64_t top, budget;
	enum xray_target to;
	/* What was found while reading. */
	uint64_t damages[GSYM_XRAY_DAMAGE_COUNT];
	/* The trace that is being read, and steps since its pages were given
	 * back. */
	const struct xray_bytes *reading;
	unsigned steps;
};

/** Reading X->reading has come to OFFSET: now and then, give back what lies
 *  before. */
static inline void xray_passed(struct xray *x, uint64_t offset)
{
	if (++x->steps % 65536 == 0)
		xray_drop_pages(x->reading, offset);
}

/** Ticks a second of LOG, or those that the user knows better. */
uint64_t xray_frequency(const struct xray *x, const struct gsym_xray_log *log);

/** Where a function is; strings are "" if not known. */
struct xray_place {
	bool found;
	uint64_t address;
	const char *directory, *basename;
	uint32_t line;
};

/** xray_names.c: open what the options name. */
void xray_names_open(struct xray *x);
void xray_names_close(struct xray *x);
/** The name of FUNCTION in BUFFER or elsewhere; lives until the next call.
 *  "#id" if nothing knows it.  PLACE may be NULL. */
const char *xray_name(struct xray *x, uint32_t function, char *buffer,
		      size_t size, struct xray_place *place);
/** Warn if the trace does not fit the maps. */
void xray_check_maps(struct xray *x);

/** xray_elf.c: the sleds of the ELF file of OBJECT; false if it has none.
 *  Dies. */
bool xray_elf_map(struct xray_object *object);

/** "enter", "exit", "tail-exit", "enter-arg": what a function record says. */
extern const char *const xray_action_names[4];

/** What the commands print. */
void xray_info(struct xray *x);
void xray_dump(struct xray *x);
void xray_account(struct xray *x);
void xray_to_chrome(struct xray *x);
void xray_to_folded(struct xray *x);
void xray_to_timeline(struct xray *x);
void xray_extract(struct xray *x);
void xray_stack(struct xray *x);
void xray_graph(struct xray *x);

/** Let every event of all traces, thread by thread, go through STACK. */
void xray_replay(struct xray *x, struct gsym_xray_stack *stack,
		 void (*thread)(void *context, struct gsym_xray_log *log,
				const struct gsym_xray_thread *thread),
		 void *context);
/** Say what could not be matched. */
void xray_repairs(const struct xray *x, const struct gsym_xray_repairs *r);

#endif /* TOOLS_XRAY_H */
