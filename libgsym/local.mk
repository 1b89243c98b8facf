# SPDX-License-Identifier: MIT
# Two installed libraries.  Each tier is a convenience library, and only the
# tiers that need a third-party library have its flags.

gsymincludedir = $(includedir)/gsym
gsyminclude_HEADERS = \
	libgsym/include/gsym/types.h \
	libgsym/include/gsym/batch.h \
	libgsym/include/gsym/xray.h \
	libgsym/include/gsym/markup.h \
	libgsym/include/gsym/reader.h \
	libgsym/include/gsym/record.h \
	libgsym/include/gsym/demangle.h \
	libgsym/include/gsym/module.h \
	libgsym/include/gsym/names.h \
	libgsym/include/gsym/process.h \
	libgsym/include/gsym/store.h \
	libgsym/include/gsym/builder.h
if CONVERT
gsyminclude_HEADERS += \
	libgsym/include/gsym/convert.h \
	libgsym/include/gsym/elf.h \
	libgsym/include/gsym/program.h
endif

lib_LTLIBRARIES += libgsym.la libgsym-demangle.la
noinst_LTLIBRARIES += libbase.la libelfview.la libcore.la libnames.la \
	libbuild.la \
	libxray.la libstore.la libbatch.la libprocess.la liblogs.la \
	libmarkup.la
if CONVERT
lib_LTLIBRARIES += libgsym-convert.la
noinst_LTLIBRARIES += libinputs.la
endif

# base: what all rooms share.  libc alone.
libbase_la_SOURCES = \
	libgsym/base/arena.c libgsym/base/arena.h \
	libgsym/base/bytes16.h \
	libgsym/base/bytes.h \
	libgsym/base/crc32c.c libgsym/base/crc32c.h \
	libgsym/base/cursor.c libgsym/base/cursor.h \
	libgsym/base/digit.h \
	libgsym/base/emit.c libgsym/base/emit.h \
	libgsym/base/error.c libgsym/base/error.h \
	libgsym/base/hash.h \
	libgsym/base/intern.c libgsym/base/intern.h \
	libgsym/base/pages.c libgsym/base/pages.h \
	libgsym/base/pool.c libgsym/base/pool.h \
	libgsym/base/prefetch.h \
	libgsym/base/budget.h \
	libgsym/base/fd.c libgsym/base/fd.h \
	libgsym/base/heap.h libgsym/base/search.h \
	libgsym/base/sized.h \
	libgsym/base/sort.c libgsym/base/sort.h \
	libgsym/base/utf8.h \
	libgsym/base/vec.c libgsym/base/vec.h

# elfview: headers of ELF files.  Part of both shared libraries, as base is.
libelfview_la_SOURCES = \
	libgsym/elfview/elfview.c libgsym/elfview/elfview.h \
	libgsym/elfview/loads.c \
	libgsym/elfview/notes.c \
	libgsym/elfview/release.c

# core: format and reader.  libc alone.
libcore_la_SOURCES = \
	libgsym/base/status.c \
	libgsym/format/callsites.h \
	libgsym/format/format.h \
	libgsym/format/header_v1.c libgsym/format/header_v1.h \
	libgsym/format/header_v2.c libgsym/format/header_v2.h \
	libgsym/format/inlines.c libgsym/format/inlines.h \
	libgsym/format/layout.c libgsym/format/layout.h \
	libgsym/format/lines.c libgsym/format/lines.h \
	libgsym/format/record.c libgsym/format/record.h \
	libgsym/format/sections.c libgsym/format/sections.h \
	libgsym/reader/check.c libgsym/reader/check.h \
	libgsym/reader/checksum.c \
	libgsym/reader/embedded.c libgsym/reader/embedded.h \
	libgsym/reader/frames.h \
	libgsym/reader/functions.c libgsym/reader/functions.h \
	libgsym/reader/image.c libgsym/reader/image.h \
	libgsym/reader/lookup.c libgsym/reader/lookup.h \
	libgsym/reader/many.c libgsym/reader/many.h \
	libgsym/reader/nodes.c libgsym/reader/nodes.h \
	libgsym/reader/search.c libgsym/reader/search.h \
	libgsym/reader/tables.c \
	libgsym/reader/together.c libgsym/reader/together.h \
	libgsym/reader/verify.c \
	libgsym/reader/verify_record.c libgsym/reader/verify_record.h \
	libgsym/reader/walks.c
libcore_la_LIBADD = libelfview.la

