/* SPDX-License-Identifier: MIT */
#include "go/linker.h"

const struct gsym_container_section *
gsym_go_section(const struct gsym_container *c, const char *elf,
		const char *macho)
{
	for (size_t i = 0; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];
		const char *comma = strchr(s->name, ',');

		if (s->loaded && s->data_size &&
		    (!strcmp(s->name, elf) ||
		     (comma && !strcmp(comma + 1, macho))))
			return s;
	}
	return NULL;
}

void gsym_go_find_symbols(const struct gsym_container *c,
			  struct go_symbols *ret)
{
	const struct wanted {
		const char *name;
		uint64_t *value;
	} wanted[] = {
		{ "runtime.pclntab", &ret->table },
		{ "pclntab", &ret->table },
		{ "runtime.epclntab", &ret->table_end },
		{ "epclntab", &ret->table_end },
		{ "symtab", &ret->symbols },
		{ "esymtab", &ret->symbols_end },
		{ "runtime.firstmoduledata", &ret->module },
		{ "runtime.text", &ret->text },
	};

	*ret = (struct go_symbols){ 0 };
	for (size_t i = 0; i < c->symbols.count; i++)
		for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++)
			if (!*wanted[k].value &&
			    !strcmp(c->symbols.items[i].name, wanted[k].name))
				*wanted[k].value = c->symbols.items[i].value;
}
