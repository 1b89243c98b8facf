# SPDX-License-Identifier: MIT
"""Tests of the wheels: with the libraries inside, and without."""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import venv
import zipfile

import pytest

STORE = os.environ["GSYM_TEST_STORE"]
MANGLED, TWICE = os.environ["GSYM_TEST_MANGLED"].split()
LIBRARIES = os.path.dirname(os.environ["GSYM_LIBRARY"])
SOURCES = pathlib.Path(__file__).parents[1]

pytest.importorskip("hatchling")
pytest.importorskip("pip")


def pip(*arguments, **environment):
    """Run pip, without the network."""
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments],
                   check=True, env={**os.environ, "PIP_NO_INDEX": "1",
                                    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                                    **environment})


def build_wheel(folder, **environment):
    """Build from a copy of the sources in which nothing can be written, below
    a .gitignore like that of the project.  Returns the wheel's path."""
    sources = folder / "tree" / "python"
    shutil.copytree(SOURCES, sources, ignore=shutil.ignore_patterns(
        "__pycache__"))
    (folder / "tree" / ".git").mkdir()
    (folder / "tree" / ".gitignore").write_text("/gsym\n")
    before = tree_of(sources)
    for path in [*sources.rglob("*"), sources]:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        pip("wheel", "--no-build-isolation", "--no-deps",
            f"--wheel-dir={folder}", str(sources), **environment)
    finally:
        for path in [sources, *sources.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)
    # For root nothing is read-only.
    assert tree_of(sources) == before
    wheel, = glob.glob(str(folder / "*.whl"))
    return wheel


def tree_of(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_without_libraries(tmp_path):
    wheel = build_wheel(tmp_path, GSYM_WHEEL_LIBRARIES="")
    assert wheel.endswith("-py3-none-any.whl")
    modules = {path.name for path in (SOURCES / "gsym").glob("*.py")}
    assert {name[5:] for name in names_in(wheel) if name.startswith("gsym/")
            } == modules | {"py.typed"}


def test_with_libraries(tmp_path):
    """The wheel answers in a new environment, where it finds nothing but
    itself."""
    wheel = build_wheel(tmp_path, GSYM_WHEEL_LIBRARIES=LIBRARIES)
    assert "-py3-none-any" not in wheel
    assert "gsym/lib/libgsym.so.0" in names_in(wheel)
    readable = "gsym/lib/libgsym-demangle.so.0" in names_in(wheel)
    home = tmp_path / "environment"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", wheel)
    said = subprocess.run(
        [python, "-c", "import gsym, sys\n"
         "with gsym.Store([sys.argv[1]], demangle=bool(sys.argv[4])) as s:\n"
         "    print(s.lookup(sys.argv[2], int(sys.argv[3], 0))[0].function)",
         STORE, MANGLED, TWICE, "yes" if readable else ""],
        check=True, capture_output=True, text=True, cwd=tmp_path,
        env={"PATH": str(home / "bin")}).stdout
    assert said == ("app::twice(int)\n" if readable else "_ZN3app5twiceEi\n")


def test_no_library_to_put_in(tmp_path):
    with pytest.raises(subprocess.CalledProcessError):
        build_wheel(tmp_path, GSYM_WHEEL_LIBRARIES=str(tmp_path))
