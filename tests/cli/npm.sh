#!/bin/sh
# SPDX-License-Identifier: MIT
# The npm package answers as gsym-lookup does; damaged bytes are refused.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need node nodejs
find_zig "$PWD/zig" || skip "there is no zig, and PyPI cannot be asked" \
	"(pip install ziglang)"
ZIG_GLOBAL_CACHE_DIR=$PWD/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/zig-cache
export ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
top=$(cd "$top_srcdir" && pwd)
WASM=$tmp/gsym.wasm "$top/packaging/npm/build" >"$tmp/log" 2>&1 || {
	tail -n 20 "$tmp/log"
	echo "gsym.wasm does not build"
	exit 1
}
cat >"$tmp/test.mjs" <<'END'
import { readFileSync } from 'node:fs';
const [, , index, wasm, file, ...addresses] = process.argv;
const { load, open } = await import(index);
const module = new WebAssembly.Module(readFileSync(wasm));
if (WebAssembly.Module.imports(module).length)
	throw new Error('the module imports something');
await load(module);
const reader = open(readFileSync(file));
const answers = reader.lookupMany(addresses);
addresses.forEach((address, i) => {
	const frames = answers.frames(i);
	if (JSON.stringify(frames, text) !==
	    JSON.stringify(reader.lookup(address), text))
		throw new Error(`lookup and lookupMany differ at ${address}`);
	for (const f of frames)
		console.log(`${f.name} ${f.file}:${f.line} ${f.inlined}`);
	if (!frames.length)
		console.log('none');
});
reader.close();
for (const bytes of [[], [0x4d, 0x59], Array(64).fill(0xff)]) {
	let refused = false;
	try {
		open(Uint8Array.from(bytes));
	} catch (e) {
		refused = e.message.length > 0;
	}
	if (!refused)
		throw new Error('damaged bytes were opened');
}
function text(key, value) {
	return typeof value === 'bigint' ? value.toString() : value;
}
END
# The same lines out of the answers of gsym-lookup.
cat >"$tmp/plain.mjs" <<'END'
for (const line of (await import('node:fs')).readFileSync(0, 'utf8')
	.split('\n').filter(Boolean)) {
	const { frames } = JSON.parse(line);
	for (const f of frames ?? [])
		console.log(`${f.function} ${f.file ?? ''}:${f.line ?? 0} ` +
			`${f.inlined ?? false}`);
	if (!frames?.length)
		console.log('none');
}
END
bad=0 compared=0
least=20
[ ! -x ./gsym-create ] || {
	./gsym-create -q -o "$tmp/own.gsym" ./gsym-lookup && least=500
}
for file in "$top"/testdata/gsym/*.gsym "$tmp/own.gsym"; do
	[ -e "$file" ] || continue
	# The starts and ends of functions.
	addresses=$(./gsym-dump --functions --no-demangle "$file" |
		grep -oE '0x[0-9a-f]+' | sort -u | head -n 2000)
	# shellcheck disable=SC2086
	node "$tmp/test.mjs" "$top/packaging/npm/index.mjs" "$tmp/gsym.wasm" \
		"$file" $addresses 0 >"$tmp/got" || bad=1
	# shellcheck disable=SC2086
	./gsym-lookup --json --no-demangle "$file" $addresses 0 |
		node "$tmp/plain.mjs" >"$tmp/want"
	cmp "$tmp/want" "$tmp/got" || {
		diff "$tmp/want" "$tmp/got" | head -n 5
		bad=1
	}
	compared=$((compared + $(wc -l <"$tmp/got")))
done
[ $compared -gt $least ] || { echo "only $compared lines compared"; bad=1; }

# In Chromium: a page fetches the module and a GSYM file from a server on this
# machine, and shows the lines that the tool answers.
try_chromium()
{
	mkdir "$tmp/site"
	cp "$top/packaging/npm/index.mjs" "$tmp/gsym.wasm" "$tmp/site"
	cp "$tmp/file" "$tmp/site/file.gsym"
	cat >"$tmp/site/index.html" <<'END'
<!DOCTYPE html><meta charset=utf-8><pre id=out></pre>
<script type=module>
import { load, open } from './index.mjs';
const out = document.getElementById('out');
try {
	await load();
	const bytes = await (await fetch('file.gsym')).arrayBuffer();
	const asked = await (await fetch('addresses')).text();
	const addresses = asked.split('\n').filter(Boolean);
	const reader = open(new Uint8Array(bytes));
	const answers = reader.lookupMany(addresses);
	const lines = [];
	addresses.forEach((address, i) => {
		const frames = answers.frames(i);
		for (const f of frames)
			lines.push(`${f.name} ${f.file}:${f.line} ${f.inlined}`);
		if (!frames.length)
			lines.push('none');
	});
	out.textContent = lines.join('\n') + '\nend';
} catch (e) {
	out.textContent = String(e);
}
</script>
END
	printf '%s\n' $addresses 0 >"$tmp/site/addresses"
	: >"$tmp/server"
	python3 -u -m http.server --bind 127.0.0.1 --directory "$tmp/site" 0 \
		>"$tmp/server" 2>/dev/null &
	server=$!
	trap 'kill $server; rm -rf "$tmp"' EXIT
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$tmp/server")
		[ -z "$port" ] || break
		sleep 1
	done
	HOME=$tmp timeout 120 chromium --headless --no-sandbox --disable-gpu \
		--virtual-time-budget=60000 --dump-dom \
		"http://127.0.0.1:$port/" 2>"$tmp/log" |
		sed -n '/<pre/,/<\/pre>/p' | sed 's/.*<pre id="out">//; /^end<.pre>/,$d' |
		sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$tmp/got"
	cmp "$tmp/want" "$tmp/got" || {
		head -n 3 "$tmp/got" "$tmp/log"
		echo "Chromium shows other lines"
		bad=1
	}
	echo "$(wc -l <"$tmp/got") lines are the same in Chromium"
}
# The last file.
cp "$file" "$tmp/file" 2>/dev/null
if ! command -v chromium >/dev/null; then
	echo "not tried: there is no chromium (Debian: chromium)"
elif [ -s "$tmp/want" ]; then
	try_chromium
fi
echo "$compared lines are as those of gsym-lookup"
exit $bad
