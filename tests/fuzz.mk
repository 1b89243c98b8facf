# SPDX-License-Identifier: MIT
# Fuzz targets, which run on their own seeds here (tests/fuzz/replay.c).  A
# target NAME is the file tests/fuzz/fuzz_NAME.c, its name in the list, and four
# lines here; and a row of the table in tests/fuzz/README.md.

fuzz_targets = fuzz_batch fuzz_debuginfod fuzz_demangle fuzz_names \
	fuzz_process fuzz_requests fuzz_stream
if CONVERT
fuzz_targets += fuzz_container
if HAVE_LIBDWARF
fuzz_targets += fuzz_debugmap fuzz_second fuzz_split
endif
if HAVE_YAML
fuzz_targets += fuzz_callsites
endif
endif
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)

# The replay of seeds, and what targets need.
fuzz_sources = tests/fuzz/fuzz.h tests/fuzz/replay.c
fuzz_includes = $(AM_CPPFLAGS) -I$(srcdir)/tests -I$(srcdir)/tools
fuzz_cppflags = $(fuzz_includes) -DFUZZ_MUTATIONS=6000
check_LTLIBRARIES += libfuzz.la
libfuzz_la_SOURCES = tests/fuzz/mutate.c \
	tests/fuzz/parts.c tests/fuzz/parts.h \
	tests/fuzz/verify.c tests/fuzz/verify.h
libfuzz_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_ldadd = libfuzz.la libelfbuilder.la libgsymbytes.la libgsym.la \
	libbase.la $(PTHREAD_LIBS)

fuzz_batch_SOURCES = tests/fuzz/fuzz_batch.c $(fuzz_sources)
fuzz_batch_CPPFLAGS = $(fuzz_cppflags)
fuzz_batch_LDADD = $(fuzz_ldadd)
fuzz_batch_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_demangle_SOURCES = tests/fuzz/fuzz_demangle.c $(fuzz_sources)
fuzz_demangle_CPPFLAGS = $(fuzz_cppflags)
fuzz_demangle_LDADD = libgsym-demangle.la $(fuzz_ldadd)
fuzz_demangle_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_names_SOURCES = tests/fuzz/fuzz_names.c $(fuzz_sources)
fuzz_names_CPPFLAGS = $(fuzz_cppflags)
fuzz_names_LDADD = $(fuzz_ldadd)
fuzz_names_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_process_SOURCES = tests/fuzz/fuzz_process.c $(fuzz_sources)
fuzz_process_CPPFLAGS = $(fuzz_cppflags)
fuzz_process_LDADD = $(fuzz_ldadd)
fuzz_process_LDFLAGS = $(AM_LDFLAGS) -static

# Of targets that run code of the tools.
fuzz_tool_sources = $(fuzz_sources) tests/fuzz/tool.c tests/fuzz/tool.h
fuzz_tool_cppflags = $(fuzz_includes) -DFUZZ_MUTATIONS=1500
fuzz_tool_ldadd = libtools.la $(fuzz_ldadd)
fuzz_tool_ldflags = $(AM_LDFLAGS) -static -Wl,--wrap=out_read_input \
	-Wl,--wrap=out_input_wait,--wrap=out_init,--wrap=extra_note,--wrap=warn

fuzz_requests_SOURCES = tests/fuzz/fuzz_requests.c $(fuzz_tool_sources)
fuzz_requests_CPPFLAGS = $(fuzz_tool_cppflags)
fuzz_requests_LDADD = libpersonality.la $(fuzz_tool_ldadd)
fuzz_requests_LDFLAGS = $(fuzz_tool_ldflags)

fuzz_stream_SOURCES = tests/fuzz/fuzz_stream.c $(fuzz_tool_sources) \
	tools/lookup/answer.c tools/lookup/batch.c \
	tools/lookup/input.c tools/lookup/open.c tools/lookup/stream.c
fuzz_stream_CPPFLAGS = $(fuzz_tool_cppflags)
fuzz_stream_LDADD = $(fuzz_tool_ldadd)
fuzz_stream_LDFLAGS = $(fuzz_tool_ldflags)

fuzz_debuginfod_SOURCES = tests/fuzz/fuzz_debuginfod.c $(fuzz_sources) \
	tools/common/debuginfod.c
fuzz_debuginfod_CPPFLAGS = $(fuzz_cppflags) -Ddlopen=fuzz_dlopen \
	-Ddlsym=fuzz_dlsym -Ddlclose=fuzz_dlclose
fuzz_debuginfod_LDADD = $(fuzz_ldadd)
fuzz_debuginfod_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_callsites_SOURCES = tests/fuzz/fuzz_callsites.c $(fuzz_sources) \
	tools/create/callsites.c
fuzz_callsites_CPPFLAGS = $(fuzz_cppflags) $(YAML_CFLAGS)
fuzz_callsites_LDADD = libtools.la $(fuzz_ldadd) $(YAML_LIBS)
fuzz_callsites_LDFLAGS = $(AM_LDFLAGS) -static \
	-Wl,--wrap=die,--wrap=file_read,--wrap=yaml_parser_load \
	-Wl,--wrap=yaml_parser_initialize,--wrap=yaml_parser_delete \
	-Wl,--wrap=yaml_document_delete

# Of targets that convert files.
fuzz_whole_sources = $(fuzz_sources) tests/fuzz/whole.c tests/fuzz/whole.h \
	tests/fuzz/again.c tests/fuzz/again.h \
	tests/fuzz/sections.c tests/fuzz/sections.h
fuzz_whole_cppflags = $(fuzz_cppflags) $(DWARF_CFLAGS)
fuzz_whole_ldadd = libfuzz.la libelfbuilder.la libmachobuilder.la \
	libdwarfasm.la libinputs.la libobject.la libgsym.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS)

fuzz_container_SOURCES = tests/fuzz/fuzz_container.c \
	tests/fuzz/seeds.h tests/fuzz/seeds_fixups.c tests/fuzz/seeds_pe.c \
	tests/fuzz/seeds_wasm.c tests/unit/wasm/program.h \
	tests/unit/macho/fixups.h tests/unit/macho/program.h \
	tests/unit/pe/program.h \
	tests/support/go_input.c tests/support/go_input.h \
	$(fuzz_whole_sources)
fuzz_container_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_container_LDADD = $(fuzz_whole_ldadd)
fuzz_container_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_case_sources = $(fuzz_whole_sources) tests/unit/dwarf/cases.h \
	tests/unit/dwarf/cases_content.c tests/unit/dwarf/cases_file.c \
	tests/unit/dwarf/cases_line.c tests/unit/dwarf/cases_name.c \
	tests/unit/dwarf/cases_range.c tests/unit/dwarf/cases_tree.c \
	tests/fuzz/dwarf_seeds.c tests/fuzz/dwarf_seeds.h

fuzz_debugmap_SOURCES = tests/fuzz/fuzz_debugmap.c $(fuzz_case_sources)
fuzz_debugmap_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_debugmap_LDADD = $(fuzz_whole_ldadd)
fuzz_debugmap_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_second_SOURCES = tests/fuzz/fuzz_second.c $(fuzz_case_sources)
fuzz_second_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_second_LDADD = libsecond.la $(fuzz_whole_ldadd)
fuzz_second_LDFLAGS = $(AM_LDFLAGS) -static

fuzz_split_SOURCES = tests/fuzz/fuzz_split.c $(fuzz_case_sources)
fuzz_split_CPPFLAGS = $(fuzz_whole_cppflags)
fuzz_split_LDADD = $(fuzz_whole_ldadd)
fuzz_split_LDFLAGS = $(AM_LDFLAGS) -static
