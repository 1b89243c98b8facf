/* SPDX-License-Identifier: MIT */
/* Hands names and files to the sink, each once. */
#include "go/go.h"

/* Names and paths are shorter than this. */
enum { STRING_MAX = 1 << 18 };

/* ---- numbers ---------------------------------------------------------- */

static size_t slot_of(const struct pclntab_numbers *n, uint32_t key)
{
	size_t mask = n->slot_count - 1;
	size_t at = (key * 0x9e3779b97f4a7c15ull >> 32) & mask;

	while (n->slots[at].key && n->slots[at].key != key + 1)
		at = (at + 1) & mask;
	return at;
}

static bool grow(struct pclntab_numbers *n)
{
	struct pclntab_numbers larger = { .count = n->count };

	larger.slot_count = n->slot_count ? 2 * n->slot_count : 1024;
	larger.slots = calloc(larger.slot_count, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < n->slot_count; i++)
		if (n->slots[i].key)
			larger.slots[slot_of(&larger, n->slots[i].key - 1)] =
				n->slots[i];
	free(n->slots);
	*n = larger;
	return true;
}

/* The number of KEY, which is not UINT32_MAX. *IS_NEW: KEY was added; its
 * number is 0, and the caller has to set it.  NULL without memory. */
static uint32_t *take(struct pclntab_numbers *n, uint32_t key, bool *is_new)
{
	struct pclntab_number *slot;

	if (2 * n->count >= n->slot_count && !grow(n))
		return NULL;
	slot = &n->slots[slot_of(n, key)];
	*is_new = !slot->key;
	if (*is_new) {
		slot->key = key + 1;
		slot->number = 0;
		n->count++;
	}
	return &slot->number;
}

void gsym_pclntab_strings_fini(struct pclntab_strings *s)
{
	free(s->names.slots);
	free(s->files.slots);
}

/* ---- strings ---------------------------------------------------------- */

/* Count TEXT, which may be NULL, against the budget.  False if TEXT is NULL,
 * too long or beyond the budget. */
static bool spend(struct pclntab_strings *s, const char *text)
{
	size_t length = text && s->budget ? strnlen(text, STRING_MAX) : 0;

	if (!text || length == STRING_MAX || length >= s->budget) {
		if (length < STRING_MAX && text)
			s->budget = 0;
		s->bad++;
		return false;
	}
	s->budget -= length + 1;
	return true;
}

enum gsym_status gsym_pclntab_take_name(struct pclntab_strings *s,
					uint32_t offset, uint32_t *number)
{
	enum gsym_status status;
	const char *text;
	uint32_t *slot;
	bool is_new;

	*number = 0;
	if (offset == UINT32_MAX)
		return GSYM_OK;
	slot = take(&s->names, offset, &is_new);
	if (!slot)
		return GSYM_ERR_MEMORY;
	*number = *slot;
	if (!is_new)
		return GSYM_OK;
	text = gsym_pclntab_name(s->table, offset);
	if (!spend(s, text))
		return GSYM_OK;
	status = s->sink->string(s->sink->self, text, strlen(text), number);
	if (status == GSYM_OK)
		*slot = *number;
	return status;
}

/* The offset in the table of the name of file VALUE of UNIT; UINT32_MAX: there
 * is none. */
static uint32_t file_offset(const struct gsym_pclntab *t, uint32_t unit,
			    int32_t value)
{
	struct gsym_cursor c = gsym_cursor_init(t->bytes, t->size, t->swap);
	uint64_t at;
	uint32_t offset;

	if (value < 0)
		return UINT32_MAX;
	if (t->era == PCLNTAB_1_2) {
		gsym_cursor_seek(&c, t->files);
		if (!value || (uint32_t)value > gsym_cursor_u32(&c))
			return UINT32_MAX;
		gsym_cursor_seek(&c, t->files + 4ull * (uint32_t)value);
		offset = gsym_cursor_u32(&c);
		return c.failed ? UINT32_MAX : offset;
	}
	at = t->units + 4 * ((uint64_t)unit + (uint32_t)value);
	if (unit == UINT32_MAX || at > t->files || t->files - at < 4)
		return UINT32_MAX;
	gsym_cursor_seek(&c, at);
	offset = gsym_cursor_u32(&c);
	if (offset == UINT32_MAX || t->files + offset > UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)t->files + offset;
}

/* Hand over the file PATH, split at its last '/'. */
static enum gsym_status put_file(const struct gsym_sink *sink,
				 const char *path, uint32_t *number)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	uint32_t directory = 0;
	uint32_t basename = 0;
	enum gsym_status status = GSYM_OK;

	if (slash)
		status =
			sink->string(sink->self, path,
				     slash == path ? 1 : (size_t)(slash - path),
				     &directory);
	if (status == GSYM_OK)
		status = sink->string(sink->self, base, strlen(base),
				      &basename);
	if (status == GSYM_OK)
		status = sink->file(sink->self, directory, basename, number);
	return status;
}

enum gsym_status gsym_pclntab_take_file(struct pclntab_strings *s,
					uint32_t unit, int32_t value,
					uint32_t *number)
{
	const struct gsym_pclntab *t = s->table;
	uint32_t offset = file_offset(t, unit, value);
	enum gsym_status status;
	const char *path;
	uint32_t *slot;
	bool is_new;

	*number = GSYM_FILE_NOSRC;
	if (offset == UINT32_MAX)
		return GSYM_OK;
	slot = take(&s->files, offset, &is_new);
	if (!slot)
		return GSYM_ERR_MEMORY;
	*number = *slot;
	if (!is_new)
		return GSYM_OK;
	path = offset < t->files_end ? (const char *)t->bytes + offset : NULL;
	if (!spend(s, path))
		return GSYM_OK;
	status = put_file(s->sink, path, number);
	if (status == GSYM_OK)
		*slot = *number;
	return status;
}
