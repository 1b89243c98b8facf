/* SPDX-License-Identifier: MIT */
/* Traces for the tests: built in memory, and files of testdata/xray. */
#ifndef TESTS_XRAY_TRACES_H
#define TESTS_XRAY_TRACES_H

#include <gsym/xray.h>

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace that is being built. */
struct trace {
	uint8_t bytes[4096];
	size_t size;
	bool big;
};

/* Append the SIZE lowest bytes of VALUE in T's byte order. */
static inline void put(struct trace *t, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		unsigned shift = 8 * (t->big ? size - 1 - i : i);

		t->bytes[t->size++] = (uint8_t)(value >> shift);
	}
}

static inline void put_header(struct trace *t, unsigned version, unsigned type,
			      uint64_t frequency, uint64_t buffer_size)
{
	put(t, version, 2);
	put(t, type, 2);
	put(t, t->big ? 0xc0000000 : 3, 4);
	put(t, frequency, 8);
	put(t, buffer_size, 8);
	/* Reserved bytes, which readers have to ignore. */
	put(t, 0xaaaaaaaaaaaaaaaa, 8);
}

static inline void put_function(struct trace *t, unsigned action,
				uint32_t function, uint32_t delta)
{
	put(t, t->big ? action << 28 | function : function << 4 | action << 1,
	    4);
	put(t, delta, 4);
}

/* The 16 bytes of a metadata record: KIND, and up to three fields, each a value
 * and its size in bytes (0: no such field).  The other bytes hold garbage. */
static inline void put_meta(struct trace *t, unsigned kind, uint64_t a,
			    unsigned a_size, uint64_t b, unsigned b_size,
			    uint64_t c, unsigned c_size)
{
	size_t end = t->size + 16;

	put(t, t->big ? 0x80 | kind : kind << 1 | 1, 1);
	put(t, a, a_size);
	put(t, b, b_size);
	put(t, c, c_size);
	while (t->size < end)
		put(t, 0xaa, 1);
}

#define NEW_BUFFER(t, tid) put_meta(t, 0, tid, 4, 0, 0, 0, 0)
#define END_OF_BUFFER(t) put_meta(t, 1, 0, 0, 0, 0, 0, 0)
#define NEW_CPU(t, cpu, tsc) put_meta(t, 2, cpu, 2, tsc, 8, 0, 0)
#define TSC_WRAP(t, tsc) put_meta(t, 3, tsc, 8, 0, 0, 0, 0)
#define WALL_TIME(t, s, us) put_meta(t, 4, s, 8, us, 4, 0, 0)
#define ARGUMENT(t, value) put_meta(t, 6, value, 8, 0, 0, 0, 0)
#define EXTENTS(t, size) put_meta(t, 7, size, 8, 0, 0, 0, 0)
#define PID(t, pid) put_meta(t, 9, pid, 4, 0, 0, 0, 0)

/* Set the size in the extents record at AT: its block ends here. */
static inline void end_block(struct trace *t, size_t at)
{
	size_t size = t->size;

	t->size = at + 1;
	put(t, size - at - 16, 8);
	t->size = size;
}

/* Damage that was reported, up to 16 of COUNT. */
struct damages {
	unsigned count;
	uint64_t offsets[16];
	enum gsym_xray_damage kinds[16];
	char text[16][256];
};

static inline void note_damage(void *context, enum gsym_xray_damage damage,
			       uint64_t offset, const char *text)
{
	struct damages *d = context;

	if (d->count < 16) {
		d->offsets[d->count] = offset;
		d->kinds[d->count] = damage;
		snprintf(d->text[d->count], 256, "%s", text);
	}
	d->count++;
}

static inline struct gsym_xray_log *open_trace(const void *bytes, size_t size,
					       struct damages *damages)
{
	struct gsym_xray_options options = { .damage = note_damage,
					     .context = damages };
	struct gsym_xray_log *log = NULL;
	struct gsym_error error = { 0 };

	gsym_xray_open(bytes, size, damages ? &options : NULL, &log, &error);
	cr_assert(log, "%s", error.message);
	return log;
}

/* Every event as a line, by time; the caller frees the text. */
static inline char *timeline(const struct gsym_xray_log *log)
{
	static const char *const kinds[] = { "enter", "exit", "tail", "arg",
					     "custom", "typed" };
	struct gsym_xray_event e;
	struct gsym_xray_iter *iter;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	cr_assert(gsym_xray_timeline(log, &iter, NULL) == GSYM_OK);
	while (gsym_xray_next(iter, &e)) {
		fprintf(to, "%" PRIu64 " %u/%u cpu%u %s #%u", e.tsc, e.pid,
			e.tid, e.cpu, kinds[e.kind], e.function);
		for (uint32_t i = 0; i < e.argument_count; i++)
			fprintf(to, " %" PRIx64, e.arguments[i]);
		if (e.kind >= GSYM_XRAY_CUSTOM)
			fprintf(to, " %u '%.*s'", e.type,
				e.data ? (int)e.size : 0, (const char *)e.data);
		fprintf(to, "\n");
	}
	gsym_xray_iter_free(iter);
	fclose(to);
	return text;
}

static inline void expect_timeline(const struct trace *t, const char *wanted)
{
	struct gsym_xray_log *log = open_trace(t->bytes, t->size, NULL);
	char *text = timeline(log);

	cr_expect(!strcmp(text, wanted), "got:\n%swanted:\n%s", text, wanted);
	free(text);
	gsym_xray_close(log);
}

/* The *SIZE bytes of the file NAME in FOLDER of testdata/xray, and a NUL, to be
 * freed by the caller; NULL if there is no such file. */
static inline uint8_t *load(const char *folder, const char *name, size_t *size)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	uint8_t *bytes;
	FILE *file;

	snprintf(path, sizeof(path), "%s/testdata/xray/%s/%s", top ? top : ".",
		 folder, name);
	file = fopen(path, "rb");
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size + 1);
	cr_assert(bytes && fread(bytes, 1, *size, file) == *size);
	fclose(file);
	bytes[*size] = 0;
	return bytes;
}

static inline uint8_t *load_trace(const char *name, size_t *size)
{
	char file[256];
	uint8_t *bytes;

	snprintf(file, sizeof(file), "%s.xray", name);
	bytes = load("traces", file, size);
	return bytes ? bytes : load("synthetic", file, size);
}

#endif
