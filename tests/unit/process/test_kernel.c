/* SPDX-License-Identifier: MIT */
/* process/kernel: copies of the files of /proc and
 * /sys that describe a kernel, and GSYM data of the kernel and of a module. */
#include "support/gsym_bytes.h"

#include <criterion/criterion.h>
#include <gsym/process.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

/* Write the SIZE bytes at DATA to the file NAME below the root, and make its
 * folders. */
static void write_bytes(const char *name, const void *data, size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = path + strlen(root); (at = strchr(at + 1, '/'));) {
		*at = 0;
		mkdir(path, 0777);
		*at = '/';
	}
	file = fopen(path, "wb");
	cr_assert(file && fwrite(data, 1, size, file) == size);
	fclose(file);
}

static void start(void)
{
	strcpy(root, "/tmp/test_kernel.XXXXXX");
	cr_assert(mkdtemp(root));
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	cr_assert(system(command) == 0);
}

TestSuite(kernel, .init = start, .fini = end);

static struct gsym_process *open_kernel(const char *kallsyms)
{
	struct gsym_process *p = NULL;
	struct gsym_error error = { 0 };
	enum gsym_status status;

	write_bytes("proc/kallsyms", kallsyms, strlen(kallsyms));
	status = gsym_process_open_kernel(root, &p, &error);
	cr_assert(status == GSYM_OK, "%s", error.message);
	return p;
}

/* "MODULE: FRAME+OFFSET", "?" for an address that has no answer. */
static const char *answer(const struct gsym_process *p, uint64_t address)
{
	static char text[256];
	struct gsym_frame frame;
	struct gsym_match match;
	struct gsym_process_place place;
	struct gsym_process_module m;

	if (gsym_process_lookup(p, address, 0, &frame, 1, &match, NULL) !=
	    GSYM_OK)
		return "?";
	cr_assert(match.frame_count == 1);
	cr_assert(gsym_process_find(p, address, &place) == GSYM_OK &&
		  gsym_process_get_module(p, place.module, &m) == GSYM_OK);
	cr_expect(place.executable && m.kind == GSYM_PROCESS_KERNEL);
	cr_expect(m.start <= address && address < m.end);
	cr_expect(place.address == address - m.bias);
	cr_expect(m.bias_guessed == !m.reader);
	cr_expect(match.address == place.address);
	cr_expect(match.start == place.address - frame.offset);
	snprintf(text, sizeof(text), "%s%s: %s+%" PRIu64, m.path,
		 match.index == UINT32_MAX ? " kallsyms" : "", frame.function,
		 frame.offset);
	return text;
}

#define SAYS(p, address, text) cr_expect_str_eq(answer(p, address), text)

/* ---- kallsyms alone ----------------------------------------------------- */

Test(kernel, symbols_without_gsym_data)
{
	struct gsym_process *p = open_kernel(
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff81000000 T _stext\n"
		"ffffffff81000000 T first\n"
		"ffffffff81000100 D data\n"
		"ffffffff81000200 W second\n"
		"\n"
		"ffffffffc0001000 t open_it\t[mod]\n"
		"ffffffffc0001040 t __pfx_f\t[other_mod]\n"
		"ffffffffc0001050 t close_it\t[mod]");

	cr_expect(gsym_process_module_count(p) == 3);
	SAYS(p, 0xffffffff80ffffff, "?");
	SAYS(p, 0xffffffff81000000, "[kernel] kallsyms: _stext+0");
	SAYS(p, 0xffffffff81000104, "[kernel] kallsyms: _stext+260");
	SAYS(p, 0xffffffff81000200, "[kernel] kallsyms: second+0");
	/* A symbol does not reach up to another module. */
	SAYS(p, 0xffffffff810401ff, "[kernel] kallsyms: second+262143");
	SAYS(p, 0xffffffff81040200, "?");
	SAYS(p, 0xffffffffc000103f, "[mod] kallsyms: open_it+63");
	SAYS(p, 0xffffffffc0001041, "[other_mod] kallsyms: __pfx_f+1");
	SAYS(p, 0xffffffffc0001051, "[mod] kallsyms: close_it+1");
	SAYS(p, UINT64_MAX, "?");
	cr_assert(gsym_process_load(p, NULL, NULL) == GSYM_OK);
	SAYS(p, 0xffffffffc0001041, "[other_mod] kallsyms: __pfx_f+1");
	gsym_process_close(p);
}

