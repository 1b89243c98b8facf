# SPDX-License-Identifier: MIT
"""Profiles of gperftools and jemalloc, as profiles in pprof's format.

Read are heap profiles as text and CPU profiles of words.  They have addresses of
a process and the text of its /proc/PID/maps, but no build IDs: these are those
of the mapped files, if the files are still the same.

Sources: "Profiler file format" and "Heap profiler" of gperftools, jemalloc's
src/prof_data.c and jeprof, and legacy_profile.go of google/pprof, which has the
same types of samples and the same estimates.
"""

from __future__ import annotations

import bisect
import ctypes
import io
import math
import os
import re
import struct
from typing import Callable, Iterable, Iterator, NamedTuple, Optional, Sequence

from gsym import _library
from gsym._wire import FormatError, put, put_varint

Report = Callable[[str], None]

_MASK = (1 << 64) - 1
# The most different addresses: each takes memory.  Programs have fewer.
_MOST_ADDRESSES = 1 << 20
# The most files that are said to be others.
_MOST_NOTES = 8

_MAPS = re.compile(
    rb" *([0-9a-f]{1,16})-([0-9a-f]{1,16}) +([-rwxps]{4}) +([0-9a-f]{1,16}) +"
    rb"([0-9a-f]{1,8}:[0-9a-f]{1,8}) +(\d{1,20})(?: +(\S.*))?")
# Objects and bytes in use, and in brackets all that were allocated.
_COUNTS = rb" *(-?\d{1,19}): *(-?\d{1,19}) *\[ *(\d{1,19}): *(\d{1,19}) *\]"
_HEAP = re.compile(rb"heap profile:" + _COUNTS + rb" *@ *([a-z0-9_]*)/?(\d{0,18})")
_SAMPLE = re.compile(_COUNTS + rb" *@((?: +0x[0-9a-f]{1,16})*) *\r?")
_JEMALLOC = re.compile(rb"heap_v2/(\d{1,18})\r?")
_STACK = re.compile(rb"@((?: +0x[0-9a-f]{1,16})*) *\r?")
_TOTAL = re.compile(rb" *t\*:" + _COUNTS + rb" *\r?")
_MAPS_FOLLOW = b"MAPPED_LIBRARIES:"


class _Sample(NamedTuple):
    """A stack, innermost address first."""

    addresses: Sequence[int]
    values: Sequence[int]
    #: The bytes of an object; 0: not of a heap.
    block: int = 0


class _Kind(NamedTuple):
    """What the values of samples are: types and units."""

    values: Sequence[tuple[bytes, bytes]]
    period_type: tuple[bytes, bytes]
    period: int


def _lines(data: bytes, at: int) -> Iterator[tuple[bytes, int]]:
    """The lines of DATA from AT on, and the place after each."""
    while at < len(data):
        end = data.find(b"\n", at)
        after = len(data) if end < 0 else end + 1
        yield data[at:after].rstrip(b"\n"), after
        at = after


def _check_depth(depth: int) -> None:
    """Raise FormatError if a stack has too many addresses, DEPTH."""
    if depth > _MOST_ADDRESSES:
        raise FormatError(f"it has more than {_MOST_ADDRESSES} addresses")


# ---- heaps


