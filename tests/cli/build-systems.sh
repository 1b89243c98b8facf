#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of build systems, from a fresh copy, twice: the second build makes
# nothing.  CMake is tried by tests/fence/install.sh.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
examples=$top_srcdir/examples/build

# Build twice in a copy with the command $2...; $1 is its name.
twice()
{
	name=$1
	shift
	if ! command -v "$name" >/dev/null; then
		part_skipped "$name" "$name is not installed (Debian: make, ninja-build, cmake)"
		return
	fi
	mkdir "$name"
	cp "$examples"/* "$name"
	(cd "$name" && env -u MAKEFLAGS "$@") >log 2>&1 || fail "$name: $(cat log)"
	gsym-dump --statistics "$name/prog.gsym" >/dev/null ||
		fail "$name: no symbols"
	stat -c %y "$name/prog.gsym" >before
	(cd "$name" && env -u MAKEFLAGS "$@") >log 2>&1 ||
		fail "$name again: $(cat log)"
	stat -c %y "$name/prog.gsym" | cmp -s - before ||
		fail "$name: the second build makes symbols"
	part_passed "$name"
}
twice make make
twice ninja ninja

if command -v cargo >/dev/null; then
	mkdir -p crate/src
	printf '[package]\nname = "prog"\nversion = "0.1.0"\nedition = "2021"\n' \
		>crate/Cargo.toml
	echo 'fn main() {}' >crate/src/main.rs
	for round in first second; do
		(cd crate && CARGO_NET_OFFLINE=true "$examples/cargo-gsym" gsym) \
			>log 2>&1 || fail "cargo, $round: $(cat log)"
		stat -c %y crate/target/debug/prog.gsym >"$round" ||
			fail "cargo: $(cat log)"
	done
	cmp first second || fail 'cargo: the second build makes symbols'
	part_passed cargo
else
	part_skipped cargo 'cargo is not installed (Debian: cargo)'
fi
parts_finish
