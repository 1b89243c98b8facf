#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check pages of gsym-xray flame: a page is well formed and loads nothing, its
data is JSON, and its sums are those of other outputs for the same trace.

xray-flame-page.py MOST NAME...

NAME.html is a page, and NAME.svg, if it exists, an image of the same trace.
NAME.folded, NAME.calls and NAME.threads are the outputs of convert --to=folded
without options, with --calls, and with --threads.  MOST is the largest number
of calls in the time line, or 0 for any number."""
import html.parser
import json
import os
import re
import sys
import traceback
import xml.etree.ElementTree as tree

VOID = {"meta", "link", "input", "br"}
ALLOWED = VOID | set(
    "html head title style body header h1 p div span button label select "
    "output dl dt dd kbd main figure svg rect text section nav canvas footer "
    "script".split())


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.scripts, self.frames = [], set(), [], 0
        self.in_script, self.data = None, ""

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert tag in ALLOWED, tag
        for name, value in attrs.items():
            assert not name.startswith("on"), (tag, name)
            assert name != "src" and (name != "href" or value == "data:,")
        if "id" in attrs:
            assert attrs["id"] not in self.ids, attrs["id"]
            self.ids.add(attrs["id"])
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)
        if tag == "script":
            self.in_script = attrs.get("type", "script")
        if tag == "rect":
            self.frames += 1

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if tag == "script":
            self.scripts.append(self.in_script)
            self.in_script = None

    def handle_data(self, data):
        if self.in_script == "application/json":
            self.data += data


def read_folded(path):
    sums = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            sums[stack] = sums.get(stack, 0) + int(value)
    return sums


def nanoseconds(ticks, frequency):
    """TICKS in nanoseconds, halves rounded up."""
    if not frequency:
        return ticks
    return (2 * ticks * 10**9 + frequency) // (2 * frequency)


def walk(data, nodes):
    """(path, calls, self ticks) of each node."""
    path, left, i = [], [], 0
    while i < len(nodes):
        code, callees, calls, ticks = nodes[i:i + 4]
        i += 4 + (code & 1) + (code >> 1 & 1)
        if left:
            left[-1] -= 1
        name = "(left out)" if code & 4 else data["functions"][code >> 3][0]
        path.append(name)
        yield ";".join(path), calls, ticks
        left.append(callees)
        while left and not left[-1]:
            left.pop()
            path.pop()
    assert not left and not path


def folded(data, nodes, prefix=""):
    times, calls = {}, {}
    for path, number, ticks in walk(data, nodes):
        ns = nanoseconds(ticks, data["frequency"])
        times[prefix + path] = times.get(prefix + path, 0) + ns
        calls[prefix + path] = calls.get(prefix + path, 0) + number
    return ({k: v for k, v in times.items() if v},
            {k: v for k, v in calls.items() if v})


def lane(numbers):
    """(start, end, code, calls, busy) of each call."""
    start = i = 0
    while i < len(numbers):
        start += numbers[i]
        end, code, i = start + numbers[i + 1], numbers[i + 2], i + 3
        calls, busy = 1, end - start
        if code & 4:
            calls, busy, i = numbers[i], numbers[i + 1], i + 2
            assert calls > 1
        yield start, end, code, calls, busy


def check_threads(data, most):
    shown = 0
    for number, thread in enumerate(data["threads"]):
        calls, outermost = thread["deeper"], 0
        for depth, numbers in enumerate(thread["lanes"]):
            last = 0
            for start, end, code, count, busy in lane(numbers):
                assert code >> 3 < len(data["functions"])
                assert last <= start <= end <= data["span"]
                if code & 4:
                    # Only calls that are too short to be drawn are merged.
                    assert busy < count * data["quantum"]
                    assert end - start <= 16 * data["quantum"] + 16
                last = start
                calls += count
                shown += 1
                outermost += busy if depth == 0 else 0
        if thread["lanes"]:
            assert calls == thread["calls"], thread["name"]
            if len(data["threads"]) == 1:
                number = -1
            nodes = data["trees"][number + 1]
            whole = sum(t for _, _, t in walk(data, nodes))
            assert outermost == whole, (outermost, whole)
        for mark in thread["marks"]:
            assert mark["count"] >= 1 and mark["after"] >= 0
    assert not most or shown <= most, shown


def check_image(path):
    root = tree.parse(path).getroot()
    name = "{http://www.w3.org/2000/svg}"
    width = float(root.get("viewBox").split()[2])
    for frame in root.iter(name + "svg"):
        if not frame.get("x"):
            continue
        assert frame.find(name + "title").text
        assert frame.find(name + "rect") is not None
        left = float(frame.get("x"))
        assert 0 <= left <= left + float(frame.get("width")) <= width + 0.02


def check_page(path, most):
    text = open(path + ".html", encoding="utf-8").read()
    assert not re.search(r"[^\t\n -~\xa0-\ufffd\U00010000-\U0010ffff]", text)
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open and page.scripts == ["application/json", "script"]
    assert not re.search("https?://(?!www.w3.org/2000/svg)", text)
    data = json.loads(page.data)
    left_out = any("(left out)" in p for t in data["trees"]
                   for p, _, _ in walk(data, t))

    times, calls = folded(data, data["trees"][0])
    wanted = read_folded(path + ".folded")
    if left_out:
        # Each node is rounded on its own.
        off = abs(sum(times.values()) - sum(wanted.values()))
        assert off <= len(wanted) + len(times), off
    else:
        assert times == wanted
        assert calls == read_folded(path + ".calls")
        times = {}
        trees = data["trees"][1:] or data["trees"]
        assert len(trees) == max(1, len(data["threads"]))
        for thread, nodes in zip(data["threads"], trees):
            name = re.sub(" of process.*", "", thread["name"])
            for stack, ns in folded(data, nodes, name + ";")[0].items():
                times[stack] = times.get(stack, 0) + ns
        assert times == read_folded(path + ".threads")
    check_threads(data, most)
    assert not times or page.frames > 1


def main():
    most = int(sys.argv[1])
    for path in sys.argv[2:]:
        try:
            check_page(path, most)
            if os.path.exists(path + ".svg"):
                check_image(path + ".svg")
        except (AssertionError, ValueError, tree.ParseError):
            traceback.print_exc()
            sys.exit("%s: wrong" % path)


main()
