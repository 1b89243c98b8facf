# SPDX-License-Identifier: MIT
# Unit tests (criterion) mirror libgsym; scripts in tests/cli run the tools.

if HAVE_CRITERION
unit_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/tests $(CRITERION_CFLAGS)
endif

include tests/elf.mk
