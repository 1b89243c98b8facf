#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A series of pages of gsym-markup.

markup-series.py FOLDER TEXT          the pages together show TEXT
markup-series.py browser FOLDER SHOTS"""
import base64
import hashlib
import html
import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from webdriver import Browser, drive  # noqa: E402


def policy(content):
    """The policy allows the script of the page alone."""
    script, = re.findall("<script>(.*)</script>", content, flags=re.DOTALL)
    digest = hashlib.sha256(script.encode()).digest()
    wanted = "script-src 'sha256-%s'; " % base64.b64encode(digest).decode()
    assert content.count(wanted) == 1, "no %s" % wanted
    assert "default-src 'none'; " in content
    assert content.count("<script") == 1


def check(folder, text):
    shown, number = "", 0
    ids = set()
    for number in range(1, len(os.listdir(folder))):
        with open("%s/%d.html" % (folder, number), encoding="utf-8") as file:
            page = file.read()
        policy(page)
        first = int(re.search("from line ([0-9]+)</small>", page).group(1))
        lines = [int(n) for n in re.findall('id="L([0-9]+)"', page)]
        # Lines that describe memory are not shown.
        assert first <= lines[0] <= first + 6, (first, lines[0])
        assert not ids & set(lines), "a line on two pages"
        ids |= set(lines)
        body = page[page.index("</h1>") + 5:page.index("<nav")]
        body = re.sub("<summary>.*?</summary>", "", body)
        body = re.sub('<span class="tip">(?:[^<]|<(?!/span>))*</span>', "",
                      body)
        shown += html.unescape(re.sub("<[^>]*>", "", body))
    with open(folder + "/index.html", encoding="utf-8") as file:
        policy(file.read())
    with open(text, encoding="utf-8") as file:
        wanted = file.read()

    def squeeze(text):
        return re.sub("\n+", "\n", text).strip().split("\n")
    shown, wanted = squeeze(shown), squeeze(wanted)
    for a, b in zip(shown, wanted):
        assert a == b, "%r is not %r" % (a, b)
    assert len(shown) == len(wanted), (len(shown), len(wanted))


def until(b, script, *args):
    for _ in range(200):
        try:
            if b.run(script, *args):
                return
        except SystemExit:
            pass  # the page is being left
        time.sleep(0.05)
    raise AssertionError("not so: %s %s at %s" % (
        script, args, b.run("return location.href")))


AT = """return location.pathname.endsWith("/" + arguments[0] + ".html") &&
    !!document.querySelector(".at") &&
    document.querySelector(".at").id === arguments[1];"""
FOUND = """return location.pathname.endsWith("/" + arguments[0] + ".html") &&
    !!document.querySelector(".hits:not([hidden])");"""


def look(base, folder, shots):
    b = Browser(base, shots)
    try:
        b.open(folder + "/index.html")
        b.shot("series-index")
        # A text that is on the last page alone: the pages look on.
        b.run("document.querySelector('[name=text]').value = '<needle> &'")
        b.click("#first")
        until(b, AT, "4", "L59999")
        b.shot("series-last")
        # From there no other page follows.
        b.click(".find button")
        until(b, "return document.querySelector('output').textContent === "
                 "'not found'")

        # Only the lines of a process and a module, on the one page with both.
        b.open(folder + "/index.html")
        b.run("document.querySelector('[name=process]').value = '8';"
              "document.querySelector('[name=module]').value = 'other<i>.so'")
        b.click("form button")
        until(b, FOUND, "3")
        lines = b.run("return [...document.querySelectorAll('.hits .ln')]"
                      ".map(e => e.firstChild.textContent)")
        assert len(lines) == 1, lines
        assert b.text("output") == "1 line on this page", b.text("output")
        b.shot("series-filter")
        # The number of the line leads to its place.
        b.click(".hits a")
        until(b, AT, "3", "L45000")
        assert not b.shown(".hits")

        # Processes without a stack trace, and many lines.
        b.open(folder + "/index.html")
        b.run("document.querySelector('[name=process]').value = '9'")
        assert b.run("return document.querySelector('[name=process]').value") \
            == "9"
        b.click("form button")
        until(b, FOUND, "4")
        assert b.run("return document.querySelectorAll('.hits .ln').length") \
            == 1

        # Stack traces, over the ends of pages.
        b.open(folder + "/1.html#L60")
        until(b, AT, "1", "L60")
        b.run("[...document.querySelectorAll('.find button')]"
              ".find(e => e.textContent === 'Next stack trace').click()")
        until(b, AT, "3", "L45000")
        b.click(".parts a")
        until(b, "return location.pathname.endsWith('/2.html')")
        errors = b.errors()
        assert not errors, errors
    finally:
        b.close()


def without_script(base, folder, shots):
    """Pages and index can be read and gone through without scripts."""
    b = Browser(base, shots)
    try:
        b.post("/goog/cdp/execute",
               cmd="Emulation.setScriptExecutionDisabled",
               params={"value": True})
        b.open(folder + "/index.html")
        b.click("a[href='3.html#L45000']")
        b.open(folder + "/3.html")
        assert b.shown("#L45000"), "the line is not there"
        b.click(".parts .next")
        b.open(folder + "/4.html")
        assert "needle" in b.content("#L59999")
        b.shot("series-plain")
    finally:
        b.close()


def main():
    if sys.argv[1] != "browser":
        check(*sys.argv[1:])
        return 0
    folder, shots = os.path.abspath(sys.argv[2]), sys.argv[3]

    def work(base):
        look(base, folder, shots)
        without_script(base, folder, shots)
        return 0
    return drive(work)


if __name__ == "__main__":
    sys.exit(main())
