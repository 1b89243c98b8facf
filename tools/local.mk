# SPDX-License-Identifier: MIT
# The tools: installed headers, tools/common and libgsym/base, and for gsym-create
# libgsym/second, never another private header.  They are linked with the static libraries (libtool's
# -static), so that a tool in the build tree is the program itself, not a
# wrapper.

tools_cppflags = -I$(srcdir)/libgsym/include -I$(srcdir)/tools \
	-I$(srcdir)/libgsym

# What all tools share, and the tests of tools/common.
noinst_LTLIBRARIES += libtools.la
libtools_la_SOURCES = \
	tools/common/debuginfod.c tools/common/debuginfod.h \
	tools/common/file.c tools/common/file.h \
	tools/common/frames.c tools/common/json.c \
	tools/common/names.c tools/common/names.h \
	tools/common/options.c tools/common/options.h \
	tools/common/out.c tools/common/out.h \
	tools/common/outfile.c tools/common/path.c \
	tools/common/report.c tools/common/report.h \
	tools/common/run.c tools/common/run.h \
	tools/common/sizes.c tools/common/sizes.h \
	tools/source/ask.c tools/source/make.c tools/source/program.c \
	tools/source/source.c tools/source/source.h tools/source/state.h
# What the kernel can restrict.
sandbox_sources = tools/common/sandbox_linux.c tools/common/sandbox_none.c
EXTRA_DIST += $(sandbox_sources)
if LINUX
libtools_la_SOURCES += tools/common/sandbox_linux.c
else
libtools_la_SOURCES += tools/common/sandbox_none.c
endif
if WINDOWS
libtools_la_SOURCES += $(windows)/main.c
endif
libtools_la_CPPFLAGS = $(tools_cppflags)
libtools_la_LIBADD = libbase.la libgsym-demangle.la $(DL_LIBS)

bin_PROGRAMS += gsym-lookup

# What gsym-lookup is under the names of other programs.
noinst_LTLIBRARIES += libpersonality.la
libpersonality_la_SOURCES = tools/personality/personality.h \
	tools/personality/answer.c tools/personality/choose.c \
	tools/personality/extra.c tools/personality/module.c \
	tools/personality/request.c \
	tools/personality/settings.c tools/personality/text.c
libpersonality_la_CPPFLAGS = $(tools_cppflags)

gsym_lookup_SOURCES = tools/lookup/gsym_lookup.c tools/lookup/lookup.h \
	tools/lookup/answer.c tools/lookup/batch.c \
	tools/lookup/input.c tools/lookup/open.c tools/lookup/stream.c
gsym_lookup_CPPFLAGS = $(tools_cppflags)
gsym_lookup_LDFLAGS = $(AM_LDFLAGS) $(GSYM_PIE) -static
gsym_lookup_LDADD = libpersonality.la libtools.la libgsym.la

bin_PROGRAMS += gsym-dump
gsym_dump_SOURCES = tools/dump/gsym_dump.c tools/dump/dump.h \
	tools/dump/function.c tools/dump/sizes.c tools/dump/tables.c
gsym_dump_CPPFLAGS = $(tools_cppflags)
gsym_dump_LDFLAGS = $(AM_LDFLAGS) $(GSYM_PIE) -static
gsym_dump_LDADD = libtools.la libgsym.la

if CONVERT
bin_PROGRAMS += gsym-create
endif
if XRAY_TOOL
bin_PROGRAMS += gsym-xray
endif
gsym_create_SOURCES = tools/create/gsym_create.c tools/create/create.h \
	tools/create/callsites.c tools/create/compare.c tools/create/convert.c \
	tools/create/depfile.c tools/create/identify.c tools/create/output.c \
	tools/create/protect.c tools/create/report.c \
	tools/create/tree.c tools/create/tree.h tools/create/walk.c
