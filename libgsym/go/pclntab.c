/* SPDX-License-Identifier: MIT */
/* The header, the function table, functions' records, entries of inline trees,
 * and pc-value tables; the layout of a table that does not tell it. */
#include "go/go.h"

#include "base/order.h"

/* ---- pc-value tables ----------------------------------------------------- */

/* The most pairs with a length of 0.  Compilers write none; in a hostile table
 * they would take time for no code. */
enum { EMPTY_PAIRS = 64 };

enum pclntab_result gsym_pclntab_values(const struct gsym_pclntab *t,
					uint32_t offset, uint32_t size,
					struct pclntab_values *values)
{
	uint64_t at = t->values + offset;
	uint64_t limit = t->era == PCLNTAB_1_2 ? t->size : t->functions;
	struct gsym_cursor c = gsym_cursor_init(t->bytes, (size_t)limit,
						t->swap);
	unsigned empty = 0;
	uint32_t value = UINT32_MAX;
	uint64_t pc = 0;

	values->count = 0;
	if (!offset)
		return PCLNTAB_OK;
	if (at >= limit)
		return PCLNTAB_DAMAGED;
	gsym_cursor_seek(&c, at);
	for (bool first = true; pc < size; first = false) {
		uint64_t change = gsym_cursor_uleb(&c), length;

		if (!change && !first && !c.failed)
			break;
		length = gsym_cursor_uleb(&c);
		if (c.failed || (change | length) > UINT32_MAX ||
		    (!length && ++empty > EMPTY_PAIRS))
			return PCLNTAB_DAMAGED;
		value += (uint32_t)(change & 1 ? ~(change >> 1) : change >> 1);
		if (!length)
			continue;
		pc += length * t->quantum;
		if (!gsym_vec_add(values,
				  (struct pclntab_span){
					  pc < size ? (uint32_t)pc : size,
					  (int32_t)value }))
			return PCLNTAB_NO_MEMORY;
	}
	return PCLNTAB_OK;
}

int32_t gsym_pclntab_value(const struct pclntab_values *values, uint32_t offset)
{
	size_t found =
		GSYM_FIRST(i, 0, values->count, offset < values->items[i].end);

	return found < values->count ? values->items[found].value : -1;
}

/* ---- header and functions ------------------------------------------------ */

/* So many functions are checked to find out whether bytes are a function
 * table. */
enum { PROBE = 32 };

/* ---- header ----------------------------------------------------------- */

static bool read_era(uint32_t magic, enum pclntab_era *era)
{
	switch (magic) {
	case 0xfffffffb:
		*era = PCLNTAB_1_2;
		return true;
	case 0xfffffffa:
		*era = PCLNTAB_1_16;
		return true;
	case 0xfffffff0:
		*era = PCLNTAB_1_18;
		return true;
	case 0xfffffff1:
		*era = PCLNTAB_1_20;
		return true;
	}
	return false;
}

/* Read the offsets of the parts.  False if they do not ascend. */
static bool read_parts(struct gsym_pclntab *t, struct gsym_cursor *c)
{
	unsigned word = t->pointer_size;

	if (t->era == PCLNTAB_1_2) {
		t->functions = gsym_cursor_offset(c);
		return true;
	}
	gsym_cursor_skip(c, word); /* the number of files */
	if (t->era >= PCLNTAB_1_18)
		t->header_text = gsym_cursor_uint(c, word);
	t->names = gsym_cursor_uint(c, word);
	t->units = gsym_cursor_uint(c, word);
	t->files = gsym_cursor_uint(c, word);
	t->values = gsym_cursor_uint(c, word);
	t->functions = gsym_cursor_uint(c, word);
	return !c->failed && t->names >= gsym_cursor_offset(c) &&
	       t->units >= t->names && t->files >= t->units &&
	       t->values >= t->files && t->functions >= t->values &&
	       t->functions < t->size;
}

/* Check that the function table is within the bytes.  In the era 1.2 the
 * offset of the file table follows it. */
