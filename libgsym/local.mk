# SPDX-License-Identifier: MIT
# Four installed libraries.  Each tier is a convenience library, and only the
# tiers that need a third-party library have its flags.

gsymincludedir = $(includedir)/gsym
gsyminclude_HEADERS = \
	libgsym/include/gsym/types.h \
	libgsym/include/gsym/batch.h \
	libgsym/include/gsym/markup.h libgsym/include/gsym/logs.h \
	libgsym/include/gsym/reader.h \
	libgsym/include/gsym/record.h \
	libgsym/include/gsym/demangle.h \
	libgsym/include/gsym/names.h \
	libgsym/include/gsym/process.h \
	libgsym/include/gsym/program.h \
	libgsym/include/gsym/store.h \
	libgsym/include/gsym/builder.h
if XRAY
gsyminclude_HEADERS += libgsym/include/gsym/xray.h
endif
if CONVERT
gsyminclude_HEADERS += \
	libgsym/include/gsym/convert.h
endif

lib_LTLIBRARIES += libgsym.la libgsym-demangle.la
noinst_LTLIBRARIES += libbase.la libobject.la libcore.la libbuild.la \
	libstore.la libbatch.la libprocess.la liblogs.la libmarkup.la
if XRAY
lib_LTLIBRARIES += libgsym-xray.la
noinst_LTLIBRARIES += libxray.la
endif
if CONVERT
lib_LTLIBRARIES += libgsym-convert.la
noinst_LTLIBRARIES += libinputs.la
if HAVE_LIBDWARF
second_library = libsecond.la
noinst_LTLIBRARIES += $(second_library)
endif
endif

# base: what all rooms share.  libc alone.
libbase_la_SOURCES = \
	libgsym/base/archive.c libgsym/base/archive.h \
	libgsym/base/bytes16.h \
	libgsym/base/cursor.c libgsym/base/cursor.h \
	libgsym/base/debug_path.c libgsym/base/debug_path.h \
	libgsym/base/emit.c libgsym/base/emit.h \
	libgsym/base/error.c libgsym/base/error.h \
	libgsym/base/fd.c libgsym/base/fd.h \
	libgsym/base/hash.c libgsym/base/hash.h \
	libgsym/base/intern.c libgsym/base/intern.h \
	libgsym/base/memory.c libgsym/base/memory.h libgsym/base/vec.h \
	libgsym/base/order.c libgsym/base/order.h \
	libgsym/base/path_map.c libgsym/base/path_map.h \
	libgsym/base/pool.c libgsym/base/pool.h \
	libgsym/base/sort_threads.c \
	libgsym/base/symbol_name.c libgsym/base/symbol_name.h \
	libgsym/base/system.c libgsym/base/system.h \
	libgsym/base/system_watch.h \
	libgsym/base/text.c libgsym/base/text.h

# What Windows lacks.
windows = libgsym/base/system_windows
EXTRA_DIST += $(windows)/files.c $(windows)/handle.h $(windows)/main.c \
	$(windows)/paths.c $(windows)/posix.h $(windows)/process.c \
	$(windows)/texts.c
if WINDOWS
libbase_la_SOURCES += $(windows)/files.c $(windows)/paths.c \
	$(windows)/process.c $(windows)/texts.c
endif

# object: headers, symbols and identity of programs' files.  Part of both shared
# libraries, as base is.
libobject_la_SOURCES = \
	libgsym/object/elfview.c libgsym/object/elfview.h \
	libgsym/object/machoview.c libgsym/object/machoview.h \
	libgsym/object/object.c libgsym/object/object.h \
	libgsym/object/peview.c \
	libgsym/object/wasmview.c

# core: format and reader.  libc alone.
libcore_la_SOURCES = \
	libgsym/format/layout.c libgsym/format/layout.h \
	libgsym/format/record.c libgsym/format/record.h \
	libgsym/reader/functions.c \
	libgsym/reader/image.c \
	libgsym/reader/lookup.c \
	libgsym/reader/many.c \
	libgsym/reader/names.c \
	libgsym/reader/reader.h \
	libgsym/reader/search.c \
	libgsym/reader/stack.c \
	libgsym/reader/verify.c \
	libgsym/reader/verify_record.c
libcore_la_LIBADD = libobject.la

# build: the writer.  libc alone.
libbuild_la_SOURCES = \
	libgsym/format/encode.c libgsym/format/encode.h \
	libgsym/format/encode_lines.c \
	libgsym/writer/builder.c \
	libgsym/writer/compare.c \
	libgsym/writer/cut.c \
	libgsym/writer/finish.c \
	libgsym/writer/layout.c \
	libgsym/writer/loose.c \
	libgsym/writer/cluster.c libgsym/writer/settle.c \
	libgsym/writer/state.h \
	libgsym/writer/tables.c

