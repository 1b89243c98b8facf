/* SPDX-License-Identifier: MIT */
/* process/self.c - the memory map of the calling process, as its dynamic linker
 * knows it. */
#include "process/self.h"

#include "base/error.h"

/* Let M belong to the module of OBJECT.  False without memory. */
static bool place(struct gsym_process *p, struct gsym_mapping *m,
		  struct self_object *object)
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
	struct self_objects objects = { 0 };
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct gsym_process *p;
	bool done;

	if (!ret)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "result is missing");
	p = objects.process = gsym_process_new(0, "");
	if (p)
		status = gsym_self_collect(&objects);
	done = status == GSYM_OK;
	if (done)
		gsym_process_sort(p);
	for (size_t i = 0; done && i < p->mappings.count; i++) {
		struct gsym_mapping *m = &p->mappings.items[i];

		done = place(p, m, &objects.items[m->inode - 1]);
	}
	gsym_vec_fini(&objects);
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
