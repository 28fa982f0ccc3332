#!/bin/sh
# A user's view of a build, by the command that README.md names, and of what is installed, in a folder of its own: what lies
# where, programs by pkg-config and CMake, shared and static, C and C++, operators compiled outside the tree, METIS found, and
# an uninstallation that leaves nothing.
#
#   scripts/check_install.sh MAKE...      the command that builds; BUILD, CC, CXX, NVCC (empty: no CUDA) as it has them
set -eu
cc=${CC:-cc}
cxx=${CXX:-g++}
warn='-Wall -Wextra -Wpedantic -Werror'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 skipped=0

fail() {
    echo "check_install: $1" >&2
    exit 1
}
pass() {
    passed=$((passed + 1))
    echo "ok   $1"
}
skip() {
    skipped=$((skipped + 1))
    echo "skip $1"
}
# The places have blanks in them, so make is called with each assignment as one word.
make_() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "$*"; }
}
all_of() { find "$1" -mindepth 1 | sort; }

# ---- without installing: the program and the command of README.md ------------------------------------
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' >"$work/program.c"
# Between the backquotes of the page; behind them what a build with CUDA needs too.
# shellcheck disable=SC2016
command=$(sed -n 's/^`cc \(-std=c11 [^`]*program\.c [^`]*\)`.*/\1/p' README.md)
[ -n "$command" ] || fail 'README.md has no command to compile a program with'
more=
[ -z "${NVCC:-}" ] || more='-L/usr/local/cuda/lib64 -lcudart_static -lrt'
# shellcheck disable=SC2046,SC2086 # the command is a list of words
$cc $(echo "$command" | sed "s@program\.c@$work/program.c@; s@ build/libweir@ ${BUILD:-build}/libweir@") $more -o "$work/program"
"$work/program" >"$work/log" || { cat "$work/log" >&2 && fail 'the program of README.md'; }
pass 'the program of README.md, compiled in the tree'

# ---- a stage to pack from: nothing outside it, nothing in it names it ------------------------------
stage=$work/stage
make_ "$@" install DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/x86_64 INCLUDEDIR=/usr/include/here
for file in usr/lib/x86_64/libweir.so usr/lib/x86_64/libweir.a usr/lib/x86_64/pkgconfig/weir.pc usr/bin/weir \
    usr/lib/x86_64/cmake/weir/weirConfig.cmake usr/include/here/weir/router/router.h; do
    [ -e "$stage/$file" ] || fail "a staged installation lacks $file"
done
! grep -rIl "$stage" "$stage" || fail 'an installed file names the stage'
[ "$(find "$stage" -mindepth 1 -maxdepth 1)" = "$stage/usr" ] || fail 'a staged installation has more than its prefix'
staged="env PKG_CONFIG_PATH=$stage/usr/lib/x86_64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage pkg-config"
[ "$($staged --cflags weir | sed 's/ *$//')" = "-I$stage/usr/include/here" ] || fail "staged: $($staged --cflags weir)"
[ "$($staged --variable=libdir weir)" = "$stage/usr/lib/x86_64" ] || [ "$($staged --variable=libdir weir)" = /usr/lib/x86_64 ] ||
    fail "staged: libdir is $($staged --variable=libdir weir)"
pass 'a stage with folders of its own choice'
make_ "$@" uninstall DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/x86_64
[ -z "$(all_of "$stage")" ] || fail "uninstall left $(all_of "$stage" | tr '\n' ' ')"
if "$@" uninstall DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/x86_64 >"$work/log" 2>&1; then
    fail 'uninstall where nothing is installed succeeds'
fi
grep -q 'nothing is installed there' "$work/log" || fail 'uninstall where nothing is installed does not say so'
pass 'uninstall leaves nothing'

# ---- a prefix with a blank, in which there is something already -------------------------------------
prefix="$work/a prefix"
mkdir -p "$prefix/bin" "$prefix/lib/pkgconfig"
echo mine >"$prefix/bin/other"
all_of "$prefix" >"$work/before"
make_ "$@" install PREFIX="$prefix"
all_of "$prefix" >"$work/once"
# An installation over an older one: a file that is no more goes with it.
echo old >"$prefix/include/weir/runtime/gone.h"
echo "file $prefix/include/weir/runtime/gone.h" >>"$prefix/lib/weir/manifest"
make_ "$@" install PREFIX="$prefix"
all_of "$prefix" | cmp -s - "$work/once" || fail 'a second installation is not like the first'
pass 'an installation over an older one'
for bad in 'relative/path' "/a'b" '/a$b' '/a;b'; do
    if PREFIX=$bad LIBDIR=$bad/lib INCLUDEDIR=$bad/include DESTDIR=$work/bad scripts/install.sh install \
        >"$work/log" 2>&1; then
        fail "a prefix of $bad is accepted"
    fi
    [ ! -e "$work/bad" ] && [ "$(wc -l <"$work/log")" -eq 1 ] || fail "a prefix of $bad is not refused in one sentence"
done
pass 'bad prefixes are refused'