# store: from build IDs to open files.  libc alone.
libstore_la_SOURCES = \
	libgsym/store/module.c \
	libgsym/store/search.c \
	libgsym/store/store.c libgsym/store/state.h

# batch: many addresses of many programs to Arrow columns.  libc alone.
libbatch_la_SOURCES = \
	libgsym/batch/batch.c libgsym/batch/batch.h \
	libgsym/batch/columns.c

# process: from the memory map of a process, or the symbols of a kernel, to
# modules.  libc alone.
libprocess_la_SOURCES = \
	libgsym/process/divide.c \
	libgsym/process/kernel.c \
	libgsym/process/maps.c \
	libgsym/process/perfmap.c \
	libgsym/process/process.c libgsym/process/process.h
# The dynamic linker of the system.
self_sources = libgsym/process/self_elf.c libgsym/process/self_macho.c \
	libgsym/process/self_none.c
EXTRA_DIST += $(self_sources)
if HAVE_DL_ITERATE_PHDR
libprocess_la_SOURCES += libgsym/process/self_elf.c
else
if HAVE_DYLD
libprocess_la_SOURCES += libgsym/process/self_macho.c
else
libprocess_la_SOURCES += libgsym/process/self_none.c
endif
endif

# markup: logs.  libc alone, and no files.
libmarkup_la_SOURCES = \
	libgsym/markup/context.c \
	libgsym/markup/header.c \
	libgsym/markup/host.c \
	libgsym/markup/host.h \
	libgsym/markup/line.h \
	libgsym/markup/out.c \
	libgsym/markup/paint.c \
	libgsym/markup/parse.c \
	libgsym/markup/process.c \
	libgsym/markup/process.h \
	libgsym/markup/text.h \
	libgsym/stacks/address.c \
	libgsym/stacks/calls.c \
	libgsym/stacks/candidate.c \
	libgsym/stacks/frame.c \
	libgsym/stacks/judge.h \
	libgsym/stacks/resolve.c \
	libgsym/stacks/signal.c \
	libgsym/stacks/size.c \
	libgsym/stacks/state.c \
	libgsym/stacks/trust.c \
	libgsym/stacks/verdict.c \
	libgsym/render/code.c \
	libgsym/render/hexdict.c \
	libgsym/render/jsonline.c \
	libgsym/render/llvm.c \
	libgsym/render/modules.c \
	libgsym/render/place.c \
	libgsym/render/place.h \
	libgsym/render/present.c \
	libgsym/render/render.h \
	libgsym/render/scene.h \
	libgsym/render/script.c \
	libgsym/render/write.c \
	libgsym/filter/filter.c \
	libgsym/filter/filter.h \
	libgsym/filter/line.c \
	libgsym/filter/logs.c \
	libgsym/filter/queue.c \
	libgsym/filter/queue.h \
	libgsym/filter/read.c \
	libgsym/filter/read.h \
	libgsym/filter/wait.c
libmarkup_la_LIBADD = liblogs.la
# page.EXTENSION becomes the array of lines gsym_mk_page_EXTENSION, without lines
# that begin with /**.
nodist_libmarkup_la_SOURCES = libgsym/markup/page_files.c
page_files = libgsym/markup/page.css libgsym/markup/page.js
EXTRA_DIST += $(page_files)
CLEANFILES += libgsym/markup/page_files.c
libgsym/markup/page_files.c: $(page_files) libgsym/local.mk
	$(AM_V_GEN)$(MKDIR_P) libgsym/markup && { \
	echo '#include "markup/text.h"' && \
	for file in $(page_files); do \
		name=`echo $$file | sed 's,.*[.],gsym_mk_page_,'` && \
		echo "const char *const $$name[] = {" && \
		sed '/^\/\*\*/d; s,[\\"],\\&,g; s,^,",; s,$$,\\n"\,,' \
			$(srcdir)/$$file && \
		echo '0 };' || exit 1; \
	done; } >$@.tmp && mv $@.tmp $@

