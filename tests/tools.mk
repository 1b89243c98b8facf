# SPDX-License-Identifier: MIT
# Tests of tools/common (criterion), and of the tools from outside (scripts).

tools_units = test_tools_number test_tools_path test_tools_json test_tools_out \
	test_tools_options test_tools_outfile \
	test_tools_compare test_tools_witness test_tools_names test_tools_report \
	test_tools_file test_tools_must
if LINUX
tools_units += test_tools_sandbox test_tools_sandbox_linux
endif

if HAVE_CRITERION
check_PROGRAMS += $(tools_units)
TESTS += $(tools_units)
endif

tools_unit_cppflags = $(tools_cppflags) -I$(srcdir)/tests $(CRITERION_CFLAGS)
tools_unit_ldadd = libtools.la libgsym.la $(CRITERION_LIBS)

test_tools_number_SOURCES = tests/unit/common/test_number.c
test_tools_number_CPPFLAGS = $(tools_unit_cppflags)
test_tools_number_LDADD = $(tools_unit_ldadd)
test_tools_number_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_path_SOURCES = tests/unit/common/test_path.c
test_tools_path_CPPFLAGS = $(tools_unit_cppflags)
test_tools_path_LDADD = $(tools_unit_ldadd)
test_tools_path_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_json_SOURCES = tests/unit/common/test_json.c \
	tests/unit/common/capture.h
test_tools_json_CPPFLAGS = $(tools_unit_cppflags)
test_tools_json_LDADD = $(tools_unit_ldadd)
test_tools_json_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_out_SOURCES = tests/unit/common/test_out.c \
	tests/unit/common/capture.h
test_tools_out_CPPFLAGS = $(tools_unit_cppflags)
test_tools_out_LDADD = $(tools_unit_ldadd)
test_tools_out_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_options_SOURCES = tests/unit/common/test_options.c
test_tools_options_CPPFLAGS = $(tools_unit_cppflags)
test_tools_options_LDADD = $(tools_unit_ldadd)
test_tools_options_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_outfile_SOURCES = tests/unit/common/test_outfile.c
test_tools_outfile_CPPFLAGS = $(tools_unit_cppflags)
test_tools_outfile_LDADD = $(tools_unit_ldadd)
test_tools_outfile_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_witness_SOURCES = tests/unit/create/test_witness.c \
	tools/create/compare.c
test_tools_witness_CPPFLAGS = $(tools_unit_cppflags)
test_tools_witness_LDADD = $(tools_unit_ldadd)
test_tools_witness_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_compare_SOURCES = tests/unit/create/test_compare.c \
	tools/create/compare.c
test_tools_compare_CPPFLAGS = $(tools_unit_cppflags)
test_tools_compare_LDADD = $(tools_unit_ldadd)
test_tools_compare_LDFLAGS = $(AM_LDFLAGS) -static


test_tools_must_SOURCES = tests/unit/common/test_must.c
test_tools_must_CPPFLAGS = $(tools_unit_cppflags)
test_tools_must_LDADD = $(tools_unit_ldadd)
test_tools_must_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_names_SOURCES = tests/unit/common/test_names.c
test_tools_names_CPPFLAGS = $(tools_unit_cppflags)
test_tools_names_LDADD = $(tools_unit_ldadd)
test_tools_names_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_sandbox_SOURCES = tests/unit/common/test_sandbox.c
test_tools_sandbox_CPPFLAGS = $(tools_unit_cppflags)
test_tools_sandbox_LDADD = $(tools_unit_ldadd) $(PTHREAD_LIBS)
test_tools_sandbox_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_sandbox_linux_SOURCES = tests/unit/common/test_sandbox_linux.c
test_tools_sandbox_linux_CPPFLAGS = $(tools_unit_cppflags)
test_tools_sandbox_linux_LDADD = $(tools_unit_ldadd)
test_tools_sandbox_linux_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_report_SOURCES = tests/unit/common/test_report.c
test_tools_report_CPPFLAGS = $(tools_unit_cppflags)
test_tools_report_LDADD = $(tools_unit_ldadd)
test_tools_report_LDFLAGS = $(AM_LDFLAGS) -static

test_tools_file_SOURCES = tests/unit/common/test_file.c
test_tools_file_CPPFLAGS = $(tools_unit_cppflags)
test_tools_file_LDADD = $(tools_unit_ldadd)
test_tools_file_LDFLAGS = $(AM_LDFLAGS) -static

# Tries all system calls in the sandbox, for sandbox-calls.sh.
check_PROGRAMS += list_calls
list_calls_SOURCES = tests/support/list_calls.c
list_calls_CPPFLAGS = $(tools_cppflags)
list_calls_LDADD = libtools.la libgsym.la $(PTHREAD_LIBS)
list_calls_LDFLAGS = $(AM_LDFLAGS) -static

