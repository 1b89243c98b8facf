/* SPDX-License-Identifier: MIT */
/* The sections of a Mach-O file that have to do with sleds, and its UUID. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "common/report.h"
#include "xray/xray.h"

enum {
	TYPE_OBJECT = 1,
	COMMAND_SEGMENT = 1,
	COMMAND_SEGMENT_64 = 0x19,
	COMMAND_UUID = 0x1b,
	/* Universal files with more are Java classes. */
	PROGRAMS_MOST = 42,
};

#define MAGIC_32 UINT32_C(0xfeedface)
#define MAGIC_64 UINT32_C(0xfeedfacf)
#define MAGIC_UNIVERSAL UINT32_C(0xcafebabe)
#define MAGIC_UNIVERSAL_64 UINT32_C(0xcafebabf)

/* One program. */
struct macho {
	const uint8_t *data;
	uint64_t size;
	bool big;
	unsigned word;
	const char *path;
};

/* SIZE bytes at AT; 0 beyond the program. */
static uint64_t field(const struct macho *m, uint64_t at, unsigned size)
{
	uint64_t value = 0;
	if (at > m->size || size > m->size - at)
		return 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | m->data[at + (m->big ? i : size - 1 - i)];
	return value;
}

/* Sections may be in any segment: "__DATA" by default. */
static void take_section(const struct macho *m, uint64_t at,
			 struct xray_sections *ret)
{
	const char *name = (const char *)m->data + at;
	bool sleds = !strncmp(name, "xray_instr_map", 16);
	struct gsym_xray_section *s = sleds ? &ret->sleds : &ret->index;
	unsigned w = m->word;
	if (!sleds && strncmp(name, "xray_fn_idx", 16) != 0)
		return;
	uint64_t size = field(m, at + 32 + w, w);
	uint64_t offset = field(m, at + 32 + 2 * w, 4);
	if (offset > m->size || size > m->size - offset)
		die("cannot read '%s': section %.16s at offset 0x%" PRIx64
		    " reaches beyond the file", m->path, name, offset);
	*s = (struct gsym_xray_section){
		.data = m->data + offset,
		.size = size,
		.address = field(m, at + 32, w),
		.word = w,
		.big_endian = m->big,
	};
	if (sleds)
		ret->has_sleds = true;
	else
		ret->has_index = true;
}

static void take_segment(const struct macho *m, uint64_t at, uint64_t size,
			 struct xray_sections *ret)
{
	unsigned w = m->word, header = w == 8 ? 72 : 56,
		 entry = w == 8 ? 80 : 68;
	uint64_t count = field(m, at + header - 8, 4);
	for (uint64_t i = 0; i < count; i++) {
		if (header + (i + 1) * entry > size)
			return;
		take_section(m, at + header + i * entry, ret);
	}
}

static bool take_program(const struct macho *m, struct xray_sections *ret)
{
	uint64_t at = m->word == 8 ? 32 : 28;
	uint64_t count = field(m, 16, 4);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t command = field(m, at, 4), size = field(m, at + 4, 4);
		if (at > m->size || size < 8 || size > m->size - at)
			break;
		if (command == COMMAND_SEGMENT ||
		    command == COMMAND_SEGMENT_64)
			take_segment(m, at, size, ret);
		if (command == COMMAND_UUID && size >= 24) {
			ret->uuid = m->data + at + 8;
			ret->uuid_size = 16;
		}
		at += size;
	}
	/* That of an object is not relocated. */
	if (field(m, 12, 4) == TYPE_OBJECT)
		ret->has_index = false;
	return ret->has_sleds;
}

/* Whether the SIZE bytes at DATA are a program. */
static bool start(struct macho *m, const uint8_t *data, uint64_t size)
{
	m->data = data;
	m->size = size;
	for (int big = 0; size >= 28 && big < 2; big++) {
		m->big = big;
		uint32_t magic = field(m, 0, 4);
		m->word = magic == MAGIC_64 ? 8 : 4;
		if (magic == MAGIC_32 || magic == MAGIC_64)
			return true;
	}
	return false;
}

static bool take_universal(const struct xray_bytes *file,
			   struct xray_sections *ret)
{
	struct macho all = { file->data, file->size, true, 4, file->path };
	uint32_t magic = field(&all, 0, 4), count = field(&all, 4, 4);
	bool wide = magic == MAGIC_UNIVERSAL_64;
	if ((magic != MAGIC_UNIVERSAL && !wide) || count > PROGRAMS_MOST)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = 8 + (uint64_t)i * (wide ? 32 : 20);
		uint64_t offset = field(&all, at + 8, wide ? 8 : 4);
		uint64_t size = field(&all, wide ? at + 16 : at + 12,
				      wide ? 8 : 4);
		struct macho m = { .path = file->path };
		struct xray_sections sections = { 0 };
		if (offset > file->size || size > file->size - offset ||
		    !start(&m, file->data + offset, size) ||
		    !take_program(&m, &sections))
			continue;
		if (ret->has_sleds)
			die("'%s' holds several programs with sleds: take out "
			    "the one that was traced (lipo -thin)", file->path);
		*ret = sections;
		ret->cpu_type = field(&all, at, 4);
	}
	return true;
}

bool xray_macho_sections(const struct xray_bytes *file,
			 struct xray_sections *ret)
{
	struct macho m = { .path = file->path };
	if (!start(&m, file->data, file->size))
		return take_universal(file, ret);
	take_program(&m, ret);
	return true;
}
