#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal during the conversion ends gsym-create.  It leaves neither an output
# file nor a temporary file, and does not change an existing output file.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
compile prog
echo old >out.gsym

i=0
cp program.c many.c
while [ $i -lt 400 ]; do
	sed "s/work/work$i/; s/main/main$i/; s/square/square$i/g; s/sum/sum$i/g" \
		program.c
	i=$((i + 1))
done >>many.c
# The copies have no function "work" to call.
sed -i 's/return work[0-9]*(argc) == 0/return argc == 0/' many.c
${CC:-cc} -g -O1 -c -o many.o many.c 2>../stderr || fail 'cannot compile'
rm many.c
before=$(ls -A | sort | tr '\n' ' ')
hit=0
for signal in INT TERM HUP; do
	tries=0
	while [ $tries -lt 20 ]; do
		tries=$((tries + 1))
		# Background commands of a script ignore SIGINT otherwise.
		env --default-signal=INT gsym-create -q --verify -o out.gsym many.o \
			2>/dev/null &
		child=$!
		until ls -A | grep -q '^\.out\.gsym\.' ||
			! kill -0 $child 2>/dev/null; do :; done
		kill -s $signal $child 2>/dev/null
		wait $child
		status=$?
		[ "$(ls -A | sort | tr '\n' ' ')" = "$before" ] ||
			fail "after $signal ($status): $(ls -A)"
		[ $status -gt 128 ] || {
			# The conversion ended before the signal came.
			echo old >out.gsym
			continue
		}
		[ "$(cat out.gsym)" = old ] || fail "$signal changed the output"
		hit=$((hit + 1))
		break
	done
done
[ $hit -gt 0 ] || skip 'every conversion ended before its signal came'

# Whether there is a temporary file in the folder $1, or here.
started()
{
	ls -A "${1:-.}" 2>/dev/null | grep -q '\.gsym-new\.'
}

# SIGKILL leaves the temporary file, which the next conversion to the same file
# removes.
tries=0
while [ $tries -lt 20 ]; do
	tries=$((tries + 1))
	gsym-create -q --verify -o out.gsym many.o 2>/dev/null &
	child=$!
	until started || ! kill -0 $child 2>/dev/null; do
		:
	done
	kill -s KILL $child 2>/dev/null
	wait $child
	started && break
done
started || skip 'every conversion ended before SIGKILL'
gsym-create -q -o out.gsym many.o || fail 'after SIGKILL'
[ "$(ls -A | sort | tr '\n' ' ')" = "$before" ] ||
	fail "after SIGKILL: $(ls -A)"

# The processes of --recursive end with the one that started them, and leave
# neither output files nor temporary files.
mkdir in
mv many.o in
for signal in TERM KILL; do
	tries=0
	hit=0
	while [ $tries -lt 20 ] && [ $hit = 0 ]; do
		tries=$((tries + 1))
		rm -rf out
		gsym-create -q -r --verify --output-dir=out in 2>/dev/null &
		child=$!
		until started out ||
			! kill -0 $child 2>/dev/null; do :; done
		worker=$(cat /proc/$child/task/$child/children 2>/dev/null)
		kill -s $signal $child 2>/dev/null && hit=1
		wait $child
		[ $? -gt 128 ] || hit=0
	done
	[ $hit = 1 ] || skip "every conversion ended before $signal came"
	# Without a limit this would hide a process that never ends.
	rounds=0
	while kill -0 $worker 2>/dev/null; do
		rounds=$((rounds + 1))
		[ $rounds -lt 600 ] || fail "$signal: $worker goes on"
		sleep 0.1
	done
	[ -z "$(find out -type f)" ] || fail "$signal: $(find out -type f)"
done
exit 0
