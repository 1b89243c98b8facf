# SPDX-License-Identifier: MIT
"""The recipe of gsym for Conan 2: "conan create packaging/conan" builds and
tests a package of this tree, which "autogen.sh" has prepared."""
import os

from conan import ConanFile
from conan.tools.files import copy, rmdir
from conan.tools.gnu import (Autotools, AutotoolsDeps, AutotoolsToolchain,
                             PkgConfigDeps)
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class GsymConan(ConanFile):
    name = "gsym"
    version = "1.0.0-rc1"
    description = ("Turns addresses into functions, files, lines and inlined "
                   "calls")
    license = "MIT"
    url = "https://example.invalid/gsym"
    homepage = "https://example.invalid/gsym"
    topics = ("gsym", "dwarf", "symbolization", "debugging")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False],
               "convert": [True, False]}
    default_options = {"shared": False, "fPIC": True, "convert": True}
    languages = "C"

    def validate(self):
        if self.settings.os == "Windows":
            from conan.errors import ConanInvalidConfiguration
            raise ConanInvalidConfiguration("gsym's build needs a shell")

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("configure*", "Makefile.*", "aclocal.m4", "config.h.in",
                        "LICENSE", "NEWS", "README.md", "m4/*", "build-aux/*",
                        "libgsym/*", "tools/*", "man/*", "completions/*",
                        "tests/*", "examples/*", "bench/*", "doc/*",
                        "debian/*", "packaging/*", "python/*", "go/*",
                        "testdata/*", "CONTRIBUTING.md", "SECURITY.md",
                        "autogen.sh", "quickstart"):
            copy(self, pattern, top, self.export_sources_folder)

    def requirements(self):
        self.requires("xxhash/[>=0.8 <1]")
        if self.options.convert:
            self.requires("zlib/[>=1.2.11 <2]")
            self.requires("libdeflate/[>=1.14 <2]")
            self.requires("zstd/[>=1.5 <2]")
            self.requires("xz_utils/[>=5.4 <6]")
            self.requires("libyaml/[>=0.2.5 <1]")

    def build_requirements(self):
        if not self.conf.get("tools.gnu:pkg_config", check_type=str):
            self.tool_requires("pkgconf/[>=2.2 <3]")

    def layout(self):
        basic_layout(self)

    def generate(self):
        toolchain = AutotoolsToolchain(self)
        if not self.options.convert:
            toolchain.configure_args.append("--disable-convert")
        toolchain.generate()
        PkgConfigDeps(self).generate()
        # For xxhash.h, which is found without pkg-config.
        AutotoolsDeps(self).generate()

    def build(self):
        autotools = Autotools(self)
        autotools.configure()
        autotools.make()

    def package(self):
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))
        Autotools(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "gsym")
        reader = self.cpp_info.components["gsym"]
        reader.libs = ["gsym"]
        reader.requires = ["xxhash::xxhash"]
        demangle = self.cpp_info.components["gsym-demangle"]
        demangle.libs = ["gsym-demangle"]
        xray = self.cpp_info.components["gsym-xray"]
        xray.libs = ["gsym-xray"]
        xray.requires = ["gsym"]
        names = ["gsym", "gsym-demangle", "gsym-xray"]
        if self.options.convert:
            convert = self.cpp_info.components["gsym-convert"]
            convert.libs = ["gsym-convert"]
            convert.requires = ["gsym", "zlib::zlib", "zstd::zstd",
                                "libdeflate::libdeflate",
                                "xz_utils::xz_utils", "libyaml::libyaml"]
            names.append("gsym-convert")
        for name in names:
            component = self.cpp_info.components[name]
            component.set_property("pkg_config_name", name)
            component.set_property("cmake_target_name", f"gsym::{name}")
            if self.settings.os in ("Linux", "FreeBSD"):
                component.system_libs = ["pthread"]
