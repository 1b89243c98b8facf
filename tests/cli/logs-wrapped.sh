#!/bin/sh
# SPDX-License-Identifier: MIT
# gsym-markup --logs on the logs of testdata/logs in each kind of wrapping
# (libgsym/logs/unwrap.c): each answer is that of the line without the wrapping,
# all other bytes stay, and JSON stays JSON.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/logs-lib.sh"
need python3
make_symbols
mkdir libc

cat >wrap.py <<'END'
"""usage: wrap.py LOG COMMAND...: filter LOG, as it is and in each wrapping."""
import html
import json
import subprocess
import sys


class Changed(Exception):
    """Bytes changed that are none of an answer."""


def json_twice(line):
    inner = json.dumps({"log": "x\n" + line + "\n"})
    return json.dumps({"message": inner}, ensure_ascii=False)


def of_json(line):
    return json.loads(line)["log"]


def feeds(line):
    text = json.dumps("x\n" + line + "\ny")
    return '{"log":' + text.replace("\\n", "\\u000a") + "}"


def of_feeds(line):
    if line.count("\\u000a") != 2 or "\\n" in line:
        raise Changed(line)
    return of_json(line)[2:-2]


def logfmt(line):
    return 'level=error msg=%s at="x"' % json.dumps("x\n" + line)


def of_logfmt(line):
    return json.loads(line[len("level=error msg="):-len(' at="x"')])[2:]


def slashes(line):
    """As PHP writes strings."""
    return json.dumps({"log": line}).replace("/", "\\/")


def of_slashes(line):
    return of_json(line)


def csv(line):
    return '1,"x ""y"" %s",z' % line.replace('"', '""')


def of_csv(line):
    if not (line.startswith('1,"x ""y"" ') and line.endswith('",z')):
        raise Changed(line)
    return line[len('1,"x ""y"" '):-len('",z')].replace('""', '"')


def tags(line):
    return "<pre><code>%s</code></pre>" % html.escape(line)


def of_tags(line):
    start, end = "<pre><code>", "</code></pre>"
    if not (line.startswith(start) and line.endswith(end)):
        raise Changed(line)
    return html.unescape(line[len(start):-len(end)])


def between(before, after, shown=None):
    """Text before and after the line; SHOWN of it is in the output."""
    shown = shown or (before, after)

    def undo(line):
        if not (line.startswith(shown[0]) and line.endswith(shown[1])):
            raise Changed(line)
        return line[len(shown[0]):len(line) - len(shown[1])]
    return (lambda line: before + line + after), undo


def without_blanks(line):
    """The answer stands behind the blanks."""
    at = line.rfind("   ")
    if at < 0:
        raise Changed(line)
    return line[:at] + line[at + 3:]


# Lines become others, and stay lines of their own.
ALONE = {
    "cr": between("", "\r\r"),
    "colour": between("\033[1;31m", "\033[0m\033[K", ("", "\033[K")),
    "comma": between("", ", "),
    "semicolon": between("", ";"),
    "full_stop": between("", "."),
    "tab": between("", "\t"),
    "mark": between("\ufeff", ""),
    "blanks": (lambda line: line + "   ", without_blanks),
    "brackets": between("(x [ ", " ])"),
    "mail": between(">> ", ""),
}
# Lines that may be several lines.
JOINED = {
    "json": (lambda line: json.dumps({"log": "x\n" + line}),
             lambda line: of_json(line)[2:]),
    "slashes": (slashes, of_slashes),
    "csv": (csv, of_csv),
    "field": between('1,"', '",z'),
    "tags": (tags, of_tags),
    "br": (lambda line: "x<br>%s<br/>" % html.escape(line),
           lambda line: html.unescape(line[len("x<br>"):-len("<br/>")])),
    "json_colour": (lambda line: json.dumps({"log": "\033[1m%s\033[0m" % line}),
                    lambda line: of_json(line)[4:-4]),
    "json_twice": (json_twice,
                   lambda line: of_json(json.loads(line)["message"])[2:-1]),
    "feeds": (feeds, of_feeds),
    "behind_json": between('{"level":"x","n":1} ', ""),
    "before_json": between("", ' {"level":"x"}'),
    "logfmt": (logfmt, of_logfmt),
    "rsyslog": between("x#012", "#012y"),
    "rsyslog_colour": between("#033[1m", "#033[0m"),
    "literal": between("x\\n", "\\n"),
    "back_quotes": between("x `", "`"),
    "semicolons": between("x; ", ";"),
    "html": (html.escape, html.unescape),
    "html_json": (lambda line: html.escape(json.dumps({"log": line})),
                  lambda line: of_json(html.unescape(line))),
    "table": between("| x | ", " | y |"),
}


def run(command, lines):
    text = "".join(line + "\n" for line in lines)
    output = subprocess.run(command, input=text.encode(), check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return output.stdout.decode().split("\n")[:-1]


def compare(log, command, lines, wanted, how, way):
    wrap, unwrap = way
    output = run(command, [wrap(line) for line in lines])
    try:
        got = [unwrap(line) for line in output]
    except (Changed, ValueError) as error:
        got = ["%s: %s" % (type(error).__name__, error)]
    for one, other in zip(wanted, got):
        if one != other:
            return "%s, %s: %r, not %r" % (log, how, other, one)
    if len(got) != len(wanted):
        return "%s, %s: the number of lines" % (log, how)
    if run(command, output) != output:
        return "%s, %s: changed when it was filtered again" % (log, how)
    return None


def main():
    log, command = sys.argv[1], sys.argv[2:]
    with open(log, encoding="utf-8", newline="\n") as source:
        lines = source.read().split("\n")[:-1]
    wanted = run(command, lines)
    ways = dict(JOINED)
    # A stack of one line is written as a list, unless it is joined to others.
    if "/backtrace/" in log:
        wanted = "\n".join(wanted).replace("\n  0", " 0").replace(
            "\n  /", " /").split("\n")
        for how in "behind_json", "before_json", "html", "tags":
            del ways[how]
    else:
        ways.update(ALONE)
    if log.split("/")[-2] in ("apple", "dart", "maps", "registers", "seastar",
                              "xen"):
        # Here a frame alone does not tell that quotes are around it.
        del ways["field"]
    if "/seastar/" in log:
        # "Backtrace:" has to end its line.
        del ways["brackets"]
    if "/apple/" in log or "/maps/" in log:
        # The text after a frame of these forms may be anything.
        del ways["before_json"]
    wrong = [compare(log, command, lines, wanted, how, way)
             for how, way in ways.items()]
    wrong = [text for text in wrong if text]
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
END

for name in $(all_logs); do
	case $name in mixed/* | foreign/* | ordinary/* | stackwalk/* | mongodb/* | */ips)
		continue ;;
	esac
	# shellcheck disable=SC2046
	python3 wrap.py "$data/$name.log" gsym-markup --logs --log-inlines=short \
		--debug-file-directory=none $(options_of "$name") >why ||
		fail "$(cat why)"
	part_passed "$name"
done
exit 0
