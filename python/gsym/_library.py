# SPDX-License-Identifier: MIT
"""libgsym, by ctypes: its functions, and the structs of its headers."""

import ctypes
import functools
import os
from typing import Any

# The first number of libgsym.so.N: another one means another ABI.
MAJOR = 0

OK = 0
NOT_FOUND = 1
ERR_ARGUMENT = 2
ERR_MEMORY = 3
ERR_IO = 4
ERR_UNSUPPORTED = 6
LOOKUP_NO_INLINES = 1


class LibraryError(ImportError):
    """libgsym cannot be loaded."""


class Frame(ctypes.Structure):
    """struct gsym_frame of gsym/reader.h."""

    _fields_ = [
        ("function", ctypes.c_char_p),
        ("directory", ctypes.c_char_p),
        ("basename", ctypes.c_char_p),
        ("line", ctypes.c_uint32),
        ("file", ctypes.c_uint32),
        ("offset", ctypes.c_uint64),
        ("function_string", ctypes.c_uint64),
        ("inlined", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 7),
    ]


class _MergedPlace(ctypes.Structure):
    _fields_ = [
        ("index", ctypes.c_uint32),
        ("next", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("offset", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("spare", ctypes.c_uint64 * 4),
    ]


class Match(ctypes.Structure):
    """struct gsym_match of gsym/reader.h."""

    _fields_ = [
        ("address", ctypes.c_uint64),
        ("start", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("index", ctypes.c_uint32),
        ("frame_count", ctypes.c_uint32),
        ("merged_count", ctypes.c_uint32),
        ("merged_place", _MergedPlace),
    ]


class Error(ctypes.Structure):
    """struct gsym_error of gsym/types.h."""

    _fields_ = [
        ("code", ctypes.c_int),
        ("offset", ctypes.c_uint64),
        ("message", ctypes.c_char * 256),
    ]


class Symbol(ctypes.Structure):
    """struct gsym_store_symbol of gsym/store.h."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("start", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
    ]


class Module(ctypes.Structure):
    """struct gsym_process_module of gsym/process.h."""

    _fields_ = [
        ("path", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("build_id", ctypes.c_void_p),
        ("build_id_size", ctypes.c_size_t),
        ("bias", ctypes.c_uint64),
        ("bias_guessed", ctypes.c_bool),
        ("start", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("file_offset", ctypes.c_uint64),
        ("reader", ctypes.c_void_p),
    ]


class Place(ctypes.Structure):
    """struct gsym_process_place of gsym/process.h."""

    _fields_ = [
        ("module", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
        ("executable", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 7),
    ]


_P = ctypes.c_void_p
_FUNCTIONS = {
    "gsym_store_new": (_P, []),
    "gsym_store_free": (None, [_P]),
    "gsym_store_add_gsym_directory": (ctypes.c_int, [_P, ctypes.c_char_p]),
    "gsym_store_add_debug_directory": (ctypes.c_int, [_P, ctypes.c_char_p]),
    "gsym_store_set_cache": (ctypes.c_int, [_P, ctypes.c_char_p]),
    "gsym_store_set_limit": (None, [_P, ctypes.c_size_t]),
    "gsym_store_copy": (None, [_P, ctypes.c_bool]),
    "gsym_store_map_paths": (ctypes.c_int, [_P, _P, ctypes.c_size_t]),
    "gsym_store_retry": (None, [_P]),
    "gsym_store_find": (
        ctypes.c_int,
        [_P, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_P), _P],
    ),
    "gsym_store_release": (None, [_P]),
    "gsym_store_reader": (_P, [_P]),
    "gsym_store_addresses_of": (
        ctypes.c_int,
        [_P, _P, ctypes.c_size_t, _P, _P],
    ),
    "gsym_store_symbol_named": (
        ctypes.c_int,
        [_P, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, _P],
    ),
    "gsym_lookup": (
        ctypes.c_int,
        [_P, ctypes.c_uint64, ctypes.c_uint, _P, ctypes.c_size_t, _P, _P],
    ),
    "gsym_lookup_many": (
        ctypes.c_int,
        [_P, _P, ctypes.c_size_t, ctypes.c_uint, _P, ctypes.c_size_t, _P, _P],
    ),
    "gsym_open": (
        ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(_P), _P]),
    "gsym_open_fd": (ctypes.c_int, [ctypes.c_int, ctypes.POINTER(_P), _P]),
    "gsym_open_copy": (
        ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(_P), _P]),
    "gsym_map_paths": (ctypes.c_int, [_P, _P, ctypes.c_size_t, _P]),
    "gsym_close": (None, [_P]),
    "gsym_get_header": (ctypes.c_int, [_P, _P]),
    "gsym_process_open_maps": (
        ctypes.c_int,
        [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, _P, _P],
    ),
    "gsym_process_close": (None, [_P]),
    "gsym_process_get_module": (ctypes.c_int, [_P, ctypes.c_uint32, _P]),
    "gsym_process_find": (ctypes.c_int, [_P, ctypes.c_uint64, _P]),
    "gsym_batch_new": (_P, [_P, ctypes.c_uint]),
    "gsym_batch_free": (None, [_P]),
    "gsym_batch_add": (
        ctypes.c_int,
        [_P, ctypes.c_char_p, ctypes.c_size_t, _P, ctypes.c_size_t],
    ),
    "gsym_batch_finish": (ctypes.c_int, [_P, _P, _P, _P]),
}


# A wheel may have the libraries inside.
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")


def _open(name: str, variable: str) -> ctypes.CDLL:
    """The library NAME: the file that the environment variable VARIABLE names,
    the one in the package, or the one that the loader finds."""
    file = f"{name}.so.{MAJOR}"
    inside = os.path.join(_FOLDER, file)
    return ctypes.CDLL(os.environ.get(variable) or (
        inside if os.path.exists(inside) else file))


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """libgsym.  Raises LibraryError."""
    try:
        library = _open("libgsym", "GSYM_LIBRARY")
        for function, (result, arguments) in _FUNCTIONS.items():
            pointer = getattr(library, function)
            pointer.restype = result
            pointer.argtypes = arguments
    except (OSError, AttributeError) as error:
        raise LibraryError(
            f"cannot load libgsym: {error}; the environment variable "
            "GSYM_LIBRARY names its file"
        ) from error
    return library


@functools.lru_cache(maxsize=None)
def load_demangle() -> Any:
    """gsym_demangle_copy of libgsym-demangle.  Raises LibraryError."""
    try:
        copy = _open("libgsym-demangle",
                     "GSYM_DEMANGLE_LIBRARY").gsym_demangle_copy
    except (OSError, AttributeError) as error:
        raise LibraryError(
            f"cannot load libgsym-demangle: {error}; the environment variable "
            "GSYM_DEMANGLE_LIBRARY names its file"
        ) from error
    copy.argtypes = [ctypes.c_uint, ctypes.c_char_p,
                     ctypes.POINTER(ctypes.c_void_p)]
    return copy
