# SPDX-License-Identifier: MIT
"""Puts the libraries into a wheel.

Without the environment variable GSYM_WHEEL_LIBRARIES the wheel is of Python
alone, and takes the libraries of the system.  The variable names a folder with
libgsym.so.0 and, as a rule, libgsym-demangle.so.0: the folder .libs of a build,
or the one of "make install".  Both need the C library alone.
"""

import os
import re
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Libraries(BuildHookInterface):
    """Adds the libraries as gsym/lib, where gsym._library looks."""

    def initialize(self, version, build_data):
        """Called by hatchling before it writes a wheel."""
        folder = os.environ.get("GSYM_WHEEL_LIBRARIES")
        if not folder:
            return
        for name, needed in (("libgsym.so.0", True),
                             ("libgsym-demangle.so.0", False)):
            path = os.path.realpath(os.path.join(folder, name))
            if os.path.exists(path):
                build_data["force_include"][path] = f"gsym/lib/{name}"
            elif needed:
                raise FileNotFoundError(
                    f"GSYM_WHEEL_LIBRARIES: there is no {name} in {folder}")
        # ctypes serves every version of Python, but the libraries one system.
        system = re.sub(r"[-.]", "_", sysconfig.get_platform())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{system}"
