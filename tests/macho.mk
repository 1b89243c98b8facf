# SPDX-License-Identifier: MIT
# Tests of the macho room, and the builder of Mach-O files.

# Link it with libbase.la.
check_LTLIBRARIES += libmachobuilder.la
libmachobuilder_la_SOURCES = \
	tests/support/macho_builder.c tests/support/macho_builder.h
libmachobuilder_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests

if HAVE_CRITERION
macho_tests = test_macho test_macho_damage test_debug_map test_fixups \
	test_universal
if HAVE_LIBDWARF
macho_tests += test_objects
endif
check_PROGRAMS += $(macho_tests)
TESTS += $(macho_tests)
macho_test_ldadd = libinputs.la libobject.la libmachobuilder.la libcore.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS) $(CRITERION_LIBS)

test_macho_SOURCES = tests/unit/macho/test_macho.c tests/unit/macho/program.h
test_macho_CPPFLAGS = $(unit_cppflags)
test_macho_LDADD = $(macho_test_ldadd)

test_macho_damage_SOURCES = tests/unit/macho/test_macho_damage.c \
	tests/unit/macho/program.h
test_macho_damage_CPPFLAGS = $(unit_cppflags)
test_macho_damage_LDADD = $(macho_test_ldadd)

test_fixups_SOURCES = tests/unit/macho/test_fixups.c
test_fixups_CPPFLAGS = $(unit_cppflags)
test_fixups_LDADD = $(macho_test_ldadd)

test_debug_map_SOURCES = tests/unit/macho/test_debug_map.c \
	tests/unit/macho/program.h
test_debug_map_CPPFLAGS = $(unit_cppflags)
test_debug_map_LDADD = $(macho_test_ldadd)

test_objects_SOURCES = tests/unit/convert/test_objects.c
test_objects_CPPFLAGS = $(unit_cppflags) $(DWARF_CFLAGS)
test_objects_LDADD = libinputs.la libobject.la libdwarfasm.la libcore.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS) $(CRITERION_LIBS)

test_universal_SOURCES = tests/unit/macho/test_universal.c \
	tests/unit/macho/program.h
test_universal_CPPFLAGS = $(unit_cppflags)
test_universal_LDADD = $(macho_test_ldadd)
endif

macho_scripts = tests/cli/create-debug-map.sh tests/cli/create-dsym.sh tests/cli/create-macho.sh \
	tests/cli/create-pe.sh tests/cli/create-wasm.sh tests/cli/windows-paths.sh tests/matrix/macho.sh
TESTS += $(macho_scripts)
dist_check_SCRIPTS += $(macho_scripts)

EXTRA_DIST += \
	tests/cli/create-debug-map.out \
	tests/cli/create-macho.out \
	testdata/macho/README.md \
	testdata/macho/arm64.macho testdata/macho/arm64.macho.expected \
	testdata/macho/armv7.macho testdata/macho/armv7.macho.expected \
	testdata/macho/i386.macho testdata/macho/i386.macho.expected \
	testdata/macho/labels.s \
	testdata/macho/linked/libmore.a testdata/macho/linked/main.object \
	testdata/macho/linked/prog \
	testdata/macho/linked/prog.dSYM/Contents/Resources/DWARF/prog \
	testdata/macho/main.cc testdata/macho/more.cc \
	testdata/macho/recipe.sh \
	testdata/macho/shapes.arm64.expected \
	testdata/macho/shapes.cc \
	testdata/macho/shapes.dSYM/Contents/Resources/DWARF/shapes \
	testdata/macho/shapes.dylib testdata/macho/shapes.dylib.expected \
	testdata/macho/shapes.x86_64.expected \
	testdata/pe/README.md testdata/pe/clang.dll testdata/pe/gcc.dll \
	testdata/pe/paths.i testdata/pe/pdb.exe testdata/pe/recipe.sh \
	testdata/pe/split/split.c testdata/pe/split/split.dll \
	testdata/pe/split/split.dwo \
	testdata/pe/linked/identified.debug \
	testdata/pe/linked/identified.dll \
	testdata/pe/linked/linked.debug testdata/pe/linked/linked.dll \
	testdata/wasm/README.md testdata/wasm/recipe.sh \
	testdata/wasm/inner.h testdata/wasm/other.cc testdata/wasm/prog.c \
	testdata/wasm/plain.expected testdata/wasm/plain.wasm \
	testdata/wasm/split/other.dwo testdata/wasm/split/prog.dwo \
	testdata/wasm/split/split.dwp testdata/wasm/split/split.wasm \
	testdata/wasm/prog.wasm testdata/wasm/prog5.wasm \
	testdata/wasm/stripped.wasm \
	testdata/wasm/debug/stripped.debug.wasm
