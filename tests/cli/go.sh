#!/bin/sh
# SPDX-License-Identifier: MIT
# The Go package in go/: its own tests, and the answers of gsym-lookup.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need go
version=$(go version 2>/dev/null | sed -n 's/^go version go1\.\([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 19 ] || skip "go 1.$version is older than 1.19"
GOPATH=$scratch/go GOFLAGS=-mod=mod GOPROXY=off
CGO_ENABLED=0 GOTOOLCHAIN=local GO111MODULE=on GOWORK=off
export GOPATH GOFLAGS GOPROXY CGO_ENABLED GOTOOLCHAIN GO111MODULE GOWORK
package=$top_srcdir/go
if command -v gofmt >/dev/null; then
	[ -z "$(gofmt -l "$package")" ] || fail "gofmt: $(gofmt -l "$package")"
fi
(cd "$package" && go vet ./... && go test ./... &&
	go build -o "$scratch/gsym-go" ./cmd/gsym-go) >out 2>&1 || fail "$(cat out)"

# Addresses in and around all functions, in both versions and byte orders, in a
# file and in an ELF section.
compile prog
gsym-create -q -o first.gsym prog || fail 'gsym-create'
gsym-dump --functions first.gsym | grep -o '0x[0-9a-f]*' | sort -u >edges
[ -s edges ] || fail 'no functions'
while read -r edge; do
	for add in 0 1 2 3 5 8 13 21 34 55; do
		printf '0x%x\n' $((edge + add))
	done
done <edges >addresses
printf '0x0\n0xffffffffffffffff\n' >>addresses
for format in v1 v2; do
	for endian in little big; do
		gsym-create -q --format=$format --endian=$endian \
			--merged-functions --dwarf-callsites -o one.gsym prog ||
			fail "$format, $endian"
		gsym-lookup --no-demangle one.gsym <addresses >wanted 2>err
		"$scratch/gsym-go" one.gsym <addresses >got ||
			fail "$format, $endian: status $?"
		grep -q inlined got || fail "$format, $endian: nothing inlined"
		cmp wanted got || fail "$format, $endian: other answers"
	done
done
gsym-create -q --embed=prog -o both prog || fail '--embed'
gsym-lookup --no-demangle first.gsym <addresses >wanted
"$scratch/gsym-go" both <addresses >got || fail "--embed: status $?"
cmp wanted got || fail '--embed: other answers'
echo nothing >nothing
"$scratch/gsym-go" nothing <addresses >got 2>err
[ $? = 2 ] && grep -q 'nothing: no GSYM data' err || fail "$(cat err)"
exit 0
