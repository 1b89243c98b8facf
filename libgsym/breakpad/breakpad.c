/* SPDX-License-Identifier: MIT */
/*
 * The entry of the room, one pass after the other; which program a symbol file
 * describes; and the base address, which is added to all addresses of the file.
 *
 * The id of MODULE is a GUID and an age.  For ELF the GUID is the start of the
 * build ID, with its first three fields in the other byte order, and INFO
 * CODE_ID is all of the build ID; for Mach-O the GUID is the UUID, for Windows
 * that of the PDB.
 *
 * If the program is given, the file has to describe it; the base is the
 * program's, and functions outside the program's code are dropped.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "breakpad/breakpad.h"

#include "base/error.h"
#include "base/order.h"
#include "base/text.h"
#include "breakpad/file.h"
#include "container/container.h"

#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the build ID -------------------------------------------------------- */

/* The bytes of a GUID, the most of a build ID, and the shown ones of an
 * identity. */
enum { GUID = 16, MAX_ID = 64, SHOWN = 20 };

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

/* Fill in the build ID and the program's format from MODULE and INFO CODE_ID.
 * Warns if these contradict each other. */
static void find_identity(struct bp_file *file)
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

/* Fill in FACTS' architecture and address size from MODULE. */
static void set_architecture(const struct bp_file *file,
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

/* ---- whether the file describes the program ------------------------------ */

/* Returns true if the file's build ID is PROGRAM's, filled up with zeros.  A
 * MODULE id has 16 bytes, so a shorter build ID is filled up. */
static bool is_padded(const struct bp_file *file,
		      const struct gsym_container *program)
{
	uint8_t id[GUID] = { 0 };

	if (!file->is_prefix || program->uuid_size >= GUID)
		return false;
	memcpy(id, program->uuid, program->uuid_size);
	return !memcmp(id, file->uuid, GUID);
}

/* Fail because WHAT, such as the build ID, is THEIRS in the program and OURS in
 * the symbol file. */
static enum gsym_status refuse(const struct bp_file *file, const char *what,
			       const char *theirs, const char *ours,
			       struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
			 "the program is another one: its %s is %s, and the "
			 "file is for %s; if they belong together all the "
			 "same, give the base, 0x%" PRIx64 ", instead",
			 what, theirs, ours,
			 file->program->has_base ? file->program->base : 0);
}

/* Compare INFO CODE_ID with a PE program: eight digits for the time when it was
 * linked, then the size of its image.  GSYM_NOT_FOUND: the file or the program
 * does not have them. */
static enum gsym_status check_code_id(const struct bp_file *file,
				      struct gsym_error *error)
{
	const struct gsym_container *program = file->program;
	struct bp_text stamp = file->code_id, size = file->code_id;
	uint64_t stamp_value, size_value;
	char theirs[24], ours[24];

	if (!program->image_size || bp_length(file->code_id) < 9)
		return GSYM_NOT_FOUND;
	stamp.end = size.at = stamp.at + 8;
	if (!gsym_bp_hex(stamp, &stamp_value) ||
	    !gsym_bp_hex(size, &size_value) || size_value > UINT32_MAX)
		return GSYM_NOT_FOUND;
	if (stamp_value == program->time_stamp &&
	    size_value == program->image_size)
		return GSYM_OK;
	snprintf(theirs, sizeof(theirs), "%08" PRIX32 "%" PRIx32,
		 program->time_stamp, program->image_size);
	snprintf(ours, sizeof(ours), "%08" PRIX64 "%" PRIx64, stamp_value,
		 size_value);
	return refuse(file, "code ID", theirs, ours, error);
}

/* The program or the file has no identity.  Of PE programs the CODE_ID is
 * compared instead. */
static enum gsym_status check_without_id(struct bp_file *file,
					 struct gsym_error *error)
{
	bool pe = file->program->format == GSYM_FORMAT_PE;
	enum gsym_status status =
		pe ? check_code_id(file, error) : GSYM_NOT_FOUND;

	if (status != GSYM_NOT_FOUND)
		return status;
	gsym_bp_warn(file, GSYM_WARN_IDENTITY, 0,
		     pe ? "cannot tell whether the file describes the program: "
			  "one of them names no PDB, and one no CODE_ID"
		     : file->program->uuid_size
			     ? "cannot tell whether the file describes the "
			       "program: the file has no identity"
			     : "cannot tell whether the file describes the "
			       "program: the program has no build ID");
	return GSYM_OK;
}

