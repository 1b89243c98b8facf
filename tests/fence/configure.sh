#!/bin/sh
# SPDX-License-Identifier: MIT
# configure ends with a summary of the libraries, and its message about a missing
# one names the packages of Debian, Fedora and Homebrew.
set -u
cd "${top_builddir:?}" && : "${top_srcdir:?}" || exit 99
. "$top_srcdir/tests/support/tools.sh"
need pkg-config
top_srcdir=$(cd "$top_srcdir" && pwd) || exit 99
[ ! -e "$top_srcdir/config.status" ] ||
	skip "the source folder is configured itself (make distclean there)"
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS CC
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
mkdir "$tmp/build" && cd "$tmp/build" || exit 99
bad=0
real=$(command -v pkg-config)

# A pkg-config that finds none of the libraries in $ABSENT.
cat >"$tmp/pkg-config" <<END
#!/bin/sh
for argument; do
	case " \$ABSENT " in *" \${argument%% *} "*) exit 1 ;; esac
done
exec "$real" "\$@"
END
chmod +x "$tmp/pkg-config"

# $1: what configure is told to miss; $2: the arguments; the rest: texts that it
# has to print.
try()
{
	ABSENT=$1
	export ABSENT
	arguments=$2
	shift 2
	# shellcheck disable=SC2086
	"$top_srcdir/configure" -q PKG_CONFIG="$tmp/pkg-config" $arguments \
		>log 2>&1
	for text; do
		grep -Fq -e "$text" log || {
			echo "configure, without $ABSENT $arguments: not printed:"
			echo "  $text"
			tail -n 20 log
			bad=1
		}
	done
}

try 'libdeflate libisal libzstd liblzma yaml-0.1 nettle criterion' \
	'--cache-file=cache ac_cv_header_libiberty_demangle_h=no gsym_cv_dwarf_flags=no' \
	'is configured:' \
	'  conversion: yes: libgsym-convert and gsym-create are built' \
	'  XRay traces: yes: libgsym-xray and gsym-xray are built' \
	'  libdeflate: no; without: zlib sections take twice the time (Debian: libdeflate-dev, Fedora: libdeflate-devel, Homebrew: libdeflate)' \
	'  libisal: no; without: C++ with zlib sections takes twice the memory (Debian: libisal-dev, Fedora: isa-l-devel, Homebrew: isa-l)' \
	'  libzstd: no; without: ' \
	'(Debian: libzstd-dev, Fedora: libzstd-devel, Homebrew: zstd)' \
	'  liblzma: no; without: ' \
	'(Debian: liblzma-dev, Fedora: xz-devel, Homebrew: xz)' \
	'  libyaml: no; without: gsym-create has no --callsites-yaml-file' \
	'(Debian: libyaml-dev, Fedora: libyaml-devel, Homebrew: libyaml)' \
	'  libdwarf: no; without: gsym-create has no second reader' \
	'(Debian: libdwarf-dev, Fedora: libdwarf-devel, Homebrew: dwarfutils)' \
	'  nettle: no; without: ' \
	'(Debian: nettle-dev, Fedora: nettle-devel, Homebrew: nettle)' \
	'  libiberty: no; without: ' \
	'(Debian: libiberty-dev, Fedora: binutils-devel, Homebrew: binutils)' \
	'  criterion: no; without: ' \
	'runs no unit tests (Debian: libcriterion-dev, Fedora: criterion-devel, Homebrew: criterion)'
# Without what cannot be left out, configure fails.
try zlib '' \
	'zlib is missing (Debian: zlib1g-dev, Fedora: zlib-devel, Homebrew: zlib)' \
	'--disable-convert builds what needs none'
try '' ac_cv_header_xxhash_h=no \
	'xxhash.h is missing (Debian: libxxhash-dev, Fedora: xxhash-devel, Homebrew: xxhash)'
# For another machine pkg-config of this one is not asked, unless it is told
# where to look.
host="--host=$(gcc -dumpmachine | sed 's/-.*//')-other-linux-gnu CC=gcc"
# shellcheck disable=SC2086
"$top_srcdir/configure" -q $host >log 2>&1 && bad=1
grep -q 'is for this machine, and is not asked' log &&
	grep -q 'zlib is missing' log || {
	cat log
	echo "configure asks this machine's pkg-config for another one"
	bad=1
}
# shellcheck disable=SC2086
PKG_CONFIG_LIBDIR=$tmp/nowhere "$top_srcdir/configure" -q $host >log 2>&1 &&
	bad=1
grep -q 'is not asked' log && {
	echo "configure ignores PKG_CONFIG_LIBDIR"
	bad=1
}
# Headers and pages of what is not built are not installed.  $1: a switch of
# configure; $2: what it prints; $3: an expression for names that are installed;
# $4: one for those that are not.
installs()
{
	"$top_srcdir/configure" -q "$1" >log 2>&1 || bad=1
	grep -Fq "  XRay traces: $2" log || {
		cat log
		echo "configure $1 does not print '$2'"
		bad=1
	}
	make -n install-man install-gsymincludeHEADERS install-pkgconfigDATA \
		>log 2>&1 || bad=1
	for name in gsym-lookup.1 types.h gsym.pc $3; do
		grep -qF "$name" log || {
			echo "$1: $name is not installed"
			bad=1
		}
	done
	for name in $4; do
		! grep -F "$name" log || {
			echo "$1: $name is installed"
			bad=1
		}
	done
}
installs --disable-convert \
	'libgsym-xray is built; the tool needs conversion' \
	'libgsym-xray.3 xray.h gsym-xray.pc' \
	'gsym-create.1 gsym-xray.1 convert.h gsym-convert.pc'
installs --disable-xray 'no, as asked' \
	'gsym-create.1 convert.h gsym-convert.pc' \
	'gsym-xray.1 libgsym-xray.3 xray.h gsym-xray.pc'
# A folder with a blank, which make cannot handle.
mkdir 'a blank' && cd 'a blank' || exit 99
"$top_srcdir/configure" >log 2>&1 && bad=1
grep -q 'has a blank' log || {
	cat log
	bad=1
}
exit $bad
