/* SPDX-License-Identifier: MIT */
/* In place of the other files self_*.c where the dynamic linker is unknown. */
#include "process/self.h"

enum gsym_status gsym_self_collect(struct self_objects *objects)
{
	(void)objects;
	return GSYM_ERR_UNSUPPORTED;
}