static bool find_tables(struct gsym_pclntab *t)
{
	struct gsym_cursor c = gsym_cursor_init(t->bytes, t->size, t->swap);
	uint64_t room = t->size - t->functions;
	uint64_t end;

	if (!t->count || t->count > room / (2u * t->entry_size))
		return false;
	end = t->functions + (2 * t->count + 1) * t->entry_size;
	if (end > t->size)
		return false;
	if (t->era != PCLNTAB_1_2)
		return true;
	gsym_cursor_seek(&c, end);
	t->files = gsym_cursor_u32(&c);
	return !c.failed && t->files < t->size;
}

/* The offset of the end of the last complete string in [START, END). */
static uint64_t strings_end(const struct gsym_pclntab *t, uint64_t start,
			    uint64_t end)
{
	while (end > start && t->bytes[end - 1])
		end--;
	return end;
}

static bool check_functions(const struct gsym_pclntab *t)
{
	uint64_t count = t->count < PROBE ? t->count : PROBE;

	for (uint64_t i = 0; i < count; i++) {
		struct pclntab_function f;

		if (gsym_pclntab_entry(t, i) > gsym_pclntab_entry(t, i + 1) ||
		    !gsym_pclntab_function(t, i, &f) ||
		    !gsym_pclntab_name(t, f.name))
			return false;
	}
	return gsym_pclntab_entry(t, t->count) > gsym_pclntab_entry(t, 0);
}

/* Read the header of T, whose bytes and memory are set, and check the places
 * of its parts. */
static bool read_header(struct gsym_pclntab *t)
{
	const struct gsym_memory *memory = t->memory;
	struct gsym_cursor c = gsym_cursor_init(t->bytes, t->size, t->swap);

	if (!read_era(gsym_cursor_u32(&c), &t->era) || gsym_cursor_u16(&c))
		return false;
	t->quantum = gsym_cursor_u8(&c);
	t->pointer_size = gsym_cursor_u8(&c);
	if ((t->quantum != 1 && t->quantum != 2 && t->quantum != 4) ||
	    t->pointer_size != memory->address_size)
		return false;
	t->count = gsym_cursor_uint(&c, t->pointer_size);
	t->entry_size = t->era >= PCLNTAB_1_18 ? 4 : t->pointer_size;
	t->text = 0;
	if (c.failed || !read_parts(t, &c))
		return false;
	switch (t->era) {
	case PCLNTAB_1_2:
		break;
	case PCLNTAB_1_16:
	case PCLNTAB_1_18:
		t->tree = PCLNTAB_TREE_B;
		break;
	case PCLNTAB_1_20:
		t->tree = PCLNTAB_TREE_C;
		break;
	}
	t->tree_pcdata = 2;
	t->tree_funcdata = 3;
	return find_tables(t);
}

bool gsym_pclntab_possible(const struct gsym_memory *memory,
			   const uint8_t *bytes, uint64_t size)
{
	struct gsym_pclntab t = { .bytes = bytes, .size = (size_t)size,
				  .memory = memory, .swap = memory->swap };

	return read_header(&t);
}

bool gsym_pclntab_open(const struct gsym_memory *memory, uint64_t address,
		       const uint8_t *bytes, size_t size,
		       struct gsym_pclntab *t)
{
	*t = (struct gsym_pclntab){ .bytes = bytes, .size = size,
				    .address = address, .memory = memory,
				    .swap = memory->swap };
	if (!read_header(t))
		return false;
	t->names_end = strings_end(t, t->names, t->units ? t->units : size);
	t->files_end = strings_end(t, t->files, t->values ? t->values : size);
	return check_functions(t);
}

/* ---- functions -------------------------------------------------------- */

static uint64_t load(const struct gsym_pclntab *t, uint64_t offset,
		     unsigned size)
{
	return gsym_load_uint(t->bytes + offset, size, t->swap);
}

uint64_t gsym_pclntab_entry(const struct gsym_pclntab *t, uint64_t number)
{
	return load(t, t->functions + 2 * number * t->entry_size,
		    t->entry_size);
}

