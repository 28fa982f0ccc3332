#!/bin/sh
# Called by "make install": public headers (arguments), libraries, programs and weir.pc.
# Everything goes under $DESTDIR$PREFIX; weir.pc and the run paths name $PREFIX alone.
set -eu
to=${DESTDIR:-}$PREFIX
for header; do
    mkdir -p "$to/include/weir/$(dirname "$header")"
    install -m 644 "$header" "$to/include/weir/$header"
done
mkdir -p "$to/lib/pkgconfig" "$to/bin" "$to/libexec"
install -m 644 "$BUILD/libweir.a" "$to/lib/libweir.a"
install -m 755 "$BUILD/libweir.so" "$to/lib/libweir.so.0"
ln -sf libweir.so.0 "$to/lib/libweir.so"
install -m 755 "$BUILD/weir" "$to/bin/weir"
# weir looks for its METIS helper in ../libexec.
[ ! -f "$BUILD/weir-metis" ] || install -m 755 "$BUILD/weir-metis" "$to/libexec/weir-metis"
cat >"$to/lib/pkgconfig/weir.pc" <<END
prefix=$PREFIX
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: weir
Description: asynchronous multi-GPU dataflow runtime for irregular computations
Version: $VERSION
Cflags: -I\${includedir}/weir
Libs: -L\${libdir} -lweir
Libs.private: -pthread $LIBS
END
echo "installed into $to"
