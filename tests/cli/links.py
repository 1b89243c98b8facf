#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: links.py SOURCES | links.py --pages FOLDER

Check that the relative links of the documents in SOURCES, or of the pages in
FOLDER, lead to files, and those with a # to a heading of the file.  Manuals and
options that the guide names have to exist."""
import pathlib
import re
import sys

DOCUMENTS = ["*.md", "doc/*.md", "doc/guide/*.md", "bench/*.md", "go/*.md",
             "python/*.md", "packaging/*.md"]


def anchors(text):
    """The anchors of the headings of a document in Markdown."""
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-")
            for head in heads}


def plain(text):
    """TEXT without blocks and words of code."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def wrong_links(path, top):
    text = path.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", plain(text)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists():
            yield f"{path.relative_to(top)}: no file '{link}'"
        elif anchor and target.suffix == ".md" and anchor not in anchors(
                target.read_text(encoding="utf-8")):
            yield f"{path.relative_to(top)}: no heading '{link}'"


def wrong_names(path, top):
    """Options of "gsym TOOL" and "gsym-TOOL" that the manual does not have."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for tool, rest in re.findall(r"\bgsym[ -]([a-z]+)\b([^\n|;`]*)", text):
        page = top / "man" / f"gsym-{tool}.1"
        if not page.exists():
            continue
        manual = page.read_text(encoding="utf-8")
        for option in re.findall(r" --([a-z][a-z-]+)", rest):
            if f"Fl -{option}" not in manual and option not in (
                    "help", "quiet", "version"):
                yield (f"{path.relative_to(top)}: --{option} is not in "
                       f"gsym-{tool}(1)")


def check_documents(top):
    wrong = []
    count = 0
    for pattern in DOCUMENTS:
        for path in sorted(top.glob(pattern)):
            count += 1
            wrong += wrong_links(path, top)
            if path.parent.name == "guide":
                wrong += wrong_names(path, top)
    if count < 10:
        wrong.append(f"{count} documents alone")
    return wrong


def check_pages(folder):
    wrong = []
    pages = sorted(folder.glob("**/*.html"))
    for path in pages:
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"""(?:href|src)=["']([^"']+)["']""", text):
            name = link.partition("#")[0]
            if not re.match(r"[a-z]+:", link) and name and not (
                    path.parent / name).exists():
                wrong.append(f"{path.name}: no page '{link}'")
    if len(pages) < 10:
        wrong.append(f"{len(pages)} pages alone")
    return wrong


def main():
    if sys.argv[1] == "--pages":
        wrong = check_pages(pathlib.Path(sys.argv[2]))
    else:
        wrong = check_documents(pathlib.Path(sys.argv[1]))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
