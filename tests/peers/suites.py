# SPDX-License-Identifier: MIT
"""The suites: which checkout each needs, and how it is run."""

import glob
import os
import shutil

import lit


def system_tools():
    """Folders of the newest LLVM of the system that has each tool."""
    folders = glob.glob("/usr/lib/llvm-[0-9]*/bin")
    return sorted(folders, key=lambda f: -int(f.split("-")[1].split("/")[0]))


class Llvm:
    folder = "llvm-project"
    source = "github.com/llvm/llvm-project"
    # What neither the machine nor our programs have.
    refused = ["system-windows", "diasdk", "darwin", "asserts", "debuginfod"]

    @staticmethod
    def environments(work, options):
        """With our programs before LLVM's in the PATH, the same with another
        FileCheck, and without both."""
        bin_ = os.path.join(work, "bin")
        os.mkdir(bin_)
        for name in ("llvm-symbolizer", "llvm-addr2line"):
            os.symlink(f"{options.build}/gsym-lookup", f"{bin_}/{name}")
        for name in ("llvm-gsymutil", "llvm-xray"):
            os.symlink(f"{options.here}/{name}", f"{bin_}/{name}")
        path = os.pathsep.join(options.tools + [os.environ["PATH"]])
        environment = {
            "PATH": path, "HOME": work, "XDG_CACHE_HOME": f"{work}/cache",
            "LC_ALL": "C", "GSYM_BUILD": options.build,
            "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
        }
        for name, program in (("GSYMUTIL", "llvm-gsymutil"),
                              ("FILECHECK", "FileCheck")):
            environment[name] = shutil.which(program, path=path) or "false"
        return [dict(environment, PATH=os.pathsep.join(folders + [path]))
                for folders in ([bin_], [bin_, f"{options.here}/loose"], [])]

    def run(self, checkout, work, options, judge):
        environments = self.environments(work, options)
        for path, name in lit.find(checkout):
            if options.only not in name:
                continue
            for line in lit.run_test(path, name, f"{work}/t", environments,
                                     self.refused):
                judge.result(self.group(line), line.name, line.status,
                             f"{line.command}\n{line.said}")

    @staticmethod
    def group(line):
        for folder in lit.FOLDERS:
            if line.test.startswith(folder + "/"):
                return folder
        return line.test


SUITES = {"llvm": Llvm()}
