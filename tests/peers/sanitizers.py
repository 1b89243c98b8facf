# SPDX-License-Identifier: MIT
"""Tests of the sanitizers in compiler-rt that expect symbolized frames, with
our program as their symbolizer.  The programs of the tests are compiled with
clang, whose runtimes are taken as they are."""

import glob
import os
import re
import shutil

import lit

COMMON = "-fno-omit-frame-pointer -fno-optimize-sibling-calls " \
         "-gline-tables-only"
FLAGS = {
    "asan": "-fsanitize=address -mno-omit-leaf-frame-pointer",
    "ubsan": "",
}
# A check of a file and its line, or of a numbered frame with a function.
PLACE = re.compile(r"CHECK\S*:.*(\.(c|cpp|h|mm?)(:|\}\}:)"
                   r"|#\d+ .*\bin \w|#\d+ .*\{\{.*\}\}.*:\[\[)")


def substitute(command, path, scratch, folder):
    """COMMAND of a test in FOLDER, or None if it has a word that is not
    known."""
    flags = f"{FLAGS[folder]} {COMMON}"
    for language, compiler in (("clangxx", "clang++"), ("clang", "clang")):
        command = re.sub(rf"%{language}(_{folder})?(_static)?(?![\w])",
                         f"{compiler} {flags}", command)
    command = re.sub(r"%env_(\w+)_opts=(\S*)",
                     lambda m: f"env {m[1].upper()}_OPTIONS={m[2]}", command)
    command = re.sub(r"%if MSVC %\{.*?%\} %else %\{(.*?)%\}", r"\1", command)
    command = command.replace("%os", "Linux")
    command = re.sub(r"%run\b|%stdcxx11|%pie|%no_pie|%libdl_flag", "", command)
    command = lit.substitute(command, path, scratch)
    return None if re.search(r"%[a-zA-Z{]", command) else command


class CompilerRt:
    folder = "llvm-project/compiler-rt"
    source = "github.com/llvm/llvm-project"

    @staticmethod
    def environment(work, options, symbolizer):
        path = os.pathsep.join(options.tools + [os.environ["PATH"]])
        environment = {"PATH": path, "HOME": work, "LC_ALL": "C",
                       "XDG_CACHE_HOME": f"{work}/cache"}
        for name in ("ASAN", "LSAN", "UBSAN"):
            environment[f"{name}_SYMBOLIZER_PATH"] = symbolizer
        return environment

    def run(self, checkout, work, options, judge):
        ours = f"{work}/llvm-symbolizer"
        os.symlink(f"{options.build}/gsym-lookup", ours)
        path = os.pathsep.join(options.tools + [os.environ["PATH"]])
        real = shutil.which("llvm-symbolizer", path=path) or "false"
        environments = [self.environment(work, options, s)
                        for s in (ours, real)]
        for folder in FLAGS:
            for test in sorted(glob.glob(
                    f"{checkout}/test/{folder}/TestCases/**/*.c*",
                    recursive=True)):
                name = os.path.relpath(test, checkout)
                if options.only in name:
                    self.run_test(test, name, folder, work, environments,
                                  judge)

    @staticmethod
    def run_test(path, name, folder, work, environments, judge):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if not PLACE.search(text) or "RUN:" not in text:
            return
        scratch = f"{work}/{name.replace('/', '-')}"
        os.mkdir(scratch)
        for line in lit.read_lines(path, name)[0]:
            command = substitute(line.command, path, scratch, folder)
            if not command:
                status, said = "not run", line.command
            else:
                status, said = lit.run_command(command, scratch,
                                               environments[0])
            if status == "failed":
                theirs = lit.run_command(command, scratch, environments[1])[0]
                status = "not run" if theirs == "failed" else status
            if lit.CHECKS.search(line.command):
                judge.result(f"compiler-rt/test/{folder}", line.name, status,
                             f"{command}\n{said}")
        shutil.rmtree(scratch)


SUITES = {"compiler-rt": CompilerRt()}