uint64_t gsym_pclntab_address(const struct gsym_pclntab *t, uint64_t number)
{
	uint64_t entry = gsym_pclntab_entry(t, number);

	for (size_t i = 0; i < t->text_count; i++) {
		const struct pclntab_text *text = &t->texts[i];

		if (entry >= text->vaddr &&
		    (entry < text->end ||
		     (entry == text->end && i + 1 == t->text_count)))
			return text->base + (entry - text->vaddr);
	}
	return t->text + entry;
}

const char *gsym_pclntab_name(const struct gsym_pclntab *t, uint32_t offset)
{
	if (!offset && t->era == PCLNTAB_1_2)
		return NULL;
	return t->names + offset < t->names_end
		       ? (const char *)t->bytes + t->names + offset
		       : NULL;
}

bool gsym_pclntab_function(const struct gsym_pclntab *t, uint64_t number,
			   struct pclntab_function *f)
{
	struct gsym_cursor c = gsym_cursor_init(t->bytes, t->size, t->swap);
	uint64_t record = load(t, t->functions + (2 * number + 1) *
					  t->entry_size, t->entry_size);

	if (record >= t->size)
		return false;
	if (t->era != PCLNTAB_1_2)
		record += t->functions;
	*f = (struct pclntab_function){
		.start = gsym_pclntab_address(t, number),
		.limit = gsym_pclntab_address(t, number + 1),
		.record = record,
		.unit = UINT32_MAX,
	};
	gsym_cursor_seek(&c, record);
	if (gsym_cursor_uint(&c, t->entry_size) !=
		    gsym_pclntab_entry(t, number) || c.failed)
		return false;
	f->name = gsym_cursor_u32(&c);
	gsym_cursor_skip(&c, 12); /* arguments, frame, stack */
	f->file_values = gsym_cursor_u32(&c);
	f->line_values = gsym_cursor_u32(&c);
	f->pcdata_count = gsym_cursor_u32(&c);
	if (t->era >= PCLNTAB_1_16)
		f->unit = gsym_cursor_u32(&c);
	if (t->era >= PCLNTAB_1_20)
		f->start_line = gsym_cursor_u32(&c);
	if (t->wide_count) {
		f->funcdata_count = gsym_cursor_u32(&c);
	} else {
		gsym_cursor_skip(&c, 3);
		f->funcdata_count = gsym_cursor_u8(&c);
	}
	return !c.failed;
}

/* The offset of F's pcdata, which are offsets of pc-value tables. */
static uint64_t pcdata_offset(const struct gsym_pclntab *t,
			      const struct pclntab_function *f)
{
	return f->record + t->entry_size + 32 +
	       (t->era >= PCLNTAB_1_16 ? 4 : 0) +
	       (t->era >= PCLNTAB_1_20 ? 4 : 0);
}

/* The offset of F's funcdata. */
static uint64_t funcdata_offset(const struct gsym_pclntab *t,
				const struct pclntab_function *f)
{
	uint64_t at = pcdata_offset(t, f) + 4ull * f->pcdata_count;

	/* Until Go 1.17 funcdata are pointers, aligned as records are. */
	if (t->era < PCLNTAB_1_18 && (at - f->record) % t->pointer_size)
		at += 4;
	return at;
}

/* The offset of the end of the last function's record; 0 if it cannot be
 * read. */
static uint64_t records_end(const struct gsym_pclntab *t)
{
	struct pclntab_function f;
	uint64_t end;

	if (!gsym_pclntab_function(t, t->count - 1, &f))
		return 0;
	end = funcdata_offset(t, &f) + (uint64_t)f.funcdata_count *
		(t->era < PCLNTAB_1_18 ? t->pointer_size : 4);
	return end <= t->size ? end : 0;
}

/* ---- inline trees ------------------------------------------------------ */

