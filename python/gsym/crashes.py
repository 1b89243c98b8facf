# SPDX-License-Identifier: MIT
"""gsym-crashes: each crash of a log once, with a count and a signature.

Runs "gsym-markup --json", which reads the log and finds the symbols, or reads
what it wrote.
"""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
from typing import IO, Any, Callable, Iterator, Optional

from gsym import __version__
from gsym._crashes import (Crash, Crashes, FormatError, Function, _number_in,
                           decode)

__all__ = ["FormatError", "main"]

# Bytes of an object of "gsym-markup --json".
MOST_LINE = 1 << 23
# Names of defects that SARIF gets: sanitizers have few, but a log may have any
# number.
MOST_RULES = 256
# Bytes of a message in SARIF.
MOST_MESSAGE = 511
# Seconds after a signal in which a pipe may still get its end.
PATIENCE = 2

_Put = Callable[[str], object]


# ---- texts

# Control characters, marks that change the direction of text, and halves of
# pairs of surrogates.
_HARMFUL = ("\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
            "\ud800-\udfff")
_FOR_JSON = re.compile(f'["\\\\{_HARMFUL}\u2028\u2029\ufffd]')
_FOR_PEOPLE = re.compile(f"[{_HARMFUL}]")


def _escape(found: re.Match[str]) -> str:
    """A character in a string of JSON."""
    one = found[0]
    if one in '"\\':
        return "\\" + one
    return "\\u%04x" % (0xfffd if "\ud800" <= one <= "\udfff" else ord(one))


def _visible(found: re.Match[str]) -> str:
    """A character that a terminal must not get, as gsym's tools show it."""
    return "".join(f"\\x{byte:02x}"
                   for byte in found[0].encode("utf-8", "surrogatepass"))


def _plain(text: str) -> str:
    return _FOR_PEOPLE.sub(_visible, text)