Test(kernel, end_of_memory)
{
	struct gsym_process *p = open_kernel("fffffffffffffff0 t last\n");

	SAYS(p, 0xfffffffffffffffe, "[kernel] kallsyms: last+14");
	gsym_process_close(p);
}

static void refused(const char *kallsyms, enum gsym_status wanted,
		    const char *message, uint64_t offset)
{
	struct gsym_process *p = NULL;
	struct gsym_error error = { 0 };

	write_bytes("proc/kallsyms", kallsyms, strlen(kallsyms));
	cr_expect(gsym_process_open_kernel(root, &p, &error) == wanted);
	cr_expect(strstr(error.message, message), "%s", error.message);
	cr_expect(error.offset == offset && !p);
}

Test(kernel, refused_texts)
{
	refused("0000000000000000 T _stext\n0000000000000000 t f\t[m]\n",
		GSYM_ERR_IO, "kptr_restrict", 0);
	refused("", GSYM_ERR_FORMAT, "no functions", 0);
	refused("ffffffff81000000 D data\n", GSYM_ERR_FORMAT, "no functions",
		0);
	refused("ffffffff81000000 T f\nhello\n", GSYM_ERR_FORMAT,
		"not a line", 21);
	refused("ffffffff810000000 T f\n", GSYM_ERR_FORMAT, "not a line", 0);
	refused("ffffffff81000000 T \n", GSYM_ERR_FORMAT, "not a line", 0);
	refused("ffffffff81000000 T f\t[m\n", GSYM_ERR_FORMAT, "not a line",
		0);
	refused("ffffffff81000000 T f\t[]\n", GSYM_ERR_FORMAT, "not a line",
		0);
	refused(" T f\n", GSYM_ERR_FORMAT, "not a line", 0);
}

Test(kernel, missing_files)
{
	struct gsym_process *p;
	struct gsym_error error;

	cr_expect(gsym_process_open_kernel("/nowhere", &p, &error) ==
		  GSYM_ERR_IO);
	cr_expect(strstr(error.message, "/nowhere/proc/kallsyms"));
}

/* ---- GSYM data ---------------------------------------------------------- */

/* Notes with the build ID of eight times DIGIT, in either byte order. */
static void write_notes(const char *name, uint8_t digit, bool big)
{
	uint8_t note[24] = { 4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0,
			     'G', 'N', 'U', 0 };

	memset(note + 16, digit, 8);
	for (int i = 0; big && i < 12; i += 4) {
		note[i + 3] = note[i];
		note[i] = 0;
	}
	write_bytes(name, note, sizeof(note));
}

/* Store the file B with the build ID of eight times DIGIT. */
static void store_gsym(struct gb *b, uint8_t digit)
{
	char name[64];
	uint8_t id[8];
	uint8_t *bytes;
	size_t size;

	memset(id, digit, sizeof(id));
	b->uuid = id;
	b->uuid_size = sizeof(id);
	bytes = gb_finish(b, &size);
	snprintf(name, sizeof(name),
		 "store/.build-id/%02x/%02x%02x%02x%02x%02x%02x%02x.debug.gsym",
		 digit, digit, digit, digit, digit, digit, digit, digit);
	write_bytes(name, bytes, size);
	free(bytes);
}

static void load(struct gsym_process *p, struct gsym_store *store)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/store", root);
	cr_assert(gsym_store_add_gsym_directory(store, path) == GSYM_OK);
	cr_assert(gsym_process_load(p, store, NULL) == GSYM_OK);
}

