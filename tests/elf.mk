# SPDX-License-Identifier: MIT
# Tests of the elf, container and convert rooms, and the builder of ELF files.

# Link it with libbase.la.
# Fuzz targets run on their own seeds here; see tests/fuzz/replay.c.
check_PROGRAMS += fuzz_elf
TESTS += fuzz_elf
fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c tests/fuzz/fuzz.h tests/fuzz/replay.c \
	tests/fuzz/sections.c tests/fuzz/sections.h
fuzz_elf_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests \
	$(ZLIB_CFLAGS) $(ZSTD_CFLAGS) $(LZMA_CFLAGS)
fuzz_elf_LDADD = libinputs.la libobject.la libelfbuilder.la libcore.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS)

# Its seeds are written with the constants of dwarf.h.
if HAVE_LIBDWARF
check_PROGRAMS += fuzz_convert
TESTS += fuzz_convert
endif
fuzz_convert_SOURCES = tests/fuzz/fuzz_convert.c tests/fuzz/fuzz.h \
	tests/fuzz/again.c tests/fuzz/again.h \
	tests/fuzz/replay.c tests/fuzz/sections.c tests/fuzz/sections.h \
	tests/fuzz/verify.c tests/fuzz/verify.h \
	tests/unit/dwarf/cases.h \
	tests/unit/dwarf/cases_file.c \
	tests/unit/dwarf/cases_content.c \
	tests/unit/dwarf/cases_line.c tests/unit/dwarf/cases_name.c \
	tests/unit/dwarf/cases_range.c tests/unit/dwarf/cases_tree.c
fuzz_convert_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests $(DWARF_CFLAGS) \
	$(ZLIB_CFLAGS)
fuzz_convert_LDADD = libinputs.la libobject.la libelfbuilder.la libmachobuilder.la \
	libdwarfasm.la \
	libgsym.la libcore.la libbuild.la libbase.la $(inputs_libs) \
	$(PTHREAD_LIBS)
fuzz_convert_LDFLAGS = $(AM_LDFLAGS) -static

if HAVE_CRITERION
elf_tests = test_elfview test_object test_elf_image test_elf_symbols test_find \
	test_fuzz_sections \
	test_find_debug test_join \
	test_inflate test_passing test_place test_plt test_frames test_nameless \
	test_relocate \
	test_container test_convert test_data test_edit test_symtab \
	test_transcode test_unnamed test_convert_sections
check_PROGRAMS += $(elf_tests)
TESTS += $(elf_tests)
elf_test_cppflags = $(unit_cppflags) $(ZLIB_CFLAGS) $(ZSTD_CFLAGS)
elf_test_ldadd = libinputs.la libobject.la libelfbuilder.la libcore.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS) $(CRITERION_LIBS)

if HAVE_LIBELF
check_PROGRAMS += test_elf_builder
TESTS += test_elf_builder
test_elf_builder_SOURCES = tests/unit/support/test_elf_builder.c
test_elf_builder_CPPFLAGS = $(unit_cppflags) $(ELF_CFLAGS)
test_elf_builder_LDADD = libelfbuilder.la libbase.la $(ELF_LIBS) \
	$(CRITERION_LIBS)
endif

test_object_SOURCES = tests/unit/object/test_object.c
test_object_CPPFLAGS = $(unit_cppflags)
test_object_LDADD = libobject.la libbase.la $(CRITERION_LIBS)
test_elfview_SOURCES = tests/unit/object/test_elfview.c
test_elfview_CPPFLAGS = $(unit_cppflags)
test_elfview_LDADD = libobject.la libelfbuilder.la libbase.la $(CRITERION_LIBS)

test_fuzz_sections_SOURCES = tests/unit/elf/test_fuzz_sections.c \
	tests/fuzz/sections.c tests/fuzz/sections.h
test_fuzz_sections_CPPFLAGS = $(elf_test_cppflags) $(ZLIB_CFLAGS)
test_fuzz_sections_LDADD = $(elf_test_ldadd) $(ZLIB_LIBS)

test_elf_image_SOURCES = tests/unit/elf/test_elf_image.c
test_elf_image_CPPFLAGS = $(elf_test_cppflags)
test_elf_image_LDADD = $(elf_test_ldadd)

test_elf_symbols_SOURCES = tests/unit/elf/test_symbols.c
test_elf_symbols_CPPFLAGS = $(elf_test_cppflags)
test_elf_symbols_LDADD = $(elf_test_ldadd)

test_find_debug_SOURCES = tests/unit/elf/test_find_debug.c
test_find_debug_CPPFLAGS = $(elf_test_cppflags)
test_find_debug_LDADD = $(elf_test_ldadd)

test_join_SOURCES = tests/unit/container/test_join.c
test_join_CPPFLAGS = $(elf_test_cppflags)
test_join_LDADD = $(elf_test_ldadd)

test_find_SOURCES = tests/unit/elf/test_find.c
test_find_CPPFLAGS = $(elf_test_cppflags)
test_find_LDADD = $(elf_test_ldadd)

