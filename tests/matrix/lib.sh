# SPDX-License-Identifier: MIT
# What the scripts of this folder share: the tools that they need, a folder to
# work in, and the comparison of a GSYM file with the debug info of a program.
set -u
here=$(cd "$(dirname "$0")" && pwd)
script=$(basename "$0" .sh)
build=${top_builddir:-.}
create=${GSYM_CREATE:-$build/gsym-create}
lookup=${GSYM_LOOKUP:-$build/gsym-lookup}
unset CDPATH

# shellcheck source=tests/support/tools.sh
. "$here/../support/tools.sh"

# The first of several programs that is installed.
first()
{
	for name; do
		if command -v "$name" >/dev/null 2>&1; then
			echo "$name"
			return
		fi
	done
}

need python3
need_llvm llvm-symbolizer
symbolizer=$llvm
second=$(first eu-addr2line)
[ -x "$create" ] || skip "$create was not built"
[ -x "$lookup" ] || skip "$lookup was not built"

if [ -n "${KEEP:-}" ]; then
	mkdir -p "$KEEP" && work=$KEEP || exit 99
else
	work=$(mktemp -d) || exit 99
	trap 'rm -rf "$work"' EXIT
	trap 'exit 99' HUP INT TERM
fi
cases=0 failed=0 refused=0

refuse()
{
	echo "     $1: not possible here"
	refused=$((refused + 1))
}

# Convert the file $2 and compare the result with the debug info of $1.  $3 is
# the name of the case; further arguments are options of gsym-create.
judge()
{
	program=$1 file=$2 case=$3
	shift 3
	cases=$((cases + 1))
	if ! "$create" --quiet --verify --strict "$@" -o "$work/gsym" \
		"$file" >"$work/said" 2>&1; then
		echo "FAIL $case: cannot convert"
		cat "$work/said"
		failed=$((failed + 1))
		return
	fi
	if "$here/compare.py" --lookup "$lookup" --symbolizer "$symbolizer" \
		${second:+--second "$second"} "$program" "$work/gsym" \
		>"$work/said" 2>&1; then
		echo "ok   $case: $(tail -n 1 "$work/said")"
		grep -q ' 0 wrong, 0 disputed' "$work/said" ||
			sed '$d' "$work/said"
	else
		echo "FAIL $case"
		cat "$work/said"
		failed=$((failed + 1))
	fi
}

# The end of a script, with its exit status.
finish()
{
	echo "$script: $cases programs, $failed failed, $refused not possible here"
	[ "$cases" -gt 0 ] || skip "no compiler could build anything"
	[ "$failed" -eq 0 ]
}
