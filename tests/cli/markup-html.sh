#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup's HTML: every log of cases.txt gives a well-formed page in which
# nothing of the log is markup, and a browser shows details at the pointer.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
command -v python3 >/dev/null || skip 'no python3'
make_shape
split_cases
printf '<script>alert(1)</script> & "q" {{{symbol:<b>}}} \377\001\n' >cases/html
for case in cases/*; do
	gsym-markup --format=html --title='a <title>' \
		--source-url='https://x/%f?a=1&l=%l' --debug-file-directory=debug \
		<"$case" >page.html 2>/dev/null || fail "$case: status $?"
	python3 - "$case" <<'END' || fail "$case: not well formed"
import sys
import xml.etree.ElementTree as tree
text = open("page.html", encoding="utf-8").read()
assert "<script" not in text and "src=" not in text
tree.fromstring(text[text.index("<body>"):text.index("</html>")])
END
done
grep -q '&lt;script&gt;' page.html || {
	gsym-markup --format=html <cases/html >page.html
	grep -q '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;q&quot;' \
		page.html || fail 'not escaped'
}
gsym-markup --format=html --debug-file-directory=debug <<EOL >page.html
{{{module:0:libgeo.so:elf:$shape_id}}}
{{{mmap:0x10000:0x10000:load:0:rx:0x0}}}
the trace:
{{{bt:0:$(printf '0x%x' $((65536 + area + 28))):ra}}}
EOL
mkdir shots
python3 "$top_srcdir/tests/cli/markup-browser.py" "$PWD/page.html" \
	"$PWD/shots"
