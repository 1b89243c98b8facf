/* SPDX-License-Identifier: MIT */
/* In place of the header <sys/mman.h>, which Windows lacks. */
#include "base/system_windows/posix.h"