uint32_t gsym_pclntab_tree_values(const struct gsym_pclntab *t,
				  const struct pclntab_function *f)
{
	struct gsym_cursor c = gsym_cursor_init(t->bytes, t->size, t->swap);

	if (t->tree == PCLNTAB_TREE_NONE || f->pcdata_count <= t->tree_pcdata ||
	    f->funcdata_count <= t->tree_funcdata)
		return 0;
	gsym_cursor_seek(&c, pcdata_offset(t, f) + 4ull * t->tree_pcdata);
	return gsym_cursor_u32(&c);
}

struct gsym_cursor gsym_pclntab_tree(const struct gsym_pclntab *t,
				     const struct pclntab_function *f)
{
	struct gsym_cursor c = gsym_cursor_init(t->bytes, t->size, t->swap);
	unsigned size = t->era < PCLNTAB_1_18 ? t->pointer_size : 4;
	uint64_t at;

	gsym_cursor_seek(&c, funcdata_offset(t, f) +
				     (uint64_t)size * t->tree_funcdata);
	at = gsym_cursor_uint(&c, size);
	if (t->era < PCLNTAB_1_18 ? !at : at == UINT32_MAX || !t->has_trees)
		c.failed = true;
	if (c.failed)
		return gsym_cursor_init(NULL, 0, t->swap);
	return gsym_memory_cursor(t->memory,
				  t->era < PCLNTAB_1_18 ? at : t->trees + at);
}

static unsigned entry_bytes(const struct gsym_pclntab *t)
{
	return t->tree == PCLNTAB_TREE_B ? 20 : 16;
}

/* Whether a string begins at OFFSET: the byte before it ends another one.
 * Until Go 1.15 strings lie between records, so the byte before may also be
 * the last one of a record, at an aligned offset. */
static bool is_name(const struct gsym_pclntab *t, uint32_t offset)
{
	const char *name = gsym_pclntab_name(t, offset);

	return name && (!offset || !name[-1] ||
			(t->era == PCLNTAB_1_2 && !(offset % t->pointer_size)));
}

bool gsym_pclntab_call(const struct gsym_pclntab *t, struct gsym_cursor c,
		       uint32_t index, uint64_t size, struct pclntab_call *call)
{
	unsigned pad = 0;

	*call = (struct pclntab_call){ .parent = -1 };
	gsym_cursor_seek(&c, (uint64_t)index * entry_bytes(t));
	switch (t->tree) {
	case PCLNTAB_TREE_NONE:
		return false;
	case PCLNTAB_TREE_A:
		call->parent = (int32_t)gsym_cursor_u32(&c);
		break;
	case PCLNTAB_TREE_B:
		call->parent = (int16_t)gsym_cursor_u16(&c);
		gsym_cursor_skip(&c, 1);
		pad = gsym_cursor_u8(&c);
		break;
	case PCLNTAB_TREE_C:
		gsym_cursor_skip(&c, 4);
		break;
	}
	if (t->tree != PCLNTAB_TREE_C) {
		call->file = gsym_cursor_u32(&c);
		call->line = gsym_cursor_u32(&c);
	}
	call->name = gsym_cursor_u32(&c);
	if (t->tree != PCLNTAB_TREE_A)
		call->pc = gsym_cursor_u32(&c);
	if (t->tree == PCLNTAB_TREE_C)
		call->start_line = gsym_cursor_u32(&c);
	return !c.failed && !pad && call->parent >= -1 &&
	       call->parent < (int64_t)index && call->pc < size &&
	       is_name(t, call->name);
}

/* ---- the layout, found by trial ------------------------------------------ */

enum {
	TREES = 2000, /**< trees to look at */
	ENTRIES = 64, /**< entries to look at in each */
};

/* Points for the layout from the inline tree of F, which has SIZE bytes: 1 if
 * the tree is sound, -10 if not, 0 if it has no entry.  INDEXES is scratch. */