gsym_create_CPPFLAGS = $(tools_cppflags) $(YAML_CFLAGS) $(NETTLE_CFLAGS)
gsym_create_LDFLAGS = $(AM_LDFLAGS) $(GSYM_PIE) -static
# Not libgsym-convert.la: gsym-create has the second reader besides.
gsym_create_LDADD = $(second_library) libinputs.la libobject.la libtools.la \
	libgsym.la $(inputs_libs) $(YAML_LIBS) $(NETTLE_LIBS)

if !WINDOWS
bin_PROGRAMS += gsym-markup
endif
gsym_markup_SOURCES = tools/markup/gsym_markup.c tools/markup/markup.h \
	tools/markup/follow.c tools/markup/identity.c tools/markup/input.c \
	tools/markup/logfiles.c tools/markup/logs.c tools/markup/objects.c \
	tools/markup/pages.c tools/markup/signals.c tools/markup/symbols.c
gsym_markup_CPPFLAGS = $(tools_cppflags)
gsym_markup_LDFLAGS = $(AM_LDFLAGS) $(GSYM_PIE) -static
gsym_markup_LDADD = libtools.la libgsym.la

# The index of a series of pages: NAME.EXTENSION becomes the array of lines
# pages_NAME_EXTENSION.
nodist_gsym_markup_SOURCES = tools/markup/pages_files.c
pages_files = tools/markup/pages/index.css tools/markup/pages/index.js
EXTRA_DIST += $(pages_files)
CLEANFILES += tools/markup/pages_files.c
tools/markup/pages_files.c: $(pages_files)
	$(AM_V_GEN)$(MKDIR_P) tools/markup && { \
	echo '#include "markup/markup.h"' && \
	for file in $(pages_files); do \
		name=`echo $$file | sed 's,.*/,pages_,; s,[.],_,g'` && \
		echo "const char *const $$name[] = {" && \
		sed 's,[\\"],\\&,g; s,^,",; s,$$,\\n"\,,' \
			$(srcdir)/$$file && \
		echo '0 };' || exit 1; \
	done; } >$@.tmp && mv $@.tmp $@

gsym_xray_SOURCES = tools/xray/gsym_xray.c tools/xray/xray.h tools/xray/account.c \
	tools/xray/clock.c tools/xray/diff.c \
	tools/xray/diff_page.c tools/xray/dump.c \
	tools/xray/events.c tools/xray/info.c tools/xray/names.c \
	tools/xray/options.c \
	tools/xray/stack.c tools/xray/walk.c
gsym_xray_CPPFLAGS = $(tools_cppflags)
gsym_xray_LDFLAGS = $(AM_LDFLAGS) $(GSYM_PIE) -static
gsym_xray_LDADD = libtools.la libgsym-xray.la libgsym-convert.la libgsym.la -lm
if XRAY_TOOL
dist_man_MANS += man/gsym-xray.1
endif

# The pages of gsym-xray: each file becomes an array of lines, and an element of
# flame_files.
gsym_xray_SOURCES += tools/xray/flame.c tools/xray/flame_page.c
nodist_gsym_xray_SOURCES = tools/xray/flame_files.c
flame_files = tools/xray/flame/head.html tools/xray/flame/foot.html \
	tools/xray/flame/page.html tools/xray/flame/colours.css \
	tools/xray/flame/page.css tools/xray/flame/common.js tools/xray/flame/graph.js \
	tools/xray/flame/frames.js tools/xray/flame/timeline.js tools/xray/flame/view.js \
	tools/xray/flame/diff.html tools/xray/flame/diff.css tools/xray/flame/diff.js
EXTRA_DIST += $(flame_files)
CLEANFILES += tools/xray/flame_files.c
tools/xray/flame_files.c: $(flame_files)
	$(AM_V_GEN)$(MKDIR_P) tools/xray && { \
	echo '#include "xray/xray.h"' && \
	echo 'const struct flame_file flame_files[] = {' && \
	for file in $(flame_files); do \
		name=`echo $$file | sed 's,.*/,,'` && \
		printf '{ "@%s@\\n", (const char *const[]){\n' $$name && \
		sed 's,[\\"],\\&,g; s,^,",; s,$$,\\n"\,,' \
			$(srcdir)/$$file && \
		echo '0 } },' || exit 1; \
	done && echo '{ 0 } };'; } >$@.tmp && mv $@.tmp $@

