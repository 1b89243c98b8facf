/* SPDX-License-Identifier: MIT */
/* process/lookup.c - the GSYM data of modules, and lookups in them. */
#include "process/process.h"

#include "base/error.h"
#include "base/fd.h"
#include "reader/reader.h"

#include <stdio.h>
#include <unistd.h>

/* The longest path of a GSYM file below the root that is tried. */
enum { LONGEST_PATH = 8192 };

/* Open the GSYM data of the file below ROOT that has the path of M and SUFFIX,
 * if their build ID is that of M. */
static enum gsym_status try_file(const char *root, struct gsym_loaded *m,
				 const char *suffix)
{
	char path[LONGEST_PATH];
	struct gsym_reader *reader;
	struct gsym_header header;
	enum gsym_status status;
	int length = snprintf(path, sizeof(path), "%s%s", m->shown.path,
			      suffix), fd;

	if (length < 0 || (size_t)length >= sizeof(path))
		return GSYM_NOT_FOUND;
	fd = gsym_fd_open_below(root, path);
	if (fd < 0)
		return GSYM_NOT_FOUND;
	status = gsym_open_fd(fd, &reader, NULL);
	close(fd);
	if (status != GSYM_OK)
		return status == GSYM_ERR_MEMORY ? status : GSYM_NOT_FOUND;
	gsym_get_header(reader, &header);
	if (!gsym_uuid_matches(header.uuid, header.uuid_size,
			       m->shown.build_id, m->shown.build_id_size)) {
		gsym_close(reader);
		return GSYM_NOT_FOUND;
	}
	m->shown.reader = reader;
	return GSYM_OK;
}

static enum gsym_status load(const struct gsym_process *p,
			     struct gsym_loaded *m, struct gsym_store *store)
{
	const struct gsym_store_entry *entry;
	enum gsym_status status = GSYM_NOT_FOUND;

	if (store)
		status = gsym_store_find(store, m->shown.build_id,
					 m->shown.build_id_size, &entry, NULL);
	if (status == GSYM_OK) {
		m->shown.reader = gsym_store_reader(entry);
		m->entry = entry;
	}
	if (status == GSYM_OK || status == GSYM_ERR_MEMORY || !p->root ||
	    m->shown.kind != GSYM_PROCESS_FILE)
		return status;
	status = try_file(p->root, m, "");
	return status == GSYM_NOT_FOUND ? try_file(p->root, m, ".gsym")
					: status;
}

enum gsym_status gsym_process_load(struct gsym_process *p,
				   struct gsym_store *store,
				   struct gsym_error *error)
{
	if (!p)
		return gsym_fail_argument(error);
	for (size_t i = 0; i < p->modules.count; i++) {
		struct gsym_loaded *m = &p->modules.items[i];

		if (m->executable && !m->shown.reader && !m->borrowed &&
		    m->shown.build_id_size &&
		    load(p, m, store) == GSYM_ERR_MEMORY)
			return gsym_fail_memory(error);
	}
	if (p->symbols.count && !gsym_kernel_place(p))
		return gsym_fail_memory(error);
	return GSYM_OK;
}

/* Set *FRAME to the symbol of the kernel CONTEXT that covers the run-time
 * address ADDRESS; false if there is none, as in all other processes. */
static bool symbol_at(const void *context, uint64_t address,
		      struct gsym_frame *frame)
{
	const struct gsym_kernel_symbol *k = gsym_kernel_find(context, address);

	if (!k)
		return false;
	*frame = (struct gsym_frame){
		.function = k->name,
		.directory = "",
		.basename = "",
		.offset = address - k->address,
	};
	return true;
}

/* Fill OUT and MATCH with the symbol of the kernel that covers the run-time
 * address ADDRESS, which is FILE_ADDRESS in the file. */
static enum gsym_status look_up_symbol(const struct gsym_process *p,
				       uint64_t address, uint64_t file_address,
				       const struct gsym_frames_out *out,
				       struct gsym_match *match)
{
	struct gsym_match found = { .address = file_address,
				    .index = UINT32_MAX,
				    .frame_count = 1 };
	struct gsym_frame frame;

	if (!symbol_at(p, address, &frame))
		return GSYM_NOT_FOUND;
	found.start = file_address - frame.offset;
	if (out->capacity)
		out->frames[0] = frame;
	if (match)
		*match = found;
	return GSYM_OK;
}

enum gsym_status gsym_process_lookup(const struct gsym_process *p,
				     uint64_t address, unsigned flags,
				     struct gsym_frame *frames, size_t capacity,
				     struct gsym_match *match,
				     struct gsym_error *error)
{
	const struct gsym_frames_out out = { frames, capacity, flags };
	struct gsym_process_place place;
	const struct gsym_reader *reader;
	enum gsym_status status;

	/* gsym_lookup is not called for each address. */
	if (!p || !gsym_frames_out_ok(&out))
		return gsym_fail_argument(error);
	status = gsym_process_find(p, address, &place);
	if (status != GSYM_OK)
		return status;
	reader = p->modules.items[place.module].shown.reader;
	status = GSYM_NOT_FOUND;
	if (reader)
		status = gsym_lookup(reader, place.address, flags, frames,
				     capacity, match, error);
	return status == GSYM_NOT_FOUND ?
		       look_up_symbol(p, address, place.address, &out, match) :
		       status;
}

/* The GSYM data of the module at ADDRESS of the process CONTEXT. */
static const struct gsym_reader *file_at(const void *context, uint64_t address,
					 uint64_t *inside)
{
	const struct gsym_process *p = context;
	struct gsym_process_place place;

	if (gsym_process_find(p, address, &place) != GSYM_OK)
		return NULL;
	*inside = place.address;
	return p->modules.items[place.module].shown.reader;
}

enum gsym_status gsym_process_lookup_many(const struct gsym_process *p,
					  const uint64_t *addresses,
					  size_t count, unsigned flags,
					  struct gsym_frame *frames,
					  size_t capacity, uint32_t *first,
					  size_t *done)
{
	const struct gsym_frames_out out = { frames, capacity, flags };
	const struct gsym_many_source source = { .file = file_at,
						 .symbol = symbol_at,
						 .context = p };

	if (!p)
		return GSYM_ERR_ARGUMENT;
	return gsym_many_look_up(&source, addresses, count, &out, first, done);
}
