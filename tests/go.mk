# SPDX-License-Identifier: MIT
# Tests of PE and Go programs as inputs, and their fixtures.

check_PROGRAMS += as_expected
as_expected_SOURCES = tests/support/as_expected.c
as_expected_CPPFLAGS = $(AM_CPPFLAGS)
as_expected_LDADD = libgsym.la
as_expected_LDFLAGS = $(AM_LDFLAGS) -static

go_input_sources = tests/support/go_input.c tests/support/go_input.h \
	tests/fuzz/verify.c tests/fuzz/verify.h
go_test_ldadd = libinputs.la libobject.la libgsym.la libcore.la libbuild.la libbase.la \
	$(inputs_libs) $(PTHREAD_LIBS)

check_PROGRAMS += fuzz_go
TESTS += fuzz_go
fuzz_go_SOURCES = tests/fuzz/fuzz_go.c tests/fuzz/fuzz.h tests/fuzz/replay.c \
	$(go_input_sources)
fuzz_go_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
fuzz_go_LDADD = $(go_test_ldadd)
fuzz_go_LDFLAGS = $(AM_LDFLAGS) -static

if HAVE_CRITERION
go_tests = test_aout test_wasm test_exports test_pe test_plan9 test_pclntab \
	test_pclntab_convert test_go \
	test_pointers test_go_damage
check_PROGRAMS += $(go_tests)
TESTS += $(go_tests)

test_exports_SOURCES = tests/unit/pe/test_exports.c
test_exports_CPPFLAGS = $(unit_cppflags)
test_exports_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_exports_LDFLAGS = $(AM_LDFLAGS) -static

test_pe_SOURCES = tests/unit/pe/test_pe.c
test_pe_CPPFLAGS = $(unit_cppflags)
test_pe_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_pe_LDFLAGS = $(AM_LDFLAGS) -static

test_plan9_SOURCES = tests/unit/go/test_plan9.c
test_plan9_CPPFLAGS = $(unit_cppflags)
test_plan9_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_plan9_LDFLAGS = $(AM_LDFLAGS) -static

test_wasm_SOURCES = tests/unit/wasm/test_wasm.c tests/unit/wasm/program.h
test_wasm_CPPFLAGS = $(unit_cppflags)
test_wasm_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_wasm_LDFLAGS = $(AM_LDFLAGS) -static

test_aout_SOURCES = tests/unit/aout/test_aout.c
test_aout_CPPFLAGS = $(unit_cppflags)
test_aout_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_aout_LDFLAGS = $(AM_LDFLAGS) -static

test_pclntab_SOURCES = tests/unit/go/test_pclntab.c
test_pclntab_CPPFLAGS = $(unit_cppflags)
test_pclntab_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_pclntab_LDFLAGS = $(AM_LDFLAGS) -static

test_pclntab_convert_SOURCES = tests/unit/go/test_pclntab_convert.c
test_pclntab_convert_CPPFLAGS = $(unit_cppflags)
test_pclntab_convert_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_pclntab_convert_LDFLAGS = $(AM_LDFLAGS) -static

test_go_SOURCES = tests/unit/go/test_go.c
test_go_CPPFLAGS = $(unit_cppflags)
test_go_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_go_LDFLAGS = $(AM_LDFLAGS) -static

test_pointers_SOURCES = tests/unit/elf/test_pointers.c
test_pointers_CPPFLAGS = $(unit_cppflags)
test_pointers_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_pointers_LDFLAGS = $(AM_LDFLAGS) -static

test_go_damage_SOURCES = tests/unit/go/test_go_damage.c $(go_input_sources)
test_go_damage_CPPFLAGS = $(unit_cppflags)
test_go_damage_LDADD = $(go_test_ldadd) $(CRITERION_LIBS)
test_go_damage_LDFLAGS = $(AM_LDFLAGS) -static
endif

# Programs built by the installed Go; lookups are compared with other readers.
# tests/matrix/go.sh --help tells how to compare more programs.
TESTS += tests/cli/create-go.sh tests/cli/go-programs.sh tests/matrix/go.sh
EXTRA_DIST += tests/cli/go-fault.go tests/cli/go-traceback.go
dist_check_SCRIPTS += tests/cli/create-go.sh tests/cli/go-programs.sh \
	tests/matrix/compare_go.py \
	tests/matrix/go.sh tests/support/chain_fixups.py
EXTRA_DIST += \
	testdata/go/README.md \
	testdata/go/gosample-amd64 \
	testdata/go/gosample-amd64-lldpie.expect \
	testdata/go/gosample-amd64-lldpie.xz \
	testdata/go/gosample-amd64.expect \
	testdata/go/gosample-arm64 \
	testdata/go/gosample-arm64.expect \
	testdata/go/gosample-darwin-arm64.expect \
	testdata/go/gosample-darwin-arm64.xz \
	testdata/go/gosample-mips.expect \
	testdata/go/gosample-mips.xz \
	testdata/go/gosample-s390x \
	testdata/go/gosample-s390x.expect \
	testdata/go/gosample-windows-amd64.exe.xz \
	testdata/go/gosample-windows-amd64.expect \
	testdata/go/plan9/go1.expect \
	testdata/go/plan9/go1.gopclntab \
	testdata/go/plan9/go10.elf \
	testdata/go/plan9/go10.gosymtab \
	testdata/go/plan9/go11.elf \
	testdata/go/plan9/go11.gosymtab \
	testdata/go/plan9/mkplan9.py \
	testdata/go/plan9/plan9-64.syms \
	testdata/go/plan9/seed2008.expect \
	testdata/go/plan9/seed2008.steps \
	testdata/go/plan9/seed2008.symdat \
	testdata/go/src/c.go \
	testdata/go/src/gen.go \
	testdata/go/src/go.mod \
	testdata/go/src/main.go \
	testdata/go/src/shape/shape.go \
	testdata/go/synthetic/go1.11-s390x.elf \
	testdata/go/synthetic/go1.12-386.elf \
	testdata/go/synthetic/go1.12-amd64.elf \
	testdata/go/synthetic/go1.13-amd64.elf \
	testdata/go/synthetic/go1.15-mips.elf \
	testdata/go/synthetic/go1.16-amd64.elf \
	testdata/go/synthetic/go1.16-mips.elf \
	testdata/go/synthetic/go1.18-386.elf \
	testdata/go/synthetic/go1.18-s390x.elf \
	testdata/go/synthetic/go1.2-386.elf \
	testdata/go/synthetic/go1.2-amd64.elf \
	testdata/go/synthetic/go1.20-amd64.elf \
	testdata/go/synthetic/go1.20-mips.elf \
	testdata/go/synthetic/go1.26-amd64.elf \
	testdata/go/synthetic/go1.26-mips.elf \
	testdata/go/synthetic/go1.27-amd64.elf \
	testdata/go/synthetic/go1.5-ppc64.elf \
	testdata/go/synthetic/go1.9-amd64.elf \
	testdata/go/synthetic/mkpcln.py \
	testdata/go/synthetic/synthetic-noinline.expect \
	testdata/go/synthetic/synthetic.expect
