#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-xray diff: what became slower or faster from one build to another.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need python3
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
data=$top_srcdir/testdata/xray
# Two builds in which functions have other numbers; see xray-diff.py.
python3 "$top_srcdir/tests/cli/xray-diff.py" make . || fail 'the traces'

diff_of()
{
	gsym-xray diff -m old.yaml --after-map=new.yaml "$@"
}

# Whether "slow" is slower in traces of the first build.
slower()
{
	gsym-xray diff -q -m old.yaml "$@" | grep -q ' slower .* slow$'
}

# Functions are compared by name; each verdict has its case.
diff_of -f json old.xray new.xray >got.json 2>err || fail "status: $(cat err)"
grep -v 'calls unfinished: 1$' err && fail 'warnings'
python3 "$top_srcdir/tests/cli/xray-diff.py" check got.json ||
	fail "the functions: $(cat got.json)"
diff_of old.xray new.xray >got || fail 'text'
awk '/^beyond/ { part = "beyond" } /^within/ { part = "within" }
	/^too few/ { part = "few" }
	/slower  .* slow$/ { print part, "slow" }
	/as before  .* same$/ { print part, "same" }
	/too few  .* seldom$/ { print part, "seldom" }
	/new  .* added$/ { print part, "added" }
	/gone  .* dropped$/ { print part, "dropped" }
	/faster, more calls  .* often$/ { print part, "often" }' got | sort >cases
printf '%s\n' 'beyond added' 'beyond dropped' 'beyond often' 'beyond slow' \
	'few seldom' 'within same' | cmp -s - cases ||
	fail "the table: $(cat got)"
head -2 got | grep -q ' $' && fail 'the heading ends with a blank'
[ "$(diff_of --top=2 old.xray new.xray | grep -c '^ *[-+]')" = 2 ] ||
	fail '--top'

# A trace beside itself has no difference; nor has one of slower ticks.
gsym-xray diff -m old.yaml old.xray old.xray >got || fail 'status for A A'
grep -qx 'nothing is beyond the noise' got || fail "A and A: $(cat got)"
gsym-xray diff -m old.yaml -f json old.xray half.xray >got ||
	fail 'status for other ticks'
grep -q '"beyond_noise":true' got && fail "ticks of other size: $(cat got)"

# --noise decides which changes count, and several traces show how much runs
# of one build differ: here "slow" takes 20 % more time, but as much more in
# another run of the old build.
diff_of --noise=500 old.xray new.xray | grep -q 'slower' && fail '--noise'
slower old.xray little.xray || fail 'a fifth more is no change'
slower --noise=25 old.xray little.xray && fail '--noise=25'
slower --noise=5 --before=little.xray old.xray little.xray &&
	fail 'a change that another run has'
slower --before=old.xray --after=little.xray old.xray little.xray ||
	fail 'runs that agree'

# Stacks: "same" is called by main and by "often".
diff_of --stacks -f json old.xray new.xray >got || fail '--stacks'
grep -q '"stack":\["main","often","same"\]' got || fail "stacks: $(cat got)"
diff_of --stacks old.xray new.xray | grep -q 'main;often;same$' ||
	fail 'stacks as text'

# Each side has its own objects; without maps, numbers are compared.
gsym-xray diff old.xray new.xray >got 2>err || fail 'status without maps'
grep -q 'compared by their numbers' err || fail "no warning: $(cat err)"
grep -q '  #1$' got || fail 'no number'
gsym-xray diff -m "$data/bin/dso_main" --object=1="$data/bin/libdso.so" \
	"$data/traces/dso.xray" "$data/traces/dso.xray" >got 2>err ||
	fail 'status for a shared object'
grep -q '#' got && fail "a function without a name: $(cat got err)"

# Real traces, and one side without a single call.
gsym-xray diff -q -m "$data/bin/shapes" "$data/traces/shapes-threads.xray" \
	"$data/traces/shapes-basic-threads.xray" >got || fail 'real traces'
grep -q 'slower .* demo::round_trip(int)' got || fail "shapes: $(cat got)"
gsym-xray diff -q "$data/synthetic/bad-header-only.xray" \
	"$data/traces/shapes-ring.xray" >got || fail 'no calls'
for i in "$data"/traces/*.xray "$data"/synthetic/*.xray; do
	for format in text json html; do
		gsym-xray diff -q -f $format "$data/traces/calls-fdr.xray" \
			"$i" >got 2>err
		[ $? -gt 2 ] && fail "$i: $(cat err)"
	done
done

# A stack of both sides is compared, although BEFORE has more stacks than are
# kept.
python3 "$top_srcdir/tests/cli/xray-diff.py" full . || fail 'the traces'
gsym-xray diff -q --stacks -f json full.xray one.xray >got || fail 'full'
grep '^{"stack":\["#1"\]' got | grep -q '"after":{"traces":1,"calls":3,' ||
	fail "a known stack: $(grep '"#1"' got)"

# Wrong command lines.
for args in old.xray 'old.xray new.xray new.xray' \
	'--noise=x old.xray new.xray' '-f csv old.xray new.xray'; do
	# shellcheck disable=SC2086 # $args are words
	gsym-xray diff $args >got 2>err
	[ $? = 2 ] || fail "diff $args: $(cat got err)"
done
cp new.xray copy.xray
gsym-xray diff -q -o copy.xray old.xray copy.xray 2>err && fail 'input is output'

# The page, with hostile names.
sed 's,function-name: slow,function-name: "</script><b>\\"slow",' \
	old.yaml >hostile.yaml
gsym-xray diff -q -f html -o hostile.html -m hostile.yaml old.xray little.xray ||
	fail 'a page with hostile names'
grep -q '<b>' hostile.html && fail 'a name is markup'
diff_of -f html -o page.html old.xray new.xray || fail 'the page'
grep -q "default-src 'none'" page.html || fail 'no content security policy'
grep -q '<th scope="row">slow' page.html || fail 'no table'
mkdir shots
python3 "$top_srcdir/tests/cli/xray-diff.py" browser page.html hostile.html shots
