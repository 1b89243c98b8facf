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
		suffix="${suffix-}" run="$run" sh -c 'export TERM top_srcdir \
			top_builddir run reports suffix
		find . -maxdepth 1 -name "test_*$suffix" -perm -u+x -type f |
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

# Scripts of tests/cli that need more of the machine than its tools: libraries
# that other programs load, compilers, browsers, limits of memory, tools that are
# programs and no scripts.
not_tools='create-better|create-dsym|create-temporary|debuginfod.*|guide
lookup-convert|examples|first-hour|go|go-programs|greedy-outputs|lookup-chroot|malloc
markup-malloc|markup-installed|npm|others-defects|peer-gsymtool|personality-.*
python|sandbox|sandbox-calls|short-calls|spark|store-threads|tour|xray-clang
xray-flame-browser|xray-large'

# Make the folder $work/$arch/tools, which is to the scripts as a native build:
# each program is a script that runs the program of the machine.  A tool finds
# others beside its program, so the programs have other names there.
wrap_tools()
{
	wrapped=$work/$arch/tools libs=$work/$arch/build/.libs
	rm -rf "$wrapped" && mkdir "$wrapped" || return 1
	ln -s "$work/$arch/build"/* "$wrapped"
	for program in "$work/$arch/build"/*; do
		name=$(basename "$program")
		[ ! -x "$libs/$name" ] || program=$libs/$name
		[ -f "$program" ] && [ -x "$program" ] &&
			[ "$(head -c 4 "$program" | tail -c 3)" = ELF ] ||
			continue
		rm "$wrapped/$name"
		cp "$program" "$wrapped/$name.program"
		printf '%s\n' '#!/bin/sh' \
			"exec $run -E LD_LIBRARY_PATH='$libs' -0 \"\$0\" \\" \
			"	'$wrapped/$name.program' \"\$@\"" >"$wrapped/$name"
		chmod +x "$wrapped/$name"
	done
}

# Run the scripts of tests/cli with the tools of the machine under qemu, and sets
# the counts.
run_tools()
{
	wrap_tools || return 1
	reports=$work/$arch/scripts
	rm -rf "$reports" && mkdir "$reports" || exit 2
	leave_out=$(echo "$not_tools" | tr '\n' '|')
	find "$top/tests/cli" -name '*.sh' ! -name lib.sh |
		grep -vE "/(${leave_out%|})\.sh$" | sort |
		top_srcdir=$top top_builddir=$wrapped reports=$reports \
			CC=gcc xargs -P 2 -n 1 sh -c '
			name=$(basename "$1" .sh)
			export top_srcdir top_builddir CC
			cd "$top_builddir" && timeout 600 sh "$1" \
				>"$reports/$name" 2>&1
			echo "status $?" >>"$reports/$name"' -
	tools_passed=$(grep -lx 'status 0' "$reports"/* | wc -l)
	tools_skipped=$(grep -lx 'status 77' "$reports"/* | wc -l)
	tools_failed=$(grep -Lx 'status 0\|status 77' "$reports"/* | wc -l)
	grep -Lx 'status 0\|status 77' "$reports"/* |
		sed "s,.*/,$arch: failed: tests/cli/,"
	echo "$arch: $tools_passed scripts of tools passed," \
		"$tools_failed failed, $tools_skipped skipped"
	[ "$tools_passed" -gt 20 ] && [ "$tools_failed" = 0 ]
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
