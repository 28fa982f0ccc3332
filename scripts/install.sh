#!/bin/sh
# What "make install" and "make uninstall" call. Headers (arguments) go to $INCLUDEDIR/weir, where programs find them as
# <weir/router/router.h>; libraries, weir.pc and the CMake package to $LIBDIR, programs to $PREFIX/bin and libexec.
# Everything lies under $DESTDIR, which no installed file names. $LIBDIR/weir/manifest lists every file and every
# folder that was made, which is what uninstall removes, and what an installation over an older one cleans up.
#
#   scripts/install.sh install HEADER...      PREFIX LIBDIR INCLUDEDIR DESTDIR BUILD VERSION LIBS CUDA
#   scripts/install.sh uninstall              PREFIX LIBDIR DESTDIR
set -eu
doing=$1
shift
root=${DESTDIR:-}
manifest=$LIBDIR/weir/manifest
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$doing: $1" >&2
    exit 1
}

# pkg-config and CMake read these characters as their own.
check_folder() { # NAME VALUE
    case $2 in
    *[\"\'\`\$\\\#\;]* | *'
'*) fail "$1 must not hold quotes, \$, \\, #, semicolons or line breaks: $2" ;;
    /*) ;;
    *) fail "$1 is an absolute path, not $2" ;;
    esac
}

# ---- removing ------------------------------------------------------------------------------------
remove_files() { # reads lines of a manifest
    while read -r kind path; do
        [ "$kind" != file ] || rm -f "$root$path"
    done
}
remove_folders() { # those that hold nothing else, the deepest first
    sort -r | while read -r kind path; do
        [ "$kind" != folder ] || rmdir "$root$path" 2>/dev/null || :
    done
}
uninstall() {
    [ -f "$root$manifest" ] || fail "there is no $root$manifest, so nothing is installed there"
    cp "$root$manifest" "$work/old"
    remove_files <"$work/old"
    remove_folders <"$work/old"
    echo "uninstalled from $root$PREFIX"
}

# ---- putting -------------------------------------------------------------------------------------
make_folder() {
    [ -d "$root$1" ] || {
        make_folder "$(dirname "$1")"
        install -d -m 755 "$root$1"
        echo "folder $1" >>"$work/new"
    }
}
put() { # MODE FILE PATH
    make_folder "$(dirname "$3")"
    install -m "$1" "$2" "$root$3"
    echo "file $3" >>"$work/new"
}
put_link() { # TARGET PATH
    ln -sf "$1" "$root$2"
    echo "file $2" >>"$work/new"
}
# Headers of the tree name each other by their folder; installed ones by the place where everybody finds them.
put_header() {
    sed -E 's@^([[:space:]]*#[[:space:]]*include[[:space:]]*)"((runtime|topology|router|worklist|algorithms)/[^"]*)"@\1<weir/\2>@' \
        "$1" >"$work/header"
    put 644 "$work/header" "$INCLUDEDIR/weir/$1"
}
under_prefix() { # PATH: by ${prefix}, where it lies in there, so that a moved tree can say where it is now
    case $1 in
    "$PREFIX"/*) echo "\${prefix}${1#"$PREFIX"}" ;;
    *) echo "$1" ;;
    esac
}
pkgconfig() {
    cat <<END
prefix=$PREFIX
includedir=$(under_prefix "$INCLUDEDIR")
libdir=$(under_prefix "$LIBDIR")
cuda=$CUDA

Name: weir
Description: asynchronous multi-GPU dataflow runtime for irregular computations
Version: $VERSION
Cflags: -I"\${includedir}"
Libs: -L"\${libdir}" -lweir
Libs.private: -pthread $LIBS
END
}
cmake_config() {
    cat <<END
# weir::weir (shared) and weir::weir_static; weir_CUDA says whether the library has the CUDA backend.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(_weir_here "\${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_weir_lib "\${_weir_here}/../.." ABSOLUTE)
get_filename_component(_weir_include "\${_weir_lib}/$(realpath -m --relative-to="$LIBDIR" "$INCLUDEDIR")" ABSOLUTE)
set(weir_CUDA $CUDA)
if(NOT TARGET weir::weir)
  add_library(weir::weir SHARED IMPORTED)
  set_target_properties(weir::weir PROPERTIES
    IMPORTED_LOCATION "\${_weir_lib}/libweir.so.$VERSION"
    IMPORTED_SONAME "libweir.so.$soname"
    INTERFACE_INCLUDE_DIRECTORIES "\${_weir_include}")
  add_library(weir::weir_static STATIC IMPORTED)
  set_target_properties(weir::weir_static PROPERTIES
    IMPORTED_LOCATION "\${_weir_lib}/libweir.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES "C"
    INTERFACE_INCLUDE_DIRECTORIES "\${_weir_include}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;$(echo "$LIBS" | sed 's/  */;/g')")
endif()
foreach(_weir_component IN LISTS weir_FIND_COMPONENTS)
  if(weir_FIND_REQUIRED_\${_weir_component})
    set(weir_FOUND FALSE)
    set(weir_NOT_FOUND_MESSAGE "weir has no component \${_weir_component}")
  endif()
endforeach()
END
}
# The number of the soname is the major version: what was built with one of its versions runs with every later one.
cmake_version() {
    cat <<END
set(PACKAGE_VERSION "$VERSION")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(PACKAGE_FIND_VERSION_RANGE)
  if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION_MIN AND
     (PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX OR
      (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "INCLUDE" AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
elseif(NOT PACKAGE_FIND_VERSION OR
       (PACKAGE_FIND_VERSION_MAJOR EQUAL $soname AND PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION))
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
END
}
put_text() { # FUNCTION PATH
    "$1" >"$work/text"
    put 644 "$work/text" "$2"
}
# Of an older installation: folders that it made are still ours to remove, files that are no more go now.
replace_old() {
    [ -f "$root$manifest" ] || return 0
    grep '^folder ' "$root$manifest" >>"$work/new" || :
    sort -u "$work/new" >"$work/sorted"
    sort -u "$root$manifest" | comm -23 - "$work/sorted" >"$work/gone"
    remove_files <"$work/gone"
}
put_all() {
    for header; do put_header "$header"; done
    put 644 "$BUILD/libweir.a" "$LIBDIR/libweir.a"
    put 755 "$BUILD/libweir.so" "$LIBDIR/libweir.so.$VERSION"
    put_link "libweir.so.$VERSION" "$LIBDIR/libweir.so.$soname"
    put_link "libweir.so.$soname" "$LIBDIR/libweir.so"
    put_text pkgconfig "$LIBDIR/pkgconfig/weir.pc"
    put_text cmake_config "$LIBDIR/cmake/weir/weirConfig.cmake"
    put_text cmake_version "$LIBDIR/cmake/weir/weirConfigVersion.cmake"
    put 755 "$BUILD/weir" "$PREFIX/bin/weir"
    # weir looks for its METIS helper in ../libexec.
    [ ! -f "$BUILD/weir-metis" ] || put 755 "$BUILD/weir-metis" "$PREFIX/libexec/weir-metis"
}
install_all() {
    soname=${VERSION%%.*}
    : >"$work/new"
    mkdir -p "$root/"
    make_folder "$(dirname "$manifest")"
    put_all "$@"
    echo "file $manifest" >>"$work/new"
    replace_old
    sort -u "$work/new" >"$work/sorted"
    install -m 644 "$work/sorted" "$root$manifest"
    echo "installed into $root$PREFIX"
}

check_folder PREFIX "$PREFIX"
check_folder LIBDIR "$LIBDIR"
case $doing in
install)
    check_folder INCLUDEDIR "$INCLUDEDIR"
    install_all "$@"
    ;;
uninstall) uninstall ;;
*) fail 'the first word is install or uninstall' ;;
esac
