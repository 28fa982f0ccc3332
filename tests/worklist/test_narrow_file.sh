#!/bin/sh
# What is said where the second .cu file of an operator with narrow rounds is missing, or not a file of its own.
. "$(dirname "$0")/templates.sh"

# is_fine LINE...: a file of these lines; text and messages are in out and err.
is_fine() {
    printf '%s\n' "$@" >"$ROOM/file.cu"
    preprocess -x c++ -D__CUDACC__ "$ROOM/file.cu" >"$ROOM/out" 2>"$ROOM/err"
}
expect() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then
        passed
    else
        failed "not so: $what"
        cat "$ROOM/err"
    fi
}
refused() { # TEXT LINE...
    text=$1
    shift
    if is_fine "$@"; then return 1; fi
    grep -q "error: .*$text" "$ROOM/err"
}

OPERATOR='#include "examples/13_reach_op.h"'
NARROW='#define reach_narrow 1'
FIRST='#include "worklist/engine_cuda_tmpl.cuh"'
SECOND='#include "worklist/engine_narrow_cuda_tmpl.cuh"'
WORDS=is_in_a_cu_file_that_includes_worklist_engine_narrow_cuda_tmpl_cuh

# The first file refers to names that tell a reader of the linker's message which file is missing.
expect 'the first file alone is fine' is_fine "$OPERATOR" "$NARROW" "$FIRST"
expect 'what it misses says where it is' grep -q "return weir__reach_narrow_$WORDS(" "$ROOM/out"
expect 'loading says so too' grep -q "return weir__reach_narrow_load_$WORDS(" "$ROOM/out"
# The second one defines them.
expect 'the second file is fine' is_fine "$OPERATOR" "$NARROW" "$SECOND"
expect 'it has the kernel' grep -q "int weir__reach_narrow_$WORDS(void \*stream" "$ROOM/out"
expect 'and its loader' grep -q "int weir__reach_narrow_load_$WORDS(void)" "$ROOM/out"
# An operator that does not opt in refers to nothing.
expect 'without narrow rounds' is_fine "$OPERATOR" "$FIRST"
expect 'nothing more is wanted' sh -c "! grep -q $WORDS '$ROOM/out'"
expect 'a second file for nothing' refused 'defines NAME_narrow to 1' "$OPERATOR" "$SECOND"
# Both in one file.
expect 'the second in the first' refused 'want a .cu file each' "$OPERATOR" "$NARROW" "$FIRST" "$SECOND"
expect 'the first in the second' refused 'want a .cu file each' "$OPERATOR" "$NARROW" "$SECOND" "$FIRST"
finish