# logs: frames of backtraces that are no markup.  libc alone, and no memory.
liblogs_la_SOURCES = \
	libgsym/logs/dialect.h libgsym/logs/scan.h \
	libgsym/logs/unwrap.h \
	libgsym/logs/line.c \
	libgsym/logs/unwrap.c \
	libgsym/logs/wrapping.c \
	libgsym/logs/feeds.c \
	libgsym/logs/html.c \
	libgsym/logs/search.c \
	libgsym/logs/frames.c \
	libgsym/logs/signal.c \
	libgsym/logs/android.c \
	libgsym/logs/apple.c \
	libgsym/logs/backtrace.c \
	libgsym/logs/clickhouse.c \
	libgsym/logs/fault.c \
	libgsym/logs/perf.c \
	libgsym/logs/bsd.c \
	libgsym/logs/dart.c \
	libgsym/logs/mongodb.c \
	libgsym/logs/registers.c \
	libgsym/logs/xen.c \
	libgsym/logs/stackwalk.c \
	libgsym/logs/generic.c \
	libgsym/logs/glibc.c \
	libgsym/logs/jvm.c \
	libgsym/logs/kernel.c \
	libgsym/logs/maps.c \
	libgsym/logs/pytorch.c \
	libgsym/logs/sanitizer.c \
	libgsym/logs/strace.c \
	libgsym/logs/systemd.c \
	libgsym/logs/valgrind.c \
	libgsym/logs/wasm.c

# xray: traces of LLVM's XRay.  libc alone; neither ELF nor GSYM.
libxray_la_SOURCES = \
	libgsym/xray/account.c \
	libgsym/xray/events.c \
	libgsym/xray/log.c libgsym/xray/log.h \
	libgsym/xray/sleds.c \
	libgsym/xray/tree.c

# inputs: programs, debug info and symbol files to records.
libinputs_la_SOURCES = \
	libgsym/elf/contents.c \
	libgsym/elf/dynamic.c libgsym/elf/plt.c \
	libgsym/elf/frames.c \
	libgsym/elf/elf_image.c libgsym/elf/elf.h \
	libgsym/elf/find.c \
	libgsym/elf/embed.c \
	libgsym/container/inflate.c \
	libgsym/container/inflate_stream.c \
	libgsym/elf/relocate.c \
	libgsym/elf/relocation_kinds.c \
	libgsym/elf/stub.c \
	libgsym/elf/symbols.c \
	libgsym/breakpad/breakpad.c libgsym/breakpad/breakpad.h \
	libgsym/breakpad/file.h \
	libgsym/breakpad/first_pass.c \
	libgsym/breakpad/inlines.c \
	libgsym/breakpad/names.c \
	libgsym/breakpad/second_pass.c \
	libgsym/breakpad/spool.c \
	libgsym/breakpad/text.c libgsym/breakpad/text.h \
	libgsym/container/container.c libgsym/container/container.h \
	libgsym/container/input.h \
	libgsym/convert/convert.c libgsym/convert/convert.h \
	libgsym/container/find.c libgsym/container/join.c \
	libgsym/container/passing.c \
	libgsym/convert/data.c \
	libgsym/go/go.c libgsym/go/go.h \
	libgsym/go/pclntab.c \
	libgsym/go/pclntab_convert.c \
	libgsym/go/plan9.c \
	libgsym/go/program.c \
	libgsym/convert/objects.c \
	libgsym/convert/program.c \
	libgsym/convert/symtab.c \
	libgsym/convert/transcode.c \
	libgsym/convert/chain.c \
	libgsym/macho/archive.c \
	libgsym/macho/macho.c libgsym/macho/macho.h \
	libgsym/macho/relocate.c \
	libgsym/macho/symbols.c \
	libgsym/aout/aout.c libgsym/aout/aout.h \
	libgsym/wasm/wasm.c \
	libgsym/pe/pe.c \
	libgsym/dwarf/abbrev.c \
	libgsym/dwarf/aranges.c \
	libgsym/dwarf/described.c \
	libgsym/dwarf/dwarf.c libgsym/dwarf/dwarf.h \
	libgsym/dwarf/info.c \
	libgsym/dwarf/lines.c \
	libgsym/dwarf/live.c \
	libgsym/dwarf/names.c \
	libgsym/dwarf/nodes.c \
	libgsym/dwarf/paint.c \
	libgsym/dwarf/policy.c libgsym/dwarf/policy.h \
	libgsym/dwarf/records.c \
	libgsym/dwarf/resolve.c libgsym/dwarf/resolve.h \
	libgsym/dwarf/rows.c \
	libgsym/dwarf/scan.c libgsym/dwarf/scan.h \
	libgsym/dwarf/sections.c libgsym/dwarf/sections.h \
	libgsym/dwarf/passing.c \
	libgsym/dwarf/split.c \
	libgsym/dwarf/unit.c libgsym/dwarf/unit.h
libinputs_la_CPPFLAGS = $(AM_CPPFLAGS) \
	$(ZLIB_CFLAGS) $(DEFLATE_CFLAGS) $(ISAL_CFLAGS) $(ZSTD_CFLAGS) $(LZMA_CFLAGS)
