/* SPDX-License-Identifier: MIT */
/* In place of the header <poll.h>, which Windows lacks. */
#include "base/system_windows/posix.h"