class _Heap:
    """A heap profile as text: a kind, samples, and where the maps begin."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.maps = len(data)
        line, self._at = next(_lines(data, 0))
        self._is_jemalloc = line.startswith(b"heap_v2/")
        # Samples count as one of so many bytes, and are scaled.
        self._rate = 0
        match = (_JEMALLOC if self._is_jemalloc else _HEAP).fullmatch(
            line.rstrip(b"\r "))
        if not match:
            raise FormatError("the first line of a heap profile is damaged")
        if self._is_jemalloc:
            self._rate = int(match[1])
            # Sums of all stacks come first.
            total, _ = next(_lines(data, self._at), (b"", 0))
            match = _TOTAL.fullmatch(total)
            if not match:
                raise FormatError("the second line of a heap profile of "
                                  "jemalloc is damaged")
            name = b"heap_v2"
        else:
            name = match[5]
            if name in (b"heap_v2", b"heapz_v2"):
                self._rate = int(match[6] or 0)
            elif name == b"heap":
                # Its first version has twice the rate.
                self._rate = int(match[6] or 0) // 2
            elif name not in (b"heapprofile", b"growth", b"growthz",
                              b"fragmentation", b"fragmentationz"):
                raise FormatError("a heap profile of the unknown kind "
                                  f"{name.decode()[:40]!r}")
        used = match.group(1, 2)
        self._has_allocated = not name.startswith((b"growth", b"frag")) and any(
            int(sum_) not in (0, int(one))
            for one, sum_ in zip(used, match.group(3, 4)))
        values = [(b"objects", b"count"), (b"space", b"bytes")]
        if self._has_allocated:
            values = [(word + b"_" + what, unit) for word in
                      (b"alloc", b"inuse") for what, unit in values]
        self.kind = _Kind(values, (b"space", b"bytes"), self._rate or 1)

    def _scaled(self, count: int, size: int) -> tuple[int, int]:
        """The estimate of what COUNT samples of SIZE bytes stand for: one of
        SIZE / COUNT bytes is taken with a probability of 1 - e^(-that/rate)."""
        if self._rate <= 1 or count <= 0 or size <= 0:
            return count, size
        part = size / count / self._rate
        # The first form is that of pprof and jeprof.
        scale = 1 / (1 - math.exp(-part) or -math.expm1(-part))
        return int(count * scale), int(size * scale)

    def _sample(self, counts: Sequence[bytes], stack: bytes) -> _Sample:
        """The sample of the four numbers COUNTS with STACK."""
        _check_depth(stack.count(b"0x"))
        in_use, allocated = ((int(counts[at]), int(counts[at + 1]))
                             for at in (0, 2))
        values: list[int] = []
        block = 0
        for count, size in (allocated, in_use) if self._has_allocated else (
                in_use,):
            if size and not count:
                raise FormatError("a sample of a heap profile has bytes, and no "
                                  "objects")
            if count:
                block = size // count
            values += self._scaled(count, size)
        # Return addresses.
        return _Sample([int(text, 16) - 1 & _MASK for text in stack.split()],
                       values, max(block, 0))

    def samples(self) -> Iterator[_Sample]:
        """The samples; SELF.maps is known after them."""
        stack: Optional[bytes] = None
        for line, after in _lines(self._data, self._at):
            if line.startswith(_MAPS_FOLLOW):
                self.maps = after
                return
            match: Optional[re.Match[bytes]]
            if not line.strip() or line.lstrip().startswith(b"#"):
                continue
            if not self._is_jemalloc:
                match = _SAMPLE.fullmatch(line)
                if match:
                    yield self._sample(match.group(1, 2, 3, 4), match[5])
                    continue
            elif line.startswith(b"@"):
                match = _STACK.fullmatch(line)
                if match:
                    stack = match[1]
                    continue
            elif not line.lstrip().startswith(b"t*"):
                # Of one thread.
                match = re.fullmatch(rb" *t\d+:.*", line)
                if match:
                    continue
            else:
                match = _TOTAL.fullmatch(line)
                if match:
                    # The first ones are the sums.
                    if stack is not None:
                        yield self._sample(match.groups(), stack)
                    stack = None
                    continue
            raise FormatError("a line of a heap profile is damaged: "
                              f"{line[:60].decode('ascii', 'replace')!r}")


# ---- CPU profiles


#: Headers of gperftools' CPU profiles: words of four or eight bytes, of which the
#: fourth is the period.
CPU_HEADERS = {struct.pack(f"{order}3{word}", 0, 3, 0): order + word
               for order in "<>" for word in "QI"}


class _Cpu:
    """A CPU profile of words: a kind, samples, and where the maps begin."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.maps = len(data)
        self._word = next(word for header, word in CPU_HEADERS.items()
                          if data.startswith(header))
        self._size = struct.calcsize(self._word)
        # In microseconds.
        period, zero = self._words(3, 2)
        if not period or zero:
            raise FormatError("the header of a CPU profile is damaged")
        self.kind = _Kind(
            [(b"samples", b"count"), (b"cpu", b"nanoseconds")],
            (b"cpu", b"nanoseconds"), _value(period * 1000))

    def _words(self, at: int, count: int) -> tuple[int, ...]:
        """COUNT words from word AT on."""
        if (at + count) * self._size > len(self._data):
            raise FormatError("a CPU profile breaks off")
        return struct.unpack_from(f"{self._word[0]}{count}{self._word[1]}",
                                  self._data, at * self._size)

    def samples(self) -> Iterator[_Sample]:
        """The samples; SELF.maps is known after them."""
        at = 5
        while True:
            count, depth = self._words(at, 2)
            _check_depth(depth)
            addresses = list(self._words(at + 2, depth))
            at += 2 + depth
            if not count and addresses == [0]:
                break
            # The handler of the signal may have the innermost address twice:
            # from the signal, and from the stack.
            if len(addresses) > 1 and addresses[0] == addresses[1]:
                del addresses[1]
            yield _Sample(
                addresses[:1] + [a - 1 & _MASK for a in addresses[1:]],
                [count, count * self.kind.period])
        self.maps = at * self._size