# Scripts.  NAME.out has the output that NAME.sh should print; with UPDATE=1 in
# the environment NAME.sh writes it.
cli_tests = tests/cli/store-threads.sh tests/cli/store-hosts.sh \
	tests/cli/colour.sh tests/cli/clickhouse.sh \
	tests/cli/breakpad.sh tests/cli/create.sh \
	tests/cli/create-better.sh tests/cli/create-stub.sh tests/cli/create-require.sh tests/cli/prefix-map.sh tests/cli/create-jobserver.sh tests/cli/create-depfile.sh tests/cli/build-systems.sh tests/cli/build-packages.sh \
	 tests/cli/others-defects.sh \
	tests/cli/create-content.sh tests/cli/create-identify.sh tests/cli/create-embed.sh tests/cli/create-errors.sh \
	tests/cli/create-file-id.sh \
	tests/cli/npm.sh tests/cli/sandbox.sh tests/cli/sandbox-calls.sh \
	tests/cli/create-claims.sh \
	tests/cli/create-passing.sh \
	tests/cli/create-sections.sh tests/cli/create-signal.sh \
	tests/cli/create-temporary.sh \
	tests/cli/create-transcode.sh tests/cli/create-tree.sh \
	tests/cli/create-unread-lines.sh \
	tests/cli/debug-files.sh tests/cli/debug-files-hostile.sh \
	tests/cli/debug-data.sh tests/cli/dwz.sh tests/cli/split-dwarf.sh \
	tests/cli/packed.sh tests/cli/symtab-file.sh \
	tests/cli/debuginfod.sh tests/cli/debuginfod-server.sh \
	tests/cli/checksum.sh tests/cli/dump.sh tests/cli/dump-damage.sh \
	tests/cli/dump-report.sh \
	tests/cli/examples.sh tests/cli/first-hour.sh tests/cli/front.sh tests/cli/guide.sh tests/cli/fetch.sh tests/cli/fetch-servers.sh \
	tests/cli/upload.sh \
	tests/cli/greedy-outputs.sh tests/cli/harmless-names.sh tests/cli/help.sh \
	tests/cli/lookup-copy.sh tests/cli/lookup-coprocess.sh \
	tests/cli/lookup-chroot.sh tests/cli/lookup-errors.sh \
	tests/cli/lookup-json.sh tests/cli/lookup-kernel.sh \
	tests/cli/lookup-limits.sh tests/cli/lookup-nm.sh \
	tests/cli/lookup-convert.sh tests/cli/lookup-first.sh \
	tests/cli/lookup-process.sh \
	tests/cli/lookup-program.sh \
	tests/cli/lookup-stack.sh \
	tests/cli/lookup-stdin.sh \
	tests/cli/lookup-stream.sh tests/cli/lookup-stream-many.sh \
	tests/cli/lookup-stream-stack.sh \
	tests/cli/lookup-text.sh tests/cli/lookup-unreadable.sh \
	tests/cli/malloc.sh \
	tests/cli/go.sh \
	tests/cli/peer-gsymtool.sh tests/cli/python.sh tests/cli/spark.sh \
	tests/cli/stable-options.sh \
	tests/cli/tour.sh
TESTS += $(cli_tests)

# The tests with Python packages alone.  GSYM_SPARK_PYTHON, GSYM_CHDB_PYTHON and
# PYTHON name Pythons that have them.
.PHONY: check-fleet
check-fleet: all
	$(MAKE) check TESTS='tests/cli/arrow.sh tests/cli/clickhouse.sh \
		tests/cli/python.sh tests/cli/spark.sh'
dist_check_SCRIPTS += $(cli_tests)
EXTRA_DIST += tests/support/crash_traps.c
# The Go package.
EXTRA_DIST += go/README.md go/go.mod go/cmd/gsym-go/main.go go/cursor.go \
	go/doc.go go/file.go go/gsym_test.go go/layout.go go/lookup.go \
	go/map_other.go go/map_unix.go go/segments.go
# The Python package, which pip installs, and its tests.
EXTRA_DIST += python/LICENSE python/README.md python/pyproject.toml python/hatch_build.py \
	python/gsym/__init__.py python/gsym/_arrow.py python/gsym/_debugid.py \
	python/gsym/_demangle.py python/gsym/_firefox.py \
	python/gsym/_fetch.py python/gsym/_file.py python/gsym/_gperftools.py \
	python/gsym/_library.py \
	python/gsym/_store.py python/gsym/duckdb.py python/gsym/pprof.py \
	python/gsym/spark.py tests/cli/clickhouse.py tests/cli/coprocess.py tests/cli/greedy-outputs.py \
	tests/cli/spark.py \
	python/share/man/man1/gsym-pprof.1 \
	python/share/bash-completion/completions/gsym-pprof \
	python/share/fish/vendor_completions.d/gsym-pprof.fish \
	python/gsym/_profile.py python/gsym/_receiver.py \
	python/gsym/_symbolicate.py python/gsym/_wire.py \
	python/gsym/_crashes.py python/gsym/crashes.py \
	python/share/man/man1/gsym-crashes.1 \
	python/share/bash-completion/completions/gsym-crashes \
	python/share/fish/vendor_completions.d/gsym-crashes.fish \
	python/tests/test_crashes.py \
	python/gsym/otlp.py python/share/man/man1/gsym-otlp.1 \
	python/share/bash-completion/completions/gsym-otlp \
	python/share/fish/vendor_completions.d/gsym-otlp.fish \
	python/tests/test_otlp.py testdata/firefox testdata/otlp testdata/pprof \
	python/gsym/py.typed python/tests/test_gsym.py \
	python/tests/test_firefox.py python/tests/test_gperftools.py \
	python/tests/test_symbolicate.py \
	python/tests/test_pprof.py python/tests/test_wheel.py python/tests/test_wire.py
EXTRA_DIST += tests/cli/links.py tests/cli/tour.py tests/cli/lib.sh tests/cli/program.c \
	tests/cli/folded.c tests/cli/calls.c tests/cli/without.c tests/cli/greedy.hex \
	tests/cli/odd.hex tests/cli/stack.hex tests/cli/work.hex \
	tests/cli/create-errors.out tests/cli/create-unread-lines.out tests/cli/create-sections.out \
	tests/cli/dump.out \
	tests/cli/dump-damage.out tests/cli/lookup-coprocess.out \
	tests/cli/lookup-errors.out tests/cli/lookup-json.out \
	tests/cli/lookup-stdin.out tests/cli/lookup-stream.out \
	tests/cli/lookup-stream-stack.out \
	tests/cli/stream-lib.sh \
	tests/cli/lookup-text.out
