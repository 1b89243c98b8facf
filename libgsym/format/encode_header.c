/* SPDX-License-Identifier: MIT */
/* Lays out a GSYM file, and writes its header in version 1 or 2. */
#include "format/encode.h"

#include "format/format.h"

void gsym_encode_place(struct gsym_encode_layout *layout)
{
	bool v1 = layout->version == 1;
	uint64_t at;

	layout->string_size = layout->info_size = v1 ? 4 : 8;
	if (v1) {
		layout->uuid_offset = GSYM_V1_HEADER_SIZE -
				      GSYM_V1_MAX_UUID_SIZE;
		at = GSYM_V1_HEADER_SIZE;
	} else {
		/* Entries: five sections, the UUID if there is one, and the
		 * end of the directory. */
		layout->uuid_offset = GSYM_V2_HEADER_SIZE +
				      GSYM_V2_DIRECTORY_ENTRY_SIZE *
					      (layout->uuid_size ? 7 : 6);
		at = layout->uuid_offset + layout->uuid_size;
	}
	layout->addresses = gsym_align_up(at, layout->address_size);
	at = layout->addresses +
	     (uint64_t)layout->address_count * layout->address_size;
	layout->address_info = gsym_align_up(at, layout->info_size);
	at = layout->address_info +
	     (uint64_t)layout->address_count * layout->info_size;
	layout->files = gsym_align_up(at, 4);
	at = layout->files + 4 + layout->file_count * 2 * layout->string_size;
	layout->strings = at;
	layout->functions = gsym_align_up(at + layout->string_bytes, 4);
	layout->info_base = v1 ? 0 : layout->functions;
}

static void encode_v1(struct gsym_emit *out,
		      const struct gsym_encode_layout *layout)
{
	static const uint8_t zeros[GSYM_V1_MAX_UUID_SIZE];

	gsym_emit_u32(out, GSYM_MAGIC);
	gsym_emit_u16(out, (uint16_t)layout->version);
	gsym_emit_u8(out, layout->address_size);
	gsym_emit_u8(out, (uint8_t)layout->uuid_size);
	gsym_emit_u64(out, layout->base_address);
	gsym_emit_u32(out, layout->address_count);
	gsym_emit_u32(out, (uint32_t)layout->strings);
	gsym_emit_u32(out, (uint32_t)layout->string_bytes);
	gsym_emit_bytes(out, layout->uuid, layout->uuid_size);
	gsym_emit_bytes(out, zeros, sizeof(zeros) - layout->uuid_size);
}

static void encode_entry(struct gsym_emit *out, uint32_t type, uint64_t offset,
			 uint64_t size)
{
	gsym_emit_u32(out, type);
	gsym_emit_u64(out, offset);
	gsym_emit_u64(out, size);
}

static void encode_v2(struct gsym_emit *out,
		      const struct gsym_encode_layout *layout)
{
	uint64_t count = layout->address_count;

	gsym_emit_u32(out, GSYM_MAGIC);
	gsym_emit_u16(out, (uint16_t)layout->version);
	gsym_emit_u8(out, layout->address_size);
	gsym_emit_u8(out, 0); /* strings end in NUL */
	gsym_emit_u64(out, layout->base_address);
	gsym_emit_u32(out, layout->address_count);
	if (layout->uuid_size)
		encode_entry(out, GSYM_V2_UUID, layout->uuid_offset,
			     layout->uuid_size);
	encode_entry(out, GSYM_V2_ADDRESSES, layout->addresses,
		     count * layout->address_size);
	encode_entry(out, GSYM_V2_ADDRESS_INFO, layout->address_info,
		     count * layout->info_size);
	encode_entry(out, GSYM_V2_FILES, layout->files,
		     4 + layout->file_count * 2 * layout->string_size);
	encode_entry(out, GSYM_V2_STRINGS, layout->strings,
		     layout->string_bytes);
	encode_entry(out, GSYM_V2_FUNCTIONS, layout->functions,
		     layout->function_bytes);
	encode_entry(out, GSYM_V2_END_OF_LIST, 0, 0);
	gsym_emit_bytes(out, layout->uuid, layout->uuid_size);
}

void gsym_encode_header(struct gsym_emit *out,
			const struct gsym_encode_layout *layout)
{
	if (layout->version == 1)
		encode_v1(out, layout);
	else
		encode_v2(out, layout);
}

void gsym_encode_checksum(struct gsym_emit *out, uint64_t covered, uint32_t crc)
{
	gsym_emit_u64(out, covered);
	gsym_emit_u32(out, crc);
	gsym_emit_u32(out, GSYM_CHECKSUM_MAGIC);
}
