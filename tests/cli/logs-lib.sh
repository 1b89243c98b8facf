# SPDX-License-Identifier: MIT
# What the tests of gsym-markup --logs share, besides lib.sh.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
unset XDG_CACHE_HOME
HOME=$scratch/work
export HOME
data=$top_srcdir/testdata/logs

# Make the GSYM files of the kernel, in the folder "kernel", and that of a program
# for iOS in the folder "apple"; those of kernels of BSD in "bsd", of Xen in "xen".
make_symbols()
{
	mkdir -p kernel apple
	for file in "$data"/kernel/*.sym; do
		name=$(basename "$file" .sym)
		gsym-create --quiet -o "kernel/$name.gsym" "$file" ||
			fail "no GSYM file of $name"
	done
	mkdir -p bsd
	for name in kernel netbsd; do
		gsym-create --quiet -o bsd/$name.gsym "$data/bsd/$name.sym" ||
			fail "no GSYM file of $name"
	done
	mkdir -p xen
	gsym-create --quiet -o xen/xen-syms.gsym "$data/xen/xen-syms.sym" ||
		fail 'no GSYM file of Xen'
	gsym-create --quiet -o apple/iOSCrashingTest.gsym \
		"$data/apple/iOSCrashingTest.sym" || fail 'no GSYM file'
}

# The options with which the log $1 has answers.
options_of()
{
	case $1 in
	sanitizer/* | systemd/* | android/logcat-apk | android/play-console)
		echo "--gsym-file-directory=$data/ids" ;;
	android/*) echo "--symbols=$data/arm" ;;
	glibc/handled) echo "--symbols=$data/gcc --symbols=libc" ;;
	glibc/trace) echo "--symbols=$data/gcc" ;;
	glibc/*) echo "--symbols=$data/${1#glibc/}" ;;
	apple/*) echo "--symbols=apple" ;;
	bsd/*) echo "--symbols=bsd" ;;
	xen/*) echo "--symbols=xen --kernel=kernel/vmlinux.gsym" ;;
	backtrace/* | seastar/* | registers/*)
		echo "--symbols=$data/gcc --module=$data/nopie/shapes.gsym" ;;
	clickhouse/* | generic/* | perf/* | stackwalk/*) echo "--symbols=$data/gcc" ;;
	dart/*) echo "--gsym-file-directory=$data/ids" ;;
	mongodb/*)
		echo "--symbols=$data/gcc --gsym-file-directory=$data/ids" ;;
	maps/*) echo "--logs=maps --symbols=$data/gcc" ;;
	jvm/*) echo "--symbols=$data/java" ;;
	kernel/*) echo '--kernel=kernel/vmlinux.gsym' ;;
	mixed/* | ordinary/*)
		echo "--kernel=kernel/vmlinux.gsym --symbols=$data/gcc" \
			"--gsym-file-directory=$data/ids" ;;
	esac
}

# Filter the log $1 with the options of the log $2; more options follow.
logs()
{
	file=$1
	like=$2
	shift 2
	# shellcheck disable=SC2046
	gsym-markup --logs --debug-file-directory=none $(options_of "$like") \
		"$@" "$file"
}

# The names of all logs.
all_logs()
{
	(cd "$data" && ls -- */*.log) | sed 's/\.log$//'
}
