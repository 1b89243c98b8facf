/* SPDX-License-Identifier: MIT */
/* Recognises a GSYM image, and reads its header in either version. */
#include "format/layout.h"

#include "base/error.h"
#include "format/format.h"
#include "format/header_v1.h"
#include "format/header_v2.h"

#include <inttypes.h>

bool gsym_layout_is_gsym(const uint8_t *data, uint64_t size)
{
	return size >= 4 && (gsym_load_u32(data, false) == GSYM_MAGIC ||
			     gsym_load_u32(data, true) == GSYM_MAGIC);
}

/* Read the version, and the rest of the header as that version has it. */
static enum gsym_status read_version(struct gsym_layout *l,
				     struct gsym_error *error)
{
	if (l->size < 6)
		return gsym_fail(error, GSYM_ERR_CORRUPT, l->size,
				 "header ends after %" PRIu64 " bytes",
				 l->size);
	l->version = gsym_load_u16(l->data + 4, l->swap);
	switch (l->version) {
	case 1:
		return gsym_header_v1_read(l, error);
	case 2:
		return gsym_header_v2_read(l, error);
	}
	return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 4,
			 "header has the unknown version %u", l->version);
}

/* Find the checksum, the last bytes of the image. */
static void find_checksum(struct gsym_layout *l)
{
	uint64_t at = l->size - GSYM_CHECKSUM_SIZE;

	if (l->size >= GSYM_CHECKSUM_SIZE &&
	    gsym_load_u32(l->data + l->size - 4, l->swap) ==
		    GSYM_CHECKSUM_MAGIC)
		l->sections[GSYM_SECTION_CHECKSUM] =
			(struct gsym_extent){ at, GSYM_CHECKSUM_SIZE };
}

enum gsym_status gsym_layout_read(const uint8_t *data, uint64_t size,
				  bool checksum, struct gsym_layout *ret,
				  struct gsym_error *error)
{
	const struct gsym_extent *strings;
	enum gsym_status status;

	*ret = (struct gsym_layout){ .data = data, .size = size };
	if (!gsym_layout_is_gsym(data, size))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "header does not start with the gsym magic");
	ret->swap = gsym_load_u32(data, false) != GSYM_MAGIC;
	if (checksum)
		find_checksum(ret);
	status = read_version(ret, error);
	if (status != GSYM_OK)
		return status;
	strings = &ret->sections[GSYM_SECTION_STRINGS];
	ret->strings_size = strings->size;
	while (ret->strings_size &&
	       data[strings->offset + ret->strings_size - 1])
		ret->strings_size--;
	return GSYM_OK;
}
