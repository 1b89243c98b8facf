#!/bin/sh
# SPDX-License-Identifier: MIT
# The output of each gsym-xray command for traces of testdata/xray.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
ln -s "$top_srcdir/testdata/xray"/* .
real()
{
	show gsym-xray "$@"
}

say '# info: clocks, dates, damage, the threshold of the runtime'
real info traces/calls-fdr-threshold.xray traces/calls-fdr-wallclock.xray
real info synthetic/bad-action5.xray
real info traces/calls-basic-orphans.xray
real info synthetic/odd-wall-rollover.xray
real info synthetic/bad-freq0.xray
real info -f json synthetic/bad-truncated-fn.xray
real info --frequency=5192242000 traces/shapes-wrap.xray
real info traces/shapes-threads.xray

say '# dump'
real dump -m bin/events --event-type=0=alpha traces/events-long.xray
real dump --hex --wall-clock traces/events-short.xray
real dump -f json --event-type 1=beta traces/events-short.xray
real dump --wall-clock traces/shapes-wrap.xray synthetic/bad-freq0.xray
real dump --check traces/shapes-wrap.xray synthetic/syn-fdr-v1-garbage-le.xray
real dump --check synthetic/bad-order.xray synthetic/bad-extents-zero.xray \
	synthetic/bad-action5.xray
real dump --check traces/calls-basic-orphans.xray

say '# account'
real account -m bin/shapes -g maps/shapes.gsym traces/shapes-throw.xray \
	traces/shapes-late.xray traces/shapes-cut.xray
real account --no-demangle -t 2 -m bin/shapes traces/shapes-threads.xray
real account synthetic/syn-fdr-v5-be.xray
real account synthetic/bad-freq0.xray
real account -f csv --sort=calls -t 3 traces/shapes-late.xray
real account -q -f csv --sort=name -m bin/shapes traces/shapes-throw.xray
real account -q -f csv --sort=total -t 2 traces/shapes-throw.xray
real account -f json --sort=max -t 1 traces/shapes-late.xray

say '# stack'
real stack --threads -m bin/shapes traces/shapes-throw.xray \
	traces/shapes-cut.xray
real stack -q --threads traces/shapes-late.xray traces/shapes-late.xray
real stack -f json --threads traces/shapes-cut.xray
real stack -f json traces/shapes-throw.xray

say '# convert'
real convert --event-type 0=alpha -m bin/events traces/events-long.xray
real convert --begin-end traces/shapes-throw.xray traces/shapes-cut.xray
real convert -q -m bin/calls synthetic/syn-fdr-v5-le.xray
real convert traces/dso.xray traces/shapes-wrap.xray
real convert --to=json traces/shapes-wrap.xray traces/shapes-cpus.xray
real convert -f json synthetic/syn-fdr-v4-typed-be.xray
real convert -f yaml traces/shapes-late.xray traces/shapes-wrap.xray
real convert -f folded --threads traces/shapes-late.xray
real convert -f folded --calls traces/shapes-throw.xray
real convert -f yaml traces/shapes-late.xray traces/calls-fdr-wallclock.xray
real convert -f json synthetic/bad-freq0.xray synthetic/syn-basic-v1-le.xray

finish