# ---- programs -----------------------------------------------------------------------------------------
# Flags with blanks in them have to be read as a shell reads them.
pc() { PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config "$@"; }
with_flags() { # FLAGS COMMAND...
    flags=$1
    shift
    eval '"$@"' "$flags"
}
cat >"$work/user.c" <<'END'
#include <weir/algorithms/algorithms.h>
#include <weir/router/collective.h>
#include <weir/router/router.h>
#include <weir/worklist/steps.h>
#include <stdio.h>
int main(void)
{
    weir_context *context;
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_run_stats stats = WEIR_RUN_STATS_INIT;
    weir_policy any = weir_policy_any();
    weir_router *router;
    if (weir_context_create("host:2", NULL, &context) || weir_router_create(context, NULL, &any, &router) ||
        weir_device_info_get(weir_context_device(context, 1), &info))
        return 1;
    weir_router_destroy(router);
    weir_context_destroy(context);
    printf("%s, %s, %d\n", weir_version_text(), info.label, (int)stats.direction);
    return 0;
}
END
cp "$work/user.c" "$work/user.cpp"
export LD_LIBRARY_PATH="$prefix/lib"
with_flags "$(pc --cflags weir)" $cc -std=c11 $warn -c "$work/user.c" -o "$work/user.o"
with_flags "$(pc --libs weir)" $cc "$work/user.o" -o "$work/shared"
"$work/shared"
with_flags "$(pc --static --libs weir | sed 's/-lweir/-l:libweir.a/')" $cc "$work/user.o" -o "$work/static"
env -u LD_LIBRARY_PATH "$work/static"
readelf -d "$work/static" >"$work/needed"
! grep -q libweir "$work/needed" || fail 'the static program needs the shared library'
pass 'a C program, shared and static'
if command -v "$cxx" >/dev/null; then
    with_flags "$(pc --cflags --libs weir)" "$cxx" -std=c++17 $warn "$work/user.cpp" -o "$work/shared++"
    "$work/shared++"
    pass 'a C++ program'
else
    skip 'no C++ compiler here'
fi

# Every header that is installed, by itself: what it includes is found from where programs find it, and nowhere else.
(cd "$prefix/include" && find weir -name '*.h' ! -name '*_tmpl.h' | sort) >"$work/headers"
while read -r header; do
    printf '#include <%s>\ntypedef int weir_not_empty;\n' "$header" >"$work/one.c"
    $cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" "$work/one.c" || fail "<$header> does not compile alone"
done <"$work/headers"
[ "$(wc -l <"$work/headers")" -gt 10 ] || fail 'hardly any header is installed'
! grep -rnE '#[ ]*include[ ]*"(runtime|topology|router|worklist|algorithms)/' "$prefix/include" || fail 'an installed header includes by the tree'
pass "$(wc -l <"$work/headers") headers"

mkdir "$work/examples"
cp examples/example.h examples/example_graph.h examples/13_reach* examples/15_kcore* examples/18_halo* "$work/examples/"
for name in 13_reach 15_kcore 18_halo; do
    with_flags "$(pc --cflags --libs weir)" $cc -std=c11 -Wall -Wextra -Werror -I"$work" "$work/examples/$name.c" -o "$work/$name"
    "$work/$name" host:2
    [ -z "${NVCC:-}" ] ||
        with_flags "$(pc --cflags weir)" "$NVCC" -std=c++17 -arch=sm_90 -I"$work" -c "$work/examples/$name.cu" -o "$work/$name.cu.o"
done
pass 'an operator, a step program and a kernel with channels outside the tree'

# ---- CMake ----------------------------------------------------------------------------------------------
cmake_project() {
    mkdir "$work/project"
    cp "$work/user.c" "$work/project/"
    cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(user LANGUAGES C)
find_package(weir ${WANTED} REQUIRED)
foreach(kind weir weir_static)
  add_executable(by_${kind} user.c)
  target_link_libraries(by_${kind} PRIVATE weir::${kind})
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/said "${weir_VERSION} ${weir_CUDA}")
END
}
configure() { # BUILD WANTED
    cmake -S "$work/project" -B "$work/$1" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$2" >"$work/log" 2>&1
}
if command -v cmake >/dev/null; then
    cmake_project
    version=$(pc --modversion weir)
    configure built "$version" || { cat "$work/log" >&2 && fail 'CMake does not find the package'; }
    cmake --build "$work/built" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail 'the CMake project does not build'; }
    env -u LD_LIBRARY_PATH "$work/built/by_weir" && env -u LD_LIBRARY_PATH "$work/built/by_weir_static"
    [ "$(cat "$work/built/said")" = "$version $(pc --variable=cuda weir)" ] || fail "CMake says $(cat "$work/built/said")"
    configure later 99.0 && fail 'CMake takes this version for 99.0'
    grep -q 'that is compatible' "$work/log" || { cat "$work/log" >&2 && fail 'CMake fails otherwise'; }
    configure ranged "0.1...<99" || { cat "$work/log" >&2 && fail 'CMake does not take a range of versions'; }
    # The whole tree somewhere else: nothing in the package is an absolute path.
    cp -r "$prefix" "$work/moved"
    cmake -S "$work/project" -B "$work/away" -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log" 2>&1 && cmake --build "$work/away" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2 && fail 'a tree that was moved does not build'; }
    grep -qF "$work/moved/lib" "$work/away/CMakeFiles/by_weir.dir/link.txt" || fail 'a tree that was moved is linked from where it was'
    pass 'a CMake project, shared and static, and a tree that was moved'
else
    skip 'no cmake here'
fi

# ---- the command, and the end -----------------------------------------------------------------------------
"$prefix/bin/weir" version
"$prefix/bin/weir" bfs grid:100x100 --devices host:2 --partition metis --verify >"$work/log" || { cat "$work/log" >&2 && fail 'the command'; }
pass 'the command, with METIS'
make_ "$@" uninstall PREFIX="$prefix"
all_of "$prefix" | cmp -s - "$work/before" || fail "uninstall leaves other files than there were: $(all_of "$prefix" | comm -3 - "$work/before")"
pass 'uninstall leaves what was there before'
echo "$passed passed, 0 failed, $skipped skipped"
