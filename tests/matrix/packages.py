# SPDX-License-Identifier: MIT
"""Bring packages with programs into a folder, for the script distribution.

fetch(package, folder, limit) downloads one package with its package manager,
which knows its source, and unpacks it.  A package is written as

    deb:NAME[:ARCHITECTURE][/SUITE]     apt-get download
    wheel:NAME[@PLATFORM]               pip download
    npm:NAME                            npm pack
    maven:GROUP:ARTIFACT:VERSION[:PACKAGING:CLASSIFIER]     mvn dependency:copy
    crate:NAME                          cargo install, with debug info
    go:MODULE[@VERSION]                 go install
    build:COMMAND                       a command of the shell, in this folder;
                                        it writes $OUT, or files beside it
    path:PATH                           a file or folder of this machine

Nothing is installed outside the folder.
"""

import glob
import os
import re
import shlex
import shutil
import subprocess
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Missing(Exception):
    """A package that cannot be had here, and why."""


def run(command, timeout=1800, **options):
    """Run COMMAND and return what it prints."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=timeout, check=False, text=True,
                              errors="replace", **options)
    except FileNotFoundError as error:
        raise Missing(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise Missing(f"{command[0]}: no end in {timeout} s") from error
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        raise Missing(f"{command[0]}: " + (lines[-1][:200] if lines else
                                           f"exit status {done.returncode}"))
    return done.stdout


def need_room(size, limit, what):
    if size > limit:
        raise Missing(f"{what} needs {size >> 20} MiB, which is more than "
                      f"{limit >> 20} MiB")


# ------------------------------------------------------------------- archives

def unpack(archive, folder, limit):
    """Unpack a .deb, zip or tar file, if its contents fit into LIMIT bytes."""
    if archive.endswith(".deb"):
        size = int(run(["dpkg-deb", "-f", archive, "Installed-Size"]) or 0)
        need_room(size << 10, limit, os.path.basename(archive))
        run(["dpkg-deb", "-x", archive, folder])
    elif zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            need_room(sum(i.file_size for i in opened.infolist()), limit,
                      os.path.basename(archive))
            opened.extractall(folder)
    elif tarfile.is_tarfile(archive):
        with tarfile.open(archive) as opened:
            members = [m for m in opened.getmembers() if m.isfile()]
            need_room(sum(m.size for m in members), limit,
                      os.path.basename(archive))
            opened.extractall(folder, members, filter="data")
    else:
        return
    os.remove(archive)


def unpack_all(folder, limit):
    for archive in sorted(os.listdir(folder)):
        path = os.path.join(folder, archive)
        if os.path.isfile(path):
            unpack(path, folder, limit)


# ------------------------------------------------------------------------ apt

class Apt:
    """apt-get with lists of its own, for all architectures and suites."""

    def __init__(self, folder, packages):
        self.folder = folder
        self.config = os.path.join(folder, "apt.conf")
        names = [p[4:] for p in packages if p.startswith("deb:")]
        own = run(["dpkg", "--print-architecture"]).strip()
        self.architectures = [own] + sorted(
            {n.split("/")[0].split(":")[1] for n in names if ":" in n} - {own})
        self.suites = sorted({n.split("/")[1] for n in names if "/" in n})

    def sources(self):
        """The Debian sources of this system, and the same for other suites."""
        with open("/etc/os-release", encoding="utf-8") as stream:
            suite = re.search("VERSION_CODENAME=(.*)", stream.read()).group(1)
        for path in sorted(glob.glob("/etc/apt/sources.list") +
                           glob.glob("/etc/apt/sources.list.d/*.list") +
                           glob.glob("/etc/apt/sources.list.d/*.sources")):
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
            for name in [suite] + self.suites:
                if suite in text:
                    yield f"{name}-{os.path.basename(path)}", text.replace(
                        suite, name)

    def settings(self):
        return (f'Dir::State "{self.folder}/";\n'
                f'Dir::State::status "{self.folder}/status";\n'
                f'Dir::Cache "{self.folder}/cache";\n'
                # Images of containers often switch these off.
                'Dir::Cache::pkgcache "pkgcache.bin";\n'
                'Dir::Cache::srcpkgcache "srcpkgcache.bin";\n'
                'Dir::Etc::sourcelist "/dev/null";\n'
                f'Dir::Etc::sourceparts "{self.folder}/parts";\n'
                f'APT::Architecture "{self.architectures[0]}";\n'
                'APT::Architectures { ' +
                " ".join(f'"{a}";' for a in self.architectures) + ' };\n'
                'APT::Sandbox::User "";\nAcquire::Languages "none";\n'
                f'# {" ".join(self.suites)}\n')

    def prepare(self):
        """Read the lists of packages, unless a run with the same packages did."""
        if os.path.exists(self.config):
            with open(self.config, encoding="utf-8") as stream:
                if stream.read() == self.settings():
                    return
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("lists/partial", "cache/archives/partial", "parts"):
            os.makedirs(os.path.join(self.folder, part))
        texts = {os.path.join("parts", name): text
                 for name, text in self.sources()}
        texts.update({"status": "", "apt.conf.new": self.settings()})
        for name, text in texts.items():
            with open(os.path.join(self.folder, name), "w",
                      encoding="utf-8") as stream:
                stream.write(text)
        # Lists of some architectures may fail: the others count.
        subprocess.run(["apt-get", "-c", self.config + ".new", "update"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        os.rename(self.config + ".new", self.config)

    def fetch(self, name, folder, limit):
        self.prepare()
        shown = run(["apt-get", "-c", self.config, "download", "--print-uris",
                     name])
        need_room(int(shown.split("'")[-1].split()[1]), limit, name)
        run(["apt-get", "-c", self.config, "download", name], cwd=folder)
        unpack_all(folder, limit)


# --------------------------------------------------------------------- others

def fetch_wheel(name, folder, limit):
    name, _, platform = name.partition("@")
    run(["python3", "-m", "pip", "download", "--quiet", "--no-deps",
         "--only-binary=:all:", "-d", folder, name] +
        (["--platform", platform] if platform else []))
    unpack_all(folder, limit)


def fetch_npm(name, folder, limit):
    run(["npm", "pack", "--silent", "--pack-destination", folder, name])
    unpack_all(folder, limit)


def fetch_maven(name, folder, limit):
    run(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={name}",
         f"-DoutputDirectory={folder}",
         f"-Dmaven.repo.local={os.path.dirname(folder)}/maven"])
    unpack_all(folder, limit)


def fetch_crate(name, folder, limit):
    run(["cargo", "install", "--quiet", "--debug", "--locked", "--root", folder,
         "--target-dir", folder + "/target", name],
        env={**os.environ, "CARGO_HOME": folder + "/home"})
    shutil.rmtree(folder + "/target", ignore_errors=True)
    shutil.rmtree(folder + "/home", ignore_errors=True)


def fetch_go(name, folder, limit):
    run(["go", "install", name if "@" in name else name + "@latest"],
        env={**os.environ, "GOBIN": folder, "GOFLAGS": "-modcacherw",
             "GOCACHE": folder + "/cache", "GOPATH": folder + "/path"})
    shutil.rmtree(folder + "/cache", ignore_errors=True)
    shutil.rmtree(folder + "/path", ignore_errors=True)


def fetch_build(command, folder, limit):
    program = next(w for w in shlex.split(command) if "=" not in w)
    if not shutil.which(program):
        raise Missing(f"{program} is not installed")
    run(["sh", "-c", command], cwd=HERE,
        env={**os.environ, "OUT": os.path.join(folder, "out")})


def fetch_path(path, folder, limit):
    if not os.path.exists(path):
        raise Missing("there is no such file")
    if os.path.isdir(path):
        os.symlink(os.path.abspath(path), os.path.join(folder, "path"))
    else:
        shutil.copy(path, folder)


KINDS = {"wheel": fetch_wheel, "npm": fetch_npm, "maven": fetch_maven,
         "crate": fetch_crate, "go": fetch_go, "build": fetch_build,
         "path": fetch_path}


def fetch(package, folder, limit, apt):
    """Bring PACKAGE into FOLDER; Missing if that is not possible."""
    kind, _, name = package.partition(":")
    if kind == "deb":
        apt.fetch(name, folder, limit)
    elif kind in KINDS:
        KINDS[kind](name.strip(), folder, limit)
    else:
        raise Missing(f"no kind of package is called {kind}")