static enum gsym_status check_identity(struct bp_file *file,
				       struct gsym_error *error)
{
	const struct gsym_container *program = file->program;
	bool pe = program->format == GSYM_FORMAT_PE;
	char theirs[2 * SHOWN + 1], ours[2 * SHOWN + 1];

	if (!program->uuid_size || !file->uuid_size)
		return check_without_id(file, error);
	if (!gsym_uuid_matches(program->uuid, program->uuid_size, file->uuid,
			       file->uuid_size) &&
	    !is_padded(file, program)) {
		gsym_digits(theirs, sizeof(theirs), program->uuid,
			    program->uuid_size);
		gsym_digits(ours, sizeof(ours), file->uuid, file->uuid_size);
		return refuse(file, pe ? "PDB" : "build ID", theirs, ours,
			      error);
	}
	if (pe && check_code_id(file, NULL) == GSYM_ERR_ARGUMENT)
		gsym_bp_warn(file, GSYM_WARN_IDENTITY, 0,
			     "the program names the PDB of the file, and has "
			     "another CODE_ID");
	return GSYM_OK;
}

/* ---- code ---------------------------------------------------------------- */

/* Fill FILE->code from the program's executable segments, and from its
 * executable sections: debug files have no segments with bytes.  False without
 * memory. */
static bool find_code(struct bp_file *file)
{
	const struct gsym_container *program = file->program;
	struct gsym_range *code;

	if (!gsym_vec_reserve(&file->code,
			      program->segments.count + program->text.count))
		return false;
	code = file->code.items;
	for (size_t i = 0; i < program->segments.count; i++) {
		const struct gsym_segment *s = &program->segments.items[i];

		if (s->executable && s->data_size)
			code[file->code.count++] = (struct gsym_range){
				s->address, s->address + s->data_size
			};
	}
	for (size_t i = 0; i < program->text.count; i++)
		code[file->code.count++] = program->text.items[i];
	gsym_range_set_join(&file->code);
	return true;
}

/* The end of the code that holds ADDRESS; 0 if none does, UINT64_MAX if the
 * program is not given. */
static uint64_t code_end(const struct bp_file *file, uint64_t address)
{
	size_t count = file->code.count;
	const struct gsym_range *found =
		gsym_ranges_at(file->code.items, count, address);

	if (!count)
		return UINT64_MAX;
	return found ? found->end : 0;
}

/* Whether a function of SIZE bytes at ADDRESS + BASE begins in code, and ends
 * within 64 bits. */
static bool is_code(const struct bp_file *file, uint64_t address, uint64_t size,
		    uint64_t base)
{
	uint64_t end;

	return !__builtin_add_overflow(address, base, &address) &&
	       !__builtin_add_overflow(address, size, &end) &&
	       code_end(file, address);
}

/* ---- base ---------------------------------------------------------------- */

/* Whether with BASE any function, or without functions any PUBLIC, is code. */
static bool any_is_code(const struct bp_file *file, uint64_t base)
{
	for (size_t i = 0; i < file->functions.count; i++)
		if (is_code(file, file->functions.items[i].start,
			    file->functions.items[i].size, base))
			return true;
	for (size_t i = 0; !file->functions.count && i < file->publics.count;
	     i++)
		if (is_code(file, file->publics.items[i].address, 0, base))
			return true;
	return false;
}

/* Set the base to the program's.  Some producers can be told to write link-time
 * addresses, and nothing in the file says so: then no base is added. */
static void take_base(struct bp_file *file)
{
	uint64_t base = file->program->has_base ? file->program->base : 0;

	if (base && !any_is_code(file, base) && any_is_code(file, 0)) {
		gsym_bp_warn(
			file, GSYM_WARN_CONFLICT, 0,
			"the addresses are those that the program was linked "
			"at: no base is added");
		base = 0;
	}
	file->base = base;
}

/* Drop PUBLICs outside of the program's code, and those that the base puts
 * beyond 64 bits; warn of each with KIND and TEXT. */
