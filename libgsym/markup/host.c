/* SPDX-License-Identifier: MIT */
/* Asks the host for symbols, frames and data. */
#include "markup/host.h"

#include <inttypes.h>

#include "base/digit.h"
#include "markup/diagnose.h"
#include "markup/filter.h"

const struct gsym_mk_mapping *gsym_mk_locate(struct gsym_markup *f,
					     uint64_t *address)
{
	struct gsym_mk_context *c = &f->process->context;
	const struct gsym_mk_mapping *m = gsym_mk_mapping_find(c, *address);
	const uint64_t four = (uint64_t)1 << 32;

	if (m || f->llvm)
		return m;
	/* A program may cut addresses to 32 bits although its segment reaches
	 * beyond 4 GiB. */
	if (*address < four && (m = gsym_mk_mapping_find(c, *address + four)) &&
	    m->start < four) {
		*address += four;
		return m;
	}
	if (*address >> 63 && f->options.headers) {
		const char *kernel = f->options.kernel_process;
		struct gsym_mk_process *p = gsym_mk_process_find(
			&f->processes,
			(struct gsym_mk_slice){ kernel ? kernel : "",
						kernel ? strlen(kernel) : 0 });

		if (p && p != f->process) {
			gsym_mk_process_use(&f->processes, p);
			return gsym_mk_mapping_find(&p->context, *address);
		}
	}
	return NULL;
}

static void say_missing(struct gsym_markup *f, struct gsym_mk_module *module)
{
	char id[2 * GSYM_MK_BUILD_ID + 1];

	gsym_digits(id, sizeof(id), module->build_id, module->build_id_size);
	gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
		    "no symbols for module #0x%" PRIx64 " \"%.*s\"; BuildID=%s",
		    module->id,
		    (int)(module->name.size < 200 ? module->name.size : 200),
		    module->name.at, id);
	module->missed = true;
}

void *gsym_mk_symbols(struct gsym_markup *f, struct gsym_mk_module *module)
{
	struct gsym_markup_module about = {
		.id = module->id,
		.name = module->name.at,
		.name_size = module->name.size,
		.build_id = module->build_id,
		.build_id_size = module->build_id_size,
	};

	if (!module->asked) {
		module->asked = true;
		/* The host may take long to find symbols: write the output so
		 * far. */
		gsym_mk_drain(&f->out, true);
		if (f->host.module)
			module->symbols =
				f->host.module(f->host.context, &about);
		if (!module->symbols && !f->llvm && !module->missed)
			say_missing(f, module);
	}
	if (!module->symbols)
		gsym_mk_trouble_note(&f->out, GSYM_MARKUP_ERROR,
				     "no symbols for this module");
	if (!module->symbols && f->llvm)
		gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
			    "could not find build ID");
	return module->symbols;
}

/* Ask the host for the levels of ADDRESS, and keep them for KEY. */
static struct gsym_mk_levels ask(struct gsym_markup *f,
				 const struct gsym_mk_memo_key *key,
				 void *symbols, uint64_t address)
{
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	struct gsym_mk_levels ret = { f->answer.own, 0 };
	gsym_mk_memo_place place;
	size_t size;

	ret.count = f->host.code(f->host.context, symbols, address, frames,
				 GSYM_MARKUP_MAX_FRAMES);
	for (size_t i = 0; i < ret.count; i++)
		ret.items[i] = (struct gsym_mk_level){ .frame = frames[i] };
	place = gsym_mk_memo_add(&f->memo, key, ret.items,
				 ret.count * sizeof(*ret.items));
	if (place)
		ret.items = gsym_mk_memo_at(&f->memo, place, &size);
	return ret;
}

/* The levels at PLACE in the memo. */
static struct gsym_mk_levels levels_at(const struct gsym_mk_memo *memo,
				       gsym_mk_memo_place place)
{
	size_t size;
	struct gsym_mk_level *items = gsym_mk_memo_at(memo, place, &size);
	size_t count = size / sizeof(*items);

	/* The texts are written as soon as the levels are known. */
	for (size_t i = 0; i < count; i++) {
		gsym_mk_memo_prefetch(memo, items[i].function);
		gsym_mk_memo_prefetch(memo, items[i].file);
	}
	return (struct gsym_mk_levels){ items, count };
}

struct gsym_mk_levels gsym_mk_levels_of(struct gsym_markup *f, void *symbols,
					uint64_t address)
{
	const struct gsym_mk_memo_key key = { GSYM_MK_MEMO_LEVELS, symbols,
					      address };
	struct gsym_mk_answer *a = &f->answer;
	gsym_mk_memo_place place;

	if (!symbols || !f->host.code)
		return (struct gsym_mk_levels){ NULL, 0 };
	if (a->symbols == symbols && a->address == address)
		return a->levels;
	place = gsym_mk_memo_find(&f->memo, &key);
	a->symbols = symbols;
	a->address = address;
	a->levels = place ? levels_at(&f->memo, place)
			  : ask(f, &key, symbols, address);
	return a->levels;
}

struct gsym_mk_levels gsym_mk_code(struct gsym_markup *f,
				   const struct gsym_mk_mapping *mapping,
				   uint64_t address)
{
	return gsym_mk_levels_of(f, gsym_mk_symbols(f, mapping->module),
				 gsym_mk_relative(mapping, address));
}

bool gsym_mk_data(struct gsym_markup *f, const struct gsym_mk_mapping *mapping,
		  uint64_t address, struct gsym_markup_datum *ret)
{
	void *symbols = gsym_mk_symbols(f, mapping->module);

	*ret = (struct gsym_markup_datum){ 0 };
	return symbols && f->host.data &&
	       f->host.data(f->host.context, symbols,
			    gsym_mk_relative(mapping, address), ret);
}

const char *gsym_mk_demangle(struct gsym_markup *f, const char *name)
{
	const struct gsym_mk_memo_key key = { GSYM_MK_MEMO_READABLE, name, 0 };
	gsym_mk_memo_place place;
	const char *plain;
	size_t size;

	if (!f->host.demangle)
		return name;
	place = gsym_mk_memo_find(&f->memo, &key);
	if (place)
		return gsym_mk_memo_at(&f->memo, place, &size);
	plain = f->host.demangle(f->host.context, name, true);
	if (plain != name)
		gsym_mk_memo_add(&f->memo, &key, plain, strlen(plain) + 1);
	return plain;
}
