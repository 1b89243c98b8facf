/* SPDX-License-Identifier: MIT */
#include "container/input.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct gsym_container *with_sections(const char *const *names,
					    size_t count)
{
	struct gsym_container *c = calloc(1, sizeof(*c));

	for (size_t i = 0; i < count; i++)
		*gsym_vec_push(&c->sections) =
			(struct gsym_container_section){ .name =
				names[i], .address = i };
	return c;
}

Test(container, section_names)
{
	static const char *const names[] = {
		".text", ".zdebug_info", ".zdebug_line", ".debug_line",
		".text", ".ztext", ".zdebug_",
	};
	struct gsym_container *c = with_sections(names, 7);

	cr_assert_eq(gsym_container_section(c, ".text")->address, 0);
	cr_assert_eq(gsym_container_section(c, ".debug_info")->address, 1);
	cr_assert_eq(gsym_container_section(c, ".debug_line")->address, 3);
	cr_assert_eq(gsym_container_section(c, ".zdebug_line")->address, 2);
	cr_assert_null(gsym_container_section(c, ".debug_infos"));
	cr_assert_null(gsym_container_section(c, ".debug_inf"));
	gsym_container_free(c);
}

/* Memory of the container is given back; memory of others is left alone. */
Test(container, release)
{
	enum { SIZE = 1 << 20 };
	static const char *const names[] = { "made", "foreign" };
	struct gsym_container *c = with_sections(names, 2);
	uint8_t *made = malloc(SIZE), *foreign = malloc(SIZE);

	memset(made, 1, SIZE);
	memset(foreign, 1, SIZE);
	cr_assert(gsym_vec_add(&c->made, made));
	c->sections.items[0].data = made;
	c->sections.items[1].data = foreign;
	for (size_t i = 0; i < 2; i++) {
		c->sections.items[i].data_size = SIZE;
		gsym_container_release(c, &c->sections.items[i], SIZE / 4,
				       SIZE / 2);
		gsym_container_release(c, &c->sections.items[i], SIZE / 2,
				       SIZE + 1);
	}
	cr_expect_eq(made[SIZE / 4 - 1], 1);
	cr_expect_eq(made[SIZE / 2 + 1], 1);
	cr_expect_eq(made[SIZE - 1], 1);
#ifdef __linux__
	cr_expect_eq(made[SIZE * 3 / 8], 0);
#endif
	for (size_t i = 0; i < SIZE; i++)
		cr_assert_eq(foreign[i], 1);
	free(foreign);
	gsym_container_free(c);
}

static void count_free(void *p)
{
	++*(int *)p;
}

Test(container, free_frees_alternates)
{
	struct gsym_container *c = with_sections(NULL, 0);
	struct gsym_container *other = with_sections(NULL, 0);
	int freed = 0;

	c->private_data = other->private_data = &freed;
	c->free_private = other->free_private = count_free;
	c->alternate = other;
	gsym_container_free(c);
	cr_assert_eq(freed, 2);
	gsym_container_free(NULL);
}

/* ---- opening ---------------------------------------------------------- */

/* Loads files that begin with an L. */
static enum gsym_status fill_l(struct gsym_container *c,
			       const struct gsym_load *from,
			       struct gsym_error *error)
{
	(void)error;
	if (from->bytes[0] != 'L')
		return GSYM_ERR_UNSUPPORTED;
	c->base = from->options->threads + from->size;
	return GSYM_OK;
}

static const struct gsym_input input_l = { .fill = fill_l };

static enum gsym_status open_text(const char *text,
				  struct gsym_container **ret)
{
	const struct gsym_convert_options options = { .threads = 100 };
	char path[] = "/tmp/gsym-container.XXXXXX";
	enum gsym_status status;
	size_t size = strlen(text);
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, size), (ssize_t)size);
	close(fd);
	status = gsym_container_open(&input_l, path, GSYM_LOAD_ALL, &options,
				     ret, NULL);
	unlink(path);
	return status;
}

Test(container, open_has_the_file)
{
	struct gsym_container *c = NULL;
	uint8_t *made = malloc(4);

	cr_assert_eq(open_text("Load", &c), GSYM_OK);
	cr_assert_eq(c->base, 104);
	cr_assert_eq(c->file.size, 4);
	cr_assert_arr_eq(c->file.bytes, "Load", 4);
	/* Sanitizers see whether these bytes or the file leak. */
	cr_assert(made && gsym_vec_add(&c->made, made));
	gsym_container_free(c);
}

/* Bytes of the file come by a read, or from the mapping where that fails; bytes
 * elsewhere are copied. */
Test(container, copies)
{
	struct gsym_container *c = NULL;
	char to[4] = "....";

	cr_assert_eq(open_text("Load these bytes", &c), GSYM_OK);
	gsym_container_copy(c, c->file.bytes + 5, to, 4);
	cr_expect_arr_eq(to, "thes", 4);
	gsym_container_copy(c, (const uint8_t *)"made", to, 3);
	cr_expect_arr_eq(to, "mads", 4);
	gsym_container_close_file(c);
	gsym_container_copy(c, c->file.bytes, to, 4);
	cr_expect_arr_eq(to, "Load", 4);
	gsym_container_free(c);
}

Test(container, open_fails)
{
	struct gsym_container *c = NULL;

	cr_assert_eq(open_text("no", &c), GSYM_ERR_UNSUPPORTED);
	cr_assert_eq(open_text("", &c), GSYM_ERR_FORMAT);
	cr_assert_eq(gsym_container_open(&input_l, "/", GSYM_LOAD_ALL, NULL, &c,
					 NULL),
		     GSYM_ERR_IO);
	cr_assert_null(c);
}

Test(container, warnings)
{
	struct gsym_container *c = with_sections(NULL, 0);
	char longer[1000];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	gsym_container_warn(c, GSYM_WARN_BAD_UNIT, "number %d", 7);
	gsym_container_warn(c, GSYM_WARN_BAD_DIE, "%s", longer);
	cr_assert_eq(c->warnings.count, 2);
	cr_assert_eq(c->warnings.items[0].kind, GSYM_WARN_BAD_UNIT);
	cr_assert_str_eq(c->warnings.items[0].text, "number 7");
	cr_assert_eq(strlen(c->warnings.items[1].text),
		     GSYM_ERROR_MESSAGE_SIZE - 1);
	gsym_container_free(c);
}
