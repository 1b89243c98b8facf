#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --output-dir: a log as a series of pages, for logs that are too
# large for one page.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/markup-lib.sh"
need python3
make_shape
split_cases
# Lines of three processes, 3.2 MB; on page 3 the only frame of "other.so", and
# at the end of page 2 an element of several lines.
python3 - >log <<END || fail 'the log'
print("==7== {{{module:0:libgeo.so:elf:$shape_id}}}")
print("==7== {{{mmap:0x10000:0x3000:load:0:rx:0x0}}}")
print("==8== {{{module:0:other<i>.so:elf:bb}}}")
print("==8== {{{mmap:0x10000:0x3000:load:0:rx:0x0}}}")
for i in range(5, 60001):
    if i == 50:
        print("==7== {{{bt:0:0x%x:ra}}}" % (65536 + $area + 28))
    elif i == 51:
        print("==7== {{{bt:1:0x10010:ra}}}")
    elif i == 45000:
        print("==8== {{{bt:0:0x10020:ra}}}")
    elif i in (38000, 38001):
        print("==7== {{{hexdict: a: 0x10" if i == 38000 else "==7== b: 0x20}}}")
    elif i == 59999:
        print("the last <needle> & more")
    else:
        print("==%d== line %d %s" % (7 + i // 30000, i, "x" * 36))
END
series()
{
	gsym-markup -q --by-process --debug-file-directory=debug "$@"
}
series --output-dir=dir --page-size=1 log || fail "status $?"
[ "$(ls dir | tr '\n' ' ')" = '1.html 2.html 3.html 4.html index.html ' ] ||
	fail "files: $(ls dir)"
series --format=html log >one.html || fail 'one page'
series --color=never log >one.txt || fail 'text'
python3 "$top_srcdir/tests/cli/markup-series.py" dir one.txt ||
	fail 'the pages'
has()
{
	grep -qF -e "$1" "dir/$2.html" || fail "no '$1' in $2.html"
}
has '<a href="1.html#L50">line 50</a> <b>geo::leaf' index
has '<small>libgeo.so, process 7</small>' index
has '<option data-pages="3" value="other&lt;i&gt;.so">' index
has '<option data-pages="1 2" value="7">' index
has '60,000 lines, 4 pages, 2 stack traces' index
has '<title>log, page 2</title>' 2
grep -q 'class="next"' dir/4.html && fail 'a page after the last'
# A module whose name has a NUL counts once, by the bytes before it.
printf '{{{module:0:a\0%s:elf:aabb}}}\n{{{mmap:0x1000:0x100:load:0:rx:0x0}}}\n' \
	"$(printf '%03000d' 0)" >nul
for frame in 0 1 2; do echo "{{{bt:$frame:0x1010:ra}}}"; done >>nul
series --output-dir=nul.d nul || fail 'a name with a NUL'
[ "$(grep -c '<option.*value="a">' nul.d/index.html)" -eq 1 ] ||
	fail "NUL: $(grep '<option' nul.d/index.html)"
# More processes than the index lists.
python3 -c '
for pid in range(1, 5001):
    for frame in range(3):
        print("==%d== {{{bt:%d:0x1010:ra}}}" % (pid, frame))' >many
series --output-dir=many.d many || fail 'many processes'
grep -q '15,000 lines, 1 page, 5,000 stack traces' many.d/index.html ||
	fail "many: $(grep 'stack traces' many.d/index.html)"
grep -q '</select> (the first 4,096)' many.d/index.html ||
	fail 'the index does not say that some processes are left out'
grep -q '(the first' dir/index.html && fail 'the first of few'
# The first frame after that is none that begins a trace.
python3 -c '
for pid in range(1, 4097):
    print("==%d== text" % pid)
for line in range(12000):
    print("x" * 99)
print("==9999== {{{bt:1:0x10:ra}}}")' >full
series --output-dir=full.d --page-size=1 full || fail "a full list: $?"
grep -q '16,097 lines, 2 pages, 0 stack traces' full.d/index.html ||
	fail "full: $(grep 'stack traces' full.d/index.html)"
# A link in the folder is replaced, and not followed.
mkdir links.d
echo 'of the user' >kept
ln -s ../kept links.d/1.html
ln -s ../kept links.d/index.html
series --output-dir=links.d nul || fail 'links in the folder'
[ "$(cat kept)" = 'of the user' ] || fail 'a link was followed'
[ -f links.d/1.html ] && [ ! -L links.d/1.html ] || fail 'the link is left'
# Backtraces without markup count, too: on their page and in all.
logs=$top_srcdir/testdata/logs
series --logs --gsym-file-directory="$logs/ids" --output-dir=logs.d \
	"$logs/sanitizer/asan-uaf.log" || fail 'backtraces without markup'
for text in '55 lines, 1 page, 3 stack traces' '<small>3 stack traces</small>'; do
	grep -qF "$text" logs.d/index.html ||
		fail "no '$text': $(cat logs.d/index.html)"
done
# A run that fails leaves no index, also none of an earlier run, and no page
# that is not whole.
series --output-dir=many.d log missing 2>/dev/null && fail 'a missing log'
[ -e many.d/index.html ] && fail 'an index of pages that are not whole'
tail -n 1 many.d/1.html | grep -q '</html>' || fail 'a page that is not whole'
# A signal before the end of the log.  No part of a page is seen.
mkfifo pipe
mkdir cut
echo 'an earlier page' >cut/1.html
gsym-markup -q --by-process --output-dir=cut - <pipe &
filter=$!
exec 3>pipe
cat many >&3
# It has read all when it waits for more.
until_true grep -q '^State:.*sleeping' /proc/$filter/status
[ "$(cat cut/1.html)" = 'an earlier page' ] || fail 'a page in the making'
kill -TERM $filter
exec 3>&-
wait $filter
[ $? -eq 143 ] || fail 'the status after SIGTERM'
tail -n 1 cut/1.html | grep -q '</html>' || fail 'the page after SIGTERM'
grep -q '5,000 stack traces. The log goes on: a signal' cut/index.html ||
	fail "the index after SIGTERM: $(grep 'stack traces' cut/index.html)"
grep -q 'The log goes on' dir/index.html && fail 'no signal'
# A log of nothing, and a folder that cannot be made.
: >empty
series --output-dir=none empty || fail 'an empty log'
grep -q '0 lines, 1 page, 0 stack traces' none/index.html ||
	fail "empty: $(cat none/index.html)"
series --output-dir=a/b/c empty 2>err && fail 'a folder in no folder'
grep -q "cannot make the folder 'a/b/c'" err || fail "message: $(cat err)"
for args in '--page-size=2' '--output-dir=x --compat=llvm' \
	'--output-dir=x --json' '--output-dir=x --page-size=0' \
	'--output-dir=x --sandbox'; do
	# shellcheck disable=SC2086 # $args are words
	gsym-markup -q $args log >got 2>err
	[ $? = 2 ] || fail "$args: $(cat err)"
done
mkdir shots
python3 "$top_srcdir/tests/cli/markup-series.py" browser dir shots
