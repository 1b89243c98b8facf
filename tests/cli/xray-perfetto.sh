#!/bin/sh
# SPDX-License-Identifier: MIT
# convert --to=perfetto has the calls, events and names of --to=chrome.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/xray-flame-lib.sh"
need python3
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
cat >check.py <<'END'
"""check.py PERFETTO CHROME"""
import json
import sys


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """A message as a list of (number, value)."""
    result, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
            assert len(value) <= len(data)
        else:
            assert key & 7 == 0, key
        result.append((key >> 3, value))
    return result


def first(message, number, default=None):
    return next((v for n, v in message if n == number), default)


def read(path):
    """Events as (thread, type, name, time, notes), and the clock."""
    names, notes, places, tracks, events = {}, {}, {}, {}, []
    processes, clock = set(), None
    with open(path, "rb") as file:
        packets = fields(file.read())
    for i, (number, packet) in enumerate(packets):
        assert number == 1
        packet = fields(packet)
        assert first(packet, 10) == 1
        assert first(packet, 13) & 1 == (i == 0), "names are forgotten"
        interned = fields(first(packet, 12, b""))
        for kind, item in interned:
            item = fields(item)
            table = {2: names, 3: notes, 4: places}[kind]
            assert first(item, 1) not in table, "a name twice"
            table[first(item, 1)] = (
                first(item, 2).decode(), first(item, 4))
        if first(packet, 6):
            snapshot = fields(first(packet, 6))
            clock = first(snapshot, 2)
            assert first(fields(first(packet, 59)), 58) == clock
            assert first(fields(first(snapshot, 1)), 1) == clock
        if first(packet, 60):
            track = fields(first(packet, 60))
            if first(track, 4):
                tracks[first(track, 1)] = first(fields(first(track, 4)), 2)
            else:
                processes.add(first(fields(first(track, 3)), 1))
        if first(packet, 11):
            event = fields(first(packet, 11))
            told = {}
            for n, note in event:
                if n == 4:
                    note = fields(note)
                    told[notes[first(note, 1)][0]] = first(
                        note, 3, first(note, 6))
            name = first(event, 10)
            place = first(event, 34)
            events.append((tracks[first(event, 11)],
                           " BEi"[first(event, 9)],
                           names[name][0] if name else None,
                           first(packet, 8), told,
                           places[place] if place else None))
    return events, clock, processes


def main():
    mine, clock, processes = read(sys.argv[1])
    with open(sys.argv[2]) as file:
        events = json.load(file)["traceEvents"]
    wanted = [e for e in events if e["ph"] in "BEi"]
    assert processes == {e["pid"] for e in events}, processes
    assert len(mine) == len(wanted) > 0, (len(mine), len(wanted))
    zero = min(m[3] for m in mine) - min(round(e["ts"] * 1000)
                                         for e in wanted)
    stacks = {}
    for (tid, kind, name, time, notes, place), e in zip(mine, wanted):
        args = e.get("args", {})
        assert (tid, kind) == (e["tid"], e["ph"])
        assert abs(time - zero - round(e["ts"] * 1000)) <= 1, (time, e)
        if kind == "E":
            assert name is None and stacks[tid].pop() == e["name"]
            assert notes.get("end", b"").decode() == e.get("end", "")
            continue
        assert name == e["name"]
        if kind == "B":
            stacks.setdefault(tid, []).append(name)
            assert (notes["id"], notes["cpu"]) == (args["id"], args["cpu"])
            assert place == ((args["file"], args["line"])
                             if "file" in args else None)
        else:
            assert notes["size"] == args["size"]
            assert notes.get("type") == args.get("type")
    assert not any(stacks.values())
    print(clock, len(mine), zero)


if __name__ == "__main__":
    main()
END
# $1: the clock of Perfetto; the rest: options and traces.
same()
{
	clock=$1
	shift
	gsym-xray -q convert --to=perfetto -o got "$@" &&
		gsym-xray -q convert --begin-end -o wanted "$@" ||
		fail "status of $*"
	python3 check.py got wanted >said || fail "$*"
	grep -q "^$clock " said || fail "$*: clock $(cat said)"
	# Any decoder can read it.
	! command -v protoc >/dev/null || protoc --decode_raw <got >raw ||
		fail "protoc: $*"
}
same 3 -m "$data/bin/shapes" -g "$data/maps/shapes.gsym" \
	"$data/traces/shapes-throw.xray"
same 3 -m "$data/bin/shapes" "$data/traces/shapes-threads.xray" \
	"$data/traces/shapes-cut.xray"
same 3 --event-type=0=alpha -m "$data/bin/events" \
	"$data/traces/events-long.xray"
same 1 "$data/traces/calls-fdr-wallclock.xray"
same None "$data/synthetic/bad-freq0.xray"
# Names that are no UTF-8 do not make a file that no reader takes.
hostile_names
gsym-xray -q convert --to=perfetto -m "$data/bin/calls" -g hostile.gsym \
	-o got "$data/traces/calls-fdr.xray" || fail 'hostile names'
python3 -B -c 'import sys
sys.path.insert(0, ".")
import check
names = {e[2] for e in check.read("got")[0]}
assert any("<script>" in n for n in names if n), names
assert any("?" in n for n in names if n), names' ||
	fail 'a name is no UTF-8'
exit 0
