/* SPDX-License-Identifier: MIT */
/* Hands names and files to the sink, each once. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "go/go.h"

#include "base/system.h"

/* Names and paths are shorter than this. */
enum { STRING_MAX = 1 << 18 };

void gsym_pclntab_strings_fini(struct pclntab_strings *s)
{
	gsym_keys_fini(&s->names.keys);
	gsym_vec_fini(&s->names);
	gsym_keys_fini(&s->files.keys);
	gsym_vec_fini(&s->files);
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

enum gsym_status gsym_go_put_file(const struct gsym_sink *sink,
				  const char *path, size_t length,
				  uint32_t *number)
{
	const char *slash = memrchr(path, '/', length);
	const char *base = slash ? slash + 1 : path;
	uint32_t directory = 0, basename = 0;
	enum gsym_status status = GSYM_OK;

	if (slash)
		status =
			sink->string(sink->self, path,
				     slash == path ? 1 : (size_t)(slash - path),
				     &directory);
	if (status == GSYM_OK)
		status = sink->string(sink->self, base,
				      length - (size_t)(base - path),
				      &basename);
	if (status == GSYM_OK)
		status = sink->file(sink->self, directory, basename, number);
	return status;
}

/* Set *NUMBER to the sink's number for TEXT, the path of a file if N is for
 * files, and a name otherwise.  N has the numbers by KEY; UINT32_MAX stands for
 * no text.  TEXT is handed over on the first use of KEY. */
static enum gsym_status number_for(struct pclntab_strings *s,
				   struct pclntab_numbers *n, uint32_t key,
				   const char *text, uint32_t *number)
{
	enum gsym_status status = GSYM_OK;
	uint32_t at;

	*number = 0;
	if (key == UINT32_MAX)
		return GSYM_OK;
	if (!gsym_keys_add(&n->keys, key, &at))
		return GSYM_ERR_MEMORY;
	if (at < n->count) {
		*number = n->items[at];
		return GSYM_OK;
	}
	if (!gsym_vec_reserve(n, 1))
		return GSYM_ERR_MEMORY;
	if (spend(s, text))
		status = n == &s->files
				 ? gsym_go_put_file(s->sink, text, strlen(text),
						    number)
				 : s->sink->string(s->sink->self, text,
						   strlen(text), number);
	n->items[n->count++] = *number;
	return status;
}

enum gsym_status gsym_pclntab_take_name(struct pclntab_strings *s,
					uint32_t offset, uint32_t *number)
{
	return number_for(s, &s->names, offset,
			  gsym_pclntab_name(s->table, offset), number);
}

enum gsym_status gsym_pclntab_take_file(struct pclntab_strings *s,
					uint32_t unit, int32_t value,
					uint32_t *number)
{
	const struct gsym_pclntab *t = s->table;
	uint32_t offset = file_offset(t, unit, value);

	return number_for(
		s, &s->files, offset,
		offset < t->files_end ? (const char *)t->bytes + offset : NULL,
		number);
}
