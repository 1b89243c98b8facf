/* SPDX-License-Identifier: MIT */
/* The public functions that open a process, also the calling one as its dynamic
 * linker knows it, or the running kernel or a copy of the files in /proc and
 * /sys that describe one, list modules, and look addresses up in them. */
#include "config.h"

#include "process/process.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/order.h"
#include "base/system.h"
#include "reader/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Let the paths of a running process begin at its root.  /proc has them from
 * the root of the reader on: both are the same but for a process that called
 * chroot(2). */
static void cut_root(struct gsym_process *p)
{
	char link[64], root[4096];
	ssize_t size;

	if (!p->pid)
		return;
	snprintf(link, sizeof(link), "/proc/%" PRId64 "/root", p->pid);
	size = readlink(link, root, sizeof(root));
	if (size <= 1 || (size_t)size == sizeof(root))
		return;
	for (size_t i = 0; i < p->mappings.count; i++) {
		struct gsym_mapping *m = &p->mappings.items[i];

		if (m->length > (size_t)size && m->path[size] == '/' &&
		    memcmp(m->path, root, (size_t)size) == 0) {
			m->path += size;
			m->length -= (size_t)size;
		}
	}
}

/* Make a process of the SIZE bytes at TEXT. */
static enum gsym_status finish(struct gsym_process *p, const char *text,
			       size_t size, struct gsym_process **ret,
			       struct gsym_error *error)
{
	enum gsym_status status = gsym_process_parse(p, text, size, error);

	if (status == GSYM_OK) {
		cut_root(p);
		status = gsym_process_divide(p, error);
	}
	if (status == GSYM_OK && p->pid && !gsym_perfmap_read(p))
		status = gsym_fail_memory(error);
	if (status != GSYM_OK) {
		gsym_process_close(p);
		return status;
	}
	*ret = p;
	return GSYM_OK;
}

enum gsym_status gsym_process_open(int64_t pid, struct gsym_process **ret,
				   struct gsym_error *error)
{
	char path[64], root[64];
	struct gsym_fd_bytes text = { 0 };
	struct gsym_process *p;
	enum gsym_status status;

	if (pid <= 0 || !ret)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "process id or result is missing");
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/maps", pid);
	snprintf(root, sizeof(root), "/proc/%" PRId64 "/root", pid);
	p = gsym_process_new(pid, root);
	if (!p)
		return gsym_fail_memory(error);
	status = gsym_process_read(path, &text, error);
	if (status == GSYM_OK)
		status = finish(p, text.items, text.count, ret, error);
	else
		gsym_process_close(p);
	gsym_vec_fini(&text);
	return status;
}

enum gsym_status gsym_process_open_maps(const char *maps, size_t size,
					const char *root,
					struct gsym_process **ret,
					struct gsym_error *error)
{
	struct gsym_process *p;

	if (!maps || !ret)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "maps or result is missing");
	p = gsym_process_new(0, root);
	return p ? finish(p, maps, size, ret, error) : gsym_fail_memory(error);
}

/* ---- a kernel ------------------------------------------------------------ */

/* The most bytes of a path below the root. */
enum { KERNEL_PATH = 4096 };

/* Set the build ID of M to the one in the notes of the file ROOT, MIDDLE and
 * REST joined, if there is such a file. */
static enum gsym_status read_id(struct gsym_process *p,
				struct gsym_process_module *m,
				const char *root, const char *middle,
				const char *rest)
{
	struct gsym_fd_bytes text = { 0 };
	char path[KERNEL_PATH];
	enum gsym_status status;
	const uint8_t *id = NULL;
	size_t size = 0;
	int length = snprintf(path, sizeof(path), "%s/sys/%s%s", root, middle,
			      rest);

	if (length < 0 || (size_t)length >= sizeof(path))
		return GSYM_OK;
	status = gsym_process_read(path, &text, NULL);
	/* The kernel may be one of another byte order. */
	for (int swap = 0; status == GSYM_OK && swap < 2 && !id; swap++)
		gsym_elfview_search_notes((const uint8_t *)text.items,
					  text.count, 4, swap, &id, &size);
	if (id && !gsym_process_set_id(p, m, id, size))
		status = GSYM_ERR_MEMORY;
	gsym_vec_fini(&text);
	return status == GSYM_ERR_MEMORY ? status : GSYM_OK;
}

static enum gsym_status read_ids(struct gsym_process *p, const char *root)
{
	enum gsym_status status = read_id(p, &p->modules.items[0].shown, root,
					  "kernel/notes", "");