# ---- mappings


class _Part(NamedTuple):
    """A mapping with code."""

    start: int
    limit: int
    offset: int
    path: bytes
    inode: int
    line: bytes


def _parts(data: bytes, at: int) -> list[_Part]:
    """The mappings with code of the text of maps at AT of DATA.  Lines of other
    forms are left out."""
    parts = []
    for line, _ in _lines(data, at):
        match = _MAPS.fullmatch(line.rstrip())
        if match and b"x" in match[3]:
            start, limit, offset = (int(match[i], 16) for i in (1, 2, 4))
            inode, path = int(match[6]), match[7] or b""
            if start < limit and inode <= _MASK:
                # As the kernel writes it, with one blank between two fields.
                parts.append(_Part(start, limit, offset, path, inode, b" ".join(
                    [b"%x-%x" % (start, limit), match[3], b"%x" % offset,
                     match[5], b"%d" % inode, path]).rstrip()))
    return parts


class _Programs:
    """The files that were mapped: their build IDs."""

    def __init__(self, root: Optional[str], written: Optional[int],
                 report: Report) -> None:
        """ROOT: the folder with the mapped files, which are known to be the
        same; None: those of this machine, if they still are.  WRITTEN: when the
        profile was written, in nanoseconds; None: not known."""
        self._root = root
        self._written = written
        self._report = report
        self._library = _library.load()

    def _change(self, part: _Part) -> str:
        """Why the file of PART may be another one than was mapped; "" if it is
        the same."""
        if self._root is not None:
            return ""
        if self._written is None:
            return "it is not known when the profile was written"
        try:
            status = os.stat(part.path)
        except (OSError, ValueError) as error:
            return getattr(error, "strerror", None) or "not a path"
        if status.st_ino != part.inode:
            return "there is another file now"
        # A file that is written again keeps its inode.
        if max(status.st_mtime_ns, status.st_ctime_ns) > self._written:
            return "the file was changed after the profile"
        return ""

    def build_ids(self, parts: Sequence[_Part]) -> list[bytes]:
        """The build ID of each of PARTS; b"" if it is not known."""
        changes: dict[tuple[bytes, int], str] = {}
        for part in parts:
            if part.path.startswith(b"/"):
                key = part.path, part.inode
                if key not in changes:
                    changes[key] = self._change(part)
        others = sorted((path, why) for (path, _), why in changes.items() if why)
        for path, why in others[:_MOST_NOTES]:
            self._report(
                f"the build ID of {os.fsdecode(path)!r} is not known: {why}; "
                "--root says where the mapped files are")
        if len(others) > _MOST_NOTES:
            self._report(f"the same for {len(others) - _MOST_NOTES} others")
        # Files that are others must not be read.
        known = [part for part in parts
                 if changes.get((part.path, part.inode)) == ""]
        text = b"".join(part.line + b"\n" for part in sorted(known))
        found = self._find(text, [part.start for part in known])
        by_part = dict(zip(known, found))
        return [by_part.get(part, b"") for part in parts]

    def _find(self, maps: bytes, addresses: Iterable[int]) -> list[bytes]:
        """The build IDs of the files that the text MAPS has at ADDRESSES."""
        process, error = ctypes.c_void_p(), _library.Error()
        status = self._library.gsym_process_open_maps(
            maps, len(maps), os.fsencode((self._root or "").rstrip("/")),
            ctypes.byref(process), ctypes.byref(error))
        if status == _library.ERR_MEMORY:
            raise MemoryError
        if status != _library.OK:
            raise FormatError(error.message.decode("utf-8", "replace"))
        place, module = _library.Place(), _library.Module()
        found = []
        try:
            for address in addresses:
                build_id = b""
                if self._library.gsym_process_find(
                        process, address,
                        ctypes.byref(place)) == _library.OK:
                    self._library.gsym_process_get_module(
                        process, place.module, ctypes.byref(module))
                    if module.build_id_size:
                        build_id = ctypes.string_at(module.build_id,
                                                    module.build_id_size)
                found.append(build_id)
        finally:
            self._library.gsym_process_close(process)
        return found


