/* SPDX-License-Identifier: MIT */
/* In place of the header <regex.h>, which Windows lacks. */
#include "base/system_windows/posix.h"
