/* SPDX-License-Identifier: MIT */
/*
 * Decides the base address, which is added to all addresses of a symbol file.
 * If the program is given, the file has to describe it; the base is the
 * program's, and functions outside the program's code are dropped.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "breakpad/file.h"

#include "base/digit.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "container/container.h"

#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>

/* The bytes of a GUID, and those of an identity that are shown. */
enum { GUID = 16, SHOWN = 20 };

/* ---- whether the file describes the program --------------------------- */

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

/* Check that a PE program and the file name the same PDB.  If one of them names
 * no PDB, CODE_ID is compared instead. */
static enum gsym_status check_pdb(struct bp_file *file,
				  struct gsym_error *error)
{
	const struct gsym_container *program = file->program;
	char theirs[2 * SHOWN + 1], ours[2 * SHOWN + 1];

	if (!program->pdb_size || !file->uuid_size) {
		enum gsym_status status = check_code_id(file, error);

		if (status != GSYM_NOT_FOUND)
			return status;
		gsym_bp_warn(
			file, GSYM_WARN_IDENTITY, 0,
			"cannot tell whether the file describes the program: "
			"one of them names no PDB, and one no CODE_ID");
		return GSYM_OK;
	}
	if (!gsym_uuid_matches(program->pdb, program->pdb_size, file->uuid,
			       file->uuid_size)) {
		gsym_digits(theirs, sizeof(theirs), program->pdb,
			    program->pdb_size);
		gsym_digits(ours, sizeof(ours), file->uuid, file->uuid_size);
		return refuse(file, "PDB", theirs, ours, error);
	}
	if (check_code_id(file, NULL) == GSYM_ERR_ARGUMENT)
		gsym_bp_warn(file, GSYM_WARN_IDENTITY, 0,
			     "the program names the PDB of the file, and has "
			     "another CODE_ID");
	return GSYM_OK;
}

static enum gsym_status check_identity(struct bp_file *file,
				       struct gsym_error *error)
{
	const struct gsym_container *program = file->program;
	char theirs[2 * SHOWN + 1], ours[2 * SHOWN + 1];

	if (program->format == GSYM_FORMAT_PE)
		return check_pdb(file, error);
	if (!program->uuid_size || !file->uuid_size) {
		gsym_bp_warn(
			file, GSYM_WARN_IDENTITY, 0,
			program->uuid_size
				? "cannot tell whether the file describes the "
				  "program: the file has no identity"
				: "cannot tell whether the file describes the "
				  "program: the program has no build ID");
		return GSYM_OK;
	}
	if (gsym_uuid_matches(program->uuid, program->uuid_size, file->uuid,
			      file->uuid_size) ||
	    is_padded(file, program))
		return GSYM_OK;
	gsym_digits(theirs, sizeof(theirs), program->uuid, program->uuid_size);
	gsym_digits(ours, sizeof(ours), file->uuid, file->uuid_size);
	return refuse(file, "build ID", theirs, ours, error);
}

/* ---- code ------------------------------------------------------------- */

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
	file->code.count = gsym_sort_join(code, file->code.count);
	return true;
}

uint64_t gsym_bp_code_end(const struct bp_file *file, uint64_t address)
{
	size_t count = file->code.count, found;

	if (!count)
		return UINT64_MAX;
	found = GSYM_FIRST(i, 0, count, address < file->code.items[i].end);
	return found < count && address >= file->code.items[found].start
		       ? file->code.items[found].end
		       : 0;
}

/* Whether a function of SIZE bytes at ADDRESS + BASE begins in code, and ends
 * within 64 bits. */
static bool is_code(const struct bp_file *file, uint64_t address, uint64_t size,
		    uint64_t base)
{
	uint64_t end;

	return !__builtin_add_overflow(address, base, &address) &&
	       !__builtin_add_overflow(address, size, &end) &&
	       gsym_bp_code_end(file, address);
}

/* ---- base ------------------------------------------------------------- */

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

/* Drop functions and PUBLICs outside of the program's code. */
static void drop_dead(struct bp_file *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->functions.count; i++) {
		struct bp_function *f = &file->functions.items[i];

		if (is_code(file, f->start, f->size, file->base))
			continue;
		f->dropped = true;
		gsym_bp_warn(file, GSYM_WARN_DEAD_CODE, f->line,
			     "a function outside the program's code");
	}
	for (size_t i = 0; i < file->publics.count; i++) {
		struct bp_public p = file->publics.items[i];

		if (is_code(file, p.address, 0, file->base))
			file->publics.items[kept++] = p;
		else
			gsym_bp_warn(file, GSYM_WARN_DEAD_CODE, p.line,
				     "a PUBLIC outside the program's code");
	}
	file->publics.count = kept;
}

/* Check that with the base of the options all functions end within 64 bits.  A
 * PUBLIC beyond that is dropped: some producers write PUBLICs for sections,
 * with meaningless addresses. */
static enum gsym_status check_base(struct bp_file *file,
				   struct gsym_error *error)
{
	uint64_t most = UINT64_MAX - file->base;
	size_t kept = 0;

	for (size_t i = 0; i < file->functions.count; i++) {
		const struct bp_function *f = &file->functions.items[i];

		if (f->start + f->size > most)
			return gsym_fail(error, GSYM_ERR_LIMIT, 0,
					 "line %" PRIu64 ": 0x%" PRIx64
					 " and the base, 0x%" PRIx64
					 ", make more than 64 bits",
					 f->line, f->start, file->base);
	}
	for (size_t i = 0; i < file->publics.count; i++) {
		struct bp_public p = file->publics.items[i];

		if (p.address <= most)
			file->publics.items[kept++] = p;
		else
			gsym_bp_warn(
				file, GSYM_WARN_BAD_RECORD, p.line,
				"a PUBLIC and the base make more than 64 bits");
	}
	file->publics.count = kept;
	return GSYM_OK;
}

enum gsym_status gsym_bp_set_base(struct bp_file *file,
				  struct gsym_error *error)
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