static struct gsym_process *open_moved(void)
{
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	gb_plain(&b, 0x1000, 0x20, "twin");
	gb_plain(&b, 0x1020, 0x20, "middle");
	gb_plain(&b, 0x1040, 0x20, "twin");
	gb_plain(&b, 0x1060, 0x20, "first_name");
	gb_plain(&b, 0x1080, 0x20, "last");
	store_gsym(&b, 0x11);
	/* .text, .exit.text and .init.text, as gsym-create lays them out. */
	gb_init(&b, 2, false, 4, 0);
	gb_plain(&b, 0, 0x10, "__pfx_work");
	gb_plain(&b, 0x10, 0x30, "work");
	gb_plain(&b, 0x40, 0x10, "__pfx_init_module");
	gb_plain(&b, 0x50, 0x20, "start");
	gb_plain(&b, 0x80, 0x10, "__pfx_cleanup_module");
	gb_plain(&b, 0x90, 0x10, "stop");
	gb_plain(&b, 0xa0, 0x10, "too_large");
	store_gsym(&b, 0x22);
	write_notes("sys/kernel/notes", 0x11, false);
	write_notes("sys/module/mod/notes/.note.gnu.build-id", 0x22, true);
	return open_kernel(
		"ffffffff9a001000 T twin\n"
		"ffffffff9a001020 T middle\n"
		"ffffffff9a001040 t twin\n"
		"ffffffff9a001060 T second_name\n"
		"ffffffff9a001070 t label\n"
		"ffffffff9a001080 T last\n"
		"ffffffff9a0010a0 T _etext\n"
		"ffffffffc0300000 t __pfx_work\t[mod]\n"
		"ffffffffc0300010 t work\t[mod]\n"
		/* In the file, .init.text follows .text in the same way. */
		"ffffffffc0300040 t __pfx_stop\t[mod]\n"
		"ffffffffc0300040 t __pfx_cleanup_module\t[mod]\n"
		"ffffffffc0300050 t stop\t[mod]\n"
		"ffffffffc0300058 t too_large\t[mod]\n"
		"ffffffffc0300060 t bpf_prog_1234\t[bpf]\n"
		"ffffffffc0500000 t __pfx_start\t[mod]\n"
		"ffffffffc0500010 t start\t[mod]\n");
}

Test(kernel, moved_as_a_whole_and_by_section)
{
	struct gsym_store *store = gsym_store_new();
	struct gsym_process *p = open_moved();
	struct gsym_process_module m;

	cr_assert(gsym_process_get_module(p, 0, &m) == GSYM_OK);
	cr_expect(m.build_id_size == 8 && m.build_id[0] == 0x11);
	SAYS(p, 0xffffffff9a001025, "[kernel] kallsyms: middle+5");
	for (int round = 0; round < 2; round++) {
		load(p, store);
		/* Names that two functions have, a second name, and a label
		 * within a function. */
		SAYS(p, 0xffffffff9a001025, "[kernel]: middle+5");
		SAYS(p, 0xffffffff9a001045, "[kernel]: twin+5");
		SAYS(p, 0xffffffff9a001005, "[kernel]: twin+5");
		SAYS(p, 0xffffffff9a001062, "[kernel]: first_name+2");
		SAYS(p, 0xffffffff9a001072, "[kernel]: first_name+18");
		SAYS(p, 0xffffffff9a0010a2, "[kernel] kallsyms: _etext+2");
		SAYS(p, 0xffffffffc0300012, "[mod]: work+2");
		SAYS(p, 0xffffffffc0300042, "[mod]: __pfx_cleanup_module+2");
		SAYS(p, 0xffffffffc0300052, "[mod]: stop+2");
		SAYS(p, 0xffffffffc0300059, "[mod] kallsyms: too_large+1");
		SAYS(p, 0xffffffffc0300061, "[bpf] kallsyms: bpf_prog_1234+1");
		SAYS(p, 0xffffffffc0500002, "[mod]: __pfx_init_module+2");
		SAYS(p, 0xffffffffc0500012, "[mod]: start+2");
		/* The parts of "[mod]" and one for what kallsyms alone has. */
		cr_expect(gsym_process_module_count(p) == 7,
			  "%" PRIu32, gsym_process_module_count(p));
	}
	gsym_process_close(p);
	gsym_store_free(store);
}

