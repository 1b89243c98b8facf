# SPDX-License-Identifier: MIT
# Tests of the logs room, and of gsym-markup --logs.

check_PROGRAMS += test_logs test_markup_logs
TESTS += test_logs test_markup_logs
test_logs_SOURCES = tests/unit/logs/expect.h \
	tests/unit/logs/test_facts.c \
	tests/unit/logs/test_foreign.c \
	tests/unit/logs/test_joined.c \
	tests/unit/logs/test_frames.c \
	tests/unit/logs/test_reports.c \
	tests/unit/logs/test_unwrap.c
test_logs_CPPFLAGS = $(unit_cppflags)
test_logs_LDADD = liblogs.la libbase.la $(CRITERION_LIBS)
test_markup_logs_SOURCES = tests/unit/markup/log_host.c \
	tests/unit/markup/log_host.h \
	tests/unit/markup/test_log_builds.c \
	tests/unit/markup/test_log_forms.c \
	tests/unit/markup/test_log_machines.c \
	tests/unit/markup/test_log_hostile.c \
	tests/unit/markup/test_log_kernel.c \
	tests/unit/markup/test_log_lifetimes.c \
	tests/unit/markup/test_log_output.c \
	tests/unit/markup/test_log_programs.c \
	tests/unit/markup/test_log_signals.c \
	tests/unit/markup/test_log_waits.c
test_markup_logs_CPPFLAGS = $(unit_cppflags)
test_markup_logs_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=free,--wrap=realloc
test_markup_logs_LDADD = libmarkup.la libcore.la libbase.la $(CRITERION_LIBS)

logs_scripts = tests/cli/logs-fixtures.sh tests/cli/logs-symbols.sh \
	tests/cli/logs-producers.sh tests/cli/logs-json.sh \
	tests/cli/logs-profiles.sh tests/cli/logs-source.sh \
	tests/cli/logs-wrapped.sh
