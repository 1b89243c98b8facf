/* SPDX-License-Identifier: MIT */
#include "input/container.h"

#include <criterion/criterion.h>

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
