/* SPDX-License-Identifier: MIT */
/* .symtab and .dynsym. */
#include "elf/elf_file.h"

struct table {
	Elf_Data *data;
	Elf_Data *long_numbers; /* of sections; NULL: none */
	struct elfview_strings strings;
	bool versions; /* its names carry them */
};

/* The first section of TYPE, whose sh_link is LINK if that is not 0. */
static Elf_Scn *find_section(struct elf_file *file, uint32_t type, size_t link,
			     GElf_Shdr *shdr)
{
	for (size_t i = 1; i < file->header.section_count; i++) {
		Elf_Scn *scn = elf_getscn(file->elf, i);

		if (!gelf_getshdr(scn, shdr) || shdr->sh_type != type)
			continue;
		if (!link || shdr->sh_link == link)
			return scn;
	}
	return NULL;
}

/* The data of SCN, if the section's bytes are in the file as they are. */
static Elf_Data *section_data(struct elf_file *file, Elf_Scn *scn)
{
	if (!file->container->sections.items[elf_ndxscn(scn)].data)
		return NULL;
	return elf_getdata(scn, NULL);
}

/*
 * GNU ld, lld and gold append the version of a symbol to its name in
 * .symtab (memcpy@@GLIBC_2.14); .dynsym has versions in other sections.
 * What stands behind the @ has to look like a version, as there are
 * mangled names with an @ of their own (?f@@YAXXZ, _f@8 have none such).
 */
static size_t versionless_length(const char *name)
{
	const char *at = strchr(name, '@');
	const char *version;

	if (!at || at == name || name[0] == '?')
		return 0;
	version = at + (at[1] == '@' ? 2 : 1);
	if (!((*version >= 'A' && *version <= 'Z') ||
	      (*version >= 'a' && *version <= 'z') || *version == '_'))
		return 0;
	return (size_t)(at - name);
}

static enum gsym_symbol_type symbol_type(unsigned type, unsigned machine)
{
	switch (type) {
	case STT_NOTYPE:
		return GSYM_SYMBOL_NONE;
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return GSYM_SYMBOL_FUNCTION;
	case STT_OBJECT:
	case STT_COMMON:
		return GSYM_SYMBOL_OBJECT;
	case STT_ARM_TFUNC:
		return machine == EM_ARM ? GSYM_SYMBOL_FUNCTION
					 : GSYM_SYMBOL_OTHER;
	}
	return GSYM_SYMBOL_OTHER;
}

static enum gsym_symbol_binding symbol_binding(unsigned binding)
{
	switch (binding) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return GSYM_SYMBOL_GLOBAL;
	case STB_WEAK:
		return GSYM_SYMBOL_WEAK;
	}
	return GSYM_SYMBOL_LOCAL;
}

/* The section that SYM is in; SIZE_MAX if in none. */
static size_t symbol_section(const struct elf_file *file, const GElf_Sym *sym,
			     Elf32_Word long_number)
{
	size_t number = sym->st_shndx;

	if (number == SHN_XINDEX)
		number = long_number;
	else if (number >= SHN_LORESERVE)
		return SIZE_MAX;
	if (!number || number >= file->header.section_count)
		return SIZE_MAX;
	return number;
}

/* The name of a symbol; NULL if it is not in the strings.  *MEMORY becomes
 * false without memory. */
static const char *symbol_name(struct elf_file *file, const struct table *t,
			       const GElf_Sym *sym, bool *memory)
{
	const char *name = elfview_string(&t->strings, sym->st_name);
	size_t length;

	if (!name || !t->versions)
		return name;
	length = versionless_length(name);
	if (!length)
		return name;
	name = gsym_arena_string(&file->container->arena, name, length);
	*memory = name != NULL;
	return name;
}

