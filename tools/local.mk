# SPDX-License-Identifier: MIT
# The tools: installed headers and tools/common, never a private header.
# They are linked with the static libraries (libtool's -static), so that a
# tool in the build tree is the program itself, not a wrapper.