static void drop_publics(struct bp_file *file, enum gsym_warning kind,
			 const char *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->publics.count; i++) {
		struct bp_public p = file->publics.items[i];

		if (is_code(file, p.address, 0, file->base))
			file->publics.items[kept++] = p;
		else
			gsym_bp_warn(file, kind, p.line, text);
	}
	file->publics.count = kept;
}

/* Drop functions and PUBLICs outside of the program's code. */
static void drop_dead(struct bp_file *file)
{
	for (size_t i = 0; i < file->functions.count; i++) {
		struct bp_function *f = &file->functions.items[i];

		if (is_code(file, f->start, f->size, file->base))
			continue;
		f->dropped = true;
		gsym_bp_warn(file, GSYM_WARN_DEAD_CODE, f->line,
			     "a function outside the program's code");
	}
	drop_publics(file, GSYM_WARN_DEAD_CODE,
		     "a PUBLIC outside the program's code");
}

/* Check that with the base of the options all functions end within 64 bits.  A
 * PUBLIC beyond that is dropped: some producers write PUBLICs for sections,
 * with meaningless addresses. */
static enum gsym_status check_base(struct bp_file *file,
				   struct gsym_error *error)
{
	for (size_t i = 0; i < file->functions.count; i++) {
		const struct bp_function *f = &file->functions.items[i];

		if (!is_code(file, f->start, f->size, file->base))
			return gsym_fail(error, GSYM_ERR_LIMIT, 0,
					 "line %" PRIu64 ": 0x%" PRIx64
					 " and the base, 0x%" PRIx64
					 ", make more than 64 bits",
					 f->line, f->start, file->base);
	}
	drop_publics(file, GSYM_WARN_BAD_RECORD,
		     "a PUBLIC and the base make more than 64 bits");
	return GSYM_OK;
}

/* Decide the base, and drop functions and PUBLICs outside the program's code.
 * GSYM_ERR_ARGUMENT: the file describes another program; GSYM_ERR_LIMIT: with
 * the base a function ends beyond 64 bits. */
static enum gsym_status set_base(struct bp_file *file, struct gsym_error *error)
{
	enum gsym_status status;

	if (!file->program)
		return check_base(file, error);
	status = check_identity(file, error);
	if (status != GSYM_OK)
		return status;
	if (!find_code(file))
		return gsym_fail_memory(error);
	take_base(file);
	drop_dead(file);
	return GSYM_OK;
}

/* ---- the passes ---------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct bp_public *x = a, *y = b;
	int order = GSYM_ORDER(x->address, y->address);

	return order ? order : GSYM_ORDER(x->line, y->line);
}

/* Push a label for the first PUBLIC record of each address. */
static enum gsym_status push_publics(struct bp_file *file)
{
	gsym_vec_sort(&file->publics, by_address);
	for (size_t i = 0; i < file->publics.count; i++) {
		const struct bp_public *public = &file->publics.items[i];
		struct gsym_record record = {
			.rank = GSYM_RANK_LABEL,
			.name_kind = GSYM_NAME_SYMBOL_GLOBAL,
			.start = public->address + file->base,
			.limit = code_end(file, public->address + file->base),
		};
		enum gsym_status status;

		if (i && public[-1].address == public->address)
			continue;
		status = gsym_bp_string(file, public->name, &record.name);
		if (status == GSYM_OK)
			status = gsym_sink_record(&file->sink, &record);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* Check that the first line that is not empty is a record. */
static enum gsym_status check_start(struct bp_text text,
				    struct gsym_error *error)
{
	struct bp_text line, rest, keyword;
	uint64_t number = 0;

	bp_skip_utf8_mark(&text);
	for (;;) {
		if (!bp_next_line(&text, &line, true))
			return gsym_fail(error, GSYM_ERR_FORMAT, 0,
					 "the file is empty");
		number++;
		rest = line;
		keyword = bp_field(&rest);
		if (bp_length(keyword))
			break;
	}
	if (gsym_breakpad_starts((const uint8_t *)keyword.at,
				 bp_length(keyword)))
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_FORMAT, 0,
			 "line %" PRIu64 ", column %zu: no record of a "
			 "Breakpad file",
			 number, (size_t)(keyword.at - line.at) + 1);
}

static enum gsym_status read_all(struct bp_file *file,
				 struct gsym_error *error)
{
	enum gsym_status status = check_start(file->text, error);