# names: an index over names of functions.  libc alone.
libnames_la_SOURCES = libgsym/names/name_index.c

# build: the writer.  libc alone.
libbuild_la_SOURCES = \
	libgsym/format/encode_header.c libgsym/format/encode_header.h \
	libgsym/format/encode_inlines.c \
	libgsym/format/encode_lines.c \
	libgsym/format/encode_record.c libgsym/format/encode_record.h \
	libgsym/format/shape.c libgsym/format/shape.h \
	libgsym/writer/accept.c \
	libgsym/writer/body.c \
	libgsym/writer/builder.c \
	libgsym/writer/calls.c \
	libgsym/writer/compare.c \
	libgsym/writer/cut.c \
	libgsym/writer/finish.c \
	libgsym/writer/layout.c \
	libgsym/writer/leave_out.c \
	libgsym/writer/loose.c \
	libgsym/writer/merge.c \
	libgsym/writer/names.c \
	libgsym/writer/segments.c \
	libgsym/writer/settle.c \
	libgsym/writer/state.h \
	libgsym/writer/strings.c \
	libgsym/writer/tables.c

# store: from build IDs to open files.  libc alone.
libstore_la_SOURCES = \
	libgsym/store/identity.c \
	libgsym/store/limit.c \
	libgsym/store/mapped.c libgsym/store/mapped.h \
	libgsym/store/module.c \
	libgsym/store/place.c libgsym/store/place.h \
	libgsym/store/search.c \
	libgsym/store/beside.c libgsym/store/store.c libgsym/store/entry.h \
	libgsym/store/symbols.c libgsym/store/symbols.h

# batch: many addresses of many programs to Arrow columns.  libc alone.
libbatch_la_SOURCES = \
	libgsym/batch/batch.c libgsym/batch/batch.h \
	libgsym/batch/columns.c \
	libgsym/batch/look_up.c \
	libgsym/batch/schema.c \
	libgsym/batch/text.c libgsym/batch/text.h

# process: from the memory map of a process to modules.  libc alone.
libprocess_la_SOURCES = \
	libgsym/process/divide.c \
	libgsym/process/below.c libgsym/process/below.h \
	libgsym/process/image.c libgsym/process/image.h \
	libgsym/process/kallsyms.c \
	libgsym/process/kernel.c libgsym/process/kernel.h \
	libgsym/process/kernel_place.c \
	libgsym/process/lookup.c \
	libgsym/process/maps.c \
	libgsym/process/modules.c \
	libgsym/process/process.c libgsym/process/process.h \
	libgsym/process/self.c

# markup: logs.  libc alone, and no files.
libmarkup_la_SOURCES = \
	libgsym/markup/code.c \
	libgsym/markup/compat.c \
	libgsym/markup/context.c libgsym/markup/context.h \
	libgsym/markup/diagnose.c libgsym/markup/diagnose.h \
	libgsym/markup/dumpfile.c \
	libgsym/markup/fallback.c \
	libgsym/markup/feed.c \
	libgsym/markup/filter.c libgsym/markup/filter.h \
	libgsym/markup/frames.c \
	libgsym/markup/header.c libgsym/markup/header.h \
	libgsym/markup/hexdict.c libgsym/markup/hexdict.h \
	libgsym/markup/host.c libgsym/markup/host.h \
	libgsym/markup/html.c libgsym/markup/html.h \
	libgsym/markup/line.c libgsym/markup/line.h \
	libgsym/markup/loganswer.c \
	libgsym/markup/logfacts.c libgsym/markup/logfit.c \
	libgsym/markup/loghold.c libgsym/markup/logips.c \
	libgsym/markup/logexplain.c libgsym/markup/logkernel.c \
	libgsym/markup/loglook.c libgsym/markup/loglook.h \
	libgsym/markup/logmodule.c \
	libgsym/markup/logname.c libgsym/markup/logname.h \
	libgsym/markup/logs.c libgsym/markup/logs.h \
	libgsym/markup/logstate.c libgsym/markup/logstate.h \
	libgsym/markup/logscript.c libgsym/markup/logtell.c libgsym/markup/logsource.c \
	libgsym/markup/logwrite.c libgsym/markup/logwrite.h \
	libgsym/markup/memo.c libgsym/markup/memo.h \
	libgsym/markup/modlines.c \
	libgsym/markup/modules.c libgsym/markup/modules.h \
	libgsym/markup/out.c libgsym/markup/out.h \
	libgsym/markup/page.c \
	libgsym/markup/paint.c libgsym/markup/paint.h \
	libgsym/markup/parse.c libgsym/markup/parse.h \
	libgsym/markup/place.c \
	libgsym/markup/present.c libgsym/markup/present.h \
	libgsym/markup/process.c libgsym/markup/process.h \
	libgsym/markup/text.h \
	libgsym/markup/tips.c libgsym/markup/tips.h \
	libgsym/markup/wait.c libgsym/markup/wait.h