def _text(raw: bytes) -> str:
    """RAW as text; a byte that is no UTF-8 is U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd",
                  raw.decode("utf-8", "surrogateescape"))


def _json(value: Any) -> str:
    """VALUE as JSON, in the form of gsym's tools."""
    if isinstance(value, str):
        return '"' + _FOR_JSON.sub(_escape, value) + '"'
    if isinstance(value, dict):
        return "{" + ",".join(f'"{key}":{_json(one)}'
                              for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return "true" if value is True else str(value)


def _name(frame: Optional[Function]) -> str:
    return frame.name if frame else "?"


# ---- forms


def _json_crash(crash: Crash) -> dict[str, Any]:
    result: dict[str, Any] = {"signature": f"{crash.signature:016x}"}
    if crash.kind:
        result.update(kind=_text(crash.kind), tool=_text(crash.tool))
    result.update(count=crash.count, first_line=crash.first_line,
                  last_line=crash.last_line,
                  function=_name(crash.main_frame(False)))
    frames = result["frames"] = []
    for frame, counts in zip(crash.frames, crash.counts):
        one = {"function": frame.readable, "file": frame.file,
               "line": frame.line, "module": frame.module,
               "inlined": frame.inlined, "in_signature": bool(counts)}
        frames.append({key: value for key, value in one.items() if value})
    return result


def _write_json(put: _Put, crashes: list[Crash], lost: int,
                version: str) -> None:
    put('{"crashes":[')
    for at, crash in enumerate(crashes):
        put("," * (at > 0) + _json(_json_crash(crash)))
    put("]" + (f',"lost":{lost}' if lost else "") + "}\n")


def _rule(crash: Crash) -> str:
    return _text(crash.kind) or "crash"


def _sarif_location(frame: Function) -> dict[str, Any]:
    """The place of FRAME as a location of SARIF, with its function."""
    result: dict[str, Any] = {}
    if frame.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": frame.file}}
        if frame.line:
            place["region"] = {"startLine": frame.line}
        result["physicalLocation"] = place
    result["logicalLocations"] = [{"fullyQualifiedName": frame.name,
                                   "kind": "function"}]
    return result


def _sarif_frame(frame: Function) -> dict[str, Any]:
    result: dict[str, Any] = {"location": _sarif_location(frame)}
    if frame.module:
        result["module"] = frame.module
    return result


def _sarif_result(crash: Crash) -> dict[str, Any]:
    message = f"{_rule(crash)} in {_name(crash.main_frame(False))}"
    place = crash.main_frame(True)
    return {
        "ruleId": _rule(crash), "level": "error",
        "message": {"text": _text(message.encode("utf-8", "surrogatepass")
                                  [:MOST_MESSAGE])},
        "locations": [_sarif_location(place)] if place else [],
        "partialFingerprints": {"gsymCrash/v1": f"{crash.signature:016x}"},
        "occurrenceCount": crash.count,
        "stacks": [{"frames": list(map(_sarif_frame, crash.frames))}],
    }


def _write_sarif(put: _Put, crashes: list[Crash], lost: int,
                 version: str) -> None:
    rules = list(dict.fromkeys(map(_rule, crashes)))[:MOST_RULES]
    # Code hosts tell by the name of the tool which results they know already.
    driver = {"name": "gsym-markup", "version": version,
              "rules": [{"id": rule} for rule in rules]}
    put('{"$schema":"https://json.schemastore.org/sarif-2.1.0.json",'
        '"version":"2.1.0","runs":[{"tool":' + _json({"driver": driver}) +
        ',"results":[')
    for at, crash in enumerate(crashes):
        put("," * (at > 0) + _json(_sarif_result(crash)))
    put("]}]}\n")


def _write_text(put: _Put, crashes: list[Crash], lost: int,
                version: str) -> None:
    for crash in crashes:
        where = (f"{crash.count} times, lines {crash.first_line} to "
                 f"{crash.last_line}" if crash.count > 1 else
                 f"once, line {crash.first_line}")
        tool = f" ({_text(crash.tool)})" if crash.tool else ""
        put(_plain(f"{where}: {_rule(crash)}{tool} in "
                   f"{_name(crash.main_frame(False))}") +
            f"\n  signature {crash.signature:016x}\n")
        for frame, counts in zip(crash.frames, crash.counts):
            place = (f" at {frame.file}:{frame.line}" if frame.file else
                     f" in {frame.module}" if frame.linkage and frame.module
                     else "")
            put(("  * " if counts else "    ") +
                _plain(frame.name + place + " [inlined]" * frame.inlined) + "\n")


_FORMATS = {"text": _write_text, "json": _write_json, "sarif": _write_sarif}


# ---- signals


class _Stopped(Exception):
    """A signal has come: the input ends here."""


class _Killed(Exception):
    """A signal has come a second time: nothing more is written."""


class _Signals:
    """SIGINT and SIGTERM end the input: what came before is written."""

    def __init__(self) -> None:
        # The signal that came first; 0: none came.
        self.number = 0
        self.child: Optional[subprocess.Popen[bytes]] = None
        for number in signal.SIGINT, signal.SIGTERM:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._came)
        signal.signal(signal.SIGALRM, self._late)

    def _came(self, number: int, _: object) -> None:
        if self.number:
            raise _Killed
        self.number = number
        if self.child:
            # gsym-markup ends the log behind the line at hand.
            self.child.terminate()
        else:
            signal.alarm(PATIENCE)

    def _late(self, *_: object) -> None:
        raise _Stopped


# ---- input


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of FILE, which are objects of JSON.  Raises FormatError."""
    while True:
        raw = file.readline(MOST_LINE)
        if not raw:
            return
        if not raw.endswith(b"\n"):
            raise FormatError("a line is too long" if len(raw) == MOST_LINE
                              else "the last line breaks off")
        yield raw


class _Log:
    """The crashes in what "gsym-markup --json" wrote."""

    def __init__(self) -> None:
        # None before the first object.
        self.crashes: Optional[Crashes] = None
        self.version = ""

    def _begin(self, raw: bytes) -> Crashes:
        first = decode(raw)
        logs, version = first.get("logs"), first.get("version")
        if first.get("program") != "gsym-markup" or not isinstance(
                logs, list) or not isinstance(version, str):
            raise FormatError("it is not what gsym-markup --json writes")
        self.version = version
        return Crashes("kernel" in logs)

    def read(self, file: IO[bytes]) -> None:
        """Read FILE to its end.  Raises FormatError and OSError."""
        try:
            for raw in _lines(file):
                if not self.crashes:
                    self.crashes = self._begin(raw)
                    continue
                other = self.crashes.take(raw)
                if other and isinstance(other.get("explain"), str):
                    line = _number_in(other, "line")
                    _note(f"line {line}: {other['explain']}")
        except _Stopped:
            pass
        finally:
            signal.alarm(0)


def _ignore_interrupts() -> None:
    """Run in the child: Ctrl-C reaches all processes of a terminal, but the
    second signal would end gsym-markup at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(log: _Log, arguments: list[str], signals: _Signals) -> int:
    """Read what gsym-markup writes about the log that ARGUMENTS name.  Returns
    its status; negative: a signal has ended it."""
    with subprocess.Popen(["gsym-markup", "--json", *arguments],
                          stdout=subprocess.PIPE,
                          preexec_fn=_ignore_interrupts) as child:
        signals.child = child
        if signals.number:
            child.terminate()
        assert child.stdout
        try:
            log.read(child.stdout)
        except BaseException:
            child.kill()
            raise
        return child.wait()


