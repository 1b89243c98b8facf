/* SPDX-License-Identifier: MIT */
/* In place of the other files self_*.c where the dynamic linker is unknown. */
#include "process/process.h"

enum gsym_status gsym_self_collect(struct gsym_self *self)
{
	(void)self;
	return GSYM_ERR_UNSUPPORTED;
}
