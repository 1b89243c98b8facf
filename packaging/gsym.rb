# SPDX-License-Identifier: MIT
# For a tap: put in the address and the checksum of the release's archive.
class Gsym < Formula
  desc "Turn addresses into functions, files, lines and inlined calls"
  homepage "https://example.invalid/gsym"
  url "file:///gsym-1.0.0-rc1.tar.xz"
  version "1.0.0-rc1"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "binutils" # libiberty, which makes names readable
  depends_on "dwarfutils"
  depends_on "isa-l"
  depends_on "libdeflate"
  depends_on "libyaml"
  depends_on "nettle"
  depends_on "xxhash"
  depends_on "xz"
  depends_on "zstd"

  # There is none for macOS.
  on_linux do
    depends_on "elfutils"
  end

  def install
    system "./configure", *std_configure_args
    system "make", "install"
  end

  test do
    (testpath/"main.c").write "int main(void) { return 0; }\n"
    system ENV.cc, "-g", "main.c", "-o", "main"
    system bin/"gsym-create", "-q", "-o", "main.gsym", "main"
    assert_match "functions", shell_output("#{bin}/gsym-dump --statistics main.gsym")
  end
end
