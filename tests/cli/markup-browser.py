#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Look at gsym-markup's page in a real browser: hover a frame and see its
details, light and dark.  Speaks WebDriver to chromedriver by itself."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

PAGE, SHOTS = sys.argv[1:3]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def call(base, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, method=method)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


def look(base, dark):
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             "--hide-scrollbars", "--window-size=1200,800"]
    if dark:
        flags.append("--blink-settings=preferredColorScheme=0")
    session = call(base, "POST", "/session", {"capabilities": {"alwaysMatch": {
        "goog:chromeOptions": {"args": flags}}}})
    here = "/session/" + session["sessionId"]
    try:
        call(base, "POST", here + "/url", {"url": "file://" + PAGE})

        def one(css):
            return call(base, "POST", here + "/element",
                        {"using": "css selector", "value": css})[ELEMENT]

        def shown(css):
            return call(base, "GET",
                        "%s/element/%s/displayed" % (here, one(css)))

        def shot(name):
            png = base64.b64decode(call(base, "GET", here + "/screenshot"))
            with open(os.path.join(SHOTS, name), "wb") as out:
                out.write(png)
            return png

        name = "dark" if dark else "light"
        frame = "#f1-0"
        before = shot(name + ".png")
        assert not shown(frame + " > .tip"), "details show by themselves"
        def height(css):
            return call(base, "GET", "%s/element/%s/rect" % (
                here, one(css)))["height"]

        def point(x, y, origin):
            call(base, "POST", here + "/actions", {"actions": [
                {"type": "pointer", "id": "mouse", "parameters":
                 {"pointerType": "mouse"}, "actions": [
                     {"type": "pointerMove", "duration": 0, "x": x, "y": y,
                      "origin": origin}]}]})

        def hover(css):
            point(0, 0, {ELEMENT: one(css)})

        hover(frame + " > b")
        assert shown(frame + " > .tip"), "the pointer shows no details"
        text = call(base, "GET", "%s/element/%s/text" % (
            here, one(frame + " > .tip")))
        for wanted in ("geo::leaf", "inlined into geo::middle",
                       "return address", "build ID: 5ba9e00102"):
            assert wanted in text, "no '%s' in: %s" % (wanted, text)
        assert shot(name + "-hover.png") != before, "nothing changed"
        # The focus does what the pointer does.
        point(1190, 600, "viewport")
        assert not shown(frame + " > .tip"), "details stay"
        def focus(script):
            call(base, "POST", here + "/execute/sync", {
                "script": "arguments[0].%s()" % script,
                "args": [{ELEMENT: one(frame)}]})

        focus("focus")
        assert shown(frame + " > .tip"), "the focus shows no details"
        focus("blur")
        # What was wrong; the segments of a module, which is folded away.
        hover(".raw.err > b")
        assert shown(".raw.err > .tip"), "no details of what was wrong"
        shot(name + "-error.png")
        assert not shown("details .module"), "the block is open"
        call(base, "POST", "%s/element/%s/click" % (here, one("summary")), {})
        hover("details .module > b")
        assert shown("details .module > .tip"), "no table of segments"
        shot(name + "-module.png")
        # On paper all details are there, in parentheses.
        call(base, "POST", here + "/goog/cdp/execute", {
            "cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
        point(1190, 600, "viewport")
        assert shown(frame + " > .tip"), "no details in print"
        assert shown(frame + " > .tip > u"), "no parentheses in print"
        assert shown("details .module > .tip"), "the block is not printed"
        opened = height("details")
        shot(name + "-print.png")
        call(base, "POST", "%s/element/%s/click" % (here, one("summary")), {})
        assert height("details") == opened, "a closed block is not printed"
        shot(name + "-folded.png")
        call(base, "POST", here + "/goog/cdp/execute", {
            "cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}})
        colour = call(base, "GET", "%s/element/%s/css/background-color" % (
            here, one("body")))
        return sum(int(n) for n in re.findall(r"\d+", colour)[:3])
    finally:
        call(base, "DELETE", here)


def main():
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
        light, dark = look(base, False), look(base, True)
        assert light > 600 and dark < 200, (light, dark)
        print("light %d, dark %d" % (light, dark))
        return 0
    finally:
        driver.terminate()
        driver.wait()


sys.exit(main())