static int judge(const struct gsym_pclntab *t, const struct pclntab_function *f,
		 uint32_t size, struct pclntab_values *indexes)
{
	int32_t last = -1;

	if (gsym_pclntab_values(t, gsym_pclntab_tree_values(t, f), size,
				indexes) != PCLNTAB_OK)
		return -10;
	for (size_t i = 0; i < indexes->count; i++)
		if (indexes->items[i].value > last)
			last = indexes->items[i].value;
	for (int32_t i = 0; i <= last && i < ENTRIES; i++) {
		struct pclntab_call call;

		if (!gsym_pclntab_call(t, gsym_pclntab_tree(t, f), (uint32_t)i,
				       size, &call) ||
		    call.line > INT32_MAX || call.start_line > INT32_MAX ||
		    (t->tree != PCLNTAB_TREE_C && !call.line))
			return -10;
	}
	return last >= 0;
}

/* Whether there are sound trees, and more than ten times as many as unsound
 * ones.  Functions that overlap an earlier one are skipped, so that the time is
 * bounded by the size of the code. */
static bool trees_are_sound(const struct gsym_pclntab *t)
{
	struct pclntab_values indexes = { 0 };
	int64_t points = 0;
	uint64_t end = 0;

	for (uint64_t i = 0, trees = 0; i < t->count && trees < TREES; i++) {
		struct pclntab_function f;
		int result;

		if (!gsym_pclntab_function(t, i, &f) || f.limit <= f.start ||
		    f.start < end || f.limit - f.start > UINT32_MAX ||
		    !gsym_memory_is_code(t->memory, f.start, f.limit) ||
		    !gsym_pclntab_tree_values(t, &f))
			continue;
		end = f.limit;
		result = judge(t, &f, (uint32_t)(f.limit - f.start), &indexes);
		points += result;
		trees += result != 0;
	}
	gsym_vec_fini(&indexes);
	return points > 0;
}

/* ---- the era 1.2 ------------------------------------------------------- */

/* Whether the last 4 bytes of the records are several fields of a byte each, as
 * since Go 1.12, and not one number: then in some function the highest byte of
 * the number is not 0. */
static bool has_byte_fields(const struct gsym_pclntab *t)
{
	struct gsym_pclntab wide = *t;
	struct pclntab_function f;

	wide.wide_count = true;
	for (uint64_t i = 0; i < t->count; i++)
		if (gsym_pclntab_function(&wide, i, &f) &&
		    f.funcdata_count >> 24)
			return true;
	return false;
}

/* Find the layout of the records and the trees. */
static void find_fields(struct gsym_pclntab *t)
{
	static const struct layout {
		bool wide;
		enum pclntab_tree tree;
		uint8_t pcdata, funcdata;
	} layouts[] = {
		{ false, PCLNTAB_TREE_B, 2, 4 }, /* 1.13 to 1.15 */
		{ false, PCLNTAB_TREE_B, 1, 2 }, /* 1.12 */
		{ true, PCLNTAB_TREE_A, 1, 2 },  /* 1.9 to 1.11 */
	};
	/* In big-endian tables the count is the last byte of either layout, and
	 * reads the same. */
	bool little = t->swap == GSYM_HOST_BIG_ENDIAN;
	bool bytes = has_byte_fields(t);

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].wide ? bytes : !bytes && little)
			continue;
		t->wide_count = layouts[i].wide;
		t->tree = layouts[i].tree;
		t->tree_pcdata = layouts[i].pcdata;
		t->tree_funcdata = layouts[i].funcdata;
		if (trees_are_sound(t))
			return;
	}
	t->tree = PCLNTAB_TREE_NONE;
}

/* ---- since Go 1.26 ----------------------------------------------------- */

/* Find the address of the trees: they follow the records, at an alignment that
 * depends on the processor. */
static void find_trees(struct gsym_pclntab *t)
{
	uint64_t end = records_end(t);

	if (!end)
		return;
	t->has_trees = true;
	for (unsigned align = 4; align <= 32; align *= 2) {
		t->trees = (t->address + end + align - 1) & -(uint64_t)align;
		if (trees_are_sound(t))
			return;
	}
	t->has_trees = false;
}

void gsym_pclntab_find_layout(struct gsym_pclntab *t)
{
	if (t->era == PCLNTAB_1_2)
		find_fields(t);
	else if (t->era == PCLNTAB_1_20 && !t->header_text && !t->has_trees)
		find_trees(t);
}
