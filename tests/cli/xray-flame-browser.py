#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Use the pages of gsym-xray flame in a real browser, light and dark: zoom,
details, search, keys, the time line, and print.  Speaks WebDriver to
chromedriver by itself.

xray-flame-browser.py THREADS.html EVENTS.html HOSTILE.html FOLDER"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu",
         "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--window-size=1200,800"]
KEYS = {"Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
        "Enter": "\ue007", "Escape": "\ue00c", "Backspace": "\ue003"}


def call(base, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, method=method)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        sys.exit("%s %s: %s" % (method, path, error.read().decode()))


class Browser:
    def __init__(self, base, folder, dark=False, size="1200,800"):
        flags = FLAGS[:-1] + ["--window-size=" + size]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        self.base, self.folder = base, folder
        session = call(base, "POST", "/session", {
            "capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": flags},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.here = "/session/" + session["sessionId"]

    def post(self, what, **body):
        return call(self.base, "POST", self.here + what, body)

    def open(self, page):
        self.post("/url", url="file://" + os.path.abspath(page))

    def run(self, script, *args):
        return self.post("/execute/sync", script=script, args=list(args))

    def one(self, css):
        return self.post("/element", using="css selector",
                         value=css)[ELEMENT]

    def text(self, css):
        return self.run("return document.querySelector(arguments[0])"
                        ".innerText", css)

    def shown(self, css):
        return call(self.base, "GET", "%s/element/%s/displayed" % (
            self.here, self.one(css)))

    def click(self, css):
        self.post("/element/%s/click" % self.one(css))

    def mouse(self, *steps):
        """Steps: (x, y), "down" or "up"."""
        actions = []
        for s in steps:
            if isinstance(s, str):
                actions.append({"type": "pointer" + s.title(), "button": 0})
            else:
                actions.append({"type": "pointerMove", "duration": 0,
                                "x": round(s[0]), "y": round(s[1])})
        self.post("/actions", actions=[{
            "type": "pointer", "id": "mouse",
            "parameters": {"pointerType": "mouse"}, "actions": actions}])

    def keys(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value},
                        {"type": "keyUp", "value": value}]
        self.post("/actions", actions=[{"type": "key", "id": "keys",
                                        "actions": actions}])

    def shot(self, name):
        png = base64.b64decode(call(self.base, "GET",
                                    self.here + "/screenshot"))
        with open(os.path.join(self.folder, name + ".png"), "wb") as out:
            out.write(png)
        return png

    def errors(self):
        return [m["message"] for m in self.post("/se/log", type="browser")
                if m["level"] in ("SEVERE", "WARNING")]

    def close(self):
        call(self.base, "DELETE", self.here)


# The middle of the frame whose function is called NAME.
FRAME = """
const e = [...document.querySelectorAll("#frames .f")]
    .find(e => e.node.f >= 0 && nameOf(e.node) === arguments[0]);
if (!e) return null;
const box = e.getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2, box.width];
"""
# The middle of the longest call of NAME in the time line, as it is shown.
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

    # Keys: into the first callee and its sibling, zoom, and back.
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
    # What mutual_a calls is not counted twice.
    part = b.run("return share(graph.visible.find(v => nameOf(v.n) ==="
                 " 'demo::mutual_a(int)').n.sum, graph.root.sum)")
    assert found.endswith(", " + part), (found, part)
    hits = b.run("return [...document.querySelectorAll('.f.hit')]"
                 ".map(e => nameOf(e.node))")
    assert len(hits) == 4 and all("mutual" in h for h in hits), hits
    b.shot("graph-search")
    b.keys("Escape")
    assert b.text("#found") == ""

    # One thread: its tree alone.
    whole = b.run("return graph.root.calls")
    b.run("$('thread').value = 2; $('thread').onchange()")
    assert b.run("return graph.root.calls") < whole
    b.run("$('thread').value = 0; $('thread').onchange()")
    assert b.run("return graph.root.calls") == whole


def timeline(b):
    b.keys("t")
    assert b.shown("#lanes") and not b.shown("#frames")
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
    # A drag moves what is there with the pointer.
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
    # The overview: what is dragged over is shown.
    b.mouse((300, 100), "down", (600, 100), "up")
    part = b.run("return (time.to - time.from) / SPAN")
    assert 0.2 < part < 0.3, part
    b.keys("Escape")
    # The axis: what is marked is shown in the end.
    b.mouse((300, 140), "down", (600, 141))
    b.shot("time-band")
    assert b.run("return time.band && time.from === 0"), "nothing marked"
    b.mouse((600, 141), "up")
    part = b.run("return (time.to - time.from) / SPAN")
    assert 0.2 < part < 0.3, part
    b.keys("Backspace")
    assert b.run("return time.from === 0 && time.to === SPAN")
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
    """What a browser shows that runs none."""
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
        colour = b.run("return getComputedStyle(document.body)"
                       ".backgroundColor")
        # Everything in print, nothing that is for the screen.
        b.post("/print")
        without_scripts(b, pages[0])
        b.open(pages[1])
        events(b)
        b.open(pages[2])
        hostile(b)
        errors = b.errors()
        assert not errors, errors
        return sum(int(n) for n in re.findall(r"\d+", colour)[:3])
    finally:
        b.close()


def drive(work):
    """Run WORK with the address of a chromedriver."""
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("skipped: chromium and chromedriver are not installed")
        return 77
    driver = subprocess.Popen(["chromedriver", "--port=0"],
                              stdout=subprocess.PIPE, text=True)
    try:
        port = None
        for line in driver.stdout:
            found = re.search(r"on port (\d+)", line)
            if found and found.group(1) != "0":
                port = found.group(1)
                break
        if not port:
            print("skipped: chromedriver does not start")
            return 77
        base = "http://127.0.0.1:" + port
        for _ in range(100):
            try:
                if call(base, "GET", "/status")["ready"]:
                    break
            except OSError:
                time.sleep(0.1)
        return work(base)
    finally:
        driver.terminate()
        driver.wait()


def main():
    pages, folder = sys.argv[1:4], sys.argv[4]

    def work(base):
        light = look(base, pages, folder, False)
        dark = look(base, pages, folder, True)
        assert light > 600 and dark < 200, (light, dark)
        print("light %d, dark %d" % (light, dark))
        return 0

    return drive(work)


if __name__ == "__main__":
    sys.exit(main())
