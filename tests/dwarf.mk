# SPDX-License-Identifier: MIT
# Tests of the dwarf room, and what others need to assemble DWARF.

# Link it with libbase.la.
check_LTLIBRARIES += libdwarfasm.la
libdwarfasm_la_SOURCES = tests/support/dwarf_asm.c tests/support/dwarf_asm.h
libdwarfasm_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
