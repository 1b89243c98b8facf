#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Open a page of gsym-markup in a browser, light and dark: details have to show
at the pointer, with the focus, and in print.

markup-browser.py PAGE FOLDER"""
import os
import sys

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
    assert b.shot(name + "-hover") != before, "nothing changed"
    b.mouse((1190, 600))
    assert not b.shown(FRAME + " > .tip"), "details stay"
    b.run("document.querySelector(arguments[0]).focus()", FRAME)
    assert b.shown(FRAME + " > .tip"), "the focus shows no details"
    b.run("document.querySelector(arguments[0]).blur()", FRAME)


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


def look(base, page, folder, dark):
    b = Browser(base, folder, dark)
    name = "dark" if dark else "light"
    try:
        b.open(page)
        tips(b, name)
        errors_and_modules(b, name)
        paper(b, name)
        return b.colour("body")
    finally:
        b.close()


def main():
    page, folder = sys.argv[1:3]

    def work(base):
        light = look(base, page, folder, False)
        dark = look(base, page, folder, True)
        assert light > 600 and dark < 200, (light, dark)
        print("light %d, dark %d" % (light, dark))
        return 0

    return drive(work)


if __name__ == "__main__":
    sys.exit(main())
