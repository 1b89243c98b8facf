/* SPDX-License-Identifier: MIT */
/* store/module.c - a program's file: its bytes, identity, sections, and symbols
 * by address and by name. */
#include <gsym/program.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/hash.h"
#include "store/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the bytes of a file ------------------------------------------------- */

/* A copy of the SIZE bytes at FILE, the mapped file FD, which is unmapped.
 * NULL with errno set on failure.  Bytes that the file has no longer are 0. */
static const uint8_t *copy(int fd, const uint8_t *file, size_t size)
{
	void *map = mmap(NULL, gsym_fd_room(size), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	gsym_fd_unmap(file, size);
	if (map == MAP_FAILED)
		return NULL;
	if (gsym_fd_read_at(fd, map, size, 0) >= 0)
		return map;
	error = errno;
	gsym_fd_unmap(map, size);
	errno = error;
	return NULL;
}

enum gsym_status gsym_store_map_fd(int fd, bool copied, const uint8_t **ret,
				   size_t *size, struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;

	*ret = gsym_fd_map(fd, size);
	if (*ret && copied)
		*ret = copy(fd, *ret, *size);
	if (!*ret && errno) {
		status = gsym_fail(error, GSYM_ERR_IO, 0,
				   "cannot %s the file: %s",
				   copied ? "read" : "map", strerror(errno));
		*size = 0;
	}
	close(fd);
	return status;
}

static enum gsym_status map_path(const char *path, bool copied,
				 const uint8_t **ret, size_t *size,
				 struct gsym_error *error)
{
	int fd = gsym_fd_open_file(path);

	*ret = NULL;
	*size = 0;
	if (fd >= 0)
		return gsym_store_map_fd(fd, copied, ret, size, error);
	if (errno == EINVAL)
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "a folder, device or pipe, not a file");
	return gsym_fail(error, GSYM_ERR_IO, 0, "cannot open the file: %s",
			 strerror(errno));
}

/* ---- opening ------------------------------------------------------------- */

/* Open the SIZE bytes at BYTES, which the module does not own. */
static enum gsym_status open_bytes(const uint8_t *bytes, size_t size,
				   struct gsym_module **ret,
				   struct gsym_error *error)
{
	struct gsym_module *m = calloc(1, sizeof(*m));
	enum gsym_status status;

	if (!m)
		return gsym_fail_memory(error);
	status = gsym_object_open(bytes, size, &m->object, error);
	if (status == GSYM_OK && !gsym_object_place(&m->object))
		status = gsym_fail_memory(error);
	if (status != GSYM_OK) {
		free(m);
		return status;
	}
	m->id = gsym_object_id(&m->object, m->room, &m->id_size);
	*ret = m;
	return GSYM_OK;
}

enum gsym_status gsym_module_open_file(const char *path, bool copied,
				       struct gsym_module **ret,
				       struct gsym_error *error)
{
	const uint8_t *bytes;
	size_t size;
	enum gsym_status status =
		map_path(path, copied, &bytes, &size, error);

	if (status == GSYM_OK)
		status = open_bytes(bytes, size, ret, error);
	if (status != GSYM_OK) {
		gsym_fd_unmap(bytes, size);
		return status;
	}
	(*ret)->bytes = bytes;
	(*ret)->size = size;
	return GSYM_OK;
}

enum gsym_status gsym_module_open(const char *path, struct gsym_module **ret,
				  struct gsym_error *error)
{
	if (!path || !ret)
		return gsym_fail_argument(error);
	return gsym_module_open_file(path, false, ret, error);
}

static void free_symbols(struct gsym_module *m)
{
	gsym_arena_fini(&m->arena);
	gsym_vec_fini(&m->symbols);
	gsym_vec_fini(&m->files);
	gsym_vec_fini(&m->by_start);
	gsym_vec_fini(&m->by_name);
}

void gsym_module_close(struct gsym_module *m)
{
	if (!m)
		return;
	free_symbols(m);
	free(m->object.places);
	gsym_fd_unmap(m->bytes, m->size);
	free(m);
}

/* ---- facts and sections -------------------------------------------------- */

