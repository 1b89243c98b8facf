# SPDX-License-Identifier: MIT
"""A real browser for tests of pages: a WebDriver client for chromedriver, which
runs chromium.

    def work(base):
        b = Browser(base, FOLDER_FOR_PICTURES)
        try:
            b.open("page.html")
            ...
        finally:
            b.close()
        return 0

    sys.exit(drive(work))
"""
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
         "--hide-scrollbars"]
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
    def __init__(self, base, folder, dark=False, size="1200,800",
                 strategy="normal"):
        flags = FLAGS + ["--window-size=" + size]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        self.base, self.folder = base, folder
        session = call(base, "POST", "/session", {
            "capabilities": {"alwaysMatch": {
                "pageLoadStrategy": strategy,
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

    def content(self, css):
        """The visible text of an element."""
        return call(self.base, "GET", "%s/element/%s/text" % (
            self.here, self.one(css)))

    def colour(self, css):
        """Red, green and blue of the element's background, added up."""
        colour = call(self.base, "GET",
                      "%s/element/%s/css/background-color" % (
                          self.here, self.one(css)))
        return sum(int(n) for n in re.findall(r"\d+", colour)[:3])

    def height(self, css):
        return call(self.base, "GET", "%s/element/%s/rect" % (
            self.here, self.one(css)))["height"]

    def media(self, name):
        """Show the page as printed ("print"), or as on a screen ("")."""
        self.post("/goog/cdp/execute", cmd="Emulation.setEmulatedMedia",
                  params={"media": name})

    def pointer(self, actions):
        self.post("/actions", actions=[{
            "type": "pointer", "id": "mouse",
            "parameters": {"pointerType": "mouse"}, "actions": actions}])

    def hover(self, css):
        self.pointer([{"type": "pointerMove", "duration": 0, "x": 0, "y": 0,
                       "origin": {ELEMENT: self.one(css)}}])

    def click(self, css):
        self.post("/element/%s/click" % self.one(css))

    def mouse(self, *steps):
        """Each of STEPS is a place (x, y), "down" or "up"."""
        actions = []
        for s in steps:
            if isinstance(s, str):
                actions.append({"type": "pointer" + s.title(), "button": 0})
            else:
                actions.append({"type": "pointerMove", "duration": 0,
                                "x": round(s[0]), "y": round(s[1])})
        self.pointer(actions)

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


def drive(work):
    """Start chromedriver and return WORK(ADDRESS); 77 without a browser."""
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("skipped: chromium or chromedriver is not installed "
              "(Debian: chromium, chromium-driver)")
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
