/* SPDX-License-Identifier: MIT */
/* The Arrow schema of the answers. */
#include "batch/batch.h"

/* A field: its format string, its name, and whether it may be null. */
struct field {
	const char *format;
	const char *name;
	bool nullable;
};

/* The children of a schema: pointers to them, and the structs. */
struct children {
	struct ArrowSchema *pointers[5];
	struct ArrowSchema structs[5];
};

/* A consumer may have moved a child elsewhere: its release is NULL then. */
static void release(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
	free(schema->private_data);
	schema->release = NULL;
}

/* Set SCHEMA to FIELD with COUNT (up to 5) children, which are set to FIELDS;
 * false without memory, with a SCHEMA that may be released all the same. */
static bool make(struct ArrowSchema *schema, const struct field *field,
		 const struct field *fields, int64_t count)
{
	struct children *children;
	bool good = true;

	*schema = (struct ArrowSchema){
		.format = field->format,
		.name = field->name,
		.flags = field->nullable ? ARROW_FLAG_NULLABLE : 0,
		.release = release,
	};
	if (!count)
		return true;
	children = calloc(1, sizeof(*children));
	if (!children)
		return false;
	schema->private_data = children;
	schema->children = children->pointers;
	schema->n_children = count;
	for (int64_t i = 0; i < count; i++) {
		children->pointers[i] = &children->structs[i];
		good = make(&children->structs[i], &fields[i], NULL, 0) && good;
	}
	return good;
}

bool gsym_batch_make_schema(struct ArrowSchema *ret, unsigned flags)
{
	static const struct field root = { "+s", "", false },
				  item = { "+s", "item", false };
	static const struct field members[] = {
		{ "u", "function", false }, { "u", "file", false },
		{ "i", "line", false },	    { "l", "offset", false },
		{ "b", "inlined", false },
	};
	struct field columns[4] = { { "c", "status", false } };
	int64_t count = 1;

	if (flags & GSYM_BATCH_FRAMES)
		columns[count++] = (struct field){ "+l", "frames", false };
	if (flags & GSYM_BATCH_FOLDED)
		columns[count++] = (struct field){ "u", "folded", true };
	if (flags & GSYM_BATCH_LEAF)
		columns[count++] = (struct field){ "u", "leaf", true };
	if (!make(ret, &root, columns, count))
		goto failed;
	if (flags & GSYM_BATCH_FRAMES) {
		struct ArrowSchema *frames = ret->children[1];

		frames->release(frames);
		if (!make(frames, &columns[1], &item, 1) ||
		    !make(frames->children[0], &item, members, 5))
			goto failed;
	}
	return true;
failed:
	ret->release(ret);
	return false;
}