static uint64_t lowest_address(const struct object *object)
{
	uint64_t lowest = UINT64_MAX;
	struct object_segment s;

	for (uint64_t i = 0; gsym_object_segment(object, i, &s); i++)
		if (s.loaded && s.address < lowest)
			lowest = s.address;
	return lowest == UINT64_MAX ? 0 : lowest;
}

enum gsym_status gsym_module_get_facts(const struct gsym_module *m,
				       struct gsym_module_facts *facts)
{
	if (!m || !facts)
		return GSYM_ERR_ARGUMENT;
	*facts = (struct gsym_module_facts){
		.build_id = m->id,
		.build_id_size = m->id_size,
		.address_size = m->object.address_size,
		.relocatable = m->object.relocatable,
		.machine = m->object.machine,
		.lowest_address = lowest_address(&m->object),
		.cut_off = m->object.cut_off,
		.image_base = m->object.base,
	};
	return GSYM_OK;
}

enum gsym_status gsym_module_find_section(const struct gsym_module *m,
					  const char *name,
					  struct gsym_module_section *ret)
{
	struct object_section s;

	if (!m || !name || !ret)
		return GSYM_ERR_ARGUMENT;
	for (uint64_t i = 0; gsym_object_section(&m->object, i, &s); i++) {
		if (!object_name_is(&s.name, name))
			continue;
		*ret = (struct gsym_module_section){
			.address = s.address,
			.size = s.size,
			.data = s.data,
			.data_size = (size_t)s.data_size,
		};
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

enum gsym_status gsym_module_address_of(const struct gsym_module *m,
					uint64_t offset, uint64_t *address)
{
	struct object_loads loads;

	if (!m || !address)
		return GSYM_ERR_ARGUMENT;
	if (!gsym_object_loads(&m->object, &loads) ||
	    !gsym_object_linked(&loads, offset, address))
		return GSYM_NOT_FOUND;
	return GSYM_OK;
}

/* ---- symbols ------------------------------------------------------------- */

enum {
	/* The most bytes that a symbol without a size reaches. */
	FARTHEST = 64 << 10,
	/* The number of a file has 30 bits. */
	MOST_FILES = (1 << 30) - 1,
	/* Longer names are not found by name.  Many symbols may have the same
	 * long one, so this bounds the work for a symbol. */
	LONGEST_NAME = 1024,
};

/* Set *NUMBER to that of FILE, which may be NULL, in the order of the symbols.
 * False without memory. */
static bool number_file(struct gsym_module *m, const char *file,
			uint32_t *number)
{
	size_t count = m->files.count;

	*number = 0;
	if (!file || !*file)
		return true;
	if (!count || m->files.items[count - 1] != file) {
		if (count == MOST_FILES)
			return true;
		if (!gsym_vec_add(&m->files, file))
			return false;
	}
	*number = (uint32_t)m->files.count;
	return true;
}

/* Append the symbols of table TABLE; false without memory. */
static bool read_table(struct gsym_module *m, unsigned table)
{
	struct object_walk walk = { .table = table };
	struct object_symbol from;

	while (gsym_object_symbol(&m->object, &walk, &from)) {
		struct module_symbol to = {
			.start = from.address,
			.size = from.size,
			.name = from.name.bytes,
			.section = (uint32_t)from.section,
			.local = from.local,
			.first = from.first,
		};
		uint32_t file;

		if (!from.name.ends)
			to.name = gsym_arena_string(&m->arena, to.name,
						    from.name.size);
		if (!to.name || !number_file(m, from.file, &file))
			return false;
		to.file = file & MOST_FILES;
		if (!gsym_vec_add(&m->symbols, to))
			return false;
	}
	return m->symbols.count <= UINT32_MAX;
}

/* Fill in BY_START: gsym_module_find_symbol takes the last symbol of a start,
 * as llvm-symbolizer does.  False without memory. */
static bool sort_starts(struct gsym_module *m)
{
	struct module_order *o = &m->by_start;

	if (!gsym_vec_reserve(o, m->symbols.count))
		return false;
	for (; o->count < m->symbols.count; o->count++) {
		o->items[o->count] = (struct gsym_sort_item){
			.key = m->symbols.items[o->count].size,
			.index = (uint32_t)o->count,
		};
	}
	if (!gsym_sort_items(o->items, o->count))
		return false;
	for (size_t i = 0; i < o->count; i++)
		o->items[i].key = m->symbols.items[o->items[i].index].start;
	return gsym_sort_items(o->items, o->count);
}

/* Read the first table of symbols; ELF's .dynsym if .symtab is missing or has
 * no symbols that are wanted.  GSYM_NOT_FOUND: there are no symbols at all. */
static enum gsym_status read_all(struct gsym_module *m)
{
	bool done = gsym_object_place(&m->object);

	for (unsigned table = 0; done && table < 2 && !m->symbols.count;
	     table++)
		done = read_table(m, table);
	if (!done)
		return GSYM_ERR_MEMORY;
	if (!m->symbols.count)
		return GSYM_NOT_FOUND;
	return sort_starts(m) ? GSYM_OK : GSYM_ERR_MEMORY;
}

enum gsym_status gsym_module_read_symbols(struct gsym_module *m)
{
	enum gsym_status status = GSYM_OK;

	if (!m->symbols_read)
		status = read_all(m);
	m->symbols_read = status != GSYM_ERR_MEMORY;
	if (status == GSYM_ERR_MEMORY)
		free_symbols(m);
	return m->symbols_read && !m->symbols.count ? GSYM_NOT_FOUND : status;
}

enum gsym_status gsym_module_of_memory(const uint8_t *data, size_t size,
				       struct gsym_module **ret)
{
	enum gsym_status status;

	*ret = NULL;
	status = open_bytes(data, size, ret, NULL);
	if (status == GSYM_OK)
		status = gsym_module_read_symbols(*ret);
	if (status == GSYM_OK)
		return GSYM_OK;
	gsym_module_close(*ret);
	*ret = NULL;
	return status == GSYM_ERR_MEMORY ? status : GSYM_NOT_FOUND;
}

/* Whether SYMBOL, which has no size, reaches ADDRESS: that is at most FARTHEST
 * bytes away and in the same section. */
static bool reaches(const struct gsym_module *m,
		    const struct module_symbol *symbol, uint64_t address)
{
	struct object_section in;

	if (address == symbol->start)
		return true;
	if (address - symbol->start > FARTHEST ||
	    !gsym_object_section(&m->object, symbol->section, &in))
		return false;
	return symbol->start >= in.address &&
	       symbol->start - in.address < in.size &&
	       address - in.address < in.size;
}

/* The symbol that ADDRESS lies in; NULL if there is none. */
static const struct module_symbol *find(const struct gsym_module *m,
					uint64_t address, unsigned flags)
{
	size_t after = GSYM_FIRST(i, 0, m->by_start.count,
				  m->by_start.items[i].key > address);
	const struct module_symbol *symbol;

	if (!after)
		return NULL;
	symbol = &m->symbols.items[m->by_start.items[after - 1].index];
	if (symbol->size ? address - symbol->start >= symbol->size
			 : !(flags & GSYM_STORE_FAR) &&
				  !reaches(m, symbol, address))
		return NULL;
	return symbol;
}

bool gsym_module_find_symbol(const struct gsym_module *m, uint64_t address,
			     unsigned flags, struct gsym_store_symbol *ret)
{
	const struct module_symbol *symbol = find(m, address, flags);

	if (!symbol)
		return false;
	*ret = (struct gsym_store_symbol){ symbol->name,
					   symbol->start, symbol->size };
	return true;
}

enum gsym_status gsym_module_symbol_at(struct gsym_module *m, uint64_t address,
				       unsigned flags,
				       struct gsym_store_symbol *ret)
{
	enum gsym_status status;

	if (!m || !ret || flags & ~(unsigned)GSYM_STORE_FAR)
		return GSYM_ERR_ARGUMENT;
	status = gsym_module_read_symbols(m);
	if (status == GSYM_OK &&
	    !gsym_module_find_symbol(m, address, flags, ret))
		status = GSYM_NOT_FOUND;
	return status;
}

enum gsym_status gsym_module_file_at(struct gsym_module *m, uint64_t address,
				     unsigned flags, const char **file)
{
	const struct module_symbol *symbol;
	enum gsym_status status;

	if (!m || !file || flags & ~(unsigned)GSYM_MODULE_GLOBAL)
		return GSYM_ERR_ARGUMENT;
	status = gsym_module_read_symbols(m);
	if (status != GSYM_OK)
		return status;
	symbol = find(m, address, 0);
	if (!symbol || !symbol->file ||
	    (!symbol->local &&
	     (!symbol->first || !(flags & GSYM_MODULE_GLOBAL))))
		return GSYM_NOT_FOUND;
	*file = m->files.items[symbol->file - 1];
	return GSYM_OK;
}

/* ---- names ------------------------------------------------------------- */

static uint64_t hash_of(const struct gsym_module *m, const char *name,
			size_t size)
{
	return gsym_hash_bytes((uintptr_t)m, name, size);
}

bool gsym_module_sort_names(struct gsym_module *m)
{
	struct module_order *o = &m->by_name;

	if (o->count)
		return true;
	if (!gsym_vec_reserve(o, m->symbols.count))
		return false;
	for (; o->count < m->symbols.count; o->count++) {
		uint32_t index = m->by_start.items[o->count].index;
		const char *name = m->symbols.items[index].name;

		o->items[o->count] = (struct gsym_sort_item){
			.key = hash_of(m, name, strnlen(name, LONGEST_NAME)),
			.index = index,
		};
	}
	if (gsym_sort_items(o->items, o->count))
		return true;
	o->count = 0;
	return false;
}

bool gsym_module_named(const struct gsym_module *m, const char *name,
			size_t size, size_t skip,
			struct gsym_store_symbol *ret)
{
	uint64_t hash;
	size_t count = m->by_name.count, at;

	if (size > LONGEST_NAME)
		return false;
	hash = hash_of(m, name, size);
	at = GSYM_FIRST(i, 0, count, m->by_name.items[i].key >= hash);
	for (; at < count && m->by_name.items[at].key == hash; at++) {
		const struct module_symbol *symbol =
			&m->symbols.items[m->by_name.items[at].index];
		const char *found = symbol->name;

		if (strnlen(found, LONGEST_NAME + 1) != size ||
		    memcmp(found, name, size) != 0 || skip--)
			continue;
		*ret = (struct gsym_store_symbol){ found, symbol->start,
						   symbol->size };
		return true;
	}
	return false;
}

/* ---- without a module --------------------------------------------------- */

enum gsym_status gsym_store_read_id(const char *path, uint8_t *id,
				    size_t capacity, size_t *size,
				    struct gsym_error *error)
{
	struct gsym_module *m;
	enum gsym_status status;

	if (!path || !id || !size)
		return gsym_fail_argument(error);
	*size = 0;
	status = gsym_module_open(path, &m, error);
	if (status != GSYM_OK)
		return status;
	if (m->id && m->id_size <= capacity) {
		memcpy(id, m->id, m->id_size);
		*size = m->id_size;
	}
	gsym_module_close(m);
	return *size ? GSYM_OK : GSYM_NOT_FOUND;
}

enum gsym_status gsym_store_read_release(const char *path, char *release,
					 size_t capacity,
					 struct gsym_error *error)
{
	enum gsym_status status;
	const uint8_t *bytes, *found;
	size_t count, size = 0;
	struct elfview view;

	if (!path || !release || !capacity)
		return gsym_fail_argument(error);
	release[0] = '\0';
	status = map_path(path, false, &bytes, &count, error);
	if (status != GSYM_OK)
		return status;
	/* Kernels are ELF files. */
	status = gsym_elfview_open(bytes, count, &view, error);
	if (status == GSYM_OK &&
	    (!gsym_elfview_release(&view, &found, &size) || size >= capacity))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK) {
		memcpy(release, found, size);
		release[size] = '\0';
	}
	gsym_fd_unmap(bytes, count);
	return status;
}