libmarkup_la_LIBADD = liblogs.la
nodist_libmarkup_la_SOURCES = libgsym/markup/page_js.c
EXTRA_DIST += libgsym/markup/page.js
CLEANFILES += libgsym/markup/page_js.c
libgsym/markup/page_js.c: libgsym/markup/page.js
	$(AM_V_GEN)$(MKDIR_P) libgsym/markup && { \
	echo '#include "markup/html.h"' && \
	echo 'const char *const gsym_mk_page_js[] = {' && \
	sed 's,[\\"],\\&,g; s,^,",; s,$$,\\n"\,,' \
		$(srcdir)/libgsym/markup/page.js && \
	echo '0 };'; } >$@.tmp && mv $@.tmp $@

# logs: frames of backtraces that are no markup.  libc alone, and no memory.
liblogs_la_SOURCES = \
	libgsym/logs/android.c \
	libgsym/logs/apple.c \
	libgsym/logs/facts.c libgsym/logs/facts.h \
	libgsym/logs/frame.c libgsym/logs/frame.h \
	libgsym/logs/generic.c \
	libgsym/logs/glibc.c \
	libgsym/logs/ips.c \
	libgsym/logs/jvm.c \
	libgsym/logs/kernel.c \
	libgsym/logs/line.c \
	libgsym/logs/maps.c \
	libgsym/logs/sanitizer.c \
	libgsym/logs/scan.c libgsym/logs/scan.h \
	libgsym/logs/strace.c \
	libgsym/logs/systemd.c

# xray: traces of LLVM's XRay.  libc alone; neither ELF nor GSYM.
libxray_la_SOURCES = \
	libgsym/xray/account.c \
	libgsym/xray/check.c \
	libgsym/xray/decode.c \
	libgsym/xray/durations.c libgsym/xray/durations.h \
	libgsym/xray/events.c \
	libgsym/xray/index.c \
	libgsym/xray/log.c libgsym/xray/log.h \
	libgsym/xray/sleds.c libgsym/xray/sleds.h \
	libgsym/xray/sledtext.c \
	libgsym/xray/stack.c \
	libgsym/xray/threads.c \
	libgsym/xray/tree.c

