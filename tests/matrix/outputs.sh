# SPDX-License-Identifier: MIT
# Run the unit tests and the tools of another machine or system, and compare
# every output of the tools with that of the native ones, byte for byte.
# machines and systems read this file.
#
# They set top, build (the native build folder), work, arch (the name for
# messages; the folder $work/$arch/build has the programs), and run, the command
# before a program: "qemu-arm -L FOLDER", or nothing; suffix may be that of
# programs, ".exe".

# Run each unit test; the reports are in $work/$arch/units.  Sets the counts.
run_units()
{
	cd "$work/$arch/build" || exit 2
	reports=$work/$arch/units
	rm -rf "$reports" && mkdir "$reports" || exit 2
	# A program without criterion counts as one test.  A program that does
	# not reach its end has no plan, "1..N".
	TERM=dumb top_srcdir=$top top_builddir=$PWD reports=$reports \
		run="$run" sh -c 'export TERM top_srcdir \
			top_builddir run reports
		find . -maxdepth 1 -name "test_*" -perm -u+x -type f |
		sort | xargs -P 2 -n 1 sh -c '\''
			file=$1
			[ ! -x ".libs/${1#./}" ] || file=.libs/${1#./}
			LD_LIBRARY_PATH=$top_builddir/.libs $run "$file" \
				>"$reports/${1#./}" 2>&1 && result=ok ||
				result="not ok"
			grep -q "^1\\.\\." "$reports/${1#./}" ||
				echo "$result - ${1#./}" >>"$reports/${1#./}"
		'\'' -'
	passed=$(cat "$reports"/* | grep '^ok ' | grep -vc ' # SKIP ')
	skipped=$(cat "$reports"/* | grep -c '^ok .* # SKIP ')
	failed=$(cat "$reports"/* | grep -c '^not ok ')
	grep -h -B 3 '^not ok ' "$reports"/* | sed "s/^/$arch: /"
	echo "$arch: $passed unit tests passed, $failed failed, $skipped skipped"
	[ "$passed" -gt 500 ] && [ "$failed" = 0 ]
}

# Run "$@" natively and on the other machine, and compare the outputs.
same()
{
	tool=$1
	shift
	# The table of systems says which tools a system has.
	[ -e "$machine/$tool${suffix-}" ] || return 0
	rm -rf native other
	mkdir native other
	# Demangled names do not depend on the machine, but libiberty may be
	# missing.
	(cd native && "$build/$tool" "$@") >native.out 2>native.err
	want=$?
	# shellcheck disable=SC2086
	(cd other && $run "$machine/$tool${suffix-}" "$@") \
		>other.out 2>other.err
	got=$?
	compared=$((compared + 1))
	[ $want = $got ] && cmp -s native.out other.out &&
		cmp -s native.err other.err && diff -r native other >/dev/null &&
		return
	different=$((different + 1))
	echo "$arch: $tool $*: status $got instead of $want, or another output"
}

# Run each tool on each fixture.
run_all()
{
	machine=$work/$arch/build
	compared=0 different=0
	scratch=$work/$arch/run
	rm -rf "$scratch" && mkdir "$scratch" && cd "$scratch" || exit 2
	for file in $(find "$top/testdata" -type f -size -3000k | sort); do
		case $file in
		*.md | *.sh | *.py | *.c | *.cc | *.cpp | *.go | *.s) continue ;;
		*/markup/*.txt)
			same gsym-markup --no-demangle "$file"
			same gsym-markup --no-demangle --format=html "$file"
			same gsym-markup --compat=llvm "$file"
			;;
		*/xray/*.xray)
			for command in info account stack convert dump graph; do
				same gsym-xray -q $command "$file"
			done
			;;
		*.gsym)
			same gsym-dump --no-demangle "$file"
			same gsym-dump --verify "$file"
			same gsym-dump --statistics "$file"
			same gsym-lookup --no-demangle "$file" 0x1000 0x1173 4096
			same gsym-create -q -o out.gsym "$file"
			same gsym-create -q --format=v2 -o out.gsym "$file"
			;;
		*)
			same gsym-create -o out.gsym "$file"
			same gsym-create -q -j2 --merged-functions \
				--dwarf-callsites --data-symbols -o out.gsym "$file"
			;;
		esac
	done
	# The native tools are themselves programs with debug info: convert
	# them.
	for tool in gsym-lookup gsym-markup gsym-create; do
		same gsym-create --verify -o out.gsym "$build/$tool"
		[ ! -e "$machine/$tool${suffix-}" ] ||
			same gsym-create -q -o out.gsym \
				"$machine/$tool${suffix-}"
	done
	echo "$arch: $compared outputs compared, $different different"
	[ $compared -gt 100 ] && [ $different = 0 ]
}
