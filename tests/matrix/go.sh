#!/bin/sh
# SPDX-License-Identifier: MIT
# Go programs without DWARF: what gsym-create reads from their tables is
# compared with go tool addr2line, and with the DWARF of twins that were built
# with DWARF (compare_go.py).
here=$(cd "$(dirname "$0")" && pwd)
usage()
{
	cat <<'END'
usage: tests/matrix/go.sh [OPTION...] [GOROOT...]

Build a program for several targets with each Go toolchain, twice: without
symbols and DWARF, and with them.  Convert the first, and compare what
gsym-lookup says at the start and the end of every row, call and function with
go tool addr2line and llvm-symbolizer on the second.  Without GOROOT the
toolchain is the go on PATH; all need the go on PATH for its addr2line.

  --targets=LIST     GOOS/GOARCH[/pie], separated by commas (default:
                     linux/amd64, linux/s390x; "all": sixteen)
  --package=PACKAGE  what to build (default: the sample program of
                     testdata/go/src; cmd/gofmt, cmd/go, cmd/compile)
  --file=PROGRAM     compare this program with addr2line alone (repeatable)
  --twin             the programs of --file have DWARF: compare with that, too
  --old              and Go 1.10 or older made them
  --help             this

A toolchain of another release as a Go module, from 1.2.2 on, here into the
module cache, from which it has to be copied where it can be made executable:
  go mod download golang.org/toolchain@v0.0.1-go1.24.10.linux-amd64

Programs that nobody here built:
  npm pack @esbuild/linux-x64@0.25.12 && tar xzf esbuild-linux-x64-0.25.12.tgz
  tests/matrix/go.sh --file=package/bin/esbuild
  npm pack pbf2json@4.1.0 && tar xzf pbf2json-4.1.0.tgz
  tests/matrix/go.sh --old --twin \
    --file=package/build/pbf2json.linux-arm        # Go 1.6

The environment: top_builddir (default .) has the tools; KEEP=folder keeps the
programs.  Needs python3, llvm-symbolizer and go; exit status 77 without them.
END
}
targets=linux/amd64,linux/s390x
package=
files=
twin=
old=
roots=
for option; do
	case $option in
	--targets=all)
		targets=linux/amd64,linux/amd64/pie,linux/386,linux/arm64
		targets=$targets,linux/arm,linux/s390x,linux/ppc64,linux/mips
		targets=$targets,linux/riscv64
		targets=$targets,darwin/amd64,darwin/arm64,windows/amd64
		targets=$targets,windows/386,windows/arm64,plan9/amd64
		targets=$targets,plan9/386
		;;
	--targets=*) targets=${option#*=} ;;
	--package=*) package=${option#*=} ;;
	--file=*) files="$files ${option#*=}" ;;
	--twin) twin=yes ;;
	--old) old=--few-inlines ;;
	--help) usage; exit 0 ;;
	-*) usage >&2; exit 2 ;;
	*) roots="$roots $option" ;;
	esac
done
. "$here/lib.sh"
dump=${GSYM_DUMP:-$build/gsym-dump}
[ -x "$dump" ] || skip "$dump was not built"
need go
case $(go version 2>/dev/null) in
*' go1.1'[0-9].* | *' go1.'[0-9].*) skip 'go is older than 1.20 (go.dev has newer ones)' ;;
*' go1.'*) ;;
*) skip "go does not work" ;;
esac
GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOENV=off
GOCACHE=${GOCACHE:-$(go env GOCACHE)}
export GOTOOLCHAIN CGO_ENABLED GOFLAGS GOWORK GOENV GOCACHE
addr2line=$(GOROOT='' go env GOROOT)/bin/go
[ -x "$addr2line" ] || addr2line=go

# $1: name of the case; $2: size of an instruction; then the programs and
# options.
try()
{
	case=$1 step=$2
	shift 2
	cases=$((cases + 1))
	if "$here/compare_go.py" --create "$create" --lookup "$lookup" \
		--dump "$dump" --symbolizer "$symbolizer" --step "$step" \
		--addr2line "$addr2line tool addr2line" "$@" \
		>"$work/said" 2>&1; then
		echo "ok   $case: $(tail -n 1 "$work/said")"
		[ -z "${VERBOSE:-}" ] || sed '$d' "$work/said"
	else
		echo "FAIL $case"
		cat "$work/said"
		failed=$((failed + 1))
	fi
}

step_of()
{
	case $1 in
	*s390x* | *riscv*) echo 2 ;;
	*arm* | *mips* | *ppc64* | *loong*) echo 4 ;;
	*) echo 1 ;;
	esac
}

# Build with the toolchain at $1 for the target $2.
judge_target()
{
	GOROOT=$1 GOOS=${2%%/*} GOARCH=${2#*/} mode=
	case $GOARCH in
	*/pie) GOARCH=${GOARCH%/pie} mode=-buildmode=pie ;;
	esac
	release=$(cut -d' ' -f1 "$GOROOT/VERSION" | head -n 1)
	name="$work/$release-$(echo "$2" | tr / -)"
	more=
	GO111MODULE=
	dwarf=-ldflags=-compressdwarf=false
	case $release in
	go1.[2-9] | go1.[2-9].* | go1.10 | go1.10.*)
		more=--few-inlines GO111MODULE=off dwarf= ;;
	go1.1[1-5] | go1.1[1-5].*) GO111MODULE=off ;;
	esac
	source=$package
	[ -n "$source" ] || source=.
	# Options are none, or single words.
	# shellcheck disable=SC2086
	if (
		export GOROOT GOOS GOARCH GO111MODULE
		if [ -z "$package" ]; then
			cp -r "${top_srcdir:-$here/../..}/testdata/go/src" \
				"$name.src" && cd "$name.src" || exit 1
		else
			cd "$GOROOT/src" || exit 1
		fi
		"$GOROOT/bin/go" build $mode -ldflags='-s -w' -o "$name" \
			"$source" &&
			"$GOROOT/bin/go" build $mode $dwarf \
				-o "$name.twin" "$source"
	) >"$work/said" 2>&1; then
		# Programs for Plan 9 have no DWARF.  The DWARF of Go 1.2 has
		# lines of C and assembly at other instructions than the table.
		case $GOOS/$release in
		plan9/* | */go1.2 | */go1.2.*) more="$more --no-dwarf" ;;
		esac
		# shellcheck disable=SC2086
		try "$release $2" "$(step_of "$GOARCH")" $more "$name" \
			"$name.twin"
	else
		refuse "$release $2: $(grep -v '^#' "$work/said" | head -n 1)"
	fi
	[ -n "${KEEP:-}" ] || rm -rf "$name" "$name.twin" "$name.src"
}

case $work in
/*) ;;
*) work=$(pwd)/$work ;;
esac
for file in $files; do
	# shellcheck disable=SC2086
	try "$file" "$(step_of "$file")" $old "$file" ${twin:+"$file"}
done
[ -n "$roots$files" ] || roots=$(go env GOROOT)
for root in $roots; do
	for target in $(echo "$targets" | tr , ' '); do
		judge_target "$root" "$target"
	done
done
finish
