/* SPDX-License-Identifier: MIT */
/*
 * Finds out the build ID of the program that a symbol file describes.  The id
 * of MODULE is a GUID and an age.  For ELF the GUID is the start of the build
 * ID, with its first three fields in the other byte order, and INFO CODE_ID is
 * all of the build ID; for Mach-O the GUID is the UUID, for Windows that of the
 * PDB.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "breakpad/file.h"

enum { GUID = 16, MAX_ID = 64 };

/* Convert DIGITS to BYTES, which has room for MAX_ID.  Returns the number of
 * bytes; 0 if DIGITS are not an even number of hexadecimal digits, or too
 * many. */
static size_t bytes_of(struct bp_text digits, uint8_t *bytes)
{
	size_t count = bp_length(digits) / 2;

	if (bp_length(digits) % 2 || count > MAX_ID)
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct bp_text two = { digits.at + 2 * i,
				       digits.at + 2 * i + 2 };
		uint64_t value;

		if (!gsym_bp_hex(two, &value))
			return 0;
		bytes[i] = (uint8_t)value;
	}
	return count;
}

/* Split the MODULE id, which may have hyphens, into GUID and age. */
static bool split_id(struct bp_text id, uint8_t *guid, uint64_t *age)
{
	char digits[2 * GUID + 16];
	size_t count = 0;

	for (; id.at < id.end; id.at++) {
		if (*id.at == '-')
			continue;
		if (count == sizeof(digits))
			return false;
		digits[count++] = *id.at;
	}
	*age = 0;
	if (count < 2 * GUID ||
	    bytes_of((struct bp_text){ digits, digits + 2 * GUID }, guid) !=
		    GUID)
		return false;
	return count == 2 * GUID ||
	       (gsym_bp_hex((struct bp_text){ digits + 2 * GUID,
					      digits + count },
			    age) &&
		*age <= UINT32_MAX);
}

/* Swap the byte order of the first three fields of a GUID. */
static void swap_guid(uint8_t *b)
{
	static const uint8_t pairs[][2] = {
		{ 0, 3 }, { 1, 2 }, { 4, 5 }, { 6, 7 }
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint8_t byte = b[pairs[i][0]];

		b[pairs[i][0]] = b[pairs[i][1]];
		b[pairs[i][1]] = byte;
	}
}

/* Whether OS is NAME, which is in lower case; the case of OS does not
 * matter. */
static bool os_is(struct bp_text os, const char *name)
{
	if (bp_length(os) != strlen(name))
		return false;
	for (; os.at < os.end; os.at++, name++)
		if ((*os.at | 0x20) != *name)
			return false;
	return true;
}

/* Fill in the build ID of an ELF program: CODE_ID, else GUID, which is changed.
 * Warns if they differ.  Returns the size of the build ID. */
static size_t elf_identity(struct bp_file *file, uint8_t *guid)
{
	uint8_t *uuid = file->uuid;
	uint8_t start[GUID] = { 0 };
	size_t size = bytes_of(file->code_id, uuid);

	swap_guid(guid);
	if (!size) {
		if (bp_length(file->code_id))
			gsym_bp_warn(
				file, GSYM_WARN_IDENTITY, 0,
				"INFO CODE_ID is no build ID and is ignored");
		memcpy(uuid, guid, GUID);
		file->is_prefix = true;
		return GUID;
	}
	memcpy(start, uuid, size < GUID ? size : GUID);
	if (memcmp(start, guid, GUID) != 0)
		gsym_bp_warn(file, GSYM_WARN_IDENTITY, 0,
			     "MODULE and INFO CODE_ID name different builds; "
			     "CODE_ID counts");
	return size;
}

void gsym_bp_identity(struct bp_file *file)
{
	uint8_t guid[GUID];
	uint64_t age;

	if (!file->has_module) {
		gsym_bp_warn(file, GSYM_WARN_IDENTITY, 0,
			     "no MODULE record: the file has no identity");
		return;
	}
	if (!split_id(file->id, guid, &age)) {
		gsym_bp_warn(file, GSYM_WARN_IDENTITY, 0,
			     "the id of MODULE cannot be read: the file has no "
			     "identity");
		return;
	}
	memcpy(file->uuid, guid, GUID);
	file->uuid_size = GUID;
	file->program_format = GSYM_FORMAT_ELF;
	if (os_is(file->os, "windows")) {
		file->program_format = GSYM_FORMAT_PE;
		for (int i = 0; i < 4; i++)
			file->uuid[GUID + i] = (uint8_t)(age >> (24 - 8 * i));
		file->uuid_size = age ? GUID + 4 : GUID;
	} else if (os_is(file->os, "mac") || os_is(file->os, "ios")) {
		file->program_format = GSYM_FORMAT_MACHO;
	} else {
		file->uuid_size = elf_identity(file, guid);
	}
}

void gsym_bp_architecture(const struct bp_file *file,
			  struct gsym_convert_facts *facts)
{
	static const struct {
		const char *theirs, *name;
		uint8_t address_size;
	} known[] = {
		{ "x86", "i386", 4 },	     { "x86_64", "x86_64", 8 },
		{ "arm", "arm", 4 },	     { "arm64", "aarch64", 8 },
		{ "arm64e", "arm64e", 8 },   { "ppc", "powerpc", 4 },
		{ "ppc64", "powerpc64", 8 }, { "mips", "mips", 4 },
		{ "mips64", "mips64", 8 },   { "riscv64", "riscv64", 8 },
	};

	facts->address_size = 8;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (bp_is(file->architecture, known[i].theirs)) {
			strcpy(facts->architecture, known[i].name);
			facts->address_size = known[i].address_size;
		}
}
