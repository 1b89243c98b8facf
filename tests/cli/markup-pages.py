#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check pages of gsym-markup: FOLDER/NAME.html beside FOLDER/NAME.txt, the same
log as text.  Each page has to be well formed, have only elements that the tool
writes, and show the text."""
import base64
import hashlib
import html.parser
import os
import re
import sys
import xml.etree.ElementTree as tree

# Elements and their attributes.
KNOWN = {
    "html": {"lang"}, "head": set(), "meta": {"charset", "name", "content", "http-equiv"},
    "title": set(), "style": set(), "body": set(), "pre": {"class"},
    "span": {"aria-label", "aria-roledescription", "class", "id", "role",
             "tabindex", "title"}, "b": set(), "i": set(),
    "u": set(), "a": {"href"}, "details": {"class"}, "summary": set(),
    "div": {"class"}, "h1": set(), "noscript": {"data-line"},
}
VOID = {"meta"}
ODD = re.compile("[^\n\t\x20-\x7e\u00a0-\U0010ffff]")


class Page(html.parser.HTMLParser):
    """Nesting, names, and the text outside of details."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.ids = set()
        self.hidden = 0
        self.text = []
        self.in_log = False

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert tag in KNOWN, "element <%s>" % tag
        assert set(names) <= KNOWN[tag], "<%s %s>" % (tag, names)
        assert len(names) == len(set(names)), "twice: %s" % names
        values = dict(attrs)
        if "id" in values:
            assert values["id"] not in self.ids, "id %s" % values["id"]
            self.ids.add(values["id"])
        hides = tag in ("title", "style", "summary", "h1") or \
            values.get("class") == "tip"
        if tag not in VOID:
            self.open.append((tag, hides))
            self.hidden += hides
        self.in_log = self.in_log or tag == "body"

    def handle_endtag(self, tag):
        last, hides = self.open.pop()
        assert last == tag, "</%s> for <%s>" % (tag, last)
        self.hidden -= hides

    def handle_data(self, data):
        if self.in_log and not self.hidden:
            self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError("a comment")

    def handle_pi(self, data):
        raise AssertionError("an instruction")


def as_shown(raw):
    """Bytes of text as a page shows them; runs of U+FFFD become one."""
    text = raw.decode("utf-8", "replace").replace("\r", "")
    return squeeze(re.sub("[^\n\t\x20-\x7e\u00a0-\U0010ffff]|[\ufffe\uffff]",
                          "\ufffd", text))


def squeeze(text):
    # Marks of direction are U+FFFD in names, but not in text.
    return re.sub("[\ufffd\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+",
                  "\ufffd", text).strip("\n")


def without_script(content):
    """CONTENT without the script that ends a large page.  The policy allows
    that script and no other one."""
    parts = re.split("<script>(.*)</script>(?=\n</body>)", content,
                     flags=re.DOTALL)
    assert ("<noscript" in content) == (len(parts) == 3), "script"
    if len(parts) != 3:
        return content
    digest = hashlib.sha256(parts[1].encode()).digest()
    policy = "; script-src 'sha256-%s'; " % base64.b64encode(digest).decode()
    assert content.count(policy) == 1, policy
    assert "<script" not in parts[0]
    return parts[0] + parts[2]


def check(page, text, compare):
    content = page.decode("utf-8")
    content = without_script(content)
    assert not ODD.search(content), "odd character"
    assert not re.search(r"(?i)<script|\bsrc=|\bon[a-z]+=\"|@import|url\(",
                         content.replace("&quot;", "")), "not self-contained"
    assert content.count("Content-Security-Policy\" content=\"default-src "
                         "'none'; style-src 'unsafe-inline'; ") == 1, "policy"
    body = content[content.index("<body>"):content.index("</html>")]
    tree.fromstring(body)
    parser = Page()
    parser.feed(content)
    parser.close()
    assert not parser.open, "open: %s" % parser.open
    if compare:
        shown = squeeze("".join(parser.text))
        assert shown == as_shown(text), "shown:\n%s\nnot:\n%s" % (
            shown, as_shown(text))


def main():
    folder, count, compared = sys.argv[1], 0, 0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".html"):
            continue
        base = os.path.join(folder, name[:-5])
        with open(base + ".html", "rb") as file:
            page = file.read()
        with open(base + ".txt", "rb") as file:
            text = file.read()
        # Pages have details in place of the footnotes of hexdict elements.
        compare = b"hexdict" not in text
        try:
            check(page, text, compare)
        except Exception as error:
            sys.exit("%s: %s" % (name, error))
        count += 1
        compared += compare
    print("%d pages, %d of them compared with text" % (count, compared))
    return 0 if count else 1


sys.exit(main())