# ---- the profile in pprof's format


def _value(number: int) -> int:
    """NUMBER, as pprof's format has it.  Raises FormatError."""
    if not -(1 << 63) <= number < 1 << 63:
        raise FormatError(f"a number has more than 64 bits: {number:.3g}")
    return number & _MASK


class _Strings:
    """The table of strings."""

    def __init__(self) -> None:
        self._places = {b"": 0}

    def place(self, text: bytes) -> int:
        """The place of TEXT."""
        return self._places.setdefault(text, len(self._places))

    def type(self, kind: tuple[bytes, bytes]) -> bytes:
        """The message ValueType of KIND."""
        return put(1, self.place(kind[0])) + put(2, self.place(kind[1]))

    def fields(self) -> bytes:
        """The fields of the profile."""
        return b"".join(put(6, text) for text in self._places)


def _write(profile: "_Heap | _Cpu", data: bytes, programs: _Programs) -> bytes:
    """PROFILE, that of DATA, in pprof's format."""
    strings, out = _Strings(), io.BytesIO()
    for kind in profile.kind.values:
        out.write(put(1, strings.type(kind)))
    locations: dict[int, int] = {}
    for sample in profile.samples():
        for address in sample.addresses:
            locations.setdefault(address, len(locations) + 1)
        if len(locations) > _MOST_ADDRESSES:
            raise FormatError(f"it has more than {_MOST_ADDRESSES} addresses")
        fields = put(1, b"".join(put_varint(locations[address])
                                 for address in sample.addresses))
        fields += put(2, b"".join(map(put_varint, map(_value, sample.values))))
        if sample.block:
            fields += put(3, put(1, strings.place(b"bytes"))
                          + put(3, sample.block))
        out.write(put(2, fields))
    parts = _parts(data, profile.maps)
    for number, (part, build_id) in enumerate(
            zip(parts, programs.build_ids(parts)), 1):
        out.write(put(3, put(1, number) + put(2, part.start)
                      + put(3, part.limit) + put(4, part.offset)
                      + put(5, strings.place(part.path))
                      + put(6, strings.place(build_id.hex().encode()))))
    ordered = sorted((part.start, part.limit, number)
                     for number, part in enumerate(parts, 1))
    for address, number in locations.items():
        fields = put(1, number) + put(3, address)
        after = bisect.bisect_right(ordered, (address, _MASK + 1))
        if after and address < ordered[after - 1][1]:
            fields += put(2, ordered[after - 1][2])
        out.write(put(4, fields))
    # The strings of these have to be there.
    end = (put(11, strings.type(profile.kind.period_type))
           + put(12, profile.kind.period))
    return out.getvalue() + strings.fields() + end


def read(data: bytes, root: Optional[str], written: Optional[int],
         report: Report) -> Optional[bytes]:
    """DATA in pprof's format; None if it is none of these profiles.  ROOT,
    WRITTEN: as for _Programs.  Raises FormatError."""
    profile: "_Heap | _Cpu"
    if data.startswith((b"heap profile:", b"heap_v2/")):
        profile = _Heap(data)
    elif data.startswith(tuple(CPU_HEADERS)):
        profile = _Cpu(data)
    else:
        return None
    return _write(profile, data, _Programs(root, written, report))
