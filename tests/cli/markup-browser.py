#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Open a page of gsym-markup in a browser, light and dark: details have to show
at the pointer, with the focus, and in print.

A large page has few elements, and shows all lines.

markup-browser.py PAGE LARGE FOLDER"""
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from webdriver import Browser, drive  # noqa: E402

FRAME = "#f1-0"


def tips(b, name):
    """Details show under the pointer and with the focus."""
    before = b.shot(name)
    assert not b.shown(FRAME + " > .tip"), "details show by themselves"
    b.hover(FRAME + " > b")
    assert b.shown(FRAME + " > .tip"), "the pointer shows no details"
    text = b.content(FRAME + " > .tip")
    for wanted in ("geo::leaf", "inlined into geo::middle",
                   "return address", "build ID: 5ba9e00102"):
        assert wanted in text, "no '%s' in: %s" % (wanted, text)
    # The function is strong; the address is dim, the file is not.
    style = """return [...document.querySelectorAll(arguments[0] + " > b")]
        .map(e => [e.textContent.trim(), getComputedStyle(e).fontWeight,
                   getComputedStyle(e).color])"""
    parts = {text: (weight, colour) for text, weight, colour in
             b.run(style, FRAME)}
    strong = [text for text in parts if parts[text][0] == "600"]
    assert len(strong) == 1 and "geo::" in strong[0], parts
    address = [text for text in parts if len(text) == 18]
    file = [text for text in parts if text.endswith(".cpp")]
    assert address and file, parts
    assert parts[address[0]][1] != parts[file[0]][1], parts
    assert b.shot(name + "-hover") != before, "nothing changed"
    b.mouse((1190, 600))
    assert not b.shown(FRAME + " > .tip"), "details stay"
    b.run("document.querySelector(arguments[0]).focus()", FRAME)
    assert b.shown(FRAME + " > .tip"), "the focus shows no details"
    b.run("document.querySelector(arguments[0]).blur()", FRAME)


def functions(b):
    """In each form of a frame the function alone is strong, and file and line
    are not dim."""
    style = """
        const frame = document.createElement("span");
        frame.className = "sym bt";
        frame.append(...arguments[0].map(
            name => Object.assign(document.createElement("b"),
                                  { textContent: name })));
        document.querySelector(".log").append(frame);
        const result = [...frame.children].map(
            e => [e.textContent, getComputedStyle(e).fontWeight,
                  getComputedStyle(e).color]);
        frame.remove();
        return result;"""
    for parts in ("number address function file line module offset",
                  "number level address function file line module offset",
                  "number address function module offset",
                  "number level address function module offset",
                  "number address module offset",
                  "function file line", "function", "module offset"):
        found = b.run(style, parts.split())
        strong = [name for name, weight, _ in found if weight == "600"]
        assert strong == ["function"] * ("function" in parts), (parts, found)
        dim = {colour for name, _, colour in found
               if name in ("number", "address", "module", "offset")}
        plain = {colour for name, _, colour in found
                 if name in ("file", "line")}
        assert not dim & plain, (parts, found)


def errors_and_modules(b, name):
    """Details of an invalid element, and of a folded module line."""
    b.hover(".raw.err > b")
    assert b.shown(".raw.err > .tip"), "no details of the error"
    b.shot(name + "-error")
    assert not b.shown("details .module"), "the block is open"
    b.click("summary")
    b.hover("details .module > b")
    assert b.shown("details .module > .tip"), "no table of segments"
    b.shot(name + "-module")


def paper(b, name):
    """In print all details show, in parentheses."""
    b.media("print")
    b.mouse((1190, 600))
    assert b.shown(FRAME + " > .tip"), "no details in print"
    assert b.shown(FRAME + " > .tip > u"), "no parentheses in print"
    assert b.shown("details .module > .tip"), "the block is not printed"
    opened = b.height("details")
    b.shot(name + "-print")
    b.click("summary")
    assert b.height("details") == opened, "a closed block is not printed"
    b.shot(name + "-folded")
    b.media("")


IN_VIEW = """
const line = document.getElementById(arguments[0]);
if (!line) return false;
const box = line.getBoundingClientRect();
return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;"""


def until(b, script, *args):
    for _ in range(200):
        if b.run(script, *args):
            return
        time.sleep(0.05)
    raise AssertionError("not so: %s %s" % (script, args))


def large(base, page, folder):
    """A page whose blocks become elements when they come into view."""
    count = "return document.querySelectorAll('.ln').length"
    b = Browser(base, folder)
    try:
        b.open(page)
        assert b.run(IN_VIEW, "L3")
        whole = b.run(count)
        assert 10000 < whole < 20000, whole
        until(b, """scrollTo(0, document.documentElement.scrollHeight);
            return !!document.getElementById("L40000")""")
        until(b, IN_VIEW, "L40000")
        b.shot("large-end")
        # Elements that are out of view go.
        b.run("scrollTo(0, 0)")
        until(b, "return !document.getElementById('L40000')")
        assert b.run(count) <= whole + 1024, b.run(count)
        b.run("document.querySelector('.find input').focus()")
        b.keys(*"needle<38000>")
        b.keys("Enter")
        until(b, IN_VIEW, "L38000")
        assert b.run("return document.querySelector('.at').id") == "L38000"
        b.shot("large-found")
        b.run("[...document.querySelectorAll('.find button')]"
              ".find(e => e.textContent === 'Next stack trace').click()")
        until(b, IN_VIEW, "L39000")
        b.run("document.querySelector('.find input').value = 'absent'")
        b.click(".find button")
        assert b.text(".find output") == "not found"
        # Only the lines that fit, and all lines again.
        b.run("document.querySelector('.find input').value = 'needle<3'")
        b.run("[...document.querySelectorAll('.find button')]"
              ".find(e => e.textContent === 'Only these').click()")
        until(b, "return document.querySelectorAll('.hits .ln').length === 11")
        assert b.text(".find output") == "11 lines", b.text(".find output")
        assert not b.shown(".blk")
        b.run("[...document.querySelectorAll('.find button')]"
              ".find(e => e.textContent === 'All lines').click()")
        assert b.shown(".blk") and not b.shown(".hits")
        # The address of a line, and of a frame.
        b.run("location.hash = 'L30123'")
        until(b, IN_VIEW, "L30123")
        b.run("location.hash = 'f40-0'")
        until(b, IN_VIEW, "f40-0")
        errors = b.errors()
        assert not errors, errors
    finally:
        b.close()


def narrow(b, name):
    """Long lines have a hanging indent, and empty lines a height."""
    def width(pixels):
        b.post("/goog/cdp/execute",
               cmd="Emulation.setDeviceMetricsOverride",
               params={"width": pixels, "height": 800,
                       "deviceScaleFactor": 1, "mobile": False})
    width(400)
    indent, height = b.run("""
        const line = document.querySelector(".log").appendChild(
            document.createElement("span"));
        line.className = "ln";
        const result = [getComputedStyle(line).textIndent,
                        line.getBoundingClientRect().height];
        line.remove();
        return result;""")
    assert indent.startswith("-"), indent
    assert height > 10, "an empty line is not there"
    assert b.run("return document.documentElement.scrollWidth") <= 400
    b.shot(name + "-narrow")
    width(1200)


def look(base, page, folder, dark):
    b = Browser(base, folder, dark)
    name = "dark" if dark else "light"
    try:
        b.open(page)
        tips(b, name)
        functions(b)
        errors_and_modules(b, name)
        paper(b, name)
        narrow(b, name)
        return b.colour("body")
    finally:
        b.close()


def main():
    page, many, folder = sys.argv[1:4]

    def work(base):
        large(base, many, folder)
        light = look(base, page, folder, False)
        dark = look(base, page, folder, True)
        assert light > 600 and dark < 200, (light, dark)
        print("light %d, dark %d" % (light, dark))
        return 0

    return drive(work)


if __name__ == "__main__":
    sys.exit(main())