# inputs: ELF and DWARF.
libinputs_la_SOURCES = \
	libgsym/elf/contents.c libgsym/elf/contents.h \
	libgsym/elf/debug_sections.c libgsym/elf/debug_sections.h \
	libgsym/elf/debugdata.c \
	libgsym/elf/dynamic.c libgsym/elf/dynamic.h \
	libgsym/elf/elf_file.h \
	libgsym/elf/elf_image.c libgsym/elf/elf_image.h \
	libgsym/elf/find.h \
	libgsym/elf/find_alternate.c \
	libgsym/elf/find_debug.c \
	libgsym/elf/find_split.c \
	libgsym/elf/edit.c libgsym/elf/edit.h libgsym/elf/embed.c \
	libgsym/elf/header.c \
	libgsym/container/inflate.c libgsym/container/inflate.h \
	libgsym/elf/notes.c \
	libgsym/elf/parts.c libgsym/elf/parts.h \
	libgsym/elf/place.c libgsym/elf/place.h \
	libgsym/elf/pointers.c \
	libgsym/elf/relocate.c libgsym/elf/relocate.h \
	libgsym/elf/relocation_kinds.c \
	libgsym/elf/segments.c \
	libgsym/elf/stub.c \
	libgsym/elf/repeats.c libgsym/elf/repeats.h \
	libgsym/elf/symbols.c \
	libgsym/container/zdebug.c \
	libgsym/elf/unxz.c \
	libgsym/breakpad/batch.c libgsym/breakpad/batch.h \
	libgsym/breakpad/body.c libgsym/breakpad/body.h \
	libgsym/breakpad/breakpad.c libgsym/breakpad/breakpad.h \
	libgsym/breakpad/file.h \
	libgsym/breakpad/first_pass.c \
	libgsym/breakpad/functions.c \
	libgsym/breakpad/identity.c \
	libgsym/breakpad/inlines.c \
	libgsym/breakpad/kind.c libgsym/breakpad/kind.h \
	libgsym/breakpad/names.c \
	libgsym/breakpad/numbers.h \
	libgsym/breakpad/program.c \
	libgsym/breakpad/push.c \
	libgsym/breakpad/report.c \
	libgsym/breakpad/scan.c libgsym/breakpad/scan.h \
	libgsym/breakpad/spool.c libgsym/breakpad/spool.h \
	libgsym/breakpad/text.c libgsym/breakpad/text.h \
	libgsym/breakpad/tree.c libgsym/breakpad/tree.h \
	libgsym/container/container.c libgsym/container/container.h \
	libgsym/convert/convert.c \
	libgsym/container/join.c libgsym/container/join.h \
	libgsym/convert/data.c libgsym/convert/data.h \
	libgsym/go/go.c libgsym/go/go.h \
	libgsym/go/linker.c libgsym/go/linker.h \
	libgsym/go/moduledata.c libgsym/go/moduledata.h \
	libgsym/container/mapping.c libgsym/container/mapping.h \
	libgsym/go/memory.c libgsym/go/memory.h \
	libgsym/container/find.c libgsym/container/find.h \
	libgsym/convert/objects.c libgsym/convert/objects.h \
	libgsym/convert/objects_map.c libgsym/convert/objects_map.h \
	libgsym/convert/overlay.c libgsym/convert/overlay.h \
	libgsym/go/pclntab.c libgsym/go/pclntab.h \
	libgsym/go/pclntab_convert.c \
	libgsym/go/pclntab_layout.c \
	libgsym/go/pclntab_values.c \
	libgsym/go/pclntab_strings.c \
	libgsym/go/pclntab_inlines.c \
	libgsym/go/plan9.c libgsym/go/plan9.h \
	libgsym/aout/plan9_symbols.c libgsym/aout/plan9_symbols.h \
	libgsym/convert/program.c libgsym/convert/program.h \
	libgsym/convert/sections.c \
	libgsym/convert/symtab.c libgsym/convert/symtab.h \
	libgsym/convert/transcode.c libgsym/convert/transcode.h \
	libgsym/macho/archive.c \
	libgsym/macho/bundle.c \
	libgsym/macho/constants.h \
	libgsym/macho/debug_map.c \
	libgsym/macho/find_debug.c \
	libgsym/macho/fixups.c \
	libgsym/macho/macho.c libgsym/macho/macho.h \
	libgsym/macho/macho_file.h \
	libgsym/macho/pieces.c \
	libgsym/macho/relocate.c \
	libgsym/macho/symbols.c \
	libgsym/macho/universal.c libgsym/macho/universal.h \
	libgsym/aout/aout.c libgsym/aout/aout.h \
	libgsym/pe/exports.c \
	libgsym/pe/functions.c \
	libgsym/pe/identity.c \
	libgsym/pe/pe.c libgsym/pe/pe.h libgsym/pe/pe_file.h \
	libgsym/pe/pieces.c \
	libgsym/dwarf/abbrev.c libgsym/dwarf/abbrev.h \
	libgsym/dwarf/claims.c libgsym/dwarf/claims.h \
	libgsym/dwarf/constants.h \
	libgsym/dwarf/contexts.c libgsym/dwarf/contexts.h \
	libgsym/dwarf/dwarf.c libgsym/dwarf/dwarf.h \
	libgsym/dwarf/folded.c \
	libgsym/dwarf/info.c libgsym/dwarf/info.h \
	libgsym/dwarf/line_budget.c libgsym/dwarf/line_budget.h \
	libgsym/dwarf/shared_lines.c libgsym/dwarf/shared_lines.h \
	libgsym/dwarf/lines.c libgsym/dwarf/lines.h \
	libgsym/dwarf/names.c libgsym/dwarf/names.h \
	libgsym/dwarf/needed.c libgsym/dwarf/needed.h \
	libgsym/dwarf/nodes.c libgsym/dwarf/nodes.h \
	libgsym/dwarf/packed.c libgsym/dwarf/packed.h \
	libgsym/dwarf/owners.c libgsym/dwarf/owners.h \
	libgsym/dwarf/paint.c libgsym/dwarf/paint.h \
	libgsym/dwarf/policy.c libgsym/dwarf/policy.h \
	libgsym/dwarf/ranges.c libgsym/dwarf/ranges.h \
	libgsym/dwarf/records.c \
	libgsym/dwarf/resolve.c libgsym/dwarf/resolve.h \
	libgsym/dwarf/resolver.h libgsym/dwarf/rows.c \
	libgsym/dwarf/scan.c \
	libgsym/dwarf/second.c libgsym/dwarf/second.h \
	libgsym/dwarf/second_compat.h \
	libgsym/dwarf/second_die.c \
	libgsym/dwarf/second_error.c \
	libgsym/dwarf/second_line.c \
	libgsym/dwarf/second_name.c \
	libgsym/dwarf/second_nodes.c \
	libgsym/dwarf/second_open.c \
	libgsym/dwarf/second_package.c \
	libgsym/dwarf/second_ranges.c \
	libgsym/dwarf/second_split.c \
	libgsym/dwarf/scopes.c libgsym/dwarf/scopes.h \
	libgsym/dwarf/sections.c libgsym/dwarf/sections.h \
	libgsym/dwarf/split.c libgsym/dwarf/split.h \
	libgsym/dwarf/unit.c libgsym/dwarf/unit.h \
	libgsym/dwarf/walk.c libgsym/dwarf/walk.h libgsym/dwarf/warn.c \
	libgsym/dwarf/work.c libgsym/dwarf/work.h
