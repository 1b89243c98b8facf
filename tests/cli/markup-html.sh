#!/bin/sh
# SPDX-License-Identifier: MIT
# The logs of the unit tests as HTML.
# Every page is well formed and shows the same text as the plain output; no text
# of the log is markup of the page.  A browser shows details at the pointer.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
make_shape
split_cases
printf '<script>alert(1)</script> & "q" {{{symbol:<b>}}} \377\001\n' >cases/html
printf '{{{dumpfile:"><script>:../%%2f&x}}} {{{bt:<:0x1}}} {{{pc:>}}}\n' >cases/tags
printf '==1== {{{module:0:<i>:elf:aa}}}\n==1== {{{mmap:0x1000:0x10:load:0:rx:0}}}\n==2== {{{bt:0:0x1}}}\n==1== {{{bt:0:0x1001}}}\n==2== {{{bt:1:0x2}}}\n==1== {{{bt:1:0x1002}}}\n' >cases/processes
# A line of 2.1 million characters, some of two and three bytes, is written in
# pieces.
awk 'BEGIN { for (i = 0; i < 700000; i++) printf "\303\244\342\202\254x"; print "" }' >cases/long
# A page of many blocks of lines, with a frame in every 1000 lines.
awk 'BEGIN {
	print "{{{module:0:m:elf:aa}}}\n{{{mmap:0x1000:0x100:load:0:rx:0}}}"
	for (i = 3; i <= 40000; i++)
		print i % 1000 ? "line " i : "{{{bt:0:0x1010}}} needle<" i ">"
}' >cases/large
# The logs of the unit tests.
rows=$(command -v test_markup_elements) || rows=${top_builddir:-.}/test_markup_elements
if [ -x "$rows" ]; then
	mkdir logs
	GSYM_LOGS=$PWD/logs "$rows" >rows.out 2>&1 || { cat rows.out; fail rows; }
	for file in logs/*; do
		mv "$file" "cases/row-${file#logs/}"
	done
	[ "$(ls cases | wc -l)" -gt 300 ] || fail 'too few logs'
else
	echo 'without the logs of test_markup_elements, which is not built'
fi
mkdir pages
for case in cases/*; do
	gsym-markup --format=html --title='a <title> & "more"' \
		--source-url='https://x/%f?a=1&l=%l' --by-process \
		--dumpfile-url='https://y/%t/%n?a=<b>' -q \
		--debug-file-directory=debug <"$case" \
		>"pages/${case#cases/}.html" || fail "$case: status $?"
	gsym-markup --color=never --strip-ansi --raw-names --by-process -q \
		--debug-file-directory=debug <"$case" \
		>"pages/${case#cases/}.txt" || fail "$case: status $?"
done
python3 "$top_srcdir/tests/cli/markup-pages.py" pages || exit 1
has()
{
	grep -qF -e "$1" "pages/$2.html" || { cat "pages/$2.html"; fail "$2: no $1"; }
}
has '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;q&quot;' html
has 'title="{{{symbol:&lt;b&gt;}}}">&lt;b&gt;<span class="tip">' html
has 'href="https://y/%22%3e%3cscript%3e/..%2f%252f%26x?a=&lt;b&gt;"' tags
has 'class="sym bad err" tabindex="0" title="{{{bt:&lt;:0x1}}}">' tags
has "<i>error:</i> expected frame number; found &#39;&lt;&#39;" tags
# The frames of two processes take turns: they are two traces.
for id in f1-0 f1-1 f2-0 f2-1; do
	has " id=\"$id\"" processes
done

cat >log <<EOL
{{{module:0:libgeo.so:elf:$shape_id}}}
{{{mmap:0x10000:0x3000:load:0:rx:0x0}}}
{{{mmap:0x13000:0x2000:load:0:rw:0x3000}}}
the trace:
{{{bt:0:$(printf '0x%x' $((65536 + area + 28))):ra}}}
{{{data:$(printf '0x%x' $((65536 + bias + 8)))}}} {{{symbol:_Z1fv}}} {{{pc:0x9}}}
{{{module:1:gone.so:elf:aa}}}
{{{module:2:other.so:elf:bb}}}
{{{mmap:0x20000:0x1000:load:1:rx:0x0}}}
{{{bt:1:0x20010:ra}}} {{{dumpfile:sancov:x/y}}}
{{{hexdict:
 R1: 0x20010
 R2: 0x9
}}}
EOL
gsym-markup -q --format=html --debug-file-directory=debug log >pages/all.html
# The details of each element.
has '<title>log</title>' all
has '<h1>log</h1>' all
has '[<b>0x10000</b>-<b>0x12fff</b>](<b>rx</b>)' all
has '  [0x13000-0x14fff]                        rw  0x3000' all
has '<details class="log"><summary>2 module lines</summary>' all
has 'geo::leaf /src/demo/shape.cpp:7' all
has '  inlined into geo::middle /src/demo/shape.cpp:11' all
has '<i>kind:</i> return address' all
has '<i>offset:</i> 0x4048' all
has '<i>mode:</i> rw' all
has '<i>linkage name:</i> _Z1fv' all
has '<i>error:</i> no mmap covers address' all
has 'class="sym bt err" tabindex="0" id="f1-1"' all
has '<i>error:</i> no symbols for module #0x1 &quot;gone.so&quot;; BuildID=aa' all
has '<i>modules:</i> 3' all
has '<span class="ln" id="L12"> R1: <span role="group" aria-label="value" class="sym hex" tabindex="0">0x20010<span class="tip"><u> (</u>code? (<b>gone.so</b>+<b>0x10</b>)' all
grep -q '<a ' pages/all.html && fail 'a link that nobody asked for'
# The first blocks of the large page are elements; the others are text for the
# browser, if it has scripts.
grep -q '<noscript' pages/html.html && fail 'a script in a small page'
[ "$(grep -c '^data-line="[0-9]*"><div class="blk">' \
	pages/large.html)" -gt 20 ] || fail 'no blocks'
mkdir shots
python3 "$top_srcdir/tests/cli/markup-browser.py" "$PWD/pages/all.html" \
	"$PWD/pages/large.html" "$PWD/shots"
