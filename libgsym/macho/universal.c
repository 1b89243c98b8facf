/* SPDX-License-Identifier: MIT */
/*
 * Lists the programs of a universal file, and chooses one by its architecture.
 */
#include "macho/macho.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAT_HEADER_SIZE = 8 };

/* ---- names ------------------------------------------------------------ */

/* A subtype that stands for all subtypes without an entry of their own. */
enum { ANY = -1 };

/* Names of processors. */
static const struct {
	uint32_t type;
	int subtype;
	const char *name;
} names[] = {
	{ CPU_TYPE_X86, ANY, "i386" },
	{ CPU_TYPE_X86 | CPU_ARCH_ABI64, 8, "x86_64h" },
	{ CPU_TYPE_X86 | CPU_ARCH_ABI64, ANY, "x86_64" },
	{ CPU_TYPE_ARM, 5, "armv4t" },
	{ CPU_TYPE_ARM, 6, "armv6" },
	{ CPU_TYPE_ARM, 7, "armv5e" },
	{ CPU_TYPE_ARM, 8, "xscale" },
	{ CPU_TYPE_ARM, 9, "armv7" },
	{ CPU_TYPE_ARM, 11, "armv7s" },
	{ CPU_TYPE_ARM, 12, "armv7k" },
	{ CPU_TYPE_ARM, 14, "armv6m" },
	{ CPU_TYPE_ARM, 15, "armv7m" },
	{ CPU_TYPE_ARM, 16, "armv7em" },
	{ CPU_TYPE_ARM, ANY, "arm" },
	{ CPU_TYPE_ARM | CPU_ARCH_ABI64, 2, "arm64e" },
	{ CPU_TYPE_ARM | CPU_ARCH_ABI64, ANY, "arm64" },
	{ CPU_TYPE_ARM | CPU_ARCH_ABI64_32, ANY, "arm64_32" },
	{ CPU_TYPE_POWERPC, 0, "ppc" },
	{ CPU_TYPE_POWERPC, 10, "ppc7400" },
	{ CPU_TYPE_POWERPC, 11, "ppc7450" },
	{ CPU_TYPE_POWERPC, 100, "ppc970" },
	{ CPU_TYPE_POWERPC | CPU_ARCH_ABI64, ANY, "ppc64" },
};

static struct gsym_architecture architecture(uint32_t type, uint32_t subtype)
{
	struct gsym_architecture a = { .cpu_type = type,
				       .cpu_subtype = subtype };
	uint32_t plain = subtype & ~CPU_SUBTYPE_MASK;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].type != type || (names[i].subtype != ANY &&
					      names[i].subtype != (int)plain))
			continue;
		snprintf(a.name, sizeof(a.name), "%s", names[i].name);
		return a;
	}
	snprintf(a.name, sizeof(a.name), "cpu%u-%u", type, plain);
	return a;
}

bool gsym_architecture_matches(const struct gsym_architecture *a,
			       const char *what)
{
	uint64_t number;
	char *end;

	if (!a || !what)
		return false;
	if (!strcmp(a->name, what))
		return true;
	if (*what < '0' || *what > '9')
		return false;
	errno = 0;
	number = strtoull(what, &end, 0);
	return !*end && !errno && number == a->cpu_type;
}

/* ---- programs --------------------------------------------------------- */

/* Whether the last of SLICES overlaps no other, and no other has its
 * architecture. */
static bool last_is_apart(const struct macho_slices *slices)
{
	const struct macho_slice *last = &slices->items[slices->count - 1];

	for (size_t i = 0; i + 1 < slices->count; i++) {
		const struct macho_slice *other = &slices->items[i];

		if (!strcmp(other->architecture.name,
			    last->architecture.name) ||
		    (last->offset < other->offset + other->size &&
		     other->offset < last->offset + last->size))
			return false;
	}
	return true;
}

/* Check program NUMBER, the last of SLICES, of the COUNT programs of a
 * universal file of SIZE bytes. */
static enum gsym_status check_last(const struct macho_slices *slices,
				   uint32_t number, uint32_t count,
				   uint64_t size, struct gsym_error *error)
{
	const struct macho_slice *s = &slices->items[number];

	if (s->offset < FAT_HEADER_SIZE || s->offset > size ||
	    s->size > size - s->offset)
		return gsym_fail(error, GSYM_ERR_CORRUPT, FAT_HEADER_SIZE,
				 "universal header: program %u of %u does not "
				 "lie in the file",
				 number + 1, count);
	if (!last_is_apart(slices))
		return gsym_fail(error, GSYM_ERR_CORRUPT, FAT_HEADER_SIZE,
				 "universal header: program %u is there twice "
				 "or overlaps another",
				 number + 1);
	return GSYM_OK;
}

enum gsym_status gsym_macho_slices(const uint8_t *bytes, size_t size,
				   struct macho_slices *ret,
				   struct gsym_error *error)
{
	bool universal = gsym_machoview_is_universal(bytes, size);
	uint32_t count = gsym_machoview_count(bytes, size);

	if (!count)
		return universal ? gsym_fail(error, GSYM_ERR_CORRUPT, 4,
					     "universal header: no programs")
				 : gsym_fail(error, GSYM_ERR_FORMAT, 0,
					     "not a Mach-O file");
	for (uint32_t i = 0; i < count; i++) {
		struct macho_slice *place = gsym_vec_push(ret);
		enum gsym_status status = GSYM_OK;
		struct machoview_slice from;

		if (!place)
			return gsym_fail_memory(error);
		if (!gsym_machoview_slice(bytes, size, i, &from))
			return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
					 "%s header: it breaks off",
					 universal ? "universal" : "mach-o");
		*place = (struct macho_slice){
			.architecture = architecture(from.cpu, from.subtype),
			.offset = from.offset,
			.size = from.size,
		};
		if (universal)
			status = check_last(ret, i, count, size, error);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* ---- choosing --------------------------------------------------------- */

enum gsym_status gsym_macho_choose(const struct macho_slices *slices,
				   const char *name,
				   const struct macho_slice **ret,
				   struct gsym_error *error)
{
	char known[GSYM_ERROR_MESSAGE_SIZE / 2] = "";
	size_t used = 0;

	if (!name && slices->count == 1) {
		*ret = &slices->items[0];
		return GSYM_OK;
	}
	for (size_t i = 0; i < slices->count; i++) {
		const struct gsym_architecture *a =
			&slices->items[i].architecture;
		int n;

		if (gsym_architecture_matches(a, name)) {
			*ret = &slices->items[i];
			return GSYM_OK;
		}
		n = snprintf(known + used, sizeof(known) - used, "%s%s",
			     i ? ", " : "", a->name);
		if (n > 0 && (size_t)n < sizeof(known) - used)
			used += (size_t)n;
	}
	known[used] = '\0';
	if (!name)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "one of several architectures has to be "
				 "chosen: %s", known);
	return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
			 "no architecture '%.40s', only %s", name, known);
}
