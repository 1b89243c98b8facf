/* SPDX-License-Identifier: MIT */
/* The Arrow schema of the answers. */
#include "batch/batch.h"

/* A field: its format string, its name, whether it may be null, and its COUNT
 * (up to 5) children. */
struct field {
	const char *format;
	const char *name;
	bool nullable;
	const struct field *children;
	int64_t count;
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

/* Set SCHEMA to FIELD; false without memory, with a SCHEMA that may be released
 * all the same. */
static bool make(struct ArrowSchema *schema, const struct field *field)
{
	struct children *children;
	bool good = true;

	*schema = (struct ArrowSchema){
		.format = field->format,
		.name = field->name,
		.flags = field->nullable ? ARROW_FLAG_NULLABLE : 0,
		.release = release,
	};
	if (!field->count)
		return true;
	children = calloc(1, sizeof(*children));
	if (!children)
		return false;
	schema->private_data = children;
	schema->children = children->pointers;
	schema->n_children = field->count;
	for (int64_t i = 0; i < field->count; i++) {
		children->pointers[i] = &children->structs[i];
		good = make(&children->structs[i], &field->children[i]) && good;
	}
	return good;
}

bool gsym_batch_make_schema(struct ArrowSchema *ret, unsigned flags)
{
	static const struct field members[] = {
		{ "u", "function", false, NULL, 0 },
		{ "u", "file", false, NULL, 0 },
		{ "i", "line", false, NULL, 0 },
		{ "l", "offset", false, NULL, 0 },
		{ "b", "inlined", false, NULL, 0 },
	};
	static const struct field frame = { "+s", "item", false, members, 5 };
	struct field columns[4] = { { "c", "status", false, NULL, 0 } };
	struct field root = { "+s", "", false, columns, 1 };

	if (flags & GSYM_BATCH_FRAMES)
		columns[root.count++] =
			(struct field){ "+l", "frames", false, &frame, 1 };
	if (flags & GSYM_BATCH_FOLDED)
		columns[root.count++] =
			(struct field){ "u", "folded", true, NULL, 0 };
	if (flags & GSYM_BATCH_LEAF)
		columns[root.count++] =
			(struct field){ "u", "leaf", true, NULL, 0 };
	if (make(ret, &root))
		return true;
	ret->release(ret);
	return false;
}
