/* SPDX-License-Identifier: MIT */
#include "store/symbols.h"

#include "base/cursor.h"
#include "base/vec.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The constants of the System V ABI that are needed. */
enum {
	CLASS_64 = 2,
	DATA_BIG = 2,
	SHT_OF_SYMBOLS = 2,
	SHT_OF_DYNAMIC_SYMBOLS = 11,
	SHT_WITHOUT_BYTES = 8,
	TYPE_NONE = 0,
	TYPE_OBJECT = 1,
	TYPE_FUNCTION = 2,
	TYPE_IFUNC = 10,
	INDEX_RESERVED = 0xff00,
	INDEX_EXTENDED = 0xffff,
};

/* How far a symbol without size reaches at most. */
enum { FARTHEST = 64 << 10 };

struct symbol {
	uint64_t start;
	uint64_t size;
	uint32_t name;
	uint32_t section;
	/** Its place in the table. */
	uint64_t number;
};

struct section {
	uint32_t type, link;
	uint64_t address, offset, size, entry_size;
};

struct gsym_symbols {
	const uint8_t *data;
	size_t size;
	bool mapped;
	bool swap;
	unsigned word;
	struct {
		GSYM_VEC(struct section);
	} sections;
	struct {
		GSYM_VEC(struct symbol);
	} symbols;
	const char *names;
	uint64_t names_size;
};

static bool inside(const struct gsym_symbols *s, const struct section *x)
{
	return x->type != SHT_WITHOUT_BYTES && x->offset <= s->size &&
	       x->size <= s->size - x->offset;
}

static struct section read_section(const struct gsym_symbols *s, uint64_t at)
{
	struct gsym_cursor c = gsym_cursor_init(s->data, s->size, s->swap);
	struct section ret;

	gsym_cursor_seek(&c, at);
	gsym_cursor_u32(&c);
	ret.type = gsym_cursor_u32(&c);
	gsym_cursor_uint(&c, s->word);
	ret.address = gsym_cursor_uint(&c, s->word);
	ret.offset = gsym_cursor_uint(&c, s->word);
	ret.size = gsym_cursor_uint(&c, s->word);
	ret.link = gsym_cursor_u32(&c);
	gsym_cursor_u32(&c);
	gsym_cursor_uint(&c, s->word);
	ret.entry_size = gsym_cursor_uint(&c, s->word);
	return ret;
}

static bool read_sections(struct gsym_symbols *s)
{
	struct gsym_cursor c = gsym_cursor_init(s->data, s->size, s->swap);
	uint64_t table, count, room;
	unsigned entry_size;

	gsym_cursor_skip(&c, 16 + 2 + 2 + 4 + 2 * s->word);
	table = gsym_cursor_uint(&c, s->word);
	gsym_cursor_skip(&c, 4 + 2 + 2 + 2);
	entry_size = gsym_cursor_u16(&c);
	count = gsym_cursor_u16(&c);
	if (c.failed || !table || table >= s->size ||
	    entry_size < 16 + 6 * s->word)
		return false;
	room = (s->size - table) / entry_size;
	if (!count && room)
		count = read_section(s, table).size;
	if (count > room)
		count = room;
	for (uint64_t i = 0; i < count; i++) {
		struct section *to = gsym_vec_push(&s->sections);

		if (!to)
			return false;
		*to = read_section(s, table + i * entry_size);
	}
	return true;
}

static struct symbol read_symbol(struct gsym_cursor *c, unsigned word,
				 uint8_t *info)
{
	struct symbol ret = { 0 };

	ret.name = gsym_cursor_u32(c);
	if (word == 8) {
		*info = gsym_cursor_u8(c);
		gsym_cursor_u8(c);
		ret.section = gsym_cursor_u16(c);
		ret.start = gsym_cursor_u64(c);
		ret.size = gsym_cursor_u64(c);
	} else {
		ret.start = gsym_cursor_u32(c);
		ret.size = gsym_cursor_u32(c);
		*info = gsym_cursor_u8(c);
		gsym_cursor_u8(c);
		ret.section = gsym_cursor_u16(c);
	}
	return ret;
}

static bool wanted(const struct gsym_symbols *s, const struct symbol *symbol,
		   uint8_t info)
{
	uint8_t type = info & 15;

	if (type != TYPE_NONE && type != TYPE_OBJECT &&
	    type != TYPE_FUNCTION && type != TYPE_IFUNC)
		return false;
	return symbol->section && symbol->name < s->names_size &&
	       (symbol->section < INDEX_RESERVED ||
		symbol->section == INDEX_EXTENDED) &&
	       s->names[symbol->name] && s->names[symbol->name] != '$';
}

