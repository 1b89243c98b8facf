#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/spark on Spark with two local workers: the answers of gsym-lookup,
# and the store of gsym-create, also if workers are killed.  GSYM_SPARK_PYTHON
# names another Python than python3, or several, each with its pyspark.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/store-lib.sh"
[ -z "${GSYM_SANITIZE:-}" ] || skip 'sanitizers have a malloc of their own'
GSYM_LIBRARY=$top_builddir/.libs/libgsym.so.0
[ -e "$GSYM_LIBRARY" ] || skip 'there is no shared library in the build'
pythons=
for python in ${GSYM_SPARK_PYTHON:-${PYTHON:-python3}}; do
	! "$python" -c 'import pandas, pyarrow, pyspark' 2>/dev/null ||
		pythons="$pythons $python"
done
[ -n "$pythons" ] ||
	skip 'python3 cannot import pyspark, pyarrow and pandas (pip install' \
		'"pyspark==4.0.*" pyarrow "pandas<3"; in a virtual' \
		'environment: GSYM_SPARK_PYTHON=ENVIRONMENT/bin/python)'
need java 'openjdk-17-jre-headless, or default-jre-headless'

# A store with a program, and with a copy of it whose records are damaged.
make_store
awk -v start="$((start))" 'BEGIN {
	for (i = -32; i < 480; i++) print start + i
}' >addresses
${CC:-cc} -g -O2 -o other program.c \
	-Wl,--build-id=0xdddddddddddddddddddddddddddddddddddddddd ||
	fail 'cannot link'
gsym-create -q --install=store other || fail "gsym-create: $?"
bad=store/.build-id/dd/dddddddddddddddddddddddddddddddddddddd.debug.gsym
# The name of main.
at=$(gsym-dump --functions --json "$bad" |
	sed -n 's/.*"name":"main".*"record_offset":\([0-9]*\).*/\1/p')
printf "\377\377\377\377" |
	dd of="$bad" bs=1 seek=$((at + 4)) conv=notrunc 2>/dev/null

# A tree of 50 programs, each with a stripped copy, and of files that cannot be
# converted.
mkdir -p tree/bin tree/debug
${CC:-cc} -g -O1 -c program.c -o program.o || fail 'cannot compile'
i=10
while [ $i -lt 60 ]; do
	${CC:-cc} program.o -o tree/debug/p$i -Wl,--build-id=0xabcdef0123$i ||
		fail 'cannot link'
	strip -o tree/bin/p$i tree/debug/p$i
	i=$((i + 1))
done
echo text >tree/text
${CC:-cc} program.o -o tree/no-id -Wl,--build-id=none
${CC:-cc} program.o -o tree/poison -Wl,--build-id=0xabcdef012399
${CC:-cc} program.o -o cut -Wl,--build-id=0xabcdef012398
head -c 5000 cut >tree/cut
gsym-create -q --recursive --install=recursive-store tree >log 2>&1
# Twice: a stripped program gets links to what its debug file has brought.
for run in 1 2; do
	find tree -type f ! -name poison ! -name cut |
		xargs -n1 gsym-create -q -j1 --install=xargs-store >log 2>&1
done
# The program that gets killed is not in the store of Spark.
rm -f recursive-store/.build-id/ab/cdef012399.*
find recursive-store -xtype l -exec rm {} +
find recursive-store -type d -empty -delete

# gsym-create is killed at its first conversion, and always at "poison".
mkdir killers
cat >killers/gsym-create <<EOF
#!/bin/sh
case "\$*" in
*--install*poison) kill -9 \$\$ ;;
*--install*) ( set -C; : >"$PWD/create-killed" ) 2>/dev/null && kill -9 \$\$ ;;
esac
exec "$top_builddir/gsym-create" "\$@"
EOF
chmod +x killers/gsym-create
PATH=$PWD/killers:$PATH
PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
SPARK_LOCAL_IP=127.0.0.1
# Without nettle a program needs a build ID.
GSYM_TEST_NO_ID=converted
ldd "$top_builddir/gsym-create" 2>/dev/null | grep -q nettle ||
	GSYM_TEST_NO_ID=no-build-id
export GSYM_TEST_NO_ID GSYM_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE SPARK_LOCAL_IP
for python in $pythons; do
	python=$(command -v "$python")
	PYSPARK_PYTHON=$python
	export PYSPARK_PYTHON
	rm -rf symbols stacks killed killed-[12] odd manifest million.parquet \
		spark-store create-killed
	"$python" "$top_srcdir/tests/cli/spark.py" \
		"$top_srcdir/examples/spark" prog "$id" >out 2>err || {
		cat out
		grep -v INFO err | tail -n 60
		fail "$("$python" --version): Spark and gsym-lookup differ"
	}
	cat out
done
exit 0