test_plt_SOURCES = tests/unit/elf/test_plt.c
test_plt_CPPFLAGS = $(elf_test_cppflags)
test_plt_LDADD = $(elf_test_ldadd)
test_frames_SOURCES = tests/unit/elf/test_frames.c
test_frames_CPPFLAGS = $(elf_test_cppflags)
test_frames_LDADD = $(elf_test_ldadd)
test_nameless_SOURCES = tests/unit/convert/test_nameless.c
test_nameless_CPPFLAGS = $(elf_test_cppflags)
test_nameless_LDADD = $(elf_test_ldadd)
test_place_SOURCES = tests/unit/elf/test_place.c
test_place_CPPFLAGS = $(elf_test_cppflags)
test_place_LDADD = $(elf_test_ldadd)

test_relocate_SOURCES = tests/unit/elf/test_relocate.c
test_relocate_CPPFLAGS = $(elf_test_cppflags)
test_relocate_LDADD = $(elf_test_ldadd)

test_inflate_SOURCES = tests/unit/container/test_inflate.c
test_inflate_CPPFLAGS = $(elf_test_cppflags)
test_inflate_LDADD = $(elf_test_ldadd)

test_passing_SOURCES = tests/unit/container/test_passing.c
test_passing_CPPFLAGS = $(elf_test_cppflags)
test_passing_LDADD = $(elf_test_ldadd)

test_container_SOURCES = tests/unit/container/test_container.c
test_container_CPPFLAGS = $(elf_test_cppflags)
test_container_LDADD = $(elf_test_ldadd)

test_convert_SOURCES = tests/unit/convert/test_convert.c
test_convert_CPPFLAGS = $(elf_test_cppflags)
test_convert_LDADD = $(elf_test_ldadd)

test_data_SOURCES = tests/unit/convert/test_data.c
test_data_CPPFLAGS = $(elf_test_cppflags)
test_data_LDADD = $(elf_test_ldadd)

test_transcode_SOURCES = tests/unit/convert/test_transcode.c
test_transcode_CPPFLAGS = $(elf_test_cppflags)
test_transcode_LDADD = libgsymbytes.la libinputs.la libobject.la libcore.la libbuild.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS) $(CRITERION_LIBS)

test_edit_SOURCES = tests/unit/elf/test_edit.c
test_edit_CPPFLAGS = $(elf_test_cppflags)
test_edit_LDADD = $(elf_test_ldadd)

test_convert_sections_SOURCES = tests/unit/convert/test_sections.c
test_convert_sections_CPPFLAGS = $(elf_test_cppflags)
test_convert_sections_LDADD = libmachobuilder.la $(elf_test_ldadd)

test_symtab_SOURCES = tests/unit/convert/test_symtab.c \
	tests/support/guard.h
test_symtab_CPPFLAGS = $(elf_test_cppflags)
test_symtab_LDADD = $(elf_test_ldadd)

test_unnamed_SOURCES = tests/unit/convert/test_unnamed.c
test_unnamed_CPPFLAGS = $(elf_test_cppflags)
test_unnamed_LDADD = $(elf_test_ldadd)
endif

# Programs built by every installed compiler; lookups are compared with other
# symbolizers.  "make check-matrix" tries all combinations of options.
matrix_sources = tests/matrix/cold.c tests/matrix/common.h \
	tests/matrix/common.hh tests/matrix/main.c tests/matrix/main.cc \
	tests/matrix/main.d tests/matrix/main.f90 tests/matrix/main.rs \
	tests/matrix/shapes.c tests/matrix/start.S tests/matrix/templates.cc \
	tests/matrix/thunks.cc
EXTRA_DIST += $(matrix_sources)
EXTRA_DIST += tests/matrix/lib.sh tests/matrix/outputs.sh \
	tests/matrix/systems tests/matrix/README.md \
	tests/matrix/distribution.list tests/matrix/images.py \
	tests/matrix/packages.py tests/matrix/samples.py \
	tests/matrix/truth_builds.py tests/matrix/truth_programs.py \
	tests/matrix/truth_scan.py tests/matrix/voters.py
dist_check_SCRIPTS += tests/matrix/compare.py tests/matrix/distribution \
	tests/matrix/go-lookups tests/matrix/libraries \
	tests/matrix/machines tests/matrix/matrix.sh \
	tests/matrix/objects.sh tests/matrix/personalities \
	tests/matrix/readers tests/matrix/truth tests/matrix/twin.py \
	tests/matrix/vote tests/cli/distribution.sh tests/cli/peers.sh \
	tests/cli/readers.sh tests/cli/truth.sh tests/cli/vote.sh
TESTS += tests/matrix/matrix.sh tests/matrix/objects.sh \
	tests/cli/distribution.sh tests/cli/peers.sh tests/cli/readers.sh \
	tests/cli/truth.sh tests/cli/vote.sh

check-matrix: all
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/matrix/matrix.sh full