static bool read_table(struct elf_file *file, const struct table *t,
		       const char *table_name)
{
	struct gsym_container *c = file->container;
	size_t entry = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count = t->data->d_size / entry;
	size_t nameless = 0;

	if (!gsym_vec_reserve(&c->symbols, count))
		return false;
	/* Entry 0 stands for "no symbol". */
	for (size_t i = 1; i < count && i <= INT32_MAX; i++) {
		Elf32_Word long_number = 0;
		bool memory = true;
		struct gsym_symbol s = { 0 };
		GElf_Sym sym;

		if (!gelf_getsymshndx(t->data, t->long_numbers, (int)i, &sym,
				      &long_number))
			continue;
		s.name = symbol_name(file, t, &sym, &memory);
		if (!memory)
			return false;
		if (!s.name) {
			nameless++;
			continue;
		}
		s.value = sym.st_value;
		s.size = sym.st_size;
		s.section = symbol_section(file, &sym, long_number);
		s.type = symbol_type(GELF_ST_TYPE(sym.st_info),
				     file->header.machine);
		s.binding = symbol_binding(GELF_ST_BIND(sym.st_info));
		if (c->code_bit0 && s.type == GSYM_SYMBOL_FUNCTION)
			s.value &= ~(uint64_t)1;
		if (c->relocatable && s.section != SIZE_MAX)
			s.value += c->sections.items[s.section].address;
		*gsym_vec_push(&c->symbols) = s;
	}
	if (nameless)
		gsym_container_warn(c, GSYM_WARN_BAD_SYMBOL,
				    "%s: %zu symbols have no name in the "
				    "string table", table_name, nameless);
	return true;
}

/* The table of TYPE; false if there is none with bytes.  A separate debug
 * file has .dynsym without bytes; anything else was warned of when the
 * sections were read. */
static bool find_table(struct elf_file *file, uint32_t type, struct table *t)
{
	GElf_Shdr shdr;
	GElf_Shdr numbers;
	Elf_Scn *scn = find_section(file, type, 0, &shdr);

	*t = (struct table){ .versions = type == SHT_SYMTAB };
	if (!scn || !shdr.sh_size)
		return false;
	t->data = section_data(file, scn);
	if (!t->data)
		return false;
	t->strings = gsym_elf_strings(file, shdr.sh_link);
	scn = find_section(file, SHT_SYMTAB_SHNDX, elf_ndxscn(scn), &numbers);
	if (scn)
		t->long_numbers = section_data(file, scn);
	return true;
}

static bool read_symbols(struct elf_file *file, uint32_t type,
			 const char *table_name)
{
	struct table t;

	if (!find_table(file, type, &t))
		return true;
	file->container->symbol_bytes += t.data->d_size + t.strings.limit;
	return read_table(file, &t, table_name);
}

bool gsym_elf_read_symbols(struct elf_file *file)
{
	return read_symbols(file, SHT_SYMTAB, ".symtab") &&
	       read_symbols(file, SHT_DYNSYM, ".dynsym");
}

size_t gsym_elf_symtab(struct elf_file *file)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(file, SHT_SYMTAB, 0, &shdr);

	return scn ? elf_ndxscn(scn) : 0;
}

/* What a relocation against SYM counts from. */
static uint64_t symbol_value(const struct elf_file *file, const GElf_Sym *sym,
			     Elf32_Word long_number)
{
	size_t section = symbol_section(file, sym, long_number);

	if (section != SIZE_MAX)
		return sym->st_value +
		       file->container->sections.items[section].address;
	/* The value of what is common is an alignment. */
	return sym->st_shndx == SHN_ABS ? sym->st_value : 0;
}

bool gsym_elf_symbol_values(struct elf_file *file, uint64_t **ret,
			    size_t *count)
{
	struct table t = { 0 };
	size_t found;

	*ret = NULL;
	*count = 0;
	if (!find_table(file, SHT_SYMTAB, &t))
		return true;
	found = t.data->d_size / gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	*ret = calloc(found ? found : 1, sizeof(**ret));
	if (!*ret)
		return false;
	*count = found;
	for (size_t i = 1; i < found && i <= INT32_MAX; i++) {
		Elf32_Word long_number = 0;
		GElf_Sym sym;

		if (gelf_getsymshndx(t.data, t.long_numbers, (int)i, &sym,
				     &long_number))
			(*ret)[i] = symbol_value(file, &sym, long_number);
	}
	return true;
}