libinputs_la_CPPFLAGS = $(AM_CPPFLAGS) $(DWARF_CFLAGS) \
	$(ZLIB_CFLAGS) $(DEFLATE_CFLAGS) $(ZSTD_CFLAGS) $(LZMA_CFLAGS)
inputs_libs = $(DWARF_LIBS) $(ZLIB_LIBS) $(DEFLATE_LIBS) \
	$(ZSTD_LIBS) $(LZMA_LIBS)

libgsym_la_SOURCES =
libgsym_la_LIBADD = libxray.la libmarkup.la libbatch.la libprocess.la \
	libstore.la libnames.la libcore.la libbuild.la libbase.la $(PTHREAD_LIBS)
libgsym_la_LDFLAGS = $(AM_LDFLAGS) $(libgsym_map) -version-info 0:0:0 \
	-no-undefined
libgsym_la_DEPENDENCIES = libxray.la libmarkup.la libbatch.la libprocess.la \
	libstore.la libnames.la libcore.la libbuild.la libbase.la \
	$(srcdir)/libgsym/libgsym.map

libgsym_convert_la_SOURCES =
# The shared library has base and elfview of its own, as libgsym.so exports the
# public functions alone.  The archive must not have them: libgsym.a, without
# which it is of no use, has them, and a program may link both as a whole.
# libtool would copy libbase.la into the archive as well, so these go to the
# linker behind its back.
libgsym_convert_la_LIBADD = libinputs.la libgsym.la $(inputs_libs)
libgsym_convert_la_LDFLAGS = $(AM_LDFLAGS) $(libgsym_convert_map) \
	-Wl,$(objdir)/libelfview.a,$(objdir)/libbase.a \
	-version-info 0:0:0 -no-undefined
libgsym_convert_la_DEPENDENCIES = libinputs.la libelfview.la libbase.la \
	libgsym.la \
	$(srcdir)/libgsym/libgsym-convert.map

# demangle: libiberty and libc; nothing of libgsym.
libgsym_demangle_la_SOURCES = \
	libgsym/demangle/cache.c libgsym/demangle/cache.h \
	libgsym/demangle/demangler.c \
	libgsym/demangle/iberty.c \
	libgsym/demangle/llvm.c libgsym/demangle/spell.h
libgsym_demangle_la_LIBADD = $(IBERTY_LIBS) $(PTHREAD_LIBS)
libgsym_demangle_la_LDFLAGS = $(AM_LDFLAGS) $(libgsym_demangle_map) \
	-version-info 0:0:0 -no-undefined
libgsym_demangle_la_DEPENDENCIES = $(srcdir)/libgsym/libgsym-demangle.map

# The version scripts list the exported functions by release.
if HAVE_VERSION_SCRIPT
libgsym_map = -Wl,--version-script,$(srcdir)/libgsym/libgsym.map
libgsym_convert_map = \
	-Wl,--version-script,$(srcdir)/libgsym/libgsym-convert.map
libgsym_demangle_map = \
	-Wl,--version-script,$(srcdir)/libgsym/libgsym-demangle.map
endif
EXTRA_DIST += libgsym/libgsym.map libgsym/libgsym-convert.map \
	libgsym/libgsym-demangle.map

pkgconfig_DATA = libgsym/gsym.pc libgsym/gsym-demangle.pc
if CONVERT
pkgconfig_DATA += libgsym/gsym-convert.pc
endif