	for (size_t i = 1; status == GSYM_OK && i < p->modules.count; i++) {
		struct gsym_process_module *m = &p->modules.items[i].shown;
		char name[KERNEL_PATH];
		size_t length = strlen(m->path);

		/* The path is "[btrfs]".  A forged copy of kallsyms must not
		 * lead to a file elsewhere. */
		if (length >= sizeof(name) - 16 || strchr(m->path, '/') ||
		    m->path[1] == '.')
			continue;
		snprintf(name, sizeof(name), "module/%.*s", (int)length - 2,
			 m->path + 1);
		status = read_id(p, m, root, name, "/notes/.note.gnu.build-id");
	}
	return status;
}

static enum gsym_status open_kernel(struct gsym_process *p, const char *root,
				    struct gsym_error *error)
{
	char path[KERNEL_PATH];
	enum gsym_status status;
	int length = snprintf(path, sizeof(path), "%s/proc/kallsyms", root);

	if (length < 0 || (size_t)length >= sizeof(path))
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "the path of kallsyms is too long");
	status = gsym_process_read(path, &p->text, error);
	if (status == GSYM_OK)
		status = gsym_kernel_parse(p, error);
	if (status != GSYM_OK)
		return status;
	p->base_modules = (uint32_t)p->modules.count;
	status = read_ids(p, root);
	return status == GSYM_OK && gsym_kernel_place(p)
		       ? GSYM_OK
		       : gsym_fail_memory(error);
}

enum gsym_status gsym_process_open_kernel(const char *root,
					  struct gsym_process **ret,
					  struct gsym_error *error)
{
	struct gsym_process *p;
	enum gsym_status status;

	if (!root || !ret)
		return gsym_fail_argument(error);
	p = gsym_process_new(0, NULL);
	if (!p)
		return gsym_fail_memory(error);
	status = open_kernel(p, root, error);
	if (status != GSYM_OK) {
		gsym_process_close(p);
		return status;
	}
	*ret = p;
	return GSYM_OK;
}

/* ---- the calling process ------------------------------------------------ */

/* Let M belong to the module of OBJECT.  False without memory. */
static bool place_in_object(struct gsym_process *p, struct gsym_mapping *m,
			    struct gsym_self_object *object)
{
	struct gsym_loaded *loaded;

	m->inode = 0;
	if (object->module != GSYM_PROCESS_NONE) {
		gsym_process_join(p, m, object->module);
		return true;
	}
	loaded = gsym_process_add_module(p, m);
	if (!loaded)
		return false;
	object->module = m->module;
	loaded->shown.bias = object->bias;
	return !object->id_size ||
	       gsym_process_set_id(p, &loaded->shown, object->id,
				   object->id_size);
}

enum gsym_status gsym_process_open_self(struct gsym_process **ret,
					struct gsym_error *error)
{
	struct gsym_self self = { 0 };
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct gsym_process *p;
	bool done;

	if (!ret)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "result is missing");
	p = self.process = gsym_process_new(0, "");
	if (p)
		status = gsym_self_collect(&self);
	done = status == GSYM_OK;
	if (done)
		gsym_process_sort(p);
	for (size_t i = 0; done && i < p->mappings.count; i++) {
		struct gsym_mapping *m = &p->mappings.items[i];

		done = place_in_object(p, m, &self.items[m->inode - 1]);
	}
	gsym_vec_fini(&self);
	if (!done) {
		gsym_process_close(p);
		if (status == GSYM_ERR_UNSUPPORTED)
			return gsym_fail(error, status, 0,
					 "the dynamic linker of this system is "
					 "unknown");
		return gsym_fail_memory(error);
	}
	*ret = p;
	return GSYM_OK;
}

/* ---- modules and addresses ---------------------------------------------- */

uint32_t gsym_process_module_count(const struct gsym_process *p)
{
	return p ? (uint32_t)p->modules.count : 0;
}

enum gsym_status gsym_process_get_module(const struct gsym_process *p,
					 uint32_t index,
					 struct gsym_process_module *ret)
{
	if (!p || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= p->modules.count)
		return GSYM_NOT_FOUND;
	*ret = p->modules.items[index].shown;
	return GSYM_OK;
}

enum gsym_status gsym_process_find(const struct gsym_process *p,
				   uint64_t address,
				   struct gsym_process_place *ret)
{
	const struct gsym_mapping *m;
	size_t after;

