#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Use the pages of gsym-xray flame in a real browser, light and dark: zoom,
details, search, keys, the time line, and print.

xray-flame-browser.py THREADS.html EVENTS.html HOSTILE.html RING.html FOLDER"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from webdriver import Browser, drive  # noqa: E402

# Returns the middle of the frame of the function NAME.
FRAME = """
const e = [...document.querySelectorAll("#frames .f")]
    .find(e => e.node.f >= 0 && nameOf(e.node) === arguments[0]);
if (!e) return null;
const box = e.getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2, box.width];
"""
# Returns the middle of the longest call of NAME in the time line, in the part
# that is visible.
CALL = """
const lane = [].concat(...time.threads.map(t => [].concat(...t.lanes)));
const c = lane.filter(c => functions[c.f].name === arguments[0])
    .sort((a, b) => b.end - b.start - (a.end - a.start))[0];
const row = time.rows.find(r => r.lane && r.lane.includes(c));
const box = lanes.getBoundingClientRect();
return [box.left + (xOf(c.start) + xOf(c.end)) / 2,
        box.top + row.y - scroller.scrollTop + 8, xOf(c.end) - xOf(c.start)];
"""


def graph(b):
    outer, inner = "demo::round_trip(int)", "demo::Square::area(int) const"
    x, y, width = b.run(FRAME, outer)
    assert b.run("return tip.hidden"), "details show by themselves"
    before = b.shot("graph")
    b.mouse((x, y))
    text = b.text("#tip")
    for wanted in (outer, "shapes.cpp:", "total", "self", "calls", "of all"):
        assert wanted in text, "no '%s' in: %s" % (wanted, text)
    assert b.shot("graph-hover") != before, "nothing changed"

    b.mouse(b.run(FRAME, inner)[:2])
    assert "of its caller" in b.text("#tip")
    b.mouse(b.run(FRAME, inner)[:2], "down", "up")
    assert b.run(FRAME, inner)[2] > 1000, "a click does not zoom"
    assert b.run(FRAME, outer) is None, "the caller is still there"
    path = b.text("#path")
    assert "round_trip" in path and "of all" in path, path
    b.shot("graph-zoomed")
    b.keys("Backspace")
    assert b.run(FRAME, outer)[2] > 1000, "no way out"
    b.click("#reset")
    assert b.run(FRAME, outer)[2] == width, "not as before"

    # Keys: to the first callee and its sibling, zoom, and back.
    b.run("frames.focus()")
    b.keys("Down", "Down", "Right")
    assert not b.run("return tip.hidden"), "keys show no details"
    name = b.run("return nameOf(graph.cursor)")
    assert name == "demo::mutual_a(int)", name
    b.shot("graph-keys")
    b.keys("Enter")
    assert b.run(FRAME, name)[2] > 1000
    b.keys("0")
    b.keys("f")
    assert b.run(FRAME, outer)[1] > b.run(FRAME, inner)[1], "not flipped"
    b.shot("graph-flipped")
    b.keys("f")

    b.keys("/")
    b.keys(*"mutual")
    found = b.text("#found")
    assert re.match(r"2 functions, \d+ calls, \d+\.\d+ %$",
                    found), found
    # Time of mutual_a's callees is not counted twice.
    part = b.run("return share(graph.visible.find(v => nameOf(v.n) ==="
                 " 'demo::mutual_a(int)').n.sum, graph.root.sum)")
    assert found.endswith(", " + part), (found, part)
    hits = b.run("return [...document.querySelectorAll('.f.hit')]"
                 ".map(e => nameOf(e.node))")
    assert len(hits) == 4 and all("mutual" in h for h in hits), hits
    b.shot("graph-search")
    b.keys("Escape")
    assert b.text("#found") == ""

    # The call tree of a single thread.
    whole = b.run("return graph.root.calls")
    b.run("$('thread').value = 2; $('thread').onchange()")
    assert b.run("return graph.root.calls") < whole
    b.run("$('thread').value = 0; $('thread').onchange()")
    assert b.run("return graph.root.calls") == whole


def found(b):
    """The result of the search, once the time line is drawn."""
    b.run("drawTime()")
    return b.text("#found")


