#!/bin/sh
# Looks for what weir is built from.
#
#   scripts/deps.sh look [check|all]     names the packages that are missing; exit 1 if there are any
#   scripts/deps.sh install [check|all]  installs them on Debian and Ubuntu, as root or by sudo
#                                        without a password; elsewhere it only names them
#
# "check" adds what one test alone uses: it is installed where that works, and not asked for where it
# does not (the test is skipped then), as is gdb for "all". "all" adds what formatting, documentation and CI use. CUDA is
# never looked for nor installed.
set -eu
mode=${1:-look}
extent=${2:-build}
cc=${CC:-cc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

has() { command -v "$1" >/dev/null 2>&1; }

# builds CODE FLAGS...: does a program with these includes compile and link?
builds() {
    code=$1
    shift
    # shellcheck disable=SC2086 # CC may hold options
    printf '%s\nint main(void) { return 0; }\n' "$code" |
        $cc -x c - -o "$tmp/a.out" -Wl,--no-as-needed "$@" >/dev/null 2>&1
}

zlib='#include <zlib.h>'
lzma='#include <lzma.h>'
zstd='#include <zstd.h>'
jansson='#include <jansson.h>'
metis='#include <metis.h>'
hwloc='#include <hwloc.h>'
cmocka='#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>'

# One word for each thing that is missing. When all libraries are there, one compilation tells.
missing() {
    has "${cc%% *}" || echo cc
    has make || echo make
    has xz || echo xz
    has gzip || echo gzip
    if ! builds "$zlib
$lzma
$zstd
$jansson
$metis
$hwloc
$cmocka" -lz -llzma -lzstd -ljansson -lmetis -lhwloc -lcmocka; then
        builds "$zlib" -lz || echo zlib
        builds "$lzma" -llzma || echo lzma
        builds "$zstd" -lzstd || echo zstd
        builds "$jansson" -ljansson || echo jansson
        builds "$metis" -lmetis || echo metis
        builds "$hwloc" -lhwloc || echo hwloc
        builds "$cmocka" -lcmocka || echo cmocka
    fi
    # nvcc compiles its host half with the C++ compiler.
    if has nvcc || [ "$extent" = all ]; then
        has g++ || has c++ || echo cxx
    fi
    [ "$extent" = all ] || return 0
    has spin || echo spin
    has clang-format || echo clang-format
    has doxygen || echo doxygen
    has python3 || echo python3
    has pkg-config || echo pkg-config
    has gnuplot || echo gnuplot
}

# package FAMILY THING: the name of the package that holds it
package() {
    case $1:$2 in
    *:make | *:gzip | *:doxygen) echo "$2" ;;
    debian:cc) echo gcc libc6-dev ;;
    debian:xz) echo xz-utils ;;
    debian:gnuplot) echo gnuplot-nox ;;
    debian:zlib) echo zlib1g-dev ;;
    debian:cxx) echo g++ ;;
    debian:lzma | debian:zstd | debian:jansson | debian:metis | debian:hwloc | debian:cmocka) echo "lib$2-dev" ;;
    debian:*) echo "$2" ;;
    fedora:cc) echo gcc glibc-devel ;;
    fedora:cxx) echo gcc-c++ ;;
    fedora:lzma) echo xz-devel ;;
    fedora:zstd) echo libzstd-devel ;;
    fedora:cmocka) echo libcmocka-devel ;;
    fedora:zlib | fedora:jansson | fedora:metis | fedora:hwloc) echo "$2-devel" ;;
    fedora:clang-format) echo clang-tools-extra ;;
    fedora:gnuplot) echo gnuplot-minimal ;;
    fedora:pkg-config) echo pkgconf-pkg-config ;;
    fedora:*) echo "$2" ;;
    arch:cc | arch:cxx) echo gcc ;;
    arch:lzma) echo xz ;;
    arch:clang-format) echo clang ;;
    arch:python3) echo python ;;
    arch:pkg-config) echo pkgconf ;;
    arch:*) echo "$2" ;;
    esac
}

packages() { # FAMILY THINGS...
    family=$1
    shift
    for thing; do package "$family" "$thing"; done | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

family_of_this_system() {
    # shellcheck disable=SC1091
    ids=$([ -r /etc/os-release ] && . /etc/os-release && echo "${ID:-} ${ID_LIKE:-}") || ids=
    case " $ids " in
    *' debian '* | *' ubuntu '*) echo debian ;;
    *' fedora '* | *' rhel '*) echo fedora ;;
    *' arch '*) echo arch ;;
    *) echo other ;;
    esac
}

apt_command='apt-get install -y --no-install-recommends'

advise() { # FAMILY THINGS...
    family=$1
    shift
    echo "weir needs what is not installed here: $*"
    case $family in
    debian) echo "  packages: $(packages debian "$@")
  install:  sudo $apt_command $(packages debian "$@")" ;;
    fedora) echo "  packages: $(packages fedora "$@")
  install:  sudo dnf install $(packages fedora "$@")" ;;
    arch) echo "  packages: $(packages arch "$@")
  install:  sudo pacman -S --needed $(packages arch "$@")" ;;
    *) echo "  Debian, Ubuntu: $(packages debian "$@")
  Fedora:         $(packages fedora "$@")
  Arch:           $(packages arch "$@")" ;;
    esac
}

# The lists of packages are fetched only where they do not know a name, or know an old file.
apt_install() { # PACKAGES...
    sudo=
    [ "$(id -u)" = 0 ] || sudo='sudo -n'
    apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120"
    if ! apt-cache show --no-all-versions "$@" >/dev/null 2>&1; then
        $apt update || return 1
    fi
    $apt install -y --no-install-recommends "$@" ||
        { $apt update && $apt install -y --no-install-recommends "$@"; }
}

may_install() {
    [ "$family" = debian ] && has apt-get || return 1
    [ "$(id -u)" = 0 ] && return 0
    has sudo && sudo -n true 2>/dev/null
}

case $mode:$extent in
look:build | look:check | look:all | install:build | install:check | install:all) ;;
*) echo 'usage: scripts/deps.sh look|install [check|all]' >&2 && exit 2 ;;
esac
things=$(missing)
family=$(family_of_this_system)
if [ "$mode:$extent" = install:check ] && ! has spin && may_install; then
    echo 'deps: installing spin'
    apt_install spin || echo 'deps: could not install spin; the test of the model is skipped'
fi
if [ "$mode:$extent" = install:all ] && ! has gdb && may_install; then
    echo 'deps: installing gdb'
    apt_install gdb || echo 'deps: could not install gdb; of a test that hangs no stacks are shown'
fi
[ -n "$things" ] || exit 0
# The list of things and the list of packages are words without blanks.
# shellcheck disable=SC2086
if [ "$mode" = install ] && may_install; then
    names=$(packages debian $things)
    echo "deps: installing $names"
    if ! apt_install $names; then
        echo "deps: could not install them" >&2
    fi
    things=$(missing)
    [ -n "$things" ] || exit 0
fi
# shellcheck disable=SC2086
advise "$family" $things >&2
exit 1