# ---- the command


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gsym-crashes", allow_abbrev=False,
        usage="gsym-crashes [--format=FORMAT] [option of gsym-markup ...] "
        "[LOG ...]\n       gsym-crashes [--format=FORMAT] --from-json=FILE",
        description="Write each crash of a log once, with its count and a "
        "signature that does not depend on the build.  gsym-markup reads the "
        "logs, or standard input, and gets all other options: "
        "--logs, --symbols=DIR and so on.")
    parser.add_argument("--format", choices=sorted(_FORMATS), default="text",
                        help="text (the default), json, or sarif for code hosts")
    parser.add_argument("--from-json", metavar="FILE",
                        help="read what gsym-markup --json wrote to FILE; '-' "
                        "is standard input")
    parser.add_argument("-q", "--quiet", action="store_true",
                        help="write no notes, and none of gsym-markup")
    parser.add_argument("-V", "--version", action="version",
                        version=f"gsym-crashes {__version__}")
    return parser


def _parse() -> tuple[argparse.Namespace, list[str]]:
    """The options of this program, and what gsym-markup gets."""
    parser = _arguments()
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options, others = parser.parse_known_args(words[:end])
    others += words[end:]
    if options.from_json is not None and others:
        parser.error(f"--from-json does not go with {others[0]}")
    if options.quiet:
        others.insert(0, "--quiet")
    return options, others


def _note(text: str) -> None:
    """Write TEXT to standard error, which may be closed or full: the crashes
    do not depend on it."""
    if sys.stderr is None:
        return
    try:
        print(_plain(text), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


def _report(text: str) -> None:
    _note(f"gsym-crashes: {text}")


def _read(log: _Log, options: argparse.Namespace, others: list[str],
          signals: _Signals) -> int:
    """Read the log, and return the exit status, as _run does."""
    if options.from_json is None:
        return _run(log, others, signals)
    with (open(0, "rb", closefd=False) if options.from_json == "-" else
          open(options.from_json, "rb")) as file:
        log.read(file)
    return 128 + signals.number if signals.number else 0


def _convert(options: argparse.Namespace, others: list[str],
             signals: _Signals) -> int:
    """Read the log and write its crashes.  Returns the exit status."""
    log = _Log()
    status = _read(log, options, others, signals)
    if status not in (0, 1) and status <= 128:
        if status != 2:
            _report("gsym-markup was ended by signal %d" % -status
                    if status < 0 else f"gsym-markup has status {status}")
        return 2
    if signals.number and status > 128:
        status = 128 + signals.number
    if not log.crashes:
        if status <= 128:
            raise FormatError("it is not what gsym-markup --json writes")
        return status
    crashes = log.crashes.end()
    lost = log.crashes.lost
    with open(1, "w", encoding="utf-8", newline="\n", closefd=False) as out:
        _FORMATS[options.format](out.write, crashes, lost, log.version)
    if lost and not options.quiet:
        _report("note: too many different crashes or names: "
                f"{lost} stack traces are not counted")
    return status


def main() -> int:
    """The command gsym-crashes."""
    # As in gsym's other tools, a reader that has gone ends the program.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    options, others = _parse()
    source = ("gsym-markup" if options.from_json is None else
              f"'{options.from_json}'")
    signals = _Signals()
    try:
        return _convert(options, others, signals)
    except _Killed:
        return 128 + signals.number
    except _Stopped:
        return 128 + signals.number
    except FormatError as error:
        _report(f"cannot read {source}: {error}")
    except MemoryError:
        _report("not enough memory")
    except OSError as error:
        _report(str(error))
    return 2


if __name__ == "__main__":
    sys.exit(main())
