#!/bin/sh
# SPDX-License-Identifier: MIT
# quickstart shows that it is alive while a step takes long: in a pipe by a line
# every half minute, on a terminal by a line that is overwritten each second.
# Time does not pass in this test: sleep is a function that counts.
set -u
: "${top_srcdir:?}"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
log=$tmp/log
printf '  CC       one.o\n  CC       two.o\n' >"$log"
sed -n '/^alive()/,/^}/p' "$top_srcdir/quickstart" >"$tmp/alive"
grep -q sleep "$tmp/alive" || {
	echo 'quickstart has no function alive'
	exit 1
}
. "$tmp/alive"
slept=0
sleep()
{
	[ "$1" = 1 ] && [ $slept -lt 65 ] || return 1
	slept=$((slept + 1))
}
bad=0

bold=
alive 'building' 3>"$tmp/pipe" >/dev/null
cat >"$tmp/wanted" <<'END'
    building: 30 s    CC       two.o
    building: 60 s    CC       two.o
END
diff "$tmp/wanted" "$tmp/pipe" || bad=1

bold=x slept=0
alive 'building' 3>"$tmp/terminal" >/dev/null
count=$(tr '\r' '\n' <"$tmp/terminal" | grep -c ': [0-9]* s    CC       two.o$')
[ "$count" = 65 ] || {
	echo "on a terminal it was shown $count times in 65 seconds"
	bad=1
}
[ "$(tr -cd '\n' <"$tmp/terminal" | wc -c)" -eq 0 ] || {
	echo 'on a terminal a line is not overwritten'
	bad=1
}

# A path with a blank, which make cannot handle, ends before anything is
# installed.
mkdir "$tmp/a blank" && cp "$top_srcdir/quickstart" "$tmp/a blank" || exit 99
"$tmp/a blank/quickstart" >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? = 1 ] && grep -q 'has a blank' "$tmp/err" && [ ! -s "$tmp/out" ] &&
	[ ! -e "$tmp/a blank/build" ] || {
	echo 'in a path with a blank:'
	cat "$tmp/out" "$tmp/err"
	bad=1
}
# compile_commands.json: the command of the compiler, without libtool and make's
# conditions; of two commands for one source the first.
if command -v python3 >/dev/null; then
	cat >"$tmp/commands" <<'END'
/bin/bash ./libtool  --tag=CC   --mode=compile gcc -DX -I. "-DNAME=\"a b\"" -c -o one.lo ../one.c &&\
mv -f one.Tpo one.Plo
gcc -c -o two.o `test -f 'two.c' || echo '../'`two.c
gcc -c -DAGAIN -o again.o ../one.c
gcc -o two two.o
END
	(cd "$tmp" && python3 "$top_srcdir/tests/compile_commands.py") \
		<"$tmp/commands" >"$tmp/json" || bad=1
	python3 - "$tmp/json" <<'END' || bad=1
import json, sys
found = [(e["file"], e["arguments"]) for e in json.load(open(sys.argv[1]))]
wanted = [("../one.c", ["gcc", "-DX", "-I.", '-DNAME="a b"', "-c", "-o", "one.lo",
                        "../one.c"]),
          ("two.c", ["gcc", "-c", "-o", "two.o", "two.c"])]
if found != wanted:
    sys.exit(f"compile_commands.json has {found}")
END
fi
"$top_srcdir/quickstart" --help | grep -q 'quickstart dev' || bad=1
exit $bad
