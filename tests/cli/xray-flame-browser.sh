#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages of gsym-xray flame in a real browser.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/xray-flame-lib.sh"
need python3
hostile_names
gsym-xray -q flame -m "$data/bin/calls" -g hostile.gsym -o hostile.html \
	"$data/traces/calls-fdr.xray" &&
	gsym-xray -q flame -m "$data/bin/shapes" -g "$data/maps/shapes.gsym" \
		-o threads.html "$data/traces/shapes-threads.xray" &&
	gsym-xray -q flame --event-type=0=alpha -m "$data/bin/events" \
		-o events.html "$data/traces/events-long.xray" ||
	fail 'pages for the browser'
mkdir shots
python3 "$top_srcdir/tests/cli/xray-flame-browser.py" threads.html \
	events.html hostile.html shots
