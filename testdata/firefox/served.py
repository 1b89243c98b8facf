#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: served.py PROFILE.json.gz

Write what samply's own symbol server says of each native frame of PROFILE:
library, offset, and each function with its file and line, innermost first; "-"
stands for no answer.  samply has to be in PATH."""
import gzip
import json
import re
import subprocess
import sys
import urllib.request


def places(profile):
    """Library and address of each native frame of PROFILE."""
    for thread in profile["threads"]:
        frames = thread["frameTable"]
        for function, address in zip(frames["func"], frames["address"]):
            resource = thread["funcTable"]["resource"][function]
            if address >= 0:
                yield thread["resourceTable"]["lib"][resource], address


path = sys.argv[1]
with gzip.open(path) as file:
    profile = json.load(file)
libraries = profile["libs"]
asked = sorted(set(places(profile)))
with subprocess.Popen(["samply", "load", "--no-open", path], text=True,
                      stdout=subprocess.PIPE) as server:
    url = None
    while not url:
        url = re.search(r"http://127\.0\.0\.1:\d+/\w+",
                        urllib.request.unquote(server.stdout.readline()))
    request = {"memoryMap": [[one["debugName"], one["breakpadId"]]
                             for one in libraries], "stacks": [asked]}
    with urllib.request.urlopen(f"{url[0]}/symbolicate/v5",
                                json.dumps(request).encode()) as answer:
        stack, = json.load(answer)["results"][0]["stacks"]
    server.terminate()
for (library, address), frame in zip(asked, stack):
    levels = [*frame.get("inlines", []), frame] if "function" in frame else []
    print(libraries[library]["name"], hex(address), *(
        f"{one['function']}:{one.get('file', '')}:{one.get('line', 0)}"
        for one in levels) if levels else "-")