	if (!p || !ret)
		return GSYM_ERR_ARGUMENT;
	after = GSYM_FIRST(i, 0, p->mappings.count,
			   p->mappings.items[i].start > address);
	if (!after || address >= p->mappings.items[after - 1].end)
		return GSYM_NOT_FOUND;
	m = &p->mappings.items[after - 1];
	*ret = (struct gsym_process_place){
		.module = m->module,
		.address = address - p->modules.items[m->module].shown.bias,
		.executable = m->executable,
	};
	return GSYM_OK;
}

/* ---- GSYM data and lookups ----------------------------------------------- */

/* The longest path of a GSYM file below the root that is tried. */
enum { LONGEST_PATH = 8192 };

static bool is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec
				    : a.tv_nsec < b.tv_nsec;
}

/* Whether the file FD, of GSYM data without a build ID, may be of M, which has
 * none either: the file below ROOT that has the path of M is the one that was
 * mapped, and FD did not change before it.  A program that was built anew,
 * whose GSYM file is an older one, must not get wrong names. */
static bool is_beside(const char *root, const struct gsym_loaded *m, int fd)
{
	struct stat program, data;
	int there = gsym_fd_open_below(root, m->shown.path);
	bool is = there >= 0 && fstat(there, &program) == 0 &&
		  fstat(fd, &data) == 0 && m->inode &&
		  (uint64_t)program.st_ino == m->inode &&
		  !is_before(SYSTEM_CHANGED(&data), SYSTEM_CHANGED(&program));

	if (there >= 0)
		close(there);
	return is;
}

/* Whether the GSYM data with HEADER in the file FD, found by the path of M
 * below ROOT, are those of M. */
static bool is_of(const char *root, const struct gsym_loaded *m,
		  const struct gsym_header *header, int fd)
{
	if (!m->shown.build_id_size)
		return !header->uuid_size && is_beside(root, m, fd);
	return gsym_uuid_matches(header->uuid, header->uuid_size,
				 m->shown.build_id, m->shown.build_id_size);
}

/* Open the GSYM data of the file below ROOT that has the path of M and SUFFIX,
 * if they are those of M. */
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
	if (status == GSYM_OK) {
		gsym_get_header(reader, &header);
		if (is_of(root, m, &header, fd)) {
			m->shown.reader = reader;
		} else {
			gsym_close(reader);
			status = GSYM_NOT_FOUND;
		}
	}
	close(fd);
	return status == GSYM_OK || status == GSYM_ERR_MEMORY ? status
							      : GSYM_NOT_FOUND;
}

static enum gsym_status load(const struct gsym_process *p,
			     struct gsym_loaded *m, struct gsym_store *store)
{
	const struct gsym_store_entry *entry;
	enum gsym_status status = GSYM_NOT_FOUND;

	if (store && m->shown.build_id_size)
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

		/* A guessed bias is that of a file that was not read. */
		if (m->executable && !m->shown.reader && !m->borrowed &&
		    (m->shown.build_id_size || !m->shown.bias_guessed) &&
		    load(p, m, store) == GSYM_ERR_MEMORY)
			return gsym_fail_memory(error);
	}
	if (p->symbols.count && !gsym_kernel_place(p))
		return gsym_fail_memory(error);
	return GSYM_OK;
}

/* The function of a JIT compiler that covers ADDRESS, which lies in memory
 * without a file; NULL if there is none. */
static const struct gsym_jit_symbol *jit_at(const struct gsym_process *p,
					    uint64_t address)
{
	struct gsym_process_place place;
	enum gsym_process_kind kind;

	if (!p->jit.count ||
	    gsym_process_find(p, address, &place) != GSYM_OK)
		return NULL;
	kind = p->modules.items[place.module].shown.kind;
	return kind == GSYM_PROCESS_MEMORY || kind == GSYM_PROCESS_MEMFD
		       ? gsym_perfmap_find(p, address)
		       : NULL;
}

/* Set *FRAME to the symbol of the kernel CONTEXT, or to the function of a JIT
 * compiler of another process, that covers the run-time address ADDRESS; false
 * if there is none. */
static bool symbol_at(const void *context, uint64_t address,
		      struct gsym_frame *frame)
{
	const struct gsym_kernel_symbol *k = gsym_kernel_find(context, address);
	const struct gsym_jit_symbol *jit = k ? NULL : jit_at(context, address);

	if (!k && !jit)
		return false;
	*frame = (struct gsym_frame){
		.function = k ? k->name : jit->name,
		.directory = "",
		.basename = "",
		.offset = address - (k ? k->address : jit->start),
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