	if (status != GSYM_OK)
		return status;
	status = gsym_bp_first_pass(file);
	if (status != GSYM_OK)
		return gsym_fail(error, status, 0, "%s",
				 gsym_status_text(status));
	if (!file->functions.count && !file->publics.count && file->bad_line)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "line %" PRIu64 ", column %" PRIu64
				 ": no record of a Breakpad file, and it has "
				 "neither FUNC nor PUBLIC",
				 file->bad_line, file->bad_column);
	find_identity(file);
	status = set_base(file, error);
	if (status != GSYM_OK)
		return status;
	if (!gsym_bp_settle_functions(file))
		return gsym_fail_memory(error);
	status = gsym_bp_settle_names(file);
	if (status == GSYM_OK)
		status = gsym_bp_push_functions(file);
	if (status == GSYM_OK)
		status = push_publics(file);
	return status == GSYM_OK ? status :
				   gsym_fail(error, status, 0, "%s",
					     gsym_status_text(status));
}

static void file_fini(struct bp_file *file)
{
	gsym_vec_fini(&file->functions);
	gsym_vec_fini(&file->publics);
	gsym_bp_map_fini(&file->files);
	gsym_bp_map_fini(&file->origins);
	gsym_vec_fini(&file->unknown);
	gsym_vec_fini(&file->missing);
	gsym_vec_fini(&file->code);
	gsym_bp_spool_free(file->text);
}

enum gsym_status
gsym_breakpad_convert(const char *path, const struct gsym_container *program,
		      const struct gsym_convert_options *options,
		      struct gsym_builder *builder,
		      struct gsym_convert_facts *facts,
		      struct gsym_error *error)
{
	struct bp_file file = { .options = options,
				.sink = gsym_builder_sink(builder),
				.program = program,
				.base = options->base };
	enum gsym_status status = gsym_bp_spool_open(path, options, &file.text,
						     &file.copied, error);

	if (status != GSYM_OK)
		return status;
	facts->format = GSYM_FORMAT_BREAKPAD;
	facts->input_bytes = bp_length(file.text);
	status = read_all(&file, error);
	if (status == GSYM_OK) {
		set_architecture(&file, facts);
		memcpy(facts->uuid, file.uuid, file.uuid_size);
		facts->uuid_size = file.uuid_size;
		facts->uuid_is_prefix = file.is_prefix;
		facts->records = file.records;
		facts->program_format = file.program_format;
		status = gsym_builder_set_uuid(builder, file.uuid,
					       file.uuid_size);
		gsym_builder_set_base(builder, file.base);
	}
	file_fini(&file);
	return status;
}

enum gsym_status gsym_breakpad_head(const char *path, uint8_t *head,
				    size_t *size)
{
	struct bp_text text = { (char *)head, (char *)head + *size };
	enum gsym_status status = gsym_bp_spool_head(path, &text);

	*size = bp_length(text);
	return status == GSYM_ERR_UNSUPPORTED ? GSYM_NOT_FOUND : status;
}

enum gsym_status gsym_breakpad_identity(const char *path, enum gsym_from from,
					uint8_t *uuid, size_t *size)
{
	enum { ROOM = 64 << 10 }; /* bytes of the text that are read */
	const struct gsym_convert_options options = { .from = from };
	struct bp_file file = { .options = &options };
	enum gsym_status status = GSYM_ERR_MEMORY;
	char *head;

	if (!path || !uuid || !size)
		return GSYM_ERR_ARGUMENT;
	*size = 0;
	head = malloc(ROOM);
	if (head) {
		file.text = (struct bp_text){ head, head + ROOM };
		status = gsym_bp_spool_head(path, &file.text);
	}
	if (status == GSYM_OK &&
	    (from == GSYM_FROM_BREAKPAD
		     ? check_start(file.text, NULL) != GSYM_OK
		     : !gsym_breakpad_plain_matches((const uint8_t *)head,
						    bp_length(file.text))))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		status = gsym_bp_first_pass(&file);
	if (status == GSYM_OK) {
		find_identity(&file);
		memcpy(uuid, file.uuid, file.uuid_size);
		*size = file.uuid_size;
	}
	file.text = (struct bp_text){ NULL, NULL };
	file_fini(&file);
	free(head);
	return status;
}