def timeline(b):
    b.keys("t")
    assert b.shown("#lanes") and not b.shown("#frames")
    b.keys("0")
    before = b.shot("time")
    name = "demo::round_trip(int)"
    x, y, width = b.run(CALL, name)
    b.mouse((x, y))
    text = b.text("#tip")
    for wanted in (name, "shapes.cpp:", "at", "time", "thread"):
        assert wanted in text, "no '%s' in: %s" % (wanted, text)
    b.mouse((x, y), "down", "up")
    zoomed = b.run(CALL, name)[2]
    assert zoomed > 20 * width and zoomed > 900, (width, zoomed)
    assert b.shot("time-zoomed") != before
    # Dragging moves the time line with the pointer.
    at = b.run("return time.from")
    b.mouse((700, y), "down", (600, y), "up")
    assert b.run("return time.from") > at, "a drag does not pan"
    b.keys("d")
    b.keys("w", "w")
    width = b.run("return time.to - time.from")
    b.keys("s")
    assert b.run("return time.to - time.from") > width, "no zoom by key"
    b.keys("0")
    assert b.run("return time.from === 0 && time.to === SPAN")
    b.keys("Right", "Down", "Right")
    assert not b.run("return tip.hidden"), "keys show no details"
    assert b.run("return time.cursor.depth") == 1
    b.keys("Enter")
    b.shot("time-keys")
    b.keys("h")
    b.shot("time-highlight")
    assert b.run("return search.count") == 1
    b.keys("Escape")
    # The overview: a dragged range is shown.
    b.mouse((300, 100), "down", (600, 100), "up")
    part = b.run("return (time.to - time.from) / SPAN")
    assert 0.2 < part < 0.3, part
    b.keys("Escape")
    # The axis: a dragged range is marked, and shown at the end of the drag.
    b.mouse((300, 140), "down", (600, 141))
    b.shot("time-band")
    assert b.run("return time.band && time.from === 0"), "nothing marked"
    b.mouse((600, 141), "up")
    part = b.run("return (time.to - time.from) / SPAN")
    assert 0.2 < part < 0.3, part
    b.keys("Backspace")
    assert b.run("return time.from === 0 && time.to === SPAN")
    # The share of the functions found is that of the part in view.
    b.keys("/")
    b.keys(*"round_trip")
    b.keys("Enter")
    whole = found(b)
    assert re.match(r"1 function, \d+ calls in view, 100.0 %$",
                    whole) is None, whole
    b.mouse(b.run(CALL, name)[:2], "down", "up")
    part = found(b)
    assert part != whole, part
    b.keys("Backspace")
    assert found(b) == whole, (found(b), whole)
    # The share in the graph's zoomed part is not that of the time line.
    b.keys("g")
    b.mouse(b.run(FRAME, name)[:2], "down", "up")
    assert found(b).endswith(" 100.0 %"), found(b)
    b.keys("t")
    assert found(b) == whole, (found(b), whole)
    b.keys("Escape")
    b.keys("g")
    b.click("#reset")


def ring(b):
    """A trace with a long pause: the time line opens on the busy part."""
    b.keys("t")
    assert b.run("return time.to - time.from < SPAN / 10"), "mostly empty"
    assert b.run("return time.from >= 0 && time.to <= SPAN")
    inside = """return [].concat(...time.threads.map(t => [].concat(
        ...t.lanes))).filter(c => c.end >= time.from &&
        c.start <= time.to).length"""
    assert b.run(inside) > 3, b.run(inside)
    # The text of each tick of the axis is inside the axis.
    texts = b.run("""
        const texts = [], draw = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText =
            function(text, x, y, max) {
                if (this.canvas === axis)
                    texts.push([text, x, this.measureText(text).width]);
                draw.call(this, text, x, y, max);
            };
        for (let i = 0; i < 40; i++) {
            view(0, SPAN * (1 - i / 100));
            drawTime();
        }
        CanvasRenderingContext2D.prototype.fillText = draw;
        return texts.map(t => [...t, axis.clientWidth]);""")
    assert len(texts) > 40
    for text, x, width, room in texts:
        assert x < 0 or x + width <= room, (text, x, width, room)
    b.keys("0")
    assert b.run("return time.from === 0 && time.to === SPAN")
    b.keys("f")
    assert b.run("return time.to - time.from < SPAN / 10"), "no fit by key"
    b.shot("ring")
    b.keys("g")


def events(b):
    b.keys("t")
    mark = b.run("""
        const row = time.rows.find(r => r.marks), m = row.marks[0];
        const box = lanes.getBoundingClientRect();
        return [box.left + xOf(m.start), box.top + row.y + 7, m.name,
                row.marks.length];""")
    b.mouse(mark[:2])
    text = b.text("#tip")
    assert mark[2] in text and "data" in text and "byte" in text, text
    b.shot("events")


def hostile(b):
    assert b.run("return window.broken") is None, "a name ran as a script"
    x, y, _ = b.run("const e = document.querySelectorAll('#frames .f')[1]"
                    ".getBoundingClientRect(); return [e.x + 9, e.y + 9, 0]")
    b.mouse((x, y))
    text = b.text("#tip")
    assert "</script>" in text, text
    b.shot("hostile")


def without_scripts(b, page):
    """The page in a browser with scripts switched off."""
    with open(page, encoding="utf-8") as text:
        text = text.read()
    plain = os.path.join(b.folder, "plain.html")
    with open(plain, "w", encoding="utf-8") as out:
        out.write(text[:text.rindex("<script>")] + "</body></html>")
    assert not b.shown("#static"), "the image is still there"
    b.open(plain)
    assert b.shown("#static svg.frames") and not b.shown("#bar")
    height = b.run("return document.querySelector('svg.frames')"
                   ".getBoundingClientRect().height")
    assert 80 < height < 400, height
    b.shot("plain")


def look(base, pages, folder, dark):
    b = Browser(base, os.path.join(folder, "dark" if dark else "light"), dark)
    os.makedirs(b.folder, exist_ok=True)
    try:
        b.open(pages[0])
        graph(b)
        timeline(b)
        colour = b.colour("body")
        # Printing shows all parts of the page, but no controls.
        b.post("/print")
        without_scripts(b, pages[0])
        b.open(pages[1])
        events(b)
        b.open(pages[2])
        hostile(b)
        b.open(pages[3])
        ring(b)
        errors = b.errors()
        assert not errors, errors
        return colour
    finally:
        b.close()


def main():
    pages, folder = sys.argv[1:5], sys.argv[5]

    def work(base):
        light = look(base, pages, folder, False)
        dark = look(base, pages, folder, True)
        assert light > 600 and dark < 200, (light, dark)
        print("light %d, dark %d" % (light, dark))
        return 0

    return drive(work)


if __name__ == "__main__":
    sys.exit(main())