# gsym: one name for all tools.  doc/guide/NAME.md becomes the array of lines
# help_page_NAME.
if !WINDOWS
bin_PROGRAMS += gsym
endif
gsym_SOURCES = tools/front/gsym.c tools/front/front.h tools/front/doctor.c
gsym_CPPFLAGS = $(tools_cppflags)
gsym_LDFLAGS = $(AM_LDFLAGS) $(GSYM_PIE) -static
gsym_LDADD = libtools.la libgsym.la
dist_man_MANS += man/gsym.1
nodist_gsym_SOURCES = tools/front/help_files.c
guide_pages = doc/guide/build.md doc/guide/crash-log.md doc/guide/perf.md doc/guide/core.md \
	doc/guide/fleet.md doc/guide/library.md
EXTRA_DIST += $(guide_pages) doc/guide/index.md \
	doc/guide/make-pages doc/guide/make-pictures doc/guide/markup.png \
	doc/guide/xray.png

# Pages for a browser of the guide and the manuals.
.PHONY: guide
guide:
	$(SHELL) $(srcdir)/doc/guide/make-pages $(srcdir) guide
CLEANFILES += tools/front/help_files.c
tools/front/help_files.c: $(guide_pages)
	$(AM_V_GEN)$(MKDIR_P) tools/front && { \
	echo '#include "front/front.h"' && \
	for file in $(guide_pages); do \
		name=`echo $$file | sed 's,.*/,help_page_,; s,[.]md$$,,; s,-,_,g'` && \
		echo "const char *const $$name[] = {" && \
		sed 's,[\\"],\\&,g; s,^,",; s,$$,\\n"\,,' \
			$(srcdir)/$$file && \
		echo '0 };' || exit 1; \
	done; } >$@.tmp && mv $@.tmp $@

# Pages of tools that are not built are not installed.
dist_man_MANS += man/gsym-dump.1 man/gsym-lookup.1
if CONVERT
dist_man_MANS += man/gsym-create.1
endif
if !WINDOWS
dist_man_MANS += man/gsym-markup.1
endif

# Shells take the options from --help; bash and fish want a file for each tool.
bashcompletionsdir = $(datadir)/bash-completion/completions
zshcompletionsdir = $(datadir)/zsh/site-functions
dist_zshcompletions_DATA = completions/zsh/_gsym
fishcompletionsdir = $(datadir)/fish/vendor_completions.d
EXTRA_DIST += completions/gsym completions/fish/gsym.fish
fish_tools = $(bin_PROGRAMS) $(personality_names)
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(bashcompletionsdir)" \
		"$(DESTDIR)$(fishcompletionsdir)"
	@for tool in $(bin_PROGRAMS); do \
		$(INSTALL_DATA) $(srcdir)/completions/gsym \
			"$(DESTDIR)$(bashcompletionsdir)/$$tool" || exit 1; \
	done
	@for tool in $(fish_tools); do \
		$(INSTALL_DATA) $(srcdir)/completions/fish/gsym.fish \
			"$(DESTDIR)$(fishcompletionsdir)/$$tool.fish" || exit 1; \
	done
uninstall-local:
	@for tool in $(bin_PROGRAMS); do \
		rm -f "$(DESTDIR)$(bashcompletionsdir)/$$tool"; \
	done
	@for tool in $(fish_tools); do \
		rm -f "$(DESTDIR)$(fishcompletionsdir)/$$tool.fish"; \
	done

# gsym-lookup under the names of other programs: names of ours in the folder of
# programs, and the names that clients insist on in a folder of their own.  Both
# names of ours share a manual page and a completion.
personality_names = gsym-addr2line gsym-symbolizer
personality_exact = addr2line llvm-addr2line llvm-symbolizer
all-local: $(personality_names)
CLEANFILES += $(personality_names)
$(personality_names): gsym-lookup$(EXEEXT)
	$(AM_V_GEN)rm -f $@ && $(LN_S) gsym-lookup$(EXEEXT) $@