/* Many addresses at once have the same answers, those of kallsyms too. */
Test(kernel, many)
{
	const uint64_t some[] = {
		0xffffffffc0300061, /* a module without GSYM data */
		0xffffffff9a0010a2, /* the GSYM data end before */
		0xffffffff9a001025, 0xffffffff80000000, 0xffffffffc0300059,
	};
	/* So many are sorted. */
	enum { SOME = sizeof(some) / sizeof(*some), COUNT = 100 * SOME };
	struct gsym_store *store = gsym_store_new();
	struct gsym_process *p = open_moved();
	uint64_t addresses[COUNT];
	uint32_t first[COUNT + 1];
	struct gsym_frame frames[4 * COUNT], one;
	size_t done;

	load(p, store);
	for (size_t i = 0; i < COUNT; i++)
		addresses[i] = some[i % SOME];
	cr_assert(gsym_process_lookup_many(p, addresses, COUNT, 0, frames,
					   4 * COUNT, first, &done) == GSYM_OK);
	cr_assert(done == COUNT && first[COUNT] == COUNT / SOME * (SOME - 1));
	for (size_t i = 0; i < COUNT; i++) {
		const struct gsym_frame *f = &frames[first[i]];

		if (gsym_process_lookup(p, addresses[i], 0, &one, 1, NULL,
					NULL) != GSYM_OK) {
			cr_expect(first[i + 1] == first[i]);
			continue;
		}
		cr_expect_str_eq(f->function, one.function);
		cr_expect(f->offset == one.offset);
	}
	/* The frame of a symbol needs room, too. */
	cr_expect(gsym_process_lookup_many(p, addresses, COUNT, 0, frames, 1,
					   first, &done) == GSYM_OK);
	cr_expect(done == 1 && first[1] == 1);
	gsym_process_close(p);
	gsym_store_free(store);
}

/* Which of two functions the first symbol is follows from the second one. */
Test(kernel, twin_comes_first)
{
	struct gsym_store *store = gsym_store_new();
	struct gsym_process *p;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	gb_plain(&b, 0x1000, 0x20, "twin");
	gb_plain(&b, 0x1020, 0x20, "twin");
	gb_plain(&b, 0x1040, 0x20, "f");
	store_gsym(&b, 0x11);
	write_notes("sys/kernel/notes", 0x11, false);
	p = open_kernel("ffffffff9a001020 T twin\nffffffff9a001040 T f\n");
	load(p, store);
	SAYS(p, 0xffffffff9a001041, "[kernel]: f+1");
	SAYS(p, 0xffffffff9a001021, "[kernel]: twin+1");
	cr_expect(gsym_process_module_count(p) == 1);
	gsym_process_close(p);
	gsym_store_free(store);
}

Test(kernel, other_data_than_the_running_kernel)
{
	struct gsym_store *store = gsym_store_new();
	struct gsym_process *p;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	gb_plain(&b, 0x1000, 0x20, "another");
	store_gsym(&b, 0x11);
	write_notes("sys/kernel/notes", 0x11, false);
	p = open_kernel("ffffffff9a001000 T f\nffffffff9a001020 T g\n");
	load(p, store);
	SAYS(p, 0xffffffff9a001001, "[kernel] kallsyms: f+1");
	/* The link-time address of the data. */
	SAYS(p, 0x1001, "?");
	gsym_process_close(p);
	gsym_store_free(store);
}

/* Names of modules are no paths. */
Test(kernel, hostile_names_of_modules)
{
	struct gsym_process *p;

	write_notes("sys/kernel/notes", 0x11, false);
	write_notes("sys/notes/.note.gnu.build-id", 0x33, false);
	write_notes("sys/module/x/notes/.note.gnu.build-id", 0x33, false);
	p = open_kernel("ffffffffc0300000 t f\t[..]\n"
			"ffffffffc0300010 t g\t[../module/x]\n"
			"ffffffffc0300020 t h\t[x/.]\n");
	cr_expect(gsym_process_module_count(p) == 4);
	for (uint32_t i = 1; i < 4; i++) {
		struct gsym_process_module m;

		cr_assert(gsym_process_get_module(p, i, &m) == GSYM_OK);
		cr_expect(!m.build_id, "%s", m.path);
	}
	gsym_process_close(p);
}
