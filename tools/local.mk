# SPDX-License-Identifier: MIT
# The tools: installed headers and tools/common, never a private header.
# They are linked with the static libraries (libtool's -static), so that a
# tool in the build tree is the program itself, not a wrapper.

tools_cppflags = -I$(srcdir)/libgsym/include -I$(srcdir)/tools

# What all tools share, and the tests of tools/common.
noinst_LTLIBRARIES += libtools.la
libtools_la_SOURCES = \
	tools/common/cache.c tools/common/cache.h \
	tools/common/compare.c tools/common/compare.h \
	tools/common/debuginfod.c tools/common/debuginfod.h \
	tools/common/demangle.c tools/common/demangle.h \
	tools/common/frames.c tools/common/frames.h \
	tools/common/json.c tools/common/json.h \
	tools/common/number.c tools/common/number.h \
	tools/common/options.c tools/common/options.h \
	tools/common/out.c tools/common/out.h \
	tools/common/outfile.c tools/common/outfile.h \
	tools/common/path.h \
	tools/common/progress.c tools/common/progress.h \
	tools/common/report.c tools/common/report.h \
	tools/common/threads.c tools/common/threads.h
libtools_la_CPPFLAGS = $(tools_cppflags)
libtools_la_LIBADD = $(IBERTY_LIBS) $(DL_LIBS)

bin_PROGRAMS += gsym-lookup

gsym_lookup_SOURCES = tools/gsym_lookup.c tools/lookup.h \
	tools/lookup_answer.c tools/lookup_batch.c tools/lookup_input.c
gsym_lookup_CPPFLAGS = $(tools_cppflags)
gsym_lookup_LDFLAGS = $(AM_LDFLAGS) -static
gsym_lookup_LDADD = libtools.la libgsym.la

bin_PROGRAMS += gsym-dump
gsym_dump_SOURCES = tools/gsym_dump.c tools/dump.h tools/dump_function.c \
	tools/dump_statistics.c tools/dump_tables.c
gsym_dump_CPPFLAGS = $(tools_cppflags)
gsym_dump_LDFLAGS = $(AM_LDFLAGS) -static
gsym_dump_LDADD = libtools.la libgsym.la

bin_PROGRAMS += gsym-create
gsym_create_SOURCES = tools/gsym_create.c tools/create.h \
	tools/create_arch.c \
	tools/create_callsites.c \
	tools/create_files.c \
	tools/create_options.c \
	tools/create_output.c \
	tools/create_report.c \
	tools/create_tree.c tools/create_tree.h tools/create_walk.c \
	tools/create_verify.c
gsym_create_CPPFLAGS = $(tools_cppflags) $(YAML_CFLAGS)
gsym_create_LDFLAGS = $(AM_LDFLAGS) -static
gsym_create_LDADD = libtools.la libgsym-convert.la libgsym.la $(YAML_LIBS)

bin_PROGRAMS += gsym-markup
gsym_markup_SOURCES = tools/gsym_markup.c tools/markup.h \
	tools/markup_dump.c tools/markup_fetch.c tools/markup_input.c \
	tools/markup_keep.c \
	tools/markup_symbols.c
gsym_markup_CPPFLAGS = $(tools_cppflags)
gsym_markup_LDFLAGS = $(AM_LDFLAGS) -static
gsym_markup_LDADD = libtools.la libgsym.la

bin_PROGRAMS += gsym-xray
gsym_xray_SOURCES = tools/gsym_xray.c tools/xray.h tools/xray_account.c \
	tools/xray_chrome.c tools/xray_clock.c tools/xray_dump.c \
	tools/xray_elf.c tools/xray_extract.c tools/xray_file.c \
	tools/xray_folded.c tools/xray_info.c tools/xray_macho.c \
	tools/xray_map.c tools/xray_names.c tools/xray_options.c \
	tools/xray_stack.c tools/xray_timeline.c tools/xray_walk.c \
	tools/xray_yaml.c
gsym_xray_CPPFLAGS = $(tools_cppflags)
gsym_xray_LDFLAGS = $(AM_LDFLAGS) -static
gsym_xray_LDADD = libtools.la libgsym-convert.la libgsym.la
dist_man_MANS += man/gsym-xray.1

# The page of gsym-xray flame: files for people, as arrays of lines.  Each
# becomes flame_NAME_EXTENSION.
gsym_xray_SOURCES += tools/xray_flame.c tools/xray_flame.h \
	tools/xray_flame_data.c tools/xray_flame_page.c \
	tools/xray_flame_svg.c tools/xray_flame_tree.c tools/xray_lanes.c \
	tools/xray_lanes.h
nodist_gsym_xray_SOURCES = tools/flame_page.c
flame_files = tools/flame/page.html tools/flame/colours.css \
	tools/flame/page.css tools/flame/common.js tools/flame/graph.js \
	tools/flame/timeline.js tools/flame/view.js
EXTRA_DIST += $(flame_files)
CLEANFILES += tools/flame_page.c
tools/flame_page.c: $(flame_files)
	$(AM_V_GEN)$(MKDIR_P) tools && { \
	echo '#include "xray_flame.h"' && \
	for file in $(flame_files); do \
		name=`echo $$file | sed 's,.*/,flame_,; s,[.],_,g'` && \
		echo "const char *const $$name[] = {" && \
		sed 's,[\\"],\\&,g; s,^,",; s,$$,\\n"\,,' \
			$(srcdir)/$$file && \
		echo '0 };' || exit 1; \
	done; } >$@.tmp && mv $@.tmp $@

dist_bashcompletions_DATA = completions/gsym-xray

dist_man_MANS += man/gsym-create.1 man/gsym-dump.1 man/gsym-lookup.1 \
	man/gsym-markup.1

bashcompletionsdir = $(datadir)/bash-completion/completions
dist_bashcompletions_DATA += completions/gsym-create completions/gsym-dump \
	completions/gsym-lookup completions/gsym-markup