dist_man_MANS += man/gsym-addr2line.1
dist_bashcompletions_DATA = completions/gsym-addr2line
install-exec-hook:
	cd "$(DESTDIR)$(bindir)" && for name in $(personality_names); do \
		rm -f $$name && $(LN_S) gsym-lookup $$name || exit 1; \
	done
	$(MKDIR_P) "$(DESTDIR)$(pkglibexecdir)"
	from="$(pkglibexecdir)"; up=; \
	until case "$(bindir)/" in "$${from%/}"/*) : ;; *) false ;; esac; do \
		from=$$(dirname "$$from"); up=../$$up; \
	done; \
	bin=$$(echo "$(bindir)" | cut -c $$(($${#from} + 1))-); \
	bin=$$up$${bin#/}; \
	cd "$(DESTDIR)$(pkglibexecdir)" && for name in $(personality_exact); do \
		rm -f $$name && $(LN_S) "$$bin/gsym-lookup" $$name || exit 1; \
	done
	@$(ask_ldconfig)
# Let the dynamic linker find the libraries, where glibc's keeps a list of them, and
# say so if it does not search their folder.  Not for packages (DESTDIR).
ask_ldconfig = PATH="$$PATH:/usr/sbin:/sbin"; \
	library="$(libdir)/libgsym.so.0"; \
	if test -z "$(DESTDIR)" && test -e "$$library" && \
		ldconfig -p >/dev/null 2>&1; then \
		test -w /etc/ld.so.cache && ldconfig; \
		ldconfig -p | grep -q " $$library\$$" || { \
		echo "gsym: the dynamic linker does not know $(libdir) yet."; \
		echo "Let root write the folder into a file of" \
			"/etc/ld.so.conf.d, and run ldconfig."; }; \
	fi
# A page for each public function: "man gsym_lookup".
maps = $(srcdir)/libgsym/libgsym.map $(srcdir)/libgsym/libgsym-demangle.map
if CONVERT
maps += $(srcdir)/libgsym/libgsym-convert.map
endif
if XRAY
maps += $(srcdir)/libgsym/libgsym-xray.map
endif
public_names = sed -n 's/^\t\(gsym_[a-z0-9_]*\);$$/\1/p' $(maps)
install-data-hook:
	names=$$($(public_names)) && cd "$(DESTDIR)$(man3dir)" && \
	for name in $$names; do \
		case $$name in \
		gsym_xray_*) page=libgsym-xray.3 ;; \
		*) page=libgsym.3 ;; \
		esac; \
		rm -f $$name.3 && $(LN_S) $$page $$name.3 || exit 1; \
	done
	cd "$(DESTDIR)$(man1dir)" && rm -f gsym-symbolizer.1 && \
		$(LN_S) gsym-addr2line.1 gsym-symbolizer.1
	cd "$(DESTDIR)$(bashcompletionsdir)" && rm -f gsym-symbolizer && \
		$(LN_S) gsym-addr2line gsym-symbolizer
# Folders of gsym alone go, too, once they are empty.
uninstall-hook:
	cd "$(DESTDIR)$(bindir)" && rm -f $(personality_names)
	cd "$(DESTDIR)$(pkglibexecdir)" && rm -f $(personality_exact)
	-rmdir "$(DESTDIR)$(pkglibexecdir)" "$(DESTDIR)$(gsymincludedir)" \
		"$(DESTDIR)$(cmakedir)"
	for name in $$($(public_names)); do \
		rm -f "$(DESTDIR)$(man3dir)/$$name.3"; \
	done
	rm -f "$(DESTDIR)$(man1dir)/gsym-symbolizer.1" \
		"$(DESTDIR)$(bashcompletionsdir)/gsym-symbolizer"
