#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of build systems, from a fresh copy, twice: the second build makes
# nothing.  CMake is tried by tests/fence/install.sh, and packages by
# build-packages.sh.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
examples=$top_srcdir/examples/build

# Build twice in a copy with the command $2...; $1 is its name.
twice()
{
	name=$1
	shift
	if ! command -v "$name" >/dev/null; then
		part_skipped "$name" "$name is not installed (Debian: make, ninja-build)"
		return
	fi
	mkdir "$name"
	cp "$examples/Makefile" "$examples/build.ninja" "$examples/prog.c" "$name"
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
	# Rust's library has debug info, the program has none.
	(cd crate && CARGO_NET_OFFLINE=true CARGO_PROFILE_RELEASE_STRIP=none \
		"$examples/cargo-gsym" gsym --release) >log 2>&1 &&
		fail 'cargo: a program without debug info'
	grep -q 'target/release/prog: its profile has no debug info' log ||
		fail "cargo: $(cat log)"
	part_passed cargo
else
	part_skipped cargo 'cargo is not installed (Debian: cargo)'
fi

# Meson: the folder of the example is a project.
if command -v meson >/dev/null && command -v ninja >/dev/null; then
	cp -r "$examples/meson" meson
	cp "$examples/prog.c" meson
	meson setup meson/out meson >log 2>&1 || fail "meson: $(cat log)"
	for round in first second; do
		ninja -C meson/out >log 2>&1 || fail "meson: $(cat log)"
		stat -c %y meson/out/gsym/prog.gsym >"$round"
	done
	grep -q 'no work to do' log || fail "meson again: $(cat log)"
	cmp first second || fail 'meson: the second build makes symbols'
	part_passed meson
else
	part_skipped meson 'meson is not installed (Debian: meson, ninja-build)'
fi

# Bazel: the rule.  rules_cc would be fetched from a server, so another rule
# compiles the program; MODULE.bazel is not read.
if command -v bazel >/dev/null; then
	mkdir bazel
	cp "$examples/bazel/gsym.bzl" "$examples/prog.c" bazel
	touch bazel/WORKSPACE
	cat >bazel/BUILD.bazel <<'END'
load(":gsym.bzl", "gsym_symbols")
genrule(name = "prog", srcs = ["prog.c"], outs = ["prog.out"], executable = True,
    cmd = "cc -g -Wl,--build-id -o $@ $<")
gsym_symbols(name = "prog.gsym", binary = ":prog")
END
	for round in first second; do
		(cd bazel && bazel --batch --output_user_root="$scratch/bazel" \
			build --action_env=PATH //:prog.gsym) >log 2>&1 ||
			fail "bazel: $(cat log)"
		stat -Lc %y bazel/bazel-bin/prog.gsym >"$round"
	done
	cmp first second || fail 'bazel: the second build makes symbols'
	gsym-dump --files bazel/bazel-bin/prog.gsym | grep -q '  prog\.c$' ||
		fail 'bazel: the path of the source file'
	chmod -R u+w "$scratch/bazel"
	part_passed bazel
else
	part_skipped bazel 'bazel is not installed (Debian: bazel-bootstrap)'
fi

# The commands of the services and of the container recipe, but for those that
# install gsym: services and base images are on other machines.
commands()
{
	case $1 in
	github.yml)
		sed -n 's/^ *run: \(cc\)/\1/p; /name: Symbols/,/uses:/{
			/name:\|run:\|uses:/d; p; }' "$examples/ci/$1" ;;
	gitlab.yml)
		sed -n '/script:/,/artifacts:/{
			/script:\|artifacts:/d; s/^    - /;/; p; }' \
			"$examples/ci/$1" | tr -d '\n' | tr ';' '\n' ;;
	Containerfile)
		sed -n '/^RUN cc/,/^$/{ s/^RUN //; p; }' "$examples/ci/$1" ;;
	esac
}
for service in github.yml gitlab.yml Containerfile; do
	mkdir "run-$service"
	cp "$examples/prog.c" "run-$service"
	commands $service >commands
	grep -q gsym-create commands || fail "$service: $(cat commands)"
	(cd "run-$service" && sh -eu ../commands) >log 2>&1 ||
		fail "$service: $(cat log)"
	"run-$service/prog" || fail "$service: no program"
	gsym-lookup --gsym-file-directory="run-$service/symbols" \
		"run-$service/prog" main 2>/dev/null | grep -q 'prog\.c:6' ||
		fail "$service: no symbols"
	part_passed "the commands of $service"
done
parts_finish
