/* SPDX-License-Identifier: MIT */
/* The public functions that open a process and list its modules. */
#include "process/process.h"

#include "base/error.h"
#include "base/order.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum gsym_status gsym_process_read(const char *path,
				   struct gsym_fd_bytes *text,
				   struct gsym_error *error)
{
	int fd = gsym_fd_open(path, O_RDONLY);
	bool done = fd >= 0 && gsym_fd_read_to_end(fd, text);
	int why = errno;

	if (fd >= 0)
		close(fd);
	if (done)
		return GSYM_OK;
	return why == ENOMEM ? gsym_fail_memory(error)
			     : gsym_fail(error, GSYM_ERR_IO, 0,
					 "cannot read %s: %s", path,
					 strerror(why));
}

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
