# SPDX-License-Identifier: MIT
# Unit tests (criterion) mirror libgsym; scripts in tests/cli run the tools,
# those in tests/fence check what the libraries need, export and include.

TEST_EXTENSIONS = .sh

# A test that hangs must not hang everything.
LOG_COMPILER = $(SHELL) $(srcdir)/tests/limited.sh $(SHELL) $(srcdir)/tests/run-unit.sh
SH_LOG_COMPILER = $(SHELL) $(srcdir)/tests/limited.sh

# The environment of every test.  Scripts run in the build folder and find their
# data below top_srcdir.
AM_TESTS_ENVIRONMENT = \
	LC_ALL=C; TERM=dumb; export LC_ALL TERM; \
	top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; \
	export top_srcdir top_builddir; \
	CC='$(CC)'; CFLAGS='$(CFLAGS)'; GSYM_SANITIZE='$(GSYM_SANITIZE)'; \
	export CC CFLAGS GSYM_SANITIZE;

if HAVE_CRITERION
unit_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/tests $(CRITERION_CFLAGS)
else
check-local:
	@echo 'criterion is missing (Debian: libcriterion-dev):' \
		'the unit tests were not built' >&2
	@false
endif

EXTRA_DIST += tests/compile_commands.py
EXTRA_DIST += tests/peers/peers tests/peers/lit.py tests/peers/suites.py \
	tests/peers/tables.py tests/peers/sanitizers.py \
	tests/peers/expected/symbolic \
	tests/peers/llvm-gsymutil tests/peers/llvm-xray \
	tests/peers/loose/FileCheck tests/peers/expected/llvm \
	tests/peers/expected/elfutils tests/peers/expected/gimli \
	tests/peers/README.md
EXTRA_DIST += tests/limited.sh tests/run-unit.sh tests/summary.sh tests/README.md
EXTRA_DIST += tests/analyse tests/analyse.cppcheck
EXTRA_DIST += tests/mutate tests/mutate.equal
EXTRA_DIST += tests/hostile/make tests/hostile/measure tests/hostile/damage tests/hostile/load \
	tests/fuzz/README.md tests/fuzz/run tests/fuzz/fuzz_pprof.py \
	tests/fuzz/breakpad.dict tests/fuzz/dwarf.dict \
	tests/fuzz/markup.dict tests/fuzz/reader.dict tests/fuzz/xray.dict

# Count what the last "make check" ran, test by test.
.PHONY: check-summary check-matrix
check-summary:
	@$(SHELL) $(srcdir)/tests/summary.sh $(TEST_LOGS)

# The quick half: the unit tests, and the checks of the sources.  The programs of
# these tests alone are built.
quick_fences = tests/fence/style.log tests/fence/includes.log \
	tests/fence/names.log tests/fence/headers.log tests/fence/manuals.log
quick_logs = for test in $(TESTS); do \
	case $$test in test_*) echo $$test.log ;; esac; done; \
	echo $(quick_fences)
.PHONY: check-quick check-quick-summary
check-quick: all
	rm -f `$(quick_logs)`
	$(MAKE) $(AM_MAKEFLAGS) `$(quick_logs)`
check-quick-summary:
	@$(SHELL) $(srcdir)/tests/summary.sh `$(quick_logs)`

# A fragment for each room.  Without libgsym-convert, tests that convert are left
# out.
include tests/fence.mk
include tests/public.mk
include tests/base.mk
include tests/reader.mk
include tests/names.mk
include tests/batch.mk
include tests/demangle.mk
include tests/writer.mk
include tests/markup.mk
include tests/logs.mk
include tests/process.mk
include tests/xray.mk
include tests/tools.mk
include tests/personality.mk
include tests/fuzz.mk
include tests/proofs.mk
if CONVERT
include tests/breakpad.mk
include tests/elf.mk
include tests/macho.mk
include tests/dwarf.mk
include tests/readers.mk
include tests/go.mk
endif