TESTS += $(logs_scripts)
dist_check_SCRIPTS += $(logs_scripts)
EXTRA_DIST += tests/cli/logs-lib.sh testdata/logs/README.md \
	testdata/logs/android/logcat-apk.expected \
	testdata/logs/android/logcat-apk.log \
	testdata/logs/android/play-console.expected \
	testdata/logs/android/play-console.log \
	testdata/logs/android/tombstone-arm.expected \
	testdata/logs/android/tombstone-arm.log \
	testdata/logs/apple/iOSCrashingTest.sym \
	testdata/logs/apple/ips.expected \
	testdata/logs/apple/ips.log \
	testdata/logs/apple/report.expected \
	testdata/logs/apple/report.log \
	testdata/logs/arm/libcrasher.so.gsym \
	testdata/logs/export/libgeo.so.gsym \
	testdata/logs/export/shapes.gsym \
	testdata/logs/foreign/android.frames \
	testdata/logs/foreign/android.log \
	testdata/logs/foreign/apple.frames \
	testdata/logs/foreign/apple.log \
	testdata/logs/foreign/generic.frames \
	testdata/logs/foreign/generic.log \
	testdata/logs/foreign/glibc.frames \
	testdata/logs/foreign/glibc.log \
	testdata/logs/foreign/jvm.frames \
	testdata/logs/foreign/jvm.log \
	testdata/logs/foreign/kernel.frames \
	testdata/logs/foreign/kernel.log \
	testdata/logs/foreign/backtrace.frames \
	testdata/logs/foreign/backtrace.log \
	testdata/logs/foreign/clickhouse.frames \
	testdata/logs/foreign/clickhouse.log \
	testdata/logs/foreign/bsd.frames \
	testdata/logs/foreign/bsd.log \
	testdata/logs/foreign/dart.frames \
	testdata/logs/foreign/dart.log \
	testdata/logs/foreign/fault.frames \
	testdata/logs/foreign/fault.log \
	testdata/logs/foreign/perf.frames \
	testdata/logs/foreign/perf.log \
	testdata/logs/foreign/pytorch.frames \
	testdata/logs/foreign/pytorch.log \
	testdata/logs/foreign/sanitizer.frames \
	testdata/logs/foreign/sanitizer.log \
	testdata/logs/foreign/systemd.frames \
	testdata/logs/foreign/systemd.log \
	testdata/logs/foreign/valgrind.frames \
	testdata/logs/foreign/valgrind.log \
	testdata/logs/foreign/wasm.frames \
	testdata/logs/foreign/wasm.log \
	testdata/logs/foreign/xen.frames \
	testdata/logs/foreign/xen.log \
	testdata/logs/gcc/libgeo.so.gsym \
	testdata/logs/gcc/shapes.gsym \
	testdata/logs/backtrace/esp.expected \
	testdata/logs/backtrace/esp.log \
	testdata/logs/backtrace/riscv.expected \
	testdata/logs/backtrace/riscv.log \
	testdata/logs/registers/crashes.expected \
	testdata/logs/registers/crashes.log \
	testdata/logs/registers/zephyr.expected \
	testdata/logs/registers/zephyr.log \
	testdata/logs/seastar/lines.expected \
	testdata/logs/seastar/lines.log \
	testdata/logs/dart/obfuscated.expected \
	testdata/logs/dart/obfuscated.log \
	testdata/logs/mongodb/lines.expected \
	testdata/logs/mongodb/lines.log \
	testdata/logs/stackwalk/one.expected \
	testdata/logs/stackwalk/one.log \
	testdata/logs/stackwalk/pretty.expected \
	testdata/logs/stackwalk/pretty.log \
	testdata/logs/backtrace/seastar.expected \
	testdata/logs/backtrace/seastar.log \
	testdata/logs/bsd/kdb.expected \
	testdata/logs/bsd/kdb.log \
	testdata/logs/bsd/kernel.sym \
	testdata/logs/bsd/netbsd.sym \
	testdata/logs/xen/panic.expected \
	testdata/logs/xen/panic.log \
	testdata/logs/xen/xen-syms.sym \
	testdata/logs/clickhouse/trace.expected \
	testdata/logs/clickhouse/trace.log \
	testdata/logs/generic/matlab.expected \
	testdata/logs/generic/matlab.log \
	testdata/logs/generic/stackwalk.expected \
	testdata/logs/generic/stackwalk.log \
	testdata/logs/glibc/export.expected \
	testdata/logs/glibc/export.log \
	testdata/logs/glibc/handled.expected \
	testdata/logs/glibc/handled.log \
	testdata/logs/glibc/nopie.expected \
	testdata/logs/glibc/nopie.log \
	testdata/logs/glibc/trace.expected \
	testdata/logs/glibc/trace.log \
	testdata/logs/ids/052bad2019f11e62e1b450c351dca10c10ea5a.debug.gsym \
	testdata/logs/ids/0e91286d98e51d878535191f7b1f71f9db2f71.debug.gsym \
	testdata/logs/ids/13e04ac7bfec8f4e395a11f077717ea619f058.debug.gsym \
	testdata/logs/ids/4f65141d54f1f923a677fa3f35e43e1cda15cb.debug.gsym \
	testdata/logs/ids/5b31cbda5fbf63a21efc0cbc37168753c6833f.debug.gsym \
	testdata/logs/ids/5ca095d499c72c6de1b23ae9836ac7278ec34e.debug.gsym \
	testdata/logs/ids/6a3d2081a034434d8d196b7f6e46224b445b89.debug.gsym \
	testdata/logs/ids/7094547a349241d13ac870971d11e62b2010ff.debug.gsym \
	testdata/logs/ids/79de177ce0c0525a2c7973b983e6c7c1f1f16d.debug.gsym \
	testdata/logs/ids/86b79800a2da3c0334413d979b487090efe473.debug.gsym \
	testdata/logs/ids/99dc4cbe25b397b696310842f5e59a0214ce73.debug.gsym \
	testdata/logs/ids/9be9bff95f814f5a766eccb8867a9deffb8bc7.debug.gsym \
	testdata/logs/ids/a989c2a07ed7b1feb0c7d26128956dc01ad2ba.debug.gsym \
	testdata/logs/ids/f08a31e3f4aa9cfdbc3802bfeb7a8e72e87eca.debug.gsym \
	testdata/logs/java/libcrash.so.gsym \
	testdata/logs/jvm/hs_err.expected \
	testdata/logs/jvm/hs_err.log \
	testdata/logs/kernel.py \
	testdata/logs/kernel/btrfs.ko.sym \
	testdata/logs/kernel/buildid.expected \
	testdata/logs/kernel/buildid.log \
	testdata/logs/kernel/dummy.ko.sym \
	testdata/logs/kernel/forms.expected \
	testdata/logs/kernel/forms.log \
	testdata/logs/kernel/hung.expected \
	testdata/logs/kernel/hung.log \
	testdata/logs/kernel/oops-x86_64.expected \
	testdata/logs/kernel/oops-x86_64.log \
	testdata/logs/kernel/vmlinux.sym \
	testdata/logs/kernel/xfs.ko.sym \
	testdata/logs/maps/after.expected \
	testdata/logs/maps/after.log \
	testdata/logs/maps/folly.expected \
	testdata/logs/maps/folly.log \
	testdata/logs/mixed/mixed.expected \
	testdata/logs/mixed/mixed.log \
	testdata/logs/nopie/shapes.gsym \
	testdata/logs/perf/script.expected \
	testdata/logs/perf/script.log \
	testdata/logs/ordinary/text.log \
	testdata/logs/sanitizer/asan-leak.expected \
	testdata/logs/sanitizer/asan-leak.log \
	testdata/logs/sanitizer/asan-overflow.expected \
	testdata/logs/sanitizer/asan-overflow.log \
	testdata/logs/sanitizer/asan-segv.expected \
	testdata/logs/sanitizer/asan-segv.log \
	testdata/logs/sanitizer/asan-uaf.expected \
	testdata/logs/sanitizer/asan-uaf.log \
	testdata/logs/sanitizer/llvm-dump.log \
	testdata/logs/sanitizer/tsan-race.expected \
	testdata/logs/sanitizer/tsan-race.log \
	testdata/logs/sanitizer/ubsan-shift.expected \
	testdata/logs/sanitizer/ubsan-shift.log \
	testdata/logs/src/Crash.java \
	testdata/logs/src/crash.c \
	testdata/logs/src/crasher.c \
	testdata/logs/src/geo.cpp \
	testdata/logs/src/geo.h \
	testdata/logs/src/library.c \
	testdata/logs/src/main.cpp \
	testdata/logs/src/producer.c \
	testdata/logs/src/producer.go \
	testdata/logs/src/producer.rs \
	testdata/logs/src/wait.cpp \
	testdata/logs/systemd/coredump.expected \
	testdata/logs/systemd/coredump.log \
	testdata/logs/systemd/eu-stack-b.expected \
	testdata/logs/systemd/eu-stack-b.log \
	testdata/logs/systemd/eu-stack-plain.log
