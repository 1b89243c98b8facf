#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs built by the installed Go: gsym-lookup prints the traceback of a
# program that panics; programs and libraries of C and Go; a build ID that many
# programs share.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need go
GOTOOLCHAIN=local GOFLAGS='' GO111MODULE=auto GOWORK=off CGO_ENABLED=0
export GOTOOLCHAIN GOFLAGS GO111MODULE GOWORK CGO_ENABLED
case $(go version 2>/dev/null) in
*' go1.1'[0-9].* | *' go1.'[0-9].*) skip 'go is older than 1.20 (go.dev has newer ones)' ;;
*' go1.'*) ;;
*) skip 'go does not work' ;;
esac

# The runtime prints arguments for calls that are not inlined, and registers;
# gsym-lookup prints neither. $1: the program; $2: a text that its traceback
# has.
same_traceback()
{
	go build -ldflags='-s -w' -o prog "$top_srcdir/tests/cli/$1.go" ||
		fail 'cannot build'
	GOTRACEBACK=system ./prog >said 2>&1 && fail "$1: it does not panic"
	awk '/^goroutine 1 / { on = 1; next } /^$/ { on = 0 } on' said >trace
	sed 's/([^()]*)$/(...)/; s/ fp=.*//' trace >wanted
	sed -n 's/.* pc=//p' trace >addresses
	grep -q "$2" wanted || fail "$1: no traceback"
	gsym-create -q --strict prog &&
		gsym-lookup --style=go prog.gsym <addresses >got
	diff -u wanted got || fail "$1: the traceback is another one"
}
same_traceback go-traceback 'pop('
same_traceback go-fault 'go-fault.go:15 '
# The same with very many addresses, and with addresses as arguments.
for i in 1 2 3 4 5 6 7 8 9 10; do
	cat addresses addresses >twice && mv twice addresses
	cat wanted wanted >twice && mv twice wanted
done
tail -n 1 addresses >address
tail -n 2 wanted >answer
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	# Another number of addresses each time, so the threads divide the input
	# elsewhere.
	cat address >>addresses
	cat answer >>wanted
	gsym-lookup --style=go --num-threads=2 prog.gsym <addresses >got
	cmp wanted got || fail "many tracebacks are other ones ($n)"
done
# shellcheck disable=SC2046
gsym-lookup --style=go prog.gsym $(head -n 20 addresses) >got
[ -s got ] && cmp -n "$(wc -c <got)" wanted got || fail 'arguments are other ones'

# A build ID that all programs built with -buildid=redacted have.
go build -ldflags='-s -w -buildid=redacted -B=gobuildid' -o redacted \
	"$top_srcdir/tests/cli/go-traceback.go" 2>/dev/null &&
	gsym-create redacted 2>said && {
	grep -q 'build ID [b4][79]8919aff001d8366' said || fail "$(cat said)"
	grep -q 'redacted go build id share' said || fail "$(cat said)"
}

# C and Go.  The lines of C functions are in the DWARF only.  Without DWARF the
# C functions have names from the symbol table.
command -v "${CC:-cc}" >/dev/null && CGO_ENABLED=1 && mkdir mixed || exit 0
cat >mixed/main.go <<'END'
package main

// static int below(int x) { return x / 3; }
// __attribute__((noinline)) int in_c(int x) { return below(x) + 1; }
import "C"

//export InGo
func InGo(x C.int) C.int { return C.in_c(x) }

func main() { println(InGo(5)) }
END
# $1: the program; $2: a pattern for the answer at in_c; $3: an option of
# gsym-create, or nothing.
has()
{
	gsym-create -q --strict ${3:-} -o x.gsym "$1" || fail "$1: status $?"
	gsym-dump --verify x.gsym >/dev/null || fail "$1: does not verify"
	gsym-dump --functions x.gsym >functions
	grep -q ' main\.InGo$' functions || fail "$1: no Go"
	address=$(sed -n 's/^ *\(0x[0-9a-f]*\) .* in_c$/\1/p' functions)
	[ -n "$address" ] || fail "$1: no C"
	gsym-lookup x.gsym "$address" >said
	grep -q "$2" said || fail "$1: in_c: $(cat said)"
}
for mode in exe c-shared; do
	(cd mixed && go build -buildmode=$mode -o ../whole main.go 2>/dev/null &&
		go build -buildmode=$mode -ldflags=-w -o ../symbols main.go) ||
		continue
	has whole 'in_c at .*main.go:4'
	has whole 'in_c at .*main.go:4' --from=go
	has symbols 'in_c$'
done
exit 0