inputs_libs = $(ZLIB_LIBS) $(DEFLATE_LIBS) $(ISAL_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS)

# second: the second reader of DWARF, for gsym-create and tests.  Link it with
# libinputs.la, as libgsym-convert.so does not export what it uses.
libsecond_la_SOURCES = \
	libgsym/second/convert.c \
	libgsym/second/die.c \
	libgsym/second/libdwarf.h \
	libgsym/second/line.c \
	libgsym/second/open.c \
	libgsym/second/reader.c \
	libgsym/second/second.h
libsecond_la_CPPFLAGS = $(AM_CPPFLAGS) $(DWARF_CFLAGS)
libsecond_la_LIBADD = $(DWARF_LIBS)

libgsym_la_SOURCES =
libgsym_la_LIBADD = libmarkup.la libbatch.la libprocess.la \
	libstore.la libcore.la libbuild.la libbase.la $(PTHREAD_LIBS)
libgsym_la_LDFLAGS = $(AM_LDFLAGS) $(libgsym_map) -version-info 0:0:0 \
	-no-undefined
libgsym_la_DEPENDENCIES = libmarkup.la libbatch.la libprocess.la \
	libstore.la libcore.la libbuild.la libbase.la \
	$(srcdir)/libgsym/libgsym.map

libgsym_convert_la_SOURCES =
# The shared library has base and object of its own, as libgsym.so exports the
# public functions alone.  The archive must not have them: libgsym.a, without
# which it is of no use, has them, and a program may link both as a whole.
# libtool would copy libbase.la into the archive as well, so these go to the
# linker behind its back.
libgsym_convert_la_LIBADD = libinputs.la libgsym.la $(inputs_libs)
libgsym_convert_la_LDFLAGS = $(AM_LDFLAGS) $(libgsym_convert_map) \
	-Wl,$(objdir)/libobject.a,$(objdir)/libbase.a \
	-version-info 0:0:0 -no-undefined
libgsym_convert_la_DEPENDENCIES = libinputs.la libobject.la libbase.la \
	libgsym.la \
	$(srcdir)/libgsym/libgsym-convert.map

# demangle: libiberty and libc; nothing of libgsym.
libgsym_demangle_la_SOURCES = \
	libgsym/demangle/demangler.c \
	libgsym/demangle/rewrite.c \
	libgsym/demangle/spell.c libgsym/demangle/spell.h
libgsym_demangle_la_LIBADD = $(IBERTY_LIBS) $(PTHREAD_LIBS)
libgsym_demangle_la_LDFLAGS = $(AM_LDFLAGS) $(libgsym_demangle_map) \
	-version-info 0:0:0 -no-undefined
libgsym_demangle_la_DEPENDENCIES = $(srcdir)/libgsym/libgsym-demangle.map

# xray: base, which the shared library has and the archive lacks, as in
# libgsym-convert.  The shared library needs nothing of libgsym.so.
libgsym_xray_la_SOURCES =
libgsym_xray_la_LIBADD = libxray.la
libgsym_xray_la_LDFLAGS = $(AM_LDFLAGS) $(libgsym_xray_map) \
	-Wl,$(objdir)/libbase.a -version-info 0:0:0 -no-undefined
libgsym_xray_la_DEPENDENCIES = libxray.la libbase.la \
	$(srcdir)/libgsym/libgsym-xray.map

# The version scripts list the exported functions by release.
if HAVE_VERSION_SCRIPT
libgsym_map = -Wl,--version-script,$(srcdir)/libgsym/libgsym.map
libgsym_convert_map = \
	-Wl,--version-script,$(srcdir)/libgsym/libgsym-convert.map
libgsym_demangle_map = \
	-Wl,--version-script,$(srcdir)/libgsym/libgsym-demangle.map
libgsym_xray_map = -Wl,--version-script,$(srcdir)/libgsym/libgsym-xray.map
endif
EXTRA_DIST += libgsym/libgsym.map libgsym/libgsym-convert.map \
	libgsym/libgsym-demangle.map libgsym/libgsym-xray.map

# For find_package of CMake.
cmakedir = $(libdir)/cmake/gsym
cmake_DATA = libgsym/gsym-config.cmake libgsym/gsym-config-version.cmake
if CONVERT
dist_cmake_DATA = libgsym/gsym-symbols.cmake libgsym/gsym-every-target.cmake
endif

pkgconfig_DATA = libgsym/gsym.pc libgsym/gsym-demangle.pc
if XRAY
pkgconfig_DATA += libgsym/gsym-xray.pc
endif
if CONVERT
pkgconfig_DATA += libgsym/gsym-convert.pc
endif