static void read_symbols(struct gsym_symbols *s, const struct section *table)
{
	uint64_t least = s->word == 8 ? 24 : 16;
	const struct section *names;

	if (table->link >= s->sections.count || !inside(s, table) ||
	    table->entry_size < least)
		return;
	names = &s->sections.items[table->link];
	/* The last byte is NUL, so that every name ends. */
	if (!inside(s, names) || !names->size ||
	    s->data[names->offset + names->size - 1])
		return;
	s->names = (const char *)s->data + names->offset;
	s->names_size = names->size;
	for (uint64_t i = 0; i < table->size / table->entry_size; i++) {
		struct gsym_cursor c = gsym_cursor_init(
			s->data + table->offset + i * table->entry_size,
			(size_t)table->entry_size, s->swap);
		uint8_t info;
		struct symbol symbol = read_symbol(&c, s->word, &info);
		struct symbol *to;

		if (!wanted(s, &symbol, info))
			continue;
		to = gsym_vec_push(&s->symbols);
		if (!to)
			return;
		symbol.number = i;
		*to = symbol;
	}
}

/* Equal starts: the largest last, and of equal ones the one that the table
 * has last, as llvm-symbolizer takes them. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The first table of TYPE.  Files have one; looking at more would let a small
 * file have the same symbols read any number of times. */
static void read_table(struct gsym_symbols *s, uint32_t type)
{
	for (size_t i = 0; i < s->sections.count; i++)
		if (s->sections.items[i].type == type) {
			read_symbols(s, &s->sections.items[i]);
			return;
		}
}

static bool read_all(struct gsym_symbols *s)
{
	if (s->size < 64 || memcmp(s->data, "\177ELF", 4) != 0 ||
	    s->data[4] < 1 || s->data[4] > CLASS_64 || s->data[5] < 1 ||
	    s->data[5] > DATA_BIG)
		return false;
	s->word = s->data[4] == CLASS_64 ? 8 : 4;
	s->swap = (s->data[5] == DATA_BIG) != GSYM_HOST_BIG_ENDIAN;
	if (!read_sections(s))
		return false;
	read_table(s, SHT_OF_SYMBOLS);
	if (!s->symbols.count)
		read_table(s, SHT_OF_DYNAMIC_SYMBOLS);
	if (!s->symbols.count)
		return false;
	qsort(s->symbols.items, s->symbols.count, sizeof(*s->symbols.items),
	      by_address);
	return true;
}

struct gsym_symbols *gsym_symbols_open_memory(const uint8_t *data,
					      size_t size)
{
	struct gsym_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->data = data;
	s->size = size;
	if (read_all(s))
		return s;
	gsym_symbols_close(s);
	return NULL;
}

struct gsym_symbols *gsym_symbols_open(const char *path)
{
	struct gsym_symbols *s = NULL;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	void *map = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size > 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			   fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return NULL;
	s = gsym_symbols_open_memory(map, (size_t)st.st_size);
	if (s)
		s->mapped = true;
	else
		munmap(map, (size_t)st.st_size);
	return s;
}

void gsym_symbols_close(struct gsym_symbols *s)
{
	if (!s)
		return;
	if (s->mapped)
		munmap((void *)s->data, s->size);
	gsym_vec_fini(&s->sections);
	gsym_vec_fini(&s->symbols);
	free(s);
}

/* Does the symbol, which has no size, reach ADDRESS? */
static bool reaches(const struct gsym_symbols *s, const struct symbol *symbol,
		    uint64_t address)
{
	const struct section *in;

	if (address == symbol->start)
		return true;
	if (address - symbol->start > FARTHEST ||
	    symbol->section >= s->sections.count)
		return false;
	in = &s->sections.items[symbol->section];
	return symbol->start >= in->address &&
	       symbol->start - in->address < in->size &&
	       address - in->address < in->size;
}

bool gsym_symbols_find(const struct gsym_symbols *s, uint64_t address,
		       unsigned flags, struct gsym_store_symbol *ret)
{
	size_t low = 0, high = s->symbols.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->symbols.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	const struct symbol *symbol = &s->symbols.items[low - 1];

	if (symbol->size ? address - symbol->start >= symbol->size
			 : !(flags & GSYM_STORE_FAR) &&
				  !reaches(s, symbol, address))
		return false;
	*ret = (struct gsym_store_symbol){ s->names + symbol->name,
					   symbol->start, symbol->size };
	return true;
}
