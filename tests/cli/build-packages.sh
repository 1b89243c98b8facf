#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of packages: the package with the debug info, -dbgsym of Debian or
# -debuginfo of RPM, has the GSYM file, also if dwz has moved a part of the debug
# info of two programs to a third file; from what is unpacked the program has
# functions and lines.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
examples=$top_srcdir/examples/build

# A second program, and code that both have, which dwz puts into a common file.
python3 - <<'END' >common.h || skip 'python3 is missing (Debian: python3)'
for i in range(300):
    print(f"struct part_{i} {{ int first_{i}; long second_{i}; }};")
    print(f"static inline long sum_{i}(struct part_{i} *p)")
    print(f"{{ return p->first_{i} + p->second_{i}; }}")
    print(f"static __attribute__((noinline)) long use_{i}(long n)")
    print(f"{{ struct part_{i} p = {{ n, {i} }}; return sum_{i}(&p); }}")
print("static long all(long n) { return 0", *(
    f"+ use_{i}(n)" for i in range(300)), "; }")
END
echo '#include "common.h"
#ifndef SECOND
#define SECOND 0
#endif
int main(int count, char **words) { return all(count) == SECOND; }' >prog.c

# $1: the folder with the unpacked packages; $2: a program there.
check()
{
	gsym-lookup --gsym-file-directory="$1/usr/lib/debug" "$2" main use_7 \
		>answers 2>err || fail "$2: $(cat err)"
	grep -q '^0x[0-9a-f]*: main.*prog\.c:5' answers &&
		grep -q '^ *use_7 at .*common\.h:40' answers ||
		fail "$2: $(cat answers)"
	[ -z "$(find "$1" -name '*.gsym' -path '*/bin/*')" ] ||
		fail "$1: a GSYM file is in the wrong package"
}

debian()
{
	mkdir -p deb/source/debian/gsym/Debian/Debhelper/Sequence
	cd deb/source || exit 99
	cp ../../*.[ch] .
	cp "$examples"/debhelper/debian/* debian
	cp "$examples/debhelper/dh_gsym" debian/gsym
	cp "$examples/debhelper/gsym.pm" debian/gsym/Debian/Debhelper/Sequence
	chmod +x debian/rules debian/gsym/dh_gsym
	cat >>debian/rules <<'END'
	$(CC) -g -O2 -Wl,--build-id -DSECOND=1 -o \
		debian/gsym-example/usr/bin/gsym-second prog.c
override_dh_dwz:
	dh_dwz --dwz-multifile
END
	dpkg-buildpackage -us -uc -b -d >log 2>&1 || fail "debhelper: $(cat log)"
	cd ../.. || exit 99
	for file in deb/*.deb; do
		dpkg-deb -x "$file" deb/root || fail "$file"
	done
	[ -e "$(find deb/root/usr/lib/debug/.dwz -type f)" ] ||
		fail 'debhelper: no file of dwz'
	check deb/root deb/root/usr/bin/gsym-example
	check deb/root deb/root/usr/bin/gsym-second
	part_passed debhelper
}
if ! command -v dh >/dev/null; then
	part_skipped debhelper 'dh is not installed (Debian: debhelper)'
elif ! command -v dwz >/dev/null; then
	part_skipped debhelper 'dwz is not installed (Debian: dwz)'
else
	debian
fi

# Elsewhere than on systems of RPM no macro asks for the package -debuginfo.
rpms()
{
	mkdir -p rpm/sources rpm/root
	cp prog.c "$examples/rpm/macros.gsym" rpm/sources
	cp common.h rpm
	cp "$examples/rpm/example.spec" rpm
	rpm -E '%{?install}' | grep -q debug_package ||
		sed -i 's/^%build/%debug_package\n\n&/' rpm/example.spec
	sed -i "s,^gcc,& -I$PWD/rpm," rpm/example.spec
	rpmbuild --define "_topdir $PWD/rpm" --define "_tmppath $PWD/rpm" \
		--define "_sourcedir $PWD/rpm/sources" \
		--define "_dbpath $PWD/rpm/db" \
		-bb rpm/example.spec >log 2>&1 || fail "rpm: $(cat log)"
	for file in rpm/RPMS/*/*.rpm; do
		rpm2cpio "$file" >cpio &&
			(cd rpm/root && cpio -idm --quiet) <cpio || fail "$file"
	done
	check rpm/root rpm/root/usr/bin/gsym-example
	part_passed rpm
}
if command -v rpmbuild >/dev/null && command -v find-debuginfo >/dev/null &&
	command -v cpio >/dev/null; then
	rpms
else
	part_skipped rpm 'rpmbuild is not installed (Debian: rpm, debugedit, cpio)'
fi
parts_finish
