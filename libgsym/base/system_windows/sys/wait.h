/* SPDX-License-Identifier: MIT */
/* In place of the header <sys/wait.h>, which Windows lacks. */
#include "base/system_windows/posix.h"
