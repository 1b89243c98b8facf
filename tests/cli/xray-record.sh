# SPDX-License-Identifier: MIT
# For scripts that need new traces: xray-program.cpp is compiled with clang, and
# its runtime writes traces.

# Compile the program with the compiler $1 as $1/program; fails if $1 is missing
# or has no XRay.
program_of()
{
	command -v "$1" >/dev/null || return 1
	mkdir -p "$1"
	"$1" -g -O1 -fxray-instrument -fxray-instruction-threshold=1000000 \
		-fxray-modes=xray-basic,xray-fdr -pthread \
		"$top_srcdir/tests/cli/xray-program.cpp" -o "$1/program" \
		2>"$1/log"
}

# Compile the program with a traced shared object as $1/with-library.  Only
# newer runtimes trace shared objects.
library_of()
{
	c=$(echo "$1" | sed 's/++//')
	"$c" -g -O1 -fPIC -fxray-instrument -fxray-shared -shared \
		"$top_srcdir/tests/cli/xray-library.c" -o "$1/liblib.so" \
		2>>"$1/log" &&
	"$1" -g -O1 -DWITH_LIBRARY -fxray-instrument -fPIC -fxray-shared \
		-fxray-instruction-threshold=1000000 -fxray-modes=xray-fdr \
		-pthread "$top_srcdir/tests/cli/xray-program.cpp" \
		-L"$1" -llib -Wl,-rpath,"$PWD/$1" -o "$1/with-library" \
		2>>"$1/log"
}

# Run the program $1/$2 in mode $3 with the configuration $4; the argument $5
# says what it does.  The trace is $1/$6.trace, the program's output $1/$6.said.
record()
{
	rm -f "$1"/raw.*
	if [ "$3" = env ]; then
		XRAY_OPTIONS="patch_premain=true xray_mode=xray-basic xray_logfile_base=$1/raw." \
		XRAY_BASIC_OPTIONS="$4" \
			"$1/$2" env - "$5" >"$1/$6.said" 2>>"$1/log" || return 1
	else
		XRAY_OPTIONS="xray_logfile_base=$1/raw." \
			"$1/$2" "$3" "$4" "$5" >"$1/$6.said" 2>>"$1/log" ||
			return 1
	fi
	set -- "$1" "$6" "$1"/raw.*
	[ $# = 3 ] && [ -e "$3" ] || return 1
	mv "$3" "$1/$2.trace"
}
