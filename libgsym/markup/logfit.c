/* SPDX-License-Identifier: MIT */
/* Functions of the kernel that have one name are told apart by the size that
 * the log has beside the name. */
#include "config.h"

#include "markup/logs.h"

#include "markup/filter.h"

/* Dead functions after another one that are looked at. */
#define DEAD GSYM_LIMIT(16u, 1)

/* Whether one more dead function may be looked at for the line at hand. */
static bool may_look(struct gsym_markup *f)
{
	if (!f->logs->dead_left)
		return false;
	f->logs->dead_left--;
	return true;
}

/* Whether the function FOUND may have SIZE bytes in the log. */
static bool fits(const struct gsym_markup_log_function *found, uint64_t size,
		 uint64_t offset)
{
	if (found->extent)
		return found->extent == size;
	/* The bytes up to the end of a section are not known. */
	return offset <= size && found->size <= size;
}

uint64_t gsym_mk_log_size(const struct gsym_markup_log_function *found)
{
	return found->extent ? found->extent : found->size;
}

/* The bytes up to the start of the function after the one at ADDRESS, if that
 * one begins there and others have its name; 0 otherwise. */
static uint64_t dead_size(struct gsym_markup *f, void *symbols,
			  uint64_t address)
{
	struct gsym_markup_log_function found[GSYM_MK_LOG_ROOM_FUNCTIONS];
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	const char *name;
	size_t count;

	count = f->host.code(f->host.context, symbols, address, frames,
			     GSYM_MARKUP_MAX_FRAMES);
	if (!count || frames[count - 1].offset)
		return 0;
	name = frames[count - 1].function;
	count = f->host.log_functions(f->host.context, symbols, name,
				      strlen(name), found,
				      GSYM_MK_LOG_FUNCTIONS);
	for (size_t i = 0; count > 1 && i < count && i < GSYM_MK_LOG_FUNCTIONS;
	     i++)
		if (found[i].start == address)
			return found[i].extent;
	return 0;
}

/* Whether FOUND has SIZE bytes if the functions after it that are dead belong
 * to it.  A weak function that another one replaces stays in the kernel's code
 * and in its debug info, but the kernel's table of symbols does not have it:
 * the function before it seems to reach to its end. */
static bool fits_with_dead(struct gsym_markup *f, void *symbols,
			   const struct gsym_markup_log_function *found,
			   uint64_t size, uint64_t offset)
{
	uint64_t reached = found->extent;

	/* No call returns into a dead function. */
	if (!reached || offset > reached)
		return false;
	for (size_t i = 0; i < DEAD && reached < size; i++) {
		if (!may_look(f))
			return false;
		uint64_t more = dead_size(f, symbols, found->start + reached);

		if (!more || more > size - reached)
			return false;
		reached += more;
	}
	return reached == size;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

size_t gsym_mk_log_keep_nearest(const struct logs_frame *frame,
				struct gsym_markup_log_function *found,
				size_t count)
{
	uint64_t nearest = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t far = distance(gsym_mk_log_size(&found[i]),
					frame->size);

		if (far < nearest)
			nearest = far;
	}
	for (size_t i = 0; i < count; i++)
		if (distance(gsym_mk_log_size(&found[i]), frame->size) ==
		    nearest)
			found[kept++] = found[i];
	return kept;
}

/* Keep the COUNT functions at FOUND that have the size of FRAME with the dead
 * functions after them; returns their number. */
static size_t keep_with_dead(struct gsym_markup *f, void *symbols,
			     const struct logs_frame *frame,
			     struct gsym_markup_log_function *found,
			     size_t count)
{
	struct gsym_markup_log_function kept[GSYM_MK_LOG_ROOM_CHOICES + 1];
	size_t number = 0;

	/* One more than are shown says that there are too many. */
	for (size_t i = 0; i < count && number <= GSYM_MK_LOG_CHOICES; i++)
		if (fits_with_dead(f, symbols, &found[i], frame->size,
				   frame->number))
			kept[number++] = found[i];
	/* Those that were not looked at might fit, too. */
	if (!f->logs->dead_left)
		number = 0;
	for (size_t i = 0; i < number; i++)
		found[i] = kept[i];
	return number;
}

size_t gsym_mk_log_keep_fitting(struct gsym_markup *f, void *symbols,
				const struct logs_frame *frame,
				struct gsym_markup_log_function *found,
				size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct gsym_markup_log_function one = found[i];

		if (fits(&one, frame->size, frame->number))
			found[kept++] = one;
	}
	return kept ? kept : keep_with_dead(f, symbols, frame, found, count);
}
