# SPDX-License-Identifier: MIT
# Find the programs that a test needs, or skip the test and say how to get what
# is missing.  Scripts of all folders read this file.

skip()
{
	echo "skipped: $*"
	exit 77
}

# Skip the test unless the program $1 is installed.  $2: Debian's package with
# the program, if it is not in the list below.
need()
{
	command -v "$1" >/dev/null 2>&1 && return
	case $1 in
	ar | nm | objcopy | objdump | readelf | strip) package=binutils ;;
	autoreconf) package='autoconf, automake, libtool' ;;
	go) package='golang-go; go.dev has newer ones' ;;
	musl-gcc) package=musl-tools ;;
	pkg-config) package=pkgconf ;;
	script) package=bsdutils ;;
	xz) package=xz-utils ;;
	*) package=$1 ;;
	esac
	skip "$1 is not installed (Debian: ${2:-$package})"
}

# Print the path of the newest program $1 of LLVM, such as llvm-symbolizer-22 or
# llvm-symbolizer, whose version is $2 (16, if not given) or later.  Fails if
# there is none.
llvm_tool()
(
	best='' newest=$((${2:-16} - 1))
	IFS=:
	for folder in $PATH; do
		for path in "$folder/$1" "$folder/$1"-[0-9]*; do
			[ -x "$path" ] || continue
			version=$("$path" --version 2>/dev/null |
				sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
			[ "${version:-0}" -gt "$newest" ] || continue
			best=$path newest=$version
		done
	done
	[ -n "$best" ] && echo "$best"
)

# Set the variable llvm to the program that llvm_tool prints for "$@", or skip
# the test.
need_llvm()
{
	llvm=$(llvm_tool "$@") && return
	case ${2:-16} in
	16 | 17 | 18 | 19) package=llvm-19 ;;
	*)
		suite=$(. /etc/os-release && echo "$VERSION_CODENAME")-security
		package="llvm-$2, in the security archive, suite $suite"
		;;
	esac
	skip "there is no $1 of LLVM ${2:-16} or later (Debian: $package)"
}

# Set ZIG to the program zig: what the variable names already, or that of PATH,
# or what pip installs in the folder $1.  Fails if there is none; $1.log says
# why.
find_zig()
{
	ZIG=${ZIG:-$(command -v zig)} || ZIG=$1/ziglang/zig
	export ZIG
	# Several tests may want it at once.
	[ -x "$ZIG" ] || (
		flock 9 2>/dev/null
		[ ! -x "$ZIG" ] || exit 0
		rm -rf "$1.new"
		python3 -m pip install -q --timeout 10 --retries 1 \
			--target "$1.new" ziglang==0.17.1 >"$1.log" 2>&1 &&
			mv "$1.new" "$1"
	) 9>"$1.lock"
}

# Make the folder $1 of programs that stand for those of the build in the folder
# $build, but with answers of gsym-lookup that are wrong: sed changes them by the
# script $2, or else their lines.
wrong_tools()
{
	script=${2:-'s/"line":/"line":7/'}
	mkdir "$1"
	ln -s "$build/gsym-create" "$1/gsym-create"
	cat >"$1/gsym-lookup" <<END
#!/bin/sh
"$build/gsym-lookup" "\$@" | sed '$script'
END
	chmod +x "$1/gsym-lookup"
}

# For a script that tries how many files a change takes: copy libgsym
# and the folders $3... of tools to $tmp/libgsym and $tmp/tools, and apply
# tests/fence/$1.patch there, which may touch $2 files.  Sets tmp and source.
patched_copy()
{
	need patch
	[ -z "${GSYM_SANITIZE:-}" ] || skip 'the libraries need the sanitizer'
	[ -e .libs/libtools.a ] && [ -e .libs/libgsym-convert.a ] ||
		skip 'the build has no static libraries of the converter'
	source=$(cd "$top_srcdir" && pwd)
	patch=$source/tests/fence/$1.patch most=$2
	shift 2
	tmp=$(mktemp -d) || exit 99
	trap 'rm -rf "$tmp"' EXIT
	files=$(grep -c '^+++ ' "$patch")
	[ "$files" -le "$most" ] || fail "${patch##*/} takes $files files"
	mkdir "$tmp/tools" && cp -r "$source/libgsym" "$tmp" || exit 99
	for folder; do
		cp -r "$source/tools/$folder" "$tmp/tools" || exit 99
	done
	chmod -R u+w "$tmp"
	# What a build in the source folder has made, too.
	find "$tmp" -name '*_files.c' -exec rm {} + || exit 99
	patch -s -p1 -d "$tmp" <"$patch" ||
		fail "${patch##*/} does not apply: adapt it to the change"
}
